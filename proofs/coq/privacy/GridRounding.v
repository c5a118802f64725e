(** Rounding a real query to a grid of spacing g: what becomes of its sensitivity Δ. *)
Require Import Reals Lra Lia ZArith.
Open Scope R_scope.

(** The least integer that is at least x. *)
Definition ceiling (x : R) : Z := (- Int_part (- x))%Z.
Lemma Int_part_bounds x : IZR (Int_part x) <= x < IZR (Int_part x) + 1.
Proof. destruct (base_Int_part x). lra. Qed.

(** ⌊x/g + 1/2⌋, the nearest multiple of g with ties upward; ⌊x/g⌋; and ⌈x/g⌉. *)
Definition round_to_grid (g x : R) : Z := Int_part (x / g + 1/2).
Definition floor_to_grid (g x : R) : Z := Int_part (x / g).
Definition ceiling_to_grid (g x : R) : Z := ceiling (x / g).

Lemma floor_distance x y : (Z.abs (Int_part x - Int_part y) <= ceiling (Rabs (x - y)))%Z.
Proof.
  unfold ceiling. generalize (Int_part_bounds x) (Int_part_bounds y) (Int_part_bounds (- Rabs (x - y))). intros Bx By Bc.
  apply le_IZR. rewrite abs_IZR, opp_IZR, minus_IZR.
  (* integers below a number that is below their successor *)
  assert (L : (Z.abs (Int_part x - Int_part y) < - Int_part (- Rabs (x - y)) + 1)%Z).
  { apply lt_IZR. rewrite abs_IZR, plus_IZR, opp_IZR, minus_IZR. unfold Rabs in *.
    destruct (Rcase_abs (x - y)), (Rcase_abs (IZR (Int_part x) - IZR (Int_part y))); lra. }
  rewrite <- minus_IZR, <- abs_IZR, <- opp_IZR. apply IZR_le. lia.
Qed.
Lemma ceiling_mono x y : x <= y -> (ceiling x <= ceiling y)%Z.
Proof.
  intros H. unfold ceiling. generalize (Int_part_bounds (- x)) (Int_part_bounds (- y)). intros Bx By.
  assert (Int_part (- y) < Int_part (- x) + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra). lia.
Qed.

(** Each has sensitivity ⌈Δ/g⌉ on the grid. *)
Theorem rounded_sensitivity g delta x y : 0 < g -> Rabs (x - y) <= delta ->
  (Z.abs (round_to_grid g x - round_to_grid g y) <= ceiling (delta / g))%Z
  /\ (Z.abs (floor_to_grid g x - floor_to_grid g y) <= ceiling (delta / g))%Z
  /\ (Z.abs (ceiling_to_grid g x - ceiling_to_grid g y) <= ceiling (delta / g))%Z.
Proof.
  intros Hg H. assert (I : 0 < / g) by now apply Rinv_0_lt_compat.
  assert (K : Rabs (x / g - y / g) <= delta / g).
  { replace (x / g - y / g) with ((x - y) * / g) by (unfold Rdiv; ring). rewrite Rabs_mult, (Rabs_pos_eq (/ g)) by lra.
    apply Rmult_le_compat_r; lra. }
  split; [|split].
  - eapply Z.le_trans; [apply floor_distance|]. apply ceiling_mono.
    replace (x / g + 1 / 2 - (y / g + 1 / 2)) with (x / g - y / g) by lra. auto.
  - eapply Z.le_trans; [apply floor_distance|]. now apply ceiling_mono.
  - unfold ceiling_to_grid, ceiling at 1 2. replace (- Int_part (- (x / g)) - - Int_part (- (y / g)))%Z
      with (- (Int_part (- (x / g)) - Int_part (- (y / g))))%Z by ring. rewrite Z.abs_opp.
    eapply Z.le_trans; [apply floor_distance|]. apply ceiling_mono.
    replace (- (x / g) - - (y / g)) with (- (x / g - y / g)) by lra. now rewrite Rabs_Ropp.
Qed.

(** Any rounding to a nearest multiple, whatever it does with ties, as ties to even: ⌊Δ/g⌋ + 1. *)
Theorem any_nearest_sensitivity g delta (nearest : R -> Z) x y : 0 < g ->
  (forall z, Rabs (IZR (nearest z) - z / g) <= 1/2) -> Rabs (x - y) <= delta ->
  (Z.abs (nearest x - nearest y) <= Int_part (delta / g) + 1)%Z.
Proof.
  intros Hg N H. assert (I : 0 < / g) by now apply Rinv_0_lt_compat.
  assert (K : Rabs (x / g - y / g) <= delta / g).
  { replace (x / g - y / g) with ((x - y) * / g) by (unfold Rdiv; ring). rewrite Rabs_mult, (Rabs_pos_eq (/ g)) by lra.
    apply Rmult_le_compat_r; lra. }
  generalize (N x) (N y) (Int_part_bounds (delta / g)). intros Nx Ny B.
  assert (L : (Z.abs (nearest x - nearest y) < Int_part (delta / g) + 2)%Z); [|lia].
  apply lt_IZR. rewrite abs_IZR, plus_IZR, minus_IZR. unfold Rabs in *.
  destruct (Rcase_abs (IZR (nearest x) - IZR (nearest y))), (Rcase_abs (IZR (nearest x) - x / g)),
    (Rcase_abs (IZR (nearest y) - y / g)), (Rcase_abs (x / g - y / g)); lra.
Qed.
