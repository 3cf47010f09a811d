(* Fixed local randomisers: a companion to book/audit/one-number.md. *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
Import ListNotations.
Open Scope R_scope.

Section Fixed_randomiser.
Context {B X : Type}.                                   (* bins of the records, and outputs *)
Variable p : B -> @row X.
Hypothesis nonnegative : forall k x, 0 <= p k x.
Variables (eps : R) (m : nat).                          (* n = m + 1 *)
Hypothesis eps_nonneg : 0 <= eps.
Hypothesis some : (1 <= m)%nat.
Let n := INR m + 1.
Let ratio := 1 + n * (exp eps - 1).                     (* R *)

(* Theorem (fixed local randomisers). The page goes through the supremum; the same two sums prove both
   directions here, and outputs that some row does not reach need no case of their own. *)
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
    fold n. set (eta := exp eps - 1) in *. assert (H0 : 0 <= eta) by (unfold eta; lra).
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

(* K-ary randomised response on K bins: with probability 1 - λ the record's own bin, and otherwise a bin
   drawn uniformly from all K. *)
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
    - rewrite IH. destruct (Nat.eq_dec k s); destruct (Nat.leb_spec (S s) k); destruct (Nat.leb_spec s k);
        destruct (Nat.ltb_spec k (S s + m)); destruct (Nat.ltb_spec k (s + S m)); simpl; try lia; lra. }
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
  assert (C0 : 0 <= lambda / INR K) by (apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra]).
  assert (nonneg : forall k x, 0 <= randomised_response K lambda k x).
  { intros k x. unfold randomised_response. destruct (Nat.eq_dec (proj1_sig k) (proj1_sig x)); lra. }
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
    destruct (Nat.eq_dec (proj1_sig k) (proj1_sig x)); destruct (Nat.eq_dec (proj1_sig j) (proj1_sig x)); nra.
Qed.

Print Assumptions fixed_randomisers.
Print Assumptions randomised_response_private.
