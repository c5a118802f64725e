(** Fixed work, [src/sample/fixed/kernel.rs]: a trial on its words alone, and an exact path where they are
    ambiguous.

    The trace of a trial that its words decide is whether it is accepted, and no more. What the exact path
    does may show all it likes: its trace is of any type. The pair of trace and sample is within β in total
    variation of a pair whose trace is drawn independently of the sample, where β is the probability that a
    trial is ambiguous divided by the probability that it is accepted: what [Shape::beta] bounds. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.privacy Require Import Definitions Transfer.
From Certus.fast Require Import TrialCount.
Import ListNotations.
Open Scope R_scope.

(** Every score of the one is within β of the score of the other: total variation at most β. *)
Definition within_variation {A} (beta : R) (p q : Program A) : Prop := forall g, in_unit g -> Rabs (expect p g - expect q g) <= beta.

(** Scores that are bounded by others, with coefficients. *)
Lemma expect_bounded A (p : Program A) u v w w' c : in_unit u -> in_unit v -> in_unit w -> in_unit w' -> 0 <= c ->
  (forall a, u a <= v a + w a + c * w' a) -> expect p u <= expect p v + expect p w + c * expect p w'.
Proof.
  intros Hu Hv Hw Hw' Hc H. set (K := / (2 + c)). assert (K0 : 0 < K) by (apply Rinv_0_lt_compat; lra).
  assert (K1 : K * (2 + c) = 1) by (unfold K; field; lra).
  set (left := fun a => K * v a + K * w a). set (all := fun a => 1 * left a + (K * c) * w' a).
  assert (L : in_unit left). { intros a. unfold left. generalize (Hv a) (Hw a). nra. }
  assert (Kc : 0 <= K * c) by (apply Rmult_le_pos; lra).
  assert (Hall : in_unit all). { intros a. unfold all, left. generalize (Hv a) (Hw a) (Hw' a). intros. split; [nra|].
    apply Rle_trans with (K + K + K * c); [nra|lra]. }
  assert (M : expect p (fun a => K * u a) <= expect p all).
  { apply expect_mono; auto.
    - intros a. generalize (Hu a). nra.
    - intros a. unfold all, left. generalize (H a). nra. }
  unfold all in M. rewrite expect_scal, expect_lin in M by auto. unfold left in M. rewrite expect_lin in M by auto.
  apply Rmult_le_reg_l with K; auto. nra.
Qed.

(** ** How many trials, for scores *)

Lemma trial_mass A (trial : Program (Flow unit A)) : total trial = 1 -> accepted trial (fun _ => 1) = 1 - retry_share trial.
Proof.
  intros T. assert (E : total trial = 1 * accepted trial (fun _ => 1) + 1 * retry_share trial); [|lra].
  rewrite total_expect. unfold accepted, retry_share. rewrite <- expect_lin by auto. apply expect_ext. intros [[]|a]; simpl; lra.
Qed.
(** Two bounded sequences x_n = r·x_(n+1) + y_n are one. *)
Lemma same_recursion r (x x' y : nat -> R) : 0 <= r < 1 -> (forall n, 0 <= x n <= 1) -> (forall n, 0 <= x' n <= 1) ->
  (forall n, x n = r * x (S n) + y n) -> (forall n, x' n = r * x' (S n) + y n) -> forall n, x n = x' n.
Proof.
  intros Hr Hx Hx' E E' n.
  assert (P : forall k, x n - x' n = r ^ k * (x (n + k)%nat - x' (n + k)%nat)).
  { induction k; [simpl; rewrite Nat.add_0_r; lra|]. rewrite IHk, E, E', Nat.add_succ_r. simpl. ring. }
  assert (D : Rabs (x n - x' n) <= 0).
  { apply (is_lim_seq_le (fun _ => Rabs (x n - x' n)) (fun k => r ^ k) (Rabs (x n - x' n)) 0);
      [|apply is_lim_seq_const|apply is_lim_seq_geom; rewrite Rabs_pos_eq; lra].
    intros k. rewrite (P k), Rabs_mult, Rabs_pos_eq by (apply pow_le; lra).
    assert (Rabs (x (n + k)%nat - x' (n + k)%nat) <= 1) by (apply Rabs_le; generalize (Hx (n + k)%nat) (Hx' (n + k)%nat); lra).
    generalize (pow_le r k (proj1 Hr)). nra. }
  assert (Z : x n - x' n = 0); [|lra]. apply Rabs_eq_0. generalize (Rabs_pos (x n - x' n)). lra.
Qed.

Lemma counted_step A (trial : Program (Flow unit A)) (h : nat * A -> R) n : in_unit h ->
  let loop := Loop (fun rejected => Bind trial (fun flow =>
    Return (match flow with Continue _ => Continue (S rejected) | Break a => Break (rejected, a) end))) in
  expect (loop n) h = retry_share trial * expect (loop (S n)) h + accepted trial (fun a => h (n, a)).
Proof.
  intros Hh loop. unfold loop at 1. rewrite expect_loop by auto. fold loop.
  assert (Hu : in_unit (on_flow (fun s => expect (loop s) h) h)) by (intros [s|o]; simpl; [apply expect_unit|]; auto).
  rewrite expect_bind by auto. set (v := expect (loop (S n)) h).
  unfold retry_share, accepted. rewrite Rmult_comm, <- (Rmult_1_l (expect trial (on_flow (fun _ => 0) _))), <- expect_lin.
  - apply expect_ext. intros [[]|a]; rewrite expect_return; simpl; fold v; lra.
  - intros [[]|a]; simpl; lra.
  - intros [[]|a]; simpl; auto; lra.
Qed.

(** The number of rejected trials and the sample are independent: every score of both is that of a number and
    a sample that are drawn apart. *)
Theorem count_and_sample_are_independent A (trial : Program (Flow unit A)) (h : nat * A -> R) :
  total trial = 1 -> retry_share trial < 1 -> in_unit h ->
  expect (counted trial) h = expect (counted trial) (fun outcome => expect (Loop (fun _ => trial) tt) (fun a => h (fst outcome, a))).
Proof.
  intros T R Hh. set (r := retry_share trial) in *. assert (R0 : 0 <= r) by (apply expect_unit; auto).
  set (h' := fun outcome : nat * A => expect (Loop (fun _ => trial) tt) (fun a => h (fst outcome, a))).
  assert (Hh' : in_unit h') by (intros [n a]; apply expect_unit; intros b; apply Hh).
  unfold counted. set (loop := Loop _).
  apply (same_recursion r (fun n => expect (loop n) h) (fun n => expect (loop n) h') (fun n => accepted trial (fun a => h (n, a)))).
  - lra.
  - intros n. now apply expect_unit.
  - intros n. now apply expect_unit.
  - intros n. now apply counted_step.
  - intros n. etransitivity; [apply counted_step; auto|]. f_equal. unfold h'. cbn [fst].
    rewrite expect_retry by (auto; intros b; apply Hh). fold r. set (s := accepted trial (fun a => h (n, a))).
    transitivity (s / (1 - r) * accepted trial (fun _ => 1)).
    + unfold accepted. rewrite <- expect_scal by auto. apply expect_ext. intros [[]|a]; simpl; lra.
    + rewrite trial_mass by auto. fold r. field. lra.
Qed.

(** ** The kernel *)

(** [Trial]: what a trial finds from its words alone. *)
Record Trial (Y : Type) := found { candidate : Y; accepts : bool; ambiguous : bool }.
Arguments found {Y}. Arguments candidate {Y}. Arguments accepts {Y}. Arguments ambiguous {Y}.

Section Kernel.
Context {W T Y : Type}.
(** The words of a trial, what they say, and the exact path, which also tells what its work shows. *)
Variable draw : Program W.
Variable trial : W -> Trial Y.
Variable settle : W -> Program (T * option Y).

Definition flow_of (found : option Y) : Flow unit Y := match found with Some y => Break y | None => Continue tt end.

(** One step of [kernel::step]: what it shows (nothing, if the words decide), and what it finds. *)
Definition shown_step : Program (option T * Flow unit Y) :=
  Bind draw (fun words =>
    if ambiguous (trial words) then Bind (settle words) (fun settled => Return (Some (fst settled), flow_of (snd settled)))
    else Return (None, if accepts (trial words) then Break (candidate (trial words)) else Continue tt)).
Definition fixed_step : Program (Flow unit Y) := Bind shown_step (fun both => Return (snd both)).

(** The sampler; and the sampler with its trace, an entry for each trial, the last one first. *)
Definition fixed_sampler : Program Y := Loop (fun _ => fixed_step) tt.
Definition traced_sampler : Program (list (option T) * Y) :=
  Loop (fun trace => Bind shown_step (fun both => Return (match snd both with
    | Continue _ => Continue (fst both :: trace) | Break y => Break (fst both :: trace, y) end))) [].

(** A trace that says nothing, of as many trials as another sample took, and a sample. *)
Definition untraced_sampler : Program (list (option T) * Y) :=
  Bind (counted fixed_step) (fun other => Bind fixed_sampler (fun y => Return (repeat None (S (fst other)), y))).

(** P(a trial is ambiguous), and β. *)
Definition ambiguity : R := probability draw (fun words => ambiguous (trial words)).
Definition beta : R := ambiguity / (1 - retry_share fixed_step).

Definition shows (both : option T * Flow unit Y) : bool := match fst both with Some _ => true | None => false end.

Lemma shown_probability : probability shown_step shows <= ambiguity.
Proof.
  unfold probability, ambiguity, shown_step. rewrite expect_bind by auto. apply expect_mono; [intros w; apply expect_unit; auto|auto|].
  intros words. unfold indicator at 2. destruct (ambiguous (trial words)); [apply expect_unit; auto|]. rewrite expect_return. unfold indicator. simpl. lra.
Qed.
Lemma fixed_step_score u : in_unit u -> expect fixed_step u = expect shown_step (fun both => u (snd both)).
Proof. intros Hu. unfold fixed_step. rewrite expect_bind by auto. apply expect_ext. intros both. apply expect_return. Qed.

Hypothesis step_ends : total fixed_step = 1.
Hypothesis some_are_accepted : retry_share fixed_step < 1.

(** The trace and the sample together are within β of a sample and a trace that knows nothing of it. *)
Theorem trace_is_nearly_independent : within_variation beta traced_sampler untraced_sampler.
Proof.
  intros g Hg. set (r := retry_share fixed_step) in *. assert (R0 : 0 <= r) by (apply expect_unit; auto).
  assert (A0 : 0 <= ambiguity) by (apply expect_unit; auto).
  set (quiet := fun outcome : nat * Y => g (repeat None (S (fst outcome)), snd outcome)).
  assert (Hq : in_unit quiet) by (intros o; apply Hg).
  (* the second is a sample that shows the number of its own trials *)
  assert (E : expect untraced_sampler g = expect (counted fixed_step) quiet).
  { rewrite count_and_sample_are_independent by auto. unfold untraced_sampler. rewrite expect_bind by auto. apply expect_ext. intros o.
    rewrite expect_bind by auto. apply expect_ext. intros y. rewrite expect_return. reflexivity. }
  rewrite E. unfold counted, traced_sampler. set (traced := Loop (fun trace => Bind shown_step _)). set (counting := Loop (fun rejected => Bind fixed_step _)).
  assert (Tr : forall l, expect (traced l) g = expect shown_step (fun both => match snd both with
    Continue _ => expect (traced (fst both :: l)) g | Break y => g (fst both :: l, y) end)).
  { intros l. unfold traced at 1. rewrite expect_loop by auto. fold traced.
    rewrite expect_bind by (intros [s|o]; simpl; [apply expect_unit|]; auto). apply expect_ext. intros [seen [[]|y]]; now rewrite expect_return. }
  assert (Co : forall n, expect (counting n) quiet = expect shown_step (fun both => match snd both with
    Continue _ => expect (counting (S n)) quiet | Break y => quiet (n, y) end)).
  { intros n. unfold counting at 1. rewrite expect_loop by auto. fold counting.
    rewrite expect_bind by (intros [s|o]; simpl; [apply expect_unit|]; auto).
    rewrite (expect_ext fixed_step _ (on_flow (fun _ => expect (counting (S n)) quiet) (fun y => quiet (n, y)))).
    - rewrite fixed_step_score by (intros [s|o]; simpl; [apply expect_unit|]; auto). apply expect_ext. intros [seen [[]|y]]; reflexivity.
    - intros [[]|y]; now rewrite expect_return. }
  assert (Ut : forall l, 0 <= expect (traced l) g <= 1) by (intros; now apply expect_unit).
  assert (Uc : forall n, 0 <= expect (counting n) quiet <= 1) by (intros; now apply expect_unit).
  assert (S1 := shown_probability). unfold probability in S1.
  assert (S2 : expect shown_step (fun both => on_flow (fun _ => 1) (fun _ => 0) (snd both)) = r) by (rewrite <- fixed_step_score by auto; reflexivity).
  (* k steps on *)
  assert (Near : forall k n, Rabs (expect (traced (repeat None n)) g - expect (counting n) quiet) <= ambiguity * ((1 - r ^ k) / (1 - r)) + r ^ k).
  { induction k as [|k IH]; intros n.
    - simpl. unfold Rdiv. rewrite Rminus_eq_0, Rmult_0_l, Rmult_0_r. apply Rabs_le. generalize (Ut (repeat None n)) (Uc n). lra.
    - set (b := ambiguity * ((1 - r ^ k) / (1 - r)) + r ^ k) in *.
      assert (B0 : 0 <= b) by (generalize (IH O) (Rabs_pos (expect (traced (repeat None 0)) g - expect (counting O) quiet)); lra).
      replace (ambiguity * ((1 - r ^ S k) / (1 - r)) + r ^ S k) with (ambiguity + b * r) by (unfold b; simpl; field; lra).
      specialize (IH (S n)). apply Rabs_le_between in IH. simpl repeat in IH.
      rewrite Tr, Co, <- S2.
      match goal with |- Rabs (expect _ ?x - expect _ ?y) <= _ => set (u := x); set (v := y) end.
      assert (Hu : in_unit u) by (intros [seen [[]|y]]; unfold u; simpl; auto).
      assert (Hv : in_unit v) by (intros [seen [[]|y]]; unfold v; simpl; auto).
      assert (Hw : in_unit (fun both : option T * Flow unit Y => on_flow (fun _ => 1) (fun _ : Y => 0) (snd both))) by (intros [seen [[]|y]]; simpl; lra).
      assert (D1 := expect_bounded _ shown_step u v (indicator shows) _ b Hu Hv ltac:(auto) Hw B0).
      assert (D2 := expect_bounded _ shown_step v u (indicator shows) _ b Hv Hu ltac:(auto) Hw B0).
      assert (X1 : forall a, u a <= v a + indicator shows a + b * on_flow (fun _ => 1) (fun _ : Y => 0) (snd a)).
      { intros [[t|] [[]|y]]; unfold u, v, indicator, shows; simpl; try change (quiet (n, y)) with (g (None :: repeat None n, y)); try lra.
        - generalize (Ut (Some t :: repeat None n)) (Uc (S n)). lra.
        - generalize (Hg (Some t :: repeat None n, y)) (Hg (None :: repeat None n, y)). lra. }
      assert (X2 : forall a, v a <= u a + indicator shows a + b * on_flow (fun _ => 1) (fun _ : Y => 0) (snd a)).
      { intros [[t|] [[]|y]]; unfold u, v, indicator, shows; simpl; try change (quiet (n, y)) with (g (None :: repeat None n, y)); try lra.
        - generalize (Ut (Some t :: repeat None n)) (Uc (S n)). lra.
        - generalize (Hg (Some t :: repeat None n, y)) (Hg (None :: repeat None n, y)). lra. }
      specialize (D1 X1). specialize (D2 X2). apply Rabs_le. lra. }
  apply (is_lim_seq_le (fun _ => Rabs (expect (traced []) g - expect (counting O) quiet)) (fun k => ambiguity * ((1 - r ^ k) / (1 - r)) + r ^ k)
    (Rabs (expect (traced []) g - expect (counting O) quiet)) beta).
  - intros k. apply (Near k O).
  - apply is_lim_seq_const.
  - assert (L : is_lim_seq (fun k => r ^ k) 0) by (apply is_lim_seq_geom; rewrite Rabs_pos_eq; lra).
    unfold beta. fold r. replace (Finite (ambiguity / (1 - r))) with (Finite (ambiguity * ((1 - 0) * / (1 - r)) + 0)) by (f_equal; field; lra).
    apply is_lim_seq_plus'; auto. apply (is_lim_seq_scal_l _ ambiguity (Finite _)). apply (is_lim_seq_scal_r _ (/ (1 - r)) (Finite _)).
    apply is_lim_seq_minus'; auto. apply is_lim_seq_const.
Qed.

(** What it shows changes nothing about the sample. *)
Theorem traced_samples_have_the_law : same_law (Bind traced_sampler (fun both => Return (snd both))) fixed_sampler.
Proof.
  intros g Hg. set (r := retry_share fixed_step) in *. assert (R0 : 0 <= r) by (apply expect_unit; auto).
  rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun both => g (snd both))) by (intros; apply expect_return).
  assert (Hh : in_unit (fun both : list (option T) * Y => g (snd both))) by (intros both; apply Hg).
  unfold traced_sampler. set (traced := Loop _). set (x := expect fixed_sampler g).
  assert (Hx : 0 <= x <= 1) by now apply expect_unit.
  assert (Near : forall k l, Rabs (expect (traced l) (fun both => g (snd both)) - x) <= r ^ k).
  { induction k as [|k IH]; intros l.
    - assert (0 <= expect (traced l) (fun both => g (snd both)) <= 1) by now apply expect_unit. simpl. apply Rabs_le. lra.
    - unfold traced at 1. rewrite expect_loop by auto. fold traced.
      rewrite expect_bind by (intros [s|o]; simpl; [apply expect_unit|]; auto).
      unfold x, fixed_sampler. rewrite (expect_loop (fun _ : unit => fixed_step)) by auto. fold fixed_sampler.
      rewrite fixed_step_score by (intros [s|o]; simpl; [apply expect_unit|]; auto).
      set (rejects := fun both : option T * Flow unit Y => on_flow (fun _ => 1) (fun _ : Y => 0) (snd both)).
      assert (Hw : in_unit rejects) by (intros [seen [[]|y]]; unfold rejects; simpl; lra).
      assert (S2 : expect shown_step rejects = r) by (unfold rejects; rewrite <- fixed_step_score by auto; reflexivity).
      match goal with |- Rabs (expect _ ?u - expect _ ?v) <= _ =>
        assert (Hu : in_unit u) by (intros [seen [[]|y]]; rewrite expect_return; simpl; auto; apply expect_unit; auto);
        assert (Hv : in_unit v) by (intros [seen [[]|y]]; simpl; auto; apply expect_unit; auto);
        assert (D1 := expect_bounded _ shown_step u v (fun _ => 0) rejects (r ^ k) Hu Hv ltac:(auto) Hw (pow_le _ _ R0));
        assert (D2 := expect_bounded _ shown_step v u (fun _ => 0) rejects (r ^ k) Hv Hu ltac:(auto) Hw (pow_le _ _ R0))
      end.
      rewrite expect_zero, S2 in D1, D2. apply Rabs_le. simpl pow.
      split; [lapply D2|lapply D1]; try lra; intros [seen [[]|y]]; unfold rejects; rewrite expect_return; simpl;
        try (specialize (IH (seen :: l)); apply Rabs_le_between in IH; fold x; unfold x, fixed_sampler in IH |- *); lra. }
  assert (D : Rabs (expect (traced []) (fun both => g (snd both)) - x) <= 0).
  { apply (is_lim_seq_le (fun _ => Rabs (expect (traced []) (fun both => g (snd both)) - x)) (fun k => r ^ k)
      (Rabs (expect (traced []) (fun both => g (snd both)) - x)) 0); [intros k; apply (Near k)|apply is_lim_seq_const|apply is_lim_seq_geom; rewrite Rabs_pos_eq; lra]. }
  generalize (Rabs_pos (expect (traced []) (fun both => g (snd both)) - x)). intros.
  assert (Z : expect (traced []) (fun both => g (snd both)) - x = 0) by (apply Rabs_eq_0; lra). lra.
Qed.

(** So a sample meets an ambiguous trial with probability at most β. *)
Theorem ambiguous_samples_are_rare :
  probability traced_sampler (fun both => existsb (fun seen => match seen with Some _ => true | None => false end) (fst both)) <= beta.
Proof.
  set (event := fun both : list (option T) * Y => _). assert (N := trace_is_nearly_independent (indicator event) ltac:(auto)).
  assert (Z : expect untraced_sampler (indicator event) = 0); [|unfold probability; apply Rabs_le_between in N; lra].
  unfold untraced_sampler. rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun _ => 0)); [apply expect_zero|]. intros o.
  rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun _ => 0)); [apply expect_zero|]. intros y. rewrite expect_return.
  unfold indicator, event. cbn [fst]. replace (existsb _ _) with false; auto. induction (S (fst o)) as [|k IH]; simpl; auto.
Qed.
End Kernel.
