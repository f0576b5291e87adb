"""RS Theorem 1 with the two representations interchanged."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.T1-exchanged",
    title="The diameter of the new values instead of the old",
    source="RS Appendix B.1, after the proof of Theorem 1",
    statement=r"Interchanging the two representations gives a bound using the diameter of $\{w_j\}$ instead.",
    plain=(
        "The bound may use the spread of the new values as well as that of the old, so the smaller of the two. "
        "A weighted value error must then be weighted by the old attention."
    ),
    definitions=(
        r"$\|B-A\|\le\epsilon_v+D_w\tanh(\Delta/4)$ with $D_w=\max_{j,j'}\|w_j-w_{j'}\|$; with an average in place of "
        r"$\epsilon_v$, $\|B-A\|\le\mathbb{E}_P\|w_j-v_i\|+D_w\tanh(\Delta/4)$.",
    ),
    hypotheses=(Hypothesis("under-P", r"With $D_w$, the average is taken under $P$, the lift of the old attention."),),
    steps=(
        Step("symmetry", r"$\epsilon_v$, $\Delta$ and the bound of Lemma 1 do not change when $f$ becomes $1/f$."),
        Step(
            "between",
            r"$\mathbb{E}_Q w-\mathbb{E}_P v=(\mathbb{E}_Q-\mathbb{E}_P)u"
            r"+(1-\lambda)\mathbb{E}_Q(w-v)+\lambda\mathbb{E}_P(w-v)$ "
            r"with $u=(1-\lambda)v+\lambda w$; $\lambda=0$ is Theorem 1, $\lambda=1$ the exchanged form.",
        ),
        Step(
            "value",
            r"$\|(\mathbb{E}_Q-\mathbb{E}_P)u\|\le\operatorname{diam}(u)\operatorname{TV}(P,Q)$ on the coupled pairs.",
        ),
    ),
    uses=("RS.T1", "RS.L1"),
    tight="Two tokens attain it.",
    stronger=(
        r"For every $\lambda$ in $[0,1]$, "
        r"$\|B-A\|\le(1-\lambda)\mathbb{E}_Q\|w-v\|+\lambda\mathbb{E}_P\|w-v\|+D_\lambda\tanh(\Delta/4)$, "
        r"where $D_\lambda$ is the diameter of $(1-\lambda)v_i+\lambda w_j$ over the pairs with $\gamma_{ij}>0$. "
        r"In particular $D_v$ may be replaced by $\min_\lambda D_\lambda\le\min(D_v,D_w)$: where two values change "
        r"places, $D_{1/2}=0$."
    ),
    expected=Verdict.VERIFIED,
)


def parts(p: Any, q: Any, v: Any, w: Any, mixed: Any) -> tuple[Any, Any, Any]:
    """Summands of (E_Q - E_P) u, (1 - mixed) E_Q (w - v) and mixed E_P (w - v)."""
    return (q - p) * ((1 - mixed) * v + mixed * w), (1 - mixed) * q * (w - v), mixed * p * (w - v)
