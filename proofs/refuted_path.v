(* Five changes to each of five statements of the path, and a proof that each changed statement is
   false.

   The statements are the linear form of pDP (book/per_instance/dp-versus-pdp.md), the smallest
   density (book/per_instance/truncated-laplace.md), Theorem 1' (book/per_instance/theorem-one.md),
   and, of book/game/best-response.md, that the dynamics end and that a safe start stays safe. Each
   change is one that a reader could believe. The comment before a lemma says what is changed and
   what the counterexample is. *)
Require Import Reals Lra Lia Psatz List ZArith.
From Coquelicot Require Import Coquelicot.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.truncated_laplace.
Require Pdp.theorem_one Pdp.nvo_game Pdp.whole_numbers Pdp.best_response Pdp.game.
Require Pdp.exposing_equilibrium.
Import ListNotations.
Open Scope R_scope.

Lemma ln_positive y : 1 < y -> 0 < ln y.
Proof. intros Y. rewrite <- ln_1. apply ln_increasing; lra. Qed.

(* ---- The linear form of pDP: σ S(x) <= p_i(x) <= τ S(x) ---- *)

(* Rows with two outputs. *)
Definition row_of (share : R) (x : bool) : R := if x then share else 1 - share.

(* 1. The left inequality is left out. For ε below ln n/(n - 1) it matters: a record that is never
   released as true, beside one that is with probability 2/5, and ε = ln 4/3. *)
Lemma changed_linear_form : ~ forall eps (p : @row bool) others, others <> [] ->
  let n := INR (length (p :: others)) in let S := mass (p :: others) in
  pdp eps p others <-> forall x, p x <= tau n eps * S x.
Proof.
  intros claim. specialize (claim (ln (4 / 3)) (row_of 0) [row_of (2 / 5)] ltac:(discriminate)).
  cbn zeta in claim.
  assert (E : exp (- ln (4 / 3)) = 3 / 4) by (rewrite exp_Ropp, exp_ln by lra; field).
  apply proj2 in claim. assert (private : pdp (ln (4 / 3)) (row_of 0) [row_of (2 / 5)]).
  { apply claim. intros x. unfold tau. rewrite E. unfold mass, row_of. destruct x; simpl; lra. }
  apply (proj1 (atoms_suffice _ _ _)) with (x := true) in private. destruct private as [_ left].
  rewrite exp_ln in left by lra. unfold released, mass, row_of in left. simpl in left. lra.
Qed.

(* 2. n counts the others only, so τ = σ = 1 for two records. Two records with the same row lose
   nothing, but the row is smaller than S. *)
Lemma changed_number_of_records : ~ forall eps (p : @row bool) others, others <> [] ->
  let n := INR (length others) in let S := mass (p :: others) in
  pdp eps p others <-> forall x, sigma n eps * S x <= p x <= tau n eps * S x.
Proof.
  intros claim. specialize (claim 0 (row_of (1 / 2)) [row_of (1 / 2)] ltac:(discriminate)).
  cbn zeta in claim.
  destruct (proj1 claim (everyone_draws_from_q (row_of (1 / 2)) 1 ltac:(lia)) true) as [left _].
  unfold sigma, mass, row_of in left. simpl in left. rewrite exp_0 in left. lra.
Qed.

(* 3. S is the mass of the others. The same two records: the row is not at most τ = 1/2 of the
   other's. *)
Lemma changed_mass_of_the_others : ~ forall eps (p : @row bool) others, others <> [] ->
  let n := INR (length (p :: others)) in let S := mass others in
  pdp eps p others <-> forall x, sigma n eps * S x <= p x <= tau n eps * S x.
Proof.
  intros claim. specialize (claim 0 (row_of (1 / 2)) [row_of (1 / 2)] ltac:(discriminate)).
  cbn zeta in claim.
  destruct (proj1 claim (everyone_draws_from_q (row_of (1 / 2)) 1 ltac:(lia)) true) as [_ right].
  unfold tau, mass, row_of in right. simpl in right. rewrite Ropp_0, exp_0 in right. lra.
Qed.

(* 4. Both inequalities are strict. The same two records, and ε = 0: both sides are equalities. *)
Lemma changed_strict_form : ~ forall eps (p : @row bool) others, others <> [] ->
  let n := INR (length (p :: others)) in let S := mass (p :: others) in
  pdp eps p others <-> forall x, sigma n eps * S x < p x < tau n eps * S x.
Proof.
  intros claim. specialize (claim 0 (row_of (1 / 2)) [row_of (1 / 2)] ltac:(discriminate)).
  cbn zeta in claim.
  destruct (proj1 claim (everyone_draws_from_q (row_of (1 / 2)) 1 ltac:(lia)) true) as [_ right].
  unfold tau, mass, row_of in right. simpl in right. rewrite Ropp_0, exp_0 in right. lra.
Qed.

(* 5. The left inequality always holds from ε = 1/n on, which is close to ln n/(n - 1) and smaller:
   with n = 2 and ε = 1/2 we have σ > 0. *)
Lemma changed_when_sigma_is_negative : ~ forall n eps, 1 < n -> (sigma n eps <= 0 <-> 1 / n <= eps).
Proof.
  intros claim. pose proof (proj2 (claim 2 (1 / 2) ltac:(lra)) ltac:(lra)) as S.
  unfold sigma in S. pose proof exp_le_3 as three. pose proof (exp_pos (1 / 2)) as P.
  assert (E : exp (1 / 2) * exp (1 / 2) = exp 1) by (rewrite <- exp_plus; f_equal; field).
  set (u := exp (1 / 2)) in *. assert (2 <= u) by lra.
  assert (2 * 2 <= u * u) by (apply Rmult_le_compat; lra). lra.
Qed.

(* ---- The smallest density, v_min(b) ---- *)

(* 1. It is attained, so the bound is not strict. *)
Lemma changed_v_min : ~ forall b mu x, 0 < b -> 0 <= mu <= 1 -> 0 <= x <= 1 -> v_min b < V mu b x.
Proof.
  intros claim. specialize (claim 1 0 1 ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite v_min_attained in claim by lra. lra.
Qed.

Lemma at_the_other_end b : 0 < b -> V 1 b 0 = v_min b.
Proof.
  intros B. rewrite <- (v_min_attained b B), <- (mirror 0 b 1). f_equal; ring.
Qed.

(* 2. Not only there: the mirror image attains it, too. *)
Lemma changed_only_there : ~ forall b mu x, 0 < b -> 0 <= mu <= 1 -> 0 <= x <= 1 ->
  V mu b x = v_min b -> mu = 0 /\ x = 1.
Proof.
  intros claim.
  destruct (claim 1 1 0 ltac:(lra) ltac:(lra) ltac:(lra) (at_the_other_end 1 ltac:(lra))). lra.
Qed.

(* 3. A record in the middle has more than that at both ends: b = 1. *)
Lemma changed_record_in_the_middle : ~ forall b, 0 < b -> V (1 / 2) b 0 = v_min b.
Proof.
  intros claim. specialize (claim 1 ltac:(lra)). rewrite v_min_by_q in claim by lra.
  unfold V, truncated_laplace.Z in claim.
  rewrite (Rabs_left1 (0 - 1 / 2)) in claim by lra.
  replace (- (0 - 1 / 2) / 1) with (1 / 2) in claim by field.
  replace ((1 - 1 / 2) / 1) with (1 / 2) in claim by field.
  replace (1 / 2 / 1) with (1 / 2) in claim by field.
  replace (- (1 / 1)) with (- (1 / 2) + - (1 / 2)) in claim by field. rewrite exp_plus in claim.
  assert (U : exp (- (1 / 2)) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in U.
  pose proof (exp_pos (- (1 / 2))) as P. set (u := exp (- (1 / 2))) in *.
  assert (A : / (2 * 1) * u / (1 / 2 - 1 / 2 * u + (1 / 2 - 1 / 2 * u)) * (1 - u) = u / 2)
    by (field; lra).
  assert (B : / 1 * (u * u / (1 - u * u)) * (1 - u) * (1 + u) = u * u) by (field; nra).
  rewrite claim in A. rewrite A in B. nra.
Qed.

(* 4. Laplace noise that is not truncated has the density e^{-1/b}/(2b) at distance 1, and
   truncation makes the density larger: b = 1. *)
Lemma changed_without_truncation : ~ forall b, 0 < b -> V 0 b 1 = / (2 * b) * exp (- (1 / b)).
Proof.
  intros claim. specialize (claim 1 ltac:(lra)). rewrite v_min_attained, v_min_by_q in claim by lra.
  pose proof (q_between 1 ltac:(lra)) as Q. set (q := exp (- (1 / 1))) in *.
  assert (A : / 1 * (q / (1 - q)) * (1 - q) = q) by (field; lra). rewrite claim in A. nra.
Qed.

(* 5. v_min(b) bounds the densities of the scales from b on, and not those up to b: the scales 1
   and 2. *)
Lemma changed_smaller_scales : ~ forall b c mu x, 0 < c <= b -> 0 <= mu <= 1 -> 0 <= x <= 1 ->
  v_min b <= V mu c x.
Proof.
  intros claim. specialize (claim 2 1 0 1 ltac:(lra) ltac:(lra) ltac:(lra)).
  rewrite v_min_attained in claim by lra.
  pose proof (v_min_strictly_increases 1 2 ltac:(lra) ltac:(lra)). lra.
Qed.

(* ---- Theorem 1': scales of at least b* make every record private ---- *)

Lemma ln_2_positive : 0 < ln 2.
Proof. apply ln_positive. lra. Qed.

(* For two records and ε = ln 2 we have e^{1/b*} = 3. *)
Lemma bound_of_two : theorem_one.scale_bound (INR 1 + 1) (ln 2) = / ln 3.
Proof.
  unfold theorem_one.scale_bound. rewrite exp_ln by lra. simpl INR. do 2 f_equal. ring.
Qed.

Lemma bound_of_two_positive : 0 < / ln 3.
Proof. apply Rinv_0_lt_compat, ln_positive. lra. Qed.

(* 1. n is the number of all records: with n + 1 the scale is too small. *)
Lemma changed_theorem_one_prime : ~ forall eps mu v others, 0 < eps -> others <> [] ->
  let n := INR (length others) + 1 in let b := theorem_one.scale_bound (n + 1) eps in
  0 <= mu <= 1 -> (forall i : R * R, In i others -> 0 <= fst i <= 1) -> b <= v ->
  (forall i : R * R, In i others -> b <= snd i) -> forall x, 0 <= x <= 1 ->
  let s := sum others (fun i => V (fst i) (snd i) x) in
  (V mu v x + s) / n <= exp eps * (s / INR (length others)).
Proof.
  intros claim. set (b := / ln 4).
  assert (L : ln 3 < ln 4) by (apply ln_increasing; lra).
  assert (B : 0 < b) by (apply Rinv_0_lt_compat, ln_positive; lra).
  specialize (claim (ln 2) 0 b [(1, b)] ln_2_positive ltac:(discriminate)). cbn zeta in claim.
  assert (E : theorem_one.scale_bound (INR (length [(1, b)]) + 1 + 1) (ln 2) = b).
  { unfold theorem_one.scale_bound, b. rewrite exp_ln by lra. simpl. do 2 f_equal. ring. }
  rewrite E in claim.
  assert (one : forall P : R * R -> Prop, P (1, b) -> forall i, In i [(1, b)] -> P i)
    by (intros P Y i [<-|[]]; exact Y).
  specialize (claim ltac:(lra) (one (fun i => 0 <= fst i <= 1) ltac:(simpl; lra)) ltac:(lra)
                (one (fun i => b <= snd i) ltac:(simpl; lra)) 0 ltac:(lra)). simpl in claim.
  pose proof (theorem_one.constant_is_sharp b 1 (ln 2) B ltac:(lia) ln_2_positive) as [_ exposed].
  rewrite bound_of_two in exposed. simpl INR in exposed.
  assert (smaller : b < / ln 3).
  { apply Rinv_lt_contravar; [|exact L]. apply Rmult_lt_0_compat; apply ln_positive; lra. }
  specialize (exposed smaller). lra.
Qed.

(* 2. The record's own scale has to be as large. With the scale 1/10 its density at its own place is
   above 10, and the other record at the other end has less than 1 there. *)
Lemma changed_own_scale : ~ forall eps mu v others, 0 < eps -> others <> [] ->
  let n := INR (length others) + 1 in let b := theorem_one.scale_bound n eps in
  0 <= mu <= 1 -> (forall i : R * R, In i others -> 0 <= fst i <= 1) -> 0 < v ->
  (forall i : R * R, In i others -> b <= snd i) -> forall x, 0 <= x <= 1 ->
  let s := sum others (fun i => V (fst i) (snd i) x) in
  (V mu v x + s) / n <= exp eps * (s / INR (length others)).
Proof.
  intros claim. set (b := / ln 3). pose proof bound_of_two_positive as B. fold b in B.
  specialize (claim (ln 2) 0 (1 / 10) [(1, b)] ln_2_positive ltac:(discriminate)).
  cbn zeta in claim. change (INR (length [(1, b)])) with (INR 1) in claim.
  rewrite bound_of_two in claim. fold b in claim.
  assert (one : forall P : R * R -> Prop, P (1, b) -> forall i, In i [(1, b)] -> P i)
    by (intros P Y i [<-|[]]; exact Y).
  specialize (claim ltac:(lra) (one (fun i => 0 <= fst i <= 1) ltac:(simpl; lra)) ltac:(lra)
                (one (fun i => b <= snd i) ltac:(simpl; lra)) 0 ltac:(lra)).
  rewrite exp_ln in claim by lra. simpl in claim.
  rewrite at_the_other_end, v_max_attained in claim by lra.
  pose proof (difference_of_the_extremes (1 / 10) ltac:(lra)) as D.
  replace (1 / (1 / 10)) with 10 in D by field.
  pose proof (v_min_positive (1 / 10) ltac:(lra)). pose proof (v_min_near_one b B). lra.
Qed.

(* 3. The scales of the others have to be as large. A record with the scale b*, and one at the other
   end with so small a scale that it adds hardly anything there. *)
Lemma changed_scales_of_the_others : ~ forall eps mu v others, 0 < eps -> others <> [] ->
  let n := INR (length others) + 1 in let b := theorem_one.scale_bound n eps in
  0 <= mu <= 1 -> (forall i : R * R, In i others -> 0 <= fst i <= 1) -> b <= v ->
  (forall i : R * R, In i others -> 0 < snd i) -> forall x, 0 <= x <= 1 ->
  let s := sum others (fun i => V (fst i) (snd i) x) in
  (V mu v x + s) / n <= exp eps * (s / INR (length others)).
Proof.
  intros claim. set (b := / ln 3). pose proof bound_of_two_positive as B. fold b in B.
  pose proof (ln_positive 3 ltac:(lra)) as L. set (w := ln 3 / 16).
  assert (W : 0 < w) by (unfold w; lra).
  specialize (claim (ln 2) 0 b [(1, w)] ln_2_positive ltac:(discriminate)).
  cbn zeta in claim. change (INR (length [(1, w)])) with (INR 1) in claim.
  rewrite bound_of_two in claim. fold b in claim.
  assert (one : forall P : R * R -> Prop, P (1, w) -> forall i, In i [(1, w)] -> P i)
    by (intros P Y i [<-|[]]; exact Y).
  specialize (claim ltac:(lra) (one (fun i => 0 <= fst i <= 1) ltac:(simpl; lra)) ltac:(lra)
                (one (fun i => 0 < snd i) W) 0 ltac:(lra)).
  rewrite exp_ln in claim by lra. simpl in claim.
  rewrite at_the_other_end, v_max_attained in claim by assumption.
  pose proof (difference_of_the_extremes b B) as D.
  replace (1 / b) with (ln 3) in D by (unfold b; field; lra).
  pose proof (v_min_positive b B). pose proof (v_min_near_zero w W). unfold w in *. lra.
Qed.

(* 4. At b* itself nobody is exposed: the constant is the best possible for b < b*, and not for b <=
   b*. *)
Lemma changed_at_the_bound : ~ forall b k eps, 0 < b -> (1 <= k)%nat -> 0 < eps ->
  b <= theorem_one.scale_bound (INR k + 1) eps ->
  exp eps * V 1 b 0 < (V 0 b 0 + INR k * V 1 b 0) / (INR k + 1).
Proof.
  intros claim. pose proof (theorem_one.loss_at_the_bound 1 (ln 2) ltac:(lia) ln_2_positive) as E.
  cbn zeta in E.
  specialize (claim (theorem_one.scale_bound (INR 1 + 1) (ln 2)) 1%nat (ln 2)).
  rewrite bound_of_two in *. pose proof bound_of_two_positive.
  specialize (claim ltac:(assumption) ltac:(lia) ln_2_positive (Rle_refl _)). lra.
Qed.

(* 5. For masses the constant is not the best possible. On two bins let the scale be b with e^{1/b}
   = 81/16 > 3: the masses of two records differ by a factor of less than 3. *)
Definition b_on_two_bins : R := / (4 * ln (3 / 2)).

Lemma b_on_two_bins_positive : 0 < b_on_two_bins.
Proof. apply Rinv_0_lt_compat. pose proof (ln_positive (3 / 2) ltac:(lra)). lra. Qed.

Lemma own_mass_on_two_bins k : (k < 2)%nat -> kernel 2 k b_on_two_bins k <= 3 / 4.
Proof.
  intros two. pose proof b_on_two_bins_positive as B.
  pose proof (ln_positive (3 / 2) ltac:(lra)) as L.
  assert (E : exp (- ln (3 / 2)) = 2 / 3) by (rewrite exp_Ropp, exp_ln by lra; field).
  assert (E3 : exp (- (3 * ln (3 / 2))) = 8 / 27).
  { replace (- (3 * ln (3 / 2))) with (- ln (3 / 2) + (- ln (3 / 2) + - ln (3 / 2))) by ring.
    rewrite !exp_plus, E. field. }
  assert (quarter : forall y, y = 1 / 4 -> y / b_on_two_bins = ln (3 / 2))
    by (intros y ->; unfold b_on_two_bins; field; lra).
  assert (rest : forall y, y = 3 / 4 -> y / b_on_two_bins = 3 * ln (3 / 2))
    by (intros y ->; unfold b_on_two_bins; field; lra).
  destruct k as [|[|k]]; [| |lia]; unfold kernel, midpoint; simpl INR.
  - rewrite integral_across by (assumption || lra). unfold truncated_laplace.Z.
    rewrite !(quarter ((0 + 1 / 2) / (1 + 1))) by lra.
    rewrite (quarter ((0 + 1 / 2) / (1 + 1) - 0 / (1 + 1))) by lra.
    rewrite (quarter ((0 + 1) / (1 + 1) - (0 + 1 / 2) / (1 + 1))) by lra.
    rewrite (rest (1 - (0 + 1 / 2) / (1 + 1))) by lra. rewrite E, E3. lra.
  - rewrite integral_across by (assumption || lra). unfold truncated_laplace.Z.
    rewrite (quarter ((1 + 1 / 2) / (1 + 1) - 1 / (1 + 1))) by lra.
    rewrite (quarter ((1 + 1) / (1 + 1) - (1 + 1 / 2) / (1 + 1))) by lra.
    rewrite (rest ((1 + 1 / 2) / (1 + 1))) by lra.
    rewrite (quarter (1 - (1 + 1 / 2) / (1 + 1))) by lra. rewrite E, E3. lra.
Qed.

Lemma changed_sharp_on_a_grid : ~ forall eps K b m, 0 < eps -> (2 <= K)%nat -> (1 <= m)%nat ->
  0 < b < theorem_one.scale_bound (INR m + 1) eps ->
  exists r others, length others = m /\
    (forall i, In i (r :: others) -> (fst i < K)%nat /\ snd i = b) /\
    ~ pdp eps (theorem_one.masses K r) (map (theorem_one.masses K) others).
Proof.
  intros claim. set (b := b_on_two_bins). pose proof b_on_two_bins_positive as B.
  assert (smaller : b < / ln 3).
  { unfold b, b_on_two_bins. pose proof (ln_positive (3 / 2) ltac:(lra)).
    pose proof (ln_positive 3 ltac:(lra)).
    apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|].
    assert (E : exp (4 * ln (3 / 2)) = 81 / 16).
    { replace (4 * ln (3 / 2)) with (ln (3 / 2) + ln (3 / 2) + (ln (3 / 2) + ln (3 / 2))) by ring.
      rewrite !exp_plus, exp_ln by lra. field. }
    rewrite <- (ln_exp (4 * ln (3 / 2))), E. apply ln_increasing; lra. }
  specialize (claim (ln 2) 2%nat b 1%nat ln_2_positive ltac:(lia) ltac:(lia)).
  rewrite bound_of_two in claim.
  destruct (claim ltac:(fold b in B; lra)) as [[k v] [others [one [all exposed]]]].
  destruct others as [|[j w] [|? ?]]; try discriminate.
  destruct (all (k, v) ltac:(left; reflexivity)) as [grid_k Ev].
  destruct (all (j, w) ltac:(right; left; reflexivity)) as [grid_j Ew].
  simpl in grid_k, grid_j, Ev, Ew. subst v w.
  apply exposed, atoms_suffice. intros [x X].
  assert (parts : forall i, (i < 2)%nat -> 1 / 4 <= kernel 2 i b x <= 3 / 4).
  { intros i I. pose proof (own_mass_on_two_bins i I) as O. fold b in O.
    pose proof (nvo_game.own_bin_has_more 2 i b B ltac:(lia) I) as M.
    pose proof (nvo_game.masses_sum_to_one 2 i b B ltac:(lia) I) as S. simpl in M, S.
    destruct i as [|[|i]], x as [|[|x]]; lia || lra. }
  pose proof (parts k grid_k) as P. pose proof (parts j grid_j) as Q.
  unfold released, mass, theorem_one.masses. simpl. rewrite exp_ln by lra. lra.
Qed.

(* ---- Best-response dynamics end at an equilibrium ---- *)

(* What the theorems on the game assume of it, and that a row has more than 1/K on its own bin. *)
Definition is_a_game {A : Type} (actions : list A) (K : nat) (p : A -> nat -> nat -> R)
  (data : list nat) : Prop :=
  (forall a, In a actions) /\ (2 <= K)%nat /\ data <> [] /\ (forall k, In k data -> (k < K)%nat) /\
  (forall a k x, (k < K)%nat -> (x < K)%nat -> 0 <= p a k x) /\
  (forall a k, (k < K)%nat -> sum (seq 0 K) (p a k) = 1).
Definition favours_the_own_bin {A : Type} (K : nat) (p : A -> nat -> nat -> R) (data : list nat)
  : Prop := forall a k, In k data -> 1 / INR K < p a k k.
(* The second profile is better: more private records, or as many and a smaller divergence. *)
Definition better {A : Type} (K : nat) (p : A -> nat -> nat -> R) (data : list nat) (eps : R)
  : @game.profile A data -> game.profile data -> Prop :=
  best_response.greater_pair (game.P_E K p data eps) (game.divergence p data).

Definition one_row (_ : bool) (k x : nat) : R := if Nat.eqb k x then 1 else 0.

(* 1. A record may also change to an equally good action. One record with two actions that are the
   same can change for ever. *)
Lemma changed_dynamics_end : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps who (play : nat -> @game.profile A data),
  is_a_game actions K p data -> favours_the_own_bin K p data ->
  (forall t,
    (game.moves data (who t) (play t) (play (S t)) /\
     ~ better K p data eps (play (S t)) (play t)) \/
    (play (S t) = play t /\
     forall d, game.moves data (who t) (play t) d -> ~ better K p data eps (play t) d)) ->
  best_response.again_and_again who -> exists T, forall s, (T <= s)%nat -> play s = play T.
Proof.
  intros claim. assert (B0 : (0 < 1)%nat) by lia.
  set (play := fun t => (Nat.even t, tt) : @game.profile bool [0%nat]).
  destruct (claim bool [true; false] 2%nat one_row [0%nat] 0 (fun _ => exist _ 0%nat B0) play)
    as [T E].
  - repeat split.
    + intros []; simpl; auto.
    + lia.
    + discriminate.
    + intros k [<-|[]]. lia.
    + intros a k x _ _. unfold one_row. destruct (Nat.eqb k x); lra.
    + intros a [|[|k]] L; [| |lia]; unfold one_row; simpl; lra.
  - intros a k _. unfold one_row. rewrite Nat.eqb_refl. simpl. lra.
  - intros t. left. split; [reflexivity|].
    assert (same : forall a b : bool,
      game.P_E 2 one_row [0%nat] 0 (a, tt) = game.P_E 2 one_row [0%nat] 0 (b, tt) /\
      game.divergence one_row [0%nat] (a, tt) = game.divergence one_row [0%nat] (b, tt)).
    { intros a b. split; [|reflexivity]. unfold game.P_E, game.records.
      cbn [game.records_of game.taken_out filter map fst snd].
      unfold game.passes, game.its_row, one_row. cbn [fst snd map].
      destruct (forallb _ _); reflexivity. }
    intros [L|[_ L]]; unfold play in L;
      [rewrite (proj1 (same (Nat.even t) (Nat.even (S t)))) in L; lia|
       rewrite (proj2 (same (Nat.even t) (Nat.even (S t)))) in L; lra].
  - intros [i L] t. exists t. split; [lia|]. destruct i as [|i]; [|simpl in L; lia]. f_equal.
    apply le_unique.
  - specialize (E (S T) ltac:(lia)).
    assert (F : Nat.even (S T) = Nat.even T) by exact (f_equal (fun c : bool * unit => fst c) E).
    rewrite Nat.even_succ, <- Nat.negb_even in F. destruct (Nat.even T); discriminate.
Qed.

(* The game of the seven heights, and what Coq computes about it: four records of bin 1, two of bin
   2, one of bin 4, which are called s, m or l by their scales. *)
Import exposing_equilibrium.
Notation s := small.
Notation m := medium.
Notation l := large.
Notation profiles := (game.profile heights).
Notation better_height := (better 5 kernel heights 1).
Definition heights_profile (a b c d e f g : scale) : profiles :=
  (a, (b, (c, (d, (e, (f, (g, tt))))))).

Lemma heights_own_bin : favours_the_own_bin 5 kernel heights.
Proof.
  intros a k I. destruct a, I as [<-|[<-|[<-|[<-|[<-|[<-|[<-|[]]]]]]]];
    unfold kernel, in_units, whole_numbers.probability, whole_numbers.weight, units; simpl; lra.
Qed.

Lemma heights_are_a_game : is_a_game scales 5 kernel heights.
Proof.
  split; [exact all_scales|]. split; [exact two_bins|]. split; [discriminate|].
  split; [exact heights_on_the_grid|]. split.
  - intros a k x L _. unfold kernel, in_units, whole_numbers.probability.
    apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, IZR_lt; reflexivity].
    apply IZR_le, (whole_numbers.weight_nonnegative units), (rows_in_units a k L).
  - intros a k L. destruct a; do 5 (destruct k as [|k];
      [unfold kernel, in_units, whole_numbers.probability, whole_numbers.weight, units; simpl;
       lra|]); lia.
Qed.

Lemma better_is_a_larger_payoff c d : better_height c d <->
  game.payoff 5 kernel heights 1 c < game.payoff 5 kernel heights 1 d.
Proof.
  destruct heights_are_a_game as [_ [two [some [grid [nonnegative sums]]]]].
  apply (game.pair_orders_as_the_payoff 5 kernel heights 1 two some grid nonnegative sums
           heights_own_bin).
Qed.

Definition is_above (c d : profiles) : bool := above 5 row_with heights 2718 2719 1000 c d.
Definition is_at_least (d c : profiles) : bool := at_least 5 row_with heights 2718 2719 1000 d c.

Lemma gain c d : is_above c d = true -> better_height c d.
Proof.
  intros C. apply better_is_a_larger_payoff. revert C. apply payoff_above; fits.
Qed.

Lemma no_gain c d : is_at_least d c = true -> ~ better_height c d.
Proof.
  intros C B. apply better_is_a_larger_payoff in B. revert B. apply Rle_not_lt. revert C.
  apply payoff_at_least; fits.
Qed.

(* Record number i, and who has the turn if all have it in turn. *)
Lemma first_of_seven : (0 < 7)%nat.
Proof. lia. Qed.
Definition number (i : nat) : game.player heights :=
  match lt_dec i 7 with left L => exist _ i L | right _ => exist _ 0%nat first_of_seven end.
Definition in_order (t : nat) : game.player heights := number (t mod 7).

Lemma number_of (i : game.player heights) : number (proj1_sig i) = i.
Proof.
  destruct i as [i L]. unfold number. simpl. simpl in L. destruct (lt_dec i 7); [|lia].
  f_equal. apply le_unique.
Qed.

Lemma all_have_turns : best_response.again_and_again in_order.
Proof.
  intros i t. exists (proj1_sig i + t * 7)%nat. split; [lia|]. unfold in_order.
  rewrite Nat.mod_add by lia. rewrite Nat.mod_small by apply (proj2_sig i). apply number_of.
Qed.

(* 2. Each record has its turn, but only once. Start at mmsssml and go through the seven records:
   the sixth changes to l, and then the first two would change to s, but have no turn again. *)
Definition before_the_move : profiles := heights_profile m m s s s m l.
Definition after_the_move : profiles := heights_profile m m s s s l l.
Definition one_round (t : nat) : profiles :=
  if (t <=? 5)%nat then before_the_move else after_the_move.
Definition once (t : nat) : game.player heights := number (Nat.min t 6).

(* No change of the record whose turn it is is better: Coq goes through all of them. *)
Ltac every_change := intros d M; destruct d as [a [b [c [e [f [g [h []]]]]]]];
  vm_compute in M; repeat match goal with E : _ /\ _ |- _ => destruct E end;
  repeat match goal with E : (_, _) = (_, _) |- _ => injection E; clear E; intros end;
  subst; repeat match goal with a : scale |- _ => destruct a end;
  apply no_gain; vm_compute; reflexivity.

Lemma changed_again_and_again : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps who (play : nat -> @game.profile A data),
  is_a_game actions K p data -> favours_the_own_bin K p data ->
  best_response.in_turn (better K p data eps) (game.moves data) who play ->
  (forall i, exists t, who t = i) ->
  exists T, (forall s, (T <= s)%nat -> play s = play T) /\
    game.equilibrium K p data eps (play T).
Proof.
  intros claim. destruct (claim scale scales 5%nat kernel heights 1 once one_round
    heights_are_a_game heights_own_bin) as [T [still E]].
  - intros t. unfold once, one_round.
    do 5 (destruct t as [|t]; [right; split; [reflexivity|every_change]|]).
    destruct t as [|t].
    + left. split; [vm_compute; repeat split|apply gain; vm_compute; reflexivity].
    + right. split; [reflexivity|]. rewrite Nat.min_r by lia. every_change.
  - intros [i L]. exists i. unfold once. change (i < 7)%nat in L. rewrite Nat.min_l by lia.
    apply (number_of (exist _ i L)).
  - rewrite <- (still (T + 6)%nat ltac:(lia)) in E. unfold one_round in E.
    rewrite (proj2 (Nat.leb_gt _ 5)) in E by lia. revert E.
    apply no_equilibrium_of_the_heights. vm_compute. reflexivity.
Qed.

(* 3. Two records may change at the same time, each to what is better for it as long as the other
   stays. From sssslll both records of bin 2 change to s, and from ssssssl both change back. *)
Definition both_large : profiles := heights_profile s s s s l l l.
Definition both_small : profiles := heights_profile s s s s s s l.
Definition first_small : profiles := heights_profile s s s s s l l.
Definition second_small : profiles := heights_profile s s s s l s l.

(* A change of one record, and that it is better, as Coq computes them. *)
Ltac computed_moves := repeat match goal with
  | |- _ /\ better_height _ _ /\ _ =>
      split; [vm_compute; repeat split|split; [apply gain; vm_compute; reflexivity|]]
  end; vm_compute; repeat split.

Lemma changed_one_at_a_time : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps (play : nat -> @game.profile A data),
  is_a_game actions K p data -> favours_the_own_bin K p data ->
  (forall t, exists i j c d,
    game.moves data i (play t) c /\ better K p data eps (play t) c /\
    game.moves data j (play t) d /\ better K p data eps (play t) d /\
    game.moves data j c (play (S t)) /\ game.moves data i d (play (S t)) \/
    play (S t) = play t /\ game.equilibrium K p data eps (play t)) ->
  exists T, forall s, (T <= s)%nat -> play s = play T.
Proof.
  intros claim. set (play := fun t : nat => if Nat.even t then both_large else both_small).
  destruct (claim scale scales 5%nat kernel heights 1 play heights_are_a_game heights_own_bin)
    as [T still].
  - intros t. unfold play. rewrite Nat.even_succ, <- Nat.negb_even.
    destruct (Nat.even t); simpl negb; cbv iota.
    + exists (number 4), (number 5), first_small, second_small. left. computed_moves.
    + exists (number 4), (number 5), second_small, first_small. left. computed_moves.
  - specialize (still (S T) ltac:(lia)). unfold play in still.
    rewrite Nat.even_succ, <- Nat.negb_even in still. destruct (Nat.even T); discriminate.
Qed.

(* 4. Every change is an improvement, so one could think that no record goes back to an action that
   it has left, and that there are at most n(|V| - 1) changes. But such an action can be better
   again: from lllllll there is a run of 15 changes, more than 7 times 2. *)
Definition long_run : list profiles := 
  [heights_profile m l l l l l l;
   heights_profile s l l l l l l;
   heights_profile s l l l m l l;
   heights_profile s l l l s l l;
   heights_profile s l l l s s l;
   heights_profile s l l l s s m;
   heights_profile s l l l m s m;
   heights_profile s l l l m s l;
   heights_profile s m l l m s l;
   heights_profile s s l l m s l;
   heights_profile s s m l m s l;
   heights_profile s s m m m s l;
   heights_profile s s m m l s l;
   heights_profile s s s m l s l;
   heights_profile s s s s l s l].

Lemma changed_number_of_moves : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps (c : @game.profile A data) ds,
  is_a_game actions K p data -> favours_the_own_bin K p data ->
  best_response.run (better K p data eps) (best_response.anybody (game.moves data)) c ds ->
  (length ds <= length data * (length actions - 1))%nat.
Proof.
  intros claim. specialize (claim scale scales 5%nat kernel heights 1
    (heights_profile l l l l l l l) long_run heights_are_a_game heights_own_bin).
  assert (too_long : (15 <= 14)%nat); [apply claim|lia].
  assert (step : forall i c d ds, game.moves heights (number i) c d -> is_above c d = true ->
    best_response.run better_height (best_response.anybody (game.moves heights)) d ds ->
    best_response.run better_height (best_response.anybody (game.moves heights)) c (d :: ds)).
  { intros i c d ds M G R. split; [split; [exists (number i); exact M|apply gain, G]|exact R]. }
  unfold long_run.
  apply (step 0%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 0%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 4%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 4%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 5%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 6%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 4%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 6%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 1%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 1%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 2%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 3%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 4%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 2%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  apply (step 3%nat); [vm_compute; repeat split|vm_compute; reflexivity|].
  exact Logic.I.
Qed.

(* 5. The pair orders the profiles as the payoff does if every row has at least 1/K on its own bin.
   Three records of bin 0 and one of bin 1, a third bin, and ε = ln 4/3. In the first profile two
   records are exposed and the released distribution is the histogram. In the second profile one
   record is exposed, and every record has only 1/3 on its own bin, so the utility is 0: one private
   record more, and the same payoff. *)
Definition weak_rows (a : scale) (k : nat) : whole_numbers.weights :=
  match a, k with
  | small, 0%nat => [6; 0; 0] | small, 1%nat => [0; 6; 0]
  | medium, 0%nat => [3; 3; 0] | medium, 1%nat => [3; 3; 0]
  | large, 0%nat => [2; 0; 4] | large, 1%nat => [0; 2; 4]
  | _, _ => [0; 0; 6]
  end%Z.
Definition four : list nat := [0; 0; 0; 1]%nat.
Definition weak_kernel : scale -> nat -> nat -> R := in_units 6 weak_rows.
Definition histogram_itself : game.profile four := (s, (s, (m, (m, tt)))).
Definition utility_zero : game.profile four := (l, (l, (l, (l, tt)))).

Lemma weak_game : is_a_game scales 3 weak_kernel four.
Proof.
  split; [exact all_scales|]. split; [lia|]. split; [discriminate|].
  split; [intros k; simpl; lia|]. split.
  - intros a k x L _. unfold weak_kernel, in_units, whole_numbers.probability.
    apply Rmult_le_pos; [|lra]. apply IZR_le. unfold whole_numbers.weight.
    destruct a, k as [|[|k]]; do 4 (destruct x as [|x]; [simpl; lia|]); simpl; destruct x; lia.
  - intros a k L. destruct a; do 3 (destruct k as [|k];
      [unfold weak_kernel, in_units, whole_numbers.probability, whole_numbers.weight; simpl; lra|]);
      lia.
Qed.

Lemma weak_count c k : passing 3 weak_rows four 3 4 c = k ->
  game.P_E 3 weak_kernel four (ln (4 / 3)) c = k.
Proof.
  intros C. assert (between : (passing 3 weak_rows four 3 4 c
    <= game.P_E 3 (in_units 6 weak_rows) four (ln (4 / 3)) c
    <= passing 3 weak_rows four 3 4 c)%nat).
  { apply P_E_between; try reflexivity; try (simpl; lia).
    - intros a j L. destruct a; do 3 (destruct j as [|j]; [split; [split;
        [repeat (apply Forall_cons; [lia|]); apply Forall_nil|reflexivity]|reflexivity]|]); lia.
    - rewrite exp_ln by lra. lra. }
  unfold weak_kernel. lia.
Qed.

Lemma weak_utility c factor : 0 < factor ->
  (forall x, In x [0; 1]%nat -> factor * nvo_game.output (game.rows weak_kernel four c) x
     = nvo_game.histogram (game.rows weak_kernel four c) x) ->
  (forall x, In x [0; 1]%nat -> 0 < nvo_game.output (game.rows weak_kernel four c) x) ->
  nvo_game.occupied_bins (game.rows weak_kernel four c) = [0; 1]%nat ->
  game.divergence weak_kernel four c
    = ln factor * (nvo_game.histogram (game.rows weak_kernel four c) 0
                   + nvo_game.histogram (game.rows weak_kernel four c) 1).
Proof.
  intros F same P occupied. unfold game.divergence, nvo_game.KL. rewrite occupied. simpl sum.
  assert (ratio : forall x, In x [0; 1]%nat ->
    nvo_game.histogram (game.rows weak_kernel four c) x
    / nvo_game.output (game.rows weak_kernel four c) x = factor).
  { intros x I. specialize (same x I). specialize (P x I). rewrite <- same. field. lra. }
  rewrite !ratio by (simpl; auto). ring.
Qed.

Ltac four_rows := unfold nvo_game.output, nvo_game.histogram, released, mass, game.rows,
  game.records, weak_kernel, in_units, whole_numbers.probability, whole_numbers.weight; simpl; lra.

Lemma changed_pair_orders_as_the_payoff : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps, is_a_game actions K p data ->
  (forall a k, In k data -> 1 / INR K <= p a k k) -> forall c d : @game.profile A data,
  better K p data eps c d <-> game.payoff K p data eps c < game.payoff K p data eps d.
Proof.
  intros claim. specialize (claim scale scales 3%nat weak_kernel four (ln (4 / 3)) weak_game).
  assert (own : forall a k, In k four -> 1 / INR 3 <= weak_kernel a k k).
  { intros a k I. destruct a, I as [<-|[<-|[<-|[<-|[]]]]];
      unfold weak_kernel, in_units, whole_numbers.probability, whole_numbers.weight; simpl; lra. }
  specialize (claim own histogram_itself utility_zero).
  assert (C : game.P_E 3 weak_kernel four (ln (4 / 3)) histogram_itself = 2%nat)
    by (apply weak_count; vm_compute; reflexivity).
  assert (D : game.P_E 3 weak_kernel four (ln (4 / 3)) utility_zero = 3%nat)
    by (apply weak_count; vm_compute; reflexivity).
  assert (L : 0 < ln 3) by (apply ln_positive; lra).
  assert (U : game.divergence weak_kernel four histogram_itself = 0).
  { rewrite (weak_utility histogram_itself 1); [rewrite ln_1; ring|lra| | |reflexivity];
      intros x [<-|[<-|[]]]; four_rows. }
  assert (V : game.divergence weak_kernel four utility_zero = ln 3).
  { rewrite (weak_utility utility_zero 3); [|lra| | |reflexivity];
      try (intros x [<-|[<-|[]]]; four_rows).
    replace (_ + _) with 1 by four_rows. ring. }
  assert (more : better 3 weak_kernel four (ln (4 / 3)) histogram_itself utility_zero)
    by (left; rewrite C, D; lia).
  apply claim in more. unfold game.payoff, game.P_U in more. rewrite C, D, U, V in more.
  simpl INR in more. replace (1 + 1 + 1) with 3 in more by ring.
  replace (ln 3 / ln 3) with 1 in more by (field; lra).
  replace (0 / ln 3) with 0 in more by (field; lra). lra.
Qed.

(* ---- From a safe start all records stay private ---- *)

(* 1. From any start. Two records alone in their bins that have no noise: neither can move. *)
Definition no_noise (_ : unit) (k x : nat) : R := if Nat.eqb k x then 1 else 0.

Lemma changed_safe_start_of_the_game : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps who (play : nat -> @game.profile A data),
  is_a_game actions K p data -> favours_the_own_bin K p data ->
  best_response.in_turn (better K p data eps) (game.moves data) who play ->
  best_response.again_and_again who ->
  exists T, game.all_are_private K p data eps (play T).
Proof.
  intros claim. set (only := (tt, (tt, tt)) : @game.profile unit [0; 1]%nat).
  assert (B0 : (0 < 2)%nat) by lia. assert (B1 : (1 < 2)%nat) by lia.
  set (who := fun t => if Nat.even t then exist _ 0%nat B0 else exist _ 1%nat B1 : bin 2).
  destruct (claim unit [tt] 2%nat no_noise [0; 1]%nat 0 who (fun _ => only)) as [T private].
  - repeat split.
    + intros []. left. reflexivity.
    + lia.
    + discriminate.
    + intros k [<-|[<-|[]]]; lia.
    + intros a k x _ _. unfold no_noise. destruct (Nat.eqb k x); lra.
    + intros a [|[|k]] L; [| |lia]; unfold no_noise; simpl; lra.
  - intros a k _. unfold no_noise. rewrite Nat.eqb_refl. simpl. lra.
  - intros t. right. split; [reflexivity|]. intros [[] [[] []]] _.
    apply best_response.pair_irreflexive.
  - intros [i L] t. exists (2 * t + i)%nat. split; [lia|]. unfold who.
    assert (E : forall u, Nat.even (2 * t + u) = Nat.even u).
    { intros u. rewrite Nat.even_add, Nat.even_mul. destruct (Nat.even u); reflexivity. }
    rewrite E. destruct i as [|[|i]]; [| |simpl in L; lia]; simpl; f_equal; apply le_unique.
  - specialize (private [] (0%nat, tt) [(1%nat, tt)] eq_refl).
    apply (alone_is_not_private 0 (game.its_row 2 no_noise (0%nat, tt))
      [game.its_row 2 no_noise (1%nat, tt)]
             ltac:(discriminate) (exist _ 0%nat B0)) in private; [exact private| |].
    + unfold game.its_row, no_noise. simpl. lra.
    + unfold mass, game.its_row, no_noise. simpl. lra.
Qed.

(* The game of the seven heights stands still at the equilibrium that exposes the tall record. *)
Lemma stands_still : best_response.in_turn better_height (game.moves heights) in_order
  (fun _ => all_small).
Proof.
  intros t. right. split; [reflexivity|]. intros d M B. apply better_is_a_larger_payoff in B.
  destruct exposing_equilibrium.exposing_equilibrium as [E _]. specialize (E _ d M). lra.
Qed.

Lemma all_small_is_exposed : ~ game.all_are_private 5 kernel heights 1 all_small.
Proof. apply some_fail_exposed. vm_compute. reflexivity. Qed.

(* 2. All records but one are private at the start. *)
Lemma changed_all_but_one : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps who (play : nat -> @game.profile A data),
  is_a_game actions K p data -> favours_the_own_bin K p data ->
  best_response.in_turn (better K p data eps) (game.moves data) who play ->
  best_response.again_and_again who ->
  (length data - 1 <= game.P_E K p data eps (play 0%nat))%nat ->
  exists T, game.all_are_private K p data eps (play T).
Proof.
  intros claim. destruct (claim scale scales 5%nat kernel heights 1 in_order (fun _ => all_small)
    heights_are_a_game heights_own_bin stands_still all_have_turns) as [T private].
  - rewrite (proj1 (proj2 exposing_equilibrium.exposing_equilibrium)). simpl. lia.
  - exact (all_small_is_exposed private).
Qed.

(* 3. Some profile is safe, for example that of the largest scale, but the start is another one. *)
Lemma changed_some_safe_profile : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps who (play : nat -> @game.profile A data),
  is_a_game actions K p data -> favours_the_own_bin K p data ->
  best_response.in_turn (better K p data eps) (game.moves data) who play ->
  best_response.again_and_again who ->
  (exists a, game.all_are_private K p data eps (game.everybody data a)) ->
  exists T, game.all_are_private K p data eps (play T).
Proof.
  intros claim. destruct (claim scale scales 5%nat kernel heights 1 in_order (fun _ => all_small)
    heights_are_a_game heights_own_bin stands_still all_have_turns) as [T private].
  - exists large. apply all_pass_private. vm_compute. reflexivity.
  - exact (all_small_is_exposed private).
Qed.

(* 4. Two records change at the same time, each to what is better for it as long as the other stays:
   from sssslll to ssssssl, where the tall record is exposed. *)
Lemma changed_at_the_same_time : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps i j (start c d finish : @game.profile A data),
  is_a_game actions K p data -> favours_the_own_bin K p data ->
  game.all_are_private K p data eps start ->
  game.moves data i start c -> better K p data eps start c ->
  game.moves data j start d -> better K p data eps start d ->
  game.moves data j c finish -> game.moves data i d finish ->
  game.all_are_private K p data eps finish.
Proof.
  intros claim. apply (some_fail_exposed both_small); [vm_compute; reflexivity|].
  apply (claim scale scales 5%nat kernel heights 1 (number 4) (number 5) both_large first_small
           second_small both_small heights_are_a_game heights_own_bin).
  - apply all_pass_private. vm_compute. reflexivity.
  - vm_compute. repeat split.
  - apply gain. vm_compute. reflexivity.
  - vm_compute. repeat split.
  - apply gain. vm_compute. reflexivity.
  - vm_compute. repeat split.
  - vm_compute. repeat split.
Qed.

(* 5. The divergence is compared first, and a move is made if it becomes smaller: from sssssll to
   ssssssl. *)
Lemma changed_order_of_the_pair : ~ forall (A : Type) (actions : list A) K
  (p : A -> nat -> nat -> R) data eps i (c d : @game.profile A data),
  is_a_game actions K p data -> favours_the_own_bin K p data ->
  game.all_are_private K p data eps c -> game.moves data i c d ->
  game.divergence p data d < game.divergence p data c -> game.all_are_private K p data eps d.
Proof.
  intros claim. apply (some_fail_exposed both_small); [vm_compute; reflexivity|].
  apply (claim scale scales 5%nat kernel heights 1 (number 5) first_small both_small
           heights_are_a_game heights_own_bin).
  - apply all_pass_private. vm_compute. reflexivity.
  - vm_compute. repeat split.
  - apply divergence_orders with (K := 5%nat); fits.
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition all_of_them :=
  (changed_linear_form, changed_number_of_records, changed_mass_of_the_others, changed_strict_form,
   changed_when_sigma_is_negative, changed_v_min, changed_only_there, changed_record_in_the_middle,
   changed_without_truncation, changed_smaller_scales, changed_theorem_one_prime, changed_own_scale,
   changed_scales_of_the_others, changed_at_the_bound, changed_sharp_on_a_grid,
   changed_dynamics_end, changed_again_and_again, changed_one_at_a_time, changed_number_of_moves,
   changed_pair_orders_as_the_payoff, changed_safe_start_of_the_game, changed_all_but_one,
   changed_some_safe_profile, changed_at_the_same_time, changed_order_of_the_pair).
Print Assumptions all_of_them.
