(* A repair: a companion to book/audit/repair.md. *)
Require Import Reals Lra Lia Psatz List Permutation.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
Import ListNotations.
Open Scope R_scope.

(* The bracket of the condition is at most the mass S(x), for all counts c that are at least l = ℓ ∨
   e_k and sum to at least N: the records beyond l put at least the smallest entry m on x, because
   no row is negative there. *)
Theorem bracket_below_mass {K : Type} (bins : list K) (c l p : K -> R) (N m : R) :
  (forall j, In j bins -> l j <= c j) -> N <= sum bins c ->
  0 <= m -> (forall j, In j bins -> m <= p j) ->
  sum bins (fun j => l j * p j) + Rmax 0 (N - sum bins l) * m <= sum bins (fun j => c j * p j).
Proof.
  intros above many m0 low.
  assert (A : (sum bins c - sum bins l) * m + sum bins (fun j => l j * p j)
    <= sum bins (fun j => c j * p j)).
  { clear many. induction bins as [|j bs IH]; simpl; [lra|].
    specialize (IH (fun i I => above i (or_intror I)) (fun i I => low i (or_intror I))).
    specialize (above j (or_introl eq_refl)). specialize (low j (or_introl eq_refl)). nra. }
  assert (B : 0 <= sum bins c - sum bins l).
  { clear - above. induction bins as [|j bs IH]; simpl; [lra|].
    specialize (IH (fun i I => above i (or_intror I))). specialize (above j (or_introl eq_refl)).
    lra. }
  assert (Rmax 0 (N - sum bins l) <= sum bins c - sum bins l) by (apply Rmax_lub; lra). nra.
Qed.

(* Proposition (safe randomisers protect every record above the lower bound), for one output: p <=
   (1 - e^-ε) S. *)
Section Safe.
Context {X : Type}.
Variables (outputs : list X) (p S : X -> R) (n eps : R).
Hypothesis p_one : sum outputs p = 1.
Hypothesis S_n : sum outputs S = n.
Hypothesis n_pos : 1 <= n.
Hypothesis nonnegative : forall x, 0 <= p x <= S x.
Hypothesis safe : forall x, p x <= (1 - exp (- eps)) * S x.

(* Summed over x this says 1 - 1/n >= e^-ε. In particular n > 1. *)
Lemma enough_records : 1 <= (1 - exp (- eps)) * n.
Proof.
  assert (T : sum outputs p <= (1 - exp (- eps)) * sum outputs S).
  { rewrite <- sum_scal. apply sum_le. intros x _. apply safe. }
  rewrite p_one, S_n in T. exact T.
Qed.

Theorem safe_is_private x : 1 < n /\
  S x / n <= exp eps * ((S x - p x) / (n - 1)) /\ (S x - p x) / (n - 1) <= exp eps * (S x / n).
Proof.
  pose proof enough_records as N. pose proof (exp_pos (- eps)) as D0.
  assert (DE : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  specialize (safe x). specialize (nonnegative x).
  set (d := exp (- eps)) in *. set (e := exp eps) in *.
  assert (N1 : 1 < n) by nra.
  assert (E0 : 0 < e) by apply exp_pos.
  assert (E1 : n <= e * (n - 1)).
  { assert (d * n <= n - 1) by lra.
    assert (scaled : e * (d * n) <= e * (n - 1)) by (apply Rmult_le_compat_l; lra).
    replace (e * (d * n)) with (d * e * n) in scaled by ring. rewrite DE in scaled. lra. }
  split; [exact N1|]. split.
  - (* Upper side: S - p >= e^-ε S *)
    assert (d * S x <= S x - p x) by lra.
    assert (A : S x <= e * (S x - p x)).
    { assert (scaled : e * (d * S x) <= e * (S x - p x)) by (apply Rmult_le_compat_l; lra).
      replace (e * (d * S x)) with (d * e * S x) in scaled by ring. rewrite DE in scaled. lra. }
    apply Rmult_le_reg_r with (n * (n - 1)); [nra|].
    replace (S x / n * (n * (n - 1))) with (S x * (n - 1)) by (field; lra).
    replace (e * ((S x - p x) / (n - 1)) * (n * (n - 1))) with (e * (S x - p x) * n)
      by (field; lra).
    nra.
  - (* Lower side: S >= S - p *)
    apply Rmult_le_reg_r with (n * (n - 1)); [nra|].
    replace ((S x - p x) / (n - 1) * (n * (n - 1))) with ((S x - p x) * n) by (field; lra).
    replace (e * (S x / n) * (n * (n - 1))) with (e * (n - 1) * S x) by (field; lra).
    nra.
Qed.
End Safe.

(* A fixed local randomiser with rows p on a list of bins, and the lower bound: ℓ of the counts, N
   of their number. *)
Section Safe_randomiser.
Context {K X : Type}.
Variable same : forall j k : K, {j = k} + {j <> k}.
Variables (bins : list K) (outputs : list X).
Hypothesis bins_once : NoDup bins.
Variables (l : K -> nat) (N : nat) (p : K -> X -> R).
Hypothesis rows_nonnegative : forall k x, 0 <= p k x.
Hypothesis rows_sum : forall k, In k bins -> sum outputs (p k) = 1.

(* ℓ ∨ e_k, the smallest entry of a column, and the large bracket *)
Definition or_unit (k j : K) : nat := Nat.max (l j) (if same j k then 1 else 0).
Definition smallest (x : X) : R :=
  match bins with [] => 0 | j :: js => fold_right (fun i m => Rmin (p i x) m) (p j x) js end.
Definition bracket (k : K) (x : X) : R :=
  sum bins (fun j => INR (or_unit k j) * p j x)
  + Rmax 0 (INR N - sum bins (fun j => INR (or_unit k j))) * smallest x.

(* Definition (safe local randomiser). *)
Definition equal_rows : Prop := forall j k x, In j bins -> In k bins -> p j x = p k x.
Definition safe_randomiser (eps : R) : Prop :=
  equal_rows \/ forall k x, In k bins -> p k x <= (1 - exp (- eps)) * bracket k x.

Lemma smallest_is_least x : 0 <= smallest x /\ forall j, In j bins -> smallest x <= p j x.
Proof.
  unfold smallest. destruct bins as [|j js]; [split; [lra|intros j []]|].
  assert (A : let s := fold_right (fun i m => Rmin (p i x) m) (p j x) js in
              0 <= s /\ s <= p j x /\ forall i, In i js -> s <= p i x).
  { induction js as [|i js IH]; simpl.
    - repeat split; [apply rows_nonnegative|lra|intros _ []].
    - destruct IH as [A [B C]].
      { inversion bins_once as [|? ? D E]; subst. inversion E; subst.
        constructor; [intros I; apply D; right; exact I|assumption]. }
      { intros k [<-|I]; apply rows_sum; [left; reflexivity|right; right; exact I]. }
      pose proof (Rmin_l (p i x) (fold_right (fun i m => Rmin (p i x) m) (p j x) js)).
      pose proof (Rmin_r (p i x) (fold_right (fun i m => Rmin (p i x) m) (p j x) js)).
      repeat split; [apply Rmin_glb; [apply rows_nonnegative|exact A]|lra|].
      intros k [<-|I]; [lra|]. specialize (C k I). lra. }
  destruct A as [A [B C]]. split; [exact A|]. intros i [<-|I]; [exact B|apply C, I].
Qed.

(* The mass of a data set, a list of bins, by the counts. *)
Lemma mass_by_counts (f : K -> R) (data : list K) : (forall j, In j data -> In j bins) ->
  sum bins (fun j => INR (count_occ same data j) * f j) = sum data f.
Proof.
  induction data as [|k data IH]; intros I.
  - simpl. rewrite (sum_ext _ _ (fun _ => 0)) by (intros; ring). rewrite sum_const. ring.
  - simpl sum. rewrite <- IH by (intros j J; apply I; right; exact J).
    rewrite (sum_ext _ _ (fun j => (if same k j then f j else 0) + INR (count_occ same data j) * f
      j)).
    + rewrite sum_plus. f_equal. specialize (I k (or_introl eq_refl)). clear - I bins_once.
      induction bins as [|j js IH]; [contradiction|]. inversion bins_once as [|? ? A B]; subst.
      simpl.
      destruct (same k j) as [->|Ne].
      * rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_const; ring|].
        intros i J. destruct (same j i) as [->|]; [contradiction|reflexivity].
      * destruct I as [->|I]; [contradiction|]. rewrite IH by assumption. ring.
    + intros j _. simpl. destruct (same k j) as [->|]; [rewrite S_INR|]; ring.
Qed.

(* Proposition (safe randomisers protect every record above the lower bound): the record of bin k
   among others, with counts of at least ℓ and at least N records in all. *)
Theorem safe_randomisers_protect (eps : R) (k : K) (others : list K) :
  0 <= eps -> safe_randomiser eps ->
  (forall j, In j (k :: others) -> In j bins) ->
  (forall j, In j bins -> (l j <= count_occ same (k :: others) j)%nat) ->
  (N <= length (k :: others))%nat ->
  (others <> [] /\ pdp eps (p k) (map p others)) \/ (others = [] /\ equal_rows).
Proof.
  intros e0 safe inside above many. pose proof (inside k (or_introl eq_refl)) as Ik.
  assert (n : INR (length (k :: others)) = INR (length others) + 1) by (simpl length; apply S_INR).
  destruct safe as [equal|safe].
  - (* all rows are equal: P = P_{-i} for n >= 2 *)
    destruct others as [|j others]; [right; split; [reflexivity|exact equal]|left].
    split; [discriminate|].
    assert (M : 1 <= INR (length (j :: others))) by (apply length_at_least_one; discriminate).
    apply atoms_suffice. intros x.
    assert (E : forall data, data <> [] -> (forall i, In i data -> In i bins) ->
                released (map p data) x = p k x).
    { intros data some D. pose proof (length_at_least_one data some). unfold released, mass.
      rewrite sum_map, map_length, (sum_ext _ _ (fun _ => p k x)).
      - rewrite sum_const. field. lra.
      - intros i I. apply equal; [apply D, I|exact Ik]. }
    change (p k :: map p (j :: others)) with (map p (k :: j :: others)).
    rewrite !E; try discriminate; try exact inside; [|intros i I; apply inside; right; exact I].
    pose proof (exp_ineq1_le eps). pose proof (rows_nonnegative k x). split; nra.
  - left. set (S := fun x => sum (k :: others) (fun j => p j x)).
    (* because no row is negative, S is at least the large bracket *)
    assert (enough : forall x, bracket k x <= S x).
    { intros x. destruct (smallest_is_least x) as [s0 s1]. unfold S.
      rewrite <- (mass_by_counts (fun j => p j x) (k :: others) inside). unfold bracket.
      apply bracket_below_mass; [| |exact s0|exact s1].
      - intros j J. apply le_INR. unfold or_unit. apply Nat.max_lub; [apply above, J|].
        destruct (same j k) as [->|]; [|lia]. simpl. destruct (same k k); [lia|contradiction].
      - rewrite (sum_ext _ _ (fun j => INR (count_occ same (k :: others) j) * 1)) by (intros; ring).
        rewrite (mass_by_counts (fun _ => 1) (k :: others) inside), sum_const, Rmult_1_r.
        apply le_INR, many. }
    assert (D : 0 <= 1 - exp (- eps)).
    { assert (exp (- eps) <= 1); [|lra]. rewrite <- exp_0.
      destruct e0 as [e0|<-]; [left; apply exp_increasing; lra|right; f_equal; ring]. }
    assert (S_n : sum outputs S = INR (length (k :: others))).
    { unfold S. rewrite sum_swap, (sum_ext _ _ (fun _ => 1))
        by (intros j J; apply rows_sum, inside, J).
      rewrite sum_const. ring. }
    assert (below : forall x, 0 <= p k x <= S x).
    { intros x. split; [apply rows_nonnegative|]. unfold S. simpl.
      assert (0 <= sum others (fun j => p j x))
        by (apply sum_nonneg; intros; apply rows_nonnegative). lra. }
    assert (bound : forall x, p k x <= (1 - exp (- eps)) * S x).
    { intros x. apply Rle_trans with (1 := safe k x Ik). apply Rmult_le_compat_l; auto. }
    assert (N1 : 1 <= INR (length (k :: others))) by (apply length_at_least_one; discriminate).
    assert (A : forall x, 1 < INR (length (k :: others)) /\ _)
      by (intros x; exact (safe_is_private outputs (p k) S _ eps (rows_sum k Ik) S_n N1 below bound
        x)).
    assert (N2 : 1 < INR (length (k :: others))).
    { pose proof (rows_sum k Ik) as One.
      destruct outputs as [|x xs]; [simpl in One; lra|apply (A x)]. }
    split; [intros ->; simpl in N2; lra|]. apply atoms_suffice. intros x. specialize (A x).
    destruct A as [_ A].
    unfold released, mass. simpl length. rewrite map_length, sum_map. simpl sum. rewrite sum_map.
    rewrite n in A. rewrite S_INR. unfold S in A. simpl in A.
    replace (p k x + sum others (fun j => p j x) - p k x) with (sum others (fun j => p j x)) in A
      by ring.
    replace (INR (length others) + 1 - 1) with (INR (length others)) in A by ring. exact A.
Qed.
End Safe_randomiser.

(* Theorem (the repaired game is differentially private). A release is a pair of a noisy histogram z
   and a value. E is an event, a finite list of pairs. *)
Section One_direction.
Context {H X : Type}.
Variable same : forall y z : H, {y = z} + {y <> z}.     (* histograms are lists of whole numbers *)
Variables (mu mu' : H -> R) (P P' : H -> X -> R).    (* under one of the two data sets; the other *)
Variable good : H -> bool.
Variables (eps1 eps2 delta : R).
Hypothesis mu_nonneg : forall z, 0 <= mu z.
Hypothesis mu'_nonneg : forall z, 0 <= mu' z.
Hypothesis P_nonneg : forall z x, 0 <= P z x.
Hypothesis P'_nonneg : forall z x, 0 <= P' z x.
(* a finite set of values has at most the probability 1, whatever the histogram *)
Hypothesis P_one : forall z (E : list X), NoDup E -> sum E (P z) <= 1.
Hypothesis histogram : forall z, mu z <= exp eps1 * mu' z.
Hypothesis value : forall z, good z = true -> forall x, P z x <= exp eps2 * P' z x.
(* the probability that the histogram is not good *)
Hypothesis rarely_bad : forall F : list H, NoDup F -> (forall z, In z F -> good z = false) ->
  sum F mu <= delta.

Lemma sum_filter {C : Type} (E : list C) (g : C -> bool) (f : C -> R) :
  sum E f = sum (filter g E) f + sum (filter (fun a => negb (g a)) E) f.
Proof. induction E as [|a E IH]; simpl; [ring|]. destruct (g a); simpl; rewrite IH; ring. Qed.

(* Sum over the values first: for each histogram they have at most the probability 1. *)
Lemma by_histogram (F : list H) : forall E : list (H * X), NoDup E -> NoDup F ->
  (forall zx, In zx E -> In (fst zx) F) ->
  sum E (fun zx => mu (fst zx) * P (fst zx) (snd zx)) <= sum F mu.
Proof.
  induction F as [|z F IH]; intros E N D I.
  - destruct E as [|zx E]; [simpl; lra|]. destruct (I zx (or_introl eq_refl)).
  - inversion D as [|? ? A D']; subst.
    set (here := fun zx : H * X => if same (fst zx) z then true else false).
    rewrite (sum_filter E here). simpl. apply Rplus_le_compat.
    + rewrite (sum_ext _ _ (fun zx => mu z * P z (snd zx))).
      * rewrite sum_scal, <- sum_map with (h := snd) (f := P z).
        assert (M : NoDup (map snd (filter here E))).
        { clear - N. induction E as [|[y x] E IH]; [constructor|].
          inversion N as [|? ? B N']; subst.
          cbn [filter]. unfold here at 1. cbn [fst]. destruct (same y z) as [->|_];
            [|apply IH, N']. cbn [map snd]. constructor; [|apply IH, N']. intros J.
          apply in_map_iff in J. destruct J as [[y' x'] [Ex J]]. apply filter_In in J.
          destruct J as [J G].
          unfold here in G. cbn [fst snd] in *. destruct (same y' z); [|discriminate].
          subst. contradiction. }
        specialize (P_one z _ M). specialize (mu_nonneg z). nra.
      * intros zx J. apply filter_In in J. destruct J as [_ G]. unfold here in G.
        destruct (same (fst zx) z) as [->|]; [reflexivity|discriminate].
    + apply IH; [apply NoDup_filter, N|exact D'|]. intros zx J. apply filter_In in J.
      destruct J as [J G].
      unfold here in G. destruct (same (fst zx) z) as [|Ne]; [discriminate|].
      destruct (I zx J) as [Ez|J']; [congruence|exact J'].
Qed.

Lemma one_direction (E : list (H * X)) : NoDup E ->
  sum E (fun zx => mu (fst zx) * P (fst zx) (snd zx))
  <= exp (eps1 + eps2) * sum E (fun zx => mu' (fst zx) * P' (fst zx) (snd zx)) + delta.
Proof.
  intros N. set (g := fun zx : H * X => good (fst zx)).
  set (f := fun zx : H * X => mu (fst zx) * P (fst zx) (snd zx)).
  set (f' := fun zx : H * X => mu' (fst zx) * P' (fst zx) (snd zx)).
  rewrite (sum_filter E g f), (sum_filter E g f').
  (* for good z the two factors multiply *)
  assert (A : sum (filter g E) f <= exp (eps1 + eps2) * sum (filter g E) f').
  { rewrite <- sum_scal. apply sum_le. intros [z x] I. apply filter_In in I. destruct I as [_ G].
    unfold g in G. simpl in G. unfold f, f'. simpl. rewrite exp_plus.
    replace (exp eps1 * exp eps2 * (mu' z * P' z x))
      with ((exp eps1 * mu' z) * (exp eps2 * P' z x)) by ring.
    apply Rmult_le_compat; auto. }
  assert (B : 0 <= sum (filter (fun a => negb (g a)) E) f').
  { apply sum_nonneg. intros [z x] _. unfold f'. simpl. apply Rmult_le_pos; auto. }
  (* the others have at most the probability δ *)
  assert (C : sum (filter (fun a => negb (g a)) E) f <= delta).
  { set (bad := filter (fun a => negb (g a)) E).
    apply Rle_trans with (sum (nodup same (map fst bad)) mu).
    - apply by_histogram; [apply NoDup_filter, N|apply NoDup_nodup|].
      intros zx I. apply nodup_In, in_map, I.
    - apply rarely_bad; [apply NoDup_nodup|]. intros z I. apply nodup_In, in_map_iff in I.
      destruct I as [zx [<- I]]. apply filter_In in I. destruct I as [_ G]. unfold g in G.
      destruct (good (fst zx)); [discriminate|reflexivity]. }
  pose proof (exp_pos (eps1 + eps2)). nra.
Qed.
End One_direction.

(* Both directions, for any two distributions of the value that are near each other where z is
   good. *)
Section Two_directions.
Context {H X : Type}.
Variable same : forall y z : H, {y = z} + {y <> z}.
Variables (mu mu' : H -> R) (P P' : H -> X -> R) (outputs : list X).
Variable good : H -> bool.
Variables (eps1 eps2 delta : R).
Hypothesis mu_nonneg : forall z, 0 <= mu z.
Hypothesis mu'_nonneg : forall z, 0 <= mu' z.
Hypothesis histogram : forall z, mu z <= exp eps1 * mu' z /\ mu' z <= exp eps1 * mu z.
Hypothesis rarely_bad : forall F : list H, NoDup F -> (forall z, In z F -> good z = false) ->
  sum F mu <= delta /\ sum F mu' <= delta.
Hypothesis complete : forall x, In x outputs.
Hypothesis P_nonneg : forall z x, 0 <= P z x.
Hypothesis P'_nonneg : forall z x, 0 <= P' z x.
Hypothesis P_one : forall z, sum outputs (P z) = 1.
Hypothesis P'_one : forall z, sum outputs (P' z) = 1.
Hypothesis private : forall z, good z = true -> forall x,
  P z x <= exp eps2 * P' z x /\ P' z x <= exp eps2 * P z x.

Lemma values_one (f : X -> R) (E : list X) : (forall x, 0 <= f x) -> sum outputs f = 1 -> NoDup E ->
  sum E f <= 1.
Proof.
  intros F <- D. apply sum_of_part; auto. intros a _. apply complete.
Qed.

Lemma two_directions (E : list (H * X)) : NoDup E ->
  sum E (fun zx => mu (fst zx) * P (fst zx) (snd zx))
    <= exp (eps1 + eps2) * sum E (fun zx => mu' (fst zx) * P' (fst zx) (snd zx)) + delta /\
  sum E (fun zx => mu' (fst zx) * P' (fst zx) (snd zx))
    <= exp (eps1 + eps2) * sum E (fun zx => mu (fst zx) * P (fst zx) (snd zx)) + delta.
Proof.
  intros N. split.
  - apply one_direction with (good := good); auto.
    + intros z F D. apply values_one; auto.
    + intros z. apply histogram.
    + intros z G x. apply private, G.
    + intros F D B. apply rarely_bad; assumption.
  - apply one_direction with (good := good); auto.
    + intros z F D. apply values_one; auto.
    + intros z. apply histogram.
    + intros z G x. apply private, G.
    + intros F D B. apply rarely_bad; assumption.
Qed.
End Two_directions.

(* The repaired game. A noisy histogram z gives a lower bound ℓ of the counts and a randomiser that
   is safe for (ℓ, N) at ε₂. The data set is a list of bins, k :: others, and the record is the one
   in bin k. Under μ the histogram is computed with the record, under μ' without it. *)
Section Repaired_game.
Context {H K X : Type}.
Variable same_histogram : forall y z : H, {y = z} + {y <> z}.
Variable same : forall j k : K, {j = k} + {j <> k}.
Variables (bins : list K) (first : K) (outputs : list X).
Hypothesis bins_once : NoDup bins.
Hypothesis first_in : In first bins.
Hypothesis complete : forall x, In x outputs.
Variables (l : H -> K -> nat) (N : nat) (pi : H -> K -> X -> R).
Hypothesis rows_nonnegative : forall z k x, 0 <= pi z k x.
Hypothesis rows_sum : forall z k, In k bins -> sum outputs (pi z k) = 1.
Variables (eps1 eps2 delta : R).
Hypothesis eps2_nonneg : 0 <= eps2.
Hypothesis safe : forall z, safe_randomiser same bins (l z) N (pi z) eps2.
Variables (k : K) (others : list K).
Hypothesis inside : forall j, In j (k :: others) -> In j bins.
Hypothesis many : (N <= length (k :: others))%nat.

(* z is good if its lower bound is right *)
Definition good (z : H) : bool :=
  forallb (fun j => l z j <=? count_occ same (k :: others) j)%nat bins.

Variables (mu mu' : H -> R).
Hypothesis mu_nonneg : forall z, 0 <= mu z.
Hypothesis mu'_nonneg : forall z, 0 <= mu' z.
Hypothesis histogram : forall z, mu z <= exp eps1 * mu' z /\ mu' z <= exp eps1 * mu z.
Hypothesis rarely_bad : forall F : list H, NoDup F -> (forall z, In z F -> good z = false) ->
  sum F mu <= delta /\ sum F mu' <= delta.

(* The released value; if there are no records, it is drawn from the first row. *)
Definition value (data : list K) (z : H) : X -> R :=
  match data with [] => pi z first | _ => released (map (pi z) data) end.

Lemma value_is_a_distribution data z : (forall j, In j data -> In j bins) ->
  (forall x, 0 <= value data z x) /\ sum outputs (value data z) = 1.
Proof.
  intros I. unfold value.
  destruct data as [|j data]; [split; [apply rows_nonnegative|apply rows_sum, first_in]|].
  set (d := j :: data) in *.
  assert (M : 1 <= INR (length d)) by (apply length_at_least_one; discriminate). split.
  - intros x. unfold released, mass. rewrite map_length, sum_map.
    apply Rmult_le_pos; [apply sum_nonneg; intros; apply rows_nonnegative|].
    apply Rlt_le, Rinv_0_lt_compat. lra.
  - unfold released, mass. rewrite map_length.
    rewrite (sum_ext _ _ (fun x => / INR (length d) * sum d (fun i => pi z i x))).
    + rewrite sum_scal, sum_swap, (sum_ext _ _ (fun _ => 1)) by (intros i J; apply rows_sum, I, J).
      rewrite sum_const. field. lra.
    + intros x _. rewrite sum_map. unfold Rdiv. ring.
Qed.

Theorem repaired_game (E : list (H * X)) : NoDup E ->
  sum E (fun zx => mu (fst zx) * value (k :: others) (fst zx) (snd zx))
    <= exp (eps1 + eps2) * sum E (fun zx => mu' (fst zx) * value others (fst zx) (snd zx)) + delta
      /\
  sum E (fun zx => mu' (fst zx) * value others (fst zx) (snd zx))
    <= exp (eps1 + eps2) * sum E (fun zx => mu (fst zx) * value (k :: others) (fst zx) (snd zx))
      + delta.
Proof.
  assert (inside' : forall j, In j others -> In j bins)
    by (intros j J; apply inside; right; exact J).
  apply (two_directions same_histogram mu mu' (value (k :: others)) (value others) outputs good);
    try assumption;
    try (intros z; apply value_is_a_distribution; assumption).
  (* for a good z the record is ε₂-pDP under the fixed randomiser *)
  intros z G x. unfold good in G. rewrite forallb_forall in G.
  assert (above : forall j, In j bins -> (l z j <= count_occ same (k :: others) j)%nat).
  { intros j J. apply Nat.leb_le, G, J. }
  destruct (safe_randomisers_protect same bins outputs bins_once (l z) N (pi z) (rows_nonnegative z)
              (rows_sum z) eps2 k others eps2_nonneg (safe z) inside above many) as [Y|[-> equal]].
  - unfold value. destruct others as [|j others']; [destruct (proj1 Y); reflexivity|].
    apply (proj1 (atoms_suffice _ _ _)), Y.
  - (* if n = 1, all rows are equal, and the draw from no records has the same distribution *)
    unfold value, released, mass. simpl.
    rewrite (equal first k x first_in (inside k (or_introl eq_refl))).
    pose proof (exp_ineq1_le eps2). pose proof (rows_nonnegative z k x).
    replace ((pi z k x + 0) / 1) with (pi z k x) by field. split; nra.
Qed.
End Repaired_game.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@bracket_below_mass, @enough_records, @safe_is_private, @safe_randomisers_protect,
    @repaired_game).
Print Assumptions checked_here.
