(* UG Appendix D.2, Observation 1: a larger kept set misses a truly best block in no world in which the smaller does not. *)

Require Import Reals Lra Lia.
Require Import finite.
Open Scope R_scope.

(* A set of blocks. *)
Definition blocks : Type := nat -> Prop.
Definition holds_all (kept best : blocks) : Prop := forall b, best b -> kept b.

(* Finitely many worlds, each with its probability and its truly best blocks; `fails` picks those where the kept set
   misses a best block. It is any decision of that question. *)
Definition probability (worlds : nat) (weight : nat -> R) (fails : nat -> bool) : R :=
  sum worlds (fun x => if fails x then weight x else 0).

Definition decides (worlds : nat) (kept : blocks) (best : nat -> blocks) (fails : nat -> bool) : Prop :=
  forall x, (x < worlds)%nat -> (fails x = true <-> ~ holds_all kept (best x)).

(* Whatever the law of the worlds: a larger kept set fails in no world in which the smaller one does not. *)
Theorem expansion_never_harms worlds weight (best : nat -> blocks) (kept expanded : blocks) fails fails' :
  (forall x, (x < worlds)%nat -> 0 <= weight x) ->
  (forall b, kept b -> expanded b) ->
  decides worlds kept best fails -> decides worlds expanded best fails' ->
  0 <= probability worlds weight fails - probability worlds weight fails'.
Proof.
  intros Hw Hsub H H'. enough (probability worlds weight fails' <= probability worlds weight fails) by lra.
  apply sum_le. intros x Hx. pose proof (Hw x Hx). destruct (fails' x) eqn:E'; [| destruct (fails x); lra].
  replace (fails x) with true; [lra |]. symmetry. apply (H x Hx). intros Hall.
  apply (H' x Hx) in E'. apply E'. intros b Hb. apply Hsub, Hall, Hb.
Qed.

Print Assumptions expansion_never_harms.
