(** A vector of discrete Gaussians is no worse than one on a line: D(σ, v), every coordinate of an integer vector v plus a discrete Gaussian of
    parameter σ, against D(σ, 0), is within κ, in every probability, of a post-processing of the scalar discrete Gaussian of parameter w/h
    shifted by M, for every w < σ and h > 0, and every v with |v| <= M·h. With r² = σ² - w²,

      κ = κ(η(r))^(number of coordinates in which v is not 0)·κ(η(ρ)), ρ = w·r/(σ·h), κ(e) = (1 + e)/(1 - e). *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import CoinTree ListSums.
From Certus.privacy Require Import Theta GaussianMechanism.
From Certus.account Require Import Constants Curves Factors Steps GaussianSums Kernel.
Import ListNotations.
Open Scope R_scope.

(** D(σ, v), with σ first. *)
Fixpoint noisy_vector (n : nat) (sigma : R) : Tuple Z n -> Tuple Z n -> R :=
  match n with O => fun _ _ => 1 | S n => fun v x => gauss sigma (IZR (fst v)) (fst x) * noisy_vector n sigma (snd v) (snd x) end.
Fixpoint minus (n : nat) : Tuple Z n -> Tuple Z n -> Tuple Z n :=
  match n with O => fun _ _ => tt | S n => fun x y => ((fst x - fst y)%Z, minus n (snd x) (snd y)) end.
Fixpoint plus (n : nat) : Tuple Z n -> Tuple Z n -> Tuple Z n :=
  match n with O => fun _ _ => tt | S n => fun x y => ((fst x + fst y)%Z, plus n (snd x) (snd y)) end.
Fixpoint square_norm (n : nat) : Tuple Z n -> R := match n with O => fun _ => 0 | S n => fun v => IZR (fst v) ^ 2 + square_norm n (snd v) end.
(** The coordinates in which two answers differ. *)
Fixpoint differing (n : nat) : Tuple Z n -> nat :=
  match n with O => fun _ => O | S n => fun v => ((if Z.eq_dec (fst v) 0 then 0 else 1) + differing n (snd v))%nat end.
Fixpoint over (n : nat) (s : R) : Tuple Z n -> Tuple R n :=
  match n with O => fun _ => tt | S n => fun v => (IZR (fst v) / s, over n s (snd v)) end.
Fixpoint zeros (n : nat) : Tuple Z n := match n with O => tt | S n => (0%Z, zeros n) end.

Theorem noisy_vector_law n sigma v : 0 < sigma -> law (noisy_vector n sigma v).
Proof.
  intros H. induction n as [|n IH]; [apply unit_law|].
  apply (joint_law Z (Tuple Z n) Z.eq_dec (decide_tuples Z Z.eq_dec n) (gauss sigma (IZR (fst v))) (fun _ => noisy_vector n sigma (snd v))); auto.
  now apply gauss_law.
Qed.
Lemma minus_plus n x y : minus n (plus n x y) y = x.
Proof. induction n as [|n IH]; simpl; [now destruct x|]. destruct x as [a x]. simpl. rewrite IH. f_equal. lia. Qed.
Lemma plus_minus n x y : plus n (minus n x y) y = x.
Proof. induction n as [|n IH]; simpl; [now destruct x|]. destruct x as [a x]. simpl. rewrite IH. f_equal. lia. Qed.
Lemma minus_self n x : minus n x x = zeros n.
Proof. induction n as [|n IH]; simpl; [reflexivity|]. rewrite IH. f_equal. lia. Qed.
Lemma noisy_vector_moved n sigma v y x : 0 < sigma -> noisy_vector n sigma v x = noisy_vector n sigma (minus n v y) (minus n x y).
Proof.
  intros H. induction n as [|n IH]; simpl; [reflexivity|]. rewrite <- IH. f_equal. rewrite <- gauss_moved by auto. f_equal. rewrite minus_IZR. ring.
Qed.
(** A vector of integers of square norm Δ² has at most Δ² coordinates that are not 0. *)
Theorem differing_at_most n v : INR (differing n v) <= square_norm n v /\ (differing n v <= n)%nat.
Proof.
  induction n as [|n IH]; simpl; [split; [lra|lia]|]. destruct (IH (snd v)) as [I J]. destruct (Z.eq_dec (fst v) 0) as [E|N]; cbn [Nat.add].
  - rewrite E. split; [lra|lia].
  - split; [|lia]. rewrite S_INR. assert (1 <= IZR (fst v) * IZR (fst v)) by (rewrite <- mult_IZR; apply IZR_le; nia). lra.
Qed.
Lemma square_over n s v : 0 < s -> square n (over n s v) = square_norm n v / s ^ 2.
Proof. intros H. induction n as [|n IH]; cbn [square over square_norm fst snd]; [unfold Rdiv; ring|]. rewrite IH. field. lra. Qed.
Lemma nonzero_over n s v : 0 < s -> nonzero n (over n s v) = differing n v.
Proof.
  intros H. induction n as [|n IH]; cbn [nonzero over differing fst snd]; [reflexivity|]. rewrite IH. f_equal.
  assert (I : 0 < / s) by now apply Rinv_0_lt_compat.
  destruct (Req_EM_T (IZR (fst v) / s) 0) as [E|E], (Z.eq_dec (fst v) 0) as [F|F]; auto.
  - exfalso. apply F. apply eq_IZR. unfold Rdiv in E. apply Rmult_integral in E. destruct E; lra.
  - exfalso. apply E. rewrite F. unfold Rdiv. ring.
Qed.

(** One side: v = (m·h)·u, m an integer, |u| <= 1. *)
Section OneSide.
Variables (sigma w h e e' : R).
Hypotheses (w_positive : 0 < w) (w_below : w < sigma) (h_positive : 0 < h).
Notation r := (sqrt (sigma ^ 2 - w ^ 2)).
Definition rho : R := w * r / (sigma * h).
Hypotheses (e_bounds : eta r <= e < 1) (e'_bounds : eta rho <= e' < 1).

Variables (n : nat) (u : Tuple R n).
Hypothesis u_short : square n u <= 1.
Definition line (m k : Z) : R := gauss (w / h) (IZR m) k.
Definition mixed_term (m : Z) (x : Tuple Z n) (k : Z) : R := line m k * kernel sigma w n (IZR k * h) u x.
Definition mixed (m : Z) (x : Tuple Z n) : R := real (Lim_seq (fun N => list_sum (integers_within N) (mixed_term m x))).
Definition kappa : R := kappa_of e ^ nonzero n u * kappa_of e'.


(** v = s·u. *)
Fixpoint along (n : nat) (s : R) : Tuple R n -> Tuple Z n -> Prop :=
  match n with O => fun _ _ => True | S n => fun u v => IZR (fst v) = s * fst u /\ along n s (snd u) (snd v) end.
Lemma off_moved k s q (a : Tuple R k) v x : along k s a v -> off k q a x = off k (q - s) a (minus k x v).
Proof.
  induction k as [|k IH]; cbn [along off minus fst snd]; [reflexivity|]. intros [E H]. rewrite <- (IH (snd a) (snd v) (snd x) H).
  rewrite minus_IZR, E. ring.
Qed.
Lemma slant_moved k s q (a : Tuple R k) v x : along k s a v -> slant k q a x = slant k (q - s) a (minus k x v).
Proof.
  induction k as [|k IH]; cbn [along slant minus fst snd]; [reflexivity|]. intros [E H]. rewrite <- (IH (snd a) (snd v) (snd x) H).
  rewrite minus_IZR, E. ring.
Qed.
Lemma noisy_vector_is k (a : Tuple R k) v x : 0 < sigma ->
  noisy_vector k sigma v x = exp (- (off k 0 a (minus k x v) / (2 * sigma ^ 2))) / theta (precision sigma) 0 ^ k.
Proof.
  intros S0. assert (Z0 := theta_positive (precision sigma) 0 (precision_positive sigma S0)).
  induction k as [|k IH].
  - cbn [noisy_vector off]. replace (- (0 / (2 * sigma ^ 2))) with 0 by (unfold Rdiv; ring). rewrite exp_0. simpl. field.
  - destruct a as [a0 a], v as [v0 v], x as [x0 x]. cbn [noisy_vector off minus fst snd].
    rewrite <- (tech_pow_Rmult (theta (precision sigma) 0) k), (IH a). assert (0 < theta (precision sigma) 0 ^ k) by now apply pow_lt.
    replace (((IZR (x0 - v0) - 0 * a0) ^ 2 + off k 0 a (minus k x v)) / (2 * sigma ^ 2))
      with (precision sigma * (IZR x0 - IZR v0) ^ 2 + off k 0 a (minus k x v) / (2 * sigma ^ 2))
      by (rewrite minus_IZR; unfold precision; field; lra).
    rewrite Ropp_plus_distr, exp_plus. unfold gauss, bell. replace (theta (precision sigma) (IZR v0)) with (theta (precision sigma) 0); [field; lra|].
    rewrite <- (theta_shift (precision sigma) 0 v0) by now apply precision_positive. f_equal. ring.
Qed.

Variables (m : Z) (v : Tuple Z n).
Hypothesis v_along : along n (IZR m * h) u v.
Notation D := (noisy_vector n sigma v).
Notation left_over := (rest sigma w n u).
Definition rho_u : R := w * sqrt left_over / (sigma * h).
Definition middle (x : Tuple Z n) : R := IZR m + w ^ 2 / sigma ^ 2 * slant n 0 u (minus n x v) / h.
Definition height (x : Tuple Z n) : R := D x * (sigma / sqrt left_over) / theta (precision (w / h)) (IZR m).
Definition nearness (x : Tuple Z n) (k : Z) : R :=
  theta (precision sigma) 0 ^ n / sums sigma w n (IZR k * h) u x * (sqrt left_over / sigma).

Lemma r_positive : 0 < r.
Proof. apply sqrt_lt_R0. nra. Qed.
Lemma rho_positive : 0 < rho.
Proof. unfold rho. assert (R0 := r_positive). apply Rdiv_lt_0_compat; apply Rmult_lt_0_compat; lra. Qed.
Lemma rho_bounds : rho <= rho_u <= w / h.
Proof.
  destruct (rest_bounds sigma w w_positive w_below n u u_short) as ([L U] & P & Q).
  assert (S1 : r <= sqrt left_over) by (apply sqrt_le_1_alt; lra).
  assert (S2 : sqrt left_over <= sigma) by (apply Rle_trans with (sqrt (sigma ^ 2)); [apply sqrt_le_1_alt; lra|rewrite sqrt_pow2; lra]).
  assert (I : 0 < / (sigma * h)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra). unfold rho, rho_u. split.
  - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
  - replace (w / h) with (w * sigma / (sigma * h)) by (field; lra). apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
Qed.
Lemma noisy_positive x : 0 < D x.
Proof.
  rewrite (noisy_vector_is n u) by lra. apply Rdiv_lt_0_compat; [apply exp_pos|]. apply pow_lt, theta_positive, precision_positive. lra.
Qed.
Lemma height_positive x : 0 < height x.
Proof.
  destruct (rest_bounds sigma w w_positive w_below n u u_short) as (_ & P & _). unfold height.
  assert (0 < sqrt left_over) by now apply sqrt_lt_R0. apply Rdiv_lt_0_compat.
  - apply Rmult_lt_0_compat; [apply noisy_positive|]. apply Rdiv_lt_0_compat; lra.
  - apply theta_positive, precision_positive. apply Rdiv_lt_0_compat; lra.
Qed.
Lemma mixed_term_is x k : mixed_term m x k = height x * nearness x k * bell (precision rho_u) (middle x) k.
Proof.
  destruct (rest_bounds sigma w w_positive w_below n u u_short) as (_ & P & _).
  assert (R0 : 0 < sqrt left_over) by now apply sqrt_lt_R0. assert (R2 : sqrt left_over ^ 2 = left_over) by (apply pow2_sqrt; lra).
  assert (N := sums_positive sigma w w_positive w_below n (IZR k * h) u x u_short).
  assert (T := theta_positive (precision (w / h)) (IZR m) (precision_positive (w / h) ltac:(apply Rdiv_lt_0_compat; lra))).
  assert (Z0 : 0 < theta (precision sigma) 0 ^ n) by (apply pow_lt, theta_positive, precision_positive; lra).
  unfold mixed_term, line, gauss. rewrite kernel_is by auto. unfold height, nearness. rewrite (noisy_vector_is n u) by lra.
  set (q := (IZR k - IZR m) * h).
  assert (F : form sigma w n (IZR k * h) u x = form sigma w n q u (minus n x v)).
  { unfold form. rewrite (off_moved n (IZR m * h) (IZR k * h) u v x), (slant_moved n (IZR m * h) (IZR k * h) u v x) by auto.
    replace (IZR k * h - IZR m * h) with q by (unfold q; ring). reflexivity. }
  rewrite F. assert (E := exponents_on_the_line sigma w w_positive w_below n q u (minus n x v) u_short).
  assert (X : bell (precision (w / h)) (IZR m) k * exp (- (form sigma w n q u (minus n x v) / (2 * sigma ^ 2)))
    = exp (- (off n 0 u (minus n x v) / (2 * sigma ^ 2))) * bell (precision rho_u) (middle x) k).
  { unfold bell. rewrite <- !exp_plus. f_equal.
    replace (precision (w / h) * (IZR k - IZR m) ^ 2) with (q ^ 2 / (2 * w ^ 2)) by (unfold precision, q; field; lra).
    replace (precision rho_u * (IZR k - middle x) ^ 2)
      with ((q - w ^ 2 / sigma ^ 2 * slant n 0 u (minus n x v)) ^ 2 / (2 * (w ^ 2 * left_over / sigma ^ 2))); [lra|].
    unfold precision, rho_u, middle, q. set (g := sqrt left_over) in *. rewrite <- R2. field. repeat split; lra. }
  transitivity (bell (precision (w / h)) (IZR m) k * exp (- (form sigma w n q u (minus n x v) / (2 * sigma ^ 2)))
    / (theta (precision (w / h)) (IZR m) * sums sigma w n (IZR k * h) u x)); [field; lra|].
  rewrite X. field. repeat split; lra.
Qed.
Lemma near_bounds x k : 1 / kappa_of e ^ nonzero n u <= nearness x k <= kappa_of e ^ nonzero n u.
Proof. now apply sums_are_near. Qed.
Lemma e_nonneg : 0 <= e /\ 0 <= e'.
Proof. destruct (eta_bounds r r_positive). destruct (eta_bounds rho rho_positive). lra. Qed.
Lemma kappa_at_least_1 : 1 <= kappa.
Proof.
  destruct e_nonneg. assert (K := kappa_of_at_least_1 e ltac:(lra)). assert (K' := kappa_of_at_least_1 e' ltac:(lra)).
  assert (1 <= kappa_of e ^ nonzero n u) by now apply pow_R1_Rle. unfold kappa. nra.
Qed.
Lemma whole_height x : D x / kappa_of e' <= height x * theta (precision rho_u) (middle x) <= D x * kappa_of e'.
Proof.
  destruct (rest_bounds sigma w w_positive w_below n u u_short) as (_ & P & _). assert (R0 : 0 < sqrt left_over) by now apply sqrt_lt_R0.
  assert (D0 := noisy_positive x). assert (B := rho_bounds). assert (B0 := rho_positive).
  assert (H0 : 0 < w / h) by (apply Rdiv_lt_0_compat; lra).
  destruct (sums_within_the_factor e' rho_u (middle x) (w / h) (IZR m) ltac:(lra) H0) as [L U].
  { apply Rle_trans with (2 := proj1 e'_bounds). apply eta_falls. lra. }
  { apply Rle_trans with (2 := proj1 e'_bounds). apply eta_falls. lra. }
  { lra. }
  assert (T := theta_positive (precision (w / h)) (IZR m) (precision_positive (w / h) H0)).
  replace (height x * theta (precision rho_u) (middle x))
    with (D x * (theta (precision rho_u) (middle x) / theta (precision (w / h)) (IZR m) * (w / h / rho_u))).
  - replace (D x / kappa_of e') with (D x * (1 / kappa_of e')) by (unfold Rdiv; ring). split; apply Rmult_le_compat_l; lra.
  - unfold height, rho_u. field. repeat split; lra.
Qed.
Theorem mixed_is_near x : is_lim_seq (fun N => list_sum (integers_within N) (mixed_term m x)) (mixed m x)
  /\ D x / kappa <= mixed m x <= kappa * D x.
Proof.
  assert (B := rho_bounds). assert (B0 := rho_positive). destruct e_nonneg as [E0 E1].
  assert (K1 := kappa_of_at_least_1 e ltac:(lra)). assert (K2 := kappa_of_at_least_1 e' ltac:(lra)).
  set (k1 := kappa_of e ^ nonzero n u). assert (K : 1 <= k1) by now apply pow_R1_Rle.
  destruct (theta_all (precision rho_u) (middle x) (precision_positive rho_u ltac:(lra))) as (L & U & _).
  assert (H0 := height_positive x). destruct (whole_height x) as [W1 W2].
  assert (Up : forall N, list_sum (integers_within N) (mixed_term m x) <= kappa * D x).
  { intros N. apply Rle_trans with (k1 * (height x * partial (precision rho_u) (middle x) N)).
    - unfold partial. rewrite <- !list_sum_scal. apply list_sum_le. intros k _. rewrite mixed_term_is.
      destruct (near_bounds x k) as [_ N2]. fold k1 in N2. assert (P := bell_positive (precision rho_u) (middle x) k).
      assert (0 < height x * bell (precision rho_u) (middle x) k) by now apply Rmult_lt_0_compat. nra.
    - unfold kappa. fold k1. specialize (U N).
      assert (height x * partial (precision rho_u) (middle x) N <= height x * theta (precision rho_u) (middle x)) by (apply Rmult_le_compat_l; lra).
      replace (k1 * kappa_of e' * D x) with (k1 * (D x * kappa_of e')) by ring. apply Rmult_le_compat_l; lra. }
  assert (Rise : forall N, list_sum (integers_within N) (mixed_term m x) <= list_sum (integers_within (S N)) (mixed_term m x)).
  { intros N. apply list_sum_incl; [|apply NoDup_integers_within|intros z; rewrite !in_integers_within; lia].
    intros k. unfold mixed_term, line. left. apply Rmult_lt_0_compat; [apply gauss_positive, Rdiv_lt_0_compat; lra|].
    rewrite kernel_is by auto. apply Rdiv_lt_0_compat; [apply exp_pos|now apply sums_positive]. }
  destruct (rising_limit (fun N => list_sum (integers_within N) (mixed_term m x)) Rise Up) as (Lim & _ & Below). fold (mixed m x) in Lim, Below.
  split; [exact Lim|split; [|exact Below]].
  apply Rle_trans with (/ k1 * (height x * theta (precision rho_u) (middle x))).
  - unfold kappa. fold k1. replace (D x / (k1 * kappa_of e')) with (/ k1 * (D x / kappa_of e')) by (field; lra).
    apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|exact W1].
  - apply (is_lim_seq_le (fun N => / k1 * (height x * partial (precision rho_u) (middle x) N))
      (fun N => list_sum (integers_within N) (mixed_term m x)) (/ k1 * (height x * theta (precision rho_u) (middle x))) (mixed m x)); auto.
    + intros N. unfold partial. rewrite <- !list_sum_scal. apply list_sum_le. intros k _. rewrite mixed_term_is.
      destruct (near_bounds x k) as [N1 _]. fold k1 in N1. assert (P := bell_positive (precision rho_u) (middle x) k).
      assert (0 < height x * bell (precision rho_u) (middle x) k) by now apply Rmult_lt_0_compat. unfold Rdiv in N1. nra.
    + apply is_lim_seq_mult'; [apply is_lim_seq_const|]. apply is_lim_seq_mult'; [apply is_lim_seq_const|exact L].
Qed.
End OneSide.
