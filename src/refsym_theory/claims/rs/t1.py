"""RS Theorem 1: what a change of representation can do to the output of attention under masses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.T1",
    title="Approximate refinement stability",
    source="RS Section 2.3, Theorem 1, equation 2",
    statement=(
        r"Compare $A=A_m^K(s,v)$ and $B=A_n^K(t,w)$ with finite positive kernel values. On pairs with $\gamma_{ij}>0$, "
        r"define $\epsilon_v=\max\|w_j-v_i\|$, "
        r"$\Delta=\max[\log K(t_j)-\log K(s_i)]-\min[\log K(t_j)-\log K(s_i)]$, "
        r"and let $D_v=\max_{i,i'}\|v_i-v_{i'}\|$. Then, for any norm, $\|B-A\|\le\epsilon_v+D_v\tanh(\Delta/4)$."
    ),
    plain=(
        "Match the parts of the signal that two tokenizations describe. Their attention outputs differ by at most the "
        "largest change of a matched value, plus the spread of the values times a number below 1 that depends only on "
        "how unevenly the matched scores changed."
    ),
    definitions=(
        r"$A_m^K(s,v)=\sum_i m_iK(s_i)v_i\,/\sum_i m_iK(s_i)$ (equation 1). $\gamma\ge0$ has row sums $m_i/M$ and "
        r"column sums $n_j/M$.",
        r"Lifts: $P_{ij}\propto\gamma_{ij}K(s_i)$ and $Q_{ij}\propto\gamma_{ij}K(t_j)$.",
    ),
    hypotheses=(
        Hypothesis("positive", r"The kernel values are positive and finite."),
        Hypothesis("marginals", r"$\gamma$ has row sums $m_i/M$ and column sums $n_j/M$."),
        Hypothesis("nonnegative", r"$\gamma_{ij}\ge0$."),
        Hypothesis("norm", r"$\|\cdot\|$ is a norm (the triangle inequality is what it has to have)."),
        Hypothesis("equal-totals", r"$\sum_i m_i=\sum_j n_j$.", needed=False),
    ),
    steps=(
        Step(
            "marginals", r"The marginal of $P$ on $i$ is the attention of $A$, the marginal of $Q$ on $j$ that of $B$."
        ),
        Step(
            "tilt",
            r"$Q=P f/\mathbb{E}_P f$ with $f_{ij}=K(t_j)/K(s_i)$, so that $\operatorname{TV}(P,Q)\le\tanh(\Delta/4)$.",
        ),
        Step("value", r"$\|\mathbb{E}_Q v-\mathbb{E}_P v\|\le D_v\operatorname{TV}(P,Q)$."),
        Step("triangle", r"$B-A=(\mathbb{E}_Q v_i-\mathbb{E}_P v_i)+\mathbb{E}_Q(w_j-v_i)$."),
    ),
    uses=("RS.L1",),
    tight=r"Two tokens attain it, for all $\epsilon_v$, $D_v$ and $\Delta$ at once.",
    stronger=(
        r"The two total masses may differ: $\gamma$ need only couple $m/\sum m$ and $n/\sum n$. A seminorm will do, "
        r"and $D_v$ need only run over the tokens of positive mass."
    ),
    residue="The identities are for one term and for one term more; that they add up over a finite sum is induction.",
    expected=Verdict.VERIFIED,
)

Coupling = Mapping[tuple[int, int], Any]


def attention(mass: Sequence[Any], kernel: Sequence[Any], values: Sequence[Any]) -> Any:
    """Attention of equation 1 with scalar values, from the values of the kernel."""
    weights = [entry(m, k) for m, k in zip(mass, kernel, strict=True)]
    return sum(weight * v for weight, v in zip(weights, values, strict=True)) / sum(weights)


def entry(mass: Any, kernel: Any) -> Any:
    """Weight of a piece of mass before normalization."""
    return mass * kernel


def lift(coupling: Coupling, kernel: Sequence[Any], side: int) -> dict[tuple[int, int], Any]:
    """Distribution on the coupled pairs: P for the first representation (side 0), Q for the second (side 1)."""
    weights = {pair: entry(mass, kernel[pair[side]]) for pair, mass in coupling.items()}
    return {pair: weight / sum(weights.values()) for pair, weight in weights.items()}


def marginal(coupling: Coupling, side: int) -> list[Any]:
    """Row sums (side 0) or column sums (side 1)."""
    size = 1 + max(pair[side] for pair in coupling)
    return [sum(mass for pair, mass in coupling.items() if pair[side] == index) for index in range(size)]


def ratios(coupling: Coupling, kernel: Sequence[Any], new: Sequence[Any]) -> list[Any]:
    """K(t_j) / K(s_i) on the pairs that carry mass; Delta is the range of their logarithms."""
    return [new[j] / kernel[i] for (i, j), mass in coupling.items() if mass > 0]


def value_error(coupling: Coupling, values: Sequence[Any], new: Sequence[Any], norm: Callable[[Any], Any] = abs) -> Any:
    """Largest change of a paired value, epsilon_v."""
    return max(norm(new[j] - values[i]) for (i, j), mass in coupling.items() if mass > 0)


def diameter(values: Sequence[Any], norm: Callable[[Any], Any] = abs) -> Any:
    """Largest distance between two values, D_v."""
    return max(norm(a - b) for a in values for b in values)


def split_difference(p: Any, q: Any, v: Any, w: Any) -> tuple[Any, Any]:
    """Summands of E_Q v - E_P v and of E_Q (w - v)."""
    return (q - p) * v, q * (w - v)


def paired_difference(x: Any, x_values: Any, y: Any, y_values: Any) -> Any:
    """Sum of x_a y_b (v_a - v_b) over all a and b, from the sums of x, x v, y and y v."""
    return x_values * y - x * y_values
