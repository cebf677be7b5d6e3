"""The files of a new suite."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.places import SUITE_NAME, find_suite_file

Lines = Sequence[Mapping[str, object]]


def json_lines(objects: Iterable[Mapping[str, object]]) -> str:
    """One object a line, in the order given, each with its keys in the order given."""
    return "".join(json.dumps(values, ensure_ascii=False) + "\n" for values in objects)


_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def file_name(name: str) -> str:
    """The name as a file name: without characters that divide folders or that a disk refuses."""
    return "".join(c if c.isalnum() or c in "-_.@" else "-" for c in name) or "unnamed"


def suite_files(
    about: Iterable[str],
    files: Mapping[str, Lines],
    summaries: Mapping[str, Lines],
    *,
    judges: Iterable[str] = (),
    thresholds: Iterable[str],
) -> dict[str, str]:
    """The files of a suite by name; a system skips every paper that it has no summary of.

    ``about`` are comments, ``judges`` and ``thresholds`` lines of TOML; ``files`` are papers and
    labels, as far as there are any.
    """
    given = {key: lines for key, lines in files.items() if lines}
    toml = [*(f"# {line}" for line in about), *(f'{key} = "{key}.jsonl"' for key in given), *judges]
    texts = {f"{key}.jsonl": json_lines(lines) for key, lines in given.items()}
    for system, own in summaries.items():
        key = system if _BARE.fullmatch(system) else json.dumps(system, ensure_ascii=False)
        file = f"systems/{file_name(system)}.jsonl"
        toml += ["", f"[systems.{key}]", f'summaries = "{file}"']
        summarised = {line["paper"] for line in own}
        if skipped := [paper["id"] for paper in files["papers"] if paper["id"] not in summarised]:
            toml.append(f"skip = {json.dumps(skipped, ensure_ascii=False)}")
        texts[file] = json_lines(own)
    return {**texts, SUITE_NAME: "\n".join([*toml, "", *thresholds]) + "\n"}


def check_new(out: Path) -> None:
    """Refuse a folder that already holds a suite, and a path that is no folder."""
    if out.exists() and not out.is_dir():
        raise _wrong(out, f"{out.name!r} is no folder; name another")
    if suite := find_suite_file(out):
        what = f"this folder holds the suite {suite.name!r} already"
        raise _wrong(out, f"{what}; name another folder")


def write_new(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files, all of them new, or none: a failure removes what was written before it."""
    files = {folder / name: text for name, text in texts.items()}
    for file in files:
        if file.exists() or file.is_symlink():
            what = f"{file.name!r} exists already, so nothing was written"
            raise _wrong(file, f"{what}; move it, or name another folder")
    written: list[Path] = []
    for file, text in files.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as handle:
                written.append(file)
                handle.write(text.encode())
        except OSError as error:
            for each in written:
                each.unlink()
            what = f"{file.name!r} cannot be written ({error.strerror}), so nothing was"
            raise _wrong(file, f"{what}; mend that, or name another folder") from None


def _wrong(path: Path, message: str) -> SuiteError:
    return SuiteError(Place(path.as_posix()), message)
