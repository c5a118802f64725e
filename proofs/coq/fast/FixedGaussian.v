(** [Bucketed] of [src/sample/fixed/shape.rs]: discrete Gaussian noise from σ = 4 on. A word has [digits] of a
    uniform number for the bucket, and the sign; then a word for the place, of which [places] bits are used;
    then the word that accepts it. *)
Require Import Reals Lra Lia List Arith ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model FiniteSums IntegerSums Uniform Bernoulli Geometric Laplace Gaussian.
From Certus.privacy Require Import Transfer.
From Certus.fast Require Import LazyInversion LazyCoin Buckets FixedWork TraceCost FixedTable FixedCoin FixedPlace FixedBuckets.
Import ListNotations.
Open Scope R_scope.

(** The floors ⌊G(j)·2^digits⌋ of the first cells. *)
Definition are_floors (G : nat -> R) (digits : nat) (floors : list Z) : Prop :=
  forall j, (j < length floors)%nat -> IZR (nth j floors 0%Z) <= G j * 2 ^ digits < IZR (nth j floors 0%Z) + 1.
(** [Inversion]: the floors, filled up with the greatest number. *)
Definition filled_up (digits pad : nat) (floors : list Z) : list Z := floors ++ repeat (2 ^ Z.of_nat digits - 1)%Z (S pad).
(** A table with an open end: the index past the last floor is in doubt. *)
Definition open_scan (digits pad : nat) (floors : list Z) (u : Z) : nat * bool :=
  table_scan (filled_up digits pad floors) (Nat.eqb (length floors)) u.

(** A table and its exact path draw the law of F. *)
Lemma settled_table_law G lower upper patience digits step j : 0 <= G O -> (forall j, G j <= G (S j)) -> is_lim_seq G 1 ->
  cells_enclose G lower upper -> (forall length, (length < patience length)%nat) -> (0 < step)%nat ->
  probability (Bind (bits digits) (settle_table lower upper patience step digits)) (Nat.eqb j) = G j - before G j.
Proof.
  intros G0 GR GL [E1 E2] Hp Hs. rewrite <- (lazy_inversion_probability G G0 GR GL lower upper patience digits step Hs E1 E2 Hp).
  unfold probability, invert. rewrite !expect_bind by auto. apply bits_ext; [in_unit_tac|in_unit_tac|]. intros u Hu.
  rewrite (settle_exact G), (invert_from_exact G) by (auto; lia). reflexivity.
Qed.
Lemma settled_table_total G lower upper patience digits step u : 0 <= G O -> (forall j, G j <= G (S j)) -> is_lim_seq G 1 ->
  cells_enclose G lower upper -> (forall length, (length < patience length)%nat) -> (0 < step)%nat -> (0 <= u < 2 ^ Z.of_nat digits)%Z ->
  total (settle_table lower upper patience step digits u) = total (invert_from lower upper patience step digits u).
Proof. intros G0 GR GL [E1 E2] Hp Hs Hu. rewrite !total_expect, (settle_exact G), (invert_from_exact G) by (auto; lia). reflexivity. Qed.
(** Floors of numbers in [0, 1) are words. *)
Lemma floors_are_words G digits floors : are_floors G digits floors -> (forall j, 0 <= G j < 1) ->
  forall t, In t floors -> (0 <= t <= 2 ^ Z.of_nat digits - 1)%Z.
Proof.
  intros HF HG t Ht. destruct (In_nth floors t 0%Z Ht) as (j & Hj & <-). specialize (HF j Hj). specialize (HG j).
  assert (P : 0 < 2 ^ digits) by (apply pow_lt; lra). split.
  - apply Z.lt_succ_r. apply lt_IZR. rewrite succ_IZR. nra.
  - assert (nth j floors 0%Z < 2 ^ Z.of_nat digits)%Z; [|lia]. apply lt_IZR. rewrite <- pow_IZR. nra.
Qed.
(** Cumulative shares of positive weights that have a sum. *)
Lemma shares_rise (g : nat -> R) (T : R) : (forall b, 0 < g b) -> is_lim_seq (fun m => sum_below m g) T ->
  let G := fun b => sum_below (S b) g / T in 0 < T /\ (forall b, G b < G (S b)) /\ (forall b, 0 <= G b < 1) /\ is_lim_seq G 1.
Proof.
  intros Hg HS G. assert (Up : forall m, sum_below m g <= sum_below (S m) g) by (intros m; rewrite sum_below_S; generalize (Hg m); lra).
  assert (T0 : 0 < T).
  { apply Rlt_le_trans with (sum_below 1 g); [simpl; generalize (Hg O); lra|]. apply (is_lim_seq_incr_compare (fun n => sum_below n g)); auto. }
  assert (I : 0 < / T) by now apply Rinv_0_lt_compat.
  assert (GR : forall b, G b < G (S b)) by (intros b; unfold G; apply Rmult_lt_compat_r; auto; rewrite (sum_below_S (S b)); generalize (Hg (S b)); lra).
  assert (GL : is_lim_seq G 1).
  { unfold G. replace (Finite 1) with (Rbar_mult T (/ T)) by (simpl; f_equal; field; lra).
    apply is_lim_seq_scal_r. now apply (is_lim_seq_incr_1 (fun n => sum_below n g)). }
  split; [auto|split; [auto|split; [|auto]]]. intros b. split.
  - unfold G. apply Rmult_le_pos; [|lra]. rewrite <- (Rmult_0_r (INR (S b))), <- sum_below_const. apply sum_below_le. intros. left. auto.
  - apply Rlt_le_trans with (G (S b)); auto. apply (is_lim_seq_incr_compare G); auto. intros m. left. auto.
Qed.

Section Gaussian.
Variables n d : Z.
Variables digits width places unused step pad : nat.
Variable floors : list Z.
Variables lower upper : nat -> nat -> Z.
Variable patience : nat -> nat.
Variables (approximation : nat -> Z -> Z) (error : Z).
Variables accept_lower accept_upper : nat -> Z -> nat -> Z.

Definition gaussian_words : Program (Z * bool * unit * Z * Z) := draw_words (bits digits) (Return tt) places unused width.
Definition gaussian_trial : Z * bool * unit * Z * Z -> Trial Z :=
  place_trial (fun u _ => open_scan digits pad floors u) places width approximation error.
Definition gaussian_settle : Z * bool * unit * Z * Z -> Program (option Z) :=
  place_settle (fun u _ => settle_table lower upper patience step digits u) places width step accept_lower accept_upper.

Let f := gaussian_decay n d.
Let w := (2 ^ places)%nat.
Variable bucket_total : R.
Let G (b : nat) : R := sum_below (S b) (fun b => f (b * w)%nat) / bucket_total.
Let acceptance (bucket : nat) (o : Z) : R := f (bucket * w + Z.to_nat o)%nat / f (bucket * w)%nat.

(** With any exact path that shows what it likes, but finds what [gaussian_settle] does. *)
Theorem fixed_gaussian_exact T (settle : Z * bool * unit * Z * Z -> Program (T * option Z)) :
  (0 < n)%Z -> (0 < d)%Z -> (0 < step)%nat -> (forall length, (length < patience length)%nat) -> (0 <= error)%Z ->
  is_lim_seq (fun m => sum_below m (fun b => f (b * w)%nat)) bucket_total ->
  cells_enclose G lower upper -> are_floors G digits floors -> places_enclose places acceptance accept_lower accept_upper ->
  (forall bucket o, approximation bucket o <= 2 ^ Z.of_nat width)%Z ->
  (forall bucket o, (bucket < length floors)%nat -> (0 <= o < 2 ^ Z.of_nat places)%Z ->
     IZR (approximation bucket o - error) <= acceptance bucket o * 2 ^ width <= IZR (approximation bucket o + error)) ->
  (forall words, same_law (Bind (settle words) (fun settled => Return (snd settled))) (gaussian_settle words)) ->
  gaussian_law n d (fixed_sampler gaussian_words gaussian_trial settle)
  /\ total (fixed_step gaussian_words gaussian_trial settle) = 1
  /\ 1 - retry_share (fixed_step gaussian_words gaussian_trial settle) = gaussian_normaliser n d / (2 * INR w * bucket_total)
  /\ ambiguity gaussian_words gaussian_trial
     <= (INR (length floors) + IZR (2 ^ Z.of_nat digits - 1 - last floors (-1)%Z)) / 2 ^ digits + IZR (2 * error) / 2 ^ width.
Proof.
  intros Hn Hd Hs Hp HE HS HC HF HA Hword Hnear Hset.
  assert (Fp : forall k, 0 < f k) by (intros k; apply exp_pos).
  destruct (shares_rise (fun b => f (b * w)%nat) bucket_total (fun b => Fp _) HS) as (T0 & GR & GU & GL). fold G in GR, GU, GL.
  assert (GR' : forall j, G j <= G (S j)) by (intros j; left; apply GR).
  destruct HC as [C1 C2]. destruct HA as [A1 A2].
  assert (W : (0 < w)%nat) by (unfold w; generalize (Nat.pow_nonzero 2 places); lia).
  assert (Fall : forall j k, (j <= k)%nat -> f k <= f j).
  { assert (Rn : 0 < IZR n) by (apply (IZR_lt 0); auto). assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
    assert (s2 : 0 < 2 * (IZR n / IZR d)) by (generalize (Rdiv_lt_0_compat _ _ Rn Rd); lra).
    intros j k H. unfold f, gaussian_decay, gaussian_weight. apply exp_mono. apply Ropp_le_contravar. unfold Rdiv. apply Rmult_le_compat_r.
    - left. now apply Rinv_0_lt_compat.
    - apply pow_incr. split; apply IZR_le; lia. }
  assert (AU : forall bucket o, 0 <= acceptance bucket o <= 1).
  { intros b o. unfold acceptance. generalize (Fp (b * w)%nat) (Fp (b * w + Z.to_nat o)%nat) (Fall (b * w)%nat (b * w + Z.to_nat o)%nat ltac:(lia)). intros.
    split; [left; now apply Rdiv_lt_0_compat|]. apply Rmult_le_reg_r with (f (b * w)%nat); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Unit : ranges_over (Return tt) (fun _ => True)) by (intros g h Hg Hh H; now rewrite !expect_return, H).
  assert (Dec : forall u, (0 <= u < 2 ^ Z.of_nat digits)%Z -> snd (open_scan digits pad floors u) = false -> (fst (open_scan digits pad floors u) < length floors)%nat).
  { intros u Hu D. unfold open_scan, table_scan in D |- *. cbn [fst snd] in D |- *. apply orb_false_elim in D. destruct D as [D1 D2]. apply Nat.eqb_neq in D2.
    set (j := length (filter (fun t => (t <? u)%Z) (filled_up digits pad floors))) in *.
    assert (J : (j <= length floors)%nat); [|lia]. unfold j, filled_up. rewrite filter_app, app_length.
    replace (filter (fun t => (t <? u)%Z) (repeat (2 ^ Z.of_nat digits - 1)%Z (S pad))) with (@nil Z).
    - simpl. rewrite Nat.add_0_r. clear. induction floors as [|t l IH]; simpl; [lia|]. destruct (t <? u)%Z; simpl; lia.
    - clear -Hu. induction (S pad) as [|k IH]; simpl; auto. destruct (Z.ltb_spec (2 ^ Z.of_nat digits - 1) u); [lia|exact IH]. }
  assert (Near : forall (a : Z) (b : unit) o, (0 <= a < 2 ^ Z.of_nat digits)%Z -> True -> snd (open_scan digits pad floors a) = false -> (0 <= o < 2 ^ Z.of_nat places)%Z ->
    let bucket := fst (open_scan digits pad floors a) in
    IZR (approximation bucket o - error) <= acceptance bucket o * 2 ^ width <= IZR (approximation bucket o + error)).
  { intros a b o Ha _ D Ho bucket. apply Hnear; auto; now apply Dec. }
  assert (Score := fun u Hu => place_step_score (bits digits) (Return tt) _ _ (bits_range digits) Unit (fun u _ => open_scan digits pad floors u)
    (fun u _ => settle_table lower upper patience step digits u) places unused width step approximation error accept_lower accept_upper settle Hset acceptance Hs HE
    (fun a _ g Ha _ Hg D => table_scan_is_settle G (proj1 (GU O)) GR' GL lower upper patience step Hs C1 C2 Hp digits pad floors _ HF (or_introl (Nat.eqb_refl _)) a g Hg Ha D)
    (fun b o _ => AU b o) A1 A2
    Near u Hu).
  destruct (place_gaussian n d places width step bucket_total accept_lower accept_upper _ _ Hn Hd Hs HS (conj A1 A2) Score) as (P1 & P2 & P3).
  { intros j. unfold bucket_program. transitivity (probability (Bind (bits digits) (settle_table lower upper patience step digits)) (Nat.eqb j)).
    - unfold probability. rewrite !expect_bind by auto. apply expect_ext. intros u. rewrite expect_bind by auto. apply expect_return.
    - rewrite (settled_table_law G) by (auto; try apply GU; split; auto). transitivity (f (j * w)%nat / bucket_total); [|reflexivity].
      unfold G. destruct j as [|j]; unfold before; [cbn [sum_below]|rewrite (sum_below_S (S j))]; field; lra. }
  split; [exact P1|split; [exact P2|split; [exact P3|]]].
  apply (place_ambiguity (bits digits) (Return tt) (fun u _ => open_scan digits pad floors u) places unused width step approximation error Hs HE).
  - intros b o. generalize (Hword b o). lia.
  - assert (Am := table_ambiguity digits pad floors (Nat.eqb (length floors)) ltac:(intros j Hj; apply Nat.eqb_neq; auto) (floors_are_words G digits floors HF GU)).
    unfold beyond_words in Am. rewrite Nat.eqb_refl in Am. eapply Rle_trans; [|exact Am]. right. apply expect_ext. intros u. rewrite expect_return. reflexivity.
Qed.
End Gaussian.
