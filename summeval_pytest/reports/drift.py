"""Drift of a judge as text: what became of its golden answers between two runs."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS
from summeval_pytest.reports.trust import described, evidence_of, verdict_of
from summeval_pytest.text import one_line, safe, safe_lines
from summeval_pytest.verdict import AGREEMENTS, measure_drift
from summeval_pytest.verdict.disagreements import Disagreement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.verdict import Drift, FigureChange, KindDrift, Rejudged, SuiteRecord

_WIDTH: Final = 80
_QUOTE: Final = 400
_FLIPS: Final = 3
_SMALLEST: Final = 0.001
LEGEND: Final = (
    "shift: mean of new minus old answer. p: paired sign-flip test over papers, of",
    "the shift and of moving away from (or towards) the labels, Holm-adjusted.",
)


def drift_sentence(drift: Drift) -> str:
    """What became of the golden answers, in one sentence."""
    if drift.mismatches:
        return f"golden answers not compared: {drift.mismatches[0]}"
    n_flipped = len(drift.flips)
    if not n_flipped:
        return f"no golden answer flipped ({drift.n_items:,} compared)"
    away = f"{drift.n_away:,} away from the labels" if drift.n_away else "none away from the labels"
    told = [f"{n_flipped:,} of {drift.n_items:,} golden answers flipped, {away}"]
    for kind in drift.kinds:
        if kind.is_shifted and kind.kind in FACETS:
            told.append(f"shift of {kind_told(kind)} significant ({p_text(kind.p_shift)})")
        if kind.is_worse or kind.is_better:
            where = "away from" if kind.is_worse else "towards"
            told.append(f"{kind_told(kind)} moved {where} the labels ({p_text(kind.p_loss)})")
    return "; ".join(told if len(told) > 1 else [*told, "no shift is significant"])


def drift_lines(old: SuiteRecord, new: SuiteRecord) -> Iterator[str]:
    """What a run says of its golden answers beside those of the saved run that it is compared with.

    The worst three of those that flipped are shown; no line where either run has no golden answers.
    """
    if not (old.golden and new.golden):
        return
    drift = measure_drift(old, new)
    more = "; see 'summeval compare'" if drift.flips else ""
    yield from safe_lines(f"judge against the saved run: {drift_sentence(drift)}{more}")
    if drift.old_judge != drift.new_judge:
        yield from safe_lines(f"  another judge: {drift.old_judge} then, {drift.new_judge} now")
    for number, flip in enumerate(drift.flips[:_FLIPS], start=1):
        yield from _flip(number, flip)


def golden_lines(suite: str, drift: Drift, *, n_answers: int) -> Iterator[str]:
    """Every figure of a drift: by kind, agreement with the labels, and flips, the worst first.

    Args:
        suite: The suite, as reports name it.
        drift: Its golden answers in two runs.
        n_answers: How many flips are shown.
    """
    if drift.mismatches:
        yield one_line(f"{suite}: golden answers not compared")
        for mismatch in drift.mismatches:
            yield f"  {one_line(mismatch, 400)}"
        return
    papers = "1 paper" if drift.n_papers == 1 else f"{drift.n_papers:,} papers"
    yield one_line(f"{suite}: {drift.n_items:,} golden answers of {papers}")
    yield from drift_table(drift)
    yield ""
    yield from figure_table(drift.figures)
    yield ""
    if drift.flips and n_answers:
        yield from flip_lines(drift.flips, n_shown=n_answers)
        yield ""
    yield from map(safe, wrap(drift_sentence(drift), _WIDTH, break_on_hyphens=False))


def drift_table(drift: Drift) -> Iterator[str]:
    """What became of the answers of each kind, a line each."""
    yield (
        f"{'golden answers':<23}{'items':>6}{'flipped':>9}{'away':>6}{'towards':>9}"
        f"{'shift':>8}{'p shift':>9}{'p away':>8}"
    )
    for kind in drift.kinds:
        is_flipped = bool(kind.n_flipped)
        ps = [p_number(p) if is_flipped else "-" for p in (kind.p_shift, kind.p_loss)]
        yield (
            f"{kind_told(kind):<23}{kind.n_items:>6,}{kind.n_flipped:>9,}{kind.n_away:>6,}"
            f"{kind.n_towards:>9,}{kind.shift:>+8.3f}{ps[0]:>9}{ps[1]:>8}"
        )
    if drift.flips:
        yield from LEGEND
    for n_only, whose in ((drift.n_only_old, "old"), (drift.n_only_new, "new")):
        if n_only:
            items, are = ("item", "is") if n_only == 1 else ("items", "are")
            yield f"{n_only:,} {items} that only the {whose} judge answered {are} left out"


def figure_table(figures: Sequence[FigureChange]) -> Iterator[str]:
    """The figures of agreement under both judges, and the interval of their difference."""
    width = max(map(len, AGREEMENTS)) + 1
    yield (
        f"{'agreement':<{width}}{'old':>7}{'new':>7}{'change':>8}  {'95 % interval':<16}"
        f"{'items':>6}{'papers':>7}"
    )
    for figure in figures:
        low, high = figure.low, figure.high
        interval = "" if low is None or high is None else f"{low:+.2f} to {high:+.2f}"
        change = "-" if figure.change is None else f"{figure.change:+.2f}"
        yield (
            f"{figure.name:<{width}}{_number(figure.old):>7}{_number(figure.new):>7}"
            f"{change:>8}  {interval:<16}{figure.n_items:>6,}{figure.n_papers:>7,}"
        )


def flip_lines(flips: Sequence[Rejudged], *, n_shown: int) -> Iterator[str]:
    """The answers that flipped, worst first, each with both texts and the reason."""
    if flips and n_shown:
        yield f"flipped answers, worst first ({min(n_shown, len(flips)):,} of {len(flips):,}):"
    for number, flip in enumerate(flips[:n_shown], start=1):
        yield from _flip(number, flip)
    if 0 < n_shown < len(flips):
        yield f"{len(flips) - n_shown:,} more: --answers={len(flips)}"


def _flip(number: int, flip: Rejudged) -> Iterator[str]:
    where = described(Disagreement(paper=flip.paper, system=flip.system, answer=flip.new))
    old, new, label = (
        verdict_of(flip.new, value) for value in (flip.old.answer, flip.new.answer, flip.new.label)
    )
    way = "away" if flip.loss > 0 else "towards" if flip.loss < 0 else "as far as before"
    yield one_line(f"{number}. {where}: {old} -> {new}, label {label} ({way})", 200)
    told = flip.told
    whose = "now" if told is flip.new else "then"
    for name, text in evidence_of(told):
        if text.strip():
            title = f"{name} {whose}" if name == "reason" else name
            yield from safe_lines(f"   {title:<13}{one_line(text, _QUOTE)}", indent=16)


def kind_told(kind: KindDrift) -> str:
    """The answers of a kind, as a sentence names them."""
    return f"{kind.kind} ratings" if kind.kind in FACETS else kind.kind


def p_text(p: float) -> str:
    """A p value as a sentence has it."""
    return f"p {p_number(p)}" if p >= _SMALLEST else f"p {p_number(p)}".replace("p <", "p < ")


def p_number(p: float) -> str:
    """A p value without its zero, three digits."""
    return f"{p:.3f}".removeprefix("0") if p >= _SMALLEST else "<.001"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
