"""Where a command writes: a folder that is ours to write into."""

from pathlib import Path
from tempfile import TemporaryFile


def claim_folder(out: Path, force: bool) -> None:
    """Refuse a folder that we may not write into, before any work is done; leaves no trace."""
    from refsym_theory.errors import InputError

    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file; --out needs a folder")
    if out.is_dir() and any(out.iterdir()) and not force:
        raise InputError(f"{out}: not empty; choose another --out, or --force to write into it")
    nearest = next(folder for folder in (out, *out.absolute().parents) if folder.exists())
    try:
        with TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise InputError(f"{out}: cannot be written, {nearest}: {error.strerror}; choose another --out") from None
