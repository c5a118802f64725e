(** The same of the samplers' own programs: if the scalar Gaussian mechanism of variance parameter n'/d' is (ε - 2·ln κ, δ)-DP on answers M apart,
    then Gaussian noise of variance parameter n/d on each coordinate of two vectors, whose squared distance is at most (M·h)², is
    (ε, κ·δ)-DP; and if the one is (ε, δ)-DP, then the other is (ε, 1 - 1/κ + δ/κ)-DP. *)
Require Import Reals Lra Lia List ZArith Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model IntegerSums Gaussian.
From Certus.privacy Require Import Definitions HockeyStick LaplaceMechanism Theta GaussianMechanism Zcdp.
From Certus.account Require Import Constants Curves Factors Steps GaussianSums Kernel Vectors NearLine VectorAccount.
Import ListNotations.
Open Scope R_scope.

(** The reference sampler draws from [gauss]. *)
Theorem sampler_draws_gauss n d sigma y : (0 < n)%Z -> (0 < d)%Z -> 0 < sigma -> sigma ^ 2 = IZR n / IZR d ->
  at_output (gaussian n d) y = gauss sigma 0 y.
Proof.
  intros Hn Hd Hs E. rewrite gaussian_at by auto. assert (A := precision_positive sigma Hs).
  assert (Rn : 0 < IZR n) by (apply (IZR_lt 0); auto). assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
  assert (W : forall z, gaussian_weight n d z = bell (precision sigma) 0 z).
  { intros z. unfold gaussian_weight, bell, precision. rewrite E. f_equal. rewrite Rminus_0_r. field. split; lra. }
  destruct (gaussian_normaliser_is_sum n d Hn Hd) as [ZL _]. unfold gauss. f_equal; [apply W|].
  destruct (theta_all (precision sigma) 0 A) as (L & _). apply is_lim_seq_unique in L. apply is_lim_seq_unique in ZL.
  rewrite (Lim_seq_ext _ (partial (precision sigma) 0)) in ZL.
  - rewrite L in ZL. now injection ZL.
  - intros N. rewrite sum_within_list. unfold partial. apply list_sum_ext. intros z _. apply W.
Qed.
Lemma mechanism_draws_gauss n d sigma answer y : (0 < n)%Z -> (0 < d)%Z -> 0 < sigma -> sigma ^ 2 = IZR n / IZR d ->
  at_output (add_noise (gaussian n d) answer) y = gauss sigma (IZR answer) y.
Proof.
  intros Hn Hd Hs E. rewrite add_noise_at, (sampler_draws_gauss n d sigma) by auto. rewrite <- gauss_moved by auto. f_equal. ring.
Qed.

(** Lists of so many numbers are tuples. *)
Fixpoint to_list (n : nat) : Tuple Z n -> list Z := match n with O => fun _ => [] | S n => fun x => fst x :: to_list n (snd x) end.
Fixpoint of_list (n : nat) (l : list Z) : Tuple Z n := match n with O => tt | S n => (hd 0%Z l, of_list n (tl l)) end.
Lemma to_of_list n l : length l = n -> to_list n (of_list n l) = l.
Proof. revert l. induction n as [|n IH]; intros [|z l] H; try discriminate; simpl; [reflexivity|]. rewrite IH; auto. Qed.
Lemma vector_draws n d sigma answers outputs : (0 < n)%Z -> (0 < d)%Z -> 0 < sigma -> sigma ^ 2 = IZR n / IZR d ->
  at_output (add_noise_to_each (gaussian n d) answers) outputs
  = if Nat.eq_dec (length outputs) (length answers)
    then noisy_vector (length answers) sigma (of_list (length answers) answers) (of_list (length answers) outputs) else 0.
Proof.
  intros Hn Hd Hs E. revert outputs. induction answers as [|a answers IH]; intros outputs.
  - cbn [add_noise_to_each length noisy_vector of_list]. unfold at_output, probability. rewrite expect_return. unfold indicator.
    destruct (same_spec outputs []) as [->|N]; [reflexivity|]. destruct (Nat.eq_dec (length outputs) 0) as [K|K]; auto.
    destruct outputs; [contradiction|discriminate].
  - cbn [add_noise_to_each]. unfold at_output, probability. rewrite expect_bind by auto.
    destruct outputs as [|y outputs].
    + rewrite (expect_ext _ _ (fun _ => 0)); [rewrite expect_zero; reflexivity|]. intros [b bs]. rewrite expect_return. unfold indicator.
      destruct (same_spec (@nil Z) (fst (b, bs) :: snd (b, bs))); [discriminate|reflexivity].
    + rewrite (expect_ext _ _ (indicator (same (y, outputs)))).
      2:{ intros [b bs]. rewrite expect_return. unfold indicator. cbn [fst snd].
          destruct (same_spec (y :: outputs) (b :: bs)) as [Q|Q], (same_spec (y, outputs) (b, bs)) as [Q'|Q']; auto; exfalso; congruence. }
      fold (probability (release_both (add_noise (gaussian n d) a) (fun _ => add_noise_to_each (gaussian n d) answers)) (same (y, outputs))).
      fold (at_output (release_both (add_noise (gaussian n d) a) (fun _ => add_noise_to_each (gaussian n d) answers)) (y, outputs)).
      rewrite release_both_at, (mechanism_draws_gauss n d sigma), IH by auto. cbn [length].
      destruct (Nat.eq_dec (length outputs) (length answers)) as [K|K], (Nat.eq_dec (S (length outputs)) (S (length answers))) as [K'|K'];
        try lia; [reflexivity|ring].
Qed.

(** From curves to (ε, δ). *)
Lemma curve_is_approximate n d sigma epsilon delta answers answers' : (0 < n)%Z -> (0 < d)%Z -> 0 < sigma -> sigma ^ 2 = IZR n / IZR d ->
  length answers = length answers' ->
  curve_at_most epsilon delta (noisy_vector (length answers) sigma (of_list (length answers) answers))
    (noisy_vector (length answers) sigma (of_list (length answers) answers')) ->
  approximate_dp epsilon delta (add_noise_to_each (gaussian n d) answers) (add_noise_to_each (gaussian n d) answers').
Proof.
  intros Hn Hd Hs E HL H. apply (minimal_delta_is_hockey_stick (list Z) _). intros outputs Ho. set (k := length answers) in *.
  set (fit := fun l : list Z => if Nat.eq_dec (length l) k then true else false).
  assert (X : list_sum outputs (loss_over epsilon (add_noise_to_each (gaussian n d) answers) (add_noise_to_each (gaussian n d) answers'))
    = list_sum (map (of_list k) (filter fit outputs))
        (excess epsilon (noisy_vector k sigma (of_list k answers)) (noisy_vector k sigma (of_list k answers')))).
  { rewrite list_sum_map, list_sum_filter. apply list_sum_ext. intros l _. unfold loss_over, excess, fit.
    rewrite !(vector_draws n d sigma) by auto. rewrite <- HL. fold k. destruct (Nat.eq_dec (length l) k); [reflexivity|].
    rewrite Rmult_0_r, Rminus_0_r. apply Rmax_left. lra. }
  rewrite X. apply H. apply (NoDup_map_inv (to_list k)). rewrite map_map, (map_ext_in _ (fun l => l)).
  - rewrite map_id. now apply NoDup_filter.
  - intros l Hl. apply filter_In in Hl. destruct Hl as [_ Hl]. unfold fit in Hl. destruct (Nat.eq_dec (length l) k); [|discriminate].
    now apply to_of_list.
Qed.
Lemma line_from_approximate n d w h epsilon delta M : (0 < n)%Z -> (0 < d)%Z -> 0 < w -> 0 < h -> (w / h) ^ 2 = IZR n / IZR d ->
  approximate_dp epsilon delta (add_noise (gaussian n d) M) (add_noise (gaussian n d) 0) -> curve_at_most epsilon delta (line w h M) (line w h 0).
Proof.
  intros Hn Hd Hw Hh E H l Hl. assert (0 < w / h) by now apply Rdiv_lt_0_compat.
  assert (K := proj1 (minimal_delta_is_hockey_stick Z _ _ _ _ _) H l Hl). eapply Rle_trans; [|exact K]. right. apply list_sum_ext. intros z _.
  unfold excess, loss_over, line. rewrite !(mechanism_draws_gauss n d (w / h)) by auto. reflexivity.
Qed.

(** Coordinates in which the answers differ. *)
Fixpoint differing_coordinates (x y : list Z) : nat :=
  match x, y with a :: x, b :: y => ((if Z.eq_dec a b then 0 else 1) + differing_coordinates x y)%nat | _, _ => O end.
Lemma of_list_distance x y : length x = length y ->
  square_norm (length x) (minus (length x) (of_list (length x) x) (of_list (length x) y)) = IZR (squared_distance x y)
  /\ differing (length x) (minus (length x) (of_list (length x) x) (of_list (length x) y)) = differing_coordinates x y.
Proof.
  revert y. induction x as [|a x IH]; intros [|b y] H; try discriminate; [split; reflexivity|]. injection H as H. destruct (IH y H) as [I J].
  cbn [length of_list minus square_norm differing squared_distance differing_coordinates hd tl fst snd]. rewrite I, J, plus_IZR, mult_IZR.
  split; [ring|].
  destruct (Z.eq_dec (a - b) 0), (Z.eq_dec a b); auto; lia.
Qed.
(** So many are at most the squared distance, and at most all. *)
Theorem differing_coordinates_at_most x y : length x = length y ->
  (Z.of_nat (differing_coordinates x y) <= squared_distance x y)%Z /\ (differing_coordinates x y <= length x)%nat.
Proof.
  intros H. destruct (of_list_distance x y H) as [I J].
  destruct (differing_at_most (length x) (minus (length x) (of_list (length x) x) (of_list (length x) y))) as [K L].
  rewrite I, J in *. split; auto. apply le_IZR. now rewrite <- INR_IZR_INZ.
Qed.

Theorem gaussian_vector_by_the_line n d n' d' sigma w h e e' M touched epsilon delta answers answers' :
  (0 < n)%Z -> (0 < d)%Z -> (0 < n')%Z -> (0 < d')%Z -> sigma ^ 2 = IZR n / IZR d -> (w / h) ^ 2 = IZR n' / IZR d' -> fits sigma w h e e' M ->
  length answers = length answers' -> IZR (squared_distance answers answers') <= (IZR M * h) ^ 2 ->
  (differing_coordinates answers answers' <= touched)%nat ->
  let kappa := vector_kappa e e' touched in
  (approximate_dp (epsilon - 2 * ln kappa) delta (add_noise (gaussian n' d') M) (add_noise (gaussian n' d') 0) ->
   approximate_dp epsilon (kappa * delta) (add_noise_to_each (gaussian n d) answers) (add_noise_to_each (gaussian n d) answers'))
  /\ (approximate_dp epsilon delta (add_noise (gaussian n' d') M) (add_noise (gaussian n' d') 0) ->
   approximate_dp epsilon (1 - 1 / kappa + delta / kappa) (add_noise_to_each (gaussian n d) answers) (add_noise_to_each (gaussian n d) answers')).
Proof.
  intros Hn Hd Hn' Hd' Es Ew F HL HS HT kappa. destruct (of_list_distance answers answers' HL) as [I J]. assert (F' := F).
  destruct F' as (Hw & Hh & _).
  destruct (vector_no_worse_than_line (length answers) sigma w h e e' M touched (of_list (length answers) answers) (of_list (length answers) answers')
    epsilon delta F ltac:(rewrite I; auto) ltac:(rewrite J; auto)) as [A B]. fold kappa in A, B.
  split; intros H; apply (curve_is_approximate n d sigma); auto; try lra; [apply A|apply B]; apply (line_from_approximate n' d'); auto; lra.
Qed.
