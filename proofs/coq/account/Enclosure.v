(** The accountant's enclosure of δ(ε), with nothing assumed: E[(1 - e^(-u-Y))₊] solves f″ + f′ = β and falls on both sides when tilted by
    θ > 0, and so does it less 1 for -1 < θ < 0. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Require Import List.
From Certus.account Require Import Constants Curves NormalLaw Smoothing Aliases ComplexSums Spectral Peaks Poisson GaussianTransform Transforms Lines
  Pole.
Open Scope R_scope.

Section Falling.
Variable s : R.
Hypothesis s_positive : 0 < s.
Definition smoothed_slope (x : R) : R := exp (- x) * Phi (x / s - s / 2).
Lemma smoothed_slope_derive (x : R) : is_derive smoothed_slope x (beta s x - smoothed_slope x).
Proof.
  assert (D : is_derive (fun x => exp (- x)) x (- exp (- x))) by (auto_derive; auto; ring).
  refine (derive_is _ _ _ x (derive_times _ _ _ _ x D (shifted_derive s s_positive (- (s / 2)) x)) _).
  rewrite <- (beta_is s s_positive). unfold smoothed_slope, loss_density, Rminus. ring.
Qed.
Lemma smoothed_derive (x : R) : is_derive (smoothed s) x (smoothed_slope x).
Proof.
  refine (derive_is _ _ _ x (derive_minus _ _ _ _ x (shifted_derive s s_positive (s / 2) x) (smoothed_slope_derive x)) _). unfold beta. ring.
Qed.
Lemma slope_nonneg x : 0 <= smoothed_slope x.
Proof. apply Rmult_le_pos; [left; apply exp_pos|apply Phi_bounds]. Qed.
Lemma slope_on_the_right x : smoothed_slope x <= exp (- x).
Proof. unfold smoothed_slope. assert (E := exp_pos (- x)). assert (B := Phi_bounds (x / s - s / 2)). nra. Qed.
Lemma slope_on_the_left x : smoothed_slope x <= exp 1 * smoothed s (x + 1).
Proof.
  set (k := exp (- (1)) * smoothed_slope x). assert (G := smoothed_nonneg s s_positive x).
  assert (R : smoothed s x - k * x <= smoothed s (x + 1) - k * (x + 1)).
  { apply (rises (fun v => smoothed s v - k * v) (fun v => smoothed_slope v - k * 1)); [lra| |].
    - intros v _. apply (derive_minus (smoothed s) (fun v => k * v)); [apply smoothed_derive|]. auto_derive; auto.
    - intros v Hv. unfold k, smoothed_slope. rewrite Rmult_1_r, <- Rmult_assoc, <- exp_plus.
      assert (E1 : exp (- (1) + - x) <= exp (- v)) by (apply exp_le; lra). assert (E0 := exp_pos (- (1) + - x)).
      assert (I : 0 < / s) by now apply Rinv_0_lt_compat.
      assert (P1 : Phi (x / s - s / 2) <= Phi (v / s - s / 2)) by (apply Phi_monotone; unfold Rdiv; nra). assert (P0 := Phi_bounds (x / s - s / 2)).
      assert (exp (- (1) + - x) * Phi (x / s - s / 2) <= exp (- v) * Phi (v / s - s / 2)) by (apply Rmult_le_compat; lra). lra. }
  assert (K : k <= smoothed s (x + 1)) by lra. unfold k in K. apply Rmult_le_compat_l with (r := exp 1) in K; [|left; apply exp_pos].
  rewrite <- Rmult_assoc, exp_times_opposite, Rmult_1_l in K. exact K.
Qed.

(** The constants of Chernoff's bounds, which serve left of 0. *)
Definition left_constant (y : R) : R := chernoff_constant y * exp (s ^ 2 * (y * (y + 1)) / 2).
Lemma left_constant_positive y : 0 < left_constant y.
Proof. apply Rmult_lt_0_compat; [apply chernoff_constant_positive|apply exp_pos]. Qed.
Definition fall_constant (y : R) : R := 1 + left_constant y + exp 1 * (left_constant y * exp y).
Lemma fall_constant_parts y : 1 <= fall_constant y /\ left_constant y <= fall_constant y /\ exp 1 * (left_constant y * exp y) <= fall_constant y.
Proof.
  unfold fall_constant. assert (H := left_constant_positive y).
  assert (0 < exp 1 * (left_constant y * exp y)) by (apply Rmult_lt_0_compat; [apply exp_pos|apply Rmult_lt_0_compat; [auto|apply exp_pos]]). lra.
Qed.
Lemma slope_falls theta alpha y x : 0 < y -> 0 < alpha -> alpha <= theta + 1 -> alpha <= y - theta ->
  exp (- (theta * x)) * Rabs (smoothed_slope x) <= fall_constant y * exp (- (alpha * Rabs x)).
Proof.
  intros Hy Ha H1 H2. rewrite Rabs_pos_eq by apply slope_nonneg. destruct (fall_constant_parts y) as (F1 & F2 & F3).
  assert (E := exp_pos (- (theta * x))). assert (E' := exp_pos (- (alpha * Rabs x))). destruct (Rle_dec 0 x) as [Hx|Hx].
  - apply Rle_trans with (1 * exp (- (alpha * Rabs x))); [|apply Rmult_le_compat_r; lra]. rewrite Rmult_1_l.
    apply Rle_trans with (exp (- (theta * x)) * exp (- x)); [apply Rmult_le_compat_l; [lra|apply slope_on_the_right]|].
    rewrite <- exp_plus. apply exp_le. rewrite Rabs_pos_eq by auto. nra.
  - eapply Rle_trans; [apply Rmult_le_compat_l; [lra|apply slope_on_the_left]|].
    assert (S := smoothed_chernoff s s_positive y (x + 1) Hy). fold (left_constant y) in S.
    replace (y * (x + 1)) with (y + y * x) in S by ring. rewrite exp_plus in S.
    apply Rle_trans with (exp 1 * (left_constant y * exp y) * exp (- (alpha * Rabs x))); [|apply Rmult_le_compat_r; lra].
    apply Rle_trans with (exp 1 * (left_constant y * exp y) * (exp (- (theta * x)) * exp (y * x))).
    + replace (exp 1 * (left_constant y * exp y) * (exp (- (theta * x)) * exp (y * x)))
        with (exp (- (theta * x)) * (exp 1 * (left_constant y * (exp y * exp (y * x))))) by ring.
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [left; apply exp_pos|exact S].
    + apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat; [apply exp_pos|apply Rmult_lt_0_compat;
        [apply left_constant_positive|apply exp_pos]]|].
      rewrite <- exp_plus. apply exp_le. rewrite Rabs_left by lra. nra.
Qed.
Lemma smoothed_falls_on_both_sides theta alpha y x : 0 < y -> 0 < alpha -> alpha <= theta -> alpha <= y - theta ->
  exp (- (theta * x)) * Rabs (smoothed s x) <= fall_constant y * exp (- (alpha * Rabs x)).
Proof.
  intros Hy Ha H1 H2. rewrite Rabs_pos_eq by now apply smoothed_nonneg. destruct (fall_constant_parts y) as (F1 & F2 & F3).
  assert (E := exp_pos (- (theta * x))). assert (E' := exp_pos (- (alpha * Rabs x))). destruct (Rle_dec 0 x) as [Hx|Hx].
  - apply Rle_trans with (1 * exp (- (alpha * Rabs x))); [|apply Rmult_le_compat_r; lra]. rewrite Rmult_1_l.
    apply Rle_trans with (exp (- (theta * x)) * 1); [apply Rmult_le_compat_l; [lra|now apply smoothed_at_most_1]|].
    rewrite Rmult_1_r. apply exp_le. rewrite Rabs_pos_eq by auto. nra.
  - eapply Rle_trans; [apply Rmult_le_compat_l; [lra|apply (smoothed_chernoff s s_positive y x Hy)]|]. fold (left_constant y).
    apply Rle_trans with (left_constant y * exp (- (alpha * Rabs x))); [|apply Rmult_le_compat_r; lra].
    replace (exp (- (theta * x)) * (left_constant y * exp (y * x))) with (left_constant y * (exp (- (theta * x)) * exp (y * x))) by ring.
    apply Rmult_le_compat_l; [left; apply left_constant_positive|]. rewrite <- exp_plus. apply exp_le. rewrite Rabs_left by lra. nra.
Qed.
Lemma remainder_falls_on_both_sides theta alpha x : 0 < alpha -> alpha <= theta + 1 -> alpha <= - theta ->
  exp (- (theta * x)) * Rabs (smoothed s x - 1) <= 1 * exp (- (alpha * Rabs x)).
Proof.
  intros Ha H1 H2. assert (E := exp_pos (- (theta * x))). assert (U := smoothed_at_most_1 s x).
  rewrite Rabs_minus_sym, Rabs_pos_eq, Rmult_1_l by lra. assert (S := smoothed_at_least s s_positive x). destruct (Rle_dec 0 x) as [Hx|Hx].
  - assert (1 - smoothed s x <= exp (- x)) by (generalize (Rmax_r 0 (1 - exp (- x))); lra).
    apply Rle_trans with (exp (- (theta * x)) * exp (- x)); [apply Rmult_le_compat_l; lra|]. rewrite <- exp_plus. apply exp_le.
    rewrite Rabs_pos_eq by auto. nra.
  - assert (1 - smoothed s x <= 1) by (generalize (Rmax_l 0 (1 - exp (- x))); lra).
    apply Rle_trans with (exp (- (theta * x)) * 1); [apply Rmult_le_compat_l; lra|]. rewrite Rmult_1_r. apply exp_le. rewrite Rabs_left by lra. nra.
Qed.
End Falling.

Section Enclosure.
Variables (theta L kappa : R) (M : nat).
Hypotheses (L_positive : 0 < L) (kappa_positive : 0 < kappa).
Notation s := (smoothing_scale L kappa M).
Lemma s_positive : 0 < s. Proof. now apply scale_positive. Qed.

(** The transforms are those of the sums. *)
Lemma bell_factor_is t : bell_factor theta L kappa M t = (cosine_value s theta t, - sine_value s theta t).
Proof.
  unfold bell_factor, cexp, w_at, z_at, cosine_value, sine_value, height, nu, Re, Im, Cmult, Cplus, RtoC. cbn [fst snd].
  rewrite <- exp_plus. f_equal; [f_equal; f_equal; field|]. rewrite Ropp_involutive. f_equal; f_equal; field.
Qed.
Lemma opposite_values t : cosine_value s theta (- t) = cosine_value s theta t /\ sine_value s theta (- t) = - sine_value s theta t.
Proof.
  unfold cosine_value, sine_value. replace ((- t * s) ^ 2) with ((t * s) ^ 2) by ring.
  replace (- t * s * nu s theta) with (- (t * s * nu s theta)) by ring.
  rewrite cos_neg, sin_neg. split; ring.
Qed.
Lemma opposite_inverse t : w_re theta (- t) = w_re theta t /\ w_im theta (- t) = - w_im theta t.
Proof.
  unfold w_re, w_im, z_re, z_im, n_0, n_1. replace ((- t) ^ 2) with (t ^ 2) by ring. unfold Rdiv. split; ring.
Qed.
Lemma main_transform_is t : theta <> 0 -> theta <> -1 -> main_transform theta L kappa M t
  = (w_re theta t * cosine_value s theta t
    + w_im theta t * sine_value s theta t, - (w_re theta t * sine_value s theta t - w_im theta t * cosine_value s theta t)).
Proof.
  intros H0 H1. unfold main_transform. rewrite bell_factor_is.
  destruct (z_times theta t H0 H1) as [Z1 Z2]. destruct (w_times theta t H0 H1) as [W1 W2].
  set (a := w_re theta t) in *. set (b := w_im theta t) in *. set (p := z_re theta t) in *. set (p' := z_im theta t) in *.
  assert (E : (w_at theta t * (a, b))%C = 1%C).
  { unfold w_at, z_at, Cmult, Cplus, RtoC. cbn [fst snd]. f_equal.
    - replace ((theta * (theta + 1) - t * (t + 0)) * a - (theta * (t + 0) + t * (theta + 1)) * b)
        with ((theta * p - t * p' - 1) + theta * ((theta + 1) * a - t * b - p) - t * ((theta + 1) * b + t * a - p') + 1) by ring. rewrite Z1, W1, W2.
          ring.
    - replace ((theta * (theta + 1) - t * (t + 0)) * b + (theta * (t + 0) + t * (theta + 1)) * a)
        with ((theta * p' + t * p) + theta * ((theta + 1) * b + t * a - p') + t * ((theta + 1) * a - t * b - p)) by ring. rewrite Z2, W1, W2. ring. }
  assert (W0 : w_at theta t <> 0%C).
  { intros Z. rewrite Z, Cmult_0_l in E. apply (RtoC_inj 0 1) in E. lra. }
  replace ((cosine_value s theta t, (- sine_value s theta t)%R) / w_at theta t)%C
    with ((cosine_value s theta t, (- sine_value s theta t)%R) * (a, b))%C.
  - unfold Cmult. cbn [fst snd]. f_equal; ring.
  - assert (I : ((a, b) = / w_at theta t)%C)
      by (rewrite <- (Cmult_1_r (/ w_at theta t)%C), <- E, Cmult_assoc, Cinv_l, Cmult_1_l by auto; reflexivity).
    rewrite I. reflexivity.
Qed.
Lemma poisson_of_solution f f1 alpha A : theta <> 0 -> theta <> -1 -> 0 < alpha -> 0 <= A ->
  (forall x : R, is_derive f x (f1 x)) -> (forall x : R, is_derive f1 x (beta s x - f1 x)) ->
  (forall x, exp (- (theta * x)) * Rabs (f x) <= A * exp (- (alpha * Rabs x))) ->
  (forall x, exp (- (theta * x)) * Rabs (f1 x) <= A * exp (- (alpha * Rabs x))) -> poisson theta L f (main_transform theta L kappa M).
Proof.
  intros H0 H1 Ha HA D D1 F F1. eapply poisson_from; auto;
    [| |exact (poisson_for_solutions s theta L alpha A f f1 s_positive L_positive Ha HA H0 H1 D D1 F F1)].
  - intros m. now apply main_transform_is.
  - intros m. cbv beta. rewrite main_transform_is by auto. destruct (opposite_values (t_of L m)) as [-> ->].
    destruct (opposite_inverse (t_of L m)) as [-> ->]. f_equal; ring.
Qed.
Theorem poisson_of_smoothed_loss : 0 < theta -> poisson theta L (smoothed s) (main_transform theta L kappa M).
Proof.
  intros Ht. set (alpha := Rmin theta 1). assert (A0 : 0 < alpha) by (apply Rmin_glb_lt; lra).
  assert (A1 := Rmin_l theta 1). assert (A2 := Rmin_r theta 1). fold alpha in A1, A2. assert (S := s_positive).
  apply (poisson_of_solution _ (smoothed_slope s) alpha (fall_constant s (theta + 1))); auto; try lra.
  - destruct (fall_constant_parts s (theta + 1)). lra.
  - intros x. now apply smoothed_derive.
  - intros x. now apply smoothed_slope_derive.
  - intros x. apply smoothed_falls_on_both_sides; auto; lra.
  - intros x. apply slope_falls; auto; lra.
Qed.
Theorem poisson_past_the_pole : -1 < theta < 0 -> poisson theta L (fun u => smoothed s u - 1) (main_transform theta L kappa M).
Proof.
  intros Ht. set (alpha := Rmin (- theta) (theta + 1)). assert (A0 : 0 < alpha) by (apply Rmin_glb_lt; lra).
  assert (A1 := Rmin_l (- theta) (theta + 1)). assert (A2 := Rmin_r (- theta) (theta + 1)). fold alpha in A1, A2. assert (S := s_positive).
  destruct (fall_constant_parts s 1) as [F1 _].
  apply (poisson_of_solution _ (smoothed_slope s) alpha (fall_constant s 1)); auto; try lra.
  - intros x. refine (derive_is _ _ _ x (derive_minus (smoothed s) (fun _ => 1) _ _ x (smoothed_derive s S x) (is_derive_const (V := R_NormedModule)
      1 x)) _). unfold zero. simpl. ring.
  - intros x. now apply smoothed_slope_derive.
  - intros x. eapply Rle_trans; [apply (remainder_falls_on_both_sides s S theta alpha x); lra|]. apply Rmult_le_compat_r; [left; apply exp_pos|lra].
  - intros x. apply slope_falls; auto; lra.
Qed.
Theorem poisson_of_the_bump : poisson theta L (bump s) (bump_transform theta L kappa M).
Proof.
  assert (S := s_positive). eapply poisson_from; auto; [| |exact (poisson_for_the_bump s theta L S L_positive)].
  - intros m. unfold bump_transform. rewrite bell_factor_is. unfold Cmult, RtoC, bump_factor, factor. cbn [fst snd]. f_equal; ring.
  - intros m. cbv beta. unfold bump_transform. rewrite bell_factor_is. destruct (opposite_values (t_of L m)) as [-> ->].
    unfold Cmult, RtoC, bump_factor, factor. cbn [fst snd]. f_equal; ring.
Qed.

Theorem spectral_enclosure epsilon plan : Forall (fun part => Forall of_finite_loss (fst part)) plan ->
  let A := main_sum theta L kappa epsilon M plan in let B := smoothing_sum theta L kappa epsilon M plan in
  let missed_by_A := truncation_of_main theta L kappa epsilon M plan in let missed_by_B := truncation_of_smoothing theta L kappa epsilon M plan in
  (0 < theta -> forall tau, 0 < tau ->
     A - aliases theta L kappa epsilon M plan tau - B - missed_by_A - missed_by_B <= delta epsilon (composed plan) <= A + missed_by_A)
  /\ (-1 < theta < 0 -> forall sigma, - theta < sigma <= 1 ->
     P_star plan + A - B - missed_by_A - missed_by_B <= delta epsilon (composed plan)
     <= P_star plan + A + aliases_past_the_pole theta L epsilon plan sigma + missed_by_A).
Proof.
  intros H. apply enclosure_from_poisson; auto.
  - apply poisson_of_smoothed_loss.
  - apply poisson_past_the_pole.
  - apply poisson_of_the_bump.
Qed.
End Enclosure.
