(* RS Appendix B.1, Lemma 1: a likelihood ratio whose logarithm has range Delta moves at most tanh (Delta / 4)
   of the mass, on every finite space; and two points attain it for every Delta. *)

Require Import Reals Lra Lia Psatz.
Require Import finite.
Open Scope R_scope.

(* A finite space is the indices below n. *)
Definition distribution (n : nat) (P : nat -> R) : Prop :=
  (forall i, (i < n)%nat -> 0 <= P i) /\ sum n P = 1.

Definition mean (n : nat) (P f : nat -> R) : R := sum n (fun i => P i * f i).

(* Q_a = P_a f_a / E_P f *)
Definition tilted (n : nat) (P f : nat -> R) (i : nat) : R := P i * f i / mean n P f.

Definition total_variation (n : nat) (P Q : nat -> R) : R := / 2 * sum n (fun i => Rabs (P i - Q i)).

(* tanh through t = exp x. *)
Lemma tanh_exp x : tanh x = (exp x * exp x - 1) / (exp x * exp x + 1).
Proof.
  unfold tanh, sinh, cosh. rewrite exp_Ropp.
  pose proof (exp_pos x) as H. field. split; nra.
Qed.

Section Bound.

Variables (n : nat) (P f : nat -> R) (a b : R).
Hypothesis P_distribution : distribution n P.
Hypothesis a_positive : 0 < a.
Hypothesis f_between : forall i, (i < n)%nat -> 0 < P i -> a <= f i <= b.

Let u := mean n P f.

Lemma weighted i : (i < n)%nat -> P i * a <= P i * f i <= P i * b.
Proof.
  intros Hi. destruct P_distribution as [Hp _].
  destruct (Rle_lt_or_eq_dec 0 (P i) (Hp i Hi)) as [H | H].
  - pose proof (f_between i Hi H). nra.
  - rewrite <- H. lra.
Qed.

Lemma mean_between : a <= u <= b.
Proof.
  destruct P_distribution as [_ H1]. unfold u, mean. split.
  - replace a with (sum n (fun i => a * P i)) by (rewrite sum_scale, H1; ring).
    apply sum_le. intros i Hi. pose proof (weighted i Hi). lra.
  - replace b with (sum n (fun i => b * P i)) by (rewrite sum_scale, H1; ring).
    apply sum_le. intros i Hi. pose proof (weighted i Hi). lra.
Qed.

Lemma difference i : P i - tilted n P f i = / u * (P i * (u - f i)).
Proof. unfold tilted. fold u. pose proof mean_between. field. lra. Qed.

Lemma chord : (b - a) * sum n (fun i => Rabs (P i * (u - f i))) <= 2 * ((b - u) * (u - a)).
Proof.
  pose proof mean_between as Hu. destruct P_distribution as [Hp H1].
  rewrite <- sum_scale.
  apply Rle_trans with (sum n (fun i => (b * (u - a) - a * (b - u)) * P i + ((b - u) - (u - a)) * (P i * f i))).
  - apply sum_le. intros i Hi. pose proof (weighted i Hi) as Hw. pose proof (Hp i Hi) as Hpi.
    destruct (Rle_lt_or_eq_dec 0 (P i) Hpi) as [H | H].
    + pose proof (f_between i Hi H) as Hf. rewrite Rabs_mult, (Rabs_pos_eq (P i)) by lra.
      assert (Hc : (b - a) * Rabs (u - f i) <= (b - f i) * (u - a) + (f i - a) * (b - u)).
      { unfold Rabs. destruct (Rcase_abs (u - f i)); nra. }
      nra.
    + rewrite <- H, Rmult_0_l, Rabs_R0. lra.
  - rewrite sum_affine, H1. change (sum n (fun i => P i * f i)) with u. nra.
Qed.

Lemma variation : (b - a) * (u * total_variation n P (tilted n P f)) <= (b - u) * (u - a).
Proof.
  pose proof mean_between as Hu. unfold total_variation.
  rewrite (sum_ext n _ (fun i => / u * Rabs (P i * (u - f i)))).
  - rewrite sum_scale.
    replace ((b - a) * (u * (/ 2 * (/ u * sum n (fun i => Rabs (P i * (u - f i)))))))
      with (/ 2 * ((b - a) * sum n (fun i => Rabs (P i * (u - f i))))) by (field; lra).
    pose proof chord. lra.
  - intros i _. rewrite difference, Rabs_mult, (Rabs_pos_eq (/ u)); [reflexivity |].
    apply Rlt_le, Rinv_0_lt_compat. lra.
Qed.

Theorem bounded_ratio : total_variation n P (tilted n P f) <= tanh (ln (b / a) / 4).
Proof.
  pose proof mean_between as Hu. pose proof variation as Hv.
  set (tv := total_variation n P (tilted n P f)) in *.
  assert (Hba : 0 < b / a) by (apply Rdiv_lt_0_compat; lra).
  rewrite tanh_exp. set (z := ln (b / a) / 4).
  assert (Ht : exp z * exp z * (exp z * exp z) = b / a).
  { rewrite <- !exp_plus. replace (z + z + (z + z)) with (ln (b / a)) by (unfold z; field). apply exp_ln; exact Hba. }
  set (t := exp z * exp z) in *.
  assert (Htpos : 0 < t) by (unfold t; pose proof (exp_pos z); nra).
  assert (Hb : b = a * (t * t)) by (rewrite Ht; field; lra).
  assert (Ht1 : 1 <= t).
  { destruct (Rlt_le_dec t 1) as [Hlt |]; [exfalso | assumption].
    assert (t * t < 1) by nra. assert (a * (t * t) < a * 1) by (apply Rmult_lt_compat_l; assumption). lra. }
  destruct (Req_dec t 1) as [E | E].
  - (* all factors are equal, so nothing moves *)
    assert (Hab : b = a) by (rewrite Hb, E; ring).
    assert (Hz : tv = 0).
    { unfold tv, total_variation. rewrite (sum_ext n _ (fun _ => 0 * 0)).
      - rewrite sum_scale. ring.
      - intros i Hi. rewrite difference. pose proof (weighted i Hi) as Hw.
        replace (P i * (u - f i)) with 0 by (replace u with a by lra; rewrite Hab in Hw; nra).
        rewrite Rmult_0_r, Rabs_R0. ring. }
    rewrite Hz, E. lra.
  - assert (1 < t) by lra.
    apply Rmult_le_reg_r with (t + 1); [lra |].
    replace ((t - 1) / (t + 1) * (t + 1)) with (t - 1) by (field; lra).
    apply Rmult_le_reg_l with (a * (t - 1) * u); [repeat apply Rmult_lt_0_compat; lra |].
    replace (a * (t - 1) * u * (tv * (t + 1))) with ((b - a) * (u * tv)) by (rewrite Hb; ring).
    apply Rle_trans with ((b - u) * (u - a)); [exact Hv |].
    (* the slack is a square *)
    assert (Hs : a * (t - 1) * u * (t - 1) - (b - u) * (u - a) = (u - a * t) * (u - a * t)) by (rewrite Hb; ring).
    pose proof (Rle_0_sqr (u - a * t)) as Hq. unfold Rsqr in Hq. lra.
Qed.

End Bound.

(* The statement with the range itself. *)
Theorem bounded_log_range n P f Delta :
  distribution n P ->
  (forall i, (i < n)%nat -> 0 < P i -> 0 < f i) ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> 0 < P i -> 0 < P j -> ln (f i) - ln (f j) <= Delta) ->
  total_variation n P (tilted n P f) <= tanh (Delta / 4).
Proof.
  intros HP Hf HD.
  (* the smallest factor on the support *)
  assert (Hmin : forall m, (m <= n)%nat ->
    (forall i, (i < m)%nat -> P i <= 0) \/
    exists k, (k < m)%nat /\ 0 < P k /\ forall i, (i < m)%nat -> 0 < P i -> f k <= f i).
  { induction m as [| m IH]; intros Hm; [left; intros; lia |].
    destruct (IH ltac:(lia)) as [Hnone | (k & Hk & Hpk & Hmin)]; destruct (Rlt_le_dec 0 (P m)) as [Hpm | Hpm].
    - right. exists m. repeat split; [lia | exact Hpm |]. intros i Hi Hpi.
      destruct (Nat.eq_dec i m) as [-> | Hne]; [lra |]. pose proof (Hnone i ltac:(lia)). lra.
    - left. intros i Hi. destruct (Nat.eq_dec i m) as [-> | Hne]; [lra | apply Hnone; lia].
    - destruct (Rle_dec (f k) (f m)) as [Hle | Hgt].
      + right. exists k. repeat split; [lia | exact Hpk |]. intros i Hi Hpi.
        destruct (Nat.eq_dec i m) as [-> | Hne]; [exact Hle | apply Hmin; [lia | exact Hpi]].
      + right. exists m. repeat split; [lia | exact Hpm |]. intros i Hi Hpi.
        destruct (Nat.eq_dec i m) as [-> | Hne]; [lra |]. pose proof (Hmin i ltac:(lia) Hpi). lra.
    - right. exists k. repeat split; [lia | exact Hpk |]. intros i Hi Hpi.
      destruct (Nat.eq_dec i m) as [-> | Hne]; [lra | apply Hmin; [lia | exact Hpi]]. }
  destruct (Hmin n ltac:(lia)) as [Hnone | (k & Hk & Hpk & Hleast)].
  - destruct HP as [_ H1].
    assert (sum n P <= sum n (fun _ => 0 * 0)) by (apply sum_le; intros i Hi; pose proof (Hnone i Hi); lra).
    rewrite sum_scale in *. lra.
  - pose proof (Hf k Hk Hpk) as Hfk.
    replace Delta with (ln (f k * exp Delta / f k)).
    + apply bounded_ratio; [exact HP | exact Hfk |]. intros i Hi Hpi. split; [apply Hleast; assumption |].
      pose proof (Hf i Hi Hpi) as Hfi. pose proof (HD i k Hi Hk Hpi Hpk) as Hd.
      rewrite <- (exp_ln (f i) Hfi), <- (exp_ln (f k) Hfk) at 1. rewrite <- exp_plus.
      destruct (Rle_lt_or_eq_dec _ _ (Rle_trans (ln (f i)) (ln (f k) + Delta) _ ltac:(lra) (Rle_refl _))) as [H | H].
      * apply Rlt_le, exp_increasing, H.
      * rewrite H. lra.
    + replace (f k * exp Delta / f k) with (exp Delta) by (field; lra). apply ln_exp.
Qed.

(* Sharpness: two points, factors exp (- Delta / 2) and exp (Delta / 2). *)
Definition two (x y : R) (i : nat) : R := match i with O => x | _ => y end.

Theorem bounded_ratio_is_sharp Delta :
  0 <= Delta ->
  exists P f,
    distribution 2 P /\ (forall i, (i < 2)%nat -> 0 < P i /\ 0 < f i) /\
    ln (f 1%nat) - ln (f 0%nat) = Delta /\
    total_variation 2 P (tilted 2 P f) = tanh (Delta / 4).
Proof.
  intros HD. set (x := exp (Delta / 2)).
  assert (Hx1 : 1 <= x).
  { unfold x. rewrite <- exp_0. destruct (Rle_lt_or_eq_dec 0 Delta HD) as [H | H].
    - apply Rlt_le, exp_increasing. lra.
    - rewrite <- H. replace (0 / 2) with 0 by field. lra. }
  exists (two (x / (1 + x)) (1 / (1 + x))), (two (/ x) x). repeat split.
  - intros [| [| i]] Hi; simpl; try lia; apply Rlt_le, Rdiv_lt_0_compat; lra.
  - simpl. field. lra.
  - destruct i as [| [| i]]; simpl; try lia; apply Rdiv_lt_0_compat; lra.
  - destruct i as [| [| i]]; simpl; try lia; [apply Rinv_0_lt_compat; lra | lra].
  - simpl. rewrite ln_Rinv by lra. unfold x. rewrite ln_exp. field.
  - rewrite tanh_exp. replace (exp (Delta / 4) * exp (Delta / 4)) with x
      by (unfold x; rewrite <- exp_plus; f_equal; field).
    unfold total_variation, tilted, mean. simpl.
    replace (x / (1 + x) - x / (1 + x) * / x / (0 + x / (1 + x) * / x + 1 / (1 + x) * x)) with ((x - 1) / (x + 1))
      by (field; repeat split; nra).
    replace (1 / (1 + x) - 1 / (1 + x) * x / (0 + x / (1 + x) * / x + 1 / (1 + x) * x)) with (- ((x - 1) / (x + 1)))
      by (field; repeat split; nra).
    rewrite Rabs_Ropp, Rabs_pos_eq; [field; lra |].
    apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

Print Assumptions bounded_ratio.
Print Assumptions bounded_log_range.
Print Assumptions bounded_ratio_is_sharp.
