(* Randomised response and Laplace noise: a companion to book/foundations/why-noise.md and
   book/foundations/sampling-query.md (padding). *)
Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Pdp.finite_sums.
Import ListNotations.
Open Scope R_scope.

(* ---- Randomised response ---- *)

Section Randomised_response.
Variable eps : R.
Hypothesis eps_pos : 0 < eps.
Definition p : R := exp eps / (1 + exp eps).            (* the probability of the true answer *)

(* The probability that somebody with this true answer reports this one. *)
Definition chance (truth report : bool) : R := if Bool.eqb truth report then p else 1 - p.

Lemma p_half : 1 / 2 < p < 1 /\ 2 * p - 1 = (exp eps - 1) / (exp eps + 1).
Proof.
  pose proof (exp_ineq1 eps ltac:(lra)) as E. unfold p. set (e := exp eps) in *.
  assert (Q : e / (1 + e) * (1 + e) = e) by (field; lra). split; [split; nra|field; lra].
Qed.

(* Part 1. Every report is at most e^ε times as likely under one true answer as under the other. *)
Theorem response_is_private truth other report : chance truth report
  <= exp eps * chance other report.
Proof.
  destruct p_half as [P _]. pose proof (exp_ineq1 eps ltac:(lra)) as E.
  assert (F : p = exp eps * (1 - p)) by (unfold p; field; lra).
  unfold chance. destruct truth, other, report; simpl; nra.
Qed.

(* The reports of several people are independent: the mean of a function f of the list of
   reports. *)
Fixpoint mean (truths : list bool) (f : list bool -> R) : R :=
  match truths with
  | [] => f []
  | t :: ts => chance t true * mean ts (fun rs => f (true :: rs)) + chance t false * mean ts
    (fun rs => f (false :: rs))
  end.

Definition yes (answers : list bool) : R := INR (count_occ Bool.bool_dec answers true).

Lemma yes_cons b bs : yes (b :: bs) = (if b then 1 else 0) + yes bs.
Proof. unfold yes. destruct b; simpl; [destruct (count_occ _ bs true); simpl; lra|lra]. Qed.

Lemma mean_ext ts f g : (forall rs, f rs = g rs) -> mean ts f = mean ts g.
Proof.
  revert f g. induction ts as [|t ts IH]; intros f g H; simpl; [apply H|].
  f_equal; f_equal; apply IH; intros rs; apply H.
Qed.

(* The expected number of reported yeses: p for each true yes, and 1 - p for each true no. *)
Definition expected (ts : list bool) : R := sum ts (fun t => chance t true).

Lemma expected_yes ts : expected ts = (2 * p - 1) * yes ts + (1 - p) * INR (length ts).
Proof.
  unfold expected. induction ts as [|t ts IH]; [unfold yes; simpl; ring|].
  simpl sum. rewrite IH, yes_cons. simpl length. rewrite S_INR. unfold chance.
  destruct t; simpl; ring.
Qed.

Lemma chances t : chance t true + chance t false = 1 /\ chance t true * chance t false
  = p * (1 - p).
Proof. unfold chance. destruct t; simpl; split; ring. Qed.

Lemma mean_of_yes ts a : mean ts (fun rs => a + yes rs) = a + expected ts.
Proof.
  revert a. induction ts as [|t ts IH]; intros a; [unfold yes, expected; simpl; ring|].
  simpl mean. unfold expected. simpl sum. fold (expected ts). destruct (chances t) as [C _].
  rewrite (mean_ext _ _ (fun rs => (a + 1) + yes rs)) by (intros; rewrite yes_cons; ring).
  rewrite (mean_ext _ (fun rs => a + yes (false :: rs)) (fun rs => a + yes rs))
    by (intros; rewrite yes_cons; ring).
  rewrite !IH. replace (chance t false) with (1 - chance t true) by lra. ring.
Qed.

Lemma mean_of_square ts a : mean ts (fun rs => (a + yes rs)²)
  = (a + expected ts)² + INR (length ts) * (p * (1 - p)).
Proof.
  revert a. induction ts as [|t ts IH]; intros a; [unfold yes, expected, Rsqr; simpl; ring|].
  simpl mean. unfold expected. simpl sum. fold (expected ts). destruct (chances t) as [C D].
  rewrite (mean_ext _ _ (fun rs => ((a + 1) + yes rs)²)) by (intros; rewrite yes_cons; unfold Rsqr;
    ring).
  rewrite (mean_ext _ (fun rs => (a + yes (false :: rs))²) (fun rs => (a + yes rs)²))
    by (intros; rewrite yes_cons; unfold Rsqr; ring).
  rewrite !IH. simpl length. rewrite S_INR, <- D.
  replace (chance t false) with (1 - chance t true) by lra.
  unfold Rsqr. ring.
Qed.

Lemma mean_scal ts c f : mean ts (fun rs => c * f rs) = c * mean ts f.
Proof. revert f. induction ts as [|t ts IH]; intros f; simpl; [reflexivity|rewrite !IH; ring]. Qed.

(* Part 2. The estimate from the share of reported yeses, *)
Section Estimate.
Variable truths : list bool.
Hypothesis some_people : truths <> [].
Let n : R := INR (length truths).
Let share : R := yes truths / n.                        (* π *)
Definition estimate (reports : list bool) : R :=
  (yes reports / INR (length truths) - (1 - p)) / (2 * p - 1).

(* is unbiased, *)
Theorem estimate_is_unbiased : mean truths estimate = share.
Proof.
  pose proof (length_at_least_one truths some_people) as N. fold n in N. destruct p_half as [P _].
  rewrite (mean_ext _ _ (fun rs => / (n * (2 * p - 1)) * (- ((1 - p) * n) + yes rs))).
  - rewrite mean_scal, mean_of_yes, expected_yes. fold n. unfold share. field. lra.
  - intros rs. unfold estimate. fold n. field. lra.
Qed.

(* and its standard deviation is 1/(2 √n sinh(ε/2)), whatever the share is. *)
Theorem deviation_of_the_estimate :
  sqrt (mean truths (fun rs => (estimate rs - share)²)) = 1 / (2 * sqrt n * sinh (eps / 2)).
Proof.
  pose proof (length_at_least_one truths some_people) as N. fold n in N. destruct p_half as [P D].
  assert (V : mean truths (fun rs => (estimate rs - share)²) = p * (1 - p) / (n * (2 * p - 1)²)).
  { rewrite (mean_ext _ _ (fun rs => / (n * (2 * p - 1))² * (- expected truths + yes rs)²)).
    - rewrite mean_scal, mean_of_square. fold n. unfold Rsqr. field. lra.
    - intros rs. unfold estimate. rewrite expected_yes. fold n. unfold share, Rsqr. field. lra. }
  (* p (1 - p)/(2p - 1)² = 1/(e^{ε/2} - e^{-ε/2})² *)
  assert (H : exp eps = exp (eps / 2) * exp (eps / 2)) by (rewrite <- exp_plus; f_equal; field).
  assert (H' : exp (- (eps / 2)) = / exp (eps / 2)) by apply exp_Ropp.
  assert (Hp : 0 < sinh (eps / 2)).
  { unfold sinh. assert (exp (- (eps / 2)) < exp (eps / 2)) by (apply exp_increasing; lra). lra. }
  pose proof (exp_ineq1 eps ltac:(lra)) as E.
  pose proof (sqrt_lt_R0 n ltac:(lra)) as R0. pose proof (sqrt_sqrt n ltac:(lra)) as RR.
  assert (S : p * (1 - p) / (n * (2 * p - 1)²) = (1 / (2 * sqrt n * sinh (eps / 2)))²).
  { rewrite D. unfold p, sinh, Rsqr in *. rewrite H' in *. set (h := exp (eps / 2)) in *.
    rewrite H in *. pose proof (exp_pos (eps / 2)) as h0. fold h in h0. assert (1 < h) by nra.
    set (r := sqrt n) in *. rewrite <- RR. field. repeat split; try lra; nra. }
  rewrite V, S. apply sqrt_Rsqr. apply Rlt_le, Rdiv_lt_0_compat; [lra|].
  apply Rmult_lt_0_compat; [lra|exact Hp].
Qed.
End Estimate.
End Randomised_response.

(* ---- Laplace noise ---- *)

Section Laplace_noise.
Variable b : R.
Hypothesis b_pos : 0 < b.
Definition density (z : R) : R := / (2 * b) * exp (- (Rabs z / b)).

Lemma density_continuous z : continuous density z.
Proof.
  apply continuity_pt_filterlim. unfold density, Rdiv.
  apply (continuity_pt_mult (fun _ => / (2 * b)) (fun z => exp (- (Rabs z * / b)))).
  - apply continuity_pt_const. intros x y. reflexivity.
  - apply (continuity_pt_comp (fun z => - (Rabs z * / b)) exp).
    + apply (continuity_pt_opp (fun z => Rabs z * / b)).
      apply (continuity_pt_mult Rabs (fun _ => / b)); [apply Rcontinuity_abs|].
      apply continuity_pt_const. intros x y. reflexivity.
    + apply derivable_continuous_pt, derivable_pt_exp.
Qed.

Lemma density_integrable l h : ex_RInt density l h.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
apply density_continuous. Qed.

(* The distribution function of the noise, up to the probability of what lies left of T. *)
Definition cdf (z : R) : R :=
  if Rle_dec z 0 then 1 / 2 * exp (z / b) else 1 - 1 / 2 * exp (- (z / b)).

Lemma left_of_zero l h : l <= h -> h <= 0 ->
  RInt density l h = 1 / 2 * exp (h / b) - 1 / 2 * exp (l / b).
Proof.
  intros L H. rewrite (RInt_ext (V :=
    R_CompleteNormedModule) density (fun z => / (2 * b) * exp (z / b))).
  2:{ intros z Z. rewrite Rmin_left, Rmax_right in Z by exact L. unfold density.
      rewrite Rabs_left1 by lra.
      do 2 f_equal. field. lra. }
  apply is_RInt_unique.
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun z => 1 / 2 * exp (z / b))).
  - intros z _. auto_derive; [trivial|]. unfold Rdiv. field. lra.
  - intros z _. apply continuity_pt_filterlim, derivable_continuous_pt, ex_derive_Reals_0.
    auto_derive. trivial.
Qed.

Lemma right_of_zero l h : 0 <= l -> l <= h ->
  RInt density l h = 1 / 2 * exp (- (l / b)) - 1 / 2 * exp (- (h / b)).
Proof.
  intros L H. rewrite (RInt_ext (V :=
    R_CompleteNormedModule) density (fun z => / (2 * b) * exp (- (z / b)))).
  2:{ intros z Z. rewrite Rmin_left, Rmax_right in Z by exact H. unfold density.
      rewrite Rabs_pos_eq by lra. reflexivity. }
  apply is_RInt_unique.
  replace (1 / 2 * exp (- (l / b)) - 1 / 2 * exp (- (h / b)))
    with (minus (- (1 / 2 * exp (- (h / b)))) (- (1 / 2 * exp (- (l / b)))))
      by (unfold minus, plus, opp; simpl; ring).
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun z => - (1 / 2 * exp (- (z / b))))).
  - intros z _. auto_derive; [trivial|]. unfold Rdiv. field. lra.
  - intros z _. apply continuity_pt_filterlim, derivable_continuous_pt, ex_derive_Reals_0.
    auto_derive. trivial.
Qed.

Lemma integral_of_density l h : l <= h -> RInt density l h = cdf h - cdf l.
Proof.
  intros L. unfold cdf. destruct (Rle_dec h 0) as [H|H]; destruct (Rle_dec l 0) as [M|M]; try lra.
  - apply left_of_zero; lra.
  - rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) density l 0 h)
      by apply density_integrable.
    rewrite left_of_zero, right_of_zero by lra. unfold plus; simpl.
    replace (0 / b) with 0 by (field; lra). rewrite Ropp_0, exp_0. lra.
  - rewrite right_of_zero by lra. lra.
Qed.

(* e^{-T/b} tends to 0: it is at most b/T. *)
Lemma exp_small T : 0 < T -> 0 < exp (- (T / b)) <= b / T.
Proof.
  intros T0. split; [apply exp_pos|]. rewrite exp_Ropp. pose proof (exp_ineq1_le (T / b)).
  assert (0 < T / b) by (apply Rdiv_lt_0_compat; lra).
  replace (b / T) with (/ (T / b)) by (field; lra). apply Rinv_le_contravar; lra.
Qed.

(* A probability is the limit of the integrals over growing intervals. *)
Theorem noise_at_most z : is_lim (fun T => RInt density (- T) z) p_infty (cdf z).
Proof.
  apply is_lim_spec. intros e. pose proof (cond_pos e) as E. exists (Rmax (Rabs z) (b / e)).
  intros T L.
  pose proof (Rmax_l (Rabs z) (b / e)). pose proof (Rmax_r (Rabs z) (b / e)).
  assert (z <= Rabs z /\ - z <= Rabs z) by (split; unfold Rabs; destruct (Rcase_abs z); lra).
  assert (0 < b / e) by (apply Rdiv_lt_0_compat; lra).
  rewrite integral_of_density by lra. destruct (exp_small T ltac:(lra)) as [A B].
  assert (C : cdf (- T) = 1 / 2 * exp (- (T / b))).
  { unfold cdf. destruct (Rle_dec (- T) 0); [|lra]. do 2 f_equal. field. lra. }
  rewrite C. assert (D : b / T < e).
  { apply Rmult_lt_reg_r with T; [lra|]. replace (b / T * T) with b by (field; lra).
    assert (b / e * e = b) by (field; lra). nra. }
  apply Rabs_def1; lra.
Qed.

(* Lemma (padding): for 1/2 < p < 1 the noise is at most t = b (-ln(2 - 2p)) with probability p. *)
Theorem padding p : 1 / 2 < p < 1 ->
  is_lim (fun T => RInt density (- T) (b * - ln (2 - 2 * p))) p_infty p.
Proof.
  intros P. set (t := b * - ln (2 - 2 * p)).
  assert (L : ln (2 - 2 * p) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (t0 : 0 < t) by (unfold t; apply Rmult_lt_0_compat; lra).
  replace (Finite p) with (Finite (cdf t)); [apply noise_at_most|]. f_equal.
  unfold cdf. destruct (Rle_dec t 0); [lra|].
  replace (- (t / b)) with (ln (2 - 2 * p)) by (unfold t; field; lra). rewrite exp_ln by lra. lra.
Qed.

(* ---- The best membership test against a noisy count ---- *)

(* A membership test says "in" with probability test(y) when it sees y. Its advantage, the
   true-positive minus the false-positive rate, is the integral of the test times this difference of
   the densities: *)
Section Membership_test.
Variable c : R.                                   (* the count if Jacob is out; c + 1 if he is in *)
Definition gain (y : R) : R := density (y - (c + 1)) - density (y - c).

Lemma density_by_distance y z : Rabs y <= Rabs z -> density z <= density y.
Proof.
  intros H. unfold density. apply Rmult_le_compat_l; [apply Rlt_le, Rinv_0_lt_compat; lra|].
  assert (I : 0 < / b) by (apply Rinv_0_lt_compat; lra).
  assert (L : - (Rabs z / b) <= - (Rabs y / b)) by (unfold Rdiv; nra).
  destruct L as [L|L]; [left; apply exp_increasing, L|right; rewrite L; reflexivity].
Qed.

(* "in" is the likelier of the two above c + 1/2, and "out" below. *)
Lemma gain_above y : c + 1 / 2 <= y -> 0 <= gain y.
Proof.
  intros H. unfold gain. assert (density (y - c) <= density (y - (c + 1))); [|lra].
  apply density_by_distance. unfold Rabs. destruct (Rcase_abs (y - (c + 1))), (Rcase_abs (y - c));
    lra.
Qed.

Lemma gain_below y : y <= c + 1 / 2 -> gain y <= 0.
Proof.
  intros H. unfold gain. assert (density (y - (c + 1)) <= density (y - c)); [|lra].
  apply density_by_distance. unfold Rabs. destruct (Rcase_abs (y - (c + 1))), (Rcase_abs (y - c));
    lra.
Qed.

Lemma shifted_integrable a l h : ex_RInt (fun y => density (y - a)) l h.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
  apply (continuous_comp (fun y => y - a) density); [|apply density_continuous].
  apply continuity_pt_filterlim, derivable_continuous_pt. reg.
Qed.

Lemma shifted_integral a l h : RInt (fun y => density (y - a)) l h = RInt density (l - a) (h - a).
Proof.
  pose proof (RInt_comp_lin (V := R_CompleteNormedModule) density 1 (- a) l h) as H.
  replace (1 * l + - a) with (l - a) in H by ring. replace (1 * h + - a) with (h - a) in H by ring.
  rewrite <- H by apply density_integrable. apply RInt_ext. intros x _.
  unfold scal; simpl; unfold mult; simpl.
  rewrite Rmult_1_l. f_equal. ring.
Qed.

Lemma gain_integrable l h : ex_RInt gain l h.
Proof. apply (ex_RInt_minus (V := R_NormedModule)); apply shifted_integrable. Qed.

Lemma integral_of_gain h : c + 1 <= h ->
  RInt gain (c + 1 / 2) h
    = 1 - exp (- (1 / (2 * b))) - (1 / 2 * exp (- ((h - (c + 1)) / b)) - 1 / 2 * exp
    (- ((h - c) / b))).
Proof.
  intros H. unfold gain.
  rewrite (RInt_minus (V := R_CompleteNormedModule)) by apply shifted_integrable.
  rewrite !shifted_integral, !integral_of_density by lra. unfold minus, plus, opp; simpl.
  unfold cdf.
  destruct (Rle_dec (h - (c + 1)) 0) as [L|L].
  - assert (E : h - (c + 1) = 0) by lra. rewrite E.
    destruct (Rle_dec (c + 1 / 2 - (c + 1)) 0); [|lra]. destruct (Rle_dec (h - c) 0); [lra|].
    destruct (Rle_dec (c + 1 / 2 - c) 0); [lra|].
    replace ((c + 1 / 2 - (c + 1)) / b) with (- (1 / (2 * b))) by (field; lra).
    replace ((c + 1 / 2 - c) / b) with (1 / (2 * b)) by (field; lra).
    replace (0 / b) with 0 by (field; lra). rewrite Ropp_0, exp_0. lra.
  - destruct (Rle_dec (c + 1 / 2 - (c + 1)) 0); [|lra]. destruct (Rle_dec (h - c) 0); [lra|].
    destruct (Rle_dec (c + 1 / 2 - c) 0); [lra|].
    replace ((c + 1 / 2 - (c + 1)) / b) with (- (1 / (2 * b))) by (field; lra).
    replace ((c + 1 / 2 - c) / b) with (1 / (2 * b)) by (field; lra). lra.
Qed.

(* The test that says "in" above c + 1/2 has the advantage 1 - e^{-1/(2b)}, which is 1 - e^{-ε/2}
   for b = 1/ε, *)
Theorem advantage_of_the_threshold : is_lim (fun T => RInt gain (c + 1 / 2) T) p_infty
  (1 - exp (- (1 / (2 * b)))).
Proof.
  apply is_lim_spec. intros e. pose proof (cond_pos e) as E. exists (Rmax (c + 1) (c + 1 + b / e)).
  intros T L.
  pose proof (Rmax_l (c + 1) (c + 1 + b / e)). pose proof (Rmax_r (c + 1) (c + 1 + b / e)).
  assert (0 < b / e) by (apply Rdiv_lt_0_compat; lra).
  rewrite integral_of_gain by lra. destruct (exp_small (T - (c + 1)) ltac:(lra)) as [A B].
  destruct (exp_small (T - c) ltac:(lra)) as [A' B'].
  assert (M : exp (- ((T - c) / b)) <= exp (- ((T - (c + 1)) / b))).
  { assert (I : 0 < / b) by (apply Rinv_0_lt_compat; lra). left. apply exp_increasing. unfold Rdiv.
    nra. }
  assert (D : b / (T - (c + 1)) < e).
  { apply Rmult_lt_reg_r with (T - (c + 1)); [lra|].
    replace (b / (T - (c + 1)) * (T - (c + 1))) with b by (field; lra).
    assert (b / e * e = b) by (field; lra). nra. }
  apply Rabs_def1; lra.
Qed.

(* and no test has more, on any interval on which its advantage is an integral. *)
Theorem no_test_has_more (test : R -> R) l h : l <= c + 1 / 2 -> c + 1 <= h ->
  (forall y, 0 <= test y <= 1) ->
  ex_RInt (fun y => test y * gain y) l h ->
  RInt (fun y => test y * gain y) l h <= 1 - exp (- (1 / (2 * b))).
Proof.
  intros L H bounds int. set (mid := c + 1 / 2) in *.
  assert (I1 : ex_RInt (fun y => test y * gain y) l mid)
    by (apply (ex_RInt_Chasles_1 (V := R_CompleteNormedModule)) with h;
      [unfold mid in *; lra|exact int]).
  assert (I2 : ex_RInt (fun y => test y * gain y) mid h)
    by (apply (ex_RInt_Chasles_2 (V := R_CompleteNormedModule)) with l;
      [unfold mid in *; lra|exact int]).
  rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) _ l mid h) by assumption.
  (* below c + 1/2 the test can only lose, and above it gains at most everything *)
  assert (A : RInt (fun y => test y * gain y) l mid <= 0).
  { replace 0 with (RInt (V := R_CompleteNormedModule) (fun _ : R => 0) l mid).
    - apply RInt_le; [exact L|exact I1|apply (ex_RInt_const (V := R_NormedModule))|].
      intros y Y. pose proof (gain_below y ltac:(unfold mid in *; lra)). specialize (bounds y). nra.
    - rewrite (RInt_const (V := R_CompleteNormedModule)). unfold scal; simpl; unfold mult; simpl.
      ring. }
  assert (B : RInt (fun y => test y * gain y) mid h <= RInt gain mid h).
  { apply RInt_le; [unfold mid; lra|exact I2|apply gain_integrable|].
    intros y Y. pose proof (gain_above y ltac:(unfold mid in *; lra)). specialize (bounds y). nra. }
  pose proof (integral_of_gain h H) as G. fold mid in G. rewrite G in B. unfold plus; simpl.
  assert (M : exp (- ((h - c) / b)) <= exp (- ((h - (c + 1)) / b))).
  { assert (I : 0 < / b) by (apply Rinv_0_lt_compat; lra). left. apply exp_increasing. unfold Rdiv.
    nra. }
  lra.
Qed.
End Membership_test.
End Laplace_noise.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here := (@response_is_private, @estimate_is_unbiased, @deviation_of_the_estimate,
  @noise_at_most,
  @padding, @gain_above, @gain_below, @advantage_of_the_threshold, @no_test_has_more).
Print Assumptions checked_here.
