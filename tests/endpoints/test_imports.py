from __future__ import annotations

import subprocess
import sys


def test_importing_models_imports_no_client_library() -> None:
    """It takes a third of a second, and a run that replays sends nothing."""
    code = (
        "import sys; from summeval_pytest.endpoints import client, endpoint as at, limits;"
        "endpoint = at.Endpoint(name='a', base_url='http://localhost/v1');"
        "client.Client(endpoint, limits.Limits(1));"
        "print([m for m in ('openai', 'httpx2', 'httpx', 'diskcache') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
