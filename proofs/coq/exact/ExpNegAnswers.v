(** [exp_neg] answers: the series ends, and some number of guard bits makes the result narrow, whatever x and
    the precision are. *)
Require Import Lia ZArith Bool Reals Lra Psatz.
From Certus.exact Require Import Intervals ExpSeries ExpNeg.
Open Scope Z_scope.

(** ** The series ends *)
Lemma next_term_halves term t working index : 0 <= working -> 0 <= term -> 0 <= t -> 2 * t <= 2 ^ working -> 1 <= index ->
  0 <= next_term term t working index /\ 2 * next_term term t working index <= term.
Proof.
  intros Hw H0 Ht Half Hi. unfold next_term. rewrite Z.shiftr_div_pow2 by auto. assert (P : 0 < 2 ^ working) by (apply Z.pow_pos_nonneg; lia).
  assert (Q := Z.mul_div_le (term * t) _ P). set (q := term * t / 2 ^ working) in *.
  assert (Q0 : 0 <= q) by (apply Z.div_pos; nia). assert (R := Z.mul_div_le q index ltac:(lia)). assert (R0 : 0 <= q / index) by (apply Z.div_pos; lia).
  split; auto. assert (2 * q <= term); [|nia]. nia.
Qed.
Lemma series_loop_ends t working : 0 <= working -> 0 <= t -> 2 * t <= 2 ^ working -> forall m even odd even_slack odd_slack term index,
  0 <= term < 2 ^ Z.of_nat m -> 1 <= index -> exists least greatest,
  series_loop (S m) t working even odd even_slack odd_slack term index = Some (least, greatest)
  /\ greatest - least <= even_slack + odd_slack + 2 * Z.of_nat (S m).
Proof.
  intros Hw Ht Half. induction m as [|m IH]; intros even odd es os term index B Hi; cbn [series_loop];
    destruct (next_term_halves term t working index Hw ltac:(lia) Ht Half Hi) as [N0 N]; set (next := next_term term t working index) in *.
  - assert (next = 0) as -> by (simpl in B; lia).
    destruct (Z.even index); rewrite Z.eqb_refl; eexists _, _; (split; [reflexivity|]); destruct (_ <? _) eqn:E; try lia; apply Z.ltb_ge in E; lia.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r in B by lia. destruct (Z.eqb_spec next 0) as [->|Z0].
    + destruct (Z.even index); eexists _, _; (split; [reflexivity|]); destruct (_ <? _) eqn:E; try lia; apply Z.ltb_ge in E; lia.
    + destruct (Z.even index).
      * destruct (IH (even + next) odd (es + 2) os next (index + 1)) as (l & g & E & W); [lia|lia|]. exists l, g. split; [exact E|lia].
      * destruct (IH even (odd + next) es (os + 2) next (index + 1)) as (l & g & E & W); [lia|lia|]. exists l, g. split; [exact E|lia].
Qed.
Lemma series_ends t working : 0 <= working -> 0 <= t -> 2 * t <= 2 ^ working -> exists least greatest,
  series (S (Z.to_nat working)) t working = Some (least, greatest) /\ greatest - least <= 2 * working + 2.
Proof.
  intros Hw Ht Half. assert (P : 0 < 2 ^ working) by (apply Z.pow_pos_nonneg; lia).
  destruct (series_loop_ends t working Hw Ht Half (Z.to_nat working) (Z.shiftl 1 working) t 0 0 t 2) as (l & g & E & W);
    [rewrite Z2Nat.id by auto; lia|lia|]. exists l, g. split; [exact E|]. lia.
Qed.

(** ** Squares are at most twice as wide, and two units *)
Lemma square_width e : 0 <= digits e -> 0 <= lower e <= upper e -> upper e <= 2 ^ digits e -> let s := square e in
  digits s = digits e /\ 0 <= lower s <= upper s /\ upper s <= 2 ^ digits e /\ upper s - lower s <= 2 * (upper e - lower e) + 2.
Proof.
  intros D B U s. unfold s, square. destruct (Z.leb_spec 0 (lower e)); [|lia]. cbn [lower upper digits]. unfold shift_floor, shift_ceil.
  rewrite !Z.shiftr_div_pow2 by auto. set (p := 2 ^ digits e) in *. assert (P : 0 < p) by (apply Z.pow_pos_nonneg; lia).
  set (a := lower e) in *. set (b := upper e) in *.
  assert (L1 := Z.mul_div_le (a * a) p P). assert (L2 := Z.mul_succ_div_gt (a * a) p P). set (l := a * a / p) in *.
  assert (U1 := Z.mul_div_le (- (b * b)) p P). assert (U2 := Z.mul_succ_div_gt (- (b * b)) p P). set (u := - (b * b) / p) in *.
  split; [reflexivity|]. assert (l0 : 0 <= l) by (apply Z.div_pos; nia). assert (a * a <= b * b) by nia. assert (b * b <= p * p) by nia.
  assert (l <= - u) by nia. assert (- u <= p) by nia. assert (W : b * b - a * a <= 2 * p * (b - a)) by nia.
  split; [lia|]. split; [lia|]. nia.
Qed.
Lemma squares_width count : forall e, 0 <= digits e -> 0 <= lower e <= upper e -> upper e <= 2 ^ digits e -> let s := square_times count e in
  digits s = digits e /\ upper s - lower s + 2 <= 2 ^ Z.of_nat count * (upper e - lower e + 2).
Proof.
  induction count as [|count IH]; intros e D B U s; unfold s; cbn [square_times]; [rewrite Z.mul_1_l; lia|].
  destruct (square_width e D B U) as (D1 & B1 & U1 & W1). destruct (IH (square e)) as [D2 W2]; [lia|lia|rewrite D1; lia|]. split; [lia|].
  rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. assert (0 < 2 ^ Z.of_nat count) by (apply Z.pow_pos_nonneg; lia). nia.
Qed.

(** ** Enough guard bits *)
Lemma linear_below_power m : 19 <= m -> 8 * m + 5 <= 2 ^ m.
Proof.
  intros H. replace m with (4 + (m - 4)) at 2 by lia. rewrite Z.pow_add_r by lia. change (2 ^ 4) with 16. assert (G := Z.pow_gt_lin_r 2 (m - 4) ltac:(lia) ltac:(lia)). lia.
Qed.
Lemma attempt_answers n d h precision guard : 0 <= n -> 0 < d -> 0 <= h -> 2 * n <= d * 2 ^ h -> 0 <= precision -> 0 <= guard ->
  exists e, enclose n d h (precision + guard) = Some e
    /\ (precision <= guard -> 2 * (h + 10) <= guard -> is_narrow (at_precision e (precision + 2)) precision = true).
Proof.
  intros Hn Hd Hh small Hp Hg. set (working := precision + guard). assert (Hw : 0 <= working) by (unfold working; lia).
  destruct (reduced_below n d h Hn Hd Hh working Hw) as [T0 _]. assert (T1 := reduced_half n d h Hn Hd Hh small working Hw).
  destruct (series_ends (reduced n d h working) working Hw T0 T1) as (l & g & E & W). unfold enclose. rewrite E. eexists. split; [reflexivity|].
  intros G1 G2. set (e0 := from_scaled _ _ _).
  assert (S := exp_series_encloses _ working Hw T0 T1 _ _ _ E).
  assert (P : 0 < 2 ^ working) by (apply Z.pow_pos_nonneg; lia).
  assert (Order : Z.max (l - 1) 0 <= Z.min g (2 ^ working)).
  { assert (G0 : 0 <= g).
    { apply le_IZR. eapply Rle_trans; [|apply S]. apply Rmult_le_pos; [left; apply exp_pos|apply IZR_le; lia]. }
    assert (L : l <= 2 ^ working).
    { apply le_IZR. eapply Rle_trans; [apply S|]. eapply Rle_trans; [apply Rmult_le_compat_r with (r2 := 1%R); [apply IZR_le; lia|]|rewrite Rmult_1_l; lra].
      apply exp_at_most_1. apply Rmult_le_pos; [apply IZR_le; auto|]. left. apply Rinv_0_lt_compat, (IZR_lt 0). lia. }
    assert (l <= g) by (apply le_IZR; lra). lia. }
  assert (E0 : e0 = interval (Z.max (l - 1) 0) (Z.min g (2 ^ working)) working).
  { unfold e0, from_scaled. rewrite Z.shiftl_mul_pow2, Z.mul_1_l by auto. destruct (Z.leb_spec (Z.max (l - 1) 0) (Z.min g (2 ^ working))); [reflexivity|lia]. }
  destruct (squares_width (Z.to_nat h) e0) as [D1 W1]; [rewrite E0; cbn [digits lower upper]; lia..|].
  set (s := square_times (Z.to_nat h) e0) in *. rewrite Z2Nat.id in W1 by auto. rewrite E0 in D1, W1. cbn [digits lower upper] in D1, W1.
  (* the width is at most 2^(guard - 1) *)
  assert (Wide : upper s - lower s <= 2 ^ (guard - 1)).
  { assert (P2 : 0 < 2 ^ h) by (apply Z.pow_pos_nonneg; lia). assert (M := linear_below_power (guard - 1 - h) ltac:(lia)).
    apply Z.le_trans with (2 ^ h * (2 * working + 5)); [nia|]. replace (guard - 1) with (h + (guard - 1 - h)) by lia. rewrite Z.pow_add_r by lia.
    apply Z.mul_le_mono_nonneg_l; [lia|]. unfold working. lia. }
  unfold at_precision. rewrite D1. destruct (Z.leb_spec working (precision + 2)); [unfold working in *; lia|].
  unfold is_narrow. cbn [digits lower upper]. destruct (Z.leb_spec precision (precision + 2)); [|lia]. apply Z.leb_le.
  replace (precision + 2 - precision) with 2 by lia. change (Z.shiftl 1 2) with 4. unfold shift_floor, shift_ceil. rewrite !Z.shiftr_div_pow2 by (unfold working; lia).
  replace (working - (precision + 2)) with (guard - 2) by (unfold working; lia). set (q := 2 ^ (guard - 2)). assert (Q : 0 < q) by (apply Z.pow_pos_nonneg; lia).
  assert (Q2 : 2 ^ (guard - 1) = 2 * q) by (unfold q; replace (guard - 1) with (1 + (guard - 2)) by lia; rewrite Z.pow_add_r by lia; reflexivity).
  assert (A := Z.mul_succ_div_gt (lower s) q Q). assert (B := Z.mul_succ_div_gt (- upper s) q Q). rewrite Q2 in Wide. nia.
Qed.

(** [exp_neg] answers for every rational x >= 0 and every precision. *)
Theorem exp_neg_answers n d precision : 0 <= n -> 0 < d -> 0 <= precision -> exists e, exp_neg n d precision = Some e.
Proof.
  intros Hn Hd Hp. unfold exp_neg. destruct (Z.eqb_spec n 0); [eauto|]. destruct (d * precision <=? n); [eauto|].
  set (h := halvings_for n d precision). assert (Hh : 0 <= h) by (unfold h, halvings_for; lia).
  assert (S := halvings_enough n d precision ltac:(lia) Hd). fold h in S.
  assert (K : forall tries guard, 2 * (h + 10) <= guard -> precision <= guard * 2 ^ Z.of_nat tries -> exists e, with_guard (Datatypes.S tries) n d h precision guard = Some e).
  { induction tries as [|tries IH]; intros guard G1 G2.
    - destruct (attempt_answers n d h precision guard Hn Hd Hh S Hp ltac:(lia)) as (e & E & N). cbn [with_guard]. rewrite E, N by (simpl in G2; lia). eauto.
    - destruct (attempt_answers n d h precision guard Hn Hd Hh S Hp ltac:(lia)) as (e & E & _). cbn [with_guard]. rewrite E.
      destruct (is_narrow (at_precision e (precision + 2)) precision); [eauto|]. apply IH; [lia|].
      rewrite Nat2Z.inj_succ, Z.pow_succ_r in G2 by lia. lia. }
  assert (L := Z.log2_nonneg (precision + 1)).
  assert (Tries : exists tries, doublings precision = Datatypes.S (Datatypes.S tries) /\ Z.of_nat tries = Z.log2 (precision + 1) + 1).
  { exists (Z.to_nat (Z.log2 (precision + 1) + 1)). unfold doublings. split; [|rewrite Z2Nat.id; lia].
    replace (Z.log2 (precision + 1) + 3) with (Z.succ (Z.succ (Z.log2 (precision + 1) + 1))) by lia. rewrite !Z2Nat.inj_succ by lia. reflexivity. }
  destruct Tries as (tries & -> & T).
  destruct (attempt_answers n d h precision (h + 10) Hn Hd Hh S Hp ltac:(lia)) as (e & E & _). change (with_guard (Datatypes.S (Datatypes.S tries)) n d h precision (h + 10))
    with (match enclose n d h (precision + (h + 10)) with None => None | Some enclosed => let rounded := at_precision enclosed (precision + 2) in
      if is_narrow rounded precision then Some rounded else with_guard (Datatypes.S tries) n d h precision (2 * (h + 10)) end).
  rewrite E. cbv zeta. destruct (is_narrow (at_precision e (precision + 2)) precision); [eauto|].
  apply K; [lia|]. rewrite T. destruct (Z.log2_spec (precision + 1) ltac:(lia)) as [_ G]. rewrite <- Z.add_1_r in G. nia.
Qed.
