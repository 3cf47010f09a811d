(* The mechanism in whole numbers: a companion to book/per_instance/floating-point.md and
   book/checks.md.

   The theorems on privacy speak of real numbers, and a program computes with whole ones. Here each
   record has a row of whole numbers, the weights of the outputs 0, 1, 2, ..., which sum to the same
   number of units for every record. To draw, take one of the n records and one of its units, both
   uniformly. *)
Require Import Reals Lra Lia ZArith Bool List Psatz.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
Import ListNotations.
Open Scope R_scope.

Definition weights := list Z.
Definition weight (w : weights) (x : nat) : Z := nth x w 0%Z.                   (* w_i(x) *)
Definition total (w : weights) : Z := fold_right Z.add 0%Z w.
Definition probability (units : Z) (w : weights) : @row nat :=                  (* p_i(x) *)
  fun x => IZR (weight w x) / IZR units.
Definition column (data : list weights) (x : nat) : Z :=                        (* S(x) *)
  fold_right Z.add 0%Z (map (fun w => weight w x) data).

(* ---- The draw has exactly the probabilities that the theorems speak of ---- *)

(* The output of a unit: go through the row until the weights so far exceed the number of the
   unit. *)
Fixpoint drawn (w : weights) (u : Z) : nat :=
  match w with
  | [] => 0%nat
  | a :: w' => if (u <? a)%Z then 0%nat else S (drawn w' (u - a))
  end.

Definition units_of (T : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat T)).
Definition times {A : Type} (f : A -> nat) (l : list A) (x : nat) : nat :=
  count_occ Nat.eq_dec (map f l) x.

Lemma times_app {A : Type} (f : A -> nat) l l' x : times f (l ++ l') x
  = (times f l x + times f l' x)%nat.
Proof. unfold times. rewrite map_app. apply count_occ_app. Qed.

Lemma times_all {A : Type} (f : A -> nat) l x y : (forall a, In a l -> f a = y) ->
  times f l x = if Nat.eq_dec y x then length l else 0%nat.
Proof.
  unfold times. induction l as [|a l IH]; intros H; [destruct (Nat.eq_dec y x); reflexivity|].
  simpl. rewrite (H a (or_introl eq_refl)), IH by (intros b I; apply H; right; exact I).
  destruct (Nat.eq_dec y x); reflexivity.
Qed.

Lemma times_after {A B : Type} (f : A -> nat) (h : B -> A) (g : B -> nat) l x :
  (forall b, In b l -> f (h b) = S (g b)) ->
  times f (map h l) x = match x with O => 0%nat | S y => times g l y end.
Proof.
  unfold times. induction l as [|b l IH]; intros H; [destruct x; reflexivity|].
  simpl. rewrite (H b (or_introl eq_refl)), IH by (intros c I; apply H; right; exact I).
  destruct x as [|y]; simpl; [reflexivity|].
  destruct (Nat.eq_dec (S (g b)) (S y)), (Nat.eq_dec (g b) y); try lia; reflexivity.
Qed.

(* Among the units of a row, as many lead to an output as its weight says. *)
Theorem a_unit_is_drawn (w : weights) x : Forall (Z.le 0) w ->
  times (drawn w) (units_of (total w)) x = Z.to_nat (weight w x).
Proof.
  intros H. revert x. induction H as [|a w A F IH]; intros x; [destruct x; reflexivity|].
  assert (T : (0 <= total w)%Z) by (clear - F; induction F; simpl; lia).
  unfold units_of. simpl total. rewrite Z2Nat.inj_add, seq_app, map_app, times_app by assumption.
  rewrite (times_all _ _ x 0%nat).
  2:{ intros u I. apply in_map_iff in I. destruct I as [i [<- I]]. apply in_seq in I. simpl.
      destruct (Z.ltb_spec (Z.of_nat i) a); [reflexivity|lia]. }
  replace (map Z.of_nat (seq (0 + Z.to_nat a) (Z.to_nat (total w))))
    with (map (Z.add a) (units_of (total w))).
  2:{ assert (shifted : forall m s, map (fun i => (a + Z.of_nat i)%Z) (seq s m)
                                    = map Z.of_nat (seq (s + Z.to_nat a) m)).
      { induction m as [|m IHm]; intros s; [reflexivity|]. cbn [seq map].
        f_equal; [rewrite Nat2Z.inj_add, Z2Nat.id by exact A; lia|apply (IHm (S s))]. }
      unfold units_of. rewrite map_map. apply (shifted _ 0%nat). }
  rewrite (times_after _ _ (drawn w)).
  2:{ intros u I. apply in_map_iff in I. destruct I as [i [<- _]]. simpl.
      destruct (Z.ltb_spec (a + Z.of_nat i) a); [lia|]. do 2 f_equal. lia. }
  rewrite map_length, seq_length. destruct x as [|y].
  - destruct (Nat.eq_dec 0 0); [apply Nat.add_0_r|contradiction].
  - destruct (Nat.eq_dec 0 (S y)); [discriminate|]. apply IH.
Qed.

Section Mechanism.
Variable units : Z.
Hypothesis units_positive : (0 < units)%Z.

(* A row: no weight is negative, and they sum to the number of units. *)
Definition is_row (w : weights) : Prop := Forall (Z.le 0) w /\ total w = units.

Lemma U : 0 < IZR units.
Proof. apply IZR_lt, units_positive. Qed.

Lemma weight_nonnegative w x : is_row w -> (0 <= weight w x)%Z.
Proof.
  intros [F _]. unfold weight. destruct (nth_in_or_default x w 0%Z) as [I| ->]; [|lia].
  rewrite Forall_forall in F. apply F, I.
Qed.

Lemma mass_of_the_rows data x : mass (map (probability units) data) x
  = IZR (column data x) / IZR units.
Proof.
  pose proof U. unfold mass. rewrite sum_map. unfold probability, column.
  induction data as [|w data IH]; simpl; [field; lra|]. rewrite IH, plus_IZR. field. lra.
Qed.

(* All pairs of a record and a unit are equally likely, and the output x has the probability S(x)/(n
   units): the distribution of what is drawn is the released distribution of the theorems on pDP. *)
Definition draws (data : list weights) : list (weights * Z) := list_prod data (units_of units).
Definition output (wu : weights * Z) : nat := drawn (fst wu) (snd wu).

Theorem the_draw_is_exact data x : Forall is_row data ->
  INR (times output (draws data) x) / INR (length (draws data))
  = released (map (probability units) data) x.
Proof.
  intros H. pose proof U as P. unfold released. rewrite mass_of_the_rows, map_length.
  assert (L : INR (length (draws data)) = INR (length data) * IZR units).
  { unfold draws. rewrite prod_length, mult_INR. unfold units_of.
    rewrite map_length, seq_length, INR_IZR_INZ.
    rewrite (INR_IZR_INZ (Z.to_nat units)), Z2Nat.id by lia. reflexivity. }
  assert (E : INR (times output (draws data) x) = IZR (column data x)).
  { clear L. unfold draws. induction H as [|w data R F IH]; [reflexivity|].
    cbn [list_prod]. rewrite times_app, plus_INR, IH. unfold column. simpl. rewrite plus_IZR.
    f_equal.
    assert (T : times output (map (fun y => (w, y)) (units_of units)) x
      = times (drawn w) (units_of units) x).
    { unfold times. rewrite map_map. reflexivity. }
    rewrite T. destruct R as [N <-]. rewrite a_unit_is_drawn by exact N.
    rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity|].
    unfold weight. destruct (nth_in_or_default x w 0%Z) as [I| ->]; [|lia].
    rewrite Forall_forall in N. apply N, I. }
  rewrite E, L. unfold Rdiv. rewrite Rinv_mult. ring.
Qed.

(* ---- The check of the program ---- *)

Section One_record.
Variables (eps : R) (w : weights) (others : list weights).
Hypothesis some : others <> [].                                                 (* n >= 2 *)
Let n : Z := Z.of_nat (length (w :: others)).
Let S (x : nat) : Z := column (w :: others) x.

(* Both sides of the loss at one output, multiplied by n (n - 1) and by the number of units. *)
Theorem whole_number_form :
  pdp eps (probability units w) (map (probability units) others)
  <-> forall x, IZR ((n - 1) * S x) <= IZR (n * (S x - weight w x)) * exp eps
             /\ IZR (n * (S x - weight w x)) <= IZR ((n - 1) * S x) * exp eps.
Proof.
  pose proof U as P. pose proof (length_at_least_one others some) as M.
  assert (N : IZR n = INR (length others) + 1).
  { unfold n. rewrite <- INR_IZR_INZ. simpl length. apply S_INR. }
  unfold pdp. rewrite atoms_suffice. set (m := INR (length others)) in *.
  assert (same : forall x a c, released (probability units w :: map (probability units) others) x
    = a ->
    released (map (probability units) others) x = c ->
    a * ((m + 1) * m * IZR units) = IZR ((n - 1) * S x) /\
    c * ((m + 1) * m * IZR units) = IZR (n * (S x - weight w x))).
  { intros x a c <- <-. change (probability units w :: map (probability units) others)
      with (map (probability units) (w :: others)).
    unfold released. rewrite !mass_of_the_rows, !map_length. cbn [length]. rewrite S_INR. fold m.
    rewrite !mult_IZR, !minus_IZR, N. unfold S. split; [field; lra|].
    unfold column. cbn [map fold_right]. rewrite plus_IZR. field. lra. }
  assert (Q : 0 < (m + 1) * m * IZR units) by (repeat apply Rmult_lt_0_compat; lra).
  split; intros H x; specialize (H x); destruct (same x _ _ eq_refl eq_refl) as [E1 E2].
  all: set (a := released (probability units w :: _) x) in *; set (c := released (map _ _) x) in *.
  all: set (t := (m + 1) * m * IZR units) in *; pose proof (exp_pos eps) as X.
  - rewrite <- E1, <- E2. destruct H as [A B]. split.
    + replace (c * t * exp eps) with (exp eps * c * t) by ring. apply Rmult_le_compat_r; lra.
    + replace (a * t * exp eps) with (exp eps * a * t) by ring. apply Rmult_le_compat_r; lra.
  - rewrite <- E1, <- E2 in H. destruct H as [A B]. split; apply Rmult_le_reg_r with t; try exact Q.
    + replace (exp eps * c * t) with (c * t * exp eps) by ring. exact A.
    + replace (exp eps * a * t) with (a * t * exp eps) by ring. exact B.
Qed.

(* The program compares whole numbers. With a/b in the place of e^ε the two inequalities are *)
Definition holds (a b : Z) (x : nat) : Prop :=
  ((n - 1) * S x * b <= n * (S x - weight w x) * a)%Z /\
  (n * (S x - weight w x) * b <= (n - 1) * S x * a)%Z.

Hypothesis the_row : is_row w.
Hypothesis rows : Forall is_row others.

Lemma column_nonnegative data x : Forall is_row data -> (0 <= column data x)%Z.
Proof.
  intros F. unfold column. induction F as [|v data R F IH]; simpl; [lia|].
  pose proof (weight_nonnegative v x R). lia.
Qed.

Lemma both_nonnegative x : (0 <= n - 1)%Z /\ (0 <= S x)%Z /\ (0 <= S x - weight w x)%Z.
Proof.
  pose proof (column_nonnegative others x rows). pose proof (weight_nonnegative w x the_row).
  unfold n, S. cbn [length]. unfold column in *. cbn [map fold_right]. lia.
Qed.

(* If a/b is at most e^ε and they hold at every output, then the record is ε-pDP; *)
Theorem private_by_a_lower_bound (a b : Z) : (0 < b)%Z -> IZR a / IZR b <= exp eps ->
  (forall x, holds a b x) -> pdp eps (probability units w) (map (probability units) others).
Proof.
  intros B L H. apply whole_number_form. intros x. destruct (H x) as [A C].
  destruct (both_nonnegative x) as [N [S0 D]]. apply IZR_lt in B. apply IZR_le in A, C.
  rewrite (mult_IZR _ b), (mult_IZR _ a) in A. rewrite (mult_IZR _ b), (mult_IZR _ a) in C.
  assert (Q : IZR a = IZR a / IZR b * IZR b) by (field; lra).
  assert (step : forall u v, (0 <= v)%Z -> IZR u * IZR b <= IZR v * IZR a ->
    IZR u <= IZR v * exp eps).
  { intros u v V E. apply IZR_le in V. rewrite Q in E.
    apply Rmult_le_reg_r with (IZR b); [exact B|].
    apply Rle_trans with (1 := E). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
    apply Rmult_le_compat_l; assumption. }
  split; apply step; try assumption; nia.
Qed.

(* and if a/b is at least e^ε and one of them fails at one output, then it is not. Between the two
   bounds lies no case that a closer enclosure would leave open, because e^ε is irrational for
   rational ε > 0. *)
Theorem exposed_by_an_upper_bound (a b : Z) x : (0 < b)%Z -> exp eps <= IZR a / IZR b ->
  ~ holds a b x -> ~ pdp eps (probability units w) (map (probability units) others).
Proof.
  intros B L H D. apply H. destruct (proj1 whole_number_form D x) as [A C].
  destruct (both_nonnegative x) as [N [S0 D0]]. apply IZR_lt in B.
  assert (Q : IZR a = IZR a / IZR b * IZR b) by (field; lra).
  assert (step : forall u v, (0 <= v)%Z -> IZR u <= IZR v * exp eps -> (u * b <= v * a)%Z).
  { intros u v V E. apply IZR_le in V. apply le_IZR. rewrite !mult_IZR, Q, <- Rmult_assoc.
    apply Rmult_le_compat_r; [lra|]. apply Rle_trans with (1 := E).
    apply Rmult_le_compat_l; assumption. }
  split; apply step; try assumption; nia.
Qed.

(* The bound in the words of the page: an output has no probability at all, with the record or
   without it, or the logarithm of the ratio is at most ε. *)
Theorem pdp_bounds_the_logarithm :
  pdp eps (probability units w) (map (probability units) others) <->
  forall x, let P := released (map (probability units) (w :: others)) x in
            let P' := released (map (probability units) others) x in
            (P = 0 /\ P' = 0) \/ (0 < P /\ 0 < P' /\ Rabs (ln (P / P')) <= eps).
Proof.
  unfold pdp. rewrite atoms_suffice. split; intros H x; specialize (H x).
  - assert (nonneg : forall data, Forall is_row data ->
      0 <= released (map (probability units) data) x).
    { intros data F. unfold released. rewrite mass_of_the_rows. pose proof U.
      pose proof (IZR_le _ _ (column_nonnegative data x F)).
      repeat apply Rmult_le_pos; try lra; [apply Rlt_le, Rinv_0_lt_compat; lra|].
      rewrite map_length. destruct data as [|v data]; [simpl; rewrite Rinv_0; lra|].
      apply Rlt_le, Rinv_0_lt_compat, lt_0_INR. simpl. lia. }
    pose proof (nonneg (w :: others) (Forall_cons w the_row rows)) as A.
    pose proof (nonneg others rows) as B.
    cbn [map] in A |- *. set (P := released (probability units w :: _) x) in *.
    set (P' := released (map _ others) x) in *.
    pose proof (exp_pos eps) as X. destruct H as [upper lower].
    destruct A as [A|A]; [right|left].
    + assert (0 < P') by nra. repeat split; try assumption.
      apply within_is_a_bound_on_the_logarithm; [assumption|assumption|split; assumption].
    + split; [congruence|]. rewrite <- A in lower. lra.
  - cbn zeta in H. pose proof (exp_pos eps) as X.
    cbn [map] in H. destruct H as [[-> ->]|[A [B L]]]; [lra|].
    apply within_is_a_bound_on_the_logarithm in L; assumption.
Qed.

(* Every set of outputs, not only a single one: among K outputs it is given by a test. *)
Theorem every_set_of_outputs (K : nat) (event : nat -> bool) :
  pdp eps (probability units w) (map (probability units) others) ->
  let chance data := sum (filter event (seq 0 K)) (released (map (probability units) data)) in
  chance (w :: others) <= exp eps * chance others /\ chance others
    <= exp eps * chance (w :: others).
Proof. intros H. apply H, NoDup_filter, seq_NoDup. Qed.
End One_record.
End Mechanism.

(* ---- e^ε between two fractions ---- *)

(* For ε = p/q the numbers below are multiples of 2^-160. Begin with 1 + t <= e^t <= 1/(1 - t), for
   t = ε/2^64, and square 64 times; round down or up after each step. *)
Definition one : Z := (2 ^ 160)%Z.
Definition halvings : nat := 64.
Definition up (a b : Z) : Z := (- ((- a) / b))%Z.
Fixpoint squared_down (k : nat) (a : Z) : Z :=
  match k with O => a | S k' => squared_down k' (a * a / one) end.
Fixpoint squared_up (k : nat) (a : Z) : Z :=
  match k with O => a | S k' => squared_up k' (up (a * a) one) end.
Definition small (p q : Z) : Z := (p * one / (q * 2 ^ 64))%Z.
Definition exp_below (p q : Z) : Z := squared_down halvings (one + small p q).
Definition exp_above (p q : Z) : Z := squared_up halvings (up (one * one) (one - (small p q + 1))).

Lemma one_positive : (0 < one)%Z.
Proof. reflexivity. Qed.

Lemma div_below a b : (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b.
Proof.
  intros B. pose proof (Z.mul_div_le a b B) as H. apply IZR_le in H. apply IZR_lt in B.
  rewrite mult_IZR in H.
  apply Rmult_le_reg_r with (IZR b); [exact B|].
  replace (IZR a / IZR b * IZR b) with (IZR a) by (field; lra). lra.
Qed.

Lemma up_above a b : (0 < b)%Z -> IZR a / IZR b <= IZR (up a b).
Proof.
  intros B. unfold up. rewrite opp_IZR. pose proof (div_below (- a) b B) as H. rewrite opp_IZR in H.
  replace (- IZR a / IZR b) with (- (IZR a / IZR b)) in H by (field; apply IZR_lt in B; lra). lra.
Qed.

Lemma squared_down_below k : forall a t, (0 <= a)%Z -> IZR a / IZR one <= exp t ->
  IZR (squared_down k a) / IZR one <= exp (2 ^ k * t).
Proof.
  pose proof (IZR_lt _ _ one_positive) as O.
  induction k as [|k IH]; intros a t A H; simpl squared_down.
  - replace (2 ^ 0 * t) with t by (simpl; ring). exact H.
  - replace (2 ^ S k * t) with (2 ^ k * (t + t)) by (simpl; ring). apply IH.
    + apply Z.div_pos; [nia|exact one_positive].
    + rewrite exp_plus. apply Rle_trans with (IZR a / IZR one * (IZR a / IZR one)).
      * pose proof (div_below (a * a) one one_positive) as D. rewrite mult_IZR in D.
        replace (IZR a / IZR one * (IZR a / IZR one)) with (IZR a * IZR a / IZR one / IZR one)
          by (field; lra).
        apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, O|exact D].
      * assert (0 <= IZR a / IZR one).
        { apply Rmult_le_pos; [apply (IZR_le 0), A|apply Rlt_le, Rinv_0_lt_compat, O]. }
        apply Rmult_le_compat; assumption.
Qed.

Lemma squared_up_above k : forall a t, exp t <= IZR a / IZR one ->
  exp (2 ^ k * t) <= IZR (squared_up k a) / IZR one.
Proof.
  pose proof (IZR_lt _ _ one_positive) as O.
  induction k as [|k IH]; intros a t H; simpl squared_up.
  - replace (2 ^ 0 * t) with t by (simpl; ring). exact H.
  - replace (2 ^ S k * t) with (2 ^ k * (t + t)) by (simpl; ring). apply IH.
    rewrite exp_plus. apply Rle_trans with (IZR a / IZR one * (IZR a / IZR one)).
    + pose proof (exp_pos t). apply Rmult_le_compat; lra.
    + pose proof (up_above (a * a) one one_positive) as D. rewrite mult_IZR in D.
      replace (IZR a / IZR one * (IZR a / IZR one)) with (IZR a * IZR a / IZR one / IZR one)
        by (field; lra).
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, O|exact D].
Qed.

Lemma two_to_the_halvings : 2 ^ halvings = IZR (2 ^ 64).
Proof. unfold halvings. rewrite <- (Rpower_pow 64) by lra. change 64%Z with (Z.of_nat 64).
  rewrite <- pow_IZR. rewrite Rpower_pow by lra. reflexivity. Qed.

Lemma of_small p q : (0 < q)%Z -> IZR (p * one) / IZR (q * 2 ^ 64) / IZR one * 2 ^ halvings
  = IZR p / IZR q.
Proof.
  intros Q. apply IZR_lt in Q. pose proof (IZR_lt _ _ one_positive) as O.
  assert (T : 0 < IZR (2 ^ 64)) by (apply IZR_lt; reflexivity).
  rewrite two_to_the_halvings, !mult_IZR. field. lra.
Qed.

Theorem exp_below_is_below p q : (0 <= p)%Z -> (0 < q)%Z ->
  IZR (exp_below p q) / IZR one <= exp (IZR p / IZR q).
Proof.
  intros P Q. pose proof (IZR_lt _ _ one_positive) as O.
  rewrite <- (of_small p q Q), Rmult_comm. unfold exp_below. apply squared_down_below.
  - assert (0 <= small p q)%Z; [|pose proof one_positive; lia].
    apply Z.div_pos; [pose proof one_positive; nia|lia].
  - rewrite plus_IZR. replace ((IZR one + IZR (small p q)) / IZR one)
      with (1 + IZR (small p q) / IZR one) by (field; lra).
    apply Rle_trans with (2 := exp_ineq1_le _). apply Rplus_le_compat_l.
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, O|]. apply div_below. lia.
Qed.

Theorem exp_above_is_above p q : (0 < q)%Z -> (small p q + 1 < one)%Z ->
  exp (IZR p / IZR q) <= IZR (exp_above p q) / IZR one.
Proof.
  intros Q L. pose proof (IZR_lt _ _ one_positive) as O.
  rewrite <- (of_small p q Q), Rmult_comm. unfold exp_above. apply squared_up_above.
  set (t := IZR (p * one) / IZR (q * 2 ^ 64) / IZR one).
  set (d := (one - (small p q + 1))%Z). assert (D : (0 < d)%Z) by (unfold d; lia).
  (* 1 - t is at least d, in units of 2^-160 *)
  assert (T : IZR d / IZR one <= 1 - t).
  { unfold t, d. rewrite minus_IZR, plus_IZR.
    replace ((IZR one - (IZR (small p q) + 1)) / IZR one) with (1 - (IZR (small p q) + 1) / IZR one)
      by (field; lra).
    apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_r;
      [apply Rlt_le, Rinv_0_lt_compat, O|].
    assert (B : (0 < q * 2 ^ 64)%Z) by lia. pose proof (Z.mul_succ_div_gt (p * one) _ B) as G.
    apply IZR_lt in G, B. rewrite (mult_IZR (q * 2 ^ 64)) in G. fold (small p q) in G.
    unfold Z.succ in G. rewrite plus_IZR in G.
    apply Rmult_le_reg_r with (IZR (q * 2 ^ 64)); [exact B|].
    replace (IZR (p * one) / IZR (q * 2 ^ 64) * IZR (q * 2 ^ 64)) with (IZR (p * one))
      by (field; lra). lra. }
  assert (D' : 0 < IZR d / IZR one) by (apply Rdiv_lt_0_compat; [apply IZR_lt, D|exact O]).
  pose proof (exp_ineq1_le (- t)) as E. pose proof (exp_pos t) as Et.
  assert (I : exp t * exp (- t) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  apply Rle_trans with (/ (IZR d / IZR one)).
  - apply Rmult_le_reg_r with (IZR d / IZR one); [exact D'|]. rewrite Rinv_l by lra.
    rewrite <- I. apply Rmult_le_compat_l; lra.
  - pose proof (up_above (one * one) d D) as A. rewrite mult_IZR in A. apply IZR_lt in D.
    replace (/ (IZR d / IZR one)) with (IZR one * IZR one / IZR d / IZR one) by (field; lra).
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, O|exact A].
Qed.

(* ---- A whole profile ---- *)

(* Records with the same row form a group: their number, and the row. *)
Definition group := (Z * weights)%type.
Definition people (profile : list group) : list weights :=
  flat_map (fun g => repeat (snd g) (Z.to_nat (fst g))) profile.

Fixpoint add (v w : weights) : weights :=
  match v, w with
  | [], _ => w
  | _, [] => v
  | a :: v', b :: w' => (a + b)%Z :: add v' w'
  end.
Definition records (profile : list group) : Z := fold_right (fun g n => (fst g + n)%Z) 0%Z profile.
Definition columns (profile : list group) : weights :=                          (* S *)
  fold_right (fun g s => add (map (Z.mul (fst g)) (snd g)) s) [] profile.

(* The check goes through the outputs of each group, once for all its records. A product takes Coq
   one sum for each binary digit of its first factor, so the short one is the first. *)
Definition holds_at (a b n s v : Z) : bool :=
  let rest := ((n - 1) * s)%Z in let without := (n * (s - v))%Z in
  (b * rest <=? a * without)%Z && (b * without <=? a * rest)%Z.
Fixpoint holds_everywhere (a b n : Z) (s w : weights) : bool :=
  match s, w with
  | [], [] => true
  | c :: s', v :: w' => holds_at a b n c v && holds_everywhere a b n s' w'
  | _, _ => false
  end.
Definition is_group (units : Z) (g : group) : bool :=
  (0 <=? fst g)%Z && forallb (Z.leb 0) (snd g) && (total (snd g) =? units)%Z.
Definition well_formed (p q units : Z) (profile : list group) : bool :=
  (0 <=? p)%Z && (0 <? q)%Z && (0 <? units)%Z && (1 <? records profile)%Z
  && forallb (is_group units) profile.
Definition all_private (p q units : Z) (profile : list group) : bool :=
  let s := columns profile in let n := records profile in let a := exp_below p q in
  well_formed p q units profile && forallb (fun g => holds_everywhere a one n s (snd g)) profile.
Definition one_exposed (p q units : Z) (profile : list group) : bool :=
  let s := columns profile in let n := records profile in let a := exp_above p q in
  well_formed p q units profile && (small p q + 1 <? one)%Z
  && existsb (fun g => (0 <? fst g)%Z && Nat.eqb (length s) (length (snd g))
                       && negb (holds_everywhere a one n s (snd g))) profile.

Lemma weight_of_add v : forall w x, weight (add v w) x = (weight v x + weight w x)%Z.
Proof.
  induction v as [|a v IH]; intros w x; [destruct x; simpl; unfold weight; destruct w; simpl; lia|].
  destruct w as [|b w]; [unfold weight; simpl; destruct x; lia|].
  destruct x as [|x]; [reflexivity|]. apply (IH w x).
Qed.

Lemma column_app data data' x : column (data ++ data') x = (column data x + column data' x)%Z.
Proof. unfold column. induction data as [|w data IH]; simpl; [reflexivity|rewrite IH; lia]. Qed.

Lemma column_repeat w m x : column (repeat w m) x = (Z.of_nat m * weight w x)%Z.
Proof. induction m as [|m IH]; [reflexivity|]. change (column (repeat w (S m)) x)
  with (weight w x + column (repeat w m) x)%Z. rewrite IH. lia. Qed.

Lemma columns_of_the_people profile x : (forall g, In g profile -> (0 <= fst g)%Z) ->
  weight (columns profile) x = column (people profile) x.
Proof.
  induction profile as [|[c w] profile IH]; intros H; [destruct x; reflexivity|].
  specialize (IH (fun g I => H g (or_intror I))). specialize (H (c, w) (or_introl eq_refl)).
  simpl in H.
  simpl columns. simpl people. rewrite weight_of_add, column_app, column_repeat, IH, Z2Nat.id
    by exact H.
  f_equal. unfold weight. rewrite <- (Z.mul_0_r c) at 1. apply map_nth.
Qed.

Lemma number_of_people profile : (forall g, In g profile -> (0 <= fst g)%Z) ->
  Z.of_nat (length (people profile)) = records profile.
Proof.
  induction profile as [|[c w] profile IH]; intros H; [reflexivity|].
  specialize (IH (fun g I => H g (or_intror I))). specialize (H (c, w) (or_introl eq_refl)).
  simpl in H.
  simpl people. rewrite app_length, repeat_length, Nat2Z.inj_add, IH, Z2Nat.id by exact H.
  reflexivity.
Qed.

Lemma holds_at_iff a b n s v : holds_at a b n s v = true <->
  ((n - 1) * s * b <= n * (s - v) * a /\ n * (s - v) * b <= (n - 1) * s * a)%Z.
Proof.
  unfold holds_at. cbv zeta.
  rewrite andb_true_iff, !Z.leb_le, !(Z.mul_comm b), !(Z.mul_comm a). reflexivity.
Qed.

Lemma holds_at_every_output a b n s : forall w, holds_everywhere a b n s w = true ->
  forall x, holds_at a b n (weight s x) (weight w x) = true.
Proof.
  induction s as [|c s IH]; intros [|v w] H x; try discriminate.
  - assert (Z : forall m, weight [] m = 0%Z) by (intros [|m]; reflexivity). rewrite Z.
    apply holds_at_iff. lia.
  - simpl in H. apply andb_true_iff in H. destruct H as [A B]. destruct x as [|x]; [exact A|].
    apply (IH w B x).
Qed.

Lemma fails_at_some_output a b n s : forall w, length s = length w ->
  holds_everywhere a b n s w = false -> exists x, holds_at a b n (weight s x) (weight w x) = false.
Proof.
  induction s as [|c s IH]; intros [|v w] L H; try discriminate.
  cbn [holds_everywhere] in H. destruct (holds_at a b n c v) eqn:A; [|exists 0%nat; exact A].
  destruct (IH w) as [x X]; [injection L as L; exact L|exact H|]. exists (S x). exact X.
Qed.

Theorem people_are_counted profile n :
  forallb (fun g => (0 <=? fst g)%Z) profile && (records profile =? n)%Z = true ->
  Z.of_nat (length (people profile)) = n.
Proof.
  intros H. apply andb_true_iff in H. destruct H as [G <-%Z.eqb_eq]. apply number_of_people.
  intros g I. rewrite forallb_forall in G. apply Z.leb_le, G, I.
Qed.

Section Checked.
Variables (p q units : Z) (profile : list group).
Hypothesis fits : well_formed p q units profile = true.

Lemma what_fits : (0 <= p)%Z /\ (0 < q)%Z /\ (0 < units)%Z /\ (1 < records profile)%Z /\
  forall g, In g profile -> (0 <= fst g)%Z /\ is_row units (snd g).
Proof.
  pose proof fits as H. unfold well_formed in H. rewrite !andb_true_iff, forallb_forall in H.
  destruct H as [[[[P Q] T] N] G]. apply Z.leb_le in P. apply Z.ltb_lt in Q, T, N.
  repeat (split; [assumption|]). intros g I. specialize (G g I). unfold is_group in G.
  rewrite !andb_true_iff, Z.leb_le, Z.eqb_eq, forallb_forall in G. destruct G as [[C F] E].
  split; [exact C|split; [|exact E]]. apply Forall_forall. intros z J. apply Z.leb_le, F, J.
Qed.

Lemma member w : In w (people profile) -> exists g, In g profile /\ snd g = w.
Proof.
  intros I. apply in_flat_map in I. destruct I as [g [I J]]. exists g. split; [exact I|].
  symmetry. apply (repeat_spec _ _ _ J).
Qed.

(* One record and the others, in the terms of the check. *)
Lemma one_taken_out before w after : people profile = before ++ w :: after ->
  let others := before ++ after in
  others <> [] /\ is_row units w /\ Forall (is_row units) others /\
  Z.of_nat (length (w :: others)) = records profile /\
  forall x, column (w :: others) x = weight (columns profile) x.
Proof.
  intros E others. destruct what_fits as [_ [_ [_ [N G]]]].
  assert (counts : forall g, In g profile -> (0 <= fst g)%Z) by (intros g I; apply G, I).
  assert (rows : forall v, In v (people profile) -> is_row units v).
  { intros v I. destruct (member v I) as [g [J <-]]. apply G, J. }
  assert (len : Z.of_nat (length (w :: others)) = records profile).
  { rewrite <- (number_of_people profile counts), E. unfold others. simpl. rewrite !app_length.
    simpl. lia. }
  split; [intros Z; rewrite Z in len; simpl in len; lia|].
  split; [apply rows; rewrite E; apply in_elt|]. split; [|split; [exact len|]].
  - apply Forall_forall. intros v I. apply rows. rewrite E. unfold others in I.
    apply in_app_iff in I.
    apply in_app_iff. simpl. tauto.
  - intros x. rewrite (columns_of_the_people profile x counts), E. unfold others.
    change (w :: before ++ after) with ([w] ++ before ++ after).
    change (w :: after) with ([w] ++ after).
    rewrite !column_app. lia.
Qed.
End Checked.

(* Theorem: if the check succeeds, then each of the records is ε-pDP, whichever is taken out; *)
Theorem each_record_is_private (p q units : Z) (profile : list group) :
  all_private p q units profile = true ->
  forall before w after, people profile = before ++ w :: after ->
  pdp (IZR p / IZR q) (probability units w) (map (probability units) (before ++ after)).
Proof.
  intros H before w after E. unfold all_private in H. apply andb_true_iff in H. destruct H as [F C].
  rewrite forallb_forall in C. destruct (what_fits _ _ _ _ F) as [P [Q [T _]]].
  destruct (one_taken_out _ _ _ _ F before w after E) as [some [row [rows [len same]]]].
  apply private_by_a_lower_bound with (a := exp_below p q) (b := one);
    try assumption; [exact one_positive|apply exp_below_is_below; assumption|].
  intros x. unfold holds. rewrite len, same.
  destruct (member profile w) as [g [I <-]]; [rewrite E; apply in_elt|].
  pose proof (holds_at_every_output _ _ _ _ _ (C g I) x) as D.
  apply holds_at_iff in D. exact D.
Qed.

(* and if it fails with an upper bound of e^ε, then one of them is not. *)
Theorem some_record_is_exposed (p q units : Z) (profile : list group) :
  one_exposed p q units profile = true ->
  exists before w after, people profile = before ++ w :: after /\
    ~ pdp (IZR p / IZR q) (probability units w) (map (probability units) (before ++ after)).
Proof.
  intros H. unfold one_exposed in H. rewrite !andb_true_iff in H. destruct H as [[F L] C].
  apply existsb_exists in C. destruct C as [g [I C]]. rewrite !andb_true_iff in C.
  destruct C as [[C1 C2] C3].
  destruct (what_fits _ _ _ _ F) as [P [Q [T _]]]. apply Z.ltb_lt in L, C1. apply Nat.eqb_eq in C2.
  apply negb_true_iff in C3. destruct (fails_at_some_output _ _ _ _ _ C2 C3) as [x X].
  assert (J : In (snd g) (people profile)).
  { apply in_flat_map. exists g. split; [exact I|].
    assert (K : forall m, (0 < m)%nat -> In (snd g) (repeat (snd g) m))
      by (intros [|m] M; [lia|left; reflexivity]).
    apply K. change (0 < Z.to_nat (fst g))%nat. lia. }
  destruct (in_split _ _ J) as [before [after E]]. exists before, (snd g), after. split; [exact E|].
  destruct (one_taken_out _ _ _ _ F before (snd g) after E) as [some [row [rows [len same]]]].
  apply exposed_by_an_upper_bound with (a := exp_above p q) (b := one) (x := x);
    try assumption; [exact one_positive|apply exp_above_is_above; assumption|].
  unfold holds. rewrite len, same. intros D.
  apply holds_at_iff in D. rewrite X in D. discriminate.
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@a_unit_is_drawn, @the_draw_is_exact, @whole_number_form, @private_by_a_lower_bound,
   @exposed_by_an_upper_bound, @pdp_bounds_the_logarithm, @every_set_of_outputs,
   @exp_below_is_below, @exp_above_is_above, @people_are_counted, @each_record_is_private,
   @some_record_is_exposed).
Print Assumptions checked_here.
