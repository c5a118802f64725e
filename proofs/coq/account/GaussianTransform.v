(** The transform of the normal density: ∫ φ(x)·cos(τx) dx = e^(-τ²/2), ∫ φ(x)·sin(τx) dx = 0, over the whole line.

    e^(τ²/2)·∫_0^y φ(x)·cos(τx) dx has the derivative e^(τ²/2)·φ(y)·sin(τy) in τ, which is gone far out: it is what it is at τ = 0. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Certus.samplers Require Import FiniteSums.
From Certus.account Require Import Constants NormalLaw Peaks Poisson.
Open Scope R_scope.

Lemma phi_derive (x : R) : is_derive phi x (- x * phi x).
Proof. unfold phi. assert (R := root_positive). auto_derive; [lra|]. simpl. unfold Rdiv. field. lra. Qed.
Lemma phi_at_most_1 x : phi x <= 1.
Proof.
  unfold phi. assert (R := root_positive). assert (P := PI2_3_2). unfold PI2 in P.
  assert (S : 1 <= sqrt (2 * PI)) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
  assert (E : exp (- (x ^ 2 / 2)) <= 1) by (apply exp_unit; generalize (pow2_ge_0 x); lra).
  apply Rmult_le_reg_r with (sqrt (2 * PI)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma phi_even x : phi (- x) = phi x.
Proof. unfold phi. replace ((- x) ^ 2) with (x ^ 2) by ring. reflexivity. Qed.

Definition cosine_part (tau y : R) : R := RInt (fun x => phi x * cos (tau * x)) 0 y.
Definition sine_part (tau y : R) : R := RInt (fun x => phi x * sin (tau * x)) 0 y.
Lemma primitive_derive (f : R -> R) (y : R) : (forall x, continuous f x) -> is_derive (fun y => RInt f 0 y) y (f y).
Proof.
  intros H. apply (is_derive_RInt f _ 0 y); [|apply H]. apply filter_forall. intros z.
  apply (RInt_correct (V := R_CompleteNormedModule) f 0 z). now apply continuous_integrable.
Qed.
Lemma cosine_part_derive tau (y : R) : is_derive (cosine_part tau) y (phi y * cos (tau * y)).
Proof. apply (primitive_derive (fun x => phi x * cos (tau * x))). intros x. apply derivable_continuous. unfold phi. auto_derive.
generalize root_positive. lra. Qed.
Lemma sine_part_derive tau (y : R) : is_derive (sine_part tau) y (phi y * sin (tau * y)).
Proof. apply (primitive_derive (fun x => phi x * sin (tau * x))). intros x. apply derivable_continuous. unfold phi. auto_derive.
generalize root_positive. lra. Qed.
Lemma cosine_part_0 tau : cosine_part tau 0 = 0. Proof. unfold cosine_part. rewrite RInt_point. reflexivity. Qed.
Lemma sine_part_0 tau : sine_part tau 0 = 0. Proof. unfold sine_part. rewrite RInt_point. reflexivity. Qed.

(** In τ. *)
Lemma cosine_part_in_tau (tau : R) y : is_derive (fun tau => cosine_part tau y) tau (phi y * sin (tau * y) - tau * cosine_part tau y).
Proof.
  assert (D : forall u t : R, is_derive (fun u => phi t * cos (u * t)) u (- t * phi t * sin (u * t))).
  { intros u t. auto_derive; [auto|]. ring. }
  replace (phi y * sin (tau * y) - tau * cosine_part tau y) with (RInt (fun t => Derive (fun u => phi t * cos (u * t)) tau) 0 y).
  - unfold cosine_part. apply (is_derive_RInt_param (fun u t => phi t * cos (u * t))).
    + apply filter_forall. intros u t _. eexists. apply D.
    + intros t _. apply continuity_2d_pt_ext with (fun u v => - v * phi v * sin (u * v)).
      * intros u v. symmetry. apply is_derive_unique, D.
      * apply continuity_2d_pt_mult; [apply continuity_2d_pt_mult; [apply continuity_2d_pt_opp, continuity_2d_pt_id2|]|].
        -- apply (continuity_1d_2d_pt_comp phi (fun u v => v)); [|apply continuity_2d_pt_id2]. apply continuity_pt_filterlim, phi_continuous.
        -- apply (continuity_1d_2d_pt_comp sin (fun u v => u * v)); [apply continuity_sin|].
           apply continuity_2d_pt_mult; [apply continuity_2d_pt_id1|apply continuity_2d_pt_id2].
    + apply filter_forall. intros u. apply continuous_integrable. intros x. apply derivable_continuous. unfold phi. auto_derive.
      generalize root_positive. lra.
  - apply is_RInt_unique.
    assert (I : is_RInt (fun x => - x * phi x * sin (tau * x)
      + tau * (phi x * cos (tau * x))) 0 y (minus (phi y * sin (tau * y)) (phi 0 * sin (tau * 0)))).
    { apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => phi x * sin (tau * x))).
      - intros x _. replace (- x * phi x * sin (tau * x) + tau * (phi x * cos (tau * x)))
          with (plus (mult (- x * phi x) (sin (tau * x))) (mult (phi x) (tau * cos (tau * x)))) by (unfold plus, mult; simpl; ring).
        apply (is_derive_mult phi (fun x => sin (tau * x))); [apply phi_derive| |intros; apply Rmult_comm]. auto_derive; auto. ring.
      - intros x _. apply derivable_continuous. unfold phi. auto_derive. generalize root_positive. lra. }
    assert (J : is_RInt (fun x => phi x * cos (tau * x)) 0 y (cosine_part tau y)).
    { apply (RInt_correct (V := R_CompleteNormedModule)), continuous_integrable. intros x. apply derivable_continuous. unfold phi. auto_derive.
      generalize root_positive. lra. }
    assert (K := is_RInt_minus _ _ _ _ _ _ I (is_RInt_scal _ _ _ tau _ J)).
    replace (phi y * sin (tau * y) - tau * cosine_part tau y)
      with (minus (minus (phi y * sin (tau * y)) (phi 0 * sin (tau * 0))) (scal tau (cosine_part tau y))).
    + refine (is_RInt_ext _ _ _ _ _ _ K). intros x _. symmetry. etransitivity; [apply is_derive_unique, D|].
      unfold minus, plus, opp, scal. simpl. unfold mult. simpl. ring.
    + unfold minus, plus, opp, scal. simpl. unfold mult. simpl. rewrite Rmult_0_r, sin_0. ring.
Qed.
Lemma cosine_part_is tau y : Rabs (cosine_part tau y - exp (- (tau ^ 2 / 2)) * (Phi y - 1 / 2)) <= Rabs tau * phi y.
Proof.
  set (f := fun tau => exp (tau ^ 2 / 2) * cosine_part tau y).
  assert (D : forall tau : R, is_derive f tau (exp (tau ^ 2 / 2) * (phi y * sin (tau * y)))).
  { intros u. replace (exp (u ^ 2 / 2) * (phi y * sin (u * y)))
      with (plus (mult (u * exp (u ^ 2 / 2)) (cosine_part u y)) (mult (exp (u ^ 2 / 2)) (phi y * sin (u * y) - u * cosine_part u y)))
      by (unfold plus, mult; simpl; ring).
    apply (is_derive_mult (fun u => exp (u ^ 2 / 2)) (fun u => cosine_part u y)); [|apply cosine_part_in_tau|intros; apply Rmult_comm].
    auto_derive; auto. simpl. unfold Rdiv. field. }
  assert (S := steep f _ (exp (tau ^ 2 / 2) * phi y) tau D).
  assert (F0 : f 0 = Phi y - 1 / 2).
  { unfold f. replace (0 ^ 2 / 2) with 0 by (simpl; field). rewrite exp_0, Rmult_1_l. unfold cosine_part.
    apply is_RInt_unique. replace (Phi y - 1 / 2) with (minus (Phi y) (Phi 0)) by (rewrite Phi_0; reflexivity).
    apply (is_RInt_ext phi); [intros x _; rewrite Rmult_0_l, cos_0, Rmult_1_r; reflexivity|].
    apply (is_RInt_derive (V := R_CompleteNormedModule) Phi phi); intros; [apply Phi_derive|apply phi_continuous]. }
  rewrite F0 in S. assert (P := phi_positive y). assert (E := exp_pos (tau ^ 2 / 2)). assert (O := exp_times_opposite (tau ^ 2 / 2)).
  set (e := exp (- (tau ^ 2 / 2))) in *. assert (E' : 0 < e) by apply exp_pos.
  replace (cosine_part tau y - e * (Phi y - 1 / 2)) with (e * (f tau - (Phi y - 1 / 2))).
  2:{ unfold f. replace (e * (exp (tau ^ 2 / 2) * cosine_part tau y - (Phi y - 1 / 2)))
        with (exp (tau ^ 2 / 2) * e * cosine_part tau y - e * (Phi y - 1 / 2)) by ring. rewrite O. ring. }
  rewrite Rabs_mult, (Rabs_pos_eq e) by lra.
  replace (Rabs tau * phi y) with (e * (exp (tau ^ 2 / 2) * phi y * Rabs tau)).
  2:{ replace (e * (exp (tau ^ 2 / 2) * phi y * Rabs tau)) with (exp (tau ^ 2 / 2) * e * (phi y * Rabs tau)) by ring. rewrite O. ring. }
  apply Rmult_le_compat_l; [lra|]. apply S. intros u Hu.
  rewrite !Rabs_mult, (Rabs_pos_eq (exp _)), (Rabs_pos_eq (phi y)) by (left; auto using exp_pos, phi_positive).
  assert (SB := SIN_bound (u * y)). assert (SA : Rabs (sin (u * y)) <= 1) by (apply Rabs_le; lra). assert (SP := Rabs_pos (sin (u * y))).
  assert (EU : exp (u ^ 2 / 2) <= exp (tau ^ 2 / 2)).
  { apply exp_le. assert (Rabs u * Rabs u <= Rabs tau * Rabs tau) by (assert (0 <= Rabs u) by apply Rabs_pos; nra).
    rewrite <- !Rabs_mult, !Rabs_pos_eq in H by nra. simpl. lra. }
  assert (X := exp_pos (u ^ 2 / 2)). apply Rmult_le_compat; nra.
Qed.

(** Far out. *)
Lemma phi_limit : is_lim phi p_infty 0.
Proof.
  apply (is_lim_le_le_loc (fun _ => 0) (fun x => / x)); [|apply is_lim_const|].
  - exists 2. intros x Hx. split; [left; apply phi_positive|]. unfold phi.
    assert (R := root_positive). assert (P := PI2_3_2). unfold PI2 in P.
    assert (S : 1 <= sqrt (2 * PI)) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
    apply Rle_trans with (exp (- (x ^ 2 / 2))).
    + assert (E := exp_pos (- (x ^ 2 / 2))). apply Rmult_le_reg_r with (sqrt (2 * PI)); auto. unfold Rdiv.
      rewrite (Rmult_assoc _ (/ sqrt _)), Rinv_l by lra. nra.
    + rewrite exp_Ropp. apply Rinv_le_contravar; [lra|]. generalize (exp_ineq1_le (x ^ 2 / 2)). simpl. nra.
  - apply (is_lim_inv (fun x => x) p_infty p_infty); [apply is_lim_id|discriminate].
Qed.
Lemma along (f : R -> R) (l : R) (y : nat -> R) : is_lim f p_infty l -> is_lim_seq y p_infty -> is_lim_seq (fun N => f (y N)) l.
Proof. intros H K. exact (filterlim_comp _ _ _ y f eventually (Rbar_locally p_infty) (Rbar_locally l) K H). Qed.
Lemma cosine_part_limit tau y : is_lim_seq y p_infty -> is_lim_seq (fun N => cosine_part tau (y N)) (exp (- (tau ^ 2 / 2)) / 2).
Proof.
  intros H. set (e := exp (- (tau ^ 2 / 2))).
  assert (L1 : is_lim_seq (fun N => e * (Phi (y N) - 1 / 2) + -1 * (Rabs tau * phi (y N))) (e / 2)).
  { replace (e / 2) with (e * (1 - 1 / 2) + -1 * (Rabs tau * 0)) by field.
    apply is_lim_seq_plus'; apply is_lim_seq_mult'; try apply is_lim_seq_const.
    - apply is_lim_seq_minus'; [|apply is_lim_seq_const]. now apply (along Phi 1 y Phi_rises_to_1).
    - apply is_lim_seq_mult'; [apply is_lim_seq_const|]. now apply (along phi 0 y phi_limit). }
  assert (L2 : is_lim_seq (fun N => e * (Phi (y N) - 1 / 2) + Rabs tau * phi (y N)) (e / 2)).
  { replace (e / 2) with (e * (1 - 1 / 2) + Rabs tau * 0) by field.
    apply is_lim_seq_plus'; apply is_lim_seq_mult'; try apply is_lim_seq_const.
    - apply is_lim_seq_minus'; [|apply is_lim_seq_const]. now apply (along Phi 1 y Phi_rises_to_1).
    - now apply (along phi 0 y phi_limit). }
  apply (is_lim_seq_le_le _ _ _ (e / 2)) with (2 := L1) (3 := L2). intros N.
  assert (B := cosine_part_is tau (y N)). apply Rabs_le_between in B. fold e in B. lra.
Qed.
Lemma symmetric_zero (f : R -> R) (df : R -> R) : (forall x : R, is_derive f x (df x)) -> (forall x, df x = 0) -> forall x, f x = f 0.
Proof.
  intros H Z x. destruct (Rtotal_order 0 x) as [K|[<-|K]]; [symmetry|reflexivity|];
    apply (eq_is_derive f); auto; intros t _; generalize (H t); rewrite (Z t); auto.
Qed.
Lemma reflected_derive (f df : R -> R) (x : R) : (forall x : R, is_derive f x (df x)) -> is_derive (fun x => f (- x)) x (-1 * df (- x)).
Proof.
  intros H. apply (is_derive_comp f (fun x => - x)); [apply H|]. auto_derive; auto.
Qed.
Lemma cosine_part_odd tau y : cosine_part tau (- y) = - cosine_part tau y.
Proof.
  assert (K := symmetric_zero (fun y => cosine_part tau y + cosine_part tau (- y))
    (fun y => phi y * cos (tau * y) + -1 * (phi (- y) * cos (tau * - y)))).
  simpl in K. rewrite (Ropp_0), cosine_part_0 in K. enough (cosine_part tau y + cosine_part tau (- y) = 0 + 0) by lra. apply K.
  - intros x. apply (is_derive_plus (V := R_NormedModule) (cosine_part tau) (fun x => cosine_part tau (- x))); [apply cosine_part_derive|].
    apply (reflected_derive (cosine_part tau) (fun x => phi x * cos (tau * x))). apply cosine_part_derive.
  - intros x. rewrite phi_even. replace (tau * - x) with (- (tau * x)) by ring. rewrite cos_neg. ring.
Qed.
Lemma sine_part_even tau y : sine_part tau (- y) = sine_part tau y.
Proof.
  assert (K := symmetric_zero (fun y => sine_part tau (- y) + -1 * sine_part tau y)
    (fun y => -1 * (phi (- y) * sin (tau * - y)) + -1 * (phi y * sin (tau * y)))).
  simpl in K. rewrite (Ropp_0), sine_part_0 in K. enough (sine_part tau (- y) + -1 * sine_part tau y = 0 + -1 * 0) by lra. apply K.
  - intros x. apply (is_derive_plus (V := R_NormedModule) (fun x => sine_part tau (- x)) (fun x => -1 * sine_part tau x));
      [|apply is_derive_scal, sine_part_derive].
    apply (reflected_derive (sine_part tau) (fun x => phi x * sin (tau * x))). apply sine_part_derive.
  - intros x. rewrite phi_even. replace (tau * - x) with (- (tau * x)) by ring. rewrite sin_neg. ring.
Qed.
Lemma sine_part_between tau x y : x <= y -> Rabs (sine_part tau y - sine_part tau x) <= Phi y - Phi x.
Proof.
  intros H. assert (B : forall z, -1 <= sin (tau * z) <= 1) by (intros; apply SIN_bound). apply Rabs_le. split.
  - assert (K : 1 * Phi x + 1 * sine_part tau x <= 1 * Phi y + 1 * sine_part tau y); [|lra].
    apply (rises (fun z => 1 * Phi z + 1 * sine_part tau z) (fun z => 1 * phi z + 1 * (phi z * sin (tau * z)))); auto.
    + intros z _. apply (is_derive_plus (V := R_NormedModule) (fun z => 1 * Phi z) (fun z => 1 * sine_part tau z)); apply is_derive_scal;
        [apply Phi_derive|apply sine_part_derive].
    + intros z _. assert (P := phi_positive z). assert (S := B z). nra.
  - assert (K : 1 * Phi x + -1 * sine_part tau x <= 1 * Phi y + -1 * sine_part tau y); [|lra].
    apply (rises (fun z => 1 * Phi z + -1 * sine_part tau z) (fun z => 1 * phi z + -1 * (phi z * sin (tau * z)))); auto.
    + intros z _. apply (is_derive_plus (V := R_NormedModule) (fun z => 1 * Phi z) (fun z => -1 * sine_part tau z)); apply is_derive_scal;
        [apply Phi_derive|apply sine_part_derive].
    + intros z _. assert (P := phi_positive z). assert (S := B z). nra.
Qed.
(** Over the whole line: from -y' to y, both far out. *)
Theorem cosine_transform tau y y' : is_lim_seq y p_infty -> is_lim_seq y' p_infty ->
  is_lim_seq (fun N => cosine_part tau (y N) - cosine_part tau (- y' N)) (exp (- (tau ^ 2 / 2))).
Proof.
  intros H H'. replace (exp (- (tau ^ 2 / 2))) with (exp (- (tau ^ 2 / 2)) / 2 - - (exp (- (tau ^ 2 / 2)) / 2)) by field.
  apply is_lim_seq_minus'; [now apply cosine_part_limit|].
  apply (is_lim_seq_ext (fun N => -1 * cosine_part tau (y' N))); [intros N; rewrite cosine_part_odd; ring|].
  replace (- (exp (- (tau ^ 2 / 2)) / 2)) with (-1 * (exp (- (tau ^ 2 / 2)) / 2)) by ring.
  apply is_lim_seq_mult'; [apply is_lim_seq_const|now apply cosine_part_limit].
Qed.
Theorem sine_transform tau y y' : is_lim_seq y p_infty -> is_lim_seq y' p_infty ->
  is_lim_seq (fun N => sine_part tau (y N) - sine_part tau (- y' N)) 0.
Proof.
  intros H H'. assert (L1 := along Phi 1 y Phi_rises_to_1 H). assert (L2 := along Phi 1 y' Phi_rises_to_1 H').
  assert (L : is_lim_seq (fun N => Rabs (Phi (y N) - Phi (y' N))) 0).
  { replace (Finite 0) with (Rbar_abs (Finite (1 - 1))) by (simpl; f_equal; rewrite Rminus_eq_0; apply Rabs_R0). apply is_lim_seq_abs.
    now apply is_lim_seq_minus'. }
  apply is_lim_seq_abs_0. apply (is_lim_seq_le_le (fun _ => 0) _ (fun N => Rabs (Phi (y N) - Phi (y' N))) 0); [|apply is_lim_seq_const|exact L].
  intros N. split; [apply Rabs_pos|]. rewrite sine_part_even. destruct (Rle_dec (y' N) (y N)) as [K|K].
  - eapply Rle_trans; [apply sine_part_between; auto|apply Rle_abs].
  - rewrite Rabs_minus_sym, (Rabs_minus_sym (Phi _)). eapply Rle_trans; [apply sine_part_between; lra|apply Rle_abs].
Qed.
