(** Discrete Gaussian noise for every rational σ² = n/d: P(y) = e^(-y²/2σ²)/Z with Z the sum over all integers. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums IntegerSums Bernoulli BernoulliExp Geometric Laplace.
Open Scope R_scope.

(** e^(-y²/2σ²). *)
Definition gaussian_weight (n d y : Z) : R := exp (- (IZR y ^ 2 / (2 * (IZR n / IZR d)))).

(** Z, the sum of the weights over all integers. *)
Definition gaussian_normaliser (n d : Z) : R := real (Lim_seq (fun N => sum_within N (gaussian_weight n d))).

Lemma exp_mono x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; now apply exp_increasing | right; auto]. Qed.

(** The candidate's scale, and the reduced b/a = σ²/t. *)
Lemma ceil_sqrt_positive n : (0 < n)%Z -> (0 < ceil_sqrt n)%Z.
Proof.
  intros H. unfold ceil_sqrt. assert (S := Z.sqrt_nonneg n). destruct (Z.eqb_spec (Z.sqrt n * Z.sqrt n) n); nia.
Qed.
Lemma reduced n s : (0 < n)%Z -> (0 < s)%Z -> let g := Z.gcd s n in
  (0 < g /\ 0 < s / g /\ 0 < n / g /\ s = s / g * g /\ n = n / g * g)%Z.
Proof.
  intros Hn Hs g. assert (G : (0 < g)%Z).
  { assert (0 <= g)%Z by apply Z.gcd_nonneg. assert (g <> 0)%Z; [|lia]. intros E. apply Z.gcd_eq_0_l in E. lia. }
  destruct (Z.gcd_divide_l s n) as [x Hx]. destruct (Z.gcd_divide_r s n) as [y Hy]. fold g in Hx, Hy.
  assert (s / g = x)%Z by (rewrite Hx; apply Z.div_mul; lia).
  assert (n / g = y)%Z by (rewrite Hy; apply Z.div_mul; lia). nia.
Qed.

Theorem gaussian_distribution n d : (0 < n)%Z -> (0 < d)%Z ->
  0 < gaussian_normaliser n d
  /\ is_lim_seq (fun N => sum_within N (gaussian_weight n d)) (gaussian_normaliser n d)
  /\ (forall y, probability (gaussian n d) (Z.eqb y) = gaussian_weight n d y / gaussian_normaliser n d)
  /\ total (gaussian n d) = 1.
Proof.
  intros Hn Hd. unfold gaussian. set (t := ceil_sqrt (div_ceil n d)).
  assert (Ht : (0 < t)%Z) by (apply ceil_sqrt_positive, div_ceil_spec; auto).
  destruct (reduced n (d * t)) as (G0 & A0 & B0 & EA & EB); [lia|nia|].
  set (g0 := Z.gcd (d * t) n) in *. set (a := (d * t / g0)%Z) in *. set (b := (n / g0)%Z) in *. cbv zeta.
  set (trial := Bind (laplace t 1) _).
  assert (Rn : 0 < IZR n) by (apply (IZR_lt 0); auto).
  assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
  assert (Rt : 0 < IZR t) by (apply (IZR_lt 0); auto).
  assert (Ra : 0 < IZR a) by (apply (IZR_lt 0); auto).
  assert (Rb : 0 < IZR b) by (apply (IZR_lt 0); auto).
  assert (Rg : 0 < IZR g0) by (apply (IZR_lt 0); auto).
  assert (EA' : IZR d * IZR t = IZR a * IZR g0) by (rewrite <- !mult_IZR; now rewrite EA at 1).
  assert (EB' : IZR n = IZR b * IZR g0) by (rewrite <- mult_IZR; now rewrite EB at 1).
  set (x := fun y : Z => ((Z.abs y * a - b) * (Z.abs y * a - b))%Z).
  set (D := (2 * t * a * b)%Z).
  set (p := fun y : Z => exp (- (IZR (x y) / IZR D))).
  assert (Q1 : forall y, (0 <= x y)%Z) by (intros y; apply Z.square_nonneg).
  assert (Q2 : (0 < D)%Z) by (unfold D; repeat apply Z.mul_pos_pos; lia).
  assert (Pp : forall y, 0 < p y <= 1).
  { intros y. unfold p. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_mono.
    assert (0 <= IZR (x y) / IZR D); [|lra].
    apply Rmult_le_pos; [apply (IZR_le 0); auto|]. apply Rlt_le, Rinv_0_lt_compat, (IZR_lt 0). auto. }
  assert (HB : forall c g, 0 <= c <= 1 -> in_unit g ->
     expect trial (on_flow (fun _ => c) g) = expect (laplace t 1) (fun y => p y * g y + (1 - p y) * c)).
  { intros c g Hc Hg. assert (Hu : in_unit (on_flow (fun _ : unit => c) g)) by (intros [[]|y]; simpl; auto).
    unfold trial. rewrite expect_bind by auto. apply expect_ext. intros y. rewrite expect_bind by auto.
    rewrite bernoulli_exp_is_coin; auto; [|apply Q1|intros accept; apply expect_unit; auto].
    rewrite 2!expect_return. reflexivity. }
  assert (L1 : expect (laplace t 1) (fun _ => 1) = 1) by (rewrite <- total_expect; apply laplace_total; lia).
  assert (Pu : in_unit p) by (intros y; generalize (Pp y); lra).
  assert (Hr : retry_share trial = 1 - expect (laplace t 1) p).
  { unfold retry_share. rewrite HB by (auto; lra).
    rewrite (expect_ext _ _ (fun y => 1 * (fun _ => 1) y + (-1) * p y)) by (intros; lra).
    rewrite expect_lin by auto. lra. }
  assert (Hacc : forall y, accepted trial (indicator (Z.eqb y)) = p y * probability (laplace t 1) (Z.eqb y)).
  { intros y. unfold accepted. rewrite HB by (auto; lra). unfold probability. rewrite <- expect_scal by auto.
    apply expect_ext. intros v. unfold indicator. destruct (Z.eqb_spec y v) as [->|]; lra. }
  set (e := ratio t 1). assert (He := ratio_bounds t 1 Ht ltac:(lia)). fold e in He.
  set (K := (1 - e) / (1 + e) * exp (- (IZR n / (2 * IZR d * IZR t ^ 2)))).
  assert (HK : forall y, p y * probability (laplace t 1) (Z.eqb y) = K * gaussian_weight n d y).
  { intros y. rewrite laplace_probability by lia. unfold K, p, gaussian_weight. fold e.
    rewrite (Rmult_comm (exp _)), !Rmult_assoc. f_equal. rewrite <- !exp_plus. f_equal.
    replace (IZR (x y)) with ((Rabs (IZR y) * IZR a - IZR b) ^ 2).
    2:{ unfold x. rewrite mult_IZR, minus_IZR, mult_IZR, abs_IZR. ring. }
    replace (IZR y ^ 2) with (Rabs (IZR y) ^ 2) by (rewrite RPow_abs, Rabs_pos_eq; [reflexivity|apply pow2_ge_0]).
    unfold D. rewrite !mult_IZR.
    replace (IZR d) with (IZR a * IZR g0 / IZR t) by (rewrite <- EA'; field; lra).
    rewrite EB'. field. repeat split; lra. }
  assert (K0 : 0 < K).
  { unfold K. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra | apply exp_pos]. }
  assert (Hp : 0 < expect (laplace t 1) p).
  { assert (W : 0 < gaussian_weight n d 0) by apply exp_pos.
    apply Rlt_le_trans with (p 0%Z * probability (laplace t 1) (Z.eqb 0)); [rewrite HK; now apply Rmult_lt_0_compat|].
    unfold probability. rewrite <- expect_scal by auto. apply expect_mono; auto.
    - intros v. generalize (Pp 0%Z) (indicator_unit (Z.eqb 0) v). nra.
    - intros v. unfold indicator. destruct (Z.eqb_spec 0 v) as [<-|]; [lra | generalize (Pp v); lra]. }
  assert (T : total (Loop (fun _ => trial) tt) = 1).
  { rewrite total_expect, expect_retry by (auto; lra). rewrite Hr. unfold accepted. rewrite HB by (auto; lra).
    rewrite (expect_ext _ _ p) by (intros; lra). field. lra. }
  assert (P : forall y, probability (Loop (fun _ => trial) tt) (Z.eqb y) = gaussian_weight n d y / (expect (laplace t 1) p / K)).
  { intros y. unfold probability. rewrite expect_retry by (auto; lra). rewrite Hr, Hacc, HK. field. lra. }
  assert (L : is_lim_seq (fun N => sum_within N (gaussian_weight n d)) (expect (laplace t 1) p / K)).
  { assert (L := total_is_sum (Loop (fun _ => trial) tt)). rewrite T in L.
    apply (is_lim_seq_scal_l _ (expect (laplace t 1) p / K) (Finite _)) in L.
    replace (Finite (expect (laplace t 1) p / K)) with (Rbar_mult (expect (laplace t 1) p / K) 1) by (simpl; f_equal; lra).
    eapply is_lim_seq_ext; [|exact L]. intros N. unfold sum_within.
    rewrite Rmult_plus_distr_l, <- !sum_below_scal. f_equal; apply sum_below_ext; intros i _; rewrite P; field; lra. }
  assert (Z : gaussian_normaliser n d = expect (laplace t 1) p / K).
  { unfold gaussian_normaliser. now rewrite (is_lim_seq_unique _ _ L). }
  rewrite Z. split; [now apply Rdiv_lt_0_compat|]. split; [|split]; auto.
Qed.

Theorem gaussian_probability n d y : (0 < n)%Z -> (0 < d)%Z ->
  probability (gaussian n d) (Z.eqb y) = gaussian_weight n d y / gaussian_normaliser n d.
Proof. intros. now apply gaussian_distribution. Qed.
Theorem gaussian_total n d : (0 < n)%Z -> (0 < d)%Z -> total (gaussian n d) = 1.
Proof. intros. now apply gaussian_distribution. Qed.
(** The normaliser is a sum and not a default: the sums over -N <= y < N converge to it. *)
Theorem gaussian_normaliser_is_sum n d : (0 < n)%Z -> (0 < d)%Z ->
  is_lim_seq (fun N => sum_within N (gaussian_weight n d)) (gaussian_normaliser n d) /\ 0 < gaussian_normaliser n d.
Proof. intros. now split; apply gaussian_distribution. Qed.
