(** Poisson's summation for every solution f of f″ + f′ = β that falls on both sides when tilted by θ, with the transform e^(s²w/2)/w. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Certus.samplers Require Import FiniteSums.
From Certus.account Require Import Constants NormalLaw Smoothing Aliases Peaks Poisson GaussianTransform Transforms Lines.
Open Scope R_scope.

(** Derivatives of products and sums of real functions. *)
Lemma derive_times (f g : R -> R) df dg (x : R) : is_derive f x df -> is_derive g x dg -> is_derive (fun x => f x * g x) x (df * g x + f x * dg).
Proof. intros H K. apply (is_derive_mult f g x df dg H K). intros; apply Rmult_comm. Qed.
Lemma derive_is (f : R -> R) (d d' x : R) : is_derive f x d -> d = d' -> is_derive f x d'.
Proof. now intros H <-. Qed.
Lemma derive_sum (f g : R -> R) df dg (x : R) : is_derive f x df -> is_derive g x dg -> is_derive (fun x => f x + g x) x (df + dg).
Proof. intros H K. apply (is_derive_plus (V := R_NormedModule) f g x df dg H K). Qed.
Lemma derive_minus (f g : R -> R) df dg (x : R) : is_derive f x df -> is_derive g x dg -> is_derive (fun x => f x - g x) x (df - dg).
Proof. intros H K. apply (is_derive_minus (V := R_NormedModule) f g x df dg H K). Qed.
Lemma derive_const_times (k : R) (f : R -> R) df (x : R) : is_derive f x df -> is_derive (fun x => k * f x) x (k * df).
Proof. apply is_derive_scal. Qed.

(** 1/z and 1/w, for z = θ + it and w = z(z+1), in real and imaginary parts. *)
Section Inverses.
Variables (theta t : R).
Hypotheses (not_0 : theta <> 0) (not_minus_1 : theta <> -1).
Definition n_0 : R := theta ^ 2 + t ^ 2.
Definition n_1 : R := (theta + 1) ^ 2 + t ^ 2.
Definition z_re : R := theta / n_0.
Definition z_im : R := - t / n_0.
Definition w_re : R := (z_re * (theta + 1) + z_im * t) / n_1.
Definition w_im : R := (z_im * (theta + 1) - z_re * t) / n_1.
Lemma n_positive : 0 < n_0 /\ 0 < n_1.
Proof. unfold n_0, n_1. assert (0 <= t ^ 2) by apply pow2_ge_0.
split; [assert (0 < theta ^ 2) by (apply pow2_gt_0; auto)|assert (0 < (theta + 1) ^ 2) by (apply pow2_gt_0; lra)]; lra. Qed.
Lemma z_times : theta * z_re - t * z_im - 1 = 0 /\ theta * z_im + t * z_re = 0.
Proof. destruct n_positive. unfold z_re, z_im. split; [|field; lra]. unfold n_0 in *. field. lra. Qed.
Lemma w_times : (theta + 1) * w_re - t * w_im - z_re = 0 /\ (theta + 1) * w_im + t * w_re - z_im = 0.
Proof. destruct n_positive. unfold w_re, w_im. split; unfold n_1 in *; field; lra. Qed.
Lemma w_small : Rabs w_re <= 1 + / (theta ^ 2 * (theta + 1) ^ 2) /\ Rabs w_im <= 1 + / (theta ^ 2 * (theta + 1) ^ 2).
Proof.
  destruct n_positive as [N0 N1]. assert (T : 0 < theta ^ 2) by (apply pow2_gt_0; auto). assert (T1 : 0 < (theta + 1) ^ 2) by (apply pow2_gt_0; lra).
  assert (E : w_re ^ 2 + w_im ^ 2 = / (n_0 * n_1)).
  { unfold w_re, w_im, z_re, z_im. unfold n_0, n_1 in *. field. lra. }
  assert (t2 : 0 <= t ^ 2) by apply pow2_ge_0.
  assert (I : / (n_0 * n_1) <= / (theta ^ 2 * (theta + 1) ^ 2)).
  { apply Rinv_le_contravar; [now apply Rmult_lt_0_compat|]. unfold n_0, n_1. apply Rmult_le_compat; lra. }
  assert (K : forall y, Rabs y <= 1 + y ^ 2).
  { intros y. assert (Y : Rabs y * Rabs y = y ^ 2) by (rewrite <- Rabs_mult, Rabs_pos_eq; [ring|nra]). rewrite <- Y.
    assert (0 <= Rabs y) by apply Rabs_pos. nra. }
  assert (K1 := K w_re). assert (K2 := K w_im). assert (P1 := pow2_ge_0 w_re). assert (P2 := pow2_ge_0 w_im). split; lra.
Qed.
End Inverses.

Section Pole.
Variables (s theta L alpha A : R) (f f1 : R -> R).
Hypotheses (s_positive : 0 < s) (L_positive : 0 < L) (alpha_positive : 0 < alpha) (A_positive : 0 <= A).
Hypotheses (not_0 : theta <> 0) (not_minus_1 : theta <> -1).
Hypothesis f_derive : forall x : R, is_derive f x (f1 x).
Hypothesis f1_derive : forall x : R, is_derive f1 x (beta s x - f1 x).
Hypothesis f_falls : forall x, exp (- (theta * x)) * Rabs (f x) <= A * exp (- (alpha * Rabs x)).
Hypothesis f1_falls : forall x, exp (- (theta * x)) * Rabs (f1 x) <= A * exp (- (alpha * Rabs x)).
Notation bc := (cosine_value s theta).
Notation bs := (sine_value s theta).

Section At.
Variable t : R.
Notation p := (z_re theta t).
Notation p' := (z_im theta t).
Notation a := (w_re theta t).
Notation b := (w_im theta t).
Definition mixed (k k' x : R) : R := k * f x + k' * f1 x.
(** The real part of -e^(-zx)·(f/z + f′/w), and minus its imaginary part. *)
Definition boundary_cos (x : R) : R := -1 * (exp (- (theta * x)) * (cos (t * x) * mixed p a x + sin (t * x) * mixed p' b x)).
Definition boundary_sin (x : R) : R := exp (- (theta * x)) * (cos (t * x) * mixed p' b x - sin (t * x) * mixed p a x).
Lemma mixed_derive k k' (x : R) : is_derive (mixed k k') x (k * f1 x + k' * (beta s x - f1 x)).
Proof. apply (derive_sum (fun x => k * f x) (fun x => k' * f1 x)); apply derive_const_times; [apply f_derive|apply f1_derive]. Qed.
Lemma exp_derive (x : R) : is_derive (fun x => exp (- (theta * x))) x (- theta * exp (- (theta * x))).
Proof. auto_derive; auto. ring. Qed.
Lemma cos_derive (x : R) : is_derive (fun x => cos (t * x)) x (- t * sin (t * x)).
Proof. auto_derive; auto. ring. Qed.
Lemma sin_derive (x : R) : is_derive (fun x => sin (t * x)) x (t * cos (t * x)).
Proof. auto_derive; auto. ring. Qed.
Lemma boundary_cos_derive (x : R) :
  is_derive boundary_cos x (exp (- (theta * x)) * (f x * cos (t * x) - beta s x * (a * cos (t * x) + b * sin (t * x)))).
Proof.
  destruct (z_times theta t not_0 not_minus_1) as [Z1 Z2]. destruct (w_times theta t not_0 not_minus_1) as [W1 W2].
  assert (D := derive_const_times (-1) _ _ x (derive_times _ _ _ _ x (exp_derive x)
    (derive_sum _ _ _ _ x (derive_times _ _ _ _ x (cos_derive x) (mixed_derive p a x))
      (derive_times _ _ _ _ x (sin_derive x) (mixed_derive p' b x))))).
  cbv beta in D. refine (derive_is boundary_cos _ _ x D _). unfold mixed.
  set (E := exp (- (theta * x))) in *. set (C := cos (t * x)) in *. set (S := sin (t * x)) in *.
  transitivity (E * (f x * C - beta s x * (a * C + b * S)) + E * f x * C * (theta * p - t * p' - 1) + E * f x * S * (theta * p' + t * p)
    + E * f1 x * C * ((theta + 1) * a - t * b - p) + E * f1 x * S * ((theta + 1) * b + t * a - p')); [ring|]. rewrite Z1, Z2, W1, W2. ring.
Qed.
Lemma boundary_sin_derive (x : R) :
  is_derive boundary_sin x (exp (- (theta * x)) * (f x * sin (t * x) - beta s x * (a * sin (t * x) - b * cos (t * x)))).
Proof.
  destruct (z_times theta t not_0 not_minus_1) as [Z1 Z2]. destruct (w_times theta t not_0 not_minus_1) as [W1 W2].
  assert (D := derive_times _ _ _ _ x (exp_derive x)
    (derive_minus _ _ _ _ x (derive_times _ _ _ _ x (cos_derive x) (mixed_derive p' b x))
      (derive_times _ _ _ _ x (sin_derive x) (mixed_derive p a x)))).
  cbv beta in D. refine (derive_is boundary_sin _ _ x D _). unfold mixed.
  set (E := exp (- (theta * x))) in *. set (C := cos (t * x)) in *. set (S := sin (t * x)) in *.
  transitivity (E * (f x * S - beta s x * (a * S - b * C)) + E * f x * S * (theta * p - t * p' - 1) - E * f x * C * (theta * p' + t * p)
    + E * f1 x * S * ((theta + 1) * a - t * b - p) - E * f1 x * C * ((theta + 1) * b + t * a - p')); [ring|]. rewrite Z1, Z2, W1, W2. ring.
Qed.
Definition solved_cos (x : R) : R := boundary_cos x + (a * cosine_primitive s theta t x + b * sine_primitive s theta t x).
Definition solved_sin (x : R) : R := boundary_sin x + (a * sine_primitive s theta t x - b * cosine_primitive s theta t x).
Lemma solved_cos_derive (x : R) : is_derive solved_cos x (exp (- (theta * x)) * f x * cos (t * x)).
Proof.
  assert (D := derive_sum _ _ _ _ x (boundary_cos_derive x) (derive_sum _ _ _ _ x
    (derive_const_times a _ _ x (cosine_primitive_derive s theta s_positive t x))
      (derive_const_times b _ _ x (sine_primitive_derive s theta s_positive t x)))).
  refine (derive_is solved_cos _ _ x D _). ring.
Qed.
Lemma solved_sin_derive (x : R) : is_derive solved_sin x (exp (- (theta * x)) * f x * sin (t * x)).
Proof.
  assert (D := derive_sum _ _ _ _ x (boundary_sin_derive x) (derive_minus _ _ _ _ x
    (derive_const_times a _ _ x (sine_primitive_derive s theta s_positive t x))
      (derive_const_times b _ _ x (cosine_primitive_derive s theta s_positive t x)))).
  refine (derive_is solved_sin _ _ x D _). ring.
Qed.
Definition boundary_constant : R := (Rabs p + Rabs a + Rabs p' + Rabs b) * A.
Lemma mixed_falls k k' c x : Rabs c <= 1 -> exp (- (theta * x)) * Rabs (c * mixed k k' x) <= (Rabs k + Rabs k') * A * exp (- (alpha * Rabs x)).
Proof.
  intros Hc. assert (E := exp_pos (- (theta * x))). assert (F := f_falls x). assert (F1 := f1_falls x).
  apply Rle_trans with (exp (- (theta * x)) * (Rabs k * Rabs (f x) + Rabs k' * Rabs (f1 x))).
  - apply Rmult_le_compat_l; [lra|]. rewrite Rabs_mult. unfold mixed. assert (T := Rabs_triang (k * f x) (k' * f1 x)). rewrite !Rabs_mult in T.
    assert (0 <= Rabs c) by apply Rabs_pos. assert (0 <= Rabs (k * f x + k' * f1 x)) by apply Rabs_pos. nra.
  - assert (0 <= Rabs k) by apply Rabs_pos. assert (0 <= Rabs k') by apply Rabs_pos.
    replace (exp (- (theta * x)) * (Rabs k * Rabs (f x) + Rabs k' * Rabs (f1 x)))
      with (Rabs k * (exp (- (theta * x)) * Rabs (f x)) + Rabs k' * (exp (- (theta * x)) * Rabs (f1 x))) by ring.
    apply Rmult_le_compat_l with (r := Rabs k) in F; auto. apply Rmult_le_compat_l with (r := Rabs k') in F1; auto. lra.
Qed.
Lemma boundaries_fall x : Rabs (boundary_cos x) <= boundary_constant * exp (- (alpha * Rabs x)) /\ Rabs (boundary_sin x)
  <= boundary_constant * exp (- (alpha * Rabs x)).
Proof.
  assert (E := exp_pos (- (theta * x))). assert (S := COS_bound (t * x)). assert (S' := SIN_bound (t * x)).
  assert (C1 : Rabs (cos (t * x)) <= 1) by (apply Rabs_le; lra). assert (C2 : Rabs (sin (t * x)) <= 1) by (apply Rabs_le; lra).
  unfold boundary_cos, boundary_sin, boundary_constant. split.
  - assert (M1 := mixed_falls p a _ x C1). assert (M2 := mixed_falls p' b _ x C2).
    rewrite !Rabs_mult, (Rabs_left (-1)), (Rabs_pos_eq (exp _)) by lra.
    assert (T := Rabs_triang (cos (t * x) * mixed p a x) (sin (t * x) * mixed p' b x)).
    apply Rmult_le_compat_l with (r := exp (- (theta * x))) in T; lra.
  - assert (M1 := mixed_falls p' b _ x C1). assert (M2 := mixed_falls p a _ x C2).
    rewrite Rabs_mult, (Rabs_pos_eq (exp _)) by lra. unfold Rminus.
    assert (T := Rabs_triang (cos (t * x) * mixed p' b x) (- (sin (t * x) * mixed p a x))). rewrite Rabs_Ropp in T.
    apply Rmult_le_compat_l with (r := exp (- (theta * x))) in T; lra.
Qed.
Lemma boundary_constant_nonneg : 0 <= boundary_constant.
Proof.
  unfold boundary_constant. apply Rmult_le_pos; auto. generalize (Rabs_pos p) (Rabs_pos a) (Rabs_pos p') (Rabs_pos b). lra.
Qed.
Lemma solved_limits v v' :
  is_lim_seq (fun N => solved_cos (v + INR N * L) - solved_cos (v' - INR N * L)) (a * bc t + b * bs t)
  /\ is_lim_seq (fun N => solved_sin (v + INR N * L) - solved_sin (v' - INR N * L)) (a * bs t - b * bc t).
Proof.
  assert (G := boundary_constant_nonneg).
  assert (C := fun v => far_out boundary_cos _ alpha L v alpha_positive L_positive G (fun x => proj1 (boundaries_fall x))).
  assert (S := fun v => far_out boundary_sin _ alpha L v alpha_positive L_positive G (fun x => proj2 (boundaries_fall x))).
  assert (PC := cosine_primitive_limit s theta L s_positive L_positive t v v').
  assert (PS := sine_primitive_limit s theta L s_positive L_positive t v v').
  split.
  - replace (Finite (a * bc t + b * bs t)) with (Finite (0 - 0 + (a * bc t + b * bs t))) by (f_equal; ring).
    eapply is_lim_seq_ext; [|apply is_lim_seq_plus'; [apply is_lim_seq_minus'; [exact (proj1 (C v))|exact (proj2 (C v'))]|
      apply is_lim_seq_plus'; apply is_lim_seq_mult'; [apply (is_lim_seq_const a)|exact PC|apply (is_lim_seq_const b)|exact PS]]].
    intros N. unfold solved_cos. simpl. ring.
  - replace (Finite (a * bs t - b * bc t)) with (Finite (0 - 0 + (a * bs t - b * bc t))) by (f_equal; ring).
    eapply is_lim_seq_ext; [|apply is_lim_seq_plus'; [apply is_lim_seq_minus'; [exact (proj1 (S v))|exact (proj2 (S v'))]|
      apply is_lim_seq_minus'; apply is_lim_seq_mult'; [apply (is_lim_seq_const a)|exact PS|apply (is_lim_seq_const b)|exact PC]]].
    intros N. unfold solved_sin. simpl. ring.
Qed.
End At.

Theorem poisson_for_solutions u : exists total : R,
  is_lim_seq (fun N => waves L (fun m => w_re theta (t_of L m) * bc (t_of L m) + w_im theta (t_of L m) * bs (t_of L m))
    (fun m => w_re theta (t_of L m) * bs (t_of L m) - w_im theta (t_of L m) * bc (t_of L m)) N u) total
  /\ is_lim_seq (fun N => shifts L (fun x => exp (- (theta * x)) * f x) N u) total.
Proof.
  set (W := 1 + / (theta ^ 2 * (theta + 1) ^ 2)).
  apply (poisson_summation L alpha ((1 + Rabs theta) * A) (2 * W * gauss_constant s theta L) (exp (- (1))) (fun x => exp (- (theta * x)) * f x)
    (fun x => - theta * exp (- (theta * x)) * f x
      + exp (- (theta * x)) * f1 x) _ _ (fun m => solved_cos (t_of L m)) (fun m => solved_sin (t_of L m)));
    auto using exp_minus_1_unit.
  - intros x. apply (derive_times (fun x => exp (- (theta * x))) f); [apply exp_derive|apply f_derive].
  - intros x. rewrite Rabs_mult, (Rabs_pos_eq (exp _)) by (left; apply exp_pos). assert (F := f_falls x).
    assert (0 <= Rabs theta) by apply Rabs_pos. assert (0 < exp (- (alpha * Rabs x))) by apply exp_pos.
    assert (0 <= A * exp (- (alpha * Rabs x))) by (apply Rmult_le_pos; lra). nra.
  - intros x. assert (F := f_falls x). assert (F1 := f1_falls x). assert (E := exp_pos (- (theta * x))). assert (T0 := Rabs_pos theta).
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, Rabs_Ropp, (Rabs_pos_eq (exp _)) by lra.
    apply Rmult_le_compat_l with (r := Rabs theta) in F; auto. lra.
  - intros m. destruct (values_small s theta L s_positive L_positive m) as [V1 V2]. destruct (w_small theta (t_of L m) not_0 not_minus_1) as [S1 S2].
    fold W in S1, S2.
    assert (M := pos_INR m). set (a := w_re theta (t_of L m)) in *. set (b := w_im theta (t_of L m)) in *. set (x := bc (t_of L m)) in *.
    set (y := bs (t_of L m)) in *.
    set (G := gauss_constant s theta L * exp (- (1)) ^ m) in *.
    replace (2 * W * gauss_constant s theta L * exp (- (1)) ^ m) with (2 * W * G) by (unfold G; ring).
    assert (K : forall a b x y, Rabs a <= W -> Rabs b <= W -> (INR m + 1) * Rabs x <= G -> (INR m + 1) * Rabs y <= G
      -> (INR m + 1) * (Rabs a * Rabs x + Rabs b * Rabs y) <= 2 * W * G).
    { clear. intros a b x y Ha Hb Hx Hy. assert (0 <= Rabs a) by apply Rabs_pos. assert (0 <= Rabs b) by apply Rabs_pos.
      assert (M := pos_INR m). assert (0 <= (INR m + 1) * Rabs x) by (apply Rmult_le_pos; [lra|apply Rabs_pos]).
      assert (0 <= (INR m + 1) * Rabs y) by (apply Rmult_le_pos; [lra|apply Rabs_pos]).
      assert (Rabs a * ((INR m + 1) * Rabs x) <= W * G) by (apply Rmult_le_compat; auto).
      assert (Rabs b * ((INR m + 1) * Rabs y) <= W * G) by (apply Rmult_le_compat; auto). lra. }
    split.
    + eapply Rle_trans; [|apply (K a b x y); auto]. apply Rmult_le_compat_l; [lra|]. rewrite <- !Rabs_mult. apply Rabs_triang.
    + eapply Rle_trans; [|apply (K a b y x); auto]. apply Rmult_le_compat_l; [lra|]. rewrite <- !Rabs_mult, <- (Rabs_Ropp (b * x)). apply Rabs_triang.
  - intros m x. replace (2 * INR m * (PI / L * x)) with (t_of L m * x) by (unfold t_of; ring). apply solved_cos_derive.
  - intros m x. replace (2 * INR m * (PI / L * x)) with (t_of L m * x) by (unfold t_of; ring). apply solved_sin_derive.
  - intros m v v'. apply solved_limits.
  - intros m v v'. apply solved_limits.
Qed.
End Pole.
