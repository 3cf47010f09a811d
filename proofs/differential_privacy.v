(* Differential privacy: a companion to book/foundations/differential-privacy.md.

   A mechanism gives each data set a distribution on countably many outputs. An event is a finite
   set of outputs, a list without repetitions; other events are limits of these. *)
Require Import Reals Lra Lia Psatz List.
From Coquelicot Require Import Coquelicot.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
Import ListNotations.
Open Scope R_scope.

(* One direction of the definition, for the two distributions of a pair of neighbours. *)
Definition bounded {X : Type} (eps : R) (P Q : X -> R) : Prop :=
  forall E : list X, NoDup E -> sum E P <= exp eps * sum E Q.

(* Definition (ε-differential privacy): for all neighbours, in both orders, and all events. *)
Definition dp {D X : Type} (neighbours : D -> D -> Prop) (eps : R) (M : D -> X -> R) : Prop :=
  forall d d', neighbours d d' -> bounded eps (M d) (M d') /\ bounded eps (M d') (M d).

Lemma bounded_pointwise {X : Type} eps (P Q : X -> R) :
  bounded eps P Q <-> forall x, P x <= exp eps * Q x.
Proof.
  split.
  - intros H x. assert (N : NoDup [x]) by (constructor; [intros []|constructor]).
    specialize (H [x] N). simpl in H. lra.
  - intros H E _. rewrite <- sum_scal. apply sum_le. intros x _. apply H.
Qed.

(* With countably many outputs, numbered by 0, 1, 2, ..., a set of outputs may be infinite. Its
   probability is a series, and the bound for finite events gives the bound for every set. *)
Definition chance (P : nat -> R) (S : nat -> bool) : R := Series (fun x => if S x then P x else 0).

Theorem every_set_of_outputs eps (P Q : nat -> R) :
  (forall x, 0 <= P x) -> (forall x, 0 <= Q x) -> is_series Q 1 ->
  bounded eps P Q <-> forall S, chance P S <= exp eps * chance Q S.
Proof.
  intros P0 Q0 Q1. pose proof (exp_pos eps) as E. rewrite bounded_pointwise. split.
  - intros H S. unfold chance. rewrite <- Series_scal_l. apply Series_le.
    + intros x. specialize (H x). specialize (P0 x). destruct (S x); lra.
    + apply (ex_series_scal_l (K := R_AbsRing) (V := R_NormedModule) (exp eps)).
      apply (ex_series_le (K := R_AbsRing) (V := R_CompleteNormedModule) _ Q);
        [|exists 1; exact Q1].
      intros x. specialize (Q0 x). change (Rabs (if S x then Q x else 0) <= Q x).
      destruct (S x); [rewrite Rabs_pos_eq; lra|rewrite Rabs_R0; exact Q0].
  - intros H x. specialize (H (Nat.eqb x)). unfold chance in H.
    assert (one : forall R, Series (fun y => if Nat.eqb x y then R y else 0) = R x).
    { intros R. apply is_series_unique. unfold is_series.
      apply filterlim_ext_loc with (f := fun _ : nat => R x); [|apply filterlim_const].
      exists x. intros m L. assert (A : forall k, sum_n (fun y => if Nat.eqb x y then R y else 0) k
                                                = if Nat.leb x k then R x else 0).
      { induction k as [|k IH].
        - rewrite sum_O. destruct x; reflexivity.
        - rewrite sum_Sn, IH. destruct (Nat.eqb_spec x (Datatypes.S k)) as [->|Ne].
          + rewrite (proj2 (Nat.leb_gt (Datatypes.S k) k)), Nat.leb_refl by lia.
            apply (Rplus_0_l (R (Datatypes.S k))).
          + destruct (Nat.leb_spec x k), (Nat.leb_spec x (Datatypes.S k)); try lia;
              apply Rplus_0_r. }
      rewrite A. destruct (Nat.leb_spec x m); [reflexivity|lia]. }
    rewrite !one in H. exact H.
Qed.

(* Theorem (ε bounds what can be learned). The attacker believes with probability prior that Jacob's
   record is in the data. Bayes' rule multiplies the odds by P(x)/Q(x), where P and Q are the
   distributions of the output with the record and without it. *)
Definition posterior (prior a c : R) : R := prior * a / (prior * a + (1 - prior) * c).
Definition odds (belief : R) : R := belief / (1 - belief).

Lemma bayes prior a c : 0 < prior < 1 -> 0 < a -> 0 < c ->
  odds (posterior prior a c) = odds prior * (a / c).
Proof.
  intros P A C. assert (S : 0 < prior * a + (1 - prior) * c) by nra.
  unfold odds, posterior. field. repeat split; nra.
Qed.

Theorem posterior_odds {D X : Type} (neighbours : D -> D -> Prop) eps
  (M : D -> X -> R) d d' x prior :
  dp neighbours eps M -> neighbours d d' -> 0 < prior < 1 -> 0 < M d x \/ 0 < M d' x ->
  let belief := posterior prior (M d x) (M d' x) in
  exp (- eps) * odds prior <= odds belief <= exp eps * odds prior.
Proof.
  intros H N P occurs belief. destruct (H d d' N) as [U L].
  apply (proj1 (bounded_pointwise _ _ _)) with (x := x) in U.
  apply (proj1 (bounded_pointwise _ _ _)) with (x := x) in L.
  (* an output that occurs with the record or without it occurs in both cases *)
  assert (both : 0 < M d x /\ 0 < M d' x) by (pose proof (exp_pos eps); split; destruct occurs;
    nra).
  destruct both as [A C]. unfold belief. rewrite bayes by assumption. rewrite exp_Ropp.
  pose proof (exp_pos eps) as E.
  set (a := M d x) in *. set (c := M d' x) in *. set (e := exp eps) in *.
  assert (O : 0 < odds prior) by (unfold odds; apply Rdiv_lt_0_compat; lra).
  assert (Q : a / c * c = a) by (field; lra). assert (I : / e * e = 1) by (field; lra).
  assert (upper : a / c <= e) by (apply Rmult_le_reg_r with c; lra).
  assert (lower : / e <= a / c).
  { apply Rmult_le_reg_r with (c * e); [nra|]. replace (/ e * (c * e)) with c by (field; lra).
    replace (a / c * (c * e)) with (a * e) by (field; lra). lra. }
  split; nra.
Qed.

(* ---- The Laplace mechanism on a grid ---- *)

(* The L1 norm of a difference, and the weight of an output: c is the same number for every data set
   (for densities (2b)^-w; for whole numbers with two-sided geometric noise the power of its
   norm). *)
Fixpoint distance (y f : list R) : R :=
  match y, f with a :: y', c :: f' => Rabs (a - c) + distance y' f' | _, _ => 0 end.
Definition laplace (c b : R) (f y : list R) : R := c * exp (- (distance y f / b)).

Lemma triangle : forall y f g, length y = length f -> length f = length g ->
  distance y g <= distance y f + distance f g.
Proof.
  induction y as [|a y IH]; intros [|u f] [|v g] L1 L2; simpl in *; try lia; try lra.
  specialize (IH f g ltac:(lia) ltac:(lia)).
  pose proof (Rabs_triang (a - u) (u - v)). replace (a - u + (u - v)) with (a - v) in H by ring.
  lra.
Qed.

Lemma distance_symmetric : forall f g, distance f g = distance g f.
Proof.
  induction f as [|u f IH]; intros [|v g]; simpl; try reflexivity.
  rewrite IH, Rabs_minus_sym. reflexivity.
Qed.

Section Laplace_mechanism.
Context {D : Type}.
Variable neighbours : D -> D -> Prop.
Variables (w : nat) (f : D -> list R).                    (* w numbers *)
Hypothesis answers : forall d, length (f d) = w.
Variable sensitivity : R.
Hypothesis sensitive : forall d d', neighbours d d' -> distance (f d) (f d') <= sensitivity.
Variables (b c : R).
Hypothesis b_pos : 0 < b.
Hypothesis c_pos : 0 < c.

(* The outputs: points of a grid, given by an index; every one has w coordinates. *)
Context {X : Type}.
Variable point : X -> list R.
Hypothesis coordinates : forall x, length (point x) = w.

Theorem laplace_mechanism :
  dp neighbours (sensitivity / b) (fun d x => laplace c b (f d) (point x)).
Proof.
  assert (one : forall d d' x, distance (f d) (f d') <= sensitivity ->
    laplace c b (f d) (point x) <= exp (sensitivity / b) * laplace c b (f d') (point x)).
  { intros d d' x S. unfold laplace.
    pose proof (triangle (point x) (f d) (f d')) as T.
    rewrite coordinates, !answers in T. specialize (T eq_refl eq_refl).
    replace (exp (sensitivity / b) * (c * exp (- (distance (point x) (f d') / b))))
      with (c * (exp (sensitivity / b) * exp (- (distance (point x) (f d') / b)))) by ring.
    rewrite <- exp_plus. apply Rmult_le_compat_l; [lra|].
    assert (L : - (distance (point x) (f d) / b)
                <= sensitivity / b + - (distance (point x) (f d') / b)).
    { assert (0 < / b) by (apply Rinv_0_lt_compat; exact b_pos). unfold Rdiv. nra. }
    destruct L as [L|L]; [left; apply exp_increasing; exact L|right; rewrite L; reflexivity]. }
  intros d d' N. split; apply bounded_pointwise; intros x; apply one.
  - apply sensitive, N.
  - rewrite distance_symmetric. apply sensitive, N.
Qed.

(* And with no smaller ε. Two neighbours, and the output f(d) itself, *)
Lemma no_smaller_for_neighbours eps d d' x : neighbours d d' -> point x = f d ->
  dp neighbours eps (fun d x => laplace c b (f d) (point x)) -> distance (f d) (f d') / b <= eps.
Proof.
  intros N E H. destruct (H d d' N) as [bound _].
  apply (proj1 (bounded_pointwise _ _ _)) with (x := x) in bound. unfold laplace in bound.
  rewrite E in bound. set (s := distance (f d) (f d')) in *.
  assert (distance (f d) (f d) = 0) as Z0.
  { generalize (f d). induction l as [|a l IH]; simpl; [reflexivity|].
    rewrite IH, Rminus_diag_eq, Rabs_R0 by reflexivity. ring. }
  rewrite Z0 in bound. replace (- (0 / b)) with 0 in bound by (field; lra). rewrite exp_0 in bound.
  rewrite exp_Ropp in bound. pose proof (exp_pos (s / b)) as P.
  assert (exp (s / b) <= exp eps).
  { apply Rmult_le_reg_r with (c * / exp (s / b)).
    - apply Rmult_lt_0_compat; [exact c_pos|apply Rinv_0_lt_compat; exact P].
    - replace (exp (s / b) * (c * / exp (s / b))) with (c * 1) by (field; lra).
      exact bound. }
  destruct (Rle_lt_dec (s / b) eps) as [L|L]; [exact L|].
  apply exp_increasing in L. lra.
Qed.

(* for neighbours that attain the sensitivity or come as close to it as we like. *)
Theorem laplace_mechanism_tight eps :
  (forall e, 0 < e -> exists d d' x,
     neighbours d d' /\ sensitivity - e <= distance (f d) (f d') /\ point x = f d) ->
  dp neighbours eps (fun d x => laplace c b (f d) (point x)) -> sensitivity / b <= eps.
Proof.
  intros close H. apply Rnot_lt_le. intros L.
  assert (Q : sensitivity / b * b = sensitivity) by (field; lra).
  assert (G : eps * b < sensitivity) by nra.
  destruct (close ((sensitivity - eps * b) / 2) ltac:(lra)) as [d [d' [x [N [Close E]]]]].
  pose proof (no_smaller_for_neighbours eps d d' x N E H) as F.
  assert (distance (f d) (f d') / b * b = distance (f d) (f d')) by (field; lra). nra.
Qed.
End Laplace_mechanism.

(* ---- Post-processing ---- *)

(* A map A that may use random numbers of its own sends x to y with probability A x y. The mechanism
   has countably many outputs, numbered by 0, 1, 2, ..., so that y has a probability that is a
   series. *)
Definition process {Y : Type} (A : nat -> Y -> R) (P : nat -> R) (y : Y) : R :=
  Series (fun x => A x y * P x).

Theorem post_processing {D Y : Type} (neighbours : D -> D -> Prop) (eps : R)
    (M : D -> nat -> R) (A : nat -> Y -> R) :
  (forall d x, 0 <= M d x) -> (forall d, is_series (M d) 1) -> (forall x y, 0 <= A x y <= 1) ->
  dp neighbours eps M -> dp neighbours eps (fun d => process A (M d)).
Proof.
  intros M0 M1 A01 H.
  assert (one : forall d d', bounded eps (M d) (M d') ->
                bounded eps (process A (M d)) (process A (M d'))).
  { intros d d' B. apply bounded_pointwise. intros y. unfold process. rewrite <- Series_scal_l.
    (* average over what A does *)
    apply Series_le.
    - intros x. pose proof (proj1 (bounded_pointwise _ _ _) B x). pose proof (A01 x y).
      pose proof (M0 d x). split; [apply Rmult_le_pos; lra|].
      replace (exp eps * (A x y * M d' x)) with (A x y * (exp eps * M d' x)) by ring.
      apply Rmult_le_compat_l; lra.
    - apply (ex_series_scal_l (K := R_AbsRing) (V := R_NormedModule) (exp eps)).
      apply (ex_series_le (K := R_AbsRing) (V := R_CompleteNormedModule) _ (M d')).
      + intros x. pose proof (A01 x y). pose proof (M0 d' x).
        change (Rabs (A x y * M d' x) <= M d' x). rewrite Rabs_pos_eq; nra.
      + exists 1. apply M1. }
  intros d d' N. destruct (H d d' N). split; apply one; assumption.
Qed.

(* ---- Sequential composition ---- *)

(* The second mechanism may be chosen after seeing the first output x. *)
Definition both {D X Y : Type} (M1 : D -> X -> R) (M2 : X -> D -> Y -> R)
    (d : D) (xy : X * Y) : R :=
  M1 d (fst xy) * M2 (fst xy) d (snd xy).

Theorem basic_composition {D X Y : Type} (neighbours : D -> D -> Prop) (eps1 eps2 : R)
    (M1 : D -> X -> R) (M2 : X -> D -> Y -> R) :
  (forall d x, 0 <= M1 d x) -> (forall x d y, 0 <= M2 x d y) ->
  dp neighbours eps1 M1 -> (forall x, dp neighbours eps2 (M2 x)) ->
  dp neighbours (eps1 + eps2) (both M1 M2).
Proof.
  intros N1 N2 private1 private2.
  assert (one : forall d d', bounded eps1 (M1 d) (M1 d') ->
                (forall x, bounded eps2 (M2 x d) (M2 x d')) ->
                bounded (eps1 + eps2) (both M1 M2 d) (both M1 M2 d')).
  { intros d d' B1 B2. apply bounded_pointwise. intros [x y]. unfold both. simpl.
    pose proof (proj1 (bounded_pointwise _ _ _) B1 x) as A.
    pose proof (proj1 (bounded_pointwise _ _ _) (B2 x) y) as B.
    rewrite exp_plus.
    replace (exp eps1 * exp eps2 * (M1 d' x * M2 x d' y))
      with ((exp eps1 * M1 d' x) * (exp eps2 * M2 x d' y)) by ring.
    apply Rmult_le_compat; auto. }
  intros d d' N. destruct (private1 d d' N). split; apply one; try assumption; intros x;
    destruct (private2 x d d' N); assumption.
Qed.

(* By induction k answers are (Σ ε_j)-DP. Answer number j may depend on all earlier ones. *)
Fixpoint transcript {D X : Type} (Ms : list (list X -> D -> X -> R)) (seen : list X) (d : D)
    (xs : list X) : R :=
  match Ms, xs with
  | [], [] => 1
  | M :: Ms', x :: xs' => M seen d x * transcript Ms' (seen ++ [x]) d xs'
  | _, _ => 0
  end.

Theorem composition_of_many {D X : Type} (neighbours : D -> D -> Prop)
    (Ms : list ((list X -> D -> X -> R) * R)) :
  List.Forall (fun Me => (forall seen d x, 0 <= fst Me seen d x) /\
                         forall seen, dp neighbours (snd Me) (fst Me seen)) Ms ->
  dp neighbours (sum Ms snd) (transcript (map fst Ms) []).
Proof.
  intros H.
  assert (steps : forall d d', (neighbours d d' \/ neighbours d' d) -> forall xs seen,
    0 <= transcript (map fst Ms) seen d xs <=
    exp (sum Ms snd) * transcript (map fst Ms) seen d' xs).
  { intros d d' N. induction Ms as [|[M e] Ms' IH]; intros xs seen.
    - destruct xs; simpl; rewrite exp_0; lra.
    - destruct xs as [|x xs]; simpl; [lra|]. inversion H as [|? ? [P C] F]; subst.
      destruct (IH F xs (seen ++ [x])) as [L U]. simpl in P, C.
      assert (B : M seen d x <= exp e * M seen d' x).
      { destruct N as [N|N]; destruct (C seen _ _ N) as [B1 B2];
          [apply (proj1 (bounded_pointwise _ _ _) B1)|apply (proj1 (bounded_pointwise _ _ _) B2)]. }
      split; [apply Rmult_le_pos; auto|]. rewrite exp_plus.
      replace (exp e * exp (sum Ms' snd) * (M seen d' x * transcript (map fst Ms') (seen ++ [x]) d'
        xs))
        with ((exp e * M seen d' x)
              * (exp (sum Ms' snd) * transcript (map fst Ms') (seen ++ [x]) d' xs)) by ring.
      apply Rmult_le_compat; auto. }
  intros d d' N. split; apply bounded_pointwise; intros xs; apply steps; auto.
Qed.

(* Group privacy: k neighbours one after the other. *)
Inductive apart {D : Type} (neighbours : D -> D -> Prop) : nat -> D -> D -> Prop :=
| apart_0 d : apart neighbours 0 d d
| apart_S k d d' d'' : neighbours d d' -> apart neighbours k d' d'' -> apart neighbours (S k) d d''.

Theorem group_privacy {D X : Type} (neighbours : D -> D -> Prop) (eps : R)
  (M : D -> X -> R) k d d' :
  dp neighbours eps M -> apart neighbours k d d' -> bounded (INR k * eps) (M d) (M d').
Proof.
  intros H A. apply bounded_pointwise. intros x. induction A as [d|k d d' d'' N A IH].
  - simpl. rewrite Rmult_0_l, exp_0. lra.
  - destruct (H d d' N) as [B _]. pose proof (proj1 (bounded_pointwise _ _ _) B x).
    rewrite S_INR. replace ((INR k + 1) * eps) with (eps + INR k * eps) by ring. rewrite exp_plus.
    pose proof (exp_pos eps). nra.
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@every_set_of_outputs, @posterior_odds, @laplace_mechanism, @laplace_mechanism_tight,
   @post_processing, @basic_composition, @composition_of_many, @group_privacy).
Print Assumptions checked_here.
