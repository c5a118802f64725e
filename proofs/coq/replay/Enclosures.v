(** The bounds that the replay runs the fast samplers with enclose what they must: those of e^-x always, and those of the cells if the recorded floors are floors. *)
Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model Bernoulli BernoulliExp.
From Certus.replay Require Import FastModel.
Import ListNotations.
Open Scope R_scope.

Lemma floor_below n d : (0 < d)%Z -> IZR (n / d) <= IZR n / IZR d.
Proof.
  intros H. assert (D : 0 < IZR d) by now apply (IZR_lt 0). apply Rmult_le_reg_r with (IZR d); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. now apply Z.mul_div_le.
Qed.
Lemma up_above n d : (0 < d)%Z -> IZR n / IZR d <= IZR (up n d).
Proof.
  intros H. unfold up. rewrite opp_IZR. assert (F := floor_below (- n) d H). rewrite opp_IZR in F. unfold Rdiv in *. lra.
Qed.

(** ** The cells *)

(** G(cell)·2^precision is in [floor, floor + 1): then at each length up to the precision, G(cell)·2^length is between the bounds. *)
Theorem recorded_floors_enclose precision width list cell floor (G : R) length : (width <= precision)%nat -> (length <= precision)%nat ->
  nth_error list cell = Some floor -> IZR floor <= G * 2 ^ precision < IZR floor + 1 ->
  let f := cut_off precision width list in
  IZR (floor_lower f cell length) <= G * 2 ^ length <= IZR (floor_upper f cell length).
Proof.
  intros Hw Hl Hn HG f.
  assert (E : floor_at f cell length = Some (Z.shiftr floor (Z.of_nat (precision - length)))).
  { unfold floor_at, f, cut_off. simpl. destruct (Nat.eqb_spec length width) as [->|].
    - rewrite nth_error_map, Hn. reflexivity.
    - destruct (Nat.leb_spec length precision); [|lia]. now rewrite Hn. }
  unfold floor_lower, floor_upper. rewrite E. rewrite plus_IZR, Z.shiftr_div_pow2 by lia.
  set (k := (precision - length)%nat). assert (P : 0 < 2 ^ k) by (apply pow_lt; lra).
  assert (Pz : (0 < 2 ^ Z.of_nat k)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (Pr : IZR (2 ^ Z.of_nat k) = 2 ^ k) by now rewrite <- pow_IZR.
  assert (S : G * 2 ^ precision = G * 2 ^ length * 2 ^ k) by (rewrite Rmult_assoc, <- pow_add; repeat f_equal; unfold k; lia).
  assert (B := floor_below floor _ Pz). rewrite Pr in B.
  assert (U : IZR floor + 1 <= (IZR (floor / 2 ^ Z.of_nat k) + 1) * 2 ^ k).
  { rewrite <- Pr. change 1 with (IZR 1). rewrite <- !plus_IZR, <- mult_IZR. apply IZR_le.
    generalize (Z.mul_succ_div_gt floor _ Pz). lia. }
  split.
  - apply Rle_trans with (1 := B). apply Rmult_le_reg_r with (2 ^ k); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply Rmult_le_reg_r with (2 ^ k); auto. lra.
Qed.

(** ** The series of e^-x, for x = n/d in [0, 1] *)
Section Series.
Variables n d : Z.
Hypotheses (Hd : (0 < d)%Z) (Hn : (0 <= n <= d)%Z).

(** What the sampler of e^-x says of it: from the k-th coin on, the share of true answers. *)
Let share (k : Z) : R := expect (Loop (unit_exp_step n d) k) (indicator (fun b => b)).
Lemma share_unit k : 0 <= share k <= 1. Proof. apply expect_unit. auto. Qed.
Lemma share_step k : (1 <= k)%Z -> share k = IZR n / IZR (d * k) * share (k + 1) + (1 - IZR n / IZR (d * k)) * (if (k mod 2 =? 1)%Z then 1 else 0).
Proof.
  intros Hk. unfold share at 1. rewrite expect_loop by auto. unfold unit_exp_step at 1.
  assert (Hu : in_unit (on_flow (fun s => expect (Loop (unit_exp_step n d) s) (indicator (fun b => b))) (indicator (fun b => b)))).
  { intros [s|b]; simpl; [apply expect_unit; auto|apply indicator_unit]. }
  rewrite expect_bind by auto.
  rewrite (expect_ext _ _ (fun toss : bool => on_flow (fun s => expect (Loop (unit_exp_step n d) s) (indicator (fun b => b))) (indicator (fun b => b))
    (if toss then Continue (k + 1)%Z else Break (k mod 2 =? 1)%Z))) by (intros toss; apply expect_return).
  rewrite (bernoulli_is_coin n (d * k)); [|nia|nia|intros toss; apply Hu]. simpl. unfold indicator at 2. reflexivity.
Qed.

(** 1 - x/k·(1 - x/(k+1)·(1 - …)). *)
Let rest (k : Z) : R := if (k mod 2 =? 1)%Z then share k else 1 - share k.
Lemma rest_unit k : 0 <= rest k <= 1. Proof. unfold rest. generalize (share_unit k). destruct (k mod 2 =? 1)%Z; lra. Qed.
Lemma rest_step k : (1 <= k)%Z -> rest k = 1 - IZR n / IZR (d * k) * rest (k + 1).
Proof.
  intros Hk. unfold rest. rewrite (share_step k Hk).
  assert (M : ((k + 1) mod 2 =? 1)%Z = negb (k mod 2 =? 1)%Z).
  { assert (B := Z.mod_pos_bound k 2 ltac:(lia)). assert (B' := Z.mod_pos_bound (k + 1) 2 ltac:(lia)).
    assert (E := Z.div_mod k 2 ltac:(lia)). assert (E' := Z.div_mod (k + 1) 2 ltac:(lia)).
    destruct (Z.eqb_spec (k mod 2) 1), (Z.eqb_spec ((k + 1) mod 2) 1); simpl; auto; lia. }
  rewrite M. destruct (k mod 2 =? 1)%Z; simpl; lra.
Qed.
Lemma nested_encloses unit steps : (0 < unit)%Z -> forall k, (1 <= k)%Z ->
  let '(least, greatest) := nested unit n d steps k in IZR least <= rest k * IZR unit <= IZR greatest.
Proof.
  intros Hu. assert (U : 0 < IZR unit) by now apply (IZR_lt 0). induction steps as [|steps IH]; intros k Hk; cbn [nested].
  - generalize (rest_unit k). nra.
  - specialize (IH (k + 1)%Z ltac:(lia)). destruct (nested unit n d steps (k + 1)) as [least greatest].
    rewrite (rest_step k Hk), !minus_IZR. assert (P : (0 < d * k)%Z) by nia. assert (Pr : 0 < IZR (d * k)) by now apply (IZR_lt 0).
    assert (A := up_above (n * greatest) (d * k) P). assert (B := floor_below (n * least) (d * k) P). rewrite mult_IZR in A, B.
    assert (N : 0 <= IZR n / IZR (d * k)) by (apply Rmult_le_pos; [apply IZR_le; lia|left; now apply Rinv_0_lt_compat]).
    assert (A' : IZR n / IZR (d * k) * (rest (k + 1) * IZR unit) <= IZR n * IZR greatest / IZR (d * k)).
    { replace (IZR n * IZR greatest / IZR (d * k)) with (IZR n / IZR (d * k) * IZR greatest) by (unfold Rdiv; ring). apply Rmult_le_compat_l; lra. }
    assert (B' : IZR n * IZR least / IZR (d * k) <= IZR n / IZR (d * k) * (rest (k + 1) * IZR unit)).
    { replace (IZR n * IZR least / IZR (d * k)) with (IZR n / IZR (d * k) * IZR least) by (unfold Rdiv; ring). apply Rmult_le_compat_l; lra. }
    lra.
Qed.

Theorem series_encloses length : IZR (series_lower n d length) <= exp (- (IZR n / IZR d)) * 2 ^ length <= IZR (series_upper n d length).
Proof.
  assert (E : rest 1 = exp (- (IZR n / IZR d))).
  { unfold rest. simpl. unfold share. assert (C := unit_exp_is_coin n d Hd Hn (indicator (fun b => b)) ltac:(auto)). unfold unit_exp in C. rewrite C. unfold indicator. simpl. lra. }
  set (unit := (2 ^ Z.of_nat (length + 32))%Z). assert (Hu : (0 < unit)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (K := nested_encloses unit 40 Hu 1 ltac:(lia)). unfold series_lower, series_upper. fold unit.
  destruct (nested unit n d 40 1) as [least greatest]. rewrite E in K. cbn [fst snd].
  change (2 ^ 32)%Z with 4294967296%Z.
  assert (R : IZR unit = 2 ^ length * 4294967296) by (unfold unit; rewrite <- pow_IZR, pow_add; simpl; lra). rewrite R in K.
  assert (A := up_above greatest 4294967296 ltac:(lia)). assert (B := floor_below least 4294967296 ltac:(lia)). set (e := exp (- (IZR n / IZR d))) in *.
  replace (e * (2 ^ length * 4294967296)) with (4294967296 * (e * 2 ^ length)) in K by ring. lra.
Qed.
End Series.

(** ** The acceptance of place o of a bucket: e^-x, x in [0, 1] *)
Definition positive_decay (decay : Decay) : Prop := match decay with LaplaceDecay n d | GaussianDecay n d => (0 < n)%Z /\ (0 < d)%Z end.

(** Recorded bounds only loosen. *)
Lemma loosened recorded magnitude length bound :
  (loosened_lower recorded magnitude length bound <= bound <= loosened_upper recorded magnitude length bound)%Z.
Proof. unfold loosened_lower, loosened_upper. destruct (bounds_at _ _ _) as [[? ?]|]; lia. Qed.

(** Whatever bounds are recorded. *)
Theorem acceptance_encloses decay w recorded reach squeeze bucket o length : positive_decay decay -> (0 <= o <= w)%Z ->
  let x := IZR (exponent_numerator decay w bucket o) / IZR (exponent_denominator decay) in
  x <= 1 ->
  IZR (accept_lower decay w recorded reach squeeze bucket o length) <= exp (- x) * 2 ^ length <= IZR (accept_upper decay w recorded squeeze bucket o length).
Proof.
  intros HD Ho x Hx. assert (P : 0 < 2 ^ length) by (apply pow_lt; lra).
  assert (D : (0 < exponent_denominator decay)%Z) by (destruct decay; unfold positive_decay, exponent_denominator in *; lia).
  assert (Dr : 0 < IZR (exponent_denominator decay)) by now apply (IZR_lt 0).
  assert (N : (0 <= exponent_numerator decay w bucket o <= exponent_numerator decay w bucket w)%Z).
  { destruct decay as [n d|n d]; unfold positive_decay, exponent_numerator in *; [nia|]. assert (0 <= 2 * Z.of_nat bucket * w)%Z by nia.
    split; [|apply Z.mul_le_mono_nonneg_r; [lia|]]; nia. }
  assert (X0 : 0 <= x) by (apply Rmult_le_pos; [apply IZR_le; lia|left; now apply Rinv_0_lt_compat]).
  unfold accept_lower, accept_upper. destruct (Nat.leb_spec length squeeze) as [L|L].
  - assert (E0 := exp_pos (- x)). split.
    + assert (Z0 : 0 <= exp (- x) * 2 ^ length) by nra. destruct (Nat.ltb bucket reach); [|lra].
      destruct (Z.max_spec 0 (2 ^ Z.of_nat length - up (exponent_numerator decay w bucket w * 2 ^ Z.of_nat length) (exponent_denominator decay))) as [[_ ->]|[_ ->]]; [|lra].
      rewrite minus_IZR. assert (A := up_above (exponent_numerator decay w bucket w * 2 ^ Z.of_nat length) _ D). rewrite mult_IZR, <- pow_IZR in A. rewrite <- pow_IZR.
      assert (I := exp_ineq1_le (- x)).
      assert (Xw : x <= IZR (exponent_numerator decay w bucket w) / IZR (exponent_denominator decay)).
      { unfold x. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|apply IZR_le; lia]. }
      unfold Rdiv in A, Xw. assert (x * 2 ^ length <= IZR (exponent_numerator decay w bucket w) * / IZR (exponent_denominator decay) * 2 ^ length) by (apply Rmult_le_compat_r; lra).
      assert ((1 - x) * 2 ^ length <= exp (- x) * 2 ^ length) by (apply Rmult_le_compat_r; lra). lra.
    + rewrite <- pow_IZR. assert (exp (- x) <= 1); [|nra]. rewrite <- exp_0. destruct X0 as [X0| <-]; [left; apply exp_increasing; lra|right; f_equal; lra].
  - assert (K := fun bound => loosened recorded (Z.of_nat bucket * w + o) length bound).
    cut (IZR (series_lower (exponent_numerator decay w bucket o) (exponent_denominator decay) length) <= exp (- x) * 2 ^ length
         <= IZR (series_upper (exponent_numerator decay w bucket o) (exponent_denominator decay) length)).
    { intros [S1 S2]. split; [apply Rle_trans with (2 := S1)|apply Rle_trans with (1 := S2)]; apply IZR_le, K. }
    apply series_encloses; auto. split; [lia|]. apply le_IZR. apply Rmult_le_reg_r with (/ IZR (exponent_denominator decay)); [now apply Rinv_0_lt_compat|].
    rewrite Rinv_r by lra. exact Hx.
Qed.
