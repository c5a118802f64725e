(** ε-DP in both directions gives ε²/2-zCDP (Bun and Steinke 2016, Proposition 1.4). *)
Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Gaussian.
From Certus.privacy Require Import Definitions Convexity GaussianMechanism Zcdp ZcdpPostProcessing.
Open Scope R_scope.

(** sinh t <= t·cosh t for t >= 0, both doubled. *)
Lemma sinh_below t : 0 <= t -> exp t - exp (- t) <= t * (exp t + exp (- t)).
Proof.
  intros Ht. set (k := fun t => t * (exp t + exp (- t)) - (exp t - exp (- t))).
  destruct (MVT_gen k 0 t (fun t => t * (exp t - exp (- t)))) as (c & Hc & E).
  - intros x _. unfold k. auto_derive; [auto|ring].
  - intros x _. apply derivable_continuous_pt. exists (x * (exp x - exp (- x))). apply is_derive_Reals. unfold k. auto_derive; [auto|ring].
  - rewrite Rmin_left, Rmax_right in Hc by lra. assert (exp (- c) <= exp c) by (apply exp_mono; lra).
    assert (k 0 = 0) by (unfold k; rewrite Ropp_0; ring). assert (0 <= c * (exp c - exp (- c)) * (t - 0)) by (repeat apply Rmult_le_pos; lra).
    unfold k in *. lra.
Qed.
(** cosh t·e^(-t²/2) does not rise for t >= 0, doubled. *)
Lemma cosh_below x y : 0 <= y <= x -> (exp x + exp (- x)) * exp (- (x ^ 2 / 2)) <= (exp y + exp (- y)) * exp (- (y ^ 2 / 2)).
Proof.
  intros [Hy Hx]. replace (x ^ 2) with (x * x) by ring. replace (y ^ 2) with (y * y) by ring.
  set (h := fun t => (exp t + exp (- t)) * exp (- (t * t / 2))).
  set (dh := fun t => ((exp t - exp (- t)) - t * (exp t + exp (- t))) * exp (- (t * t / 2))).
  assert (Dh : forall t, is_derive h t (dh t)).
  { intros t. unfold h, dh. auto_derive; [auto|]. replace (t * t * / 2) with (t * t / 2) by reflexivity. field. }
  destruct (MVT_gen h y x dh) as (c & Hc & E).
  - intros t _. apply Dh.
  - intros t _. apply derivable_continuous_pt. exists (dh t). apply is_derive_Reals, Dh.
  - rewrite Rmin_left, Rmax_right in Hc by lra. assert (S := sinh_below c ltac:(lra)).
    assert (0 <= (c * (exp c + exp (- c)) - (exp c - exp (- c))) * exp (- (c * c / 2)) * (x - y)).
    { repeat apply Rmult_le_pos; try lra. left. apply exp_pos. }
    unfold h, dh in *. lra.
Qed.
Lemma chord_bound alpha epsilon : 1 < alpha -> 0 < epsilon ->
  (exp epsilon * exp (- (alpha * epsilon)) + exp (alpha * epsilon)) / (1 + exp epsilon) <= exp ((alpha - 1) * (alpha * (epsilon ^ 2 / 2))).
Proof.
  intros Ha He. set (x := (alpha - 1/2) * epsilon). set (y := epsilon / 2).
  assert (H := cosh_below x y ltac:(unfold x, y; nra)).
  assert (N : exp epsilon * exp (- (alpha * epsilon)) + exp (alpha * epsilon) = exp y * (exp x + exp (- x))).
  { rewrite Rmult_plus_distr_l, <- !exp_plus. rewrite Rplus_comm. f_equal; f_equal; unfold x, y; field. }
  assert (D : 1 + exp epsilon = exp y * (exp y + exp (- y))).
  { rewrite Rmult_plus_distr_l, <- !exp_plus. replace (y + - y) with 0 by ring. rewrite exp_0, Rplus_comm. f_equal. f_equal. unfold y. field. }
  rewrite N, D. assert (Y := exp_pos y). assert (Y' := exp_pos (- y)). assert (Dy : 0 < exp y + exp (- y)) by lra.
  replace (exp y * (exp x + exp (- x)) / (exp y * (exp y + exp (- y)))) with ((exp x + exp (- x)) / (exp y + exp (- y))) by (field; lra).
  apply Rmult_le_reg_r with (exp y + exp (- y)); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  assert (X0 := exp_pos (- (x ^ 2 / 2))). apply Rmult_le_reg_r with (exp (- (x ^ 2 / 2))); auto. eapply Rle_trans; [exact H|]. right.
  rewrite (Rmult_comm (exp ((alpha - 1) * _))), Rmult_assoc, <- exp_plus. f_equal. f_equal. unfold x, y. field.
Qed.

Theorem pure_implies_zcdp A (D : Decidable A) epsilon (p q : Program A) : 0 <= epsilon -> total p = 1 -> total q = 1 ->
  pure_dp epsilon p q -> pure_dp epsilon q p -> zcdp (epsilon ^ 2 / 2) p q.
Proof.
  intros He Tp Tq Hpq Hqp. split.
  { intros a E. generalize (Hpq (same a)). fold (at_output p a). fold (at_output q a). rewrite E. generalize (at_output_unit p a). lra. }
  intros alpha Ha l Hl.
  assert (At : forall a, at_output p a <= exp epsilon * at_output q a /\ at_output q a <= exp epsilon * at_output p a) by (intros a; split; [apply Hpq|apply Hqp]).
  destruct He as [He| <-].
  2:{ (* the same distribution *)
      replace ((alpha - 1) * (alpha * (0 ^ 2 / 2))) with ((alpha - 1) * (alpha * 0)) by (simpl; field).
      destruct (zcdp_refl A D q) as [_ K]. specialize (K alpha Ha l Hl). rewrite (list_sum_ext _ _ _ (fun a => renyi_term alpha (at_output q a) (at_output q a))); auto.
      intros a _. f_equal. generalize (At a). rewrite exp_0. lra. }
  set (B := exp epsilon) in *. set (C := exp (- epsilon)). assert (BC : B * C = 1) by (unfold B, C; rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (B1 : 1 < B) by (unfold B; rewrite <- exp_0; now apply exp_increasing). assert (C0 : 0 < C) by apply exp_pos. assert (C1 : C < 1) by nra.
  set (Ba := exp (alpha * epsilon)). set (Ca := exp (- (alpha * epsilon))). assert (Ba0 : 0 < Ba) by apply exp_pos. assert (Ca0 : 0 < Ca) by apply exp_pos.
  (* each term is below the chord *)
  assert (Chord : forall a, renyi_term alpha (at_output p a) (at_output q a)
    <= / (B - C) * (Ca * (B * at_output q a - at_output p a) + Ba * (at_output p a - C * at_output q a))).
  { intros a. destruct (At a) as [A1 A2]. generalize (at_output_unit p a) (at_output_unit q a). set (x := at_output p a) in *. set (y := at_output q a) in *. intros Hx Hy.
    assert (I0 : 0 < / (B - C)) by (apply Rinv_0_lt_compat; lra).
    destruct (Req_EM_T x 0) as [X|X].
    - assert (Y : y = 0) by (rewrite X in A2; lra). unfold renyi_term. destruct (Req_EM_T x 0); [|contradiction]. rewrite X, Y. right. ring.
    - assert (X0 : 0 < x) by lra. assert (Y0 : 0 < y) by (destruct (Req_EM_T y 0) as [Y|]; [rewrite Y in A1; lra|lra]).
      set (c := x / y). assert (c0 : 0 < c) by now apply Rdiv_lt_0_compat.
      (* the tangent at x/y, at both ends of the chord *)
      assert (T1 := renyi_term_above_line alpha c C 1 Ha c0 ltac:(lra) ltac:(lra) ltac:(lra)).
      assert (T2 := renyi_term_above_line alpha c B 1 Ha c0 ltac:(lra) ltac:(lra) ltac:(lra)).
      assert (E1 : renyi_term alpha C 1 = Ca).
      { unfold renyi_term. destruct (Req_EM_T C 0); [lra|]. unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0, Rmult_1_r. unfold C, Ca. rewrite ln_exp. f_equal. ring. }
      assert (E2 : renyi_term alpha B 1 = Ba).
      { unfold renyi_term. destruct (Req_EM_T B 0); [lra|]. unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0, Rmult_1_r. unfold B, Ba. now rewrite ln_exp. }
      rewrite E1 in T1. rewrite E2 in T2. rewrite renyi_term_on_line by auto. fold c. set (u := alpha * Rpower c (alpha - 1)) in *. set (v := (alpha - 1) * Rpower c alpha) in *.
      apply Rmult_le_reg_l with (B - C); [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
      assert (W1 : 0 <= B * y - x) by lra. assert (W2 : 0 <= x - C * y).
      { apply Rmult_le_compat_l with (r := C) in A2; [|lra]. rewrite <- Rmult_assoc, (Rmult_comm C B), BC in A2. lra. }
      apply Rmult_le_compat_r with (r := B * y - x) in T1; auto. apply Rmult_le_compat_r with (r := x - C * y) in T2; auto.
      apply Rle_trans with ((u * C - v * 1) * (B * y - x) + (u * B - v * 1) * (x - C * y)); [right; ring|lra]. }
  eapply Rle_trans; [apply list_sum_le; intros a _; apply Chord|]. rewrite list_sum_scal, list_sum_plus, !list_sum_scal.
  assert (S : forall f g : A -> R, list_sum l (fun a => f a - g a) = list_sum l f - list_sum l g) by (intros f g; clear; induction l; simpl; lra).
  rewrite !S, !list_sum_scal.
  (* the rest of the mass is on the safe side too *)
  set (inside := fun a => if in_dec decide_equality a l then true else false).
  assert (P : forall m : Program A, list_sum l (at_output m) = probability m inside).
  { intros m. rewrite (list_sum_ext _ _ _ (fun a => at_output m a * 1)) by (intros; lra).
    rewrite <- (expect_list m (fun _ => 1)) by auto. apply expect_ext. intros a. unfold inside. lra. }
  assert (O : forall m : Program A, total m = 1 -> probability m (fun a => negb (inside a)) = 1 - probability m inside).
  { intros m T. assert (E : total m = 1 * probability m inside + 1 * probability m (fun a => negb (inside a))).
    { unfold probability. rewrite <- expect_lin by auto. apply expect_ext. intros a. unfold indicator. destruct (inside a); simpl; lra. }
    lra. }
  rewrite !P. generalize (Hpq (fun a => negb (inside a))) (Hqp (fun a => negb (inside a))). rewrite (O p Tp), (O q Tq). fold B. intros R1 R2.
  set (x := probability p inside) in *. set (y := probability q inside) in *.
  assert (R3 : C * (1 - y) <= 1 - x) by (apply Rmult_le_compat_l with (r := C) in R2; [|lra]; rewrite <- Rmult_assoc, (Rmult_comm C B), BC in R2; lra).
  assert (Q1 : Ca * (B * y - x) <= Ca * (B - 1)) by (apply Rmult_le_compat_l; lra).
  assert (Q2 : Ba * (x - C * y) <= Ba * (1 - C)) by (apply Rmult_le_compat_l; lra).
  apply Rle_trans with (/ (B - C) * (Ca * (B - 1) + Ba * (1 - C))).
  { apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|lra]. }
  eapply Rle_trans; [|apply chord_bound; auto]. fold B Ba Ca. right.
  (* B - C = (1 - C)(1 + B), and B - 1 = B·(1 - C) *)
  replace (B - C) with ((1 - C) * (1 + B)) by nra. replace (B - 1) with (B * (1 - C)) by nra. field. split; lra.
Qed.
