(** [ln] of [src/exact/ln.rs]: ln(2^e·m) = e·ln 2 + 2·atanh((m - 1)/(m + 1)), and ln 2 by three faster series
    of the same kind. *)
Require Import Reals Lra Lia ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.exact Require Import Intervals ExpNeg AtanhSeries.

(** ** The algorithm *)
Open Scope Z_scope.

(** coefficient·atanh(1/k), added to a sum. *)
Definition add_multiple (sum : option Interval) (coefficient k working : Z) : option Interval :=
  match sum, odd_series (Z.shiftl 1 working / k) (fun power => power / (k * k)) working with
  | Some sum, Some e => Some (add sum (mul e (from_integer coefficient 0)))
  | _, _ => None
  end.
Definition ln_two (working : Z) : option Interval :=
  add_multiple (add_multiple (add_multiple (Some (from_integer 0 0)) 18 26 working) (-2) 4801 working) 8 8749 working.

Fixpoint ln_with_guard (tries : nat) (e distance total : Z) (negative : bool) (precision guard : Z) : option Interval :=
  match tries with
  | O => None
  | S tries =>
      let working := precision + guard in
      match atanh_of distance total working, ln_two working with
      | Some half, Some two =>
          let signed := if negative then neg half else half in
          let enclosed := add (add (mul two (from_integer e 0)) signed) signed in
          let rounded := at_precision enclosed (precision + 2) in
          if is_narrow rounded precision then Some rounded else ln_with_guard tries e distance total negative precision (2 * guard)
      | _, _ => None
      end
  end.
(** ln(n/d). [tries] bounds the doublings of the guard, which the Rust does not. *)
Definition ln_of (tries : nat) (n d precision : Z) : option Interval :=
  if n =? d then Some (from_integer 0 0)
  else
    let e := bit_count n - bit_count d in
    let a := Z.shiftl n (Z.max 0 (- e)) in
    let b := Z.shiftl d (Z.max 0 e) in
    ln_with_guard tries e (if a <? b then b - a else a - b) (a + b) (a <? b) precision (6 + bit_count precision + bit_count (Z.abs e)).

(** ** What it encloses *)
Open Scope R_scope.

Lemma atanh_of_reciprocal k : 1 < k -> atanh (1 / k) = / 2 * (ln (k + 1) - ln (k - 1)).
Proof.
  intros H. unfold atanh. f_equal. rewrite <- ln_div by lra. f_equal. field. lra.
Qed.
(** 2 = (27/25)^9·(4800/4802)·(8750/8748)^4. *)
Lemma ln_2_by_three : ln 2 = 18 * atanh (1 / 26) + -2 * atanh (1 / 4801) + 8 * atanh (1 / 8749).
Proof.
  rewrite !atanh_of_reciprocal by lra.
  assert (E : 9 * (ln (26 + 1) - ln (26 - 1)) + - (ln (4801 + 1) - ln (4801 - 1)) + 4 * (ln (8749 + 1) - ln (8749 - 1)) = ln 2); [|lra].
  assert (L3 : ln 27 = 3 * ln 3) by (replace 27 with (3 * (3 * 3)) by lra; rewrite !ln_mult by lra; ring).
  assert (L5 : ln 25 = 2 * ln 5) by (replace 25 with (5 * 5) by lra; rewrite !ln_mult by lra; ring).
  assert (LA : ln 4802 = ln 2 + 4 * ln 7) by (replace 4802 with (2 * (7 * (7 * (7 * 7)))) by lra; rewrite !ln_mult by lra; ring).
  assert (LB : ln 4800 = 6 * ln 2 + ln 3 + 2 * ln 5) by (replace 4800 with (2 * (2 * (2 * (2 * (2 * (2 * (3 * (5 * 5)))))))) by lra; rewrite !ln_mult by lra; ring).
  assert (LC : ln 8750 = ln 2 + 4 * ln 5 + ln 7) by (replace 8750 with (2 * (5 * (5 * (5 * (5 * 7))))) by lra; rewrite !ln_mult by lra; ring).
  assert (LD : ln 8748 = 2 * ln 2 + 7 * ln 3) by (replace 8748 with (2 * (2 * (3 * (3 * (3 * (3 * (3 * (3 * 3)))))))) by lra; rewrite !ln_mult by lra; ring).
  replace (26 + 1) with 27 by ring. replace (26 - 1) with 25 by ring. replace (4801 + 1) with 4802 by ring. replace (4801 - 1) with 4800 by ring.
  replace (8749 + 1) with 8750 by ring. replace (8749 - 1) with 8748 by ring. lra.
Qed.

Lemma add_multiple_contains sum coefficient k working e x : (0 <= working)%Z -> (3 <= k)%Z -> (forall s, sum = Some s -> contains s x) ->
  add_multiple sum coefficient k working = Some e -> contains e (x + IZR coefficient * atanh (1 / IZR k)).
Proof.
  intros Hw Hk HS. unfold add_multiple. destruct sum as [s|]; [|discriminate]. destruct (odd_series _ _ working) as [o|] eqn:E; [|discriminate]. intros [= <-].
  rewrite (Rmult_comm (IZR coefficient)). apply add_contains; [now apply HS|]. apply mul_contains; [|apply from_integer_contains; lia].
  assert (P := two_to_positive working Hw). assert (K : 3 <= IZR k) by (apply IZR_le; lia). assert (Kz : (0 < k)%Z) by lia.
  assert (Pz : (0 < 2 ^ working)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (Inv : 0 < 1 / IZR k <= 1 / 3).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (IZR k); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  rewrite Z.shiftl_mul_pow2, Z.mul_1_l in E by auto.
  refine (odd_series_contains (1 / IZR k) _ working ltac:(lra) Hw _ (2 ^ working / k) _ _ _ E).
  - intros power y H0 HY HB. assert (KK : (0 < k * k)%Z) by lia. assert (A := quotient_below power _ KK). assert (B := quotient_above power _ KK).
    split; [apply Z.div_pos; lia|]. rewrite mult_IZR in A, B. set (q := IZR (power / (k * k))) in *. set (one := IZR (2 ^ working)) in *.
    assert (E2 : y * (1 / IZR k) ^ 2 * one * (IZR k * IZR k) = y * one) by (field; lra). assert (K9 : 9 <= IZR k * IZR k) by nra.
    split; [apply Rmult_le_reg_r with (IZR k * IZR k)|apply Rmult_lt_reg_r with (IZR k * IZR k)]; try lra; rewrite E2; nra.
  - apply Z.div_pos; lia.
  - assert (A := quotient_below (2 ^ working) k Kz). assert (B := quotient_above (2 ^ working) k Kz).
    assert (E1 : 1 / IZR k * IZR (2 ^ working) * IZR k = IZR (2 ^ working)) by (field; lra).
    split; [apply Rmult_le_reg_r with (IZR k)|apply Rmult_lt_reg_r with (IZR k)]; lra.
Qed.
Theorem ln_two_contains working e : (0 <= working)%Z -> ln_two working = Some e -> contains e (ln 2).
Proof.
  intros Hw H. rewrite ln_2_by_three. replace (18 * atanh (1 / 26)) with (0 + 18 * atanh (1 / 26)) by ring.
  apply (add_multiple_contains _ 8 8749 working e (0 + 18 * atanh (1 / 26) + -2 * atanh (1 / 4801))) in H; [exact H|auto|lia|]. intros s2 H2.
  apply (add_multiple_contains _ (-2) 4801 working s2 (0 + 18 * atanh (1 / 26))) in H2; [exact H2|auto|lia|]. intros s1 H1.
  apply (add_multiple_contains _ 18 26 working s1 0) in H1; [exact H1|auto|lia|]. intros s0 [= <-]. now apply from_integer_contains.
Qed.

(** 2^e as a real, e of either sign: a/b = x·2^-e. *)
Lemma ln_reduction n d : (0 < n)%Z -> (0 < d)%Z -> let e := (bit_count n - bit_count d)%Z in
  let a := Z.shiftl n (Z.max 0 (- e)) in let b := Z.shiftl d (Z.max 0 e) in
  (0 < a)%Z /\ (0 < b)%Z /\ (a < 2 * b)%Z /\ (b < 2 * a)%Z /\ ln (IZR n / IZR d) = IZR e * ln 2 + ln (IZR a / IZR b).
Proof.
  intros Hn Hd e a b. unfold a, b. rewrite !Z.shiftl_mul_pow2 by lia. set (u := Z.max 0 (- e)). set (v := Z.max 0 e).
  destruct (bits_above n Hn) as [N1 N2]. destruct (bits_above d Hd) as [D1 D2].
  assert (U : (0 < 2 ^ u)%Z) by (apply Z.pow_pos_nonneg; unfold u; lia). assert (V : (0 < 2 ^ v)%Z) by (apply Z.pow_pos_nonneg; unfold v; lia).
  assert (BN : (1 <= bit_count n)%Z) by (unfold bit_count; destruct (Z.eqb_spec n 0); [lia|]; generalize (Z.log2_nonneg n); lia).
  assert (BD : (1 <= bit_count d)%Z) by (unfold bit_count; destruct (Z.eqb_spec d 0); [lia|]; generalize (Z.log2_nonneg d); lia).
  assert (Same : (bit_count n + u = bit_count d + v)%Z) by (unfold u, v, e; lia).
  set (m := (bit_count n + u)%Z) in *. assert (Hu : (0 <= u)%Z) by (unfold u; lia). assert (Hv : (0 <= v)%Z) by (unfold v; lia).
  assert (A1 : (2 ^ (m - 1) <= n * 2 ^ u)%Z) by (replace (m - 1)%Z with (bit_count n - 1 + u)%Z by (unfold m; lia); rewrite Z.pow_add_r by lia; nia).
  assert (A2 : (n * 2 ^ u < 2 ^ m)%Z) by (unfold m; rewrite Z.pow_add_r by lia; nia).
  assert (B1 : (2 ^ (m - 1) <= d * 2 ^ v)%Z) by (replace (m - 1)%Z with (bit_count d - 1 + v)%Z by lia; rewrite Z.pow_add_r by lia; nia).
  assert (B2 : (d * 2 ^ v < 2 ^ m)%Z) by (rewrite Same; rewrite Z.pow_add_r by lia; nia).
  assert (M : (2 ^ m = 2 * 2 ^ (m - 1))%Z) by (replace m with (Z.succ (m - 1)) at 1 by lia; rewrite Z.pow_succ_r by lia; reflexivity).
  split; [lia|]. split; [lia|]. split; [lia|]. split; [lia|].
  apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. apply (IZR_lt 0) in U. apply (IZR_lt 0) in V. rewrite !mult_IZR.
  assert (LP : forall w, (0 <= w)%Z -> ln (IZR (2 ^ w)) = IZR w * ln 2).
  { intros w Hw. rewrite <- (Z2Nat.id w) by auto. rewrite <- pow_IZR, <- INR_IZR_INZ. change (IZR 2) with 2. induction (Z.to_nat w) as [|i IH]; [simpl; rewrite ln_1; ring|].
    rewrite S_INR. simpl pow. rewrite ln_mult, IH by (try apply pow_lt; lra). ring. }
  rewrite !ln_div by (try apply Rmult_lt_0_compat; lra). rewrite !ln_mult, !LP by (auto; lra).
  assert (EV : IZR e = IZR v - IZR u) by (rewrite <- minus_IZR; f_equal; unfold u, v; lia). rewrite EV. ring.
Qed.

(** For every rational x > 0 and every precision, what [ln] answers contains ln x, and is at most 2^-precision
    wide. *)
Theorem ln_contains tries n d precision e : (0 < n)%Z -> (0 < d)%Z -> (0 <= precision)%Z -> ln_of tries n d precision = Some e ->
  contains e (ln (IZR n / IZR d)) /\ is_narrow e precision = true.
Proof.
  intros Hn Hd Hp. unfold ln_of. destruct (Z.eqb_spec n d) as [->|N].
  - intros [= <-]. apply (IZR_lt 0) in Hd. split.
    + replace (IZR d / IZR d) with 1 by (field; lra). rewrite ln_1. now apply from_integer_contains.
    + unfold is_narrow. cbn. destruct (Z.leb_spec precision 0); auto. replace precision with 0%Z by lia. reflexivity.
  - destruct (ln_reduction n d Hn Hd) as (A & B & AB & BA & L). set (x := (bit_count n - bit_count d)%Z) in *.
    set (a := Z.shiftl n (Z.max 0 (- x))) in *. set (b := Z.shiftl d (Z.max 0 x)) in *.
    assert (G : (2 <= 6 + bit_count precision + bit_count (Z.abs x))%Z).
    { unfold bit_count. destruct (precision =? 0)%Z, (Z.abs x =? 0)%Z; generalize (Z.log2_nonneg precision) (Z.log2_nonneg (Z.abs x)); lia. }
    generalize dependent (6 + bit_count precision + bit_count (Z.abs x))%Z. induction tries as [|tries IH]; intros guard Hg; cbn [ln_with_guard]; [discriminate|].
    set (distance := if (a <? b)%Z then (b - a)%Z else (a - b)%Z).
    destruct (atanh_of distance (a + b) (precision + guard)) as [half|] eqn:EH; [|discriminate].
    destruct (ln_two (precision + guard)) as [two|] eqn:ET; [|discriminate].
    match goal with |- (if is_narrow ?r precision then _ else _) = _ -> _ => destruct (is_narrow r precision) eqn:W end; [|apply IH; lia]. intros [= <-]. split; auto. apply at_precision_contains; [lia|]. rewrite L.
    assert (CT := ln_two_contains (precision + guard) _ ltac:(lia) ET).
    assert (CH : contains half (atanh (IZR distance / IZR (a + b)))).
    { apply (atanh_contains distance (a + b) (precision + guard)); auto; unfold distance; destruct (Z.ltb_spec a b); lia. }
    set (t := atanh (IZR distance / IZR (a + b))) in *. apply (IZR_lt 0) in A. apply (IZR_lt 0) in B.
    replace (IZR x * ln 2 + ln (IZR a / IZR b)) with (ln 2 * IZR x + (if (a <? b)%Z then - t else t) + (if (a <? b)%Z then - t else t)).
    + assert (CS : contains (if (a <? b)%Z then neg half else half) (if (a <? b)%Z then - t else t)) by (destruct (a <? b)%Z; [now apply neg_contains|exact CH]).
      apply add_contains; [apply add_contains|]; auto. apply mul_contains; auto. apply from_integer_contains. lia.
    + rewrite ln_div by auto. unfold t, atanh, distance. destruct (Z.ltb_spec a b) as [C|C].
      * replace ((1 + IZR (b - a) / IZR (a + b)) / (1 - IZR (b - a) / IZR (a + b))) with (IZR b / IZR a); [rewrite ln_div by auto; field|].
        rewrite minus_IZR, plus_IZR. field. repeat split; lra.
      * replace ((1 + IZR (a - b) / IZR (a + b)) / (1 - IZR (a - b) / IZR (a + b))) with (IZR a / IZR b); [rewrite ln_div by auto; field|].
        rewrite minus_IZR, plus_IZR. field. repeat split; lra.
Qed.
