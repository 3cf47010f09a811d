(* ε-DP and ε-pDP: a companion to book/per_instance/dp-versus-pdp.md.

   A record is given by its row: the probability p_i(x) with which it is released as x, once drawn.
   A data set is a list of rows. Its order plays no role, so the record in question stands first:
   the data set is  p :: others,  and without the record it is  others. *)
Require Import Reals Lra Lia Psatz List Permutation.
Require Import Pdp.finite_sums.
Import ListNotations.
Open Scope R_scope.

Section Definitions.
Context {X : Type}.                                (* the outputs *)

Definition row := X -> R.
Definition mass (data : list row) (x : X) : R := sum data (fun p => p x).       (* S(x) *)
Definition released (data : list row) (x : X) : R := mass data x / INR (length data).

(* A bound on every event E, in both directions. Without division there is no case of 0/0, and a
   zero on one side only violates it, as on the page, where it counts as an infinite loss.
   An event is a finite set of outputs, given as a list without repetitions. *)
Definition within (eps : R) (P Q : X -> R) : Prop :=
  forall E : list X, NoDup E ->
    sum E P <= exp eps * sum E Q /\ sum E Q <= exp eps * sum E P.

(* Definition (ε-per-instance differential privacy), for the random sampling query. *)
Definition pdp (eps : R) (p : row) (others : list row) : Prop :=
  within eps (released (p :: others)) (released others).

Lemma order_plays_no_role data data' x :
  Permutation data data' -> released data x = released data' x.
Proof.
  intros H. unfold released, mass. rewrite (sum_perm _ _ _ H), (Permutation_length H). reflexivity.
Qed.
End Definitions.

Lemma ln_le_iff a b : 0 < a -> 0 < b -> (ln a <= ln b <-> a <= b).
Proof.
  intros A B. split; intros [H|H].
  - left. apply ln_lt_inv; assumption.
  - right. apply ln_inv; assumption.
  - left. apply ln_increasing; assumption.
  - right. rewrite H. reflexivity.
Qed.

(* ---- Single outputs are enough ---- *)

Section Atoms.
Context {X : Type}.

(* The mediant inequality: the ratio of the sums lies between bounds of the single ratios. *)
Theorem mediant (E : list X) (a c : X -> R) (low high : R) :
  E <> [] -> (forall x, In x E -> 0 < c x) ->
  (forall x, In x E -> low <= a x / c x <= high) ->
  low <= sum E a / sum E c <= high.
Proof.
  intros some c_pos H.
  assert (C : 0 < sum E c) by (apply sum_pos; assumption).
  (* Then low c_x <= a_x <= high c_x for each x; *)
  assert (each : forall x, In x E -> low * c x <= a x <= high * c x).
  { intros x I. specialize (H x I). specialize (c_pos x I).
    assert (a x = a x / c x * c x) by (field; lra). split; nra. }
  (* sum over x, and divide by the sum of c. *)
  assert (low * sum E c <= sum E a <= high * sum E c).
  { rewrite <- !sum_scal. split; apply sum_le; intros x I; apply each; assumption. }
  split; apply Rmult_le_reg_r with (sum E c); try assumption;
    replace (sum E a / sum E c * sum E c) with (sum E a) by (field; lra); lra.
Qed.

Theorem atoms_suffice (eps : R) (P Q : X -> R) :
  within eps P Q <-> forall x, P x <= exp eps * Q x /\ Q x <= exp eps * P x.
Proof.
  split.
  - intros H x. destruct (H [x]) as [A B]; [constructor; [intros []|constructor]|].
    simpl in *. split; lra.
  - intros H E _. rewrite <- !sum_scal. split; apply sum_le; intros x _; apply H.
Qed.

(* The same with the logarithm of the page, where both probabilities are positive. *)
Theorem within_is_a_bound_on_the_logarithm (eps a c : R) :
  0 < a -> 0 < c ->
  (Rabs (ln (a / c)) <= eps <-> a <= exp eps * c /\ c <= exp eps * a).
Proof.
  intros A C. pose proof (exp_pos eps) as EP.
  assert (D : ln (a / c) = ln a - ln c).
  { unfold Rdiv. rewrite ln_mult, ln_Rinv; try assumption;
      [ring|apply Rinv_0_lt_compat; assumption]. }
  rewrite D.
  assert (U : ln a <= eps + ln c <-> a <= exp eps * c).
  { rewrite <- (ln_exp eps) at 1. rewrite <- ln_mult by assumption. apply ln_le_iff; nra. }
  assert (V : ln c <= eps + ln a <-> c <= exp eps * a).
  { rewrite <- (ln_exp eps) at 1. rewrite <- ln_mult by assumption. apply ln_le_iff; nra. }
  rewrite <- U, <- V. split.
  - intros H. unfold Rabs in H. destruct (Rcase_abs _) in H; lra.
  - intros H. apply Rabs_le. lra.
Qed.
End Atoms.

(* The loss as the page computes it, for rows without negative entries: the largest logarithm at the
   outputs with P(x) > 0, and infinite if P_{-i}(x) = 0 at one of them. *)
Theorem loss_is_the_largest_logarithm {X : Type} eps (p : @row X) others :
  (forall r, In r (p :: others) -> forall x, 0 <= r x) ->
  let P := released (p :: others) in let P' := released others in
  pdp eps p others <-> forall x, 0 < P x -> 0 < P' x /\ Rabs (ln (P x / P' x)) <= eps.
Proof.
  intros nonneg P P'. unfold pdp. fold P P'. rewrite atoms_suffice. pose proof (exp_pos eps) as X0.
  assert (both : forall x, 0 <= P x /\ 0 <= P' x /\ (P x = 0 -> P' x = 0)).
  { intros x. unfold P, P', released. change (mass (p :: others) x) with (p x + mass others x).
    pose proof (nonneg p (or_introl eq_refl) x) as p0.
    assert (M : 0 <= mass others x).
    { apply sum_nonneg. intros r I. apply (nonneg r (or_intror I)). }
    assert (N : 0 < / INR (length (p :: others))) by (apply Rinv_0_lt_compat, lt_0_INR; simpl; lia).
    assert (N' : 0 <= / INR (length others)).
    { destruct others; [simpl; rewrite Rinv_0; lra|].
      apply Rlt_le, Rinv_0_lt_compat, lt_0_INR. simpl. lia. }
    unfold Rdiv. repeat split; try (apply Rmult_le_pos; lra).
    intros Z. apply Rmult_integral in Z. replace (mass others x) with 0 by lra. ring. }
  split; intros H x; specialize (H x); destruct (both x) as [A [B C]].
  - intros PP. destruct H as [upper lower]. assert (0 < P' x) by nra. split; [assumption|].
    apply within_is_a_bound_on_the_logarithm; [assumption|assumption|split; assumption].
  - destruct A as [A|A]; [|rewrite <- A, (C (eq_sym A)); lra].
    destruct (H A) as [D L]. apply within_is_a_bound_on_the_logarithm; assumption.
Qed.

(* ---- The linear form of pDP ---- *)

Definition tau (n eps : R) : R := 1 - (1 - 1 / n) * exp (- eps).
Definition sigma (n eps : R) : R := 1 - (1 - 1 / n) * exp eps.

(* Upper side, at one output. P <= e^ε P_{-i} says the same as p <= τ S. *)
Lemma upper_side (m eps p s : R) : 1 <= m ->
  let n := m + 1 in let S := p + s in
  S / n <= exp eps * (s / m) <-> p <= tau n eps * S.
Proof.
  intros M n S. unfold tau. pose proof (exp_pos eps) as X.
  assert (Hn : 1 - 1 / n = m / n) by (unfold n; field; lra). rewrite Hn, exp_Ropp.
  set (e := exp eps) in *.
  (* multiply by n e^-ε: both sides say (1 - 1/n) e^{-ε} S <= S - p *)
  assert (K : 0 < m / (n * e) * n).
  { unfold n. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat|]; nra. }
  assert (E1 : m / e * (S / n) = m / n * / e * S) by (unfold n; field; nra).
  assert (E2 : m / e * (e * (s / m)) = S - p) by (unfold S; field; nra).
  assert (Q : 0 < m / e) by (apply Rdiv_lt_0_compat; lra).
  split; intros H.
  - apply (Rmult_le_compat_l (m / e)) in H; [|lra]. rewrite E1, E2 in H. lra.
  - apply (Rmult_le_reg_l (m / e)); [lra|]. rewrite E1, E2. lra.
Qed.

(* Lower side, at one output. P_{-i} <= e^ε P says the same as σ S <= p. *)
Lemma lower_side (m eps p s : R) : 1 <= m ->
  let n := m + 1 in let S := p + s in
  s / m <= exp eps * (S / n) <-> sigma n eps * S <= p.
Proof.
  intros M n S. unfold sigma.
  assert (Hn : 1 - 1 / n = m / n) by (unfold n; field; lra). rewrite Hn.
  set (e := exp eps) in *.
  assert (E1 : m * (s / m) = S - p) by (unfold S; field; lra).
  assert (E2 : m * (e * (S / n)) = m / n * e * S) by (unfold n; field; lra).
  split; intros H.
  - apply (Rmult_le_compat_l m) in H; [|lra]. rewrite E1, E2 in H. lra.
  - apply (Rmult_le_reg_l m); [lra|]. rewrite E1, E2. lra.
Qed.

Section Linear_form.
Context {X : Type}.
Variables (eps : R) (p : @row X) (others : list (@row X)).
Hypothesis some : others <> [].                         (* n >= 2 *)
Let n := INR (length (p :: others)).
Let S := mass (p :: others).

(* Lemma (the linear form of pDP). *)
Theorem linear_form :
  pdp eps p others <-> forall x, sigma n eps * S x <= p x <= tau n eps * S x.
Proof.
  pose proof (length_at_least_one others some) as M.
  assert (N : n = INR (length others) + 1) by (unfold n; simpl length; apply S_INR).
  unfold pdp. rewrite atoms_suffice.
  assert (E : forall x,
    released (p :: others) x = (p x + mass others x) / (INR (length others) + 1)).
  { intros x. unfold released. fold n. rewrite N. reflexivity. }
  rewrite N. split; intros H x; specialize (H x).
  - rewrite E in H. destruct H as [U L].
    split; [apply (lower_side _ _ _ _ M) in L; exact L|apply (upper_side _ _ _ _ M) in U; exact U].
  - rewrite E. destruct H as [L U].
    split; [apply (upper_side _ _ _ _ M); exact U|apply (lower_side _ _ _ _ M); exact L].
Qed.

(* When ε >= ln n/(n-1), σ <= 0, *)
Theorem sigma_negative : sigma n eps <= 0 <-> ln (n / (n - 1)) <= eps.
Proof.
  pose proof (length_at_least_one others some) as M.
  assert (N : n = INR (length others) + 1) by (unfold n; simpl length; apply S_INR).
  assert (Q : 0 < n / (n - 1)) by (apply Rdiv_lt_0_compat; lra).
  assert (same : sigma n eps <= 0 <-> n / (n - 1) <= exp eps).
  { unfold sigma.
    assert (E : (n - 1) / n * (n / (n - 1)) = 1) by (field; lra).
    assert (F : 1 - 1 / n = (n - 1) / n) by (field; lra).
    assert (0 < (n - 1) / n) by (apply Rdiv_lt_0_compat; lra).
    rewrite F. split; intros L; nra. }
  rewrite same. split; intros H.
  - rewrite <- (ln_exp eps). destruct H as [H|H]; [left; apply ln_increasing; lra|rewrite H; lra].
  - rewrite <- (exp_ln _ Q). destruct H as [H|H]; [left; apply exp_increasing; lra|rewrite H; lra].
Qed.

(* and the left inequality always holds. *)
Theorem left_side_always_holds x : sigma n eps <= 0 -> 0 <= p x -> 0 <= mass others x ->
  sigma n eps * S x <= p x.
Proof.
  intros L P M. assert (E : S x = p x + mass others x) by reflexivity. nra.
Qed.

(* A record needs the noise of others: where nobody else is ever released, it cannot be private. *)
Theorem alone_is_not_private x : 0 < p x -> mass others x = 0 -> ~ pdp eps p others.
Proof.
  intros P Z H. destruct (proj1 linear_form H x) as [_ U].
  pose proof (length_at_least_one others some) as M.
  assert (N : n = INR (length others) + 1) by (unfold n; simpl length; apply S_INR).
  assert (T : tau n eps < 1).
  { unfold tau. pose proof (exp_pos (- eps)).
    assert (1 - 1 / n = (n - 1) / n) by (field; lra).
    assert (0 < (n - 1) / n) by (apply Rdiv_lt_0_compat; lra). nra. }
  assert (S x = p x) by (unfold S, mass in *; simpl; lra). nra.
Qed.
End Linear_form.


(* ---- ε-DP as a supremum: the random sampling query whose noise looks at no other record ---- *)

Section Supremum.
Context {X Z : Type}.
Variable p : Z -> @row X.              (* a record with value z is released as x with p z x > 0 *)
Variable r : R.
Hypothesis positive : forall z x, 0 < p z x.
Hypothesis at_most : forall z y x, p z x <= r * p y x.                 (* r is the largest ratio, *)
Variables (y0 z0 : Z) (x0 : X).
Hypothesis attained : p z0 x0 = r * p y0 x0.                            (* and it is attained *)

Let bound (n : R) := 1 + (r - 1) / n.

Lemma ratio_at_least_one : 1 <= r.
Proof. pose proof (at_most y0 y0 x0). pose proof (positive y0 x0). nra. Qed.

Section One_data_set.
Variables (z : Z) (others : list Z).
Hypothesis some : others <> [].
Let m := INR (length others).                                           (* n - 1 *)
Let n := m + 1.
Let data := map p (z :: others).

(* Each of the n-1 terms of the sum is at least p_i / r and at most r p_i. *)
Lemma the_others x : m * p z x <= r * sum others (fun y => p y x) /\
                     sum others (fun y => p y x) <= m * (r * p z x).
Proof.
  unfold m. rewrite <- sum_scal, <- !sum_const. split; apply sum_le; intros y _; apply at_most.
Qed.

Lemma with_and_without x :
  released data x = (p z x + sum others (fun y => p y x)) / n /\
  released (map p others) x = sum others (fun y => p y x) / m.
Proof.
  unfold data, released, mass, n, m. rewrite !map_length, !sum_map. simpl length.
  rewrite S_INR. simpl. split; reflexivity.
Qed.

Lemma loss_of_one_data_set x :
  released data x <= bound n * released (map p others) x /\
  released (map p others) x <= bound n * released data x.
Proof.
  destruct (with_and_without x) as [-> ->]. destruct (the_others x) as [A B].
  pose proof (length_at_least_one others some) as M. fold m in M.
  pose proof (positive z x) as Z0. pose proof ratio_at_least_one as R1.
  assert (S0 : 0 <= sum others (fun y => p y x)).
  { apply sum_nonneg. intros y _. apply Rlt_le, positive. }
  set (s := sum others (fun y => p y x)) in *. set (q := p z x) in *.
  unfold bound. split.
  - (* Upper side *)
    apply Rmult_le_reg_r with (n * m); [unfold n; nra|].
    replace ((q + s) / n * (n * m)) with (m * (q + s)) by (unfold n; field; lra).
    replace ((1 + (r - 1) / n) * (s / m) * (n * m)) with ((n + r - 1) * s)
      by (unfold n; field; lra).
    unfold n. lra.
  - (* Lower side *)
    apply Rmult_le_reg_r with (n * n * m); [unfold n; nra|].
    replace (s / m * (n * n * m)) with (n * n * s) by (unfold n; field; lra).
    replace ((1 + (r - 1) / n) * ((q + s) / n) * (n * n * m)) with (m * (n + r - 1) * (q + s))
      by (unfold n; field; lra).
    (* with s <= (n-1) r q the claim is (n+r-1)(1+(n-1)r) - n² r = (n-1)(r-1)² >= 0 *)
    assert (key : (n + r - 1) * (1 + m * r) - n * n * r = m * ((r - 1) * (r - 1)))
      by (unfold n; ring).
    assert (0 <= m * ((r - 1) * (r - 1))) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    destruct (Rle_lt_dec (n * n - m * (n + r - 1)) 0) as [L|L].
    + assert (s * (n * n - m * (n + r - 1)) <= 0) by nra.
      assert (0 <= m * (n + r - 1) * q).
      { apply Rmult_le_pos; [apply Rmult_le_pos|]; unfold n; lra. }
      lra.
    + assert (s * (n * n - m * (n + r - 1)) <= m * (r * q) * (n * n - m * (n + r - 1))).
      { apply Rmult_le_compat_r; lra. }
      assert (m * q * (n * n * r) <= m * q * ((n + r - 1) * (1 + m * r))).
      { apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra. }
      lra.
Qed.
End One_data_set.

(* The worst data set: one record at z, and n-1 records at y. *)
Lemma the_worst_data_set k : (1 <= k)%nat ->
  released (map p (z0 :: repeat y0 k)) x0
    = bound (INR k + 1) * released (map p (repeat y0 k)) x0.
Proof.
  intros K. assert (1 <= INR k) by (apply (le_INR 1); exact K).
  destruct (with_and_without z0 (repeat y0 k) x0) as [-> ->].
  rewrite sum_repeat, repeat_length, attained. unfold bound. field. lra.
Qed.

(* Proposition (ε-DP of the random sampling query): over all data sets of n = k + 1 records the
   largest pDP loss is ln(1 + (r-1)/n), that is, a bound ε holds for all if and only if it is at
   least this number. *)
Theorem sampling_supremum (eps : R) (k : nat) : (1 <= k)%nat ->
  (forall z others, length others = k -> pdp eps (p z) (map p others))
  <-> ln (1 + (r - 1) / (INR k + 1)) <= eps.
Proof.
  intros K. assert (K1 : 1 <= INR k) by (apply (le_INR 1); exact K).
  pose proof ratio_at_least_one as R1.
  assert (B : 0 < bound (INR k + 1)).
  { unfold bound. assert (0 <= (r - 1) / (INR k + 1)); [|lra].
    apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat. lra. }
  fold (bound (INR k + 1)).
  assert (same : ln (bound (INR k + 1)) <= eps <-> bound (INR k + 1) <= exp eps).
  { rewrite <- (ln_exp eps) at 1. apply ln_le_iff; [exact B|apply exp_pos]. }
  rewrite same. split.
  - intros H. specialize (H z0 (repeat y0 k) (repeat_length y0 k)).
    apply (proj1 (atoms_suffice _ _ _)) with (x := x0) in H. destruct H as [H _].
    change (p z0 :: map p (repeat y0 k)) with (map p (z0 :: repeat y0 k)) in H.
    rewrite the_worst_data_set in H by exact K.
    assert (0 < released (map p (repeat y0 k)) x0).
    { destruct (with_and_without z0 (repeat y0 k) x0) as [_ ->].
      rewrite sum_repeat, repeat_length. pose proof (positive y0 x0).
      apply Rdiv_lt_0_compat; nra. }
    nra.
  - intros H z others L. apply atoms_suffice. intros x.
    assert (some : others <> []) by (intros ->; simpl in L; lia).
    destruct (loss_of_one_data_set z others some x) as [U V]. rewrite L in U, V.
    assert (nonneg : forall l : list Z, l <> [] -> 0 <= released (map p l) x).
    { intros l N. unfold released. rewrite map_length. apply Rmult_le_pos.
      - unfold mass. rewrite sum_map. apply sum_nonneg. intros y _. apply Rlt_le, positive.
      - apply Rlt_le, Rinv_0_lt_compat. pose proof (length_at_least_one l N). lra. }
    assert (0 <= released (map p (z :: others)) x) by (apply nonneg; congruence).
    assert (0 <= released (map p others) x) by (apply nonneg; exact some).
    simpl map in *. split; nra.
Qed.
End Supremum.

(* Example (a fixed-noise loss of zero that hides nothing): if every row is the same distribution q,
   the loss of every record is zero, whatever q is. *)
Theorem everyone_draws_from_q {X : Type} (q : @row X) (k : nat) :
  (1 <= k)%nat -> pdp 0 q (repeat q k).
Proof.
  intros K. assert (1 <= INR k) by (apply (le_INR 1); exact K).
  apply atoms_suffice. intros x. rewrite exp_0. unfold released, mass. simpl length.
  rewrite S_INR, repeat_length. simpl sum. rewrite sum_repeat.
  replace ((q x + INR k * q x) / (INR k + 1)) with (q x) by (field; lra).
  replace (INR k * q x / INR k) with (q x) by (field; lra). lra.
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@mediant, @atoms_suffice, @within_is_a_bound_on_the_logarithm, @loss_is_the_largest_logarithm,
   @linear_form, @sigma_negative, @left_side_always_holds, @alone_is_not_private,
   @the_worst_data_set, @sampling_supremum, @everyone_draws_from_q).
Print Assumptions checked_here.
