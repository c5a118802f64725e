(** From a point q of the line to a vector of integers, coordinate by coordinate: a kernel whose weights are e^(-(|y|² + γ·(u·y)²)/2σ²), y = x - q·u,
    γ = w²/(σ² - w²|u|²), over sums that are nearly constant. Its mixture by a Gaussian of variance w² on the line has the weights e^(-|x|²/2σ²).

    These are the weights of a normal law of covariance σ²I - w²uu', and its density times e^(-q²/2w²) is that of N(0, σ²I) times one of q.
    Here nothing is continuous: each coordinate, given those after it, is a discrete Gaussian about a real centre, and the identities are
    those of the exponents. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import ListSums.
From Certus.privacy Require Import Theta GaussianMechanism.
From Certus.account Require Import Constants Curves Factors Steps GaussianSums.
Import ListNotations.
Open Scope R_scope.

(** The discrete Gaussian of variance parameter τ² about a real centre. *)
Definition gauss (tau c : R) (z : Z) : R := bell (precision tau) c z / theta (precision tau) c.
Theorem gauss_law tau c : 0 < tau -> law (gauss tau c).
Proof.
  intros H. assert (A := precision_positive tau H). assert (T := theta_positive (precision tau) c A).
  destruct (theta_all (precision tau) c A) as (L & B & _).
  assert (I : 0 < / theta (precision tau) c) by now apply Rinv_0_lt_compat.
  assert (E : forall l, list_sum l (gauss tau c) = / theta (precision tau) c * list_sum l (bell (precision tau) c)).
  { intros l. rewrite <- list_sum_scal. apply list_sum_ext. intros z _. unfold gauss, Rdiv. ring. }
  repeat split.
  - intros z. unfold gauss. left. apply Rdiv_lt_0_compat; auto. apply bell_positive.
  - intros l Hl. destruct (all_within l) as [N HN]. rewrite E.
    assert (K := list_sum_incl _ (bell (precision tau) c) ltac:(intros; left; apply bell_positive) l _ Hl HN). specialize (B N). unfold partial in B.
    apply Rmult_le_reg_l with (theta (precision tau) c); auto. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
  - intros slack Hs. destruct (proj1 (is_lim_seq_Reals _ _) L (slack * theta (precision tau) c)) as [N HN]; [now apply Rmult_lt_0_compat|].
    specialize (HN N (le_n N)). unfold R_dist in HN. apply Rabs_def2 in HN. exists (integers_within N). split; [apply NoDup_integers_within|].
    rewrite E. unfold partial in HN. apply Rmult_le_reg_l with (theta (precision tau) c); auto. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
Qed.
Lemma gauss_positive tau c z : 0 < tau -> 0 < gauss tau c z.
Proof. intros H. apply Rdiv_lt_0_compat; [apply bell_positive|]. now apply theta_positive, precision_positive. Qed.
Lemma gauss_sums_to_1 tau c : 0 < tau -> is_lim_seq (fun N => list_sum (integers_within N) (gauss tau c)) 1.
Proof.
  intros H. assert (A := precision_positive tau H). assert (T := theta_positive (precision tau) c A).
  destruct (theta_all (precision tau) c A) as (L & _).
  replace 1 with (/ theta (precision tau) c * theta (precision tau) c) by (field; lra).
  apply (is_lim_seq_ext (fun N => / theta (precision tau) c * partial (precision tau) c N)).
  - intros N. unfold partial. rewrite <- list_sum_scal. apply list_sum_ext. intros z _. unfold gauss, Rdiv. ring.
  - apply is_lim_seq_mult'; [apply is_lim_seq_const|exact L].
Qed.
(** Moved by an integer it is the same. *)
Lemma gauss_moved tau c m z : 0 < tau -> gauss tau (c + IZR m) z = gauss tau c (z - m).
Proof.
  intros H. unfold gauss. rewrite theta_shift by now apply precision_positive. f_equal. unfold bell. rewrite minus_IZR. do 4 f_equal. ring.
Qed.

Section Kernel.
Variables (sigma w : R).
Hypotheses (w_positive : 0 < w) (w_below : w < sigma).

Fixpoint square (n : nat) : Tuple R n -> R := match n with O => fun _ => 0 | S n => fun u => fst u ^ 2 + square n (snd u) end.
(** |x - q·u|² and u·(x - q·u). *)
Fixpoint off (n : nat) (q : R) : Tuple R n -> Tuple Z n -> R :=
  match n with O => fun _ _ => 0 | S n => fun u x => (IZR (fst x) - q * fst u) ^ 2 + off n q (snd u) (snd x) end.
Fixpoint slant (n : nat) (q : R) : Tuple R n -> Tuple Z n -> R :=
  match n with O => fun _ _ => 0 | S n => fun u x => fst u * (IZR (fst x) - q * fst u) + slant n q (snd u) (snd x) end.
(** σ² - w²|u|²: what is left of the variance in the direction of u. *)
Definition rest (n : nat) (u : Tuple R n) : R := sigma ^ 2 - w ^ 2 * square n u.
Definition form (n : nat) (q : R) (u : Tuple R n) (x : Tuple Z n) : R := off n q u x + w ^ 2 / rest n u * slant n q u x ^ 2.
Definition centre (n : nat) (q : R) (u : Tuple R (S n)) (x : Tuple Z n) : R :=
  q * fst u - w ^ 2 / rest n (snd u) * fst u * slant n q (snd u) x.
Definition spread (n : nat) (u : Tuple R (S n)) : R := sigma * sqrt (rest (S n) u / rest n (snd u)).
Fixpoint kernel (n : nat) (q : R) : Tuple R n -> Tuple Z n -> R :=
  match n with O => fun _ _ => 1
  | S n => fun u x => kernel n q (snd u) (snd x) * gauss (spread n u) (centre n q u (snd x)) (fst x) end.
(** What its weights are divided by. *)
Fixpoint sums (n : nat) (q : R) : Tuple R n -> Tuple Z n -> R :=
  match n with O => fun _ _ => 1
  | S n => fun u x => sums n q (snd u) (snd x) * theta (precision (spread n u)) (centre n q u (snd x)) end.

Lemma square_nonneg n u : 0 <= square n u.
Proof. induction n as [|n IH]; simpl; [lra|]. destruct u as [a u]. specialize (IH u). simpl. nra. Qed.
Lemma square_tail n (u : Tuple R (S n)) : square n (snd u) <= square (S n) u.
Proof. destruct u as [a u]. simpl. nra. Qed.
Lemma rest_bounds n u : square n u <= 1 -> sigma ^ 2 - w ^ 2 <= rest n u <= sigma ^ 2 /\ 0 < rest n u /\ 0 < sigma ^ 2 - w ^ 2.
Proof. intros H. assert (S := square_nonneg n u). unfold rest. nra. Qed.
Lemma spread_bounds n u : square (S n) u <= 1 -> 0 < spread n u /\ spread n u ^ 2 = sigma ^ 2 * (rest (S n) u / rest n (snd u))
  /\ sqrt (sigma ^ 2 - w ^ 2) <= spread n u.
Proof.
  intros H. assert (T := square_tail n u). destruct (rest_bounds (S n) u H) as ([L U] & P & Q).
  destruct (rest_bounds n (snd u) ltac:(lra)) as ([L' U'] & P' & _).
  set (a := rest (S n) u) in *. set (b := rest n (snd u)) in *. assert (D : 0 < a / b) by now apply Rdiv_lt_0_compat.
  assert (S2 : spread n u ^ 2 = sigma ^ 2 * (a / b)).
  { unfold spread. fold a b. rewrite Rpow_mult_distr. f_equal. simpl. rewrite Rmult_1_r. apply sqrt_sqrt. lra. }
  assert (S0 : 0 < spread n u) by (unfold spread; apply Rmult_lt_0_compat; [lra|]; now apply sqrt_lt_R0).
  repeat split; auto. apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. rewrite sqrt_sqrt by lra.
  replace (spread n u * spread n u) with (spread n u ^ 2) by ring. rewrite S2.
  apply Rle_trans with a; [lra|]. apply Rmult_le_reg_r with b; auto.
  replace (sigma ^ 2 * (a / b) * b) with (a * sigma ^ 2) by (field; lra). apply Rmult_le_compat_l; lra.
Qed.

(** Its weights. *)
Lemma sums_positive n q u x : square n u <= 1 -> 0 < sums n q u x.
Proof.
  intros H. induction n as [|n IH]; simpl; [lra|]. destruct (spread_bounds n u H) as (S0 & _). assert (T := square_tail n u).
  apply Rmult_lt_0_compat; [apply IH; lra|]. now apply theta_positive, precision_positive.
Qed.
Lemma form_step n q (u : Tuple R (S n)) (x : Tuple Z (S n)) : square (S n) u <= 1 ->
  form (S n) q u x / (2 * sigma ^ 2)
  = form n q (snd u) (snd x) / (2 * sigma ^ 2) + precision (spread n u) * (IZR (fst x) - centre n q u (snd x)) ^ 2.
Proof.
  intros H. destruct (spread_bounds n u H) as (S0 & S2 & _). assert (T := square_tail n u).
  destruct (rest_bounds (S n) u H) as (_ & P & _). destruct (rest_bounds n (snd u) ltac:(lra)) as (_ & P' & _).
  unfold precision. rewrite S2. unfold form, centre. destruct u as [a u], x as [z x]. cbn [off slant fst snd] in *.
  assert (E : rest n u = rest (S n) (a, u) + w ^ 2 * a ^ 2) by (unfold rest; cbn [square fst snd]; ring).
  set (r := rest (S n) (a, u)) in *. rewrite E in *. set (m := slant n q u x). set (o := off n q u x). field. repeat split; lra.
Qed.
Theorem kernel_is n q u x : square n u <= 1 -> kernel n q u x = exp (- (form n q u x / (2 * sigma ^ 2))) / sums n q u x.
Proof.
  intros H. induction n as [|n IH].
  - unfold form. cbn [off slant kernel sums]. replace (- ((0 + w ^ 2 / rest 0 u * 0 ^ 2) / (2 * sigma ^ 2))) with 0 by (unfold Rdiv; ring).
    rewrite exp_0. field.
  - assert (T := square_tail n u). cbn [kernel sums]. rewrite IH, form_step by lra. unfold gauss, bell.
    rewrite Ropp_plus_distr, exp_plus. destruct (spread_bounds n u H) as (S0 & _).
    assert (N := sums_positive n q (snd u) (snd x) ltac:(lra)).
    assert (N' := theta_positive (precision (spread n u)) (centre n q u (snd x)) (precision_positive _ S0)). field. lra.
Qed.
Theorem kernel_law n q u : square n u <= 1 -> law (kernel n q u).
Proof.
  intros H. induction n as [|n IH]; [apply unit_law|]. assert (T := square_tail n u). destruct (spread_bounds n u H) as (S0 & _).
  apply (renamed_law (Tuple Z n * Z) (Tuple Z (S n)) (fun z => (snd z, fst z)) (fun x => (snd x, fst x))
    (joint (kernel n q (snd u)) (fun x => gauss (spread n u) (centre n q u x)))).
  - intros []. reflexivity.
  - intros []. reflexivity.
  - apply joint_law; [apply decide_tuples, Z.eq_dec|apply Z.eq_dec|apply IH; lra|]. intros x. now apply gauss_law.
Qed.

(** Mixed along the line: the exponents. *)
Lemma off_is n q u x : off n q u x = off n 0 u x - 2 * q * slant n 0 u x + q ^ 2 * square n u.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma slant_is n q u x : slant n q u x = slant n 0 u x - q * square n u.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Theorem exponents_on_the_line n q u x : square n u <= 1 ->
  q ^ 2 / (2 * w ^ 2) + form n q u x / (2 * sigma ^ 2)
  = off n 0 u x / (2 * sigma ^ 2) + (q - w ^ 2 / sigma ^ 2 * slant n 0 u x) ^ 2 / (2 * (w ^ 2 * rest n u / sigma ^ 2)).
Proof.
  intros H. destruct (rest_bounds n u H) as (_ & P & _). unfold form. rewrite (off_is n q), (slant_is n q).
  assert (E : square n u = (sigma ^ 2 - rest n u) / w ^ 2) by (unfold rest; field; lra). rewrite E.
  set (r := rest n u) in *. field. repeat split; lra.
Qed.

(** The sums, against those of the discrete Gaussian of variance parameter σ²: coordinates in which u is 0 have the same. *)
Fixpoint nonzero (n : nat) : Tuple R n -> nat :=
  match n with O => fun _ => O | S n => fun u => ((if Req_EM_T (fst u) 0 then 0 else 1) + nonzero n (snd u))%nat end.
Theorem sums_are_near n q u x e : square n u <= 1 -> eta (sqrt (sigma ^ 2 - w ^ 2)) <= e < 1 ->
  1 / kappa_of e ^ nonzero n u <= theta (precision sigma) 0 ^ n / sums n q u x * (sqrt (rest n u) / sigma) <= kappa_of e ^ nonzero n u.
Proof.
  intros H He. assert (Q0 : 0 < sigma ^ 2 - w ^ 2) by nra. assert (R0 : 0 < sqrt (sigma ^ 2 - w ^ 2)) by now apply sqrt_lt_R0.
  assert (R1 : sqrt (sigma ^ 2 - w ^ 2) <= sigma).
  { rewrite <- (sqrt_pow2 sigma) at 2 by lra. apply sqrt_le_1_alt. nra. }
  assert (E0 : 0 <= e) by (destruct (eta_bounds _ R0); lra). assert (K1 := kappa_of_at_least_1 e ltac:(lra)).
  assert (Z0 := theta_positive (precision sigma) 0 (precision_positive sigma ltac:(lra))).
  induction n as [|n IH].
  - simpl. unfold rest. simpl. replace (sigma * (sigma * 1) - w * (w * 1) * 0) with (sigma ^ 2) by ring. rewrite sqrt_pow2 by lra.
    replace (1 / 1 * (sigma / sigma)) with 1 by (field; lra). lra.
  - assert (T := square_tail n u). specialize (IH (snd u) (snd x) ltac:(lra)). destruct (spread_bounds n u H) as (S0 & _ & S1).
    destruct (rest_bounds (S n) u H) as (_ & P & _). destruct (rest_bounds n (snd u) ltac:(lra)) as (_ & P' & _).
    assert (N := sums_positive n q (snd u) (snd x) ltac:(lra)). assert (P1 : 0 < sqrt (rest n (snd u))) by now apply sqrt_lt_R0.
    cbn [sums nonzero pow]. set (c := centre n q u (snd x)).
    assert (N' := theta_positive (precision (spread n u)) c (precision_positive _ S0)).
    assert (E : spread n u = sigma * (sqrt (rest (S n) u) / sqrt (rest n (snd u)))) by (unfold spread; rewrite sqrt_div by lra; reflexivity).
    replace (theta (precision sigma) 0 * theta (precision sigma) 0 ^ n / (sums n q (snd u) (snd x) * theta (precision (spread n u)) c)
        * (sqrt (rest (S n) u) / sigma))
      with (theta (precision sigma) 0 / theta (precision (spread n u)) c * (spread n u / sigma)
        * (theta (precision sigma) 0 ^ n / sums n q (snd u) (snd x) * (sqrt (rest n (snd u)) / sigma))) by (rewrite E at 2; field; lra).
    set (y := theta (precision sigma) 0 ^ n / sums n q (snd u) (snd x) * (sqrt (rest n (snd u)) / sigma)) in *.
    assert (Km : 0 < kappa_of e ^ nonzero n (snd u)) by (apply pow_lt; lra).
    assert (Y0 : 0 < 1 / kappa_of e ^ nonzero n (snd u)) by (apply Rdiv_lt_0_compat; lra).
    destruct (Req_EM_T (fst u) 0) as [Z|NZ].
    + assert (E1 : rest (S n) u = rest n (snd u)).
      { unfold rest. replace (square (S n) u) with (fst u ^ 2 + square n (snd u)) by (destruct u; reflexivity). rewrite Z. ring. }
      assert (E2 : spread n u = sigma) by (rewrite E, E1; field; lra).
      assert (E3 : c = 0) by (unfold c, centre; rewrite Z; ring). rewrite E2, E3. cbn [Nat.add].
      replace (theta (precision sigma) 0 / theta (precision sigma) 0 * (sigma / sigma) * y) with y by (field; lra). exact IH.
    + destruct (sums_within_the_factor e sigma 0 (spread n u) c ltac:(lra) S0) as [L U]; try lra.
      { apply Rle_trans with (2 := proj1 He). apply eta_falls. lra. }
      { apply Rle_trans with (2 := proj1 He). apply eta_falls. lra. }
      set (z := theta (precision sigma) 0 / theta (precision (spread n u)) c * (spread n u / sigma)) in *.
      assert (L0 : 0 < 1 / kappa_of e) by (apply Rdiv_lt_0_compat; lra). cbn [Nat.add pow]. split.
      * apply Rle_trans with (1 / kappa_of e * (1 / kappa_of e ^ nonzero n (snd u))); [right; field; lra|]. apply Rmult_le_compat; lra.
      * apply Rmult_le_compat; lra.
Qed.
End Kernel.
