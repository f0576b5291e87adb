"""Paired, clustered, multiplicity-controlled comparisons of evaluation records, and audits of printed numbers."""

from refsym_stats.bootstrap import cluster_bootstrap, crossed_bootstrap
from refsym_stats.combination import combined
from refsym_stats.comparison import Comparison, compare
from refsym_stats.contrasts import Compared
from refsym_stats.divergence import jensen_shannon, kl_divergence, mean_pairwise_jsd
from refsym_stats.endpoints import pairwise_jsd, robust_accuracy, worst_partition
from refsym_stats.equivalence import tost
from refsym_stats.errors import InputError
from refsym_stats.intervals import cluster_robust, paired_t
from refsym_stats.mcnemar import mcnemar_exact
from refsym_stats.multiplicity import bonferroni, gated, holm
from refsym_stats.paired_answers import paired_recall, transitions
from refsym_stats.plan import Inference, Plan, Reading
from refsym_stats.planning import Design, design
from refsym_stats.randomization import sign_flip
from refsym_stats.readers import read_records
from refsym_stats.records import Records, record_table
from refsym_stats.result import Alternative, Flag, Result
from refsym_stats.slopes import rate_slopes

__all__ = [
    "Alternative",
    "Compared",
    "Comparison",
    "Design",
    "Flag",
    "Inference",
    "InputError",
    "Plan",
    "Reading",
    "Records",
    "Result",
    "bonferroni",
    "cluster_bootstrap",
    "cluster_robust",
    "combined",
    "compare",
    "crossed_bootstrap",
    "design",
    "gated",
    "holm",
    "jensen_shannon",
    "kl_divergence",
    "mcnemar_exact",
    "mean_pairwise_jsd",
    "paired_recall",
    "paired_t",
    "pairwise_jsd",
    "rate_slopes",
    "read_records",
    "record_table",
    "robust_accuracy",
    "sign_flip",
    "tost",
    "transitions",
    "worst_partition",
]
