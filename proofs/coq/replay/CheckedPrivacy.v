(** From a replay to privacy: the exact programs that the replayed runs are part of have the reference's law,
    so that every mechanism's theorem holds with them as noise ([any_laplace_private] and what follows it in
    [privacy/Transfer.v]), and with lists of their draws ([privacy/Draws.v]). *)
Require Import Reals Lra List ZArith Bool.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Laplace Gaussian.
From Certus.privacy Require Import Definitions Zcdp Transfer Draws.
From Certus.replay Require Import FastModel Replay Extension BucketExtension Cells CheckedCells CheckedReplay.
Import ListNotations.
Open Scope R_scope.

Lemma draws_as_law p q : draws_as p q -> same_law q p.
Proof. intros [H _]. apply (outputs_decide_the_law Z _). intros y. symmetry. apply H. Qed.

Theorem checked_tables_have_the_law cells tapes c refill : forallb cells_hold cells = true -> forallb tape_holds tapes = true ->
  In c cells -> folded c = true -> places c = O -> (0 < refill)%nat ->
  same_law (reference (decay c)) (exact_table (table_share (decay c)) (width (of_cells c)) refill).
Proof. intros HC HT I F P Hr. apply draws_as_law. now apply (checked_tables_are_exact cells tapes). Qed.
Theorem checked_buckets_have_the_law cells tapes c reach squeeze high low unused refill bounds : forallb cells_hold cells = true -> forallb tape_holds tapes = true ->
  In c cells -> folded c = false -> places c = (high + low)%nat -> (0 < refill)%nat ->
  exists bucket_total, is_bucket_total (decay c) (2 ^ (high + low)) bucket_total /\ forall most,
  same_law (reference (decay c))
    (extended_buckets (decay c) (floors (of_cells c)) (width (of_cells c)) reach squeeze high low unused refill bounds bucket_total most).
Proof.
  intros HC HT I F P Hr. destruct (checked_buckets_are_exact cells tapes c reach squeeze high low unused refill bounds HC HT I F P Hr) as (total & B & H).
  exists total. split; [exact B|]. intros most. apply draws_as_law. apply H.
Qed.

(** What noise of a law costs: Δ/s-DP of Laplace, Δ²/2σ²-zCDP of Gaussian. *)
Definition private_as_noise (decay : Decay) (noise : Program Z) : Prop :=
  forall sensitivity answer answer', (Z.abs (answer - answer') <= sensitivity)%Z ->
  match decay with
  | LaplaceDecay n d => pure_dp (IZR sensitivity / (IZR n / IZR d)) (add_noise noise answer) (add_noise noise answer')
  | GaussianDecay n d => zcdp (IZR sensitivity ^ 2 / (2 * (IZR n / IZR d))) (add_noise noise answer) (add_noise noise answer')
  end.
Theorem checked_tables_are_private cells tapes c refill : forallb cells_hold cells = true -> forallb tape_holds tapes = true ->
  In c cells -> folded c = true -> places c = O -> (0 < refill)%nat ->
  private_as_noise (decay c) (exact_table (table_share (decay c)) (width (of_cells c)) refill).
Proof.
  intros HC HT I F P Hr. assert (L := checked_tables_have_the_law cells tapes c refill HC HT I F P Hr).
  apply forallb_forall with (x := c) in HC; auto. destruct (checked_cells c HC) as (HD & _).
  intros sensitivity answer answer' HS. destruct (decay c) as [n d|n d]; destruct HD as [Hn Hd]; [now apply any_laplace_private|now apply any_gaussian_zcdp].
Qed.
Theorem checked_buckets_are_private cells tapes c reach squeeze high low unused refill bounds : forallb cells_hold cells = true -> forallb tape_holds tapes = true ->
  In c cells -> folded c = false -> places c = (high + low)%nat -> (0 < refill)%nat ->
  exists bucket_total, is_bucket_total (decay c) (2 ^ (high + low)) bucket_total /\ forall most,
  private_as_noise (decay c)
    (extended_buckets (decay c) (floors (of_cells c)) (width (of_cells c)) reach squeeze high low unused refill bounds bucket_total most).
Proof.
  intros HC HT I F P Hr. destruct (checked_buckets_have_the_law cells tapes c reach squeeze high low unused refill bounds HC HT I F P Hr) as (total & B & L).
  exists total. split; [exact B|]. intros most. specialize (L most). apply forallb_forall with (x := c) in HC; auto. destruct (checked_cells c HC) as (HD & _).
  intros sensitivity answer answer' HS. destruct (decay c) as [n d|n d]; destruct HD as [Hn Hd]; [now apply any_laplace_private|now apply any_gaussian_zcdp].
Qed.
