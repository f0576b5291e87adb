"""Paired, clustered, multiplicity-controlled comparisons of evaluation records, and audits of printed numbers."""

from refsym_stats.bootstrap import cluster_bootstrap, crossed_bootstrap
from refsym_stats.combination import combined
from refsym_stats.comparison import Compared, Comparison, compare
from refsym_stats.divergence import jensen_shannon, kl_divergence, mean_pairwise_jsd
from refsym_stats.endpoints import paired_recall, pairwise_jsd, rate_slopes, robust_accuracy, transitions
from refsym_stats.errors import InputError
from refsym_stats.intervals import cluster_robust, paired_t
from refsym_stats.mcnemar import mcnemar_exact
from refsym_stats.multiplicity import bonferroni, gated, holm, tost
from refsym_stats.plan import Plan
from refsym_stats.planning import Design, design
from refsym_stats.randomization import sign_flip
from refsym_stats.readers import read_records
from refsym_stats.records import Records, record_table
from refsym_stats.result import Alternative, Flag, Result

__all__ = [
    "Alternative",
    "Compared",
    "Comparison",
    "Design",
    "Flag",
    "InputError",
    "Plan",
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
]
