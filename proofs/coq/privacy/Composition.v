(** Post-processing, composition and group privacy of ε-DP and (ε, δ)-DP, for outputs of any type. *)
Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.privacy Require Import Definitions.
Open Scope R_scope.

Theorem pure_is_approximate A eps (p q : Program A) : pure_dp eps p q <-> approximate_dp eps 0 p q.
Proof. unfold pure_dp, approximate_dp. split; intros H event; generalize (H event); lra. Qed.

Lemma delta_not_negative A eps delta (p q : Program A) : approximate_dp eps delta p q -> 0 <= delta.
Proof.
  intros H. generalize (H (fun _ => false)). unfold probability, indicator. rewrite !expect_zero. lra.
Qed.

(** A release that does not depend on the input costs nothing. *)
Theorem constant_pure A (p : Program A) : pure_dp 0 p p.
Proof. intros event. rewrite exp_0. lra. Qed.

(** What holds of events holds of scores. *)
Theorem events_decide_scores A eps delta (p q : Program A) : approximate_dp eps delta p q ->
  forall g, in_unit g -> expect p g <= exp eps * expect q g + delta.
Proof.
  intros H. assert (D0 := delta_not_negative _ _ _ _ _ H). assert (E0 := exp_pos eps).
  assert (K : forall n g, in_unit g -> expect p g <= exp eps * expect q g + delta + / 2 ^ n).
  { induction n as [|n IH]; intros g Hg.
    - simpl. rewrite Rinv_1. generalize (expect_unit p Hg) (expect_unit q Hg). nra.
    - (* g is half of the event that g >= 1/2, and half of a score. *)
      set (event := fun a => if Rle_dec (1/2) (g a) then true else false).
      set (rest := fun a => 2 * g a - indicator event a).
      assert (Hr : in_unit rest).
      { intros a. unfold rest, indicator, event. generalize (Hg a). destruct (Rle_dec (1/2) (g a)); lra. }
      assert (S : forall m : Program A, expect m g = 1/2 * probability m event + 1/2 * expect m rest).
      { intros m. unfold probability. rewrite <- expect_lin by auto. apply expect_ext. intros a. unfold rest. lra. }
      rewrite !S. specialize (H event). specialize (IH rest Hr).
      replace (/ 2 ^ Datatypes.S n) with (/ 2 ^ n / 2) by (simpl; field; apply pow_nonzero; lra). lra. }
  intros g Hg. apply le_epsilon. intros slack Hs.
  assert (exists n, / 2 ^ n <= slack) as [n Hn].
  { assert (L : is_lim_seq (fun n => (/2) ^ n) 0) by (apply is_lim_seq_geom; rewrite Rabs_pos_eq; lra).
    apply is_lim_seq_spec in L. destruct (L (mkposreal slack Hs)) as [n Hn]. exists n. specialize (Hn n (le_n n)). simpl in Hn.
    rewrite Rminus_0_r, pow_inv in Hn. apply Rabs_lt_between in Hn. lra. }
  generalize (K n g Hg). lra.
Qed.

(** Post-processing, randomized or not. *)
Theorem post_processing_approximate A B eps delta (p q : Program A) (f : A -> Program B) :
  approximate_dp eps delta p q -> approximate_dp eps delta (Bind p f) (Bind q f).
Proof.
  intros H event. unfold probability. rewrite !expect_bind by auto.
  apply (events_decide_scores _ _ _ _ _ H). intros a. apply expect_unit. auto.
Qed.
Theorem post_processing_pure A B eps (p q : Program A) (f : A -> Program B) :
  pure_dp eps p q -> pure_dp eps (Bind p f) (Bind q f).
Proof. rewrite !pure_is_approximate. apply post_processing_approximate. Qed.

(** Sequential composition: the second sampler may be chosen by the first one's output. *)
Lemma sequence_approximate A B eps1 delta1 eps2 delta2 (p q : Program A) (f g : A -> Program B) : 0 <= delta2 ->
  approximate_dp eps1 delta1 p q -> (forall a, approximate_dp eps2 delta2 (f a) (g a)) ->
  approximate_dp (eps1 + eps2) (delta1 + delta2) (Bind p f) (Bind q g).
Proof.
  intros D2 H1 H2 event. unfold probability. rewrite !expect_bind by auto. rewrite exp_plus.
  assert (E1 := exp_pos eps1). assert (E2 := exp_pos eps2). assert (D1 := delta_not_negative _ _ _ _ _ H1).
  set (c := exp eps2) in *. set (F := fun a => expect (f a) (indicator event)). set (h := fun a => expect (g a) (indicator event)).
  assert (HF : in_unit F) by (intros a; apply expect_unit; auto).
  assert (Hh : in_unit h) by (intros a; apply expect_unit; auto).
  set (x := fun a => Rmin (/ c) (h a)).
  assert (I0 : 0 < / c) by (apply Rinv_0_lt_compat; auto).
  assert (X : forall a, 0 <= x a <= h a /\ c * x a <= 1).
  { intros a. unfold x. generalize (Hh a). intros. split.
    - split; [apply Rmin_glb; lra|apply Rmin_r].
    - assert (M := Rmin_l (/ c) (h a)). apply Rmult_le_compat_l with (r := c) in M; [|lra]. rewrite Rinv_r in M; lra. }
  assert (Hx : in_unit x) by (intros a; generalize (X a) (Hh a); lra).
  assert (Hy : in_unit (fun a => c * x a)) by (intros a; generalize (X a); nra).
  (* F(a) is at most min(1, e^ε₂·h(a)) + δ₂. *)
  assert (FY : forall a, F a <= c * x a + delta2).
  { intros a. assert (K := H2 a event). unfold F, x. fold (h a) in K. change (probability (f a) event) with (F a) in K.
    change (probability (g a) event) with (h a) in K. fold c in K. unfold Rmin. destruct (Rle_dec (/ c) (h a)); [|auto].
    rewrite Rinv_r by lra. generalize (HF a). unfold F. lra. }
  destruct (Rle_or_lt 1 (delta1 + delta2)) as [Big|Small].
  { generalize (expect_unit p HF) (expect_unit q Hh). intros. assert (0 < exp eps1 * c) by now apply Rmult_lt_0_compat. nra. }
  assert (K : expect p F <= expect p (fun a => c * x a) + delta2).
  { set (over := fun a => Rmax 0 (F a - c * x a)).
    assert (Ho : in_unit over) by (intros a; unfold over, Rmax; generalize (HF a) (Hy a); destruct (Rle_dec 0 (F a - c * x a)); lra).
    assert (Ho2 : forall a, over a <= delta2) by (intros a; unfold over; apply Rmax_lub; [lra|generalize (FY a); lra]).
    assert (M : in_unit (fun a => 1 * (c * x a) + 1 * over a)).
    { intros a. unfold over, Rmax. generalize (HF a) (Hy a). destruct (Rle_dec 0 (F a - c * x a)); lra. }
    apply Rle_trans with (expect p (fun a => 1 * (c * x a) + 1 * over a)).
    - apply expect_mono; auto. intros a. unfold over. generalize (Rmax_r 0 (F a - c * x a)). lra.
    - rewrite expect_lin by auto.
      assert (expect p over <= delta2 * expect p (fun _ => 1)).
      { rewrite <- expect_scal by auto. apply expect_mono; auto; [intros a; lra|]. intros a. generalize (Ho2 a). lra. }
      generalize (expect_unit p (@one_unit A)). nra. }
  assert (L := events_decide_scores _ _ _ _ _ H1 _ Hy). rewrite (expect_scal q c Hx) in L.
  assert (Q : expect q x <= expect q h) by (apply expect_mono; auto; intros a; apply X).
  assert (exp eps1 * (c * expect q x) <= exp eps1 * (c * expect q h)).
  { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra. }
  fold F. fold h. lra.
Qed.

Theorem composition_approximate A B eps1 delta1 eps2 delta2 (p q : Program A) (f g : A -> Program B) : 0 <= delta2 ->
  approximate_dp eps1 delta1 p q -> (forall a, approximate_dp eps2 delta2 (f a) (g a)) ->
  approximate_dp (eps1 + eps2) (delta1 + delta2) (release_both p f) (release_both q g).
Proof.
  intros D2 H1 H2. apply sequence_approximate; auto. intros a. apply post_processing_approximate, H2.
Qed.
Theorem composition_pure A B eps1 eps2 (p q : Program A) (f g : A -> Program B) :
  pure_dp eps1 p q -> (forall a, pure_dp eps2 (f a) (g a)) -> pure_dp (eps1 + eps2) (release_both p f) (release_both q g).
Proof.
  intros H1 H2. apply pure_is_approximate. replace 0 with (0 + 0) by lra.
  apply composition_approximate; [lra| |intros a]; now apply pure_is_approximate.
Qed.

(** Parallel composition: each record is in one part of the data only, so that neighbours differ in one part, and the other sampler is the same. *)
Theorem parallel_composition_pure A B eps1 eps2 (p q : Program A) (r s : Program B) : 0 <= eps1 -> 0 <= eps2 ->
  pure_dp eps1 p q /\ r = s \/ p = q /\ pure_dp eps2 r s ->
  pure_dp (Rmax eps1 eps2) (release_both p (fun _ => r)) (release_both q (fun _ => s)).
Proof.
  intros E1 E2 H.
  assert (Same : forall X (m : Program X), pure_dp 0 m m) by (intros X m event; rewrite exp_0; lra).
  assert (Weaker : forall X a b (m n : Program X), a <= b -> pure_dp a m n -> pure_dp b m n).
  { intros X a b m n L K event. apply Rle_trans with (1 := K event). apply Rmult_le_compat_r; [apply expect_unit; auto|].
    destruct L as [L| ->]; [left; now apply exp_increasing|lra]. }
  destruct H as [[H ->]|[-> H]].
  - apply (Weaker _ (eps1 + 0)); [rewrite Rplus_0_r; apply Rmax_l|]. now apply composition_pure.
  - apply (Weaker _ (0 + eps2)); [rewrite Rplus_0_l; apply Rmax_r|]. now apply composition_pure.
Qed.

(** Group privacy: along a chain of k neighbours, ε adds up, and δ by Σ_{i<k} e^(iε)·δ. *)
Theorem group_privacy_pure A eps (chain : nat -> Program A) k :
  (forall i, (i < k)%nat -> pure_dp eps (chain i) (chain (S i))) -> pure_dp (INR k * eps) (chain O) (chain k).
Proof.
  induction k as [|k IH]; intros H event.
  - simpl INR. rewrite Rmult_0_l, exp_0. lra.
  - assert (H1 := IH ltac:(intros; apply H; lia) event). assert (H2 := H k ltac:(lia) event).
    rewrite S_INR. replace ((INR k + 1) * eps) with (INR k * eps + eps) by ring. rewrite exp_plus.
    apply Rle_trans with (1 := H1). rewrite Rmult_assoc. apply Rmult_le_compat_l; auto. left. apply exp_pos.
Qed.
Fixpoint group_delta (eps delta : R) (k : nat) : R :=
  match k with O => 0 | S k => group_delta eps delta k + exp (INR k * eps) * delta end.
Theorem group_privacy_approximate A eps delta (chain : nat -> Program A) k :
  (forall i, (i < k)%nat -> approximate_dp eps delta (chain i) (chain (S i))) ->
  approximate_dp (INR k * eps) (group_delta eps delta k) (chain O) (chain k).
Proof.
  induction k as [|k IH]; intros H event.
  - simpl. rewrite Rmult_0_l, exp_0. lra.
  - assert (H1 := IH ltac:(intros; apply H; lia) event). assert (H2 := H k ltac:(lia) event).
    rewrite S_INR. replace ((INR k + 1) * eps) with (INR k * eps + eps) by ring. rewrite exp_plus.
    apply Rmult_le_compat_l with (r := exp (INR k * eps)) in H2; [|left; apply exp_pos]. cbn [group_delta]. lra.
Qed.
