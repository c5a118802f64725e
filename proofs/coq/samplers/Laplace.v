(** Discrete Laplace noise of every rational scale s = n/d: P(y) = (1 - e^(-1/s))/(1 + e^(-1/s))·e^(-|y|/s). *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Geometric.
Open Scope R_scope.

Section Scale.
Variables n d : Z.
Hypotheses (Hn : (0 < n)%Z) (Hd : (0 < d)%Z).
Let e := ratio n d.

Let trial := Bind (geometric n d) (fun magnitude =>
    Bind Bit (fun negative =>
    Return (if negative then if (magnitude =? 0)%Z then Continue tt else Break (- magnitude)%Z else Break magnitude))).

(** A magnitude k scores half of g(k) and half of g(-k), where a negative zero scores c. *)
Definition either_sign (c : R) (g : Z -> R) (k : Z) : R := ((if (k =? 0)%Z then c else g (- k)%Z) + g k) / 2.

Lemma expect_trial c g : 0 <= c <= 1 -> in_unit g ->
  is_lim_seq (fun N => sum_below N (fun k => (1 - e) * e ^ k * either_sign c g (Z.of_nat k)))
    (expect trial (on_flow (fun _ => c) g)).
Proof.
  intros Hc Hg. assert (Hu : in_unit (on_flow (fun _ : unit => c) g)) by (intros [[]|y]; simpl; auto).
  unfold trial. rewrite expect_bind by auto.
  rewrite (expect_ext _ _ (either_sign c g)).
  - apply (expect_geometric n d Hn Hd). intros k. unfold either_sign. generalize (Hg k) (Hg (- k)%Z). destruct (k =? 0)%Z; lra.
  - intros k. rewrite expect_bind, expect_bit, !expect_return by auto. unfold either_sign. destruct (k =? 0)%Z; reflexivity.
Qed.

Lemma only_at (k : nat) f : (forall i, i <> k -> f i = 0) -> is_lim_seq (fun N => sum_below N f) (f k).
Proof.
  intros H. apply is_lim_seq_ext_loc with (fun _ => f k); [|apply is_lim_seq_const].
  exists (S k). intros N HN. rewrite (sum_below_single _ k) by auto.
  replace (k <? N)%nat with true by (symmetry; apply Nat.ltb_lt; lia). reflexivity.
Qed.

Lemma trial_retry_share : retry_share trial = (1 - e) / 2.
Proof.
  assert (L := expect_trial 1 (fun _ => 0) ltac:(lra) ltac:(auto)). fold (retry_share trial) in L.
  assert (L2 := only_at 0 (fun k => (1 - e) * e ^ k * either_sign 1 (fun _ => 0) (Z.of_nat k))).
  lapply L2; [clear L2; intros L2|].
  - apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. injection L as <-. unfold either_sign. simpl. lra.
  - intros i Hi. unfold either_sign. destruct (Z.eqb_spec (Z.of_nat i) 0); [lia|lra].
Qed.

Lemma expect_laplace_trial g : in_unit g -> expect (laplace n d) g = 2 / (1 + e) * accepted trial g.
Proof.
  intros Hg. assert (He := ratio_bounds n d Hn Hd). fold e in He.
  unfold laplace. fold trial. rewrite expect_retry by (auto; rewrite trial_retry_share; lra).
  rewrite trial_retry_share. field. lra.
Qed.

Theorem laplace_probability y :
  probability (laplace n d) (Z.eqb y) = (1 - ratio n d) / (1 + ratio n d) * exp (- (Rabs (IZR y) / (IZR n / IZR d))).
Proof.
  assert (He := ratio_bounds n d Hn Hd). fold e in He.
  unfold probability. rewrite expect_laplace_trial by auto. fold e.
  assert (L := expect_trial 0 (indicator (Z.eqb y)) ltac:(lra) ltac:(auto)). fold (accepted trial (indicator (Z.eqb y))) in L.
  set (k := Z.abs_nat y).
  assert (Hk : forall i, either_sign 0 (indicator (Z.eqb y)) (Z.of_nat i) = if (i =? k)%nat then 1 / 2 else 0).
  { intros i. unfold either_sign, indicator, k. destruct (Nat.eqb_spec i (Z.abs_nat y)), (Z.eqb_spec (Z.of_nat i) 0),
      (Z.eqb_spec y (- Z.of_nat i)), (Z.eqb_spec y (Z.of_nat i)); try lra; lia. }
  assert (L2 := only_at k (fun i => (1 - e) * e ^ i * either_sign 0 (indicator (Z.eqb y)) (Z.of_nat i))).
  lapply L2; [clear L2; intros L2|].
  2:{ intros i Hi. rewrite Hk. apply Nat.eqb_neq in Hi. rewrite Hi. lra. }
  apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. injection L as <-. rewrite Hk, Nat.eqb_refl.
  replace (exp (- (Rabs (IZR y) / (IZR n / IZR d)))) with (e ^ k); [field; lra|].
  unfold e. rewrite <- ratio_power by auto. f_equal. unfold k. rewrite mult_IZR, Zabs2Nat.id_abs, abs_IZR.
  apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. field. lra.
Qed.

Theorem laplace_total : total (laplace n d) = 1.
Proof.
  assert (He := ratio_bounds n d Hn Hd). fold e in He. rewrite total_expect, expect_laplace_trial by auto.
  (* The whole trial has mass 1, of which (1 - e)/2 is rejected. *)
  assert (W : expect trial (on_flow (fun _ => 1) (fun _ => 1)) = 1).
  { assert (L := expect_trial 1 (fun _ => 1) ltac:(lra) ltac:(auto)).
    assert (G := expect_geometric n d Hn Hd (fun _ => 1) ltac:(auto)).
    transitivity (total (geometric n d)); [|now apply geometric_total]. rewrite total_expect.
    apply is_lim_seq_unique in L. apply is_lim_seq_unique in G. fold e in G.
    rewrite (Lim_seq_ext _ (fun N => sum_below N (fun k => (1 - e) * e ^ k * 1))) in L.
    - rewrite G in L. now injection L.
    - intros N. apply sum_below_ext. intros k _. unfold either_sign. destruct (_ =? _)%Z; lra. }
  assert (S : expect trial (on_flow (fun _ => 1) (fun _ => 1)) = 1 * accepted trial (fun _ => 1) + 1 * retry_share trial).
  { unfold accepted, retry_share. rewrite <- expect_lin by auto. apply expect_ext. intros [[]|y]; simpl; lra. }
  rewrite W, trial_retry_share in S. replace (accepted trial (fun _ => 1)) with ((1 + e) / 2) by lra. field. lra.
Qed.
End Scale.
