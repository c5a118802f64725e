(** Lines side by side are a plan of the accountant's, whose parts are lists: δ_lines(ε) <= d iff δ(ε) <= d for the lines cut off at every N. *)
Require Import Reals Lra Lia List ZArith.
From Certus.semantics Require Import ListSums.
From Certus.privacy Require Import Theta GaussianMechanism.
From Certus.account Require Import Constants Curves Factors Steps NearLine VectorAccount.
Import ListNotations.
Open Scope R_scope.

Section Plans.
Context {A : Type} (upto : nat -> list A) (p q : nat -> A -> R).
Hypothesis upto_good : exhausting upto.
Hypothesis upto_all : forall k, exists N, In k (upto N).

Definition part_of (t N : nat) : Part := map (fun k => outcome (p t k) (q t k)) (upto N).
Fixpoint plan_of (n t N : nat) : Plan := match n with O => [] | S n => (part_of t N, 1%nat) :: plan_of n (S t) N end.

Lemma plan_sum n t N (f : Outcome -> R) :
  list_sum (composed (plan_of n t N)) f = list_sum (tuples (upto N) n) (fun ks => f (outcome (side_by_side n p t ks) (side_by_side n q t ks))).
Proof.
  revert t f. induction n as [|n IH]; intros t f; [reflexivity|].
  cbn [plan_of composed copies]. rewrite sum_compose, sum_compose_comm, sum_compose_nothing. unfold part_of. rewrite list_sum_map.
  symmetry. etransitivity; [exact (list_sum_pairs A (Tuple A n) (upto N) (tuples (upto N) n) _)|].
  apply list_sum_ext. intros k _. rewrite (IH (S t)). apply list_sum_ext. intros ks _. reflexivity.
Qed.
Lemma upto_grows N N' : (N <= N')%nat -> incl (upto N) (upto N').
Proof.
  intros H. induction H as [|N' H IH]; [apply incl_refl|]. apply incl_tran with (1 := IH). apply upto_good.
Qed.
Lemma in_some_tuples n (ks : Tuple A n) : exists N, In ks (tuples (upto N) n).
Proof.
  induction n as [|n IH]; [exists O; destruct ks; now left|]. destruct ks as [k ks]. destruct (upto_all k) as [N H], (IH ks) as [N' H'].
  exists (Nat.max N N'). apply in_prod.
  - apply (upto_grows N); [lia|auto].
  - apply (tuples_incl _ (upto N')); [apply upto_grows; lia|auto].
Qed.
Lemma all_in_some_tuples n (l : list (Tuple A n)) : exists N, incl l (tuples (upto N) n).
Proof.
  induction l as [|ks l [N IH]]; [exists O; intros x []|]. destruct (in_some_tuples n ks) as [N' H]. exists (Nat.max N N').
  intros x [<-|Hx]; [apply (tuples_incl _ (upto N')); [apply upto_grows; lia|auto]|].
  apply (tuples_incl _ (upto N)); [apply upto_grows; lia|auto].
Qed.
Theorem lines_are_a_plan epsilon d n :
  curve_at_most epsilon d (side_by_side n p 0) (side_by_side n q 0) <-> forall N, delta epsilon (composed (plan_of n 0 N)) <= d.
Proof.
  assert (E : forall N, delta epsilon (composed (plan_of n 0 N))
      = list_sum (tuples (upto N) n) (excess epsilon (side_by_side n p 0) (side_by_side n q 0)))
    by (intros N; unfold delta; rewrite plan_sum; reflexivity).
  split.
  - intros H N. rewrite E. apply H. apply tuples_distinct, upto_good.
  - intros H l Hl. destruct (all_in_some_tuples n l) as [N HN]. specialize (H N). rewrite E in H. eapply Rle_trans; [|exact H].
    apply list_sum_incl; auto. intros ks. apply Rmax_l.
Qed.
End Plans.

(** n copies of one line. *)
Theorem equal_lines_are_copies A (upto : nat -> list A) (p q : A -> R) epsilon n N :
  delta epsilon (composed (plan_of upto (fun _ => p) (fun _ => q) n 0 N)) = delta epsilon (copies n (part_of upto (fun _ => p) (fun _ => q) 0 N)).
Proof.
  unfold delta. generalize (fun o => Rmax 0 (P_of o - exp epsilon * Q_of o)). generalize 0%nat at 1.
  induction n as [|n IH]; intros t f; [reflexivity|].
  cbn [plan_of composed copies]. rewrite sum_compose, sum_compose_comm, sum_compose_nothing, sum_compose. apply list_sum_ext. intros o _.
  rewrite (IH (S t) (fun o' => f (both o o'))). reflexivity.
Qed.

(** Every integer is reached. *)
Theorem integer_lines_are_a_plan (p q : nat -> Z -> R) epsilon d n :
  curve_at_most epsilon d (side_by_side n p 0) (side_by_side n q 0) <-> forall N, delta epsilon (composed (plan_of integers_within p q n 0 N)) <= d.
Proof.
  apply lines_are_a_plan; [apply integers_exhausting|]. intros k. exists (S (Z.abs_nat k)). apply in_integers_within. lia.
Qed.
