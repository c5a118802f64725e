(** [src/exact/enclosure.rs] and [enclosure/arithmetic.rs]: intervals whose bounds are integers over a power
    of two. Each operation is written as the Rust has it, on integers of any size, and contains what it must:
    if x is in the first operand and y in the second, x ∘ y is in the result. *)
Require Import Reals Lra Lia ZArith Bool Psatz.
Open Scope Z_scope.

(** The closed interval [lower, upper]·2^-digits. *)
Record Interval := interval { lower : Z; upper : Z; digits : Z }.

Definition contains (e : Interval) (x : R) : Prop := (0 <= digits e)%Z /\ (IZR (lower e) <= x * IZR (2 ^ digits e) <= IZR (upper e))%R.

(** [shift_floor], [shift_ceil]. *)
Definition shift_floor (value bits : Z) : Z := Z.shiftr value bits.
Definition shift_ceil (value bits : Z) : Z := - Z.shiftr (- value) bits.

(** [from_scaled]: the hull of two integers, in either order. *)
Definition from_scaled (a b digits : Z) : Interval := if a <=? b then interval a b digits else interval b a digits.
Definition from_integer (value digits : Z) : Interval := interval (Z.shiftl value digits) (Z.shiftl value digits) digits.
(** [at_precision]: exact if finer, rounded outward if coarser. *)
Definition at_precision (e : Interval) (precision : Z) : Interval :=
  if digits e <=? precision
  then interval (Z.shiftl (lower e) (precision - digits e)) (Z.shiftl (upper e) (precision - digits e)) precision
  else interval (shift_floor (lower e) (digits e - precision)) (shift_ceil (upper e) (digits e - precision)) precision.
(** [is_narrow]: width <= 2^-bits. *)
Definition is_narrow (e : Interval) (bits : Z) : bool :=
  let width := upper e - lower e in if bits <=? digits e then width <=? Z.shiftl 1 (digits e - bits) else width =? 0.

Definition add (x y : Interval) : Interval :=
  let most := Z.max (digits x) (digits y) in
  let a := at_precision x most in
  let b := at_precision y most in
  interval (lower a + lower b) (upper a + upper b) most.
Definition neg (x : Interval) : Interval := interval (- upper x) (- lower x) (digits x).
(** The least and the greatest of the products of the corners. *)
Definition mul (x y : Interval) : Interval :=
  let '(least, greatest) :=
    if andb (0 <=? lower x) (0 <=? lower y) then (lower x * lower y, upper x * upper y)
    else
      let a := lower x * lower y in let b := lower x * upper y in let c := upper x * lower y in let d := upper x * upper y in
      (Z.min a (Z.min b (Z.min c d)), Z.max a (Z.max b (Z.max c d))) in
  let dropped := Z.min (digits x) (digits y) in
  interval (shift_floor least dropped) (shift_ceil greatest dropped) (Z.max (digits x) (digits y)).
Definition square (x : Interval) : Interval :=
  let '(least, greatest) :=
    if 0 <=? lower x then (lower x * lower x, upper x * upper x)
    else if upper x <=? 0 then (upper x * upper x, lower x * lower x)
    else (0, Z.max (lower x * lower x) (upper x * upper x)) in
  interval (shift_floor least (digits x)) (shift_ceil greatest (digits x)) (digits x).

(** ** Soundness *)
Open Scope R_scope.

Lemma two_to_positive p : (0 <= p)%Z -> 0 < IZR (2 ^ p).
Proof. intros H. apply (IZR_lt 0). apply Z.pow_pos_nonneg; lia. Qed.
Lemma two_to_add p q : (0 <= p)%Z -> (0 <= q)%Z -> IZR (2 ^ (p + q)) = IZR (2 ^ p) * IZR (2 ^ q).
Proof. intros. rewrite Z.pow_add_r, mult_IZR by lia. reflexivity. Qed.
Lemma quotient_below n d : (0 < d)%Z -> IZR (n / d) * IZR d <= IZR n.
Proof. intros H. rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. now apply Z.mul_div_le. Qed.
Lemma quotient_above n d : (0 < d)%Z -> IZR n < (IZR (n / d) + 1) * IZR d.
Proof. intros H. rewrite <- (plus_IZR _ 1), <- mult_IZR. apply IZR_lt. generalize (Z.mul_succ_div_gt n d H). lia. Qed.
Lemma shift_floor_below value bits : (0 <= bits)%Z -> IZR (shift_floor value bits) * IZR (2 ^ bits) <= IZR value.
Proof. intros H. unfold shift_floor. rewrite Z.shiftr_div_pow2 by auto. apply quotient_below, Z.pow_pos_nonneg; lia. Qed.
Lemma shift_floor_above value bits : (0 <= bits)%Z -> IZR value < (IZR (shift_floor value bits) + 1) * IZR (2 ^ bits).
Proof. intros H. unfold shift_floor. rewrite Z.shiftr_div_pow2 by auto. apply quotient_above, Z.pow_pos_nonneg; lia. Qed.
Lemma shift_ceil_above value bits : (0 <= bits)%Z -> IZR value <= IZR (shift_ceil value bits) * IZR (2 ^ bits).
Proof.
  intros H. unfold shift_ceil. assert (F := shift_floor_below (- value) bits H). unfold shift_floor in F. rewrite opp_IZR in F |- *. lra.
Qed.
Lemma shift_ceil_below value bits : (0 <= bits)%Z -> (IZR (shift_ceil value bits) - 1) * IZR (2 ^ bits) < IZR value.
Proof.
  intros H. unfold shift_ceil. assert (F := shift_floor_above (- value) bits H). unfold shift_floor in F. rewrite opp_IZR in F |- *. lra.
Qed.

Lemma from_scaled_contains a b p x : (0 <= p)%Z -> IZR a <= x * IZR (2 ^ p) <= IZR b -> contains (from_scaled a b p) x.
Proof.
  intros Hp H. unfold from_scaled. assert (a <= b)%Z by (apply le_IZR; lra). destruct (Z.leb_spec a b); [|lia]. split; auto.
Qed.
Lemma from_integer_contains value p : (0 <= p)%Z -> contains (from_integer value p) (IZR value).
Proof. intros Hp. split; [exact Hp|]. cbn. rewrite Z.shiftl_mul_pow2 by auto. rewrite mult_IZR. lra. Qed.
Lemma at_precision_contains e p x : (0 <= p)%Z -> contains e x -> contains (at_precision e p) x.
Proof.
  intros Hp [D H]. unfold at_precision. destruct (Z.leb_spec (digits e) p) as [L|L]; (split; [exact Hp|]); cbn [lower upper digits].
  - rewrite !Z.shiftl_mul_pow2, !mult_IZR by lia. assert (P := two_to_positive (p - digits e) ltac:(lia)).
    replace (2 ^ p)%Z with (2 ^ (digits e + (p - digits e)))%Z by (f_equal; lia). rewrite two_to_add by lia. rewrite <- Rmult_assoc. split; apply Rmult_le_compat_r; lra.
  - set (k := (digits e - p)%Z). assert (P := two_to_positive k ltac:(unfold k; lia)).
    assert (A := shift_floor_below (lower e) k ltac:(unfold k; lia)). assert (B := shift_ceil_above (upper e) k ltac:(unfold k; lia)).
    replace (2 ^ digits e)%Z with (2 ^ (p + k))%Z in H by (f_equal; unfold k; lia). rewrite two_to_add in H by (unfold k; lia). rewrite <- Rmult_assoc in H.
    split; apply Rmult_le_reg_r with (IZR (2 ^ k)); lra.
Qed.
Lemma add_contains e f x y : contains e x -> contains f y -> contains (add e f) (x + y).
Proof.
  intros [De He] [Df Hf]. unfold add. set (m := Z.max (digits e) (digits f)). assert (0 <= m)%Z by lia.
  destruct (at_precision_contains e m x) as [_ A]; [auto|split; auto|]. destruct (at_precision_contains f m y) as [_ B]; [auto|split; auto|].
  split; [exact H|]. cbn [lower upper digits]. rewrite !plus_IZR, Rmult_plus_distr_r.
  assert (Q : forall g, digits (at_precision g m) = m) by (intros g; unfold at_precision; now destruct (digits g <=? m)%Z).
  rewrite !Q in A, B. lra.
Qed.
Lemma neg_contains e x : contains e x -> contains (neg e) (- x).
Proof. intros [D H]. split; auto. cbn. rewrite !opp_IZR. lra. Qed.
(** A product is between the least and the greatest of the corners. *)
Lemma product_between a b c d x y : a <= x <= b -> c <= y <= d -> forall m M,
  m <= a * c -> m <= a * d -> m <= b * c -> m <= b * d -> a * c <= M -> a * d <= M -> b * c <= M -> b * d <= M -> m <= x * y <= M.
Proof.
  intros Hx Hy m M. intros. split.
  - destruct (Rle_dec 0 y); [apply Rle_trans with (a * y)|apply Rle_trans with (b * y)]; try nra.
    + destruct (Rle_dec 0 a); nra.
    + destruct (Rle_dec 0 b); nra.
  - destruct (Rle_dec 0 y); [apply Rle_trans with (b * y)|apply Rle_trans with (a * y)]; try nra.
    + destruct (Rle_dec 0 b); nra.
    + destruct (Rle_dec 0 a); nra.
Qed.
Lemma mul_contains e f x y : contains e x -> contains f y -> contains (mul e f) (x * y).
Proof.
  intros [De He] [Df Hf]. unfold mul.
  assert (K : forall least greatest, IZR least <= (x * IZR (2 ^ digits e)) * (y * IZR (2 ^ digits f)) <= IZR greatest ->
    contains (interval (shift_floor least (Z.min (digits e) (digits f))) (shift_ceil greatest (Z.min (digits e) (digits f))) (Z.max (digits e) (digits f))) (x * y)).
  { intros least greatest H. split; [cbn; lia|]. cbn [lower upper digits]. set (k := Z.min (digits e) (digits f)). set (m := Z.max (digits e) (digits f)).
    assert (Hk : (0 <= k)%Z) by (unfold k; lia). assert (P := two_to_positive k Hk).
    assert (S : IZR (2 ^ digits e) * IZR (2 ^ digits f) = IZR (2 ^ m) * IZR (2 ^ k)).
    { rewrite <- !mult_IZR, <- !Z.pow_add_r by (unfold k, m; lia). f_equal. f_equal. unfold k, m. lia. }
    assert (A := shift_floor_below least k Hk). assert (B := shift_ceil_above greatest k Hk).
    replace (x * IZR (2 ^ digits e) * (y * IZR (2 ^ digits f))) with (x * y * IZR (2 ^ m) * IZR (2 ^ k)) in H by (rewrite (Rmult_assoc _ _ (IZR (2 ^ k))), <- S; ring).
    split; apply Rmult_le_reg_r with (IZR (2 ^ k)); lra. }
  destruct (Z.leb_spec 0 (lower e)) as [A|A]; destruct (Z.leb_spec 0 (lower f)) as [B|B]; cbn [andb]; apply K.
  1:{ apply IZR_le in A. apply IZR_le in B. rewrite !mult_IZR. split; apply Rmult_le_compat; lra. }
  all: eapply product_between; [exact He|exact Hf| | | | | | | |]; rewrite <- mult_IZR; apply IZR_le; lia.
Qed.
Lemma square_contains e x : contains e x -> contains (square e) (x * x).
Proof.
  intros [D H]. unfold square. set (X := x * IZR (2 ^ digits e)) in *.
  assert (P := two_to_positive _ D).
  assert (K : forall least greatest, IZR least <= X * X <= IZR greatest ->
    contains (interval (shift_floor least (digits e)) (shift_ceil greatest (digits e)) (digits e)) (x * x)).
  { intros least greatest HX. split; [exact D|]. cbn [lower upper digits].
    assert (A := shift_floor_below least _ D). assert (B := shift_ceil_above greatest _ D).
    replace (X * X) with (x * x * IZR (2 ^ digits e) * IZR (2 ^ digits e)) in HX by (unfold X; ring).
    split; apply Rmult_le_reg_r with (IZR (2 ^ digits e)); lra. }
  destruct (Z.leb_spec 0 (lower e)) as [A|A]; [|destruct (Z.leb_spec (upper e) 0) as [B|B]]; apply K.
  - apply IZR_le in A. rewrite !mult_IZR. split; apply Rmult_le_compat; lra.
  - apply IZR_le in B. rewrite !mult_IZR. nra.
  - apply IZR_lt in A. apply IZR_lt in B. split; [nra|]. destruct (Rle_dec 0 X).
    + apply Rle_trans with (IZR (upper e * upper e)); [rewrite mult_IZR; nra|apply IZR_le; lia].
    + apply Rle_trans with (IZR (lower e * lower e)); [rewrite mult_IZR; nra|apply IZR_le; lia].
Qed.
