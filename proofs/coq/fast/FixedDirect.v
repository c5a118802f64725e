(** [Direct] of [src/sample/fixed/shape.rs]: narrow noise. One word: digits of a uniform number that a table
    of magnitudes inverts, and the sign. Zero has both signs, and every trial is accepted. *)
Require Import Reals Lra Lia List Arith ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model FiniteSums IntegerSums Uniform Bernoulli Geometric Laplace Gaussian.
From Certus.privacy Require Import Transfer.
From Certus.fast Require Import LazyInversion LazyCoin Buckets Table FixedWork TraceCost FixedTable FixedCoin FixedPlace FixedBuckets FixedGaussian.
Import ListNotations.
Open Scope R_scope.

Section Direct.
Variables digits step pad : nat.
Variable floors : list Z.
Variables lower upper : nat -> nat -> Z.
Variable patience : nat -> nat.

Definition direct_words : Program (Z * bool) := Bind (bits digits) (fun u => Bind Bit (fun negative => Return (u, negative))).
Definition with_sign (magnitude : nat) (negative : bool) : Z := if negative then (- Z.of_nat magnitude)%Z else Z.of_nat magnitude.
Definition direct_trial (words : Z * bool) : Trial Z :=
  let scanned := open_scan digits pad floors (fst words) in found (with_sign (fst scanned) (snd words)) true (snd scanned).
Definition direct_settle (words : Z * bool) : Program (option Z) :=
  Bind (settle_table lower upper patience step digits (fst words)) (fun magnitude => Return (Some (with_sign magnitude (snd words)))).

(** G(j) = P(|y| <= j). *)
Variable G : nat -> R.
Hypothesis G_unit : forall j, 0 <= G j < 1.
Hypothesis G_rises : forall j, G j <= G (S j).
Hypothesis G_limit : is_lim_seq G 1.
Hypothesis step_positive : (0 < step)%nat.
Hypothesis encloses : cells_enclose G lower upper.
Hypothesis floors_are : are_floors G digits floors.
Hypothesis patient : forall length, (length < patience length)%nat.

Section Law.
Context {T : Type}.
Variable settle : Z * bool -> Program (T * option Z).
Hypothesis settle_is : forall words, same_law (Bind (settle words) (fun settled => Return (snd settled))) (direct_settle words).

(** The sampler is [table], of [Table.v], in every score; its one trial is accepted; and it is ambiguous as
    seldom as its table says. *)
Theorem direct_is_table :
  same_law (fixed_sampler direct_words direct_trial settle) (table lower upper patience digits step)
  /\ total (fixed_step direct_words direct_trial settle) = 1 /\ retry_share (fixed_step direct_words direct_trial settle) = 0
  /\ ambiguity direct_words direct_trial <= (INR (length floors) + IZR (2 ^ Z.of_nat digits - 1 - last floors (-1)%Z)) / 2 ^ digits.
Proof.
  destruct encloses as [E1 E2].
  assert (Score : forall u, in_unit u -> expect (fixed_step direct_words direct_trial settle) u = expect (table lower upper patience digits step) (fun y => u (Break y))).
  { intros u Hu. rewrite (step_settles _ _ _ _ _ _ direct_settle) by auto.
    assert (Hb : in_unit (fun y => u (Break y))) by (intros y; apply Hu). assert (Hf : in_unit (fun found : option Z => u (flow_of found))) by (intros y; apply Hu).
    set (decided := fun words => _). assert (Hd : in_unit decided) by (intros words; unfold decided; destruct (ambiguous _); auto; in_unit_tac).
    unfold direct_words, table. rewrite !expect_bind by auto. apply bits_ext; [in_unit_tac|in_unit_tac|]. intros x Hx.
    rewrite !expect_bind by auto. apply expect_ext. intros negative. rewrite expect_return, expect_bind by auto. unfold decided.
    set (h := fun magnitude => u (Break (with_sign magnitude negative))). assert (Hh : in_unit h) by (intros m; apply Hu).
    transitivity (expect (settle_table lower upper patience step digits x) h).
    - cbn [direct_trial ambiguous accepts candidate fst snd]. destruct (snd (open_scan digits pad floors x)) eqn:D.
      + unfold direct_settle. rewrite expect_bind by auto. apply expect_ext. intros m. now rewrite expect_return.
      + symmetry. apply (table_scan_is_settle G (proj1 (G_unit O)) G_rises G_limit lower upper patience step step_positive E1 E2 patient digits pad floors
          (Nat.eqb (length floors)) floors_are (or_introl (Nat.eqb_refl _)) x h Hh Hx D).
    - rewrite (settle_exact G), <- (invert_from_exact G (proj1 (G_unit O)) G_rises G_limit lower upper patience step) by (auto; try apply G_unit; lia).
      apply expect_ext. intros m. now rewrite expect_return. }
  assert (R : retry_share (fixed_step direct_words direct_trial settle) = 0) by (unfold retry_share; rewrite Score by auto; apply expect_zero).
  split; [|split; [|split]].
  - intros g Hg. unfold fixed_sampler. rewrite expect_retry by (auto; lra). rewrite R. unfold accepted. rewrite Score by auto. rewrite Rminus_0_r. unfold Rdiv. rewrite Rinv_1, Rmult_1_r. reflexivity.
  - rewrite total_expect, Score by auto. apply (table_total G); auto; apply G_unit.
  - exact R.
  - assert (Am := table_ambiguity digits pad floors (Nat.eqb (length floors)) ltac:(intros j Hj; apply Nat.eqb_neq; auto) (floors_are_words G digits floors floors_are G_unit)).
    unfold beyond_words in Am. rewrite Nat.eqb_refl in Am. eapply Rle_trans; [|exact Am]. right. unfold ambiguity, probability, direct_words.
    rewrite expect_bind by auto. apply expect_ext. intros u. rewrite expect_bind by auto.
    rewrite (expect_ext Bit _ (fun _ => indicator (fun u => snd (open_scan digits pad floors u)) u)); [rewrite expect_bit; transitivity (indicator (fun u => snd (open_scan digits pad floors u)) u); [lra|reflexivity]|].
    intros negative. now rewrite expect_return.
Qed.
End Law.
End Direct.

(** ** The shipped laws: with G(j) = P(|y| <= j) of the reference *)
Lemma up_to_unit f : (forall y, 0 < f y) -> is_lim_seq (fun N => sum_within N f) 1 ->
  (forall j, 0 <= up_to f j < 1) /\ (forall j, up_to f j <= up_to f (S j)) /\ is_lim_seq (up_to f) 1.
Proof.
  intros F0 FL.
  assert (Step : forall j, up_to f (S j) = up_to f j + (f (Z.of_nat (S j)) + f (- Z.of_nat (S j))%Z)) by (intros j; unfold up_to; rewrite sum_below_S; lra).
  assert (GR : forall j, up_to f j < up_to f (S j)) by (intros j; rewrite Step; generalize (F0 (Z.of_nat (S j))) (F0 (- Z.of_nat (S j))%Z); lra).
  assert (GR' : forall j, up_to f j <= up_to f (S j)) by (intros j; left; apply GR).
  assert (GL : is_lim_seq (up_to f) 1).
  { apply is_lim_seq_le_le with (fun N => sum_within N f) (fun N => sum_within (S N) f); [|exact FL|exact (proj1 (is_lim_seq_incr_1 (fun N => sum_within N f) _) FL)].
    intros j. rewrite up_to_within. unfold sum_within. rewrite !sum_below_S. generalize (F0 (Z.of_nat j)) (F0 (-1 - Z.of_nat j)%Z). lra. }
  split; [|auto]. intros j. split.
  - induction j; [unfold up_to; simpl; generalize (F0 0%Z); lra|generalize (GR j); lra].
  - apply Rlt_le_trans with (up_to f (S j)); auto. now apply (is_lim_seq_incr_compare (up_to f)).
Qed.

Theorem fixed_direct_gaussian_exact n d digits step pad floors lower upper patience T (settle : Z * bool -> Program (T * option Z)) :
  (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat -> (forall length, (length < patience length)%nat) ->
  let G := up_to (fun y => gaussian_weight n d y / gaussian_normaliser n d) in
  cells_enclose G lower upper -> are_floors G digits floors ->
  (forall words, same_law (Bind (settle words) (fun settled => Return (snd settled))) (direct_settle digits step lower upper patience words)) ->
  gaussian_law n d (fixed_sampler (direct_words digits) (direct_trial digits pad floors) settle).
Proof.
  intros Hn Hd Hs Hp G HC HF HS. destruct (gaussian_normaliser_is_sum n d Hn Hd) as [_ Z0].
  destruct (up_to_unit (fun y => gaussian_weight n d y / gaussian_normaliser n d)) as (U & R & L).
  - intros y. apply Rdiv_lt_0_compat; auto. apply exp_pos.
  - rewrite <- (gaussian_total n d) by auto. eapply is_lim_seq_ext; [|apply total_is_sum]. intros N. unfold sum_within.
    f_equal; apply sum_below_ext; intros i _; now apply gaussian_probability.
  - destruct (direct_is_table digits step pad floors lower upper patience G U R L Hs HC HF Hp settle HS) as [D _].
    intros g Hg. rewrite (D g Hg). apply (outputs_decide_the_law Z _); auto. intros y. unfold at_output. change (same y) with (Z.eqb y).
    destruct HC as [C1 C2]. destruct (tabled_gaussian_exact n d lower upper patience digits step Hn Hd Hs Hp C1 C2) as [P _].
    now rewrite P, gaussian_probability.
Qed.
Theorem fixed_direct_laplace_exact n d digits step pad floors lower upper patience T (settle : Z * bool -> Program (T * option Z)) :
  (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat -> (forall length, (length < patience length)%nat) ->
  let G := up_to (fun y => probability (laplace n d) (Z.eqb y)) in
  cells_enclose G lower upper -> are_floors G digits floors ->
  (forall words, same_law (Bind (settle words) (fun settled => Return (snd settled))) (direct_settle digits step lower upper patience words)) ->
  laplace_law n d (fixed_sampler (direct_words digits) (direct_trial digits pad floors) settle).
Proof.
  intros Hn Hd Hs Hp G HC HF HS.
  destruct (up_to_unit (fun y => probability (laplace n d) (Z.eqb y))) as (U & R & L).
  - intros y. rewrite laplace_probability by auto. assert (He := ratio_bounds n d Hn Hd).
    apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply exp_pos].
  - rewrite <- (laplace_total n d) by auto. apply total_is_sum.
  - destruct (direct_is_table digits step pad floors lower upper patience G U R L Hs HC HF Hp settle HS) as [D _].
    intros g Hg. rewrite (D g Hg). apply (outputs_decide_the_law Z _); auto. intros y. unfold at_output. change (same y) with (Z.eqb y).
    destruct HC as [C1 C2]. destruct (tabled_laplace_exact n d lower upper patience digits step Hn Hd Hs Hp C1 C2) as [P _].
    now rewrite P.
Qed.
