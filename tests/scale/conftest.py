"""The folder in which pytest really runs, as the plugin's tests have it, and a database."""

import pytest

from tests.cli.conftest import server, shell  # noqa: F401 - likewise
from tests.plugin.conftest import _loaded_client, bench, nobody  # noqa: F401 - fixtures
from tests.postgres_server import PostgresServer


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """The address of a new database."""
    return postgres_server.made()
