(** Chernoff's bound with the best constant: δ(ε) <= c(θ)·M(θ)·e^(-θε). *)
Require Import Reals Lra List.
From Certus.semantics Require Import ListSums.
From Certus.account Require Import Constants Curves.
Import ListNotations.
Open Scope R_scope.

Lemma tilted_of_finite_loss theta o : of_finite_loss o -> tilted theta o = P_of o * exp (theta * loss o).
Proof. intros [_ H]. unfold tilted. destruct (Rlt_dec 0 (Q_of o)); [reflexivity|contradiction]. Qed.

Theorem chernoff_bound theta epsilon a :
  0 < theta -> Forall of_finite_loss a -> delta epsilon a <= chernoff_constant theta * moment theta a * exp (- (theta * epsilon)).
Proof.
  intros Ht H. rewrite delta_in_losses by auto. rewrite Forall_forall in H.
  replace (chernoff_constant theta * moment theta a * exp (- (theta * epsilon)))
    with (chernoff_constant theta * exp (- (theta * epsilon)) * moment theta a) by ring.
  unfold moment. rewrite <- list_sum_scal. apply list_sum_le. intros o Ho. rewrite tilted_of_finite_loss by auto.
  replace (chernoff_constant theta * exp (- (theta * epsilon)) * (P_of o * exp (theta * loss o)))
    with (P_of o * (chernoff_constant theta * (exp (theta * loss o) * exp (- (theta * epsilon))))) by ring.
  rewrite <- exp_plus. replace (theta * loss o + - (theta * epsilon)) with (theta * (loss o - epsilon)) by ring.
  apply Rmult_le_compat_l; [left; apply (H o Ho)|]. now apply hockey_stick_below_exponential.
Qed.

(** Of a plan, where the moment is a product of powers. *)
Theorem chernoff_bound_of_a_plan theta epsilon plan :
  0 < theta -> Forall (fun part => Forall of_finite_loss (fst part)) plan ->
  delta epsilon (composed plan) <= chernoff_constant theta * product (moment theta) plan * exp (- (theta * epsilon)).
Proof.
  intros Ht H. rewrite <- moment_of_a_plan.
  - apply chernoff_bound; auto. apply composed_good; auto. apply of_finite_loss_kept.
  - revert H. apply Forall_impl. intros part. apply all_of_finite_loss_possible.
Qed.
