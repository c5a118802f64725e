(** Discrete Gaussian noise of variance parameter σ² on an integer query of sensitivity Δ is Δ²/2σ²-zCDP. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model FiniteSums IntegerSums Geometric Gaussian.
From Certus.privacy Require Import Definitions Theta LaplaceMechanism.
Open Scope R_scope.

Lemma zcdp_weaken A (D : Decidable A) rho rho' (p q : Program A) : rho <= rho' -> zcdp rho p q -> zcdp rho' p q.
Proof.
  intros H [K1 K2]. split; auto. intros alpha Ha l Hl. eapply Rle_trans; [now apply K2|]. apply exp_mono. apply Rmult_le_compat_l; [lra|].
  apply Rmult_le_compat_l; lra.
Qed.

Lemma all_within (l : list Z) : exists N, incl l (integers_within N).
Proof.
  induction l as [|z l [N IH]]; [exists O; intros x []|].
  exists (N + S (Z.abs_nat z))%nat. intros x [<-|Hx]; apply in_integers_within; [lia|].
  apply IH in Hx. apply in_integers_within in Hx. lia.
Qed.

Lemma gaussian_at n d y : (0 < n)%Z -> (0 < d)%Z -> at_output (gaussian n d) y = gaussian_weight n d y / gaussian_normaliser n d.
Proof. apply gaussian_probability. Qed.

(** Every output has positive probability. *)
Lemma gaussian_positive n d y : (0 < n)%Z -> (0 < d)%Z -> 0 < at_output (gaussian n d) y.
Proof.
  intros Hn Hd. rewrite gaussian_at by auto.
  apply Rdiv_lt_0_compat; [apply exp_pos|now apply gaussian_normaliser_is_sum].
Qed.

(** σ² = n/d. *)
Theorem gaussian_mechanism_zcdp n d sensitivity answer answer' : (0 < n)%Z -> (0 < d)%Z ->
  (Z.abs (answer - answer') <= sensitivity)%Z ->
  zcdp (IZR sensitivity ^ 2 / (2 * (IZR n / IZR d))) (add_noise (gaussian n d) answer) (add_noise (gaussian n d) answer').
Proof.
  intros Hn Hd HS. assert (Rn : 0 < IZR n) by (apply (IZR_lt 0); auto). assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
  assert (s2 : 0 < IZR n / IZR d) by now apply Rdiv_lt_0_compat.
  apply zcdp_weaken with (IZR (answer - answer') ^ 2 / (2 * (IZR n / IZR d))).
  { unfold Rdiv at 1 3. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    rewrite <- (pow2_abs (IZR (answer - answer'))), <- abs_IZR. apply pow_incr. split; apply IZR_le; lia. }
  split.
  { intros y H. rewrite add_noise_at in H. generalize (gaussian_positive n d (y - answer') Hn Hd). lra. }
  intros alpha Ha outputs Hl. set (a := / (2 * (IZR n / IZR d))).
  assert (A0 : 0 < a) by (apply Rinv_0_lt_compat; lra).
  assert (W : forall y, gaussian_weight n d y = bell a 0 y).
  { intros y. unfold gaussian_weight, bell, a. f_equal. rewrite Rminus_0_r. unfold Rdiv. ring. }
  destruct (gaussian_normaliser_is_sum n d Hn Hd) as [ZL Z0]. set (T0 := gaussian_normaliser n d) in *.
  assert (HZ : T0 = theta a 0).
  { destruct (theta_all a 0 A0) as (L & _). apply is_lim_seq_unique in L. apply is_lim_seq_unique in ZL.
    rewrite (Lim_seq_ext _ (partial a 0)) in ZL.
    - rewrite L in ZL. now injection ZL.
    - intros N. rewrite sum_within_list. unfold partial. apply list_sum_ext. intros y _. apply W. }
  set (K := exp (alpha * (alpha - 1) * (IZR (answer - answer') ^ 2 * a))).
  replace (exp _) with K by (unfold K, a; f_equal; unfold Rdiv; ring).
  set (c := alpha * IZR answer + (1 - alpha) * IZR answer').
  rewrite (list_sum_ext _ _ _ (fun y => K / T0 * bell a c y)).
  - rewrite list_sum_scal. destruct (all_within outputs) as [N HN]. destruct (theta_all a c A0) as (_ & B & _). specialize (B N). unfold partial in B.
    assert (I := list_sum_incl _ (bell a c) ltac:(intros; left; apply bell_positive) outputs (integers_within N) Hl HN).
    assert (T := theta_max a c A0). rewrite <- HZ in T. assert (0 < K) by apply exp_pos.
    apply Rle_trans with (K / T0 * T0); [|right; field; lra].
    apply Rmult_le_compat_l; [left; now apply Rdiv_lt_0_compat | lra].
  - intros y _. rewrite !add_noise_at. unfold renyi_term.
    destruct (Req_EM_T (at_output (gaussian n d) (y - answer)%Z) 0) as [E|_]; [generalize (gaussian_positive n d (y - answer) Hn Hd); lra|].
    rewrite !gaussian_at, !W by auto. fold T0. unfold Rpower, Rdiv.
    assert (LZ : forall u, ln (bell a 0 u * / T0) = - (a * IZR u ^ 2) - ln T0).
    { intros u. rewrite ln_mult by (try apply bell_positive; now apply Rinv_0_lt_compat). rewrite ln_Rinv by auto.
      unfold bell. rewrite ln_exp, Rminus_0_r. ring. }
    rewrite !LZ. replace (/ T0) with (exp (- ln T0)) by (rewrite exp_Ropp, exp_ln; auto).
    unfold K, bell, c. rewrite <- !exp_plus. f_equal. rewrite !minus_IZR. ring.
Qed.
