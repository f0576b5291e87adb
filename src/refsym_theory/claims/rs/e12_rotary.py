"""RS Appendices B.2 and C.2: the averaged rotary score."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.e12 import Pair, conjugate, times

CLAIM = Claim(
    id="RS.E12-rotary",
    title="Averaged rotary score",
    source="RS Section 3.2, Appendices B.2 and C.2",
    statement=(
        r"Averaging the real rotary bilinear form gives $q^\top U(p_i)^\top U(p_j)k$ when content vectors are fixed "
        r"over the "
        "supports and the two support draws are independent. This equality concerns the score, not the exponential "
        "of that "
        r"score or the normalized attention output. For symmetric supports, $\phi_i$ is real, and the inner product of "
        r"$\widetilde q_i=\phi_i(\omega)R_\omega(x_i)q_i$ and $\widetilde k_j=\phi_j(\omega)R_\omega(x_j)k_j$ is "
        r"$\phi_i(\omega)\phi_j(\omega)q_i^\top R_\omega(x_j-x_i)k_j$. A simultaneous shift of all coordinates "
        r"leaves this "
        "expression unchanged."
    ),
    plain="Averaged queries and averaged keys give the averaged score, but not the averaged attention.",
    definitions=(
        "One rotary pair is one complex number: its two channels are real and imaginary part, its rotation a factor of "
        "modulus 1, its inner product the real part of conjugate times other. Pairs add up.",
    ),
    hypotheses=(
        Hypothesis("independent", "The two support draws are independent."),
        Hypothesis("fixed", "Content vectors are fixed over the supports."),
        Hypothesis("symmetric", "Supports are symmetric, for the product form."),
    ),
    steps=(
        Step("bilinear", r"The mean of $(R(y)q)^\top R(x)k$ is $(U(p_i)q)^\top U(p_j)k$."),
        Step("product", r"Real $\phi_i, \phi_j$ come out of the inner product as factors."),
        Step("shift", "A common rotation of both leaves the inner product."),
        Step("score-only", "The mean of the exponential, and of the softmax, is another number."),
    ),
    uses=("RS.E12",),
    expected=Verdict.VERIFIED,
    residue=(
        "Fubini for supports that are not finite. Symmetric supports have real characteristic functions since sine "
        "is odd."
    ),
)


def inner(a: Pair, b: Pair) -> Any:
    """Inner product of two pairs of channels."""
    return times(conjugate(a), b)[0]


def score(q: Pair, k: Pair, query: Pair, key: Pair) -> Any:
    """Score of one rotary pair, from the characteristic functions of both supports (centres included)."""
    return inner(times(query, q), times(key, k))


def product_form(q: Pair, k: Pair, query: Any, key: Any, rotation: Pair) -> Any:
    """Score of symmetric supports: two real factors, and the rotation by the difference of the centres."""
    return query * key * inner(q, times(rotation, k))
