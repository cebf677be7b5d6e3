"""All that may differ between a run and its replay: versions, counts, cassettes, models."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - run records read the annotations
from dataclasses import dataclass

from summeval_pytest.evaluation import ModelSeen  # noqa: TC001


@dataclass(frozen=True, slots=True, kw_only=True)
class CassetteRecord:
    """A cassette that the run could read from: its file, hash, and how much of it was used."""

    shown: str
    sha256: str
    n_used: int
    n_replies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """All that may differ between a run and its replay, and nothing that may not.

    Attributes:
        created: When, from SOURCE_DATE_EPOCH; None where that is not set, so that two replays are
            equal to the byte.
        commit: The commit that was gated, as GitHub names it; None elsewhere.
        record: The record mode.
        environment: Versions, by name.
        usage: The counts of `summeval_pytest.evaluation.Totals`: replies, tokens, dollars; empty
            where nobody was asked.
        cassettes: The cassettes that the run could read from.
        models: The models that replied, as their endpoints name them; a replay has what was stored.
    """

    created: str | None = None
    commit: str | None = None
    record: str = "new"
    environment: Mapping[str, str]
    usage: Mapping[str, float]
    cassettes: tuple[CassetteRecord, ...] = ()
    models: tuple[ModelSeen, ...] = ()
