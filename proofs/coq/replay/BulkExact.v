(** [fill] gives what [sample] gives, one after the other: the program that the kernel replays slices on has
    the product law of the model of the sampler. No slot reads a bit that another reads, whatever order they
    are drawn in. *)
Require Import Reals Lra Lia List ZArith Bool Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model.
From Certus.privacy Require Import Definitions Transfer Queries Draws.
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
  - change (draws 0 p) with (@Return (list Z) []). rewrite expect_return. reflexivity.
  - change (S m + n)%nat with (S (m + n)). rewrite (expect_draws p (m + n)) by auto.
    rewrite (expect_draws p m) by in_unit_tac. apply expect_ext. intros a. apply (IH (fun l => g (a :: l))). in_unit_tac.
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
  unfold sampler at 1. rewrite expect_loop by auto.
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
Lemma batch_is_draws count : same_law (one_batch b count) (draws count sampler).
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

Lemma bind_law A B (p : Program A) (f f' : A -> Program B) : (forall a, same_law (f a) (f' a)) -> same_law (Bind p f) (Bind p f').
Proof. intros H g Hg. rewrite !expect_bind by exact Hg. apply expect_ext. intros a. now apply H. Qed.
Lemma bind_of_bind A B C (p : Program A) (q : A -> Program B) (f : B -> Program C) : same_law (Bind (Bind p q) f) (Bind p (fun a => Bind (q a) f)).
Proof.
  intros g Hg. rewrite (expect_bind (Bind p q) f) by exact Hg. rewrite expect_bind by in_unit_tac. rewrite (expect_bind p) by exact Hg.
  apply expect_ext. intros a. rewrite expect_bind by exact Hg. reflexivity.
Qed.
Lemma bind_of_return A B (a : A) (f : A -> Program B) : same_law (Bind (Return a) f) (f a).
Proof. intros g Hg. rewrite expect_bind by exact Hg. apply expect_return. Qed.
Lemma unused_bits k A (p : Program A) : same_law (Bind (bits k) (fun _ => p)) p.
Proof. intros g Hg. rewrite expect_bind by exact Hg. apply bits_const. apply expect_unit; exact Hg. Qed.
Lemma law_trans A (p q r : Program A) : same_law p q -> same_law q r -> same_law p r.
Proof. intros H K g Hg. rewrite H by exact Hg. apply K, Hg. Qed.

(** What a bind begins with, on the left. *)
Ltac left_first := repeat (eapply law_trans; [first [apply bind_of_bind | apply bind_of_return]|]).

(** Tables and buckets are such, over any bounds. *)
Lemma bulk_is_draws b p count : same_law (Bind (first_word b) (fun a => Bind (second_part b) (fun c => given b a c))) (fresh b) ->
  same_law (Loop (fun _ : unit => fresh b) tt) p -> same_law (fill b count) (draws count p).
Proof. intros H1 H2 g Hg. rewrite (fill_is_draws b H1 count g Hg). apply (draws_by_the_law count _ _ H2 g Hg). Qed.
Theorem table_fill_is_draws lower upper patience width refill count :
  same_law (fill (table_bulk lower upper patience width refill) count) (draws count (table lower upper patience width refill)).
Proof.
  apply bulk_is_draws; cbn [table_bulk first_word second_part given fresh].
  - apply bind_law. intros words. apply bind_of_return.
  - intros g Hg. unfold table. rewrite expect_loop by auto.
    match goal with |- expect _ ?u = _ => set (k := u); assert (Hk : in_unit k) by (intros [[]|y]; simpl; [apply expect_unit|]; auto) end.
    rewrite (bind_of_bind _ _ _ _ _ _ k Hk). rewrite (expect_bind _ _ Hk), (expect_bind _ _ Hg). apply expect_ext. intros u.
    rewrite (bind_of_bind _ _ _ _ _ _ k Hk). rewrite (expect_bind _ _ Hk), (expect_bind _ _ Hg). apply expect_ext. intros negative.
    rewrite (bind_of_return _ _ _ _ k Hk). cbn [fst snd]. rewrite (expect_bind _ _ Hk), (expect_bind _ _ Hg). apply expect_ext. intros j.
    rewrite !expect_return. reflexivity.
Qed.
Theorem bucket_fill_is_draws bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill count :
  same_law (fill (bucket_bulk bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill) count)
    (draws count (bucket_sampler bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill)).
Proof.
  apply bulk_is_draws; unfold bucket_bulk, bucket_sampler, bucket_first, bucket_second, bucket_given, bucket_trial;
    (destruct low; [|set (low_bits := bits (S low)) in *; clearbody low_bits]); cbn [first_word second_part given fresh]; try apply same_law_refl.
  - left_first; apply bind_law; intros u. left_first; apply bind_law; intros v. left_first; apply bind_law; intros o.
    left_first. eapply law_trans; [|apply same_law_sym, bind_of_return]. apply bind_law; intros negative.
    left_first. eapply law_trans; [|apply same_law_sym, unused_bits]. apply same_law_refl.
  - left_first; apply bind_law; intros u. left_first; apply bind_law; intros v. left_first; apply bind_law; intros o.
    left_first; apply bind_law; intros o'. left_first; apply bind_law; intros negative.
    left_first. eapply law_trans; [|apply same_law_sym, unused_bits]. apply same_law_refl.
Qed.
Theorem replayed_fill_is_draws s b count : bulk_of s = Some b -> same_law (fill b count) (draws count (model s)).
Proof.
  destruct s; try discriminate; intros [= <-]; cbn [model]; [apply table_fill_is_draws|apply bucket_fill_is_draws].
Qed.

(** Which is the product law, that the theorems of vectors with filled noise ask for. *)
Theorem replayed_fill_has_the_product_law s b count outputs : bulk_of s = Some b ->
  at_output (fill b count) outputs = product_law count (model s) outputs.
Proof.
  intros E. rewrite <- draws_are_independent. unfold at_output. apply same_law_probability. now apply replayed_fill_is_draws.
Qed.
