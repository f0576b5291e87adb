"""Item labels that carry the hash of the document, and the check that arms saw the same ones."""

from __future__ import annotations

import re

from refsym_stats.errors import InputError, names
from refsym_stats.records import Records, label

DIGITS = 8
"""Digits of the hash in a label: two documents share them by chance once in 4e9."""

DOCUMENT = re.compile(rf"(?P<id>.+)#[0-9a-f]{{{DIGITS}}}", re.DOTALL)


def document(doc_id: object, doc_hash: object) -> str:
    """Label a document: ``12#1f3a9c0d``; the bare id where the log has no hash."""
    return f"{label(doc_id)}#{doc_hash[:DIGITS]}" if isinstance(doc_hash, str) else label(doc_id)


def same_documents(found: Records) -> None:
    """Check that one doc_id is one document in all arms, for records whose items are labelled by `document`.

    Raises
    ------
    InputError
        A benchmark has one doc_id under two hashes: its arms ran different versions of the task.
    """
    pairs = found.frame[["benchmark", "item"]].drop_duplicates()
    seen: dict[tuple[str, str], str] = {}
    odd = []
    for benchmark, item in pairs.itertuples(index=False):
        match = DOCUMENT.fullmatch(item)
        if match and seen.setdefault((benchmark, match["id"]), item) != item:
            odd.append(f"{benchmark} {match['id']}")
    if odd:
        where = " and ".join(dict.fromkeys(source.path for source in found.sources)) or "records"
        raise InputError(
            f"{where}: doc_id under two doc_hashes ({names(dict.fromkeys(odd))}): the arms saw different documents; "
            "run one version of the task, or map columns={'item': 'doc_id'} if only its wording in the log differs"
        )
