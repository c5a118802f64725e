(** A table of magnitudes, [src/sample/prepared/table.rs]: [width] bits of a uniform real, a sign, and where those bits do not decide, more of the real.
    The real inverts the cumulative probabilities of the magnitude; half of a magnitude's mass goes to either sign, and both halves of zero's to zero. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums IntegerSums Uniform Bernoulli Geometric Laplace Gaussian.
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

(** ** The tables of the Laplace and of the Gaussian law *)

(** The sum of f over |y| <= j. *)
Definition up_to (f : Z -> R) (j : nat) : R := f 0%Z + sum_below j (fun i => f (Z.of_nat (S i)) + f (- Z.of_nat (S i))%Z).

Lemma up_to_within f j : up_to f j = sum_within j f + f (Z.of_nat j).
Proof.
  unfold up_to, sum_within. induction j as [|j IH]; [simpl; lra|]. rewrite !sum_below_S.
  replace (- Z.of_nat (S j))%Z with (-1 - Z.of_nat j)%Z by lia. lra.
Qed.
(** Any law that is the same on either side of 0: the table of its magnitudes draws it. *)
Lemma tabled_exact f lower upper patience width refill : (0 < refill)%nat -> (forall length, (length < patience length)%nat) ->
  (forall y, 0 <= f y) -> (forall y, f (- y)%Z = f y) -> is_lim_seq (fun N => sum_within N f) 1 ->
  (forall j length, IZR (lower j length) <= up_to f j * 2 ^ length <= IZR (upper j length)) ->
  (forall j, exists units, forall length, IZR (upper j length) - IZR (lower j length) <= units) ->
  (forall y, probability (table lower upper patience width refill) (Z.eqb y) = f y) /\ total (table lower upper patience width refill) = 1.
Proof.
  intros Hr Hp F0 Fs FL HE HT.
  assert (G0 : 0 <= up_to f 0) by (unfold up_to; simpl; generalize (F0 0%Z); lra).
  assert (Step : forall j, up_to f (S j) = up_to f j + (f (Z.of_nat (S j)) + f (- Z.of_nat (S j))%Z)) by (intros j; unfold up_to; rewrite sum_below_S; lra).
  assert (GR : forall j, up_to f j <= up_to f (S j)) by (intros j; rewrite Step; generalize (F0 (Z.of_nat (S j))) (F0 (- Z.of_nat (S j))%Z); lra).
  assert (GL : is_lim_seq (up_to f) 1).
  { apply is_lim_seq_le_le with (fun N => sum_within N f) (fun N => sum_within (S N) f); [|exact FL|exact (proj1 (is_lim_seq_incr_1 (fun N => sum_within N f) _) FL)].
    intros j. rewrite up_to_within. unfold sum_within. rewrite !sum_below_S. generalize (F0 (Z.of_nat j)) (F0 (-1 - Z.of_nat j)%Z). lra. }
  split; [|apply (table_total (up_to f)); auto].
  intros y. rewrite (table_exact (up_to f)) by auto. destruct (Z.eqb_spec y 0) as [->|N]; [unfold up_to; simpl; lra|].
  destruct (Z.abs_nat y) as [|j] eqn:E; [lia|]. cbn [before]. rewrite Step.
  rewrite Fs. assert (Y : f (Z.of_nat (S j)) = f y); [|rewrite Y; lra].
  destruct (Z.abs_spec y) as [[_ A]|[_ A]]; [|rewrite <- (Fs y)]; f_equal; lia.
Qed.

(** G(j) = P(|y| <= j), y of the reference sampler. *)
Theorem tabled_laplace_exact n d lower upper patience width refill : (0 < n)%Z -> (0 < d)%Z -> (0 < refill)%nat -> (forall length, (length < patience length)%nat) ->
  let G := up_to (fun y => probability (laplace n d) (Z.eqb y)) in
  (forall j length, IZR (lower j length) <= G j * 2 ^ length <= IZR (upper j length)) ->
  (forall j, exists units, forall length, IZR (upper j length) - IZR (lower j length) <= units) ->
  let sampler := table lower upper patience width refill in
  (forall y, probability sampler (Z.eqb y) = probability (laplace n d) (Z.eqb y)) /\ total sampler = 1.
Proof.
  intros Hn Hd Hr Hp G HE HT sampler. apply (tabled_exact (fun y => probability (laplace n d) (Z.eqb y))); auto.
  - intros y. apply expect_unit. auto.
  - intros y. rewrite !laplace_probability by auto. now rewrite opp_IZR, Rabs_Ropp.
  - rewrite <- (laplace_total n d) by auto. apply total_is_sum.
Qed.
(** G(j) = Σ e^(-y²/2σ²)/Z over |y| <= j. *)
Theorem tabled_gaussian_exact n d lower upper patience width refill : (0 < n)%Z -> (0 < d)%Z -> (0 < refill)%nat -> (forall length, (length < patience length)%nat) ->
  let G := up_to (fun y => gaussian_weight n d y / gaussian_normaliser n d) in
  (forall j length, IZR (lower j length) <= G j * 2 ^ length <= IZR (upper j length)) ->
  (forall j, exists units, forall length, IZR (upper j length) - IZR (lower j length) <= units) ->
  let sampler := table lower upper patience width refill in
  (forall y, probability sampler (Z.eqb y) = gaussian_weight n d y / gaussian_normaliser n d) /\ total sampler = 1.
Proof.
  intros Hn Hd Hr Hp G HE HT sampler. apply (tabled_exact (fun y => gaussian_weight n d y / gaussian_normaliser n d)); auto.
  - intros y. rewrite <- gaussian_probability by auto. apply expect_unit. auto.
  - intros y. unfold gaussian_weight. do 4 f_equal. rewrite opp_IZR. ring.
  - rewrite <- (gaussian_total n d) by auto. eapply is_lim_seq_ext; [|apply total_is_sum]. intros N. unfold sum_within.
    f_equal; apply sum_below_ext; intros i _; now apply gaussian_probability.
Qed.
