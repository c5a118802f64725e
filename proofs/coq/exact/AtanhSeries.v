(** [odd_series] and [atanh] of [src/exact/ln.rs]: atanh z = Σ z^(2k+1)/(2k+1) for 0 <= z <= 1/3, on integers
    scaled by 2^working. *)
Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.exact Require Import Intervals.

(** ** The algorithm *)
Open Scope Z_scope.

(** The loop: the powers P_k, each divided by 2k + 1, to the first that is 0; nothing if it takes more than
    [fuel] steps. *)
Fixpoint odd_loop (fuel : nat) (step : Z -> Z) (power total slack divisor : Z) : option (Z * Z) :=
  match fuel with
  | O => None
  | S fuel =>
      if power =? 0 then Some (total, total + slack)
      else odd_loop fuel step (step power) (total + power / divisor) (slack + 3) (divisor + 2)
  end.
Definition odd_series (first : Z) (step : Z -> Z) (working : Z) : option Interval :=
  match odd_loop (Z.to_nat working + 2) step first 0 3 1 with Some (least, greatest) => Some (from_scaled least greatest working) | None => None end.
Definition atanh_of (numerator denominator working : Z) : option Interval :=
  let t := Z.shiftl numerator working / denominator in
  let square := Z.shiftr (t * t) working in
  odd_series t (fun power => Z.shiftr (power * square) working) working.

(** ** What it encloses *)
Open Scope R_scope.

Definition atanh (z : R) : R := / 2 * ln ((1 + z) / (1 - z)).

(** What the sum of the first k terms misses. *)
Fixpoint left_out (k : nat) (z : R) : R := match k with O => atanh z | S k => left_out k z - z ^ (2 * k + 1) / INR (2 * k + 1) end.
Lemma power_derive m z : is_derive (fun z => z ^ (m + 1) / INR (m + 1)) z (z ^ m).
Proof.
  assert (K : INR (m + 1) <> 0) by (apply not_0_INR; lia). replace (z ^ m) with (INR (m + 1) * z ^ m * / INR (m + 1)) by (field; auto).
  unfold Rdiv. generalize (/ INR (m + 1)). intros c. auto_derive; [exact I|]. rewrite Nat.add_1_r. cbn [Nat.pred]. rewrite Rmult_1_l. reflexivity.
Qed.
Lemma left_out_derive k z : -1 < z < 1 -> is_derive (left_out k) z (z ^ (2 * k) / (1 - z ^ 2)).
Proof.
  intros Hz. assert (D : 1 - z ^ 2 <> 0) by nra. induction k as [|k IH].
  - cbn [left_out]. unfold atanh. auto_derive.
    + split; [lra|]. split; [|exact I]. apply Rdiv_lt_0_compat; lra.
    + simpl. field. split; [nra|]. split; lra.
  - apply is_derive_ext with (fun z => left_out k z - z ^ (2 * k + 1) / INR (2 * k + 1)); [reflexivity|].
    replace (z ^ (2 * S k) / (1 - z ^ 2)) with (z ^ (2 * k) / (1 - z ^ 2) - z ^ (2 * k)).
    + apply (is_derive_minus (left_out k) (fun z => z ^ (2 * k + 1) / INR (2 * k + 1))); [exact IH|apply power_derive].
    + replace (2 * S k)%nat with (2 * k + 2)%nat by lia. rewrite pow_add. field. auto.
Qed.
Lemma left_out_at_0 k : left_out k 0 = 0.
Proof.
  induction k as [|k IH]; cbn [left_out].
  - unfold atanh. replace ((1 + 0) / (1 - 0)) with 1 by field. rewrite ln_1. ring.
  - rewrite IH, pow_i by lia. unfold Rdiv. ring.
Qed.
(** At most 9/8 of the next power, for z <= 1/3. *)
Lemma left_out_bounds k z : 0 <= z <= 1 / 3 -> 0 <= left_out k z <= 9 / 8 * z ^ (2 * k + 1).
Proof.
  intros [[Hz|<-] H3]; [|rewrite left_out_at_0, pow_i by lia; lra].
  destruct (MVT_gen (left_out k) 0 z (fun y => y ^ (2 * k) / (1 - y ^ 2))) as (c & Hc & E).
  - intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. apply left_out_derive. lra.
  - intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. apply derivable_continuous_pt. exists (y ^ (2 * k) / (1 - y ^ 2)).
    apply is_derive_Reals, left_out_derive. lra.
  - rewrite left_out_at_0 in E. rewrite Rmin_left, Rmax_right in Hc by lra.
    assert (C : 0 <= c ^ (2 * k) <= z ^ (2 * k)) by (split; [apply pow_le; lra|apply pow_incr; lra]).
    assert (I : 0 < / (1 - c ^ 2) <= 9 / 8).
    { split; [apply Rinv_0_lt_compat; nra|]. apply Rmult_le_reg_r with (1 - c ^ 2); [nra|]. rewrite Rinv_l by nra. nra. }
    assert (Q : 0 <= c ^ (2 * k) / (1 - c ^ 2) <= 9 / 8 * z ^ (2 * k)) by (unfold Rdiv at 1 2; nra).
    rewrite pow_add, pow_1. nra.
Qed.

Section Loop.
Variables (z : R) (step : Z -> Z) (working : Z).
Hypotheses (Hz : 0 <= z <= 1 / 3) (Hw : (0 <= working)%Z).
Let one := IZR (2 ^ working).
(** A step keeps within 2 units of the true power. *)
Hypothesis step_within : forall power y, (0 <= power)%Z -> 0 <= y <= 1 / 3 -> IZR power <= y * one < IZR power + 2 ->
  (0 <= step power)%Z /\ IZR (step power) <= y * z ^ 2 * one < IZR (step power) + 2.

Lemma odd_loop_encloses fuel : forall k power total slack least greatest, (0 <= power)%Z -> IZR power <= z ^ (2 * k + 1) * one < IZR power + 2 ->
  IZR total <= (atanh z - left_out k z) * one <= IZR total + IZR slack - 3 ->
  odd_loop fuel step power total slack (Z.of_nat (2 * k + 1)) = Some (least, greatest) -> IZR least <= atanh z * one <= IZR greatest.
Proof.
  assert (P : 0 < one) by now apply two_to_positive.
  induction fuel as [|fuel IH]; intros k power total slack least greatest H0 B S H; [discriminate|]. cbn [odd_loop] in H. assert (L := left_out_bounds k z Hz).
  assert (Y : 0 <= z ^ (2 * k + 1) <= 1 / 3).
  { split; [apply pow_le; lra|]. rewrite pow_add, pow_1. assert (0 <= z ^ (2 * k) <= 1); [|nra]. split; [apply pow_le; lra|]. rewrite <- (pow1 (2 * k)). apply pow_incr. lra. }
  destruct (Z.eqb_spec power 0) as [->|N].
  - injection H as <- <-. rewrite plus_IZR. assert (0 <= left_out k z * one <= 9 / 8 * 2) by nra. nra.
  - destruct (step_within power _ H0 Y B) as [N0 NB]. set (m := (2 * k + 1)%nat) in *.
    assert (M : 1 <= INR m) by (change 1 with (INR 1); apply le_INR; unfold m; lia).
    assert (Mz : (0 < Z.of_nat m)%Z) by (unfold m; lia).
    assert (Q1 := quotient_below power _ Mz). assert (Q2 := quotient_above power _ Mz). rewrite <- INR_IZR_INZ in Q1, Q2. set (q := (power / Z.of_nat m)%Z) in *.
    set (term := z ^ m / INR m * one).
    assert (T : IZR q <= term < IZR q + 3).
    { assert (E : term * INR m = z ^ m * one) by (unfold term; field; lra). split.
      - apply Rmult_le_reg_r with (INR m); [lra|]. lra.
      - apply Rmult_lt_reg_r with (INR m); [lra|]. rewrite E. nra. }
    replace (Z.of_nat m + 2)%Z with (Z.of_nat (2 * Datatypes.S k + 1)) in H by (unfold m; lia).
    apply (IH (Datatypes.S k) _ _ _ _ _ N0) in H; [exact H| |].
    + replace (z ^ (2 * Datatypes.S k + 1)) with (z ^ m * z ^ 2); [exact NB|]. rewrite <- pow_add. f_equal. unfold m. lia.
    + cbn [left_out]. fold m. rewrite !plus_IZR. replace ((atanh z - (left_out k z - z ^ m / INR m)) * one) with ((atanh z - left_out k z) * one + term) by (unfold term; ring). lra.
Qed.
Theorem odd_series_contains first e : (0 <= first)%Z -> IZR first <= z * one < IZR first + 1 -> odd_series first step working = Some e -> contains e (atanh z).
Proof.
  intros H0 HF. unfold odd_series. destruct (odd_loop _ step first 0 3 1) as [[least greatest]|] eqn:E; [|discriminate]. intros H. injection H as <-.
  apply from_scaled_contains; auto. apply (odd_loop_encloses _ O first 0 3) in E; auto.
  - simpl. lra.
  - cbn [left_out]. lra.
Qed.
End Loop.

(** [atanh]: for 0 <= z = numerator/denominator <= 1/3, from 2 bits on. *)
Theorem atanh_contains numerator denominator working e : (0 <= numerator)%Z -> (0 < denominator)%Z -> (3 * numerator <= denominator)%Z -> (2 <= working)%Z ->
  atanh_of numerator denominator working = Some e -> contains e (atanh (IZR numerator / IZR denominator)).
Proof.
  intros Hn Hd H3 Hw. unfold atanh_of. rewrite Z.shiftl_mul_pow2 by lia. set (t := (numerator * 2 ^ working / denominator)%Z). set (square := Z.shiftr (t * t) working).
  assert (Pz : (0 < 2 ^ working)%Z) by (apply Z.pow_pos_nonneg; lia). assert (P := two_to_positive working ltac:(lia)). set (one := IZR (2 ^ working)) in *.
  assert (Four : 4 <= one) by (apply IZR_le; change 4%Z with (2 ^ 2)%Z; apply Z.pow_le_mono_r; lia).
  assert (D : 0 < IZR denominator) by now apply (IZR_lt 0). set (z := IZR numerator / IZR denominator).
  assert (Z0 : 0 <= z <= 1 / 3).
  { apply IZR_le in Hn as Rn. apply IZR_le in H3. rewrite mult_IZR in H3. unfold z. split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (IZR denominator); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (T0 : (0 <= t)%Z) by (apply Z.div_pos; nia).
  assert (TB : IZR t <= z * one < IZR t + 1).
  { assert (A := quotient_below (numerator * 2 ^ working) _ Hd). assert (B := quotient_above (numerator * 2 ^ working) _ Hd). fold t in A, B. rewrite mult_IZR in A, B. fold one in A, B.
    assert (E : z * one * IZR denominator = IZR numerator * one) by (unfold z; field; lra).
    split; [apply Rmult_le_reg_r with (IZR denominator)|apply Rmult_lt_reg_r with (IZR denominator)]; lra. }
  assert (S0 : (0 <= square)%Z) by (apply Z.shiftr_nonneg; nia).
  assert (SA := shift_floor_below (t * t) working ltac:(lia)). assert (SB := shift_floor_above (t * t) working ltac:(lia)). unfold shift_floor in SA, SB.
  fold square in SA, SB. fold one in SA, SB. rewrite mult_IZR in SA, SB. apply IZR_le in T0 as T0'. apply IZR_le in S0 as S0'.
  (* z²·2^working is above the square, by less than 23/12 *)
  assert (SQ : IZR square <= z ^ 2 * one < IZR square + 23 / 12).
  { split.
    - apply Rmult_le_reg_r with one; auto. eapply Rle_trans; [exact SA|]. replace (z ^ 2 * one * one) with ((z * one) * (z * one)) by ring. nra.
    - apply Rmult_lt_reg_r with one; auto. replace (z ^ 2 * one * one) with ((z * one) * (z * one)) by ring.
      apply Rlt_le_trans with ((IZR t + 1) * (IZR t + 1)); [apply Rmult_le_0_lt_compat; lra || nra|].
      assert (3 * IZR t <= one) by nra. nra. }
  apply odd_series_contains; auto; [lia|].
  intros power y H0 HY HB. assert (PA := shift_floor_below (power * square) working ltac:(lia)). assert (PB := shift_floor_above (power * square) working ltac:(lia)).
  unfold shift_floor in PA, PB. set (next := Z.shiftr (power * square) working) in *. fold one in PA, PB. fold one. rewrite mult_IZR in PA, PB. apply IZR_le in H0 as H0'.
  split; [apply Z.shiftr_nonneg; nia|]. set (s := z ^ 2 * one) in *. replace (y * z ^ 2 * one) with (y * s) by (unfold s; ring). fold one in HB.
  assert (S9 : s <= one / 9) by (unfold s; nra). split.
  - apply Rmult_le_reg_r with one; auto. eapply Rle_trans; [exact PA|]. replace (y * s * one) with ((y * one) * s) by ring. apply Rmult_le_compat; lra.
  - apply Rmult_lt_reg_r with one; auto.
    assert (A1 : y * s * one <= y * one * IZR square + 1 / 3 * (23 / 12) * one).
    { replace (y * s * one) with (y * one * IZR square + y * (s - IZR square) * one) by ring. apply Rplus_le_compat_l. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat; lra. }
    assert (A2 : y * one * IZR square <= (IZR power + 2) * IZR square) by (apply Rmult_le_compat_r; lra). nra.
Qed.
