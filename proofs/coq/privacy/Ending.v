(** Ending with probability 1. No output is no event, so that the definitions of privacy say nothing of how often there is one: what is released must end, and does if its
    noise does. *)
Require Import Reals Lra List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.privacy Require Import Definitions Zcdp Queries.
Import ListNotations.
Open Scope R_scope.

Theorem bind_total A B (p : Program A) (f : A -> Program B) : total p = 1 -> (forall a, total (f a) = 1) -> total (Bind p f) = 1.
Proof.
  intros Hp Hf. rewrite total_expect, expect_bind by auto. rewrite (expect_ext p _ (fun _ => 1)); [exact Hp|]. intros a. apply Hf.
Qed.
Lemma return_total A (a : A) : total (Return a) = 1.
Proof. rewrite total_expect. apply expect_return. Qed.
Theorem release_both_total A B (p : Program A) (f : A -> Program B) : total p = 1 -> (forall a, total (f a) = 1) -> total (release_both p f) = 1.
Proof. intros Hp Hf. apply bind_total; auto. intros a. apply bind_total; auto. intros b. apply return_total. Qed.
Theorem add_noise_total noise answer : total noise = 1 -> total (add_noise noise answer) = 1.
Proof. intros H. apply bind_total; auto. intros y. apply return_total. Qed.
Theorem add_noise_to_each_total noise answers : total noise = 1 -> total (add_noise_to_each noise answers) = 1.
Proof.
  intros H. induction answers as [|a answers IH]; cbn [add_noise_to_each]; [apply return_total|].
  apply bind_total; [|intros both; apply return_total]. apply release_both_total; auto. now apply add_noise_total.
Qed.
Theorem noisy_histogram_total T noise (bin : T -> nat) bins x : total noise = 1 -> total (noisy_histogram noise bin bins x) = 1.
Proof. intros H. now apply add_noise_to_each_total. Qed.
Theorem noisy_mean_total T B (value : T -> Z) lower upper sum_noise count_noise (quotient : Z -> Z -> B) x : total sum_noise = 1 -> total count_noise = 1 ->
  total (noisy_mean value lower upper sum_noise count_noise quotient x) = 1.
Proof.
  intros Hs Hc. apply bind_total; [|intros both; apply return_total]. apply release_both_total; [|intros _]; now apply add_noise_total.
Qed.
