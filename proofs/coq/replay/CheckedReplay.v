(** What a whole replay says, with nothing assumed: if the kernel found that the recorded cells hold, that the
    recorded coins hold, and that the recorded tapes and trees hold, then there is a program, named here, that
    has exactly the reference's law and does on every recorded tape what the shipped Rust did. *)
Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Bernoulli Laplace Gaussian.
From Certus.privacy Require Import Definitions.
From Certus.exact Require Import Intervals ExpNeg.
From Certus.fast Require Import Table Buckets.
From Certus.replay Require Import FastModel Enclosures Replay Extension BucketExtension Cells CheckedCells.
Import ListNotations.
Open Scope R_scope.

Definition reference (decay : Decay) : Program Z := match decay with LaplaceDecay n d => laplace n d | GaussianDecay n d => gaussian n d end.
(** The same probability of every output, and an output for certain. *)
Definition draws_as (p q : Program Z) : Prop := (forall y, probability p (Z.eqb y) = probability q (Z.eqb y)) /\ total p = 1.

Theorem checked_tables_are_exact cells tapes c refill : forallb cells_hold cells = true -> forallb tape_holds tapes = true ->
  In c cells -> folded c = true -> places c = O -> (0 < refill)%nat ->
  let exact := exact_table (table_share (decay c)) (width (of_cells c)) refill in
  draws_as exact (reference (decay c))
  /\ forall r, In r tapes -> sampler r = Table (of_cells c) refill -> run exact enough (tape_of (tape r)) = Some (output r, []).
Proof.
  intros HC HT I F P Hr exact. apply forallb_forall with (x := c) in HC; auto. destruct (checked_cells c HC) as (HD & Hw & Hf & HF & _).
  specialize (HF F P). unfold exact. destruct (decay c) as [n d|n d] eqn:E; destruct HD as [Hn Hd]; cbn [table_share reference] in *.
  - destruct (replayed_laplace_table n d _ _ _ refill tapes Hn Hd Hr Hw HF HT) as (A & B & C).
    split; [split; [exact A|exact B]|]. intros r Hin S. apply C; auto. rewrite S. f_equal. exact Hf.
  - destruct (replayed_gaussian_table n d _ _ _ refill tapes Hn Hd Hr Hw HF HT) as (A & B & C).
    split; [split; [|exact B]|]. { intros y. now rewrite A, gaussian_probability. }
    intros r Hin S. apply C; auto. rewrite S. f_equal. exact Hf.
Qed.

(** The buckets: for every [most] there is such a program, for the tapes of at most so many bits. *)
Theorem checked_buckets_are_exact cells tapes c reach squeeze high low unused refill bounds : forallb cells_hold cells = true -> forallb tape_holds tapes = true ->
  In c cells -> folded c = false -> places c = (high + low)%nat -> (0 < refill)%nat ->
  exists bucket_total, is_bucket_total (decay c) (2 ^ (high + low)) bucket_total /\ forall most,
  let exact := extended_buckets (decay c) (floors (of_cells c)) (width (of_cells c)) reach squeeze high low unused refill bounds bucket_total most in
  draws_as exact (reference (decay c))
  /\ forall r, In r tapes -> sampler r = Buckets (decay c) (of_cells c) reach squeeze high low unused refill bounds ->
     (length (tape_of (tape r)) <= most)%nat -> run exact enough (tape_of (tape r)) = Some (output r, []).
Proof.
  intros HC HT I F P Hr. apply forallb_forall with (x := c) in HC; auto. destruct (checked_cells c HC) as (HD & Hw & Hf & _ & HF & HX).
  specialize (HF F). specialize (HX F). cbv zeta in HX. rewrite P in HF, HX. set (w := (2 ^ (high + low))%nat) in *.
  assert (W : (0 < w)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  assert (Wz : (2 ^ Z.of_nat (high + low))%Z = Z.of_nat w) by (unfold w; now rewrite Nat2Z.inj_pow). rewrite Wz in HX.
  assert (Same : forall r, sampler r = Buckets (decay c) (of_cells c) reach squeeze high low unused refill bounds ->
    sampler r = Buckets (decay c) (cut_off (precision (of_cells c)) (width (of_cells c)) (floors (of_cells c))) reach squeeze high low unused refill bounds).
  { intros r S. rewrite S. f_equal. exact Hf. }
  destruct (decay c) as [n d|n d] eqn:E; destruct HD as [Hn Hd]; cbn [reference].
  - destruct (laplace_buckets_have_a_sum n d w Hn Hd W) as [total HS]. exists total. split; [exact HS|]. intros most.
    destruct (replayed_laplace_buckets n d _ _ _ reach squeeze high low unused refill bounds total most tapes Hn Hd Hr Hw HS (HF total HS) HX HT) as (A & B & C).
    split; [split; [exact A|exact B]|]. intros r Hin S. apply C; auto.
  - destruct (gaussian_buckets_have_a_sum n d w Hn Hd W) as [total HS]. exists total. split; [exact HS|]. intros most.
    destruct (replayed_gaussian_buckets n d _ _ _ reach squeeze high low unused refill bounds total most tapes Hn Hd Hr Hw HS (HF total HS) HX HT) as (A & B & C).
    split; [split; [|exact B]|]. { intros y. now rewrite A, gaussian_probability. }
    intros r Hin S. apply C; auto.
Qed.

(** ** The response by ε *)
Lemma bounds_hold_sound digits most least p : (0 <= digits)%Z -> 0 < p -> IZR least * p <= IZR (2 ^ digits) <= IZR most * p ->
  forall bounds start, bounds_hold digits most least (Z.of_nat start) bounds = true -> forall i lower upper, nth_error bounds i = Some (lower, upper) ->
  IZR lower <= p * 2 ^ (start + i) <= IZR upper.
Proof.
  intros Hd Hp HP. assert (T := two_to_positive digits Hd).
  induction bounds as [|[lo up] bounds IH]; intros start H i lower upper Hi; [destruct i; discriminate|].
  cbn [bounds_hold] in H. rewrite !andb_true_iff, !Z.leb_le in H. destruct H as [[[[H0 H0'] H1] H2] Rest].
  destruct i as [|i]; cbn [nth_error] in Hi.
  - injection Hi as -> ->. rewrite Nat.add_0_r. apply IZR_le in H0, H0', H1, H2. rewrite mult_IZR, two_to_add in H1, H2 by lia. rewrite power_of_two in H1, H2.
    assert (S : 0 < 2 ^ start) by (apply pow_lt; lra). split.
    + apply Rmult_le_reg_r with (IZR (2 ^ digits)); auto. apply Rle_trans with (IZR lower * (IZR most * p)); [apply Rmult_le_compat_l; lra|].
      apply (Rmult_le_compat_r p) in H1; lra.
    + apply Rmult_le_reg_r with (IZR (2 ^ digits)); auto. apply Rle_trans with (IZR upper * (IZR least * p)); [|apply Rmult_le_compat_l; lra].
      apply (Rmult_le_compat_r p) in H2; lra.
  - replace (Z.of_nat start + 1)%Z with (Z.of_nat (S start)) in Rest by lia. rewrite Nat.add_succ_r, <- Nat.add_succ_l. eapply IH; eauto.
Qed.
Lemma checked_coin r : coin_holds r = true -> (2 <= answers r)%Z /\ 0 <= IZR (epsilon_n r) / IZR (epsilon_d r)
  /\ bounds_enclose (1 / (1 + IZR (answers r - 1) * exp (- (IZR (epsilon_n r) / IZR (epsilon_d r))))) (of_coin r).
Proof.
  unfold coin_holds. cbv zeta. rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt. intros [[[Hn Hd] Hk] H].
  destruct (exp_pair (epsilon_n r) (epsilon_d r) 256) as [e|] eqn:E; [|discriminate]. assert (C := exp_pair_encloses _ _ 256 _ Hn Hd ltac:(lia) E).
  set (x := IZR (epsilon_n r) / IZR (epsilon_d r)) in *. assert (X := exp_pos (- x)). assert (K : 1 <= IZR (answers r - 1)) by (apply IZR_le; lia).
  split; [exact Hk|]. split. { apply Rmult_le_pos; [now apply IZR_le|]. left. apply Rinv_0_lt_compat. now apply (IZR_lt 0). }
  set (s := 1 + IZR (answers r - 1) * exp (- x)). assert (S : 0 < s) by (unfold s; nra).
  intros length lower upper N. apply (bounds_hold_sound 256 (2 ^ 256 + (answers r - 1) * snd e) (2 ^ 256 + (answers r - 1) * fst e) (1 / s) ltac:(lia))
    with (start := O) (bounds := of_coin r); auto.
  - apply Rdiv_lt_0_compat; lra.
  - destruct C as [_ [C1 C2]]. rewrite !plus_IZR, !mult_IZR. set (t := IZR (2 ^ 256)) in *. assert (T : 0 < t) by (apply two_to_positive; lia).
    assert (E1 : t = (t + IZR (answers r - 1) * (exp (- x) * t)) * (1 / s)) by (unfold s; field; fold s; lra).
    assert (I : 0 < 1 / s) by (apply Rdiv_lt_0_compat; lra). split.
    + rewrite E1 at 2. apply Rmult_le_compat_r; [lra|]. apply Rplus_le_compat_l, Rmult_le_compat_l; lra.
    + rewrite E1 at 1. apply Rmult_le_compat_r; [lra|]. apply Rplus_le_compat_l, Rmult_le_compat_l; lra.
Qed.
Theorem checked_responses_are_exact coins tapes trees c truth : forallb coin_holds coins = true -> forallb tape_holds tapes = true ->
  forallb tree_holds trees = true -> In c coins -> (0 <= truth < answers c)%Z ->
  let epsilon := IZR (epsilon_n c) / IZR (epsilon_d c) in
  let k := answers c in
  let p := 1 / (1 + IZR (k - 1) * exp (- epsilon)) in
  let exact := extended_response p (of_coin c) k in
  (forall answer, (0 <= answer < k)%Z -> probability (exact truth) (Z.eqb answer) = if (answer =? truth)%Z then p else (1 - p) / IZR (k - 1))
  /\ (forall truth', (0 <= truth' < k)%Z -> pure_dp epsilon (exact truth) (exact truth'))
  /\ (forall r, In r tapes -> sampler r = ResponseByEpsilon (of_coin c) k truth -> run (exact truth) enough (tape_of (tape r)) = Some (output r, []))
  /\ (forall r, In r trees -> of r = ResponseByEpsilon (of_coin c) k truth -> (depth r < length (of_coin c))%nat ->
      forall tape, length tape = depth r -> exists used result, assigned 0 tape (map run_of (concat (runs r))) = Some (used, result)
        /\ run (exact truth) enough tape = match result with Some output => Some (output, skipn used tape) | None => None end).
Proof.
  intros HC HT HR I Ht epsilon k p exact. apply forallb_forall with (x := c) in HC; auto. destruct (checked_coin c HC) as (Hk & He & HB).
  now apply (replayed_response k epsilon).
Qed.
