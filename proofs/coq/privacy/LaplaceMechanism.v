(** Discrete Laplace noise of scale s on an integer query of sensitivity Δ is Δ/s-DP, for every event. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model FiniteSums Geometric Laplace.
From Certus.privacy Require Import Definitions.
Open Scope R_scope.

Lemma add_noise_at noise answer y : at_output (add_noise noise answer) y = at_output noise (y - answer)%Z.
Proof.
  unfold at_output, probability, add_noise. rewrite expect_bind by auto. apply expect_ext. intros v. rewrite expect_return.
  unfold indicator. simpl. destruct (Z.eqb_spec y (answer + v)), (Z.eqb_spec (y - answer) v); auto; lia.
Qed.

(** s = n/d. *)
Theorem laplace_mechanism_private n d sensitivity answer answer' : (0 < n)%Z -> (0 < d)%Z ->
  (Z.abs (answer - answer') <= sensitivity)%Z ->
  pure_dp (IZR sensitivity / (IZR n / IZR d)) (add_noise (laplace n d) answer) (add_noise (laplace n d) answer').
Proof.
  intros Hn Hd HS event. apply expect_le_by_outputs; auto; [left; apply exp_pos|]. intros y. rewrite !add_noise_at.
  unfold at_output. simpl same. change (probability (laplace n d) (Z.eqb (y - answer))) with (probability (laplace n d) (Z.eqb (y - answer))).
  rewrite !laplace_probability by auto. assert (He := ratio_bounds n d Hn Hd). set (e := ratio n d) in *.
  apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. set (K := (1 - e) / (1 + e)).
  assert (0 <= K) by (left; apply Rdiv_lt_0_compat; lra).
  rewrite (Rmult_comm (exp (IZR sensitivity / _))), Rmult_assoc, <- exp_plus. apply Rmult_le_compat_l; auto.
  assert (s0 : 0 < IZR n / IZR d) by now apply Rdiv_lt_0_compat. set (s := IZR n / IZR d) in *.
  assert (L : - (Rabs (IZR (y - answer)) / s) <= - (Rabs (IZR (y - answer')) / s) + IZR sensitivity / s).
  { assert (T : Rabs (IZR (y - answer')) <= Rabs (IZR (y - answer)) + IZR sensitivity).
    { apply IZR_le in HS. rewrite abs_IZR in HS.
      replace (IZR (y - answer')) with (IZR (y - answer) + IZR (answer - answer')) by (rewrite !minus_IZR; lra).
      eapply Rle_trans; [apply Rabs_triang|lra]. }
    apply Rmult_le_compat_r with (r := / s) in T; [|left; now apply Rinv_0_lt_compat]. unfold Rdiv. lra. }
  destruct L as [L| ->]; [left; now apply exp_increasing|lra].
Qed.
