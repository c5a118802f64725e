(** The law of fixed work with the words that ship: their products, coefficients and C, as [FixedWords.v] has
    them. Of A nothing is assumed. *)
Require Import Reals Lra Lia List ZArith Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Geometric Gaussian.
From Certus.privacy Require Import Transfer.
From Certus.fast Require Import Buckets FixedWork FixedTable FixedPlace FixedBuckets FixedGaussian FixedLaplace FixedAcceptance FixedComputed FixedWords.
Open Scope R_scope.

(** Gaussian buckets of 2^places places, from σ² = n/d; the floors, the enclosures of the exact path and E are as
    in [computed_gaussian_exact]. *)
Theorem shipped_gaussian_exact w factor n d digits places unused step pad floors lower upper patience last error accept_lower accept_upper bucket_total T
    (settle : Z * bool * unit * Z * Z -> Program (T * option Z)) : let width := word_bits w in let wide := (2 ^ places)%nat in
  (places <= width)%nat -> (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat -> (forall length, (length < patience length)%nat) -> (0 <= error)%Z ->
  factor_of w (d * 2 ^ (2 * Z.of_nat places)) (2 * n) = Some factor ->
  is_lim_seq (fun m => sum_below m (fun b => gaussian_decay n d (b * wide)%nat)) (Finite bucket_total) ->
  cells_enclose (fun b => sum_below (S b) (fun b => gaussian_decay n d (b * wide)%nat) / bucket_total) lower upper ->
  are_floors (fun b => sum_below (S b) (fun b => gaussian_decay n d (b * wide)%nat) / bucket_total) digits floors ->
  places_enclose places (fun bucket o => gaussian_decay n d (bucket * wide + Z.to_nat o) / gaussian_decay n d (bucket * wide)) accept_lower accept_upper ->
  (2 * Z.of_nat (length floors) - 1 <= last)%Z -> error = stated_error (slack_of w) (polynomial_error w) 1 last ->
  (forall words, same_law (Bind (settle words) (fun settled => Return (snd settled)))
    (gaussian_settle digits width places step lower upper patience accept_lower accept_upper words)) ->
  let trial := gaussian_trial digits width places pad floors (quadratic_start width places (product_of w) (polynomial_of w) factor) error in
  gaussian_law n d (fixed_sampler (gaussian_words digits width places unused) trial settle)
  /\ total (fixed_step (gaussian_words digits width places unused) trial settle) = 1
  /\ 1 - retry_share (fixed_step (gaussian_words digits width places unused) trial settle) = gaussian_normaliser n d / (2 * INR wide * bucket_total)
  /\ ambiguity (gaussian_words digits width places unused) trial
     <= (INR (length floors) + IZR (2 ^ Z.of_nat digits - 1 - List.last floors (-1)%Z)) / 2 ^ digits + IZR (2 * error) / 2 ^ width.
Proof.
  intros width wide Hw Hn Hd Hs Hp HE HC HS HB HF HA HL He Hset trial.
  assert (P4 : (0 < 2 ^ (2 * Z.of_nat places))%Z) by (apply Z.pow_pos_nonneg; lia).
  destruct (factor_is_near w (d * 2 ^ (2 * Z.of_nat places)) (2 * n) factor (Z.mul_pos_pos _ _ Hd P4) ltac:(lia) HC) as [F1 F2].
  apply (computed_gaussian_exact width places Hw (slack_of w) ltac:(destruct w; simpl; lia) (product_of w) (products_round_down w) (polynomial_of w) (polynomial_error w)
    (fun f Hf => proj1 (polynomials_are_near w f Hf)) (fun f Hf => proj2 (polynomials_are_near w f Hf)) factor 1 F1 n d digits unused step pad floors lower upper patience last)
    with (bucket_total := bucket_total) (accept_lower := accept_lower) (accept_upper := accept_upper); auto.
  replace (INR (2 ^ places) ^ 2 / (2 * (IZR n / IZR d)) / ln 2) with (IZR (d * 2 ^ (2 * Z.of_nat places)) / IZR (2 * n) / ln 2); [exact F2|].
  apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. assert (L := ln_2_positive).
  rewrite !mult_IZR, pow_INR. change (INR 2) with 2. rewrite <- pow_mult, Nat.mul_comm.
  replace (2 * Z.of_nat places)%Z with (Z.of_nat (2 * places)) by lia. rewrite <- pow_IZR. field. repeat split; lra.
Qed.

(** Laplace digits with 2^places places, of scale n/d. *)
Theorem shipped_laplace_exact w factor n d digits places unused step pad pad' base low_floors high_floors low_lower low_upper high_lower high_upper patience error
    accept_lower accept_upper T (settle : Z * bool * Z * Z * Z -> Program (T * option Z)) :
  let width := word_bits w in let wide := (2 ^ places)%nat in let Q := ratio n d ^ wide in
  (places <= width)%nat -> (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat -> (0 < base)%nat -> (forall length, (length < patience length)%nat) -> (0 <= error)%Z ->
  factor_of w (d * 2 ^ Z.of_nat places) n = Some factor ->
  cells_enclose (digit_share Q base) low_lower low_upper -> cells_enclose (rest_share Q base) high_lower high_upper ->
  are_floors (digit_share Q base) digits low_floors -> length low_floors = (base - 1)%nat -> are_floors (rest_share Q base) digits high_floors ->
  places_enclose places (fun bucket o => laplace_decay n d (bucket * wide + Z.to_nat o) / laplace_decay n d (bucket * wide)) accept_lower accept_upper ->
  error = stated_error (slack_of w) (polynomial_error w) 1 1 ->
  (forall words, same_law (Bind (settle words) (fun settled => Return (snd settled)))
    (laplace_settle digits width places step base low_lower low_upper high_lower high_upper patience accept_lower accept_upper words)) ->
  let trial := laplace_trial digits width places pad pad' base low_floors high_floors (fun _ => linear_start width places (product_of w) (polynomial_of w) factor) error in
  laplace_law n d (fixed_sampler (laplace_words digits width places unused) trial settle)
  /\ total (fixed_step (laplace_words digits width places unused) trial settle) = 1
  /\ 1 - retry_share (fixed_step (laplace_words digits width places unused) trial settle) = (1 + ratio n d) / (1 - ratio n d) * (1 - Q) / (2 * INR wide).
Proof.
  intros width wide Q Hw Hn Hd Hs Hb Hp HE HC HL HH FL LL FH HA He Hset trial.
  assert (P2 : (0 < 2 ^ Z.of_nat places)%Z) by (apply Z.pow_pos_nonneg; lia).
  destruct (factor_is_near w _ _ factor (Z.mul_pos_pos _ _ Hd P2) Hn HC) as [F1 F2].
  apply (computed_laplace_exact width places Hw (slack_of w) ltac:(destruct w; simpl; lia) (product_of w) (products_round_down w) (polynomial_of w) (polynomial_error w)
    (fun f Hf => proj1 (polynomials_are_near w f Hf)) (fun f Hf => proj2 (polynomials_are_near w f Hf)) factor 1 F1 n d digits unused step pad pad' base low_floors high_floors
    low_lower low_upper high_lower high_upper patience error accept_lower accept_upper); auto.
  replace (INR (2 ^ places) / (IZR n / IZR d) / ln 2) with (IZR (d * 2 ^ Z.of_nat places) / IZR n / ln 2); [exact F2|].
  apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. assert (L := ln_2_positive).
  rewrite mult_IZR, pow_INR. change (INR 2) with 2. rewrite <- pow_IZR. field. repeat split; lra.
Qed.
