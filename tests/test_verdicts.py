"""Verdicts come from evidence alone: each rule, and that nothing weak passes for strong."""

from fractions import Fraction

import pytest

from refsym_theory.claims import Claim, Hypothesis, Step, Verdict
from refsym_theory.evidence import Evidence, Level, Outcome, Role, Truth, at_most, below, equal, require
from refsym_theory.verdicts import Standing, standings

NAN = float("nan")


def claim(name: str = "RS.X", **changes: object) -> Claim:
    fields: dict[str, object] = {
        "id": name,
        "title": "x",
        "source": "x",
        "statement": "x",
        "plain": "x",
        "steps": (Step("one", "x"), Step("two", "x")),
        "expected": Verdict.VERIFIED,
    }
    return Claim(**(fields | changes))  # type: ignore[arg-type]


def item(role: Role, about: str = "", level: Level = Level.EXACT, **changes: object) -> Evidence:
    fields: dict[str, object] = {"check": f"{role}-{about}-{level}", "outcome": Outcome.PASSED, "claim": "RS.X"}
    return Evidence(**(fields | {"role": role, "about": about, "level": level} | changes))  # type: ignore[arg-type]


PLANTED = [item(Role.PROOF, "one", planted=name) for name in ("sign", "factor")]
BOTH = [item(Role.PROOF, "one"), item(Role.PROOF, "two", Level.ENCLOSED), *PLANTED]


def stand(evidence: list[Evidence], *claims: Claim) -> Standing:
    found = standings({one.id: one for one in claims or (claim(),)}, evidence)
    return found["RS.X"]


def test_level_is_the_weakest_over_steps_of_the_strongest():
    found = stand([*BOTH, item(Role.PROOF, "two", Level.SAMPLED)])
    assert (found.verdict, found.level, found.owed) == (Verdict.VERIFIED, Level.ENCLOSED, ())
    assert found.holds


@pytest.mark.parametrize("level", [Level.SAMPLED, Level.PRECISE, Level.SOLVED])
def test_below_level_four_is_only_supported(level: Level):
    found = stand([item(Role.PROOF, "one"), item(Role.PROOF, "two", level), *PLANTED])
    assert (found.verdict, found.level) == (Verdict.SUPPORTED, level)
    assert found.drifted


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.SKIPPED, Outcome.RECORDED])
def test_what_did_not_pass_proves_nothing(outcome: Outcome):
    found = stand([item(Role.PROOF, "one"), item(Role.PROOF, "two", outcome=outcome), *PLANTED])
    assert (found.verdict, found.level) == (Verdict.OPEN, None)
    assert "evidence for the step 'two'" in found.owed


def test_a_failure_fails_the_run_even_where_the_verdict_stands():
    found = stand([*BOTH, item(Role.PROOF, "two", Level.SAMPLED, outcome=Outcome.FAILED, check="bad")])
    assert found.verdict is Verdict.VERIFIED
    assert found.failed == ("bad",)
    assert not found.holds


def test_without_coq_the_level_falls_and_the_verdict_does_not():
    kernel = [item(Role.PROOF, step, Level.KERNEL) for step in ("one", "two")]
    recorded = [item(Role.PROOF, step, Level.KERNEL, outcome=Outcome.RECORDED) for step in ("one", "two")]
    assert stand([*BOTH, *kernel]).level is Level.KERNEL
    found = stand([*BOTH, *recorded])
    assert (found.verdict, found.level, found.holds) == (Verdict.VERIFIED, Level.ENCLOSED, True)


def test_a_claim_is_no_stronger_than_what_it_uses():
    base = claim("RS.Y", steps=(Step("one", "x"),))
    weak = item(Role.PROOF, "one", Level.SAMPLED, claim="RS.Y")
    found = stand([*BOTH, weak], claim(uses=("RS.Y",)), base)
    assert (found.verdict, found.level) == (Verdict.SUPPORTED, Level.SAMPLED)
    assert stand(BOTH, claim(uses=("RS.Y",)), base).verdict is Verdict.OPEN


def test_a_refutation_needs_an_exact_witness_and_a_proved_correction():
    printed = claim(expected=Verdict.REFUTED, correction="y")
    witness = item(Role.REFUTATION)
    assert stand([*BOTH, witness], printed).holds
    assert stand([*BOTH, witness], printed).verdict is Verdict.REFUTED
    weak = stand([*BOTH, item(Role.REFUTATION, level=Level.PRECISE)], printed)
    assert weak.verdict is not Verdict.REFUTED
    assert "a witness against the printed statement" in weak.owed
    unproved = stand([witness, item(Role.PROOF, "one"), *PLANTED], printed)
    assert unproved.verdict is Verdict.OPEN
    sampled = stand([witness, item(Role.PROOF, "one"), item(Role.PROOF, "two", Level.SAMPLED), *PLANTED], printed)
    assert sampled.verdict is Verdict.OPEN
    assert "the corrected statement" in stand([*BOTH, witness], claim(expected=Verdict.REFUTED)).owed


def test_an_unexpected_refutation_is_drift():
    assert stand([*BOTH, item(Role.REFUTATION)]).drifted


def test_what_is_owed():
    demanding = claim(tight="x", hypotheses=(Hypothesis("a", "x"), Hypothesis("b", "x", needed=False)))
    wanted = {"a witness of tightness", "a control without 'a'", "a proof without 'b'"}
    assert set(stand(BOTH, demanding).owed) == wanted
    paid = [item(Role.TIGHTNESS), item(Role.CONTROL, "a"), item(Role.SUPERFLUOUS, "b")]
    assert stand([*BOTH, *paid], demanding).owed == ()
    sampled = [item(one.role, one.about, Level.SAMPLED) for one in paid]
    assert set(stand([*BOTH, *sampled], demanding).owed) == wanted


def test_two_different_planted_variants_are_owed_and_nan_is_none():
    base = [one for one in BOTH if one.planted is None]
    nan, twice = (item(Role.PROOF, "one", planted=name) for name in ("NaN", "sign"))
    assert stand([*base, nan, twice, twice]).owed == ("planted variants: 1 of 2",)
    accepted = item(Role.PROOF, "one", planted="factor", outcome=Outcome.FAILED)
    assert not stand([*base, twice, accepted]).holds


@pytest.mark.parametrize(
    "stray",
    [
        item(Role.PROOF, "three"),
        item(Role.CONTROL, "a"),
        item(Role.TIGHTNESS, "one"),
        item(Role.PROOF, "one", claim="RS.Z"),
    ],
)
def test_evidence_about_nothing_is_an_error(stray: Evidence):
    with pytest.raises(ValueError, match=r"no claim|has no"):
        stand([*BOTH, stray])


@pytest.mark.parametrize("compare", [at_most, below])
def test_nan_is_never_true(compare):
    for a, b in [(NAN, 1.0), (1.0, NAN), (NAN, NAN)]:
        assert compare(a, b) is Truth.UNKNOWN
        with pytest.raises(AssertionError, match="cannot tell"):
            require(compare(a, b))
    with pytest.raises(AssertionError):
        require(equal(NAN, NAN))


def test_exact_comparisons():
    third = Fraction(1, 3)
    assert at_most(third, third) is Truth.TRUE
    assert below(third, third) is Truth.FALSE
    assert equal(third, Fraction(2, 6)) is Truth.TRUE
    assert equal(third, Fraction(1, 2)) is Truth.FALSE
    assert at_most(Fraction(1, 2), third) is Truth.FALSE


def test_a_ball_that_straddles_cannot_tell():
    flint = pytest.importorskip("flint")
    wide, point = flint.arb(1, 0.5), flint.arb(1)
    assert at_most(wide, point) is below(wide, point) is equal(wide, point) is equal(wide, wide) is Truth.UNKNOWN
    assert at_most(wide, 2) is below(wide, 2) is Truth.TRUE
    assert equal(wide, 2) is Truth.FALSE
    assert equal(point, 1) is Truth.TRUE
    assert at_most(flint.arb("nan"), 1) is Truth.UNKNOWN


def test_a_truth_is_no_boolean():
    with pytest.raises(TypeError, match="three values"):
        bool(Truth.TRUE)
