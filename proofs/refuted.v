(* What the marked statements do not say. Each lemma changes one thing in a statement that has a
   mark: a hypothesis that looks superfluous is dropped, one direction stands for two, n - 1 or n +
   1 for n. It proves that the changed statement is false. Where only the conclusion is changed, the
   lemma also shows that the hypotheses can be met, because otherwise it would be true of any
   conclusion. *)
Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.differential_privacy.
Require Pdp.truncated_laplace Pdp.nvo_game Pdp.local_randomisers.
Require Pdp.many_draws Pdp.repair Pdp.published_proof Pdp.whole_numbers Pdp.heights Pdp.game.
Import ListNotations.
Open Scope R_scope.

(* A record with one of two values, which is released as it is with probability 2/3. *)
Definition coin (d x : bool) : R := if Bool.eqb d x then 2 / 3 else 1 / 3.
Definition anything {A : Type} (_ _ : A) : Prop := True.

Lemma coin_nonnegative d x : 0 <= coin d x.
Proof. destruct d, x; unfold coin; simpl; lra. Qed.

Lemma coin_dp : dp anything (ln 2) coin.
Proof.
  intros d d' _. split; apply bounded_pointwise; intros x; rewrite exp_ln by lra;
    destruct d, d', x; unfold coin; simpl; lra.
Qed.

(* ---- Differential privacy ---- *)

(* A record that is never released as true, and nothing that looks like it. *)
Definition tell_tale (d x : bool) : R := if d then (if x then 0 else 1) else 1 / 2.

(* Privacy in one direction is not enough: an output that is impossible with the record tells that
   it is not there. *)
Lemma changed_posterior_odds : ~ forall (neighbours : bool -> bool -> Prop) eps
    M d d' (x : bool) prior,
  (forall d d', neighbours d d' -> bounded eps (M d) (M d')) -> neighbours d d' -> 0 < prior < 1 ->
  0 < M d x \/ 0 < M d' x -> exp (- eps) * odds prior <= odds (posterior prior (M d x) (M d' x)).
Proof.
  intros H.
  specialize (H (fun d d' => d = true /\ d' = false) (ln 2) tell_tale true false true (1 / 2)).
  assert (B : forall d d', d = true /\ d' = false -> bounded (ln 2) (tell_tale d) (tell_tale d')).
  { intros d d' [-> ->]. apply bounded_pointwise. intros []; rewrite exp_ln by lra; simpl; lra. }
  specialize (H B (conj eq_refl eq_refl) ltac:(lra) ltac:(simpl; right; lra)).
  change (exp (- ln 2) * odds (1 / 2) <= odds (posterior (1 / 2) 0 (1 / 2))) in H.
  replace (odds (posterior (1 / 2) 0 (1 / 2))) with 0 in H by (unfold odds, posterior; field; lra).
  replace (odds (1 / 2)) with 1 in H by (unfold odds; field; lra). pose proof (exp_pos (- ln 2)).
  lra.
Qed.

(* The sensitivity is the sum of the changes of all numbers and not the largest of them. *)
Lemma changed_laplace_mechanism : ~ forall (neighbours : bool -> bool -> Prop) w
  (f : bool -> list R)
    sensitivity b c (point : bool -> list R),
  (forall d, length (f d) = w) ->
  (forall d d', neighbours d d' -> Forall2 (fun u v => Rabs (u - v) <= sensitivity) (f d) (f d')) ->
  0 < b -> 0 < c -> (forall x, length (point x) = w) ->
  dp neighbours (sensitivity / b) (fun d x => laplace c b (f d) (point x)).
Proof.
  intros H. set (f := fun d : bool => if d then [1; 1] else [0; 0]).
  assert (D : forall d d', Forall2 (fun u v => Rabs (u - v) <= 1) (f d) (f d')).
  { intros d d'. destruct d, d'; unfold f; apply Forall2_cons, Forall2_cons, Forall2_nil;
      unfold Rabs; destruct (Rcase_abs _); lra. }
  assert (L : forall d, length (f d) = 2%nat) by (intros []; reflexivity).
  specialize (H anything 2%nat f 1 1 1 f L (fun d d' _ => D d d') ltac:(lra) ltac:(lra) L).
  apply (no_smaller_for_neighbours anything f 1 1 ltac:(lra) ltac:(lra) f _ true false true
           Logic.I eq_refl) in H.
  unfold f in H. simpl in H. rewrite !Rminus_0_r, !Rabs_R1 in H. unfold Rdiv in H.
  rewrite Rinv_1 in H. lra.
Qed.

Lemma two_terms (g : nat -> R) : (forall i, (2 <= i)%nat -> g i = 0) ->
  is_series g (g 0%nat + g 1%nat).
Proof.
  intros Z. unfold is_series. apply filterlim_ext_loc with (f := fun _ : nat => g 0%nat + g 1%nat).
  - exists 1%nat. intros i L. induction L as [|i L IH].
    + rewrite sum_Sn, sum_O. reflexivity.
    + rewrite sum_Sn, <- IH, (Z (S i)) by lia. symmetry. apply (plus_zero_r (G := R_AbelianGroup)).
  - apply filterlim_const.
Qed.

(* Post-processing may not look at the data again. *)
Lemma changed_post_processing : ~ forall (neighbours : bool -> bool -> Prop) eps M
  (A : bool -> nat -> bool -> R),
  (forall d x, 0 <= M d x) -> (forall d, is_series (M d) 1) -> (forall d x y, 0 <= A d x y <= 1) ->
  dp neighbours eps M -> dp neighbours eps (fun d => process (A d) (M d)).
Proof.
  intros H. set (M := fun (_ : bool) (i : nat) => match i with O => 1 | _ => 0 end).
  set (A := fun (d : bool) (_ : nat) (y : bool) => if Bool.eqb d y then 1 else 0).
  assert (M1 : forall d, is_series (M d) 1).
  { intros d. replace 1 with (M d 0%nat + M d 1%nat) by (simpl; lra). apply two_terms.
    intros [|[|i]] L; [lia|lia|reflexivity]. }
  assert (Y : dp anything 0 M).
  { intros d d' _. split; apply bounded_pointwise; intros x; rewrite exp_0; unfold M; destruct x;
      lra. }
  specialize (H anything 0 M A ltac:(intros d [|x]; simpl; lra) M1
    ltac:(intros [] x []; unfold A; simpl; lra) Y true false Logic.I).
  destruct H as [H _]. apply (proj1 (bounded_pointwise _ _ _)) with (x := true) in H.
  unfold process in H.
  assert (E : forall d, Series (fun x => A d x true * M d x) = A d 0%nat true).
  { intros d. apply is_series_unique.
    replace (A d 0%nat true) with (A d 0%nat true * M d 0%nat + A d 1%nat true * M d 1%nat)
      by (simpl; ring).
    apply (two_terms (fun x => A d x true * M d x)). intros [|[|i]] L; [lia|lia|simpl; ring]. }
  rewrite !E, exp_0 in H. unfold A in H. simpl in H. lra.
Qed.

(* Two answers cost more than the dearer of them. *)
Lemma changed_basic_composition : ~ forall (neighbours : bool -> bool -> Prop) eps1 eps2
    (M1 : bool -> bool -> R) (M2 : bool -> bool -> bool -> R),
  (forall d x, 0 <= M1 d x) -> (forall x d y, 0 <= M2 x d y) ->
  dp neighbours eps1 M1 -> (forall x, dp neighbours eps2 (M2 x)) ->
  dp neighbours (Rmax eps1 eps2) (both M1 M2).
Proof.
  intros H. specialize (H anything (ln 2) (ln 2) coin (fun _ => coin) coin_nonnegative
    (fun _ => coin_nonnegative) coin_dp (fun _ => coin_dp) true false Logic.I). destruct H as [H _].
  apply (proj1 (bounded_pointwise _ _ _)) with (x := (true, true)) in H. unfold both, coin in H.
  simpl in H.
  rewrite Rmax_left, exp_ln in H by lra. lra.
Qed.

(* ---- ε-DP and ε-pDP ---- *)

Lemma coin_positive d x : 0 < coin d x.
Proof. destruct d, x; unfold coin; simpl; lra. Qed.

Lemma coin_ratio y z x : coin z x <= 2 * coin y x.
Proof. destruct y, z, x; unfold coin; simpl; lra. Qed.

(* Below the ratio is the number n = k + 1 of all records, and not that of the others. *)
Lemma changed_sampling_supremum : ~ forall (p : bool -> @row bool) r y0 z0 x0 eps k,
  (forall z x, 0 < p z x) -> (forall z y x, p z x <= r * p y x) -> p z0 x0 = r * p y0 x0 ->
    (1 <= k)%nat ->
  ((forall z others, length others = k -> pdp eps (p z) (map p others))
   <-> ln (1 + (r - 1) / INR k) <= eps).
Proof.
  intros claim.
  assert (top : coin true true = 2 * coin false true) by (unfold coin; simpl; lra).
  pose proof (claim coin 2 false true true (ln (3 / 2)) 1%nat coin_positive
                (fun z y x => coin_ratio y z x) top ltac:(lia)) as [bound _].
  pose proof (sampling_supremum coin 2 coin_positive (fun z y x => coin_ratio y z x)
                false true true top (ln (3 / 2)) 1 ltac:(lia)) as [_ private].
  replace (1 + (2 - 1) / (INR 1 + 1)) with (3 / 2) in private by (simpl; field).
  specialize (bound (private (Rle_refl _))).
  replace (1 + (2 - 1) / INR 1) with 2 in bound by (simpl; field).
  apply (proj1 (ln_le_iff 2 (3 / 2) ltac:(lra) ltac:(lra))) in bound. lra.
Qed.

(* One direction of the ratio does not give the other. *)
Lemma changed_atoms_suffice : ~ forall eps (P Q : bool -> R),
  (forall x, 0 <= P x) -> (forall x, 0 <= Q x) ->
  sum [true; false] P = 1 -> sum [true; false] Q = 1 ->
  (within eps P Q <-> forall x, P x <= exp eps * Q x).
Proof.
  intros H. specialize (H (ln 2) (tell_tale true) (tell_tale false)
    ltac:(intros []; simpl; lra) ltac:(intros []; simpl; lra) ltac:(simpl; lra) ltac:(simpl; lra)).
  apply proj2 in H. rewrite exp_ln in H by lra. specialize (H ltac:(intros []; simpl; lra)).
  apply (proj1 (atoms_suffice _ _ _)) with (x := true) in H. destruct H as [_ H].
  rewrite exp_ln in H by lra. simpl in H. lra.
Qed.

(* It is not enough that all others draw from q. *)
Lemma changed_everyone_draws_from_q : ~ forall (p q : @row bool) k, (1 <= k)%nat ->
  pdp 0 p (repeat q k).
Proof.
  intros H. specialize (H (coin true) (coin false) 1%nat ltac:(lia)).
  apply (proj1 (atoms_suffice _ _ _)) with (x := true) in H. destruct H as [H _].
  rewrite exp_0 in H. unfold released, mass, coin in H. simpl in H. lra.
Qed.

(* ---- The truncated Laplace density ---- *)

Import Pdp.truncated_laplace.

(* The peak is not equally high wherever the record is: at the ends it is higher than in the
   middle. *)
Lemma changed_v_max : ~ forall b mu, 0 < b -> 0 <= mu <= 1 -> V mu b mu = v_max b.
Proof.
  intros H. specialize (H 1 (1 / 2) ltac:(lra) ltac:(lra)).
  unfold V, v_max, truncated_laplace.Z in H.
  rewrite (Rminus_diag_eq (1 / 2) (1 / 2)), Rabs_R0 in H by reflexivity.
  replace (- (0 / 1)) with 0 in H by field. rewrite exp_0 in H.
  replace ((1 - 1 / 2) / 1) with (1 / 2) in H by field.
  replace (1 / 2 / 1) with (1 / 2) in H by field.
  replace (- (1 / 1)) with (- (1 / 2) + - (1 / 2)) in H by field. rewrite exp_plus in H.
  assert (U : exp (- (1 / 2)) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in U.
  pose proof (exp_pos (- (1 / 2))) as P. set (u := exp (- (1 / 2))) in *.
  assert (A : / (2 * 1) * 1 / (1 / 2 - 1 / 2 * u + (1 / 2 - 1 / 2 * u)) * (1 - u) = 1 / 2)
    by (field; lra).
  assert (B : 1 / 1 / (1 - u * u) * (1 - u) * (1 + u) = 1) by (field; nra).
  rewrite H in A. rewrite A in B. lra.
Qed.

(* A mass is an integral over a bin of width 1/K, so v_min alone is not a bound: two bins, and b =
   2. *)
Lemma changed_bin_masses : ~ forall K k x b, 0 < b -> (k < K)%nat -> (x < K)%nat ->
  v_min b <= kernel K k b x.
Proof.
  intros H. pose proof (nvo_game.masses_sum_to_one 2 0 2 ltac:(lra) ltac:(lia) ltac:(lia)) as S.
  simpl in S.
  pose proof (H 2%nat 0%nat 0%nat 2 ltac:(lra) ltac:(lia) ltac:(lia)) as A.
  pose proof (H 2%nat 0%nat 1%nat 2 ltac:(lra) ltac:(lia) ltac:(lia)) as B.
  unfold v_min in A, B. pose proof exp_le_3 as T. pose proof (exp_ineq1 (1 / 2) ltac:(lra)) as T'.
  assert (U : exp (1 / 2) * exp (1 / 2) = exp 1) by (rewrite <- exp_plus; f_equal; field).
  set (u := exp (1 / 2)) in *. assert (u < 2).
  { apply Rnot_le_lt. intros G. assert (2 * 2 <= u * u) by (apply Rmult_le_compat; lra). lra. }
  assert (F : 1 / 2 / (u - 1) * (u - 1) = 1 / 2) by (field; lra).
  set (v := 1 / 2 / (u - 1)) in *.
  assert (v * (u - 1) <= 1 / 2 * (u - 1)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(* ---- The game ---- *)

(* One record on two bins, with the probability r of its own bin. *)
Definition one_row (r : R) (_ : unit) (k x : nat) : R := if Nat.eqb k x then r else 1 - r.

Lemma utility_of_one r : 0 < r ->
  game.P_U 2 (one_row r) [0%nat] (tt, tt) = 1 + ln r / ln 2.
Proof.
  intros P. unfold game.P_U. assert (D : game.divergence (one_row r) [0%nat] (tt, tt) = - ln r).
  { unfold game.divergence, nvo_game.KL, nvo_game.occupied_bins, nvo_game.histogram,
      nvo_game.output,
      game.rows, game.records, released, mass, one_row. simpl.
    replace ((1 + 0) / 1 / ((r + 0) / 1)) with (/ r) by (field; lra). rewrite ln_Rinv by exact P.
    field. }
  rewrite D. replace (INR 2) with 2 by (simpl; ring). unfold Rdiv. ring.
Qed.

(* A row that is only positive on its own bin is not enough: with 1/4 on one of two bins the utility
   is -1. *)
Lemma changed_utility : ~ forall (A : Type) K (p : A -> nat -> nat -> R) data
    (c : @game.profile A data),
  (2 <= K)%nat -> data <> [] -> (forall k, In k data -> (k < K)%nat) ->
  (forall a k x, (k < K)%nat -> (x < K)%nat -> 0 <= p a k x) ->
  (forall a k, (k < K)%nat -> sum (seq 0 K) (p a k) = 1) ->
  (forall a k, In k data -> 0 < p a k k) -> 0 <= game.P_U K p data c <= 1.
Proof.
  intros H. specialize (H unit 2%nat (one_row (1 / 4)) [0%nat] (tt, tt)).
  rewrite utility_of_one in H by lra.
  assert (L : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (E : ln (1 / 4) = - (2 * ln 2)).
  { replace (1 / 4) with (/ (2 * 2)) by field. rewrite ln_Rinv, ln_mult by lra. ring. }
  replace (1 + ln (1 / 4) / ln 2) with (-1) in H by (rewrite E; field; lra).
  assert (0 <= -1 <= 1); [|lra]. apply H; [lia|discriminate|intros k [<-|[]]; lia| | |].
  - intros a k x _ _. unfold one_row. destruct (Nat.eqb k x); lra.
  - intros a [|[|k]] L'; [| |lia]; unfold one_row; simpl; lra.
  - intros a k _. unfold one_row. rewrite Nat.eqb_refl. lra.
Qed.

(* With exactly 1/K on the own bin the utility can be 0. *)
Lemma changed_laplace_utility : ~ forall (A : Type) K (p : A -> nat -> nat -> R) data
    (c : @game.profile A data),
  (2 <= K)%nat -> data <> [] -> (forall k, In k data -> (k < K)%nat) ->
  (forall a k x, (k < K)%nat -> (x < K)%nat -> 0 <= p a k x) ->
  (forall a k, (k < K)%nat -> sum (seq 0 K) (p a k) = 1) ->
  (forall a k, In k data -> 1 / INR K <= p a k k) -> 0 < game.P_U K p data c.
Proof.
  intros H. specialize (H unit 2%nat (one_row (1 / 2)) [0%nat] (tt, tt)).
  rewrite utility_of_one in H by lra.
  assert (L : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (E : ln (1 / 2) = - ln 2) by (replace (1 / 2) with (/ 2) by field; apply ln_Rinv; lra).
  replace (1 + ln (1 / 2) / ln 2) with 0 in H by (rewrite E; field; lra).
  assert (0 < 0); [|lra]. apply H; [lia|discriminate|intros k [<-|[]]; lia| | |].
  - intros a k x _ _. unfold one_row. destruct (Nat.eqb k x); lra.
  - intros a [|[|k]] L'; [| |lia]; unfold one_row; simpl; lra.
  - intros a k _. unfold one_row. rewrite Nat.eqb_refl. simpl. lra.
Qed.

(* ---- Audit ---- *)

(* ε-DP of a release allows more than ε-local privacy: the ratio may be R, and not only e^ε. *)
Lemma changed_fixed_randomisers : ~ forall (p : bool -> @row bool) eps m,
  (forall k x, 0 <= p k x) ->
  0 <= eps -> (1 <= m)%nat ->
  ((forall k others, length others = m -> pdp eps (p k) (map p others))
   <-> forall j k x, p k x <= exp eps * p j x).
Proof.
  intros H. assert (E0 : 0 <= ln (3 / 2)) by (rewrite <- ln_1; apply ln_le_iff; lra).
  specialize (H coin (ln (3 / 2)) 1%nat coin_nonnegative E0 ltac:(lia)). apply proj1 in H.
  rewrite exp_ln in H by lra.
  assert (Y : forall k others, length others = 1%nat ->
    pdp (ln (3 / 2)) (coin k) (map coin others)).
  { apply (local_randomisers.fixed_randomisers coin coin_nonnegative _ 1 E0 ltac:(lia)).
    intros j k x. rewrite exp_ln by lra. pose proof (coin_ratio j k x). simpl. lra. }
  specialize (H Y false true true). unfold coin in H. simpl in H. lra.
Qed.

(* The numerator is K and not K - 1, *)
Lemma changed_randomised_response : ~ forall K m lambda eps,
  (2 <= K)%nat -> (1 <= m)%nat -> 0 <= eps -> 0 <= lambda <= 1 ->
  ((forall k others, length others = m ->
      pdp eps (local_randomisers.randomised_response K lambda k)
              (map (local_randomisers.randomised_response K lambda) others))
   <-> (INR K - 1) / (INR K + (INR m + 1) * (exp eps - 1)) <= lambda).
Proof.
  intros H. specialize (H 2%nat 1%nat (1 / 2) 0 ltac:(lia) ltac:(lia) ltac:(lra) ltac:(lra)).
  apply proj2 in H. rewrite exp_0 in H. specialize (H ltac:(simpl; lra)).
  apply (proj1 (local_randomisers.randomised_response_private 2 1 (1 / 2) 0
                  ltac:(lia) ltac:(lia) ltac:(lra) ltac:(lra))) in H.
  rewrite exp_0 in H. simpl in H. lra.
Qed.

(* and with a single bin the statement is false. *)
Lemma changed_number_of_bins : ~ forall K m lambda eps,
  (1 <= K)%nat -> (1 <= m)%nat -> 0 <= eps -> 0 <= lambda <= 1 ->
  ((forall k others, length others = m ->
      pdp eps (local_randomisers.randomised_response K lambda k)
              (map (local_randomisers.randomised_response K lambda) others))
   <-> INR K / (INR K + (INR m + 1) * (exp eps - 1)) <= lambda).
Proof.
  intros H. specialize (H 1%nat 1%nat 0 0 ltac:(lia) ltac:(lia) ltac:(lra) ltac:(lra)).
  apply proj1 in H. rewrite exp_0 in H.
  assert (Y : forall k x, local_randomisers.randomised_response 1 0 k x = 1).
  { intros [k Lk] [x Lx]. assert (k = x) by lia. unfold local_randomisers.randomised_response.
    simpl.
    destruct (Nat.eq_dec k x); [lra|contradiction]. }
  assert (Z : INR 1 / (INR 1 + (INR 1 + 1) * (1 - 1)) <= 0); [|simpl in Z; lra].
  apply H. assert (N : forall k x, 0 <= local_randomisers.randomised_response 1 0 k x)
    by (intros k x; rewrite Y; lra).
  apply (proj2 (local_randomisers.fixed_randomisers _ N 0 1 ltac:(lra) ltac:(lia))).
  intros j k x. rewrite !Y, exp_0. simpl. lra.
Qed.

(* A dominating pair: A = 1/2, B = 2, and the record makes a draw come out true with probability
   3/4. *)
Definition with_it (x : bool) : R := if x then 3 / 4 else 1 / 4.
Definition without_it (_ : bool) : R := 1 / 2.

Lemma ratio_of_the_pair x : 1 / 2 * without_it x <= with_it x <= 2 * without_it x.
Proof. unfold with_it, without_it. destruct x; lra. Qed.

(* The trial of randomised response, 1/(1 + B), is not the one for every A. *)
Lemma changed_without_the_record : ~ forall (P Q : bool -> R) A B, A < 1 -> 1 < B ->
  (forall x, A * Q x <= P x <= B * Q x) -> forall x, let a := 1 / (1 + B) in
  Q x = a * many_draws.success P Q A x + (1 - a) * many_draws.failure P Q B x.
Proof.
  intros H. specialize (H with_it without_it (1 / 4) 2 ltac:(lra) ltac:(lra)).
  specialize (H ltac:(unfold with_it, without_it; intros []; lra) true). cbn zeta in H.
  unfold many_draws.success, many_draws.failure, with_it, without_it in H. lra.
Qed.

(* A single trial does not tell what many draws cost. *)
Lemma changed_cost_of_many_draws : ~ forall (P Q : bool -> R) A B outputs m e s s' delta
    (f f' : bool -> R),
  A < 1 -> 1 < B -> (forall x, A * Q x <= P x <= B * Q x) -> (forall x, In x outputs) ->
  sum outputs P = 1 -> sum outputs Q = 1 ->
  (forall x, f x = s * many_draws.success P Q A x + (1 - s) * many_draws.failure P Q B x) ->
  (forall x, f' x = s' * many_draws.success P Q A x + (1 - s') * many_draws.failure P Q B x) ->
  (forall set, many_draws.number 1 s set <= e * many_draws.number 1 s' set + delta) ->
  forall E, NoDup E -> (forall xs, In xs E -> length xs = m) ->
  sum E (many_draws.draws f) <= e * sum E (many_draws.draws f') + delta.
Proof.
  intros H. specialize (H with_it without_it (1 / 2) 2 [true; false] 2%nat 2 (2 / 3) (1 / 3) 0
    with_it without_it ltac:(lra) ltac:(lra) ratio_of_the_pair).
  specialize (H ltac:(intros []; simpl; auto) ltac:(unfold with_it; simpl; lra)
                ltac:(unfold without_it; simpl; lra)).
  assert (F : forall x, with_it x = 2 / 3 * many_draws.success with_it without_it (1 / 2) x
    + (1 - 2 / 3) * many_draws.failure with_it without_it 2 x).
  { intros []; unfold many_draws.success, many_draws.failure, with_it, without_it; lra. }
  assert (F' : forall x, without_it x = 1 / 3 * many_draws.success with_it without_it (1 / 2) x
    + (1 - 1 / 3) * many_draws.failure with_it without_it 2 x).
  { intros []; unfold many_draws.success, many_draws.failure, with_it, without_it; lra. }
  specialize (H F F'). assert (E : NoDup [[true; true]]) by (constructor; [intros []|constructor]).
  assert (N : forall set,
    many_draws.number 1 (2 / 3) set <= 2 * many_draws.number 1 (1 / 3) set + 0).
  { intros set. unfold many_draws.number, many_draws.successes. simpl.
    destruct (set 1%nat); simpl; destruct (set 0%nat); simpl; lra. }
  specialize (H N [[true; true]] E ltac:(intros xs [<-|[]]; reflexivity)). simpl in H.
  unfold with_it, without_it in H. lra.
Qed.

(* The dominating pair of part 2 needs ε >= ln n/(n-1). *)
Lemma changed_success_is_the_record : ~ forall n eps, 1 < n -> 0 < eps ->
  many_draws.a (Rmax (1 - 1 / n) (exp (- eps))) (exp eps) = 1 / (1 + n * (exp eps - 1)).
Proof.
  intros H. assert (L : 0 < ln (3 / 2)) by (rewrite <- ln_1; apply ln_increasing; lra).
  specialize (H 2 (ln (3 / 2)) ltac:(lra) L). rewrite exp_Ropp, exp_ln in H by lra.
  rewrite Rmax_right in H by lra. unfold many_draws.a in H. lra.
Qed.

(* 1 - e^{-ε} is not the τ of the lower bound N: with the τ of two records, three bins, of which two
   are sure to have a record, and e^ε = 2 all inequalities hold, but with a record in the third bin,
   too, the record of the first bin is exposed. *)
Definition three_rows (k : nat) (x : bool) : R :=
  match k, x with 0%nat, true => 3 / 4 | 1%nat, true => 1 / 4 | 0%nat, false => 1 / 4
  | 1%nat, false => 3 / 4 | _, true => 0 | _, false => 1 end.

Lemma changed_safe_randomisers_protect : ~ forall (bins : list nat) (outputs : list bool) l N
    (p : nat -> bool -> R) eps k others,
  NoDup bins -> (forall k x, 0 <= p k x) -> (forall k, In k bins -> sum outputs (p k) = 1) ->
    0 <= eps ->
  (repair.equal_rows bins p \/ forall k x, In k bins ->
     p k x <= tau (INR N) eps * repair.bracket Nat.eq_dec bins l N p k x) ->
  (forall j, In j (k :: others) -> In j bins) ->
  (forall j, In j bins -> (l j <= count_occ Nat.eq_dec (k :: others) j)%nat) ->
  (N <= length (k :: others))%nat ->
  (others <> [] /\ pdp eps (p k) (map p others)) \/ (others = [] /\ repair.equal_rows bins p).
Proof.
  intros H. set (bins := [0; 1; 2]%nat).
  set (l := fun k => match k with 2%nat => 0%nat | _ => 1%nat end).
  assert (D : NoDup bins) by apply seq_NoDup with (start := 0%nat) (len := 3%nat).
  assert (n0 : forall k x, 0 <= three_rows k x) by (intros [|[|k]] []; simpl; lra).
  assert (E0 : 0 <= ln 2) by (rewrite <- ln_1; apply ln_le_iff; lra).
  assert (E : exp (- ln 2) = 1 / 2) by (rewrite exp_Ropp, exp_ln by lra; field).
  assert (safe : forall k x, In k bins ->
    three_rows k x <= tau (INR 2) (ln 2) * repair.bracket Nat.eq_dec bins l 2 three_rows k x).
  { intros k x I. unfold tau. rewrite E. unfold repair.bracket, repair.or_unit, bins, l.
    destruct I as [<-|[<-|[<-|[]]]]; simpl; rewrite Rmax_left by lra; destruct x; simpl; lra. }
  specialize (H bins [true; false] l 2%nat three_rows (ln 2) 0%nat [1; 2]%nat D n0).
  specialize (H ltac:(intros k [<-|[<-|[<-|[]]]]; simpl; lra) E0 (or_intror safe) ltac:(intros j J;
    exact J)
                ltac:(intros j [<-|[<-|[<-|[]]]]; simpl; lia) ltac:(simpl; lia)).
  destruct H as [[_ H]|[H _]]; [|discriminate].
  apply (proj1 (atoms_suffice _ _ _)) with (x := true) in H. destruct H as [H _].
  rewrite exp_ln in H by lra. unfold released, mass in H. simpl in H. lra.
Qed.

(* The noisy histogram costs ε₁, even if the value costs nothing. *)
Lemma changed_repaired_game : ~ forall (bins : list unit) first (outputs : list unit)
  (l : bool -> unit -> nat) N
    (pi : bool -> unit -> unit -> R) eps1 eps2 delta k others (mu mu' : bool -> R),
  NoDup bins -> In first bins -> (forall x, In x outputs) -> (forall z k x, 0 <= pi z k x) ->
  (forall z k, In k bins -> sum outputs (pi z k) = 1) -> 0 <= eps2 ->
  (forall z, repair.safe_randomiser (fun j k => left (match j, k with tt, tt => eq_refl end)) bins
    (l z) N (pi z) eps2) ->
  (forall j, In j (k :: others) -> In j bins) -> (N <= length (k :: others))%nat ->
  (forall z, 0 <= mu z) -> (forall z, 0 <= mu' z) ->
  (forall z, mu z <= exp eps1 * mu' z /\ mu' z <= exp eps1 * mu z) ->
  (forall F : list bool, NoDup F -> (forall z, In z F ->
      repair.good (fun j k => left (match j, k with tt, tt => eq_refl end)) bins l k others z
        = false) ->
    sum F mu <= delta /\ sum F mu' <= delta) ->
  forall E, NoDup E ->
  sum E (fun zx => mu (fst zx) * repair.value first pi (k :: others) (fst zx) (snd zx))
    <= exp eps2 * sum E (fun zx => mu' (fst zx) * repair.value first pi others (fst zx) (snd zx))
      + delta.
Proof.
  intros H. assert (D : NoDup [tt]) by (constructor; [intros []|constructor]).
  specialize (H [tt] tt [tt] (fun _ _ => 0%nat) 0%nat (fun _ _ _ => 1) (ln 2) 0 0 tt [tt]
    (coin true) (coin false)
    D (or_introl eq_refl)).
  specialize (H ltac:(intros []; simpl; auto) ltac:(intros; lra) ltac:(intros; simpl; lra)
                ltac:(lra)).
  specialize (H ltac:(intros z; left; intros j k x _ _; reflexivity)
                ltac:(intros []; simpl; auto) ltac:(lia)
                (coin_nonnegative true) (coin_nonnegative false)).
  assert (Y : forall z, coin true z <= exp (ln 2) * coin false z /\ coin false z
    <= exp (ln 2) * coin true z).
  { intros z. rewrite exp_ln by lra. split; apply coin_ratio. }
  specialize (H Y). assert (Z : forall F : list bool, NoDup F -> (forall z, In z F ->
      repair.good (fun j k => left (match j, k with tt, tt => eq_refl end)) [tt] (fun _ _ => 0%nat)
        tt [tt] z = false) ->
    sum F (coin true) <= 0 /\ sum F (coin false) <= 0).
  { intros [|z F] _ B; [simpl; lra|]. specialize (B z (or_introl eq_refl)). discriminate. }
  specialize (H Z [(true, tt)] ltac:(constructor; [intros []|constructor])).
  unfold repair.value, released, mass, coin in H. simpl in H. rewrite exp_0 in H. lra.
Qed.

(* ---- The equilibrium that exposes a record ---- *)

(* An equilibrium does not have the largest payoff: if every record has an infinite scale, all are
   private. *)
Lemma changed_no_scale_helps : ~ forall c,
  (forall i, (i < 26)%nat -> published_proof.t0 <= c i <= 1) ->
  published_proof.payoff c <= published_proof.payoff published_proof.start.
Proof.
  intros H. pose proof published_proof.t0_between as T.
  specialize (H (fun _ => 1) ltac:(intros; lra)).
  assert (M : forall k x, (x < 12)%nat -> published_proof.masses k 1 x = 1 / 12).
  { intros k x X. apply Nat.ltb_lt in X.
    assert (N : forall d, published_proof.N d 1 = 2)
      by (intros [|d]; unfold published_proof.N; rewrite ?pow1; lra).
    unfold published_proof.masses, published_proof.total.
    rewrite X, N, (sum_ext _ _ (fun _ => 2)) by (intros; apply N).
    rewrite sum_const. unfold published_proof.bins. rewrite seq_length.
    replace (INR 12) with 12 by (simpl; ring). field. }
  assert (S : forall x, (x < 12)%nat -> published_proof.S (fun _ => 1) x = 26 / 12).
  { intros x X. unfold published_proof.S.
    rewrite (sum_ext _ _ (fun _ => 1 / 12)) by (intros; apply M, X).
    rewrite sum_const. unfold published_proof.records. rewrite seq_length.
    replace (INR 26) with 26 by (simpl; ring). field. }
  assert (P : published_proof.P_E (fun _ => 1) = 26%nat).
  { unfold published_proof.P_E. rewrite published_proof.all_pass; [reflexivity|]. intros i _.
    unfold published_proof.private. apply forallb_forall. intros x X. apply in_seq in X.
    rewrite S, M by lia. pose proof published_proof.sigma_below.
    pose proof published_proof.tau_between.
    rewrite !published_proof.le_true by lra. reflexivity. }
  assert (L : 0 < ln 12) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (K : published_proof.KL (fun _ => 1) <= 24 / 26 * ln 12).
  { unfold published_proof.KL, published_proof.occupied. cbn [sum fold_right published_proof.count].
    rewrite !S by lia. replace (24 / 26 / (26 / 12 / 26)) with (12 * 24 / 26) by field.
    replace (1 / 26 / (26 / 12 / 26)) with (12 / 26) by field.
    assert (ln (12 * 24 / 26) <= ln 12) by (apply ln_le_iff; lra).
    assert (ln (12 / 26) < 0) by (rewrite <- ln_1; apply ln_increasing; lra). lra. }
  assert (K0 : 0 <= published_proof.KL published_proof.start).
  { unfold published_proof.KL. apply sum_nonneg. intros x X. rewrite published_proof.S_start.
    pose proof (published_proof.S0_pos x X) as S1.
    replace (published_proof.count x / 26 / (published_proof.S0 x / 26)) with (published_proof.w x)
      by (unfold published_proof.w; field; lra).
    pose proof published_proof.w_0. pose proof published_proof.w_10.
    pose proof published_proof.w_11.
    apply Rmult_le_pos; [destruct X as [<-|[<-|[<-|[]]]]; simpl; lra|].
    rewrite <- ln_1. apply ln_le_iff; destruct X as [<-|[<-|[<-|[]]]]; lra. }
  unfold published_proof.payoff in H. rewrite P, published_proof.at_start_25_are_private in H.
  replace (INR 26) with 26 in H by (simpl; ring). replace (INR 25) with 25 in H by (simpl; ring).
  apply (Rmult_le_compat_r (/ ln 12)) in K, K0; try (apply Rlt_le, Rinv_0_lt_compat, L).
  rewrite Rmult_assoc, Rinv_r in K by lra. unfold Rdiv in *. lra.
Qed.

(* ---- The mechanism in whole numbers ---- *)

Import ZArith.

(* The others are n - 1 records and not n: two records with the same row lose nothing. *)
Lemma changed_whole_number_form : ~ forall units eps (w : whole_numbers.weights) others,
  (0 < units)%Z ->
  others <> [] -> let n := Z.of_nat (length (w :: others)) in let S :=
    whole_numbers.column (w :: others) in
  pdp eps (whole_numbers.probability units w) (map (whole_numbers.probability units) others)
  <-> forall x, IZR (n * S x) <= IZR (n * (S x - whole_numbers.weight w x)) * exp eps
             /\ IZR (n * (S x - whole_numbers.weight w x)) <= IZR (n * S x) * exp eps.
Proof.
  intros H. specialize (H 1%Z 0 [1%Z] [[1%Z]] ltac:(lia) ltac:(discriminate)). cbn zeta in H.
  apply proj1 in H. specialize
    (H (everyone_draws_from_q (whole_numbers.probability 1 [1%Z]) 1 ltac:(lia))).
  destruct (H 0%nat) as [A _]. rewrite exp_0 in A.
  unfold whole_numbers.column, whole_numbers.weight in A.
  simpl in A. lra.
Qed.

(* One record of group i of a profile goes over to group j. *)
Definition one_record_moved (i j : nat) (profile : list whole_numbers.group) : list
  whole_numbers.group :=
  map (fun kg => let '(k, (c, w)) := kg in
                 ((c - (if Nat.eqb k i then 1 else 0) + (if Nat.eqb k j then 1 else 0))%Z, w))
      (combine (seq 0 (length profile)) profile).

(* If the one record of bin 45 with action 2 changes to the smallest scale, as the others of its
   bin, then not every record is private any more. *)
Lemma changed_heights : ~ forall before w after,
  whole_numbers.people (one_record_moved 4 5 heights.profile) = before ++ w :: after ->
  pdp heights.epsilon (whole_numbers.probability heights.units w)
      (map (whole_numbers.probability heights.units) (before ++ after)).
Proof.
  intros H. assert (C : whole_numbers.one_exposed 1 1 heights.units
    (one_record_moved 4 5 heights.profile) = true)
    by (vm_compute; reflexivity).
  destruct (whole_numbers.some_record_is_exposed _ _ _ _ C) as [before [w [after [E N]]]].
  apply N, (H before w after E).
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition all_of_them :=
  (changed_posterior_odds, changed_laplace_mechanism, changed_post_processing,
   changed_basic_composition, changed_sampling_supremum, changed_atoms_suffice,
   changed_everyone_draws_from_q, changed_v_max, changed_bin_masses, changed_utility,
   changed_laplace_utility, changed_fixed_randomisers, changed_randomised_response,
   changed_number_of_bins, changed_without_the_record, changed_cost_of_many_draws,
   changed_success_is_the_record, changed_safe_randomisers_protect, changed_repaired_game,
   changed_no_scale_helps, changed_whole_number_form, changed_heights).
Print Assumptions all_of_them.
