"""Partitions of a fine grid against loops, and the operator study's fields against the library's own bound."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refsym.commands.study import load_study
from refsym_theory.errors import InputError
from refsym_theory.mass_attention import attention, stability_bound
from refsym_theory.partitions import (
    activity,
    cell_means,
    masses,
    peak_edges,
    quantile_edges,
    spread,
    uniform_edges,
    variation,
)

DENSITIES = st.lists(st.integers(0, 50), min_size=1, max_size=24).filter(any)


@settings(derandomize=True, deadline=None)
@given(DENSITIES, st.integers(1, 24))
def test_quantile_edges_are_those_of_a_loop_and_leave_a_cell_to_each(density, cells):
    cells = min(cells, len(density))
    found = quantile_edges(density, cells)
    # The least edges, from the left, that are past the last one and leave room for the rest.
    wanted = [0]
    for i in range(1, cells):
        target = i / cells * sum(density)
        at = next(j for j in range(len(density)) if sum(density[: j + 1]) >= target)
        wanted.append(max(at, wanted[-1] + 1))
    wanted = [min(edge, len(density) - cells + i) for i, edge in enumerate(wanted)]
    assert found.tolist() == [*wanted, len(density)]
    assert (np.diff(found) >= 1).all()


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40))
def test_uniform_cells_differ_by_one_at_most(fine, cells):
    cells = min(cells, fine)
    widths = np.diff(uniform_edges(fine, cells))
    assert widths.sum() == fine
    assert widths.max() - widths.min() <= 1


def test_rows_are_cut_one_by_one():
    rng = np.random.default_rng(0)
    density = rng.random((3, 2, 50))
    found = quantile_edges(density, 7)
    for at in np.ndindex(3, 2):
        assert found[at].tolist() == quantile_edges(density[at], 7).tolist()


def test_means_and_spreads_are_those_of_a_loop():
    rng = np.random.default_rng(1)
    values, edges = rng.random((4, 30)), quantile_edges(rng.random((4, 30)), 6)
    means, mass = cell_means(values, edges), masses(edges)
    for row in range(4):
        for cell in range(6):
            part = values[row, edges[row, cell] : edges[row, cell + 1]]
            assert means[row, cell] == pytest.approx(part.mean(), rel=1e-14)
            assert mass[row, cell] == len(part) / 30
            assert (spread(means, edges)[row, edges[row, cell] : edges[row, cell + 1]] == means[row, cell]).all()
    np.testing.assert_allclose(mass.sum(-1), 1, rtol=1e-14)
    np.testing.assert_allclose((means * mass).sum(-1), values.mean(-1), rtol=1e-13)


def test_densities_are_the_printed_ones():
    f = np.array([0.0, 1.0, -2.0, 0.5])
    np.testing.assert_array_equal(activity(f), 1 + 8 * np.abs(f))
    change = np.array([1.0, 3.0, 2.5, 0.5])  # the last wraps around
    np.testing.assert_allclose(variation(f), 1 + 8 * change / change.mean())
    np.testing.assert_array_equal(variation(np.full(5, 2.0)), np.ones(5))


def test_keyframes_cut_at_the_largest_changes():
    assert peak_edges([0.0, 5.0, 1.0, 5.0, 9.0], 3).tolist() == [0, 2, 4, 5]  # the last change leads nowhere
    assert peak_edges([1.0, 1.0, 1.0], 2).tolist() == [0, 1, 3]
    assert peak_edges([3.0], 1).tolist() == [0, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: uniform_edges(3, 4),
        lambda: quantile_edges([1.0, 2.0], 0),
        lambda: quantile_edges([0.0, 0.0], 1),
        lambda: quantile_edges([1.0, -1.0], 1),
        lambda: quantile_edges([1.0, np.nan], 1),
        lambda: peak_edges([1.0, np.inf], 1),
    ],
)
def test_what_makes_no_partition_is_refused(call):
    with pytest.raises(InputError):
        call()


def test_the_operator_study_measures_what_the_library_bounds():
    study = load_study(Path(__file__).parents[1] / "studies" / "operators")
    drawn = study.parameters(3)
    f, u = study.signals(drawn, 256)
    x = (np.arange(256) + 0.5) / 256
    for i in range(3):
        bumps = sum(
            drawn["a"][i, e] * np.exp(-(np.minimum(abs(x - c), 1 - abs(x - c)) ** 2) / (2 * drawn["sigma"][i, e] ** 2))
            for e, c in enumerate(drawn["c"][i])
        )
        np.testing.assert_allclose(f[i], drawn["b"][i] + bumps, atol=1e-13)
        waves = [drawn["z"][i, e] * np.sin(2 * np.pi * drawn["nu"][i, e] * x + drawn["theta"][i, e]) for e in range(8)]
        np.testing.assert_allclose(u[i], sum(waves), atol=1e-12)
    rows = list(study.observed(f, u, 0))
    assert len(rows) == 3 * 12
    for row in rows:
        i = int(row["item"].split()[1])
        edges = study.edges_of(row["partition"], f, row["budget"])[i]
        owner = np.repeat(np.arange(row["budget"]), np.diff(edges))
        coupling = np.zeros((256, row["budget"]))
        coupling[np.arange(256), owner] = 1 / 256
        coarse = [np.array([g[i, owner == j].mean() for j in range(row["budget"])]) for g in (f, u)]
        scores, values = study.score(*coarse), study.value(*coarse)
        fine_scores, fine_values = study.score(f[i], u[i]), study.value(f[i], u[i])
        bound = stability_bound(coupling, fine_scores, scores, fine_values[:, None], values[:, None])
        assert row["measure"] == pytest.approx(float(bound.error), abs=1e-12)
        for ours, name in (("bound", "bound"), ("eps_v", "eps_v"), ("delta", "delta"), ("diameter", "diameter")):
            assert row[ours] == pytest.approx(float(getattr(bound, name)), rel=1e-10)
        count = attention(scores, values[:, None], np.ones(row["budget"])) - attention(
            fine_scores, fine_values[:, None], np.ones(256)
        )
        assert row["standard"] == pytest.approx(float(np.abs(count).item()), abs=1e-12)
