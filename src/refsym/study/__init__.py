"""What every study of `studies/` shares: its arguments, its resumable records, its findings."""

from refsym.study.arguments import Arguments, file_hash, parse, parser
from refsym.study.findings import Account, Figure, Finding, Table
from refsym.study.records import Records, read_records

__all__ = [
    "Account",
    "Arguments",
    "Figure",
    "Finding",
    "Records",
    "Table",
    "file_hash",
    "parse",
    "parser",
    "read_records",
]
