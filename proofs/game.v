(* The NVO game: a companion to book/game/nvo-game.md and book/game/best-response.md.

   The game is defined here once: records, actions, profiles, the released distribution, who is
   private, the payoff, and the moves. The theorems after it are about this game, and use those of
   the other files. *)
Require Import Reals Lra Lia List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.truncated_laplace Pdp.theorem_one Pdp.nvo_game.
Require Import Pdp.best_response.
Import ListNotations.
Open Scope R_scope.

(* All ways to take one element out of a list. *)
Fixpoint taken_out {A : Type} (l : list A) : list (A * list A) :=
  match l with
  | [] => []
  | a :: l' => (a, l') :: map (fun bo => (fst bo, a :: snd bo)) (taken_out l')
  end.

Lemma taken_out_length {A : Type} (l : list A) : length (taken_out l) = length l.
Proof. induction l as [|a l IH]; [reflexivity|]. simpl. rewrite map_length, IH. reflexivity. Qed.

Lemma in_taken_out {A : Type} (l : list A) r others :
  In (r, others) (taken_out l) <-> exists before after, l = before ++ r :: after /\ others
    = before ++ after.
Proof.
  revert r others. induction l as [|a l IH]; intros r others; simpl.
  - split; [intros []|]. intros [[|b before] [after [E _]]]; discriminate.
  - rewrite in_map_iff. split.
    + intros [E|[[b o] [E I]]].
      * injection E as <- <-. exists [], l. split; reflexivity.
      * simpl in E. injection E as <- <-. apply IH in I. destruct I as [before [after [-> ->]]].
        exists (a :: before), after. split; reflexivity.
    + intros [[|b before] [after [E ->]]]; injection E as -> E.
      * left. rewrite E. reflexivity.
      * right. exists (r, before ++ after). split; [reflexivity|]. apply IH. exists before, after.
        split; [exact E|reflexivity].
Qed.

Lemma in_all_bins (K : nat) (x : bin K) : In x (all_bins K).
Proof.
  destruct x as [x L]. unfold all_bins. apply in_flat_map. exists x. split; [apply in_seq; lia|].
  destruct (lt_dec x K) as [L'|N]; [|contradiction]. left. f_equal. apply le_unique.
Qed.

(* ---- The game ---- *)

Section Game.
Context {A : Type}.                                     (* the actions, each a choice of noise *)
Variable actions : list A.
Hypothesis all_actions : forall a, In a actions.
Variable K : nat.                                       (* bins *)
Variable p : A -> nat -> nat -> R.   (* p a k x: a record of bin k with action a is released as x *)
Variable data : list nat.                               (* the bin of each record *)
Variable eps : R.

(* A strategy profile: an action for each record. *)
Fixpoint profile_of (l : list nat) : Type :=
  match l with [] => unit | _ :: l' => (A * profile_of l')%type end.
Definition profile : Type := profile_of data.

(* The records of a profile: bin and action. *)
Fixpoint records_of (l : list nat) : profile_of l -> list (nat * A) :=
  match l with
  | [] => fun _ => []
  | k :: l' => fun c => (k, fst c) :: records_of l' (snd c)
  end.
Definition records (c : profile) : list (nat * A) := records_of data c.

(* Record number i changes its action, and all others keep theirs. *)
Fixpoint moves_of (l : list nat) (i : nat) : profile_of l -> profile_of l -> Prop :=
  match l with
  | [] => fun _ _ => False
  | _ :: l' => match i with
               | O => fun c d => snd c = snd d
               | S j => fun c d => fst c = fst d /\ moves_of l' j (snd c) (snd d)
               end
  end.
Definition player : Type := bin (length data).          (* the numbers below n *)
Definition moves (i : player) (c d : profile) : Prop := moves_of data (proj1_sig i) c d.

(* The random sampling query, and which records are private. *)
Definition its_row (r : nat * A) : @row (bin K) := fun x => p (snd r) (fst r) (proj1_sig x).
Definition is_private (r : nat * A) (others : list (nat * A)) : Prop :=
  pdp eps (its_row r) (map its_row others).
Definition all_are_private (c : profile) : Prop := forall before r after,
  records c = before ++ r :: after -> is_private r (before ++ after).

(* The same as a decision, bin by bin, which counts the private records. *)
Definition passes (r_others : (nat * A) * list (nat * A)) : bool :=
  let P := released (its_row (fst r_others) :: map its_row (snd r_others)) in
  let P' := released (map its_row (snd r_others)) in
  forallb (fun x => if Rle_dec (P x) (exp eps * P' x) then
                      if Rle_dec (P' x) (exp eps * P x) then true else false else false) (all_bins
                        K).
Definition P_E (c : profile) : nat := length (filter passes (taken_out (records c))).

(* The utility, and the payoff, which all players share. *)
Definition rows (c : profile) : list (nat * (nat -> R)) :=
  map (fun r => (fst r, p (snd r) (fst r))) (records c).
Definition divergence (c : profile) : R :=
  KL (occupied_bins (rows c)) (histogram (rows c)) (output (rows c)).
Definition P_U (c : profile) : R := 1 - divergence c / ln (INR K).
Definition payoff (c : profile) : R := INR (P_E c) + P_U c.
Definition equilibrium (c : profile) : Prop := forall i d, moves i c d -> payoff d <= payoff c.

(* ---- What a profile is ---- *)

Fixpoint all_of (l : list nat) : list (profile_of l) :=
  match l with
  | [] => [tt]
  | _ :: l' => list_prod actions (all_of l')
  end.

Lemma in_all_of l : forall c : profile_of l, In c (all_of l).
Proof.
  induction l as [|k l IH]; [intros []; left; reflexivity|].
  intros [a c]. apply in_prod; [apply all_actions|apply IH].
Qed.

(* There are |V|^n of them. *)
Lemma number_of_profiles : length (all_of data) = (length actions ^ length data)%nat.
Proof.
  induction data as [|k l IH]; [reflexivity|]. simpl. rewrite prod_length, IH. reflexivity.
Qed.

Lemma bins_of_the_records c : map fst (records c) = data.
Proof.
  unfold records, profile in *. revert c. induction data as [|k l IH]; intros c; [reflexivity|].
  simpl. rewrite IH. reflexivity.
Qed.

Lemma number_of_records c : length (records c) = length data.
Proof. pose proof (f_equal (@length nat) (bins_of_the_records c)) as H. rewrite map_length in H.
  exact H.
Qed.

Lemma passes_is_private r others : passes (r, others) = true <-> is_private r others.
Proof.
  unfold passes, is_private, pdp. rewrite atoms_suffice, forallb_forall. cbn [fst snd]. split.
  - intros H x. specialize (H x (in_all_bins K x)). destruct (Rle_dec _ _); [|discriminate].
    destruct (Rle_dec _ _); [split; assumption|discriminate].
  - intros H x _. destruct (H x) as [U L]. destruct (Rle_dec _ _); [|contradiction].
    destruct (Rle_dec _ _); [reflexivity|contradiction].
Qed.

Lemma filter_length_all {B : Type} (f : B -> bool) l :
  (length (filter f l) <= length l)%nat /\ (length (filter f l) = length l <-> forall b, In b l ->
    f b = true).
Proof.
  induction l as [|a l [L E]]; [split; [apply le_n|split; [intros _ b []|reflexivity]]|]. simpl.
  destruct (f a) eqn:F; simpl; split; try lia.
  - split.
    + intros H b [<-|I]; [exact F|]. apply E; [lia|exact I].
    + intros H. f_equal. apply E. intros b I. apply H. right. exact I.
  - split; [lia|]. intros H. specialize (H a (or_introl eq_refl)). congruence.
Qed.

Lemma at_most_all c : (P_E c <= length data)%nat.
Proof.
  unfold P_E. rewrite <- (number_of_records c), <- (taken_out_length (records c)).
  apply filter_length_all.
Qed.

(* P_E = n says that every record is ε-pDP. *)
Theorem all_count_as_private c : P_E c = length data <-> all_are_private c.
Proof.
  unfold P_E. rewrite <- (number_of_records c), <- (taken_out_length (records c)).
  rewrite (proj2 (filter_length_all passes (taken_out (records c)))). split.
  - intros H before r after E. apply passes_is_private, H, in_taken_out. exists before, after.
    split; [exact E|reflexivity].
  - intros H [r others] I. apply in_taken_out in I. destruct I as [before [after [E ->]]].
    apply passes_is_private, H, E.
Qed.

(* ---- The theorems ---- *)

Hypothesis two : (2 <= K)%nat.
Hypothesis some : data <> [].
Hypothesis some_action : actions <> [].
Hypothesis on_the_grid : forall k, In k data -> (k < K)%nat.
Hypothesis p_nonnegative : forall a k x, (k < K)%nat -> (x < K)%nat -> 0 <= p a k x.
Hypothesis p_sums : forall a k, (k < K)%nat -> sum (seq 0 K) (p a k) = 1.

Lemma of_the_rows c (good : nat * (nat -> R) -> Prop) :
  (forall a k, In k data -> good (k, p a k)) -> forall r, In r (rows c) -> good r.
Proof.
  intros G r I. unfold rows in I. apply in_map_iff in I. destruct I as [[k a] [<- I]]. apply G.
  rewrite <- (bins_of_the_records c). apply (in_map fst _ _ I).
Qed.

Lemma K_above_one : 1 < INR K.
Proof. pose proof (le_INR 2 K two). simpl in H. lra. Qed.

Lemma rows_some c : rows c <> [].
Proof.
  unfold rows. intros E. apply map_eq_nil in E. pose proof (number_of_records c) as L.
  rewrite E in L.
  destruct data; [contradiction|discriminate].
Qed.

(* Proposition (the utility lies between 0 and 1), with 1/K on the own bin *)
Theorem utility_of_the_game c : (forall a k, In k data -> 1 / INR K <= p a k k) -> 0 <= P_U c <= 1.
Proof.
  intros own. apply (utility_of_a_profile K two (rows c) (rows_some c)).
  - apply (of_the_rows c (fun r => (fst r < K)%nat)). intros a k I. apply on_the_grid, I.
  - intros r x I X. revert r I. apply (of_the_rows c (fun r => 0 <= snd r x)). intros a k I.
    apply p_nonnegative; auto.
  - apply (of_the_rows c (fun r => sum (seq 0 K) (snd r) = 1)). intros a k I. apply p_sums; auto.
  - apply (of_the_rows c (fun r => 1 / INR K <= snd r (fst r))). intros a k I. apply own, I.
Qed.

(* and with more. *)
Theorem positive_utility c : (forall a k, In k data -> 1 / INR K < p a k k) -> 0 < P_U c.
Proof.
  intros own. apply (utility_of_a_strict_profile K two (rows c) (rows_some c)).
  - apply (of_the_rows c (fun r => (fst r < K)%nat)). intros a k I. apply on_the_grid, I.
  - intros r x I X. revert r I. apply (of_the_rows c (fun r => 0 <= snd r x)). intros a k I.
    apply p_nonnegative; auto.
  - apply (of_the_rows c (fun r => 1 / INR K < snd r (fst r))). intros a k I. apply own, I.
Qed.

(* Proposition (potential and existence). A function is an exact potential if every change of one
   player's action changes it by as much as that player's payoff. Here all players have the same
   payoff. *)
Definition exact_potential (payoffs : player -> profile -> R) (Phi : profile -> R) : Prop :=
  forall i c d, moves i c d -> payoffs i d - payoffs i c = Phi d - Phi c.

Theorem payoff_is_a_potential : exact_potential (fun _ => payoff) payoff.
Proof. intros i c d _. reflexivity. Qed.

(* A largest payoff is an equilibrium, so there is one; *)
Theorem largest_payoff_is_equilibrium c : (forall d, payoff d <= payoff c) -> equilibrium c.
Proof. intros H i d _. apply H. Qed.

Theorem game_has_equilibrium : exists c, equilibrium c.
Proof.
  destruct (maximum (all_of data) (in_all_of data)) with (payoff := payoff) as [c C].
  - intros E. pose proof number_of_profiles as L. rewrite E in L. simpl in L. symmetry in L.
    apply Nat.pow_eq_0 in L; [|destruct data; [contradiction|discriminate]].
    destruct actions; [contradiction|discriminate].
  - exists c. apply largest_payoff_is_equilibrium, C.
Qed.

Section Own_bin.
Hypothesis own_bin : forall a k, In k data -> 1 / INR K <= p a k k.

Lemma bounds c : 0 <= best_response.P_U divergence (INR K) c <= 1.
Proof. exact (utility_of_the_game c own_bin). Qed.

(* and a private profile with the smallest divergence of all private profiles is an equilibrium. *)
Theorem solutions_are_equilibria c : all_are_private c ->
  (forall d, all_are_private d -> divergence c <= divergence d) -> equilibrium c.
Proof.
  intros G least. apply largest_payoff_is_equilibrium. intros d. apply all_count_as_private in G.
  pose proof (utility_of_the_game c own_bin). pose proof (utility_of_the_game d own_bin).
  unfold payoff. rewrite G. destruct (le_lt_eq_dec _ _ (at_most_all d)) as [L|E].
  - apply le_INR in L. rewrite S_INR in L. lra.
  - rewrite E. specialize (least d (proj1 (all_count_as_private d) E)).
    assert (0 < ln (INR K)) by (rewrite <- ln_1; apply ln_increasing; [lra|apply K_above_one]).
    assert (divergence c / ln (INR K) <= divergence d / ln (INR K)).
    { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat|]; assumption. }
    unfold P_U. lra.
Qed.

(* Theorem (best-response dynamics end at a Nash equilibrium), from every start and in every order
   of play in which each record has its turn again and again. Profiles are compared by the pair
   (P_E, -KL). *)
Theorem best_responses_end (who : nat -> player) (play : nat -> profile) :
  in_turn (greater_pair P_E divergence) moves who play -> again_and_again who ->
  exists T, (forall s, (T <= s)%nat -> play s = play T) /\ equilibrium (play T).
Proof.
  exact (dynamics_end (all_of data) (in_all_of data) P_E divergence (INR K) K_above_one bounds moves
    who play).
Qed.

(* Fewer moves than there are profiles. *)
Theorem number_of_moves c ds : run (greater_pair P_E divergence) (anybody moves) c ds ->
  (length ds < length actions ^ length data)%nat.
Proof.
  intros H. rewrite <- number_of_profiles.
  apply (dynamics_stop (all_of data) (in_all_of data) P_E divergence (anybody moves) c ds H).
Qed.

(* Theorem (from a safe start). *)
Theorem safe_start_stays_safe (who : nat -> player) (play : nat -> profile) :
  in_turn (greater_pair P_E divergence) moves who play -> again_and_again who ->
  all_are_private (play 0%nat) ->
  (forall t, all_are_private (play t)) /\
  exists T, (forall s, (T <= s)%nat -> play s = play T) /\ equilibrium (play T).
Proof.
  intros turns again G. apply all_count_as_private in G.
  destruct (safe_start (all_of data) (in_all_of data) P_E divergence (length data) at_most_all
    (INR K)
              K_above_one bounds moves who play turns again G) as [S E].
  split; [|exact E]. intros t. apply all_count_as_private, S.
Qed.
End Own_bin.

(* With more than 1/K on the own bin the pair orders the profiles as the payoff does. *)
Theorem pair_orders_as_the_payoff : (forall a k, In k data -> 1 / INR K < p a k k) ->
  forall c d, greater_pair P_E divergence c d <-> payoff c < payoff d.
Proof.
  intros own. apply (the_orders_agree P_E divergence (INR K) K_above_one).
  - intros c. apply utility_of_the_game. intros a k I. apply Rlt_le, own, I.
  - intros c. apply (positive_utility c own).
Qed.

(* Every record plays the same action. *)
Fixpoint everybody_of (a : A) (l : list nat) : profile_of l :=
  match l with [] => tt | _ :: l' => (a, everybody_of a l') end.
Definition everybody (a : A) : profile := everybody_of a data.

Lemma records_of_everybody a : records (everybody a) = map (fun k => (k, a)) data.
Proof.
  assert (G : forall l, records_of l (everybody_of a l) = map (fun k => (k, a)) l).
  { induction l as [|k l IH]; [reflexivity|]. simpl. rewrite IH. reflexivity. }
  apply G.
Qed.
End Game.

(* ---- Truncated Laplace noise: the actions are scales ---- *)

Section Laplace.
Context {A : Type}.
Variables (K : nat) (scale : A -> R) (data : list nat) (eps : R).
Hypothesis two : (2 <= K)%nat.
Hypothesis scales_positive : forall a, 0 < scale a.
Hypothesis on_the_grid : forall k, In k data -> (k < K)%nat.

Definition laplace (a : A) (k x : nat) : R := kernel K k (scale a) x.

(* Its rows meet the hypotheses on the game. *)
Theorem laplace_rows a k : (k < K)%nat ->
  (forall x, (x < K)%nat -> 0 <= laplace a k x) /\ sum (seq 0 K) (laplace a k) = 1 /\
  1 / INR K < laplace a k k.
Proof.
  intros L. unfold laplace. split; [|split].
  - intros x X. apply Rlt_le, bin_masses_positive; auto.
  - apply masses_sum_to_one; auto.
  - apply own_bin_has_more; auto.
Qed.

(* A safe start exists: if one scale is at least b*, then let every record play it. *)
Theorem safe_start_exists (a : A) : 0 < eps -> (2 <= length data)%nat ->
  scale_bound (INR (length data)) eps <= scale a ->
  all_are_private K laplace data eps (everybody data a).
Proof.
  intros E N B before r after R. rewrite records_of_everybody in R. unfold is_private.
  assert (others : exists l, before ++ after = map (fun k => (k, a)) l /\ S (length l) = length data
    /\
            exists k, r = (k, a) /\ forall j, In j (k :: l) -> (j < K)%nat).
  { apply map_eq_app in R. destruct R as [l1 [l2 [-> [<- R]]]].
    destruct l2 as [|k l2]; [discriminate|]. simpl in R. injection R as <- <-.
    exists (l1 ++ l2). split; [symmetry; apply map_app|]. split; [rewrite !app_length; simpl; lia|].
    exists k. split; [reflexivity|]. intros j J. apply on_the_grid. simpl in J.
    rewrite in_app_iff in J |- *.
    simpl. tauto. }
  destruct others as [l [-> [L [k [-> grid]]]]].
  pose proof (theorem_one_prime eps K E (k, scale a) (map (fun j => (j, scale a)) l)) as T.
  rewrite map_map in *. apply T.
  - destruct l; [simpl in L; lia|discriminate].
  - intros i [<-|I]; [apply grid; left; reflexivity|]. apply in_map_iff in I.
    destruct I as [j [<- J]].
    apply grid. right. exact J.
  - simpl length. rewrite map_length, L. intros i [<-|I]; [exact B|]. apply in_map_iff in I.
    destruct I as [j [<- _]]. exact B.
Qed.

(* From there best responses keep every record private, and end at an equilibrium. *)
Theorem laplace_safe_start (actions : list A) (a : A) (who : nat -> player data)
  (play : nat -> profile data) :
  (forall b, In b actions) -> 0 < eps -> (2 <= length data)%nat ->
  scale_bound (INR (length data)) eps <= scale a ->
  in_turn (greater_pair (P_E K laplace data eps) (divergence laplace data)) (moves data) who play ->
  again_and_again who -> play 0%nat = everybody data a ->
  (forall t, all_are_private K laplace data eps (play t)) /\
  exists T, (forall s, (T <= s)%nat -> play s = play T) /\ equilibrium K laplace data eps (play T).
Proof.
  intros all E N B turns again start.
  apply (safe_start_stays_safe actions all K laplace data eps two) with (who := who);
    try assumption.
  - intros Z. rewrite Z in N. simpl in N. lia.
  - intros b k x L X. apply (laplace_rows b k L), X.
  - intros b k L. apply (laplace_rows b k L).
  - intros b k I. apply Rlt_le, (laplace_rows b k (on_the_grid k I)).
  - rewrite start. apply safe_start_exists; assumption.
Qed.
End Laplace.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@all_count_as_private, @utility_of_the_game, @positive_utility, @game_has_equilibrium,
   @payoff_is_a_potential, @largest_payoff_is_equilibrium, @solutions_are_equilibria,
   @best_responses_end, @number_of_moves, @safe_start_stays_safe, @pair_orders_as_the_payoff,
   @laplace_rows, @safe_start_exists, @laplace_safe_start).
Print Assumptions checked_here.
