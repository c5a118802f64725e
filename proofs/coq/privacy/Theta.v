(** Σ_y e^(-a·(y - c)²) <= Σ_y e^(-a·y²) for every real c: no shift of the bell gathers more of the integers than none.

    Poisson summation would say so at once, but Coq has none. This is elementary: a doubling identity for sums over pairs of integers (a pair is
    even or odd, and so a sum and a difference, or one more), Cauchy's inequality, and that the sums are bounded: were some shift to
    gather more than none, doubling it again and again would gather without bound. *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import CoinTree ListSums.
From Certus.samplers Require Import FiniteSums IntegerSums Geometric Gaussian.
Import ListNotations.
Open Scope R_scope.

(** -N, …, N - 1. *)
Definition integers_within (N : nat) : list Z := map Z.of_nat (seq 0 N) ++ map (fun i => -1 - Z.of_nat i)%Z (seq 0 N).
Lemma in_integers_within N z : In z (integers_within N) <-> (- Z.of_nat N <= z < Z.of_nat N)%Z.
Proof.
  unfold integers_within. rewrite in_app_iff, !in_map_iff. split.
  - intros [(i & <- & H)|(i & <- & H)]; apply in_seq in H; lia.
  - intros H. destruct (Z_lt_dec z 0).
    + right. exists (Z.to_nat (-1 - z)). split; [lia|]. apply in_seq. lia.
    + left. exists (Z.to_nat z). split; [lia|]. apply in_seq. lia.
Qed.
Lemma NoDup_integers_within N : NoDup (integers_within N).
Proof.
  unfold integers_within. apply NoDup_append.
  - apply NoDup_map_injective; [intros; lia | apply seq_NoDup].
  - apply NoDup_map_injective; [intros; lia | apply seq_NoDup].
  - intros x H1 H2. rewrite in_map_iff in *. destruct H1 as (i & <- & _), H2 as (j & E & _). lia.
Qed.
Lemma sum_below_list N f : sum_below N f = list_sum (seq 0 N) f.
Proof. induction N; [reflexivity|]. rewrite seq_S, list_sum_app, <- IHN. simpl. lra. Qed.
Lemma sum_within_list N f : sum_within N f = list_sum (integers_within N) f.
Proof. unfold sum_within, integers_within. rewrite list_sum_app, !list_sum_map, !sum_below_list. reflexivity. Qed.

Definition bell (a c : R) (y : Z) : R := exp (- (a * (IZR y - c) ^ 2)).
Lemma bell_positive a c y : 0 < bell a c y. Proof. apply exp_pos. Qed.
Definition partial a c N := list_sum (integers_within N) (bell a c).
Definition theta a c : R := real (Lim_seq (partial a c)).


Definition theta_bound a := exp (9/4 * a) * (2 / (1 - exp (- a))).
Lemma partial_bound a c N : 0 < a -> partial a c N <= theta_bound a.
Proof.
  intros Ha. set (r := exp (- a)).
  assert (Hr : 0 < r < 1).
  { unfold r; split; [apply exp_pos|]. apply Rlt_le_trans with (exp 0); [apply exp_increasing; lra|rewrite exp_0; lra]. }
  destruct (archimed c) as [A1 A2]. set (m := up c) in *.
  set (h := fun j : Z => exp (9/4 * a) * r ^ Z.abs_nat j).
  assert (Hh : forall j, 0 <= h j).
  { intros j. unfold h. apply Rmult_le_pos; [left; apply exp_pos | left; apply pow_lt; lra]. }
  apply Rle_trans with (list_sum (integers_within N) (fun y => h (y - m)%Z)).
  { apply list_sum_le. intros y _. unfold bell, h, r. rewrite <- exp_power, <- exp_plus. apply exp_mono.
    rewrite INR_IZR_INZ, Zabs2Nat.id_abs, abs_IZR, minus_IZR.
    assert (Rabs (IZR y - IZR m) <= Rabs (IZR y - c) + 1).
    { replace (IZR y - IZR m) with ((IZR y - c) + (c - IZR m)) by lra.
      eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_l. apply Rabs_le. lra. }
    replace ((IZR y - c) ^ 2) with (Rabs (IZR y - c) ^ 2) by (rewrite RPow_abs, Rabs_pos_eq; [reflexivity|apply pow2_ge_0]).
    set (u := Rabs (IZR y - c)) in *. set (v := Rabs (IZR y - IZR m)) in *.
    assert (v <= u ^ 2 + 9/4) by nra. nra. }
  rewrite <- (list_sum_map Z Z (fun y => y - m)%Z (integers_within N) h).
  apply Rle_trans with (list_sum (integers_within (N + Z.abs_nat m)) h).
  { apply list_sum_incl; auto.
    - apply NoDup_map_injective; [intros; lia | apply NoDup_integers_within].
    - intros z Hz. apply in_map_iff in Hz. destruct Hz as (y & <- & Hy). rewrite in_integers_within in *. lia. }
  rewrite <- sum_within_list. unfold h. generalize (N + Z.abs_nat m)%nat as M. intros M. unfold sum_within.
  rewrite (sum_below_ext M (fun i => exp (9/4*a) * r ^ Z.abs_nat (-1 - Z.of_nat i)) (fun i => (exp (9/4*a) * r) * r ^ i)).
  2:{ intros i _. replace (Z.abs_nat (-1 - Z.of_nat i)) with (S i) by lia. simpl. ring. }
  rewrite (sum_below_ext M (fun i => exp (9/4*a) * r ^ Z.abs_nat (Z.of_nat i)) (fun i => exp (9/4*a) * r ^ i)).
  2:{ intros i _. now rewrite Zabs2Nat.id. }
  rewrite !sum_below_scal, sum_below_geometric by lra. unfold theta_bound. fold r.
  assert (0 < exp (9/4*a)) by apply exp_pos.
  assert (0 < r ^ M) by (apply pow_lt; lra).
  assert ((1 - r ^ M) / (1 - r) <= 1 / (1 - r)).
  { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra]. }
  assert (0 < 1 / (1 - r)) by (apply Rdiv_lt_0_compat; lra).
  replace (2 / (1 - r)) with (2 * (1 / (1 - r))) by lra.
  set (X := (1 - r ^ M) / (1 - r)) in *. set (Y := 1 / (1 - r)) in *.
  assert (r * X <= Y) by nra. nra.
Qed.

(** The sums converge, from below. *)
Theorem theta_all a c : 0 < a -> is_lim_seq (partial a c) (theta a c) /\ (forall N, partial a c N <= theta a c) /\ theta a c <= theta_bound a.
Proof.
  intros Ha. apply rising_limit; [|intros N; now apply partial_bound].
  intros N. apply list_sum_incl; [intros; left; apply bell_positive | apply NoDup_integers_within |].
  intros z. rewrite !in_integers_within. lia.
Qed.
Lemma theta_positive a c : 0 < a -> 0 < theta a c.
Proof.
  intros Ha. destruct (theta_all a c Ha) as (_ & H & _). apply Rlt_le_trans with (2 := H 1%nat).
  unfold partial, integers_within. simpl. generalize (bell_positive a c 0) (bell_positive a c (-1)). lra.
Qed.
Lemma partial_nonneg a c N : 0 <= partial a c N.
Proof. apply list_sum_nonneg. intros; left; apply bell_positive. Qed.

Definition even_pair (z : Z * Z) : Z * Z := (fst z + snd z, fst z - snd z)%Z.
Definition odd_pair (z : Z * Z) : Z * Z := (fst z + snd z + 1, fst z - snd z)%Z.
Definition box N := list_prod (integers_within N) (integers_within N).
Lemma in_box N x y : In (x, y) (box N) <-> (- Z.of_nat N <= x < Z.of_nat N /\ - Z.of_nat N <= y < Z.of_nat N)%Z.
Proof. unfold box. now rewrite in_prod_iff, !in_integers_within. Qed.
Lemma box_covered N : incl (box N) (map even_pair (box (2 * N + 1)) ++ map odd_pair (box (2 * N + 1))).
Proof.
  intros [x y] H. rewrite in_box in H. rewrite in_app_iff, !in_map_iff.
  destruct (Z.Even_or_Odd (x + y)) as [[k Hk]|[k Hk]].
  - left. exists (k, x - k)%Z. unfold even_pair. simpl. split; [f_equal; lia|]. apply in_box. lia.
  - right. exists (k, x - k - 1)%Z. unfold odd_pair. simpl. split; [f_equal; lia|]. apply in_box. lia.
Qed.
Lemma box_covers N : NoDup (map even_pair (box N) ++ map odd_pair (box N)) /\ incl (map even_pair (box N) ++ map odd_pair (box N)) (box (2 * N + 1)).
Proof.
  split.
  - assert (NoDup (box N)) by (apply NoDup_product; apply NoDup_integers_within). apply NoDup_append.
    + apply NoDup_map_injective; auto. intros [p q] [p' q'] E. unfold even_pair in E. simpl in E. injection E. intros. f_equal; lia.
    + apply NoDup_map_injective; auto. intros [p q] [p' q'] E. unfold odd_pair in E. simpl in E. injection E. intros. f_equal; lia.
    + intros z H1 H2. rewrite in_map_iff in *. destruct H1 as ([p q] & <- & _), H2 as ([p' q'] & E & _).
      unfold even_pair, odd_pair in E. simpl in E. injection E. intros. lia.
  - intros z. rewrite in_app_iff, !in_map_iff. intros [([p q] & <- & H)|([p q] & <- & H)];
      rewrite in_box in H; unfold even_pair, odd_pair; simpl; apply in_box; lia.
Qed.

(* the duplication identity, termwise *)
Lemma term_even a c d k l : bell a (c + d) (k + l) * bell a (c - d) (k - l) = bell (2 * a) c k * bell (2 * a) d l.
Proof. unfold bell. rewrite <- !exp_plus, !plus_IZR, !minus_IZR. f_equal. ring. Qed.
Lemma term_odd a c d k l : bell a (c + d) (k + l + 1) * bell a (c - d) (k - l) = bell (2 * a) (c - 1/2) k * bell (2 * a) (d - 1/2) l.
Proof. unfold bell. rewrite <- !exp_plus, !plus_IZR, !minus_IZR. f_equal. field. Qed.
Lemma doubling_on_boxes a c d N :
  list_sum (map even_pair (box N) ++ map odd_pair (box N)) (fun z => bell a (c + d) (fst z) * bell a (c - d) (snd z))
  = partial (2*a) c N * partial (2*a) d N + partial (2*a) (c - 1/2) N * partial (2*a) (d - 1/2) N.
Proof.
  rewrite list_sum_app, !list_sum_map. unfold partial, box. rewrite <- !list_sum_prod. f_equal; apply list_sum_ext; intros [k l] _; simpl.
  - apply term_even.
  - apply term_odd.
Qed.

Lemma doubling_le a c d : 0 < a ->
  theta a (c + d) * theta a (c - d) <= theta (2*a) c * theta (2*a) d + theta (2*a) (c - 1/2) * theta (2*a) (d - 1/2).
Proof.
  intros Ha. set (K := theta (2*a) c * theta (2*a) d + theta (2*a) (c - 1/2) * theta (2*a) (d - 1/2)).
  apply (is_lim_seq_le (fun N => partial a (c + d) N * partial a (c - d) N) (fun _ => K) (theta a (c + d) * theta a (c - d)) K);
    [| apply is_lim_seq_mult'; now apply theta_all | apply is_lim_seq_const].
  intros N. unfold partial. rewrite <- list_sum_prod.
  eapply Rle_trans.
  - apply list_sum_incl with (l2 := map even_pair (box (2*N+1)) ++ map odd_pair (box (2*N+1))).
    + intros z. apply Rmult_le_pos; left; apply bell_positive.
    + apply NoDup_product; apply NoDup_integers_within.
    + apply box_covered.
  - rewrite doubling_on_boxes. unfold K.
    assert (H : forall e, 0 <= partial (2*a) e (2*N+1) <= theta (2*a) e) by (intros e; split; [apply partial_nonneg | apply theta_all; lra]).
    apply Rplus_le_compat; apply Rmult_le_compat; apply H.
Qed.
Lemma doubling_ge a c d : 0 < a ->
  theta (2*a) c * theta (2*a) d + theta (2*a) (c - 1/2) * theta (2*a) (d - 1/2) <= theta a (c + d) * theta a (c - d).
Proof.
  intros Ha. set (K := theta (2*a) c * theta (2*a) d + theta (2*a) (c - 1/2) * theta (2*a) (d - 1/2)).
  apply (is_lim_seq_le (fun N => partial (2*a) c N * partial (2*a) d N + partial (2*a) (c - 1/2) N * partial (2*a) (d - 1/2) N)
     (fun _ => theta a (c + d) * theta a (c - d)) K (theta a (c + d) * theta a (c - d)));
    [| apply is_lim_seq_plus'; apply is_lim_seq_mult'; apply theta_all; lra | apply is_lim_seq_const].
  intros N. rewrite <- doubling_on_boxes. destruct (box_covers N) as [X1 X2].
  eapply Rle_trans; [apply list_sum_incl; [intros z; apply Rmult_le_pos; left; apply bell_positive | exact X1 | exact X2]|].
  unfold box. rewrite list_sum_prod.
  assert (H : forall e, 0 <= partial a e (2*N+1) <= theta a e) by (intros e; split; [apply partial_nonneg | now apply theta_all]).
  apply Rmult_le_compat; apply H.
Qed.

Lemma fourth_power a c : 0 < a -> theta a c ^ 4 <= theta a (2 * c) * theta a 0 ^ 3.
Proof.
  intros Ha.
  assert (I1 := doubling_le a c 0 Ha). assert (I2 := doubling_ge a c c Ha). assert (I3 := doubling_ge a 0 0 Ha).
  rewrite Rplus_0_r, Rminus_0_r in I1. replace (c + c) with (2 * c) in I2 by lra. replace (c - c) with 0 in I2 by lra.
  rewrite Rplus_0_r, Rminus_0_r in I3.
  set (p := theta (2*a) c) in *. set (r := theta (2*a) (c - 1/2)) in *.
  set (u := theta (2*a) 0) in *. set (v := theta (2*a) (0 - 1/2)) in *.
  assert (P := theta_positive a c Ha). assert (P0 := theta_positive a 0 Ha).
  set (x := theta a c) in *. set (y := theta a (2*c)) in *. set (z := theta a 0) in *.
  assert (CS : (p * u + r * v) ^ 2 <= (p * p + r * r) * (u * u + v * v)).
  { assert (0 <= (p * v - r * u) ^ 2) by apply pow2_ge_0. nra. }
  assert (x ^ 4 <= (p * u + r * v) ^ 2).
  { replace (x ^ 4) with ((x * x) ^ 2) by ring. apply pow_incr. split; [nra|auto]. }
  assert ((p * p + r * r) * (u * u + v * v) <= (y * z) * (z * z)).
  { apply Rmult_le_compat; auto; nra. }
  replace (y * z ^ 3) with (y * z * (z * z)) by ring. lra.
Qed.

Theorem theta_max a c : 0 < a -> theta a c <= theta a 0.
Proof.
  intros Ha. assert (P0 := theta_positive a 0 Ha). set (z := theta a 0) in *.
  apply Rnot_lt_le. intros Hc. set (del := theta a c / z - 1).
  assert (D : 0 < del).
  { unfold del. apply Rmult_lt_reg_r with z; auto. replace ((theta a c / z - 1) * z) with (theta a c - z) by (field; lra). lra. }
  assert (G : forall n, exists c', 1 + INR (S n) * del <= theta a c' / z).
  { induction n as [|n (c' & IH)].
    - exists c. simpl. unfold del. lra.
    - exists (2 * c'). assert (Q := fourth_power a c' Ha). fold z in Q.
      assert (Q' : (theta a c' / z) ^ 4 <= theta a (2 * c') / z).
      { replace ((theta a c' / z) ^ 4) with (theta a c' ^ 4 / z ^ 4) by (field; lra).
        replace (theta a (2*c') / z) with (theta a (2*c') * z ^ 3 / z ^ 4) by (field; lra).
        apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; auto | auto]. }
      assert (0 <= INR n) by apply pos_INR. rewrite !S_INR in *.
      set (x := theta a c' / z) in *. set (m := INR n) in *.
      assert (1 <= x) by nra. assert (x * 2 - 1 <= x ^ 2) by nra. assert (x ^ 2 <= x ^ 4) by (assert (1 <= x^2) by nra; nra).
      nra. }
  assert (Hn : exists n, theta_bound a / z < INR n * del).
  { exists (Z.to_nat (up (theta_bound a / z / del))). destruct (archimed (theta_bound a / z / del)) as [A1 _].
    apply Rlt_le_trans with (IZR (up (theta_bound a / z / del)) * del).
    - apply Rmult_lt_compat_r with (r := del) in A1; auto.
      replace (theta_bound a / z / del * del) with (theta_bound a / z) in A1 by (field; lra). exact A1.
    - apply Rmult_le_compat_r; [lra|]. rewrite INR_IZR_INZ. apply IZR_le. lia. }
  destruct Hn as [n Hn]. destruct (G n) as (c' & Hc').
  destruct (theta_all a c' Ha) as (_ & _ & Hb).
  assert (theta a c' / z <= theta_bound a / z) by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|auto]).
  rewrite S_INR in Hc'. nra.
Qed.
