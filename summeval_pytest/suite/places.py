"""Where suites are, and the files of a new one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Final

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import TextFile

SUITE_NAME: Final = "summeval.toml"
Lines = Sequence[Mapping[str, object]]


def is_suite_name(name: str) -> bool:
    """Whether a file of this name is a suite: ``summeval.toml`` or ``NAME.summeval.toml``."""
    return name == SUITE_NAME or (name.endswith(f".{SUITE_NAME}") and name != f".{SUITE_NAME}")


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
    own = path.name.removesuffix(SUITE_NAME).removesuffix(".")
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


_N_LEVELS: Final = 4
_N_FOLDERS: Final = 1000
_FOREIGN: Final = frozenset({"node_modules", "site-packages", "__pycache__"})


def suites_beneath(folder: Path) -> list[Path]:
    """The suite files in a folder and beneath it, the nearest first.

    It looks a few levels deep and into a bounded number of folders, none of them hidden, of
    installed packages or behind a link.
    """
    suites: list[Path] = []
    for name, folders, files in islice(os.walk(folder), _N_FOLDERS):
        here = Path(name)
        is_deep = len(here.relative_to(folder).parts) == _N_LEVELS
        if is_deep or "pyvenv.cfg" in files:
            folders.clear()
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _FOREIGN)
        if "pyvenv.cfg" not in files:
            suites += [here / file for file in sorted(files) if is_suite_name(file)]
    return sorted(suites, key=lambda file: len(file.parts))


def suite_meant(start: Path, wanted: str, *, is_sure: bool) -> str:
    """The path to the suite that was probably meant, from a folder; empty where none is close.

    Suites beneath the folder, else near the folders above it, are compared by their names. Where
    ``is_sure`` says that a suite is meant, the only one is.
    """
    files = suites_beneath(start)
    for folder in start.parents[:_N_LEVELS]:
        if not files:
            near = [*folder.glob(f"*{SUITE_NAME}"), *folder.glob(f"*/*{SUITE_NAME}")]
            files = [file for file in near if is_suite_name(file.name)]
    names = {suite_name(file): file for file in files}
    words = Path(wanted).parts[-2:]
    close = [name for word in words for name in get_close_matches(word, names, n=1)]
    if not close and not (is_sure and len(files) == 1):
        return ""
    file = names[close[-1]] if close else files[0]
    path = file.parent if file.name == SUITE_NAME else file
    return Path(os.path.relpath(path, start)).as_posix()


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

    ``about`` are comments, ``judges`` and ``thresholds`` lines of TOML; ``files`` are papers,
    labels and recorded lines, as far as there are any.
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
