(* Records without noise: a companion to book/per_instance/dp-versus-pdp.md (noise-free bins). *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums Pdp.dp_versus_pdp.
Import ListNotations.
Open Scope R_scope.

(* Without noise a record of bin k is released as k. *)
Definition no_noise (k : nat) : @row nat := fun x => if Nat.eq_dec k x then 1 else 0.

Section Noise_free.
Variables (k : nat) (others : list nat).        (* the bin of the record, and of the n - 1 others *)
Let n : R := INR (length (k :: others)).
Let in_bin (x : nat) : nat := count_occ Nat.eq_dec (k :: others) x.
Let m : R := INR (in_bin k).                            (* the records of its bin *)
Hypothesis some_others : others <> [].                  (* n >= 2 *)

Let P (x : nat) : R := released (map no_noise (k :: others)) x.
Let P_without (x : nat) : R := released (map no_noise others) x.

Lemma mass_is_a_count (data : list nat) x : mass (map no_noise data) x
  = INR (count_occ Nat.eq_dec data x).
Proof.
  induction data as [|j data IH]; [reflexivity|]. unfold mass in *. simpl map. simpl sum.
  rewrite IH.
  unfold no_noise. simpl. destruct (Nat.eq_dec j x); [rewrite S_INR|]; lra.
Qed.

Lemma n_above_one : n = INR (length others) + 1 /\ 1 <= INR (length others).
Proof. split; [unfold n; simpl length; apply S_INR|apply length_at_least_one, some_others]. Qed.

Lemma m_at_least_one : INR (count_occ Nat.eq_dec others k) = m - 1 /\ 1 <= m.
Proof.
  assert (E : in_bin k = S (count_occ Nat.eq_dec others k))
    by (unfold in_bin; apply count_occ_cons_eq; reflexivity).
  unfold m. rewrite E, S_INR. pose proof (pos_INR (count_occ Nat.eq_dec others k)). split; lra.
Qed.

Lemma with_the_record x : P x = INR (in_bin x) / n.
Proof. unfold P, released. rewrite mass_is_a_count, map_length. reflexivity. Qed.

Lemma without_the_record_own : P_without k = (m - 1) / (n - 1).
Proof.
  unfold P_without, released. rewrite mass_is_a_count, map_length. destruct n_above_one as [-> _].
  destruct m_at_least_one as [-> _]. f_equal. ring.
Qed.

Lemma without_the_record_other x : x <> k -> P_without x = INR (in_bin x) / (n - 1).
Proof.
  intros D. unfold P_without, released. rewrite mass_is_a_count, map_length.
  destruct n_above_one as [-> _].
  unfold in_bin. rewrite count_occ_cons_neq by congruence. f_equal. ring.
Qed.

(* The loss on the own bin is ln((n-1)/n · m/(m-1)), *)
Theorem loss_on_the_own_bin : (2 <= in_bin k)%nat ->
  Rabs (ln (P k / P_without k)) = ln ((n - 1) / n * (m / (m - 1))).
Proof.
  intros M. apply (le_INR 2) in M. fold m in M. simpl in M. destruct n_above_one as [N N1].
  rewrite with_the_record, without_the_record_own. fold m.
  replace (m / n / ((m - 1) / (n - 1))) with ((n - 1) / n * (m / (m - 1))) by (field; lra).
  apply Rabs_pos_eq. rewrite <- ln_1.
  (* the ratio is at least 1, because m <= n *)
  assert (B : m <= n) by (unfold m, n, in_bin; apply le_INR, count_occ_bound).
  assert (Q : 1 <= (n - 1) / n * (m / (m - 1))).
  { apply Rmult_le_reg_r with (n * (m - 1)); [apply Rmult_lt_0_compat; lra|].
    replace ((n - 1) / n * (m / (m - 1)) * (n * (m - 1))) with ((n - 1) * m) by (field; lra). lra. }
  apply ln_le_iff; lra.
Qed.

(* infinite if the record is alone: no ε bounds it. *)
Theorem alone_without_noise eps : in_bin k = 1%nat -> ~ pdp eps (no_noise k) (map no_noise others).
Proof.
  intros M. apply alone_is_not_private with (x := k).
  - destruct others; [contradiction|discriminate].
  - unfold no_noise. destruct (Nat.eq_dec k k); [lra|contradiction].
  - rewrite mass_is_a_count. destruct m_at_least_one as [-> _]. unfold m. rewrite M. simpl. ring.
Qed.

(* On another occupied bin it is ln(n/(n-1)). *)
Theorem loss_on_another_bin x : x <> k -> In x others ->
  Rabs (ln (P x / P_without x)) = ln (n / (n - 1)).
Proof.
  intros D I. destruct n_above_one as [N N1].
  assert (C : 0 < INR (in_bin x)).
  { apply lt_0_INR. unfold in_bin. apply count_occ_In. right. exact I. }
  rewrite with_the_record, without_the_record_other by exact D.
  replace (INR (in_bin x) / n / (INR (in_bin x) / (n - 1))) with (/ (n / (n - 1))) by (field; lra).
  assert (Q : 1 < n / (n - 1)).
  { apply Rmult_lt_reg_r with (n - 1); [lra|].
    replace (n / (n - 1) * (n - 1)) with n by (field; lra). lra. }
  rewrite ln_Rinv by lra. rewrite Rabs_Ropp. apply Rabs_pos_eq. rewrite <- ln_1.
  apply ln_le_iff; lra.
Qed.

(* For ε >= ln n/(n-1) the record is ε-pDP if and only if its bin holds at least 1/τ records. *)
Theorem enough_records_in_the_bin eps : ln (n / (n - 1)) <= eps ->
  (pdp eps (no_noise k) (map no_noise others) <-> 1 / tau n eps <= m).
Proof.
  intros E. assert (some : map no_noise others <> [])
    by (destruct others; [contradiction|discriminate]).
  destruct n_above_one as [N N1].
  assert (L : INR (length (no_noise k :: map no_noise others)) = n)
    by (unfold n; simpl; rewrite map_length; reflexivity).
  rewrite (linear_form eps (no_noise k) (map no_noise others) some), L.
  pose proof (proj2 (sigma_negative eps (no_noise k) (map no_noise others) some)) as sigma0.
  rewrite L in sigma0.
  specialize (sigma0 E).
  assert (tau0 : 0 < tau n eps).
  { assert (Q : 1 < n / (n - 1)).
    { apply Rmult_lt_reg_r with (n - 1); [lra|].
      replace (n / (n - 1) * (n - 1)) with n by (field; lra). lra. }
    assert (0 < eps) by (apply Rlt_le_trans with (2 := E); rewrite <- ln_1; apply ln_increasing;
      lra).
    assert (exp (- eps) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
    pose proof (exp_pos (- eps)). unfold tau.
    assert (0 < 1 / n) by (apply Rdiv_lt_0_compat; lra). nra. }
  assert (same : 1 / tau n eps <= m <-> 1 <= tau n eps * m).
  { assert (J : 1 / tau n eps * tau n eps = 1) by (field; lra). split; intros H; nra. }
  rewrite same. change (no_noise k :: map no_noise others) with (map no_noise (k :: others)). split.
  - intros H. destruct (H k) as [_ U]. rewrite mass_is_a_count in U. fold (in_bin k) in U.
    fold m in U.
    unfold no_noise in U. destruct (Nat.eq_dec k k); [exact U|contradiction].
  - intros H x. rewrite mass_is_a_count. fold (in_bin x). pose proof (pos_INR (in_bin x)) as C.
    unfold no_noise. destruct (Nat.eq_dec k x) as [<-|D]; [fold m; split; nra|split; nra].
Qed.
End Noise_free.

Definition checked_here :=
  (@loss_on_the_own_bin, @alone_without_noise, @loss_on_another_bin, @enough_records_in_the_bin).
Print Assumptions checked_here.
