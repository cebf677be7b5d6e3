"""Runs that were recorded, shards of one run mostly, as what a new run decides by."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import JudgeError, OptionError
from summeval_pytest.metrics.signature import read_signature
from summeval_pytest.run.measure import Evaluation, source_of
from summeval_pytest.suite.values import Pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.record.record import Header, RunRecord, SuiteRecord
    from summeval_pytest.run.golden import GoldenPair
    from summeval_pytest.run.pair_numbers import Numbers
    from summeval_pytest.run.runner import Task
    from summeval_pytest.suite.suite import Suite

Shard = tuple[int, int]
"""Which shard, from 1, of how many."""
FROM: Final = "--summ-from"
_N_NAMED: Final = 3


def read_shard(text: str) -> Shard:
    """The shard that "2/8" stands for."""
    index, n_shards = map(int, text.split("/"))
    return index, n_shards


def is_in_shard(paper: str, shard: Shard) -> bool:
    """Whether a paper, with all its systems, belongs to a shard; the same on every machine."""
    index, n_shards = shard
    digest = hashlib.sha256(paper.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % n_shards == index - 1


class RecalledRuns:
    """What recorded runs say of each pair and of the judge; nobody is asked.

    Args:
        runs: The runs, by the names of their files.

    Raises:
        OptionError: for no run, runs by different judges, and shards that do not belong together.
    """

    def __init__(self, runs: Mapping[str, RunRecord]) -> None:
        self._runs = runs
        self._pairs: dict[tuple[str, str, str], tuple[str, SuiteRecord, int]] = {}
        self._golden: dict[tuple[str, str, str], GoldenPair] = {}
        self.signature = self._only("judge", [run.judge for run in runs.values()])
        self._check_shards()
        for file, run in runs.items():
            for suite in run.suites:
                self._add(file, suite)

    def _only(self, what: str, found: Sequence[str]) -> str:
        first, *others = dict.fromkeys(found)
        if others:
            files = list(self._runs)
            other = files[found.index(others[0])]
            raise OptionError(
                f"{FROM}: {other} is of another {what} than {files[0]}: {others[0]!r:.120}, not"
                f" {first!r:.120}; name the runs of one {what}"
            )
        return first

    def _check_shards(self) -> None:
        """Refuses shards of which one is missing, there twice, or one of another number."""
        n_shards = self._only(
            "number of shards",
            [str(run.shard[1] if run.shard else 0) for run in self._runs.values()],
        )
        taken: dict[int, str] = {}
        for file, run in self._runs.items():
            if run.shard is not None:
                first = taken.setdefault(run.shard[0], file)
                if first != file:
                    told = "/".join(map(str, run.shard))
                    raise OptionError(f"{FROM}: {first} and {file} are both shard {told}; name one")
        missing = [f"{k}/{n_shards}" for k in range(1, int(n_shards) + 1) if k not in taken]
        if missing:
            raise OptionError(
                f"{FROM}: shard {', '.join(missing)} is missing; name its run, too, or run it with"
                f" --summ-shard={missing[0]}"
            )

    def _add(self, file: str, suite: SuiteRecord) -> None:
        for place, pair in enumerate(suite.outlines):
            key = suite.fingerprint, pair.system, pair.paper
            first, *_ = self._pairs.setdefault(key, (file, suite, place))
            if first != file:
                raise OptionError(
                    f"{FROM}: {first} and {file} both have {pair.system!r} on {pair.paper!r}; name"
                    " runs of different pairs"
                )
        for golden in suite.golden:
            self._golden[suite.fingerprint, golden.system, golden.paper] = golden

    def check(self, suite: Suite, systems: Iterable[str]) -> None:
        """Refuses runs that do not have every pair of a suite.

        Raises:
            OptionError: naming the first that are missing.
        """
        held = {each.fingerprint for run in self._runs.values() for each in run.suites}
        if suite.fingerprint not in held:
            raise OptionError(
                f"{FROM}: {next(iter(self._runs))} is not of {suite.shown} as it is now"
                f" ({suite.fingerprint}); judge it again, or name the suite as it was"
            )
        wanted = [(system, paper) for system in systems for paper in suite.paper_ids_of(system)]
        lacking = [key for key in wanted if (suite.fingerprint, *key) not in self._pairs]
        if lacking:
            named = ", ".join(f"{system} on {paper}" for system, paper in lacking[:_N_NAMED])
            raise OptionError(
                f"{FROM}: {len(lacking):,} of {len(wanted):,} pairs of {suite.shown} are in none of"
                f" these runs, first {named}; name the runs that judged them"
            )

    def evaluation(self, task: Task) -> Evaluation:
        """What was measured on one pair.

        Raises:
            JudgeError: where nothing was, by the judge's fault.
        """
        suite = task.suite
        _, recorded, place = self._pairs[suite.fingerprint, task.system, task.paper]
        found = recorded.pairs[place]
        if found.fault and not found.signatures:
            raise JudgeError(found.fault)
        paper = suite.paper(task.paper)
        wanted = set(task.metrics)
        kept = [
            (score, signature)
            for score, text in zip(found.scores, found.signatures, strict=True)
            if (signature := read_signature(text)).metric in wanted
        ]
        return Evaluation(
            pair=Pair(
                paper=paper,
                system=task.system,
                summary=found.summary,
                place=found.place,
                note=found.note,
            ),
            scores=tuple(score for score, _ in kept),
            signatures=tuple(signature for _, signature in kept),
            source=source_of(paper),
        )

    def numbers(self, tasks: Sequence[Task]) -> list[Numbers]:
        """The numbers of pairs.

        Raises:
            JudgeError: as `evaluation` does.
        """
        return [self.evaluation(task).numbers() for task in tasks]

    def golden(self, suite: Suite, labelled: Iterable[tuple[str, str]]) -> tuple[GoldenPair, ...]:
        """The judge's answers to labelled pairs, as (system, paper).

        Raises:
            JudgeError: where these runs did not ask for them.
        """
        keys = [(suite.fingerprint, *each) for each in labelled]
        lacking = [key for key in keys if key not in self._golden]
        if lacking:
            _, system, paper = lacking[0]
            raise JudgeError(
                f"{len(lacking):,} of {len(keys):,} labelled pairs are in none of the recorded"
                f" runs, first {system} on {paper}; run {suite.shown}::judge in each of them"
            )
        return tuple(self._golden[key] for key in keys)

    def header(self, own: Header) -> Header:
        """The header of a run that decides by these: what they asked counts as asked."""
        headers = [run.header for run in self._runs.values()]
        usage: Counter[str] = Counter()
        for header in headers:
            usage.update(header.usage)
        models = chain.from_iterable(header.models for header in headers)
        return replace(
            own,
            record=headers[0].record,
            usage=dict(usage),
            models=tuple(dict.fromkeys(models)),
        )
