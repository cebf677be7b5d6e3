"""The folder in which pytest really runs, as the plugin's tests have it."""

from tests.cli.conftest import server, shell  # noqa: F401 - likewise
from tests.plugin.conftest import _loaded_client, bench, nobody  # noqa: F401 - fixtures
