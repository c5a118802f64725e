(** Poisson's summation: Σ_j h(u - jL) = (1/L)·Σ_m (transform of h at 2πm/L)·e^(2πimu/L), for h that falls exponentially.

    Both sides converge; their difference's Fourier coefficients vanish in the limit, and so does it ([Peaks]). The transform is given by
    primitives of h(x)·cos and h(x)·sin, whose increments over the whole line it is. *)
Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.samplers Require Import FiniteSums.
From Certus.account Require Import Constants NormalLaw Aliases ComplexSums Peaks.
Open Scope R_scope.

Lemma geometric_converges f k q : 0 <= q < 1 -> (forall i, Rabs (f i) <= k * q ^ i) -> exists l : R, is_lim_seq (fun N => sum_below N f) l.
Proof.
  intros Hq H. assert (E : ex_series f).
  { apply (ex_series_le (V := R_CompleteNormedModule) f (fun i => k * q ^ i)); [exact H|].
    apply (ex_series_scal_l (V := R_NormedModule) k). apply ex_series_geom. rewrite Rabs_pos_eq; lra. }
  destruct E as [l E]. exists l. apply is_lim_seq_incr_1. eapply is_lim_seq_ext; [|exact E]. intros n. symmetry. apply sum_below_sum_n.
Qed.
Lemma sum_below_small f k q n : 0 <= q < 1 -> 0 <= k -> (forall i, Rabs (f i) <= k * q ^ i) -> Rabs (sum_below n f) <= k / (1 - q).
Proof.
  intros Hq Hk H. eapply Rle_trans; [apply sum_below_abs|]. eapply Rle_trans; [apply sum_below_le; intros i _; apply H|].
  rewrite sum_below_scal. unfold Rdiv. apply Rmult_le_compat_l; auto. rewrite <- (Rmult_1_l (/ (1 - q))). now apply geometric_below.
Qed.
Lemma sum_below_derive n (f df : nat -> R -> R) (x : R) :
  (forall i, is_derive (f i) x (df i x)) -> is_derive (fun x => sum_below n (fun i => f i x)) x (sum_below n (fun i => df i x)).
Proof.
  intros H. induction n; simpl; [apply (is_derive_const (V := R_NormedModule))|].
  apply (is_derive_plus (V := R_NormedModule) (fun x => sum_below n (fun i => f i x)) (f n)); auto.
Qed.
Lemma sum_below_integral n (f : nat -> R -> R) (v : nat -> R) a b :
  (forall i, is_RInt (f i) a b (v i)) -> is_RInt (fun x => sum_below n (fun i => f i x)) a b (sum_below n v).
Proof.
  intros H. induction n; simpl.
  - assert (K := is_RInt_const (V := R_NormedModule) a b 0). unfold scal in K. simpl in K. unfold mult in K. simpl in K. rewrite Rmult_0_r in K.
    exact K.
  - apply (is_RInt_plus (V := R_NormedModule) (fun x => sum_below n (fun i => f i x)) (f n)); auto.
Qed.
(** A bound on the derivative is one on the slope. *)
Lemma steep (f df : R -> R) k x : (forall y, is_derive f y (df y)) -> (forall y, Rabs y <= Rabs x -> Rabs (df y) <= k)
  -> Rabs (f x - f 0) <= k * Rabs x.
Proof.
  intros H K. destruct (MVT_gen f 0 x df) as (y & Hy & E).
  - intros; apply H.
  - intros z _. apply continuity_pt_filterlim. apply (ex_derive_continuous f z). exists (df z). auto.
  - rewrite E, Rminus_0_r, Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|]. apply K.
    unfold Rmin, Rmax in Hy. unfold Rabs. destruct (Rle_dec 0 x), (Rcase_abs y), (Rcase_abs x); lra.
Qed.

Section Poisson.
Variables (L alpha A B r : R) (h dh : R -> R) (Cc Cs : nat -> R) (Wc Ws : nat -> R -> R).
Hypotheses (L_positive : 0 < L) (alpha_positive : 0 < alpha) (r_unit : 0 <= r < 1).
Notation c := (PI / L).
Notation angle m x := (2 * INR m * (c * x)).
Hypothesis h_derive : forall x : R, is_derive h x (dh x).
Hypothesis h_small : forall x, Rabs (h x) <= A * exp (- (alpha * Rabs x)).
Hypothesis dh_small : forall x, Rabs (dh x) <= A * exp (- (alpha * Rabs x)).
Hypothesis C_small : forall m, (INR m + 1) * Rabs (Cc m) <= B * r ^ m /\ (INR m + 1) * Rabs (Cs m) <= B * r ^ m.
Hypothesis Wc_derive : forall m (x : R), is_derive (Wc m) x (h x * cos (angle m x)).
Hypothesis Ws_derive : forall m (x : R), is_derive (Ws m) x (h x * sin (angle m x)).
Hypothesis Wc_limit : forall m v v', is_lim_seq (fun N => Wc m (v + INR N * L) - Wc m (v' - INR N * L)) (Cc m).
Hypothesis Ws_limit : forall m v v', is_lim_seq (fun N => Ws m (v + INR N * L) - Ws m (v' - INR N * L)) (Cs m).

Definition shifts (N : nat) (v : R) : R := two_sided N (fun j => h (v - j * L)).
Definition one_wave (m : nat) (v : R) : R := Cc m * cos (angle m v) + Cs m * sin (angle m v).
Definition waves (N : nat) (v : R) : R := / L * (Cc 0 + sum_below N (fun i => 2 * one_wave (S i) v)).

Variable u : R.
Notation q := (exp (- (alpha * L))).
Notation A' := (A * exp (alpha * (Rabs u + L / 2))).

Lemma A_nonneg : 0 <= A.
Proof. assert (H := h_small 0). rewrite Rabs_R0, Rmult_0_r, Ropp_0, exp_0 in H. generalize (Rabs_pos (h 0)). lra. Qed.
Lemma A'_nonneg : 0 <= A'.
Proof. apply Rmult_le_pos; [apply A_nonneg|left; apply exp_pos]. Qed.
Lemma q_unit : 0 <= q < 1.
Proof. split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. assert (0 < alpha * L) by now apply Rmult_lt_0_compat. lra. Qed.
Lemma B_nonneg : 0 <= B.
Proof. destruct (C_small 0) as [H _]. simpl in H. generalize (Rabs_pos (Cc 0)). lra. Qed.
Lemma far_small (f : R -> R) x y i : (forall x, Rabs (f x) <= A * exp (- (alpha * Rabs x))) ->
  Rabs x <= L / 2 -> Rabs y = INR i * L -> Rabs (f (u + x + y)) <= A' * q ^ i.
Proof.
  intros H Hx Hy. eapply Rle_trans; [apply H|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; [apply A_nonneg|].
  rewrite <- exp_natural, <- exp_plus. apply exp_le.
  assert (T := Rabs_triang (u + x + y) (- u)). assert (T' := Rabs_triang (u + x + y + - u) (- x)).
  replace (u + x + y + - u + - x) with y in T' by ring. rewrite !Rabs_Ropp in *. nra.
Qed.
Lemma shifted_terms (f : R -> R) i x : (forall x, Rabs (f x) <= A * exp (- (alpha * Rabs x))) -> Rabs x <= L / 2 ->
  Rabs (f (u + x - INR (S i) * L) + f (u + x - - INR (S i) * L)) <= 2 * A' * q ^ i.
Proof.
  intros H Hx. assert (Q := q_unit). assert (I := pos_INR (S i)).
  assert (E : Rabs (INR (S i) * L) = INR (S i) * L) by (apply Rabs_pos_eq, Rmult_le_pos; lra).
  assert (H1 := far_small f x (- (INR (S i) * L)) (S i) H Hx ltac:(rewrite Rabs_Ropp; auto)).
  assert (H2 := far_small f x (INR (S i) * L) (S i) H Hx E).
  replace (u + x - INR (S i) * L) with (u + x + - (INR (S i) * L)) by ring. replace (u + x - - INR (S i) * L) with (u + x + INR (S i) * L) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. assert (P : 0 <= q ^ i) by (apply pow_le; lra). assert (A0 := A'_nonneg). simpl pow in H1, H2.
  assert (A' * (q * q ^ i) <= A' * q ^ i) by (apply Rmult_le_compat_l; auto; nra). lra.
Qed.

(** Derivatives, and bounds on them. *)
Definition dshifts (N : nat) (v : R) : R := two_sided N (fun j => dh (v - j * L)).
Definition dwave (m : nat) (v : R) : R := 2 * INR m * c * (Cs m * cos (angle m v) - Cc m * sin (angle m v)).
Definition dwaves (N : nat) (v : R) : R := / L * sum_below N (fun i => 2 * dwave (S i) v).
Lemma translated_derive (f df : R -> R) k (v : R) : (forall x : R, is_derive f x (df x)) -> is_derive (fun v => f (v - k)) v (df (v - k)).
Proof.
  intros H. replace (df (v - k)) with (scal 1 (df (v - k))) by (unfold scal; simpl; unfold mult; simpl; ring).
  apply (is_derive_comp f (fun v => v - k)); [apply H|]. auto_derive; auto.
Qed.
Lemma shifts_derive N (v : R) : is_derive (shifts N) v (dshifts N v).
Proof.
  unfold shifts, dshifts, two_sided.
  apply (is_derive_plus (V := R_NormedModule) (fun v => h (v - 0 * L))
    (fun v => sum_below N (fun i => h (v - INR (S i) * L) + h (v - - INR (S i) * L)))).
  - now apply translated_derive.
  - apply (sum_below_derive N (fun i v => h (v - INR (S i) * L) + h (v - - INR (S i) * L))
      (fun i v => dh (v - INR (S i) * L) + dh (v - - INR (S i) * L))).
    intros i. apply (is_derive_plus (V := R_NormedModule) (fun v => h (v - INR (S i) * L)) (fun v => h (v - - INR (S i) * L)));
      now apply translated_derive.
Qed.
Lemma wave_derive m (v : R) : is_derive (one_wave m) v (dwave m v).
Proof. unfold one_wave, dwave. auto_derive; [auto|]. ring. Qed.
Lemma waves_derive N (v : R) : is_derive (waves N) v (dwaves N v).
Proof.
  unfold waves, dwaves. apply is_derive_scal.
  replace (sum_below N (fun i => 2 * dwave (S i) v)) with (plus 0 (sum_below N (fun i => 2 * dwave (S i) v))) by (unfold plus; simpl; ring).
  apply (is_derive_plus (V := R_NormedModule) (fun _ => Cc 0)); [apply (is_derive_const (V := R_NormedModule))|].
  apply (sum_below_derive N (fun i v => 2 * one_wave (S i) v) (fun i v => 2 * dwave (S i) v)). intros i. apply is_derive_scal, wave_derive.
Qed.
Definition slope_bound : R := A' + 2 * A' / (1 - q) + / L * (8 * c * B / (1 - r)).
Lemma wave_small m v : Rabs (one_wave m v) <= 2 * B * r ^ m /\ Rabs (dwave m v) <= 4 * c * B * r ^ m.
Proof.
  destruct (C_small m) as [H1 H2]. assert (C0 := c_positive L L_positive). assert (M := pos_INR m).
  assert (S := COS_bound (angle m v)). assert (S' := SIN_bound (angle m v)).
  assert (K1 : Rabs (cos (angle m v)) <= 1) by (apply Rabs_le; lra). assert (K2 : Rabs (sin (angle m v)) <= 1) by (apply Rabs_le; lra).
  assert (P1 := Rabs_pos (Cc m)). assert (P2 := Rabs_pos (Cs m)). assert (P3 := Rabs_pos (cos (angle m v))).
  assert (P4 := Rabs_pos (sin (angle m v))).
  unfold one_wave, dwave. split.
  - eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult. nra.
  - rewrite !Rabs_mult, (Rabs_pos_eq (INR m)), (Rabs_pos_eq c), (Rabs_pos_eq 2) by lra.
    assert (T : Rabs (Cs m * cos (angle m v) - Cc m * sin (angle m v)) <= Rabs (Cs m) + Rabs (Cc m)).
    { unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, !Rabs_mult. nra. }
    assert (INR m * Rabs (Cs m * cos (angle m v) - Cc m * sin (angle m v)) <= 2 * (B * r ^ m)) by nra.
    replace (2 * INR m * c * Rabs (Cs m * cos (angle m v) - Cc m * sin (angle m v)))
      with (2 * c * (INR m * Rabs (Cs m * cos (angle m v) - Cc m * sin (angle m v)))) by ring.
    replace (4 * c * B * r ^ m) with (2 * c * (2 * (B * r ^ m))) by ring. apply Rmult_le_compat_l; lra.
Qed.
Lemma difference_steep N x : Rabs x <= L / 2 -> Rabs (dshifts N (u + x) - dwaves N (u + x)) <= slope_bound.
Proof.
  intros Hx. assert (A0 := A'_nonneg). assert (B0 := B_nonneg). assert (Q := q_unit). assert (C0 := c_positive L L_positive).
  unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. unfold slope_bound. apply Rplus_le_compat.
  - unfold dshifts, two_sided. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
    + assert (K := far_small dh x 0 0 dh_small Hx ltac:(rewrite Rabs_R0; simpl; ring)). simpl in K. rewrite Rmult_1_r in K.
      replace (u + x - 0 * L) with (u + x + 0) by ring. exact K.
    + apply sum_below_small; auto; [lra|]. intros i. now apply shifted_terms.
  - unfold dwaves. rewrite Rabs_mult, Rabs_pos_eq by (left; now apply Rinv_0_lt_compat). apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
    apply sum_below_small; auto; [nra|]. intros i. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. destruct (wave_small (S i) (u + x)) as [_ W].
    assert (P : 0 <= r ^ i) by (apply pow_le; lra). simpl pow in W. assert (0 <= 4 * c * B) by nra.
    assert (4 * c * B * (r * r ^ i) <= 4 * c * B * r ^ i) by (apply Rmult_le_compat_l; auto; nra). lra.
Qed.
Lemma shifts_converge : exists l : R, is_lim_seq (fun N => shifts N u) l.
Proof.
  destruct (geometric_converges (fun i => h (u - INR (S i) * L) + h (u - - INR (S i) * L)) (2 * A') q q_unit) as [l Hl].
  { intros i. assert (K := shifted_terms h i 0 h_small ltac:(rewrite Rabs_R0; lra)). rewrite Rplus_0_r in K. exact K. }
  exists (h (u - 0 * L) + l). apply is_lim_seq_plus'; [apply is_lim_seq_const|exact Hl].
Qed.
Lemma waves_converge : exists l : R, is_lim_seq (fun N => waves N u) l.
Proof.
  assert (B0 := B_nonneg).
  destruct (geometric_converges (fun i => 2 * one_wave (S i) u) (4 * B) r r_unit) as [l Hl].
  { intros i. rewrite Rabs_mult, (Rabs_pos_eq 2) by lra. destruct (wave_small (S i) u) as [W _].
    assert (P : 0 <= r ^ i) by (apply pow_le; lra). simpl pow in W. assert (2 * B * (r * r ^ i) <= 2 * B * r ^ i) by (apply Rmult_le_compat_l; nra).
    lra. }
  exists (/ L * (Cc 0 + l)). apply is_lim_seq_mult'; [apply is_lim_seq_const|]. apply is_lim_seq_plus'; [apply is_lim_seq_const|exact Hl].
Qed.

(** The coefficients of the shifts, by primitives that telescope. *)
Definition V (k : nat) (y : R) : R := cos (angle k u) * Wc k y + sin (angle k u) * Ws k y.
Lemma V_derive k (y : R) : is_derive (V k) y (h y * cos (angle k (y - u))).
Proof.
  replace (h y * cos (angle k (y - u))) with (plus (cos (angle k u) * (h y * cos (angle k y))) (sin (angle k u) * (h y * sin (angle k y)))).
  - apply (is_derive_plus (V := R_NormedModule) (fun y => cos (angle k u) * Wc k y) (fun y => sin (angle k u) * Ws k y));
      apply is_derive_scal; [apply Wc_derive|apply Ws_derive].
  - unfold plus. simpl. replace (angle k (y - u)) with (angle k y - angle k u) by ring. rewrite cos_minus. ring.
Qed.
Lemma cos_whole_turns x k i : cos (x + 2 * INR k * (c * (INR i * L))) = cos x.
Proof. replace (2 * INR k * (c * (INR i * L))) with (2 * INR (k * i) * PI) by (rewrite mult_INR; field; lra). apply cos_period. Qed.
Lemma cos_back_turns x k i : cos (x - 2 * INR k * (c * (INR i * L))) = cos x.
Proof. rewrite <- (cos_whole_turns (x - 2 * INR k * (c * (INR i * L))) k i). f_equal. ring. Qed.
Lemma one_shift k (f : R) (x : R) : (forall y, cos (y - angle k f) = cos y) ->
  is_derive (fun x => V k (u + x - f)) x (h (u + x - f) * cos (angle k x)).
Proof.
  intros H. assert (D := translated_derive (V k) (fun y => h y * cos (angle k (y - u))) (f - u) x (V_derive k)). cbv beta in D.
  replace (u + x - f) with (x - (f - u)) by ring.
  replace (cos (angle k x)) with (cos (angle k (x - (f - u) - u))).
  - eapply is_derive_ext; [|exact D]. intros t. simpl. f_equal. ring.
  - replace (angle k (x - (f - u) - u)) with (angle k x - angle k f) by ring. apply H.
Qed.
Lemma telescope k N a : two_sided N (fun j => V k (a - j * L)) - two_sided N (fun j => V k (a - L - j * L))
  = V k (a + INR N * L) - V k (a - L - INR N * L).
Proof.
  induction N; unfold two_sided in *; [simpl; replace (a - 0 * L) with (a + 0 * L) by ring; ring|].
  rewrite !sum_below_S, !(S_INR N). replace (a - L - - (INR N + 1) * L) with (a + INR N * L) by ring.
  replace (a - (INR N + 1) * L) with (a - L - INR N * L) by ring.
  replace (a + (INR N + 1) * L) with (a - - (INR N + 1) * L) by ring. lra.
Qed.
Lemma shifts_coefficient k N : is_RInt (fun x => shifts N (u + x) * cos (angle k x)) (- (L / 2)) (L / 2)
  (V k (u + L / 2 + INR N * L) - V k (u - L / 2 - INR N * L)).
Proof.
  assert (T := telescope k N (u + L / 2)). replace (u + L / 2 - L) with (u - L / 2) in T by field. rewrite <- T.
  set (f := fun x => two_sided N (fun j => V k (u + x - j * L))).
  replace (two_sided N (fun j => V k (u + L / 2 - j * L)) - two_sided N (fun j => V k (u - L / 2 - j * L)))
    with (minus (f (L / 2)) (f (- (L / 2)))) by reflexivity.
  apply (is_RInt_derive (V := R_CompleteNormedModule)).
  - intros x _. unfold f, shifts, two_sided.
    replace ((h (u + x - 0 * L) + sum_below N (fun i => h (u + x - INR (S i) * L) + h (u + x - - INR (S i) * L))) * cos (angle k x))
      with (plus (h (u + x - 0 * L) * cos (angle k x)) (sum_below N
        (fun i => h (u + x - INR (S i) * L) * cos (angle k x) + h (u + x - - INR (S i) * L) * cos (angle k x)))).
    + apply (is_derive_plus (V := R_NormedModule) (fun x => V k (u + x - 0 * L))
        (fun x => sum_below N (fun i => V k (u + x - INR (S i) * L) + V k (u + x - - INR (S i) * L)))).
      * apply one_shift. intros y. f_equal. ring.
      * apply (sum_below_derive N (fun i x => V k (u + x - INR (S i) * L) + V k (u + x - - INR (S i) * L))
          (fun i x => h (u + x - INR (S i) * L) * cos (angle k x) + h (u + x - - INR (S i) * L) * cos (angle k x))). intros i.
        apply (is_derive_plus (V := R_NormedModule) (fun x => V k (u + x - INR (S i) * L)) (fun x => V k (u + x - - INR (S i) * L))); apply one_shift;
          intros y.
        -- apply cos_back_turns.
        -- rewrite <- (cos_whole_turns y k (S i)). f_equal. ring.
    + unfold plus. simpl. rewrite Rmult_plus_distr_r. f_equal. rewrite (Rmult_comm (sum_below _ _)), <- sum_below_scal. apply sum_below_ext.
      intros i _. ring.
  - intros x _. apply (continuous_mult (fun x => shifts N (u + x)) (fun x => cos (angle k x))).
    + apply derivable_continuous. assert (D := translated_derive (shifts N) (dshifts N) (- u) x (shifts_derive N)).
      eexists. eapply is_derive_ext; [|exact D]. intros t. simpl. f_equal. ring.
    + apply derivable_continuous. auto_derive. auto.
Qed.
Lemma shifts_coefficient_limit k : is_lim_seq (fun N => V k (u + L / 2 + INR N * L) - V k (u - L / 2 - INR N * L)) (one_wave k u).
Proof.
  replace (one_wave k u) with (cos (angle k u) * Cc k + sin (angle k u) * Cs k) by (unfold one_wave; ring).
  apply (is_lim_seq_ext (fun N => cos (angle k u) * (Wc k (u + L / 2 + INR N * L) - Wc k (u - L / 2 - INR N * L))
    + sin (angle k u) * (Ws k (u + L / 2 + INR N * L) - Ws k (u - L / 2 - INR N * L)))); [intros N; unfold V; ring|].
  apply is_lim_seq_plus'; apply is_lim_seq_mult'; try apply is_lim_seq_const; auto.
Qed.

(** The coefficients of the waves, by their orthogonality. *)
Lemma wave_integral phase (n : Z) : is_RInt (fun x => cos (phase
  + 2 * IZR n * (c * x))) (- (L / 2)) (L / 2) (if Z.eq_dec n 0 then L * cos phase else 0).
Proof.
  destruct (Z.eq_dec n 0) as [->|Hn].
  - assert (K := is_RInt_const (V := R_NormedModule) (- (L / 2)) (L / 2) (cos phase)). unfold scal in K. simpl in K. unfold mult in K. simpl in K.
    replace (L / 2 - - (L / 2)) with L in K by field. apply (is_RInt_ext (fun _ => cos phase)); [|exact K]. intros x _. f_equal. ring.
  - assert (N0 : IZR n <> 0) by (apply not_0_IZR; auto). assert (C0 := c_positive L L_positive). assert (P0 := PI_RGT_0).
    set (f := fun x => sin (phase + 2 * IZR n * (c * x)) / (2 * IZR n * c)).
    replace 0 with (minus (f (L / 2)) (f (- (L / 2)))).
    + apply (is_RInt_derive (V := R_CompleteNormedModule) f).
      * intros x _. unfold f. auto_derive; [repeat split; lra|]. field. repeat split; lra.
      * intros x _. apply derivable_continuous. auto_derive. auto.
    + unfold f, minus, plus, opp. simpl. replace (phase + 2 * IZR n * (c * (L / 2))) with (phase + IZR n * PI) by (field; lra).
      replace (phase + 2 * IZR n * (c * - (L / 2))) with (phase - IZR n * PI) by (field; lra).
      rewrite sin_plus, sin_minus, (sin_eq_0_1 (IZR n * PI)) by (exists n; reflexivity). field. repeat split; lra.
Qed.
Lemma two_waves phase m k : is_RInt (fun x => cos (phase + angle m x) * cos (angle k x)) (- (L / 2)) (L / 2)
  (1 / 2 * (if Z.eq_dec (Z.of_nat m + Z.of_nat k) 0 then L * cos phase else 0)
    + 1 / 2 * (if Z.eq_dec (Z.of_nat m - Z.of_nat k) 0 then L * cos phase else 0)).
Proof.
  assert (K := is_RInt_plus _ _ _ _ _ _ (is_RInt_scal _ _ _ (1 / 2) _ (wave_integral phase (Z.of_nat m + Z.of_nat k)))
    (is_RInt_scal _ _ _ (1 / 2) _ (wave_integral phase (Z.of_nat m - Z.of_nat k)))).
  refine (is_RInt_ext _ _ _ _ _ _ K). intros x _. unfold plus, scal. simpl. unfold mult. simpl.
  rewrite plus_IZR, minus_IZR, <- !INR_IZR_INZ.
  replace (phase + 2 * (INR m + INR k) * (c * x)) with (phase + angle m x + angle k x) by ring.
  replace (phase + 2 * (INR m - INR k) * (c * x)) with (phase + angle m x - angle k x) by ring. rewrite cos_plus, cos_minus. field.
Qed.
Definition wave_coefficient (m k : nat) : R :=
  1 / 2 * (if Z.eq_dec (Z.of_nat m + Z.of_nat k) 0 then L * one_wave m u else 0)
    + 1 / 2 * (if Z.eq_dec (Z.of_nat m - Z.of_nat k) 0 then L * one_wave m u else 0).
Lemma wave_against m k : is_RInt (fun x => one_wave m (u + x) * cos (angle k x)) (- (L / 2)) (L / 2) (wave_coefficient m k).
Proof.
  assert (K := is_RInt_plus _ _ _ _ _ _ (is_RInt_scal _ _ _ (Cc m) _ (two_waves (angle m u) m k))
    (is_RInt_scal _ _ _ (Cs m) _ (two_waves (angle m u - PI / 2) m k))).
  assert (S : forall y, cos (y - PI / 2) = sin y) by (intros y; rewrite <- cos_shift, <- cos_neg; f_equal; ring).
  replace (wave_coefficient m k) with (plus (scal (Cc m) (1 / 2 * (if Z.eq_dec (Z.of_nat m + Z.of_nat k) 0 then L * cos (angle m u) else 0)
      + 1 / 2 * (if Z.eq_dec (Z.of_nat m - Z.of_nat k) 0 then L * cos (angle m u) else 0)))
    (scal (Cs m) (1 / 2 * (if Z.eq_dec (Z.of_nat m + Z.of_nat k) 0 then L * cos (angle m u - PI / 2) else 0)
      + 1 / 2 * (if Z.eq_dec (Z.of_nat m - Z.of_nat k) 0 then L * cos (angle m u - PI / 2) else 0)))).
  - refine (is_RInt_ext _ _ _ _ _ _ K). intros x _. unfold plus, scal. simpl. unfold mult. simpl.
    replace (angle m u - PI / 2 + angle m x) with (angle m (u + x) - PI / 2) by ring. replace (angle m u + angle m x) with (angle m (u + x)) by ring.
    rewrite S. unfold one_wave. ring.
  - unfold wave_coefficient, one_wave, plus, scal. simpl. unfold mult. simpl. rewrite S.
    destruct (Z.eq_dec (Z.of_nat m + Z.of_nat k) 0), (Z.eq_dec (Z.of_nat m - Z.of_nat k) 0); ring.
Qed.
Lemma waves_coefficient k N : (k <= N)%nat -> is_RInt (fun x => waves N (u + x) * cos (angle k x)) (- (L / 2)) (L / 2) (one_wave k u).
Proof.
  intros Hk. assert (Z0 : forall v, one_wave 0 v = Cc 0)
    by (intros v; unfold one_wave; simpl INR; rewrite !Rmult_0_r, !Rmult_0_l, cos_0, sin_0; ring).
  assert (K := is_RInt_scal _ _ _ (/ L) _ (is_RInt_plus _ _ _ _ _ _ (wave_against 0 k)
    (sum_below_integral N _ _ _ _ (fun i => is_RInt_scal _ _ _ 2 _ (wave_against (S i) k))))).
  replace (one_wave k u) with (scal (/ L) (plus (wave_coefficient 0 k) (sum_below N (fun i => scal 2 (wave_coefficient (S i) k))))).
  - refine (is_RInt_ext _ _ _ _ _ _ K). intros x _. unfold plus, scal. simpl. unfold mult. simpl. rewrite Z0. unfold waves.
    rewrite (Rmult_assoc (/ L)). f_equal. rewrite Rmult_plus_distr_r. f_equal. rewrite (Rmult_comm (sum_below _ _)), <- sum_below_scal.
    apply sum_below_ext. intros i _. ring.
  - unfold plus, scal. simpl. unfold mult. simpl. destruct k as [|k].
    + rewrite (sum_below_ext N _ (fun _ => 0 * 0)).
      * rewrite sum_below_scal. unfold wave_coefficient. simpl. destruct (Z.eq_dec 0 0); [|lia]. field. lra.
      * intros i _. unfold wave_coefficient. destruct (Z.eq_dec (Z.of_nat (S i) + Z.of_nat 0) 0); [lia|].
        destruct (Z.eq_dec (Z.of_nat (S i) - Z.of_nat 0) 0); [lia|]. ring.
    + rewrite (sum_below_single N k).
      * replace (k <? N)%nat with true by (symmetry; apply Nat.ltb_lt; lia). unfold wave_coefficient.
        destruct (Z.eq_dec (Z.of_nat 0 + Z.of_nat (S k)) 0); [lia|]. destruct (Z.eq_dec (Z.of_nat 0 - Z.of_nat (S k)) 0); [lia|].
        destruct (Z.eq_dec (Z.of_nat (S k) + Z.of_nat (S k)) 0); [lia|]. destruct (Z.eq_dec (Z.of_nat (S k) - Z.of_nat (S k)) 0); [|lia].
        field. lra.
      * intros i Hi. unfold wave_coefficient. destruct (Z.eq_dec (Z.of_nat (S i) + Z.of_nat (S k)) 0); [lia|].
        destruct (Z.eq_dec (Z.of_nat (S i) - Z.of_nat (S k)) 0); [lia|]. ring.
Qed.

(** Both signs of the difference. *)
Lemma differences sign l l' : sign * sign = 1 -> is_lim_seq (fun N => shifts N u) (Finite l) -> is_lim_seq (fun N => waves N u) (Finite l') ->
  sign * (l - l') <= 0.
Proof.
  intros Hs H H'. assert (S1 : Rabs sign = 1).
  { assert (Rabs sign * Rabs sign = 1) by (rewrite <- Rabs_mult, Hs; apply Rabs_R1). assert (0 <= Rabs sign) by apply Rabs_pos. nra. }
  set (D := fun N x => sign * (shifts N (u + x) - waves N (u + x))).
  assert (DD : forall N (x : R), is_derive (D N) x (sign * (dshifts N (u + x) - dwaves N (u + x)))).
  { intros N x. unfold D. apply (is_derive_scal (fun x => shifts N (u + x) - waves N (u + x))).
    apply (is_derive_minus (V := R_NormedModule) (fun x => shifts N (u + x)) (fun x => waves N (u + x))).
    - assert (T := translated_derive (shifts N) (dshifts N) (- u) x (shifts_derive N)). replace (x - - u) with (u + x) in T by ring.
      eapply is_derive_ext; [|exact T]. intros t. simpl. f_equal. ring.
    - assert (T := translated_derive (waves N) (dwaves N) (- u) x (waves_derive N)). replace (x - - u) with (u + x) in T by ring.
      eapply is_derive_ext; [|exact T]. intros t. simpl. f_equal. ring. }
  apply (limit_not_positive L L_positive D slope_bound (sign * (l - l'))).
  - intros N x. apply derivable_continuous. eexists. apply DD.
  - intros N x Hx. apply (steep (D N) (fun x => sign * (dshifts N (u + x) - dwaves N (u + x)))); [apply DD|].
    intros y Hy. rewrite Rabs_mult, S1, Rmult_1_l. apply difference_steep. lra.
  - unfold D. rewrite Rplus_0_r. apply is_lim_seq_mult'; [apply is_lim_seq_const|]. now apply is_lim_seq_minus'.
  - intros k. apply (is_lim_seq_ext_loc (fun N => sign * ((V k (u + L / 2 + INR N * L) - V k (u - L / 2 - INR N * L)) - one_wave k u))).
    + exists k. intros N HN. symmetry. unfold coefficient. apply is_RInt_unique.
      assert (K := is_RInt_scal _ _ _ sign _ (is_RInt_minus _ _ _ _ _ _ (shifts_coefficient k N) (waves_coefficient k N HN))).
      refine (is_RInt_ext _ _ _ _ _ _ K). intros x _. unfold D, minus, plus, opp, scal. simpl. unfold mult. simpl. ring.
    + replace (Finite 0) with (Finite (sign * (one_wave k u - one_wave k u))) by (f_equal; ring).
      apply is_lim_seq_mult'; [apply is_lim_seq_const|]. apply is_lim_seq_minus'; [apply shifts_coefficient_limit|apply is_lim_seq_const].
  - unfold slope_bound. assert (A0 := A'_nonneg). assert (B0 := B_nonneg). assert (Q := q_unit). assert (C0 := c_positive L L_positive).
    assert (0 <= 2 * A' / (1 - q)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
    assert (0 <= / L * (8 * c * B / (1 - r))); [|lra].
    apply Rmult_le_pos; [left; now apply Rinv_0_lt_compat|]. apply Rmult_le_pos; [nra|left; apply Rinv_0_lt_compat; lra].
Qed.
Theorem poisson_summation : exists total : R, is_lim_seq (fun N => waves N u) total /\ is_lim_seq (fun N => shifts N u) total.
Proof.
  destruct shifts_converge as [l H]. destruct waves_converge as [l' H']. exists l'. split; [auto|].
  assert (P := differences 1 l l' ltac:(ring) H H'). assert (Q := differences (-1) l l' ltac:(ring) H H').
  replace l' with l by lra. exact H.
Qed.
End Poisson.
