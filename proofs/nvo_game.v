(* The utility lies between 0 and 1: a companion to book/game/nvo-game.md. *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
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
End Utility.

(* The private profiles are convex: σ S <= p <= τ S is linear in the mass S, so it holds on the
   segment between two masses at whose ends it holds, for a record whose own row p stays. *)
Theorem private_between_two_masses {X : Type} (s t : R) (p S S' : X -> R) (a : R) : 0 <= a <= 1 ->
  (forall x, s * S x <= p x <= t * S x) -> (forall x, s * S' x <= p x <= t * S' x) ->
  forall x, s * ((1 - a) * S x + a * S' x) <= p x <= t * ((1 - a) * S x + a * S' x).
Proof. intros A H H' x. specialize (H x). specialize (H' x). nra. Qed.

Print Assumptions KL_nonnegative.
Print Assumptions KL_at_most_ln_K.
Print Assumptions utility_between.
Print Assumptions private_between_two_masses.
