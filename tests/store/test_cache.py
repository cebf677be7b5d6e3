from __future__ import annotations

import os
import pickle
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import (
    SETTINGS,
    Cache,
    default_directory,
    explained,
    prepare,
    text_disk,
)
from summeval_pytest.store.cassette import Row

if TYPE_CHECKING:
    from collections.abc import Iterator


KEY, OTHER = "a" * 64, "b" * 64
ROW = Row(KEY, "facets of zinc-01", {"text": "Zinc helps.", "finish": "stop"})


@dataclass(frozen=True, slots=True)
class Store:
    """The directory of a store that one row is in."""

    path: Path

    @property
    def database(self) -> Path:
        """The file that the rows are in."""
        return self.path / "replies" / "cache.db"

    def plant(self, statement: str, *values: object) -> None:
        """Changes the database behind the package's back."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
            connection.execute(statement, values)

    def found(self, statement: str) -> list[tuple[object, ...]]:
        """What really stands in the database."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(statement).fetchall()

    def mistake(self, lock_seconds: float = 0.2) -> str:
        """The message that opening ends with."""
        with pytest.raises(StoreError) as caught:
            Cache(self.path, lock_seconds=lock_seconds)
        return str(caught.value)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with one row and one note, closed."""
    with Cache(tmp_path / "store") as cache:
        cache.put(ROW)
        cache.put_note("dialect", "json_schema")
    return Store(tmp_path / "store")


@pytest.fixture
def row() -> Row:
    """The row that is in the store."""
    return ROW


# Where it is

NOBODY = 65534


def unfit(directory: Path) -> str:
    """The message for a directory that is unfit."""
    with pytest.raises(StoreError) as caught:
        prepare(directory)
    return str(caught.value)


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A directory that every user may look into, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


def test_new_store_is_private(tmp_path: Path) -> None:
    """Papers and replies may be confidential, and a planted reply would change a verdict."""
    made = prepare(tmp_path / "new" / "store")

    assert made == tmp_path / "new" / "store"
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_store_is_kept_out_of_git_and_backups(tmp_path: Path) -> None:
    """A store inside a repository must not be committed by chance."""
    made = prepare(tmp_path / "store")

    assert (made / ".gitignore").read_text(encoding="utf-8").splitlines()[-1] == "*"
    assert (
        (made / "CACHEDIR.TAG")
        .read_text(encoding="utf-8")
        .startswith(
            "Signature: 8a477f597d28d172789f06886806bc55\n"  # fixed by bford.info/cachedir
        )
    )


def test_directory_of_other_things_is_unfit(tmp_path: Path) -> None:
    """A .gitignore of ours in a project's own folder would hide the project from git."""
    (tmp_path / "main.py").touch()
    (tmp_path / "zebra.py").touch()
    tmp_path.chmod(0o700)

    assert unfit(tmp_path) == (
        f"the directory '{tmp_path}' holds other things than a store (such as 'main.py'); name an"
        " empty or a new directory with --summ-store=DIR"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main.py", "zebra.py"]


@pytest.mark.parametrize("bits", [0o720, 0o702])
def test_store_that_others_may_write_into_is_unfit(tmp_path: Path, bits: int) -> None:
    """What anybody can write, nobody can trust."""
    (tmp_path / "store").mkdir()
    (tmp_path / "store").chmod(bits)

    assert unfit(tmp_path / "store") == (
        f"others may write into the store '{tmp_path / 'store'}', and so put words into a judge's"
        " mouth; run 'chmod go-w' on it if nobody has, or name another directory with"
        " --summ-store=DIR"
    )
    assert list((tmp_path / "store").iterdir()) == []


def test_store_of_somebody_else_is_unfit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner can change it at any time."""
    made = prepare(tmp_path / "store")
    monkeypatch.setattr(os, "geteuid", lambda: made.stat().st_uid + 1)

    assert unfit(made) == (
        f"the store '{made}' belongs to somebody else (user {made.stat().st_uid}), who could put"
        " words into a judge's mouth; name another directory with --summ-store=DIR"
    )


def test_file_in_its_place_is_unfit(tmp_path: Path) -> None:
    """It is somebody's file."""
    (tmp_path / "store").write_text("mine", encoding="utf-8")
    message = (
        "cannot be made, as a file is in its place; name another directory with --summ-store=DIR"
    )

    assert unfit(tmp_path / "store") == f"the store '{tmp_path / 'store'}' {message}"
    assert unfit(tmp_path / "store" / "a") == f"the store '{tmp_path / 'store' / 'a'}' {message}"
    assert (tmp_path / "store").read_text(encoding="utf-8") == "mine"


ATTEMPT = """
import os, sys
from pathlib import Path
import diskcache
from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import Cache
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    Cache(Path(sys.argv[1]), lock_seconds=1)
except StoreError as error:
    print(error)
"""


def as_nobody(path: Path) -> str:
    """What opening a store says to a user who has to obey permissions, as root has not."""
    done = subprocess.run(
        [sys.executable, "-c", ATTEMPT, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_store_that_cannot_be_written_is_said(open_path: Path) -> None:
    """Nothing new could be remembered, so everything would be paid for again."""
    made = prepare(open_path / "store")
    if os.geteuid() == 0:
        os.chown(made, NOBODY, NOBODY)
    made.chmod(0o500)

    assert as_nobody(made) == (
        f"the store '{made}' cannot be written; run 'chmod u+rwx' on it, or name another directory"
        " with --summ-store=DIR"
    )
    made.chmod(0o700)


def test_default_is_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All projects of a user share what was paid for, and nothing is made by asking where."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert default_directory() == tmp_path / "summeval"
    assert list(tmp_path.iterdir()) == []


# What is kept

INSERT = (
    "INSERT INTO Cache(key, raw, store_time, access_time, mode, value) VALUES (?, 1, 0, 0, 1, ?)"
)


def refused(store: Store, key: str = OTHER) -> str:
    """The message that reading a planted row ends with."""
    with Cache(store.path) as cache, pytest.raises(StoreError) as caught:
        cache.get(key)
    return str(caught.value)


def test_keys_are_those_of_the_rows_in_order(store: Store, row: Row) -> None:
    """Notes and the store's own mark are no rows; 250 are more than diskcache reads at once."""
    keys = [f"{number:064x}" for number in range(250, 0, -1)]
    with Cache(store.path) as cache:
        for key in keys:
            cache.put(Row(key, "facets", {}))

        assert list(cache.keys()) == [row.key, *keys]
        assert len(cache) == 251


def test_note_is_kept_beside_the_rows(store: Store) -> None:
    """What an endpoint understands is found out once."""
    with Cache(store.path) as cache:
        cache.put_note("dialect ünï", "a\x00b\ud800")

    with Cache(store.path) as cache:
        assert cache.note("dialect") == "json_schema"
        assert cache.note("dialect ünï") == "a\x00b\ud800"
        assert cache.note("other") is None
        cache.put_note("dialect", "text")
        assert cache.note("dialect") == "text"


def test_nothing_is_ever_evicted(store: Store) -> None:
    """By its own settings, diskcache forgets old rows in silence."""
    with Cache(store.path) as cache:
        for number in range(40):
            cache.put(Row(f"{number:064x}", "facets", {"text": "x" * 100_000}))

    with Cache(store.path) as cache:
        assert len(cache) == 41


def test_row_that_is_no_line_of_ours_is_refused(store: Store) -> None:
    """Its key and its fault are named, and its text is not repeated."""
    store.plant(INSERT, OTHER, '{"text": "secret"}')

    assert refused(store) == (
        f"the row {OTHER} of the store '{store.path}' was not written by this package (a row has"
        " 'key', 'reply' and 'topic', and this has 'text'); do not trust this store: move it away,"
        " or name another directory with --summ-store=DIR"
    )


def test_row_under_another_key_is_refused(store: Store, row: Row) -> None:
    """One question's answer must not serve another."""
    store.plant(INSERT, OTHER, row.as_line())

    assert f"the row {OTHER} of the store" in refused(store)
    assert f"(its line has the key {row.key})" in refused(store)


@pytest.mark.parametrize("text", ["plain", "[]", "3", "[" * 100_000])
def test_note_that_is_none_of_ours_is_refused(store: Store, text: str) -> None:
    """A note says how to talk to an endpoint."""
    store.plant(INSERT, "note:x", text)

    with Cache(store.path) as cache, pytest.raises(StoreError, match="it is no JSON text"):
        cache.note("x")


def test_key_that_is_none_of_ours_is_refused(store: Store) -> None:
    """Its text is shown without its commands."""
    store.plant(INSERT, "x\n::error::", "{}")

    with Cache(store.path) as cache, pytest.raises(StoreError) as caught:
        list(cache.keys())
    assert str(caught.value).startswith(
        f"the row 'x\\n::error::' of the store '{store.path}' was not written by this package"
    )


def test_write_waits_for_a_lock_and_says_so_in_the_end(store: Store) -> None:
    """By diskcache's word it would be a timeout, and its way to wait a busy loop."""
    with Cache(store.path, lock_seconds=0.2) as cache:
        with closing(sqlite3.connect(store.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"locked by another process for 0\.2 seconds"):
                cache.put(Row(OTHER, "facets", {}))
            assert cache.get(OTHER) is None  # readers do not wait
        cache.put(Row(OTHER, "facets", {}))
        assert cache.get(OTHER) is not None


@pytest.mark.parametrize("anew", [False, True])
def test_store_that_is_deleted_under_a_run_is_said(store: Store, anew: bool) -> None:
    """SQLite would go on writing into the file that is gone, and nothing would be remembered."""
    with Cache(store.path) as cache:
        shutil.rmtree(store.path)
        if anew:
            Cache(store.path).close()
        with pytest.raises(StoreError) as caught:
            cache.put(Row(OTHER, "facets", {}))
        with pytest.raises(StoreError, match="was deleted or replaced"):
            cache.put_note("dialect", "text")
    assert str(caught.value) == (
        f"the store's database '{store.database}' was deleted or replaced while this run used it,"
        " so nothing more can be remembered; run once more"
    )


@settings(max_examples=40, deadline=None)
@given(st.text(), st.dictionaries(st.text(), st.text() | st.none() | st.integers(), max_size=4))
def test_any_reply_comes_back(topic: str, reply: dict[str, object]) -> None:
    """What a model wrote is kept to the letter."""
    import tempfile

    with tempfile.TemporaryDirectory() as name, Cache(Path(name) / "store") as cache:
        cache.put(Row(OTHER, topic, reply))
        cache.put_note(topic, topic)

        assert cache.get(OTHER) == Row(OTHER, topic, reply)
        assert cache.note(topic) == topic


WRITER = """
import sys
from pathlib import Path
from summeval_pytest.store.cache import Cache; from summeval_pytest.store.cassette import Row
cache = Cache(Path(sys.argv[1]))
for number in range(1, 1_000_000):
    cache.put(Row(f"{number:064x}", "facets", {"text": "x" * 1000}))
    print(number, flush=True)
"""


@pytest.mark.parametrize("lines", [1, 40])
def test_killed_writer_loses_nothing_that_it_wrote(store: Store, lines: int) -> None:
    """A kill at any moment leaves a sound database that holds every row put before."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store.path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        for _ in range(lines):
            writer.stdout.readline()
        writer.kill()
        last = lines + len(writer.stdout.read().splitlines())

    assert store.found("PRAGMA integrity_check") == [("ok",)]
    with Cache(store.path) as cache:
        assert last <= len(cache) - 1 <= last + 2  # the one before; put and not yet printed
        assert cache.get(f"{lines:064x}") == Row(f"{lines:064x}", "facets", {"text": "x" * 1000})


OPENER = """
import sys, time
from pathlib import Path
from summeval_pytest.store.cache import Cache; from summeval_pytest.store.cassette import Row
import diskcache
while time.time() < float(sys.argv[2]):
    pass
cache = Cache(Path(sys.argv[1]))
cache.put(Row(sys.argv[3] * 64, "facets", {}))
cache.close()
"""


def test_eight_processes_make_one_store_at_the_same_time(tmp_path: Path) -> None:
    """Workers start together; each has its row in the one database that stays."""
    start = time.time() + 1.0
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, str(tmp_path / "store"), str(start), f"{number}"],
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    errors = [process.communicate()[1] for process in processes]

    assert errors == [""] * 8
    with Cache(tmp_path / "store") as cache:
        assert sorted(cache.keys()) == [f"{number}" * 64 for number in range(8)]
    assert sorted(path.name for path in (tmp_path / "store").iterdir()) == [
        ".gitignore", "CACHEDIR.TAG", "replies",
    ]  # fmt: skip


def test_importing_the_store_imports_no_diskcache() -> None:
    """A replay needs neither the database nor what looks for its place."""
    code = (
        "import sys; from summeval_pytest.store import cassette as store; from pathlib import Path;"
        "store.write_cassette(Path(sys.argv[1]), ());"
        "store.read_cassette(Path(sys.argv[1]), 'x');"
        "print(sorted({'diskcache', 'platformdirs', 'openai', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "/dev/null"], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr


# What somebody else has written

PLANT = (
    "INSERT INTO Cache(key, raw, store_time, access_time, mode, filename, value)"
    " VALUES (?, ?, 0, 0, ?, ?, ?)"
)


class Bomb:
    """An object that makes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.marker,)


def test_the_bomb_is_live(store: Store, tmp_path: Path) -> None:
    """The code of the rows below runs with diskcache's own disk, so the tests below can fail."""
    from diskcache import Cache as Unguarded  # type: ignore[import-untyped]  # it ships no types

    marker = tmp_path / "marker"
    store.plant(PLANT, OTHER, 1, 4, None, pickle.dumps(Bomb(marker)))

    with Unguarded(str(store.database.parent)) as cache:
        cache.get(OTHER)

    assert marker.exists()


@pytest.mark.parametrize("mode", [0, 3, 4, "4", None])
def test_pickled_value_is_refused_and_not_run(
    store: Store, tmp_path: Path, mode: int | str | None
) -> None:
    """A store from somewhere else must not be a way to run code here (CVE-2025-69872)."""
    marker = tmp_path / "marker"
    store.plant(PLANT, OTHER, 1, mode, None, pickle.dumps(Bomb(marker)))

    assert refused(store) == (
        f"the store '{store.database.parent}' has a row with a value that is no text, which this"
        " package never writes; somebody else wrote it, so do not trust this store: move it away,"
        " or name another directory with --summ-store=DIR"
    )
    assert not marker.exists()


@pytest.mark.parametrize("raw", [0, 1])
def test_pickled_key_is_refused_and_not_run(store: Store, tmp_path: Path, raw: int) -> None:
    """Reading the keys alone would run it."""
    marker = tmp_path / "marker"
    store.plant(PLANT, pickle.dumps(Bomb(marker)), raw, 1, None, "{}")

    with Cache(store.path) as cache, pytest.raises(StoreError, match="a key that is no text"):
        list(cache.keys())
    assert not marker.exists()


@pytest.mark.parametrize("mode", [1, 4])
def test_value_in_a_file_is_not_read(store: Store, tmp_path: Path, mode: int) -> None:
    """Any file of the user's could be named in a row."""
    victim = tmp_path / "victim"
    victim.write_text('{"secret": 1}', encoding="utf-8")
    store.plant(PLANT, OTHER, 1, mode, str(victim), None)

    message = refused(store)

    assert "a row with a value in a file" in message
    assert "secret" not in message


def test_file_that_a_row_names_is_not_deleted(store: Store, tmp_path: Path) -> None:
    """Replacing a row would delete its file in diskcache; the new row is kept all the same."""
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    store.plant(PLANT, OTHER, 1, 3, str(victim), None)
    row = Row(OTHER, "facets", {"text": "new"})

    with Cache(store.path) as cache:
        with pytest.raises(StoreError, match="a value in a file"):
            cache.put(row)
        assert cache.get(OTHER) == row

    assert victim.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("value", [7, None])
def test_only_text_is_written(tmp_path: Path, value: object) -> None:
    """What cannot be stored otherwise, diskcache would pickle."""
    disk = text_disk()(str(tmp_path))

    with pytest.raises(StoreError, match="a key that is no text"):
        disk.put(value)
    with pytest.raises(StoreError, match="a value that is no text"):
        disk.store(value, read=False)
    with pytest.raises(StoreError, match="a value that is no text"):
        disk.store("text", read=True)
    with pytest.raises(StoreError, match="a value in a file"):
        disk.filename()
    assert list(tmp_path.iterdir()) == []


# What is refused before it is opened

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


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"garbage " * 1000, "file is not a database"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n" * 9,
            "file is not a database",
        ),
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


@pytest.mark.parametrize("size", [50, 5000])
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
        ("sqlite_journal_mode", "delete"),
        ("sqlite_writable_schema", 1),
        ("disk_put", "x"),
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


def test_other_format_is_refused(store: Store) -> None:
    """A later version may keep rows in a way that this one would read wrongly."""
    store.plant("UPDATE Cache SET value = ? WHERE key = 'summeval'", '{"format": 2}')

    assert store.mistake() == said(
        store.database,
        "is in format '{\"format\": 2}', and this version knows '{\"format\": 1}' alone,",
    )


@pytest.mark.parametrize("suffix", ["", "-wal"])
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


# What is told


def told(store: Store, error: Exception) -> str:
    """The message for an error of diskcache's or SQLite's."""
    with pytest.raises(StoreError) as caught, explained(store.database, 7):
        raise error
    return str(caught.value)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (sqlite3.OperationalError("database is locked"), "locked by another process"),
        (sqlite3.OperationalError("database table is locked"), "locked by another process"),
        (sqlite3.OperationalError("database or disk is full"), "cannot be written (database or"),
        (sqlite3.OperationalError("disk I/O error"), "cannot be written (disk I/O error)"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "cannot be written"),
        (sqlite3.OperationalError("no such table: Settings"), "is damaged, or is none (no such"),
        (sqlite3.DatabaseError("database disk image is malformed"), "is damaged, or is none"),
        (OSError(28, "No space left on device"), "cannot be written (No space left on device)"),
    ],
)
def test_error_is_told_by_what_can_be_done(store: Store, error: Exception, message: str) -> None:
    """The words are SQLite's own, the remedy is ours."""
    assert message in told(store, error)
