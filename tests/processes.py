"""Processes as a user starts them: nothing that surrounds the tests chooses for them."""

from __future__ import annotations

import os
from typing import Final

LEAN: Final = "-p no:hypothesispytest -p no:anyio -p no:randomly -p no:rerunfailures -p no:syrupy"
"""Other plugins of this machine, which cost a second a run and play no part."""


def clean_environment(**variables: str) -> dict[str, str]:
    """The environment without what chooses for a run of pytest or for the command."""
    kept = {name: value for name, value in os.environ.items() if not is_ours(name)}
    return kept | {"PYTEST_ADDOPTS": LEAN, "PY_COLORS": "0", "COLUMNS": "80"} | variables


def is_ours(name: str) -> bool:
    """Whether a variable chooses for a run."""
    own = ("SUMM_", "OPENAI_", "PYTEST_XDIST", "GITHUB_")
    return name.startswith(own) or name in {"CI", "BUILD_NUMBER", "SOURCE_DATE_EPOCH"}
