"""The root of this repository's own tests: pytester for the tests that run pytest itself."""

from __future__ import annotations

import os
import sys

pytest_plugins = ["pytester"]

# Tests start hundreds of processes. Where Python is told to keep no bytecode, each compiles the
# whole package again and takes 3 seconds in place of 1; so runs of the tests keep it.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
