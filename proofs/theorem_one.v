(* How much noise is enough: a companion to book/per_instance/theorem-one.md. *)
Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.truncated_laplace.
Import ListNotations.
Open Scope R_scope.

(* The proof, for one output x: the record has p, the others have the list ps. *)
Section One_output.
Variables (eps p : R) (ps : list R).
Hypothesis eps_pos : 0 < eps.
Hypothesis some : ps <> [].                                             (* n >= 2 *)
Let m := INR (length ps).                                               (* n - 1 *)
Let n := m + 1.
Let eta := exp eps - 1.
Let ratio := 1 + n * eta.                                               (* R *)
Let s := sum ps (fun q => q).                                           (* S - p *)
Hypothesis p_pos : 0 < p.
Hypothesis near : forall q, In q ps -> 0 < q /\ p <= ratio * q /\ q <= ratio * p.

Theorem at_one_output :
  (p + s) / n <= exp eps * (s / m) /\ s / m <= exp eps * ((p + s) / n).
Proof.
  pose proof (length_at_least_one ps some) as M. fold m in M.
  assert (H : 0 < eta) by (unfold eta; pose proof (exp_ineq1 eps ltac:(lra)); lra).
  replace (exp eps) with (1 + eta) by (unfold eta; ring).
  assert (Rp : 1 < ratio) by (unfold ratio, n; nra).
  assert (s_pos : 0 < s) by (apply sum_pos; [exact some|intros q I; apply near; exact I]).
  split.
  - (* Upper side. Sum p <= R q over the n-1 other records: (n-1) p <= R (S - p). *)
    assert (U : m * p <= ratio * s).
    { unfold m, s. rewrite <- sum_scal, <- sum_const. apply sum_le. intros q I. apply near, I. }
    apply Rmult_le_reg_r with (n * m); [unfold n; nra|].
    replace ((p + s) / n * (n * m)) with (m * p + m * s) by (unfold n; field; lra).
    replace ((1 + eta) * (s / m) * (n * m)) with (ratio * s + m * s)
      by (unfold ratio, n; field; lra).
    lra.
  - (* Lower side. With the two records exchanged: S - p <= (n-1) R p. *)
    assert (L : s <= m * (ratio * p)).
    { unfold m, s. rewrite <- sum_const. apply sum_le. intros q I. apply near, I. }
    apply Rmult_le_reg_r with (n * m); [unfold n; nra|].
    replace (s / m * (n * m)) with (n * s) by (unfold n; field; lra).
    replace ((1 + eta) * ((p + s) / n) * (n * m)) with ((1 + eta) * m * (p + s))
      by (unfold n; field; lra).
    (* the last inequality: (1 + (n-1) η)(1 + η) = 1 + n η + (n-1) η² *)
    assert (last : (1 + m * eta) * (1 + eta) = ratio + m * (eta * eta)) by (unfold ratio, n; ring).
    assert (0 <= m * (eta * eta)) by (apply Rmult_le_pos; [lra|nra]).
    destruct (Rle_lt_dec (1 - m * eta) 0) as [D|D].
    + assert (s * (1 - m * eta) <= 0) by nra.
      assert (0 < (1 + eta) * m * p) by (repeat apply Rmult_lt_0_compat; lra).
      unfold n. lra.
    + assert (s * (1 - m * eta) <= m * (ratio * p) * (1 - m * eta))
        by (apply Rmult_le_compat_r; lra).
      assert (ratio * (1 - m * eta) <= 1 + eta).
      { unfold ratio, n. assert (0 <= m * eta * (m * eta)) by nra.
        assert (0 <= m * (eta * eta)) by assumption. nra. }
      assert (m * p * (ratio * (1 - m * eta)) <= m * p * (1 + eta)).
      { apply Rmult_le_compat_l; [nra|assumption]. }
      unfold n. lra.
Qed.

(* The same with the logarithm of the page. *)
Theorem at_one_output_in_nats : Rabs (ln ((p + s) / n / (s / m))) <= eps.
Proof.
  pose proof (length_at_least_one ps some) as M. fold m in M.
  assert (s_pos : 0 < s) by (apply sum_pos; [exact some|intros q I; apply near; exact I]).
  apply within_is_a_bound_on_the_logarithm; [| |exact at_one_output];
    apply Rdiv_lt_0_compat; unfold n; lra.
Qed.
End One_output.

(* The scale bound b*, and e^{1/b*} = R. *)
Definition scale_bound (n eps : R) : R := / ln (1 + n * (exp eps - 1)).

Section Scale_bound.
Variables (n eps : R).
Hypothesis eps_pos : 0 < eps.
Hypothesis n_pos : 1 <= n.

Lemma R_above_one : 1 < 1 + n * (exp eps - 1).
Proof. pose proof (exp_ineq1 eps ltac:(lra)). nra. Qed.

Lemma scale_bound_positive : 0 < scale_bound n eps.
Proof.
  pose proof R_above_one. apply Rinv_0_lt_compat. rewrite <- ln_1. apply ln_increasing; lra.
Qed.

Lemma exp_of_scale_bound : exp (1 / scale_bound n eps) = 1 + n * (exp eps - 1).
Proof.
  pose proof R_above_one. unfold scale_bound, Rdiv. rewrite Rinv_inv, Rmult_1_l.
  apply exp_ln. lra.
Qed.
End Scale_bound.

(* Theorem 1', for masses on any grid of K bins. A record is its bin and its own scale. *)
Section On_a_grid.
Variables (eps : R) (K : nat).
Hypothesis eps_pos : 0 < eps.

Definition record := (nat * R)%type.
Definition masses (r : record) (x : bin K) : R := kernel K (fst r) (snd r) (proj1_sig x).

Variables (r : record) (others : list record).
Hypothesis some : others <> [].
Let n := INR (length (r :: others)).
Let b := scale_bound n eps.
Hypothesis on_the_grid : forall i, In i (r :: others) -> (fst i < K)%nat.
Hypothesis scales_enough : forall i, In i (r :: others) -> b <= snd i.

Theorem theorem_one_prime : pdp eps (masses r) (map masses others).
Proof.
  assert (N : n = INR (length others) + 1) by (unfold n; simpl length; apply S_INR).
  pose proof (length_at_least_one others some) as M.
  pose proof (scale_bound_positive n eps eps_pos ltac:(lra)) as B. fold b in B.
  assert (E : exp (1 / b) = 1 + n * (exp eps - 1)) by (apply exp_of_scale_bound; lra).
  apply atoms_suffice. intros [x Hx]. unfold released, mass. simpl length. simpl sum.
  rewrite !sum_map, map_length, S_INR.
  pose proof (at_one_output eps (masses r (exist _ x Hx))
                (map (fun i => masses i (exist _ x Hx)) others)) as T.
  rewrite map_length, sum_map in T. apply T.
  - exact eps_pos.
  - destruct others; [contradiction|discriminate].
  - unfold masses. simpl. apply bin_masses_positive; auto.
    + specialize (scales_enough r (or_introl eq_refl)). lra.
    + apply on_the_grid. left. reflexivity.
  - intros q I. apply in_map_iff in I. destruct I as [i [<- I]].
    assert (Ii : In i (r :: others)) by (right; exact I).
    assert (Ir : In r (r :: others)) by (left; reflexivity).
    pose proof (scales_enough i Ii). pose proof (scales_enough r Ir).
    rewrite <- N, <- E. unfold masses. simpl. repeat split.
    + apply bin_masses_positive; auto. lra.
    + apply bin_masses_within; auto.
    + apply bin_masses_within; auto.
Qed.
End On_a_grid.

(* Theorem 1', for densities on [0, 1], at every output. A record is its place and its own scale. *)
Section Densities.
Variables (eps : R).
Hypothesis eps_pos : 0 < eps.
Variables (mu v : R) (others : list (R * R)).
Hypothesis some : others <> [].
Let m := INR (length others).
Let n := m + 1.
Let b := scale_bound n eps.
Hypothesis place : 0 <= mu <= 1.
Hypothesis places : forall i, In i others -> 0 <= fst i <= 1.
Hypothesis scale_enough : b <= v.
Hypothesis scales_enough : forall i, In i others -> b <= snd i.

Let s (x : R) := sum others (fun i => V (fst i) (snd i) x).

Theorem theorem_one_prime_densities x : 0 <= x <= 1 ->
  (V mu v x + s x) / n <= exp eps * (s x / m) /\ s x / m <= exp eps * ((V mu v x + s x) / n).
Proof.
  intros X. pose proof (length_at_least_one others some) as M. fold m in M.
  assert (N1 : 1 <= n) by (unfold n; lra).
  pose proof (scale_bound_positive n eps eps_pos N1) as B. fold b in B.
  assert (E : exp (1 / b) = 1 + n * (exp eps - 1)) by (apply exp_of_scale_bound; lra).
  assert (pos : forall nu c, 0 <= nu <= 1 -> b <= c -> 0 < V nu c x).
  { intros nu c P C. pose proof (v_min_positive c ltac:(lra)).
    destruct (extremes c ltac:(lra) nu x P X). lra. }
  pose proof (at_one_output eps (V mu v x) (map (fun i => V (fst i) (snd i) x) others)) as T.
  rewrite map_length, sum_map in T. apply T.
  - exact eps_pos.
  - destruct others; [contradiction|discriminate].
  - apply pos; assumption.
  - intros q I. apply in_map_iff in I. destruct I as [i [<- I]]. fold m. fold n. rewrite <- E.
    repeat split; [apply pos; auto| |]; apply densities_within; auto.
Qed.
End Densities.

(* The constant is the best possible. One record at 0 and k = n - 1 records at 1, all with scale b:
   at x = 0 the density changes by the factor (n - 1 + e^{1/b})/n, *)
Theorem lonely_factor b k : 0 < b -> (1 <= k)%nat ->
  (V 0 b 0 + INR k * V 1 b 0) / (INR k + 1)
  = (INR k + exp (1 / b)) / (INR k + 1) * V 1 b 0.
Proof.
  intros B K. assert (1 <= INR k) by (apply (le_INR 1); exact K).
  assert (E : V 1 b 0 = v_min b).
  { rewrite <- (v_min_attained b B), <- (mirror 0 b 1). f_equal; ring. }
  rewrite E, v_max_attained, ratio_of_the_extremes by exact B. field. lra.
Qed.

(* which exceeds e^ε if and only if b < b*. *)
Theorem constant_is_sharp b k eps : 0 < b -> (1 <= k)%nat -> 0 < eps ->
  (exp eps * V 1 b 0 < (V 0 b 0 + INR k * V 1 b 0) / (INR k + 1)
   <-> b < scale_bound (INR k + 1) eps).
Proof.
  intros B K E0. assert (K1 : 1 <= INR k) by (apply (le_INR 1); exact K).
  assert (E : V 1 b 0 = v_min b).
  { rewrite <- (v_min_attained b B), <- (mirror 0 b 1). f_equal; ring. }
  rewrite lonely_factor by assumption. rewrite E. pose proof (v_min_positive b B) as P.
  assert (B' : 0 < scale_bound (INR k + 1) eps) by (apply scale_bound_positive; lra).
  pose proof (exp_of_scale_bound (INR k + 1) eps E0 ltac:(lra)) as X.
  set (b' := scale_bound (INR k + 1) eps) in *.
  assert (same : exp eps < (INR k + exp (1 / b)) / (INR k + 1) <-> exp (1 / b') < exp (1 / b)).
  { rewrite X. set (f := (INR k + exp (1 / b)) / (INR k + 1)).
    assert (F : f * (INR k + 1) = INR k + exp (1 / b)) by (unfold f; field; lra).
    split; intros L; nra. }
  assert (order : 1 / b' < 1 / b <-> b < b').
  { unfold Rdiv. rewrite !Rmult_1_l. split; intros L.
    - rewrite <- (Rinv_inv b), <- (Rinv_inv b'). apply Rinv_lt_contravar; [|exact L].
      apply Rmult_lt_0_compat; apply Rinv_0_lt_compat; assumption.
    - apply Rinv_lt_contravar; [apply Rmult_lt_0_compat|]; assumption. }
  rewrite <- order. split; intros L.
  - apply exp_lt_inv. apply same. apply Rmult_lt_reg_r with (v_min b); assumption.
  - apply Rmult_lt_compat_r; [exact P|]. apply same. apply exp_increasing, L.
Qed.

(* An attained mass: on the densities themselves the lonely record then is not ε-pDP at x = 0, and
   at b* its loss is exactly ε. *)
Theorem loss_at_the_bound k eps : (1 <= k)%nat -> 0 < eps ->
  let b := scale_bound (INR k + 1) eps in
  (V 0 b 0 + INR k * V 1 b 0) / (INR k + 1) = exp eps * V 1 b 0.
Proof.
  intros K E0 b. assert (K1 : 1 <= INR k) by (apply (le_INR 1); exact K).
  rewrite lonely_factor; [|apply scale_bound_positive; lra|exact K].
  unfold b. rewrite exp_of_scale_bound by lra. field. lra.
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@at_one_output, @at_one_output_in_nats, @theorem_one_prime, @theorem_one_prime_densities,
   @lonely_factor, @constant_is_sharp, @loss_at_the_bound).
Print Assumptions checked_here.
