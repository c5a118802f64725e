(** The fast samplers as programs that the kernel can run: those of [fast], with enclosures that are recorded or computed.

    - The cumulative probabilities of a table's cells, or of the buckets: ⌊G(j)·2^precision⌋ is recorded for each cell j, to more bits than the shipped table
      holds, by a computation of the recorder's own; at a shorter length it is cut off. The floor of G(j)·2^length is one number, so that whoever encloses
      G(j) tightly enough decides as these bounds do.
    - The acceptance e^-x is computed here: by the squeeze at the first look, and by an alternating series at later ones. The series is tighter than the Rust's
      enclosure, and where V is within the difference, the Rust draws a word more: the Rust's own bounds are recorded for the places whose tapes are made to come so
      near, and loosen those of the series. They can only loosen them, so that nothing hangs on their being right.
    - The truth coin's enclosures are recorded, for each length. *)
Require Import ZArith List Bool.
From Certus.semantics Require Import Program.
From Certus.samplers Require Import Model.
From Certus.fast Require Import LazyInversion LazyCoin TruthCoin Table Buckets.
Import ListNotations.
Open Scope Z_scope.

(** What is recorded of the cells: the floors at [precision] bits, and for speed those at the first look, which is of [width] bits. *)
Record Floors := { precision : nat; width : nat; floors : list Z; first : list Z }.
Definition cut_off (precision width : nat) (floors : list Z) : Floors :=
  {| precision := precision; width := width; floors := floors; first := map (fun floor => Z.shiftr floor (Z.of_nat (precision - width))) floors |}.

(** The floor at a length; nothing where none is recorded. *)
Definition floor_at (f : Floors) (cell length : nat) : option Z :=
  if Nat.eqb length (width f) then nth_error (first f) cell
  else if Nat.leb length (precision f)
  then match nth_error (floors f) cell with Some floor => Some (Z.shiftr floor (Z.of_nat (precision f - length))) | None => None end
  else None.

(** Where nothing is recorded, the bounds say nothing, and a draw asks for more bits than it had: it cannot hold by chance. *)
Definition floor_lower (f : Floors) (cell length : nat) : Z := match floor_at f cell length with Some floor => floor | None => 0 end.
Definition floor_upper (f : Floors) (cell length : nat) : Z :=
  match floor_at f cell length with Some floor => floor + 1 | None => 2 ^ Z.of_nat length end.

(** More cells than are ever recorded: as the Rust, it looks at as many as it takes. *)
Definition patience (length : nat) : nat := (length + 4000)%nat.

Definition recorded_table (f : Floors) (refill : nat) : Program Z := table (floor_lower f) (floor_upper f) patience (width f) refill.

(** ** e^-x *)

(** The quotient rounded up. *)
Definition up (n d : Z) : Z := - ((- n) / d).

(** The least and the greatest of 1 - x/k·(1 - x/(k+1)·(1 - … y)) for y in [0, 1] and x = n/d, in units of 1/unit: neighbouring partial sums of the series of e^-x are
    among them, if k is 1. *)
Fixpoint nested (unit n d : Z) (steps : nat) (k : Z) : Z * Z :=
  match steps with
  | O => (0, unit)
  | S steps =>
      let '(least, greatest) := nested unit n d steps (k + 1) in
      (unit - up (n * greatest) (d * k), unit - n * least / (d * k))
  end.
Definition series_lower (n d : Z) (length : nat) : Z := fst (nested (2 ^ Z.of_nat (length + 32)) n d 40 1) / 2 ^ 32.
Definition series_upper (n d : Z) (length : nat) : Z := up (snd (nested (2 ^ Z.of_nat (length + 32)) n d 40 1)) (2 ^ 32).

(** ** Buckets *)

(** f(k) = e^(-k/s), s = n/d; or e^(-k²/2σ²), σ² = n/d. *)
Inductive Decay := LaplaceDecay (n d : Z) | GaussianDecay (n d : Z).

(** x = numerator/denominator of f(b·w + o)/f(b·w) = e^-x. *)
Definition exponent_numerator (decay : Decay) (w : Z) (bucket : nat) (o : Z) : Z :=
  match decay with LaplaceDecay _ d => o * d | GaussianDecay _ d => o * (2 * Z.of_nat bucket * w + o) * d end.
Definition exponent_denominator (decay : Decay) : Z := match decay with LaplaceDecay n _ => n | GaussianDecay n _ => 2 * n end.

(** The Rust's bounds of the acceptance of one magnitude at one length, (magnitude, length, lower, upper). *)
Definition Recorded_bounds := list (Z * nat * Z * Z).
Fixpoint bounds_at (recorded : Recorded_bounds) (magnitude : Z) (length : nat) : option (Z * Z) :=
  match recorded with
  | [] => None
  | (k, l, lower, upper) :: rest => if (Z.eqb k magnitude && Nat.eqb l length)%bool then Some (lower, upper) else bounds_at rest magnitude length
  end.
Definition loosened_lower (recorded : Recorded_bounds) (magnitude : Z) (length : nat) (bound : Z) : Z :=
  match bounds_at recorded magnitude length with Some (lower, _) => Z.min lower bound | None => bound end.
Definition loosened_upper (recorded : Recorded_bounds) (magnitude : Z) (length : nat) (bound : Z) : Z :=
  match bounds_at recorded magnitude length with Some (_, upper) => Z.max upper bound | None => bound end.

(** At the first look, 1 - X accepts whatever o is, X being x at the end of the bucket, for the buckets within [reach]; nothing rejects. Later, the series, loosened by what is recorded. *)
Definition accept_lower (decay : Decay) (w : Z) (recorded : Recorded_bounds) (reach squeeze bucket : nat) (o : Z) (length : nat) : Z :=
  if Nat.leb length squeeze
  then if Nat.ltb bucket reach
       then Z.max 0 (2 ^ Z.of_nat length - up (exponent_numerator decay w bucket w * 2 ^ Z.of_nat length) (exponent_denominator decay)) else 0
  else loosened_lower recorded (Z.of_nat bucket * w + o) length (series_lower (exponent_numerator decay w bucket o) (exponent_denominator decay) length).
Definition accept_upper (decay : Decay) (w : Z) (recorded : Recorded_bounds) (squeeze bucket : nat) (o : Z) (length : nat) : Z :=
  if Nat.leb length squeeze then 2 ^ Z.of_nat length
  else loosened_upper recorded (Z.of_nat bucket * w + o) length (series_upper (exponent_numerator decay w bucket o) (exponent_denominator decay) length).

Definition recorded_buckets (decay : Decay) (f : Floors) (reach squeeze high low unused refill : nat) (recorded : Recorded_bounds) : Program Z :=
  let w := 2 ^ Z.of_nat (high + low) in
  bucket_sampler (floor_lower f) (floor_upper f) patience (accept_lower decay w recorded reach squeeze) (accept_upper decay w recorded squeeze)
    (width f) high squeeze low unused refill.

(** ** The response by ε *)

(** The enclosure at each length, from 0 on. *)
Definition recorded_response (bounds : list (Z * Z)) (answers truth : Z) : Program Z :=
  response_by_epsilon
    (fun length => match nth_error bounds length with Some (lower, _) => lower | None => 0 end)
    (fun length => match nth_error bounds length with Some (_, upper) => upper | None => 2 ^ Z.of_nat length end) answers truth.
