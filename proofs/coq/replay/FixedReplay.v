(** The fixed-work samplers as the kernel runs them: the programs of [fast/Fixed*.v], with the words,
    products, coefficients, C, A and E that ship, all computed here. Recorded are the floors of the tables
    alone, which are checked; the bounds of the exact path's e^-x are those of the model's [exp_neg].

    What is compared: the output, the bits used, and which trials were ambiguous, which the Rust discloses to
    its source ([Bits::disclose]). So A and E show at the first and at the last word that is in doubt. *)
Require Import ZArith List Bool.
From Certus.semantics Require Import Program.
From Certus.samplers Require Import Model.
From Certus.exact Require Import Intervals ExpNeg.
From Certus.fast Require Import FixedAcceptance FixedTable FixedPlace FixedGaussian FixedLaplace FixedDirect FixedWork FixedComputed FixedWords.
From Certus.replay Require Import FastModel Replay Cells.
Import ListNotations.
Open Scope Z_scope.

(** A shipped fixed-work sampler. The floors are those of its one table; or of the last digit's and of the
    rest's. *)
Inductive FixedSampler :=
| Direct (w : Word) (magnitudes : Floors)
| GaussianBuckets (w : Word) (n d : Z) (places : nat) (buckets : Floors)
| NarrowDigits (w : Word) (low high : Floors)
| LaplaceDigits (w : Word) (n d : Z) (places : nat) (low high : Floors).

(** [W::TAIL]: the table ends where at most about 2^-TAIL is beyond it. *)
Definition tail_of (w : Word) : Z := match w with Standard => 57 | Wide => 104 end.
Definition digits_of (w : Word) : nat := (word_bits w - 1)%nat.
Fixpoint up_to_tail (greatest tail : Z) (floors : list Z) : list Z :=
  match floors with [] => [] | t :: rest => t :: if greatest - t <=? tail then [] else up_to_tail greatest tail rest end.
Definition listed (w : Word) (f : Floors) : list Z :=
  let greatest := 2 ^ Z.of_nat (digits_of w) - 1 in up_to_tail greatest (Z.shiftr greatest (tail_of w)) (first f).
(** Of eight digits, the last is what is left. *)
Definition base : nat := 8.

(** The bounds of e^-x at a length, x = n/d, as [Acceptance::settle] has them. *)
Definition exact_lower (n d : Z) (length : nat) : Z :=
  match exp_neg n d (Z.of_nat length + 16) with Some e => Z.shiftr (Z.shiftl (lower e) (Z.of_nat length)) (digits e) | None => 0 end.
Definition exact_upper (n d : Z) (length : nat) : Z :=
  match exp_neg n d (Z.of_nat length + 16) with Some e => - Z.shiftr (- Z.shiftl (upper e) (Z.of_nat length)) (digits e) | None => 2 ^ Z.of_nat length end.
Definition decay_lower (decay : Decay) (places bucket : nat) (o : Z) : nat -> Z :=
  exact_lower (exponent_numerator decay (2 ^ Z.of_nat places) bucket o) (exponent_denominator decay).
Definition decay_upper (decay : Decay) (places bucket : nat) (o : Z) : nat -> Z :=
  exact_upper (exponent_numerator decay (2 ^ Z.of_nat places) bucket o) (exponent_denominator decay).

(** The words of a trial, what they say, and the exact path, which shows nothing but that it was taken. *)
Record Construction := { Words : Type; draw : Program Words; trial : Words -> Trial Z; exact_path : Words -> Program (option Z) }.
Definition shown (c : Construction) (words : Words c) : Program (unit * option Z) := Bind (exact_path c words) (fun found => Return (tt, found)).

(** The floors of the one table; or of the last digit's and of the rest's. *)
Definition first_floors (s : FixedSampler) : Floors :=
  match s with Direct _ f | GaussianBuckets _ _ _ _ f => f | NarrowDigits _ low _ | LaplaceDigits _ _ _ _ low _ => low end.
Definition second_floors (s : FixedSampler) : Floors :=
  match s with Direct _ f | GaussianBuckets _ _ _ _ f => f | NarrowDigits _ _ high | LaplaceDigits _ _ _ _ _ high => high end.

(** Over any bounds for the tables' exact paths. Nothing where C cannot be told. *)
Definition construction_over (s : FixedSampler) (low_lower low_upper high_lower high_upper : nat -> nat -> Z) : option Construction :=
  match s with
  | Direct w f =>
      let digits := digits_of w in let floors := listed w f in
      Some {| draw := direct_words digits; trial := direct_trial digits 0 floors; exact_path := direct_settle digits 64 low_lower low_upper patience |}
  | GaussianBuckets w n d places f =>
      let width := word_bits w in let digits := digits_of w in let floors := listed w f in
      match factor_of w (d * 2 ^ (2 * Z.of_nat places)) (2 * n) with
      | None => None
      | Some factor =>
          let error := stated_error (slack_of w) (polynomial_error w) 1 (2 * Z.of_nat (length floors) + 1) in
          Some {| draw := gaussian_words digits width places (64 - places);
            trial := gaussian_trial digits width places 0 floors (quadratic_start width places (product_of w) (polynomial_of w) factor) error;
            exact_path := gaussian_settle digits width places 64 low_lower low_upper patience
              (decay_lower (GaussianDecay n d) places) (decay_upper (GaussianDecay n d) places) |}
      end
  | NarrowDigits w low high =>
      let digits := digits_of w in let whole := fun (_ : nat) (_ : Z) (length : nat) => 2 ^ Z.of_nat length in
      Some {| draw := laplace_words digits 0 0 0;
        trial := laplace_trial digits 0 0 0 0 base (firstn 7 (first low)) (listed w high) (fun _ _ => 1) 0;
        exact_path := laplace_settle digits 0 0 64 base low_lower low_upper high_lower high_upper patience whole whole |}
  | LaplaceDigits w n d places low high =>
      let width := word_bits w in let digits := digits_of w in
      match factor_of w (d * 2 ^ Z.of_nat places) n with
      | None => None
      | Some factor =>
          let error := stated_error (slack_of w) (polynomial_error w) 1 1 in
          Some {| draw := laplace_words digits width places (64 - places);
            trial := laplace_trial digits width places 0 0 base (firstn 7 (first low)) (listed w high)
              (fun _ => linear_start width places (product_of w) (polynomial_of w) factor) error;
            exact_path := laplace_settle digits width places 64 base low_lower low_upper high_lower high_upper patience
              (decay_lower (LaplaceDecay n d) places) (decay_upper (LaplaceDecay n d) places) |}
      end
  end.

(** As it is replayed: with the recorded floors. *)
Definition construction (s : FixedSampler) : option Construction :=
  construction_over s (floor_lower (first_floors s)) (floor_upper (first_floors s)) (floor_lower (second_floors s)) (floor_upper (second_floors s)).

(** ** One sample: the sampler with its trace, of [FixedWork.v] *)
Definition traced (c : Construction) : Program (list (option unit) * Z) := traced_sampler (draw c) (trial c) (shown c).

(** Which trials of a list are ambiguous, as the Rust discloses it: the first is the lowest bit. *)
Fixpoint mask_of (flags : list bool) : Z := match flags with [] => 0 | flag :: rest => Z.b2z flag + 2 * mask_of rest end.
Fixpoint equal_lists (l m : list Z) : bool := match l, m with [], [] => true | a :: l, b :: m => (a =? b) && equal_lists l m | _, _ => false end.

(** The trials of one sample, the first first: 1 where it was ambiguous. *)
Record OneFixed := { one_of : FixedSampler; one_tape : positive; one_output : Z; one_trace : list Z }.
Definition one_holds (r : OneFixed) : bool :=
  match construction (one_of r) with
  | None => false
  | Some c =>
      match run (traced c) enough (tape_of (one_tape r)) with
      | Some ((trace, output), []) => (output =? one_output r) && equal_lists (rev (map (fun seen => match seen with Some _ => 1 | None => 0 end) trace)) (one_trace r)
      | _ => false
      end
  end.

(** ** A slice: [kernel::fill] *)
Fixpoint repeated {A} (count : nat) (p : Program A) : Program (list A) :=
  match count with O => Return [] | S count => Bind p (fun a => Bind (repeated count p) (fun rest => Return (a :: rest))) end.
(** A trial that its words decide draws nothing more. *)
Fixpoint settled_each (c : Construction) (words : list (Words c)) : Program (list (option Z)) :=
  match words with
  | [] => Return []
  | w :: rest =>
      Bind (if ambiguous (trial c w) then exact_path c w else Return (if accepts (trial c w) then Some (candidate (trial c w)) else None)) (fun found =>
      Bind (settled_each c rest) (fun more => Return (found :: more)))
  end.
Definition accepted_of (found : list (option Z)) : list Z := flat_map (fun one => match one with Some y => [y] | None => [] end) found.
(** [BATCH] trials at a time, or as many as samples are missing. *)
Definition batch : nat := 32.
Definition fill_step (c : Construction) (count : nat) (state : list Z * list Z) : Program (Flow (list Z * list Z) (list Z * list Z)) :=
  let '(samples, masks) := state in
  match (count - length samples)%nat with
  | O => Return (Break (samples, masks))
  | missing =>
      Bind (repeated (Nat.min batch missing) (draw c)) (fun words =>
      Bind (settled_each c words) (fun found =>
      Return (Continue (samples ++ accepted_of found, masks ++ [mask_of (map (fun w => ambiguous (trial c w)) words)]))))
  end.
Definition filled (c : Construction) (count : nat) : Program (list Z * list Z) := Loop (fill_step c count) ([], []).

Record FilledFixed := { filled_of : FixedSampler; filled_tape : positive; samples : list Z; masks : list Z }.
Definition filled_holds (r : FilledFixed) : bool :=
  match construction (filled_of r) with
  | None => false
  | Some c =>
      match run (filled c (length (samples r))) enough (tape_of (filled_tape r)) with
      | Some ((drawn, seen), []) => equal_lists drawn (samples r) && equal_lists seen (masks r)
      | _ => false
      end
  end.

(** ** The floors of a table: those of the buckets are checked as the fast samplers' are, but for x <= 1,
    which nothing here asks for *)
Definition fixed_cells_hold (r : RecordedCells) : bool :=
  let f := of_cells r in
  positive_parameters (decay r) && Nat.leb (width f) (precision f)
  && (if list_eq_dec Z.eq_dec (first f) (map (fun floor => Z.shiftr floor (Z.of_nat (precision f - width f))) (floors f)) then true else false)
  && floors_hold (decay r) (places r) (folded r) (precision f) (floors f).

(** ** The last digit's floors, ⌊(1 - Q^(j+1))/(1 - Q^8)·2^precision⌋ for Q = e^(-w/s), and 2^precision *)
Record RecordedDigits := { scale_n : Z; scale_d : Z; digit_places : nat; of_digits : Floors }.
Fixpoint digits_hold_from (n d precision working : Z) (whole : Pair) (j : Z) (floors : list Z) : bool :=
  match floors with
  | [] => false
  | [last] => (j =? Z.of_nat base) && (last =? 2 ^ precision)
  | floor :: rest =>
      match exp_pair (j * d) n working with
      | None => false
      | Some power =>
          let one := 2 ^ working in
          (floor * (one - fst whole) <=? Z.shiftl (one - snd power) precision) && (Z.shiftl (one - fst power) precision <? (floor + 1) * (one - snd whole))
          && digits_hold_from n d precision working whole (j + 1) rest
      end
  end.
Definition digits_hold (r : RecordedDigits) : bool :=
  let f := of_digits r in
  let d := scale_d r * 2 ^ Z.of_nat (digit_places r) in
  let working := Z.of_nat (precision f) + more_digits in
  (0 <? scale_n r) && (0 <? scale_d r) && Nat.leb (width f) (precision f) && equal_lists (first f) (first (cut_off (precision f) (width f) (floors f)))
  && match exp_pair (Z.of_nat base * d) (scale_n r) working with
     | None => false
     | Some whole => (snd whole <? 2 ^ working) && digits_hold_from (scale_n r) d (Z.of_nat (precision f)) working whole 1 (floors f)
     end.
