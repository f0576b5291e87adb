"""Operations by mass: copies change nothing, and each is what a loop in fractions or NumPy says."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from refsym_gpu import measure  # noqa: E402
from refsym_theory.errors import InputError  # noqa: E402

MASSES = st.lists(st.integers(1, 12).map(lambda n: n / 4), min_size=2, max_size=7)


def tokens(masses, seed=0, dim=3):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(len(masses), dim, generator=generator, dtype=torch.float64), torch.tensor(masses).double()


def split(x, mass, at, parts):
    """Replace token `at` by copies of these shares of its mass, exact in binary."""
    shares = torch.tensor(parts, dtype=torch.float64) / sum(parts)
    copies = [x[:at], x[at : at + 1].expand(len(parts), *x.shape[1:]), x[at + 1 :]]
    return torch.cat(copies), torch.cat([mass[:at], mass[at] * shares, mass[at + 1 :]])


@settings(derandomize=True, deadline=None, max_examples=60)
@given(MASSES, st.data())
def test_copies_of_a_token_change_nothing_by_mass(masses, data):
    x, mass = tokens(masses)
    at = data.draw(st.integers(0, len(masses) - 1))
    parts = data.draw(st.sampled_from([[1, 1], [1, 3], [2, 1, 1], [1, 1, 1]]))
    more, shared = split(x, mass, at, parts)
    keep = [i for i in range(len(more)) if not at < i < at + len(parts)]
    close = {"rtol": 1e-13, "atol": 1e-14}  # a sum of at most ten terms of order one, in float64
    torch.testing.assert_close(measure.mean_pool(more, shared), measure.mean_pool(x, mass), **close)
    torch.testing.assert_close(measure.token_norm(more, shared)[keep], measure.token_norm(x, mass), **close)
    torch.testing.assert_close(
        measure.token_loss(more[:, 0].square(), shared), measure.token_loss(x[:, 0].square(), mass), **close
    )
    chances, expert = more.softmax(-1), more.argmax(-1)
    torch.testing.assert_close(
        measure.load_balance_loss(chances, expert, shared),
        measure.load_balance_loss(x.softmax(-1), x.argmax(-1), mass),
        **close,
    )
    for of in (measure.log_length, lambda n, m: measure.length_temperature(lambda t: t.sqrt(), n, m)):
        torch.testing.assert_close(of(len(more), shared), of(len(x), mass), **close)


def test_copies_do_change_what_counts_tokens():
    x, mass = tokens([1.0, 1.0, 1.0])
    more, _ = split(x, mass, 0, [1, 1])
    assert not torch.allclose(measure.mean_pool(more), measure.mean_pool(x), atol=1e-3)
    assert not torch.allclose(measure.token_norm(more)[2:], measure.token_norm(x)[1:], atol=1e-3)
    assert measure.log_length(4) > measure.log_length(3)
    assert measure.length_temperature(lambda n: n, 4) < measure.length_temperature(lambda n: n, 3)


def test_each_is_what_a_loop_says():
    x, mass = tokens([0.5, 1.25, 2.0, 0.75])
    a, m = x.numpy(), mass.numpy()
    mean = sum(m[i] * a[i] for i in range(4)) / m.sum()
    variance = sum(m[i] * (a[i] - mean) ** 2 for i in range(4)) / m.sum()
    np.testing.assert_allclose(measure.mean_pool(x, mass), mean, rtol=1e-14)
    np.testing.assert_allclose(measure.token_norm(x, mass, eps=0.1), (a - mean) / np.sqrt(variance + 0.1), rtol=1e-13)
    np.testing.assert_allclose(measure.token_norm(x), (a - a.mean(0)) / np.sqrt(a.var(0) + 1e-5), rtol=1e-12)
    chances, expert = x.softmax(-1), torch.tensor([0, 2, 2, 1])
    share = [sum(m[i] for i in range(4) if expert[i] == e) / m.sum() for e in range(3)]
    average = (m[:, None] * chances.numpy()).sum(0) / m.sum()
    assert float(measure.load_balance_loss(chances, expert, mass)) == pytest.approx(3 * np.dot(share, average))
    assert float(measure.log_length(4, mass, reference=0.5)) == pytest.approx(math.log(m.sum() / 0.5))
    batch = torch.stack([x, x.flip(0)])
    torch.testing.assert_close(
        measure.mean_pool(batch, torch.stack([mass, mass.flip(0)])), torch.from_numpy(np.stack([mean, mean]))
    )
    torch.testing.assert_close(measure.mean_pool(batch, mass)[1], measure.mean_pool(x.flip(0), mass))


def test_a_token_without_mass_is_left_out():
    x, mass = tokens([1.0, 0.0, 2.0])
    torch.testing.assert_close(measure.mean_pool(x, mass), measure.mean_pool(x[[0, 2]], mass[[0, 2]]))


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), min_size=1, max_size=12), st.sampled_from([1, 0.5, 2]))
def test_admission_is_what_exact_sums_say(asked, factor):
    expert = torch.tensor([e for e, _ in asked])
    mass = [Fraction(m, 3) for _, m in asked]
    budget, used, expected = Fraction(factor) * sum(mass) / 3, dict.fromkeys(range(3), Fraction(0)), []
    for (e, _), m in zip(asked, mass, strict=True):
        used[e] += m
        expected.append(used[e] <= budget)
    found = measure.admitted(expert, 3, torch.tensor([float(m) for m in mass], dtype=torch.float64), factor=factor)
    assert found.tolist() == expected
    counted = measure.admitted(expert, 3, factor=factor).tolist()
    limit = math.floor(Fraction(factor) * len(asked) / 3)
    seen = [sum(other == e for other, _ in asked[: i + 1]) for i, (e, _) in enumerate(asked)]
    assert counted == [place <= limit for place in seen]


def test_the_papers_budget_example():
    before, after = torch.tensor([0, 0, 0, 1, 1, 1]), torch.tensor([0, 0, 0, 0, 1, 1, 1])
    assert measure.admitted(before, 2).all()
    assert measure.admitted(after, 2).tolist() == [True, True, True, False, True, True, True]
    mass = torch.tensor([0.5, 0.5, 1, 1, 1, 1, 1])
    assert measure.admitted(after, 2, mass).all()
    assert measure.admitted(after, 2, torch.tensor([1 / 3, 2 / 3, 1, 1, 1, 1, 1])).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_summed_in_float32(dtype):
    x = torch.full((4096, 2), 1.0, dtype=dtype)
    x[0] = 2.0
    mass = torch.ones(4096)
    assert float(measure.mean_pool(x, mass)[0]) == pytest.approx(4097 / 4096, abs=2**-8)
    assert measure.mean_pool(x, mass).dtype == dtype
    assert measure.token_norm(x, mass).dtype == dtype
    expected = (1 - 1 / 4096) / math.sqrt((1 - 1 / 4096) / 4096 + 1e-5)
    assert float(measure.token_norm(x, mass)[0, 0]) == pytest.approx(expected, rel=2**-8)


def test_gradients_are_those_of_finite_differences():
    x, mass = tokens([0.5, 1.0, 2.0])
    x.requires_grad_()
    mass.requires_grad_()
    assert torch.autograd.gradcheck(measure.mean_pool, (x, mass))
    assert torch.autograd.gradcheck(measure.token_norm, (x, mass))
    expert = torch.tensor([0, 2, 1])
    assert torch.autograd.gradcheck(lambda p, m: measure.load_balance_loss(p.softmax(-1), expert, m), (x, mass))
    assert torch.autograd.gradcheck(lambda m: measure.log_length(3, m), (mass,))


def test_what_does_not_fit_is_refused():
    x, mass = tokens([1.0, 1.0, 1.0])
    with pytest.raises(InputError, match=r"mass \[2\] must have the tokens of \[3\]"):
        measure.mean_pool(x, mass[:2])
    with pytest.raises(InputError, match=r"expert \[2\] must be"):
        measure.load_balance_loss(x, torch.tensor([0, 1]))
    with pytest.raises(InputError, match="experts and factor must be positive"):
        measure.admitted(torch.tensor([0]), 0)
    with pytest.raises(InputError, match="reference must be positive"):
        measure.log_length(3, mass, reference=0)
