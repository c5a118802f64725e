(** The coefficients of [src/sample/fixed/polynomial.rs]: how [Polynomial::new] derives them, on integers, and a
    check that lists of them are within their stated error of 2^-(x/2^q) everywhere in [0, 1]. The check shares
    nothing with the derivation but the Chebyshev polynomials, which it proves to be at most 1 there. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.exact Require Import Intervals ExpSeries Ln.
From Certus.fast Require Import FixedAcceptance FixedPolynomial.
Import ListNotations.
Open Scope Z_scope.

Fixpoint zip_with {A B C} (f : A -> B -> C) (l : list A) (m : list B) : list C :=
  match l, m with a :: l, b :: m => f a b :: zip_with f l m | _, _ => [] end.

(** T*_n and T*_(n-1), the highest coefficient first; n is at least 1. *)
Definition next_chebyshev (both : list Z * list Z) : list Z * list Z :=
  let '(last, before) := both in
  (zip_with Z.sub (zip_with (fun a b => 4 * a - 2 * b) (last ++ [0]) (0 :: last)) (0 :: 0 :: before), last).
Fixpoint chebyshevs (n : nat) : list Z * list Z := match n with O => ([2; -1], [1]) | S n => next_chebyshev (chebyshevs n) end.
Definition chebyshev (n : nat) : list Z := match n with O => [1] | S n => fst (chebyshevs n) end.

(** ** The derivation, as in the Rust *)
Section Derivation.
(** [W::BITS], [W::COEFFICIENTS], [W::SHORT], [W::SHORT_SHIFT], [W::SQUARINGS], [W::SLACK]. *)
Variables (bits : Z) (long short : nat) (short_shift : Z) (squarings : nat) (slack : Z).
Let guard := 64.
Let scale := bits + guard.

(** [series]: the terms, with their signs, and the first that is left out. *)
Fixpoint terms (count : nat) (n l term : Z) : list Z * Z :=
  match count with
  | O => ([], term)
  | S count => let '(rest, last) := terms count (n + 1) l (Z.shiftr (term * l) scale / n) in ((if Z.odd n then term else - term) :: rest, last)
  end.
(** [economise], on a series with the highest coefficient first; and what that costs. *)
Definition economise (series : list Z) : list Z * Z :=
  match series with
  | [] => ([], 0)
  | highest :: rest =>
      let count := length rest in
      let shift := 2 * Z.of_nat count - 1 in
      (zip_with (fun c factor => c - Z.shiftr (highest * factor) shift) rest (tl (chebyshev count)), Z.shiftr (Z.abs highest) shift + Z.of_nat count + 1)
  end.
Fixpoint economised (times : nat) (series : list Z) (error : Z) : list Z * Z :=
  match times with O => (series, error) | S times => let '(series, cost) := economise series in economised times series (error + cost) end.
(** The coefficients' sizes, rounded, in their own units; and what rounding costs. *)
Fixpoint rounded (series : list Z) (n : nat) (error : Z) : list Z * Z :=
  match series with
  | [] => ([], error)
  | c :: rest =>
      let magnitude := if Nat.even n then c else - c in
      let '(spare, greatest) := if Nat.ltb n long then (guard, 2 ^ bits - 1) else (scale - (64 + short_shift), 2 ^ 64 - 1) in
      let nearest := Z.min (Z.shiftr (magnitude + 2 ^ (spare - 1)) spare) greatest in
      let '(list, error) := rounded rest (S n) (error + Z.abs (nearest * 2 ^ spare - magnitude)) in
      (nearest :: list, error)
  end.
Definition logarithm : Z :=
  match ln_of 8 2 1 scale with Some e => lower e * 2 ^ scale / 2 ^ digits e / 2 ^ Z.of_nat squarings | None => 0 end.
(** [Polynomial::new]: the coefficients, the lowest first, and their error, in units of 2^-bits, without that of
    the evaluation. *)
Definition derived : list Z * Z :=
  let count := (long + short + 10)%nat in
  let '(series, last) := terms count 1 logarithm (2 ^ scale) in
  let '(series, error) := economised 10 (rev series) (last + 2 * (Z.of_nat count + 1) + 2) in
  let '(coefficients, error) := rounded (rev series) 0 error in
  (coefficients, Z.shiftr error guard + 1).
(** … and with it: [Polynomial::error]. *)
Definition evaluation_error (error : Z) : Z := squared_error slack squarings (error + slack * Z.of_nat long + 2 ^ (bits - 64 - short_shift) * (2 * Z.of_nat short)).
End Derivation.

(** ** The check *)

(** The difference of the polynomial and the series, coefficient by coefficient, and what the series' own
    enclosures and its rest may add; units are 2^-precision, and the coefficients are in units of 2^shift of
    them. *)
Fixpoint differences (count : nat) (n precision shift l0 l1 : Z) (coefficients : list Z) (least greatest : Z) : list Z * Z :=
  match count with
  | O => ([], greatest)
  | S count =>
      let '(rest, slack) := differences count (n + 1) precision shift l0 l1 (tl coefficients) (least * l0 / (2 ^ precision * n)) (greatest * l1 / (2 ^ precision * n) + 1) in
      (hd 0 coefficients * 2 ^ shift - least :: rest, slack + (greatest - least))
  end.
(** A bound on [0, 1], the highest coefficient first: its multiple of a Chebyshev polynomial is taken away, and
    so on. *)
Fixpoint most_on_unit (steps : nat) (polynomial : list Z) : option Z :=
  match steps, polynomial with
  | _, [] => Some 0
  | S steps, highest :: rest =>
      let count := length rest in
      match chebyshev count with
      | [] => None
      | first :: factors =>
          if first <=? 0 then None
          else if negb (Nat.eqb (length factors) count) then None
          else match most_on_unit steps (zip_with (fun c factor => c - highest * factor / first) rest factors) with
            | None => None
            | Some most => Some (most + (Z.abs highest / first + 1) + Z.of_nat count)
            end
      end
  | O, _ => None
  end.
Fixpoint with_signs (l : list Z) : list Z := match l with [] => [] | c :: rest => c :: map Z.opp (with_signs rest) end.
Definition coefficients_hold (bits : Z) (squarings : nat) (coefficients : list Z) (error : Z) : bool :=
  let shift := 96 in
  let precision := bits + shift in
  match ln_of 8 2 1 precision with
  | None => false
  | Some e =>
      let e := at_precision e precision in
      let '(list, slack) := differences (length coefficients + 12) 1 precision shift (lower e / 2 ^ Z.of_nat squarings) (upper e / 2 ^ Z.of_nat squarings + 1)
        coefficients (2 ^ precision) (2 ^ precision) in
      (0 <=? lower e) && match most_on_unit (length list) (rev (with_signs list)) with None => false | Some most => slack + most <=? error * 2 ^ shift end
  end%bool.

(** ** Soundness *)
Open Scope R_scope.

(** The highest coefficient first. *)
Fixpoint value (l : list Z) (x : R) : R := match l with [] => 0 | c :: rest => IZR c * x ^ length rest + value rest x end.

Lemma value_app l c x : value (l ++ [c]) x = x * value l x + IZR c.
Proof. induction l as [|a l IH]; cbn [app value length]; [simpl; lra|]. rewrite IH, app_length. simpl length. rewrite Nat.add_1_r. simpl. lra. Qed.
Lemma value_opp l x : value (map Z.opp l) x = - value l x.
Proof. induction l as [|a l IH]; cbn [map value]; [lra|]. rewrite IH, map_length, opp_IZR. lra. Qed.
Lemma value_signs l x : value (rev (with_signs l)) x = alternating l x.
Proof. induction l as [|a l IH]; cbn [with_signs rev alternating]; [reflexivity|]. rewrite value_app, <- map_rev, value_opp, IH. lra. Qed.
Lemma zip_length A B C (f : A -> B -> C) l : forall m, length l = length m -> length (zip_with f l m) = length m.
Proof. induction l; intros [|b m]; simpl; try lia. intros H. rewrite IHl; lia. Qed.
Lemma value_zip (f : Z -> Z -> Z) (p q : Z) x : (forall a b, f a b = (p * a + q * b)%Z) -> forall l m, length l = length m ->
  value (zip_with f l m) x = IZR p * value l x + IZR q * value m x.
Proof.
  intros H. induction l as [|a l IH]; intros [|b m]; cbn [zip_with value length]; intros L; try lia; [lra|].
  rewrite IH, zip_length, H, plus_IZR, !mult_IZR by lia. injection L as L. rewrite L. ring.
Qed.

Lemma chebyshevs_are n t : let x := (1 + cos t) / 2 in let both := chebyshevs n in
  length (fst both) = S (S n) /\ length (snd both) = S n /\ value (fst both) x = cos (INR (S n) * t) /\ value (snd both) x = cos (INR n * t).
Proof.
  intros x. induction n as [|n IH]; intros both.
  - unfold both. cbn. split; [auto|split; [auto|split]]; [unfold x; rewrite Rmult_1_l; field|rewrite Rmult_0_l, cos_0; ring].
  - unfold both. cbn [chebyshevs]. destruct (chebyshevs n) as [last before]. cbn [next_chebyshev fst snd] in *. destruct IH as (L1 & L2 & V1 & V2).
    assert (A : length (last ++ [0%Z]) = length (0%Z :: last)) by (rewrite app_length; simpl; lia).
    assert (B : length (zip_with (fun a b => (4 * a - 2 * b)%Z) (last ++ [0%Z]) (0%Z :: last)) = length (0%Z :: 0%Z :: before)) by (rewrite zip_length by auto; simpl; lia).
    split; [rewrite zip_length by auto; simpl; lia|]. split; [auto|]. split; [|exact V1].
    rewrite (value_zip _ 1 (-1)), (value_zip _ 4 (-2)), value_app by (auto; intros; lia). cbn [value]. rewrite V1, V2.
    replace (INR (S (S n)) * t) with (INR (S n) * t + t) by (rewrite (S_INR (S n)); ring).
    replace (INR n * t) with (INR (S n) * t - t) by (rewrite (S_INR n); ring). rewrite cos_plus, cos_minus.
    unfold x. lra.
Qed.
(** T*_n is at most 1 on [0, 1]. *)
Theorem chebyshev_is_at_most_1 n x : 0 <= x <= 1 -> Rabs (value (chebyshev n) x) <= 1.
Proof.
  intros H. destruct n as [|n]; [cbn; rewrite Rabs_pos_eq; lra|]. set (t := acos (2 * x - 1)).
  assert (C : cos t = 2 * x - 1) by (apply cos_acos; lra).
  destruct (chebyshevs_are n t) as (_ & _ & V & _). replace ((1 + cos t) / 2) with x in V by (rewrite C; field).
  cbn [chebyshev]. rewrite V. apply Rabs_le. apply COS_bound.
Qed.

Lemma quotient_near a b : (0 < b)%Z -> 0 <= IZR a / IZR b - IZR (a / b) <= 1.
Proof.
  intros H. assert (B := H). apply (IZR_lt 0) in B. assert (E : a = (b * (a / b) + a mod b)%Z) by (apply Z.div_mod; lia).
  assert (M := Z.mod_pos_bound a b H). destruct M as [M0 M1]. apply (IZR_le 0) in M0. apply IZR_lt in M1.
  assert (R : IZR a / IZR b - IZR (a / b) = IZR (a mod b) * / IZR b).
  { apply (f_equal IZR) in E. rewrite plus_IZR, mult_IZR in E. rewrite E. field. lra. }
  rewrite R. assert (I : 0 < / IZR b) by now apply Rinv_0_lt_compat. split; [nra|].
  apply Rle_trans with (IZR b * / IZR b); [nra|]. rewrite Rinv_r; lra.
Qed.
Lemma reduced_value highest first x : 0 <= x <= 1 -> (0 < first)%Z -> forall rest factors, length factors = length rest ->
  Rabs (value rest x - IZR highest / IZR first * value factors x - value (zip_with (fun c factor => c - highest * factor / first)%Z rest factors) x) <= INR (length rest).
Proof.
  intros X F. assert (F' := F). apply (IZR_lt 0) in F'. induction rest as [|c rest IH]; intros [|f factors]; cbn [zip_with value length]; intros L; try lia.
  - rewrite Rabs_R0 || (rewrite Rmult_0_r, !Rminus_0_r, Rabs_R0). simpl. lra.
  - injection L as L. specialize (IH factors L). rewrite zip_length, L by lia. rewrite minus_IZR, S_INR.
    assert (Q := quotient_near (highest * f) first F). rewrite mult_IZR in Q. set (y := x ^ length rest) in *.
    assert (Y : 0 <= y <= 1) by (split; [apply pow_le; lra|rewrite <- (pow1 (length rest)); apply pow_incr; lra]).
    apply Rabs_le_between in IH. apply Rabs_le. set (d := IZR highest * IZR f / IZR first - IZR (highest * f / first)) in *.
    set (z := zip_with _ rest factors) in *.
    replace (IZR c * y + value rest x - IZR highest / IZR first * (IZR f * y + value factors x) - ((IZR c - IZR (highest * f / first)) * y + value z x))
      with ((value rest x - IZR highest / IZR first * value factors x - value z x) - d * y) by (unfold d; field; lra).
    split; nra.
Qed.
Theorem most_on_unit_bounds x : 0 <= x <= 1 -> forall steps polynomial most, most_on_unit steps polynomial = Some most -> Rabs (value polynomial x) <= IZR most.
Proof.
  intros X. induction steps as [|steps IH]; intros [|highest rest] most; cbn [most_on_unit]; try discriminate.
  1,2: intros [= <-]; cbn; rewrite Rabs_R0; lra.
  assert (T := chebyshev_is_at_most_1 (length rest) x X). destruct (chebyshev (length rest)) as [|first factors]; [discriminate|].
  destruct (Z.leb_spec first 0) as [|F]; [discriminate|]. destruct (Nat.eqb_spec (length factors) (length rest)) as [L|]; [|discriminate]. cbn [negb].
  destruct (most_on_unit steps _) as [below|] eqn:E; [|discriminate]. intros [= <-]. apply IH in E.
  assert (R := reduced_value highest first x X F rest factors L). cbn [value] in T |- *. rewrite L in T. set (z := zip_with _ rest factors) in *.
  assert (F' := F). apply (IZR_lt 0) in F'. assert (Q := quotient_near (Z.abs highest) first F). rewrite abs_IZR in Q.
  set (y := x ^ length rest) in *. set (a := IZR highest / IZR first).
  replace (IZR highest * y + value rest x) with (a * (IZR first * y + value factors x) + (value rest x - a * value factors x - value z x) + value z x) by (unfold a; field; lra).
  eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang|]. rewrite Rabs_mult.
  assert (A : Rabs a = Rabs (IZR highest) / IZR first) by (unfold a, Rdiv; rewrite Rabs_mult, (Rabs_pos_eq (/ IZR first)); auto; left; now apply Rinv_0_lt_compat).
  assert (Rabs a * Rabs (IZR first * y + value factors x) <= Rabs a) by (rewrite <- (Rmult_1_r (Rabs a)) at 2; apply Rmult_le_compat_l; [apply Rabs_pos|auto]).
  rewrite !plus_IZR, <- INR_IZR_INZ. fold a in R. lra.
Qed.

Section Series.
Variable c : R.
Hypothesis c_unit : 0 <= c <= 1.
Variables precision shift l0 l1 : Z.
Hypothesis precision_nonneg : (0 <= precision)%Z.
Let U := IZR (2 ^ precision).
Hypothesis l_nonneg : (0 <= l0)%Z.
Hypothesis l_encloses : IZR l0 <= c * U <= IZR l1.
Variable x : R.
Hypothesis x_unit : 0 <= x <= 1.

Let U_positive : 0 < U. Proof. now apply two_to_positive. Qed.
Lemma differences_are k : forall count coefficients least greatest, (length coefficients <= count)%nat -> (0 <= least)%Z ->
  IZR least <= c ^ k / INR (fact k) * U <= IZR greatest -> forall list slack,
  differences count (Z.of_nat (S k)) precision shift l0 l1 coefficients least greatest = (list, slack) ->
  Rabs (x ^ k * alternating list x - (x ^ k * alternating coefficients x * IZR (2 ^ shift) - U * missed k (c * x))) <= IZR slack.
Proof.
  intros count. revert k. induction count as [|count IH]; intros k coefficients least greatest HL H0 HB list slack; cbn [differences].
  - destruct coefficients; [|simpl in HL; lia]. intros [= <- <-]. cbn [alternating].
    assert (CX : 0 <= c * x) by nra. assert (M0 := missed_nonneg k (c * x) CX). assert (M1 := missed_at_most k (c * x) CX).
    assert (F := INR_fact_lt_0 k). rewrite Rpow_mult_distr in M1.
    assert (Xk : 0 <= x ^ k <= 1) by (split; [apply pow_le; lra|rewrite <- (pow1 k); apply pow_incr; lra]).
    assert (Ck : 0 <= c ^ k / INR (fact k)) by (apply Rmult_le_pos; [apply pow_le; lra|left; now apply Rinv_0_lt_compat]).
    replace (c ^ k * x ^ k / INR (fact k)) with (c ^ k / INR (fact k) * x ^ k) in M1 by (field; lra).
    replace (x ^ k * 0 - (x ^ k * 0 * IZR (2 ^ shift) - U * missed k (c * x))) with (U * missed k (c * x)) by ring.
    rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra). apply Rle_trans with (c ^ k / INR (fact k) * U); [|lra].
    rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|]. nra.
  - destruct (differences count _ _ _ _ _ _ _ _) as [rest more] eqn:E. intros [= <- <-].
    assert (F := INR_fact_lt_0 k). assert (K : 0 < INR (S k)) by (apply lt_0_INR; lia).
    set (t := c ^ k / INR (fact k)) in *. assert (T : 0 <= t) by (apply Rmult_le_pos; [apply pow_le; lra|left; now apply Rinv_0_lt_compat]).
    assert (N : c ^ S k / INR (fact (S k)) = t * c / INR (S k)) by (unfold t; rewrite fact_simpl, mult_INR; simpl pow; field; lra).
    assert (D : (0 < 2 ^ precision * Z.of_nat (S k))%Z) by (apply Z.mul_pos_pos; [now apply Z.pow_pos_nonneg|lia]).
    assert (Q0 := quotient_near (least * l0) _ D). assert (Q1 := quotient_near (greatest * l1) _ D).
    rewrite !mult_IZR, <- INR_IZR_INZ in Q0, Q1. fold U in Q0, Q1.
    apply (IZR_le 0) in H0 as H0'. apply (IZR_le 0) in l_nonneg as l0'.
    assert (P0 : IZR least * IZR l0 <= (t * U) * (c * U)) by (apply Rmult_le_compat; lra).
    assert (P1 : (t * U) * (c * U) <= IZR greatest * IZR l1) by (apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra).
    assert (I : 0 < / (U * INR (S k))) by (apply Rinv_0_lt_compat; nra).
    assert (S1 : (t * U) * (c * U) / (U * INR (S k)) = t * c / INR (S k) * U) by (field; lra).
    assert (B0 : IZR least * IZR l0 / (U * INR (S k)) <= t * c / INR (S k) * U) by (rewrite <- S1; apply Rmult_le_compat_r; lra).
    assert (B1 : t * c / INR (S k) * U <= IZR greatest * IZR l1 / (U * INR (S k))) by (rewrite <- S1; apply Rmult_le_compat_r; lra).
    replace (Z.of_nat (S k) + 1)%Z with (Z.of_nat (S (S k))) in E by lia.
    apply IH in E.
    + cbn [alternating]. cbn [missed] in E. set (m := missed k (c * x)) in *. rewrite Rpow_mult_distr in E. simpl pow in E.
      assert (Xk : 0 <= x ^ k <= 1) by (split; [apply pow_le; lra|rewrite <- (pow1 k); apply pow_incr; lra]).
      assert (A : alternating coefficients x = IZR (hd 0%Z coefficients) - x * alternating (tl coefficients) x) by (destruct coefficients; simpl; lra).
      rewrite A, plus_IZR, !minus_IZR, mult_IZR. set (y := x ^ k) in *. set (h := IZR (hd 0%Z coefficients)) in *. set (s := IZR (2 ^ shift)) in *.
      set (r := alternating rest x) in *. set (r' := alternating (tl coefficients) x) in *.
      replace (c ^ k * y / INR (fact k)) with (t * y) in E by (unfold t; field; lra).
      apply Rabs_le_between in E. apply Rabs_le.
      replace (y * (h * s - IZR least - x * r) - (y * (h - x * r') * s - U * m))
        with (y * (t * U - IZR least) - (x * y * r - (x * y * r' * s - U * (t * y - m)))) by ring.
      assert (0 <= y * (t * U - IZR least) <= IZR greatest - IZR least) by (split; nra). lra.
    + destruct coefficients; simpl in *; lia.
    + apply Z.div_pos; [now apply Z.mul_nonneg_nonneg|auto].
    + rewrite N, plus_IZR. lra.
Qed.
End Series.

(** Coefficients that pass the check are within the error, of 2^-(x/2^q), everywhere. *)
Theorem checked_coefficients_are_near bits squarings coefficients error : (0 <= bits)%Z -> coefficients_hold bits squarings coefficients error = true ->
  forall x, 0 <= x <= 1 -> Rabs (alternating coefficients x - half_to (x / 2 ^ squarings) * IZR (2 ^ bits)) <= IZR error.
Proof.
  intros Hb. unfold coefficients_hold. set (precision := (bits + 96)%Z). assert (Hp : (0 <= precision)%Z) by (unfold precision; lia).
  destruct (ln_of 8 2 1 precision) as [e|] eqn:E; [|discriminate].
  destruct (ln_contains 8 2 1 precision e ltac:(lia) ltac:(lia) Hp E) as [C _]. replace (IZR 2 / IZR 1) with 2 in C by field.
  destruct (at_precision_contains e precision _ Hp C) as [_ B].
  assert (Dg : Intervals.digits (at_precision e precision) = precision) by (unfold at_precision; now destruct (Intervals.digits e <=? precision)%Z).
  rewrite Dg in B. set (e' := at_precision e precision) in *. set (q := (2 ^ Z.of_nat squarings)%Z). assert (q0 : (0 < q)%Z) by (apply Z.pow_pos_nonneg; lia).
  destruct (differences _ _ _ _ _ _ _ _ _) as [list slack] eqn:D. intros H. apply andb_prop in H. destruct H as [H0 H1]. apply Z.leb_le in H0.
  destruct (most_on_unit _ _) as [most|] eqn:M; [|discriminate]. apply Z.leb_le in H1. intros x X.
  assert (L := ln_2_below). assert (L0 := ln_2_positive). assert (P2 : 1 <= 2 ^ squarings) by (apply pow_R1_Rle; lra).
  assert (Q : IZR q = 2 ^ squarings) by (unfold q; rewrite <- pow_IZR; reflexivity).
  set (c := ln 2 / 2 ^ squarings). assert (Cu : 0 <= c <= 1).
  { unfold c. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|]. apply Rmult_le_reg_r with (2 ^ squarings); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Q0 := quotient_near (lower e') q q0). assert (Q1 := quotient_near (upper e') q q0). rewrite Q in Q0, Q1.
  assert (I2 : 0 < / 2 ^ squarings) by (apply Rinv_0_lt_compat; lra).
  assert (En : IZR (lower e' / q) <= c * IZR (2 ^ precision) <= IZR (upper e' / q + 1)).
  { rewrite plus_IZR. replace (c * IZR (2 ^ precision)) with (ln 2 * IZR (2 ^ precision) / 2 ^ squarings) by (unfold c; field; lra).
    assert (IZR (lower e') / 2 ^ squarings <= ln 2 * IZR (2 ^ precision) / 2 ^ squarings) by (apply Rmult_le_compat_r; lra).
    assert (ln 2 * IZR (2 ^ precision) / 2 ^ squarings <= IZR (upper e') / 2 ^ squarings) by (apply Rmult_le_compat_r; lra). lra. }
  assert (N := differences_are c Cu precision 96 _ _ Hp (Z.div_pos _ _ H0 q0) En x X 0 (length coefficients + 12)%nat coefficients (2 ^ precision)%Z (2 ^ precision)%Z
    ltac:(lia) ltac:(apply Z.pow_nonneg; lia) ltac:(simpl; lra) list slack D).
  assert (B1 := most_on_unit_bounds x X _ _ _ M). rewrite value_signs in B1. cbn [pow missed] in N. rewrite !Rmult_1_l in N.
  assert (S : 0 < IZR (2 ^ 96)) by (apply (IZR_lt 0); reflexivity). apply IZR_le in H1. rewrite plus_IZR, mult_IZR in H1.
  assert (Up : IZR (2 ^ precision) = IZR (2 ^ bits) * IZR (2 ^ 96)) by (unfold precision; rewrite Z.pow_add_r, mult_IZR by lia; reflexivity).
  assert (Ex : exp (- (c * x)) = half_to (x / 2 ^ squarings)) by (unfold half_to, c; do 2 f_equal; field; lra).
  rewrite Ex, Up in N. set (h := half_to (x / 2 ^ squarings)) in *. set (a := alternating coefficients x) in *. set (s := IZR (2 ^ 96)) in *.
  apply Rabs_le_between in N. apply Rabs_le_between in B1. apply Rabs_le. set (m := IZR (2 ^ bits)) in *.
  assert (- (IZR error * s) <= (a - h * m) * s <= IZR error * s) by (split; nra). split; apply Rmult_le_reg_r with s; lra.
Qed.

(** ** The coefficients that ship *)

(** Of 64-bit words. *)
Definition derived_64 : list Z * Z := Eval vm_compute in derived 64 12 0 0 0.
Definition coefficients_64 : list Z := Eval vm_compute in fst derived_64.
Definition error_64 : Z := Eval vm_compute in snd derived_64.
(** Of 128-bit words: nine of 128 bits and five of 64, here all in units of 2^-128. *)
Definition derived_128 : list Z * Z := Eval vm_compute in derived 128 9 5 50 3.
Definition long_128 : list Z := Eval vm_compute in firstn 9 (fst derived_128).
Definition short_128 : list Z := Eval vm_compute in skipn 9 (fst derived_128).
Definition error_128 : Z := Eval vm_compute in snd derived_128.

Theorem coefficients_64_are_near x : 0 <= x <= 1 -> Rabs (alternating coefficients_64 x - half_to (x / 2 ^ 0) * IZR (2 ^ 64)) <= IZR error_64.
Proof. apply checked_coefficients_are_near; [lia|]. vm_compute. reflexivity. Qed.
Theorem coefficients_128_are_near x : 0 <= x <= 1 ->
  Rabs (alternating (long_128 ++ map (fun c => c * 2 ^ 14)%Z short_128) x - half_to (x / 2 ^ 3) * IZR (2 ^ 128)) <= IZR error_128.
Proof. apply checked_coefficients_are_near; [lia|]. vm_compute. reflexivity. Qed.
