"""A prompt of this project's own making: many key-value facts, and a question about one of them."""

import random
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
    """

    text: str
    answer: str


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
