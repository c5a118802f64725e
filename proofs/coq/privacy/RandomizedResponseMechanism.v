(** Randomized response is ε-DP wherever the truth is at most e^ε times as likely as each other answer, and the other way round. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model FiniteSums Uniform Bernoulli RandomizedResponse.
From Certus.privacy Require Import Definitions.
Open Scope R_scope.

(** No answer outside 0 … k - 1 is possible. *)
Lemma respond_within coin p k truth answer : is_coin coin p -> (2 <= k)%Z -> (0 <= truth < k)%Z -> ~ (0 <= answer < k)%Z ->
  probability (respond coin k truth) (Z.eqb answer) = 0.
Proof.
  intros Hc Hk Ht Ha. unfold probability, respond. rewrite expect_bind by auto.
  rewrite Hc by (intros b; apply expect_unit; auto). rewrite expect_return, expect_bind by auto.
  rewrite expect_uniform by (try (intros b; apply expect_unit; auto); lia).
  rewrite (sum_below_ext _ _ (fun _ => 0)).
  - rewrite sum_below_const. unfold indicator. destruct (Z.eqb_spec answer truth); [lia|]. unfold Rdiv. lra.
  - intros i Hi. rewrite expect_return. unfold indicator.
    destruct (Z.eqb_spec answer (if (truth <=? Z.of_nat i)%Z then Z.of_nat i + 1 else Z.of_nat i)%Z) as [E|]; auto.
    destruct (Z.leb_spec truth (Z.of_nat i)); lia.
Qed.

Theorem respond_private coin p k epsilon truth truth' : is_coin coin p -> (2 <= k)%Z -> 0 <= epsilon ->
  p <= exp epsilon * ((1 - p) / IZR (k - 1)) -> (1 - p) / IZR (k - 1) <= exp epsilon * p ->
  (0 <= truth < k)%Z -> (0 <= truth' < k)%Z ->
  pure_dp epsilon (respond coin k truth) (respond coin k truth').
Proof.
  intros Hc Hk He H1 H2 Ht Ht' event. apply expect_le_by_outputs; auto; [left; apply exp_pos|]. intros y.
  unfold at_output. simpl same.
  change (probability (respond coin k truth) (Z.eqb y) <= exp epsilon * probability (respond coin k truth') (Z.eqb y)).
  assert (E1 : 1 <= exp epsilon) by (rewrite <- exp_0; destruct He as [He| <-]; [left; now apply exp_increasing|lra]).
  destruct (Z_le_dec 0 y), (Z_lt_dec y k); [|rewrite !(respond_within coin p) by (auto; lia); lra..].
  assert (P : forall t, 0 <= probability (respond coin k t) (Z.eqb y)) by (intros t; apply expect_unit; auto).
  generalize (P truth'). rewrite !(respond_probability coin p) by (auto; lia).
  destruct (y =? truth)%Z, (y =? truth')%Z; intros; nra.
Qed.

(** The truth with a rational probability p. *)
Theorem randomized_response_private pn pd k epsilon truth truth' : (0 < pd)%Z -> (0 <= pn <= pd)%Z -> (2 <= k)%Z -> 0 <= epsilon ->
  IZR pn / IZR pd <= exp epsilon * ((1 - IZR pn / IZR pd) / IZR (k - 1)) ->
  (1 - IZR pn / IZR pd) / IZR (k - 1) <= exp epsilon * (IZR pn / IZR pd) ->
  (0 <= truth < k)%Z -> (0 <= truth' < k)%Z ->
  pure_dp epsilon (randomized_response pn pd k truth) (randomized_response pn pd k truth').
Proof. intros. apply (respond_private _ (IZR pn / IZR pd)); auto. now apply bernoulli_is_coin. Qed.

(** The truth with p = 1/(1 + (k - 1)·e^-ε), by any coin of that probability. *)
Theorem respond_by_epsilon_private coin k epsilon truth truth' : (2 <= k)%Z -> 0 <= epsilon ->
  is_coin coin (1 / (1 + IZR (k - 1) * exp (- epsilon))) -> (0 <= truth < k)%Z -> (0 <= truth' < k)%Z ->
  pure_dp epsilon (respond coin k truth) (respond coin k truth').
Proof.
  intros Hk He Hc Ht Ht'. assert (K : 1 <= IZR (k - 1)) by (apply IZR_le; lia). assert (E := exp_pos (- epsilon)).
  assert (E1 : exp epsilon * exp (- epsilon) = 1) by (rewrite <- exp_plus, Rplus_opp_r, exp_0; auto).
  assert (E2 : 1 <= exp epsilon) by (rewrite <- exp_0; destruct He as [He| <-]; [left; now apply exp_increasing|lra]).
  set (m := IZR (k - 1)) in *. set (x := exp (- epsilon)) in *. set (y := exp epsilon) in *.
  assert (D : 0 < 1 + m * x) by nra.
  assert (Q : (1 - 1 / (1 + m * x)) / m = x / (1 + m * x)) by (field; lra).
  apply (respond_private coin (1 / (1 + m * x))); auto; fold m; rewrite Q; fold y.
  - right. unfold Rdiv. rewrite <- Rmult_assoc, E1. ring.
  - unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. nra.
Qed.
