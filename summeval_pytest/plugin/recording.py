"""The run record of a session: its parts, from all processes, put together on the controller."""

from __future__ import annotations

import datetime as dt
import os
import platform
from collections import defaultdict
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from summeval_pytest.plugin.gate import EPOCH
from summeval_pytest.reports import from_json
from summeval_pytest.verdict import (
    ALL_PAPERS,
    GROUPS,
    CassetteRecord,
    Header,
    Judged,
    Measured,
    PaperRecord,
    Part,
    RunRecord,
    SuiteRecord,
    SystemRecord,
    Totalled,
    Tried,
    all_uses,
    broken_down,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from summeval_pytest.evaluation import ModelSeen
    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.plugin.gated_suite import GatedSuite
    from summeval_pytest.verdict import RelationVerdict

_PACKAGES: Final = ("summeval-pytest", "pytest", "numpy")


class Parts:
    """What has arrived of a run so far."""

    def __init__(self) -> None:
        self._judged: dict[tuple[str, str, str], Judged] = {}
        self._totalled: dict[tuple[str, str], Totalled] = {}
        self._measured: dict[str, Measured] = {}
        self._tried: dict[tuple[str, str], RelationVerdict] = {}
        self._lost: dict[tuple[Path, str, str], str] = {}

    def add(self, text: str) -> None:
        """Adds the part of one test, as JSON text."""
        part = from_json(Part, text).value
        match part:
            case Judged():
                self._judged[part.suite, part.pair.system, part.pair.paper] = part
            case Totalled():
                self._totalled[part.suite, part.system.name] = part
            case Measured():
                self._measured[part.suite] = part
            case Tried():
                self._tried[part.suite, part.verdict.relation] = part.verdict

    def add_lost(self, file: Path, system: str, name: str, fault: str) -> None:
        """Adds a test that failed without a part: whoever ran it broke down."""
        self._lost.setdefault((file.resolve(), system, name), fault)

    def suite(self, gated: GatedSuite, baseline: str = "") -> SuiteRecord:
        """One suite, in its own order, whatever order its parts arrived in.

        Args:
            gated: The suite.
            baseline: The saved run that its systems were to be compared with.
        """
        suite = gated.suite
        parts = [
            part
            for system in gated.systems
            for paper in gated.papers(system)
            if (part := self._pair(gated, system, paper))
        ]
        systems = tuple(
            replace(self._system(gated, system), baseline=baseline) for system in gated.systems
        )
        measured = self._measured.get(suite.shown)
        return SuiteRecord(
            name=suite.name,
            shown=suite.shown,
            fingerprint=suite.fingerprint,
            thresholds=gated.thresholds,
            systems=systems,
            papers=_papers(suite.paper_ids, parts),
            pairs=tuple(part.pair for part in parts),
            waivers=all_uses(
                suite.waivers,
                *(part.pair.verdict.waivers for part in parts),
                *(system.waivers for system in systems),
            ),
            has_labels=suite.has_labels,
            trust=measured.trust if measured is not None else None,
            golden=measured.golden if measured is not None else (),
            is_calibrated=suite.calibrate,
            relations=tuple(
                self._tried[suite.shown, name]
                for relations in GROUPS.values()
                for name in relations
                if (suite.shown, name) in self._tried
            ),
        )

    def _pair(self, gated: GatedSuite, system: str, paper: str) -> Judged | None:
        suite = gated.suite
        part = self._judged.get((suite.shown, system, paper))
        lost = self._lost.get((suite.path.resolve(), system, paper))
        if part is not None or lost is None:
            return part
        return broken_down(
            suite=suite.shown,
            paper=paper,
            system=system,
            metrics=gated.thresholds.metrics,
            place=suite.place_of(system),
            fault=lost,
        )

    def _system(self, gated: GatedSuite, system: str) -> SystemRecord:
        part = self._totalled.get((gated.suite.shown, system))
        if part is not None:
            return part.system
        lost = self._lost.get((gated.suite.path.resolve(), system, ALL_PAPERS))
        return SystemRecord(
            name=system,
            place=gated.suite.place_of(system),
            papers=gated.papers(system),
            outcome="not judged" if lost is None else "error",
            fault=lost or "",
        )


def _papers(order: Sequence[str], parts: Iterable[Judged]) -> tuple[PaperRecord, ...]:
    """The papers of the parts, each with the source sentences that any of them cites."""
    found: dict[str, PaperRecord] = {}
    cited: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for part in parts:
        if part.paper is not None:
            found[part.paper.id] = part.paper
            cited[part.paper.id].update(part.paper.cited)
    return tuple(
        replace(found[paper], cited=tuple(sorted(cited[paper].items())))
        for paper in order
        if paper in found
    )


def run_record(  # noqa: PLR0913 - by keyword, each a fact of its own
    gate: Gate,
    parts: Parts,
    *,
    suites: Iterable[GatedSuite],
    usage: Mapping[str, float],
    cassettes: Iterable[CassetteRecord],
    models: Iterable[ModelSeen] = (),
    environ: Mapping[str, str] | None = None,
) -> RunRecord:
    """The record of the run over these suites, the same as when it is read from its file.

    Its parts have been JSON on their way here, so they hold nothing that a file could not.
    """
    variables = os.environ if environ is None else environ
    return RunRecord(
        header=Header(
            created=_moment(variables.get(EPOCH, "")),
            commit=variables.get("GITHUB_SHA") or None,
            record=gate.options.record,
            environment={"python": platform.python_version()}
            | {package: version(package) for package in _PACKAGES},
            usage={name: float(count) for name, count in usage.items()},
            cassettes=tuple(cassettes),
            models=tuple(models),
        ),
        judge=gate.judge.signature,
        suites=tuple(
            sorted(
                (parts.suite(gated, gate.options.compare or "") for gated in suites),
                key=lambda suite: suite.shown,
            )
        ),
    )


def _moment(seconds: str) -> str | None:
    """A moment as people write it; None where none is given, or none that a calendar has."""
    if not seconds.isdecimal():
        return None
    try:
        moment = dt.datetime.fromtimestamp(int(seconds), dt.UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
