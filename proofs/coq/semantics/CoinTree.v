(** A sampler with fuel is a finite tree of tosses. The trees carry the proofs; no statement outside this folder speaks of them. *)
Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation.
Import ListNotations.
Open Scope R_scope.
Set Implicit Arguments.

Inductive Tree (A : Type) : Type :=
| Leaf (output : A)
| Exhausted
| Toss (next : bool -> Tree A).
Arguments Exhausted {A}.

Fixpoint graft {A B} (t : Tree A) (f : A -> Tree B) : Tree B :=
  match t with
  | Leaf a => f a
  | Exhausted => Exhausted
  | Toss k => Toss (fun b => graft (k b) f)
  end.

Fixpoint unroll {S A} (fuel : nat) (step : S -> Tree (Flow S A)) (state : S) : Tree A :=
  match fuel with
  | O => Exhausted
  | Datatypes.S fuel =>
      graft (step state) (fun flow => match flow with Continue next => unroll fuel step next | Break a => Leaf a end)
  end.

Fixpoint tree {A} (p : Program A) (fuel : nat) {struct p} : Tree A :=
  match p with
  | @Return _ a => Leaf a
  | Bit => Toss (fun b => Leaf b)
  | @Bind _ _ m f => graft (tree m fuel) (fun a => tree (f a) fuel)
  | @Loop _ _ step start => unroll fuel (fun s => tree (step s) fuel) start
  end.

Fixpoint walk {A} (t : Tree A) (tape : Tape) : Outcome A :=
  match t with
  | Leaf a => Some (a, tape)
  | Exhausted => None
  | Toss k => match tape with [] => None | b :: rest => walk (k b) rest end
  end.

Lemma walk_graft A B (t : Tree A) (f : A -> Tree B) : forall tape,
  walk (graft t f) tape = match walk t tape with Some (a, rest) => walk (f a) rest | None => None end.
Proof. induction t; simpl; auto. intros [|b rest]; auto. Qed.

Lemma walk_tree A (p : Program A) fuel : forall tape, walk (tree p fuel) tape = run p fuel tape.
Proof.
  induction p as [A x| |A B m IHm f IHf|S A step IH s]; intros tape; simpl; auto.
  - rewrite walk_graft, IHm. destruct (run m fuel tape) as [[x t]|]; auto.
  - assert (K : forall steps s tape, walk (unroll steps (fun s => tree (step s) fuel) s) tape
        = iterate (fun s => run (step s) fuel) steps s tape); [|apply K].
    clear s tape. intros steps. induction steps; intros s tape; simpl; auto.
    rewrite walk_graft, IH. destruct (run (step s) fuel tape) as [[[next|y] t]|]; simpl; auto.
Qed.

(** The mean score of a tree. *)
Fixpoint mean {A} (t : Tree A) (g : A -> R) : R :=
  match t with
  | Leaf a => g a
  | Exhausted => 0
  | Toss k => (mean (k true) g + mean (k false) g) / 2
  end.

(** One tree extends another: it agrees with it wherever the other has not run out. *)
Inductive extends {A} : Tree A -> Tree A -> Prop :=
| extends_exhausted t : extends Exhausted t
| extends_leaf a : extends (Leaf a) (Leaf a)
| extends_toss k k' : (forall b, extends (k b) (k' b)) -> extends (Toss k) (Toss k').

Lemma extends_refl A (t : Tree A) : extends t t.
Proof. induction t; constructor; auto. Qed.
Lemma extends_trans A (x y z : Tree A) : extends x y -> extends y z -> extends x z.
Proof.
  intros H; revert z; induction H; intros z Hz; [constructor|auto|]. inversion Hz; subst. constructor; auto.
Qed.
Lemma graft_extends A B (t t' : Tree A) (f f' : A -> Tree B) :
  extends t t' -> (forall a, extends (f a) (f' a)) -> extends (graft t f) (graft t' f').
Proof. intros H Hf; induction H; simpl; auto; constructor; auto. Qed.
Lemma unroll_extends S A k : forall k' (f f' : S -> Tree (Flow S A)) s, (k <= k')%nat ->
  (forall s, extends (f s) (f' s)) -> extends (unroll k f s) (unroll k' f' s).
Proof.
  induction k; intros k' f f' s Hk Hf; simpl; [constructor|].
  destruct k'; [lia|]. simpl. apply graft_extends; auto.
  intros [s'|a]; [apply IHk; auto; lia | constructor].
Qed.
Lemma tree_loop S A (f : S -> Program (Flow S A)) s n : tree (Loop f s) n = unroll n (fun s => tree (f s) n) s.
Proof. reflexivity. Qed.
Lemma tree_extends_succ A (p : Program A) : forall n, extends (tree p n) (tree p (S n)).
Proof.
  induction p; intros n.
  - apply extends_refl.
  - apply extends_refl.
  - apply graft_extends; auto.
  - rewrite 2!tree_loop. apply unroll_extends; auto.
Qed.
Lemma tree_extends A (p : Program A) n m : (n <= m)%nat -> extends (tree p n) (tree p m).
Proof. induction 1; [apply extends_refl|]. eapply extends_trans; [apply IHle | apply tree_extends_succ]. Qed.

Lemma mean_unit A (t : Tree A) g : in_unit g -> 0 <= mean t g <= 1.
Proof. intros H; induction t; simpl; [apply H | lra |]. generalize (H0 true) (H0 false); lra. Qed.
Lemma mean_mono A (t t' : Tree A) g g' : extends t t' -> (forall a, 0 <= g a <= g' a) -> mean t g <= mean t' g'.
Proof.
  intros H Hg. induction H; simpl.
  - assert (Hg' : forall a, 0 <= g' a) by (intros a; generalize (Hg a); lra).
    clear -Hg'. induction t; simpl; [auto | lra |]. generalize (H true) (H false); lra.
  - apply Hg.
  - generalize (H0 true) (H0 false); lra.
Qed.
Lemma mean_graft A B (t : Tree A) (f : A -> Tree B) g : mean (graft t f) g = mean t (fun a => mean (f a) g).
Proof. induction t; simpl; auto. now rewrite 2!H. Qed.
Lemma mean_ext A (t : Tree A) g h : (forall a, g a = h a) -> mean t g = mean t h.
Proof. intros E; induction t; simpl; auto. now rewrite 2!H. Qed.
Lemma mean_lin A (t : Tree A) g h c d : mean t (fun a => c * g a + d * h a) = c * mean t g + d * mean t h.
Proof. induction t; simpl; [auto | lra |]. rewrite 2!H. lra. Qed.
Lemma mean_lim A (t : Tree A) (h : nat -> A -> R) (h' : A -> R) :
  (forall a, is_lim_seq (fun n => h n a) (h' a)) -> is_lim_seq (fun n => mean t (h n)) (mean t h').
Proof.
  intros H; induction t as [a| |k IH]; simpl; [apply H | apply is_lim_seq_const |].
  apply is_lim_seq_ext with (fun n => /2 * (mean (k true) (h n) + mean (k false) (h n))); [intros; lra|].
  replace (Finite ((mean (k true) h' + mean (k false) h') / 2))
    with (Rbar_mult (/2) (mean (k true) h' + mean (k false) h')) by (simpl; f_equal; lra).
  apply is_lim_seq_scal_l. now apply is_lim_seq_plus'.
Qed.

(** A rising bounded sequence has a limit, which bounds it. *)
Lemma rising_limit (u : nat -> R) M : (forall n, u n <= u (S n)) -> (forall n, u n <= M) ->
  is_lim_seq u (real (Lim_seq u)) /\ (forall n, u n <= real (Lim_seq u)) /\ real (Lim_seq u) <= M.
Proof.
  intros Hi Hb. destruct (ex_finite_lim_seq_incr u M Hi Hb) as [l Hl].
  rewrite (is_lim_seq_unique _ _ Hl). simpl. split; auto. split.
  - now apply is_lim_seq_incr_compare.
  - apply (is_lim_seq_le u (fun _ => M) l M); auto. apply is_lim_seq_const.
Qed.

(** Averages over tapes, and their limit: the limit of the trees' means. *)
Lemma average_const L c f : (forall l, f l = c) -> average L f = c.
Proof. revert f; induction L; intros f H; simpl; [apply H|]. rewrite 2!IHL by auto. lra. Qed.
Arguments average_const : clear implicits.
Lemma average_ext L : forall f g, (forall l, f l = g l) -> average L f = average L g.
Proof.
  induction L; intros f g H; simpl; [apply H|].
  rewrite (IHL (fun l => f (true :: l)) (fun l => g (true :: l))), (IHL (fun l => f (false :: l)) (fun l => g (false :: l))); auto.
Qed.
Lemma average_le L : forall f g, (forall l, f l <= g l) -> average L f <= average L g.
Proof.
  induction L; intros f g H; simpl; [apply H|].
  generalize (IHL (fun l => f (true :: l)) (fun l => g (true :: l)) (fun l => H _))
    (IHL (fun l => f (false :: l)) (fun l => g (false :: l)) (fun l => H _)). lra.
Qed.
Lemma average_tree A (t : Tree A) g : in_unit g ->
  (forall L, average L (fun l => score g (walk t l)) <= mean t g)
  /\ exists D, forall L, (D <= L)%nat -> average L (fun l => score g (walk t l)) = mean t g.
Proof.
  intros Hg. induction t as [x| |k IH]; simpl.
  - split; [intros L; right | exists O; intros L _]; apply average_const; auto.
  - split; [intros L; right | exists O; intros L _]; apply average_const; auto.
  - destruct (IH true) as [B1 [D1 H1]], (IH false) as [B2 [D2 H2]]. split.
    + intros [|L]; simpl.
      * generalize (@mean_unit A (k true) g Hg) (@mean_unit A (k false) g Hg); lra.
      * generalize (B1 L) (B2 L); lra.
    + exists (S (D1 + D2)). intros [|L] HL; [lia|]. simpl. rewrite H1, H2 by lia. reflexivity.
Qed.
Lemma average_rises A (t : Tree A) g : in_unit g -> forall L,
  average L (fun l => score g (walk t l)) <= average (S L) (fun l => score g (walk t l)).
Proof.
  intros Hg. induction t as [x| |k IH]; intros L.
  - rewrite 2!(average_const _ (g x)); auto; lra.
  - rewrite 2!(average_const _ 0); auto; lra.
  - destruct L as [|L].
    + simpl. assert (P : forall o, 0 <= @score A g o) by (intros [[x r]|]; simpl; [apply Hg|lra]).
      generalize (P (walk (k true) [])) (P (walk (k false) [])). lra.
    + change (average (S (S L)) ?F)
        with ((average (S L) (fun l => F (true :: l)) + average (S L) (fun l => F (false :: l))) / 2).
      change (average (S L) (fun l => score g (walk (Toss k) l)))
        with ((average L (fun l => score g (walk (k true) l)) + average L (fun l => score g (walk (k false) l))) / 2).
      generalize (IH true L) (IH false L). cbn [walk]. lra.
Qed.

Definition tree_limit {A} (p : Program A) (g : A -> R) : R := real (Lim_seq (fun n => mean (tree p n) g)).

Lemma tree_limit_all A (p : Program A) g : in_unit g ->
  is_lim_seq (fun n => mean (tree p n) g) (tree_limit p g)
  /\ (forall n, mean (tree p n) g <= tree_limit p g) /\ tree_limit p g <= 1.
Proof.
  intros H. apply rising_limit; intros n.
  - apply mean_mono; [apply tree_extends_succ | intros a; generalize (H a); lra].
  - now apply mean_unit.
Qed.

Lemma shares_converge A (p : Program A) g : in_unit g -> is_lim_seq (share p g) (tree_limit p g).
Proof.
  intros Hg.
  apply is_lim_seq_ext with (fun L => average L (fun l => score g (walk (tree p L) l))).
  { intros L. unfold share. apply average_ext. intros l. now rewrite walk_tree. }
  assert (Mn : forall L n m, (n <= m)%nat ->
    average L (fun l => score g (walk (tree p n) l)) <= average L (fun l => score g (walk (tree p m) l))).
  { intros L n m H. apply average_le. intros l. destruct (walk (tree p n) l) as [r|] eqn:Q.
    - rewrite walk_tree in *. rewrite (run_fuel _ _ H Q). lra.
    - destruct (walk (tree p m) l) as [[x r]|]; simpl; [apply Hg|lra]. }
  assert (ML : forall n L M, (L <= M)%nat ->
    average L (fun l => score g (walk (tree p n) l)) <= average M (fun l => score g (walk (tree p n) l))).
  { intros n L M H. induction H; [lra|]. eapply Rle_trans; [apply IHle | now apply average_rises]. }
  set (u := fun L => average L (fun l => score g (walk (tree p L) l))).
  assert (U1 : forall L, u L <= u (S L)).
  { intros L. eapply Rle_trans; [apply (Mn L L (S L)); lia | apply ML; lia]. }
  assert (U2 : forall L, u L <= tree_limit p g).
  { intros L. eapply Rle_trans; [apply (proj1 (@average_tree A (tree p L) g Hg)) | now apply tree_limit_all]. }
  destruct (rising_limit u U1 U2) as (L1 & L2 & L3).
  replace (tree_limit p g) with (real (Lim_seq u)); auto. apply Rle_antisym; auto.
  apply (is_lim_seq_le (fun n => mean (tree p n) g) (fun _ => real (Lim_seq u)) (tree_limit p g) (real (Lim_seq u)));
    [| now apply tree_limit_all | apply is_lim_seq_const].
  intros n. destruct (@average_tree A (tree p n) g Hg) as [_ [D HD]].
  rewrite <- (HD (D + n)%nat) by lia. eapply Rle_trans; [apply (Mn _ n (D + n)%nat); lia | apply L2].
Qed.
Lemma expect_tree_limit A (p : Program A) g : in_unit g -> expect p g = tree_limit p g.
Proof. intros H. unfold expect. now rewrite (is_lim_seq_unique _ _ (shares_converge p H)). Qed.
