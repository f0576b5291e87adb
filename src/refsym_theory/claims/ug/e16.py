"""UG equation 16: where the optimal allocation of top-k identification goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.E16",
    title="The optimal allocation does not go to the cutoff pair",
    source="UG Appendix D.1, equation 16",
    statement=(
        r"the optimal allocation $w^\star$ solves a max-min programme whose minimiser concentrates on the cutoff pair "
        r"$(k-1,k)$: any alternative world in which the top-$k$ differs [...] is achieved most cheaply by perturbing those "
        r"two arms. [...] $V \propto (\hat\mu_{(k-1)}-\hat\mu_{(k)})^{-2}$."
    ),
    plain=(
        "To know the k best of many arms one must sample all of them. The optimal plan leaves no arm out, often balances several "
        "pairs, and what it costs depends on all the gaps, not on the one at the cut."
    ),
    definitions=(
        r"$1/T^\star = \max_{w}\min_{i<k\le j} \frac{w_iw_j}{w_i+w_j}\,\frac{(\mu_i-\mu_j)^2}{2\sigma^2}$ over $w \ge 0$, "
        r"$\sum w = 1$ (a term with both weights 0 is 0); $g = \mu_{k-1}-\mu_k > 0$, $1 \le k < N$.",
        r"Read both ways: the allocation puts its weight on the pair; the value is a function of $g$ alone.",
        r"For weights held equal the cutoff pair is the cheapest one: the sentence is true of that plan, not of $w^\star$.",
    ),
    correction=(
        r"Every optimal $w$ is positive on all arms, and every arm is in a cheapest pair; for $k = 1$ all $N-1$ pairs cost the "
        r"same. $8\sigma^2/g^2 \le T^\star \le 2\sigma^2(\sqrt k+\sqrt{N-k})^2/g^2$, both attained. Where both groups are "
        r"tied the cutoff pair gets the share $1/\sqrt{k(N-k)}$ of the samples; with means 3, 2, 1, 0 and $k = 2$, $\frac78$."
    ),
    hypotheses=(Hypothesis("variance", r"All arms have the same variance $\sigma^2$."),),
    steps=(
        Step(
            "cheapest",
            r"Moving both means to $x$ costs least at their weighted mean: $\frac{w_iw_j}{w_i+w_j}(\mu_i-\mu_j)^2$.",
        ),
        Step("positive", r"A zero weight makes a pair free, equal weights make none free."),
        Step(
            "active",
            r"$\frac{ab}{a+b}$ grows with $a$: weight on an arm in no cheapest pair is better spread over the others.",
        ),
        Step("lower", r"$\frac{ab}{a+b} \le \frac14$ for $a + b \le 1$, so $1/T^\star \le g^2/(8\sigma^2)$."),
        Step(
            "upper",
            r"$w_i = \frac{1}{p(p+r)}$ above and $\frac{1}{r(p+r)}$ below the cut, $p^2 = k$, $r^2 = N-k$: $(p+r)^{-2}$.",
        ),
        Step(
            "tied",
            r"Where both groups are tied, no $w$ does better: $\frac{k}{a}+\frac{N-k}{1-a} \ge (p+r)^2$, by averaging.",
        ),
        Step(
            "spaced",
            r"Means 3, 2, 1, 0 and $k = 2$: the optimum is $w = (1,7,7,1)/16$, $T^\star = \frac{64}7\sigma^2$; the cheapest are "
            r"the cutoff pair and the pairs $(0,2)$, $(1,3)$.",
        ),
    ),
    tight=r"Lower: two arms. Upper: two tied groups.",
    residue="That a maximum exists (a continuous function on a simplex).",
    expected=Verdict.REFUTED,
)


def half_harmonic(a: Any, b: Any) -> Any:
    """Return a b / (a + b)."""
    return a * b / (a + b)


def value(weights: Sequence[Any], means: Sequence[Any], k: int) -> Any:
    """Return 1/T for these weights, in units of 1 / (2 sigma^2)."""
    pairs = [(i, j) for i in range(k) for j in range(k, len(means))]
    return min(half_harmonic(weights[i], weights[j]) * (means[i] - means[j]) ** 2 for i, j in pairs)


def tied_weights(p: Any, r: Any) -> tuple[Any, Any]:
    """Weights of an arm above and of one below the cut; p^2 = k, r^2 = N - k."""
    return 1 / (p * (p + r)), 1 / (r * (p + r))


def tangent(a: Any, b: Any, a0: Any, b0: Any) -> Any:
    """Tangent plane of `half_harmonic` at (a0, b0): it lies above."""
    return (b0**2 * a + a0**2 * b) / (a0 + b0) ** 2


def printed_range(gap: Any, p: Any, r: Any) -> tuple[Any, Any]:
    """T* in units of sigma^2 as a function of the cutoff gap alone; two arms fix the constant."""
    return 8 / gap**2, 8 / gap**2


def corrected_range(gap: Any, p: Any, r: Any) -> tuple[Any, Any]:
    """Bounds on T* in units of sigma^2."""
    return 8 / gap**2, 2 * (p + r) ** 2 / gap**2
