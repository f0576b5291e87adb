"""The command line: the app, and what its errors look like."""

import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from refsym.commands.audit import audit
from refsym.commands.certify import certify
from refsym.commands.compare import compare
from refsym.commands.demo import demo
from refsym.commands.dump import dump
from refsym.commands.study import study
from refsym.commands.verify import verify
from refsym.terminal import printable

app = typer.Typer(
    name="refsym",
    help="How risky the top-k cut of block-sparse attention is, from a model's scores; what holds of its theory; "
    "and which differences between evaluated models are real.",
    epilog="Exit status: 0 done, 1 the answer is no (a check failed), 2 bad input (in one line), 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(dump)
app.command()(certify)
app.command()(verify)
app.command()(compare)
app.command()(audit)
app.command()(demo)
app.add_typer(study, name="study")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"refsym {version('refsym')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit: 0 done, 1 the answer is "no", 2 bad input in one line, 130 interrupted.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line without the program's name; ``sys.argv[1:]`` by default.
    """
    try:
        # Without its standalone mode Typer returns the code of an Exit, and raises usage errors.
        code = app(list(sys.argv[1:] if arguments is None else arguments), "refsym", standalone_mode=False)
    except typer.TyperException as error:
        message = error.format_message()
        if not message:  # A bare `refsym`: its help is printed already.
            sys.exit(error.exit_code)
        context = getattr(error, "ctx", None)
        _fail(f"{message} (see {context.command_path if context else 'refsym'} --help)", error.exit_code)
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), 2)
    except ArithmeticError as error:  # an integral did not reach the accuracy that it promises
        _fail(str(error), 2)
    except ValueError as error:
        if not isinstance(error, _input_errors()):
            raise
        _fail(str(error), 2)
    sys.exit(code if isinstance(code, int) else 0)


def _input_errors() -> tuple[type[Exception], ...]:
    """Each library has its own; one that was never imported raised none."""
    modules = (sys.modules.get(f"{name}.errors") for name in ("refsym_theory", "refsym_stats"))
    return tuple(module.InputError for module in modules if module is not None)


def _fail(message: str, code: int) -> NoReturn:
    print(f"refsym: error: {printable(message)}", file=sys.stderr)
    sys.exit(code)
