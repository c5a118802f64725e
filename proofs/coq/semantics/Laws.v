(** The laws of expectation: linear, monotone, compositional; a loop is a fixed point, and a retry a quotient. *)
Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree.
Open Scope R_scope.
Set Implicit Arguments.

(** The tapes' limit exists, so that [expect] is the limit and not a default. *)
Theorem expect_is_limit_of_shares A (p : Program A) g : in_unit g -> is_lim_seq (share p g) (expect p g).
Proof. intros H. rewrite expect_tree_limit by auto. now apply shares_converge. Qed.

Lemma expect_lim A (p : Program A) g : in_unit g -> is_lim_seq (fun n => mean (tree p n) g) (expect p g).
Proof. intros H. rewrite expect_tree_limit by auto. now apply tree_limit_all. Qed.
Lemma expect_ge A (p : Program A) g n : in_unit g -> mean (tree p n) g <= expect p g.
Proof. intros H. rewrite expect_tree_limit by auto. now apply tree_limit_all. Qed.
Lemma expect_unit A (p : Program A) g : in_unit g -> 0 <= expect p g <= 1.
Proof.
  intros H; split.
  - apply Rle_trans with (mean (tree p 0) g); [now apply mean_unit | now apply expect_ge].
  - rewrite expect_tree_limit by auto. now apply tree_limit_all.
Qed.
Lemma expect_eq A (p : Program A) g l : in_unit g ->
  is_lim_seq (fun n => mean (tree p n) g) (Finite l) -> expect p g = l.
Proof. intros H L. rewrite expect_tree_limit by auto. unfold tree_limit. now rewrite (is_lim_seq_unique _ _ L). Qed.
Lemma expect_ext A (p : Program A) g h : (forall a, g a = h a) -> expect p g = expect p h.
Proof.
  intros H. unfold expect. f_equal. apply Lim_seq_ext. intros n. apply average_ext.
  intros l. destruct (run p n l) as [[a r]|]; simpl; auto.
Qed.
Lemma expect_return A (a : A) g : expect (Return a) g = g a.
Proof.
  unfold expect. rewrite (Lim_seq_ext _ (fun _ => g a)); [now rewrite Lim_seq_const|].
  intros n. now apply average_const.
Qed.
Lemma expect_bit g : expect Bit g = (g true + g false) / 2.
Proof.
  unfold expect. rewrite <- Lim_seq_incr_1, (Lim_seq_ext _ (fun _ => (g true + g false) / 2)); [now rewrite Lim_seq_const|].
  intros n. unfold share. simpl. now rewrite (average_const n (g true)), (average_const n (g false)).
Qed.
Lemma expect_lin A (p : Program A) g h c d : in_unit g -> in_unit h ->
  expect p (fun a => c * g a + d * h a) = c * expect p g + d * expect p h.
Proof.
  intros Hg Hh. assert (L : is_lim_seq (share p (fun a => c * g a + d * h a)) (c * expect p g + d * expect p h)).
  { apply is_lim_seq_ext with (fun n => c * share p g n + d * share p h n).
    { intros n. unfold share. assert (K : forall L (x y : Tape -> R), average L (fun l => c * x l + d * y l) = c * average L x + d * average L y).
      { induction L; intros x y; simpl; auto.
        rewrite (IHL (fun l => x (true :: l)%list) (fun l => y (true :: l)%list)), (IHL (fun l => x (false :: l)%list) (fun l => y (false :: l)%list)). lra. }
      rewrite <- K. apply average_ext. intros l. destruct (run p n l) as [[a r]|]; simpl; lra. }
    apply is_lim_seq_plus'.
    - apply (is_lim_seq_scal_l _ c (expect p g)). now apply expect_is_limit_of_shares.
    - apply (is_lim_seq_scal_l _ d (expect p h)). now apply expect_is_limit_of_shares. }
  unfold expect at 1. now rewrite (is_lim_seq_unique _ _ L).
Qed.
Lemma expect_scal A (p : Program A) g c : in_unit g -> expect p (fun a => c * g a) = c * expect p g.
Proof.
  intros H. rewrite <- (Rplus_0_r (c * expect p g)), <- (Rmult_0_l (expect p g)).
  rewrite <- expect_lin by auto. apply expect_ext; intros; lra.
Qed.
Lemma expect_mono A (p : Program A) g h : in_unit g -> in_unit h -> (forall a, g a <= h a) -> expect p g <= expect p h.
Proof.
  intros Hg Hh H. apply (is_lim_seq_le (fun n => mean (tree p n) g) (fun n => mean (tree p n) h) (expect p g) (expect p h));
    auto using expect_lim.
  intros n. apply mean_mono; [apply extends_refl|]. intros a; generalize (Hg a) (H a); lra.
Qed.
Lemma expect_zero A (p : Program A) : expect p (fun _ => 0) = 0.
Proof. rewrite (expect_ext p (fun _ => 0) (fun _ => 0 * 0)) by (intros; lra). rewrite (@expect_scal A p (fun _ => 0)); [lra|]. intros a; lra. Qed.

(** Fuel for a prefix and fuel for its continuation may be shared. *)
Lemma diagonal A (p : Program A) (h : nat -> A -> R) (h' : A -> R) :
  (forall n, in_unit (h n)) -> in_unit h' ->
  (forall n a, h n a <= h (S n) a) -> (forall a, is_lim_seq (fun n => h n a) (h' a)) ->
  is_lim_seq (fun n => mean (tree p n) (h n)) (expect p h').
Proof.
  intros Hu Hu' Hm Hl.
  assert (Hle : forall n a, h n a <= h' a).
  { intros n a. now apply (is_lim_seq_incr_compare (fun n => h n a)). }
  assert (Hi : forall n, mean (tree p n) (h n) <= mean (tree p (S n)) (h (S n))).
  { intros n. apply mean_mono; [apply tree_extends_succ|]. intros a; split; [apply Hu | apply Hm]. }
  assert (Hb : forall n, mean (tree p n) (h n) <= expect p h').
  { intros n. apply Rle_trans with (mean (tree p n) h'); [|now apply expect_ge].
    apply mean_mono; [apply extends_refl|]. intros a; split; [apply Hu | apply Hle]. }
  destruct (rising_limit _ Hi Hb) as (L1 & L2 & L3). set (l := real _) in *.
  replace (expect p h') with l; auto. apply Rle_antisym; auto.
  apply (is_lim_seq_le (fun n => mean (tree p n) h') (fun _ => l) (expect p h') l);
    [| now apply expect_lim | apply is_lim_seq_const].
  intros n.
  assert (Hk : is_lim_seq (fun k => mean (tree p n) (h (k + n)%nat)) (mean (tree p n) h')).
  { apply (mean_lim (tree p n) (fun k => h (k + n)%nat)). intros a.
    apply -> (is_lim_seq_incr_n (fun k => h k a) n). apply Hl. }
  apply (is_lim_seq_le _ (fun _ => l) (mean (tree p n) h') l) with (2 := Hk); [|apply is_lim_seq_const].
  intros k. apply Rle_trans with (2 := L2 (k + n)%nat).
  apply mean_mono; [apply tree_extends; lia|]. intros a; split; [apply Hu|lra].
Qed.

Lemma expect_bind A B (m : Program A) (f : A -> Program B) g : in_unit g ->
  expect (Bind m f) g = expect m (fun a => expect (f a) g).
Proof.
  intros Hg. apply expect_eq; auto. simpl tree.
  eapply is_lim_seq_ext; [intros n; symmetry; apply mean_graft|].
  apply (diagonal m (fun n a => mean (tree (f a) n) g)).
  - intros n a. now apply mean_unit.
  - intros a. now apply expect_unit.
  - intros n a. apply mean_mono; [apply tree_extends_succ|]. intros b; generalize (Hg b); lra.
  - intros a. now apply expect_lim.
Qed.

(** The score of a step: of the state that it continues from, or of the output. *)
Definition on_flow {S A} (h : S -> R) (g : A -> R) (flow : Flow S A) : R :=
  match flow with Continue s => h s | Break a => g a end.
Lemma on_flow_unit S A (h : S -> R) (g : A -> R) : in_unit h -> in_unit g -> in_unit (on_flow h g).
Proof. intros Hh Hg [s|a]; simpl; auto. Qed.

Lemma expect_loop S A (f : S -> Program (Flow S A)) s g : in_unit g ->
  expect (Loop f s) g = expect (f s) (on_flow (fun s' => expect (Loop f s') g) g).
Proof.
  intros Hg.
  assert (Hg0 : forall b, 0 <= g b <= g b) by (intros b; generalize (Hg b); lra).
  assert (D : is_lim_seq (fun n => mean (unroll (Datatypes.S n) (fun s => tree (f s) n) s) g)
                (expect (f s) (on_flow (fun s' => expect (Loop f s') g) g))).
  { simpl unroll. eapply is_lim_seq_ext; [intros n; symmetry; apply mean_graft|].
    eapply is_lim_seq_ext; [|apply (diagonal (f s) (fun n => on_flow (fun s' => mean (tree (Loop f s') n) g) g))].
    - intros n. apply mean_ext. intros [s'|a]; reflexivity.
    - intros n [s'|a]; [now apply mean_unit | apply Hg].
    - intros [s'|a]; [now apply expect_unit | apply Hg].
    - intros n [s'|a]; [|simpl; lra]. apply mean_mono; [apply (tree_extends_succ (Loop f s'))|auto].
    - intros [s'|a]; [now apply (expect_lim (Loop f s')) | apply is_lim_seq_const]. }
  assert (L := expect_lim (Loop f s) Hg).
  assert (D' : is_lim_seq (fun n => mean (unroll (Datatypes.S n) (fun s => tree (f s) n) s) g) (expect (Loop f s) g)).
  { apply is_lim_seq_le_le with (fun n => mean (tree (Loop f s) n) g) (fun n => mean (tree (Loop f s) (Datatypes.S n)) g).
    - intros n. rewrite 2!tree_loop. split; (apply mean_mono; [|auto]); apply unroll_extends; auto using extends_refl.
      intros s'. apply tree_extends_succ.
    - exact L.
    - exact (proj1 (is_lim_seq_incr_1 (fun n => mean (tree (Loop f s) n) g) _) L). }
  assert (Q := is_lim_seq_unique _ _ D). rewrite (is_lim_seq_unique _ _ D') in Q. now injection Q.
Qed.

Lemma monotone_convergence A (p : Program A) (h : nat -> A -> R) (h' : A -> R) :
  (forall n, in_unit (h n)) -> in_unit h' ->
  (forall n v, h n v <= h (S n) v) -> (forall v, is_lim_seq (fun n => h n v) (h' v)) ->
  is_lim_seq (fun n => expect p (h n)) (expect p h').
Proof.
  intros Hu Hu' Hm Hl.
  apply is_lim_seq_le_le with (fun n => mean (tree p n) (h n)) (fun _ => expect p h').
  - intros n. split; [now apply expect_ge | apply expect_mono; auto].
    intros v. now apply (is_lim_seq_incr_compare (fun n => h n v)).
  - now apply diagonal.
  - apply is_lim_seq_const.
Qed.

(** A retry: what one trial does, given that it is accepted. [retry_share] is the probability that a trial is rejected. *)
Definition retry_share {A} (trial : Program (Flow unit A)) : R := expect trial (on_flow (fun _ => 1) (fun _ => 0)).
Definition accepted {A} (trial : Program (Flow unit A)) (g : A -> R) : R := expect trial (on_flow (fun _ => 0) g).

Lemma expect_retry A (trial : Program (Flow unit A)) g : in_unit g -> retry_share trial < 1 ->
  expect (Loop (fun _ => trial) tt) g = accepted trial g / (1 - retry_share trial).
Proof.
  intros Hg Hr. unfold accepted. set (x := expect (Loop (fun _ => trial) tt) g). unfold retry_share in *. set (r := expect trial _) in *.
  assert (F : x = 1 * expect trial (on_flow (fun _ => 0) g) + x * r).
  { unfold x at 1. rewrite expect_loop by auto. unfold r. rewrite <- expect_lin.
    - apply expect_ext. intros [[]|b]; simpl; unfold x; lra.
    - intros [[]|b]; simpl; [lra|apply Hg].
    - intros [[]|b]; simpl; lra. }
  apply Rmult_eq_reg_r with (1 - r); [|lra].
  replace (expect trial (on_flow (fun _ => 0) g) / (1 - r) * (1 - r)) with (expect trial (on_flow (fun _ => 0) g)) by (field; lra).
  lra.
Qed.

Lemma indicator_unit A (event : A -> bool) : in_unit (indicator event).
Proof. intros a. unfold indicator. destruct (event a); lra. Qed.
Lemma one_unit A : in_unit (fun _ : A => 1). Proof. intros a; lra. Qed.
Lemma zero_unit A : in_unit (fun _ : A => 0). Proof. intros a; lra. Qed.
#[export] Hint Resolve indicator_unit one_unit zero_unit on_flow_unit : core.

Lemma total_expect A (p : Program A) : total p = expect p (fun _ => 1).
Proof. reflexivity. Qed.
