"""Block selection and attention in plain torch and Triton, the hook into Transformers, and score dumps.

Names are loaded when first used: the reference needs torch alone, kernels Triton, the dump and the hook Transformers.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refsym_gpu.attention import block_sparse_attention, mass_weighted_attention
    from refsym_gpu.dump import dump_scores
    from refsym_gpu.models import register_attention
    from refsym_gpu.reference import block_scores, measure_attention
    from refsym_gpu.selection import measure_noise, pool_blocks, select_blocks, tile_scores

__all__ = [
    "block_scores",
    "block_sparse_attention",
    "dump_scores",
    "mass_weighted_attention",
    "measure_attention",
    "measure_noise",
    "pool_blocks",
    "register_attention",
    "select_blocks",
    "tile_scores",
]

_HOME = {
    "block_scores": "reference",
    "block_sparse_attention": "attention",
    "dump_scores": "dump",
    "mass_weighted_attention": "attention",
    "measure_attention": "reference",
    "register_attention": "models",
}
"""Where a name is that is not in `selection`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'selection')}"), name)
