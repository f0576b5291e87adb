"""Sign flips against every assignment of signs in exact integers, then invariances, methods, edges."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from refsym_stats import Flag, InputError, sign_flip

often = settings(derandomize=True, deadline=None, max_examples=150)
seldom = settings(derandomize=True, deadline=None, max_examples=30)

ALTERNATIVES = ("two-sided", "greater", "less")


def brute(values, alternative, clusters=None):
    """Share of all assignments at least as extreme, in fractions: floats are read as the rationals that they are."""
    units = {}
    for i, value in enumerate(values):
        units.setdefault(i if clusters is None else clusters[i], []).append(Fraction(value))
    sums = [sum(part) for part in units.values()]
    observed, reached = sum(sums), 0
    for signs in itertools.product((1, -1), repeat=len(sums)):
        total = sum(sign * part for sign, part in zip(signs, sums, strict=True))
        if alternative == "two-sided":
            reached += abs(total) >= abs(observed)
        else:
            reached += total >= observed if alternative == "greater" else total <= observed
    return Fraction(reached, 2 ** len(sums))


def ascents(gains, alternative):
    """The same for strict ascents, by turning whole matrices around."""

    def counted(signs):
        return sum(int((np.diff(sign * matrix, axis=-1) > 0).sum()) for sign, matrix in zip(signs, gains, strict=True))

    units = len(gains)
    observed, opposite = counted([1] * units), counted([-1] * units)
    reached = 0
    for signs in itertools.product((1, -1), repeat=units):
        up = counted(signs)
        if alternative == "two-sided":
            # The midpoint of ascents and descents; doubled, to stay in integers.
            reached += abs(2 * up - observed - opposite) >= abs(observed - opposite)
        else:
            reached += up >= observed if alternative == "greater" else up <= observed
    return Fraction(reached, 2**units)


def close(found, exact):
    assert found.p_low is None
    assert found.p_value == pytest.approx(float(exact), rel=1e-12)
    assert 10**found.log10_p == pytest.approx(float(exact), rel=1e-11)
    assert found.minimum_p <= found.p_value * (1 + 1e-12)


@often
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=10), st.sampled_from(ALTERNATIVES))
def test_small_integers_are_brute_force(values, alternative):
    close(sign_flip(values, alternative=alternative), brute(values, alternative))


@often
@given(
    st.lists(st.tuples(st.integers(-40, 40), st.integers(0, 6)), min_size=1, max_size=14), st.sampled_from(ALTERNATIVES)
)
def test_clusters_flip_together(pairs, alternative):
    values, clusters = zip(*pairs, strict=True)
    found = sign_flip(values, clusters=clusters, alternative=alternative)
    close(found, brute(values, alternative, clusters))
    assert (found.n, found.clusters) == (len(values), len(set(clusters)))


@often
@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=9),
    st.sampled_from(ALTERNATIVES),
    st.sampled_from([1.0, 0.1, 2.0**-70]),
)
def test_floats_are_the_rationals_that_they_are(values, alternative, unit):
    scaled = [value * unit for value in values]
    close(sign_flip(scaled, alternative=alternative), brute(scaled, alternative))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    "values",
    [
        [0.1, 0.2, -0.3],  # 0.1 + 0.2 is not 0.3: no tie
        [0.1, 0.1, -0.2],
        [1e16, 1.0, -1.0, 1.0],
        [1e-9, 1.0, 1.0, -1.0, 2.0],
        [0.0, 0.0, 1.0, -1.0],
        [3.5],
        [-3.5],
        [1 / 3] * 5 + [-1 / 3] * 4,
    ],
)
def test_ties_are_decided_exactly(values, alternative):
    close(sign_flip(values, alternative=alternative), brute(values, alternative))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("method", ["auto", "exact", "enclosure", "monte-carlo"])
@pytest.mark.parametrize("seed", range(4))
def test_every_method_on_one_question(method, alternative, seed):
    values = np.random.default_rng(seed).normal(0.4, 1, 10)
    exact = float(brute(values.tolist(), alternative))
    found = sign_flip(values, alternative=alternative, method=method, draws=20_000, seed=seed)
    if method == "monte-carlo":
        error = math.sqrt(exact * (1 - exact) / 20_000)
        assert found.p_value == pytest.approx(exact, abs=5 * error + 1 / 20_001)
        assert (found.draws, found.seed, found.minimum_p) == (20_000, seed, max(1 / 20_001, found.minimum_p))
    elif method == "enclosure":
        low, high = found.p_low or found.p_value, found.p_high or found.p_value
        assert low * (1 - 1e-9) <= exact <= high * (1 + 1e-9)
        assert found.p_value == high
    else:
        assert found.p_value == pytest.approx(exact, rel=1e-13)
        assert found.method == "sign flip, exact"


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_side_and_the_other_overlap_in_the_observed_sum_alone(alternative):
    values = [3, 1, -1, 2, 0, -2]
    both = sum(brute(values, side) for side in ("greater", "less"))
    signed = itertools.product(*((value, -value) for value in values))
    ties = sum(sum(parts) == sum(values) for parts in signed)
    assert both - 1 == Fraction(ties, 64)
    close(sign_flip(values, alternative=alternative), brute(values, alternative))


@seldom
@given(st.integers(0, 10**6), st.sampled_from(ALTERNATIVES), st.booleans())
def test_order_labels_zeros_and_powers_of_two_change_nothing(seed, alternative, integers):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 30))
    values = random.integers(-9, 10, n) if integers else random.normal(size=n)
    labels = random.integers(0, n, n)
    plain = sign_flip(values, clusters=labels, alternative=alternative)
    order = random.permutation(n)
    for other in (
        sign_flip(values[order], clusters=[f"c{c}" for c in labels[order]], alternative=alternative),
        sign_flip(values * 4, clusters=labels, alternative=alternative),
        sign_flip(np.r_[values, [0] * 3], clusters=np.r_[labels, [n, n + 1, n + 2]], alternative=alternative),
    ):
        assert other.p_value == pytest.approx(plain.p_value, rel=1e-12)
    turned = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    assert sign_flip(-values, clusters=labels, alternative=turned).p_value == pytest.approx(plain.p_value, rel=1e-12)
    assert 0 < plain.p_value <= 1


@seldom
@given(st.integers(0, 10**6))
def test_duplicating_every_cluster_with_its_label_changes_nothing(seed):
    random = np.random.default_rng(seed)
    values, labels = random.integers(-3, 4, 20), random.integers(0, 12, 20)
    plain = sign_flip(values, clusters=labels)
    # The units are the same, each twice as large.
    assert sign_flip(np.tile(values, 2), clusters=np.tile(labels, 2)).p_value == pytest.approx(plain.p_value, rel=1e-12)


def test_the_halves_and_the_lattice_answer_alike():
    random = np.random.default_rng(2)
    values = random.integers(-(10**6), 10**6, 30)
    for alternative in ALTERNATIVES:
        lattice = sign_flip(values, alternative=alternative)
        # A shift of binary places beyond the lattice's reach leaves them real numbers.
        real = sign_flip(np.ldexp(values.astype(float), -40), alternative=alternative)
        assert real.p_value == pytest.approx(lattice.p_value, rel=1e-11)


def test_thirty_seeds_of_one_sign_are_the_papers_values():
    gains = np.random.default_rng(0).uniform(0.1, 1, 30)
    assert sign_flip(gains, alternative="greater").p_value == pytest.approx(2.0**-30, rel=1e-13)
    assert f"{sign_flip(gains, alternative='greater').p_value:.1e}" == "9.3e-10"
    assert sign_flip(gains).p_value == pytest.approx(2.0**-29, rel=1e-13)
    assert sign_flip(gains, alternative="less").p_value == 1.0
    assert sign_flip(gains, alternative="greater").minimum_p == pytest.approx(2.0**-30, rel=1e-13)
    assert sign_flip(gains).minimum_p == pytest.approx(2.0**-29, rel=1e-13)
    assert sign_flip(np.arange(1, 11)).p_value == pytest.approx(2 / 1024, rel=1e-13)


def test_averages_of_counts_are_read_as_the_floats_they_are_and_flagged():
    # Sums of five seeds, averaged: in floats 3/5 - 2/5 - 1/5 is not zero, and ties break.
    sums = np.array([2, 1, 0, -2, -1, -3, -3, -3, -2, 2, 1, 3])
    exact = sign_flip(sums)
    averaged = sign_flip(sums / 5)
    assert exact.flags == ()
    assert averaged.flags == (Flag.ROUNDED_FRACTIONS,)
    assert averaged.p_value == pytest.approx(float(brute((sums / 5).tolist(), "two-sided")), rel=1e-12)
    assert exact.p_value == pytest.approx(float(brute(sums.tolist(), "two-sided")), rel=1e-12)
    assert averaged.p_value != pytest.approx(exact.p_value, rel=1e-3)
    # Halves and quarters are exact in binary: no flag, and no difference.
    assert sign_flip(sums / 4).p_value == exact.p_value
    assert sign_flip(sums / 4).flags == ()


def test_ten_thousand_signs_are_the_binomial_law():
    gains, losses = 5_300, 4_700
    values = [1] * gains + [-1] * losses + [0] * 777
    for alternative in ALTERNATIVES:
        peer = stats.binomtest(gains, gains + losses, alternative=alternative).pvalue
        assert sign_flip(values, alternative=alternative).p_value == pytest.approx(peer, rel=1e-11)


def test_a_p_value_that_underflows_keeps_its_logarithm():
    found = sign_flip([1] * 5_000)
    assert found.flags == (Flag.UNDERFLOW,)
    assert found.log10_p == pytest.approx(-4_999 * math.log10(2), rel=1e-12)
    assert found.p_value == pytest.approx(np.finfo(float).tiny)
    mixed = sign_flip([1] * 5_000 + [-1] * 50)
    exact = Fraction(2 * sum(math.comb(5_050, k) for k in range(51)), 2**5_050)
    log10 = math.log10(exact.numerator) - math.log10(exact.denominator)
    assert mixed.log10_p == pytest.approx(log10, rel=1e-12)


def test_many_real_differences_are_enclosed_within_a_percent():
    values = np.random.default_rng(4).normal(0.06, 1, 2_290)
    found = sign_flip(values)
    assert found.method == "sign flip, certified enclosure"
    assert 1e-6 < found.p_low < found.p_high < found.p_low * 1.01
    assert found.p_value == found.p_high
    assert found.flags == ()
    normal = 2 * stats.norm.sf(abs(values.sum()) / math.sqrt((values**2).sum()))
    assert found.p_low == pytest.approx(normal, rel=0.05)
    sampled = sign_flip(values, method="monte-carlo", draws=200_000, seed=1).p_value
    assert sampled == pytest.approx(found.p_low, abs=5 * math.sqrt(found.p_low / 200_000))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_an_enclosure_holds_the_exact_value_of_a_lattice(alternative):
    values = np.random.default_rng(6).integers(-50, 60, 400)
    exact = sign_flip(values, alternative=alternative)
    found = sign_flip(values, alternative=alternative, method="enclosure")
    low, high = found.p_low or found.p_value, found.p_high or found.p_value
    assert low * (1 - 1e-9) <= exact.p_value <= high * (1 + 1e-9)


def test_monte_carlo_counts_the_observed_assignment():
    found = sign_flip([1] * 40, method="monte-carlo", draws=999, seed=1)
    assert (found.p_value, found.minimum_p) == (1 / 1000, 1 / 1000)
    few = sign_flip([1, 1, 1], method="monte-carlo", draws=999, seed=1)
    assert few.minimum_p == 0.25
    values = np.random.default_rng(0).normal(size=50)
    first = sign_flip(values, method="monte-carlo", draws=3_000, seed=5)
    for workers in (1, 2, 7):
        again = sign_flip(values, method="monte-carlo", draws=3_000, seed=5, workers=workers)
        assert again == first
    shuffled = sign_flip(np.random.default_rng(1).permutation(values), method="monte-carlo", draws=3_000, seed=5)
    assert shuffled.p_value == first.p_value
    assert sign_flip(values, method="monte-carlo", draws=3_000, seed=6).p_value != first.p_value


@seldom
@given(st.integers(0, 10**6), st.sampled_from(ALTERNATIVES))
def test_ascents_are_brute_force_with_ties_that_stay_ties(seed, alternative):
    random = np.random.default_rng(seed)
    units, shape = int(random.integers(1, 9)), tuple(random.integers(1, 4, random.integers(0, 2)))
    gains = random.integers(-2, 3, (units, *shape, int(random.integers(2, 5))))
    found = sign_flip(gains, statistic="ascents", alternative=alternative)
    close(found, ascents(gains, alternative))
    assert found.estimate * units == (np.diff(gains, axis=-1) > 0).sum()
    # Only the order within a row counts.
    squeezed = sign_flip(np.cbrt(gains) * 1e-3 + 7, statistic="ascents", alternative=alternative)
    assert squeezed.p_value == found.p_value


def test_thirty_seeds_that_all_ascend():
    gains = np.cumsum(np.ones((30, 4)), axis=1)
    found = sign_flip(gains, statistic="ascents", alternative="greater")
    assert (found.p_value, found.estimate) == (pytest.approx(2.0**-30, rel=1e-13), 3.0)
    level = sign_flip(np.ones((30, 4)), statistic="ascents")
    assert (level.p_value, level.flags, level.estimate) == (1.0, (Flag.ALL_ZERO,), 0.0)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("values", [[0], [0, 0, 0], [0.0], [1, -1]])
def test_where_all_is_zero_nothing_is_shown(values, alternative):
    clusters = ["a"] * len(values)
    found = sign_flip(values, clusters=clusters, alternative=alternative)
    assert (found.p_value, found.minimum_p, found.log10_p) == (1.0, 1.0, 0.0)
    assert found.flags == (Flag.ALL_ZERO,)


@pytest.mark.parametrize(("value", "alternative", "p"), [(3, "two-sided", 1.0), (3, "greater", 0.5), (3, "less", 1.0)])
def test_one_unit(value, alternative, p):
    for typed in (value, float(value), value * math.pi):
        assert sign_flip([typed], alternative=alternative).p_value == p


def test_large_integers_are_exact():
    values = [10**7 + i for i in range(12)] + [-(10**7)] * 3
    close(sign_flip(values), brute(values, "two-sided"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sign_flip([]), "no values"),
        (lambda: sign_flip([1, np.nan]), "value 2 is nan"),
        (lambda: sign_flip([1e300]), "value 1 is 1e\\+300"),
        (lambda: sign_flip([[1, 2]]), "one axis of differences"),
        (lambda: sign_flip([1], alternative="up"), "alternative 'up': one of two-sided, greater, less"),
        (lambda: sign_flip([1], method="fft"), "'fft': one of auto, exact, enclosure, monte-carlo"),
        (lambda: sign_flip([1], statistic="mean"), "'mean': one of sum, ascents"),
        (lambda: sign_flip([1, 2], clusters=["a"]), "2 labels are needed"),
        (lambda: sign_flip([1], method="monte-carlo", draws=0), "draws 0"),
        (lambda: sign_flip([2**62, 2**62]), "2\\^53"),
        (lambda: sign_flip(np.random.default_rng(0).normal(size=90), method="exact"), "90 real differences have no"),
        (lambda: sign_flip([1, 2], statistic="ascents"), "at least two steps"),
        (lambda: sign_flip([[1], [2]], statistic="ascents"), "at least two steps"),
        (lambda: sign_flip([[1, 2]], statistic="ascents", clusters=["a"]), "clusters do not apply"),
    ],
)
def test_bad_input_is_one_clear_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
