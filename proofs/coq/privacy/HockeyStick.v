(** The minimal δ: (ε, δ)-DP holds iff Σ_a max(0, P(a) - e^ε·Q(a)) <= δ. *)
Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.privacy Require Import Definitions.
Open Scope R_scope.

(** A term of the hockey-stick divergence. *)
Definition loss_over {A} {D : Decidable A} (epsilon : R) (p q : Program A) (a : A) : R :=
  Rmax 0 (at_output p a - exp epsilon * at_output q a).

(** The terms are not negative, so that their sum is at most δ iff each finite part of it is. *)
Theorem minimal_delta_is_hockey_stick A (D : Decidable A) epsilon delta (p q : Program A) :
  approximate_dp epsilon delta p q
  <-> forall outputs, NoDup outputs -> list_sum outputs (loss_over epsilon p q) <= delta.
Proof.
  assert (E0 := exp_pos epsilon). split.
  - intros H l Hl. set (over := fun a => if Rle_dec 0 (at_output p a - exp epsilon * at_output q a) then true else false).
    set (l' := filter over l). assert (Hl' : NoDup l') by now apply NoDup_filter.
    set (event := fun a => if in_dec decide_equality a l' then true else false).
    assert (P : forall m : Program A, probability m event = list_sum l' (at_output m)).
    { intros m. rewrite (list_sum_ext _ _ _ (fun a => at_output m a * 1)) by (intros; lra).
      rewrite <- (expect_list m (fun _ => 1)) by auto. apply expect_ext. intros a. unfold event. lra. }
    specialize (H event). rewrite !P in H.
    replace (list_sum l (loss_over epsilon p q)) with (list_sum l' (at_output p) - exp epsilon * list_sum l' (at_output q)); [lra|].
    rewrite <- list_sum_scal. unfold l'. rewrite !list_sum_filter.
    assert (S : forall f g : A -> R, list_sum l f - list_sum l g = list_sum l (fun a => f a - g a)).
    { intros f g. clear. induction l; simpl; lra. }
    rewrite S. apply list_sum_ext. intros a _. unfold over, loss_over, Rmax.
    destruct (Rle_dec 0 (at_output p a - exp epsilon * at_output q a)); lra.
  - intros H event. apply le_epsilon. intros slack Hs. unfold probability at 1.
    destruct (list_near_expect p (indicator event) slack ltac:(auto) Hs) as (l & Hl & K).
    specialize (H l Hl). assert (B := list_below_expect q (indicator event) l ltac:(auto) Hl).
    apply Rmult_le_compat_l with (r := exp epsilon) in B; [|lra]. rewrite <- list_sum_scal in B.
    assert (list_sum l (fun a => at_output p a * indicator event a)
      <= list_sum l (fun a => loss_over epsilon p q a + exp epsilon * (at_output q a * indicator event a))).
    { apply list_sum_le. intros a _. unfold loss_over.
      generalize (Rmax_l 0 (at_output p a - exp epsilon * at_output q a)) (Rmax_r 0 (at_output p a - exp epsilon * at_output q a))
        (at_output_unit q a) (at_output_unit p a). unfold indicator. destruct (event a); lra. }
    rewrite list_sum_plus in H0. unfold probability. lra.
Qed.
