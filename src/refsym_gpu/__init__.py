"""Block selection in plain torch, the hook into Transformers, and score dumps.

Names are loaded when first used: the selection needs torch alone, the dump and the hook Transformers as well.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refsym_gpu.dump import dump_scores
    from refsym_gpu.models import register_attention
    from refsym_gpu.reference import (
        block_scores,
        measure_attention,
        pool_blocks,
        select_blocks,
        tile_scores,
    )

__all__ = [
    "block_scores",
    "dump_scores",
    "measure_attention",
    "pool_blocks",
    "register_attention",
    "select_blocks",
    "tile_scores",
]

_ELSEWHERE = {"dump_scores": "dump", "register_attention": "models"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_ELSEWHERE.get(name, 'reference')}"), name)
