(** Fixed work, its two halves put together: a trial that accepts by the A that [Acceptance::start] computes
    (rounded products, a shift, and a polynomial for 2^-f that is within its own error) has the reference's law.
    So of A nothing is assumed but the factor's and the polynomial's own error. *)
Require Import Reals Lra Lia List ZArith Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Geometric Gaussian.
From Certus.privacy Require Import Transfer.
From Certus.fast Require Import Buckets FixedWork FixedTable FixedPlace FixedBuckets FixedGaussian FixedLaplace FixedAcceptance.
Open Scope R_scope.

Section Computed.
(** [W::BITS], and that of a place. *)
Variables width places : nat.
Hypothesis places_fit : (places <= width)%nat.
Let M := (2 ^ Z.of_nat width)%Z.
Let w := (2 ^ places)%nat.
Variable s : Z.
Hypothesis slack_nonneg : (0 <= s)%Z.
Variable high_product : Z -> Z -> Z.
Hypothesis rounds_down : forall a b, (0 <= a < M)%Z -> (0 <= b < M)%Z ->
  (0 <= high_product a b)%Z /\ IZR a * IZR b / IZR M - IZR s < IZR (high_product a b) <= IZR a * IZR b / IZR M.
Variable polynomial : Z -> Z.
Variable polynomial_error : Z.
Hypothesis polynomial_is_word : forall f, (0 <= f < M)%Z -> (0 <= polynomial f <= M)%Z.
Hypothesis polynomial_is_near : forall f, (0 <= f < M)%Z -> Rabs (IZR (polynomial f) - half_to (IZR f / IZR M) * IZR M) <= IZR polynomial_error.
Variables factor off : Z.
Hypothesis factor_is_word : (0 <= factor < M)%Z.

(** [W::fraction]. *)
Definition fraction (o : Z) : Z := (o * 2 ^ Z.of_nat (width - places))%Z.
(** [Acceptance::start] before E is taken off. *)
Definition linear_start (o : Z) : Z := of_exponent width polynomial (high_product factor (fraction o)).
Definition quadratic_start (bucket : nat) (o : Z) : Z :=
  let t := high_product factor (fraction o) in of_exponent width polynomial (2 * Z.of_nat bucket * t + high_product t (fraction o)).

Let M_positive : (0 < M)%Z. Proof. unfold M. apply Z.pow_pos_nonneg; lia. Qed.
Let split_word : M = (2 ^ Z.of_nat places * 2 ^ Z.of_nat (width - places))%Z.
Proof. unfold M. rewrite <- Z.pow_add_r by lia. f_equal. lia. Qed.
Let fraction_is_word o : (0 <= o < 2 ^ Z.of_nat places)%Z -> (0 <= fraction o < M)%Z.
Proof. intros H. rewrite split_word. unfold fraction. assert (0 < 2 ^ Z.of_nat (width - places))%Z by (apply Z.pow_pos_nonneg; lia). nia. Qed.
Let fraction_is_place o : (0 <= o)%Z -> IZR (fraction o) / IZR M = INR (Z.to_nat o) / INR w.
Proof.
  intros H. rewrite split_word. unfold fraction, w. rewrite !mult_IZR, (INR_IZR_INZ (Z.to_nat o)), Z2Nat.id, pow_INR by auto. change (INR 2) with 2.
  rewrite <- (pow_IZR 2 places). assert (0 < IZR (2 ^ Z.of_nat (width - places))) by (apply (IZR_lt 0), Z.pow_pos_nonneg; lia).
  assert (0 < 2 ^ places) by (apply pow_lt; lra). field. split; lra.
Qed.
Let shifted_is_word y : (of_exponent width polynomial y <= M)%Z.
Proof.
  unfold of_exponent. fold M. assert (V := polynomial_is_word (y mod M) (Z.mod_pos_bound y M M_positive)).
  destruct (Z.lt_ge_cases (y / M) 0) as [N|N].
  - rewrite (Z.pow_neg_r 2 (y / M)) by auto. rewrite Zdiv_0_r. lia.
  - assert (0 < 2 ^ (y / M))%Z by (apply Z.pow_pos_nonneg; lia). apply Z.le_trans with (polynomial (y mod M)); [apply Z.div_le_upper_bound; nia|lia].
Qed.
Let width_is_word : IZR M = 2 ^ width.
Proof. unfold M. now rewrite <- pow_IZR. Qed.

(** ** Gaussian buckets *)
Theorem quadratic_start_is_near n d bucket o last error : (0 < n)%Z -> (0 < d)%Z -> (0 <= o < 2 ^ Z.of_nat places)%Z ->
  (2 * Z.of_nat bucket + 1 <= last)%Z -> error = stated_error s polynomial_error off last ->
  let c := INR w ^ 2 / (2 * (IZR n / IZR d)) / ln 2 in IZR factor <= c * IZR M <= IZR factor + IZR off ->
  IZR (quadratic_start bucket o - error) <= gaussian_decay n d (bucket * w + Z.to_nat o) / gaussian_decay n d (bucket * w) * 2 ^ width <= IZR (quadratic_start bucket o + error).
Proof.
  intros Hn Hd Ho Hl He c Hc. rewrite <- width_is_word, <- (quadratic_is_gaussian n d w bucket (Z.to_nat o) Hn Hd) by (unfold w; generalize (Nat.pow_nonzero 2 places); lia).
  rewrite <- fraction_is_place by lia. rewrite (INR_IZR_INZ bucket).
  exact (quadratic_is_near width s high_product rounds_down polynomial polynomial_error polynomial_is_near factor off c factor_is_word Hc slack_nonneg (fraction o)
    (fraction_is_word o Ho) (Z.of_nat bucket) last error ltac:(lia) Hl He).
Qed.

Theorem computed_gaussian_exact n d digits unused step pad floors lower upper patience last error accept_lower accept_upper bucket_total T
    (settle : Z * bool * unit * Z * Z -> Program (T * option Z)) :
  (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat -> (forall length, (length < patience length)%nat) -> (0 <= error)%Z ->
  is_lim_seq (fun m => sum_below m (fun b => gaussian_decay n d (b * w)%nat)) (Finite bucket_total) ->
  cells_enclose (fun b => sum_below (S b) (fun b => gaussian_decay n d (b * w)%nat) / bucket_total) lower upper ->
  are_floors (fun b => sum_below (S b) (fun b => gaussian_decay n d (b * w)%nat) / bucket_total) digits floors ->
  places_enclose places (fun bucket o => gaussian_decay n d (bucket * w + Z.to_nat o) / gaussian_decay n d (bucket * w)) accept_lower accept_upper ->
  (2 * Z.of_nat (length floors) - 1 <= last)%Z -> error = stated_error s polynomial_error off last ->
  IZR factor <= INR w ^ 2 / (2 * (IZR n / IZR d)) / ln 2 * IZR M <= IZR factor + IZR off ->
  (forall words, same_law (Bind (settle words) (fun settled => Return (snd settled)))
    (gaussian_settle digits width places step lower upper patience accept_lower accept_upper words)) ->
  let trial := gaussian_trial digits width places pad floors quadratic_start error in
  gaussian_law n d (fixed_sampler (gaussian_words digits width places unused) trial settle)
  /\ total (fixed_step (gaussian_words digits width places unused) trial settle) = 1
  /\ 1 - retry_share (fixed_step (gaussian_words digits width places unused) trial settle) = gaussian_normaliser n d / (2 * INR w * bucket_total)
  /\ ambiguity (gaussian_words digits width places unused) trial
     <= (INR (length floors) + IZR (2 ^ Z.of_nat digits - 1 - List.last floors (-1)%Z)) / 2 ^ digits + IZR (2 * error) / 2 ^ width.
Proof.
  intros Hn Hd Hs Hp HE HS HC HF HA Hl He Hc Hset trial.
  destruct (fixed_gaussian_exact n d digits width places unused step pad floors lower upper patience quadratic_start error accept_lower accept_upper bucket_total T settle)
    as (P1 & P2 & P3 & P4); auto.
  - intros bucket o. apply shifted_is_word.
  - intros bucket o Hb Ho. apply (quadratic_start_is_near n d bucket o last error); auto. lia.
Qed.

(** ** Laplace digits *)
Theorem linear_start_is_near n d bucket o error : (0 < n)%Z -> (0 < d)%Z -> (0 <= o < 2 ^ Z.of_nat places)%Z -> error = stated_error s polynomial_error off 1 ->
  let c := INR w / (IZR n / IZR d) / ln 2 in IZR factor <= c * IZR M <= IZR factor + IZR off ->
  IZR (linear_start o - error) <= laplace_decay n d (bucket * w + Z.to_nat o) / laplace_decay n d (bucket * w) * 2 ^ width <= IZR (linear_start o + error).
Proof.
  intros Hn Hd Ho He c Hc. rewrite <- width_is_word, <- (linear_is_laplace n d w bucket (Z.to_nat o) Hn Hd) by (unfold w; generalize (Nat.pow_nonzero 2 places); lia).
  rewrite <- fraction_is_place by lia.
  exact (linear_is_near width s high_product rounds_down polynomial polynomial_error polynomial_is_near factor off c factor_is_word Hc slack_nonneg (fraction o)
    (fraction_is_word o Ho) error He).
Qed.

Theorem computed_laplace_exact n d digits unused step pad pad' base low_floors high_floors low_lower low_upper high_lower high_upper patience error
    accept_lower accept_upper T (settle : Z * bool * Z * Z * Z -> Program (T * option Z)) : let Q := ratio n d ^ w in
  (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat -> (0 < base)%nat -> (forall length, (length < patience length)%nat) -> (0 <= error)%Z ->
  cells_enclose (digit_share Q base) low_lower low_upper -> cells_enclose (rest_share Q base) high_lower high_upper ->
  are_floors (digit_share Q base) digits low_floors -> length low_floors = (base - 1)%nat -> are_floors (rest_share Q base) digits high_floors ->
  places_enclose places (fun bucket o => laplace_decay n d (bucket * w + Z.to_nat o) / laplace_decay n d (bucket * w)) accept_lower accept_upper ->
  error = stated_error s polynomial_error off 1 -> IZR factor <= INR w / (IZR n / IZR d) / ln 2 * IZR M <= IZR factor + IZR off ->
  (forall words, same_law (Bind (settle words) (fun settled => Return (snd settled)))
    (laplace_settle digits width places step base low_lower low_upper high_lower high_upper patience accept_lower accept_upper words)) ->
  let trial := laplace_trial digits width places pad pad' base low_floors high_floors (fun _ => linear_start) error in
  laplace_law n d (fixed_sampler (laplace_words digits width places unused) trial settle)
  /\ total (fixed_step (laplace_words digits width places unused) trial settle) = 1
  /\ 1 - retry_share (fixed_step (laplace_words digits width places unused) trial settle) = (1 + ratio n d) / (1 - ratio n d) * (1 - Q) / (2 * INR w).
Proof.
  intros Q Hn Hd Hs Hb Hp HE HL HH FL LL FH HA He Hc Hset trial.
  destruct (fixed_laplace_exact n d digits width places unused step pad pad' base low_floors high_floors low_lower low_upper high_lower high_upper patience
    (fun _ => linear_start) error accept_lower accept_upper T settle) as (P1 & P2 & P3); auto.
  - intros bucket o. apply shifted_is_word.
  - intros bucket o Ho. apply (linear_start_is_near n d bucket o error); auto.
Qed.
End Computed.
