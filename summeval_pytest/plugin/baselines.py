"""The saved run that this one is compared with: found, read once, and handed out by system."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.reports import read_record
from summeval_pytest.verdict import find_baseline

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict import Baseline, RunRecord

COMPARE: Final = "--summ-compare"
SAVE: Final = "--summ-save"
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*\Z")
_SUFFIX: Final = ".json"


def saved_file(suite: Suite, name: str) -> Path:
    """Where a suite's run of this name is saved, or would be.

    Raises:
        SuiteError: for a link that leads out of the suite's folder.
    """
    folder = suite.baselines
    return folder.beside(f"{folder.path.name}/{name}{_SUFFIX}").path


def saved_names(suite: Suite) -> list[str]:
    """The names of a suite's saved runs."""
    return sorted(file.stem for file in suite.baselines.path.glob(f"*{_SUFFIX}"))


def check_name(name: str) -> None:
    """Refuses a name that is no file name everywhere.

    Raises:
        OptionError: for anything but letters, digits, dots, hyphens and underscores.
    """
    if not _NAME.match(name) or name.endswith(_SUFFIX):
        raise OptionError(
            f"{SAVE}={name!r} is no name; use letters, digits, '.', '-' and '_',"
            f" without {_SUFFIX} at its end"
        )


def check_saved_file(suite: Suite, name: str) -> None:
    """Refuses to save where nothing could be written.

    Raises:
        OptionError: for a folder or a link in the file's place, and a file in that of the folder.
        SuiteError: for a link that leads out of the suite's folder.
    """
    folder, file = suite.baselines.path, saved_file(suite, name)
    in_the_way = folder if folder.exists() and not folder.is_dir() else file
    if in_the_way is folder or file.is_dir() or file.is_symlink():
        raise OptionError(
            f"{SAVE}={name}: {in_the_way} is in the way; move it, or choose another name"
        )


class Baselines:
    """The saved run named by ``--summ-compare``, for every suite of this run.

    Args:
        named: NAME, FILE, or one of them with ``:SYSTEM``.
        folder: What a relative FILE starts from.
    """

    def __init__(self, named: str, folder: Path) -> None:
        self._named = named
        self._folder = folder
        self._records: dict[Path, RunRecord] = {}
        self._found: dict[tuple[Path, str], Baseline] = {}

    def of(self, suite: Suite, system: str) -> Baseline:
        """What a system of a suite is compared with; every pair of it asks.

        Raises:
            OptionError: where there is no such run, or it has no system that could be meant.
        """
        of = (suite.path, system)
        if of not in self._found:
            run, record, wanted = self._record(suite)
            self._found[of] = find_baseline(
                record, run, suite=suite.name, system=system, wanted=wanted, option=COMPARE
            )
        return self._found[of]

    def run_of(self, suite: Suite) -> RunRecord:
        """The saved run itself.

        Raises:
            OptionError: where there is no such run.
        """
        return self._record(suite)[1]

    def _record(self, suite: Suite) -> tuple[str, RunRecord, str | None]:
        named, wanted = self._named, None
        file = self._file(suite, named)
        if file is None and ":" in named:
            named, _, wanted = named.rpartition(":")
            file = self._file(suite, named)
        if file is None:
            names = saved_names(suite)
            hint = nearest(named, names) if names else "no run is saved there"
            raise OptionError(
                f"{COMPARE}={self._named!r}: {suite.baselines.shown} has no run {named!r}; {hint};"
                f" save one with {SAVE}={named if _NAME.match(named) else 'NAME'}"
            )
        if file not in self._records:
            self._records[file] = read_record(file, f"{COMPARE}={self._named}")
        return named, self._records[file], wanted

    def _file(self, suite: Suite, named: str) -> Path | None:
        """The file of a saved run: of that name beside the suite, else the file itself."""
        if _NAME.match(named) and saved_file(suite, named).is_file():
            return saved_file(suite, named)
        file = self._folder / named
        return file if file.is_file() else None
