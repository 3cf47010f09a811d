(* pDP with a δ: a companion to book/beyond/gaussian-pdp.md. There are finitely many outputs. *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
Import ListNotations.
Open Scope R_scope.

Section Delta.
Context {X : Type}.
Variables (outputs : list X) (eps : R).

(* The smallest δ of one direction, and the one of both. *)
Definition hockey_stick (P Q : X -> R) : R := sum outputs (fun x => Rmax 0 (P x - exp eps * Q x)).
Definition delta (p : @row X) (others : list (@row X)) : R :=
  Rmax (hockey_stick (released (p :: others)) (released others))
    (hockey_stick (released others) (released (p :: others))).

(* Lemma (the linear form with δ). *)
Section Linear.
Variables (p : @row X) (others : list (@row X)).
Hypothesis some : others <> [].
Let n := INR (length (p :: others)).
Let S := mass (p :: others).

Definition linear_delta (n : R) (p S : X -> R) : R :=
  Rmax (exp eps / (n - 1) * sum outputs (fun x => Rmax 0 (p x - tau n eps * S x)))
       (1 / (n - 1) * sum outputs (fun x => Rmax 0 (sigma n eps * S x - p x))).

Lemma positive_part c y : 0 <= c -> Rmax 0 (c * y) = c * Rmax 0 y.
Proof. intros C. rewrite <- RmaxRmult, Rmult_0_r by exact C. reflexivity. Qed.

Theorem hockey_linear : delta p others = linear_delta n p S.
Proof.
  pose proof (length_at_least_one others some) as M.
  assert (N : n = INR (length others) + 1) by (unfold n; simpl length; apply S_INR).
  pose proof (exp_pos eps) as E.
  assert (A : 0 <= exp eps / (n - 1)) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  assert (B : 0 <= 1 / (n - 1)) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  unfold delta, linear_delta, hockey_stick. rewrite <- !sum_scal.
  f_equal; apply sum_ext; intros x _.
  - rewrite <- positive_part by exact A. f_equal. unfold released. fold n. fold S.
    replace (mass others x) with (S x - p x) by (change (S x) with (p x + mass others x); ring).
    replace (INR (length others)) with (n - 1) by lra. unfold tau. rewrite exp_Ropp. field. lra.
  - rewrite <- positive_part by exact B. f_equal. unfold released. fold n. fold S.
    replace (mass others x) with (S x - p x) by (change (S x) with (p x + mass others x); ring).
    replace (INR (length others)) with (n - 1) by lra. unfold sigma. field. lra.
Qed.
End Linear.

(* For a fixed row it is a convex function of the mass, *)
Theorem delta_is_convex n (p S S' : X -> R) a : 1 < n -> 0 <= a <= 1 ->
  linear_delta n p (fun x => (1 - a) * S x + a * S' x)
    <= (1 - a) * linear_delta n p S + a * linear_delta n p S'.
Proof.
  intros N A. unfold linear_delta. pose proof (exp_pos eps) as E.
  assert (mean : forall y z, Rmax 0 ((1 - a) * y + a * z) <= (1 - a) * Rmax 0 y + a * Rmax 0 z).
  { intros y z. pose proof (Rmax_l 0 y). pose proof (Rmax_l 0 z). pose proof (Rmax_r 0 y).
    pose proof (Rmax_r 0 z).
    apply Rmax_lub; nra. }
  assert (sums : forall f g h : X -> R, (forall x, f x = (1 - a) * g x + a * h x) ->
    sum outputs (fun x => Rmax 0 (f x)) <= (1 - a) * sum outputs (fun x => Rmax 0 (g x)) + a * sum
      outputs (fun x => Rmax 0 (h x))).
  { intros f g h H. rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros x _. rewrite H.
    apply mean. }
  pose proof (sums (fun x => p x - tau n eps * ((1 - a) * S x + a * S' x))
    (fun x => p x - tau n eps * S x)
                (fun x => p x - tau n eps * S' x) ltac:(intros; cbn beta; ring)) as U.
  pose proof (sums (fun x => sigma n eps * ((1 - a) * S x + a * S' x) - p x)
    (fun x => sigma n eps * S x - p x)
                (fun x => sigma n eps * S' x - p x) ltac:(intros; cbn beta; ring)) as L.
  cbn beta in U, L.
  set (c := exp eps / (n - 1)). set (d := 1 / (n - 1)).
  assert (C : 0 < c) by (apply Rdiv_lt_0_compat; lra).
  assert (D : 0 < d) by (apply Rdiv_lt_0_compat; lra).
  set (u1 := sum outputs (fun x => Rmax 0 (p x - tau n eps * S x))) in *.
  set (u2 := sum outputs (fun x => Rmax 0 (p x - tau n eps * S' x))) in *.
  set (l1 := sum outputs (fun x => Rmax 0 (sigma n eps * S x - p x))) in *.
  set (l2 := sum outputs (fun x => Rmax 0 (sigma n eps * S' x - p x))) in *.
  pose proof (Rmax_l (c * u1) (d * l1)). pose proof (Rmax_r (c * u1) (d * l1)).
  pose proof (Rmax_l (c * u2) (d * l2)). pose proof (Rmax_r (c * u2) (d * l2)).
  assert (G : (1 - a) * (c * u1) + a * (c * u2)
    <= (1 - a) * Rmax (c * u1) (d * l1) + a * Rmax (c * u2) (d * l2))
    by (apply Rplus_le_compat; apply Rmult_le_compat_l; lra).
  assert (G' : (1 - a) * (d * l1) + a * (d * l2)
    <= (1 - a) * Rmax (c * u1) (d * l1) + a * Rmax (c * u2) (d * l2))
    by (apply Rplus_le_compat; apply Rmult_le_compat_l; lra).
  apply Rmax_lub.
  - apply Rle_trans with (2 := G). apply (Rmult_le_compat_l c) in U; lra.
  - apply Rle_trans with (2 := G'). apply (Rmult_le_compat_l d) in L; lra.
Qed.

(* so the masses at which the record is (ε, δ)-pDP form a convex set. *)
Corollary private_masses_are_convex n (p S S' : X -> R) a d : 1 < n -> 0 <= a <= 1 ->
  linear_delta n p S <= d -> linear_delta n p S' <= d ->
  linear_delta n p (fun x => (1 - a) * S x + a * S' x) <= d.
Proof. intros N A H H'. apply Rle_trans with (1 := delta_is_convex n p S S' a N A). nra. Qed.

(* Theorem: every record is (ε, 1/n)-pDP, for every event, whatever the noise. *)
Theorem delta_one_in_n (p : @row X) (others : list (@row X)) (E : list X) : others <> [] ->
  0 <= eps ->
  NoDup E -> incl E outputs ->
    (forall r, In r (p :: others) -> (forall x, 0 <= r x) /\ sum outputs r = 1) ->
  let n := INR (length (p :: others)) in
  sum E (released (p :: others)) <= exp eps * sum E (released others) + 1 / n /\
  sum E (released others) <= exp eps * sum E (released (p :: others)) + 1 / n.
Proof.
  intros some e0 D I rows n. pose proof (length_at_least_one others some) as M.
  assert (N : n = INR (length others) + 1) by (unfold n; simpl length; apply S_INR).
  pose proof (exp_ineq1_le eps) as E1. set (P := released (p :: others)).
  set (Q := released others).
  assert (mix : forall x, P x = Q x + 1 / n * p x + - (1 / n) * Q x).
  { intros x. unfold P, Q, released. fold n. unfold mass. simpl. rewrite N. field. lra. }
  assert (p0 : forall x, 0 <= p x) by apply rows, or_introl, eq_refl.
  assert (Q0 : forall x, 0 <= Q x).
  { intros x. unfold Q, released. apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra].
    apply sum_nonneg. intros r J. apply rows. right. exact J. }
  assert (Qs : sum outputs Q = 1).
  { unfold Q, released, mass.
    rewrite (sum_ext _ _ (fun x => / INR (length others) * sum others (fun r => r x)))
      by (intros; unfold Rdiv; ring).
    rewrite sum_scal, sum_swap, (sum_ext others _ (fun _ => 1))
      by (intros r J; apply rows; right; exact J).
    rewrite sum_const. field. lra. }
  assert (p1 : 0 <= sum E p <= 1).
  { split; [apply sum_nonneg; intros; apply p0|]. rewrite <- (proj2 (rows p (or_introl eq_refl))).
    apply sum_of_part; auto. }
  assert (Q1 : 0 <= sum E Q <= 1).
  { split; [apply sum_nonneg; intros; apply Q0|]. rewrite <- Qs. apply sum_of_part; auto. }
  assert (T : sum E P = sum E Q + 1 / n * sum E p + - (1 / n) * sum E Q).
  { rewrite (sum_ext E P _ (fun x _ => mix x)), !sum_plus, !sum_scal. reflexivity. }
  assert (I0 : 0 < 1 / n) by (apply Rdiv_lt_0_compat; lra).
  rewrite T. assert (G : 1 / n <= 1).
  { apply Rmult_le_reg_r with n; [lra|]. replace (1 / n * n) with 1 by (field; lra). lra. }
  set (e := exp eps) in *. set (q := sum E Q) in *. set (r := sum E p) in *. set (i := 1 / n) in *.
  assert (A1 : 0 <= i * r <= i)
    by (split; [apply Rmult_le_pos|rewrite <- (Rmult_1_r i) at 2; apply Rmult_le_compat_l]; lra).
  assert (A2 : 0 <= i * q <= i)
    by (split; [apply Rmult_le_pos|rewrite <- (Rmult_1_r i) at 2; apply Rmult_le_compat_l]; lra).
  assert (A3 : 0 <= (e - 1) * q) by (apply Rmult_le_pos; lra).
  assert (A4 : i * q <= 1 * q) by (apply Rmult_le_compat_r; lra).
  assert (A5 : 0 <= (e - 1) * (q + i * r + - i * q)) by (apply Rmult_le_pos; lra).
  split; lra.
Qed.
End Delta.

Definition checked_here := (@hockey_linear, @delta_is_convex, @private_masses_are_convex,
  @delta_one_in_n).
Print Assumptions checked_here.
