"""RS Theorem 1 on a general probability space, and for tokens against a continuous target."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.T1-continuum",
    title="Tokens against the continuum",
    source="RS Appendix B.1, Partitions and continuum comparison",
    statement=(
        "The same proof works on a general probability space with essential bounds and integrals in place of maxima and "
        "sums, provided both kernel normalizers are finite and positive and the values are integrable under the "
        "corresponding lifted attention laws. Coupling a token $i$ to physical points in $C_i$ directly compares its "
        r"quadrature with a continuous target: value error at most $L_vh$ and log-kernel error at most $L_sh$ yield "
        r"discrepancy at most $L_vh+D_v\tanh(L_sh/2)$, where $D_v$ bounds the diameter of the reference values. Encoder "
        "approximation errors add to these paired errors."
    ),
    plain="What attention over finitely many tokens misses of the integral over the signal goes to zero with the cells.",
    definitions=(
        r"$f=K(t)/K(s)$ on the coupled space; $a\le f\le b$ almost everywhere and $\Delta=\log(b/a)<\infty$.",
        r"Either side may be called the reference (RS.T1-exchanged): $D_v$ bounds the diameter of the field or of the "
        "tokens.",
    ),
    hypotheses=(
        Hypothesis("normalizer", "The kernel normalizer of one representation is finite."),
        Hypothesis("other-normalizer", "The kernel normalizer of the other is finite and positive too.", needed=False),
        Hypothesis("integrable", "The values are integrable under the lifted laws.", needed=False),
        Hypothesis("errors", r"Paired values differ by at most $L_vh$, paired log-kernels by at most $L_sh$."),
    ),
    steps=(
        Step("marginals", r"A cell's points carry its mass: $\int_{C_i}K(s_i)\,d\mu=m_iK(s_i)$."),
        Step(
            "tilt",
            r"$dQ/dP=f/\mathbb{E}_Pf$, and $2\operatorname{TV}=\mathbb{E}_P|f-u|/u$ is bounded pointwise by the chord.",
        ),
        Step(
            "value", r"$\mathbb{E}_Qv-\mathbb{E}_Pv$ is a double integral of differences of values, of total weight TV."
        ),
        Step("total", r"With $\epsilon_v=L_vh$ and $\epsilon_s=L_sh$: at most $L_vh+D_v\tanh(L_sh/2)$."),
        Step(
            "encoder", r"Encoder errors $\delta_v$, $\delta_s$ give $L_vh+\delta_v$ and $L_sh+\delta_s$ in their place."
        ),
    ),
    uses=("RS.L1", "RS.T1-eps"),
    tight=(
        r"Two tokens, each with its cell's mass at distance $h$, attain $L_vh+D_v\tanh(L_sh/2)$; masses that are only "
        "concentrated near there come as close as one likes."
    ),
    stronger=(
        r"With $\Delta<\infty$ and $D_v,\epsilon_v<\infty$ it is enough that one of the two normalizers is finite: "
        r"$aZ_s\le Z_t\le bZ_s$, and bounded values are integrable. With finitely many tokens nothing is left to assume."
    ),
    residue="Measure theory: measurability, linearity and monotonicity of the integral, Fubini for the double integral.",
    expected=Verdict.VERIFIED,
)


def discrepancy(value_error: Any, diameter: Any, x: Any) -> Any:
    """L_v h + D_v tanh(L_s h / 2) as a function of x = exp(L_s h)."""
    return value_error + diameter * (x - 1) / (x + 1)
