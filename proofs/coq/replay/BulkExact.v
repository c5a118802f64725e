(** [fill] gives what [sample] gives, one after the other: the program that the kernel replays slices on has the
    product law of the model of the sampler. No slot reads a bit that another reads, whatever order they are drawn
    in. *)
Require Import Reals Lra Lia List ZArith Bool Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model.
From Certus.privacy Require Import Transfer Queries Draws.
From Certus.fast Require Import LazyInversion LazyCoin Table Buckets TraceCost FixedCoin FixedPlace.
From Certus.replay Require Import FastModel Replay FixedReplay BulkReplay.
Import ListNotations.
Open Scope R_scope.

Lemma expect_repeated A (p : Program A) count g : in_unit g ->
  expect (repeated (S count) p) g = expect p (fun a => expect (repeated count p) (fun rest => g (a :: rest))).
Proof.
  intros Hg. cbn [repeated]. rewrite expect_bind by auto. apply expect_ext. intros a. rewrite expect_bind by auto. apply expect_ext. intros rest. apply expect_return.
Qed.
Lemma expect_draws p count g : in_unit g -> expect (draws (S count) p) g = expect p (fun a => expect (draws count p) (fun rest => g (a :: rest))).
Proof. intros Hg. cbn [draws]. apply (both_score _ _ _ p (draws count p) (fun a rest => a :: rest) g Hg). Qed.
Lemma draws_app p m n : forall g, in_unit g -> expect (draws (m + n) p) g = expect (draws m p) (fun some => expect (draws n p) (fun more => g (some ++ more))).
Proof.
  induction m as [|m IH]; intros g Hg.
  - cbn [plus]. change (draws 0 p) with (@Return (list Z) []). rewrite expect_return. reflexivity.
  - cbn [plus]. rewrite !expect_draws by in_unit_tac. apply expect_ext. intros a. rewrite IH by in_unit_tac. reflexivity.
Qed.

Section Bulk.
Variable b : Bulk.
(** A slot's words and what they and more bits give are a trial. *)
Hypothesis words_are_a_trial : same_law (Bind (first_word b) (fun a => Bind (second_part b) (fun c => given b a c))) (fresh b).
Let sampler := Loop (fun _ : unit => fresh b) tt.

Lemma slot_is_sample h : in_unit h -> expect (first_word b) (fun a => expect (second_part b) (fun c => expect (slot b (a, c)) h)) = expect sampler h.
Proof.
  intros Hh. set (u := on_flow (fun _ : unit => expect sampler h) h).
  assert (Hu : in_unit u) by (intros [[]|y]; simpl; [apply expect_unit|]; auto).
  unfold sampler at 1. rewrite (expect_loop _ _ (fun _ : unit => fresh b)) by auto.
  rewrite (expect_ext (fresh b) _ u) by (intros [[]|y]; reflexivity). rewrite <- words_are_a_trial by auto.
  rewrite expect_bind by auto. apply expect_ext. intros a. rewrite expect_bind by auto. apply expect_ext. intros c.
  unfold slot. cbn [fst snd]. rewrite expect_bind by auto. apply expect_ext. intros [[]|y]; [reflexivity|apply expect_return].
Qed.
Lemma slots_are_samples count : forall g, in_unit g ->
  expect (repeated count (first_word b)) (fun firsts => expect (repeated count (second_part b)) (fun seconds => expect (each_slot b (combine firsts seconds)) g))
  = expect (draws count sampler) g.
Proof.
  induction count as [|count IH]; intros g Hg.
  - cbn [repeated draws]. rewrite !expect_return. cbn [combine each_slot]. apply expect_return.
  - rewrite expect_draws, expect_repeated by in_unit_tac.
    set (first := first_word b) in *. set (second := second_part b) in *.
    set (h := fun y => expect (draws count sampler) (fun more => g (y :: more))). assert (Hh : in_unit h) by (unfold h; in_unit_tac).
    rewrite <- (slot_is_sample h Hh). fold first second. apply expect_ext. intros a.
    rewrite (expect_ext (repeated count first) _ (fun firsts => expect second (fun c => expect (slot b (a, c)) (fun y =>
      expect (repeated count second) (fun seconds => expect (each_slot b (combine firsts seconds)) (fun more => g (y :: more))))))).
    + rewrite expect_swap by in_unit_tac. apply expect_ext. intros c. rewrite expect_swap by in_unit_tac. apply expect_ext. intros y.
      unfold h. apply (IH (fun more => g (y :: more))). in_unit_tac.
    + intros firsts. rewrite expect_repeated by in_unit_tac. apply expect_ext. intros c.
      rewrite <- expect_swap by in_unit_tac. apply expect_ext. intros seconds. cbn [combine each_slot]. rewrite expect_bind by auto.
      apply expect_ext. intros y. rewrite expect_bind by auto. apply expect_ext. intros more. apply expect_return.
Qed.
Theorem batch_is_draws count : same_law (one_batch b count) (draws count sampler).
Proof.
  intros g Hg. rewrite <- slots_are_samples by auto. unfold one_batch. rewrite expect_bind by auto. apply expect_ext. intros firsts.
  rewrite expect_bind by auto. apply expect_ext. intros seconds. rewrite expect_bind by auto.
  destruct (has_second b); [apply bits_const; apply expect_unit; auto|apply expect_return].
Qed.
Theorem fill_is_draws count : same_law (fill b count) (draws count sampler).
Proof.
  unfold fill. rewrite (Nat.div_mod count most_batch) at 3 by (unfold most_batch; lia). rewrite Nat.mul_comm.
  generalize (count / most_batch)%nat (count mod most_batch)%nat. intros whole rest. induction whole as [|whole IH]; intros g Hg; cbn [batches].
  - apply (batch_is_draws rest g Hg).
  - cbn [Nat.mul]. rewrite <- Nat.add_assoc, draws_app by auto. rewrite expect_bind by auto. rewrite batch_is_draws by in_unit_tac.
    apply expect_ext. intros some. rewrite expect_bind by auto. rewrite IH by in_unit_tac. apply expect_ext. intros more. apply expect_return.
Qed.
End Bulk.

(** Tables and buckets are such. *)
Theorem replayed_fill_is_draws s b count : bulk_of s = Some b -> same_law (fill b count) (draws count (model s)).
Proof.
  intros E. assert (H : same_law (Bind (first_word b) (fun a => Bind (second_part b) (fun c => given b a c))) (fresh b)
    /\ same_law (Loop (fun _ : unit => fresh b) tt) (model s)).
  2:{ destruct H as [H1 H2]. intros g Hg. rewrite (fill_is_draws b H1 count g Hg). apply (draws_by_the_law count _ _ H2 g Hg). }
  destruct s; try discriminate E; cbn [bulk_of model] in *.
  - injection E as <-. cbn [first_word second_part given fresh]. split.
    + intros g Hg. rewrite !expect_bind by auto. apply expect_ext. intros u. rewrite !expect_bind by auto. apply expect_ext. intros negative.
      rewrite !expect_return. rewrite expect_bind by auto. now rewrite expect_return.
    + intros g Hg. unfold recorded_table, table. rewrite expect_loop by auto.
      assert (Hu : in_unit (on_flow (fun s : unit => expect (Loop (fun _ : unit => Bind (Bind (bits (width floors)) (fun u => Bind Bit (fun negative => Return (u, negative))))
        (fun words => Bind (invert_from (floor_lower floors) (floor_upper floors) patience refill (width floors) (fst words)) (fun j =>
          Return (Break (if snd words then (- Z.of_nat j)%Z else Z.of_nat j))))) s) g) g)) by (intros [s|y]; simpl; [apply expect_unit|]; auto).
      rewrite !expect_bind by auto. apply expect_ext. intros u. rewrite !expect_bind by auto. apply expect_ext. intros negative.
      rewrite expect_return. cbn [fst snd]. rewrite !expect_bind by auto. apply expect_ext. intros j. rewrite !expect_return. reflexivity.
  - unfold recorded_buckets, bucket_sampler. destruct low; injection E as <-; cbn [first_word second_part given fresh].
    all: split; [|apply same_law_refl]; intros g Hg; unfold bucket_trial; rewrite !expect_bind by auto; repeat (apply expect_ext; intros ?; rewrite ?expect_return, ?expect_bind by auto).
    all: try (symmetry; apply bits_const; apply expect_unit; auto).
Qed.
