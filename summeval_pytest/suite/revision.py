"""The suite as a git revision or another folder has it."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from summeval_pytest.errors import OptionError
from summeval_pytest.suite.suite import Suite, load_suite
from summeval_pytest.text.printing import one_line

_LINK: Final = b"120000"
"""The mode of a symbolic link in a tree."""


@contextmanager
def suite_at(base: str, suite: Path, option: str) -> Iterator[Suite | None]:
    """The suite at ``base``, a git revision or a folder, while its files are there.

    A folder is named by an absolute path or as ``./FOLDER``, so that no folder can stand in for a
    revision. None where the revision has no such suite. ``option`` names the base in messages.

    Raises:
        OptionError: where there is no such revision or folder.
        SuiteError: where its suite cannot be read.
    """
    if Path(base).is_absolute() or base.startswith("."):
        yield load_suite(Path(base), base)
        return
    git = partial(_git, suite.absolute().parent, option)
    text = git("rev-parse", "--verify", "--end-of-options", f"{base}^{{commit}}").decode()
    commit = text.removesuffix("\n")
    prefix = os.fsdecode(git("rev-parse", "--show-prefix")).removesuffix("\n")
    listed = git("ls-tree", "-r", "-z", commit).removesuffix(b"\0").split(b"\0")
    files = {
        os.fsdecode(path): about.split() for about, _, path in (f.partition(b"\t") for f in listed)
    }
    if suite.name not in files:
        yield None
        return
    with TemporaryDirectory() as here:
        _write_files(Path(here), files, git)
        yield load_suite(Path(here) / suite.name, f"{base}:{prefix}{suite.name}")


def _write_files(
    folder: Path, files: Mapping[str, Sequence[bytes]], git: Callable[..., bytes]
) -> None:
    """Writes the files of a tree; ``files`` has mode, type and name of each object by its path.

    No attribute of the repository leaves a file out, as it could with ``git archive``.
    """
    blobs = {path: (mode, name) for path, (mode, kind, name) in files.items() if kind == b"blob"}
    given = b"".join(name + b"\n" for _, name in blobs.values())
    packed = io.BytesIO(git("cat-file", "--batch", given=given))
    for path, (mode, _) in blobs.items():
        content = packed.read(int(packed.readline().split()[2]))
        packed.readline()
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if mode == _LINK:
            file.symlink_to(os.fsdecode(content))
        else:
            file.write_bytes(content)


def _git(folder: Path, option: str, *arguments: str, given: bytes = b"") -> bytes:
    try:
        ended = subprocess.run(  # noqa: S603 - no shell, and a base cannot be an option
            ["git", *arguments],  # noqa: S607 - the git of the user's PATH
            cwd=folder,
            input=given,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise OptionError(f"{option}: git cannot be run, {error.strerror}; name a folder") from None
    if ended.returncode:
        said = one_line(ended.stderr.decode(errors="replace"), 200)
        raise OptionError(f"{option}: git says {said!r}; name a revision or a folder")
    return ended.stdout
