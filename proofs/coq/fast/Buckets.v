(** Buckets under an envelope, [src/sample/prepared/wide.rs]: noise too wide for a table.

    The magnitude k >= 0 has weight f(k), which does not rise. Bucket b holds k = b·w, …, b·w + w - 1, with w = 2^offset. A trial draws b with
    probability f(b·w)/Σ f(b·w) by lazy inversion, a place o below w, and accepts with f(b·w + o)/f(b·w) by a lazy coin; a sign; a negative zero is
    rejected. All first bits are in one word, in this order: of b's real, of the coin's real, of o, the sign. Where they do not fit, [low] bits of o and the
    sign begin a second word, whose other bits are [unused]. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums IntegerSums Uniform Bernoulli Geometric Gaussian Laplace.
From Certus.semantics Require Import ListSums.
From Certus.privacy Require Import Theta.
From Certus.fast Require Import LazyInversion LazyCoin TrialCount.
Open Scope R_scope.

(** ** The trial *)
Section Trial.
Variables bucket_lower bucket_upper : nat -> nat -> Z.
Variable patience : nat -> nat.
(** The enclosures of the acceptance of place o in bucket b: at [squeeze] bits, what is accepted whatever o is; later, tighter ones. *)
Variables accept_lower accept_upper : nat -> Z -> nat -> Z.
Variables prefix high squeeze low unused refill : nat.

Definition place_of (o_high o_low : Z) : Z := (o_high * 2 ^ Z.of_nat low + o_low)%Z.
Definition magnitude_of (b : nat) (o : Z) : Z := (Z.of_nat b * 2 ^ Z.of_nat (high + low) + o)%Z.

Definition bucket_trial : Program (Flow unit Z) :=
  Bind (bits prefix) (fun u =>
  Bind (bits squeeze) (fun v =>
  Bind (bits high) (fun o_high =>
  Bind (bits low) (fun o_low =>
  Bind Bit (fun negative =>
  Bind (bits unused) (fun _ =>
  Bind (invert_from bucket_lower bucket_upper patience refill prefix u) (fun b =>
  let o := place_of o_high o_low in
  Bind (below (accept_lower b o) (accept_upper b o) refill squeeze v) (fun accept =>
  let k := magnitude_of b o in
  Return (if accept then if negative then if (k =? 0)%Z then Continue tt else Break (- k)%Z else Break k else Continue tt))))))))).

Definition bucket_sampler : Program Z := Loop (fun _ : unit => bucket_trial) tt.
End Trial.

(** Independent draws may be taken in either order. *)
Lemma bit_commutes A (q : Program A) (F : bool -> A -> R) : (forall b, in_unit (F b)) ->
  expect Bit (fun b => expect q (F b)) = expect q (fun a => expect Bit (fun b => F b a)).
Proof.
  intros H. rewrite expect_bit. replace ((expect q (F true) + expect q (F false)) / 2) with (1/2 * expect q (F true) + 1/2 * expect q (F false)) by lra.
  rewrite <- expect_lin by auto. apply expect_ext. intros a. rewrite expect_bit. lra.
Qed.
Lemma bits_commute A (q : Program A) k : forall F : Z -> A -> R, (forall i, in_unit (F i)) ->
  expect (bits k) (fun i => expect q (F i)) = expect q (fun a => expect (bits k) (fun i => F i a)).
Proof.
  induction k as [|k IH]; intros F H; cbn [bits].
  - rewrite expect_return. apply expect_ext. intros a. now rewrite expect_return.
  - rewrite expect_bind by (intros i; apply expect_unit; auto).
    rewrite (expect_ext Bit _ (fun b => expect q (fun a => expect (bits k) (fun r => F (Z.b2z b * 2 ^ Z.of_nat k + r)%Z a)))).
    + rewrite bit_commutes by (intros b a; apply expect_unit; intros r; apply H).
      apply expect_ext. intros a. rewrite expect_bind by (intros i; apply H). apply expect_ext. intros b.
      rewrite expect_bind by (intros i; apply H). apply expect_ext. intros r. now rewrite expect_return.
    + intros b. rewrite expect_bind by (intros i; apply expect_unit; auto).
      rewrite <- IH by (intros r; apply H). apply expect_ext. intros r. now rewrite expect_return.
Qed.

(** The bucket first, then the place, the sign and the coin's real. *)
Lemma reorder (inv : Program nat) (rest : nat -> Z -> Z -> bool -> R) (place : Z -> Z -> Z) high squeeze low unused :
  (forall b o v n, 0 <= rest b o v n <= 1) ->
  expect (bits squeeze) (fun v => expect (bits high) (fun o_high => expect (bits low) (fun o_low => expect Bit (fun n =>
    expect (bits unused) (fun _ => expect inv (fun b => rest b (place o_high o_low) v n))))))
  = expect inv (fun b => expect (bits high) (fun o_high => expect (bits low) (fun o_low => expect Bit (fun n =>
      expect (bits squeeze) (fun v => rest b (place o_high o_low) v n))))).
Proof.
  intros Hr. assert (U : forall X (m : Program X) h, in_unit h -> 0 <= expect m h <= 1) by (intros; now apply expect_unit).
  rewrite bits_commute by (intros v o_high; repeat (apply U; intros ?; cbv beta); apply Hr).
  rewrite <- (bits_commute _ inv) by (intros o_high b; repeat (apply U; intros ?; cbv beta); apply Hr).
  apply expect_ext. intros o_high.
  transitivity (expect (bits squeeze) (fun v => expect inv (fun b => expect (bits low) (fun o_low => expect Bit (fun n => rest b (place o_high o_low) v n))))).
  2:{ rewrite bits_commute by (intros v b; repeat (apply U; intros ?; cbv beta); apply Hr). apply expect_ext. intros b.
      rewrite bits_commute by (intros v o_low; repeat (apply U; intros ?; cbv beta); apply Hr). apply expect_ext. intros o_low.
      rewrite bits_commute by (intros v n; apply Hr). reflexivity. }
  apply expect_ext. intros v.
  transitivity (expect (bits low) (fun o_low => expect inv (fun b => expect Bit (fun n => rest b (place o_high o_low) v n)))).
  2:{ apply bits_commute. intros o_low b. apply U. intros n. apply Hr. }
  apply expect_ext. intros o_low.
  transitivity (expect Bit (fun n => expect inv (fun b => rest b (place o_high o_low) v n))).
  2:{ apply bit_commutes. intros n b. apply Hr. }
  apply expect_ext. intros n.
  rewrite expect_bits by (intros i; apply U; intros b; apply Hr). rewrite sum_below_const, pow_INR. change (INR 2) with 2. field. apply pow_nonzero. lra.
Qed.

(** ** Exactness *)
Section Exact.
(** The weights, and their sum over the buckets. *)
Variable f : nat -> R.
Hypothesis f_positive : forall k, 0 < f k.
Hypothesis f_falls : forall j k, (j <= k)%nat -> f k <= f j.
Variables prefix high squeeze low unused refill : nat.
Let w := (2 ^ (high + low))%nat.
Variable bucket_total : R.
Hypothesis bucket_sum : is_lim_seq (fun n => sum_below n (fun b => f (b * w)%nat)) bucket_total.
Hypothesis refill_positive : (0 < refill)%nat.

(** Enclosures of the buckets' cumulative probabilities. *)
Let G (b : nat) := sum_below (S b) (fun b => f (b * w)%nat) / bucket_total.
Variables bucket_lower bucket_upper : nat -> nat -> Z.
Variable patience : nat -> nat.
Hypothesis bucket_encloses : forall b length, IZR (bucket_lower b length) <= G b * 2 ^ length <= IZR (bucket_upper b length).
Hypothesis bucket_tightens : forall b, exists units, forall length, IZR (bucket_upper b length) - IZR (bucket_lower b length) <= units.
Hypothesis patient : forall length, (length < patience length)%nat.

(** Enclosures of the acceptance probabilities. *)
Let acceptance (b : nat) (o : Z) := f (b * w + Z.to_nat o)%nat / f (b * w)%nat.
Variables accept_lower accept_upper : nat -> Z -> nat -> Z.
Hypothesis accept_encloses : forall b o length, (0 <= o < Z.of_nat w)%Z ->
  IZR (accept_lower b o length) <= acceptance b o * 2 ^ length <= IZR (accept_upper b o length).
Hypothesis accept_tightens : forall b o, (0 <= o < Z.of_nat w)%Z ->
  exists units, forall length, IZR (accept_upper b o length) - IZR (accept_lower b o length) <= units.

Let trial := bucket_trial bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill.
Let sampler := bucket_sampler bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill.

Lemma bucket_total_positive : 0 < bucket_total.
Proof.
  apply Rlt_le_trans with (sum_below 1 (fun b => f (b * w)%nat)); [simpl; generalize (f_positive 0); lra|].
  apply (is_lim_seq_incr_compare (fun n => sum_below n (fun b => f (b * w)%nat))); auto.
  intros n. simpl. generalize (f_positive (n * w)). lra.
Qed.
Lemma acceptance_unit b o : 0 < acceptance b o <= 1.
Proof.
  unfold acceptance. generalize (f_positive (b * w)) (f_positive (b * w + Z.to_nat o)) (f_falls (b * w) (b * w + Z.to_nat o) ltac:(lia)). intros.
  split; [now apply Rdiv_lt_0_compat|]. apply Rmult_le_reg_r with (f (b * w)%nat); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** The score of one accepted magnitude, and of a rejection. *)
Let either (c : R) (g : Z -> R) (k : Z) := ((if (k =? 0)%Z then c else g (- k)%Z) + g k) / 2.
Let in_bucket (c : R) (g : Z -> R) (b : nat) :=
  sum_below w (fun o => let k := Z.of_nat (b * w + o) in acceptance b (Z.of_nat o) * either c g k + (1 - acceptance b (Z.of_nat o)) * c) / INR w.

Lemma w_positive : (0 < w)%nat. Proof. unfold w. generalize (Nat.pow_nonzero 2 (high + low)). lia. Qed.
Lemma w_real : INR w = 2 ^ (high + low).
Proof. unfold w. rewrite pow_INR. reflexivity. Qed.

Lemma expect_trial c g : 0 <= c <= 1 -> in_unit g ->
  is_lim_seq (fun n => sum_below n (fun b => f (b * w)%nat / bucket_total * in_bucket c g b)) (expect trial (on_flow (fun _ => c) g)).
Proof.
  intros Hc Hg. set (score := on_flow (fun _ : unit => c) g).
  assert (Hs : in_unit score) by (intros [[]|y]; simpl; auto).
  assert (U : forall X (m : Program X) h, in_unit h -> 0 <= expect m h <= 1) by (intros; now apply expect_unit).
  (* what follows the bucket and the place, given V's first bits *)
  set (rest := fun (b : nat) (o v : Z) (negative : bool) => expect (below (accept_lower b o) (accept_upper b o) refill squeeze v) (fun accept =>
    score (let k := magnitude_of high low b o in if accept then if negative then if (k =? 0)%Z then Continue tt else Break (- k)%Z else Break k else Continue tt))).
  assert (Hr : forall b o v n, 0 <= rest b o v n <= 1) by (intros; apply U; intros x; apply Hs).
  assert (E : expect trial score = expect (invert bucket_lower bucket_upper patience prefix refill) (fun b =>
    expect (bits high) (fun o_high => expect (bits low) (fun o_low => expect Bit (fun negative =>
      expect (bits squeeze) (fun v => rest b (place_of low o_high o_low) v negative)))))).
  { assert (Re := fun inv => reorder inv rest (place_of low) high squeeze low unused Hr).
    assert (Hh : in_unit (fun b => expect (bits high) (fun o_high => expect (bits low) (fun o_low => expect Bit (fun negative =>
      expect (bits squeeze) (fun v => rest b (place_of low o_high o_low) v negative)))))).
    { intros b. apply U. intros ?. apply U. intros ?. apply U. intros ?. apply U. intros ?. apply Hr. }
    unfold invert. rewrite (expect_bind _ _ Hh). unfold trial, bucket_trial. rewrite expect_bind by auto. apply expect_ext. intros u.
    rewrite <- Re. rewrite expect_bind by auto. apply expect_ext. intros v. rewrite expect_bind by auto. apply expect_ext. intros o_high.
    rewrite expect_bind by auto. apply expect_ext. intros o_low. rewrite expect_bind by auto. apply expect_ext. intros negative.
    rewrite expect_bind by auto. apply expect_ext. intros x. rewrite expect_bind by auto. apply expect_ext. intros b. cbv zeta.
    rewrite expect_bind by auto. unfold rest. apply expect_ext. intros accept. rewrite expect_return. reflexivity. }
  (* The coin is a coin, and the place is uniform: what a bucket scores. *)
  assert (B : forall b, expect (bits high) (fun o_high => expect (bits low) (fun o_low => expect Bit (fun negative =>
      expect (bits squeeze) (fun v => rest b (place_of low o_high o_low) v negative)))) = in_bucket c g b).
  { intros b. set (at_place := fun o : nat => let k := Z.of_nat (b * w + o) in acceptance b (Z.of_nat o) * either c g k + (1 - acceptance b (Z.of_nat o)) * c).
    assert (P : forall o : nat, (o < w)%nat -> expect Bit (fun negative => expect (bits squeeze) (fun v => rest b (Z.of_nat o) v negative)) = at_place o).
    { intros o Ho. assert (Hu := acceptance_unit b (Z.of_nat o)).
      assert (Coin := lazy_coin_exact (accept_lower b (Z.of_nat o)) (accept_upper b (Z.of_nat o)) refill (acceptance b (Z.of_nat o)) ltac:(lra) refill_positive
        (fun length => accept_encloses b (Z.of_nat o) length ltac:(lia)) (accept_tightens b (Z.of_nat o) ltac:(lia)) squeeze).
      assert (R : forall negative, expect (bits squeeze) (fun v => rest b (Z.of_nat o) v negative)
        = acceptance b (Z.of_nat o) * score (let k := magnitude_of high low b (Z.of_nat o) in if negative then if (k =? 0)%Z then Continue tt else Break (- k)%Z else Break k)
          + (1 - acceptance b (Z.of_nat o)) * score (Continue tt)).
      { intros negative. unfold lazy_coin in Coin. specialize (Coin (fun accept : bool => score (let k := magnitude_of high low b (Z.of_nat o) in
          if accept then if negative then if (k =? 0)%Z then Continue tt else Break (- k)%Z else Break k else Continue tt)) ltac:(intros x; apply Hs)).
        rewrite expect_bind in Coin by (intros x; apply Hs). exact Coin. }
      rewrite expect_bit, !R. unfold at_place, either. cbv zeta.
      replace (magnitude_of high low b (Z.of_nat o)) with (Z.of_nat (b * w + o)).
      2:{ unfold magnitude_of, w. rewrite Nat2Z.inj_add, Nat2Z.inj_mul, Nat2Z.inj_pow. reflexivity. }
      destruct (Z.of_nat (b * w + o) =? 0)%Z; simpl score; lra. }
    assert (Hu : forall o_high, in_unit (fun o_low => expect Bit (fun negative => expect (bits squeeze) (fun v => rest b (place_of low o_high o_low) v negative)))).
    { intros o_high o_low. apply U. intros ?. apply U. intros ?. apply Hr. }
    rewrite expect_bits by (intros o_high; apply U; apply Hu).
    unfold in_bucket. fold at_place. rewrite w_real, pow_add.
    rewrite (sum_below_ext (2 ^ high) _ (fun i => / 2 ^ low * sum_below (2 ^ low) (fun j => at_place (i * 2 ^ low + j)%nat))).
    - rewrite sum_below_scal, <- sum_below_block. unfold w. rewrite Nat.pow_add_r. field. split; apply pow_nonzero; lra.
    - intros i Hi. rewrite expect_bits by apply Hu. unfold Rdiv. rewrite Rmult_comm. f_equal. apply sum_below_ext. intros j Hj. rewrite <- P.
      + replace (place_of low (Z.of_nat i) (Z.of_nat j)) with (Z.of_nat (i * 2 ^ low + j)); [reflexivity|].
        unfold place_of. rewrite Nat2Z.inj_add, Nat2Z.inj_mul, Nat2Z.inj_pow. reflexivity.
      + unfold w. rewrite Nat.pow_add_r. nia. }
  rewrite E, (expect_ext _ _ (in_bucket c g) B).
  assert (T := bucket_total_positive).
  assert (Hi : in_unit (in_bucket c g)).
  { intros b. rewrite <- B. apply U. intros ?. apply U. intros ?. apply U. intros ?. apply U. intros ?. apply Hr. }
  assert (L := lazy_inversion_exact G).
  lapply L; [clear L; intros L|unfold G; apply Rmult_le_pos; [simpl; generalize (f_positive 0); lra|left; now apply Rinv_0_lt_compat]].
  lapply L; [clear L; intros L|].
  2:{ intros j. unfold G. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. rewrite (sum_below_S (S j)). generalize (f_positive (S j * w)). lra. }
  lapply L; [clear L; intros L|].
  2:{ unfold G. replace (Finite 1) with (Rbar_mult bucket_total (/ bucket_total)) by (simpl; f_equal; field; lra).
      apply is_lim_seq_scal_r. now apply (is_lim_seq_incr_1 (fun n => sum_below n (fun b => f (b * w)%nat))). }
  specialize (L bucket_lower bucket_upper patience prefix refill refill_positive bucket_encloses bucket_tightens patient (in_bucket c g) Hi).
  eapply is_lim_seq_ext; [|exact L]. intros n. apply sum_below_ext. intros b _. f_equal.
  unfold G. destruct b as [|b]; [simpl; field; lra|]. unfold before. rewrite (sum_below_S (S b)). field. lra.
Qed.

(** One trial accepts y with probability f(|y|)/(2·w·Σ f(b·w)). *)
Lemma trial_accepts y : accepted trial (indicator (Z.eqb y)) = / (2 * INR w * bucket_total) * f (Z.abs_nat y).
Proof.
  assert (L := expect_trial 0 (indicator (Z.eqb y)) ltac:(lra) ltac:(auto)). fold (accepted trial (indicator (Z.eqb y))) in L.
  assert (W := w_positive). assert (W' : 0 < INR w) by (apply lt_0_INR; lia). assert (T := bucket_total_positive).
  set (k := Z.abs_nat y) in *. set (b0 := (k / w)%nat). set (o0 := (k mod w)%nat).
  assert (K : k = (b0 * w + o0)%nat) by (unfold b0, o0; rewrite Nat.mul_comm; apply Nat.div_mod; lia).
  assert (O : (o0 < w)%nat) by (apply Nat.mod_upper_bound; lia).
  assert (Ei : forall i : nat, either 0 (indicator (Z.eqb y)) (Z.of_nat i) = if (i =? k)%nat then 1 / 2 else 0).
  { intros i. unfold either, indicator, k. destruct (Nat.eqb_spec i (Z.abs_nat y)), (Z.eqb_spec (Z.of_nat i) 0),
      (Z.eqb_spec y (- Z.of_nat i)), (Z.eqb_spec y (Z.of_nat i)); try lra; lia. }
  assert (In : forall b, in_bucket 0 (indicator (Z.eqb y)) b = if (b =? b0)%nat then acceptance b0 (Z.of_nat o0) / 2 / INR w else 0).
  { intros b. unfold in_bucket. cbv zeta. destruct (Nat.eqb_spec b b0) as [->|N].
    - rewrite (sum_below_single _ o0).
      + replace (o0 <? w)%nat with true by (symmetry; apply Nat.ltb_lt; lia). rewrite Ei, <- K, Nat.eqb_refl. f_equal. lra.
      + intros i Hi. rewrite Ei. destruct (Nat.eqb_spec (b0 * w + i) k); [lia|lra].
    - rewrite (sum_below_ext _ _ (fun _ => 0)); [rewrite sum_below_const; unfold Rdiv; lra|].
      intros i Hi. rewrite Ei. destruct (Nat.eqb_spec (b * w + i) k) as [Q|]; [|lra]. exfalso. apply N.
      unfold b0. rewrite <- Q. symmetry. rewrite Nat.div_add_l, Nat.div_small by lia. lia. }
  assert (L2 : is_lim_seq (fun n => sum_below n (fun b => f (b * w)%nat / bucket_total * in_bucket 0 (indicator (Z.eqb y)) b))
                 (f (b0 * w)%nat / bucket_total * (acceptance b0 (Z.of_nat o0) / 2 / INR w))).
  { apply is_lim_seq_ext_loc with (fun _ => f (b0 * w)%nat / bucket_total * (acceptance b0 (Z.of_nat o0) / 2 / INR w)); [|apply is_lim_seq_const].
    exists (S b0). intros n Hn. rewrite (sum_below_single _ b0).
    - replace (b0 <? n)%nat with true by (symmetry; apply Nat.ltb_lt; lia). now rewrite In, Nat.eqb_refl.
    - intros i Hi. rewrite In. apply Nat.eqb_neq in Hi. rewrite Hi. ring. }
  apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. injection L as <-.
  unfold acceptance. rewrite Nat2Z.id, <- K. assert (P := f_positive (b0 * w)). field. lra.
Qed.
Lemma trial_mass : accepted trial (fun _ => 1) + retry_share trial = 1.
Proof.
  assert (W := w_positive). assert (W' : 0 < INR w) by (apply lt_0_INR; lia). assert (T := bucket_total_positive).
  assert (L := expect_trial 1 (fun _ => 1) ltac:(lra) ltac:(auto)).
  assert (L2 : is_lim_seq (fun n => sum_below n (fun b => f (b * w)%nat / bucket_total * in_bucket 1 (fun _ => 1) b)) 1).
  { replace (Finite 1) with (Rbar_mult bucket_total (/ bucket_total)) by (simpl; f_equal; field; lra).
    eapply is_lim_seq_ext; [|apply is_lim_seq_scal_r, bucket_sum]. intros n. simpl. rewrite Rmult_comm, <- sum_below_scal. apply sum_below_ext. intros b _.
    unfold in_bucket. cbv zeta. rewrite (sum_below_ext _ _ (fun _ => 1)).
    - rewrite sum_below_const. field. lra.
    - intros o _. unfold either. destruct (_ =? _)%Z; lra. }
  apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. injection L as L.
  unfold accepted, retry_share. replace (expect trial (on_flow (fun _ => 0) (fun _ => 1)) + expect trial (on_flow (fun _ => 1) (fun _ => 0)))
    with (1 * expect trial (on_flow (fun _ => 0) (fun _ => 1)) + 1 * expect trial (on_flow (fun _ => 1) (fun _ => 0))) by lra.
  rewrite <- expect_lin by auto. etransitivity; [|symmetry; exact L]. apply expect_ext. intros [[]|y]; simpl; lra.
Qed.

(** The sampler's outputs have probabilities in proportion to f(|y|), exactly, whatever the enclosures. *)
Theorem bucket_sampler_exact : exists normaliser, 0 < normaliser
  /\ is_lim_seq (fun N => sum_within N (fun y => f (Z.abs_nat y))) normaliser
  /\ (forall y, probability sampler (Z.eqb y) = f (Z.abs_nat y) / normaliser)
  /\ total sampler = 1.
Proof.
  assert (W := w_positive). assert (W' : 0 < INR w) by (apply lt_0_INR; lia). assert (T := bucket_total_positive).
  set (C := / (2 * INR w * bucket_total)). assert (C0 : 0 < C) by (apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; lra).
  assert (M := trial_mass). set (r := retry_share trial) in *.
  assert (A0 : 0 < accepted trial (fun _ => 1)).
  { apply Rlt_le_trans with (accepted trial (indicator (Z.eqb 0))).
    - rewrite trial_accepts. apply Rmult_lt_0_compat; auto.
    - apply expect_mono; auto. intros [[]|y]; simpl; [lra|]. unfold indicator. destruct (0 =? y)%Z; lra. }
  assert (Tot : total sampler = 1).
  { rewrite total_expect. unfold sampler, bucket_sampler. fold trial. rewrite expect_retry by (auto; fold r; lra). fold r.
    replace (1 - r) with (accepted trial (fun _ => 1)) by lra. field. lra. }
  assert (P : forall y, probability sampler (Z.eqb y) = f (Z.abs_nat y) / ((1 - r) / C)).
  { intros y. unfold probability, sampler, bucket_sampler. fold trial. rewrite expect_retry by (auto; fold r; lra). fold r.
    rewrite trial_accepts. fold C. field. lra. }
  exists ((1 - r) / C). split; [apply Rdiv_lt_0_compat; lra|]. split; [|split; auto].
  assert (L := total_is_sum sampler). rewrite Tot in L. apply (is_lim_seq_scal_l _ ((1 - r) / C) (Finite _)) in L.
  replace (Finite ((1 - r) / C)) with (Rbar_mult ((1 - r) / C) 1) by (simpl; f_equal; lra).
  eapply is_lim_seq_ext; [|exact L]. intros N. unfold sum_within.
  rewrite Rmult_plus_distr_l, <- !sum_below_scal. f_equal; apply sum_below_ext; intros i _; rewrite P; field; lra.
Qed.

(** Fixed work: how many trials were rejected is independent of the accepted value, whose probability is that of [bucket_sampler_exact], and is geometric. *)
Theorem bucket_trials_are_independent n y :
  let rejected := retry_share trial in
  0 <= rejected < 1
  /\ probability (counted trial) (fun outcome => andb (Nat.eqb (fst outcome) n) (Z.eqb y (snd outcome)))
     = rejected ^ n * (1 - rejected) * probability sampler (Z.eqb y).
Proof.
  intros rejected. assert (M := trial_mass). fold rejected in M.
  assert (R0 : 0 <= rejected) by (apply expect_unit; auto).
  assert (A0 : 0 < accepted trial (fun _ => 1)).
  { apply Rlt_le_trans with (accepted trial (indicator (Z.eqb 0))).
    - rewrite trial_accepts. apply Rmult_lt_0_compat; auto. assert (W := w_positive). assert (T := bucket_total_positive).
      apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; try lra. apply lt_0_INR. lia.
    - apply expect_mono; auto. intros [[]|z]; simpl; [lra|]. unfold indicator. destruct (0 =? z)%Z; lra. }
  assert (R1 : rejected < 1) by lra. split; [lra|].
  assert (Tot : total trial = 1).
  { rewrite <- M. unfold accepted, rejected, retry_share. rewrite total_expect.
    replace (expect trial (on_flow (fun _ => 0) (fun _ => 1)) + expect trial (on_flow (fun _ => 1) (fun _ => 0)))
      with (1 * expect trial (on_flow (fun _ => 0) (fun _ => 1)) + 1 * expect trial (on_flow (fun _ => 1) (fun _ => 0))) by lra.
    rewrite <- expect_lin by auto. apply expect_ext. intros [[]|z]; simpl; lra. }
  destruct (trial_count_is_independent Z trial n (Z.eqb y) Tot R1) as [I C]. rewrite C in I. exact I.
Qed.
End Exact.

(** ** Gaussian noise: f(k) = e^(-k²/2σ²), σ² = n/d *)
Definition gaussian_decay (n d : Z) (k : nat) : R := gaussian_weight n d (Z.of_nat k).

Theorem bucketed_gaussian_exact n d prefix high squeeze low unused refill (bucket_total : R) bucket_lower bucket_upper patience accept_lower accept_upper :
  (0 < n)%Z -> (0 < d)%Z -> (0 < refill)%nat -> (forall length, (length < patience length)%nat) ->
  let w := (2 ^ (high + low))%nat in
  let f := gaussian_decay n d in
  is_lim_seq (fun m => sum_below m (fun b => f (b * w)%nat)) bucket_total ->
  (forall b length, IZR (bucket_lower b length) <= sum_below (S b) (fun b => f (b * w)%nat) / bucket_total * 2 ^ length <= IZR (bucket_upper b length)) ->
  (forall b, exists units, forall length, IZR (bucket_upper b length) - IZR (bucket_lower b length) <= units) ->
  (forall b o length, (0 <= o < Z.of_nat w)%Z ->
     IZR (accept_lower b o length) <= f (b * w + Z.to_nat o)%nat / f (b * w)%nat * 2 ^ length <= IZR (accept_upper b o length)) ->
  (forall b o, (0 <= o < Z.of_nat w)%Z -> exists units, forall length, IZR (accept_upper b o length) - IZR (accept_lower b o length) <= units) ->
  let sampler := bucket_sampler bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill in
  (forall y, probability sampler (Z.eqb y) = gaussian_weight n d y / gaussian_normaliser n d) /\ total sampler = 1.
Proof.
  intros Hn Hd Hr Hpat w f HS HE HT HA HAT sampler.
  assert (Rn : 0 < IZR n) by (apply (IZR_lt 0); auto). assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
  assert (s2 : 0 < 2 * (IZR n / IZR d)) by (generalize (Rdiv_lt_0_compat _ _ Rn Rd); lra).
  assert (Fall : forall j k, (j <= k)%nat -> f k <= f j).
  { intros j k H. unfold f, gaussian_decay, gaussian_weight. apply exp_mono. apply Ropp_le_contravar. unfold Rdiv. apply Rmult_le_compat_r.
    - left. now apply Rinv_0_lt_compat.
    - apply pow_incr. split; apply IZR_le; lia. }
  destruct (bucket_sampler_exact f (fun k => exp_pos _) Fall prefix high squeeze low unused refill bucket_total HS Hr bucket_lower bucket_upper patience HE HT Hpat
    accept_lower accept_upper HA HAT) as (Z & Z0 & ZL & P & T).
  assert (A : forall y, f (Z.abs_nat y) = gaussian_weight n d y).
    { intros y. unfold f, gaussian_decay, gaussian_weight. rewrite Zabs2Nat.id_abs, abs_IZR, pow2_abs. reflexivity. }
    assert (Z = gaussian_normaliser n d).
    { destruct (gaussian_normaliser_is_sum n d Hn Hd) as [L _]. apply is_lim_seq_unique in L. apply is_lim_seq_unique in ZL.
      rewrite (Lim_seq_ext _ (fun N => sum_within N (gaussian_weight n d))) in ZL; [rewrite L in ZL; now injection ZL|].
      intros N. unfold sum_within. f_equal; apply sum_below_ext; intros; apply A. }
    subst Z. split; [|exact T]. intros y. rewrite <- A. apply P.
Qed.

(** The buckets' weights have a sum: the theorem's hypothesis can be met. *)
Theorem gaussian_buckets_have_a_sum n d w : (0 < n)%Z -> (0 < d)%Z -> (0 < w)%nat ->
  exists bucket_total : R, is_lim_seq (fun m => sum_below m (fun b => gaussian_decay n d (b * w))) bucket_total.
Proof.
  intros Hn Hd Hw. assert (Rn : 0 < IZR n) by (apply (IZR_lt 0); auto). assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
  assert (s2 : 0 < 2 * (IZR n / IZR d)) by (generalize (Rdiv_lt_0_compat _ _ Rn Rd); lra).
  set (a := INR w ^ 2 / (2 * (IZR n / IZR d))). assert (A0 : 0 < a) by (apply Rdiv_lt_0_compat; auto; apply pow_lt, lt_0_INR; lia).
  exists (real (Lim_seq (fun m => sum_below m (fun b => gaussian_decay n d (b * w))))).
  apply (rising_limit _ (M := theta_bound a)).
  - intros m. simpl. generalize (exp_pos (- (IZR (Z.of_nat (m * w)) ^ 2 / (2 * (IZR n / IZR d))))). unfold gaussian_decay, gaussian_weight. simpl. lra.
  - intros m. apply Rle_trans with (partial a 0 m); [|now apply partial_bound]. unfold partial. rewrite <- sum_within_list. unfold sum_within.
    assert (0 <= sum_below m (fun i => bell a 0 (-1 - Z.of_nat i))).
    { rewrite <- (Rmult_0_r (INR m)), <- sum_below_const. apply sum_below_le. intros; left; apply bell_positive. }
    assert (sum_below m (fun b => gaussian_decay n d (b * w)) = sum_below m (fun i => bell a 0 (Z.of_nat i))); [|lra].
    apply sum_below_ext. intros b _. unfold gaussian_decay, gaussian_weight, bell, a. f_equal. rewrite <- !INR_IZR_INZ, mult_INR. field. lra.
Qed.

(** ** Laplace noise: f(k) = e^(-k/s), s = n/d *)
Definition laplace_decay (n d : Z) (k : nat) : R := ratio n d ^ k.

Theorem bucketed_laplace_exact n d prefix high squeeze low unused refill (bucket_total : R) bucket_lower bucket_upper patience accept_lower accept_upper :
  (0 < n)%Z -> (0 < d)%Z -> (0 < refill)%nat -> (forall length, (length < patience length)%nat) ->
  let w := (2 ^ (high + low))%nat in
  let f := laplace_decay n d in
  is_lim_seq (fun m => sum_below m (fun b => f (b * w)%nat)) bucket_total ->
  (forall b length, IZR (bucket_lower b length) <= sum_below (S b) (fun b => f (b * w)%nat) / bucket_total * 2 ^ length <= IZR (bucket_upper b length)) ->
  (forall b, exists units, forall length, IZR (bucket_upper b length) - IZR (bucket_lower b length) <= units) ->
  (forall b o length, (0 <= o < Z.of_nat w)%Z ->
     IZR (accept_lower b o length) <= f (b * w + Z.to_nat o)%nat / f (b * w)%nat * 2 ^ length <= IZR (accept_upper b o length)) ->
  (forall b o, (0 <= o < Z.of_nat w)%Z -> exists units, forall length, IZR (accept_upper b o length) - IZR (accept_lower b o length) <= units) ->
  let sampler := bucket_sampler bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill in
  (forall y, probability sampler (Z.eqb y) = probability (laplace n d) (Z.eqb y)) /\ total sampler = 1.
Proof.
  intros Hn Hd Hr Hpat w f HS HE HT HA HAT sampler. assert (He := ratio_bounds n d Hn Hd).
  assert (Fall : forall j k, (j <= k)%nat -> f k <= f j).
  { intros j k H. unfold f, laplace_decay. replace k with (j + (k - j))%nat by lia. rewrite pow_add.
    assert (0 < ratio n d ^ j) by (apply pow_lt; lra). assert (0 < ratio n d ^ (k - j) <= 1).
    { split; [apply pow_lt; lra|]. rewrite <- (pow1 (k - j)). apply pow_incr. lra. }
    nra. }
  destruct (bucket_sampler_exact f (fun k => pow_lt _ k (proj1 He)) Fall prefix high squeeze low unused refill bucket_total HS Hr bucket_lower bucket_upper patience HE HT Hpat
    accept_lower accept_upper HA HAT) as (Z & Z0 & ZL & P & T).
  split; [|exact T].
    assert (A : forall y, probability (laplace n d) (Z.eqb y) = (1 - ratio n d) / (1 + ratio n d) * f (Z.abs_nat y)).
    { intros y. rewrite laplace_probability by auto. f_equal. unfold f, laplace_decay. rewrite <- ratio_power by auto. f_equal.
      rewrite mult_IZR, Zabs2Nat.id_abs, abs_IZR. apply (IZR_lt 0) in Hn. apply (IZR_lt 0) in Hd. field. lra. }
    assert (L := total_is_sum (laplace n d)). rewrite laplace_total in L by auto.
    apply (is_lim_seq_scal_l _ ((1 - ratio n d) / (1 + ratio n d)) (Finite _)) in ZL.
    apply is_lim_seq_unique in L. apply is_lim_seq_unique in ZL. rewrite (Lim_seq_ext _ (fun N => sum_within N (fun y => probability (laplace n d) (Z.eqb y)))) in ZL.
    + rewrite L in ZL. injection ZL as ZL. intros y. unfold sampler. rewrite P, A.
      set (K := (1 - ratio n d) / (1 + ratio n d)) in *. apply Rmult_eq_reg_r with Z; [|lra].
      replace (f (Z.abs_nat y) / Z * Z) with (f (Z.abs_nat y)) by (field; lra).
      replace (K * f (Z.abs_nat y) * Z) with (K * Z * f (Z.abs_nat y)) by ring. rewrite <- ZL. ring.
    + intros N. unfold sum_within. rewrite Rmult_plus_distr_l, <- !sum_below_scal. f_equal; apply sum_below_ext; intros; now rewrite A.
Qed.

Theorem laplace_buckets_have_a_sum n d w : (0 < n)%Z -> (0 < d)%Z -> (0 < w)%nat ->
  exists bucket_total : R, is_lim_seq (fun m => sum_below m (fun b => laplace_decay n d (b * w))) bucket_total.
Proof.
  intros Hn Hd Hw. assert (He := ratio_bounds n d Hn Hd). set (e := ratio n d) in *.
  assert (Q : 0 < e ^ w < 1).
  { split; [apply pow_lt; lra|]. replace w with (S (w - 1)) by lia. simpl. assert (0 < e ^ (w - 1) <= 1); [|nra].
    split; [apply pow_lt; lra|]. rewrite <- (pow1 (w - 1)). apply pow_incr. lra. }
  exists ((1 - 0) * / (1 - e ^ w)). apply is_lim_seq_ext with (fun m => (1 - (e ^ w) ^ m) * / (1 - e ^ w)).
  - intros m. rewrite (sum_below_ext _ _ (fun b => (e ^ w) ^ b)); [rewrite sum_below_geometric by lra; reflexivity|].
    intros b _. unfold laplace_decay. fold e. rewrite <- pow_mult. f_equal. lia.
  - apply (is_lim_seq_scal_r _ _ (Finite _)). apply is_lim_seq_minus'; [apply is_lim_seq_const|]. apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra.
Qed.
