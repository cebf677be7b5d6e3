"""The page of `summeval agree`: HTML that needs nothing from outside, and no script."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS
from summeval_pytest.reports import judge_section
from summeval_pytest.reports.page import finalize, policy
from summeval_pytest.reports.page_pair import WHOLE, cut, visible
from summeval_pytest.reports.template import resource, template
from summeval_pytest.study.agreement.agreement_tables import missing_lines, plain
from summeval_pytest.study.agreement.item_agreement import resamples
from summeval_pytest.study.agreement.levels import calibration_bins
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.trust import confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.study.agreement.agreement_tables import SuiteAgreement
    from summeval_pytest.study.agreement.item_agreement import Estimate, ItemAgreement
    from summeval_pytest.study.agreement.levels import CalibrationBin


WORST: Final = 20
_FOLDER: Final = "study/agreement"
_WIDTH: Final = 340
_HEIGHT: Final = 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 330, 10, 200
"""The frame of a picture, in units of its drawing."""
_STEPS: Final = 6
"""The most steps of an axis that what is drawn reaches over."""
_ALIKE: Final = 1e-6
"""Numbers that differ by no larger share are drawn in one place."""
_DOT: Final = 2.5
_LARGEST: Final = 9.0
_OVERLAP: Final = 0.25
"""Axes that share less of their range have no line of equal numbers."""
_LABEL: Final = 45


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A scale with at least two marks, a ``step`` apart, drawn from ``start`` to ``end``."""

    marks: tuple[float, ...]
    step: float
    start: float
    end: float

    @property
    def low(self) -> float:
        """Where the scale begins."""
        return self.marks[0]

    @property
    def high(self) -> float:
        """Where it ends."""
        return self.marks[-1]

    def at(self, value: float) -> float:
        """Where a value is drawn."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def mark_text(self, value: float) -> str:
        """A mark with as many digits as tell it from the others, and never -0."""
        digits = max(0, -math.floor(math.log10(self.step) + _ALIKE))
        return f"{round(value, digits) + 0.0:.{digits}f}"


def axis_of(values: Sequence[float], start: float, end: float) -> Axis:
    """The axis of some values, from one round number to another."""
    low, high = min(values), max(values)
    size = max(1.0, abs(low), abs(high))
    if high - low < _ALIKE * size:
        low, high = low - size / 2, high + size / 2
    raw = (high - low) / _STEPS
    power = 10.0 ** math.floor(math.log10(raw))
    step = min(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - _ALIKE))
    first, last = math.floor(low / step + _ALIKE), math.ceil(high / step - _ALIKE)
    marks = tuple(number * step for number in range(first, last + 1))
    return Axis(marks=marks, step=step, start=start, end=end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One column beside the human overall scores: pairs as dots, and bins as a curve.

    ``dots`` have their place, their radius and for how many pairs they stand. ``equal`` are the
    ends of the line on which both numbers are the same; nothing where the axes share little.
    """

    column: str
    x: Axis
    y: Axis
    dots: tuple[tuple[float, float, float], ...]
    bins: Sequence[CalibrationBin]
    equal: tuple[float, ...]

    @property
    def label(self) -> str:
        """The column's name as it stands below the axis."""
        return one_line(self.column, _LABEL)

    @property
    def curve(self) -> str:
        """The points of the curve, as SVG has them."""
        return " ".join(f"{self.x.at(b.mean)},{self.y.at(b.human.value or 0.0)}" for b in self.bins)


def picture(agreement: SuiteAgreement, column: str, y: Axis) -> Picture | None:
    """The picture of a column; None where no pair has it beside a human score."""
    points = [
        (pair.columns[column], pair.human)
        for pair in agreement.pairs
        if column in pair.columns and pair.human is not None
    ]
    if not points:
        return None
    x = axis_of([number for number, _ in points], _LEFT, _RIGHT)
    places = Counter((round(x.at(number)), round(y.at(human))) for number, human in points)
    low, high = max(x.low, y.low), min(x.high, y.high)
    shares_enough = high - low >= _OVERLAP * max(x.high - x.low, y.high - y.low)
    return Picture(
        column=column,
        x=x,
        y=y,
        dots=tuple(
            (*place, round(min(_LARGEST, _DOT * math.sqrt(n)), 1))
            for place, n in sorted(places.items())
        ),
        bins=calibration_bins(agreement.pairs, column),
        equal=(x.at(low), y.at(low), x.at(high), y.at(high)) if shares_enough else (),
    )


def agreement_page(agreement: SuiteAgreement, signature: str) -> str:
    """The page: a pure function of what was found, and of the judge's signature."""
    style = resource("page.css") + resource("agreement.css", _FOLDER)
    scores = [pair.human for pair in agreement.pairs if pair.human is not None]
    y = axis_of(scores, _BOTTOM, _TOP) if scores else None
    drawn = [picture(agreement, column, y) for column in agreement.columns] if y else []
    golden = [pair.golden for pair in agreement.pairs if pair.golden is not None]
    answers = [answer for pair in golden for answer in pair.answers]
    words = interval, item_words, plain, position
    return template("agreement.html", finalize, judge_section, *words, folder=_FOLDER).render(
        found=agreement,
        signature=signature,
        style=style,
        policy=policy(style, ""),
        n_papers=len({pair.paper for pair in agreement.pairs}),
        n_systems=len({pair.system for pair in agreement.pairs}),
        n_resamples=resamples().n,
        missing=list(missing_lines([pair.missing for pair in agreement.pairs])),
        agreements=agreement.mixed() if scores else {},
        decisions=agreement.decisions,
        pictures=[each for each in drawn if each is not None],
        frame=(_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM),
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


def interval(estimate: Estimate) -> str:
    """The bounds of an estimate; empty where it has none."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.2f} to {estimate.high:.2f}"


def item_words(items: ItemAgreement, kind: str) -> tuple[str, ...]:
    """On how many items a matrix stands, and how far label and judge are the same.

    Of ratings, kappa is the quadratic one.
    """
    kappa = items.figures["quadratic kappa" if kind in FACETS else "kappa"]
    return (
        f"{items.n_items:,} item{'' if items.n_items == 1 else 's'}",
        f"exact {plain(items.figures['exact'].value)}, kappa {plain(kappa.value)}",
    )


def position(value: float) -> float:
    """Where a coefficient from -1 to 1 is drawn, in per cent of the width of the drawing."""
    return round(50 + 48 * value, 2)
