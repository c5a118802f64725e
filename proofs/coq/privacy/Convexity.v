(** x^α is convex, as it is needed here: above its tangents. *)
Require Import Reals Lra Lia.
From Certus.samplers Require Import Gaussian.
From Certus.privacy Require Import Definitions.
Open Scope R_scope.

Lemma exp_above_tangent x : 1 + x <= exp x.
Proof. destruct (Req_dec x 0) as [->|N]; [rewrite exp_0; lra|left; now apply exp_ineq1]. Qed.

(** t^α >= 1 + α·(t - 1). *)
Lemma power_above_tangent_at_one alpha t : 1 < alpha -> 0 < t -> 1 + alpha * (t - 1) <= Rpower t alpha.
Proof.
  intros Ha Ht. set (s := ln t). assert (Et : t = exp s) by (unfold s; now rewrite exp_ln).
  unfold Rpower. fold s. set (l := / alpha). assert (l0 : 0 < l < 1).
  { unfold l. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  (* convexity of exp, at s between 0 and α·s *)
  assert (T1 : exp s * (1 + (alpha * s - s)) <= exp (alpha * s)).
  { replace (exp (alpha * s)) with (exp s * exp (alpha * s - s)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_above_tangent]. }
  assert (T0 : exp s * (1 + (0 - s)) <= 1).
  { replace 1 with (exp s * exp (0 - s)) at 2 by (rewrite <- exp_plus; replace (s + (0 - s)) with 0 by ring; apply exp_0).
    apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_above_tangent]. }
  assert (E0 := exp_pos s). rewrite Et.
  assert (exp s * alpha <= exp (alpha * s) + (alpha - 1)); [|lra].
  apply Rmult_le_compat_l with (r := alpha - 1) in T0; [|lra]. nra.
Qed.

(** A term of the Rényi sum lies above a line in (x, y), for every slope c > 0. *)
Lemma renyi_term_above_line alpha c x y : 1 < alpha -> 0 < c -> 0 <= x -> 0 <= y -> (y = 0 -> x = 0) ->
  alpha * Rpower c (alpha - 1) * x - (alpha - 1) * Rpower c alpha * y <= renyi_term alpha x y.
Proof.
  intros Ha Hc Hx Hy Hxy. assert (C0 : 0 < Rpower c (alpha - 1)) by apply exp_pos. assert (C1 : 0 < Rpower c alpha) by apply exp_pos.
  unfold renyi_term. destruct (Req_EM_T x 0) as [->|N].
  - assert (0 <= (alpha - 1) * Rpower c alpha * y) by (apply Rmult_le_pos; [|auto]; apply Rmult_le_pos; lra). lra.
  - assert (Y : 0 < y) by (assert (y <> 0) by auto; lra). assert (X : 0 < x) by lra.
    assert (T := power_above_tangent_at_one alpha (x / y / c) Ha ltac:(repeat apply Rdiv_lt_0_compat; auto)).
    (* times c^α·y *)
    apply Rmult_le_compat_l with (r := Rpower c alpha * y) in T; [|apply Rmult_le_pos; lra].
    assert (Cs : Rpower c alpha = Rpower c (alpha - 1) * c).
    { rewrite <- (Rpower_1 c Hc) at 3. rewrite <- Rpower_plus. f_equal. ring. }
    assert (E : Rpower c alpha * y * Rpower (x / y / c) alpha = Rpower x alpha * Rpower y (1 - alpha)).
    { unfold Rpower. rewrite <- (exp_ln y Y) at 1. rewrite <- !exp_plus. f_equal.
      unfold Rdiv. rewrite !ln_mult by (repeat apply Rmult_lt_0_compat; auto; now apply Rinv_0_lt_compat). rewrite !ln_Rinv by auto. ring. }
    rewrite E in T. apply Rle_trans with (2 := T). right. rewrite Cs. field. lra.
Qed.
(** It touches that line where x = c·y. *)
Lemma renyi_term_on_line alpha x y : 1 < alpha -> 0 < x -> 0 < y ->
  renyi_term alpha x y = alpha * Rpower (x / y) (alpha - 1) * x - (alpha - 1) * Rpower (x / y) alpha * y.
Proof.
  intros Ha X Y. unfold renyi_term. destruct (Req_EM_T x 0); [lra|].
  assert (C : 0 < x / y) by now apply Rdiv_lt_0_compat.
  assert (Cs : Rpower (x / y) alpha = Rpower (x / y) (alpha - 1) * (x / y)).
  { rewrite <- (Rpower_1 (x / y) C) at 3. rewrite <- Rpower_plus. f_equal. ring. }
  assert (E : Rpower x alpha * Rpower y (1 - alpha) = Rpower (x / y) alpha * y).
  { unfold Rpower. rewrite <- (exp_ln y Y) at 3. rewrite <- !exp_plus. f_equal.
    unfold Rdiv. rewrite ln_mult by (auto; now apply Rinv_0_lt_compat). rewrite ln_Rinv by auto. ring. }
  rewrite E, Cs. field. lra.
Qed.
