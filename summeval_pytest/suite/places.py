"""Where suites are."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import TextFile

SUITE_NAME: Final = "summeval.toml"


def is_suite_name(name: str) -> bool:
    """Whether a file of this name is a suite: ``summeval.toml`` or ``NAME.summeval.toml``."""
    own = name.lower().removesuffix(SUITE_NAME)
    return own != name.lower() and (not own or (len(own) > 1 and own.endswith(".")))


def find_suite_file(path: Path, shown: str | None = None) -> Path | None:
    """The suite file at this path or in this folder; None where there is none.

    ``shown`` is how the user named it, for messages.
    """
    if path.is_file():
        return path if is_suite_name(path.name) else None
    if not path.is_dir():
        return None
    files = sorted(entry for entry in path.iterdir() if is_suite_name(entry.name))
    if len(files) > 1:
        names = " and ".join(repr(entry.name) for entry in files)
        what = f"this folder holds {names}; name one of the files"
        raise SuiteError(Place(shown or path.as_posix()), what)
    return files[0] if files else None


def real_place(path: Path) -> Path:
    """The path with the links of its folder followed.

    A file that is itself a link stays beside its own data: suites may share one file by links.
    """
    return path.parent.resolve() / path.name if path.is_file() else path.resolve()


def suite_name(path: Path) -> str:
    """The name of a suite: NAME of ``NAME.summeval.toml``, else that of its folder."""
    own = path.name[: -len(SUITE_NAME)].removesuffix(".")
    return own or path.resolve().parent.name


def suite_text(path: Path, shown: str | None, *, may_leave: bool = False) -> TextFile:
    """The suite file and its display path; ``may_leave`` lets it and its files lie elsewhere.

    By default it is shown relative to the current folder where possible, else absolute.
    """
    if shown is None:
        full, here = path.absolute(), Path.cwd()
        shown = (full.relative_to(here) if full.is_relative_to(here) else full).as_posix()
    suite = find_suite_file(path, shown)
    if suite is None:
        what = f"{path.name!r} is no suite" if path.exists() else f"there is no {path.name!r}"
        remedy = f"name {SUITE_NAME} or NAME.{SUITE_NAME}, or a folder that holds one"
        raise SuiteError(Place(shown), f"{what}; {remedy}")
    if path.is_dir():
        shown = (Path(shown) / suite.name).as_posix()
    file = TextFile(suite, shown, may_leave)
    file.beside(suite.name)
    return file
