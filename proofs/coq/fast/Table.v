(** A table of magnitudes, [src/sample/prepared/table.rs]: [width] bits of a uniform real, a sign, and where those bits do not decide, more of the real.
    The real inverts the cumulative probabilities of the magnitude; half of a magnitude's mass goes to either sign, and both halves of zero's to zero. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Uniform Bernoulli.
From Certus.fast Require Import LazyInversion LazyCoin Buckets.
Open Scope R_scope.

Definition table (lower upper : nat -> nat -> Z) (patience : nat -> nat) (width refill : nat) : Program Z :=
  Bind (bits width) (fun u =>
  Bind Bit (fun negative =>
  Bind (invert_from lower upper patience refill width u) (fun magnitude =>
  Return (if negative then - Z.of_nat magnitude else Z.of_nat magnitude)%Z))).

Section Exact.
(** G(j) = P(|y| <= j). *)
Variable G : nat -> R.
Hypothesis G_nonneg : 0 <= G O.
Hypothesis G_rises : forall j, G j <= G (S j).
Hypothesis G_limit : is_lim_seq G 1.
Variables lower upper : nat -> nat -> Z.
Variable patience : nat -> nat.
Variables width refill : nat.
Hypothesis refill_positive : (0 < refill)%nat.
Hypothesis encloses : forall cell length, IZR (lower cell length) <= G cell * 2 ^ length <= IZR (upper cell length).
Hypothesis tightens : forall cell, exists units, forall length, IZR (upper cell length) - IZR (lower cell length) <= units.
Hypothesis patient : forall length, (length < patience length)%nat.

Lemma expect_table g : in_unit g -> expect (table lower upper patience width refill) g
  = expect (invert lower upper patience width refill) (fun j => (g (- Z.of_nat j)%Z + g (Z.of_nat j)) / 2).
Proof.
  intros Hg. unfold table, invert. rewrite expect_bind by auto.
  assert (Hh : in_unit (fun j : nat => (g (- Z.of_nat j)%Z + g (Z.of_nat j)) / 2)) by (intros j; generalize (Hg (- Z.of_nat j)%Z) (Hg (Z.of_nat j)); lra).
  rewrite (expect_bind _ _ Hh). apply expect_ext. intros u. rewrite expect_bind by auto.
  rewrite (expect_ext Bit _ (fun negative : bool => expect (invert_from lower upper patience refill width u)
    (fun j => g (if negative then - Z.of_nat j else Z.of_nat j)%Z))).
  - rewrite bit_commutes by (intros b j; apply Hg). apply expect_ext. intros j. now rewrite expect_bit.
  - intros negative. rewrite expect_bind by auto. apply expect_ext. intros j. now rewrite expect_return.
Qed.

Theorem table_exact y : probability (table lower upper patience width refill) (Z.eqb y)
  = if (y =? 0)%Z then G O else (G (Z.abs_nat y) - before G (Z.abs_nat y)) / 2.
Proof.
  unfold probability. rewrite expect_table by auto.
  set (c := if (y =? 0)%Z then 1 else 1 / 2).
  rewrite (expect_ext _ _ (fun j => c * indicator (Nat.eqb (Z.abs_nat y)) j)).
  - rewrite expect_scal by auto. fold (probability (invert lower upper patience width refill) (Nat.eqb (Z.abs_nat y))).
    rewrite (lazy_inversion_probability G) by auto. unfold c. destruct (Z.eqb_spec y 0) as [E|]; [rewrite E; simpl; lra|lra].
  - intros j. unfold indicator, c. destruct (Z.eqb_spec y (- Z.of_nat j)), (Z.eqb_spec y (Z.of_nat j)), (Nat.eqb_spec (Z.abs_nat y) j), (Z.eqb_spec y 0); try lra; lia.
Qed.
Theorem table_total : total (table lower upper patience width refill) = 1.
Proof.
  rewrite total_expect, expect_table by auto. rewrite (expect_ext _ _ (fun _ => 1)) by (intros; lra).
  rewrite <- total_expect. now apply (lazy_inversion_total G).
Qed.
End Exact.
