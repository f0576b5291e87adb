"""OWN.BUDGET: how many tiles a population threshold triggers."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from algebra import distribution
from marks import control, proof, tightness
from refsym_theory.claims.own import budget
from refsym_theory.evidence import Level, at_most, below, equal, require

Law = dict[int, Fraction]
FRACTIONS = [Fraction(steps, 20) for steps in range(1, 20)]


def laws() -> list[Law]:
    """Return laws on three values; between its atoms F is flat, so three values show every case."""
    return [dict(enumerate(distribution(weights))) for weights in product(range(5), repeat=3) if any(weights)]


@proof(
    "OWN.BUDGET",
    "low",
    Level.EXACT,
    budget.quantile,
    {
        "next value below": lambda law, q: budget.quantile(law, q) - 1,
        "largest with F <= q": lambda law, q: max([x for x in law if budget.share(law, x) <= q], default=-1),
    },
)
def test_at_least_the_budget(stated: Callable[[Law, Fraction], int]) -> None:
    for law, q in product(laws(), FRACTIONS):
        require(at_most(q, budget.share(law, stated(law, q))))


@proof(
    "OWN.BUDGET",
    "high",
    Level.EXACT,
    budget.quantile,
    {"one value up": lambda law, q: min(budget.quantile(law, q) + 1, 2)},
)
def test_at_most_one_atom_more(stated: Callable[[Law, Fraction], int]) -> None:
    for law, q in product(laws(), FRACTIONS):
        c = stated(law, q)
        require(at_most(budget.share(law, c) - law[c], q))


@proof("OWN.BUDGET", "paper", Level.EXACT, lambda: Fraction(83, 100), {"the budget itself": lambda: Fraction(2, 5)})
def test_the_printed_atom(stated: Callable[[], Fraction], record_property: Callable[[str, object], None]) -> None:
    q, law = Fraction(2, 5), {0: Fraction(83, 100), 1: Fraction(17, 100)}
    c = budget.quantile(law, q)
    assert c == 0
    require(equal(budget.share(law, c), stated()))
    require(equal(budget.share(law, c - 1), Fraction(0)))
    record_property("claimed", "40% of the tiles")
    record_property("computed", "83% with <=, none with <")


@tightness("OWN.BUDGET", Level.EXACT)
def test_one_atom() -> None:
    require(equal(budget.share({0: Fraction(1)}, budget.quantile({0: Fraction(1)}, Fraction(1, 100))), Fraction(1)))


@control("OWN.BUDGET", "quantile", Level.EXACT)
def test_a_threshold_that_is_no_quantile() -> None:
    law = dict(enumerate(distribution([1, 1, 1])))
    require(below(Fraction(1, 10) + law[2], budget.share(law, 2)))  # c = 2 at q = 1/10
