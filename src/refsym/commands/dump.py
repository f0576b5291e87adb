"""`refsym dump`: take the block scores out of a model, or verify a dump that is there."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from refsym.progress import progress
from refsym.terminal import printable

if TYPE_CHECKING:
    from refsym_theory.selection.score_dump import ScoreDump


def dump(
    verify: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Check every byte of a dump that is there, and stop.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Model: a Transformers folder or a .gguf file.")
    ] = None,
    prompt: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE|-", help="Prompt text, - for stdin; repeat it for more examples."),
    ] = None,
    tokens: Annotated[int, typer.Option(min=1, help="Keep this many tokens of each prompt.")] = 4096,
    scorer: Annotated[Literal["kmean", "quest"], typer.Option(help="How a block is scored.")] = "kmean",
    block_m: Annotated[int, typer.Option(min=1, help="Query rows of a tile.")] = 64,
    block_n: Annotated[int, typer.Option(min=1, help="Keys of a block.")] = 64,
    no_mass: Annotated[bool, typer.Option("--no-mass", help="Leave out the softmax masses: half the size.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the dump goes.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Start afresh where --out holds a dump already.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Dump a model's block scores (--model, --prompt, --out), or verify a dump (--verify).

    An interrupted dump is resumed by the same command.
    """
    from refsym_theory.errors import InputError

    if verify is not None:
        if model is not None or prompt or out is not None:
            raise InputError("--verify goes alone, without --model, --prompt and --out")
        _summarise(_verified(verify), "OK, every byte checked", as_json)
        return
    if model is None or not prompt or out is None:
        raise InputError("give --model, --prompt and --out, or --verify DIR")
    from refsym_theory.selection.score_dump import ScoreDump, refuse_foreign

    refuse_foreign(out)  # before a model is loaded
    texts = [_read_prompt(source) for source in prompt]
    _dump_model(
        model,
        texts if len(texts) > 1 else texts[0],
        tokens=tokens,
        scorer=scorer,
        block_m=block_m,
        block_n=block_n,
        with_mass=not no_mass,
        out=out,
        force=force,
    )
    _summarise(ScoreDump.open(out), "written", as_json)


def _verified(path: Path) -> "ScoreDump":
    from refsym_theory.selection.score_dump import ScoreDump

    found = ScoreDump.open(path)
    with progress("verifying") as step:
        found.verify(progress=step)
    return found


def _read_prompt(source: str) -> str:
    from refsym_theory.errors import InputError

    content = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    if not content.strip():
        raise InputError(f"{source}: the prompt is empty")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{source}: the prompt is not UTF-8 text: {error}") from error


def _dump_model(model: Path, texts: str | list[str], **options: Any) -> None:
    from refsym_theory.errors import InputError

    try:
        from refsym_gpu.dump import dump_model

        with progress("dumping") as step:
            dump_model(model, texts, progress=step, **options)
    except ImportError as error:
        if (error.name or "").startswith("refsym"):
            raise
        raise InputError(
            f"dumping from a model needs packages that are missing ({error}): pip install 'refsym[models]'"
        ) from error


def _summarise(found: "ScoreDump", state: str, as_json: bool) -> None:
    settings, entries = found.settings, found.entries
    facts = {
        "path": str(found.path),
        "model": settings.model,
        "revision": settings.revision,
        "scorer": settings.scorer,
        "block_m": settings.block_m,
        "block_n": settings.block_n,
        "tokens": [prompt.tokens for prompt in settings.prompts],
        "layers": len({entry.layer for entry in entries}),
        "shards": len(entries),
        "visible_pairs": sum(entry.pairs for entry in entries),
        "bytes": sum(entry.bytes for entry in entries),
        "mass": settings.with_mass,
        "index_sha256": found.index_sha256,
    }
    if as_json:
        typer.echo(json.dumps({"state": state, **facts}, indent=1, sort_keys=True))
        return
    typer.echo(f"{printable(str(found.path))}: {state}")
    for name, value in facts.items():
        typer.echo(f"{name.replace('_', ' '):13}  {printable(str(value))}")
