(** Pairs of laws that are within a factor κ of another pair, and what that does to the curve: δ_{P,Q}(ε) <= κ·δ_{P',Q'}(ε - 2·ln κ), and
    δ_{P,Q}(ε) <= (1 - 1/κ) + δ_{P',Q'}(ε). Post-processing, and mixtures.

    A law is a function of the outcomes, of which there may be infinitely many; its sums are those over finite lists without repetition. *)
Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import ListSums.
From Certus.account Require Import Constants Curves.
Import ListNotations.
Open Scope R_scope.

(** δ_{P,Q}(ε) = Σ (P - e^ε·Q)₊ <= d: so is every finite part of the sum, whose terms are not negative. *)
Definition excess (epsilon : R) {B} (P Q : B -> R) (b : B) : R := Rmax 0 (P b - exp epsilon * Q b).
Definition curve_at_most (epsilon d : R) {B} (P Q : B -> R) : Prop := forall l, NoDup l -> list_sum l (excess epsilon P Q) <= d.
(** Masses that add up to at most 1, and to 1. *)
Definition partial_law {B} (P : B -> R) : Prop := (forall b, 0 <= P b) /\ forall l, NoDup l -> list_sum l P <= 1.
Definition law {B} (P : B -> R) : Prop := partial_law P /\ forall slack, 0 < slack -> exists l, NoDup l /\ 1 - slack <= list_sum l P.

Lemma curve_bound_nonneg epsilon d B (P Q : B -> R) : curve_at_most epsilon d P Q -> 0 <= d.
Proof. intros H. exact (H [] (NoDup_nil _)). Qed.
Lemma curve_weaken epsilon d d' B (P Q : B -> R) : d <= d' -> curve_at_most epsilon d P Q -> curve_at_most epsilon d' P Q.
Proof. intros H K l Hl. specialize (K l Hl). lra. Qed.

(** The factor. *)
Theorem factor_bounds_curve kappa epsilon d B (P Q P' Q' : B -> R) : 0 < kappa ->
  (forall b, P b <= kappa * P' b) -> (forall b, Q' b / kappa <= Q b) ->
  curve_at_most (epsilon - 2 * ln kappa) d P' Q' -> curve_at_most epsilon (kappa * d) P Q.
Proof.
  intros Hk HP HQ H l Hl. apply Rle_trans with (list_sum l (fun b => kappa * excess (epsilon - 2 * ln kappa) P' Q' b)).
  2:{ rewrite list_sum_scal. apply Rmult_le_compat_l; [lra|]. now apply H. }
  assert (E : kappa * exp (epsilon - 2 * ln kappa) = exp epsilon / kappa).
  { replace (epsilon - 2 * ln kappa) with (epsilon + (- ln kappa + - ln kappa)) by ring.
    rewrite !exp_plus, !exp_Ropp, exp_ln by auto. field. lra. }
  apply list_sum_le. intros b _. unfold excess. rewrite <- RmaxRmult by lra. rewrite Rmult_0_r.
  apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r].
  specialize (HP b). specialize (HQ b). assert (E0 := exp_pos epsilon).
  assert (exp epsilon * (Q' b / kappa) <= exp epsilon * Q b) by (apply Rmult_le_compat_l; lra).
  replace (kappa * (P' b - exp (epsilon - 2 * ln kappa) * Q' b)) with (kappa * P' b - kappa * exp (epsilon - 2 * ln kappa) * Q' b) by ring.
  rewrite E. replace (exp epsilon / kappa * Q' b) with (exp epsilon * (Q' b / kappa)) by (field; lra). lra.
Qed.

(** The atom: with probability 1/κ as the other pair, else arbitrary. *)
Lemma in_a_longer_list B (decide : forall x y : B, {x = y} + {x <> y}) (l l' : list B) :
  exists m, NoDup m /\ incl l m /\ incl l' m.
Proof.
  exists (nodup decide (l ++ l')). split; [apply NoDup_nodup|].
  split; intros x Hx; apply nodup_In; apply in_or_app; auto.
Qed.
Lemma what_is_left B (decide : forall x y : B, {x = y} + {x <> y}) c (P P' : B -> R) :
  partial_law P -> law P' -> 0 <= c -> (forall b, c * P' b <= P b) -> forall l, NoDup l -> list_sum l (fun b => P b - c * P' b) <= 1 - c.
Proof.
  intros [_ HP] [[HP0 _] HP'] Hc H l Hl. apply le_epsilon. intros slack Hs.
  destruct (HP' (slack / (1 + c))) as (l' & Hl' & K); [apply Rdiv_lt_0_compat; lra|].
  destruct (in_a_longer_list B decide l l') as (m & Hm & I & I').
  apply Rle_trans with (list_sum m (fun b => P b - c * P' b)).
  { apply list_sum_incl; auto. intros b. specialize (H b). lra. }
  rewrite (list_sum_ext _ m _ (fun b => P b + - c * P' b)) by (intros; ring). rewrite list_sum_plus, list_sum_scal.
  specialize (HP m Hm). assert (L := list_sum_incl B P' HP0 l' m Hl' I').
  assert (c * (1 - slack / (1 + c)) <= c * list_sum m P') by (apply Rmult_le_compat_l; lra).
  assert (c * (slack / (1 + c)) <= slack).
  { replace slack with ((1 + c) * (slack / (1 + c))) at 2 by (field; lra). apply Rmult_le_compat_r; [|lra].
    left. apply Rdiv_lt_0_compat; lra. }
  lra.
Qed.
Theorem atom_bounds_curve kappa epsilon d B (decide : forall x y : B, {x = y} + {x <> y}) (P Q P' Q' : B -> R) : 0 < kappa ->
  partial_law P -> law P' -> (forall b, P' b / kappa <= P b) -> (forall b, Q' b / kappa <= Q b) ->
  curve_at_most epsilon d P' Q' -> curve_at_most epsilon (1 - 1 / kappa + d / kappa) P Q.
Proof.
  intros Hk HP HP' LP LQ H l Hl. assert (I0 : 0 < / kappa) by now apply Rinv_0_lt_compat. assert (E0 := exp_pos epsilon).
  apply Rle_trans with (list_sum l (fun b => (P b - / kappa * P' b) + / kappa * excess epsilon P' Q' b)).
  - apply list_sum_le. intros b _. specialize (LP b). specialize (LQ b). unfold Rdiv in LP, LQ.
    unfold excess at 1. assert (X0 := Rmax_l 0 (P' b - exp epsilon * Q' b)). assert (X1 := Rmax_r 0 (P' b - exp epsilon * Q' b)).
    fold (excess epsilon P' Q' b) in X0, X1.
    assert (0 <= / kappa * excess epsilon P' Q' b) by (apply Rmult_le_pos; lra).
    assert (/ kappa * (P' b - exp epsilon * Q' b) <= / kappa * excess epsilon P' Q' b) by (apply Rmult_le_compat_l; lra).
    assert (exp epsilon * (Q' b * / kappa) <= exp epsilon * Q b) by (apply Rmult_le_compat_l; lra).
    apply Rmax_lub; nra.
  - rewrite list_sum_plus, list_sum_scal. specialize (H l Hl).
    assert (L := what_is_left B decide (/ kappa) P P' HP HP' ltac:(lra) ltac:(intros b; specialize (LP b); unfold Rdiv in LP; lra) l Hl).
    assert (/ kappa * list_sum l (excess epsilon P' Q') <= / kappa * d) by (apply Rmult_le_compat_l; lra). unfold Rdiv. lra.
Qed.
(** … of which the atom's own mass is 1 - 1/κ <= ln κ, and the rest is at most δ. *)
Theorem atom_is_small kappa d : 1 <= kappa -> 0 <= d -> 1 - 1 / kappa + d / kappa <= 1 - 1 / kappa + d <= ln kappa + d.
Proof.
  intros Hk Hd. assert (I : 0 < / kappa) by (apply Rinv_0_lt_compat; lra).
  assert (L := ln_at_most (/ kappa) I). rewrite ln_Rinv in L by lra.
  assert (/ kappa <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (d * / kappa <= d * 1) by (apply Rmult_le_compat_l; lra). unfold Rdiv. lra.
Qed.

(** Post-processing: P'(b) = Σ_a p(a)·K(a, b), a sum over finitely many a, or the limit of such sums. *)
Definition processed {A B} (upto : nat -> list A) (p : A -> R) (K : A -> B -> R) (P : B -> R) : Prop :=
  forall b, is_lim_seq (fun N => list_sum (upto N) (fun a => p a * K a b)) (P b).
Lemma list_sum_limit B (l : list B) (f : nat -> B -> R) (g : B -> R) :
  (forall b, In b l -> is_lim_seq (fun N => f N b) (g b)) -> is_lim_seq (fun N => list_sum l (f N)) (list_sum l g).
Proof.
  induction l as [|b l IH]; simpl; intros H; [apply is_lim_seq_const|]. apply is_lim_seq_plus'; auto.
Qed.
Lemma excess_limit epsilon (p q : nat -> R) (P Q : R) : is_lim_seq p P -> is_lim_seq q Q ->
  is_lim_seq (fun N => Rmax 0 (p N - exp epsilon * q N)) (Rmax 0 (P - exp epsilon * Q)).
Proof.
  intros HP HQ. assert (E : forall x, Rmax 0 x = / 2 * (x + Rabs x)).
  { intros x. unfold Rmax, Rabs. destruct (Rle_dec 0 x), (Rcase_abs x); lra. }
  rewrite E. eapply is_lim_seq_ext; [intros N; symmetry; apply E|].
  assert (L : is_lim_seq (fun N => p N - exp epsilon * q N) (P - exp epsilon * Q)).
  { apply is_lim_seq_minus'; auto. apply is_lim_seq_mult'; auto. apply is_lim_seq_const. }
  apply is_lim_seq_mult'; [apply is_lim_seq_const|]. apply is_lim_seq_plus'; auto. exact (is_lim_seq_abs _ _ L).
Qed.
Lemma excess_of_sum epsilon A (l : list A) (p q k : A -> R) : (forall a, 0 <= k a) ->
  Rmax 0 (list_sum l (fun a => p a * k a) - exp epsilon * list_sum l (fun a => q a * k a)) <= list_sum l (fun a => excess epsilon p q a * k a).
Proof.
  intros Hk. apply Rmax_lub.
  - apply list_sum_nonneg. intros a _. apply Rmult_le_pos; auto. apply Rmax_l.
  - induction l as [|a l IH]; simpl; [lra|]. assert (X := Rmax_r 0 (p a - exp epsilon * q a)). fold (excess epsilon p q a) in X.
    assert ((p a - exp epsilon * q a) * k a <= excess epsilon p q a * k a) by (apply Rmult_le_compat_r; auto). lra.
Qed.
Theorem post_processing_of_curves epsilon d A B (upto : nat -> list A) (p q : A -> R) (K : A -> B -> R) (P Q : B -> R) :
  (forall N, NoDup (upto N)) -> (forall a, partial_law (K a)) -> processed upto p K P -> processed upto q K Q ->
  curve_at_most epsilon d p q -> curve_at_most epsilon d P Q.
Proof.
  intros Hu HK HP HQ H l Hl.
  apply (is_lim_seq_le (fun N => list_sum l (fun b => Rmax 0 (list_sum (upto N) (fun a => p a * K a b)
    - exp epsilon * list_sum (upto N) (fun a => q a * K a b)))) (fun _ => d) (list_sum l (excess epsilon P Q)) d).
  - intros N. apply Rle_trans with (list_sum l (fun b => list_sum (upto N) (fun a => excess epsilon p q a * K a b))).
    { apply list_sum_le. intros b _. apply (excess_of_sum epsilon A (upto N) p q (fun a => K a b)). intros a. apply (HK a). }
    rewrite list_sum_swap. eapply Rle_trans; [|apply (H (upto N) (Hu N))]. apply list_sum_le. intros a _.
    rewrite list_sum_scal. rewrite <- (Rmult_1_r (excess epsilon p q a)) at 2. apply Rmult_le_compat_l; [apply Rmax_l|]. now apply (HK a).
  - apply (list_sum_limit B l (fun N b => Rmax 0 (list_sum (upto N) (fun a => p a * K a b)
      - exp epsilon * list_sum (upto N) (fun a => q a * K a b)))). intros b _. apply excess_limit; auto.
  - apply is_lim_seq_const.
Qed.

(** What is processed of a law by laws is one. *)
Lemma processed_nonneg A B (upto : nat -> list A) (p : A -> R) (K : A -> B -> R) P : (forall a, 0 <= p a) -> (forall a, partial_law (K a)) ->
  processed upto p K P -> forall b, 0 <= P b.
Proof.
  intros Hp HK H b. apply (is_lim_seq_le (fun _ => 0) (fun N => list_sum (upto N) (fun a => p a * K a b)) 0 (P b)); auto; [|apply is_lim_seq_const].
  intros N. apply list_sum_nonneg. intros a _. apply Rmult_le_pos; auto. apply (HK a).
Qed.
Theorem processed_partial_law A B (upto : nat -> list A) (p : A -> R) (K : A -> B -> R) (P : B -> R) :
  (forall N, NoDup (upto N)) -> partial_law p -> (forall a, partial_law (K a)) -> processed upto p K P -> partial_law P.
Proof.
  intros Hu [Hp Hp1] HK H. split; [now apply (processed_nonneg A B upto p K)|]. intros l Hl.
  apply (is_lim_seq_le (fun N => list_sum l (fun b => list_sum (upto N) (fun a => p a * K a b))) (fun _ => 1) (list_sum l P) 1).
  - intros N. rewrite list_sum_swap. apply Rle_trans with (2 := Hp1 (upto N) (Hu N)). apply list_sum_le. intros a _. rewrite list_sum_scal.
    destruct (HK a) as [_ K1]. specialize (K1 l Hl). rewrite <- (Rmult_1_r (p a)) at 2. now apply Rmult_le_compat_l.
  - apply (list_sum_limit B l (fun N b => list_sum (upto N) (fun a => p a * K a b))). intros b _. apply H.
  - apply is_lim_seq_const.
Qed.
Lemma common_list A B (decide : forall x y : B, {x = y} + {x <> y}) (K : A -> B -> R) slack (l : list A) :
  0 < slack -> (forall a, law (K a)) -> exists m, NoDup m /\ forall a, In a l -> 1 - slack <= list_sum m (K a).
Proof.
  intros Hs HK. induction l as [|a l (m & Hm & IH)].
  - exists []. split; [constructor|]. intros a [].
  - destruct (HK a) as [[K0 _] K1]. destruct (K1 slack Hs) as (m' & Hm' & L).
    destruct (in_a_longer_list B decide m m') as (w & Hw & I & I'). exists w. split; auto. intros a' [<-|Ha'].
    + eapply Rle_trans; [exact L|]. now apply list_sum_incl.
    + apply Rle_trans with (list_sum m (K a')); [now apply IH|]. apply list_sum_incl; auto. apply (HK a').
Qed.
Theorem processed_law A B (decide : forall x y : B, {x = y} + {x <> y}) (upto : nat -> list A) (p : A -> R) (K : A -> B -> R) (P : B -> R) :
  (forall N, NoDup (upto N)) -> (forall N, incl (upto N) (upto (S N))) -> partial_law p -> is_lim_seq (fun N => list_sum (upto N) p) 1 ->
  (forall a, law (K a)) -> processed upto p K P -> law P.
Proof.
  intros Hu Hi Hp L HK H. assert (HK' : forall a, partial_law (K a)) by (intros a; apply HK).
  assert (PP := processed_partial_law A B upto p K P Hu Hp HK' H). split; auto. intros slack Hs.
  destruct (proj1 (is_lim_seq_Reals _ _) L (slack / 2) ltac:(lra)) as [N HN].
  specialize (HN N (le_n N)). unfold R_dist in HN. apply Rabs_def2 in HN.
  destruct (common_list A B decide K (slack / 2) (upto N) ltac:(lra) HK) as (m & Hm & C). exists m. split; auto.
  assert (Hup : forall b, list_sum (upto N) (fun a => p a * K a b) <= P b).
  { intros b. refine (is_lim_seq_incr_compare _ _ (H b) _ N). intros k. apply list_sum_incl; auto.
    intros a. apply Rmult_le_pos; [apply Hp|apply (HK a)]. }
  apply Rle_trans with (list_sum m (fun b => list_sum (upto N) (fun a => p a * K a b))); [|apply list_sum_le; intros b _; apply Hup].
  rewrite list_sum_swap. apply Rle_trans with (list_sum (upto N) (fun a => (1 - slack / 2) * p a)).
  - rewrite list_sum_scal. assert (U := proj2 Hp (upto N) (Hu N)). set (S := list_sum (upto N) p) in *.
    destruct (Rle_dec slack 2); nra.
  - apply list_sum_le. intros a Ha. rewrite list_sum_scal, Rmult_comm. apply Rmult_le_compat_l; [apply Hp|now apply C].
Qed.

(** Mixtures, of weights w_i >= 0: what is within the factor stays so, and the mixture of what is processed is processed of the mixture. *)
Definition mixture {I B} (over : list I) (w : I -> R) (P : I -> B -> R) (b : B) : R := list_sum over (fun i => w i * P i b).
Theorem mixtures_keep_the_factor I B (over : list I) w (P P' : I -> B -> R) kappa : (forall i, In i over -> 0 <= w i) ->
  ((forall i b, In i over -> P i b <= kappa * P' i b) -> forall b, mixture over w P b <= kappa * mixture over w P' b)
  /\ ((forall i b, In i over -> P' i b / kappa <= P i b) -> forall b, mixture over w P' b / kappa <= mixture over w P b).
Proof.
  intros Hw. unfold mixture. split; intros H b.
  - rewrite <- list_sum_scal. apply list_sum_le. intros i Hi. specialize (Hw i Hi). specialize (H i b Hi). nra.
  - unfold Rdiv. rewrite Rmult_comm, <- list_sum_scal. apply list_sum_le. intros i Hi. specialize (Hw i Hi). specialize (H i b Hi).
    unfold Rdiv in H. nra.
Qed.
Theorem mixtures_are_processed I A B (over : list I) w (upto : nat -> list A) (p : I -> A -> R) (K : A -> B -> R) (P : I -> B -> R) :
  (forall i, In i over -> processed upto (p i) K (P i)) -> processed upto (mixture over w p) K (mixture over w P).
Proof.
  intros H b. unfold mixture.
  apply (is_lim_seq_ext (fun N => list_sum over (fun i => w i * list_sum (upto N) (fun a => p i a * K a b)))).
  - intros N. rewrite (list_sum_ext _ over _ (fun i => list_sum (upto N) (fun a => w i * p i a * K a b))).
    2:{ intros i _. rewrite <- list_sum_scal. apply list_sum_ext. intros; ring. }
    rewrite list_sum_swap. apply list_sum_ext. intros a _. rewrite (Rmult_comm (list_sum over _)), <- list_sum_scal.
    apply list_sum_ext. intros; ring.
  - apply (list_sum_limit I over (fun N i => w i * list_sum (upto N) (fun a => p i a * K a b))). intros i Hi.
    apply is_lim_seq_mult'; [apply is_lim_seq_const|]. now apply H.
Qed.
(** Pairs mixed by the same weights, which add up to at most 1 (what the others' coins say): no worse than the worst. *)
Theorem mixed_pairs epsilon d I B (over : list I) w (P Q : I -> B -> R) : (forall i, In i over -> 0 <= w i) -> list_sum over w <= 1 ->
  (forall i, In i over -> curve_at_most epsilon d (P i) (Q i)) -> 0 <= d -> curve_at_most epsilon d (mixture over w P) (mixture over w Q).
Proof.
  intros Hw W H Hd l Hl. apply Rle_trans with (list_sum l (fun b => list_sum over (fun i => w i * excess epsilon (P i) (Q i) b))).
  - apply list_sum_le. intros b _. unfold excess at 1, mixture. apply Rmax_lub.
    + apply list_sum_nonneg. intros i Hi. apply Rmult_le_pos; auto. apply Rmax_l.
    + rewrite <- list_sum_scal. apply Rle_trans with (list_sum over (fun i => w i * (P i b - exp epsilon * Q i b))).
      * right. rewrite (list_sum_ext _ over (fun i => w i * (P i b - exp epsilon * Q i b))
          (fun i => w i * P i b + -1 * (exp epsilon * (w i * Q i b)))) by (intros; ring).
        rewrite list_sum_plus, (list_sum_scal _ over (-1)). ring.
      * apply list_sum_le. intros i Hi. apply Rmult_le_compat_l; auto. apply Rmax_r.
  - rewrite list_sum_swap. apply Rle_trans with (list_sum over (fun i => d * w i)); [|rewrite list_sum_scal; nra].
    apply list_sum_le. intros i Hi. rewrite list_sum_scal, Rmult_comm. apply Rmult_le_compat_r; auto. now apply (H i Hi).
Qed.
