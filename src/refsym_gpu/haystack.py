"""Prompts of this project's own making, whose answer stands in known places of a long text.

- `key_value_haystack`: nothing but facts of one kind (RULER's hardest multi-key needles: every line is a needle).
- `needle_haystack`: a few facts of one kind among other sentences (RULER's multi-key needles).
- `pointer_chase`: a chain of entries among the entries of other chains, all shuffled (UG appendix B): only the first
  can be found from the question.
"""

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

from refsym_theory.errors import InputError

# fmt: off
_ADJECTIVES = (
    "amber", "ancient", "bold", "brisk", "calm", "clever", "copper", "crimson", "distant", "eager", "early",
    "faded", "gentle", "golden", "hidden", "hollow", "humble", "icy", "ivory", "jolly", "keen", "lively",
    "lonely", "lucky", "mellow", "misty", "modest", "narrow", "noble", "odd", "patient", "pale", "quick",
    "quiet", "rapid", "rough", "rustic", "secret", "silent", "silver", "simple", "sleepy", "smooth",
    "solid", "spare", "steady", "sunny", "tidy", "tiny", "vivid", "warm", "wise",
)
_NOUNS = (
    "anchor", "arrow", "basket", "beacon", "bridge", "candle", "canyon", "castle", "cellar", "compass",
    "copper", "cottage", "desert", "engine", "falcon", "ferry", "forest", "fountain", "garden", "gate",
    "glacier", "hammer", "harbor", "island", "kettle", "ladder", "lantern", "library", "lighthouse",
    "market", "meadow", "mill", "mirror", "mountain", "orchard", "oven", "palace", "pepper", "piano",
    "quarry", "river", "rocket", "saddle", "shelter", "station", "temple", "tower", "tunnel", "valley",
    "violin", "wagon", "window", "workshop",
)
# fmt: on


@dataclass(frozen=True)
class Haystack:
    """A generated prompt.

    Attributes
    ----------
    text : str
        Facts, a question, and the beginning of its answer.
    answer : str
        The code that the question asks for: how the text goes on.
    candidates : tuple of str
        Answers to choose among, the right one included; all stand in the text.
    evidence : tuple of (int, int)
        Where the text holds what the answer needs, first and past the last character: one for each hop.
    """

    text: str
    answer: str
    candidates: tuple[str, ...] = ()
    evidence: tuple[tuple[int, int], ...] = ()


def key_value_haystack(facts: int, *, seed: int, depth: float = 0.5) -> Haystack:
    """Lines such as "The access code for the misty harbor is 58213." and a question about one of them.

    Parameters
    ----------
    facts : number of lines; keys are distinct, and so are the five-digit codes
    seed : the same seed gives the same text, on every machine
    depth : where the fact that is asked for stands, from 0 (first) to 1 (last)
    """
    if not 1 <= facts <= len(_ADJECTIVES) * len(_NOUNS) // 2:
        raise InputError(f"facts must lie between 1 and {len(_ADJECTIVES) * len(_NOUNS) // 2}, not {facts}")
    rng = random.Random(seed)
    keys: dict[str, None] = {}
    while len(keys) < facts:
        keys[f"{rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}"] = None
    codes = rng.sample(range(10_000, 100_000), facts)
    lines = [f"The access code for the {key} is {code}." for key, code in zip(keys, codes, strict=True)]
    asked = round(depth * (facts - 1))
    key = list(keys)[asked]
    end = [f"What is the access code for the {key}?", f"The access code for the {key} is"]
    return Haystack("\n".join(["Here is a list of access codes.", *lines, *end]), str(codes[asked]))


def needle_haystack(sentences: int, *, seed: int, keys: int = 4) -> Haystack:
    """Facts of one kind at random places among sentences of another, and a question about one of them.

    Parameters
    ----------
    sentences : number of sentences that are no facts
    seed : the same seed gives the same text, on every machine
    keys : number of facts; which of them is asked for is drawn too

    Raises
    ------
    InputError
        There are more facts than places for them, or none.
    """
    if not 1 <= keys <= min(sentences + 1, 40):
        raise InputError(f"keys must lie between 1 and {min(sentences + 1, 40)}, not {keys}")
    rng = random.Random(seed)
    names = rng.sample(_NOUNS, keys)
    numbers = [str(number) for number in rng.sample(range(10_000, 100_000), keys)]
    facts = [f"The special number for the {name} is {number}." for name, number in zip(names, numbers, strict=True)]
    lines = [_sentence(rng) for _ in range(sentences)]
    for place, fact in sorted(zip(rng.sample(range(sentences + 1), keys), facts, strict=True), reverse=True):
        lines.insert(place, fact)
    asked = rng.randrange(keys)
    start = "Some special numbers are hidden in the following text. Remember them."
    question = f"What is the special number for the {names[asked]}?\nThe special number for the {names[asked]} is"
    text = "\n".join([start, " ".join(lines), question])
    return Haystack(text, numbers[asked], tuple(numbers), _places(text, [facts[asked]]))


def pointer_chase(chains: int, *, seed: int, hops: int = 3, candidates: int = 8) -> Haystack:
    """Entries that point to entries, of several chains, shuffled; the value at the end of one chain is asked for.

    Parameters
    ----------
    chains : number of chains; one is asked for
    seed : the same seed gives the same text, on every machine
    hops : pointers of a chain, which is hops + 1 entries long
    candidates : ends of chains to choose among, at most

    Returns
    -------
    Haystack
        ``evidence`` lists the chain's entries in order.

    Raises
    ------
    InputError
        A number is not positive, or there are more entries than names for them.
    """
    if chains < 1 or hops < 1 or candidates < 1:
        raise InputError(f"chains, hops and candidates must be positive, not {chains}, {hops} and {candidates}")
    rng = random.Random(seed)
    names = [f"{letter}{number}" for letter in "ABCDEFGHJKLMNPQRSTUVWXYZ" for number in range(100, 1000)]
    if chains * (hops + 1) > len(names):
        raise InputError(f"{chains} chains of {hops + 1} entries need more than the {len(names)} names there are")
    drawn = iter(rng.sample(names, chains * (hops + 1)))
    numbers = [str(number) for number in rng.sample(range(10_000, 100_000), chains)]
    entries = []
    for value in numbers:
        chain = [next(drawn) for _ in range(hops + 1)]
        entries.append([f"Entry {a}: continue at entry {b}." for a, b in itertools.pairwise(chain)])
        entries[-1].append(f"Entry {chain[-1]}: the recorded value is {value}.")
    shuffled = [entry for chain in entries for entry in chain]
    rng.shuffle(shuffled)
    first = entries[0][0].split(":")[0].removeprefix("Entry ")
    start = "Each entry continues at another entry, or holds a recorded value. Follow the entries to the value."
    question = f"Starting at entry {first} and following the entries, the recorded value is"
    text = "\n".join([start, *shuffled, question])
    offered = [numbers[0], *rng.sample(numbers[1:], min(candidates, chains) - 1)]
    rng.shuffle(offered)
    return Haystack(text, numbers[0], tuple(offered), _places(text, entries[0]))


def _sentence(rng: random.Random) -> str:
    """One of many sentences without a number in it."""
    first, second = (f"{rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}" for _ in range(2))
    return rng.choice(
        (
            f"The {first} stands not far from the {second}.",
            f"Nobody had seen the {first} since the {second} was closed.",
            f"Beside the {first} they built a {second}.",
            f"Every spring the {first} looks like a {second}.",
            f"She walked past the {first} and thought of the {second}.",
            f"A story is told of a {first} and a {second}.",
        )
    )


def _places(text: str, parts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """First and past the last character of each part, which stands in the text once."""
    return tuple((text.index(part), text.index(part) + len(part)) for part in parts)
