(** zCDP: adaptive composition, vectors, post-processing, and what it says about (ε, δ). *)
Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Gaussian.
From Certus.privacy Require Import Definitions LaplaceMechanism GaussianMechanism.
Import ListNotations.
Open Scope R_scope.

Lemma Rpower_positive x y : 0 < Rpower x y.
Proof. apply exp_pos. Qed.
Lemma renyi_term_nonneg alpha x y : 0 <= renyi_term alpha x y.
Proof.
  unfold renyi_term. destruct (Req_EM_T x 0); [lra|]. apply Rmult_le_pos; left; apply Rpower_positive.
Qed.
Lemma renyi_term_product alpha x y x' y' : 0 <= x -> 0 <= y -> 0 <= x' -> 0 <= y' -> (y = 0 -> x = 0) -> (y' = 0 -> x' = 0) ->
  renyi_term alpha (x * x') (y * y') = renyi_term alpha x y * renyi_term alpha x' y'.
Proof.
  intros Hx Hy Hx' Hy' H H'. unfold renyi_term.
  destruct (Req_EM_T x 0) as [->|N]; [rewrite Rmult_0_l; destruct (Req_EM_T 0 0); lra|].
  destruct (Req_EM_T x' 0) as [->|N']; [rewrite Rmult_0_r; destruct (Req_EM_T 0 0); lra|].
  assert (y <> 0) by auto. assert (y' <> 0) by auto.
  destruct (Req_EM_T (x * x') 0) as [E|_]; [apply Rmult_integral in E; tauto|].
  rewrite <- !Rpower_mult_distr by lra. ring.
Qed.

Section Pairs.
Context {A B : Type} {DA : Decidable A} {DB : Decidable B}.

Lemma release_both_at (p : Program A) (f : A -> Program B) a b :
  at_output (release_both p f) (a, b) = at_output p a * at_output (f a) b.
Proof.
  unfold at_output, probability, release_both. rewrite expect_bind by auto.
  rewrite (expect_ext p _ (fun a' => expect (f a) (indicator (same b)) * indicator (same a) a')).
  - rewrite expect_scal by auto. ring.
  - intros a'. rewrite expect_bind by auto. unfold indicator at 3. destruct (same_spec a a') as [<-|N].
    + rewrite Rmult_1_r. apply expect_ext. intros b'. rewrite expect_return. unfold indicator. simpl. now rewrite same_refl.
    + rewrite Rmult_0_r. rewrite (expect_ext _ _ (fun _ => 0)); [apply expect_zero|].
      intros b'. rewrite expect_return. unfold indicator. simpl. destruct (same_spec a a'); [contradiction|reflexivity].
Qed.

(** Adaptive composition: ρ adds up. *)
Theorem composition_zcdp rho1 rho2 (p q : Program A) (f g : A -> Program B) :
  zcdp rho1 p q -> (forall a, zcdp rho2 (f a) (g a)) -> zcdp (rho1 + rho2) (release_both p f) (release_both q g).
Proof.
  intros [C1 H1] H2. split.
  - intros [a b] E. rewrite release_both_at in *. destruct (H2 a) as [C2 _]. apply Rmult_integral in E. destruct E as [E|E].
    + rewrite (C1 a E). ring.
    + rewrite (C2 b E). ring.
  - intros alpha Ha l Hl.
    set (la := nodup decide_equality (map fst l)). set (lb := nodup decide_equality (map snd l)).
    eapply Rle_trans.
    { apply list_sum_incl with (l2 := list_prod la lb); auto; [intros; apply renyi_term_nonneg|].
      intros [a b] Hin. apply in_prod; apply nodup_In, in_map_iff; now exists (a, b). }
    assert (K : forall la', NoDup la' -> list_sum (list_prod la' lb) (fun z => renyi_term alpha (at_output (release_both p f) z) (at_output (release_both q g) z))
      <= list_sum la' (fun a => renyi_term alpha (at_output p a) (at_output q a)) * exp ((alpha - 1) * (alpha * rho2))).
    { induction la' as [|a la' IH]; intros Hn; simpl; [lra|]. inversion Hn; subst. rewrite list_sum_app, list_sum_map.
      rewrite (list_sum_ext _ lb _ (fun b => renyi_term alpha (at_output p a) (at_output q a) * renyi_term alpha (at_output (f a) b) (at_output (g a) b))).
      - rewrite list_sum_scal. specialize (IH ltac:(auto)). destruct (H2 a) as [_ K2]. specialize (K2 alpha Ha lb (NoDup_nodup _ _)).
        apply Rmult_le_compat_l with (r := renyi_term alpha (at_output p a) (at_output q a)) in K2; [|apply renyi_term_nonneg]. lra.
      - intros b _. rewrite !release_both_at. destruct (H2 a) as [C2 _].
        apply renyi_term_product; auto; apply at_output_unit. }
    eapply Rle_trans; [apply K, NoDup_nodup|].
    replace ((alpha - 1) * (alpha * (rho1 + rho2))) with ((alpha - 1) * (alpha * rho1) + (alpha - 1) * (alpha * rho2)) by ring.
    rewrite exp_plus. apply Rmult_le_compat_r; [left; apply exp_pos|]. apply H1; auto. apply NoDup_nodup.
Qed.
End Pairs.

(** An injective function of the output changes nothing. *)
Lemma zcdp_injective A B (DA : Decidable A) (DB : Decidable B) rho (p q : Program A) (h : A -> B) (back : B -> option A) :
  (forall a b, back b = Some a <-> h a = b) -> zcdp rho p q -> zcdp rho (Bind p (fun a => Return (h a))) (Bind q (fun a => Return (h a))).
Proof.
  intros Inv [C H].
  assert (At : forall (m : Program A) b, at_output (Bind m (fun a => Return (h a))) b = match back b with Some a => at_output m a | None => 0 end).
  { intros m b. unfold at_output, probability. rewrite expect_bind by auto. destruct (back b) as [a|] eqn:E.
    - apply expect_ext. intros a'. rewrite expect_return. unfold indicator. destruct (same_spec b (h a')) as [Q|N], (same_spec a a') as [<-|M]; auto.
      + symmetry in Q. apply Inv in Q. rewrite E in Q. injection Q as ->. contradiction.
      + apply Inv in E. congruence.
    - rewrite (expect_ext m _ (fun _ => 0)); [apply expect_zero|]. intros a'. rewrite expect_return. unfold indicator.
      destruct (same_spec b (h a')) as [Q|N]; auto. symmetry in Q. apply Inv in Q. congruence. }
  split.
  - intros b. rewrite !At. destruct (back b); auto.
  - intros alpha Ha l Hl.
    assert (K : exists l', NoDup l' /\ (forall a, In a l' -> In (h a) l)
       /\ list_sum l (fun b => renyi_term alpha (at_output (Bind p (fun a => Return (h a))) b) (at_output (Bind q (fun a => Return (h a))) b))
          = list_sum l' (fun a => renyi_term alpha (at_output p a) (at_output q a))).
    { clear H. induction Hl as [|b l Hb Hl (l' & N & I & E)]; [exists []; repeat split; [constructor|intros a []]|].
      cbn [list_sum]. rewrite E, !At. destruct (back b) as [a|] eqn:Q.
      - exists (a :: l'). apply Inv in Q. repeat split; auto.
        + constructor; auto. intros X. apply I in X. rewrite Q in X. contradiction.
        + intros a' [<-|X]; [left; auto|right; auto].
      - exists l'. repeat split; auto. + intros a X. right. auto. + unfold renyi_term at 1. destruct (Req_EM_T 0 0); lra. }
    destruct K as (l' & N & _ & ->). now apply H.
Qed.

(** Independent noise on each coordinate of a vector. *)
Fixpoint add_noise_to_each (noise : Program Z) (answers : list Z) : Program (list Z) :=
  match answers with
  | [] => Return []
  | answer :: rest =>
      Bind (release_both (add_noise noise answer) (fun _ => add_noise_to_each noise rest)) (fun both => Return (fst both :: snd both))
  end.

(** The squared Euclidean distance of two vectors. *)
Fixpoint squared_distance (x y : list Z) : Z :=
  match x, y with a :: x, b :: y => ((a - b) * (a - b) + squared_distance x y)%Z | _, _ => 0%Z end.

Theorem gaussian_vector_zcdp n d squared_sensitivity answers answers' : (0 < n)%Z -> (0 < d)%Z -> length answers = length answers' ->
  (squared_distance answers answers' <= squared_sensitivity)%Z ->
  zcdp (IZR squared_sensitivity / (2 * (IZR n / IZR d)))
    (add_noise_to_each (gaussian n d) answers) (add_noise_to_each (gaussian n d) answers').
Proof.
  intros Hn Hd HL HS. assert (Rn : 0 < IZR n) by (apply (IZR_lt 0); auto). assert (Rd : 0 < IZR d) by (apply (IZR_lt 0); auto).
  assert (s2 : 0 < IZR n / IZR d) by now apply Rdiv_lt_0_compat. set (s := IZR n / IZR d) in *.
  apply zcdp_weaken with (IZR (squared_distance answers answers') / (2 * s)).
  { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|now apply IZR_le]. }
  clear HS. revert answers' HL. induction answers as [|x answers IH]; intros [|y answers'] HL; try discriminate.
  - cbn [add_noise_to_each squared_distance]. split; auto. intros alpha Ha l Hl.
    replace ((alpha - 1) * (alpha * (0 / (2 * s)))) with 0 by (unfold Rdiv; ring). rewrite exp_0.
    assert (K : forall b, renyi_term alpha (at_output (Return (@nil Z)) b) (at_output (Return (@nil Z)) b) = at_output (Return (@nil Z)) b).
    { intros b. unfold renyi_term, at_output, probability. rewrite expect_return. unfold indicator. destruct (same b []).
      - destruct (Req_EM_T 1 0); [lra|]. unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0. lra.
      - destruct (Req_EM_T 0 0); lra. }
    rewrite (list_sum_ext _ _ _ (fun b => at_output (Return (@nil Z)) b * 1)) by (intros b _; rewrite K; lra).
    eapply Rle_trans; [apply (list_below_expect (Return (@nil Z)) (fun _ => 1)); auto|]. rewrite expect_return. lra.
  - cbn [add_noise_to_each squared_distance]. injection HL as HL.
    apply (zcdp_injective _ _ _ _ _ _ _ (fun both : Z * list Z => fst both :: snd both) (fun l => match l with [] => None | a :: r => Some (a, r) end)).
    { intros [a r] [|b t]; simpl; split; congruence. }
    rewrite plus_IZR. replace ((IZR ((x - y) * (x - y)) + IZR (squared_distance answers answers')) / (2 * s))
      with (IZR (Z.abs (x - y)) ^ 2 / (2 * s) + IZR (squared_distance answers answers') / (2 * s)).
    2:{ rewrite abs_IZR, pow2_abs, mult_IZR. field. lra. }
    apply composition_zcdp; [apply gaussian_mechanism_zcdp; auto; lia|]. intros _. auto.
Qed.

(** From zCDP to (ε, δ): for each α > 1, δ = e^((α-1)(αρ - ε)) will do. *)
Theorem zcdp_implies_approximate_at A (D : Decidable A) rho epsilon alpha (p q : Program A) : 1 < alpha ->
  zcdp rho p q -> approximate_dp epsilon (exp ((alpha - 1) * (alpha * rho - epsilon))) p q.
Proof.
  intros Ha [C H] event. apply le_epsilon. intros slack Hs. unfold probability at 1.
  destruct (list_near_expect p (indicator event) slack ltac:(auto) Hs) as (l & Hl & K).
  specialize (H alpha Ha l Hl). assert (B := list_below_expect q (indicator event) l ltac:(auto) Hl).
  set (c := exp (- ((alpha - 1) * epsilon))). assert (c0 : 0 < c) by apply exp_pos. assert (E0 := exp_pos epsilon).
  assert (T : list_sum l (fun a => at_output p a * indicator event a)
    <= list_sum l (fun a => exp epsilon * (at_output q a * indicator event a) + c * renyi_term alpha (at_output p a) (at_output q a))).
  { apply list_sum_le. intros a _. generalize (at_output_unit p a) (at_output_unit q a) (C a) (renyi_term_nonneg alpha (at_output p a) (at_output q a)).
    set (x := at_output p a). set (y := at_output q a). intros Hx Hy Hc Hr. unfold indicator. destruct (event a); [|nra].
    rewrite !Rmult_1_r. destruct (Rle_or_lt x (exp epsilon * y)) as [L|L]; [nra|].
    (* Here x > e^ε·y, so that x <= x·(x/(e^ε·y))^(α-1). *)
    assert (x0 : 0 < x) by nra. assert (y0 : 0 < y) by (assert (y <> 0) by (intros E; generalize (Hc E); lra); lra).
    assert (x <= c * renyi_term alpha x y); [|nra]. unfold renyi_term. destruct (Req_EM_T x 0); [lra|].
    unfold c, Rpower. rewrite <- !exp_plus. rewrite <- (exp_ln x) at 1 by auto. apply exp_mono.
    assert (epsilon + ln y < ln x).
    { rewrite <- (ln_exp epsilon), <- ln_mult by auto. apply ln_increasing; auto. now apply Rmult_lt_0_compat. }
    nra. }
  rewrite list_sum_plus, !list_sum_scal in T. apply Rmult_le_compat_l with (r := exp epsilon) in B; [|lra].
  apply Rmult_le_compat_l with (r := c) in H; [|lra].
  assert (c * exp ((alpha - 1) * (alpha * rho)) = exp ((alpha - 1) * (alpha * rho - epsilon))).
  { unfold c. rewrite <- exp_plus. f_equal. ring. }
  unfold probability. lra.
Qed.

(** Bun and Steinke 2016, Proposition 1.3: ρ-zCDP gives ε = ρ + 2·√(ρ·ln(1/δ)) for every δ. Here for 0 < ρ and δ < 1, then for all. *)
Lemma zcdp_implies_approximate_inside A (D : Decidable A) rho delta (p q : Program A) : 0 < rho -> 0 < delta < 1 ->
  zcdp rho p q -> approximate_dp (rho + 2 * sqrt (rho * ln (1 / delta))) delta p q.
Proof.
  intros Hr Hd H. set (L := ln (1 / delta)).
  assert (L0 : 0 < L).
  { unfold L. rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|]. field_simplify; lra. }
  set (s := sqrt (rho * L)). assert (s0 : 0 < s) by (apply sqrt_lt_R0; nra).
  assert (ss : s * s = rho * L) by (apply sqrt_sqrt; nra).
  set (alpha := 1 + s / rho). assert (A1 : 1 < alpha) by (unfold alpha; generalize (Rdiv_lt_0_compat s rho s0 Hr); lra).
  replace delta with (exp ((alpha - 1) * (alpha * rho - (rho + 2 * s)))).
  - now apply (zcdp_implies_approximate_at A D rho).
  - replace ((alpha - 1) * (alpha * rho - (rho + 2 * s))) with (- (s * s / rho)) by (unfold alpha; field; lra).
    rewrite ss. replace (- (rho * L / rho)) with (- L) by (field; lra). unfold L. rewrite exp_Ropp, exp_ln.
    + field. lra.
    + apply Rdiv_lt_0_compat; lra.
Qed.
(** Where ρ is 0, every ε > 0 will do at α = 1 + ln(1/δ)/ε, and so 0 does; a δ of 1 or more is no less than any probability. *)
Theorem zcdp_implies_approximate A (D : Decidable A) rho delta (p q : Program A) : 0 <= rho -> 0 < delta ->
  zcdp rho p q -> approximate_dp (rho + 2 * sqrt (rho * ln (1 / delta))) delta p q.
Proof.
  intros Hr Hd H. destruct (Rlt_or_le delta 1) as [L|L].
  2:{ intros event. assert (P := expect_unit p (indicator_unit event)). assert (Q := expect_unit q (indicator_unit event)).
      assert (E := exp_pos (rho + 2 * sqrt (rho * ln (1 / delta)))). unfold probability. nra. }
  destruct Hr as [Hr|<-]; [apply (zcdp_implies_approximate_inside A D); auto|].
  rewrite Rmult_0_l, sqrt_0, Rmult_0_r, Rplus_0_l. intros event. apply le_epsilon. intros slack Hs.
  assert (L0 : 0 < ln (1 / delta)).
  { rewrite <- ln_1. apply ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|]. field_simplify; lra. }
  assert (e0 : 0 < ln (1 + slack)) by (rewrite <- ln_1; apply ln_increasing; lra).
  set (e := ln (1 + slack)) in *. set (alpha := 1 + ln (1 / delta) / e).
  assert (A1 : 1 < alpha) by (unfold alpha; generalize (Rdiv_lt_0_compat _ _ L0 e0); lra).
  assert (K := zcdp_implies_approximate_at A D 0 e alpha p q A1 H event).
  replace (exp ((alpha - 1) * (alpha * 0 - e))) with delta in K.
  - unfold e in K. rewrite exp_ln in K by lra. assert (Q := expect_unit q (indicator_unit event)). rewrite exp_0. unfold probability in *. nra.
  - replace ((alpha - 1) * (alpha * 0 - e)) with (- ln (1 / delta)) by (unfold alpha; field; lra).
    rewrite exp_Ropp, exp_ln; [field; lra|apply Rdiv_lt_0_compat; lra].
Qed.
