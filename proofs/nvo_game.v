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
  { apply Rlt_le_trans with (ln K * sum occupied q); [|rewrite q_one; lra]. rewrite <- sum_scal. unfold KL.
    assert (some : occupied <> []) by (intros E; rewrite E in q_one; simpl in q_one; lra).
    assert (each : forall x, In x occupied -> 0 < ln K * q x - q x * ln (q x / P x)).
    { intros x I. pose proof (q_pos x I) as Q. pose proof (P_pos x I) as PP. specialize (more x I).
      assert (q x / P x < K).
      { apply Rmult_lt_reg_r with (P x); [exact PP|].
        replace (q x / P x * P x) with (q x / K * K) by (field; lra). nra. }
      assert (ln (q x / P x) < ln K) by (apply ln_increasing; [apply Rdiv_lt_0_compat|]; assumption). nra. }
    pose proof (sum_pos occupied _ some each) as D.
    rewrite (sum_ext _ _ (fun x => ln K * q x + -1 * (q x * ln (q x / P x)))) in D by (intros; ring).
    rewrite sum_plus, (sum_scal _ (-1)) in D. lra. }
  unfold utility. assert (KL / ln K * ln K = KL) by (field; lra). nra.
Qed.
End Utility.

(* P(x) >= q(x)/K: each of the n q(x) records of bin x is released as x with probability at least 1/K. *)
Theorem own_bin_of_a_profile {X : Type} (same : forall x y : X, {x = y} + {x <> y})
    (records : list (X * (X -> R))) (K : R) (x : X) : records <> [] -> 0 < K ->
  (forall r, In r records -> 0 <= snd r x /\ (fst r = x -> 1 / K <= snd r x)) ->
  let q := sum records (fun r => if same (fst r) x then 1 else 0) / INR (length records) in
  q / K <= released (map snd records) x.
Proof.
  intros some K0 H q. unfold q, released, mass. rewrite map_length, sum_map.
  pose proof (length_at_least_one records some) as N.
  set (m := INR (length records)) in *. set (s := sum records (fun r => if same (fst r) x then 1 else 0)).
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
  intros X Ne. pose proof K_two as K2. pose proof (place_in_unit K k on_the_grid) as M. fold mu in M.
  pose proof (Z_positive mu b b_pos M) as Zp. pose proof u_between as U.
  assert (own : kernel K k b k = 2 * (1 - u) / (2 * Z mu b)).
  { unfold kernel. fold mu. assert (Mu : mu = (INR k + 1 / 2) / INR K) by reflexivity.
    rewrite integral_across; [|exact b_pos|exact M| |].
    - replace ((mu - INR k / INR K) / b) with (1 / (2 * INR K * b)) by (rewrite Mu; field; lra).
      replace (((INR k + 1) / INR K - mu) / b) with (1 / (2 * INR K * b)) by (rewrite Mu; field; lra).
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
      rewrite integral_left by assumption. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|].
      replace (mu - INR x / INR K) with (mu - (INR x + 1) / INR K + 1 / INR K) by (field; lra).
      apply beyond_half_a_bin. rewrite Mu. replace (1 / (2 * INR K)) with (1 / 2 / INR K) by (field; lra).
      unfold Rdiv. nra.
    - apply le_INR in L. rewrite S_INR in L.
      assert (B : mu <= INR x / INR K) by (rewrite Mu; unfold Rdiv; nra).
      rewrite integral_right by assumption. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|].
      replace ((INR x + 1) / INR K - mu) with (INR x / INR K - mu + 1 / INR K) by (field; lra).
      apply beyond_half_a_bin. rewrite Mu. replace (1 / (2 * INR K)) with (1 / 2 / INR K) by (field; lra).
      unfold Rdiv. nra. }
  rewrite own. apply Rle_lt_trans with (1 := other). apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|].
  assert (u * (1 + u) < 2) by nra. nra.
Qed.

(* and since the K masses sum to 1, *)
Theorem masses_sum_to_one : sum (seq 0 K) (kernel K k b) = 1.
Proof.
  pose proof K_two as K2. pose proof (place_in_unit K k on_the_grid) as M. fold mu in M.
  rewrite <- (density_integrates_to_one mu b b_pos M).
  assert (parts : forall m, sum (seq 0 m) (kernel K k b) = RInt (V mu b) 0 (INR m / INR K)).
  { induction m as [|m IH].
    - simpl. replace (0 / INR K) with 0 by (field; lra). symmetry. apply (RInt_point (V := R_CompleteNormedModule)).
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
  apply Rmult_lt_reg_r with (INR K); [lra|]. replace (1 / INR K * INR K) with 1 by (field; lra). lra.
Qed.
End Own_bin.

(* The private profiles are convex: σ S <= p <= τ S is linear in the mass S, so it holds on the
   segment between two masses at whose ends it holds, for a record whose own row p stays. *)
Theorem private_between_two_masses {X : Type} (s t : R) (p S S' : X -> R) (a : R) : 0 <= a <= 1 ->
  (forall x, s * S x <= p x <= t * S x) -> (forall x, s * S' x <= p x <= t * S' x) ->
  forall x, s * ((1 - a) * S x + a * S' x) <= p x <= t * ((1 - a) * S x + a * S' x).
Proof. intros A H H' x. specialize (H x). specialize (H' x). nra. Qed.

Print Assumptions KL_nonnegative.
Print Assumptions KL_at_most_ln_K.
Print Assumptions utility_between.
Print Assumptions utility_positive.
Print Assumptions own_bin_of_a_profile.
Print Assumptions own_bin_has_more.
Print Assumptions private_between_two_masses.
