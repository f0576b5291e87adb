"""RS equation 11: the recurrence of coupled errors through attention blocks."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E11",
    title="Recurrence of the coupled error",
    source="RS Appendix B.3, equation 11",
    statement=(
        r"Fix a mass coupling and set $e=\max_{\gamma_{ij}>0}\|h_i-h'_j\|$. For each matched query pair, assume its "
        "visible key masses admit a coupling supported on these same matched key pairs. Suppose paired values differ by "
        r"at most $v_\ell e+\tau_\ell$, paired log-kernels by at most $c_\ell e+\zeta_\ell$, and the reference value "
        r"diameter is at most $D_\ell$. For a shared update with "
        r"$\|f_\ell(h,A)-f_\ell(h',A')\|\le a_\ell\|h-h'\|+b_\ell\|A-A'\|$, Theorem 1 gives "
        r"$e_\ell\le a_\ell e_{\ell-1}+b_\ell\left[v_\ell e_{\ell-1}+\tau_\ell"
        r"+D_\ell\tanh\left(\frac{c_\ell e_{\ell-1}+\zeta_\ell}{2}\right)\right]$."
    ),
    plain=(
        "How far two runs of an attention layer on two tokenizations can drift apart, from how far apart they were: the "
        "part that reallocates attention is bounded however large the scores' changes are."
    ),
    definitions=(
        r"$a_\ell,b_\ell,v_\ell,\tau_\ell,c_\ell,\zeta_\ell,D_\ell\ge0$. Every token with positive mass is a query; a "
        "query sees some key.",
    ),
    hypotheses=(
        Hypothesis("visible", "The keys that two matched queries see admit a coupling on the matched pairs."),
        Hypothesis("values", r"Paired values differ by at most $v_\ell e+\tau_\ell$."),
        Hypothesis("kernels", r"Paired log-kernels differ by at most $c_\ell e+\zeta_\ell$."),
        Hypothesis("diameter", r"The reference values have diameter at most $D_\ell$."),
        Hypothesis("update", r"The update is shared, and Lipschitz with $a_\ell$ and $b_\ell$."),
    ),
    steps=(
        Step(
            "output", r"For each matched query, $\|A'-A\|\le v_\ell e+\tau_\ell+D_\ell\tanh((c_\ell e+\zeta_\ell)/2)$."
        ),
        Step("update", "The update adds up state error and output error; a larger bound on either keeps it valid."),
        Step("largest", "The right side does not depend on the matched pair, so it bounds the largest error."),
    ),
    uses=("RS.T1", "RS.T1-eps"),
    tight="Two keys and a linear update attain it for all constants at once.",
    expected=Verdict.VERIFIED,
)


def output_bound(e: Any, v: Any, tau: Any, diameter: Any, x: Any) -> Any:
    """Bound on the difference of attention outputs, x = exp(c e + zeta)."""
    return v * e + tau + diameter * (x - 1) / (x + 1)


def recurrence(e: Any, a: Any, b: Any, v: Any, tau: Any, diameter: Any, x: Any) -> Any:
    """Right side of (11)."""
    return a * e + b * output_bound(e, v, tau, diameter, x)
