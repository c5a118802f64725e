(** Cells that hold are the laws' own: what [cells_hold] checks is that the recorded floors are those of the
    Laplace's and the Gaussian's cumulative probabilities, of tables and of buckets. With them, a replay that
    holds is about an exact program, and nothing is left to assume of the recorder's numbers. *)
Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums IntegerSums Bernoulli Geometric Laplace Gaussian.
From Certus.exact Require Import Intervals ExpNeg.
From Certus.fast Require Import LazyInversion Table Buckets.
From Certus.replay Require Import FastModel Enclosures Replay Extension BucketExtension Cells.
Import ListNotations.
Open Scope R_scope.

(** G(j) = P(|y| <= j). *)
Definition table_share (decay : Decay) : nat -> R :=
  match decay with
  | LaplaceDecay n d => up_to (fun y => probability (laplace n d) (Z.eqb y))
  | GaussianDecay n d => up_to (fun y => gaussian_weight n d y / gaussian_normaliser n d)
  end.

Lemma power_of_two p : IZR (2 ^ Z.of_nat p) = 2 ^ p.
Proof. now rewrite <- pow_IZR. Qed.

(** ** Laplace *)
Lemma laplace_table_share n d j : (0 < n)%Z -> (0 < d)%Z -> let q := ratio n d in
  table_share (LaplaceDecay n d) j = 1 - 2 * (q * q ^ j) / (1 + q).
Proof.
  intros Hn Hd q. assert (Q := ratio_bounds n d Hn Hd). fold q in Q. cbn [table_share]. unfold up_to.
  assert (P : forall i, probability (laplace n d) (Z.eqb (Z.of_nat i)) = (1 - q) / (1 + q) * q ^ i).
  { intros i. rewrite laplace_probability by auto. fold q. f_equal. unfold q. rewrite <- ratio_power by auto. f_equal.
    rewrite mult_IZR, Rabs_pos_eq by (apply IZR_le; lia). apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. field. lra. }
  assert (M : forall i, probability (laplace n d) (Z.eqb (- Z.of_nat i)) = (1 - q) / (1 + q) * q ^ i).
  { intros i. rewrite <- P, !laplace_probability by auto. now rewrite opp_IZR, Rabs_Ropp. }
  assert (P0 := P O). simpl Z.of_nat in P0. rewrite P0, (sum_below_ext _ _ (fun i => 2 * ((1 - q) / (1 + q) * q) * q ^ i)) by (intros i _; rewrite P, M; simpl; ring).
  rewrite sum_below_scal, sum_below_geometric by lra. simpl. field. lra.
Qed.
Lemma laplace_bucket_share n d w (bucket_total : R) b : (0 < n)%Z -> (0 < d)%Z -> (0 < w)%nat ->
  is_lim_seq (fun m => sum_below m (fun b => laplace_decay n d (b * w))) bucket_total -> let q := ratio n d ^ w in
  bucket_share (LaplaceDecay n d) w bucket_total b = 1 - 1 * (q * q ^ b) / 1.
Proof.
  intros Hn Hd Hw HS q. assert (R := ratio_bounds n d Hn Hd).
  assert (Q : 0 < q < 1).
  { unfold q. split; [apply pow_lt; lra|]. replace w with (S (w - 1)) by lia. simpl. assert (0 < ratio n d ^ (w - 1) <= 1); [|nra].
    split; [apply pow_lt; lra|]. rewrite <- (pow1 (w - 1)). apply pow_incr. lra. }
  assert (E : forall m, sum_below m (fun b => laplace_decay n d (b * w)) = (1 - q ^ m) / (1 - q)).
  { intros m. rewrite <- sum_below_geometric by lra. apply sum_below_ext. intros i _. unfold laplace_decay, q. rewrite <- pow_mult. f_equal. lia. }
  assert (T : bucket_total = 1 / (1 - q)).
  { assert (L : is_lim_seq (fun m => sum_below m (fun b => laplace_decay n d (b * w))) (1 / (1 - q))).
    { apply is_lim_seq_ext with (fun m => (1 - q ^ m) * / (1 - q)); [intros m; now rewrite E|]. replace (1 / (1 - q)) with ((1 - 0) * / (1 - q)) by (field; lra).
      apply (is_lim_seq_scal_r _ _ (Finite _)). apply is_lim_seq_minus'; [apply is_lim_seq_const|]. apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra. }
    apply is_lim_seq_unique in L. apply is_lim_seq_unique in HS. rewrite HS in L. injection L as L. exact L. }
  unfold bucket_share. cbn [weight_of]. rewrite E, T. simpl. field. lra.
Qed.
(** What is computed of a Laplace: with c = 2 and 1 + q, or 1 and 1. *)
Lemma laplace_floors_of n d w folded precision list (G : nat -> R) : (0 < n)%Z -> (0 < d)%Z ->
  let q := ratio n d ^ (2 ^ w) in (forall j, G j = 1 - IZR (copies folded) * (q * q ^ j) / (if folded then 1 + q else 1)) ->
  floors_hold (LaplaceDecay n d) w folded precision list = true -> floors_of G precision list.
Proof.
  intros Hn Hd q HG H cell floor Hc. unfold floors_hold in H. set (p := Z.of_nat precision) in *. set (digits := (p + more_digits)%Z) in *.
  assert (Hp : (0 <= p)%Z) by (unfold p; lia). assert (Hdig : (0 <= digits)%Z) by (unfold digits, more_digits; lia).
  destruct (exp_pair (2 ^ Z.of_nat w * d) n digits) as [pair|] eqn:E; [|discriminate].
  assert (W : (0 < 2 ^ Z.of_nat w)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (WD : (0 <= 2 ^ Z.of_nat w * d)%Z) by (apply Z.mul_nonneg_nonneg; lia).
  assert (EQ := exp_pair_encloses _ _ _ _ WD Hn Hdig E).
  assert (Qe : exp (- (IZR (2 ^ Z.of_nat w * d) / IZR n)) = q).
  { unfold q. rewrite <- ratio_power by auto. rewrite Nat2Z.inj_pow. reflexivity. }
  rewrite Qe in EQ. assert (Q0 : 0 < q) by (unfold q; apply pow_lt, ratio_bounds; auto). assert (T := two_to_positive digits Hdig).
  assert (One : enclosed digits (2 ^ digits, 2 ^ digits)%Z 1) by (split; cbn [fst snd]; [apply Z.pow_nonneg; lia|lra]).
  assert (Pz : (0 < 2 ^ digits)%Z) by (apply Z.pow_pos_nonneg; lia).
  rewrite <- power_of_two, HG. fold p. destruct folded; cbn [copies] in *.
  - apply (laplace_floors_sound digits p 2 pair (2 ^ digits + fst pair, 2 ^ digits + snd pair)%Z q (1 + q)) with (floors := list) (power := pair); auto; try lra; try lia.
    + destruct EQ as [EQ0 _]. cbn [fst]. lia.
    + destruct EQ as [EQ0 EQ1]. split; cbn [fst snd]; [lia|]. rewrite !plus_IZR. lra.
  - apply (laplace_floors_sound digits p 1 pair (2 ^ digits, 2 ^ digits)%Z q 1) with (floors := list) (power := pair); auto; try lra; try lia.
Qed.

(** ** Gaussian *)
Section Gaussian.
Variables n d : Z.
Hypotheses (Hn : (0 < n)%Z) (Hd : (0 < d)%Z).
Variable w : nat.
Let a (k : nat) := gaussian_decay n d (k * w).
Let c := INR w ^ 2 * IZR d / (2 * IZR n).
Let r (k : nat) := exp (- (c * (2 * INR k + 1))).
Let phi := exp (- (2 * c)).

Lemma c_positive : 0 <= c.
Proof. unfold c. apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. apply Rmult_le_pos; [apply Rmult_le_pos; [apply pow_le, pos_INR|lra]|left; apply Rinv_0_lt_compat; lra]. Qed.
Lemma a_is k : a k = exp (- (c * INR k ^ 2)).
Proof.
  unfold a, gaussian_decay, gaussian_weight, c. f_equal. apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. rewrite <- INR_IZR_INZ, mult_INR. field. lra.
Qed.
Lemma a_step k : a (S k) = a k * r k.
Proof. rewrite !a_is. unfold r. rewrite <- exp_plus. f_equal. rewrite S_INR. ring. Qed.
Lemma r_step k : r (S k) = r k * phi.
Proof. unfold r, phi. rewrite <- exp_plus. f_equal. rewrite S_INR. ring. Qed.

Lemma gaussian_floors_of places folded precision list (bucket_total : R) (G : nat -> R) : w = (2 ^ places)%nat -> is_lim_seq (fun m => sum_below m a) bucket_total ->
  let z := IZR (copies folded) in (forall j, G j = (z * sum_below (S j) a - (z - 1)) / (z * bucket_total - (z - 1))) ->
  floors_hold (GaussianDecay n d) places folded precision list = true -> floors_of G precision list.
Proof.
  intros Hw HS z HG H cell floor Hc. unfold floors_hold in H. set (p := Z.of_nat precision) in *. set (digits := (p + more_digits)%Z) in *.
  assert (Hp : (0 <= p)%Z) by (unfold p; lia). assert (Hdig : (0 <= digits)%Z) by (unfold digits, more_digits; lia).
  assert (Rn := Hn). apply (IZR_lt 0) in Rn. assert (Rd := Hd). apply (IZR_lt 0) in Rd.
  set (W := (2 ^ Z.of_nat places)%Z) in *. assert (W0 : (0 < W)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (WR : IZR W = INR w) by (unfold W; rewrite Hw, pow_INR, power_of_two; reflexivity).
  destruct (exp_pair (W * W * d) (2 * n) digits) as [ratio|] eqn:E1; [|discriminate]. destruct (exp_pair (W * W * d) n digits) as [falling|] eqn:E2; [|discriminate].
  destruct (cell_sums (200 * 200) digits negligible (2 ^ digits, 2 ^ digits)%Z ratio falling (0, 0)%Z) as [[sums all]|] eqn:E3; [|discriminate].
  apply andb_true_iff in H. destruct H as [H0 H]. apply Z.ltb_lt in H0.
  assert (WD : (0 <= W * W * d)%Z) by (repeat apply Z.mul_nonneg_nonneg; lia). assert (N2 : (0 < 2 * n)%Z) by lia.
  assert (P1 := exp_pair_encloses _ _ _ _ WD N2 Hdig E1). assert (P2 := exp_pair_encloses _ _ _ _ WD Hn Hdig E2).
  assert (T := two_to_positive digits Hdig). assert (C := c_positive).
  assert (Q1 : enclosed digits ratio (r 0)).
  { replace (r 0) with (exp (- (IZR (W * W * d) / IZR (2 * n)))); [exact P1|]. unfold r, c. f_equal. rewrite !mult_IZR, WR. simpl. field. lra. }
  assert (Q2 : enclosed digits falling phi).
  { replace phi with (exp (- (IZR (W * W * d) / IZR n))); [exact P2|]. unfold phi, c. f_equal. rewrite !mult_IZR, WR. field. lra. }
  assert (One : enclosed digits (2 ^ digits, 2 ^ digits)%Z (a 0)).
  { rewrite a_is. replace (- (c * INR 0 ^ 2)) with 0 by (simpl; ring). rewrite exp_0. split; cbn [fst snd]; [apply Z.pow_nonneg; lia|lra]. }
  assert (Zero : enclosed digits (0, 0)%Z (sum_below 0 a)) by (split; cbn; [lia|lra]).
  assert (Phi : 0 <= phi <= 1) by (split; [left; apply exp_pos|apply exp_at_most_1; lra]).
  destruct (cell_sums_sound a r phi bucket_total digits negligible (fun k => Rlt_le _ _ (exp_pos _)) (fun k => Rlt_le _ _ (exp_pos _)) Phi Hdig a_step r_step HS
    falling Q2 _ O _ _ _ _ _ One Q1 Zero E3) as [EA ES].
  rewrite <- power_of_two, HG. fold p.
  assert (Z1 : (1 <= copies folded)%Z) by (destruct folded; cbn; lia). apply IZR_le in Z1 as Z1'. fold z in Z1'.
  assert (Both : forall s x, enclosed digits s x -> IZR (fst (of_both digits (copies folded) s)) <= (z * x - (z - 1)) * IZR (2 ^ digits) <= IZR (snd (of_both digits (copies folded) s))).
  { intros s x [_ S]. unfold of_both. cbn [fst snd]. rewrite !minus_IZR, !mult_IZR, minus_IZR. fold z. nra. }
  assert (A' := gaussian_floors_sound digits p (copies folded) (of_both digits (copies folded) all)
    (fun j => z * sum_below (S j) a - (z - 1)) (z * bucket_total - (z - 1)) Hdig Hp H0).
  apply (A' ltac:(split; [lia|apply Both, EA]) list sums O); auto.
Qed.
End Gaussian.

Lemma gaussian_table_share n d (total : R) j : (0 < n)%Z -> (0 < d)%Z -> is_lim_seq (fun m => sum_below m (fun k => gaussian_decay n d (k * 1))) total ->
  table_share (GaussianDecay n d) j = (2 * sum_below (S j) (fun k => gaussian_decay n d (k * 1)) - (2 - 1)) / (2 * total - (2 - 1)).
Proof.
  intros Hn Hd HS. set (a := fun k => gaussian_decay n d (k * 1)) in *. cbn [table_share].
  assert (A : forall i, gaussian_weight n d (Z.of_nat i) = a i) by (intros i; unfold a, gaussian_decay; now rewrite Nat.mul_1_r).
  assert (M : forall i, gaussian_weight n d (-1 - Z.of_nat i) = a (S i)).
  { intros i. rewrite <- A. unfold gaussian_weight. replace (-1 - Z.of_nat i)%Z with (- Z.of_nat (S i))%Z by lia. rewrite opp_IZR.
    replace ((- IZR (Z.of_nat (S i))) ^ 2) with (IZR (Z.of_nat (S i)) ^ 2) by ring. reflexivity. }
  assert (A0 : a O = 1) by (rewrite <- A; unfold gaussian_weight; etransitivity; [|apply exp_0]; f_equal; simpl; unfold Rdiv; ring).
  assert (Shift : forall m, sum_below m (fun i => a (S i)) = sum_below (S m) a - 1).
  { induction m as [|m IH]; [simpl; lra|]. rewrite sum_below_S, IH, (sum_below_S (S m)). lra. }
  assert (Z : gaussian_normaliser n d = 2 * total - 1).
  { destruct (gaussian_normaliser_is_sum n d Hn Hd) as [L _].
    assert (L2 : is_lim_seq (fun N => sum_within N (gaussian_weight n d)) (2 * total - 1)).
    { apply is_lim_seq_ext with (fun N => sum_below N a + (sum_below (S N) a - 1)).
      - intros N. unfold sum_within. rewrite <- Shift. f_equal; apply sum_below_ext; intros i _; auto.
      - replace (2 * total - 1) with (total + (total - 1)) by ring. apply is_lim_seq_plus'; [exact HS|].
        apply is_lim_seq_minus'; [now apply -> (is_lim_seq_incr_1 (fun m => sum_below m a))|apply is_lim_seq_const]. }
    apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. now injection L. }
  rewrite up_to_within. unfold sum_within. rewrite Z.
  rewrite (sum_below_ext j (fun i => gaussian_weight n d (Z.of_nat i) / (2 * total - 1)) (fun i => / (2 * total - 1) * a i)) by (intros i _; rewrite A; unfold Rdiv; ring).
  rewrite (sum_below_ext j (fun i => gaussian_weight n d (-1 - Z.of_nat i) / (2 * total - 1)) (fun i => / (2 * total - 1) * a (S i))) by (intros i _; rewrite M; unfold Rdiv; ring).
  rewrite !sum_below_scal, Shift, A. rewrite sum_below_S. replace (2 - 1) with 1 by ring. unfold Rdiv. ring.
Qed.

(** ** Both *)
Definition is_bucket_total (decay : Decay) (w : nat) (bucket_total : R) : Prop := is_lim_seq (fun m => sum_below m (fun b => weight_of decay (b * w))) bucket_total.

Lemma floors_hold_sound dc pl folded precision list : positive_decay dc -> floors_hold dc pl folded precision list = true ->
  (folded = true -> pl = O -> floors_of (table_share dc) precision list)
  /\ (folded = false -> forall bucket_total, is_bucket_total dc (2 ^ pl) bucket_total -> floors_of (bucket_share dc (2 ^ pl) bucket_total) precision list).
Proof.
  intros HD H. split.
  - intros -> ->. destruct dc as [n d|n d]; destruct HD as [Hn Hd].
    + apply laplace_floors_of with n d O true; auto. intros j. rewrite laplace_table_share by auto. cbn [copies Nat.pow]. rewrite pow_1. reflexivity.
    + destruct (gaussian_buckets_have_a_sum n d 1 Hn Hd ltac:(lia)) as [total HS].
      apply (gaussian_floors_of n d Hn Hd 1) with O true total; auto. intros j. now apply gaussian_table_share.
  - intros -> total HS. unfold is_bucket_total in HS. assert (W : (0 < 2 ^ pl)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
    destruct dc as [n d|n d]; destruct HD as [Hn Hd]; cbn [weight_of] in HS.
    + apply laplace_floors_of with n d pl false; auto. intros j. cbn [copies]. now apply laplace_bucket_share.
    + apply (gaussian_floors_of n d Hn Hd (2 ^ pl)) with pl false total; auto. intros j. cbn [copies]. unfold bucket_share. cbn [weight_of].
      f_equal; ring.
Qed.
Lemma positive_parameters_sound decay : positive_parameters decay = true -> positive_decay decay.
Proof. unfold positive_parameters. destruct decay as [n d|n d]; intros H; apply andb_true_iff in H; destruct H as [A B]; apply Z.ltb_lt in A, B; split; auto. Qed.

(** Cells that hold: the floors are those of the table's, or of the buckets', cumulative probabilities. *)
Theorem checked_cells r : cells_hold r = true -> let f := of_cells r in
  positive_decay (decay r) /\ (width f <= precision f)%nat /\ f = cut_off (precision f) (width f) (floors f)
  /\ (folded r = true -> places r = O -> floors_of (table_share (decay r)) (precision f) (floors f))
  /\ (folded r = false -> forall bucket_total, is_bucket_total (decay r) (2 ^ places r) bucket_total ->
      floors_of (bucket_share (decay r) (2 ^ places r) bucket_total) (precision f) (floors f))
  /\ (folded r = false -> let w := (2 ^ Z.of_nat (places r))%Z in (exponent_numerator (decay r) w (length (floors f)) w <= exponent_denominator (decay r))%Z).
Proof.
  intros H f. unfold cells_hold in H. fold f in H. rewrite !andb_true_iff in H. destruct H as [[[[H1 H2] H3] H4] H5].
  destruct (list_eq_dec Z.eq_dec _ _) as [E|]; [|discriminate].
  assert (HD := positive_parameters_sound _ H1). destruct (floors_hold_sound _ _ _ _ _ HD H4) as [HF HB].
  split; [exact HD|]. split; [now apply Nat.leb_le|]. split.
  { unfold cut_off. rewrite <- E. now destruct f. }
  split; [exact HF|]. split; [exact HB|]. intros E'. rewrite E' in H5. cbn [orb] in H5. now apply Z.leb_le.
Qed.
