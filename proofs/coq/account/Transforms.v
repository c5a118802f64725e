(** The transforms of the bump and of E[(1 - e^(-u-Y))₊] on the line of real part θ, as primitives, and how fast these functions fall.

    Both come from β(x), with b = s²·e^(s²/8)·β and f″ + f′ = β for f = E[(1 - e^(-x-Y))₊], or less 1: e^(-zx)·f is e^(-zx)·β/w up to the derivative
    of -e^(-zx)·(f/z + f′/w). So no contour has to be moved: 1/w is the same on both sides of the pole. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Certus.account Require Import Constants NormalLaw Smoothing Aliases Peaks Poisson GaussianTransform.
Open Scope R_scope.

Section Transforms.
Variables (s theta L : R).
Hypotheses (s_positive : 0 < s) (L_positive : 0 < L).

Definition beta (x : R) : R := phi (x / s + s / 2) / s.
Definition nu : R := (theta + 1 / 2) * s.
Definition height : R := exp (s ^ 2 * (theta * (theta + 1)) / 2).
Lemma beta_is x : exp (- x) * loss_density s x = beta x.
Proof.
  assert (T := tilted_density s s_positive (-1) x). replace (-1 * x) with (- x) in T by ring. rewrite T.
  replace (s ^ 2 * (-1 * (-1 + 1)) / 2) with 0 by field. rewrite exp_0, Rmult_1_l. unfold beta. do 3 f_equal. field.
Qed.
Lemma tilted_beta x : exp (- (theta * x)) * beta x = height * (phi (x / s + nu) / s).
Proof.
  rewrite <- beta_is, <- Rmult_assoc, <- exp_plus. assert (T := tilted_density s s_positive (- theta - 1) x).
  replace (- (theta * x) + - x) with ((- theta - 1) * x) by ring. rewrite T. unfold height, nu. f_equal; [f_equal; field|]. do 3 f_equal. field.
Qed.

(** Primitives of e^(-θx)·β(x)·cos(tx) and ·sin(tx), and their increments over the whole line. *)
Definition cosine_primitive (t x : R) : R :=
  height * (cos (t * s * nu) * cosine_part (t * s) (x / s + nu) + sin (t * s * nu) * sine_part (t * s) (x / s + nu)).
Definition sine_primitive (t x : R) : R :=
  height * (cos (t * s * nu) * sine_part (t * s) (x / s + nu) - sin (t * s * nu) * cosine_part (t * s) (x / s + nu)).
Lemma scaled_derive (f df : R -> R) (x : R) : (forall x : R, is_derive f x (df x)) -> is_derive (fun x => f (x / s + nu)) x (/ s * df (x / s + nu)).
Proof. intros H. apply (is_derive_comp f (fun x => x / s + nu)); [apply H|]. auto_derive; auto. field. lra. Qed.
Lemma cosine_primitive_derive t (x : R) : is_derive (cosine_primitive t) x (exp (- (theta * x)) * beta x * cos (t * x)).
Proof.
  rewrite tilted_beta. set (y := x / s + nu).
  assert (E : t * s * y = t * x + t * s * nu) by (unfold y; field; lra).
  replace (height * (phi y / s) * cos (t * x))
    with (height * plus (cos (t * s * nu) * (/ s * (phi y * cos (t * s * y)))) (sin (t * s * nu) * (/ s * (phi y * sin (t * s * y))))).
  - unfold cosine_primitive. apply is_derive_scal.
    apply (is_derive_plus (V := R_NormedModule) (fun x => cos (t * s * nu) * cosine_part (t * s) (x / s + nu))
      (fun x => sin (t * s * nu) * sine_part (t * s) (x / s + nu)));
      apply is_derive_scal; [apply (scaled_derive (cosine_part (t * s)) (fun y => phi y * cos (t * s * y)))|apply (scaled_derive (sine_part (t * s))
        (fun y => phi y * sin (t * s * y)))];
      [apply cosine_part_derive|apply sine_part_derive].
  - unfold plus. simpl. rewrite E. replace (cos (t * x)) with (cos (t * x + t * s * nu - t * s * nu)) by (f_equal; ring).
    rewrite (cos_minus (t * x + t * s * nu)). field. lra.
Qed.
Lemma sine_primitive_derive t (x : R) : is_derive (sine_primitive t) x (exp (- (theta * x)) * beta x * sin (t * x)).
Proof.
  rewrite tilted_beta. set (y := x / s + nu).
  assert (E : t * s * y = t * x + t * s * nu) by (unfold y; field; lra).
  replace (height * (phi y / s) * sin (t * x))
    with (height * minus (cos (t * s * nu) * (/ s * (phi y * sin (t * s * y)))) (sin (t * s * nu) * (/ s * (phi y * cos (t * s * y))))).
  - unfold sine_primitive. apply is_derive_scal.
    apply (is_derive_minus (V := R_NormedModule) (fun x => cos (t * s * nu) * sine_part (t * s) (x / s + nu))
      (fun x => sin (t * s * nu) * cosine_part (t * s) (x / s + nu)));
      apply is_derive_scal; [apply (scaled_derive (sine_part (t * s)) (fun y => phi y * sin (t * s * y)))|apply (scaled_derive (cosine_part (t * s))
        (fun y => phi y * cos (t * s * y)))];
      [apply sine_part_derive|apply cosine_part_derive].
  - unfold minus, plus, opp. simpl. rewrite E. replace (sin (t * x)) with (sin (t * x + t * s * nu - t * s * nu)) by (f_equal; ring).
    rewrite (sin_minus (t * x + t * s * nu)). field. lra.
Qed.
Lemma to_the_right v : is_lim_seq (fun N => (v + INR N * L) / s + nu) p_infty.
Proof.
  assert (K : 0 < L / s) by now apply Rdiv_lt_0_compat.
  apply (is_lim_seq_ext (fun N => (v / s + nu) + L / s * INR N)); [intros N; field; lra|].
  apply (is_lim_seq_plus _ _ (v / s + nu) p_infty); [apply is_lim_seq_const| |reflexivity].
  replace p_infty with (Rbar_mult (L / s) p_infty) by (rewrite Rbar_mult_comm; apply is_Rbar_mult_unique, is_Rbar_mult_p_infty_pos; exact K).
  apply is_lim_seq_scal_l, is_lim_seq_INR.
Qed.
Lemma to_the_left v : is_lim_seq (fun N => - ((v - INR N * L) / s + nu)) p_infty.
Proof.
  assert (K : 0 < L / s) by now apply Rdiv_lt_0_compat.
  apply (is_lim_seq_ext (fun N => - (v / s + nu) + L / s * INR N)); [intros N; field; lra|].
  apply (is_lim_seq_plus _ _ (- (v / s + nu)) p_infty); [apply is_lim_seq_const| |reflexivity].
  replace p_infty with (Rbar_mult (L / s) p_infty) by (rewrite Rbar_mult_comm; apply is_Rbar_mult_unique, is_Rbar_mult_p_infty_pos; exact K).
  apply is_lim_seq_scal_l, is_lim_seq_INR.
Qed.
Definition cosine_value (t : R) : R := height * exp (- ((t * s) ^ 2 / 2)) * cos (t * s * nu).
Definition sine_value (t : R) : R := - (height * exp (- ((t * s) ^ 2 / 2)) * sin (t * s * nu)).
Lemma part_limits t v v' :
  is_lim_seq (fun N => cosine_part (t * s) ((v + INR N * L) / s + nu) - cosine_part (t * s) ((v' - INR N * L) / s + nu)) (exp (- ((t * s) ^ 2 / 2)))
  /\ is_lim_seq (fun N => sine_part (t * s) ((v + INR N * L) / s + nu) - sine_part (t * s) ((v' - INR N * L) / s + nu)) 0.
Proof.
  assert (C := cosine_transform (t * s) _ _ (to_the_right v) (to_the_left v')).
  assert (S := sine_transform (t * s) _ _ (to_the_right v) (to_the_left v')).
  split; [eapply is_lim_seq_ext; [|exact C]|eapply is_lim_seq_ext; [|exact S]]; intros N; simpl; rewrite Ropp_involutive; reflexivity.
Qed.
Lemma cosine_primitive_limit t v v' : is_lim_seq (fun N => cosine_primitive t (v + INR N * L) - cosine_primitive t (v' - INR N * L)) (cosine_value t).
Proof.
  destruct (part_limits t v v') as [C S].
  replace (cosine_value t) with (height * (cos (t * s * nu) * exp (- ((t * s) ^ 2 / 2)) + sin (t * s * nu) * 0)) by (unfold cosine_value; ring).
  eapply is_lim_seq_ext; [|apply is_lim_seq_mult'; [apply (is_lim_seq_const height)|apply is_lim_seq_plus'; apply is_lim_seq_mult';
    [apply (is_lim_seq_const (cos (t * s * nu)))|exact C|apply (is_lim_seq_const (sin (t * s * nu)))|exact S]]].
  intros N. unfold cosine_primitive. simpl. ring.
Qed.
Lemma sine_primitive_limit t v v' : is_lim_seq (fun N => sine_primitive t (v + INR N * L) - sine_primitive t (v' - INR N * L)) (sine_value t).
Proof.
  destruct (part_limits t v v') as [C S].
  replace (sine_value t) with (height * (cos (t * s * nu) * 0 - sin (t * s * nu) * exp (- ((t * s) ^ 2 / 2)))) by (unfold sine_value; ring).
  eapply is_lim_seq_ext; [|apply is_lim_seq_mult'; [apply (is_lim_seq_const height)|apply is_lim_seq_minus'; apply is_lim_seq_mult';
    [apply (is_lim_seq_const (cos (t * s * nu)))|exact S|apply (is_lim_seq_const (sin (t * s * nu)))|exact C]]].
  intros N. unfold sine_primitive. simpl. ring.
Qed.

(** At the frequencies t_m they fall like e^-m and more. *)
Definition t_of (m : nat) : R := 2 * INR m * (PI / L).
Definition gauss_constant : R := height * exp (/ (2 * (PI / L) ^ 2 * s ^ 2)).
Lemma height_positive : 0 < height. Proof. apply exp_pos. Qed.
Lemma gauss_small m : (INR m + 1) * (height * exp (- ((t_of m * s) ^ 2 / 2))) <= gauss_constant * exp (- (1)) ^ m.
Proof.
  assert (C := c_positive L L_positive). set (k := 2 * (PI / L) ^ 2 * s ^ 2). assert (M := pos_INR m). assert (H := height_positive).
  assert (K : 0 < k) by (unfold k; apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [lra|]|]; apply pow_lt; auto).
  unfold gauss_constant. fold k. rewrite <- exp_natural.
  replace ((t_of m * s) ^ 2 / 2) with (k * INR m ^ 2) by (unfold t_of, k; field; lra).
  apply Rle_trans with (exp (INR m) * (height * exp (- (k * INR m ^ 2)))).
  - apply Rmult_le_compat_r; [apply Rmult_le_pos; left; [auto|apply exp_pos]|]. generalize (exp_ineq1_le (INR m)). lra.
  - replace (exp (INR m) * (height * exp (- (k * INR m ^ 2)))) with (height * (exp (INR m) * exp (- (k * INR m ^ 2)))) by ring.
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. rewrite <- !exp_plus. apply exp_le.
    assert (Q : 0 <= k * (INR m - / k) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
    replace (k * (INR m - / k) ^ 2) with (k * INR m ^ 2 - 2 * INR m + / k) in Q by (field; lra). lra.
Qed.
Lemma values_small m : (INR m + 1) * Rabs (cosine_value (t_of m)) <= gauss_constant * exp (- (1)) ^ m
  /\ (INR m + 1) * Rabs (sine_value (t_of m)) <= gauss_constant * exp (- (1)) ^ m.
Proof.
  assert (G := gauss_small m). assert (M := pos_INR m). set (t := t_of m) in *. set (e := height * exp (- ((t * s) ^ 2 / 2))) in *.
  assert (E : 0 < e) by (apply Rmult_lt_0_compat; apply exp_pos).
  assert (S := COS_bound (t * s * nu)). assert (S' := SIN_bound (t * s * nu)).
  assert (Rabs (cos (t * s * nu)) <= 1) by (apply Rabs_le; lra). assert (Rabs (sin (t * s * nu)) <= 1) by (apply Rabs_le; lra).
  unfold cosine_value, sine_value. fold e. rewrite Rabs_Ropp, !Rabs_mult, (Rabs_pos_eq e) by lra.
  split; (eapply Rle_trans; [|exact G]); apply Rmult_le_compat_l; try lra; nra.
Qed.
End Transforms.
