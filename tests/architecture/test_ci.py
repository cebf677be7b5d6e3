from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.processes import run_command

GATE = Path(__file__).parents[2] / ".ci/run"


def test_what_is_not_committed_is_not_tested_in_silence(tmp_path: Path) -> None:
    """The gate tests a clone of the last commit, which is what is handed in."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(GATE, tmp_path / ".ci/run")
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    run = run_command("bash", ".ci/run", cwd=tmp_path, code=1)
    assert run.stdout == ""
    assert run.stderr == (
        "?? .ci/\n"
        "the last commit is what is tested, and this is not in it: commit, stash or delete it\n"
    )
