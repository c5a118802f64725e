(** The expected score is the sum over single outputs: every finite sum of P(a)·g(a) is below it, and some come as near as one likes.
    Outputs may be of any type whose equality can be decided. *)
Require Import Reals Lra Lia List Bool ZArith Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums.
Import ListNotations.
Open Scope R_scope.

(** Outputs that can be told apart. *)
Class Decidable (A : Type) := { same : A -> A -> bool; same_spec : forall a b, reflect (a = b) (same a b) }.

Section Atoms.
Context {A : Type} {D : Decidable A}.

(** P(the output is a). *)
Definition at_output (p : Program A) (a : A) : R := probability p (same a).

Lemma same_refl a : same a a = true.
Proof. destruct (same_spec a a); auto. Qed.
Lemma at_output_unit (p : Program A) a : 0 <= at_output p a <= 1.
Proof. apply expect_unit. auto. Qed.
Definition decide_equality (a b : A) : {a = b} + {a <> b} :=
  match same_spec a b with ReflectT e => left e | ReflectF n => right n end.

(** Finite sums are below. *)
Lemma expect_list (p : Program A) g l : in_unit g -> NoDup l ->
  expect p (fun a => g a * indicator (fun a => if in_dec decide_equality a l then true else false) a)
  = list_sum l (fun a => at_output p a * g a).
Proof.
  intros Hg Hl. induction Hl as [|x l Hx Hl IH]; cbn [list_sum].
  - rewrite (expect_ext p _ (fun _ => 0)); [apply expect_zero|]. intros a. unfold indicator. simpl. lra.
  - rewrite <- IH. unfold at_output, probability. rewrite Rmult_comm.
    set (h := fun a => g a * indicator (fun a => if in_dec decide_equality a l then true else false) a).
    assert (Hh : in_unit h). { intros a. unfold h. generalize (Hg a) (indicator_unit (fun a => if in_dec decide_equality a l then true else false) a). nra. }
    replace (g x * expect p (indicator (same x)) + expect p h) with (g x * expect p (indicator (same x)) + 1 * expect p h) by lra.
    rewrite <- expect_lin by auto. apply expect_ext. intros a. unfold h, indicator. cbv beta.
    destruct (same_spec x a) as [<-|N].
    + destruct (in_dec decide_equality x (x :: l)) as [I|I]; [|exfalso; apply I; now left].
      destruct (in_dec decide_equality x l); [contradiction|lra].
    + destruct (in_dec decide_equality a (x :: l)) as [[E|I]|I], (in_dec decide_equality a l) as [J|J]; try lra; try contradiction.
      exfalso. apply I. now right.
Qed.
Lemma list_below_expect (p : Program A) g l : in_unit g -> NoDup l -> list_sum l (fun a => at_output p a * g a) <= expect p g.
Proof.
  intros Hg Hl. rewrite <- expect_list by auto. apply expect_mono; auto.
  - intros a. generalize (Hg a) (indicator_unit (fun a => if in_dec decide_equality a l then true else false) a). nra.
  - intros a. generalize (Hg a) (indicator_unit (fun a => if in_dec decide_equality a l then true else false) a). nra.
Qed.

(** Finite sums come near. *)
Fixpoint outputs_of (t : Tree A) : list A :=
  match t with Leaf a => [a] | Exhausted => [] | Toss k => outputs_of (k true) ++ outputs_of (k false) end.
Lemma mean_of_outputs (t : Tree A) g h : (forall a, In a (outputs_of t) -> g a = h a) -> mean t g = mean t h.
Proof.
  induction t as [a| |k IH]; simpl; intros H; auto.
  rewrite (IH true), (IH false); auto; intros a Ha; apply H; rewrite in_app_iff; auto.
Qed.
Lemma list_near_expect (p : Program A) g slack : in_unit g -> 0 < slack ->
  exists l, NoDup l /\ expect p g - slack <= list_sum l (fun a => at_output p a * g a).
Proof.
  intros Hg Hs. assert (L := expect_lim p Hg). apply is_lim_seq_spec in L. simpl in L.
  destruct (L (mkposreal slack Hs)) as [n Hn]. specialize (Hn n (le_n n)). simpl in Hn. apply Rabs_lt_between in Hn.
  set (l := nodup decide_equality (outputs_of (tree p n))). exists l. split; [apply NoDup_nodup|].
  rewrite <- expect_list by (auto; apply NoDup_nodup).
  set (h := fun a => g a * indicator _ a).
  assert (Hh : in_unit h). { intros a. unfold h. generalize (Hg a) (indicator_unit (fun a => if in_dec decide_equality a l then true else false) a). nra. }
  apply Rle_trans with (mean (tree p n) h); [|now apply expect_ge].
  rewrite <- (mean_of_outputs (tree p n) g h); [lra|].
  intros a Ha. unfold h, indicator. destruct (in_dec decide_equality a l) as [|N]; [lra|].
  exfalso. apply N. unfold l. now apply nodup_In.
Qed.

(** A bound on every single output is a bound on every score, and so on every event. *)
Lemma expect_le_by_outputs (p q : Program A) c g : 0 <= c -> (forall a, at_output p a <= c * at_output q a) -> in_unit g ->
  expect p g <= c * expect q g.
Proof.
  intros Hc H Hg. apply le_epsilon. intros slack Hs. destruct (list_near_expect p g slack Hg Hs) as (l & Hl & K).
  assert (list_sum l (fun a => at_output p a * g a) <= list_sum l (fun a => c * (at_output q a * g a))).
  { apply list_sum_le. intros a _. generalize (H a) (Hg a). nra. }
  rewrite list_sum_scal in H0. assert (B := list_below_expect q g l Hg Hl).
  apply Rmult_le_compat_l with (r := c) in B; auto. lra.
Qed.
End Atoms.

#[export] Instance decidable_Z : Decidable Z := {| same := Z.eqb; same_spec := Z.eqb_spec |}.
#[export] Instance decidable_nat : Decidable nat := {| same := Nat.eqb; same_spec := Nat.eqb_spec |}.
#[export] Instance decidable_bool : Decidable bool := {| same := Bool.eqb; same_spec := Bool.eqb_spec |}.
#[export] Instance decidable_pair {A B} (DA : Decidable A) (DB : Decidable B) : Decidable (A * B).
Proof.
  refine {| same := fun x y => same (fst x) (fst y) && same (snd x) (snd y) |}.
  intros [a b] [a' b']. simpl. destruct (same_spec a a') as [->|N], (same_spec b b') as [->|M]; simpl; constructor; congruence.
Defined.
#[export] Instance decidable_list {A} (DA : Decidable A) : Decidable (list A).
Proof.
  refine {| same := fix eq (x y : list A) := match x, y with
    | [], [] => true | a :: x, b :: y => same a b && eq x y | _, _ => false end |}.
  induction a as [|a x IH]; intros [|b y]; try (constructor; congruence).
  destruct (same_spec a b) as [->|N]; simpl; [|constructor; congruence].
  destruct (IH y) as [->|M]; constructor; congruence.
Defined.
