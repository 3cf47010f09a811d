(* A dominating pair for many draws: a companion to book/audit/many-draws.md. *)
Require Import Reals Lra Lia Psatz List.
Require Import Pdp.finite_sums.
Import ListNotations.
Open Scope R_scope.

Section Dominating_pair.
Context {X : Type}.
Variables (P Q : X -> R) (A B : R).                 (* with the record, P; without it, Q = P_{-i} *)
Hypothesis A_below : A < 1.
Hypothesis B_above : 1 < B.
Hypothesis between : forall x, A * Q x <= P x <= B * Q x.

Definition a : R := (1 - A) / (B - A).
Definition success (x : X) : R := (P x - A * Q x) / (1 - A).      (* H *)
Definition failure (x : X) : R := (B * Q x - P x) / (B - 1).      (* T *)

(* 1. They are non-negative, and a draw is made from a success or a failure. *)
Theorem parts_nonnegative x : 0 <= success x /\ 0 <= failure x.
Proof.
  specialize (between x). unfold success, failure, Rdiv.
  split; apply Rmult_le_pos; try lra; apply Rlt_le, Rinv_0_lt_compat; lra.
Qed.

Theorem parts_sum_to_one (outputs : list X) : sum outputs P = 1 -> sum outputs Q = 1 ->
  sum outputs success = 1 /\ sum outputs failure = 1.
Proof.
  intros SP SQ. split.
  - rewrite (sum_ext _ success (fun x => / (1 - A) * P x + (- A / (1 - A)) * Q x)).
    + rewrite sum_plus, !sum_scal, SP, SQ. field. lra.
    + intros x _. unfold success. field. lra.
  - rewrite (sum_ext _ failure (fun x => B / (B - 1) * Q x + (- / (B - 1)) * P x)).
    + rewrite sum_plus, !sum_scal, SP, SQ. field. lra.
    + intros x _. unfold failure. field. lra.
Qed.

Theorem without_the_record x : Q x = a * success x + (1 - a) * failure x.
Proof. unfold a, success, failure. field. lra. Qed.

Theorem with_the_record x : P x = a * B * success x + (1 - a * B) * failure x.
Proof. unfold a, success, failure. field. lra. Qed.

(* 3. m draws are a post-processing of m trials. The probability of m draws xs is a product, *)
Fixpoint draws (f : X -> R) (xs : list X) : R :=
  match xs with [] => 1 | x :: xs' => f x * draws f xs' end.

(* and of m trials ts, with probability s of a success: *)
Fixpoint trials (s : R) (ts : list bool) : R :=
  match ts with [] => 1 | t :: ts' => (if t then s else 1 - s) * trials s ts' end.

(* the second step draws from H or from T, and does not depend on the record: *)
Fixpoint second_step (ts : list bool) (xs : list X) : R :=
  match ts, xs with
  | [], [] => 1
  | t :: ts', x :: xs' => (if t then success x else failure x) * second_step ts' xs'
  | _, _ => 0
  end.

Fixpoint all_trials (m : nat) : list (list bool) :=
  match m with
  | O => [[]]
  | S m' => map (cons true) (all_trials m') ++ map (cons false) (all_trials m')
  end.

Lemma sum_app (C : Type) (l l' : list C) (f : C -> R) : sum (l ++ l') f = sum l f + sum l' f.
Proof. induction l as [|c l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Theorem draws_are_post_processing (f : X -> R) (s : R) :
  (forall x, f x = s * success x + (1 - s) * failure x) ->
  forall xs, draws f xs = sum (all_trials (length xs)) (fun ts => trials s ts * second_step ts xs).
Proof.
  intros E. induction xs as [|x xs IH]; simpl; [ring|].
  rewrite sum_app, !sum_map. simpl. rewrite E, IH.
  set (g := fun ts => trials s ts * second_step ts xs).
  rewrite (sum_ext _ (fun ts => s * trials s ts * (success x * second_step ts xs))
             (fun ts => s * success x * g ts)) by (intros ts _; unfold g; ring).
  rewrite (sum_ext _ (fun ts => (1 - s) * trials s ts * (failure x * second_step ts xs))
             (fun ts => (1 - s) * failure x * g ts)) by (intros ts _; unfold g; ring).
  rewrite !sum_scal. ring.
Qed.

(* The probability of a list of trials depends on the number of its successes only. *)
Theorem only_the_number_counts s ts :
  trials s ts = s ^ count_occ Bool.bool_dec ts true * (1 - s) ^ count_occ Bool.bool_dec ts false.
Proof.
  induction ts as [|t ts IH]; [simpl; ring|]. simpl trials. rewrite IH. destruct t; simpl; ring.
Qed.
End Dominating_pair.

Print Assumptions parts_nonnegative.
Print Assumptions parts_sum_to_one.
Print Assumptions without_the_record.
Print Assumptions with_the_record.
Print Assumptions draws_are_post_processing.
Print Assumptions only_the_number_counts.
