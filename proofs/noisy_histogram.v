(* Two-sided geometric noise and the noisy histogram: a companion to
   book/foundations/other-mechanisms.md and book/audit/instead.md. *)
Require Import Reals Lra Lia Psatz List ZArith.
From Coquelicot Require Import Coquelicot.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.differential_privacy Pdp.nvo_game.
Import ListNotations.
Open Scope R_scope.

(* ---- Two-sided geometric noise ---- *)

(* The probability of the whole number z; that it is one is proved next. *)
Definition geometric (a : R) (z : BinNums.Z) : R := (1 - a) / (1 + a) * a ^ Z.abs_nat z.

Theorem geometric_is_a_distribution a : 0 < a < 1 ->
  is_series (fun k => geometric a (Z.of_nat (S k)) + geometric a (- Z.of_nat (S k)))
    (1 - geometric a 0).
Proof.
  intros A. pose proof (is_series_geom a ltac:(rewrite Rabs_pos_eq; lra)) as G.
  apply (is_series_scal_l (K := R_AbsRing) (V := R_NormedModule) (2 * a * ((1 - a) / (1 + a))))
    in G.
  assert (E : scal (2 * a * ((1 - a) / (1 + a))) (/ (1 - a)) = 1 - geometric a 0).
  { unfold scal; simpl; unfold mult; simpl. unfold geometric. simpl. field. lra. }
  rewrite <- E. apply (is_series_ext _ _ _ (fun k => eq_refl)) in G.
  apply is_series_ext with (2 := G). intros k. unfold geometric.
  replace (Z.abs_nat (- Z.of_nat (S k))) with (S k) by (apply Nat2Z.inj; rewrite Zabs2Nat.id_abs;
    lia).
  rewrite Zabs2Nat.id. unfold scal; simpl; unfold mult; simpl. ring.
Qed.

(* Independent noise on the coordinates of a vector of whole numbers. *)
Fixpoint noisy (a : R) (f y : list BinNums.Z) : R :=
  match f, y with
  | [], [] => 1
  | u :: f', v :: y' => geometric a (v - u) * noisy a f' y'
  | _, _ => 0
  end.

Definition real (z : list BinNums.Z) : list R := map IZR z.

Lemma power_of_the_noise s z : exp (- s) ^ Z.abs_nat z = exp (- (s * Rabs (IZR z))).
Proof.
  rewrite <- Rpower_pow by apply exp_pos. unfold Rpower.
  rewrite ln_exp, INR_IZR_INZ, Zabs2Nat.id_abs, abs_IZR.
  f_equal. ring.
Qed.

(* It is the Laplace weight, with the same constant for all data sets. *)
Lemma noisy_is_laplace b f : forall y, 0 < b -> length y = length f -> let a := exp (- (1 / b)) in
  noisy a f y = laplace (((1 - a) / (1 + a)) ^ length f) b (real f) (real y).
Proof.
  intros y B L a. revert y L. induction f as [|u f IH]; intros [|v y] L; simpl in L; try lia.
  - unfold laplace. simpl. replace (- (0 / b)) with 0 by (field; lra). rewrite exp_0. ring.
  - simpl noisy. rewrite IH by lia. unfold laplace, geometric. simpl length. simpl distance.
    simpl pow.
    unfold a at 3. rewrite power_of_the_noise, minus_IZR.
    replace (- ((Rabs (IZR v - IZR u) + distance (real y) (real f)) / b))
      with (- (1 / b * Rabs (IZR v - IZR u)) + - (distance (real y) (real f) / b)) by (field; lra).
    rewrite exp_plus. ring.
Qed.

Section Geometric_mechanism.
Context {D : Type}.
Variable neighbours : D -> D -> Prop.
Variables (w : nat) (f : D -> list BinNums.Z).          (* w whole numbers *)
Hypothesis answers : forall d, length (f d) = w.
Variables (sensitivity eps : R).
Hypothesis sensitivity_positive : 0 < sensitivity.
Hypothesis eps_positive : 0 < eps.
Hypothesis sensitive : forall d d', neighbours d d' -> distance (real (f d)) (real (f d'))
  <= sensitivity.

Definition vectors : Type := { y : list BinNums.Z | length y = w }.
Let a : R := exp (- (eps / sensitivity)).

(* Theorem (two-sided geometric mechanism). *)
Theorem geometric_mechanism : dp neighbours eps
  (fun d (y : vectors) => noisy a (f d) (proj1_sig y)).
Proof.
  assert (B : 0 < sensitivity / eps) by (apply Rdiv_lt_0_compat; assumption).
  assert (Ea : a = exp (- (1 / (sensitivity / eps)))) by (unfold a; do 2 f_equal; field; lra).
  assert (a1 : 0 < a < 1).
  { split; [apply exp_pos|]. unfold a. rewrite <- exp_0. apply exp_increasing.
    assert (0 < eps / sensitivity) by (apply Rdiv_lt_0_compat; assumption). lra. }
  set (c := ((1 - a) / (1 + a)) ^ w).
  assert (C : 0 < c) by (apply pow_lt, Rdiv_lt_0_compat; lra).
  pose proof (laplace_mechanism neighbours w (fun d => real (f d))
                (fun d => eq_trans (map_length _ _) (answers d)) sensitivity sensitive
                  (sensitivity / eps) c B C
                (fun y : vectors => real (proj1_sig y))
                (fun y => eq_trans (map_length _ _) (proj2_sig y))) as H.
  replace (sensitivity / (sensitivity / eps)) with eps in H by (field; lra).
  intros d d' N. specialize (H d d' N).
  assert (E : forall e (y : vectors), noisy a (f e) (proj1_sig y)
              = laplace c (sensitivity / eps) (real (f e)) (real (proj1_sig y))).
  { intros e [y Y]. cbn [proj1_sig]. unfold c. rewrite Ea. rewrite <- (answers e).
    apply noisy_is_laplace; [exact B|].
    rewrite answers. exact Y. }
  destruct H as [H H']. split; apply bounded_pointwise; intros y; rewrite !E;
    [apply (proj1 (bounded_pointwise _ _ _) H)|apply (proj1 (bounded_pointwise _ _ _) H')].
Qed.
End Geometric_mechanism.

(* ---- The noisy histogram ---- *)

Section Histogram.
Variable K : nat.                                       (* bins of a public grid *)
Definition counts (data : list nat) : list BinNums.Z :=
  map (fun k => Z.of_nat (count_occ Nat.eq_dec data k)) (seq 0 K).

(* Neighbours: one is the other with one record removed. *)
Definition one_removed (data data' : list nat) : Prop :=
  exists before r after, data = before ++ r :: after /\ data' = before ++ after.

(* A record changes one count, by one. *)
Lemma counts_are_sensitive data data' : one_removed data data' ->
  distance (real (counts data)) (real (counts data')) <= 1.
Proof.
  intros [before [r [after [-> ->]]]].
  assert (D : forall l,
    distance (real (map (fun k => Z.of_nat (count_occ Nat.eq_dec (before ++ r :: after) k)) l))
                          (real (map (fun k => Z.of_nat (count_occ Nat.eq_dec (before ++ after) k))
                            l))
                        = sum l (fun k => if Nat.eq_dec r k then 1 else 0)).
  { induction l as [|k l IH]; [reflexivity|]. simpl. rewrite IH. f_equal.
    rewrite !count_occ_app, <- minus_IZR. simpl. destruct (Nat.eq_dec r k).
    - replace (Z.of_nat (count_occ Nat.eq_dec before k + S (count_occ Nat.eq_dec after k))
               - Z.of_nat (count_occ Nat.eq_dec before k + count_occ Nat.eq_dec after k))%Z with 1%Z
                   by lia.
      apply Rabs_pos_eq. lra.
    - rewrite Z.sub_diag. apply Rabs_R0. }
  unfold counts. rewrite D. clear D. assert (N : NoDup (seq 0 K)) by apply seq_NoDup.
  induction (seq 0 K) as [|k l IH]; [simpl; lra|]. inversion N as [|? ? A B]; subst.
  specialize (IH B). simpl.
  destruct (Nat.eq_dec r k) as [<-|_]; [|lra].
  rewrite (sum_ext l _ (fun _ => 0)); [rewrite sum_const; lra|].
  intros j J. destruct (Nat.eq_dec r j) as [->|]; [contradiction|reflexivity].
Qed.

(* Proposition (the noisy histogram is differentially private): noise with probabilities in
   proportion to e^{-ε|z|}. *)
Theorem noisy_histogram eps : 0 < eps ->
  dp one_removed eps (fun data (y : vectors K) => noisy (exp (- eps)) (counts data) (proj1_sig y)).
Proof.
  intros E. pose proof (geometric_mechanism one_removed K counts
    (fun d => eq_trans (map_length _ _) (seq_length _ _)) 1 eps Rlt_0_1 E counts_are_sensitive)
      as H.
  replace (eps / 1) with eps in H by field. exact H.
Qed.
End Histogram.

(* ---- The best estimate is the posterior mean ---- *)

(* The bins are those at which the mean is positive. An estimate that is 0 at one of them has an
   infinite divergence, and it may put some of its mass on other bins. *)

Section Best_estimate.
Context {I : Type}.
(* q i has the probability w i *)
Variables (possible : list I) (w : I -> R) (bins : list nat) (q : I -> nat -> R).
Hypothesis w_nonnegative : forall i, In i possible -> 0 <= w i.
Hypothesis w_one : sum possible w = 1.
Hypothesis q_nonnegative : forall i x, In i possible -> In x bins -> 0 <= q i x.
Hypothesis q_one : forall i, In i possible -> sum bins (q i) = 1.
Definition posterior_mean (x : nat) : R := sum possible (fun i => w i * q i x).
Hypothesis mean_positive : forall x, In x bins -> 0 < posterior_mean x.

Definition expected_divergence (P : nat -> R) : R := sum possible (fun i => w i * KL bins (q i) P).

Theorem posterior_mean_is_best (P : nat -> R) : (forall x, In x bins -> 0 < P x) ->
  sum bins P <= 1 ->
  expected_divergence posterior_mean <= expected_divergence P.
Proof.
  intros P0 P1. set (m := posterior_mean).
  assert (m1 : sum bins m = 1).
  { unfold m, posterior_mean. rewrite sum_swap, (sum_ext _ _ w); [exact w_one|].
    intros i J. rewrite sum_scal, q_one by exact J. ring. }
  (* the difference of the two is KL(m ‖ P) *)
  assert (E : expected_divergence P = expected_divergence m + KL bins m P).
  { unfold expected_divergence, KL.
    assert (F : sum bins (fun x => m x * ln (m x / P x))
                = sum possible (fun i => w i * sum bins (fun x => q i x * ln (m x / P x)))).
    { rewrite (sum_ext possible _ (fun i => sum bins (fun x => w i * q i x * ln (m x / P x)))).
      - rewrite sum_swap. apply sum_ext. intros x X.
        rewrite (sum_ext possible _ (fun i => ln (m x / P x) * (w i * q i x))) by (intros; ring).
        rewrite sum_scal. unfold m, posterior_mean. ring.
      - intros i _. rewrite <- sum_scal. apply sum_ext. intros; ring. }
    rewrite F, <- sum_plus. apply sum_ext. intros i J. rewrite <- Rmult_plus_distr_l, <- sum_plus.
    f_equal.
    apply sum_ext. intros x X. specialize (P0 x X). pose proof (mean_positive x X) as M.
    fold m in M.
    destruct (q_nonnegative i x J X) as [Q|Q]; [|rewrite <- Q; ring].
    rewrite <- Rmult_plus_distr_l, <- ln_mult by (apply Rdiv_lt_0_compat; assumption).
    do 2 f_equal. field. lra. }
  assert (G : 0 <= KL bins m P).
  { assert (H : - KL bins m P <= sum bins (fun x => P x + -1 * m x)).
    { unfold KL. replace (- sum bins (fun x => m x * ln (m x / P x)))
        with (-1 * sum bins (fun x => m x * ln (m x / P x))) by ring.
      rewrite <- sum_scal. apply sum_le. intros x X. specialize (P0 x X).
      pose proof (mean_positive x X) as M. fold m in M.
      assert (L : ln (m x / P x) = - ln (P x / m x)).
      { rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; assumption). f_equal. field. lra. }
      rewrite L. pose proof (ln_below_tangent (P x / m x) ltac:(apply Rdiv_lt_0_compat;
        assumption)).
      assert (m x * ln (P x / m x) <= m x * (P x / m x - 1)) by (apply Rmult_le_compat_l; lra).
      assert (m x * (P x / m x - 1) = P x - m x) by (field; lra). lra. }
    rewrite sum_plus, sum_scal, m1 in H. pose proof (P1 : sum bins (fun x => P x) <= 1). lra. }
  lra.
Qed.
End Best_estimate.

Definition checked_here := (@geometric_is_a_distribution, @geometric_mechanism, @noisy_histogram,
  @posterior_mean_is_best).
Print Assumptions checked_here.
