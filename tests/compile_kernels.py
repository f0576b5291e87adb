"""Compile every kernel for one GPU generation without a GPU, and say what the assembler made of it, as JSON.

Run by test_kernels_compile.py in a process of its own: there Triton compiles, here it may be interpreting.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from refsym_gpu.kernels import attend, backward, pool, score, select

TYPES = {torch.bfloat16: "*bf16", torch.float16: "*fp16", torch.float32: "*fp32"}
CUOBJDUMP = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"

POINTERS = {
    "*fp32": "mean_ptr minimum_ptr maximum_ptr scores_ptr value_ptr log_mass_ptr lse_ptr delta_ptr dmass_ptr",
    "*fp64": "step_sum_ptr half_sum_ptr g_ptr big_g_ptr r_ptr sigma_ptr",
    "*i32": "step_count_ptr half_count_ptr index_ptr kv_idx_ptr q_lens_ptr kv_lens_ptr",
    "*i64": "k_free_ptr m_free_ptr",
    "*i1": "eligible_ptr trigger_ptr",
    "*i8": "mask_ptr",
    "fp32": "scale softcap",
}
KIND = {name: kind for kind, names in POINTERS.items() for name in names.split()}
EVEN = {"q_sb", "q_sh", "q_sm", "k_sb", "k_sh", "k_sn", "v_sb", "v_sh", "v_sn"}
"""Strides that a launch finds to be multiples of 16."""


def compiled(name, kernel, target, dtype, constants, *, num_warps=4, num_stages=2, **kinds):
    """Compile as a launch would."""
    types = {}
    for argument in kernel.arg_names:
        pointer = argument.endswith("_ptr")
        types[argument] = kinds.get(argument) or KIND.get(argument) or (TYPES[dtype] if pointer else "i32")
    types |= dict.fromkeys(constants, "constexpr")
    aligned = {
        (place,): [["tt.divisibility", 16]]
        for place, argument in enumerate(kernel.arg_names)
        if argument not in constants and (types[argument].startswith("*") or argument in EVEN)
    }
    source = ASTSource(fn=kernel, signature=types, constexprs=constants, attrs=aligned)
    options = {"num_warps": num_warps, "num_stages": num_stages, "enable_fp_fusion": True}
    found = triton.compile(source, target=GPUTarget("cuda", target, 32), options=options)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        Path(file.name).write_bytes(found.asm["cubin"])
        command = [CUOBJDUMP, "--dump-resource-usage", file.name]
        usage = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    registers, stack = re.search(r"REG:(\d+) STACK:(\d+)", usage).groups()
    return {
        "kernel": name,
        "registers": int(registers),
        "stack": int(stack),
        "shared": found.metadata.shared,
        "matrix": [word for word in ("mma.sync", "wgmma", "tcgen05.mma") if word in found.asm["ptx"]],
        "dots": found.asm["ttir"].count("tt.dot "),
        "ieee": "inputPrecision = ieee" in found.asm["ttir"],
    }


def attention(target, dtype, dim):
    sizes = {"D": dim, "DV": dim, "DVP": dim, "WIDEN": False}
    rows = {"BM": 64, "BMP": 64, "BN": 64}
    for quest, noise in ((False, False), (True, False), (True, True)):
        chosen = score.shape(dtype, dim, quest=quest, noise=noise)
        stages = chosen.pop("num_stages")
        constants = rows | {"D": dim, "QUEST": quest, "LIFT": 1.0, "NOISE": noise, "WIDEN": False} | chosen
        name = f"score {dim}{' quest' * quest}{' noise' * noise}"
        yield compiled(name, score.tile_score_kernel, target, dtype, constants, num_stages=stages)
    chosen = attend.shape(dtype, dim, 64)
    launch = {name: chosen.pop(name) for name in ("num_warps", "num_stages")}
    switches = {"CAUSAL": True, "MASK": False, "MASS": True, "SOFTCAP": True}
    constants = sizes | rows | switches | {"PARTS": 64 // chosen["BC"], "SP": 128, "DENSE": False} | chosen
    yield compiled(f"attend {dim}", attend.attend_kernel, target, dtype, constants, **launch)
    for name, kernel in (("key", backward.key_gradient_kernel), ("query", backward.query_gradient_kernel)):
        chosen = backward.shape(dtype, dim, queries=name == "query")
        launch = {name: chosen.pop(name) for name in ("num_warps", "num_stages")}
        constants = sizes | switches | {"DP": dim, "SOFTCAP": False} | chosen
        yield compiled(f"{name} gradient {dim}", kernel, target, dtype, constants, **launch)


def selection(target):
    dtype, rows = torch.bfloat16, {"BM": 64, "BN": 64}
    constants = {"D": 128, "DP": 128, "BN": 64, "BNP": 64, "LIFT": 1.0, "MEAN": True, "EXTREMES": True}
    yield compiled("pool", pool.pool_kernel, target, dtype, constants)
    yield compiled("prefix", select.prefix_kernel, target, dtype, rows | {"BB": 2048})
    yield compiled("keep", select.keep_kernel, target, dtype, rows | {"SP": 256})
    tiles = {"BT": 64}
    yield compiled("mean", select.mean_kernel, target, dtype, tiles, mean_ptr="*fp64")
    yield compiled("trigger", select.trigger_kernel, target, dtype, tiles, mean_ptr="*fp64")


def main():
    target = int(sys.argv[1])
    found = list(selection(target))
    for dim in (64, 128, 256):
        found += attention(target, torch.bfloat16, dim)
    found += [entry | {"kernel": f"{entry['kernel']} float32"} for entry in attention(target, torch.float32, 128)]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
