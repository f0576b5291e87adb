"""Every test in this folder is evidence for a claim; a run ends with one line a claim."""

from collections.abc import Generator

import pytest
from hypothesis import Phase, settings

from ledger import HERE, Ledger

# No shrinking in search of the prettiest counterexample: planted variants fail by the hundred.
settings.register_profile(
    "claims",
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--claims-record",
        metavar="FILE",
        dest="claims_record",
        default=None,
        help="write what each check of a claim found, a line each, as it happens",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "claim(id, role, about, level): evidence for a claim (see marks.py)")
    config.addinivalue_line("markers", "planted(name): runs with a false variant, and must fail")
    settings.load_profile("claims")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Ledger(config), "claims-ledger")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    ours = [item for item in items if HERE in item.path.parents]
    for item in ours:
        claim = item.get_closest_marker("claim")
        if claim is None:
            raise pytest.UsageError(f"{item.nodeid}: says of no claim what it shows (see proofs_checks/marks.py)")
        planted = item.get_closest_marker("planted")
        mark = {
            "claim": claim.args[0],
            "role": str(claim.kwargs["role"]),
            "about": claim.kwargs["about"],
            "level": int(claim.kwargs["level"]),
            "planted": planted.args[0] if planted else None,
        }
        item.user_properties.append(("claim", mark))
    ledger = config.pluginmanager.get_plugin("claims-ledger")
    if ledger is not None and ours:
        ledger.collected(len(items))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """A planted variant passes where the check fails with an AssertionError, and only there."""
    planted = pyfuncitem.get_closest_marker("planted")
    if planted is None:
        return (yield)
    try:
        yield
    except AssertionError:
        return True
    pytest.fail(f"the planted variant {planted.args[0]!r} was not rejected", pytrace=False)
