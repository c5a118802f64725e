(** Discrete Laplace noise on each coordinate of a vector: Δ/s-DP where Δ bounds the sum of the coordinates' distances. A histogram, where
    a record more or less changes one count by 1, has Δ = 1. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Geometric Laplace.
From Certus.privacy Require Import Definitions Composition LaplaceMechanism Zcdp.
Import ListNotations.
Open Scope R_scope.

(** Σ |x_i - y_i|. *)
Fixpoint distance (x y : list Z) : Z :=
  match x, y with a :: x, b :: y => (Z.abs (a - b) + distance x y)%Z | _, _ => 0%Z end.

Lemma pure_dp_weaken A eps eps' (p q : Program A) : eps <= eps' -> pure_dp eps p q -> pure_dp eps' p q.
Proof.
  intros H K event. apply Rle_trans with (1 := K event). apply Rmult_le_compat_r; [apply expect_unit; auto|].
  destruct H as [H| ->]; [left; now apply exp_increasing|lra].
Qed.

Theorem laplace_vector_private n d sensitivity answers answers' : (0 < n)%Z -> (0 < d)%Z -> length answers = length answers' ->
  (distance answers answers' <= sensitivity)%Z ->
  pure_dp (IZR sensitivity / (IZR n / IZR d)) (add_noise_to_each (laplace n d) answers) (add_noise_to_each (laplace n d) answers').
Proof.
  intros Hn Hd HL HS. assert (s0 : 0 < IZR n / IZR d) by (apply Rdiv_lt_0_compat; apply (IZR_lt 0); auto).
  apply pure_dp_weaken with (IZR (distance answers answers') / (IZR n / IZR d)).
  { unfold Rdiv at 1 3. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|now apply IZR_le]. }
  clear HS. revert answers' HL. induction answers as [|x answers IH]; intros [|y answers'] HL; try discriminate.
  - intros event. cbn [distance]. replace (0 / (IZR n / IZR d)) with 0 by (unfold Rdiv; ring). rewrite exp_0. lra.
  - injection HL as HL. cbn [distance add_noise_to_each]. apply post_processing_pure. rewrite plus_IZR.
    replace ((IZR (Z.abs (x - y)) + IZR (distance answers answers')) / (IZR n / IZR d))
      with (IZR (Z.abs (x - y)) / (IZR n / IZR d) + IZR (distance answers answers') / (IZR n / IZR d)) by (unfold Rdiv; ring).
    apply composition_pure; [apply laplace_mechanism_private; auto; lia|]. intros _. auto.
Qed.
