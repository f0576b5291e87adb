"""RS equation 11, linearised."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E11-linear",
    title="Linearised constants of the recurrence",
    source="RS Appendix B.3, after equation 11",
    statement=(
        r"Since $\tanh u\le u$ for $u\ge0$, one can use $\widehat{L}_\ell=a_\ell+b_\ell(v_\ell+D_\ell c_\ell/2)$ and "
        r"$\widehat{\eta}_\ell=b_\ell(\tau_\ell+D_\ell\zeta_\ell/2)$ in the same product-sum recurrence."
    ),
    plain="Replacing tanh by its argument gives each layer a Lipschitz constant and a local error, as Corollary 1 needs.",
    definitions=(r"$u=(c_\ell e+\zeta_\ell)/2\ge0$, and $b_\ell,D_\ell\ge0$.",),
    hypotheses=(Hypothesis("u", r"$u\ge0$."),),
    steps=(
        Step("tanh", r"$\tanh u\le u$ for $u\ge0$, with equality at $0$ alone."),
        Step("linear", r"With $u$ for $\tanh u$, the right side of (11) is $\widehat{L}_\ell e+\widehat{\eta}_\ell$."),
        Step("product", "So (9) holds with these constants."),
    ),
    uses=("RS.E11", "RS.C1"),
    tight=r"No smaller multiple of $u$ will do: $\tanh u\ge u-u^3/3$, so the ratio tends to 1 as $u\to0$.",
    stronger=(
        r"The linear recurrence is strictly worse wherever $b_\ell D_\ell(c_\ell e+\zeta_\ell)>0$, by "
        r"$b_\ell D_\ell(u-\tanh u)$, and can be worse without limit: since $\tanh<1$, (11) never exceeds "
        r"$(a_\ell+b_\ell v_\ell)e+b_\ell(\tau_\ell+D_\ell)$, so that the growth per layer is $a_\ell+b_\ell v_\ell$, "
        r"whatever $c_\ell$; the smaller of the two linear bounds may be taken in every layer."
    ),
    residue=r"A function with derivative at least 0 does not decrease; $\tanh'=1-\tanh^2$.",
    expected=Verdict.VERIFIED,
)


def lipschitz(a: Any, b: Any, v: Any, c: Any, diameter: Any) -> Any:
    """The constant L-hat."""
    return a + b * (v + diameter * c / 2)


def local_error(b: Any, tau: Any, zeta: Any, diameter: Any) -> Any:
    """The constant eta-hat."""
    return b * (tau + diameter * zeta / 2)


def with_saturation(e: Any, a: Any, b: Any, v: Any, tau: Any, diameter: Any, moved: Any) -> Any:
    """Right side of (11), with `moved` in the place of tanh(u)."""
    return a * e + b * (v * e + tau + diameter * moved)
