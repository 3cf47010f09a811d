(* An equilibrium that exposes a record: a companion to book/experiments/published-proof.md.

   24 records in bin 0, one in bin 10 and one in bin 11, on 12 bins, ε = 0.3. Every record may
   choose any scale b from 0.28 to infinity. If all choose 0.28, the record of bin 11 is not
   private, and yet no change of a single record raises the payoff. The numbers are enclosed by
   interval arithmetic. *)
Require Import Reals Lra Lia Psatz List Permutation Bool.
From Interval Require Import Tactic.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
Require Pdp.truncated_laplace.
Import ListNotations.
Open Scope R_scope.

(* A scale is given by t = e^{-1/(24 b)}, which runs from t0 at b = 0.28 to 1 at b = infinity. *)
Definition t_of (b : R) : R := exp (- (1 / (24 * b))).
Definition t0 : R := t_of (28 / 100).

Lemma scales b : 28 / 100 <= b -> t0 <= t_of b <= 1.
Proof.
  intros B. assert (E : forall c d, c <= d -> exp c <= exp d).
  { intros c d [H|H]; [left; apply exp_increasing, H|right; rewrite H; reflexivity]. }
  assert (I : / (24 * b) <= / (24 * (28 / 100))) by (apply Rinv_le_contravar; lra).
  assert (0 < / (24 * b)) by (apply Rinv_0_lt_compat; lra).
  unfold t0, t_of, Rdiv in *. split; [apply E; lra|].
  apply Rle_trans with (exp 0); [apply E; lra|rewrite exp_0; lra].
Qed.

(* A record of bin k puts on bin x, at a distance of d bins, a mass proportional to N_d(t). *)
Definition bins : list nat := seq 0 12.
Definition distance (k x : nat) : nat := (k - x) + (x - k).
Definition N (d : nat) (t : R) : R := match d with O => 2 | _ => t ^ (2 * d - 1) + t ^ (2 * d) end.
Definition total (k : nat) (t : R) : R := sum bins (fun y => N (distance k y) t).
Definition masses (k : nat) (t : R) (x : nat) : R :=
  if (x <? 12)%nat then N (distance k x) t / total k t else 0.

(* A profile says which t each of the 26 records has. *)
Definition records : list nat := seq 0 26.
Definition place (i : nat) : nat := if (i <? 24)%nat then 0 else if (i =? 24)%nat then 10 else 11.
Definition profile := nat -> R.
Definition start : profile := fun _ => t0.
Definition change (c : profile) (i : nat) (s : R) : profile :=
  fun j => if Nat.eq_dec j i then s else c j.

(* Who is private, by the linear form of pDP; that this is the definition is proved at the end. *)
Definition eps : R := 3 / 10.
Definition S (c : profile) (x : nat) : R := sum records (fun i => masses (place i) (c i) x).
Definition le (a b : R) : bool := if Rle_dec a b then true else false.
Definition private (c : profile) (i : nat) : bool :=
  forallb (fun x => le (sigma 26 eps * S c x) (masses (place i) (c i) x)
                    && le (masses (place i) (c i) x) (tau 26 eps * S c x)) bins.

(* The payoff P_E + P_U. *)
Definition occupied : list nat := [0; 10; 11]%nat.
Definition count (x : nat) : R := match x with 0%nat => 24 | _ => 1 end.      (* on occupied bins *)
Definition P_E (c : profile) : nat := length (filter (private c) records).
Definition KL (c : profile) : R :=
  sum occupied (fun x => count x / 26 * ln (count x / 26 / (S c x / 26))).
Definition payoff (c : profile) : R := INR (P_E c) + (1 - KL c / ln 12).

(* ---- Masses ---- *)

Lemma t0_between : 86173 / 100000 < t0 < 86174 / 100000.
Proof. unfold t0, t_of. split; interval with (i_prec 60). Qed.

Lemma t0_near : 86173323893 / 100000000000 < t0 < 86173323894 / 100000000000.
Proof. unfold t0, t_of. split; interval with (i_prec 60). Qed.

Lemma N_pos d t : 0 < t -> 0 < N d t.
Proof.
  intros T. destruct d as [|d]; unfold N; [lra|].
  pose proof (pow_lt t (2 * Datatypes.S d - 1) T). pose proof (pow_lt t (2 * Datatypes.S d) T). lra.
Qed.

Lemma total_pos k t : 0 < t -> 0 < total k t.
Proof. intros T. apply sum_pos; [discriminate|]. intros y _. apply N_pos, T. Qed.

Lemma masses_nonneg k t x : 0 < t -> 0 <= masses k t x.
Proof.
  intros T. unfold masses. destruct (x <? 12)%nat; [|lra].
  apply Rlt_le, Rdiv_lt_0_compat; [apply N_pos|apply total_pos]; exact T.
Qed.

Lemma pow_decreases t m n : 0 < t <= 1 -> (m <= n)%nat -> t ^ n <= t ^ m.
Proof.
  intros T L. induction L as [|n L IH]; [lra|]. simpl. pose proof (pow_lt t n ltac:(lra)). nra.
Qed.

Lemma N_decreases d e t : 0 < t <= 1 -> (d <= e)%nat -> N e t <= N d t.
Proof.
  intros T L. destruct d as [|d], e as [|e]; [lra| |lia|].
  - unfold N. pose proof (pow_decreases t 0 (2 * Datatypes.S e - 1) T ltac:(lia)).
    pose proof (pow_decreases t 0 (2 * Datatypes.S e) T ltac:(lia)). simpl pow in *. lra.
  - unfold N. pose proof (pow_decreases t (2 * Datatypes.S d - 1) (2 * Datatypes.S e - 1) T
      ltac:(lia)).
    pose proof (pow_decreases t (2 * Datatypes.S d) (2 * Datatypes.S e) T ltac:(lia)). lra.
Qed.

(* If all have t0, the mass is that of 24 records of bin 0 and one each of bins 10 and 11. *)
Definition S0 (x : nat) : R := 24 * masses 0 t0 x + masses 10 t0 x + masses 11 t0 x.

Lemma S_start x : S start x = S0 x.
Proof. unfold S, S0, records, start. cbn [seq sum fold_right place Nat.ltb Nat.leb Nat.eqb]. ring.
Qed.

Lemma sum_change (f g : nat -> R) l i : NoDup l -> In i l -> (forall j, j <> i -> g j = f j) ->
  sum l g = sum l f + (g i - f i).
Proof.
  intros D I E. induction D as [|j l J D IH]; [contradiction|]. cbn [sum fold_right].
  fold (sum l g) (sum l f). destruct I as [->|I].
  - rewrite (sum_ext l g f); [ring|]. intros a A. apply E. intros ->. contradiction.
  - rewrite (IH I), (E j); [ring|]. intros ->. contradiction.
Qed.

Lemma S_change i s x : (i < 26)%nat ->
  S (change start i s) x = S0 x + (masses (place i) s x - masses (place i) t0 x).
Proof.
  intros I. rewrite <- S_start. unfold S.
  rewrite (sum_change (fun j => masses (place j) (start j) x) _ records i).
  - unfold change, start. destruct (Nat.eq_dec i i); [reflexivity|congruence].
  - apply seq_NoDup.
  - apply in_seq. lia.
  - intros j J. unfold change. destruct (Nat.eq_dec j i); [congruence|reflexivity].
Qed.

Lemma where_it_is i : (i < 26)%nat ->
  ((i < 24)%nat /\ place i = 0%nat) \/ (i = 24%nat /\ place i = 10%nat)
    \/ (i = 25%nat /\ place i = 11%nat).
Proof.
  intros I. unfold place. destruct (Nat.ltb_spec i 24); [left; auto|].
  destruct (Nat.eqb_spec i 24); [right; left; auto|right; right; split; [lia|reflexivity]].
Qed.

(* A mass at t0 as an expression that interval arithmetic can evaluate. *)
Ltac numbers :=
  unfold S0, masses, total, bins;
  cbn [seq sum fold_right Nat.ltb Nat.leb distance Nat.sub Nat.add N Nat.mul];
  pose proof t0_near; set (t := t0) in *; clearbody t; apply Rminus_lt; interval with (i_prec 60).

Lemma tau_between : 2876747 / 10000000 < tau 26 eps < 2876748 / 10000000.
Proof. unfold tau, eps. split; interval with (i_prec 60). Qed.

Lemma sigma_below : sigma 26 eps < 0.
Proof. unfold sigma, eps. interval with (i_prec 60). Qed.

(* ---- The profile at which all have the scale 0.28 exposes the record of bin 11, and no other
   ---- *)

Lemma exposed : tau 26 eps * S0 11 < masses 11 t0 11.
Proof.
  pose proof tau_between as T. set (u := tau 26 eps) in *. clearbody u. numbers.
Qed.

Lemma le_true a b : a <= b -> le a b = true.
Proof. intros H. unfold le. destruct (Rle_dec a b); [reflexivity|contradiction]. Qed.

Lemma le_false a b : b < a -> le a b = false.
Proof. intros H. unfold le. destruct (Rle_dec a b); [lra|reflexivity]. Qed.

Lemma S0_nonneg x : 0 <= S0 x.
Proof.
  pose proof t0_between. unfold S0. pose proof (masses_nonneg 0 t0 x ltac:(lra)).
  pose proof (masses_nonneg 10 t0 x ltac:(lra)). pose proof (masses_nonneg 11 t0 x ltac:(lra)). lra.
Qed.

Lemma neighbour_private x : In x bins -> masses 10 t0 x <= tau 26 eps * S0 x.
Proof.
  intros I. pose proof tau_between as T. set (u := tau 26 eps) in *. clearbody u.
  unfold bins in I. cbn [seq] in I.
  repeat (destruct I as [<-|I]; [apply Rlt_le; numbers|]). destruct I.
Qed.

Lemma the_others_are_private i : (i < 25)%nat -> private start i = true.
Proof.
  intros I. unfold private. apply forallb_forall. intros x X.
  rewrite S_start. change (start i) with t0. pose proof t0_between. pose proof tau_between.
  pose proof sigma_below.
  pose proof (S0_nonneg x). rewrite andb_true_iff. split; apply le_true.
  - pose proof (masses_nonneg (place i) t0 x ltac:(lra)). nra.
  - destruct (where_it_is i ltac:(lia)) as [[_ ->]|[[_ ->]|[-> _]]];
      [|apply neighbour_private, X|lia].
    unfold S0. pose proof (masses_nonneg 0 t0 x ltac:(lra)).
    pose proof (masses_nonneg 10 t0 x ltac:(lra)). pose proof (masses_nonneg 11 t0 x ltac:(lra)).
    nra.
Qed.

Lemma not_private c i x : In x bins -> tau 26 eps * S c x < masses (place i) (c i) x ->
  private c i = false.
Proof.
  intros X H. destruct (private c i) eqn:E; [|reflexivity].
  unfold private in E. rewrite forallb_forall in E. specialize (E x X).
  rewrite (le_false _ _ H), andb_false_r in E. discriminate.
Qed.

Lemma bin_11 : In 11%nat bins.
Proof. unfold bins. cbn. tauto. Qed.

Theorem record_of_bin_11_is_exposed : private start 25 = false.
Proof.
  apply not_private with (x := 11%nat); [exact bin_11|]. rewrite S_start. exact exposed.
Qed.

(* ---- No move makes all 26 private ---- *)

(* The record of bin 11 moves. Whatever mass a it puts on its own bin, it or its neighbour is not
   private there: (1 - 2τ) p_10(11) <= 24 τ p_0(11) is false, and a has dropped out. *)
Lemma false_inequality : 24 * tau 26 eps * masses 0 t0 11 < (1 - 2 * tau 26 eps) * masses 10 t0 11.
Proof. pose proof tau_between as T. set (u := tau 26 eps) in *. clearbody u. numbers. Qed.

Theorem no_noise_of_its_own_helps a :
  let S' := 24 * masses 0 t0 11 + masses 10 t0 11 + a in
  ~ (a <= tau 26 eps * S' /\ masses 10 t0 11 <= tau 26 eps * S').
Proof.
  intros S' [A B]. unfold S' in *. pose proof false_inequality as F. pose proof tau_between as T.
  set (q := tau 26 eps) in *. set (u := 24 * masses 0 t0 11) in *. set (v := masses 10 t0 11) in *.
  assert (C : (1 - q) * (u + v + a) <= u + v) by lra.
  assert ((1 - q) * v <= q * ((1 - q) * (u + v + a))).
  { replace (q * ((1 - q) * (u + v + a))) with ((1 - q) * (q * (u + v + a))) by ring.
    apply Rmult_le_compat_l; lra. }
  assert (q * ((1 - q) * (u + v + a)) <= q * (u + v)) by (apply Rmult_le_compat_l; lra).
  assert (24 * q * masses 0 t0 11 = q * u) by (unfold u; ring). lra.
Qed.

(* The record of bin 10 moves. Bins 9 and 11 are equally far from it, and bin 10 gets no less, so it
   puts at most 1/3 on bin 11. *)
Lemma at_most_a_third s : 0 < s <= 1 -> masses 10 s 11 <= 1 / 3.
Proof.
  intros T. unfold masses. cbn [Nat.ltb Nat.leb distance Nat.sub Nat.add].
  assert (L : 3 * N 1 s <= total 10 s).
  { unfold total, bins. cbn [seq sum fold_right distance Nat.sub Nat.add].
    pose proof (N_decreases 0 1 s T ltac:(lia)).
    repeat match goal with |- context [N ?d s] =>
      lazymatch goal with H : 0 < N d s |- _ => fail | _ => pose proof (N_pos d s ltac:(lra)) end
        end.
    lra. }
  pose proof (total_pos 10 s ltac:(lra)). apply Rmult_le_reg_r with (total 10 s); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(* A record of bin 0 moves. Bin 11 is farthest from it and gets at most 1/12. *)
Lemma at_most_a_twelfth s : 0 < s <= 1 -> masses 0 s 11 <= 1 / 12.
Proof.
  intros T. unfold masses. cbn [Nat.ltb Nat.leb distance Nat.sub Nat.add].
  assert (L : 12 * N 11 s <= total 0 s).
  { unfold total. replace 12 with (INR (length bins)) by (simpl; ring). rewrite <- sum_const.
    apply sum_le. intros y Y. apply in_seq in Y.
    apply N_decreases; [exact T|unfold distance; lia]. }
  pose proof (total_pos 0 s ltac:(lra)). apply Rmult_le_reg_r with (total 0 s); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma a_third_is_too_little :
  tau 26 eps * (24 * masses 0 t0 11 + 1 / 3 + masses 11 t0 11) < masses 11 t0 11.
Proof. pose proof tau_between as T. set (u := tau 26 eps) in *. clearbody u. numbers. Qed.

Lemma a_twelfth_is_too_little :
  tau 26 eps * (23 * masses 0 t0 11 + 1 / 12 + masses 10 t0 11 + masses 11 t0 11) < masses 11 t0 11.
Proof. pose proof tau_between as T. set (u := tau 26 eps) in *. clearbody u. numbers. Qed.

Theorem no_move_makes_all_private i s : (i < 26)%nat -> t0 <= s <= 1 ->
  exists j, In j records /\ private (change start i s) j = false.
Proof.
  intros I T. pose proof t0_between as T0. pose proof tau_between as Q. set (c := change start i s).
  assert (M : S c 11 = S0 11 + (masses (place i) s 11 - masses (place i) t0 11))
    by (apply S_change; exact I).
  destruct (where_it_is i I) as [[L P]|[[-> P]|[-> P]]]; rewrite P in M.
  - exists 25%nat. split; [apply in_seq; lia|].
    apply not_private with (x := 11%nat); [exact bin_11|].
    replace (c 25%nat) with t0 by (unfold c, change; destruct (Nat.eq_dec 25 i); [lia|reflexivity]).
    replace (place 25) with 11%nat by reflexivity. rewrite M. unfold S0.
    pose proof (at_most_a_twelfth s ltac:(lra)). pose proof a_twelfth_is_too_little. nra.
  - exists 25%nat. split; [apply in_seq; lia|].
    apply not_private with (x := 11%nat); [exact bin_11|].
    replace (c 25%nat) with t0 by (unfold c, change; destruct (Nat.eq_dec 25 24);
      [lia|reflexivity]).
    replace (place 25) with 11%nat by reflexivity. rewrite M. unfold S0.
    pose proof (at_most_a_third s ltac:(lra)). pose proof a_third_is_too_little. nra.
  - pose proof (no_noise_of_its_own_helps (masses 11 s 11)) as H. cbv zeta in H.
    assert (M' : S c 11 = 24 * masses 0 t0 11 + masses 10 t0 11 + masses 11 s 11).
    { rewrite M. unfold S0. ring. }
    rewrite <- M' in H. destruct (Rle_dec (masses 11 s 11) (tau 26 eps * S c 11)) as [A|A].
    + exists 24%nat. split; [apply in_seq; lia|].
      apply not_private with (x := 11%nat); [exact bin_11|].
      replace (c 24%nat) with t0 by (unfold c, change; destruct (Nat.eq_dec 24 25);
        [lia|reflexivity]).
      replace (place 24) with 10%nat by reflexivity. apply Rnot_le_lt. intros B. tauto.
    + exists 25%nat. split; [apply in_seq; lia|].
      apply not_private with (x := 11%nat); [exact bin_11|].
      replace (c 25%nat) with s by (unfold c, change; destruct (Nat.eq_dec 25 25);
        [reflexivity|lia]).
      replace (place 25) with 11%nat by reflexivity. lra.
Qed.

(* ---- No move improves the output ---- *)

(* With w_x = c_x / S(x), a move of a record of bin k gains at most Σ w_x (a(x) - p_k(x)), since the
   logarithm lies below its tangent. This has the sign of Q(t) = Σ w_x N_x(t) - g Σ N_x(t), with
   Q(t0) = 0. The page counts changes of sign; here we divide by t - t0, and the quotient H is
   negative on [t0, 1]. *)
Definition w (x : nat) : R := count x / S0 x.

Fixpoint h (m : nat) (s t : R) : R :=                                  (* (s^m - t^m) / (s - t) *)
  match m with O => 0 | Datatypes.S m' => t ^ m' + s * h m' s t end.

Lemma h_divides m s t : s ^ m - t ^ m = (s - t) * h m s t.
Proof.
  induction m as [|m IH]; [simpl; ring|]. cbn [pow h].
  replace (s * s ^ m - t * t ^ m) with (s * (s ^ m - t ^ m) + (s - t) * t ^ m) by ring. rewrite IH.
  ring.
Qed.

Definition D (d : nat) (s t : R) : R :=
  match d with O => 0 | _ => h (2 * d - 1) s t + h (2 * d) s t end.

Lemma D_divides d s t : N d s - N d t = (s - t) * D d s t.
Proof.
  destruct d as [|d]; unfold N, D; [ring|].
  rewrite Rmult_plus_distr_l, <- !h_divides. ring.
Qed.

Definition H (k : nat) (s : R) (g : R) : R :=
  sum occupied (fun x => w x * D (distance k x) s t0) - g * sum bins
    (fun y => D (distance k y) s t0).

Definition g (k : nat) : R := sum occupied (fun x => w x * masses k t0 x).

Lemma gain k s : In k occupied -> t0 <= s <= 1 ->
  sum occupied (fun x => w x * (masses k s x - masses k t0 x)) * total k s = (s - t0) * H k s (g k).
Proof.
  intros K T. pose proof t0_between as T0.
  pose proof (total_pos k s ltac:(lra)) as P. pose proof (total_pos k t0 ltac:(lra)) as P0.
  assert (E : total k s - total k t0 = (s - t0) * sum bins (fun y => D (distance k y) s t0)).
  { unfold total. rewrite <- sum_scal.
    transitivity (sum bins (fun y => N (distance k y) s + -1 * N (distance k y) t0)).
    - rewrite sum_plus, sum_scal. ring.
    - apply sum_ext. intros y _. rewrite <- D_divides. ring. }
  assert (F : sum occupied (fun x => w x * N (distance k x) s) - sum occupied
    (fun x => w x * N (distance k x) t0)
              = (s - t0) * sum occupied (fun x => w x * D (distance k x) s t0)).
  { rewrite <- sum_scal.
    transitivity (sum occupied
      (fun x => w x * N (distance k x) s + -1 * (w x * N (distance k x) t0))).
    - rewrite sum_plus, sum_scal. ring.
    - apply sum_ext. intros x _.
      replace ((s - t0) * (w x * D (distance k x) s t0))
        with (w x * ((s - t0) * D (distance k x) s t0)) by ring.
      rewrite <- D_divides. ring. }
  assert (M : forall t, 0 < total k t ->
    sum occupied (fun x => w x * masses k t x) * total k t
      = sum occupied (fun x => w x * N (distance k x) t)).
  { intros t Pt. rewrite Rmult_comm, <- sum_scal. apply sum_ext. intros x X. unfold masses.
    assert (L : (x <? 12)%nat = true).
    { destruct X as [<-|[<-|[<-|[]]]]; reflexivity. }
    rewrite L. field. lra. }
  assert (G : g k * total k t0 = sum occupied (fun x => w x * N (distance k x) t0))
    by (apply M; exact P0).
  unfold H. rewrite Rmult_minus_distr_l, <- F.
  replace ((s - t0) * (g k * sum bins (fun y => D (distance k y) s t0)))
    with (g k * (total k s - total k t0))
    by (rewrite E; ring).
  rewrite <- (M s P). replace (sum occupied (fun x => w x * N (distance k x) t0))
    with (g k * total k t0).
  rewrite (sum_ext occupied (fun x => w x * (masses k s x - masses k t0 x))
             (fun x => w x * masses k s x + -1 * (w x * masses k t0 x))) by (intros; ring).
  rewrite sum_plus, sum_scal. fold (g k). ring.
Qed.

(* The weights, and the g of the three bins. *)
Lemma w_0 : 39837 / 10000 < w 0 < 39838 / 10000.
Proof. unfold w, count. split; numbers. Qed.
Lemma w_10 : 13488 / 10000 < w 10 < 13490 / 10000.
Proof. unfold w, count. split; numbers. Qed.
Lemma w_11 : 15056 / 10000 < w 11 < 15058 / 10000.
Proof. unfold w, count. split; numbers. Qed.

Ltac numbers_g :=
  unfold g, occupied; cbn [sum fold_right];
  pose proof w_0; pose proof w_10; pose proof w_11;
  set (w0 := w 0) in *; set (w10 := w 10) in *; set (w11 := w 11) in *; clearbody w0 w10 w11;
    numbers.

Lemma g_0 : 10302 / 10000 < g 0 < 10305 / 10000.
Proof. split; numbers_g. Qed.
Lemma g_10 : 5831 / 10000 < g 10 < 5834 / 10000.
Proof. split; numbers_g. Qed.
Lemma g_11 : 6878 / 10000 < g 11 < 6881 / 10000.
Proof. split; numbers_g. Qed.

Ltac quotient G :=
  unfold H, occupied, bins; cbn [seq sum fold_right distance Nat.sub Nat.add D Nat.mul h];
  pose proof w_0; pose proof w_10; pose proof w_11; pose proof t0_near; pose proof G;
  set (w0 := w 0) in *; set (w10 := w 10) in *; set (w11 := w 11) in *; clearbody w0 w10 w11;
  set (t := t0) in *; clearbody t;
  match goal with |- context [g ?k] => set (gk := g k) in *; clearbody gk end.

Lemma H_0 s : 86 / 100 <= s <= 1 -> H 0 s (g 0) < 0.
Proof. intros B. quotient g_0. interval with (i_prec 40, i_bisect s, i_depth 12). Qed.
Lemma H_10 s : 86 / 100 <= s <= 1 -> H 10 s (g 10) < 0.
Proof. intros B. quotient g_10. interval with (i_prec 40, i_bisect s, i_depth 12). Qed.
Lemma H_11 s : 86 / 100 <= s <= 1 -> H 11 s (g 11) < 0.
Proof. intros B. quotient g_11. interval with (i_prec 40, i_bisect s, i_depth 12). Qed.

Lemma no_gain k s : In k occupied -> t0 <= s <= 1 ->
  sum occupied (fun x => w x * (masses k s x - masses k t0 x)) <= 0.
Proof.
  intros K T. pose proof (gain k s K T) as E. pose proof t0_between as T0.
  pose proof (total_pos k s ltac:(lra)) as P.
  assert (H k s (g k) < 0).
  { destruct K as [<-|[<-|[<-|[]]]]; [apply H_0|apply H_10|apply H_11]; lra. }
  nra.
Qed.

Lemma S_pos i s x : (i < 26)%nat -> t0 <= s <= 1 -> In x occupied -> 0 < S (change start i s) x.
Proof.
  intros I T X. rewrite S_change by exact I. pose proof t0_between as T0.
  assert (0 < masses (place i) s x).
  { unfold masses. assert (L : (x <? 12)%nat = true)
      by (destruct X as [<-|[<-|[<-|[]]]]; reflexivity).
    rewrite L. apply Rdiv_lt_0_compat; [apply N_pos|apply total_pos]; lra. }
  pose proof (masses_nonneg 0 t0 x ltac:(lra)). pose proof (masses_nonneg 10 t0 x ltac:(lra)).
  pose proof (masses_nonneg 11 t0 x ltac:(lra)). unfold S0.
  destruct (where_it_is i I) as [[_ E]|[[_ E]|[_ E]]]; rewrite E in *; lra.
Qed.

Lemma S0_pos x : In x occupied -> 0 < S0 x.
Proof.
  intros X. pose proof t0_between as T0. pose proof (S_pos 0 t0 x ltac:(lia) ltac:(lra) X) as P.
  rewrite S_change in P by lia. lra.
Qed.

Theorem no_move_lowers_the_divergence i s : (i < 26)%nat -> t0 <= s <= 1 ->
  KL start <= KL (change start i s).
Proof.
  intros I T. set (c := change start i s).
  assert (K : In (place i) occupied).
  { destruct (where_it_is i I) as [[_ ->]|[[_ ->]|[_ ->]]]; unfold occupied; cbn; tauto. }
  pose proof (no_gain (place i) s K T) as G.
  assert (E : KL start - KL c
    <= / 26 * sum occupied (fun x => w x * (masses (place i) s x - masses (place i) t0 x))).
  { unfold KL. rewrite <- sum_scal.
    apply Rle_trans with (sum occupied (fun x => count x / 26 * ln (count x / 26 / (S start x / 26))
                                       + -1 * (count x / 26 * ln (count x / 26 / (S c x / 26))))).
    - rewrite sum_plus, sum_scal. lra.
    - apply sum_le. intros x X. rewrite S_start. pose proof (S0_pos x X) as P0.
      pose proof (S_pos i s x I T X) as P. fold c in P.
      assert (C : 1 <= count x) by (destruct X as [<-|[<-|[<-|[]]]]; simpl; lra).
      (* the logarithm lies below its tangent *)
      assert (L : ln (S c x / S0 x) <= S c x / S0 x - 1).
      { pose proof (exp_ineq1_le (ln (S c x / S0 x))) as B.
        rewrite exp_ln in B by (apply Rdiv_lt_0_compat; assumption). lra. }
      assert (Q : forall m, 0 < m -> ln (count x / 26 / (m / 26)) = ln (count x) - ln m).
      { intros m Pm. replace (count x / 26 / (m / 26)) with (count x * / m) by (field; lra).
        rewrite ln_mult, ln_Rinv; [ring|exact Pm|lra|apply Rinv_0_lt_compat, Pm]. }
      assert (R : ln (S c x / S0 x) = ln (S c x) - ln (S0 x)).
      { unfold Rdiv. rewrite ln_mult, ln_Rinv; [ring|exact P0|exact P|apply Rinv_0_lt_compat, P0]. }
      rewrite (Q _ P0), (Q _ P). rewrite R in L. unfold w.
      assert (M : S c x = S0 x + (masses (place i) s x - masses (place i) t0 x))
        by (apply S_change, I).
      replace (/ 26 * (count x / S0 x * (masses (place i) s x - masses (place i) t0 x)))
        with (count x / 26 * (S c x / S0 x - 1)) by (rewrite M; field; lra).
      assert (count x / 26 * (ln (S c x) - ln (S0 x)) <= count x / 26 * (S c x / S0 x - 1))
        by (apply Rmult_le_compat_l; lra).
      lra. }
  lra.
Qed.

(* ---- The equilibrium ---- *)

Lemma all_pass (f : nat -> bool) l : (forall i, In i l -> f i = true) -> filter f l = l.
Proof.
  induction l as [|a l IH]; intros A; [reflexivity|]. cbn [filter].
  rewrite (A a); [|left; reflexivity].
  f_equal. apply IH. intros i I. apply A. right. exact I.
Qed.

Lemma at_start_25_are_private : P_E start = 25%nat.
Proof.
  unfold P_E. change records with (seq 0 25 ++ [25%nat]). rewrite filter_app, app_length.
  cbn [filter]. rewrite record_of_bin_11_is_exposed, all_pass, seq_length; [reflexivity|].
  intros i I. apply in_seq in I. apply the_others_are_private. lia.
Qed.

Lemma fewer_than_all (f : nat -> bool) l j : In j l -> f j = false ->
  (length (filter f l) < length l)%nat.
Proof.
  induction l as [|a l IH]; intros J F; [contradiction|]. cbn [filter length].
  assert (L : (length (filter f l) <= length l)%nat).
  { clear. induction l as [|b l IH]; cbn [filter length]; [lia|].
    destruct (f b); cbn [length]; lia. }
  destruct J as [->|J].
  - rewrite F. lia.
  - specialize (IH J F). destruct (f a); cbn [length]; lia.
Qed.

(* A move changes P_E from 25 to at most 25, and does not raise P_U. So no record gains by
   moving. *)
Lemma an_equilibrium_that_exposes_a_record :
  private start 25 = false /\
  forall i s, (i < 26)%nat -> t0 <= s <= 1 -> payoff (change start i s) <= payoff start.
Proof.
  split; [exact record_of_bin_11_is_exposed|]. intros i s I T.
  assert (E : (P_E (change start i s) <= 25)%nat).
  { destruct (no_move_makes_all_private i s I T) as [j [J F]].
    pose proof (fewer_than_all _ _ _ J F) as L. unfold P_E.
    replace (length records) with 26%nat in L by reflexivity.
    lia. }
  apply le_INR in E. pose proof (no_move_lowers_the_divergence i s I T) as L.
  unfold payoff. rewrite at_start_25_are_private.
  assert (0 < / ln 12) by (apply Rinv_0_lt_compat; rewrite <- ln_1; apply ln_increasing; lra).
  assert (KL start / ln 12 <= KL (change start i s) / ln 12).
  { unfold Rdiv. apply Rmult_le_compat_r; lra. }
  lra.
Qed.

(* That `private` is the definition of ε-pDP, for record i and the 25 others. *)
Definition others (i : nat) : list nat := filter (fun j => negb (j =? i)%nat) records.
Definition its (c : profile) (i : nat) : @row nat := masses (place i) (c i).

Lemma with_the_others c i x : (i < 26)%nat ->
  mass (its c i :: map (its c) (others i)) x = S c x.
Proof.
  intros I. assert (E : forall p l, mass (p :: l) x = p x + sum l (fun q => q x)) by reflexivity.
  rewrite E, sum_map. unfold S, others, its. generalize (seq_NoDup 26 0) (proj2 (in_seq 26 0 i)).
  fold records. intros D' J. specialize (J ltac:(lia)). revert D' J. generalize records.
  set (f := fun j => masses (place j) (c j) x). change (masses (place i) (c i) x) with (f i).
  change (fun a => masses (place a) (c a) x) with f. clearbody f. clear.
  induction l as [|a l IH]; intros Nd J; [contradiction|]. inversion Nd as [|? ? A D']; subst.
  cbn [filter]. destruct (Nat.eqb_spec a i) as [->|Ne]; cbn [negb].
  - replace (filter (fun j => negb (j =? i)%nat) l) with l; [reflexivity|]. symmetry.
    apply all_pass.
    intros j Jl. destruct (Nat.eqb_spec j i) as [->|]; [contradiction|reflexivity].
  - destruct J as [->|J]; [congruence|]. specialize (IH D' J). simpl. rewrite <- IH. simpl. ring.
Qed.

Lemma number_of_others i : (i < 26)%nat -> length (others i) = 25%nat.
Proof.
  intros I. do 26 (destruct i as [|i]; [reflexivity|]). lia.
Qed.

Lemma private_at_all_bins c i : private c i = true <-> forall x, In x bins ->
  sigma 26 eps * S c x <= its c i x <= tau 26 eps * S c x.
Proof.
  unfold private. rewrite forallb_forall. fold (its c i). split; intros A x X; specialize (A x X).
  - apply andb_true_iff in A. destruct A as [A B]. unfold le in A, B.
    destruct (Rle_dec _ _) in A; [|discriminate]. destruct (Rle_dec _ _) in B; [|discriminate].
    split; assumption.
  - apply andb_true_iff. split; apply le_true; apply A.
Qed.

Lemma beyond_the_bins c x : (12 <= x)%nat -> (forall i, its c i x = 0) /\ S c x = 0.
Proof.
  intros X. assert (Z : forall i, its c i x = 0).
  { intros i. unfold its, masses. destruct (Nat.ltb_spec x 12); [lia|reflexivity]. }
  split; [exact Z|]. unfold S. rewrite (sum_ext _ _ (fun _ => 0)) by (intros j _; apply Z).
  rewrite sum_const. ring.
Qed.

Theorem private_is_pdp c i : (i < 26)%nat ->
  (private c i = true <-> pdp eps (its c i) (map (its c) (others i))).
Proof.
  intros I. pose proof (number_of_others i I) as L.
  pose proof (with_the_others c i) as M. rewrite private_at_all_bins.
  generalize dependent (others i). intros os L M.
  assert (some : map (its c) os <> []) by (destruct os; discriminate).
  rewrite (linear_form eps (its c i) (map (its c) os) some).
  assert (n : INR (length (its c i :: map (its c) os)) = 26).
  { cbn [length]. rewrite map_length, L. simpl. ring. }
  rewrite n. split; intros A x; specialize (A x).
  - rewrite (M x I). destruct (Nat.ltb_spec x 12) as [X|X].
    + apply A. apply in_seq. lia.
    + destruct (beyond_the_bins c x X) as [Z ->]. rewrite Z. lra.
  - intros _. rewrite (M x I) in A. exact A.
Qed.

(* The masses are those of the truncated Laplace density of scale b, its integrals over the 12
   bins. *)
Section Density.
Variable b : R.
Hypothesis b_pos : 0 < b.
Let t := t_of b.

Lemma power (n : nat) (y : R) : y = INR n / (24 * b) -> exp (- y) = t ^ n.
Proof.
  intros ->. induction n as [|n IH].
  - simpl. unfold Rdiv. rewrite Rmult_0_l, Ropp_0. apply exp_0.
  - cbn [pow]. rewrite <- IH. unfold t, t_of. rewrite <- exp_plus. f_equal. rewrite S_INR. field.
    lra.
Qed.

Lemma t_between : 0 < t < 1.
Proof.
  unfold t, t_of. split; [apply exp_pos|]. rewrite <- exp_0 at 2. apply exp_increasing.
  assert (0 < 1 / (24 * b)) by (apply Rdiv_lt_0_compat; lra). lra.
Qed.

(* (1 - t) Σ N_x(t) = 2 - t^(2k+1) - t^(23-2k), which is 2Z. *)
Lemma total_by_z k : (k < 12)%nat -> total k t * (1 - t) = 2 - t ^ (2 * k + 1) - t ^ (23 - 2 * k).
Proof.
  intros K. unfold total, bins.
  do 12 (destruct k as [|k];
    [cbn [seq sum fold_right distance Nat.sub Nat.add N Nat.mul]; ring|]). lia.
Qed.

Lemma double_Z k : (k < 12)%nat ->
  2 * truncated_laplace.Z (truncated_laplace.midpoint 12 k) b
    = 2 - t ^ (2 * k + 1) - t ^ (23 - 2 * k).
Proof.
  intros K. unfold truncated_laplace.Z, truncated_laplace.midpoint.
  replace (INR 12) with 12 by (simpl; ring).
  rewrite (power (2 * k + 1)), (power (23 - 2 * k)).
  - lra.
  - rewrite minus_INR by lia. rewrite mult_INR. simpl (INR 23). simpl (INR 2). field. lra.
  - rewrite plus_INR, mult_INR. simpl (INR 2). simpl (INR 1). field. lra.
Qed.

Theorem masses_of_the_density k x : (k < 12)%nat -> (x < 12)%nat ->
  masses k t x = truncated_laplace.kernel 12 k b x.
Proof.
  intros K X. pose proof t_between as T. pose proof (total_pos k t ltac:(lra)) as P.
  pose proof (total_by_z k K) as E. rewrite <- (double_Z k K) in E.
  pose proof (truncated_laplace.place_in_unit 12 k K) as M.
  pose proof (truncated_laplace.Z_positive _ b b_pos M) as Zp.
  assert (goal : truncated_laplace.kernel 12 k b x
    = N (distance k x) t * (1 - t) / (2 * truncated_laplace.Z (truncated_laplace.midpoint 12 k) b)).
  { unfold truncated_laplace.kernel. set (mu := truncated_laplace.midpoint 12 k) in *.
    assert (Mu : mu = (2 * INR k + 1) / 24).
    { unfold mu, truncated_laplace.midpoint. replace (INR 12) with 12 by (simpl; ring). field. }
    replace (INR 12) with 12 by (simpl; ring).
    assert (D : (x = k \/ exists d, x = k + 1 + d \/ k = x + 1 + d)%nat).
    { destruct (lt_eq_lt_dec x k) as [[L|L]|L]; [right; exists (k - x - 1)%nat; lia|left; exact L|
        right; exists (x - k - 1)%nat; lia]. }
    destruct D as [->|[d [->| ->]]].
    - rewrite truncated_laplace.integral_across; try assumption; [|rewrite Mu; lra|rewrite Mu; lra].
      rewrite (power 1), (power 1) by (rewrite Mu; simpl (INR 1); field; lra).
      unfold distance. rewrite Nat.sub_diag. cbn [Nat.add N]. simpl pow. field. lra.
    - rewrite truncated_laplace.integral_right; try assumption;
        [|rewrite Mu, !plus_INR; simpl (INR 1); pose proof (pos_INR d); lra|lra].
      rewrite (power (2 * d + 1)), (power (2 * d + 3));
        [|rewrite Mu, !plus_INR, mult_INR; simpl (INR 1); simpl (INR 2); simpl (INR 3); field; lra
         |rewrite Mu, !plus_INR, mult_INR; simpl (INR 1); simpl (INR 2); simpl (INR 3); field; lra].
      replace (distance k (k + 1 + d)) with (Datatypes.S d) by (unfold distance; lia). unfold N.
      replace (2 * Datatypes.S d - 1)%nat with (2 * d + 1)%nat by lia.
      replace (2 * Datatypes.S d)%nat with (2 * d + 1 + 1)%nat by lia.
      replace (2 * d + 3)%nat with (2 * d + 1 + 1 + 1)%nat by lia.
      rewrite (pow_add t (2 * d + 1 + 1) 1), (pow_add t (2 * d + 1) 1), pow_1. field. lra.
    - rewrite truncated_laplace.integral_left; try assumption;
        [|rewrite Mu, !plus_INR; simpl (INR 1); pose proof (pos_INR d); lra|lra].
      rewrite (power (2 * d + 1)), (power (2 * d + 3));
        [|rewrite Mu, !plus_INR, mult_INR; simpl (INR 1); simpl (INR 2); simpl (INR 3); field; lra
         |rewrite Mu, !plus_INR, mult_INR; simpl (INR 1); simpl (INR 2); simpl (INR 3); field; lra].
      replace (distance (x + 1 + d) x) with (Datatypes.S d) by (unfold distance; lia). unfold N.
      replace (2 * Datatypes.S d - 1)%nat with (2 * d + 1)%nat by lia.
      replace (2 * Datatypes.S d)%nat with (2 * d + 1 + 1)%nat by lia.
      replace (2 * d + 3)%nat with (2 * d + 1 + 1 + 1)%nat by lia.
      rewrite (pow_add t (2 * d + 1 + 1) 1), (pow_add t (2 * d + 1) 1), pow_1. field. lra. }
  rewrite goal. unfold masses. destruct (Nat.ltb_spec x 12) as [_|]; [|lia].
  rewrite <- E. field. split; lra.
Qed.
End Density.

(* Proposition (no scale helps). *)
Theorem no_scale_helps :
  ~ pdp eps (its start 25) (map (its start) (others 25)) /\
  forall i, (i < 26)%nat ->
    (forall b, 28 / 100 <= b -> payoff (change start i (t_of b)) <= payoff start) /\
    payoff (change start i 1) <= payoff start.                        (* the scale is infinite *)
Proof.
  destruct an_equilibrium_that_exposes_a_record as [F E]. split.
  - intros Y. apply private_is_pdp in Y; [congruence|lia].
  - intros i I. pose proof t0_between. split; [|apply E; [exact I|lra]].
    intros b B. apply E; [exact I|apply scales, B].
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@masses_of_the_density, @private_is_pdp, @no_scale_helps).
Print Assumptions checked_here.
