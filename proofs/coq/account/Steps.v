(** Adaptive composition of what is within a factor: over T steps, each of which may look at all outputs before it, the factors multiply,
    and the whole is a post-processing of the lines side by side: δ(ε) <= κ_1⋯κ_T·δ_lines(ε - 2·ln(κ_1⋯κ_T)), or (1 - 1/(κ_1⋯κ_T)) + δ_lines(ε). *)
Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import ListSums.
From Certus.account Require Import Constants Curves Factors.
Import ListNotations.
Open Scope R_scope.

(** n outcomes, the first of them first. *)
Fixpoint Tuple (X : Type) (n : nat) : Type := match n with O => unit | S n => (X * Tuple X n)%type end.
Fixpoint tuples {X} (l : list X) (n : nat) : list (Tuple X n) := match n with O => [tt] | S n => list_prod l (tuples l n) end.
Lemma tuples_distinct X (l : list X) n : NoDup l -> NoDup (tuples l n).
Proof. intros H. induction n; simpl; [repeat constructor; intros []|]. now apply NoDup_product. Qed.
Lemma tuples_incl X (l l' : list X) n : incl l l' -> incl (tuples l n) (tuples l' n).
Proof.
  intros H. induction n; simpl; [apply incl_refl|]. intros [x xs] K. apply in_prod_iff in K. apply in_prod_iff. destruct K. split; auto.
Qed.
Definition decide_tuples X (decide : forall x y : X, {x = y} + {x <> y}) n : forall x y : Tuple X n, {x = y} + {x <> y}.
Proof.
  induction n; simpl; [intros [] []; now left|]. intros [x xs] [y ys].
  destruct (decide x y) as [->|N]; [|right; congruence]. destruct (IHn xs ys) as [->|N]; [left; reflexivity|right; congruence].
Defined.

(** One law, and another that may look at what it gave. *)
Definition joint {A B} (p : A -> R) (s : A -> B -> R) (z : A * B) : R := p (fst z) * s (fst z) (snd z).
Lemma list_sum_pairs A B (l : list A) (l' : list B) (f : A * B -> R) :
  list_sum (list_prod l l') f = list_sum l (fun a => list_sum l' (fun b => f (a, b))).
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. rewrite list_sum_app, IH, list_sum_map. reflexivity. Qed.
Lemma joint_partial_law A B (dA : forall x y : A, {x = y} + {x <> y}) (dB : forall x y : B, {x = y} + {x <> y}) (p : A -> R) (s : A -> B -> R) :
  partial_law p -> (forall a, partial_law (s a)) -> partial_law (joint p s).
Proof.
  intros [p0 p1] Hs. assert (J0 : forall z, 0 <= joint p s z) by (intros z; apply Rmult_le_pos; [auto|apply Hs]). split; auto. intros l Hl.
  apply Rle_trans with (list_sum (list_prod (nodup dA (map fst l)) (nodup dB (map snd l))) (joint p s)).
  { apply list_sum_incl; auto. intros [a b] H. apply in_prod_iff.
    split; apply nodup_In; [apply (in_map fst l (a, b) H)|apply (in_map snd l (a, b) H)]. }
  rewrite list_sum_pairs. apply Rle_trans with (2 := p1 _ (NoDup_nodup dA (map fst l))). apply list_sum_le. intros a _.
  unfold joint. simpl. rewrite list_sum_scal. assert (S1 := proj2 (Hs a) _ (NoDup_nodup dB (map snd l))).
  rewrite <- (Rmult_1_r (p a)) at 2. now apply Rmult_le_compat_l.
Qed.
Lemma joint_law A B (dA : forall x y : A, {x = y} + {x <> y}) (dB : forall x y : B, {x = y} + {x <> y}) (p : A -> R) (s : A -> B -> R) :
  law p -> (forall a, law (s a)) -> law (joint p s).
Proof.
  intros [Hp Hp1] Hs. split; [apply joint_partial_law; auto; intros a; apply Hs|]. intros slack H.
  destruct (Hp1 (slack / 2) ltac:(lra)) as (l & Hl & L).
  destruct (common_list A B dB s (slack / 2) l ltac:(lra) Hs) as (m & Hm & M).
  exists (list_prod l m). split; [now apply NoDup_product|]. rewrite list_sum_pairs.
  apply Rle_trans with (list_sum l (fun a => (1 - slack / 2) * p a)).
  - rewrite list_sum_scal. assert (U := proj2 Hp l Hl). set (S := list_sum l p) in *. destruct (Rle_dec slack 2); nra.
  - apply list_sum_le. intros a Ha. unfold joint. simpl. rewrite list_sum_scal, Rmult_comm.
    apply Rmult_le_compat_l; [apply Hp|now apply M].
Qed.
(** A law of the same outcomes by other names. *)
Lemma renamed_law A B (f : A -> B) (g : B -> A) (p : A -> R) : (forall a, g (f a) = a) -> (forall b, f (g b) = b) -> law p -> law (fun b => p (g b)).
Proof.
  intros H H' [[p0 p1] p2]. assert (F : forall x y, f x = f y -> x = y) by (intros x y E; rewrite <- (H x), <- (H y), E; reflexivity).
  assert (G : forall x y, g x = g y -> x = y) by (intros x y E; rewrite <- (H' x), <- (H' y), E; reflexivity).
  repeat split; auto.
  - intros l Hl. rewrite <- (list_sum_map B A g l p). apply p1. now apply NoDup_map_injective.
  - intros slack Hs. destruct (p2 slack Hs) as (l & Hl & L). exists (map f l). split; [now apply NoDup_map_injective|].
    rewrite list_sum_map. erewrite list_sum_ext; [exact L|]. intros a _. simpl. now rewrite H.
Qed.
Lemma unit_law : law (fun _ : unit => 1).
Proof.
  assert (L : forall l : list unit, NoDup l -> list_sum l (fun _ => 1) <= 1).
  { intros [|[] [|[] l]] H; simpl; try lra. inversion H as [|? ? N _]; subst. exfalso. apply N. now left. }
  repeat split; auto; [intros; lra|]. intros slack Hs. exists [tt]. split; [repeat constructor; intros []|]. simpl. lra.
Qed.

Section Steps.
Context {A B : Type}.

(** A history is the outputs so far, the latest first; so many steps from there on. *)
Fixpoint run (n : nat) (step : list B -> B -> R) (history : list B) : Tuple B n -> R :=
  match n with O => fun _ => 1 | S n => fun xs => step history (fst xs) * run n step (fst xs :: history) (snd xs) end.
(** The lines of the steps t, t + 1, …, side by side: what they give does not depend on what was given. *)
Fixpoint side_by_side (n : nat) (line : nat -> A -> R) (t : nat) : Tuple A n -> R :=
  match n with O => fun _ => 1 | S n => fun ks => line t (fst ks) * side_by_side n line (S t) (snd ks) end.
(** What is made of the lines' outcomes, step by step. *)
Fixpoint made (n : nat) (K : list B -> A -> B -> R) (history : list B) : Tuple A n -> Tuple B n -> R :=
  match n with O => fun _ _ => 1
  | S n => fun ks xs => K history (fst ks) (fst xs) * made n K (fst xs :: history) (snd ks) (snd xs) end.
(** κ_t⋯κ_(t+n-1). *)
Fixpoint factors (n : nat) (kappa : nat -> R) (t : nat) : R := match n with O => 1 | S n => kappa t * factors n kappa (S t) end.

Lemma factors_positive n kappa t : (forall t, 0 < kappa t) -> 0 < factors n kappa t.
Proof. intros H. revert t. induction n; simpl; intros t; [lra|]. now apply Rmult_lt_0_compat. Qed.
Lemma factors_at_least_1 n kappa t : (forall t, 1 <= kappa t) -> 1 <= factors n kappa t.
Proof. intros H. revert t. induction n; simpl; intros t; [lra|]. specialize (H t). specialize (IHn (S t)). nra. Qed.
Theorem equal_factors n kappa : factors n (fun _ => kappa) 0 = kappa ^ n.
Proof. generalize 0%nat. induction n; simpl; intros t; auto. now rewrite IHn. Qed.

Lemma run_nonneg n step history xs : (forall history x, 0 <= step history x) -> 0 <= run n step history xs.
Proof. intros H. revert history xs. induction n; simpl; intros; [lra|]. now apply Rmult_le_pos. Qed.
Lemma run_above n kappa (P P' : list B -> B -> R) history xs : (forall t, 0 < kappa t) -> (forall history x, 0 <= P' history x) ->
  (forall history x, P' history x / kappa (length history) <= P history x) ->
  run n P' history xs / factors n kappa (length history) <= run n P history xs.
Proof.
  intros Hk H0 H. revert history xs. induction n as [|n IH]; intros history xs; [simpl; lra|]. destruct xs as [x xs]. cbn [run factors fst snd].
  specialize (IH (x :: history) xs). cbn [length] in IH. assert (F := factors_positive n kappa (S (length history)) Hk).
  specialize (Hk (length history)). specialize (H history x).
  apply Rle_trans with (P' history x / kappa (length history)
    * (run n P' (x :: history) xs / factors n kappa (S (length history)))); [right; field; lra|].
  apply Rmult_le_compat; auto; apply Rdiv_le_0_compat; auto. now apply run_nonneg.
Qed.
Lemma run_below n kappa (P P' : list B -> B -> R) history xs : (forall t, 0 < kappa t) -> (forall history x, 0 <= P history x) ->
  (forall history x, P history x <= kappa (length history) * P' history x) ->
  run n P history xs <= factors n kappa (length history) * run n P' history xs.
Proof.
  intros Hk H0 H. revert history xs. induction n as [|n IH]; intros history xs; [simpl; lra|]. destruct xs as [x xs]. cbn [run factors fst snd].
  specialize (IH (x :: history) xs). cbn [length] in IH. specialize (H history x).
  assert (R0 := run_nonneg n P (x :: history) xs H0).
  replace (kappa (length history) * factors n kappa (S (length history)) * (P' history x * run n P' (x :: history) xs))
    with (kappa (length history) * P' history x * (factors n kappa (S (length history)) * run n P' (x :: history) xs)) by ring.
  now apply Rmult_le_compat.
Qed.

Lemma made_of_tuples n (l : list A) (p : nat -> A -> R) (K : list B -> A -> B -> R) history xs :
  list_sum (tuples l n) (fun ks => side_by_side n p (length history) ks * made n K history ks xs)
  = run n (fun history x => list_sum l (fun k => p (length history) k * K history k x)) history xs.
Proof.
  revert history xs. induction n as [|n IH]; intros history xs; [simpl; ring|]. destruct xs as [x xs].
  etransitivity; [exact (list_sum_pairs A (Tuple A n) l (tuples l n) _)|].
  cbn [side_by_side made run fst snd]. rewrite <- IH. cbn [length].
  rewrite (Rmult_comm (list_sum l _)), <- list_sum_scal. apply list_sum_ext. intros k _.
  rewrite (Rmult_comm (list_sum _ _)), <- list_sum_scal. apply list_sum_ext. intros ks _. ring.
Qed.
Lemma run_limit n (f : nat -> list B -> B -> R) (P : list B -> B -> R) history xs :
  (forall history x, is_lim_seq (fun N => f N history x) (P history x)) -> is_lim_seq (fun N => run n (f N) history xs) (run n P history xs).
Proof.
  intros H. revert history xs. induction n as [|n IH]; simpl; intros history xs; [apply is_lim_seq_const|]. now apply is_lim_seq_mult'.
Qed.
Theorem steps_are_processed n (upto : nat -> list A) (p : nat -> A -> R) (K : list B -> A -> B -> R) (P : list B -> B -> R) :
  (forall history, processed upto (p (length history)) (K history) (P history)) ->
  processed (fun N => tuples (upto N) n) (side_by_side n p 0) (made n K []) (run n P []).
Proof.
  intros H xs. apply (is_lim_seq_ext (fun N => run n (fun history x => list_sum (upto N) (fun k => p (length history) k * K history k x)) [] xs)).
  - intros N. rewrite <- made_of_tuples. reflexivity.
  - apply (run_limit n (fun N history x => list_sum (upto N) (fun k => p (length history) k * K history k x))). intros history x. apply H.
Qed.

Variable decide : forall x y : B, {x = y} + {x <> y}.
Lemma run_partial_law n step history : (forall history, partial_law (step history)) -> partial_law (run n step history).
Proof.
  intros H. revert history. induction n as [|n IH]; intros history; [apply unit_law|].
  apply (joint_partial_law B (Tuple B n) decide (decide_tuples B decide n) (step history) (fun x => run n step (x :: history))); auto.
Qed.
Theorem run_law n step history : (forall history, law (step history)) -> law (run n step history).
Proof.
  intros H. revert history. induction n as [|n IH]; intros history; [apply unit_law|].
  apply (joint_law B (Tuple B n) decide (decide_tuples B decide n) (step history) (fun x => run n step (x :: history))); auto.
Qed.
Lemma made_partial_law n (K : list B -> A -> B -> R) history ks : (forall history k, partial_law (K history k)) -> partial_law (made n K history ks).
Proof.
  intros H. revert history ks. induction n as [|n IH]; intros history ks; [apply unit_law|].
  apply (joint_partial_law B (Tuple B n) decide (decide_tuples B decide n) (K history (fst ks)) (fun x => made n K (x :: history) (snd ks))); auto.
Qed.

(** Step t, after whatever history, has P and Q within κ_t of a post-processing, which may depend on the history, of the line p_t, q_t,
    which does not. *)
Variables (upto : nat -> list A) (p q : nat -> A -> R) (kappa : nat -> R) (K : list B -> A -> B -> R) (P Q P' Q' : list B -> B -> R).
Hypothesis upto_distinct : forall N, NoDup (upto N).
Hypothesis kappa_positive : forall t, 0 < kappa t.
Hypothesis K_law : forall history k, partial_law (K history k).
Hypothesis P_processed : forall history, processed upto (p (length history)) (K history) (P' history).
Hypothesis Q_processed : forall history, processed upto (q (length history)) (K history) (Q' history).
Hypothesis Q'_nonneg : forall history x, 0 <= Q' history x.
Hypothesis Q_above : forall history x, Q' history x / kappa (length history) <= Q history x.

Lemma steps_of_the_lines epsilon d n :
  curve_at_most epsilon d (side_by_side n p 0) (side_by_side n q 0) -> curve_at_most epsilon d (run n P' []) (run n Q' []).
Proof.
  apply (post_processing_of_curves epsilon d _ _ (fun N => tuples (upto N) n) (side_by_side n p 0) (side_by_side n q 0) (made n K [])).
  - intros N. now apply tuples_distinct.
  - intros ks. now apply made_partial_law.
  - now apply steps_are_processed.
  - now apply steps_are_processed.
Qed.
Theorem adaptive_composition_within_factors epsilon d n :
  (forall history x, 0 <= P history x) -> (forall history x, P history x <= kappa (length history) * P' history x) ->
  curve_at_most (epsilon - 2 * ln (factors n kappa 0)) d (side_by_side n p 0) (side_by_side n q 0) ->
  curve_at_most epsilon (factors n kappa 0 * d) (run n P []) (run n Q []).
Proof.
  intros P0 HP H. apply (factor_bounds_curve _ epsilon d _ (run n P []) (run n Q []) (run n P' []) (run n Q' [])).
  - now apply factors_positive.
  - intros xs. apply (run_below n kappa P P' []); auto.
  - intros xs. apply (run_above n kappa Q Q' []); auto.
  - now apply steps_of_the_lines.
Qed.
Theorem adaptive_composition_with_atoms epsilon d n :
  (forall history, partial_law (P history)) -> (forall history, law (P' history)) ->
  (forall history x, P' history x / kappa (length history) <= P history x) ->
  curve_at_most epsilon d (side_by_side n p 0) (side_by_side n q 0) ->
  curve_at_most epsilon (1 - 1 / factors n kappa 0 + d / factors n kappa 0) (run n P []) (run n Q []).
Proof.
  intros HP HP' L H. apply (atom_bounds_curve _ epsilon d _ (decide_tuples B decide n) (run n P []) (run n Q []) (run n P' []) (run n Q' [])).
  - now apply factors_positive.
  - now apply run_partial_law.
  - now apply run_law.
  - intros xs. apply (run_above n kappa P P' []); auto. intros history x. apply (HP' history).
  - intros xs. apply (run_above n kappa Q Q' []); auto.
  - now apply steps_of_the_lines.
Qed.
End Steps.
