(** Many draws at once, as [fill] of the prepared samplers is to give: a list of so many outputs, independent
    and of one law. Whatever program has that product law will do, in whatever order it draws its bits: a
    vector with such a list added to it is as private as one with noise drawn for each coordinate. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Laplace Gaussian.
From Certus.privacy Require Import Definitions Composition LaplaceMechanism GaussianMechanism Zcdp LaplaceVector Queries Transfer.
Import ListNotations.
Open Scope R_scope.

(** So many draws, one after the other. *)
Fixpoint draws (count : nat) (noise : Program Z) : Program (list Z) :=
  match count with
  | O => Return []
  | S count => Bind (release_both noise (fun _ => draws count noise)) (fun both => Return (fst both :: snd both))
  end.

(** Π P(y_i), if there are so many. *)
Fixpoint product_law (count : nat) (noise : Program Z) (outputs : list Z) : R :=
  match count, outputs with
  | O, [] => 1
  | S count, y :: outputs => at_output noise y * product_law count noise outputs
  | _, _ => 0
  end.

(** A list of independent draws has the product law. *)
Theorem draws_are_independent count noise : forall outputs, at_output (draws count noise) outputs = product_law count noise outputs.
Proof.
  induction count as [|count IH]; intros outputs; cbn [draws].
  - unfold at_output, probability. rewrite expect_return. unfold indicator. now destruct outputs.
  - destruct outputs as [|y outputs]; cbn [product_law].
    + unfold at_output, probability. rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun _ => 0)); [apply expect_zero|]. intros both. now rewrite expect_return.
    + rewrite <- IH, <- (release_both_at noise (fun _ => draws count noise)). unfold at_output, probability. rewrite expect_bind by auto.
      apply expect_ext. intros [a l]. now rewrite expect_return.
Qed.
Theorem draws_total count noise : total noise = 1 -> total (draws count noise) = 1.
Proof.
  intros H. induction count as [|count IH]; cbn [draws]; rewrite total_expect; [apply expect_return|].
  rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun _ => 1)) by (intros both; apply expect_return). unfold release_both. rewrite expect_bind by auto.
  rewrite (expect_ext _ _ (fun _ => 1)); [exact H|]. intros a. rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun _ => 1)) by (intros b; apply expect_return). exact IH.
Qed.
(** Draws of noise of one law have one law. *)
Theorem draws_by_the_law count noise noise' : same_law noise noise' -> same_law (draws count noise) (draws count noise').
Proof.
  intros H. induction count as [|count IH]; cbn [draws]; [apply same_law_refl|]. apply law_of_what_follows; [|intros both; apply same_law_refl].
  apply release_both_law; auto.
Qed.

(** A list of noise, whatever draws it, added coordinate by coordinate. *)
Fixpoint add_each (answers noise : list Z) : list Z :=
  match answers, noise with a :: answers, y :: noise => (a + y)%Z :: add_each answers noise | _, _ => [] end.
Definition add_filled (filled : Program (list Z)) (answers : list Z) : Program (list Z) := Bind filled (fun noise => Return (add_each answers noise)).

Lemma both_score A B C (p : Program A) (q : Program B) (h : A -> B -> C) g : in_unit g ->
  expect (Bind (release_both p (fun _ => q)) (fun both => Return (h (fst both) (snd both)))) g = expect p (fun a => expect q (fun b => g (h a b))).
Proof.
  intros Hg. rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun both => g (h (fst both) (snd both)))) by (intros both; apply expect_return).
  assert (Hh : in_unit (fun both : A * B => g (h (fst both) (snd both)))) by (intros both; apply Hg).
  unfold release_both. rewrite expect_bind by exact Hh. apply expect_ext. intros a. rewrite expect_bind by exact Hh. apply expect_ext. intros b. apply expect_return.
Qed.
Lemma add_filled_score filled answers g : in_unit g -> expect (add_filled filled answers) g = expect filled (fun noise => g (add_each answers noise)).
Proof. intros Hg. unfold add_filled. rewrite expect_bind by auto. apply expect_ext. intros noise. apply expect_return. Qed.
Lemma add_draws_law noise answers : same_law (add_filled (draws (length answers) noise) answers) (add_noise_to_each noise answers).
Proof.
  induction answers as [|a answers IH]; intros g Hg; rewrite add_filled_score by auto; cbn [length draws add_noise_to_each].
  - now rewrite !expect_return.
  - rewrite (both_score Z (list Z) _ noise _ cons) by (intros l; apply Hg). rewrite (both_score Z (list Z) _ _ _ cons) by auto. cbn [add_each].
    unfold add_noise. rewrite expect_bind by (intros y; apply expect_unit; intros l; apply Hg). apply expect_ext. intros y. rewrite expect_return.
    rewrite <- IH by (intros l; apply Hg). rewrite add_filled_score by (intros l; apply Hg). reflexivity.
Qed.
(** With any program that has the product law, a noisy vector is that of a draw for each coordinate. *)
Theorem filled_is_noise_for_each noise filled answers : (forall outputs, at_output filled outputs = product_law (length answers) noise outputs) ->
  same_law (add_noise_to_each noise answers) (add_filled filled answers).
Proof.
  intros H. assert (L : same_law (draws (length answers) noise) filled).
  { apply (outputs_decide_the_law (list Z) _). intros outputs. now rewrite draws_are_independent, H. }
  intros g Hg. rewrite <- add_draws_law by auto. apply law_of_what_follows; auto. intros y. apply same_law_refl.
Qed.

(** ** The vector mechanisms *)
Theorem filled_laplace_vector_private n d sensitivity answers answers' noise filled : (0 < n)%Z -> (0 < d)%Z -> length answers = length answers' ->
  (distance answers answers' <= sensitivity)%Z -> laplace_law n d noise ->
  (forall outputs, at_output filled outputs = product_law (length answers) noise outputs) ->
  pure_dp (IZR sensitivity / (IZR n / IZR d)) (add_filled filled answers) (add_filled filled answers').
Proof.
  intros Hn Hd HL HS L F. eapply law_decides_pure; [apply filled_is_noise_for_each, F|apply filled_is_noise_for_each; rewrite <- HL; apply F|].
  now apply any_laplace_vector_private.
Qed.
Theorem filled_gaussian_vector_zcdp n d squared_sensitivity answers answers' noise filled : (0 < n)%Z -> (0 < d)%Z -> length answers = length answers' ->
  (squared_distance answers answers' <= squared_sensitivity)%Z -> gaussian_law n d noise ->
  (forall outputs, at_output filled outputs = product_law (length answers) noise outputs) ->
  zcdp (IZR squared_sensitivity / (2 * (IZR n / IZR d))) (add_filled filled answers) (add_filled filled answers').
Proof.
  intros Hn Hd HL HS L F. eapply law_decides_zcdp; [apply filled_is_noise_for_each, F|apply filled_is_noise_for_each; rewrite <- HL; apply F|].
  now apply any_gaussian_vector_zcdp.
Qed.
