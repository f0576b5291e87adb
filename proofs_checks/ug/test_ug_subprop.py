"""UG section 3.5: the printed ratios."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from marks import proof, refutation, value
from refsym_theory.claims.ug.e15 import attended, printed
from refsym_theory.claims.ug.subprop import RATIOS, largest_factor
from refsym_theory.evidence import Level, at_most, below, equal, require

Record = Callable[[str, object], None]
ROUNDING = Fraction(1, 200)


@refutation(
    "UG.SUBPROP",
    Level.EXACT,
    RATIOS,
    {
        "a proportional cost": {512: Fraction(7, 5), 1024: Fraction(7, 5)},
        "half of it": {t: r / 2 for t, r in RATIOS.items()},
    },
)
def test_both_ratios_exceed_the_factor(stated: Mapping[int, Fraction], record_property: Record) -> None:
    factor = printed(1, Fraction(2, 5), 2)
    record_property("claimed", f"below {float(factor)} times")
    record_property("computed", " and ".join(f"{float(ratio)}" for ratio in stated.values()) + " times, as printed")
    for ratio in stated.values():
        require(below(factor, ratio))


@proof("UG.SUBPROP", "above", Level.EXACT, RATIOS, {"one digit less": {512: Fraction(14, 10), 1024: Fraction(14, 10)}})
def test_whatever_was_rounded_away(stated: Mapping[int, Fraction]) -> None:
    for ratio in stated.values():
        require(below(printed(1, Fraction(2, 5), 2), ratio - ROUNDING))


@value(
    "UG.SUBPROP",
    "largest",
    Level.EXACT,
    largest_factor,
    {
        "early tiles": lambda tiles: (
            attended(range(1, tiles + 1), range(205), 33, 66) / attended(range(1, tiles + 1), (), 33, 66)
        ),
        "every tile": lambda tiles: largest_factor(tiles, Fraction(1)),
    },
)
def test_the_dearest_trigger(stated: Callable[..., Fraction], record_property: Record) -> None:
    for tiles, low, high, excess in ((512, "1.4133", "1.4134", "1.078"), (1024, "1.4067", "1.4068", "1.041")):
        factor = stated(tiles)
        record_property("claimed", f"{tiles} tiles: {float(RATIOS[tiles])} below the block-count factor")
        record_property("computed", f"{tiles} tiles: factor at most {float(factor):.4f}")
        require(below(Fraction(low), factor))
        require(below(factor, Fraction(high)))
        require(at_most(Fraction(excess) * factor, RATIOS[tiles] - ROUNDING))
    require(equal(largest_factor(2, Fraction(1, 2), 1, 2), Fraction(3, 2)))  # two tiles, the second expands
