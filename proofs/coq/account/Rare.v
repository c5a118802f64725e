(** Rare outcomes apart, and tails that are cut off.

    Each part is given as C and T: outcomes that stay in the sum over frequencies, and rare ones (among them those with Q = 0). Over the
    outcomes of all copies that are not all in C, (P - e^ε·Q)₊ is P - e^ε·Q, up to (e^ε·Q - P)₊, which a moment bounds. *)
Require Import Reals Lra Lia List.
From Certus.semantics Require Import ListSums.
From Certus.account Require Import Constants Curves.
Import ListNotations.
Open Scope R_scope.

(** C, T and the number of copies, of each part. K is C and T. *)
Definition Split := list (Part * Part * nat).
Definition whole (s : Split) : Plan := map (fun '(c, t, k) => (c ++ t, k)) s.
Definition frequent (s : Split) : Plan := map (fun '(c, _, k) => (c, k)) s.
Definition of_good (good : Outcome -> Prop) (s : Split) : Prop := Forall (fun '(c, t, _) => Forall good (c ++ t)) s.

(** Sums of what is not negative over fewer outcomes are smaller, composed or not. *)
Definition grows (good : Outcome -> Prop) (a a' : Part) : Prop :=
  forall h, (forall o, good o -> 0 <= h o) -> list_sum a h <= list_sum a' h.
Lemma compose_grows good a a' b b' : kept_together good ->
  Forall good a -> Forall good b' -> grows good a a' -> grows good b b' -> grows good (compose a b) (compose a' b').
Proof.
  intros [_ G] Ha Hb Ga Gb h Hh. rewrite !sum_compose. rewrite Forall_forall in *.
  apply Rle_trans with (list_sum a (fun o => list_sum b' (fun o' => h (both o o')))).
  - apply list_sum_le. intros o Ho. apply Gb. auto.
  - apply Ga. intros o Ho. apply list_sum_nonneg. auto.
Qed.
Lemma copies_grow good k a a' :
  kept_together good -> Forall good a -> Forall good a' -> grows good a a' -> grows good (copies k a) (copies k a').
Proof.
  intros G Ha Ha' H. induction k; simpl; [intros h Hh; lra|]. apply compose_grows; auto. now apply copies_good.
Qed.
Lemma frequent_grows good s : kept_together good -> of_good good s -> grows good (composed (frequent s)) (composed (whole s)).
Proof.
  intros G. induction s as [|[[c t] k] s IH]; intros H; simpl; [intros h Hh; lra|].
  inversion H as [|? ? Hp Hs]; subst. assert (Hc := Hp). apply Forall_app in Hc. destruct Hc as [Hc Ht].
  apply compose_grows; auto.
  - now apply copies_good.
  - apply composed_good; auto. clear - Hs. induction Hs as [|[[c t] k] s H Hs IH]; simpl; constructor; auto.
  - apply copies_grow; auto. intros h Hh. rewrite list_sum_app. rewrite Forall_forall in Ht.
    assert (0 <= list_sum t h) by (apply list_sum_nonneg; auto). lra.
Qed.
Lemma whole_good good s : of_good good s -> Forall (fun part => Forall good (fst part)) (whole s).
Proof. induction 1 as [|[[c t] k] s H Hs IH]; simpl; constructor; auto. Qed.
Lemma frequent_good good s : of_good good s -> Forall (fun part => Forall good (fst part)) (frequent s).
Proof. induction 1 as [|[[c t] k] s H Hs IH]; simpl; constructor; auto. simpl. now apply Forall_app in H. Qed.

(** Where P > 0, but Q may be 0. *)
Definition seen (o : Outcome) : Prop := 0 < P_of o /\ 0 <= Q_of o.
Lemma seen_kept : kept_together seen.
Proof.
  split; [unfold seen; simpl; lra|]. intros o o' [] []. split; simpl; [now apply Rmult_lt_0_compat|now apply Rmult_le_pos].
Qed.
Lemma seen_possible o : seen o -> possible o.
Proof. intros []. split; lra. Qed.
Lemma all_seen_possible plan : Forall (fun part => Forall seen (fst part)) plan -> possible_plan plan.
Proof. apply Forall_impl. intros part. apply Forall_impl. exact seen_possible. Qed.

(** (e^ε·Q - P)₊, its sum, and its bound by the moment at -1-r. *)
Definition other_side (epsilon : R) (o : Outcome) : R := Rmax 0 (exp epsilon * Q_of o - P_of o).
Lemma other_side_bound epsilon r o : 0 <= r -> seen o ->
  other_side epsilon o <= chernoff_constant r * exp ((1 + r) * epsilon) * tilted (-1 - r) o.
Proof.
  intros Hr [HP HQ]. unfold other_side, tilted. destruct (Rlt_dec 0 (Q_of o)) as [H|H].
  - assert (F : of_finite_loss o) by (split; auto). rewrite (loss_is o F).
    replace (exp epsilon * (P_of o * exp (- loss o)) - P_of o) with (P_of o * (exp (epsilon + - loss o) - 1)) by (rewrite exp_plus; ring).
    replace 0 with (P_of o * 0) by lra. rewrite RmaxRmult by lra.
    replace (chernoff_constant r * exp ((1 + r) * epsilon) * (P_of o * exp ((-1 - r) * loss o)))
      with (P_of o * (chernoff_constant r * (exp ((1 + r) * epsilon) * exp ((-1 - r) * loss o)))) by ring.
    rewrite <- exp_plus. replace ((1 + r) * epsilon + (-1 - r) * loss o) with ((1 + r) * (epsilon + - loss o)) by ring.
    apply Rmult_le_compat_l; [lra|]. now apply exponential_above_one.
  - replace (Q_of o) with 0 by lra. rewrite !Rmult_0_r. apply Rmax_lub; lra.
Qed.
Lemma delta_by_other_side epsilon a :
  delta epsilon a = P_mass a - exp epsilon * Q_mass a + list_sum a (other_side epsilon).
Proof.
  unfold delta, P_mass, Q_mass, other_side. rewrite <- list_sum_scal. induction a as [|o a IH]; simpl; [lra|]. rewrite IH.
  unfold Rmax. destruct (Rle_dec 0 (P_of o - exp epsilon * Q_of o)), (Rle_dec 0 (exp epsilon * Q_of o - P_of o)); lra.
Qed.

Theorem rare_outcomes_apart epsilon r s : 0 <= r -> of_good seen s -> exists e,
  delta epsilon (composed (whole s)) = delta epsilon (composed (frequent s))
    + (product P_mass (whole s) - product P_mass (frequent s))
    - exp epsilon * (product Q_mass (whole s) - product Q_mass (frequent s)) + e
  /\ 0 <= e <= chernoff_constant r * exp ((1 + r) * epsilon)
                 * (product (moment (-1 - r)) (whole s) - product (moment (-1 - r)) (frequent s)).
Proof.
  intros Hr H. assert (W := whole_good _ _ H). assert (F := frequent_good _ _ H).
  destruct (masses_of_a_plan _ (all_seen_possible _ W)) as [<- <-]. destruct (masses_of_a_plan _ (all_seen_possible _ F)) as [<- <-].
  rewrite <- !moment_of_a_plan by now apply all_seen_possible.
  exists (list_sum (composed (whole s)) (other_side epsilon) - list_sum (composed (frequent s)) (other_side epsilon)).
  split; [rewrite !delta_by_other_side; lra|]. assert (G := frequent_grows seen s seen_kept H). split.
  - assert (K := G (other_side epsilon) ltac:(intros; apply Rmax_l)). lra.
  - unfold moment. rewrite Rmult_minus_distr_l, <- !list_sum_scal.
    set (m := fun o => chernoff_constant r * exp ((1 + r) * epsilon) * tilted (-1 - r) o).
    assert (K := G (fun o => m o + -1 * other_side epsilon o)). rewrite !list_sum_plus, !list_sum_scal in K.
    assert (K' : forall o, seen o -> 0 <= m o + -1 * other_side epsilon o).
    { intros o Ho. generalize (other_side_bound epsilon r o Hr Ho). unfold m. lra. }
    specialize (K K'). lra.
Qed.

(** Σ k·share over the parts. *)
Fixpoint sum_of_parts (f : Part -> Part -> R) (s : Split) : R :=
  match s with [] => 0 | (c, t, k) :: s => INR k * f c t + sum_of_parts f s end.

(** Π a - Π b <= Σ (a - b) for 0 <= b <= a <= 1, with powers. *)
Lemma power_difference k a b : 0 <= b <= a -> a <= 1 -> 0 <= b ^ k <= a ^ k /\ a ^ k <= 1 /\ a ^ k - b ^ k <= INR k * (a - b).
Proof.
  intros H H1. induction k as [|k (I1 & I2 & I3)]; [simpl; lra|]. rewrite S_INR. simpl.
  set (x := a ^ k) in *. set (y := b ^ k) in *. repeat split; nra.
Qed.
Lemma product_difference (f : Part -> R) s :
  Forall (fun '(c, t, _) => 0 <= f c <= f (c ++ t) /\ f (c ++ t) <= 1) s ->
  0 <= product f (frequent s) <= product f (whole s) /\ product f (whole s) <= 1
  /\ product f (whole s) - product f (frequent s) <= sum_of_parts (fun c t => f (c ++ t) - f c) s.
Proof.
  induction 1 as [|[[c t] k] s [H H1] Hs (I1 & I2 & I3)]; simpl; [lra|].
  destruct (power_difference k _ _ H H1) as (J1 & J2 & J3).
  set (x := f (c ++ t) ^ k) in *. set (y := f c ^ k) in *. set (u := product f (whole s)) in *. set (v := product f (frequent s)) in *.
  repeat split; nra.
Qed.

(** The bracket: Π M_i^k_i - Π C_i^k_i <= Π M_i^k_i · Σ k_i·T_i/M_i. *)
Theorem moments_of_rare_outcomes theta s :
  of_good possible s -> Forall (fun '(c, t, _) => 0 < moment theta (c ++ t)) s ->
  product (moment theta) (whole s) - product (moment theta) (frequent s)
  <= product (moment theta) (whole s) * sum_of_parts (fun c t => moment theta t / moment theta (c ++ t)) s.
Proof.
  intros H HM. induction H as [|[[c t] k] s H Hs IH]; simpl; [lra|]. inversion HM as [|? ? M HM']; subst.
  specialize (IH HM'). apply Forall_app in H. destruct H as [Hc Ht]. rewrite Forall_forall in Hc, Ht.
  assert (C0 : 0 <= moment theta c) by (apply list_sum_nonneg; intros; apply tilted_nonneg; auto).
  assert (T0 : 0 <= moment theta t) by (apply list_sum_nonneg; intros; apply tilted_nonneg; auto).
  assert (E : moment theta (c ++ t) = moment theta c + moment theta t) by apply list_sum_app.
  set (m := moment theta (c ++ t)) in *. set (x := moment theta t / m).
  assert (Hx : 0 <= x <= 1).
  { unfold x. split; [apply Rmult_le_pos; [auto|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with m; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (E' : moment theta c = m * (1 - x)) by (unfold x; replace (moment theta c) with (m - moment theta t) by lra; field; lra).
  rewrite E', Rpow_mult_distr. destruct (power_difference k 1 (1 - x) ltac:(lra) ltac:(lra)) as (J1 & _ & J3). rewrite pow1 in *.
  assert (Hm : 0 < m ^ k) by now apply pow_lt.
  assert (U : 0 <= product (moment theta) (whole s)).
  { clear - HM'. induction HM' as [|[[c t] k] s H Hs IH]; simpl; [lra|]. apply Rmult_le_pos; auto. left. now apply pow_lt. }
  set (u := product (moment theta) (whole s)) in *. set (v := product (moment theta) (frequent s)) in *.
  set (y := (1 - x) ^ k) in *. set (z := sum_of_parts _ s) in *.
  replace (m ^ k * u - m ^ k * y * v) with (m ^ k * (u * (1 - y) + y * (u - v))) by ring.
  replace (m ^ k * u * (INR k * x + z)) with (m ^ k * (u * (INR k * x) + u * z)) by ring.
  apply Rmult_le_compat_l; [lra|].
  assert (Z : 0 <= z).
  { clear - HM' Hs. unfold z. induction Hs as [|[[c t] k] s H Hs IH]; simpl; [lra|]. inversion HM' as [|? ? M HM]; subst.
    apply Rplus_le_le_0_compat; [|auto]. apply Rmult_le_pos; [apply pos_INR|]. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
    apply Forall_app in H. destruct H as [_ H]. rewrite Forall_forall in H. apply list_sum_nonneg. intros. apply tilted_nonneg. auto. }
  assert (0 <= u * z) by (now apply Rmult_le_pos).
  assert (u * (1 - y) <= u * (INR k * x)) by (apply Rmult_le_compat_l; lra).
  assert (y * (u - v) <= u * z) by nra. lra.
Qed.

(** The differences from T's own masses: K* - C* = K*·(1 - exp Σ k_i·ln(1 - T_i/K_i)). *)
Theorem difference_of_masses (f : Outcome -> R) s :
  Forall (fun '(c, t, _) => 0 < list_sum c f /\ 0 < list_sum (c ++ t) f) s ->
  let mass a := list_sum a f in
  product mass (whole s) - product mass (frequent s)
  = product mass (whole s) * (1 - exp (sum_of_parts (fun c t => ln (1 - mass t / mass (c ++ t))) s)).
Proof.
  intros H mass. enough (E : product mass (frequent s) = product mass (whole s) * exp (sum_of_parts (fun c t => ln (1 - mass t / mass (c ++ t))) s))
    by (rewrite E; ring).
  induction H as [|[[c t] k] s [H H'] Hs IH]; simpl; [rewrite exp_0; lra|]. rewrite IH, exp_plus.
  assert (E : mass (c ++ t) = mass c + mass t) by apply list_sum_app. fold (mass c) (mass (c ++ t)) in H, H'.
  replace (1 - mass t / mass (c ++ t)) with (mass c / mass (c ++ t)).
  2:{ replace (mass t) with (mass (c ++ t) - mass c) by lra. field. lra. }
  replace (exp (INR k * ln (mass c / mass (c ++ t)))) with ((mass c / mass (c ++ t)) ^ k).
  2:{ rewrite <- Rpower_pow by now apply Rdiv_lt_0_compat. reflexivity. }
  replace (mass c) with (mass (c ++ t) * (mass c / mass (c ++ t))) at 1 by (field; lra). rewrite Rpow_mult_distr. ring.
Qed.

(** Tails that are cut off: T is left out altogether. *)
Theorem cut_off_tails epsilon s : of_good possible s ->
  0 <= delta epsilon (composed (whole s)) - delta epsilon (composed (frequent s))
    <= product P_mass (whole s) - product P_mass (frequent s).
Proof.
  intros H. assert (W := whole_good _ _ H). assert (F := frequent_good _ _ H).
  destruct (masses_of_a_plan _ W) as [<- _]. destruct (masses_of_a_plan _ F) as [<- _].
  assert (G := frequent_grows possible s possible_kept H). set (d := fun o => Rmax 0 (P_of o - exp epsilon * Q_of o)). split.
  - assert (K := G d ltac:(intros; apply Rmax_l)). unfold delta. fold d. lra.
  - assert (K := G (fun o => P_of o + -1 * d o)). rewrite !list_sum_plus, !list_sum_scal in K. unfold delta, P_mass. fold d.
    enough (forall o, possible o -> 0 <= P_of o + -1 * d o) as K' by (specialize (K K'); lra).
    intros o [H1 H2]. assert (0 <= exp epsilon * Q_of o) by (apply Rmult_le_pos; [left; apply exp_pos|auto]).
    assert (d o <= P_of o) by (apply Rmax_lub; lra). lra.
Qed.
Theorem cut_off_tails_of_copies epsilon s : of_good possible s -> Forall (fun '(c, t, _) => P_mass (c ++ t) <= 1) s ->
  0 <= delta epsilon (composed (whole s)) - delta epsilon (composed (frequent s)) <= sum_of_parts (fun _ t => P_mass t) s.
Proof.
  intros H H1. assert (K := cut_off_tails epsilon s H). split; [lra|].
  destruct (product_difference P_mass s) as (_ & _ & D).
  - clear K. induction H as [|[[c t] k] s H Hs IH]; [constructor|]. inversion H1 as [|? ? U H1']; subst. constructor; [|auto].
    apply Forall_app in H. destruct H as [Hc Ht]. rewrite Forall_forall in *. unfold P_mass in *. rewrite list_sum_app in *.
    assert (0 <= list_sum c P_of) by (apply list_sum_nonneg; intros o Ho; apply (Hc o Ho)).
    assert (0 <= list_sum t P_of) by (apply list_sum_nonneg; intros o Ho; apply (Ht o Ho)). lra.
  - replace (sum_of_parts (fun _ t => P_mass t) s) with (sum_of_parts (fun c t => P_mass (c ++ t) - P_mass c) s); [lra|].
    clear. induction s as [|[[c t] k] s IH]; simpl; [lra|]. rewrite IH. unfold P_mass. rewrite list_sum_app. lra.
Qed.
