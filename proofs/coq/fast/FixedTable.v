(** The tables of fixed work, [src/sample/fixed/inversion.rs]: a full scan of short thresholds, which decides
    unless a threshold is equal to the digits that were drawn, or all are below them where the table has an
    open end; and the exact path, which looks at enclosures from the first cell on, at every length anew. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Uniform.
From Certus.fast Require Import LazyInversion.
Import ListNotations.
Open Scope R_scope.

(** [Inversion::scan]: how many thresholds are below u, and whether that is in doubt. The greatest number
    fills the last group up; [is_open] says of an index whether it is the open end. *)
Definition table_scan (thresholds : list Z) (is_open : nat -> bool) (u : Z) : nat * bool :=
  let below := length (filter (fun t => (t <? u)%Z) thresholds) in
  (below, orb (existsb (Z.eqb u) thresholds) (is_open below)).

(** [Inversion::settle], for digits of which [length] are known: [Inversion::locate], and if it cannot tell,
    [step] more of them. A cell that the Rust's list of bounds does not reach has the bounds 0 and 2^length.
    *)
Section Settle.
Variables lower upper : nat -> nat -> Z.
Variable patience : nat -> nat.
Variable step : nat.
Definition settle_step (state : nat * Z) : Program (Flow (nat * Z) nat) :=
  let '(length, prefix) := state in
  let '(cell, found) := scan lower upper (patience length) length prefix O in
  if found then Return (Break cell)
  else Bind (bits step) (fun more => Return (Continue ((length + step)%nat, (prefix * 2 ^ Z.of_nat step + more)%Z))).
Definition settle_table (length : nat) (prefix : Z) : Program nat := Loop settle_step (length, prefix).
End Settle.

Section Exact.
(** F(j) = P(cell <= j). *)
Variable G : nat -> R.
Hypothesis G_nonneg : 0 <= G O.
Hypothesis G_rises : forall j, G j <= G (S j).
Hypothesis G_limit : is_lim_seq G 1.
Variables lower upper : nat -> nat -> Z.
Variable patience : nat -> nat.
Variable step : nat.
Hypothesis step_positive : (0 < step)%nat.
Hypothesis encloses : forall cell length, IZR (lower cell length) <= G cell * 2 ^ length <= IZR (upper cell length).
Hypothesis tightens : forall cell, exists units, forall length, IZR (upper cell length) - IZR (lower cell length) <= units.
Hypothesis patient : forall length, (length < patience length)%nat.

(** U in [prefix, prefix + 1)·2^-length is in one cell: then its mean score is the score of that cell. *)
Lemma mean_in_cell g cell length prefix : in_unit g -> (0 <= prefix)%Z -> before G cell * 2 ^ length <= IZR prefix ->
  IZR (prefix + 1) <= G cell * 2 ^ length -> mean_in G g length prefix = g cell.
Proof.
  intros Hg H0 Hb HG. assert (P := power_positive length). assert (I : 0 < / 2 ^ length) by now apply Rinv_0_lt_compat.
  unfold mean_in. rewrite (gathered_in_cell G G_nonneg G_rises g Hg cell).
  - rewrite plus_IZR. field. lra.
  - split; [apply Rmult_le_pos; [now apply (IZR_le 0)|lra]|apply Rmult_le_compat_r; [lra|apply IZR_le; lia]].
  - apply Rmult_le_reg_r with (2 ^ length); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply Rmult_le_reg_r with (2 ^ length); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma settle_near_mean J units (within_units : forall cell length, (cell <= J)%nat -> IZR (upper cell length) - IZR (lower cell length) <= units) g (Hg : in_unit g) k :
  forall length prefix, (0 <= prefix)%Z -> (J < length + k * step)%nat ->
  Rabs (expect (settle_table lower upper patience step length prefix) g - mean_in G g length prefix) <= average_later G step J units k length prefix.
Proof.
  assert (Pos : forall k l v, 0 <= average_later G step J units k l v).
  { intros k' l v. unfold average_later. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, power_positive].
    rewrite <- (Rmult_0_r (INR (2 ^ (k' * step)))), <- sum_below_const. apply sum_below_le. intros. now apply open_to_doubt_nonneg. }
  induction k as [|k IH]; intros length prefix H0 HL.
  all: unfold settle_table; rewrite expect_loop by auto; unfold settle_step at 1.
  all: assert (Hb : before G 0 * 2 ^ length <= IZR prefix) by (simpl; apply (IZR_le 0) in H0; lra).
  all: assert (S := scan_spec G lower upper step step_positive encloses (patience length) length prefix O Hb);
    destruct (scan lower upper (patience length) length prefix O) as [cell' found] eqn:E; destruct S as (S1 & S2 & S3).
  all: destruct found; [rewrite expect_return; cbn [on_flow]; rewrite (mean_in_cell g cell') by auto; rewrite Rminus_eq_0, Rabs_R0; apply Pos|].
  all: assert (Hu : in_unit (on_flow (fun s => expect (Loop (settle_step lower upper patience step) s) g) g)) by (intros [s|a]; simpl; [apply expect_unit|]; auto).
  - assert (D := undecided_is_open G G_rises lower upper patience step step_positive encloses patient J units within_units length prefix O cell' ltac:(lia) Hb E).
    unfold average_later. simpl (0 * step)%nat. rewrite Nat.add_0_r. simpl sum_below. rewrite Z.mul_1_r, Z.add_0_r, Rplus_0_l.
    match goal with |- Rabs (?x - _) <= _ => assert (0 <= x <= 1) by (apply expect_unit; auto) end.
    generalize (mean_in_unit G G_nonneg G_rises g Hg length prefix H0). intros. apply Rle_trans with 1; [apply Rabs_le; lra|]. unfold Rdiv. simpl. rewrite Rinv_1. lra.
  - rewrite expect_bind, expect_bits by (auto; intros a; apply expect_unit; auto).
    rewrite (mean_in_split G g length prefix step), average_later_S by auto.
    assert (Pr := power_positive step). set (F := fun w => average_later G step J units k (length + step) (prefix * 2 ^ Z.of_nat step + Z.of_nat w)).
    assert (D : forall m (x y : nat -> R), (forall i, Rabs (x i - y i) <= F i) -> Rabs (sum_below m x - sum_below m y) <= sum_below m F).
    { intros m x y H. induction m; simpl; [rewrite Rminus_eq_0, Rabs_R0; lra|].
      replace (sum_below m x + x m - (sum_below m y + y m)) with ((sum_below m x - sum_below m y) + (x m - y m)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. generalize (H m). lra. }
    unfold Rdiv. rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_pos_eq (/ 2 ^ step)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply D. intros w. rewrite expect_return. cbn [on_flow]. unfold F.
    apply IH; [nia|lia].
Qed.

(** The exact path: from any digits on, the score is the mean over the U that begin with them. *)
Lemma settle_exact g length prefix : in_unit g -> (0 <= prefix < 2 ^ Z.of_nat length)%Z ->
  expect (settle_table lower upper patience step length prefix) g = mean_in G g length prefix.
Proof.
  intros Hg [H0 H1]. set (x := expect (settle_table lower upper patience step length prefix) g - mean_in G g length prefix). assert (X : x = 0); [|unfold x in X; lra].
  apply Rabs_eq_0. apply Rle_antisym; [|apply Rabs_pos]. apply le_epsilon. intros slack Hs. rewrite Rplus_0_l.
  assert (Pl := power_positive length).
  assert (exists J, 2 ^ length * (1 - G J) <= slack / 2) as [J HJ].
  { assert (L := G_limit). apply is_lim_seq_spec in L. destruct (L (mkposreal (slack / 2 / 2 ^ length) ltac:(apply Rdiv_lt_0_compat; lra))) as [J HJ].
    exists J. specialize (HJ J (le_n J)). simpl in HJ. apply Rabs_lt_between in HJ.
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
  set (K := INR (S J) * (2 * units + 1)). assert (K0 : 0 < K) by (apply Rmult_lt_0_compat; [apply lt_0_INR; lia|lra]).
  assert (exists k, (J < length + k * step)%nat /\ K / 2 ^ (k * step) <= slack / 2) as (k & Hk & HK).
  { assert (L : is_lim_seq (fun n => (/2) ^ n) 0) by (apply is_lim_seq_geom; rewrite Rabs_pos_eq; lra).
    apply is_lim_seq_spec in L. destruct (L (mkposreal (slack / 2 / K) ltac:(apply Rdiv_lt_0_compat; lra))) as [n Hn].
    exists (n + J + 1)%nat. split; [nia|]. specialize (Hn ((n + J + 1) * step)%nat ltac:(nia)). simpl in Hn.
    rewrite Rminus_0_r, pow_inv in Hn. apply Rabs_lt_between in Hn. destruct Hn as [_ Hn]. unfold Rdiv at 1.
    apply Rmult_lt_compat_l with (r := K) in Hn; auto. replace (K * (slack / 2 / K)) with (slack / 2) in Hn by (field; lra). lra. }
  eapply Rle_trans; [apply (settle_near_mean J units U1 g Hg k length prefix H0 Hk)|].
  eapply Rle_trans; [apply (average_later_small G G_nonneg G_rises G_limit step step_positive J units U0 k length prefix H0); lia|]. fold K. lra.
Qed.

(** ** The scan *)
Variables (digits pad : nat) (floors : list Z) (is_open : nat -> bool).
Let greatest := (2 ^ Z.of_nat digits - 1)%Z.
Let thresholds := floors ++ repeat greatest (S pad).
Hypothesis floors_are : forall j, (j < length floors)%nat -> IZR (nth j floors 0%Z) <= G j * 2 ^ digits < IZR (nth j floors 0%Z) + 1.
(** Past the last floor the end is open, or it is the last cell. *)
Hypothesis ends : is_open (length floors) = true \/ G (length floors) = 1.

Lemma scan_floors u l : forall from, (forall i, (i < length l)%nat -> IZR (nth i l 0%Z) <= G (from + i)%nat * 2 ^ digits < IZR (nth i l 0%Z) + 1) -> ~ In u l ->
  let j := length (filter (fun t => (t <? u)%Z) l) in
  (j <= length l)%nat /\ (forall i, (i < j)%nat -> G (from + i)%nat * 2 ^ digits <= IZR u) /\ ((j < length l)%nat -> IZR (u + 1) <= G (from + j)%nat * 2 ^ digits).
Proof.
  induction l as [|t l IH]; intros from HF Hu; cbn [filter length]; [split; [lia|split; intros; lia]|].
  assert (P := power_positive digits).
  assert (F0 := HF O ltac:(simpl; lia)). rewrite Nat.add_0_r in F0. simpl nth in F0.
  destruct (Z.ltb_spec t u) as [B|B].
  - specialize (IH (S from)). cbv zeta in IH. lapply IH; clear IH; [intros IH|].
    2:{ intros i Hi. rewrite Nat.add_succ_comm. apply (HF (S i)). simpl. lia. }
    lapply IH; clear IH; [intros (I1 & I2 & I3)|intros Q; apply Hu; now right]. cbn [length]. split; [lia|split].
    + intros [|i] Hi; [rewrite Nat.add_0_r; apply Zlt_le_succ, IZR_le in B; rewrite succ_IZR in B; lra|]. rewrite <- Nat.add_succ_comm. apply I2. lia.
    + intros Hj. rewrite <- Nat.add_succ_comm. apply I3. lia.
  - assert (T : (u + 1 <= t)%Z). { assert (u <> t) by (intros ->; apply Hu; now left). lia. }
    assert (N : filter (fun t => (t <? u)%Z) l = []).
    { assert (K : forall x, In x l -> (x <? u)%Z = false).
      { intros x Hx. destruct (In_nth l x 0%Z Hx) as (i & Hi & <-). specialize (HF (S i) ltac:(simpl; lia)). simpl nth in HF.
        assert (G from <= G (from + S i)%nat) by (apply G_mono; auto; lia).
        assert (IZR t < IZR (nth i l 0%Z + 1)) by (rewrite plus_IZR; nra). apply lt_IZR in H0. apply Z.ltb_ge. lia. }
      clear -K. induction l as [|x l IH]; auto. simpl. rewrite K by now left. apply IH. intros y Hy. apply K. now right. }
    rewrite N. cbn [length]. split; [lia|split; [intros; lia|]]. intros _. rewrite Nat.add_0_r. apply IZR_le in T. lra.
Qed.

(** What the scan says without doubt is true of every number that begins with these digits. *)
Theorem table_scan_decides u : (0 <= u < 2 ^ Z.of_nat digits)%Z -> snd (table_scan thresholds is_open u) = false ->
  let j := fst (table_scan thresholds is_open u) in before G j * 2 ^ digits <= IZR u /\ IZR (u + 1) <= G j * 2 ^ digits.
Proof.
  intros Hu. unfold table_scan, thresholds. cbn [fst snd]. intros D. apply Bool.orb_false_elim in D. destruct D as [D1 D2].
  assert (NI : forall x, In x (floors ++ repeat greatest (S pad)) -> x <> u).
  { intros x Hx ->. assert (existsb (Z.eqb u) (floors ++ repeat greatest (S pad)) = true); [|congruence].
    apply existsb_exists. exists u. split; auto. apply Z.eqb_refl. }
  assert (F : length (filter (fun t => (t <? u)%Z) (floors ++ repeat greatest (S pad))) = length (filter (fun t => (t <? u)%Z) floors)).
  { rewrite filter_app, app_length. replace (filter (fun t => (t <? u)%Z) (repeat greatest (S pad))) with (@nil Z); [simpl; lia|].
    clear -Hu. induction (S pad) as [|k IH]; simpl; auto. unfold greatest. destruct (Z.ltb_spec (2 ^ Z.of_nat digits - 1) u); [lia|exact IH]. }
  rewrite F in D2 |- *. destruct (scan_floors u floors O floors_are) as (S1 & S2 & S3).
  { intros I. apply (NI u); auto. apply in_or_app. now left. }
  set (j := length (filter (fun t => (t <? u)%Z) floors)) in *. simpl plus in *. split.
  - destruct j as [|i]; simpl; [destruct Hu as [Hu _]; apply (IZR_le 0) in Hu; lra|]. apply S2. lia.
  - destruct (Nat.eq_dec j (length floors)) as [E|E]; [|apply S3; lia].
    destruct ends as [O|One]; [rewrite E, O in D2; discriminate|]. rewrite E, One, Rmult_1_l.
    destruct Hu as [_ Hu]. apply Zlt_le_succ, IZR_le in Hu. rewrite <- pow_IZR in Hu. exact Hu.
Qed.

(** So the exact path would say the same. *)
Theorem table_scan_is_settle u g : in_unit g -> (0 <= u < 2 ^ Z.of_nat digits)%Z -> snd (table_scan thresholds is_open u) = false ->
  expect (settle_table lower upper patience step digits u) g = g (fst (table_scan thresholds is_open u)).
Proof.
  intros Hg Hu D. rewrite settle_exact by auto. destruct (table_scan_decides u Hu D). apply mean_in_cell; auto. lia.
Qed.
End Exact.

(** [Inversion::ambiguous]: each floor is one word; past the last, the greatest number, or all words of an
    open end. *)
Section Ambiguity.
Variables (digits pad : nat) (floors : list Z) (is_open : nat -> bool).
Let greatest := (2 ^ Z.of_nat digits - 1)%Z.
Let thresholds := floors ++ repeat greatest (S pad).

(** How many words of [0, M) are above the last floor. *)
Lemma count_above last M : (-1 <= last)%Z -> sum_below M (fun i => if (last <? Z.of_nat i)%Z then 1 else 0) <= Rmax 0 (IZR (Z.of_nat M - 1 - last)).
Proof.
  intros HL. induction M as [|M IH]; [simpl; apply Rmax_l|]. rewrite sum_below_S. revert IH. rewrite !minus_IZR, <- !INR_IZR_INZ, S_INR.
  destruct (Z.ltb_spec last (Z.of_nat M)) as [B|B].
  - apply Zlt_le_succ, IZR_le in B. rewrite succ_IZR, <- INR_IZR_INZ in B. unfold Rmax. repeat destruct Rle_dec; lra.
  - intros. eapply Rle_trans; [|apply Rmax_l]. apply IZR_le in B. rewrite <- INR_IZR_INZ in B. revert IH. unfold Rmax. destruct Rle_dec; lra.
Qed.

Definition beyond_words : Z := if is_open (length floors) then (greatest - last floors (-1)%Z)%Z else 1%Z.

(** An index that is not the number of floors is never the open end; floors are words. *)
Hypothesis open_end_only : forall j, j <> length floors -> is_open j = false.
Hypothesis floors_are_words : forall t, In t floors -> (0 <= t <= greatest)%Z.

Theorem table_ambiguity : probability (bits digits) (fun u => snd (table_scan thresholds is_open u)) <= (INR (length floors) + IZR beyond_words) / 2 ^ digits.
Proof.
  unfold probability. rewrite expect_bits by auto. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; lra|].
  set (M := (2 ^ digits)%nat). assert (HM : Z.of_nat M = (greatest + 1)%Z) by (unfold M, greatest; rewrite Nat2Z.inj_pow; simpl Z.of_nat; lia).
  assert (One : forall t, sum_below M (fun i => if (Z.of_nat i =? t)%Z then 1 else 0) <= 1).
  { intros t. rewrite (sum_below_single _ (Z.to_nat t)).
    - destruct (_ <? _)%nat; [|lra]. destruct (_ =? _)%Z; lra.
    - intros i Hi. destruct (Z.eqb_spec (Z.of_nat i) t); [lia|lra]. }
  set (past := fun i => if is_open (length floors) then if (last floors (-1)%Z <? Z.of_nat i)%Z then 1 else 0 else if (Z.of_nat i =? greatest)%Z then 1 else 0).
  set (on := fun (l : list Z) (i : nat) => fold_right (fun t sum => (if (Z.of_nat i =? t)%Z then 1 else 0) + sum) 0 l).
  assert (On0 : forall l i, 0 <= on l i) by (intros l i; induction l; simpl; [lra|]; destruct (_ =? _)%Z; lra).
  assert (OnIn : forall l i, In (Z.of_nat i) l -> 1 <= on l i).
  { induction l as [|t l IH]; intros i; simpl; [easy|]. intros [->|I]; [rewrite Z.eqb_refl; generalize (On0 l i); lra|].
    specialize (IH i I). destruct (_ =? _)%Z; lra. }
  assert (Past0 : forall i, 0 <= past i) by (intros i; unfold past; destruct (is_open _); [destruct (_ <? _)%Z|destruct (_ =? _)%Z]; lra).
  apply Rle_trans with (sum_below M (fun i => on floors i + past i)).
  - apply sum_below_le. intros i Hi. unfold indicator. destruct (snd (table_scan thresholds is_open (Z.of_nat i))) eqn:E; [|generalize (On0 floors i) (Past0 i); lra].
    unfold table_scan in E. cbn [snd] in E. apply Bool.orb_prop in E.
    destruct (in_dec Z.eq_dec (Z.of_nat i) floors) as [I|I]; [generalize (OnIn floors i I) (Past0 i); lra|].
    assert (Above : is_open (length floors) = true -> length (filter (fun t => (t <? Z.of_nat i)%Z) thresholds) = length floors -> (last floors (-1)%Z < Z.of_nat i)%Z).
    { intros _ L. unfold thresholds in L. rewrite filter_app, app_length in L.
      replace (filter (fun t => (t <? Z.of_nat i)%Z) (repeat greatest (S pad))) with (@nil Z) in L.
      2:{ assert (Hg : (Z.of_nat i <= greatest)%Z) by lia. clear -Hg. induction (S pad) as [|k IH]; simpl; auto. destruct (Z.ltb_spec greatest (Z.of_nat i)); [lia|exact IH]. }
      simpl in L. rewrite Nat.add_0_r in L.
      assert (All : forall t, In t floors -> (t < Z.of_nat i)%Z).
      { clear -L. induction floors as [|x l IH]; [easy|]. simpl in L. destruct (Z.ltb_spec x (Z.of_nat i)) as [B|B].
        - simpl in L. injection L as L. intros t [<-|Q]; auto.
        - exfalso. assert (F : forall l, (length (filter (fun t => (t <? Z.of_nat i)%Z) l) <= length l)%nat) by (induction l0; simpl; [lia|destruct (_ <? _)%Z; simpl; lia]).
          specialize (F l). lia. }
      destruct floors as [|x l]; [simpl; lia|]. apply All. clear. revert x. induction l as [|y l IH]; intros x; [now left|right; apply IH]. }
    assert (P : past i = 1); [|generalize (On0 floors i); lra].
    destruct E as [E|E].
    + apply existsb_exists in E. destruct E as (x & Hx & Ex). apply Z.eqb_eq in Ex. subst x. apply in_app_or in Hx. destruct Hx as [Hx|Hx]; [contradiction|].
      apply repeat_spec in Hx. unfold past. destruct (is_open (length floors)); [|now rewrite Hx, Z.eqb_refl].
      destruct (Z.ltb_spec (last floors (-1)%Z) (Z.of_nat i)) as [B|B]; auto. exfalso. apply I.
      assert (L : last floors (-1)%Z = Z.of_nat i).
      { destruct floors as [|y l]; [simpl in B; lia|]. assert (W := floors_are_words (last (y :: l) (-1)%Z)).
        lapply W; [intros; lia|]. clear. revert y. induction l as [|z l IH]; intros y; [now left|right; apply IH]. }
      rewrite <- L. destruct floors as [|y l]; [simpl in L; lia|]. clear. revert y. induction l as [|z l IH]; intros y; [now left|right; apply IH].
    + assert (L : length (filter (fun t => (t <? Z.of_nat i)%Z) thresholds) = length floors).
      { destruct (Nat.eq_dec (length (filter (fun t => (t <? Z.of_nat i)%Z) thresholds)) (length floors)); auto. rewrite open_end_only in E by auto. discriminate. }
      rewrite L in E. specialize (Above E L). unfold past. rewrite E. destruct (Z.ltb_spec (last floors (-1)%Z) (Z.of_nat i)); [auto|lia].
  - rewrite sum_below_plus. apply Rplus_le_compat.
    + assert (OnSum : forall l, sum_below M (on l) <= INR (length l)); [|apply OnSum].
      induction l as [|t l IH]; [rewrite (sum_below_ext _ _ (fun _ => 0)) by reflexivity; rewrite sum_below_const; simpl; lra|].
      cbn [length]. rewrite S_INR. rewrite (sum_below_ext _ _ (fun i => (if (Z.of_nat i =? t)%Z then 1 else 0) + on l i)) by reflexivity.
      rewrite sum_below_plus. generalize (One t). lra.
    + unfold past, beyond_words. destruct (is_open (length floors)); [|apply One].
      assert (HL : (-1 <= last floors (-1)%Z <= greatest)%Z).
      { assert (0 <= greatest)%Z by (unfold greatest; generalize (Z.pow_pos_nonneg 2 (Z.of_nat digits)); lia).
        destruct floors as [|y l]; [simpl; lia|]. assert (W := floors_are_words (last (y :: l) (-1)%Z)). lapply W; [lia|].
        clear. revert y. induction l as [|z l IH]; intros y; [now left|right; apply IH]. }
      eapply Rle_trans; [apply count_above; lia|]. rewrite HM. apply Rmax_lub; [apply (IZR_le 0); lia|apply IZR_le; lia].
Qed.
End Ambiguity.
