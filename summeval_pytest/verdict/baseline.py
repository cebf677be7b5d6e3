"""A baseline: one system of a saved run, ready to be compared with."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics import read_signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.metrics import Signature
    from summeval_pytest.verdict.record import PairRecord, RunRecord, SuiteRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """One system of a saved run.

    Attributes:
        run: The saved run, as it was named.
        system: The system in it.
        pairs: Its judged pairs, by paper.
    """

    run: str
    system: str
    pairs: Mapping[str, PairRecord]

    @property
    def told(self) -> str:
        """The baseline as a reader would name it."""
        return f"{self.run} ({self.system})"

    def signatures(self) -> Mapping[str, tuple[Signature, ...]]:
        """The recipes of each metric, by metric; more than one where its pairs disagree."""
        texts = dict.fromkeys(text for pair in self.pairs.values() for text in pair.signatures)
        found: dict[str, tuple[Signature, ...]] = {}
        for signature in map(read_signature, texts):
            found[signature.metric] = (*found.get(signature.metric, ()), signature)
        return MappingProxyType(found)


def find_baseline(  # noqa: PLR0913 - by keyword, each a fact of its own
    record: RunRecord, run: str, *, suite: str, system: str, wanted: str | None, option: str
) -> Baseline:
    """The system of a saved run that a system of this run is compared with.

    That is the one asked for, else the one of the same name, else the only one.

    Args:
        record: The saved run.
        run: The saved run, as it was named.
        suite: The name of the suite that this run gates.
        system: The system that is compared.
        wanted: The baseline's system; None where nobody named one.
        option: What named the run, for messages.

    Raises:
        OptionError: where the run has no such system, or several and none of that name.
    """
    held = _suite(record, run, suite, option)
    names = [each.name for each in held.systems]
    name = wanted or (system if system in names else names[0] if len(names) == 1 else "")
    if name not in names:
        missed = wanted or system
        raise OptionError(
            f"{option}: {run!r} has no system {missed!r}; {nearest(missed, names)};"
            f" name one of them, {run}:SYSTEM"
        )
    pairs = {pair.paper: pair for pair in held.pairs_of(name)}
    return Baseline(run=run, system=name, pairs=MappingProxyType(pairs))


def _suite(record: RunRecord, run: str, suite: str, option: str) -> SuiteRecord:
    if len(record.suites) == 1:
        return record.suites[0]
    for held in record.suites:
        if held.name == suite:
            return held
    names = [held.name for held in record.suites]
    raise OptionError(
        f"{option}: {run!r} has no suite {suite!r}; {nearest(suite, names)};"
        " compare with a run of this suite"
    )
