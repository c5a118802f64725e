(** The constant of Chernoff's bound, c(x) = x^x/(1+x)^(1+x): the greatest value of (1 - e^-u)·e^(-xu) over all u. *)
Require Import Reals Lra.
Open Scope R_scope.

(** Coq's 0^0 is 1, so that c(0) = 1. *)
Definition chernoff_constant (x : R) : R := Rpower x x / Rpower (1 + x) (1 + x).

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; now apply exp_increasing|lra]. Qed.
Lemma exp_unit x : x <= 0 -> 0 < exp x <= 1.
Proof. intros H. split; [apply exp_pos|]. rewrite <- exp_0. now apply exp_le. Qed.
Lemma exp_at_least_1 x : 0 <= x -> 1 <= exp x.
Proof. intros H. rewrite <- exp_0. now apply exp_le. Qed.
Lemma exp_above_1 x : 0 < x -> 1 < exp x.
Proof. intros H. rewrite <- exp_0. now apply exp_increasing. Qed.
Lemma exp_times_opposite x : exp x * exp (- x) = 1.
Proof. rewrite <- exp_plus, Rplus_opp_r. apply exp_0. Qed.
Lemma ln_at_most x : 0 < x -> ln x <= x - 1.
Proof. intros H. generalize (exp_ineq1_le (ln x)). rewrite exp_ln by auto. lra. Qed.

Lemma chernoff_constant_positive x : 0 < chernoff_constant x.
Proof. unfold chernoff_constant, Rpower. apply Rdiv_lt_0_compat; apply exp_pos. Qed.
Theorem chernoff_constant_at_0 : chernoff_constant 0 = 1.
Proof. unfold chernoff_constant, Rpower. rewrite Rplus_0_r, ln_1, Rmult_0_l, Rmult_0_r, exp_0. lra. Qed.

(** Logarithms turn it into ln v <= v - 1, twice. *)
Theorem hockey_stick_below_exponential x u : 0 < x -> Rmax 0 (1 - exp (- u)) <= chernoff_constant x * exp (x * u).
Proof.
  intros Hx. apply Rmax_lub.
  { apply Rmult_le_pos; left; [apply chernoff_constant_positive|apply exp_pos]. }
  destruct (Rle_dec u 0) as [Hu|Hu].
  { assert (1 <= exp (- u)) by (apply exp_at_least_1; lra).
    apply Rle_trans with 0; [lra|]. apply Rmult_le_pos; left; [apply chernoff_constant_positive|apply exp_pos]. }
  assert (Hy : 0 < exp (- u) < 1).
  { split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. }
  assert (H1 := ln_at_most ((1 - exp (- u)) * (1 + x)) ltac:(apply Rmult_lt_0_compat; lra)).
  assert (H2 := ln_at_most (exp (- u) * ((1 + x) / x)) ltac:(repeat apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat; lra)).
  assert (0 < / x) by (apply Rinv_0_lt_compat; lra). assert (0 < (1 + x) * / x) by (apply Rmult_lt_0_compat; lra).
  rewrite ln_mult in H1 by lra. unfold Rdiv in H2. rewrite !ln_mult, ln_exp, ln_Rinv in H2 by lra.
  apply Rmult_le_compat_l with (r := x) in H2; [|lra].
  replace (x * (exp (- u) * ((1 + x) * / x) - 1)) with (exp (- u) * (1 + x) - x) in H2 by (field; lra).
  unfold chernoff_constant, Rpower, Rdiv. rewrite <- exp_Ropp, <- !exp_plus. rewrite <- (exp_ln (1 - exp (- u))) by lra.
  apply exp_le. lra.
Qed.

Theorem exponential_above_one x v : 0 <= x -> Rmax 0 (exp v - 1) <= chernoff_constant x * exp ((1 + x) * v).
Proof.
  intros [Hx|<-].
  - replace (exp v - 1) with (exp v * (1 - exp (- v))) by (rewrite Rmult_minus_distr_l, exp_times_opposite; lra).
    replace 0 with (exp v * 0) by lra. rewrite RmaxRmult by (left; apply exp_pos).
    replace ((1 + x) * v) with (v + x * v) by lra. rewrite exp_plus, <- Rmult_assoc, (Rmult_comm _ (exp v)), Rmult_assoc.
    apply Rmult_le_compat_l; [left; apply exp_pos|]. now apply hockey_stick_below_exponential.
  - rewrite chernoff_constant_at_0, Rplus_0_r, !Rmult_1_l. generalize (exp_pos v). intros. apply Rmax_lub; lra.
Qed.

Theorem least_of_one_and_exponential sigma v : 0 <= sigma <= 1 -> Rmin 1 (exp v) <= exp (sigma * v).
Proof.
  intros H. destruct (Rle_dec v 0) as [Hv|Hv].
  - apply Rle_trans with (exp v); [apply Rmin_r|]. apply exp_le. nra.
  - apply Rle_trans with 1; [apply Rmin_l|]. apply exp_at_least_1. apply Rmult_le_pos; lra.
Qed.
