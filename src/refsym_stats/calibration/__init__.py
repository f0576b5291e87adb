r"""How often intervals cover and tests reject, by simulation on differences whose mean is known.

A difference between two arms on item i of cluster g under training seed s is made of a cluster's part, an item's part
that all seeds share, and the rest; a seed may also shift all of its differences. Its mean is exact by construction. One
number can be asked of such data in three ways, and an interval answers only some of them:

- new sources, same seeds: these checkpoints on all the sources there are;
- same items, new seeds: all checkpoints that the recipe could have given, on this test set;
- new sources, new seeds: both at once.
"""

from refsym_stats.calibration.drawing import samples
from refsym_stats.calibration.laws import LAWS
from refsym_stats.calibration.methods import FAMILIES, METHODS
from refsym_stats.calibration.sample import BOTH, SEEDS, SOURCES, Sample
from refsym_stats.calibration.scenario import Scenario
from refsym_stats.calibration.simulation import simulate
from refsym_stats.calibration.students import cluster_robust_batch, paired_t_batch
from refsym_stats.calibration.verdicts import (
    CALIBRATED,
    CONSERVATIVE,
    COVERAGE,
    FAMILY,
    MANY,
    SHORT,
    SIZE,
    Tally,
    verdict,
    wilson,
)

__all__ = [
    "BOTH",
    "CALIBRATED",
    "CONSERVATIVE",
    "COVERAGE",
    "FAMILIES",
    "FAMILY",
    "LAWS",
    "MANY",
    "METHODS",
    "SEEDS",
    "SHORT",
    "SIZE",
    "SOURCES",
    "Sample",
    "Scenario",
    "Tally",
    "cluster_robust_batch",
    "paired_t_batch",
    "samples",
    "simulate",
    "verdict",
    "wilson",
]
