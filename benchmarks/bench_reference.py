"""Reference tile scores and selection against the naive [H, N, N_B] way: the same numbers, one run, a ratio."""

import argparse
import platform
import time
from collections.abc import Callable

import torch

from refsym_gpu.reference import select_blocks, tile_scores


def naive(q: torch.Tensor, k: torch.Tensor, block: int) -> torch.Tensor:
    """All row scores at once, masked, then the maximum over each tile; equal blocks and tiles, causal."""
    heads, tokens, dim = q.shape[1:]
    mean = k.unflatten(2, (-1, block)).mean(dim=3).repeat_interleave(heads // k.shape[1], dim=1)
    rows = (q @ mean.mT) * dim**-0.5
    visible = torch.arange(tokens)[:, None] >= torch.arange(tokens // block) * block
    return rows.masked_fill(~visible, -torch.inf).unflatten(2, (-1, block)).amax(dim=3)


def best(run: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=8192)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--block", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=15)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    q = torch.randn(1, args.heads, args.tokens, args.dim)
    k = torch.randn(1, args.heads, args.tokens, args.dim)

    def ours() -> torch.Tensor:
        return tile_scores(q, k, block_m=args.block, block_n=args.block).scores

    expected, got = naive(q, k, args.block), ours()
    seen = torch.isfinite(expected)
    torch.testing.assert_close(got[seen], expected[seen], rtol=1e-5, atol=1e-5)
    fast = best(ours, args.repeats)
    both = best(
        lambda: select_blocks(tile_scores(q, k, block_m=args.block, block_n=args.block), k=33, rho=2, q="0.4"),
        args.repeats,
    )
    slow = best(lambda: naive(q, k, args.block), args.repeats)
    print(
        f"tile scores, {args.tokens} tokens, {args.heads} heads, d={args.dim}, {args.threads} threads, "
        f"torch {torch.__version__}, {platform.machine()}: "
        f"reference {1e3 * fast:.1f} ms, with selection {1e3 * both:.1f} ms, naive scores {1e3 * slow:.1f} ms, "
        f"ratios {slow / fast:.1f} and {slow / both:.1f}"
    )


if __name__ == "__main__":
    main()
