"""Does an answer change when half of what is read is written down k times: standard and measure-weighted attention.

RS 4.2, C.4, G.2, G.6 on a small language model. A question is the text of its prompt (the context), its options by
letter, and "Answer:"; the answer is the option whose letter has the largest logit. The second half of the context's
token embeddings is replaced by k copies each, adjacent, at the parent's positions. With matched visibility a copy sees
every copy of whatever its parent sees, itself included; strictly causal copies see earlier copies only. Standard
attention gives each copy the weight of a token, measure-weighted attention 1/k of it. Everything is explicit: copies in
the sequence, position ids, a four-dimensional additive mask.

Controls that change nothing in exact arithmetic measure the arithmetic floor: one copy (k = 1), a mask of zeros in
place of none, a constant added to every visible logit, and a longer sequence whose added keys no query sees.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from refsym.progress import progress
from refsym.study import Records, file_hash, parse, parser
from refsym_gpu.dump import load_model

FORMAT = 1
LETTERS = "ABCDEFGHIJ"
QUESTIONS, CAUSAL, CONTROLS = 660, 240, 120
"""How many questions; the first of them with strictly causal copies; the first of those with controls."""
CONSTANT = 0.6931471805599453
"""log 2, the constant that one control adds to every visible logit."""


@dataclass(frozen=True)
class Question:
    """One question as tokens.

    Attributes
    ----------
    tokens : [N]
    group : (int, int)
        First and past the last of the tokens that are duplicated.
    letters : sequence of int
        Token of each option's letter.
    answer : int
    """

    item: str
    cluster: str
    tokens: Tensor
    group: tuple[int, int]
    letters: Sequence[int]
    answer: int


@dataclass(frozen=True)
class Layout:
    """A sequence made of another: which token each place holds, what it sees and with what weight.

    Attributes
    ----------
    parent : int64 [N']
        Token of the original sequence, which is also the position.
    mask : [N', N'] or None
        Added to the logits; None for the model's own causal path.
    """

    parent: Tensor
    mask: Tensor | None


def plain(tokens: int) -> Layout:
    """The sequence as it is, by the model's own path."""
    return Layout(torch.arange(tokens), None)


def duplicated(tokens: int, group: tuple[int, int], k: int, *, measure: bool, causal: bool = False) -> Layout:
    """Replace each token of the group by k adjacent copies.

    Parameters
    ----------
    measure : log 1/k is added to a copy's logit
    causal : a copy sees no later copy of its parent
    """
    first, last = group
    copies = torch.ones(tokens, dtype=torch.int64)
    copies[first:last] = k
    parent = torch.arange(tokens).repeat_interleave(copies)
    seen = parent <= parent[:, None]
    if causal:
        seen &= torch.ones_like(seen).tril()
    mass = (1 / copies[parent].double()).log() if measure else torch.zeros(len(parent), dtype=torch.float64)
    return Layout(parent, torch.where(seen, mass, -torch.inf))


def shifted(tokens: int, constant: float) -> Layout:
    """A constant on every visible logit."""
    seen = torch.ones(tokens, tokens, dtype=torch.bool).tril()
    return Layout(torch.arange(tokens), torch.where(seen, torch.tensor(constant, dtype=torch.float64), -torch.inf))


def lengthened(tokens: int, group: tuple[int, int]) -> Layout:
    """As long as with two copies, but no original token sees a second copy."""
    found = duplicated(tokens, group, 2, measure=False)
    assert found.mask is not None
    second = torch.zeros(len(found.parent), dtype=torch.bool)
    second[1:] = found.parent[1:] == found.parent[:-1]
    hidden = second & ~(torch.eye(len(second), dtype=torch.bool) & second)
    return Layout(found.parent, found.mask.masked_fill(hidden, -torch.inf))


def layouts(question: Question, place: int) -> dict[tuple[str, str, str], Layout]:
    """Everything that is run on a question: benchmark, arm and dtype to layout."""
    tokens, group = len(question.tokens), question.group
    own = plain(tokens)
    found = {("answers", "unmodified", "float32"): own}
    for k in (2, 3):
        for name, measure in (("standard", False), ("measure", True)):
            found["answers", f"{name}, k={k}", "float32"] = duplicated(tokens, group, k, measure=measure)
    if place < CAUSAL:
        found["causal copies", "unmodified", "float32"] = own
        for k in (2, 3):
            layout = duplicated(tokens, group, k, measure=True, causal=True)
            found["causal copies", f"measure, k={k}", "float32"] = layout
    if place < CONTROLS:
        for dtype in ("float32", "bfloat16"):
            name = f"controls, {dtype}"
            found[name, "unmodified", dtype] = own
            found[name, "one copy, standard", dtype] = duplicated(tokens, group, 1, measure=False)
            found[name, "one copy, measure", dtype] = duplicated(tokens, group, 1, measure=True)
            found[name, "zero mask", dtype] = shifted(tokens, 0.0)
            found[name, "constant bias", dtype] = shifted(tokens, CONSTANT)
            found[name, "unseen keys", dtype] = lengthened(tokens, group)
            if dtype == "bfloat16":
                found[name, "measure, k=2", dtype] = duplicated(tokens, group, 2, measure=True)
    return found


def last_logits(model: Any, tokens: Tensor, layout: Layout) -> Tensor:
    """Logits of the last token, [vocabulary], in float64."""
    dtype = model.dtype
    embedded = model.get_input_embeddings()(tokens)[layout.parent]
    given: dict[str, Any] = {"inputs_embeds": embedded[None], "position_ids": layout.parent[None]}
    if layout.mask is not None:
        given["attention_mask"] = layout.mask[None, None].to(dtype)
    out: Tensor = model(**given, use_cache=False, logits_to_keep=1).logits[0, -1].double()
    return out


@torch.inference_mode()
def answered(models: Mapping[str, Any], question: Question, place: int) -> Iterator[dict[str, Any]]:
    """One record an arm, beside what the unmodified sequence gives in the same precision."""
    reference: dict[str, Tensor] = {}
    for (benchmark, arm, dtype), layout in layouts(question, place).items():
        if arm == "unmodified" and dtype in reference:
            logits = reference[dtype]
        else:
            logits = last_logits(models[dtype], question.tokens, layout)
            reference.setdefault(dtype, logits)
        options, before = logits[list(question.letters)], reference[dtype][list(question.letters)]
        top = before.sort(descending=True).values
        chances = options.softmax(0).tolist()
        yield {
            "benchmark": benchmark,
            "arm": arm,
            "item": question.item,
            "cluster": question.cluster,
            "correct": int(int(options.argmax()) == question.answer),
            "answer": int(options.argmax()),
            "before": int(before.argmax()),
            "margin": float(top[0] - top[1]),
            "deviation": float((options - before).abs().max()),
            "deviation_all": float((logits - reference[dtype]).abs().max()),
            "scale": float(reference[dtype].abs().max()),
            "tokens": len(question.tokens),
            "length": len(layout.parent),
            **{f"p_{j}": chances[j] if j < len(chances) else None for j in range(len(LETTERS))},
        }


def read_questions(data: Path, tokenizer: Any, count: int) -> list[Question]:
    """The shortest questions of each task, in turn by task."""
    tasks: dict[str, list[Question]] = {}
    for line in data.read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            if len(row["options"]) <= len(LETTERS):
                tasks.setdefault(row["task"], []).append(_question(row, tokenizer))
    queues = [sorted(found, key=lambda question: (len(question.tokens), question.item)) for found in tasks.values()]
    turns = [queue[i] for i in range(max(map(len, queues))) for queue in queues if i < len(queue)]
    # In turn, but none longer than what `count` shortest ones need.
    limit = sorted(len(question.tokens) for question in turns)[min(len(turns), 2 * count) - 1]
    return [question for question in turns if len(question.tokens) <= limit][:count]


def _question(row: Mapping[str, Any], tokenizer: Any) -> Question:
    context = tokenizer(row["prompt"]).input_ids
    listed = "".join(f"\n{letter}. {option}" for letter, option in zip(LETTERS, row["options"], strict=False))
    rest = tokenizer(f"{listed}\nAnswer:", add_special_tokens=False).input_ids
    letters = [tokenizer(f" {letter}", add_special_tokens=False).input_ids[-1] for letter in LETTERS]
    return Question(
        row["id"],
        row["cluster"],
        torch.tensor([*context, *rest]),
        (len(context) // 2, len(context)),
        letters[: len(row["options"])],
        int(row["answer"]),
    )


def made_up(tokenizer: Any, count: int) -> list[Question]:
    """Questions of the project's own making."""
    rows = [
        {
            "id": f"made up {i}",
            "cluster": f"pair {i // 2}",
            "prompt": f"Ann has {i + 2} apples and gives away one. " * 3 + "How many are left?",
            "options": [str(i), str(i + 1), str(i + 2)],
            "answer": 1,
        }
        for i in range(count)
    ]
    return [_question(row, tokenizer) for row in rows]


def main(argv: list[str] | None = None) -> None:
    """Run what the records lack."""
    arguments = parse(parser(__doc__, Path(__file__).parent, model=True, data=True), argv)
    if arguments.quick:
        from refsym.study.tiny import tiny_model

        model, tokenizer = tiny_model()
        questions = made_up(tokenizer, 4)
    else:
        model, tokenizer = load_model(arguments.model)
        questions = read_questions(arguments.data, tokenizer, QUESTIONS)
    model.eval()
    import copy

    models = {"float32": model, "bfloat16": copy.deepcopy(model).to(torch.bfloat16)}
    wanted = {
        "format": FORMAT,
        "data_sha256": "" if arguments.quick else file_hash(arguments.data),
        "model_sha256": "" if arguments.quick else file_hash(arguments.model),
        "questions": [QUESTIONS, CAUSAL, CONTROLS],
        "versions": {name: version(name) for name in ("refsym", "torch", "transformers")},
    }
    records = Records(arguments.out, wanted, force=arguments.force)
    done = records.done("item")
    todo = [(place, question) for place, question in enumerate(questions) if question.item not in done]
    with progress("questions") as report:
        for number, (place, question) in enumerate(todo):
            report(number, len(todo))
            records.add(answered(models, question, place))


if __name__ == "__main__":
    main()
