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

(* The same for any law on any set of worlds: that it gives no event more than an event that contains it is all that is
   used. *)
Theorem expansion_never_harms_under_any_law (world : Type) (P : (world -> Prop) -> R) (best : world -> blocks)
    (kept expanded : blocks) :
  (forall A B : world -> Prop, (forall x, A x -> B x) -> P A <= P B) ->
  (forall b, kept b -> expanded b) ->
  0 <= P (fun x => ~ holds_all kept (best x)) - P (fun x => ~ holds_all expanded (best x)).
Proof.
  intros Hmono Hsub. enough (P (fun x => ~ holds_all expanded (best x)) <= P (fun x => ~ holds_all kept (best x))) by lra.
  apply Hmono. intros x Hx Hall. apply Hx. intros b Hb. apply Hsub, Hall, Hb.
Qed.

(* With the kept sets as printed, {b : s_b >= s_(m-1)}, whatever the ties: lowering the threshold nests them. *)
Theorem thresholds_never_harm (world : Type) (P : (world -> Prop) -> R) (best : world -> blocks) (s : nat -> R) cut lower :
  (forall A B : world -> Prop, (forall x, A x -> B x) -> P A <= P B) ->
  lower <= cut ->
  0 <= P (fun x => ~ holds_all (fun b => s b >= cut) (best x)) - P (fun x => ~ holds_all (fun b => s b >= lower) (best x)).
Proof. intros Hmono Hcut. apply expansion_never_harms_under_any_law; [exact Hmono |]. intros b Hb. lra. Qed.

Print Assumptions expansion_never_harms.
Print Assumptions expansion_never_harms_under_any_law.
Print Assumptions thresholds_never_harm.
