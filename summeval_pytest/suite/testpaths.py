"""Suites that pytest does not collect yet, and the line of its configuration that has it do so."""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from pathlib import Path
from typing import Final

from summeval_pytest.suite.suite_file import is_suite_name

TABLES: Final = {
    "pytest.toml": ("pytest",),
    ".pytest.toml": ("pytest",),
    "pytest.ini": ("pytest",),
    ".pytest.ini": ("pytest",),
    "pyproject.toml": ("tool.pytest.ini_options", "tool.pytest"),
    "tox.ini": ("pytest",),
    "setup.cfg": ("tool:pytest",),
}
"""By file, in the order in which pytest looks for one, the tables that hold its configuration."""
_N_LEVELS: Final = 4
_N_FOLDERS: Final = 1000
_FOREIGN: Final = frozenset({"node_modules", "site-packages", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Configuration:
    """The table of a file that configures pytest, and what it says of ``testpaths``.

    Attributes:
        name: The file's name.
        table: The table's name.
        paths: Where pytest looks when it is given no path; empty where nothing says so.
        before: The text of the file before the line of ``testpaths``, or where that belongs.
        after: The text after it.
        is_plain: Whether the line can be written anew, and no comment is lost.
    """

    name: str = "pyproject.toml"
    table: str = "tool.pytest.ini_options"
    paths: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    is_plain: bool = True

    @property
    def place(self) -> str:
        """Where the line belongs, in words."""
        return f"under [{self.table}] in {self.name}"

    def line(self, *more: str) -> str:
        """The line with more paths; without any so far, all that pytest looked at stays."""
        paths = list(dict.fromkeys([*(self.paths or (".",)), *more]))
        if self.name.endswith(".toml"):
            return f"testpaths = {json.dumps(paths, ensure_ascii=False)}"
        return f"testpaths = {shlex.join(paths)}"

    def text(self, *more: str) -> str:
        """The file with more paths."""
        return f"{self.before}{self.line(*more)}\n{self.after}"


def read_configuration(file: Path) -> Configuration | None:
    """How a file configures pytest; None where it does not."""
    try:
        text = file.read_bytes().decode()  # as it is: a file of Windows keeps its line ends
    except (OSError, UnicodeDecodeError):
        return None
    for table in TABLES.get(file.name, ()):
        heading = re.search(rf"^\[{re.escape(table)}\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
        if heading is not None:
            before, after = text[: heading.end()], text[heading.end() :]
            before += "" if before.endswith("\n") else "\n"
            return _with_paths(Configuration(file.name, table, before=before, after=after))
    return None


def find_configuration(folder: Path) -> Configuration | None:
    """The configuration that pytest finds in a folder; None where there is none."""
    found = (read_configuration(folder / name) for name in TABLES)
    return next((each for each in found if each is not None), None)


def _with_paths(table: Configuration) -> Configuration:
    """The table with what its line of ``testpaths`` says, where it has one."""
    own = re.split(r"^(?=\[)", table.after, maxsplit=1, flags=re.MULTILINE)[0]
    line = re.search(r"^testpaths\s*[=:]", own, re.MULTILINE)
    if line is None:
        return table
    read = _read_toml if table.name.endswith(".toml") else _read_ini
    paths, written = read(own[line.start() :])
    return replace(
        table,
        paths=paths,
        is_plain=bool(written) and not set("#;") & set(written),
        before=table.before + own[: line.start()],
        after=table.after[line.start() + len(written) :],
    )


def _read_toml(text: str) -> tuple[tuple[str, ...], str]:
    """The paths at the head of a text, and the lines that they take; nothing for no TOML."""
    for written in accumulate(text.splitlines(keepends=True)):
        try:
            value = tomllib.loads(written)["testpaths"]
        except tomllib.TOMLDecodeError:
            continue
        return tuple(map(str, shlex.split(value) if isinstance(value, str) else value)), written
    return (), ""


def _read_ini(text: str) -> tuple[tuple[str, ...], str]:
    """The same of a file in the manner of INI, where indented lines belong to the one before."""
    written = re.match(r"[^\n]*\n?(?:[ \t]+\S[^\n]*\n?)*", text)
    assert written is not None, "it matches nothing at all, too"
    value = re.split("[=:]", written[0], maxsplit=1)[1]
    return tuple(shlex.split(value, comments=True)), written[0]


def suites_beneath(folder: Path) -> list[Path]:
    """The suite files in a folder and beneath it, the nearest first.

    It looks a few levels deep and into a bounded number of folders, none of them hidden, of
    installed packages or behind a link.
    """
    found: list[Path] = []
    for name, folders, files in islice(os.walk(folder), _N_FOLDERS):
        here = Path(name)
        is_deep = len(here.relative_to(folder).parts) == _N_LEVELS
        if is_deep or "pyvenv.cfg" in files:
            folders.clear()
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _FOREIGN)
        if "pyvenv.cfg" not in files:
            found += [here / file for file in sorted(files) if is_suite_name(file)]
    return sorted(found, key=lambda file: len(file.parts))
