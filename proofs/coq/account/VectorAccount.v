(** The account of vectors: T noisy vectors, each chosen by what the earlier ones gave, subsampled, the others' coins drawn by any chances,
    against T lines side by side:

      δ(ε) <= κ·δ_lines(ε - 2·ln κ) and δ(ε) <= (1 - 1/κ) + δ_lines(ε)/κ, κ the product of the steps' κ(e)^touched·κ(e'),
      where η(r) <= e < 1 and η(ρ) <= e' < 1. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import CoinTree ListSums.
From Certus.privacy Require Import Theta GaussianMechanism.
From Certus.account Require Import Constants Curves Factors Steps GaussianSums Kernel Vectors NearLine.
Import ListNotations.
Open Scope R_scope.

Lemma integers_exhausting : exhausting integers_within.
Proof. split; [intros N; apply NoDup_integers_within|]. intros N z. rewrite !in_integers_within. lia. Qed.
Lemma line_is_law w h m : 0 < w -> 0 < h -> line_law integers_within (line w h m).
Proof.
  intros Hw Hh. assert (0 < w / h) by now apply Rdiv_lt_0_compat. split; [now apply gauss_law|now apply gauss_sums_to_1].
Qed.
Lemma along_over n s v : s <> 0 -> along n s (over n s v) v.
Proof. intros H. induction n as [|n IH]; simpl; auto. split; auto. field. auto. Qed.
Lemma along_zeros n u : along n 0 u (zeros n).
Proof. induction n as [|n IH]; simpl; auto. split; auto. ring. Qed.

(** What is asked of a line for noise of parameter σ: any w < σ, h > 0 and M > 0, and bounds e and e' of its two η. *)
Definition fits (sigma w h e e' : R) (M : Z) : Prop := 0 < w < sigma /\ 0 < h /\ (0 < M)%Z
  /\ eta (sqrt (sigma ^ 2 - w ^ 2)) <= e < 1 /\ eta (rho sigma w h) <= e' < 1.
Definition vector_kappa (e e' : R) (touched : nat) : R := kappa_of e ^ touched * kappa_of e'.
Lemma fits_unit sigma w h e e' M : fits sigma w h e e' M -> 0 <= e < 1 /\ 0 <= e' < 1.
Proof.
  intros (Hw & Hh & _ & He & He'). assert (R0 := r_positive sigma w ltac:(lra) ltac:(lra)).
  assert (R1 := rho_positive sigma w h ltac:(lra) ltac:(lra) ltac:(lra)).
  destruct (eta_bounds _ R0). destruct (eta_bounds _ R1). lra.
Qed.
Lemma vector_kappa_at_least_1 e e' touched : 0 <= e < 1 -> 0 <= e' < 1 -> 1 <= vector_kappa e e' touched.
Proof.
  intros He He'. assert (K := kappa_of_at_least_1 e He). assert (K' := kappa_of_at_least_1 e' He').
  assert (1 <= kappa_of e ^ touched) by now apply pow_R1_Rle. unfold vector_kappa. nra.
Qed.
Theorem ln_of_vector_kappa e e' touched : 0 <= e < 1 -> 0 <= e' < 1 ->
  ln (vector_kappa e e' touched) <= INR touched * (2 * e / (1 - e)) + 2 * e' / (1 - e').
Proof.
  intros He He'. assert (K := kappa_of_at_least_1 e He). assert (K' := kappa_of_at_least_1 e' He'). unfold vector_kappa.
  rewrite ln_mult by (try apply pow_lt; lra). rewrite ln_pow by lra. apply Rplus_le_compat; [|now apply ln_of_the_factor].
  apply Rmult_le_compat_l; [apply pos_INR|now apply ln_of_the_factor].
Qed.

(** One vector: answers that differ in at most so many coordinates, and are at most M·h apart. *)
Definition near_vector n sigma w h e e' M touched (a a' : Tuple Z n) (F : fits sigma w h e e' M)
  (Hd : square_norm n (minus n a a') <= (IZR M * h) ^ 2) (Ht : (differing n (minus n a a') <= touched)%nat) :
  Near integers_within (vector_kappa e e' touched) (line w h M) (line w h 0) (noisy_vector n sigma a) (noisy_vector n sigma a').
Proof.
  assert (U := fits_unit _ _ _ _ _ _ F). destruct F as (Hw & Hh & HM & He & He').
  set (v := minus n a a'). set (s := IZR M * h). assert (S0 : 0 < s) by (apply Rmult_lt_0_compat; [now apply (IZR_lt 0)|lra]).
  set (u := over n s v).
  assert (Hu : square n u <= 1).
  { unfold u. rewrite square_over by auto. apply Rmult_le_reg_r with (s ^ 2); [now apply pow_lt|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by (apply pow_nonzero; lra). fold v s in Hd. lra. }
  assert (Nz : nonzero n u = differing n v) by now apply nonzero_over.
  assert (K0 := vector_kappa_at_least_1 e e' (nonzero n u) (proj1 U) (proj2 U)). fold v in Ht.
  assert (L : forall m k, 0 <= line w h m k) by (intros m k; apply (line_is_law w h m); lra).
  apply (near_weaken integers_within (vector_kappa e e' (nonzero n u))); auto.
  { split; [lra|]. unfold vector_kappa. apply Rmult_le_compat_r; [generalize (kappa_of_at_least_1 e' (proj2 U)); lra|].
    apply Rle_pow; [now apply kappa_of_at_least_1|]. lia. }
  assert (B : forall m t x, along n (IZR m * h) u t ->
    is_lim_seq (fun N => list_sum (integers_within N) (mixed_term sigma w h n u m x)) (mixed sigma w h n u m x)
    /\ noisy_vector n sigma t x / vector_kappa e e' (nonzero n u) <= mixed sigma w h n u m x
        <= vector_kappa e e' (nonzero n u) * noisy_vector n sigma t x).
  { intros m t x Ha. apply (mixed_is_near sigma w h e e'); auto; lra. }
  assert (Flip : forall k x y, 1 <= k -> x / k <= y <= k * x -> y / k <= x <= k * y).
  { intros k x y Hk [H1 H2]. split.
    - apply Rmult_le_reg_r with k; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    - apply Rmult_le_compat_r with (r := k) in H1; [|lra]. unfold Rdiv in H1. rewrite Rmult_assoc, Rinv_l in H1 by lra. lra. }
  assert (A1 : along n (IZR M * h) u v) by (apply along_over; fold s; lra).
  assert (A0 : along n (IZR 0 * h) u (zeros n)) by (rewrite Rmult_0_l; apply along_zeros).
  apply (near integers_within (vector_kappa e e' (nonzero n u)) (line w h M) (line w h 0) (noisy_vector n sigma a) (noisy_vector n sigma a')
    (fun k x => kernel sigma w n (IZR k * h) u (minus n x a')) (fun x => mixed sigma w h n u M (minus n x a'))
    (fun x => mixed sigma w h n u 0 (minus n x a'))).
  - intros k. apply (renamed_law (Tuple Z n) (Tuple Z n) (fun x => plus n x a') (fun x => minus n x a') (kernel sigma w n (IZR k * h) u)).
    + intros x. apply minus_plus.
    + intros x. apply plus_minus.
    + apply kernel_law; auto; lra.
  - intros x. apply (B M v (minus n x a') A1).
  - intros x. apply (B 0%Z (zeros n) (minus n x a') A0).
  - intros x. apply Flip; auto. rewrite (noisy_vector_moved n sigma a a') by lra. apply (B M v (minus n x a') A1).
  - intros x. apply Flip; auto. rewrite (noisy_vector_moved n sigma a' a'), minus_self by lra. apply (B 0%Z (zeros n) (minus n x a') A0).
Defined.

Theorem vector_no_worse_than_line n sigma w h e e' M touched (a a' : Tuple Z n) epsilon d : fits sigma w h e e' M ->
  square_norm n (minus n a a') <= (IZR M * h) ^ 2 -> (differing n (minus n a a') <= touched)%nat ->
  let kappa := vector_kappa e e' touched in
  (curve_at_most (epsilon - 2 * ln kappa) d (line w h M) (line w h 0) ->
      curve_at_most epsilon (kappa * d) (noisy_vector n sigma a) (noisy_vector n sigma a'))
  /\ (curve_at_most epsilon d (line w h M) (line w h 0) ->
      curve_at_most epsilon (1 - 1 / kappa + d / kappa) (noisy_vector n sigma a) (noisy_vector n sigma a')).
Proof.
  intros F Hd Ht kappa. assert (U := fits_unit _ _ _ _ _ _ F). assert (K0 := vector_kappa_at_least_1 e e' touched (proj1 U) (proj2 U)).
  fold kappa in K0.
  assert (N := near_vector n sigma w h e e' M touched a a' F Hd Ht). fold kappa in N. destruct F as (Hw & Hh & _).
  assert (C : forall epsilon, curve_at_most epsilon d (line w h M) (line w h 0) -> curve_at_most epsilon d (near_P N) (near_Q N)).
  { intros eps. apply (post_processing_of_curves eps d _ _ integers_within (line w h M) (line w h 0) (near_kernel N)).
    - apply integers_exhausting.
    - intros k. apply (near_kernel_law N).
    - apply (near_P_processed N).
    - apply (near_Q_processed N). }
  split; intros H.
  - apply (factor_bounds_curve kappa epsilon d _ _ _ (near_P N) (near_Q N)); auto; [lra|apply (near_P_bounds N)|apply (near_Q_bounds N)].
  - apply (atom_bounds_curve kappa epsilon d _ (decide_tuples Z Z.eq_dec n) _ _ (near_P N) (near_Q N)); auto;
      [lra|apply noisy_vector_law; lra| |apply (near_P_bounds N)|apply (near_Q_bounds N)].
    apply (near_P_law integers_within (decide_tuples Z Z.eq_dec n) integers_exhausting). apply line_is_law; lra.
Qed.

(** In the terms of rounding by τ and refining by t: w² = σ² - τ² - t², and the two η are at most η(τ) and η(t·w/(s·h)), s² = σ² - τ². *)
Theorem rounding_and_refining sigma tau t h : 0 < tau -> 0 < t -> 0 < h -> tau ^ 2 + t ^ 2 < sigma ^ 2 -> 0 < sigma ->
  let w := sqrt (sigma ^ 2 - tau ^ 2 - t ^ 2) in
  0 < w < sigma /\ eta (sqrt (sigma ^ 2 - w ^ 2)) <= eta tau /\ eta (rho sigma w h) <= eta (t * w / (sqrt (sigma ^ 2 - tau ^ 2) * h)).
Proof.
  intros Ht H0 Hh H Hs w. assert (T2 : 0 < tau ^ 2) by now apply pow_lt. assert (t2 : 0 < t ^ 2) by now apply pow_lt.
  assert (W0 : 0 < w) by (apply sqrt_lt_R0; lra). assert (W2 : w ^ 2 = sigma ^ 2 - tau ^ 2 - t ^ 2) by (apply pow2_sqrt; lra).
  assert (W1 : w < sigma) by nra. split; [lra|].
  assert (R2 : sigma ^ 2 - w ^ 2 = tau ^ 2 + t ^ 2) by lra. unfold rho. rewrite R2.
  set (s := sqrt (sigma ^ 2 - tau ^ 2)). assert (s0 : 0 < s) by (apply sqrt_lt_R0; lra).
  assert (s2 : s ^ 2 = sigma ^ 2 - tau ^ 2) by (apply pow2_sqrt; lra).
  set (r := sqrt (tau ^ 2 + t ^ 2)). assert (r0 : 0 < r) by (apply sqrt_lt_R0; lra).
  assert (r2 : r ^ 2 = tau ^ 2 + t ^ 2) by (apply pow2_sqrt; lra).
  split; apply eta_falls; split; auto.
  - nra.
  - apply Rdiv_lt_0_compat; apply Rmult_lt_0_compat; auto.
  - assert (t * sigma <= r * s).
    { apply Rsqr_incr_0_var; [|apply Rmult_le_pos; lra]. unfold Rsqr.
      replace (r * s * (r * s)) with (r ^ 2 * s ^ 2) by ring. replace (t * sigma * (t * sigma)) with (t ^ 2 * sigma ^ 2) by ring.
      rewrite r2, s2. nra. }
    replace (t * w / (s * h)) with (w * (t * sigma) / (s * sigma * h)) by (field; lra).
    replace (w * r / (sigma * h)) with (w * (r * s) / (s * sigma * h)) by (field; lra).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; lra|]. apply Rmult_le_compat_l; lra.
Qed.

(** T steps. Each has its own noise, line, and chances x and y of the answer itself on the two sides (x, y = 1, 0 without subsampling;
    q, 0 and 0, q with). After the history, the others' coins are drawn, and decide the pair of answers. *)
Section Account.
Variables (n : nat) (I : Type) (sigma w h e e' x y : nat -> R) (M : nat -> Z) (touched : nat -> nat).
Notation history := (list (Tuple Z n)).
Variables (coins : history -> list I) (chance : history -> I -> R) (answer answer' : history -> I -> Tuple Z n).
Hypothesis lines_fit : forall t, fits (sigma t) (w t) (h t) (e t) (e' t) (M t).
Hypothesis chances : forall t, 0 <= x t <= 1 /\ 0 <= y t <= 1.
Hypothesis coins_nonneg : forall past i, In i (coins past) -> 0 <= chance past i.
Hypothesis coins_total : forall past, list_sum (coins past) (chance past) = 1.
Hypothesis answers_near : forall past i, square_norm n (minus n (answer past i) (answer' past i)) <= (IZR (M (length past)) * h (length past)) ^ 2
  /\ (differing n (minus n (answer past i) (answer' past i)) <= touched (length past))%nat.

Definition noisy_answers (share : nat -> R) (past : history) : Tuple Z n -> R :=
  mixture (coins past) (chance past) (fun i => mix (share (length past))
    (noisy_vector n (sigma (length past)) (answer past i)) (noisy_vector n (sigma (length past)) (answer' past i))).
Definition mixed_line (share : nat -> R) (t : nat) : Z -> R := mix (share t) (line (w t) (h t) (M t)) (line (w t) (h t) 0).
Definition kappas (t : nat) : R := vector_kappa (e t) (e' t) (touched t).

Lemma kappas_at_least_1 t : 1 <= kappas t.
Proof. destruct (fits_unit _ _ _ _ _ _ (lines_fit t)). now apply vector_kappa_at_least_1. Qed.
Lemma mixed_line_law share t : 0 <= share t <= 1 -> line_law integers_within (mixed_line share t).
Proof. intros H. destruct (lines_fit t) as (Hw & Hh & _). apply mix_line_law; auto; apply line_is_law; lra. Qed.
Lemma noisy_answers_law past : partial_law (noisy_answers x past).
Proof.
  destruct (lines_fit (length past)) as (Hw & _). destruct (chances (length past)) as [Hx _].
  unfold noisy_answers. apply mixture_partial_law; auto. intros i. apply mix_partial_law; auto; apply noisy_vector_law; lra.
Qed.
Definition answers_are_near past : Near integers_within (kappas (length past)) (mixed_line x (length past)) (mixed_line y (length past))
  (noisy_answers x past) (noisy_answers y past).
Proof.
  apply (near_by_coins integers_within (decide_tuples Z Z.eq_dec n)); auto. intros i. destruct (chances (length past)) as [Hx Hy].
  apply near_mixed; auto. destruct (answers_near past i) as [Hd Ht]. now apply near_vector.
Defined.

Theorem vectors_no_worse_than_lines epsilon d steps : let kappa := factors steps kappas 0 in
  curve_at_most (epsilon - 2 * ln kappa) d (side_by_side steps (mixed_line x) 0) (side_by_side steps (mixed_line y) 0) ->
  curve_at_most epsilon (kappa * d) (run steps (noisy_answers x) []) (run steps (noisy_answers y) []).
Proof.
  apply (near_lines_compose integers_within (decide_tuples Z Z.eq_dec n) integers_exhausting (mixed_line x) (mixed_line y) kappas).
  - intros t. generalize (kappas_at_least_1 t). lra.
  - intros t. apply mixed_line_law, chances.
  - intros t. apply noisy_answers_law.
  - apply answers_are_near.
Qed.
Theorem vectors_no_worse_than_lines_with_atoms epsilon d steps : let kappa := factors steps kappas 0 in
  curve_at_most epsilon d (side_by_side steps (mixed_line x) 0) (side_by_side steps (mixed_line y) 0) ->
  curve_at_most epsilon (1 - 1 / kappa + d / kappa) (run steps (noisy_answers x) []) (run steps (noisy_answers y) []).
Proof.
  apply (near_lines_compose_with_atoms integers_within (decide_tuples Z Z.eq_dec n) integers_exhausting (mixed_line x) (mixed_line y) kappas).
  - intros t. generalize (kappas_at_least_1 t). lra.
  - intros t. apply mixed_line_law, chances.
  - intros t. apply mixed_line_law, chances.
  - intros t. apply noisy_answers_law.
  - apply answers_are_near.
Qed.
End Account.
