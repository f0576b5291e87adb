"""The tanh study against what must hold exactly: copies merged by mass move nothing; and its T and Delta by hand."""

import math
from pathlib import Path

import mpmath
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from refsym.commands.study import load_study  # noqa: E402
from refsym.study.probe import causal_mask, last_row  # noqa: E402
from refsym.study.tiny import tiny_model  # noqa: E402

STUDIES = Path(__file__).parents[1] / "studies"


def test_merging_copies_by_mass_moves_no_attention_and_counting_them_does():
    study = load_study(STUDIES / "tanh")
    model, _ = tiny_model()
    model = model.double()
    table = model.get_input_embeddings().weight.detach()
    # Each token three times at one position; a copy sees all copies of what its parent sees.
    sizes = torch.tensor([1, 3, 3, 3, 1])
    merged = table[torch.tensor([5, 9, 17, 33, 60])]
    place = torch.arange(5)
    native = merged.repeat_interleave(sizes, dim=0)
    parent = place.repeat_interleave(sizes)
    seen = torch.where(parent <= parent[:, None], 0.0, -torch.inf).double()
    before = last_row(model, native, parent, seen)
    by_mass = last_row(model, merged, place, causal_mask(sizes.double().log()))
    counted = last_row(model, merged, place, causal_mask(torch.zeros(5, dtype=torch.float64)))
    tv, delta = study.compared(before, by_mass, sizes)
    assert float(tv.max()) < 1e-12
    assert float(delta.max()) < 1e-10
    assert float(study.compared(before, counted, sizes)[0].max()) > 0.1


def test_total_variation_and_range_are_those_of_the_definitions():
    study = load_study(STUDIES / "tanh")
    p, q, sizes = [0.1, 0.2, 0.3, 0.4], [0.25, 0.35, 0.4], [1, 2, 1]
    spread = [0.25, 0.175, 0.175, 0.4]
    log = [torch.tensor(x, dtype=torch.float64).log()[None, None] for x in (p, q)]
    tv, delta = study.compared(*log, torch.tensor(sizes))
    assert float(tv) == pytest.approx(sum(abs(a - b) for a, b in zip(p, spread, strict=True)) / 2)
    ratios = [mpmath.log(mpmath.mpf(b) / a) for a, b in zip(p, spread, strict=True)]
    assert float(delta) == pytest.approx(float(max(ratios) - min(ratios)))
    assert float(tv) <= math.tanh(float(delta) / 4)


def test_the_probe_sees_what_the_models_own_attention_does():
    model, tokenizer = tiny_model()
    ids = tokenizer("a b c d e f g h", return_tensors="pt").input_ids[0]
    embedded = model.get_input_embeddings()(ids)
    found = last_row(model, embedded, torch.arange(len(ids)), causal_mask(torch.zeros(len(ids), dtype=torch.float64)))
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        own = torch.stack(model(ids[None], output_attentions=True).attentions)[:, 0, :, -1]
    torch.testing.assert_close(found.exp().float(), own, rtol=1e-4, atol=1e-6)
    assert float((found.exp().sum(-1) - 1).abs().max()) < 1e-12


def test_regions_are_equal_and_their_masses_add_up():
    study = load_study(STUDIES / "allocation")
    for context in (34, 35, 120):
        for dense, sparse in study.ALLOCATIONS:
            layout = study.allocation(context, dense, sparse)
            span = (context - 1) // 2
            assert len(set(layout.kept.tolist())) == 16
            assert layout.kept.tolist() == sorted(layout.kept.tolist())
            assert int(layout.kept[0]) >= 1
            assert int(layout.kept[dense - 1]) <= span < int(layout.kept[dense])
            assert int(layout.kept[-1]) < context
            assert float(layout.mass[:dense].sum()) == pytest.approx(span)
            assert float(layout.mass[dense:].sum()) == pytest.approx(span)
        for ratio in study.SPANS:
            layout = study.geometric(context, ratio)
            assert len(set(layout.kept.tolist())) == 8
            assert float(layout.mass[-1] / layout.mass[0]) == pytest.approx(ratio)
            assert float(layout.mass.sum()) == pytest.approx(context - 1)
            assert int(layout.kept[-1]) < context
