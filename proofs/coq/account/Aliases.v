(** What the sum over frequencies adds to δ′(ε), Σ_j e^(θjL)·δ′(ε + jL) over j other than 0, and what it misses beyond the last frequency.

    Each bound is one on every finite sum, by a geometric series. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Require Import List.
From Certus.semantics Require Import ListSums.
From Certus.samplers Require Import FiniteSums.
From Certus.account Require Import Constants Curves Chernoff NormalLaw Smoothing.
Import ListNotations.
Open Scope R_scope.

Lemma exp_natural x n : exp (x * INR n) = exp x ^ n.
Proof.
  induction n; [simpl; rewrite Rmult_0_r; apply exp_0|]. rewrite S_INR, Rmult_plus_distr_l, exp_plus, IHn, Rmult_1_r. simpl. ring.
Qed.
Lemma geometric_below r n : 0 <= r < 1 -> sum_below n (fun i => r ^ i) <= 1 / (1 - r).
Proof.
  intros H. rewrite sum_below_geometric by lra. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  assert (0 <= r ^ n) by (apply pow_le; lra). lra.
Qed.
(** Σ_{j=1..N} e^(-xj) <= 1/(e^x - 1). *)
Lemma geometric_from_1 x n : 0 < x -> sum_below n (fun i => exp (- (x * INR (S i)))) <= 1 / (exp x - 1).
Proof.
  intros Hx. assert (E := exp_above_1 x Hx). assert (O := exp_times_opposite x). set (r := exp (- x)) in *.
  assert (Hr : 0 < r < 1) by (split; [apply exp_pos|nra]).
  rewrite (sum_below_ext n _ (fun i => r * r ^ i)).
  - rewrite sum_below_scal. apply Rle_trans with (r * (1 / (1 - r))); [apply Rmult_le_compat_l; [lra|apply geometric_below; lra]|].
    right. replace (exp x) with (/ r) by (apply Rmult_eq_reg_r with r; [rewrite Rinv_l; lra|lra]). field. nra.
  - intros i _. replace (- (x * INR (S i))) with (- x * INR (S i)) by ring. rewrite exp_natural. reflexivity.
Qed.
Lemma bounded_by_geometric x k n f : 0 < x -> 0 <= k ->
  (forall i, f i <= k * exp (- (x * INR (S i)))) -> sum_below n f <= k / (exp x - 1).
Proof.
  intros Hx Hk H. eapply Rle_trans; [apply sum_below_le; intros i _; apply H|]. rewrite sum_below_scal.
  replace (k / (exp x - 1)) with (k * (1 / (exp x - 1))) by (unfold Rdiv; ring). apply Rmult_le_compat_l; auto. now apply geometric_from_1.
Qed.

Section Aliases.
Variables (s theta L epsilon : R) (a : Part).
Hypotheses (s_positive : 0 < s) (L_positive : 0 < L) (finite : Forall of_finite_loss a).

Lemma P_mass_nonneg : 0 <= P_mass a.
Proof. apply list_sum_nonneg. rewrite Forall_forall in finite. intros o Ho. left. apply (finite o Ho). Qed.
Lemma moment_nonneg x : 0 <= moment x a.
Proof.
  apply list_sum_nonneg. rewrite Forall_forall in finite. intros o Ho. apply tilted_nonneg, of_finite_loss_possible. auto.
Qed.

(** e^(θjL)·δ′(ε + jL) for j = i+1, and for j = -(i+1). *)
Definition alias_right (i : nat) : R := exp (theta * (INR (S i) * L)) * smoothed_delta s (epsilon + INR (S i) * L) a.
Definition alias_left (i : nat) : R := exp (theta * (- INR (S i) * L)) * smoothed_delta s (epsilon + - INR (S i) * L) a.

Theorem aliases_on_the_left n : 0 < theta -> sum_below n alias_left <= P_mass a / (exp (theta * L) - 1).
Proof.
  intros Ht. apply bounded_by_geometric; [now apply Rmult_lt_0_compat|apply P_mass_nonneg|]. intros i. unfold alias_left.
  replace (theta * (- INR (S i) * L)) with (- (theta * L * INR (S i))) by ring. rewrite Rmult_comm. apply Rmult_le_compat_r; [left; apply exp_pos|].
  now apply smoothed_delta_bounds.
Qed.
Definition alias_bound (tau : R) : R :=
  chernoff_constant (theta + tau) * moment (theta + tau) a * exp (s ^ 2 * ((theta + tau) * (theta + tau + 1)) / 2) * exp
    (- ((theta + tau) * epsilon)).
Theorem aliases_on_the_right tau n : 0 < theta -> 0 < tau -> sum_below n alias_right <= alias_bound tau / (exp (tau * L) - 1).
Proof.
  intros Ht Hu. apply bounded_by_geometric; [now apply Rmult_lt_0_compat| |].
  - unfold alias_bound. apply Rmult_le_pos; [|left; apply exp_pos]. apply Rmult_le_pos; [|left; apply exp_pos].
    apply Rmult_le_pos; [left; apply chernoff_constant_positive|apply moment_nonneg].
  - intros i. unfold alias_right, alias_bound. set (y := INR (S i) * L).
    assert (B := smoothed_chernoff_bound s s_positive (theta + tau) (epsilon + y) a ltac:(lra) finite).
    eapply Rle_trans; [apply Rmult_le_compat_l; [left; apply exp_pos|exact B]|]. right.
    set (c := chernoff_constant _ * moment _ a * exp _).
    replace (exp (theta * y) * (c * exp (- ((theta + tau) * (epsilon + y)))))
      with (c * (exp (theta * y) * exp (- ((theta + tau) * (epsilon + y))))) by ring.
    rewrite (Rmult_assoc c). rewrite <- !exp_plus. do 2 f_equal. unfold y. ring.
Qed.

(** The same of H(x) = P* - δ′(x), for -1 < θ < 0. *)
Definition remainder (x : R) : R := P_mass a - smoothed_delta s x a.
Definition remainder_right (i : nat) : R := exp (theta * (INR (S i) * L)) * remainder (epsilon + INR (S i) * L).
Definition remainder_left (i : nat) : R := exp (theta * (- INR (S i) * L)) * remainder (epsilon + - INR (S i) * L).
Theorem remainders_on_the_right n : theta < 0 -> sum_below n remainder_right <= P_mass a / (exp (- theta * L) - 1).
Proof.
  intros Ht. apply bounded_by_geometric; [apply Rmult_lt_0_compat; lra|apply P_mass_nonneg|]. intros i. unfold remainder_right.
  replace (theta * (INR (S i) * L)) with (- (- theta * L * INR (S i))) by ring. rewrite Rmult_comm. apply Rmult_le_compat_r; [left; apply exp_pos|].
  unfold remainder. generalize (smoothed_delta_bounds s s_positive (epsilon + INR (S i) * L) a finite). lra.
Qed.
Theorem remainders_on_the_left sigma n : - theta < sigma <= 1 -> theta < 0 ->
  sum_below n remainder_left <= moment (- sigma) a * exp (sigma * epsilon) / (exp ((sigma + theta) * L) - 1).
Proof.
  intros Hs Ht. apply bounded_by_geometric; [apply Rmult_lt_0_compat; lra| |].
  - apply Rmult_le_pos; [apply moment_nonneg|left; apply exp_pos].
  - intros i. unfold remainder_left, remainder. set (y := - INR (S i) * L).
    assert (B := remainder_bound s s_positive sigma (epsilon + y) a ltac:(lra) finite).
    eapply Rle_trans; [apply Rmult_le_compat_l; [left; apply exp_pos|exact B]|]. right.
    replace (exp (theta * y) * (moment (- sigma) a * exp (sigma * (epsilon + y))))
      with (moment (- sigma) a * (exp (theta * y) * exp (sigma * (epsilon + y)))) by ring.
    rewrite (Rmult_assoc (moment _ a)), <- !exp_plus. do 2 f_equal. unfold y. ring.
Qed.
(** σ = 1 gives Q*·e^ε. *)
Theorem moment_at_minus_1 : moment (- (1)) a = Q_mass a.
Proof.
  unfold moment, Q_mass. rewrite Forall_forall in finite. apply list_sum_ext. intros o Ho. rewrite tilted_of_finite_loss by auto.
  rewrite (loss_is o) by auto. do 2 f_equal. ring.
Qed.
End Aliases.

(** Truncation: from t = T on, squares of frequencies t_m = T + i·t_1 grow by at least 2·T·t_1 a step. *)
Definition tail_bound (s T t_1 : R) : R := exp (- ((s * T) ^ 2 / 2)) / (1 - exp (- (s ^ 2 * T * t_1))).
Theorem truncation s T t_1 n : 0 < s -> 0 < T -> 0 < t_1 ->
  sum_below n (fun i => exp (- (s ^ 2 * (T + INR i * t_1) ^ 2 / 2))) <= tail_bound s T t_1.
Proof.
  intros Hs HT Ht. assert (S2 : 0 < s ^ 2) by now apply pow_lt. set (r := exp (- (s ^ 2 * T * t_1))).
  assert (Hr : 0 <= r < 1).
  { unfold r. split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_increasing.
    assert (0 < s ^ 2 * T * t_1) by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; auto). lra. }
  unfold tail_bound. fold r. replace (exp (- ((s * T) ^ 2 / 2)) / (1 - r)) with (exp (- ((s * T) ^ 2 / 2)) * (1 / (1 - r))) by (unfold Rdiv; ring).
  eapply Rle_trans; [|apply Rmult_le_compat_l; [left; apply exp_pos|apply (geometric_below r n Hr)]].
  rewrite <- sum_below_scal. apply sum_below_le. intros i _. unfold r. rewrite <- exp_natural, <- exp_plus. apply exp_le.
  assert (0 <= s ^ 2 * (INR i * t_1) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
  replace (- ((s * T) ^ 2 / 2) + - (s ^ 2 * T * t_1) * INR i)
    with (- (s ^ 2 * (T + INR i * t_1) ^ 2 / 2) + s ^ 2 * (INR i * t_1) ^ 2 / 2) by field. lra.
Qed.

(** Cut-off tails of the discrete Gaussian: (n+j)² >= n² + 2nj. *)
Theorem discrete_gaussian_tail sigma n N : 0 < sigma -> 0 < n ->
  sum_below N (fun j => exp (- ((n + INR (S j)) ^ 2 / (2 * sigma ^ 2)))) <= exp (- (n ^ 2 / (2 * sigma ^ 2))) / (exp (n / sigma ^ 2) - 1).
Proof.
  intros Hs Hn. assert (S2 : 0 < sigma ^ 2) by now apply pow_lt.
  apply bounded_by_geometric; [now apply Rdiv_lt_0_compat|left; apply exp_pos|]. intros j. rewrite <- exp_plus. apply exp_le.
  assert (J : 0 <= INR (S j) ^ 2 / (2 * sigma ^ 2)) by (apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra]).
  replace (- (n ^ 2 / (2 * sigma ^ 2)) + - (n / sigma ^ 2 * INR (S j)))
    with (- ((n + INR (S j)) ^ 2 / (2 * sigma ^ 2)) + INR (S j) ^ 2 / (2 * sigma ^ 2)) by (field; lra). lra.
Qed.
