(* Existence of an equilibrium and termination of best responses, for a payoff that all players
   share: a companion to book/game/nvo-game.md (potential and existence) and
   book/game/best-response.md.

   Profiles are of any type Q, of which there are finitely many. A payoff is compared by its value,
   a real number; the pair (P_E, -KL) is treated at the end. *)
Require Import Reals Lra Lia List.
Require Classical_Prop.
Import ListNotations.
Open Scope R_scope.

Section Common_payoff.
Context {Q : Type}.                                    (* profiles *)
Variable all : list Q.
Hypothesis finite : forall c, In c all.
Variable better : Q -> Q -> Prop.                      (* better c d: d is strictly better than c *)
Hypothesis irreflexive : forall c, ~ better c c.
Hypothesis transitive : forall c d e, better c d -> better d e -> better c e.
Variable move : Q -> Q -> Prop.                        (* one player changes its own action *)

Definition nash (c : Q) : Prop := forall d, move c d -> ~ better c d.
Definition best_response (c d : Q) : Prop := move c d /\ better c d.

(* Every move makes the payoff strictly greater, so no profile occurs twice: a run is a chain, and
   it has fewer moves than there are profiles. *)
Fixpoint run (c : Q) (ds : list Q) : Prop :=
  match ds with [] => True | d :: ds' => best_response c d /\ run d ds' end.

Lemma later_is_better : forall ds c, run c ds -> forall d, In d ds -> better c d.
Proof.
  induction ds as [|e ds IH]; intros c H d I; [contradiction|].
  destruct H as [[_ B] H]. destruct I as [<-|I]; [exact B|].
  apply transitive with e; [exact B|]. apply IH; assumption.
Qed.

Lemma no_profile_twice : forall ds c, run c ds -> NoDup (c :: ds).
Proof.
  induction ds as [|e ds IH]; intros c H; constructor.
  - intros [].
  - constructor.
  - intros I. apply (irreflexive c). apply (later_is_better _ _ H _ I).
  - apply IH. apply H.
Qed.

Theorem best_responses_stop c ds : run c ds -> (length ds < length all)%nat.
Proof.
  intros H. apply no_profile_twice in H.
  apply (NoDup_incl_length H). intros d _. apply finite.
Qed.
End Common_payoff.

(* ---- In turn, for ever: after some step nobody moves any more ---- *)

Section In_turn.
Context {Q I : Type}.                                  (* profiles and records *)
Variable all : list Q.
Hypothesis finite : forall c, In c all.
Variable better : Q -> Q -> Prop.
Hypothesis irreflexive : forall c, ~ better c c.
Hypothesis transitive : forall c d e, better c d -> better d e -> better c e.
Variable moves : I -> Q -> Q -> Prop.  (* record i changes its own action, all others keep theirs *)

Definition anybody (c d : Q) : Prop := exists i, moves i c d.

(* In step t it is the turn of record who t. It changes to an action that is strictly better, and it
   keeps its action only if none is. *)
Definition in_turn (who : nat -> I) (play : nat -> Q) : Prop := forall t,
  (moves (who t) (play t) (play (S t)) /\ better (play t) (play (S t))) \/
  (play (S t) = play t /\ forall d, moves (who t) (play t) d -> ~ better (play t) d).
Definition again_and_again (who : nat -> I) : Prop := forall i t, exists s,
  (t <= s)%nat /\ who s = i.

Variables (who : nat -> I) (play : nat -> Q).
Hypothesis turns : in_turn who play.

Lemma first_change t s : (t <= s)%nat -> play s <> play t ->
  exists u, (t <= u)%nat /\ play u = play t /\ anybody (play t) (play (S u))
    /\ better (play t) (play (S u)).
Proof.
  intros L. induction L as [|s L IH]; intros D; [congruence|].
  destruct (Classical_Prop.classic (play s = play t)) as [E|E]; [|apply IH, E].
  exists s. destruct (turns s) as [[M B]|[K _]]; [|congruence].
  rewrite <- E. repeat split; [exact L|exists (who s); exact M|exact B].
Qed.

(* Either the play stands still from some step on, or it has as many moves as we like. *)
Lemma still_or_long k : forall t,
  (exists T, (t <= T)%nat /\ forall s, (T <= s)%nat -> play s = play T) \/
  (exists ds, run better anybody (play t) ds /\ length ds = k).
Proof.
  induction k as [|k IH]; intros t; [right; exists []; split; [exact Logic.I|reflexivity]|].
  destruct (Classical_Prop.classic (exists s, (t <= s)%nat /\ play s <> play t)) as [[s [L D]]|N].
  - destruct (first_change t s L D) as [u [Lu [_ [M B]]]].
    destruct (IH (S u)) as [[T [LT HT]]|[ds [H Len]]].
    + left. exists T. split; [lia|exact HT].
    + right. exists (play (S u) :: ds).
      split; [split; [split; assumption|exact H]|simpl; congruence].
  - left. exists t. split; [lia|]. intros s L. apply Classical_Prop.NNPP. intros D. apply N.
    exists s. split; assumption.
Qed.

(* After the last move every record has a turn and keeps its action. *)
Theorem play_ends_at_nash : again_and_again who ->
  exists T, (forall s, (T <= s)%nat -> play s = play T) /\ nash better anybody (play T).
Proof.
  intros again. destruct (still_or_long (length all) 0) as [[T [_ H]]|[ds [H L]]].
  - exists T. split; [exact H|]. intros d [i M] B. destruct (again i T) as [s [Ls W]].
    destruct (turns s) as [[_ B']|[_ N]].
    + rewrite (H s Ls), (H (S s) ltac:(lia)) in B'. apply (irreflexive _ B').
    + rewrite W, (H s Ls) in N. apply (N d M B).
  - pose proof (best_responses_stop all finite better irreflexive transitive anybody _ _ H). lia.
Qed.

(* A property that no strictly better profile lacks is kept. *)
Theorem kept_in_turn (good : Q -> Prop) : (forall c d, good c -> better c d -> good d) ->
  good (play 0) -> forall t, good (play t).
Proof.
  intros K G. induction t as [|t IH]; [exact G|].
  destruct (turns t) as [[_ B]|[-> _]]; [exact (K _ _ IH B)|exact IH].
Qed.
End In_turn.

(* ---- Existence: a profile with the largest payoff is an equilibrium ---- *)

Section Existence.
Context {Q : Type}.
Variable all : list Q.
Hypothesis finite : forall c, In c all.
Hypothesis some : all <> [].
Variable payoff : Q -> R.                              (* P_E + P_U, the same for all players *)
Variable move : Q -> Q -> Prop.

Let better (c d : Q) := payoff c < payoff d.

Lemma maximum : exists c, forall d, payoff d <= payoff c.
Proof.
  assert (H : forall l, l <> [] -> exists c, forall d, In d l -> payoff d <= payoff c).
  { induction l as [|a l IH]; intros N; [congruence|]. destruct l as [|b l].
    - exists a. intros d [<-|[]]. lra.
    - destruct IH as [c C]; [discriminate|]. destruct (Rle_lt_dec (payoff a) (payoff c)) as [L|L].
      + exists c. intros d [<-|I]; [exact L|apply C, I].
      + exists a. intros d [<-|I]; [lra|]. specialize (C d I). lra. }
  destruct (H all some) as [c C]. exists c. intros d. apply C, finite.
Qed.

Theorem a_maximum_is_nash c : (forall d, payoff d <= payoff c) -> nash better move c.
Proof. intros C d _ B. unfold better in B. specialize (C d). lra. Qed.

Theorem equilibrium_exists : exists c, nash better move c.
Proof. destruct maximum as [c C]. exists c. apply a_maximum_is_nash, C. Qed.
End Existence.

(* ---- The pair (P_E, -KL), the first entry first, and the safe start ---- *)

Section Safe_start.
Context {Q : Type}.
Variable all : list Q.
Hypothesis finite : forall c, In c all.
Variables (P_E : Q -> nat) (KL : Q -> R) (n : nat).
Hypothesis at_most_all : forall c, (P_E c <= n)%nat.
Variable move : Q -> Q -> Prop.

Definition greater_pair (c d : Q) : Prop :=
  (P_E c < P_E d)%nat \/ (P_E c = P_E d /\ KL d < KL c).

Lemma pair_irreflexive c : ~ greater_pair c c.
Proof. intros [H|[_ H]]; [lia|lra]. Qed.

Lemma pair_transitive c d e : greater_pair c d -> greater_pair d e -> greater_pair c e.
Proof.
  intros [A|[A A']] [B|[B B']]; [left; lia|left; lia|left; lia|right; split; [lia|lra]].
Qed.

(* Fewer moves than profiles. *)
Theorem dynamics_stop c ds : run greater_pair move c ds -> (length ds < length all)%nat.
Proof.
  apply best_responses_stop; [exact finite|exact pair_irreflexive|exact pair_transitive].
Qed.

(* The payoff P_E + P_U with P_U = 1 - KL / ln K. If P_U lies between 0 and 1, a greater payoff is a
   greater pair; if P_U is also positive, the two orders are the same. *)
Section Payoff.
Variable K : R.
Hypothesis K_large : 1 < K.
Definition P_U (c : Q) : R := 1 - KL c / ln K.
Definition payoff_of (c : Q) : R := INR (P_E c) + P_U c.
Hypothesis utility_bounds : forall c, 0 <= P_U c <= 1.

Lemma divergence_by_utility c d : KL d < KL c <-> P_U c < P_U d.
Proof.
  assert (L : 0 < ln K) by (rewrite <- ln_1; apply ln_increasing; lra). unfold P_U.
  assert (E : forall x, x / ln K * ln K = x) by (intros; field; lra).
  pose proof (E (KL c)). pose proof (E (KL d)). split; intros; nra.
Qed.

Theorem greater_payoff_is_greater_pair c d : payoff_of c < payoff_of d -> greater_pair c d.
Proof.
  unfold payoff_of, greater_pair. intros H. pose proof (utility_bounds c).
  pose proof (utility_bounds d).
  rewrite divergence_by_utility. destruct (lt_eq_lt_dec (P_E c) (P_E d)) as [[L|E]|L].
  - left. exact L.
  - right. rewrite E in H. split; [exact E|lra].
  - apply le_INR in L. rewrite S_INR in L. lra.
Qed.

Theorem the_orders_agree : (forall c, 0 < P_U c) ->
  forall c d, greater_pair c d <-> payoff_of c < payoff_of d.
Proof.
  intros positive c d. split; [|apply greater_payoff_is_greater_pair].
  unfold payoff_of, greater_pair. rewrite divergence_by_utility.
  pose proof (utility_bounds c). pose proof (utility_bounds d). pose proof (positive d).
  intros [L|[-> L]]; [apply le_INR in L; rewrite S_INR in L|]; lra.
Qed.

(* Theorem (best-response dynamics end at a Nash equilibrium): no record can raise the payoff P_E +
   P_U by changing its own action, so the regret is 0. *)
Theorem dynamics_end {I : Type} (moves : I -> Q -> Q -> Prop) (who : nat -> I) (play : nat -> Q) :
  in_turn greater_pair moves who play -> again_and_again who ->
  exists T, (forall s, (T <= s)%nat -> play s = play T) /\
    forall i d, moves i (play T) d -> payoff_of d <= payoff_of (play T).
Proof.
  intros turns again.
  destruct (play_ends_at_nash all finite greater_pair pair_irreflexive pair_transitive moves who
    play turns
              again) as [T [H N]].
  exists T. split; [exact H|]. intros i d M.
  destruct (Rle_lt_dec (payoff_of d) (payoff_of (play T))) as [L|L];
    [exact L|]. destruct (N d (ex_intro _ i M)). apply greater_payoff_is_greater_pair, L.
Qed.

(* Theorem (from a safe start): a move to a profile with P_E < n would make the pair smaller. *)
Theorem safe_start {I : Type} (moves : I -> Q -> Q -> Prop) (who : nat -> I) (play : nat -> Q) :
  in_turn greater_pair moves who play -> again_and_again who -> P_E (play 0%nat) = n ->
  (forall t, P_E (play t) = n) /\
  exists T, (forall s, (T <= s)%nat -> play s = play T) /\
    forall i d, moves i (play T) d -> payoff_of d <= payoff_of (play T).
Proof.
  intros turns again G. split; [|exact (dynamics_end moves who play turns again)].
  apply (kept_in_turn greater_pair moves who play turns (fun c => P_E c = n)); [|exact G].
  intros c d E [B|[B _]]; [specialize (at_most_all d); lia|lia].
Qed.
End Payoff.
End Safe_start.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@best_responses_stop, @play_ends_at_nash, @a_maximum_is_nash, @equilibrium_exists,
    @dynamics_stop,
   @the_orders_agree, @dynamics_end, @safe_start).
Print Assumptions checked_here.
