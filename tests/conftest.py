"""Fixtures that several test files share."""

import os
from collections.abc import Callable, Iterator

import pytest

from refsym.cli import main

Run = Callable[..., tuple[int, str, str]]


def on_gpu(config: pytest.Config) -> bool:
    """Whether `-m gpu` was asked for."""
    return config.getoption("markexpr") == "gpu"


def pytest_configure(config: pytest.Config) -> None:
    """Triton decides at its first import whether kernels are interpreted: before any test module, then."""
    if not on_gpu(config):
        os.environ["TRITON_INTERPRET"] = "1"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What needs a card is not there to be skipped where none was asked for."""
    if not on_gpu(config):
        left = [item for item in items if item.get_closest_marker("gpu")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


@pytest.fixture
def poisoned() -> Iterator[None]:
    """What is allocated without being written holds NaN, or the largest integer."""
    import torch

    torch.use_deterministic_algorithms(True)
    assert torch.utils.deterministic.fill_uninitialized_memory
    assert torch.empty(3).isnan().all()
    yield
    torch.use_deterministic_algorithms(False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process: exit code, stdout, stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        code = caught.value.code
        assert isinstance(code, int)
        return code, captured.out, captured.err

    return call
