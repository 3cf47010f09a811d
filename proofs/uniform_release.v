(* The published proof, done with care: a companion to book/experiments/published-proof.md (uniform
   release). *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.truncated_laplace Pdp.theorem_one
  Pdp.local_randomisers.
Import ListNotations.
Open Scope R_scope.

Section Uniform_release.
Variables (eps b : R).
Hypothesis eps_pos : 0 < eps.
Hypothesis b_pos : 0 < b.

(* The others have places in [0, 1] and scales of at least b; the record is released with the
   density 1. *)
Section One_record.
Variable others : list (R * R).
Hypothesis some : others <> [].
Let m := INR (length others).
Let n := m + 1.
Let c := 1 / (1 + n * (exp eps - 1)).
Let s (x : R) := sum others (fun i => V (fst i) (snd i) x).

Lemma c_positive : 0 < 1 + n * (exp eps - 1) /\ 1 <= m.
Proof.
  pose proof (length_at_least_one others some) as M. fold m in M.
  pose proof (exp_ineq1 eps ltac:(lra)).
  split; [unfold n; nra|exact M].
Qed.

(* If the smallest density of the others is at least c, the record satisfies the upper side, at
   every output; *)
Theorem uniform_record_is_private x :
  c <= v_min b -> (forall i, In i others -> 0 <= fst i <= 1 /\ b <= snd i) -> 0 <= x <= 1 ->
  (1 + s x) / n <= exp eps * (s x / m).
Proof.
  intros C H X. destruct c_positive as [R0 M].
  assert (L : m * v_min b <= s x).
  { unfold m, s. rewrite <- sum_const. apply sum_le. intros i I. destruct (H i I) as [P S].
    pose proof (v_min_increases b (snd i) b_pos S).
    destruct (extremes (snd i) ltac:(lra) (fst i) x P X). lra. }
  unfold n. apply (ratio_form_at_one_output m eps 1 (s x) M). unfold R_of. fold n.
  assert (D : c <= s x / m).
  { apply Rmult_le_reg_r with m; [lra|]. replace (s x / m * m) with (s x) by (field; lra). nra. }
  assert (E : (1 + n * (exp eps - 1)) * c = 1) by (unfold c; field; lra).
  assert ((1 + n * (exp eps - 1)) * c <= (1 + n * (exp eps - 1)) * (s x / m))
    by (apply Rmult_le_compat_l; lra). lra.
Qed.
End One_record.

(* and if it is smaller, and the others all sit at one edge with the scale b, the record fails at
   the other edge. *)
Theorem uniform_record_is_exposed k : (1 <= k)%nat ->
  let n := INR k + 1 in v_min b < 1 / (1 + n * (exp eps - 1)) ->
  let s := sum (repeat (0, b) k) (fun i => V (fst i) (snd i) 1) in
  exp eps * (s / INR k) < (1 + s) / n.
Proof.
  intros K n F s. assert (M : 1 <= INR k) by (apply (le_INR 1); exact K).
  pose proof (exp_ineq1 eps ltac:(lra)) as E1.
  assert (S : s = INR k * v_min b) by (unfold s; rewrite sum_repeat; cbn [fst snd];
    rewrite v_min_attained by exact b_pos; reflexivity).
  assert (R0 : 0 < 1 + n * (exp eps - 1)) by (unfold n; nra).
  destruct (Rlt_le_dec (exp eps * (s / INR k)) ((1 + s) / n)) as [L|L]; [exact L|].
  apply (ratio_form_at_one_output (INR k) eps 1 s M) in L. unfold R_of in L. fold n in L.
  replace (s / INR k) with (v_min b) in L by (rewrite S; field; lra).
  assert (E : (1 + n * (exp eps - 1)) * (1 / (1 + n * (exp eps - 1))) = 1) by (field; lra). nra.
Qed.

(* The condition as a bound on the scale: if u solves u/(e^u - 1) = c, it is b >= 1/u, *)
Theorem condition_as_a_scale u : 0 < u -> (u / (exp u - 1) <= v_min b <-> 1 / u <= b).
Proof.
  intros U. assert (I : 0 < 1 / u) by (apply Rdiv_lt_0_compat; lra).
  assert (E : u / (exp u - 1) = v_min (1 / u))
    by (unfold v_min; replace (1 / (1 / u)) with u by (field; lra); reflexivity).
  rewrite E. split; intros H; [|apply v_min_increases; assumption].
  destruct (Rle_lt_dec (1 / u) b) as [L|L]; [exact L|].
  pose proof (v_min_strictly_increases b (1 / u) b_pos L). lra.
Qed.

(* and this equation is the one of Lambert's function: w = -u - c has w e^w = -c e^{-c}, and w < -1
   if u > 1 - c. *)
Theorem equation_of_lambert c u : 0 < u ->
  (u / (exp u - 1) = c <-> (- u - c) * exp (- u - c) = - c * exp (- c)).
Proof.
  intros U. pose proof (exp_ineq1 u ltac:(lra)) as E.
  replace (exp (- u - c)) with (exp (- u) * exp (- c)) by (rewrite <- exp_plus; f_equal; ring).
  rewrite exp_Ropp. pose proof (exp_pos (- c)) as C. set (e := exp u) in *.
  set (d := exp (- c)) in *.
  assert (Q : u / (e - 1) * (e - 1) = u) by (field; lra). assert (I : / e * e = 1) by (field; lra).
  split; intros H.
  - rewrite H in Q. assert (F : (- u - c) * / e = - c).
    { replace (- u - c) with (- c * e) by lra. rewrite Rmult_assoc, (Rmult_comm e), I. ring. }
    rewrite <- Rmult_assoc, F. reflexivity.
  - assert (F : (- u - c) * / e = - c).
    { apply Rmult_eq_reg_r with d; [|lra]. rewrite Rmult_assoc. exact H. }
    assert (G : - u - c = - c * e).
    { replace (- u - c) with ((- u - c) * / e * e) by (field; lra). rewrite F. reflexivity. }
    apply Rmult_eq_reg_r with (e - 1); [rewrite Q; lra|lra].
Qed.
End Uniform_release.

Definition checked_here :=
  (@uniform_record_is_private, @uniform_record_is_exposed, @condition_as_a_scale,
    @equation_of_lambert).
Print Assumptions checked_here.
