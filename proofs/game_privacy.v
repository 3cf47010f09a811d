(* Privacy in the game: a companion to book/game/nvo-game.md and book/per_instance/theorem-one.md.

   The linear form of pDP and Theorem 1', for the game as game.v defines it. *)
Require Import Reals Lra Lia List Permutation.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.truncated_laplace Pdp.theorem_one Pdp.nvo_game.
Require Import Pdp.best_response Pdp.game.
Import ListNotations.
Open Scope R_scope.

Section Game.
Context {A : Type}.
Variables (K : nat) (p : A -> nat -> nat -> R) (data : list nat) (eps : R).
Hypothesis two_records : (2 <= length data)%nat.
Let n : R := INR (length data).

Lemma n_of_records (c : @profile A data) : INR (length (records data c)) = n.
Proof. unfold n. rewrite number_of_records. reflexivity. Qed.

(* S(x), the sum of the rows of all records of a profile. *)
Definition mass_of (c : @profile A data) (x : nat) : R :=
  sum (records data c) (fun r => p (snd r) (fst r) x).

Lemma output_is_mass_over_n (c : @profile A data) x : output (rows p data c) x = mass_of c x / n.
Proof.
  unfold output, released, mass, rows, mass_of. rewrite !map_length, n_of_records, !sum_map.
  reflexivity.
Qed.

(* Records in a row of the list can be counted off in any order. *)
Lemma private_in_any_order (c : @profile A data) : all_are_private K p data eps c <->
  forall r others, Permutation (records data c) (r :: others) -> is_private K p eps r others.
Proof.
  split.
  - intros H r others E.
    assert (I : In r (records data c)) by (apply (Permutation_in r (Permutation_sym E)); left;
    reflexivity).
    apply in_split in I. destruct I as [before [after I]]. specialize (H before r after I).
    rewrite I in E. apply Permutation_sym, Permutation_cons_app_inv in E.
    unfold is_private, pdp in *. apply atoms_suffice. intros x.
    apply (proj1 (atoms_suffice _ _ _)) with (x := x) in H.
    rewrite (order_plays_no_role (map (its_row K p) others) (map (its_row K p) (before ++ after)))
      by (apply Permutation_map, E).
    rewrite (order_plays_no_role (its_row K p r :: map (its_row K p) others)
               (its_row K p r :: map (its_row K p) (before ++ after)))
      by (apply perm_skip, Permutation_map, E). exact H.
  - intros H before r after E. apply H. rewrite E. apply Permutation_sym, Permutation_middle.
Qed.

(* The linear form: all records are ε-pDP if and only if σ S(x) <= p_i(x) <= τ S(x) for each record
   and output. *)
Theorem linear_form_of_the_game (c : @profile A data) : all_are_private K p data eps c <->
  forall r, In r (records data c) -> forall x, (x < K)%nat ->
    sigma n eps * mass_of c x <= p (snd r) (fst r) x <= tau n eps * mass_of c x.
Proof.
  assert (one : forall before r after, records data c = before ++ r :: after ->
    (is_private K p eps r (before ++ after) <-> forall x, (x < K)%nat ->
      sigma n eps * mass_of c x <= p (snd r) (fst r) x <= tau n eps * mass_of c x)).
  { intros before r after E. unfold is_private.
    assert (L : S (length (before ++ after)) = length data).
    { rewrite <- (number_of_records data c), E, !app_length. simpl. lia. }
    assert (some : map (its_row K p) (before ++ after) <> [])
      by (destruct (before ++ after); [simpl in L; lia|discriminate]).
    rewrite (linear_form eps (its_row K p r) (map (its_row K p) (before ++ after)) some).
    simpl length. rewrite map_length, L. fold n.
    assert (M : forall x : bin K, mass (its_row K p r :: map (its_row K p) (before ++ after)) x
                                  = mass_of c (proj1_sig x)).
    { intros x. unfold mass_of.
      rewrite E, (sum_perm _ (r :: before ++ after)) by (apply Permutation_sym, Permutation_middle).
      unfold mass. simpl. rewrite sum_map. reflexivity. }
    split.
    - intros H x X. specialize (H (exist _ x X)). rewrite M in H. exact H.
    - intros H x. rewrite M. apply H, (proj2_sig x). }
  split.
  - intros H r I. apply in_split in I. destruct I as [before [after E]].
    apply (one before r after E), H, E.
  - intros H before r after E. apply (one before r after E), H. rewrite E. apply in_elt.
Qed.
End Game.

(* ---- Theorem 1', for every profile of the game ---- *)

Section Laplace.
Context {A : Type}.
Variables (K : nat) (scale : A -> R) (data : list nat) (eps : R).
Hypothesis eps_pos : 0 < eps.
Hypothesis two_records : (2 <= length data)%nat.
Hypothesis on_the_grid : forall k, In k data -> (k < K)%nat.

(* If every record of a profile has a scale of at least b*, every record is ε-pDP. *)
Theorem theorem_one_of_the_game (c : @profile A data) :
  (forall r, In r (records data c) -> scale_bound (INR (length data)) eps <= scale (snd r)) ->
  all_are_private K (laplace K scale) data eps c.
Proof.
  intros B before r after E. unfold is_private.
  assert (L : S (length (before ++ after)) = length data).
  { rewrite <- (number_of_records data c), E, !app_length. simpl. lia. }
  assert (member : forall i, In i (r :: before ++ after) -> In i (records data c)).
  { intros i I. rewrite E. apply in_or_app. destruct I as [<-|I]; [right; left; reflexivity|].
    apply in_app_or in I. destruct I as [I|I]; [left; exact I|right; right; exact I]. }
  assert (grid : forall i, In i (r :: before ++ after) -> (fst i < K)%nat).
  { intros i I. apply on_the_grid. rewrite <- (bins_of_the_records data c).
    apply in_map, member, I. }
  pose proof (theorem_one_prime eps K eps_pos (fst r, scale (snd r))
                (map (fun i => (fst i, scale (snd i))) (before ++ after))) as T.
  rewrite map_map in T. apply T.
  - intros N. apply map_eq_nil in N. rewrite N in L. simpl in L. lia.
  - intros i [<-|I]; [apply (grid r); left; reflexivity|]. apply in_map_iff in I.
    destruct I as [j [<- I]].
    apply (grid j). right. exact I.
  - simpl length. rewrite map_length, L. intros i [<-|I]; [apply B, member; left; reflexivity|].
    apply in_map_iff in I. destruct I as [j [<- I]]. apply B, member. right. exact I.
Qed.

(* So if all scales of the game are that large, every profile is a safe start, an equilibrium or
   not. *)
Theorem every_profile_is_safe : (forall a, scale_bound (INR (length data)) eps <= scale a) ->
  forall c : @profile A data, all_are_private K (laplace K scale) data eps c.
Proof. intros B c. apply theorem_one_of_the_game. intros r _. apply B. Qed.
End Laplace.

Definition checked_here := (@linear_form_of_the_game, @theorem_one_of_the_game,
  @every_profile_is_safe).
Print Assumptions checked_here.
