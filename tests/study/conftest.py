"""The fixtures of the commands."""

from tests.cli.conftest import server, shell  # noqa: F401 - fixtures
