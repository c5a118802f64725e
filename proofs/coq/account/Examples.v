(** The hypotheses of the accountant's theorems can be met: a randomized response, and a part with a rare outcome that Q does not have. *)
Require Import Reals Lra List.
From Certus.semantics Require Import ListSums.
From Certus.account Require Import Constants Curves Chernoff Rare Jumps Blocks Smoothing Spectral Enclosure.
Import ListNotations.
Open Scope R_scope.

Definition response : Part := [outcome (3 / 4) (1 / 4); outcome (1 / 4) (3 / 4)].
Definition common : Part := [outcome (1 / 2) (1 / 2); outcome (2 / 5) (1 / 2)].
Definition never : Part := [outcome (1 / 10) 0].

Lemma response_finite : Forall of_finite_loss response.
Proof. repeat constructor; simpl; lra. Qed.
Ltac lists := repeat (apply Forall_cons || apply Forall_nil); repeat split; simpl; try lra.
Example ten_responses epsilon : delta epsilon (composed [(response, 10%nat)])
  <= chernoff_constant 2 * product (moment 2) [(response, 10%nat)] * exp (- (2 * epsilon)).
Proof. apply chernoff_bound_of_a_plan; [lra|]. constructor; [apply response_finite|constructor]. Qed.
Example smoothed_responses epsilon : delta epsilon (composed [(response, 10%nat)])
  <= smoothed_delta (1 / 100) epsilon (composed [(response, 10%nat)]).
Proof.
  apply smoothing; [lra|]. apply composed_good; [apply of_finite_loss_kept|]. constructor; [apply response_finite|constructor].
Qed.
Example a_rare_outcome epsilon : exists e,
  delta epsilon (composed (whole [(common, never, 5%nat)])) = delta epsilon (composed (frequent [(common, never, 5%nat)]))
    + (product P_mass (whole [(common, never, 5%nat)]) - product P_mass (frequent [(common, never, 5%nat)]))
    - exp epsilon * (product Q_mass (whole [(common, never, 5%nat)]) - product Q_mass (frequent [(common, never, 5%nat)])) + e
  /\ 0 <= e <= chernoff_constant 1 * exp ((1 + 1) * epsilon)
                 * (product (moment (-1 - 1)) (whole [(common, never, 5%nat)]) - product (moment (-1 - 1)) (frequent [(common, never, 5%nat)])).
Proof. apply rare_outcomes_apart; [lra|]. lists. Qed.
Example a_tail_cut_off epsilon :
  0 <= delta epsilon (composed (whole [(common, never, 5%nat)])) - delta epsilon (composed (frequent [(common, never, 5%nat)])) <= 1 / 2.
Proof.
  destruct (cut_off_tails_of_copies epsilon [(common, never, 5%nat)]) as [H1 H2].
  - lists.
  - lists. unfold P_mass. simpl. lra.
  - split; [exact H1|]. eapply Rle_trans; [exact H2|]. unfold P_mass. simpl. lra.
Qed.
Example jumps_of_three epsilon : delta epsilon (compose (copies 3 (response ++ common)) never)
  = FiniteSums.sum_below 4 (after_jumps epsilon response common never 3).
Proof. apply delta_by_jumps. apply response_finite. Qed.
(** Its two losses are within [-ln 4, ln 4]. *)
Example a_block : below [merged response] response /\ below response (ends (- ln 4) (ln 4) response).
Proof.
  assert (0 < ln 4) by (rewrite <- ln_1; apply ln_increasing; lra). split; [apply block_below|]. apply block_above; [lra|].
  lists; rewrite ?Ropp_involutive, ?exp_Ropp, ?exp_ln by lra; lra.
Qed.
(** 101 frequencies on a line on each side of the pole. *)
Example an_enclosure : delta 3 (composed [(response, 10%nat)]) <= main_sum 1 12 6 3 50 [(response, 10%nat)]
  + truncation_of_main 1 12 6 3 50 [(response, 10%nat)].
Proof.
  destruct (spectral_enclosure 1 12 6 50 ltac:(lra) ltac:(lra) 3 [(response, 10%nat)]) as [H _]; [constructor; [apply response_finite|constructor]|].
  apply (H ltac:(lra) 1). lra.
Qed.
Example an_enclosure_past_the_pole : P_star [(response, 10%nat)]
  + main_sum (-1 / 2) 12 6 3 50 [(response, 10%nat)] - smoothing_sum (-1 / 2) 12 6 3 50 [(response, 10%nat)]
  - truncation_of_main (-1 / 2) 12 6 3 50 [(response, 10%nat)] - truncation_of_smoothing (-1 / 2) 12 6 3 50 [(response, 10%nat)]
      <= delta 3 (composed [(response, 10%nat)]).
Proof.
  destruct (spectral_enclosure (-1 / 2) 12 6 50 ltac:(lra) ltac:(lra) 3 [(response, 10%nat)]) as [_ H]; [constructor;
    [apply response_finite|constructor]|].
  apply (H ltac:(lra) 1). lra.
Qed.
