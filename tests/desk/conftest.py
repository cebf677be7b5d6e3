"""The terminal and the server of the other commands."""

from __future__ import annotations

from tests.cli.conftest import _quick, server, shell

__all__ = ["_quick", "server", "shell"]
