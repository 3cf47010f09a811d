(* Existence of an equilibrium and termination of best responses, for a payoff that all players share:
   a companion to book/game/nvo-game.md (potential and existence) and book/game/best-response.md.

   Profiles are of any type Q, of which there are finitely many. A payoff is compared by its value,
   a real number; the pair (P_E, -KL) is treated at the end. *)
Require Import Reals Lra Lia List Wellfounded.
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

(* From every start some run ends at a Nash equilibrium: where no best response is left. *)
Theorem a_run_that_cannot_go_on_ends_at_nash c : (forall d, ~ best_response c d) -> nash c.
Proof. intros H d M B. apply (H d). split; assumption. Qed.

(* A property that no best response destroys holds at all later profiles. *)
Theorem kept_on_the_way (good : Q -> Prop) :
  (forall c d, good c -> better c d -> good d) ->
  forall ds c, good c -> run c ds -> forall d, In d ds -> good d.
Proof. intros K ds c G H d I. apply (K c d G). apply (later_is_better ds); assumption. Qed.
End Common_payoff.

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

(* Theorem (best-response dynamics end): fewer moves than profiles. *)
Theorem dynamics_stop c ds : run greater_pair move c ds -> (length ds < length all)%nat.
Proof.
  apply best_responses_stop; [exact finite|exact pair_irreflexive|exact pair_transitive].
Qed.

(* Theorem (from a safe start): a move to a profile with P_E < n would make the pair smaller. *)
Theorem safe_start c ds : P_E c = n -> run greater_pair move c ds ->
  forall d, In d ds -> P_E d = n.
Proof.
  intros G H. apply (kept_on_the_way greater_pair pair_transitive move (fun d => P_E d = n))
    with (ds := ds) (c := c); try assumption.
  intros e d E [B|[B _]]; [specialize (at_most_all d); lia|lia].
Qed.
End Safe_start.

Print Assumptions best_responses_stop.
Print Assumptions a_run_that_cannot_go_on_ends_at_nash.
Print Assumptions a_maximum_is_nash.
Print Assumptions equilibrium_exists.
Print Assumptions dynamics_stop.
Print Assumptions safe_start.
