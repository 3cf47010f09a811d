(* Statements of the book that are false after one change, for the marks that came later than those
   of refuted.v.

   Each change is one that a reader could have made: a hypothesis that looks superfluous, n - 1 for
   n, the wrong neighbour, one direction for two. *)
Require Import Reals Lra Lia Psatz List Permutation ZArith.
From Coquelicot Require Import Coquelicot.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
Require Pdp.why_noise Pdp.noise_free Pdp.genetic_algorithm Pdp.batches Pdp.local_randomisers
  Pdp.truncated_laplace.
Require Pdp.theorem_one Pdp.nvo_game Pdp.end_to_end Pdp.attacks Pdp.many_draws Pdp.noisy_histogram.
Require Pdp.differential_privacy Pdp.privacy_with_delta Pdp.uniform_release Pdp.game.
Require Pdp.best_response Pdp.exposing_equilibrium.
Import ListNotations.
Open Scope R_scope.

Lemma exp_below c d : c < d -> exp c < exp d.
Proof. apply exp_increasing. Qed.

(* Two answers in three are true. *)
Definition coin (truth report : bool) : R := if Bool.eqb truth report then 2 / 3 else 1 / 3.

(* ---- Foundations ---- *)

(* The share of the reported yeses is not unbiased: one person, whose answer is yes. *)
Lemma changed_estimate : ~ forall eps truths, 0 < eps -> truths <> [] ->
  why_noise.mean eps truths (fun reports => why_noise.yes reports / INR (length truths))
  = why_noise.yes truths / INR (length truths).
Proof.
  intros H. specialize (H 1 [true] ltac:(lra) ltac:(discriminate)).
  destruct (why_noise.p_half 1 ltac:(lra)) as [P _].
  unfold why_noise.yes, why_noise.chance in H. simpl in H. unfold why_noise.chance in H. simpl in H.
  lra.
Qed.

(* Laplace noise leaves the attacker less than randomised response does: its advantage is not
   tanh(ε/2). *)
Lemma changed_advantage : ~ forall b c, 0 < b ->
  is_lim (fun T => RInt (why_noise.gain b c) (c + 1 / 2) T) p_infty (tanh (1 / (2 * b))).
Proof.
  intros H. specialize (H 1 0 ltac:(lra)). apply is_lim_unique in H.
  pose proof (is_lim_unique _ _ _ (why_noise.advantage_of_the_threshold 1 ltac:(lra) 0)) as T.
  rewrite T in H. injection H as H. unfold tanh, sinh, cosh in H.
  pose proof (exp_below (- (1 / (2 * 1))) 0 ltac:(lra)) as L. rewrite exp_0 in L.
  pose proof (exp_pos (- (1 / (2 * 1)))) as P.
  assert (I : exp (1 / (2 * 1)) * exp (- (1 / (2 * 1))) = 1)
    by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof (exp_pos (1 / (2 * 1))) as Q. set (u := exp (- (1 / (2 * 1)))) in *.
  set (w := exp (1 / (2 * 1))) in *.
  assert (F : (w - u) / 2 / ((w + u) / 2) * (w + u) = w - u) by (field; lra).
  rewrite <- H in F. nra.
Qed.

(* With the sign that is printed in the paper the interval shrinks: the noise is at most t with
   probability 1 - p. *)
Lemma changed_padding : ~ forall b p, 0 < b -> 1 / 2 < p < 1 ->
  is_lim (fun T => RInt (why_noise.density b) (- T) (b * ln (2 - 2 * p))) p_infty p.
Proof.
  intros H. specialize (H 1 (3 / 4) ltac:(lra) ltac:(lra)). apply is_lim_unique in H.
  rewrite (is_lim_unique _ _ _ (why_noise.noise_at_most 1 ltac:(lra) (1 * ln (2 - 2 * (3 / 4)))))
    in H.
  injection H as H. unfold why_noise.cdf in H.
  assert (L : ln (2 - 2 * (3 / 4)) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  destruct (Rle_dec _ 0); [|lra].
  replace (1 * ln (2 - 2 * (3 / 4)) / 1) with (ln (2 - 2 * (3 / 4))) in H by field.
  rewrite exp_ln in H by lra. lra.
Qed.

(* ---- Per-instance privacy ---- *)

(* The condition on ε is needed: two of three records share a bin, and ε = ln 4/3. Their bin has 1/τ
   = 2 records, but on the third record's bin the loss is ln 3/2. *)
Lemma changed_noise_free : ~ forall k others eps, others <> [] -> 0 < eps ->
  (pdp eps (noise_free.no_noise k) (map noise_free.no_noise others)
   <-> 1 / tau (INR (length (k :: others))) eps <= INR (count_occ Nat.eq_dec (k :: others) k)).
Proof.
  intros H. assert (L : 0 < ln (4 / 3)) by (rewrite <- ln_1; apply ln_increasing; lra).
  specialize (H 0%nat [0; 1]%nat (ln (4 / 3)) ltac:(discriminate) L). apply proj2 in H.
  assert (E : exp (- ln (4 / 3)) = 3 / 4) by (rewrite exp_Ropp, exp_ln by lra; field).
  assert (Y : pdp (ln (4 / 3)) (noise_free.no_noise 0) (map noise_free.no_noise [0; 1]%nat)).
  { apply H. unfold tau. rewrite E. simpl. lra. }
  apply (proj1 (atoms_suffice _ _ _)) with (x := 1%nat) in Y. destruct Y as [_ Y].
  rewrite exp_ln in Y by lra.
  unfold released, mass, noise_free.no_noise in Y. simpl in Y. lra.
Qed.

(* ---- The game ---- *)

(* In the game of the seven heights, the number of private records, and which profile is better. *)
Notation profiles := (game.profile exposing_equilibrium.heights).
Definition private_count (c : profiles) : nat :=
  game.P_E 5 exposing_equilibrium.kernel exposing_equilibrium.heights 1 c.
Definition better : profiles -> profiles -> Prop :=
  best_response.greater_pair private_count
    (game.divergence exposing_equilibrium.kernel exposing_equilibrium.heights).

Lemma count_of c k :
  exposing_equilibrium.passing 5 exposing_equilibrium.row_with exposing_equilibrium.heights 1000
    2718 c = k ->
  exposing_equilibrium.passing 5 exposing_equilibrium.row_with exposing_equilibrium.heights 1000
    2719 c = k ->
  private_count c = k.
Proof.
  intros A B. unfold private_count. pose proof (exposing_equilibrium.private_heights c). lia.
Qed.

Lemma nearer c d :
  (exposing_equilibrium.own_masses 5 exposing_equilibrium.row_with exposing_equilibrium.heights c
   < exposing_equilibrium.own_masses 5 exposing_equilibrium.row_with exposing_equilibrium.heights
     d)%Z ->
  game.divergence exposing_equilibrium.kernel exposing_equilibrium.heights d
  < game.divergence exposing_equilibrium.kernel exposing_equilibrium.heights c.
Proof. apply exposing_equilibrium.divergence_orders with (K := 5%nat); exposing_equilibrium.fits.
Qed.

(* A batch of the two records of bin 2, which change from v to the small scale; the others keep
   theirs. *)
Definition after_moves (v tall : exposing_equilibrium.scale) (t : nat) : profiles :=
  let s := exposing_equilibrium.small in
  let a := match t with O => v | _ => s end in let b := match t with O | 1%nat => v | _ => s end in
  (s, (s, (s, (s, (a, (b, (tall, tt))))))).
Definition is_batch (m k : nat) (v w : exposing_equilibrium.scale) rest
  (C : nat -> profiles) : Prop :=
  forall t, (t <= S m)%nat -> Permutation (game.records exposing_equilibrium.heights (C t))
    (repeat (k, w) t ++ repeat (k, v) (S m - t) ++ rest).
Definition the_rest : list (nat * exposing_equilibrium.scale) :=
  let s := exposing_equilibrium.small in
  [(1, s); (1, s); (1, s); (1, s); (4, exposing_equilibrium.large)]%nat.

Lemma after_moves_is_a_batch v :
  is_batch 1 2 v exposing_equilibrium.small the_rest (after_moves v exposing_equilibrium.large).
Proof.
  intros t L. set (x := exposing_equilibrium.large). set (s := exposing_equilibrium.small).
  assert (P : forall a b : nat * exposing_equilibrium.scale,
    Permutation [(1, s); (1, s); (1, s); (1, s); a; b; (4, x)]%nat
      ([a; b] ++ [(1, s); (1, s); (1, s); (1, s); (4, x)])%nat).
  { intros a b. change [(1, s); (1, s); (1, s); (1, s); a; b; (4, x)]%nat
      with ([(1, s); (1, s); (1, s); (1, s)] ++ [a; b] ++ [(4, x)])%nat.
    change [(1, s); (1, s); (1, s); (1, s); (4, x)]%nat
      with ([(1, s); (1, s); (1, s); (1, s)] ++ [(4, x)])%nat.
    rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm. }
  destruct t as [|[|[|t]]]; [apply P|apply P|apply P|lia].
Qed.

(* To ask the first record of a batch is not enough, even if no record is exposed before the last
   move: from the large scale the second one exposes the tall record. *)
Lemma changed_batch : ~ forall m k v w rest C, is_batch m k v w rest C ->
  (private_count (C 0%nat) <= private_count (C m))%nat -> better (C 0%nat) (C 1%nat) ->
  better (C 0%nat) (C (S m)).
Proof.
  intros H. set (C := after_moves exposing_equilibrium.large exposing_equilibrium.large).
  assert (C0 : private_count (C 0%nat) = 7%nat) by (apply count_of; vm_compute; reflexivity).
  assert (C1 : private_count (C 1%nat) = 7%nat) by (apply count_of; vm_compute; reflexivity).
  assert (C2 : private_count (C 2%nat) = 6%nat) by (apply count_of; vm_compute; reflexivity).
  specialize (H 1%nat 2%nat _ _ _ C (after_moves_is_a_batch _)). rewrite C0, C1 in H.
  specialize (H (le_n _)). assert (B : better (C 0%nat) (C 1%nat)).
  { right. rewrite C0, C1. split; [reflexivity|]. apply nearer. vm_compute. reflexivity. }
  destruct (H B) as [L|[L _]]; rewrite C0, C2 in L; lia.
Qed.

(* And to ask the last one is not enough if the batch has exposed a record before: from the medium
   scale the first one exposes the tall record. *)
Lemma changed_number_before : ~ forall m k v w rest C, is_batch m k v w rest C ->
  better (C m) (C (S m)) -> better (C 0%nat) (C (S m)).
Proof.
  intros H. set (C := after_moves exposing_equilibrium.medium exposing_equilibrium.large).
  assert (C0 : private_count (C 0%nat) = 7%nat) by (apply count_of; vm_compute; reflexivity).
  assert (C1 : private_count (C 1%nat) = 6%nat) by (apply count_of; vm_compute; reflexivity).
  assert (C2 : private_count (C 2%nat) = 6%nat) by (apply count_of; vm_compute; reflexivity).
  specialize (H 1%nat 2%nat _ _ _ C (after_moves_is_a_batch _)).
  assert (B : better (C 1%nat) (C 2%nat)).
  { right. rewrite C1, C2. split; [reflexivity|]. apply nearer. vm_compute. reflexivity. }
  destruct (H B) as [L|[L _]]; rewrite C0, C2 in L; lia.
Qed.

(* A largest payoff is an equilibrium, but not every equilibrium has the largest payoff. *)
Lemma changed_a_maximum_is_nash : ~ forall c,
  game.equilibrium 5 exposing_equilibrium.kernel exposing_equilibrium.heights 1 c -> forall d,
  game.payoff 5 exposing_equilibrium.kernel exposing_equilibrium.heights 1 d
  <= game.payoff 5 exposing_equilibrium.kernel exposing_equilibrium.heights 1 c.
Proof.
  intros H. destruct exposing_equilibrium.exposing_equilibrium as [E _].
  specialize (H _ E exposing_equilibrium.two_large). revert H. apply Rlt_not_le.
  apply exposing_equilibrium.payoff_above
    with (low := 2718%Z) (high := 2719%Z) (below := 1000%Z); exposing_equilibrium.fits.
Qed.

(* One gene in n is not the best rate if two genes have to change. *)
Lemma changed_last_step : ~ forall actions n d mu, (2 <= actions)%nat -> (1 <= d)%nat ->
  (d < n)%nat -> 0 < mu < 1 ->
  genetic_algorithm.pi actions n d mu <= genetic_algorithm.pi actions n d (1 / INR n).
Proof.
  intros H. specialize (H 2%nat 3%nat 2%nat (2 / 3) ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lra)).
  unfold genetic_algorithm.pi in H. simpl in H. lra.
Qed.

(* At an equilibrium an exposed record may have no scale that would make it private: the tall record
   has none, as long as all others play the small scale. *)
Lemma changed_exposing_equilibrium : ~ forall c,
  game.equilibrium 5 exposing_equilibrium.kernel exposing_equilibrium.heights 1 c ->
  forall before r after, game.records exposing_equilibrium.heights c = before ++ r :: after ->
  exists a, game.is_private 5 exposing_equilibrium.kernel 1 (fst r, a) (before ++ after).
Proof.
  intros claim. destruct exposing_equilibrium.exposing_equilibrium as [E _].
  set (others := map (fun k => (k, exposing_equilibrium.small)) [1; 1; 1; 1; 2; 2]%nat).
  destruct (claim _ E others (4%nat, exposing_equilibrium.small) [] eq_refl) as [a private].
  set (s := exposing_equilibrium.small).
  revert private. apply (exposing_equilibrium.exposed_at 5 exposing_equilibrium.units
    exposing_equilibrium.row_with exposing_equilibrium.heights 1 2718 2719 1000)
    with (c := (s, (s, (s, (s, (s, (s, (a, tt)))))))) (x := 4%nat); try exposing_equilibrium.fits.
  destruct a; vm_compute; reflexivity.
Qed.

(* The private profile with the smallest divergence is not the only one: the other record of bin
   2 will do. *)
Lemma changed_price_of_privacy : ~ forall c,
  game.divergence exposing_equilibrium.kernel exposing_equilibrium.heights c
    <= game.divergence exposing_equilibrium.kernel exposing_equilibrium.heights
      exposing_equilibrium.two_large ->
  game.all_are_private 5 exposing_equilibrium.kernel exposing_equilibrium.heights 1 c ->
  c = exposing_equilibrium.two_large.
Proof.
  intros H. set (s := exposing_equilibrium.small). set (l := exposing_equilibrium.large).
  specialize (H ((s, (s, (s, (s, (l, (s, (l, tt))))))) : game.profile
    exposing_equilibrium.heights)).
  assert (E : @eq (game.profile exposing_equilibrium.heights) (s, (s, (s, (s, (l, (s, (l, tt)))))))
                exposing_equilibrium.two_large); [|discriminate].
  apply H.
  - apply exposing_equilibrium.order_of_the_heights. vm_compute. discriminate.
  - apply exposing_equilibrium.all_pass_private. vm_compute. reflexivity.
Qed.

(* ---- Audit ---- *)

(* R has n and not n - 1, as printed in the paper: two records with the rows of the coin, and ε = ln
   3/2. *)
Lemma changed_ratio_form : ~ forall eps (p : @row bool) others, others <> [] ->
  let n := INR (length (p :: others)) in
  pdp eps p others <-> forall x, local_randomisers.R'_of n eps * released others x <= p x
                              <= local_randomisers.R_of (n - 1) eps * released others x.
Proof.
  intros H. specialize (H (ln (3 / 2)) (coin true) [coin false] ltac:(discriminate)). cbn zeta in H.
  assert (Y : pdp (ln (3 / 2)) (coin true) [coin false]).
  { apply atoms_suffice. intros x. rewrite exp_ln by lra. unfold released, mass, coin.
    destruct x; simpl; lra. }
  apply (proj1 H) with (x := true) in Y. unfold local_randomisers.R_of in Y.
  rewrite exp_ln in Y by lra.
  unfold released, mass, coin in Y. simpl in Y. lra.
Qed.

(* The record's own scale matters, too, and not only those of the others: on two bins a record of
   bin 0 with little noise beside one of bin 1. *)
Lemma changed_scale_bound : ~ forall eps K (r : theorem_one.record) others, 0 < eps ->
  others <> [] -> 0 < snd r ->
  (forall i, In i (r :: others) -> (fst i < K)%nat) ->
  (forall i, In i others -> / ln (local_randomisers.R_of (INR (length (r :: others))) eps)
    <= snd i) ->
  pdp eps (theorem_one.masses K r) (map (theorem_one.masses K) others).
Proof.
  intros H. assert (L : 0 < ln (11 / 10)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (L16 : 0 < ln 16) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (some_b : exists b, 0 < b /\ 1 / 4 / b = ln 16)
    by (exists (1 / (4 * ln 16)); split; [apply Rdiv_lt_0_compat; lra|field; lra]).
  destruct some_b as [b [B D]].
  assert (L12 : 0 < ln (12 / 10)) by (rewrite <- ln_1; apply ln_increasing; lra).
  set (c := / ln (12 / 10)). assert (C : 0 < c) by (apply Rinv_0_lt_compat, L12).
  specialize (H (ln (11 / 10)) 2%nat (0%nat, b) [(1%nat, c)] L ltac:(discriminate) B).
  assert (grid : forall i, In i [(0%nat, b); (1%nat, c)] -> (fst i < 2)%nat)
    by (intros i [<-|[<-|[]]]; simpl; lia).
  specialize (H grid). assert (scales : forall i, In i [(1%nat, c)] ->
    / ln (local_randomisers.R_of (INR (length [(0%nat, b); (1%nat, c)])) (ln (11 / 10))) <= snd i).
  { intros i [<-|[]]. unfold local_randomisers.R_of. rewrite exp_ln by lra. simpl. unfold c.
    replace (1 + (1 + 1) * (11 / 10 - 1)) with (12 / 10) by field. lra. }
  specialize (H scales).
  assert (bin_0 : (0 < 2)%nat) by lia.
  pose proof (proj1 (local_randomisers.ratio_form (ln (11 / 10)) (theorem_one.masses 2 (0%nat, b))
    (map (theorem_one.masses 2) [(1%nat, c)]) ltac:(discriminate)) H (exist _ 0%nat bin_0))
      as [_ U].
  unfold local_randomisers.R_of in U. rewrite exp_ln in U by lra.
  unfold released, mass, theorem_one.masses in U. simpl in U.
  (* the other has less than 1/2 on bin 0, because it has more on its own bin, *)
  assert (M : truncated_laplace.kernel 2 1 c 0 < 1 / 2).
  { pose proof (nvo_game.own_bin_has_more 2 1 c C ltac:(lia) ltac:(lia)) as O.
    pose proof (nvo_game.masses_sum_to_one 2 1 c C ltac:(lia) ltac:(lia)) as S. simpl in S, O.
    lra. }
  (* and the record has nearly everything there *)
  assert (own : 9 / 10 < truncated_laplace.kernel 2 0 b 0).
  { unfold truncated_laplace.kernel, truncated_laplace.midpoint. simpl INR.
    rewrite (truncated_laplace.integral_across ((0 + 1 / 2) / (1 + 1)) b B) by lra.
    unfold truncated_laplace.Z.
    replace (((0 + 1 / 2) / (1 + 1) - 0 / (1 + 1)) / b) with (ln 16) by (rewrite <- D; field; lra).
    replace (((0 + 1) / (1 + 1) - (0 + 1 / 2) / (1 + 1)) / b) with (ln 16)
      by (rewrite <- D; field; lra).
    replace ((0 + 1 / 2) / (1 + 1) / b) with (ln 16) by (rewrite <- D; field; lra).
    assert (E : exp (- ln 16) = 1 / 16) by (rewrite exp_Ropp, exp_ln by lra; field).
    assert (F : 0 < exp (- ((1 - (0 + 1 / 2) / (1 + 1)) / b)) <= 1).
    { split; [apply exp_pos|].
      apply Rle_trans with (exp 0); [left; apply exp_increasing|rewrite exp_0; lra].
      assert (Q : 0 < (1 - (0 + 1 / 2) / (1 + 1)) / b)
        by (unfold Rdiv at 1; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat, B]).
      lra. }
    rewrite E. set (f := exp (- ((1 - (0 + 1 / 2) / (1 + 1)) / b))) in *.
    assert (G : 0 < 2 * (1 / 2 - 1 / 2 * (1 / 16) + (1 / 2 - 1 / 2 * f))) by lra.
    set (Y := 2 * (1 / 2 - 1 / 2 * (1 / 16) + (1 / 2 - 1 / 2 * f))) in *.
    assert (Q : (2 - 1 / 16 - 1 / 16) / Y * Y = 2 - 1 / 16 - 1 / 16) by (field; lra).
    apply Rmult_lt_reg_r with (1 := G). rewrite Q. unfold Y. lra. }
  lra.
Qed.

(* The two parts have signs, and their absolute values do not add: they can cancel. *)
Lemma changed_two_parts : ~ forall P P_without P_rerun, 0 < P -> 0 < P_without -> 0 < P_rerun ->
  Rabs (ln (P / P_rerun)) = Rabs (ln (P / P_without)) + Rabs (ln (P_without / P_rerun)).
Proof.
  intros H. specialize (H 2 1 2 ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  replace (2 / 2) with 1 in H by field. replace (2 / 1) with 2 in H by field.
  rewrite ln_1, Rabs_R0, (Rabs_pos_eq (ln 2)) in H by lra. pose proof (Rabs_pos (ln (1 / 2))). lra.
Qed.

(* The rows that the pipeline uses without the record have to be counted, too. *)
Lemma changed_public_grid : ~ forall (low high : unit -> R)
    (with_record without_record : list (@row unit)) x,
  (forall x, 0 < low x) -> with_record <> [] -> without_record <> [] ->
  (forall p, In p with_record -> forall x, low x <= p x <= high x) ->
  Rabs (ln (released with_record x / released without_record x)) <= ln (high x / low x).
Proof.
  intros H. specialize (H (fun _ => 1) (fun _ => 1) [fun _ => 1] [fun _ => 1 / 2] tt ltac:(intros;
    lra)
    ltac:(discriminate) ltac:(discriminate)). cbn beta in H.
  specialize (H ltac:(intros p [<-|[]] x; lra)). unfold released, mass in H. simpl in H.
  replace ((1 + 0) / 1 / ((1 / 2 + 0) / 1)) with 2 in H by field.
  replace (1 / 1) with 1 in H by field.
  rewrite ln_1 in H. assert (0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  rewrite Rabs_pos_eq in H by lra. lra.
Qed.

(* The release must be close without the record, too. On two bins let it be the histogram with the
   record, and the same distribution without it. *)
Lemma changed_floor_of_the_loss : ~ forall (k : nat) (others : list nat)
  (q q' P P' : nat -> R) (n kappa least : R),
  1 < n -> q k = 1 / n ->
  (forall x, In x others -> 0 < q x /\ 0 < q' x /\ 0 < P x /\ 0 < P' x) ->
  0 < P k -> 0 < P' k -> P k + sum others P <= 1 -> P' k + sum others P' <= 1 ->
  q k + sum others q = 1 -> sum others q' = 1 ->
  q k * ln (q k / P k) + sum others (fun x => q x * ln (q x / P x)) <= kappa ->
  0 < least -> (forall p, 0 < p < 1 -> end_to_end.kl (1 / n) p <= kappa -> least <= p) ->
  ln (least / (1 - exp (- kappa))) <= ln (P k / P' k).
Proof.
  intros H. set (kappa := ln (4 / 3) / 2).
  assert (L : 0 < ln (4 / 3)) by (rewrite <- ln_1; apply ln_increasing; lra).
  specialize (H 0%nat [1%nat] (fun _ => 1 / 2) (fun _ => 1) (fun _ => 1 / 2) (fun _ => 1 / 2) 2
    kappa (1 / 4)).
  assert (Y : ln (1 / 4 / (1 - exp (- kappa))) <= ln (1 / 2 / (1 / 2))).
  { apply H; simpl; try lra; [intros x _; lra| |].
    - replace (1 / 2 / (1 / 2)) with 1 by field. rewrite ln_1. unfold kappa. lra.
    - intros p [p0 p1] C. apply Rnot_lt_le. intros small. unfold end_to_end.kl, kappa in C.
      assert (A : 0 < 1 / 2 / p) by (apply Rdiv_lt_0_compat; lra).
      assert (B : 0 < (1 - 1 / 2) / (1 - p)) by (apply Rdiv_lt_0_compat; lra).
      assert (E : ln (1 / 2 / p) + ln ((1 - 1 / 2) / (1 - p)) <= ln (4 / 3)) by lra.
      rewrite <- ln_mult in E by assumption.
      apply (proj1 (ln_le_iff _ (4 / 3) (Rmult_lt_0_compat _ _ A B) ltac:(lra))) in E.
      assert (F : 1 / 2 / p * ((1 - 1 / 2) / (1 - p)) * (p * (1 - p)) = 1 / 4) by (field; lra).
      assert (0 < p * (1 - p)) by nra. assert (p * (1 - p) < 3 / 16) by nra. nra. }
  replace (1 / 2 / (1 / 2)) with 1 in Y by field. rewrite ln_1 in Y.
  assert (U : exp (- kappa) * exp (- kappa) = 3 / 4).
  { rewrite <- exp_plus. replace (- kappa + - kappa) with (- ln (4 / 3)) by (unfold kappa; field).
    rewrite exp_Ropp, exp_ln by lra. field. }
  pose proof (exp_pos (- kappa)) as U0. set (u := exp (- kappa)) in *.
  assert (u < 1) by nra. assert (3 / 4 < u) by nra.
  assert (Q : 1 / 4 / (1 - u) * (1 - u) = 1 / 4) by (field; lra).
  assert (1 < 1 / 4 / (1 - u)) by nra.
  assert (ln 1 < ln (1 / 4 / (1 - u))) by (apply ln_increasing; lra).
  rewrite ln_1 in *. lra.
Qed.

(* The probabilities of the seeds may not depend on the data. *)
Lemma changed_secret_seed : ~ forall (seeds : list bool) (w w' : bool -> R)
  (P P' : bool -> bool -> R) eps,
  (forall s, In s seeds -> 0 <= w s) -> (forall s, In s seeds -> 0 <= w' s) ->
  (forall s, In s seeds -> within eps (P s) (P' s)) ->
  within eps (fun x => sum seeds (fun s => w s * P s x))
    (fun x => sum seeds (fun s => w' s * P' s x)).
Proof.
  intros H. set (P := fun s x : bool => if Bool.eqb s x then 1 else 0).
  specialize (H [true; false] (fun s => if s then 1 else 0) (fun s => if s then 0 else 1) P P 0).
  assert (Y : within 0 (fun x => sum [true; false] (fun s => (if s then 1 else 0) * P s x))
                       (fun x => sum [true; false] (fun s => (if s then 0 else 1) * P s x))).
  { apply H; try (intros []; intros; lra). intros s _. apply atoms_suffice. intros x. rewrite exp_0.
    lra. }
  apply (proj1 (atoms_suffice _ _ _)) with (x := true) in Y. rewrite exp_0 in Y. unfold P in Y.
  simpl in Y. lra.
Qed.

Definition coin_outputs : list bool := [true; false].

(* Not every threshold has the advantage TV: with e^t = 3 the test never says "in". *)
Lemma changed_neyman_pearson : ~ forall (outputs : list bool) P P' t best,
  attacks.is_test outputs best -> attacks.likelihood_ratio_test outputs P P' t best ->
  attacks.advantage outputs P P' best = attacks.TV outputs P P'.
Proof.
  intros H. specialize (H coin_outputs (coin true) (coin false) (ln 3) (fun _ => 0)).
  unfold attacks.advantage, attacks.true_positives, attacks.false_positives, attacks.TV,
    coin_outputs,
    coin in H. simpl in H. rewrite Rmax_right, Rmax_left in H by lra.
  assert (Y : 0 * (2 / 3) + (0 * (1 / 3) + 0) - (0 * (1 / 3) + (0 * (2 / 3) + 0))
              = 2 / 3 - 1 / 3 + (0 + 0)); [|lra]. apply H.
  - intros [] _; lra.
  - intros [] _; simpl; rewrite exp_ln by lra; split; intros; lra.
Qed.

(* Two draws count twice: e^ε α is not a bound for them. *)
Lemma changed_error_rates : ~ forall (outputs : list bool) P P' m eps test,
  (forall x, In x outputs -> 0 < P x) -> (forall x, In x outputs -> 0 < P' x) ->
  (forall x, In x outputs -> Rabs (ln (P x / P' x)) <= eps) ->
  attacks.is_test (many_draws.words outputs m) test ->
  attacks.true_positives (many_draws.words outputs m) (many_draws.draws P) test
    <= exp eps * attacks.false_positives (many_draws.words outputs m) (many_draws.draws P') test.
Proof.
  intros H. set (test := fun xs : list bool => match xs with [true; true] => 1 | _ => 0 end).
  specialize (H coin_outputs (coin true) (coin false) 2%nat (ln 2) test).
  assert (p0 : forall t x, 0 < coin t x) by (intros [] []; unfold coin; simpl; lra).
  assert (Y : attacks.true_positives (many_draws.words coin_outputs 2)
    (many_draws.draws (coin true)) test
    <= exp (ln 2) * attacks.false_positives (many_draws.words coin_outputs 2)
      (many_draws.draws (coin false)) test).
  { apply H; try (intros x _; apply p0).
    - intros x _. apply within_is_a_bound_on_the_logarithm; try apply p0. rewrite exp_ln by lra.
      destruct x; unfold coin; simpl; lra.
    - intros xs _. unfold test. destruct xs as [|[] [|[] [|? ?]]]; lra. }
  rewrite exp_ln in Y by lra.
  unfold attacks.true_positives, attacks.false_positives, test, coin in Y. simpl in Y. lra.
Qed.

(* The upper bound has the power 2m and not m. *)
Lemma changed_two_powers : ~ forall (outputs : list bool) P P' m,
  (forall x, In x outputs -> 0 < P x) -> (forall x, In x outputs -> 0 < P' x) ->
  sum outputs P = 1 -> sum outputs P' = 1 ->
  attacks.TV (many_draws.words outputs m) (many_draws.draws P) (many_draws.draws P')
    <= sqrt (1 - attacks.affinity outputs P P' ^ m).
Proof.
  intros H. assert (p0 : forall t x, 0 < coin t x) by (intros [] []; unfold coin; simpl; lra).
  specialize (H coin_outputs (coin true) (coin false) 1%nat (fun x _ => p0 true x)
    (fun x _ => p0 false x)).
  specialize (H ltac:(unfold coin; simpl; lra) ltac:(unfold coin; simpl; lra)).
  unfold attacks.TV, attacks.affinity, coin in H. simpl in H.
  rewrite Rmax_right, Rmax_left in H by lra. rewrite !Rmult_1_r in H.
  replace (1 / 3 * (2 / 3)) with (2 / 3 * (1 / 3)) in H by ring.
  set (s := sqrt (2 / 3 * (1 / 3))) in *.
  assert (S : s * s = 2 / 9) by (unfold s; rewrite sqrt_sqrt by lra; field).
  assert (0 <= s) by apply sqrt_pos.
  assert (s <= 1 / 2) by (apply Rsqr_incr_0_var; [unfold Rsqr|]; lra).
  assert (E : 0 <= 1 - (s + (s + 0))) by lra.
  pose proof (sqrt_sqrt _ E) as Q. set (r := sqrt (1 - (s + (s + 0)))) in *.
  assert (1 / 3 * (1 / 3) <= r * r) by (apply Rmult_le_compat; lra).
  assert (s * s <= 4 / 9 * (4 / 9)) by (apply Rmult_le_compat; lra). lra.
Qed.

(* If P < P_{-i}, the loss counts with a minus. *)
Lemma changed_loss_reveals : ~ forall n P P' p, 1 < n -> 0 < P -> 0 < P' -> 0 < p ->
  n * P = (n - 1) * P' + p -> P' = p / (1 + n * (exp (Rabs (ln (P / P'))) - 1)).
Proof.
  intros H. specialize (H 2 (1 / 2) (2 / 3) (1 / 3) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)
    ltac:(lra)).
  assert (L : ln (1 / 2 / (2 / 3)) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  rewrite Rabs_left, <- ln_Rinv, exp_ln in H by (try apply Rinv_0_lt_compat; lra).
  replace (1 / 3 / (1 + 2 * (/ (1 / 2 / (2 / 3)) - 1))) with (1 / 5) in H by field. lra.
Qed.

(* A record that is replaced changes two counts, and costs more than ε. *)
Definition one_replaced (data data' : list nat) : Prop :=
  exists before r r' after, data = before ++ r :: after /\ data' = before ++ r' :: after.

Lemma changed_noisy_histogram : ~ forall K eps, 0 < eps ->
  differential_privacy.dp one_replaced eps
    (fun data (y : noisy_histogram.vectors K) => noisy_histogram.noisy (exp (- eps))
      (noisy_histogram.counts K data) (proj1_sig y)).
Proof.
  intros H. assert (L : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  specialize (H 2%nat (ln 2) L [0%nat] [1%nat]).
  destruct H as [H _]; [exists [], 0%nat, 1%nat, []; split; reflexivity|].
  set (y := exist (fun y => length y = 2%nat) [1; 0]%Z eq_refl : noisy_histogram.vectors 2).
  pose proof (proj1 (differential_privacy.bounded_pointwise _ _ _) H y) as U. unfold y in U.
  clear H. rename U into H.
  rewrite exp_Ropp, exp_ln in H by lra. unfold noisy_histogram.geometric in H. simpl in H.
  unfold noisy_histogram.geometric in H.
  simpl in H. lra.
Qed.

(* The estimate must be a distribution: twice the posterior mean has a smaller "divergence". *)
Lemma changed_best_estimate : ~ forall (possible : list unit) w (bins : list nat) q P,
  (forall i, In i possible -> 0 <= w i) -> sum possible w = 1 ->
  (forall i x, In i possible -> In x bins -> 0 <= q i x) ->
    (forall i, In i possible -> sum bins (q i) = 1) ->
  (forall x, In x bins -> 0 < noisy_histogram.posterior_mean possible w q x) ->
    (forall x, In x bins -> 0 < P x) ->
  noisy_histogram.expected_divergence possible w bins q
    (noisy_histogram.posterior_mean possible w q)
    <= noisy_histogram.expected_divergence possible w bins q P.
Proof.
  intros H. specialize (H [tt] (fun _ => 1) [0%nat] (fun _ _ => 1) (fun _ => 2)).
  unfold noisy_histogram.expected_divergence, noisy_histogram.posterior_mean, nvo_game.KL in H.
  simpl in H.
  assert (Y : 1 * (1 * ln (1 / (1 * 1 + 0)) + 0) + 0 <= 1 * (1 * ln (1 / 2) + 0) + 0).
  { apply H; intros; lra. }
  replace (1 / (1 * 1 + 0)) with 1 in Y by field. rewrite ln_1 in Y.
  assert (ln (1 / 2) < 0) by (rewrite <- ln_1; apply ln_increasing; lra). lra.
Qed.

(* Removals alone do not bound the loss between a data set and one with a record more. *)
Lemma changed_removals : ~ forall (less : bool -> bool -> Prop)
  (algorithm : bool -> unit -> R) d eps,
  end_to_end.removals_at_most less algorithm d eps -> end_to_end.loss_at_most less algorithm d eps.
Proof.
  intros H. specialize (H (fun d d' => d = true /\ d' = false) (fun d _ => if d then 1 else 0) false
    0).
  assert (Y : end_to_end.loss_at_most (fun d d' => d = true /\ d' = false)
    (fun d (_ : unit) => if d then 1 else 0) false 0).
  { apply H. intros d' [E _]. discriminate. }
  specialize (Y true (or_intror (conj eq_refl eq_refl))).
  apply (proj1 (atoms_suffice _ _ _)) with (x := tt) in Y.
  rewrite exp_0 in Y. lra.
Qed.

(* ---- Further statements ---- *)

(* Noise for ε = 1 per unit does not suffice if the answer can change by two. *)
Lemma changed_geometric : ~ forall (neighbours : bool -> bool -> Prop) w f sensitivity eps,
  (forall d, length (f d) = w) -> 0 < sensitivity -> 0 < eps ->
  (forall d d', neighbours d d' ->
     differential_privacy.distance (noisy_histogram.real (f d)) (noisy_histogram.real (f d'))
       <= sensitivity) ->
  differential_privacy.dp neighbours eps
    (fun d (y : noisy_histogram.vectors w) => noisy_histogram.noisy (exp (- eps)) (f d)
      (proj1_sig y)).
Proof.
  intros H. assert (L : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  specialize (H (fun _ _ => True) 1%nat (fun d => if d then [2]%Z else [0]%Z) 2 (ln 2)).
  specialize (H ltac:(intros []; reflexivity) ltac:(lra) L).
  assert (S : forall d d' : bool, True -> differential_privacy.distance
    (noisy_histogram.real (if d then [2]%Z else [0]%Z))
      (noisy_histogram.real (if d' then [2]%Z else [0]%Z)) <= 2).
  { intros [] [] _; simpl; unfold Rabs; destruct (Rcase_abs _); lra. }
  destruct (H S true false Logic.I) as [U _].
  set (y := exist (fun y => length y = 1%nat) [2]%Z eq_refl : noisy_histogram.vectors 1).
  pose proof (proj1 (differential_privacy.bounded_pointwise _ _ _) U y) as W. unfold y in W.
  clear U. rename W into U.
  rewrite exp_Ropp, exp_ln in U by lra. simpl in U. unfold noisy_histogram.geometric in U.
  simpl in U. lra.
Qed.

(* Without the second sum an output that is too likely without the record is overlooked. *)
Lemma changed_hockey_linear : ~ forall (outputs : list bool) eps (p : @row bool) others,
  others <> [] ->
  let n := INR (length (p :: others)) in let S := mass (p :: others) in
  privacy_with_delta.delta outputs eps p others
  = exp eps / (n - 1) * sum outputs (fun x => Rmax 0 (p x - tau n eps * S x)).
Proof.
  intros H. set (p := fun x : bool => if x then 0 else 1).
  set (q := fun x : bool => if x then 2 / 5 else 3 / 5).
  specialize (H coin_outputs (ln (4 / 3)) p [q] ltac:(discriminate)). cbn zeta in H.
  rewrite (privacy_with_delta.hockey_linear _ _ p [q] ltac:(discriminate)) in H.
  unfold privacy_with_delta.linear_delta, coin_outputs, tau, sigma in H.
  assert (E : exp (- ln (4 / 3)) = 3 / 4) by (rewrite exp_Ropp, exp_ln by lra; field).
  rewrite E, exp_ln in H by lra. unfold mass, p, q in H. simpl in H.
  replace (1 + 1 - 1) with 1 in H by ring. replace (1 - 1 / (1 + 1)) with (1 / 2) in H by field.
  unfold Rmax in H.
  repeat match goal with _ : context [Rle_dec ?a ?b] |- _ => destruct (Rle_dec a b); try lra end.
Qed.

(* The others may not change their noise when the record leaves: from two records that are both
   released as true, the one that stays goes over to the other output. *)
Lemma changed_delta_one_in_n : ~ forall (outputs : list bool) eps (p : @row bool) others retuned E,
  others <> [] -> length retuned = length others -> 0 <= eps -> NoDup E -> incl E outputs ->
  (forall r, In r (p :: others ++ retuned) -> (forall x, 0 <= r x) /\ sum outputs r = 1) ->
  sum E (released (p :: others))
  <= exp eps * sum E (released retuned) + 1 / INR (length (p :: others)).
Proof.
  intros claim. set (p := fun x : bool => if x then 1 else 0).
  set (q := fun x : bool => if x then 0 else 1).
  assert (bound : sum [true] (released [p; p]) <= exp 0 * sum [true] (released [q]) + 1 / INR 2).
  { apply (claim coin_outputs 0 p [p] [q] [true]);
      [discriminate|reflexivity|lra|constructor; [intros []|constructor]|
       intros x [<-|[]]; left; reflexivity|].
    intros r [<-|[<-|[<-|[]]]]; (split; [intros []; unfold p, q; lra|unfold p, q; simpl; lra]). }
  unfold released, mass, p, q in bound. simpl in bound. lra.
Qed.

(* The constant has n and not n + 1 in it. *)
Lemma changed_uniform_release : ~ forall eps b others x, 0 < eps -> 0 < b -> others <> [] ->
  let n := INR (length others) + 1 in 1 / (1 + (n + 1) * (exp eps - 1))
    <= truncated_laplace.v_min b ->
  (forall i : R * R, In i others -> 0 <= fst i <= 1 /\ b <= snd i) -> 0 <= x <= 1 ->
  let s := sum others (fun i => truncated_laplace.V (fst i) (snd i) x) in
  (1 + s) / n <= exp eps * (s / INR (length others)).
Proof.
  intros H. pose proof (exp_ineq1 1 ltac:(lra)) as E1. set (eta := (exp 1 - 2) * (2 / 5)).
  assert (L : 0 < ln (1 + eta)) by (rewrite <- ln_1; apply ln_increasing; unfold eta; lra).
  assert (V : truncated_laplace.v_min 1 = 1 / (exp 1 - 1)).
  { unfold truncated_laplace.v_min. replace (1 / 1) with 1 by field. reflexivity. }
  specialize (H (ln (1 + eta)) 1 [(0, 1)] 1 L ltac:(lra) ltac:(discriminate)). cbn zeta in H.
  rewrite exp_ln in H by (unfold eta; lra). rewrite V in H. simpl INR in H.
  pose proof (uniform_release.uniform_record_is_exposed (ln (1 + eta)) 1 L ltac:(lra) 1%nat
    ltac:(lia)) as N.
  cbn zeta in N. rewrite exp_ln in N by (unfold eta; lra). rewrite V in N. simpl INR in N.
  simpl repeat in N.
  assert (A : 1 / (exp 1 - 1) < 1 / (1 + (1 + 1) * (1 + eta - 1))).
  { unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_lt_contravar; unfold eta in *; nra. }
  assert (B : 1 / (1 + (1 + 1 + 1) * (1 + eta - 1)) <= 1 / (exp 1 - 1)).
  { unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; unfold eta in *; lra. }
  specialize (N A). specialize (H B).
  assert (I : forall i, In i [(0, 1)] -> 0 <= fst i <= 1 /\ 1 <= snd i)
    by (intros i [<-|[]]; simpl; lra).
  specialize (H I ltac:(lra)). lra.
Qed.

Definition all_of_them :=
  (changed_estimate, changed_advantage, changed_padding, changed_noise_free, changed_batch,
    changed_number_before, changed_a_maximum_is_nash, changed_last_step,
   changed_ratio_form, changed_scale_bound, changed_two_parts, changed_public_grid,
     changed_secret_seed,
   changed_neyman_pearson, changed_error_rates, changed_two_powers, changed_loss_reveals,
     changed_noisy_histogram,
   changed_best_estimate, changed_removals, changed_geometric, changed_hockey_linear,
     changed_delta_one_in_n,
   changed_uniform_release, changed_exposing_equilibrium, changed_price_of_privacy,
   changed_floor_of_the_loss).
Print Assumptions all_of_them.
