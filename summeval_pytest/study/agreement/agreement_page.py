"""The page of `summeval agree`: HTML that needs nothing from outside, and no script."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np

from summeval_pytest.questions import FACETS
from summeval_pytest.reports import judge_section
from summeval_pytest.reports.page import finalize, policy
from summeval_pytest.reports.page_pair import WHOLE, cut, visible
from summeval_pytest.reports.wording import resource, template
from summeval_pytest.study import tables
from summeval_pytest.study.agreement.coefficients import estimate_of_resamples, resampled_ratios
from summeval_pytest.study.agreement.columns import LabelledPair
from summeval_pytest.study.agreement.suite_agreement import SuiteAgreement, missing_lines
from summeval_pytest.study.tables import Row, interval_text, number
from summeval_pytest.verdict.trust import confusions, worst_disagreements

WORST: Final = 20
BINS: Final = 10
FEWEST: Final = 5
"""So many pairs a bin are wanted: few pairs make fewer bins."""
_FOLDER: Final = "study/agreement"


def agreement_page(agreement: SuiteAgreement, signature: str) -> str:
    """The page: a pure function of what was found, and of the judge's signature."""
    style = resource("page.css") + resource("agreement.css", _FOLDER)
    golden = [pair.golden for pair in agreement.pairs if pair.golden is not None]
    answers = [answer for pair in golden for answer in pair.answers]
    bins = {column: calibration_bins(agreement.pairs, column) for column in agreement.columns}
    words = interval_text, item_words, number, position
    return template("agreement.html", finalize, judge_section, *words, folder=_FOLDER).render(
        agreement=agreement,
        signature=signature,
        style=style,
        policy=policy(style, ""),
        n_papers=len({pair.paper for pair in agreement.pairs}),
        n_systems=len({pair.system for pair in agreement.pairs}),
        n_resamples=tables.RESAMPLES,
        missing=list(missing_lines(agreement.pairs)),
        rows=agreement.at(None) if agreement.has_scores else [],
        decisions=agreement.decisions,
        calibrations={column: rows for column, rows in bins.items() if rows},
        matrices=confusions(golden),
        n_unanswered=sum(answer.answer is None for answer in answers),
        n_left_out=sum(pair.n_left_out for pair in golden),
        worst=worst_disagreements(golden, WORST),
        summaries={
            (pair.paper, pair.system): visible(cut(pair.pair.summary, WHOLE))
            for pair in agreement.pairs
            if pair.pair is not None
        },
    )


def calibration_bins(pairs: Sequence[LabelledPair], column: str) -> list[Row]:
    """What people gave where a column gave so much: up to ten bins of about as many pairs each.

    A bin has the ``n`` pairs to which the column gives ``low`` to ``high``, and the mean of their
    ``human`` overall scores; one paper alone gives it no interval. Pairs to which the column gives
    the same are in one bin, so that bins may be fewer, and uneven.
    """
    rows = sorted(
        (pair.columns[column], pair.human, pair.group)
        for pair in pairs
        if column in pair.columns and pair.human is not None
    )
    numbers = [value for value, _, _ in rows]
    n_bins = min(BINS, max(1, len(rows) // FEWEST))
    bins: defaultdict[int, list[tuple[float, float, str]]] = defaultdict(list)
    for row in rows:
        rank = (bisect_left(numbers, row[0]) + bisect_right(numbers, row[0]) - 1) / 2
        bins[int(n_bins * rank / len(rows))].append(row)
    return [_bin(bins[place]) for place in sorted(bins)]


def _bin(rows: Sequence[tuple[float, float, str]]) -> Row:
    numbers, scores, groups = zip(*rows, strict=True)
    human = math.fsum(scores) / len(rows)
    means = np.array([np.nan])
    if len(set(groups)) > 1:
        means = resampled_ratios(groups, scores, [1.0] * len(rows))
    return {
        "low": numbers[0],
        "high": numbers[-1],
        "n": len(rows),
        "human": estimate_of_resamples(human, means),
    }


def item_words(items: Row, kind: str) -> tuple[str, ...]:
    """On how many items a matrix stands, and how far label and judge are the same.

    Of ratings, kappa is the quadratic one.
    """
    n_items = items["items"]
    kappa = items["quadratic kappa" if kind in FACETS else "kappa"]
    return (
        f"{n_items:,} item{'' if n_items == 1 else 's'}",
        f"exact {number(items['exact'].value)}, kappa {number(kappa.value)}",
    )


def position(value: float) -> float:
    """Where a coefficient from -1 to 1 is drawn, in per cent of the width of the drawing."""
    return round(50 + 48 * value, 2)
