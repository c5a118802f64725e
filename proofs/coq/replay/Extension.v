(** The programs that are replayed, and the exact ones that they are part of. What is recorded ends at some
    precision, or some cell, and no table that ends is exact. Extended beyond it by the true floors of
    G(j)·2^length it is, and wherever a replayed run ends, the extended program does the same. *)
Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums IntegerSums Bernoulli Laplace Gaussian RandomizedResponse.
From Certus.privacy Require Import Definitions.
From Certus.fast Require Import LazyInversion LazyCoin TruthCoin Table Agreement.
From Certus.replay Require Import FastModel Enclosures Replay.
Import ListNotations.
Open Scope R_scope.

(** ⌊g·2^length⌋, as a real number has it: nobody computes this. *)
Definition true_floor (g : R) (length : nat) : Z := Int_part (g * 2 ^ length).

Lemma true_floor_spec g length : IZR (true_floor g length) <= g * 2 ^ length < IZR (true_floor g length) + 1.
Proof. unfold true_floor. destruct (base_Int_part (g * 2 ^ length)). lra. Qed.
Lemma true_floor_unique g length floor : IZR floor <= g * 2 ^ length < IZR floor + 1 -> floor = true_floor g length.
Proof.
  intros [H1 H2]. destruct (true_floor_spec g length) as [T1 T2]. apply Z.le_antisymm; apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; lra.
Qed.

(** ** Tables *)

(** The recorded list has the floors of G. *)
Definition floors_of (G : nat -> R) (precision : nat) (list : list Z) : Prop :=
  forall cell floor, nth_error list cell = Some floor -> IZR floor <= G cell * 2 ^ precision < IZR floor + 1.

(** Nothing is recorded of a cell at a length. *)
Definition unrecorded (precision : nat) (list : list Z) (cell length : nat) : Prop := (List.length list <= cell)%nat \/ (precision < length)%nat.

(** The table of all the floors. *)
Definition exact_table (G : nat -> R) (width refill : nat) : Program Z :=
  table (fun cell => true_floor (G cell)) (fun cell length => true_floor (G cell) length + 1)%Z patience width refill.

Section Floors.
Variables (G : nat -> R) (precision width : nat) (list : list Z).
Hypotheses (Hw : (width <= precision)%nat) (HF : floors_of G precision list).
Let f := cut_off precision width list.

Lemma recorded_or_not cell length :
  (floor_lower f cell length = true_floor (G cell) length /\ floor_upper f cell length = (true_floor (G cell) length + 1)%Z) \/ unrecorded precision list cell length.
Proof.
  destruct (nth_error list cell) as [floor|] eqn:N; [|right; left; now apply nth_error_None].
  destruct (Nat.le_gt_cases length precision) as [Hl|Hl]; [|right; now right]. left.
  assert (E : floor_at f cell length = Some (Z.shiftr floor (Z.of_nat (precision - length)))).
  { unfold floor_at, f, cut_off. simpl. destruct (Nat.eqb_spec length width) as [->|].
    - now rewrite nth_error_map, N.
    - destruct (Nat.leb_spec length precision); [|lia]. now rewrite N. }
  unfold floor_lower, floor_upper. rewrite E.
  assert (T : Z.shiftr floor (Z.of_nat (precision - length)) = true_floor (G cell) length); [|now rewrite T].
  apply true_floor_unique. assert (B := HF cell floor N).
  destruct (recorded_floors_enclose precision width list cell floor (G cell) length Hw Hl N B) as [L U].
  fold f in L, U. unfold floor_lower, floor_upper in L, U. rewrite E in L, U. rewrite plus_IZR in U. split; auto.
  (* the upper bound is not met *)
  destruct U as [U|U]; auto. exfalso.
  set (k := (precision - length)%nat) in *. assert (P : 0 < 2 ^ k) by (apply pow_lt; lra).
  assert (S : G cell * 2 ^ precision = G cell * 2 ^ length * 2 ^ k) by (rewrite Rmult_assoc, <- pow_add; repeat f_equal; unfold k; lia).
  rewrite S, U, <- (plus_IZR _ 1), (pow_IZR 2 k), <- mult_IZR, <- plus_IZR in B. destruct B as [_ B]. apply lt_IZR in B.
  rewrite Z.shiftr_div_pow2 in B by lia. assert (Pz : (0 < 2 ^ Z.of_nat k)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (M := Z.mul_succ_div_gt floor _ Pz). nia.
Qed.
Lemma unrecorded_later cell length length' : unrecorded precision list cell length -> (length <= length')%nat -> unrecorded precision list cell length'.
Proof. unfold unrecorded. lia. Qed.
Lemma unrecorded_is_void cell length : unrecorded precision list cell length ->
  (floor_lower f cell length <= 0 /\ 2 ^ Z.of_nat length <= floor_upper f cell length)%Z.
Proof.
  intros H. assert (E : floor_at f cell length = None).
  { unfold floor_at, f, cut_off. simpl. destruct (Nat.eqb_spec length width) as [->|].
    - apply nth_error_None. rewrite map_length. destruct H; lia.
    - destruct (Nat.leb_spec length precision); auto. destruct H as [H|H]; [|lia]. apply nth_error_None in H. now rewrite H. }
  unfold floor_lower, floor_upper. rewrite E. lia.
Qed.

(** Wherever the replayed table ends, the exact one does the same. *)
Theorem replayed_table_is_part_of_exact refill fuel tape result :
  run (recorded_table f refill) fuel tape = Some result -> run (exact_table G width refill) fuel tape = Some result.
Proof.
  intros H. eapply (known_table_decides (floor_lower f) (floor_upper f)); [| | |exact H].
  - exact unrecorded_later.
  - exact unrecorded_is_void.
  - exact recorded_or_not.
Qed.
End Floors.

Lemma patience_is_enough length : (length < patience length)%nat.
Proof. unfold patience. lia. Qed.
Lemma true_floors_enclose (G : nat -> R) cell length :
  IZR (true_floor (G cell) length) <= G cell * 2 ^ length <= IZR (true_floor (G cell) length + 1).
Proof. rewrite plus_IZR. generalize (true_floor_spec (G cell) length). lra. Qed.
Lemma true_floors_tighten (G : nat -> R) cell : exists units, forall length, IZR (true_floor (G cell) length + 1) - IZR (true_floor (G cell) length) <= units.
Proof. exists 1. intros length. rewrite plus_IZR. lra. Qed.

Lemma held_tape_runs r recordings : forallb tape_holds recordings = true -> In r recordings ->
  run (model (sampler r)) enough (tape_of (tape r)) = Some (output r, []).
Proof.
  intros H I. apply forallb_forall with (x := r) in H; auto. unfold tape_holds in H. apply ends_sound with (rest := []) in H. now rewrite app_nil_r in H.
Qed.

(** What a replay that holds says of the Laplace table: with the recorded floors those of G(j) = P(|y| <= j),
    the program of all floors draws what the reference sampler draws, exactly; and on every replayed tape it
    does what the shipped Rust did. *)
Theorem replayed_laplace_table n d precision width list refill recordings : (0 < n)%Z -> (0 < d)%Z -> (0 < refill)%nat -> (width <= precision)%nat ->
  let G := up_to (fun y => probability (laplace n d) (Z.eqb y)) in
  floors_of G precision list -> forallb tape_holds recordings = true ->
  (forall y, probability (exact_table G width refill) (Z.eqb y) = probability (laplace n d) (Z.eqb y))
  /\ total (exact_table G width refill) = 1
  /\ forall r, In r recordings -> sampler r = Table (cut_off precision width list) refill ->
     run (exact_table G width refill) enough (tape_of (tape r)) = Some (output r, []).
Proof.
  intros Hn Hd Hr Hw G HF HH.
  destruct (tabled_laplace_exact n d (fun cell => true_floor (G cell)) (fun cell length => true_floor (G cell) length + 1)%Z patience width refill Hn Hd Hr
    patience_is_enough (true_floors_enclose G) (true_floors_tighten G)) as [P T].
  split; [exact P|]. split; [exact T|]. intros r I S. apply (replayed_table_is_part_of_exact G precision width list Hw HF).
  generalize (held_tape_runs r recordings HH I). now rewrite S.
Qed.

(** … and of the Gaussian one. *)
Theorem replayed_gaussian_table n d precision width list refill recordings : (0 < n)%Z -> (0 < d)%Z -> (0 < refill)%nat -> (width <= precision)%nat ->
  let G := up_to (fun y => gaussian_weight n d y / gaussian_normaliser n d) in
  floors_of G precision list -> forallb tape_holds recordings = true ->
  (forall y, probability (exact_table G width refill) (Z.eqb y) = gaussian_weight n d y / gaussian_normaliser n d)
  /\ total (exact_table G width refill) = 1
  /\ forall r, In r recordings -> sampler r = Table (cut_off precision width list) refill ->
     run (exact_table G width refill) enough (tape_of (tape r)) = Some (output r, []).
Proof.
  intros Hn Hd Hr Hw G HF HH.
  destruct (tabled_gaussian_exact n d (fun cell => true_floor (G cell)) (fun cell length => true_floor (G cell) length + 1)%Z patience width refill Hn Hd Hr
    patience_is_enough (true_floors_enclose G) (true_floors_tighten G)) as [P T].
  split; [exact P|]. split; [exact T|]. intros r I S. apply (replayed_table_is_part_of_exact G precision width list Hw HF).
  generalize (held_tape_runs r recordings HH I). now rewrite S.
Qed.

(** ** The response by ε *)

(** The recorded bounds enclose p. *)
Definition bounds_enclose (p : R) (bounds : list (Z * Z)) : Prop :=
  forall length lower upper, nth_error bounds length = Some (lower, upper) -> IZR lower <= p * 2 ^ length <= IZR upper.
Definition extended_lower (p : R) (bounds : list (Z * Z)) (length : nat) : Z :=
  match nth_error bounds length with Some (lower, _) => lower | None => true_floor p length end.
Definition extended_upper (p : R) (bounds : list (Z * Z)) (length : nat) : Z :=
  match nth_error bounds length with Some (_, upper) => upper | None => true_floor p length + 1 end%Z.
(** The response with the recorded bounds, and after them the true floors. *)
Definition extended_response (p : R) (bounds : list (Z * Z)) (answers truth : Z) : Program Z :=
  response_by_epsilon (extended_lower p bounds) (extended_upper p bounds) answers truth.

Lemma extended_encloses p bounds length : bounds_enclose p bounds ->
  IZR (extended_lower p bounds length) <= p * 2 ^ length <= IZR (extended_upper p bounds length).
Proof.
  intros H. unfold extended_lower, extended_upper. destruct (nth_error bounds length) as [[l u]|] eqn:N; [now apply H|].
  apply (true_floors_enclose (fun _ => p) O).
Qed.
(** A bound on finitely many lengths, and one unit after them. *)
Lemma finitely_many_widths (lower upper : nat -> Z) most : (forall length, (most < length)%nat -> IZR (upper length) - IZR (lower length) <= 1) ->
  exists units, forall length, IZR (upper length) - IZR (lower length) <= units.
Proof.
  intros H. assert (K : forall m, exists units, forall length, (length <= m)%nat -> IZR (upper length) - IZR (lower length) <= units).
  { induction m as [|m [u U]].
    - exists (IZR (upper O) - IZR (lower O)). intros length Hl. replace length with O by lia. lra.
    - exists (Rmax u (IZR (upper (S m)) - IZR (lower (S m)))). intros length Hl. destruct (Nat.eq_dec length (S m)) as [->|]; [apply Rmax_r|].
      eapply Rle_trans; [apply U; lia|apply Rmax_l]. }
  destruct (K most) as [u U]. exists (Rmax u 1). intros length. destruct (Nat.le_gt_cases length most).
  - eapply Rle_trans; [now apply U|apply Rmax_l].
  - eapply Rle_trans; [now apply H|apply Rmax_r].
Qed.
Lemma extended_tightens p bounds : exists units, forall length, IZR (extended_upper p bounds length) - IZR (extended_lower p bounds length) <= units.
Proof.
  apply finitely_many_widths with (List.length bounds). intros length Hl. unfold extended_lower, extended_upper.
  replace (nth_error bounds length) with (@None (Z * Z)) by (symmetry; apply nth_error_None; lia). rewrite plus_IZR. lra.
Qed.

(** The recorded bounds, as [recorded_response] has them. *)
Definition recorded_lower (bounds : list (Z * Z)) length := match nth_error bounds length with Some (lower, _) => lower | None => 0%Z end.
Definition recorded_upper (bounds : list (Z * Z)) length := match nth_error bounds length with Some (_, upper) => upper | None => (2 ^ Z.of_nat length)%Z end.

(** On tapes shorter than the list it is the same program: it ends with the same, or not. Where the replayed
    one ends, it ends with the same on any tape. *)
Theorem replayed_response_is_part_of_exact p bounds answers truth fuel tape :
  ((List.length tape < List.length bounds)%nat -> run (recorded_response bounds answers truth) fuel tape = run (extended_response p bounds answers truth) fuel tape)
  /\ forall result, run (recorded_response bounds answers truth) fuel tape = Some result -> run (extended_response p bounds answers truth) fuel tape = Some result.
Proof.
  unfold recorded_response, extended_response, response_by_epsilon, truth_coin, respond, lazy_coin, below.
  cbn [run]. change (fun length => match nth_error bounds length with Some (lower, _) => lower | None => 0%Z end) with (recorded_lower bounds).
  change (fun length => match nth_error bounds length with Some (_, upper) => upper | None => (2 ^ Z.of_nat length)%Z end) with (recorded_upper bounds).
  destruct (run (bits 1) fuel tape) as [[v t]|] eqn:E; [|split; [auto|discriminate]]. destruct (run_bits_reads _ _ _ _ _ E) as [L B]. split.
  - intros Hl. rewrite (equal_bounds_equal_runs _ _ (cell_lower (extended_lower p bounds)) (cell_upper (extended_upper p bounds)) _ _ (List.length bounds - 1)); auto; [|lia].
    intros [|cell] l Hl'; cbn [cell_lower cell_upper]; auto. unfold recorded_lower, recorded_upper, extended_lower, extended_upper.
    destruct (nth_error bounds l) as [[? ?]|] eqn:N; auto. apply nth_error_None in N. lia.
  - intros result. destruct (run (invert_from _ _ _ 1 1 v) fuel t) as [[cell rest]|] eqn:I; [|discriminate].
    apply (known_bounds_decide _ _ (cell_lower (extended_lower p bounds)) (cell_upper (extended_upper p bounds)) _ _
      (fun cell length => cell = O /\ (List.length bounds <= length)%nat)) in I; auto.
    + destruct I as [-> _]. auto.
    + intros c l l' [-> H] H'. split; auto. lia.
    + intros c l [-> H]. cbn [cell_lower cell_upper]. unfold recorded_lower, recorded_upper. apply nth_error_None in H. rewrite H. lia.
    + intros [|c] l; cbn [cell_lower cell_upper]; auto. unfold recorded_lower, recorded_upper, extended_lower, extended_upper.
      destruct (nth_error bounds l) as [[? ?]|] eqn:N; auto. right. split; auto. now apply nth_error_None.
Qed.

(** What replays that hold say of the response by ε: the extended program has the response's probabilities, is
    ε-DP, and does on every replayed tape, and on every tape of a replayed tree, what the shipped Rust did. *)
Theorem replayed_response k epsilon bounds truth tapes trees : (2 <= k)%Z -> 0 <= epsilon -> (0 <= truth < k)%Z ->
  let p := 1 / (1 + IZR (k - 1) * exp (- epsilon)) in
  bounds_enclose p bounds -> forallb tape_holds tapes = true -> forallb tree_holds trees = true ->
  (forall answer, (0 <= answer < k)%Z ->
     probability (extended_response p bounds k truth) (Z.eqb answer) = if (answer =? truth)%Z then p else (1 - p) / IZR (k - 1))
  /\ (forall truth', (0 <= truth' < k)%Z -> pure_dp epsilon (extended_response p bounds k truth) (extended_response p bounds k truth'))
  /\ (forall r, In r tapes -> sampler r = ResponseByEpsilon bounds k truth ->
      run (extended_response p bounds k truth) enough (tape_of (tape r)) = Some (output r, []))
  /\ (forall r, In r trees -> of r = ResponseByEpsilon bounds k truth -> (depth r < List.length bounds)%nat ->
      forall tape, List.length tape = depth r -> exists used result, assigned 0 tape (map run_of (concat (runs r))) = Some (used, result)
        /\ run (extended_response p bounds k truth) enough tape = match result with Some output => Some (output, skipn used tape) | None => None end).
Proof.
  intros Hk He Ht p HB Htapes Htrees. assert (E := fun length => extended_encloses p bounds length HB). assert (T := extended_tightens p bounds).
  split; [|split; [|split]].
  - intros answer Ha. now apply (response_by_epsilon_probability k epsilon).
  - intros truth' Ht'. now apply (response_by_epsilon_private k epsilon).
  - intros r I S. apply (replayed_response_is_part_of_exact p). generalize (held_tape_runs r tapes Htapes I). now rewrite S.
  - intros r I S D tape L. apply forallb_forall with (x := r) in Htrees; auto.
    destruct (tree_holds_on_every_tape r Htrees tape L) as (used & result & A & _ & R). exists used, result. split; auto.
    rewrite <- R, S. symmetry. apply (replayed_response_is_part_of_exact p). lia.
Qed.
