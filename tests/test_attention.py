"""Attention under masses and its stability bound, against rational and many-digit arithmetic."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refsym_theory
from refsym_theory import attention, stability_bound, tilt_tv_bound
from refsym_theory.errors import InputError
from refsym_theory.mass_attention import StabilityBound, log_kernel, mass_coupling

exactly = settings(derandomize=True, deadline=None, max_examples=100)
keys = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40), st.integers(-9, 9)), min_size=1, max_size=6)


def rational(rows):
    """Equation 1 with kernel values given as integers."""
    weights = [Fraction(m * k) for m, k, _ in rows]
    return sum(w * v for w, (*_, v) in zip(weights, rows, strict=True)) / sum(weights)


def columns(rows):
    return (np.array(column, dtype=float) for column in zip(*rows, strict=True))


@exactly
@given(keys)
def test_any_positive_kernel_against_rationals(rows):
    m, k, v = columns(rows)
    assert attention(k, v, m, kernel=lambda s: s) == pytest.approx(float(rational(rows)), abs=1e-13)
    assert attention(np.log(k), v, m) == pytest.approx(float(rational(rows)), abs=1e-12)


@exactly
@given(keys, st.floats(-700, 700))
def test_exp_kernel_against_many_digits_and_a_common_shift(rows, shift):
    m, s, v = columns(rows)
    s = s / 7.0
    with mpmath.workdps(40):
        weights = [mpmath.mpf(a) * mpmath.exp(mpmath.mpf(b)) for a, b in zip(m, s, strict=True)]
        wanted = float(mpmath.fdot(weights, [mpmath.mpf(x) for x in v]) / mpmath.fsum(weights))
    assert attention(s, v, m) == pytest.approx(wanted, abs=1e-13)
    assert attention(s + shift, v, 3.0 * m) == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize("kernel", ["exp", "sigmoid", "softplus"])
@pytest.mark.parametrize("score", [-1e5, -740.0, -38.0, -36.9, -1.0, 0.0, 1.0, 40.0, 800.0])
def test_named_kernels_against_many_digits(kernel, score):
    with mpmath.workdps(60):
        s = mpmath.mpf(score)
        e = mpmath.exp(s)
        wanted = {"exp": s, "sigmoid": -mpmath.log1p(1 / e), "softplus": mpmath.log(mpmath.log1p(e))}[kernel]
        assert float(log_kernel(score, kernel)) == pytest.approx(float(wanted), rel=1e-13, abs=1e-300)


@exactly
@given(keys, st.integers(2, 4), st.randoms())
def test_splits_and_order_do_not_matter(rows, pieces, random):
    m, s, v = columns(rows)
    whole = attention(s, v, m)
    parts = np.array([random.random() + 0.1 for _ in range(pieces)])
    parts *= m[0] / parts.sum()
    split = attention(np.r_[[s[0]] * pieces, s[1:]], np.r_[[v[0]] * pieces, v[1:]], np.r_[parts, m[1:]])
    assert split == pytest.approx(whole, abs=1e-12)
    order = random.sample(range(len(m)), len(m))
    assert attention(s[order], v[order], m[order]) == pytest.approx(whole, abs=1e-12)


def test_the_papers_example_of_two_tokens():
    assert attention([0, 0], [0, 1], [1, 1]) == pytest.approx(1 / 2)
    assert attention([0, 0, 0], [0, 1, 1], [1, 1, 1]) == pytest.approx(2 / 3)
    assert attention([0, 0, 0], [0, 1, 1], [1, 0.5, 0.5]) == pytest.approx(1 / 2)


def test_one_key_and_equal_values_give_that_value():
    assert attention([-900.0], [3.0], [1e-300]) == 3.0
    assert attention(np.full(5, 7.0), np.full(5, 2.0), np.arange(1.0, 6.0)) == pytest.approx(2.0, rel=1e-15)


def test_huge_scores_do_not_overflow():
    assert attention([1e300, -1e300, 0.0], [1.0, 2.0, 3.0], [1e-9, 1.0, 1e9]) == 1.0
    assert attention([700.0, 710.0], [0.0, 1.0], [1.0, 1.0], kernel="sigmoid") == pytest.approx(0.5)
    assert attention([-5000.0, -5001.0], [0.0, 1.0], [1.0, 1.0], kernel="softplus") == pytest.approx(1 / (1 + np.e))


def test_keys_of_mass_zero_and_absent_keys_are_left_out():
    wanted = attention([0.0, 1.0], [1.0, 2.0], [1.0, 2.0])
    assert attention([0.0, 1.0, 900.0], [1.0, 2.0, 5.0], [1.0, 2.0, 0.0]) == wanted
    padded = attention([0.0, 1.0, np.nan], [1.0, 2.0, np.inf], [1.0, 2.0, -1.0], valid=[True, True, False])
    assert padded == wanted


def test_leading_axes_broadcast():
    rng = np.random.default_rng(0)
    s, v, m = rng.normal(size=(3, 2, 5)), rng.normal(size=(2, 5, 4)), rng.uniform(0.1, 1, 5)
    out = attention(s, v, m)
    assert out.shape == (3, 2, 4)
    for a, b in np.ndindex(3, 2):
        weights = np.exp(s[a, b]) * m
        assert np.allclose(out[a, b], weights @ v[b] / weights.sum(), rtol=1e-13)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([0.0, np.nan], [1.0, 2.0], [1.0, 1.0]), "scores must be finite; at \\(1,\\)"),
        (([0.0, 0.0], [1.0, np.inf], [1.0, 1.0]), "values must be finite"),
        (([0.0, 0.0], [1.0, 2.0], [1.0, -1.0]), "mass must be at least 0; at \\(1,\\) it is -1.0"),
        (([[0.0, 0.0], [0.0, 0.0]], [1.0, 2.0], [[1.0, 1.0], [0.0, 0.0]]), "row \\(1,\\) has no key of positive mass"),
        (([0.0, 0.0, 0.0], [1.0, 2.0], [1.0, 1.0, 1.0]), "do not fit|keys"),
        (([0.0, 0.0], [1.0], [1.0, 1.0]), "values have 1 keys, scores 2"),
        ((0.0, [1.0], [1.0]), "got a scalar"),
        (([0.0, "x"], [1.0, 2.0], [1.0, 1.0]), "array of numbers"),
        (([0.0, 0.0], [1.0, 2.0], [1.0, 1.0], "cosine"), "'cosine' is not one of exp, sigmoid, softplus"),
        (([0.0, 1.0], [1.0, 2.0], [1.0, 1.0], lambda s: s), "kernel values must be positive"),
        (([0.0, 1.0], [1.0, 2.0], [1.0, 1.0], lambda s: s.sum()), "act on each score"),
    ],
)
def test_bad_input_of_attention(arguments, says):
    with pytest.raises(InputError, match=says):
        attention(*arguments)


def test_valid_must_be_boolean():
    with pytest.raises(InputError, match="boolean"):
        attention([0.0], [1.0], [1.0], valid=[1])


def test_tilt_bound_values_and_errors():
    assert tilt_tv_bound(0.0) == 0.0
    assert tilt_tv_bound(np.inf) == 1.0
    assert tilt_tv_bound([4.0])[0] == pytest.approx(float(mpmath.tanh(1)), rel=1e-15)
    for bad in (-1.0, np.nan):
        with pytest.raises(InputError):
            tilt_tv_bound(bad)


borders = st.lists(st.integers(1, 30), min_size=0, max_size=5, unique=True).map(lambda cuts: [0, *sorted(cuts), 31])


@exactly
@given(borders, borders)
def test_coupling_of_partitions_against_unit_cells(one, other):
    wanted = np.zeros((len(one) - 1, len(other) - 1))
    for unit in range(31):
        i, j = (int(np.searchsorted(e, unit, side="right")) - 1 for e in (one, other))
        wanted[i, j] += 1 / 31
    found = mass_coupling(one, other)
    assert np.allclose(found, wanted, rtol=0, atol=1e-14)
    assert np.count_nonzero(found) <= len(one) + len(other) - 3
    assert np.allclose(mass_coupling(other, one), found.T, atol=0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([0, 1], [0, 2]), "different intervals"),
        (([0, 1, 1, 2], [0, 2]), "edges must increase: 1.0 is followed by 1.0"),
        (([0], [0, 1]), "at least two borders"),
        (([0, np.nan], [0, 1]), "finite"),
    ],
)
def test_bad_borders(arguments, says):
    with pytest.raises(InputError, match=says):
        mass_coupling(*arguments)


def brute_force(gamma, k, k_new, v, v_new, norm):
    """Theorem 1 by loops over the pairs, from its text."""
    pairs = [(i, j) for i in range(len(k)) for j in range(len(k_new)) if gamma[i][j] > 0]
    shift = max(*k, *k_new)
    p = {(i, j): gamma[i][j] * np.exp(k[i] - shift) for i, j in pairs}
    q = {(i, j): gamma[i][j] * np.exp(k_new[j] - shift) for i, j in pairs}
    p, q = ({pair: x / sum(w.values()) for pair, x in w.items()} for w in (p, q))
    size = {1: lambda x: sum(abs(x)), 2: lambda x: sum(x * x) ** 0.5, np.inf: lambda x: max(abs(x))}[norm]
    moved = {(i, j): size(v_new[j] - v[i]) for i, j in pairs}
    changes = [k_new[j] - k[i] for i, j in pairs]
    rows = {i for i, _ in pairs}
    eps, delta = max(moved.values()), max(changes) - min(changes)
    diameter = max(size(v[a] - v[b]) for a in rows for b in rows)
    weighted = sum(q[pair] * moved[pair] for pair in pairs)
    tv = sum(abs(p[pair] - q[pair]) for pair in pairs) / 2
    error = size(sum(q[i, j] * v_new[j] for i, j in pairs) - sum(p[i, j] * v[i] for i, j in pairs))
    term = diameter * np.tanh(delta / 4)
    return StabilityBound(eps, weighted, delta, diameter, tv, eps + term, weighted + term, error)


@exactly
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, np.inf]))
def test_bound_against_loops_and_never_below_the_error(seed, norm):
    rng = np.random.default_rng(seed)
    i, j, d = rng.integers(1, 5, 3)
    gamma = rng.exponential(size=(i, j)) * (rng.random((i, j)) < 0.6)
    gamma[rng.integers(i), rng.integers(j)] += 1
    k, k_new = rng.normal(size=i) * 3, rng.normal(size=j) * 3
    v, v_new = rng.normal(size=(i, d)), rng.normal(size=(j, d))
    found = stability_bound(gamma, k, k_new, v, v_new, mass=gamma.sum(1), new_mass=7 * gamma.sum(0), norm=norm)
    wanted = brute_force(gamma, k, k_new, v, v_new, norm)
    for name, value in vars(wanted).items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-10, abs=1e-12), name
    assert found.error <= found.bound_weighted * (1 + 1e-12)
    assert found.bound_weighted <= found.bound * (1 + 1e-12)
    assert found.tv <= tilt_tv_bound(found.delta) * (1 + 1e-12)
    used, used_new = gamma.sum(1) > 0, gamma.sum(0) > 0
    old = attention(k[used], v[used], gamma.sum(1)[used])
    new = attention(k_new[used_new], v_new[used_new], gamma.sum(0)[used_new])
    assert found.error == pytest.approx(np.linalg.norm(new - old, ord=norm), abs=1e-12)


@pytest.mark.parametrize("delta", [0.0, 1e-3, 1.0, 30.0])
def test_two_tokens_attain_the_bound(delta):
    mass = np.diag([1.0, np.exp(-delta / 2)])
    v = np.array([[0.0], [1.0]])
    found = stability_bound(mass, [0.0, 0.0], [-delta / 2, delta / 2], v, v + 0.25)
    assert found.error == pytest.approx(found.bound, rel=1e-12)
    assert found.bound == pytest.approx(0.25 + float(mpmath.tanh(delta / 4)), rel=1e-12)


def test_exact_copies_and_a_shift_cost_nothing():
    found = stability_bound([[1, 2, 0], [0, 0, 3]], [1.0, 2.0], [6.0, 6.0, 7.0], [[1.0], [5.0]], [[1.0], [1.0], [5.0]])
    assert (found.eps_v, found.delta, found.tv, found.bound) == (0.0, 0.0, pytest.approx(0.0, abs=1e-16), 0.0)
    assert found.error == pytest.approx(0.0, abs=1e-15)


def test_partitions_of_a_lipschitz_field():
    coarse, fine = np.linspace(0, 1, 8), np.linspace(0, 1, 12)
    x, y = (coarse[1:] + coarse[:-1]) / 2, (fine[1:] + fine[:-1]) / 2
    found = stability_bound(mass_coupling(coarse, fine), np.sin(3 * x), np.sin(3 * y), x[:, None], y[:, None])
    reach = 1 / 7 + 1 / 11
    assert found.eps_v <= reach
    assert found.delta <= 2 * 3 * reach
    assert found.error <= found.bound_weighted


def test_problems_in_a_batch_are_those_one_by_one():
    rng = np.random.default_rng(3)
    gamma, k, k_new = rng.random((2, 1, 3, 4)), rng.normal(size=(2, 5, 3)), rng.normal(size=4)
    v, v_new = rng.normal(size=(3, 2)), rng.normal(size=(5, 4, 2))
    many = stability_bound(gamma, k, k_new, v, v_new)
    assert many.bound.shape == (2, 5)
    for a, b in np.ndindex(2, 5):
        assert vars(stability_bound(gamma[a, 0], k[a, b], k_new, v, v_new[b])) == {
            name: value[a, b] for name, value in vars(many).items()
        }


GOOD = {
    "coupling": [[1.0, 0.0], [0.0, 1.0]],
    "log_kernels": [0.0, 0.0],
    "new_log_kernels": [0.0, 0.0],
    "values": [[0.0], [1.0]],
    "new_values": [[0.0], [1.0]],
}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"mass": [3.0, 1.0]}, "row 0 of the coupling is not its mass: the shares differ by 0.25"),
        ({"new_mass": [1.0, 2.0]}, "column 0 of the coupling is not its new_mass"),
        ({"mass": [1.0]}, "mass has the shape \\(1,\\), the coupling 2 rows"),
        ({"mass": [0.0, 0.0]}, "mass has no mass"),
        ({"coupling": [[1.0, -1.0], [0.0, 1.0]]}, "coupling must be at least 0; at \\(0, 1\\)"),
        ({"coupling": [[0.0, 0.0], [0.0, 0.0]]}, "no mass"),
        ({"coupling": [1.0, 1.0]}, "coupling is"),
        ({"log_kernels": [0.0, 0.0, 0.0]}, "joins 2 keys with 2; log-kernels have 3 and 2"),
        ({"log_kernels": [0.0, -np.inf]}, "log_kernels must be finite; at \\(1,\\)"),
        ({"values": [[0.0, 1.0], [1.0, 1.0]]}, "2 coordinates, new values 1"),
        ({"new_values": [[0.0], [np.nan]]}, "new_values must be finite"),
        ({"norm": 0.5}, "norm must be at least 1"),
        ({"norm": np.nan}, "norm must be at least 1"),
        ({"log_kernels": np.zeros((2, 2)), "values": np.zeros((3, 2, 1))}, "leading axes do not fit"),
    ],
)
def test_bad_input_of_the_bound(changed, says):
    with pytest.raises(InputError, match=says):
        stability_bound(**{**GOOD, **changed})


def test_public_names_are_functions_whatever_was_imported_before():
    for name in ("attention", "stability_bound", "tilt_tv_bound"):
        assert callable(getattr(refsym_theory, name))
        assert name in dir(refsym_theory)
