"""Which papers a shard has, and which suite of a record a suite of today is."""

from __future__ import annotations

import hashlib
from typing import Final

from summeval_pytest.errors import OptionError
from summeval_pytest.verdict.run import RunRecord, SuiteRecord

Shard = tuple[int, int]
"""Which shard, from 1, of how many."""
FROM: Final = "--summ-from"


def read_shard(text: str) -> Shard:
    """The shard that "2/8" stands for."""
    index, n_shards = map(int, text.split("/"))
    return index, n_shards


def is_in_shard(paper: str, shard: Shard) -> bool:
    """Whether a paper, with all its systems, belongs to a shard; the same on every machine."""
    index, n_shards = shard
    digest = hashlib.sha256(paper.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % n_shards == index - 1


def find_suite(run: RunRecord, now: SuiteRecord) -> SuiteRecord | None:
    """The suite of a run that a suite of today is: by name, then by its papers, then by path.

    Raises:
        OptionError: where several have its name and papers, and none its path.
    """
    alike = [suite for suite in run.suites if suite.name == now.name]
    same = [suite for suite in alike if suite.fingerprint == now.fingerprint]
    here = [suite for suite in same if suite.shown == now.shown]
    if len(same) > 1 and not here:
        raise OptionError(
            f"{FROM}: {len(same)} suites {now.name!r} with the same papers were judged, first"
            f" {same[0].shown}, and none at {now.shown}; name the suites by the same paths"
        )
    return next(iter([*here, *same, *alike]), None)
