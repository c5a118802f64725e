(** The recorded floors are floors: checked in the kernel, from the model's [exp_neg] alone. A cell's weight
    is e^(-jw/s) or e^(-(jw)²/2σ²), doubled from j = 1 on if it stands for both signs; every number is
    enclosed in units of 2^-digits, and a floor that the enclosures do not determine does not hold. *)
Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums.
From Certus.exact Require Import Intervals ExpNeg.
From Certus.replay Require Import FastModel.
Import ListNotations.
Open Scope Z_scope.

(** [fst, snd]·2^-digits. *)
Definition Pair := (Z * Z)%type.

(** e^-(n/d). *)
Definition exp_pair (n d digits : Z) : option Pair :=
  match exp_neg n d digits with
  | None => None
  | Some e => let e := at_precision e digits in Some (Z.max 0 (lower e), upper e)
  end.
Definition product (digits : Z) (x y : Pair) : Pair := (Z.shiftr (fst x * fst y) digits, Z.shiftr (snd x * snd y) digits + 1).

(** ** Laplace: G(j) = 1 - c·q^(j+1)/den, with c = 2 and den = 1 + q if folded, else 1 and 1 *)
Fixpoint laplace_floors_hold (digits precision : Z) (c : Z) (q den power : Pair) (floors : list Z) : bool :=
  match floors with
  | [] => true
  | floor :: rest =>
      (floor * fst den <=? Z.shiftl (fst den - c * snd power) precision)
      && (Z.shiftl (snd den - c * fst power) precision <? (floor + 1) * snd den)
      && laplace_floors_hold digits precision c q den (product digits power q) rest
  end.

(** ** Gaussian: G(j) = (c·S(j) - (c - 1))/(c·S(∞) - (c - 1)), S the sums of the weights *)

(** The sums of the weights, cell by cell, until a weight is at most [stop]; and the bounds of the sum of all,
    what is left being at most weight/(1 - ratio). *)
Fixpoint cell_sums (fuel : nat) (digits stop : Z) (weight ratio falling sum : Pair) : option (list Pair * Pair) :=
  match fuel with
  | O => None
  | S fuel =>
      if snd weight <=? stop
      then
        if snd ratio <? 2 ^ digits
        then Some ([], (fst sum, snd sum + Z.shiftl (snd weight) digits / (2 ^ digits - snd ratio) + 1))
        else None
      else
        let sum := (fst sum + fst weight, snd sum + snd weight) in
        match cell_sums fuel digits stop (product digits weight ratio) (product digits ratio falling) falling sum with
        | None => None
        | Some (sums, all) => Some (sum :: sums, all)
        end
  end.
Definition of_both (digits c : Z) (sum : Pair) : Pair := (c * fst sum - (c - 1) * 2 ^ digits, c * snd sum - (c - 1) * 2 ^ digits).
Fixpoint gaussian_floors_hold (digits precision c : Z) (all : Pair) (sums : list Pair) (floors : list Z) : bool :=
  match floors, sums with
  | [], _ => true
  | _ :: _, [] => false
  | floor :: floors, sum :: sums =>
      let sum := of_both digits c sum in
      (0 <=? floor) && (floor * snd all <=? Z.shiftl (fst sum) precision) && (Z.shiftl (snd sum) precision <? (floor + 1) * fst all)
      && gaussian_floors_hold digits precision c all sums floors
  end.

(** ** Both *)
(** So many digits more than are asked for, as errors grow; and where weights are negligible. *)
Definition more_digits : Z := 64.
Definition negligible : Z := 2 ^ 16.
(** [places]: the bits of the width w of a cell. *)
Record RecordedCells := { decay : Decay; places : nat; folded : bool; of_cells : Floors }.
Definition copies (folded : bool) : Z := if folded then 2 else 1.
Definition floors_hold (decay : Decay) (places : nat) (folded : bool) (precision : nat) (floors : list Z) : bool :=
  let p := Z.of_nat precision in
  let digits := p + more_digits in
  let w := 2 ^ Z.of_nat places in
  let one := 2 ^ digits in
  match decay with
  | LaplaceDecay n d =>
      match exp_pair (w * d) n digits with
      | None => false
      | Some q => laplace_floors_hold digits p (copies folded) q (if folded then (one + fst q, one + snd q) else (one, one)) q floors
      end
  | GaussianDecay n d =>
      match exp_pair (w * w * d) (2 * n) digits, exp_pair (w * w * d) n digits with
      | Some ratio, Some falling =>
          match cell_sums (200 * 200) digits negligible (one, one) ratio falling (0, 0) with
          | None => false
          | Some (sums, all) => let all := of_both digits (copies folded) all in (0 <? fst all) && gaussian_floors_hold digits p (copies folded) all sums floors
          end
      | _, _ => false
      end
  end.
Definition positive_parameters (decay : Decay) : bool := match decay with LaplaceDecay n d | GaussianDecay n d => (0 <? n) && (0 <? d) end.
(** The parameters are positive, the first look's floors are the others cut off, all are floors, and in the
    buckets x, of an acceptance e^-x, is at most 1. *)
Definition cells_hold (r : RecordedCells) : bool :=
  let f := of_cells r in
  positive_parameters (decay r) && Nat.leb (width f) (precision f)
  && (if list_eq_dec Z.eq_dec (first f) (map (fun floor => Z.shiftr floor (Z.of_nat (precision f - width f))) (floors f)) then true else false)
  && floors_hold (decay r) (places r) (folded r) (precision f) (floors f)
  && (folded r || (exponent_numerator (decay r) (2 ^ Z.of_nat (places r)) (length (floors f)) (2 ^ Z.of_nat (places r)) <=? exponent_denominator (decay r))).

(** ** The response by ε: the bounds of p = 1/(1 + (answers - 1)·e^-ε) at each length *)
Record RecordedCoin := { epsilon_n : Z; epsilon_d : Z; answers : Z; of_coin : list (Z * Z) }.
Fixpoint bounds_hold (digits : Z) (most least : Z) (length : Z) (bounds : list (Z * Z)) : bool :=
  match bounds with
  | [] => true
  | (lower, upper) :: rest =>
      (0 <=? lower) && (0 <=? upper) && (lower * most <=? 2 ^ (length + digits)) && (2 ^ (length + digits) <=? upper * least)
      && bounds_hold digits most least (length + 1) rest
  end.
Definition coin_holds (r : RecordedCoin) : bool :=
  let digits := 256 in
  (0 <=? epsilon_n r) && (0 <? epsilon_d r) && (2 <=? answers r)
  && match exp_pair (epsilon_n r) (epsilon_d r) digits with
     | None => false
     | Some e => bounds_hold digits (2 ^ digits + (answers r - 1) * snd e) (2 ^ digits + (answers r - 1) * fst e) 0 (of_coin r)
     end.

(** ** Soundness *)
Open Scope R_scope.

Definition enclosed (digits : Z) (pair : Pair) (x : R) : Prop := (0 <= fst pair)%Z /\ IZR (fst pair) <= x * IZR (2 ^ digits) <= IZR (snd pair).

Lemma exp_pair_encloses n d digits pair : (0 <= n)%Z -> (0 < d)%Z -> (0 <= digits)%Z -> exp_pair n d digits = Some pair ->
  enclosed digits pair (exp (- (IZR n / IZR d))).
Proof.
  intros Hn Hd Hp. unfold exp_pair. destruct (exp_neg n d digits) as [e|] eqn:E; [|discriminate]. intros [= <-].
  destruct (exp_neg_contains n d digits e Hn Hd Hp E) as [C _]. destruct (at_precision_contains e digits _ Hp C) as [_ B].
  assert (D : Intervals.digits (at_precision e digits) = digits) by (unfold at_precision; now destruct (Intervals.digits e <=? digits)%Z).
  rewrite D in B. assert (P := two_to_positive digits Hp). assert (E0 := exp_pos (- (IZR n / IZR d))).
  split; cbn [fst snd]; [lia|]. split; [|lra].
  destruct (Z.max_spec 0 (lower (at_precision e digits))) as [[_ ->]|[_ ->]]; [lra|apply Rmult_le_pos; lra].
Qed.
Lemma product_encloses digits p q x y : (0 <= digits)%Z -> 0 <= x -> 0 <= y -> enclosed digits p x -> enclosed digits q y -> enclosed digits (product digits p q) (x * y).
Proof.
  intros Hd X Y [P0 P1] [Q0 Q1]. assert (T := two_to_positive digits Hd). unfold enclosed, product. cbn [fst snd].
  assert (A := shift_floor_below (fst p * fst q) digits Hd). assert (B := shift_floor_above (snd p * snd q) digits Hd). unfold shift_floor in A, B.
  rewrite plus_IZR. rewrite mult_IZR in A, B. apply IZR_le in P0 as P0'. apply IZR_le in Q0 as Q0'.
  assert (L : IZR (fst p) * IZR (fst q) <= (x * IZR (2 ^ digits)) * (y * IZR (2 ^ digits))) by (apply Rmult_le_compat; lra).
  assert (U : (x * IZR (2 ^ digits)) * (y * IZR (2 ^ digits)) <= IZR (snd p) * IZR (snd q)) by (apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra).
  split; [apply Z.shiftr_nonneg; lia|]. split; apply Rmult_le_reg_r with (IZR (2 ^ digits)); try lra; nra.
Qed.

Lemma laplace_floors_sound digits precision c q den (Q D : R) : (0 <= digits)%Z -> (0 <= precision)%Z -> (0 < c)%Z -> 0 <= Q -> 0 < D -> (0 < fst den)%Z ->
  enclosed digits q Q -> enclosed digits den D ->
  forall floors Pw power, 0 <= Pw -> enclosed digits power Pw -> laplace_floors_hold digits precision c q den power floors = true ->
  forall j floor, nth_error floors j = Some floor ->
  IZR floor <= (1 - IZR c * (Pw * Q ^ j) / D) * IZR (2 ^ precision) < IZR floor + 1.
Proof.
  intros Hd Hp Hc HQ HD Hden EQ ED. assert (T := two_to_positive digits Hd). assert (TP := two_to_positive precision Hp). apply (IZR_lt 0) in Hc as Hc'.
  induction floors as [|fl floors IH]; intros Pw power HP EP H j floor Hj; [destruct j; discriminate|].
  cbn [laplace_floors_hold] in H. apply andb_true_iff in H. destruct H as [H Rest]. apply andb_true_iff in H. destruct H as [H1 H2].
  destruct j as [|j]; cbn [nth_error] in Hj.
  - injection Hj as ->. apply Z.leb_le in H1. apply Z.ltb_lt in H2. rewrite Z.shiftl_mul_pow2 in H1, H2 by auto.
    apply IZR_le in H1. apply IZR_lt in H2. rewrite !mult_IZR, minus_IZR, mult_IZR in H1. rewrite !mult_IZR, minus_IZR, mult_IZR, plus_IZR in H2.
    rewrite pow_O, Rmult_1_r. destruct EP as [P0 P1]. destruct ED as [D0 D1]. apply (IZR_lt 0) in Hden. apply IZR_le in P0.
    set (t := IZR (2 ^ digits)) in *. set (s := IZR (2 ^ precision)) in *. set (u := IZR c * Pw / D).
    assert (Dt : 0 < D * t) by nra.
    assert (Ut : u * (D * t) = IZR c * (Pw * t)) by (unfold u; field; lra).
    assert (U0 : 0 <= u) by (unfold u; apply Rmult_le_pos; [nra|left; now apply Rinv_0_lt_compat]). split.
    + apply Rmult_le_reg_r with (IZR (fst den)); auto. eapply Rle_trans; [exact H1|].
      assert (A : IZR (fst den) - IZR c * IZR (snd power) <= (1 - u) * IZR (fst den)) by nra. apply (Rmult_le_compat_r s) in A; [|lra]. lra.
    + assert (B : 0 < IZR (snd den)) by lra. apply Rmult_lt_reg_r with (IZR (snd den)); auto. eapply Rle_lt_trans; [|exact H2].
      assert (A : (1 - u) * IZR (snd den) <= IZR (snd den) - IZR c * IZR (fst power)) by nra. apply (Rmult_le_compat_r s) in A; [|lra]. lra.
  - assert (E' := product_encloses digits power q Pw Q Hd HP HQ EP EQ).
    replace (Pw * Q ^ S j) with (Pw * Q * Q ^ j) by (simpl; ring). eapply IH; eauto. apply Rmult_le_pos; auto.
Qed.

(** ** The sums *)
Section Sums.
(** Weights a_k, with a_(k+1) = a_k·r_k and r_(k+1) = r_k·φ, φ <= 1; and their sum. *)
Variables (a r : nat -> R) (phi total : R) (digits stop : Z).
Hypotheses (a0 : forall k, 0 <= a k) (r0 : forall k, 0 <= r k) (phi0 : 0 <= phi <= 1) (Hd : (0 <= digits)%Z).
Hypotheses (a_step : forall k, a (S k) = a k * r k) (r_step : forall k, r (S k) = r k * phi).
Hypothesis a_sum : is_lim_seq (fun n => sum_below n a) total.

Lemma total_above n : sum_below n a <= total.
Proof. apply (is_lim_seq_incr_compare (fun n => sum_below n a)); auto. intros m. rewrite sum_below_S. generalize (a0 m). lra. Qed.
(** What is left is at most a_k/(1 - r_k). *)
Lemma rest_at_most k : r k < 1 -> (total - sum_below k a) * (1 - r k) <= a k.
Proof.
  intros Rk.
  assert (Fall : forall i, r (k + i)%nat <= r k).
  { induction i as [|i IH]; [rewrite Nat.add_0_r; lra|]. rewrite Nat.add_succ_r, r_step. generalize (r0 (k + i)%nat). nra. }
  assert (Geo : forall i, a (k + i)%nat <= a k * r k ^ i).
  { induction i as [|i IH]; [rewrite Nat.add_0_r; simpl; lra|]. rewrite Nat.add_succ_r, a_step. simpl. generalize (Fall i) (r0 (k + i)%nat) (a0 (k + i)%nat) (r0 k). intros.
    apply Rle_trans with (a k * r k ^ i * r k); [apply Rmult_le_compat; lra|]. right. ring. }
  assert (Part : forall m, (sum_below (k + m) a - sum_below k a) * (1 - r k) <= a k).
  { intros m. rewrite sum_below_app. replace (sum_below k a + sum_below m (fun i => a (k + i)%nat) - sum_below k a) with (sum_below m (fun i => a (k + i)%nat)) by ring.
    apply Rle_trans with (sum_below m (fun i => a k * r k ^ i) * (1 - r k)).
    - apply Rmult_le_compat_r; [lra|]. apply sum_below_le. intros i _. apply Geo.
    - rewrite sum_below_scal, sum_below_geometric by lra. generalize (a0 k) (pow_le (r k) m (r0 k)). intros. unfold Rdiv.
      replace (a k * ((1 - r k ^ m) * / (1 - r k)) * (1 - r k)) with (a k * (1 - r k ^ m)) by (field; lra). nra. }
  assert (L : is_lim_seq (fun m => (sum_below (m + k) a - sum_below k a) * (1 - r k)) ((total - sum_below k a) * (1 - r k))).
  { apply (is_lim_seq_scal_r _ _ (Finite _)). apply is_lim_seq_minus'; [|apply is_lim_seq_const]. now apply -> (is_lim_seq_incr_n (fun n => sum_below n a) k). }
  apply (is_lim_seq_le (fun m => (sum_below (m + k) a - sum_below k a) * (1 - r k)) (fun _ => a k) ((total - sum_below k a) * (1 - r k)) (a k));
    [intros m; rewrite Nat.add_comm; apply Part|exact L|apply is_lim_seq_const].
Qed.

Lemma cell_sums_sound falling : enclosed digits falling phi -> forall fuel k weight ratio sum sums all,
  enclosed digits weight (a k) -> enclosed digits ratio (r k) -> enclosed digits sum (sum_below k a) ->
  cell_sums fuel digits stop weight ratio falling sum = Some (sums, all) ->
  enclosed digits all total /\ forall i s, nth_error sums i = Some s -> enclosed digits s (sum_below (S (k + i)) a).
Proof.
  intros EF. assert (T := two_to_positive digits Hd). induction fuel as [|fuel IH]; intros k weight ratio sum sums all EW ER ES H; [discriminate|].
  cbn [cell_sums] in H. destruct (Z.leb_spec (snd weight) stop) as [L|L].
  - destruct (Z.ltb_spec (snd ratio) (2 ^ digits)) as [Q|Q]; [|discriminate]. injection H as <- <-. split; [|intros [|i] s E; discriminate].
    destruct ES as [S0 S1]. destruct EW as [W0 W1]. destruct ER as [R0 R1]. split; [exact S0|]. cbn [fst snd]. assert (M := total_above k).
    split; [nra|]. rewrite !plus_IZR, Z.shiftl_mul_pow2 by auto. set (D := (2 ^ digits - snd ratio)%Z).
    assert (D0 : (0 < D)%Z) by (unfold D; lia). assert (U := quotient_above (snd weight * 2 ^ digits) D D0). set (x := IZR (snd weight * 2 ^ digits / D)) in *.
    assert (DR : IZR D = IZR (2 ^ digits) - IZR (snd ratio)) by (unfold D; apply minus_IZR). apply (IZR_lt 0) in D0. rewrite mult_IZR in U.
    apply IZR_lt in Q. assert (Rk : r k < 1) by nra. assert (B := rest_at_most k Rk).
    set (t := IZR (2 ^ digits)) in *. set (y := total - sum_below k a) in *. assert (Y0 : 0 <= y) by (unfold y; lra).
    assert (Y : y * t * IZR D <= IZR (snd weight) * t).
    { rewrite DR. apply Rle_trans with (y * t * (t - r k * t)); [apply Rmult_le_compat_l; [nra|lra]|].
      apply Rle_trans with (a k * t * t); [replace (y * t * (t - r k * t)) with (y * (1 - r k) * t * t) by ring; apply Rmult_le_compat_r; [lra|]; nra|].
      apply Rmult_le_compat_r; lra. }
    assert (y * t < x + 1) by (apply Rmult_lt_reg_r with (IZR D); lra).
    replace (total * t) with (sum_below k a * t + y * t) by (unfold y; ring). lra.
  - set (sum' := (fst sum + fst weight, snd sum + snd weight)%Z) in *.
    destruct (cell_sums fuel digits stop (product digits weight ratio) (product digits ratio falling) falling sum') as [[sums' all']|] eqn:E; [|discriminate].
    injection H as <- <-.
    assert (E1 : enclosed digits sum' (sum_below (S k) a)).
    { destruct ES as [S0 S1]. destruct EW as [W0 W1]. unfold sum'. split; cbn [fst snd]; [lia|]. rewrite !plus_IZR, sum_below_S. lra. }
    assert (E2 : enclosed digits (product digits weight ratio) (a (S k))) by (rewrite a_step; apply product_encloses; auto).
    assert (E3 : enclosed digits (product digits ratio falling) (r (S k))) by (rewrite r_step; apply product_encloses; auto; lra).
    destruct (IH (S k) _ _ _ _ _ E2 E3 E1 E) as [A B].
    split; [exact A|]. intros [|i] s Hi; cbn [nth_error] in Hi; [injection Hi as <-; now rewrite Nat.add_0_r|].
    rewrite Nat.add_succ_r. now apply B.
Qed.
End Sums.

Lemma gaussian_floors_sound digits precision c all (value : nat -> R) (total : R) : (0 <= digits)%Z -> (0 <= precision)%Z -> (0 < fst all)%Z ->
  enclosed digits all total -> forall floors sums k,
  (forall i s, nth_error sums i = Some s -> IZR (fst (of_both digits c s)) <= value (k + i)%nat * IZR (2 ^ digits) <= IZR (snd (of_both digits c s))) ->
  gaussian_floors_hold digits precision c all sums floors = true -> forall i floor, nth_error floors i = Some floor ->
  IZR floor <= value (k + i)%nat / total * IZR (2 ^ precision) < IZR floor + 1.
Proof.
  intros Hd Hp Ha [_ EA]. assert (T := two_to_positive digits Hd). assert (TP := two_to_positive precision Hp). apply (IZR_lt 0) in Ha.
  assert (T0 : 0 < total) by nra.
  induction floors as [|fl floors IH]; intros sums k ES H i floor Hi; [destruct i; discriminate|].
  destruct sums as [|s sums]; [discriminate|]. cbn [gaussian_floors_hold] in H. rewrite !andb_true_iff in H. destruct H as [[[H0 H1] H2] Rest].
  destruct i as [|i]; cbn [nth_error] in Hi.
  - injection Hi as ->. assert (E := ES O s eq_refl). rewrite Nat.add_0_r in *. apply Z.leb_le in H0, H1. apply Z.ltb_lt in H2.
    rewrite Z.shiftl_mul_pow2 in H1, H2 by auto. apply IZR_le in H0, H1. apply IZR_lt in H2. rewrite !mult_IZR in H1. rewrite !mult_IZR, plus_IZR in H2.
    set (t := IZR (2 ^ digits)) in *. set (q := IZR (2 ^ precision)) in *. set (lo := IZR (fst (of_both digits c s))) in *. set (hi := IZR (snd (of_both digits c s))) in *.
    assert (V : value k / total * q = value k * t * q / (total * t)) by (field; lra). assert (Tt : 0 < total * t) by nra. rewrite V. split.
    + apply Rmult_le_reg_r with (total * t); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r.
      apply Rle_trans with (IZR floor * IZR (snd all)); [apply Rmult_le_compat_l; lra|]. apply Rle_trans with (lo * q); [lra|]. apply Rmult_le_compat_r; lra.
    + apply Rmult_lt_reg_r with (total * t); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r.
      apply Rle_lt_trans with (hi * q); [apply Rmult_le_compat_r; lra|]. eapply Rlt_le_trans; [exact H2|]. apply Rmult_le_compat_l; lra.
  - rewrite Nat.add_succ_r, <- Nat.add_succ_l. apply (IH sums (S k)); auto. intros j s' Hj. rewrite Nat.add_succ_l, <- Nat.add_succ_r. now apply (ES (S j)).
Qed.
