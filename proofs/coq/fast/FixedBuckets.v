(** The law of a fixed-work trial with places, and of its sampler, from the law of its bucket: that of the
    trial of [Buckets.v], which draws the same things in another order. So the noise has exactly the
    reference's law, and the probability that a trial is accepted is known. *)
Require Import Reals Lra Lia List Arith ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model FiniteSums IntegerSums Uniform Bernoulli Geometric Laplace Gaussian.
From Certus.privacy Require Import Transfer Zcdp.
From Certus.fast Require Import LazyInversion LazyCoin Buckets FixedWork TraceCost FixedTable FixedCoin FixedPlace.
Open Scope R_scope.

(** The invariants, by name. Bounds of F(j)·2^length, for each cell within some number of units of each other.
    *)
Definition cells_enclose (G : nat -> R) (lower upper : nat -> nat -> Z) : Prop :=
  (forall cell length, IZR (lower cell length) <= G cell * 2 ^ length <= IZR (upper cell length))
  /\ (forall cell, exists units, forall length, IZR (upper cell length) - IZR (lower cell length) <= units).
(** Bounds of the acceptance of places below 2^places. *)
Definition places_enclose (places : nat) (acceptance : nat -> Z -> R) (lower upper : nat -> Z -> nat -> Z) : Prop :=
  (forall bucket o length, (0 <= o < 2 ^ Z.of_nat places)%Z ->
     IZR (lower bucket o length) <= acceptance bucket o * 2 ^ length <= IZR (upper bucket o length))
  /\ (forall bucket o, (0 <= o < 2 ^ Z.of_nat places)%Z -> exists units, forall length, IZR (upper bucket o length) - IZR (lower bucket o length) <= units).

(** The trial of the prepared samplers scores what its bucket does. *)
Lemma bucket_trial_score lower upper patience accept_lower accept_upper prefix places width unused step u : in_unit u ->
  expect (bucket_trial lower upper patience accept_lower accept_upper prefix places width 0 unused step) u
  = expect (invert lower upper patience prefix step) (bucket_score places width step accept_lower accept_upper u).
Proof.
  intros Hu. assert (Hb : in_unit (bucket_score places width step accept_lower accept_upper u)) by (intros b; unfold bucket_score; in_unit_tac).
  unfold bucket_trial, invert. rewrite !expect_bind by auto. apply expect_ext. intros prefix_bits.
  set (rest := fun (b : nat) (o v : Z) (n : bool) => expect (below (accept_lower b o) (accept_upper b o) step width v) (fun accept =>
    u (let k := magnitude_of places 0 b o in if accept then if n then if (k =? 0)%Z then Continue tt else Break (- k)%Z else Break k else Continue tt))).
  assert (Hr : forall b o v n, 0 <= rest b o v n <= 1) by (intros; unfold rest; in_unit_tac).
  transitivity (expect (invert_from lower upper patience step prefix prefix_bits) (fun b => expect (bits places) (fun o_high => expect (bits 0) (fun o_low => expect Bit (fun n =>
      expect (bits width) (fun v => rest b (place_of 0 o_high o_low) v n)))))).
  - rewrite <- (reorder _ rest (place_of 0) places width 0 unused Hr). rewrite expect_bind by auto. apply expect_ext. intros v.
    rewrite expect_bind by auto. apply expect_ext. intros o_high. rewrite expect_bind by auto. apply expect_ext. intros o_low.
    rewrite expect_bind by auto. apply expect_ext. intros n. rewrite expect_bind by auto. apply expect_ext. intros x. rewrite expect_bind by auto. apply expect_ext. intros b. cbv zeta.
    rewrite expect_bind by auto. unfold rest. apply expect_ext. intros accept. rewrite expect_return. reflexivity.
  - apply expect_ext. intros b. unfold bucket_score. apply expect_ext. intros o. cbn [bits]. rewrite expect_return.
    replace (place_of 0 o 0) with o by (unfold place_of; simpl Z.of_nat; lia). apply expect_ext. intros n. apply expect_ext. intros v.
    unfold rest, verdict, signed_integer, magnitude_of, magnitude. rewrite Nat.add_0_r. apply expect_ext. intros accept.
    cbv zeta. destruct accept; auto. destruct n; auto. destruct (_ =? 0)%Z; auto.
Qed.

Section Law.
(** The weights, as in [Buckets.v], and their sum over the buckets. *)
Variable f : nat -> R.
Hypothesis f_positive : forall k, 0 < f k.
Hypothesis f_falls : forall j k, (j <= k)%nat -> f k <= f j.
Variables places width step : nat.
Let w := (2 ^ places)%nat.
Variable bucket_total : R.
Hypothesis bucket_sum : is_lim_seq (fun n => sum_below n (fun b => f (b * w)%nat)) bucket_total.
Hypothesis step_positive : (0 < step)%nat.
Let acceptance (bucket : nat) (o : Z) := f (bucket * w + Z.to_nat o)%nat / f (bucket * w)%nat.
Variables accept_lower accept_upper : nat -> Z -> nat -> Z.
Hypothesis accept_encloses : places_enclose places acceptance accept_lower accept_upper.
(** A trial that scores what its bucket does, and a bucket of the right law. *)
Variable fixed : Program (Flow unit Z).
Variable bucket : Program nat.
Hypothesis fixed_score : forall u, in_unit u -> expect fixed u = expect bucket (bucket_score places width step accept_lower accept_upper u).
Hypothesis bucket_law : forall j, probability bucket (Nat.eqb j) = f (j * w)%nat / bucket_total.

Let G (b : nat) := sum_below (S b) (fun b => f (b * w)%nat) / bucket_total.
Let floor (b length : nat) : Z := Int_part (G b * 2 ^ length).
Let above (b length : nat) : Z := (floor b length + 1)%Z.
(** The same trial in another order, with floors for the buckets. *)
Definition reordered : Program (Flow unit Z) := bucket_trial floor above S accept_lower accept_upper 0 places width 0 0 step.

Let places_nat o : (0 <= o < Z.of_nat (2 ^ (places + 0)))%Z -> (0 <= o < 2 ^ Z.of_nat places)%Z.
Proof. rewrite Nat.add_0_r, Nat2Z.inj_pow. auto. Qed.
Let w_plus : (2 ^ (places + 0))%nat = w. Proof. unfold w. now rewrite Nat.add_0_r. Qed.

Lemma floors_enclose_cells : cells_enclose G floor above.
Proof.
  split.
  - intros b length. unfold above, floor. apply (floors_enclose G b length).
  - intros b. exists 1. intros length. apply (floors_enclose G b length).
Qed.
Lemma total_positive : 0 < bucket_total.
Proof.
  apply Rlt_le_trans with (sum_below 1 (fun b => f (b * w)%nat)); [simpl; generalize (f_positive 0); lra|].
  apply (is_lim_seq_incr_compare (fun n => sum_below n (fun b => f (b * w)%nat))); auto.
  intros n. simpl. generalize (f_positive (n * w)). lra.
Qed.
Lemma same_as_reordered u : in_unit u -> expect fixed u = expect reordered u.
Proof.
  intros Hu. rewrite fixed_score by auto. unfold reordered. rewrite bucket_trial_score by auto. assert (T := total_positive).
  assert (L : same_law bucket (invert floor above S 0 step)); [|apply L; intros b; unfold bucket_score; in_unit_tac].
  apply (outputs_decide_the_law nat _). intros j. unfold at_output. change (same j) with (Nat.eqb j). rewrite bucket_law.
  destruct floors_enclose_cells as [E1 E2].
  rewrite (lazy_inversion_probability G); auto.
  - unfold G. destruct j as [|j]; [simpl; field; lra|]. unfold before. rewrite (sum_below_S (S j)). field. lra.
  - unfold G. apply Rmult_le_pos; [simpl; generalize (f_positive 0); lra|left; now apply Rinv_0_lt_compat].
  - intros b. unfold G. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. rewrite (sum_below_S (S b)). generalize (f_positive (S b * w)). lra.
  - unfold G. replace (Finite 1) with (Rbar_mult bucket_total (/ bucket_total)) by (simpl; f_equal; field; lra).
    apply is_lim_seq_scal_r. now apply (is_lim_seq_incr_1 (fun n => sum_below n (fun b => f (b * w)%nat))).
Qed.

Lemma reordered_accepts y : accepted reordered (indicator (Z.eqb y)) = / (2 * INR w * bucket_total) * f (Z.abs_nat y).
Proof.
  destruct accept_encloses as [A1 A2]. destruct floors_enclose_cells as [E1 E2]. unfold reordered. rewrite <- w_plus.
  apply trial_accepts; auto; try rewrite w_plus; auto.
  intros b o length Ho. apply A1, places_nat. now rewrite w_plus.
Qed.
Lemma reordered_mass : accepted reordered (fun _ => 1) + retry_share reordered = 1.
Proof.
  destruct accept_encloses as [A1 A2]. destruct floors_enclose_cells as [E1 E2]. unfold reordered.
  apply Buckets.trial_mass with (f := f) (bucket_total := bucket_total); auto; try rewrite w_plus; auto.
  intros b o length Ho. apply A1, places_nat. now rewrite w_plus.
Qed.

(** A trial ends, may be accepted, and its sampler has the law of the reordered one. *)
Theorem place_trial_ends : total fixed = 1 /\ 0 < 1 - retry_share fixed.
Proof.
  assert (M := reordered_mass). assert (W : 0 < INR w) by (apply lt_0_INR; unfold w; generalize (Nat.pow_nonzero 2 places); lia). assert (T := total_positive).
  assert (R : retry_share fixed = retry_share reordered) by (apply same_as_reordered; auto). split.
  - rewrite total_expect, same_as_reordered by auto. etransitivity; [|exact M]. unfold accepted, retry_share.
    replace (expect reordered (on_flow (fun _ => 0) (fun _ => 1)) + expect reordered (on_flow (fun _ => 1) (fun _ => 0)))
      with (1 * expect reordered (on_flow (fun _ => 0) (fun _ => 1)) + 1 * expect reordered (on_flow (fun _ => 1) (fun _ => 0))) by lra.
    rewrite <- expect_lin by auto.
    apply expect_ext. intros [[]|y]; simpl; lra.
  - rewrite R. apply Rlt_le_trans with (accepted reordered (indicator (Z.eqb 0))).
    + rewrite reordered_accepts. apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra.
    + replace (1 - retry_share reordered) with (accepted reordered (fun _ => 1)) by lra. apply expect_mono; auto.
      intros [[]|y]; simpl; [lra|]. unfold indicator. destruct (0 =? y)%Z; lra.
Qed.
Lemma sampler_same_law : same_law (Loop (fun _ => fixed) tt) (Loop (fun _ => reordered) tt).
Proof.
  intros g Hg. destruct place_trial_ends as [_ R]. assert (Q : retry_share fixed = retry_share reordered) by (apply same_as_reordered; auto).
  rewrite !expect_retry by (auto; lra). rewrite Q. f_equal. apply same_as_reordered. auto.
Qed.
(** P(a trial is accepted) = f(0)/(2·w·Σ f(b·w)·P(0)). *)
Theorem place_acceptance : 1 - retry_share fixed = f 0 / (2 * INR w * bucket_total) / probability (Loop (fun _ => fixed) tt) (Z.eqb 0).
Proof.
  destruct place_trial_ends as [_ R]. assert (T := total_positive).
  assert (W : 0 < INR w) by (apply lt_0_INR; unfold w; generalize (Nat.pow_nonzero 2 places); lia).
  unfold probability. rewrite expect_retry by (auto; lra).
  replace (accepted fixed (indicator (Z.eqb 0))) with (accepted reordered (indicator (Z.eqb 0))) by (symmetry; apply same_as_reordered; auto).
  rewrite reordered_accepts. simpl Z.abs_nat. field. repeat split; try lra. generalize (f_positive 0). lra.
Qed.
End Law.

(** ** Gaussian and Laplace *)
Theorem place_gaussian n d places width step (bucket_total : R) accept_lower accept_upper fixed bucket : (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat ->
  let f := gaussian_decay n d in let w := (2 ^ places)%nat in
  is_lim_seq (fun m => sum_below m (fun b => f (b * w)%nat)) bucket_total ->
  places_enclose places (fun b o => f (b * w + Z.to_nat o)%nat / f (b * w)%nat) accept_lower accept_upper ->
  (forall u, in_unit u -> expect fixed u = expect bucket (bucket_score places width step accept_lower accept_upper u)) ->
  (forall j, probability bucket (Nat.eqb j) = f (j * w)%nat / bucket_total) ->
  gaussian_law n d (Loop (fun _ => fixed) tt) /\ total fixed = 1 /\ 1 - retry_share fixed = gaussian_normaliser n d / (2 * INR w * bucket_total).
Proof.
  intros Hn Hd Hs f w HS HA HF HB. assert (Rn : 0 < IZR n) by (apply (IZR_lt 0); auto). assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
  assert (s2 : 0 < 2 * (IZR n / IZR d)) by (generalize (Rdiv_lt_0_compat _ _ Rn Rd); lra).
  assert (Fp : forall k, 0 < f k) by (intros k; apply exp_pos).
  assert (Fall : forall j k, (j <= k)%nat -> f k <= f j).
  { intros j k H. unfold f, gaussian_decay, gaussian_weight. apply exp_mono. apply Ropp_le_contravar. unfold Rdiv. apply Rmult_le_compat_r.
    - left. now apply Rinv_0_lt_compat.
    - apply pow_incr. split; apply IZR_le; lia. }
  assert (E := floors_enclose_cells f places bucket_total). destruct E as [E1 E2]. destruct HA as [A1 A2].
  assert (Wp : (2 ^ (places + 0))%nat = w) by (unfold w; now rewrite Nat.add_0_r).
  assert (S := sampler_same_law f Fp Fall places width step bucket_total HS Hs accept_lower accept_upper (conj A1 A2) fixed bucket HF HB).
  assert (X : (forall y, probability (Loop (fun _ => reordered f places width step bucket_total accept_lower accept_upper) tt) (Z.eqb y)
    = gaussian_weight n d y / gaussian_normaliser n d) /\ total (Loop (fun _ => reordered f places width step bucket_total accept_lower accept_upper) tt) = 1).
  { apply bucketed_gaussian_exact with bucket_total; auto; try rewrite Wp; auto.
    - intros b o length Ho. apply A1. unfold w in Ho. rewrite Nat2Z.inj_pow in Ho. exact Ho.
    - intros b o Ho. apply A2. unfold w in Ho. rewrite Nat2Z.inj_pow in Ho. exact Ho. }
  destruct X as [X _].
  assert (P : forall y, probability (Loop (fun _ => fixed) tt) (Z.eqb y) = gaussian_weight n d y / gaussian_normaliser n d)
    by (intros y; rewrite <- X; apply S; auto).
  destruct (place_trial_ends f Fp Fall places width step bucket_total HS Hs accept_lower accept_upper (conj A1 A2) fixed bucket HF HB) as [T R].
  split; [|split; [exact T|]].
  - apply (outputs_decide_the_law Z _). intros y. unfold at_output. change (same y) with (Z.eqb y). now rewrite P, gaussian_probability.
  - rewrite (place_acceptance f Fp Fall places width step bucket_total HS Hs accept_lower accept_upper (conj A1 A2) fixed bucket HF HB). fold w. rewrite P.
    assert (T0 := total_positive f Fp places bucket_total HS). destruct (gaussian_normaliser_is_sum n d Hn Hd) as [_ Z0].
    assert (W : 0 < INR w) by (apply lt_0_INR; unfold w; generalize (Nat.pow_nonzero 2 places); lia).
    assert (F0 : f 0%nat = gaussian_weight n d 0) by reflexivity. rewrite <- F0. generalize (Fp 0%nat). intros. field. repeat split; lra.
Qed.

Theorem place_laplace n d places width step (bucket_total : R) accept_lower accept_upper fixed bucket : (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat ->
  let f := laplace_decay n d in let w := (2 ^ places)%nat in let q := ratio n d in
  is_lim_seq (fun m => sum_below m (fun b => f (b * w)%nat)) bucket_total ->
  places_enclose places (fun b o => f (b * w + Z.to_nat o)%nat / f (b * w)%nat) accept_lower accept_upper ->
  (forall u, in_unit u -> expect fixed u = expect bucket (bucket_score places width step accept_lower accept_upper u)) ->
  (forall j, probability bucket (Nat.eqb j) = f (j * w)%nat / bucket_total) ->
  laplace_law n d (Loop (fun _ => fixed) tt) /\ total fixed = 1 /\ 1 - retry_share fixed = (1 + q) / (1 - q) / (2 * INR w * bucket_total).
Proof.
  intros Hn Hd Hs f w q HS HA HF HB. assert (He := ratio_bounds n d Hn Hd). fold q in He.
  assert (Fp : forall k, 0 < f k) by (intros k; apply pow_lt; fold q; lra).
  assert (Fall : forall j k, (j <= k)%nat -> f k <= f j).
  { intros j k H. unfold f, laplace_decay. fold q. replace k with (j + (k - j))%nat by lia. rewrite pow_add.
    assert (0 < q ^ j) by (apply pow_lt; lra). assert (0 < q ^ (k - j) <= 1); [|nra].
    split; [apply pow_lt; lra|]. rewrite <- (pow1 (k - j)). apply pow_incr. lra. }
  assert (E := floors_enclose_cells f places bucket_total). destruct E as [E1 E2]. destruct HA as [A1 A2].
  assert (Wp : (2 ^ (places + 0))%nat = w) by (unfold w; now rewrite Nat.add_0_r).
  assert (S := sampler_same_law f Fp Fall places width step bucket_total HS Hs accept_lower accept_upper (conj A1 A2) fixed bucket HF HB).
  assert (X : (forall y, probability (Loop (fun _ => reordered f places width step bucket_total accept_lower accept_upper) tt) (Z.eqb y)
    = probability (laplace n d) (Z.eqb y)) /\ total (Loop (fun _ => reordered f places width step bucket_total accept_lower accept_upper) tt) = 1).
  { apply bucketed_laplace_exact with bucket_total; auto; try rewrite Wp; auto.
    - intros b o length Ho. apply A1. unfold w in Ho. rewrite Nat2Z.inj_pow in Ho. exact Ho.
    - intros b o Ho. apply A2. unfold w in Ho. rewrite Nat2Z.inj_pow in Ho. exact Ho. }
  destruct X as [X _].
  assert (P : forall y, probability (Loop (fun _ => fixed) tt) (Z.eqb y) = probability (laplace n d) (Z.eqb y))
    by (intros y; rewrite <- X; apply S; auto).
  destruct (place_trial_ends f Fp Fall places width step bucket_total HS Hs accept_lower accept_upper (conj A1 A2) fixed bucket HF HB) as [T R].
  split; [|split; [exact T|]].
  - apply (outputs_decide_the_law Z _). intros y. unfold at_output. change (same y) with (Z.eqb y). now rewrite P.
  - rewrite (place_acceptance f Fp Fall places width step bucket_total HS Hs accept_lower accept_upper (conj A1 A2) fixed bucket HF HB). fold w. rewrite P.
    assert (T0 := total_positive f Fp places bucket_total HS). rewrite laplace_probability by auto. fold q. rewrite Rabs_R0.
    assert (W : 0 < INR w) by (apply lt_0_INR; unfold w; generalize (Nat.pow_nonzero 2 places); lia).
    replace (exp (- (0 / (IZR n / IZR d)))) with 1 by (unfold Rdiv at 1; rewrite Rmult_0_l, Ropp_0, exp_0; reflexivity).
    replace (f 0%nat) with 1 by reflexivity. field. repeat split; lra.
Qed.
