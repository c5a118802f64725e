(** Queries on lists of records, of which neighbours differ by one record more or less: counts, sums of clamped values, means, histograms; and parallel
    composition, where each mechanism sees its own part of the records. The noise is of scale s = n/d, or of variance n/d. *)
Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Geometric Laplace Gaussian.
From Certus.privacy Require Import Definitions Composition LaplaceMechanism GaussianMechanism Zcdp ZcdpPostProcessing LaplaceVector.
Import ListNotations.
Open Scope R_scope.

Section Records.
Context {T : Type}.

(** One record more, or one less. *)
Definition neighbours (x y : list T) : Prop :=
  exists before record after, x = before ++ after /\ y = before ++ record :: after \/ x = before ++ record :: after /\ y = before ++ after.

Theorem neighbours_symmetric x y : neighbours x y -> neighbours y x.
Proof. intros (a & r & b & [[-> ->]|[-> ->]]); exists a, r, b; auto. Qed.

(** A mechanism is private if it is so on all neighbours, in either order. *)
Definition private_mechanism {A} (epsilon : R) (m : list T -> Program A) : Prop := forall x y, neighbours x y -> pure_dp epsilon (m x) (m y).
Definition zcdp_mechanism {A} {D : Decidable A} (rho : R) (m : list T -> Program A) : Prop := forall x y, neighbours x y -> zcdp rho (m x) (m y).
Definition sensitivity_of (query : list T -> Z) (sensitivity : Z) : Prop := forall x y, neighbours x y -> (Z.abs (query x - query y) <= sensitivity)%Z.

(** A query of any sensitivity. *)
Theorem noisy_query_private query sensitivity n d : (0 < n)%Z -> (0 < d)%Z -> sensitivity_of query sensitivity ->
  private_mechanism (IZR sensitivity / (IZR n / IZR d)) (fun x => add_noise (laplace n d) (query x)).
Proof. intros Hn Hd H x y N. now apply laplace_mechanism_private, H. Qed.
Theorem noisy_query_zcdp query sensitivity n d : (0 < n)%Z -> (0 < d)%Z -> sensitivity_of query sensitivity ->
  zcdp_mechanism (IZR sensitivity ^ 2 / (2 * (IZR n / IZR d))) (fun x => add_noise (gaussian n d) (query x)).
Proof. intros Hn Hd H x y N. now apply gaussian_mechanism_zcdp, H. Qed.

(** How many records. *)
Definition count_records (x : list T) : Z := Z.of_nat (length x).
Theorem count_sensitivity : sensitivity_of count_records 1.
Proof.
  intros x y (a & r & b & [[-> ->]|[-> ->]]); unfold count_records; rewrite !app_length; simpl; lia.
Qed.

(** The sum of values clamped to 0 … bound. *)
Definition clamped (bound value : Z) : Z := Z.max 0 (Z.min bound value).
Definition clamped_sum (value : T -> Z) (bound : Z) (x : list T) : Z := fold_right (fun record sum => (clamped bound (value record) + sum)%Z) 0%Z x.
Lemma clamped_sum_app value bound x y : clamped_sum value bound (x ++ y) = (clamped_sum value bound x + clamped_sum value bound y)%Z.
Proof. unfold clamped_sum. induction x as [|r x IH]; simpl; [reflexivity|]. rewrite IH. lia. Qed.
Theorem clamped_sum_sensitivity value bound : (0 <= bound)%Z -> sensitivity_of (clamped_sum value bound) bound.
Proof.
  intros Hb x y (a & r & b & [[-> ->]|[-> ->]]); rewrite !clamped_sum_app;
    change (clamped_sum value bound (r :: b)) with (clamped bound (value r) + clamped_sum value bound b)%Z; unfold clamped; lia.
Qed.

(** The mean, from a noisy sum and a noisy count; [quotient] is any function of the two. *)
Definition noisy_mean {B} (value : T -> Z) (bound : Z) (noise : Program Z) (quotient : Z -> Z -> B) (x : list T) : Program B :=
  Bind (release_both (add_noise noise (clamped_sum value bound x)) (fun _ => add_noise noise (count_records x)))
    (fun both => Return (quotient (fst both) (snd both))).
Theorem noisy_mean_private B value bound n d (quotient : Z -> Z -> B) : (0 < n)%Z -> (0 < d)%Z -> (0 <= bound)%Z ->
  private_mechanism (IZR bound / (IZR n / IZR d) + 1 / (IZR n / IZR d)) (noisy_mean value bound (laplace n d) quotient).
Proof.
  intros Hn Hd Hb x y N. apply post_processing_pure, composition_pure.
  - exact (noisy_query_private _ _ n d Hn Hd (clamped_sum_sensitivity value bound Hb) x y N).
  - intros _. exact (noisy_query_private _ _ n d Hn Hd count_sensitivity x y N).
Qed.
Theorem noisy_mean_zcdp B (D : Decidable B) value bound n d (quotient : Z -> Z -> B) : (0 < n)%Z -> (0 < d)%Z -> (0 <= bound)%Z ->
  zcdp_mechanism (IZR bound ^ 2 / (2 * (IZR n / IZR d)) + 1 ^ 2 / (2 * (IZR n / IZR d))) (noisy_mean value bound (gaussian n d) quotient).
Proof.
  intros Hn Hd Hb x y N. apply (post_processing_zcdp _ _ _ _), (composition_zcdp _ _).
  - exact (noisy_query_zcdp _ _ n d Hn Hd (clamped_sum_sensitivity value bound Hb) x y N).
  - intros _. exact (noisy_query_zcdp _ _ n d Hn Hd count_sensitivity x y N).
Qed.

(** A histogram: each record is in at most one of the bins 0 … bins - 1 (elsewhere, in none), and each bin's count gets its own noise. *)
Definition bin_count (bin : T -> nat) (x : list T) (b : nat) : Z := Z.of_nat (length (filter (fun record => Nat.eqb (bin record) b) x)).
Definition histogram (bin : T -> nat) (bins : nat) (x : list T) : list Z := map (bin_count bin x) (seq 0 bins).
Definition noisy_histogram (noise : Program Z) (bin : T -> nat) (bins : nat) (x : list T) : Program (list Z) := add_noise_to_each noise (histogram bin bins x).

Theorem bin_count_sensitivity bin b : sensitivity_of (fun x => bin_count bin x b) 1.
Proof.
  intros x y (a & r & c & [[-> ->]|[-> ->]]); unfold bin_count; rewrite !filter_app, !app_length; cbn [filter]; destruct (Nat.eqb (bin r) b); simpl; lia.
Qed.
Lemma bin_count_more bin a r c b : bin_count bin (a ++ r :: c) b = (bin_count bin (a ++ c) b + if Nat.eqb (bin r) b then 1 else 0)%Z.
Proof. unfold bin_count. rewrite !filter_app, !app_length. cbn [filter]. destruct (Nat.eqb (bin r) b); simpl; lia. Qed.
Lemma one_bin_differs bin a r c : forall bins from,
  let h x := map (bin_count bin x) (seq from bins) in
  distance (h (a ++ c)) (h (a ++ r :: c)) = (if (Nat.leb from (bin r) && Nat.ltb (bin r) (from + bins))%bool then 1 else 0)%Z
  /\ distance (h (a ++ r :: c)) (h (a ++ c)) = distance (h (a ++ c)) (h (a ++ r :: c))
  /\ squared_distance (h (a ++ c)) (h (a ++ r :: c)) = distance (h (a ++ c)) (h (a ++ r :: c))
  /\ squared_distance (h (a ++ r :: c)) (h (a ++ c)) = distance (h (a ++ c)) (h (a ++ r :: c)).
Proof.
  induction bins as [|bins IH]; intros from h.
  - unfold h. simpl. replace (Nat.leb from (bin r) && Nat.ltb (bin r) (from + 0))%bool with false; [auto|].
    destruct (Nat.leb_spec from (bin r)), (Nat.ltb_spec (bin r) (from + 0)); simpl; auto; lia.
  - destruct (IH (S from)) as (I1 & I2 & I3 & I4). unfold h in *. cbn [seq map distance squared_distance].
    rewrite I2, I3, I4, I1, !bin_count_more.
    destruct (Nat.eqb_spec (bin r) from), (Nat.leb_spec (S from) (bin r)), (Nat.leb_spec from (bin r)), (Nat.ltb_spec (bin r) (S from + bins)),
      (Nat.ltb_spec (bin r) (from + S bins)); simpl; try lia; repeat split; nia.
Qed.
Lemma histogram_distance bin bins x y : neighbours x y ->
  length (histogram bin bins x) = length (histogram bin bins y) /\ (distance (histogram bin bins x) (histogram bin bins y) <= 1)%Z
  /\ (squared_distance (histogram bin bins x) (histogram bin bins y) <= 1)%Z.
Proof.
  intros (a & r & c & H). unfold histogram. rewrite !map_length. split; [reflexivity|].
  destruct (one_bin_differs bin a r c bins 0) as (I1 & I2 & I3 & I4). cbv zeta in *.
  destruct H as [[-> ->]|[-> ->]]; rewrite ?I2, ?I3, ?I4, I1; destruct (_ && _)%bool; lia.
Qed.

Theorem histogram_private bin bins n d : (0 < n)%Z -> (0 < d)%Z ->
  private_mechanism (1 / (IZR n / IZR d)) (noisy_histogram (laplace n d) bin bins).
Proof. intros Hn Hd x y N. destruct (histogram_distance bin bins x y N) as (L & D & _). now apply laplace_vector_private. Qed.
Theorem histogram_zcdp bin bins n d : (0 < n)%Z -> (0 < d)%Z ->
  zcdp_mechanism (1 / (2 * (IZR n / IZR d))) (noisy_histogram (gaussian n d) bin bins).
Proof. intros Hn Hd x y N. destruct (histogram_distance bin bins x y N) as (L & _ & D). now apply gaussian_vector_zcdp. Qed.

(** Parallel composition: the records of one part to one mechanism, the others to another. *)
Definition by_parts {A B} (part : T -> bool) (m1 : list T -> Program A) (m2 : list T -> Program B) (x : list T) : Program (A * B) :=
  release_both (m1 (filter part x)) (fun _ => m2 (filter (fun record => negb (part record)) x)).
Lemma parts_of_neighbours part x y : neighbours x y ->
  neighbours (filter part x) (filter part y) /\ filter (fun record => negb (part record)) x = filter (fun record => negb (part record)) y
  \/ filter part x = filter part y /\ neighbours (filter (fun record => negb (part record)) x) (filter (fun record => negb (part record)) y).
Proof.
  intros (a & r & c & [[-> ->]|[-> ->]]); rewrite !filter_app; cbn [filter]; destruct (part r); simpl; [left|right|left|right]; split; auto;
    eexists _, r, _; eauto.
Qed.
Theorem parallel_mechanisms_private A B part (m1 : list T -> Program A) (m2 : list T -> Program B) eps1 eps2 : 0 <= eps1 -> 0 <= eps2 ->
  private_mechanism eps1 m1 -> private_mechanism eps2 m2 -> private_mechanism (Rmax eps1 eps2) (by_parts part m1 m2).
Proof.
  intros E1 E2 H1 H2 x y N. apply parallel_composition_pure; auto.
  destruct (parts_of_neighbours part x y N) as [[M ->]|[-> M]]; [left|right]; auto.
Qed.
Theorem parallel_mechanisms_zcdp A B (DA : Decidable A) (DB : Decidable B) part (m1 : list T -> Program A) (m2 : list T -> Program B) rho1 rho2 :
  0 <= rho1 -> 0 <= rho2 -> zcdp_mechanism rho1 m1 -> zcdp_mechanism rho2 m2 -> zcdp_mechanism (Rmax rho1 rho2) (by_parts part m1 m2).
Proof.
  intros E1 E2 H1 H2 x y N. unfold by_parts. destruct (parts_of_neighbours part x y N) as [[M ->]|[-> M]].
  - apply zcdp_weaken with (rho1 + 0); [rewrite Rplus_0_r; apply Rmax_l|]. apply (composition_zcdp _ _); auto. intros _. apply zcdp_refl.
  - apply zcdp_weaken with (0 + rho2); [rewrite Rplus_0_l; apply Rmax_r|]. apply (composition_zcdp _ _); auto. apply zcdp_refl.
Qed.
End Records.
