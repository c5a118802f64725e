(** What is recorded and computed for the replay of fixed work: the floors that the kernel checked are those of
    the tables' cumulative probabilities, and the exact path's bounds enclose e^-x at every length. *)
Require Import Reals Lra Lia List ZArith Bool Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Geometric.
From Certus.exact Require Import Intervals ExpNeg ExpNegAnswers.
From Certus.fast Require Import LazyInversion Buckets FixedBuckets FixedGaussian FixedLaplace FixedWords.
From Certus.replay Require Import FastModel Enclosures Extension BucketExtension Cells CheckedCells FixedReplay BulkExtension.
Import ListNotations.
Open Scope R_scope.

(** ** The exact path's bounds of e^-x *)
Theorem exact_bounds_enclose n d length : (0 <= n)%Z -> (0 < d)%Z ->
  IZR (exact_lower n d length) <= exp (- (IZR n / IZR d)) * 2 ^ length <= IZR (exact_upper n d length)
  /\ IZR (exact_upper n d length) - IZR (exact_lower n d length) <= 3.
Proof.
  intros Hn Hd. set (p := (Z.of_nat length + 16)%Z). assert (Hp : (0 <= p)%Z) by (unfold p; lia).
  destruct (exp_neg_answers n d p Hn Hd Hp) as [e E]. destruct (exp_neg_contains n d p e Hn Hd Hp E) as [[D [B1 B2]] W].
  unfold exact_lower, exact_upper. fold p. rewrite E. set (L := Z.of_nat length).
  assert (HL : (0 <= L)%Z) by (unfold L; lia). rewrite !Z.shiftl_mul_pow2 by auto.
  assert (F1 := shift_floor_below (lower e * 2 ^ L) (digits e) D). assert (F2 := shift_floor_above (lower e * 2 ^ L) (digits e) D).
  assert (C1 := shift_ceil_above (upper e * 2 ^ L) (digits e) D). assert (C2 := shift_ceil_below (upper e * 2 ^ L) (digits e) D).
  unfold shift_floor, shift_ceil in *. set (lo := Z.shiftr (lower e * 2 ^ L) (digits e)) in *. set (up := (- Z.shiftr (- (upper e * 2 ^ L)) (digits e))%Z) in *.
  set (x := exp (- (IZR n / IZR d))) in *. assert (T := two_to_positive (digits e) D). assert (S := two_to_positive L HL).
  assert (P : IZR (2 ^ L) = 2 ^ length) by (unfold L; now rewrite <- pow_IZR). rewrite mult_IZR in F1, F2, C1, C2.
  set (t := IZR (2 ^ digits e)) in *. set (u := IZR (2 ^ L)) in *. rewrite <- P.
  assert (N : (IZR (upper e) - IZR (lower e)) * u <= t).
  { unfold is_narrow in W. destruct (Z.leb_spec p (digits e)) as [K|K].
    - apply Z.leb_le in W. rewrite Z.shiftl_mul_pow2, Z.mul_1_l in W by lia. apply IZR_le in W. rewrite minus_IZR in W.
      assert (Q : t = IZR (2 ^ (digits e - p)) * IZR (2 ^ 16) * u).
      { unfold t, u. rewrite <- !mult_IZR, <- !Z.pow_add_r by (unfold p, L in *; lia). f_equal. f_equal. unfold p, L. lia. }
      rewrite Q. assert (P16 : 1 <= IZR (2 ^ 16)) by (apply IZR_le; lia). assert (0 < IZR (2 ^ (digits e - p))) by (apply two_to_positive; lia).
      apply Rmult_le_compat_r; [lra|]. nra.
    - apply Z.eqb_eq in W. rewrite <- minus_IZR, W. lra. }
  split; [split|].
  - apply Rmult_le_reg_r with t; auto. nra.
  - apply Rmult_le_reg_r with t; auto. nra.
  - apply Rmult_le_reg_r with t; auto. nra.
Qed.

Lemma numerator_nonneg decay (w b : nat) o : positive_decay decay -> (0 <= o)%Z -> (0 <= exponent_numerator decay (Z.of_nat w) b o)%Z.
Proof. destruct decay as [n d|n d]; intros [Hn Hd] Ho; cbn [exponent_numerator]; [nia|]. assert (0 <= 2 * Z.of_nat b * Z.of_nat w)%Z by lia. nia. Qed.
Lemma decay_bounds_enclose decay places : positive_decay decay ->
  places_enclose places (acceptance_of decay (2 ^ places)) (decay_lower decay places) (decay_upper decay places).
Proof.
  intros HD. assert (K : forall b o length, (0 <= o < 2 ^ Z.of_nat places)%Z ->
    IZR (decay_lower decay places b o length) <= acceptance_of decay (2 ^ places) b o * 2 ^ length <= IZR (decay_upper decay places b o length)
    /\ IZR (decay_upper decay places b o length) - IZR (decay_lower decay places b o length) <= 3).
  { intros b o length [Ho _]. rewrite acceptance_is_exp by auto. unfold decay_lower, decay_upper.
    replace (2 ^ Z.of_nat places)%Z with (Z.of_nat (2 ^ places)) by (now rewrite Nat2Z.inj_pow).
    apply exact_bounds_enclose; [now apply numerator_nonneg|]. destruct decay; destruct HD; cbn [exponent_denominator]; lia. }
  split; [intros b o length Ho; exact (proj1 (K b o length Ho))|]. intros b o Ho. exists 3. intros length. exact (proj2 (K b o length Ho)).
Qed.

(** ** The recorded floors *)

(** Those of the buckets and of direct tables. *)
Theorem checked_fixed_cells r : fixed_cells_hold r = true -> let f := of_cells r in
  positive_decay (decay r) /\ (width f <= precision f)%nat /\ f = cut_off (precision f) (width f) (floors f)
  /\ (folded r = true -> places r = O -> floors_of (table_share (decay r)) (precision f) (floors f))
  /\ (folded r = false -> forall bucket_total, is_bucket_total (decay r) (2 ^ places r) bucket_total ->
      floors_of (bucket_share (decay r) (2 ^ places r) bucket_total) (precision f) (floors f)).
Proof.
  intros H f. unfold fixed_cells_hold in H. fold f in H. rewrite !andb_true_iff in H. destruct H as [[[H1 H2] H3] H4].
  destruct (list_eq_dec Z.eq_dec _ _) as [E|]; [|discriminate]. assert (HD := positive_parameters_sound _ H1).
  destruct (floors_hold_sound _ _ _ _ _ HD H4) as [HF HB]. split; [exact HD|]. split; [now apply Nat.leb_le|]. split; [|now split].
  unfold cut_off. rewrite <- E. now destruct f.
Qed.

(** Those of the last digit. *)
Section Digits.
Variables (n d precision working : Z) (whole : Pair) (Q : R).
Hypotheses (Hn : (0 < n)%Z) (Hd : (0 < d)%Z) (Hp : (0 <= precision)%Z) (Hw : (0 <= working)%Z) (HQ : 0 < Q < 1).
Hypothesis power_is : forall j, exp (- (IZR (Z.of_nat j * d) / IZR n)) = Q ^ j.
Hypotheses (whole_encloses : enclosed working whole (Q ^ base)) (whole_below : (snd whole < 2 ^ working)%Z).
Lemma digits_from_sound floors : forall j, digits_hold_from n d precision working whole (Z.of_nat (S j)) floors = true ->
  (length floors + j = base)%nat /\ forall i floor, nth_error floors i = Some floor ->
  IZR floor <= digit_share Q base (j + i) * IZR (2 ^ precision) < IZR floor + 1.
Proof.
  assert (T := two_to_positive working Hw). assert (TP := two_to_positive precision Hp). destruct whole_encloses as [W0 [W1 W2]].
  assert (Base : (0 < base)%nat) by (unfold base; lia). assert (B1 := power_base Q base HQ Base). assert (B0 : 0 < 1 - Q ^ base) by lra.
  induction floors as [|floor rest IH]; intros j H; [discriminate|]. destruct rest as [|next rest].
  - cbn [digits_hold_from] in H. apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.eqb_eq in H1, H2. unfold base in H1. split; [cbn [length]; unfold base; lia|].
    intros [|[|i]] floor' E; try discriminate. injection E as <-. subst floor. unfold digit_share. replace (S (j + 0) <? base)%nat with false by (symmetry; apply Nat.ltb_ge; unfold base; lia). lra.
  - set (others := next :: rest) in *. assert (H' : match exp_pair (Z.of_nat (S j) * d) n working with
      | None => false
      | Some power => (floor * (2 ^ working - fst whole) <=? Z.shiftl (2 ^ working - snd power) precision)%Z
          && (Z.shiftl (2 ^ working - fst power) precision <? (floor + 1) * (2 ^ working - snd whole))%Z
          && digits_hold_from n d precision working whole (Z.of_nat (S j) + 1) others end = true) by exact H. clear H. rename H' into H.
    destruct (exp_pair (Z.of_nat (S j) * d) n working) as [power|] eqn:E; [|discriminate]. rewrite !andb_true_iff in H. destruct H as [[H1 H2] H3].
    replace (Z.of_nat (S j) + 1)%Z with (Z.of_nat (S (S j))) in H3 by lia. destruct (IH _ H3) as [L K]. split; [cbn [length] in *; lia|].
    intros [|i] floor' F; [|cbn [nth_error] in F; rewrite <- Nat.add_succ_comm; now apply K]. injection F as <-. rewrite Nat.add_0_r.
    assert (C := exp_pair_encloses (Z.of_nat (S j) * d) n working power ltac:(nia) Hn Hw E). rewrite power_is in C. destruct C as [_ [P1 P2]].
    assert (L1 : (1 <= length others)%nat) by (unfold others; cbn [length]; lia). unfold digit_share. replace (S j <? base)%nat with true by (symmetry; apply Nat.ltb_lt; lia).
    apply Z.leb_le, IZR_le in H1. apply Z.ltb_lt, IZR_lt in H2. rewrite Z.shiftl_mul_pow2 in H1, H2 by auto. rewrite !mult_IZR, !minus_IZR in H1, H2. rewrite plus_IZR in H2.
    apply IZR_lt in whole_below. set (t := IZR (2 ^ working)) in *. set (s := IZR (2 ^ precision)) in *. set (x := Q ^ S j) in *. set (b := Q ^ base) in *.
    assert (X : x < 1) by (apply power_falls; exact HQ).
    assert (S : (1 - x) / (1 - b) * s * ((1 - b) * t) = (1 - x) * t * s) by (field; lra). assert (Bt : 0 < (1 - b) * t) by (apply Rmult_lt_0_compat; lra).
    assert (Xt : 0 < (1 - x) * t * s) by (repeat apply Rmult_lt_0_compat; lra). split.
    + destruct (Rle_or_lt (IZR floor) 0) as [N|N].
      * eapply Rle_trans; [exact N|]. apply Rmult_le_reg_r with ((1 - b) * t); auto. rewrite S. lra.
      * apply Rmult_le_reg_r with ((1 - b) * t); auto. rewrite S. nra.
    + apply Rmult_lt_reg_r with ((1 - b) * t); auto. rewrite S. assert (U : (1 - x) * t * s < (IZR floor + 1) * (t - IZR (snd whole))) by nra.
      assert (V : 0 < IZR floor + 1) by (assert (0 < t - IZR (snd whole)) by lra; nra). nra.
Qed.
End Digits.

Theorem checked_digits r : digits_hold r = true -> let f := of_digits r in let n := scale_n r in let d := scale_d r in
  (0 < n)%Z /\ (0 < d)%Z /\ (width f <= precision f)%nat /\ f = cut_off (precision f) (width f) (floors f) /\ length (floors f) = base
  /\ floors_of (digit_share (ratio n d ^ (2 ^ digit_places r)) base) (precision f) (floors f).
Proof.
  intros H f n d. unfold digits_hold in H. fold f n d in H. set (wd := (d * 2 ^ Z.of_nat (digit_places r))%Z) in *. set (working := (Z.of_nat (precision f) + more_digits)%Z) in *.
  rewrite !andb_true_iff in H. destruct H as [[[[H1 H2] H3] H4] H5]. apply Z.ltb_lt in H1, H2. apply Nat.leb_le in H3. apply equal_lists_sound in H4.
  destruct (exp_pair (Z.of_nat base * wd) n working) as [whole|] eqn:E; [|discriminate]. apply andb_true_iff in H5. destruct H5 as [H5 H6]. apply Z.ltb_lt in H5.
  assert (Hwd : (0 < wd)%Z) by (unfold wd; assert (0 < 2 ^ Z.of_nat (digit_places r))%Z by (apply Z.pow_pos_nonneg; lia); nia).
  assert (Hwork : (0 <= working)%Z) by (unfold working, more_digits; lia). set (Q := ratio n d ^ (2 ^ digit_places r)).
  assert (R := ratio_bounds n d H1 H2).
  assert (HQ : 0 < Q < 1).
  { unfold Q. replace (2 ^ digit_places r)%nat with (S (2 ^ digit_places r - 1)) by (generalize (Nat.pow_nonzero 2 (digit_places r)); lia). now apply power_falls. }
  assert (Power : forall j, exp (- (IZR (Z.of_nat j * wd) / IZR n)) = Q ^ j).
  { intros j. unfold Q. rewrite <- pow_mult, <- ratio_power by auto. f_equal. f_equal. f_equal. rewrite Nat2Z.inj_mul, Nat2Z.inj_pow. unfold wd. f_equal. change (Z.of_nat 2) with 2%Z. ring. }
  assert (H0 : (0 <= Z.of_nat base * wd)%Z) by (apply Z.mul_nonneg_nonneg; lia).
  assert (EW := exp_pair_encloses _ _ _ _ H0 H1 Hwork E). rewrite Power in EW.
  destruct (digits_from_sound n wd (Z.of_nat (precision f)) working whole Q H1 Hwd (Nat2Z.is_nonneg _) Hwork HQ Power EW H5 (floors f) O H6) as [L K].
  rewrite Nat.add_0_r in L. split; [exact H1|]. split; [exact H2|]. split; [exact H3|]. split; [|split; [exact L|]].
  - destruct f as [p w l fi]. cbn [precision width floors first cut_off] in *. unfold cut_off. now rewrite H4.
  - intros cell floor Hc. rewrite <- power_of_two. exact (K cell floor Hc).
Qed.

(** The first look's floors, and the first of these. *)
Lemma first_are_floors G precision width list : (width <= precision)%nat -> floors_of G precision list -> are_floors G width (first (cut_off precision width list)).
Proof.
  intros Hw HF j Hj. cbn [first cut_off] in *. rewrite map_length in Hj.
  destruct (recorded_or_not G precision width list Hw HF j width) as [[L _]|[N|N]]; [|lia|lia].
  unfold floor_lower, floor_at in L. cbn [FastModel.width cut_off first] in L. rewrite Nat.eqb_refl in L.
  rewrite (nth_error_nth' _ 0%Z) in L by (now rewrite map_length). rewrite L. apply (true_floor_spec (G j) width).
Qed.
Lemma up_to_tail_is_first greatest tail l : forall j, (j < length (up_to_tail greatest tail l))%nat -> (j < length l)%nat /\ nth j (up_to_tail greatest tail l) 0%Z = nth j l 0%Z.
Proof.
  induction l as [|t l IH]; intros j Hj; cbn [up_to_tail length] in *; [lia|]. destruct (greatest - t <=? tail)%Z.
  - destruct j; cbn [length] in Hj; [split; [lia|reflexivity]|lia].
  - destruct j as [|j]; cbn [nth]; [split; [lia|reflexivity]|]. destruct (IH j ltac:(lia)). split; [lia|auto].
Qed.
Lemma listed_are_floors G w f : are_floors G (digits_of w) (first f) -> are_floors G (digits_of w) (listed w f).
Proof. intros H j Hj. unfold listed in *. destruct (up_to_tail_is_first _ _ _ j Hj) as [L ->]. now apply H. Qed.
Lemma firstn_are_floors G digits list count : are_floors G digits list -> are_floors G digits (firstn count list).
Proof.
  intros H j Hj. rewrite firstn_length in Hj. rewrite <- (firstn_skipn count list) in H. specialize (H j). rewrite app_length, firstn_length in H.
  rewrite app_nth1 in H by (rewrite firstn_length; lia). apply H. lia.
Qed.
