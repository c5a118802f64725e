(** [fill] on all floors. The program that slices are replayed on ends with the recorded floors, so that it has
    not quite the law; the one that goes on with the true floors has, and is private as noise of a vector. And
    wherever a replayed slice ends, it does the same. *)
Require Import Reals Lra Lia List ZArith Bool Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Laplace Gaussian.
From Certus.privacy Require Import Definitions Zcdp LaplaceVector Transfer Queries Draws.
From Certus.fast Require Import LazyInversion LazyCoin Table Buckets Agreement.
From Certus.replay Require Import FastModel Enclosures Replay Extension BucketExtension Cells CheckedCells CheckedReplay CheckedPrivacy FixedReplay BulkReplay BulkExact.
Import ListNotations.

(** ** Parts of programs *)

(** Whatever the one does on a tape of at most so many bits on which it ends, the other does. *)
Definition part_of {A} (most : nat) (p p' : Program A) : Prop :=
  forall fuel tape result, (length tape <= most)%nat -> run p fuel tape = Some result -> run p' fuel tape = Some result.
(** What a program may put out. *)
Definition gives {A} (p : Program A) (possible : A -> Prop) : Prop := forall fuel tape a rest, run p fuel tape = Some (a, rest) -> possible a.

Lemma part_of_itself A most (p : Program A) : part_of most p p.
Proof. intros fuel tape result _ H. exact H. Qed.
Lemma part_of_bind A B most (p p' : Program A) (f f' : A -> Program B) (possible : A -> Prop) : part_of most p p' -> gives p possible ->
  (forall a, possible a -> part_of most (f a) (f' a)) -> part_of most (Bind p f) (Bind p' f').
Proof.
  intros Hp G Hf fuel tape result L. cbn [run]. destruct (run p fuel tape) as [[a rest]|] eqn:E; [|discriminate].
  rewrite (Hp _ _ _ L E). apply Hf; [now apply (G _ _ _ _ E)|]. apply run_rest_is_shorter in E. lia.
Qed.
(** Nothing is known of what the first gives. *)
Lemma part_of_any_bind A B most (p : Program A) (f f' : A -> Program B) : (forall a, part_of most (f a) (f' a)) -> part_of most (Bind p f) (Bind p f').
Proof. intros H. apply part_of_bind with (possible := fun _ => True); [apply part_of_itself|now intros ? ? ? ?|auto]. Qed.
Lemma part_of_loop S A most (step step' : S -> Program (Flow S A)) start : (forall s, part_of most (step s) (step' s)) -> part_of most (Loop step start) (Loop step' start).
Proof.
  intros H fuel tape result. cbn [run]. generalize fuel at 2 4. intros steps. revert start tape.
  induction steps as [|steps IH]; intros s tape L; cbn [iterate]; [discriminate|].
  destruct (run (step s) fuel tape) as [[flow rest]|] eqn:E; [|discriminate]. rewrite (H _ _ _ _ L E).
  destruct flow as [next|output]; auto. apply IH. apply run_rest_is_shorter in E. lia.
Qed.

Lemma bits_give k : gives (bits k) (fun v => 0 <= v < 2 ^ Z.of_nat k)%Z.
Proof. intros fuel tape v rest H. exact (proj2 (run_bits_reads _ _ _ _ _ H)). Qed.
Lemma return_gives A (a : A) (possible : A -> Prop) : possible a -> gives (Return a) possible.
Proof. intros H fuel tape a' rest [= <- _]. exact H. Qed.
Lemma bind_gives A B (p : Program A) (f : A -> Program B) (possible : A -> Prop) (possible' : B -> Prop) : gives p possible ->
  (forall a, possible a -> gives (f a) possible') -> gives (Bind p f) possible'.
Proof.
  intros G H fuel tape b rest. cbn [run]. destruct (run p fuel tape) as [[a t]|] eqn:E; [|discriminate]. apply H. exact (G _ _ _ _ E).
Qed.
Lemma repeated_gives A (p : Program A) (possible : A -> Prop) count : gives p possible -> gives (repeated count p) (List.Forall possible).
Proof.
  intros G. induction count as [|count IH]; cbn [repeated]; [now apply return_gives|].
  apply bind_gives with possible; auto. intros a Ha. apply bind_gives with (List.Forall possible); auto. intros rest Hr. apply return_gives. now constructor.
Qed.

(** ** Parts of slices: the same words, and what they give is a part *)
Section Slices.
Variables (most : nat) (First Second : Type) (first_word : Program First) (second_part : Program Second) (has_second : bool).
Variables (given given' : First -> Second -> Program (Flow unit Z)) (fresh fresh' : Program (Flow unit Z)).
Variables (is_first : First -> Prop) (is_second : Second -> Prop).
Hypotheses (first_gives : gives first_word is_first) (second_gives : gives second_part is_second).
Hypothesis given_is_part : forall a c, is_first a -> is_second c -> part_of most (given a c) (given' a c).
Hypothesis fresh_is_part : part_of most fresh fresh'.
Let b := Build_Bulk First Second first_word second_part has_second given fresh.
Let b' := Build_Bulk First Second first_word second_part has_second given' fresh'.

Lemma each_slot_is_part words : List.Forall (fun w => is_first (fst w) /\ is_second (snd w)) words -> part_of most (each_slot b words) (each_slot b' words).
Proof.
  induction 1 as [|[a c] words [Ha Hc] H IH]; cbn [each_slot]; [apply part_of_itself|].
  apply part_of_bind with (fun _ => True); [|now intros ? ? ? ?|].
  - unfold slot. apply part_of_bind with (fun _ => True); [now apply given_is_part|now intros ? ? ? ?|].
    intros [[]|y] _; [|apply part_of_itself]. apply part_of_loop. intros _. exact fresh_is_part.
  - intros y _. apply part_of_bind with (fun _ => True); [exact IH|now intros ? ? ? ?|]. intros more _. apply part_of_itself.
Qed.
Lemma one_batch_is_part count : part_of most (one_batch b count) (one_batch b' count).
Proof.
  unfold one_batch. apply part_of_bind with (List.Forall is_first); [apply part_of_itself|now apply repeated_gives|]. intros firsts HF.
  apply part_of_bind with (List.Forall is_second); [apply part_of_itself|now apply repeated_gives|]. intros seconds HS.
  apply part_of_any_bind. intros _. apply each_slot_is_part. clear -HF HS. revert seconds HS.
  induction HF as [|a firsts Ha HF IH]; intros seconds HS; cbn [combine]; [constructor|]. destruct HS as [|c seconds Hc HS]; constructor; auto.
Qed.
Lemma fill_is_part count : part_of most (fill b count) (fill b' count).
Proof.
  unfold fill. generalize (count / most_batch)%nat (count mod most_batch)%nat. intros whole rest. induction whole as [|whole IH]; cbn [batches].
  - apply one_batch_is_part.
  - apply part_of_bind with (fun _ => True); [apply one_batch_is_part|now intros ? ? ? ?|]. intros some _.
    apply part_of_bind with (fun _ => True); [exact IH|now intros ? ? ? ?|]. intros more _. apply part_of_itself.
Qed.
End Slices.

(** ** Bounds some of which are void *)
Section Known.
Variables lower upper lower' upper' : nat -> nat -> Z.
Variable patience : nat -> nat.
Variable unknown : nat -> nat -> Prop.
Hypothesis unknown_later : forall cell length length', unknown cell length -> (length <= length')%nat -> unknown cell length'.
Hypothesis unknown_is_void : forall cell length, unknown cell length -> (lower cell length <= 0 /\ 2 ^ Z.of_nat length <= upper cell length)%Z.
Hypothesis equal_or_unknown : forall cell length, (lower cell length = lower' cell length /\ upper cell length = upper' cell length) \/ unknown cell length.

Lemma inversion_is_part most refill length prefix : (0 <= prefix < 2 ^ Z.of_nat length)%Z ->
  part_of most (invert_from lower upper patience refill length prefix) (invert_from lower' upper' patience refill length prefix).
Proof.
  intros Hp fuel tape [cell rest] _ H.
  exact (proj1 (known_bounds_decide lower upper lower' upper' patience refill unknown unknown_later unknown_is_void equal_or_unknown _ _ _ _ _ _ Hp H)).
Qed.

(** A slice of a table's samples that ends by such bounds ends so by those that they are part of. *)
Theorem known_table_fill_decides width refill count fuel tape result : run (fill (table_bulk lower upper patience width refill) count) fuel tape = Some result ->
  run (fill (table_bulk lower' upper' patience width refill) count) fuel tape = Some result.
Proof.
  assert (Words : gives (Bind (bits width) (fun u => Bind Bit (fun negative => Return (u, negative)))) (fun words => 0 <= fst words < 2 ^ Z.of_nat width)%Z).
  { apply bind_gives with (1 := bits_give width). intros u Hu. apply bind_gives with (fun _ => True); [now intros ? ? ? ?|]. intros negative _. now apply return_gives. }
  assert (Given : forall words (none : unit), (0 <= fst words < 2 ^ Z.of_nat width)%Z -> True -> part_of (length tape)
    (given (table_bulk lower upper patience width refill) words none) (given (table_bulk lower' upper' patience width refill) words none)).
  { intros words none Hu _. cbn [table_bulk given]. apply part_of_bind with (fun _ => True); [now apply inversion_is_part|now intros ? ? ? ?|]. intros j _. apply part_of_itself. }
  intros H. refine (fill_is_part (length tape) _ _ _ _ false _ _ _ _ (fun words : Z * bool => 0 <= fst words < 2 ^ Z.of_nat width)%Z (fun _ : unit => True)
    Words _ Given _ count fuel tape result (le_n _) H).
  - now intros ? ? ? ?.
  - apply part_of_bind with (1 := part_of_itself _ _ _) (2 := Words). intros words Hw. exact (Given words tt Hw I).
Qed.

(** … and of buckets', on tapes up to the length to which the acceptance's bounds are equal. *)
Variables accept_lower accept_upper accept_lower' accept_upper' : nat -> Z -> nat -> Z.
Variables prefix high squeeze low unused refill most : nat.
Hypothesis equal_acceptance : forall b o length, (exists l, ~ unknown b l) -> (0 <= o < 2 ^ Z.of_nat (high + low))%Z -> (length <= most)%nat ->
  accept_lower b o length = accept_lower' b o length /\ accept_upper b o length = accept_upper' b o length.

Lemma given_is_part m u v o_high o_low negative : (m + squeeze <= most)%nat -> (0 <= u < 2 ^ Z.of_nat prefix)%Z ->
  (0 <= o_high < 2 ^ Z.of_nat high)%Z -> (0 <= o_low < 2 ^ Z.of_nat low)%Z ->
  part_of m (bucket_given lower upper patience accept_lower accept_upper prefix high squeeze low refill u v o_high o_low negative)
    (bucket_given lower' upper' patience accept_lower' accept_upper' prefix high squeeze low refill u v o_high o_low negative).
Proof.
  intros Hm Hu Hh Ho fuel tape result L. unfold bucket_given. cbn [run].
  destruct (run (invert_from lower upper patience refill prefix u) fuel tape) as [[b t]|] eqn:E; [|discriminate].
  destruct (known_bounds_decide lower upper lower' upper' patience refill unknown unknown_later unknown_is_void equal_or_unknown _ _ _ _ _ _ Hu E) as [E' K].
  rewrite E'. apply run_rest_is_shorter in E.
  rewrite (equal_bounds_equal_coins _ _ (accept_lower' b (place_of low o_high o_low)) (accept_upper' b (place_of low o_high o_low)) refill most); auto; [|lia].
  intros length Hlen. apply equal_acceptance; auto. unfold place_of. rewrite Nat2Z.inj_add, Z.pow_add_r by lia. nia.
Qed.

Theorem known_bucket_fill_decides count fuel tape result : (length tape + squeeze <= most)%nat ->
  run (fill (bucket_bulk lower upper patience accept_lower accept_upper prefix high squeeze low unused refill) count) fuel tape = Some result ->
  run (fill (bucket_bulk lower' upper' patience accept_lower' accept_upper' prefix high squeeze low unused refill) count) fuel tape = Some result.
Proof.
  intros L H. set (m := length tape) in *.
  assert (Fresh : part_of m (bucket_trial lower upper patience accept_lower accept_upper prefix high squeeze low unused refill)
    (bucket_trial lower' upper' patience accept_lower' accept_upper' prefix high squeeze low unused refill)).
  { intros fuel' tape' result' L'. apply (known_trial_decides lower upper lower' upper' patience accept_lower accept_upper accept_lower' accept_upper'
      prefix high squeeze low unused refill most unknown unknown_later unknown_is_void equal_or_unknown equal_acceptance). lia. }
  set (is_first := fun words : Z * Z * Z => (0 <= fst (fst words) < 2 ^ Z.of_nat prefix)%Z /\ (0 <= snd words < 2 ^ Z.of_nat high)%Z).
  set (is_second := fun words : Z * bool => (0 <= fst words < 2 ^ Z.of_nat low)%Z).
  assert (F : gives (bucket_first prefix high squeeze) is_first).
  { apply bind_gives with (1 := bits_give prefix). intros u Hu. apply bind_gives with (1 := bits_give squeeze). intros v _.
    apply bind_gives with (1 := bits_give high). intros o Ho. now apply return_gives. }
  assert (S : gives (bucket_second low) is_second).
  { apply bind_gives with (1 := bits_give low). intros o Ho. apply bind_gives with (fun _ => True); [now intros ? ? ? ?|]. intros negative _. now apply return_gives. }
  assert (G : forall a c, is_first a -> is_second c -> part_of m
    (let '(u, v, o_high) := a in let '(o_low, negative) := c in bucket_given lower upper patience accept_lower accept_upper prefix high squeeze low refill u v o_high o_low negative)
    (let '(u, v, o_high) := a in let '(o_low, negative) := c in bucket_given lower' upper' patience accept_lower' accept_upper' prefix high squeeze low refill u v o_high o_low negative)).
  { intros [[u v] o_high] [o_low negative] [Hu Hh] Ho. now apply given_is_part. }
  revert H. unfold bucket_bulk. destruct low as [|k] eqn:E; intros H.
  - refine (fill_is_part m _ _ _ _ false _ _ _ _ (fun words => is_first (fst words) /\ is_second (snd words)) (fun _ : unit => True) _ _ _ Fresh count fuel tape result (le_n _) H).
    + apply bind_gives with (1 := F). intros a Ha. apply bind_gives with (1 := S). intros c Hc. now apply return_gives.
    + now intros ? ? ? ?.
    + intros [a c] none [Ha Hc] _. now apply G.
  - exact (fill_is_part m _ _ _ _ true _ _ _ _ is_first is_second F S G Fresh count fuel tape result (le_n _) H).
Qed.
End Known.

(** ** On all floors *)
Definition exact_table_bulk (G : nat -> R) (width refill : nat) : Bulk :=
  table_bulk (fun cell => true_floor (G cell)) (fun cell length => true_floor (G cell) length + 1)%Z patience width refill.
Definition extended_bucket_bulk decay list width reach squeeze high low unused refill bounds (bucket_total : R) most : Bulk :=
  let G := bucket_share decay (2 ^ (high + low)) bucket_total in
  bucket_bulk (fun b => true_floor (G b)) (fun b length => true_floor (G b) length + 1)%Z patience
    (extended_accept_lower decay list reach squeeze high low bounds most) (extended_accept_upper decay list squeeze high low bounds most)
    width high squeeze low unused refill.

Section Replayed.
Variables (precision width : nat) (list : list Z).
Hypothesis Hw : (width <= precision)%nat.
Let f := cut_off precision width list.

(** Wherever a replayed slice ends, that on all floors does the same. *)
Theorem replayed_table_fill_is_part_of_exact G refill count fuel tape result : floors_of G precision list ->
  run (fill (table_bulk (floor_lower f) (floor_upper f) patience width refill) count) fuel tape = Some result ->
  run (fill (exact_table_bulk G width refill) count) fuel tape = Some result.
Proof.
  intros HF. apply (known_table_fill_decides _ _ _ _ patience (unrecorded precision list)).
  - intros cell length length'. unfold unrecorded. lia.
  - exact (unrecorded_is_void precision width list Hw).
  - exact (recorded_or_not G precision width list Hw HF).
Qed.
Theorem replayed_bucket_fill_is_part_of_exact decay reach squeeze high low unused refill bounds (bucket_total : R) most count fuel tape result :
  floors_of (bucket_share decay (2 ^ (high + low)) bucket_total) precision list -> (length tape + squeeze <= most)%nat ->
  let w := (2 ^ Z.of_nat (high + low))%Z in
  run (fill (bucket_bulk (floor_lower f) (floor_upper f) patience (accept_lower decay w bounds reach squeeze) (accept_upper decay w bounds squeeze)
    width high squeeze low unused refill) count) fuel tape = Some result ->
  run (fill (extended_bucket_bulk decay list width reach squeeze high low unused refill bounds bucket_total most) count) fuel tape = Some result.
Proof.
  intros HF L w. apply (known_bucket_fill_decides _ _ _ _ patience (unrecorded precision list)) with (most := most); auto.
  - intros cell length length'. unfold unrecorded. lia.
  - exact (unrecorded_is_void precision width list Hw).
  - exact (recorded_or_not (bucket_share decay (2 ^ (high + low)) bucket_total) precision width list Hw HF).
  - intros b o length [l K] Ho Hlen. unfold extended_accept_lower, extended_accept_upper.
    replace (Nat.ltb b (List.length list)) with true by (symmetry; apply Nat.ltb_lt; unfold unrecorded in K; lia).
    replace (Nat.leb length most) with true by (symmetry; apply Nat.leb_le; lia). auto.
Qed.
End Replayed.

(** ** What a whole replay says of slices *)

(** Every number of samples has the product law of the noise, and there is an output for certain. *)
Definition fills_as (filling : nat -> Program (list Z)) (noise : Program Z) : Prop :=
  forall count, (forall outputs, at_output (filling count) outputs = product_law count noise outputs) /\ total (filling count) = 1%R.

Lemma reference_total decay : positive_decay decay -> total (reference decay) = 1%R.
Proof. destruct decay; intros [Hn Hd]; [now apply laplace_total|now apply gaussian_total]. Qed.
Lemma fills_by_the_law filling noise noise' : (forall count, same_law (filling count) (draws count noise)) -> same_law noise noise' -> total noise' = 1%R -> fills_as filling noise'.
Proof.
  intros H L T count. assert (E : same_law (filling count) (draws count noise')).
  { intros g Hg. rewrite (H count g Hg). now apply draws_by_the_law. }
  split; [|rewrite <- (draws_total count noise' T); exact (proj2 (law_decides_events _ _ _ E))].
  intros outputs. rewrite <- draws_are_independent. unfold at_output. now apply same_law_probability.
Qed.
Lemma equal_lists_sound l : forall m, equal_lists l m = true -> l = m.
Proof.
  induction l as [|a l IH]; intros [|b m] H; try discriminate; auto. cbn [equal_lists] in H. apply andb_true_iff in H. destruct H as [H1 H2].
  apply Z.eqb_eq in H1. subst. f_equal. now apply IH.
Qed.
Lemma held_slice_runs r b slices : forallb bulk_holds slices = true -> In r slices -> bulk_of (bulk_sampler r) = Some b ->
  run (fill b (length (bulk_samples r))) enough (tape_of (bulk_tape r)) = Some (bulk_samples r, []).
Proof.
  intros H I E. apply forallb_forall with (x := r) in H; auto. unfold bulk_holds in H. rewrite E in H.
  destruct (run _ _ _) as [[found [|bit rest]]|]; try discriminate. apply equal_lists_sound in H. now subst.
Qed.

(** With nothing assumed but what the kernel found: [fill] on all floors gives independent samples of the
    reference's law, and on every recorded slice what the shipped Rust gave. *)
Theorem checked_table_fills_are_exact cells slices c refill : forallb cells_hold cells = true -> forallb bulk_holds slices = true ->
  In c cells -> folded c = true -> places c = O -> (0 < refill)%nat ->
  let exact := exact_table_bulk (table_share (decay c)) (width (of_cells c)) refill in
  fills_as (fill exact) (reference (decay c))
  /\ forall r, In r slices -> bulk_sampler r = Table (of_cells c) refill ->
     run (fill exact (length (bulk_samples r))) enough (tape_of (bulk_tape r)) = Some (bulk_samples r, []).
Proof.
  intros HC HS I F P Hr exact. assert (L := checked_tables_have_the_law cells [] c refill HC eq_refl I F P Hr).
  apply forallb_forall with (x := c) in HC; auto. destruct (checked_cells c HC) as (HD & Hw & Hf & HF & _). specialize (HF F P). split.
  - apply (fills_by_the_law (fill exact) (exact_table (table_share (decay c)) (width (of_cells c)) refill));
      [intros count; apply table_fill_is_draws|now apply same_law_sym|now apply reference_total].
  - intros r Hin S. apply (replayed_table_fill_is_part_of_exact (precision (of_cells c)) _ (floors (of_cells c)) Hw); auto.
    rewrite <- Hf. apply (held_slice_runs r _ slices HS Hin). now rewrite S.
Qed.
(** The buckets: for every [most] there is such a program, for the slices of at most so many bits, but those of
    a first look. *)
Theorem checked_bucket_fills_are_exact cells slices c reach squeeze high low unused refill bounds : forallb cells_hold cells = true -> forallb bulk_holds slices = true ->
  In c cells -> folded c = false -> places c = (high + low)%nat -> (0 < refill)%nat ->
  exists bucket_total, is_bucket_total (decay c) (2 ^ (high + low)) bucket_total /\ forall most,
  let exact := extended_bucket_bulk (decay c) (floors (of_cells c)) (width (of_cells c)) reach squeeze high low unused refill bounds bucket_total most in
  fills_as (fill exact) (reference (decay c))
  /\ forall r, In r slices -> bulk_sampler r = Buckets (decay c) (of_cells c) reach squeeze high low unused refill bounds ->
     (length (tape_of (bulk_tape r)) + squeeze <= most)%nat ->
     run (fill exact (length (bulk_samples r))) enough (tape_of (bulk_tape r)) = Some (bulk_samples r, []).
Proof.
  intros HC HS I F P Hr.
  destruct (checked_buckets_have_the_law cells [] c reach squeeze high low unused refill bounds HC eq_refl I F P Hr) as (total & B & L).
  apply forallb_forall with (x := c) in HC; auto. destruct (checked_cells c HC) as (HD & Hw & Hf & _ & HF & _). specialize (HF F total).
  rewrite P in HF. specialize (HF B). exists total. split; [exact B|]. intros most exact. specialize (L most). split.
  - apply (fills_by_the_law (fill exact) (extended_buckets (decay c) (floors (of_cells c)) (width (of_cells c)) reach squeeze high low unused refill bounds total most));
      [intros count; apply bucket_fill_is_draws|now apply same_law_sym|now apply reference_total].
  - intros r Hin S Hl. apply (replayed_bucket_fill_is_part_of_exact (precision (of_cells c)) _ (floors (of_cells c)) Hw); auto.
    rewrite <- Hf. apply (held_slice_runs r _ slices HS Hin). now rewrite S.
Qed.

(** As noise of vectors: Δ/s-DP of Laplace at a distance of Δ, Δ/2σ²-zCDP of Gaussian at a squared distance of
    Δ. *)
Definition private_as_filled (decay : Decay) (filling : nat -> Program (list Z)) : Prop :=
  forall sensitivity answers answers', length answers = length answers' ->
  match decay with
  | LaplaceDecay n d => (distance answers answers' <= sensitivity)%Z ->
      pure_dp (IZR sensitivity / (IZR n / IZR d)) (add_filled (filling (length answers)) answers) (add_filled (filling (length answers')) answers')
  | GaussianDecay n d => (squared_distance answers answers' <= sensitivity)%Z ->
      zcdp (IZR sensitivity / (2 * (IZR n / IZR d))) (add_filled (filling (length answers)) answers) (add_filled (filling (length answers')) answers')
  end.
Lemma fills_are_private decay filling : positive_decay decay -> fills_as filling (reference decay) -> private_as_filled decay filling.
Proof.
  intros HD HF sensitivity answers answers' HL. destruct decay as [n d|n d]; destruct HD as [Hn Hd]; intros HS; rewrite <- HL.
  - apply (filled_laplace_vector_private n d sensitivity answers answers' (laplace n d)); auto; [apply same_law_refl|apply HF].
  - apply (filled_gaussian_vector_zcdp n d sensitivity answers answers' (gaussian n d)); auto; [apply same_law_refl|apply HF].
Qed.
Theorem checked_table_fills_are_private cells slices c refill : forallb cells_hold cells = true -> forallb bulk_holds slices = true ->
  In c cells -> folded c = true -> places c = O -> (0 < refill)%nat ->
  private_as_filled (decay c) (fill (exact_table_bulk (table_share (decay c)) (width (of_cells c)) refill)).
Proof.
  intros HC HS I F P Hr. apply fills_are_private; [|now apply (checked_table_fills_are_exact cells slices)].
  apply forallb_forall with (x := c) in HC; auto. exact (proj1 (checked_cells c HC)).
Qed.
Theorem checked_bucket_fills_are_private cells slices c reach squeeze high low unused refill bounds : forallb cells_hold cells = true -> forallb bulk_holds slices = true ->
  In c cells -> folded c = false -> places c = (high + low)%nat -> (0 < refill)%nat ->
  exists bucket_total, is_bucket_total (decay c) (2 ^ (high + low)) bucket_total /\ forall most,
  private_as_filled (decay c)
    (fill (extended_bucket_bulk (decay c) (floors (of_cells c)) (width (of_cells c)) reach squeeze high low unused refill bounds bucket_total most)).
Proof.
  intros HC HS I F P Hr.
  destruct (checked_bucket_fills_are_exact cells slices c reach squeeze high low unused refill bounds HC HS I F P Hr) as (total & B & H).
  exists total. split; [exact B|]. intros most. apply fills_are_private; [|apply H].
  apply forallb_forall with (x := c) in HC; auto. exact (proj1 (checked_cells c HC)).
Qed.
