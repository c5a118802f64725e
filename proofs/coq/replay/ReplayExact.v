(** The tie of [src/exact]: what the shipped [exp_neg] and [ln] answered, the models must answer, bound by
    bound and digit by digit. *)
Require Import Reals ZArith List Bool.
From Certus.exact Require Import Intervals ExpNeg Ln.
Import ListNotations.

Definition same_interval (found : option Interval) (lower upper digits : Z) : bool :=
  match found with
  | Some e => (Z.eqb (Intervals.lower e) lower && Z.eqb (Intervals.upper e) upper && Z.eqb (Intervals.digits e) digits)%bool
  | None => false
  end.

(** A function of numerator/denominator at a precision, and its answer. *)
Record Answer := { numerator : Z; denominator : Z; precision : Z; least : Z; greatest : Z; digits : Z }.
Definition exponential_holds (r : Answer) : bool :=
  (Z.leb 0 (numerator r) && Z.ltb 0 (denominator r) && Z.leb 0 (precision r)
   && same_interval (exp_neg (numerator r) (denominator r) (precision r)) (least r) (greatest r) (digits r))%bool.

Lemma same_interval_spec found lower upper digits : same_interval found lower upper digits = true -> found = Some (interval lower upper digits).
Proof.
  unfold same_interval. destruct found as [[l u p]|]; [|discriminate]. cbn. rewrite !andb_true_iff, !Z.eqb_eq. intros [[-> ->] ->]. reflexivity.
Qed.

(** What a replay that holds says: the Rust's bounds contain e^-x, and are at most 2^-precision apart. *)
Theorem replayed_exponentials_contain recordings r : forallb exponential_holds recordings = true -> In r recordings ->
  let answer := interval (least r) (greatest r) (digits r) in
  contains answer (exp (- (IZR (numerator r) / IZR (denominator r)))) /\ is_narrow answer (precision r) = true.
Proof.
  intros H I answer. apply forallb_forall with (x := r) in H; auto. unfold exponential_holds in H. rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt in H.
  destruct H as [[[Hn Hd] Hp] H]. apply same_interval_spec in H. now apply exp_neg_contains.
Qed.

(** Four doublings of the guard are more than any answer has needed. *)
Definition logarithm_holds (r : Answer) : bool :=
  (Z.ltb 0 (numerator r) && Z.ltb 0 (denominator r) && Z.leb 0 (precision r)
   && same_interval (ln_of 4 (numerator r) (denominator r) (precision r)) (least r) (greatest r) (digits r))%bool.
Theorem replayed_logarithms_contain recordings r : forallb logarithm_holds recordings = true -> In r recordings ->
  let answer := interval (least r) (greatest r) (digits r) in
  contains answer (ln (IZR (numerator r) / IZR (denominator r))) /\ is_narrow answer (precision r) = true.
Proof.
  intros H I answer. apply forallb_forall with (x := r) in H; auto. unfold logarithm_holds in H. rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt in H.
  destruct H as [[[Hn Hd] Hp] H]. apply same_interval_spec in H. now apply (ln_contains 4).
Qed.
