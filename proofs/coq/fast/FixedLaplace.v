(** [Digits] of [src/sample/fixed/digits.rs]: discrete Laplace noise from scale 1 on. The bucket is a
    geometric number: its last digit to base 8 and the rest are independent, and each comes from a table of
    its own, the first with the sign, the second with a bit that goes unused. Then the place, if buckets are
    wider than 1, and its acceptance. *)
Require Import Reals Lra Lia List Arith ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model FiniteSums IntegerSums Uniform Bernoulli Geometric Laplace.
From Certus.privacy Require Import Transfer Zcdp.
From Certus.fast Require Import LazyInversion LazyCoin Buckets TrialCount FixedWork TraceCost FixedTable FixedCoin FixedPlace FixedBuckets FixedGaussian.
Import ListNotations.
Open Scope R_scope.

(** A table whose last cell is its end: nothing is past it. *)
Definition closed_scan (digits pad : nat) (floors : list Z) (u : Z) : nat * bool :=
  table_scan (filled_up digits pad floors) (fun _ => false) u.

(** F of the last digit, below [base], and of the rest, for weights Q^b. *)
Definition digit_share (Q : R) (base j : nat) : R := if (S j <? base)%nat then (1 - Q ^ S j) / (1 - Q ^ base) else 1.
Definition rest_share (Q : R) (base j : nat) : R := 1 - Q ^ (base * S j).

Section Shares.
Variable Q : R.
Variable base : nat.
Hypothesis Q_unit : 0 < Q < 1.
Hypothesis base_positive : (0 < base)%nat.
Lemma power_falls m : 0 < Q ^ S m < 1.
Proof. split; [apply pow_lt; lra|]. simpl. assert (0 < Q ^ m <= 1); [|nra]. split; [apply pow_lt; lra|]. rewrite <- (pow1 m). apply pow_incr. lra. Qed.
Lemma power_base : 0 < Q ^ base < 1.
Proof. replace base with (S (base - 1)) by lia. apply power_falls. Qed.
Lemma digit_share_spec : 0 <= digit_share Q base 0 /\ (forall j, digit_share Q base j <= digit_share Q base (S j)) /\ is_lim_seq (digit_share Q base) 1.
Proof.
  assert (B := power_base). assert (U : forall j, (S j < base)%nat -> 0 <= (1 - Q ^ S j) / (1 - Q ^ base) <= 1).
  { intros j Hj. assert (P := power_falls j). assert (Q ^ base <= Q ^ S j).
    { replace base with (S j + (base - S j))%nat by lia. rewrite pow_add. assert (0 < Q ^ (base - S j) <= 1); [|nra].
      split; [apply pow_lt; lra|]. rewrite <- (pow1 (base - S j)). apply pow_incr. lra. }
    split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (1 - Q ^ base); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  split; [|split].
  - unfold digit_share. destruct (Nat.ltb_spec 1 base); [apply U; lia|lra].
  - intros j. unfold digit_share. destruct (Nat.ltb_spec (S j) base), (Nat.ltb_spec (S (S j)) base); try lia; try lra; [|apply U; lia].
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]. generalize (power_falls j). simpl. nra.
  - apply is_lim_seq_ext_loc with (fun _ => 1); [|apply is_lim_seq_const]. exists base. intros j Hj. unfold digit_share. destruct (Nat.ltb_spec (S j) base); [lia|auto].
Qed.
Lemma digit_share_cell j : (j < base)%nat -> digit_share Q base j - before (digit_share Q base) j = (1 - Q) * Q ^ j / (1 - Q ^ base).
Proof.
  assert (B := power_base). intros Hj. assert (E : forall i, (i < base)%nat -> digit_share Q base i = (1 - Q ^ S i) / (1 - Q ^ base)).
  { intros i Hi. unfold digit_share. destruct (Nat.ltb_spec (S i) base); auto. replace (S i) with base by lia. field. lra. }
  rewrite E by auto. destruct j as [|j]; unfold before; [|rewrite E by lia]; simpl; field; lra.
Qed.
Lemma rest_share_spec : (forall j, 0 <= rest_share Q base j < 1) /\ (forall j, rest_share Q base j <= rest_share Q base (S j)) /\ is_lim_seq (rest_share Q base) 1
  /\ forall j, rest_share Q base j - before (rest_share Q base) j = (1 - Q ^ base) * Q ^ (base * j).
Proof.
  assert (B := power_base). assert (E : forall j, rest_share Q base j = 1 - (Q ^ base) * (Q ^ base) ^ j) by (intros j; unfold rest_share; rewrite pow_mult; reflexivity).
  assert (P : forall j, 0 < (Q ^ base) ^ j <= 1) by (intros j; split; [apply pow_lt; lra|rewrite <- (pow1 j); apply pow_incr; lra]).
  split; [|split; [|split]].
  - intros j. rewrite E. generalize (P j). nra.
  - intros j. rewrite !E. rewrite <- (tech_pow_Rmult (Q ^ base) j). generalize (P j). intros. set (b := Q ^ base) in *. set (x := b ^ j) in *. assert (0 < b * x) by (apply Rmult_lt_0_compat; lra). nra.
  - apply is_lim_seq_ext with (fun j => 1 - (Q ^ base) * (Q ^ base) ^ j); [intros j; now rewrite E|].
    replace (Finite 1) with (Finite (1 - Q ^ base * 0)) by (f_equal; ring). apply is_lim_seq_minus'; [apply is_lim_seq_const|].
    apply (is_lim_seq_scal_l _ (Q ^ base) (Finite 0)). apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra.
  - intros j. rewrite E, pow_mult. destruct j as [|j]; unfold before; [simpl; ring|]. rewrite E. simpl. ring.
Qed.
End Shares.

Section Laplace.
Variables n d : Z.
Variables digits width places unused step pad pad' base : nat.
Variables low_floors high_floors : list Z.
Variables low_lower low_upper high_lower high_upper : nat -> nat -> Z.
Variable patience : nat -> nat.
Variables (approximation : nat -> Z -> Z) (error : Z).
Variables accept_lower accept_upper : nat -> Z -> nat -> Z.

Definition second_word : Program Z := Bind (bits digits) (fun u => Bind (bits 1) (fun _ => Return u)).
Definition digits_scan (u u' : Z) : nat * bool :=
  let low := closed_scan digits pad low_floors u in let high := open_scan digits pad' high_floors u' in
  ((fst low + base * fst high)%nat, snd low || snd high).
Definition digits_settle (u u' : Z) : Program nat :=
  Bind (settle_table low_lower low_upper patience step digits u) (fun low =>
  Bind (settle_table high_lower high_upper patience step digits u') (fun high => Return (low + base * high)%nat)).

Definition laplace_words : Program (Z * bool * Z * Z * Z) := draw_words (bits digits) second_word places unused width.
Definition laplace_trial : Z * bool * Z * Z * Z -> Trial Z := place_trial digits_scan places width approximation error.
Definition laplace_settle : Z * bool * Z * Z * Z -> Program (option Z) := place_settle digits_settle places width step accept_lower accept_upper.

Let f := laplace_decay n d.
Let w := (2 ^ places)%nat.
Let q := ratio n d.
Let Q := q ^ w.
Let acceptance (bucket : nat) (o : Z) : R := f (bucket * w + Z.to_nat o)%nat / f (bucket * w)%nat.

Theorem fixed_laplace_exact T (settle : Z * bool * Z * Z * Z -> Program (T * option Z)) :
  (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat -> (0 < base)%nat -> (forall length, (length < patience length)%nat) -> (0 <= error)%Z ->
  cells_enclose (digit_share Q base) low_lower low_upper -> cells_enclose (rest_share Q base) high_lower high_upper ->
  are_floors (digit_share Q base) digits low_floors -> length low_floors = (base - 1)%nat -> are_floors (rest_share Q base) digits high_floors ->
  places_enclose places acceptance accept_lower accept_upper ->
  (forall bucket o, approximation bucket o <= 2 ^ Z.of_nat width)%Z ->
  (forall bucket o, (0 <= o < 2 ^ Z.of_nat places)%Z ->
     IZR (approximation bucket o - error) <= acceptance bucket o * 2 ^ width <= IZR (approximation bucket o + error)) ->
  (forall words, same_law (Bind (settle words) (fun settled => Return (snd settled))) (laplace_settle words)) ->
  laplace_law n d (fixed_sampler laplace_words laplace_trial settle)
  /\ total (fixed_step laplace_words laplace_trial settle) = 1
  /\ 1 - retry_share (fixed_step laplace_words laplace_trial settle) = (1 + q) / (1 - q) * (1 - Q) / (2 * INR w).
Proof.
  intros Hn Hd Hs Hbase Hp HE HL HH FL LL FH HA Hword Hnear Hset. assert (He := ratio_bounds n d Hn Hd). fold q in He.
  assert (W : (0 < w)%nat) by (unfold w; generalize (Nat.pow_nonzero 2 places); lia).
  assert (HQ : 0 < Q < 1) by (unfold Q; replace w with (S (w - 1)) by lia; now apply power_falls).
  destruct (digit_share_spec Q base HQ Hbase) as (L0 & LR & LLim). destruct (rest_share_spec Q base HQ Hbase) as (HU & HR & HLim & HCell).
  assert (HL' := HL). assert (HH' := HH). destruct HL as [L1 L2]. destruct HH as [H1 H2]. destruct HA as [A1 A2].
  assert (Fp : forall k, 0 < f k) by (intros k; apply pow_lt; fold q; lra).
  assert (AU : forall bucket o, 0 <= acceptance bucket o <= 1).
  { intros b o. unfold acceptance, f, laplace_decay. fold q. rewrite pow_add. assert (0 < q ^ (b * w)) by (apply pow_lt; lra).
    replace (q ^ (b * w) * q ^ Z.to_nat o / q ^ (b * w)) with (q ^ Z.to_nat o) by (field; lra).
    split; [left; apply pow_lt; lra|rewrite <- (pow1 (Z.to_nat o)); apply pow_incr; lra]. }
  assert (One : digit_share Q base (length low_floors) = 1).
  { rewrite LL. unfold digit_share. replace (S (base - 1)) with base by lia. now rewrite Nat.ltb_irrefl. }
  assert (Second : ranges_over second_word (fun u => 0 <= u < 2 ^ Z.of_nat digits)%Z).
  { intros g h Hg Hh H. unfold second_word. rewrite !expect_bind by auto. apply bits_range; [in_unit_tac|in_unit_tac|]. intros u Hu.
    rewrite !expect_bind by auto. apply expect_ext. intros x. rewrite !expect_return. auto. }
  assert (Scan : forall a b g, (0 <= a < 2 ^ Z.of_nat digits)%Z -> (0 <= b < 2 ^ Z.of_nat digits)%Z -> in_unit g -> snd (digits_scan a b) = false ->
    expect (digits_settle a b) g = g (fst (digits_scan a b))).
  { intros a b g Ha Hb Hg D. unfold digits_scan in *. cbn [fst snd] in *. apply orb_false_elim in D. destruct D as [D1 D2].
    unfold digits_settle. rewrite expect_bind by auto.
    rewrite (table_scan_is_settle (digit_share Q base) L0 LR LLim low_lower low_upper patience step Hs L1 L2 Hp digits pad low_floors (fun _ => false) FL (or_intror One)) by (auto; in_unit_tac).
    rewrite expect_bind by auto.
    rewrite (table_scan_is_settle (rest_share Q base) (proj1 (HU O)) HR HLim high_lower high_upper patience step Hs H1 H2 Hp digits pad' high_floors (Nat.eqb (length high_floors)) FH
      (or_introl (Nat.eqb_refl _))) by (auto; in_unit_tac).
    rewrite expect_return. reflexivity. }
  assert (Near : forall a b o, (0 <= a < 2 ^ Z.of_nat digits)%Z -> (0 <= b < 2 ^ Z.of_nat digits)%Z -> snd (digits_scan a b) = false -> (0 <= o < 2 ^ Z.of_nat places)%Z ->
    let bucket := fst (digits_scan a b) in
    IZR (approximation bucket o - error) <= acceptance bucket o * 2 ^ width <= IZR (approximation bucket o + error)).
  { intros a b o Ha Hb D Ho bucket. now apply Hnear. }
  assert (Score := fun u Hu => place_step_score (bits digits) second_word _ _ (bits_range digits) Second digits_scan digits_settle places unused width step
    approximation error accept_lower accept_upper settle Hset acceptance Hs HE Scan (fun b o _ => AU b o) A1 A2 Near u Hu).
  assert (Sum : is_lim_seq (fun m => sum_below m (fun b => f (b * w)%nat)) (/ (1 - Q))).
  { replace (Finite (/ (1 - Q))) with (Rbar_mult (1 - 0) (/ (1 - Q))) by (simpl; f_equal; lra).
    apply is_lim_seq_ext with (fun m => (1 - Q ^ m) * / (1 - Q)).
    - intros m. rewrite (sum_below_ext _ _ (fun b => Q ^ b)); [rewrite sum_below_geometric by lra; reflexivity|].
      intros b _. unfold f, laplace_decay, Q. fold q. rewrite <- pow_mult. f_equal. lia.
    - apply (is_lim_seq_scal_r _ _ (Finite _)). apply is_lim_seq_minus'; [apply is_lim_seq_const|]. apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra. }
  destruct (place_laplace n d places width step (/ (1 - Q)) accept_lower accept_upper _ _ Hn Hd Hs Sum (conj A1 A2) Score) as (P1 & P2 & P3).
  { intros j. fold w. transitivity ((1 - Q) * Q ^ j).
    2:{ fold f. unfold f, laplace_decay, Q. fold q. rewrite <- pow_mult. rewrite (Nat.mul_comm w j). field. fold Q. lra. }
    set (low := Bind (bits digits) (settle_table low_lower low_upper patience step digits)). set (high := Bind (bits digits) (settle_table high_lower high_upper patience step digits)).
    assert (LowLaw : forall i, probability low (Nat.eqb i) = digit_share Q base i - before (digit_share Q base) i) by (intros i; now apply settled_table_law).
    rewrite <- (memoryless_digits Q base low high HQ Hbase).
    - unfold at_output, probability. change (same j) with (Nat.eqb j). set (at_j := fun l h : nat => indicator (Nat.eqb j) (l + base * h)%nat).
      assert (Hj : forall l h, 0 <= at_j l h <= 1) by (intros; apply indicator_unit).
      transitivity (expect (bits digits) (fun u => expect (settle_table low_lower low_upper patience step digits u) (fun l =>
        expect (bits digits) (fun u' => expect (settle_table high_lower high_upper patience step digits u') (at_j l))))).
      + unfold bucket_program. rewrite expect_bind by auto. apply expect_ext. intros u. rewrite expect_bind by auto. unfold second_word.
        rewrite expect_bind by in_unit_tac.
        transitivity (expect (bits digits) (fun u' => expect (settle_table low_lower low_upper patience step digits u) (fun l =>
          expect (settle_table high_lower high_upper patience step digits u') (at_j l)))); [|apply expect_swap; in_unit_tac].
        apply expect_ext. intros u'. rewrite expect_bind by in_unit_tac.
        rewrite (expect_ext (bits 1) _ (fun _ => expect (digits_settle u u') (indicator (Nat.eqb j)))) by (intros x; apply expect_return).
        rewrite bits_const by in_unit_tac. unfold digits_settle. rewrite expect_bind by auto. apply expect_ext. intros l. rewrite expect_bind by auto.
        apply expect_ext. intros h. rewrite expect_return. reflexivity.
      + rewrite expect_bind by auto. unfold low. rewrite expect_bind by in_unit_tac. apply expect_ext. intros u. apply expect_ext. intros l.
        rewrite expect_bind by auto. unfold high. rewrite expect_bind by in_unit_tac. apply expect_ext. intros u'. apply expect_ext. intros h. now rewrite expect_return.
    - unfold low. rewrite total_expect, expect_bind by auto.
      assert (Tot := lazy_inversion_total (digit_share Q base) L0 LR LLim low_lower low_upper patience digits step Hs L1 L2 Hp).
      etransitivity; [|exact Tot]. rewrite total_expect. unfold invert. rewrite expect_bind by auto. apply bits_ext; [in_unit_tac; lra|in_unit_tac; lra|]. intros u Hu.
      rewrite <- !total_expect. now apply (settled_table_total (digit_share Q base)).
    - intros i Hi. unfold at_output. change (same i) with (Nat.eqb i). rewrite LowLaw. now apply digit_share_cell.
    - intros i. unfold at_output. change (same i) with (Nat.eqb i). unfold high. rewrite (settled_table_law (rest_share Q base)) by (auto; apply HU). apply HCell. }
  split; [exact P1|split; [exact P2|]]. etransitivity; [exact P3|]. fold q w.
  assert (0 < INR w) by (apply lt_0_INR; lia). field. repeat split; lra.
Qed.

(** How often the words of a trial do not decide. *)
Theorem fixed_laplace_ambiguity : (0 < step)%nat -> (0 <= error)%Z -> 0 < Q < 1 -> (0 < base)%nat ->
  are_floors (digit_share Q base) digits low_floors -> length low_floors = (base - 1)%nat -> are_floors (rest_share Q base) digits high_floors ->
  (forall bucket o, approximation bucket o <= 2 ^ Z.of_nat width)%Z ->
  ambiguity laplace_words laplace_trial
  <= (INR (length low_floors) + 1) / 2 ^ digits
     + (INR (length high_floors) + IZR (2 ^ Z.of_nat digits - 1 - last high_floors (-1)%Z)) / 2 ^ digits + IZR (2 * error) / 2 ^ width.
Proof.
  intros Hs HE HQ Hbase FL LL FH Hword. destruct (rest_share_spec Q base HQ Hbase) as (HU & _). assert (B := power_base Q base HQ Hbase).
  apply (place_ambiguity (bits digits) second_word digits_scan places unused width step approximation error Hs HE).
  - intros b o. generalize (Hword b o). lia.
  - assert (Am := table_ambiguity digits pad' high_floors (Nat.eqb (length high_floors)) ltac:(intros j Hj; apply Nat.eqb_neq; auto) (floors_are_words _ digits high_floors FH HU)).
    unfold beyond_words in Am. rewrite Nat.eqb_refl in Am.
    assert (Words : forall t, In t low_floors -> (0 <= t <= 2 ^ Z.of_nat digits - 1)%Z).
    { apply (floors_are_words (fun j => (1 - Q ^ S (Nat.min j (base - 2))) / (1 - Q ^ base) * (if (base <=? 1)%nat then 0 else 1)) digits low_floors).
      - intros j Hj. specialize (FL j Hj). unfold digit_share in FL. replace (S j <? base)%nat with true in FL by (symmetry; apply Nat.ltb_lt; lia).
        replace (base <=? 1)%nat with false by (symmetry; apply Nat.leb_gt; lia). rewrite Rmult_1_r. replace (Nat.min j (base - 2)) with j by lia. exact FL.
      - intros j. destruct (Nat.leb_spec base 1); [rewrite Rmult_0_r; lra|]. rewrite Rmult_1_r. set (m := Nat.min j (base - 2)). assert (P := power_falls Q HQ m).
        assert (Q ^ base < Q ^ S m).
        { replace base with (S m + S (base - S m - 1))%nat by lia. rewrite pow_add. generalize (power_falls Q HQ (base - S m - 1)). nra. }
        split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
        apply Rmult_lt_reg_r with (1 - Q ^ base); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (Am' := table_ambiguity digits pad low_floors (fun _ => false) ltac:(auto) Words). unfold beyond_words in Am'.
    eapply Rle_trans; [|apply Rplus_le_compat; [exact Am'|exact Am]].
    set (high := probability (bits digits) _ : R) at 2. unfold probability.
    rewrite <- (Rmult_1_l (expect (bits digits) (indicator (fun u => snd (table_scan (low_floors ++ repeat _ _) _ u))))).
    apply expect_affine; [in_unit_tac; destruct (snd _); lra|auto|lra|apply expect_unit; auto|]. intros u.
    set (x := indicator (fun u => snd (table_scan (low_floors ++ repeat (2 ^ Z.of_nat digits - 1)%Z (S pad)) (fun _ => false) u)) u).
    assert (X : 0 <= x <= 1) by apply indicator_unit. unfold second_word. rewrite expect_bind by (in_unit_tac; destruct (snd _); lra).
    apply Rle_trans with (1 * expect (bits digits) (indicator (fun u => snd (open_scan digits pad' high_floors u))) + x); [|unfold high, probability, open_scan, filled_up; lra].
    apply expect_affine; [in_unit_tac; destruct (snd _); lra|auto|lra|lra|]. intros u'. rewrite expect_bind by (in_unit_tac; destruct (snd _); lra).
    rewrite (expect_ext (bits 1) _ (fun _ => if snd (digits_scan u u') then 1 else 0)) by (intros; apply expect_return). rewrite bits_const by (destruct (snd _); lra).
    unfold digits_scan, x, indicator, closed_scan, filled_up. cbn [snd]. destruct (snd (table_scan (low_floors ++ _) _ u)), (snd (open_scan digits pad' high_floors u')); simpl; lra.
Qed.
End Laplace.
