(** The lazy coin of rational probability: P(true) = numerator/denominator, and there is always an output. *)
Require Import Reals Lra Lia ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model.
Open Scope R_scope.

(** A coin of probability r: it always ends, with true in a share r of the tapes. *)
Definition is_coin (p : Program bool) (r : R) := forall g, in_unit g -> expect p g = r * g true + (1 - r) * g false.

Theorem coin_probability p r : is_coin p r -> probability p (fun b => b) = r /\ total p = 1.
Proof. intros H. unfold total, probability. split; rewrite H by auto; unfold indicator; lra. Qed.

Lemma distance_zero x : (forall k : nat, Rabs x <= / 2 ^ k) -> x = 0.
Proof.
  intros H. apply Rabs_eq_0. apply Rle_antisym; [|apply Rabs_pos].
  apply (is_lim_seq_le (fun _ => Rabs x) (fun k => (/ 2) ^ k) (Rabs x) 0); [|apply is_lim_seq_const|].
  - intros k. rewrite pow_inv. apply H.
  - apply is_lim_seq_geom. rewrite Rabs_pos_eq; lra.
Qed.

Theorem bernoulli_is_coin n d : (0 < d)%Z -> (0 <= n <= d)%Z -> is_coin (bernoulli n d) (IZR n / IZR d).
Proof.
  intros Hd Hn g Hg. unfold bernoulli.
  assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
  set (V := fun r : Z => expect (Loop (bernoulli_step d) r) g).
  set (T := fun r : Z => IZR r / IZR d * g true + (1 - IZR r / IZR d) * g false).
  assert (B : forall r, (0 <= r <= d)%Z -> 0 <= IZR r / IZR d <= 1).
  { intros r [H1 H2]. apply IZR_le in H1. apply IZR_le in H2. split.
    - apply Rmult_le_pos; [auto|apply Rlt_le, Rinv_0_lt_compat; auto].
    - apply Rmult_le_reg_r with (IZR d); auto. replace (IZR r / IZR d * IZR d) with (IZR r) by (field; lra). lra. }
  assert (Close : forall k r, (0 <= r <= d)%Z -> Rabs (V r - T r) <= / 2 ^ k).
  { induction k as [|k IH]; intros r Hr.
    - assert (0 <= V r <= 1) by (apply expect_unit; auto). generalize (B r Hr) (Hg true) (Hg false). intros.
      assert (0 <= T r <= 1) by (unfold T; nra). simpl. rewrite Rinv_1. apply Rabs_le. lra.
    - assert (P2 : 0 < / 2 ^ k) by (apply Rinv_0_lt_compat, pow_lt; lra).
      assert (HS : / 2 ^ S k = / 2 ^ k / 2) by (simpl; field; apply pow_nonzero; lra).
      rewrite HS. unfold V. rewrite expect_loop by auto. unfold bernoulli_step at 1.
      assert (Hu : in_unit (on_flow V g)) by (intros [s|b]; simpl; [apply expect_unit|]; auto).
      fold V. change (on_flow (fun s' : Z => expect (Loop (bernoulli_step d) s') g) g) with (on_flow V g).
      destruct (Z.eqb_spec r 0) as [->|R0].
      { rewrite expect_return. simpl. replace (g false - T 0%Z) with 0 by (unfold T; field; lra). rewrite Rabs_R0. lra. }
      destruct (Z.leb_spec d r) as [R1|R1].
      { assert (r = d) as -> by lia. rewrite expect_return. simpl.
        replace (g true - T d) with 0 by (unfold T; field; lra). rewrite Rabs_R0. lra. }
      destruct (Z.ltb_spec r (d - r)) as [H|H].
      + rewrite expect_bind, expect_bit, !expect_return by auto. simpl.
        replace ((g false + V (r + r)%Z) / 2 - T r) with ((V (r + r)%Z - T (r + r)%Z) / 2).
        2:{ unfold T. rewrite plus_IZR. field. lra. }
        unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/2)) by lra. generalize (IH (r + r)%Z ltac:(lia)). lra.
      + rewrite expect_bind, expect_bit, !expect_return by auto. simpl.
        replace ((V (r - (d - r))%Z + g true) / 2 - T r) with ((V (r - (d - r))%Z - T (r - (d - r))%Z) / 2).
        2:{ unfold T. rewrite !minus_IZR. field. lra. }
        unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/2)) by lra. generalize (IH (r - (d - r))%Z ltac:(lia)). lra. }
  assert (V n - T n = 0) by (apply distance_zero; intros k; apply Close; auto).
  unfold V, T in *. lra.
Qed.

Theorem bernoulli_probability n d : (0 < d)%Z -> (0 <= n <= d)%Z ->
  probability (bernoulli n d) (fun b => b) = IZR n / IZR d.
Proof. intros. now apply coin_probability, bernoulli_is_coin. Qed.
Theorem bernoulli_total n d : (0 < d)%Z -> (0 <= n <= d)%Z -> total (bernoulli n d) = 1.
Proof. intros. now apply (coin_probability _ (IZR n / IZR d)), bernoulli_is_coin. Qed.
