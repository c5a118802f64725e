(** Privacy is a property of laws. Two programs with the same probability of every output give every score the
    same mean, so that whatever is private with the one is with the other, at the same cost. The mechanisms'
    theorems, which are about the reference samplers, so hold of any noise that has their law: prepared tables
    and buckets, or whatever draws it. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Laplace Gaussian.
From Certus.privacy Require Import Definitions Composition LaplaceMechanism GaussianMechanism Zcdp LaplaceVector SparseVector Queries.
Import ListNotations.
Open Scope R_scope.

(** The same mean of every score, and so the same probability of every event. *)
Definition same_law {A} (p q : Program A) : Prop := forall g, in_unit g -> expect p g = expect q g.

Lemma same_law_refl A (p : Program A) : same_law p p.
Proof. intros g _. reflexivity. Qed.
Lemma same_law_sym A (p q : Program A) : same_law p q -> same_law q p.
Proof. intros H g Hg. symmetry. now apply H. Qed.
Lemma same_law_probability A (p q : Program A) event : same_law p q -> probability p event = probability q event.
Proof. intros H. apply H. auto. Qed.

(** The probabilities of the outputs decide. *)
Theorem outputs_decide_the_law A (D : Decidable A) (p q : Program A) : (forall a, at_output p a = at_output q a) -> same_law p q.
Proof.
  intros H g Hg. apply Rle_antisym.
  - rewrite <- (Rmult_1_l (expect q g)). apply (expect_le_by_outputs p q); auto; [lra|]. intros a. rewrite H. lra.
  - rewrite <- (Rmult_1_l (expect p g)). apply (expect_le_by_outputs q p); auto; [lra|]. intros a. rewrite H. lra.
Qed.
(** What the law decides: every event, that there is an output, and what follows. *)
Theorem law_decides_events A (p q : Program A) : same_law p q -> (forall event, probability p event = probability q event) /\ total p = total q.
Proof. intros H. split; [intros event|]; now apply same_law_probability. Qed.
Theorem law_of_what_follows A B (p q : Program A) (f g : A -> Program B) : same_law p q -> (forall a, same_law (f a) (g a)) -> same_law (Bind p f) (Bind q g).
Proof.
  intros H K h Hh. rewrite !expect_bind by auto. rewrite (H (fun a => expect (f a) h)) by (intros a; now apply expect_unit).
  apply expect_ext. intros a. now apply K.
Qed.

(** ** Equal laws, equal guarantees *)
Theorem law_decides_pure A epsilon (p q p' q' : Program A) : same_law p p' -> same_law q q' -> pure_dp epsilon p q -> pure_dp epsilon p' q'.
Proof. intros HP HQ H event. rewrite <- (same_law_probability _ p p'), <- (same_law_probability _ q q') by auto. apply H. Qed.
Theorem law_decides_approximate A epsilon delta (p q p' q' : Program A) : same_law p p' -> same_law q q' ->
  approximate_dp epsilon delta p q -> approximate_dp epsilon delta p' q'.
Proof. intros HP HQ H event. rewrite <- (same_law_probability _ p p'), <- (same_law_probability _ q q') by auto. apply H. Qed.
Theorem law_decides_zcdp A (D : Decidable A) rho (p q p' q' : Program A) : same_law p p' -> same_law q q' -> zcdp rho p q -> zcdp rho p' q'.
Proof.
  intros HP HQ [H1 H2]. assert (P : forall a, at_output p' a = at_output p a) by (intros a; symmetry; now apply same_law_probability).
  assert (Q : forall a, at_output q' a = at_output q a) by (intros a; symmetry; now apply same_law_probability). split.
  - intros a. rewrite P, Q. apply H1.
  - intros alpha Ha outputs Hl. rewrite (list_sum_ext _ _ _ (fun a => renyi_term alpha (at_output p a) (at_output q a))); [now apply H2|].
    intros a _. now rewrite P, Q.
Qed.

(** ** Mechanisms with other noise of the same law *)
Lemma return_law A (a : A) : same_law (Return a) (Return a). Proof. apply same_law_refl. Qed.
Lemma release_both_law A B (p q : Program A) (f g : A -> Program B) : same_law p q -> (forall a, same_law (f a) (g a)) -> same_law (release_both p f) (release_both q g).
Proof. intros H K. apply law_of_what_follows; auto. intros a. apply law_of_what_follows; auto. intros b. apply return_law. Qed.
Theorem add_noise_by_the_law noise noise' answer : same_law noise noise' -> same_law (add_noise noise answer) (add_noise noise' answer).
Proof. intros H. apply law_of_what_follows; auto. intros y. apply return_law. Qed.
Theorem add_noise_to_each_by_the_law noise noise' answers : same_law noise noise' -> same_law (add_noise_to_each noise answers) (add_noise_to_each noise' answers).
Proof.
  intros H. induction answers as [|a answers IH]; cbn [add_noise_to_each]; [apply return_law|].
  apply law_of_what_follows; [|intros both; apply return_law]. apply release_both_law; [now apply add_noise_by_the_law|auto].
Qed.
Theorem noisy_mean_by_the_law T B (value : T -> Z) lower upper noise noise' count_noise count_noise' (quotient : Z -> Z -> B) x :
  same_law noise noise' -> same_law count_noise count_noise' ->
  same_law (noisy_mean value lower upper noise count_noise quotient x) (noisy_mean value lower upper noise' count_noise' quotient x).
Proof.
  intros H K. apply law_of_what_follows; [|intros both; apply return_law]. apply release_both_law; [now apply add_noise_by_the_law|]. intros _. now apply add_noise_by_the_law.
Qed.

(** Noise that has the law of the reference sampler. *)
Definition laplace_law (n d : Z) (noise : Program Z) : Prop := same_law (laplace n d) noise.
Definition gaussian_law (n d : Z) (noise : Program Z) : Prop := same_law (gaussian n d) noise.

Theorem any_laplace_private n d sensitivity answer answer' noise noise' : (0 < n)%Z -> (0 < d)%Z -> (Z.abs (answer - answer') <= sensitivity)%Z ->
  laplace_law n d noise -> laplace_law n d noise' -> pure_dp (IZR sensitivity / (IZR n / IZR d)) (add_noise noise answer) (add_noise noise' answer').
Proof.
  intros Hn Hd HS L L'. eapply law_decides_pure; [apply add_noise_by_the_law, L|apply add_noise_by_the_law, L'|]. now apply laplace_mechanism_private.
Qed.
Theorem any_laplace_vector_private n d sensitivity answers answers' noise : (0 < n)%Z -> (0 < d)%Z -> length answers = length answers' ->
  (distance answers answers' <= sensitivity)%Z -> laplace_law n d noise ->
  pure_dp (IZR sensitivity / (IZR n / IZR d)) (add_noise_to_each noise answers) (add_noise_to_each noise answers').
Proof.
  intros Hn Hd HL HS L. eapply law_decides_pure; [apply add_noise_to_each_by_the_law, L|apply add_noise_to_each_by_the_law, L|]. now apply laplace_vector_private.
Qed.
Theorem any_gaussian_zcdp n d sensitivity answer answer' noise noise' : (0 < n)%Z -> (0 < d)%Z -> (Z.abs (answer - answer') <= sensitivity)%Z ->
  gaussian_law n d noise -> gaussian_law n d noise' ->
  zcdp (IZR sensitivity ^ 2 / (2 * (IZR n / IZR d))) (add_noise noise answer) (add_noise noise' answer').
Proof.
  intros Hn Hd HS L L'. eapply law_decides_zcdp; [apply add_noise_by_the_law, L|apply add_noise_by_the_law, L'|]. now apply gaussian_mechanism_zcdp.
Qed.
Theorem any_gaussian_vector_zcdp n d squared_sensitivity answers answers' noise : (0 < n)%Z -> (0 < d)%Z -> length answers = length answers' ->
  (squared_distance answers answers' <= squared_sensitivity)%Z -> gaussian_law n d noise ->
  zcdp (IZR squared_sensitivity / (2 * (IZR n / IZR d))) (add_noise_to_each noise answers) (add_noise_to_each noise answers').
Proof.
  intros Hn Hd HL HS L. eapply law_decides_zcdp; [apply add_noise_to_each_by_the_law, L|apply add_noise_to_each_by_the_law, L|]. now apply gaussian_vector_zcdp.
Qed.
(** A histogram, of any binning; and the mean. *)
Theorem any_histogram_private T (bin : T -> nat) bins n d noise : (0 < n)%Z -> (0 < d)%Z -> laplace_law n d noise ->
  private_mechanism (1 / (IZR n / IZR d)) (noisy_histogram noise bin bins).
Proof.
  intros Hn Hd L x y N. eapply law_decides_pure; [apply add_noise_to_each_by_the_law, L|apply add_noise_to_each_by_the_law, L|].
  exact (histogram_private bin bins n d Hn Hd x y N).
Qed.
Theorem any_histogram_zcdp T (bin : T -> nat) bins n d noise : (0 < n)%Z -> (0 < d)%Z -> gaussian_law n d noise ->
  zcdp_mechanism (1 / (2 * (IZR n / IZR d))) (noisy_histogram noise bin bins).
Proof.
  intros Hn Hd L x y N. eapply law_decides_zcdp; [apply add_noise_to_each_by_the_law, L|apply add_noise_to_each_by_the_law, L|].
  exact (histogram_zcdp bin bins n d Hn Hd x y N).
Qed.
Theorem any_mean_private T B (value : T -> Z) lower upper n d n' d' (quotient : Z -> Z -> B) noise count_noise :
  (0 < n)%Z -> (0 < d)%Z -> (0 < n')%Z -> (0 < d')%Z -> (lower <= upper)%Z -> laplace_law n d noise -> laplace_law n' d' count_noise ->
  private_mechanism (IZR (upper - lower) / (IZR n / IZR d) + 1 / (IZR n' / IZR d')) (noisy_mean value lower upper noise count_noise quotient).
Proof.
  intros Hn Hd Hn' Hd' HB L L' x y N. eapply law_decides_pure; [apply noisy_mean_by_the_law; eassumption|apply noisy_mean_by_the_law; eassumption|].
  exact (noisy_mean_private B value lower upper n d n' d' quotient Hn Hd Hn' Hd' HB x y N).
Qed.
Theorem any_mean_zcdp T B (D : Decidable B) (value : T -> Z) lower upper n d n' d' (quotient : Z -> Z -> B) noise count_noise :
  (0 < n)%Z -> (0 < d)%Z -> (0 < n')%Z -> (0 < d')%Z -> (lower <= upper)%Z -> gaussian_law n d noise -> gaussian_law n' d' count_noise ->
  zcdp_mechanism (IZR (upper - lower) ^ 2 / (2 * (IZR n / IZR d)) + 1 ^ 2 / (2 * (IZR n' / IZR d'))) (noisy_mean value lower upper noise count_noise quotient).
Proof.
  intros Hn Hd Hn' Hd' HB L L' x y N. eapply law_decides_zcdp; [apply noisy_mean_by_the_law; eassumption|apply noisy_mean_by_the_law; eassumption|].
  exact (noisy_mean_zcdp B D value lower upper n d n' d' quotient Hn Hd Hn' Hd' HB x y N).
Qed.
(** What the sparse vector asks of its noise. *)
Theorem any_laplace_raising_costs n d noise : (0 < n)%Z -> (0 < d)%Z -> laplace_law n d noise -> raising_costs (IZR n / IZR d) noise.
Proof.
  intros Hn Hd L m Hm. eapply law_decides_pure; [apply add_noise_by_the_law, L|exact L|]. now apply laplace_raising_costs.
Qed.
