(** Uniform below n: P(k) = 1/n for each k below n, and there is always an output. *)
Require Import Reals Lra Lia Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums.
Open Scope R_scope.

Lemma expect_bits k : forall g, in_unit g -> expect (bits k) g = sum_below (2 ^ k) (fun i => g (Z.of_nat i)) / 2 ^ k.
Proof.
  induction k; intros g Hg; simpl bits.
  - rewrite expect_return. simpl. lra.
  - rewrite expect_bind, expect_bit by auto. rewrite 2!expect_bind by auto.
    rewrite 2!IHk by (intros a; apply expect_unit; auto).
    replace (2 ^ S k)%nat with (2 ^ k + 2 ^ k)%nat by (simpl; lia). rewrite sum_below_app.
    rewrite (sum_below_ext _ (fun i => expect (Return (Z.b2z true * 2 ^ Z.of_nat k + Z.of_nat i)%Z) g)
              (fun i => g (Z.of_nat (2 ^ k + i)))),
            (sum_below_ext _ (fun i => expect (Return (Z.b2z false * 2 ^ Z.of_nat k + Z.of_nat i)%Z) g) (fun i => g (Z.of_nat i))).
    + simpl. field. apply pow_nonzero; lra.
    + intros i _. rewrite expect_return. reflexivity.
    + intros i _. rewrite expect_return. f_equal. rewrite Nat2Z.inj_add, Nat2Z.inj_pow. simpl Z.b2z. lia.
Qed.

Lemma bit_length_spec n : (0 < n)%Z -> (Z.to_nat n <= 2 ^ bit_length (n - 1))%nat.
Proof.
  intros H. unfold bit_length. destruct (Z.leb_spec (n - 1) 0); [simpl; lia|].
  apply Nat2Z.inj_le. rewrite Nat2Z.inj_pow, !Z2Nat.id by (try (generalize (Z.log2_nonneg (n - 1)); lia); lia).
  destruct (Z.log2_spec (n - 1)) as [_ S]; [lia|]. replace (Z.log2 (n - 1) + 1)%Z with (Z.succ (Z.log2 (n - 1))) by lia.
  change (Z.of_nat 2) with 2%Z. lia.
Qed.

Theorem expect_uniform n g : (0 < n)%Z -> in_unit g ->
  expect (uniform n) g = sum_below (Z.to_nat n) (fun i => g (Z.of_nat i)) / IZR n.
Proof.
  intros Hn Hg. set (x := expect (uniform n) g).
  assert (Hx : 0 <= x <= 1) by (apply expect_unit; auto).
  assert (F : x = expect (bits (bit_length (n - 1))) (fun v => if (v <? n)%Z then g v else x)).
  { unfold x at 1, uniform. rewrite expect_loop, expect_bind; auto.
    2:{ intros [[]|a]; simpl; auto. }
    apply expect_ext. intros v. rewrite expect_return. destruct (v <? n)%Z; reflexivity. }
  rewrite expect_bits in F by (intros v; destruct (v <? n)%Z; auto).
  assert (B := bit_length_spec n Hn).
  set (k := bit_length (n - 1)) in *. set (m := Z.to_nat n) in *.
  replace (2 ^ k)%nat with (m + (2 ^ k - m))%nat in F by lia.
  rewrite sum_below_app in F.
  rewrite (sum_below_ext m _ (fun i => g (Z.of_nat i))) in F.
  2:{ intros i Hi. destruct (Z.ltb_spec (Z.of_nat i) n); auto. lia. }
  rewrite (sum_below_ext (2^k - m) _ (fun _ => x)) in F.
  2:{ intros i Hi. destruct (Z.ltb_spec (Z.of_nat (m + i)) n); auto. lia. }
  rewrite sum_below_const, minus_INR, pow_INR in F by lia.
  replace (INR m) with (IZR n) in F by (rewrite INR_IZR_INZ; f_equal; lia).
  change (INR 2) with 2 in F.
  assert (0 < 2 ^ k) by (apply pow_lt; lra).
  assert (0 < IZR n) by (apply (IZR_lt 0); auto).
  apply Rmult_eq_reg_r with (IZR n); [|lra].
  replace (sum_below m (fun i => g (Z.of_nat i)) / IZR n * IZR n) with (sum_below m (fun i => g (Z.of_nat i))) by (field; lra).
  apply (f_equal (fun y => y * 2 ^ k)) in F.
  replace ((sum_below m (fun i : nat => g (Z.of_nat i)) + (2 ^ k - IZR n) * x) / 2 ^ k * 2 ^ k)
    with (sum_below m (fun i : nat => g (Z.of_nat i)) + (2 ^ k - IZR n) * x) in F by (field; lra).
  lra.
Qed.

Theorem uniform_probability n k : (0 <= k < n)%Z -> probability (uniform n) (Z.eqb k) = 1 / IZR n.
Proof.
  intros H. unfold probability. rewrite expect_uniform by (auto; lia).
  rewrite (sum_below_single _ (Z.to_nat k)).
  - replace (Z.to_nat k <? Z.to_nat n)%nat with true by (symmetry; apply Nat.ltb_lt; lia).
    unfold indicator. rewrite Z2Nat.id, Z.eqb_refl by lia. reflexivity.
  - intros i Hi. unfold indicator. destruct (Z.eqb_spec k (Z.of_nat i)); [lia|reflexivity].
Qed.

(** No other output is possible, and there is one. *)
Theorem uniform_total n : (0 < n)%Z -> total (uniform n) = 1.
Proof.
  intros H. rewrite total_expect, expect_uniform, sum_below_const, INR_IZR_INZ, Z2Nat.id by (auto; lia).
  field. apply (IZR_neq n 0). lia.
Qed.
