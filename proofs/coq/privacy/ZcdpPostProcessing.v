(** Post-processing of zCDP: whatever is computed from a release, by more randomness or none, is as private. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.privacy Require Import Definitions Convexity GaussianMechanism Zcdp.
Import ListNotations.
Open Scope R_scope.

Section Map.
Context {A B : Type} {DA : Decidable A} {DB : Decidable B}.
Variables (p q : Program A) (f : A -> B).
Hypothesis continuous : forall a, at_output q a = 0 -> at_output p a = 0.

Definition image (m : Program A) : Program B := Bind m (fun a => Return (f a)).
Lemma image_at m b : at_output (image m) b = probability m (fun a => same b (f a)).
Proof.
  unfold at_output, probability, image. rewrite expect_bind by auto. apply expect_ext. intros a. rewrite expect_return. reflexivity.
Qed.
Lemma preimage_list (m : Program A) b l : NoDup l -> list_sum (filter (fun a => same b (f a)) l) (at_output m) <= at_output (image m) b.
Proof.
  intros Hl. rewrite image_at, list_sum_filter. eapply Rle_trans; [|apply (list_below_expect m (indicator (fun a => same b (f a))) l); auto].
  right. apply list_sum_ext. intros a _. unfold indicator. destruct (same b (f a)); lra.
Qed.
Lemma image_continuous b : at_output (image q) b = 0 -> at_output (image p) b = 0.
Proof.
  intros Z. apply Rle_antisym; [|apply at_output_unit]. apply le_epsilon. intros slack Hs. rewrite image_at.
  destruct (list_near_expect p (indicator (fun a => same b (f a))) slack ltac:(auto) Hs) as (l & Hl & K). unfold probability.
  assert (S : list_sum l (fun a => at_output p a * indicator (fun a => same b (f a)) a) = 0); [|lra].
  rewrite (list_sum_ext _ _ _ (fun _ => 0)); [clear; induction l; simpl; lra|]. intros a Ha. unfold indicator. destruct (same b (f a)) eqn:E; [|lra].
  rewrite continuous; [lra|]. apply Rle_antisym; [|apply at_output_unit]. rewrite <- Z. rewrite image_at. unfold at_output, probability.
  apply expect_mono; auto. intros a'. unfold indicator. destruct (same_spec a a') as [<-|]; [rewrite E; lra|destruct (same b (f a')); lra].
Qed.

(** One output's term is the sum of those of its preimages, or less. *)
Lemma term_by_preimages alpha b slack : 1 < alpha -> 0 < slack -> exists l, NoDup l /\ (forall a, In a l -> f a = b)
  /\ renyi_term alpha (at_output (image p) b) (at_output (image q) b) - slack <= list_sum l (fun a => renyi_term alpha (at_output p a) (at_output q a)).
Proof.
  intros Ha Hs. set (x := at_output (image p) b). set (y := at_output (image q) b).
  destruct (Req_EM_T x 0) as [X|X].
  { exists []. split; [constructor|]. split; [intros a []|]. unfold renyi_term. destruct (Req_EM_T x 0); [|contradiction]. simpl. lra. }
  assert (X0 : 0 < x) by (generalize (at_output_unit (image p) b); fold x; lra).
  assert (Y0 : 0 < y).
  { assert (y <> 0) by (intros Z; apply X; now apply image_continuous). generalize (at_output_unit (image q) b). fold y. lra. }
  set (c := x / y). assert (C : 0 < c) by now apply Rdiv_lt_0_compat.
  set (k := alpha * Rpower c (alpha - 1)). assert (K0 : 0 < k) by (apply Rmult_lt_0_compat; [lra|apply exp_pos]).
  destruct (list_near_expect p (indicator (fun a => same b (f a))) (slack / k) ltac:(auto) ltac:(apply Rdiv_lt_0_compat; auto)) as (l0 & Hl0 & N).
  exists (filter (fun a => same b (f a)) l0). split; [now apply NoDup_filter|]. split.
  { intros a H. apply filter_In in H. destruct H as [_ H]. destruct (same_spec b (f a)); [auto|discriminate]. }
  set (l := filter _ l0).
  assert (P : x - slack / k <= list_sum l (at_output p)).
  { unfold x. rewrite image_at. unfold l. rewrite list_sum_filter. eapply Rle_trans; [exact N|]. right. apply list_sum_ext. intros a _. unfold indicator. destruct (same b (f a)); lra. }
  assert (Q : list_sum l (at_output q) <= y) by now apply preimage_list.
  apply Rle_trans with (list_sum l (fun a => k * at_output p a + (- ((alpha - 1) * Rpower c alpha)) * at_output q a)).
  - rewrite list_sum_plus, !list_sum_scal. rewrite renyi_term_on_line by auto. fold c. fold k.
    assert (M : 0 <= (alpha - 1) * Rpower c alpha) by (apply Rmult_le_pos; [lra|left; apply exp_pos]).
    apply Rmult_le_compat_l with (r := k) in P; [|lra]. replace (k * (x - slack / k)) with (k * x - slack) in P by (field; lra). nra.
  - apply list_sum_le. intros a _. assert (T := renyi_term_above_line alpha c (at_output p a) (at_output q a) Ha C
      (proj1 (at_output_unit p a)) (proj1 (at_output_unit q a)) (continuous a)). fold k in T. lra.
Qed.
Lemma terms_by_preimages alpha : 1 < alpha -> forall bs, NoDup bs -> forall slack, 0 < slack -> exists l, NoDup l /\ (forall a, In a l -> In (f a) bs)
  /\ list_sum bs (fun b => renyi_term alpha (at_output (image p) b) (at_output (image q) b)) - slack
     <= list_sum l (fun a => renyi_term alpha (at_output p a) (at_output q a)).
Proof.
  intros Ha bs Hb. induction Hb as [|b bs Nb Hb IH]; intros slack Hs.
  - exists []. split; [constructor|]. split; [intros a []|]. simpl. lra.
  - destruct (IH (slack / 2) ltac:(lra)) as (l & L1 & L2 & L3). destruct (term_by_preimages alpha b (slack / 2) Ha ltac:(lra)) as (m & M1 & M2 & M3).
    exists (m ++ l). split; [|split].
    + apply NoDup_append; auto. intros a Hm Hl. apply M2 in Hm. apply L2 in Hl. rewrite Hm in Hl. contradiction.
    + intros a H. apply in_app_iff in H. destruct H as [H|H]; [left; symmetry; now apply M2|right; auto].
    + rewrite list_sum_app. cbn [list_sum]. lra.
Qed.
End Map.

(** A function of the output. *)
Theorem post_processing_zcdp A B (DA : Decidable A) (DB : Decidable B) rho (p q : Program A) (f : A -> B) :
  zcdp rho p q -> zcdp rho (Bind p (fun a => Return (f a))) (Bind q (fun a => Return (f a))).
Proof.
  intros [C H]. split; [exact (image_continuous p q f C)|]. intros alpha Ha l Hl. apply le_epsilon. intros slack Hs.
  destruct (terms_by_preimages p q f C alpha Ha l Hl slack Hs) as (m & M1 & _ & M3). specialize (H alpha Ha m M1). unfold image in M3. lra.
Qed.

(** The same sampler twice is 0-zCDP. *)
Theorem zcdp_refl A (D : Decidable A) (p : Program A) : zcdp 0 p p.
Proof.
  split; auto. intros alpha Ha l Hl. replace ((alpha - 1) * (alpha * 0)) with 0 by ring. rewrite exp_0.
  apply Rle_trans with (list_sum l (fun a => at_output p a * 1)).
  - apply list_sum_le. intros a _. unfold renyi_term. generalize (at_output_unit p a). destruct (Req_EM_T (at_output p a) 0); intros; [lra|].
    rewrite <- Rpower_plus. replace (alpha + (1 - alpha)) with 1 by ring. rewrite Rpower_1 by lra. lra.
  - eapply Rle_trans; [apply (list_below_expect p (fun _ => 1)); auto|]. apply expect_unit. auto.
Qed.

(** A randomized function of the output. *)
Theorem randomized_post_processing_zcdp A B (DA : Decidable A) (DB : Decidable B) rho (p q : Program A) (f : A -> Program B) :
  zcdp rho p q -> zcdp rho (Bind p f) (Bind q f).
Proof.
  intros H.
  assert (E : forall m b, at_output (Bind m f) b = at_output (Bind (release_both m f) (fun both => Return (snd both))) b).
  { intros m b. unfold at_output, probability, release_both. rewrite !expect_bind by auto.
    rewrite expect_bind by (intros both; apply expect_unit; auto). apply expect_ext. intros a.
    rewrite expect_bind by (intros both; apply expect_unit; auto). apply expect_ext. intros b'. now rewrite !expect_return. }
  assert (K : zcdp (rho + 0) (release_both p f) (release_both q f)) by (apply composition_zcdp; auto; intros a; apply zcdp_refl).
  rewrite Rplus_0_r in K. apply (post_processing_zcdp _ _ _ _ _ _ _ snd) in K. destruct K as [K1 K2]. split.
  - intros b. rewrite !E. apply K1.
  - intros alpha Ha l Hl. rewrite (list_sum_ext _ _ _ (fun b => renyi_term alpha (at_output (Bind (release_both p f) (fun both => Return (snd both))) b)
      (at_output (Bind (release_both q f) (fun both => Return (snd both))) b))) by (intros b _; now rewrite <- !E). now apply K2.
Qed.
