(** The coin of probability e^-x for every rational x >= 0. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Bernoulli.
Open Scope R_scope.

(** The terms of the exponential series. *)
Definition exp_term (x : R) (j : nat) := x ^ j / INR (fact j).
Lemma exp_series x : is_lim_seq (fun n => sum_below n (exp_term x)) (exp x).
Proof.
  apply is_lim_seq_incr_1.
  apply is_lim_seq_ext with (sum_n (fun k => scal (pow_n x k) (/ INR (fact k)))).
  - intros n. rewrite sum_below_sum_n. apply sum_n_ext. intros k. unfold exp_term. rewrite pow_n_pow. reflexivity.
  - apply (is_exp_Reals x).
Qed.
Lemma exp_term_vanishes x : is_lim_seq (exp_term x) 0.
Proof.
  replace (Finite 0) with (Finite (exp x - exp x)) by (f_equal; lra).
  apply is_lim_seq_ext with (fun n => sum_below (S n) (exp_term x) - sum_below n (exp_term x)).
  { intros n. simpl. lra. }
  apply is_lim_seq_minus'; [|apply exp_series].
  apply (is_lim_seq_incr_1 (fun n => sum_below n (exp_term x))). apply exp_series.
Qed.
Lemma limit_of_evens (u : nat -> R) (l : Rbar) : is_lim_seq u l -> is_lim_seq (fun n => u (2 * n)%nat) l.
Proof.
  intros H. apply (is_lim_seq_subseq u l (fun n => 2 * n)%nat); auto. apply eventually_subseq. intros n; lia.
Qed.
Lemma exp_term_S x j : exp_term x (S j) = exp_term x j * (x / INR (S j)).
Proof.
  unfold exp_term. change (fact (S j)) with (S j * fact j)%nat. rewrite mult_INR.
  change (x ^ S j) with (x * x ^ j). field. split; first [apply INR_fact_neq_0 | apply not_0_INR; lia].
Qed.
Lemma odd_of_next j : (Z.eqb ((Z.of_nat j + 1) mod 2) 1) = Nat.even j.
Proof.
  rewrite <- Z.bit0_eqb, Z.bit0_odd, Z.odd_add. simpl (Z.odd 1). rewrite <- Z.negb_even.
  replace (Z.even (Z.of_nat j)) with (Nat.even j); [now destruct (Nat.even j)|].
  induction j; [reflexivity|]. rewrite Nat2Z.inj_succ, Z.even_succ, Nat.even_succ.
  now rewrite <- Nat.negb_even, <- Z.negb_even, IHj.
Qed.

(** x = n/d in [0, 1]: the first false toss is at an odd place with probability Σ (-x)^k/k!. *)
Theorem unit_exp_is_coin n d : (0 < d)%Z -> (0 <= n <= d)%Z -> is_coin (unit_exp n d) (exp (- (IZR n / IZR d))).
Proof.
  intros Hd Hn g Hg. set (x := IZR n / IZR d).
  assert (Hdd : 0 < IZR d) by (apply (IZR_lt 0); lia).
  set (V := fun j : nat => expect (Loop (unit_exp_step n d) (Z.of_nat j + 1)%Z) g).
  assert (HV : forall j, V j = x / INR (S j) * V (S j) + (1 - x / INR (S j)) * g (Nat.even j)).
  { intros j. unfold V. rewrite expect_loop by auto. unfold unit_exp_step at 1.
    assert (Hu : in_unit (on_flow (fun s' => expect (Loop (unit_exp_step n d) s') g) g)).
    { intros [s|b]; simpl; [apply expect_unit|]; auto. }
    rewrite expect_bind by auto.
    rewrite bernoulli_is_coin by (try (intros b; apply expect_unit; auto); nia).
    rewrite 2!expect_return. simpl on_flow.
    replace (Z.of_nat j + 1 + 1)%Z with (Z.of_nat (S j) + 1)%Z by lia. rewrite odd_of_next.
    replace (IZR n / IZR (d * (Z.of_nat j + 1))) with (x / INR (S j)); [reflexivity|].
    unfold x. rewrite mult_IZR, plus_IZR, <- INR_IZR_INZ, S_INR. field. generalize (pos_INR j); lra. }
  assert (HU : forall N, V O = sum_below N (fun j => (exp_term x j - exp_term x (S j)) * g (Nat.even j)) + exp_term x N * V N).
  { induction N; [simpl; unfold exp_term; simpl; lra|]. rewrite IHN. simpl sum_below. rewrite (HV N), (exp_term_S x N). lra. }
  assert (HT : forall M, sum_below (2 * M) (fun j => (exp_term x j - exp_term x (S j)) * g (Nat.even j))
     = g true * sum_below (2 * M) (exp_term (- x)) + g false * (1 - exp_term x (2 * M) - sum_below (2 * M) (exp_term (- x)))).
  { assert (Hs : forall i, exp_term (-x) (2*i)%nat = exp_term x (2*i)%nat /\ exp_term (-x) (2*i+1)%nat = - exp_term x (2*i+1)%nat).
    { intros i. unfold exp_term. rewrite !pow_add, !pow_mult. replace ((-x)^2) with (x^2) by ring.
      split; [reflexivity|]. simpl (_ ^ 1). unfold Rdiv. ring. }
    assert (Hev : forall i, Nat.even (2*i) = true /\ Nat.even (2*i+1) = false).
    { intros i. split; [apply Nat.even_spec; now exists i|].
      rewrite <- Nat.negb_odd. replace (Nat.odd (2*i+1)) with true; auto. symmetry. apply Nat.odd_spec. now exists i. }
    induction M; [simpl; unfold exp_term; simpl; lra|].
    replace (2 * S M)%nat with (S (S (2 * M))) by lia. rewrite !sum_below_S, IHM.
    replace (S (2 * M)) with (2 * M + 1)%nat by lia.
    destruct (Hs M) as [-> ->], (Hev M) as [-> ->]. lra. }
  assert (L : is_lim_seq (fun M => V O) (g true * exp (-x) + g false * (1 - 0 - exp (-x)) + 0)).
  { eapply is_lim_seq_ext; [intros M; symmetry; rewrite (HU (2*M)%nat), HT; reflexivity|].
    assert (X1 := limit_of_evens _ _ (exp_series (-x))). assert (X2 := limit_of_evens _ _ (exp_term_vanishes x)).
    apply is_lim_seq_plus'.
    - apply is_lim_seq_plus'; (apply (is_lim_seq_scal_l _ _ (Finite _)); auto).
      apply is_lim_seq_minus'; auto. apply is_lim_seq_minus'; auto. apply is_lim_seq_const.
    - apply (is_lim_seq_le_le (fun _ => 0) _ (fun M => exp_term x (2*M)%nat)); auto using is_lim_seq_const.
      intros M. assert (Vb : 0 <= V (2*M)%nat <= 1) by (apply expect_unit; auto).
      assert (0 <= exp_term x (2*M)).
      { unfold exp_term. apply Rmult_le_pos; [apply pow_le | apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0].
        unfold x. apply Rmult_le_pos; [apply (IZR_le 0); lia | apply Rlt_le, Rinv_0_lt_compat; auto]. }
      nra. }
  apply is_lim_seq_unique in L. rewrite Lim_seq_const in L. injection L as L.
  unfold unit_exp. change (V O = exp (-x) * g true + (1 - exp (-x)) * g false). rewrite L. lra.
Qed.

(** Any x = n/d >= 0: ⌊x⌋ coins of e^-1 and one of the fraction. *)
Theorem bernoulli_exp_is_coin n d : (0 < d)%Z -> (0 <= n)%Z -> is_coin (bernoulli_exp n d) (exp (- (IZR n / IZR d))).
Proof.
  intros Hd Hn. unfold bernoulli_exp.
  assert (Hm := Z.mod_pos_bound n d Hd).
  assert (Hq : (0 <= n / d)%Z) by (apply Z.div_pos; lia).
  assert (Hdd : 0 < IZR d) by (apply (IZR_lt 0); lia).
  replace (exp (- (IZR n / IZR d))) with (exp (- INR (Z.to_nat (n / d)) - IZR (n mod d) / IZR d)).
  2:{ f_equal. rewrite INR_IZR_INZ, Z2Nat.id by auto. rewrite (Z.div_mod n d) at 3 by lia.
      rewrite plus_IZR, mult_IZR. field. lra. }
  rewrite <- (Z2Nat.id (n / d)) at 1 by auto.
  induction (Z.to_nat (n/d)) as [|q IH]; intros g Hg;
    (rewrite expect_loop by auto; unfold bernoulli_exp_step at 1;
     assert (Hu : in_unit (on_flow (fun s' => expect (Loop (bernoulli_exp_step (n mod d) d) s') g) g))
       by (intros [s|b]; simpl; [apply expect_unit|]; auto)).
  - change (Z.of_nat 0 =? 0)%Z with true. cbv iota. rewrite expect_bind by auto.
    rewrite unit_exp_is_coin by (try (intros b; apply expect_unit; auto); lia). rewrite !expect_return. simpl.
    replace (- 0 - IZR (n mod d) / IZR d) with (- (IZR (n mod d) / IZR d)) by lra. reflexivity.
  - destruct (Z.eqb_spec (Z.of_nat (S q)) 0); [lia|]. rewrite expect_bind by auto.
    rewrite unit_exp_is_coin by (try (intros b; apply expect_unit; auto); lia).
    rewrite !expect_return. cbn [on_flow]. replace (Z.of_nat (S q) - 1)%Z with (Z.of_nat q) by lia.
    rewrite IH by auto. rewrite S_INR.
    replace (- (INR q + 1) - IZR (n mod d) / IZR d) with (- (1/1) + (- INR q - IZR (n mod d) / IZR d)) by lra.
    rewrite exp_plus. ring.
Qed.

Theorem bernoulli_exp_probability n d : (0 < d)%Z -> (0 <= n)%Z ->
  probability (bernoulli_exp n d) (fun b => b) = exp (- (IZR n / IZR d)).
Proof. intros. now apply coin_probability, bernoulli_exp_is_coin. Qed.
Theorem bernoulli_exp_total n d : (0 < d)%Z -> (0 <= n)%Z -> total (bernoulli_exp n d) = 1.
Proof. intros. now apply (coin_probability _ (exp (- (IZR n / IZR d)))), bernoulli_exp_is_coin. Qed.
