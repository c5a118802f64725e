(** Randomized response by ε, [mechanism/randomized_response.rs]: the truth with p = 1/(1 + (k - 1)·e^-ε), irrational, by a coin that compares a uniform real,
    one bit at a time, with ever narrower enclosures of p. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model Bernoulli RandomizedResponse.
From Certus.privacy Require Import Definitions RandomizedResponseMechanism.
From Certus.fast Require Import LazyInversion LazyCoin.
Open Scope R_scope.

(** lower(length) <= p·2^length <= upper(length): the enclosures, as multiples of 2^-length rounded outward. *)
Definition truth_coin (lower upper : nat -> Z) : Program bool := lazy_coin lower upper 1 1.
Definition response_by_epsilon (lower upper : nat -> Z) (answers truth : Z) : Program Z := respond (truth_coin lower upper) answers truth.

Section Response.
Variables (k : Z) (epsilon : R) (lower upper : nat -> Z).
Hypotheses (Hk : (2 <= k)%Z) (He : 0 <= epsilon).
Let p := 1 / (1 + IZR (k - 1) * exp (- epsilon)).
Hypothesis encloses : forall length, IZR (lower length) <= p * 2 ^ length <= IZR (upper length).
Hypothesis tightens : exists units, forall length, IZR (upper length) - IZR (lower length) <= units.

Theorem truth_coin_is_coin : is_coin (truth_coin lower upper) p.
Proof.
  apply lazy_coin_exact; auto. assert (K : 1 <= IZR (k - 1)) by (apply IZR_le; lia). assert (E := exp_pos (- epsilon)).
  assert (D : 1 <= 1 + IZR (k - 1) * exp (- epsilon)) by nra. unfold p. split; [left; apply Rdiv_lt_0_compat; lra|].
  apply Rmult_le_reg_r with (1 + IZR (k - 1) * exp (- epsilon)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Theorem response_by_epsilon_probability truth answer : (0 <= truth < k)%Z -> (0 <= answer < k)%Z ->
  probability (response_by_epsilon lower upper k truth) (Z.eqb answer) = if (answer =? truth)%Z then p else (1 - p) / IZR (k - 1).
Proof. intros. apply respond_probability; auto. apply truth_coin_is_coin. Qed.
Theorem response_by_epsilon_private truth truth' : (0 <= truth < k)%Z -> (0 <= truth' < k)%Z ->
  pure_dp epsilon (response_by_epsilon lower upper k truth) (response_by_epsilon lower upper k truth').
Proof. intros. apply respond_by_epsilon_private; auto. apply truth_coin_is_coin. Qed.
End Response.
