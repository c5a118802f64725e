(** The tie: what the shipped Rust did on a tape, the model must do on the same tape.

    [replay/recorder] runs the shipped samplers, through their public API, and writes what they did; [replay/generate] turns that into Coq
    files of recordings, each of which ends in a theorem that all of its recordings hold, proved by [vm_compute]: the kernel runs the model. *)
Require Import ZArith NArith List Bool Lia.
From Certus.semantics Require Import Program.
From Certus.samplers Require Import Model.
From Certus.privacy Require Import SparseVector.
From Certus.replay Require Import FastModel.
Import ListNotations.

(** A shipped sampler with its parameters. *)
Inductive Sampler :=
| Uniform (bound : Z)
| Bernoulli (numerator denominator : Z)
| BernoulliExp (numerator denominator : Z)
| Geometric (numerator denominator : Z)
| Laplace (numerator denominator : Z)
| Gaussian (numerator denominator : Z)
| Choice (weights : list Weight)
| RandomizedResponse (p_numerator p_denominator answers truth : Z)
| ResponseByEpsilon (bounds : list (Z * Z)) (answers truth : Z)
| SparseVector (threshold_n threshold_d query_n query_d threshold : Z) (passes : nat) (queries : list Z)
| Table (floors : Floors) (refill : nat)
| Buckets (decay : Decay) (floors : Floors) (reach squeeze high low unused refill : nat) (recorded : Recorded_bounds).

(** Answers as a number: the first is the highest digit after a 1. *)
Definition number_of (answers : list bool) : Z := fold_left (fun n answer => 2 * n + Z.b2z answer)%Z answers 1%Z.

(** Its model; a bool is written as 0 or 1. *)
Definition model (s : Sampler) : Program Z :=
  match s with
  | Uniform n => uniform n
  | Bernoulli n d => Bind (bernoulli n d) (fun b => Return (Z.b2z b))
  | BernoulliExp n d => Bind (bernoulli_exp n d) (fun b => Return (Z.b2z b))
  | Geometric n d => geometric n d
  | Laplace n d => laplace n d
  | Gaussian n d => gaussian n d
  | Choice weights => Bind (choice weights) (fun i => Return (Z.of_nat i))
  | RandomizedResponse n d answers truth => randomized_response n d answers truth
  | ResponseByEpsilon bounds answers truth => recorded_response bounds answers truth
  | SparseVector n d n' d' threshold passes queries =>
      Bind (sparse_vector (laplace n d) (laplace n' d') threshold (fun answers => nth (length answers) queries 0%Z) (length queries) passes)
        (fun answers => Return (number_of answers))
  | Table floors refill => recorded_table floors refill
  | Buckets decay floors reach squeeze high low unused refill recorded => recorded_buckets decay floors reach squeeze high low unused refill recorded
  end.

(** Steps that a loop may take. Too few could only make a recording with an output fail, never hold: see [run_fuel]. A recording of a run that asked
    for more bits than there were could hold for want of steps too, as that of [Uniform 0] does, which loops without reading. *)
Definition enough : nat := 1000.

(** The model ends on this tape with this output, and reads all of it: the bits used are the same. *)
Definition ends (s : Sampler) (tape : Tape) (output : Z) : bool :=
  match run (model s) enough tape with
  | Some (found, []) => Z.eqb found output
  | _ => false
  end.

(** ** One tape *)

(** A tape as a number: the first bit lowest, and a 1 above the last. *)
Fixpoint tape_of (code : positive) : Tape :=
  match code with
  | xH => []
  | xO rest => false :: tape_of rest
  | xI rest => true :: tape_of rest
  end.

Record OneTape := { sampler : Sampler; tape : positive; output : Z }.
Definition tape_holds (r : OneTape) : bool := ends (sampler r) (tape_of (tape r)) (output r).

(** ** Every tape up to a depth *)

(** One run of the depth-first enumeration: the bits it used, and its output, or nothing if it asked for more bits than there were. *)
Definition Run := (nat * option Z)%type.

(** A run as a number: used + 32·code, where code is 0 for nothing, and 1 + 2k or 2 + 2k for the outputs k and -1 - k. *)
Definition run_of (code : N) : Run :=
  let '(code, used) := N.div_eucl code 32 in
  (N.to_nat used, match code with
   | N0 => None
   | _ => Some (if N.odd code then Z.of_N (N.div2 code) else -1 - Z.of_N (N.div2 (code - 2)))%Z
   end).

(** No tape of [depth] more bits brings the model to an end. *)
Fixpoint none_ends (s : Sampler) (prefix : Tape) (depth : nat) : bool :=
  match depth with
  | O => match run (model s) enough prefix with None => true | Some _ => false end
  | S depth => none_ends s (prefix ++ [false]) depth && none_ends s (prefix ++ [true]) depth
  end.

(** The runs on all tapes that begin with [prefix] and have [depth] more bits, zeros first; the runs after them are returned. *)
Fixpoint subtree_holds (s : Sampler) (prefix : Tape) (depth : nat) (runs : list Run) : option (list Run) :=
  match runs with
  | [] => None
  | (used, result) :: rest =>
      if Nat.eqb used (length prefix)
      then
        if match result with Some output => ends s prefix output | None => none_ends s prefix depth end
        then Some rest else None
      else
        match depth with
        | O => None
        | S depth =>
            match subtree_holds s (prefix ++ [false]) depth runs with
            | None => None
            | Some runs => subtree_holds s (prefix ++ [true]) depth runs
            end
        end
  end.

Record EveryTape := { of : Sampler; depth : nat; runs : list (list N) }.
Definition tree_holds (r : EveryTape) : bool :=
  match subtree_holds (of r) [] (depth r) (map run_of (concat (runs r))) with
  | Some [] => true
  | _ => false
  end.

(** Which run of the enumeration is a tape's: the same walk, [position] bits deep, along the tape; no model is asked. *)
Fixpoint runs_after (position depth : nat) (runs : list Run) : option (list Run) :=
  match runs with
  | [] => None
  | (used, _) :: rest =>
      if Nat.eqb used position then Some rest
      else
        match depth with
        | O => None
        | S depth => match runs_after (S position) depth runs with None => None | Some runs => runs_after (S position) depth runs end
        end
  end.
Fixpoint assigned (position : nat) (tape : Tape) (runs : list Run) : option Run :=
  match runs with
  | [] => None
  | (used, result) :: _ =>
      if Nat.eqb used position then Some (used, result)
      else
        match tape with
        | [] => None
        | false :: tape => assigned (S position) tape runs
        | true :: tape => match runs_after (S position) (length tape) runs with None => None | Some runs => assigned (S position) tape runs end
        end
  end.

(** What a tree that holds says of a tape: there is a run of its own in the enumeration, and the model does the same: reads as many bits, for the same output;
    or has no output on it. *)
Definition recorded_on (s : Sampler) (tape : Tape) (runs : list Run) : Prop :=
  exists used result, assigned 0 tape runs = Some (used, result) /\ (used <= length tape)%nat
    /\ run (model s) enough tape = match result with Some output => Some (output, skipn used tape) | None => None end.

Lemma ends_sound s read output rest : ends s read output = true -> run (model s) enough (read ++ rest) = Some (output, rest).
Proof.
  unfold ends. destruct (run (model s) enough read) as [[found [|b r]]|] eqn:E; try easy. intros H. apply Z.eqb_eq in H. subst found.
  destruct (run_reads_a_prefix _ _ _ E) as (read' & Q & K). rewrite app_nil_r in Q. subst read'. apply K.
Qed.
Lemma none_ends_sound s : forall depth prefix, none_ends s prefix depth = true ->
  forall more, length more = depth -> run (model s) enough (prefix ++ more) = None.
Proof.
  induction depth0 as [|depth0 IH]; intros prefix H more L; cbn [none_ends] in H.
  - destruct more; [|discriminate]. rewrite app_nil_r. now destruct (run (model s) enough prefix).
  - apply andb_true_iff in H. destruct H as [H0 H1]. destruct more as [|b more]; [discriminate|]. injection L as L.
    replace (prefix ++ b :: more) with ((prefix ++ [b]) ++ more) by now rewrite <- app_assoc.
    destruct b; apply IH; auto.
Qed.
Lemma subtree_sound s : forall depth prefix runs rest, subtree_holds s prefix depth runs = Some rest ->
  runs_after (length prefix) depth runs = Some rest /\ forall more, length more = depth ->
    exists used result, assigned (length prefix) more runs = Some (used, result) /\ (used <= length (prefix ++ more))%nat
      /\ run (model s) enough (prefix ++ more) = match result with Some output => Some (output, skipn used (prefix ++ more)) | None => None end.
Proof.
  assert (Here : forall depth prefix result, (if match result with Some output => ends s prefix output | None => none_ends s prefix depth end then true else false) = true ->
    forall more, length more = depth -> (length prefix <= length (prefix ++ more))%nat
      /\ run (model s) enough (prefix ++ more) = match result with Some output => Some (output, skipn (length prefix) (prefix ++ more)) | None => None end).
  { intros depth prefix [out|] H more L; (split; [rewrite app_length; lia|]).
    - rewrite skipn_app, skipn_all, Nat.sub_diag. apply ends_sound. now destruct (ends s prefix out).
    - apply none_ends_sound with depth; auto. now destruct (none_ends s prefix depth). }
  induction depth0 as [|depth0 IH]; intros prefix runs0 rest H; (destruct runs0 as [|[used result] runs0]; [discriminate|]);
    cbn [subtree_holds] in H; cbn [runs_after]; destruct (Nat.eqb_spec used (length prefix)) as [U|U].
  1,3: match type of H with (if ?c then _ else _) = _ => destruct c eqn:E end; [|discriminate]; injection H as <-; (split; [reflexivity|]);
    intros more L; exists used, result; (split; [destruct more; cbn [assigned]; now rewrite U, Nat.eqb_refl|]); subst used; eapply Here; eauto; now rewrite E.
  - discriminate.
  - match type of H with match ?x with _ => _ end = _ => destruct x as [mid|] eqn:E end; [|discriminate H].
    destruct (IH _ _ _ E) as [Q0 K0]. destruct (IH _ _ _ H) as [Q1 K1]. rewrite app_length, Nat.add_1_r in Q0, Q1, K0, K1.
    split. { now rewrite Q0. }
    intros more L. destruct more as [|b more]; [discriminate|]. injection L as L.
    replace (prefix ++ b :: more) with ((prefix ++ [b]) ++ more) by now rewrite <- app_assoc.
    cbn [assigned]. apply Nat.eqb_neq in U. rewrite U. destruct b.
    + rewrite L, Q0. apply K1, L.
    + apply K0, L.
Qed.

Theorem tree_holds_on_every_tape r : tree_holds r = true ->
  forall tape, length tape = depth r -> recorded_on (of r) tape (map run_of (concat (runs r))).
Proof.
  unfold tree_holds. intros H tape L. destruct (subtree_holds _ _ _ _) as [rest|] eqn:E; [|discriminate].
  exact (proj2 (subtree_sound _ _ _ _ _ E) tape L).
Qed.
