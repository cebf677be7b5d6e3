"""The suite file behind a path that a user named: a file, or a folder that holds one."""

from __future__ import annotations

from pathlib import Path

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.suite_file import SUITE_NAME, find_suite_file, is_suite_name


def suite_text(path: Path, shown: str | None, *, may_leave: bool = False) -> TextFile:
    """The suite file and how to show it; whether what it names, and it itself, may be elsewhere.

    By default it is shown relative to the current folder where possible, else absolute.

    Raises:
        SuiteError: Where there is none, and where it is a link that leads out of its folder.
    """
    if shown is None:
        absolute = path.absolute()
        here = Path.cwd()
        inside = absolute.is_relative_to(here)
        shown = (absolute.relative_to(here) if inside else absolute).as_posix()
    found = find_suite_file(path, shown)
    if found is None:
        raise SuiteError(Place(shown), _no_suite(path))
    if path.is_dir():
        shown = (Path(shown) / found.name).as_posix()
    file = TextFile(found, shown, may_leave)
    file.beside(found.name)
    return file


def _no_suite(path: Path) -> str:
    wanted = f"{SUITE_NAME} or NAME.{SUITE_NAME}"
    if path.is_dir():
        return f"the folder {path.name!r} holds no suite file; add {wanted}"
    if path.is_file():
        return f"{path.name!r} is no name of a suite file; rename it to {wanted}"
    if is_suite_name(path.name):
        return f"there is no suite file {path.name!r}; create it or mend the path"
    return f"there is no suite {path.name!r}; name a folder that holds {wanted}"
