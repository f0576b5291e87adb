"""RS equation 8."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous, tightness
from refsym_theory import position
from refsym_theory.claims.rs import e8
from refsym_theory.evidence import Level, at_most, below, equal, require

ID = "RS.E8"
BOUND, TERMS = e8.bound, e8.telescoped


def all_unprimed(factors: Sequence[Expr], primed: Sequence[Expr]) -> list[Expr]:
    whole = 1
    for x in factors:
        whole = whole * x
    return [whole / x * (x - y) for x, y in zip(factors, primed, strict=True)]


@proof(
    ID,
    "telescope",
    Level.EXACT,
    TERMS,
    {"all others unprimed": all_unprimed, "a term lost": lambda f, p: TERMS(f, p)[:3]},
)
def test_four_changes(stated: Callable[..., list[Expr]]) -> None:
    # A rotary pair is one complex number, its averaged rotation another, and the score the real part of this product,
    # with the first two conjugated, summed over pairs.
    x, y = symbols("x0:4"), symbols("y0:4")
    require(vanishes(sum(stated(x, y)) - (x[0] * x[1] * x[2] * x[3] - y[0] * y[1] * y[2] * y[3])))


@proof(
    ID,
    "telescope",
    Level.EXACT,
    TERMS,
    {"all others unprimed": all_unprimed, "a term lost": lambda f, p: TERMS(f, p)[:3]},
)
def test_four_changes_in_order(stated: Callable[..., list[Expr]]) -> None:
    # The same with factors that do not commute, in the order of the score: no structure of the matrices is used.
    x, y = symbols("x0:4", commutative=False), symbols("y0:4", commutative=False)
    gap = sum(stated(x, y)) - (x[0] * x[1] * x[2] * x[3] - y[0] * y[1] * y[2] * y[3])
    assert gap.expand() == 0  # expansion only: words in free letters


def norms(query: Sequence[Expr], key: Sequence[Expr], changes: Sequence[Expr]) -> Expr:
    """Sum of the four norms: lengths of the vectors 1 each for the rotations."""
    (q, q2), (k, k2) = query, key
    size, primed = [q, 1, 1, k], [q2, 1, 1, k2]
    total = 0
    for i, change in enumerate(changes):
        term = change
        for factor in [*primed[:i], *size[i + 1 :]]:
            term = term * factor
        total = total + term
    return total


@proof(
    ID,
    "norms",
    Level.EXACT,
    BOUND,
    {
        "Q and H exchanged": lambda q, h, a, b, c, d: BOUND(h, q, a, b, c, d),
        "one support term": lambda q, h, a, b, c, d: BOUND(q, h, a, b, c, 0 * d),
        "root d squared": lambda q, h, a, b, c, d: BOUND(q, h, a, b, c, d, 2),
    },
)
def test_norms_add_up(stated: Callable[..., Expr]) -> None:
    q, h, a, b, c, d = symbols("Q H eq ek Dq Dk")
    require(vanishes(norms((q, q), (h, h), (a, c, d, b)) - stated(q, h, a, b, c, d)))


@superfluous(
    ID,
    "both",
    Level.EXACT,
    lambda q, q2, k, k2, *changes: BOUND(q2, k, *changes),
    {
        "norms of the other pair": lambda q, q2, k, k2, *changes: BOUND(q, k2, *changes),
        "both of the first": lambda q, q2, k, k2, *changes: BOUND(q, k, *changes),
    },
)
def test_one_norm_of_each_pair(stated: Callable[..., Expr]) -> None:
    # |q| and |k'| appear nowhere: the sum is the bound with Q = |q'| and H = |k|.
    q, q2, k, k2, a, b, c, d = symbols("q q2 k k2 eq ek Dq Dk")
    require(vanishes(norms((q, q2), (k, k2), (a, c, d, b)) - stated(q, q2, k, k2, a, b, c, d)))


@proof(ID, "cells", Level.EXACT, lambda h, g: h + g, {"the larger": max, "half": lambda h, g: (h + g) / 2})
def test_intersecting_cells(stated: Callable[..., Fraction]) -> None:
    # [0, h] and [h, h + h'] share a point; their ends are as far apart as the sum, and the triangle inequality says no
    # more.
    h, g = Fraction(2), Fraction(3)
    for x in (Fraction(i, 4) for i in range(9)):
        for y in (h + Fraction(i, 4) for i in range(13)):
            require(at_most(y - x, stated(h, g)))
    x, y, z = symbols("x y z")
    require(vanishes((x - y) - (x - z) - (z - y)))


@proof(
    ID,
    "readout",
    Level.EXACT,
    lambda q, h, b, d: q * b + q * h * d,
    {
        "key change times H": lambda q, h, b, d: h * b + q * h * d,
        "support twice": lambda q, h, b, d: q * b + 2 * q * h * d,
    },
)
def test_fixed_readout_query(stated: Callable[..., Expr]) -> None:
    q, h, b, d = symbols("Q H ek Dk")
    require(vanishes(BOUND(q, h, 0, b, 0, d) - stated(q, h, b, d)))


@proof(ID, "norms", Level.SAMPLED, BOUND, {"a tenth": lambda *a: BOUND(*a) / 10, "NaN": nan})
def test_library(stated: Callable[..., float]) -> None:
    rng = np.random.default_rng(8)
    for _ in range(300):
        omega = rng.normal(size=(2, 1))
        q, k = rng.normal(size=(2, 4))
        scale = 10.0 ** rng.uniform(-3, 0)
        q2, k2 = q + scale * rng.normal(size=4), k + scale * rng.normal(size=4)
        places = rng.normal(size=(2, 3, 1))
        moved = places + scale * rng.normal(size=(2, 3, 1))
        u, w = position.atoms_factor(places, np.ones((2, 3)), omega)
        u2, w2 = position.atoms_factor(moved, np.ones((2, 3)), omega)
        turns = [
            min(2.0, float(np.abs(omega).max() * np.abs(m - p).mean())) for m, p in zip(moved, places, strict=True)
        ]
        change = position.averaged_score(q, k, u, w) - position.averaged_score(q2, k2, u2, w2)
        size = np.linalg.norm
        limit = stated(size(q2), size(k), size(q - q2), size(k - k2), *turns)
        require(at_most(float(abs(change)), float(limit) + 1e-12))


@tightness(ID, Level.EXACT, BOUND, {"half": lambda *a: Fraction(BOUND(*a)) / 2})
def test_each_term_alone(stated: Callable[..., object], record_property: Callable[[str, object], None]) -> None:
    # One pair, everything on the real axis: Q = 3, H = 2, score q u w k.
    base = [Fraction(3), Fraction(1), Fraction(1), Fraction(2)]
    whole = base[0] * base[3]
    require(equal(whole - 2 * base[3], stated(3, 2, 1, 0, 0, 0)))  # q' = 2
    require(equal(whole - base[0] * 1, stated(3, 2, 0, 1, 0, 0)))  # k' = 1
    require(equal(whole - base[0] * -1 * base[3], stated(3, 2, 0, 0, 2, 0)))  # the query's support half a turn away
    require(equal(whole - base[0] * -1 * base[3], stated(3, 2, 0, 0, 0, 2)))  # the key's
    record_property("claimed", "2, 3, 12, 12")
    record_property("computed", "2, 3, 12, 12")


@control(ID, "norms", Level.EXACT)
def test_longer_key() -> None:
    # q = 1, q' = 0, k = k' = 5 with H = 1: the score changes by 5, the bound says 1.
    require(below(BOUND(1, 1, 1, 0, 0, 0), 1 * 5 - 0 * 5))
