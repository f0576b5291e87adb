"""RS Proposition 2, on every partition of a few atoms."""

from collections.abc import Callable, Collection
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
        found += [tuple(zip(cells, contents, strict=True)) for contents in product(range(size), repeat=len(cells))]
    return found


def by_field(size: int) -> dict[tuple[int, ...], list[Represented]]:
    found: dict[tuple[int, ...], list[Represented]] = {}
    for one in representations(size):
        found.setdefault(field(one), []).append(one)
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
        for alike in by_field(size).values():
            for one, other in product(alike, repeat=2):
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


def total(represented: Represented) -> tuple[int, ...]:
    return (sum(field(represented)),)


@proof("RS.P2", "layer", Level.EXACT, field, {"sum of the field": total, "contents by cell": lambda r: sorted(r)[0][1]})
def test_covariance_is_equality_of_the_reconstructed_outputs(stated: Callable[[Represented], Any]) -> None:
    # Whatever a layer returns before and after a refinement: so a layer is a reduction whose value is a field.
    for size in SIZES[:3]:
        for before, after in product(representations(size), repeat=2):
            copied = restricted(before, cells(after))
            if copied is not None:
                assert (after == copied) == (stated(after) == stated(before))


@control("RS.P2", "closed", Level.EXACT)
def test_two_partitions_without_a_common_refinement() -> None:
    family = [frozenset({frozenset({0, 1}), frozenset({2})}), frozenset({frozenset({0}), frozenset({1, 2})})]
    constant = [tuple((cell, 0) for cell in sorted(partition, key=min)) for partition in family]
    assert field(constant[0]) == field(constant[1])
    assert restricted(constant[0], family[1]) is restricted(constant[1], family[0]) is None
    # No refinement inside the family relates the two, so a reduction that tells them apart is invariant there.
    assert meet(*family) not in family


def linked(family: Collection[Partition], pairs: Callable[[Partition, Partition], bool]) -> bool:
    """Whether any two members whose constant fields are one (all of them) are joined by a chain of such pairs."""
    reached = set(list(family)[:1])
    while more := {q for p in reached for q in family if q not in reached and (pairs(p, q) or pairs(q, p))}:
        reached |= more
    return reached == set(family)


def refines(p: Partition, q: Partition) -> bool:
    return meet(p, q) == p


@proof("RS.P2", "chain", Level.EXACT, refines, {"any two": lambda p, q: True, "none": lambda p, q: p == q})
def test_chains_are_what_the_criterion_needs(stated: Callable[..., bool]) -> None:
    """Every family of partitions of three atoms, and every field on them."""
    every = list(partitions(range(3)))
    for chosen in range(1, 2 ** len(every)):
        family = {p for bit, p in enumerate(every) if chosen >> bit & 1}
        for alike in by_field(3).values():
            members = {cells(one): one for one in alike if cells(one) in family}
            # The finest invariant reduction: the class of a representation under refinements inside the family.
            classes = {p: {p} for p in members}
            for p, q in product(members, repeat=2):
                if restricted(members[p], q) is not None and classes[p] is not classes[q]:
                    classes[p] |= classes[q]
                    for r in classes[q]:
                        classes[r] = classes[p]
            assert (len({id(found) for found in classes.values()}) <= 1) == (not members or linked(members, stated))


@proof("RS.P2", "chain", Level.EXACT)
def test_a_common_coarsening_does_as_well() -> None:
    family = [frozenset({frozenset({0, 1}), frozenset({2})}), frozenset({frozenset({0}), frozenset({1, 2})})]
    whole = frozenset({frozenset({0, 1, 2})})
    assert meet(*family) not in {*family, whole}  # no common refinement
    assert all(refines(p, whole) for p in family)  # yet both refine the whole, which represents any field that both do
    assert not linked(family, refines)
    assert linked([*family, whole], refines)
