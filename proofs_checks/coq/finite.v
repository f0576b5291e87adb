(* Finite sums over the indices below n. *)

Require Import Reals Lra Lia FunctionalExtensionality.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with
  | O => 0
  | S m => sum m f + f m
  end.

Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n as [| n IH]; simpl; intros H; [reflexivity |].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [| n IH]; simpl; intros H; [lra |].
  apply Rplus_le_compat; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma sum_plus n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [| n IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_affine n f g c d : sum n (fun i => c * f i + d * g i) = c * sum n f + d * sum n g.
Proof. induction n as [| n IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_scale n f c : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n as [| n IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_constant n c : sum n (fun _ => c) = INR n * c.
Proof. induction n as [| n IH]; [simpl; ring | rewrite S_INR; simpl; rewrite IH; ring]. Qed.

Lemma sum_nonnegative n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof. intros H. rewrite <- (Rmult_0_r (INR n)), <- sum_constant. apply sum_le, H. Qed.

Lemma sum_positive n f k : (forall i, (i < n)%nat -> 0 <= f i) -> (k < n)%nat -> 0 < f k -> 0 < sum n f.
Proof.
  induction n as [| n IH]; intros H Hk Hfk; [lia |]. simpl. pose proof (H n ltac:(lia)) as Hn.
  destruct (Nat.eq_dec k n) as [-> | Hne].
  - pose proof (sum_nonnegative n f ltac:(intros; apply H; lia)). lra.
  - pose proof (IH ltac:(intros; apply H; lia) ltac:(lia) Hfk). lra.
Qed.

Lemma sum_exchange n p (f : nat -> nat -> R) :
  sum n (fun i => sum p (fun j => f i j)) = sum p (fun j => sum n (fun i => f i j)).
Proof.
  induction n as [| n IH]; simpl; [rewrite sum_constant; ring |].
  rewrite IH. symmetry. apply sum_plus.
Qed.

Lemma sum_append n p f : sum (n + p) f = sum n f + sum p (fun j => f (n + j)%nat).
Proof.
  induction p as [| p IH]; simpl; [rewrite Nat.add_0_r; ring |].
  rewrite Nat.add_succ_r. simpl. rewrite IH. ring.
Qed.

(* A double sum as a sum over pairs, numbered row by row. *)
Definition row (p k : nat) : nat := (k / p)%nat.
Definition column (p k : nat) : nat := (k mod p)%nat.

Lemma sum_pairs n p (f : nat -> nat -> R) :
  (0 < p)%nat -> sum (n * p) (fun k => f (row p k) (column p k)) = sum n (fun i => sum p (fun j => f i j)).
Proof.
  intros Hp. induction n as [| n IH]; simpl; [reflexivity |].
  rewrite Nat.add_comm, sum_append, IH. f_equal. apply sum_ext. intros j Hj. unfold row, column.
  rewrite Nat.add_comm, Nat.div_add, Nat.mod_add, Nat.div_small, Nat.mod_small by lia. reflexivity.
Qed.

Lemma pair_below n p k : (k < n * p)%nat -> (row p k < n)%nat /\ (column p k < p)%nat.
Proof.
  intros H. assert (p <> 0)%nat by (intros ->; lia). unfold row, column. split.
  - apply Nat.div_lt_upper_bound; lia.
  - apply Nat.mod_upper_bound; assumption.
Qed.
