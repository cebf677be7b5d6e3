"""The suite as a git revision or another folder has it."""

from __future__ import annotations

import io
import subprocess
import tarfile
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError
from summeval_pytest.suite.suite import Suite, load_suite
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def suite_at(base: str, suite: Path, option: str) -> Iterator[Suite | None]:
    """The suite at ``base``, a git revision or a folder, while its files are there.

    None where the revision has no such suite. ``option`` names the base in messages.

    Raises:
        OptionError: where there is no such revision or folder.
        SuiteError: where its suite cannot be read.
    """
    file = suite.absolute()
    if Path(base).is_dir():
        yield load_suite(Path(base), base)
        return
    folder = file.parent
    commit = _git(folder, option, "rev-parse", "--verify", "--end-of-options", f"{base}^{{commit}}")
    inside = _git(folder, option, "rev-parse", "--show-prefix").decode().strip()
    root = _git(folder, option, "rev-parse", "--show-toplevel").decode().rstrip("\n")
    name = commit.decode().strip()
    if not _git(Path(root), option, "ls-tree", name, "--", f"{inside}{file.name}"):
        yield None
        return
    packed = _git(Path(root), option, "archive", "--format=tar", name, "--", inside or ".")
    with TemporaryDirectory() as here:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(here, filter="data")
        yield load_suite(Path(here) / inside / file.name, f"{base}:{inside}{file.name}")


def _git(folder: Path, option: str, *arguments: str) -> bytes:
    try:
        ended = subprocess.run(  # noqa: S603 - no shell, and a base cannot be an option
            ["git", *arguments],  # noqa: S607 - the git of the user's PATH
            cwd=folder,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise OptionError(f"{option}: git cannot be run, {error.strerror}; name a folder") from None
    if ended.returncode:
        said = one_line(ended.stderr.decode(errors="replace"), 200)
        raise OptionError(f"{option}: git says {said!r}; name a revision or a folder")
    return ended.stdout
