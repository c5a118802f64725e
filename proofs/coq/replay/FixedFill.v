(** [fill] of the fixed-work samplers gives what [sample] gives, one after the other: the program that the
    kernel replays their slices on draws the words of up to 32 trials before the exact path of any, keeps what
    is accepted, and begins again with as many as are missing. Its samples have the product law of the
    sampler's. *)
Require Import Reals Lra Lia List ZArith Bool Arith.
From Coquelicot Require Import Coquelicot.
From Certus.semantics Require Import Program Expectation CoinTree Laws ListSums Atoms.
From Certus.privacy Require Import Definitions Transfer Queries Draws.
From Certus.fast Require Import TraceCost FixedCoin FixedPlace FixedWork.
From Certus.replay Require Import FixedReplay BulkReplay BulkExact.
Import ListNotations.
Open Scope R_scope.

Section Fill.
Variable c : Construction.
Let step : Program (Flow unit Z) := fixed_step (draw c) (trial c) (shown c).
Let sampler : Program Z := fixed_sampler (draw c) (trial c) (shown c).
(** One trial, on its own words. *)
Let settled (w : Words c) : Program (option Z) :=
  if ambiguous (trial c w) then exact_path c w else Return (if accepts (trial c w) then Some (candidate (trial c w)) else None).
Let one : Program (option Z) := Bind (draw c) settled.

Lemma one_is_a_step u : in_unit u -> expect step u = expect one (fun found => u (flow_of found)).
Proof.
  intros Hu. unfold step. rewrite fixed_step_score by auto. unfold shown_step, one. rewrite !expect_bind by (intros ?; apply Hu).
  apply expect_ext. intros w. unfold settled. destruct (ambiguous (trial c w)).
  - rewrite expect_bind by (intros ?; apply Hu). unfold shown. rewrite expect_bind by (intros ?; apply expect_unit; intros ?; apply Hu).
    apply expect_ext. intros found. rewrite !expect_return. reflexivity.
  - rewrite !expect_return. cbn [snd]. destruct (accepts (trial c w)); reflexivity.
Qed.
(** The words of several trials, and then what they say: as many trials. *)
Lemma settled_apart m : forall g, in_unit g ->
  expect (repeated m (draw c)) (fun words => expect (settled_each c words) g) = expect (repeated m one) g.
Proof.
  induction m as [|m IH]; intros g Hg.
  - cbn [repeated]. rewrite !expect_return. cbn [settled_each]. apply expect_return.
  - rewrite expect_repeated by in_unit_tac. rewrite (expect_repeated _ one) by auto. unfold one at 1. rewrite expect_bind by in_unit_tac.
    apply expect_ext. intros w.
    rewrite (expect_ext (repeated m (draw c)) _ (fun rest => expect (settled w) (fun found => expect (settled_each c rest) (fun more => g (found :: more))))).
    + rewrite expect_swap by in_unit_tac. apply expect_ext. intros found. apply (IH (fun more => g (found :: more))). in_unit_tac.
    + intros rest. cbn [settled_each]. fold (settled w). rewrite expect_bind by auto. apply expect_ext. intros found. rewrite expect_bind by auto.
      apply expect_ext. intros more. apply expect_return.
Qed.

Section Count.
Variable count : nat.
Variable g : list Z -> R.
Hypothesis Hg : in_unit g.
(** What the samples that are still missing give. *)
Let rest_of (samples : list Z) : R := expect (draws (count - length samples) sampler) (fun more => g (samples ++ more)).
Lemma rest_unit samples : 0 <= rest_of samples <= 1.
Proof. apply expect_unit. intros more. apply Hg. Qed.

Lemma after_one samples : (length samples < count)%nat ->
  rest_of samples = expect one (fun found => match found with Some y => rest_of (samples ++ [y]) | None => rest_of samples end).
Proof.
  intros H. unfold rest_of at 1. destruct (count - length samples)%nat as [|missing] eqn:E; [lia|].
  assert (E' : forall y, rest_of (samples ++ [y]) = expect (draws missing sampler) (fun more => g (samples ++ y :: more))).
  { intros y. unfold rest_of. rewrite app_length. cbn [length]. replace (count - (length samples + 1))%nat with missing by lia.
    apply expect_ext. intros more. now rewrite <- app_assoc. }
  assert (Hk : in_unit (fun more => g (samples ++ more))) by (intros more; apply Hg).
  rewrite expect_draws by exact Hk.
  set (h := fun y => expect (draws missing sampler) (fun more => g (samples ++ y :: more))). assert (Hh : in_unit h) by (intros y; apply expect_unit; intros more; apply Hg).
  assert (R : expect sampler h = rest_of samples). { unfold rest_of. rewrite E, expect_draws by exact Hk. reflexivity. }
  rewrite R. rewrite <- R at 1. unfold sampler at 1, fixed_sampler. rewrite expect_loop by auto. fold step.
  fold (fixed_sampler (draw c) (trial c) (shown c)). fold sampler.
  rewrite one_is_a_step by (intros [[]|y]; simpl; [apply expect_unit|]; auto).
  apply expect_ext. intros [y|]; cbn [flow_of on_flow]; [unfold h; now rewrite E'|exact R].
Qed.
Lemma after_trials m : forall samples, (m <= count - length samples)%nat ->
  expect (repeated m one) (fun found => rest_of (samples ++ accepted_of found)) = rest_of samples.
Proof.
  induction m as [|m IH]; intros samples H.
  - cbn [repeated]. rewrite expect_return. cbn. now rewrite app_nil_r.
  - rewrite expect_repeated by (intros found; apply rest_unit). rewrite (after_one samples) by lia. apply expect_ext. intros [y|].
    + rewrite <- (IH (samples ++ [y])) by (rewrite app_length; cbn [length]; lia). apply expect_ext. intros found. cbn. now rewrite <- app_assoc.
    + rewrite <- (IH samples) by lia. reflexivity.
Qed.
Lemma none_of_them m : expect (repeated (S m) one) (fun found => match accepted_of found with [] => 1 | _ => 0 end) <= retry_share step.
Proof.
  set (rejects := fun found => match accepted_of found with [] => 1 | _ => 0 end). assert (Hr : in_unit rejects) by (intros l; unfold rejects; destruct (accepted_of l); lra).
  rewrite expect_repeated by auto. unfold retry_share. rewrite one_is_a_step by (intros [[]|y]; simpl; lra).
  apply expect_mono; [intros f; apply expect_unit; intros l; apply Hr|intros [y|]; simpl; lra|].
  intros [y|]; cbn [flow_of on_flow]; [|apply expect_unit; intros l; apply Hr].
  rewrite (expect_ext _ _ (fun _ => 0)) by reflexivity. rewrite expect_zero. lra.
Qed.

Hypothesis some_are_accepted : retry_share step < 1.
Let r := retry_share step.
Let looping : list Z * list Z -> Program (list Z * list Z) := Loop (fill_step c count).
Let drawn (state : list Z * list Z) : R := expect (looping state) (fun both => g (fst both)).
Lemma drawn_unit state : 0 <= drawn state <= 1.
Proof. apply expect_unit. intros both. apply Hg. Qed.

Lemma filled_is_rest : forall missing samples masks, (count - length samples)%nat = missing -> drawn (samples, masks) = rest_of samples.
Proof.
  assert (R0 : 0 <= r) by (apply expect_unit; intros [[]|y]; simpl; lra).
  assert (Hf : in_unit (fun both : list Z * list Z => g (fst both))) by (intros both; apply Hg).
  induction missing as [missing IH] using lt_wf_ind. intros samples masks E.
  assert (Hflow : in_unit (on_flow drawn (fun both : list Z * list Z => g (fst both)))) by (intros [state|both]; simpl; [apply drawn_unit|apply Hg]).
  destruct missing as [|missing].
  - unfold drawn, looping. rewrite expect_loop by auto. unfold fill_step at 1. rewrite E. rewrite expect_return. cbn [on_flow fst].
    unfold rest_of. rewrite E. cbn [draws]. rewrite expect_return. now rewrite app_nil_r.
  - set (m := Nat.min batch (S missing)). assert (M : exists m', m = S m') by (exists (pred m); unfold m, batch; lia). destruct M as [m' M].
    set (trials := Bind (repeated m (draw c)) (fun words => Bind (settled_each c words) (fun found => Return (words, found)))).
    assert (T : forall F : list (Words c) * list (option Z) -> R, in_unit F ->
      expect trials F = expect (repeated m (draw c)) (fun words => expect (settled_each c words) (fun found => F (words, found)))).
    { intros F HF. unfold trials. rewrite expect_bind by auto. apply expect_ext. intros words. rewrite expect_bind by auto. apply expect_ext. intros found. apply expect_return. }
    set (masked := fun (masks : list Z) words => masks ++ [mask_of (map (fun w => ambiguous (trial c w)) words)]).
    set (u := fun (masks : list Z) (both : list (Words c) * list (option Z)) => drawn (samples ++ accepted_of (snd both), masked masks (fst both))).
    set (v := fun both : list (Words c) * list (option Z) => rest_of (samples ++ accepted_of (snd both))).
    set (rejects := fun both : list (Words c) * list (option Z) => match accepted_of (snd both) with [] => 1 | _ => 0 end).
    assert (Hu : forall masks, in_unit (u masks)) by (intros ? both; apply drawn_unit). assert (Hv : in_unit v) by (intros both; apply rest_unit).
    assert (Hw : in_unit rejects) by (intros both; unfold rejects; destruct (accepted_of (snd both)); lra).
    assert (X : forall masks, drawn (samples, masks) = expect trials (u masks)).
    { intros ms. unfold drawn at 1, looping. rewrite expect_loop by auto. fold looping. unfold fill_step. rewrite E. rewrite T by auto. fold m.
      change (expect (Bind (repeated m (draw c)) (fun words => Bind (settled_each c words) (fun found =>
        Return (Continue (samples ++ accepted_of found, masked ms words))))) (on_flow drawn (fun both : list Z * list Z => g (fst both)))
        = expect (repeated m (draw c)) (fun words => expect (settled_each c words) (fun found => u ms (words, found)))).
      rewrite expect_bind by auto. apply expect_ext. intros words. rewrite expect_bind by auto. apply expect_ext. intros found. rewrite expect_return. reflexivity. }
    assert (Y : rest_of samples = expect trials v).
    { rewrite T by auto. unfold v. cbn [snd]. rewrite (settled_apart m (fun found => rest_of (samples ++ accepted_of found))) by (intros found; apply rest_unit).
      symmetry. apply after_trials. unfold m. lia. }
    assert (W : expect trials rejects <= r).
    { rewrite T by auto. unfold rejects. cbn [snd]. rewrite (settled_apart m (fun found => match accepted_of found with [] => 1 | _ => 0 end)).
      - rewrite M. apply none_of_them.
      - intros found. destruct (accepted_of found); lra. }
    assert (Near : forall k ms, Rabs (drawn (samples, ms) - rest_of samples) <= r ^ k).
    { induction k as [|k Near]; intros ms.
      - generalize (drawn_unit (samples, ms)) (rest_unit samples). intros. simpl. apply Rabs_le. lra.
      - assert (P := pow_le r k R0).
        assert (D1 := expect_bounded _ trials (u ms) v (fun _ => 0) rejects (r ^ k) (Hu ms) Hv ltac:(intros ?; lra) Hw P).
        assert (D2 := expect_bounded _ trials v (u ms) (fun _ => 0) rejects (r ^ k) Hv (Hu ms) ltac:(intros ?; lra) Hw P).
        rewrite expect_zero in D1, D2.
        assert (B : forall both, Rabs (u ms both - v both) <= r ^ k * rejects both).
        { intros [words found]. unfold u, v, rejects. cbn [fst snd]. destruct (accepted_of found) as [|y more] eqn:A.
          - rewrite app_nil_r, Rmult_1_r. apply Near.
          - rewrite (IH (count - length (samples ++ y :: more))%nat) by (try reflexivity; rewrite app_length; cbn [length]; lia).
            rewrite Rminus_eq_0, Rabs_R0. lra. }
        rewrite X, Y. assert (K : r ^ k * expect trials rejects <= r ^ S k) by (simpl; rewrite (Rmult_comm r); apply Rmult_le_compat_l; auto).
        apply Rabs_le. split; [lapply D2|lapply D1]; try lra; intros both; generalize (B both); intros B'; apply Rabs_le_between in B'; lra. }
    assert (D : Rabs (drawn (samples, masks) - rest_of samples) <= 0).
    { apply (is_lim_seq_le (fun _ => Rabs (drawn (samples, masks) - rest_of samples)) (fun k => r ^ k) (Rabs (drawn (samples, masks) - rest_of samples)) 0);
        [intros k; apply Near|apply is_lim_seq_const|apply is_lim_seq_geom; rewrite Rabs_pos_eq; auto]. }
    generalize (Rabs_pos (drawn (samples, masks) - rest_of samples)). intros.
    assert (Z : drawn (samples, masks) - rest_of samples = 0) by (apply Rabs_eq_0; lra). lra.
Qed.
End Count.

(** Whatever the masks of the batches show, which go with the samples here. *)
Theorem fixed_fill_is_draws count : retry_share step < 1 -> same_law (Bind (filled c count) (fun both => Return (fst both))) (draws count sampler).
Proof.
  intros H g Hg. rewrite expect_bind by auto. rewrite (expect_ext _ _ (fun both => g (fst both))) by (intros; apply expect_return).
  unfold filled. rewrite (filled_is_rest count g Hg H (count - length (@nil Z)) [] []) by reflexivity. cbn [length app]. now rewrite Nat.sub_0_r.
Qed.
End Fill.
