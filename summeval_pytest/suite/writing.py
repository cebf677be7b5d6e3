"""A suite as files: their texts first, and on disk only when all of them are there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.suite_file import SUITE_NAME, find_suite_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def json_lines(objects: Iterable[Mapping[str, object]]) -> str:
    """One object a line, in the order given, each with its keys in the order given."""
    return "".join(json.dumps(values, ensure_ascii=False) + "\n" for values in objects)


def toml_list(texts: Iterable[str]) -> str:
    """Texts as a TOML list; the texts hold no control character."""
    return json.dumps(list(texts), ensure_ascii=False)


def check_new(out: Path) -> None:
    """Refuse a folder that holds a suite already, or that is none.

    Raises:
        SuiteError: Naming what is there.
    """
    if out.exists() and not out.is_dir():
        raise SuiteError(
            Place(out.as_posix()), f"{out.name!r} is no folder; name a new one with --out"
        )
    if found := find_suite_file(out):
        raise SuiteError(
            Place(out.as_posix()),
            f"this folder holds the suite {found.name!r} already; name a new one with --out",
        )


def write_suite(out: Path, texts: Mapping[str, str]) -> None:
    """Write the files of a new suite, the suite file last; no file is ever overwritten.

    Raises:
        SuiteError: Where one of the files exists or cannot be written.
    """
    check_new(out)
    names = sorted(texts, key=lambda name: (name == SUITE_NAME, name))
    for name in names:
        if (out / name).exists():
            raise SuiteError(
                Place((out / name).as_posix()), f"{name!r} exists already; delete or move it"
            )
    try:
        for name in names:
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            with (out / name).open("xb") as handle:
                handle.write(texts[name].encode())
    except OSError as error:
        raise SuiteError(
            Place(out.as_posix()),
            f"{out.name!r} cannot be written ({error.strerror}); name another folder with --out",
        ) from None
