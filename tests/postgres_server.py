"""A PostgreSQL server of the tests' own: a free port, a temporary folder, an ordinary user."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from tests.waiting import SOON

PASSWORD: Final = "pw-marker/7e1f@0a"  # noqa: S105 - of a server that lives for one test run
"""A password that may be found nowhere."""
ESCAPED: Final = "pw-marker%2F7e1f%400a"
"""The same as a URL has it."""
_DEBIAN: Final = "/usr/lib/postgresql"
_SETTINGS: Final = {
    "fsync": "off",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "60",
}


def _programs() -> Path | None:
    """The folder of the newest server on this machine; None if there is none."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path(_DEBIAN).glob("*/bin"), key=lambda path: float(path.parent.name))
    return next((path for path in reversed(folders) if (path / "initdb").exists()), None)


def _as_ordinary_user() -> dict[str, Any]:
    """What a process needs so that it does not run as root, which the server refuses."""
    if os.geteuid():
        return {}
    return {"user": "nobody", "group": "nogroup", "extra_groups": []}


@dataclass(eq=False)
class PostgresServer:
    """A server that can be stopped and started."""

    folder: Path
    programs: Path
    port: int
    _numbers: Iterator[int] = field(default_factory=count)

    def call(self, program: str, *arguments: str) -> None:
        """Runs one of the server's programs to its end."""
        log = self.folder / "programs.log"
        with log.open("ab") as out:
            done = subprocess.run(
                [self.programs / program, "-D", self.folder / "data", *arguments],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                timeout=SOON,
                check=False,
                **_as_ordinary_user(),
            )
        assert done.returncode == 0, log.read_text(encoding="utf-8", errors="replace")

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        options = " ".join(f"-c {name}='{value}'" for name, value in _SETTINGS.items())
        log = str(self.folder / "server.log")
        self.call("pg_ctl", "-w", "-l", log, "-o", f"-p {self.port} {options}", "start")

    def stop(self) -> None:
        """Stops it as a crash would."""
        self.call("pg_ctl", "-m", "immediate", "stop")

    def url(self, database: str, password: str = ESCAPED) -> str:
        """The address of a database."""
        return f"postgresql://judge:{password}@127.0.0.1:{self.port}/{database}"

    def made(self) -> str:
        """The address of a new database."""
        name = f"db{next(self._numbers)}"
        self.found("postgres", f"CREATE DATABASE {name}")
        return self.url(name)

    def found(self, database: str, statement: str) -> list[tuple[Any, ...]]:
        """What a statement returns."""
        import psycopg

        url = database if "://" in database else self.url(database)
        with closing(psycopg.connect(url, autocommit=True)) as connection:
            cursor = connection.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []

    @contextmanager
    def holding(self, url: str, statement: str) -> Iterator[None]:
        """Keeps what a statement locks until the end."""
        import psycopg

        with closing(psycopg.connect(url)) as connection:
            connection.execute(statement)
            yield


@contextmanager
def serving() -> Iterator[PostgresServer]:
    """A server for the tests of one module; they are skipped where none can be."""
    pytest.importorskip("psycopg_pool", reason="psycopg is not installed (extra postgres)")
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL server on this machine (apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="summeval-postgres-"))
    user = _as_ordinary_user().get("user", getpass.getuser())
    try:
        secret = folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        for path in (secret, folder):
            shutil.chown(path, user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
        server = PostgresServer(folder, programs, port)
        server.call(
            "initdb", "-U", "judge", "-A", "scram-sha-256", f"--pwfile={secret}", "--no-sync",
            "-E", "UTF8", "--locale=C",
        )  # fmt: skip
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
