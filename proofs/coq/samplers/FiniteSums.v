(** Finite sums of reals: Σ_{i < n} f(i). *)
Require Import Reals Lra Lia Arith.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Fixpoint sum_below (n : nat) (f : nat -> R) : R := match n with O => 0 | S n => sum_below n f + f n end.

Lemma sum_below_S n f : sum_below (S n) f = sum_below n f + f n.
Proof. reflexivity. Qed.
Lemma sum_below_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum_below n f = sum_below n g.
Proof. induction n; simpl; auto. intros H. rewrite IHn, H by auto. auto. Qed.
Lemma sum_below_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum_below n f <= sum_below n g.
Proof. induction n; simpl; [lra|]. intros H. generalize (IHn ltac:(intros; apply H; lia)) (H n ltac:(lia)). lra. Qed.
Lemma sum_below_const n c : sum_below n (fun _ => c) = INR n * c.
Proof. induction n; simpl sum_below; [simpl; lra|]. rewrite IHn, S_INR. lra. Qed.
Lemma sum_below_plus n f g : sum_below n (fun i => f i + g i) = sum_below n f + sum_below n g.
Proof. induction n; simpl; lra. Qed.
Lemma sum_below_scal n c f : sum_below n (fun i => c * f i) = c * sum_below n f.
Proof. induction n; simpl; lra. Qed.
Lemma sum_below_app n m f : sum_below (n + m) f = sum_below n f + sum_below m (fun i => f (n + i)%nat).
Proof.
  induction m; simpl; [rewrite Nat.add_0_r; lra|]. rewrite Nat.add_succ_r. simpl. rewrite IHm. lra.
Qed.
Lemma sum_below_block t f n : sum_below (n * t) f = sum_below n (fun v => sum_below t (fun u => f (v * t + u)%nat)).
Proof.
  induction n; [reflexivity|]. rewrite sum_below_S, <- IHn.
  replace (S n * t)%nat with (n * t + t)%nat by lia. apply sum_below_app.
Qed.
Lemma sum_below_swap n m (f : nat -> nat -> R) :
  sum_below n (fun i => sum_below m (fun j => f i j)) = sum_below m (fun j => sum_below n (fun i => f i j)).
Proof. induction n; simpl; [rewrite sum_below_const; lra|]. rewrite IHn, <- sum_below_plus. reflexivity. Qed.
Lemma sum_below_geometric x n : x <> 1 -> sum_below n (fun i => x ^ i) = (1 - x ^ n) / (1 - x).
Proof. intros H. induction n; simpl; [field; lra|]. rewrite IHn. field. lra. Qed.
Lemma sum_below_single n k f : (forall i, i <> k -> f i = 0) -> sum_below n f = if (k <? n)%nat then f k else 0.
Proof.
  intros H. induction n; [reflexivity|]. rewrite sum_below_S, IHn.
  destruct (Nat.eq_dec n k) as [->|Hk].
  - rewrite Nat.ltb_irrefl. replace (k <? S k)%nat with true by (symmetry; apply Nat.ltb_lt; lia). lra.
  - rewrite (H n Hk). destruct (Nat.ltb_spec k n), (Nat.ltb_spec k (S n)); try lra; lia.
Qed.
Lemma sum_below_limit t (u : nat -> nat -> R) (l : nat -> R) :
  (forall i, (i < t)%nat -> is_lim_seq (fun n => u n i) (l i)) -> is_lim_seq (fun n => sum_below t (u n)) (sum_below t l).
Proof. induction t; intros H; simpl; [apply is_lim_seq_const|]. apply is_lim_seq_plus'; auto. Qed.
Lemma sum_below_sum_n f n : sum_below (S n) f = sum_n f n.
Proof. induction n; [rewrite sum_O; simpl; lra|]. rewrite sum_Sn, <- IHn. reflexivity. Qed.
