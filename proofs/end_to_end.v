(* The end-to-end loss, and the notions in order: a companion to book/audit/end-to-end-loss.md and
   book/audit/relatives.md. *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.truncated_laplace Pdp.nvo_game.
Import ListNotations.
Open Scope R_scope.

(* ---- What the record shows and what the others add ---- *)

(* P is what the pipeline makes of the data, P_without of the same rows without the record's, and
   P_rerun of the data without the record. *)
Theorem the_loss_in_two_parts (P P_without P_rerun : R) : 0 < P -> 0 < P_without -> 0 < P_rerun ->
  ln (P / P_rerun) = ln (P / P_without) + ln (P_without / P_rerun).
Proof.
  intros A B C. rewrite <- ln_mult by (apply Rdiv_lt_0_compat; assumption). f_equal. field. lra.
Qed.

(* A pipeline that uses one row p_k for each bin, whatever the data: run again without the record,
   it releases what the rows of the others release, and the second part is ln 1. *)
Theorem a_fixed_randomiser_adds_nothing {B X : Type} (p : B -> @row X) (k : B) (others : list B) :
  let pipeline := fun data => released (map p data) in
  pipeline others = released (map p others) /\
  forall x, 0 < pipeline others x -> ln (released (map p others) x / pipeline others x) = 0.
Proof.
  intros pipeline. split; [reflexivity|]. intros x H. unfold pipeline in *.
  rewrite <- ln_1. f_equal. field. lra.
Qed.

(* ---- Finite on a public grid ---- *)

Section Public_grid.
Context {X : Type}.
Variables low high : X -> R.                     (* the least and the largest entry of a row at x *)
Hypothesis low_positive : forall x, 0 < low x.

(* Whatever rows a pipeline gives to the records, its output lies between the least and the largest
   entry. *)
Lemma output_between (rows : list (@row X)) : rows <> [] ->
  (forall p, In p rows -> forall x, low x <= p x <= high x) -> forall x,
    low x <= released rows x <= high x.
Proof.
  intros some H x. pose proof (length_at_least_one rows some) as N. unfold released, mass.
  assert (E : INR (length rows) * low x <= sum rows (fun p => p x) <= INR (length rows) * high x).
  { rewrite <- !sum_const. split; apply sum_le; intros p I; apply H, I. }
  split; apply Rmult_le_reg_r with (INR (length rows)); try lra;
    replace (sum rows (fun p => p x) / INR (length rows) * INR (length rows))
      with (sum rows (fun p => p x)) by (field; lra); lra.
Qed.

(* So the loss of a record is at most the logarithm of their ratio: *)
Theorem end_to_end_is_finite (with_record without_record : list (@row X)) x :
  with_record <> [] -> without_record <> [] ->
  (forall p, In p with_record \/ In p without_record -> forall x, low x <= p x <= high x) ->
  Rabs (ln (released with_record x / released without_record x)) <= ln (high x / low x).
Proof.
  intros W W' H.
  destruct (output_between with_record W (fun p I => H p (or_introl I)) x) as [A B].
  destruct (output_between without_record W' (fun p I => H p (or_intror I)) x) as [A' B'].
  specialize (low_positive x). assert (R0 : 0 < high x / low x) by (apply Rdiv_lt_0_compat; lra).
  assert (Q : high x / low x * low x = high x) by (field; lra).
  apply within_is_a_bound_on_the_logarithm; try lra. rewrite exp_ln by exact R0. split; nra.
Qed.
End Public_grid.

(* and for truncated Laplace kernels with scales of at least b it is at most 1/b. *)
Theorem end_to_end_laplace K b (with_record without_record : list (nat * R)) x : 0 < b ->
  (x < K)%nat ->
  with_record <> [] -> without_record <> [] ->
  (forall r, In r with_record \/ In r without_record -> (fst r < K)%nat /\ b <= snd r) ->
  let rows l := map (fun r : nat * R => kernel K (fst r) (snd r)) l in
  Rabs (ln (released (rows with_record) x / released (rows without_record) x)) <= 1 / b.
Proof.
  intros B HX W W' H rows. assert (K0 : 0 < INR K) by (apply lt_0_INR; lia).
  pose proof (v_min_positive b B) as V. pose proof (ratio_of_the_extremes b B) as E.
  assert (I : 0 < 1 / INR K) by (apply Rdiv_lt_0_compat; lra).
  assert (bounds : forall r, (fst r < K)%nat /\ b <= snd r ->
    1 / INR K * v_min b <= kernel K (fst r) (snd r) x <= 1 / INR K * v_max b).
  { intros r [G S]. destruct (bin_masses K (fst r) x (snd r) ltac:(lra) G HX) as [A A'].
    pose proof (v_max_decreases b (snd r) B S). pose proof (v_min_increases b (snd r) B S).
    split; nra. }
  assert (M : forall l, l <> [] -> (forall r, In r l -> (fst r < K)%nat /\ b <= snd r) ->
    1 / INR K * v_min b <= released (rows l) x <= 1 / INR K * v_max b).
  { intros l S G. unfold released, mass, rows. rewrite map_length, sum_map.
    pose proof (length_at_least_one l S) as N.
    assert (F : INR (length l) * (1 / INR K * v_min b)
      <= sum l (fun r => kernel K (fst r) (snd r) x)
                <= INR (length l) * (1 / INR K * v_max b)).
    { rewrite <- !sum_const. split; apply sum_le; intros r J; apply bounds, G, J. }
    set (s := sum l _) in *. split; apply Rmult_le_reg_r with (INR (length l)); try lra;
      replace (s / INR (length l) * INR (length l)) with s by (field; lra); lra. }
  destruct (M _ W (fun r J => H r (or_introl J))) as [A A'].
  destruct (M _ W' (fun r J => H r (or_intror J))) as [C C'].
  apply within_is_a_bound_on_the_logarithm; [nra|nra|]. rewrite E in *.
  pose proof (exp_pos (1 / b)). split; nra.
Qed.

(* ---- A secret seed does not increase the loss ---- *)

Section Seeds.
Context {S X : Type}.
Variables (seeds : list S) (w : S -> R) (P P' : S -> X -> R) (eps : R).
Hypothesis w_nonnegative : forall s, In s seeds -> 0 <= w s.

(* If every seed has a loss of at most ε, the mixture has one, too; *)
Theorem a_secret_seed : (forall s, In s seeds -> within eps (P s) (P' s)) ->
  within eps (fun x => sum seeds (fun s => w s * P s x))
    (fun x => sum seeds (fun s => w s * P' s x)).
Proof.
  intros H. apply atoms_suffice. intros x.
  assert (each : forall s, In s seeds -> P s x <= exp eps * P' s x /\ P' s x <= exp eps * P s x)
    by (intros s I; apply (proj1 (atoms_suffice _ _ _) (H s I))).
  rewrite <- !sum_scal. split; apply sum_le; intros s I; specialize (each s I);
    specialize (w_nonnegative s I); nra.
Qed.

(* and if the seed is published, the loss is the largest of those of the seeds that can be drawn. *)
Theorem a_published_seed : (forall s, In s seeds) ->
  (within eps (fun sx => w (fst sx) * P (fst sx) (snd sx))
    (fun sx => w (fst sx) * P' (fst sx) (snd sx))
   <-> forall s, 0 < w s -> within eps (P s) (P' s)).
Proof.
  intros every. rewrite atoms_suffice. split.
  - intros H s W. apply atoms_suffice. intros x. specialize (H (s, x)). simpl in H.
    destruct H as [A B].
    split; apply Rmult_le_reg_l with (w s); try assumption; lra.
  - intros H [s x]. simpl. destruct (w_nonnegative s (every s)) as [W|W].
    + pose proof (proj1 (atoms_suffice _ _ _) (H s W) x) as Y. split; nra.
    + rewrite <- W. lra.
Qed.
End Seeds.

(* ---- The notions in order ---- *)

(* Removing or adding a record leads to a neighbour; loss_at_most d eps says that the loss between d
   and each of its neighbours is at most ε, removals_at_most the same for its neighbours with a
   record less. *)
Section Order.
Context {D X : Type}.
Variable less : D -> D -> Prop.                     (* less d d': d' is d with one record removed *)
Variable algorithm : D -> X -> R.
Definition removals_at_most (d : D) (eps : R) : Prop := forall d', less d d' ->
  within eps (algorithm d) (algorithm d').
Definition loss_at_most (d : D) (eps : R) : Prop :=
  forall d', less d d' \/ less d' d -> within eps (algorithm d) (algorithm d').
(* ε-DP: all neighbours, in both orders, all events *)
Definition is_dp (eps : R) : Prop := forall d d', less d d' ->
  within eps (algorithm d) (algorithm d').

Theorem removals_are_neighbours d eps : loss_at_most d eps -> removals_at_most d eps.
Proof. intros H d' L. apply H. left. exact L. Qed.

Theorem dp_is_every_data_set eps : is_dp eps <-> forall d, loss_at_most d eps.
Proof.
  split.
  - intros H d d' [L|L]; [apply H, L|]. intros E N. destruct (H d' d L E N). split; assumption.
  - intros H d d' L. apply H. left. exact L.
Qed.
End Order.

(* ---- A floor for the end-to-end loss of a record that is alone in its bin ---- *)

(* The divergence of two distributions on two outputs. *)
Definition kl (a p : R) : R := a * ln (a / p) + (1 - a) * ln ((1 - a) / (1 - p)).

(* The log-sum inequality, from ln t <= t - 1. *)
Lemma log_sum (bins : list nat) (q P : nat -> R) : bins <> nil ->
  (forall x, In x bins -> 0 < q x) -> (forall x, In x bins -> 0 < P x) ->
  sum bins q * ln (sum bins q / sum bins P) <= sum bins (fun x => q x * ln (q x / P x)).
Proof.
  intros some Q0 P0. pose proof (sum_pos bins q some Q0) as Q.
  pose proof (sum_pos bins P some P0) as T.
  set (s := sum bins q) in *. set (t := sum bins P) in *.
  assert (each : forall x, In x bins -> q x * ln (s / t) + (q x + - (s / t) * P x)
    <= q x * ln (q x / P x)).
  { intros x I. specialize (Q0 x I). specialize (P0 x I).
    assert (R0 : 0 < s / t) by (apply Rdiv_lt_0_compat; assumption).
    assert (A : 0 < s / t * (P x / q x))
      by (apply Rmult_lt_0_compat; [exact R0|apply Rdiv_lt_0_compat; assumption]).
    pose proof (ln_below_tangent _ A) as L.
    assert (E : ln (s / t * (P x / q x)) = ln (s / t) - ln (q x / P x)).
    { rewrite ln_mult by (try apply Rdiv_lt_0_compat; assumption).
      replace (P x / q x) with (/ (q x / P x)) by (field; lra).
      rewrite ln_Rinv by (apply Rdiv_lt_0_compat; assumption). ring. }
    rewrite E in L. apply (Rmult_le_compat_l (q x)) in L; [|lra].
    replace (q x * (s / t * (P x / q x) - 1)) with (s / t * P x - q x) in L by (field; lra). lra. }
  apply (sum_le bins) in each. rewrite !sum_plus, sum_scal in each.
  rewrite (sum_ext _ (fun x => q x * ln (s / t)) (fun x => ln (s / t) * q x)), sum_scal in each
    by (intros; ring).
  fold s t in each. replace (- (s / t) * t) with (- s) in each by (field; lra). lra.
Qed.

(* The bin k of the record and the other occupied bins; P and P' are the outputs with the record and
   without it. *)
Theorem floor_of_the_loss (k : nat) (others : list nat) (q q' P P' : nat -> R) (n kappa least : R) :
  1 < n -> q k = 1 / n ->
  (forall x, In x others -> 0 < q x /\ 0 < q' x /\ 0 < P x /\ 0 < P' x) ->
  0 < P k -> 0 < P' k -> P k + sum others P <= 1 -> P' k + sum others P' <= 1 ->
  q k + sum others q = 1 -> sum others q' = 1 ->
  q k * ln (q k / P k) + sum others (fun x => q x * ln (q x / P x)) <= kappa ->
  sum others (fun x => q' x * ln (q' x / P' x)) <= kappa ->
  0 < least -> (forall p, 0 < p < 1 -> kl (1 / n) p <= kappa -> least <= p) ->
  ln (least / (1 - exp (- kappa))) <= ln (P k / P' k).
Proof.
  intros N Qk all Pk Pk' T T' S S' D D' L least_one.
  assert (some : others <> nil) by (intros E; rewrite E in S'; simpl in S'; lra).
  assert (B : sum others P > 0) by (apply sum_pos; [exact some|intros x I; apply all, I]).
  assert (B' : sum others P' > 0) by (apply sum_pos; [exact some|intros x I; apply all, I]).
  pose proof (log_sum others q P some (fun x I => proj1 (all x I))
    (fun x I => proj1 (proj2 (proj2 (all x I))))) as G.
  pose proof (log_sum others q' P' some (fun x I => proj1 (proj2 (all x I)))
                (fun x I => proj2 (proj2 (proj2 (all x I))))) as G'.
  assert (N1 : 0 < 1 / n < 1).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with n; [lra|].
    replace (1 / n * n) with 1 by (field; lra). lra. }
  assert (low : least <= P k).
  { apply least_one; [lra|]. unfold kl. rewrite <- Qk at 1 2.
    apply Rle_trans with (2 := D). apply Rplus_le_compat_l. apply Rle_trans with (2 := G).
    replace (sum others q) with (1 - 1 / n) by lra. apply Rmult_le_compat_l; [lra|].
    apply ln_le_iff; [apply Rdiv_lt_0_compat; lra|apply Rdiv_lt_0_compat; lra|].
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (high : P' k <= 1 - exp (- kappa)).
  { rewrite S' in G'. unfold Rdiv in G' at 1. rewrite !Rmult_1_l, ln_Rinv in G' by lra.
    assert (E : exp (- kappa) <= sum others P').
    { rewrite <- (exp_ln (sum others P')) by lra.
      destruct (Req_dec (- kappa) (ln (sum others P'))) as [->|Ne]; [lra|].
      left. apply exp_increasing. lra. }
    lra. }
  apply ln_le_iff; [apply Rdiv_lt_0_compat; lra|apply Rdiv_lt_0_compat; assumption|].
  apply Rle_trans with (P k / (1 - exp (- kappa))).
  - apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|exact low].
  - apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Definition checked_here :=
  (@floor_of_the_loss, @the_loss_in_two_parts, @a_fixed_randomiser_adds_nothing,
  @end_to_end_is_finite,
  @end_to_end_laplace, @a_secret_seed, @a_published_seed, @removals_are_neighbours,
    @dp_is_every_data_set).
Print Assumptions checked_here.
