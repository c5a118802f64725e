(** Blocks of outcomes: a curve that is above another is above it in every composition.

    So a part may be replaced by one with fewer outcomes: below, each block by one outcome of its masses; above, each by its two ends. *)
Require Import Reals Lra List.
From Certus.semantics Require Import ListSums.
From Certus.account Require Import Constants Curves Jumps.
Import ListNotations.
Open Scope R_scope.

Definition below (a b : Part) : Prop := forall epsilon, delta epsilon a <= delta epsilon b.

Lemma below_refl a : below a a. Proof. intros epsilon. lra. Qed.
Lemma below_trans a b c : below a b -> below b c -> below a c.
Proof. intros H H' epsilon. specialize (H epsilon). specialize (H' epsilon). lra. Qed.
Lemma delta_app epsilon a b : delta epsilon (a ++ b) = delta epsilon a + delta epsilon b.
Proof. apply list_sum_app. Qed.
Lemma below_app a a' b b' : below a a' -> below b b' -> below (a ++ b) (a' ++ b').
Proof. intros H H' epsilon. rewrite !delta_app. specialize (H epsilon). specialize (H' epsilon). lra. Qed.

Lemma delta_at_least epsilon a : P_mass a - exp epsilon * Q_mass a <= delta epsilon a.
Proof.
  unfold P_mass, Q_mass, delta. rewrite <- list_sum_scal. induction a as [|o a IH]; simpl; [lra|].
  generalize (Rmax_r 0 (P_of o - exp epsilon * Q_of o)). lra.
Qed.
(** The mass under P is the curve's limit at -∞. *)
Lemma mass_of_below a b : Forall possible a -> Forall possible b -> below a b -> P_mass a <= P_mass b.
Proof.
  intros Ha Hb H. apply le_epsilon. intros eta He.
  assert (Q : 0 <= Q_mass a) by (apply list_sum_nonneg; rewrite Forall_forall in Ha; intros o Ho; apply (Ha o Ho)).
  set (epsilon := ln (eta / (Q_mass a + 1))). specialize (H epsilon).
  assert (E : exp epsilon * Q_mass a <= eta).
  { unfold epsilon. rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). replace eta with (eta / (Q_mass a + 1) * (Q_mass a + 1)) at 2 by (field; lra).
    apply Rmult_le_compat_l; [|lra]. left. apply Rdiv_lt_0_compat; lra. }
  generalize (delta_at_most_mass epsilon b Hb) (delta_at_least epsilon a). lra.
Qed.

Theorem below_in_composition a b c :
  Forall possible a -> Forall possible b -> Forall possible c -> below a b -> below (compose a c) (compose b c).
Proof.
  intros Ha Hb Hc H epsilon. unfold delta. rewrite (sum_compose_comm a), (sum_compose_comm b), !sum_compose.
  rewrite Forall_forall in Hc. apply list_sum_le. intros o Ho. destruct (Hc o Ho) as [[HP|HP] HQ']; [destruct HQ' as [HQ|HQ]|].
  - rewrite !delta_after by now split. apply Rmult_le_compat_l; [lra|]. apply H.
  - (* Q = 0: the masses. *)
    assert (E : forall a, Forall possible a ->
      list_sum a (fun o' => Rmax 0 (P_of (both o o') - exp epsilon * Q_of (both o o'))) = P_of o * P_mass a).
    { intros l Hl. unfold P_mass. rewrite <- list_sum_scal. rewrite Forall_forall in Hl. apply list_sum_ext. intros o' Ho'.
      simpl. rewrite <- HQ, Rmult_0_l, Rmult_0_r, Rminus_0_r. apply Rmax_right. apply Rmult_le_pos; [lra|apply (Hl o' Ho')]. }
    rewrite !E by auto. apply Rmult_le_compat_l; [lra|]. now apply mass_of_below.
  - apply Rle_trans with 0; [|apply list_sum_nonneg; intros; apply Rmax_l].
    rewrite (list_sum_ext _ a _ (fun _ => 0 * 0)); [rewrite list_sum_scal; lra|]. intros o' Ho'.
    rewrite Forall_forall in Ha. simpl. rewrite <- HP, Rmult_0_l, Rmult_0_r. apply Rmax_left.
    assert (0 <= exp epsilon * (Q_of o * Q_of o')) by (apply Rmult_le_pos; [left; apply exp_pos|apply Rmult_le_pos; [lra|apply (Ha o' Ho')]]). lra.
Qed.

Lemma below_in_composition_right a b c :
  Forall possible a -> Forall possible b -> Forall possible c -> below a b -> below (compose c a) (compose c b).
Proof.
  intros Ha Hb Hc H epsilon. unfold delta. rewrite (sum_compose_comm c a), (sum_compose_comm c b).
  now apply below_in_composition.
Qed.
Lemma below_in_copies k a b : Forall possible a -> Forall possible b -> below a b -> below (copies k a) (copies k b).
Proof.
  intros Ha Hb H. assert (C : forall k a, Forall possible a -> Forall possible (copies k a)).
  { intros. apply copies_good; auto. apply possible_kept. }
  induction k; simpl; [apply below_refl|]. apply below_trans with (compose b (copies k a)).
  - apply below_in_composition; auto.
  - apply below_in_composition_right; auto.
Qed.

(** Whatever else is composed: parts may be replaced one by one. *)
Theorem below_in_every_plan (plan plan' : Plan) :
  possible_plan plan -> possible_plan plan' ->
  Forall2 (fun part part' => below (fst part) (fst part') /\ snd part = snd part') plan plan' -> below (composed plan) (composed plan').
Proof.
  intros H H' B. induction B as [|[a k] [a' k'] plan plan' [B E] Bs IH]; simpl; [apply below_refl|]. simpl in B, E. subst k'.
  inversion H as [|? ? Ha Hp]; inversion H' as [|? ? Ha' Hp']; subst. simpl in Ha, Ha'.
  assert (C : forall a, Forall possible a -> Forall possible (copies k a)) by (intros; apply copies_good; auto; apply possible_kept).
  apply below_trans with (compose (copies k a') (composed plan)).
  - apply below_in_composition; auto; [now apply composed_possible|]. now apply below_in_copies.
  - apply below_in_composition_right; auto; now apply composed_possible.
Qed.

(** Below: whoever is told only the block knows less. *)
Definition merged (block : Part) : Outcome := outcome (P_mass block) (Q_mass block).
Theorem block_below block : below [merged block] block.
Proof.
  intros epsilon. unfold delta at 1. simpl. rewrite Rplus_0_r. apply Rmax_lub; [apply delta_nonneg|apply delta_at_least].
Qed.

(** Above: P is moved to the ends a < b of an interval of losses, with the sum of P·e^-l kept. *)
Definition upper_end (a b P Q : R) : R := (P * exp (- a) - Q) / (exp (- a) - exp (- b)).
Definition ends (a b : R) (block : Part) : Part :=
  let P_b := upper_end a b (P_mass block) (Q_mass block) in
  let P_a := P_mass block - P_b in
  [outcome P_a (P_a * exp (- a)); outcome P_b (P_b * exp (- b))].
Definition loss_within (a b : R) (o : Outcome) : Prop := 0 <= P_of o /\ P_of o * exp (- b) <= Q_of o <= P_of o * exp (- a).

Lemma upper_end_split a b P Q : a < b ->
  let P_b := upper_end a b P Q in (P - P_b) * exp (- a) + P_b * exp (- b) = Q.
Proof.
  intros H. simpl. unfold upper_end. assert (exp (- b) < exp (- a)) by (apply exp_increasing; lra). field. lra.
Qed.
Lemma upper_end_bounds a b P Q : a < b -> P * exp (- b) <= Q <= P * exp (- a) -> 0 <= upper_end a b P Q <= P.
Proof.
  intros H [H1 H2]. unfold upper_end. assert (E : exp (- b) < exp (- a)) by (apply exp_increasing; lra). split.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
  - apply Rmult_le_reg_r with (exp (- a) - exp (- b)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma masses_within a b block : Forall (loss_within a b) block ->
  P_mass block * exp (- b) <= Q_mass block <= P_mass block * exp (- a).
Proof. unfold P_mass, Q_mass. induction 1 as [|o block [H1 H2] Hb IH]; simpl; lra. Qed.
Lemma ends_possible a b block : a < b -> Forall (loss_within a b) block -> Forall possible (ends a b block).
Proof.
  intros H Hb. assert (B := upper_end_bounds a b _ _ H (masses_within a b block Hb)). unfold ends.
  repeat apply Forall_cons; try apply Forall_nil; (split; simpl; [lra|]); (apply Rmult_le_pos; [lra|left; apply exp_pos]).
Qed.
(** (1 - e^ε·y)₊ is convex in y = e^-l. *)
Theorem block_above a b block : a < b -> Forall (loss_within a b) block -> below block (ends a b block).
Proof.
  intros H Hb epsilon. set (f := fun l => Rmax 0 (1 - exp epsilon * exp (- l))).
  assert (E : delta epsilon (ends a b block)
    = (P_mass block - upper_end a b (P_mass block) (Q_mass block)) * f a + upper_end a b (P_mass block) (Q_mass block) * f b).
  { assert (B := upper_end_bounds a b _ _ H (masses_within a b block Hb)). unfold delta, ends, f. simpl.
    rewrite <- !RmaxRmult, !Rmult_0_r, Rplus_0_r by lra. f_equal; f_equal; ring. }
  rewrite E. clear E. unfold delta, P_mass, Q_mass. induction Hb as [|o block [H1 H2] Hb IH]; simpl; [unfold upper_end; lra|].
  assert (B := upper_end_bounds a b _ _ H H2). assert (S := upper_end_split a b (P_of o) (Q_of o) H). simpl in S.
  replace (upper_end a b (P_of o + list_sum block P_of) (Q_of o + list_sum block Q_of))
    with (upper_end a b (P_of o) (Q_of o) + upper_end a b (list_sum block P_of) (list_sum block Q_of)).
  2:{ unfold upper_end. assert (exp (- b) < exp (- a)) by (apply exp_increasing; lra). field. lra. }
  set (p := upper_end a b (P_of o) (Q_of o)) in *.
  assert (Fa : 0 <= f a) by apply Rmax_l. assert (Fb : 0 <= f b) by apply Rmax_l.
  assert (Ga : 1 - exp epsilon * exp (- a) <= f a) by apply Rmax_r. assert (Gb : 1 - exp epsilon * exp (- b) <= f b) by apply Rmax_r.
  assert (Rmax 0 (P_of o - exp epsilon * Q_of o) <= (P_of o - p) * f a + p * f b).
  { apply Rmax_lub; [apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra|]. rewrite <- S.
    replace (P_of o - exp epsilon * ((P_of o - p) * exp (- a) + p * exp (- b)))
      with ((P_of o - p) * (1 - exp epsilon * exp (- a)) + p * (1 - exp epsilon * exp (- b))) by ring.
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra. }
  lra.
Qed.

(** A whole part in blocks, each with the ends of its interval. *)
Theorem part_in_blocks (blocks : list (R * R * Part)) :
  Forall (fun '(a, b, block) => a < b /\ Forall (loss_within a b) block) blocks ->
  below (map (fun '(_, _, block) => merged block) blocks) (concat (map snd blocks))
  /\ below (concat (map snd blocks)) (concat (map (fun '(a, b, block) => ends a b block) blocks)).
Proof.
  induction 1 as [|[[a b] block] blocks [H Hb] Hs [I1 I2]]; simpl; [split; apply below_refl|]. split.
  - apply (below_app [merged block] block); auto. apply block_below.
  - apply (below_app block (ends a b block)); auto. now apply block_above.
Qed.
(** Neighbouring blocks share ends: outcomes of equal loss, e^-l = y, may be merged. *)
Theorem equal_losses_merge epsilon p p' y : 0 <= p -> 0 <= p' ->
  delta epsilon [outcome p (p * y); outcome p' (p' * y)] = delta epsilon [outcome (p + p') ((p + p') * y)].
Proof.
  intros H H'. unfold delta. simpl. assert (E : forall q, 0 <= q -> Rmax 0 (q - exp epsilon * (q * y)) = q * Rmax 0 (1 - exp epsilon * y)).
  { intros q Hq. rewrite <- RmaxRmult, Rmult_0_r by lra. f_equal. ring. }
  rewrite !E by lra. ring.
Qed.
