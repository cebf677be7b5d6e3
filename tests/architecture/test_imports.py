"""The walls of the house: who may import whom, and what loads when."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_imports_flow_down() -> None:
    """A wall that only a drawing holds is soon gone, so the linter's contracts run as a test."""
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "100"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout
