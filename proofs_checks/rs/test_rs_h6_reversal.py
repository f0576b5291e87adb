"""RS H.6: reversed group biases."""

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof, value
from refsym_theory.claims.rs.h6_reversal import histogram
from refsym_theory.evidence import Level, equal, require


def preserved(sizes: tuple[int, ...]) -> bool:
    return histogram(sizes, sizes) == histogram(sizes, sizes[::-1])


@proof(
    "RS.H6-reversal",
    "largest",
    Level.EXACT,
    lambda n, sizes: sum(n - size for size in sizes),
    {
        "sign": lambda n, sizes: sum(size - n for size in sizes),
        "one view forgotten": lambda n, sizes: sum(n - x for x in sizes[1:]),
    },
)
def test_missing_tokens_at_the_largest_size(stated: Callable[..., Any]) -> None:
    n, tokens, count, *sizes = symbols("n tokens c N1:4")
    require(vanishes(3 * n - sum(sizes) - stated(n, sizes)))  # terms n - N >= 0 that vanish only together
    # One view more: the missing tokens grow by its own n - N.
    require(vanishes(((count + 1) * n - (tokens + sizes[0])) - (count * n - tokens) - (n - sizes[0])))


@proof(
    "RS.H6-reversal",
    "enumerated",
    Level.EXACT,
    lambda sizes: sizes == sizes[::-1],
    {
        "equal sizes only": lambda sizes: len(set(sizes)) == 1,
        "never": lambda sizes: False,
        "equal ends": lambda sizes: sizes[0] == sizes[-1],
    },
)
def test_every_list_of_four_sizes(stated: Callable[..., bool], record_property: Callable[[str, object], None]) -> None:
    lists = list(product(range(1, 10), repeat=4))
    for sizes in lists:
        require(equal(preserved(sizes), stated(sizes)))
    record_property("computed", f"{len(lists)} lists, preserved for {sum(map(preserved, lists))}, all palindromes")


@value(
    "RS.H6-reversal",
    "paper",
    Level.EXACT,
    lambda sizes: sizes[::-1],
    {"not reversed": lambda sizes: sizes, "one bias for all": lambda sizes: (max(sizes),) * 4},
)
def test_both_size_sets(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    for sides in ((280, 336, 392, 448), (196, 280, 392, 560)):
        sizes = tuple((side // 28) ** 2 for side in sides)
        before, after = histogram(sizes, sizes), histogram(sizes, stated(sizes))
        require(equal(before == after, False))
        require(equal(Counter(before.values()) == Counter(after.values()), True))  # the same counts, on other biases
        record_property(f"{sizes}", f"largest bias on {before[min(before)]} tokens, reversed on {after[min(after)]}")


@control("RS.H6-reversal", "palindrome", Level.EXACT)
def test_sizes_that_read_the_same_backwards() -> None:
    require(equal(histogram((1, 2, 2, 1), (1, 2, 2, 1)), histogram((1, 2, 2, 1), (1, 2, 2, 1)[::-1])))
