(** The enclosure of [src/sample/fixed/acceptance.rs], on integers, in units of 2^-bits: A, which
    [Acceptance::start] computes by rounded products, a shift and a polynomial for 2^-f, is within E of
    e^-x·2^bits, for the E that [Acceptance::new] states, if the polynomial is within its own error. *)
Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.samplers Require Import Model Geometric Gaussian.
From Certus.exact Require Import Intervals ExpNeg.
From Certus.fast Require Import Buckets.
Open Scope R_scope.

(** 2^-y. *)
Definition half_to (y : R) : R := exp (- (y * ln 2)).

Lemma ln_2_below : ln 2 < 7 / 10.
Proof.
  apply exp_lt_inv. rewrite exp_ln by lra.
  assert (E : 1 + 7 / 640 < exp (7 / 640)) by (apply exp_ineq1; lra).
  assert (D : forall x a b, 0 < a -> a < exp x -> b <= a * a -> b < exp (2 * x)).
  { intros x a b Ha Hx Hb. replace (2 * x) with (x + x) by ring. rewrite exp_plus. nra. }
  assert (E1 := D _ (1 + 7 / 640) 1.0219946 ltac:(lra) E ltac:(lra)).
  assert (E2 := D _ 1.0219946 1.0444729 ltac:(lra) E1 ltac:(lra)).
  assert (E3 := D _ 1.0444729 1.0909236 ltac:(lra) E2 ltac:(lra)).
  assert (E4 := D _ 1.0909236 1.1901143 ltac:(lra) E3 ltac:(lra)).
  assert (E5 := D _ 1.1901143 1.416372 ltac:(lra) E4 ltac:(lra)).
  assert (E6 := D _ 1.416372 2.0001 ltac:(lra) E5 ltac:(lra)).
  replace (7 / 10) with (2 * (2 * (2 * (2 * (2 * (2 * (7 / 640))))))) by lra. lra.
Qed.
Lemma ln_2_positive : 0 < ln 2.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma half_to_whole k : half_to (INR k) = / 2 ^ k.
Proof.
  unfold half_to. rewrite exp_Ropp. f_equal. rewrite <- (exp_ln 2) at 2 by lra. rewrite <- exp_power_of. reflexivity.
Qed.
Lemma half_to_plus x y : half_to (x + y) = half_to x * half_to y.
Proof. unfold half_to. rewrite <- exp_plus. f_equal. ring. Qed.
Lemma half_to_slope x y : 0 <= x <= y -> 0 <= half_to x - half_to y <= 7 / 10 * (y - x).
Proof.
  intros H. assert (L := ln_2_below). assert (P := ln_2_positive). split.
  - unfold half_to. assert (exp (- (y * ln 2)) <= exp (- (x * ln 2))); [|lra]. apply exp_falls. nra.
  - assert (S := exp_slope (x * ln 2) (y * ln 2) ltac:(split; nra)). unfold half_to. nra.
Qed.

Section Enclosure.
(** [W::BITS], [W::SLACK]: a product is rounded down by less than s. *)
Variable bits : nat.
Let M := (2 ^ Z.of_nat bits)%Z.
Variable s : Z.
Variable high_product : Z -> Z -> Z.
Hypothesis rounds_down : forall a b, (0 <= a < M)%Z -> (0 <= b < M)%Z ->
  (0 <= high_product a b)%Z /\ IZR a * IZR b / IZR M - IZR s < IZR (high_product a b) <= IZR a * IZR b / IZR M.
(** [Polynomial::at]: a word, within its error of 2^-f for a fraction f. *)
Variable polynomial : Z -> Z.
Variable polynomial_error : Z.
Hypothesis polynomial_is_near : forall f, (0 <= f < M)%Z -> Rabs (IZR (polynomial f) - half_to (IZR f / IZR M) * IZR M) <= IZR polynomial_error.

Let M_positive : 0 < IZR M. Proof. apply (IZR_lt 0). unfold M. apply Z.pow_pos_nonneg; lia. Qed.

(** The whole part of y' shifts, and the fraction goes to the polynomial. *)
Definition of_exponent (y' : Z) : Z := (polynomial (y' mod M) / 2 ^ (y' / M))%Z.

Lemma of_exponent_near y y' off : (0 <= y')%Z -> IZR y' <= y * IZR M <= IZR y' + off ->
  Rabs (IZR (of_exponent y') - half_to y * IZR M) <= 7 / 10 * off + 1 + IZR polynomial_error.
Proof.
  intros H0 Hy. assert (MP : (0 < M)%Z) by (apply lt_IZR; exact M_positive). set (k := (y' / M)%Z). set (fraction := (y' mod M)%Z).
  assert (K0 : (0 <= k)%Z) by (apply Z.div_pos; lia). assert (F : (0 <= fraction < M)%Z) by (apply Z.mod_pos_bound; lia).
  assert (E : y' = (M * k + fraction)%Z) by (apply Z.div_mod; lia).
  assert (N := polynomial_is_near fraction F). set (v := polynomial fraction) in *.
  assert (PK : 1 <= IZR (2 ^ k)) by (apply IZR_le; generalize (Z.pow_pos_nonneg 2 k); lia).
  set (y0 := IZR y' / IZR M). assert (Y0 : 0 <= y0 <= y).
  { unfold y0. split; [apply Rmult_le_pos; [now apply (IZR_le 0)|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (IZR M); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (S := half_to_slope y0 y Y0).
  assert (Yoff : (y - y0) * IZR M <= off) by (unfold y0; replace ((y - IZR y' / IZR M) * IZR M) with (y * IZR M - IZR y') by (field; lra); lra).
  assert (H1 : half_to y0 = half_to (IZR fraction / IZR M) / IZR (2 ^ k)).
  { replace y0 with (INR (Z.to_nat k) + IZR fraction / IZR M).
    - rewrite half_to_plus, half_to_whole. replace (IZR (2 ^ k)) with (2 ^ Z.to_nat k); [field; apply pow_nonzero; lra|].
      rewrite pow_IZR. do 2 f_equal. lia.
    - unfold y0. rewrite E, plus_IZR, mult_IZR, INR_IZR_INZ, Z2Nat.id by lia. field. lra. }
  assert (B1 := quotient_below v (2 ^ k) ltac:(apply Z.pow_pos_nonneg; lia)). assert (B2 := quotient_above v (2 ^ k) ltac:(apply Z.pow_pos_nonneg; lia)).
  unfold of_exponent. fold k fraction v. set (A := (v / 2 ^ k)%Z) in *. set (P := IZR (2 ^ k)) in *. apply Rabs_le_between in N.
  assert (IP : 0 < / P <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  assert (C1 : IZR A <= IZR v * / P) by (apply Rmult_le_reg_r with P; [lra|]; rewrite Rmult_assoc, Rinv_l by lra; lra).
  assert (C2 : IZR v * / P < IZR A + 1) by (apply Rmult_lt_reg_r with P; [lra|]; rewrite Rmult_assoc, Rinv_l by lra; lra).
  assert (EP : 0 <= IZR polynomial_error) by lra.
  set (h := half_to (IZR fraction / IZR M) * IZR M) in *.
  assert (H2 : half_to y0 * IZR M = h * / P) by (rewrite H1; unfold h, Rdiv; ring).
  assert (D1 : - IZR polynomial_error <= IZR v * / P - h * / P <= IZR polynomial_error).
  { replace (IZR v * / P - h * / P) with ((IZR v - h) * / P) by ring. split; nra. }
  assert (D2 : 0 <= (half_to y0 - half_to y) * IZR M <= 7 / 10 * off) by (split; nra).
  apply Rabs_le. rewrite Rmult_minus_distr_r in D2. lra.
Qed.

(** E, for a factor that is off by at most [off] and multiples of c up to [last]. *)
Definition stated_error (off last : Z) : Z := (((off + s) * last + s) * 7 / 10 + 1 + polynomial_error + 1)%Z.

Variables (factor off : Z) (c : R).
Hypothesis factor_is_word : (0 <= factor < M)%Z.
Hypothesis factor_is_near : IZR factor <= c * IZR M <= IZR factor + IZR off.
Hypothesis slack_nonneg : (0 <= s)%Z.

(** The place as a fraction, ρ·2^bits. *)
Variable rho : Z.
Hypothesis rho_is_word : (0 <= rho < M)%Z.
Let r := IZR rho / IZR M.

Let r_unit : 0 <= r < 1.
Proof.
  unfold r. destruct rho_is_word as [R0 R1]. apply (IZR_le 0) in R0. apply IZR_lt in R1. split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
  apply Rmult_lt_reg_r with (IZR M); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Let t := high_product factor rho.
Let t_near : (0 <= t < M)%Z /\ IZR t <= c * r * IZR M <= IZR t + (IZR off + IZR s).
Proof.
  destruct (rounds_down factor rho factor_is_word rho_is_word) as (T0 & T1 & T2). fold t in T0, T1, T2.
  destruct factor_is_word as [F0 F1]. apply (IZR_le 0) in F0. assert (F1' := F1). apply IZR_lt in F1'. assert (R := r_unit).
  replace (IZR factor * IZR rho / IZR M) with (IZR factor * r) in T1, T2 by (unfold r; field; lra).
  assert (0 <= IZR off) by lra. split; [split; [auto|apply lt_IZR; nra]|]. split; nra.
Qed.

(** [start], linear: e^-x = 2^-(cρ). *)
Theorem linear_is_near error : error = stated_error off 1 ->
  let A := of_exponent t in IZR (A - error) <= half_to (c * r) * IZR M <= IZR (A + error).
Proof.
  intros -> A. destruct t_near as [[T0 _] T1]. assert (N := of_exponent_near (c * r) t (IZR off + IZR s) T0 T1). fold A in N. apply Rabs_le_between in N.
  assert (Q := quotient_above (((off + s) * 1 + s) * 7) 10 ltac:(lia)). unfold stated_error. rewrite minus_IZR, plus_IZR.
  set (e := (((off + s) * 1 + s) * 7 / 10)%Z) in *. rewrite !plus_IZR. rewrite !mult_IZR, !plus_IZR, mult_IZR, plus_IZR in Q. apply (IZR_le 0) in slack_nonneg. lra.
Qed.
(** [start], quadratic: e^-x = 2^-(cρ(2b + ρ)), in buckets b with 2b + 1 <= last. *)
Theorem quadratic_is_near bucket last error : (0 <= bucket)%Z -> (2 * bucket + 1 <= last)%Z -> error = stated_error off last ->
  let A := of_exponent (2 * bucket * t + high_product t rho) in
  IZR (A - error) <= half_to (c * r * (2 * IZR bucket + r)) * IZR M <= IZR (A + error).
Proof.
  intros HB HL -> A. destruct t_near as [TW [T1 T2]]. destruct (rounds_down t rho TW rho_is_word) as (U0 & U1 & U2). assert (R := r_unit).
  replace (IZR t * IZR rho / IZR M) with (IZR t * r) in U1, U2 by (unfold r; field; lra).
  set (y' := (2 * bucket * t + high_product t rho)%Z) in *. assert (Y0 : (0 <= y')%Z) by (unfold y'; nia).
  assert (B0 := HB). apply (IZR_le 0) in B0. apply IZR_le in HL. rewrite plus_IZR, mult_IZR in HL. apply (IZR_le 0) in slack_nonneg.
  assert (O0 : 0 <= IZR off) by lra.
  assert (Y : IZR y' = 2 * IZR bucket * IZR t + IZR (high_product t rho)) by (unfold y'; rewrite plus_IZR, !mult_IZR; reflexivity).
  set (D := (IZR off + IZR s) * IZR last + IZR s).
  assert (N := of_exponent_near (c * r * (2 * IZR bucket + r)) y' D Y0).
  lapply N; clear N; [intros N|].
  2:{ rewrite Y. set (x := c * r * IZR M) in *. replace (c * r * (2 * IZR bucket + r) * IZR M) with (2 * IZR bucket * x + r * x) by (unfold x; ring).
      assert (X : 0 <= x - IZR t <= IZR off + IZR s) by lra.
      assert (0 <= 2 * IZR bucket * (x - IZR t) <= 2 * IZR bucket * (IZR off + IZR s)) by (split; nra).
      assert (0 <= r * (x - IZR t) <= IZR off + IZR s) by (split; nra).
      assert ((2 * IZR bucket + 1) * (IZR off + IZR s) <= IZR last * (IZR off + IZR s)) by (apply Rmult_le_compat_r; lra).
      unfold D. split; lra. }
  fold A in N. apply Rabs_le_between in N.
  assert (Q := quotient_above (((off + s) * last + s) * 7) 10 ltac:(lia)). unfold stated_error. rewrite minus_IZR, plus_IZR.
  set (e := (((off + s) * last + s) * 7 / 10)%Z) in *. rewrite !plus_IZR. rewrite mult_IZR, plus_IZR, mult_IZR, plus_IZR in Q. unfold D in N. lra.
Qed.
End Enclosure.

(** ** What the acceptance is to be *)

(** c = w²/2σ²·ln 2: then 2^-(cρ(2b + ρ)) is the acceptance of place o in bucket b. *)
Theorem quadratic_is_gaussian n d w b o : (0 < n)%Z -> (0 < d)%Z -> (0 < w)%nat ->
  let r := INR o / INR w in
  half_to (INR w ^ 2 / (2 * (IZR n / IZR d)) / ln 2 * r * (2 * INR b + r)) = gaussian_decay n d (b * w + o) / gaussian_decay n d (b * w).
Proof.
  intros Hn Hd Hw r. assert (L := ln_2_positive). apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. assert (W : 0 < INR w) by (apply lt_0_INR; lia).
  unfold gaussian_decay, gaussian_weight, half_to. rewrite <- !INR_IZR_INZ. match goal with |- _ = ?x / exp ?y => replace (x / exp y) with (x * exp (- y)) by (rewrite (exp_Ropp y); reflexivity) end.
  rewrite <- exp_plus. f_equal.
  unfold r. rewrite plus_INR, mult_INR. field. repeat split; lra.
Qed.
(** c = w/s·ln 2: then 2^-(cρ) is. *)
Theorem linear_is_laplace n d w b o : (0 < n)%Z -> (0 < d)%Z -> (0 < w)%nat ->
  half_to (INR w / (IZR n / IZR d) / ln 2 * (INR o / INR w)) = laplace_decay n d (b * w + o) / laplace_decay n d (b * w).
Proof.
  intros Hn Hd Hw. assert (L := ln_2_positive). assert (E := ratio_bounds n d Hn Hd). apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. assert (W : 0 < INR w) by (apply lt_0_INR; lia).
  unfold laplace_decay. rewrite pow_add. assert (0 < ratio n d ^ (b * w)) by (apply pow_lt; lra).
  replace (ratio n d ^ (b * w) * ratio n d ^ o / ratio n d ^ (b * w)) with (ratio n d ^ o) by (field; lra).
  unfold ratio, half_to. rewrite <- exp_power_of. f_equal. field. repeat split; lra.
Qed.
