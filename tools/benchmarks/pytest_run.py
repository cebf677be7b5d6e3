"""Whole pytest processes over a made suite, each in a process group of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.postgres_server import serving
from tools.benchmarks.made_suite import JUDGE, SUITE

LONGEST_SECONDS: Final = 240.0
_OFF: Final = [f"-pno:{name}" for name in ("hypothesispytest", "randomly", "rerunfailures")]


@contextmanager
def store_in(room: Path, *, is_shared: bool) -> Iterator[str]:
    """Where replies are kept: a folder, or a database of a server that runs meanwhile."""
    if not is_shared:
        yield str(room / "store")
        return
    with serving() as server:
        yield server.made()


class PytestRun:
    """A run of a made suite that has started; its process leads its group, workers are members.

    The byte code of all that is imported is kept beside the suite, as for an installed package, and
    the plugins of pytest that only our own tests need are off.
    """

    def __init__(self, folder: Path, store: str, *arguments: str) -> None:
        environ = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder.parent / "bytecode")}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "pytest", SUITE, "-q", "-p", "no:cacheprovider", *_OFF]
        options = [f"--summ-judge={JUDGE}", f"--summ-store={store}"]
        self.process = subprocess.Popen(
            [*command, *options, *arguments],
            cwd=folder,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def ended(self, seconds: float = LONGEST_SECONDS) -> tuple[int, str]:
        """Its exit code and what it printed; one that takes longer is killed: TimeoutError."""
        try:
            printed, _ = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            printed, _ = self.process.communicate()
            raise TimeoutError(f"no end after {seconds:g} s:\n{printed}") from None
        return self.process.returncode, printed

    def kill(self) -> None:
        """Kills the process and all of its workers, as a power cut would."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
