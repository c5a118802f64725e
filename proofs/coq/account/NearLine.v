(** A pair P, Q within κ, in every probability and on both sides, of a post-processing of a pair p, q, "the line".
    What keeps it: mixtures of the two sides (Poisson subsampling: x·P + (1-x)·Q against y·P + (1-y)·Q, with the same mixtures of the line);
    mixtures of such pairs by the same coins. Adaptive composition: δ(ε) <= κ_1⋯κ_T·δ_lines(ε - 2·ln(κ_1⋯κ_T)), and with atoms. *)
Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import ListSums.
From Certus.account Require Import Constants Curves Factors Steps.
Import ListNotations.
Open Scope R_scope.

Record Near {A B : Type} (upto : nat -> list A) (kappa : R) (p q : A -> R) (P Q : B -> R) : Type := near {
  near_kernel : A -> B -> R;
  near_P : B -> R;
  near_Q : B -> R;
  near_kernel_law : forall a, law (near_kernel a);
  near_P_processed : processed upto p near_kernel near_P;
  near_Q_processed : processed upto q near_kernel near_Q;
  near_P_bounds : forall b, near_P b / kappa <= P b <= kappa * near_P b;
  near_Q_bounds : forall b, near_Q b / kappa <= Q b <= kappa * near_Q b }.
Arguments near {A B}.
Arguments near_kernel {A B upto kappa p q P Q}.
Arguments near_P {A B upto kappa p q P Q}.
Arguments near_Q {A B upto kappa p q P Q}.
Arguments near_kernel_law {A B upto kappa p q P Q}.
Arguments near_P_processed {A B upto kappa p q P Q}.
Arguments near_Q_processed {A B upto kappa p q P Q}.
Arguments near_P_bounds {A B upto kappa p q P Q}.
Arguments near_Q_bounds {A B upto kappa p q P Q}.

(** The outcomes of a line, all of them in the end, and a law on them. *)
Definition exhausting {A} (upto : nat -> list A) : Prop := (forall N, NoDup (upto N)) /\ forall N, incl (upto N) (upto (S N)).
Definition line_law {A} (upto : nat -> list A) (p : A -> R) : Prop := partial_law p /\ is_lim_seq (fun N => list_sum (upto N) p) 1.

Section Near.
Context {A B : Type} (upto : nat -> list A) (decide : forall x y : B, {x = y} + {x <> y}).
Hypothesis upto_good : exhausting upto.

Lemma near_P_law kappa p q (P Q : B -> R) (N : Near upto kappa p q P Q) : line_law upto p -> law (near_P N).
Proof.
  intros [H H']. apply (processed_law A B decide upto p (near_kernel N)); auto; try apply upto_good;
    [apply (near_kernel_law N)|apply (near_P_processed N)].
Qed.
Lemma near_Q_law kappa p q (P Q : B -> R) (N : Near upto kappa p q P Q) : line_law upto q -> law (near_Q N).
Proof.
  intros [H H']. apply (processed_law A B decide upto q (near_kernel N)); auto; try apply upto_good;
    [apply (near_kernel_law N)|apply (near_Q_processed N)].
Qed.

(** Subsampling: the two sides mixed. *)
Definition mix {X} (x : R) (f g : X -> R) (a : X) : R := x * f a + (1 - x) * g a.
Lemma mix_processed x (p q : A -> R) (K : A -> B -> R) (P Q : B -> R) : processed upto p K P -> processed upto q K Q ->
  processed upto (mix x p q) K (mix x P Q).
Proof.
  intros HP HQ b. unfold mix.
  apply (is_lim_seq_ext (fun N => x * list_sum (upto N) (fun a => p a * K a b) + (1 - x) * list_sum (upto N) (fun a => q a * K a b))).
  - intros N. rewrite <- !list_sum_scal, <- list_sum_plus. apply list_sum_ext. intros; ring.
  - apply is_lim_seq_plus'; (apply is_lim_seq_mult'; [apply is_lim_seq_const|]); auto.
Qed.
Lemma mix_bounds kappa x (P Q P' Q' : B -> R) b : 0 <= x <= 1 -> P' b / kappa <= P b <= kappa * P' b -> Q' b / kappa <= Q b <= kappa * Q' b ->
  mix x P' Q' b / kappa <= mix x P Q b <= kappa * mix x P' Q' b.
Proof. intros Hx HP HQ. unfold mix, Rdiv in *. split; nra. Qed.
Definition near_mixed kappa p q (P Q : B -> R) x y (Hx : 0 <= x <= 1) (Hy : 0 <= y <= 1) (N : Near upto kappa p q P Q) :
  Near upto kappa (mix x p q) (mix y p q) (mix x P Q) (mix y P Q).
Proof.
  destruct N as [K P' Q' H1 H2 H3 H4 H5]. apply (near upto kappa (mix x p q) (mix y p q) (mix x P Q) (mix y P Q) K (mix x P' Q') (mix y P' Q')); auto.
  - now apply mix_processed.
  - now apply mix_processed.
  - intros b. now apply mix_bounds.
  - intros b. now apply mix_bounds.
Defined.
Lemma mix_line_law x p q : 0 <= x <= 1 -> line_law upto p -> line_law upto q -> line_law upto (mix x p q).
Proof.
  intros Hx [[p0 p1] p2] [[q0 q1] q2].
  assert (E : forall l, list_sum l (mix x p q) = x * list_sum l p + (1 - x) * list_sum l q)
    by (intros l; rewrite <- !list_sum_scal, <- list_sum_plus; reflexivity).
  repeat split.
  - intros a. unfold mix. specialize (p0 a). specialize (q0 a). nra.
  - intros l Hl. rewrite E. specialize (p1 l Hl). specialize (q1 l Hl). nra.
  - apply (is_lim_seq_ext (fun N => x * list_sum (upto N) p + (1 - x) * list_sum (upto N) q)); [intros; symmetry; apply E|].
    assert (L : is_lim_seq (fun N => x * list_sum (upto N) p + (1 - x) * list_sum (upto N) q) (x * 1 + (1 - x) * 1)).
    { apply is_lim_seq_plus'; (apply is_lim_seq_mult'; [apply is_lim_seq_const|]); auto. }
    replace (x * 1 + (1 - x) * 1) with 1 in L by ring. exact L.
Qed.

Lemma mix_partial_law X x (f g : X -> R) : 0 <= x <= 1 -> partial_law f -> partial_law g -> partial_law (mix x f g).
Proof.
  intros Hx [f0 f1] [g0 g1]. split.
  - intros b. unfold mix. specialize (f0 b). specialize (g0 b). nra.
  - intros l Hl. unfold mix. rewrite list_sum_plus, !list_sum_scal. specialize (f1 l Hl). specialize (g1 l Hl). nra.
Qed.

(** Coins that both sides share: the pair depends on them, and so does the kernel; the line does not. *)
Lemma mixture_partial_law I (over : list I) w (P : I -> B -> R) : (forall i, In i over -> 0 <= w i) -> list_sum over w = 1 ->
  (forall i, partial_law (P i)) -> partial_law (mixture over w P).
Proof.
  intros Hw W HP. split.
  - intros b. apply list_sum_nonneg. intros i Hi. apply Rmult_le_pos; auto. apply (HP i).
  - intros l Hl. unfold mixture. rewrite list_sum_swap. rewrite <- W. apply list_sum_le. intros i Hi. rewrite list_sum_scal.
    destruct (HP i) as [_ P1]. specialize (P1 l Hl). specialize (Hw i Hi). nra.
Qed.
Lemma mixture_law I (over : list I) w (K : I -> B -> R) : (forall i, In i over -> 0 <= w i) -> list_sum over w = 1 -> (forall i, law (K i)) ->
  law (mixture over w K).
Proof.
  intros Hw W HK. split; [apply mixture_partial_law; auto; intros i; apply HK|].
  intros slack Hs. destruct (common_list I B decide K slack over Hs HK) as (m & Hm & C). exists m. split; auto.
  unfold mixture. rewrite list_sum_swap. apply Rle_trans with (list_sum over (fun i => (1 - slack) * w i)).
  - rewrite list_sum_scal, W. lra.
  - apply list_sum_le. intros i Hi. rewrite list_sum_scal, Rmult_comm. apply Rmult_le_compat_l; auto.
Qed.
Lemma mixture_of_kernels I (over : list I) w (p : A -> R) (K : I -> A -> B -> R) (P : I -> B -> R) :
  (forall i, processed upto p (K i) (P i)) -> processed upto p (fun a => mixture over w (fun i => K i a)) (mixture over w P).
Proof.
  intros H b. unfold mixture. apply (is_lim_seq_ext (fun N => list_sum over (fun i => w i * list_sum (upto N) (fun a => p a * K i a b)))).
  - intros N. rewrite (list_sum_ext _ over _ (fun i => list_sum (upto N) (fun a => p a * (w i * K i a b)))).
    2:{ intros i _. rewrite <- list_sum_scal. apply list_sum_ext. intros; ring. }
    rewrite list_sum_swap. apply list_sum_ext. intros a _. apply list_sum_scal.
  - apply (list_sum_limit I over (fun N i => w i * list_sum (upto N) (fun a => p a * K i a b))). intros i _.
    apply is_lim_seq_mult'; [apply is_lim_seq_const|]. apply H.
Qed.
Definition near_by_coins kappa p q I (over : list I) w (P Q : I -> B -> R) (Hw : forall i, In i over -> 0 <= w i) (W : list_sum over w = 1)
  (N : forall i, Near upto kappa p q (P i) (Q i)) : Near upto kappa p q (mixture over w P) (mixture over w Q).
Proof.
  apply (near upto kappa p q (mixture over w P) (mixture over w Q) (fun a => mixture over w (fun i => near_kernel (N i) a))
    (mixture over w (fun i => near_P (N i))) (mixture over w (fun i => near_Q (N i)))).
  - intros a. apply mixture_law; auto. intros i. apply (near_kernel_law (N i)).
  - apply mixture_of_kernels. intros i. apply (near_P_processed (N i)).
  - apply mixture_of_kernels. intros i. apply (near_Q_processed (N i)).
  - intros b. destruct (mixtures_keep_the_factor I B over w P (fun i => near_P (N i)) kappa Hw) as [U L].
    split; [apply L|apply U]; intros i c _; apply (near_P_bounds (N i)).
  - intros b. destruct (mixtures_keep_the_factor I B over w Q (fun i => near_Q (N i)) kappa Hw) as [U L].
    split; [apply L|apply U]; intros i c _; apply (near_Q_bounds (N i)).
Defined.

(** A greater factor will do. *)
Definition near_weaken kappa kappa' p q (P Q : B -> R) (Hk : 0 < kappa <= kappa') (Hp : forall a, 0 <= p a) (Hq : forall a, 0 <= q a)
  (N : Near upto kappa p q P Q) : Near upto kappa' p q P Q.
Proof.
  destruct N as [K P' Q' H1 H2 H3 H4 H5]. apply (near upto kappa' p q P Q K P' Q'); auto.
  - intros b. specialize (H4 b). assert (0 <= P' b) by (apply (processed_nonneg A B upto p K P'); auto; intros a; apply H1).
    assert (/ kappa' <= / kappa) by (apply Rinv_le_contravar; lra). unfold Rdiv in *. split; nra.
  - intros b. specialize (H5 b). assert (0 <= Q' b) by (apply (processed_nonneg A B upto q K Q'); auto; intros a; apply H1).
    assert (/ kappa' <= / kappa) by (apply Rinv_le_contravar; lra). unfold Rdiv in *. split; nra.
Defined.

(** Any number of steps, each of which may look at the outputs before it. *)
Variables (p q : nat -> A -> R) (kappa : nat -> R) (P Q : list B -> B -> R).
Hypothesis kappa_positive : forall t, 0 < kappa t.
Hypothesis p_law : forall t, line_law upto (p t).
Hypothesis q_law : forall t, line_law upto (q t).
Hypothesis P_law : forall history, partial_law (P history).
Variable steps_near : forall history, Near upto (kappa (length history)) (p (length history)) (q (length history)) (P history) (Q history).

Theorem near_lines_compose epsilon d n :
  curve_at_most (epsilon - 2 * ln (factors n kappa 0)) d (side_by_side n p 0) (side_by_side n q 0) ->
  curve_at_most epsilon (factors n kappa 0 * d) (run n P []) (run n Q []).
Proof.
  apply (adaptive_composition_within_factors decide upto p q kappa (fun history => near_kernel (steps_near history)) P Q
    (fun history => near_P (steps_near history)) (fun history => near_Q (steps_near history))); auto; try apply upto_good.
  - intros history k. apply (near_kernel_law (steps_near history)).
  - intros history. apply (near_P_processed (steps_near history)).
  - intros history. apply (near_Q_processed (steps_near history)).
  - intros history. apply (near_Q_law _ _ _ _ _ (steps_near history)). auto.
  - intros history. apply (near_Q_bounds (steps_near history)).
  - intros history. apply P_law.
  - intros history. apply (near_P_bounds (steps_near history)).
Qed.
Theorem near_lines_compose_with_atoms epsilon d n :
  curve_at_most epsilon d (side_by_side n p 0) (side_by_side n q 0) ->
  curve_at_most epsilon (1 - 1 / factors n kappa 0 + d / factors n kappa 0) (run n P []) (run n Q []).
Proof.
  apply (adaptive_composition_with_atoms decide upto p q kappa (fun history => near_kernel (steps_near history)) P Q
    (fun history => near_P (steps_near history)) (fun history => near_Q (steps_near history))); auto; try apply upto_good.
  - intros history k. apply (near_kernel_law (steps_near history)).
  - intros history. apply (near_P_processed (steps_near history)).
  - intros history. apply (near_Q_processed (steps_near history)).
  - intros history. apply (near_Q_law _ _ _ _ _ (steps_near history)). auto.
  - intros history. apply (near_Q_bounds (steps_near history)).
  - intros history. apply (near_P_law _ _ _ _ _ (steps_near history)). auto.
  - intros history. apply (near_P_bounds (steps_near history)).
Qed.
End Near.
