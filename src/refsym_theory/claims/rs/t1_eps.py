"""RS Theorem 1 for paired log-kernels that differ by at most epsilon_s."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.T1-eps",
    title="Paired log-kernels within a distance",
    source="RS Section 2.3, Theorem 1, and Appendix B.1",
    statement=(
        r"If paired log-kernels differ by at most $\epsilon_s$, the second term is at most $D_v\tanh(\epsilon_s/2)$. "
        r"... $|\log K(t_j)-\log K(s_i)|\le\epsilon_s$ implies $\Delta\le2\epsilon_s$."
    ),
    plain="Where every matched score moved by at most ε, at most tanh(ε/2) of the attention is moved.",
    definitions=(
        r"For all pairs with $\gamma_{ij}>0$; $x=e^{\epsilon_s}$, so that $\tanh(\epsilon_s/2)=(x-1)/(x+1)$.",
    ),
    hypotheses=(
        Hypothesis("every-pair", r"$|\log K(t_j)-\log K(s_i)|\le\epsilon_s$ on every pair with $\gamma_{ij}>0$."),
    ),
    steps=(
        Step("range", r"Numbers in $[-\epsilon_s,\epsilon_s]$ have range at most $2\epsilon_s$."),
        Step(
            "monotone",
            r"$\tanh(\Delta/4)$ does not decrease with $\Delta$, and is $\tanh(\epsilon_s/2)$ at $\Delta=2\epsilon_s$.",
        ),
    ),
    uses=("RS.T1",),
    tight=r"The construction of Theorem 1 with $\epsilon_s=\Delta/2$.",
    stronger=(
        r"A common shift is free: $|\log K(t_j)-\log K(s_i)-c|\le\epsilon_s$ for one number $c$ is enough, and with "
        r"the best $c$ nothing is lost, $\Delta=2\epsilon_s$."
    ),
    expected=Verdict.VERIFIED,
)


def range_gap(epsilon: Any, largest: Any, smallest: Any) -> Any:
    """2 epsilon_s minus the range."""
    return 2 * epsilon - (largest - smallest)


def moved(x: Any) -> Any:
    """tanh(epsilon_s / 2) as a function of x = exp(epsilon_s)."""
    return (x - 1) / (x + 1)
