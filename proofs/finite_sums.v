(* Finite sums over lists, as all the other files use them. Nothing here is particular to
   privacy. *)
Require Import Reals Lra Lia List Permutation.
Import ListNotations.
Open Scope R_scope.

Definition sum {A : Type} (l : list A) (f : A -> R) : R :=
  fold_right (fun a s => f a + s) 0 l.

Section Sums.
Context {A : Type}.
Implicit Types (l : list A) (f g : A -> R) (c : R).

Lemma sum_ext l f g : (forall a, In a l -> f a = g a) -> sum l f = sum l g.
Proof.
  induction l as [|a l IH]; intros H; simpl; [reflexivity|].
  rewrite (H a), IH; auto; [intros; apply H|]; simpl; auto.
Qed.

Lemma sum_le l f g : (forall a, In a l -> f a <= g a) -> sum l f <= sum l g.
Proof.
  induction l as [|a l IH]; intros H; simpl; [lra|].
  apply Rplus_le_compat; [apply H; simpl; auto|apply IH; intros; apply H; simpl; auto].
Qed.

Lemma sum_nonneg l f : (forall a, In a l -> 0 <= f a) -> 0 <= sum l f.
Proof.
  induction l as [|a l IH]; intros H; simpl; [lra|].
  assert (0 <= f a) by (apply H; simpl; auto).
  assert (0 <= sum l f) by (apply IH; intros; apply H; simpl; auto). lra.
Qed.

Lemma sum_pos l f : l <> [] -> (forall a, In a l -> 0 < f a) -> 0 < sum l f.
Proof.
  destruct l as [|a l]; [congruence|]; intros _ H; simpl.
  assert (0 < f a) by (apply H; simpl; auto).
  assert (0 <= sum l f) by (apply sum_nonneg; intros; apply Rlt_le, H; simpl; auto). lra.
Qed.

Lemma sum_scal l c f : sum l (fun a => c * f a) = c * sum l f.
Proof. induction l as [|a l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_plus l f g : sum l (fun a => f a + g a) = sum l f + sum l g.
Proof. induction l as [|a l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_const l c : sum l (fun _ => c) = INR (length l) * c.
Proof.
  induction l as [|a l IH]; [simpl; ring|].
  simpl length. rewrite S_INR. simpl. rewrite IH. ring.
Qed.

Lemma sum_perm l l' f : Permutation l l' -> sum l f = sum l' f.
Proof. induction 1; simpl; lra. Qed.

Lemma sum_term_le l f a : (forall b, In b l -> 0 <= f b) -> In a l -> f a <= sum l f.
Proof.
  induction l as [|b l IH]; simpl; intros H I; [tauto|].
  assert (0 <= f b) by auto.
  assert (0 <= sum l f) by (apply sum_nonneg; auto).
  destruct I as [->|I]; [lra|]. specialize (IH (fun b Hb => H b (or_intror Hb)) I). lra.
Qed.
End Sums.

Lemma sum_map {A B : Type} (h : A -> B) (l : list A) (f : B -> R) :
  sum (map h l) f = sum l (fun a => f (h a)).
Proof. induction l as [|a l IH]; simpl; [reflexivity|rewrite IH; reflexivity]. Qed.

Lemma sum_repeat {A : Type} (a : A) (m : nat) (f : A -> R) : sum (repeat a m) f = INR m * f a.
Proof.
  induction m as [|m IH]; [simpl; ring|]. rewrite S_INR. simpl. rewrite IH. ring.
Qed.

Lemma sum_swap {A B : Type} (l : list A) (m : list B) (f : A -> B -> R) :
  sum l (fun a => sum m (f a)) = sum m (fun b => sum l (fun a => f a b)).
Proof.
  induction l as [|a l IH]; simpl.
  - induction m as [|b m IHm]; simpl; lra.
  - rewrite IH, <- sum_plus. reflexivity.
Qed.

Lemma length_at_least_one {A : Type} (l : list A) : l <> [] -> 1 <= INR (length l).
Proof.
  destruct l as [|a l]; [congruence|]; intros _.
  simpl length. rewrite S_INR. pose proof (pos_INR (length l)). lra.
Qed.

Lemma sum_app {A : Type} (l l' : list A) (f : A -> R) : sum (l ++ l') f = sum l f + sum l' f.
Proof. induction l as [|a l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_of_part {A : Type} (E l : list A) (f : A -> R) :
  NoDup E -> incl E l -> (forall a, In a l -> 0 <= f a) -> sum E f <= sum l f.
Proof.
  revert l. induction E as [|c E IH]; intros l D I F; [apply sum_nonneg; auto|].
  inversion D as [|? ? C' D']; subst.
  destruct (in_split c l (I c (or_introl eq_refl))) as [l1 [l2 ->]].
  rewrite sum_app. simpl. assert (L : sum E f <= sum (l1 ++ l2) f).
  { apply IH; [exact D'| |].
    - intros e He. pose proof (I e (or_intror He)) as J.
      apply in_app_or in J. apply in_or_app.
      destruct J as [J|[->|J]]; [left; exact J|contradiction|right; exact J].
    - intros e J. apply F. apply in_app_or in J. apply in_or_app.
      destruct J as [J|J]; [left|right; right]; exact J. }
  rewrite sum_app in L. lra.
Qed.

(* The bins of a grid, 0 to K - 1, and the list of all of them. *)
Definition bin (K : nat) := { x : nat | (x < K)%nat }.
Definition all_bins (K : nat) : list (bin K) :=
  flat_map (fun x => match lt_dec x K with left h => [exist _ x h] | right _ => [] end) (seq 0 K).

Lemma sum_over_bins (K : nat) (f : nat -> R) :
  sum (all_bins K) (fun x => f (proj1_sig x)) = sum (seq 0 K) f.
Proof.
  unfold all_bins. assert (H : forall x, In x (seq 0 K) -> (x < K)%nat).
  { intros x I. apply in_seq in I. lia. }
  induction (seq 0 K) as [|x l IH]; [reflexivity|]. simpl.
  destruct (lt_dec x K) as [L|L]; [|destruct L; apply H; left; reflexivity].
  simpl. rewrite IH; [reflexivity|]. intros y I. apply H. right. exact I.
Qed.
