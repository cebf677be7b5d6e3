"""Settings that all tests share, and what each of them owes the next."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from summeval_pytest.metrics import catalogue
from summeval_pytest.metrics.catalogue import custom_metric
from summeval_pytest.run.runner import THREAD
from summeval_pytest.study import tables
from tests.postgres_server import PostgresServer, serving
from tests.shared_data import DATA, RELEASE
from tests.waiting import wait_until

settings.register_profile(  # a slow machine makes no law false; CI looks at three times as much
    "desk", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
if settings.get_current_profile_name() == "default":  # else CI, or whoever chose one
    settings.load_profile("desk")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Marks what needs the labelled sets, so that `-m shared_data` chooses it."""
    if "shared_data" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.shared_data)


def pytest_collection_finish() -> None:
    """Hides modules and tests from the garbage collector: they live to the end of the run."""
    gc.freeze()


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals of 20 resamples: most of the work, where they only have to be there."""
    monkeypatch.setattr(tables, "RESAMPLES", 20)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the labelled sets; whoever asks for it is skipped where it is not."""
    if not DATA.is_dir():
        pytest.skip(f"{DATA} is not there; see tests/shared_data.py")
    return DATA


@pytest.fixture(scope="session")
def release_file(shared_data: Path) -> Path:
    """ScholarSum's released file; whoever asks for it is skipped where it is not."""
    if not RELEASE.is_file():
        pytest.skip(f"{RELEASE} is not in {shared_data}: it has no licence to be copied by")
    return RELEASE


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server; whoever asks for it is skipped where there can be none."""
    with serving() as server:
        yield server


def runner_threads() -> set[threading.Thread]:
    """The threads of runners in this process that nobody has closed."""
    return {thread for thread in threading.enumerate() if thread.name == THREAD}


@pytest.fixture
def forget_own_metrics() -> Iterator[Callable[[], None]]:
    """What makes this process forget every class of a custom metric; so it is after the test."""

    def forget() -> None:
        catalogue.installed_metrics.cache_clear()
        catalogue._metric_class.cache_clear()
        custom_metric.cache_clear()

    forget()
    yield forget
    forget()


@pytest.fixture(autouse=True)
def _every_runner_is_closed() -> Iterator[None]:
    """Fails the test that leaves a runner open, and not a neighbour that trips over it.

    Those there before are others': `golden/` is gated by the very run that these tests are in.
    """
    before = runner_threads()
    yield
    if runner_threads() - before:  # one that was given up takes a moment to end
        wait_until(lambda: runner_threads() <= before, "this test left a runner open; close it")
