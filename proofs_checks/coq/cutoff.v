(* UG Appendix D.3, Lemma 1: the error of a kept set sits at the cutoff. Which events imply which, how far apart the pairs
   are and how many, and the bounds (21) to (23) for every law of the true scores whose pairwise inversions obey the
   Gaussian tail ratio. *)

Require Import Reals Lra Lia Psatz List.
Require Import finite.
Open Scope R_scope.

(* Blocks are named by their empirical ranks 0, ..., N - 1, so the kept set of size r is the first r of them. *)
Definition kept (r b : nat) : Prop := (b < r)%nat.

(* k blocks of which none scores less than a block left out; ties may go either way. *)
Definition is_top (N k : nat) (x : nat -> R) (best : list nat) : Prop :=
  NoDup best /\ length best = k /\ (forall b, In b best -> (b < N)%nat) /\
  (forall b b', In b best -> (b' < N)%nat -> ~ In b' best -> x b' <= x b).

(* The kept set misses one of them. *)
Definition misses (r : nat) (best : list nat) : Prop := ~ (forall b, In b best -> kept r b).

(* The first k ranks are a top set of the empirical scores. *)
Lemma kept_is_top N k s :
  (k <= N)%nat -> (forall i j, (i <= j)%nat -> (j < N)%nat -> s j <= s i) -> is_top N k s (seq 0 k).
Proof.
  intros Hk Hs. repeat split.
  - apply seq_NoDup.
  - apply seq_length.
  - intros b Hb. apply in_seq in Hb. lia.
  - intros b b' Hb Hb' Hout. apply in_seq in Hb. apply Hs; [| exact Hb'].
    destruct (Nat.le_gt_cases b b') as [H | H]; [exact H |]. exfalso. apply Hout, in_seq. lia.
Qed.

(* Proof of (21), lower bound: if the first block left out is truly better than the last one kept, the kept set fails. *)
Theorem inverted_cutoff_fails N k mu best :
  (1 <= k)%nat -> (k < N)%nat -> is_top N k mu best -> mu (k - 1)%nat < mu k -> misses k best.
Proof.
  intros Hk HN (Hdup & Hlen & _ & Hbest) Hmu Hall.
  assert (Hin : In (k - 1)%nat best).
  { assert (H : incl (seq 0 k) best); [| apply H, in_seq; lia].
    apply NoDup_length_incl; [exact Hdup | rewrite seq_length; lia |].
    intros b Hb. apply in_seq. pose proof (Hall b Hb). unfold kept in *. lia. }
  assert (Hout : ~ In k best) by (intros H; pose proof (Hall k H); unfold kept in *; lia).
  pose proof (Hbest _ _ Hin HN Hout). lra.
Qed.

(* Proof of (21) and (22), upper bounds: if the first r >= k blocks miss one, then a block outside is truly at least as
   good as one of the first k. *)
Theorem failure_inverts_a_pair N k r mu best :
  (k <= r)%nat -> (r <= N)%nat -> is_top N k mu best -> misses r best ->
  exists i j, (i < k)%nat /\ (r <= j)%nat /\ (j < N)%nat /\ mu i <= mu j.
Proof.
  intros Hk HN (Hdup & Hlen & Hbelow & Hbest) Hmiss.
  assert (Hj : exists j, In j best /\ (r <= j)%nat).
  { destruct (Exists_dec (fun b => (r <= b)%nat) best (fun b => le_dec r b)) as [H | H].
    - apply Exists_exists in H. exact H.
    - exfalso. apply Hmiss. intros b Hb. unfold kept. destruct (Nat.lt_ge_cases b r) as [Hlt | Hge]; [exact Hlt |].
      exfalso. apply H, Exists_exists. exists b. auto. }
  destruct Hj as (j & Hjin & Hjr).
  assert (Hi : exists i, In i (seq 0 k) /\ ~ In i best).
  { destruct (Exists_dec (fun b => ~ In b best) (seq 0 k)) as [H | H].
    - intros b. destruct (in_dec Nat.eq_dec b best); [right | left]; tauto.
    - apply Exists_exists in H. exact H.
    - exfalso. assert (Hincl : incl (seq 0 k) best).
      { intros b Hb. destruct (in_dec Nat.eq_dec b best) as [Hin | Hout]; [exact Hin |].
        exfalso. apply H, Exists_exists. exists b. auto. }
      assert (Hback : incl best (seq 0 k)).
      { apply NoDup_length_incl; [apply seq_NoDup | rewrite seq_length; lia | exact Hincl]. }
      apply Hback, in_seq in Hjin. lia. }
  destruct Hi as (i & Hiin & Hiout). apply in_seq in Hiin.
  exists i, j. repeat split; [lia | exact Hjr | apply Hbelow, Hjin |]. apply Hbest; [exact Hjin | lia | exact Hiout].
Qed.

(* (A1): every spacing other than the cutoff spacing is at least d. *)
Definition spacing_floor (N k : nat) (s : nat -> R) (d : R) : Prop :=
  forall j, (S j < N)%nat -> j <> (k - 1)%nat -> d <= s j - s (S j).

Lemma drop N k s d a c :
  spacing_floor N k s d -> (a + c < N)%nat -> (forall l, (a <= l)%nat -> (l < a + c)%nat -> l <> (k - 1)%nat) ->
  INR c * d <= s a - s (a + c)%nat.
Proof.
  intros Hd. induction c as [| c IH]; intros HN Hl; [rewrite Nat.add_0_r; simpl; lra |].
  rewrite S_INR, Nat.add_succ_r. pose proof (IH ltac:(lia) ltac:(intros; apply Hl; lia)).
  pose proof (Hd (a + c)%nat ltac:(lia) ltac:(apply Hl; lia)). lra.
Qed.

(* The pair at distance m = (k - 1 - i) + (j - r) from the dominant one has a gap of at least G + m d. *)
Theorem gap_of_a_pair N k r s d i j :
  spacing_floor N k s d -> (i < k)%nat -> (k <= r)%nat -> (r <= j)%nat -> (j < N)%nat ->
  s (k - 1)%nat - s r + INR ((k - 1 - i) + (j - r)) * d <= s i - s j.
Proof.
  intros Hd Hi Hk Hr Hj.
  pose proof (drop N k s d i (k - 1 - i) Hd ltac:(lia) ltac:(intros; lia)) as H1.
  pose proof (drop N k s d r (j - r) Hd ltac:(lia) ltac:(intros; lia)) as H2.
  replace (i + (k - 1 - i))%nat with (k - 1)%nat in H1 by lia. replace (r + (j - r))%nat with j in H2 by lia.
  rewrite plus_INR. lra.
Qed.

Lemma sum_reversed n f : sum n (fun i => f (n - 1 - i)%nat) = sum n f.
Proof.
  induction n as [| n IH]; [reflexivity |].
  transitivity (sum (1 + n) (fun i => f (S n - 1 - i)%nat)); [reflexivity |].
  rewrite sum_append. simpl sum at 1. rewrite Rplus_0_l. simpl (sum (S n) f). rewrite <- IH, Rplus_comm.
  apply f_equal2; [| f_equal; lia]. apply sum_ext. intros i Hi. f_equal. lia.
Qed.

(* At most m + 1 pairs lie at distance m. *)
Theorem pairs_by_distance k p M h :
  (k + p <= S M)%nat -> (forall m, 0 <= h m) ->
  sum k (fun a => sum p (fun b => h (a + b)%nat)) <= sum M (fun m => INR (S m) * h m).
Proof.
  intros HM Hh.
  assert (Hcount : forall n m, sum n (fun a => if Nat.leb a m then h m else 0) <= INR (S m) * h m).
  { intros n m. induction n as [| n IH].
    { apply Rmult_le_pos; [apply pos_INR | apply Hh]. }
    destruct (Nat.leb_spec n m) as [Hle | Hgt].
    - apply Rle_trans with (sum (S n) (fun _ => h m)).
      + apply sum_le. intros a _. destruct (Nat.leb a m); pose proof (Hh m); lra.
      + rewrite sum_constant. apply Rmult_le_compat_r; [apply Hh | apply le_INR; lia].
    - simpl sum. replace (Nat.leb n m) with false by (symmetry; apply Nat.leb_gt; exact Hgt). lra. }
  apply Rle_trans with (sum k (fun a => sum M (fun m => if Nat.leb a m then (if Nat.ltb m (a + p) then h m else 0) else 0))).
  - apply sum_le. intros a Ha. replace M with (a + (p + (M - a - p)))%nat by lia.
    rewrite sum_append, sum_append.
    rewrite (sum_ext p (fun j => if Nat.leb a (a + j) then _ else 0) (fun b => h (a + b)%nat)).
    + assert (H1 : 0 <= sum a (fun m => if Nat.leb a m then if Nat.ltb m (a + p) then h m else 0 else 0)).
      { apply sum_nonnegative. intros m _. destruct (Nat.leb a m), (Nat.ltb m (a + p)); try lra; apply Hh. }
      assert (H2 : 0 <= sum (M - a - p) (fun j => if Nat.leb a (a + (p + j)) then
        if Nat.ltb (a + (p + j)) (a + p) then h (a + (p + j))%nat else 0 else 0)).
      { apply sum_nonnegative. intros m _. destruct (Nat.leb a (a + (p + m))), (Nat.ltb (a + (p + m)) (a + p)); try lra; apply Hh. }
      lra.
    + intros b Hb. replace (Nat.leb a (a + b)) with true by (symmetry; apply Nat.leb_le; lia).
      replace (Nat.ltb (a + b) (a + p)) with true by (symmetry; apply Nat.ltb_lt; lia). reflexivity.
  - rewrite sum_exchange. apply sum_le. intros m _. eapply Rle_trans; [| apply Hcount]. apply sum_le. intros a _.
    destruct (Nat.leb a m), (Nat.ltb m (a + p)); pose proof (Hh m); lra.
Qed.

(* Any law on any set of worlds: of probability, three properties are used, and the outer measure of a probability
   measure, defined on every event, has them. *)
Definition law {world : Type} (P : (world -> Prop) -> R) : Prop :=
  P (fun _ => False) = 0 /\
  (forall A B : world -> Prop, (forall x, A x -> B x) -> P A <= P B) /\
  (forall A B : world -> Prop, P (fun x => A x \/ B x) <= P A + P B).

Lemma union_bound {world : Type} (P : (world -> Prop) -> R) n (A : nat -> world -> Prop) :
  law P -> P (fun x => exists i, (i < n)%nat /\ A i x) <= sum n (fun i => P (A i)).
Proof.
  intros (H0 & Hmono & Hunion). induction n as [| n IH]; simpl.
  - rewrite <- H0. apply Hmono. intros x (i & Hi & _). lia.
  - apply Rle_trans with (P (fun x => (exists i, (i < n)%nat /\ A i x) \/ A n x)).
    + apply Hmono. intros x (i & Hi & Hx). destruct (Nat.eq_dec i n) as [-> | Hne]; [right; exact Hx |].
      left. exists i. split; [lia | exact Hx].
    + eapply Rle_trans; [apply Hunion |]. lra.
Qed.

(* The first n terms of chi, the sum over m >= 1 of (m + 1) exp (- m^2 d^2 / (4 tau^2)); here m = l + 1. *)
Definition chi (n : nat) (d tau : R) : R :=
  sum n (fun l => INR (l + 2) * exp (- (INR (l + 1) * d * (INR (l + 1) * d)) / (4 * (tau * tau)))).

Section Localisation.

Variables (world : Type) (P : (world -> Prop) -> R).
Variables (N k : nat) (s : nat -> R) (d tau : R) (V : R -> R).
Variables (mu : world -> nat -> R) (best : world -> list nat).

Hypothesis P_law : law P.
Hypothesis sizes : (1 <= k)%nat /\ (k < N)%nat.
Hypothesis floor : 0 <= d /\ s k <= s (k - 1)%nat /\ spacing_floor N k s d.
Hypothesis tau_positive : 0 < tau.
(* In each world the truly best k blocks, ties broken anyhow. *)
Hypothesis best_is_top : forall x, is_top N k (mu x) (best x).
(* V x is the probability that two true scores whose estimates are x apart stand the other way round. For the posterior of
   equation 17 it is Phi (- x / (sqrt 2 tau)), and the tail ratio below is that of the paper with exp (- a x) dropped. *)
Hypothesis V_nonnegative : forall x, 0 <= x -> 0 <= V x.
Hypothesis V_tail : forall x a, 0 <= x -> 0 <= a -> V (x + a) <= V x * exp (- (a * a) / (4 * (tau * tau))).
Hypothesis inversions : forall i j, (i < k)%nat -> (k <= j)%nat -> (j < N)%nat ->
  P (fun x => mu x i <= mu x j) <= V (s i - s j).
Hypothesis cutoff_inversion : V (s (k - 1)%nat - s k) <= P (fun x => mu x (k - 1)%nat < mu x k).

(* The identification error of the first r blocks, and the gap from the last of the k to the first left out of r. *)
Definition error (r : nat) : R := P (fun x => misses r (best x)).
Definition gap (r : nat) : R := s (k - 1)%nat - s r.

Lemma exp_at_most_one a : exp (- (a * a) / (4 * (tau * tau))) <= 1.
Proof.
  assert (H : - (a * a) / (4 * (tau * tau)) <= 0).
  { unfold Rdiv. assert (0 < / (4 * (tau * tau))) by (apply Rinv_0_lt_compat; nra). nra. }
  rewrite <- exp_0. destruct (Rle_lt_or_eq_dec _ _ H) as [Hlt | ->]; [apply Rlt_le, exp_increasing, Hlt | lra].
Qed.

Lemma V_decreases x y : 0 <= x -> x <= y -> V y <= V x.
Proof.
  intros Hx Hxy. replace y with (x + (y - x)) by ring.
  eapply Rle_trans; [apply V_tail; lra |].
  pose proof (exp_at_most_one (y - x)). pose proof (V_nonnegative x Hx). nra.
Qed.

Lemma gap_grows r : (k <= r)%nat -> (r < N)%nat -> gap k + INR (r - k) * d <= gap r.
Proof.
  intros Hk Hr. destruct floor as (_ & _ & Hd). unfold gap.
  pose proof (drop N k s d k (r - k) Hd ltac:(lia) ltac:(intros; lia)) as H.
  replace (k + (r - k))%nat with r in H by lia. lra.
Qed.

Lemma gap_nonnegative r : (k <= r)%nat -> (r < N)%nat -> 0 <= gap r.
Proof.
  intros Hk Hr. pose proof (gap_grows r Hk Hr). destruct floor as (Hd & Hs & _). unfold gap in *.
  pose proof (pos_INR (r - k)). nra.
Qed.

(* (21), lower bound. *)
Theorem kept_error_at_least : V (gap k) <= error k.
Proof.
  destruct P_law as (_ & Hmono & _). destruct sizes as [Hk HN].
  eapply Rle_trans; [exact cutoff_inversion |]. apply Hmono. intros x Hx.
  apply (inverted_cutoff_fails N k (mu x)); auto.
Qed.

(* (21) with r = k and (22) with r = rho k: upper bounds. *)
Theorem error_at_most r : (k <= r)%nat -> (r < N)%nat -> error r <= V (gap r) * (1 + chi (N - 1) d tau).
Proof.
  intros Hkr HrN. destruct P_law as (_ & Hmono & _). destruct sizes as [Hk HN]. destruct floor as (Hd & _ & Hfloor).
  pose proof (gap_nonnegative r Hkr HrN) as HG.
  set (h := fun m => V (gap r + INR m * d)).
  assert (Hm : forall m, 0 <= INR m * d) by (intros m; pose proof (pos_INR m); nra).
  assert (Hh : forall m, 0 <= h m) by (intros m; apply V_nonnegative; pose proof (Hm m); lra).
  apply Rle_trans with (sum k (fun i => sum (N - r) (fun c => h ((k - 1 - i) + c)%nat))).
  - apply Rle_trans with (P (fun x => exists i, (i < k)%nat /\
      exists c, (c < N - r)%nat /\ mu x i <= mu x (r + c)%nat)).
    + apply Hmono. intros x Hx.
      destruct (failure_inverts_a_pair N k r (mu x) (best x)) as (i & j & Hi & Hj & HjN & Hle); auto; [lia |].
      exists i. split; [exact Hi |]. exists (j - r)%nat. replace (r + (j - r))%nat with j by lia. split; [lia | exact Hle].
    + eapply Rle_trans; [apply (union_bound P k (fun i x =>
        exists c, (c < N - r)%nat /\ mu x i <= mu x (r + c)%nat) P_law) |].
      apply sum_le. intros i Hi.
      eapply Rle_trans; [apply (union_bound P (N - r) (fun c x => mu x i <= mu x (r + c)%nat) P_law) |].
      apply sum_le. intros c Hc. eapply Rle_trans; [apply inversions; lia |].
      pose proof (gap_of_a_pair N k r s d i (r + c) Hfloor Hi Hkr ltac:(lia) ltac:(lia)) as Hgap.
      replace (r + c - r)%nat with c in Hgap by lia.
      apply V_decreases; [pose proof (Hm (k - 1 - i + c)%nat); lra | exact Hgap].
  - rewrite (sum_reversed k (fun a => sum (N - r) (fun c => h (a + c)%nat))).
    eapply Rle_trans; [apply (pairs_by_distance k (N - r) N h); [lia | exact Hh] |].
    replace N with (1 + (N - 1))%nat at 1 by lia. rewrite sum_append. simpl sum at 1.
    rewrite Rmult_plus_distr_l, Rmult_1_r. apply Rplus_le_compat.
    + unfold h. simpl. rewrite Rmult_0_l, Rplus_0_r. lra.
    + unfold chi. rewrite <- sum_scale. apply sum_le. intros l _.
      replace (S (1 + l)) with (l + 2)%nat by lia. replace (1 + l)%nat with (l + 1)%nat by lia.
      pose proof (V_tail (gap r) (INR (l + 1) * d) HG (Hm _)) as H.
      pose proof (pos_INR (l + 2)). unfold h. nra.
Qed.

(* (23), with what the proof gives: chi where the paper allows epsilon = chi + (1 + chi) exp (...). *)
Theorem expansion_value_between r :
  (k <= r)%nat -> (r < N)%nat ->
  let x := chi (N - 1) d tau in
  let e := exp (- (INR (r - k) * d * (INR (r - k) * d)) / (4 * (tau * tau))) in
  (1 - (1 + x) * e) * V (gap k) <= error k - error r <= (1 + x) * V (gap k).
Proof.
  intros Hkr HrN x e. destruct sizes as [Hk HN]. destruct floor as (Hd & _ & _). destruct P_law as (H0 & Hmono & _).
  pose proof (gap_nonnegative k ltac:(lia) HN) as Hg.
  assert (Hnonneg : 0 <= error r) by (unfold error; rewrite <- H0; apply Hmono; intros w []).
  assert (Hx : 0 <= x).
  { apply sum_nonnegative. intros l _. apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, exp_pos]. }
  assert (HV : V (gap r) <= V (gap k) * e).
  { eapply Rle_trans; [| apply V_tail; [exact Hg | pose proof (pos_INR (r - k)); nra]].
    apply V_decreases; [| apply gap_grows; assumption]. pose proof (pos_INR (r - k)). nra. }
  pose proof kept_error_at_least. pose proof (error_at_most k ltac:(lia) HN) as Hup.
  pose proof (error_at_most r Hkr HrN) as Hupr. fold x in Hup, Hupr. split; [| lra].
  assert (V (gap r) * (1 + x) <= V (gap k) * e * (1 + x)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(* (23) as printed, with the first N - 1 terms of chi; for r = rho k, r - k = (rho - 1) k. *)
Theorem expansion_value_as_printed r :
  (k <= r)%nat -> (r < N)%nat ->
  let x := chi (N - 1) d tau in
  let eps := x + (1 + x) * exp (- (INR (r - k) * d * (INR (r - k) * d)) / (4 * (tau * tau))) in
  (1 - eps) * V (gap k) <= error k - error r <= (1 + eps) * V (gap k).
Proof.
  intros Hkr HrN x eps. destruct (expansion_value_between r Hkr HrN) as [Hlow Hhigh]. fold x in Hlow, Hhigh.
  destruct sizes as [Hk HN]. pose proof (V_nonnegative _ (gap_nonnegative k ltac:(lia) HN)) as HV.
  assert (Hx : 0 <= x).
  { apply sum_nonnegative. intros l _. apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, exp_pos]. }
  unfold eps. set (e := exp _) in *. assert (He : 0 < e) by apply exp_pos.
  assert (0 <= x * V (gap k)) by (apply Rmult_le_pos; assumption).
  assert (0 <= (1 + x) * e * V (gap k)) by (apply Rmult_le_pos; [nra | assumption]).
  split; lra.
Qed.

End Localisation.

Print Assumptions inverted_cutoff_fails.
Print Assumptions failure_inverts_a_pair.
Print Assumptions gap_of_a_pair.
Print Assumptions pairs_by_distance.
Print Assumptions kept_error_at_least.
Print Assumptions error_at_most.
Print Assumptions expansion_value_between.
Print Assumptions expansion_value_as_printed.
