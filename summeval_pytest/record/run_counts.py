"""The counts of all processes of a run, and the header of its record."""

from __future__ import annotations

import datetime as dt
import os
import platform
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, Final

from summeval_pytest.endpoints.limits import ORIGINS, ModelSeen, models_seen
from summeval_pytest.judges.judge import Counting, Judge
from summeval_pytest.run.session import Session
from summeval_pytest.store.cassette import Cassette
from summeval_pytest.verdict.run import CassetteRecord, Header

_PACKAGES: Final = ("summeval-pytest", "pytest", "numpy")
EPOCH: Final = "SOURCE_DATE_EPOCH"
"""The variable that says when a run was made, for records that must be equal to the byte; waivers
expire by the calendar."""


def counts_of(session: Session, judge: Judge) -> dict[str, Any]:
    """The counts of one process, for JSON."""
    ledger = session.replies.exchange.ledger
    return {
        "totals": asdict(ledger.totals),
        "replies": {origin: ledger.keys(origin) for origin in ORIGINS},
        "models": [[asdict(model), sorted(keys)] for model, keys in ledger.models.items()],
        "judge": dict(judge.counts()) if isinstance(judge, Counting) else {},
    }


class RunCounts:
    """The counts of all processes of a run.

    Attributes:
        calls: The counts of `Totals`.
        judge: What the judge counted of its replies.
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.judge: Counter[str] = Counter()
        self._replies: dict[str, set[str]] = {}
        self._models: dict[ModelSeen, set[str]] = {}
        self._cassettes: dict[str, Cassette] = {}

    def add(self, counts: Mapping[str, Any] | None) -> None:
        """Adds what `counts_of` told of one process; None where nothing was to be asked."""
        if counts is None:
            return
        self.calls.update(counts["totals"])
        self.judge.update(counts["judge"])
        for origin, keys in counts["replies"].items():
            self._replies.setdefault(origin, set()).update(keys)
        for model, keys in counts["models"]:
            self._models.setdefault(ModelSeen(**model), set()).update(keys)
        asked, cached, recorded = (self._replies[o] for o in ("asked", "cached", "recorded"))
        self.calls["n_cached"] = len(cached - asked - recorded)  # another worker may have asked
        self.calls["n_recorded"] = len(recorded)

    def add_cassette(self, cassette: Cassette) -> None:
        """Adds a cassette that the run could read from."""
        self._cassettes[cassette.shown] = cassette

    def header(self, record: str) -> Header:
        """When and where the run was made, what it asked, and which models replied."""
        return Header(
            created=_moment(os.environ.get(EPOCH, "")),
            commit=os.environ.get("GITHUB_SHA") or None,
            record=record,
            environment={"python": platform.python_version()}
            | {package: version(package) for package in _PACKAGES},
            usage={name: float(n) for name, n in self.calls.items() if any(self.calls.values())},
            cassettes=tuple(self.cassettes_used()),
            models=self.models,
        )

    @property
    def models(self) -> tuple[ModelSeen, ...]:
        """The models that replied, in order."""
        return models_seen(self._models)

    def cassettes_used(self) -> Iterator[CassetteRecord]:
        """The cassettes that could be read from, each with how much of it was used."""
        used = self._replies.get("recorded", set())
        for name, cassette in sorted(self._cassettes.items()):
            yield CassetteRecord(
                shown=name,
                sha256=cassette.sha256,
                n_used=len(cassette.rows.keys() & used),
                n_replies=len(cassette.rows),
            )


def _moment(seconds: str) -> str | None:
    """Unix seconds as an ISO time; None for a text that is no such time."""
    if not seconds.isdecimal():
        return None
    try:
        moment = dt.datetime.fromtimestamp(int(seconds), dt.UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
