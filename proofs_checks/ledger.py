"""What one run of `pytest proofs_checks` found: gathered from the reports, judged, printed and handed on."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from refsym_theory.claims import registry
from refsym_theory.evidence import Evidence, Level, Outcome, Role
from refsym_theory.verdicts import Standing, standings

HERE = Path(__file__).parent
RECORDED = "recorded, not rerun"


class Ledger:
    """The evidence of one session, in the process that runs it (of pytest-xdist: the controller)."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.evidence: list[Evidence] = []
        self._parts: dict[str, list[pytest.TestReport]] = {}
        self._collected = 0
        self._found: dict[str, Standing] = {}
        self._complete = False
        stream = config.getoption("claims_record")
        self._stream = Path(stream).open("w") if stream else None  # noqa: SIM115 (closed at the end of the session)

    def collected(self, count: int) -> None:
        """Note how many checks there are."""
        if count != self._collected:
            self._collected = count
            self._write({"collected": count})

    @pytest.hookimpl
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.collected(len(ids))

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        mark = dict(report.user_properties).get("claim")
        if mark is None:
            return
        self._parts.setdefault(report.nodeid, []).append(report)
        if report.when == "teardown":
            item = _evidence(mark, self._parts.pop(report.nodeid))
            self.evidence.append(item)
            self._write({"check": {**item.__dict__, "facts": list(item.facts)}})

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._complete = self.complete(session)
        if self.evidence:
            try:
                self._found = standings(registry(), self.evidence)
            except ValueError as error:
                raise pytest.UsageError(str(error)) from None
        judged = self._complete and session.exitstatus == pytest.ExitCode.OK
        if judged and not all(standing.holds for standing in self._found.values()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        self._write({"complete": self._complete, "exit": int(session.exitstatus)})
        if self._stream:
            self._stream.close()

    def complete(self, session: pytest.Session) -> bool:
        """Whether every check of every claim was asked for, and the run was not cut short."""
        option = self.config.option
        narrowed = any(
            getattr(option, name, None)
            for name in ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "failedfirst", "stepwise")
        )
        whole = any(_holds(argument) for argument in self.config.args)
        stopped = session.shouldstop or session.exitstatus == pytest.ExitCode.INTERRUPTED
        return whole and not narrowed and not stopped and self._every_file_reported()

    def _every_file_reported(self) -> bool:
        files = {str(path.relative_to(HERE)) for path in HERE.rglob("test_*.py")}
        return files == {item.check.split("::")[0].removeprefix(f"{HERE.name}/") for item in self.evidence}

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        found, complete = self._found, self._complete
        if not found:
            return
        terminalreporter.section("claims" if complete else "claims (a part of the checks only: no verdicts)")
        for standing in found.values():
            terminalreporter.line(_line(standing, complete), red=complete and not standing.holds)
        if complete:
            counts = Counter(standing.verdict.value for standing in found.values())
            total = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
            wrong = sum(not standing.holds for standing in found.values())
            terminalreporter.line(f"{len(found)} claims: {total}; {wrong} drifted or owing")

    def _write(self, line: dict[str, Any]) -> None:
        if self._stream:
            self._stream.write(json.dumps(line) + "\n")
            self._stream.flush()


def _holds(argument: str) -> bool:
    path = Path(argument.split("::")[0]).resolve()
    return "::" not in argument and (path == HERE or path in HERE.parents)


def _evidence(mark: dict[str, Any], reports: list[pytest.TestReport]) -> Evidence:
    facts = [(str(name), str(value)) for report in reports for name, value in report.user_properties if name != "claim"]
    return Evidence(
        claim=mark["claim"],
        role=Role(mark["role"]),
        level=Level(mark["level"]),
        about=mark["about"],
        check=reports[0].nodeid,
        outcome=_outcome(reports),
        planted=mark["planted"],
        facts=tuple(dict.fromkeys(facts)),
        seconds=sum(report.duration for report in reports),
    )


def _outcome(reports: list[pytest.TestReport]) -> Outcome:
    if any(report.failed or hasattr(report, "wasxfail") for report in reports):
        return Outcome.FAILED
    if skipped := [report for report in reports if report.skipped]:
        return Outcome.RECORDED if RECORDED in str(skipped[0].longrepr) else Outcome.SKIPPED
    return Outcome.PASSED


def _line(standing: Standing, complete: bool) -> str:
    checks = standing.evidence
    seconds = sum(item.seconds for item in checks)
    planted = sum(item.planted is not None for item in checks)
    count = f"{len(checks) - planted:3d} checks {planted:2d} planted {seconds:6.1f} s"
    if not complete:
        return f"{standing.claim.id:<24} {'not run' if not checks else 'in part':<10} {'':<12} {count}"
    level = "-" if standing.level is None else f"{standing.level.value} {standing.level.name.lower()}"
    problems = []
    if standing.drifted:
        problems.append(f"expected {standing.claim.expected.value}")
    problems += [f"failed: {len(standing.failed)}"] if standing.failed else []
    problems += [f"owes {'; '.join(standing.owed)}"] if standing.owed else []
    return f"{standing.claim.id:<24} {standing.verdict.value:<10} {level:<12} {count}  {', '.join(problems)}".rstrip()
