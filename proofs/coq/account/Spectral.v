(** The enclosure of δ(ε) by a sum over frequencies, from Poisson's summation.

    Poisson's summation for E[(1 - e^(-u-Y))₊] and for the bump b, on the line of real part θ, are hypotheses here; [Enclosure] proves them. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Require Import List.
From Certus.semantics Require Import ListSums.
From Certus.samplers Require Import FiniteSums.
From Certus.account Require Import Constants Curves Chernoff NormalLaw Smoothing Aliases ComplexSums.
Import ListNotations.
Open Scope R_scope.

Section Spectral.
(** Any tilt θ, period L, κ > 0 and number of frequencies M. *)
Variables (theta L kappa epsilon : R) (M : nat) (plan : Plan).
Hypotheses (L_positive : 0 < L) (kappa_positive : 0 < kappa).
Hypothesis finite : Forall (fun part => Forall of_finite_loss (fst part)) plan.

Definition frequency (m : R) : R := 2 * PI * m / L.
(** T, the first frequency that is left out, and s = κ/T. *)
Definition cutoff : R := frequency (INR (S M)).
Definition smoothing_scale : R := kappa / cutoff.
Notation s := smoothing_scale.
Definition z_at (t : R) : C := (theta, t).
Definition w_at (t : R) : C := (z_at t * (z_at t + 1))%C.

(** φ_i(t), F(t) and G(t). *)
Definition characteristic (t : R) (a : Part) : C := (csum a (fun o => P_of o * cexp (z_at t * loss o)) / moment theta a)%C.
Fixpoint product_of_characteristics (t : R) (plan : Plan) : C :=
  match plan with [] => 1%C | (a, k) :: rest => (cpower (characteristic t a) k * product_of_characteristics t rest)%C end.
Definition F_at (t : R) : C := (cexp (0, (- (t * epsilon))%R) * product_of_characteristics t plan)%C.
Definition bell_factor (t : R) : C := cexp (RtoC (s ^ 2 / 2) * w_at t)%C.
Definition G_at (t : R) : C := (F_at t * bell_factor t)%C.
Definition prefactor : R := exp (- (theta * epsilon)) * product (moment theta) plan.

(** A and B, of the frequencies |m| <= M. *)
Definition main_sum : R := prefactor / L * two_sided M (fun m => Re (G_at (frequency m) / w_at (frequency m))%C).
Definition smoothing_sum : R :=
  s ^ 2 * exp (s ^ 2 / 8) * (prefactor / L) * two_sided M (fun m => Re (G_at (frequency m))).
Definition truncation_bound : R :=
  prefactor * (2 / L) * exp (s ^ 2 * (theta * (theta + 1)) / 2) * tail_bound s cutoff (frequency 1).

(** Poisson's summation for a function f whose transform on the line of real part θ, ∫ f(v)·e^(-zv) dv, is [transform]. *)
Definition poisson (f : R -> R) (transform : R -> C) : Prop := forall u : R, exists total : R,
  is_lim_seq (fun N => / L * two_sided N (fun m => Re (cexp (z_at (frequency m) * u) * transform (frequency m))%C)) total
  /\ is_lim_seq (fun N => two_sided N (fun j => exp (theta * (j * L)) * f (u - j * L))) total.

Lemma cutoff_positive : 0 < cutoff.
Proof. unfold cutoff, frequency. apply Rdiv_lt_0_compat; auto. assert (P := PI_RGT_0). assert (0 < INR (S M)) by apply lt_0_INR, Nat.lt_0_succ. nra.
Qed.
Lemma scale_positive : 0 < s.
Proof. apply Rdiv_lt_0_compat; [auto|apply cutoff_positive]. Qed.

(** pref·F(t) = Σ P·e^(z(loss - ε)), over the outcomes of the whole plan. *)
Lemma all_finite : Forall of_finite_loss (composed plan).
Proof. apply composed_good; auto. apply of_finite_loss_kept. Qed.
Definition wave (t : R) (o : Outcome) : C := (P_of o * cexp (z_at t * loss o))%C.
Lemma wave_both t o o' : of_finite_loss o -> of_finite_loss o' -> wave t (both o o') = (wave t o * wave t o')%C.
Proof.
  intros H H'. unfold wave. rewrite loss_both by auto. simpl. rewrite !RtoC_mult, RtoC_plus, Cmult_plus_distr_l, cexp_plus. ring.
Qed.
Lemma wave_nothing t : wave t nothing = 1%C.
Proof. unfold wave. rewrite loss_nothing. simpl. rewrite Cmult_0_r, cexp_0. ring. Qed.
Lemma sum_of_waves_copies t k a : Forall of_finite_loss a -> csum (copies k a) (wave t) = cpower (csum a (wave t)) k.
Proof.
  intros H. induction k; simpl; [rewrite wave_nothing; ring|]. rewrite csum_compose, IHk; [reflexivity|].
  assert (K : Forall of_finite_loss (copies k a)) by (apply copies_good; auto; apply of_finite_loss_kept).
  rewrite Forall_forall in *. intros. apply wave_both; auto.
Qed.
Fixpoint product_of_waves (t : R) (plan : Plan) : C :=
  match plan with [] => 1%C | (a, k) :: rest => (cpower (csum a (wave t)) k * product_of_waves t rest)%C end.
Lemma sum_of_waves t (p : Plan) : Forall (fun part => Forall of_finite_loss (fst part)) p ->
  csum (composed p) (wave t) = product_of_waves t p.
Proof.
  induction p as [|[a k] p IH]; intros H; simpl; [rewrite wave_nothing; ring|]. inversion H as [|? ? Ha Hp]; subst. simpl in Ha.
  rewrite csum_compose; [rewrite sum_of_waves_copies, IH by auto; reflexivity|].
  assert (K : Forall of_finite_loss (copies k a)) by (apply copies_good; auto; apply of_finite_loss_kept).
  assert (K' : Forall of_finite_loss (composed p)) by (apply composed_good; auto; apply of_finite_loss_kept).
  rewrite Forall_forall in *. intros. apply wave_both; auto.
Qed.
Lemma moment_times_characteristic t a : Forall of_finite_loss a -> (moment theta a * characteristic t a)%C = csum a (wave t).
Proof.
  intros H. unfold characteristic. fold (wave t). destruct a as [|o a].
  - unfold moment. simpl. unfold Cdiv. ring.
  - assert (0 < moment theta (o :: a)).
    { inversion H as [|? ? Ho Ha]; subst. unfold moment. simpl. rewrite tilted_of_finite_loss by auto.
      assert (0 < P_of o * exp (theta * loss o)) by (apply Rmult_lt_0_compat; [apply Ho|apply exp_pos]).
      assert (0 <= list_sum a (tilted theta)); [|lra]. apply list_sum_nonneg. rewrite Forall_forall in Ha. intros. apply tilted_nonneg.
      apply of_finite_loss_possible. auto. }
    change (moment theta (o :: a) * (csum (o :: a) (wave t) / moment theta (o :: a)) = csum (o :: a) (wave t))%C.
    field. intros E. apply RtoC_inj in E. lra.
Qed.
Lemma product_is_product t (p : Plan) : Forall (fun part => Forall of_finite_loss (fst part)) p ->
  (product (moment theta) p * product_of_characteristics t p)%C = product_of_waves t p.
Proof.
  induction p as [|[a k] p IH]; intros H; simpl; [ring|]. inversion H as [|? ? Ha Hp]; subst. simpl in Ha.
  rewrite <- IH, <- (moment_times_characteristic t a Ha), cpower_mult, cpower_real, RtoC_mult by auto. ring.
Qed.
Lemma F_is t : (prefactor * F_at t)%C = csum (composed plan) (fun o => P_of o * cexp (z_at t * RtoC (loss o - epsilon)))%C.
Proof.
  unfold prefactor, F_at. rewrite RtoC_mult.
  replace (RtoC (exp (- (theta * epsilon))) * product (moment theta) plan * (cexp (0, (- (t * epsilon))%R) * product_of_characteristics t plan))%C
    with (RtoC (exp (- (theta * epsilon))) * cexp (0, (- (t * epsilon))%R) * (product (moment theta) plan * product_of_characteristics t plan))%C
      by ring.
  rewrite product_is_product, <- sum_of_waves by exact finite.
  rewrite <- cexp_real, <- cexp_plus, <- csum_scal. apply csum_ext. intros o _. unfold wave.
  replace (cexp (RtoC (- (theta * epsilon)) + (0, (- (t * epsilon))%R)) * (P_of o * cexp (z_at t * loss o)))%C
    with (P_of o * (cexp (RtoC (- (theta * epsilon)) + (0, (- (t * epsilon))%R)) * cexp (z_at t * loss o)))%C by ring.
  rewrite <- cexp_plus. f_equal. f_equal. unfold z_at, Cplus, Cmult, Copp, RtoC. simpl. f_equal; ring.
Qed.

(** |e^(s²w/2)| and |w|. *)
Lemma bell_factor_Cmod t : Cmod (bell_factor t) = exp (s ^ 2 * (theta * (theta + 1)) / 2) * exp (- (s ^ 2 * t ^ 2 / 2)).
Proof.
  unfold bell_factor. rewrite Cmod_cexp, <- exp_plus. f_equal. unfold w_at, z_at, Re, Cmult, Cplus, RtoC. simpl. field.
Qed.
Lemma w_Cmod t : t ^ 2 <= Cmod (w_at t).
Proof.
  unfold w_at. rewrite Cmod_mult. assert (H1 := Im_below_Cmod (z_at t)). assert (H2 := Im_below_Cmod (z_at t + 1)%C).
  replace (Im (z_at t)) with t in H1 by reflexivity. replace (Im (z_at t + 1)%C) with t in H2 by (unfold Im, z_at; simpl; ring).
  replace (t ^ 2) with (Rabs t * Rabs t) by (rewrite <- Rabs_mult; rewrite Rabs_pos_eq; [ring|nra]).
  apply Rmult_le_compat; auto; apply Rabs_pos.
Qed.
Lemma F_Cmod t : prefactor * Cmod (F_at t) <= prefactor.
Proof.
  assert (E : prefactor = list_sum (composed plan) (fun o => P_of o * exp (theta * (loss o - epsilon)))).
  { unfold prefactor. rewrite <- moment_of_a_plan.
    - unfold moment. rewrite <- list_sum_scal. assert (K := all_finite). rewrite Forall_forall in K. apply list_sum_ext. intros o Ho.
      rewrite tilted_of_finite_loss by auto. replace (theta * (loss o - epsilon)) with (- (theta * epsilon) + theta * loss o) by ring.
      rewrite exp_plus. ring.
    - revert finite. apply Forall_impl. intros part. apply all_of_finite_loss_possible. }
  assert (P0 : 0 <= prefactor).
  { rewrite E. assert (K := all_finite). rewrite Forall_forall in K. apply list_sum_nonneg. intros o Ho.
    apply Rmult_le_pos; left; [apply (K o Ho)|apply exp_pos]. }
  replace (prefactor * Cmod (F_at t)) with (Cmod (prefactor * F_at t)%C) by (rewrite Cmod_mult, Cmod_R, Rabs_pos_eq; auto).
  rewrite F_is. eapply Rle_trans; [apply csum_Cmod|]. rewrite E at 1. apply list_sum_le. intros o Ho.
  assert (K := all_finite). rewrite Forall_forall in K. destruct (K o Ho) as [P _].
  rewrite Cmod_mult, Cmod_R, Rabs_pos_eq, Cmod_cexp by lra. right. do 2 f_equal. unfold Re, z_at, Cmult, RtoC. simpl. ring.
Qed.
Lemma prefactor_nonneg : 0 <= prefactor.
Proof.
  unfold prefactor. apply Rmult_le_pos; [left; apply exp_pos|]. rewrite <- moment_of_a_plan.
  - apply moment_nonneg. apply all_finite.
  - revert finite. apply Forall_impl. intros part. apply all_of_finite_loss_possible.
Qed.

(** A sum over frequencies, its limit, and how far it is from it. *)
Definition frequency_sum (transform : R -> C) (N : nat) : R :=
  prefactor / L * two_sided N (fun m => Re (F_at (frequency m) * transform (frequency m))%C).
Lemma frequency_sum_is transform N : frequency_sum transform N = list_sum (composed plan) (fun o =>
  P_of o * (/ L * two_sided N (fun m => Re (cexp (z_at (frequency m) * RtoC (loss o - epsilon)) * transform (frequency m))%C))).
Proof.
  unfold frequency_sum, Rdiv. rewrite (Rmult_comm prefactor), Rmult_assoc, <- two_sided_scal.
  rewrite (two_sided_ext N _ (fun m => list_sum (composed plan) (fun o =>
    P_of o * Re (cexp (z_at (frequency m) * RtoC (loss o - epsilon)) * transform (frequency m))%C))).
  - rewrite two_sided_list, <- list_sum_scal. apply list_sum_ext. intros o _. rewrite two_sided_scal. ring.
  - intros m. set (t := frequency m).
    replace (prefactor * Re (F_at t * transform t)%C) with (Re (prefactor * F_at t * transform t)%C) by (unfold Re, RtoC; simpl; ring).
    rewrite F_is, Cmult_comm, <- csum_scal, csum_Re. apply list_sum_ext. intros o _. unfold Re, RtoC. simpl. ring.
Qed.
(** The sum over shifts by multiples of the period. *)
Definition shifted_sum (f : R -> R) (N : nat) : R :=
  two_sided N (fun j => exp (theta * (j * L)) * list_sum (composed plan) (fun o => P_of o * f (loss o - (epsilon + j * L)))).
Lemma poisson_of_the_plan f transform : poisson f transform ->
  exists total : R, is_lim_seq (frequency_sum transform) total /\ is_lim_seq (shifted_sum f) total.
Proof.
  intros H.
  assert (E : forall N, shifted_sum f N = list_sum (composed plan) (fun o =>
    P_of o * two_sided N (fun j => exp (theta * (j * L)) * f (loss o - epsilon - j * L)))).
  { intros N. unfold shifted_sum.
    transitivity (list_sum (composed plan) (fun o => two_sided N (fun j => P_of o * (exp (theta * (j * L)) * f (loss o - epsilon - j * L))))).
    - rewrite <- two_sided_list. apply two_sided_ext. intros j. rewrite <- list_sum_scal. apply list_sum_ext. intros o _.
      replace (loss o - (epsilon + j * L)) with (loss o - epsilon - j * L) by ring. ring.
    - apply list_sum_ext. intros o _. apply (two_sided_scal N (P_of o) (fun j => exp (theta * (j * L)) * f (loss o - epsilon - j * L))). }
  enough (K : exists total : R,
    is_lim_seq (fun N => list_sum (composed plan) (fun o => P_of o
      * (/ L * two_sided N (fun m => Re (cexp (z_at (frequency m) * RtoC (loss o - epsilon)) * transform (frequency m))%C)))) total
    /\ is_lim_seq (fun N => list_sum (composed plan) (fun o => P_of o * two_sided N (fun j => exp (theta * (j * L)) * f (loss o - epsilon - j * L))))
      total).
  { destruct K as (total & K1 & K2). exists total. split.
    - eapply is_lim_seq_ext; [|exact K1]. intros N. simpl. now rewrite frequency_sum_is.
    - eapply is_lim_seq_ext; [|exact K2]. intros N. simpl. now rewrite E. }
  generalize (composed plan). intros l. induction l as [|o l (t & I1 & I2)]; simpl.
  - exists 0. split; apply is_lim_seq_const.
  - destruct (H (loss o - epsilon)) as (t' & J1 & J2). exists (P_of o * t' + t).
    split; (apply is_lim_seq_plus'; [apply is_lim_seq_mult'; [apply is_lim_seq_const|auto]|auto]).
Qed.

Lemma frequency_from_cutoff i : frequency (INR (S (M + i))) = cutoff + INR i * frequency 1.
Proof. unfold cutoff, frequency. rewrite !S_INR, plus_INR. field. lra. Qed.
Lemma frequency_1_positive : 0 < frequency 1.
Proof. unfold frequency. apply Rdiv_lt_0_compat; auto. generalize PI_RGT_0. lra. Qed.
Lemma truncated transform (k total : R) : 0 <= k ->
  (forall t, cutoff ^ 2 <= t ^ 2 -> Cmod (transform t) <= k * exp (- (s ^ 2 * t ^ 2 / 2))) ->
  is_lim_seq (frequency_sum transform) total ->
  Rabs (total - frequency_sum transform M) <= prefactor * (2 / L) * k * tail_bound s cutoff (frequency 1).
Proof.
  intros Hk H Lim. assert (P0 := prefactor_nonneg). assert (T0 := cutoff_positive). assert (T1 := frequency_1_positive).
  assert (L0 : 0 < / L) by now apply Rinv_0_lt_compat. set (bound := prefactor * (2 / L) * k * tail_bound s cutoff (frequency 1)).
  assert (B : forall n, Rabs (frequency_sum transform (n + M) - frequency_sum transform M) <= bound).
  { intros n. set (g := fun m => Re (F_at (frequency m) * transform (frequency m))%C).
    replace (frequency_sum transform (n + M) - frequency_sum transform M)
      with (/ L * sum_below n (fun i => prefactor * (g (INR (S (M + i))) + g (- INR (S (M + i)))))).
    2:{ unfold frequency_sum. fold g. unfold two_sided. rewrite (Nat.add_comm n M), sum_below_app, sum_below_scal. unfold Rdiv. ring. }
    rewrite Rabs_mult, (Rabs_pos_eq (/ L)) by lra. eapply Rle_trans; [apply Rmult_le_compat_l; [lra|apply sum_below_abs]|].
    assert (One : forall t, cutoff ^ 2 <= t ^ 2 -> Rabs (prefactor * Re (F_at t * transform t)%C) <= prefactor * k * exp (- (s ^ 2 * t ^ 2 / 2))).
    { intros t Ht. rewrite Rabs_mult, (Rabs_pos_eq prefactor) by auto.
      apply Rle_trans with (prefactor * (Cmod (F_at t) * Cmod (transform t))).
      - apply Rmult_le_compat_l; auto. rewrite <- Cmod_mult. apply Re_below_Cmod.
      - rewrite <- Rmult_assoc, (Rmult_assoc prefactor k). apply Rmult_le_compat; auto; [|apply Cmod_ge_0|apply F_Cmod].
        apply Rmult_le_pos; [auto|apply Cmod_ge_0]. }
    apply Rle_trans with (/ L * sum_below n (fun i => prefactor * k * 2 * exp (- (s ^ 2 * (cutoff + INR i * frequency 1) ^ 2 / 2)))).
    - apply Rmult_le_compat_l; [lra|]. apply sum_below_le. intros i _. rewrite Rmult_plus_distr_l.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite <- frequency_from_cutoff. set (t := frequency (INR (S (M + i)))).
      assert (Ht : cutoff ^ 2 <= t ^ 2).
      { unfold t. rewrite frequency_from_cutoff. apply pow_incr. assert (I := pos_INR i). nra. }
      assert (O := One t Ht). assert (O' := One (- t) ltac:(replace ((- t) ^ 2) with (t ^ 2) by ring; auto)).
      replace ((- t) ^ 2) with (t ^ 2) in O' by ring. unfold g. fold t.
      replace (frequency (- INR (S (M + i)))) with (- t) by (unfold t, frequency; field; lra). lra.
    - rewrite sum_below_scal. unfold bound, Rdiv.
      assert (TR := truncation s cutoff (frequency 1) n scale_positive T0 T1).
      replace (prefactor * (2 * / L) * k * tail_bound s cutoff (frequency 1))
        with (/ L * (prefactor * k * 2 * tail_bound s cutoff (frequency 1))) by ring.
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [|exact TR]. apply Rmult_le_pos; [apply Rmult_le_pos|]; lra. }
  apply is_lim_seq_incr_n with (N := M) in Lim. apply Rabs_le.
  split.
  - assert (K := is_lim_seq_le (fun _ => frequency_sum transform M - bound) (fun n => frequency_sum transform (n + M))
      (frequency_sum transform M - bound) total).
    simpl in K. enough (frequency_sum transform M - bound <= total) by lra. apply K; [|apply is_lim_seq_const|exact Lim].
    intros n. specialize (B n). apply Rabs_le_between in B. lra.
  - assert (K := is_lim_seq_le (fun n => frequency_sum transform (n + M)) (fun _ => frequency_sum transform M + bound) total
      (frequency_sum transform M + bound)).
    simpl in K. enough (total <= frequency_sum transform M + bound) by lra. apply K; [|exact Lim|apply is_lim_seq_const].
    intros n. specialize (B n). apply Rabs_le_between in B. lra.
Qed.

(** A and its transform, B and its transform. *)
Definition main_transform (t : R) : C := (bell_factor t / w_at t)%C.
Definition bump_factor : R := s ^ 2 * exp (s ^ 2 / 8).
Definition bump_transform (t : R) : C := (bump_factor * bell_factor t)%C.
Lemma main_sum_is : main_sum = frequency_sum main_transform M.
Proof.
  unfold main_sum, frequency_sum. f_equal. apply two_sided_ext. intros m. f_equal. unfold G_at, main_transform, Cdiv. ring.
Qed.
Lemma smoothing_sum_is : smoothing_sum = frequency_sum bump_transform M.
Proof.
  unfold smoothing_sum, frequency_sum. fold bump_factor.
  rewrite (two_sided_ext M (fun m => Re (F_at (frequency m) * bump_transform (frequency m))%C) (fun m => bump_factor * Re (G_at (frequency m)))).
  - rewrite two_sided_scal. ring.
  - intros m. unfold G_at, bump_transform, Re, RtoC. simpl. ring.
Qed.
Definition truncation_of_main : R := truncation_bound / cutoff ^ 2.
Definition truncation_of_smoothing : R := bump_factor * truncation_bound.
Lemma main_truncated (total : R) : is_lim_seq (frequency_sum main_transform) total -> Rabs (total - main_sum) <= truncation_of_main.
Proof.
  intros H. assert (T0 := cutoff_positive). assert (T2 : 0 < cutoff ^ 2) by now apply pow_lt. rewrite main_sum_is.
  set (e := exp (s ^ 2 * (theta * (theta + 1)) / 2)). assert (E0 : 0 < e) by apply exp_pos.
  replace truncation_of_main with (prefactor * (2 / L) * (e / cutoff ^ 2) * tail_bound s cutoff (frequency 1))
    by (unfold truncation_of_main, truncation_bound; fold e; unfold Rdiv; ring).
  apply truncated; auto; [left; now apply Rdiv_lt_0_compat|]. intros t Ht. unfold main_transform.
  assert (W := w_Cmod t). assert (W0 : w_at t <> 0%C) by (intros E; rewrite E, Cmod_0 in W; lra).
  rewrite Cmod_div, bell_factor_Cmod by auto. fold e. set (b := exp (- (s ^ 2 * t ^ 2 / 2))). assert (0 < b) by apply exp_pos.
  replace (e / cutoff ^ 2 * b) with (e * b * / cutoff ^ 2) by (unfold Rdiv; ring). apply Rmult_le_compat_l; [nra|].
  apply Rinv_le_contravar; lra.
Qed.
Lemma smoothing_truncated (total : R) : is_lim_seq (frequency_sum bump_transform) total -> Rabs (total - smoothing_sum) <= truncation_of_smoothing.
Proof.
  intros H. rewrite smoothing_sum_is. set (e := exp (s ^ 2 * (theta * (theta + 1)) / 2)). assert (E0 : 0 < e) by apply exp_pos.
  assert (K0 : 0 < bump_factor) by (apply Rmult_lt_0_compat; [apply pow_lt, scale_positive|apply exp_pos]).
  replace truncation_of_smoothing with (prefactor * (2 / L) * (bump_factor * e) * tail_bound s cutoff (frequency 1))
    by (unfold truncation_of_smoothing, truncation_bound; fold e; ring).
  apply truncated; auto; [nra|]. intros t _. unfold bump_transform. rewrite Cmod_mult, Cmod_R, Rabs_pos_eq, bell_factor_Cmod by lra.
  fold e. right. ring.
Qed.

(** Shifts: the one by 0, and those to the right and to the left. *)
Lemma shifted_sum_is f N : shifted_sum f N = list_sum (composed plan) (fun o => P_of o * f (loss o - epsilon))
  + (sum_below N (fun i => exp (theta * (INR (S i) * L)) * list_sum (composed plan) (fun o => P_of o * f (loss o - (epsilon + INR (S i) * L))))
  + sum_below N (fun i => exp (theta * (- INR (S i) * L)) * list_sum (composed plan) (fun o => P_of o * f (loss o - (epsilon + - INR (S i) * L))))).
Proof.
  unfold shifted_sum, two_sided. rewrite <- sum_below_plus. f_equal. rewrite Rmult_0_l, Rmult_0_r, exp_0, Rplus_0_r. ring.
Qed.
(** Poisson's summation for δ′ on a line to the right of the poles of 1/w; on one between them, past the pole at 0, whose residue is P*;
    and for the bump. *)
Hypothesis poisson_of_smoothed : 0 < theta -> poisson (smoothed s) main_transform.
Hypothesis poisson_past_the_pole : -1 < theta < 0 -> poisson (fun u => smoothed s u - 1) main_transform.
Hypothesis poisson_of_bump : poisson (bump s) bump_transform.

Definition P_star : R := product P_mass plan.
Definition aliases (tau : R) : R :=
  P_star / (exp (theta * L) - 1)
  + chernoff_constant (theta + tau) * product (moment (theta + tau)) plan * exp (s ^ 2 * ((theta + tau) * (theta + tau + 1)) / 2)
    * exp (- ((theta + tau) * epsilon)) / (exp (tau * L) - 1).
Definition aliases_past_the_pole (sigma : R) : R :=
  P_star / (exp (- theta * L) - 1) + product (moment (- sigma)) plan * exp (sigma * epsilon) / (exp ((sigma + theta) * L) - 1).

Lemma plan_possible : possible_plan plan.
Proof. revert finite. apply Forall_impl. intros part. apply all_of_finite_loss_possible. Qed.
Lemma bump_enclosed : expected_bump s epsilon (composed plan) <= smoothing_sum + truncation_of_smoothing.
Proof.
  destruct (poisson_of_the_plan _ _ poisson_of_bump) as (total & H1 & H2). assert (T := smoothing_truncated total H1).
  apply Rabs_le_between in T. enough (expected_bump s epsilon (composed plan) <= total) by lra.
  apply (limit_above _ _ _ H2). intros N. rewrite shifted_sum_is. fold (expected_bump s epsilon (composed plan)).
  assert (K := all_finite). rewrite Forall_forall in K.
  assert (0 <= list_sum (composed plan) (fun o => P_of o * bump s (loss o - epsilon))) by (apply list_sum_nonneg; intros o Ho;
    apply Rmult_le_pos; left; [apply (K o Ho)|apply bump_positive, scale_positive]).
  assert (Z : forall x, 0 <= list_sum (composed plan) (fun o => P_of o * bump s (loss o - x))).
  { intros x. apply list_sum_nonneg. intros o Ho. apply Rmult_le_pos; left; [apply (K o Ho)|apply bump_positive, scale_positive]. }
  assert (Z' : forall (e x : nat -> R) n, 0 <= sum_below n (fun i => exp (e i) * list_sum (composed plan) (fun o => P_of o * bump s (loss o - x i)))).
  { intros e x n. induction n; simpl; [lra|]. apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; [left; apply exp_pos|auto]. }
  assert (Z1 := Z' (fun i => theta * (INR (S i) * L)) (fun i => epsilon + INR (S i) * L) N).
  assert (Z2 := Z' (fun i => theta * (- INR (S i) * L)) (fun i => epsilon + - INR (S i) * L) N). cbv beta in *. unfold expected_bump. lra.
Qed.

Theorem enclosure_from_poisson :
  (0 < theta -> forall tau, 0 < tau ->
     main_sum - aliases tau - smoothing_sum - truncation_of_main - truncation_of_smoothing
     <= delta epsilon (composed plan) <= main_sum + truncation_of_main)
  /\ (-1 < theta < 0 -> forall sigma, - theta < sigma <= 1 ->
     P_star + main_sum - smoothing_sum - truncation_of_main - truncation_of_smoothing
     <= delta epsilon (composed plan) <= P_star + main_sum + aliases_past_the_pole sigma + truncation_of_main).
Proof.
  assert (B := bump_enclosed). assert (S0 := scale_positive). destruct (smoothing s S0 epsilon _ all_finite) as [S1 S2].
  set (d := smoothed_delta s epsilon (composed plan)) in *. set (a := composed plan) in *.
  assert (PM : P_star = P_mass a) by (symmetry; apply masses_of_a_plan, plan_possible).
  assert (D := fun x => smoothed_delta_bounds s S0 x a all_finite). split.
  - intros Ht tau Hu. destruct (poisson_of_the_plan _ _ (poisson_of_smoothed Ht)) as (total & H1 & H2).
    assert (T := main_truncated total H1). apply Rabs_le_between in T. enough (d <= total <= d + aliases tau) by lra.
    apply (limit_within _ _ _ _ H2). intros N. rewrite shifted_sum_is. fold a d.
    assert (R1 := aliases_on_the_right s theta L epsilon a S0 L_positive all_finite tau N Ht Hu).
    assert (R2 := aliases_on_the_left s theta L epsilon a S0 L_positive all_finite N Ht).
    unfold alias_bound in R1. unfold a in R1 at 2. rewrite moment_of_a_plan in R1 by apply plan_possible.
    unfold aliases. rewrite PM.
    assert (Z1 : 0 <= sum_below N (alias_right s theta L epsilon a)).
    { generalize N. intros n. induction n; simpl; [lra|]. apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; [left; apply exp_pos|apply D]. }
    assert (Z2 : 0 <= sum_below N (alias_left s theta L epsilon a)).
    { generalize N. intros n. induction n; simpl; [lra|]. apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; [left; apply exp_pos|apply D]. }
    unfold alias_right, alias_left, smoothed_delta in *. unfold d, smoothed_delta. split; lra.
  - intros Ht sigma Hs. destruct (poisson_of_the_plan _ _ (poisson_past_the_pole Ht)) as (total & H1 & H2).
    assert (T := main_truncated total H1). apply Rabs_le_between in T.
    enough (d - P_star - aliases_past_the_pole sigma <= total <= d - P_star) by lra.
    assert (E : forall x, list_sum a (fun o => P_of o * (smoothed s (loss o - x) - 1)) = - remainder s a x).
    { intros x. unfold remainder, smoothed_delta, P_mass.
      rewrite (list_sum_ext _ a _ (fun o => P_of o * smoothed s (loss o - x) + -1 * P_of o)) by (intros; ring).
      rewrite list_sum_plus, list_sum_scal. ring. }
    apply (limit_within _ _ _ _ H2). intros N. rewrite shifted_sum_is. fold a. rewrite E.
    rewrite (sum_below_ext N _ (fun i => -1 * remainder_right s theta L epsilon a i)) by (intros i _; rewrite E; unfold remainder_right; ring).
    rewrite (sum_below_ext N (fun i => exp (theta * (- INR (S i) * L)) * _) (fun i => -1 * remainder_left s theta L epsilon a i))
      by (intros i _; rewrite E; unfold remainder_left; ring).
    rewrite !sum_below_scal.
    assert (R1 := remainders_on_the_right s theta L epsilon a S0 L_positive all_finite N ltac:(lra)).
    assert (R2 := remainders_on_the_left s theta L epsilon a S0 L_positive all_finite sigma N Hs ltac:(lra)).
    unfold a in R2 at 2. rewrite moment_of_a_plan in R2 by apply plan_possible.
    unfold aliases_past_the_pole. rewrite PM. change (remainder s a epsilon) with (P_mass a - d).
    assert (Z1 : 0 <= sum_below N (remainder_right s theta L epsilon a)).
    { generalize N. intros n. induction n; simpl; [lra|]. apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; [left; apply exp_pos|].
      unfold remainder. match goal with |- 0 <= _ - smoothed_delta s ?x a => generalize (D x) end. lra. }
    assert (Z2 : 0 <= sum_below N (remainder_left s theta L epsilon a)).
    { generalize N. intros n. induction n; simpl; [lra|]. apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; [left; apply exp_pos|].
      unfold remainder. match goal with |- 0 <= _ - smoothed_delta s ?x a => generalize (D x) end. lra. }
    split; lra.
Qed.
End Spectral.
