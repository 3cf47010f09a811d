(* The truncated Laplace density: a companion to book/per_instance/truncated-laplace.md.

   Scales are in units of the padded interval, so the interval is [0, 1]. *)
Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* The probability that the noise of a record at μ stays inside the interval. *)
Definition Z (mu b : R) : R :=
  (1 / 2 - 1 / 2 * exp (- (mu / b))) + (1 / 2 - 1 / 2 * exp (- ((1 - mu) / b))).
Definition V (mu b x : R) : R := / (2 * b) * exp (- (Rabs (x - mu) / b)) / Z mu b.
Definition v_min (b : R) : R := (1 / b) / (exp (1 / b) - 1).
Definition v_max (b : R) : R := (1 / b) / (1 - exp (- (1 / b))).

(* Mirror image. *)
Lemma mirror mu b x : V (1 - mu) b (1 - x) = V mu b x.
Proof.
  assert (E : Z (1 - mu) b = Z mu b) by (unfold Z; replace (1 - (1 - mu)) with mu by ring; ring).
  unfold V. rewrite E. replace (1 - x - (1 - mu)) with (- (x - mu)) by ring. rewrite Rabs_Ropp.
  reflexivity.
Qed.

Section One_scale.
Variable b : R.
Hypothesis b_pos : 0 < b.
Let q := exp (- (1 / b)).

Lemma exp_le_1 a : a <= 0 -> exp a <= 1.
Proof.
  intros [H|H]; [|rewrite H, exp_0; lra]. apply exp_increasing in H. rewrite exp_0 in H. lra.
Qed.

Lemma exp_le c d : c <= d -> exp c <= exp d.
Proof. intros [H|H]; [left; apply exp_increasing, H|rewrite H; lra]. Qed.

Lemma q_between : 0 < q < 1.
Proof.
  split; [apply exp_pos|]. assert (0 < 1 / b) by (apply Rdiv_lt_0_compat; lra).
  assert (H' : exp (- (1 / b)) < exp 0) by (apply exp_increasing; lra).
  rewrite exp_0 in H'. exact H'.
Qed.

Lemma exp_of_place x : 0 <= x <= 1 -> q <= exp (- (x / b)) <= 1.
Proof.
  intros H. unfold q. assert (0 < / b) by (apply Rinv_0_lt_compat; lra).
  split; [apply exp_le|apply exp_le_1]; unfold Rdiv; nra.
Qed.

(* For x >= μ let u = e^{-μ/b}. The density is (1/b) e^{-x/b} / (1 - q - (1 - u)²). The page takes
   the derivative in μ, which has the sign of 1 - u; here the same 1 - u shows that the density
   increases in μ, and that it is smallest at μ = 0, where u = 1. *)
Lemma right_of_the_record mu x : 0 <= mu -> mu <= x -> x <= 1 ->
  let u := exp (- (mu / b)) in
  0 < 1 - q - (1 - u) * (1 - u) /\
  V mu b x = / b * (exp (- (x / b)) / (1 - q - (1 - u) * (1 - u))).
Proof.
  intros M MX X u. pose proof q_between as Q.
  pose proof (exp_of_place mu ltac:(lra)) as U. fold u in U.
  assert (D : 0 < 1 - q - (1 - u) * (1 - u)) by nra.
  split; [exact D|]. unfold V, Z. rewrite Rabs_pos_eq by lra.
  assert (E1 : exp (- ((x - mu) / b)) = exp (- (x / b)) / u).
  { assert (F : exp (- (x / b)) = exp (- ((x - mu) / b)) * u)
      by (unfold u; rewrite <- exp_plus; f_equal; field; lra).
    rewrite F. field. lra. }
  assert (E2 : exp (- ((1 - mu) / b)) = q / u).
  { assert (F : q = exp (- ((1 - mu) / b)) * u)
      by (unfold u, q; rewrite <- exp_plus; f_equal; field; lra).
    rewrite F. field. lra. }
  rewrite E1, E2. fold u. field.
  repeat split; try lra; nra.
Qed.

Lemma v_min_by_q : v_min b = / b * (q / (1 - q)).
Proof.
  pose proof q_between. unfold v_min.
  assert (E : exp (1 / b) = / q) by (unfold q; rewrite exp_Ropp, Rinv_inv; reflexivity).
  rewrite E. field. repeat split; lra.
Qed.

Lemma v_max_by_q : v_max b = / b * (1 / (1 - q)).
Proof. pose proof q_between. unfold v_max. fold q. field. split; lra. Qed.

Lemma extremes_right mu x : 0 <= mu -> mu <= x -> x <= 1 -> v_min b <= V mu b x <= v_max b.
Proof.
  intros M MX X. destruct (right_of_the_record mu x M MX X) as [D ->].
  set (u := exp (- (mu / b))) in *. set (s := exp (- (x / b))) in *.
  pose proof q_between as Q.
  assert (U : q <= u <= 1) by (apply exp_of_place; lra).
  assert (S : q <= s <= u).
  { split; [apply exp_of_place; lra|]. unfold s, u.
    destruct MX as [L|<-]; [left; apply exp_increasing|lra].
    assert (0 < / b) by (apply Rinv_0_lt_compat; lra). unfold Rdiv. nra. }
  assert (B : 0 < / b) by (apply Rinv_0_lt_compat; lra).
  rewrite v_min_by_q, v_max_by_q.
  set (d := 1 - q - (1 - u) * (1 - u)) in *.
  split; apply Rmult_le_compat_l; try lra.
  - (* smallest at μ = 0, because d <= 1 - q; and in x at x = 1, because s >= q *)
    apply Rmult_le_reg_r with (d * (1 - q)); [nra|].
    replace (q / (1 - q) * (d * (1 - q))) with (q * d) by (field; lra).
    replace (s / d * (d * (1 - q))) with (s * (1 - q)) by (field; lra).
    assert (d <= 1 - q) by (unfold d; nra). nra.
  - (* largest at μ = x, where s = u; there d - u (1 - q) = (u - q) (1 - u) >= 0 *)
    apply Rmult_le_reg_r with (d * (1 - q)); [nra|].
    replace (1 / (1 - q) * (d * (1 - q))) with d by (field; lra).
    replace (s / d * (d * (1 - q))) with (s * (1 - q)) by (field; lra).
    assert (d - u * (1 - q) = (u - q) * (1 - u)) by (unfold d; ring). nra.
Qed.

(* Propositions (the smallest and the largest truncated density). *)
Theorem extremes mu x : 0 <= mu <= 1 -> 0 <= x <= 1 -> v_min b <= V mu b x <= v_max b.
Proof.
  intros M X. destruct (Rle_lt_dec mu x) as [L|L].
  - apply extremes_right; lra.
  - rewrite <- mirror. apply extremes_right; lra.
Qed.

Theorem v_min_attained : V 0 b 1 = v_min b.
Proof.
  destruct (right_of_the_record 0 1 ltac:(lra) ltac:(lra) ltac:(lra)) as [_ ->].
  rewrite v_min_by_q. replace (- (0 / b)) with 0 by (field; lra). rewrite exp_0. fold q.
  replace (1 - q - (1 - 1) * (1 - 1)) with (1 - q) by ring. reflexivity.
Qed.

Theorem v_max_attained : V 0 b 0 = v_max b.
Proof.
  destruct (right_of_the_record 0 0 ltac:(lra) ltac:(lra) ltac:(lra)) as [_ ->].
  rewrite v_max_by_q. replace (- (0 / b)) with 0 by (field; lra). rewrite exp_0.
  replace (1 - q - (1 - 1) * (1 - 1)) with (1 - q) by ring. reflexivity.
Qed.

Theorem v_min_positive : 0 < v_min b.
Proof.
  rewrite v_min_by_q. pose proof q_between.
  apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra|apply Rdiv_lt_0_compat; lra].
Qed.

Theorem ratio_of_the_extremes : v_max b = exp (1 / b) * v_min b.
Proof.
  pose proof q_between. rewrite v_max_by_q, v_min_by_q.
  assert (E : exp (1 / b) = / q) by (unfold q; rewrite exp_Ropp, Rinv_inv; reflexivity).
  rewrite E. field. repeat split; lra.
Qed.

Theorem difference_of_the_extremes : v_max b - v_min b = 1 / b.
Proof. pose proof q_between. rewrite v_max_by_q, v_min_by_q. field. split; lra. Qed.
End One_scale.

(* In b. The page takes derivatives in r = 1/b; both signs say that exp is convex. *)
Lemma exp_convex t y : 0 <= t <= 1 -> exp (t * y) <= t * exp y + (1 - t).
Proof.
  intros T. set (e := exp (t * y)).
  assert (E : 0 < e) by apply exp_pos.
  assert (A : exp y = e * exp ((1 - t) * y)) by (unfold e; rewrite <- exp_plus; f_equal; ring).
  assert (B : 1 = e * exp (- (t * y))) by (unfold e; rewrite <- exp_plus, Rplus_opp_r, exp_0; ring).
  pose proof (exp_ineq1_le ((1 - t) * y)). pose proof (exp_ineq1_le (- (t * y))).
  assert (e * (1 + (1 - t) * y) <= exp y) by (rewrite A; apply Rmult_le_compat_l; lra).
  assert (e * (1 + - (t * y)) <= 1) by (rewrite B at 2; apply Rmult_le_compat_l; lra).
  assert (t * (e * (1 + (1 - t) * y)) <= t * exp y) by (apply Rmult_le_compat_l; lra).
  assert ((1 - t) * (e * (1 + - (t * y))) <= (1 - t) * 1) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Lemma scales b c : 0 < b -> b <= c -> 0 <= b / c <= 1 /\ b / c * (1 / b) = 1 / c.
Proof.
  intros B C. split; [split|field; lra].
  - apply Rlt_le, Rdiv_lt_0_compat; lra.
  - apply Rmult_le_reg_r with c; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Theorem v_min_increases b c : 0 < b -> b <= c -> v_min b <= v_min c.
Proof.
  intros B C. destruct (scales b c B C) as [T E]. set (t := b / c) in *.
  pose proof (exp_convex t (1 / b) T) as H. rewrite E in H. unfold v_min.
  assert (P : forall a, 0 < a -> 0 < exp (1 / a) - 1).
  { intros a A. assert (0 < 1 / a) by (apply Rdiv_lt_0_compat; lra).
    pose proof (exp_ineq1 (1 / a) ltac:(lra)). lra. }
  pose proof (P b B). pose proof (P c ltac:(lra)).
  assert (0 < 1 / b) by (apply Rdiv_lt_0_compat; lra).
  set (s := 1 / b) in *. rewrite <- E. set (f := exp s) in *.
  rewrite E. set (g := exp (1 / c)) in *. rewrite <- E.
  apply Rmult_le_reg_r with ((f - 1) * (g - 1)); [nra|].
  replace (s / (f - 1) * ((f - 1) * (g - 1))) with (s * (g - 1)) by (field; lra).
  replace (t * s / (g - 1) * ((f - 1) * (g - 1))) with (s * (t * (f - 1))) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

(* Hence v_min(b) is the smallest density over all scales that are at least b. *)
Theorem smallest_over_all_scales b c mu x : 0 < b -> b <= c -> 0 <= mu <= 1 -> 0 <= x <= 1 ->
  v_min b <= V mu c x.
Proof.
  intros B C M X. apply Rle_trans with (1 := v_min_increases b c B C).
  apply (extremes c ltac:(lra) mu x M X).
Qed.

Theorem v_max_decreases b c : 0 < b -> b <= c -> v_max c <= v_max b.
Proof.
  intros B C. destruct (scales b c B C) as [T E]. set (t := b / c) in *.
  pose proof (exp_convex t (- (1 / b)) T) as H.
  replace (t * - (1 / b)) with (- (1 / c)) in H by (rewrite <- E; ring). unfold v_max.
  pose proof (q_between b B) as Qb. pose proof (q_between c ltac:(lra)) as Qc.
  assert (0 < 1 / b) by (apply Rdiv_lt_0_compat; lra).
  set (f := exp (- (1 / b))) in *. set (g := exp (- (1 / c))) in *.
  rewrite <- E. set (s := 1 / b) in *.
  apply Rmult_le_reg_r with ((1 - f) * (1 - g)); [nra|].
  replace (t * s / (1 - g) * ((1 - f) * (1 - g))) with (s * (t * (1 - f))) by (field; lra).
  replace (s / (1 - f) * ((1 - f) * (1 - g))) with (s * (1 - g)) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

(* Strictly, for two different scales: exp is strictly convex. *)
Lemma exp_strictly_convex t y : 0 < t < 1 -> y <> 0 -> exp (t * y) < t * exp y + (1 - t).
Proof.
  intros T Y. set (e := exp (t * y)).
  assert (E : 0 < e) by apply exp_pos.
  assert (A : exp y = e * exp ((1 - t) * y)) by (unfold e; rewrite <- exp_plus; f_equal; ring).
  assert (B : 1 = e * exp (- (t * y))) by (unfold e; rewrite <- exp_plus, Rplus_opp_r, exp_0; ring).
  pose proof (exp_ineq1 ((1 - t) * y) ltac:(apply Rmult_integral_contrapositive; lra)).
  pose proof (exp_ineq1_le (- (t * y))).
  assert (e * (1 + (1 - t) * y) < exp y) by (rewrite A; apply Rmult_lt_compat_l; lra).
  assert (e * (1 + - (t * y)) <= 1) by (rewrite B at 2; apply Rmult_le_compat_l; lra).
  assert (t * (e * (1 + (1 - t) * y)) < t * exp y) by (apply Rmult_lt_compat_l; lra).
  assert ((1 - t) * (e * (1 + - (t * y))) <= (1 - t) * 1) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Lemma strict_scales b c : 0 < b -> b < c -> 0 < b / c < 1 /\ b / c * (1 / b) = 1 / c.
Proof.
  intros B C. split; [split|field; lra]; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with c; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Theorem v_min_strictly_increases b c : 0 < b -> b < c -> v_min b < v_min c.
Proof.
  intros B C. destruct (strict_scales b c B C) as [T E]. set (t := b / c) in *.
  assert (S : 0 < 1 / b) by (apply Rdiv_lt_0_compat; lra).
  assert (S' : 0 < 1 / c) by (apply Rdiv_lt_0_compat; lra).
  pose proof (exp_strictly_convex t (1 / b) T ltac:(lra)) as H. rewrite E in H.
  pose proof (exp_ineq1 (1 / b) ltac:(lra)). pose proof (exp_ineq1 (1 / c) ltac:(lra)).
  unfold v_min.
  set (f := exp (1 / b)) in *. set (g := exp (1 / c)) in *.
  apply Rmult_lt_reg_r with ((f - 1) * (g - 1)); [apply Rmult_lt_0_compat; lra|].
  replace (1 / b / (f - 1) * ((f - 1) * (g - 1))) with (1 / b * (g - 1)) by (field; lra).
  replace (1 / c / (g - 1) * ((f - 1) * (g - 1))) with (1 / b * (t * (f - 1)))
    by (rewrite <- E; field; lra).
  apply Rmult_lt_compat_l; lra.
Qed.

Theorem v_max_strictly_decreases b c : 0 < b -> b < c -> v_max c < v_max b.
Proof.
  intros B C. destruct (strict_scales b c B C) as [T E]. set (t := b / c) in *.
  assert (S : 0 < 1 / b) by (apply Rdiv_lt_0_compat; lra).
  pose proof (exp_strictly_convex t (- (1 / b)) T ltac:(lra)) as H.
  replace (t * - (1 / b)) with (- (1 / c)) in H by (rewrite <- E; ring). unfold v_max.
  pose proof (q_between b B) as Qb. pose proof (q_between c ltac:(lra)) as Qc.
  set (f := exp (- (1 / b))) in *. set (g := exp (- (1 / c))) in *.
  apply Rmult_lt_reg_r with ((1 - f) * (1 - g)); [apply Rmult_lt_0_compat; lra|].
  replace (1 / c / (1 - g) * ((1 - f) * (1 - g))) with (1 / b * (t * (1 - f)))
    by (rewrite <- E; field; lra).
  replace (1 / b / (1 - f) * ((1 - f) * (1 - g))) with (1 / b * (1 - g)) by (field; lra).
  apply Rmult_lt_compat_l; lra.
Qed.

(* The limits in b. With r = 1/b: 1 - r <= e^-r <= r/(e^r - 1) <= 1, and e^r - 1 >= r + r^2/4. *)
Lemma v_min_near_one b : 0 < b -> 1 - 1 / b <= v_min b <= 1.
Proof.
  intros B. unfold v_min. assert (R0 : 0 < 1 / b) by (apply Rdiv_lt_0_compat; lra).
  set (r := 1 / b) in *.
  pose proof (exp_ineq1 r ltac:(lra)) as A. pose proof (exp_ineq1_le (- r)) as C.
  assert (I : exp (- r) * exp r = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  set (e := exp r) in *. set (d := exp (- r)) in *.
  assert (Q : r / (e - 1) * (e - 1) = r) by (field; lra).
  split; [apply Rle_trans with d; [lra|]|]; apply Rmult_le_reg_r with (e - 1); try rewrite Q; lra.
Qed.

Lemma v_min_near_zero b : 0 < b -> 0 < v_min b <= 4 * b.
Proof.
  intros B. split; [apply v_min_positive, B|]. unfold v_min.
  assert (R0 : 0 < 1 / b) by (apply Rdiv_lt_0_compat; lra).
  assert (E : 4 * b = 4 / (1 / b)) by (field; lra). rewrite E. set (r := 1 / b) in *.
  assert (A : (1 + r / 2) * (1 + r / 2) <= exp r).
  { replace r with (r / 2 + r / 2) at 3 by field. rewrite exp_plus.
    pose proof (exp_ineq1_le (r / 2)).
    apply Rmult_le_compat; lra. }
  assert (P : 0 < exp r - 1) by nra. set (e := exp r) in *.
  apply Rmult_le_reg_r with (r * (e - 1)); [nra|].
  replace (r / (e - 1) * (r * (e - 1))) with (r * r) by (field; lra).
  replace (4 / r * (r * (e - 1))) with (4 * (e - 1)) by (field; lra). nra.
Qed.

Lemma beyond b (e : posreal) : / e < b -> 0 < b /\ 1 / b < e.
Proof.
  intros L. pose proof (cond_pos e) as E. assert (0 < / e) by (apply Rinv_0_lt_compat, E).
  split; [lra|].
  unfold Rdiv. rewrite Rmult_1_l, <- (Rinv_inv e).
  apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|exact L].
Qed.

Theorem v_min_tends_to_one : is_lim v_min p_infty 1.
Proof.
  apply is_lim_spec. intros e. exists (/ e). intros b L. destruct (beyond b e L) as [B S].
  pose proof (v_min_near_one b B). apply Rabs_def1; lra.
Qed.

Theorem v_min_tends_to_zero : filterlim v_min (at_right 0) (locally 0).
Proof.
  apply filterlim_locally. intros e. pose proof (cond_pos e) as E.
  assert (E4 : 0 < e / 4) by lra. exists (mkposreal _ E4). intros b N B.
  change (Rabs (b - 0) < e / 4) in N. rewrite Rminus_0_r, Rabs_pos_eq in N by lra.
  pose proof (v_min_near_zero b B). change (Rabs (v_min b - 0) < e). apply Rabs_def1; lra.
Qed.

Theorem v_max_tends_to_one : is_lim v_max p_infty 1.
Proof.
  apply is_lim_spec. intros e. exists (/ e). intros b L. destruct (beyond b e L) as [B S].
  pose proof (v_min_near_one b B). pose proof (difference_of_the_extremes b B).
  apply Rabs_def1; lra.
Qed.

(* Any two densities with scales of at least b are within e^{1/b} of each other, at every output. *)
Theorem densities_within b mu c nu d x : 0 < b -> b <= c -> b <= d ->
  0 <= mu <= 1 -> 0 <= nu <= 1 -> 0 <= x <= 1 -> V mu c x <= exp (1 / b) * V nu d x.
Proof.
  intros B C D M N X.
  destruct (extremes c ltac:(lra) mu x M X) as [_ A].
  destruct (extremes d ltac:(lra) nu x N X) as [A' _].
  pose proof (v_max_decreases b c B C). pose proof (v_min_increases b d B D).
  pose proof (ratio_of_the_extremes b B). pose proof (exp_pos (1 / b)). nra.
Qed.

(* ---- From densities to bin masses ---- *)

Definition midpoint (K k : nat) : R := (INR k + 1 / 2) / INR K.
Definition kernel (K k : nat) (b : R) (x : nat) : R :=                  (* p_{k,b}(x) *)
  RInt (V (midpoint K k) b) (INR x / INR K) ((INR x + 1) / INR K).

Lemma V_integrable mu b l h : ex_RInt (V mu b) l h.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
  apply continuity_pt_filterlim. unfold V, Rdiv.
  apply (continuity_pt_mult (fun x => / (2 * b) * exp (- (Rabs (x - mu) * / b)))
    (fun _ => / Z mu b)).
  - apply (continuity_pt_mult (fun _ => / (2 * b)) (fun x => exp (- (Rabs (x - mu) * / b)))).
    + apply continuity_pt_const. intros x y. reflexivity.
    + apply (continuity_pt_comp (fun x => - (Rabs (x - mu) * / b)) exp).
      * apply (continuity_pt_opp (fun x => Rabs (x - mu) * / b)).
        apply (continuity_pt_mult (fun x => Rabs (x - mu)) (fun _ => / b)).
        -- apply (continuity_pt_comp (fun x => x - mu) Rabs); [reg|apply Rcontinuity_abs].
        -- apply continuity_pt_const. intros x y. reflexivity.
      * apply derivable_continuous_pt, derivable_pt_exp.
  - apply continuity_pt_const. intros x y. reflexivity.
Qed.

Section Integral.
Variables (mu b : R).
Hypothesis b_pos : 0 < b.
Hypothesis its_place : 0 <= mu <= 1.

Lemma Z_positive : 0 < Z mu b.
Proof.
  destruct (right_of_the_record b b_pos mu 1 ltac:(lra) ltac:(lra) ltac:(lra)) as [D _].
  pose proof (q_between b b_pos) as Q. pose proof (exp_of_place b b_pos mu ltac:(lra)) as U.
  set (q := exp (- (1 / b))) in *. set (u := exp (- (mu / b))) in *. simpl in D. unfold Z. fold u.
  assert (E2 : exp (- ((1 - mu) / b)) = q / u).
  { assert (F : q = exp (- ((1 - mu) / b)) * u)
      by (unfold u, q; rewrite <- exp_plus; f_equal; field; lra).
    rewrite F. field. lra. }
  rewrite E2. apply Rmult_lt_reg_r with u; [lra|].
  replace ((1 / 2 - 1 / 2 * u + (1 / 2 - 1 / 2 * (q / u))) * u) with (1 / 2 * (2 * u - u * u - q))
    by (field; lra). lra.
Qed.

Lemma pieces (u v z : R) : (minus (- v / z) (- u / z) : R) = (u - v) / z.
Proof. change (- v / z + - (- u / z) = (u - v) / z). unfold Rdiv. ring. Qed.

(* To the right of the record the density is the derivative of -e^{-(x-μ)/b}/(2Z). *)
Lemma integral_right l h : mu <= l -> l <= h ->
  RInt (V mu b) l h = (exp (- ((l - mu) / b)) - exp (- ((h - mu) / b))) / (2 * Z mu b).
Proof.
  intros L H. pose proof Z_positive as Zp.
  rewrite (RInt_ext (V :=
    R_CompleteNormedModule) (V mu b) (fun x => / (2 * b) * exp (- ((x - mu) / b)) / Z mu b)).
  2:{ intros x X. rewrite Rmin_left, Rmax_right in X by exact H. unfold V.
      rewrite Rabs_pos_eq by lra. reflexivity. }
  apply is_RInt_unique.
  replace ((exp (- ((l - mu) / b)) - exp (- ((h - mu) / b))) / (2 * Z mu b))
    with (minus (- exp (- ((h - mu) / b)) / (2 * Z mu b)) (- exp (- ((l - mu) / b)) / (2 * Z mu b)))
    by (apply pieces).
  apply (is_RInt_derive (V :=
    R_CompleteNormedModule) (fun x => - exp (- ((x - mu) / b)) / (2 * Z mu b))).
  - intros x _. auto_derive; [trivial|]. change ((x + - mu) * / b) with ((x - mu) / b). field. lra.
  - intros x _. apply continuity_pt_filterlim.
    apply derivable_continuous_pt. apply ex_derive_Reals_0. auto_derive. trivial.
Qed.

Lemma integral_left l h : h <= mu -> l <= h ->
  RInt (V mu b) l h = (exp (- ((mu - h) / b)) - exp (- ((mu - l) / b))) / (2 * Z mu b).
Proof.
  intros L H. pose proof Z_positive as Zp.
  rewrite (RInt_ext (V :=
    R_CompleteNormedModule) (V mu b) (fun x => / (2 * b) * exp ((x - mu) / b) / Z mu b)).
  2:{ intros x X. rewrite Rmin_left, Rmax_right in X by exact H. unfold V.
      rewrite Rabs_left1 by lra. do 3 f_equal. field. lra. }
  apply is_RInt_unique.
  replace ((exp (- ((mu - h) / b)) - exp (- ((mu - l) / b))) / (2 * Z mu b))
    with (minus (exp ((h - mu) / b) / (2 * Z mu b)) (exp ((l - mu) / b) / (2 * Z mu b))).
  2:{ unfold minus, plus, opp; simpl.
      match goal with |- ?x = ?y => change (@eq R x y) end.
      replace (- ((mu - h) / b)) with ((h - mu) / b) by (field; lra).
      replace (- ((mu - l) / b)) with ((l - mu) / b) by (field; lra). field; lra. }
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => exp ((x - mu) / b) / (2 * Z mu b))).
  - intros x _. auto_derive; [trivial|]. change ((x + - mu) * / b) with ((x - mu) / b). field. lra.
  - intros x _. apply continuity_pt_filterlim.
    apply derivable_continuous_pt. apply ex_derive_Reals_0. auto_derive. trivial.
Qed.

Lemma integral_across l h : l <= mu -> mu <= h ->
  RInt (V mu b) l h = (2 - exp (- ((mu - l) / b)) - exp (- ((h - mu) / b))) / (2 * Z mu b).
Proof.
  intros L H. pose proof Z_positive as Zp.
  rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) (V mu b) l mu h) by apply V_integrable.
  rewrite integral_left, integral_right by lra. unfold plus; simpl.
  replace (- ((mu - mu) / b)) with 0 by (field; lra). rewrite exp_0. field. lra.
Qed.

(* The density is one: its integral over the interval is 1. *)
Theorem density_integrates_to_one : RInt (V mu b) 0 1 = 1.
Proof.
  rewrite integral_across by lra. pose proof Z_positive as Zp.
  apply Rmult_eq_reg_r with (2 * Z mu b); [|lra].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. unfold Z.
  replace (- ((mu - 0) / b)) with (- (mu / b)) by (field; lra). lra.
Qed.
End Integral.

Lemma place_in_unit K k : (k < K)%nat -> 0 <= midpoint K k <= 1.
Proof.
  intros H. assert (K1 : INR k + 1 <= INR K) by (rewrite <- S_INR; apply le_INR; lia).
  pose proof (pos_INR k). unfold midpoint. split.
  - apply Rlt_le, Rdiv_lt_0_compat; lra.
  - apply Rmult_le_reg_r with (INR K); [lra|].
    replace ((INR k + 1 / 2) / INR K * INR K) with (INR k + 1 / 2) by (field; lra). lra.
Qed.

(* Proposition (bin masses inherit the bounds): K p_{k,b}(x) is an average of the density. *)
Theorem bin_masses K k x b : 0 < b -> (k < K)%nat -> (x < K)%nat ->
  1 / INR K * v_min b <= kernel K k b x <= 1 / INR K * v_max b.
Proof.
  intros B HK HX. assert (X1 : INR x + 1 <= INR K) by (rewrite <- S_INR; apply le_INR; lia).
  pose proof (pos_INR x) as X0.
  set (l := INR x / INR K). set (h := (INR x + 1) / INR K).
  assert (W : h - l = 1 / INR K) by (unfold h, l; field; lra).
  assert (0 < 1 / INR K) by (apply Rdiv_lt_0_compat; lra).
  assert (L0 : 0 <= l) by (unfold l; apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra]).
  assert (h_at_most_1 : h <= 1).
  { unfold h. apply Rmult_le_reg_r with (INR K); [lra|].
    replace ((INR x + 1) / INR K * INR K) with (INR x + 1) by (field; lra). lra. }
  assert (bounds : forall t, l < t < h -> v_min b <= V (midpoint K k) b t <= v_max b).
  { intros t T. apply extremes; [exact B|apply place_in_unit; exact HK|lra]. }
  rewrite <- W. unfold kernel. fold l h.
  assert (C : forall v : R, RInt (V := R_CompleteNormedModule) (fun _ : R => v) l h = (h - l) * v).
  { intros v. apply (RInt_const (V := R_CompleteNormedModule)). }
  rewrite <- (C (v_min b)), <- (C (v_max b)).
  assert (constant : forall v : R, ex_RInt (V := R_NormedModule) (fun _ : R => v) l h).
  { intros v. apply (ex_RInt_const (V := R_NormedModule)). }
  split.
  - apply RInt_le; [lra|apply constant|apply V_integrable|intros t T; apply bounds, T].
  - apply RInt_le; [lra|apply V_integrable|apply constant|intros t T; apply bounds, T].
Qed.

Theorem bin_masses_within K k j x b c d : 0 < b -> b <= c -> b <= d ->
  (k < K)%nat -> (j < K)%nat -> (x < K)%nat -> kernel K k c x <= exp (1 / b) * kernel K j d x.
Proof.
  intros B C D HK HJ HX.
  destruct (bin_masses K k x c ltac:(lra) HK HX) as [_ A].
  destruct (bin_masses K j x d ltac:(lra) HJ HX) as [A' _].
  pose proof (v_max_decreases b c B C). pose proof (v_min_increases b d B D).
  pose proof (ratio_of_the_extremes b B) as E. pose proof (exp_pos (1 / b)).
  assert (0 < INR K) by (apply lt_0_INR; lia).
  assert (0 < 1 / INR K) by (apply Rdiv_lt_0_compat; lra).
  assert (1 / INR K * v_max c <= 1 / INR K * v_max b) by (apply Rmult_le_compat_l; lra).
  assert (1 / INR K * v_min b <= 1 / INR K * v_min d) by (apply Rmult_le_compat_l; lra).
  rewrite E in *.
  assert (exp (1 / b) * (1 / INR K * v_min b) <= exp (1 / b) * kernel K j d x)
    by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Theorem bin_masses_positive K k x b : 0 < b -> (k < K)%nat -> (x < K)%nat -> 0 < kernel K k b x.
Proof.
  intros B HK HX. destruct (bin_masses K k x b B HK HX) as [A _].
  pose proof (v_min_positive b B). assert (0 < INR K) by (apply lt_0_INR; lia).
  assert (0 < 1 / INR K) by (apply Rdiv_lt_0_compat; lra). nra.
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@mirror, @extremes, @v_min_attained, @v_max_attained, @ratio_of_the_extremes,
   @difference_of_the_extremes, @v_min_strictly_increases, @v_max_strictly_decreases,
   @smallest_over_all_scales, @v_min_tends_to_one, @v_min_tends_to_zero, @v_max_tends_to_one, @densities_within,
   @density_integrates_to_one, @bin_masses, @bin_masses_within).
Print Assumptions checked_here.
