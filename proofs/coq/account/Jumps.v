(** Jumps: conditioned on the outcomes of large loss, δ is the sum of the others' δ at what ε is left.

    δ(ε) = Σ weight·δ_C(ε - l) over the sums l of the jumps' losses. That is exact; numbers of jumps that are not listed add at most their
    mass under P. *)
Require Import Reals Lra Lia List Arith.
From Certus.semantics Require Import ListSums.
From Certus.samplers Require Import FiniteSums.
From Certus.account Require Import Constants Curves.
Import ListNotations.
Open Scope R_scope.

Lemma delta_after epsilon o b : of_finite_loss o ->
  list_sum b (fun o' => Rmax 0 (P_of (both o o') - exp epsilon * Q_of (both o o'))) = P_of o * delta (epsilon - loss o) b.
Proof.
  intros H. assert (H' := H). destruct H' as [H1 _]. unfold delta. rewrite <- list_sum_scal. apply list_sum_ext. intros o' _.
  rewrite <- RmaxRmult, Rmult_0_r by lra. f_equal. simpl. rewrite (loss_is o H) at 1. unfold Rminus at 3. rewrite exp_plus. ring.
Qed.

(** The core: composed with anything, a part's outcomes shift ε by their losses. *)
Theorem delta_given_the_outcomes epsilon a b :
  Forall of_finite_loss a -> delta epsilon (compose a b) = list_sum a (fun o => P_of o * delta (epsilon - loss o) b).
Proof.
  intros H. rewrite Forall_forall in H. unfold delta at 1. rewrite sum_compose. apply list_sum_ext. intros o Ho.
  apply delta_after. auto.
Qed.

(** How many ways there are to choose which of n copies jump, by Pascal's rule. *)
Fixpoint ways (n j : nat) : nat :=
  match n, j with _, O => 1 | O, S _ => 0 | S n, S j => ways n j + ways n (S j) end.
Lemma ways_0 n : ways n 0 = 1%nat. Proof. destruct n; reflexivity. Qed.
Lemma ways_beyond n : forall j, (n < j)%nat -> ways n j = 0%nat.
Proof. induction n; intros [|j] H; simpl; try lia. rewrite !IHn by lia. reflexivity. Qed.

Lemma sum_below_first n f : sum_below (S n) f = f O + sum_below n (fun i => f (S i)).
Proof. induction n; [simpl; lra|]. rewrite sum_below_S, IHn. simpl. lra. Qed.
Lemma list_sum_sum_below A (l : list A) n (f : A -> nat -> R) :
  list_sum l (fun x => sum_below n (f x)) = sum_below n (fun i => list_sum l (fun x => f x i)).
Proof. induction n; simpl; [|rewrite <- IHn, <- list_sum_plus; reflexivity]. induction l; simpl; lra. Qed.

(** Sums over j jumps and n others. *)
Definition with_jumps (jumps others : Part) (f : Outcome -> R) (j n : nat) : R :=
  list_sum (copies j jumps) (fun x => list_sum (copies n others) (fun y => f (both x y))).
Lemma one_more_jump jumps others f j n :
  list_sum jumps (fun o => with_jumps jumps others (fun x => f (both o x)) j n) = with_jumps jumps others f (S j) n.
Proof.
  unfold with_jumps. simpl copies. rewrite sum_compose. apply list_sum_ext. intros o _. apply list_sum_ext. intros x _.
  apply list_sum_ext. intros y _. now rewrite both_assoc.
Qed.
Lemma one_more_other jumps others f j n :
  list_sum others (fun o => with_jumps jumps others (fun x => f (both o x)) j n) = with_jumps jumps others f j (S n).
Proof.
  unfold with_jumps. simpl copies. rewrite list_sum_swap. apply list_sum_ext. intros x _. rewrite sum_compose.
  apply list_sum_ext. intros o _. apply list_sum_ext. intros y _. now rewrite !both_assoc, (both_comm o x).
Qed.

(** The binomial theorem, over outcomes. *)
Lemma sum_copies_by_jumps jumps others k : forall f,
  list_sum (copies k (jumps ++ others)) f = sum_below (S k) (fun j => INR (ways k j) * with_jumps jumps others f j (k - j)).
Proof.
  induction k as [|k IH]; intros f.
  { simpl. unfold with_jumps. simpl. rewrite both_nothing. lra. }
  simpl copies. rewrite sum_compose, list_sum_app.
  set (S1 := fun j n => with_jumps jumps others f j n).
  assert (E1 : list_sum jumps (fun o => list_sum (copies k (jumps ++ others)) (fun o' => f (both o o')))
    = sum_below (S k) (fun j => INR (ways k j) * S1 (S j) (k - j)%nat)).
  { rewrite (list_sum_ext _ _ _ _ (fun o _ => IH (fun o' => f (both o o')))), list_sum_sum_below.
    apply sum_below_ext. intros j _. rewrite list_sum_scal. f_equal. apply one_more_jump. }
  assert (E2 : list_sum others (fun o => list_sum (copies k (jumps ++ others)) (fun o' => f (both o o')))
    = sum_below (S k) (fun j => INR (ways k j) * S1 j (S k - j)%nat)).
  { rewrite (list_sum_ext _ _ _ _ (fun o _ => IH (fun o' => f (both o o')))), list_sum_sum_below.
    apply sum_below_ext. intros j Hj. rewrite list_sum_scal, one_more_other. replace (S k - j)%nat with (S (k - j)) by lia. reflexivity. }
  assert (E3 : sum_below (S k) (fun j => INR (ways k j) * S1 j (S k - j)%nat)
    = S1 O (S k) + sum_below (S k) (fun i => INR (ways k (S i)) * S1 (S i) (k - i)%nat)).
  { rewrite sum_below_first, (sum_below_S k (fun i => INR (ways k (S i)) * _)), ways_0, (ways_beyond k (S k)) by lia. simpl. lra. }
  rewrite E1, E2, E3. rewrite (sum_below_first (S k)), ways_0.
  rewrite (sum_below_ext (S k) (fun i => INR (ways (S k) (S i)) * _)
    (fun i => INR (ways k i) * S1 (S i) (k - i)%nat + INR (ways k (S i)) * S1 (S i) (k - i)%nat)).
  2:{ intros i _. change (ways (S k) (S i)) with (ways k i + ways k (S i))%nat. rewrite plus_INR. simpl Nat.sub. ring. }
  rewrite sum_below_plus. simpl Nat.sub. simpl INR. lra.
Qed.

(** The jumps of one part's copies, with anything else composed: repeat it for several parts. *)
Definition after_jumps epsilon (jumps others rest : Part) (k j : nat) : R :=
  INR (ways k j) * list_sum (copies j jumps) (fun x => P_of x * delta (epsilon - loss x) (compose (copies (k - j) others) rest)).
Theorem delta_by_jumps epsilon jumps others rest k :
  Forall of_finite_loss jumps ->
  delta epsilon (compose (copies k (jumps ++ others)) rest) = sum_below (S k) (after_jumps epsilon jumps others rest k).
Proof.
  intros H. unfold delta at 1. rewrite sum_compose, sum_copies_by_jumps. apply sum_below_ext. intros j _. unfold after_jumps. f_equal.
  unfold with_jumps. assert (G : Forall of_finite_loss (copies j jumps)) by (apply copies_good; [apply of_finite_loss_kept|auto]).
  rewrite Forall_forall in G. apply list_sum_ext. intros x Hx. rewrite <- delta_after by auto. rewrite sum_compose.
  apply list_sum_ext. intros y _. apply list_sum_ext. intros z _. now rewrite both_assoc.
Qed.

(** The mass under P of j jumps. *)
Definition mass_of_jumps (jumps others rest : Part) (k j : nat) : R :=
  INR (ways k j) * (P_mass jumps ^ j * (P_mass others ^ (k - j) * P_mass rest)).
Lemma mass_by_jumps jumps others rest k : Forall possible (jumps ++ others) -> Forall possible rest ->
  P_mass (compose (copies k (jumps ++ others)) rest) = sum_below (S k) (mass_of_jumps jumps others rest k).
Proof.
  intros H Hr. assert (HH := H). apply Forall_app in HH. destruct HH as [Hj Ho]. unfold P_mass at 1.
  rewrite sum_compose_multiplied; [|apply P_multiplied|apply copies_good; auto; apply possible_kept|auto].
  rewrite sum_copies_by_jumps. rewrite Rmult_comm, <- sum_below_scal. apply sum_below_ext. intros j _.
  unfold with_jumps, mass_of_jumps, P_mass. simpl.
  rewrite <- (sum_copies_multiplied P_of j jumps), <- (sum_copies_multiplied P_of (k - j) others) by (auto; apply P_multiplied).
  rewrite (list_sum_ext _ (copies j jumps) _ (fun x => list_sum (copies (k - j) others) P_of * P_of x)).
  - rewrite list_sum_scal. ring.
  - intros x _. rewrite list_sum_scal. ring.
Qed.

Lemma after_jumps_bounds epsilon jumps others rest k j :
  Forall of_finite_loss jumps -> Forall possible others -> Forall possible rest ->
  0 <= after_jumps epsilon jumps others rest k j <= mass_of_jumps jumps others rest k j.
Proof.
  intros Hj Ho Hr. assert (G : Forall of_finite_loss (copies j jumps)) by (apply copies_good; [apply of_finite_loss_kept|auto]).
  assert (C : Forall possible (copies (k - j) others)) by (apply copies_good; auto; apply possible_kept).
  rewrite Forall_forall in G. unfold after_jumps, mass_of_jumps. assert (0 <= INR (ways k j)) by apply pos_INR. split.
  - apply Rmult_le_pos; auto. apply list_sum_nonneg. intros x Hx. apply Rmult_le_pos; [left; apply (G x Hx)|apply delta_nonneg].
  - apply Rmult_le_compat_l; auto. unfold P_mass at 1 2.
    rewrite <- (sum_copies_multiplied P_of j), <- (sum_copies_multiplied P_of (k - j) others)
      by (auto; try apply P_multiplied; now apply all_of_finite_loss_possible).
    rewrite Rmult_comm, <- list_sum_scal. apply list_sum_le. intros x Hx. rewrite Rmult_comm. apply Rmult_le_compat_r; [left; apply (G x Hx)|].
    unfold P_mass. rewrite <- sum_compose_multiplied by (auto; apply P_multiplied). apply delta_at_most_mass.
    apply compose_good; auto. apply possible_kept.
Qed.

Lemma sum_below_pick n (listed : nat -> bool) f :
  sum_below n f = sum_below n (fun j => if listed j then f j else 0) + sum_below n (fun j => if listed j then 0 else f j).
Proof. rewrite <- sum_below_plus. apply sum_below_ext. intros j _. destruct (listed j); lra. Qed.
Lemma sum_below_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum_below n f.
Proof. induction n; simpl; intros H; [lra|]. generalize (IHn ltac:(auto)) (H n ltac:(lia)). lra. Qed.

(** Any numbers of jumps may be left out: P* less the listed masses bounds what they add. *)
Theorem jumps_not_listed epsilon jumps others rest k (listed : nat -> bool) :
  Forall of_finite_loss jumps -> Forall possible others -> Forall possible rest ->
  0 <= delta epsilon (compose (copies k (jumps ++ others)) rest)
       - sum_below (S k) (fun j => if listed j then after_jumps epsilon jumps others rest k j else 0)
    <= P_mass (compose (copies k (jumps ++ others)) rest)
       - sum_below (S k) (fun j => if listed j then mass_of_jumps jumps others rest k j else 0).
Proof.
  intros Hj Ho Hr. rewrite delta_by_jumps by auto.
  rewrite mass_by_jumps by (auto; apply Forall_app; split; auto; now apply all_of_finite_loss_possible).
  rewrite (sum_below_pick _ listed (after_jumps _ _ _ _ _)), (sum_below_pick _ listed (mass_of_jumps _ _ _ _)).
  assert (B := fun j => after_jumps_bounds epsilon jumps others rest k j Hj Ho Hr).
  assert (0 <= sum_below (S k) (fun j => if listed j then 0 else after_jumps epsilon jumps others rest k j)
    <= sum_below (S k) (fun j => if listed j then 0 else mass_of_jumps jumps others rest k j)).
  { split; [apply sum_below_nonneg|apply sum_below_le]; intros j _; specialize (B j); destruct (listed j); lra. }
  lra.
Qed.
