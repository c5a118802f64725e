(** A trial of fixed work with a place in a bucket, [src/sample/fixed/shape.rs] and [digits.rs]: its order of
    draws, what its words say, and the exact path. Whatever table or tables the bucket comes from, the trial
    has the law of the bucket, a uniform place, a sign and an exact coin; negative zero is rejected.

    Where nothing is drawn for places (buckets of width 1), [places], [unused] and [width] are 0, and A = 1, E
    = 0. *)
Require Import Reals Lra Lia List Arith ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws.
From Certus.samplers Require Import Model FiniteSums Uniform.
From Certus.privacy Require Import Transfer.
From Certus.fast Require Import LazyInversion LazyCoin Buckets FixedWork TraceCost FixedTable FixedCoin.
Open Scope R_scope.

(** Scores that agree on what a program may give have one mean. *)
Definition ranges_over {A} (p : Program A) (range : A -> Prop) : Prop :=
  forall g h, in_unit g -> in_unit h -> (forall a, range a -> g a = h a) -> expect p g = expect p h.
Lemma bits_range k : ranges_over (bits k) (fun i => 0 <= i < 2 ^ Z.of_nat k)%Z.
Proof. intros g h Hg Hh H. now apply bits_ext. Qed.

Ltac in_unit_tac := unfold in_unit; intros; repeat (apply expect_unit; unfold in_unit; intros; cbv beta); auto; try apply indicator_unit.

(** ** The kernel's step has the law of its exact path *)
Lemma step_settles W T Y (draw : Program W) (trial : W -> Trial Y) (settle : W -> Program (T * option Y)) (exact : W -> Program (option Y)) (u : Flow unit Y -> R) :
  (forall w, same_law (Bind (settle w) (fun settled => Return (snd settled))) (exact w)) -> in_unit u ->
  expect (fixed_step draw trial settle) u
  = expect draw (fun w => if ambiguous (trial w) then expect (exact w) (fun found => u (flow_of found))
                          else u (if accepts (trial w) then Break (candidate (trial w)) else Continue tt)).
Proof.
  intros H Hu. rewrite fixed_step_score by auto. assert (Hs : in_unit (fun both : option T * Flow unit Y => u (snd both))) by (intros both; apply Hu).
  unfold shown_step. rewrite expect_bind by auto. apply expect_ext. intros w. destruct (ambiguous (trial w)); [|apply expect_return].
  rewrite expect_bind by auto. assert (Hf : in_unit (fun found : option Y => u (flow_of found))) by (intros found; apply Hu).
  rewrite <- H by auto. rewrite expect_bind by auto. apply expect_ext. intros s. now rewrite !expect_return.
Qed.

Section Place.
Context {A B T : Type}.
(** The tables' words: of the first, which the sign follows, and of the second, if there is one. *)
Variable first : Program A.
Variable second : Program B.
Variables (of_first : A -> Prop) (of_second : B -> Prop).
Hypothesis first_ranges : ranges_over first of_first.
Hypothesis second_ranges : ranges_over second of_second.
Variable scan_bucket : A -> B -> nat * bool.
Variable settle_bucket : A -> B -> Program nat.
Variables places unused width step : nat.
(** A and E of the acceptance, and the enclosures of the exact path. *)
Variable approximation : nat -> Z -> Z.
Variable error : Z.
Variables accept_lower accept_upper : nat -> Z -> nat -> Z.

Definition magnitude (bucket : nat) (o : Z) : Z := (Z.of_nat bucket * 2 ^ Z.of_nat places + o)%Z.
(** [signed_integer]: nothing for a negative zero. *)
Definition signed_integer (k : Z) (negative : bool) : option Z :=
  if negative then if (k =? 0)%Z then None else Some (- k)%Z else Some k.

(** [kernel::draw]. *)
Definition draw_words : Program (A * bool * B * Z * Z) :=
  Bind first (fun a => Bind Bit (fun negative => Bind second (fun b =>
  Bind (bits places) (fun o => Bind (bits unused) (fun _ => Bind (bits width) (fun v => Return (a, negative, b, o, v))))))).

(** [Shape::trial]. *)
Definition place_trial (words : A * bool * B * Z * Z) : Trial Z :=
  let '(a, negative, b, o, v) := words in
  let bucket := scan_bucket a b in
  let decided := decide width (start_of (approximation (fst bucket) o) error) (2 * error) v in
  let k := magnitude (fst bucket) o in
  found (if negative then (- k)%Z else k) (fst decided && (negb (k =? 0)%Z || negb negative)) (snd bucket || snd decided).

(** [Shape::settle]. *)
Definition place_settle (words : A * bool * B * Z * Z) : Program (option Z) :=
  let '(a, negative, b, o, v) := words in
  Bind (settle_bucket a b) (fun bucket =>
  Bind (below (accept_lower bucket o) (accept_upper bucket o) step width v) (fun accept =>
  Return (if accept then signed_integer (magnitude bucket o) negative else None))).

(** The exact path, which may show anything of its work. *)
Variable settle : A * bool * B * Z * Z -> Program (T * option Z).
Hypothesis settle_is : forall words, same_law (Bind (settle words) (fun settled => Return (snd settled))) (place_settle words).

(** The acceptance's probability, which the exact path encloses, and A is near to in the buckets that a scan
    settles on. *)
Variable acceptance : nat -> Z -> R.
Hypothesis step_positive : (0 < step)%nat.
Hypothesis error_nonneg : (0 <= error)%Z.
Hypothesis scan_settles : forall a b g, of_first a -> of_second b -> in_unit g -> snd (scan_bucket a b) = false ->
  expect (settle_bucket a b) g = g (fst (scan_bucket a b)).
Hypothesis acceptance_unit : forall bucket o, (0 <= o < 2 ^ Z.of_nat places)%Z -> 0 <= acceptance bucket o <= 1.
Hypothesis accept_encloses : forall bucket o length, (0 <= o < 2 ^ Z.of_nat places)%Z ->
  IZR (accept_lower bucket o length) <= acceptance bucket o * 2 ^ length <= IZR (accept_upper bucket o length).
Hypothesis accept_tightens : forall bucket o, (0 <= o < 2 ^ Z.of_nat places)%Z ->
  exists units, forall length, IZR (accept_upper bucket o length) - IZR (accept_lower bucket o length) <= units.
Hypothesis approximation_is_near : forall a b o, of_first a -> of_second b -> snd (scan_bucket a b) = false -> (0 <= o < 2 ^ Z.of_nat places)%Z ->
  let bucket := fst (scan_bucket a b) in
  IZR (approximation bucket o - error) <= acceptance bucket o * 2 ^ width <= IZR (approximation bucket o + error).

(** What a bucket scores: a uniform place, a sign, and the coin. *)
Definition verdict (bucket : nat) (o : Z) (negative accept : bool) : Flow unit Z :=
  flow_of (if accept then signed_integer (magnitude bucket o) negative else None).
Definition bucket_score (u : Flow unit Z -> R) (bucket : nat) : R :=
  expect (bits places) (fun o => expect Bit (fun negative => expect (bits width) (fun v =>
    expect (below (accept_lower bucket o) (accept_upper bucket o) step width v) (fun accept => u (verdict bucket o negative accept))))).
Definition bucket_program : Program nat := Bind first (fun a => Bind second (fun b => settle_bucket a b)).
Let fixed := fixed_step draw_words place_trial settle.

(** The bucket may be drawn first. *)
Lemma pull_bucket (q : Program nat) (F : nat -> Z -> bool -> Z -> R) : (forall c o n v, 0 <= F c o n v <= 1) ->
  expect Bit (fun n => expect (bits places) (fun o => expect (bits unused) (fun _ => expect (bits width) (fun v => expect q (fun c => F c o n v)))))
  = expect q (fun c => expect (bits places) (fun o => expect Bit (fun n => expect (bits width) (fun v => F c o n v)))).
Proof.
  intros H. rewrite expect_swap by in_unit_tac.
  transitivity (expect (bits places) (fun o => expect q (fun c => expect Bit (fun n => expect (bits width) (fun v => F c o n v)))));
    [|apply expect_swap; in_unit_tac].
  apply expect_ext. intros o.
  transitivity (expect Bit (fun n => expect q (fun c => expect (bits width) (fun v => F c o n v)))); [|apply expect_swap; in_unit_tac].
  apply expect_ext. intros n. rewrite bits_const by in_unit_tac. apply expect_swap. in_unit_tac.
Qed.

Theorem place_step_score u : in_unit u -> expect fixed u = expect bucket_program (bucket_score u).
Proof.
  intros Hu. unfold fixed. rewrite (step_settles _ _ _ _ _ _ place_settle) by auto.
  set (decided := fun w => if ambiguous (place_trial w) then _ else _).
  set (settled := fun a negative b o v => expect (settle_bucket a b) (fun bucket =>
    expect (below (accept_lower bucket o) (accept_upper bucket o) step width v) (fun accept => u (verdict bucket o negative accept)))).
  assert (Hs : forall a n b o v, 0 <= settled a n b o v <= 1) by (intros; unfold settled; in_unit_tac).
  assert (Hd : in_unit decided) by (intros w; unfold decided; destruct (ambiguous _); auto; in_unit_tac).
  assert (Same : forall a n b o v, of_first a -> of_second b -> (0 <= o < 2 ^ Z.of_nat places)%Z -> (0 <= v < 2 ^ Z.of_nat width)%Z ->
    decided (a, n, b, o, v) = settled a n b o v).
  { intros a n b o v Ha Hb Ho Hv. unfold decided. destruct (ambiguous (place_trial (a, n, b, o, v))) eqn:E.
    - assert (Hf : in_unit (fun found : option Z => u (flow_of found))) by (intros found; apply Hu).
      cbn [place_settle]. rewrite expect_bind by auto. apply expect_ext. intros bucket. rewrite expect_bind by auto. apply expect_ext. intros accept. apply expect_return.
    - unfold place_trial in E |- *. cbn [ambiguous accepts candidate] in E |- *. apply orb_false_elim in E. destruct E as [E1 E2].
      unfold settled. rewrite scan_settles by (auto; in_unit_tac). set (bucket := fst (scan_bucket a b)) in *.
      assert (N := approximation_is_near a b o Ha Hb E1 Ho). fold bucket in N.
      rewrite (decide_is_below _ _ step (acceptance bucket o) (acceptance_unit bucket o Ho) step_positive
        (fun length => accept_encloses bucket o length Ho) (accept_tightens bucket o Ho) width (approximation bucket o) error v) by (auto; in_unit_tac).
      unfold verdict, signed_integer. destruct (fst (decide width _ _ v)); cbn [andb]; auto.
      destruct n; cbn [negb orb flow_of]; destruct (magnitude bucket o =? 0)%Z; auto. }
  unfold draw_words. rewrite expect_bind by auto.
  transitivity (expect first (fun a => expect Bit (fun n => expect second (fun b => expect (bits places) (fun o => expect (bits unused) (fun _ =>
    expect (bits width) (fun v => settled a n b o v))))))).
  { apply first_ranges; [in_unit_tac|in_unit_tac|]. intros a Ha. rewrite expect_bind by auto. apply expect_ext. intros n. rewrite expect_bind by auto.
    apply second_ranges; [in_unit_tac|in_unit_tac|]. intros b Hb. rewrite expect_bind by auto.
    apply bits_range; [in_unit_tac|in_unit_tac|]. intros o Ho. rewrite expect_bind by auto. apply expect_ext. intros w. rewrite expect_bind by auto.
    apply bits_range; [in_unit_tac|in_unit_tac|]. intros v Hv. rewrite expect_return. auto. }
  assert (Hb : in_unit (bucket_score u)) by (intros c; unfold bucket_score; in_unit_tac).
  unfold bucket_program. rewrite expect_bind by auto. apply expect_ext. intros a. rewrite expect_swap by in_unit_tac. rewrite expect_bind by auto.
  apply expect_ext. intros b. unfold settled.
  rewrite (pull_bucket (settle_bucket a b) (fun c o n v => expect (below (accept_lower c o) (accept_upper c o) step width v) (fun accept => u (verdict c o n accept)))) by in_unit_tac.
  reflexivity.
Qed.

(** ** As many as [Shape::beta] says are ambiguous *)
Theorem place_ambiguity unsettled : (forall bucket o, (approximation bucket o - error <= 2 ^ Z.of_nat width)%Z) ->
  expect first (fun a => expect second (fun b => if snd (scan_bucket a b) then 1 else 0)) <= unsettled ->
  ambiguity draw_words place_trial <= unsettled + IZR (2 * error) / 2 ^ width.
Proof.
  intros HA HU. set (d := IZR (2 * error) / 2 ^ width).
  assert (D0 : 0 <= d) by (apply Rmult_le_pos; [apply (IZR_le 0); lia|left; apply Rinv_0_lt_compat, pow_lt; lra]).
  assert (Hi : forall a b, 0 <= (if snd (scan_bucket a b) then 1 else 0) <= 1) by (intros; destruct (snd _); lra).
  unfold ambiguity, probability, draw_words. rewrite expect_bind by auto.
  apply Rle_trans with (1 * expect first (fun a => expect second (fun b => if snd (scan_bucket a b) then 1 else 0)) + d); [|lra].
  apply expect_affine; [in_unit_tac|in_unit_tac|lra|auto|]. intros a. rewrite expect_bind by auto. rewrite expect_bit, !expect_bind by auto.
  assert (K : forall n, expect second (fun b => expect (Bind (bits places) (fun o => Bind (bits unused) (fun _ => Bind (bits width) (fun v => Return (a, n, b, o, v)))))
      (indicator (fun words => ambiguous (place_trial words)))) <= 1 * expect second (fun b => if snd (scan_bucket a b) then 1 else 0) + d).
  { intros n. apply expect_affine; [in_unit_tac|in_unit_tac|lra|auto|]. intros b. rewrite expect_bind by auto.
    set (x := if snd (scan_bucket a b) then 1 else 0). assert (X : 0 <= x <= 1) by apply Hi.
    rewrite <- (bits_const places x X). apply expect_affine; [in_unit_tac|intros _; auto|lra|auto|]. intros o. rewrite expect_bind by auto.
    rewrite <- (bits_const unused x X). apply expect_affine; [in_unit_tac|intros _; auto|lra|auto|]. intros w. rewrite expect_bind by auto.
    set (start := start_of (approximation (fst (scan_bucket a b)) o) error).
    assert (Y := decide_ambiguity width start (2 * error)). fold d in Y. unfold probability in Y.
    eapply Rle_trans; [|apply Rplus_le_compat_l, Y].
    - apply Rle_trans with (expect (bits width) (fun _ => x) + expect (bits width) (indicator (fun v => snd (decide width start (2 * error) v)))
        + 0 * expect (bits width) (fun _ => 0)); [|rewrite bits_const by auto; lra].
      apply expect_bounded; [in_unit_tac|in_unit_tac|auto|auto|lra|]. intros v. rewrite expect_return. unfold indicator. cbn [place_trial ambiguous]. fold start. unfold x.
      destruct (snd (scan_bucket a b)), (snd (decide width start (2 * error) v)); simpl; lra.
    - unfold start, start_of. assert (0 < 2 ^ Z.of_nat width)%Z by (apply Z.pow_pos_nonneg; lia). specialize (HA (fst (scan_bucket a b)) o). lia.
    - lia. }
  generalize (K true) (K false). lra.
Qed.
End Place.
