(** The lazy coin: a uniform real V is revealed a word at a time and compared with enclosures of p until it is on one side of them. It is a coin of
    probability p, exactly, for any enclosures: squeezes, series and last resorts are such enclosures of e^-x. It is lazy inversion with two cells. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Uniform Bernoulli.
From Certus.fast Require Import LazyInversion.
Open Scope R_scope.

Section Coin.
(** lower(length) <= p·2^length <= upper(length). *)
Variables lower upper : nat -> Z.
Variable refill : nat.

(** Cell 0 is below p; cell 1 is the rest. *)
Definition cell_lower (cell length : nat) : Z := match cell with O => lower length | S _ => 2 ^ Z.of_nat length end.
Definition cell_upper (cell length : nat) : Z := match cell with O => upper length | S _ => 2 ^ Z.of_nat length end.

(** Whether V < p, for a V whose first bits are the prefix: true if prefix < lower, false if prefix >= upper, else after [refill] more bits. *)
Definition below (length : nat) (prefix : Z) : Program bool :=
  Bind (invert_from cell_lower cell_upper (fun length => length + 2)%nat refill length prefix) (fun cell => Return (Nat.eqb cell O)).
Definition lazy_coin (width : nat) : Program bool := Bind (bits width) (below width).

Variable p : R.
Hypothesis p_unit : 0 <= p <= 1.
Hypothesis refill_positive : (0 < refill)%nat.
Hypothesis encloses : forall length, IZR (lower length) <= p * 2 ^ length <= IZR (upper length).
Hypothesis tightens : exists units, forall length, IZR (upper length) - IZR (lower length) <= units.

Theorem lazy_coin_exact width : is_coin (lazy_coin width) p.
Proof.
  intros g Hg. set (G := fun cell : nat => match cell with O => p | S _ => 1 end).
  set (h := fun cell => g (Nat.eqb cell 0)). assert (Hh : in_unit h) by (intros c; apply Hg).
  transitivity (expect (invert cell_lower cell_upper (fun length => length + 2)%nat width refill) h).
  { unfold lazy_coin, invert. rewrite !expect_bind by auto. apply expect_ext. intros v. unfold below. rewrite expect_bind by auto.
    apply expect_ext. intros c. now rewrite expect_return. }
  assert (L := lazy_inversion_exact G).
  lapply L; [clear L; intros L|simpl; lra]. lapply L; [clear L; intros L|intros [|j]; simpl; lra].
  lapply L; [clear L; intros L|apply is_lim_seq_incr_1; apply is_lim_seq_const].
  specialize (L cell_lower cell_upper (fun length => length + 2)%nat width refill refill_positive).
  lapply L; [clear L; intros L|].
  2:{ intros [|cell] length; simpl; auto. rewrite <- pow_IZR. change (IZR 2) with 2. lra. }
  lapply L; [clear L; intros L|].
  2:{ intros [|cell]; simpl; auto. exists 0. intros length. lra. }
  lapply L; [clear L; intros L|intros length; lia].
  specialize (L h Hh).
  assert (L2 : is_lim_seq (fun J => sum_below J (fun j => (G j - before G j) * h j)) (p * g true + (1 - p) * g false)).
  { apply is_lim_seq_ext_loc with (fun _ => p * g true + (1 - p) * g false); [|apply is_lim_seq_const].
    exists 2%nat. intros J HJ. replace J with (2 + (J - 2))%nat by lia. rewrite sum_below_app.
    rewrite (sum_below_ext (J - 2) _ (fun _ => 0)) by (intros i _; simpl; lra). rewrite sum_below_const. unfold h. simpl. lra. }
  apply is_lim_seq_unique in L. rewrite (is_lim_seq_unique _ _ L2) in L. now injection L.
Qed.
End Coin.
