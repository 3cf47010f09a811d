(* Membership inference: a companion to book/audit/attacks.md and book/audit/published-losses.md.

   There are finitely many outputs. A test says "in" with probability test(x) when it sees x. *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.many_draws.
Import ListNotations.
Open Scope R_scope.

(* ---- Neyman and Pearson ---- *)

Section Tests.
Context {X : Type}.
Variables (outputs : list X) (P P' : X -> R).           (* with the record, and without it *)

Definition is_test (test : X -> R) : Prop := forall x, In x outputs -> 0 <= test x <= 1.
Definition true_positives (test : X -> R) : R := sum outputs (fun x => test x * P x).
Definition false_positives (test : X -> R) : R := sum outputs (fun x => test x * P' x).
Definition advantage (test : X -> R) : R := true_positives test - false_positives test.

(* The likelihood-ratio test with threshold t. Λ = ln P/P' is more than t if P > e^t P', and less if
   P < e^t P'; at equality the test says "in" with any probability. *)
Definition likelihood_ratio_test (t : R) (test : X -> R) : Prop := forall x, In x outputs ->
  (exp t * P' x < P x -> test x = 1) /\ (P x < exp t * P' x -> test x = 0).

Lemma weighted_gain t best test : is_test best -> is_test test -> likelihood_ratio_test t best ->
  true_positives test - exp t * false_positives test
    <= true_positives best - exp t * false_positives best.
Proof.
  intros B T L. unfold true_positives, false_positives. rewrite <- !sum_scal.
  assert (E : forall f : X -> R,
    sum outputs (fun x => f x * P x) - sum outputs (fun x => exp t * (f x * P' x))
              = sum outputs (fun x => f x * (P x - exp t * P' x))).
  { intros f. rewrite (sum_ext outputs (fun x => f x * (P x - exp t * P' x))
                         (fun x => f x * P x + -1 * (exp t * (f x * P' x)))) by (intros; ring).
    rewrite sum_plus, (sum_scal _ (-1)). ring. }
  rewrite !E. apply sum_le. intros x I. specialize (B x I). specialize (T x I).
  destruct (L x I) as [U D].
  destruct (Rtotal_order (exp t * P' x) (P x)) as [H|[H|H]].
  - rewrite (U H). nra.
  - rewrite <- H. lra.
  - rewrite (D H). nra.
Qed.

(* Lemma (Neyman and Pearson): no test with the same or a smaller false-positive rate finds more. *)
Theorem neyman_pearson t best test : is_test best -> is_test test -> likelihood_ratio_test t best ->
  false_positives test <= false_positives best -> true_positives test <= true_positives best.
Proof.
  intros B T L F. pose proof (weighted_gain t best test B T L). pose proof (exp_pos t). nra.
Qed.

(* The total variation distance, and the threshold 0, which attains it. *)
Definition TV : R := sum outputs (fun x => Rmax 0 (P x - P' x)).

Theorem largest_advantage best : is_test best -> likelihood_ratio_test 0 best ->
  advantage best = TV /\ forall test, is_test test -> advantage test <= TV.
Proof.
  intros B L.
  assert (E : advantage best = TV).
  { unfold advantage, true_positives, false_positives, TV.
    rewrite (sum_ext outputs (fun x => Rmax 0 (P x - P' x))
      (fun x => best x * P x + -1 * (best x * P' x))).
    - rewrite sum_plus, (sum_scal _ (-1)). ring.
    - intros x I. destruct (L x I) as [U D]. rewrite exp_0 in U, D. unfold Rmax.
      destruct (Rle_dec 0 (P x - P' x)) as [H|H].
      + destruct (Req_dec (P x) (P' x)) as [Q|Q]; [rewrite Q; ring|rewrite U by lra; ring].
      + rewrite D by lra. ring. }
  split; [exact E|]. intros test T. rewrite <- E. pose proof (weighted_gain 0 best test B T L) as H.
  rewrite exp_0 in H. unfold advantage. lra.
Qed.

(* Two bounds that hold for every test: from P <= M P', and from P >= a P'. *)
Lemma by_an_upper_bound M test : is_test test -> (forall x, In x outputs -> P x <= M * P' x) ->
  true_positives test <= M * false_positives test.
Proof.
  intros T H. unfold true_positives, false_positives. rewrite <- sum_scal. apply sum_le. intros x I.
  replace (M * (test x * P' x)) with (test x * (M * P' x)) by ring.
  apply Rmult_le_compat_l; [apply (T x I)|apply H, I].
Qed.

Hypothesis P_one : sum outputs P = 1.
Hypothesis P'_one : sum outputs P' = 1.

Lemma by_a_lower_bound a test : is_test test -> (forall x, In x outputs -> a * P' x <= P x) ->
  true_positives test <= 1 - a * (1 - false_positives test).
Proof.
  intros T H. unfold true_positives, false_positives.
  assert (E : a * sum outputs (fun x => (1 - test x) * P' x)
    <= sum outputs (fun x => (1 - test x) * P x)).
  { rewrite <- sum_scal. apply sum_le. intros x I. specialize (H x I). specialize (T x I). nra. }
  assert (F : forall f : X -> R, sum outputs (fun x => (1 - test x) * f x)
    = sum outputs f - sum outputs (fun x => test x * f x)).
  { intros f. rewrite (sum_ext outputs (fun x => (1 - test x) * f x)
      (fun x => f x + -1 * (test x * f x))) by (intros; ring).
    rewrite sum_plus, (sum_scal _ (-1)). ring. }
  rewrite !F, P_one, P'_one in E. lra.
Qed.

Lemma false_positives_between test : (forall x, In x outputs -> 0 <= P' x) -> is_test test ->
  0 <= false_positives test <= 1.
Proof.
  intros P'_nonnegative T. unfold false_positives. split.
  - apply sum_nonneg. intros x I. specialize (T x I). specialize (P'_nonnegative x I). nra.
  - rewrite <- P'_one. apply sum_le. intros x I. specialize (T x I).
    specialize (P'_nonnegative x I). nra.
Qed.
End Tests.

(* ---- m draws ---- *)

Section Draws.
Context {X : Type}.
Variables (outputs : list X) (P P' : X -> R).
Hypothesis P_positive : forall x, In x outputs -> 0 < P x.
Hypothesis P'_positive : forall x, In x outputs -> 0 < P' x.
Hypothesis P_one : sum outputs P = 1.
Hypothesis P'_one : sum outputs P' = 1.

Lemma in_words m : forall xs, In xs (words outputs m) -> length xs = m /\ forall x, In x xs ->
  In x outputs.
Proof.
  induction m as [|m IH]; intros xs I; simpl in I.
  - destruct I as [<-|[]]. split; [reflexivity|intros x []].
  - apply in_flat_map in I. destruct I as [y [Y I]]. apply in_map_iff in I.
    destruct I as [ys [<- I]].
    destruct (IH ys I) as [L A]. split; [simpl; congruence|]. intros x [<-|J]; [exact Y|apply A, J].
Qed.

Lemma sum_of_draws (f : X -> R) m : sum (words outputs m) (draws f) = sum outputs f ^ m.
Proof.
  induction m as [|m IH]; [simpl; ring|]. simpl words.
  assert (flat : forall l : list X,
    sum (flat_map (fun x => map (cons x) (words outputs m)) l) (draws f)
                                    = sum l (fun x => f x * sum outputs f ^ m)).
  { induction l as [|x l IHl]; [reflexivity|]. simpl. rewrite sum_app, sum_map, IHl. f_equal.
    simpl. rewrite sum_scal, IH. reflexivity. }
  rewrite flat, (sum_ext _ _ (fun x => sum outputs f ^ m * f x)) by (intros; ring).
  rewrite sum_scal. simpl. ring.
Qed.

Lemma draws_positive (f : X -> R) xs : (forall x, In x xs -> 0 < f x) -> 0 < draws f xs.
Proof.
  induction xs as [|x xs IH]; intros H; simpl; [lra|].
  apply Rmult_lt_0_compat; [apply H; left; reflexivity|apply IH; intros y I; apply H; right;
    exact I].
Qed.

(* The statistic Λ of the page is the logarithm of the ratio of the two probabilities of the
   draws. *)
Theorem statistic_of_the_draws m xs : In xs (words outputs m) ->
  ln (draws P xs / draws P' xs) = sum xs (fun x => ln (P x / P' x)).
Proof.
  intros I. destruct (in_words m xs I) as [_ A]. clear I. induction xs as [|x xs IH]; simpl.
  - replace (1 / 1) with 1 by field. apply ln_1.
  - assert (A' : forall y, In y xs -> In y outputs) by (intros y Y; apply A; right; exact Y).
    rewrite <- IH by exact A'. pose proof (P_positive x (A x (or_introl eq_refl))) as p0.
    pose proof (P'_positive x (A x (or_introl eq_refl))) as q0.
    assert (D : 0 < draws P xs) by (apply draws_positive; intros y Y; apply P_positive, A', Y).
    assert (D' : 0 < draws P' xs) by (apply draws_positive; intros y Y; apply P'_positive, A', Y).
    rewrite <- ln_mult by (apply Rdiv_lt_0_compat; assumption). f_equal. field. lra.
Qed.

Lemma draws_below c (f g : X -> R) xs : 0 <= c ->
  (forall x, In x xs -> 0 <= f x /\ f x <= c * g x) ->
  0 <= draws f xs /\ draws f xs <= c ^ length xs * draws g xs.
Proof.
  intros C. induction xs as [|x xs IH]; intros H; simpl; [lra|].
  destruct (IH (fun y I => H y (or_intror I))) as [A B].
  destruct (H x (or_introl eq_refl)) as [A' B'].
  split; [apply Rmult_le_pos; assumption|].
  replace (c * c ^ length xs * (g x * draws g xs)) with ((c * g x) * (c ^ length xs * draws g xs))
    by ring.
  apply Rmult_le_compat; assumption.
Qed.

Variable m : nat.
Let all := words outputs m.

Lemma nonneg_draws (f : X -> R) : (forall x, In x outputs -> 0 < f x) -> forall xs, In xs all ->
  0 <= draws f xs.
Proof. intros H xs I. destruct (in_words m xs I) as [_ A]. apply Rlt_le, draws_positive. intros x J.
apply H, A, J. Qed.

Lemma one_draws (f : X -> R) : sum outputs f = 1 -> sum all (draws f) = 1.
Proof. intros H. unfold all. rewrite sum_of_draws, H. apply pow1. Qed.

(* Proposition (bounds on the error rates), part 1: for a loss of at most ε by one draw. *)
Section Loss.
Variable eps : R.
Hypothesis loss : forall x, In x outputs -> Rabs (ln (P x / P' x)) <= eps.

Lemma each_way xs : In xs all -> draws P xs <= exp (INR m * eps) * draws P' xs /\
                                 draws P' xs <= exp (INR m * eps) * draws P xs.
Proof.
  intros I. destruct (in_words m xs I) as [L A].
  assert (E : exp (INR m * eps) = exp eps ^ length xs).
  { rewrite L. clear. induction m as [|k IH]; [simpl; rewrite Rmult_0_l; apply exp_0|].
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH. simpl. ring. }
  rewrite E. split; apply draws_below; try (apply Rlt_le, exp_pos); intros x J;
    pose proof (P_positive x (A x J)) as p0; pose proof (P'_positive x (A x J)) as q0;
      specialize (loss x (A x J));
    apply (within_is_a_bound_on_the_logarithm eps (P x) (P' x) p0 q0) in loss; lra.
Qed.

Theorem error_rates test : is_test all test ->
  true_positives all (draws P) test
    <= Rmin (exp (INR m * eps) * false_positives all (draws P') test)
            (1 - exp (- (INR m * eps)) * (1 - false_positives all (draws P') test)).
Proof.
  intros T. set (E := exp (INR m * eps)). apply Rmin_glb.
  - apply by_an_upper_bound; [exact T|]. intros xs I. apply each_way, I.
  - apply by_a_lower_bound; [apply one_draws, P_one|apply one_draws, P'_one|exact T|].
    intros xs I. destruct (each_way xs I) as [_ U]. rewrite exp_Ropp.
    assert (E0 : 0 < exp (INR m * eps)) by apply exp_pos.
    apply Rmult_le_reg_l with (exp (INR m * eps)); [exact E0|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. exact U.
Qed.

Theorem advantage_by_the_loss test : is_test all test ->
  advantage all (draws P) (draws P') test <= tanh (INR m * eps / 2).
Proof.
  intros T. assert (some : forall l, sum l P = 1 -> exists x, In x l)
    by (intros [|x l] S; [simpl in S; lra|exists x; left; reflexivity]).
  destruct (some outputs P_one) as [x I].
  assert (e0 : 0 <= eps) by (pose proof (Rabs_pos (ln (P x / P' x))); specialize (loss x I); lra).
  clear some x I. pose proof (error_rates test T) as H. unfold advantage.
  set (a := false_positives all (draws P') test) in *.
  set (b := true_positives all (draws P) test) in *.
  pose proof (Rmin_l (exp (INR m * eps) * a) (1 - exp (- (INR m * eps)) * (1 - a))) as rate_above.
  pose proof (Rmin_r (exp (INR m * eps) * a) (1 - exp (- (INR m * eps)) * (1 - a))) as rate_below.
  set (h := exp (INR m * eps / 2)).
  assert (S : exp (INR m * eps) = h * h) by (unfold h; rewrite <- exp_plus; f_equal; field).
  assert (h1 : 1 <= h).
  { unfold h. pose proof (exp_ineq1_le (INR m * eps / 2)). pose proof (pos_INR m).
    assert (0 <= INR m * eps) by (apply Rmult_le_pos; assumption). lra. }
  rewrite exp_Ropp, S in *. unfold tanh, sinh, cosh. rewrite exp_Ropp. fold h.
  replace ((h - / h) / 2 / ((h + / h) / 2)) with ((h * h - 1) / (h * h + 1)) by (field; nra).
  set (E := h * h) in *. assert (E1 : 1 <= E) by (unfold E; nra).
  assert (U : b <= E * a) by lra. assert (L : E * b <= E - (1 - a)).
  { assert (I : E * / E = 1) by (field; lra).
    assert (E * b <= E * (1 - / E * (1 - a))) by (apply Rmult_le_compat_l; lra).
    replace (E * (1 - / E * (1 - a))) with (E - E * / E * (1 - a)) in * by ring. rewrite I in *.
    lra. }
  apply Rmult_le_reg_r with (E + 1); [lra|].
  replace ((E - 1) / (E + 1) * (E + 1)) with (E - 1) by (field; lra). nra.
Qed.
End Loss.

(* Part 2: without the record of a data set of n the draws are at most rarer by (1 - 1/n)^m. *)
Theorem advantage_by_the_number n (p : X -> R) test : 1 <= n ->
  (forall x, In x outputs -> 0 <= p x) ->
  (forall x, In x outputs -> P x = (1 - 1 / n) * P' x + p x / n) -> is_test all test ->
  advantage all (draws P) (draws P') test <= 1 - (1 - 1 / n) ^ m /\ 1 - (1 - 1 / n) ^ m
    <= INR m / n.
Proof.
  intros N p0 mix T.
  assert (I0 : 0 < / n <= 1)
    by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  replace (1 / n) with (/ n) in * by (unfold Rdiv; ring). split.
  - pose proof (by_a_lower_bound all (draws P) (draws P') (one_draws P P_one) (one_draws P' P'_one)
      ((1 - / n) ^ m) test T) as H.
    assert (K : forall xs, In xs all -> (1 - / n) ^ m * draws P' xs <= draws P xs).
    { intros xs I. destruct (in_words m xs I) as [L A]. rewrite <- L. clear I L H T.
      induction xs as [|x xs IH]; simpl; [lra|]. specialize (IH (fun y Y => A y (or_intror Y))).
      specialize (A x (or_introl eq_refl)) as Ax.
      pose proof (P'_positive x Ax). pose proof (p0 x Ax).
      assert (0 <= p x / n) by (unfold Rdiv; apply Rmult_le_pos; lra).
      assert (B : (1 - / n) * P' x <= P x) by (rewrite mix by exact Ax; lra).
      replace ((1 - / n) * (1 - / n) ^ length xs * (P' x * draws P' xs))
        with (((1 - / n) * P' x) * ((1 - / n) ^ length xs * draws P' xs)) by ring.
      apply Rmult_le_compat; try assumption; [apply Rmult_le_pos; lra|].
      apply Rmult_le_pos; [apply pow_le; lra|]. apply Rlt_le, draws_positive. intros y Y.
      apply P'_positive, A. right. exact Y. }
    specialize (H K). unfold advantage.
    assert (F : 0 <= false_positives all (draws P') test <= 1).
    { apply false_positives_between;
        [apply one_draws, P'_one|apply nonneg_draws, P'_positive|exact T]. }
    set (a := false_positives all (draws P') test) in *. set (c := (1 - / n) ^ m) in *.
    assert (C : 0 <= c <= 1).
    { unfold c. split; [apply pow_le; lra|].
      apply Rle_trans with (1 ^ m); [apply pow_incr; lra|rewrite pow1; lra]. }
    nra.
  - (* Bernoulli's inequality *)
    assert (B : forall k, 1 - INR k * / n <= (1 - / n) ^ k).
    { induction k as [|k IH]; [simpl; lra|]. rewrite S_INR. simpl pow. pose proof (pos_INR k).
      assert (0 <= INR k * / n * / n) by (repeat apply Rmult_le_pos; lra). nra. }
    specialize (B m). unfold Rdiv. lra.
Qed.

(* ---- Between two powers of the affinity ---- *)

Definition affinity : R := sum outputs (fun x => sqrt (P x * P' x)).

Lemma cauchy_schwarz {Y : Type} (l : list Y) (u v : Y -> R) :
  (sum l (fun y => u y * v y))² <= sum l (fun y => (u y)²) * sum l (fun y => (v y)²).
Proof.
  set (S := sum l (fun y => u y * v y)). set (U := sum l (fun y => (u y)²)).
  set (W := sum l (fun y => (v y)²)).
  assert (W0 : 0 <= W) by (apply sum_nonneg; intros; apply Rle_0_sqr).
  (* the sum of the squares of u - t v is not negative *)
  assert (Q : forall t, 0 <= U - 2 * t * S + t * t * W).
  { intros t. replace (U - 2 * t * S + t * t * W) with (sum l (fun y => (u y - t * v y)²)).
    - apply sum_nonneg. intros. apply Rle_0_sqr.
    - rewrite (sum_ext _ _ (fun y => (u y)² + (-2 * t * (u y * v y) + t * t * (v y)²)))
        by (intros; unfold Rsqr; ring).
      rewrite !sum_plus, !sum_scal. unfold U, S, W. ring. }
  destruct W0 as [W0|W0].
  - specialize (Q (S / W)). assert (E : U - 2 * (S / W) * S + S / W * (S / W) * W = U - S² / W)
      by (unfold Rsqr; field; lra).
    rewrite E in Q. assert (F : S² / W * W = S²) by (field; lra).
    assert (S² / W * W <= U * W) by (apply Rmult_le_compat_r; lra). lra.
  - rewrite <- W0 in *. destruct (Req_dec S 0) as [->|S0]; [unfold Rsqr; lra|].
    specialize (Q ((U + 1) / (2 * S))).
    assert (E : U - 2 * ((U + 1) / (2 * S)) * S = -1) by (field; exact S0). nra.
Qed.

Theorem between_two_powers : 1 - affinity ^ m <= TV all (draws P) (draws P')
  <= sqrt (1 - affinity ^ (2 * m)).
Proof.
  set (A := draws P). set (B := draws P').
  assert (A0 : forall xs, In xs all -> 0 <= A xs) by apply nonneg_draws, P_positive.
  assert (B0 : forall xs, In xs all -> 0 <= B xs) by apply nonneg_draws, P'_positive.
  assert (A1 : sum all A = 1) by apply one_draws, P_one.
  assert (B1 : sum all B = 1) by apply one_draws, P'_one.
  (* the affinity of m draws is a power *)
  assert (rho : sum all (fun xs => sqrt (A xs * B xs)) = affinity ^ m).
  { unfold affinity. rewrite <- sum_of_draws. apply sum_ext. intros xs I.
    destruct (in_words m xs I) as [_ In'].
    clear I. unfold A, B. induction xs as [|x xs IH]; simpl; [rewrite Rmult_1_r; apply sqrt_1|].
    rewrite <- IH by (intros y Y; apply In'; right; exact Y).
    assert (x0 : 0 < P x /\ 0 < P' x) by (split; [apply P_positive|apply P'_positive]; apply In';
      left; reflexivity).
    assert (D : 0 < draws P xs /\ 0 < draws P' xs).
    { split; apply draws_positive; intros y Y; [apply P_positive|apply P'_positive]; apply In';
        right; exact Y. }
    rewrite <- sqrt_mult by (apply Rmult_le_pos; lra). f_equal. ring. }
  assert (double : TV all A B = 1 / 2 * sum all (fun xs => Rabs (A xs - B xs))).
  { unfold TV. assert (Z : sum all (fun xs => A xs + -1 * B xs) = 0)
      by (rewrite sum_plus, sum_scal, A1, B1; ring).
    rewrite (sum_ext all (fun xs => Rmax 0 (A xs - B xs))
      (fun xs => 1 / 2 * Rabs (A xs - B xs) + 1 / 2 * (A xs + -1 * B xs))).
    - rewrite sum_plus, !sum_scal, Z. ring.
    - intros xs _. unfold Rmax, Rabs. destruct (Rle_dec 0 (A xs - B xs)), (Rcase_abs (A xs - B xs));
        lra. }
  assert (root : forall xs, In xs all -> sqrt (A xs) * sqrt (A xs) = A xs
    /\ sqrt (B xs) * sqrt (B xs) = B xs /\
                 sqrt (A xs * B xs) = sqrt (A xs) * sqrt (B xs)).
  { intros xs I. specialize (A0 xs I). specialize (B0 xs I). split; [apply sqrt_sqrt, A0|].
    split; [apply sqrt_sqrt, B0|apply sqrt_mult; assumption]. }
  split.
  - rewrite <- rho, <- A1. unfold TV.
    assert (H : sum all (fun xs => A xs + -1 * sqrt (A xs * B xs))
      <= sum all (fun xs => Rmax 0 (A xs - B xs))).
    { apply sum_le. intros xs I. destruct (root xs I) as [a [b ->]].
      pose proof (sqrt_pos (A xs)). pose proof (sqrt_pos (B xs)).
      set (u := sqrt (A xs)) in *. set (v := sqrt (B xs)) in *. rewrite <- a, <- b.
      unfold Rmax. destruct (Rle_dec 0 (u * u - v * v)) as [D|D].
      - assert (v <= u) by (apply Rsqr_incr_0; unfold Rsqr; lra).
        assert (v * v <= u * v) by (apply Rmult_le_compat_r; assumption). lra.
      - assert (u <= v) by (apply Rsqr_incr_0; unfold Rsqr; lra).
        assert (u * u <= u * v) by (apply Rmult_le_compat_l; assumption). lra. }
    rewrite sum_plus, sum_scal in H. lra.
  - assert (C : (TV all A B)² <= 1 - affinity ^ (2 * m)).
    { rewrite double.
      pose proof (cauchy_schwarz all (fun xs => Rabs (sqrt (A xs) - sqrt (B xs)))
        (fun xs => sqrt (A xs) + sqrt (B xs))) as H.
      cbn beta in H.
      rewrite (sum_ext all
        (fun xs => Rabs (sqrt (A xs) - sqrt (B xs)) * (sqrt (A xs) + sqrt (B xs)))
                 (fun xs => Rabs (A xs - B xs))) in H.
      2:{ intros xs I. destruct (root xs I) as [a [b _]]. rewrite <- a at 3. rewrite <- b at 3.
          pose proof (sqrt_pos (A xs)). pose proof (sqrt_pos (B xs)).
          rewrite <- (Rabs_pos_eq (sqrt (A xs) + sqrt (B xs))) at 1 by lra. rewrite <- Rabs_mult.
          f_equal. ring. }
      rewrite (sum_ext all (fun xs => (Rabs (sqrt (A xs) - sqrt (B xs)))²)
                 (fun xs => A xs + (B xs + -2 * sqrt (A xs * B xs)))) in H.
      2:{ intros xs I. destruct (root xs I) as [a [b ->]]. rewrite <- Rsqr_abs. unfold Rsqr. lra. }
      rewrite (sum_ext all (fun xs => (sqrt (A xs) + sqrt (B xs))²)
                 (fun xs => A xs + (B xs + 2 * sqrt (A xs * B xs)))) in H.
      2:{ intros xs I. destruct (root xs I) as [a [b ->]]. unfold Rsqr. lra. }
      rewrite !sum_plus, !sum_scal, A1, B1, rho in H.
      replace (affinity ^ (2 * m)) with (affinity ^ m * affinity ^ m)
        by (rewrite <- pow_add; f_equal; lia).
      unfold Rsqr in *. lra. }
    assert (T0 : 0 <= TV all A B) by (apply sum_nonneg; intros; apply Rmax_l).
    rewrite <- (sqrt_Rsqr _ T0). apply sqrt_le_1_alt, C.
Qed.
End Draws.

(* ---- A loss reveals a probability ---- *)

(* P = ((n-1) P_{-i} + p)/n at the output at which the record attains its loss. *)
Theorem a_loss_reveals_a_probability n (P P' p : R) : 1 < n -> 0 < P -> 0 < P' -> 0 < p ->
  n * P = (n - 1) * P' + p -> let loss := Rabs (ln (P / P')) in
  let R l := 1 + n * (exp l - 1) in
  (P' <= P -> P' = p / R loss) /\ (P < P' -> P' = p / R (- loss)).
Proof.
  intros N P0 P'0 p0 mix loss R.
  assert (Q : forall l, exp l = P / P' -> P' = p / R l).
  { intros l E. assert (F : R l * P' = p).
    { unfold R. rewrite E. replace ((1 + n * (P / P' - 1)) * P') with (n * P - (n - 1) * P')
        by (field; lra). lra. }
    assert (R l <> 0) by (intros Z; rewrite Z in F; lra). rewrite <- F. field. assumption. }
  assert (D : 0 < P / P') by (apply Rdiv_lt_0_compat; assumption).
  assert (M : P / P' * P' = P) by (field; lra). split; intros H; apply Q; unfold loss.
  - rewrite Rabs_pos_eq, exp_ln; [reflexivity|exact D|]. rewrite <- ln_1.
    apply ln_le_iff; [lra|exact D|nra].
  - rewrite Rabs_left, Ropp_involutive, exp_ln; [reflexivity|exact D|]. rewrite <- ln_1.
    apply ln_increasing; [exact D|nra].
Qed.

Definition checked_here := (@neyman_pearson, @largest_advantage, @statistic_of_the_draws,
  @error_rates,
  @advantage_by_the_loss, @advantage_by_the_number, @between_two_powers,
    @a_loss_reveals_a_probability).
Print Assumptions checked_here.
