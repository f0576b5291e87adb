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

Theorem coupled_stability :
  norm (fun e => attention p mass' kernel' value' e - attention n mass kernel value e) <=
  eps_v + diameter * tanh (Delta / 4).
Proof.
  pose proof P_distribution as [_ HP1]. pose proof Q_sums_to_one as HQ1. pose proof normalizers as [_ HZ'].
  set (moved := fun e => sum N (fun k => (Q k - P k) * value (row p k) e)).
  set (changed := fun e => sum N (fun k => Q k * (value' (column p k) e - value (row p k) e))).
  replace (fun e => attention p mass' kernel' value' e - attention n mass kernel value e)
    with (fun e => changed e + moved e).
  - destruct norm_seminorm as [Htriangle _]. eapply Rle_trans; [apply Htriangle |]. apply Rplus_le_compat.
    + rewrite <- (Rmult_1_r eps_v), <- HQ1.
      apply (norm_weighted_sum N Q (fun k e => value' (column p k) e - value (row p k) e)).
      * intros k Hk. destruct (pair_facts k Hk) as (_ & _ & H1 & _ & H3). unfold Q.
        apply Rmult_le_pos; [nra | apply Rlt_le, Rinv_0_lt_compat, HZ'].
      * intros k Hk HQ. destruct (pair_facts k Hk) as (Hr & Hc & H1 & _ & H3). apply value_error; [exact Hr | exact Hc |].
        destruct (Rle_lt_or_eq_dec 0 (g k) H1) as [H | H]; [exact H |]. unfold Q in HQ. rewrite <- H in HQ.
        unfold Rdiv in HQ. rewrite !Rmult_0_l in HQ. lra.
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

Print Assumptions coupled_stability.
Print Assumptions coupled_stability_uniform.
Print Assumptions coupled_stability_is_sharp.
