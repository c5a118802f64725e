(** Geometric noise of every rational scale s = n/d: P(k) = (1 - e^(-1/s))·e^(-k/s) for k >= 0. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Uniform Bernoulli BernoulliExp.
Open Scope R_scope.

Lemma exp_power x n : exp (x * INR n) = exp x ^ n.
Proof.
  induction n; [simpl; rewrite Rmult_0_r; apply exp_0|].
  rewrite S_INR, Rmult_plus_distr_l, exp_plus, IHn, Rmult_1_r. simpl. ring.
Qed.

(** Counting a coin of probability q: P(v) = (1 - q)·q^v. *)
Theorem expect_count coin q g : is_coin coin q -> 0 <= q < 1 -> in_unit g ->
  is_lim_seq (fun N => sum_below N (fun v => (1 - q) * q ^ v * g (Z.of_nat v))) (expect (count coin) g).
Proof.
  intros HB Hq Hg. unfold count. set (step := fun n => Bind coin _).
  set (V := fun j : nat => expect (Loop step (Z.of_nat j)) g).
  assert (HV : forall j, V j = q * V (S j) + (1 - q) * g (Z.of_nat j)).
  { intros j. unfold V. rewrite expect_loop by auto. unfold step at 1.
    assert (Hu : in_unit (on_flow (fun s' => expect (Loop step s') g) g)).
    { intros [s|b]; simpl; [apply expect_unit|]; auto. }
    rewrite expect_bind by auto. rewrite HB by (intros b; apply expect_unit; auto).
    rewrite 2!expect_return. cbn [on_flow]. replace (Z.of_nat j + 1)%Z with (Z.of_nat (S j)) by lia. reflexivity. }
  assert (HU : forall N, sum_below N (fun v => (1 - q) * q ^ v * g (Z.of_nat v)) = V O - q ^ N * V N).
  { induction N; [simpl; lra|]. simpl. rewrite IHN, (HV N). lra. }
  eapply is_lim_seq_ext; [intros N; symmetry; apply HU|].
  replace (Finite (expect (Loop step 0%Z) g)) with (Finite (V O - 0)) by (unfold V; simpl; f_equal; lra).
  apply is_lim_seq_minus'; [apply is_lim_seq_const|].
  apply (is_lim_seq_le_le (fun _ => 0) _ (fun N => q ^ N)); [|apply is_lim_seq_const | apply is_lim_seq_geom; rewrite Rabs_pos_eq; lra].
  intros N. assert (0 <= V N <= 1) by (apply expect_unit; auto). assert (0 <= q ^ N) by (apply pow_le; lra). nra.
Qed.

Lemma div_ceil_spec n d : (0 < n)%Z -> (0 < d)%Z ->
  (0 < div_ceil n d)%Z /\ forall u, (u < div_ceil n d)%Z -> (u * d <= n)%Z.
Proof.
  intros Hn Hd. unfold div_ceil.
  assert (E := Z.div_mod (- n) d ltac:(lia)). assert (B := Z.mod_pos_bound (- n) d Hd).
  split; [nia|]. intros u Hu. nia.
Qed.

(** e^(-1/s) for the scale s = n/d. *)
Definition ratio (n d : Z) : R := exp (- (IZR d / IZR n)).

Lemma ratio_bounds n d : (0 < n)%Z -> (0 < d)%Z -> 0 < ratio n d < 1.
Proof.
  intros Hn Hd. apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. unfold ratio. split; [apply exp_pos|].
  apply Rlt_le_trans with (exp 0); [apply exp_increasing | rewrite exp_0; lra].
  generalize (Rdiv_lt_0_compat _ _ Hd Hn); lra.
Qed.
Lemma ratio_power n d u : (0 < n)%Z -> exp (- (IZR (Z.of_nat u * d) / IZR n)) = ratio n d ^ u.
Proof.
  intros Hn. apply (IZR_lt 0) in Hn. unfold ratio. rewrite <- exp_power. f_equal. rewrite mult_IZR, <- INR_IZR_INZ. field. lra.
Qed.

(** The limit of the sums over 0, 1, …, N - 1 is known from every t-th of them. *)
Lemma limit_of_blocks (f : nat -> R) t l : (0 < t)%nat -> (forall k, 0 <= f k) ->
  is_lim_seq (fun N => sum_below (N * t) f) (Finite l) -> is_lim_seq (fun N => sum_below N f) (Finite l).
Proof.
  intros Ht Hf L.
  assert (Mono : forall N M, (N <= M)%nat -> sum_below N f <= sum_below M f).
  { intros N M H. induction H; [lra|]. simpl. generalize (Hf m). lra. }
  assert (B : forall N, sum_below N f <= l).
  { intros N. apply Rle_trans with (sum_below (N * t) f); [apply Mono; nia|].
    apply (is_lim_seq_incr_compare (fun N => sum_below (N * t) f)); auto. intros n. apply Mono. nia. }
  destruct (rising_limit (fun N => sum_below N f) (M := l)) as (L1 & _ & _); auto.
  assert (L2 : is_lim_seq (fun N => sum_below (N * t) f) (real (Lim_seq (fun N => sum_below N f)))).
  { apply (is_lim_seq_subseq (fun N => sum_below N f) _ (fun N => N * t)%nat); auto. apply eventually_subseq. intros n. nia. }
  apply is_lim_seq_unique in L2. rewrite (is_lim_seq_unique _ _ L) in L2. injection L2 as ->. exact L1.
Qed.

Section Scale.
Variables n d : Z.
Hypotheses (Hn : (0 < n)%Z) (Hd : (0 < d)%Z).
Let t := div_ceil n d.
Let places := Z.to_nat t.
Let e := ratio n d.
Let q := e ^ places.

Let trial := Bind (uniform t) (fun u =>
    Bind (unit_exp (u * d) n) (fun accept =>
    if accept
    then Bind (count (bernoulli_exp (t * d) n)) (fun v => Return (Break (u + t * v)%Z))
    else Return (Continue tt))).

Lemma places_positive : (0 < places)%nat.
Proof. unfold places, t. generalize (proj1 (div_ceil_spec n d Hn Hd)). lia. Qed.
Lemma e_bounds : 0 < e < 1. Proof. now apply ratio_bounds. Qed.
Lemma q_bounds : 0 < q < 1.
Proof.
  assert (Hp := places_positive). destruct e_bounds. unfold q. split; [now apply pow_lt|].
  replace places with (S (places - 1)) by lia.
  simpl. assert (0 < e ^ (places - 1) <= 1); [|nra]. split; [now apply pow_lt|].
  rewrite <- (pow1 (places - 1)). apply pow_incr. lra.
Qed.

(** One trial: every k is accepted with probability (1 - q)/t·e^k, and nothing else. *)
Lemma expect_trial c g : 0 <= c <= 1 -> in_unit g ->
  is_lim_seq (fun N => (1 - q) / IZR t * sum_below (N * places) (fun k => e ^ k * g (Z.of_nat k)))
    (expect trial (on_flow (fun _ => c) g) - c * (1 - (1 - q) / (IZR t * (1 - e)))).
Proof.
  intros Hc Hg. assert (Heb := e_bounds). assert (Hq := q_bounds). destruct (div_ceil_spec n d Hn Hd) as [Ht0 Ht1]. fold t in Ht0, Ht1.
  assert (Ht' : 0 < IZR t) by (apply (IZR_lt 0); auto).
  assert (Hu : in_unit (on_flow (fun _ : unit => c) g)) by (intros [[]|y]; simpl; auto).
  assert (HB : is_coin (bernoulli_exp (t * d) n) q).
  { unfold q, e. rewrite <- ratio_power by auto. unfold places. rewrite Z2Nat.id by lia. apply bernoulli_exp_is_coin; nia. }
  set (G := fun u : nat => expect (count (bernoulli_exp (t * d) n)) (fun v => g (Z.of_nat u + t * v)%Z)).
  assert (HE : expect trial (on_flow (fun _ => c) g) = sum_below places (fun u => e ^ u * G u + (1 - e ^ u) * c) / IZR t).
  { unfold trial. rewrite expect_bind, expect_uniform by (auto; intros u; apply expect_unit; auto).
    f_equal. apply sum_below_ext. intros u Hut. rewrite expect_bind by auto.
    rewrite unit_exp_is_coin by (try (intros b; apply expect_unit; auto); unfold places in Hut; try split; try apply Ht1; nia).
    rewrite ratio_power by auto. fold e. rewrite expect_return. cbn [on_flow]. f_equal. f_equal. rewrite expect_bind by auto.
    unfold G. apply expect_ext. intros v. now rewrite expect_return. }
  assert (HL : is_lim_seq (fun N => sum_below places (fun u => e ^ u * sum_below N (fun v => (1 - q) * q ^ v * g (Z.of_nat (u + places * v)))))
                 (sum_below places (fun u => e ^ u * G u))).
  { apply (sum_below_limit places (fun N u => _)). intros u Hut. apply (is_lim_seq_scal_l _ _ (Finite _)).
    eapply is_lim_seq_ext; [|apply (expect_count (bernoulli_exp (t * d) n) q (fun v => g (Z.of_nat u + t * v)%Z) HB)].
    - intros N. apply sum_below_ext. intros v _. f_equal. f_equal. unfold places. lia.
    - lra.
    - intros v. apply Hg. }
  replace (expect trial _ - _) with (/ IZR t * sum_below places (fun u => e ^ u * G u)).
  2:{ rewrite HE, sum_below_plus.
      rewrite (sum_below_ext places (fun u => (1 - e ^ u) * c) (fun u => c * 1 + (-c) * e ^ u)) by (intros; lra).
      rewrite sum_below_plus, !sum_below_scal, sum_below_const, sum_below_geometric by lra. fold q.
      replace (INR places) with (IZR t) by (unfold places; rewrite INR_IZR_INZ; f_equal; lia). field. lra. }
  apply (is_lim_seq_scal_l _ (/ IZR t) (Finite _)) in HL.
  eapply is_lim_seq_ext; [|exact HL].
  intros N. simpl. rewrite sum_below_block.
  rewrite (sum_below_swap N places (fun v u => e ^ (v * places + u) * g (Z.of_nat (v * places + u)))).
  unfold Rdiv. rewrite (Rmult_comm (1 - q)), Rmult_assoc. f_equal. rewrite <- sum_below_scal.
  apply sum_below_ext. intros u _. rewrite <- 2!sum_below_scal. apply sum_below_ext. intros v _.
  rewrite pow_add, (Nat.mul_comm v places), pow_mult, (Nat.add_comm u). fold q. ring.
Qed.

Lemma sum_of_ratio_powers t' : sum_below t' (fun k => e ^ k) = (1 - e ^ t') / (1 - e).
Proof. apply sum_below_geometric. generalize e_bounds; lra. Qed.

Theorem expect_geometric g : in_unit g ->
  is_lim_seq (fun N => sum_below N (fun k => (1 - e) * e ^ k * g (Z.of_nat k))) (expect (geometric n d) g).
Proof.
  intros Hg. assert (Heb := e_bounds). assert (Hq := q_bounds). assert (Hp := places_positive).
  destruct (div_ceil_spec n d Hn Hd) as [Ht0 Ht1]. fold t in Ht0, Ht1.
  assert (Ht' : 0 < IZR t) by (apply (IZR_lt 0); auto).
  assert (RJ : retry_share trial = 1 - (1 - q) / (IZR t * (1 - e))).
  { assert (L := expect_trial 1 (fun _ => 0) ltac:(lra) ltac:(auto)). fold (retry_share trial) in L.
    apply is_lim_seq_unique in L. rewrite (Lim_seq_ext _ (fun _ => 0)) in L.
    - rewrite Lim_seq_const in L. injection L. lra.
    - intros N. rewrite (sum_below_ext _ _ (fun _ => 0)) by (intros; lra). rewrite sum_below_const. lra. }
  assert (P : 0 < (1 - q) / (IZR t * (1 - e))) by (apply Rdiv_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
  apply (limit_of_blocks _ places); auto.
  { intros k. apply Rmult_le_pos; [|apply Hg]. apply Rmult_le_pos; [lra|apply pow_le; lra]. }
  unfold geometric. fold t. cbv zeta. fold trial. rewrite expect_retry by (auto; lra). rewrite RJ.
  assert (L := expect_trial 0 g ltac:(lra) Hg). rewrite Rmult_0_l, Rminus_0_r in L. fold (accepted trial g) in L.
  apply (is_lim_seq_scal_l _ (IZR t * (1 - e) / (1 - q)) (Finite _)) in L. simpl in L.
  replace (accepted trial g / (1 - (1 - (1 - q) / (IZR t * (1 - e))))) with (IZR t * (1 - e) / (1 - q) * accepted trial g)
    by (field; lra).
  eapply is_lim_seq_ext; [|exact L]. intros N. simpl.
  rewrite (sum_below_ext _ (fun k => (1 - e) * e ^ k * g (Z.of_nat k)) (fun k => (1 - e) * (e ^ k * g (Z.of_nat k)))) by (intros; lra).
  rewrite sum_below_scal. field. lra.
Qed.

Theorem geometric_probability k : (0 <= k)%Z ->
  probability (geometric n d) (Z.eqb k) = (1 - ratio n d) * exp (- (IZR k / (IZR n / IZR d))).
Proof.
  intros Hk. assert (L := expect_geometric (indicator (Z.eqb k)) ltac:(auto)). fold (probability (geometric n d) (Z.eqb k)) in L.
  assert (L2 : is_lim_seq (fun N => sum_below N (fun j => (1 - e) * e ^ j * indicator (Z.eqb k) (Z.of_nat j))) ((1 - e) * e ^ Z.to_nat k)).
  { apply is_lim_seq_ext_loc with (fun _ => (1 - e) * e ^ Z.to_nat k); [|apply is_lim_seq_const].
    exists (S (Z.to_nat k)). intros N HN. rewrite (sum_below_single _ (Z.to_nat k)).
    - replace (Z.to_nat k <? N)%nat with true by (symmetry; apply Nat.ltb_lt; lia).
      unfold indicator. rewrite Z2Nat.id, Z.eqb_refl by lia. lra.
    - intros i Hi. unfold indicator. destruct (Z.eqb_spec k (Z.of_nat i)); [lia|lra]. }
  apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. injection L as <-.
  fold e. f_equal. unfold e. rewrite <- (ratio_power n d) by auto. rewrite Z2Nat.id, mult_IZR by lia. f_equal.
  apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. field. lra.
Qed.

Theorem geometric_total : total (geometric n d) = 1.
Proof.
  assert (L := expect_geometric (fun _ => 1) ltac:(auto)). rewrite total_expect. assert (Heb := e_bounds).
  assert (L2 : is_lim_seq (fun N => sum_below N (fun j => (1 - e) * e ^ j * 1)) (1 - 0)).
  { apply is_lim_seq_ext with (fun N => 1 - e ^ N).
    - intros N. rewrite (sum_below_ext _ _ (fun j => (1 - e) * e ^ j)) by (intros; lra).
      rewrite sum_below_scal, sum_of_ratio_powers. field. lra.
    - apply is_lim_seq_minus'; [apply is_lim_seq_const|]. apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra. }
  apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. injection L. lra.
Qed.
End Scale.
