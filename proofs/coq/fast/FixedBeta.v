(** β as the Rust states it, [Shape::beta]: a bound of the probability that a trial is ambiguous, divided by a
    bound of the probability that it is accepted. The bounds of the latter, of [Bucketed::new] and
    [Digits::of], hold. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums IntegerSums Geometric Gaussian.
From Certus.fast Require Import Buckets FixedWork.
Open Scope R_scope.

(** β of the theorems is at most the β that is stated. *)
Theorem stated_beta_bounds W T Y (draw : Program W) (trial : W -> Trial Y) (settle : W -> Program (T * option Y)) words acceptance :
  ambiguity draw trial <= words -> 0 < acceptance <= 1 - retry_share (fixed_step draw trial settle) ->
  beta draw trial settle <= words / acceptance.
Proof.
  intros HW [A0 A1]. unfold beta. assert (0 <= ambiguity draw trial) by (apply expect_unit; auto). set (r := 1 - retry_share _) in *.
  assert (I : / r <= / acceptance) by (apply Rinv_le_contravar; lra). assert (0 < / r) by (apply Rinv_0_lt_compat; lra).
  unfold Rdiv. apply Rmult_le_compat; lra.
Qed.

(** [Digits::of]: (s − 1/2)·(1 − e^(-w/s))/w. *)
Theorem laplace_acceptance_bound n d (w : nat) : (0 < n)%Z -> (0 < d)%Z -> (0 < w)%nat ->
  let s := IZR n / IZR d in let q := ratio n d in
  (s - 1 / 2) * (1 - q ^ w) / INR w <= (1 + q) / (1 - q) * (1 - q ^ w) / (2 * INR w).
Proof.
  intros Hn Hd Hw s q. assert (He := ratio_bounds n d Hn Hd). fold q in He. assert (W : 0 < INR w) by (apply lt_0_INR; lia).
  apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd.
  assert (Q : 1 - IZR d / IZR n <= q) by (unfold q, ratio; generalize (exp_ineq1_le (- (IZR d / IZR n))); lra).
  assert (S0 : 0 < s) by (unfold s; now apply Rdiv_lt_0_compat).
  assert (SQ : s * (1 - q) <= 1).
  { apply Rle_trans with (s * (IZR d / IZR n)); [apply Rmult_le_compat_l; lra|]. right. unfold s. field. lra. }
  assert (P : 0 < q ^ w < 1).
  { split; [apply pow_lt; lra|]. replace w with (S (w - 1)) by lia. simpl. assert (0 < q ^ (w - 1) <= 1); [|nra].
    split; [apply pow_lt; lra|]. rewrite <- (pow1 (w - 1)). apply pow_incr. lra. }
  assert (B : 2 * s - 1 <= (1 + q) / (1 - q)).
  { apply Rmult_le_reg_r with (1 - q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  replace ((s - 1 / 2) * (1 - q ^ w) / INR w) with ((2 * s - 1) * ((1 - q ^ w) / (2 * INR w))) by (field; lra).
  replace ((1 + q) / (1 - q) * (1 - q ^ w) / (2 * INR w)) with ((1 + q) / (1 - q) * ((1 - q ^ w) / (2 * INR w))) by (field; lra).
  apply Rmult_le_compat_r; auto. left. apply Rdiv_lt_0_compat; lra.
Qed.

(** [Bucketed::new]: (h·(S_h − 1) + 1/2)/(w·S_w), where S_h is the sum of g(jh) over j >= 0, g(k) =
    e^(-k²/2σ²), for any h >= 1. *)
Theorem gaussian_acceptance_bound n d (h w : nat) (parts buckets : R) : (0 < n)%Z -> (0 < d)%Z -> (0 < h)%nat -> (0 < w)%nat -> 0 < buckets ->
  is_lim_seq (fun m => sum_below m (fun j => gaussian_decay n d (j * h))) parts ->
  (INR h * (parts - 1) + 1 / 2) / (INR w * buckets) <= gaussian_normaliser n d / (2 * INR w * buckets).
Proof.
  intros Hn Hd Hh Hw Hb HP. assert (W : 0 < INR w) by (apply lt_0_INR; lia). set (f := gaussian_decay n d) in *.
  assert (Rn : 0 < IZR n) by (apply (IZR_lt 0); auto). assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
  assert (s2 : 0 < 2 * (IZR n / IZR d)) by (generalize (Rdiv_lt_0_compat _ _ Rn Rd); lra).
  assert (F0 : f O = 1).
  { unfold f, gaussian_decay, gaussian_weight. replace (- (IZR (Z.of_nat 0) ^ 2 / (2 * (IZR n / IZR d)))) with 0 by (simpl; field; lra). apply exp_0. }
  assert (Fp : forall k, 0 < f k) by (intros k; apply exp_pos).
  assert (Fall : forall j k, (j <= k)%nat -> f k <= f j).
  { intros j k H. unfold f, gaussian_decay, gaussian_weight. apply exp_mono. apply Ropp_le_contravar. unfold Rdiv. apply Rmult_le_compat_r.
    - left. now apply Rinv_0_lt_compat.
    - apply pow_incr. split; apply IZR_le; lia. }
  destruct (gaussian_normaliser_is_sum n d Hn Hd) as [L _]. set (N := gaussian_normaliser n d) in *.
  assert (Up : forall m, sum_within m (gaussian_weight n d) <= N).
  { intros m. apply (is_lim_seq_incr_compare (fun m => sum_within m (gaussian_weight n d))); auto. intros k. unfold sum_within. rewrite !sum_below_S.
    generalize (exp_pos (- (IZR (Z.of_nat k) ^ 2 / (2 * (IZR n / IZR d))))) (exp_pos (- (IZR (-1 - Z.of_nat k) ^ 2 / (2 * (IZR n / IZR d))))). unfold gaussian_weight. lra. }
  assert (Low : forall m, 1 + 2 * INR h * (sum_below (S m) (fun j => f (j * h)%nat) - 1) <= N).
  { intros m. apply Rle_trans with (2 := Up (S (m * h))).
    assert (E : sum_within (S (m * h)) (gaussian_weight n d) = sum_below (S (m * h)) f + sum_below (S (m * h)) (fun k => f (S k))).
    { unfold sum_within. f_equal. apply sum_below_ext. intros k _. unfold f, gaussian_decay, gaussian_weight. do 3 f_equal.
      replace (-1 - Z.of_nat k)%Z with (- Z.of_nat (S k))%Z by lia. rewrite opp_IZR. ring. }
    assert (Shift : forall g k, sum_below (S k) g = g O + sum_below k (fun i => g (S i))).
    { intros g. induction k; [simpl; lra|]. rewrite sum_below_S, IHk, sum_below_S. lra. }
    assert (Block : INR h * sum_below m (fun j => f (S j * h)%nat) <= sum_below (m * h) (fun k => f (S k))).
    { rewrite sum_below_block, <- sum_below_scal. apply sum_below_le. intros j _. rewrite <- sum_below_const. apply sum_below_le. intros i Hi. apply Fall. simpl. lia. }
    rewrite E, (Shift f (m * h)%nat), (sum_below_S (m * h) (fun k => f (S k))), (Shift (fun j => f (j * h)%nat) m). cbn [Nat.mul] in Block |- *. rewrite F0. generalize (Fp (S (m * h))). nra. }
  assert (B : 1 + 2 * INR h * (parts - 1) <= N).
  { assert (L2 : is_lim_seq (fun m => 1 + 2 * INR h * (sum_below (S m) (fun j => f (j * h)%nat) - 1)) (1 + 2 * INR h * (parts - 1))).
    { apply is_lim_seq_plus'; [apply is_lim_seq_const|]. apply (is_lim_seq_scal_l _ (2 * INR h) (Finite _)). apply is_lim_seq_minus'; [|apply is_lim_seq_const].
      now apply (is_lim_seq_incr_1 (fun m => sum_below m (fun j => f (j * h)%nat))). }
    apply (is_lim_seq_le _ (fun _ => N) (1 + 2 * INR h * (parts - 1)) N Low L2). apply is_lim_seq_const. }
  replace ((INR h * (parts - 1) + 1 / 2) / (INR w * buckets)) with ((1 + 2 * INR h * (parts - 1)) / (2 * INR w * buckets)) by (field; lra).
  apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra.
Qed.
