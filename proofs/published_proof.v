(* An equilibrium that exposes a record: a companion to book/experiments/published-proof.md.

   24 records in bin 0, one in bin 10 and one in bin 11, on 12 bins, ε = 0.3. At the scale 0.28 the record
   of bin 11 is not private, and no noise of any kind of this record alone makes both it and its
   neighbour private. The numbers are enclosed by interval arithmetic.

   With t = e^{-1/(24 b)} a record puts on a bin at the distance d a mass proportional to t^(2d-1) +
   t^(2d), and to 2 on its own bin; this closed form of the page is taken as the definition here. *)
Require Import Reals Lra.
From Interval Require Import Tactic.
Open Scope R_scope.

Definition t : R := exp (- (1 / (24 * (28 / 100)))).
Definition tau : R := 1 - 25 / 26 * exp (- (3 / 10)).
(* t + ... + t^20 and t + ... + t^22 *)
Definition total_10 : R := 2 + (t + t^2) + (t + t^2) * (1 - t^20) / (1 - t^2).
Definition total_0 : R := 2 + (t + t^2) * (1 - t^22) / (1 - t^2).
Definition p_10_11 : R := (t + t^2) / total_10.
Definition p_0_11 : R := (t^21 + t^22) / total_0.
Definition p_11_11 : R := 2 / total_0.

Theorem exposed : tau * (24 * p_0_11 + p_10_11 + p_11_11) < p_11_11.
Proof.
  unfold tau, p_0_11, p_10_11, p_11_11, total_10, total_0, t. interval with (i_prec 60).
Qed.

Lemma numbers : 24 * tau * p_0_11 < (1 - 2 * tau) * p_10_11.
Proof.
  unfold tau, p_0_11, p_10_11, total_10, total_0, t. interval with (i_prec 60).
Qed.

(* Whatever mass a the record of bin 11 puts on its own bin, it or its neighbour is not private there. *)
Theorem no_noise_of_its_own_helps a :
  let S := 24 * p_0_11 + p_10_11 + a in ~ (a <= tau * S /\ p_10_11 <= tau * S).
Proof.
  intros S [A B]. unfold S in *. pose proof numbers as N.
  assert (T : 0 < tau < 1 / 2) by (unfold tau; split; interval with (i_prec 60)).
  set (u := 24 * p_0_11) in *. set (v := p_10_11) in *.
  assert (C : (1 - tau) * (u + v + a) <= u + v) by lra.
  assert ((1 - tau) * v <= tau * ((1 - tau) * (u + v + a))).
  { replace (tau * ((1 - tau) * (u + v + a))) with ((1 - tau) * (tau * (u + v + a))) by ring.
    apply Rmult_le_compat_l; lra. }
  assert (tau * ((1 - tau) * (u + v + a)) <= tau * (u + v)) by (apply Rmult_le_compat_l; lra).
  assert (24 * tau * p_0_11 = tau * u) by (unfold u; ring). lra.
Qed.

Print Assumptions exposed.
Print Assumptions no_noise_of_its_own_helps.
