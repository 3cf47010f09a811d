(* An equilibrium that exposes a record: a companion to book/game/nvo-game.md.

   The game is that of game.v, with rows in whole numbers as in whole_numbers.v, which are the rows
   that the program decides on. In it privacy and the order of the divergences are inequalities
   between whole numbers, so Coq can compute whether a profile is an equilibrium. Then come the
   seven heights of the page. *)
Require Import Reals Lra Lia ZArith Bool List Psatz Permutation.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.nvo_game Pdp.game.
Require Pdp.whole_numbers.
Import ListNotations.
Open Scope R_scope.

(* ---- A game in whole numbers ---- *)

(* Outputs beyond the grid that nobody has do not matter. *)
Lemma on_the_bins (K : nat) eps (p : @row nat) (others : list (@row nat)) :
  (forall r, In r (p :: others) -> forall x, (K <= x)%nat -> r x = 0) ->
  (pdp eps (fun x : bin K => p (proj1_sig x)) (map (fun q (x : bin K) => q (proj1_sig x)) others)
   <-> pdp eps p others).
Proof.
  intros Z. unfold pdp. rewrite !atoms_suffice.
  assert (same : forall x : bin K,
    released (map (fun q (x : bin K) => q (proj1_sig x)) (p :: others)) x
      = released (p :: others) (proj1_sig x) /\
    released (map (fun q (x : bin K) => q (proj1_sig x)) others) x = released others (proj1_sig x)).
  { intros x. unfold released, mass. rewrite !sum_map, !map_length. split; reflexivity. }
  simpl map in same. unfold row in *. split; intros H x.
  - destruct (lt_dec x K) as [L|G].
    + specialize (H (exist _ x L)). destruct (same (exist _ x L)) as [E1 E2]. rewrite E1, E2 in H.
      exact H.
    + assert (none : forall l, (forall r, In r l -> In r (p :: others)) -> released l x = 0).
      { intros l I. unfold released, mass. rewrite (sum_ext l _ (fun _ => 0)).
        - rewrite sum_const. unfold Rdiv. ring.
        - intros r J. apply Z; [apply I, J|lia]. }
      rewrite !none by (intros r J; [exact J || (right; exact J)]). lra.
  - destruct (same x) as [E1 E2]. rewrite E1, E2. apply H.
Qed.

Lemma filter_length_le {B : Type} (f g : B -> bool) l :
  (forall b, In b l -> f b = true -> g b = true) ->
    (length (filter f l) <= length (filter g l))%nat.
Proof.
  induction l as [|b l IH]; intros H; [reflexivity|]. simpl.
  specialize (IH (fun c I => H c (or_intror I))). specialize (H b (or_introl eq_refl)).
  destruct (f b); [rewrite (H eq_refl); simpl; lia|]. destruct (g b); simpl; lia.
Qed.

Lemma filter_taken_out {B : Type} (f : B -> bool) (l : list B) :
  length (filter (fun ro => f (fst ro)) (taken_out l)) = length (filter f l).
Proof.
  assert (E : map fst (taken_out l) = l).
  { induction l as [|a l IH]; [reflexivity|]. simpl. f_equal. rewrite map_map. exact IH. }
  rewrite <- E at 2. generalize (taken_out l). clear. intros m.
  induction m as [|ro m IH]; [reflexivity|].
  simpl. destruct (f (fst ro)); simpl; rewrite IH; reflexivity.
Qed.

(* The bins of the records, each once for each of its records. *)
Lemma sum_over_the_bins (data : list nat) (f : nat -> R) :
  sum (nodup Nat.eq_dec data) (fun x => sum data (fun k => if Nat.eq_dec k x then 1 else 0) * f x)
    = sum data f.
Proof.
  rewrite (sum_ext _ _ (fun x => sum data (fun k => (if Nat.eq_dec k x then 1 else 0) * f x))).
  2:{ intros x _. rewrite Rmult_comm, <- sum_scal. apply sum_ext. intros k _. ring. }
  rewrite sum_swap. apply sum_ext. intros k I. apply (nodup_In Nat.eq_dec) in I.
  pose proof (NoDup_nodup Nat.eq_dec data) as D. revert D I. generalize (nodup Nat.eq_dec data).
  induction l as [|x l IH]; intros D I; [contradiction|]. inversion D as [|? ? N D']; subst. simpl.
  destruct (Nat.eq_dec k x) as [->|Ne].
  - rewrite (sum_ext l _ (fun _ => 0)), sum_const; [ring|].
    intros y J. destruct (Nat.eq_dec x y) as [E|_]; [rewrite E in N; contradiction|ring].
  - destruct I as [E|I]; [congruence|]. rewrite IH by assumption. ring.
Qed.

Lemma ln_div a b : 0 < a -> 0 < b -> ln (a / b) = ln a - ln b.
Proof.
  intros A B. unfold Rdiv.
  rewrite ln_mult, ln_Rinv; try assumption; [ring|apply Rinv_0_lt_compat, B].
Qed.

Section Changes.
Context {A : Type}.
Variable actions : list A.
Hypothesis all_actions : forall a, In a actions.

(* All profiles that one record can reach by changing its action. *)
Fixpoint changes_of (l : list nat) : @profile_of A l -> list (@profile_of A l) :=
  match l with
  | [] => fun _ => []
  | _ :: l' => fun c => map (fun a => (a, snd c)) actions ++ map (fun d => (fst c, d))
    (changes_of l' (snd c))
  end.

Lemma every_move_is_a_change l i : forall c d : @profile_of A l, moves_of l i c d ->
  In d (changes_of l c).
Proof.
  revert i. induction l as [|k l IH]; intros i c d M; [contradiction|].
  destruct c as [a c], d as [b d]. simpl. apply in_app_iff. destruct i as [|i]; simpl in M.
  - left. subst. apply in_map_iff. exists b. split; [reflexivity|apply all_actions].
  - right. destruct M as [-> M]. apply in_map_iff. exists d. split; [reflexivity|apply (IH i), M].
Qed.

Lemma every_change_is_a_move l : forall c d : @profile_of A l, In d (changes_of l c) ->
  exists i, (i < length l)%nat /\ moves_of l i c d.
Proof.
  induction l as [|k l IH]; intros c d I; [contradiction|].
  destruct c as [a c], d as [b d]. simpl in I. apply in_app_iff in I.
  destruct I as [I|I]; apply in_map_iff in I.
  - destruct I as [b' [E _]]. injection E as -> ->. exists 0%nat. simpl. split; [lia|reflexivity].
  - destruct I as [d' [E I]]. injection E as -> ->. destruct (IH c d I) as [i [L M]]. exists (S i).
    simpl. split; [lia|]. split; [reflexivity|exact M].
Qed.
End Changes.

Section In_whole_numbers.
Context {A : Type}.
Variable actions : list A.
Hypothesis all_actions : forall a, In a actions.
Variable K : nat.
Variable units : Z.
(* the weights of a record of bin k with action a *)
Variable row_of : A -> nat -> whole_numbers.weights.
Variable data : list nat.
Variable eps : R.
Variables low high below : Z.                           (* low/below <= e^ε <= high/below *)

Definition in_units (a : A) (k : nat) : nat -> R := whole_numbers.probability units (row_of a k).
Let profile : Type := @profile A data.
Implicit Types c d : profile.

Hypothesis units_positive : (0 < units)%Z.
Hypothesis two_bins : (2 <= K)%nat.
Hypothesis two_records : (2 <= length data)%nat.
Hypothesis on_the_grid : forall k, In k data -> (k < K)%nat.
Hypothesis rows : forall a k, (k < K)%nat -> whole_numbers.is_row units (row_of a k)
  /\ length (row_of a k) = K.
Hypothesis own_bin : forall a k, In k data ->
  (units < Z.of_nat K * whole_numbers.weight (row_of a k) k)%Z.
Hypothesis below_positive : (0 < below)%Z.
Hypothesis enclosed : IZR low / IZR below <= exp eps <= IZR high / IZR below.

(* What Coq computes of a profile: the masses S(x), how many records pass with either bound of
   e^ε, *)
Definition rows_of (c : profile) : list whole_numbers.weights :=
  map (fun r => row_of (snd r) (fst r)) (records data c).
Definition masses_of (c : profile) : whole_numbers.weights :=
  map (whole_numbers.column (rows_of c)) (seq 0 K).
Definition passing (a : Z) (c : profile) : nat :=
  let S := masses_of c in let n := Z.of_nat (length data) in
  length (filter (whole_numbers.holds_everywhere a below n S) (rows_of c)).
(* and the product of the masses of the records' own bins. *)
Definition product (l : list Z) : Z := fold_right Z.mul 1%Z l.
Definition own_masses (c : profile) : Z :=
  let S := masses_of c in product (map (whole_numbers.weight S) data).
Definition own_counts : Z :=
  product (map (fun k => (Z.of_nat (count_occ Nat.eq_dec data k) * units)%Z) data).

Lemma in_the_records c r : In r (records data c) -> In (fst r) data.
Proof. intros I. rewrite <- (bins_of_the_records data c). apply in_map, I. Qed.

Lemma the_rows_are_rows c w : In w (rows_of c) -> whole_numbers.is_row units w /\ length w = K.
Proof.
  intros I. apply in_map_iff in I. destruct I as [r [<- I]].
  apply rows, on_the_grid, (in_the_records c), I.
Qed.

Lemma beyond (w : whole_numbers.weights) x : length w = K -> (K <= x)%nat ->
  whole_numbers.weight w x = 0%Z.
Proof. intros L X. apply nth_overflow. lia. Qed.

Lemma column_beyond c x : (K <= x)%nat -> whole_numbers.column (rows_of c) x = 0%Z.
Proof.
  intros X. assert (L : forall w, In w (rows_of c) -> length w = K)
    by (intros w I; apply (the_rows_are_rows c w I)).
  revert L. generalize (rows_of c). induction l as [|w l IH]; intros L; [reflexivity|].
  unfold whole_numbers.column in *. simpl. rewrite (IH (fun v I => L v (or_intror I))), beyond;
    auto.
  apply L. left. reflexivity.
Qed.

Lemma weight_of_masses c x : whole_numbers.weight (masses_of c) x
  = whole_numbers.column (rows_of c) x.
Proof.
  unfold whole_numbers.weight, masses_of. destruct (lt_dec x K) as [L|G].
  - rewrite (nth_indep _ 0%Z (whole_numbers.column (rows_of c) 0))
      by (rewrite map_length, seq_length; exact L).
    rewrite map_nth, seq_nth by exact L. reflexivity.
  - rewrite nth_overflow by (rewrite map_length, seq_length; lia). symmetry. apply column_beyond.
    lia.
Qed.

Lemma column_is_a_sum (l : list whole_numbers.weights) x :
  IZR (whole_numbers.column l x) = sum l (fun w => IZR (whole_numbers.weight w x)).
Proof.
  unfold whole_numbers.column. induction l as [|w l IH]; [reflexivity|]. simpl.
  rewrite plus_IZR, IH. reflexivity.
Qed.

(* One record and the others, in the terms of whole_numbers.v. *)
Lemma one_of_them c before r after : records data c = before ++ r :: after ->
  let w := row_of (snd r) (fst r) in let others :=
    map (fun r => row_of (snd r) (fst r)) (before ++ after) in
  others <> [] /\ whole_numbers.is_row units w /\ Forall (whole_numbers.is_row units) others /\
  Z.of_nat (length (w :: others)) = Z.of_nat (length data) /\ In w (rows_of c) /\
  (forall x, whole_numbers.column (w :: others) x = whole_numbers.weight (masses_of c) x) /\
  (is_private K in_units eps r (before ++ after)
   <-> pdp eps (whole_numbers.probability units w) (map (whole_numbers.probability units) others)).
Proof.
  intros E w others.
  assert (P : Permutation (rows_of c) (w :: others)).
  { unfold rows_of. rewrite E.
    change (w :: others) with (map (fun r => row_of (snd r) (fst r)) (r :: before ++ after)).
    apply Permutation_map. symmetry. apply Permutation_middle. }
  assert (inside : forall v, In v (w :: others) -> In v (rows_of c))
    by (intros v; apply Permutation_in; symmetry; exact P).
  assert (len : length (w :: others) = length data).
  { rewrite <- (Permutation_length P). unfold rows_of. rewrite map_length.
    apply number_of_records. }
  split; [intros Z; rewrite Z in len; simpl in len; lia|].
  split; [apply (the_rows_are_rows c), inside; left; reflexivity|].
  split; [apply Forall_forall; intros v I; apply (the_rows_are_rows c), inside; right; exact I|].
  split; [f_equal; exact len|]. split; [apply inside; left; reflexivity|]. split.
  - intros x. rewrite weight_of_masses. apply eq_IZR. rewrite !column_is_a_sum. apply sum_perm.
    symmetry. exact P.
  - rewrite <- (on_the_bins K eps (whole_numbers.probability units w)).
    + unfold is_private, others. rewrite !map_map. reflexivity.
    + intros q I x X. assert (J : exists v,
        In v (w :: others) /\ q = whole_numbers.probability units v).
      { destruct I as [<-|I]; [exists w; split; [left|]; reflexivity|]. apply in_map_iff in I.
        destruct I as [v [<- I]]. exists v. split; [right; exact I|reflexivity]. }
      destruct J as [v [J ->]]. unfold whole_numbers.probability.
      rewrite beyond; [unfold Rdiv; ring| |exact X].
      apply (the_rows_are_rows c), inside, J.
Qed.

(* A record that fails at one output with the upper bound is exposed. *)
Theorem exposed_at c before r after x : records data c = before ++ r :: after ->
  whole_numbers.holds_at high below (Z.of_nat (length data)) (whole_numbers.weight (masses_of c) x)
    (whole_numbers.weight (row_of (snd r) (fst r)) x) = false ->
  ~ is_private K in_units eps r (before ++ after).
Proof.
  intros E X H. destruct (one_of_them c before r after E) as [some [R [Rs [N [I [M iff]]]]]].
  apply iff in H. revert H.
  apply (whole_numbers.exposed_by_an_upper_bound units units_positive eps _ _ some R Rs high below x
           below_positive (proj2 enclosed)).
  unfold whole_numbers.holds. rewrite N, M. intros D.
  apply whole_numbers.holds_at_iff in D. rewrite X in D. discriminate.
Qed.

(* The number of private records lies between the two counts. *)
Theorem P_E_between c : (passing low c <= P_E K in_units data eps c <= passing high c)%nat.
Proof.
  unfold passing, P_E, rows_of. set (row := fun r : nat * A => row_of (snd r) (fst r)).
  assert (F : forall f, length (filter f (map row (records data c)))
    = length (filter (fun ro => f (row (fst ro))) (taken_out (records data c)))).
  { intros f. rewrite (filter_taken_out (fun r => f (row r))).
    induction (records data c) as [|r l IH]; [reflexivity|].
    simpl. destruct (f (row r)); simpl; rewrite IH; reflexivity. }
  rewrite !F. split; apply filter_length_le; intros [r others] I H;
    apply in_taken_out in I; destruct I as [before [after [E ->]]];
    destruct (one_of_them c before r after E) as [some [R [Rs [N [I [M iff]]]]]]; fold (row r) in *.
  - apply passes_is_private, iff.
    apply (whole_numbers.private_by_a_lower_bound units units_positive eps _ _ some R Rs low below
      below_positive
             (proj1 enclosed)).
    intros x. unfold whole_numbers.holds. rewrite N, M.
    pose proof (whole_numbers.holds_at_every_output _ _ _ _ _ H x) as D.
    apply whole_numbers.holds_at_iff in D. exact D.
  - apply passes_is_private in H. apply not_false_iff_true. intros N'.
    destruct (whole_numbers.fails_at_some_output high below (Z.of_nat (length data)) (masses_of c)
      (row r)) as [x X].
    + unfold masses_of. rewrite map_length, seq_length. symmetry. apply (the_rows_are_rows c), I.
    + exact N'.
    + exact (exposed_at c before r after x E X H).
Qed.

Lemma U : 0 < IZR units.
Proof. apply IZR_lt, units_positive. Qed.

Lemma n_positive : 0 < INR (length data).
Proof. apply lt_0_INR. lia. Qed.

Lemma own_mass_positive c k : In k data -> (0 < whole_numbers.column (rows_of c) k)%Z.
Proof.
  intros I. apply lt_IZR. rewrite column_is_a_sum.
  rewrite <- (bins_of_the_records data c) in I. apply in_map_iff in I. destruct I as [r [E I]].
  apply Rlt_le_trans with (IZR (whole_numbers.weight (row_of (snd r) (fst r)) k)).
  - apply IZR_lt. pose proof (own_bin (snd r) (fst r) (in_the_records c r I)) as O.
    rewrite E in O at 2. nia.
  - apply (sum_term_le (rows_of c) (fun w => IZR (whole_numbers.weight w k))).
    + intros w J. apply IZR_le, (whole_numbers.weight_nonnegative units), (the_rows_are_rows c w J).
    + apply in_map_iff. exists r. split; [reflexivity|exact I].
Qed.

Lemma ln_of_a_product (l : list nat) (f : nat -> Z) : (forall k, In k l -> (0 < f k)%Z) ->
  (0 < product (map f l))%Z /\ ln (IZR (product (map f l))) = sum l (fun k => ln (IZR (f k))).
Proof.
  induction l as [|k l IH]; intros H; [split; [reflexivity|exact ln_1]|].
  destruct (IH (fun j I => H j (or_intror I))) as [P E]. specialize (H k (or_introl eq_refl)).
  simpl. split; [apply Z.mul_pos_pos; assumption|].
  rewrite mult_IZR, ln_mult by (apply IZR_lt; assumption). rewrite E. reflexivity.
Qed.

Lemma own_masses_positive c : (0 < own_masses c)%Z.
Proof.
  apply (ln_of_a_product data). intros k I. rewrite weight_of_masses. apply own_mass_positive, I.
Qed.

Lemma own_counts_positive : (0 < own_counts)%Z.
Proof.
  apply (ln_of_a_product data (fun k => (Z.of_nat (count_occ Nat.eq_dec data k) * units)%Z)).
  intros k I.
  apply (count_occ_In Nat.eq_dec) in I. nia.
Qed.

(* The divergence is the mean over the records of ln(q/P), so it is the logarithm of one
   fraction. *)
Theorem divergence_in_whole_numbers c :
  divergence in_units data c = ln (IZR own_counts / IZR (own_masses c)) / INR (length data).
Proof.
  pose proof U as U0. pose proof n_positive as N.
  pose proof (own_masses_positive c) as M0. pose proof own_counts_positive as C0.
  assert (B : map fst (game.rows in_units data c) = data).
  { unfold game.rows. rewrite map_map. apply bins_of_the_records. }
  assert (L : length (game.rows in_units data c) = length data)
    by (rewrite <- B at 2; rewrite map_length; reflexivity).
  assert (O : forall x, output (game.rows in_units data c) x
    = IZR (whole_numbers.column (rows_of c) x) / IZR units / INR (length data)).
  { intros x. unfold output, released. rewrite map_length, L. f_equal.
    replace (map snd (game.rows in_units data c))
      with (map (whole_numbers.probability units) (rows_of c)).
    - apply whole_numbers.mass_of_the_rows, units_positive.
    - unfold game.rows, rows_of. rewrite !map_map. reflexivity. }
  assert (Q : forall x, histogram (game.rows in_units data c) x
    = sum data (fun k => if Nat.eq_dec k x then 1 else 0) / INR (length data)).
  { intros x. unfold histogram. rewrite L. f_equal. rewrite <- B at 2. rewrite sum_map.
    reflexivity. }
  assert (counted : forall x, sum data (fun k => if Nat.eq_dec k x then 1 else 0)
    = IZR (Z.of_nat (count_occ Nat.eq_dec data x))).
  { intros x. rewrite <- INR_IZR_INZ. clear. induction data as [|k l IH]; [reflexivity|]. simpl sum.
    rewrite IH. simpl count_occ.
    destruct (Nat.eq_dec k x); [rewrite S_INR|]; ring. }
  unfold divergence, KL, occupied_bins. rewrite B.
  rewrite (sum_ext _ _ (fun x => sum data (fun k => if Nat.eq_dec k x then 1 else 0)
    * (/ INR (length data) * ln (IZR (Z.of_nat (count_occ Nat.eq_dec data x) * units)
                                / IZR (whole_numbers.column (rows_of c) x))))).
  - rewrite sum_over_the_bins, sum_scal. unfold Rdiv at 2. rewrite Rmult_comm. f_equal.
    rewrite ln_div by (apply IZR_lt; assumption).
    destruct (ln_of_a_product data (fun k => (Z.of_nat (count_occ Nat.eq_dec data k) * units)%Z))
      as [_ E1].
    { intros k I. apply (count_occ_In Nat.eq_dec) in I. nia. }
    destruct (ln_of_a_product data (whole_numbers.weight (masses_of c))) as [_ E2].
    { intros k I. rewrite weight_of_masses. apply own_mass_positive, I. }
    unfold own_counts, own_masses. rewrite E1, E2.
    replace (sum data (fun k => ln (IZR (Z.of_nat (count_occ Nat.eq_dec data k) * units)))
             - sum data (fun k => ln (IZR (whole_numbers.weight (masses_of c) k))))
      with (sum data (fun k => ln (IZR (Z.of_nat (count_occ Nat.eq_dec data k) * units)))
            + -1 * sum data (fun k => ln (IZR (whole_numbers.weight (masses_of c) k)))) by ring.
    rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros k I.
    rewrite weight_of_masses, ln_div; [ring| |].
    + apply IZR_lt. apply (count_occ_In Nat.eq_dec) in I. nia.
    + apply IZR_lt, own_mass_positive, I.
  - intros x I. apply nodup_In in I. rewrite Q, O, counted. unfold Rdiv at 1. rewrite Rmult_assoc.
    f_equal. f_equal.
    f_equal. rewrite mult_IZR. pose proof (IZR_lt _ _ (own_mass_positive c x I)). field. lra.
Qed.

(* Of two profiles the one with the larger product has the smaller divergence. *)
Theorem divergence_orders c d :
  (divergence in_units data c <= divergence in_units data d <-> (own_masses d <= own_masses c)%Z) /\
  (divergence in_units data c < divergence in_units data d <-> (own_masses d < own_masses c)%Z).
Proof.
  assert (G : forall c d, divergence in_units data c <= divergence in_units data d <->
    (own_masses d <= own_masses c)%Z).
  { clear c d. intros c d. rewrite !divergence_in_whole_numbers. pose proof n_positive as N.
    pose proof (IZR_lt _ _ (own_masses_positive c)) as M.
    pose proof (IZR_lt _ _ (own_masses_positive d)) as M'.
    pose proof (IZR_lt _ _ own_counts_positive) as C. rewrite !ln_div by assumption.
    assert (I : 0 < / INR (length data)) by (apply Rinv_0_lt_compat, N). split.
    - intros H. apply Rmult_le_reg_r in H; [|exact I].
      apply le_IZR, ln_le_iff; [assumption|assumption|lra].
    - intros H. apply Rmult_le_compat_r; [lra|].
      apply IZR_le, ln_le_iff in H; [lra|assumption|assumption]. }
  split; [apply G|]. specialize (G d c). split; intros H.
  - apply Z.nle_gt. intros L. apply G in L. lra.
  - apply Rnot_le_lt. intros L. apply G in L. lia.
Qed.

(* Bounds of a divergence, with the bounds of e^ε of whole_numbers.v. *)
Theorem divergence_at_least (p q : Z) c : (0 < q)%Z ->
  let n := Z.of_nat (length data) in
  (whole_numbers.small (n * p) q + 1 < whole_numbers.one)%Z ->
  (whole_numbers.exp_above (n * p) q * own_masses c <= own_counts * whole_numbers.one)%Z ->
  IZR p / IZR q <= divergence in_units data c.
Proof.
  intros Q n small H. rewrite divergence_in_whole_numbers. pose proof n_positive as N.
  pose proof (IZR_lt _ _ (own_masses_positive c)) as M.
  pose proof (IZR_lt _ _ own_counts_positive) as C.
  pose proof (whole_numbers.exp_above_is_above (n * p) q Q small) as E.
  pose proof (IZR_lt _ _ whole_numbers.one_positive) as O. apply IZR_le in H.
  rewrite !mult_IZR in H.
  assert (N' : IZR n = INR (length data)) by (unfold n; symmetry; apply INR_IZR_INZ).
  apply IZR_lt in Q.
  rewrite mult_IZR, N' in E.
  apply Rmult_le_reg_r with (1 := N). unfold Rdiv at 2.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  rewrite <- (ln_exp (IZR p / IZR q * INR (length data))).
  apply ln_le_iff; [apply exp_pos|apply Rdiv_lt_0_compat; assumption|].
  replace (IZR p / IZR q * INR (length data)) with (INR (length data) * IZR p / IZR q)
    by (field; lra).
  apply Rle_trans with (1 := E).
  apply Rmult_le_reg_r with (1 := O). apply Rmult_le_reg_r with (1 := M).
  revert H M O. clear. generalize (IZR own_counts) (IZR (own_masses c)) (IZR whole_numbers.one)
    (IZR (whole_numbers.exp_above (n * p) q)). intros C M O E H M0 O0.
  replace (C / M * O * M) with (C * O) by (field; lra).
  replace (E / O * O * M) with (E * M) by (field; lra). exact H.
Qed.

Theorem divergence_at_most (p q : Z) c : (0 <= p)%Z -> (0 < q)%Z ->
  let n := Z.of_nat (length data) in
  (own_counts * whole_numbers.one <= whole_numbers.exp_below (n * p) q * own_masses c)%Z ->
  divergence in_units data c <= IZR p / IZR q.
Proof.
  intros P Q n H. rewrite divergence_in_whole_numbers. pose proof n_positive as N.
  pose proof (IZR_lt _ _ (own_masses_positive c)) as M.
  pose proof (IZR_lt _ _ own_counts_positive) as C.
  pose proof (whole_numbers.exp_below_is_below (n * p) q ltac:(lia) Q) as E.
  pose proof (IZR_lt _ _ whole_numbers.one_positive) as O. apply IZR_le in H.
  rewrite !mult_IZR in H.
  assert (N' : IZR n = INR (length data)) by (unfold n; symmetry; apply INR_IZR_INZ).
  apply IZR_lt in Q.
  rewrite mult_IZR, N' in E.
  apply Rmult_le_reg_r with (1 := N). unfold Rdiv at 1.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  rewrite <- (ln_exp (IZR p / IZR q * INR (length data))).
  apply ln_le_iff; [apply Rdiv_lt_0_compat; assumption|apply exp_pos|].
  replace (IZR p / IZR q * INR (length data)) with (INR (length data) * IZR p / IZR q)
    by (field; lra).
  apply Rle_trans with (2 := E).
  apply Rmult_le_reg_r with (1 := O). apply Rmult_le_reg_r with (1 := M).
  revert H M O. clear. generalize (IZR own_counts) (IZR (own_masses c)) (IZR whole_numbers.one)
    (IZR (whole_numbers.exp_below (n * p) q)). intros C M O E H M0 O0.
  replace (C / M * O * M) with (C * O) by (field; lra).
  replace (E / O * O * M) with (E * M) by (field; lra). exact H.
Qed.

(* ---- Which of two payoffs is larger ---- *)

Lemma utility_between_0_and_1 c : 0 < P_U K in_units data c <= 1.
Proof.
  pose proof U as U0. pose proof (lt_0_INR K ltac:(lia)) as K0.
  assert (some : data <> []) by (intros E; rewrite E in two_records; simpl in two_records; lia).
  assert (nonneg : forall a k x, (k < K)%nat -> (x < K)%nat -> 0 <= in_units a k x).
  { intros a k x L _. apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, U0].
    apply IZR_le, (whole_numbers.weight_nonnegative units), (rows a k L). }
  assert (sums : forall a k, (k < K)%nat -> sum (seq 0 K) (in_units a k) = 1).
  { intros a k L. destruct (rows a k L) as [[_ T] Len]. unfold in_units, whole_numbers.probability.
    rewrite (sum_ext _ _ (fun x => / IZR units * IZR (whole_numbers.weight (row_of a k) x)))
      by (intros; unfold Rdiv; ring).
    rewrite sum_scal. rewrite <- T at 1. rewrite <- Len.
    assert (G : forall w, sum (seq 0 (length w)) (fun x => IZR (whole_numbers.weight w x))
      = IZR (whole_numbers.total w)).
    { induction w as [|z w IH]; [reflexivity|]. simpl length. rewrite <- cons_seq, <- seq_shift.
      simpl sum.
      change (whole_numbers.total (z :: w)) with (z + whole_numbers.total w)%Z.
      rewrite sum_map, plus_IZR. f_equal. exact IH. }
    rewrite G, T. field. lra. }
  assert (own : forall a k, In k data -> 1 / INR K < in_units a k k).
  { intros a k I. unfold in_units, whole_numbers.probability.
    pose proof (IZR_lt _ _ (own_bin a k I)) as O.
    rewrite mult_IZR, <- INR_IZR_INZ in O.
    apply Rmult_lt_reg_r with (1 := K0). apply Rmult_lt_reg_r with (1 := U0).
    replace (1 / INR K * INR K * IZR units) with (IZR units) by (field; lra).
    replace (IZR (whole_numbers.weight (row_of a k) k) / IZR units * INR K * IZR units)
      with (INR K * IZR (whole_numbers.weight (row_of a k) k)) by (field; lra). exact O. }
  split.
  - apply positive_utility; assumption.
  - apply utility_of_the_game; try assumption. intros a k I. apply Rlt_le, own, I.
Qed.

(* More private records, or as many and no larger divergence. *)
Definition at_least (d c : profile) : bool :=
  let most := passing high d in let least := passing low c in
  if (most <? least)%nat then true
  else if (most <=? least)%nat then (own_masses d <=? own_masses c)%Z else false.
(* What does not depend on the second profile is computed once for all of them. *)
Definition above (d : profile) : profile -> bool :=
  let most := passing high d in let mass := own_masses d in
  fun c => let least := passing low c in
    if (most <? least)%nat then true
    else if (most <=? least)%nat then (mass <? own_masses c)%Z else false.

Lemma utilities d c :
  (divergence in_units data c <= divergence in_units data d <->
    P_U K in_units data d <= P_U K in_units data c) /\
  (divergence in_units data c < divergence in_units data d <->
    P_U K in_units data d < P_U K in_units data c).
Proof.
  assert (L : 0 < ln (INR K)).
  { rewrite <- ln_1. apply ln_increasing; [lra|]. apply (lt_INR 1). lia. }
  apply Rinv_0_lt_compat in L. unfold P_U, Rdiv. split; split; intros H.
  - apply (Rmult_le_compat_r (/ ln (INR K))) in H; lra.
  - apply Rmult_le_reg_r with (1 := L). lra.
  - apply (Rmult_lt_compat_r (/ ln (INR K))) in H; lra.
  - apply Rmult_lt_reg_r with (1 := L). lra.
Qed.

Theorem payoff_at_least d c : at_least d c = true -> payoff K in_units data eps d
  <= payoff K in_units data eps c.
Proof.
  unfold at_least, payoff. cbv zeta. pose proof (P_E_between d) as D.
  pose proof (P_E_between c) as C.
  pose proof (utility_between_0_and_1 d). pose proof (utility_between_0_and_1 c).
  destruct (Nat.ltb_spec (passing high d) (passing low c)) as [L|_].
  - intros _. assert (S (P_E K in_units data eps d) <= P_E K in_units data eps c)%nat as counted by lia.
    apply le_INR in counted. rewrite S_INR in counted. lra.
  - destruct (Nat.leb_spec (passing high d) (passing low c)) as [L|_]; [|discriminate].
    intros M. apply Z.leb_le, (proj1 (divergence_orders c d)), (proj1 (utilities d c)) in M.
    assert (counted : (P_E K in_units data eps d <= P_E K in_units data eps c)%nat) by lia.
    apply le_INR in counted. lra.
Qed.

Theorem payoff_above d c : above d c = true -> payoff K in_units data eps d
  < payoff K in_units data eps c.
Proof.
  unfold above, payoff. cbv beta zeta.
  pose proof (P_E_between d) as D. pose proof (P_E_between c) as C.
  pose proof (utility_between_0_and_1 d). pose proof (utility_between_0_and_1 c).
  destruct (Nat.ltb_spec (passing high d) (passing low c)) as [L|_].
  - intros _. assert (S (P_E K in_units data eps d) <= P_E K in_units data eps c)%nat as counted by lia.
    apply le_INR in counted. rewrite S_INR in counted. lra.
  - destruct (Nat.leb_spec (passing high d) (passing low c)) as [L|_]; [|discriminate].
    intros M. apply Z.ltb_lt, (proj2 (divergence_orders c d)), (proj2 (utilities d c)) in M.
    assert (counted : (P_E K in_units data eps d <= P_E K in_units data eps c)%nat) by lia.
    apply le_INR in counted. lra.
Qed.

(* ---- Equilibria ---- *)

Theorem is_equilibrium c : forallb (fun d => at_least d c) (changes_of actions data c) = true ->
  equilibrium K in_units data eps c.
Proof.
  intros H i d M. rewrite forallb_forall in H. apply payoff_at_least, H.
  apply (every_move_is_a_change actions all_actions data (proj1_sig i)), M.
Qed.

(* The first of a list that passes ends the search. *)
Fixpoint one_of {B : Type} (f : B -> bool) (l : list B) : bool :=
  match l with [] => false | b :: l' => if f b then true else one_of f l' end.

Lemma one_of_them_passes {B : Type} (f : B -> bool) l : one_of f l = true -> exists b,
  In b l /\ f b = true.
Proof.
  induction l as [|b l IH]; [discriminate|]. simpl. destruct (f b) eqn:F.
  - intros _. exists b. auto.
  - intros H. destruct (IH H) as [c [I C]]. exists c. auto.
Qed.

Theorem is_no_equilibrium c : one_of (above c) (changes_of actions data c) = true ->
  ~ equilibrium K in_units data eps c.
Proof.
  intros H E. apply one_of_them_passes in H. destruct H as [d [I H]].
  apply every_change_is_a_move in I. destruct I as [i [L M]]. apply payoff_above in H.
  specialize (E (exist _ i L) d M). lra.
Qed.
End In_whole_numbers.

(* ---- The seven heights ---- *)

Inductive scale : Type := small | medium | large.
Definition scales : list scale := [small; medium; large].
Definition units : Z := 4503599627370496.
Definition rows_with (a : scale) : list whole_numbers.weights :=
  match a with
  | small => [
    [4176733428818264; 320879471404844; 5877112525059; 107643070717; 1971551612];
    [299537676258255; 3898937567246036; 299537676258255; 5486223911917; 100483696033];
    [5479670912883; 299179894633858; 3894280496277014; 299179894633858; 5479670912883];
    [100483696033; 5486223911917; 299537676258255; 3898937567246036; 299537676258255];
    [1971551612; 107643070717; 5877112525059; 320879471404844; 4176733428818264]]
  | medium => [
    [2563772003895814; 1249082668479944; 459511834057336; 169044956724677; 62188164212725];
    [988555318780770; 2029033397506574; 988555318780770; 363669178240127; 133786414062255];
    [346007493031494; 940545880818179; 1930492879671150; 940545880818179; 346007493031494];
    [133786414062255; 363669178240127; 988555318780770; 2029033397506574; 988555318780770];
    [62188164212725; 169044956724677; 459511834057336; 1249082668479944; 2563772003895814]]
  | large => [
    [1244782381117181; 1072733646028499; 878280025865002; 719074866989803; 588728707370011];
    [968633897207332; 1123986754270712; 968633897207332; 793050360117420; 649294718567700];
    [768519103800017; 938671353080122; 1089218713610218; 938671353080122; 768519103800017];
    [649294718567700; 793050360117420; 968633897207332; 1123986754270712; 968633897207332];
    [588728707370011; 719074866989803; 878280025865002; 1072733646028499; 1244782381117181]]
  end%Z.
Definition row_with (a : scale) (k : nat) : whole_numbers.weights := nth k (rows_with a) [].

(* Five bins, seven records, ε = 1. *)
Definition kernel : scale -> nat -> nat -> R := in_units units row_with.
Definition heights : list nat := [1; 1; 1; 1; 2; 2; 4]%nat.
Definition all_small : profile heights := everybody heights small.
Definition all_medium : profile heights := everybody heights medium.
Definition two_large : profile heights :=
  (small, (small, (small, (small, (small, (large, (large, tt))))))).

Lemma all_scales a : In a scales.
Proof. destruct a; simpl; auto. Qed.

Lemma units_positive : (0 < units)%Z.
Proof. reflexivity. Qed.

Lemma two_bins : (2 <= 5)%nat.
Proof. lia. Qed.

Lemma two_heights : (2 <= length heights)%nat.
Proof. simpl. lia. Qed.

Lemma heights_on_the_grid k : In k heights -> (k < 5)%nat.
Proof. simpl. lia. Qed.

Lemma rows_in_units a k : (k < 5)%nat ->
  whole_numbers.is_row units (row_with a k) /\ length (row_with a k) = 5%nat.
Proof.
  intros L. assert (C : forallb
    (fun a => forallb (fun k => whole_numbers.is_group units (1%Z, row_with a k)
      && Nat.eqb (length (row_with a k)) 5) (seq 0 5)) scales = true) by (vm_compute; reflexivity).
  rewrite forallb_forall in C. specialize (C a (all_scales a)). rewrite forallb_forall in C.
  specialize (C k (proj2 (in_seq 5 0 k) ltac:(lia))). apply andb_true_iff in C. destruct C as [C E].
  unfold whole_numbers.is_group in C. rewrite !andb_true_iff, forallb_forall, Z.eqb_eq in C.
  simpl fst in C. simpl snd in C.
  destruct C as [[_ F] T]. split; [split; [|exact T]|apply Nat.eqb_eq, E].
  apply Forall_forall. intros z I. apply Z.leb_le, F, I.
Qed.

Lemma more_on_the_own_bin a k : In k heights ->
  (units < Z.of_nat 5 * whole_numbers.weight (row_with a k) k)%Z.
Proof.
  intros I. assert (C : forallb (fun a => forallb (fun k =>
      (units <? Z.of_nat 5 * whole_numbers.weight (row_with a k) k)%Z) heights) scales = true)
        by (vm_compute; reflexivity).
  rewrite forallb_forall in C. specialize (C a (all_scales a)). rewrite forallb_forall in C.
  apply Z.ltb_lt, C, I.
Qed.

Lemma fractions a b c d : (0 < b)%Z -> (0 < d)%Z -> (a * d <= c * b)%Z ->
  IZR a / IZR b <= IZR c / IZR d.
Proof.
  intros B D H. apply IZR_lt in B, D. apply IZR_le in H. rewrite !mult_IZR in H.
  apply Rmult_le_reg_r with (1 := B). apply Rmult_le_reg_r with (1 := D).
  replace (IZR a / IZR b * IZR b * IZR d) with (IZR a * IZR d) by (field; lra).
  replace (IZR c / IZR d * IZR b * IZR d) with (IZR c * IZR b) by (field; lra). exact H.
Qed.

Lemma e_enclosed : IZR 2718 / IZR 1000 <= exp 1 <= IZR 2719 / IZR 1000.
Proof.
  replace (exp 1) with (exp (IZR 1 / IZR 1)) by (f_equal; field). split.
  - apply Rle_trans with (2 := whole_numbers.exp_below_is_below 1 1 ltac:(lia) ltac:(lia)).
    apply fractions; [reflexivity|exact whole_numbers.one_positive|vm_compute; discriminate].
  - assert (S : (whole_numbers.small 1 1 + 1 < whole_numbers.one)%Z) by (vm_compute; reflexivity).
    apply Rle_trans with (1 := whole_numbers.exp_above_is_above 1 1 ltac:(lia) S).
    apply fractions; [exact whole_numbers.one_positive|reflexivity|vm_compute; discriminate].
Qed.

Ltac fits := first [exact all_scales | exact units_positive | exact two_bins | exact two_heights
  | exact heights_on_the_grid | exact rows_in_units | exact more_on_the_own_bin | exact e_enclosed
    | reflexivity].

Lemma private_heights c :
  (passing 5 row_with heights 1000 2718 c <= P_E 5 kernel heights 1 c
    <= passing 5 row_with heights 1000 2719 c)%nat.
Proof.
  apply P_E_between; fits.
Qed.

Lemma equilibrium_of_the_heights c :
  forallb (fun d => at_least 5 row_with heights 2718 2719 1000 d c) (changes_of scales heights c)
    = true ->
  equilibrium 5 kernel heights 1 c.
Proof.
  apply is_equilibrium; fits.
Qed.

(* A change of one record to the small scale that raises the payoff. *)
Definition some_gain (c : profile heights) : bool :=
  one_of (above 5 row_with heights 2718 2719 1000 c) (changes_of [small] heights c).

Lemma no_equilibrium_of_the_heights c :
  some_gain c = true ->
  ~ equilibrium 5 kernel heights 1 c.
Proof.
  unfold some_gain. apply is_no_equilibrium; fits.
Qed.

Lemma order_of_the_heights c d : (own_masses 5 row_with heights d
  <= own_masses 5 row_with heights c)%Z ->
  divergence kernel heights c <= divergence kernel heights d.
Proof.
  apply divergence_orders with (K := 5%nat); fits.
Qed.

Definition bounded (p q : Z) (c : profile heights) : bool :=
  (whole_numbers.small (7 * p) 10000 + 1 <? whole_numbers.one)%Z && (0 <=? q)%Z
  && (whole_numbers.exp_above (7 * p) 10000 * own_masses 5 row_with heights c
      <=? own_counts units heights * whole_numbers.one)%Z
  && (own_counts units heights * whole_numbers.one
      <=? whole_numbers.exp_below (7 * q) 10000 * own_masses 5 row_with heights c)%Z.

Lemma bounds_of_the_heights p q c : bounded p q c = true ->
  IZR p / 10000 <= divergence kernel heights c <= IZR q / 10000.
Proof.
  unfold bounded. rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt. intros [[[S Q] L] H]. split.
  - apply (divergence_at_least 5 units row_with heights) with (q := 10000%Z); try fits; assumption.
  - apply (divergence_at_most 5 units row_with heights) with (q := 10000%Z); try fits; assumption.
Qed.

Lemma of_every_profile (good : profile heights -> bool) : forallb good (all_of scales heights)
  = true ->
  forall c, good c = true.
Proof. intros H c. rewrite forallb_forall in H. apply H, in_all_of, all_scales. Qed.

(* With all records at the small scale no change of one record raises the payoff, six records are
   private, and the tall record is exposed. *)
Theorem exposing_equilibrium :
  equilibrium 5 kernel heights 1 all_small /\ P_E 5 kernel heights 1 all_small = 6%nat /\
  ~ is_private 5 kernel 1 (4%nat, small) (map (fun k => (k, small)) [1; 1; 1; 1; 2; 2]%nat).
Proof.
  split; [apply equilibrium_of_the_heights; vm_compute; reflexivity|]. split.
  - destruct (private_heights all_small) as [L H].
    assert (E1 : passing 5 row_with heights 1000 2718 all_small = 6%nat)
      by (vm_compute; reflexivity).
    assert (E2 : passing 5 row_with heights 1000 2719 all_small = 6%nat)
      by (vm_compute; reflexivity). lia.
  - apply (exposed_at 5 units row_with heights 1 2718 2719 1000) with (c := all_small) (x := 4%nat)
      (before := map (fun k => (k, small)) [1; 1; 1; 1; 2; 2]%nat) (r := (4%nat, small)) (after :=
        []); try fits.
Qed.

Definition all_pass (c : profile heights) : bool :=
  (7 <=? passing 5 row_with heights 1000 2718 c)%nat.
Definition some_fail (c : profile heights) : bool :=
  (passing 5 row_with heights 1000 2719 c <? 7)%nat.
Definition is_small (a : scale) : bool := match a with small => true | _ => false end.

Lemma all_pass_private c : all_pass c = true -> all_are_private 5 kernel heights 1 c.
Proof.
  unfold all_pass. intros H. apply Nat.leb_le in H. apply all_count_as_private.
  pose proof (private_heights c). pose proof (at_most_all 5 kernel heights 1 c) as M.
  simpl in M |- *. lia.
Qed.

Lemma some_fail_exposed c : some_fail c = true -> ~ all_are_private 5 kernel heights 1 c.
Proof.
  unfold some_fail. intros H G. apply Nat.ltb_lt in H. apply all_count_as_private in G.
  pose proof (private_heights c). simpl in G. lia.
Qed.

(* What Coq computes, for all 2,187 profiles: a profile at which a record fails, other than
   all_small, has a gain; *)
Definition private_small_or_gain (c : profile heights) : bool :=
  if all_pass c then true
  else if forallb (fun r => is_small (snd r)) (records heights c) then true else some_gain c.
Lemma all_private_small_or_gain : forallb private_small_or_gain (all_of scales heights) = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(* all_small has the largest product of masses, two_large the largest of those at which all records
   pass, and a profile with a smaller product than all_medium has a gain. The products of the three
   are computed once and not for each profile. *)
Definition in_order : profile heights -> bool :=
  let closest := own_masses 5 row_with heights all_small in
  let private := own_masses 5 row_with heights two_large in
  let worst := own_masses 5 row_with heights all_medium in
  fun c => let m := own_masses 5 row_with heights c in
    (m <=? closest)%Z && (if (m <=? private)%Z then true else some_fail c)
    && (if (worst <=? m)%Z then true else some_gain c).
Lemma all_in_order : forallb in_order (all_of scales heights) = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma order_of_all c :
  (own_masses 5 row_with heights c <= own_masses 5 row_with heights all_small)%Z /\
  ((own_masses 5 row_with heights c <= own_masses 5 row_with heights two_large)%Z
    \/ some_fail c = true) /\
  ((own_masses 5 row_with heights all_medium <= own_masses 5 row_with heights c)%Z
    \/ some_gain c = true).
Proof.
  pose proof (of_every_profile _ all_in_order c) as C. unfold in_order in C. cbv beta zeta in C.
  rewrite !andb_true_iff, Z.leb_le in C. destruct C as [[S L] M]. split; [exact S|]. split.
  - destruct (Z.leb_spec (own_masses 5 row_with heights c)
      (own_masses 5 row_with heights two_large)); [left; assumption|right; exact L].
  - destruct (Z.leb_spec (own_masses 5 row_with heights all_medium)
      (own_masses 5 row_with heights c)); [left; assumption|right; exact M].
Qed.

(* The three divergences to four digits. *)
Lemma small_bounded : bounded 717 718 all_small = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma large_bounded : bounded 1990 1991 two_large = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma medium_bounded : bounded 3757 3758 all_medium = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma divergences_of_the_heights :
  717 / 10000 <= divergence kernel heights all_small <= 718 / 10000 /\
  1990 / 10000 <= divergence kernel heights two_large <= 1991 / 10000 /\
  3757 / 10000 <= divergence kernel heights all_medium <= 3758 / 10000.
Proof.
  exact (conj (bounds_of_the_heights 717 718 all_small small_bounded)
          (conj (bounds_of_the_heights 1990 1991 two_large large_bounded)
             (bounds_of_the_heights 3757 3758 all_medium medium_bounded))).
Qed.

(* It is the only one: at every other equilibrium all records are private. *)
Theorem no_other_equilibrium_exposes c :
  equilibrium 5 kernel heights 1 c -> c = all_small \/ all_are_private 5 kernel heights 1 c.
Proof.
  intros E. pose proof (of_every_profile _ all_private_small_or_gain c) as C.
  unfold private_small_or_gain in C.
  destruct (all_pass c) eqn:P; [right; apply all_pass_private, P|left].
  destruct (forallb _ _) eqn:S.
  - clear - S. rewrite forallb_forall in S. destruct c as [a1 [a2 [a3 [a4 [a5 [a6 [a7 []]]]]]]].
    assert (G : forall k a,
      In (k, a) (records heights (a1, (a2, (a3, (a4, (a5, (a6, (a7, tt)))))))) -> a = small)
      by (intros k a I; specialize (S _ I); destruct a; [reflexivity|discriminate|discriminate]).
    rewrite (G 1%nat a1), (G 1%nat a2), (G 1%nat a3), (G 1%nat a4), (G 2%nat a5), (G 2%nat a6),
      (G 4%nat a7)
      by (simpl; tauto). reflexivity.
  - exfalso. exact (no_equilibrium_of_the_heights c C E).
Qed.

(* What privacy costs. No profile is closer to the data than the one that exposes the tall record;
   of the profiles at which all are private, two records at the large scale are closest; and the
   difference is 0.127 nats. *)
Theorem price_of_privacy :
  (forall c, divergence kernel heights all_small <= divergence kernel heights c) /\
  all_are_private 5 kernel heights 1 two_large /\
  (forall c, all_are_private 5 kernel heights 1 c -> divergence kernel heights two_large
    <= divergence kernel heights c) /\
  1272 / 10000 <= divergence kernel heights two_large - divergence kernel heights all_small
    <= 1274 / 10000.
Proof.
  split; [|split; [|split]].
  - intros c. apply order_of_the_heights, order_of_all.
  - apply all_pass_private. vm_compute. reflexivity.
  - intros c G. destruct (order_of_all c) as [_ [[L|F] _]].
    + apply order_of_the_heights, L.
    + exfalso. exact (some_fail_exposed c F G).
  - pose proof divergences_of_the_heights. lra.
Qed.

(* The equilibrium at which all play the medium scale is the worst of those at which all are
   private, and its divergence is 1.89 times the smallest. *)
Theorem worst_private_equilibrium :
  equilibrium 5 kernel heights 1 all_medium /\ all_are_private 5 kernel heights 1 all_medium /\
  (forall c, equilibrium 5 kernel heights 1 c -> all_are_private 5 kernel heights 1 c ->
     divergence kernel heights c <= divergence kernel heights all_medium) /\
  1885 / 1000 <= divergence kernel heights all_medium / divergence kernel heights two_large
    <= 1889 / 1000.
Proof.
  split; [|split; [|split]].
  - apply equilibrium_of_the_heights. vm_compute. reflexivity.
  - apply all_pass_private. vm_compute. reflexivity.
  - intros c E _. destruct (order_of_all c) as [_ [_ [L|G]]].
    + apply order_of_the_heights, L.
    + exfalso. exact (no_equilibrium_of_the_heights c G E).
  - pose proof divergences_of_the_heights as [_ [B B']].
    set (x := divergence kernel heights all_medium) in *.
    set (y := divergence kernel heights two_large) in *.
    assert (Q : x / y * y = x) by (field; lra).
    split; apply Rmult_le_reg_r with y; try lra; rewrite Q; lra.
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@P_E_between, @divergence_in_whole_numbers, @is_equilibrium, @is_no_equilibrium,
    @exposing_equilibrium,
   @no_other_equilibrium_exposes, @price_of_privacy, @worst_private_equilibrium).
Print Assumptions checked_here.
