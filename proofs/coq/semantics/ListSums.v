(** Sums over a finite list of distinct outputs. *)
Require Import Reals Lra Lia List.
Import ListNotations.
Open Scope R_scope.

Fixpoint list_sum {A} (l : list A) (f : A -> R) : R := match l with [] => 0 | x :: l => f x + list_sum l f end.

Lemma list_sum_app A (l l' : list A) f : list_sum (l ++ l') f = list_sum l f + list_sum l' f.
Proof. induction l; simpl; lra. Qed.
Lemma list_sum_map A B (h : A -> B) l f : list_sum (map h l) f = list_sum l (fun x => f (h x)).
Proof. induction l; simpl; lra. Qed.
Lemma list_sum_ext A (l : list A) f g : (forall x, In x l -> f x = g x) -> list_sum l f = list_sum l g.
Proof. induction l; simpl; intros H; auto. rewrite H, IHl by auto. reflexivity. Qed.
Lemma list_sum_le A (l : list A) f g : (forall x, In x l -> f x <= g x) -> list_sum l f <= list_sum l g.
Proof. induction l; simpl; intros H; [lra|]. generalize (H a ltac:(auto)) (IHl ltac:(auto)). lra. Qed.
Lemma list_sum_scal A (l : list A) c f : list_sum l (fun x => c * f x) = c * list_sum l f.
Proof. induction l; simpl; lra. Qed.
Lemma list_sum_plus A (l : list A) f g : list_sum l (fun x => f x + g x) = list_sum l f + list_sum l g.
Proof. induction l; simpl; lra. Qed.
Lemma list_sum_nonneg A (l : list A) f : (forall x, In x l -> 0 <= f x) -> 0 <= list_sum l f.
Proof. induction l; simpl; intros H; [lra|]. generalize (H a ltac:(auto)) (IHl ltac:(auto)). lra. Qed.
Lemma list_sum_incl A (f : A -> R) : (forall x, 0 <= f x) -> forall l1 l2, NoDup l1 -> incl l1 l2 -> list_sum l1 f <= list_sum l2 f.
Proof.
  intros Hf l1; induction l1 as [|x l1 IH]; intros l2 Hn Hi; simpl; [apply list_sum_nonneg; auto|].
  inversion Hn; subst. destruct (in_split x l2) as (p & r & ->); [apply Hi; now left|].
  rewrite list_sum_app. simpl. assert (list_sum l1 f <= list_sum (p ++ r) f); [|rewrite list_sum_app in *; lra].
  apply IH; auto. intros y Hy. assert (In y (p ++ x :: r)) by (apply Hi; now right).
  rewrite in_app_iff in *. simpl in H. destruct H as [|[->|]]; auto. contradiction.
Qed.
Lemma list_sum_prod A B (l : list A) (l' : list B) f g :
  list_sum (list_prod l l') (fun z => f (fst z) * g (snd z)) = list_sum l f * list_sum l' g.
Proof.
  induction l as [|x l IH]; simpl; [lra|]. rewrite list_sum_app, IH, list_sum_map. simpl. rewrite list_sum_scal. lra.
Qed.
Lemma list_sum_filter A (l : list A) (keep : A -> bool) f :
  list_sum (filter keep l) f = list_sum l (fun x => if keep x then f x else 0).
Proof. induction l; simpl; auto. destruct (keep a); simpl; lra. Qed.
Lemma NoDup_map_injective A B (h : A -> B) l : (forall x y, h x = h y -> x = y) -> NoDup l -> NoDup (map h l).
Proof.
  intros H; induction 1; simpl; constructor; auto. rewrite in_map_iff. intros (y & Hy & Hin). apply H in Hy. now subst.
Qed.
Lemma NoDup_append A (l l' : list A) : NoDup l -> NoDup l' -> (forall x, In x l -> ~ In x l') -> NoDup (l ++ l').
Proof.
  induction 1; simpl; auto. intros Hl Hd. constructor.
  - rewrite in_app_iff. intros [|]; auto. apply (Hd x); auto.
  - apply IHNoDup; auto.
Qed.
Lemma NoDup_product A B (l : list A) (l' : list B) : NoDup l -> NoDup l' -> NoDup (list_prod l l').
Proof.
  intros H H'. induction H; simpl; [constructor|]. apply NoDup_append; auto.
  - apply NoDup_map_injective; auto. intros a b E; now injection E.
  - intros [a b] Hin. rewrite in_map_iff in Hin. destruct Hin as (y & E & _). injection E as <- _.
    intros Hp. apply in_prod_iff in Hp. tauto.
Qed.
