(** The machine words of fixed work, [src/sample/fixed/word.rs] and [Polynomial::at]: products as 64 and 128 bits
    compute them, and 2^-f by the coefficients that ship. All that [FixedAcceptance.v] asks of a product and of a
    polynomial is proven of these. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.samplers Require Gaussian.
From Certus.exact Require ExpNeg.
From Certus.exact Require Import Intervals Ln.
From Certus.fast Require Import FixedAcceptance FixedPolynomial FixedCoefficients.
Import ListNotations.
Open Scope Z_scope.

(** [Mode]: words of 64 bits, or of 128. *)
Inductive Word := Standard | Wide.
Definition word_bits (w : Word) : nat := match w with Standard => 64 | Wide => 128 end.
(** [W::SLACK]. *)
Definition slack_of (w : Word) : Z := match w with Standard => 1 | Wide => 3 end.

(** [high_product]: of 64 bits in a double, and of 128 by halves, of which the product of the low ones is left
    out. *)
Definition product_64 (a b : Z) : Z := a * b / 2 ^ 64.
Definition product_128 (a b : Z) : Z :=
  a / 2 ^ 64 * (b / 2 ^ 64) + a / 2 ^ 64 * (b mod 2 ^ 64) / 2 ^ 64 + a mod 2 ^ 64 * (b / 2 ^ 64) / 2 ^ 64.
Definition product_of (w : Word) : Z -> Z -> Z := match w with Standard => product_64 | Wide => product_128 end.

(** Horner's rule from a value on: coefficients, the lowest first. *)
Fixpoint horner_from (product : Z -> Z) (coefficients : list Z) (value : Z) : Z :=
  match coefficients with [] => value | c :: rest => c - product (horner_from product rest value) end.
(** [Polynomial::at]. The short coefficients are multiplied by the first 64 bits of f. *)
Definition short_product (f a : Z) : Z := f / 2 ^ 64 * a / 2 ^ 64.
Definition polynomial_of (w : Word) (f : Z) : Z :=
  match w with
  | Standard => horner_from (product_64 f) coefficients_64 0
  | Wide => squared product_128 3 (horner_from (product_128 f) long_128 (horner_from (short_product f) short_128 0 * 2 ^ 14))
  end.
(** [Polynomial::error]. *)
Definition polynomial_error (w : Word) : Z :=
  match w with Standard => evaluation_error 64 12 0 0 0 1 error_64 | Wide => evaluation_error 128 9 5 50 3 3 error_128 end.

(** [Acceptance::new]: C = ⌊c·2^bits⌋ for c = (n/d)/ln 2, if an enclosure of ln 2 determines it. *)
Definition factor_of (w : Word) (n d : Z) : option Z :=
  let bits := Z.of_nat (word_bits w) in
  let precision := bits + 80 in
  match ln_of 8 2 1 precision with
  | None => None
  | Some e =>
      let e := at_precision e precision in
      let factor := n * 2 ^ (bits + precision) / (d * upper e) in
      if (0 <? lower e) && (n * 2 ^ (bits + precision) <=? (factor + 1) * (d * lower e)) && (0 <=? factor) && (factor <? 2 ^ bits) then Some factor else None
  end%bool.

(** ** Products *)
Open Scope R_scope.
Let modulus (w : Word) := (2 ^ Z.of_nat (word_bits w))%Z.

Theorem products_round_down w a b : (0 <= a < modulus w)%Z -> (0 <= b < modulus w)%Z ->
  (0 <= product_of w a b)%Z /\ IZR a * IZR b / IZR (modulus w) - IZR (slack_of w) < IZR (product_of w a b) <= IZR a * IZR b / IZR (modulus w).
Proof.
  destruct w; unfold modulus; cbn [word_bits product_of slack_of]; intros Ha Hb.
  - change (2 ^ Z.of_nat 64)%Z with (2 ^ 64)%Z in *. unfold product_64. set (M := (2 ^ 64)%Z) in *. assert (MP : (0 < M)%Z) by reflexivity.
    split; [apply Z.div_pos; nia|]. assert (B := Z.mod_pos_bound (a * b) M MP). assert (D := Z.div_mod (a * b) M ltac:(lia)).
    assert (L : (0 <= a * b - M * (a * b / M) < 1 * M)%Z) by lia. destruct L as [L0 L1].
    apply (IZR_le 0) in L0. apply IZR_lt in L1. rewrite minus_IZR, !(mult_IZR M), (mult_IZR a) in L0. rewrite minus_IZR, (mult_IZR 1), !(mult_IZR M), (mult_IZR a) in L1.
    assert (Mr : 0 < IZR M) by now apply (IZR_lt 0). set (p := IZR (a * b / M)) in *.
    split; [apply Rmult_lt_reg_r with (IZR M)|apply Rmult_le_reg_r with (IZR M)]; auto; unfold Rdiv.
    + rewrite Rmult_minus_distr_r, Rmult_assoc, Rinv_l by lra. lra.
    + rewrite Rmult_assoc, Rinv_l by lra. lra.
  - change (2 ^ Z.of_nat 128)%Z with (2 ^ 64 * 2 ^ 64)%Z in *. unfold product_128. set (H := (2 ^ 64)%Z) in *. assert (HP : (0 < H)%Z) by reflexivity.
    assert (DA := Z.div_mod a H ltac:(lia)). assert (DB := Z.div_mod b H ltac:(lia)). assert (MA := Z.mod_pos_bound a H HP). assert (MB := Z.mod_pos_bound b H HP).
    assert (A0 : (0 <= a / H)%Z) by (apply Z.div_pos; lia). assert (B0 : (0 <= b / H)%Z) by (apply Z.div_pos; lia).
    assert (B1 : (b / H < H)%Z) by (apply Z.div_lt_upper_bound; lia).
    set (ah := (a / H)%Z) in *. set (al := (a mod H)%Z) in *. set (bh := (b / H)%Z) in *. set (bl := (b mod H)%Z) in *.
    assert (X0 : (0 <= ah * bl / H)%Z) by (apply Z.div_pos; nia). assert (Y0 : (0 <= al * bh / H)%Z) by (apply Z.div_pos; nia).
    assert (X := Z.div_mod (ah * bl) H ltac:(lia)). assert (Y := Z.div_mod (al * bh) H ltac:(lia)).
    assert (MX := Z.mod_pos_bound (ah * bl) H HP). assert (MY := Z.mod_pos_bound (al * bh) H HP).
    split; [nia|]. set (p := (ah * bh + ah * bl / H + al * bh / H)%Z).
    assert (E : (a * b = H * H * p + H * ((ah * bl) mod H + (al * bh) mod H) + al * bl)%Z) by (unfold p; rewrite DA at 1; rewrite DB at 1; nia).
    assert (L : (0 <= a * b - H * H * p < 3 * (H * H))%Z) by (rewrite E; nia).
    assert (Hr : 0 < IZR (H * H)) by (apply (IZR_lt 0); lia). destruct L as [L0 L1]. apply (IZR_le 0) in L0. apply IZR_lt in L1.
    rewrite minus_IZR, !(mult_IZR _ p), mult_IZR in L0. rewrite minus_IZR, !(mult_IZR _ p), !(mult_IZR 3), (mult_IZR a) in L1.
    split; [apply Rmult_lt_reg_r with (IZR (H * H))|apply Rmult_le_reg_r with (IZR (H * H))]; auto; unfold Rdiv.
    + rewrite Rmult_minus_distr_r, Rmult_assoc, Rinv_l by lra. lra.
    + rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** ** The polynomial *)

(** Coefficients that do not increase, from at most [most] down to at least [least]. *)
Fixpoint falls (most least : Z) (coefficients : list Z) : bool :=
  match coefficients with [] => (least <=? most)%Z | c :: rest => ((c <=? most)%Z && falls c least rest)%bool end.
Fixpoint alternating_from (coefficients : list Z) (x rest : R) : R :=
  match coefficients with [] => rest | c :: l => IZR c - x * alternating_from l x rest end.
Lemma alternating_app l m x : alternating (l ++ m) x = alternating_from l x (alternating m x).
Proof. induction l as [|c l IH]; cbn; [reflexivity|now rewrite IH]. Qed.
Lemma alternating_scaled k l x : alternating (map (fun c => c * k)%Z l) x = IZR k * alternating l x.
Proof. induction l as [|c l IH]; cbn; [lra|]. rewrite IH, mult_IZR. ring. Qed.

Lemma horner_from_is_near (s : R) (product : Z -> Z) (x : R) value least near (e : R) : 0 <= x <= 1 -> 0 <= s -> 0 <= e -> (0 <= value <= least)%Z -> Rabs (IZR value - near) <= e ->
  forall coefficients most, falls most least coefficients = true ->
  (forall b, (0 <= b <= most)%Z -> (0 <= product b)%Z /\ x * IZR b - s < IZR (product b) <= x * IZR b) ->
  (0 <= horner_from product coefficients value <= most)%Z
  /\ Rabs (IZR (horner_from product coefficients value) - alternating_from coefficients x near) <= e + s * INR (length coefficients).
Proof.
  intros X S E V N. induction coefficients as [|c rest IH]; intros most F HP; cbn [horner_from alternating_from length falls] in *.
  - apply Z.leb_le in F. split; [lia|]. simpl. lra.
  - apply andb_prop in F. destruct F as [F1 F2]. apply Z.leb_le in F1. destruct (IH c F2) as [[V0 V1] M].
    { intros b Hb. apply HP. lia. }
    set (v := horner_from product rest value) in *. destruct (HP v ltac:(lia)) as (P0 & P1 & P2).
    apply (IZR_le 0) in V0 as V0'. assert (PV : (product v <= v)%Z) by (apply le_IZR; nra). split; [lia|].
    rewrite minus_IZR, S_INR. apply Rabs_le_between in M. apply Rabs_le.
    assert (B : 0 <= e + s * INR (length rest)) by (assert (0 <= INR (length rest)) by apply pos_INR; nra).
    set (r := alternating_from rest x near) in *. assert (- (e + s * INR (length rest)) <= x * (IZR v - r) <= e + s * INR (length rest)) by (split; nra). lra.
Qed.

Lemma unit_fraction w f : (0 <= f < modulus w)%Z -> 0 <= IZR f / IZR (modulus w) <= 1.
Proof.
  intros [F0 F1]. assert (M : 0 < IZR (modulus w)) by (apply (IZR_lt 0), Z.pow_pos_nonneg; lia). apply (IZR_le 0) in F0. apply IZR_lt in F1.
  assert (I : 0 < / IZR (modulus w)) by now apply Rinv_0_lt_compat. unfold Rdiv. split; [nra|]. rewrite <- (Rinv_r (IZR (modulus w))) by lra. nra.
Qed.
Lemma half_to_unit x : 0 <= x -> 0 <= half_to x <= 1.
Proof.
  intros X. assert (L := ln_2_positive). unfold half_to. split; [left; apply exp_pos|]. rewrite <- exp_0.
  apply (Gaussian.exp_mono (- (x * ln 2)) 0). nra.
Qed.

(** What [computed_gaussian_exact] asks of the polynomial. *)
Theorem polynomials_are_near w f : (0 <= f < modulus w)%Z ->
  (0 <= polynomial_of w f <= modulus w)%Z /\ Rabs (IZR (polynomial_of w f) - half_to (IZR f / IZR (modulus w)) * IZR (modulus w)) <= IZR (polynomial_error w).
Proof.
  intros Hf. assert (X := unit_fraction w f Hf). set (x := IZR f / IZR (modulus w)) in *. destruct w; cbn [polynomial_of].
  - destruct (horner_from_is_near 1 (product_64 f) x 0 0 0 0 X ltac:(lra) ltac:(lra) ltac:(lia) ltac:(rewrite Rminus_eq_0, Rabs_R0; lra) coefficients_64 (2 ^ 64 - 1)%Z
      ltac:(reflexivity)) as [V N].
    { intros b Hb. destruct (products_round_down Standard f b Hf ltac:(unfold modulus; cbn [word_bits]; change (Z.of_nat 64) with 64%Z; lia)) as (P0 & P1 & P2).
      replace (IZR f * IZR b / IZR (modulus Standard)) with (x * IZR b) in P1, P2; [auto|]. unfold x. field. apply not_0_IZR. discriminate. }
    split; [unfold modulus; cbn [word_bits]; change (Z.of_nat 64) with 64%Z; lia|].
    assert (D := coefficients_64_are_near x X). rewrite <- (app_nil_r coefficients_64), alternating_app in D. cbn [alternating] in D.
    simpl pow in D. replace (x / 1) with x in D by field. change (length coefficients_64) with 12%nat in N.
    change (modulus Standard) with (2 ^ 64)%Z in *. set (v := IZR (horner_from _ _ _)) in *. set (a := alternating_from _ _ _) in *. set (h := half_to x * IZR (2 ^ 64)) in *.
    replace (v - h) with ((v - a) + (a - h)) by ring. eapply Rle_trans; [apply Rabs_triang|]. simpl INR in N.
    change (polynomial_error Standard) with 56%Z. change error_64 with 44%Z in D. lra.
  - change (modulus Wide) with (2 ^ 128)%Z in *. set (M := (2 ^ 128)%Z) in *.
    set (most_short := 15749825230323763875%Z).
    destruct (horner_from_is_near 2 (short_product f) x 0 0 0 0 X ltac:(lra) ltac:(lra) ltac:(lia) ltac:(rewrite Rminus_eq_0, Rabs_R0; lra) short_128 most_short
      ltac:(reflexivity)) as [V N].
    { intros b Hb. unfold most_short in Hb. unfold short_product. assert (DF := Z.div_mod f (2 ^ 64) ltac:(lia)). assert (MF := Z.mod_pos_bound f (2 ^ 64) ltac:(lia)).
      set (fh := (f / 2 ^ 64)%Z) in *. set (fl := (f mod 2 ^ 64)%Z) in *. assert (F0 : (0 <= fh)%Z) by (apply Z.div_pos; lia).
      assert (DP := Z.div_mod (fh * b) (2 ^ 64) ltac:(lia)). assert (MP := Z.mod_pos_bound (fh * b) (2 ^ 64) ltac:(lia)).
      set (p := (fh * b / 2 ^ 64)%Z) in *. split; [apply Z.div_pos; nia|].
      assert (L : (0 <= f * b - M * p < 2 * M)%Z) by (unfold M; change (2 ^ 128)%Z with (2 ^ 64 * 2 ^ 64)%Z; split; nia).
      destruct L as [L0 L1]. apply (IZR_le 0) in L0. apply IZR_lt in L1. rewrite minus_IZR, !mult_IZR in L0. rewrite minus_IZR, !mult_IZR in L1.
      assert (M0 : 0 < IZR M) by (apply (IZR_lt 0); reflexivity). assert (R : x * IZR b * IZR M = IZR f * IZR b) by (unfold x; field; lra).
      split; [apply Rmult_lt_reg_r with (IZR M)|apply Rmult_le_reg_r with (IZR M)]; auto; lra. }
    set (sv := horner_from (short_product f) short_128 0) in *.
    change (2 ^ 14)%Z with 16384%Z.
    destruct (horner_from_is_near 3 (product_128 f) x (sv * 16384) (most_short * 16384) (IZR (16384) * alternating short_128 x) (IZR (16384) * 10) X) with (coefficients := long_128)
      (most := (M - 1)%Z) as [V' N']; [lra|lra|unfold most_short in *; lia| |reflexivity| |].
    + rewrite mult_IZR. rewrite <- (app_nil_r short_128), alternating_app. cbn [alternating]. change (length short_128) with 5%nat in N. simpl INR in N.
      set (a := alternating_from short_128 x 0) in *. replace (IZR sv * IZR (16384) - IZR (16384) * a) with (IZR (16384) * (IZR sv - a)) by ring.
      rewrite Rabs_mult, Rabs_pos_eq by lra. apply Rmult_le_compat_l; lra.
    + intros b Hb. destruct (products_round_down Wide f b Hf ltac:(unfold modulus; cbn [word_bits]; change (2 ^ Z.of_nat 128)%Z with M; lia)) as (P0 & P1 & P2).
      change (modulus Wide) with M in *. cbn [product_of slack_of] in *. replace (IZR f * IZR b / IZR M) with (x * IZR b) in P1, P2; [auto|].
      unfold x. field. apply not_0_IZR. discriminate.
    + change (length long_128) with 9%nat in N'. set (v := horner_from (product_128 f) long_128 (sv * 16384)) in *.
      assert (D := coefficients_128_are_near x X). change (2 ^ 14)%Z with 16384%Z in D. rewrite alternating_app, alternating_scaled in D.
      set (e := (error_128 + 27 + 163840)%Z). set (h := half_to (x / 2 ^ 3)) in *. change (2 ^ 128)%Z with M in D.
      assert (X3 : 0 <= x / 2 ^ 3) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
      assert (E : Rabs (IZR v - h * IZR M) <= IZR e).
      { set (a := alternating_from long_128 x _) in *.
        assert (G : forall v h : R, v - h = (v - a) + (a - h)) by (intros; ring). rewrite (G (IZR v) (h * IZR M)).
        eapply Rle_trans; [apply Rabs_triang|]. unfold e. rewrite !plus_IZR. simpl INR in N'. lra. }
      assert (Q := squared_is_near 128 3 product_128 (fun a b Ha Hb => products_round_down Wide a b Ha Hb) 3 v h e ltac:(change (2 ^ Z.of_nat 128)%Z with M; lia)
        (half_to_unit _ X3) ltac:(lia) ltac:(unfold e; vm_compute; discriminate) ltac:(vm_compute; discriminate) E).
      assert (H8 : half_to x = h ^ (2 ^ 3)).
      { unfold h, half_to. rewrite <- ExpNeg.exp_power_of. f_equal. simpl. field. }
      rewrite <- H8 in Q. change (2 ^ Z.of_nat 128)%Z with M in Q. split; [|exact Q].
      cbn [squared]. assert (W : forall a, (0 <= a < M)%Z -> (0 <= product_128 a a < M)%Z).
      { intros a Ha. destruct (products_round_down Wide a a Ha Ha) as (P0 & _ & P2). split; [exact P0|]. change (modulus Wide) with M in P2. cbn [product_of] in P2.
        apply lt_IZR. apply Rle_lt_trans with (1 := P2). destruct Ha as [A0 A1]. apply (IZR_le 0) in A0. apply IZR_lt in A1.
        apply Rmult_lt_reg_r with (IZR M); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
      assert (W3 := W _ (W _ (W v ltac:(lia)))). lia.
Qed.

(** ** The factor *)
Theorem factor_is_near w n d factor : (0 < n)%Z -> (0 < d)%Z -> factor_of w n d = Some factor ->
  (0 <= factor < modulus w)%Z /\ IZR factor <= IZR n / IZR d / ln 2 * IZR (modulus w) <= IZR factor + 1.
Proof.
  intros Hn Hd. unfold factor_of, modulus. set (bits := Z.of_nat (word_bits w)). set (p := (bits + 80)%Z). assert (B0 : (0 <= bits)%Z) by apply Nat2Z.is_nonneg.
  assert (Hp : (0 <= p)%Z) by (unfold p; lia). destruct (ln_of 8 2 1 p) as [e|] eqn:E; [|discriminate].
  destruct (ln_contains 8 2 1 p e ltac:(lia) ltac:(lia) Hp E) as [C _]. replace (IZR 2 / IZR 1) with 2 in C by field.
  destruct (at_precision_contains e p _ Hp C) as [_ B].
  assert (Dg : Intervals.digits (at_precision e p) = p) by (unfold at_precision; now destruct (Intervals.digits e <=? p)%Z).
  rewrite Dg in B. set (l := lower (at_precision e p)) in *. set (u := upper (at_precision e p)) in *.
  rewrite Z.pow_add_r by lia. set (M := (2 ^ bits)%Z). set (P := (2 ^ p)%Z) in *. set (f := (n * (M * P) / (d * u))%Z).
  destruct (_ && _)%bool eqn:K; [|discriminate]. intros [= <-]. rewrite !Bool.andb_true_iff in K. destruct K as [[[K0 K1] K2] K3].
  apply Z.ltb_lt in K0, K3. apply Z.leb_le in K1, K2. split; [auto|].
  assert (L := ln_2_positive). assert (Pp : 0 < IZR P) by now apply two_to_positive. apply (IZR_lt 0) in K0 as K0'.
  assert (U0 : (0 < u)%Z) by (apply lt_IZR; lra). apply (IZR_lt 0) in Hn as Hn'. apply (IZR_lt 0) in Hd as Hd'.
  assert (F : (f * (d * u) <= n * (M * P))%Z) by (unfold f; rewrite Z.mul_comm; apply Z.mul_div_le; nia).
  apply IZR_le in F. apply IZR_le in K1. rewrite !mult_IZR in F. rewrite !mult_IZR, plus_IZR in K1. apply (IZR_le 0) in K2 as K2'.
  assert (T : IZR n / IZR d / ln 2 * IZR M = IZR n * (IZR M * IZR P) / (IZR d * (ln 2 * IZR P))) by (field; lra). rewrite T.
  assert (D : 0 < IZR d * (ln 2 * IZR P)) by (apply Rmult_lt_0_compat; auto; apply Rmult_lt_0_compat; auto).
  split; apply Rmult_le_reg_r with (IZR d * (ln 2 * IZR P)); auto; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  - eapply Rle_trans; [|exact F]. apply Rmult_le_compat_l; auto. apply Rmult_le_compat_l; lra.
  - eapply Rle_trans; [exact K1|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
Qed.
