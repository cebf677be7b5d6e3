"""Whether a number decides between systems as people do.

A gate compares releases, so this is the question that a user has of a judge. A pair of systems is
decided where the 95 % interval of the mean difference over their papers leaves out 0.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import PCG64, Generator

from summeval_pytest.stats.intervals import change_interval, share_interval
from summeval_pytest.study.tables import Estimate, short, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.study.layout import Table
    from summeval_pytest.study.tables import Row

    Scores = Mapping[str, Mapping[str, float]]
    """By system and paper, a number."""


SEED: Final = 20251
DRAWS: Final = 200
_ROUNDING: Final = 1e-9


def decisions(human: Scores, number: Scores, sizes: Iterable[int] = ()) -> Row:
    """What a number decides beside people: within papers, and on each pair of systems.

    - ``within``: the share of the ``n_ranked`` pairs of summaries of one paper that people rank
      and that the number puts in people's order, with its interval over papers; a tie of the
      number counts half, and 0.5 is chance.
    - ``n_pairs``: pairs of systems that have both numbers on at least two papers; ``n_decided`` of
      these people decide.
    - Of the decided, ``n_same`` have people's sign in their mean difference, ``n_wrong`` are
      decided the other way, and ``n_undecided`` are left undecided. ``n_alone`` are pairs that the
      number decides and people do not.
    - ``subsets``: on random sets of so many papers, the share of people's decisions (on all
      papers) that the number takes, too, and that it takes the other way; sizes beyond all papers
      are left out.
    """
    rows = _verdicts(human, number)
    decided = [row for row in rows.values() if row[0]]
    return _within_papers(human, number) | {
        "n_pairs": len(rows),
        "n_decided": len(decided),
        "n_same": sum(people == sign for people, sign, _ in decided),
        "n_wrong": sum(verdict == -people for people, _, verdict in decided),
        "n_undecided": sum(not verdict for *_, verdict in decided),
        "n_alone": sum(bool(verdict) for people, _, verdict in rows.values() if not people),
        "subsets": list(_subsets(human, number, {k: row[0] for k, row in rows.items()}, sizes)),
    }


def _within_papers(human: Scores, number: Scores) -> Row:
    right: dict[str, float] = {}
    ranked: dict[str, int] = {}
    for first, second in combinations(sorted(human.keys() & number.keys()), 2):
        for paper in _shared(first, second, human, number):
            sign = _sign(human[first][paper] - human[second][paper])
            if sign:
                agrees = sign * _sign(number[first][paper] - number[second][paper])
                right[paper] = right.get(paper, 0.0) + (1 + agrees) / 2
                ranked[paper] = ranked.get(paper, 0) + 1
    n_ranked, papers = sum(ranked.values()), sorted(ranked)
    interval = share_interval(
        np.array([right[paper] for paper in papers]),
        np.array([ranked[paper] for paper in papers], dtype=np.float64),
    )
    value = sum(right[paper] for paper in papers) / n_ranked if n_ranked else None
    return {"within": Estimate(value, interval.low, interval.high), "n_ranked": n_ranked}


def _subsets(
    human: Scores, number: Scores, verdicts: Mapping[tuple[str, str], int], sizes: Iterable[int]
) -> Iterator[Row]:
    papers = sorted({paper for scores in number.values() for paper in scores})
    people = {pair: verdict for pair, verdict in verdicts.items() if verdict}
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
            decided = [(_decided(kept, *pair, human, width), s) for pair, s in people.items()]
            n_same += sum(verdict == sign for verdict, sign in decided)
            n_wrong += sum(verdict == -sign for verdict, sign in decided)
        n_all = DRAWS * len(people)
        yield {"n_papers": size, "as_people": n_same / n_all, "wrong": n_wrong / n_all}


def _verdicts(human: Scores, number: Scores) -> dict[tuple[str, str], tuple[int, int, int]]:
    """By pair of systems: people's decision, the number's sign, and its decision."""
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


def decision_tables(rows: Sequence[Row]) -> Iterator[Table]:
    """What each column decides beside people, and on how many papers it does."""
    if not rows:
        return
    yield table_of(
        "Decisions compared with people's, on two summaries of a paper and on two systems.",
        rows,
        {
            "": "column",
            "within papers": "within",
            "systems": "n_pairs",
            "people\ndecide": "n_decided",
            "same\nsign": "n_same",
            "wrong\nway": "n_wrong",
            "un-\ndecided": "n_undecided",
            "alone": "n_alone",
        },
        "within papers: the share of pairs ranked by people that the column ranks alike; a tie is"
        " half",
        "systems: pairs of systems; one is decided where the interval of its mean difference is off"
        " 0",
        "alone: the pairs that the column decides and people do not",
    )
    if sizes := sorted({each["n_papers"] for row in rows for each in row["subsets"]}):
        yield table_of(
            f"People's decisions that {DRAWS} random sets of papers repeat.",
            [
                {"column": row["column"], **{f"{s['n_papers']}": s for s in row["subsets"]}}
                for row in rows
            ],
            {"": "column", **{f"{size} papers": _subset_of(size) for size in sizes}},
        )


def _subset_of(size: int) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        subset = row.get(f"{size}")
        return f"{short(subset['as_people'])}, wrong {short(subset['wrong'], 3)}" if subset else "-"

    return cell
