(** What any notion of privacy gives, and what follows from that alone: a proof by [Notion] holds of ε-DP and of ρ-zCDP at once. *)
Require Import Reals Lra Lia List ZArith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Laplace Gaussian.
From Certus.privacy Require Import Definitions Composition LaplaceMechanism GaussianMechanism Zcdp ZcdpPostProcessing LaplaceVector Queries.
Import ListNotations.
Open Scope R_scope.

(** A cost for a pair of samplers, that adds up, that processing does not raise, and that bounds what anybody can tell. *)
Record Notion := {
  holds : forall A, Decidable A -> R -> Program A -> Program A -> Prop;
  holds_constant : forall A D p, holds A D 0 p p;
  holds_weaker : forall A D c c' p q, c <= c' -> holds A D c p q -> holds A D c' p q;
  holds_of_both : forall A B (DA : Decidable A) (DB : Decidable B) c1 c2 p q f g, holds A DA c1 p q -> (forall a, holds B DB c2 (f a) (g a)) ->
    holds (A * B) _ (c1 + c2) (release_both p f) (release_both q g);
  holds_after : forall A B (DA : Decidable A) (DB : Decidable B) c p q (f : A -> Program B), holds A DA c p q -> holds B DB c (Bind p f) (Bind q f);
  holds_approximately : forall A D c delta p q, 0 < c -> 0 < delta < 1 -> holds A D c p q -> exists epsilon, approximate_dp epsilon delta p q }.

(** Noise for integer answers: at scale or variance n/d, the cost of answers at most Δ apart. *)
Record NoiseFor (N : Notion) := {
  noise_at : Z -> Z -> Program Z;
  cost_at : Z -> R -> R;
  noise_holds : forall n d sensitivity answer answer', (0 < n)%Z -> (0 < d)%Z -> (Z.abs (answer - answer') <= sensitivity)%Z ->
    holds N Z _ (cost_at sensitivity (IZR n / IZR d)) (add_noise (noise_at n d) answer) (add_noise (noise_at n d) answer') }.
Arguments noise_at {N}. Arguments cost_at {N}.

Definition pure_notion : Notion.
Proof.
  refine {| holds := fun A _ epsilon p q => pure_dp epsilon p q |}.
  - intros. apply constant_pure.
  - intros. now apply pure_dp_weaken with c.
  - intros. now apply composition_pure.
  - intros. now apply post_processing_pure.
  - intros A D c delta p q Hc Hd H. exists c. intros event. generalize (H event). lra.
Defined.
Definition zcdp_notion : Notion.
Proof.
  refine {| holds := fun A D rho p q => zcdp rho p q |}.
  - intros. apply zcdp_refl.
  - intros. now apply zcdp_weaken with c.
  - intros. now apply (composition_zcdp _ _).
  - intros. now apply (randomized_post_processing_zcdp _ _ _ _).
  - intros A D c delta p q Hc Hd H. eexists. apply (zcdp_implies_approximate A D c); eauto.
Defined.
Definition laplace_noise : NoiseFor pure_notion.
Proof. refine {| noise_at := laplace; cost_at := fun sensitivity s => IZR sensitivity / s |}. intros. now apply laplace_mechanism_private. Defined.
Definition gaussian_noise : NoiseFor zcdp_notion.
Proof. refine {| noise_at := gaussian; cost_at := fun sensitivity s => IZR sensitivity ^ 2 / (2 * s) |}. intros. now apply gaussian_mechanism_zcdp. Defined.

(** The two notions are what [Definitions] says that they are. *)
Theorem notions_are_the_definitions A (D : Decidable A) c p q :
  (holds pure_notion A D c p q <-> pure_dp c p q) /\ (holds zcdp_notion A D c p q <-> zcdp c p q).
Proof. split; reflexivity. Qed.

(** By any notion: a histogram whose bins are released one after the other, at the cost of a count for each. *)
Theorem histogram_by_any_notion (N : Notion) (noise : NoiseFor N) T (bin : T -> nat) bins n d x y : (0 < n)%Z -> (0 < d)%Z -> neighbours x y ->
  holds N (list Z) _ (INR bins * cost_at noise 1 (IZR n / IZR d)) (noisy_histogram (noise_at noise n d) bin bins x) (noisy_histogram (noise_at noise n d) bin bins y).
Proof.
  intros Hn Hd H. unfold noisy_histogram, histogram. set (c := cost_at noise 1 (IZR n / IZR d)).
  assert (K : forall bins from, holds N (list Z) _ (INR bins * c)
    (add_noise_to_each (noise_at noise n d) (map (bin_count bin x) (seq from bins))) (add_noise_to_each (noise_at noise n d) (map (bin_count bin y) (seq from bins)))); [|apply K].
  clear bins. induction bins as [|bins IH]; intros from.
  - simpl. rewrite Rmult_0_l. apply holds_constant.
  - cbn [seq map add_noise_to_each]. apply (holds_after N (Z * list Z) (list Z) _ _).
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, Rplus_comm. apply (holds_of_both N Z (list Z) _ _).
    + apply noise_holds; auto. now apply bin_count_sensitivity.
    + intros _. apply IH.
Qed.
