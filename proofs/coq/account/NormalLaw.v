(** The normal law's distribution function, Φ(x) = 1/2 + ∫_0^x φ, and the Gaussian integral: Φ rises to 1.

    By the derivative of (∫_0^x e^(-t²/2) dt)² + 2·∫_0^1 e^(-x²(1+t²)/2)/(1+t²) dt, which is 0: at x = 0 it is 2·atan 1, and far out the second
    term is gone. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Certus.account Require Import Constants.
Open Scope R_scope.

(** A function whose derivative is not negative does not fall. *)
Lemma rises (f df : R -> R) a b :
  a <= b -> (forall x, a <= x <= b -> is_derive f x (df x)) -> (forall x, a <= x <= b -> 0 <= df x) -> f a <= f b.
Proof.
  intros H D N. destruct (MVT_gen f a b df) as (c & Hc & E).
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by auto. apply D. lra.
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by auto. apply continuity_pt_filterlim.
    apply (ex_derive_continuous f x). exists (df x). auto.
  - rewrite Rmin_left, Rmax_right in Hc by auto. specialize (N c Hc). nra.
Qed.

Definition unscaled (t : R) : R := exp (- (t ^ 2 / 2)).
Definition area (x : R) : R := RInt unscaled 0 x.
Definition rest (x : R) : R := RInt (fun t => exp (- (x ^ 2 * (1 + t ^ 2) / 2)) / (1 + t ^ 2)) 0 1.

Lemma one_plus_square t : 0 < 1 + t ^ 2.
Proof. generalize (pow2_ge_0 t). lra. Qed.
Lemma unscaled_continuous t : continuous unscaled t.
Proof. apply (ex_derive_continuous unscaled t). unfold unscaled. auto_derive. auto. Qed.
Lemma area_derive (x : R) : is_derive area x (unscaled x).
Proof.
  unfold area. apply (is_derive_RInt unscaled _ 0 x); [|apply unscaled_continuous].
  apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule) unscaled 0 y).
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply unscaled_continuous.
Qed.
Lemma rest_integrable x : ex_RInt (fun t => exp (- (x ^ 2 * (1 + t ^ 2) / 2)) / (1 + t ^ 2)) 0 1.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
  apply (ex_derive_continuous (fun t => exp (- (x ^ 2 * (1 + t ^ 2) / 2)) / (1 + t ^ 2)) t). auto_derive. generalize (one_plus_square t). simpl. lra.
Qed.
Lemma integrand_derive (u t : R) : is_derive (fun u => exp (- (u ^ 2 * (1 + t ^ 2) / 2)) / (1 + t ^ 2)) u (- (u * exp (- (u ^ 2 * (1 + t ^ 2) / 2)))).
Proof. generalize (one_plus_square t). intros H. auto_derive; [auto|]. simpl in *. unfold Rdiv. field. lra. Qed.
Lemma rest_derive (x : R) : is_derive rest x (- (unscaled x * area x)).
Proof.
  replace (- (unscaled x * area x))
    with (RInt (fun t => Derive (fun u => exp (- (u ^ 2 * (1 + t ^ 2) / 2)) / (1 + t ^ 2)) x) 0 1).
  - apply is_derive_RInt_param.
    + apply filter_forall. intros y t _. eexists. apply integrand_derive.
    + intros t _. apply continuity_2d_pt_ext with (fun u v => - (u * exp (- (u ^ 2 * (1 + v ^ 2) / 2)))).
      * intros u v. symmetry. apply is_derive_unique, integrand_derive.
      * apply continuity_2d_pt_opp, continuity_2d_pt_mult; [apply continuity_2d_pt_id1|].
        apply (continuity_1d_2d_pt_comp exp (fun u v => - (u ^ 2 * (1 + v ^ 2) / 2))); [apply derivable_continuous_pt, derivable_pt_exp|].
        apply continuity_2d_pt_opp, continuity_2d_pt_mult; [apply continuity_2d_pt_mult|apply continuity_2d_pt_const].
        -- simpl. repeat apply continuity_2d_pt_mult; try apply continuity_2d_pt_id1; apply continuity_2d_pt_const.
        -- apply continuity_2d_pt_plus; [apply continuity_2d_pt_const|].
           simpl. repeat apply continuity_2d_pt_mult; try apply continuity_2d_pt_id2; apply continuity_2d_pt_const.
    + apply filter_forall. intros y. apply rest_integrable.
  - apply is_RInt_unique.
    assert (I : is_RInt unscaled (x * 0 + 0) (x * 1 + 0) (area x)).
    { replace (x * 0 + 0) with 0 by ring. replace (x * 1 + 0) with x by ring. apply (RInt_correct (V := R_CompleteNormedModule) unscaled 0 x).
      apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply unscaled_continuous. }
    apply is_RInt_comp_lin in I. apply (is_RInt_scal _ 0 1 (- unscaled x)) in I.
    replace (- (unscaled x * area x)) with (scal (- unscaled x) (area x)) by (unfold scal; simpl; unfold mult; simpl; ring).
    refine (is_RInt_ext _ _ _ _ _ _ I). intros t _.
    symmetry. etransitivity; [apply is_derive_unique, integrand_derive|]. unfold unscaled, scal. simpl. unfold mult. simpl.
    replace (- (x * (x * 1) * (1 + t * (t * 1)) / 2)) with (- (x * (x * 1) / 2) + - ((x * t + 0) * ((x * t + 0) * 1) / 2)) by field.
    rewrite exp_plus. ring.
Qed.

Lemma rest_bounds x : 0 <= rest x <= unscaled x.
Proof.
  assert (B : forall t, 0 <= exp (- (x ^ 2 * (1 + t ^ 2) / 2)) / (1 + t ^ 2) <= unscaled x).
  { intros t. assert (H := one_plus_square t). assert (I : 0 < / (1 + t ^ 2)) by now apply Rinv_0_lt_compat.
    assert (I1 : / (1 + t ^ 2) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; generalize (pow2_ge_0 t); lra).
    assert (E := exp_pos (- (x ^ 2 * (1 + t ^ 2) / 2))). unfold Rdiv at 1 3. split; [apply Rmult_le_pos; lra|].
    apply Rle_trans with (exp (- (x ^ 2 * (1 + t ^ 2) / 2))); [nra|]. unfold unscaled. apply exp_le.
    assert (0 <= x ^ 2 * t ^ 2) by (apply Rmult_le_pos; apply pow2_ge_0). lra. }
  unfold rest. split.
  - apply RInt_ge_0; [lra|apply rest_integrable|]. intros t _. apply B.
  - replace (unscaled x) with (RInt (fun _ => unscaled x) 0 1).
    + apply RInt_le; [lra|apply rest_integrable|apply ex_RInt_const|]. intros t _. apply B.
    + rewrite RInt_const. unfold scal. simpl. unfold mult. simpl. lra.
Qed.
Lemma area_0 : area 0 = 0.
Proof. unfold area. rewrite RInt_point. reflexivity. Qed.
Lemma rest_0 : rest 0 = PI / 4.
Proof.
  unfold rest. rewrite (RInt_ext _ (fun t => / (1 + Rsqr t))).
  - replace (PI / 4) with (minus (atan 1) (atan 0)).
    + apply is_RInt_unique. apply (is_RInt_derive atan).
      * intros t _. apply is_derive_atan.
      * intros t _. apply (ex_derive_continuous (fun t => / (1 + Rsqr t)) t). unfold Rsqr. auto_derive. generalize (one_plus_square t). simpl. lra.
    + rewrite atan_1, atan_0. unfold minus, plus, opp. simpl. lra.
  - intros t _. replace (- (0 ^ 2 * (1 + t ^ 2) / 2)) with 0 by field. rewrite exp_0. unfold Rsqr. simpl. field.
    generalize (one_plus_square t). simpl. lra.
Qed.

Lemma area_squared x : area x ^ 2 + 2 * rest x = PI / 2.
Proof.
  set (f := fun x => area x ^ 2 + 2 * rest x).
  assert (D : forall x, is_derive f x 0).
  { intros y. unfold f.
    assert (E := is_derive_plus (fun x => area x ^ 2) (fun x => 2 * rest x) y (INR 2 * unscaled y * area y ^ 1) (2 * - (unscaled y * area y))
      (is_derive_pow area 2 y (unscaled y) (area_derive y)) (is_derive_scal rest y 2 _ (rest_derive y))).
    replace 0 with (plus (INR 2 * unscaled y * area y ^ 1) (2 * - (unscaled y * area y))); [exact E|].
    unfold plus. simpl. ring. }
  assert (E : forall x, f 0 = f x).
  { intros y. destruct (Rtotal_order 0 y) as [H|[<-|H]]; [|reflexivity|symmetry];
      apply (eq_is_derive f); auto; intros; apply D. }
  change (f x = PI / 2). rewrite <- (E x). unfold f. rewrite area_0, rest_0. field.
Qed.

Definition phi (t : R) : R := exp (- (t ^ 2 / 2)) / sqrt (2 * PI).
Definition Phi (x : R) : R := 1 / 2 + area x / sqrt (2 * PI).

Lemma root_positive : 0 < sqrt (2 * PI).
Proof. apply sqrt_lt_R0. generalize PI_RGT_0. lra. Qed.
Lemma root_squared : sqrt (2 * PI) ^ 2 = 2 * PI.
Proof. simpl. rewrite Rmult_1_r. apply sqrt_sqrt. generalize PI_RGT_0. lra. Qed.
Lemma phi_positive t : 0 < phi t.
Proof. apply Rdiv_lt_0_compat; [apply exp_pos|apply root_positive]. Qed.
Lemma phi_continuous t : continuous phi t.
Proof. apply (ex_derive_continuous phi t). unfold phi. auto_derive. generalize root_positive. lra. Qed.
Lemma Phi_derive (x : R) : is_derive Phi x (phi x).
Proof.
  apply (is_derive_ext (fun x => plus (1 / 2) (/ sqrt (2 * PI) * area x))); [intros; unfold Phi, plus; simpl; unfold Rdiv; ring|].
  replace (phi x) with (plus 0 (/ sqrt (2 * PI) * unscaled x)) by (unfold phi, unscaled, plus, Rdiv; simpl; ring).
  apply (is_derive_plus (V := R_NormedModule) (fun _ => 1 / 2) (fun x => / sqrt (2 * PI) * area x));
    [apply (is_derive_const (V := R_NormedModule))|apply is_derive_scal, area_derive].
Qed.

Lemma area_opposite x : area (- x) = - area x.
Proof.
  assert (D : forall y : R, is_derive (fun y => area y + area (- y)) y 0).
  { intros y. replace 0 with (plus (unscaled y) (scal (-1) (unscaled (- y)))).
    - apply (is_derive_plus (V := R_NormedModule) area (fun y => area (- y))); [apply area_derive|].
      apply (is_derive_comp area (fun y => - y)); [apply area_derive|]. auto_derive; auto.
    - unfold plus, scal, unscaled. simpl. unfold mult. simpl. replace (- y * (- y * 1)) with (y * (y * 1)) by ring. ring. }
  assert (E : area 0 + area (- 0) = area x + area (- x)).
  { set (f := fun y => area y + area (- y)). change (f 0 = f x).
    destruct (Rtotal_order 0 x) as [H|[<-|H]]; [|reflexivity|symmetry]; apply (eq_is_derive f); auto; intros; apply D. }
  rewrite Ropp_0, area_0 in E. lra.
Qed.
Lemma Phi_opposite x : Phi (- x) = 1 - Phi x.
Proof. unfold Phi. rewrite area_opposite. field. generalize root_positive. lra. Qed.
Lemma Phi_0 : Phi 0 = 1 / 2.
Proof. unfold Phi. rewrite area_0. field. generalize root_positive. lra. Qed.
Lemma Phi_monotone x y : x <= y -> Phi x <= Phi y.
Proof. intros H. apply rises with phi; auto; intros z _; [apply Phi_derive|left; apply phi_positive]. Qed.

(** (Φ(x) - 1/2)² = 1/4 - (what is left)/π. *)
Lemma Phi_squared x : (Phi x - 1 / 2) ^ 2 = 1 / 4 - rest x / PI.
Proof.
  assert (P := PI_RGT_0). assert (H := root_positive). unfold Phi.
  replace (1 / 2 + area x / sqrt (2 * PI) - 1 / 2) with (area x / sqrt (2 * PI)) by ring.
  unfold Rdiv at 1. rewrite Rpow_mult_distr, pow_inv, root_squared.
  replace (area x ^ 2) with (PI / 2 - 2 * rest x) by (generalize (area_squared x); lra).
  field. lra.
Qed.
Theorem Phi_bounds x : 0 <= Phi x <= 1.
Proof.
  assert (P := PI_RGT_0). assert (E := Phi_squared x). destruct (rest_bounds x) as [R _].
  assert (0 <= rest x / PI) by (apply Rmult_le_pos; [auto|left; now apply Rinv_0_lt_compat]). nra.
Qed.
(** The Gaussian integral. *)
Theorem Phi_rises_to_1 : is_lim Phi p_infty 1.
Proof.
  assert (P := PI_RGT_0). assert (P3 : 3 < PI) by (generalize PI2_3_2; unfold PI2; lra).
  apply (is_lim_le_le_loc (fun x => 1 - / x) (fun _ => 1)).
  - exists 1. intros x Hx. split; [|apply Phi_bounds].
    assert (Phi x >= 1 / 2) by (rewrite <- Phi_0; apply Rle_ge, Phi_monotone; lra). assert (E := Phi_squared x).
    destruct (rest_bounds x) as [_ R].
    (* e^(-x²/2) <= 2/x², and so what is left is at most 1/x². *)
    assert (U : unscaled x <= 2 * / x ^ 2).
    { unfold unscaled. rewrite exp_Ropp. replace (2 * / x ^ 2) with (/ (x ^ 2 / 2)) by (field; lra).
      assert (0 < x ^ 2) by (apply pow_lt; lra). apply Rinv_le_contravar; [lra|]. generalize (exp_ineq1_le (x ^ 2 / 2)). lra. }
    assert (B : rest x / PI <= / x ^ 2).
    { apply Rmult_le_reg_r with PI; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      assert (0 < / x ^ 2) by (apply Rinv_0_lt_compat, pow_lt; lra). nra. }
    assert (I : 0 < / x < 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_lt_contravar; lra]).
    rewrite <- pow_inv in B. set (i := / x) in *. set (p := Phi x) in *.
    apply Rnot_lt_le. intros C. assert ((p - 1 / 2) ^ 2 < 1 / 4 - i ^ 2) by (destruct (Rle_dec i (1 / 2)); nra). lra.
  - replace (Finite 1) with (Rbar_minus (Finite 1) (Rbar_inv p_infty)) by (simpl; f_equal; ring).
    apply is_lim_minus with (Finite 1) (Rbar_inv p_infty); [apply is_lim_const| |reflexivity].
    apply is_lim_inv; [apply is_lim_id|discriminate].
  - apply is_lim_const.
Qed.
