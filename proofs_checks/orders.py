"""Every order of a few arms: what a kept set misses depends on the order of the true means alone.

Arms carry their rank in the scores: 0 is the best-scored one. An order lists the arms by falling true mean.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations

Order = Sequence[int]


def orders(most: int) -> Iterator[tuple[int, Order]]:
    """Yield every number of arms from 2 to `most`, with every order of them."""
    for n in range(2, most + 1):
        for order in permutations(range(n)):
            yield n, order


def misses(order: Order, k: int, kept: int) -> bool:
    """Whether the first `kept` scores miss one of the k truly best arms."""
    return any(arm >= kept for arm in order[:k])


def beats(order: Order, j: int, i: int) -> bool:
    """Whether arm j is truly better than arm i."""
    return order.index(j) < order.index(i)


def miss_when_tied(n: int, k: int, kept: int) -> Fraction:
    """P(the kept set misses a top-k arm) where all orders are equally likely, by listing them."""
    listed = list(permutations(range(n)))
    return Fraction(sum(misses(order, k, kept) for order in listed), len(listed))
