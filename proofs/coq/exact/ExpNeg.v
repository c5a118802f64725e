(** [exp_neg] of [src/exact/exp.rs]: e^-x for a rational x >= 0, on integers of any size. x is halved until it
    is small, the series is summed there, and the result squared back; a result too wide is computed again
    with twice the guard bits. What the Rust adds in u32 saturates; precisions here are far from that. *)
Require Import Reals Lra Lia ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.exact Require Import Intervals ExpSeries.

(** ** The algorithm *)
Open Scope Z_scope.

(** [BigUint::bits], of a positive number. *)
Definition bit_count (n : Z) : Z := if n =? 0 then 0 else Z.log2 n + 1.

(** t = ⌊x·2^(working - halvings)⌋, x = n/d. *)
Definition reduced (n d halvings working : Z) : Z :=
  if halvings <=? working then Z.shiftl n (working - halvings) / d else n / Z.shiftl d (halvings - working).
Fixpoint square_times (count : nat) (e : Interval) : Interval := match count with O => e | S count => square_times count (square e) end.
Definition enclose (n d halvings working : Z) : option Interval :=
  match series (S (Z.to_nat working)) (reduced n d halvings working) working with
  | None => None
  | Some (least, greatest) =>
      Some (square_times (Z.to_nat halvings) (from_scaled (Z.max (least - 1) 0) (Z.min greatest (Z.shiftl 1 working)) working))
  end.

(** About √precision/2 more halvings than bring x below 1. *)
Definition halvings_for (n d precision : Z) : Z := Z.max 0 (bit_count n + 1 + (4 + Z.sqrt precision / 2) - bit_count d).
Fixpoint with_guard (tries : nat) (n d halvings precision guard : Z) : option Interval :=
  match tries with
  | O => None
  | S tries =>
      match enclose n d halvings (precision + guard) with
      | None => None
      | Some enclosed =>
          let rounded := at_precision enclosed (precision + 2) in
          if is_narrow rounded precision then Some rounded else with_guard tries n d halvings precision (2 * guard)
      end
  end.
(** So many doublings of the guard are enough, as [exp_neg_answers] says. *)
Definition doublings (precision : Z) : nat := Z.to_nat (Z.log2 (precision + 1) + 3).
Definition exp_neg (n d precision : Z) : option Interval :=
  if n =? 0 then Some (from_integer 1 0)
  else if d * precision <=? n then Some (from_scaled 0 1 precision)
  else let halvings := halvings_for n d precision in with_guard (doublings precision) n d halvings precision (halvings + 10).

(** ** What it encloses *)
Open Scope R_scope.

Lemma exp_at_most_1 x : 0 <= x -> exp (- x) <= 1.
Proof. intros [H| <-]; [left; rewrite <- exp_0; apply exp_increasing; lra|rewrite Ropp_0, exp_0; lra]. Qed.
Lemma exp_falls x y : x <= y -> exp (- y) <= exp (- x).
Proof. intros [H| ->]; [left; apply exp_increasing; lra|lra]. Qed.
Lemma exp_power_of x k : exp (INR k * x) = exp x ^ k.
Proof.
  induction k as [|k IH]; [simpl INR; rewrite Rmult_0_l, exp_0; reflexivity|]. rewrite S_INR. replace ((INR k + 1) * x) with (x + INR k * x) by ring.
  rewrite exp_plus, IH. reflexivity.
Qed.
(** The slope of e^-x is at most 1. *)
Lemma exp_slope x y : 0 <= x <= y -> exp (- x) - (y - x) <= exp (- y).
Proof.
  intros H. replace (- y) with (- x + - (y - x)) by ring. rewrite exp_plus. assert (E := exp_ineq1_le (- (y - x))). assert (P := exp_pos (- x)).
  assert (M := exp_at_most_1 x ltac:(lra)). nra.
Qed.
Lemma contains_squares count : forall e y, contains e y -> contains (square_times count e) (y ^ (2 ^ count)).
Proof.
  induction count as [|count IH]; intros e y H; cbn [square_times]; [now rewrite pow_1|].
  replace (y ^ (2 ^ S count)) with ((y * y) ^ (2 ^ count)); [apply IH, square_contains, H|].
  rewrite Nat.pow_succ_r', pow_mult. f_equal. ring.
Qed.

Section Enclose.
Variables n d halvings : Z.
Hypotheses (Hn : (0 <= n)%Z) (Hd : (0 < d)%Z) (Hh : (0 <= halvings)%Z).
(** x/2^halvings <= 1/2. *)
Hypothesis small : (2 * n <= d * 2 ^ halvings)%Z.

Lemma reduced_below working : (0 <= working)%Z -> let t := reduced n d halvings working in
  (0 <= t)%Z /\ IZR t <= IZR n / IZR d / IZR (2 ^ halvings) * IZR (2 ^ working) < IZR t + 1.
Proof.
  intros Hw t. assert (D : 0 < IZR d) by now apply (IZR_lt 0). assert (PH := two_to_positive halvings Hh). assert (PW := two_to_positive working Hw).
  unfold t, reduced. destruct (Z.leb_spec halvings working) as [L|L]; rewrite Z.shiftl_mul_pow2 by lia.
  - set (k := (working - halvings)%Z). assert (PK := two_to_positive k ltac:(unfold k; lia)).
    assert (E : IZR n / IZR d / IZR (2 ^ halvings) * IZR (2 ^ working) = IZR (n * 2 ^ k) / IZR d).
    { replace working with (halvings + k)%Z at 1 by (unfold k; lia). rewrite two_to_add, mult_IZR by (unfold k; lia). field. lra. }
    assert (A := quotient_below (n * 2 ^ k) d Hd). assert (B := quotient_above (n * 2 ^ k) d Hd). split.
    + apply Z.div_pos; auto. apply Z.mul_nonneg_nonneg; auto. apply Z.pow_nonneg. lia.
    + rewrite E. split; [apply Rmult_le_reg_r with (IZR d)|apply Rmult_lt_reg_r with (IZR d)]; auto; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
  - set (k := (halvings - working)%Z). assert (PK := two_to_positive k ltac:(unfold k; lia)).
    assert (Pz : (0 < d * 2 ^ k)%Z) by (apply Z.mul_pos_pos; auto; apply Z.pow_pos_nonneg; unfold k; lia).
    assert (E : IZR n / IZR d / IZR (2 ^ halvings) * IZR (2 ^ working) = IZR n / IZR (d * 2 ^ k)).
    { replace halvings with (working + k)%Z at 1 by (unfold k; lia). rewrite two_to_add, mult_IZR by (unfold k; lia). field. lra. }
    assert (A := quotient_below n _ Pz). assert (B := quotient_above n _ Pz). split; [apply Z.div_pos; auto|]. apply (IZR_lt 0) in Pz.
    rewrite E. split; [apply Rmult_le_reg_r with (IZR (d * 2 ^ k))|apply Rmult_lt_reg_r with (IZR (d * 2 ^ k))]; auto; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.
Lemma small_real : 0 <= IZR n / IZR d / IZR (2 ^ halvings) <= 1 / 2.
Proof.
  assert (D : 0 < IZR d) by now apply (IZR_lt 0). assert (PH := two_to_positive halvings Hh). apply IZR_le in Hn. apply IZR_le in small.
  rewrite !mult_IZR in small. assert (Q : 0 < IZR d * IZR (2 ^ halvings)) by now apply Rmult_lt_0_compat.
  replace (IZR n / IZR d / IZR (2 ^ halvings)) with (IZR n / (IZR d * IZR (2 ^ halvings))) by (field; lra).
  split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
  apply Rmult_le_reg_r with (IZR d * IZR (2 ^ halvings)); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma reduced_half working : (0 <= working)%Z -> (2 * reduced n d halvings working <= 2 ^ working)%Z.
Proof.
  intros Hw. destruct (reduced_below working Hw) as [_ [B _]]. assert (S := small_real). assert (P := two_to_positive working Hw).
  apply le_IZR. rewrite mult_IZR. nra.
Qed.

(** [enclose] contains e^-x at any working precision. *)
Theorem enclose_contains working e : (0 <= working)%Z -> enclose n d halvings working = Some e -> contains e (exp (- (IZR n / IZR d))).
Proof.
  intros Hw. unfold enclose. destruct (reduced_below working Hw) as [T0 TB]. set (t := reduced n d halvings working) in *.
  destruct (series (S (Z.to_nat working)) t working) as [[least greatest]|] eqn:E; [|discriminate]. intros H. injection H as <-.
  assert (S := exp_series_encloses t working Hw T0 (reduced_half working Hw) _ _ _ E). assert (P := two_to_positive working Hw).
  set (y := IZR n / IZR d / IZR (2 ^ halvings)) in *. assert (Y := small_real). fold y in Y.
  assert (N : exp (- (IZR n / IZR d)) = exp (- y) ^ (2 ^ Z.to_nat halvings)).
  { rewrite <- exp_power_of. f_equal. rewrite pow_INR. change (INR 2) with 2. rewrite pow_IZR, Z2Nat.id by auto. unfold y. field.
    assert (PH := two_to_positive halvings Hh). assert (D : 0 < IZR d) by now apply (IZR_lt 0). lra. }
  rewrite N. apply contains_squares. apply from_scaled_contains; auto. rewrite Z.shiftl_mul_pow2, Z.mul_1_l by auto.
  set (x := IZR t / IZR (2 ^ working)) in *. assert (T0' := T0). apply IZR_le in T0'.
  assert (X : x <= y < x + / IZR (2 ^ working)).
  { unfold x. split; [apply Rmult_le_reg_r with (IZR (2 ^ working))|apply Rmult_lt_reg_r with (IZR (2 ^ working))]; auto;
      [unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra|].
    unfold Rdiv. rewrite Rmult_plus_distr_r, Rmult_assoc, Rinv_l by lra. lra. }
  assert (X0 : 0 <= x) by (unfold x; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  assert (E0 := exp_pos (- y)). assert (E1 := exp_at_most_1 y ltac:(lra)). assert (F := exp_falls x y ltac:(lra)). assert (Sl := exp_slope x y ltac:(lra)).
  assert (I : (y - x) * IZR (2 ^ working) < 1).
  { apply Rmult_lt_reg_r with (/ IZR (2 ^ working)); [now apply Rinv_0_lt_compat|]. rewrite Rmult_assoc, Rinv_r by lra. lra. }
  split.
  - destruct (Z.max_spec (least - 1) 0) as [[_ ->]|[_ ->]]; [nra|]. rewrite minus_IZR. nra.
  - destruct (Z.min_spec greatest (2 ^ working)) as [[_ ->]|[_ ->]]; nra.
Qed.
End Enclose.

Lemma bits_above n : (0 < n)%Z -> (2 ^ (bit_count n - 1) <= n < 2 ^ bit_count n)%Z.
Proof.
  intros H. unfold bit_count. destruct (Z.eqb_spec n 0); [lia|]. rewrite Z.add_simpl_r. apply Z.log2_spec in H. now rewrite <- Z.add_1_r in H.
Qed.
(** So many halvings make x at most 1/2. *)
Lemma halvings_enough n d precision : (0 < n)%Z -> (0 < d)%Z -> (2 * n <= d * 2 ^ halvings_for n d precision)%Z.
Proof.
  intros Hn Hd. destruct (bits_above n Hn) as [_ A]. destruct (bits_above d Hd) as [B _].
  assert (0 <= Z.sqrt precision / 2)%Z by (apply Z.div_pos; [apply Z.sqrt_nonneg|lia]).
  assert (1 <= bit_count n /\ 1 <= bit_count d)%Z.
  { unfold bit_count. destruct (Z.eqb_spec n 0), (Z.eqb_spec d 0); try lia. generalize (Z.log2_nonneg n) (Z.log2_nonneg d). lia. }
  set (h := halvings_for n d precision). assert (Hh : (bit_count n + 5 - bit_count d <= h /\ 0 <= h)%Z) by (unfold h, halvings_for; lia).
  apply Z.le_trans with (2 ^ (bit_count d - 1) * 2 ^ h)%Z; [|apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia|lia]].
  rewrite <- Z.pow_add_r by lia. apply Z.le_trans with (2 ^ (bit_count n + 1))%Z; [rewrite Z.pow_add_r by lia; lia|]. apply Z.pow_le_mono_r; lia.
Qed.
Lemma half_to_the_precision precision : (0 <= precision)%Z -> exp (- IZR precision) * IZR (2 ^ precision) <= 1.
Proof.
  intros H. rewrite <- (Z2Nat.id precision) by auto. rewrite <- INR_IZR_INZ, <- pow_IZR. set (p := Z.to_nat precision).
  replace (exp (- INR p)) with (exp (-1) ^ p) by (rewrite <- exp_power_of; f_equal; ring). rewrite <- Rpow_mult_distr. rewrite <- (pow1 p). apply pow_incr.
  assert (P := exp_pos (-1)). assert (E : exp (-1) * exp 1 = 1) by (rewrite <- exp_plus; replace (-1 + 1) with 0 by ring; apply exp_0).
  assert (2 <= exp 1) by (generalize (exp_ineq1_le 1); lra). nra.
Qed.

(** For every rational x >= 0 and every precision, what [exp_neg] answers contains e^-x, and is at most
    2^-precision wide. *)
Theorem exp_neg_contains n d precision e : (0 <= n)%Z -> (0 < d)%Z -> (0 <= precision)%Z -> exp_neg n d precision = Some e ->
  contains e (exp (- (IZR n / IZR d))) /\ is_narrow e precision = true.
Proof.
  intros Hn Hd Hp. unfold exp_neg. destruct (Z.eqb_spec n 0) as [->|N]; [|destruct (Z.leb_spec (d * precision) n) as [L|L]].
  - intros [= <-]. split.
    + replace (exp (- (0 / IZR d))) with (IZR 1) by (unfold Rdiv; rewrite Rmult_0_l, Ropp_0, exp_0; reflexivity). now apply from_integer_contains.
    + unfold is_narrow. cbn. destruct (Z.leb_spec precision 0); auto. replace precision with 0%Z by lia. reflexivity.
  - intros [= <-]. assert (D : 0 < IZR d) by now apply (IZR_lt 0). split.
    + apply from_scaled_contains; auto. assert (P := two_to_positive precision Hp). assert (E := exp_pos (- (IZR n / IZR d))). split; [apply Rmult_le_pos; lra|].
      eapply Rle_trans; [|apply (half_to_the_precision precision Hp)]. apply Rmult_le_compat_r; [lra|]. apply exp_falls.
      apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- mult_IZR. apply IZR_le. lia.
    + unfold from_scaled, is_narrow. cbn. rewrite Z.leb_refl, Z.sub_diag. reflexivity.
  - set (h := halvings_for n d precision). assert (Hh : (0 <= h)%Z) by (unfold h, halvings_for; lia).
    assert (S := halvings_enough n d precision ltac:(lia) Hd). fold h in S.
    assert (K : forall tries guard, (0 <= guard)%Z -> with_guard tries n d h precision guard = Some e ->
      contains e (exp (- (IZR n / IZR d))) /\ is_narrow e precision = true).
    { induction tries as [|tries IH]; intros guard Hg; cbn [with_guard]; [discriminate|].
      destruct (enclose n d h (precision + guard)) as [enclosed|] eqn:E; [|discriminate].
      destruct (is_narrow (at_precision enclosed (precision + 2)) precision) eqn:W; [|apply IH; lia]. intros [= <-]. split; auto.
      apply at_precision_contains; [lia|]. apply (enclose_contains n d h Hn Hd Hh S (precision + guard)); [lia|exact E]. }
    apply K. lia.
Qed.
