(* Best responses in batches: a companion to book/game/coordinated-moves.md. *)
Require Import Reals Lra Lia List Permutation.
Require Classical_Prop.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.nvo_game Pdp.best_response Pdp.game
  Pdp.game_privacy.
Import ListNotations.
Open Scope R_scope.

(* ---- The divergence is convex ---- *)

(* If one output distribution is the mean of two others, twice its divergence is at most their
   sum. *)
Lemma divergence_is_convex {X : Type} (occupied : list X) (q P0 P1 P2 : X -> R) :
  (forall x, In x occupied -> 0 < q x /\ 0 < P0 x /\ 0 < P2 x /\ 2 * P1 x = P0 x + P2 x) ->
  2 * KL occupied q P1 <= KL occupied q P0 + KL occupied q P2.
Proof.
  intros H. unfold KL. rewrite <- sum_scal, <- sum_plus. apply sum_le. intros x I.
  destruct (H x I) as [Q [A [B C]]]. assert (D : 0 < P1 x) by lra.
  assert (L : forall P, 0 < P -> ln (q x / P) = ln (q x) - ln P).
  { intros P0' PP. unfold Rdiv.
    rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; assumption). ring. }
  rewrite !L by assumption.
  (* P0 P2 <= P1², the mean of the logarithms is at most the logarithm of the mean *)
  assert (M : ln (P0 x) + ln (P2 x) <= ln (P1 x) + ln (P1 x)).
  { rewrite <- !ln_mult by assumption. apply ln_le_iff; try (apply Rmult_lt_0_compat; assumption).
    assert (0 <= (P0 x - P2 x) * (P0 x - P2 x)) by apply Rle_0_sqr. nra. }
  nra.
Qed.

(* The steps of a convex function never decrease: if the last one is negative, all are. *)
Lemma all_steps_are_negative (g : nat -> R) (m : nat) :
  (forall t, (t < m)%nat -> 2 * g (S t) <= g t + g (S (S t))) -> g (S m) < g m ->
  forall t, (t <= m)%nat -> g (S t) < g t.
Proof.
  intros convex. induction m as [|m IH]; intros last t L;
    [replace t with 0%nat by lia; exact last|].
  destruct (Nat.eq_dec t (S m)) as [->|D]; [exact last|].
  apply IH; [intros s Ls; apply convex; lia| |lia]. specialize (convex m ltac:(lia)). lra.
Qed.

Lemma falls_to_the_end (g : nat -> R) (m : nat) : (forall t, (t <= m)%nat -> g (S t) < g t) ->
  g (S m) < g 0%nat.
Proof.
  induction m as [|m IH]; intros H; [apply H; lia|].
  specialize (IH (fun t L => H t ltac:(lia))). specialize (H (S m) ltac:(lia)). lra.
Qed.

(* ---- A batch: records of one group change to the same action, one after the other ---- *)

Section Batch.
Context {A : Type}.
Variables (K : nat) (p : A -> nat -> nat -> R) (data : list nat) (eps : R).
Hypothesis two_records : (2 <= length data)%nat.
Hypothesis on_the_grid : forall k, In k data -> (k < K)%nat.
Hypothesis p_nonnegative : forall a k x, (k < K)%nat -> (x < K)%nat -> 0 <= p a k x.
Hypothesis own_bin : forall a k, In k data -> 0 < p a k k.

Let better := greater_pair (P_E K p data eps) (@divergence A p data).

Variables (k : nat) (v w : A) (rest : list (nat * A)) (m : nat) (C : nat -> @profile A data).
(* C t is the profile after t of the m + 1 records of the batch have changed from v to w. *)
Hypothesis batch : forall t, (t <= S m)%nat ->
  Permutation (records data (C t)) (repeat (k, w) t ++ repeat (k, v) (S m - t) ++ rest).

Let S_ (t : nat) : nat -> R := mass_of p data (C t).

(* The mass is affine in t. *)
Lemma mass_is_affine t x : (t <= S m)%nat -> S_ t x = S_ 0 x + INR t * (p w k x - p v k x).
Proof.
  assert (E : forall s, (s <= S m)%nat -> S_ s x
    = INR s * p w k x + (INR (S m) - INR s) * p v k x + sum rest (fun r => p (snd r) (fst r) x)).
  { intros s L. unfold S_, mass_of. rewrite (sum_perm _ _ _ (batch s L)), !sum_app, !sum_repeat.
    cbn [fst snd]. rewrite minus_INR by exact L. ring. }
  intros L. rewrite (E t L), (E 0%nat ltac:(lia)). simpl (INR 0). ring.
Qed.

Lemma some_records (c : @profile A data) : rows p data c <> [].
Proof.
  apply (rows_some K); [|exact on_the_grid]. intros E. rewrite E in two_records.
  simpl in two_records. lia.
Qed.

(* All profiles have the same histogram, and positive output wherever it is positive. *)
Lemma same_histogram (c d : @profile A data) :
  occupied_bins (rows p data c) = occupied_bins (rows p data d) /\
  forall x, histogram (rows p data c) x = histogram (rows p data d) x.
Proof.
  assert (E : forall e : @profile A data, map fst (rows p data e) = data).
  { intros e. unfold rows. rewrite map_map. simpl. apply bins_of_the_records. }
  split; [unfold occupied_bins; rewrite !E; reflexivity|]. intros x.
  assert (H : forall e : @profile A data, histogram (rows p data e) x
    = sum data (fun j => if Nat.eq_dec j x then 1 else 0) / INR (length data)).
  { intros e. unfold histogram.
    rewrite <- (sum_map fst (rows p data e) (fun j => if Nat.eq_dec j x then 1 else 0)), E.
    rewrite <- (map_length fst (rows p data e)), E. reflexivity. }
  rewrite !H. reflexivity.
Qed.

Lemma occupied_is_positive (c : @profile A data) x : In x (occupied_bins (rows p data c)) ->
  0 < histogram (rows p data c) x /\ 0 < output (rows p data c) x.
Proof.
  intros I. split; [apply histogram_positive; [apply some_records|exact I]|].
  assert (J : forall r, In r (records data c) -> In (fst r) data).
  { intros r R. rewrite <- (bins_of_the_records data c). apply in_map, R. }
  rewrite output_is_mass_over_n. apply Rdiv_lt_0_compat; [|apply lt_0_INR; lia].
  unfold occupied_bins, rows in I. rewrite map_map in I. apply nodup_In, in_map_iff in I.
  destruct I as [[j a] [E I]]. cbn [fst] in E. subst j. pose proof (J _ I) as X. cbn [fst] in X.
  apply Rlt_le_trans with (p a x x); [apply own_bin, X|].
  apply (sum_term_le (records data c) (fun r => p (snd r) (fst r) x) (x, a)); [|exact I].
  intros r R. apply p_nonnegative; apply on_the_grid; [apply J, R|exact X].
Qed.

Lemma divergence_steps t : (t < m)%nat ->
  2 * divergence p data (C (S t)) <= divergence p data (C t) + divergence p data (C (S (S t))).
Proof.
  intros L. unfold divergence. set (c := C (S t)).
  assert (E : forall d,
    KL (occupied_bins (rows p data d)) (histogram (rows p data d)) (output (rows p data d))
    = KL (occupied_bins (rows p data c)) (histogram (rows p data c)) (output (rows p data d))).
  { intros d. destruct (same_histogram d c) as [O H]. unfold KL. rewrite O. apply sum_ext.
    intros x _. rewrite H. reflexivity. }
  rewrite (E (C t)), (E (C (S (S t)))). apply divergence_is_convex. intros x I.
  destruct (occupied_is_positive c x I) as [Q P1]. split; [exact Q|].
  assert (J : forall d, In x (occupied_bins (rows p data d)))
    by (intros d; rewrite (proj1 (same_histogram d c)); exact I).
  split; [apply occupied_is_positive, J|]. split; [apply occupied_is_positive, J|].
  unfold c. rewrite !output_is_mass_over_n. fold (S_ t x) (S_ (S t) x) (S_ (S (S t)) x).
  rewrite (mass_is_affine t x), (mass_is_affine (S t) x), (mass_is_affine (S (S t)) x) by lia.
  rewrite !S_INR. field.
  apply not_0_INR. lia.
Qed.

(* Part 1. If as many records are private before the last move as at the start, and the last move is
   strictly better, then the whole batch is. *)
Theorem the_last_record_is_enough :
  (P_E K p data eps (C 0%nat) <= P_E K p data eps (C m))%nat -> better (C m) (C (S m)) ->
    better (C 0%nat) (C (S m)).
Proof.
  intros E B. destruct B as [B|[B last]]; [left; lia|].
  destruct (Nat.eq_dec (P_E K p data eps (C 0%nat)) (P_E K p data eps (C m))) as [D|D];
    [|left; lia].
  right. split; [lia|]. apply (falls_to_the_end (fun t => divergence p data (C t))).
  apply (all_steps_are_negative (fun t => divergence p data (C t)));
    [exact divergence_steps|exact last].
Qed.

(* Part 2. If all records are private at the start, and the first move is strictly better, too, then
   every move is. *)
Lemma between_two_masses s a b u P x : (a <= u)%nat -> (u <= b)%nat -> (b <= S m)%nat ->
  s * S_ a x <= P -> s * S_ b x <= P -> s * S_ u x <= P.
Proof.
  intros L L' M. rewrite (mass_is_affine a x), (mass_is_affine b x), (mass_is_affine u x) by lia.
  apply le_INR in L, L'. generalize (S_ 0 x). intros S0.
  set (D := p w k x - p v k x). intros before after.
  destruct (Rle_lt_dec 0 (s * D)) as [G|G]; nra.
Qed.

Theorem every_move_of_a_safe_batch : all_are_private K p data eps (C 0%nat) ->
  better (C 0%nat) (C 1%nat) ->
  (P_E K p data eps (C 0%nat) <= P_E K p data eps (C m))%nat -> better (C m) (C (S m)) ->
  forall t, (t <= m)%nat -> better (C t) (C (S t)).
Proof.
  intros safe first E last. apply all_count_as_private in safe. rewrite safe in E.
  pose proof (at_most_all K p data eps) as most.
  assert (all_of : forall c, P_E K p data eps c = length data -> forall r, In r (records data c) ->
    forall x, (x < K)%nat -> sigma (INR (length data)) eps * mass_of p data c x
      <= p (snd r) (fst r) x
                          <= tau (INR (length data)) eps * mass_of p data c x).
  { intros c Hc. apply (linear_form_of_the_game K p data eps two_records), all_count_as_private,
      Hc. }
  assert (P1 : P_E K p data eps (C 1%nat) = length data)
    by (specialize (most (C 1%nat)); destruct first as [F|[F _]]; lia).
  assert (Pm : P_E K p data eps (C m) = length data) by (specialize (most (C m)); lia).
  assert (Pl : P_E K p data eps (C (S m)) = length data)
    by (specialize (most (C (S m))); destruct last as [F|[F _]]; lia).
  (* a row that is private at both ends of a range of t is private in between *)
  assert (between : forall a b t P x, (a <= t)%nat -> (t <= b)%nat -> (b <= S m)%nat ->
    sigma (INR (length data)) eps * S_ a x <= P <= tau (INR (length data)) eps * S_ a x ->
    sigma (INR (length data)) eps * S_ b x <= P <= tau (INR (length data)) eps * S_ b x ->
    sigma (INR (length data)) eps * S_ t x <= P <= tau (INR (length data)) eps * S_ t x).
  { intros a b t P x L L' M [low high] [low' high']. split.
    - apply (between_two_masses _ a b t P x L L' M); assumption.
    - pose proof (between_two_masses (- tau (INR (length data)) eps) a b t (- P) x L L' M ltac:(lra)
        ltac:(lra)). lra. }
  assert (member : forall t r, (t <= S m)%nat ->
    (In r (records data (C t)) <-> In r (repeat (k, w) t) \/ In r (repeat (k, v) (S m - t))
      \/ In r rest)).
  { intros t r L. split; intros I.
    - apply (Permutation_in r (batch t L)) in I. apply in_app_or in I. rewrite in_app_iff in I.
      exact I.
    - apply (Permutation_in r (Permutation_sym (batch t L))). rewrite !in_app_iff. exact I. }
  assert (inside : forall t, (t <= S m)%nat -> P_E K p data eps (C t) = length data).
  { intros t L. destruct (Nat.eq_dec t 0) as [->|T0]; [exact safe|].
    destruct (Nat.eq_dec t (S m)) as [->|Tm]; [exact Pl|].
    apply all_count_as_private, (linear_form_of_the_game K p data eps two_records). intros r I x X.
    apply (member t r L) in I. destruct I as [I|[I|I]].
    - apply repeat_spec in I. subst r.
      apply (between 1%nat (S m) t); try lia; apply all_of; try assumption; apply member; try lia;
        left; simpl; left; reflexivity.
    - apply repeat_spec in I. subst r.
      apply (between 0%nat m t); try lia; apply all_of; try assumption; apply member; try lia;
        right; left.
      + simpl. left. reflexivity.
      + replace (S m - m)%nat with 1%nat by lia. simpl. left. reflexivity.
    - apply (between 0%nat (S m) t); try lia; apply all_of; try assumption; apply member; try lia;
        right; right; exact I. }
  intros t L. right. split; [rewrite !inside by lia; reflexivity|].
  apply (all_steps_are_negative (fun t => divergence p data (C t)) m);
    [exact divergence_steps| |exact L].
  destruct last as [F|[_ F]]; [lia|exact F].
Qed.
End Batch.

(* ---- Dynamics in batches stop at an equilibrium ---- *)

Section Dynamics.
Context {Q I : Type}.
Variable all : list Q.
Hypothesis finite : forall c, In c all.
Variable better : Q -> Q -> Prop.
Hypothesis irreflexive : forall c, ~ better c c.
Hypothesis transitive : forall c d e, better c d -> better d e -> better c e.
Variable moves : I -> Q -> Q -> Prop.

(* In step t some records change, and the profile becomes strictly better; or none does, and the
   record whose turn it is has no strictly better action. *)
Definition in_batches (who : nat -> I) (play : nat -> Q) : Prop := forall t,
  better (play t) (play (S t)) \/
  (play (S t) = play t /\ forall d, moves (who t) (play t) d -> ~ better (play t) d).

Variables (who : nat -> I) (play : nat -> Q).
Hypothesis steps : in_batches who play.

Lemma next_change t s : (t <= s)%nat -> play s <> play t ->
  exists u, (t <= u)%nat /\ better (play t) (play (S u)).
Proof.
  intros L. induction L as [|s L IH]; intros D; [congruence|].
  destruct (Classical_Prop.classic (play s = play t)) as [E|E]; [|apply IH, E].
  exists s. destruct (steps s) as [B|[F _]]; [|congruence]. rewrite <- E. split; assumption.
Qed.

Let any (_ _ : Q) : Prop := True.

Lemma stands_still_or_runs n : forall t,
  (exists T, (t <= T)%nat /\ forall s, (T <= s)%nat -> play s = play T) \/
  (exists ds, run better any (play t) ds /\ length ds = n).
Proof.
  induction n as [|n IH]; intros t; [right; exists []; split; [exact Logic.I|reflexivity]|].
  destruct (Classical_Prop.classic (exists s, (t <= s)%nat /\ play s <> play t)) as [[s [L D]]|N].
  - destruct (next_change t s L D) as [u [Lu B]].
    destruct (IH (S u)) as [[T [LT HT]]|[ds [H Len]]].
    + left. exists T. split; [lia|exact HT].
    + right. exists (play (S u) :: ds).
      split; [split; [split; [exact Logic.I|exact B]|exact H]|simpl; congruence].
  - left. exists t. split; [lia|]. intros s L. apply Classical_Prop.NNPP. intros D. apply N.
    exists s. split; assumption.
Qed.

Lemma batches_end : again_and_again who ->
  exists T, (forall s, (T <= s)%nat -> play s = play T) /\ forall i d, moves i (play T) d ->
    ~ better (play T) d.
Proof.
  intros again. destruct (stands_still_or_runs (length all) 0) as [[T [_ H]]|[ds [H L]]].
  - exists T. split; [exact H|]. intros i d M B. destruct (again i T) as [s [Ls W]].
    destruct (steps s) as [B'|[_ N]].
    + rewrite (H s Ls), (H (S s) ltac:(lia)) in B'. apply (irreflexive _ B').
    + rewrite W, (H s Ls) in N. apply (N d M B).
  - pose proof (best_responses_stop all finite better irreflexive transitive any _ _ H). lia.
Qed.
End Dynamics.

Section Game_in_batches.
Context {A : Type}.
Variable actions : list A.
Hypothesis all_actions : forall a, In a actions.
Variables (K : nat) (p : A -> nat -> nat -> R) (data : list nat) (eps : R).
Hypothesis two : (2 <= K)%nat.
Hypothesis some : data <> [].
Hypothesis on_the_grid : forall k, In k data -> (k < K)%nat.
Hypothesis p_nonnegative : forall a k x, (k < K)%nat -> (x < K)%nat -> 0 <= p a k x.
Hypothesis p_sums : forall a k, (k < K)%nat -> sum (seq 0 K) (p a k) = 1.
Hypothesis own_bin : forall a k, In k data -> 1 / INR K <= p a k k.

Let better := greater_pair (P_E K p data eps) (@divergence A p data).

(* From every start, in every order in which each record has its turn again and again. *)
Theorem best_responses_in_batches_end (who : nat -> player data) (play : nat -> profile data) :
  in_batches better (moves data) who play -> again_and_again who ->
  exists T, (forall s, (T <= s)%nat -> play s = play T) /\ equilibrium K p data eps (play T).
Proof.
  intros steps again.
  destruct (batches_end (all_of actions data) (in_all_of actions all_actions data) better
              (pair_irreflexive _ _) (pair_transitive _ _) (moves data) who play steps again)
                as [T [H N]].
  exists T. split; [exact H|]. intros i d M.
  destruct (Rle_lt_dec (payoff K p data eps d) (payoff K p data eps (play T))) as [L|L]; [exact L|].
  destruct (N i d M).
  apply (greater_payoff_is_greater_pair (P_E K p data eps) (divergence p data) (INR K)
    (K_above_one K two)); [|exact L].
  intros c. apply (utility_of_the_game K p data two some on_the_grid p_nonnegative p_sums c
    own_bin).
Qed.

(* And from a safe start every profile on the way is safe. *)
Theorem safe_start_in_batches (who : nat -> player data) (play : nat -> profile data) :
  in_batches better (moves data) who play -> all_are_private K p data eps (play 0%nat) ->
  forall t, all_are_private K p data eps (play t).
Proof.
  intros steps safe t. apply all_count_as_private. apply all_count_as_private in safe.
  induction t as [|t IH]; [exact safe|]. pose proof (at_most_all K p data eps (play (S t))).
  destruct (steps t) as [[B|[B _]]|[-> _]]; [lia|congruence|exact IH].
Qed.
End Game_in_batches.

Definition checked_here := (@the_last_record_is_enough, @every_move_of_a_safe_batch,
  @best_responses_in_batches_end,
  @safe_start_in_batches).
Print Assumptions checked_here.
