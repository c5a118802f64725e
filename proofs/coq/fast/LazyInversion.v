(** Lazy inversion, [src/sample/prepared/inversion.rs]: a uniform real U is revealed a word at a time and compared with enclosures of the cumulative
    probabilities G(0) <= G(1) <= …, until it is known which cell it falls in. It is exact for *any* table of enclosures: rounding never decides.

    At the first look, of [width] bits, the table's thresholds T(j) = ⌊G(j)·2^width⌋ are such enclosures, [T(j), T(j) + 1]; the second look's finer
    thresholds, and the bounds that are computed later, are others. There are infinitely many cells: the last is open, and nothing is clamped. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Uniform.
Open Scope R_scope.

(** ** The sampler *)
Section Sampler.
(** The enclosure of G(cell)·2^length, which may be as the table has it. *)
Variables lower upper : nat -> nat -> Z.
(** How many cells may be looked at before more bits are drawn. (The Rust has no such bound: it looks at as many as it takes.) *)
Variable patience : nat -> nat.
Variables width refill : nat.

(** From [cell] on: the first cell that U may be in, and whether U is in it for sure. U is in [prefix, prefix + 1)·2^-length. *)
Fixpoint scan (steps length : nat) (prefix : Z) (cell : nat) : nat * bool :=
  match steps with
  | O => (cell, false)
  | S steps =>
      if (prefix <? lower cell length)%Z then (cell, true)
      else if (prefix <? upper cell length)%Z then (cell, false)
      else scan steps length prefix (S cell)
  end.

Definition refine (state : nat * Z * nat) : Program (Flow (nat * Z * nat) nat) :=
  let '(length, prefix, cell) := state in
  let '(cell, found) := scan (patience length) length prefix cell in
  if found then Return (Break cell)
  else Bind (bits refill) (fun more => Return (Continue ((length + refill)%nat, (prefix * 2 ^ Z.of_nat refill + more)%Z, cell))).

Definition invert_from (length : nat) (prefix : Z) : Program nat := Loop refine (length, prefix, O).
Definition invert : Program nat := Bind (bits width) (invert_from width).
End Sampler.

(** ** The first look by binary search finds what a scan from the first cell finds *)

(** [partition_point]: how many of the first thresholds are below u. *)
Fixpoint thresholds_below (u : Z) (thresholds : list Z) : nat :=
  match thresholds with nil => O | cons t rest => if (t <? u)%Z then S (thresholds_below u rest) else O end.

Theorem first_look_is_scan lower upper length thresholds u :
  (forall j, (j < List.length thresholds)%nat -> lower j length = List.nth j thresholds 0%Z /\ upper j length = (List.nth j thresholds 0 + 1)%Z) ->
  (u <= List.last thresholds 0)%Z -> thresholds <> nil ->
  let j := thresholds_below u thresholds in
  forall steps, (List.length thresholds <= steps)%nat ->
  scan lower upper steps length u O = (j, (u <? List.nth j thresholds 0)%Z).
Proof.
  intros HT HL Hne j steps Hs. subst j.
  assert (K : forall rest from steps, (List.length rest <= steps)%nat -> rest <> nil -> (u <= List.last rest 0)%Z ->
    (forall i, (i < List.length rest)%nat -> lower (from + i)%nat length = List.nth i rest 0%Z /\ upper (from + i)%nat length = (List.nth i rest 0 + 1)%Z) ->
    scan lower upper steps length u from = ((from + thresholds_below u rest)%nat, (u <? List.nth (thresholds_below u rest) rest 0)%Z)).
  { induction rest as [|t rest IH]; intros from steps' Hs' Hne' HL' HT'; [contradiction|].
    destruct steps' as [|steps']; [simpl in Hs'; lia|]. cbn [scan].
    destruct (HT' O ltac:(simpl; lia)) as [L U]. rewrite Nat.add_0_r in L, U. rewrite L, U. cbn [List.nth thresholds_below].
    destruct (Z.ltb_spec t u) as [B|B].
    - destruct (Z.ltb_spec u t); [lia|]. destruct (Z.ltb_spec u (t + 1)); [lia|].
      destruct rest as [|t' rest]; [simpl in HL'; lia|].
      rewrite IH; [rewrite Nat.add_succ_r; reflexivity|simpl in Hs' |- *; lia|discriminate|exact HL'|].
      intros i Hi. rewrite Nat.add_succ_comm. apply HT'. simpl in Hi |- *. lia.
    - rewrite Nat.add_0_r. destruct (Z.ltb_spec u t) as [C|C]; [reflexivity|]. destruct (Z.ltb_spec u (t + 1)); [reflexivity|lia]. }
  apply (K thresholds O); auto.
Qed.

(** ** The share of each cell *)
Section Exact.
(** G(j) = P(cell <= j), of any distribution on 0, 1, 2, … *)
Variable G : nat -> R.
Hypothesis G_nonneg : 0 <= G O.
Hypothesis G_rises : forall j, G j <= G (S j).
Hypothesis G_limit : is_lim_seq G 1.

Definition before (j : nat) : R := match j with O => 0 | S j => G j end.

Lemma G_unit j : 0 <= G j <= 1.
Proof.
  split; [induction j; auto; generalize (G_rises j); lra|].
  apply (is_lim_seq_incr_compare G); auto.
Qed.
Lemma G_mono i j : (i <= j)%nat -> G i <= G j.
Proof. induction 1; [lra|]. generalize (G_rises m). lra. Qed.
Lemma before_le j : before j <= G j.
Proof. destruct j; simpl; auto. Qed.

Section Score.
Variable g : nat -> R.
Hypothesis g_unit : in_unit g.

(** The part of the score that U gathers below t. *)
Definition gathered_by (J : nat) (t : R) : R := sum_below J (fun j => g j * (Rmin t (G j) - Rmin t (before j))).
Definition gathered (t : R) : R := real (Lim_seq (fun J => gathered_by J t)).

Lemma Rmin_steps x y b c : x <= y -> b <= c -> 0 <= Rmin y c - Rmin y b - (Rmin x c - Rmin x b).
Proof. intros. unfold Rmin. destruct (Rle_dec y c), (Rle_dec y b), (Rle_dec x c), (Rle_dec x b); lra. Qed.
Lemma Rmin_step t j : 0 <= Rmin t (G j) - Rmin t (before j).
Proof. generalize (before_le j). unfold Rmin. destruct (Rle_dec t (G j)), (Rle_dec t (before j)); lra. Qed.
Lemma telescope J t : 0 <= t -> sum_below J (fun j => Rmin t (G j) - Rmin t (before j)) = match J with O => 0 | S J => Rmin t (G J) end.
Proof.
  intros Ht. induction J as [|J IH]; [reflexivity|]. rewrite sum_below_S, IH. destruct J; simpl; [|lra].
  rewrite (Rmin_right t 0) by lra. lra.
Qed.
Lemma gathered_limit t : 0 <= t -> is_lim_seq (fun J => gathered_by J t) (gathered t).
Proof.
  intros Ht. apply (rising_limit _ (M := t)).
  - intros J. unfold gathered_by. rewrite sum_below_S. generalize (g_unit J) (Rmin_step t J). nra.
  - intros J. apply Rle_trans with (sum_below J (fun j => Rmin t (G j) - Rmin t (before j))).
    + apply sum_below_le. intros j _. generalize (g_unit j) (Rmin_step t j). nra.
    + rewrite telescope by auto. destruct J; [auto|apply Rmin_l].
Qed.
(** It rises with t, and no faster than t. *)
Lemma gathered_between x y : 0 <= x <= y -> 0 <= gathered y - gathered x <= y - x.
Proof.
  intros [Hx Hy]. assert (Lx := gathered_limit x Hx). assert (Ly := gathered_limit y ltac:(lra)).
  assert (L := is_lim_seq_minus' _ _ _ _ Ly Lx).
  assert (D : forall J, gathered_by J y - gathered_by J x = sum_below J (fun j => g j * (Rmin y (G j) - Rmin y (before j) - (Rmin x (G j) - Rmin x (before j))))).
  { intros J. unfold gathered_by. induction J; simpl; lra. }
  assert (S : forall j, 0 <= Rmin y (G j) - Rmin y (before j) - (Rmin x (G j) - Rmin x (before j))) by (intros j; apply Rmin_steps; [lra|apply before_le]).
  split.
  - apply (is_lim_seq_le (fun _ => 0) _ 0 (gathered y - gathered x)) with (3 := L); [|apply is_lim_seq_const].
    intros J. rewrite D. rewrite <- (Rmult_0_r (INR J)), <- sum_below_const. apply sum_below_le. intros j _. generalize (g_unit j) (S j). nra.
  - apply (is_lim_seq_le _ (fun _ => y - x) (gathered y - gathered x) (y - x)) with (2 := L); [|apply is_lim_seq_const].
    intros J. rewrite D. apply Rle_trans with (sum_below J (fun j => 1 * (Rmin y (G j) - Rmin y (before j)) + (-1) * (Rmin x (G j) - Rmin x (before j)))).
    + apply sum_below_le. intros j _. generalize (g_unit j) (S j). nra.
    + rewrite sum_below_plus, !sum_below_scal, !telescope by lra.
      destruct J; [lra|]. unfold Rmin. destruct (Rle_dec y (G J)), (Rle_dec x (G J)); lra.
Qed.
(** Within one cell, it is that cell's score. *)
Lemma gathered_in_cell j x y : 0 <= x <= y -> before j <= x -> y <= G j -> gathered y - gathered x = g j * (y - x).
Proof.
  intros [Hx Hy] Hb HG. assert (L := is_lim_seq_minus' _ _ _ _ (gathered_limit y ltac:(lra)) (gathered_limit x Hx)).
  assert (L2 : is_lim_seq (fun J => gathered_by J y - gathered_by J x) (g j * (y - x))).
  { apply is_lim_seq_ext_loc with (fun _ => g j * (y - x)); [|apply is_lim_seq_const].
    exists (S j). intros J HJ. unfold gathered_by.
    assert (D : sum_below J (fun i => g i * (Rmin y (G i) - Rmin y (before i))) - sum_below J (fun i => g i * (Rmin x (G i) - Rmin x (before i)))
      = sum_below J (fun i => g i * (Rmin y (G i) - Rmin y (before i) - (Rmin x (G i) - Rmin x (before i))))).
    { clear. induction J; simpl; lra. }
    rewrite D, (sum_below_single _ j).
    - replace (j <? J)%nat with true by (symmetry; apply Nat.ltb_lt; lia).
      rewrite !(Rmin_right _ (before j)), !(Rmin_left _ (G j)) by lra. ring.
    - intros i Hi. destruct (Nat.lt_ge_cases i j) as [C|C].
      + (* a cell before *) assert (G i <= before j) by (destruct j; [lia|simpl; apply G_mono; lia]).
        assert (before i <= G i) by apply before_le. rewrite !Rmin_right by lra. ring.
      + (* a cell after *) assert (G j <= before i) by (destruct i; [lia|simpl; apply G_mono; lia]).
        assert (before i <= G i) by apply before_le. rewrite !Rmin_left by lra. ring. }
  apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. now injection L.
Qed.
Lemma gathered_zero : gathered 0 = 0.
Proof.
  assert (L := gathered_limit 0 ltac:(lra)). apply is_lim_seq_unique in L. rewrite (Lim_seq_ext _ (fun _ => 0)) in L.
  - rewrite Lim_seq_const in L. now injection L.
  - intros J. unfold gathered_by. rewrite (sum_below_ext _ _ (fun _ => 0)); [rewrite sum_below_const; lra|].
    intros j _. assert (H : 0 <= before j) by (destruct j; simpl; [lra|apply G_unit]).
    rewrite !Rmin_left by (try apply G_unit; auto). ring.
Qed.

(** The mean score of a U in [prefix, prefix + 1)·2^-length. *)
Definition mean_in (length : nat) (prefix : Z) : R :=
  2 ^ length * (gathered (IZR (prefix + 1) / 2 ^ length) - gathered (IZR prefix / 2 ^ length)).

Lemma power_positive n : 0 < 2 ^ n. Proof. apply pow_lt. lra. Qed.
Lemma mean_in_unit length prefix : (0 <= prefix)%Z -> 0 <= mean_in length prefix <= 1.
Proof.
  intros H. assert (P := power_positive length). assert (I : 0 < / 2 ^ length) by now apply Rinv_0_lt_compat. apply IZR_le in H.
  assert (B := gathered_between (IZR prefix / 2 ^ length) (IZR (prefix + 1) / 2 ^ length)).
  rewrite plus_IZR in *. unfold mean_in. rewrite plus_IZR.
  replace ((IZR prefix + 1) / 2 ^ length - IZR prefix / 2 ^ length) with (/ 2 ^ length) in B by (field; lra).
  destruct B as [B1 B2]; [unfold Rdiv; split; nra|].
  split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l with (r := 2 ^ length) in B2; [|lra]. rewrite Rinv_r in B2; lra.
Qed.
Lemma mean_in_split length prefix r : mean_in length prefix
  = sum_below (2 ^ r) (fun i => mean_in (length + r) (prefix * 2 ^ Z.of_nat r + Z.of_nat i)) / 2 ^ r.
Proof.
  assert (P := power_positive length). assert (Pr := power_positive r).
  assert (T : forall m, sum_below m (fun i => mean_in (length + r) (prefix * 2 ^ Z.of_nat r + Z.of_nat i))
    = 2 ^ (length + r) * (gathered (IZR (prefix * 2 ^ Z.of_nat r + Z.of_nat m) / 2 ^ (length + r)) - gathered (IZR (prefix * 2 ^ Z.of_nat r) / 2 ^ (length + r)))).
  { induction m as [|m IH]; [simpl sum_below; rewrite Z.add_0_r; ring|]. rewrite sum_below_S, IH. unfold mean_in.
    replace (prefix * 2 ^ Z.of_nat r + Z.of_nat (S m))%Z with (prefix * 2 ^ Z.of_nat r + Z.of_nat m + 1)%Z by lia. ring. }
  rewrite T, Nat2Z.inj_pow. change (Z.of_nat 2) with 2%Z. unfold mean_in.
  replace (IZR (prefix * 2 ^ Z.of_nat r + 2 ^ Z.of_nat r) / 2 ^ (length + r)) with (IZR (prefix + 1) / 2 ^ length).
  2:{ rewrite !plus_IZR, mult_IZR, <- pow_IZR, pow_add. field. lra. }
  replace (IZR (prefix * 2 ^ Z.of_nat r) / 2 ^ (length + r)) with (IZR prefix / 2 ^ length).
  2:{ rewrite mult_IZR, <- pow_IZR, pow_add. field. lra. }
  rewrite pow_add. field. lra.
Qed.
End Score.

(** ** Exactness *)
Variables lower upper : nat -> nat -> Z.
Variable patience : nat -> nat.
Variables width refill : nat.
Hypothesis refill_positive : (0 < refill)%nat.
(** The bounds enclose; and those of any one cell stay within some number of units of each other, so that they tighten. *)
Hypothesis encloses : forall cell length, IZR (lower cell length) <= G cell * 2 ^ length <= IZR (upper cell length).
Hypothesis tightens : forall cell, exists units, forall length, IZR (upper cell length) - IZR (lower cell length) <= units.
(** Patience grows without bound. *)
Hypothesis patient : forall length, (length < patience length)%nat.

Let loop := Loop (refine lower upper patience refill).

Lemma scan_spec steps : forall length prefix cell, before cell * 2 ^ length <= IZR prefix ->
  let '(cell', found) := scan lower upper steps length prefix cell in
  before cell' * 2 ^ length <= IZR prefix /\ (cell <= cell')%nat
  /\ if found then IZR (prefix + 1) <= G cell' * 2 ^ length
     else (lower cell' length <= prefix < upper cell' length)%Z \/ (cell + steps <= cell')%nat.
Proof.
  induction steps as [|steps IH]; intros length prefix cell Hb; cbn [scan].
  - split; [auto|split; [lia|right; lia]].
  - destruct (Z.ltb_spec prefix (lower cell length)) as [L|L].
    + split; [auto|split; [lia|]]. apply Rle_trans with (IZR (lower cell length)); [apply IZR_le; lia|apply encloses].
    + destruct (Z.ltb_spec prefix (upper cell length)) as [U|U].
      * split; [auto|split; [lia|left; lia]].
      * assert (Hb' : before (S cell) * 2 ^ length <= IZR prefix).
        { simpl. apply Rle_trans with (IZR (upper cell length)); [apply encloses|now apply IZR_le]. }
        specialize (IH length prefix (S cell) Hb'). destruct (scan lower upper steps length prefix (S cell)) as [cell' found].
        destruct IH as (I1 & I2 & I3). split; [auto|split; [lia|]]. destruct found; auto. destruct I3; [left; auto|right; lia].
Qed.

(** Integers in an interval: at most its length and one. *)
Lemma count_in_interval M a b : sum_below M (fun i => if Rle_dec a (INR i) then if Rle_dec (INR i) b then 1 else 0 else 0)
  <= Rmax 0 (Rmin (b + 1) (INR M) - a).
Proof.
  induction M as [|M IH]; [simpl; apply Rmax_l|]. rewrite sum_below_S. revert IH. rewrite S_INR.
  generalize (sum_below M (fun i => if Rle_dec a (INR i) then if Rle_dec (INR i) b then 1 else 0 else 0)). intros x.
  unfold Rmin. destruct (Rle_dec (b + 1) (INR M)), (Rle_dec (b + 1) (INR M + 1)), (Rle_dec a (INR M)); try destruct (Rle_dec (INR M) b);
    unfold Rmax; repeat destruct Rle_dec; intros; lra.
Qed.

Section Undecided.
Variable J : nat.
Variable units : R.
Hypothesis units_nonneg : 0 <= units.
Hypothesis within_units : forall cell length, (cell <= J)%nat -> IZR (upper cell length) - IZR (lower cell length) <= units.

(** A prefix that some look might leave undecided: near the boundary of one of the first cells, or beyond them. *)
Definition near (length : nat) (prefix : Z) (cell : nat) : R :=
  if Rle_dec (G cell * 2 ^ length - units) (IZR prefix) then if Rle_dec (IZR prefix) (G cell * 2 ^ length + units) then 1 else 0 else 0.
Definition beyond (length : nat) (prefix : Z) : R := if Rle_dec (G J * 2 ^ length) (IZR prefix) then 1 else 0.
Definition open_to_doubt (length : nat) (prefix : Z) : R := sum_below (S J) (near length prefix) + beyond length prefix.

Lemma near_nonneg length prefix cell : 0 <= near length prefix cell.
Proof. unfold near. destruct Rle_dec; [destruct Rle_dec|]; lra. Qed.
Lemma open_to_doubt_nonneg length prefix : 0 <= open_to_doubt length prefix.
Proof.
  unfold open_to_doubt. assert (0 <= sum_below (S J) (near length prefix)).
  { rewrite <- (Rmult_0_r (INR (S J))), <- sum_below_const. apply sum_below_le. intros; apply near_nonneg. }
  unfold beyond. destruct Rle_dec; lra.
Qed.
Lemma undecided_is_open length prefix cell cell' : (J < length)%nat -> before cell * 2 ^ length <= IZR prefix ->
  scan lower upper (patience length) length prefix cell = (cell', false) -> 1 <= open_to_doubt length prefix.
Proof.
  intros HL Hb E. assert (S := scan_spec (patience length) length prefix cell Hb). rewrite E in S. destruct S as (S1 & S2 & S3).
  assert (P := patient length). assert (P2 := power_positive length).
  assert (N : 0 <= sum_below (Datatypes.S J) (near length prefix)).
  { rewrite <- (Rmult_0_r (INR (Datatypes.S J))), <- sum_below_const. apply sum_below_le. intros; apply near_nonneg. }
  unfold open_to_doubt. destruct (Nat.le_gt_cases cell' J) as [C|C].
  - destruct S3 as [S3|S3]; [|lia].
    assert (near length prefix cell' = 1).
    { destruct (encloses cell' length) as [E1 E2]. assert (W := within_units cell' length C). destruct S3 as [B1 B2].
      apply IZR_le in B1. apply IZR_lt in B2. unfold near. destruct Rle_dec; [destruct Rle_dec|]; lra. }
    assert (near length prefix cell' <= sum_below (Datatypes.S J) (near length prefix)).
    { clear -C. induction J as [|j IH]; [assert (cell' = O) as -> by lia; simpl; lra|].
      rewrite sum_below_S. destruct (Nat.eq_dec cell' (Datatypes.S j)) as [->|].
      - assert (0 <= sum_below (Datatypes.S j) (near length prefix)); [|lra].
        rewrite <- (Rmult_0_r (INR (Datatypes.S j))), <- sum_below_const. apply sum_below_le. intros; apply near_nonneg.
      - generalize (IH ltac:(lia)) (near_nonneg length prefix (Datatypes.S j)). lra. }
    unfold beyond. destruct Rle_dec; lra.
  - (* beyond: every cell up to J ends before U *)
    assert (G J <= before cell') by (destruct cell'; [lia|simpl; apply G_mono; lia]).
    unfold beyond. destruct Rle_dec as [|F]; [lra|]. exfalso. apply F. nra.
Qed.

(** The average over all ways to go on for k more words. *)
Definition average_later (k length : nat) (prefix : Z) : R :=
  sum_below (2 ^ (k * refill)) (fun i => open_to_doubt (length + k * refill) (prefix * 2 ^ Z.of_nat (k * refill) + Z.of_nat i)) / 2 ^ (k * refill).

Lemma average_later_S k length prefix : average_later (S k) length prefix
  = sum_below (2 ^ refill) (fun w => average_later k (length + refill) (prefix * 2 ^ Z.of_nat refill + Z.of_nat w)) / 2 ^ refill.
Proof.
  unfold average_later. set (m := (k * refill)%nat). replace (S k * refill)%nat with (refill + m)%nat by (unfold m; lia).
  rewrite Nat.pow_add_r, sum_below_block, pow_add. unfold Rdiv. rewrite Rinv_mult, (Rmult_comm (/ 2 ^ refill)), <- Rmult_assoc. f_equal.
  rewrite Rmult_comm, <- sum_below_scal. apply sum_below_ext. intros w _. rewrite Rmult_comm. f_equal. apply sum_below_ext. intros i _. f_equal; [lia|].
  rewrite !Nat2Z.inj_add, Nat2Z.inj_mul, Nat2Z.inj_pow, Z.pow_add_r by lia. change (Z.of_nat 2) with 2%Z. ring.
Qed.

Lemma average_later_small k length prefix : (0 <= prefix)%Z -> (prefix + 1 <= 2 ^ Z.of_nat length)%Z ->
  average_later k length prefix <= INR (S J) * (2 * units + 1) / 2 ^ (k * refill) + 2 ^ length * (1 - G J).
Proof.
  intros H0 H1. unfold average_later. set (m := (k * refill)%nat). assert (Pm := power_positive m). assert (Pl := power_positive length).
  set (M := (2 ^ m)%nat). assert (HM : INR M = 2 ^ m) by (unfold M; rewrite pow_INR; reflexivity).
  assert (PZ : IZR (2 ^ Z.of_nat m) = 2 ^ m) by (rewrite <- pow_IZR; reflexivity).
  unfold open_to_doubt. rewrite sum_below_plus.
  assert (A : sum_below M (fun i => sum_below (S J) (near (length + m) (prefix * 2 ^ Z.of_nat m + Z.of_nat i))) <= INR (S J) * (2 * units + 1)).
  { rewrite sum_below_swap, <- sum_below_const. apply sum_below_le. intros cell _.
    set (x := G cell * 2 ^ (length + m) - IZR prefix * 2 ^ m).
    rewrite (sum_below_ext M _ (fun i => if Rle_dec (x - units) (INR i) then if Rle_dec (INR i) (x + units) then 1 else 0 else 0)).
    - eapply Rle_trans; [apply count_in_interval|]. unfold Rmax, Rmin. repeat destruct Rle_dec; lra.
    - intros i _. unfold near. rewrite plus_IZR, mult_IZR, PZ, <- INR_IZR_INZ. unfold x. repeat destruct Rle_dec; lra. }
  assert (B : sum_below M (fun i => beyond (length + m) (prefix * 2 ^ Z.of_nat m + Z.of_nat i)) <= 2 ^ m * (2 ^ length * (1 - G J))).
  { set (x := G J * 2 ^ (length + m) - IZR prefix * 2 ^ m).
    rewrite (sum_below_ext M _ (fun i => if Rle_dec x (INR i) then if Rle_dec (INR i) (INR M) then 1 else 0 else 0)).
    - eapply Rle_trans; [apply count_in_interval|]. apply IZR_le in H1. rewrite plus_IZR, <- pow_IZR in H1. change (IZR 2) with 2 in H1.
      generalize (G_unit J). intros [G0 G1]. unfold x. rewrite pow_add, HM.
      apply Rmax_lub; [apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]|].
      apply Rle_trans with (2 ^ m - (G J * (2 ^ length * 2 ^ m) - IZR prefix * 2 ^ m)).
      + generalize (Rmin_r (2 ^ m + 1) (2 ^ m)). lra.
      + replace (2 ^ m - (G J * (2 ^ length * 2 ^ m) - IZR prefix * 2 ^ m)) with (2 ^ m * (IZR prefix + 1 - G J * 2 ^ length)) by ring.
        apply Rmult_le_compat_l; lra.
    - intros i Hi. assert (INR i <= INR M) by (apply le_INR; lia). unfold beyond. rewrite plus_IZR, mult_IZR, PZ, <- INR_IZR_INZ. unfold x.
      repeat destruct Rle_dec; lra. }
  apply Rmult_le_reg_r with (2 ^ m); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  replace ((INR (S J) * (2 * units + 1) * / 2 ^ m + 2 ^ length * (1 - G J)) * 2 ^ m) with (INR (S J) * (2 * units + 1) + 2 ^ m * (2 ^ length * (1 - G J))) by (field; lra).
  lra.
Qed.

Lemma loop_near_mean g (Hg : in_unit g) k : forall length prefix cell, (0 <= prefix)%Z -> before cell * 2 ^ length <= IZR prefix -> (J < length + k * refill)%nat ->
  Rabs (expect (loop (length, prefix, cell)) g - mean_in g length prefix) <= average_later k length prefix.
Proof.
  induction k as [|k IH]; intros length prefix cell H0 Hb HL.
  all: unfold loop; rewrite expect_loop by auto; unfold refine at 1.
  all: assert (S := scan_spec (patience length) length prefix cell Hb); destruct (scan lower upper (patience length) length prefix cell) as [cell' found] eqn:E;
    destruct S as (S1 & S2 & S3).
  all: assert (P := power_positive length).
  all: assert (Found : found = true -> mean_in g length prefix = g cell').
  1,3: intros ->; unfold mean_in; rewrite (gathered_in_cell g Hg cell');
    [rewrite plus_IZR; field; lra
    |split; [apply Rmult_le_pos; [now apply (IZR_le 0)|left; now apply Rinv_0_lt_compat]|apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|apply IZR_le; lia]]
    |apply Rmult_le_reg_r with (2 ^ length); auto; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra
    |apply Rmult_le_reg_r with (2 ^ length); auto; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra].
  all: assert (Pos : forall k l v, 0 <= average_later k l v).
  1,3: intros k' l v; unfold average_later; apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, power_positive];
    rewrite <- (Rmult_0_r (INR (2 ^ (k' * refill)))), <- sum_below_const; apply sum_below_le; intros; apply open_to_doubt_nonneg.
  all: destruct found; [rewrite expect_return; cbn [on_flow]; rewrite Found, Rminus_eq_0, Rabs_R0 by auto; apply Pos|].
  - assert (D := undecided_is_open length prefix cell cell' ltac:(lia) Hb E).
    unfold average_later. simpl (0 * refill)%nat. rewrite Nat.add_0_r. simpl sum_below. rewrite Z.mul_1_r, Z.add_0_r, Rplus_0_l.
    assert (Hu : in_unit (on_flow (fun s => expect (Loop (refine lower upper patience refill) s) g) g)) by (intros [s|a]; simpl; [apply expect_unit|]; auto).
    match goal with |- Rabs (?x - _) <= _ => assert (0 <= x <= 1) by (apply expect_unit; auto) end.
    generalize (mean_in_unit g Hg length prefix H0). intros. apply Rle_trans with 1; [apply Rabs_le; lra|]. unfold Rdiv. simpl. rewrite Rinv_1. lra.
  - assert (Hu : in_unit (on_flow (fun s => expect (Loop (refine lower upper patience refill) s) g) g)) by (intros [s|a]; simpl; [apply expect_unit|]; auto).
    rewrite expect_bind, expect_bits by (auto; intros a; apply expect_unit; auto).
    rewrite (mean_in_split g length prefix refill), average_later_S.
    assert (Pr := power_positive refill). set (F := fun w => average_later k (length + refill) (prefix * 2 ^ Z.of_nat refill + Z.of_nat w)).
    assert (D : forall m (x y : nat -> R), (forall i, Rabs (x i - y i) <= F i) -> Rabs (sum_below m x - sum_below m y) <= sum_below m F).
    { intros m x y H. induction m; simpl; [rewrite Rminus_eq_0, Rabs_R0; lra|].
      replace (sum_below m x + x m - (sum_below m y + y m)) with ((sum_below m x - sum_below m y) + (x m - y m)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. generalize (H m). lra. }
    unfold Rdiv. rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_pos_eq (/ 2 ^ refill)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply D. intros w. rewrite expect_return. cbn [on_flow]. unfold F.
    apply IH; [nia| |lia].
    rewrite pow_add, plus_IZR, mult_IZR, <- pow_IZR, <- INR_IZR_INZ, <- Rmult_assoc. change (IZR 2) with 2. generalize (pos_INR w). nra.
Qed.
End Undecided.

(** From any prefix on, the score is the mean over the U with that prefix. *)
Lemma invert_from_exact g length prefix : in_unit g -> (0 <= prefix)%Z -> (prefix + 1 <= 2 ^ Z.of_nat length)%Z ->
  expect (invert_from lower upper patience refill length prefix) g = mean_in g length prefix.
Proof.
  intros Hg H0 H1. set (x := expect (invert_from lower upper patience refill length prefix) g - mean_in g length prefix). assert (X : x = 0); [|unfold x in X; lra].
  apply Rabs_eq_0. apply Rle_antisym; [|apply Rabs_pos]. apply le_epsilon. intros slack Hs. rewrite Rplus_0_l.
  assert (Pl := power_positive length).
  (* Few U are beyond cell J … *)
  assert (exists J, 2 ^ length * (1 - G J) <= slack / 2) as [J HJ].
  { assert (L := G_limit). apply is_lim_seq_spec in L. destruct (L (mkposreal (slack / 2 / 2 ^ length) ltac:(apply Rdiv_lt_0_compat; lra))) as [J HJ].
    exists J. specialize (HJ J (le_n J)). simpl in HJ. apply Rabs_lt_between in HJ. generalize (G_unit J). intros.
    apply Rmult_le_reg_r with (/ 2 ^ length); [now apply Rinv_0_lt_compat|].
    replace (2 ^ length * (1 - G J) * / 2 ^ length) with (1 - G J) by (field; lra). unfold Rdiv in HJ |- *. lra. }
  assert (exists units, 0 <= units /\ forall cell l, (cell <= J)%nat -> IZR (upper cell l) - IZR (lower cell l) <= units) as (units & U0 & U1).
  { clear -tightens. induction J as [|J (u & U0 & U1)].
    - destruct (tightens O) as [u U]. exists (Rmax 0 u). split; [apply Rmax_l|]. intros cell l H. assert (cell = O) as -> by lia.
      eapply Rle_trans; [apply U|apply Rmax_r].
    - destruct (tightens (S J)) as [v V]. exists (Rmax u v). split; [eapply Rle_trans; [exact U0|apply Rmax_l]|].
      intros cell l H. destruct (Nat.eq_dec cell (S J)) as [->|].
      + eapply Rle_trans; [apply V|apply Rmax_r].
      + eapply Rle_trans; [apply U1; lia|apply Rmax_l]. }
  (* … and few are near a boundary, after k words. *)
  set (K := INR (S J) * (2 * units + 1)). assert (K0 : 0 < K) by (apply Rmult_lt_0_compat; [apply lt_0_INR; lia|lra]).
  assert (exists k, (J < length + k * refill)%nat /\ K / 2 ^ (k * refill) <= slack / 2) as (k & Hk & HK).
  { assert (L : is_lim_seq (fun n => (/2) ^ n) 0) by (apply is_lim_seq_geom; rewrite Rabs_pos_eq; lra).
    apply is_lim_seq_spec in L. destruct (L (mkposreal (slack / 2 / K) ltac:(apply Rdiv_lt_0_compat; lra))) as [n Hn].
    exists (n + J + 1)%nat. split; [nia|]. specialize (Hn ((n + J + 1) * refill)%nat ltac:(nia)). simpl in Hn.
    rewrite Rminus_0_r, pow_inv in Hn. apply Rabs_lt_between in Hn. destruct Hn as [_ Hn]. unfold Rdiv at 1.
    apply Rmult_lt_compat_l with (r := K) in Hn; auto. replace (K * (slack / 2 / K)) with (slack / 2) in Hn by (field; lra). lra. }
  eapply Rle_trans; [apply (loop_near_mean J units U1 g Hg k length prefix O H0); [simpl; apply (IZR_le 0) in H0; lra|exact Hk]|].
  eapply Rle_trans; [apply (average_later_small J units U0 k length prefix H0 H1)|]. fold K. lra.
Qed.

Lemma Rdiv_1 x : x / 1 = x. Proof. field. Qed.
Lemma expect_invert g : in_unit g -> expect (invert lower upper patience width refill) g = gathered g 1.
Proof.
  intros Hg. unfold invert. rewrite expect_bind, expect_bits by (auto; intros a; apply expect_unit; auto).
  assert (M := mean_in_split g O 0%Z width). simpl plus in M. rewrite Z.mul_0_l in M.
  transitivity (mean_in g O 0%Z).
  - rewrite M. f_equal. apply sum_below_ext. intros i Hi. rewrite Z.add_0_l. apply invert_from_exact; auto; [lia|].
    apply inj_lt in Hi. rewrite Nat2Z.inj_pow in Hi. change (Z.of_nat 2) with 2%Z in Hi. apply Zlt_le_succ in Hi. exact Hi.
  - unfold mean_in. simpl (0 + 1)%Z. simpl (2 ^ 0). rewrite Rdiv_1, Rdiv_1, gathered_zero by auto. ring.
Qed.

(** Lazy inversion is exact: the score of cell j counts with P(j) = G(j) - G(j - 1). *)
Theorem lazy_inversion_exact g : in_unit g ->
  is_lim_seq (fun J => sum_below J (fun j => (G j - before j) * g j)) (expect (invert lower upper patience width refill) g).
Proof.
  intros Hg. rewrite expect_invert by auto. eapply is_lim_seq_ext; [|apply gathered_limit; auto; lra].
  intros J. unfold gathered_by. apply sum_below_ext. intros j _.
  assert (before j <= 1) by (destruct j; simpl; [lra|apply G_unit]). rewrite !Rmin_right by (auto; apply G_unit). ring.
Qed.
Theorem lazy_inversion_probability j : probability (invert lower upper patience width refill) (Nat.eqb j) = G j - before j.
Proof.
  assert (L := lazy_inversion_exact (indicator (Nat.eqb j)) ltac:(auto)).
  assert (L2 : is_lim_seq (fun J => sum_below J (fun i => (G i - before i) * indicator (Nat.eqb j) i)) (G j - before j)).
  { apply is_lim_seq_ext_loc with (fun _ => G j - before j); [|apply is_lim_seq_const].
    exists (S j). intros J HJ. rewrite (sum_below_single _ j).
    - replace (j <? J)%nat with true by (symmetry; apply Nat.ltb_lt; lia). unfold indicator. rewrite Nat.eqb_refl. lra.
    - intros i Hi. unfold indicator. destruct (Nat.eqb_spec j i); [lia|lra]. }
  apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. injection L as L. unfold probability. now rewrite <- L.
Qed.
Theorem lazy_inversion_total : total (invert lower upper patience width refill) = 1.
Proof.
  assert (L := lazy_inversion_exact (fun _ => 1) ltac:(auto)). rewrite total_expect.
  assert (L2 : is_lim_seq (fun J => sum_below J (fun j => (G j - before j) * 1)) 1).
  { apply is_lim_seq_incr_1. eapply is_lim_seq_ext; [|exact G_limit]. intros J.
    induction J; [simpl; lra|]. rewrite sum_below_S, <- IHJ. simpl. lra. }
  apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. now injection L.
Qed.
End Exact.

(** The invariant can be met: the floors of G(j)·2^length, which the tables hold, are such enclosures, with one more as the upper bound. *)
Theorem floors_enclose (G : nat -> R) (cell length : nat) :
  let lower := Int_part (G cell * 2 ^ length) in
  IZR lower <= G cell * 2 ^ length <= IZR (lower + 1) /\ IZR (lower + 1) - IZR lower <= 1.
Proof. intros lower. destruct (base_Int_part (G cell * 2 ^ length)) as [H1 H2]. fold lower in H1, H2. rewrite plus_IZR. lra. Qed.
