"""The outcome of a run of the checks as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from refsym_theory.claims.claim import Verdict
from refsym_theory.evidence import Evidence, Level, Outcome
from refsym_theory.verdicts import Standing

KIND = "refsym claims"
FORMAT = 1


def record(found: Mapping[str, Standing], versions: Mapping[str, str], sources_sha256: str) -> dict[str, Any]:
    """Return what a run found, ready for JSON; without times, so that the same run gives the same bytes.

    Parameters
    ----------
    found
        Standing by claim id.
    versions
        Of every program and library that the checks rest on.
    sources_sha256
        Hash over the claims and their checks.
    """
    verdicts = Counter(standing.verdict for standing in found.values())
    high = sum(
        standing.verdict is Verdict.VERIFIED or standing.verdict is Verdict.REFUTED for standing in found.values()
    )
    checks = [item for standing in found.values() for item in standing.evidence]
    return {
        "kind": KIND,
        "format": FORMAT,
        "summary": {
            "claims": len(found),
            **{verdict.value: verdicts[verdict] for verdict in Verdict},
            "at_level_4_or_more": high,
            "in_the_kernel": sum(standing.level is Level.KERNEL for standing in found.values()),
            "checks": sum(item.planted is None for item in checks),
            "planted": sum(item.planted is not None for item in checks),
            "planted_rejected": sum(item.planted is not None and item.outcome is Outcome.PASSED for item in checks),
            "recorded": sum(item.outcome is Outcome.RECORDED for item in checks),
            "holds": all(standing.holds for standing in found.values()),
        },
        "versions": dict(versions),
        "sources_sha256": sources_sha256,
        "claims": [_claim(standing) for standing in found.values()],
    }


def _claim(standing: Standing) -> dict[str, Any]:
    claim = asdict(standing.claim)
    steps = [step | {"level": standing.steps[step["name"]]} for step in claim.pop("steps")]
    return claim | {
        "steps": steps,
        "verdict": standing.verdict,
        "level": standing.level,
        "owed": standing.owed,
        "failed": standing.failed,
        "evidence": [_evidence(item) for item in sorted(standing.evidence, key=lambda item: item.check)],
    }


def _evidence(item: Evidence) -> dict[str, Any]:
    plain = asdict(item)
    del plain["claim"], plain["seconds"]
    return plain
