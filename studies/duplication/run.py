"""Does an answer change when half of what is read is written down k times: standard and measure-weighted attention.

RS 4.2, C.4, G.2, G.6 on a small language model. A question is put in ChatML: its prompt (the context), its options by
letter in an order drawn for it, "Which option is best?"; the reply begins "Answer:", and the answer is the option whose
letter has the largest logit next. The second half of the context's token embeddings is replaced by k copies each,
adjacent, at the parent's positions. With matched visibility a copy sees every copy of whatever its parent sees, itself
included; a strictly causal copy sees no later place. Standard attention gives each copy the weight of a token,
measure-weighted attention 1/k of it. Everything is explicit: copies in the sequence, position ids, a
four-dimensional additive mask. (Without ChatML the smallest SmolLM2 answers A, whatever it reads.)

Controls that change nothing in exact arithmetic measure the arithmetic floor: one copy (k = 1, where both arms have
the same mask of zeros in place of none), a constant added to every visible logit, and a longer sequence whose added
keys no query but their own sees.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from refsym.progress import progress
from refsym.study import Account, Figure, Finding, Records, Table, file_hash, parse, parser, read_records
from refsym.study.questions import LETTERS, read_rows
from refsym_gpu.dump import load_model
from refsym_stats import cluster_robust, kl_divergence, mcnemar_exact, transitions
from refsym_theory.errors import InputError

FORMAT = 2
OPENING, CLOSING = "<|im_start|>user\n", "\n\nWhich option is best?<|im_end|>\n<|im_start|>assistant\nAnswer:"
SEED = 0
"""Of the order of options: some tasks list the best one always at the same place."""
QUESTIONS, LONGEST = 660, 192
"""How many questions, and the most tokens of one."""
BFLOAT16_EVERY = 3
"""Every third question also in bfloat16."""
CONSTANT = math.log(2)
"""What one control adds to every visible logit."""
AT_ONCE = 5
"""Questions between two writes of the records."""

UNMODIFIED, NULL, CONTROLS = "unmodified", "one copy", ("constant bias", "unseen keys")
STRICT, OTHER_WRONG = "measure, causal copies", "W to W, another answer"
KS = (2, 3)
ELSEWHERE: dict[str, Any] = {"incomparable": "another model, other questions"}
PRINTED = {
    2: {"changed": "150 (7B), 140 (3B)", "C to W": "63", "W to C": "55", OTHER_WRONG: "32", "p": "0.52"},
    3: {"changed": "255 (7B), 236 (3B)", "C to W": "111", "W to C": "90", OTHER_WRONG: "54", "p": "0.16"},
}
STRICTLY = {2: "4 (7B), 4 (3B)", 3: "4 (7B), 5 (3B)"}
"""RS table 1, G.2 and table 8, by k; strictly causal copies, of 720."""


@dataclass(frozen=True)
class Question:
    """One question as tokens.

    Attributes
    ----------
    tokens : int64 [N]
    group : (int, int)
        First and past the last of the tokens that are duplicated.
    letters : sequence of int
        Token of each option's letter.
    answer : int
    """

    item: str
    task: str
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
    mask : float64 [N', N'] or None
        Added to the logits; None for the model's own causal path.
    """

    parent: Tensor
    mask: Tensor | None


@dataclass(frozen=True)
class Arm:
    """What is done to a question.

    Attributes
    ----------
    k : int
        Copies of each token of the group.
    visibility : {"own", "matched", "causal", "unseen"}
        The model's own path without a mask; copies that see all that the parent sees; none later; nobody sees them.
    """

    name: str
    k: int
    visibility: str
    layout: Layout


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
        seen = seen.tril()
    bias = -copies[parent].double().log() if measure else torch.zeros(len(parent), dtype=torch.float64)
    return Layout(parent, bias.expand(seen.shape).masked_fill(~seen, -torch.inf))


def shifted(tokens: int, constant: float) -> Layout:
    """A constant on every visible logit."""
    seen = torch.ones(tokens, tokens, dtype=torch.bool).tril()
    return Layout(torch.arange(tokens), torch.full(seen.shape, constant).double().masked_fill(~seen, -torch.inf))


def lengthened(tokens: int, group: tuple[int, int]) -> Layout:
    """As long as with two copies, but nothing sees a second copy, except itself."""
    found = duplicated(tokens, group, 2, measure=False)
    assert found.mask is not None
    second = torch.zeros(len(found.parent), dtype=torch.bool)
    second[1:] = found.parent[1:] == found.parent[:-1]
    return Layout(found.parent, found.mask.masked_fill(second & ~torch.eye(len(second), dtype=torch.bool), -torch.inf))


def arms(question: Question) -> Iterator[Arm]:
    """Everything that is done to a question in one precision; the unmodified sequence first."""
    tokens, group = len(question.tokens), question.group
    yield Arm(UNMODIFIED, 1, "own", plain(tokens))
    # log 1 = 0: the mask of zeros is that of both arms.
    yield Arm(NULL, 1, "matched", duplicated(tokens, group, 1, measure=True))
    yield Arm(CONTROLS[0], 1, "matched", shifted(tokens, CONSTANT))
    yield Arm(CONTROLS[1], 2, "unseen", lengthened(tokens, group))
    for k in KS:
        yield Arm(f"standard, k={k}", k, "matched", duplicated(tokens, group, k, measure=False))
        yield Arm(f"measure, k={k}", k, "matched", duplicated(tokens, group, k, measure=True))
        strict = duplicated(tokens, group, k, measure=True, causal=True)
        yield Arm(f"{STRICT}, k={k}", k, "causal", strict)


def last_logits(model: Any, tokens: Tensor, layout: Layout) -> Tensor:
    """Logits of the last token, [vocabulary], in float64."""
    parent = layout.parent.to(model.device)
    embedded = model.get_input_embeddings()(tokens.to(model.device))[parent]
    given: dict[str, Any] = {"inputs_embeds": embedded[None], "position_ids": parent[None]}
    if layout.mask is not None:
        given["attention_mask"] = layout.mask[None, None].to(model.device, model.dtype)
    out: Tensor = model(**given, use_cache=False, logits_to_keep=1).logits[0, -1].double().cpu()
    return out


@torch.inference_mode()
def answered(model: Any, question: Question) -> Iterator[dict[str, Any]]:
    """One record an arm, beside what the unmodified sequence gives in the same precision."""
    dtype = str(model.dtype).removeprefix("torch.")
    # An arm's name is of one benchmark only, so that a plan's arms are those of float32.
    label = "" if dtype == "float32" else f" ({dtype})"
    letters = list(question.letters)
    own: Tensor | None = None
    for arm in arms(question):
        logits = last_logits(model, question.tokens, arm.layout)
        own = logits if own is None else own
        options = logits[letters]
        first, second = options.topk(2)[0].tolist()
        chances = options.softmax(0).tolist()
        yield {
            "benchmark": f"answers{label}",
            "arm": f"{arm.name}{label}",
            "k": arm.k,
            "visibility": arm.visibility,
            "dtype": dtype,
            "item": question.item,
            "task": question.task,
            "cluster": question.cluster,
            "correct": int(int(options.argmax()) == question.answer),
            "answer": int(options.argmax()),
            "margin": first - second,
            "deviation": float((options - own[letters]).abs().max()),
            "deviation_all": float((logits - own).abs().max()),
            "largest_logit": float(own.abs().max()),
            "tokens": len(question.tokens),
            "length": len(arm.layout.parent),
            **{f"p_{j}": chances[j] if j < len(chances) else None for j in range(len(LETTERS))},
        }


def read_questions(data: Path, tokenizer: Any) -> list[Question]:
    """Choose questions of two to ten options in turn by task, each task's shortest first; return the shortest first.

    Raises
    ------
    InputError
        A row is no question, an id comes twice, or too few questions are short enough.
    """
    tasks: dict[str, list[Question]] = {}
    for row in read_rows(data):
        if 2 <= len(row["options"]) <= len(LETTERS):
            question = as_question(row, tokenizer)
            if len(question.tokens) <= LONGEST:
                tasks.setdefault(question.task, []).append(question)
    queues = [sorted(found, key=_length) for _, found in sorted(tasks.items())]
    turns = [queue[i] for i in range(max(map(len, queues), default=0)) for queue in queues if i < len(queue)]
    if len(turns) < QUESTIONS:
        raise InputError(f"{data}: {len(turns)} questions of at most {LONGEST} tokens; {QUESTIONS} are needed")
    items = [question.item for question in turns]
    if len(set(items)) < len(items):
        twice = next(item for item in items if items.count(item) > 1)
        raise InputError(f"{data}: id {twice} comes twice; ids must differ")
    return sorted(turns[:QUESTIONS], key=_length)


def _length(question: Question) -> tuple[int, str]:
    return len(question.tokens), question.item


def as_question(row: Mapping[str, Any], tokenizer: Any) -> Question:
    """Put a question to the model; context and rest are tokenised apart, so that the context's tokens are its own.

    Raises
    ------
    InputError
        The answer is none of the options.
    """
    order = list(range(len(row["options"])))
    if row["answer"] not in order:
        raise InputError(f"question {row['id']}: answer {row['answer']!r} is the index of none of {len(order)} options")
    random.Random(f"{SEED} {row['id']}").shuffle(order)

    def ids(text: str) -> list[int]:
        found: list[int] = tokenizer(text, add_special_tokens=False).input_ids
        return found

    listed = "".join(f"\n{letter}. {row['options'][i]}" for letter, i in zip(LETTERS, order, strict=False))
    before, context, after = ids(OPENING), ids(row["prompt"]), ids(f"\n{listed}{CLOSING}")
    last = len(before) + len(context)
    return Question(
        row["id"],
        row["task"],
        row["cluster"],
        torch.tensor([*before, *context, *after]),
        (last - len(context) // 2, last),
        [ids(f" {letter}")[-1] for letter in LETTERS[: len(order)]],
        order.index(row["answer"]),
    )


def made_up(tokenizer: Any) -> list[Question]:
    """Questions of the project's own making."""
    rows = [
        {
            "id": f"made up {i}",
            "task": "apples",
            "cluster": f"pair {i // 2}",
            "prompt": f"Ann has {i + 2} apples and gives away one. " * 3 + "How many are left?",
            "options": [str(i), str(i + 1), str(i + 2)],
            "answer": 1,
        }
        for i in range(6)
    ]
    return [as_question(row, tokenizer) for row in rows]


def main(argv: list[str] | None = None) -> None:
    """Run what the records lack."""
    arguments = parse(parser(__doc__, Path(__file__).parent, model=True, data=True), argv)
    model: Any
    tokenizer: Any
    if arguments.quick:
        from refsym.study.tiny import tiny_model

        model, tokenizer = tiny_model()
        questions = made_up(tokenizer)
    else:
        model, tokenizer = load_model(arguments.model)
        questions = read_questions(arguments.data, tokenizer)
    model = model.to(torch.float32).eval()
    rounded = copy.deepcopy(model).to(torch.bfloat16)
    settings = {
        "format": FORMAT,
        "data_sha256": "" if arguments.quick else file_hash(arguments.data),
        "model_sha256": "" if arguments.quick else file_hash(arguments.model),
        "questions": len(questions),
        "longest": LONGEST,
        "seed": SEED,
        "bfloat16_every": BFLOAT16_EVERY,
        "constant": CONSTANT,
        "versions": {name: version(name) for name in ("refsym", "torch", "transformers")},
    }
    records = Records(arguments.out, settings, force=arguments.force)
    done = records.done("item") if records.rows else set()
    new: list[dict[str, Any]] = []
    with progress("questions") as report:
        for place, question in enumerate(questions):
            report(place, len(questions))
            if question.item in done:
                continue
            new += answered(model, question)
            if place % BFLOAT16_EVERY == 0:
                new += answered(rounded, question)
            if place % AT_ONCE == AT_ONCE - 1:
                records.add(new)
                new = []
    if new:
        records.add(new)


def held_against_own(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Records beside the unmodified sequence's in the same precision, and KL(its options || the arm's) in nats.

    Arms lose the precision that their names end in; "dtype" has it.
    """
    table = pd.DataFrame(rows)
    table["arm"] = table["arm"].str.replace(r" \(\w+\)$", "", regex=True)
    chances = [f"p_{j}" for j in range(len(LETTERS))]
    # An option that is not there has no probability.
    table[chances] = table[chances].astype(float).fillna(0.0)
    own = table[table["arm"] == UNMODIFIED].set_index(["item", "dtype"])
    table = table.join(own[["answer", "correct", "margin", *chances]].add_prefix("own_"), on=["item", "dtype"])
    table["options"] = (table[chances] > 0).sum(axis=1)
    table["kl"] = kl_divergence(table[[f"own_{name}" for name in chances]].to_numpy(), table[chances].to_numpy())
    table["changed"] = table["answer"] != table["own_answer"]
    return table


def by_arm(table: pd.DataFrame, dtype: str) -> dict[str, pd.DataFrame]:
    """Split what was run in one precision, an arm a table, in the order in which arms were run."""
    return {str(name): arm for name, arm in table[table["dtype"] == dtype].groupby("arm", sort=False)}


def became(arm: pd.DataFrame) -> dict[str, int]:
    """Count what became of each of the unmodified sequence's answers."""
    return transitions(arm["own_correct"], arm["correct"], (arm["own_answer"], arm["answer"]))


def interval(values: pd.Series, arm: pd.DataFrame, scale: float) -> dict[str, Any]:
    """Cluster-robust interval of a mean over questions, times a scale, as a finding has it; nothing if none varies."""
    found = cluster_robust(values.astype(float).to_numpy(), arm["cluster"].tolist())
    if found.low is None or found.high is None:
        return {}
    said = f"95 %, cluster-robust t over {found.clusters} passages"
    return {"low": float(found.low) * scale, "high": float(found.high) * scale, "interval": said}


def standard_findings(arm: pd.DataFrame, k: int) -> list[Finding]:
    """Answers that standard attention changes."""
    n, moves = len(arm), became(arm)
    exact = mcnemar_exact(moves["W to C"], moves["C to W"])
    found: dict[str, tuple[str, str, int | float]] = {
        "changed": ("RS tables 1, 8", f"changed answers of {n:,}", int(arm["changed"].sum())),
        "C to W": ("RS table 1 (7B)", "right to wrong", moves["C to W"]),
        "W to C": ("RS table 1 (7B)", "wrong to right", moves["W to C"]),
        OTHER_WRONG: ("RS table 1 (7B)", "wrong to another wrong", moves[OTHER_WRONG]),
        "p": ("RS G.2 (7B)", "McNemar's exact p, nominal", math.nan if exact.p_value is None else exact.p_value),
    }
    ends = {"changed": interval(arm["changed"], arm, n)}
    findings = [
        Finding(f"Standard, k = {k}: {words}", source, number, PRINTED[k][name], **ends.get(name, {}), **ELSEWHERE)
        for name, (source, words, number) in found.items()
    ]
    gained = arm["correct"] - arm["own_correct"]
    accuracy = f"Standard, k = {k}: accuracy less that of the unmodified sequence, pp"
    return [*findings, Finding(accuracy, "RS table 1", 100 * float(gained.mean()), **interval(gained, arm, 100))]


def measure_findings(arm: pd.DataFrame, k: int, floor: float) -> list[Finding]:
    """Whether measure weighting changes an answer that rounding does not, and how far it moves anything."""
    changed, name = arm[arm["changed"]], f"Measure, k = {k}"
    # Two options move by the floor each, at most.
    explained = changed["own_margin"] <= 2 * floor
    widest = f"; the widest here {changed['own_margin'].max():.1e}" if len(changed) else ""
    largest = float(arm["deviation"].max())
    clip = f"another model, one clip; here {largest:.1e} against {floor:.1e}"
    return [
        Finding(
            f"{name}: changed answers of {len(arm):,}", "RS tables 1, 8", len(changed), "0 (7B), 0 (3B)", **ELSEWHERE
        ),
        Finding(
            f"{name}: changed answers that rounding does not explain",
            "RS 4.2",
            int((~explained).sum()),
            holds=bool(explained.all()),
            note=f"Explained is a margin of at most two floors, {2 * floor:.1e}{widest}.",
        ),
        Finding(
            f"{name}: largest deviation of an option's logit, in floors",
            "RS G.2",
            largest / floor,
            "0.91 to 1.19",
            incomparable=clip,
        ),
        Finding(
            f"{name}: largest KL from the unmodified sequence's options, nats",
            "RS G.6",
            float(arm["kl"].max()),
            "1.3e-9 (3B)",
            **ELSEWHERE,
        ),
    ]


def causal_findings(arm: pd.DataFrame, k: int, floor: float) -> list[Finding]:
    """What strictly causal copies do, in spite of their masses."""
    name, median = f"Strictly causal copies by measure, k = {k}", float(arm["deviation"].median())
    return [
        Finding(
            f"{name}: changed answers of {len(arm):,}",
            "RS G.2, table 8 (of 720)",
            int(arm["changed"].sum()),
            STRICTLY[k],
            **interval(arm["changed"], arm, len(arm)),
            **ELSEWHERE,
        ),
        Finding(
            f"{name}: median deviation of an option's logit, in floors",
            "RS A.3, G.2",
            median / floor,
            holds=median > floor,
            note="Visibility is a hypothesis that the symmetry needs.",
        ),
    ]


def null_finding(arm: pd.DataFrame, dtype: str) -> Finding:
    """One copy under a mask of zeros, in place of none."""
    gpu = "the paper's kernels are a GPU's, and its bfloat16 logits differ on all of eight clips"
    return Finding(
        f"One copy under a mask of zeros, {dtype}: largest deviation of any logit, relative",
        "RS C.4, G.6",
        float((arm["deviation_all"] / arm["largest_logit"]).max()),
        "0" if dtype == "float32" else "1.1e-2",
        incomparable=None if dtype == "float32" else gpu,
        note=f"{len(arm):,} questions. k = 1 and the zero mask are one control: their masks are equal."
        if dtype == "float32"
        else "",
    )


def arm_table(arms: Mapping[str, pd.DataFrame], dtype: str) -> Table:
    """One row an arm: what becomes of answers, and how far logits move."""
    rows = []
    for name, arm in arms.items():
        moves, moved = became(arm), arm["deviation"]
        right, kl = 100 * float(arm["correct"].mean()), float(arm["kl"].mean())
        far = (float(moved.median()), float(moved.max()))
        rows.append([name, int(arm["changed"].sum()), *moves.values(), right, *far, kl])
    note = "C right, W wrong. Median and largest deviation of an option's logit; mean KL in nats."
    if dtype == "bfloat16":
        note += " The mask is of this precision too: log 1/2 and log 1/3 in it are masses off by 0.2 % and 0.3 %."
    columns = ("Arm", "Changed", *became(arms[UNMODIFIED]), "Right, %", "Median", "Largest", "KL")
    title = f"In {dtype}, against the unmodified sequence: {len(arms[UNMODIFIED]):,} questions"
    return Table(title, columns, rows, note)


def task_table(arms: Mapping[str, pd.DataFrame]) -> Table:
    """One row a task: what the unmodified sequence answers, and what standard attention changes."""
    rows = []
    for task, own in arms[UNMODIFIED].groupby("task"):
        changed = (arms[f"standard, k={k}"] for k in KS)
        counts = [int(arm.loc[arm["task"] == task, "changed"].sum()) for arm in changed]
        answered = own["answer"].value_counts().sort_index().items()
        letters = ", ".join(f"{count} {LETTERS[int(str(answer))]}" for answer, count in answered)
        rows.append([task, len(own), own["cluster"].nunique(), *rates(own), *counts, letters])
    columns = (
        "Task",
        "Questions",
        "Passages",
        "Right, %",
        "Guessing, %",
        *(f"Changed, k = {k}" for k in KS),
        "Answers",
    )
    note = "Right, and answers: of the unmodified sequence. Guessing: what a blind guess gets right on average."
    return Table("By task, standard attention", columns, rows, note)


def rates(own: pd.DataFrame) -> tuple[float, float]:
    """Per cent right, and what a blind guess would get right on average."""
    return 100 * float(own["correct"].mean()), 100 * float((1 / own["options"]).mean())


def distribution(values: pd.Series) -> tuple[list[float], list[float]]:
    """Cumulative distribution; a zero has no place on a logarithmic axis."""
    x = np.sort(values.to_numpy())
    share = np.arange(1, len(x) + 1) / len(x)
    return x[x > 0].tolist(), share[x > 0].tolist()


def account(path: Path) -> Account:
    """Count changed answers, and hold deviations against the arithmetic floor."""
    rows, settings = read_records(path)
    table = held_against_own(rows)
    full, half = by_arm(table, "float32"), by_arm(table, "bfloat16")
    own, few = full[UNMODIFIED], len(half[UNMODIFIED])
    floor = max(float(full[name]["deviation"].max()) for name in CONTROLS)
    findings = [
        *(finding for k in KS for finding in standard_findings(full[f"standard, k={k}"], k)),
        *(finding for k in KS for finding in measure_findings(full[f"measure, k={k}"], k, floor)),
        *(finding for k in KS for finding in causal_findings(full[f"{STRICT}, k={k}"], k, floor)),
        Finding(
            "Smallest margin of an unmodified sequence's answer, in floors",
            "RS 4.2",
            float(own["margin"].min()) / floor,
            note="Below 2, rounding alone could change an answer.",
        ),
        *(null_finding(arms[NULL], dtype) for arms, dtype in ((full, "float32"), (half, "bfloat16"))),
    ]

    def changed(name: str, arms: Mapping[str, pd.DataFrame] = full) -> str:
        return " and ".join(str(int(arms[f"{name}, k={k}"]["changed"].sum())) for k in KS)

    def furthest(name: str) -> float:
        return max(float(full[f"{name}, k={k}"]["deviation"].max()) for k in KS)

    right, guessing = rates(own)
    rounding = " and ".join(str(int(half[name]["changed"].sum())) for name in CONTROLS)
    drawn = (*CONTROLS, *(f"{name}, k={k}" for name in ("measure", STRICT, "standard") for k in KS))
    return Account(
        "Duplicated context: standard and measure-weighted attention",
        "RS 4.2, tables 1 and 8: with half the visual tokens duplicated, standard attention changes 150 (k = 2) and "
        "255 (k = 3) of 3,586 answers of a 7B model, 140 and 236 of a 3B model; measure weighting changes none under "
        "matched visibility, and four or five of 720 where copies are strictly causal.",
        f"SmolLM2-135M-Instruct in float32 on {len(own):,} questions of {own['task'].nunique()} tasks and "
        f"{own['cluster'].nunique():,} passages, {own['tokens'].min()} to {own['tokens'].max()} tokens each; {few:,} "
        "of them also in bfloat16. Options stand in an order drawn for each question; the answer is the letter of the "
        "largest logit. The second half of the prompt's token embeddings is duplicated, by explicit copies. The "
        "arithmetic floor is the largest deviation of an option's logit under a constant bias and under keys that "
        "nobody sees.",
        [
            f"Standard attention changes {changed('standard')} of {len(own):,} answers at k = 2 and 3; measure "
            f"weighting changes {changed('measure')}. Its largest deviation of an option's logit is "
            f"{furthest('measure'):.1e}, where the controls' is {floor:.1e} and that of standard attention "
            f"{furthest('standard'):.3g}.",
            f"Strictly causal copies of the same masses change {changed(STRICT)} answers and move logits by up to "
            f"{furthest(STRICT):.3g}: the symmetry needs matched visibility.",
            f"The unmodified sequence is right on {right:.1f} % of the questions, a blind guess on {guessing:.1f} %.",
            f"In bfloat16 measure weighting changes {changed('measure', half)} of {few:,} answers; a constant bias "
            f"and keys that nobody sees, which change nothing in exact arithmetic, change {rounding}.",
        ],
        findings,
        [arm_table(full, "float32"), arm_table(half, "bfloat16"), task_table(full)],
        [
            Figure(
                "How far the options' logits move",
                "largest deviation of an option's logit",
                "share of questions",
                {name: distribution(full[name]["deviation"]) for name in drawn},
                log="x",
            ),
            Figure(
                "Which answers can change",
                "margin of the unmodified sequence's answer",
                "largest deviation of an option's logit",
                {
                    name: (full[name]["own_margin"].tolist(), full[name]["deviation"].tolist())
                    for name in ("standard, k=3", f"{STRICT}, k=3", "measure, k=3")
                },
                log="xy",
                points=True,
                note="Only those whose deviation is at least half the margin.",
            ),
        ],
        settings,
    )


if __name__ == "__main__":
    main()
