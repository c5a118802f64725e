(** What a sampler is, and what it does on a tape of bits.

    The Rust side is [src/sample/program.rs]: a sampler is a loop of steps over an explicit state, each of which draws bits or calls other
    samplers and then either continues from another state or breaks with an output. *)
Require Import List Arith Lia.
Import ListNotations.
Set Implicit Arguments.

(** [core::ops::ControlFlow]: on to another state, or out with an output. *)
Inductive Flow (S A : Type) : Type :=
| Continue (state : S)
| Break (output : A).
Arguments Continue {S A}.
Arguments Break {S A}.

(** A sampler with outputs in [A]. [Bit] draws one fair bit; [Loop step s] runs [step] from [s] until it breaks. *)
Inductive Program : Type -> Type :=
| Return A (output : A) : Program A
| Bit : Program bool
| Bind A B (first : Program A) (rest : A -> Program B) : Program B
| Loop S A (step : S -> Program (Flow S A)) (start : S) : Program A.

(** Bits in the order in which they are read. *)
Definition Tape := list bool.

(** What a run leaves: the output and the unread rest of the tape; nothing if the tape or the fuel ran out. *)
Definition Outcome (A : Type) := option (A * Tape).

(** At most [fuel] steps of a loop. *)
Fixpoint iterate {S A} (step : S -> Tape -> Outcome (Flow S A)) (fuel : nat) (state : S) (tape : Tape) : Outcome A :=
  match fuel with
  | O => None
  | Datatypes.S fuel =>
      match step state tape with
      | None => None
      | Some (Break output, rest) => Some (output, rest)
      | Some (Continue next, rest) => iterate step fuel next rest
      end
  end.

(** Runs a sampler on a tape; each loop may take at most [fuel] steps. This is the function that the replay evaluates. *)
Fixpoint run {A} (p : Program A) (fuel : nat) (tape : Tape) {struct p} : Outcome A :=
  match p with
  | @Return _ output => Some (output, tape)
  | Bit => match tape with [] => None | bit :: rest => Some (bit, rest) end
  | @Bind _ _ first rest =>
      match run first fuel tape with
      | None => None
      | Some (output, tape) => run (rest output) fuel tape
      end
  | @Loop _ _ step start => iterate (fun state => run (step state) fuel) fuel start tape
  end.

Lemma iterate_fuel S A (step step' : S -> Tape -> Outcome (Flow S A)) n : forall m state tape result, n <= m ->
  (forall s t r, step s t = Some r -> step' s t = Some r) ->
  iterate step n state tape = Some result -> iterate step' m state tape = Some result.
Proof.
  induction n; intros m state tape result Hm Hs; simpl; [easy|]. destruct m; [lia|]. simpl.
  destruct (step state tape) as [[[next|output] rest]|] eqn:Q; [| |easy]; rewrite (Hs _ _ _ Q); auto.
  apply IHn; auto. lia.
Qed.

(** The outcome does not depend on how much fuel there was, once it was enough. *)
Theorem run_fuel A (p : Program A) n m tape result : n <= m ->
  run p n tape = Some result -> run p m tape = Some result.
Proof.
  intros H. revert tape result. induction p; intros tape result; simpl; auto.
  - destruct (run p n tape) as [[x t]|] eqn:Q; [|easy]. rewrite (IHp _ _ Q). auto.
  - apply iterate_fuel; auto.
Qed.

(** A run reads a prefix of the tape and leaves the rest as it was. *)
Theorem run_reads_a_prefix A (p : Program A) fuel : forall tape output rest,
  run p fuel tape = Some (output, rest) -> exists read, tape = read ++ rest
    /\ forall other, run p fuel (read ++ other) = Some (output, other).
Proof.
  induction p as [A x| |A B m IHm f IHf|S A step IH s]; intros tape output rest; simpl.
  - intros [= -> ->]. now exists [].
  - destruct tape as [|b t]; [easy|]. intros [= -> ->]. now exists [output].
  - destruct (run m fuel tape) as [[x t]|] eqn:Q; [|easy]. intros H.
    destruct (IHm _ _ _ Q) as (r1 & -> & K1). destruct (IHf x _ _ _ H) as (r2 & -> & K2).
    exists (r1 ++ r2). split; [now rewrite app_assoc|]. intros other. now rewrite <- app_assoc, K1, K2.
  - assert (K : forall steps s tape, iterate (fun state => run (step state) fuel) steps s tape = Some (output, rest) ->
      exists read, tape = read ++ rest /\ forall other,
        iterate (fun state => run (step state) fuel) steps s (read ++ other) = Some (output, other)); [|apply K].
    intros steps. induction steps as [|steps IHs]; intros s' tape'; simpl; [easy|].
    destruct (run (step s') fuel tape') as [[[next|y] t]|] eqn:Q; [| |easy].
    + intros H. destruct (IH s' _ _ _ Q) as (r1 & -> & K1). destruct (IHs _ _ H) as (r2 & -> & K2).
      exists (r1 ++ r2). split; [now rewrite app_assoc|]. intros other. now rewrite <- app_assoc, K1, K2.
    + intros [= -> ->]. destruct (IH s' _ _ _ Q) as (r1 & -> & K1). exists r1. split; auto. intros other. now rewrite K1.
Qed.
