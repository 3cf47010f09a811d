(* One number, and fixed local randomisers: a companion to book/audit/one-number.md. *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp Pdp.truncated_laplace Pdp.theorem_one.
Import ListNotations.
Open Scope R_scope.

(* ---- The ratio form of pDP ---- *)

Definition R_of (n eps : R) : R := 1 + n * (exp eps - 1).
Definition R'_of (n eps : R) : R := 1 - n * (1 - exp (- eps)).

(* One output: p is the record's row, s the mass of the m = n - 1 others, and s/m is P_{-i}. *)
Lemma ratio_form_at_one_output (m eps p s : R) : 1 <= m ->
  let n := m + 1 in
  ((p + s) / n <= exp eps * (s / m) <-> p <= R_of n eps * (s / m)) /\
  (s / m <= exp eps * ((p + s) / n) <-> R'_of n eps * (s / m) <= p).
Proof.
  intros M n. unfold R_of, R'_of. rewrite exp_Ropp. pose proof (exp_pos eps) as E.
  set (e := exp eps) in *.
  assert (P : (p + s) / n * n = p + s) by (unfold n; field; lra).
  assert (Q : s / m * m = s) by (field; lra).
  set (P' := s / m) in *. set (P1 := (p + s) / n) in *.
  assert (I : / e * e = 1) by (field; lra).
  split; split; intros H.
  - (* n P = p + (n - 1) P_{-i} *)
    assert (P1 * n <= e * P' * n) by (apply Rmult_le_compat_r; unfold n in *; lra). unfold n in *.
    lra.
  - apply Rmult_le_reg_r with n; [unfold n; lra|]. unfold n in *. lra.
  - assert (A : P' * n <= e * P1 * n) by (apply Rmult_le_compat_r; unfold n in *; lra).
    assert (B : / e * (P' * n) <= / e * (e * P1 * n)).
    { apply Rmult_le_compat_l; [apply Rlt_le, Rinv_0_lt_compat, E|exact A]. }
    replace (/ e * (e * P1 * n)) with (/ e * e * (P1 * n)) in B by ring. rewrite I, P in B.
    unfold n in *. lra.
  - assert (A : / e * (P' * n) <= P1 * n) by (rewrite P; unfold n in *; lra).
    assert (B : e * (/ e * (P' * n)) <= e * (P1 * n)) by (apply Rmult_le_compat_l; lra).
    replace (e * (/ e * (P' * n))) with (/ e * e * (P' * n)) in B by ring. rewrite I in B.
    apply Rmult_le_reg_r with n; [unfold n; lra|]. lra.
Qed.

Section Ratio_form.
Context {X : Type}.
Variables (eps : R) (p : @row X) (others : list (@row X)).
Hypothesis some_others : others <> [].                  (* n >= 2 *)
Let n := INR (length (p :: others)).

Lemma n_is_one_more : n = INR (length others) + 1.
Proof. unfold n. simpl length. apply S_INR. Qed.

(* Lemma (the ratio form of pDP). *)
Theorem ratio_form : pdp eps p others <->
  forall x, R'_of n eps * released others x <= p x <= R_of n eps * released others x.
Proof.
  pose proof (length_at_least_one others some_others) as M.
  unfold pdp. rewrite atoms_suffice, n_is_one_more.
  assert (E : forall x,
    released (p :: others) x = (p x + mass others x) / (INR (length others) + 1)).
  { intros x. unfold released. fold n. rewrite n_is_one_more. reflexivity. }
  split; intros H x; specialize (H x);
    destruct (ratio_form_at_one_output (INR (length others)) eps (p x) (mass others x) M) as [U L].
  - rewrite E in H. unfold released in *. split; [apply L|apply U]; apply H.
  - rewrite E. unfold released in *. split; [apply U|apply L]; apply H.
Qed.

(* When ε >= ln n/(n-1), R' <= 0 and the left inequality always holds. *)
Theorem lower_ratio_negative : R'_of n eps <= 0 <-> ln (n / (n - 1)) <= eps.
Proof.
  pose proof (sigma_negative eps p others some_others) as same. fold n in same. rewrite <- same.
  pose proof (length_at_least_one others some_others) as M. pose proof n_is_one_more as N.
  unfold R'_of, sigma. rewrite exp_Ropp. pose proof (exp_pos eps) as E. set (e := exp eps) in *.
  assert (I : / e * e = 1) by (field; lra). assert (J : / n * n = 1) by (field; lra).
  assert (0 < / e) by (apply Rinv_0_lt_compat, E).
  assert (0 < / n) by (apply Rinv_0_lt_compat; lra).
  replace (1 / n) with (/ n) by (field; lra).
  assert (A : (1 - n * (1 - / e)) * (e * / n) = / n * e - e * (/ n * n) + (/ e * e) * (/ n * n))
    by ring.
  rewrite I, J in A. assert (0 < e * / n) by (apply Rmult_lt_0_compat; assumption).
  split; intros H'; nra.
Qed.
End Ratio_form.

(* Corollary (the scale bound from the ratio): with scales of at least b* = 1/ln R every entry of a
   row is at most R times each other entry at the same output, so it is at most R times their mean,
   and the ratio form applies. *)
Theorem scale_bound_from_the_ratio (eps : R) (K : nat) (r : record) (others : list record) :
  0 < eps -> others <> [] ->
  (forall i, In i (r :: others) -> (fst i < K)%nat) ->
  (forall i, In i (r :: others) -> / ln (R_of (INR (length (r :: others))) eps) <= snd i) ->
  pdp eps (masses K r) (map (masses K) others).
Proof. intros E some grid scales. apply theorem_one_prime; assumption. Qed.

(* ---- Fixed randomisers ---- *)

Section Fixed_randomiser.
Context {B X : Type}.                                   (* bins of the records, and outputs *)
Variable p : B -> @row X.
Hypothesis nonnegative : forall k x, 0 <= p k x.
Variables (eps : R) (m : nat).                          (* n = m + 1 *)
Hypothesis eps_nonneg : 0 <= eps.
Hypothesis some : (1 <= m)%nat.
Let n := INR m + 1.
Let ratio := 1 + n * (exp eps - 1).                     (* R *)

(* Theorem (fixed local randomisers). The page goes through the supremum; the same two sums prove
   both directions here, and outputs that some row does not reach need no case of their own. *)
Theorem fixed_randomisers :
  (forall k others, length others = m -> pdp eps (p k) (map p others))
  <-> (forall j k x, p k x <= ratio * p j x).
Proof.
  assert (M : 1 <= INR m) by (apply (le_INR 1); exact some).
  assert (E1 : 1 <= exp eps) by (pose proof (exp_ineq1_le eps); lra).
  split.
  - (* one record in bin k among n - 1 records in bin j *)
    intros H j k x. specialize (H k (repeat j m) (repeat_length j m)).
    destruct (proj1 (atoms_suffice _ _ _) H x) as [U _].
    unfold released, mass in U. simpl length in U. simpl sum in U.
    rewrite !sum_map, !map_length, !repeat_length, S_INR, !sum_repeat in U.
    apply (Rmult_le_compat_r n) in U; [|unfold n; lra].
    replace ((p k x + INR m * p j x) / (INR m + 1) * n) with (p k x + INR m * p j x) in U
      by (unfold n; field; lra).
    replace (exp eps * (INR m * p j x / INR m) * n) with (exp eps * n * p j x) in U
      by (field; lra).
    unfold ratio, n in *. lra.
  - intros H k others L. apply atoms_suffice. intros x.
    unfold released, mass. simpl length. simpl sum. rewrite !sum_map, !map_length, L, S_INR.
    set (s := sum others (fun j => p j x)). set (a := p k x).
    assert (A : INR m * a <= ratio * s).
    { unfold s. rewrite <- L, <- sum_scal, <- sum_const. apply sum_le. intros j _. apply H. }
    assert (C : s <= INR m * (ratio * a)).
    { unfold s. rewrite <- L, <- sum_const. apply sum_le. intros j _. apply H. }
    assert (S0 : 0 <= s) by (apply sum_nonneg; intros; apply nonnegative).
    assert (A0 : 0 <= a) by apply nonnegative.
    fold n. set (eta := exp eps - 1) in *. assert (eta_nonneg : 0 <= eta) by (unfold eta; lra).
    replace (exp eps) with (1 + eta) by (unfold eta; ring).
    split.
    + apply Rmult_le_reg_r with (n * INR m); [unfold n; nra|].
      replace ((a + s) / n * (n * INR m)) with (INR m * a + INR m * s) by (unfold n; field; lra).
      replace ((1 + eta) * (s / INR m) * (n * INR m)) with (ratio * s + INR m * s)
        by (unfold ratio, n; field; lra).
      lra.
    + apply Rmult_le_reg_r with (n * INR m); [unfold n; nra|].
      replace (s / INR m * (n * INR m)) with (n * s) by (unfold n; field; lra).
      replace ((1 + eta) * ((a + s) / n) * (n * INR m)) with ((1 + eta) * INR m * (a + s))
        by (unfold n; field; lra).
      destruct (Rle_lt_dec (1 - INR m * eta) 0) as [D|D].
      * assert (s * (1 - INR m * eta) <= 0) by nra.
        assert (0 <= (1 + eta) * INR m * a) by (repeat apply Rmult_le_pos; lra).
        unfold n. lra.
      * assert (s * (1 - INR m * eta) <= INR m * (ratio * a) * (1 - INR m * eta))
          by (apply Rmult_le_compat_r; lra).
        assert (Q : ratio * (1 - INR m * eta) <= 1 + eta).
        { unfold ratio, n. replace (exp eps - 1) with eta by reflexivity.
          assert (0 <= INR m * eta * (INR m * eta)) by (apply Rle_0_sqr).
          assert (0 <= INR m * (eta * eta)) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]). lra. }
        assert (INR m * a * (ratio * (1 - INR m * eta)) <= INR m * a * (1 + eta)).
        { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact Q]. }
        unfold n. lra.
Qed.
End Fixed_randomiser.

(* K-ary randomised response on K bins: with probability 1 - λ the record's own bin, and otherwise a
   bin drawn uniformly from all K. *)
Definition randomised_response (K : nat) (lambda : R) (k x : bin K) : R :=
  (if Nat.eq_dec (proj1_sig k) (proj1_sig x) then 1 - lambda else 0) + lambda / INR K.

(* Its rows are probability vectors. *)
Lemma rows_sum_to_one (K : nat) (lambda : R) (k : bin K) :
  sum (all_bins K) (randomised_response K lambda k) = 1.
Proof.
  destruct k as [k L]. unfold randomised_response. cbn [proj1_sig].
  rewrite (sum_over_bins K (fun x => (if Nat.eq_dec k x then 1 - lambda else 0) + lambda / INR K)).
  rewrite sum_plus, sum_const, seq_length.
  assert (own : forall m s, sum (seq s m) (fun x => if Nat.eq_dec k x then 1 - lambda else 0)
                            = if andb (s <=? k) (k <? s + m)%nat then 1 - lambda else 0).
  { induction m as [|m IH]; intros s; simpl.
    - destruct (Nat.leb_spec s k); destruct (Nat.ltb_spec k (s + 0)); simpl; try lia; reflexivity.
    - rewrite IH. destruct (Nat.eq_dec k s); destruct (Nat.leb_spec (S s) k);
        destruct (Nat.leb_spec s k);
        destruct (Nat.ltb_spec k (S s + m)); destruct (Nat.ltb_spec k (s + S m)); simpl; try lia;
          lra. }
  rewrite own. destruct (Nat.leb_spec 0 k); destruct (Nat.ltb_spec k (0 + K)); simpl; try lia.
  assert (0 < INR K) by (apply lt_0_INR; lia). field. lra.
Qed.

(* Part 1, for K >= 2. With λ = 0 every record is released as it is, and neither side holds. *)
Theorem randomised_response_private (K m : nat) (lambda eps : R) :
  (2 <= K)%nat -> (1 <= m)%nat -> 0 <= eps -> 0 <= lambda <= 1 ->
  ((forall k others, length others = m ->
      pdp eps (randomised_response K lambda k) (map (randomised_response K lambda) others))
   <-> INR K / (INR K + (INR m + 1) * (exp eps - 1)) <= lambda).
Proof.
  intros HK Hm E0 L. assert (K2 : 2 <= INR K) by (apply (le_INR 2); exact HK).
  assert (M : 1 <= INR m) by (apply (le_INR 1); exact Hm).
  assert (E1 : 0 <= exp eps - 1) by (pose proof (exp_ineq1_le eps); lra).
  assert (C0 : 0 <= lambda / INR K)
    by (apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra]).
  assert (nonneg : forall k x, 0 <= randomised_response K lambda k x).
  { intros k x. unfold randomised_response. destruct (Nat.eq_dec (proj1_sig k) (proj1_sig x));
      lra. }
  rewrite (fixed_randomisers _ nonneg eps m E0 Hm).
  set (R1 := (INR m + 1) * (exp eps - 1)). assert (P1 : 0 <= R1) by (unfold R1; nra).
  (* the largest ratio is 1 + K (1-λ)/λ; it is at most R if and only if K (1-λ) <= (R-1) λ *)
  assert (same : INR K / (INR K + R1) <= lambda <-> (1 - lambda) <= R1 * (lambda / INR K)).
  { set (c := lambda / INR K) in *. assert (Lc : lambda = c * INR K) by (unfold c; field; lra).
    assert (Q : INR K / (INR K + R1) * (INR K + R1) = INR K) by (field; lra).
    split; intros H; nra. }
  rewrite same. unfold randomised_response. split.
  - (* bins 1 and 0, and the output 1 *)
    intros H. assert (B0 : (0 < K)%nat) by lia. assert (B1 : (1 < K)%nat) by lia.
    specialize (H (exist _ 0%nat B0) (exist _ 1%nat B1) (exist _ 1%nat B1)). simpl in H. lra.
  - intros H j k x.
    destruct (Nat.eq_dec (proj1_sig k) (proj1_sig x));
      destruct (Nat.eq_dec (proj1_sig j) (proj1_sig x)); nra.
Qed.

(* One list of the axioms for all of them, which takes Coq less time than one for each. *)
Definition checked_here :=
  (@ratio_form, @lower_ratio_negative, @scale_bound_from_the_ratio, @fixed_randomisers,
   @randomised_response_private).
Print Assumptions checked_here.
