(** Sums of complex numbers over outcomes, and sums over frequencies and shifts of either sign. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Require Import List.
From Certus.semantics Require Import ListSums.
From Certus.samplers Require Import FiniteSums.
From Certus.account Require Import Constants Curves.
Import ListNotations.
Open Scope R_scope.

(** e^z for complex z. *)
Definition cexp (z : C) : C := (exp (Re z) * cos (Im z), exp (Re z) * sin (Im z)).
Lemma cexp_plus z z' : cexp (z + z')%C = (cexp z * cexp z')%C.
Proof. unfold cexp, Cmult, Re, Im. simpl. rewrite exp_plus, cos_plus, sin_plus. f_equal; ring. Qed.
Lemma cexp_0 : cexp 0%C = 1%C.
Proof. unfold cexp, Re, Im. simpl. rewrite exp_0, cos_0, sin_0. unfold RtoC. f_equal; ring. Qed.
Lemma cexp_real x : cexp (RtoC x) = RtoC (exp x).
Proof. unfold cexp, Re, Im. simpl. rewrite cos_0, sin_0. unfold RtoC. f_equal; ring. Qed.
Lemma Cmod_cexp z : Cmod (cexp z) = exp (Re z).
Proof.
  unfold Cmod, cexp. simpl. replace (exp (Re z) * cos (Im z) * (exp (Re z) * cos (Im z) * 1)
    + exp (Re z) * sin (Im z) * (exp (Re z) * sin (Im z) * 1))
    with (Rsqr (exp (Re z)) * (Rsqr (sin (Im z)) + Rsqr (cos (Im z)))) by (unfold Rsqr; ring).
  rewrite sin2_cos2, Rmult_1_r. apply sqrt_Rsqr. left. apply exp_pos.
Qed.
Lemma Re_below_Cmod z : Rabs (Re z) <= Cmod z.
Proof. eapply Rle_trans; [apply Rmax_l|]. apply Rmax_Cmod. Qed.
Lemma Im_below_Cmod z : Rabs (Im z) <= Cmod z.
Proof. eapply Rle_trans; [apply Rmax_r|]. apply Rmax_Cmod. Qed.

Fixpoint csum {A} (l : list A) (f : A -> C) : C := match l with [] => 0%C | x :: l => (f x + csum l f)%C end.
Fixpoint cpower (z : C) (k : nat) : C := match k with O => 1%C | S k => (z * cpower z k)%C end.
Lemma csum_app A (l l' : list A) f : csum (l ++ l') f = (csum l f + csum l' f)%C.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.
Lemma csum_ext A (l : list A) f g : (forall x, In x l -> f x = g x) -> csum l f = csum l g.
Proof. induction l; simpl; intros H; auto. rewrite H, IHl by auto. reflexivity. Qed.
Lemma csum_scal A (l : list A) c f : csum l (fun x => c * f x)%C = (c * csum l f)%C.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.
Lemma csum_Re A (l : list A) f : Re (csum l f) = list_sum l (fun x => Re (f x)).
Proof. induction l; simpl; [reflexivity|]. rewrite <- IHl. reflexivity. Qed.
Lemma csum_Cmod A (l : list A) f : Cmod (csum l f) <= list_sum l (fun x => Cmod (f x)).
Proof. induction l; simpl; [rewrite Cmod_0; lra|]. eapply Rle_trans; [apply Cmod_triangle|]. lra. Qed.
Lemma csum_compose (f : Outcome -> C) a b : (forall o o', In o a -> In o' b -> f (both o o') = (f o * f o')%C) ->
  csum (compose a b) f = (csum a f * csum b f)%C.
Proof.
  unfold compose. induction a as [|o a IH]; simpl; intros H; [ring|]. rewrite map_app, csum_app, IH by auto. rewrite map_map. simpl.
  replace (csum (map (fun x => both o x) b) f) with (csum b (fun o' => f o * f o')%C); [rewrite csum_scal; ring|].
  assert (K : forall o', In o' b -> f (both o o') = (f o * f o')%C) by (intros; apply H; auto). clear - K.
  induction b as [|o' b IH]; simpl; [reflexivity|]. rewrite K, IH by (intros; try apply K; simpl; auto). reflexivity.
Qed.

(** Sums over |m| <= M, of a function of m. *)
Definition two_sided (M : nat) (f : R -> R) : R := f 0 + sum_below M (fun i => f (INR (S i)) + f (- INR (S i))).
Lemma two_sided_scal M c f : two_sided M (fun x => c * f x) = c * two_sided M f.
Proof. unfold two_sided. rewrite Rmult_plus_distr_l, <- sum_below_scal. f_equal. apply sum_below_ext. intros. ring. Qed.
Lemma two_sided_ext M f g : (forall x, f x = g x) -> two_sided M f = two_sided M g.
Proof. intros H. unfold two_sided. rewrite H. f_equal. apply sum_below_ext. intros. rewrite !H. reflexivity. Qed.
Lemma two_sided_plus M f g : two_sided M (fun x => f x + g x) = two_sided M f + two_sided M g.
Proof.
  unfold two_sided. rewrite (sum_below_ext M _ (fun i => (f (INR (S i)) + f (- INR (S i))) + (g (INR (S i)) + g (- INR (S i))))).
  - rewrite sum_below_plus. ring.
  - intros. ring.
Qed.
Lemma two_sided_list A (l : list A) M (f : A -> R -> R) :
  two_sided M (fun x => list_sum l (fun o => f o x)) = list_sum l (fun o => two_sided M (f o)).
Proof.
  induction l as [|o l IH]; simpl; [|rewrite <- IH; apply two_sided_plus].
  unfold two_sided. rewrite (sum_below_ext M _ (fun _ => 0 * 0)) by (intros; ring). rewrite sum_below_scal. ring.
Qed.

Lemma cpower_mult z z' k : cpower (z * z')%C k = (cpower z k * cpower z' k)%C.
Proof. induction k; simpl; [ring|]. rewrite IHk. ring. Qed.
Lemma cpower_real x k : cpower (RtoC x) k = RtoC (x ^ k).
Proof. induction k; simpl; [reflexivity|]. rewrite IHk, RtoC_mult. reflexivity. Qed.
Lemma sum_below_abs n f : Rabs (sum_below n f) <= sum_below n (fun i => Rabs (f i)).
Proof. induction n; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang|]. lra. Qed.
Lemma limit_within (u : nat -> R) (total a b : R) : is_lim_seq u total -> (forall N, a <= u N <= b) -> a <= total <= b.
Proof.
  intros H K. split.
  - apply (is_lim_seq_le (fun _ => a) u a total); [intros n; apply K|apply is_lim_seq_const|auto].
  - apply (is_lim_seq_le u (fun _ => b) total b); [intros n; apply K|auto|apply is_lim_seq_const].
Qed.
Lemma limit_above (u : nat -> R) (total a : R) : is_lim_seq u total -> (forall N, a <= u N) -> a <= total.
Proof. intros H K. apply (is_lim_seq_le (fun _ => a) u a total); [auto|apply is_lim_seq_const|auto]. Qed.
