from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from summeval_pytest.errors import StoreError
from summeval_pytest.scale.postgres import PostgresStore
from summeval_pytest.store.cassette import Row
from summeval_pytest.store.store import LocalStore
from tests.stored import stored
from tests.waiting import SOON, wait_until

KEY, OTHER = "a" * 64, "b" * 64

RACER = """
import asyncio, os, sys
from pathlib import Path
from summeval_pytest.store.store import LocalStore
from summeval_pytest.store.cassette import Row
from summeval_pytest.store.cassette import request_key
import diskcache
directory, log = Path(sys.argv[1]), os.open(sys.argv[2], os.O_APPEND | os.O_WRONLY)
sys.stdin.readline()
store = LocalStore(directory)
async def ask(number):
    key = request_key({"number": number})
    async with store.alone(key):
        if store.get(key) is None:
            os.write(log, b"%d\\n" % number)
            await asyncio.sleep(0.01)
            store.put(Row(key, "", {"number": number}))
async def all():
    start = int(sys.argv[3])
    numbers = [*range(start, 40), *range(start)]
    limit = asyncio.Semaphore(8)
    async def one(number):
        async with limit:
            await ask(number)
    await asyncio.gather(*map(one, numbers), *map(one, numbers))
asyncio.run(all())
"""


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    """A store in which nothing is."""
    return LocalStore(tmp_path / "store")


def racer(path: Path, start: int) -> subprocess.Popen[str]:
    """Another process that asks 40 questions, each twice, from one of them on, when told to."""
    return subprocess.Popen(
        [sys.executable, "-c", RACER, path / "store", path / "log", str(start)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def begin(*racers: subprocess.Popen[str]) -> None:
    """Tells all of them to begin."""
    for each in racers:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()


def questions_of(path: Path) -> list[int]:
    """The questions that racers have asked, in order."""
    return sorted(map(int, (path / "log").read_text(encoding="utf-8").split()))


async def is_free(store: LocalStore | PostgresStore, key: str = KEY, within: float = 0.2) -> bool:
    """Whether one can be alone with a key within some seconds."""
    try:
        async with asyncio.timeout(within), store.alone(key):
            return True
    except TimeoutError:
        return False


def test_tasks_are_alone_one_after_the_other(tmp_path: Path) -> None:
    """The first asks, and the others find its answer."""
    order: list[str] = []

    async def ask(name: str) -> None:
        async with LocalStore(tmp_path / "store").alone(KEY):
            order.append(f"{name} begins")
            await asyncio.sleep(0.01)
            order.append(f"{name} ends")

    async def all_three() -> None:
        await asyncio.gather(ask("a"), ask("b"), ask("c"))

    asyncio.run(asyncio.wait_for(all_three(), SOON))
    assert sorted(order[::2]) == ["a begins", "b begins", "c begins"]
    assert order[1::2] == [begun.replace("begins", "ends") for begun in order[::2]]


def test_other_keys_are_free_and_locks_private_and_gone(store: LocalStore, tmp_path: Path) -> None:
    """Only the same request has to wait; a file a request would fill the store."""
    locks = tmp_path / "store" / "locks"

    async def both() -> None:
        async with store.alone(KEY), store.alone(OTHER):
            assert not await is_free(store, KEY)
            assert not await is_free(store, OTHER)
            assert await is_free(store, "a" * 14 + "b" * 50)
            assert sorted(path.name for path in locks.iterdir()) == [KEY, OTHER]
            assert (locks / KEY).stat().st_mode & 0o777 == 0o600
        assert await is_free(store)

    asyncio.run(both())
    assert list(locks.iterdir()) == []


def test_cancelled_or_failed_owner_frees_the_key(store: LocalStore, tmp_path: Path) -> None:
    """An interrupted run holds nobody up."""

    async def fail() -> None:
        async with store.alone(KEY):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(fail())

    async def cancel() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(SOON) as limit, store.alone(KEY):
                limit.reschedule(0)  # it is over
                await asyncio.sleep(SOON)
        assert list((tmp_path / "store" / "locks").iterdir()) == []
        assert await is_free(store)

    asyncio.run(cancel())


def test_processes_make_one_store_and_ask_each_question_once(tmp_path: Path) -> None:
    """The point of it all: 40 questions, each wanted twice by 2 processes, are asked 40 times."""
    (tmp_path / "log").touch()
    processes = [racer(tmp_path, start) for start in (0, 20)]
    begin(*processes)
    assert [process.communicate()[1] for process in processes] == [""] * 2
    assert questions_of(tmp_path) == list(range(40))
    assert len(stored(tmp_path / "store")) == 40
    names = sorted(path.name for path in (tmp_path / "store").iterdir())
    assert names == [".gitignore", "CACHEDIR.TAG", "locks", "replies"]


def test_a_store_named_from_home_keeps_notes_and_money(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ini file says `~/store`, and no shell has expanded it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    store, row = LocalStore(Path("~/store")), Row(KEY, "", {})
    with closing(store):
        store.put(row)
        assert store.get(KEY) == row
        store.remove(KEY)
        store.remove(KEY)
        assert store.get(KEY) is None
        asyncio.run(store.account("run").settle(0.0, 2.0))
        assert asyncio.run(store.account("run").reserve(1.0, 2.5)) == (False, True, 2.0)
        store.put_note("dialect", "text")
    with closing(LocalStore(Path("~/store"))) as later:
        assert later.note("dialect") == "text"


def test_killed_process_leaves_its_questions_to_the_others(tmp_path: Path) -> None:
    """What it had not answered is asked once more, and nothing else is."""
    (tmp_path / "log").touch()
    LocalStore(tmp_path / "store").database().close()
    with racer(tmp_path, 0) as victim, racer(tmp_path, 0) as survivor:
        begin(victim, survivor)
        wait_until(lambda: (tmp_path / "log").stat().st_size >= 30)
        victim.kill()
        assert survivor.wait(SOON) == 0
    assert set(questions_of(tmp_path)) == set(range(40))
    assert len(questions_of(tmp_path)) <= 40 + 8  # the victim had at most 8 on their way
    assert len(stored(tmp_path / "store")) == 40


def test_place_without_locks_is_said(store: LocalStore, tmp_path: Path) -> None:
    """A link would make a file elsewhere, and where there are no locks, a wait would never end."""
    (tmp_path / "store" / "locks").mkdir(mode=0o700, parents=True)
    (tmp_path / "store" / "locks" / KEY).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError) as caught:
        asyncio.run(is_free(store))
    assert str(caught.value) == (
        f"the store's folder '{tmp_path / 'store' / 'locks'}' holds no locks"
        " (Too many levels of symbolic links); name another directory with --summ-store=DIR"
    )
    assert not (tmp_path / "elsewhere").exists()
