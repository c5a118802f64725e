(** Poisson's summation on every line that the accountant sums over: for the bump, and for E[(1 - e^(-u-Y))₊] right of the pole at 0 and, less 1,
      left of it. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Certus.samplers Require Import FiniteSums.
From Certus.account Require Import Constants NormalLaw Smoothing Aliases ComplexSums Spectral Peaks Poisson GaussianTransform Transforms.
Open Scope R_scope.

Lemma exp_minus_1_unit : 0 <= exp (- (1)) < 1.
Proof. split; [left; apply exp_pos|]. apply Rlt_le_trans with (exp 0); [apply exp_increasing; lra|rewrite exp_0; lra]. Qed.
Lemma frequency_is L m : 0 < L -> frequency L (INR m) = t_of L m /\ frequency L (- INR m) = - t_of L m.
Proof. intros H. unfold frequency, t_of. split; field; lra. Qed.

(** From real sums to the complex ones. *)
Lemma poisson_from theta L f tr (Cc Cs : nat -> R) : 0 < L ->
  (forall m, tr (t_of L m) = (Cc m, - Cs m)) -> (forall m, tr (- t_of L m) = (Cc m, Cs m)) ->
  (forall u, exists total : R, is_lim_seq (fun N => waves L Cc Cs N u) total
    /\ is_lim_seq (fun N => shifts L (fun x => exp (- (theta * x)) * f x) N u) total) ->
  poisson theta L f tr.
Proof.
  intros HL T T' H u. destruct (H u) as (total & H1 & H2). exists (exp (theta * u) * total). split.
  - eapply is_lim_seq_ext; [|apply is_lim_seq_mult'; [apply (is_lim_seq_const (exp (theta * u)))|exact H1]].
    intros N. simpl. unfold waves, two_sided. rewrite <- Rmult_assoc, (Rmult_comm (exp _)), Rmult_assoc. f_equal.
    rewrite Rmult_plus_distr_l, <- sum_below_scal. f_equal.
    + assert (F := proj1 (frequency_is L 0 HL)). simpl INR in F. rewrite F, (T 0%nat). unfold t_of, cexp, z_at, Re, Im, Cmult, RtoC. simpl.
      replace (2 * 0 * (PI / L)) with 0 by ring. rewrite !Rmult_0_r, Rmult_0_l, Rplus_0_r, cos_0, sin_0. ring_simplify (theta * u - 0). ring.
    + apply sum_below_ext. intros i _. destruct (frequency_is L (S i) HL) as [-> ->]. rewrite T, T'.
      unfold one_wave, cexp, z_at, Re, Im, Cmult, RtoC. cbn [fst snd]. set (t := t_of L (S i)).
      replace (2 * INR (S i) * (PI / L * u)) with (t * u) by (unfold t, t_of; ring).
      replace (theta * u - t * 0) with (theta * u) by ring. replace (theta * u - - t * 0) with (theta * u) by ring.
      replace (theta * 0 + t * u) with (t * u) by ring. replace (theta * 0 + - t * u) with (- (t * u)) by ring. rewrite cos_neg, sin_neg. ring.
  - eapply is_lim_seq_ext; [|apply is_lim_seq_mult'; [apply (is_lim_seq_const (exp (theta * u)))|exact H2]].
    intros N. simpl. unfold shifts. rewrite <- two_sided_scal. apply two_sided_ext. intros j.
    rewrite <- Rmult_assoc, <- exp_plus. do 2 f_equal. ring.
Qed.

(** What falls exponentially is gone far out. *)
Lemma far_out (g : R -> R) G alpha L v : 0 < alpha -> 0 < L -> 0 <= G -> (forall x, Rabs (g x) <= G * exp (- (alpha * Rabs x))) ->
  is_lim_seq (fun N => g (v + INR N * L)) 0 /\ is_lim_seq (fun N => g (v - INR N * L)) 0.
Proof.
  intros Ha HL HG H. set (q := exp (- (alpha * L))). assert (Q : 0 <= q < 1).
  { unfold q. split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. assert (0 < alpha * L) by now apply Rmult_lt_0_compat. lra. }
  set (k := G * exp (alpha * Rabs v)).
  assert (Lim : is_lim_seq (fun N => k * q ^ N) 0).
  { replace (Finite 0) with (Finite (k * 0)) by (f_equal; ring). apply is_lim_seq_mult'; [apply is_lim_seq_const|]. apply is_lim_seq_geom.
    rewrite Rabs_pos_eq; lra. }
  assert (B : forall y N, Rabs y = INR N * L -> Rabs (g (v + y)) <= k * q ^ N).
  { intros y N Hy. eapply Rle_trans; [apply H|]. unfold k, q. rewrite <- exp_natural, Rmult_assoc, <- exp_plus. apply Rmult_le_compat_l; auto.
    apply exp_le.
    assert (T := Rabs_triang (v + y) (- v)). replace (v + y + - v) with y in T by ring. rewrite Rabs_Ropp in T. nra. }
  assert (E : forall N, Rabs (INR N * L) = INR N * L) by (intros N; apply Rabs_pos_eq, Rmult_le_pos; [apply pos_INR|lra]).
  split; apply is_lim_seq_abs_0; apply (is_lim_seq_le_le (fun _ => 0) _ (fun N => k * q ^ N) 0); try apply is_lim_seq_const; try exact Lim;
    intros N; (split; [apply Rabs_pos|]).
  - apply B. apply E.
  - unfold Rminus. apply B. rewrite Rabs_Ropp. apply E.
Qed.

Section Lines.
Variables (s theta L : R).
Hypotheses (s_positive : 0 < s) (L_positive : 0 < L).
Notation bc := (cosine_value s theta).
Notation bs := (sine_value s theta).

(** The bump. *)
Definition factor : R := s ^ 2 * exp (s ^ 2 / 8).
Lemma bump_is x : bump s x = factor * beta s x.
Proof.
  unfold bump, factor, beta, phi. assert (R := root_positive).
  replace (s ^ 2 * exp (s ^ 2 / 8) * (exp (- ((x / s + s / 2) ^ 2 / 2)) / sqrt (2 * PI) / s))
    with (s / sqrt (2 * PI) * (exp (s ^ 2 / 8) * exp (- ((x / s + s / 2) ^ 2 / 2)))) by (field; lra).
  rewrite <- exp_plus. do 2 f_equal. field. lra.
Qed.
Lemma phi_falls y : phi y * (1 + Rabs y) <= exp ((1 + s) ^ 2 / 2) * exp (- (s * Rabs y)).
Proof.
  assert (R := root_positive). assert (P := PI2_3_2). unfold PI2 in P. assert (Y := Rabs_pos y).
  assert (S : 1 <= sqrt (2 * PI)) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
  assert (E := exp_pos (- (y ^ 2 / 2))).
  assert (F : phi y <= exp (- (y ^ 2 / 2))).
  { unfold phi. apply Rmult_le_reg_r with (sqrt (2 * PI)); auto. unfold Rdiv. rewrite (Rmult_assoc _ (/ sqrt _)), Rinv_l by lra. nra. }
  apply Rle_trans with (exp (- (y ^ 2 / 2)) * exp (Rabs y)).
  - assert (0 < phi y) by apply phi_positive. generalize (exp_ineq1_le (Rabs y)). intros. apply Rmult_le_compat; lra.
  - rewrite <- !exp_plus. apply exp_le. assert (Y2 : Rabs y * Rabs y = y ^ 2) by (rewrite <- Rabs_mult, Rabs_pos_eq; [ring|nra]).
    assert (0 <= (Rabs y - (1 + s)) ^ 2) by apply pow2_ge_0. nra.
Qed.
Definition bump_constant : R := exp ((1 + s) ^ 2 / 2) * exp (s * Rabs (nu s theta)).
Lemma bump_falls x : phi (x / s + nu s theta) * (1 + Rabs (x / s + nu s theta)) <= bump_constant * exp (- (1 * Rabs x)).
Proof.
  eapply Rle_trans; [apply phi_falls|]. unfold bump_constant. rewrite <- !exp_plus.
  apply exp_le. assert (T := Rabs_triang (x / s + nu s theta) (- nu s theta)). replace (x / s + nu s theta + - nu s theta) with (x / s) in T by ring.
  rewrite Rabs_Ropp in T. unfold Rdiv in T at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ s)) in T by (left; now apply Rinv_0_lt_compat).
  apply Rmult_le_compat_l with (r := s) in T; [|lra]. replace (s * (Rabs x * / s)) with (Rabs x) in T by (field; lra). lra.
Qed.
Theorem poisson_for_the_bump u : exists total : R,
  is_lim_seq (fun N => waves L (fun m => factor * bc (t_of L m)) (fun m => factor * bs (t_of L m)) N u) total
  /\ is_lim_seq (fun N => shifts L (fun x => exp (- (theta * x)) * bump s x) N u) total.
Proof.
  assert (F0 : 0 < factor) by (apply Rmult_lt_0_compat; [now apply pow_lt|apply exp_pos]).
  assert (H0 := height_positive s theta). set (k := factor * height s theta). assert (K0 : 0 < k) by (apply Rmult_lt_0_compat; auto).
  assert (I0 : 0 < / s) by now apply Rinv_0_lt_compat. assert (B0 : 0 < bump_constant) by (apply Rmult_lt_0_compat; apply exp_pos).
  assert (E : forall x, exp (- (theta * x)) * bump s x = k * (phi (x / s + nu s theta) / s)).
  { intros x. rewrite bump_is. replace (exp (- (theta * x)) * (factor * beta s x)) with (factor * (exp (- (theta * x)) * beta s x)) by ring.
    rewrite tilted_beta by auto. unfold k. ring. }
  set (A := k * (/ s + / s * / s) * bump_constant).
  apply (poisson_summation L 1 A (factor * gauss_constant s theta L) (exp (- (1))) (fun x => exp (- (theta * x)) * bump s x)
    (fun x => k * (/ s * (/ s * (- (x / s + nu s theta) * phi (x / s + nu s theta)))))
    (fun m => factor * bc (t_of L m)) (fun m => factor * bs (t_of L m))
    (fun m x => factor * cosine_primitive s theta (t_of L m) x) (fun m x => factor * sine_primitive s theta (t_of L m) x));
    auto using exp_minus_1_unit; try lra.
  - intros x. assert (E' : forall t, k * (/ s * phi (t / s + nu s theta)) = exp (- (theta * t)) * bump s t)
      by (intros t; rewrite E; unfold Rdiv; ring).
    apply (is_derive_ext (fun x => k * (/ s * phi (x / s + nu s theta)))); [intros t; apply E'|].
    apply is_derive_scal. apply (is_derive_scal (fun x => phi (x / s + nu s theta))).
    apply (scaled_derive s theta s_positive phi (fun y => - y * phi y)). apply phi_derive.
  - intros x. rewrite E. assert (B := bump_falls x). set (y := x / s + nu s theta) in *. assert (P := phi_positive y). assert (Y := Rabs_pos y).
    assert (X := exp_pos (- (1 * Rabs x))). set (e := bump_constant * exp (- (1 * Rabs x))) in *.
    replace (A * exp (- (1 * Rabs x))) with (k * ((/ s + / s * / s) * e)) by (unfold A, e; ring).
    rewrite Rabs_mult, (Rabs_pos_eq k), Rabs_pos_eq by (try lra; left; apply Rdiv_lt_0_compat; auto).
    apply Rmult_le_compat_l; [lra|]. unfold Rdiv. assert (phi y <= e) by nra. assert (0 < / s * / s) by nra. nra.
  - intros x. assert (B := bump_falls x). set (y := x / s + nu s theta) in *. assert (P := phi_positive y). assert (Y := Rabs_pos y).
    assert (X := exp_pos (- (1 * Rabs x))). set (e := bump_constant * exp (- (1 * Rabs x))) in *.
    replace (A * exp (- (1 * Rabs x))) with (k * ((/ s + / s * / s) * e)) by (unfold A, e; ring).
    rewrite !Rabs_mult, (Rabs_pos_eq k), (Rabs_pos_eq (/ s)), (Rabs_pos_eq (phi y)), Rabs_Ropp by lra.
    apply Rmult_le_compat_l; [lra|]. assert (Rabs y * phi y <= e) by nra. assert (0 < / s * / s) by nra. assert (0 < e) by nra. nra.
  - intros m. destruct (values_small s theta L s_positive L_positive m) as [V1 V2]. rewrite !Rabs_mult, (Rabs_pos_eq factor) by lra. split; nra.
  - intros m x. replace (exp (- (theta * x)) * bump s x * cos (2 * INR m * (PI / L * x)))
      with (factor * (exp (- (theta * x)) * beta s x * cos (t_of L m * x))).
    + apply is_derive_scal. now apply cosine_primitive_derive.
    + rewrite bump_is. unfold t_of. replace (2 * INR m * (PI / L) * x) with (2 * INR m * (PI / L * x)) by ring. ring.
  - intros m x. replace (exp (- (theta * x)) * bump s x * sin (2 * INR m * (PI / L * x)))
      with (factor * (exp (- (theta * x)) * beta s x * sin (t_of L m * x))).
    + apply is_derive_scal. now apply sine_primitive_derive.
    + rewrite bump_is. unfold t_of. replace (2 * INR m * (PI / L) * x) with (2 * INR m * (PI / L * x)) by ring. ring.
  - intros m v v'. eapply is_lim_seq_ext; [|apply is_lim_seq_mult';
      [apply (is_lim_seq_const factor)|apply (cosine_primitive_limit s theta L s_positive L_positive (t_of L m) v v')]].
    intros N. simpl. ring.
  - intros m v v'. eapply is_lim_seq_ext; [|apply is_lim_seq_mult';
      [apply (is_lim_seq_const factor)|apply (sine_primitive_limit s theta L s_positive L_positive (t_of L m) v v')]].
    intros N. simpl. ring.
Qed.
End Lines.
