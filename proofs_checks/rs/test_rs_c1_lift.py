"""RS B.3: the lift to a common index set."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from marks import control, proof, refutation
from refsym_theory.claims.rs import c1_lift, t1
from refsym_theory.evidence import Level, Truth, equal, require

Note = Callable[[str, object], None]
HALF = Fraction(1, 2)


def total_mass(m: Expr, total: Expr) -> Expr:
    """Mass of the copies of a token of mass m when the lift has the masses M gamma."""
    return total * (m / total)


@proof("RS.C1-lift", "split", Level.EXACT, total_mass, {"masses gamma": lambda m, total: m / total})
def test_masses_of_the_copies_add_up_to_the_parent(stated: Callable[..., Expr]) -> None:
    m, total = symbols("m M")
    require(vanishes(stated(m, total) - m))


@proof("RS.C1-lift", "attention", Level.EXACT, t1.entry, {"mass left out": lambda m, k: k})
def test_attention_on_copies(stated: Callable[..., Expr]) -> None:
    m, more, k, total, z, z_v = symbols("m more k M Z Z_v")
    require(vanishes(stated(m, k) + stated(more, k) - stated(m + more, k)))  # one copy more of a token
    require(vanishes(stated(m / total, k) - stated(m, k) / total))  # and 1/M leaves both sums,
    require(vanishes((z_v / total) / (z / total) - z_v / z))  # so their quotient stays


@proof("RS.C1-lift", "attention", Level.EXACT, (0, 1), {"the other side's states": (1, 0)})
def test_attention_on_a_non_nested_pair(stated: tuple[int, int]) -> None:
    gamma = dict(zip([(0, 0), (0, 1), (1, 1), (1, 2)], symbols("g:4"), strict=True))
    states = [symbols("h:2"), symbols("h':3")]
    for side in (0, 1):
        k, v = ([symbols(f"{name}{h}") for h in states[side]] for name in "kv")
        copied = [pair[stated[side]] for pair in gamma]
        require(equal(max(copied), len(v) - 1))
        lifted = t1.attention(list(gamma.values()), [k[c] for c in copied], [v[c] for c in copied])
        require(vanishes(lifted - t1.attention(t1.marginal(gamma, side), k, v)))


@proof("RS.C1-lift", "network", Level.EXACT, lambda f, g, h: g(f(h)), {"layers exchanged": lambda f, g, h: f(g(h))})
def test_two_layers_on_copies(stated: Callable[..., Expr]) -> None:
    # A block reproduces its layer when it gives every copy what the layer gave the parent; then the next block gets
    # copied states again. Here with two layers that do not commute, a token and any one of its copies.
    h, a = symbols("h a")
    parent = (h + a) ** 2
    copy = stated(lambda x: x + a, lambda x: x**2, h)
    require(vanishes(copy - parent))


COARSE = [(Fraction(1), 1), (Fraction(1), 0)]
SAME = {(0, 0): HALF, (1, 1): HALF}
"""Two tokens of mass 1, the states 1 and 0, and the same partition twice."""


@refutation("RS.C1-lift", Level.EXACT, Fraction(1), {"the corrected masses M gamma": Fraction(2)})
def test_a_block_that_feels_the_total_mass(stated: Fraction, record_property: Note) -> None:
    before = c1_lift.length_scaled(COARSE)
    after = c1_lift.length_scaled(c1_lift.lifted([1, 0], SAME, 0, stated))
    require(equal(before[0], Fraction(2, 3)))
    # The block preserves identical splits: the second token in pieces of any masses with sum 1.
    for piece in (HALF, Fraction(1, 5)):
        split = c1_lift.length_scaled([COARSE[0], (piece, 0), (1 - piece, 0)])
        require(equal(split[0], before[0]))
    assert equal(after[0], before[0]) is Truth.FALSE, "the lift reproduces the block"
    record_property("claimed", "the lift with masses γ represents the computation exactly")
    record_property("computed", f"masses (1, 1), kernel M^h: {before[0]}, lifted {after[0]}")


@proof("RS.C1-lift", "split", Level.EXACT, Fraction(2), {"masses gamma": Fraction(1), "masses M^2 gamma": Fraction(4)})
def test_corrected_masses_reproduce_that_block(stated: Fraction) -> None:
    finer = {(0, 0): Fraction(1, 6), (0, 1): Fraction(1, 3), (1, 1): Fraction(1, 8), (1, 2): Fraction(3, 8)}
    for gamma in (SAME, finer):
        assert c1_lift.reproduces(c1_lift.length_scaled, COARSE, gamma, stated)


@control("RS.C1-lift", "splits", Level.EXACT)
def test_a_block_that_counts(record_property: Note) -> None:
    gamma = {(0, 0): HALF, (1, 0): Fraction(1, 4), (1, 1): Fraction(1, 4)}
    before = c1_lift.counting(COARSE)
    after = c1_lift.counting(c1_lift.lifted([1, 0], gamma, 0, Fraction(2)))
    assert equal(after[0], before[0]) is Truth.FALSE
    record_property("computed", f"mean over tokens: {before[0]}, lifted {after[0]}")
