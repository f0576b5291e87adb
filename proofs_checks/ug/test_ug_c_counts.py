"""UG appendix C: denominators."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from marks import proof, refutation
from refsym_theory.claims.ug.c_counts import directed, nearest, possible
from refsym_theory.claims.ug.c_sweep import RECALL
from refsym_theory.evidence import Level, equal, require

THIRTIETHS = tuple(Fraction(x, 100) for x in (37, 33, 47, 53))  # 11, 10, 14 and 16 of 30


@refutation(
    "UG.C-counts", Level.EXACT, RECALL, {"0.37, 0.33, 0.47, 0.53 (of 30)": THIRTIETHS, "tenths": (Fraction(1, 10),) * 4}
)
def test_no_number_of_examples_up_to_thirty(
    stated: Sequence[Fraction], record_property: Callable[[str, object], None]
) -> None:
    found = [n for n in range(1, 31) if possible(n, stated)]
    record_property("claimed", "four shares of at most 30 examples")
    record_property("computed", f"possible denominators up to 30: {found or 'none'}")
    require(equal(len(found), 0))


@proof(
    "UG.C-counts",
    "none",
    Level.EXACT,
    RECALL,
    {"of 30": THIRTIETHS, "the last two alone": RECALL[2:]},
)
def test_nor_by_cutting_digits_off(stated: Sequence[Fraction]) -> None:
    for n in range(1, 31):
        assert not possible(n, stated)
        assert not all(directed(share, n, down=True) for share in stated)
        assert not all(directed(share, n, down=False) for share in stated)


@proof(
    "UG.C-counts",
    "thirty",
    Level.EXACT,
    nearest,
    {
        "to one digit": lambda share, n: any(abs(Fraction(m, n) - share) <= Fraction(1, 20) for m in range(n + 1)),
        "no rounding": lambda share, n: (share * n).denominator == 1,
    },
)
def test_of_thirty(stated: Callable[..., bool]) -> None:
    assert [stated(share, 30) for share in RECALL] == [False, False, True, True]


@proof(
    "UG.C-counts",
    "least",
    Level.EXACT,
    possible,
    {"any two of them": lambda n: nearest(RECALL[0], n) and nearest(RECALL[1], n)},
)
def test_least_denominator_and_sixty(stated: Callable[..., bool]) -> None:
    require(equal(min(n for n in range(1, 61) if stated(n)), 34))
    assert stated(60)
    assert [round(share * 60) for share in RECALL] == [23, 21, 28, 32]
