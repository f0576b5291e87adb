"""From evidence to verdicts: what is proved, what is only supported, what is refuted, and what is owed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from refsym_theory.claims.claim import Claim, Verdict
from refsym_theory.evidence import Evidence, Level, Outcome, Role

Strongest = Callable[..., Level | None]

PLANTED_OWED = 2
"""False variants that the checks of every claim must reject."""


@dataclass(frozen=True)
class Standing:
    """Where one claim stands after a run.

    Attributes
    ----------
    claim
        The claim.
    verdict
        Derived from the evidence.
    level
        The weakest over the steps, and over the claims used, of the strongest passing evidence (for a refuted claim
        also of the witness); None where a step has none.
    steps
        Strongest passing level of each step.
    owed
        What is missing, in words; empty where nothing is.
    failed
        Checks that failed, and planted variants that were not rejected.
    evidence
        Every check of the claim.
    """

    claim: Claim
    verdict: Verdict
    level: Level | None
    steps: Mapping[str, Level | None]
    owed: tuple[str, ...]
    failed: tuple[str, ...]
    evidence: tuple[Evidence, ...]

    @property
    def drifted(self) -> bool:
        """Whether the verdict is not the expected one."""
        return self.verdict is not self.claim.expected

    @property
    def holds(self) -> bool:
        """Whether the run may pass as far as this claim goes."""
        return not (self.drifted or self.owed or self.failed)


def standings(claims: Mapping[str, Claim], evidence: Iterable[Evidence]) -> dict[str, Standing]:
    """Derive the standing of every claim.

    Raises
    ------
    ValueError
        Where evidence names a claim, a step or a hypothesis that does not exist.
    """
    by_claim: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence:
        _refuse_unknown(claims, item)
        by_claim[item.claim].append(item)
    done: dict[str, Standing] = {}

    def stand(name: str) -> Standing:
        if name not in done:
            used = [stand(other) for other in claims[name].uses]
            done[name] = _standing(claims[name], by_claim[name], used)
        return done[name]

    return {name: stand(name) for name in claims}


def _refuse_unknown(claims: Mapping[str, Claim], item: Evidence) -> None:
    if item.claim not in claims:
        raise ValueError(f"{item.check}: no claim {item.claim}")
    claim = claims[item.claim]
    if item.role in (Role.PROOF, Role.VALUE):
        known = ["", *(step.name for step in claim.steps)]
    elif item.role is Role.CONTROL:
        known = [hypothesis.name for hypothesis in claim.hypotheses if hypothesis.needed]
    elif item.role is Role.SUPERFLUOUS:
        known = [hypothesis.name for hypothesis in claim.hypotheses if not hypothesis.needed]
    else:
        known = [""]
    if item.about not in known:
        raise ValueError(f"{item.check}: {item.claim} has no {item.role} about {item.about!r}; it has {known}")


def _standing(claim: Claim, evidence: list[Evidence], used: list[Standing]) -> Standing:
    direct = [item for item in evidence if item.planted is None]
    passed = [item for item in direct if item.outcome is Outcome.PASSED]

    def strongest(about: str, *roles: Role) -> Level | None:
        return max((item.level for item in passed if item.about == about and item.role in roles), default=None)

    whole = strongest("", Role.PROOF, Role.VALUE) or 0
    named = {step.name: strongest(step.name, Role.PROOF, Role.VALUE) or 0 for step in claim.steps}
    steps = {name: Level(max(level, whole)) if level or whole else None for name, level in named.items()}
    bases: list[Level | None] = [*steps.values(), *(other.level for other in used)]
    witness = strongest("", Role.REFUTATION)
    if witness is not None:
        bases.append(witness)
    level = None if None in bases else min(base for base in bases if base is not None)
    return Standing(
        claim=claim,
        verdict=_verdict(level, witness),
        level=level,
        steps=steps,
        owed=tuple(_owed(claim, steps, used, evidence, strongest)),
        failed=tuple(item.check for item in evidence if item.outcome is Outcome.FAILED),
        evidence=tuple(evidence),
    )


def _verdict(level: Level | None, witness: Level | None) -> Verdict:
    """A refutation counts with a corrected statement that is verified; without one the claim stays open."""
    if witness is not None:
        return Verdict.REFUTED if level is not None and level >= Level.ENCLOSED else Verdict.OPEN
    if level is None:
        return Verdict.OPEN
    return Verdict.VERIFIED if level >= Level.ENCLOSED else Verdict.SUPPORTED


def _owed(
    claim: Claim,
    steps: Mapping[str, Level | None],
    used: list[Standing],
    evidence: list[Evidence],
    strongest: Strongest,
) -> Iterable[str]:
    yield from (f"evidence for the step {name!r}" for name, level in steps.items() if level is None)
    yield from (f"{other.claim.id}, which it uses, is open" for other in used if other.verdict is Verdict.OPEN)

    def short(about: str, role: Role) -> bool:
        return (strongest(about, role) or Level.SAMPLED) < Level.ENCLOSED

    if claim.tight is not None and short("", Role.TIGHTNESS):
        yield "a witness of tightness"
    for hypothesis in claim.hypotheses:
        if hypothesis.needed and short(hypothesis.name, Role.CONTROL):
            yield f"a control without {hypothesis.name!r}"
        if not hypothesis.needed and short(hypothesis.name, Role.SUPERFLUOUS):
            yield f"a proof without {hypothesis.name!r}"
    if claim.expected is Verdict.REFUTED and short("", Role.REFUTATION):
        yield "a witness against the printed statement"
    if claim.expected is Verdict.REFUTED and claim.correction is None:
        yield "the corrected statement"
    rejected = Counter(item.planted for item in evidence if item.planted and item.outcome is Outcome.PASSED)
    variants = [name for name in rejected if name != "NaN"]
    if len(variants) < PLANTED_OWED:
        yield f"planted variants: {len(variants)} of {PLANTED_OWED}"
