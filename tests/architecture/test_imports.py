"""The walls of the house: who may import whom, and what loads when."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.processes import run_command

ROOT = Path(__file__).parents[2]


def test_imports_flow_down() -> None:
    """A wall that only a drawing holds is soon gone, so the linter's contracts run as a test."""
    program = Path(sys.executable).parent / "lint-imports"
    done = run_command(program, "--no-cache", cwd=ROOT, env=os.environ | {"COLUMNS": "100"})
    assert "0 broken" in done.stdout
