"""McNemar's test against scipy, statsmodels, fractions and mpmath; Tango's interval against the score test itself."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from refsym_stats import Flag, InputError, mcnemar_exact, paired_t

counts = st.integers(0, 60)
seldom = settings(derandomize=True, deadline=None, max_examples=150)


def tail(k, n):
    """P(X <= k) as a fraction."""
    return Fraction(sum(math.comb(n, i) for i in range(k + 1)), 2**n)


@seldom
@given(counts, counts)
def test_the_exact_test_is_the_binomial_test(gains, losses):
    found = mcnemar_exact(gains, losses)
    if gains + losses:
        expected = stats.binomtest(gains, gains + losses).pvalue
        # binomtest itself rounds at 1e-12.
        assert found.p_value == pytest.approx(expected, rel=1e-11)
    peer = mcnemar([[5, gains], [losses, 7]], exact=True)
    assert found.p_value == pytest.approx(float(peer.pvalue), rel=1e-11)
    for alternative, k in (("greater", losses), ("less", gains)):
        one_sided = mcnemar_exact(gains, losses, alternative=alternative).p_value
        assert one_sided == pytest.approx(float(tail(k, gains + losses)), rel=1e-12)


@seldom
@given(counts, counts)
def test_mid_p_is_its_definition(gains, losses):
    n, small = gains + losses, min(gains, losses)
    mass = Fraction(math.comb(n, small), 2**n)
    two_sided = min(Fraction(1), 2 * tail(small, n) - mass) if n else Fraction(1)
    assert mcnemar_exact(gains, losses, mid_p=True).p_value == pytest.approx(float(two_sided), rel=1e-12)
    if n:
        greater = tail(losses, n) - mass / 2
        found = mcnemar_exact(gains, losses, mid_p=True, alternative="greater")
        assert found.p_value == pytest.approx(float(greater), rel=1e-12)
        assert found.p_value < mcnemar_exact(gains, losses, alternative="greater").p_value


def test_nothing_discordant_is_one_with_a_flag_never_an_error():
    for alternative in ("two-sided", "greater", "less"):
        for mid_p in (False, True):
            found = mcnemar_exact(0, 0, alternative=alternative, mid_p=mid_p)
            assert (found.p_value, found.minimum_p, found.flags) == (1.0, 1.0, (Flag.NO_DISCORDANT,))


@pytest.mark.parametrize("n", [1, 2, 9, 10, 1001])
def test_p_is_capped_at_one(n):
    assert mcnemar_exact(n // 2, n - n // 2).p_value == 1.0
    assert mcnemar_exact(n // 2, n - n // 2, mid_p=True).p_value <= 1.0


@pytest.mark.parametrize("mid_p", [False, True])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_minimum_p_is_the_smallest_that_any_split_reaches(mid_p, alternative):
    for n in (1, 2, 5, 12):
        split = [mcnemar_exact(k, n - k, mid_p=mid_p, alternative=alternative) for k in range(n + 1)]
        assert {found.minimum_p for found in split} == {min(found.p_value for found in split)}


@pytest.mark.parametrize(
    ("gains", "losses"), [(5_000_000, 5_000_000), (5_003_000, 4_997_000), (5_050_000, 4_950_000), (9_999_000, 1_000)]
)
def test_ten_million_discordant_pairs(gains, losses):
    n, k = gains + losses, min(gains, losses)
    with mp.workdps(40):
        log_mass = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1) - n * mp.log(2)
        term, total, i = mp.mpf(1), mp.mpf(1), k
        while i and term > mp.mpf(10) ** -25:
            term *= mp.mpf(i) / (n - i + 1)
            total, i = total + term, i - 1
        log10_p = float(mp.log10(2 * total) + log_mass / mp.log(10))
    found = mcnemar_exact(gains, losses)
    if gains == losses:
        assert found.p_value == 1.0
        return
    # betainc, and betaln below what a float holds, lose log2(n log 2) digits to cancellation.
    assert found.log10_p == pytest.approx(log10_p, abs=2e-8)
    assert found.p_value > 0
    assert (Flag.UNDERFLOW in found.flags) == (log10_p < -307.66)
    assert 0 < found.minimum_p < 1e-307


@pytest.mark.parametrize("mid_p", [False, True])
def test_logarithms_are_exact_on_both_sides_of_the_underflow(mid_p):
    for losses in (0, 1, 5, 40):
        for n in (1000, 1030, 1100, 1300, 3000):
            p = 2 * tail(losses, n) - (Fraction(math.comb(n, losses), 2**n) if mid_p else 0)
            expected = (math.log(p.numerator) - math.log(p.denominator)) / math.log(10)
            found = mcnemar_exact(n - losses, losses, mid_p=mid_p)
            assert found.log10_p == pytest.approx(expected, rel=1e-12)
            assert (found.p_value > 1e-300) == (expected > -300)


@pytest.mark.parametrize(
    ("gains", "losses", "printed"),
    [
        (55, 63, "0.52"),  # RS table 1
        (90, 111, "0.16"),
        (0, 0, "1.000"),  # RS table 10
        (6, 3, "0.508"),
        (0, 3, "0.250"),
        (10, 14, "0.541"),
        (17, 10, "0.248"),
        (87, 67, "0.125"),
        (23, 32, "0.28"),  # RS section 5 and G.4
        (3, 1, "0.625"),  # UG section 4
    ],
)
def test_the_papers_p_values(gains, losses, printed):
    assert f"{mcnemar_exact(gains, losses).p_value:.{len(printed) - 2}f}" == printed


@pytest.mark.parametrize(
    ("n", "gains", "losses", "printed"),
    [
        (120, 6, 3, ("+2.50", "-2.45", "+7.45")),
        (360, 0, 3, ("-0.83", "-1.78", "+0.11")),
        (360, 10, 14, ("-1.11", "-3.79", "+1.57")),
        (2786, 17, 10, ("+0.25", "-0.11", "+0.62")),
        (2786, 87, 67, ("+0.72", "-0.16", "+1.59")),
    ],
)
def test_the_t_intervals_of_table_10(n, gains, losses, printed):
    found = mcnemar_exact(gains, losses, n=n, interval="t")
    assert tuple(f"{100 * x:+.2f}" for x in (found.estimate, found.low, found.high)) == printed
    items = paired_t([1] * gains + [-1] * losses + [0] * (n - gains - losses))
    assert (found.low, found.high, found.standard_error) == pytest.approx(
        (items.low, items.high, items.standard_error), rel=1e-12
    )


@pytest.mark.parametrize(("n", "gains", "losses"), [(1, 1, 0), (5, 0, 0), (5, 5, 0), (5, 0, 5), (1, 0, 0)])
def test_the_t_interval_is_undefined_without_variation_and_the_score_interval_is_not(n, gains, losses):
    t, score = (mcnemar_exact(gains, losses, n=n, interval=kind) for kind in ("t", "score"))
    assert (t.standard_error, t.low, t.high) == (None, None, None)
    assert (Flag.ONE_UNIT if n == 1 else Flag.NO_VARIATION) in t.flags
    assert not {Flag.ONE_UNIT, Flag.NO_VARIATION} & {*score.flags}
    assert t.estimate == (gains - losses) / n
    assert -1 <= score.low < score.high <= 1


def score_statistic(gains, losses, n, delta):
    """(gains - losses - n delta) over its standard error at the likelihood's maximum given delta."""
    delta = mp.mpf(delta)
    kept = n - gains - losses

    def slope(q):
        # Of gains log(q + delta) + losses log q + kept log(1 - 2 q - delta): falling in q.
        part = -2 * kept / (1 - 2 * q - delta) if kept else mp.mpf(0)
        part += gains / (q + delta) if gains else 0
        return part + (losses / q if losses else 0)

    low, high = max(mp.mpf(0), -delta), (1 - delta) / 2
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    variance = n * (2 * low + delta - delta**2)
    return (gains - losses - n * delta) / mp.sqrt(variance)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 60), st.sampled_from([0.5, 0.95, 0.999]))
def test_tangos_interval_inverts_the_score_test(gains, losses, concordant, level):
    n = max(1, gains + losses + concordant)
    found = mcnemar_exact(gains, losses, n=n, level=level)
    with mp.workdps(30):
        z = mp.sqrt(2) * mp.erfinv(mp.mpf(level))
        for end, sign in ((found.low, 1), (found.high, -1)):
            if abs(end) < 1:
                # The statistic's slope is about the root of n over its spread; ends are good to 1e-13.
                assert float(score_statistic(gains, losses, n, end)) == pytest.approx(float(sign * z), rel=1e-7)
        for delta in np.linspace(-0.98, 0.98, 15):
            if min(abs(delta - found.low), abs(delta - found.high)) > 1e-9:
                kept = abs(score_statistic(gains, losses, n, delta)) < z
                assert kept == (found.low < delta < found.high)


def test_tangos_interval_by_its_edges():
    for n in (1, 2, 3, 5, 8, 21, 34):
        for gains in range(n + 1):
            for losses in range(n + 1 - gains):
                one = mcnemar_exact(gains, losses, n=n)
                assert -1 <= one.low < one.estimate < one.high <= 1 or abs(one.estimate) == 1
                if gains <= losses:
                    other = mcnemar_exact(losses, gains, n=n)
                    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-12)
    # All gains: delta = 1 is the estimate. With nothing discordant the score test is n delta^2 < z^2 (1 - delta^2).
    z = stats.norm.ppf(0.975)
    assert mcnemar_exact(7, 0, n=7).high == 1.0
    assert mcnemar_exact(0, 7, n=7).low == -1.0
    edge = z * z / (7 + z * z)
    assert (mcnemar_exact(0, 0, n=7).low, mcnemar_exact(0, 0, n=7).high) == pytest.approx((-edge, edge), rel=1e-10)


@pytest.mark.parametrize("n", [10**6, 10**7, 10**9])
@pytest.mark.parametrize("shares", [(0, 0), (1, 0), (0, 1), (0.5, 0.5), (0.25, 0.75), (1e-6, 0)])
def test_tangos_interval_of_many_items(n, shares):
    gains, losses = (int(n * share) for share in shares)
    found = mcnemar_exact(gains, losses, n=n)
    assert -1 <= found.low <= found.estimate <= found.high <= 1
    assert found.low < found.high
    if min(gains, losses) > 10**5:
        # Far from the edges it is Wald's: their difference is of order 1 / n.
        d = (gains - losses) / n
        wald = stats.norm.ppf(0.975) * math.sqrt(((gains + losses) / n - d * d) / n)
        assert (found.high - found.low) / 2 == pytest.approx(wald, rel=1e-4)


@seldom
@given(counts, counts)
def test_swapping_the_arms_mirrors_everything(gains, losses):
    n = gains + losses + 3
    for how in ({}, {"mid_p": True}, {"interval": "t"}):
        one, other = mcnemar_exact(gains, losses, n=n, **how), mcnemar_exact(losses, gains, n=n, **how)
        assert other.p_value == one.p_value
        assert other.estimate == -one.estimate
        if one.low is not None:
            assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-12)
    greater, less = (mcnemar_exact(*at) for at in ((gains, losses), (losses, gains)))
    assert greater.p_value == less.p_value
    assert (
        mcnemar_exact(gains, losses, alternative="greater").p_value
        == mcnemar_exact(losses, gains, alternative="less").p_value
    )


@pytest.mark.parametrize(
    ("arguments", "how", "message"),
    [
        ((-1, 2), {}, "gains -1"),
        ((1, 2.0), {}, "losses 2.0"),
        ((True, 2), {}, "gains True"),
        ((np.eye(3), 2), {}, r"gains array\(\[\[1., 0., 0.\], \[0., 1., 0.\],"),
        (([[1, 2, 3]] * 3, 2), {}, r"gains \[\[1, 2, 3\], \[1, 2, 3\]"),
        ((5, 6), {"n": 10}, "fewer items than the 11 discordant"),
        ((5, 6), {"n": 20, "interval": "wald"}, "one of score, t"),
        ((5, 6), {"n": 20, "level": 1.5}, "level 1.5"),
        ((0, 0), {"n": 0}, "n 0"),
        ((5, 6), {"alternative": "other"}, "alternative 'other'"),
    ],
)
def test_bad_counts_are_one_clear_line(arguments, how, message):
    with pytest.raises(InputError, match=message) as caught:
        mcnemar_exact(*arguments, **how)
    assert "\n" not in str(caught.value)
