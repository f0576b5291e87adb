"""RS Appendix H.3: two normalizations of a two-modality loss."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.H3",
    title="Measure loss and token loss differ by a factor and a weight",
    source="RS Appendix H.3",
    statement=(
        r"With $m_a=m_v/q$, for fixed logits and targets, "
        r"$L_{\mathrm{meas}}(w)=\frac{n_a+n_v}{n_a/q+n_v}L_{\mathrm{tok}}(w/q)$. The factor is independent of $w$ but can vary with the selected "
        "target counts."
    ),
    plain="Normalizing by mass is the same as weighting the faster modality down by its rate, up to a factor that depends on which tokens were masked.",
    hypotheses=(
        Hypothesis("fixed", "Predictions are fixed."),
        Hypothesis("targets", r"$n_a+n_v>0$."),
    ),
    steps=(
        Step(
            "identity", r"$\frac{(w/q)S_a+S_v}{n_a/q+n_v}=\frac{n_a+n_v}{n_a/q+n_v}\cdot\frac{(w/q)S_a+S_v}{n_a+n_v}$."
        ),
        Step("factor", r"$\frac{n_a+n_v}{n_a/q+n_v}$ has no $w$, and changes with $n_a/n_v$ unless $q=1$."),
    ),
    expected=Verdict.VERIFIED,
)


def token_loss(w: Any, audio: Any, video: Any, n_audio: Any, n_video: Any) -> Any:
    """Per-token loss, from the sums of the token losses of both modalities."""
    return (w * audio + video) / (n_audio + n_video)


def measure_loss(w: Any, q: Any, audio: Any, video: Any, n_audio: Any, n_video: Any) -> Any:
    """Loss per unit of mass."""
    return (w / q * audio + video) / (n_audio / q + n_video)


def factor(q: Any, n_audio: Any, n_video: Any) -> Any:
    """Factor between the two."""
    return (n_audio + n_video) / (n_audio / q + n_video)
