(** [Polynomial::at] of [src/sample/fixed/polynomial.rs]: Horner's rule C₀ − f·(C₁ − f·(C₂ − …)) on integers,
    rounded down once a degree, then squarings. Whatever the coefficients are: if they do not increase, the
    integers are within SLACK a coefficient of the polynomial, and each squaring takes an error e to at most
    2e + 1 + SLACK. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.samplers Require Gaussian.
From Certus.exact Require ExpNeg.
From Certus.fast Require Import FixedAcceptance.
Import ListNotations.
Open Scope R_scope.

Section Polynomial.
Variable bits : nat.
Let M := (2 ^ Z.of_nat bits)%Z.
Variable s : Z.
Variable high_product : Z -> Z -> Z.
Hypothesis rounds_down : forall a b, (0 <= a < M)%Z -> (0 <= b < M)%Z ->
  (0 <= high_product a b)%Z /\ IZR a * IZR b / IZR M - IZR s < IZR (high_product a b) <= IZR a * IZR b / IZR M.

(** The loop over the coefficients, the highest first. *)
Fixpoint horner (coefficients : list Z) (f : Z) : Z :=
  match coefficients with [] => 0%Z | c :: rest => (c - high_product f (horner rest f))%Z end.
(** The polynomial itself: C₀ − x·C₁ + x²·C₂ − … *)
Fixpoint alternating (coefficients : list Z) (x : R) : R :=
  match coefficients with [] => 0 | c :: rest => IZR c - x * alternating rest x end.
(** The invariant of [Polynomial]: words that do not increase. *)
Fixpoint do_not_increase (most : Z) (coefficients : list Z) : Prop :=
  match coefficients with [] => (0 <= most)%Z | c :: rest => (c <= most)%Z /\ do_not_increase c rest end.
Fixpoint squared (count : nat) (value : Z) : Z := match count with O => value | S count => squared count (high_product value value) end.
(** [error], squared as often. *)
Fixpoint squared_error (count : nat) (e : Z) : Z := match count with O => e | S count => squared_error count (2 * e + 1 + s)%Z end.

Let M_positive : 0 < IZR M. Proof. apply (IZR_lt 0). unfold M. apply Z.pow_pos_nonneg; lia. Qed.

(** No difference wraps, and each degree costs less than s. *)
Theorem horner_is_near f coefficients : (0 <= f < M)%Z -> (0 <= s)%Z -> forall most, (most < M)%Z -> do_not_increase most coefficients ->
  (0 <= horner coefficients f <= most)%Z
  /\ Rabs (IZR (horner coefficients f) - alternating coefficients (IZR f / IZR M)) <= IZR s * INR (length coefficients).
Proof.
  intros Hf Hs. assert (X : 0 <= IZR f / IZR M < 1).
  { destruct Hf as [F0 F1]. apply (IZR_le 0) in F0. apply IZR_lt in F1. split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_lt_reg_r with (IZR M); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  apply (IZR_le 0) in Hs. induction coefficients as [|c rest IH]; intros most Hm HD; cbn [horner alternating length].
  - simpl in HD. split; [lia|]. rewrite Rminus_eq_0, Rabs_R0. simpl. lra.
  - destruct HD as [HC HD]. destruct (IH c ltac:(lia) HD) as [[V0 V1] N]. set (v := horner rest f) in *. set (x := IZR f / IZR M) in *.
    destruct (rounds_down f v Hf ltac:(lia)) as (P0 & P1 & P2).
    replace (IZR f * IZR v / IZR M) with (x * IZR v) in P1, P2 by (unfold x; field; lra).
    assert (PV : (high_product f v <= v)%Z) by (apply le_IZR; apply (IZR_le 0) in V0; nra).
    split; [lia|]. rewrite minus_IZR, S_INR. apply Rabs_le_between in N. apply Rabs_le.
    assert (K : - (IZR s * INR (length rest)) <= x * (IZR v - alternating rest x) <= IZR s * INR (length rest)).
    { assert (0 <= IZR s * INR (length rest)) by (apply Rmult_le_pos; [lra|apply pos_INR]). split; nra. }
    split; nra.
Qed.

(** A number z in [0, 1] that is off by at most e units is off by at most 2e + 1 + s once squared, if e² <=
    2^bits. *)
Lemma squaring_is_near v z e : (0 <= v < M)%Z -> 0 <= z <= 1 -> (0 <= e)%Z -> (e * e <= M)%Z -> Rabs (IZR v - z * IZR M) <= IZR e ->
  Rabs (IZR (high_product v v) - z * z * IZR M) <= IZR (2 * e + 1 + s).
Proof.
  intros Hv Hz He HE N. destruct (rounds_down v v Hv Hv) as (P0 & P1 & P2). apply Rabs_le_between in N.
  apply (IZR_le 0) in He. apply IZR_le in HE. rewrite mult_IZR in HE. set (a := IZR v - z * IZR M) in *.
  assert (E : IZR v * IZR v / IZR M = z * z * IZR M + 2 * z * a + a * a / IZR M) by (unfold a; field; lra).
  assert (A2 : 0 <= a * a / IZR M <= 1).
  { split; [apply Rmult_le_pos; [nra|left; now apply Rinv_0_lt_compat]|]. apply Rmult_le_reg_r with (IZR M); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (ZA : - (2 * IZR e) <= 2 * z * a <= 2 * IZR e) by (split; nra).
  rewrite !plus_IZR, mult_IZR. apply Rabs_le. lra.
Qed.

(** [at]: if the polynomial is within e of 2^(-f/2^q)·2^bits, then what q squarings give is within the error
    that [Polynomial::new] states of 2^-f·2^bits, as long as the errors' squares are below 2^bits. *)
Theorem squared_is_near q : forall v z e, (0 <= v < M)%Z -> 0 <= z <= 1 -> (0 <= s)%Z -> (0 <= e)%Z ->
  (squared_error q e * squared_error q e <= M)%Z -> Rabs (IZR v - z * IZR M) <= IZR e ->
  Rabs (IZR (squared q v) - z ^ (2 ^ q) * IZR M) <= IZR (squared_error q e).
Proof.
  induction q as [|q IH]; intros v z e Hv Hz Hs He HE N; cbn [squared squared_error] in *.
  - replace (z ^ (2 ^ 0)) with z by (simpl; ring). exact N.
  - assert (Grow : forall q e, (0 <= e)%Z -> (e <= squared_error q e)%Z).
    { clear -Hs. induction q as [|q IH]; intros e He; cbn [squared_error]; [lia|]. specialize (IH (2 * e + 1 + s)%Z ltac:(lia)). lia. }
    assert (G := Grow q (2 * e + 1 + s)%Z ltac:(lia)).
    assert (Step := squaring_is_near v z e Hv Hz He ltac:(nia) N).
    replace (z ^ (2 ^ S q)) with ((z * z) ^ (2 ^ q)).
    2:{ replace (z * z) with (z ^ 2) by ring. rewrite <- pow_mult. reflexivity. }
    apply IH; auto; try lia; [|split; nra]. destruct (rounds_down v v Hv Hv) as (P0 & _ & P2). split; auto. apply lt_IZR.
    destruct Hv as [V0 V1]. apply (IZR_le 0) in V0. apply IZR_lt in V1. apply Rle_lt_trans with (1 := P2).
    apply Rmult_lt_reg_r with (IZR M); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(** All of it, for words whose coefficients are all of one kind: what [polynomial_is_near] of
    [FixedAcceptance.v] asks for. *)
Theorem polynomial_at_is_near coefficients q most derivation f : (0 <= s)%Z -> (most < M)%Z -> do_not_increase most coefficients -> (0 <= derivation)%Z ->
  (forall x, 0 <= x < 1 -> Rabs (alternating coefficients x - half_to (x / 2 ^ q) * IZR M) <= IZR derivation) ->
  let e := (derivation + s * Z.of_nat (length coefficients))%Z in
  (squared_error q e * squared_error q e <= M)%Z -> (0 <= f < M)%Z ->
  Rabs (IZR (squared q (horner coefficients f)) - half_to (IZR f / IZR M) * IZR M) <= IZR (squared_error q e).
Proof.
  intros Hs Hm HD He HP e HE Hf. set (x := IZR f / IZR M).
  assert (X : 0 <= x < 1).
  { destruct Hf as [F0 F1]. apply (IZR_le 0) in F0. apply IZR_lt in F1. unfold x. split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    apply Rmult_lt_reg_r with (IZR M); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  destruct (horner_is_near f coefficients Hf Hs most Hm HD) as [V N]. fold x in N. specialize (HP x X).
  assert (P2 : 0 < 2 ^ q) by (apply pow_lt; lra).
  replace (half_to x) with (half_to (x / 2 ^ q) ^ (2 ^ q)).
  2:{ unfold half_to. rewrite <- ExpNeg.exp_power_of. f_equal. rewrite pow_INR. change (INR 2) with 2. field. lra. }
  apply squared_is_near; auto; [lia| |unfold e; lia|].
  - unfold half_to. split; [left; apply exp_pos|]. rewrite <- exp_0. destruct X as [X0 X1].
    assert (0 <= x / 2 ^ q) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]). assert (L := ln_2_positive).
    assert (0 <= x / 2 ^ q * ln 2) by nra. apply (Gaussian.exp_mono (- (x / 2 ^ q * ln 2)) 0). lra.
  - unfold e. rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ. apply Rabs_le_between in N. apply Rabs_le_between in HP. apply Rabs_le. lra.
Qed.
End Polynomial.
