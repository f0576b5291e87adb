"""UG appendix D.4: the numbers of observations (i) and (ii)."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.D4-scale",
    title="A pair at the boundary costs less than a point",
    source="UG Appendix D.4, observations (i) and (ii)",
    statement=(
        r"The per-pair cost at the boundary is at most $\phi(0)\cdot(\text{boundary scale})/(\sqrt2\,\hat\tau)\approx0.4\times0.03/1.41\lesssim1$pp; "
        r"the trivial branch is $\min(q,1-q)=40$pp at $q=0.40$."
    ),
    plain="At the measured noise the two tiles of a mistaken pair differ by less than one percentage point in the two-normal formula.",
    definitions=("The paper calls this heuristic itself: the lemma's error term is not controlled there.",),
    hypotheses=(
        Hypothesis(
            "narrow",
            r"$2\beta\le1$, which is not said: the gaps of a mistaken pair lie $2\beta\gamma_q$ apart, not $\gamma_q$, and (A2) allows "
            r"every $\beta<1$.",
        ),
    ),
    steps=(
        Step("pair", r"$\bar V(a)-\bar V(b)\le\phi(0)(b-a)/(\sqrt2\tau)$, and at $b-a=0.03\tau$ that is 0.00846."),
        Step("trivial", r"$\min(0.40,0.60)=0.40$."),
    ),
    stronger=r"For every $\beta<1$ the cost is at most $2\beta$ times the printed one, so below 1.7pp.",
    uses=("UG.P1-band",),
    residue=r"That $\phi$ is largest at 0, for the mean value theorem.",
    expected=Verdict.VERIFIED,
)


def pair_cost(scale: Any, root_two: Any, peak: Any) -> Any:
    """Bound on the cost of a pair, from the gap scale in units of tau."""
    return peak * scale / root_two
