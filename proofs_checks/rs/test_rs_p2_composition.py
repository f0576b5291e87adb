"""RS Appendix A.1: composition, sums, pointwise maps."""

from collections.abc import Callable
from itertools import product
from typing import Any

from sympy import Matrix, symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.p2_composition import compose
from refsym_theory.evidence import Level, require

COPY = (0, 2)
"""R: each coarse state as a fine one."""

Layer = tuple[tuple[int, ...], tuple[int, ...]]


def covariant(layer: Layer) -> bool:
    coarse, fine = layer
    return compose(fine, COPY) == compose(COPY, coarse)


LAYERS: list[Layer] = [(coarse, fine) for coarse in product(range(2), repeat=2) for fine in product(range(3), repeat=3)]


@proof(
    "RS.P2-composition",
    "compose",
    Level.EXACT,
    lambda outer, inner: (compose(outer[0], inner[0]), compose(outer[1], inner[1])),
    {
        "orders exchanged on one side": lambda outer, inner: (compose(inner[0], outer[0]), compose(outer[1], inner[1])),
        "inner layer left out on the fine side": lambda outer, inner: (compose(outer[0], inner[0]), outer[1]),
    },
)
def test_every_pair_of_covariant_layers(stated: Callable[..., Layer]) -> None:
    good = [layer for layer in LAYERS if covariant(layer)]
    assert len(good) == 4 * 3  # the coarse map is free, and so is the image of the fine state that is no copy
    for outer, inner in product(good, repeat=2):
        assert covariant(stated(outer, inner))


@proof(
    "RS.P2-composition", "sum", Level.EXACT, lambda r, x: r * x, {"affine copy": lambda r, x: r * x + Matrix([1, 0, 0])}
)
def test_copying_is_linear(stated: Callable[..., Any]) -> None:
    r = Matrix([[1, 0], [1, 0], [0, 1]])
    x, y = Matrix(symbols("x:2")), Matrix(symbols("y:2"))
    c = symbols("c")
    for entry in stated(r, x + c * y) - stated(r, x) - c * stated(r, y):
        require(vanishes(entry))


@proof("RS.P2-composition", "pointwise", Level.EXACT, lambda f, h, m: f[h], {"mass added": lambda f, h, m: f[h] + m})
def test_a_map_of_the_content(stated: Callable[..., int]) -> None:
    for f in product(range(3), repeat=3):
        for h, mass, parts in product(range(3), (6, 12), (2, 3)):
            assert stated(f, h, mass // parts) == stated(f, h, mass)


@control("RS.P2-composition", "covariant", Level.EXACT)
def test_a_layer_that_is_not() -> None:
    inner: Layer = ((0, 1), (1, 1, 2))  # its fine side moves the copy of state 0
    outer: Layer = ((0, 1), (0, 1, 2))
    assert not covariant(inner)
    assert covariant(outer)
    assert not covariant((compose(outer[0], inner[0]), compose(outer[1], inner[1])))
