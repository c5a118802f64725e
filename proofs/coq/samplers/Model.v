(** The reference samplers of [src/sample], exactly as the Rust draws them: the same bits, in the same order, with the same stopping.

    Numbers are integers of any size, as in the Rust kernels at [BigUint]; that machine words change nothing is checked in Rust, and by the
    replay, whose parameters are on both sides of 2^64. The one difference: a counter that would pass 2^64 ends a Rust draw with an error. *)
Require Import ZArith List Bool.
From Certus.semantics Require Import Program.
Import ListNotations.
Open Scope Z_scope.

(** [Bits::take]: the first bit is the most significant. *)
Fixpoint bits (count : nat) : Program Z :=
  match count with
  | O => Return 0
  | S count => Bind Bit (fun b => Bind (bits count) (fun rest => Return (Z.b2z b * 2 ^ Z.of_nat count + rest)))
  end.

(** [Natural::bit_length]: the number of binary digits, 0 for 0. *)
Definition bit_length (n : Z) : nat := if n <=? 0 then O else Z.to_nat (Z.log2 n + 1).

(** [uniform.rs]: as many bits as bound - 1 has; accepted iff below the bound. *)
Definition uniform (bound : Z) : Program Z :=
  Loop (fun _ : unit =>
    Bind (bits (bit_length (bound - 1))) (fun word =>
    Return (if word <? bound then Break word else Continue tt))) tt.

(** [bernoulli.rs]: a uniform real beside the binary digits of numerator/denominator, to the first difference. The state is the remainder. *)
Definition bernoulli_step (denominator remainder : Z) : Program (Flow Z bool) :=
  if remainder =? 0 then Return (Break false)
  else if denominator <=? remainder then Return (Break true)
  else
    let complement := denominator - remainder in
    let '(digit, rest) := if remainder <? complement then (false, remainder + remainder) else (true, remainder - complement) in
    Bind Bit (fun bit => Return (if Bool.eqb bit digit then Continue rest else Break digit)).
Definition bernoulli (numerator denominator : Z) : Program bool := Loop (bernoulli_step denominator) numerator.

(** [bernoulli_exp.rs], [Unit]: for x = numerator/denominator in [0, 1], coins of x/k for k = 1, 2, …; the parity of the first false decides. *)
Definition unit_exp_step (numerator denominator k : Z) : Program (Flow Z bool) :=
  Bind (bernoulli numerator (denominator * k)) (fun toss =>
  Return (if toss then Continue (k + 1) else Break (k mod 2 =? 1))).
Definition unit_exp (numerator denominator : Z) : Program bool := Loop (unit_exp_step numerator denominator) 1.

(** [bernoulli_exp.rs], [Kernel]: one coin of e^-1 for each whole of x, then one of the fraction. *)
Definition bernoulli_exp_step (rest denominator whole : Z) : Program (Flow Z bool) :=
  if whole =? 0 then Bind (unit_exp rest denominator) (fun toss => Return (Break toss))
  else Bind (unit_exp 1 1) (fun toss => Return (if toss then Continue (whole - 1) else Break false)).
Definition bernoulli_exp (numerator denominator : Z) : Program bool :=
  Loop (bernoulli_exp_step (numerator mod denominator) denominator) (numerator / denominator).

(** [program.rs], [Count]: how often a coin comes up true before it first comes up false. *)
Definition count (coin : Program bool) : Program Z :=
  Loop (fun n => Bind coin (fun toss => Return (if toss then Continue (n + 1) else Break n))) 0.

(** The least integer that is at least numerator/denominator. *)
Definition div_ceil (numerator denominator : Z) : Z := - ((- numerator) / denominator).

(** [geometric.rs]: u + t·v with t = ⌈scale⌉, u uniform below t and accepted with e^(-u/scale), v counting coins of e^(-t/scale). *)
Definition geometric (numerator denominator : Z) : Program Z :=
  let t := div_ceil numerator denominator in
  Loop (fun _ : unit =>
    Bind (uniform t) (fun u =>
    Bind (unit_exp (u * denominator) numerator) (fun accept =>
    if accept
    then Bind (count (bernoulli_exp (t * denominator) numerator)) (fun v => Return (Break (u + t * v)))
    else Return (Continue tt)))) tt.

(** [laplace.rs]: a magnitude, then a sign; a negative zero is rejected. *)
Definition laplace (numerator denominator : Z) : Program Z :=
  Loop (fun _ : unit =>
    Bind (geometric numerator denominator) (fun magnitude =>
    Bind Bit (fun negative =>
    Return (if negative then if magnitude =? 0 then Continue tt else Break (- magnitude) else Break magnitude)))) tt.

(** ⌈√n⌉. *)
Definition ceil_sqrt (n : Z) : Z := let root := Z.sqrt n in if root * root =? n then root else root + 1.

(** [gaussian.rs]: a discrete Laplace candidate of scale t = ⌈σ⌉, accepted with e^(-(|y|·a - b)²/2tab), where b/a = σ²/t in lowest terms and
    σ² = numerator/denominator. *)
Definition gaussian (numerator denominator : Z) : Program Z :=
  let t := ceil_sqrt (div_ceil numerator denominator) in
  let scaled := denominator * t in
  let divisor := Z.gcd scaled numerator in
  let a := scaled / divisor in
  let b := numerator / divisor in
  Loop (fun _ : unit =>
    Bind (laplace t 1) (fun y =>
    Bind (bernoulli_exp ((Z.abs y * a - b) * (Z.abs y * a - b)) (2 * t * a * b)) (fun accept =>
    Return (if accept then Break y else Continue tt)))) tt.

(** [choice.rs]: one alternative's weight c·e^-x, with c = factor_n/factor_d >= 0 and x = exponent_n/exponent_d. *)
Record Weight := { factor_n : Z; factor_d : Z; exponent_n : Z; exponent_d : Z }.

(** The least common denominator of the factors. *)
Definition common_denominator (weights : list Weight) : Z :=
  fold_left (fun common w => Z.lcm common (factor_d w)) weights 1.

(** The smallest exponent, as (numerator, denominator), of the alternatives of positive factor. *)
Definition smaller (x y : Z * Z) : Z * Z := if fst x * snd y <=? fst y * snd x then x else y.
Fixpoint smallest_exponent (weights : list Weight) : option (Z * Z) :=
  match weights with
  | [] => None
  | w :: rest =>
      let x := (exponent_n w, exponent_d w) in
      if factor_n w =? 0 then smallest_exponent rest
      else match smallest_exponent rest with None => Some x | Some y => Some (smaller x y) end
  end.

(** Each alternative's share of the proposals: an integer, its factor over the common denominator. *)
Definition share_of (common : Z) (w : Weight) : Z := factor_n w * (common / factor_d w).

(** How far its exponent is above the smallest; 0 where it is below, as only that of a factor 0 can be. *)
Definition above (smallest : Z * Z) (w : Weight) : Z * Z :=
  (Z.max 0 (exponent_n w * snd smallest - fst smallest * exponent_d w), exponent_d w * snd smallest).

(** The index of the alternative whose share reaches past u, and that alternative: [partition_point] on the running sums of the shares. *)
Fixpoint reach_past (common u : Z) (index : nat) (weights : list Weight) : option (nat * Weight) :=
  match weights with
  | [] => None
  | w :: rest =>
      if u <? share_of common w then Some (index, w) else reach_past common (u - share_of common w) (S index) rest
  end.

(** A uniform integer below the sum of the shares proposes an alternative, which is accepted with e^-(x - the smallest x). *)
Definition choice (weights : list Weight) : Program nat :=
  let common := common_denominator weights in
  let total_share := fold_right (fun w sum => share_of common w + sum) 0 weights in
  let smallest := match smallest_exponent weights with Some x => x | None => (0, 1) end in
  Loop (fun _ : unit =>
    Bind (uniform total_share) (fun u =>
    match reach_past common u O weights with
    | None => Return (Continue tt)
    | Some (index, w) =>
        Bind (bernoulli_exp (fst (above smallest w)) (snd (above smallest w))) (fun accept =>
        Return (if accept then Break index else Continue tt))
    end)) tt.

(** [mechanism/randomized_response.rs]: a coin for the truth; if it fails, one of the other answers, with a gap at the truth. *)
Definition respond (coin : Program bool) (answers truth : Z) : Program Z :=
  Bind coin (fun told =>
  if told then Return truth
  else Bind (uniform (answers - 1)) (fun other => Return (if truth <=? other then other + 1 else other))).
Definition randomized_response (p_numerator p_denominator answers truth : Z) : Program Z :=
  respond (bernoulli p_numerator p_denominator) answers truth.
