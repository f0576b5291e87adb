from __future__ import annotations

import mpmath
import numpy as np
import pytest

from refsym_theory import position
from refsym_theory.errors import InputError


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def test_blocks_turn_their_pair_of_channels() -> None:
    x, frequencies = np.array([0.7, -1.2]), np.array([[2.0, 0.0], [0.5, 3.0], [0.0, 0.0]])
    matrix = position.rotary_matrix(position.phase(x, frequencies))
    expected = np.zeros((6, 6))
    for r, angle in enumerate((1.4, 0.35 - 3.6, 0.0)):
        c, s = mpmath.cos(angle), mpmath.sin(angle)
        expected[2 * r : 2 * r + 2, 2 * r : 2 * r + 2] = np.array([[c, -s], [s, c]], dtype=float)
    np.testing.assert_allclose(matrix, expected, atol=1e-15)


def test_rotary_matrices_are_a_group_and_keep_lengths(rng: np.random.Generator) -> None:
    frequencies = rng.normal(size=(4, 3))
    x, y = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    turn = {name: position.rotary_matrix(position.phase(at, frequencies)) for name, at in (("x", x), ("y", y))}
    unit = np.swapaxes(turn["x"], -1, -2) @ turn["x"]
    np.testing.assert_allclose(unit, np.broadcast_to(np.eye(8), (5, 8, 8)), atol=1e-14)
    relative = position.rotary_matrix(position.phase(y - x, frequencies))
    np.testing.assert_allclose(np.swapaxes(turn["x"], -1, -2) @ turn["y"], relative, atol=1e-14)


def test_box_is_the_integral_over_it() -> None:
    widths, frequencies = np.array([1.5, 0.4]), np.array([[3.0, -2.0], [0.0, 11.0], [2 * np.pi / 1.5, 1.0]])

    def mean(h: float, omega: float) -> float:
        return float(mpmath.quad(lambda t: mpmath.cos(omega * t), [-h / 2, 0, h / 2]) / h)

    expected = [mean(1.5, a) * mean(0.4, b) for a, b in frequencies]
    np.testing.assert_allclose(position.box_factor(widths, frequencies), expected, atol=1e-15)
    np.testing.assert_array_equal(position.box_factor([0.0, 0.0], frequencies), np.ones(3))


def test_gaussian_is_the_integral_over_it() -> None:
    covariance, omega = np.array([[2.0, -0.5], [-0.5, 0.3]]), np.array([[0.8, 1.7]])
    variance = float(omega[0] @ covariance @ omega[0])  # omega . X is a Gaussian of this variance

    def density(t: float) -> mpmath.mpf:
        return mpmath.cos(t) * mpmath.exp(-(t**2) / (2 * variance)) / mpmath.sqrt(2 * mpmath.pi * variance)

    expected = float(mpmath.quad(density, np.linspace(-15, 15, 31).tolist()))
    np.testing.assert_allclose(position.gaussian_factor(covariance, omega), [expected], rtol=1e-13)


def test_variance_matched_profiles_part_at_fourth_order() -> None:
    frequencies = np.array([[0.3], [0.1]])
    gap = position.gaussian_factor([[1 / 12]], frequencies) - position.box_factor([1.0], frequencies)
    np.testing.assert_allclose(gap, frequencies[:, 0] ** 4 / 2880, rtol=3e-3)


def test_atoms_are_a_weighted_sum_of_points(rng: np.random.Generator) -> None:
    frequencies, offsets = rng.normal(size=(3, 2)), rng.normal(size=(4, 5, 2))
    weights = rng.dirichlet(np.ones(5), size=4)
    points = position.phase(offsets, frequencies)
    np.testing.assert_allclose(
        position.atoms_factor(offsets, 7 * weights, frequencies), (weights[..., None] * points).sum(axis=1), atol=1e-15
    )
    both_ways = np.concatenate([offsets, -offsets], axis=1)
    symmetric = position.atoms_factor(both_ways, np.concatenate([weights, weights], axis=1), frequencies)
    np.testing.assert_allclose(symmetric.imag, 0, atol=1e-15)


def test_many_atoms_fill_a_box() -> None:
    frequencies = np.array([[1.0], [7.0]])
    grid = (np.arange(4000) + 0.5) / 4000 - 0.5
    atoms = position.atoms_factor(grid[:, None], np.ones(4000), frequencies)
    np.testing.assert_allclose(atoms, position.box_factor([1.0], frequencies), atol=1e-6)


def test_score_is_the_double_sum_over_asymmetric_supports(rng: np.random.Generator) -> None:
    frequencies, q, k = rng.normal(size=(3, 1)), rng.normal(size=6), rng.normal(size=6)
    y, x = rng.normal(size=(4, 1)), rng.normal(size=(5, 1))
    p, r = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(5))
    turn = lambda at: position.rotary_matrix(position.phase(at, frequencies))  # noqa: E731
    expected = sum(p[a] * r[b] * (turn(y[a]) @ q) @ (turn(x[b]) @ k) for a in range(4) for b in range(5))
    u, w = position.atoms_factor(y, p, frequencies), position.atoms_factor(x, r, frequencies)
    np.testing.assert_allclose(position.averaged_score(q, k, u, w), expected, rtol=1e-13)
    dropped = position.averaged_score(q, k, np.conj(u), w)  # what one gets without the conjugate of equation 12
    assert abs(dropped - expected) > 1e-2
    matrix = q @ position.rotary_matrix(u).T @ position.rotary_matrix(w) @ k
    np.testing.assert_allclose(matrix, expected, rtol=1e-13)


def test_score_does_not_see_a_joint_shift(rng: np.random.Generator) -> None:
    frequencies, q, k = rng.normal(size=(3, 2)), rng.normal(size=(7, 6)), rng.normal(size=(7, 6))
    box = position.box_factor([0.4, 0.2], frequencies)
    x, y, shift = rng.normal(size=(3, 2))

    def score(by: np.ndarray) -> np.ndarray:
        return position.averaged_score(
            q, k, box * position.phase(x + by, frequencies), box * position.phase(y + by, frequencies)
        )

    assert score(shift).shape == (7,)
    np.testing.assert_allclose(score(shift), score(np.zeros(2)), atol=1e-13)


def test_distance_bound_is_attained_by_points_and_below_the_linear_one(rng: np.random.Generator) -> None:
    w1 = np.linspace(0, 3, 61)
    bound = position.rotary_distance_bound(w1, 2.0)
    assert (bound <= np.minimum(2, 2 * w1)).all()
    for distance, limit in zip(w1, bound, strict=True):
        if 2 * distance <= np.pi:
            gap = position.rotary_matrix(position.phase([distance], [[2.0], [1.0]])) - np.eye(4)
            np.testing.assert_allclose(np.linalg.norm(gap, 2), limit, atol=1e-14)
    for _ in range(200):  # the same atoms, moved: the transport cost is at most the mean move
        x, moves, p = rng.normal(size=(4, 1)), rng.normal(size=(4, 1)), rng.dirichlet(np.ones(4))
        frequencies = rng.uniform(-2, 2, size=(3, 1))
        gap = position.atoms_factor(x, p, frequencies) - position.atoms_factor(x + moves, p, frequencies)
        cost = float(p @ np.abs(moves[:, 0]))
        largest = float(np.abs(frequencies).max())
        assert np.linalg.norm(position.rotary_matrix(gap), 2) <= position.rotary_distance_bound(cost, largest) + 1e-14


@pytest.mark.parametrize(("x", "s", "y", "t"), [(0.0, 1.0, 0.0, 3.0), (1.0, 0.5, -2.0, 0.5), (0.0, 1.0, 1.0, 2.0)])
def test_gaussian_bound_against_the_integral_of_quantiles(x: float, s: float, y: float, t: float) -> None:
    def integrand(z: float) -> mpmath.mpf:
        return abs((x - y) + (s - t) * z) * mpmath.npdf(z)

    crossing = -(x - y) / (s - t) if s != t else 0.0
    exact = float(mpmath.quad(integrand, sorted([-12, -4, 0, 4, 12, crossing])))
    bound = float(position.gaussian_w1_bound(x, s, y, t))
    if x == y or s == t:
        assert bound == pytest.approx(exact, rel=1e-12)
    else:
        assert exact < bound


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: position.phase([1.0, np.nan], [[1.0, 1.0]]), "x must be finite"),
        (lambda: position.phase([1.0, 2.0], [[1.0]]), "1 coordinates"),
        (lambda: position.phase([1.0], [1.0]), r"\[R, n\]"),
        (lambda: position.box_factor([-1.0], [[1.0]]), "at least 0"),
        (lambda: position.gaussian_factor([[1.0, 0.5], [0.0, 1.0]], [[1.0, 1.0]]), "symmetric"),
        (lambda: position.gaussian_factor([[1.0, 2.0], [2.0, 1.0]], [[1.0, 1.0]]), "negative eigenvalue"),
        (lambda: position.gaussian_factor([1.0, 1.0], [[1.0, 1.0]]), r"\[..., n, n\]"),
        (lambda: position.atoms_factor([[1.0], [2.0]], [1.0], [[1.0]]), "weights"),
        (lambda: position.atoms_factor([[1.0], [2.0]], [0.0, 0.0], [[1.0]]), "not all 0"),
        (lambda: position.atoms_factor([[1.0], [2.0]], [2.0, -1.0], [[1.0]]), "at least 0"),
        (lambda: position.rotary_matrix(1.0), "not a scalar"),
        (lambda: position.averaged_score([1.0], [1.0, 0.0], [1.0], [1.0]), "two channels"),
        (lambda: position.averaged_score([1.0, 0.0], [1.0, 0.0], [1.0], [1.0, 1.0]), "key_factor 2"),
        (lambda: position.rotary_distance_bound(-1.0, 1.0), "at least 0"),
        (lambda: position.gaussian_w1_bound(0.0, -1.0, 0.0, 1.0), "at least 0"),
    ],
)
def test_bad_input_is_named(call: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        call()  # type: ignore[operator]
