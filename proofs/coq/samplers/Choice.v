(** The weighted choice: P(i) = c_i·e^(-x_i) / Σ_j c_j·e^(-x_j), for all rational c_i >= 0, not all 0, and all rational x_i. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Uniform Bernoulli BernoulliExp.
Import ListNotations.
Open Scope R_scope.

(** c·e^-x. *)
Definition weight_value (w : Weight) : R := IZR (factor_n w) / IZR (factor_d w) * exp (- (IZR (exponent_n w) / IZR (exponent_d w))).
Definition total_weight (weights : list Weight) : R := fold_right (fun w sum => weight_value w + sum) 0 weights.

(** c is not negative, and no denominator is 0 or less. *)
Definition proper (w : Weight) : Prop := (0 <= factor_n w)%Z /\ (0 < factor_d w)%Z /\ (0 < exponent_d w)%Z.

(** Σ over the list, with the index of each, from k on. *)
Fixpoint indexed_sum (k : nat) (weights : list Weight) (f : nat -> Weight -> R) : R :=
  match weights with [] => 0 | w :: rest => f k w + indexed_sum (S k) rest f end.

Lemma indexed_sum_ext k ws f g : (forall i w, In w ws -> f i w = g i w) -> indexed_sum k ws f = indexed_sum k ws g.
Proof.
  revert k. induction ws as [|w ws IH]; intros k H; simpl; auto.
  rewrite H by (simpl; auto). f_equal. apply IH. intros i v Hv. apply H. now right.
Qed.
Lemma indexed_sum_scal k ws c f : indexed_sum k ws (fun i w => c * f i w) = c * indexed_sum k ws f.
Proof. revert k. induction ws; intros k; simpl; [lra|]. rewrite IHws. lra. Qed.
Lemma indexed_sum_minus k ws f g : indexed_sum k ws (fun i w => f i w - g i w) = indexed_sum k ws f - indexed_sum k ws g.
Proof. revert k. induction ws; intros k; simpl; [lra|]. rewrite IHws. lra. Qed.
Lemma indexed_sum_value k ws : indexed_sum k ws (fun _ w => weight_value w) = total_weight ws.
Proof. revert k. induction ws; intros k; simpl; [lra|]. now rewrite IHws. Qed.
Lemma indexed_sum_single k ws i w f : nth_error ws i = Some w ->
  indexed_sum k ws (fun j v => if Nat.eqb (k + i) j then f v else 0) = f w.
Proof.
  revert k i. induction ws as [|v ws IH]; intros k i H; [now destruct i|]. simpl.
  assert (Z : forall k' m, (m < k')%nat -> indexed_sum k' ws (fun j v => if Nat.eqb m j then f v else 0) = 0).
  { clear. induction ws; intros k' m H; simpl; auto. destruct (Nat.eqb_spec m k'); [lia|]. rewrite IHws by lia. lra. }
  destruct i as [|i]; simpl in H.
  - injection H as ->. rewrite Nat.add_0_r, Nat.eqb_refl, Z by lia. lra.
  - destruct (Nat.eqb_spec (k + S i) k); [lia|]. replace (k + S i)%nat with (S k + i)%nat by lia. rewrite IH by auto. lra.
Qed.

(** The common denominator is positive, and each denominator divides it. *)
Lemma common_divides ws : List.Forall proper ws -> forall c, (0 < c)%Z ->
  let common := fold_left (fun common w => Z.lcm common (factor_d w)) ws c in
  (0 < common)%Z /\ (c | common)%Z /\ List.Forall (fun w => (factor_d w | common)%Z) ws.
Proof.
  induction 1 as [|w ws Hw Hws IH]; intros c Hc; simpl.
  - split; [auto|split; [exists 1%Z; lia|constructor]].
  - destruct Hw as (H1 & H2 & H3).
    assert (L : (0 < Z.lcm c (factor_d w))%Z).
    { assert (0 <= Z.lcm c (factor_d w))%Z by apply Z.lcm_nonneg.
      assert (Z.lcm c (factor_d w) <> 0)%Z; [|lia]. intros E. apply Z.lcm_eq_0 in E. lia. }
    destruct (IH _ L) as (P1 & P2 & P3). split; [auto|split].
    + eapply Z.divide_trans; [apply Z.divide_lcm_l|exact P2].
    + constructor; auto. eapply Z.divide_trans; [apply Z.divide_lcm_r|exact P2].
Qed.

Lemma smallest_exponent_spec ws : List.Forall proper ws -> List.Exists (fun w => factor_n w <> 0%Z) ws ->
  exists m, smallest_exponent ws = Some m /\ (0 < snd m)%Z
    /\ List.Forall (fun w => factor_n w <> 0%Z -> (fst m * exponent_d w <= exponent_n w * snd m)%Z) ws.
Proof.
  intros Hp. induction Hp as [|w ws Hw Hws IH]; intros He; [inversion He|]. simpl. destruct Hw as (H1 & H2 & H3).
  destruct (Z.eqb_spec (factor_n w) 0) as [Z0|Z0].
  - destruct IH as (m & M1 & M2 & M3); [inversion He; subst; [contradiction|auto]|].
    exists m. split; [auto|split; [auto|]]. constructor; auto. intros; contradiction.
  - destruct (List.Exists_dec (fun w => factor_n w <> 0%Z) ws) as [E|E].
    { intros v. destruct (Z.eq_dec (factor_n v) 0); [right|left]; auto. }
    + destruct (IH E) as (m & -> & M2 & M3). exists (smaller (exponent_n w, exponent_d w) m). split; auto.
      unfold smaller. simpl. destruct (Z.leb_spec (exponent_n w * snd m) (fst m * exponent_d w)) as [C|C]; simpl.
      * split; auto. constructor; [lia|]. rewrite List.Forall_forall in *. intros v Hv Nv. specialize (M3 v Hv Nv).
        destruct (Hws v Hv) as (_ & _ & V3). apply Z.mul_le_mono_pos_r with (snd m); auto. nia.
      * split; auto. constructor; auto. lia.
    + assert (N : smallest_exponent ws = None).
      { clear -E. induction ws as [|v ws IH]; auto. simpl. destruct (Z.eqb_spec (factor_n v) 0).
        - apply IH. intros X. apply E. now right.
        - exfalso. apply E. now left. }
      rewrite N. exists (exponent_n w, exponent_d w). simpl. split; auto. split; auto.
      constructor; [lia|]. rewrite List.Forall_forall. intros v Hv Nv. exfalso. apply E. rewrite List.Exists_exists. eauto.
Qed.

Section Weights.
Variable weights : list Weight.
Hypothesis all_proper : List.Forall proper weights.
Hypothesis some_positive : List.Exists (fun w => factor_n w <> 0%Z) weights.

Let common := common_denominator weights.
Let sum_shares ws := fold_right (fun w sum => (share_of common w + sum)%Z) 0%Z ws.
Let smallest := match smallest_exponent weights with Some x => x | None => (0%Z, 1%Z) end.
Let accept w := exp (- (IZR (fst (above smallest w)) / IZR (snd (above smallest w)))).

Lemma common_positive : (0 < common)%Z.
Proof. now apply (common_divides weights all_proper 1). Qed.
Lemma share_value w : In w weights -> (0 <= share_of common w)%Z
  /\ IZR (share_of common w) = IZR common * (IZR (factor_n w) / IZR (factor_d w)).
Proof.
  intros Hin. destruct (common_divides weights all_proper 1 ltac:(lia)) as (P & _ & D).
  change (fold_left _ weights 1%Z) with common in *. rewrite List.Forall_forall in D. specialize (D w Hin).
  assert (Hw := proj1 (List.Forall_forall _ _) all_proper w Hin). destruct Hw as (H1 & H2 & H3).
  destruct D as [k Hk]. unfold share_of. rewrite Hk, Z.div_mul by lia. split; [nia|].
  rewrite !mult_IZR. field. apply (IZR_neq (factor_d w) 0). lia.
Qed.

Lemma sum_over_proposals (F : option (nat * Weight) -> R) ws : (forall w, In w ws -> In w weights) -> forall k,
  (0 <= sum_shares ws)%Z /\
  sum_below (Z.to_nat (sum_shares ws)) (fun u => F (reach_past common (Z.of_nat u) k ws))
  = indexed_sum k ws (fun i w => IZR (share_of common w) * F (Some (i, w))).
Proof.
  induction ws as [|w ws IH]; intros Hin k; [split; [simpl; lia|reflexivity]|].
  destruct (IH ltac:(intros; apply Hin; now right) (S k)) as [P IH']. simpl in Hin.
  destruct (share_value w ltac:(auto)) as [S0 _].
  change (sum_shares (w :: ws)) with (share_of common w + sum_shares ws)%Z. split; [lia|].
  rewrite Z2Nat.inj_add, sum_below_app by lia. simpl indexed_sum. f_equal.
  - rewrite (sum_below_ext _ _ (fun _ => F (Some (k, w)))).
    + rewrite sum_below_const, INR_IZR_INZ, Z2Nat.id by auto. reflexivity.
    + intros i Hi. simpl. replace (Z.of_nat i <? share_of common w)%Z with true by (symmetry; apply Z.ltb_lt; lia). reflexivity.
  - rewrite <- IH'. apply sum_below_ext. intros i Hi. simpl.
    replace (Z.of_nat (Z.to_nat (share_of common w) + i) <? share_of common w)%Z with false by (symmetry; apply Z.ltb_ge; lia).
    do 2 f_equal. lia.
Qed.

Lemma smallest_proper : (0 < snd smallest)%Z
  /\ forall w, In w weights -> factor_n w <> 0%Z -> (fst smallest * exponent_d w <= exponent_n w * snd smallest)%Z.
Proof.
  unfold smallest. destruct (smallest_exponent_spec weights all_proper some_positive) as (m & -> & M2 & M3).
  split; auto. intros w Hw. exact (proj1 (List.Forall_forall _ _) M3 w Hw).
Qed.

(** What one trial gives an alternative, and what it should have. *)
Lemma share_accept w : In w weights ->
  IZR (share_of common w) * accept w = IZR common * exp (IZR (fst smallest) / IZR (snd smallest)) * weight_value w.
Proof.
  intros Hin. destruct (share_value w Hin) as [_ ->]. unfold weight_value.
  destruct (proj1 (List.Forall_forall _ _) all_proper w Hin) as (H1 & H2 & H3). destruct smallest_proper as [S1 S2].
  destruct (Z.eq_dec (factor_n w) 0) as [->|Hf]; [unfold Rdiv; lra|]. specialize (S2 w Hin Hf).
  unfold accept, above. cbn [fst snd]. rewrite Z.max_r by lia.
  rewrite !minus_IZR, !mult_IZR. apply (IZR_lt 0) in H3. apply (IZR_lt 0) in S1.
  set (x := exp (- (_ / _))). set (y := exp (IZR (fst smallest) / _)). set (z := exp (- (IZR (exponent_n w) / _))).
  replace x with (y * z); [ring|]. unfold x, y, z. rewrite <- exp_plus. f_equal. field. lra.
Qed.

Lemma total_weight_positive : 0 < total_weight weights.
Proof.
  assert (N : forall w, In w weights -> 0 <= weight_value w).
  { intros w Hin. destruct (proj1 (List.Forall_forall _ _) all_proper w Hin) as (H1 & H2 & H3).
    apply Rmult_le_pos; [|left; apply exp_pos]. apply (IZR_le 0) in H1. apply (IZR_lt 0) in H2.
    apply Rmult_le_pos; auto. left. now apply Rinv_0_lt_compat. }
  assert (P : forall w, In w weights -> factor_n w <> 0%Z -> 0 < weight_value w).
  { intros w Hin Hf. destruct (proj1 (List.Forall_forall _ _) all_proper w Hin) as (H1 & H2 & H3).
    apply Rmult_lt_0_compat; [|apply exp_pos]. apply Rdiv_lt_0_compat; apply (IZR_lt 0); lia. }
  clear all_proper. induction some_positive as [w ws Hf|w ws He IH]; simpl.
  - assert (0 <= total_weight ws).
    { assert (N' : forall v, In v ws -> 0 <= weight_value v) by (intros; apply N; now right).
      clear -N'. induction ws as [|v ws IH]; simpl; [lra|].
      generalize (N' v ltac:(now left)) (IH ltac:(intros; apply N'; now right)). lra. }
    generalize (P w ltac:(now left) Hf). lra.
  - generalize (N w ltac:(now left)) (IH He ltac:(intros; apply N; now right) ltac:(intros; apply P; auto; now right)). lra.
Qed.

Let trial := Bind (uniform (sum_shares weights)) (fun u =>
    match reach_past common u O weights with
    | None => Return (Continue tt)
    | Some (index, w) =>
        Bind (bernoulli_exp (fst (above smallest w)) (snd (above smallest w))) (fun accept =>
        Return (if accept then Break index else Continue tt))
    end).
Let scale := IZR common * exp (IZR (fst smallest) / IZR (snd smallest)).

Lemma scale_positive : 0 < scale.
Proof. apply Rmult_lt_0_compat; [apply (IZR_lt 0), common_positive|apply exp_pos]. Qed.

Lemma sum_shares_positive : (0 < sum_shares weights)%Z.
Proof.
  assert (N : forall w, In w weights -> (0 <= share_of common w)%Z) by (intros; now apply share_value).
  assert (P : forall w, In w weights -> factor_n w <> 0%Z -> (0 < share_of common w)%Z).
  { intros w Hin Hf. destruct (share_value w Hin) as [S0 S1].
    destruct (proj1 (List.Forall_forall _ _) all_proper w Hin) as (H1 & H2 & H3).
    apply lt_IZR. rewrite S1. apply Rmult_lt_0_compat; [apply (IZR_lt 0), common_positive|].
    apply Rdiv_lt_0_compat; apply (IZR_lt 0); lia. }
  clear trial. unfold sum_shares.
  assert (some := some_positive). revert N P some. generalize weights. intros ws N P some.
  induction some as [w ws Hf|w ws He IH]; simpl.
  - assert (0 <= fold_right (fun w sum => (share_of common w + sum)%Z) 0%Z ws)%Z.
    { assert (N' : forall v, In v ws -> (0 <= share_of common v)%Z) by (intros; apply N; now right).
      clear -N'. induction ws as [|v ws IH]; simpl; [lia|].
      generalize (N' v ltac:(now left)) (IH ltac:(intros; apply N'; now right)). lia. }
    generalize (P w ltac:(now left) Hf). lia.
  - generalize (N w ltac:(now left)) (IH ltac:(intros; apply N; now right) ltac:(intros; apply P; auto; now right)). lia.
Qed.

Lemma expect_trial c g : 0 <= c <= 1 -> in_unit g -> expect trial (on_flow (fun _ => c) g)
  = indexed_sum O weights (fun i w => IZR (share_of common w) * (accept w * g i + (1 - accept w) * c)) / IZR (sum_shares weights).
Proof.
  intros Hc Hg. assert (Hu : in_unit (on_flow (fun _ : unit => c) g)) by (intros [[]|i]; simpl; auto).
  unfold trial. rewrite expect_bind, expect_uniform by (auto using sum_shares_positive; intros u; apply expect_unit; auto).
  f_equal. set (F := fun proposal : option (nat * Weight) => expect match proposal with
    | None => Return (Continue tt)
    | Some (index, w) => Bind (bernoulli_exp (fst (above smallest w)) (snd (above smallest w))) (fun accept =>
        Return (if accept then Break index else Continue tt)) end (on_flow (fun _ => c) g)).
  destruct (sum_over_proposals F weights ltac:(auto) O) as [_ E].
  etransitivity; [exact E|]. apply indexed_sum_ext. intros i w Hin. f_equal. unfold F.
  destruct (proj1 (List.Forall_forall _ _) all_proper w Hin) as (H1 & H2 & H3). destruct smallest_proper as [S1 _].
  rewrite expect_bind by auto. rewrite bernoulli_exp_is_coin.
  - rewrite !expect_return. reflexivity.
  - unfold above. cbn [snd]. nia.
  - unfold above. cbn [fst]. lia.
  - intros b. apply expect_unit; auto.
Qed.

Lemma trial_retry_share : retry_share trial = 1 - scale * total_weight weights / IZR (sum_shares weights).
Proof.
  unfold retry_share. rewrite expect_trial by (auto; lra).
  assert (S0 := sum_shares_positive). apply (IZR_lt 0) in S0.
  rewrite (indexed_sum_ext _ _ _ (fun _ w => IZR (share_of common w) - scale * weight_value w)).
  2:{ intros i w Hin. unfold scale. rewrite <- (share_accept w Hin). ring. }
  rewrite indexed_sum_minus, indexed_sum_scal, indexed_sum_value.
  replace (indexed_sum 0 weights (fun _ w => IZR (share_of common w))) with (IZR (sum_shares weights)); [field; lra|].
  unfold sum_shares. generalize O common. clear. intros k c. revert k. induction weights as [|w ws IH]; intros k; simpl; auto.
  rewrite plus_IZR. f_equal. apply IH.
Qed.

Lemma expect_choice g : in_unit g ->
  expect (choice weights) g = indexed_sum O weights (fun i w => weight_value w * g i) / total_weight weights.
Proof.
  intros Hg. assert (S0 := sum_shares_positive). apply (IZR_lt 0) in S0. assert (K := scale_positive).
  assert (W := total_weight_positive).
  assert (P : 0 < scale * total_weight weights / IZR (sum_shares weights)).
  { apply Rdiv_lt_0_compat; auto. now apply Rmult_lt_0_compat. }
  change (choice weights) with (Loop (fun _ : unit => trial) tt).
  rewrite expect_retry by (auto; rewrite trial_retry_share; lra). rewrite trial_retry_share.
  unfold accepted. rewrite expect_trial by (auto; lra).
  rewrite (indexed_sum_ext _ _ _ (fun i w => scale * (weight_value w * g i))).
  2:{ intros i w Hin. unfold scale. rewrite <- Rmult_assoc, <- (share_accept w Hin). ring. }
  rewrite indexed_sum_scal. replace (1 - (1 - scale * total_weight weights / IZR (sum_shares weights)))
    with (scale * total_weight weights / IZR (sum_shares weights)) by lra.
  clearbody scale. field. repeat split; lra.
Qed.

Theorem choice_probability i w : nth_error weights i = Some w ->
  probability (choice weights) (Nat.eqb i) = weight_value w / total_weight weights.
Proof.
  intros H. unfold probability. rewrite expect_choice by auto. f_equal.
  rewrite <- (indexed_sum_single O weights i w weight_value H). apply indexed_sum_ext.
  intros j v _. unfold indicator. simpl. destruct (Nat.eqb i j); lra.
Qed.

Theorem choice_total : total (choice weights) = 1.
Proof.
  rewrite total_expect, expect_choice by auto.
  rewrite (indexed_sum_ext _ _ _ (fun _ w => weight_value w)) by (intros; lra).
  rewrite indexed_sum_value. field. generalize total_weight_positive. lra.
Qed.
End Weights.
