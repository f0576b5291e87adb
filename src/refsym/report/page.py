"""A certificate's record to one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup

from refsym.report import numerals, tables
from refsym.report.environment import environment
from refsym.report.figures import agreement, maps, noise, risk
from refsym.report.view import NAMES, POLICIES, View
from refsym.report.wording import answer, forced, free, judged


def render_certificate(record: Mapping[str, Any]) -> str:
    """Render a certificate as one HTML page without references to anything outside it.

    Parameters
    ----------
    record
        What `Certificate.record()` returns, or the same read back from certificate.json.

    Returns
    -------
    The page; the same record gives the same bytes under the same versions of matplotlib and jinja2.

    Raises
    ------
    ValueError
        If the record is no certificate of a known format.
    """
    view = View.of(record)
    s = view.summary
    figures = {
        "maps": maps.maps(view),
        "agreement": agreement.agreement(view),
        "over_k": risk.over_k(view),
        "gaps": noise.gap_distribution(view),
        "over_tau": noise.over_tau(view) if len(view.by_tau) else None,
        "over_q": risk.over_q(view),
        "over_q_by_head": risk.over_q_by_head(view),
    }
    return (
        environment()
        .get_template("certificate.html")
        .render(
            view=view,
            answer=answer(view),
            judged=judged(view),
            forced=forced(view),
            free=free(view, view.settings["k"]),
            figures={name: svg and Markup(svg) for name, svg in figures.items()},
            policies=tables.policy_table(view),
            parts=tables.closed_form_parts(view),
            counts=tables.agreement_counts(view),
            quantiles=tables.QUANTILES,
            names=[(p.replace("_", "-"), NAMES[p]) for p in POLICIES if p in set(view.policies.values("policy"))],
            left={
                (value, policy): view.left("tile", value, policy)
                for value in view.values
                for policy in ("sigma", "random", "best_value", "best_mass")
            },
            noted=_noted(view),
            pair_over_tau=_pair_over_tau(view),
            clipped=_clipped(view),
            bound_factors=_output_bounds(view),
            sampled="sampled_kept_error" in s,
            settings=[(name, _plain(value)) for name, value in view.settings.items()],
        )
    )


def _plain(value: Any) -> str:
    if value is None:
        return "estimated per head"
    if isinstance(value, list):
        return ", ".join(numerals.setting(v) for v in value)
    return str(value)


def _noted(view: View) -> list[tuple[str, int]]:
    """Why cells have no numbers, and how many there are."""
    notes = [note for note in view.cells.values("note") if note is not None]
    return [(note, notes.count(note)) for note in dict.fromkeys(notes)]


def _pair_over_tau(view: View) -> list[tuple[float, float]]:
    """Noise factor and mean pair bound at both ends of the grid."""
    rows = view.by_tau.where(level="head", value="identification", policy="sigma")
    known = [(f, b) for f, b in zip(rows.numbers("factor"), rows.numbers("regret_bound"), strict=True) if f > 0]
    return [known[0], known[-1]] if len(known) > 1 else []


def _clipped(view: View) -> int:
    """Cells whose captured gain, at either level, lies below the maps' scale."""
    below = [view.cells.numbers(name) < -maps.CLIP for name in ("captured", "captured_mass")]
    return int(np.any(below, axis=0).sum())


def _output_bounds(view: View) -> list[tuple[str, float]]:
    """Medians over the cells of the bound on the output error, at k, with the router, all expanded."""
    out = []
    for name, words in (("", "the cut alone"), ("_sigma", "with the router"), ("_expanded", "all expanded")):
        values = view.cells.numbers(f"output_error_bound{name}")
        if np.isfinite(values).any():
            out.append((words, float(np.nanmedian(values))))
    return out
