(** Fixed work on all floors. The program that is replayed ends with the recorded digits, so that no theorem of
    fixed work is about it; the one whose exact path goes on with the true floors has the reference's law, and
    wherever a replayed run ends, one sample's or a slice's, it does the same. *)
Require Import Reals Lra Lia List ZArith Bool Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model FiniteSums IntegerSums Geometric Laplace Gaussian.
From Certus.privacy Require Import Definitions Transfer Queries Draws.
From Certus.fast Require Import LazyInversion LazyCoin Table Buckets Agreement FixedWork FixedTable FixedCoin FixedPlace FixedBuckets FixedGaussian FixedLaplace FixedDirect
  FixedAcceptance FixedComputed FixedWords FixedShipped.
From Certus.replay Require Import FastModel Enclosures Replay Extension BucketExtension Cells CheckedCells CheckedReplay CheckedPrivacy FixedReplay BulkReplay BulkExact
  BulkExtension FixedFill FixedFloors.
Import ListNotations.
Open Scope R_scope.

(** ** The exact path of a table, by bounds some of which are void *)
Section Known.
Variables lower upper lower' upper' : nat -> nat -> Z.
Variable patience : nat -> nat.
Variable step : nat.
Variable unknown : nat -> nat -> Prop.
(** As in [fast/Agreement.v]; and the bounds of one cell at two lengths are of one number. *)
Definition known_bounds : Prop :=
  (forall cell length length', unknown cell length -> (length <= length')%nat -> unknown cell length')
  /\ (forall cell length, unknown cell length -> (lower cell length <= 0 /\ 2 ^ Z.of_nat length <= upper cell length)%Z)
  /\ (forall cell length, (lower cell length = lower' cell length /\ upper cell length = upper' cell length) \/ unknown cell length)
  /\ (forall cell length, lower' cell length <= upper' cell length)%Z
  /\ (forall cell length more, upper' cell (length + more)%nat <= upper' cell length * 2 ^ Z.of_nat more)%Z.
Hypothesis known : known_bounds.

(** The scan cannot come past a cell of which nothing is known. *)
Let stuck (length : nat) (prefix : Z) : Prop := exists cell, unknown cell length /\ forall c, (c < cell)%nat -> (upper' c length <= prefix)%Z.
Lemma stuck_later length prefix more : (0 <= more < 2 ^ Z.of_nat step)%Z -> stuck length prefix -> stuck (length + step) (prefix * 2 ^ Z.of_nat step + more).
Proof.
  destruct known as (Later & _ & _ & _ & Double). intros Hm (cell & U & P). exists cell. split; [eapply Later; [exact U|lia]|].
  intros c Hc. specialize (P c Hc). assert (D := Double c length step). assert (0 < 2 ^ Z.of_nat step)%Z by (apply Z.pow_pos_nonneg; lia). nia.
Qed.
Lemma stuck_never_found steps length prefix : (0 <= prefix < 2 ^ Z.of_nat length)%Z -> stuck length prefix -> snd (scan lower upper steps length prefix O) = false.
Proof.
  destruct known as (_ & Void & Equal & Order & _). intros Hp (cell & U & P).
  assert (K : forall steps c, (c <= cell)%nat -> snd (scan lower upper steps length prefix c) = false).
  { clear steps. induction steps as [|steps IH]; intros c Hc; [reflexivity|]. cbn [scan].
    assert (At : unknown c length -> snd (if (prefix <? lower c length)%Z then (c, true) else if (prefix <? upper c length)%Z then (c, false)
      else scan lower upper steps length prefix (S c)) = false).
    { intros V. destruct (Void _ _ V). destruct (Z.ltb_spec prefix (lower c length)); [lia|]. destruct (Z.ltb_spec prefix (upper c length)); [reflexivity|lia]. }
    destruct (Nat.eq_dec c cell) as [->|N]; [now apply At|]. destruct (Equal c length) as [[L H]|V]; [|now apply At].
    specialize (P c ltac:(lia)). specialize (Order c length). rewrite L, H. destruct (Z.ltb_spec prefix (lower' c length)); [lia|].
    destruct (Z.ltb_spec prefix (upper' c length)); [lia|]. apply IH. lia. }
  apply K. lia.
Qed.
Lemma scan_known_or_stuck length prefix : (0 <= prefix < 2 ^ Z.of_nat length)%Z -> forall steps from, (forall c, (c < from)%nat -> (upper' c length <= prefix)%Z) ->
  scan lower upper steps length prefix from = scan lower' upper' steps length prefix from
  \/ (snd (scan lower upper steps length prefix from) = false /\ stuck length prefix).
Proof.
  destruct known as (_ & Void & Equal & _ & _). intros Hp. induction steps as [|steps IH]; intros from P; [now left|]. cbn [scan].
  destruct (Equal from length) as [[L H]|V].
  - rewrite L, H. destruct (prefix <? lower' from length)%Z; [now left|]. destruct (Z.ltb_spec prefix (upper' from length)) as [B|B]; [now left|].
    apply IH. intros c Hc. destruct (Nat.eq_dec c from) as [->|]; [exact B|]. apply P. lia.
  - right. split; [|exists from; auto]. destruct (Void _ _ V).
    destruct (Z.ltb_spec prefix (lower from length)); [lia|]. destruct (Z.ltb_spec prefix (upper from length)); [reflexivity|lia].
Qed.
Lemma stuck_never_ends fuel : forall steps length prefix tape, (0 <= prefix < 2 ^ Z.of_nat length)%Z -> stuck length prefix ->
  iterate (fun state => run (settle_step lower upper patience step state) fuel) steps (length, prefix) tape = None.
Proof.
  induction steps as [|steps IH]; intros length prefix tape Hp St; cbn [iterate]; auto.
  assert (N := stuck_never_found (patience length) length prefix Hp St). unfold settle_step at 1.
  destruct (scan lower upper (patience length) length prefix 0) as [c found]. cbn [snd] in N. subst found. cbn [run].
  destruct (run (bits step) fuel tape) as [[more t]|] eqn:E; auto. destruct (run_bits_reads _ _ _ _ _ E) as [_ B].
  apply IH; [now apply prefix_grows|now apply stuck_later].
Qed.

Theorem known_settle_decides fuel length prefix tape result : (0 <= prefix < 2 ^ Z.of_nat length)%Z ->
  run (settle_table lower upper patience step length prefix) fuel tape = Some result -> run (settle_table lower' upper' patience step length prefix) fuel tape = Some result.
Proof.
  unfold settle_table. cbn [run]. generalize fuel at 2 4. intros steps. revert length prefix tape.
  induction steps as [|steps IH]; intros length prefix tape Hp; cbn [iterate]; [discriminate|].
  destruct (scan_known_or_stuck length prefix Hp (patience length) O ltac:(lia)) as [S|[N St]].
  - assert (R : run (settle_step lower upper patience step (length, prefix)) fuel tape = run (settle_step lower' upper' patience step (length, prefix)) fuel tape).
    { unfold settle_step. rewrite S. reflexivity. }
    rewrite <- R. destruct (run (settle_step lower upper patience step (length, prefix)) fuel tape) as [[[next|a] t]|] eqn:E; auto.
    unfold settle_step in E. destruct (scan lower upper (patience length) length prefix 0) as [c found]. destruct found; [discriminate|]. cbn [run] in E.
    destruct (run (bits step) fuel tape) as [[more t']|] eqn:B; [|discriminate]. injection E as <- <-. apply IH. apply prefix_grows; auto. exact (proj2 (run_bits_reads _ _ _ _ _ B)).
  - intros H. exfalso. assert (K := stuck_never_ends fuel (S steps) length prefix tape Hp St). cbn [iterate] in K. rewrite K in H. discriminate.
Qed.
End Known.

(** True floors go on where recorded ones end. *)
Lemma true_floors_known G precision width list : (width <= precision)%nat -> floors_of G precision list -> let f := cut_off precision width list in
  known_bounds (floor_lower f) (floor_upper f) (fun cell => true_floor (G cell)) (fun cell length => true_floor (G cell) length + 1)%Z (unrecorded precision list).
Proof.
  intros Hw HF f. split; [|split; [|split; [|split]]].
  - intros cell length length'. unfold unrecorded. lia.
  - exact (unrecorded_is_void precision width list Hw).
  - exact (recorded_or_not G precision width list Hw HF).
  - intros cell length. lia.
  - intros cell length more. destruct (true_floor_spec (G cell) (length + more)) as [A _]. destruct (true_floor_spec (G cell) length) as [_ B].
    assert (true_floor (G cell) (length + more) < (true_floor (G cell) length + 1) * 2 ^ Z.of_nat more)%Z; [|lia].
    apply lt_IZR. rewrite mult_IZR, plus_IZR, <- pow_IZR. eapply Rle_lt_trans; [exact A|]. rewrite pow_add, <- Rmult_assoc.
    apply Rmult_lt_compat_r; [apply pow_lt; lra|exact B].
Qed.
Lemma true_floors_enclose_cells G : cells_enclose G (fun cell => true_floor (G cell)) (fun cell length => true_floor (G cell) length + 1)%Z.
Proof. split; [apply true_floors_enclose|apply true_floors_tighten]. Qed.

(** ** Parts of fixed work: the same words, and exact paths one of which is a part of the other *)
Section Parts.
Variables (most : nat) (W : Type) (words_of : Program W) (says : W -> Trial Z) (path path' : W -> Program (option Z)) (is_words : W -> Prop).
Hypothesis words_give : gives words_of is_words.
Hypothesis path_is_part : forall words, is_words words -> part_of most (path words) (path' words).
Let c := Build_Construction W words_of says path.
Let c' := Build_Construction W words_of says path'.

Lemma traced_is_part : part_of most (traced c) (traced c').
Proof.
  apply part_of_loop. intros trace. apply part_of_bind with (fun _ => True); [|now intros ? ? ? ?|intros both _; apply part_of_itself].
  apply part_of_bind with is_words; [apply part_of_itself|exact words_give|]. intros words Hw. destruct (ambiguous _); [|apply part_of_itself].
  apply part_of_bind with (fun _ => True); [|now intros ? ? ? ?|intros settled _; apply part_of_itself].
  apply part_of_bind with (fun _ => True); [now apply path_is_part|now intros ? ? ? ?|intros found _; apply part_of_itself].
Qed.
Lemma settled_each_is_part words : List.Forall is_words words -> part_of most (settled_each c words) (settled_each c' words).
Proof.
  induction 1 as [|w words Hw H IH]; cbn [settled_each]; [apply part_of_itself|].
  apply part_of_bind with (fun _ => True); [|now intros ? ? ? ?|].
  - cbn [trial c c' exact_path]. destruct (ambiguous (says w)); [now apply path_is_part|apply part_of_itself].
  - intros found _. apply part_of_bind with (fun _ => True); [exact IH|now intros ? ? ? ?|]. intros more _. apply part_of_itself.
Qed.
Lemma filled_is_part count : part_of most (filled c count) (filled c' count).
Proof.
  apply part_of_loop. intros [samples masks]. unfold fill_step. destruct (count - length samples)%nat as [|missing]; [apply part_of_itself|].
  apply part_of_bind with (List.Forall is_words); [apply part_of_itself|now apply repeated_gives|]. intros words Hw.
  apply part_of_bind with (fun _ => True); [now apply settled_each_is_part|now intros ? ? ? ?|]. intros found _. apply part_of_itself.
Qed.
End Parts.

(** ** On all floors *)
Definition whole_of (decay : Decay) (w : nat) : R := real (Lim_seq (fun m => sum_below m (fun b => weight_of decay (b * w)))).
Lemma whole_is_total decay w : positive_decay decay -> (0 < w)%nat -> is_bucket_total decay w (whole_of decay w).
Proof.
  intros HD Hw. assert (E : exists total : R, is_bucket_total decay w total).
  { destruct decay as [n d|n d]; destruct HD; [now apply laplace_buckets_have_a_sum|now apply gaussian_buckets_have_a_sum]. }
  destruct E as [total E]. unfold is_bucket_total, whole_of in *. now rewrite (is_lim_seq_unique _ _ E).
Qed.
(** What the tables' floors are of. *)
Definition first_share (decay : Decay) (s : FixedSampler) : nat -> R :=
  match s with
  | Direct _ _ => table_share decay
  | GaussianBuckets _ _ _ places _ => bucket_share decay (2 ^ places) (whole_of decay (2 ^ places))
  | NarrowDigits _ _ _ => digit_share (weight_of decay (2 ^ 0)) base
  | LaplaceDigits _ _ _ places _ _ => digit_share (weight_of decay (2 ^ places)) base
  end.
Definition second_share (decay : Decay) (s : FixedSampler) : nat -> R :=
  match s with
  | Direct _ _ | GaussianBuckets _ _ _ _ _ => first_share decay s
  | NarrowDigits _ _ _ => rest_share (weight_of decay (2 ^ 0)) base
  | LaplaceDigits _ _ _ places _ _ => rest_share (weight_of decay (2 ^ places)) base
  end.
Definition exact_construction (decay : Decay) (s : FixedSampler) : option Construction :=
  construction_over s (fun cell => true_floor (first_share decay s cell)) (fun cell length => true_floor (first_share decay s cell) length + 1)%Z
    (fun cell => true_floor (second_share decay s cell)) (fun cell length => true_floor (second_share decay s cell) length + 1)%Z.

(** The sampler's floors are among the recorded, as those of its law, and its first look is of the digits of a
    word. *)
Definition recorded_as (cells : list RecordedCells) (last_digits : list RecordedDigits) (decay : Decay) (s : FixedSampler) : Prop :=
  match s with
  | Direct w f => In (Build_RecordedCells decay 0 true f) cells /\ width f = digits_of w
  | GaussianBuckets w n d places f =>
      decay = GaussianDecay n d /\ In (Build_RecordedCells decay places false f) cells /\ width f = digits_of w /\ (places <= 64)%nat
  | NarrowDigits w low high =>
      exists n d, decay = LaplaceDecay n d /\ In (Build_RecordedDigits n d 0 low) last_digits /\ In (Build_RecordedCells decay 3 false high) cells
      /\ width low = digits_of w /\ width high = digits_of w
  | LaplaceDigits w n d places low high =>
      decay = LaplaceDecay n d /\ In (Build_RecordedDigits n d places low) last_digits /\ In (Build_RecordedCells decay (places + 3) false high) cells
      /\ width low = digits_of w /\ width high = digits_of w /\ (places <= 64)%nat
  end.

(** The two tables' recorded floors are those of their shares. *)
Definition floors_are_of (G : nat -> R) (w : Word) (f : Floors) : Prop :=
  (digits_of w <= precision f)%nat /\ f = cut_off (precision f) (digits_of w) (floors f) /\ floors_of G (precision f) (floors f).
Lemma rest_is_bucket_share n d places (total : R) : (0 < n)%Z -> (0 < d)%Z -> is_bucket_total (LaplaceDecay n d) (2 ^ (places + 3)) total ->
  forall j, rest_share (ratio n d ^ (2 ^ places)) base j = bucket_share (LaplaceDecay n d) (2 ^ (places + 3)) total j.
Proof.
  intros Hn Hd HS j. assert (W : (0 < 2 ^ (places + 3))%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  rewrite (laplace_bucket_share n d _ total j Hn Hd W HS). unfold rest_share. rewrite Nat.pow_add_r. change (2 ^ 3)%nat with base.
  rewrite pow_mult, !(pow_mult _ (2 ^ places) base). set (b := (ratio n d ^ 2 ^ places) ^ base). simpl. field.
Qed.
Lemma floors_ext G G' precision list : (forall j, G j = G' j) -> floors_of G' precision list -> floors_of G precision list.
Proof. intros E H cell floor Hc. rewrite E. now apply H. Qed.

Section Checked.
Variables (cells : list RecordedCells) (last_digits : list RecordedDigits) (decay : Decay) (s : FixedSampler).
Hypotheses (cells_are_held : forallb fixed_cells_hold cells = true) (digits_are_held : forallb digits_hold last_digits = true) (as_recorded : recorded_as cells last_digits decay s).

Definition word_of (s : FixedSampler) : Word := match s with Direct w _ | GaussianBuckets w _ _ _ _ | NarrowDigits w _ _ | LaplaceDigits w _ _ _ _ _ => w end.
Lemma tables_are_of : positive_decay decay /\ floors_are_of (first_share decay s) (word_of s) (first_floors s) /\ floors_are_of (second_share decay s) (word_of s) (second_floors s).
Proof.
  assert (Cells : forall places folded w f, In (Build_RecordedCells decay places folded f) cells -> width f = digits_of w ->
    positive_decay decay /\ (digits_of w <= precision f)%nat /\ f = cut_off (precision f) (digits_of w) (floors f)
    /\ (folded = true -> places = O -> floors_of (table_share decay) (precision f) (floors f))
    /\ (folded = false -> forall total, is_bucket_total decay (2 ^ places) total -> floors_of (bucket_share decay (2 ^ places) total) (precision f) (floors f))).
  { intros places folded w f I E. apply forallb_forall with (x := Build_RecordedCells decay places folded f) in cells_are_held; auto.
    rewrite <- E. exact (checked_fixed_cells _ cells_are_held). }
  assert (Digits : forall n d places w f, In (Build_RecordedDigits n d places f) last_digits -> width f = digits_of w ->
    floors_are_of (digit_share (ratio n d ^ (2 ^ places)) base) w f).
  { intros n d places w f I E. apply forallb_forall with (x := Build_RecordedDigits n d places f) in digits_are_held; auto.
    destruct (checked_digits _ digits_are_held) as (_ & _ & A & B & _ & C). cbn [of_digits scale_n scale_d digit_places] in *. rewrite E in A, B. now split. }
  destruct s as [w f|w n d places f|w low high|w n d places low high]; cbn [recorded_as first_share second_share first_floors second_floors word_of] in *.
  - destruct as_recorded as [I E]. destruct (Cells O true w f I E) as (HD & A & B & F & _). split; [exact HD|]. split; (split; [exact A|split; [exact B|now apply F]]).
  - destruct as_recorded as (ED & I & E & _). destruct (Cells places false w f I E) as (HD & A & B & _ & F). split; [exact HD|].
    assert (W : (0 < 2 ^ places)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
    split; (split; [exact A|split; [exact B|apply F; [reflexivity|now apply whole_is_total]]]).
  - destruct as_recorded as (n & d & ED & ID & I & EL & E). destruct (Cells 3%nat false w high I E) as (HD & A & B & _ & F). split; [exact HD|].
    split; [subst decay; exact (Digits n d O w low ID EL)|]. split; [exact A|]. split; [exact B|]. subst decay. destruct HD as [Hn Hd].
    assert (T := whole_is_total (LaplaceDecay n d) (2 ^ 3) (conj Hn Hd) ltac:(simpl; lia)).
    apply floors_ext with (2 := F eq_refl _ T). exact (rest_is_bucket_share n d 0 _ Hn Hd T).
  - destruct as_recorded as (ED & ID & I & EL & E & _). destruct (Cells (places + 3)%nat false w high I E) as (HD & A & B & _ & F). split; [exact HD|].
    split; [subst decay; exact (Digits n d places w low ID EL)|]. split; [exact A|]. split; [exact B|]. subst decay. destruct HD as [Hn Hd].
    assert (T := whole_is_total (LaplaceDecay n d) (2 ^ (places + 3)) (conj Hn Hd) ltac:(apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia)).
    apply floors_ext with (2 := F eq_refl _ T). exact (rest_is_bucket_share n d places _ Hn Hd T).
Qed.
(** Of the last digit's eight floors the first seven are listed. *)
Lemma low_digits : match s with NarrowDigits _ low _ | LaplaceDigits _ _ _ _ low _ => length (firstn 7 (first low)) = (base - 1)%nat | _ => True end.
Proof.
  assert (Digits : forall n d places f, In (Build_RecordedDigits n d places f) last_digits -> length (firstn 7 (first f)) = (base - 1)%nat).
  { intros n d places f I. apply forallb_forall with (x := Build_RecordedDigits n d places f) in digits_are_held; auto.
    destruct (checked_digits _ digits_are_held) as (_ & _ & _ & B & L & _). cbn [of_digits] in *. rewrite B. cbn [first cut_off]. rewrite firstn_length, map_length, L. reflexivity. }
  destruct s as [w f|w n d places f|w low high|w n d places low high]; cbn [recorded_as] in as_recorded; auto.
  - destruct as_recorded as (n & d & _ & I & _). exact (Digits _ _ _ _ I).
  - destruct as_recorded as (_ & I & _). exact (Digits _ _ _ _ I).
Qed.

Lemma below_1 r x : 1 - r = x -> 0 < x -> r < 1.
Proof. lra. Qed.
(** What the law of a construction says: the reference's, its trials end, and some are accepted. *)
Definition is_lawful (c : Construction) (noise : Program Z) : Prop :=
  same_law noise (fixed_sampler (draw c) (trial c) (shown c))
  /\ total (fixed_step (draw c) (trial c) (shown c)) = 1 /\ retry_share (fixed_step (draw c) (trial c) (shown c)) < 1.
Lemma shown_law c words : same_law (Bind (shown c words) (fun settled => Return (snd settled))) (exact_path c words).
Proof.
  intros g Hg. rewrite expect_bind by auto. unfold shown. rewrite expect_bind by (intros ?; apply expect_unit; intros ?; apply Hg).
  apply expect_ext. intros found. now rewrite !expect_return.
Qed.
Lemma table_share_spec : positive_decay decay ->
  (forall j, 0 <= table_share decay j < 1) /\ (forall j, table_share decay j <= table_share decay (S j)) /\ is_lim_seq (table_share decay) 1.
Proof.
  clear. intros HD. destruct decay as [n d|n d]; destruct HD as [Hn Hd]; cbn [table_share]; apply up_to_unit.
  - intros y. rewrite laplace_probability by auto. assert (He := ratio_bounds n d Hn Hd). apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply exp_pos].
  - rewrite <- (laplace_total n d) by auto. apply total_is_sum.
  - intros y. apply Rdiv_lt_0_compat; [apply exp_pos|]. exact (proj2 (gaussian_normaliser_is_sum n d Hn Hd)).
  - rewrite <- (gaussian_total n d) by auto. eapply is_lim_seq_ext; [|apply total_is_sum]. intros N. unfold sum_within.
    f_equal; apply sum_below_ext; intros i _; now apply gaussian_probability.
Qed.
Lemma stated_error_nonneg w last : (0 <= last)%Z -> (0 <= stated_error (slack_of w) (polynomial_error w) 1 last)%Z.
Proof.
  clear. intros HL. unfold stated_error. assert (P : (0 <= polynomial_error w)%Z) by (destruct w; vm_compute; discriminate).
  assert (S : (0 <= slack_of w)%Z) by (destruct w; cbn; lia). assert (0 <= ((1 + slack_of w) * last + slack_of w) * 7 / 10)%Z by (apply Z.div_pos; nia). lia.
Qed.
Lemma listed_of G w f : floors_are_of G w f -> are_floors G (digits_of w) (listed w f) /\ are_floors G (digits_of w) (firstn 7 (first f)).
Proof.
  clear. intros (A & B & C). assert (K := first_are_floors G _ _ _ A C). rewrite <- B in K. split; [now apply listed_are_floors|now apply firstn_are_floors].
Qed.

(** The law of fixed work on all floors, with the words, coefficients, C, A and E that are replayed: of these
    and of the floors nothing is assumed. *)
Theorem exact_construction_has_the_law exact : exact_construction decay s = Some exact -> is_lawful exact (reference decay).
Proof.
  assert (Tables := tables_are_of). assert (Low := low_digits). assert (Patient := patience_is_enough). unfold exact_construction.
  destruct s as [w f|w n d places f|w low high|w n d places low high];
    cbn [construction_over recorded_as first_share second_share first_floors second_floors word_of] in *; destruct Tables as (HD & F1 & F2).
  - intros [= <-]. unfold is_lawful. set (c := {| draw := _ |}). destruct (listed_of _ _ _ F1) as [LF _]. destruct (table_share_spec HD) as (U & Rise & Lim).
    destruct (direct_is_table (digits_of w) 64 0 (listed w f) _ _ patience (table_share decay) U Rise Lim ltac:(lia) (true_floors_enclose_cells _) LF Patient
      (shown c) (shown_law c)) as (_ & T & R0 & _).
    split; [|split; [exact T|apply (Rle_lt_trans _ 0); [right; exact R0|lra]]].
    destruct decay as [n d|n d]; destruct HD as [Hn Hd]; cbn [table_share reference] in *.
    + exact (fixed_direct_laplace_exact n d (digits_of w) 64 0 (listed w f) _ _ patience unit (shown c) Hn Hd ltac:(lia) Patient (true_floors_enclose_cells _) LF (shown_law c)).
    + exact (fixed_direct_gaussian_exact n d (digits_of w) 64 0 (listed w f) _ _ patience unit (shown c) Hn Hd ltac:(lia) Patient (true_floors_enclose_cells _) LF (shown_law c)).
  - destruct as_recorded as (-> & _ & _ & Hplaces). destruct HD as [Hn Hd]. destruct (factor_of w _ _) as [factor|] eqn:EF; [|discriminate].
    intros [= <-]. unfold is_lawful. set (c := {| draw := _ |}). destruct (listed_of _ _ _ F1) as [LF _].
    assert (W : (0 < 2 ^ places)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
    assert (HS := whole_is_total (GaussianDecay n d) (2 ^ places) (conj Hn Hd) W). set (total := whole_of (GaussianDecay n d) (2 ^ places)) in *.
    set (last := (2 * Z.of_nat (length (listed w f)) + 1)%Z) in *. assert (Hlast : (0 <= last)%Z) by (unfold last; lia).
    destruct (shipped_gaussian_exact w factor n d (digits_of w) places (64 - places) 64 0 (listed w f) _ _ patience last _
      (decay_lower (GaussianDecay n d) places) (decay_upper (GaussianDecay n d) places) total unit (shown c)
      ltac:(destruct w; cbn [word_bits]; lia) Hn Hd ltac:(lia) Patient (stated_error_nonneg w last Hlast) EF HS (true_floors_enclose_cells _) LF
      (decay_bounds_enclose (GaussianDecay n d) places (conj Hn Hd)) ltac:(unfold last; lia) eq_refl (shown_law c)) as (L & T & R & _).
    split; [exact L|]. split; [exact T|]. apply (below_1 _ _ R). destruct (gaussian_normaliser_is_sum n d Hn Hd) as [_ N].
    assert (T0 : 0 < total) by (destruct (shares_rise (fun b => gaussian_decay n d (b * 2 ^ places)) total (fun b => exp_pos _) HS); auto).
    apply Rdiv_lt_0_compat; auto. repeat apply Rmult_lt_0_compat; auto; [lra|apply lt_0_INR; lia].
  - destruct as_recorded as (n & d & -> & _). destruct HD as [Hn Hd]. intros [= <-]. unfold is_lawful. set (c := {| draw := _ |}).
    cbn [weight_of] in *. unfold laplace_decay in *. set (Q := ratio n d ^ (2 ^ 0)) in *. assert (He := ratio_bounds n d Hn Hd).
    assert (HQ : 0 < Q < 1) by (unfold Q; simpl; rewrite Rmult_1_r; exact He).
    assert (LL := Low).
    destruct (listed_of _ _ _ F1) as [_ LF]. destruct (listed_of _ _ _ F2) as [LH _].
    assert (One : forall b o, (0 <= o < 2 ^ Z.of_nat 0)%Z -> laplace_decay n d (b * 2 ^ 0 + Z.to_nat o) / laplace_decay n d (b * 2 ^ 0) = 1).
    { intros b o Ho. replace o with 0%Z by (simpl in Ho; lia). simpl Z.to_nat. rewrite Nat.add_0_r. unfold laplace_decay. apply Rinv_r. apply pow_nonzero. lra. }
    destruct (fixed_laplace_exact n d (digits_of w) 0 0 0 64 0 0 base (firstn 7 (first low)) (listed w high) _ _ _ _ patience
      (fun _ _ => 1%Z) 0 (fun _ _ length => 2 ^ Z.of_nat length)%Z (fun _ _ length => 2 ^ Z.of_nat length)%Z unit (shown c)
      Hn Hd ltac:(lia) ltac:(unfold base; lia) Patient ltac:(lia) (true_floors_enclose_cells _) (true_floors_enclose_cells _) LF LL LH) as (L & T & R).
    + split; [intros b o length Ho; rewrite (One b o Ho), <- pow_IZR; lra|intros b o Ho; exists 0; intros length; lra].
    + intros b o. simpl. lia.
    + intros b o Ho. rewrite (One b o Ho). simpl. lra.
    + exact (shown_law c).
    + split; [exact L|]. split; [exact T|]. apply (below_1 _ _ R). fold Q.
      apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|lra]|simpl; lra].
  - destruct as_recorded as (-> & _ & _ & _ & _ & Hplaces). destruct HD as [Hn Hd]. destruct (factor_of w _ _) as [factor|] eqn:EF; [|discriminate].
    intros [= <-]. unfold is_lawful. set (c := {| draw := _ |}).
    cbn [weight_of] in *. unfold laplace_decay in *. set (Q := ratio n d ^ (2 ^ places)) in *. assert (He := ratio_bounds n d Hn Hd).
    assert (W : (0 < 2 ^ places)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
    assert (HQ : 0 < Q < 1) by (unfold Q; replace (2 ^ places)%nat with (S (2 ^ places - 1)) by lia; now apply power_falls).
    assert (LL := Low).
    destruct (listed_of _ _ _ F1) as [_ LF]. destruct (listed_of _ _ _ F2) as [LH _].
    destruct (shipped_laplace_exact w factor n d (digits_of w) places (64 - places) 64 0 0 base (firstn 7 (first low)) (listed w high) _ _ _ _ patience _
      (decay_lower (LaplaceDecay n d) places) (decay_upper (LaplaceDecay n d) places) unit (shown c)
      ltac:(destruct w; cbn [word_bits]; lia) Hn Hd ltac:(lia) ltac:(unfold base; lia) Patient (stated_error_nonneg w 1 ltac:(lia)) EF
      (true_floors_enclose_cells _) (true_floors_enclose_cells _) LF LL LH (decay_bounds_enclose (LaplaceDecay n d) places (conj Hn Hd)) eq_refl (shown_law c)) as (L & T & R).
    split; [exact L|]. split; [exact T|]. apply (below_1 _ _ R). fold Q.
    apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|lra]|]. apply Rmult_lt_0_compat; [lra|apply lt_0_INR; lia].
Qed.

(** Wherever what is replayed ends, that on all floors does the same: with the same trials ambiguous. *)
Lemma settle_is_part most G w f u : floors_are_of G w f -> (0 <= u < 2 ^ Z.of_nat (digits_of w))%Z ->
  part_of most (settle_table (floor_lower f) (floor_upper f) patience 64 (digits_of w) u)
    (settle_table (fun cell => true_floor (G cell)) (fun cell length => true_floor (G cell) length + 1)%Z patience 64 (digits_of w) u).
Proof.
  clear. intros (A & B & C) Hu fuel tape result _. assert (K := true_floors_known G _ _ _ A C). cbv zeta in K. rewrite <- B in K.
  exact (known_settle_decides _ _ _ _ patience 64 _ K fuel (digits_of w) u tape result Hu).
Qed.
Lemma place_settle_is_part A B most (settle settle' : A -> B -> Program nat) places width step lower upper a negative b o v :
  part_of most (settle a b) (settle' a b) ->
  part_of most (place_settle settle places width step lower upper (a, negative, b, o, v)) (place_settle settle' places width step lower upper (a, negative, b, o, v)).
Proof.
  clear. intros H. unfold place_settle. apply part_of_bind with (fun _ => True); [exact H|now intros ? ? ? ?|]. intros bucket _. apply part_of_itself.
Qed.
Lemma draw_words_give A B (first : Program A) (second : Program B) (of_first : A -> Prop) (of_second : B -> Prop) places unused width : gives first of_first -> gives second of_second ->
  gives (draw_words first second places unused width) (fun words => let '(a, _, b, _, _) := words in of_first a /\ of_second b).
Proof.
  clear. intros F S. unfold draw_words. apply bind_gives with (1 := F). intros a Ha. apply bind_gives with (fun _ => True); [now intros ? ? ? ?|]. intros negative _.
  apply bind_gives with (1 := S). intros b Hb. apply bind_gives with (fun _ => True); [now intros ? ? ? ?|]. intros o _.
  apply bind_gives with (fun _ => True); [now intros ? ? ? ?|]. intros x _. apply bind_gives with (fun _ => True); [now intros ? ? ? ?|]. intros v _. now apply return_gives.
Qed.
Lemma second_word_gives digits : gives (second_word digits) (fun u => 0 <= u < 2 ^ Z.of_nat digits)%Z.
Proof. clear. apply bind_gives with (1 := bits_give digits). intros u Hu. apply bind_gives with (fun _ => True); [now intros ? ? ? ?|]. intros x _. now apply return_gives. Qed.
Lemma digits_settle_is_part most G H w low high u u' : floors_are_of G w low -> floors_are_of H w high ->
  (0 <= u < 2 ^ Z.of_nat (digits_of w))%Z -> (0 <= u' < 2 ^ Z.of_nat (digits_of w))%Z ->
  part_of most (digits_settle (digits_of w) 64 base (floor_lower low) (floor_upper low) (floor_lower high) (floor_upper high) patience u u')
    (digits_settle (digits_of w) 64 base (fun cell => true_floor (G cell)) (fun cell length => true_floor (G cell) length + 1)%Z
      (fun cell => true_floor (H cell)) (fun cell length => true_floor (H cell) length + 1)%Z patience u u').
Proof.
  clear. intros FL FH Hu Hu'. unfold digits_settle. apply part_of_bind with (fun _ => True); [now apply settle_is_part|now intros ? ? ? ?|]. intros l _.
  apply part_of_bind with (fun _ => True); [now apply settle_is_part|now intros ? ? ? ?|]. intros h _. apply part_of_itself.
Qed.

Theorem replayed_fixed_is_part_of_exact c : construction s = Some c -> exists exact, exact_construction decay s = Some exact
  /\ (forall fuel tape result, run (traced c) fuel tape = Some result -> run (traced exact) fuel tape = Some result)
  /\ forall count fuel tape result, run (filled c count) fuel tape = Some result -> run (filled exact count) fuel tape = Some result.
Proof.
  assert (Tables := tables_are_of). unfold exact_construction, construction.
  assert (All : forall W (words_of : Program W) says path path' is_words, gives words_of is_words -> (forall most words, is_words words -> part_of most (path words) (path' words)) ->
    let one := Build_Construction W words_of says path in let exact := Build_Construction W words_of says path' in
    (forall fuel tape result, run (traced one) fuel tape = Some result -> run (traced exact) fuel tape = Some result)
    /\ forall count fuel tape result, run (filled one count) fuel tape = Some result -> run (filled exact count) fuel tape = Some result).
  { intros W words_of says path path' is_words G P one exact. split.
    - intros fuel tape result. apply (traced_is_part (length tape) W words_of says path path' is_words G (P (length tape))). lia.
    - intros count fuel tape result. apply (filled_is_part (length tape) W words_of says path path' is_words G (P (length tape))). lia. }
  destruct s as [w f|w n d places f|w low high|w n d places low high];
    cbn [construction_over first_share second_share first_floors second_floors word_of] in *; destruct Tables as (HD & F1 & F2).
  - intros [= <-]. eexists. split; [reflexivity|]. apply All with (is_words := fun words : Z * bool => (0 <= fst words < 2 ^ Z.of_nat (digits_of w))%Z).
    + apply bind_gives with (1 := bits_give (digits_of w)). intros u Hu. apply bind_gives with (fun _ => True); [now intros ? ? ? ?|]. intros negative _. now apply return_gives.
    + intros most words Hw. apply part_of_bind with (fun _ => True); [now apply settle_is_part|now intros ? ? ? ?|]. intros m _. apply part_of_itself.
  - destruct (factor_of w _ _) as [factor|]; [|discriminate]. intros [= <-]. eexists. split; [reflexivity|].
    apply All with (1 := draw_words_give _ _ _ _ (fun u => 0 <= u < 2 ^ Z.of_nat (digits_of w))%Z (fun _ => True) _ _ _ (bits_give _) (fun _ _ _ _ _ => I)).
    intros most [[[[u negative] none] o] v] [Hu _]. apply place_settle_is_part. now apply settle_is_part.
  - intros [= <-]. eexists. split; [reflexivity|].
    apply All with (1 := draw_words_give _ _ _ _ (fun u => 0 <= u < 2 ^ Z.of_nat (digits_of w))%Z (fun u => 0 <= u < 2 ^ Z.of_nat (digits_of w))%Z _ _ _ (bits_give _) (second_word_gives _)).
    intros most [[[[u negative] u'] o] v] [Hu Hu']. apply place_settle_is_part. now apply digits_settle_is_part.
  - destruct (factor_of w _ _) as [factor|]; [|discriminate]. intros [= <-]. eexists. split; [reflexivity|].
    apply All with (1 := draw_words_give _ _ _ _ (fun u => 0 <= u < 2 ^ Z.of_nat (digits_of w))%Z (fun u => 0 <= u < 2 ^ Z.of_nat (digits_of w))%Z _ _ _ (bits_give _) (second_word_gives _)).
    intros most [[[[u negative] u'] o] v] [Hu Hu']. apply place_settle_is_part. now apply digits_settle_is_part.
Qed.
Lemma construction_of_exact exact : exact_construction decay s = Some exact -> exists c, construction s = Some c.
Proof.
  clear. unfold exact_construction, construction. destruct s; cbn [construction_over]; try (destruct (factor_of _ _ _); [|discriminate]); intros _; eexists; reflexivity.
Qed.

(** ** What a whole replay says of fixed work *)

(** The samples of a slice, without what is shown. *)
Definition samples_of (c : Construction) (count : nat) : Program (list Z) := Bind (filled c count) (fun both => Return (fst both)).
(** Which trials were ambiguous, the first first. *)
Definition shown_trials (trace : list (option unit)) : list Z := rev (map (fun seen => match seen with Some _ => 1%Z | None => 0%Z end) trace).

(** With nothing assumed but what the kernel found: the reference's law, of one sample, with or without what it
    shows, and of slices; and on what was recorded, what the shipped Rust gave and disclosed. *)
Theorem checked_fixed_work_is_exact ones slices exact : forallb one_holds ones = true -> forallb filled_holds slices = true -> exact_construction decay s = Some exact ->
  is_lawful exact (reference decay) /\ fills_as (samples_of exact) (reference decay)
  /\ (forall r, In r ones -> one_of r = s -> exists trace, run (traced exact) enough (tape_of (one_tape r)) = Some ((trace, one_output r), []) /\ shown_trials trace = one_trace r)
  /\ (forall r, In r slices -> filled_of r = s -> run (filled exact (length (samples r))) enough (tape_of (filled_tape r)) = Some ((samples r, masks r), [])).
Proof.
  intros HO HF E. assert (L := exact_construction_has_the_law exact E). destruct (construction_of_exact exact E) as [c C].
  destruct (replayed_fixed_is_part_of_exact c C) as (exact' & E' & P1 & P2). rewrite E in E'. injection E' as <-.
  destruct tables_are_of as (HD & _). split; [exact L|]. split; [|split].
  - destruct L as (L1 & _ & L3). apply (fills_by_the_law _ (fixed_sampler (draw exact) (trial exact) (shown exact)));
      [intros count; now apply fixed_fill_is_draws|now apply same_law_sym|now apply reference_total].
  - intros r I S. apply forallb_forall with (x := r) in HO; auto. unfold one_holds in HO. rewrite S, C in HO.
    destruct (run (traced c) enough (tape_of (one_tape r))) as [[[trace output] [|bit rest]]|] eqn:R; try discriminate.
    apply andb_true_iff in HO. destruct HO as [O1 O2]. apply Z.eqb_eq in O1. apply equal_lists_sound in O2. subst output. exists trace. split; [now apply P1|exact O2].
  - intros r I S. apply forallb_forall with (x := r) in HF; auto. unfold filled_holds in HF. rewrite S, C in HF.
    destruct (run (filled c (length (samples r))) enough (tape_of (filled_tape r))) as [[[drawn seen] [|bit rest]]|] eqn:R; try discriminate.
    apply andb_true_iff in HF. destruct HF as [O1 O2]. apply equal_lists_sound in O1, O2. subst drawn seen. now apply P2.
Qed.
Theorem checked_fixed_work_is_private exact : exact_construction decay s = Some exact ->
  private_as_noise decay (fixed_sampler (draw exact) (trial exact) (shown exact)) /\ private_as_filled decay (samples_of exact).
Proof.
  intros E. destruct (checked_fixed_work_is_exact [] [] exact eq_refl eq_refl E) as ((L & _) & F & _). destruct tables_are_of as (HD & _).
  split; [|now apply fills_are_private].
  intros sensitivity answer answer' HS. destruct decay as [n d|n d]; destruct HD as [Hn Hd]; [now apply any_laplace_private|now apply any_gaussian_zcdp].
Qed.
End Checked.
