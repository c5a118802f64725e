(** Functions whose Fourier coefficients vanish in the limit vanish in the limit at 0, if they are equally steep.

    By the kernels cos(cx)^(2n) of [-L/2, L/2], c = π/L, which gather at 0 as n grows. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Certus.account Require Import Constants NormalLaw.
Open Scope R_scope.

Lemma continuous_integrable (f : R -> R) a b : (forall x, continuous f x) -> ex_RInt f a b.
Proof. intros H. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). auto. Qed.
Lemma derivable_continuous (f : R -> R) (x : R) : ex_derive f x -> continuous f x.
Proof. apply (ex_derive_continuous f x). Qed.

Lemma half_sine y : 0 <= y <= PI / 2 -> y / 2 <= sin y.
Proof.
  intros H. assert (P := PI_RGT_0). assert (P4 := PI_4). set (f := fun y => sin y + - (y / 2)).
  assert (D : forall x : R, is_derive f x (cos x + - (1 / 2))) by (intros x; unfold f; auto_derive; [auto|field]).
  destruct (Rle_dec y (PI / 3)) as [K|K].
  - assert (R : f 0 <= f y).
    { apply (rises f (fun x => cos x + - (1 / 2))); [lra|intros; apply D|]. intros x Hx.
      assert (cos (PI / 3) <= cos x) by (apply cos_decr_1; lra). rewrite cos_PI3 in H0. lra. }
    unfold f in R. rewrite sin_0 in R. lra.
  - assert (R : - f y <= - f (PI / 2)).
    { apply (rises (fun x => - f x) (fun x => - (cos x + - (1 / 2)))); [lra| |].
      - intros x _. apply (is_derive_opp f). apply D.
      - intros x Hx. assert (cos x <= cos (PI / 3)) by (apply cos_decr_1; lra). rewrite cos_PI3 in H0. lra. }
    unfold f in R. rewrite sin_PI2 in R. lra.
Qed.

Section Peaks.
Variable L : R.
Hypothesis L_positive : 0 < L.
Notation c := (PI / L).
Lemma c_positive : 0 < c.
Proof. apply Rdiv_lt_0_compat; [apply PI_RGT_0|auto]. Qed.
Lemma c_times_half : c * (L / 2) = PI / 2.
Proof. field. lra. Qed.

Definition peak (n : nat) (x : R) : R := cos (c * x) ^ (2 * n).
Lemma peak_continuous n x : continuous (peak n) x.
Proof. apply derivable_continuous. unfold peak. auto_derive. auto. Qed.
Lemma peak_nonneg n x : 0 <= peak n x.
Proof. unfold peak. rewrite pow_mult. apply pow_le, pow2_ge_0. Qed.
Lemma peak_next n x : peak (S n) x = cos (c * x) ^ 2 * peak n x.
Proof. unfold peak. replace (2 * S n)%nat with (2 + 2 * n)%nat by lia. rewrite pow_add. reflexivity. Qed.
Definition area_of_peak (n : nat) : R := RInt (peak n) (- (L / 2)) (L / 2).
Lemma area_of_peak_positive n : 0 < area_of_peak n.
Proof.
  apply RInt_gt_0; [lra| |intros; apply peak_continuous]. intros x Hx. unfold peak. apply pow_lt.
  assert (C := c_positive). assert (E := c_times_half). apply cos_gt_0; nra.
Qed.
(** ∫ sin²·cos^(2n) = ∫ cos^(2n) / (2n+2), by the derivative of sin·cos^(2n+1). *)
Lemma area_of_sides n : is_RInt (fun x => sin (c * x) ^ 2 * peak n x) (- (L / 2)) (L / 2) (area_of_peak n / (2 * INR n + 2)).
Proof.
  assert (C := c_positive). assert (N := pos_INR n).
  set (f := fun x => sin (c * x) * cos (c * x) ^ (2 * n + 1)).
  assert (D : forall x : R, is_derive f x (c * (peak n x + - (2 * INR n + 2) * (sin (c * x) ^ 2 * peak n x)))).
  { intros x. unfold f, peak. auto_derive; [auto|].
    replace (n + (n + 0) + 1)%nat with (S (2 * n)) by lia. rewrite S_INR, mult_INR. change (Nat.pred (S (2 * n))) with (2 * n)%nat.
    change (INR 2) with (1 + 1). assert (E := sin2_cos2 (c * x)). unfold Rsqr in E.
    rewrite <- tech_pow_Rmult. set (p := cos (c * x) ^ (2 * n)). set (y := sin (c * x)) in *. set (k := cos (c * x)) in *.
    replace (c * 1 * k * (k * p)) with (c * p * (k * k)) by ring. replace (k * k) with (1 - y * y) by lra. ring. }
  assert (I : is_RInt (fun x => c * (peak n x + - (2 * INR n
    + 2) * (sin (c * x) ^ 2 * peak n x))) (- (L / 2)) (L / 2) (minus (f (L / 2)) (f (- (L / 2))))).
  { apply (is_RInt_derive (V := R_CompleteNormedModule)); [intros; apply D|]. intros x _. apply derivable_continuous. unfold peak. auto_derive. auto.
    }
  assert (Z : minus (f (L / 2)) (f (- (L / 2))) = 0).
  { unfold f, minus, plus, opp. simpl. replace (c * - (L / 2)) with (- (c * (L / 2))) by ring. rewrite cos_neg, c_times_half, cos_PI2.
    rewrite !pow_i by lia. ring. }
  rewrite Z in I. assert (J : ex_RInt (fun x => sin (c * x) ^ 2 * peak n x) (- (L / 2)) (L / 2)).
  { apply continuous_integrable. intros x. apply derivable_continuous. unfold peak. auto_derive. auto. }
  destruct J as [v J].
  assert (A : is_RInt (peak n) (- (L / 2)) (L / 2) (area_of_peak n)).
  { apply (RInt_correct (V := R_CompleteNormedModule)), continuous_integrable. apply peak_continuous. }
  assert (K := is_RInt_scal _ _ _ c _ (is_RInt_plus _ _ _ _ _ _ A (is_RInt_scal _ _ _ (- (2 * INR n + 2)) _ J))).
  assert (U := is_RInt_unique _ _ _ _ I).
  assert (V : RInt (fun x => c * (peak n x + - (2 * INR n + 2) * (sin (c * x) ^ 2 * peak n x))) (- (L / 2)) (L / 2)
    = c * (area_of_peak n + - (2 * INR n + 2) * v)).
  { apply is_RInt_unique. exact K. }
  assert (Q : c * (area_of_peak n + - (2 * INR n + 2) * v) = 0) by (rewrite <- V; exact U).
  apply Rmult_integral in Q. destruct Q as [Q|Q]; [lra|].
  replace (area_of_peak n / (2 * INR n + 2)) with v; [exact J|]. apply Rmult_eq_reg_r with (2 * INR n + 2); [|lra].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** |x| is at most (2/c)·|sin(cx)|, and so at most (2/c)·(η + sin²/η) there. *)
Lemma distance_bound x eta : 0 < eta -> Rabs x <= L / 2 -> Rabs x <= 2 / c * (eta + sin (c * x) ^ 2 / eta).
Proof.
  intros He Hx. assert (C := c_positive). assert (E := c_times_half).
  assert (S : Rabs x <= 2 / c * Rabs (sin (c * x))).
  { apply Rmult_le_reg_l with (c / 2); [lra|].
    replace (c / 2 * (2 / c * Rabs (sin (c * x)))) with (Rabs (sin (c * x))) by (field; split; [lra|generalize PI_RGT_0; lra]).
    assert (H := half_sine (c * Rabs x)). assert (0 <= Rabs x) by apply Rabs_pos.
    replace (Rabs (sin (c * x))) with (Rabs (sin (c * Rabs x))).
    - eapply Rle_trans; [|apply Rle_abs]. eapply Rle_trans; [|apply H; nra]. lra.
    - unfold Rabs at 2. destruct (Rcase_abs x); [|reflexivity]. replace (c * - x) with (- (c * x)) by ring. rewrite sin_neg, Rabs_Ropp. reflexivity. }
  eapply Rle_trans; [exact S|]. apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|].
  set (y := sin (c * x)). assert (Y : Rabs y * Rabs y = y ^ 2) by (rewrite <- Rabs_mult, Rabs_pos_eq; [ring|nra]).
  apply Rmult_le_reg_l with eta; auto. replace (eta * (eta + y ^ 2 / eta)) with (eta * eta + y ^ 2) by (field; lra).
  assert (0 <= Rabs y) by apply Rabs_pos. rewrite <- Y. nra.
Qed.

Variables (D : nat -> R -> R) (slope d : R).
Hypothesis D_continuous : forall N x, continuous (D N) x.
Hypothesis D_steep : forall N x, Rabs x <= L / 2 -> Rabs (D N x - D N 0) <= slope * Rabs x.
Hypothesis D_limit : is_lim_seq (fun N => D N 0) d.
Definition coefficient (N m : nat) : R := RInt (fun x => D N x * cos (2 * INR m * (c * x))) (- (L / 2)) (L / 2).
Hypothesis D_coefficients : forall m, is_lim_seq (fun N => coefficient N m) 0.

Lemma product_continuous N n m x : continuous (fun x => D N x * (peak n x * cos (2 * INR m * (c * x)))) x.
Proof.
  apply (continuous_mult (D N)); [apply D_continuous|]. apply derivable_continuous. unfold peak. auto_derive. auto.
Qed.
(** Against the kernels too, since cos²·cos(2m·) is a sum of three cosines. *)
Lemma against_peaks n : forall m, is_lim_seq (fun N => RInt (fun x => D N x * (peak n x * cos (2 * INR m * (c * x)))) (- (L / 2)) (L / 2)) 0.
Proof.
  induction n as [|n IH]; intros m.
  - eapply is_lim_seq_ext; [|apply (D_coefficients m)]. intros N. apply RInt_ext. intros x _. unfold peak. simpl. ring.
  - set (m' := match m with O => 1%nat | S m => m end).
    assert (T : forall x, cos (c * x) ^ 2 * cos (2 * INR m * (c * x))
      = 1 / 2 * cos (2 * INR m * (c * x)) + (1 / 4 * cos (2 * INR (S m) * (c * x)) + 1 / 4 * cos (2 * INR m' * (c * x)))).
    { intros x. assert (M' : cos (2 * INR m' * (c * x)) = cos (2 * INR m * (c * x) - 2 * (c * x))).
      { unfold m'. destruct m as [|m]; [simpl INR; rewrite <- cos_neg|rewrite S_INR]; f_equal; ring. }
      rewrite M', S_INR. replace (2 * (INR m + 1) * (c * x)) with (2 * INR m * (c * x) + 2 * (c * x)) by ring.
      rewrite cos_plus, cos_minus, (cos_2a_cos (c * x)). simpl. field. }
    apply (is_lim_seq_ext (fun N => 1 / 2 * RInt (fun x => D N x * (peak n x * cos (2 * INR m * (c * x)))) (- (L / 2)) (L / 2)
      + (1 / 4 * RInt (fun x => D N x * (peak n x * cos (2 * INR (S m) * (c * x)))) (- (L / 2)) (L / 2)
        + 1 / 4 * RInt (fun x => D N x * (peak n x * cos (2 * INR m' * (c * x)))) (- (L / 2)) (L / 2)))).
    + intros N. symmetry. apply is_RInt_unique.
      assert (I : forall m, is_RInt (fun x => D N x * (peak n x * cos (2 * INR m * (c * x)))) (- (L / 2)) (L / 2)
        (RInt (fun x => D N x * (peak n x * cos (2 * INR m * (c * x)))) (- (L / 2)) (L / 2))).
      { intros k. apply (RInt_correct (V := R_CompleteNormedModule)), continuous_integrable. intros x. apply product_continuous. }
      assert (K := is_RInt_plus _ _ _ _ _ _ (is_RInt_scal _ _ _ (1 / 2) _ (I m))
        (is_RInt_plus _ _ _ _ _ _ (is_RInt_scal _ _ _ (1 / 4) _ (I (S m))) (is_RInt_scal _ _ _ (1 / 4) _ (I m')))).
      refine (is_RInt_ext _ _ _ _ _ _ K). intros x _. rewrite peak_next.
      replace (D N x * (cos (c * x) ^ 2 * peak n x * cos (2 * INR m * (c * x))))
        with (D N x * (peak n x * (cos (c * x) ^ 2 * cos (2 * INR m * (c * x))))) by ring.
      rewrite T. unfold plus, scal. simpl. unfold mult. simpl. ring.
    + replace (Finite 0) with (Finite (1 / 2 * 0 + (1 / 4 * 0 + 1 / 4 * 0))) by (f_equal; ring).
      apply is_lim_seq_plus'; [|apply is_lim_seq_plus']; apply is_lim_seq_mult'; try apply is_lim_seq_const; apply IH.
Qed.

Lemma limit_at_most n eta : 0 < eta -> 0 <= slope -> d <= slope * (2 / c * (eta + / (eta * (2 * INR n + 2)))).
Proof.
  intros He Hs. assert (A := area_of_peak_positive n). assert (N := pos_INR n). assert (C := c_positive).
  apply Rmult_le_reg_r with (area_of_peak n); auto.
  set (k := slope * (2 / c)). set (rest_of := k * (eta * area_of_peak n + / eta * (area_of_peak n / (2 * INR n + 2)))).
  replace (slope * (2 / c * (eta + / (eta * (2 * INR n + 2)))) * area_of_peak n) with rest_of
    by (unfold rest_of, k; field; repeat split; try lra; generalize PI_RGT_0; lra).
  assert (P := against_peaks n 0).
  assert (B : forall M, D M 0 * area_of_peak n <= RInt (fun x => D M x * (peak n x * cos (2 * INR 0 * (c * x)))) (- (L / 2)) (L / 2) + rest_of).
  { intros M. assert (PC : is_RInt (peak n) (- (L / 2)) (L / 2) (area_of_peak n)).
    { apply (RInt_correct (V := R_CompleteNormedModule)), continuous_integrable. apply peak_continuous. }
    assert (J := is_RInt_plus _ _ _ _ _ _ (is_RInt_scal _ _ _ eta _ PC) (is_RInt_scal _ _ _ (/ eta) _ (area_of_sides n))).
    apply (is_RInt_scal _ _ _ k) in J.
    assert (I : is_RInt (fun x => D M x * (peak n x * cos (2 * INR 0 * (c * x)))) (- (L / 2)) (L / 2)
      (RInt (fun x => D M x * (peak n x * cos (2 * INR 0 * (c * x)))) (- (L / 2)) (L / 2))).
    { apply (RInt_correct (V := R_CompleteNormedModule)), continuous_integrable. intros x. apply product_continuous. }
    assert (HL : - (L / 2) <= L / 2) by lra.
    apply (is_RInt_le _ _ _ _ _ _ HL (is_RInt_scal _ _ _ (D M 0) _ PC) (is_RInt_plus _ _ _ _ _ _ I J)).
    intros x Hx. unfold plus, scal. simpl. unfold mult. simpl. rewrite Rmult_0_r, Rmult_0_l, cos_0, Rmult_1_r.
    assert (Ax : Rabs x <= L / 2) by (apply Rabs_le; lra). assert (St := D_steep M x Ax). apply Rabs_le_between in St.
    assert (Db := distance_bound x eta He Ax). assert (Pn := peak_nonneg n x).
    assert (slope * Rabs x <= k * (eta + sin (c * x) ^ 2 / eta)).
    { unfold k. rewrite Rmult_assoc. apply Rmult_le_compat_l; auto. }
    assert (D M 0 <= D M x + k * (eta + sin (c * x) ^ 2 / eta)) by lra.
    replace (k * (eta * peak n x + / eta * (sin (c * x) * (sin (c * x) * 1) * peak n x)))
      with (k * (eta + sin (c * x) ^ 2 / eta) * peak n x) by (unfold Rdiv; simpl; ring).
    nra. }
  apply (is_lim_seq_le (fun M => D M 0 * area_of_peak n)
    (fun M => RInt (fun x => D M x * (peak n x * cos (2 * INR 0 * (c * x)))) (- (L / 2)) (L / 2) + rest_of) (d * area_of_peak n) rest_of).
  - exact B.
  - apply is_lim_seq_mult'; [exact D_limit|apply is_lim_seq_const].
  - replace (Finite rest_of) with (Finite (0 + rest_of)) by (f_equal; ring). apply is_lim_seq_plus'; [exact P|apply is_lim_seq_const].
Qed.
Lemma limit_not_positive : 0 <= slope -> d <= 0.
Proof.
  intros Hs. assert (C := c_positive). apply le_epsilon. intros e He. rewrite Rplus_0_l. set (k := slope * (2 / c)).
  assert (K : 0 <= k) by (apply Rmult_le_pos; auto; left; apply Rdiv_lt_0_compat; lra).
  set (eta := e / (2 * (k + 1))). assert (E0 : 0 < eta) by (apply Rdiv_lt_0_compat; lra).
  destruct (nfloor_ex (/ (eta * eta))) as (n & Hn); [left; apply Rinv_0_lt_compat; nra|].
  assert (H := limit_at_most n eta E0 Hs). rewrite <- Rmult_assoc in H. fold k in H.
  assert (I : / (eta * (2 * INR n + 2)) <= eta).
  { replace eta with (/ (eta * / (eta * eta))) at 2 by (field; lra). assert (0 < / (eta * eta)) by (apply Rinv_0_lt_compat; nra).
    apply Rinv_le_contravar; [apply Rmult_lt_0_compat; auto|]. apply Rmult_le_compat_l; lra. }
  assert (k * (eta + / (eta * (2 * INR n + 2))) <= k * (2 * eta)) by (apply Rmult_le_compat_l; lra).
  assert (k * (2 * eta) <= e); [|lra]. unfold eta. replace (k * (2 * (e / (2 * (k + 1))))) with (e * (k / (k + 1))) by (field; lra).
  assert (k / (k + 1) <= 1); [|nra]. apply Rmult_le_reg_r with (k + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
End Peaks.
