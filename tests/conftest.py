"""Settings that all tests share, and what each of them owes the next."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from summeval_pytest.evaluation.runner import THREAD
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

settings.register_profile("desk", deadline=None)  # a slow machine makes no law false
if settings.get_current_profile_name() == "default":  # else CI, or whoever chose one
    settings.load_profile("desk")


def runner_threads() -> set[threading.Thread]:
    """The threads of runners in this process that nobody has closed."""
    return {thread for thread in threading.enumerate() if thread.name == THREAD}


@pytest.fixture(autouse=True)
def _every_runner_is_closed() -> Iterator[None]:
    """Fails the test that leaves a runner open, and not a neighbour that trips over it.

    Those there before are others': `golden/` is gated by the very run that these tests are in.
    """
    before = runner_threads()
    yield
    if runner_threads() - before:  # one that was given up takes a moment to end
        wait_until(lambda: runner_threads() <= before, "this test left a runner open; close it")
