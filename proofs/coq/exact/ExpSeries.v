(** [series] of [src/exact/exp.rs]: e^-t for t <= 1/2 by its alternating series, on integers scaled by
    2^working. *)
Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.exact Require Import Intervals.

(** ** The algorithm *)
Open Scope Z_scope.

(** T_k = ⌊T_(k-1)·t/(2^working·k)⌋. *)
Definition next_term (term t working index : Z) : Z := Z.shiftr (term * t) working / index.

(** The loop from term k = [index] on; nothing if it takes more than [fuel] steps. *)
Fixpoint series_loop (fuel : nat) (t working even odd even_slack odd_slack term index : Z) : option (Z * Z) :=
  match fuel with
  | O => None
  | S fuel =>
      let term := next_term term t working index in
      let '(even, even_slack, odd, odd_slack) :=
        if Z.even index then (even + term, even_slack + 2, odd, odd_slack) else (even, even_slack, odd + term, odd_slack + 2) in
      if term =? 0
      then
        let odd_upper := odd + odd_slack in
        Some (if odd_upper <? even then even - odd_upper else 0, even + even_slack - odd)
      else series_loop fuel t working even odd even_slack odd_slack term (index + 1)
  end.
Definition series (fuel : nat) (t working : Z) : option (Z * Z) := series_loop fuel t working (Z.shiftl 1 working) t 0 0 t 2.

(** ** What it encloses *)
Open Scope R_scope.

(** What the partial sum of the first k terms misses, with the sign of the k-th: e^-x - 1, + x, … in absolute
    value. *)
Fixpoint missed (k : nat) (x : R) : R := match k with O => exp (- x) | S k => x ^ k / INR (fact k) - missed k x end.

Lemma missed_derive k x : is_derive (missed (S k)) x (missed k x).
Proof.
  revert x. induction k as [|k IH]; intros x.
  - cbn [missed]. auto_derive; [auto|]. simpl. field.
  - apply is_derive_ext with (fun x => x ^ S k / INR (fact (S k)) - missed (S k) x); [reflexivity|].
    change (missed (S k) x) with (x ^ k / INR (fact k) - missed k x).
    apply (is_derive_minus (fun x => x ^ S k / INR (fact (S k))) (missed (S k)) x (x ^ k / INR (fact k)) (missed k x)); [|apply IH].
    assert (F := INR_fact_neq_0 k). assert (K : INR (S k) <> 0) by (apply not_0_INR; lia).
    replace (x ^ k / INR (fact k)) with (INR (S k) * x ^ k * / INR (fact (S k))).
    + unfold Rdiv. generalize (/ INR (fact (S k))). intros c. apply is_derive_ext with (fun x => x ^ S k * c); [reflexivity|]. auto_derive; [exact I|].
      change (match k with O => 1 | S _ => INR k + 1 end) with (INR (S k)). rewrite Rmult_1_l. reflexivity.
    + rewrite fact_simpl, mult_INR. field. auto.
Qed.
Lemma missed_at_0 k : missed (S k) 0 = 0.
Proof.
  induction k as [|k IH]; [cbn; rewrite Ropp_0, exp_0; field|]. change (missed (S (S k)) 0) with (0 ^ S k / INR (fact (S k)) - missed (S k) 0).
  rewrite IH. rewrite pow_i by lia. unfold Rdiv. ring.
Qed.
Lemma missed_nonneg k : forall x, 0 <= x -> 0 <= missed k x.
Proof.
  induction k as [|k IH]; intros x Hx; [left; apply exp_pos|].
  destruct Hx as [Hx|<-]; [|rewrite missed_at_0; lra].
  destruct (MVT_gen (missed (S k)) 0 x (missed k)) as (c & Hc & E).
  - intros y _. apply missed_derive.
  - intros y _. apply derivable_continuous_pt. exists (missed k y). apply is_derive_Reals, missed_derive.
  - rewrite missed_at_0 in E. rewrite Rmin_left, Rmax_right in Hc by lra.
    assert (0 <= missed k c) by (apply IH; lra). nra.
Qed.
Lemma missed_at_most k x : 0 <= x -> missed k x <= x ^ k / INR (fact k).
Proof. intros Hx. generalize (missed_nonneg (S k) x Hx). cbn [missed]. lra. Qed.

Section Loop.
Variables t working : Z.
Hypotheses (Hw : (0 <= working)%Z) (Ht : (0 <= t)%Z) (Half : (2 * t <= 2 ^ working)%Z).
Let one := IZR (2 ^ working).
Let x := IZR t / one.

Lemma one_positive : 0 < one. Proof. now apply two_to_positive. Qed.
Lemma x_half : 0 <= x <= 1 / 2.
Proof.
  assert (P := one_positive). unfold x. apply IZR_le in Ht. apply IZR_le in Half. rewrite mult_IZR in Half. fold one in Half. split.
  - apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat].
  - apply Rmult_le_reg_r with one; auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** The k-th true term, in units. *)
Let term_of (k : nat) := x ^ k / INR (fact k) * one.
Lemma term_step k : term_of (S k) = term_of k * x / INR (S k).
Proof. unfold term_of. rewrite fact_simpl, mult_INR. assert (F := INR_fact_neq_0 k). simpl pow. field. split; auto. apply not_0_INR. lia. Qed.
Lemma term_positive k : 0 <= term_of k.
Proof.
  assert (P := one_positive). assert (X := x_half). unfold term_of. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [apply pow_le; lra|].
  left. apply Rinv_0_lt_compat, lt_0_INR, lt_O_fact.
Qed.

(** A computed term is below the true one, by less than 2 units. *)
Lemma next_term_below k term : (1 <= k)%nat -> (0 <= term)%Z -> IZR term <= term_of k < IZR term + 2 ->
  let next := next_term term t working (Z.of_nat (S k)) in (0 <= next)%Z /\ IZR next <= term_of (S k) < IZR next + 2.
Proof.
  intros Hk Hterm B next. assert (P := one_positive). assert (X := x_half).
  assert (N : next = (term * t / 2 ^ working / Z.of_nat (S k))%Z) by (unfold next, next_term; now rewrite Z.shiftr_div_pow2 by auto).
  assert (Pz : (0 < 2 ^ working)%Z) by (apply Z.pow_pos_nonneg; lia).
  rewrite Z.div_div in N by lia. set (D := (2 ^ working * Z.of_nat (S k))%Z) in N. assert (D0 : (0 < D)%Z) by (unfold D; nia).
  assert (L := quotient_below (term * t) D D0). assert (U := quotient_above (term * t) D D0). rewrite <- N in L, U.
  assert (S2 : 2 <= INR (S k)) by (change 2 with (INR 2); apply le_INR; lia).
  assert (DR : IZR D = one * INR (S k)) by (unfold D; rewrite mult_IZR, <- INR_IZR_INZ; reflexivity).
  assert (TX : IZR (term * t) = IZR term * x * one) by (rewrite mult_IZR; unfold x; field; lra). rewrite DR, TX in L, U.
  assert (L' : IZR next * INR (S k) <= IZR term * x) by (apply Rmult_le_reg_r with one; lra).
  assert (U' : IZR term * x < (IZR next + 1) * INR (S k)) by (apply Rmult_lt_reg_r with one; lra).
  apply IZR_le in Hterm. split; [rewrite N; apply Z.div_pos; [apply Z.mul_nonneg_nonneg; [apply le_IZR; exact Hterm|auto]|lia]|].
  rewrite term_step. split.
  - apply Rmult_le_reg_r with (INR (S k)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
  - apply Rmult_lt_reg_r with (INR (S k)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(** The sum of the terms before the k-th, in units. *)
Let partial (k : nat) := exp (- x) * one - (if Nat.even k then 1 else -1) * missed k x * one.
Lemma partial_step k : partial (S k) = partial k + (if Nat.even k then 1 else -1) * term_of k.
Proof.
  unfold partial. rewrite Nat.even_succ, <- Nat.negb_even. cbn [missed]. fold (term_of k). unfold term_of. destruct (Nat.even k); simpl negb; cbv iota; ring.
Qed.

Lemma series_loop_encloses fuel : forall k even odd even_slack odd_slack term least greatest, (1 <= k)%nat -> (0 <= term)%Z ->
  IZR term <= term_of k < IZR term + 2 ->
  IZR even - IZR (odd + odd_slack) <= partial (S k) <= IZR (even + even_slack) - IZR odd ->
  series_loop fuel t working even odd even_slack odd_slack term (Z.of_nat (S k)) = Some (least, greatest) ->
  IZR least <= exp (- x) * one <= IZR greatest.
Proof.
  assert (P := one_positive). assert (X := x_half).
  induction fuel as [|fuel IH]; intros k even odd es os term least greatest Hk H0 B S; [discriminate|]. cbn [series_loop].
  destruct (next_term_below k term Hk H0 B) as [N0 NB]. set (next := next_term term t working (Z.of_nat (Datatypes.S k))) in *.
  assert (E : Z.even (Z.of_nat (Datatypes.S k)) = Nat.even (Datatypes.S k)).
  { clear. induction (Datatypes.S k) as [|j IH]; [reflexivity|]. rewrite Nat2Z.inj_succ, Z.even_succ, Nat.even_succ, <- Z.negb_even, <- Nat.negb_even. now rewrite IH. }
  assert (PS := partial_step (Datatypes.S k)).
  assert (M0 := missed_nonneg (Datatypes.S k) x ltac:(lra)). assert (M1 := missed_at_most (Datatypes.S k) x ltac:(lra)).
  assert (MM : 0 <= missed (Datatypes.S k) x * one <= term_of (Datatypes.S k)).
  { unfold term_of. split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_r; lra]. }
  assert (Pk : partial (Datatypes.S k) = exp (- x) * one - (if Nat.even (Datatypes.S k) then 1 else -1) * (missed (Datatypes.S k) x * one)) by (unfold partial; ring).
  assert (EX : 0 <= exp (- x) * one) by (apply Rmult_le_pos; [left; apply exp_pos|lra]).
  rewrite !plus_IZR in S.
  assert (Final : forall e s o q : Z, IZR e - (IZR o + IZR q) <= exp (- x) * one <= IZR e + IZR s - IZR o ->
    Some (if (o + q <? e)%Z then (e - (o + q))%Z else 0%Z, (e + s - o)%Z) = Some (least, greatest) -> IZR least <= exp (- x) * one <= IZR greatest).
  { intros e s o q H Q. injection Q as <- <-. rewrite minus_IZR, plus_IZR. split; [|lra]. destruct (o + q <? e)%Z; [rewrite minus_IZR, plus_IZR; lra|lra]. }
  rewrite E. destruct (Nat.even (Datatypes.S k)) eqn:Ev; destruct (Z.eqb_spec next 0) as [Z0|Z0].
  - apply Final. rewrite !plus_IZR, Z0 in *. lra.
  - replace (Z.of_nat (Datatypes.S k) + 1)%Z with (Z.of_nat (Datatypes.S (Datatypes.S k))) by lia.
    apply (IH (Datatypes.S k)); auto with arith. rewrite PS, !plus_IZR. lra.
  - apply Final. rewrite !plus_IZR, Z0 in *. lra.
  - replace (Z.of_nat (Datatypes.S k) + 1)%Z with (Z.of_nat (Datatypes.S (Datatypes.S k))) by lia.
    apply (IH (Datatypes.S k)); auto with arith. rewrite PS, !plus_IZR. lra.
Qed.

(** The series' bounds enclose e^-t. *)
Theorem exp_series_encloses fuel least greatest : series fuel t working = Some (least, greatest) ->
  IZR least <= exp (- (IZR t / IZR (2 ^ working))) * IZR (2 ^ working) <= IZR greatest.
Proof.
  intros H. fold one. fold x. unfold series in H. rewrite Z.shiftl_mul_pow2, Z.mul_1_l in H by auto. assert (P := one_positive).
  assert (T1 : term_of 1 = IZR t) by (unfold term_of, x; simpl; field; lra).
  apply (series_loop_encloses fuel 1 (2 ^ working) t 0 0 t); auto; [rewrite T1; lra|].
  rewrite !partial_step, T1. unfold partial, term_of. cbn [Nat.even missed fact pow INR]. rewrite !Z.add_0_r. fold one. lra.
Qed.
End Loop.
