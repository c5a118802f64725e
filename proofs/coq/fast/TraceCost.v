(** What traces cost, [fixed::cost]: n samples of an (ε, δ) mechanism, released with their traces, are
    (ε, δ + n·(1 + e^ε)·β). *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.privacy Require Import Definitions Transfer.
From Certus.fast Require Import TrialCount FixedWork.
Import ListNotations.
Open Scope R_scope.

(** ** Independent draws commute *)
Lemma mean_swap A B (t : Tree A) : forall (t' : Tree B) (F : A -> B -> R), mean t (fun a => mean t' (F a)) = mean t' (fun b => mean t (fun a => F a b)).
Proof.
  induction t as [a| |k IH]; intros t' F; simpl; auto.
  - induction t' as [b| |k IH]; simpl; auto. rewrite <- (IH true), <- (IH false). lra.
  - rewrite (IH true), (IH false). clear. induction t' as [b| |k' IH]; simpl; [lra|lra|].
    rewrite <- (IH true), <- (IH false). lra.
Qed.
Lemma expect_swap A B (p : Program A) (q : Program B) (F : A -> B -> R) : (forall a b, 0 <= F a b <= 1) ->
  expect p (fun a => expect q (F a)) = expect q (fun b => expect p (fun a => F a b)).
Proof.
  intros H.
  assert (L : is_lim_seq (fun n => mean (tree p n) (fun a => mean (tree q n) (F a))) (expect p (fun a => expect q (F a)))).
  { apply (diagonal p (fun n a => mean (tree q n) (F a))).
    - intros n a. apply mean_unit. intros b. apply H.
    - intros a. apply expect_unit. intros b. apply H.
    - intros n a. apply mean_mono; [apply tree_extends_succ|]. intros b. generalize (H a b). lra.
    - intros a. apply expect_lim. intros b. apply H. }
  assert (L' : is_lim_seq (fun n => mean (tree q n) (fun b => mean (tree p n) (fun a => F a b))) (expect q (fun b => expect p (fun a => F a b)))).
  { apply (diagonal q (fun n b => mean (tree p n) (fun a => F a b))).
    - intros n b. apply mean_unit. intros a. apply H.
    - intros b. apply expect_unit. intros a. apply H.
    - intros n b. apply mean_mono; [apply tree_extends_succ|]. intros a. generalize (H a b). lra.
    - intros b. apply expect_lim. intros a. apply H. }
  apply is_lim_seq_unique in L. rewrite (Lim_seq_ext _ _ (fun n => mean_swap _ _ (tree p n) (tree q n) F)), (is_lim_seq_unique _ _ L') in L.
  now injection L.
Qed.

(** ** So many samples *)
Fixpoint samples {A} (count : nat) (p : Program A) : Program (list A) :=
  match count with
  | O => Return []
  | S count => Bind p (fun a => Bind (samples count p) (fun rest => Return (a :: rest)))
  end.

Lemma samples_score A (p : Program A) count g : in_unit g ->
  expect (samples (S count) p) g = expect p (fun a => expect (samples count p) (fun rest => g (a :: rest))).
Proof.
  intros Hg. cbn [samples]. rewrite expect_bind by auto. apply expect_ext. intros a. rewrite expect_bind by auto.
  apply expect_ext. intros rest. apply expect_return.
Qed.
Lemma expect_affine A (p : Program A) u w c d : in_unit u -> in_unit w -> 0 <= c -> 0 <= d -> (forall a, u a <= c * w a + d) ->
  expect p u <= c * expect p w + d.
Proof.
  intros Hu Hw Hc Hd H. set (K := / (1 + c + d)). assert (K0 : 0 < K) by (apply Rinv_0_lt_compat; lra).
  assert (K1 : K * (1 + c + d) = 1) by (unfold K; field; lra).
  assert (0 <= K * c) by (apply Rmult_le_pos; lra). assert (0 <= K * d) by (apply Rmult_le_pos; lra).
  assert (M : expect p (fun a => K * u a) <= expect p (fun a => K * c * w a + K * d * 1)).
  { apply expect_mono.
    - intros a. generalize (Hu a). nra.
    - intros a. generalize (Hw a). nra.
    - intros a. generalize (H a). nra. }
  rewrite expect_scal, expect_lin in M by auto. assert (T : 0 <= expect p (fun _ => 1) <= 1) by (apply expect_unit; auto).
  apply Rmult_le_reg_l with K; auto. nra.
Qed.
Lemma within_nonneg A beta (p q : Program A) : within_variation beta p q -> 0 <= beta.
Proof. intros H. generalize (H (fun _ => 0) ltac:(auto)) (Rabs_pos (expect p (fun _ => 0) - expect q (fun _ => 0))). lra. Qed.

(** Total variation adds up over independent samples. *)
Theorem samples_within_variation A beta count (p q : Program A) : within_variation beta p q ->
  within_variation (INR count * beta) (samples count p) (samples count q).
Proof.
  intros H. assert (B := within_nonneg _ _ _ _ H). induction count as [|count IH]; intros g Hg.
  - simpl. rewrite !expect_return, Rminus_eq_0, Rabs_R0. lra.
  - rewrite !samples_score by auto. rewrite S_INR.
    set (u := fun a => expect (samples count p) (fun rest => g (a :: rest))). set (v := fun a => expect (samples count q) (fun rest => g (a :: rest))).
    assert (Hu : in_unit u) by (intros a; apply expect_unit; intros l; apply Hg).
    assert (Hv : in_unit v) by (intros a; apply expect_unit; intros l; apply Hg).
    assert (C : 0 <= INR count * beta) by (apply Rmult_le_pos; [apply pos_INR|auto]).
    assert (D : forall a, - (INR count * beta) <= u a - v a <= INR count * beta).
    { intros a. apply Rabs_le_between. apply IH. intros l. apply Hg. }
    assert (D1 := expect_affine _ p u v 1 (INR count * beta) Hu Hv ltac:(lra) C ltac:(intros a; generalize (D a); lra)).
    assert (D2 := expect_affine _ p v u 1 (INR count * beta) Hv Hu ltac:(lra) C ltac:(intros a; generalize (D a); lra)).
    generalize (H v Hv). intros D3. apply Rabs_le_between in D3. apply Rabs_le. lra.
Qed.

(** ** The cost *)
Section Cost.
Context {W T Y O : Type}.
Variable draw : Program W.
Variable trial : W -> Trial Y.
Variable settle : W -> Program (T * option Y).
Let step := fixed_step draw trial settle.
Let sampler := fixed_sampler draw trial settle.
Let traced := traced_sampler draw trial settle.
Let untraced := untraced_sampler draw trial settle.
Let b := beta draw trial settle.
Hypothesis step_ends : total step = 1.
Hypothesis some_are_accepted : retry_share step < 1.

(** What a mechanism does with its samples, released with their traces. *)
Definition with_traces (count : nat) (mechanism : list Y -> Program O) : Program (list (list (option T)) * O) :=
  Bind (samples count traced) (fun drawn => Bind (mechanism (map snd drawn)) (fun output => Return (map fst drawn, output))).

(** Samples with traces that know nothing of them: all traces first, then the samples. *)
Lemma untraced_apart count : forall (H : list (list (option T)) -> list Y -> R), (forall t y, 0 <= H t y <= 1) ->
  expect (samples count untraced) (fun drawn => H (map fst drawn) (map snd drawn))
  = expect (samples count (counted step)) (fun others => expect (samples count sampler) (H (map (fun other => repeat None (S (fst other))) others))).
Proof.
  assert (U : forall X (m : Program X) h, in_unit h -> 0 <= expect m h <= 1) by (intros; now apply expect_unit).
  induction count as [|count IH]; intros H Hu.
  - cbn [samples]. now rewrite !expect_return.
  - rewrite samples_score by (intros l; apply Hu). rewrite samples_score by (intros l; apply U; intros y; apply Hu).
    unfold untraced at 1, untraced_sampler. rewrite expect_bind by (intros d; apply U; intros l; apply Hu). apply expect_ext. intros other.
    rewrite expect_bind by (intros d; apply U; intros l; apply Hu).
    rewrite (expect_ext _ _ (fun y => expect (samples count (counted step)) (fun others => expect (samples count sampler) (fun ys =>
      H (repeat None (S (fst other)) :: map (fun other => repeat None (S (fst other))) others) (y :: ys))))).
    + rewrite expect_swap by (intros y others; apply U; intros ys; apply Hu). apply expect_ext. intros others.
      rewrite samples_score by (intros l; apply Hu). reflexivity.
    + intros y. rewrite expect_return. cbn [map fst snd].
      apply (IH (fun t ys => H (repeat None (S (fst other)) :: t) (y :: ys))). intros t ys. apply Hu.
Qed.

(** [cost]: n·(1 + e^ε)·β is added to δ. *)
Theorem traces_cost epsilon delta count (mechanism mechanism' : list Y -> Program O) : 0 <= delta ->
  approximate_dp epsilon delta (Bind (samples count sampler) mechanism) (Bind (samples count sampler) mechanism') ->
  approximate_dp epsilon (delta + INR count * (1 + exp epsilon) * b) (with_traces count mechanism) (with_traces count mechanism').
Proof.
  intros Hd DP event. assert (E0 := exp_pos epsilon).
  assert (U : forall X (m : Program X) h, in_unit h -> 0 <= expect m h <= 1) by (intros; now apply expect_unit).
  set (score := fun (f : list Y -> Program O) t ys => expect (f ys) (fun output => indicator event (t, output))).
  assert (Hs : forall f t ys, 0 <= score f t ys <= 1) by (intros f t ys; apply U; intros output; apply indicator_unit).
  assert (P : forall f, probability (with_traces count f) event = expect (samples count traced) (fun drawn => score f (map fst drawn) (map snd drawn))).
  { intros f. unfold probability, with_traces. rewrite expect_bind by auto. apply expect_ext. intros drawn. rewrite expect_bind by auto.
    apply expect_ext. intros output. apply expect_return. }
  assert (V := samples_within_variation _ _ count _ _ (trace_is_nearly_independent draw trial settle step_ends some_are_accepted)).
  assert (N : forall f, Rabs (probability (with_traces count f) event
    - expect (samples count (counted step)) (fun others => expect (samples count sampler) (score f (map (fun other => repeat None (S (fst other))) others))))
    <= INR count * b).
  { intros f. rewrite P, <- untraced_apart by apply Hs. apply V. intros drawn. apply Hs. }
  assert (Ideal : expect (samples count (counted step)) (fun others => expect (samples count sampler) (score mechanism (map (fun other => repeat None (S (fst other))) others)))
    <= exp epsilon * expect (samples count (counted step)) (fun others => expect (samples count sampler) (score mechanism' (map (fun other => repeat None (S (fst other))) others))) + delta).
  { apply expect_affine; auto; [intros o; apply U; intros ys; apply Hs|intros o; apply U; intros ys; apply Hs|lra|].
    intros others. specialize (DP (fun output => event (map (fun other => repeat None (S (fst other))) others, output))).
    unfold probability in DP. rewrite !expect_bind in DP by auto. exact DP. }
  assert (N1 := N mechanism). assert (N2 := N mechanism'). apply Rabs_le_between in N1. apply Rabs_le_between in N2. nra.
Qed.
End Cost.
