(** Bounds that agree give runs that agree. A lazy sampler asks for the bounds at a length only after it has
    read as many bits, so that what the bounds are beyond the length of a tape changes nothing on that tape;
    and where nothing is known of a cell, or of any cell at some length, a run can only ask for more bits, so
    that a run which ends has never used such bounds. *)
Require Import ZArith List Arith Lia Bool.
From Certus.semantics Require Import Program.
From Certus.samplers Require Import Model.
From Certus.fast Require Import LazyInversion LazyCoin Table Buckets.
Import ListNotations.

Lemma run_bits_reads fuel : forall k tape v rest, run (bits k) fuel tape = Some (v, rest) ->
  length tape = (k + length rest)%nat /\ (0 <= v < 2 ^ Z.of_nat k)%Z.
Proof.
  induction k as [|k IH]; intros tape v rest H.
  - cbn in H. injection H as <- <-. simpl. lia.
  - cbn [bits run] in H. destruct tape as [|b tape]; [discriminate|].
    destruct (run (bits k) fuel tape) as [[r t]|] eqn:E; [|discriminate]. injection H as <- <-.
    destruct (IH _ _ _ E) as [L B]. cbn [length]. split; [lia|].
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. destruct b; simpl Z.b2z; lia.
Qed.

Lemma run_rest_is_shorter A (p : Program A) fuel tape output rest : run p fuel tape = Some (output, rest) -> (length rest <= length tape)%nat.
Proof. intros H. destruct (run_reads_a_prefix _ _ _ H) as (read & -> & _). rewrite app_length. lia. Qed.

Section Inversion.
Variables lower upper lower' upper' : nat -> nat -> Z.
Variable patience : nat -> nat.
Variable refill : nat.

(** Where a look did not decide, it goes on from [refill] bits more. *)
Lemma refine_continues low up fuel length prefix cell tape next rest :
  run (refine low up patience refill (length, prefix, cell)) fuel tape = Some (Continue next, rest) ->
  exists more, next = ((length + refill)%nat, (prefix * 2 ^ Z.of_nat refill + more)%Z, fst (scan low up (patience length) length prefix cell))
    /\ snd (scan low up (patience length) length prefix cell) = false
    /\ (0 <= more < 2 ^ Z.of_nat refill)%Z /\ List.length tape = (refill + List.length rest)%nat.
Proof.
  unfold refine. destruct (scan low up (patience length) length prefix cell) as [c found]. cbn [fst snd].
  destruct found; [discriminate|]. cbn [run]. destruct (run (bits refill) fuel tape) as [[more t]|] eqn:E; [|discriminate].
  intros H. injection H as <- <-. destruct (run_bits_reads _ _ _ _ _ E) as [L B]. exists more. auto.
Qed.

(** Equal bounds up to a length give equal runs, outputs or none, on every tape that does not reach past it.
    *)
Theorem equal_bounds_equal_runs most :
  (forall cell length, (length <= most)%nat -> lower cell length = lower' cell length /\ upper cell length = upper' cell length) ->
  forall fuel length prefix tape, (length + List.length tape <= most)%nat ->
  run (invert_from lower upper patience refill length prefix) fuel tape = run (invert_from lower' upper' patience refill length prefix) fuel tape.
Proof.
  intros H fuel length prefix tape. unfold invert_from. cbn [run].
  assert (S : forall steps l u c, (l <= most)%nat -> scan lower upper steps l u c = scan lower' upper' steps l u c).
  { induction steps as [|steps IH]; intros l u c Hl; cbn [scan]; auto. destruct (H c l Hl) as [-> ->]. now rewrite IH. }
  generalize fuel at 2 4. intros steps. generalize O. revert length prefix tape.
  induction steps as [|steps IH]; intros length prefix tape cell Hl; cbn [iterate]; auto.
  assert (R : run (refine lower upper patience refill (length, prefix, cell)) fuel tape = run (refine lower' upper' patience refill (length, prefix, cell)) fuel tape).
  { unfold refine. rewrite S by lia. reflexivity. }
  rewrite R. destruct (run (refine lower' upper' patience refill (length, prefix, cell)) fuel tape) as [[[next|a] rest]|] eqn:E; auto.
  destruct (refine_continues _ _ _ _ _ _ _ _ _ E) as (more & -> & _ & _ & L). apply IH. lia.
Qed.

(** [unknown cell length]: there the bounds say nothing, nor at any greater length. Elsewhere they are equal.
    *)
Variable unknown : nat -> nat -> Prop.
Hypothesis unknown_later : forall cell length length', unknown cell length -> (length <= length')%nat -> unknown cell length'.
Hypothesis unknown_is_void : forall cell length, unknown cell length -> (lower cell length <= 0 /\ 2 ^ Z.of_nat length <= upper cell length)%Z.
Hypothesis equal_or_unknown : forall cell length, (lower cell length = lower' cell length /\ upper cell length = upper' cell length) \/ unknown cell length.

Lemma scan_unknown steps length prefix cell : (0 <= prefix < 2 ^ Z.of_nat length)%Z -> unknown cell length ->
  scan lower upper steps length prefix cell = (cell, false).
Proof.
  intros Hp H. destruct steps as [|steps]; cbn [scan]; auto. destruct (unknown_is_void _ _ H).
  destruct (Z.ltb_spec prefix (lower cell length)); [lia|]. destruct (Z.ltb_spec prefix (upper cell length)); [reflexivity|lia].
Qed.
Lemma scan_known steps length prefix : (0 <= prefix < 2 ^ Z.of_nat length)%Z -> forall cell,
  scan lower upper steps length prefix cell = scan lower' upper' steps length prefix cell
  \/ exists c, scan lower upper steps length prefix cell = (c, false) /\ unknown c length.
Proof.
  intros Hp. induction steps as [|steps IH]; intros cell; [now left|].
  destruct (equal_or_unknown cell length) as [[L U]|N]; [|right; exists cell; split; auto; now apply scan_unknown].
  cbn [scan]. rewrite L, U. destruct (prefix <? lower' cell length)%Z; [now left|]. destruct (prefix <? upper' cell length)%Z; [now left|]. apply IH.
Qed.
Lemma prefix_grows length prefix more : (0 <= prefix < 2 ^ Z.of_nat length)%Z -> (0 <= more < 2 ^ Z.of_nat refill)%Z ->
  (0 <= prefix * 2 ^ Z.of_nat refill + more < 2 ^ Z.of_nat (length + refill))%Z.
Proof. intros. rewrite Nat2Z.inj_add, Z.pow_add_r by lia. nia. Qed.
Lemma unknown_never_ends fuel : forall steps length prefix cell tape, (0 <= prefix < 2 ^ Z.of_nat length)%Z -> unknown cell length ->
  iterate (fun state => run (refine lower upper patience refill state) fuel) steps (length, prefix, cell) tape = None.
Proof.
  induction steps as [|steps IH]; intros length prefix cell tape Hp N; cbn [iterate]; auto.
  destruct (run (refine lower upper patience refill (length, prefix, cell)) fuel tape) as [[[next|a] rest]|] eqn:E; auto.
  - destruct (refine_continues _ _ _ _ _ _ _ _ _ E) as (more & -> & _ & B & _). rewrite scan_unknown by auto. cbn [fst].
    apply IH; [now apply prefix_grows|]. eapply unknown_later; [eauto|lia].
  - unfold refine in E. rewrite scan_unknown in E by auto. cbn [run] in E. destruct (run (bits refill) fuel tape) as [[? ?]|]; discriminate.
Qed.

(** A run that ends by bounds some of which are unknown ends so by those that they are part of, and in a cell
    of which something is known. *)
Theorem known_bounds_decide fuel length prefix tape cell rest : (0 <= prefix < 2 ^ Z.of_nat length)%Z ->
  run (invert_from lower upper patience refill length prefix) fuel tape = Some (cell, rest) ->
  run (invert_from lower' upper' patience refill length prefix) fuel tape = Some (cell, rest) /\ exists length, ~ unknown cell length.
Proof.
  unfold invert_from. cbn [run]. generalize fuel at 2 4. intros steps. generalize O. revert length prefix tape.
  induction steps as [|steps IH]; intros length prefix tape from Hp; cbn [iterate]; [discriminate|].
  destruct (scan_known (patience length) length prefix Hp from) as [S|(c & S & N)].
  - assert (R : run (refine lower upper patience refill (length, prefix, from)) fuel tape = run (refine lower' upper' patience refill (length, prefix, from)) fuel tape).
    { unfold refine. rewrite S. reflexivity. }
    rewrite <- R. destruct (run (refine lower upper patience refill (length, prefix, from)) fuel tape) as [[[next|a] t]|] eqn:E; [| |discriminate].
    + destruct (refine_continues _ _ _ _ _ _ _ _ _ E) as (more & -> & _ & B & _). intros H. apply IH in H; [exact H|now apply prefix_grows].
    + intros [= <- <-]. split; [reflexivity|]. exists length. intros N.
      unfold refine in E. destruct (scan lower upper (patience length) length prefix from) as [c found] eqn:F.
      destruct found; [|cbn [run] in E; destruct (run (bits refill) fuel tape) as [[? ?]|]; discriminate]. cbn [run] in E. injection E as -> <-.
      assert (Found : forall k from, scan lower upper k length prefix from = (a, true) -> (prefix < lower a length)%Z).
      { clear. induction k as [|k IH]; intros from; cbn [scan]; [discriminate|]. destruct (Z.ltb_spec prefix (lower from length)); [now intros [= <-]|].
        destruct (prefix <? upper from length)%Z; [discriminate|]. apply IH. }
      apply Found in F. destruct (unknown_is_void _ _ N). lia.
  - destruct (run (refine lower upper patience refill (length, prefix, from)) fuel tape) as [[[next|a] t]|] eqn:E; [| |discriminate].
    + destruct (refine_continues _ _ _ _ _ _ _ _ _ E) as (more & -> & _ & B & _). rewrite S. cbn [fst]. intros H. exfalso.
      rewrite unknown_never_ends in H; [discriminate|now apply prefix_grows|]. eapply unknown_later; [eauto|lia].
    + exfalso. unfold refine in E. rewrite S in E. cbn [run] in E. destruct (run (bits refill) fuel tape) as [[? ?]|]; discriminate.
Qed.

(** So for a table. *)
Theorem known_table_decides width fuel tape result :
  run (table lower upper patience width refill) fuel tape = Some result -> run (table lower' upper' patience width refill) fuel tape = Some result.
Proof.
  unfold table. cbn [run]. destruct (run (bits width) fuel tape) as [[u t]|] eqn:E; [|discriminate]. destruct (run_bits_reads _ _ _ _ _ E) as [_ B].
  destruct t as [|negative t]; [discriminate|].
  destruct (run (invert_from lower upper patience refill width u) fuel t) as [[cell rest]|] eqn:I; [|discriminate].
  destruct (known_bounds_decide _ _ _ _ _ _ B I) as [-> _]. auto.
Qed.
End Inversion.

(** ** The coin *)
Theorem equal_bounds_equal_coins lower upper lower' upper' refill most :
  (forall length, (length <= most)%nat -> lower length = lower' length /\ upper length = upper' length) ->
  forall fuel length prefix tape, (length + List.length tape <= most)%nat ->
  run (below lower upper refill length prefix) fuel tape = run (below lower' upper' refill length prefix) fuel tape.
Proof.
  intros H fuel length prefix tape L. unfold below. cbn [run].
  rewrite (equal_bounds_equal_runs (cell_lower lower) (cell_upper upper) (cell_lower lower') (cell_upper upper') _ _ most); auto.
  intros [|cell] l Hl; cbn [cell_lower cell_upper]; auto.
Qed.

(** ** The buckets *)
Section Buckets.
Variables bucket_lower bucket_upper bucket_lower' bucket_upper' : nat -> nat -> Z.
Variable patience : nat -> nat.
Variables accept_lower accept_upper accept_lower' accept_upper' : nat -> Z -> nat -> Z.
Variables prefix high squeeze low unused refill most : nat.
Variable unknown : nat -> nat -> Prop.
Hypothesis unknown_later : forall cell length length', unknown cell length -> (length <= length')%nat -> unknown cell length'.
Hypothesis unknown_is_void : forall cell length, unknown cell length -> (bucket_lower cell length <= 0 /\ 2 ^ Z.of_nat length <= bucket_upper cell length)%Z.
Hypothesis equal_or_unknown : forall cell length,
  (bucket_lower cell length = bucket_lower' cell length /\ bucket_upper cell length = bucket_upper' cell length) \/ unknown cell length.
(** The acceptance's bounds are equal up to a length, in the buckets of which something is known. *)
Hypothesis equal_acceptance : forall b o length, (exists l, ~ unknown b l) ->
  (0 <= o < 2 ^ Z.of_nat (high + low))%Z -> (length <= most)%nat ->
  accept_lower b o length = accept_lower' b o length /\ accept_upper b o length = accept_upper' b o length.

Lemma known_trial_decides fuel tape result : (List.length tape <= most)%nat ->
  run (bucket_trial bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill) fuel tape = Some result ->
  run (bucket_trial bucket_lower' bucket_upper' patience accept_lower' accept_upper' prefix high squeeze low unused refill) fuel tape = Some result.
Proof.
  intros Hl. unfold bucket_trial. cbn [run].
  destruct (run (bits prefix) fuel tape) as [[u t1]|] eqn:E1; [|discriminate]. destruct (run_bits_reads _ _ _ _ _ E1) as [L1 B1].
  destruct (run (bits squeeze) fuel t1) as [[v t2]|] eqn:E2; [|discriminate]. destruct (run_bits_reads _ _ _ _ _ E2) as [L2 B2].
  destruct (run (bits high) fuel t2) as [[o_high t3]|] eqn:E3; [|discriminate]. destruct (run_bits_reads _ _ _ _ _ E3) as [L3 B3].
  destruct (run (bits low) fuel t3) as [[o_low t4]|] eqn:E4; [|discriminate]. destruct (run_bits_reads _ _ _ _ _ E4) as [L4 B4].
  destruct t4 as [|negative t5]; [discriminate|]. cbn [List.length] in L4.
  destruct (run (bits unused) fuel t5) as [[x t6]|] eqn:E6; [|discriminate]. destruct (run_bits_reads _ _ _ _ _ E6) as [L6 _].
  destruct (run (invert_from bucket_lower bucket_upper patience refill prefix u) fuel t6) as [[b t7]|] eqn:E7; [|discriminate].
  destruct (known_bounds_decide bucket_lower bucket_upper bucket_lower' bucket_upper' patience refill unknown unknown_later unknown_is_void equal_or_unknown _ _ _ _ _ _ B1 E7) as [E7' K].
  rewrite E7'. apply run_rest_is_shorter in E7.
  rewrite (equal_bounds_equal_coins _ _ (accept_lower' b (place_of low o_high o_low)) (accept_upper' b (place_of low o_high o_low)) refill most); auto; [|lia].
  intros length Hlen. apply equal_acceptance; auto. unfold place_of. rewrite Nat2Z.inj_add, Z.pow_add_r by lia. nia.
Qed.

Theorem known_buckets_decide fuel tape result : (List.length tape <= most)%nat ->
  run (bucket_sampler bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill) fuel tape = Some result ->
  run (bucket_sampler bucket_lower' bucket_upper' patience accept_lower' accept_upper' prefix high squeeze low unused refill) fuel tape = Some result.
Proof.
  unfold bucket_sampler. cbn [run]. generalize fuel at 2 4. intros steps. generalize tt. revert tape.
  induction steps as [|steps IH]; intros tape state Hl; cbn [iterate]; [discriminate|].
  match goal with |- context [run (bucket_trial bucket_lower _ _ _ _ _ _ _ _ _ _) fuel tape] =>
    destruct (run (bucket_trial bucket_lower bucket_upper patience accept_lower accept_upper prefix high squeeze low unused refill) fuel tape) as [[flow rest]|] eqn:E end; [|discriminate].
  rewrite (known_trial_decides _ _ _ Hl E). destruct flow as [next|output]; auto. apply IH. apply run_rest_is_shorter in E. lia.
Qed.
End Buckets.
