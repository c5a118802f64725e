(** Sums over the integers: Σ_{-N <= y < N} f(y), and P(any output) as their limit. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import FiniteSums.
Open Scope R_scope.

(** Σ_{-N <= y < N} f(y). *)
Definition sum_within (N : nat) (f : Z -> R) : R :=
  sum_below N (fun i => f (Z.of_nat i)) + sum_below N (fun i => f (-1 - Z.of_nat i)%Z).

Definition within (N : nat) (y : Z) : bool := andb (- Z.of_nat N <=? y)%Z (y <? Z.of_nat N)%Z.
Lemma within_S N y : indicator (within (S N)) y
  = indicator (within N) y + (indicator (Z.eqb (Z.of_nat N)) y + indicator (Z.eqb (-1 - Z.of_nat N)) y).
Proof.
  unfold indicator, within. rewrite Nat2Z.inj_succ.
  destruct (Z.leb_spec (- Z.succ (Z.of_nat N)) y), (Z.ltb_spec y (Z.succ (Z.of_nat N))),
   (Z.leb_spec (- Z.of_nat N) y), (Z.ltb_spec y (Z.of_nat N)),
   (Z.eqb_spec (Z.of_nat N) y), (Z.eqb_spec (-1 - Z.of_nat N) y); simpl; try lra; lia.
Qed.
Lemma probability_within (p : Program Z) N : probability p (within N) = sum_within N (fun y => probability p (Z.eqb y)).
Proof.
  unfold probability. induction N.
  - unfold sum_within. simpl. rewrite Rplus_0_r. rewrite (expect_ext p _ (fun _ => 0)); [apply expect_zero|].
    intros v. unfold indicator, within. destruct (Z.leb_spec (- Z.of_nat 0) v), (Z.ltb_spec v (Z.of_nat 0)); simpl in *; try lra; lia.
  - rewrite (expect_ext p _ _ (within_S N)).
    assert (Hu : in_unit (fun v => indicator (Z.eqb (Z.of_nat N)) v + indicator (Z.eqb (-1 - Z.of_nat N)) v)).
    { intros v. unfold indicator. destruct (Z.eqb_spec (Z.of_nat N) v), (Z.eqb_spec (-1 - Z.of_nat N) v); try lra; lia. }
    rewrite (expect_ext p _ (fun v => 1 * indicator (within N) v
      + 1 * (indicator (Z.eqb (Z.of_nat N)) v + indicator (Z.eqb (-1 - Z.of_nat N)) v))) by (intros; lra).
    rewrite expect_lin by auto.
    rewrite (expect_ext p (fun v => indicator (Z.eqb (Z.of_nat N)) v + indicator (Z.eqb (-1 - Z.of_nat N)) v)
      (fun v => 1 * indicator (Z.eqb (Z.of_nat N)) v + 1 * indicator (Z.eqb (-1 - Z.of_nat N)) v)) by (intros; lra).
    rewrite expect_lin, IHN by auto. unfold sum_within. rewrite !sum_below_S. lra.
Qed.
Lemma total_is_sum (p : Program Z) : is_lim_seq (fun N => sum_within N (fun y => probability p (Z.eqb y))) (total p).
Proof.
  eapply is_lim_seq_ext; [intros N; apply probability_within|].
  apply monotone_convergence; auto.
  - intros n v. rewrite within_S.
    generalize (indicator_unit (Z.eqb (Z.of_nat n)) v) (indicator_unit (Z.eqb (-1 - Z.of_nat n)) v). lra.
  - intros v. apply is_lim_seq_ext_loc with (fun _ => 1); [|apply is_lim_seq_const].
    exists (S (Z.abs_nat v)). intros n Hn. unfold indicator, within.
    destruct (Z.leb_spec (- Z.of_nat n) v), (Z.ltb_spec v (Z.of_nat n)); simpl; auto; lia.
Qed.
