(** [fill] of the prepared samplers, [src/sample/prepared/bulk.rs], as the kernel runs it: the first words of
    a batch of slots, their second parts, four to a word, and then slot by slot what these leave open. *)
Require Import ZArith List Bool.
From Certus.semantics Require Import Program.
From Certus.samplers Require Import Model.
From Certus.fast Require Import LazyInversion LazyCoin Table Buckets.
From Certus.replay Require Import FastModel Replay FixedReplay.
Import ListNotations.
Open Scope Z_scope.

(** What a slice asks of a construction: a slot's first word, its second part, what these and more bits give,
    and a trial on fresh words. *)
Record Bulk := { First : Type; Second : Type; first_word : Program First; second_part : Program Second; has_second : bool;
  given : First -> Second -> Program (Flow unit Z); fresh : Program (Flow unit Z) }.

(** [slow], and [settle], which finds what it would. *)
Definition slot (b : Bulk) (words : First b * Second b) : Program Z :=
  Bind (given b (fst words) (snd words)) (fun flow => match flow with Break y => Return y | Continue _ => Loop (fun _ : unit => fresh b) tt end).
Fixpoint each_slot (b : Bulk) (words : list (First b * Second b)) : Program (list Z) :=
  match words with [] => Return [] | w :: rest => Bind (slot b w) (fun y => Bind (each_slot b rest) (fun more => Return (y :: more))) end.
(** The bits of the last word of second parts that no slot uses. *)
Definition unused_parts (count : nat) : nat := (16 * ((4 - count mod 4) mod 4))%nat.
Definition one_batch (b : Bulk) (count : nat) : Program (list Z) :=
  Bind (repeated count (first_word b)) (fun firsts => Bind (repeated count (second_part b)) (fun seconds =>
  Bind (if has_second b then bits (unused_parts count) else Return 0) (fun _ => each_slot b (combine firsts seconds)))).
(** [MOST_BATCH] slots at a time. *)
Definition most_batch : nat := 64.
Fixpoint batches (b : Bulk) (whole rest : nat) : Program (list Z) :=
  match whole with
  | O => one_batch b rest
  | S whole => Bind (one_batch b most_batch) (fun some => Bind (batches b whole rest) (fun more => Return (some ++ more)))
  end.
Definition fill (b : Bulk) (count : nat) : Program (list Z) := batches b (count / most_batch) (count mod most_batch).

(** Those of a table and of buckets, over any bounds. *)
Definition table_bulk (lower upper : nat -> nat -> Z) (patience : nat -> nat) (width refill : nat) : Bulk :=
  let given words (_ : unit) := Bind (invert_from lower upper patience refill width (fst words)) (fun j =>
    Return (Break (if snd words : bool then - Z.of_nat j else Z.of_nat j))) in
  let first_word := Bind (bits width) (fun u => Bind Bit (fun negative => Return (u, negative))) in
  {| first_word := first_word; second_part := Return tt; has_second := false; given := given; fresh := Bind first_word (fun words => given words tt) |}.

Section BucketBulk.
Variables bucket_lower bucket_upper : nat -> nat -> Z.
Variable patience : nat -> nat.
Variables accept_lower accept_upper : nat -> Z -> nat -> Z.
Variables prefix high squeeze low unused refill : nat.
Definition bucket_given (u v o_high o_low : Z) (negative : bool) : Program (Flow unit Z) :=
  Bind (invert_from bucket_lower bucket_upper patience refill prefix u) (fun b =>
  let o := place_of low o_high o_low in
  Bind (below (accept_lower b o) (accept_upper b o) refill squeeze v) (fun accept =>
  let k := magnitude_of high low b o in
  Return (if accept then if negative then if k =? 0 then Continue tt else Break (- k) else Break k else Continue tt))).
Definition bucket_first : Program (Z * Z * Z) := Bind (bits prefix) (fun u => Bind (bits squeeze) (fun v => Bind (bits high) (fun o_high => Return (u, v, o_high)))).
Definition bucket_second : Program (Z * bool) := Bind (bits low) (fun o_low => Bind Bit (fun negative => Return (o_low, negative))).
Definition bucket_bulk : Bulk :=
  let given a b := let '(u, v, o_high) := a in let '(o_low, negative) := b in bucket_given u v o_high o_low negative in
  let fresh := bucket_trial bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill in
  match low with
  | O => {| first_word := Bind bucket_first (fun a => Bind bucket_second (fun b => Return (a, b))); second_part := Return tt; has_second := false;
      given := fun words _ => given (fst words) (snd words); fresh := fresh |}
  | S _ => {| first_word := bucket_first; second_part := bucket_second; has_second := true; given := given; fresh := fresh |}
  end.
End BucketBulk.

Definition bulk_of (s : Sampler) : option Bulk :=
  match s with
  | Table f refill => Some (table_bulk (floor_lower f) (floor_upper f) patience (width f) refill)
  | Buckets decay f reach squeeze high low unused refill recorded =>
      let w := 2 ^ Z.of_nat (high + low) in
      Some (bucket_bulk (floor_lower f) (floor_upper f) patience (accept_lower decay w recorded reach squeeze) (accept_upper decay w recorded squeeze)
        (width f) high squeeze low unused refill)
  | _ => None
  end.

Record FilledPrepared := { bulk_sampler : Sampler; bulk_tape : positive; bulk_samples : list Z }.
Definition bulk_holds (r : FilledPrepared) : bool :=
  match bulk_of (bulk_sampler r) with
  | None => false
  | Some b =>
      match run (fill b (length (bulk_samples r))) enough (tape_of (bulk_tape r)) with
      | Some (found, []) => equal_lists found (bulk_samples r)
      | _ => false
      end
  end.
