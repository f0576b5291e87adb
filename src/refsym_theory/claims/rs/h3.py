"""RS H.3: the two objectives are one up to a factor."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.H3",
    title="Measure loss and token loss",
    source="RS Appendix H.3",
    statement=(
        r"For fixed logits and targets, $L_{\mathrm{meas}}(w) = \frac{n_a + n_v}{n_a/q + n_v} "
        r"L_{\mathrm{tok}}(w/q)$. The factor is independent of $w$ but can vary with the selected target "
        "counts."
    ),
    plain="Weighing audio losses by mass is the per-token objective at a q times smaller weight, up to a factor.",
    definitions=(
        r"$L_{\mathrm{tok}}(w) = (w A + B)/(n_a + n_v)$, $L_{\mathrm{meas}}(w) = ((w/q) A + B)/(n_a/q + "
        "n_v)$ with $A$ and $B$ the summed losses of audio and of video; neither normaliser contains $w$.",
    ),
    hypotheses=(
        Hypothesis("selected", r"Some target is selected: $n_a + n_v > 0$."),
        Hypothesis("fixed", "Logits and targets are the same in both."),
        Hypothesis("both", r"Both modalities have selected targets.", needed=False),
    ),
    steps=(
        Step("identity", "The identity, in all variables."),
        Step("masses", r"$L_{\mathrm{meas}}$ is the mean loss weighted by masses $m_a = m_v/q$, whatever $m_v > 0$."),
        Step("factor", "The factor does not contain $w$, is 1 for $q = 1$, and varies with the counts for $q \\ne 1$."),
        Step(
            "edges", r"With one modality alone: the factor is $q$ ($n_v = 0$) or 1 ($n_a = 0$), and the identity holds."
        ),
        Step(
            "grid",
            r"The printed best weights obey $w_{\mathrm{meas}} = q\,w_{\mathrm{tok}}$ at all five $q$, as "
            r"the identity suggests for fixed predictions (it does not prove it of trained models); $9 \cdot "
            r"5 \cdot 5 = 225$ runs.",
        ),
    ),
    scope="Any losses and counts, any $q > 0$.",
    stronger="One modality may be empty.",
    expected=Verdict.VERIFIED,
)

BEST = {1: ("0.5", "0.5"), 2: ("2", "4"), 4: ("2", "8"), 8: ("1", "8"), 16: ("1", "16")}
"""Printed best weights (per token, by measure) at each q."""


def token_loss(weight: Any, audio: Any, video: Any, n_audio: Any, n_video: Any) -> Any:
    """Per-token objective from the summed losses and the counts."""
    return (weight * audio + video) / (n_audio + n_video)


def measure_loss(weight: Any, audio: Any, video: Any, n_audio: Any, n_video: Any, ratio: Any) -> Any:
    """Measure-normalised objective at rate ratio q."""
    return (weight / ratio * audio + video) / (n_audio / ratio + n_video)


def factor(n_audio: Any, n_video: Any, ratio: Any) -> Any:
    """Return what L_tok(w/q) is multiplied by."""
    return (n_audio + n_video) / (n_audio / ratio + n_video)


def best(ratio: int) -> tuple[Fraction, Fraction]:
    """Return the printed best weights at q as exact numbers."""
    by_token, by_measure = BEST[ratio]
    return Fraction(by_token), Fraction(by_measure)
