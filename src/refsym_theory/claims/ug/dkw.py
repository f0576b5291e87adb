"""UG D.3: a trigger that thresholds on the population quantile of sigma."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.DKW",
    title="Population quantile in the place of the empirical one",
    source="UG Appendix D.3, population-quantile version",
    statement=(
        r"Thresholding on the distributional $q$-quantile of $\sigma$ instead of the empirical $\sigma_{(q)}$ adds the "
        r"standard Dvoretzky-Kiefer-Wolfowitz fluctuation term $O(\sqrt{\log(1/\delta)/T})$."
    ),
    plain="A threshold fixed beforehand costs a little more risk than one read off the data, since it may trigger too few tiles.",
    definitions=(
        r"$c = \inf\{x : F(x) \ge q\}$; the rule expands the $N$ tiles with $\sigma_t \le c$; $D = \lceil qT\rceil$; ties of "
        r"$\sigma$ fall the same way in both rules.",
        r"As read: the risk, the mean error over the tiles, exceeds that of $\Pi_q^\sigma$ by at most "
        r"$\sqrt{\log(1/\delta)/(2T)} + 1/T$, with probability $1-\delta$ over the tiles.",
        r"Nothing is said of the number of expanded tiles, which is not $\lceil qT\rceil$: see OWN.BUDGET.",
    ),
    hypotheses=(
        Hypothesis("independent", r"The $\sigma_t$ are independent with law $F$."),
        Hypothesis("continuous", r"$F$ has no atom.", needed=False),
        Hypothesis("uniform", r"A bound uniform in the threshold (Dvoretzky-Kiefer-Wolfowitz, Massart).", needed=False),
    ),
    steps=(
        Step("more", r"$N \ge D$: every tile that the empirical rule expands is expanded, so the risk is no larger."),
        Step("fewer", r"$N < D$: $D-N$ tiles lose their expansion, each worth at most 1."),
        Step("ceil", r"$(D-N)/T \le F(c) - F_T(c) + 1/T$, since $D < qT+1$ and $q \le F(c)$."),
        Step(
            "cumulant",
            r"$\log(1-p+pe^s) - ps \le s^2/8$: the second derivative is $x(1-x) \le \frac14$, $x = pe^s/(1-p+pe^s)$.",
        ),
        Step(
            "chernoff",
            r"$e^{T(s^2/8-s\epsilon)}$ is $e^{-2T\epsilon^2} = \delta$ at $s = 4\epsilon$, $\epsilon^2 = \log(1/\delta)/(2T)$.",
        ),
    ),
    stronger=(
        r"The threshold $c$ is one fixed number, so Hoeffding's bound at that point does: no uniformity, any $\delta$, and "
        r"$F$ may have atoms."
    ),
    tight=r"The lost risk is $(D-N)/T$ exactly where the tiles that lose their expansion are worth 1 each.",
    residue="Markov's inequality; Taylor's formula at order two; the law of a sum of independent terms.",
    expected=Verdict.VERIFIED,
)


def lost(triggered: Any, below: Any, tiles: Any) -> Any:
    """Bound (D - N)_+ / T on the extra risk, from D, N and T."""
    return max(triggered - below, 0) * Fraction(1, tiles)


def budget(q: Fraction, tiles: int) -> int:
    """Return D = ceil(q T)."""
    return ceil(q * tiles)
