"""Generated prompts: what is asked for stands where they say, once, and cannot be found otherwise."""

import re

import pytest

torch = pytest.importorskip("torch")

from refsym_gpu.haystack import needle_haystack, pointer_chase  # noqa: E402
from refsym_theory.errors import InputError  # noqa: E402


@pytest.mark.parametrize("seed", range(20))
def test_a_needle_is_where_it_is_said_to_be_and_no_other_fact_answers(seed):
    found = needle_haystack(3 + 5 * seed, seed=seed)
    ((start, end),) = found.evidence
    name = re.search(r"number for the (\w+)\?", found.text)[1]
    assert found.text[start:end] == f"The special number for the {name} is {found.answer}."
    facts = dict(re.findall(r"special number for the (\w+) is (\d{5})\.", found.text))
    assert len(facts) == 4
    assert facts[name] == found.answer
    assert sorted(found.candidates) == sorted(facts.values())
    assert found.text.endswith(f"The special number for the {name} is")
    assert found == needle_haystack(3 + 5 * seed, seed=seed)
    assert found != needle_haystack(3 + 5 * seed, seed=seed + 100)


@pytest.mark.parametrize("hops", [1, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_a_chain_leads_from_the_question_to_the_answer_through_its_evidence(seed, hops):
    found = pointer_chase(12, seed=seed, hops=hops)
    entries = dict(re.findall(r"^Entry (\w+): (.*)\.$", found.text, flags=re.MULTILINE))
    assert len(entries) == 12 * (hops + 1)
    at = re.search(r"Starting at entry (\w+)", found.text)[1]
    walked = []
    while True:
        walked.append(f"Entry {at}: {entries[at]}.")
        if "value" in entries[at]:
            break
        at = entries[at].split()[-1]
    assert entries[at] == f"the recorded value is {found.answer}"
    assert [found.text[start:end] for start, end in found.evidence] == walked
    assert len(walked) == hops + 1
    assert len(found.candidates) == len(set(found.candidates)) == 8
    assert found.answer in found.candidates
    ends = {entry.split()[-1] for entry in entries.values() if "value" in entry}
    assert set(found.candidates) <= ends


def test_impossible_haystacks_are_refused():
    with pytest.raises(InputError, match="keys must lie between 1 and 3"):
        needle_haystack(2, seed=0, keys=4)
    with pytest.raises(InputError, match="must be positive, not 0, 3 and 8"):
        pointer_chase(0, seed=0)
    with pytest.raises(InputError, match="need more than the 21600 names"):
        pointer_chase(10_000, seed=0)
