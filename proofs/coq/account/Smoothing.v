(** The fictitious mechanism: Gaussian, of loss Y, normal of mean s²/2 and variance s².

    Composed with it, a loss u above ε counts E[(1 - e^(-u-Y))₊] instead of (1 - e^-u)₊: no less, and more by at most a narrow bell,
    b(u) = s/√(2π)·e^(-u/2-u²/(2s²)). *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Require Import List.
From Certus.semantics Require Import ListSums.
From Certus.account Require Import Constants Curves Chernoff NormalLaw.
Import ListNotations.
Open Scope R_scope.

Section Fictitious.
Variable s : R.
Hypothesis s_positive : 0 < s.

(** The density of Y. *)
Definition loss_density (y : R) : R := phi (y / s - s / 2) / s.
(** E[(1 - e^(-u-Y))₊], in closed form. *)
Definition smoothed (u : R) : R := Phi (u / s + s / 2) - exp (- u) * Phi (u / s - s / 2).
Definition bump (u : R) : R := s / sqrt (2 * PI) * exp (- (u / 2) - u ^ 2 / (2 * s ^ 2)).

Lemma density_positive y : 0 < loss_density y.
Proof. apply Rdiv_lt_0_compat; [apply phi_positive|auto]. Qed.
(** Tilting moves the mean: e^(xy) times the density of Y is e^(s²x(x+1)/2) times that of a shifted one. *)
Lemma tilted_density x y : exp (x * y) * loss_density y = exp (s ^ 2 * (x * (x + 1)) / 2) * (phi (y / s + (- (s / 2) - x * s)) / s).
Proof.
  unfold loss_density, phi. assert (R := root_positive).
  replace (exp (x * y) * (exp (- ((y / s - s / 2) ^ 2 / 2)) / sqrt (2 * PI) / s))
    with (exp (x * y) * exp (- ((y / s - s / 2) ^ 2 / 2)) / sqrt (2 * PI) / s) by (field; lra).
  replace (exp (s ^ 2 * (x * (x + 1)) / 2) * (exp (- ((y / s + (- (s / 2) - x * s)) ^ 2 / 2)) / sqrt (2 * PI) / s))
    with (exp (s ^ 2 * (x * (x + 1)) / 2) * exp (- ((y / s + (- (s / 2) - x * s)) ^ 2 / 2)) / sqrt (2 * PI) / s) by (field; lra).
  rewrite <- !exp_plus. do 3 f_equal. field. lra.
Qed.
Lemma shifted_derive c (y : R) : is_derive (fun y => Phi (y / s + c)) y (phi (y / s + c) / s).
Proof.
  replace (phi (y / s + c) / s) with (scal (/ s) (phi (y / s + c))) by (unfold scal; simpl; unfold mult; simpl; unfold Rdiv; ring).
  apply (is_derive_comp Phi (fun y => y / s + c)); [apply Phi_derive|]. auto_derive; auto. field. lra.
Qed.
Lemma shifted_limit c v : is_lim_seq (fun n => Phi ((v + INR n) / s + c)) 1.
Proof.
  apply (filterlim_comp _ _ _ (fun n => (v + INR n) / s + c) Phi eventually (Rbar_locally p_infty) (Rbar_locally 1)); [|apply Phi_rises_to_1].
  intros P [m H]. destruct (nfloor_ex (Rabs ((m - c) * s - v))) as (k & Hk); [apply Rabs_pos|]. exists (S (S k)). intros n Hn. apply H.
  apply le_INR in Hn. rewrite !S_INR in Hn. assert (A := Rle_abs ((m - c) * s - v)).
  assert ((m - c) * s < v + INR n) by lra. apply Rplus_lt_reg_r with (- c). replace ((v + INR n) / s + c + - c) with ((v + INR n) / s) by ring.
  apply Rmult_lt_reg_r with s; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** ∫ of the density times 1 - e^(-u-y), from y = -u to v. *)
Definition up_to (u v : R) : R :=
  Phi (v / s + - (s / 2)) - Phi (- u / s + - (s / 2)) - exp (- u) * (Phi (v / s + s / 2) - Phi (- u / s + s / 2)).
Lemma up_to_start u : up_to u (- u) = 0.
Proof. unfold up_to. ring. Qed.
Lemma up_to_derive u (v : R) : is_derive (up_to u) v (loss_density v * (1 - exp (- u - v))).
Proof.
  set (f := fun v => Phi (v / s + - (s / 2))). set (g := fun v => Phi (v / s + s / 2)).
  apply (is_derive_ext (fun v => plus (f v) (- exp (- u) * g v + (exp (- u) * Phi (- u / s + s / 2) - Phi (- u / s + - (s / 2)))))).
  { intros t. unfold up_to, f, g, plus. simpl. ring. }
  replace (loss_density v * (1 - exp (- u - v)))
    with (plus (phi (v / s + - (s / 2)) / s) (plus (- exp (- u) * (phi (v / s + s / 2) / s)) 0)).
  - apply (is_derive_plus (V := R_NormedModule) f); [apply shifted_derive|].
    apply (is_derive_plus (V := R_NormedModule) (fun v => - exp (- u) * g v)).
    + apply is_derive_scal, shifted_derive.
    + apply (is_derive_const (V := R_NormedModule)).
  - unfold plus. simpl. assert (T := tilted_density (-1) v). replace (- (s / 2) - -1 * s) with (s / 2) in T by field.
    replace (s ^ 2 * (-1 * (-1 + 1)) / 2) with 0 in T by field. rewrite exp_0, Rmult_1_l in T. rewrite <- T.
    unfold loss_density. replace (v / s - s / 2) with (v / s + - (s / 2)) by ring. unfold Rminus at 2. rewrite exp_plus.
    replace (-1 * v) with (- v) by ring. ring.
Qed.
Lemma up_to_limit u : is_lim_seq (fun n => up_to u (- u + INR n)) (smoothed u).
Proof.
  replace (smoothed u) with (1 - Phi (- u / s + - (s / 2)) - exp (- u) * (1 - Phi (- u / s + s / 2))).
  - unfold up_to. apply is_lim_seq_minus'; [apply is_lim_seq_minus'|apply is_lim_seq_mult'; [|apply is_lim_seq_minus']];
      solve [apply is_lim_seq_const|apply shifted_limit].
  - unfold smoothed. replace (- u / s + - (s / 2)) with (- (u / s + s / 2)) by (field; lra).
    replace (- u / s + s / 2) with (- (u / s - s / 2)) by (field; lra). rewrite !Phi_opposite. ring.
Qed.

(** The closed form is the expectation: (1 - e^(-u-y))₊ is 0 below y = -u, and the integral from there to -u + n converges to it. *)
Theorem smoothed_is_expectation u :
  (forall y, y <= - u -> Rmax 0 (1 - exp (- u - y)) = 0)
  /\ (forall n, is_RInt (fun y => loss_density y * Rmax 0 (1 - exp (- u - y))) (- u) (- u + INR n) (up_to u (- u + INR n)))
  /\ is_lim_seq (fun n => up_to u (- u + INR n)) (smoothed u).
Proof.
  split; [|split]; [| |apply up_to_limit].
  - intros y H. apply Rmax_left. assert (1 <= exp (- u - y)) by (apply exp_at_least_1; lra). lra.
  - intros n. assert (N := pos_INR n).
    apply (is_RInt_ext (fun y => loss_density y * (1 - exp (- u - y)))).
    + intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. f_equal. symmetry. apply Rmax_right.
      destruct (exp_unit (- u - y)); lra.
    + replace (up_to u (- u + INR n)) with (minus (up_to u (- u + INR n)) (up_to u (- u)))
        by (rewrite up_to_start; unfold minus, plus, opp; simpl; ring).
      apply (is_RInt_derive (V := R_CompleteNormedModule)); [intros; apply up_to_derive|]. intros y _.
      apply (ex_derive_continuous (fun y => loss_density y * (1 - exp (- u - y)))). unfold loss_density, phi. auto_derive.
      generalize root_positive. lra.
Qed.
(** And it is a density: its integral from -n to n converges to 1. *)
Theorem density_total :
  (forall n, is_RInt loss_density (- INR n) (INR n) (Phi (INR n / s - s / 2) - Phi (- INR n / s - s / 2)))
  /\ is_lim_seq (fun n => Phi (INR n / s - s / 2) - Phi (- INR n / s - s / 2)) 1.
Proof.
  split.
  - intros n. apply (is_RInt_derive (V := R_CompleteNormedModule) (fun y => Phi (y / s - s / 2)) loss_density).
    + intros y _. apply (shifted_derive (- (s / 2))).
    + intros y _. apply (ex_derive_continuous loss_density). unfold loss_density, phi. auto_derive. generalize root_positive. lra.
  - assert (L := shifted_limit (- (s / 2)) 0). assert (R := shifted_limit (s / 2) 0).
    replace (Finite 1) with (Finite (1 - (1 - 1))) by (f_equal; ring).
    apply is_lim_seq_minus'.
    { apply (is_lim_seq_ext (fun n => Phi ((0 + INR n) / s + - (s / 2)))); [|exact L]. intros n. f_equal. field. lra. }
    apply (is_lim_seq_ext (fun n => 1 - Phi ((0 + INR n) / s + s / 2))); [|apply is_lim_seq_minus'; [apply is_lim_seq_const|auto]].
    intros n. rewrite <- Phi_opposite. f_equal. field. lra.
Qed.

Lemma smoothed_nonneg u : 0 <= smoothed u.
Proof.
  apply (is_lim_seq_le (fun _ => 0) (fun n => up_to u (- u + INR n)) 0 (smoothed u)); [|apply is_lim_seq_const|apply up_to_limit].
  intros n. assert (N := pos_INR n). rewrite <- (up_to_start u). apply (rises (up_to u) (fun v => loss_density v * (1 - exp (- u - v)))); [lra| |].
  - intros. apply up_to_derive.
  - intros y Hy. apply Rmult_le_pos; [left; apply density_positive|]. destruct (exp_unit (- u - y)); lra.
Qed.
Lemma smoothed_opposite u : smoothed u = 1 - exp (- u) + exp (- u) * smoothed (- u).
Proof.
  unfold smoothed. replace (- u / s + s / 2) with (- (u / s - s / 2)) by (field; lra).
  replace (- u / s - s / 2) with (- (u / s + s / 2)) by (field; lra). rewrite !Phi_opposite, Ropp_involutive.
  assert (E := exp_times_opposite u). set (e := exp (- u)) in *. set (x := Phi (u / s + s / 2)). set (y := Phi (u / s - s / 2)).
  replace (e * (1 - y - exp u * (1 - x))) with (e * (1 - y) - (exp u * e) * (1 - x)) by ring. rewrite E. ring.
Qed.
Lemma smoothed_at_least u : Rmax 0 (1 - exp (- u)) <= smoothed u.
Proof.
  apply Rmax_lub; [apply smoothed_nonneg|]. rewrite smoothed_opposite.
  assert (0 <= exp (- u) * smoothed (- u)) by (apply Rmult_le_pos; [left; apply exp_pos|apply smoothed_nonneg]). lra.
Qed.

(** A bound on the integrand is one on the expectation. *)
Lemma smoothed_below u k c :
  0 <= k -> (forall v, - u <= v -> loss_density v * (1 - exp (- u - v)) <= k * (phi (v / s + c) / s)) -> smoothed u <= k.
Proof.
  intros Hk H. apply (is_lim_seq_le (fun n => up_to u (- u + INR n)) (fun _ => k) (smoothed u) k); [|apply up_to_limit|apply is_lim_seq_const].
  intros n. assert (N := pos_INR n). set (f := fun v => k * Phi (v / s + c) + -1 * up_to u v).
  assert (R : f (- u) <= f (- u + INR n)).
  { apply (rises f (fun v => k * (phi (v / s + c) / s) + -1 * (loss_density v * (1 - exp (- u - v))))); [lra| |].
    - intros v _. unfold f. apply (is_derive_plus (V := R_NormedModule) (fun v => k * Phi (v / s + c)) (fun v => -1 * up_to u v)).
      + apply is_derive_scal, shifted_derive.
      + apply is_derive_scal, up_to_derive.
    - intros v [Hv _]. specialize (H v Hv). lra. }
  unfold f in R. rewrite up_to_start in R.
  assert (B := Phi_bounds (- u / s + c)). assert (B' := Phi_bounds ((- u + INR n) / s + c)). nra.
Qed.
Lemma smoothed_at_most_1 u : smoothed u <= 1.
Proof.
  unfold smoothed. assert (B := Phi_bounds (u / s + s / 2)). assert (B' := Phi_bounds (u / s - s / 2)). assert (E := exp_pos (- u)). nra.
Qed.
(** E[e^(xY)] = e^(s²x(x+1)/2) in Chernoff's bound. *)
Lemma smoothed_chernoff x u : 0 < x -> smoothed u <= chernoff_constant x * exp (s ^ 2 * (x * (x + 1)) / 2) * exp (x * u).
Proof.
  intros Hx. apply smoothed_below with (- (s / 2) - x * s).
  - apply Rmult_le_pos; [apply Rmult_le_pos|]; left; try apply exp_pos. apply chernoff_constant_positive.
  - intros v Hv. assert (T := tilted_density x v). assert (H := hockey_stick_below_exponential x (u + v) Hx).
    assert (M := Rmax_r 0 (1 - exp (- (u + v)))). replace (- u - v) with (- (u + v)) by ring.
    apply Rle_trans with (loss_density v * (chernoff_constant x * exp (x * (u + v)))).
    + apply Rmult_le_compat_l; [left; apply density_positive|lra].
    + right. replace (x * (u + v)) with (x * u + x * v) by ring. rewrite exp_plus.
      replace (loss_density v * (chernoff_constant x * (exp (x * u) * exp (x * v))))
        with (chernoff_constant x * exp (x * u) * (exp (x * v) * loss_density v)) by ring.
      rewrite T. ring.
Qed.

(** The curve of Y itself, at a >= 0, falls at least like the bell: (a+v)² >= a² + v². *)
Lemma smoothed_falls a : 0 <= a -> smoothed (- a) <= exp (a / 2 - a ^ 2 / (2 * s ^ 2)) * smoothed 0.
Proof.
  intros Ha. set (k := exp (a / 2 - a ^ 2 / (2 * s ^ 2))).
  apply (is_lim_seq_le (fun n => up_to (- a) (- - a + INR n)) (fun n => k * up_to 0 (- 0 + INR n)) (smoothed (- a)) (k * smoothed 0)).
  2: apply up_to_limit. 2: apply is_lim_seq_mult'; [apply is_lim_seq_const|apply up_to_limit].
  intros n. assert (N := pos_INR n). set (f := fun v => k * up_to 0 v + -1 * up_to (- a) (v + a)).
  enough (R : f 0 <= f (INR n)).
  { unfold f in R. rewrite Rplus_0_l in R. assert (E := up_to_start (- a)). rewrite Ropp_involutive in E. rewrite E in R.
    assert (E0 := up_to_start 0). rewrite Ropp_0 in E0. rewrite E0 in R.
    replace (- - a + INR n) with (INR n + a) by ring. replace (- 0 + INR n) with (INR n) by ring. lra. }
  apply (rises f (fun v => k * (loss_density v * (1 - exp (- 0 - v))) + -1 * (loss_density (v + a) * (1 - exp (- - a - (v + a)))))); [lra| |].
  - intros v _. unfold f. apply (is_derive_plus (V := R_NormedModule) (fun v => k * up_to 0 v) (fun v => -1 * up_to (- a) (v + a))).
    + apply is_derive_scal, up_to_derive.
    + apply (is_derive_scal (fun v => up_to (- a) (v + a))).
      replace (loss_density (v + a) * (1 - exp (- - a - (v + a)))) with (scal 1 (loss_density (v + a) * (1 - exp (- - a - (v + a)))))
        by (unfold scal; simpl; unfold mult; simpl; ring).
      apply (is_derive_comp (up_to (- a)) (fun v => v + a)); [apply up_to_derive|]. auto_derive; auto.
  - intros v [Hv _]. replace (- - a - (v + a)) with (- v) by ring. replace (- 0 - v) with (- v) by ring.
    destruct (exp_unit (- v)) as [E1 E2]; [lra|].
    assert (D : loss_density (v + a) <= k * loss_density v).
    { assert (R := root_positive). unfold loss_density, phi.
      replace (k * (exp (- ((v / s - s / 2) ^ 2 / 2)) / sqrt (2 * PI) / s))
        with (k * exp (- ((v / s - s / 2) ^ 2 / 2)) / sqrt (2 * PI) / s) by (field; lra).
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      unfold k. rewrite <- exp_plus. apply exp_le.
      replace (a / 2 - a ^ 2 / (2 * s ^ 2) + - ((v / s - s / 2) ^ 2 / 2)) with (- (((v + a) / s - s / 2) ^ 2 / 2) + a * v * / s ^ 2) by (field; lra).
      assert (0 <= a * v * / s ^ 2) by (repeat apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat, pow_lt; auto). lra. }
    nra.
Qed.
Lemma smoothed_at_0 : smoothed 0 <= s / sqrt (2 * PI).
Proof.
  assert (R := root_positive). unfold smoothed. rewrite Ropp_0, exp_0. replace (0 / s - s / 2) with (- (0 / s + s / 2)) by (field; lra).
  rewrite Phi_opposite. replace (0 / s + s / 2) with (s / 2) by (field; lra).
  assert (H : 0 * phi 0 + -1 * Phi 0 <= s / 2 * phi 0 + -1 * Phi (s / 2)).
  { apply (rises (fun v => v * phi 0 + -1 * Phi v) (fun v => phi 0 + -1 * phi v)); [lra| |].
    - intros v _. apply (is_derive_plus (V := R_NormedModule) (fun v => v * phi 0) (fun v => -1 * Phi v)); [auto_derive; auto; ring|].
      apply is_derive_scal, Phi_derive.
    - intros v _. assert (phi v <= phi 0); [|lra]. unfold phi. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      apply exp_le. generalize (pow2_ge_0 v). simpl. lra. }
  rewrite Phi_0 in H. assert (phi 0 = / sqrt (2 * PI)).
  { unfold phi. replace (- (0 ^ 2 / 2)) with 0 by (simpl; field). rewrite exp_0. field. lra. }
  rewrite H0 in H. unfold Rdiv. lra.
Qed.

Lemma bump_positive u : 0 < bump u.
Proof. unfold bump. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; [auto|apply root_positive]|apply exp_pos]. Qed.
Lemma smoothed_below_bump u : u <= 0 -> smoothed u <= bump u.
Proof.
  intros Hu. assert (H := smoothed_falls (- u) ltac:(lra)). rewrite Ropp_involutive in H. eapply Rle_trans; [apply H|]. unfold bump.
  replace (- u / 2 - (- u) ^ 2 / (2 * s ^ 2)) with (- (u / 2) - u ^ 2 / (2 * s ^ 2)) by (field; lra).
  rewrite Rmult_comm. apply Rmult_le_compat_r; [left; apply exp_pos|apply smoothed_at_0].
Qed.
Lemma bump_opposite u : exp (- u) * bump (- u) = bump u.
Proof.
  unfold bump. replace (exp (- u) * (s / sqrt (2 * PI) * exp (- (- u / 2) - (- u) ^ 2 / (2 * s ^ 2))))
    with (s / sqrt (2 * PI) * (exp (- u) * exp (- (- u / 2) - (- u) ^ 2 / (2 * s ^ 2)))) by ring.
  rewrite <- exp_plus. do 2 f_equal. field. lra.
Qed.

(** The excess x(u) is at least 0 and at most b(u). *)
Theorem smoothing_excess u : Rmax 0 (1 - exp (- u)) <= smoothed u <= Rmax 0 (1 - exp (- u)) + bump u.
Proof.
  split; [apply smoothed_at_least|]. destruct (Rle_dec u 0) as [H|H].
  - assert (B := smoothed_below_bump u H). generalize (Rmax_l 0 (1 - exp (- u))). lra.
  - rewrite smoothed_opposite, <- bump_opposite.
    assert (B := smoothed_below_bump (- u) ltac:(lra)). apply Rmult_le_compat_l with (r := exp (- u)) in B; [|left; apply exp_pos].
    generalize (Rmax_r 0 (1 - exp (- u))). lra.
Qed.

(** δ′ and E[b(S - x)] of a part or plan with finite losses. *)
Definition smoothed_delta (x : R) (a : Part) : R := list_sum a (fun o => P_of o * smoothed (loss o - x)).
Definition expected_bump (x : R) (a : Part) : R := list_sum a (fun o => P_of o * bump (loss o - x)).

Theorem smoothing epsilon a : Forall of_finite_loss a ->
  delta epsilon a <= smoothed_delta epsilon a <= delta epsilon a + expected_bump epsilon a.
Proof.
  intros H. rewrite delta_in_losses by auto. rewrite Forall_forall in H. unfold smoothed_delta, expected_bump. rewrite <- list_sum_plus.
  split; apply list_sum_le; intros o Ho; destruct (H o Ho) as [P _]; destruct (smoothing_excess (loss o - epsilon)) as [L U];
    try rewrite <- Rmult_plus_distr_l; apply Rmult_le_compat_l; lra.
Qed.
Theorem smoothed_delta_bounds x a : Forall of_finite_loss a -> 0 <= smoothed_delta x a <= P_mass a.
Proof.
  intros H. rewrite Forall_forall in H. unfold smoothed_delta, P_mass.
  split; [apply list_sum_nonneg|apply list_sum_le]; intros o Ho; destruct (H o Ho) as [P _].
  - apply Rmult_le_pos; [lra|apply smoothed_nonneg].
  - assert (B := smoothed_at_most_1 (loss o - x)). nra.
Qed.
Theorem smoothed_chernoff_bound theta x a : 0 < theta -> Forall of_finite_loss a ->
  smoothed_delta x a <= chernoff_constant theta * moment theta a * exp (s ^ 2 * (theta * (theta + 1)) / 2) * exp (- (theta * x)).
Proof.
  intros Ht H. rewrite Forall_forall in H. set (c := chernoff_constant theta). set (e := exp (s ^ 2 * (theta * (theta + 1)) / 2)).
  replace (c * moment theta a * e * exp (- (theta * x))) with (c * e * exp (- (theta * x)) * moment theta a) by ring.
  unfold smoothed_delta, moment. rewrite <- list_sum_scal. apply list_sum_le. intros o Ho. rewrite tilted_of_finite_loss by auto.
  replace (c * e * exp (- (theta * x)) * (P_of o * exp (theta * loss o)))
    with (P_of o * (c * e * (exp (theta * loss o) * exp (- (theta * x))))) by ring.
  rewrite <- exp_plus. replace (theta * loss o + - (theta * x)) with (theta * (loss o - x)) by ring.
  apply Rmult_le_compat_l; [left; apply (H o Ho)|]. now apply smoothed_chernoff.
Qed.

(** H = P* - δ′, at most E[min(1, e^(x-S))], and so at most E[e^(σ(x-S))]. *)
Theorem remainder_bound sigma x a : 0 <= sigma <= 1 -> Forall of_finite_loss a ->
  P_mass a - smoothed_delta x a <= moment (- sigma) a * exp (sigma * x).
Proof.
  intros Hs H. rewrite Forall_forall in H. rewrite Rmult_comm. unfold P_mass, smoothed_delta, moment. rewrite <- list_sum_scal.
  replace (list_sum a P_of - list_sum a (fun o => P_of o * smoothed (loss o - x)))
    with (list_sum a (fun o => P_of o + -1 * (P_of o * smoothed (loss o - x)))) by (rewrite list_sum_plus, list_sum_scal; ring).
  apply list_sum_le. intros o Ho. rewrite tilted_of_finite_loss by auto.
  replace (exp (sigma * x) * (P_of o * exp (- sigma * loss o))) with (P_of o * (exp (sigma * x) * exp (- sigma * loss o))) by ring.
  rewrite <- exp_plus. replace (sigma * x + - sigma * loss o) with (sigma * - (loss o - x)) by ring. set (u := loss o - x).
  assert (L := smoothed_at_least u). assert (M := least_of_one_and_exponential sigma (- u) Hs). destruct (H o Ho) as [P _].
  replace (P_of o + -1 * (P_of o * smoothed u)) with (P_of o * (1 - smoothed u)) by ring. apply Rmult_le_compat_l; [lra|].
  eapply Rle_trans; [|exact M]. unfold Rmax in L. unfold Rmin. destruct (Rle_dec 0 (1 - exp (- u))), (Rle_dec 1 (exp (- u))); lra.
Qed.
End Fictitious.
