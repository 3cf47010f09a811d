(* A repair: a companion to book/audit/repair.md. *)
Require Import Reals Lra Lia Psatz List Permutation.
Require Import Pdp.finite_sums.
Import ListNotations.
Open Scope R_scope.

(* The bracket of the condition is at most the mass S(x), for all counts c that are at least l = ℓ ∨ e_k and
   sum to at least N: the records beyond l put at least the smallest entry m on x, because no row is
   negative there. *)
Theorem bracket_below_mass {K : Type} (bins : list K) (c l p : K -> R) (N m : R) :
  (forall j, In j bins -> l j <= c j) -> N <= sum bins c ->
  0 <= m -> (forall j, In j bins -> m <= p j) ->
  sum bins (fun j => l j * p j) + Rmax 0 (N - sum bins l) * m <= sum bins (fun j => c j * p j).
Proof.
  intros above many m0 low.
  assert (A : (sum bins c - sum bins l) * m + sum bins (fun j => l j * p j) <= sum bins (fun j => c j * p j)).
  { clear many. induction bins as [|j bs IH]; simpl; [lra|].
    specialize (IH (fun i I => above i (or_intror I)) (fun i I => low i (or_intror I))).
    specialize (above j (or_introl eq_refl)). specialize (low j (or_introl eq_refl)). nra. }
  assert (B : 0 <= sum bins c - sum bins l).
  { clear - above. induction bins as [|j bs IH]; simpl; [lra|].
    specialize (IH (fun i I => above i (or_intror I))). specialize (above j (or_introl eq_refl)). lra. }
  assert (Rmax 0 (N - sum bins l) <= sum bins c - sum bins l) by (apply Rmax_lub; lra). nra.
Qed.

(* Proposition (safe randomisers protect every record above the lower bound), for one output: p <= (1 -
   e^-ε) S. *)
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
  { assert (d * n <= n - 1) by lra. assert (e * (d * n) <= e * (n - 1)) by (apply Rmult_le_compat_l; lra).
    replace (e * (d * n)) with (d * e * n) in H0 by ring. rewrite DE in H0. lra. }
  split; [exact N1|]. split.
  - (* Upper side: S - p >= e^-ε S *)
    assert (d * S x <= S x - p x) by lra.
    assert (A : S x <= e * (S x - p x)).
    { assert (e * (d * S x) <= e * (S x - p x)) by (apply Rmult_le_compat_l; lra).
      replace (e * (d * S x)) with (d * e * S x) in H0 by ring. rewrite DE in H0. lra. }
    apply Rmult_le_reg_r with (n * (n - 1)); [nra|].
    replace (S x / n * (n * (n - 1))) with (S x * (n - 1)) by (field; lra).
    replace (e * ((S x - p x) / (n - 1)) * (n * (n - 1))) with (e * (S x - p x) * n) by (field; lra).
    nra.
  - (* Lower side: S >= S - p *)
    apply Rmult_le_reg_r with (n * (n - 1)); [nra|].
    replace ((S x - p x) / (n - 1) * (n * (n - 1))) with ((S x - p x) * n) by (field; lra).
    replace (e * (S x / n) * (n * (n - 1))) with (e * (n - 1) * S x) by (field; lra).
    nra.
Qed.
End Safe.

(* Theorem (the repaired game is differentially private). A release is a pair of a noisy histogram z and
   a value. E is an event, a finite list of pairs. *)
Section One_direction.
Context {H X : Type}.
Variable same : forall y z : H, {y = z} + {y <> z}.     (* histograms are lists of whole numbers *)
Variables (mu mu' : H -> R) (P P' : H -> X -> R).       (* under one of the two data sets; the other *)
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
        { clear - N. induction E as [|[y x] E IH]; [constructor|]. inversion N as [|? ? B N']; subst.
          cbn [filter]. unfold here at 1. cbn [fst]. destruct (same y z) as [->|_];
            [|apply IH, N']. cbn [map snd]. constructor; [|apply IH, N']. intros J.
          apply in_map_iff in J. destruct J as [[y' x'] [Ex J]]. apply filter_In in J. destruct J as [J G].
          unfold here in G. cbn [fst snd] in *. destruct (same y' z); [|discriminate].
          subst. contradiction. }
        specialize (P_one z _ M). specialize (mu_nonneg z). nra.
      * intros zx J. apply filter_In in J. destruct J as [_ G]. unfold here in G.
        destruct (same (fst zx) z) as [->|]; [reflexivity|discriminate].
    + apply IH; [apply NoDup_filter, N|exact D'|]. intros zx J. apply filter_In in J. destruct J as [J G].
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
  { set (bad := filter (fun a => negb (g a)) E). apply Rle_trans with (sum (nodup same (map fst bad)) mu).
    - apply by_histogram; [apply NoDup_filter, N|apply NoDup_nodup|].
      intros zx I. apply nodup_In, in_map, I.
    - apply rarely_bad; [apply NoDup_nodup|]. intros z I. apply nodup_In, in_map_iff in I.
      destruct I as [zx [<- I]]. apply filter_In in I. destruct I as [_ G]. unfold g in G.
      destruct (good (fst zx)); [discriminate|reflexivity]. }
  pose proof (exp_pos (eps1 + eps2)). nra.
Qed.
End One_direction.

(* Both directions. The value is drawn from n records with the mass S of the fixed randomiser π(z), which is
   safe for the lower bound that z gives. Record i has the row p z, and μ and μ' are the distributions of
   the noisy histogram with and without it. *)
Section Repaired_game.
Context {H X : Type}.
Variable same : forall y z : H, {y = z} + {y <> z}.
Variables (mu mu' : H -> R) (p S : H -> X -> R) (n : R) (outputs : list X).
Variable good : H -> bool.                             (* the lower bound of z is below the counts *)
Variables (eps1 eps2 delta : R).
Hypothesis n_large : 1 < n.
Hypothesis mu_nonneg : forall z, 0 <= mu z.
Hypothesis mu'_nonneg : forall z, 0 <= mu' z.
Hypothesis histogram : forall z, mu z <= exp eps1 * mu' z /\ mu' z <= exp eps1 * mu z.
Hypothesis rarely_bad : forall F : list H, NoDup F -> (forall z, In z F -> good z = false) ->
  sum F mu <= delta /\ sum F mu' <= delta.
Hypothesis complete : NoDup outputs /\ forall x, In x outputs.
Hypothesis rows : forall z, sum outputs (p z) = 1 /\ sum outputs (S z) = n.
Hypothesis nonnegative : forall z x, 0 <= p z x <= S z x.
Hypothesis safe : forall z, good z = true -> forall x, p z x <= (1 - exp (- eps2)) * S z x.

Let P (z : H) (x : X) : R := S z x / n.
Let P' (z : H) (x : X) : R := (S z x - p z x) / (n - 1).

Lemma values_one (f : X -> R) (E : list X) : (forall x, 0 <= f x) -> sum outputs f = 1 -> NoDup E ->
  sum E f <= 1.
Proof.
  intros F <- D. destruct complete as [_ All].
  assert (G : forall A l, NoDup A -> (forall a, In a A -> In a l) -> sum A f <= sum l f).
  { induction A as [|a A IH]; intros l N I; [apply sum_nonneg; auto|]. inversion N as [|? ? B N']; subst.
    destruct (in_split a l (I a (or_introl eq_refl))) as [l1 [l2 ->]].
    rewrite <- (sum_perm (a :: l1 ++ l2) _ f (Permutation_middle l1 l2 a)). simpl.
    apply Rplus_le_compat_l. apply IH; [exact N'|]. intros c C. pose proof (I c (or_intror C)) as J.
    apply in_app_or in J. apply in_or_app. destruct J as [J|[->|J]]; [left; exact J|contradiction|right; exact J]. }
  apply G; [exact D|]. intros a _. apply All.
Qed.

Theorem repaired_game (E : list (H * X)) : NoDup E ->
  sum E (fun zx => mu (fst zx) * P (fst zx) (snd zx))
    <= exp (eps1 + eps2) * sum E (fun zx => mu' (fst zx) * P' (fst zx) (snd zx)) + delta /\
  sum E (fun zx => mu' (fst zx) * P' (fst zx) (snd zx))
    <= exp (eps1 + eps2) * sum E (fun zx => mu (fst zx) * P (fst zx) (snd zx)) + delta.
Proof.
  intros N.
  assert (P0 : forall z x, 0 <= P z x).
  { intros z x. specialize (nonnegative z x). unfold P, Rdiv. apply Rmult_le_pos; [lra|].
    apply Rlt_le, Rinv_0_lt_compat. lra. }
  assert (P0' : forall z x, 0 <= P' z x).
  { intros z x. specialize (nonnegative z x). unfold P', Rdiv. apply Rmult_le_pos; [lra|].
    apply Rlt_le, Rinv_0_lt_compat. lra. }
  assert (P1 : forall z, sum outputs (P z) = 1).
  { intros z. destruct (rows z) as [_ Sn]. unfold P, Rdiv.
    rewrite (sum_ext _ _ (fun x => / n * S z x)) by (intros; ring). rewrite sum_scal, Sn. field. lra. }
  assert (P1' : forall z, sum outputs (P' z) = 1).
  { intros z. destruct (rows z) as [p1 Sn]. unfold P', Rdiv.
    rewrite (sum_ext _ _ (fun x => / (n - 1) * S z x + - / (n - 1) * p z x)) by (intros; ring).
    rewrite sum_plus, !sum_scal, Sn, p1. field. lra. }
  assert (private : forall z, good z = true -> forall x,
    P z x <= exp eps2 * P' z x /\ P' z x <= exp eps2 * P z x).
  { intros z G x. destruct (rows z) as [p1 Sn].
    destruct (safe_is_private outputs (p z) (S z) n eps2 p1 Sn ltac:(lra)
                (nonnegative z) (safe z G) x) as [_ B]. exact B. }
  split.
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
End Repaired_game.

Print Assumptions bracket_below_mass.
Print Assumptions enough_records.
Print Assumptions safe_is_private.
Print Assumptions repaired_game.
