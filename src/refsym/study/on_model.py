"""The model that a study runs on, and what of its inputs decides the numbers."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from refsym.study.arguments import Arguments, file_hash
from refsym.study.tiny import tiny_model
from refsym_gpu.dump import load_model


def model_of(arguments: Arguments) -> tuple[Any, Any]:
    """Load --model, or make the tiny one under --quick: model in evaluation mode, and tokenizer."""
    model, tokenizer = tiny_model() if arguments.quick else load_model(arguments.model)
    model.train(False)
    return model, tokenizer


def inputs_of(arguments: Arguments, *packages: str) -> dict[str, Any]:
    """Hashes of --data and --model, empty under --quick; versions of refsym, torch, transformers and more packages."""
    quick: bool = arguments.quick
    return {
        "data_sha256": "" if quick else file_hash(arguments.data),
        "model_sha256": "" if quick else file_hash(arguments.model),
        "versions": {name: version(name) for name in ("refsym", "torch", "transformers", *packages)},
    }
