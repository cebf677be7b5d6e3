from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import StoreError
from summeval_pytest.store import flight
from summeval_pytest.store import flight as byte_locks
from summeval_pytest.store.cache import Cache
from summeval_pytest.store.flight import Flight
from tests.waiting import SOON, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY, OTHER = "a" * 64, "b" * 64

HOLDER = """
import asyncio, sys
from pathlib import Path
from summeval_pytest.store.flight import Flight
async def hold():
    async with Flight(Path(sys.argv[1])).alone(sys.argv[2]):
        print("alone", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
asyncio.run(hold())
"""

RACER = """
import asyncio, os, sys
from pathlib import Path
from summeval_pytest.store.cache import Cache
from summeval_pytest.store.flight import Flight
from summeval_pytest.store.cassette import Row
from summeval_pytest.store.key import request_key
directory, log, first = Path(sys.argv[1]), os.open(sys.argv[2], os.O_APPEND | os.O_WRONLY), 5
flight, cache = Flight(directory), Cache(directory)
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


def locks_elsewhere(directory: Path) -> bool:
    """Whether another process can lock the key's byte."""
    code = (
        "import fcntl, sys; f = open(sys.argv[1], 'r+');"
        "fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(sys.argv[2][:15], 16))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(directory / "flight.lock"), KEY],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode or "BlockingIOError" in done.stderr
    return not done.returncode


async def is_free(flight: Flight, key: str = KEY, within: float = 0.15) -> bool:
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
        async with Flight(tmp_path / "store").alone(KEY):
            order.append(f"{name} begins")
            await asyncio.sleep(0.01)
            order.append(f"{name} ends")

    async def all_three() -> None:
        await asyncio.gather(ask("a"), ask("b"), ask("c"))

    asyncio.run(asyncio.wait_for(all_three(), SOON))

    assert order == ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]


def test_other_keys_are_free(tmp_path: Path) -> None:
    """Only the same request has to wait."""
    store = Flight(tmp_path / "store")

    async def both() -> None:
        async with store.alone(KEY), store.alone(OTHER):
            assert not await is_free(store, KEY)
            assert not await is_free(store, OTHER)
            assert await is_free(store, "a" * 14 + "b" * 50)
        assert await is_free(store)

    asyncio.run(both())


def test_waiting_in_a_process_takes_no_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task is woken, so that a hundred of them in turn take no time."""
    store = Flight(tmp_path / "store")
    monkeypatch.setattr(flight, "_pauses", lambda: iter(()))  # whoever pauses finds none left

    async def hundred() -> None:
        async def ask() -> None:
            async with store.alone(KEY):
                await asyncio.sleep(0)

        await asyncio.gather(*(ask() for _ in range(100)))

    asyncio.run(hundred())


def test_error_inside_frees_the_key(tmp_path: Path) -> None:
    """A request that failed may be tried by the next."""
    store = Flight(tmp_path / "store")

    async def fail() -> None:
        with pytest.raises(ZeroDivisionError):
            async with store.alone(KEY):
                raise ZeroDivisionError
        assert await is_free(store)

    asyncio.run(fail())


def test_cancelled_owner_frees_the_key(tmp_path: Path) -> None:
    """An interrupted run holds nobody up."""
    store = Flight(tmp_path / "store")

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


def test_cancelled_waiter_leaves_the_owner_alone(tmp_path: Path) -> None:
    """Giving up frees nothing that another holds, and what was waited for goes to the next."""
    store = Flight(tmp_path / "store")

    async def cancel() -> None:
        async with store.alone(KEY):
            assert not await is_free(store)
            assert not await is_free(store)
        assert await is_free(store)

    asyncio.run(cancel())


def test_another_process_is_waited_for(tmp_path: Path) -> None:
    """What any worker is asking, no other asks."""
    store = Flight(tmp_path / "store")

    with holder(tmp_path / "store") as other:

        async def wait() -> None:
            assert not await is_free(store)
            assert await is_free(store, OTHER)
            other.communicate("end\n")
            assert await is_free(store, within=SOON)

        asyncio.run(wait())


def test_cancelled_wait_for_a_process_can_be_begun_again(tmp_path: Path) -> None:
    """A task that gave up while another process was alone leaves no claim behind."""
    store = Flight(tmp_path / "store")

    with holder(tmp_path / "store") as other:

        async def wait() -> None:
            assert not await is_free(store)
            other.kill()
            other.wait()
            assert await is_free(store, within=SOON)

        asyncio.run(wait())


def test_killed_process_frees_its_keys(tmp_path: Path) -> None:
    """A lease that outlives its owner would block every run after a crash."""
    store = Flight(tmp_path / "store")

    with holder(tmp_path / "store") as other:

        async def wait() -> None:
            task = asyncio.create_task(is_free(store, within=SOON))
            await asyncio.sleep(0.05)
            assert not task.done()
            other.kill()
            assert await task

        asyncio.run(wait())


def test_loop_goes_on_while_a_process_is_waited_for(tmp_path: Path) -> None:
    """Hundreds of other requests are on their way in the same thread."""
    store = Flight(tmp_path / "store")

    with holder(tmp_path / "store") as other:

        async def wait() -> None:
            task = asyncio.create_task(is_free(store, within=SOON))
            for _ in range(30):
                await asyncio.sleep(0.001)
            assert not task.done()
            other.communicate("end\n")
            assert await task

        asyncio.run(wait())


def test_several_flights_of_a_process_know_of_each_other(tmp_path: Path) -> None:
    """Closing one handle of a file would free all its locks, so there is one for all."""
    (tmp_path / "link").symlink_to(tmp_path / "store")

    async def both() -> None:
        async with Flight(tmp_path / "store").alone(KEY):
            assert not await is_free(Flight(tmp_path / "link"))
            with holder(tmp_path / "store", OTHER) as other:  # still locked for others, too
                other.communicate("end\n")
            assert not await is_free(Flight(tmp_path / "store"))

    asyncio.run(both())


def test_second_flight_keeps_the_lock_of_the_first(tmp_path: Path) -> None:
    """The trap of POSIX locks: a handle closed anywhere in the process frees them all."""

    async def both() -> None:
        async with Flight(tmp_path / "store").alone(KEY):
            for _ in range(3):
                assert await is_free(Flight(tmp_path / "store"), OTHER)
            assert not await asyncio.to_thread(locks_elsewhere, tmp_path / "store")

    asyncio.run(both())
    assert locks_elsewhere(tmp_path / "store")


def test_flights_of_a_process_share_one_handle(tmp_path: Path) -> None:
    """Handles are never closed, so there must not be one for each flight."""

    def next_handle() -> int:
        handle = os.open(os.devnull, os.O_RDONLY)
        os.close(handle)
        return handle

    Flight(tmp_path / "store")
    before = next_handle()
    for _ in range(3):
        Flight(tmp_path / "store")

    assert next_handle() == before


def test_loops_of_two_threads_keep_apart(tmp_path: Path) -> None:
    """A run inside a run has a loop of its own, and shares its process's locks."""
    inside = threading.Event()
    leave = threading.Event()

    async def hold() -> None:
        async with Flight(tmp_path / "store").alone(KEY):
            inside.set()
            await asyncio.to_thread(leave.wait)

    thread = threading.Thread(target=lambda: asyncio.run(hold()))
    thread.start()

    async def wait() -> None:
        assert not await is_free(Flight(tmp_path / "store"))
        leave.set()
        assert await is_free(Flight(tmp_path / "store"), within=SOON)

    try:
        assert inside.wait(SOON)
        asyncio.run(wait())
    finally:
        leave.set()
        thread.join()


def test_claim_of_a_closed_loop_holds_nobody_up(tmp_path: Path) -> None:
    """A loop that was closed under its tasks never ends their claims."""
    store = Flight(tmp_path / "store")
    loop = asyncio.new_event_loop()
    lost = store.alone(KEY)
    loop.run_until_complete(lost.__aenter__())
    loop.close()

    async def take_over() -> None:
        assert await is_free(store)
        async with store.alone(KEY):
            await lost.__aexit__(None, None, None)  # its end, after all, frees nothing
            assert not await is_free(store)
            assert not await asyncio.to_thread(locks_elsewhere, tmp_path / "store")
        assert await is_free(store)

    asyncio.run(take_over())


FORKER = """
import asyncio, os, sys
from pathlib import Path
from summeval_pytest.store.flight import Flight
flight = Flight(Path(sys.argv[1]))
async def is_free(within):
    try:
        async with asyncio.timeout(within), flight.alone("a" * 64):
            return True
    except TimeoutError:
        return False
context = flight.alone("a" * 64)
loop = asyncio.new_event_loop()
loop.run_until_complete(context.__aenter__())
ready, go = os.pipe()
child = os.fork()
if not child:
    held = not asyncio.run(is_free(0.2))
    os.write(go, b"x")
    os._exit(0 if held and asyncio.run(is_free(60)) else 7)
os.read(ready, 1)
loop.run_until_complete(context.__aexit__(None, None, None))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_forked_process_is_another_process(tmp_path: Path) -> None:
    """It inherits its parent's memory, and none of its locks."""
    done = subprocess.run(
        [sys.executable, "-c", FORKER, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        check=False,
        timeout=SOON,
    )

    assert (done.stdout, done.stderr) == ("0\n", "")


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


def test_pauses_grow_and_differ() -> None:
    """Soon at first, seldom later, and not in step with other processes."""

    def first(count: int) -> list[float]:
        pauses: Iterator[float] = flight._pauses()
        return [next(pauses) for _ in range(count)]

    once, again = first(10), first(10)

    longest = [0.01, 0.02, 0.04, 0.08, 0.16, 0.2, 0.2, 0.2, 0.2, 0.2]
    for pauses in (once, again):
        assert all(top / 2 <= p <= top for p, top in zip(pauses, longest, strict=True))
    assert once != again


def test_without_locks_a_process_is_on_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows has none of these, and its tasks still keep apart."""
    monkeypatch.setattr(byte_locks, "ACROSS_PROCESSES", False)
    store = Flight(tmp_path / "store")

    async def both() -> None:
        async with store.alone(KEY):
            assert not await is_free(store)
        assert await is_free(store)

    asyncio.run(both())
    with holder(tmp_path / "store") as other:
        assert asyncio.run(is_free(store))
        other.communicate("end\n")


def test_lock_file_is_private_and_no_link(tmp_path: Path) -> None:
    """A link would make a file elsewhere."""
    store = tmp_path / "store"
    Flight(store)
    assert (store / "flight.lock").stat().st_mode & 0o777 == 0o600
    (store / "flight.lock").unlink()
    (store / "flight.lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreError) as caught:
        Flight(store)

    assert str(caught.value) == (
        f"the store's file '{store / 'flight.lock'}' cannot be locked ({os.strerror(40)}); name"
        " another directory with --summ-store=DIR"
    )
    assert not (tmp_path / "elsewhere").exists()


def test_disk_without_locks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some filesystems have none, and a wait for one would never end."""
    import fcntl

    def none(*_: object) -> None:
        raise OSError(37, "No locks available")

    store = Flight(tmp_path / "store")
    monkeypatch.setattr(fcntl, "lockf", none)
    with pytest.raises(StoreError, match=r"cannot be locked \(No locks available\)"):
        asyncio.run(is_free(store))
    monkeypatch.undo()
    assert asyncio.run(is_free(store))
