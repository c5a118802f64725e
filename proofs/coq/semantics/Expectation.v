(** Probability: the limiting share of bit tapes.

    A score is a function from outputs to [0, 1]. The expected score of a sampler is the limit, as L grows, of the average over all 2^L tapes
    of length L: a tape on which the run ends scores its output, and one on which it does not scores nothing. The
    probability of an event is the expected score of its indicator. *)
Require Import Reals List.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program.
Import ListNotations.
Open Scope R_scope.

(** The average of a function over all 2^length tapes of that length. *)
Fixpoint average (length : nat) (f : Tape -> R) : R :=
  match length with
  | O => f []
  | S length => (average length (fun tape => f (true :: tape)) + average length (fun tape => f (false :: tape))) / 2
  end.

Definition score {A} (g : A -> R) (outcome : Outcome A) : R :=
  match outcome with Some (output, _) => g output | None => 0 end.

(** The average score on tapes of one length, with as much fuel. *)
Definition share {A} (p : Program A) (g : A -> R) (length : nat) : R :=
  average length (fun tape => score g (run p length tape)).

(** The expected score. *)
Definition expect {A} (p : Program A) (g : A -> R) : R := real (Lim_seq (share p g)).

Definition indicator {A} (event : A -> bool) (output : A) : R := if event output then 1 else 0.

(** P(the output is in the event). *)
Definition probability {A} (p : Program A) (event : A -> bool) : R := expect p (indicator event).

(** P(there is an output). *)
Definition total {A} (p : Program A) : R := probability p (fun _ => true).

(** Scores lie in [0, 1]. *)
Definition in_unit {A} (g : A -> R) := forall a, 0 <= g a <= 1.
