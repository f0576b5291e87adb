(* RS Proposition 1: weights w(m_i) K(s_i) are invariant to every equal split, for a positive and nondecreasing w, if and
   only if w is linear. RS Proposition 5, first half: invariance to binary splits needs no monotonicity. *)

Require Import Reals Lra Lia Psatz.
Require Import finite.
Open Scope R_scope.

Definition positive (w : R -> R) : Prop := forall m, 0 < m -> 0 < w m.
Definition nondecreasing (w : R -> R) : Prop := forall x y, 0 < x -> x <= y -> w x <= w y.
Definition linear (w : R -> R) : Prop := exists c, 0 < c /\ forall m, 0 < m -> w m = c * m.

(* k children of mass m / k weigh what their parent weighs. *)
Definition keeps_equal_splits (w : R -> R) : Prop :=
  forall (k : nat) m, (1 <= k)%nat -> 0 < m -> INR k * w (m / INR k) = w m.

(* Normalized attention over n tokens with these weights and scalar values. *)
Definition attention (n : nat) (weight value : nat -> R) : R :=
  sum n (fun i => weight i * value i) / sum n weight.

(* k tokens that are alike, then one more. *)
Definition copies (k : nat) (x y : R) (i : nat) : R := if Nat.ltb i k then x else y.

(* A token of mass m, score s, value v beside one of mass m', score s', value v': the output is the same whether the
   first is whole or in k copies of mass m / k. *)
Definition invariant (w K : R -> R) : Prop :=
  forall (k : nat) m m' s s' v v', (1 <= k)%nat -> 0 < m -> 0 < m' ->
    attention (S k) (copies k (w (m / INR k) * K s) (w m' * K s')) (copies k v v') =
    attention 2 (copies 1 (w m * K s) (w m' * K s')) (copies 1 v v').

Lemma sum_copies k x y : sum (S k) (copies k x y) = INR k * x + y.
Proof.
  simpl. unfold copies at 2. rewrite Nat.ltb_irrefl.
  rewrite (sum_ext k _ (fun _ => x)); [rewrite sum_constant; reflexivity |].
  intros i Hi. unfold copies. apply Nat.ltb_lt in Hi. rewrite Hi. reflexivity.
Qed.

Lemma attention_copies k x y v v' :
  attention (S k) (copies k x y) (copies k v v') = (INR k * x * v + y * v') / (INR k * x + y).
Proof.
  unfold attention. rewrite sum_copies.
  rewrite (sum_ext (S k) _ (copies k (x * v) (y * v'))); [rewrite sum_copies; f_equal; ring |].
  intros i _. unfold copies. destruct (Nat.ltb i k); reflexivity.
Qed.

Lemma INR_positive k : (1 <= k)%nat -> 0 < INR k.
Proof. intros H. apply (lt_INR 0 k). lia. Qed.

(* Values one and zero read the weight of the copies off the output. *)
Theorem invariance_keeps_equal_splits w K :
  positive w -> (forall s, 0 < K s) -> invariant w K -> keeps_equal_splits w.
Proof.
  intros Hw HK H k m Hk Hm.
  pose proof (INR_positive k Hk) as Hk0.
  specialize (H k m 1 0 0 1 0 Hk Hm Rlt_0_1).
  rewrite !attention_copies in H.
  pose proof (HK 0) as HK0. pose proof (Hw m Hm) as Hwm. pose proof (Hw 1 Rlt_0_1) as Hw1.
  assert (Hmk : 0 < m / INR k) by (apply Rdiv_lt_0_compat; assumption).
  pose proof (Hw _ Hmk) as Hwk.
  set (a := w (m / INR k)) in *. set (b := w m) in *. set (c := w 1) in *. set (g := K 0) in *.
  simpl (INR 1) in H.
  assert (Ha : 0 < INR k * a) by (apply Rmult_lt_0_compat; assumption).
  assert (E : INR k * a * (b + c) = b * (INR k * a + c)).
  { apply Rmult_eq_reg_r with (g * g); [| nra].
    assert (P1 : 0 < INR k * (a * g) + c * g) by nra.
    assert (P2 : 0 < 1 * (b * g) + c * g) by nra.
    apply (f_equal (fun x => x * (INR k * (a * g) + c * g) * (1 * (b * g) + c * g))) in H.
    field_simplify in H; [| lra | lra]. nra. }
  nra.
Qed.

Lemma rational_between a b : 0 <= a < b ->
  exists p q : nat, (1 <= p)%nat /\ (1 <= q)%nat /\ a < INR p / INR q < b.
Proof.
  intros [Ha Hab]. destruct (archimed_cor1 (b - a)) as (q & Hq & Hq0); [lra |].
  assert (Hqp : 0 < INR q) by (apply (lt_INR 0 q); lia).
  destruct (archimed (a * INR q)) as [Hup1 Hup2].
  assert (Hz : (0 < up (a * INR q))%Z) by (apply lt_IZR; nra).
  exists (Z.to_nat (up (a * INR q))), q.
  assert (Hp : INR (Z.to_nat (up (a * INR q))) = IZR (up (a * INR q))).
  { rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity. }
  assert (Hd : / INR q * INR q = 1) by (field; lra).
  repeat split; [lia | lia | |].
  - apply Rmult_lt_reg_r with (INR q); [assumption |]. unfold Rdiv. rewrite Hp, Rmult_assoc, Hd. lra.
  - apply Rmult_lt_reg_r with (INR q); [assumption |]. unfold Rdiv. rewrite Hp, Rmult_assoc, Hd. nra.
Qed.

Lemma rational_homogeneity w p q : (1 <= p)%nat -> (1 <= q)%nat -> keeps_equal_splits w ->
  w (INR p / INR q) = w 1 * (INR p / INR q).
Proof.
  intros Hp Hq H.
  pose proof (INR_positive p Hp) as Hp0. pose proof (INR_positive q Hq) as Hq0.
  assert (Hr : 0 < INR p / INR q) by (apply Rdiv_lt_0_compat; assumption).
  pose proof (H p _ Hp Hr) as H1. pose proof (H q 1 Hq Rlt_0_1) as H2.
  replace (INR p / INR q / INR p) with (1 / INR q) in H1 by (field; lra).
  rewrite <- H1, <- H2. field. lra.
Qed.

Theorem equal_splits_and_monotone_imply_linear w :
  positive w -> nondecreasing w -> keeps_equal_splits w -> linear w.
Proof.
  intros Hw Hmono H. exists (w 1). pose proof (Hw 1 Rlt_0_1) as Hc. split; [exact Hc |].
  intros x Hx. destruct (Rtotal_order (w x) (w 1 * x)) as [Hlt | [E | Hgt]]; [exfalso | exact E | exfalso].
  - pose proof (Hw x Hx) as Hwx.
    destruct (rational_between (w x / w 1) x) as (p & q & Hp & Hq & Hlow & Hhigh).
    + split; [apply Rlt_le, Rdiv_lt_0_compat; assumption |].
      apply Rmult_lt_reg_r with (w 1); [exact Hc |]. replace (w x / w 1 * w 1) with (w x) by (field; lra). lra.
    + assert (Hr : 0 < INR p / INR q)
        by (apply Rdiv_lt_0_compat; apply INR_positive; assumption).
      pose proof (Hmono _ _ Hr (Rlt_le _ _ Hhigh)) as Hle. rewrite (rational_homogeneity w p q Hp Hq H) in Hle.
      apply (Rmult_lt_compat_l (w 1)) in Hlow; [| exact Hc].
      replace (w 1 * (w x / w 1)) with (w x) in Hlow by (field; lra). lra.
  - destruct (rational_between x (w x / w 1)) as (p & q & Hp & Hq & Hlow & Hhigh).
    + split; [lra |]. apply Rmult_lt_reg_r with (w 1); [exact Hc |].
      replace (w x / w 1 * w 1) with (w x) by (field; lra). lra.
    + pose proof (Hmono _ _ Hx (Rlt_le _ _ Hlow)) as Hle. rewrite (rational_homogeneity w p q Hp Hq H) in Hle.
      apply (Rmult_lt_compat_l (w 1)) in Hhigh; [| exact Hc].
      replace (w 1 * (w x / w 1)) with (w x) in Hhigh by (field; lra). lra.
Qed.

(* Sufficiency, for splits into parts of any masses. *)
Theorem linear_keeps_every_split w n (part : nat -> R) :
  linear w -> (forall i, (i < n)%nat -> 0 < part i) -> 0 < sum n part ->
  sum n (fun i => w (part i)) = w (sum n part).
Proof.
  intros (c & Hc & H) Hpart Hsum. rewrite (H _ Hsum), <- sum_scale. apply sum_ext. intros i Hi. apply H, Hpart, Hi.
Qed.

Theorem characterization w K :
  positive w -> nondecreasing w -> (forall s, 0 < K s) -> (invariant w K <-> linear w).
Proof.
  intros Hw Hmono HK. split.
  - intros H. apply equal_splits_and_monotone_imply_linear; [exact Hw | exact Hmono |].
    apply (invariance_keeps_equal_splits w K); assumption.
  - intros (c & Hc & H) k m m' s s' v v' Hk Hm Hm'. pose proof (INR_positive k Hk) as Hk0.
    rewrite !attention_copies. simpl (INR 1).
    rewrite (H (m / INR k)) by (apply Rdiv_lt_0_compat; assumption). rewrite (H m Hm).
    replace (INR k * (c * (m / INR k) * K s)) with (1 * (c * m * K s)) by (field; lra). reflexivity.
Qed.

(* The exponent family: one split into two or more equal parts, of one mass, forces alpha = 1. *)
Theorem exponent_is_one k m alpha : (2 <= k)%nat -> 0 < m ->
  INR k * Rpower (m / INR k) alpha = Rpower m alpha -> alpha = 1.
Proof.
  intros Hk Hm H.
  assert (Hk1 : 1 < INR k) by (apply (lt_INR 1 k); lia).
  assert (Hl : 0 < ln (INR k)) by (rewrite <- ln_1; apply ln_increasing; lra).
  unfold Rpower in H. unfold Rdiv in H. rewrite ln_mult, ln_Rinv in H; try lra; [| apply Rinv_0_lt_compat; lra].
  assert (E : exp (ln (INR k) + alpha * (ln m + - ln (INR k))) = exp (alpha * ln m)).
  { rewrite exp_plus, exp_ln by lra. exact H. }
  apply exp_inv in E. nra.
Qed.

(* Proposition 5: additivity and positivity are enough. *)
Theorem binary_splits_imply_linear w :
  positive w -> (forall a b, 0 < a -> 0 < b -> w (a + b) = w a + w b) -> linear w.
Proof.
  intros Hw H. apply equal_splits_and_monotone_imply_linear; [exact Hw | |].
  - intros x y Hx Hxy. destruct (Rle_lt_or_eq_dec x y Hxy) as [Hlt | ->]; [| lra].
    replace y with (x + (y - x)) by ring. rewrite H by lra. pose proof (Hw (y - x)). lra.
  - assert (Hn : forall k m, 0 < m -> w (INR (S k) * m) = INR (S k) * w m).
    { induction k as [| k IH]; intros m Hm; [simpl; rewrite !Rmult_1_l; reflexivity |].
      rewrite (S_INR (S k)). rewrite !Rmult_plus_distr_r, !Rmult_1_l, H, IH; [reflexivity | exact Hm | | exact Hm].
      apply Rmult_lt_0_compat; [apply INR_positive; lia | exact Hm]. }
    intros k m Hk Hm. destruct k as [| k]; [lia |]. pose proof (INR_positive (S k) Hk) as Hk0.
    rewrite <- Hn by (apply Rdiv_lt_0_compat; assumption). f_equal. field. lra.
Qed.

(* The whole family: w(m) = m^alpha is invariant to equal splits for alpha = 1 alone (section 2.2, after Proposition 1). *)
Theorem exponent_family alpha : keeps_equal_splits (fun m => Rpower m alpha) <-> alpha = 1.
Proof.
  split.
  - intros H. apply (exponent_is_one 2 1 alpha); [lia | lra | apply H; [lia | lra]].
  - intros -> k m Hk Hm. pose proof (INR_positive k Hk) as Hk0.
    rewrite !Rpower_1 by (try apply Rdiv_lt_0_compat; assumption). field. lra.
Qed.

(* Any number of tokens, each in any number of children that copy its score and its value: child i j is the mass of the
   j-th child of token i. Of a vector, the value here is one coordinate. *)
Definition attention_of_children (w K : R -> R) (n : nat) (parts : nat -> nat) (child : nat -> nat -> R)
    (score value : nat -> R) : R :=
  sum n (fun i => sum (parts i) (fun j => w (child i j) * K (score i) * value i)) /
  sum n (fun i => sum (parts i) (fun j => w (child i j) * K (score i))).

Definition attention_of_parents (w K : R -> R) (n : nat) (mass score value : nat -> R) : R :=
  attention n (fun i => w (mass i) * K (score i)) value.

(* Proposition 1, first sentence: equation 1 preserves every duplicate split whose child masses sum to the parent's mass. *)
Theorem linear_keeps_every_output w K n parts child mass score value :
  linear w ->
  (forall i, (i < n)%nat -> 0 < mass i) ->
  (forall i j, (i < n)%nat -> (j < parts i)%nat -> 0 < child i j) ->
  (forall i, (i < n)%nat -> sum (parts i) (fun j => child i j) = mass i) ->
  attention_of_children w K n parts child score value = attention_of_parents w K n mass score value.
Proof.
  intros Hw Hmass Hchild Hsum. unfold attention_of_children, attention_of_parents, attention.
  assert (H : forall i x, (i < n)%nat -> sum (parts i) (fun j => w (child i j) * x) = w (mass i) * x).
  { intros i x Hi. rewrite <- (Hsum i Hi), <- (linear_keeps_every_split w (parts i) (fun j => child i j) Hw).
    - rewrite Rmult_comm, <- sum_scale. apply sum_ext. intros; ring.
    - intros j Hj. apply Hchild; assumption.
    - rewrite Hsum by exact Hi. apply Hmass, Hi. }
  f_equal; apply sum_ext; intros i Hi; [| apply H, Hi].
  rewrite Rmult_assoc, <- (H i (K (score i) * value i) Hi). apply sum_ext. intros; ring.
Qed.

(* Proposition 1 with every score/value configuration of any length, and every token in equal children of its own number. *)
Definition invariant_at_any_length (w K : R -> R) : Prop :=
  forall n parts mass score value,
    (forall i, (i < n)%nat -> (1 <= parts i)%nat /\ 0 < mass i) ->
    attention_of_children w K n parts (fun i _ => mass i / INR (parts i)) score value =
    attention_of_parents w K n mass score value.

Theorem characterization_at_any_length w K :
  positive w -> nondecreasing w -> (forall s, 0 < K s) -> (invariant_at_any_length w K <-> linear w).
Proof.
  intros Hw Hmono HK. split.
  - intros H. apply (characterization w K Hw Hmono HK). intros k m m' s s' v v' Hk Hm Hm'.
    specialize (H 2%nat (fun i => if Nat.ltb i 1 then k else 1%nat) (copies 1 m m') (copies 1 s s') (copies 1 v v')).
    rewrite !attention_copies. unfold attention_of_children, attention_of_parents, attention, copies in H.
    simpl in H. rewrite !sum_constant in H. replace (m' / 1) with m' in H by field. simpl (INR 1).
    replace (INR k * (w (m / INR k) * K s) * v + w m' * K s' * v')
      with (0 + INR k * (w (m / INR k) * K s * v) + (0 + w m' * K s' * v')) by ring.
    replace (INR k * (w (m / INR k) * K s) + w m' * K s')
      with (0 + INR k * (w (m / INR k) * K s) + (0 + w m' * K s')) by ring.
    rewrite H; [f_equal; ring |]. intros i _. destruct (Nat.ltb i 1); split; (assumption || lia).
  - intros Hlin n parts mass score value H. apply linear_keeps_every_output; [exact Hlin | | |].
    + intros i Hi. apply H, Hi.
    + intros i j Hi _. destruct (H i Hi) as [Hp Hm]. apply Rdiv_lt_0_compat; [exact Hm | apply INR_positive, Hp].
    + intros i Hi. destruct (H i Hi) as [Hp Hm]. pose proof (INR_positive _ Hp). rewrite sum_constant. field. lra.
Qed.

(* Proposition 5, first sentence: a token of mass a + b beside one of mass m', whole or in two parts of masses a and b. *)
Definition invariant_to_binary_splits (w K : R -> R) : Prop :=
  forall a b m' s s' v v', 0 < a -> 0 < b -> 0 < m' ->
    (w a * K s * v + w b * K s * v + w m' * K s' * v') / (w a * K s + w b * K s + w m' * K s') =
    (w (a + b) * K s * v + w m' * K s' * v') / (w (a + b) * K s + w m' * K s').

Theorem binary_characterization w K :
  positive w -> (forall s, 0 < K s) -> (invariant_to_binary_splits w K <-> linear w).
Proof.
  intros Hw HK. split.
  - intros H. apply binary_splits_imply_linear; [exact Hw |]. intros a b Ha Hb.
    specialize (H a b 1 0 0 1 0 Ha Hb Rlt_0_1).
    pose proof (HK 0) as Hg. pose proof (Hw 1 Rlt_0_1) as Hc. pose proof (Hw a Ha) as Hwa. pose proof (Hw b Hb) as Hwb.
    pose proof (Hw (a + b) ltac:(lra)) as Hwab.
    set (g := K 0) in *. set (c := w 1) in *. set (x := w a) in *. set (y := w b) in *. set (z := w (a + b)) in *.
    replace ((x * g * 1 + y * g * 1 + c * g * 0) / (x * g + y * g + c * g)) with ((x + y) / (x + y + c)) in H
      by (field; split; nra).
    replace ((z * g * 1 + c * g * 0) / (z * g + c * g)) with (z / (z + c)) in H by (field; split; nra).
    apply (f_equal (fun r => r * (x + y + c) * (z + c))) in H. field_simplify in H; [nra | lra | lra].
  - intros (c & Hc & H) a b m' s s' v v' Ha Hb Hm'. rewrite (H a Ha), (H b Hb), (H (a + b)) by lra. f_equal; ring.
Qed.

(* Appendix A.3: a positive and nondecreasing weight that keeps every halving and is not linear; "sufficiently small" is
   epsilon (1 + 2 pi / ln 2) <= 1. *)
Definition wave (eps m : R) : R := m * (1 + eps * sin (2 * PI / ln 2 * ln m)).

Lemma ln2_positive : 0 < ln 2.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma wave_slope eps m : 0 < m ->
  derivable_pt_lim (wave eps) m
    (1 + eps * (sin (2 * PI / ln 2 * ln m) + 2 * PI / ln 2 * cos (2 * PI / ln 2 * ln m))).
Proof.
  intros Hm. pose proof ln2_positive. set (a := 2 * PI / ln 2).
  assert (H1 : derivable_pt_lim (fun x => a * ln x) m (a * / m)).
  { apply (derivable_pt_lim_scal ln a m (/ m)). apply derivable_pt_lim_ln, Hm. }
  assert (H2 : derivable_pt_lim (fun x => sin (a * ln x)) m (cos (a * ln m) * (a * / m))).
  { apply (derivable_pt_lim_comp (fun x => a * ln x) sin m); [exact H1 | apply derivable_pt_lim_sin]. }
  assert (H3 : derivable_pt_lim (fun x => 1 + eps * sin (a * ln x)) m (0 + eps * (cos (a * ln m) * (a * / m)))).
  { apply (derivable_pt_lim_plus (fun _ => 1) (fun x => eps * sin (a * ln x)));
      [apply derivable_pt_lim_const | apply (derivable_pt_lim_scal (fun x => sin (a * ln x))), H2]. }
  replace (1 + eps * (sin (a * ln m) + a * cos (a * ln m)))
    with (1 * (1 + eps * sin (a * ln m)) + m * (0 + eps * (cos (a * ln m) * (a * / m)))) by (field; lra).
  apply (derivable_pt_lim_mult (fun x => x) (fun x => 1 + eps * sin (a * ln x)));
    [apply derivable_pt_lim_id | exact H3].
Qed.

Theorem halving_is_not_enough eps :
  0 < eps -> eps * (1 + 2 * PI / ln 2) <= 1 ->
  positive (wave eps) /\ nondecreasing (wave eps) /\ (forall m, 0 < m -> 2 * wave eps (m / 2) = wave eps m) /\
  ~ keeps_equal_splits (wave eps).
Proof.
  intros He Hsmall. pose proof ln2_positive as Hl. pose proof PI_RGT_0 as Hpi. set (a := 2 * PI / ln 2) in *.
  assert (Ha : 0 < a) by (apply Rdiv_lt_0_compat; lra).
  assert (Hpos : positive (wave eps)).
  { intros m Hm. unfold wave. fold a. pose proof (SIN_bound (a * ln m)). apply Rmult_lt_0_compat; nra. }
  assert (Hmono : nondecreasing (wave eps)).
  { intros x y Hx Hxy. destruct (Rle_lt_or_eq_dec x y Hxy) as [Hlt | ->]; [| lra].
    destruct (MVT_cor2 (wave eps) _ x y Hlt (fun c Hc => wave_slope eps c ltac:(lra))) as (c & E & Hc).
    fold a in E. pose proof (SIN_bound (a * ln c)) as [Hs _]. pose proof (COS_bound (a * ln c)) as [Hcos _].
    assert (0 <= 1 + eps * (sin (a * ln c) + a * cos (a * ln c))).
    { assert (- (1 + a) <= sin (a * ln c) + a * cos (a * ln c)) by nra. nra. }
    assert (0 <= y - x) by lra. nra. }
  repeat split; [exact Hpos | exact Hmono | |].
  - intros m Hm. unfold wave. fold a. unfold Rdiv at 2. rewrite ln_mult, ln_Rinv by lra.
    replace (a * (ln m + - ln 2)) with (a * ln m - 2 * PI) by (unfold a; field; lra).
    rewrite <- (sin_period (a * ln m - 2 * PI) 1). simpl (INR 1).
    replace (a * ln m - 2 * PI + 2 * 1 * PI) with (a * ln m) by ring. field.
  - intros H. destruct (equal_splits_and_monotone_imply_linear (wave eps) Hpos Hmono H) as (c & _ & Hlin).
    pose proof (Hlin 1 Rlt_0_1) as H1. set (q := exp (ln 2 / 4)). pose proof (Hlin q (exp_pos _)) as Hq.
    unfold wave in H1, Hq. fold a in H1, Hq. rewrite ln_1, Rmult_0_r, sin_0 in H1.
    unfold q in Hq at 2. rewrite ln_exp in Hq.
    replace (a * (ln 2 / 4)) with (PI / 2) in Hq by (unfold a; field; lra). rewrite sin_PI2 in Hq.
    pose proof (exp_pos (ln 2 / 4)) as Hqpos. fold q in Hqpos. nra.
Qed.

(* Monotonicity is needed: twice as much off the rationals keeps every equal split, and is not linear. *)
Definition rational (x : R) : Prop := exists (q : nat) (z : Z), INR (S q) * x = IZR z.

Lemma rational_dec x : {rational x} + {~ rational x}.
Proof.
  assert (Hint : forall r z, r = IZR z -> r = IZR (up r) - 1).
  { intros r z E. rewrite <- (tech_up r (z + 1)); rewrite ?plus_IZR; lra. }
  destruct (ClassicalDedekindReals.sig_forall_dec (fun q => INR (S q) * x <> IZR (up (INR (S q) * x)) - 1))
    as [[q H] | H].
  - intros q. destruct (Req_EM_T (INR (S q) * x) (IZR (up (INR (S q) * x)) - 1)) as [E | E]; [right | left]; tauto.
  - left. exists q, (up (INR (S q) * x) - 1)%Z. rewrite minus_IZR.
    destruct (Req_EM_T (INR (S q) * x) (IZR (up (INR (S q) * x)) - 1)) as [E | E]; [exact E | contradiction].
  - right. intros (q & z & E). exact (H q (Hint _ _ E)).
Qed.

Lemma rational_share k x : (1 <= k)%nat -> (rational (x / INR k) <-> rational x).
Proof.
  intros Hk. pose proof (INR_positive k Hk) as Hk0. split; intros (q & z & E).
  - exists q, (z * Z.of_nat k)%Z. rewrite mult_IZR, <- INR_IZR_INZ, <- E. field. lra.
  - exists (S q * k - 1)%nat, z. replace (S (S q * k - 1)) with (S q * k)%nat by nia. rewrite mult_INR, <- E. field. lra.
Qed.

Lemma no_square_is_twice_a_square : forall p q : nat, (p * p = 2 * (q * q))%nat -> q = 0%nat.
Proof.
  intros p. induction p as [p IH] using (well_founded_induction lt_wf). intros q H.
  destruct (Nat.eq_dec q 0) as [E | Hq]; [exact E | exfalso].
  destruct (Nat.Even_or_Odd p) as [[h Hh] | [h Hh]]; [| nia].
  assert (E : (q * q = 2 * (h * h))%nat) by nia. pose proof (IH q ltac:(nia) h E). nia.
Qed.

Lemma root_two_is_irrational : ~ rational (sqrt 2).
Proof.
  intros (q & z & E). pose proof (sqrt_sqrt 2 ltac:(lra)) as H2. pose proof (sqrt_lt_R0 2 ltac:(lra)) as Hpos.
  assert (Hz : (0 <= z)%Z) by (apply le_IZR; rewrite <- E; pose proof (pos_INR (S q)); nra).
  enough (S q = 0)%nat by lia. apply (no_square_is_twice_a_square (Z.to_nat z)). apply INR_eq.
  rewrite !mult_INR, !(INR_IZR_INZ (Z.to_nat z)), Z2Nat.id, <- E by exact Hz. simpl (INR 2). nra.
Qed.

Theorem monotonicity_is_needed : exists w, positive w /\ keeps_equal_splits w /\ ~ linear w.
Proof.
  exists (fun m => if rational_dec m then m else 2 * m). repeat split.
  - intros m Hm. destruct (rational_dec m); lra.
  - intros k m Hk Hm. pose proof (INR_positive k Hk). pose proof (rational_share k m Hk).
    destruct (rational_dec m), (rational_dec (m / INR k)); try tauto; field; lra.
  - intros (c & _ & H). pose proof (H 1 Rlt_0_1) as H1. pose proof (sqrt_lt_R0 2 ltac:(lra)) as Hpos.
    pose proof (H (sqrt 2) Hpos) as H2.
    destruct (rational_dec (sqrt 2)) as [Hr | _]; [exact (root_two_is_irrational Hr) |].
    destruct (rational_dec 1) as [_ | Hn]; [nra |].
    apply Hn. exists 0%nat, 1%Z. simpl. ring.
Qed.

Print Assumptions invariance_keeps_equal_splits.
Print Assumptions equal_splits_and_monotone_imply_linear.
Print Assumptions characterization.
Print Assumptions linear_keeps_every_split.
Print Assumptions exponent_is_one.
Print Assumptions binary_splits_imply_linear.
Print Assumptions exponent_family.
Print Assumptions linear_keeps_every_output.
Print Assumptions characterization_at_any_length.
Print Assumptions binary_characterization.
Print Assumptions halving_is_not_enough.
Print Assumptions monotonicity_is_needed.
