(** The hypotheses of the theorems about the replay, of [exact] and of the transfer of privacy can be met:
    each kind, applied. A wrong floor, a wrong bound and a wrong answer are refused. *)
Require Import Reals Lra Lia List ZArith Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Laplace Gaussian.
From Certus.privacy Require Import Definitions LaplaceVector Zcdp Transfer Draws.
From Certus.exact Require Import Intervals ExpNeg Ln.
From Certus.replay Require Import FastModel Replay Extension BucketExtension ReplayExact Cells CheckedCells CheckedReplay CheckedPrivacy FixedReplay BulkReplay BulkExact BulkExtension.
Import ListNotations.
Open Scope R_scope.

Example e_to_the_minus_half : contains (interval 2605029347 2605029348 32) (exp (- (1 / 2))).
Proof. apply (exp_neg_contains 1 2 30); try lia. vm_compute. reflexivity. Qed.
Example ln_of_two : contains (interval 2977044471 2977044473 32) (ln (2 / 1)).
Proof. apply (ln_contains 4 2 1 30); try lia. vm_compute. reflexivity. Qed.
(** The same answer, scaled by 1 + 2^-24, is refused. *)
Example a_scaled_answer : exponential_holds (Build_Answer 3 2 32 3833346962 3833346963 34) = true
  /\ exponential_holds (Build_Answer 3 2 32 (3833346962 + 228) (3833346963 + 228) 34) = false.
Proof. vm_compute. auto. Qed.

(** Tables of three cells, at 20 bits, of which the first look is 10. *)
Definition laplace_cells := Build_RecordedCells (LaplaceDecay 1 1) 0 true (cut_off 20 10 [484564; 841087; 972245]%Z).
Definition gaussian_cells := Build_RecordedCells (GaussianDecay 1 1) 0 true (cut_off 20 10 [418321; 925770; 1038997]%Z).
Example cells_that_hold : cells_hold laplace_cells = true /\ cells_hold gaussian_cells = true.
Proof. vm_compute. auto. Qed.
(** One unit more in one floor is refused. *)
Example a_wrong_floor : cells_hold (Build_RecordedCells (LaplaceDecay 1 1) 0 true (cut_off 20 10 [484564; 841088; 972245]%Z)) = false
  /\ cells_hold (Build_RecordedCells (GaussianDecay 1 1) 0 true (cut_off 20 10 [418321; 925769; 1038997]%Z)) = false.
Proof. vm_compute. auto. Qed.
(** Eleven zeros: the first cell, and a positive sign. *)
Definition a_tape := Build_OneTape (Table (of_cells laplace_cells) 4) 2048 0.
Example a_checked_table : let exact := exact_table (table_share (LaplaceDecay 1 1)) 10 4 in
  draws_as exact (laplace 1 1) /\ run exact enough (tape_of 2048) = Some (0%Z, []).
Proof.
  intros exact. assert (C : forallb cells_hold [laplace_cells] = true) by (vm_compute; reflexivity).
  assert (T : forallb tape_holds [a_tape] = true) by (vm_compute; reflexivity).
  destruct (checked_tables_are_exact [laplace_cells] [a_tape] laplace_cells 4 C T (or_introl eq_refl) eq_refl eq_refl ltac:(lia)) as [D H].
  split; [exact D|]. apply (H a_tape); [now left|reflexivity].
Qed.
Example a_checked_table_is_private : pure_dp (3 / (1 / 1)) (add_noise (exact_table (table_share (LaplaceDecay 1 1)) 10 4) 7) (add_noise (exact_table (table_share (LaplaceDecay 1 1)) 10 4) 4).
Proof.
  assert (C : forallb cells_hold [laplace_cells] = true) by (vm_compute; reflexivity). assert (T : forallb tape_holds [a_tape] = true) by (vm_compute; reflexivity).
  assert (P : private_as_noise (LaplaceDecay 1 1) (exact_table (table_share (LaplaceDecay 1 1)) 10 4)); [|apply (P 3%Z 7%Z 4%Z); lia].
  apply (checked_tables_are_private [laplace_cells] [a_tape] laplace_cells 4 C T); [now left|reflexivity|reflexivity|lia].
Qed.
(** Slices: three samples of that table, of eleven zeros each; and two of buckets of four places, of scale 16,
    with seventeen each, two of which are of a second part, and the two unused parts of a word. *)
Definition a_slice := Build_FilledPrepared (Table (of_cells laplace_cells) 4) 8589934592 [0; 0; 0]%Z.
Definition bucket_cells := Build_RecordedCells (LaplaceDecay 16 1) 2 false (cut_off 20 10 [231944; 412582; 553263]%Z).
Definition a_bucket_slice := Build_FilledPrepared (Buckets (LaplaceDecay 16 1) (of_cells bucket_cells) 1 4 1 1 0 4 []) 73786976294838206464 [0; 0]%Z.
Example slices_that_hold : forallb cells_hold [laplace_cells; bucket_cells] = true /\ forallb bulk_holds [a_slice; a_bucket_slice] = true.
Proof. vm_compute. auto. Qed.
Example a_checked_slice : let exact := exact_table_bulk (table_share (LaplaceDecay 1 1)) 10 4 in
  fills_as (fill exact) (laplace 1 1) /\ run (fill exact 3) enough (tape_of 8589934592) = Some ([0; 0; 0]%Z, [])
  /\ pure_dp (1 / (1 / 1)) (add_filled (fill exact 3) [3; 0; 5]%Z) (add_filled (fill exact 3) [3; 1; 5]%Z).
Proof.
  intros exact. destruct slices_that_hold as [C S].
  destruct (checked_table_fills_are_exact _ _ laplace_cells 4 C S (or_introl eq_refl) eq_refl eq_refl ltac:(lia)) as [F H].
  split; [exact F|]. split; [apply (H a_slice); [now left|reflexivity]|].
  apply (checked_table_fills_are_private _ _ laplace_cells 4 C S (or_introl eq_refl) eq_refl eq_refl ltac:(lia) 1%Z [3; 0; 5]%Z [3; 1; 5]%Z); [reflexivity|vm_compute; discriminate].
Qed.
Example a_checked_bucket_slice : exists exact, fills_as (fill exact) (laplace 16 1) /\ run (fill exact 2) enough (tape_of 73786976294838206464) = Some ([0; 0]%Z, [])
  /\ private_as_filled (LaplaceDecay 16 1) (fill exact).
Proof.
  destruct slices_that_hold as [C S]. assert (I : In bucket_cells [laplace_cells; bucket_cells]) by (right; now left).
  destruct (checked_bucket_fills_are_exact _ _ bucket_cells 1 4 1 1 0 4 [] C S I eq_refl eq_refl ltac:(lia)) as (total & _ & H).
  destruct (H 100%nat) as [F R]. eexists. split; [exact F|]. split; [|apply fills_are_private; [now split|exact F]].
  apply (R a_bucket_slice); [right; now left|reflexivity|]. apply Nat.leb_le. vm_compute. reflexivity.
Qed.
(** p = 1/(1 + e^0) = 1/2: bounds at the lengths 0, 1, 2; and a wrong one. *)
Example a_coin : coin_holds (Build_RecordedCoin 0 1 2 [(0, 1); (1, 1); (2, 2)]%Z) = true /\ coin_holds (Build_RecordedCoin 0 1 2 [(0, 1); (1, 1); (3, 3)]%Z) = false.
Proof. vm_compute. auto. Qed.

(** A list of draws is filled, and so the vector is private. *)
Example a_filled_vector : pure_dp (1 / (2 / 1)) (add_filled (draws 3 (laplace 2 1)) [3; 0; 5]%Z) (add_filled (draws 3 (laplace 2 1)) [3; 1; 5]%Z).
Proof.
  apply (filled_laplace_vector_private 2 1 1 [3; 0; 5]%Z [3; 1; 5]%Z (laplace 2 1)); [lia|lia|reflexivity|vm_compute; discriminate|apply same_law_refl|].
  intros outputs. apply draws_are_independent.
Qed.
