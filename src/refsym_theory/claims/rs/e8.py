"""RS equation 8: the change of a rotary score, with explicit constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E8",
    title="A score bound with explicit constants",
    source="RS Appendix B.2, equation 8",
    statement=(
        r"Consider a head with score $s=\frac{q^\top U(p_q)^\top U(p_k)k}{\sqrt d}$ and a corresponding primed "
        r"configuration. "
        r"Suppose both query norms are at most $Q$, both key norms at most $H_k$, $\|q-q'\|\le\epsilon_q$, "
        r"$\|k-k'\|\le\epsilon_k$, $W_1(p_q,p_q')\le\delta_q$ and $W_1(p_k,p_k')\le\delta_k$. Then $|s-s'| \le "
        r"\frac{H_k\epsilon_q+Q\epsilon_k+QH_k[\min\{2,\omega_{\max}\delta_q\}+\min\{2,\omega_{\max}\delta_k\}]}{\sqrt "
        r"d}"
        r"$."
    ),
    plain="A score changes by no more than its four ingredients do, each times the size of the others.",
    definitions=("Primed quantities belong to the second configuration; the frequencies are the same in both.",),
    hypotheses=(
        Hypothesis("norms", r"$\|q'\| \le Q$ and $\|k\| \le H_k$."),
        Hypothesis("both", r"Also $\|q\| \le Q$ and $\|k'\| \le H_k$.", needed=False),
    ),
    steps=(
        Step("telescope", r"$s - s'$ is a sum of four terms, each with the change of one factor."),
        Step("norms", r"With $\|U\|\le1$ the four norms are $\epsilon_q H_k$, $QD_qH_k$, $QD_kH_k$, $Q\epsilon_k$."),
        Step("cells", r"Supports in intersecting cells of diameters $h, h'$: $|x-y| \le |x-z|+|z-y| \le h+h'$."),
        Step(
            "readout",
            r"A fixed readout query, $\epsilon_q=\delta_q=0$, leaves $Q\epsilon_k + "
            r"QH_k\min\{2,\omega_{\max}\delta_k\}$.",
        ),
    ),
    uses=("RS.E7",),
    tight="Each of the four terms alone is attained (a support term at half a turn).",
    expected=Verdict.VERIFIED,
    stronger=(
        r"One norm of each pair is enough: $\|q'\|\le Q$ and $\|k\|\le H_k$ (or, exchanging the roles, $\|q\|$ and "
        r"$\|k'\|$). "
        r"By RS.E7-sharp each $\min\{2,\omega_{\max}\delta\}$ can be $2\sin(\frac12\min\{\pi,\omega_{\max}\delta\})$."
    ),
    residue="The inequality of Cauchy–Schwarz, the triangle inequality, and submultiplicativity of the spectral norm.",
)


def telescoped(factors: Sequence[Any], primed: Sequence[Any]) -> list[Any]:
    """Four terms (query, its rotation, the key's rotation, key): earlier factors primed, one changed, later ones "
    "not.
    """
    terms = []
    for i in range(4):
        before, after = primed[:i], factors[i + 1 :]
        term: Any = 1
        for factor in [*before, factors[i] - primed[i], *after]:
            term = term * factor
        terms.append(term)
    return terms


def bound(Q: Any, H: Any, eps_q: Any, eps_k: Any, turn_q: Any, turn_k: Any, root_d: Any = 1) -> Any:
    """Right-hand side, from the norms and the changes of content and of averaged rotation."""
    return (H * eps_q + Q * eps_k + Q * H * (turn_q + turn_k)) / root_d
