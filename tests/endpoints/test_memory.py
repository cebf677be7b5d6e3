from __future__ import annotations

import asyncio
import os
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.endpoints.chat import ChatReply, Usage
from summeval_pytest.endpoints.dialect import Dialect
from summeval_pytest.endpoints.exchange import RUNS, Memory
from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import Cache
from summeval_pytest.store.cassette import Row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from summeval_pytest.endpoints.exchange import Record

KEY = "a" * 64
OTHER_KEY = "b" * 64
OLD = ChatReply(text="old", usage=Usage(prompt_tokens=7, completion_tokens=2, cached_tokens=1))
NEW = ChatReply(text="new", finish="length", model="m-1", fingerprint="fp")
DAY_SECONDS = 86_400


def memory(
    directory: Path,
    record: Record = "new",
    cassette: Mapping[str, ChatReply] | None = None,
    *,
    run: str = "run-1",
) -> Memory:
    """A memory over a store and the replies of a cassette."""
    rows = {key: Row(key, "topic", reply.as_json()) for key, reply in (cassette or {}).items()}
    return Memory(record, directory, rows, run=run)


def test_replay_reads_cassettes_and_opens_nothing(tmp_path: Path) -> None:
    """It works on a disk that cannot be written, and whatever the local store says."""
    with closing(memory(tmp_path / "store")) as other:
        other.remember(OTHER_KEY, "topic", OLD)
    replaying = memory(tmp_path / "store", "none", {KEY: OLD})
    assert replaying.recorded(KEY) == OLD
    assert replaying.recorded(OTHER_KEY) is None
    assert replaying.cached(OTHER_KEY) is None
    assert replaying.dialect("here", "m-1") is None
    assert "_store" not in vars(replaying)

    fresh = memory(tmp_path / "fresh", "none", {KEY: OLD})
    assert (fresh.recorded(KEY), fresh.cached(KEY)) == (OLD, None)
    assert not (tmp_path / "fresh").exists()


def test_what_was_asked_is_remembered_by_the_next(tmp_path: Path) -> None:
    """With its topic, for who reads a cassette that is made of it."""
    with closing(memory(tmp_path / "store")) as first:
        assert first.cached(KEY) is None
        first.remember(KEY, "facets of kiln", NEW)
        assert first.cached(KEY) == NEW
    with closing(memory(tmp_path / "store", run="run-2")) as second:
        assert second.cached(KEY) == NEW
        assert second.recorded(KEY) is None
    with Cache(tmp_path / "store") as cache:
        assert cache.get(KEY) == Row(KEY, "facets of kiln", NEW.as_json())


def test_all_asks_again_what_cassette_and_store_know(tmp_path: Path) -> None:
    """That is what it is for."""
    with closing(memory(tmp_path / "store")) as before:
        before.remember(KEY, "topic", OLD)
    with closing(memory(tmp_path / "store", "all", {KEY: OLD})) as again:
        assert again.recorded(KEY) is None
        assert again.cached(KEY) is None


def test_all_stores_over_what_was_there(tmp_path: Path) -> None:
    """Later runs find the new reply, and after the run only it is left."""
    store = tmp_path / "store"
    with closing(memory(store)) as before:
        before.remember(KEY, "topic", OLD)
    with closing(memory(store, "all")) as again:
        again.remember(KEY, "topic", NEW)
    again.forget_run()
    with closing(memory(store, run="run-2")) as after:
        assert after.cached(KEY) == NEW


@pytest.mark.parametrize("record", ["new", "all"])
def test_reply_that_was_given_up_is_answered_in_its_run_and_asked_again_by_the_next(
    tmp_path: Path, record: Record
) -> None:
    """Other workers of the run must not pay for it, and no later run must be stuck with it."""
    store = tmp_path / "store"
    with closing(memory(store, record)) as one, closing(memory(store, record)) as two:
        one.remember(KEY, "topic", OLD)
        one.give_up(KEY, OLD, "item 3 is missing")
        assert (two.cached(KEY), two.given_up(KEY)) == (OLD, "")
    with closing(memory(store, run="run-2")) as later:
        assert (later.cached(KEY), later.given_up(KEY)) == (None, "item 3 is missing")
    with Cache(store) as cache:
        assert cache.get(KEY) == Row(KEY, "topic", OLD.as_json())


def test_given_up_reply_of_a_cassette_gives_way_to_the_store(tmp_path: Path) -> None:
    """A run cannot write a cassette; a replay has no store, and what is recorded is all it has."""
    store, recorded = tmp_path / "store", {KEY: OLD}
    with closing(memory(store, cassette=recorded)) as first:
        first.give_up(KEY, OLD, "item 3 is missing")
        assert first.recorded(KEY) == OLD
    with closing(memory(store, cassette=recorded, run="run-2")) as second:
        assert (second.recorded(KEY), second.cached(KEY)) == (None, None)
        assert second.given_up(KEY) == "item 3 is missing"
        second.remember(KEY, "topic", NEW)
        assert (second.recorded(KEY), second.cached(KEY)) == (None, NEW)
    with closing(memory(store, cassette={KEY: NEW}, run="run-3")) as mended:
        assert mended.recorded(KEY) == NEW
    replaying = memory(store, "none", recorded, run="run-3")
    replaying.give_up(KEY, OLD, "item 3 is missing")
    assert (replaying.recorded(KEY), replaying.given_up(KEY)) == (OLD, "")


def test_dialect_is_remembered_by_endpoint_and_model(tmp_path: Path) -> None:
    """What was found out once is not found out again each run."""
    found = Dialect(level="json_object", length_field="max_completion_tokens", temperature=False)
    with closing(memory(tmp_path / "store")) as first:
        assert first.dialect("here", "m-1") is None
        first.remember_dialect("here", "m-1", found)
    with closing(memory(tmp_path / "store")) as second:
        assert second.dialect("here", "m-1") == found
        assert second.dialect("here", "m-2") is None
        assert second.dialect("there", "m-1") is None
    with closing(memory(tmp_path / "store", "all")) as again:
        assert again.dialect("here", "m-1") is None


@pytest.mark.parametrize("text", ["{", '{"level": "poem"}', "[" * 100_000])
def test_dialect_that_is_none_is_found_out_anew(tmp_path: Path, text: str) -> None:
    """Another version may have written it; it costs one refused request."""
    with Cache(tmp_path / "store") as cache:
        cache.put_note("dialect of here m-1", text)
    with closing(memory(tmp_path / "store")) as second:
        assert second.dialect("here", "m-1") is None


@pytest.mark.parametrize("record", ["none", "new"])
def test_recorded_reply_that_is_none_of_ours_is_told(tmp_path: Path, record: Record) -> None:
    """Somebody has edited the line; it is named, with what to do."""
    rows = {KEY: Row(KEY, "topic", {"text": "yes"})}
    edited = Memory(record, tmp_path / "store", rows, run="run-1")
    with pytest.raises(StoreError) as caught:
        edited.recorded(KEY)
    assert str(caught.value) == (
        "the recorded reply aaaaaaaa is none of ours (a stored reply has text, finish, model,"
        " fingerprint and usage); delete it, and ask again with --summ-record=new"
    )


def test_two_are_not_alone_with_one_key(tmp_path: Path) -> None:
    """The second finds what the first has remembered."""

    async def main() -> list[str]:
        order = []
        one, two = (memory(tmp_path / "store") for _ in range(2))

        async def hold(who: Memory, name: str, key: str) -> None:
            async with who.alone(key):
                order.append(f"{name} begins")
                await asyncio.sleep(0.05)
                order.append(f"{name} ends")

        await asyncio.gather(hold(one, "one", KEY), hold(two, "two", KEY))
        await asyncio.gather(hold(one, "this", KEY), hold(two, "that", OTHER_KEY))
        one.close()
        two.close()
        return order

    order = asyncio.run(main())
    assert order[:4] in (
        ["one begins", "one ends", "two begins", "two ends"],
        ["two begins", "two ends", "one begins", "one ends"],
    )
    assert set(order[4:6]) == {"this begins", "that begins"}


def test_end_of_a_run_removes_what_only_it_needed(tmp_path: Path) -> None:
    """Another run may go on; what was left of other days goes, too."""
    runs = tmp_path / "store" / RUNS
    for name in ("run-1", "run-2", "run-3"):
        with closing(memory(tmp_path / "store", "all", run=name)) as one:
            one.remember(KEY, "topic", NEW)
    two_days_ago = time.time() - 2 * DAY_SECONDS
    os.utime(runs / "run-3", (two_days_ago, two_days_ago))

    memory(tmp_path / "store", "all").forget_run()

    assert [entry.name for entry in runs.iterdir()] == ["run-2"]
    with closing(memory(tmp_path / "store")) as after:
        assert after.cached(KEY) == NEW


def test_two_runs_may_end_at_once(tmp_path: Path) -> None:
    """What one has listed the other has removed: a link to nothing is listed and not there."""
    runs = tmp_path / "store" / RUNS
    runs.mkdir(parents=True)
    (runs / "run-2").symlink_to(runs / "gone")
    memory(tmp_path / "store", "all").forget_run()
