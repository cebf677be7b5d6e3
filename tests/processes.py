"""Processes as a user starts them: nothing that surrounds the tests chooses for them.

And servers of this process, for those that ask one.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

LEAN: Final = " ".join(
    f"-p no:{name}"
    for name in (
        *("hypothesispytest", "anyio", "asyncio", "randomly", "rerunfailures", "syrupy"),
        *("doctest", "legacypath", "pastebin", "setuponly", "setupplan", "stepwise", "unittest"),
        *("debugging", "faulthandler", "recwarn", "subtests", "threadexception"),
        "xdist.looponfail",
    )
)
"""Other plugins of this machine, and some of pytest's own, which cost time and play no part."""


def run_command(
    *command: str | Path, code: int = 0, **how: Any
) -> subprocess.CompletedProcess[str]:
    """A finished process with what it printed; another exit code fails the test.

    ``how`` has more arguments of `subprocess.run`.
    """
    how |= {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    done = subprocess.run(command, **how, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], **how: Any) -> Iterator[str]:
    """The address here at which a handler, made with ``how``, answers, and logs nothing."""
    quiet = type("Quiet", (handler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, **how)) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def clean_environment(**variables: str) -> dict[str, str]:
    """The environment without what chooses for a run of pytest or for the command."""
    kept = {name: value for name, value in os.environ.items() if not is_ours(name)}
    return kept | {"PYTEST_ADDOPTS": LEAN, "PY_COLORS": "0", "COLUMNS": "80"} | variables


def is_ours(name: str) -> bool:
    """Whether a variable chooses for a run."""
    own = ("SUMM_", "OPENAI_", "PYTEST_XDIST", "GITHUB_")
    return name.startswith(own) or name in {"CI", "BUILD_NUMBER", "SOURCE_DATE_EPOCH"}
