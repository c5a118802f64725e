(** Above threshold, and the sparse vector technique, [src/mechanism/selection/sparse_vector.rs]: for each of a number of queries whether it passes a noisy
    threshold, up to the c-th that does (Lyu, Su and Li 2017, Algorithm 1: the threshold's noise is drawn once). However many queries do not pass, and
    however each is chosen by the answers before it, only the threshold and the passes cost. *)
Require Import Reals Lra Lia List ZArith Bool.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.samplers Require Import Model Geometric Laplace.
From Certus.privacy Require Import Definitions Composition LaplaceMechanism LaplaceVector.
Import ListNotations.
Open Scope R_scope.

(** The answers from here on, to at most [queries] more queries, of which at most [passes] more may pass. The next query may depend on the answers so far. *)
Fixpoint sparse_answers (noise : Program Z) (threshold : Z) (query : list bool -> Z) (queries passes : nat) (answers : list bool) : Program (list bool) :=
  match queries, passes with
  | S queries, S passes' =>
      Bind noise (fun v =>
      let pass := (threshold <=? query answers + v)%Z in
      Bind (sparse_answers noise threshold query queries (if pass then passes' else passes) (answers ++ [pass])) (fun rest =>
      Return (pass :: rest)))
  | _, _ => Return []
  end.
Definition sparse_vector (threshold_noise query_noise : Program Z) (threshold : Z) (query : list bool -> Z) (queries passes : nat) : Program (list bool) :=
  Bind threshold_noise (fun z => sparse_answers query_noise (threshold + z)%Z query queries passes []).
Definition above_threshold (threshold_noise query_noise : Program Z) (threshold : Z) (query : list bool -> Z) (queries : nat) : Program (list bool) :=
  sparse_vector threshold_noise query_noise threshold query queries 1.

(** Noise of scale s: raising it by m >= 0 costs e^(m/s). One-sided noise will do. *)
Definition raising_costs (scale : R) (noise : Program Z) : Prop :=
  forall m, (0 <= m)%Z -> pure_dp (IZR m / scale) (add_noise noise m) noise.

Lemma add_noise_score noise m g : in_unit g -> expect (add_noise noise m) g = expect noise (fun y => g (m + y)%Z).
Proof. intros Hg. unfold add_noise. rewrite expect_bind by auto. apply expect_ext. intros y. now rewrite expect_return. Qed.

Theorem laplace_raising_costs n d : (0 < n)%Z -> (0 < d)%Z -> raising_costs (IZR n / IZR d) (laplace n d).
Proof.
  intros Hn Hd m Hm event.
  assert (K := laplace_mechanism_private n d m m 0 Hn Hd ltac:(lia) event).
  assert (E : probability (add_noise (laplace n d) 0) event = probability (laplace n d) event).
  { unfold probability. rewrite add_noise_score by auto. apply expect_ext. intros y. reflexivity. }
  now rewrite E in K.
Qed.
Theorem geometric_raising_costs n d : (0 < n)%Z -> (0 < d)%Z -> raising_costs (IZR n / IZR d) (geometric n d).
Proof.
  intros Hn Hd m Hm event. apply expect_le_by_outputs; auto; [left; apply exp_pos|]. intros y. rewrite add_noise_at.
  assert (He := ratio_bounds n d Hn Hd).
  assert (s0 : 0 < IZR n / IZR d) by (apply Rdiv_lt_0_compat; apply (IZR_lt 0); auto).
  unfold at_output. simpl same. destruct (Z.leb_spec 0 (y - m)) as [H|H].
  - rewrite !geometric_probability by (auto; lia). rewrite (Rmult_comm (exp _)), Rmult_assoc, <- exp_plus. right. f_equal. f_equal.
    rewrite minus_IZR. field. split; apply Rgt_not_eq; apply (IZR_lt 0); auto.
  - replace (probability (geometric n d) (Z.eqb (y - m))) with 0.
    + apply Rmult_le_pos; [left; apply exp_pos|]. apply expect_unit; auto.
    + symmetry. assert (L := expect_geometric n d Hn Hd (indicator (Z.eqb (y - m))) ltac:(auto)).
      apply is_lim_seq_unique in L. rewrite (Lim_seq_ext _ (fun _ => 0)) in L.
      * rewrite Lim_seq_const in L. now injection L.
      * intros N. rewrite (FiniteSums.sum_below_ext _ _ (fun _ => 0)); [rewrite FiniteSums.sum_below_const; lra|].
        intros j _. unfold indicator. destruct (Z.eqb_spec (y - m) (Z.of_nat j)); [lia|lra].
Qed.

(** An answer and what follows it. *)
Lemma answer_then A (noise : Program A) (pass : A -> bool) (rest : bool -> Program (list bool)) answer answers :
  at_output (Bind noise (fun v => Bind (rest (pass v)) (fun more => Return (pass v :: more)))) (answer :: answers)
  = at_output (rest answer) answers * probability noise (fun v => Bool.eqb answer (pass v)).
Proof.
  unfold at_output at 1, probability. rewrite expect_bind by auto. rewrite <- expect_scal by auto. apply expect_ext. intros v.
  rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun more => indicator (Bool.eqb answer) (pass v) * indicator (same answers) more)).
  - rewrite expect_scal by auto. change (indicator (fun v => Bool.eqb answer (pass v)) v) with (indicator (Bool.eqb answer) (pass v)).
    destruct (Bool.bool_dec answer (pass v)) as [->|N]; [unfold at_output, probability; ring|].
    replace (indicator (Bool.eqb answer) (pass v)) with 0; [ring|]. unfold indicator. now destruct (Bool.eqb_spec answer (pass v)).
  - intros more. rewrite expect_return. unfold indicator. cbn. destruct (Bool.eqb answer (pass v)), (same answers more) eqn:E; cbn in E |- *; rewrite ?E; lra.
Qed.
Lemma no_answer_then A (noise : Program A) (pass : A -> bool) (rest : bool -> Program (list bool)) :
  at_output (Bind noise (fun v => Bind (rest (pass v)) (fun more => Return (pass v :: more)))) [] = 0.
Proof.
  unfold at_output, probability. rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun _ => 0)); [apply expect_zero|]. intros v.
  rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun _ => 0)); [apply expect_zero|]. intros more. now rewrite expect_return.
Qed.

Section Privacy.
Variables (noise : Program Z) (scale : R) (sensitivity : Z) (query query' : list bool -> Z).
Hypotheses (positive : 0 < scale) (not_negative : (0 <= sensitivity)%Z).
Hypothesis raising : raising_costs scale noise.
Hypothesis close : forall answers, (Z.abs (query answers - query' answers) <= sensitivity)%Z.

(** On the neighbour, against a threshold that is higher by the sensitivity: what did not pass is at least as likely not to pass, and each pass costs twice the sensitivity. *)
Lemma answers_cost queries : forall threshold passes answers output,
  at_output (sparse_answers noise threshold query queries passes answers) output
  <= exp (INR passes * (2 * IZR sensitivity / scale)) * at_output (sparse_answers noise (threshold + sensitivity) query' queries passes answers) output.
Proof.
  assert (cost_not_negative : 0 <= 2 * IZR sensitivity / scale).
  { apply Rmult_le_pos; [apply IZR_le in not_negative; lra|left; now apply Rinv_0_lt_compat]. }
  assert (at_least_one : forall passes, 1 <= exp (INR passes * (2 * IZR sensitivity / scale))).
  { intros passes. assert (H : 0 <= INR passes * (2 * IZR sensitivity / scale)) by (apply Rmult_le_pos; [apply pos_INR|auto]).
    rewrite <- exp_0. destruct H as [H|<-]; [left; now apply exp_increasing|lra]. }
  assert (nothing : forall passes output, at_output (Return (@nil bool)) output
    <= exp (INR passes * (2 * IZR sensitivity / scale)) * at_output (Return (@nil bool)) output).
  { intros passes output. generalize (at_least_one passes) (at_output_unit (Return (@nil bool)) output). nra. }
  induction queries as [|queries IH]; intros threshold passes answers output; [apply nothing|].
  destruct passes as [|passes]; [apply nothing|]. cbn [sparse_answers]. cbv zeta.
  set (next := fun (threshold : Z) (query : list bool -> Z) (pass : bool) =>
    sparse_answers noise threshold query queries (if pass then passes else S passes) (answers ++ [pass])).
  destruct output as [|answer output].
  { assert (E1 := no_answer_then Z noise (fun v => (threshold <=? query answers + v)%Z) (next threshold query)).
    assert (E2 := no_answer_then Z noise (fun v => (threshold + sensitivity <=? query' answers + v)%Z) (next (threshold + sensitivity)%Z query')).
    unfold next in E1, E2. rewrite E1, E2. lra. }
  assert (E1 := answer_then Z noise (fun v => (threshold <=? query answers + v)%Z) (next threshold query) answer output).
  assert (E2 := answer_then Z noise (fun v => (threshold + sensitivity <=? query' answers + v)%Z) (next (threshold + sensitivity)%Z query') answer output).
  unfold next in E1, E2. rewrite E1, E2. clear E1 E2 next.
  assert (C := close answers). destruct answer.
  - (* a pass *)
    assert (I := IH threshold passes (answers ++ [true]) output).
    set (m := (sensitivity + (query answers - query' answers))%Z).
    assert (Hm : (0 <= m <= 2 * sensitivity)%Z) by (unfold m; lia).
    assert (P : probability noise (fun v => Bool.eqb true (threshold <=? query answers + v)%Z)
      <= exp (2 * IZR sensitivity / scale) * probability noise (fun v => Bool.eqb true (threshold + sensitivity <=? query' answers + v)%Z)).
    { assert (R := raising m (proj1 Hm) (fun v => (threshold + sensitivity <=? query' answers + v)%Z)).
      unfold probability in R at 1. rewrite add_noise_score in R by auto.
      rewrite (expect_ext _ _ (indicator (fun v => Bool.eqb true (threshold <=? query answers + v)%Z))) in R.
      - eapply Rle_trans; [exact R|].
        replace (probability noise (fun v => Bool.eqb true (threshold + sensitivity <=? query' answers + v)%Z))
          with (probability noise (fun v => (threshold + sensitivity <=? query' answers + v)%Z)).
        2:{ apply expect_ext. intros v. unfold indicator. now destruct (threshold + sensitivity <=? query' answers + v)%Z. }
        apply Rmult_le_compat_r; [apply expect_unit; auto|].
        assert (L : IZR m / scale <= 2 * IZR sensitivity / scale).
        { apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. rewrite <- mult_IZR. now apply IZR_le. }
        destruct L as [L| ->]; [left; now apply exp_increasing|lra].
      - intros v. unfold indicator, m.
        destruct (Z.leb_spec (threshold + sensitivity) (query' answers + (sensitivity + (query answers - query' answers) + v))),
          (Z.leb_spec threshold (query answers + v)); try reflexivity; lia. }
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus.
    assert (A0 := at_output_unit (sparse_answers noise threshold query queries passes (answers ++ [true])) output).
    assert (A1 := at_output_unit (sparse_answers noise (threshold + sensitivity) query' queries passes (answers ++ [true])) output).
    assert (P0 : 0 <= probability noise (fun v => Bool.eqb true (threshold <=? query answers + v)%Z)) by (apply expect_unit; auto).
    replace (exp (INR passes * (2 * IZR sensitivity / scale)) * exp (2 * IZR sensitivity / scale)
      * (at_output (sparse_answers noise (threshold + sensitivity) query' queries passes (answers ++ [true])) output
         * probability noise (fun v => Bool.eqb true (threshold + sensitivity <=? query' answers + v)%Z)))
      with (exp (INR passes * (2 * IZR sensitivity / scale)) * at_output (sparse_answers noise (threshold + sensitivity) query' queries passes (answers ++ [true])) output
         * (exp (2 * IZR sensitivity / scale) * probability noise (fun v => Bool.eqb true (threshold + sensitivity <=? query' answers + v)%Z))) by ring.
    apply Rmult_le_compat; auto; lra.
  - (* not a pass *)
    assert (I := IH threshold (S passes) (answers ++ [false]) output).
    assert (P : probability noise (fun v => Bool.eqb false (threshold <=? query answers + v)%Z)
      <= probability noise (fun v => Bool.eqb false (threshold + sensitivity <=? query' answers + v)%Z)).
    { apply expect_mono; auto. intros v. unfold indicator.
      destruct (Z.leb_spec threshold (query answers + v)), (Z.leb_spec (threshold + sensitivity) (query' answers + v)); simpl; try lra; lia. }
    assert (A0 := at_output_unit (sparse_answers noise threshold query queries (S passes) (answers ++ [false])) output).
    assert (P0 : 0 <= probability noise (fun v => Bool.eqb false (threshold <=? query answers + v)%Z)) by (apply expect_unit; auto).
    rewrite <- Rmult_assoc. apply Rmult_le_compat; auto; lra.
Qed.

(** The threshold's noise, of another scale: Δ/s₁ for the threshold, and 2Δ/s₂ for each pass. *)
Theorem sparse_vector_private threshold_noise threshold_scale threshold queries passes :
  raising_costs threshold_scale threshold_noise ->
  pure_dp (IZR sensitivity / threshold_scale + INR passes * (2 * IZR sensitivity / scale))
    (sparse_vector threshold_noise noise threshold query queries passes) (sparse_vector threshold_noise noise threshold query' queries passes).
Proof.
  intros raising_threshold event. apply expect_le_by_outputs; auto; [left; apply exp_pos|]. intros output. rewrite exp_plus, Rmult_assoc.
  set (c := exp (INR passes * (2 * IZR sensitivity / scale))). assert (c0 : 0 < c) by apply exp_pos.
  set (F := fun z => at_output (sparse_answers noise (threshold + z)%Z query queries passes []) output).
  set (H := fun z => at_output (sparse_answers noise (threshold + z)%Z query' queries passes []) output).
  assert (HF : in_unit F) by (intros z; apply at_output_unit). assert (HH : in_unit H) by (intros z; apply at_output_unit).
  assert (Cost : forall z, F z <= c * H (sensitivity + z)%Z).
  { intros z. unfold F, H, c. replace (threshold + (sensitivity + z))%Z with (threshold + z + sensitivity)%Z by ring. apply answers_cost. }
  assert (E : forall q, at_output (sparse_vector threshold_noise noise threshold q queries passes) output
    = expect threshold_noise (fun z => at_output (sparse_answers noise (threshold + z)%Z q queries passes []) output)).
  { intros q. unfold at_output at 1, probability, sparse_vector. now rewrite expect_bind by auto. }
  rewrite !E. fold F H.
  (* the score of the neighbour against the raised threshold *)
  assert (Up : expect threshold_noise F <= c * expect threshold_noise (fun z => H (sensitivity + z)%Z)).
  { assert (HH' : in_unit (fun z => H (sensitivity + z)%Z)) by (intros z; apply HH).
    assert (one : 1 <= c).
    { unfold c. assert (N : 0 <= INR passes * (2 * IZR sensitivity / scale)).
      { apply Rmult_le_pos; [apply pos_INR|]. apply Rmult_le_pos; [apply IZR_le in not_negative; lra|left; now apply Rinv_0_lt_compat]. }
      rewrite <- exp_0. destruct N as [N|<-]; [left; now apply exp_increasing|lra]. }
    assert (I : 0 < / c <= 1) by (split; [now apply Rinv_0_lt_compat|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
    assert (HFc : in_unit (fun z => / c * F z)) by (intros z; generalize (HF z); nra).
    apply Rmult_le_reg_l with (/ c); [lra|]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. rewrite <- expect_scal by auto.
    apply expect_mono; auto. intros z. generalize (Cost z). intros K. apply Rmult_le_compat_l with (r := / c) in K; [|lra].
    rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l in K by lra. exact K. }
  assert (Down : expect threshold_noise (fun z => H (sensitivity + z)%Z) <= exp (IZR sensitivity / threshold_scale) * expect threshold_noise H).
  { rewrite <- add_noise_score by auto. assert (R := raising_threshold sensitivity not_negative). apply pure_is_approximate in R.
    generalize (events_decide_scores _ _ _ _ _ R H HH). lra. }
  apply Rle_trans with (1 := Up).
  apply Rle_trans with (c * (exp (IZR sensitivity / threshold_scale) * expect threshold_noise H)); [apply Rmult_le_compat_l; lra|right; ring].
Qed.

Theorem above_threshold_private threshold_noise threshold_scale threshold queries :
  raising_costs threshold_scale threshold_noise ->
  pure_dp (IZR sensitivity / threshold_scale + 2 * IZR sensitivity / scale)
    (above_threshold threshold_noise noise threshold query queries) (above_threshold threshold_noise noise threshold query' queries).
Proof.
  intros H. unfold above_threshold. replace (2 * IZR sensitivity / scale) with (INR 1 * (2 * IZR sensitivity / scale)) by (simpl; ring).
  now apply sparse_vector_private.
Qed.
End Privacy.

(** It ends. *)
Theorem sparse_vector_total threshold_noise noise threshold query queries passes : total threshold_noise = 1 -> total noise = 1 ->
  total (sparse_vector threshold_noise noise threshold query queries passes) = 1.
Proof.
  rewrite !total_expect. intros T N. unfold sparse_vector. rewrite expect_bind by auto.
  assert (K : forall threshold queries passes answers, expect (sparse_answers noise threshold query queries passes answers) (fun _ => 1) = 1).
  { clear - N. intros threshold. induction queries as [|queries IH]; intros [|passes] answers; cbn [sparse_answers]; try apply expect_return.
    cbv zeta. rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun _ => 1)); auto. intros v. rewrite expect_bind by auto.
    rewrite (expect_ext _ _ (fun _ => 1)) by (intros rest; apply expect_return). apply IH. }
  rewrite (expect_ext _ _ (fun _ => 1)); auto.
Qed.
