(** The hypotheses of the fixed-work theorems can be met: σ² = 100, 64-bit words, places of two bits, forty
    floors, and approximations that are off by at most 1. So there is such a sampler, and its trials end. *)
Require Import Reals Lra Lia List ZArith Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Geometric Gaussian.
From Certus.privacy Require Import Transfer.
From Certus.fast Require Import Buckets FixedWork FixedTable FixedPlace FixedBuckets FixedGaussian FixedLaplace FixedWords.
From Certus.replay Require Import FastModel Replay Cells CheckedPrivacy FixedReplay BulkExtension FixedExtension.
Import ListNotations.
Open Scope R_scope.

Definition shows_its_words {W Y} (exact : W -> Program (option Y)) (words : W) : Program (W * option Y) :=
  Bind (exact words) (fun found => Return (words, found)).
Lemma shows_its_words_law W Y (exact : W -> Program (option Y)) words :
  same_law (Bind (shows_its_words exact words) (fun settled => Return (snd settled))) (exact words).
Proof.
  intros g Hg. unfold shows_its_words. rewrite expect_bind by auto.
  assert (H : in_unit (fun s : W * option Y => expect (Return (snd s)) g)) by (intros s; apply expect_unit; auto).
  rewrite (expect_bind _ _ H). apply expect_ext. intros found. now rewrite !expect_return.
Qed.

Example a_fixed_gaussian : exists floors lower upper approximation accept_lower accept_upper,
  let trial := gaussian_trial 63 64 2 0 floors approximation 1 in
  let settle := shows_its_words (gaussian_settle 63 64 2 64 lower upper S accept_lower accept_upper) in
  length floors = 40%nat /\ gaussian_law 100 1 (fixed_sampler (gaussian_words 63 64 2 62) trial settle)
  /\ total (fixed_step (gaussian_words 63 64 2 62) trial settle) = 1 /\ 0 < 1 - retry_share (fixed_step (gaussian_words 63 64 2 62) trial settle)
  /\ within_variation (beta (gaussian_words 63 64 2 62) trial settle) (traced_sampler (gaussian_words 63 64 2 62) trial settle)
       (untraced_sampler (gaussian_words 63 64 2 62) trial settle).
Proof.
  destruct (gaussian_buckets_have_a_sum 100 1 (2 ^ 2) ltac:(lia) ltac:(lia) ltac:(simpl; lia)) as [T HT].
  set (f := gaussian_decay 100 1) in *. set (w := (2 ^ 2)%nat) in *.
  set (G := fun b => sum_below (S b) (fun b => f (b * w)%nat) / T). set (a := fun b o => f (b * w + Z.to_nat o)%nat / f (b * w)%nat).
  set (floor := fun (x : R) (length : nat) => Int_part (x * 2 ^ length)).
  assert (F : forall x length, IZR (floor x length) <= x * 2 ^ length < IZR (floor x length) + 1) by (intros x l; unfold floor; destruct (base_Int_part (x * 2 ^ l)); lra).
  assert (Around : forall x length, IZR (floor x length) <= x * 2 ^ length <= IZR (floor x length + 1)) by (intros x l; rewrite plus_IZR; generalize (F x l); lra).
  assert (A1 : forall b o, a b o <= 1).
  { intros b o. unfold a. assert (P : 0 < f (b * w)%nat) by apply exp_pos. apply Rmult_le_reg_r with (f (b * w)%nat); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    rewrite Rmult_1_r, Rmult_1_l. unfold f, gaussian_decay, gaussian_weight. apply exp_mono. apply Ropp_le_contravar. unfold Rdiv. apply Rmult_le_compat_r; [lra|].
    apply pow_incr. split; apply IZR_le; lia. }
  set (approximation := fun b o => Z.min (floor (a b o) 64%nat) (2 ^ 64 - 1)).
  exists (map (fun j => floor (G j) 63%nat) (seq 0 40)), (fun b => floor (G b)), (fun b length => floor (G b) length + 1)%Z, approximation,
    (fun b o => floor (a b o)), (fun b o length => floor (a b o) length + 1)%Z.
  intros trial settle. split; [reflexivity|].
  destruct (fixed_gaussian_exact 100 1 63 64 2 62 64 0 (map (fun j => floor (G j) 63%nat) (seq 0 40)) (fun b => floor (G b)) (fun b length => floor (G b) length + 1)%Z S
    approximation 1 (fun b o => floor (a b o)) (fun b o length => floor (a b o) length + 1)%Z T _ settle) as (P1 & P2 & P3 & _); try lia; auto.
  - split; [intros b length; apply (Around (G b) length)|].
    intros b. exists 1. intros length. rewrite plus_IZR. lra.
  - intros j Hj. rewrite map_length, seq_length in Hj. rewrite (nth_indep _ 0%Z (floor (G 0%nat) 63%nat)) by (rewrite map_length, seq_length; auto).
    rewrite (map_nth (fun j => floor (G j) 63%nat)), seq_nth by auto. simpl plus. apply (F (G j) 63%nat).
  - split; [intros b o length _; apply (Around (a b o) length)|].
    intros b o _. exists 1. intros length. rewrite plus_IZR. lra.
  - intros b o. unfold approximation. change (2 ^ Z.of_nat 64)%Z with (2 ^ 64)%Z. lia.
  - intros b o _ _. enough (C : IZR (approximation b o - 1) <= a b o * 2 ^ 64 <= IZR (approximation b o + 1)) by exact C. generalize (F (a b o) 64%nat) (A1 b o). intros [F1 F2] A.
    assert (P : 2 ^ 64 = IZR (2 ^ 64)) by (rewrite pow_IZR; reflexivity). unfold approximation.
    set (x := floor (a b o) 64%nat) in *. destruct (Z.min_spec x (2 ^ 64 - 1)) as [[_ ->]|[M ->]].
    + rewrite minus_IZR, plus_IZR. lra.
    + apply IZR_le in M. rewrite minus_IZR in M. rewrite plus_IZR, !minus_IZR, <- P. rewrite <- P in M. assert (0 < 2 ^ 64) by (apply pow_lt; lra). split; nra.
  - intros words. apply shows_its_words_law.
  - assert (R : 0 < 1 - retry_share (fixed_step (gaussian_words 63 64 2 62) trial settle));
      [|split; [exact P1|split; [exact P2|split; [exact R|apply trace_is_nearly_independent; [exact P2|lra]]]]]. refine (eq_ind_r (fun x => 0 < x) _ P3). destruct (gaussian_normaliser_is_sum 100 1 ltac:(lia) ltac:(lia)) as [_ Z0].
    destruct (shares_rise (fun b => f (b * w)%nat) T (fun b => exp_pos _) HT) as [T0 _].
    apply Rdiv_lt_0_compat; auto. repeat apply Rmult_lt_0_compat; try lra. apply lt_0_INR. simpl. lia.
Qed.

(** Laplace digits without places, as at scale 2: nothing is drawn for the acceptance ([width] is 0), A is 1
    and E is 0, so that only the tables' words can leave a trial undecided. *)
Example a_fixed_laplace_without_places : exists low_floors high_floors low_lower low_upper high_lower high_upper,
  let words := laplace_words 63 0 0 0 in
  let trial := laplace_trial 63 0 0 0 0 8 low_floors high_floors (fun _ _ => 1%Z) 0 in
  let settle := shows_its_words (laplace_settle 63 0 0 64 8 low_lower low_upper high_lower high_upper S
    (fun _ _ length => 2 ^ Z.of_nat length)%Z (fun _ _ length => 2 ^ Z.of_nat length)%Z) in
  length low_floors = 7%nat /\ length high_floors = 40%nat /\ laplace_law 2 1 (fixed_sampler words trial settle)
  /\ total (fixed_step words trial settle) = 1 /\ 0 < 1 - retry_share (fixed_step words trial settle)
  /\ ambiguity words trial <= (7 + 1) / 2 ^ 63 + (40 + IZR (2 ^ 63 - 1 - last high_floors (-1)%Z)) / 2 ^ 63.
Proof.
  set (q := ratio 2 1). assert (He : 0 < q < 1) by (apply ratio_bounds; lia).
  assert (HQ : 0 < q ^ (2 ^ 0) < 1) by (simpl; rewrite Rmult_1_r; exact He).
  set (floor := fun (x : R) (length : nat) => Int_part (x * 2 ^ length)).
  assert (F : forall x length, IZR (floor x length) <= x * 2 ^ length < IZR (floor x length) + 1) by (intros x l; unfold floor; destruct (base_Int_part (x * 2 ^ l)); lra).
  assert (Enclosed : forall G : nat -> R, cells_enclose G (fun b => floor (G b)) (fun b length => floor (G b) length + 1)%Z).
  { intros G. split; [intros b length; rewrite plus_IZR; generalize (F (G b) length); lra|]. intros b. exists 1. intros length. rewrite plus_IZR. lra. }
  assert (Floors : forall (G : nat -> R) count, are_floors G 63 (map (fun j => floor (G j) 63%nat) (seq 0 count))).
  { intros G count j Hj. rewrite map_length, seq_length in Hj. rewrite (nth_indep _ 0%Z (floor (G 0%nat) 63%nat)) by (rewrite map_length, seq_length; auto).
    rewrite (map_nth (fun j => floor (G j) 63%nat)), seq_nth by auto. simpl plus. apply (F (G j) 63%nat). }
  set (low := digit_share (q ^ (2 ^ 0)) 8). set (high := rest_share (q ^ (2 ^ 0)) 8).
  exists (map (fun j => floor (low j) 63%nat) (seq 0 7)), (map (fun j => floor (high j) 63%nat) (seq 0 40)), (fun b => floor (low b)),
    (fun b length => floor (low b) length + 1)%Z, (fun b => floor (high b)), (fun b length => floor (high b) length + 1)%Z.
  intros words trial settle. split; [reflexivity|]. split; [reflexivity|].
  assert (One : forall b o, (0 <= o < 2 ^ Z.of_nat 0)%Z -> laplace_decay 2 1 (b * 2 ^ 0 + Z.to_nat o) / laplace_decay 2 1 (b * 2 ^ 0) = 1).
  { intros b o Ho. replace o with 0%Z by (simpl in Ho; lia). simpl Z.to_nat. rewrite Nat.add_0_r. unfold laplace_decay. fold q. apply Rinv_r. apply pow_nonzero. lra. }
  assert (Power : forall length, IZR (2 ^ Z.of_nat length) = 2 ^ length) by (intros length; rewrite <- pow_IZR; reflexivity).
  destruct (fixed_laplace_exact 2 1 63 0 0 0 64 0 0 8 (map (fun j => floor (low j) 63%nat) (seq 0 7)) (map (fun j => floor (high j) 63%nat) (seq 0 40))
    (fun b => floor (low b)) (fun b length => floor (low b) length + 1)%Z (fun b => floor (high b)) (fun b length => floor (high b) length + 1)%Z S
    (fun _ _ => 1%Z) 0 (fun _ _ length => 2 ^ Z.of_nat length)%Z (fun _ _ length => 2 ^ Z.of_nat length)%Z _ settle) as (P1 & P2 & P3);
    try lia; try (apply Enclosed); try (apply Floors); auto.
  - split.
    + intros b o length Ho. rewrite (One b o Ho), Power. lra.
    + intros b o Ho. exists 0. intros length. lra.
  - intros b o Ho. rewrite (One b o Ho). simpl. lra.
  - intros w. apply shows_its_words_law.
  - split; [exact P1|split; [exact P2|split]].
    + refine (eq_ind_r (fun x => 0 < x) _ P3). fold q. simpl. rewrite Rmult_1_r. apply Rdiv_lt_0_compat; [|lra].
      apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|lra].
    + eapply Rle_trans; [apply (fixed_laplace_ambiguity 2 1 63 0 0 0 64 0 0 8); try lia; try (apply Floors); auto|].
      rewrite !map_length, !seq_length. simpl (IZR (2 * 0)). replace (INR 7) with 7 by (simpl; ring). replace (INR 40) with 40 by (simpl; ring).
      change (2 ^ Z.of_nat 63)%Z with (2 ^ 63)%Z. unfold Rdiv. rewrite Rmult_0_l, Rplus_0_r. apply Rle_refl.
Qed.

(** What is recorded of fixed work, in small: a few floors at 140 bits of a direct table, of Gaussian buckets of four
    places, and of the two tables of Laplace digits, also of four. Zeros, and a first threshold of the direct
    table, which its next word settles. *)
Definition direct_floors := cut_off 140 63 [644097310995298969818536283311182967643954; 1117997628653257523768910550935410635154810; 1292335812684236316461479180713233195719785]%Z.
Definition gaussian_floors := cut_off 140 63 [205982711105489022295592833315416651885110; 407886691255218013763227269010126696414260; 598032698949730947342199072812661155748812]%Z.
Definition low_floors := cut_off 140 63 [356562150565709947108134937999354424684820; 634253032639909020249198095131010733252227; 850518909051084403356725650076533402564252; 1018946942951731458082259337675852780883865; 1150118827644732510078617597766400891306614; 1252275594160593755137179530505331068041718; 1331835363919189165161560138406461159956036; 1393796574908163946345982392040522594123776]%Z.
Definition high_floors := cut_off 140 63 [1205166720668746920115194865824321915437298; 1368268300157791475762859123592726764891504; 1390341698614280219876110981229912225062774]%Z.
Definition fixed_cells := [Build_RecordedCells (LaplaceDecay 1 1) 0 true direct_floors; Build_RecordedCells (GaussianDecay 400 1) 2 false gaussian_floors;
  Build_RecordedCells (LaplaceDecay 16 1) 5 false high_floors].
Definition fixed_digits := [Build_RecordedDigits 16 1 2 low_floors].
Definition direct := Direct Standard direct_floors.
Definition gaussian_buckets := GaussianBuckets Standard 400 1 2 gaussian_floors.
Definition laplace_digits := LaplaceDigits Standard 16 1 2 low_floors high_floors.
Definition fixed_ones := [Build_OneFixed direct 18446744073709551616 0 [0]; Build_OneFixed direct 340282366920938463466379586294303076974 0 [1];
  Build_OneFixed gaussian_buckets (2 ^ 192) 0 [1]; Build_OneFixed laplace_digits (2 ^ 256) 0 [1]]%Z.
Definition fixed_slices := [Build_FilledFixed direct (2 ^ 128) [0; 0] [0]; Build_FilledFixed gaussian_buckets (2 ^ 384) [0; 0] [3];
  Build_FilledFixed laplace_digits (2 ^ 512) [0; 0] [3]]%Z.
Example fixed_work_that_holds : forallb fixed_cells_hold fixed_cells = true /\ forallb digits_hold fixed_digits = true
  /\ forallb one_holds fixed_ones = true /\ forallb filled_holds fixed_slices = true.
Proof. vm_compute. auto. Qed.
(** One unit more in one floor of a digit is refused. *)
Example a_wrong_digit : digits_hold (Build_RecordedDigits 16 1 2 (cut_off 140 63 (map (fun t => if t =? nth 3 (floors low_floors) 0 then t + 1 else t) (floors low_floors)))%Z) = false.
Proof. vm_compute. reflexivity. Qed.
Example checked_fixed_work : forall s decay, In (s, decay) [(direct, LaplaceDecay 1 1); (gaussian_buckets, GaussianDecay 400 1); (laplace_digits, LaplaceDecay 16 1)] ->
  exists exact, exact_construction decay s = Some exact /\ is_lawful exact (CheckedReplay.reference decay) /\ private_as_filled decay (samples_of exact)
  /\ forall r, In r fixed_slices -> filled_of r = s -> run (filled exact (length (samples r))) enough (tape_of (filled_tape r)) = Some ((samples r, masks r), []).
Proof.
  intros s decay I. destruct fixed_work_that_holds as (C & D & O & S).
  assert (R : recorded_as fixed_cells fixed_digits decay s).
  { destruct I as [E|[E|[E|[]]]]; injection E as <- <-; cbn [recorded_as direct gaussian_buckets laplace_digits].
    - split; [now left|reflexivity].
    - split; [reflexivity|]. split; [right; now left|]. split; [reflexivity|lia].
    - split; [reflexivity|]. split; [now left|]. split; [right; right; now left|]. split; [reflexivity|]. split; [reflexivity|lia]. }
  assert (E : exists exact, exact_construction decay s = Some exact).
  { destruct I as [E|[E|[E|[]]]]; injection E as <- <-; unfold exact_construction; cbn [construction_over direct gaussian_buckets laplace_digits]; [now eexists|..].
    - assert (F : factor_of Standard (1 * 2 ^ (2 * Z.of_nat 2)) (2 * 400) <> None) by (vm_compute; discriminate). destruct (factor_of _ _ _); [now eexists|contradiction].
    - assert (F : factor_of Standard (1 * 2 ^ Z.of_nat 2) 16 <> None) by (vm_compute; discriminate). destruct (factor_of _ _ _); [now eexists|contradiction]. }
  destruct E as [exact E]. exists exact. split; [exact E|].
  destruct (checked_fixed_work_is_exact _ _ decay s C D R _ _ exact O S E) as (L & _ & _ & F). split; [exact L|]. split; [|exact F].
  exact (proj2 (checked_fixed_work_is_private _ _ decay s C D R exact E)).
Qed.
