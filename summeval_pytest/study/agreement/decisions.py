"""Whether a number decides between systems as people do.

A gate compares releases, so this is the question that a user has of a judge. A pair of systems is
decided where the 95 % interval of the mean difference over their papers leaves out 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from summeval_pytest.stats.intervals import change_interval, share_interval
from summeval_pytest.study.tables import Estimate, Row, Table, short, table_of

Floats = NDArray[np.float64]
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
    systems = sorted({*human, *number})
    papers = sorted({paper for of in (*human.values(), *number.values()) for paper in of})
    people, column = (
        np.array(
            [[of.get(system, {}).get(paper, np.nan) for paper in papers] for system in systems]
        )
        for of in (human, number)
    )
    right, ranked, changes, rows = np.zeros(len(papers)), np.zeros(len(papers)), {}, {}
    for pair in combinations(range(len(systems)), 2):
        by_people, by_number = (of[pair[0]] - of[pair[1]] for of in (people, column))
        both = ~np.isnan(by_people + by_number)
        signs = _signs(by_people) * both
        right += (signs != 0) * (1 + signs * _signs(by_number)) / 2
        ranked += signs != 0
        changes[pair] = np.where(both, by_number, np.nan)
        if both.sum() > 1:
            rows[pair] = (
                _decided(by_people[both], _width(people)),
                int(_signs(by_number[both].sum())),
                _decided(by_number[both], _width(column)),
            )
    interval = share_interval(right[ranked > 0], ranked[ranked > 0])
    n_ranked = int(ranked.sum())
    within = Estimate(right.sum() / n_ranked if n_ranked else None, interval.low, interval.high)
    decided = {pair: row for pair, row in rows.items() if row[0]}
    return {
        "within": within,
        "n_ranked": n_ranked,
        "n_pairs": len(rows),
        "n_decided": len(decided),
        "n_same": sum(verdict == sign for verdict, sign, _ in decided.values()),
        "n_wrong": sum(verdict == -taken for taken, _, verdict in decided.values()),
        "n_undecided": sum(not verdict for *_, verdict in decided.values()),
        "n_alone": sum(bool(verdict) for taken, _, verdict in rows.values() if not taken),
        "subsets": list(
            _subsets(column, [(changes[pair], row[0]) for pair, row in decided.items()], sizes)
        ),
    }


def _subsets(
    column: Floats, decided: Sequence[tuple[Floats, int]], sizes: Iterable[int]
) -> Iterator[Row]:
    """How many decisions of people, each with the number's changes, hold on fewer papers."""
    known = np.flatnonzero(~np.isnan(column).all(axis=0))
    generator = Generator(PCG64(SEED))
    for size in sizes if decided else ():
        if size > len(known):
            continue
        n_same = n_wrong = 0
        for _ in range(DRAWS):
            drawn = np.sort(generator.choice(known, size, replace=False))
            width = _width(column[:, drawn])
            for changes, sign in decided:
                some = changes[drawn]
                verdict = _decided(some[~np.isnan(some)], width)
                n_same, n_wrong = n_same + (verdict == sign), n_wrong + (verdict == -sign)
        n_all = DRAWS * len(decided)
        yield {"n_papers": size, "as_people": n_same / n_all, "wrong": n_wrong / n_all}


def _width(scores: Floats) -> float:
    """How far the numbers of all systems reach."""
    values = scores[~np.isnan(scores)]
    return float(values.max() - values.min()) if len(values) else 1.0


def _decided(changes: Floats, width: float) -> int:
    """1 where the first system is better beyond doubt, -1 where the second is, else 0."""
    interval = change_interval(changes.tolist(), width=width)
    if interval.low is None or interval.high is None:
        return 0
    return int(interval.low > _ROUNDING) - int(interval.high < -_ROUNDING)


def _signs(values: Floats) -> Floats:
    return (values > _ROUNDING).astype(np.float64) - (values < -_ROUNDING)


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
