(* The utility lies between 0 and 1: a companion to book/game/nvo-game.md. *)
Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.truncated_laplace.
Import ListNotations.
Open Scope R_scope.

Section Utility.
Context {X : Type}.
Variable occupied : list X.                  (* the outputs with q(x) > 0 *)
Variables (q P : X -> R) (K : R).            (* the data, the output, and the number of bins *)
Hypothesis K_large : 1 < K.
Hypothesis q_pos : forall x, In x occupied -> 0 < q x.
Hypothesis q_one : sum occupied q = 1.
Hypothesis P_one : sum occupied P <= 1.      (* a part of the output's mass lies on empty bins *)

Definition KL : R := sum occupied (fun x => q x * ln (q x / P x)).
Definition utility : R := 1 - KL / ln K.

(* Each of the n q(x) records of bin x is released as x with probability at least 1/K, so *)
Hypothesis own_bin : forall x, In x occupied -> q x / K <= P x.

Lemma P_pos x : In x occupied -> 0 < P x.
Proof.
  intros I. specialize (own_bin x I). specialize (q_pos x I).
  assert (0 < q x / K) by (apply Rdiv_lt_0_compat; lra). lra.
Qed.

(* ln t <= t - 1 *)
Lemma ln_below_tangent t : 0 < t -> ln t <= t - 1.
Proof. intros T. pose proof (exp_ineq1_le (ln t)) as H. rewrite exp_ln in H by exact T. lra. Qed.

Theorem KL_nonnegative : 0 <= KL.
Proof.
  assert (H : - KL <= sum occupied (fun x => P x + -1 * q x)).
  { unfold KL. replace (- sum occupied (fun x => q x * ln (q x / P x)))
      with (-1 * sum occupied (fun x => q x * ln (q x / P x))) by ring.
    rewrite <- sum_scal. apply sum_le. intros x I.
    pose proof (q_pos x I) as Q. pose proof (P_pos x I) as PP.
    assert (E : ln (q x / P x) = - ln (P x / q x)).
    { rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; assumption). f_equal. field. lra. }
    rewrite E. pose proof (ln_below_tangent (P x / q x) ltac:(apply Rdiv_lt_0_compat; assumption)).
    assert (q x * ln (P x / q x) <= q x * (P x / q x - 1)) by (apply Rmult_le_compat_l; lra).
    assert (q x * (P x / q x - 1) = P x - q x) by (field; lra). lra. }
  rewrite sum_plus, sum_scal, q_one in H. lra.
Qed.

(* For the other side, every logarithm is at most ln K, and the divergence is their mean under q. *)
Theorem KL_at_most_ln_K : KL <= ln K.
Proof.
  unfold KL. apply Rle_trans with (sum occupied (fun x => ln K * q x)).
  - apply sum_le. intros x I. pose proof (q_pos x I) as Q. pose proof (P_pos x I) as PP.
    specialize (own_bin x I).
    assert (q x / P x <= K).
    { apply Rmult_le_reg_r with (P x); [exact PP|].
      replace (q x / P x * P x) with (q x / K * K) by (field; lra). nra. }
    assert (ln (q x / P x) <= ln K).
    { apply ln_le_iff; [apply Rdiv_lt_0_compat; assumption|lra|assumption]. }
    nra.
  - rewrite sum_scal, q_one. lra.
Qed.

Theorem utility_between : 0 <= utility <= 1.
Proof.
  assert (L : 0 < ln K) by (rewrite <- ln_1; apply ln_increasing; lra).
  pose proof KL_nonnegative as A. pose proof KL_at_most_ln_K as B. unfold utility.
  assert (KL / ln K * ln K = KL) by (field; lra). split; nra.
Qed.

(* If every row puts more than 1/K on its own bin, every logarithm is smaller than ln K. *)
Theorem utility_positive : (forall x, In x occupied -> q x / K < P x) -> 0 < utility.
Proof.
  intros more. assert (L : 0 < ln K) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (below : KL < ln K).
  { apply Rlt_le_trans with (ln K * sum occupied q); [|rewrite q_one; lra]. rewrite <- sum_scal.
    unfold KL.
    assert (some : occupied <> []) by (intros E; rewrite E in q_one; simpl in q_one; lra).
    assert (each : forall x, In x occupied -> 0 < ln K * q x - q x * ln (q x / P x)).
    { intros x I. pose proof (q_pos x I) as Q. pose proof (P_pos x I) as PP. specialize (more x I).
      assert (q x / P x < K).
      { apply Rmult_lt_reg_r with (P x); [exact PP|].
        replace (q x / P x * P x) with (q x / K * K) by (field; lra). nra. }
      assert (ln (q x / P x) < ln K) by (apply ln_increasing; [apply Rdiv_lt_0_compat|];
        assumption). nra. }
    pose proof (sum_pos occupied _ some each) as D.
    rewrite (sum_ext _ _ (fun x => ln K * q x + -1 * (q x * ln (q x / P x)))) in D
      by (intros; ring).
    rewrite sum_plus, (sum_scal _ (-1)) in D. lra. }
  unfold utility. assert (KL / ln K * ln K = KL) by (field; lra). nra.
Qed.
End Utility.

(* P(x) >= q(x)/K: each of the n q(x) records of bin x is released as x with probability at least
   1/K. *)
Theorem own_bin_of_a_profile {X : Type} (same : forall x y : X, {x = y} + {x <> y})
    (records : list (X * (X -> R))) (K : R) (x : X) : records <> [] -> 0 < K ->
  (forall r, In r records -> 0 <= snd r x /\ (fst r = x -> 1 / K <= snd r x)) ->
  let q := sum records (fun r => if same (fst r) x then 1 else 0) / INR (length records) in
  q / K <= released (map snd records) x.
Proof.
  intros some K0 H q. unfold q, released, mass. rewrite map_length, sum_map.
  pose proof (length_at_least_one records some) as N.
  set (m := INR (length records)) in *.
  set (s := sum records (fun r => if same (fst r) x then 1 else 0)).
  replace (s / m / K) with (1 / K * s / m) by (field; lra).
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|].
  unfold s. rewrite <- sum_scal. apply sum_le. intros r I. destruct (H r I) as [A B].
  destruct (same (fst r) x) as [E|_]; [specialize (B E); lra|lra].
Qed.

(* A truncated Laplace record has more mass on its own bin than on each of the others, *)
Section Own_bin.
Variables (K k : nat) (b : R).
Hypothesis b_pos : 0 < b.
Hypothesis two : (2 <= K)%nat.
Hypothesis on_the_grid : (k < K)%nat.

Let mu := midpoint K k.
Let u := exp (- (1 / (2 * INR K * b))).               (* half a bin *)

Lemma K_two : 2 <= INR K.
Proof. apply (le_INR 2), two. Qed.

Lemma u_between : 0 < u < 1.
Proof.
  pose proof K_two. unfold u. split; [apply exp_pos|].
  apply Rlt_le_trans with (exp 0); [apply exp_increasing|rewrite exp_0; lra].
  assert (0 < 1 / (2 * INR K * b)); [|lra]. apply Rdiv_lt_0_compat; [lra|].
  apply Rmult_lt_0_compat; lra.
Qed.

Lemma beyond_half_a_bin y : 1 / (2 * INR K) <= y ->
  exp (- (y / b)) - exp (- ((y + 1 / INR K) / b)) <= u * (1 - u * u).
Proof.
  intros Y. pose proof K_two as K2. pose proof u_between as U.
  assert (E : exp (- ((y + 1 / INR K) / b)) = exp (- (y / b)) * (u * u)).
  { unfold u. rewrite <- !exp_plus. f_equal. field. lra. }
  rewrite E. assert (L : exp (- (y / b)) <= u).
  { unfold u. apply exp_le. apply Ropp_le_contravar.
    replace (1 / (2 * INR K * b)) with (1 / (2 * INR K) / b) by (field; lra).
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, b_pos|exact Y]. }
  assert (0 < 1 - u * u) by nra. nra.
Qed.

Theorem own_bin_has_most x : (x < K)%nat -> x <> k -> kernel K k b x < kernel K k b k.
Proof.
  intros X Ne. pose proof K_two as K2. pose proof (place_in_unit K k on_the_grid) as M.
  fold mu in M.
  pose proof (Z_positive mu b b_pos M) as Zp. pose proof u_between as U.
  assert (own : kernel K k b k = 2 * (1 - u) / (2 * Z mu b)).
  { unfold kernel. fold mu. assert (Mu : mu = (INR k + 1 / 2) / INR K) by reflexivity.
    rewrite integral_across; [|exact b_pos|exact M| |].
    - replace ((mu - INR k / INR K) / b) with (1 / (2 * INR K * b)) by (rewrite Mu; field; lra).
      replace (((INR k + 1) / INR K - mu) / b) with (1 / (2 * INR K * b))
        by (rewrite Mu; field; lra).
      fold u. field. lra.
    - rewrite Mu. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat|]; lra.
    - rewrite Mu. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat|]; lra. }
  assert (other : kernel K k b x <= u * (1 - u * u) / (2 * Z mu b)).
  { assert (Mu : mu = (INR k + 1 / 2) / INR K) by reflexivity. unfold kernel. fold mu.
    assert (I : 0 < / INR K) by (apply Rinv_0_lt_compat; lra).
    assert (W : INR x / INR K <= (INR x + 1) / INR K) by (unfold Rdiv; nra).
    destruct (Nat.lt_trichotomy x k) as [L|[L|L]]; [|contradiction|].
    - apply le_INR in L. rewrite S_INR in L.
      assert (B : (INR x + 1) / INR K <= mu) by (rewrite Mu; unfold Rdiv; nra).
      rewrite integral_left by assumption.
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|].
      replace (mu - INR x / INR K) with (mu - (INR x + 1) / INR K + 1 / INR K) by (field; lra).
      apply beyond_half_a_bin. rewrite Mu.
      replace (1 / (2 * INR K)) with (1 / 2 / INR K) by (field; lra).
      unfold Rdiv. nra.
    - apply le_INR in L. rewrite S_INR in L.
      assert (B : mu <= INR x / INR K) by (rewrite Mu; unfold Rdiv; nra).
      rewrite integral_right by assumption.
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|].
      replace ((INR x + 1) / INR K - mu) with (INR x / INR K - mu + 1 / INR K) by (field; lra).
      apply beyond_half_a_bin. rewrite Mu.
      replace (1 / (2 * INR K)) with (1 / 2 / INR K) by (field; lra).
      unfold Rdiv. nra. }
  rewrite own. apply Rle_lt_trans with (1 := other).
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|].
  assert (u * (1 + u) < 2) by nra. nra.
Qed.

(* and since the K masses sum to 1, *)
Theorem masses_sum_to_one : sum (seq 0 K) (kernel K k b) = 1.
Proof.
  pose proof K_two as K2. pose proof (place_in_unit K k on_the_grid) as M. fold mu in M.
  rewrite <- (density_integrates_to_one mu b b_pos M).
  assert (parts : forall m, sum (seq 0 m) (kernel K k b) = RInt (V mu b) 0 (INR m / INR K)).
  { induction m as [|m IH].
    - simpl. replace (0 / INR K) with 0 by (field; lra). symmetry.
      apply (RInt_point (V := R_CompleteNormedModule)).
    - rewrite seq_S. assert (A : forall l l' f, sum (l ++ l') f = sum l f + @sum nat l' f).
      { induction l as [|c l IHl]; intros; simpl; [ring|rewrite IHl; ring]. }
      rewrite A, IH. simpl sum. rewrite Rplus_0_r. unfold kernel. fold mu. rewrite S_INR.
      apply (RInt_Chasles (V := R_CompleteNormedModule) (V mu b)); apply V_integrable. }
  rewrite parts. f_equal. field. lra.
Qed.

(* its own bin has more than 1/K. *)
Theorem own_bin_has_more : 1 / INR K < kernel K k b k.
Proof.
  pose proof K_two as K2. pose proof masses_sum_to_one as One.
  assert (D : 0 < sum (seq 0 K) (fun x => kernel K k b k - kernel K k b x)).
  { set (other := if Nat.eq_dec k 0 then 1%nat else 0%nat).
    assert (O : (other < K)%nat /\ other <> k) by (unfold other; destruct (Nat.eq_dec k 0); lia).
    assert (nonneg : forall x, In x (seq 0 K) -> 0 <= kernel K k b k - kernel K k b x).
    { intros x I. apply in_seq in I. destruct (Nat.eq_dec x k) as [->|Ne]; [lra|].
      pose proof (own_bin_has_most x ltac:(lia) Ne). lra. }
    pose proof (sum_term_le (seq 0 K) _ other nonneg (proj2 (in_seq K 0 other) ltac:(lia))) as T.
    simpl in T. pose proof (own_bin_has_most other (proj1 O) (proj2 O)). lra. }
  rewrite (sum_ext _ _ (fun x => kernel K k b k + -1 * kernel K k b x)) in D by (intros; ring).
  rewrite sum_plus, sum_scal, sum_const, seq_length, One in D.
  apply Rmult_lt_reg_r with (INR K); [lra|]. replace (1 / INR K * INR K) with 1 by (field; lra).
  lra.
Qed.
End Own_bin.

(* ---- A profile on a grid: each record has its bin and its row ---- *)

Section Profile.
Variable K : nat.
Hypothesis two : (2 <= K)%nat.
Variable records : list (nat * (nat -> R)).
Hypothesis some : records <> [].
Hypothesis on_the_grid : forall r, In r records -> (fst r < K)%nat.
Hypothesis rows_nonnegative : forall r x, In r records -> (x < K)%nat -> 0 <= snd r x.
Hypothesis rows_sum : forall r, In r records -> sum (seq 0 K) (snd r) = 1.

Definition histogram (x : nat) : R :=
  sum records (fun r => if Nat.eq_dec (fst r) x then 1 else 0) / INR (length records).
Definition output : nat -> R := released (map snd records).
Definition occupied_bins : list nat := nodup Nat.eq_dec (map fst records).

Lemma occupied_on_the_grid x : In x occupied_bins -> (x < K)%nat.
Proof.
  intros I. apply nodup_In, in_map_iff in I. destruct I as [r [<- I]]. apply on_the_grid, I.
Qed.

Lemma histogram_positive x : In x occupied_bins -> 0 < histogram x.
Proof.
  intros I. apply nodup_In, in_map_iff in I. destruct I as [r [E I]].
  pose proof (length_at_least_one records some). unfold histogram. apply Rdiv_lt_0_compat; [|lra].
  apply Rlt_le_trans with (if Nat.eq_dec (fst r) x then 1 else 0).
  - destruct (Nat.eq_dec (fst r) x); [lra|contradiction].
  - apply (sum_term_le records (fun r => if Nat.eq_dec (fst r) x then 1 else 0) r); [|exact I].
    intros s _. destruct (Nat.eq_dec (fst s) x); lra.
Qed.

Lemma histogram_one : sum occupied_bins histogram = 1.
Proof.
  pose proof (length_at_least_one records some). unfold histogram.
  rewrite (sum_ext _ _ (fun x => / INR (length records)
    * sum records (fun r => if Nat.eq_dec (fst r) x then 1 else 0))) by (intros; unfold Rdiv; ring).
  rewrite sum_scal, sum_swap, (sum_ext _ _ (fun _ => 1)); [rewrite sum_const; field; lra|].
  intros r I. assert (J : In (fst r) occupied_bins) by (apply nodup_In, in_map, I).
  pose proof (NoDup_nodup Nat.eq_dec (map fst records)) as D. fold occupied_bins in D.
  revert D J. generalize occupied_bins. induction l as [|x l IH]; intros D J; [contradiction|].
  inversion D as [|? ? A B]; subst. simpl. destruct (Nat.eq_dec (fst r) x) as [E|Ne].
  - rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_const; ring|].
    intros y Y. destruct (Nat.eq_dec (fst r) y) as [E'|]; [congruence|reflexivity].
  - destruct J as [J|J]; [congruence|]. rewrite IH by assumption. ring.
Qed.

Lemma output_at_most_one : sum occupied_bins output <= 1.
Proof.
  pose proof (length_at_least_one records some).
  assert (One : sum (seq 0 K) output = 1).
  { unfold output, released, mass. rewrite map_length.
    rewrite (sum_ext _ _ (fun x => / INR (length records) * sum records (fun r => snd r x)))
      by (intros; rewrite sum_map; unfold Rdiv; ring).
    rewrite sum_scal, sum_swap, (sum_ext _ _ (fun _ => 1)) by (intros; apply rows_sum; assumption).
    rewrite sum_const. field. lra. }
  rewrite <- One. apply sum_of_part; [apply NoDup_nodup| |].
  - intros x I. apply in_seq. pose proof (occupied_on_the_grid x I). lia.
  - intros x I. apply in_seq in I. unfold output, released, mass. rewrite map_length, sum_map.
    apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra].
    apply sum_nonneg. intros r J. apply rows_nonnegative; [exact J|lia].
Qed.

Lemma own_bins x : (forall r, In r records -> 1 / INR K <= snd r (fst r)) -> In x occupied_bins ->
  histogram x / INR K <= output x.
Proof.
  intros own I. pose proof (occupied_on_the_grid x I) as X.
  apply (own_bin_of_a_profile Nat.eq_dec records (INR K) x some).
  - apply lt_0_INR. lia.
  - intros r J. split; [apply rows_nonnegative; assumption|intros <-; apply own, J].
Qed.

(* Proposition (the utility lies between 0 and 1), for a profile whose rows put at least 1/K on
   their own bin. *)
Theorem utility_of_a_profile : (forall r, In r records -> 1 / INR K <= snd r (fst r)) ->
  0 <= utility occupied_bins histogram output (INR K) <= 1.
Proof.
  intros own. assert (K2 : 2 <= INR K) by (apply (le_INR 2), two).
  apply utility_between;
    [lra|exact histogram_positive|exact histogram_one|exact output_at_most_one|].
  intros x I. apply own_bins; assumption.
Qed.

Theorem utility_of_a_strict_profile : (forall r, In r records -> 1 / INR K < snd r (fst r)) ->
  0 < utility occupied_bins histogram output (INR K).
Proof.
  intros own. assert (K2 : 2 <= INR K) by (apply (le_INR 2), two).
  pose proof (length_at_least_one records some) as M.
  apply utility_positive; [lra|exact histogram_positive|exact histogram_one| |].
  - intros x I. apply own_bins; [intros r J; apply Rlt_le, own, J|exact I].
  - intros x I. pose proof (occupied_on_the_grid x I) as X. apply nodup_In, in_map_iff in I.
    destruct I as [r [E I]]. unfold histogram, output, released, mass. rewrite map_length, sum_map.
    apply Rmult_lt_reg_r with (INR (length records)); [lra|].
    set (f := fun r : nat * (nat -> R) => if Nat.eq_dec (fst r) x then 1 else 0).
    replace (sum records f / INR (length records) / INR K * INR (length records))
      with (1 / INR K * sum records f) by (field; lra).
    replace (sum records (fun a => snd a x) / INR (length records) * INR (length records))
      with (sum records (fun a => snd a x)) by (field; lra).
    (* each record of bin x adds more than 1/K, and there is one *)
    assert (each : forall s, In s records -> 0 <= snd s x + - (1 / INR K) * f s).
    { intros s J. unfold f. destruct (Nat.eq_dec (fst s) x) as [Es|_].
      - specialize (own s J). rewrite Es in own. lra.
      - pose proof (rows_nonnegative s x J X). lra. }
    pose proof (sum_term_le records _ r each I) as T. simpl in T.
    rewrite sum_plus, sum_scal in T. specialize (own r I). rewrite E in own. unfold f at 1 in T.
    destruct (Nat.eq_dec (fst r) x); [lra|contradiction].
Qed.
End Profile.

(* Records with truncated Laplace noise: each has its bin and its scale. *)
Definition laplace_row (K : nat) (r : nat * R) : nat * (nat -> R) :=
  (fst r, kernel K (fst r) (snd r)).

Theorem laplace_utility (K : nat) (records : list (nat * R)) : (2 <= K)%nat -> records <> [] ->
  (forall r, In r records -> (fst r < K)%nat /\ 0 < snd r) ->
  let rows := map (laplace_row K) records in
  0 < utility (occupied_bins rows) (histogram rows) (output rows) (INR K) <= 1.
Proof.
  intros two some inside rows.
  assert (S : rows <> []) by (unfold rows; destruct records; [contradiction|discriminate]).
  assert (all : forall (good : nat * (nat -> R) -> Prop),
    (forall r, In r records -> good (laplace_row K r)) -> forall r, In r rows -> good r).
  { intros good G r I. apply in_map_iff in I. destruct I as [s [<- I]]. apply G, I. }
  assert (grid : forall r, In r rows -> (fst r < K)%nat)
    by (apply (all (fun r => (fst r < K)%nat)); intros r I; apply inside, I).
  assert (pos : forall r, In r rows -> forall x, (x < K)%nat -> 0 <= snd r x).
  { apply (all (fun r => forall x, (x < K)%nat -> 0 <= snd r x)). intros r I x X.
    destruct (inside r I). apply Rlt_le, bin_masses_positive; assumption. }
  assert (one : forall r, In r rows -> sum (seq 0 K) (snd r) = 1).
  { apply (all (fun r => sum (seq 0 K) (snd r) = 1)). intros r I. destruct (inside r I).
    apply masses_sum_to_one; assumption. }
  assert (own : forall r, In r rows -> 1 / INR K < snd r (fst r)).
  { apply (all (fun r => 1 / INR K < snd r (fst r))). intros r I. destruct (inside r I).
    apply own_bin_has_more; assumption. }
  split.
  - apply utility_of_a_strict_profile; auto.
  - apply utility_of_a_profile; auto. intros r I. apply Rlt_le, own, I.
Qed.

(* The private profiles are convex: σ S <= p <= τ S is linear in the mass S, so it holds on the
   segment between two masses at whose ends it holds, for a record whose own row p stays. *)
Theorem private_between_two_masses {X : Type} (s t : R) (p S S' : X -> R) (a : R) : 0 <= a <= 1 ->
  (forall x, s * S x <= p x <= t * S x) -> (forall x, s * S' x <= p x <= t * S' x) ->
  forall x, s * ((1 - a) * S x + a * S' x) <= p x <= t * ((1 - a) * S x + a * S' x).
Proof. intros A H H' x. specialize (H x). specialize (H' x). nra. Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@KL_nonnegative, @KL_at_most_ln_K, @utility_between, @utility_positive, @own_bin_of_a_profile,
   @own_bin_has_more, @utility_of_a_profile, @laplace_utility, @private_between_two_masses).
Print Assumptions checked_here.
