(** Every hypothesis can be met: every kind of theorem that has any, applied to something that satisfies them. A contradictory hypothesis could not be discharged here. *)
Require Import Reals Lra Lia List ZArith Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model FiniteSums IntegerSums Uniform Bernoulli BernoulliExp Geometric Laplace Gaussian Choice RandomizedResponse.
From Certus.privacy Require Import Definitions Composition HockeyStick LaplaceMechanism GaussianMechanism Zcdp ZcdpPostProcessing PureToZcdp LaplaceVector
  RandomizedResponseMechanism GridRounding SparseVector Queries Notion Ending.
From Certus.fast Require Import LazyInversion LazyCoin TruthCoin Table Buckets TrialCount.
From Certus.replay Require Import FastModel Enclosures Replay.
Import ListNotations.
Open Scope R_scope.

(** Samplers, at parameters. *)
Example a_die : probability (uniform 6) (Z.eqb 5) = 1 / 6.
Proof. apply uniform_probability. lia. Qed.
Example a_third : probability (bernoulli 1 3) (fun b => b) = 1 / 3.
Proof. apply bernoulli_probability; lia. Qed.
Example e_to_the_minus_7_halves : probability (bernoulli_exp 7 2) (fun b => b) = exp (- (7 / 2)).
Proof. apply bernoulli_exp_probability; lia. Qed.
Example geometric_5_halves : total (geometric 5 2) = 1.
Proof. apply geometric_total; lia. Qed.
Example laplace_at_zero : probability (laplace 5 2) (Z.eqb 0) = (1 - ratio 5 2) / (1 + ratio 5 2) * exp (- (Rabs (IZR 0) / (5 / 2))).
Proof. apply laplace_probability; lia. Qed.
Example gaussian_at_minus_three : probability (gaussian 7 3) (Z.eqb (-3)) = gaussian_weight 7 3 (-3) / gaussian_normaliser 7 3.
Proof. apply gaussian_probability; lia. Qed.
Definition two_weights := [Build_Weight 1 2 (-1) 3; Build_Weight 0 1 (-9) 1; Build_Weight 2 3 5 1].
Example a_choice : probability (choice two_weights) (Nat.eqb 2) = weight_value (Build_Weight 2 3 5 1) / total_weight two_weights.
Proof.
  apply choice_probability; [repeat constructor; simpl; lia|apply Exists_cons_hd; simpl; lia|reflexivity].
Qed.
Example a_response : probability (randomized_response 3 4 2 1) (Z.eqb 0) = (1 - 3 / 4) / 1.
Proof. rewrite randomized_response_probability by lia. reflexivity. Qed.

(** Mechanisms. *)
Example laplace_is_private : pure_dp (3 / (10 / 1)) (add_noise (laplace 10 1) 7) (add_noise (laplace 10 1) 4).
Proof. apply laplace_mechanism_private; lia. Qed.
Example a_histogram_is_private : pure_dp (1 / (2 / 1)) (add_noise_to_each (laplace 2 1) [3; 0; 5]%Z) (add_noise_to_each (laplace 2 1) [3; 1; 5]%Z).
Proof. apply laplace_vector_private; simpl; lia. Qed.
Example gaussian_is_zcdp : zcdp (2 ^ 2 / (2 * (100 / 1))) (add_noise (gaussian 100 1) 7) (add_noise (gaussian 100 1) 9).
Proof. apply gaussian_mechanism_zcdp; lia. Qed.
Example a_vector_is_zcdp : zcdp (5 / (2 * (100 / 1))) (add_noise_to_each (gaussian 100 1) [1; 2]%Z) (add_noise_to_each (gaussian 100 1) [2; 4]%Z).
Proof. apply gaussian_vector_zcdp; simpl; lia. Qed.
Example gaussian_is_approximate : let rho := 2 ^ 2 / (2 * (100 / 1)) in
  approximate_dp (rho + 2 * sqrt (rho * ln (1 / (1 / 1000)))) (1 / 1000) (add_noise (gaussian 100 1) 7) (add_noise (gaussian 100 1) 9).
Proof. intros rho. apply (zcdp_implies_approximate Z _); [unfold rho; lra|lra|apply gaussian_is_zcdp]. Qed.
Example laplace_is_zcdp : zcdp ((3 / (10 / 1)) ^ 2 / 2) (add_noise (laplace 10 1) 7) (add_noise (laplace 10 1) 4).
Proof.
  apply pure_implies_zcdp; [lra|apply add_noise_total, laplace_total; lia..| |]; apply laplace_mechanism_private; lia.
Qed.
Example a_response_is_private : pure_dp (ln 3) (randomized_response 3 4 2 1) (randomized_response 3 4 2 0).
Proof.
  assert (0 <= ln 3) by (rewrite <- ln_1; left; apply ln_increasing; lra).
  apply randomized_response_private; try lia; auto; rewrite exp_ln by lra; change (IZR (2 - 1)) with 1; lra.
Qed.
Example two_releases : pure_dp (3 / (10 / 1) + 3 / (10 / 1))
  (release_both (add_noise (laplace 10 1) 7) (fun y => add_noise (laplace 10 1) (7 + y)))
  (release_both (add_noise (laplace 10 1) 4) (fun y => add_noise (laplace 10 1) (4 + y))).
Proof. apply composition_pure; [|intros y]; apply laplace_mechanism_private; lia. Qed.
Example a_group : pure_dp (INR 3 * (1 / (10 / 1))) (add_noise (laplace 10 1) 0) (add_noise (laplace 10 1) 3).
Proof.
  apply (group_privacy_pure Z (1 / (10 / 1)) (fun i => add_noise (laplace 10 1) (Z.of_nat i)) 3).
  intros i Hi. apply laplace_mechanism_private; lia.
Qed.
Example the_minimal_delta : approximate_dp 0 1 (uniform 2) (uniform 3).
Proof.
  apply (minimal_delta_is_hockey_stick Z _). intros l Hl. apply Rle_trans with (list_sum l (fun a => at_output (uniform 2) a * 1)).
  - apply list_sum_le. intros a _. unfold loss_over. rewrite exp_0. generalize (at_output_unit (uniform 2) a) (at_output_unit (uniform 3) a). intros.
    apply Rmax_lub; lra.
  - eapply Rle_trans; [apply (list_below_expect (uniform 2) (fun _ => 1)); auto|]. apply expect_unit. auto.
Qed.
Example a_grid : (Z.abs (round_to_grid (1/4) 1 - round_to_grid (1/4) (5/4)) <= ceiling (1 / 4 / (1 / 4)))%Z.
Proof. exact (proj1 (rounded_sensitivity (1/4) (1/4) 1 (5/4) ltac:(lra) ltac:(rewrite Rabs_left; lra))). Qed.

(** Fast samplers: tables of floors. *)
Definition floor_of (x : R) (length : nat) : Z := Int_part (x * 2 ^ length).
Lemma floor_encloses x length : IZR (floor_of x length) <= x * 2 ^ length <= IZR (floor_of x length + 1).
Proof. unfold floor_of. destruct (base_Int_part (x * 2 ^ length)). rewrite plus_IZR. lra. Qed.
Lemma floor_tightens x : exists units, forall length, IZR (floor_of x length + 1) - IZR (floor_of x length) <= units.
Proof. exists 1. intros length. rewrite plus_IZR. lra. Qed.

(** The folded geometric distribution P(j) = 2^-(j+1), in a table. *)
Example a_table : let G := fun j => 1 - (/ 2) ^ S j in
  probability (table (fun j => floor_of (G j)) (fun j length => floor_of (G j) length + 1)%Z S 7 8) (Z.eqb (-2)) = (G 2%nat - G 1%nat) / 2.
Proof.
  intros G. rewrite (table_exact G); [reflexivity|unfold G; simpl; lra| | |lia| | |lia].
  - intros j. unfold G. assert (0 < (/2) ^ S j) by (apply pow_lt; lra). change ((/2) ^ S (S j)) with (/ 2 * (/ 2) ^ S j). lra.
  - unfold G. replace (Finite 1) with (Finite (1 - 0)) by (f_equal; lra). apply is_lim_seq_minus'; [apply is_lim_seq_const|].
    apply (is_lim_seq_incr_1 (fun n => (/ 2) ^ n)), is_lim_seq_geom. rewrite Rabs_pos_eq; lra.
  - intros cell length. apply floor_encloses.
  - intros cell. apply floor_tightens.
Qed.
Example a_tabled_gaussian : let G := up_to (fun y => gaussian_weight 9 1 y / gaussian_normaliser 9 1) in
  probability (table (fun j => floor_of (G j)) (fun j length => floor_of (G j) length + 1)%Z S 63 64) (Z.eqb (-2)) = gaussian_weight 9 1 (-2) / gaussian_normaliser 9 1.
Proof. intros G. apply tabled_gaussian_exact; try lia; intros; [apply floor_encloses|apply floor_tightens]. Qed.
Example a_tabled_laplace : let G := up_to (fun y => probability (laplace 9 2) (Z.eqb y)) in
  probability (table (fun j => floor_of (G j)) (fun j length => floor_of (G j) length + 1)%Z S 63 64) (Z.eqb (-2)) = probability (laplace 9 2) (Z.eqb (-2)).
Proof. intros G. apply tabled_laplace_exact; try lia; intros; [apply floor_encloses|apply floor_tightens]. Qed.
Example a_lazy_coin : is_coin (lazy_coin (floor_of (exp (-1))) (fun length => floor_of (exp (-1)) length + 1)%Z 64 17) (exp (-1)).
Proof.
  apply lazy_coin_exact; [|lia|apply floor_encloses|apply floor_tightens].
  split; [left; apply exp_pos|]. rewrite <- exp_0. left. apply exp_increasing. lra.
Qed.
Example a_response_by_epsilon : let p := 1 / (1 + IZR (5 - 1) * exp (- 1)) in
  pure_dp 1 (response_by_epsilon (floor_of p) (fun length => floor_of p length + 1)%Z 5 2) (response_by_epsilon (floor_of p) (fun length => floor_of p length + 1)%Z 5 4).
Proof. intros p. apply response_by_epsilon_private; [lia|lra|apply floor_encloses|apply floor_tightens|lia|lia]. Qed.

(** σ = 1000 in buckets of 8, with a squeeze of 17 bits that accepts nothing for sure at first, and floors after. *)
Example a_bucketed_gaussian : exists lower upper accept_lower accept_upper,
  let sampler := bucket_sampler lower upper S accept_lower accept_upper 32 3 17 0 0 64 in
  (forall y, probability sampler (Z.eqb y) = gaussian_weight 1000000 1 y / gaussian_normaliser 1000000 1) /\ total sampler = 1.
Proof.
  destruct (gaussian_buckets_have_a_sum 1000000 1 (2 ^ (3 + 0)) ltac:(lia) ltac:(lia) ltac:(simpl; lia)) as [T HT].
  set (f := gaussian_decay 1000000 1) in *. set (w := (2 ^ (3 + 0))%nat) in *.
  set (G := fun b => sum_below (S b) (fun b => f (b * w)%nat) / T). set (a := fun b o => f (b * w + Z.to_nat o)%nat / f (b * w)%nat).
  exists (fun b => floor_of (G b)), (fun b length => floor_of (G b) length + 1)%Z, (fun b o => floor_of (a b o)), (fun b o length => floor_of (a b o) length + 1)%Z.
  apply bucketed_gaussian_exact with T; try lia; auto.
  - intros b length. apply floor_encloses.
  - intros b. apply floor_tightens.
  - intros b o length _. apply floor_encloses.
  - intros b o _. apply floor_tightens.
Qed.
Example trials_of_a_die : let trial := Bind (bits 3) (fun word => Return (if (word <? 6)%Z then Break word else Continue tt)) in
  probability (counted trial) (fun outcome => Nat.eqb (fst outcome) 2) = retry_share trial ^ 2 * (1 - retry_share trial).
Proof.
  intros trial. assert (E : forall g, in_unit g -> expect trial g = (g (Break 0%Z) + g (Break 1%Z) + g (Break 2%Z) + g (Break 3%Z) + g (Break 4%Z) + g (Break 5%Z) + 2 * g (Continue tt)) / 8).
  { intros g Hg. unfold trial. rewrite expect_bind, expect_bits by (auto; intros x; apply expect_unit; auto).
    rewrite (sum_below_ext _ _ (fun i => g (if (Z.of_nat i <? 6)%Z then Break (Z.of_nat i) else Continue tt))) by (intros i _; now rewrite expect_return).
    simpl. lra. }
  apply (trial_count_is_independent Z trial 2 (fun _ => true)); unfold total, probability, retry_share; rewrite E by auto; unfold indicator; simpl; lra.
Qed.

(** The sparse vector technique, with two-sided noise and with one-sided; each query may depend on the answers before it. *)
Example above_a_threshold : pure_dp (1 / (2 / 1) + 2 * 1 / (4 / 1))
  (above_threshold (laplace 2 1) (laplace 4 1) 3 (fun answers => Z.of_nat (length answers)) 10)
  (above_threshold (laplace 2 1) (laplace 4 1) 3 (fun answers => Z.of_nat (length answers) + 1)%Z 10).
Proof. apply above_threshold_private; [lra|lia|apply laplace_raising_costs; lia|intros answers; lia|apply laplace_raising_costs; lia]. Qed.
Example a_sparse_vector : pure_dp (1 / (2 / 1) + INR 3 * (2 * 1 / (12 / 1)))
  (sparse_vector (geometric 2 1) (geometric 12 1) 3 (fun answers => if hd true answers then 5 else 0)%Z 10 3)
  (sparse_vector (geometric 2 1) (geometric 12 1) 3 (fun answers => if hd true answers then 4 else 1)%Z 10 3).
Proof.
  apply sparse_vector_private; [lra|lia|apply geometric_raising_costs; lia| |apply geometric_raising_costs; lia].
  intros answers. destruct (hd true answers); lia.
Qed.
Example a_sparse_vector_ends : total (sparse_vector (laplace 2 1) (laplace 4 1) 3 (fun _ => 0%Z) 10 2) = 1.
Proof. apply sparse_vector_total; apply laplace_total; lia. Qed.

(** Queries on records, here numbers; neighbours exist, and differ. *)
Example some_neighbours : neighbours [1; 2]%Z [1; 5; 2]%Z.
Proof. exists [1]%Z, 5%Z, [2]%Z. auto. Qed.
Example a_mean : let mean := noisy_mean (fun v => v) (-5) 10 (laplace 40 1) (laplace 4 1) Z.div in pure_dp (15 / (40 / 1) + 1 / (4 / 1)) (mean [1; 2]%Z) (mean [1; 5; 2]%Z).
Proof. intros mean. apply (noisy_mean_private Z (fun v => v) (-5) 10 40 1 4 1 Z.div); try lia. apply some_neighbours. Qed.
Example a_sum : sensitivity_of (clamped_sum (fun v => v) (-5) 3) 5.
Proof. apply (clamped_sum_sensitivity (fun v => v) (-5) 3). lia. Qed.
Example a_mean_ends : total (noisy_mean (fun v => v) (-5) 10 (laplace 40 1) (laplace 4 1) Z.div [1; 2]%Z) = 1.
Proof. apply noisy_mean_total; apply laplace_total; lia. Qed.
Example a_histogram_ends : total (noisy_histogram (gaussian 2 1) Z.to_nat 4 [1; 2]%Z) = 1.
Proof. apply noisy_histogram_total, gaussian_total; lia. Qed.
Example no_cost_is_any_delta : approximate_dp (0 + 2 * sqrt (0 * ln (1 / (1 / 9)))) (1 / 9) (uniform 2) (uniform 2).
Proof. apply (zcdp_implies_approximate Z _); [lra|lra|apply zcdp_refl]. Qed.
Example a_noisy_histogram : pure_dp (1 / (2 / 1)) (noisy_histogram (laplace 2 1) Z.to_nat 4 [1; 2]%Z) (noisy_histogram (laplace 2 1) Z.to_nat 4 [1; 5; 2]%Z).
Proof. apply (histogram_private Z.to_nat 4 2 1); try lia. apply some_neighbours. Qed.
Example a_histogram_by_notion : zcdp (INR 4 * (1 ^ 2 / (2 * (2 / 1)))) (noisy_histogram (gaussian 2 1) Z.to_nat 4 [1; 2]%Z) (noisy_histogram (gaussian 2 1) Z.to_nat 4 [1; 5; 2]%Z).
Proof. apply (histogram_by_any_notion zcdp_notion gaussian_noise Z Z.to_nat 4 2 1); try lia. apply some_neighbours. Qed.
Example two_parts : private_mechanism (Rmax (1 / (2 / 1)) (1 / (3 / 1)))
  (by_parts Z.even (fun x => add_noise (laplace 2 1) (count_records x)) (fun x => add_noise (laplace 3 1) (count_records x))).
Proof. apply parallel_mechanisms_private; try lra; apply noisy_query_private; try lia; apply count_sensitivity. Qed.

(** The digits of a geometric number with q = 1/2, in base 2: a low digit of P(0) = 2/3, and the rest. *)
Example digits_of_a_geometric : exists digit rest, forall k,
  at_output (Bind digit (fun d => Bind rest (fun x => Return (d + 2 * x)%nat))) k = (1 - / 2) * (/ 2) ^ k.
Proof.
  exists (Bind (bernoulli 1 3) (fun b => Return (if b then 1 else 0)%nat)), (Bind (count (bernoulli 1 4)) (fun v => Return (Z.to_nat v))).
  assert (C3 : is_coin (bernoulli 1 3) (1 / 3)) by (apply (bernoulli_is_coin 1 3); lia).
  assert (C4 : is_coin (bernoulli 1 4) (1 / 4)) by (apply (bernoulli_is_coin 1 4); lia).
  apply (memoryless_digits (/ 2) 2); [lra|lia| | |].
  - rewrite total_expect, expect_bind by auto. rewrite (expect_ext _ _ (fun _ => 1)) by (intros b; apply expect_return).
    rewrite C3 by auto. lra.
  - intros d Hd. unfold at_output, probability. rewrite expect_bind by auto.
    rewrite (expect_ext _ _ (fun b : bool => indicator (Nat.eqb d) (if b then 1 else 0)%nat)) by (intros b; apply expect_return).
    rewrite C3 by (intros b; apply indicator_unit). unfold indicator. destruct d as [|[|d]]; [simpl; lra..|lia].
  - intros x. unfold at_output, probability. rewrite expect_bind by auto.
    rewrite (expect_ext _ _ (fun v : Z => indicator (Nat.eqb x) (Z.to_nat v))) by (intros v; apply expect_return).
    assert (L := expect_count _ (1 / 4) (fun v : Z => indicator (Nat.eqb x) (Z.to_nat v)) C4 ltac:(lra) ltac:(intros v; apply indicator_unit)).
    assert (L2 : is_lim_seq (fun N => sum_below N (fun v => (1 - 1 / 4) * (1 / 4) ^ v * indicator (Nat.eqb x) (Z.to_nat (Z.of_nat v)))) ((1 - 1 / 4) * (1 / 4) ^ x)).
    { apply is_lim_seq_ext_loc with (fun _ => (1 - 1 / 4) * (1 / 4) ^ x); [|apply is_lim_seq_const]. exists (S x). intros N HN.
      rewrite (sum_below_single _ x).
      - replace (x <? N)%nat with true by (symmetry; apply Nat.ltb_lt; lia). rewrite Nat2Z.id. unfold indicator. rewrite Nat.eqb_refl. ring.
      - intros i Hi. rewrite Nat2Z.id. unfold indicator. destruct (Nat.eqb_spec x i); [congruence|ring]. }
    apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. injection L as <-.
    rewrite pow_mult. replace ((/ 2) ^ 2) with (1 / 4) by (simpl; lra). lra.
Qed.

(** The first look: thresholds 3 and 7 of three bits. *)
Example a_first_look : scan (fun j _ => nth j [3; 7]%Z 0%Z) (fun j _ => nth j [3; 7]%Z 0 + 1)%Z 9 3 5 O = (1%nat, true).
Proof. apply (first_look_is_scan _ _ 3 [3; 7]%Z 5); [auto|simpl; lia|discriminate|simpl; lia]. Qed.
Example a_nearest_rounding : (Z.abs (Int_part (1 + 1 / 2) - Int_part (5 / 2 + 1 / 2)) <= Int_part (3 / 2 / 1) + 1)%Z.
Proof.
  apply (any_nearest_sensitivity 1 (3 / 2) (fun z => Int_part (z + 1 / 2)) 1 (5 / 2)); [lra| |rewrite Rabs_left; lra].
  intros z. destruct (base_Int_part (z + 1 / 2)). apply Rabs_le. unfold Rdiv. rewrite Rinv_1. lra.
Qed.

(** The replay's bounds: the floor of 1/2 at 191 bits; e^-x at a place of a bucket, with a recorded bound that is wrong. *)
Example some_floors : let f := cut_off 191 63 [2 ^ 190]%Z in IZR (floor_lower f 0 127) <= / 2 * 2 ^ 127 <= IZR (floor_upper f 0 127).
Proof. apply (recorded_floors_enclose 191 63 [2 ^ 190]%Z 0 (2 ^ 190)%Z); [lia|lia|reflexivity|].
  replace (2 ^ 190)%Z with (2 ^ Z.of_nat 190)%Z by reflexivity. rewrite <- pow_IZR. change 191%nat with (S 190). rewrite <- tech_pow_Rmult. lra. Qed.
Example an_acceptance : let x := IZR (3 * (2 * 100 * 8 + 3)) / IZR (2 * 1000000) in
  IZR (accept_lower (GaussianDecay 1000000 1) 8 [(803%Z, 81%nat, 5%Z, 7%Z)] 500 17 100 3 81) <= exp (- x) * 2 ^ 81 <= IZR (accept_upper (GaussianDecay 1000000 1) 8 [(803%Z, 81%nat, 5%Z, 7%Z)] 17 100 3 81).
Proof. apply (acceptance_encloses (GaussianDecay 1000000 1) 8 [(803%Z, 81%nat, 5%Z, 7%Z)] 500 17 100 3 81); [simpl; lia|lia|].
  change (IZR 4809 / IZR 2000000 <= 1). lra.
Qed.
Example a_tree : let r := {| of := Uniform 3; depth := 2; runs := [[2 + 32 * 1; 2 + 32 * 3; 2 + 32 * 5; 2 + 32 * 0]%N] |} in
  forall tape, length tape = 2%nat -> recorded_on (Uniform 3) tape (map run_of (concat (runs r))).
Proof. intros r. apply (tree_holds_on_every_tape r). vm_compute. reflexivity. Qed.
(** Two outputs in each other's place: refused, and not what the theorem says. *)
Example a_swapped_tree : tree_holds {| of := Uniform 2; depth := 1; runs := [[1 + 32 * 1; 1 + 32 * 3]%N] |} = true
  /\ tree_holds {| of := Uniform 2; depth := 1; runs := [[1 + 32 * 3; 1 + 32 * 1]%N] |} = false.
Proof. vm_compute. auto. Qed.
Example a_swapped_recording : ~ recorded_on (Uniform 2) [true] [(1%nat, Some 1%Z); (1%nat, Some 0%Z)].
Proof. intros (used & result & A & _ & R). vm_compute in A. injection A as <- <-. vm_compute in R. discriminate. Qed.
Example a_bucketed_laplace : exists lower upper accept_lower accept_upper,
  let sampler := bucket_sampler lower upper S accept_lower accept_upper 32 3 17 0 0 64 in
  (forall y, probability sampler (Z.eqb y) = probability (laplace 1000 1) (Z.eqb y)) /\ total sampler = 1.
Proof.
  destruct (laplace_buckets_have_a_sum 1000 1 (2 ^ (3 + 0)) ltac:(lia) ltac:(lia) ltac:(simpl; lia)) as [T HT].
  set (f := laplace_decay 1000 1) in *. set (w := (2 ^ (3 + 0))%nat) in *.
  set (G := fun b => sum_below (S b) (fun b => f (b * w)%nat) / T). set (a := fun b o => f (b * w + Z.to_nat o)%nat / f (b * w)%nat).
  exists (fun b => floor_of (G b)), (fun b length => floor_of (G b) length + 1)%Z, (fun b o => floor_of (a b o)), (fun b o length => floor_of (a b o) length + 1)%Z.
  apply bucketed_laplace_exact with T; try lia; auto.
  - intros b length. apply floor_encloses.
  - intros b. apply floor_tightens.
  - intros b o length _. apply floor_encloses.
  - intros b o _. apply floor_tightens.
Qed.
