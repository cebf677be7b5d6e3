"""The root of this repository's own tests: pytester for the tests that run pytest itself."""

from __future__ import annotations

pytest_plugins = ["pytester"]
