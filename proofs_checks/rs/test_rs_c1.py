"""RS Corollary 1."""

from collections.abc import Callable, Sequence

from sympy import Expr, Integer, symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.rs import c1
from refsym_theory.evidence import Level, below, equal, require

Note = Callable[[str, object], None]


def gap_of_one_layer(stated: Callable[..., Expr]) -> Expr:
    """Bound minus discrepancy, minus three terms that the triangle inequality and the hypotheses make nonnegative."""
    e, lip, eta, new, stretched, local = symbols("e L eta new stretched local")
    return stated(e, lip, eta) - new - ((stretched + local - new) + (lip * e - stretched) + (eta - local))


@proof(
    "RS.C1",
    "layer",
    Level.EXACT,
    c1.one_layer,
    {"eta stretched too": lambda e, lip, eta: lip * (e + eta), "no Lipschitz constant": lambda e, lip, eta: e + eta},
)
def test_one_layer_by_the_triangle_inequality(stated: Callable[..., Expr]) -> None:
    require(vanishes(gap_of_one_layer(stated)))


def shifted(e0: Expr, lip: Sequence[Expr], eta: Sequence[Expr]) -> Expr:
    """Product over r >= l in place of r > l."""
    return c1.product_sum(e0, lip, [error * factor for error, factor in zip(eta, lip, strict=True)])


@proof(
    "RS.C1",
    "induction",
    Level.EXACT,
    c1.product_sum,
    {
        "products from l on": shifted,
        "initial error not stretched": lambda e0, lip, eta: e0 + c1.product_sum(0, lip, eta),
    },
)
def test_one_layer_more(stated: Callable[..., Expr]) -> None:
    require(vanishes(stated(symbols("e0"), [], []) - symbols("e0")))
    for depth in range(5):
        e0, lip, eta = symbols("e0"), symbols(f"L:{depth + 1}"), symbols(f"eta:{depth + 1}")
        before = stated(e0, lip[:depth], eta[:depth])
        require(vanishes(stated(e0, lip, eta) - c1.one_layer(before, lip[depth], eta[depth])))
    # At any depth: with P = L_1 ... L_L and S = the sum, one layer more makes them L P and L S + eta.
    e0, product, total, factor, error = symbols("e0 P S L eta")
    require(
        vanishes((e0 * product * factor + total * factor + error) - c1.one_layer(e0 * product + total, factor, error))
    )


@proof("RS.C1", "doubling", Level.EXACT, lambda depth: 2**depth, {"2 L": lambda depth: 2 * depth, "NaN": nan})
def test_doubling(stated: Callable[[int], int], record_property: Note) -> None:
    require(equal(stated(0), 1))
    for depth in (0, 1, 2, 10, 48):
        require(equal(c1.product_sum(1, [2] * depth, [0] * depth), stated(depth)))
        require(equal(stated(depth + 1), 2 * stated(depth)))
        high, low = 1, 0
        for _ in range(depth):
            high, low = 2 * high, 2 * low
        require(equal(high - low, stated(depth)))
    record_property("claimed", "2^L")
    record_property("computed", f"L = 48: {2**48}")


@tightness(
    "RS.C1",
    Level.EXACT,
    c1.product_sum,
    {
        "products from l on": shifted,
        "the last error left out": lambda e0, lip, eta: c1.product_sum(e0, lip, [*eta[:-1], 0]),
    },
)
def test_linear_blocks_attain_it(stated: Callable[..., Expr], record_property: Note) -> None:
    depth = 4
    e0, lip, eta = symbols("e0"), symbols(f"L1:{depth + 1}"), symbols(f"eta1:{depth + 1}")
    coarse, fine = Integer(0), e0  # F(h) = L h, G(h) = L h + eta, alignment the identity
    for factor, error in zip(lip, eta, strict=True):
        coarse, fine = factor * coarse, factor * fine + error
    require(vanishes(fine - coarse - stated(e0, lip, eta)))
    record_property("computed", f"{depth} layers, every constant free: e_L = {(fine - coarse).expand()}")


@control("RS.C1", "lipschitz", Level.EXACT)
def test_a_block_that_stretches_more(record_property: Note) -> None:
    error = abs(3 * 1 - 3 * 0)  # G(h) = 3 h, said to have the constant 2
    require(below(c1.product_sum(1, [2], [0]), error))
    record_property("computed", f"e_1 = {error}, bound 2")


@control("RS.C1", "discrepancy", Level.EXACT)
def test_a_discrepancy_at_the_state_that_is_reached(record_property: Note) -> None:
    error = abs((1 * 0 + 1) - 0)  # F(h) = h, G(h) = h + 1, said to agree
    require(below(c1.product_sum(0, [1], [0]), error))
    record_property("computed", f"e_1 = {error}, bound 0")


@superfluous("RS.C1", "normed", Level.EXACT)
def test_three_distances_and_the_triangle_inequality() -> None:
    require(vanishes(gap_of_one_layer(c1.one_layer)))  # d(G y, R F x) <= d(G y, G R x) + d(G R x, R F x)


@superfluous("RS.C1", "everywhere", Level.EXACT)
def test_one_pair_of_states_a_layer() -> None:
    require(vanishes(gap_of_one_layer(c1.one_layer)))  # `stretched` is the distance of G at the states that are reached
    e0, factor = symbols("e0 L")  # G(h) = L h at the two states 0 and e0, whatever it is elsewhere
    require(vanishes(c1.product_sum(e0, [factor], [0]) - (factor * e0 - factor * 0)))
