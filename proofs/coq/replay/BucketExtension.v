(** The bucketed samplers that are replayed, and the exact ones that they are part of. The buckets' floors are
    extended as a table's are; the acceptance's bounds, which are a series of forty terms and so do not
    tighten for ever, are used up to any length [most], and after it the true floors of e^-x·2^length. *)
Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Bernoulli Geometric Laplace Gaussian.
From Certus.fast Require Import LazyInversion LazyCoin Buckets Agreement.
From Certus.replay Require Import FastModel Enclosures Replay Extension.
Import ListNotations.
Open Scope R_scope.

(** f(k) of a decay. *)
Definition weight_of (decay : Decay) : nat -> R :=
  match decay with LaplaceDecay n d => laplace_decay n d | GaussianDecay n d => gaussian_decay n d end.
(** G(b) = Σ f(b'·w) over b' <= b, of all. *)
Definition bucket_share (decay : Decay) (w : nat) (bucket_total : R) (b : nat) : R := sum_below (S b) (fun b => weight_of decay (b * w)) / bucket_total.
Definition acceptance_of (decay : Decay) (w b : nat) (o : Z) : R := weight_of decay (b * w + Z.to_nat o) / weight_of decay (b * w).

Lemma weight_positive decay k : positive_decay decay -> 0 < weight_of decay k.
Proof. destruct decay as [n d|n d]; intros [Hn Hd]; [apply pow_lt, ratio_bounds; auto|apply exp_pos]. Qed.
(** f(b·w + o)/f(b·w) = e^-x. *)
Lemma acceptance_is_exp decay (w b : nat) o : positive_decay decay -> (0 <= o)%Z ->
  acceptance_of decay w b o = exp (- (IZR (exponent_numerator decay (Z.of_nat w) b o) / IZR (exponent_denominator decay))).
Proof.
  intros HD Ho. unfold acceptance_of. assert (W := weight_positive decay (b * w) HD). apply Rmult_eq_reg_r with (weight_of decay (b * w)); [|lra].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- (Z2Nat.id o) at 2 by auto. set (j := Z.to_nat o). clear W.
  destruct decay as [n d|n d]; destruct HD as [Hn Hd]; apply (IZR_lt 0) in Hn as Rn; apply (IZR_lt 0) in Hd as Rd;
    cbn [weight_of exponent_numerator exponent_denominator].
  - unfold laplace_decay. rewrite ratio_power by auto. rewrite <- pow_add. f_equal. lia.
  - unfold gaussian_decay, gaussian_weight. rewrite <- exp_plus. f_equal. rewrite Nat2Z.inj_add, Nat2Z.inj_mul, !mult_IZR, !plus_IZR, !mult_IZR. field. lra.
Qed.

Section Extended.
Variables (decay : Decay) (list : list Z) (precision width reach squeeze high low unused refill : nat) (recorded : Recorded_bounds) (bucket_total : R) (most : nat).
Let w := (2 ^ (high + low))%nat.
Let wz := (2 ^ Z.of_nat (high + low))%Z.
Let G := bucket_share decay w bucket_total.

(** The acceptance's bounds: as they are replayed in the recorded buckets up to [most] bits, and else the true
    floors. *)
Definition extended_accept_lower (b : nat) (o : Z) (length : nat) : Z :=
  if (Nat.ltb b (List.length list) && Nat.leb length most)%bool then accept_lower decay wz recorded reach squeeze b o length
  else true_floor (acceptance_of decay w b o) length.
Definition extended_accept_upper (b : nat) (o : Z) (length : nat) : Z :=
  if (Nat.ltb b (List.length list) && Nat.leb length most)%bool then accept_upper decay wz recorded squeeze b o length
  else (true_floor (acceptance_of decay w b o) length + 1)%Z.
Definition extended_buckets : Program Z :=
  bucket_sampler (fun b => true_floor (G b)) (fun b length => true_floor (G b) length + 1)%Z patience extended_accept_lower extended_accept_upper
    width high squeeze low unused refill.

Hypotheses (HD : positive_decay decay) (Hw : (width <= precision)%nat) (HF : floors_of G precision list).
(** In the recorded buckets x is at most 1. *)
Hypothesis Hx : (exponent_numerator decay wz (List.length list) wz <= exponent_denominator decay)%Z.

Lemma wz_is_w : Z.of_nat w = wz.
Proof. unfold w, wz. now rewrite Nat2Z.inj_pow. Qed.
Lemma extended_accept_encloses b o length : (0 <= o < Z.of_nat w)%Z ->
  IZR (extended_accept_lower b o length) <= acceptance_of decay w b o * 2 ^ length <= IZR (extended_accept_upper b o length).
Proof.
  clear Hw HF G. intros Ho. unfold extended_accept_lower, extended_accept_upper. destruct (Nat.ltb_spec b (List.length list)) as [Hb|Hb]; cbn [andb];
    [destruct (Nat.leb_spec length most) as [Hl|Hl]|]; try apply (true_floors_enclose (fun b => acceptance_of decay w b o)).
  rewrite acceptance_is_exp by (auto; lia). rewrite wz_is_w in *. apply acceptance_encloses; auto; [lia|].
  assert (D : (0 < exponent_denominator decay)%Z) by (destruct decay; unfold positive_decay, exponent_denominator in *; lia). apply (IZR_lt 0) in D.
  apply Rmult_le_reg_r with (IZR (exponent_denominator decay)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply IZR_le.
  eapply Z.le_trans; [|exact Hx]. assert (0 < wz)%Z by (apply Z.pow_pos_nonneg; lia).
  destruct decay as [n d|n d]; unfold positive_decay, exponent_numerator in *; [nia|]. apply Z.mul_le_mono_nonneg_r; [lia|]. apply Z.mul_le_mono_nonneg; try nia.
Qed.
Lemma extended_accept_tightens b o : exists units, forall length, IZR (extended_accept_upper b o length) - IZR (extended_accept_lower b o length) <= units.
Proof.
  clear. apply finitely_many_widths with most. intros length Hl. unfold extended_accept_lower, extended_accept_upper.
  replace (Nat.leb length most) with false by (symmetry; apply Nat.leb_gt; lia). rewrite andb_false_r, plus_IZR. lra.
Qed.

(** Wherever the replayed sampler ends on a tape of at most [most] bits, the extended one does the same. *)
Theorem replayed_buckets_are_part_of_exact fuel tape result : (List.length tape <= most)%nat ->
  run (recorded_buckets decay (cut_off precision width list) reach squeeze high low unused refill recorded) fuel tape = Some result ->
  run extended_buckets fuel tape = Some result.
Proof.
  intros Hl. unfold recorded_buckets, extended_buckets. fold wz. apply (known_buckets_decide _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ most (unrecorded precision list)); auto.
  - intros cell length length'. unfold unrecorded. lia.
  - exact (unrecorded_is_void precision width list Hw).
  - exact (recorded_or_not G precision width list Hw HF).
  - intros b o length [l K] Ho Hlen. unfold extended_accept_lower, extended_accept_upper.
    replace (Nat.ltb b (List.length list)) with true by (symmetry; apply Nat.ltb_lt; unfold unrecorded in K; lia).
    replace (Nat.leb length most) with true by (symmetry; apply Nat.leb_le; lia). auto.
Qed.
End Extended.

(** What a replay that holds says of the Laplace buckets, for every [most] that no replayed tape is longer
    than. *)
Theorem replayed_laplace_buckets n d list precision width reach squeeze high low unused refill bounds (bucket_total : R) most recordings :
  (0 < n)%Z -> (0 < d)%Z -> (0 < refill)%nat -> (width <= precision)%nat ->
  let decay := LaplaceDecay n d in
  let w := (2 ^ (high + low))%nat in
  is_lim_seq (fun m => sum_below m (fun b => laplace_decay n d (b * w))) bucket_total ->
  floors_of (bucket_share decay w bucket_total) precision list ->
  (exponent_numerator decay (Z.of_nat w) (List.length list) (Z.of_nat w) <= exponent_denominator decay)%Z ->
  forallb tape_holds recordings = true ->
  let exact := extended_buckets decay list width reach squeeze high low unused refill bounds bucket_total most in
  (forall y, probability exact (Z.eqb y) = probability (laplace n d) (Z.eqb y)) /\ total exact = 1
  /\ forall r, In r recordings -> sampler r = Buckets decay (cut_off precision width list) reach squeeze high low unused refill bounds ->
     (List.length (tape_of (tape r)) <= most)%nat -> run exact enough (tape_of (tape r)) = Some (output r, []).
Proof.
  intros Hn Hd Hr Hw decay w HS HF Hx HH exact. assert (HD : positive_decay decay) by now split.
  assert (Wz : Z.of_nat w = (2 ^ Z.of_nat (high + low))%Z) by (unfold w; now rewrite Nat2Z.inj_pow). rewrite Wz in Hx.
  assert (L := bucketed_laplace_exact n d width high squeeze low unused refill bucket_total
    (fun b => true_floor (bucket_share decay w bucket_total b)) (fun b length => true_floor (bucket_share decay w bucket_total b) length + 1)%Z patience
    (extended_accept_lower decay list reach squeeze high low bounds most) (extended_accept_upper decay list squeeze high low bounds most)
    Hn Hd Hr patience_is_enough HS (true_floors_enclose _) (true_floors_tighten _)
    (extended_accept_encloses decay list reach squeeze high low bounds most HD Hx)
    (fun b o _ => extended_accept_tightens decay list reach squeeze high low bounds most b o)).
  destruct L as [P T]. split; [exact P|]. split; [exact T|]. intros r I S L.
  apply (replayed_buckets_are_part_of_exact decay list precision width reach squeeze high low unused refill bounds bucket_total most Hw HF); auto.
  generalize (held_tape_runs r recordings HH I). now rewrite S.
Qed.

(** … and of the Gaussian ones. *)
Theorem replayed_gaussian_buckets n d list precision width reach squeeze high low unused refill bounds (bucket_total : R) most recordings :
  (0 < n)%Z -> (0 < d)%Z -> (0 < refill)%nat -> (width <= precision)%nat ->
  let decay := GaussianDecay n d in
  let w := (2 ^ (high + low))%nat in
  is_lim_seq (fun m => sum_below m (fun b => gaussian_decay n d (b * w))) bucket_total ->
  floors_of (bucket_share decay w bucket_total) precision list ->
  (exponent_numerator decay (Z.of_nat w) (List.length list) (Z.of_nat w) <= exponent_denominator decay)%Z ->
  forallb tape_holds recordings = true ->
  let exact := extended_buckets decay list width reach squeeze high low unused refill bounds bucket_total most in
  (forall y, probability exact (Z.eqb y) = gaussian_weight n d y / gaussian_normaliser n d) /\ total exact = 1
  /\ forall r, In r recordings -> sampler r = Buckets decay (cut_off precision width list) reach squeeze high low unused refill bounds ->
     (List.length (tape_of (tape r)) <= most)%nat -> run exact enough (tape_of (tape r)) = Some (output r, []).
Proof.
  intros Hn Hd Hr Hw decay w HS HF Hx HH exact. assert (HD : positive_decay decay) by now split.
  assert (Wz : Z.of_nat w = (2 ^ Z.of_nat (high + low))%Z) by (unfold w; now rewrite Nat2Z.inj_pow). rewrite Wz in Hx.
  assert (L := bucketed_gaussian_exact n d width high squeeze low unused refill bucket_total
    (fun b => true_floor (bucket_share decay w bucket_total b)) (fun b length => true_floor (bucket_share decay w bucket_total b) length + 1)%Z patience
    (extended_accept_lower decay list reach squeeze high low bounds most) (extended_accept_upper decay list squeeze high low bounds most)
    Hn Hd Hr patience_is_enough HS (true_floors_enclose _) (true_floors_tighten _)
    (extended_accept_encloses decay list reach squeeze high low bounds most HD Hx)
    (fun b o _ => extended_accept_tightens decay list reach squeeze high low bounds most b o)).
  destruct L as [P T]. split; [exact P|]. split; [exact T|]. intros r I S L.
  apply (replayed_buckets_are_part_of_exact decay list precision width reach squeeze high low unused refill bounds bucket_total most Hw HF); auto.
  generalize (held_tape_runs r recordings HH I). now rewrite S.
Qed.
