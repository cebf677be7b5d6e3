"""Whether a number decides between systems as people do.

A gate compares releases, so this is the question that a user has of a judge. A pair of systems is
decided where the 95 % interval of the mean difference over their papers leaves out 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import PCG64, Generator

from summeval_pytest.stats.intervals import change_interval, share_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.stats.bootstrap import Interval

    Scores = Mapping[str, Mapping[str, float]]
    """By system and paper, a number."""


SEED: Final = 20251
DRAWS: Final = 200
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinPapers:
    """How often a number puts two summaries of one paper in people's order.

    ``value`` is a share, 0 to 1, of the ``n_pairs`` pairs that people rank; a tie of the number
    counts half. 0.5 is what chance gives. None where people rank no pair.
    """

    value: float | None
    interval: Interval
    n_pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """What a number decides on the pairs of systems, beside what people decide.

    Attributes:
        n_pairs: Pairs of systems that have both, on at least two papers.
        n_decided: Of these, the pairs that people decide.
        n_same: Of the decided, those whose mean difference has people's sign.
        n_wrong: Of the decided, those that the number decides the other way.
        n_undecided: Of the decided, those that the number leaves undecided.
        n_alone: Pairs that the number decides and people do not.
    """

    n_pairs: int
    n_decided: int
    n_same: int
    n_wrong: int
    n_undecided: int
    n_alone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WithPapers:
    """Decisions on random subsets of papers, beside people's decisions on all papers.

    ``as_people`` is the share of people's decisions that the number takes, too; ``wrong`` the share
    that it takes the other way. Both are means over ``n_draws`` subsets.
    """

    n_papers: int
    as_people: float
    wrong: float
    n_draws: int = DRAWS


def within_papers(human: Scores, number: Scores) -> WithinPapers:
    """The accuracy of a number within papers, with its interval over papers."""
    right: dict[str, float] = {}
    ranked: dict[str, int] = {}
    for first, second in combinations(sorted(human.keys() & number.keys()), 2):
        for paper in _shared(first, second, human, number):
            sign = _sign(human[first][paper] - human[second][paper])
            if sign:
                agrees = sign * _sign(number[first][paper] - number[second][paper])
                right[paper] = right.get(paper, 0.0) + (1 + agrees) / 2
                ranked[paper] = ranked.get(paper, 0) + 1
    n_pairs = sum(ranked.values())
    papers = sorted(ranked)
    interval = share_interval(
        np.array([right[paper] for paper in papers]),
        np.array([ranked[paper] for paper in papers], dtype=np.float64),
    )
    value = sum(right[paper] for paper in papers) / n_pairs if n_pairs else None
    return WithinPapers(value=value, interval=interval, n_pairs=n_pairs)


def decisions(human: Scores, number: Scores) -> Decisions:
    """What a number and people decide on each pair of systems."""
    rows = list(_verdicts(human, number).values())
    decided = [row for row in rows if row[0]]
    return Decisions(
        n_pairs=len(rows),
        n_decided=len(decided),
        n_same=sum(people == sign for people, sign, _ in decided),
        n_wrong=sum(verdict == -people for people, _, verdict in decided),
        n_undecided=sum(not verdict for *_, verdict in decided),
        n_alone=sum(bool(verdict) for people, _, verdict in rows if not people),
    )


def with_papers(human: Scores, number: Scores, sizes: Iterable[int]) -> Iterator[WithPapers]:
    """The decisions that fewer papers would give; sizes beyond all papers are left out."""
    papers = sorted({paper for scores in number.values() for paper in scores})
    people = {pair: people for pair, (people, *_) in _verdicts(human, number).items() if people}
    generator = Generator(PCG64(SEED))
    for size in sizes if people else ():
        if size > len(papers):
            continue
        n_same = n_wrong = 0
        for _ in range(DRAWS):
            drawn = set(generator.choice(papers, size, replace=False).tolist())
            kept = {
                system: {paper: value for paper, value in scores.items() if paper in drawn}
                for system, scores in number.items()
            }
            width = _width(kept)
            verdicts = [(_decided(kept, *pair, human, width), s) for pair, s in people.items()]
            n_same += sum(verdict == sign for verdict, sign in verdicts)
            n_wrong += sum(verdict == -sign for verdict, sign in verdicts)
        n_all = DRAWS * len(people)
        yield WithPapers(n_papers=size, as_people=n_same / n_all, wrong=n_wrong / n_all)


def _verdicts(human: Scores, number: Scores) -> dict[tuple[str, str], tuple[int, int, int]]:
    """By pair of systems: people's decision, the number's sign, and its decision.

    The pairs have both numbers on at least two papers.
    """
    of_people, of_number = _width(human), _width(number)
    verdicts = {}
    for first, second in combinations(sorted(human.keys() & number.keys()), 2):
        papers = _shared(first, second, human, number)
        if len(papers) > 1:
            verdicts[first, second] = (
                _decided(human, first, second, number, of_people),
                _sign(sum(number[first][paper] - number[second][paper] for paper in papers)),
                _decided(number, first, second, human, of_number),
            )
    return verdicts


def _width(scores: Scores) -> float:
    """How far the numbers of all systems reach."""
    values = [value for each in scores.values() for value in each.values()]
    return max(values) - min(values) if values else 1.0


def _decided(scores: Scores, first: str, second: str, other: Scores, width: float) -> int:
    """1 where the first system is better beyond doubt, -1 where the second is, else 0."""
    papers = _shared(first, second, scores, other)
    changes = [scores[first][paper] - scores[second][paper] for paper in papers]
    interval = change_interval(changes, width=width)
    if interval.low is None or interval.high is None:
        return 0
    return int(interval.low > _ROUNDING) - int(interval.high < -_ROUNDING)


def _shared(first: str, second: str, scores: Scores, other: Scores) -> Sequence[str]:
    """The papers on which both systems have both numbers, in order."""
    sides = (scores[first], scores[second], other[first], other[second])
    return sorted(set.intersection(*(set(side) for side in sides)))


def _sign(value: float) -> int:
    return int(value > _ROUNDING) - int(value < -_ROUNDING)
