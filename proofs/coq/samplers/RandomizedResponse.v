(** Randomized response among k >= 2 answers: the truth with the coin's probability p, each other answer with (1 - p)/(k - 1). *)
Require Import Reals Lra Lia Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Uniform Bernoulli.
Open Scope R_scope.

Theorem respond_probability coin p k truth answer : is_coin coin p -> (2 <= k)%Z -> (0 <= truth < k)%Z -> (0 <= answer < k)%Z ->
  probability (respond coin k truth) (Z.eqb answer) = if (answer =? truth)%Z then p else (1 - p) / IZR (k - 1).
Proof.
  intros Hc Hk Ht Ha. unfold probability, respond. rewrite expect_bind by auto.
  rewrite Hc by (intros b; apply expect_unit; auto). rewrite expect_return, expect_bind by auto.
  rewrite expect_uniform by (try (intros b; apply expect_unit; auto); lia).
  set (other := if (answer <=? truth)%Z then answer else (answer - 1)%Z).
  destruct (Z.eqb_spec answer truth) as [->|N].
  - rewrite (sum_below_ext _ _ (fun _ => 0)).
    + rewrite sum_below_const. unfold indicator. rewrite Z.eqb_refl. unfold Rdiv. lra.
    + intros i _. rewrite expect_return. unfold indicator.
      destruct (Z.leb_spec truth (Z.of_nat i)); (destruct (Z.eqb_spec truth (Z.of_nat i + 1)) || idtac);
      destruct (Z.eqb_spec truth (Z.of_nat i)); try lra; lia.
  - rewrite (sum_below_single _ (Z.to_nat other)).
    + replace (Z.to_nat other <? Z.to_nat (k - 1))%nat with true.
      2:{ symmetry. apply Nat.ltb_lt. unfold other. destruct (Z.leb_spec answer truth); lia. }
      rewrite expect_return. unfold indicator. rewrite Z2Nat.id by (unfold other; destruct (Z.leb_spec answer truth); lia).
      replace (answer =? truth)%Z with false by (symmetry; apply Z.eqb_neq; auto).
      replace (answer =? (if (truth <=? other)%Z then other + 1 else other))%Z with true; [unfold Rdiv; lra|].
      symmetry. apply Z.eqb_eq. unfold other. destruct (Z.leb_spec answer truth);
        [destruct (Z.leb_spec truth answer)|destruct (Z.leb_spec truth (answer - 1))]; lia.
    + intros i Hi. rewrite expect_return. unfold indicator.
      destruct (Z.eqb_spec answer (if (truth <=? Z.of_nat i)%Z then Z.of_nat i + 1 else Z.of_nat i)%Z) as [E|]; auto.
      exfalso. apply Hi. unfold other. destruct (Z.leb_spec truth (Z.of_nat i)), (Z.leb_spec answer truth); lia.
Qed.

Theorem respond_total coin p k truth : is_coin coin p -> (2 <= k)%Z -> total (respond coin k truth) = 1.
Proof.
  intros Hc Hk. rewrite total_expect. unfold respond. rewrite expect_bind by auto.
  rewrite Hc by (intros b; apply expect_unit; auto). rewrite expect_return, expect_bind by auto.
  rewrite (expect_ext (uniform (k - 1)) _ (fun _ => 1)) by (intros; now rewrite expect_return).
  rewrite <- (total_expect (uniform (k - 1))), uniform_total by lia. lra.
Qed.

Theorem randomized_response_probability pn pd k truth answer : (0 < pd)%Z -> (0 <= pn <= pd)%Z ->
  (2 <= k)%Z -> (0 <= truth < k)%Z -> (0 <= answer < k)%Z ->
  probability (randomized_response pn pd k truth) (Z.eqb answer)
  = if (answer =? truth)%Z then IZR pn / IZR pd else (1 - IZR pn / IZR pd) / IZR (k - 1).
Proof. intros. apply respond_probability; auto. now apply bernoulli_is_coin. Qed.
Theorem randomized_response_total pn pd k truth : (0 < pd)%Z -> (0 <= pn <= pd)%Z -> (2 <= k)%Z ->
  total (randomized_response pn pd k truth) = 1.
Proof. intros. apply (respond_total _ (IZR pn / IZR pd)); auto. now apply bernoulli_is_coin. Qed.
