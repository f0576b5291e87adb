"""RS B.3: constants of a dot-product attention block."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E11-dot",
    title="Constants of dot-product attention",
    source="RS Appendix B.3, after equation 11",
    statement=(
        r"With Euclidean vector norms and spectral operator norms, for exponential dot-product attention with $q=W_Qh$, "
        r"$k=W_Kh$, $v=W_Vh$ and both state sets bounded by $\|h\|\le H$, valid choices are "
        r"$v_\ell=\|W_V\|_{\mathrm{op}}$, $c_\ell=\frac{2\|W_Q\|_{\mathrm{op}}\|W_K\|_{\mathrm{op}}H}{\sqrt d}$, $D_\ell\le2\|W_V\|_{\mathrm{op}}H$."
    ),
    plain="The three constants of the recurrence for an ordinary attention head, from the norms of its weights.",
    definitions=(
        r"States $h,h'$ of a query pair and $g,g'$ of a key pair; $\|h-h'\|,\|g-g'\|\le e$; the log-kernel is "
        r"$(W_Qh)\cdot(W_Kg)/\sqrt d$.",
    ),
    hypotheses=(Hypothesis("bounded", r"Both state sets, not the reference alone, are bounded by $H$."),),
    steps=(
        Step("value", r"$\|W_Vg-W_Vg'\|\le\|W_V\|e$, and two values are at most $2\|W_V\|H$ apart."),
        Step("score", r"$q\cdot k-q'\cdot k'=q\cdot(k-k')+(q-q')\cdot k'$, at most $2\|W_Q\|\|W_K\|He$."),
        Step(
            "midpoint",
            r"$q\cdot k-q'\cdot k'=\frac12(q-q')\cdot(k+k')+\frac12(q+q')\cdot(k-k')$, and the parallelogram law.",
        ),
        Step("circle", r"$\frac12(pY+rX)\le eE$ where $p^2+X^2=r^2+Y^2=e^2+E^2=4H^2$ and $p,r\le e\le E\le X,Y$."),
    ),
    tight=(
        r"$v_\ell$ and $D_\ell$ are attained. $c_\ell e$ is not for $e>0$, but its ratio to what is attained, "
        r"$\sqrt{1-e^2/4H^2}$, tends to 1 as $e\to0$."
    ),
    stronger=(
        r"Paired scores differ by at most $\|W_Q\|\|W_K\|\,e\sqrt{4H^2-e^2}/\sqrt d$ for $e\le\sqrt2H$, which is attained "
        r"for every such $e$, and by at most $2\|W_Q\|\|W_K\|H^2/\sqrt d$ always."
    ),
    residue="The Cauchy-Schwarz inequality and the definition of the operator norm.",
    expected=Verdict.VERIFIED,
)


def score_bound(e: Any, radius: Any) -> Any:
    """Return c e for weights of norm 1 and d = 1, as printed."""
    return 2 * radius * e


def sharp_bound(e: Any, other: Any) -> Any:
    """Return e E, the largest score change for e <= sqrt(2) H; `other` is E = sqrt(4 H^2 - e^2)."""
    return e * other


def midpoint(q: Any, q_new: Any, k: Any, k_new: Any) -> Any:
    """Difference of two products through the means of their factors."""
    return (q - q_new) * (k + k_new) / 2 + (q + q_new) * (k - k_new) / 2


def one_at_a_time(q: Any, q_new: Any, k: Any, k_new: Any) -> Any:
    """Difference of two products, changing one factor and then the other."""
    return q * (k - k_new) + (q - q_new) * k_new
