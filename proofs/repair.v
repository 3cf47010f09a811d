(* A repair: a companion to book/audit/repair.md. *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums.
Import ListNotations.
Open Scope R_scope.

(* Proposition (safe randomisers protect every record above the lower bound), for one output: p <= (1 -
   e^-ε) S. The smaller bracket of the page, which only uses the lower bound, is at most S. *)
Section Safe.
Context {X : Type}.
Variables (outputs : list X) (p S : X -> R) (n eps : R).
Hypothesis p_one : sum outputs p = 1.
Hypothesis S_n : sum outputs S = n.
Hypothesis n_pos : 1 <= n.
Hypothesis eps_nonneg : 0 <= eps.
Hypothesis nonnegative : forall x, 0 <= p x <= S x.
Hypothesis safe : forall x, p x <= (1 - exp (- eps)) * S x.

(* Summed over x this says 1 - 1/n >= e^-ε. In particular n > 1. *)
Lemma enough_records : 1 <= (1 - exp (- eps)) * n.
Proof.
  assert (T : sum outputs p <= (1 - exp (- eps)) * sum outputs S).
  { rewrite <- sum_scal. apply sum_le. intros x _. apply safe. }
  rewrite p_one, S_n in T. exact T.
Qed.

Theorem safe_is_private x : 1 < n /\
  S x / n <= exp eps * ((S x - p x) / (n - 1)) /\ (S x - p x) / (n - 1) <= exp eps * (S x / n).
Proof.
  pose proof enough_records as N. pose proof (exp_pos (- eps)) as D0.
  assert (DE : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  specialize (safe x). specialize (nonnegative x).
  set (d := exp (- eps)) in *. set (e := exp eps) in *.
  assert (N1 : 1 < n) by nra.
  assert (E0 : 0 < e) by apply exp_pos.
  assert (E1 : n <= e * (n - 1)).
  { assert (d * n <= n - 1) by lra. assert (e * (d * n) <= e * (n - 1)) by (apply Rmult_le_compat_l; lra).
    replace (e * (d * n)) with (d * e * n) in H0 by ring. rewrite DE in H0. lra. }
  split; [exact N1|]. split.
  - (* Upper side: S - p >= e^-ε S *)
    assert (d * S x <= S x - p x) by lra.
    assert (A : S x <= e * (S x - p x)).
    { assert (e * (d * S x) <= e * (S x - p x)) by (apply Rmult_le_compat_l; lra).
      replace (e * (d * S x)) with (d * e * S x) in H0 by ring. rewrite DE in H0. lra. }
    apply Rmult_le_reg_r with (n * (n - 1)); [nra|].
    replace (S x / n * (n * (n - 1))) with (S x * (n - 1)) by (field; lra).
    replace (e * ((S x - p x) / (n - 1)) * (n * (n - 1))) with (e * (S x - p x) * n) by (field; lra).
    nra.
  - (* Lower side: S >= S - p *)
    apply Rmult_le_reg_r with (n * (n - 1)); [nra|].
    replace ((S x - p x) / (n - 1) * (n * (n - 1))) with ((S x - p x) * n) by (field; lra).
    replace (e * (S x / n) * (n * (n - 1))) with (e * (n - 1) * S x) by (field; lra).
    nra.
Qed.
End Safe.

(* Theorem (the repaired game is differentially private). A release is a pair of a noisy histogram z and
   a value; good z have a true lower bound. On them both factors hold, and the others have probability at
   most δ under either data set. E is an event, a finite list of pairs. *)
Section Composition.
Context {H X : Type}.
Variables (mu mu' : H -> R) (P P' : H -> X -> R).       (* with and without the record *)
Variable good : H -> bool.
Variables (eps1 eps2 delta : R).
Hypothesis mu_nonneg : forall z, 0 <= mu z.
Hypothesis mu'_nonneg : forall z, 0 <= mu' z.
Hypothesis P_nonneg : forall z x, 0 <= P z x.
Hypothesis P'_nonneg : forall z x, 0 <= P' z x.
Hypothesis histogram : forall z, mu z <= exp eps1 * mu' z.
Hypothesis value : forall z, good z = true -> forall x, P z x <= exp eps2 * P' z x.
(* the probability of all pairs whose histogram is not good *)
Hypothesis rarely_bad : forall E : list (H * X), NoDup E ->
  sum (filter (fun zx => negb (good (fst zx))) E) (fun zx => mu (fst zx) * P (fst zx) (snd zx)) <= delta.

Lemma sum_filter (E : list (H * X)) (g : H * X -> bool) (f : H * X -> R) :
  sum E f = sum (filter g E) f + sum (filter (fun a => negb (g a)) E) f.
Proof. induction E as [|a E IH]; simpl; [ring|]. destruct (g a); simpl; rewrite IH; ring. Qed.

Theorem repair_one_direction (E : list (H * X)) : NoDup E ->
  sum E (fun zx => mu (fst zx) * P (fst zx) (snd zx))
  <= exp (eps1 + eps2) * sum E (fun zx => mu' (fst zx) * P' (fst zx) (snd zx)) + delta.
Proof.
  intros N. set (g := fun zx : H * X => good (fst zx)).
  set (f := fun zx : H * X => mu (fst zx) * P (fst zx) (snd zx)).
  set (f' := fun zx : H * X => mu' (fst zx) * P' (fst zx) (snd zx)).
  rewrite (sum_filter E g f), (sum_filter E g f').
  assert (A : sum (filter g E) f <= exp (eps1 + eps2) * sum (filter g E) f').
  { rewrite <- sum_scal. apply sum_le. intros [z x] I. apply filter_In in I. destruct I as [_ G].
    unfold g in G. simpl in G. unfold f, f'. simpl. rewrite exp_plus.
    replace (exp eps1 * exp eps2 * (mu' z * P' z x))
      with ((exp eps1 * mu' z) * (exp eps2 * P' z x)) by ring.
    apply Rmult_le_compat; auto. }
  assert (B : 0 <= sum (filter (fun a => negb (g a)) E) f').
  { apply sum_nonneg. intros [z x] _. unfold f'. simpl. apply Rmult_le_pos; auto. }
  specialize (rarely_bad E N). unfold g, f in *. pose proof (exp_pos (eps1 + eps2)). nra.
Qed.
End Composition.

Print Assumptions enough_records.
Print Assumptions safe_is_private.
Print Assumptions repair_one_direction.
