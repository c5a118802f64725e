(** The hypotheses about vectors can be met: σ = 10, w = 6, h = 1, M = 5, so that r = 8 and ρ = 24/5; one release, and ten subsampled ones. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program ListSums.
From Certus.samplers Require Import Model.
From Certus.privacy Require Import Definitions Zcdp.
From Certus.account Require Import Constants Factors Steps GaussianSums Kernel Vectors NearLine VectorAccount VectorMechanism LinesAsPlans Curves.
Import ListNotations.
Open Scope R_scope.

(** η(τ) <= 1/2 from τ = 1 on: far from what it is, and enough. *)
Lemma eta_at_most_half tau : 1 <= tau -> eta tau <= 1 / 2.
Proof.
  intros H. destruct (eta_bounds tau ltac:(lra)) as [_ B]. eapply Rle_trans; [exact B|]. assert (P := PI2_3_2). unfold PI2 in P.
  assert (X : 18 <= eta_exponent tau) by (unfold eta_exponent; assert (9 <= PI ^ 2) by nra; assert (1 <= tau ^ 2) by nra; nra).
  set (x := eta_exponent tau) in *.
  assert (E : forall y, 18 <= y -> exp (- y) <= 1 / 18).
  { intros y Hy. rewrite exp_Ropp. unfold Rdiv. rewrite Rmult_1_l. apply Rinv_le_contravar; [lra|]. generalize (exp_ineq1_le y). lra. }
  assert (E1 := E x ltac:(lra)). assert (E3 := E (3 * x) ltac:(lra)). assert (0 < exp (- x)) by apply exp_pos.
  apply Rmult_le_reg_r with (1 - exp (- (3 * x))); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma a_line_fits : fits 10 6 1 (1 / 2) (1 / 2) 5.
Proof.
  unfold fits, rho. replace (10 ^ 2 - 6 ^ 2) with (8 ^ 2) by ring. rewrite sqrt_pow2 by lra.
  repeat split; try lra; try lia; apply eta_at_most_half; lra.
Qed.
(** (3, 0, -4) and the origin are 5 apart, and differ in two coordinates. *)
Example a_vector_by_the_line epsilon delta :
  approximate_dp (epsilon - 2 * ln (vector_kappa (1 / 2) (1 / 2) 2)) delta (add_noise (gaussian 36 1) 5) (add_noise (gaussian 36 1) 0) ->
  approximate_dp epsilon (vector_kappa (1 / 2) (1 / 2) 2 * delta) (add_noise_to_each (gaussian 100 1) [3; 0;
    -4]%Z) (add_noise_to_each (gaussian 100 1) [0; 0; 0]%Z).
Proof.
  apply (gaussian_vector_by_the_line 100 1 36 1 10 6 1); try lia; try lra; try exact a_line_fits; try reflexivity; simpl; try lra; lia.
Qed.
(** Ten steps, each a tenth of the time, of two coordinates; the first answer is the last output cut to [-3, 3], if a coin of the others' says so. *)
Definition an_answer (past : list (Tuple Z 2)) (coin : bool) : Tuple Z 2 :=
  match past with (z, _) :: _ => if coin then (Z.max (-3) (Z.min 3 z), (4%Z, tt)) else (0%Z, (1%Z, tt)) | [] => (3%Z, (4%Z, tt)) end.
Example ten_subsampled_vectors epsilon d :
  let p := mixed_line (fun _ => 6) (fun _ => 1) (fun _ => 5%Z) in
  let P := noisy_answers 2 bool (fun _ => 10) (fun _ => [true; false]) (fun _ _ => 1 / 2) an_answer (fun _ _ => zeros 2) in
  (forall N, delta epsilon (copies 10 (part_of Theta.integers_within (p (fun _ => 1 / 10)) (p (fun _ => 0)) 0 N)) <= d) ->
  let kappa := vector_kappa (1 / 2) (1 / 2) 2 ^ 10 in
  curve_at_most epsilon (1 - 1 / kappa + d / kappa) (run 10 (P (fun _ => 1 / 10)) []) (run 10 (P (fun _ => 0)) []).
Proof.
  intros p P H kappa. unfold kappa. rewrite <- (equal_factors 10 (vector_kappa (1 / 2) (1 / 2) 2)).
  apply (vectors_no_worse_than_lines_with_atoms 2 bool (fun _ => 10) (fun _ => 6) (fun _ => 1) (fun _ => 1 / 2) (fun _ => 1 / 2) (fun _ => 1 / 10)
    (fun _ => 0)
    (fun _ => 5%Z) (fun _ => 2%nat) (fun _ => [true; false]) (fun _ _ => 1 / 2) an_answer (fun _ _ => zeros 2)).
  - intros _. exact a_line_fits.
  - intros _. lra.
  - intros _ i _. lra.
  - intros _. simpl. lra.
  - intros past i. split; [|apply differing_at_most].
    assert (B : forall z, IZR (Z.max (-3) (Z.min 3 z) - 0) * IZR (Z.max (-3) (Z.min 3 z) - 0) <= 9) by (intros z; rewrite <- mult_IZR;
      apply IZR_le; nia).
    unfold an_answer. destruct past as [|[z ?] past]; [simpl; lra|]. destruct i; cbn [square_norm minus zeros fst snd]; [specialize (B z)|]; simpl;
      lra.
  - apply integer_lines_are_a_plan. intros N. eapply Rle_trans; [|exact (H N)]. right.
    exact (equal_lines_are_copies Z Theta.integers_within (p (fun _ => 1 / 10) O) (p (fun _ => 0) O) epsilon 10 N).
Qed.
