"""RS Appendix C.2: equal volume does not fix covariance or gain."""

from __future__ import annotations

from fractions import Fraction

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="RS.C2-shape",
    title="Equal volume, different gain",
    source="RS Appendix C.2; also the end of Appendix B.2's score bound",
    statement=(
        "Equal-volume shapes can have different covariance and different rotary gains. Overlapping receptive fields "
        "and "
        "multiscale views require an explicit support model; their measure cannot be inferred from patch count "
        "without that "
        "choice."
    ),
    plain="Mass says how much signal a token covers; its position factor depends on the shape of what it covers.",
    definitions=(
        "Uniform rectangles with sides parallel to the axes; the witness is a unit square and a 2 by 1/2 rectangle.",
    ),
    steps=(
        Step("volume", "Both have volume 1."),
        Step("covariance", r"$\operatorname{diag}(1/12,1/12)$ and $\operatorname{diag}(1/3,1/48)$."),
        Step(
            "gain",
            r"At $\omega=(\pi,0)$: gains $2/\pi$ and 0; for Gaussians of these covariances $e^{-\pi^2/24}$ and "
            r"$e^{-\pi^2/6}$.",
        ),
        Step("cover", "Two patches cover the interval [0, 1] or [0, 3/2], as they overlap or not."),
    ),
    uses=("RS.C2-box",),
    expected=Verdict.VERIFIED,
    scope="An existence statement: one exact pair of shapes.",
    stronger=(
        "Any aspect ratio other than 1 changes the covariance: at volume 1, sides $r$ and $1/r$ give $r^2/12$ and "
        "$1/(12r^2)$."
    ),
)

SQUARE = (Fraction(1), Fraction(1))
BAR = (Fraction(2), Fraction(1, 2))


def volume(sides: tuple[Fraction, ...]) -> Fraction:
    """Volume of a box."""
    total = Fraction(1)
    for side in sides:
        total *= side
    return total


def covariance(sides: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Diagonal of the covariance of a uniform box."""
    return tuple(side**2 / 12 for side in sides)
