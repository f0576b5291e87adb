"""Calibration of refsym_stats: coverage of its intervals and size of its tests on data of known effects.

README: `python studies/calibration/run.py` writes `records.parquet` beside this file, scenario by scenario; killed, it
goes on where it stopped. About a quarter of an hour on one core. `--force` starts afresh; `--replications`, `--draws`,
`--seed` and `--out` change what is run and where it goes. `python -m refsym.report.calibration` renders the records.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import platform
import sys
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import refsym_stats
from refsym.progress import progress
from refsym_stats.calibration import FAMILIES, Scenario, simulate
from refsym_theory.atomic import write_atomically

FORMAT = 1
KEY = b"refsym"

MODULES = (
    "arguments bootstrap categories clusters equivalence intervals mcnemar multiplicity randomization result streams"
)
PACKAGES = "calibration", "signed_sums"
"""Modules and packages of refsym_stats that decide the numbers."""

DEPLOYMENT = (2,) * 199 + (1,) * 2091
"""RS 4.4: 2,489 questions of 2,290 source videos."""

CLUSTERED = ("cluster-robust t", "cluster bootstrap, percentile", "cluster bootstrap, basic", "t over items")
CLUSTERED += ("sign flip over clusters", "sign flip over items")
CROSSED = ("paired t over seeds", "cluster-robust t", "t over items", "crossed bootstrap, percentile")
CROSSED += ("sign flip over clusters", "gate")
COUNTS = ("McNemar, exact", "McNemar, mid-p", "sign flip over items", "paired counts, score interval")
COUNTS += ("paired counts, t interval",)
INTERVALS = tuple(name for name in (*CLUSTERED, *CROSSED, *COUNTS) if "flip" not in name and name != "gate")
INTERVALS = tuple(dict.fromkeys(name for name in INTERVALS if not name.startswith("McNemar")))


def scenarios() -> list[Scenario]:
    """List what is run, in the order of the report."""
    found = [*_few(), *_unequal(), *_dependent(), *_tails(), *_seeds(), *_families(), *_counts(), *_equivalence()]
    assert len({scenario.name for scenario in found}) == len(found)
    return found


def _with_effect(scenario: Scenario, effect: float) -> Scenario:
    """The same law with an effect: tests of no effect say nothing of size there, so intervals alone are tried."""
    methods = tuple(name for name in scenario.methods if name in INTERVALS)
    return replace(scenario, name=f"{scenario.name}, effect {effect:g} SE", effect=effect, methods=methods)


def _few() -> list[Scenario]:
    out = []
    for law in ("binary", "skewed"):
        for groups in (5, 10, 20, 40):
            name = f"{groups} clusters of 20, {law}"
            one = Scenario(name, "Few clusters", (law,), (20,) * groups, CLUSTERED, discordance=0.3)
            out += [one, _with_effect(one, 1.0)] if law == "binary" else [one]
    return out


def _unequal() -> list[Scenario]:
    third = (200,) + (10,) * 40
    geometric = tuple(round(2 * 1.3**i) for i in range(20))
    out = []
    for law in ("binary", "skewed"):
        for name, sizes in (("one of 41 has a third of the items", third), ("20 of sizes 2 to 292", geometric)):
            out.append(Scenario(f"{name}, {law}", "Unequal clusters", (law,), sizes, CLUSTERED, discordance=0.3))
    for groups in (20, 100):
        name = f"{groups} clusters, mean goes with size, normal"
        out.append(Scenario(name, "Unequal clusters", ("normal",), (10,) * groups, CLUSTERED, linked=True))
    return out


def _dependent() -> list[Scenario]:
    out = []
    for law in ("binary", "normal"):
        for share in (0.0, 0.2, 0.8):
            name, item = f"correlation {share:g} in 40 clusters of 10, {law}", (1 - share) / 2
            parts: dict[str, Any] = {"cluster_share": share, "item_share": item, "discordance": 0.3}
            one = Scenario(name, "Dependence within clusters", (law,), (10,) * 40, CLUSTERED, **parts)
            out += [one, _with_effect(one, 1.0)] if law == "binary" and share == 0.2 else [one]
    return out


def _tails() -> list[Scenario]:
    out = []
    for groups in (40, 400):
        for law in ("normal", "skewed", "heavy", "lognormal")[groups > 40 :]:
            name = f"{groups} clusters of one, {law}"
            out.append(Scenario(name, "Tails", (law,), (1,) * groups, CLUSTERED[:3] + CLUSTERED[4:5]))
    for law in ("binary", "skewed"):
        name = f"2,290 clusters, {law}"
        out.append(Scenario(name, "Tails", (law,), DEPLOYMENT, CLUSTERED[:2] + CLUSTERED[3:]))
    return out


def _seeds() -> list[Scenario]:
    out = []
    five, others = ((5, 0.0), (5, 0.3), (5, 1.0), (5, 3.0)), ((5, 2.0), (2, 1.0), (3, 1.0), (10, 1.0))
    # A shift changes no coverage of real-valued differences, so an effect is tried where it changes the law.
    for law, plans in (("binary", five + others), ("skewed", five[1:])):
        for seeds, spread in plans:
            name = f"{seeds} seeds, spread {spread:g} SE, {law}"
            one = Scenario(name, "Seeds", (law,), DEPLOYMENT, CROSSED, seeds=seeds, seed_spread=spread)
            out += [one, _with_effect(one, 2.0)] if (law, seeds, spread) == ("binary", 5, 0.3) else [one]
    return out


def _families() -> list[Scenario]:
    laws = ("binary", "binary", "skewed", "skewed")
    return [
        Scenario(
            f"family of 4, spread {spread:g} SE",
            "Families",
            laws,
            DEPLOYMENT,
            tuple(FAMILIES),
            seeds=5,
            seed_spread=spread,
        )
        for spread in (0.0, 0.3, 1.0, 3.0)
    ]


def _counts() -> list[Scenario]:
    alone: dict[str, Any] = {"cluster_share": 0.0, "times": 5}
    out = []
    for n, discordant in ((2489, 300), (200, 20), (500, 3)):
        name = f"about {discordant} of {n:,} pairs disagree"
        one = Scenario(name, "Paired counts", ("binary",), (1,) * n, COUNTS, discordance=discordant / n, **alone)
        # Three disagree: 2 gains and 1 loss on average is an effect of 1 / sqrt(3) standard errors.
        out += [one, _with_effect(one, round(3**-0.5, 3) if discordant == 3 else 1.0)]
    dependent = Scenario(
        "about 60 of 400 pairs disagree, correlation 0.8 in clusters of 10",
        "Paired counts",
        ("binary",),
        (10,) * 40,
        COUNTS,
        discordance=0.15,
        cluster_share=0.8,
        item_share=0.1,
        times=5,
    )
    return [*out, dependent]


def _equivalence() -> list[Scenario]:
    out = []
    for groups in (10, 40, 400):
        for margin in (1.5, 4.0):
            name, methods = f"margin {margin:g} SE, {groups} clusters", ("equivalence, cluster-robust t",)
            out.append(Scenario(name, "Equivalence", ("skewed",), (5,) * groups, methods, effect=margin))
    for spread in (0.0, 1.0, 3.0):
        name, methods = f"margin 8 SE, 5 seeds, spread {spread:g} SE", ("equivalence, paired t over seeds",)
        law: dict[str, Any] = {"seeds": 5, "seed_spread": spread, "effect": 8.0}
        out.append(Scenario(name, "Equivalence", ("skewed",), DEPLOYMENT, methods, **law))
    return out


def sources() -> str:
    """Hash the code that decides the numbers."""
    root, digest = Path(str(refsym_stats.__file__)).parent, hashlib.sha256()
    files = [root / f"{name}.py" for name in MODULES.split()]
    files += [path for name in PACKAGES for path in sorted((root / name).glob("*.py"))]
    for path in [*files, Path(__file__)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Collect what decides the numbers."""
    return {
        "format": FORMAT,
        "replications": arguments.replications,
        "draws": arguments.draws,
        "seed": arguments.seed,
        "level": 0.95,
        "scenarios": len(scenarios()),
        "sources_sha256": sources(),
        "versions": {name: version(name) for name in ("refsym", "numpy", "scipy", "pandas", "numba")}
        | {"python": platform.python_version()},
    }


def read(path: Path, wanted: dict[str, Any], force: bool) -> tuple[list[pa.Table], float]:
    """Read what an earlier run with the same settings has finished, and how long that took."""
    if force or not path.exists():
        return [], 0.0
    table = pq.read_table(path)
    before = json.loads((table.schema.metadata or {}).get(KEY, b"{}"))
    seconds = float(before.pop("seconds", 0.0))
    if before != wanted:
        names = ", ".join(name for name in wanted if before.get(name) != wanted[name])
        raise SystemExit(f"{path}: made with other settings ({names}); --force starts afresh")
    return [table], seconds


def write(path: Path, tables: list[pa.Table], made: dict[str, Any]) -> pa.Table:
    """Write the finished scenarios; the file is there whole or not at all."""
    table = pa.concat_tables([part.replace_schema_metadata(None) for part in tables])
    table = table.replace_schema_metadata({KEY: json.dumps(made).encode()})
    out = io.BytesIO()
    pq.write_table(table, out)
    write_atomically(path, out.getvalue())
    return table


def main(argv: list[str] | None = None) -> None:
    """Run the scenarios that the records lack."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--replications", type=int, default=2_000)
    parser.add_argument("--draws", type=int, default=999)
    parser.add_argument("--seed", type=int, default=20_260_511)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("records.parquet"))
    parser.add_argument("--only", metavar="GROUP", help="one group of scenarios")
    parser.add_argument("--force", action="store_true")
    arguments = parser.parse_args(argv)
    wanted = settings(arguments)
    tables, seconds = read(arguments.out, wanted, arguments.force)
    done = set(tables[0]["scenario"].to_pylist()) if tables else set()
    todo = [s for s in scenarios() if s.name not in done and arguments.only in (None, s.group)]
    with progress("scenarios") as report:
        for number, scenario in enumerate(todo):
            report(number, len(todo))
            start = time.process_time()
            found = simulate(
                [scenario], replications=arguments.replications, draws=arguments.draws, seed=arguments.seed
            )
            spent = time.process_time() - start
            seconds += spent
            tables = [write(arguments.out, [*tables, pa.Table.from_pandas(found)], wanted | {"seconds": seconds})]
            print(f"{spent:7.1f} s  {scenario.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
