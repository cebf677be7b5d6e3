"""A report's file, written as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(file: Path, text: str) -> str:
    """Writes a file, its folder too; what went wrong, empty where nothing did.

    A link is followed, and what is no file of its own, as a pipe or /dev/stdout, is written into.
    """
    file = file.resolve()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and not file.is_file():
            file.write_text(text, encoding="utf-8", newline="")
            return ""
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        made = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
            made.chmod(0o666 & ~_umask())
            made.replace(file)
        except BaseException:
            made.unlink(missing_ok=True)
            raise
    except OSError as error:
        return f"{file} cannot be written ({error.strerror}); name another file"
    return ""


def append(file: Path, text: str) -> str:
    """Adds to a file; what went wrong, empty where nothing did."""
    try:
        with file.open("a", encoding="utf-8") as handle:
            handle.write(text)
    except OSError as error:
        return f"cannot be written ({error.strerror})"
    return ""


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    umask = os.umask(0)
    os.umask(umask)
    return umask
