"""UG equation 14: one sorted prefix serves the margin and the expansion."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.E14",
    title="One prefix of rho k is enough",
    source="UG Appendix A.9, equation 14",
    statement=(
        r"The triggered case requires a top-$\rho k$ rather than a top-$(k+1)$, which we batch with the top-$(k+1)$ used for "
        r"$\sigma$ as a single top-$\max(\rho k,k+1)=\rho k$ when $\rho\ge2$; triggered tiles fill all $\rho k_{\mathrm{budget}}$ slots."
    ),
    plain="Sorting out the expanded set gives the cut and the margin for free.",
    definitions=(
        r"The sorted prefix is one list, ties to the lower index: the first $k$ and the first $\rho k$ are its prefixes.",
    ),
    hypotheses=(
        Hypothesis("two", r"$\rho\ge2$.", needed=False),
        Hypothesis("whole", r"$\rho k$ is an integer."),
        Hypothesis("kept", r"$k\ge1$."),
        Hypothesis(
            "visible",
            r"The tile sees at least $\rho k$ blocks. (14) has no entry for the others: at 32K, 65 of the 512 tiles.",
        ),
    ),
    steps=(
        Step("max", r"$\rho k-(k+1)=(\rho-2)k+(k-1)\ge0$."),
        Step("contains", r"The first $k$ of the first $\rho k$ are the first $k$, so that expansion drops nothing."),
        Step("fills", r"The first $\rho k$ of at least $\rho k$ blocks are exactly $\rho k$ different ones."),
    ),
    stronger=r"Any $\rho>1$ with $\rho k$ an integer will do: an integer above $k$ is at least $k+1$.",
    residue="Longer lists: the first k entries of a list's first m are its first k.",
    expected=Verdict.VERIFIED,
)


def slack(rho: Any, k: Any) -> Any:
    """Excess of rho k over k + 1."""
    return rho * k - (k + 1)
