"""`summeval init`: a suite to start from, and what gates it on GitHub, in a repository."""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import UsageError
from summeval_pytest.reports import write_whole
from summeval_pytest.suite import Configuration, find_configuration
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

SUITE: Final = "gate"
"""The folder of the new suite."""
ACTION: Final = ".github/actions/summ-gate/action.yml"
WORKFLOW: Final = ".github/workflows/summ-gate.yml"
_PLACES: Final = {
    "papers.jsonl": f"{SUITE}/papers.jsonl",
    "candidate.jsonl": f"{SUITE}/systems/candidate.jsonl",
    "suite.toml": f"{SUITE}/summeval.toml",
    "gitattributes": f"{SUITE}/.gitattributes",
    "action.yml": ACTION,
    "workflow.yml": WORKFLOW,
}
"""Where each file of the skeleton goes. They bear other names there, so that pytest finds no suite
in this package."""
_OURS: Final = ("  SUITE: golden\n", "  INSTALL: .\n")
"""The lines of the workflow that hold in the repository of this package only."""


def run_init(chosen: argparse.Namespace) -> list[str]:
    """What the command prints for its arguments.

    Raises:
        UsageError: as `init` does.
    """
    return init(chosen.folder, with_testpaths=chosen.testpaths)


def init(folder: Path, *, with_testpaths: bool = False) -> list[str]:
    """Writes the files, all of them new or none, and says what they are and what comes next.

    Args:
        folder: The repository.
        with_testpaths: Whether to have pytest collect the suite where it is given no path.

    Raises:
        UsageError: where one of them exists already or cannot be written, or the configuration of
            pytest is not there to be changed; nothing is written then.
    """
    texts = skeleton()
    found = find_configuration(folder)
    pytest = found or Configuration()
    line = f"{pytest.line(SUITE)} {pytest.place}"
    if with_testpaths and (found is None or not found.is_plain):
        why = "has no configuration of pytest" if found is None else "has one with comments"
        raise UsageError(
            f"--testpaths: {folder} {why}, so nothing was written; write {line} yourself"
        )
    _check_new(folder, texts)
    _write(folder, texts)
    lines = [one_line(f"wrote {folder / name}", 400) for name in texts]
    if with_testpaths:
        if fault := write_whole(folder / pytest.name, pytest.text(SUITE)):
            raise UsageError(f"{fault}; the suite is written, and {line} is left to you")
        lines.append(one_line(f"wrote {line}", 400))
    else:
        lines.append(one_line(f"so that plain pytest runs it (or: --testpaths): {line}", 400))
    if not (folder / ".git").exists():
        lines.append(
            f"note: {one_line(str(folder))} is not the root of a git repository; GitHub reads"
            " .github there only"
        )
    return [*lines, f"next: pytest {one_line(str(folder / SUITE))}"]


def skeleton() -> Mapping[str, str]:
    """The text of each file, by its path in the repository."""
    kept = files("summeval_pytest.cli") / "skeleton"
    texts = {place: (kept / name).read_text(encoding="utf-8") for name, place in _PLACES.items()}
    theirs = (f"  SUITE: {SUITE}\n", f"  INSTALL: summeval-pytest=={version('summeval-pytest')}\n")
    for our_line, their_line in zip(_OURS, theirs, strict=True):
        texts[WORKFLOW] = texts[WORKFLOW].replace(our_line, their_line)
    return texts


def _check_new(folder: Path, names: Mapping[str, str]) -> None:
    """Raises: UsageError: for the first file that is there already, if only as a broken link."""
    for name in names:
        file = folder / name
        if file.exists() or file.is_symlink():
            raise UsageError(
                f"{file} exists already, and nothing was written; move it, or name another folder"
            )


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Writes all files; where one cannot be written, those before it are removed.

    Raises:
        UsageError: naming the one.
    """
    written: list[Path] = []
    for name, text in texts.items():
        file = folder / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as handle:
                written.append(file)
                handle.write(text.encode())
        except OSError as error:
            for other in written:
                other.unlink()
            raise UsageError(
                f"{file} cannot be written ({error.strerror}), so nothing was; mend that, or name"
                " another folder"
            ) from None
