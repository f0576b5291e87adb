"""An audit as plain data: what audit.json holds and every page is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import pandas as pd

from refsym_stats.audit.table import Audit
from refsym_stats.audit.verdicts import Finding, Verdict

KIND, FORMAT = "refsym audit", 1


def record(audits: Sequence[Audit]) -> dict[str, Any]:
    """Several audits to numbers, strings and lists."""
    return {
        "kind": KIND,
        "format": FORMAT,
        "version": version("refsym"),
        "counts": _counts(finding for audit in audits for finding in audit.findings),
        "audits": [
            {
                "title": audit.title,
                "source": audit.source,
                "sha256": audit.sha256,
                "counts": _counts(audit.findings),
                "findings": [asdict(finding) for finding in audit.findings],
            }
            for audit in audits
        ],
    }


def finding_table(audits: Sequence[Audit]) -> pd.DataFrame:
    """One row a check: what findings.parquet holds."""
    rows = [{"audit": audit.title} | asdict(finding) for audit in audits for finding in audit.findings]
    return pd.DataFrame(rows).drop(columns="inputs").astype(str)


def _counts(findings: Iterable[Finding]) -> dict[str, int]:
    verdicts = [finding.verdict for finding in findings]
    return {verdict.value: verdicts.count(verdict) for verdict in Verdict}
