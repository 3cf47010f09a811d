(* The last step of a genetic algorithm: a companion to book/game/approximate-enumeration.md. *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.nvo_game.
Import ListNotations.
Open Scope R_scope.

Section Last_step.
Context {A : Type}.
Variable same : forall a b : A, {a = b} + {a <> b}.
Variable actions : nat.                                 (* |V| *)
Hypothesis two_actions : (2 <= actions)%nat.
Let others : R := INR actions - 1.                      (* |V| - 1 *)

(* A gene keeps its action with probability 1 - μ, and becomes each other action with equal
   probability. *)
Definition gene (mu : R) (a b : A) : R := if same a b then 1 - mu else mu / others.

(* The genes mutate independently, so the probability of a child is a product. *)
Fixpoint child (mu : R) (parent : list A) (chromosome : list A) : R :=
  match parent, chromosome with
  | [], [] => 1
  | a :: p, b :: c => gene mu a b * child mu p c
  | _, _ => 0
  end.

(* In how many genes two chromosomes differ. *)
Fixpoint differences (p c : list A) : nat :=
  match p, c with a :: p', b :: c' => ((if same a b then 0 else 1) + differences p' c')%nat | _,
    _ => 0%nat end.

Definition pi (n d : nat) (mu : R) : R := (mu / others) ^ d * (1 - mu) ^ (n - d).

Lemma at_most_all_genes p : forall c, (differences p c <= length p)%nat.
Proof.
  induction p as [|a p IH]; intros [|b c]; simpl; try lia. specialize (IH c).
  destruct (same a b); lia.
Qed.

(* Proposition (the last step of a genetic algorithm): the child is the better chromosome with this
   probability, *)
Theorem probability_of_the_child mu p : forall c, length c = length p ->
  child mu p c = pi (length p) (differences p c) mu.
Proof.
  induction p as [|a p IH]; intros [|b c] L; simpl in L; try lia; [unfold pi; simpl; ring|].
  simpl child. rewrite IH by lia. pose proof (at_most_all_genes p c) as M.
  simpl length. simpl differences. unfold pi, gene. destruct (same a b).
  - replace (0 + differences p c)%nat with (differences p c) by lia.
    rewrite Nat.sub_succ_l by exact M. simpl pow. ring.
  - replace (S (length p) - (1 + differences p c))%nat with (length p - differences p c)%nat by lia.
    simpl pow. ring.
Qed.

Section Largest.
Variables (n d : nat).
Hypothesis some_genes : (1 <= d)%nat.
Hypothesis not_all : (d < n)%nat.
Let best : R := INR d / INR n.                          (* d/n *)

Lemma best_between : 0 < best < 1 /\ best * INR n = INR d /\ INR (n - d) = INR n - INR d /\ 0
  < INR d < INR n.
Proof.
  assert (D : 0 < INR d) by (apply lt_0_INR; lia).
  assert (N : INR d < INR n) by (apply lt_INR, not_all).
  assert (E : best * INR n = INR d) by (unfold best; field; lra).
  split; [split; [apply Rdiv_lt_0_compat; lra|nra]|]. split; [exact E|].
  split; [apply minus_INR; lia|lra].
Qed.

Lemma others_positive : 1 <= others.
Proof. unfold others. apply (le_INR 2) in two_actions. simpl in two_actions. lra. Qed.

Lemma power_by_exp x k : 0 < x -> x ^ k = exp (INR k * ln x).
Proof.
  intros X. rewrite <- Rpower_pow by exact X. reflexivity.
Qed.

(* ln x <= ln a + (x - a)/a, at μ with a = d/n and at 1 - μ with a = 1 - d/n: the two slopes
   cancel. *)
Theorem largest_at_d_of_n mu : 0 < mu < 1 -> pi n d mu <= pi n d best.
Proof.
  intros M. destruct best_between as [B [E [Q D]]]. pose proof others_positive as O.
  unfold pi. assert (split_power : forall x, (x / others) ^ d = x ^ d * (/ others) ^ d)
    by (intros x; unfold Rdiv; apply Rpow_mult_distr).
  rewrite !split_power.
  replace (mu ^ d * (/ others) ^ d * (1 - mu) ^ (n - d))
    with ((/ others) ^ d * (mu ^ d * (1 - mu) ^ (n - d))) by ring.
  replace (best ^ d * (/ others) ^ d * (1 - best) ^ (n - d))
    with ((/ others) ^ d * (best ^ d * (1 - best) ^ (n - d))) by ring.
  apply Rmult_le_compat_l; [apply pow_le, Rlt_le, Rinv_0_lt_compat; lra|].
  rewrite !power_by_exp by lra. rewrite <- !exp_plus.
  assert (tangent : forall x a, 0 < x -> 0 < a -> ln x - ln a <= x / a - 1).
  { intros x a X A0. replace (ln x - ln a) with (ln (x / a));
      [apply ln_below_tangent, Rdiv_lt_0_compat; assumption|].
    unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; assumption). ring. }
  pose proof (tangent mu best ltac:(lra) ltac:(lra)) as T.
  pose proof (tangent (1 - mu) (1 - best) ltac:(lra) ltac:(lra)) as T'.
  assert (H : INR d * ln mu + INR (n - d) * ln (1 - mu)
    <= INR d * ln best + INR (n - d) * ln (1 - best)).
  { assert (A1 : INR d * (ln mu - ln best) <= INR d * (mu / best - 1))
      by (apply Rmult_le_compat_l; lra).
    assert (A2 : INR (n - d) * (ln (1 - mu) - ln (1 - best))
      <= INR (n - d) * ((1 - mu) / (1 - best) - 1))
      by (apply Rmult_le_compat_l; lra).
    assert (A3 : INR d * (mu / best - 1) = INR n * (mu - best)) by (rewrite <- E; field; lra).
    assert (A4 : INR (n - d) * ((1 - mu) / (1 - best) - 1) = INR n * (best - mu)).
    { rewrite Q, <- E. field. lra. }
    lra. }
  destruct H as [H|H]; [left; apply exp_increasing, H|right; rewrite H; reflexivity].
Qed.

(* At μ = d/n it is at least (d/(e n (|V| - 1)))^d. *)
Theorem at_least_at_d_of_n : (INR d / (exp 1 * INR n * others)) ^ d <= pi n d best.
Proof.
  destruct best_between as [B [E [Q D]]]. pose proof others_positive as O.
  pose proof (exp_pos 1) as E1.
  unfold pi. replace (INR d / (exp 1 * INR n * others)) with (best / others * / exp 1)
    by (unfold best; field; lra).
  rewrite Rpow_mult_distr. apply Rmult_le_compat_l; [apply pow_le, Rlt_le, Rdiv_lt_0_compat; lra|].
  rewrite <- exp_Ropp, !power_by_exp, ln_exp by (try apply exp_pos; lra).
  (* -ln(1 - d/n) <= 1/(1 - d/n) - 1 = d/(n - d) *)
  assert (T : - ln (1 - best) <= / (1 - best) - 1).
  { rewrite <- ln_Rinv by lra. apply ln_below_tangent, Rinv_0_lt_compat. lra. }
  assert (F : INR (n - d) * (/ (1 - best) - 1) = INR d) by (rewrite Q, <- E; field; lra).
  assert (H : INR d * - (1) <= INR (n - d) * ln (1 - best)).
  { assert (INR (n - d) * - ln (1 - best) <= INR (n - d) * (/ (1 - best) - 1))
      by (apply Rmult_le_compat_l; lra). lra. }
  destruct H as [H|H]; [left; apply exp_increasing, H|right; rewrite H; reflexivity].
Qed.

(* At a fixed μ each gene more multiplies the probability by 1 - μ. *)
Theorem falls_exponentially mu k : pi (n + k) d mu = (1 - mu) ^ k * pi n d mu.
Proof.
  unfold pi. replace (n + k - d)%nat with (k + (n - d))%nat by lia. rewrite pow_add. ring.
Qed.
End Largest.
End Last_step.

Definition checked_here :=
  (@probability_of_the_child, @largest_at_d_of_n, @at_least_at_d_of_n, @falls_exponentially).
Print Assumptions checked_here.
