from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import Cache
from summeval_pytest.store.flight import SingleFlight
from tests.waiting import SOON, wait_until

if TYPE_CHECKING:
    from pathlib import Path

KEY, OTHER = "a" * 64, "b" * 64

HOLDER = """
import asyncio, sys
from pathlib import Path
from summeval_pytest.store.flight import SingleFlight
async def hold():
    async with SingleFlight(Path(sys.argv[1])).alone(sys.argv[2]):
        print("alone", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
asyncio.run(hold())
"""

RACER = """
import asyncio, os, sys
from pathlib import Path
from summeval_pytest.store.cache import Cache
from summeval_pytest.store.flight import SingleFlight
from summeval_pytest.store.cassette import Row
from summeval_pytest.store.key import request_key
directory, log, first = Path(sys.argv[1]), os.open(sys.argv[2], os.O_APPEND | os.O_WRONLY), 5
flight, cache = SingleFlight(directory), Cache(directory)
async def ask(number):
    key = request_key({"number": number})
    async with flight.alone(key):
        if cache.get(key) is None:
            os.write(log, b"%d\\n" % number)
            await asyncio.sleep(0.01)
            cache.put(Row(key, "", {"number": number}))
async def all():
    start = int(sys.argv[3])
    numbers = [*range(start, 60), *range(start)]
    limit = asyncio.Semaphore(8)
    async def one(number):
        async with limit:
            await ask(number)
    await asyncio.gather(*map(one, numbers), *map(one, numbers))
asyncio.run(all())
"""


def holder(directory: Path, key: str = KEY) -> subprocess.Popen[str]:
    """Another process that is alone with a key until it is told to end."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(directory), key],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "alone\n"
    return process


async def is_free(flight: SingleFlight, key: str = KEY, within: float = 0.15) -> bool:
    """Whether one can be alone with a key within some seconds."""
    try:
        async with asyncio.timeout(within), flight.alone(key):
            return True
    except TimeoutError:
        return False


def test_tasks_are_alone_one_after_the_other(tmp_path: Path) -> None:
    """The first asks, and the others find its answer."""
    order: list[str] = []

    async def ask(name: str) -> None:
        async with SingleFlight(tmp_path / "store").alone(KEY):
            order.append(f"{name} begins")
            await asyncio.sleep(0.01)
            order.append(f"{name} ends")

    async def all_three() -> None:
        await asyncio.gather(ask("a"), ask("b"), ask("c"))

    asyncio.run(asyncio.wait_for(all_three(), SOON))

    assert sorted(order[::2]) == ["a begins", "b begins", "c begins"]
    assert order[1::2] == [begun.replace("begins", "ends") for begun in order[::2]]


def test_other_keys_are_free(tmp_path: Path) -> None:
    """Only the same request has to wait."""
    store = SingleFlight(tmp_path / "store")

    async def both() -> None:
        async with store.alone(KEY), store.alone(OTHER):
            assert not await is_free(store, KEY)
            assert not await is_free(store, OTHER)
            assert await is_free(store, "a" * 14 + "b" * 50)
        assert await is_free(store)

    asyncio.run(both())


def test_cancelled_owner_frees_the_key(tmp_path: Path) -> None:
    """An interrupted run holds nobody up."""
    store = SingleFlight(tmp_path / "store")

    async def cancel() -> None:
        is_held = asyncio.Event()

        async def hold() -> None:
            async with store.alone(KEY):
                is_held.set()
                await asyncio.sleep(SOON)

        task = asyncio.create_task(hold())
        await is_held.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await is_free(store)

    asyncio.run(cancel())


def test_another_process_is_waited_for(tmp_path: Path) -> None:
    """What any worker is asking, no other asks."""
    store = SingleFlight(tmp_path / "store")

    with holder(tmp_path / "store") as other:

        async def wait() -> None:
            assert not await is_free(store)
            assert await is_free(store, OTHER)
            other.communicate("end\n")
            assert await is_free(store, within=SOON)

        asyncio.run(wait())


def test_killed_process_frees_its_keys(tmp_path: Path) -> None:
    """A lease that outlives its owner would block every run after a crash."""
    store = SingleFlight(tmp_path / "store")

    with holder(tmp_path / "store") as other:

        async def wait() -> None:
            task = asyncio.create_task(is_free(store, within=SOON))
            await asyncio.sleep(0.05)
            assert not task.done()
            other.kill()
            assert await task

        asyncio.run(wait())


def test_eight_processes_ask_each_question_once(tmp_path: Path) -> None:
    """The point of it all: 60 questions, each wanted twice by 8 processes, are asked 60 times."""
    (tmp_path / "log").touch()
    Cache(tmp_path / "store").close()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, tmp_path / "store", tmp_path / "log", str(start * 7)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for start in range(8)
    ]
    errors = [process.communicate()[1] for process in processes]

    assert errors == [""] * 8
    asked = (tmp_path / "log").read_text(encoding="utf-8").split()
    assert sorted(map(int, asked)) == list(range(60))


def test_killed_process_leaves_its_questions_to_the_others(tmp_path: Path) -> None:
    """What it had not answered is asked once more, and nothing else is."""
    (tmp_path / "log").touch()
    Cache(tmp_path / "store").close()

    def started() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", RACER, tmp_path / "store", tmp_path / "log", "0"]
        )

    with started() as victim, started() as survivor:
        wait_until(lambda: (tmp_path / "log").stat().st_size >= 50)
        victim.kill()
        assert survivor.wait(SOON) == 0

    asked = (tmp_path / "log").read_text(encoding="utf-8").split()
    assert set(map(int, asked)) == set(range(60))
    assert len(asked) <= 60 + 8  # the victim had at most 8 on their way
    with Cache(tmp_path / "store") as cache:
        assert len(cache) == 60


def test_locks_are_private_and_gone_when_they_are_given_back(tmp_path: Path) -> None:
    """A file a request would fill the store."""
    store, locks = SingleFlight(tmp_path / "store"), tmp_path / "store" / "locks"

    async def hold() -> None:
        async with store.alone(KEY):
            assert [path.name for path in locks.iterdir()] == [KEY]
            assert (locks / KEY).stat().st_mode & 0o777 == 0o600

    asyncio.run(hold())
    assert list(locks.iterdir()) == []


def test_place_without_locks_is_said(tmp_path: Path) -> None:
    """A link would make a file elsewhere, and where there are no locks, a wait would never end."""
    store = SingleFlight(tmp_path / "store")
    (tmp_path / "store" / "locks").mkdir()
    (tmp_path / "store" / "locks" / KEY).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreError) as caught:
        asyncio.run(is_free(store))

    assert str(caught.value) == (
        f"the store's folder '{tmp_path / 'store' / 'locks'}' holds no locks"
        " (Too many levels of symbolic links); name another directory with --summ-store=DIR"
    )
    assert not (tmp_path / "elsewhere").exists()
