"""The files that a run can write. Each is written as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, NamedTuple

from summeval_pytest.record.record_file import record_lines
from summeval_pytest.verdict.run import RunVerdict

_PROJECT: Final = "CI_PROJECT_DIR"
"""The variable that names the root of the repository at GitLab."""
_HEAD: Final = 1 << 14

Pieces = Callable[["RunVerdict", Path], Iterable[str]]
"""Lays out a run, in pieces of a file. The run's own files were named from the folder."""


class Report(NamedTuple):
    """A file that a run can write."""

    title: str
    mark: bytes
    """What stands near the beginning of each file of this kind, and in no other file."""
    pieces: Pieces


# Each imports its module when it is written: a gate starts in every worker, and most write none.


def _junit(run: RunVerdict, _: Path) -> Iterable[str]:
    from summeval_pytest.reports.junit import junit_pieces

    return junit_pieces(run)


def _page(run: RunVerdict, _: Path) -> Iterable[str]:
    from summeval_pytest.reports.page import page_pieces

    return page_pieces(run)


def _code_quality(run: RunVerdict, start: Path) -> Iterable[str]:
    from summeval_pytest.reports.ci import quality_pieces

    locate = from_root(start, Path(os.environ.get(_PROJECT) or start))
    return quality_pieces(run, locate=locate)


REPORTS: Final[Mapping[str, Report]] = {
    "run_record": Report("run record", b'{"run": ', lambda run, _: record_lines(run)),
    "junit": Report("JUnit report", b'name="summeval"', _junit),
    "html": Report("page", b'content="summeval"', _page),
    "gitlab": Report("code quality report", b'"check_name": "summeval-', _code_quality),
}
"""By the option that names its file."""
MARKS: Final = {
    **{option: report.mark for option, report in REPORTS.items()},
    "json": b'{\n  "',
    "batch": b'{"body": {',
    "out": b"",  # a file of labels, which its command checks
}
"""What stands near the beginning of each file of a kind, here and in commands."""


def from_root(start: Path, root: Path) -> Callable[[str], str]:
    """Make paths from ``start`` relative to a repository's root; a path outside stays as it is."""
    root = root.resolve()

    def located(shown: str) -> str:
        path = (start / shown).resolve()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else shown

    return located


def write_whole(file: Path, text: str | Iterable[str]) -> str:
    """Write a file and its folder; return what went wrong, or an empty text.

    A link is followed, unless it leads out of the current folder. A pipe, as /dev/stdout, is
    written into.
    """
    if _leads_out(file):
        return f"{file} cannot be written (a link leads out of this folder); name another file"
    file = file.resolve()
    pieces = (text,) if isinstance(text, str) else text
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and not file.is_file():
            with file.open("w", encoding="utf-8", newline="") as stream:
                stream.writelines(pieces)
        else:
            with replacing(file) as stream:
                stream.writelines(piece.encode() for piece in pieces)
    except OSError as error:
        return f"{file} cannot be written ({error.strerror}); name another file"
    return ""


@contextmanager
def replacing(file: Path) -> Iterator[IO[bytes]]:
    """A file beside ``file``, which takes its place at the end, with the rights of a new one."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        umask = os.umask(0)  # which can only be read by setting it
        os.umask(umask)
        made.chmod(0o666 & ~umask)
        made.replace(file)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def unwritable(file: Path, mark: bytes) -> str:
    """Why a file cannot be written; empty where nothing speaks against it yet.

    At most an earlier file with this mark may be lost by it, and no saved run.
    """
    if file.is_dir():
        return "it is a folder"
    if _leads_out(file):
        return "a link leads out of this folder"
    if not file.is_file():
        return "" if file.parent.is_dir() else "its folder is not there"
    if file.resolve().parent.name.endswith("baselines"):
        return "it is a saved run"
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        return f"it is there and cannot be read ({error.strerror})"
    is_known = mark in head or head.strip() in {b"", b"[]"}
    return "" if is_known else "it is there and is no earlier file of this kind"


def _leads_out(file: Path) -> bool:
    """Whether a file of the current folder is, by a link, one outside of it.

    Such a link may have come with a pull request, and the file behind it is not the repository's.
    """
    here = Path.cwd()
    is_here = Path(os.path.abspath(file)).is_relative_to(here)  # noqa: PTH100 - follows no link
    return is_here and not file.resolve().is_relative_to(here)


def append(file: Path, text: str) -> str:
    """Add to a file; return what went wrong, or an empty text."""
    try:
        with file.open("a", encoding="utf-8") as handle:
            handle.write(text)
    except OSError as error:
        return f"cannot be written ({error.strerror})"
    return ""
