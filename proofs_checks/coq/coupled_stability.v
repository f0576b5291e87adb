(* RS Theorem 1, equation 2: attention under two representations of one signal, matched by a coupling of their masses. *)

Require Import Reals Lra Lia Psatz FunctionalExtensionality.
Require Import finite likelihood_ratio.
Open Scope R_scope.

Section Stability.

(* Vectors have coordinates in any set; nothing but these two properties of the norm is used. *)
Variable coordinate : Type.
Definition vector : Type := coordinate -> R.
Definition seminorm (norm : vector -> R) : Prop :=
  (forall x y : vector, norm (fun e => x e + y e) <= norm x + norm y) /\
  (forall c (x : vector), norm (fun e => c * x e) = Rabs c * norm x).

(* A_m^K (s, v) of equation 1, from the values of the kernel. *)
Definition attention (n : nat) (mass kernel : nat -> R) (value : nat -> vector) : vector :=
  fun e => sum n (fun i => mass i * kernel i * value i e) / sum n (fun i => mass i * kernel i).

Variable norm : vector -> R.
Hypothesis norm_seminorm : seminorm norm.

Lemma norm_zero : norm (fun _ => 0) = 0.
Proof.
  destruct norm_seminorm as [_ H]. replace (fun _ : coordinate => 0) with (fun e : coordinate => 0 * (fun _ => 0) e).
  - rewrite H, Rabs_R0. ring.
  - extensionality e. ring.
Qed.

Lemma norm_sum N (F : nat -> vector) : norm (fun e => sum N (fun a => F a e)) <= sum N (fun a => norm (F a)).
Proof.
  destruct norm_seminorm as [H _]. induction N as [| N IH]; simpl; [rewrite norm_zero; lra |].
  apply Rle_trans with (norm (fun e => sum N (fun a => F a e)) + norm (F N)); [| lra].
  exact (H (fun e => sum N (fun a => F a e)) (F N)).
Qed.

Lemma norm_weighted_sum N (c : nat -> R) (F : nat -> vector) b :
  (forall a, (a < N)%nat -> 0 <= c a) -> (forall a, (a < N)%nat -> 0 < c a -> norm (F a) <= b) ->
  norm (fun e => sum N (fun a => c a * F a e)) <= b * sum N c.
Proof.
  intros Hc Hb. eapply Rle_trans; [exact (norm_sum N (fun a e => c a * F a e)) |].
  rewrite <- sum_scale. apply sum_le. intros a Ha. destruct norm_seminorm as [_ H]. rewrite H.
  rewrite Rabs_pos_eq by (apply Hc, Ha).
  destruct (Rle_lt_or_eq_dec 0 (c a) (Hc a Ha)) as [Hp | Hz].
  - pose proof (Hb a Ha Hp). nra.
  - rewrite <- Hz. lra.
Qed.

(* Two distributions move a mean by at most the diameter of the values times their total variation. *)
Lemma mean_moves N (P Q : nat -> R) (v : nat -> vector) D :
  sum N P = sum N Q ->
  (forall a b, (a < N)%nat -> (b < N)%nat -> norm (fun e => v a e - v b e) <= D) ->
  norm (fun e => sum N (fun a => (Q a - P a) * v a e)) <= D * total_variation N P Q.
Proof.
  intros Hsum HD. set (T := total_variation N P Q).
  set (x := fun a => / 2 * Rabs (P a - Q a) + / 2 * (Q a - P a)).
  set (y := fun a => / 2 * Rabs (P a - Q a) + - / 2 * (Q a - P a)).
  assert (Hd : sum N (fun a => Q a - P a) = 0).
  { rewrite (sum_ext N _ (fun a => 1 * Q a + -1 * P a)) by (intros; ring). rewrite sum_affine, Hsum. ring. }
  assert (Hx : sum N x = T) by (unfold x, T, total_variation; rewrite sum_affine, Hd; ring).
  assert (Hy : sum N y = T) by (unfold y, T, total_variation; rewrite sum_affine, Hd; ring).
  assert (Hx0 : forall a, 0 <= x a) by (intros a; unfold x, Rabs; destruct (Rcase_abs (P a - Q a)); lra).
  assert (Hy0 : forall a, 0 <= y a) by (intros a; unfold y, Rabs; destruct (Rcase_abs (P a - Q a)); lra).
  assert (HT0 : 0 <= T) by (rewrite <- Hx; apply sum_nonnegative; intros; apply Hx0).
  set (u := fun e => sum N (fun a => (Q a - P a) * v a e)).
  assert (Hu : (fun e => T * u e) = (fun e => sum N (fun a => x a * sum N (fun b => y b * (v a e - v b e))))).
  { extensionality e.
    rewrite (sum_ext N (fun a => x a * _) (fun a => T * (x a * v a e) + - sum N (fun b => y b * v b e) * x a)).
    - rewrite sum_affine, Hx. unfold u.
      rewrite (sum_ext N (fun a => (Q a - P a) * v a e) (fun a => 1 * (x a * v a e) + -1 * (y a * v a e)))
        by (intros; unfold x, y; field).
      rewrite sum_affine. ring.
    - intros a _. rewrite (sum_ext N _ (fun b => v a e * y b + -1 * (y b * v b e))) by (intros; ring).
      rewrite sum_affine, Hy. ring. }
  assert (Hbound : T * norm u <= T * (D * T)).
  { destruct norm_seminorm as [_ H]. rewrite <- (Rabs_pos_eq T HT0) at 1. rewrite <- H, Hu.
    replace (T * (D * T)) with (D * T * sum N x) by (rewrite Hx; ring).
    apply (norm_weighted_sum N x (fun a e => sum N (fun b => y b * (v a e - v b e)))); [intros; apply Hx0 |].
    intros a Ha _. rewrite <- Hy. apply (norm_weighted_sum N y (fun b e => v a e - v b e)); [intros; apply Hy0 |].
    intros b Hb _. apply HD; assumption. }
  destruct (Rle_lt_or_eq_dec 0 T HT0) as [HT | HT]; [apply Rmult_le_reg_l with T; assumption |].
  replace u with (fun _ : coordinate => 0); [rewrite norm_zero, <- HT; lra |].
  assert (Hzero : forall a, (a < N)%nat -> x a = 0 /\ y a = 0).
  { intros a Ha. split; [destruct (Rle_lt_or_eq_dec 0 (x a) (Hx0 a)) as [Hpos |] |
                         destruct (Rle_lt_or_eq_dec 0 (y a) (Hy0 a)) as [Hpos |]]; try (symmetry; assumption).
    - pose proof (sum_positive N x a ltac:(intros; apply Hx0) Ha Hpos). lra.
    - pose proof (sum_positive N y a ltac:(intros; apply Hy0) Ha Hpos). lra. }
  extensionality e. unfold u. rewrite (sum_ext N _ (fun _ => 0)); [rewrite sum_constant; ring |].
  intros a Ha. destruct (Hzero a Ha) as [Ex Ey]. replace (Q a - P a) with (x a - y a) by (unfold x, y; field).
  rewrite Ex, Ey. ring.
Qed.

Variables (n p : nat) (gamma : nat -> nat -> R) (mass mass' : nat -> R) (total total' : R).
Variables (kernel kernel' : nat -> R) (value value' : nat -> vector) (eps_v diameter Delta : R).

(* gamma couples the two normalized mass vectors; their totals may differ. *)
Hypothesis gamma_nonnegative : forall i j, (i < n)%nat -> (j < p)%nat -> 0 <= gamma i j.
Hypothesis gamma_somewhere : exists i j, (i < n)%nat /\ (j < p)%nat /\ 0 < gamma i j.
Hypothesis total_positive : 0 < total /\ 0 < total'.
Hypothesis rows : forall i, (i < n)%nat -> sum p (fun j => gamma i j) = mass i / total.
Hypothesis columns : forall j, (j < p)%nat -> sum n (fun i => gamma i j) = mass' j / total'.
Hypothesis kernel_positive : forall i, (i < n)%nat -> 0 < kernel i.
Hypothesis kernel'_positive : forall j, (j < p)%nat -> 0 < kernel' j.

Hypothesis value_error : forall i j, (i < n)%nat -> (j < p)%nat -> 0 < gamma i j ->
  norm (fun e => value' j e - value i e) <= eps_v.
Hypothesis log_range : forall i j i' j', (i < n)%nat -> (j < p)%nat -> (i' < n)%nat -> (j' < p)%nat ->
  0 < gamma i j -> 0 < gamma i' j' ->
  (ln (kernel' j) - ln (kernel i)) - (ln (kernel' j') - ln (kernel i')) <= Delta.
Hypothesis value_diameter : forall i i', (i < n)%nat -> (i' < n)%nat ->
  norm (fun e => value i e - value i' e) <= diameter.

Let N := (n * p)%nat.
Let g k := gamma (row p k) (column p k).
Let ks k := kernel (row p k).
Let kt k := kernel' (column p k).
Let Z := sum N (fun k => g k * ks k).
Let Z' := sum N (fun k => g k * kt k).
Let P k := g k * ks k / Z.
Let Q k := g k * kt k / Z'.
Let f k := kt k / ks k.

Lemma p_positive : (0 < p)%nat.
Proof. destruct gamma_somewhere as (i & j & _ & Hj & _). lia. Qed.

Lemma pair_facts k : (k < N)%nat -> (row p k < n)%nat /\ (column p k < p)%nat /\ 0 <= g k /\ 0 < ks k /\ 0 < kt k.
Proof.
  intros Hk. destruct (pair_below n p k Hk) as [Hr Hc]. unfold g, ks, kt.
  repeat split; auto.
Qed.

Lemma some_pair : exists k, (k < N)%nat /\ 0 < g k.
Proof.
  destruct gamma_somewhere as (i & j & Hi & Hj & H). exists (i * p + j)%nat. unfold g, row, column, N. split; [nia |].
  rewrite <- (Nat.div_unique (i * p + j) p i j), <- (Nat.mod_unique (i * p + j) p i j) by (try ring; lia). exact H.
Qed.

Lemma normalizers : 0 < Z /\ 0 < Z'.
Proof.
  destruct some_pair as (k & Hk & Hg). destruct (pair_facts k Hk) as (_ & _ & _ & Hs & Ht). split.
  - apply (sum_positive N _ k); [| exact Hk | nra].
    intros a Ha. destruct (pair_facts a Ha) as (_ & _ & H1 & H2 & _). nra.
  - apply (sum_positive N _ k); [| exact Hk | nra].
    intros a Ha. destruct (pair_facts a Ha) as (_ & _ & H1 & _ & H3). nra.
Qed.

Lemma first_sum (h : nat -> R) :
  sum N (fun k => g k * ks k * h (row p k)) = / total * sum n (fun i => mass i * kernel i * h i).
Proof.
  unfold N, g, ks. rewrite (sum_pairs n p (fun i j => gamma i j * kernel i * h i)) by exact p_positive.
  rewrite <- sum_scale. apply sum_ext. intros i Hi.
  rewrite (sum_ext p _ (fun j => kernel i * h i * gamma i j)) by (intros; ring).
  rewrite sum_scale, rows by exact Hi. unfold Rdiv. ring.
Qed.

Lemma second_sum (h : nat -> R) :
  sum N (fun k => g k * kt k * h (column p k)) = / total' * sum p (fun j => mass' j * kernel' j * h j).
Proof.
  unfold N, g, kt. rewrite (sum_pairs n p (fun i j => gamma i j * kernel' j * h j)) by exact p_positive.
  rewrite sum_exchange, <- sum_scale. apply sum_ext. intros j Hj.
  rewrite (sum_ext n _ (fun i => kernel' j * h j * gamma i j)) by (intros; ring).
  rewrite sum_scale, columns by exact Hj. unfold Rdiv. ring.
Qed.

Lemma first_output e : attention n mass kernel value e = sum N (fun k => P k * value (row p k) e).
Proof.
  pose proof normalizers as [HZ _]. destruct total_positive as [Ht _].
  rewrite (sum_ext N _ (fun k => / Z * (g k * ks k * value (row p k) e))) by (intros; unfold P; field; lra).
  rewrite sum_scale, (first_sum (fun i => value i e)).
  assert (E : Z = / total * sum n (fun i => mass i * kernel i)).
  { unfold Z. rewrite (sum_ext N _ (fun k => g k * ks k * 1)) by (intros; ring). rewrite (first_sum (fun _ => 1)).
    f_equal. apply sum_ext. intros; ring. }
  unfold attention. assert (0 < sum n (fun i => mass i * kernel i)).
  { apply Rmult_lt_reg_l with (/ total); [apply Rinv_0_lt_compat; lra | rewrite <- E; lra]. }
  rewrite E. field. lra.
Qed.

Lemma second_output e : attention p mass' kernel' value' e = sum N (fun k => Q k * value' (column p k) e).
Proof.
  pose proof normalizers as [_ HZ]. destruct total_positive as [_ Ht].
  rewrite (sum_ext N _ (fun k => / Z' * (g k * kt k * value' (column p k) e))) by (intros; unfold Q; field; lra).
  rewrite sum_scale, (second_sum (fun j => value' j e)).
  assert (E : Z' = / total' * sum p (fun j => mass' j * kernel' j)).
  { unfold Z'. rewrite (sum_ext N _ (fun k => g k * kt k * 1)) by (intros; ring). rewrite (second_sum (fun _ => 1)).
    f_equal. apply sum_ext. intros; ring. }
  unfold attention. assert (0 < sum p (fun j => mass' j * kernel' j)).
  { apply Rmult_lt_reg_l with (/ total'); [apply Rinv_0_lt_compat; lra | rewrite <- E; lra]. }
  rewrite E. field. lra.
Qed.

Lemma P_distribution : distribution N P.
Proof.
  pose proof normalizers as [HZ _]. split.
  - intros k Hk. destruct (pair_facts k Hk) as (_ & _ & H1 & H2 & _). unfold P.
    apply Rmult_le_pos; [nra | apply Rlt_le, Rinv_0_lt_compat, HZ].
  - rewrite (sum_ext N _ (fun k => / Z * (g k * ks k))) by (intros; unfold P; field; lra).
    rewrite sum_scale. fold Z. field. lra.
Qed.

Lemma Q_is_tilted k : (k < N)%nat -> Q k = tilted N P f k.
Proof.
  intros Hk. pose proof normalizers as [HZ HZ'].
  assert (E : mean N P f = Z' / Z).
  { unfold mean. rewrite (sum_ext N _ (fun a => / Z * (g a * kt a))).
    - rewrite sum_scale. fold Z'. field. lra.
    - intros a Ha. destruct (pair_facts a Ha) as (_ & _ & _ & H2 & _). unfold P, f. field. lra. }
  destruct (pair_facts k Hk) as (_ & _ & _ & H2 & _).
  unfold tilted. rewrite E. unfold P, Q, f. field. lra.
Qed.

Lemma variation_is_bounded : total_variation N P Q <= tanh (Delta / 4).
Proof.
  replace (total_variation N P Q) with (total_variation N P (tilted N P f)).
  - apply bounded_log_range; [exact P_distribution | |].
    + intros k Hk _. destruct (pair_facts k Hk) as (_ & _ & _ & H2 & H3). apply Rdiv_lt_0_compat; assumption.
    + assert (Hg : forall k, (k < N)%nat -> 0 < P k -> 0 < g k).
      { intros k Hk HP. destruct (pair_facts k Hk) as (_ & _ & H1 & H2 & _).
        destruct (Rle_lt_or_eq_dec 0 (g k) H1) as [H | H]; [exact H |]. unfold P in HP. rewrite <- H in HP.
        unfold Rdiv in HP. rewrite !Rmult_0_l in HP. lra. }
      intros a b Ha Hb HPa HPb. pose proof (Hg a Ha HPa). pose proof (Hg b Hb HPb).
      destruct (pair_facts a Ha) as (Hra & Hca & _ & Hsa & Hta). destruct (pair_facts b Hb) as (Hrb & Hcb & _ & Hsb & Htb).
      unfold f, Rdiv. rewrite !ln_mult, !ln_Rinv by (try apply Rinv_0_lt_compat; assumption).
      unfold ks, kt. apply (log_range _ _ _ _ Hra Hca Hrb Hcb); assumption.
  - unfold total_variation. f_equal. apply sum_ext. intros k Hk. rewrite Q_is_tilted by exact Hk. reflexivity.
Qed.

Lemma Q_sums_to_one : sum N Q = 1.
Proof.
  pose proof normalizers as [_ HZ].
  rewrite (sum_ext N _ (fun k => / Z' * (g k * kt k))) by (intros; unfold Q; field; lra).
  rewrite sum_scale. fold Z'. field. lra.
Qed.

(* The same with the Q-weighted average of the value errors for their maximum (Appendix B.1, after the proof). *)
Theorem coupled_stability_weighted :
  norm (fun e => attention p mass' kernel' value' e - attention n mass kernel value e) <=
  sum n (fun i => sum p (fun j => gamma i j * kernel' j * norm (fun e => value' j e - value i e))) /
    sum n (fun i => sum p (fun j => gamma i j * kernel' j)) +
  diameter * tanh (Delta / 4).
Proof.
  pose proof P_distribution as [_ HP1]. pose proof Q_sums_to_one as HQ1. pose proof normalizers as [_ HZ'].
  set (moved := fun e => sum N (fun k => (Q k - P k) * value (row p k) e)).
  set (changed := fun e => sum N (fun k => Q k * (value' (column p k) e - value (row p k) e))).
  replace (fun e => attention p mass' kernel' value' e - attention n mass kernel value e)
    with (fun e => changed e + moved e).
  - destruct norm_seminorm as [Htriangle Hscale]. eapply Rle_trans; [apply Htriangle |]. apply Rplus_le_compat.
    + eapply Rle_trans; [exact (norm_sum N (fun k e => Q k * (value' (column p k) e - value (row p k) e))) |].
      rewrite <- (sum_pairs n p (fun i j => gamma i j * kernel' j * norm (fun e => value' j e - value i e)) p_positive).
      rewrite <- (sum_pairs n p (fun i j => gamma i j * kernel' j) p_positive). fold N. fold Z'.
      unfold Rdiv at 1. rewrite (Rmult_comm _ (/ Z')), <- sum_scale. apply Req_le, sum_ext. intros k Hk. rewrite Hscale.
      destruct (pair_facts k Hk) as (_ & _ & H1 & _ & H3). rewrite Rabs_pos_eq.
      * unfold Q, g, kt. field. lra.
      * unfold Q. apply Rmult_le_pos; [nra | apply Rlt_le, Rinv_0_lt_compat, HZ'].
    + eapply Rle_trans; [apply (mean_moves N P Q (fun k => value (row p k)) diameter) |].
      * rewrite HP1, HQ1. reflexivity.
      * intros a b Ha Hb. destruct (pair_facts a Ha) as (Hra & _). destruct (pair_facts b Hb) as (Hrb & _).
        apply value_diameter; assumption.
      * apply Rmult_le_compat_l; [| exact variation_is_bounded].
        destruct some_pair as (k & Hk & _). destruct (pair_facts k Hk) as (Hr & _).
        pose proof (value_diameter _ _ Hr Hr) as Hdiam. rewrite <- norm_zero.
        replace (fun _ : coordinate => 0) with (fun e => value (row p k) e - value (row p k) e); [exact Hdiam |].
        extensionality e. ring.
  - extensionality e. unfold changed, moved. rewrite second_output, first_output, <- sum_plus.
    rewrite (sum_ext N _ (fun k => 1 * (Q k * value' (column p k) e) + -1 * (P k * value (row p k) e)))
      by (intros; ring).
    rewrite sum_affine. ring.
Qed.

Theorem coupled_stability :
  norm (fun e => attention p mass' kernel' value' e - attention n mass kernel value e) <=
  eps_v + diameter * tanh (Delta / 4).
Proof.
  eapply Rle_trans; [exact coupled_stability_weighted |]. apply Rplus_le_compat_r.
  pose proof normalizers as [_ HZ'].
  rewrite <- (sum_pairs n p (fun i j => gamma i j * kernel' j * norm (fun e => value' j e - value i e)) p_positive).
  rewrite <- (sum_pairs n p (fun i j => gamma i j * kernel' j) p_positive). fold N. fold Z'.
  apply Rmult_le_reg_r with Z'; [exact HZ' |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  unfold Z' at 1. rewrite <- sum_scale. apply sum_le. intros k Hk.
  destruct (pair_facts k Hk) as (Hr & Hc & H1 & _ & H3).
  destruct (Rle_lt_or_eq_dec 0 (g k) H1) as [H | H].
  - pose proof (value_error _ _ Hr Hc H) as He. change (kernel' (column p k)) with (kt k).
    change (gamma (row p k) (column p k)) with (g k). assert (0 < g k * kt k) by nra. nra.
  - change (gamma (row p k) (column p k)) with (g k). rewrite <- H. lra.
Qed.

End Stability.

(* Paired log-kernels within eps_s: the second term is at most D_v tanh (eps_s / 2). *)
Theorem coupled_stability_uniform coordinate norm n p gamma mass mass' total total' kernel kernel'
    (value value' : nat -> vector coordinate) eps_v diameter eps_s :
  seminorm coordinate norm ->
  (forall i j, (i < n)%nat -> (j < p)%nat -> 0 <= gamma i j) ->
  (exists i j, (i < n)%nat /\ (j < p)%nat /\ 0 < gamma i j) ->
  0 < total /\ 0 < total' ->
  (forall i, (i < n)%nat -> sum p (fun j => gamma i j) = mass i / total) ->
  (forall j, (j < p)%nat -> sum n (fun i => gamma i j) = mass' j / total') ->
  (forall i, (i < n)%nat -> 0 < kernel i) ->
  (forall j, (j < p)%nat -> 0 < kernel' j) ->
  (forall i j, (i < n)%nat -> (j < p)%nat -> 0 < gamma i j -> norm (fun e => value' j e - value i e) <= eps_v) ->
  (forall i j, (i < n)%nat -> (j < p)%nat -> 0 < gamma i j -> Rabs (ln (kernel' j) - ln (kernel i)) <= eps_s) ->
  (forall i i', (i < n)%nat -> (i' < n)%nat -> norm (fun e => value i e - value i' e) <= diameter) ->
  norm (fun e => attention coordinate p mass' kernel' value' e - attention coordinate n mass kernel value e) <=
  eps_v + diameter * tanh (eps_s / 2).
Proof.
  intros Hnorm Hg Hsome Ht Hr Hc Hk Hk' Hv Hs Hd.
  replace (eps_s / 2) with (2 * eps_s / 4) by field.
  apply (coupled_stability coordinate norm Hnorm n p gamma mass mass' total total'); try assumption.
  intros i j i' j' Hi Hj Hi' Hj' H H'. pose proof (Hs i j Hi Hj H) as H1. pose proof (Hs i' j' Hi' Hj' H') as H2.
  revert H1 H2. unfold Rabs. repeat destruct Rcase_abs; intros; lra.
Qed.

(* The roles interchanged: the diameter of the new values in the place of that of the old ones (Appendix B.1). *)
Theorem coupled_stability_exchanged coordinate norm n p gamma mass mass' total total' kernel kernel'
    (value value' : nat -> vector coordinate) eps_v diameter' Delta :
  seminorm coordinate norm ->
  (forall i j, (i < n)%nat -> (j < p)%nat -> 0 <= gamma i j) ->
  (exists i j, (i < n)%nat /\ (j < p)%nat /\ 0 < gamma i j) ->
  0 < total /\ 0 < total' ->
  (forall i, (i < n)%nat -> sum p (fun j => gamma i j) = mass i / total) ->
  (forall j, (j < p)%nat -> sum n (fun i => gamma i j) = mass' j / total') ->
  (forall i, (i < n)%nat -> 0 < kernel i) ->
  (forall j, (j < p)%nat -> 0 < kernel' j) ->
  (forall i j, (i < n)%nat -> (j < p)%nat -> 0 < gamma i j -> norm (fun e => value' j e - value i e) <= eps_v) ->
  (forall i j i' j', (i < n)%nat -> (j < p)%nat -> (i' < n)%nat -> (j' < p)%nat -> 0 < gamma i j -> 0 < gamma i' j' ->
    (ln (kernel' j) - ln (kernel i)) - (ln (kernel' j') - ln (kernel i')) <= Delta) ->
  (forall j j', (j < p)%nat -> (j' < p)%nat -> norm (fun e => value' j e - value' j' e) <= diameter') ->
  norm (fun e => attention coordinate p mass' kernel' value' e - attention coordinate n mass kernel value e) <=
  eps_v + diameter' * tanh (Delta / 4).
Proof.
  intros Hnorm Hg (i0 & j0 & Hi0 & Hj0 & H0) [Ht Ht'] Hr Hc Hk Hk' Hv HD Hd.
  assert (Hflip : forall x y : vector coordinate, norm (fun e => x e - y e) = norm (fun e => y e - x e)).
  { intros x y. destruct Hnorm as [_ H].
    replace (fun e => x e - y e) with (fun e => -1 * (fun e => y e - x e) e) by (extensionality e; ring).
    rewrite H. replace (Rabs (-1)) with 1 by (unfold Rabs; destruct Rcase_abs; lra). ring. }
  rewrite Hflip.
  apply (coupled_stability coordinate norm Hnorm p n (fun j i => gamma i j) mass' mass total' total); auto.
  - exists j0, i0. auto.
  - intros j i Hj Hi H. rewrite Hflip. auto.
  - intros j i j' i' Hj Hi Hj' Hi' H H'. pose proof (HD i' j' i j Hi' Hj' Hi Hj H' H). lra.
Qed.

(* Sharpness: two tokens on a diagonal coupling with values 0 and 1; no value changes. *)
Theorem coupled_stability_is_sharp Delta :
  0 <= Delta ->
  exists mass kernel kernel',
    (forall i, (i < 2)%nat -> 0 < mass i /\ 0 < kernel i /\ 0 < kernel' i) /\
    (ln (kernel' 1%nat) - ln (kernel 1%nat)) - (ln (kernel' 0%nat) - ln (kernel 0%nat)) = Delta /\
    forall e : unit,
      attention unit 2 mass kernel' (fun i _ => INR i) e - attention unit 2 mass kernel (fun i _ => INR i) e =
      tanh (Delta / 4).
Proof.
  intros HD. set (x := exp (Delta / 2)). assert (Hx : 0 < x) by apply exp_pos.
  exists (two x 1), (two 1 1), (two (/ x) x). repeat split.
  - destruct i as [| [| i]]; simpl; try lia; lra.
  - destruct i as [| [| i]]; simpl; try lia; lra.
  - destruct i as [| [| i]]; simpl; try lia; [apply Rinv_0_lt_compat |]; lra.
  - simpl. rewrite ln_Rinv, ln_1 by lra. unfold x. rewrite ln_exp. field.
  - intros e. rewrite tanh_exp. replace (exp (Delta / 4) * exp (Delta / 4)) with x
      by (unfold x; rewrite <- exp_plus; f_equal; field).
    unfold attention. simpl. field. repeat split; lra.
Qed.

(* Sharpness of the whole bound: every hypothesis of the theorem holds, and both terms are attained at once, for all
   nonnegative epsilon_v, D_v and Delta. Two tokens on a diagonal coupling; the score changes are - Delta / 2 and
   Delta / 2, and all values move by the same epsilon_v. *)
Theorem coupled_stability_is_attained eps_v diameter Delta :
  0 <= eps_v -> 0 <= diameter -> 0 <= Delta ->
  exists (gamma : nat -> nat -> R) mass kernel kernel' value value',
    (forall i j, (i < 2)%nat -> (j < 2)%nat -> 0 <= gamma i j) /\
    (forall i, (i < 2)%nat -> 0 < mass i /\ 0 < kernel i /\ 0 < kernel' i) /\
    (forall i, (i < 2)%nat -> sum 2 (fun j => gamma i j) = mass i) /\
    (forall j, (j < 2)%nat -> sum 2 (fun i => gamma i j) = mass j) /\
    (forall i j, (i < 2)%nat -> (j < 2)%nat -> 0 < gamma i j -> Rabs (value' j - value i) <= eps_v) /\
    (forall i j, (i < 2)%nat -> (j < 2)%nat -> 0 < gamma i j -> Rabs (ln (kernel' j) - ln (kernel i)) <= Delta / 2) /\
    (forall i i', (i < 2)%nat -> (i' < 2)%nat -> Rabs (value i - value i') <= diameter) /\
    forall e : unit,
      attention unit 2 mass kernel' (fun j _ => value' j) e - attention unit 2 mass kernel (fun i _ => value i) e =
      eps_v + diameter * tanh (Delta / 4).
Proof.
  intros He Hd HD. set (x := exp (Delta / 2)). assert (Hx : 0 < x) by apply exp_pos.
  exists (fun i j => if Nat.eqb i j then two x 1 i else 0), (two x 1), (two 1 1), (two (/ x) x), (two 0 diameter),
    (two eps_v (eps_v + diameter)).
  assert (Hi : 0 < / x) by (apply Rinv_0_lt_compat; lra).
  assert (Hl : ln (/ x) = - (Delta / 2)) by (rewrite ln_Rinv by lra; unfold x; rewrite ln_exp; reflexivity).
  assert (Hl' : ln x = Delta / 2) by apply ln_exp.
  assert (Hcases : forall i, (i < 2)%nat -> i = 0%nat \/ i = 1%nat) by (intros; lia).
  split; [| split; [| split; [| split; [| split; [| split; [| split]]]]]].
  - intros i j Hi2 Hj2. destruct (Hcases i Hi2) as [-> | ->]; destruct (Hcases j Hj2) as [-> | ->]; simpl; lra.
  - intros i Hi2. destruct (Hcases i Hi2) as [-> | ->]; simpl; lra.
  - intros i Hi2. destruct (Hcases i Hi2) as [-> | ->]; simpl; lra.
  - intros i Hi2. destruct (Hcases i Hi2) as [-> | ->]; simpl; lra.
  - intros i j Hi2 Hj2. destruct (Hcases i Hi2) as [-> | ->]; destruct (Hcases j Hj2) as [-> | ->]; simpl; intros Hg;
      try lra; rewrite Rabs_pos_eq; lra.
  - intros i j Hi2 Hj2. destruct (Hcases i Hi2) as [-> | ->]; destruct (Hcases j Hj2) as [-> | ->]; simpl; intros Hg;
      try lra; rewrite ?Hl, ?Hl', ln_1; unfold Rabs; destruct Rcase_abs; lra.
  - intros i j Hi2 Hj2. destruct (Hcases i Hi2) as [-> | ->]; destruct (Hcases j Hj2) as [-> | ->]; simpl;
      unfold Rabs; destruct Rcase_abs; lra.
  - intros e. rewrite tanh_exp. replace (exp (Delta / 4) * exp (Delta / 4)) with x
      by (unfold x; rewrite <- exp_plus; f_equal; field).
    unfold attention. simpl. field. repeat split; lra.
Qed.

(* Any normed space: a set with an addition, a multiplication by reals, and a norm, by the laws that are used. *)
Section AnyNormedSpace.

Variables (V : Type) (zero : V) (add : V -> V -> V) (scale : R -> V -> V) (norm : V -> R).

Definition vector_space : Prop :=
  (forall x y, add x y = add y x) /\
  (forall x y z, add x (add y z) = add (add x y) z) /\
  (forall x, add x zero = x) /\
  (forall x, scale 0 x = zero) /\
  (forall x, scale 1 x = x) /\
  (forall c x y, scale c (add x y) = add (scale c x) (scale c y)) /\
  (forall c d x, scale (c + d) x = add (scale c x) (scale d x)) /\
  (forall c d x, scale (c * d) x = scale c (scale d x)).

Definition norm_laws : Prop :=
  (forall x y, norm (add x y) <= norm x + norm y) /\ (forall c x, norm (scale c x) = Rabs c * norm x).

Fixpoint combination (n : nat) (c : nat -> R) (x : nat -> V) : V :=
  match n with
  | O => zero
  | S m => add (combination m c x) (scale (c m) (x m))
  end.

Definition minus (x y : V) : V := add x (scale (-1) y).

(* A_m^K (s, v) of equation 1: the numerator, divided by the normalizer. *)
Definition attention_in (n : nat) (mass kernel : nat -> R) (value : nat -> V) : V :=
  scale (/ sum n (fun i => mass i * kernel i)) (combination n (fun i => mass i * kernel i) value).

Hypothesis V_space : vector_space.
Hypothesis norm_norm : norm_laws.

Lemma combination_ext n c d x : (forall i, (i < n)%nat -> c i = d i) -> combination n c x = combination n d x.
Proof.
  induction n as [| n IH]; simpl; intros H; [reflexivity |].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma combination_vectors n c x y : (forall i, (i < n)%nat -> x i = y i) -> combination n c x = combination n c y.
Proof.
  induction n as [| n IH]; simpl; intros H; [reflexivity |].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma combination_plus n c d x :
  combination n (fun i => c i + d i) x = add (combination n c x) (combination n d x).
Proof.
  destruct V_space as (comm & assoc & unit & _ & _ & _ & dist & _).
  induction n as [| n IH]; simpl; [symmetry; apply unit |]. rewrite IH, dist, !assoc. f_equal.
  rewrite <- !assoc. f_equal. apply comm.
Qed.

Lemma scale_zero c : scale c zero = zero.
Proof.
  destruct V_space as (_ & _ & _ & null & _ & _ & _ & mult).
  rewrite <- (null zero), <- mult, Rmult_0_r. reflexivity.
Qed.

Lemma combination_scale n a c x : combination n (fun i => a * c i) x = scale a (combination n c x).
Proof.
  destruct V_space as (_ & _ & _ & _ & _ & dist & _ & mult).
  induction n as [| n IH]; simpl; [symmetry; apply scale_zero |]. rewrite IH, dist, mult. reflexivity.
Qed.

Lemma combination_append n p c x :
  combination (n + p) c x =
  add (combination n c x) (combination p (fun j => c (n + j)%nat) (fun j => x (n + j)%nat)).
Proof.
  destruct V_space as (_ & assoc & unit & _).
  induction p as [| p IH]; simpl; [rewrite Nat.add_0_r; symmetry; apply unit |].
  rewrite Nat.add_succ_r. simpl. rewrite IH. symmetry. apply assoc.
Qed.

(* The coordinate vector that is one at k. *)
Definition axis (k e : nat) : R := if Nat.eqb k e then 1 else 0.

Lemma combination_none N k x : (N <= k)%nat -> combination N (axis k) x = zero.
Proof.
  destruct V_space as (_ & _ & unit & null & _).
  induction N as [| N IH]; simpl; intros H; [reflexivity |]. rewrite IH by lia.
  unfold axis. replace (Nat.eqb k N) with false by (symmetry; apply Nat.eqb_neq; lia). rewrite null. apply unit.
Qed.

Lemma combination_axis N k x : (k < N)%nat -> combination N (axis k) x = x k.
Proof.
  destruct V_space as (comm & _ & unit & null & one & _).
  induction N as [| N IH]; simpl; intros H; [lia |]. destruct (Nat.eq_dec k N) as [-> | Hne].
  - rewrite combination_none by lia. unfold axis. rewrite Nat.eqb_refl, one, comm. apply unit.
  - rewrite IH by lia. unfold axis. replace (Nat.eqb k N) with false by (symmetry; apply Nat.eqb_neq; exact Hne).
    rewrite null. apply unit.
Qed.

(* Weighted sums of axes, carried over. *)
Lemma combination_of_axes N m (c : nat -> R) (place : nat -> nat) x :
  (forall i, (i < m)%nat -> (place i < N)%nat) ->
  combination N (fun e => sum m (fun i => c i * axis (place i) e)) x = combination m c (fun i => x (place i)).
Proof.
  induction m as [| m IH]; simpl; intros H.
  - rewrite (combination_ext N _ (fun e => 0 * 0)) by (intros; ring). rewrite combination_scale.
    destruct V_space as (_ & _ & _ & null & _). apply null.
  - rewrite combination_plus, IH by (intros; apply H; lia). f_equal.
    rewrite combination_scale, combination_axis by (apply H; lia). reflexivity.
Qed.

Theorem coupled_stability_in_any_normed_space n p gamma mass mass' total total' kernel kernel'
    (value value' : nat -> V) eps_v diameter Delta :
  (forall i j, (i < n)%nat -> (j < p)%nat -> 0 <= gamma i j) ->
  (exists i j, (i < n)%nat /\ (j < p)%nat /\ 0 < gamma i j) ->
  0 < total /\ 0 < total' ->
  (forall i, (i < n)%nat -> sum p (fun j => gamma i j) = mass i / total) ->
  (forall j, (j < p)%nat -> sum n (fun i => gamma i j) = mass' j / total') ->
  (forall i, (i < n)%nat -> 0 < kernel i) ->
  (forall j, (j < p)%nat -> 0 < kernel' j) ->
  (forall i j, (i < n)%nat -> (j < p)%nat -> 0 < gamma i j -> norm (minus (value' j) (value i)) <= eps_v) ->
  (forall i j i' j', (i < n)%nat -> (j < p)%nat -> (i' < n)%nat -> (j' < p)%nat -> 0 < gamma i j -> 0 < gamma i' j' ->
    (ln (kernel' j) - ln (kernel i)) - (ln (kernel' j') - ln (kernel i')) <= Delta) ->
  (forall i i', (i < n)%nat -> (i' < n)%nat -> norm (minus (value i) (value i')) <= diameter) ->
  norm (minus (attention_in p mass' kernel' value') (attention_in n mass kernel value)) <=
  eps_v + diameter * tanh (Delta / 4).
Proof.
  intros Hg Hsome Ht Hr Hc Hk Hk' Hv HD Hd.
  (* coordinates are coefficients on the n + p values, and the norm of coefficients is that of their combination *)
  set (x := fun e => if Nat.ltb e n then value e else value' (e - n)%nat).
  set (N := (n + p)%nat).
  set (read := fun c : nat -> R => combination N c x).
  assert (Hold : forall i, (i < n)%nat -> read (axis i) = value i).
  { intros i Hi. unfold read. rewrite combination_axis by (unfold N; lia). unfold x.
    replace (Nat.ltb i n) with true by (symmetry; apply Nat.ltb_lt, Hi). reflexivity. }
  assert (Hnew : forall j, (j < p)%nat -> read (axis (n + j)) = value' j).
  { intros j Hj. unfold read. rewrite combination_axis by (unfold N; lia). unfold x.
    replace (Nat.ltb (n + j) n) with false by (symmetry; apply Nat.ltb_ge; lia). f_equal. lia. }
  assert (Hminus : forall c d, read (fun e => c e - d e) = minus (read c) (read d)).
  { intros c d. unfold read, minus. rewrite <- combination_scale, <- combination_plus.
    apply combination_ext. intros; ring. }
  assert (Hattention : forall m (w k : nat -> R) (place : nat -> nat) (y : nat -> V),
    (forall i, (i < m)%nat -> (place i < N)%nat) -> (forall i, (i < m)%nat -> read (axis (place i)) = y i) ->
    read (attention nat m w k (fun i => axis (place i))) = attention_in m w k y).
  { intros m w k place y Hplace Hy. unfold read, attention_in, attention.
    rewrite (combination_ext N _ (fun e =>
      / sum m (fun i => w i * k i) * sum m (fun i => w i * k i * axis (place i) e)))
      by (intros; unfold Rdiv; ring).
    rewrite combination_scale, (combination_of_axes N m (fun i => w i * k i)) by exact Hplace.
    f_equal. apply combination_vectors. intros i Hi. rewrite <- (Hy i Hi). unfold read.
    rewrite combination_axis by (apply Hplace, Hi). reflexivity. }
  rewrite <- (Hattention n mass kernel (fun i => i) value) by (intros; unfold N; auto; lia).
  rewrite <- (Hattention p mass' kernel' (fun j => (n + j)%nat) value') by (intros; unfold N; auto; lia).
  rewrite <- Hminus.
  apply (coupled_stability nat (fun c => norm (read c))) with (gamma := gamma) (total := total) (total' := total');
    try assumption.
  - destruct norm_norm as [triangle homogeneous]. split.
    + intros c d. unfold read. rewrite combination_plus. apply triangle.
    + intros a c. unfold read. rewrite combination_scale. apply homogeneous.
  - intros i j Hi Hj H. rewrite Hminus, Hnew, Hold by assumption. apply Hv; assumption.
  - intros i i' Hi Hi'. rewrite Hminus, !Hold by assumption. apply Hd; assumption.
Qed.

End AnyNormedSpace.

(* The laws are those of the real line with its absolute value, so they can hold. *)
Lemma real_line_is_a_normed_space : vector_space R 0 Rplus Rmult /\ norm_laws R Rplus Rmult Rabs.
Proof. repeat split; intros; try ring; [apply Rabs_triang | apply Rabs_mult]. Qed.

Print Assumptions coupled_stability.
Print Assumptions coupled_stability_weighted.
Print Assumptions coupled_stability_uniform.
Print Assumptions coupled_stability_exchanged.
Print Assumptions coupled_stability_is_sharp.
Print Assumptions coupled_stability_is_attained.
Print Assumptions coupled_stability_in_any_normed_space.
Print Assumptions real_line_is_a_normed_space.
