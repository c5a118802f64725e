(** Pairs of distributions as finite lists of outcomes, their curves δ(ε), and what composing them does to masses and moments.

    The notation is that of the accountant: a part's outcome has a mass under P and one under Q, and the loss ln(P/Q). Masses need not add
    up to 1. A plan is a list of parts, each with the number of its copies; its outcomes are all the combinations of theirs. *)
Require Import Reals Lra List.
From Certus.semantics Require Import ListSums.
From Certus.account Require Import Constants.
Import ListNotations.
Open Scope R_scope.

Record Outcome := outcome { P_of : R; Q_of : R }.
Definition Part := list Outcome.
Definition loss (o : Outcome) : R := ln (P_of o / Q_of o).

(** δ(ε) = Σ (P - e^ε·Q)₊, which is E[(1 - e^(ε-S))₊] over the losses S, drawn from P. *)
Definition delta (epsilon : R) (a : Part) : R := list_sum a (fun o => Rmax 0 (P_of o - exp epsilon * Q_of o)).
(** P* and Q*. *)
Definition P_mass (a : Part) : R := list_sum a P_of.
Definition Q_mass (a : Part) : R := list_sum a Q_of.
(** M(θ) = Σ P·e^(θ·loss). Where Q is 0 the loss is infinite, and there is no term: right for θ < 0, and for θ > 0 no such outcome may be there. *)
Definition tilted (theta : R) (o : Outcome) : R := if Rlt_dec 0 (Q_of o) then P_of o * exp (theta * loss o) else 0.
Definition moment (theta : R) (a : Part) : R := list_sum a (tilted theta).

Definition possible (o : Outcome) : Prop := 0 <= P_of o /\ 0 <= Q_of o.
Definition of_finite_loss (o : Outcome) : Prop := 0 < P_of o /\ 0 < Q_of o.

Definition both (o o' : Outcome) : Outcome := outcome (P_of o * P_of o') (Q_of o * Q_of o').
Definition nothing : Outcome := outcome 1 1.
Definition compose (a b : Part) : Part := map (fun z => both (fst z) (snd z)) (list_prod a b).
Fixpoint copies (k : nat) (a : Part) : Part := match k with O => [nothing] | S k => compose a (copies k a) end.
Definition Plan := list (Part * nat).
Fixpoint composed (plan : Plan) : Part :=
  match plan with [] => [nothing] | (a, k) :: rest => compose (copies k a) (composed rest) end.

(** Π f(part)^copies. *)
Fixpoint product (f : Part -> R) (plan : Plan) : R := match plan with [] => 1 | (a, k) :: rest => f a ^ k * product f rest end.

Lemma outcome_eq o o' : P_of o = P_of o' -> Q_of o = Q_of o' -> o = o'.
Proof. destruct o, o'. simpl. intros -> ->. reflexivity. Qed.
Lemma both_assoc o o' o'' : both o (both o' o'') = both (both o o') o''.
Proof. apply outcome_eq; simpl; ring. Qed.
Lemma both_comm o o' : both o o' = both o' o.
Proof. apply outcome_eq; simpl; ring. Qed.
Lemma both_nothing o : both nothing o = o.
Proof. apply outcome_eq; simpl; ring. Qed.

(** Sums over a composition are double sums. *)
Lemma sum_compose a b (f : Outcome -> R) : list_sum (compose a b) f = list_sum a (fun o => list_sum b (fun o' => f (both o o'))).
Proof.
  unfold compose. rewrite list_sum_map. induction a as [|o a IH]; simpl; [reflexivity|].
  rewrite list_sum_app, IH, list_sum_map. reflexivity.
Qed.
Lemma list_sum_swap A B (l : list A) (l' : list B) (f : A -> B -> R) :
  list_sum l (fun x => list_sum l' (fun y => f x y)) = list_sum l' (fun y => list_sum l (fun x => f x y)).
Proof.
  induction l as [|x l IH]; simpl.
  - symmetry. rewrite (list_sum_ext _ l' _ (fun _ => 0 * 0)) by (intros; lra). rewrite list_sum_scal. lra.
  - rewrite IH, <- list_sum_plus. reflexivity.
Qed.
Lemma sum_compose_comm a b f : list_sum (compose a b) f = list_sum (compose b a) f.
Proof.
  rewrite !sum_compose, list_sum_swap. apply list_sum_ext. intros o _. apply list_sum_ext. intros o' _. now rewrite both_comm.
Qed.
Lemma sum_compose_assoc a b c f : list_sum (compose a (compose b c)) f = list_sum (compose (compose a b) c) f.
Proof.
  rewrite !sum_compose. apply list_sum_ext. intros o _. rewrite sum_compose.
  apply list_sum_ext. intros o' _. apply list_sum_ext. intros o'' _. now rewrite both_assoc.
Qed.
Lemma sum_compose_nothing a f : list_sum (compose [nothing] a) f = list_sum a f.
Proof. rewrite sum_compose. simpl. rewrite Rplus_0_r. apply list_sum_ext. intros o _. now rewrite both_nothing. Qed.

(** What holds of the parts' outcomes holds of the plan's, if it is kept when two outcomes are taken together. *)
Definition kept_together (good : Outcome -> Prop) : Prop := good nothing /\ forall o o', good o -> good o' -> good (both o o').
Lemma possible_kept : kept_together possible.
Proof. split; [unfold possible; simpl; lra|]. intros o o' [] []. split; simpl; now apply Rmult_le_pos. Qed.
Lemma of_finite_loss_kept : kept_together of_finite_loss.
Proof. split; [unfold of_finite_loss; simpl; lra|]. intros o o' [] []. split; simpl; now apply Rmult_lt_0_compat. Qed.
Lemma of_finite_loss_possible o : of_finite_loss o -> possible o.
Proof. intros []. split; lra. Qed.
Lemma all_of_finite_loss_possible a : Forall of_finite_loss a -> Forall possible a.
Proof. apply Forall_impl. exact of_finite_loss_possible. Qed.
Lemma compose_good good a b : kept_together good -> Forall good a -> Forall good b -> Forall good (compose a b).
Proof.
  intros [_ G] Ha Hb. rewrite Forall_forall in *. intros o H. unfold compose in H. apply in_map_iff in H.
  destruct H as ([x y] & <- & H). apply in_prod_iff in H. apply G; [apply Ha|apply Hb]; tauto.
Qed.
Lemma copies_good good k a : kept_together good -> Forall good a -> Forall good (copies k a).
Proof. intros G H. induction k; simpl; [constructor; [apply G|constructor]|]. now apply compose_good. Qed.
Lemma composed_good good (plan : Plan) :
  kept_together good -> Forall (fun part => Forall good (fst part)) plan -> Forall good (composed plan).
Proof.
  intros G. induction plan as [|[a k] plan IH]; intros H; simpl; [constructor; [apply G|constructor]|].
  inversion H; subst. apply compose_good; auto. now apply copies_good.
Qed.

(** Sums of what is multiplied are multiplied: masses and moments. *)
Definition multiplied (f : Outcome -> R) : Prop :=
  f nothing = 1 /\ forall o o', possible o -> possible o' -> f (both o o') = f o * f o'.
Lemma sum_compose_multiplied f a b :
  multiplied f -> Forall possible a -> Forall possible b -> list_sum (compose a b) f = list_sum a f * list_sum b f.
Proof.
  intros [_ H] Ha Hb. rewrite Forall_forall in *. rewrite sum_compose.
  rewrite (list_sum_ext _ a _ (fun o => list_sum b f * f o)).
  - rewrite list_sum_scal. ring.
  - intros o Ho. rewrite (list_sum_ext _ b _ (fun o' => f o * f o')) by auto. rewrite list_sum_scal. ring.
Qed.
Lemma sum_copies_multiplied f k a : multiplied f -> Forall possible a -> list_sum (copies k a) f = list_sum a f ^ k.
Proof.
  intros M H. induction k; simpl; [rewrite (proj1 M); lra|].
  rewrite sum_compose_multiplied, IHk; auto. apply copies_good; auto. apply possible_kept.
Qed.
Definition possible_plan (plan : Plan) : Prop := Forall (fun part => Forall possible (fst part)) plan.
Lemma composed_possible plan : possible_plan plan -> Forall possible (composed plan).
Proof. apply composed_good, possible_kept. Qed.
Lemma sum_composed_multiplied f plan :
  multiplied f -> possible_plan plan -> list_sum (composed plan) f = product (fun a => list_sum a f) plan.
Proof.
  intros M. induction plan as [|[a k] plan IH]; intros H; simpl; [rewrite (proj1 M); lra|].
  inversion H as [|? ? Ha Hp]; subst. simpl in Ha. rewrite sum_compose_multiplied, sum_copies_multiplied, IH; auto.
  - apply copies_good; auto. apply possible_kept.
  - now apply composed_possible.
Qed.

Lemma P_multiplied : multiplied P_of. Proof. split; reflexivity. Qed.
Lemma Q_multiplied : multiplied Q_of. Proof. split; reflexivity. Qed.
Lemma loss_both o o' : of_finite_loss o -> of_finite_loss o' -> loss (both o o') = loss o + loss o'.
Proof.
  intros [H1 H2] [H3 H4]. unfold loss, both. simpl. rewrite <- ln_mult by now apply Rdiv_lt_0_compat. f_equal. field. lra.
Qed.
Lemma loss_nothing : loss nothing = 0.
Proof. unfold loss, nothing. simpl. replace (1 / 1) with 1 by lra. apply ln_1. Qed.
Lemma tilted_multiplied theta : multiplied (tilted theta).
Proof.
  split.
  - unfold tilted. rewrite loss_nothing, Rmult_0_r, exp_0. simpl. destruct (Rlt_dec 0 1); lra.
  - intros o o' [H1 H2] [H3 H4]. unfold tilted. destruct (Rlt_dec 0 (Q_of o)) as [Q|Q], (Rlt_dec 0 (Q_of o')) as [Q'|Q'].
    2-4: destruct (Rlt_dec 0 (Q_of (both o o'))) as [Q2|Q2]; try lra; simpl in Q2; exfalso; nra.
    destruct (Rlt_dec 0 (Q_of (both o o'))) as [Q2|Q2]; [|exfalso; apply Q2; now apply Rmult_lt_0_compat].
    destruct H1 as [H1|H1]; [|simpl; rewrite <- H1; lra]. destruct H3 as [H3|H3]; [|simpl; rewrite <- H3; lra].
    rewrite loss_both by (split; auto). simpl. rewrite Rmult_plus_distr_l, exp_plus. ring.
Qed.

Theorem masses_of_a_plan plan :
  possible_plan plan -> P_mass (composed plan) = product P_mass plan /\ Q_mass (composed plan) = product Q_mass plan.
Proof. intros H. split; apply sum_composed_multiplied; auto; [apply P_multiplied|apply Q_multiplied]. Qed.
Theorem moment_of_a_plan theta plan : possible_plan plan -> moment theta (composed plan) = product (moment theta) plan.
Proof. intros H. apply sum_composed_multiplied; auto. apply tilted_multiplied. Qed.

Lemma delta_nonneg epsilon a : 0 <= delta epsilon a.
Proof. apply list_sum_nonneg. intros. apply Rmax_l. Qed.
Lemma delta_at_most_mass epsilon a : Forall possible a -> delta epsilon a <= P_mass a.
Proof.
  intros H. apply list_sum_le. intros o Ho. rewrite Forall_forall in H. destruct (H o Ho) as [H1 H2].
  assert (0 <= exp epsilon * Q_of o) by (apply Rmult_le_pos; [left; apply exp_pos|auto]). apply Rmax_lub; lra.
Qed.
Lemma tilted_nonneg theta o : possible o -> 0 <= tilted theta o.
Proof. intros [H _]. unfold tilted. destruct (Rlt_dec 0 (Q_of o)); [|lra]. apply Rmult_le_pos; [auto|left; apply exp_pos]. Qed.

(** An outcome's term in its loss u above ε: P·(1 - e^-u)₊. *)
Lemma loss_is o : of_finite_loss o -> Q_of o = P_of o * exp (- loss o).
Proof.
  intros [H1 H2]. unfold loss. rewrite exp_Ropp, exp_ln by now apply Rdiv_lt_0_compat. field. lra.
Qed.
Lemma term_in_loss epsilon o :
  of_finite_loss o -> Rmax 0 (P_of o - exp epsilon * Q_of o) = P_of o * Rmax 0 (1 - exp (- (loss o - epsilon))).
Proof.
  intros H. assert (H' := H). destruct H' as [H1 _]. rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal.
  rewrite (loss_is o H). replace (- (loss o - epsilon)) with (epsilon + - loss o) by lra. rewrite exp_plus. ring.
Qed.
Theorem delta_in_losses epsilon a :
  Forall of_finite_loss a -> delta epsilon a = list_sum a (fun o => P_of o * Rmax 0 (1 - exp (- (loss o - epsilon)))).
Proof. intros H. rewrite Forall_forall in H. apply list_sum_ext. intros o Ho. apply term_in_loss. auto. Qed.
