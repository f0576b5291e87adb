"""UG appendix C: the printed numbers."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from marks import proof, refutation
from refsym_theory.claims.ug.c_sweep import RECALL, steps
from refsym_theory.evidence import Level, below, equal, require


@refutation(
    "UG.C-SWEEP", Level.EXACT, RECALL, {"sorted": tuple(sorted(RECALL)), "first two equal": (RECALL[1], *RECALL[1:])}
)
def test_one_step_down(stated: Sequence[Fraction], record_property: Callable[[str, object], None]) -> None:
    record_property("claimed", "monotonic")
    record_property("computed", "steps " + ", ".join(f"{float(step):+.2f}" for step in steps(stated)))
    require(below(min(steps(stated)), Fraction(0)))


@proof("UG.C-SWEEP", "falls", Level.EXACT, RECALL, {"reversed": RECALL[::-1]})
def test_first_step(stated: Sequence[Fraction]) -> None:
    require(equal(steps(stated)[0], Fraction(-3, 100)))
    assert all(step > 0 for step in steps(stated)[1:])


@proof("UG.C-SWEEP", "last", Level.EXACT, RECALL, {"levelled off": (*RECALL[:3], RECALL[2])})
def test_last_step(stated: Sequence[Fraction]) -> None:
    require(equal(steps(stated)[-1], Fraction(6, 100)))
    assert sorted(steps(stated))[-2] == steps(stated)[-1]
