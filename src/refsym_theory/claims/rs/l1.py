"""RS Lemma 1: a bounded likelihood ratio bounds the total variation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.L1",
    title="Bounded likelihood-ratio range",
    source="RS Appendix B.1, Lemma 1",
    statement=(
        r"Let $P$ be a probability distribution on a finite set and let $f>0$ on its support. Set "
        r"$Q_a = P_a f_a / \mathbb{E}_P f$ and $\Delta = \max_a \log f_a - \min_a \log f_a$. Then "
        r"$\operatorname{TV}(P,Q) \le \tanh(\Delta/4)$."
    ),
    plain="Reweighting a distribution by factors whose logarithms differ by at most Δ moves at most tanh(Δ/4) of it.",
    definitions=(
        r"$\operatorname{TV}(P,Q) = \frac12 \sum_a |P_a - Q_a|$; maximum and minimum run over the support of $P$.",
    ),
    hypotheses=(
        Hypothesis("positive", r"$f > 0$ on the support of $P$."),
        Hypothesis("finite", "The set is finite.", needed=False),
    ),
    steps=(
        Step("chord", r"$\mathbb{E}_P|f-u| \le 2(b-u)(u-a)/(b-a)$ for $a \le f \le b$, $u = \mathbb{E}_P f$."),
        Step("peak", r"$(b-u)(u-a)/(u(b-a)) \le (\sqrt b - \sqrt a)/(\sqrt b + \sqrt a)$."),
        Step("tanh", r"$(\sqrt b - \sqrt a)/(\sqrt b + \sqrt a) = \tanh(\Delta/4)$ for $\Delta = \log(b/a)$."),
    ),
    tight=r"Two points with $u = \sqrt{ab}$ attain it for every $\Delta$.",
    expected=Verdict.VERIFIED,
)


def total_variation(p: Sequence[Any], q: Sequence[Any]) -> Any:
    """Total variation between two distributions on the same points, in the numbers that they come in."""
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


def tilted(p: Sequence[Any], f: Sequence[Any]) -> list[Any]:
    """Distribution Q_a = P_a f_a / E_P f."""
    mean = sum(a * b for a, b in zip(p, f, strict=True))
    return [a * b / mean for a, b in zip(p, f, strict=True)]


def bound_from_root_ratio(x: Any) -> Any:
    """Return tanh(Delta / 4) as a function of x = exp(Delta / 2) = sqrt(max f / min f)."""
    return (x - 1) / (x + 1)
