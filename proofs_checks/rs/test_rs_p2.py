"""RS Proposition 2, on every partition of a few atoms."""

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

from marks import control, proof
from refsym_theory.claims.rs.p2 import Partition, Represented, field, meet, partitions
from refsym_theory.evidence import Level

SIZES = (1, 2, 3, 4)


@cache
def representations(size: int) -> list[Represented]:
    found = []
    for partition in partitions(range(size)):
        cells = sorted(partition, key=min)
        found += [tuple(zip(cells, contents, strict=True)) for contents in product((0, 1), repeat=len(cells))]
    return found


def cells(represented: Represented) -> Partition:
    return frozenset(cell for cell, _ in represented)


def restricted(represented: Represented, partition: Partition) -> Represented | None:
    """Copy the contents to a finer partition; None where the partition is not finer."""
    copied = []
    for cell in sorted(partition, key=min):
        parents = [content for parent, content in represented if cell <= parent]
        if not parents:
            return None
        copied.append((cell, parents[0]))
    return tuple(copied)


@proof(
    "RS.P2",
    "meet",
    Level.EXACT,
    meet,
    {"unions": lambda p, q: frozenset(c | d for c in p for d in q), "the first partition": lambda p, q: p},
)
def test_a_common_refinement_carries_both_contents(stated: Callable[..., Partition]) -> None:
    assert [len(list(partitions(range(size)))) for size in SIZES] == [1, 2, 5, 15]
    for size in SIZES:
        for one, other in product(representations(size), repeat=2):
            if field(one) == field(other):
                finer = stated(cells(one), cells(other))
                assert restricted(one, finer) is not None
                assert restricted(one, finer) == restricted(other, finer)


@proof(
    "RS.P2",
    "preserves",
    Level.EXACT,
    field,
    {"number of cells": len, "number of cells with content one": lambda r: sum(content for _, content in r)},
)
def test_a_refinement_keeps_the_field(stated: Callable[[Represented], Any]) -> None:
    for size in SIZES:
        for one, partition in product(representations(size), partitions(range(size))):
            finer = restricted(one, partition)
            assert finer is None or stated(finer) == stated(one)


@proof(
    "RS.P2", "classes", Level.EXACT, field, {"partition": cells, "contents by cell": lambda r: tuple(c for _, c in r)}
)
def test_refinement_connects_exactly_what_has_one_field(stated: Callable[[Represented], Any]) -> None:
    for size in SIZES:
        parent: dict[Represented, Represented] = {one: one for one in representations(size)}

        def root(one: Represented, parent: dict[Represented, Represented] = parent) -> Represented:
            while parent[one] != one:
                one = parent[one]
            return one

        for one, partition in product(representations(size), partitions(range(size))):
            finer = restricted(one, partition)
            if finer is not None:
                parent[root(finer)] = root(one)
        roots = {(root(one), stated(one)) for one in representations(size)}
        assert len({a for a, _ in roots}) == len(roots) == len({b for _, b in roots})


@proof("RS.P2", "layer", Level.EXACT, 0, {"output is the cell's size": 1, "output is the number of cells": 2})
def test_a_covariant_layer_is_a_function_of_the_field(stated: int) -> None:
    """A layer of the point's content and the whole field, and two that read the partition."""

    def layer(one: Represented) -> Represented:
        whole = sum(field(one))
        return tuple((cell, (content + 2 * whole, len(cell), len(one))[stated]) for cell, content in one)

    for size in SIZES:
        for one, partition in product(representations(size), partitions(range(size))):
            finer = restricted(one, partition)
            if finer is not None:
                assert layer(finer) == restricted(layer(one), partition)


@control("RS.P2", "closed", Level.EXACT)
def test_two_partitions_without_a_common_refinement() -> None:
    family = [frozenset({frozenset({0, 1}), frozenset({2})}), frozenset({frozenset({0}), frozenset({1, 2})})]
    constant = [tuple((cell, 0) for cell in sorted(partition, key=min)) for partition in family]
    assert field(constant[0]) == field(constant[1])
    assert restricted(constant[0], family[1]) is restricted(constant[1], family[0]) is None
    # No refinement inside the family relates the two, so a reduction that tells them apart is invariant there.
    assert meet(*family) not in family
