from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.store.cache import SETTINGS, Cache

if TYPE_CHECKING:
    from tests.store.conftest import Store

REMEDY = (
    "; nothing was changed: move its folder away and replies are asked for again, or name another"
    " directory with --summ-store=DIR"
)


def said(file: Path, what: str) -> str:
    """The message about a file."""
    return f"the store's file '{file}' {what}{REMEDY}"


def test_empty_database_is_no_empty_store(store: Store) -> None:
    """A file cut to nothing would otherwise count as a store in which nothing is."""
    store.database.write_bytes(b"")

    assert store.mistake() == said(store.database, "is empty")
    assert store.database.read_bytes() == b""


def test_database_that_is_gone_is_said(store: Store) -> None:
    """Its log may still be there, and must not be played back into another one."""
    store.database.unlink()

    assert store.mistake() == said(store.database, "is gone, and its folder is there")
    assert list(store.database.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"garbage " * 1000, "file is not a database"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n" * 9,
            "file is not a database",
        ),
        (b"<html>", "file is not a database"),
    ],
)
def test_file_that_is_no_database_is_said_and_kept(store: Store, content: bytes, told: str) -> None:
    """Whatever it is, it is not ours to delete."""
    store.database.write_bytes(content)

    assert store.mistake() == (
        f"the store's database '{store.database}' is damaged, or is none ({told}); nothing in it"
        " was changed: move it away and replies are asked for again, or name another directory"
        " with --summ-store=DIR"
    )
    assert store.database.read_bytes() == content


@pytest.mark.parametrize("size", [50, 1000, 5000, 9000])
def test_database_that_is_cut_short_is_said_and_kept(store: Store, size: int) -> None:
    """A full disk or a broken download ends like this."""
    content = store.database.read_bytes()[:size]
    store.database.write_bytes(content)

    assert "is damaged, or is none (" in store.mistake()
    assert store.database.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("eviction_policy", "least-recently-stored"),
        ("size_limit", 1),
        ("cull_limit", 10),
        ("sqlite_journal_mode", "delete"),
        ("disk_min_file_size", 0),
        ("sqlite_writable_schema", 1),
        ("disk_put", "x"),
        ("get", "x"),
    ],
)
def test_planted_setting_is_refused_and_not_applied(
    store: Store, name: str, value: str | int
) -> None:
    """Any would be applied: as eviction, as an attribute of diskcache, as a pragma of SQLite."""
    store.plant("INSERT OR REPLACE INTO Settings VALUES (?, ?)", name, value)

    assert store.mistake() == said(
        store.database, f"has the setting {name!r} = {value!r}, which this package never has"
    )
    assert (name, value) in store.found("SELECT key, value FROM Settings")
    assert len(store.found("SELECT key FROM Cache")) == 3


def test_planted_counter_is_refused(store: Store) -> None:
    """A count is a number."""
    store.plant("UPDATE Settings SET value = 'x' WHERE key = 'count'")

    assert "has the setting 'count' = 'x'" in store.mistake()


def test_own_settings_are_those_of_the_database(store: Store) -> None:
    """There is no setting beyond those that we set, so none is left to diskcache's defaults."""
    from diskcache.core import DEFAULT_SETTINGS  # type: ignore[import-untyped]  # no types

    assert set(DEFAULT_SETTINGS) == set(SETTINGS)
    assert set(SETTINGS.items()) <= set(store.found("SELECT key, value FROM Settings"))
    assert SETTINGS["eviction_policy"] == "none"


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        (
            "CREATE TRIGGER loss AFTER INSERT ON Cache BEGIN DELETE FROM Cache; END",
            "has a trigger 'loss'",
        ),
        ("CREATE TABLE more (a)", "has a table 'more'"),
        ("CREATE VIEW peek AS SELECT * FROM Cache", "has a view 'peek'"),
        ("CREATE INDEX slow ON Cache(value)", "has a index 'slow'"),
    ],
)
def test_planted_part_of_the_schema_is_refused(store: Store, statement: str, what: str) -> None:
    """A trigger runs at each write, and could undo it in silence."""
    store.plant(statement)

    assert store.mistake() == said(store.database, f"{what} that this package never makes")


def test_table_that_calls_code_is_refused(store: Store) -> None:
    """A virtual table is no table of rows but a module of SQLite's."""
    for trigger in ("count_insert", "count_delete", "size_insert", "size_update", "size_delete"):
        store.plant(f"DROP TRIGGER Settings_{trigger}")
    store.plant("DROP TABLE Cache")
    store.plant("CREATE VIRTUAL TABLE Cache USING fts3tokenize('simple')")

    assert "has a table 'Cache' that this package never makes" in store.mistake()


def test_database_without_a_log_is_refused(store: Store) -> None:
    """In another journal mode readers and writers lock each other out."""
    store.plant("PRAGMA journal_mode = DELETE")

    assert "keeps no write-ahead log, without which processes cannot share it" in store.mistake()


def test_database_of_something_else_is_refused(store: Store) -> None:
    """The row that every store has from its first moment tells."""
    store.plant("DELETE FROM Cache WHERE key = 'summeval'")

    assert store.mistake() == said(store.database, "lacks the row that says which format it has")


def test_other_format_is_refused(store: Store) -> None:
    """A later version may keep rows in a way that this one would read wrongly."""
    store.plant("UPDATE Cache SET value = ? WHERE key = 'summeval'", '{"format": 2}')

    assert store.mistake() == said(
        store.database,
        "is in format '{\"format\": 2}', and this version knows '{\"format\": 1}' alone,",
    )


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_link_to_another_file_is_refused(store: Store, tmp_path: Path, suffix: str) -> None:
    """SQLite would follow it, and write there."""
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    link = store.database.with_name(f"cache.db{suffix}")
    link.unlink(missing_ok=True)
    link.symlink_to(victim)

    assert store.mistake() == said(link, "is something that this package never makes")
    assert victim.read_text(encoding="utf-8") == "precious"


def test_planted_journal_is_refused(store: Store) -> None:
    """SQLite plays a journal back, and deletes a file that it names."""
    journal = store.database.with_name("cache.db-journal")
    journal.write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")

    assert store.mistake() == said(journal, "is something that this package never makes")
    assert journal.exists()


def test_locked_database_is_said_after_a_while(store: Store) -> None:
    """A run that waits for ever says nothing."""
    with closing(sqlite3.connect(store.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        message = store.mistake(lock_seconds=0.3)

    assert message == (
        f"the store's database '{store.database}' has been locked by another process for 0.3"
        " seconds; let that end, or name another directory with --summ-store=DIR"
    )


def test_short_lock_is_waited_for(store: Store) -> None:
    """Other processes write, too."""
    script = (
        "import sqlite3, sys, time;"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('BEGIN IMMEDIATE'); print(flush=True); time.sleep(0.3); c.execute('ROLLBACK')"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(store.database)], stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with Cache(store.path) as cache:
            assert len(cache) == 1
    assert other.returncode == 0


READ_ONLY = """
import os, sys
from pathlib import Path
import diskcache
from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import Cache; from summeval_pytest.store.cassette import Row
path = Path(sys.argv[1])
late = sys.argv[2] == "late"
if os.geteuid() == 0:
    for name in (path, *path.rglob("*")):
        os.chown(name, 65534, 65534)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
def close():
    (path / "replies" / "cache.db").chmod(0o400)
try:
    if late:
        cache = Cache(path, lock_seconds=1)
        cache.close()
        close()
        cache.put(Row("b" * 64, "facets", {}))
    else:
        close()
        Cache(path, lock_seconds=1)
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("moment", ["early", "late"])
def test_read_only_database_is_said(store: Store, tmp_path: Path, moment: str) -> None:
    """Also where it became so while it was in use, as diskcache connects anew now and then."""
    with tempfile.TemporaryDirectory() as name:  # one that every user may look into
        Path(name).chmod(0o755)
        path = shutil.copytree(store.path, f"{name}/store")
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, path, moment],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"the store's database '{path}/replies/cache.db' cannot be written (attempt to write a"
        " readonly database); make it writable, or name another directory with --summ-store=DIR\n"
    )
