"""Option probabilities from the log-likelihoods that a multiple-choice log keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from refsym_stats.errors import InputError
from refsym_stats.readers.harness_log import Log
from refsym_stats.readers.json_rows import Row, at, number


def option_probabilities(found: Sequence[Log], normalise: str | None) -> tuple[dict[str, list[object]], list[str]]:
    """Turn each sample's option log-likelihoods into a distribution (softmax) and an answer (the first largest).

    Parameters
    ----------
    normalise : {None, "length"}
        "length" divides each log-likelihood by the option's characters before the softmax, as `acc_norm` does.

    Returns
    -------
    columns : dict of list
        `p_0` ... and `answer` (the option's index), None beyond an item's options; empty where the logs have none.
    notes : list of str

    Raises
    ------
    InputError
        Some samples have log-likelihoods and some have not, or one is not a number, or all are minus infinity.
    """
    places = [(log, i) for log in found for i in range(len(log.rows))]
    pairs = [_pairs(log.rows[i]) for log, i in places]
    if max(map(len, pairs), default=0) < 2:
        if normalise:
            raise InputError(
                f"{found[0].path}: normalise= is for multiple-choice logs; this one has no option log-likelihoods"
            )
        return {}, []
    for (log, i), pair in zip(places, pairs, strict=True):
        if not pair:
            raise InputError(
                f"{log.place(i)}: no option log-likelihoods, other samples have them; read the tasks one by one"
            )
    rows = [log.rows[i] for log, i in places]
    scaled = []
    for (log, i), pair in zip(places, pairs, strict=True):
        lls = np.array(pair)
        lls = lls / _lengths(log.rows[i], len(pair), log.place(i)) if normalise else lls
        if not np.isfinite(lls.max()):
            raise InputError(f"{log.place(i)}: its option log-likelihoods are {pair[:5]}; no probabilities follow")
        scaled.append(lls)
    probabilities = [np.exp(lls - lls.max()) / np.exp(lls - lls.max()).sum() for lls in scaled]
    most = max(map(len, probabilities))
    columns: dict[str, list[object]] = {
        f"p_{j}": [float(p[j]) if j < len(p) else None for p in probabilities] for j in range(most)
    }
    answers = [int(lls.argmax()) for lls in scaled]
    columns["answer"] = list(answers)
    how = (
        "each divided by the option's characters (its leading space not counted, as for acc_norm)"
        if normalise
        else "not length-normalised"
    )
    notes = [f"Option probabilities are the softmax of the log-likelihoods, {how}; answer is the index of the largest."]
    return columns, notes + _disagreement(rows, answers, "acc_norm" if normalise else "acc")


def _pairs(row: Row) -> list[float]:
    """Take the log-likelihoods of [["-12.3", "False"], ...]; of acc_mutual_info, the first, conditional half."""
    found = row.get("filtered_resps")
    if not isinstance(found, list) or not found:
        return []
    lls = []
    for pair in found:
        if not (isinstance(pair, list) and len(pair) == 2 and str(pair[1]) in ("True", "False")):
            return []
        value = number(pair[0])
        if value is None:
            return []
        lls.append(value)
    return lls[: len(lls) // 2] if "acc_mutual_info" in row and len(lls) % 2 == 0 else lls


def _lengths(row: Row, options: int, where: str) -> np.ndarray:
    texts = [at(row, f"arguments.gen_args_{j}.arg_1") for j in range(options)]
    if not all(isinstance(text, str) and text.removeprefix(" ") for text in texts):
        raise InputError(f"{where}: no option texts in its arguments, so no lengths; leave out normalise=")
    return np.array([float(len(text.removeprefix(" "))) for text in texts])


def _disagreement(rows: Sequence[Row], answers: Sequence[int], metric: str) -> list[str]:
    """Compare the answers with what the harness itself said of them, where the target is an option's index."""
    known = [
        ((str(answer) == row["target"]), value == 1.0)
        for row, answer in zip(rows, answers, strict=True)
        if str(row.get("target", "")).isdecimal() and (value := number(row.get(metric))) is not None
    ]
    odd = sum(ours != theirs for ours, theirs in known)
    return (
        [f"In {odd} of {len(known)} samples the answer taken from the log-likelihoods disagrees with {metric}."]
        if odd
        else []
    )
