(** The acceptance of fixed work, [src/sample/fixed/acceptance.rs]: one comparison of a word v with an integer
    approximation A of p·2^width, which is off by at most E; the 2E words between A − E and A + E decide
    nothing, and more digits of the same number do. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Uniform.
From Certus.fast Require Import LazyInversion LazyCoin FixedTable.
Open Scope R_scope.

(** [Acceptance::decide]: whether v accepts, and whether it does not decide. The difference wraps. *)
Definition decide (width : nat) (start window v : Z) : bool * bool :=
  ((v <? start)%Z, ((v - start) mod 2 ^ Z.of_nat width <? window)%Z).

(** [minus_or_zero]: the first word that is in doubt, for the approximation A. *)
Definition start_of (approximation error : Z) : Z := Z.max (approximation - error) 0.

Lemma bits_ext k g h : in_unit g -> in_unit h -> (forall i, (0 <= i < 2 ^ Z.of_nat k)%Z -> g i = h i) -> expect (bits k) g = expect (bits k) h.
Proof.
  intros Hg Hh H. rewrite !expect_bits by auto. f_equal. apply sum_below_ext. intros i Hi. apply H. apply inj_lt in Hi. rewrite Nat2Z.inj_pow in Hi. simpl Z.of_nat in Hi at 2. lia.
Qed.
Lemma bits_const k c : 0 <= c <= 1 -> expect (bits k) (fun _ => c) = c.
Proof. intros H. rewrite expect_bits by (intros _; auto). rewrite sum_below_const, pow_INR. change (INR 2) with 2. field. apply pow_nonzero. lra. Qed.

Section Coin.
Variables lower upper : nat -> Z.
Variable refill : nat.
Variable p : R.
Hypothesis p_unit : 0 <= p <= 1.
Hypothesis refill_positive : (0 < refill)%nat.
Hypothesis encloses : forall length, IZR (lower length) <= p * 2 ^ length <= IZR (upper length).
Hypothesis tightens : exists units, forall length, IZR (upper length) - IZR (lower length) <= units.

(** Where the first digits decide, the exact path says the same. *)
Lemma below_given length v g : in_unit g -> (0 <= v < 2 ^ Z.of_nat length)%Z ->
  (IZR (v + 1) <= p * 2 ^ length -> expect (below lower upper refill length v) g = g true)
  /\ (p * 2 ^ length <= IZR v -> expect (below lower upper refill length v) g = g false).
Proof.
  intros Hg Hv. set (G := fun cell : nat => match cell with O => p | S _ => 1 end).
  set (h := fun cell => g (Nat.eqb cell 0)). assert (Hh : in_unit h) by (intros c; apply Hg).
  assert (G0 : 0 <= G O) by (simpl; lra). assert (GR : forall j, G j <= G (S j)) by (intros [|j]; simpl; lra).
  assert (E : expect (below lower upper refill length v) g = mean_in G h length v).
  { unfold below. rewrite expect_bind by auto. rewrite (expect_ext _ _ h) by (intros c; apply expect_return).
    apply invert_from_exact; auto; try lia.
    - apply is_lim_seq_incr_1. apply is_lim_seq_const.
    - intros [|cell] n; simpl; auto. rewrite <- pow_IZR. change (IZR 2) with 2. lra.
    - intros [|cell]; simpl; auto. exists 0. intros n. lra. }
  split; intros D; rewrite E.
  - apply (mean_in_cell G G0 GR refill refill_positive h 0); auto; [lia|]. simpl. destruct Hv as [Hv _]. apply (IZR_le 0) in Hv. lra.
  - apply (mean_in_cell G G0 GR refill refill_positive h 1); auto; [lia|]. simpl. destruct Hv as [_ Hv]. apply Zlt_le_succ, IZR_le in Hv.
    rewrite <- pow_IZR in Hv. unfold Z.succ in Hv. lra.
Qed.

Theorem decide_is_below width approximation error v g : in_unit g -> (0 <= v < 2 ^ Z.of_nat width)%Z -> (0 <= error)%Z ->
  IZR (approximation - error) <= p * 2 ^ width <= IZR (approximation + error) ->
  let decided := decide width (start_of approximation error) (2 * error) v in
  snd decided = false -> expect (below lower upper refill width v) g = g (fst decided).
Proof.
  intros Hg Hv HE [B1 B2] decided D. destruct (below_given width v g Hg Hv) as [T F].
  unfold decided, decide in *. cbn [fst snd] in *. apply Z.ltb_ge in D. unfold start_of in *.
  destruct (Z.ltb_spec v (Z.max (approximation - error) 0)) as [C|C].
  - apply T. eapply Rle_trans; [apply IZR_le|exact B1]. lia.
  - apply F. eapply Rle_trans; [exact B2|apply IZR_le]. rewrite Z.mod_small in D by lia. lia.
Qed.
End Coin.

(** [Acceptance::ambiguous]: at most as many words as the window has, whether it wraps or not. *)
Theorem decide_ambiguity width start window : (0 <= start <= 2 ^ Z.of_nat width)%Z -> (0 <= window)%Z ->
  probability (bits width) (fun v => snd (decide width start window v)) <= IZR window / 2 ^ width.
Proof.
  intros Hs Hw. unfold probability. rewrite expect_bits by auto. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; lra|].
  set (M := (2 ^ width)%nat). assert (HM : Z.of_nat M = (2 ^ Z.of_nat width)%Z) by (unfold M; now rewrite Nat2Z.inj_pow).
  set (h := fun i : nat => if (Z.of_nat i <? window)%Z then 1 else 0). set (s := Z.to_nat start).
  assert (E : sum_below M (fun i => indicator (fun v => snd (decide width start window v)) (Z.of_nat i)) = sum_below M h).
  { assert (MS : M = (s + (M - s))%nat) by lia. rewrite MS at 1. rewrite sum_below_app.
    rewrite (sum_below_ext s _ (fun i => h (M - s + i)%nat)), (sum_below_ext (M - s) _ h).
    - rewrite Rplus_comm, <- sum_below_app. f_equal. lia.
    - intros i Hi. unfold indicator, decide, h. cbn [snd]. rewrite Z.mod_small by lia. replace (Z.of_nat (s + i) - start)%Z with (Z.of_nat i) by lia. reflexivity.
    - intros i Hi. unfold indicator, decide, h. cbn [snd].
      replace ((Z.of_nat i - start) mod 2 ^ Z.of_nat width)%Z with (Z.of_nat (M - s + i)); [reflexivity|].
      apply Z.mod_unique with (-1)%Z; lia. }
  rewrite E. unfold h. clear -Hw. set (b := Z.to_nat window). replace (IZR window) with (INR b) by (unfold b; rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  assert (K : sum_below M (fun i => if (Z.of_nat i <? window)%Z then 1 else 0) <= INR (Nat.min M b)); [|eapply Rle_trans; [exact K|apply le_INR; lia]].
  induction M as [|M IH]; [simpl; lra|]. rewrite sum_below_S. destruct (Z.ltb_spec (Z.of_nat M) window) as [B|B].
  - replace (Nat.min (S M) b) with (S (Nat.min M b)) by lia. rewrite S_INR. lra.
  - replace (Nat.min (S M) b) with (Nat.min M b) by lia. lra.
Qed.
