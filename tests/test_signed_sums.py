"""The four ways to the tail of a signed sum, against big integers, brute force and each other."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refsym_stats.signed_sums import halves, lattice, sampling, smoothing
from refsym_stats.signed_sums.tail import Tail

seldom = settings(derandomize=True, deadline=None, max_examples=60)


def all_sums(sizes):
    """Every signed sum, as exact integers or fractions."""
    sums = [0]
    for size in sizes:
        sums = [s + size for s in sums] + [s - size for s in sums]
    return sums


def at_least(sizes, target):
    return Fraction(sum(s >= target for s in all_sums(sizes)), 2 ** len(sizes))


def counted(values, target):
    """P(T >= target) of integers by Kronecker substitution: prod (1 + x^v) at a power of two, digits added up."""
    width = len(values) + 2
    law = 1
    for v in values:
        law += law << (v * width)
    k = -(-(target + sum(values)) // 2)
    # Digits sum to at most 2^n, below the base minus one: their sum is the rest by it.
    return Fraction((law >> (k * width)) % ((1 << width) - 1), 2 ** len(values))


def log(p):
    return math.log(p.numerator) - math.log(p.denominator)


def on_lattice(values, target):
    distinct, counts = np.unique(np.array(values), return_counts=True)
    return lattice.upper_tail(distinct, counts, target)


def test_the_oracles_agree():
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = rng.integers(1, 9, int(rng.integers(1, 10))).tolist()
        for target in range(1, sum(values) + 1):
            assert counted(values, target) == at_least(values, target)


@seldom
@given(st.lists(st.integers(1, 40), min_size=1, max_size=11), st.integers(1, 5))
def test_the_lattice_law_of_a_few_integers_is_brute_force(values, step):
    values = [v * step for v in values]
    for target in sorted({1, 2, sum(values) // 3 + 1, sum(values) // 2 + 1, sum(values) - 1, sum(values)} - {0}):
        expected = at_least(values, target)
        found = on_lattice(values, target)
        if expected == 0:
            assert found == Tail.never()
            continue
        assert found.log_low <= log(expected) + 1e-15
        assert found.log_high >= log(expected) - 1e-15
        # Twelve digits wherever the law has few atoms.
        assert found.log_high - found.log_low < 1e-9
        assert (found.log_low + found.log_high) / 2 == pytest.approx(log(expected), abs=1e-11)


@pytest.mark.parametrize("name", ["ones", "small", "mixed", "dominated", "sparse", "even", "pairs"])
def test_the_lattice_law_keeps_its_digits_down_its_tail(name):
    rng = np.random.default_rng(1)
    values = {
        "ones": [1] * 1200,
        "small": rng.integers(1, 6, 500).tolist(),
        "mixed": [*rng.integers(1, 4, 300).tolist(), 50, 51, 170],
        "dominated": [1] * 200 + [1500],
        "sparse": [7, 1000, 1003] * 8 + [1] * 20,
        "even": (2 * rng.integers(1, 9, 250)).tolist(),
        "pairs": [3, 5] * 150,
    }[name]
    total = sum(values)
    low, seen = 0.0, []
    for share in (0.001, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0):
        # Attained targets: the observed sum always is one, and has the parity of the total.
        target = max(1, int(total * share))
        target += (total - target) % 2
        expected = counted(values, target)
        found = on_lattice(values, target)
        middle = (found.log_low + found.log_high) / 2
        assert found.log_low - 1e-12 <= log(expected) <= found.log_high + 1e-12
        # The brief's bar: log10 p to a relative 1e-9, and p itself to 1e-9.
        assert middle == pytest.approx(log(expected), abs=1e-9, rel=1e-12)
        low = min(low, log(expected))
        seen.append(middle)
    assert (np.diff(seen) < 1e-12).all()
    if name == "ones":
        # Far below what a float holds.
        assert low / math.log(10) < -360


def test_tails_around_1e_300_and_below_have_nine_digits():
    values = [1] * 700 + [2] * 600
    for negatives in (10, 60, 120, 200):
        target = sum(values) - 2 * negatives
        found, expected = on_lattice(values, target), counted(values, target)
        assert found.log_high / math.log(10) < -180
        assert found.log_high == pytest.approx(log(expected), rel=1e-12, abs=1e-9)
        assert found.log_low == pytest.approx(log(expected), rel=1e-12, abs=1e-9)


def test_folding_the_period_over_changes_no_digit():
    # The period, 12 roots of the sum of squares, is a sixth of the total: what it folds over must not show.
    distinct, counts = np.array([1]), np.array([6000])
    assert lattice.frequencies(distinct, counts) < 6000 / 6
    term, tail, exact = 1, 0, {}
    for i in range(6000, 3000, -1):
        # The number of assignments with i pluses.
        tail, term = tail + term, term * i // (6001 - i)
        exact[2 * i - 6000] = Fraction(tail, 2**6000)
    for target in (2, 100, 400, 1500):
        found = lattice.upper_tail(distinct, counts, target)
        assert found.log_high == pytest.approx(log(exact[target]), rel=1e-12, abs=1e-9)


@seldom
@given(st.integers(0, 10**6), st.integers(1, 16), st.integers(0, 110), st.booleans())
def test_meeting_in_the_middle_is_brute_force(seed, n, span, strictly):
    rng = np.random.default_rng(seed)
    n = min(n, 11) if seed % 4 else n
    # Sizes up to 2^span apart, with repeats so that there are ties.
    values = np.ldexp(rng.normal(size=n), rng.integers(-span, 1, n))
    values[rng.random(n) < 0.3] = values[0]
    values *= rng.choice([-1, 1], n)
    assert halves.fits(values)
    exact = [Fraction(v) for v in values.tolist()]
    sums = all_sums([abs(v) for v in exact])
    size = abs(sum(exact))
    hits = sum(s > size if strictly else s >= size for s in sums)
    assert halves.upper_tail(values, strictly=strictly) == Fraction(hits, 2**n)


@pytest.mark.parametrize("values", [[1e-300, 1.0, 2.0, -3.0], [1e150, 1e-150, -1e150, 1e-150], [5e-324, 1.0, -1.0]])
def test_sizes_too_far_apart_for_two_limbs_stay_exact(values):
    exact = [Fraction(v) for v in values]
    expected = at_least([abs(v) for v in exact], abs(sum(exact)))
    assert halves.upper_tail(np.array(values)) == expected


def test_the_long_integers_and_the_two_limbs_count_the_same():
    values = np.random.default_rng(8).normal(size=20)
    tiny = np.append(values, 1e-200)
    # One more difference, too small to matter unless there is a tie: twice the count.
    assert halves.upper_tail(tiny) == halves.upper_tail(values)
    assert halves.upper_tail(np.append(values, 0.0625)) != halves.upper_tail(values)


def test_carries_between_the_limbs_are_right():
    # Sums that straddle 2^62 units, with lower limbs full or empty.
    for parts in ([2**62, 2**62 - 1, 1, 1], [2**63 - 2**10, 2**62, 2**62], [3 * 2**61, 2**61, 1, 2**62 + 2**15]):
        values = np.array([float(p) for p in parts if float(p) == p] + [1.0, 1.0, 3.0])
        exact = [int(v) for v in values]
        for signs in ([1] * len(exact), [-1, *[1] * (len(exact) - 1)], [1, -1, *[1] * (len(exact) - 2)]):
            signed = np.array(signs) * values
            target = abs(sum(s * v for s, v in zip(signs, exact, strict=True)))
            for strictly in (False, True):
                assert halves.upper_tail(signed, strictly=strictly) == at_least(exact, target + strictly)


@pytest.mark.parametrize("n", [1, 2, 17, 30])
def test_integers_read_as_floats_give_the_lattice_laws_answer(n):
    rng = np.random.default_rng(n)
    values = rng.integers(1, 30, n)
    signed = values * rng.choice([-1, 1], n)
    target = abs(int(signed.sum())) or 1
    signed[0] += 0 if signed.sum() else 1
    values = np.abs(signed)
    values, target = values[values > 0], abs(int(signed.sum()))
    signed = signed[signed != 0]
    expected = counted(values.tolist(), target)
    assert halves.upper_tail(signed.astype(float)) == expected
    assert halves.upper_tail(signed) == expected
    assert math.exp(on_lattice(values, target).log_high) == pytest.approx(float(expected), rel=1e-10)


def test_what_fits_the_two_limbs():
    rng = np.random.default_rng(0)
    assert halves.fits(rng.normal(size=halves.MOST))
    assert not halves.fits(rng.normal(size=halves.MOST + 1))
    # Beyond 36 differences sizes must be within 2^122 units of each other.
    wide = rng.normal(size=halves.WIDE_MOST + 1)
    wide[0] = 1e-60
    assert not halves.fits(wide)
    assert halves.fits(wide[1:])
    assert halves.fits(wide[: halves.WIDE_MOST])


HEAVY = {
    "normal": lambda rng, n: rng.normal(size=n),
    "cauchy": lambda rng, n: rng.standard_cauchy(size=n),
    "dominated": lambda rng, n: np.append(rng.normal(size=n - 1), 5.0 * n),
    "equal": lambda rng, n: rng.choice([-1.1, 1.1], n),
    "two sizes": lambda rng, n: rng.choice([-1.1, 1.1, 0.37, -0.37], n),
    "tiny and large": lambda rng, n: np.where(rng.random(n) < 0.5, 1e-9, 1.0) * rng.normal(size=n),
    "large tail": lambda rng, n: np.abs(rng.normal(size=n)) * rng.choice([-1, 1], n, p=[0.1, 0.9]),
    "exponents": lambda rng, n: 10 ** rng.uniform(-8, 0, n) * rng.choice([-1, 1], n),
}


@pytest.mark.parametrize("name", HEAVY)
def test_the_enclosure_contains_the_exact_tail(name):
    rng = np.random.default_rng(len(name))
    for _ in range(8):
        n = int(rng.integers(20, 35))
        values = HEAVY[name](rng, n)
        if (values > 0).all() or (values < 0).all() or not sum(halves.units(values)):
            continue
        exact = halves.upper_tail(values)
        above = halves.upper_tail(values, strictly=True)
        found = smoothing.upper_tail(np.abs(values), abs(math.fsum(values)))
        # Of P(T >= t) and, since it cannot tell ties, of P(T > t) too.
        assert found.log_low <= (log(above) if above else -math.inf) <= log(exact) <= found.log_high
        if name == "normal":
            assert found.log_high - found.log_low < 0.01


@pytest.mark.parametrize("shift", [0.03, 0.09])
def test_the_enclosure_is_narrow_and_right_for_the_studys_clusters(shift):
    rng = np.random.default_rng(0)
    # Integers up to 1,000 times a constant that no lattice sees: the lattice law has the exact answer.
    whole = np.rint(rng.normal(1000 * shift, 1000, 2290)).astype(np.int64)
    whole = whole[whole != 0]
    distinct, counts = np.unique(np.abs(whole), return_counts=True)
    exact = lattice.upper_tail(distinct, counts, abs(int(whole.sum())))
    found = smoothing.upper_tail(np.abs(whole).astype(float), float(abs(whole.sum())))
    assert found.log_low < exact.log_low < exact.log_high < found.log_high
    # The bar: 1% for p >= 1e-6.
    assert (exact.high > 0.05) == (shift == 0.03)
    assert exact.low > 1e-6
    assert found.log_high - found.log_low < 0.01


def test_the_enclosure_of_a_far_tail_contains_it():
    whole = np.concatenate([np.arange(1, 201), -np.arange(1, 21)])
    distinct, counts = np.unique(np.abs(whole), return_counts=True)
    exact = lattice.upper_tail(distinct, counts, int(whole.sum()))
    found = smoothing.upper_tail(np.abs(whole) * 1.0, float(whole.sum()))
    assert exact.high < 1e-30
    assert found.log_low < exact.log_low < exact.log_high < found.log_high
    assert found.log_high - found.log_low < 1


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e190])
def test_the_enclosure_does_not_see_units(scale):
    values = np.random.default_rng(4).normal(0.2, 1, 80)
    one = smoothing.upper_tail(np.abs(values), abs(math.fsum(values)))
    other = smoothing.upper_tail(np.abs(values * scale), abs(math.fsum(values * scale)))
    assert (other.log_low, other.log_high) == pytest.approx((one.log_low, one.log_high), abs=1e-9)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 33])
def test_sampled_assignments_have_the_law_of_fair_signs(n):
    rng = np.random.default_rng(n)
    whole = rng.integers(-9, 10, n)
    whole[whole == 0] = 4
    share = at_least(np.abs(whole[:14]).tolist(), max(1, abs(int(whole[:14].sum())))) if n <= 14 else None
    for two_sided in (False, True):
        hits = sampling.at_least(np.abs(whole), two_sided, 4096, 0)
        # All plus: one assignment, or two.
        p = (1 + two_sided) / 2**n
        assert abs(hits - 4096 * p) <= 4.5 * math.sqrt(4096 * p * (1 - p)) + (1 if n > 30 else 0)
    if share and whole.sum() > 0:
        hits = sampling.at_least(whole, False, 4096, 0)
        assert abs(hits - 4096 * share) <= 4.5 * math.sqrt(4096 * share * (1 - share))


def test_sampled_ties_count():
    whole = np.array([1, 2, -3, 7, -7])
    assert sampling.at_least(whole, True, 512, 0) == 512
    one_sided = sampling.at_least(whole, False, 512, 0)
    assert one_sided == sampling.at_least(whole[::-1], False, 512, 0)
    # Ties are 7/32 of the law: 112 of 512 draws.
    assert abs(one_sided - 512 * at_least([1, 2, 3, 7, 7], 0)) < 4.5 * 11.3
    # Read as floats, in units whose sum is not a power of two.
    for unit in (0.125, 3 * 2.0**-40, 1e-9):
        assert sampling.at_least(whole * unit, True, 512, 0) == 512
        assert sampling.at_least(whole * unit, False, 512, 0) == one_sided
