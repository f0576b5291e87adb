"""Builders of evaluation logs, field by field as the harnesses' own writers leave them on disk."""

import hashlib
import json
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

LM_DATE = "2025-03-04T05-06-07.123456"
LMMS_DATE = "20250304_050607"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def lm_sample(doc_id, *, lls=None, texts=None, target="0", filter="none", document=None, doc=None, **metrics):
    """One sample of lm-evaluation-harness 0.4.13; with `lls` a multiple-choice one, else a generated answer."""
    texts = texts or [f"option {j}" for j in range(len(lls or [0]))]
    return {
        "doc_id": doc_id,
        "doc": doc or {"question": f"question {doc_id}"},
        "target": target,
        "arguments": {
            f"gen_args_{j}": {"arg_0": f"Question: question {doc_id}\nAnswer:", "arg_1": f" {text}"}
            for j, text in enumerate(texts)
        },
        "resps": [[[str(ll), "False"]] for ll in lls] if lls else [["The answer is 4."]],
        "filtered_resps": [[str(ll), "False"] for ll in lls] if lls else ["4"],
        "filter": filter,
        "metrics": list(metrics),
        "doc_hash": digest(document or f"document {doc_id}"),
        "prompt_hash": digest(f"prompt {doc_id!r}"),
        "target_hash": digest(target),
        **metrics,
    }


def lm_run(folder, samples, *, task="tiny", model="org/model", date=LM_DATE):
    """The folder of one run: its samples and its results. Returns the samples file."""
    written = write_lines(folder / f"samples_{task}_{date}.jsonl", samples)
    results = {"results": {task: {"alias": task}}, "config": {"model": "hf"}, "model_source": "hf", "model_name": model}
    (folder / f"results_{date}.json").write_text(json.dumps(results, indent=2), encoding="utf-8")
    return written


def lmms_sample(doc_id, *, answer="A", **metrics):
    """One sample of lmms-eval 0.7.3: one response is flattened, `doc`, `arguments` and equal `resps` are dropped."""
    return {
        "doc_id": doc_id,
        "target": "A",
        "filtered_resps": answer,
        "token_counts": [None],
        "doc_hash": digest(f"document {doc_id} at 0x7f"),
        **metrics,
        "input": f"Question {doc_id}",
    }


def lmms_run(folder, samples, *, task="videomme", model="org/vision"):
    written = write_lines(folder / f"{LMMS_DATE}_samples_{task}.jsonl", samples)
    (folder / f"{LMMS_DATE}_results.json").write_text(
        json.dumps({"results": {}, "model_name": model}), encoding="utf-8"
    )
    return written


STORED, DEFLATED, ZSTANDARD = 0, 8, 93
LINK = 0o120777 << 16


@dataclass
class Member:
    """A zip member, every field of which a test may falsify."""

    name: str
    data: bytes
    method: int = ZSTANDARD
    size: int | None = None
    crc: int | None = None
    flags: int = 0
    attributes: int = 0
    local_name: str | None = None

    def packed(self):
        if self.method == DEFLATED:
            packer = zlib.compressobj(wbits=-15)
            return packer.compress(self.data) + packer.flush()
        return pa.compress(self.data, codec="zstd", asbytes=True) if self.method == ZSTANDARD else self.data


def zip_bytes(members: Iterable[Member]) -> bytes:
    """A zip file, written by hand: Python's zipfile knows no Zstandard before 3.14, and tells no lies."""
    body, directory, count = b"", b"", 0
    for member in members:
        packed, name = member.packed(), member.name.encode()
        local_name = (member.local_name or member.name).encode()
        size = len(member.data) if member.size is None else member.size
        crc = zlib.crc32(member.data) if member.crc is None else member.crc
        flags = member.flags | (0 if member.name.isascii() else 0x800)
        common = struct.pack("<5H3L", 20, flags, member.method, 0, 0x21, crc, len(packed), size)
        directory += struct.pack("<4sH", b"PK\x01\x02", 20) + common
        directory += struct.pack("<5H2L", len(name), 0, 0, 0, 0, member.attributes, len(body)) + name
        body += b"PK\x03\x04" + common + struct.pack("<2H", len(local_name), 0) + local_name + packed
        count += 1
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + end


def inspect_sample(id, epoch=1, *, error=None, metadata=None, **scores):
    """One sample of Inspect 0.3: absent fields are not written, NaN is a bare token."""
    sample = {
        "id": id,
        "epoch": epoch,
        "input": f"question {id}",
        "target": "ok",
        "messages": [],
        "output": {"model": "mockllm/model", "choices": [], "completion": ""},
        "scores": {name: {"value": value, "answer": "ok", "history": []} for name, value in scores.items()},
        "metadata": metadata or {},
        "store": {},
        "events": [],
        "model_usage": {},
        "uuid": f"uuid-{id}-{epoch}",
    }
    return sample | ({"error": {"message": error, "traceback": "", "traceback_ansi": ""}} if error else {})


def inspect_members(
    samples: Sequence[dict],
    *,
    model="mockllm/model",
    task="tiny",
    ids=None,
    epochs=1,
    status="success",
    method=ZSTANDARD,
) -> list[Member]:
    """The members of an `.eval` file, in the writer's order."""
    dataset = {"name": "ds", "samples": len(samples), "sample_ids": ids, "shuffled": False}
    described = {"task": task, "model": model, "dataset": dataset, "config": {"epochs": epochs}, "created": "2025"}
    start = {"version": 2, "eval": described, "plan": {"name": "plan", "steps": []}}
    summaries = [{"id": sample["id"], "epoch": sample["epoch"]} for sample in samples]
    found = [("_journal/start.json", start)]
    found += [(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample) for sample in samples]
    found += [("_journal/summaries/1.json", summaries), ("summaries.json", summaries)]
    if status != "started":
        found.append(("header.json", start | {"status": status, "invalidated": False}))
    return [Member(name, json.dumps(value, ensure_ascii=False).encode(), method) for name, value in found]


def inspect_log(path: Path, samples: Sequence[dict], **settings) -> Path:
    path.write_bytes(zip_bytes(inspect_members(samples, **settings)))
    return path
