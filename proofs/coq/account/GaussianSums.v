(** The sum of a Gaussian over shifted integers against its integral, by Poisson's summation:
    |Σ_z e^(-(z-y)²/2τ²)/(τ·√(2π)) - 1| <= η(τ) = 2·Σ_(m>=1) e^(-2π²m²τ²) <= 2·e^-x/(1 - e^-3x), x = 2π²τ², for every real y;
    and two numbers that are within η of 1 are within the factor (1 + η)/(1 - η) of each other. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import CoinTree ListSums.
From Certus.samplers Require Import FiniteSums IntegerSums.
From Certus.privacy Require Import Theta GaussianMechanism.
From Certus.account Require Import Constants NormalLaw Smoothing Aliases ComplexSums Poisson Transforms Lines.
Open Scope R_scope.

Definition eta_term (tau : R) (i : nat) : R := exp (- (2 * PI ^ 2 * INR (S i) ^ 2 * tau ^ 2)).
Definition eta_upto (tau : R) (N : nat) : R := sum_below N (fun i => 2 * eta_term tau i).
Definition eta (tau : R) : R := real (Lim_seq (eta_upto tau)).
Definition eta_exponent (tau : R) : R := 2 * PI ^ 2 * tau ^ 2.
Definition eta_bound (tau : R) : R := 2 * exp (- eta_exponent tau) / (1 - exp (- (3 * eta_exponent tau))).

Lemma eta_exponent_positive tau : 0 < tau -> 0 < eta_exponent tau.
Proof. intros H. unfold eta_exponent. assert (0 < PI ^ 2) by apply pow_lt, PI_RGT_0. assert (0 < tau ^ 2) by now apply pow_lt. nra. Qed.
(** m² - 1 >= 3·(m - 1). *)
Lemma eta_term_small tau i : 0 < tau -> eta_term tau i <= exp (- eta_exponent tau) * exp (- (3 * eta_exponent tau)) ^ i.
Proof.
  intros H. assert (E := eta_exponent_positive tau H). rewrite <- exp_natural, <- exp_plus. unfold eta_term. apply exp_le.
  replace (2 * PI ^ 2 * INR (S i) ^ 2 * tau ^ 2) with (eta_exponent tau * INR (S i) ^ 2) by (unfold eta_exponent; ring).
  assert (I : 1 + 3 * INR i <= INR (S i) ^ 2).
  { rewrite S_INR. destruct i as [|i]; [simpl; lra|]. assert (1 <= INR (S i)) by (apply (le_INR 1); lia). nra. }
  nra.
Qed.
Lemma ratio_unit tau : 0 < tau -> 0 <= exp (- (3 * eta_exponent tau)) < 1.
Proof.
  intros H. assert (E := eta_exponent_positive tau H). split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra.
Qed.
Lemma eta_upto_bound tau N : 0 < tau -> eta_upto tau N <= eta_bound tau.
Proof.
  intros H. assert (Q := ratio_unit tau H). assert (E := exp_pos (- eta_exponent tau)). unfold eta_upto, eta_bound.
  apply Rle_trans with (sum_below N (fun i => 2 * exp (- eta_exponent tau) * exp (- (3 * eta_exponent tau)) ^ i)).
  - apply sum_below_le. intros i _. generalize (eta_term_small tau i H). lra.
  - rewrite sum_below_scal. unfold Rdiv. apply Rmult_le_compat_l; [lra|]. rewrite <- (Rmult_1_l (/ _)). now apply geometric_below.
Qed.
Theorem eta_is_limit tau : 0 < tau -> is_lim_seq (eta_upto tau) (eta tau) /\ (forall N, eta_upto tau N <= eta tau) /\ eta tau <= eta_bound tau.
Proof.
  intros H. apply rising_limit; [|intros N; now apply eta_upto_bound]. intros N. unfold eta_upto. rewrite sum_below_S.
  generalize (exp_pos (- (2 * PI ^ 2 * INR (S N) ^ 2 * tau ^ 2))). unfold eta_term. lra.
Qed.
Theorem eta_bounds tau : 0 < tau -> 0 <= eta tau <= 2 * exp (- eta_exponent tau) / (1 - exp (- (3 * eta_exponent tau))).
Proof. intros H. destruct (eta_is_limit tau H) as (_ & B & U). split; [exact (B 0%nat)|exact U]. Qed.
Theorem eta_falls tau tau' : 0 < tau <= tau' -> eta tau' <= eta tau.
Proof.
  intros H. apply (is_lim_seq_le (eta_upto tau') (eta_upto tau) (eta tau') (eta tau)); try (apply eta_is_limit; lra).
  intros N. apply sum_below_le. intros i _. apply Rmult_le_compat_l; [lra|]. apply exp_le. apply Ropp_le_contravar.
  apply Rmult_le_compat_l; [|apply pow_incr; lra]. assert (P := PI_RGT_0). apply Rmult_le_pos; [|apply pow2_ge_0].
  apply Rmult_le_pos; [lra|apply pow2_ge_0].
Qed.

(** The integers from -N to N, and to N - 1. *)
Lemma two_sided_partial a c N : two_sided N (fun j => exp (- (a * (j - c) ^ 2))) = partial a c N + bell a c (Z.of_nat N).
Proof.
  unfold partial. rewrite <- sum_within_list. unfold two_sided. induction N as [|N IH].
  - unfold sum_within, bell. simpl. ring.
  - rewrite sum_below_S, <- Rplus_assoc, IH. unfold sum_within. rewrite !sum_below_S. unfold bell.
    rewrite minus_IZR, <- !INR_IZR_INZ, !S_INR. replace (- (INR N + 1)) with (-1 - INR N) by ring. ring.
Qed.
Lemma two_sided_limit a c : 0 < a -> is_lim_seq (fun N => two_sided N (fun j => exp (- (a * (j - c) ^ 2)))) (theta a c).
Proof.
  intros H. destruct (theta_all a c H) as (L & _). apply (is_lim_seq_le_le (partial a c) _ (fun N => partial a c (S N)) (theta a c)); auto.
  - intros N. rewrite two_sided_partial. assert (B := bell_positive a c (Z.of_nat N)). split; [lra|].
    unfold partial. rewrite <- !sum_within_list. unfold sum_within. rewrite !sum_below_S.
    generalize (bell_positive a c (-1 - Z.of_nat N)). lra.
  - now apply is_lim_seq_incr_1 in L.
Qed.
(** Shifts by integers change nothing. *)
Lemma theta_shift_le a c m : 0 < a -> theta a (c + IZR m) <= theta a c.
Proof.
  intros H. destruct (theta_all a (c + IZR m) H) as (L & _).
  apply (is_lim_seq_le (partial a (c + IZR m)) (fun _ => theta a c) (theta a (c + IZR m)) (theta a c)); auto; [|apply is_lim_seq_const].
  intros N. unfold partial. rewrite (list_sum_ext _ _ _ (fun y => bell a c (y - m))).
  2:{ intros y _. unfold bell. rewrite minus_IZR. do 4 f_equal. ring. }
  rewrite <- (list_sum_map Z Z (fun y => y - m)%Z). destruct (all_within (map (fun y => y - m)%Z (integers_within N))) as [M HM].
  apply Rle_trans with (partial a c M); [|apply (theta_all a c H)]. apply list_sum_incl; auto; [intros; left; apply bell_positive|].
  apply NoDup_map_injective; [intros; lia|apply NoDup_integers_within].
Qed.
Lemma theta_shift a c m : 0 < a -> theta a (c + IZR m) = theta a c.
Proof.
  intros H. apply Rle_antisym; [now apply theta_shift_le|].
  replace (theta a c) with (theta a (c + IZR m + IZR (- m))) by (f_equal; rewrite opp_IZR; ring). now apply theta_shift_le.
Qed.

(** Poisson's summation, tilted so that the accountant's bump is centred: Σ_z e^(-(z-y)²/2τ²) = τ·√(2π)·(1 + 2·Σ_m e^(-2π²m²τ²)·cos(2πmy)). *)
Definition precision (tau : R) : R := / (2 * tau ^ 2).
Lemma precision_positive tau : 0 < tau -> 0 < precision tau.
Proof. intros H. apply Rinv_0_lt_compat. assert (0 < tau ^ 2) by now apply pow_lt. lra. Qed.
Theorem theta_by_poisson tau y : 0 < tau ->
  is_lim_seq (fun N => tau * sqrt (2 * PI) * (1 + sum_below N (fun i => 2 * eta_term tau i * cos (2 * PI * INR (S i) * y))))
    (theta (precision tau) y).
Proof.
  intros H. destruct (poisson_for_the_bump tau (- (1 / 2)) 1 H ltac:(lra) y) as (total & W & Sh). assert (R0 := root_positive).
  assert (T : theta (precision tau) y = sqrt (2 * PI) / tau * total).
  { assert (L := two_sided_limit (precision tau) y (precision_positive tau H)).
    assert (L' : is_lim_seq (fun N => two_sided N (fun j => exp (- (precision tau * (j - y) ^ 2)))) (sqrt (2 * PI) / tau * total)).
    { eapply is_lim_seq_ext; [|apply is_lim_seq_mult'; [apply (is_lim_seq_const (sqrt (2 * PI) / tau))|exact Sh]]. intros N. simpl.
      unfold shifts. rewrite <- two_sided_scal. apply two_sided_ext. intros j. unfold bump.
      replace (exp (- (- (1 / 2) * (y - j * 1))) * (tau / sqrt (2 * PI) * exp (- ((y - j * 1) / 2) - (y - j * 1) ^ 2 / (2 * tau ^ 2))))
        with (tau / sqrt (2 * PI) * (exp (- (- (1 / 2) * (y - j * 1))) * exp (- ((y - j * 1) / 2) - (y - j * 1) ^ 2 / (2 * tau ^ 2)))) by ring.
      rewrite <- exp_plus, <- Rmult_assoc.
      replace (sqrt (2 * PI) / tau * (tau / sqrt (2 * PI))) with 1 by (field; lra). rewrite Rmult_1_l. f_equal. unfold precision. field. lra. }
    apply is_lim_seq_unique in L. apply is_lim_seq_unique in L'. rewrite L in L'. now injection L'. }
  rewrite T. eapply is_lim_seq_ext; [|apply is_lim_seq_mult'; [apply (is_lim_seq_const (sqrt (2 * PI) / tau))|exact W]]. intros N. simpl.
  assert (C : forall m, factor tau * cosine_value tau (- (1 / 2)) (t_of 1 m) = tau ^ 2 * exp (- (2 * PI ^ 2 * INR m ^ 2 * tau ^ 2))).
  { intros m. unfold factor, cosine_value, height, nu, t_of. replace (- (1 / 2) + 1 / 2) with 0 by field.
    rewrite !Rmult_0_l, !Rmult_0_r, cos_0, Rmult_1_r, Rmult_assoc, <- !exp_plus. do 2 f_equal. field. }
  assert (D : forall m, factor tau * sine_value tau (- (1 / 2)) (t_of 1 m) = 0).
  { intros m. unfold sine_value, nu. replace (- (1 / 2) + 1 / 2) with 0 by field. rewrite !Rmult_0_l, !Rmult_0_r, sin_0. ring. }
  unfold waves. rewrite C. rewrite (sum_below_ext N _ (fun i => tau ^ 2 * (2 * eta_term tau i * cos (2 * PI * INR (S i) * y)))).
  - rewrite sum_below_scal. simpl INR. replace (- (2 * PI ^ 2 * 0 ^ 2 * tau ^ 2)) with 0 by ring. rewrite exp_0. field. lra.
  - intros i _. unfold one_wave. rewrite C, D. unfold eta_term. replace (2 * INR (S i) * (PI / 1 * y)) with (2 * PI * INR (S i) * y) by field. ring.
Qed.
Theorem sum_over_shifted_integers tau y : 0 < tau -> Rabs (theta (precision tau) y / (tau * sqrt (2 * PI)) - 1) <= eta tau.
Proof.
  intros H. assert (R0 := root_positive). set (w := tau * sqrt (2 * PI)). assert (W0 : 0 < w) by (apply Rmult_lt_0_compat; auto).
  assert (L := theta_by_poisson tau y H). fold w in L.
  assert (L' : is_lim_seq (fun N => sum_below N (fun i => 2 * eta_term tau i * cos (2 * PI * INR (S i) * y))) (theta (precision tau) y / w - 1)).
  { eapply is_lim_seq_ext; [|apply is_lim_seq_minus'; [apply is_lim_seq_mult'; [exact L|apply (is_lim_seq_const (/ w))]|apply (is_lim_seq_const 1)]].
    intros N. simpl. field. lra. }
  destruct (eta_is_limit tau H) as (E & _). apply is_lim_seq_abs in L'.
  apply (is_lim_seq_le _ _ (Rabs (theta (precision tau) y / w - 1)) (eta tau)) with (2 := L') (3 := E). intros N.
  eapply Rle_trans; [apply sum_below_abs|]. apply sum_below_le. intros i _. assert (T : 0 < eta_term tau i) by apply exp_pos.
  rewrite Rabs_mult, (Rabs_pos_eq (2 * eta_term tau i)) by lra. rewrite <- (Rmult_1_r (2 * eta_term tau i)) at 2.
  apply Rmult_le_compat_l; [lra|]. apply Rabs_le. apply COS_bound.
Qed.

(** Two sums that are near their integrals: the factor. *)
Definition kappa_of (e : R) : R := (1 + e) / (1 - e).
Lemma kappa_of_at_least_1 e : 0 <= e < 1 -> 1 <= kappa_of e.
Proof. intros H. unfold kappa_of. apply Rmult_le_reg_r with (1 - e); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. Qed.
Theorem near_normalisers e x y : 0 <= e < 1 -> Rabs (x - 1) <= e -> Rabs (y - 1) <= e -> 1 / kappa_of e <= x / y <= kappa_of e.
Proof.
  intros He Hx Hy. apply Rabs_le_between in Hx. apply Rabs_le_between in Hy. unfold kappa_of.
  assert (0 < / y) by (apply Rinv_0_lt_compat; lra). split.
  - apply Rmult_le_reg_r with (y * (1 + e)); [apply Rmult_lt_0_compat; lra|].
    replace (1 / ((1 + e) / (1 - e)) * (y * (1 + e))) with ((1 - e) * y) by (field; lra).
    replace (x / y * (y * (1 + e))) with (x * (1 + e)) by (field; lra). nra.
  - apply Rmult_le_reg_r with (y * (1 - e)); [apply Rmult_lt_0_compat; lra|].
    replace ((1 + e) / (1 - e) * (y * (1 - e))) with ((1 + e) * y) by (field; lra).
    replace (x / y * (y * (1 - e))) with (x * (1 - e)) by (field; lra). nra.
Qed.
Theorem ln_of_the_factor e : 0 <= e < 1 -> ln (kappa_of e) <= 2 * e / (1 - e).
Proof.
  intros H. assert (K := kappa_of_at_least_1 e H). assert (L := ln_at_most (kappa_of e) ltac:(lra)).
  replace (2 * e / (1 - e)) with (kappa_of e - 1) by (unfold kappa_of; field; lra). exact L.
Qed.
(** It rises with e, and a sum of variance τ² against one of τ'² is within it, once each is over its own integral. *)
Lemma kappa_of_rises e e' : 0 <= e <= e' -> e' < 1 -> kappa_of e <= kappa_of e'.
Proof.
  intros H H'. unfold kappa_of. apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|]. apply Rinv_le_contravar; lra.
Qed.
Theorem sums_within_the_factor e tau y tau' y' : 0 < tau -> 0 < tau' -> eta tau <= e -> eta tau' <= e -> e < 1 ->
  1 / kappa_of e <= theta (precision tau) y / theta (precision tau') y' * (tau' / tau) <= kappa_of e.
Proof.
  intros H H' He He' He1. assert (R0 := root_positive). destruct (eta_bounds tau H) as [E0 _].
  assert (T := theta_positive (precision tau') y' (precision_positive tau' H')).
  replace (theta (precision tau) y / theta (precision tau') y' * (tau' / tau))
    with (theta (precision tau) y / (tau * sqrt (2 * PI)) / (theta (precision tau') y' / (tau' * sqrt (2 * PI)))) by (field; lra).
  apply near_normalisers; [lra| |]; (eapply Rle_trans; [now apply sum_over_shifted_integers|auto]).
Qed.
