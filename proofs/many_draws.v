(* A dominating pair for many draws: a companion to book/audit/many-draws.md. *)
Require Import Reals Lra Lia Psatz List.
Require FinFun.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
Import ListNotations.
Open Scope R_scope.

Section Dominating_pair.
Context {X : Type}.
Variables (P Q : X -> R) (A B : R).                 (* with the record, P; without it, Q = P_{-i} *)
Hypothesis A_below : A < 1.
Hypothesis B_above : 1 < B.
Hypothesis between : forall x, A * Q x <= P x <= B * Q x.

Definition a : R := (1 - A) / (B - A).
Definition success (x : X) : R := (P x - A * Q x) / (1 - A).      (* H *)
Definition failure (x : X) : R := (B * Q x - P x) / (B - 1).      (* T *)

(* 1. They are non-negative, and a draw is made from a success or a failure. *)
Theorem parts_nonnegative x : 0 <= success x /\ 0 <= failure x.
Proof.
  specialize (between x). unfold success, failure, Rdiv.
  split; apply Rmult_le_pos; try lra; apply Rlt_le, Rinv_0_lt_compat; lra.
Qed.

Theorem parts_sum_to_one (outputs : list X) : sum outputs P = 1 -> sum outputs Q = 1 ->
  sum outputs success = 1 /\ sum outputs failure = 1.
Proof.
  intros SP SQ. split.
  - rewrite (sum_ext _ success (fun x => / (1 - A) * P x + (- A / (1 - A)) * Q x)).
    + rewrite sum_plus, !sum_scal, SP, SQ. field. lra.
    + intros x _. unfold success. field. lra.
  - rewrite (sum_ext _ failure (fun x => B / (B - 1) * Q x + (- / (B - 1)) * P x)).
    + rewrite sum_plus, !sum_scal, SP, SQ. field. lra.
    + intros x _. unfold failure. field. lra.
Qed.

Theorem without_the_record x : Q x = a * success x + (1 - a) * failure x.
Proof. unfold a, success, failure. field. lra. Qed.

Theorem with_the_record x : P x = a * B * success x + (1 - a * B) * failure x.
Proof. unfold a, success, failure. field. lra. Qed.

(* 3. m draws are a post-processing of m trials. The probability of m draws xs is a product, *)
Fixpoint draws (f : X -> R) (xs : list X) : R :=
  match xs with [] => 1 | x :: xs' => f x * draws f xs' end.

(* and of m trials ts, with probability s of a success: *)
Fixpoint trials (s : R) (ts : list bool) : R :=
  match ts with [] => 1 | t :: ts' => (if t then s else 1 - s) * trials s ts' end.

(* the second step draws from H or from T, and does not depend on the record: *)
Fixpoint second_step (ts : list bool) (xs : list X) : R :=
  match ts, xs with
  | [], [] => 1
  | t :: ts', x :: xs' => (if t then success x else failure x) * second_step ts' xs'
  | _, _ => 0
  end.

Fixpoint all_trials (m : nat) : list (list bool) :=
  match m with
  | O => [[]]
  | S m' => map (cons true) (all_trials m') ++ map (cons false) (all_trials m')
  end.

Theorem draws_are_post_processing (f : X -> R) (s : R) :
  (forall x, f x = s * success x + (1 - s) * failure x) ->
  forall xs, draws f xs = sum (all_trials (length xs)) (fun ts => trials s ts * second_step ts xs).
Proof.
  intros E. induction xs as [|x xs IH]; simpl; [ring|].
  rewrite sum_app, !sum_map. simpl. rewrite E, IH.
  set (g := fun ts => trials s ts * second_step ts xs).
  rewrite (sum_ext _ (fun ts => s * trials s ts * (success x * second_step ts xs))
             (fun ts => s * success x * g ts)) by (intros ts _; unfold g; ring).
  rewrite (sum_ext _ (fun ts => (1 - s) * trials s ts * (failure x * second_step ts xs))
             (fun ts => (1 - s) * failure x * g ts)) by (intros ts _; unfold g; ring).
  rewrite !sum_scal. ring.
Qed.

(* The probability of a list of trials depends on the number of its successes only. *)
Theorem only_the_number_counts s ts :
  trials s ts = s ^ count_occ Bool.bool_dec ts true * (1 - s) ^ count_occ Bool.bool_dec ts false.
Proof.
  induction ts as [|t ts IH]; [simpl; ring|]. simpl trials. rewrite IH. destruct t; simpl; ring.
Qed.

(* The number of successes in m trials lies in a set with this probability. *)
Definition successes (ts : list bool) : nat := count_occ Bool.bool_dec ts true.
Definition number (m : nat) (s : R) (set : nat -> bool) : R :=
  sum (filter (fun ts => set (successes ts)) (all_trials m)) (trials s).

Variable outputs : list X.
Hypothesis finite : forall x, In x outputs.
Hypothesis P_one : sum outputs P = 1.
Hypothesis Q_one : sum outputs Q = 1.

Fixpoint words (m : nat) : list (list X) :=
  match m with O => [[]] | S m' => flat_map (fun x => map (cons x) (words m')) outputs end.

Lemma all_words xs : In xs (words (length xs)).
Proof.
  induction xs as [|x xs IH]; simpl; [left; reflexivity|]. apply in_flat_map. exists x.
  split; [apply finite|apply in_map, IH].
Qed.

Lemma sum_flat_map {C E : Type} (l : list C) (k : C -> list E) (f : E -> R) :
  sum (flat_map k l) f = sum l (fun c => sum (k c) f).
Proof. induction l as [|c l IH]; [reflexivity|]. simpl. rewrite sum_app, IH. reflexivity. Qed.

Lemma second_step_one ts : sum (words (length ts)) (second_step ts) = 1.
Proof.
  destruct (parts_sum_to_one outputs P_one Q_one) as [success_one failure_one].
  induction ts as [|t ts IH]; [simpl; ring|]. simpl words. rewrite sum_flat_map.
  rewrite (sum_ext _ _ (fun x => if t then success x else failure x)).
  - destruct t; assumption.
  - intros x _. rewrite sum_map. simpl. rewrite sum_scal, IH. ring.
Qed.

Lemma second_step_nonneg ts xs : 0 <= second_step ts xs.
Proof.
  revert xs. induction ts as [|t ts IH]; intros [|x xs]; simpl; try lra.
  apply Rmult_le_pos; [|apply IH]. destruct t; apply parts_nonnegative.
Qed.

Lemma length_of_trials m ts : In ts (all_trials m) -> length ts = m.
Proof.
  revert ts. induction m as [|m IH]; intros ts I; simpl in I.
  - destruct I as [<-|[]]. reflexivity.
  - apply in_app_or in I. destruct I as [I|I]; apply in_map_iff in I; destruct I as [u [<- I]];
      simpl; f_equal; apply IH, I.
Qed.

(* Part 3. If the numbers of successes satisfy the inequality of (ε′, δ) in every set, then the m
   draws satisfy it for every event E, a finite set of sequences of m outputs. *)
Theorem cost_of_many_draws (m : nat) (e s s' delta : R) (f f' : X -> R) :
  (forall x, f x = s * success x + (1 - s) * failure x) ->
  (forall x, f' x = s' * success x + (1 - s') * failure x) ->
  (forall set, number m s set <= e * number m s' set + delta) ->
  forall E, NoDup E -> (forall xs, In xs E -> length xs = m) ->
  sum E (draws f) <= e * sum E (draws f') + delta.
Proof.
  intros Hf Hf' numbers E D L.
  set (W := fun ts => sum E (second_step ts)).
  assert (post : forall g r, (forall x, g x = r * success x + (1 - r) * failure x) ->
    sum E (draws g) = sum (all_trials m) (fun ts => trials r ts * W ts)).
  { intros g r Hg. rewrite (sum_ext E _
      (fun xs => sum (all_trials m) (fun ts => trials r ts * second_step ts xs))).
    - rewrite sum_swap. apply sum_ext. intros ts _. unfold W. apply sum_scal.
    - intros xs I. rewrite (draws_are_post_processing g r Hg), (L xs I). reflexivity. }
  rewrite (post f s Hf), (post f' s' Hf').
  (* the set of the numbers at which the first is larger *)
  set (law := fun r j => r ^ j * (1 - r) ^ (m - j)).
  assert (law_of : forall r ts, In ts (all_trials m) -> trials r ts = law r (successes ts)).
  { intros r ts I. rewrite only_the_number_counts. unfold law, successes.
    assert (N : count_occ Bool.bool_dec ts false = (m - count_occ Bool.bool_dec ts true)%nat).
    { assert (T : forall us,
        (count_occ Bool.bool_dec us true + count_occ Bool.bool_dec us false = length us)%nat).
      { induction us as [|[] us IH]; simpl; lia. }
      specialize (T ts). rewrite (length_of_trials m ts I) in T. lia. }
    rewrite N. reflexivity. }
  set (set := fun j => if Rlt_dec (e * law s' j) (law s j) then true else false).
  specialize (numbers set). unfold number in numbers.
  assert (W1 : forall ts, In ts (all_trials m) -> 0 <= W ts <= 1).
  { intros ts I. split; [apply sum_nonneg; intros; apply second_step_nonneg|].
    rewrite <- (second_step_one ts). unfold W.
    apply sum_of_part; [exact D| |intros; apply second_step_nonneg].
    intros xs J. rewrite (length_of_trials m ts I), <- (L xs J). apply all_words. }
  assert (K : forall l, (forall ts, In ts l -> In ts (all_trials m)) ->
    sum l (fun ts => trials s ts * W ts) - e * sum l (fun ts => trials s' ts * W ts)
    <= sum (filter (fun ts => set (successes ts)) l) (trials s)
       - e * sum (filter (fun ts => set (successes ts)) l) (trials s')).
  { induction l as [|ts l IH]; intros I; [simpl; lra|].
    specialize (IH (fun u J => I u (or_intror J))). pose proof (I ts (or_introl eq_refl)) as It.
    specialize (W1 ts It). pose proof (law_of s ts It) as Y. pose proof (law_of s' ts It) as Y'.
    assert (Z : set (successes ts) = true /\ e * trials s' ts < trials s ts \/
                set (successes ts) = false /\ trials s ts <= e * trials s' ts).
    { unfold set. rewrite Y, Y'. destruct (Rlt_dec _ _) as [Z|Z]; [left|right]; split; auto; lra. }
    cbn [filter sum fold_right]. destruct Z as [[-> Z]|[-> Z]]; cbn [sum fold_right].
    - assert (trials s ts * W ts - e * (trials s' ts * W ts) <= trials s ts - e * trials s' ts).
      { replace (trials s ts * W ts - e * (trials s' ts * W ts))
          with ((trials s ts - e * trials s' ts) * W ts) by ring.
        assert ((trials s ts - e * trials s' ts) * W ts <= (trials s ts - e * trials s' ts) * 1)
          by (apply Rmult_le_compat_l; lra). lra. }
      unfold sum in *. lra.
    - assert (trials s ts * W ts - e * (trials s' ts * W ts) <= 0).
      { replace (trials s ts * W ts - e * (trials s' ts * W ts))
          with (- ((e * trials s' ts - trials s ts) * W ts)) by ring.
        assert (0 <= (e * trials s' ts - trials s ts) * W ts) by (apply Rmult_le_pos; lra). lra. }
      unfold sum in *. lra. }
  specialize (K (all_trials m) (fun _ I => I)). lra.
Qed.
End Dominating_pair.

(* The ratio of an ε-pDP record lies in [A, B]: it makes no output rarer than by the factor 1 -
   1/n. *)
Theorem ratio_between {X : Type} (n eps : R) (P Q p : X -> R) :
  1 <= n -> (forall x, 0 <= p x) -> (forall x, P x = (1 - 1 / n) * Q x + p x / n) ->
  (forall x, P x <= exp eps * Q x /\ Q x <= exp eps * P x) ->
  forall x, Rmax (1 - 1 / n) (exp (- eps)) * Q x <= P x <= exp eps * Q x.
Proof.
  intros N p0 mix loss x. specialize (p0 x). specialize (mix x). specialize (loss x).
  split; [|apply loss]. unfold Rmax. destruct (Rle_dec _ _).
  - assert (E : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    assert (exp (- eps) * Q x <= exp (- eps) * (exp eps * P x)).
    { apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|apply loss]. }
    rewrite <- Rmult_assoc, E in H. lra.
  - assert (0 <= p x / n) by (apply Rmult_le_pos; [exact p0|apply Rlt_le, Rinv_0_lt_compat; lra]).
    lra.
Qed.

(* Part 2. If ε >= ln n/(n-1), then A = 1 - 1/n, a success has the probability 1/R without the
   record, and H = p_i. *)
Theorem success_is_the_record {X : Type} (n eps : R) (P Q p : X -> R) : 1 < n ->
  ln (n / (n - 1)) <= eps ->
  (forall x, P x = (1 - 1 / n) * Q x + p x / n) ->
  let A := Rmax (1 - 1 / n) (exp (- eps)) in
  a A (exp eps) = 1 / (1 + n * (exp eps - 1)) /\ forall x, success P Q A x = p x.
Proof.
  intros N e mix A. assert (F : 0 < n / (n - 1)) by (apply Rdiv_lt_0_compat; lra).
  assert (G : n / (n - 1) <= exp eps).
  { rewrite <- (exp_ln _ F).
    destruct e as [e|<-]; [left; apply exp_increasing, e|right; reflexivity]. }
  assert (F1 : n / (n - 1) * (n - 1) = n) by (field; lra).
  assert (E : 1 < exp eps) by nra.
  assert (A1 : A = 1 - 1 / n).
  { unfold A. apply Rmax_left. rewrite exp_Ropp.
    assert (inverse : 1 - 1 / n = / (n / (n - 1))) by (field; lra). rewrite inverse.
    apply Rinv_le_contravar; assumption. }
  rewrite A1. assert (0 < n * (exp eps - 1)) by (apply Rmult_lt_0_compat; lra). split.
  - assert (below : exp eps - (1 - 1 / n) = (1 + n * (exp eps - 1)) / n) by (field; lra).
    unfold a. rewrite below. field. split; lra.
  - intros x. unfold success. rewrite mix. field. split; [|lra].
    replace (n - (n - 1)) with 1 by ring. lra.
Qed.

(* Part 4. On two bins the others have the probability a of bin 0, and the record has p. A draw is
   then the trial: bin 0 has the probability a without the record and aB with it; and the loss is at
   most ε. *)
Theorem attained (n eps : R) : 1 < n -> 0 < eps ->
  let B := exp eps in let A := Rmax (1 - 1 / n) (exp (- eps)) in let q := a A B in
  (exists p, 0 <= p <= 1 /\ (1 - 1 / n) * q + p / n = q * B) /\ 0 < q <= 1 /\ 0 <= q * B <= 1 /\
  1 - q <= B * (1 - q * B) /\ 1 - q * B <= B * (1 - q) /\ q <= B * (q * B).
Proof.
  intros N e B A q. pose proof (exp_ineq1 eps ltac:(lra)) as E. fold B in E.
  assert (D : exp (- eps) * B = 1) by (unfold B; rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (d : 0 < exp (- eps)) by apply exp_pos.
  assert (I : 0 < 1 / n) by (apply Rdiv_lt_0_compat; lra).
  assert (In' : 1 / n * n = 1) by (field; lra).
  assert (A1 : exp (- eps) <= A) by apply Rmax_r. assert (A2 : 1 - 1 / n <= A) by apply Rmax_l.
  assert (A3 : A < 1) by (apply Rmax_lub_lt; nra).
  assert (Q : q * (B - A) = 1 - A) by (unfold q, a; field; lra).
  assert (q0 : 0 < q) by (unfold q, a; apply Rdiv_lt_0_compat; lra).
  assert (q1 : q < 1) by nra.
  assert (F : 1 - q * B = A * (1 - q)) by lra.
  assert (BF : q * B <= 1) by nra.
  split.
  - exists (q * (1 + n * (B - 1))). split; [split; [apply Rmult_le_pos; nra|]|field; lra].
    (* A is one of the two *)
    unfold A, Rmax in Q. destruct (Rle_dec (1 - 1 / n) (exp (- eps))) as [L|L].
    + assert (q * (1 + B) = 1).
      { assert (q * (B * B - 1) = B - 1) by nra. nra. }
      assert (n * (B - 1) <= B) by nra. nra.
    + assert (q * (n * (B - 1) + 1) = 1).
      { replace (q * (n * (B - 1) + 1)) with (n * (q * (B - (1 - 1 / n)))) by (field; lra).
        rewrite Q. field. lra. }
      lra.
  - repeat split; try lra; nra.
Qed.

Theorem a_draw_is_a_trial (s : R) (f : bool -> R) : f true = s -> f false = 1 - s ->
  forall xs, draws f xs = trials s xs.
Proof.
  intros T F. induction xs as [|x xs IH]; simpl; [reflexivity|]. rewrite IH. destruct x; congruence.
Qed.

(* So its draws satisfy the inequality of (ε′, δ) only if the numbers of successes do. *)
Lemma trials_once m : NoDup (all_trials m).
Proof.
  induction m as [|m IH]; [constructor; [intros []|constructor]|]. simpl.
  assert (M : forall b : bool, NoDup (map (cons b) (all_trials m))).
  { intros b. apply FinFun.Injective_map_NoDup; [intros u v E; congruence|exact IH]. }
  assert (D : forall ts, In ts (map (cons true) (all_trials m)) ->
                         ~ In ts (map (cons false) (all_trials m))).
  { intros ts I J. apply in_map_iff in I, J. destruct I as [u [<- _]], J as [v [E _]].
    discriminate. }
  pose proof (M false) as F. pose proof (M true) as T. revert T D.
  generalize (map (cons true) (all_trials m)).
  induction l as [|ts l IHl]; intros T D; [exact F|]. inversion T; subst. simpl. constructor.
  - rewrite in_app_iff. intros [I|I]; [contradiction|]. exact (D ts (or_introl eq_refl) I).
  - apply IHl; [assumption|]. intros u I. apply D. right. exact I.
Qed.

Theorem no_smaller_cost (m : nat) (e s s' delta : R) (f f' : bool -> R) :
  f true = s -> f false = 1 - s -> f' true = s' -> f' false = 1 - s' ->
  (forall E, NoDup E -> (forall xs, In xs E -> length xs = m) ->
     sum E (draws f) <= e * sum E (draws f') + delta) ->
  forall set, number m s set <= e * number m s' set + delta.
Proof.
  intros T F T' F' H set. set (E := filter (fun ts => set (successes ts)) (all_trials m)).
  assert (D : NoDup E) by apply NoDup_filter, trials_once.
  assert (L : forall xs, In xs E -> length xs = m).
  { intros xs I. apply filter_In in I. apply length_of_trials, I. }
  specialize (H E D L).
  rewrite (sum_ext E (draws f) (trials s)) in H by (intros; apply a_draw_is_a_trial; assumption).
  rewrite (sum_ext E (draws f') (trials s')) in H by (intros; apply a_draw_is_a_trial; assumption).
  exact H.
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@parts_nonnegative, @parts_sum_to_one, @without_the_record, @with_the_record,
   @draws_are_post_processing, @only_the_number_counts, @cost_of_many_draws, @ratio_between,
   @success_is_the_record, @attained, @a_draw_is_a_trial, @no_smaller_cost).
Print Assumptions checked_here.
