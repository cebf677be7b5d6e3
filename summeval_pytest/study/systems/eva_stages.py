"""Facts by stage, and the effort of judging by length (EVA-Score, table 6)."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.number import UNRECORDED
from summeval_pytest.study.systems.studied import LENGTH, NOTHING, Effort, Mean, mean_of, rate_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.metrics.facts import StageCounts
    from summeval_pytest.study.systems.studied import Studied, StudiedText

    Counted = Sequence[tuple[str, StageCounts | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStages:
    """Mean counts of one writer's texts, as ``judge`` has listed them; None wrote the references.

    Of the facts ``listed``, ``facts`` differ, and make so many ``chains``; a fact that no other
    refines is a chain of its own. Of the ``relations`` across sentences (0 where nobody was asked)
    no fact comes near to ``kept_relations``. ``facts_per_sentence`` is a rate over all papers.
    """

    judge: str
    system: str | None
    sentences: Mean
    listed: Mean
    facts: Mean
    chains: Mean
    relations: Mean
    kept_relations: Mean
    facts_per_sentence: Mean


def fact_stages(studied: Studied) -> tuple[FactStages, ...]:
    """The counts of the references and of every system by each judge."""
    found = []
    for judge in studied.judges:
        found.append(_stages(judge, None, _of_references(studied.pairs, judge), studied))
        for system, pairs in studied.by_system.items():
            facts = [(p.group, p.given.get(("judge", judge), NOTHING).facts) for p in pairs]
            counted = [(group, of.candidate if of else None) for group, of in facts]
            found.append(_stages(judge, system, counted, studied))
    return tuple(found)


def _of_references(pairs: Sequence[StudiedText], judge: str) -> Counted:
    """The counts of each paper's reference, which are the same for every system."""
    found: dict[str, tuple[str, StageCounts]] = {}
    for pair in pairs:
        facts = pair.given.get(("judge", judge), NOTHING).facts
        if facts is not None:
            found.setdefault(pair.paper, (pair.group, facts.reference))
    return list(found.values())


def _stages(judge: str, system: str | None, found: Counted, studied: Studied) -> FactStages:
    def mean(name: str) -> Mean:
        parts = [(group, float(getattr(of, name)) if of else None) for group, of in found]
        return mean_of(parts, studied.n_papers)

    known = [(group, of.n_facts, of.n_sentences) for group, of in found if of]
    return FactStages(
        judge=judge,
        system=system,
        sentences=mean("n_sentences"),
        listed=mean("n_listed"),
        facts=mean("n_facts"),
        chains=mean("n_chains"),
        relations=mean("n_relations"),
        kept_relations=mean("n_kept_relations"),
        facts_per_sentence=rate_of(known, studied.n_papers),
    )


BINS: Final = 4


@dataclass(frozen=True, slots=True)
class Seconds:
    """Mean and longest time of one pair; None where no pair was alone with its judge."""

    mean: float | None = None
    longest: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EffortOf:
    """What the summaries of one range of lengths took of one judge, in all.

    What several pairs share counts for the first. Calls are replies of an endpoint, asked for or
    remembered; tokens were sent and received. Seconds are of one run and stand in no file.
    """

    judge: str
    fewest_words: int
    most_words: int
    n_pairs: int
    n_questions: int
    n_calls: int
    n_tokens: int
    seconds: Seconds = field(default=Seconds(), metadata=UNRECORDED)


def efforts(studied: Studied) -> tuple[EffortOf, ...]:
    """The effort by quarters of the lengths."""
    return tuple(
        _effort(judge, held)
        for judge in studied.judges
        for held in _quarters([p for p in studied.pairs if ("judge", judge) in p.given])
    )


def _effort(judge: str, pairs: Sequence[StudiedText]) -> EffortOf:
    of: list[Effort] = [pair.given["judge", judge].effort for pair in pairs]
    words = [_words(pair) for pair in pairs]
    timed = [each.seconds for each in of if each.seconds is not None]
    return EffortOf(
        judge=judge,
        fewest_words=min(words),
        most_words=max(words),
        n_pairs=len(pairs),
        n_questions=sum(each.n_questions for each in of),
        n_calls=sum(each.n_calls for each in of),
        n_tokens=sum(each.n_tokens for each in of),
        seconds=Seconds(statistics.mean(timed), max(timed)) if timed else Seconds(),
    )


def _words(pair: StudiedText) -> int:
    return int(pair.numbers.get(LENGTH, 0))


def _quarters(pairs: Sequence[StudiedText]) -> Iterator[list[StudiedText]]:
    """The pairs by length in up to four bins; summaries of one length are in one bin."""
    lengths = sorted(map(_words, pairs))
    edges = {lengths[(len(lengths) - 1) * part // BINS] for part in range(1, BINS + 1) if lengths}
    low = -1
    for edge in sorted(edges):
        if held := [pair for pair in pairs if low < _words(pair) <= edge]:
            yield held
        low = edge
