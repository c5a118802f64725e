(** Fixed work, [src/sample/fixed]: trials are alike and independent, so that their number says nothing about the accepted value. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import FiniteSums.
From Certus.privacy Require Import Definitions Zcdp.
Open Scope R_scope.

(** A retry that also tells how many trials were rejected before the accepted one. *)
Definition counted {A} (trial : Program (Flow unit A)) : Program (nat * A) :=
  Loop (fun rejected => Bind trial (fun flow =>
    Return (match flow with Continue _ => Continue (S rejected) | Break a => Break (rejected, a) end))) O.

(** P(n rejections, and an output in the event) = P(n rejections)·P(an output in the event). *)
Theorem trial_count_is_independent A (trial : Program (Flow unit A)) (n : nat) (event : A -> bool) :
  total trial = 1 -> retry_share trial < 1 ->
  probability (counted trial) (fun outcome => andb (Nat.eqb (fst outcome) n) (event (snd outcome)))
  = probability (counted trial) (fun outcome => Nat.eqb (fst outcome) n) * probability (Loop (fun _ => trial) tt) event
  /\ probability (counted trial) (fun outcome => Nat.eqb (fst outcome) n) = retry_share trial ^ n * (1 - retry_share trial).
Proof.
  intros T R. set (r := retry_share trial) in *.
  assert (R0 : 0 <= r) by (apply expect_unit; auto).
  assert (Mass : accepted trial (fun _ => 1) = 1 - r).
  { assert (E : total trial = 1 * accepted trial (fun _ => 1) + 1 * r).
    { unfold r, accepted, retry_share. rewrite <- expect_lin by auto. apply expect_ext. intros [[]|a]; unfold indicator; simpl; lra. }
    lra. }
  unfold counted. set (step := fun rejected => Bind trial _).
  (* the score of n rejections and g, from j rejections on *)
  assert (K : forall g, in_unit g -> expect (Loop step O) (fun outcome => if Nat.eqb (fst outcome) n then g (snd outcome) else 0) = r ^ n * accepted trial g).
  { intros g Hg. set (h := fun outcome : nat * A => if Nat.eqb (fst outcome) n then g (snd outcome) else 0).
    assert (Hh : in_unit h) by (intros [j a]; unfold h; destruct (Nat.eqb _ n); auto; lra).
    set (V := fun j => expect (Loop step j) h).
    assert (HV : forall j, V j = r * V (S j) + (if Nat.eqb j n then accepted trial g else 0)).
    { intros j. unfold V. rewrite expect_loop by auto. unfold step at 1.
      assert (Hu : in_unit (on_flow (fun s => expect (Loop step s) h) h)) by (intros [s|o]; simpl; [apply expect_unit|]; auto).
      rewrite expect_bind by auto. set (v := expect (Loop step (S j)) h).
      assert (Hv : 0 <= v <= 1) by (apply expect_unit; auto).
      set (e := if Nat.eqb j n then 1 else 0). replace (if Nat.eqb j n then accepted trial g else 0) with (e * accepted trial g) by (unfold e; destruct (Nat.eqb j n); lra).
      rewrite Rmult_comm. unfold r, retry_share, accepted. rewrite <- expect_lin by auto. apply expect_ext.
      intros [[]|a]; rewrite expect_return; simpl; fold v; unfold h, e; simpl; try destruct (Nat.eqb j n); lra. }
    assert (Bound : forall j, 0 <= V j <= 1) by (intros j; apply expect_unit; auto).
    (* past n there is nothing *)
    assert (Past : forall j, (n < j)%nat -> V j = 0).
    { intros j Hj. assert (P : forall k, V j = r ^ k * V (j + k)%nat).
      { induction k; [simpl; rewrite Nat.add_0_r; lra|]. rewrite IHk, HV. destruct (Nat.eqb_spec (j + k) n); [lia|]. rewrite Nat.add_succ_r. simpl. ring. }
      apply Rle_antisym; [|apply Bound].
      apply (is_lim_seq_le (fun _ => V j) (fun k => r ^ k) (V j) 0); [|apply is_lim_seq_const|apply is_lim_seq_geom; rewrite Rabs_pos_eq; lra].
      intros k. rewrite (P k). generalize (Bound (j + k)%nat) (pow_le r k R0). nra. }
    assert (Up : forall k, (k <= n)%nat -> V O = r ^ k * V k).
    { induction k; intros Hk; [simpl; lra|]. rewrite IHk by lia. rewrite HV. destruct (Nat.eqb_spec k n); [lia|]. simpl. ring. }
    change (V O = r ^ n * accepted trial g). rewrite (Up n), HV, Nat.eqb_refl, Past by lia. ring. }
  assert (P1 : probability (Loop step O) (fun outcome => Nat.eqb (fst outcome) n) = r ^ n * (1 - r)).
  { rewrite <- Mass, <- K by auto. apply expect_ext. intros [j a]. reflexivity. }
  split; auto. rewrite P1. unfold probability at 2. rewrite expect_retry by auto. fold r.
  transitivity (r ^ n * accepted trial (indicator event)); [|field; lra].
  rewrite <- K by auto. apply expect_ext. intros [j a]. unfold indicator. simpl. destruct (Nat.eqb j n); reflexivity.
Qed.

(** Geometric weights are memoryless: a low digit below B and the rest, drawn independently, make a geometric number (q = e^(-1/s)). *)
Theorem memoryless_digits (q : R) (B : nat) (digit rest : Program nat) : 0 < q < 1 -> (0 < B)%nat -> total digit = 1 ->
  (forall d, (d < B)%nat -> at_output digit d = (1 - q) * q ^ d / (1 - q ^ B)) ->
  (forall x, at_output rest x = (1 - q ^ B) * q ^ (B * x)) ->
  forall k, at_output (Bind digit (fun d => Bind rest (fun x => Return (d + B * x)%nat))) k = (1 - q) * q ^ k.
Proof.
  intros Hq HB HT HD HX k.
  assert (QB : q ^ B < 1).
  { replace B with (S (B - 1)) by lia. simpl. assert (0 < q ^ (B - 1) <= 1); [|nra]. split; [apply pow_lt; lra|]. rewrite <- (pow1 (B - 1)). apply pow_incr. lra. }
  (* no digit is B or more *)
  assert (Small : probability digit (fun d => Nat.leb B d) = 0).
  { assert (Sp : total digit = probability digit (fun d => Nat.ltb d B) + probability digit (fun d => Nat.leb B d)).
    { rewrite <- (Rmult_1_l (probability digit (fun d => Nat.ltb d B))), <- (Rmult_1_l (probability digit (fun d => Nat.leb B d))).
      unfold probability. rewrite <- expect_lin by auto. apply expect_ext. intros d. unfold indicator. destruct (Nat.ltb_spec d B), (Nat.leb_spec B d); try lra; lia. }
    assert (L : probability digit (fun d => Nat.ltb d B) = 1).
    { assert (Sum : forall m, probability digit (fun d => Nat.ltb d m) = sum_below m (at_output digit)).
      { induction m as [|m IH].
        - unfold probability. rewrite (expect_ext digit _ (fun _ => 0)); [apply expect_zero|]. intros d. unfold indicator. destruct (Nat.ltb_spec d 0); [lia|lra].
        - rewrite sum_below_S, <- IH. rewrite <- (Rmult_1_l (probability digit (fun d => Nat.ltb d m))), <- (Rmult_1_l (at_output digit m)).
          unfold at_output, probability. rewrite <- expect_lin by auto. apply expect_ext. intros d. unfold indicator. simpl same.
          destruct (Nat.ltb_spec d (S m)), (Nat.ltb_spec d m), (Nat.eqb_spec m d); try lra; lia. }
      rewrite Sum, (sum_below_ext _ _ (fun d => (1 - q) / (1 - q ^ B) * q ^ d)) by (intros d Hd; rewrite HD by auto; field; lra).
      rewrite sum_below_scal, sum_below_geometric by lra. field. lra. }
    lra. }
  set (d0 := (k mod B)%nat). set (x0 := (k / B)%nat).
  assert (K : k = (d0 + B * x0)%nat) by (unfold d0, x0; rewrite Nat.add_comm; apply Nat.div_mod; lia).
  assert (D0 : (d0 < B)%nat) by (apply Nat.mod_upper_bound; lia).
  unfold at_output at 1, probability. rewrite expect_bind by auto.
  (* the score is that of the pair (d0, x0), but for digits that cannot be *)
  set (F := fun d => expect (Bind rest (fun x => Return (d + B * x)%nat)) (indicator (same k))).
  assert (HF : in_unit F) by (intros d; apply expect_unit; auto).
  set (p := at_output rest x0). assert (Hp : 0 <= p <= 1) by apply at_output_unit.
  assert (F0 : forall d, (d < B)%nat -> F d = p * indicator (Nat.eqb d0) d).
  { intros d Hd. unfold F, p, at_output, probability. rewrite expect_bind by auto. rewrite Rmult_comm. unfold indicator at 2. destruct (Nat.eqb_spec d0 d) as [<-|N].
    - rewrite Rmult_1_l. apply expect_ext. intros x. rewrite expect_return. unfold indicator. simpl same.
      destruct (Nat.eqb_spec k (d0 + B * x)), (Nat.eqb_spec x0 x); auto; exfalso; nia.
    - rewrite Rmult_0_l, (expect_ext rest _ (fun _ => 0)); [apply expect_zero|]. intros x. rewrite expect_return. unfold indicator. simpl same.
      destruct (Nat.eqb_spec k (d + B * x)) as [Q|]; auto. exfalso. apply N. unfold d0. rewrite Q, Nat.mul_comm, Nat.mod_add, Nat.mod_small by lia. reflexivity. }
  assert (E : expect digit F = p * at_output digit d0).
  { unfold at_output, probability. rewrite <- expect_scal by auto. change (fun a => p * indicator (same d0) a) with (fun a => p * indicator (Nat.eqb d0) a).
    assert (Hq' : in_unit (fun a => p * indicator (Nat.eqb d0) a)) by (intros a; generalize (indicator_unit (Nat.eqb d0) a); nra).
    set (big := fun d => Nat.leb B d).
    assert (Le : forall u v : nat -> R, in_unit u -> in_unit v -> (forall d, (d < B)%nat -> u d = v d) -> expect digit u <= expect digit v).
    { intros u v Hu Hv H. set (v' := fun d => if big d then v d else u d).
      assert (Hv' : in_unit v') by (intros d; unfold v'; destruct (big d); auto).
      apply Rle_trans with (expect digit v + probability digit big); [|unfold big; lra].
      set (m := fun d => Rmin 1 (v d + indicator big d)).
      assert (Hm : in_unit m) by (intros d; unfold m; generalize (Hv d) (indicator_unit big d); split; [apply Rmin_glb; lra|apply Rmin_l]).
      apply Rle_trans with (expect digit m).
      - apply expect_mono; auto. intros d. unfold m, indicator, big. generalize (Hu d) (Hv d). destruct (Nat.leb_spec B d); [intros; apply Rmin_glb; lra|].
        rewrite (H d) by auto. intros. apply Rmin_glb; lra.
      - (* m <= v + 1[big], halved to stay a score *)
        assert (expect digit (fun d => / 2 * m d) <= expect digit (fun d => / 2 * v d + / 2 * indicator big d)).
        { apply expect_mono.
          - intros d. generalize (Hm d). lra.
          - intros d. generalize (Hv d) (indicator_unit big d). lra.
          - intros d. unfold m. generalize (Rmin_r 1 (v d + indicator big d)). lra. }
        rewrite expect_scal, expect_lin in H0 by auto. unfold probability. lra. }
    apply Rle_antisym; apply Le; auto. intros d Hd. symmetry. auto. }
  fold F. rewrite E. unfold p. rewrite HX, HD by auto. replace (q ^ k) with (q ^ (d0 + B * x0)) by (f_equal; lia). rewrite pow_add. field. lra.
Qed.
