"""Several record tables to one."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from refsym_stats.errors import InputError
from refsym_stats.readers import lm_eval
from refsym_stats.readers.documents import same_documents
from refsym_stats.records import KEY, OUTCOMES, Records, record_table


def combined(parts: Iterable[Records]) -> Records:
    """Put record tables of several files together; a key may stand in one of them only.

    Raises
    ------
    InputError
        They disagree on having clusters or on the outcome, one key stands in two of them, or harness logs show that
        arms saw different documents under one doc_id.
    """
    found = list(parts)
    if len(found) == 1:
        return found[0]
    where = " and ".join(source.path for part in found for source in part.sources) or "records"
    if len({part.own_clusters for part in found}) > 1:
        raise InputError(f"{where}: some have a cluster column and some have none; map it in all, or in none")
    if len({tuple(name for name in OUTCOMES if name in part.frame) for part in found}) > 1:
        raise InputError(f"{where}: their outcomes differ; all need 'correct', or all 'score'")
    frame = pd.concat([part.frame.astype(dict.fromkeys((*KEY, "cluster"), object)) for part in found])
    if found[0].own_clusters:
        frame = frame.drop(columns="cluster")
    together = record_table(
        frame.reset_index(drop=True),
        sources=[source for part in found for source in part.sources],
        notes=list(dict.fromkeys(note for part in found for note in part.notes)),
        where=where,
    )
    if any(source.format == lm_eval.LAYOUT.name for source in together.sources):
        same_documents(together)
    return together
