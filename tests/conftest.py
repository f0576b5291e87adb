"""Fixtures that several test files share."""

from collections.abc import Callable

import pytest

from refsym.cli import main

Run = Callable[..., tuple[int, str, str]]


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
