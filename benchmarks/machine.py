"""The line that says where figures were measured."""

import os
import platform
from importlib.metadata import version
from pathlib import Path


def machine() -> str:
    """CPU model, cores that this process may use, what else runs on them, versions."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    load = f"load {os.getloadavg()[0]:.1f}"  # above 0 at the start, others measure with us
    return f"{cpu}, {cores} cores, {load}, Python {platform.python_version()}, {versions}"
