(** What private means, for a pair of samplers: what is released on one input, and on a neighbouring one. A mechanism is private if
    each pair of neighbours is, in both orders. *)
Require Import Reals List.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation ListSums Atoms.
Open Scope R_scope.

(** ε-DP: for every event, P(event) <= e^ε·Q(event). *)
Definition pure_dp {A} (epsilon : R) (p q : Program A) : Prop :=
  forall event : A -> bool, probability p event <= exp epsilon * probability q event.

(** (ε, δ)-DP: for every event, P(event) <= e^ε·Q(event) + δ. *)
Definition approximate_dp {A} (epsilon delta : R) (p q : Program A) : Prop :=
  forall event : A -> bool, probability p event <= exp epsilon * probability q event + delta.

(** x^α·y^(1-α), a term of the Rényi divergence's sum: 0 where x is 0. *)
Definition renyi_term (alpha x y : R) : R := if Req_EM_T x 0 then 0 else Rpower x alpha * Rpower y (1 - alpha).

(** ρ-zCDP: no output is possible under P only, and for every α > 1 the Rényi divergence of order α is at most αρ, that is, the sum of
    P(a)^α·Q(a)^(1-α) is at most e^((α-1)·αρ): every finite part of the sum is, whose terms are not negative. *)
Definition zcdp {A} {D : Decidable A} (rho : R) (p q : Program A) : Prop :=
  (forall a, at_output q a = 0 -> at_output p a = 0)
  /\ forall alpha, 1 < alpha -> forall outputs, NoDup outputs ->
       list_sum outputs (fun a => renyi_term alpha (at_output p a) (at_output q a)) <= exp ((alpha - 1) * (alpha * rho)).

(** What is released of two samplers, the second of which may look at the first's output: both outputs. *)
Definition release_both {A B} (p : Program A) (f : A -> Program B) : Program (A * B) :=
  Bind p (fun a => Bind (f a) (fun b => Return (a, b))).

(** The answer plus noise. *)
Definition add_noise (noise : Program Z) (answer : Z) : Program Z := Bind noise (fun y => Return (answer + y)%Z).
