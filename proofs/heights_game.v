(* The heights as a profile of the game: a companion to book/checks.md.

   The certificate of heights.v is about a list of rows in whole numbers. Here it becomes a
   statement about the game: every profile whose records have these rows makes all records
   private. *)
Require Import Reals Lra Lia List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.game.
Require Pdp.whole_numbers Pdp.heights.
Import ListNotations.
Open Scope R_scope.

(* A record that is private at every whole number is private at every bin of a grid. *)
Lemma private_on_a_grid (K : nat) eps (p : @row nat) (others : list (@row nat)) :
  pdp eps p others -> pdp eps (fun x : bin K => p (proj1_sig x))
    (map (fun q (x : bin K) => q (proj1_sig x)) others).
Proof.
  intros H. apply atoms_suffice. intros x.
  apply (proj1 (atoms_suffice _ _ _)) with (x := proj1_sig x) in H.
  unfold released, mass in *. simpl length in *. simpl sum in *. rewrite sum_map, map_length.
  exact H.
Qed.

(* The same for any list of rows whose records are private, whichever is taken out. *)
Lemma rows_of_the_game {A : Type} (K : nat) eps (p : A -> nat -> nat -> R) (data : list nat)
    (c : @profile A data) (rows : list (@row nat)) :
  (forall before q after, rows = before ++ q :: after -> pdp eps q (before ++ after)) ->
  map (fun r => p (snd r) (fst r)) (records data c) = rows -> all_are_private K p data eps c.
Proof.
  intros private same before r after E. rewrite E, map_app in same. simpl in same. symmetry in same.
  specialize (private _ _ _ same). apply (private_on_a_grid K) in private. unfold is_private.
  rewrite <- map_app, map_map in private. exact private.
Qed.

Lemma rows_in_whole_numbers eps units (people : list whole_numbers.weights) :
  (forall before w after, people = before ++ w :: after ->
     pdp eps (whole_numbers.probability units w)
       (map (whole_numbers.probability units) (before ++ after))) ->
  forall before q after, map (whole_numbers.probability units) people = before ++ q :: after ->
    pdp eps q (before ++ after).
Proof.
  intros H before q after E. apply map_eq_app in E. destruct E as [b [rest [S [B R]]]].
  destruct rest as [|w a]; [discriminate|]. injection R as <- A. rewrite <- B, <- A, <- map_app.
  exact (H b w a S).
Qed.

Theorem heights_are_private_in_the_game {A : Type} (K : nat)
  (p : A -> nat -> nat -> R) (data : list nat)
    (c : @profile A data) :
  map (fun r => p (snd r) (fst r)) (records data c)
    = map (whole_numbers.probability heights.units) (whole_numbers.people heights.profile) ->
  all_are_private K p data heights.epsilon c.
Proof.
  exact (rows_of_the_game K heights.epsilon p data c _
           (rows_in_whole_numbers heights.epsilon heights.units _ heights.every_record_is_private)).
Qed.

(* There are such games and profiles: the actions are rows, and any bins will do. *)
Fixpoint profile_from {A : Type} (l : list (nat * A)) : @profile_of A (map fst l) :=
  match l with [] => tt | r :: l' => (snd r, profile_from l') end.

Theorem a_profile_with_these_rows units (people : list whole_numbers.weights)
  (bin_of : whole_numbers.weights -> nat) :
  let l := map (fun w => (bin_of w, w)) people in
  map (fun r => (fun w (_ x : nat) => whole_numbers.probability units w x) (snd r) (fst r))
    (records (map fst l) (profile_from l)) = map (whole_numbers.probability units) people.
Proof.
  intros l. unfold records, l. induction people as [|w people IH]; [reflexivity|]. cbv zeta in IH.
  simpl.
  apply f_equal2; [reflexivity|exact IH].
Qed.

Definition checked_here :=
  (@rows_of_the_game, @a_profile_with_these_rows, @heights_are_private_in_the_game).
Print Assumptions checked_here.
