"""The differences from a baseline, as text and as a drawing."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from summeval_pytest.metrics.score import CATALOGUE
from summeval_pytest.questions import FACETS
from summeval_pytest.reports.page_pair import (
    WORST_FIRST,
    Passages,
    block,
    cut,
    pair_block,
    pair_link,
    paper_block,
    rows_of,
    system_key,
    visible,
)
from summeval_pytest.reports.pair import broken_texts, corrected_value, relation_text, shown
from summeval_pytest.reports.run import calls_lines
from summeval_pytest.reports.trust import (
    MARK,
    UNTRUSTED,
    described,
    evidence_of,
    interval_of,
    trust_of,
    trust_of_run,
    value_of,
    verdict_of,
)
from summeval_pytest.verdict.decide import mean_of
from summeval_pytest.verdict.thresholds import Threshold, named_agreement
from summeval_pytest.verdict.trust import Confusion, confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jinja2 import Template

    from summeval_pytest.metrics.score import Named
    from summeval_pytest.record.record import (
        Comparison,
        Difference,
        Outcome,
        PairRecord,
        RunRecord,
        SuiteRecord,
        SystemRecord,
    )
    from summeval_pytest.reports.page_pair import Row
    from summeval_pytest.run.numbers import Numbers
    from summeval_pytest.verdict.thresholds import WaiverUse
    from summeval_pytest.verdict.trust import Agreement, Disagreement, Trust


_DASH: Final = "\u2013"
_SMALLEST_P: Final = 0.001
_MIDDLE: Final = 50.0
_REACH: Final = 48.0
"""From the middle of a drawing to where its longest interval ends, in per cent of its width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whisker:
    """A change and its interval, drawn: all in per cent of the width of the drawing."""

    zero: float
    at: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceLine:
    """One difference as text."""

    difference: Difference
    old: str
    new: str
    change: str
    interval: str
    p: str
    detectable: str
    whisker: Whisker


def signed(value: float | None) -> str:
    """A change with its sign, three digits, a true minus; a dash for none."""
    if value is None:
        return _DASH
    text = f"{value:+.3f}".replace("-", "\u2212")
    return "0.000" if text[1:] == "0.000" else text


def mean_shown(name: str, value: float | None, least: float | None = None) -> str:
    """A mean: of ratings to two digits, and never so that it looks equal to what it misses."""
    if value is None:
        return _DASH
    is_rating = CATALOGUE[name].is_whole
    return f"{value:.2f}" if is_rating and least is None else shown(name, value, least)


def difference_lines(comparison: Comparison) -> Iterator[DifferenceLine]:
    """The differences of a comparison as text, and as a drawing on one scale for each number."""
    for d in comparison.differences:
        has_interval = d.low is not None and d.high is not None
        yield DifferenceLine(
            difference=d,
            old=mean_shown(d.name, d.old),
            new=mean_shown(d.name, d.new),
            change=signed(d.change),
            interval=f"{signed(d.low)} to {signed(d.high)}" if has_interval else _DASH,
            p=_p_value(d.p),
            detectable="none could be seen" if d.detectable is None else f"{d.detectable:.3f}",
            whisker=_whisker(d, comparison.differences),
        )


def _p_value(p: float | None) -> str:
    if p is None:
        return _DASH
    return f"< {_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.3f}"


def _whisker(difference: Difference, beside: Sequence[Difference]) -> Whisker:
    """All numbers as shares of their range, on one scale that holds every interval."""

    def share(d: Difference, value: float | None) -> float:
        return (d.change if value is None else value) / (
            CATALOGUE[d.name].high - CATALOGUE[d.name].low
        )

    reach = max(abs(share(d, value)) for d in beside for value in (d.change, d.low, d.high))

    def place(value: float | None) -> float:
        return round(_MIDDLE + _REACH * share(difference, value) / (reach or 1.0), 2)

    return Whisker(
        zero=_MIDDLE,
        at=place(difference.change),
        low=place(difference.low),
        high=place(difference.high),
    )


_STANDING: Final = {"passed": "measured", "failed": "untrusted", "error": "not measured"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureLine:
    """One figure of agreement in words; a narrow page breaks its name between the parts."""

    name: tuple[str, ...]
    meaning: str
    value: str
    interval: str
    n_items: str
    n_papers: str
    floor: str
    fails: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DisagreementLine:
    """One disagreement: whose it is, what label and judge say, the texts by name."""

    of: str
    label: str
    answer: str
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSection:
    """The judge on one suite's labels; ``standing`` is its outcome in words."""

    suite: str
    phrase: str
    outcome: str
    standing: str
    figures: tuple[FigureLine, ...]
    confusions: tuple[Confusion, ...]
    worst: tuple[DisagreementLine, ...]


def judges_of(record: RunRecord) -> Iterator[JudgeSection]:
    """One section for each suite that the judge was measured on."""
    for suite in record.suites:
        if suite.trust is not None:
            yield _section(suite, suite.trust)


def _section(suite: SuiteRecord, trust: Trust) -> JudgeSection:
    return JudgeSection(
        suite=suite.name,
        phrase=trust_of(suite).removeprefix(f"{UNTRUSTED}: "),
        outcome="untrusted" if trust.is_untrusted else trust.outcome,
        standing=_STANDING[trust.outcome],
        figures=tuple(map(_figure, trust.agreements)),
        confusions=confusions(suite.golden),
        worst=tuple(map(_worst, worst_disagreements(suite.golden))),
    )


def _figure(agreement: Agreement) -> FigureLine:
    whole, dot, part = agreement.name.partition(".")
    return FigureLine(
        name=tuple(filter(None, (whole + dot, part))),
        meaning=named_agreement(agreement.name).meaning,
        value=value_of(agreement),
        interval=interval_of(agreement),
        n_items=f"{agreement.n_items:,}",
        n_papers=f"{agreement.n_papers:,}",
        floor=", ".join(
            f"{'lower bound ' if floor.bound == 'lower' else ''}\u2265 {floor.least:g}"
            for floor in agreement.floors
        ),
        fails=bool(agreement.missed),
    )


def _worst(each: Disagreement) -> DisagreementLine:
    answer = each.answer
    return DisagreementLine(
        of=described(each),
        label=verdict_of(answer, answer.label),
        answer=verdict_of(answer, answer.answer),
        texts=tuple((whose, text) for whose, text in evidence_of(answer) if text.strip()),
    )


COLUMNS: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "eva", "faithfulness")
"""The numbers of the heatmap."""
_LOST: Final = {"eva": "facts", "faithfulness": "sentences"}
"""What a filter of the list calls the points that a metric loses."""
_STEPS: Final = 8
"""Shades between nothing missing and everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One mean of one system.

    Attributes:
        name: The number.
        text: The mean; a dash where none can be taken.
        shade: 0 where nothing is missing, to `_STEPS`.
        held: How it stands to its threshold, "< 0.75"; empty where it has none.
        coverage: "11 of 12 papers" where some have no score; else empty.
        fails: Whether it fails the system.
        waived: Whether a waiver covers it.
        change: Against the baseline, with its sign; empty without one.
        href: Filters the list to the pairs that lost points on it; empty where it cannot.
        corrected: With the judge's error taken out; empty where labels do not tell.
    """

    name: str
    text: str
    shade: int
    held: str
    coverage: str
    fails: bool
    waived: bool
    change: str
    href: str
    corrected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One system of the heatmap.

    Attributes:
        system: The system.
        suite: Its suite.
        outcome: Of its pairs and means together.
        key: What links name it by.
        counts: Its pairs by outcome, in words.
        cells: Its means.
        href: Filters the list to its pairs.
    """

    system: SystemRecord
    suite: SuiteRecord
    outcome: str
    key: str
    counts: str
    cells: tuple[Cell, ...]
    href: str


def lines_of(record: RunRecord) -> Iterator[Line]:
    """The heatmap, a line a system, in the order of the suites."""
    several = len(record.suites) > 1
    for suite in record.suites:
        for system in suite.systems:
            yield _line(suite, system, several=several)


def counted(outcomes: Mapping[Outcome, int]) -> str:
    """Outcomes in words, the worst first: "1 error, 2 failed, 9 passed"."""
    told = [f"{outcomes[name]:,} {name}" for name in WORST_FIRST if outcomes.get(name)]
    return ", ".join(told) or "none judged"


def filter_link(suite: str, system: str, lost: str = "", *, several: bool) -> str:
    """A link within the page that filters its list."""
    name = system_key(suite, system, several=several)
    chosen = {"system": name} | ({"lost": lost} if lost else {})
    return f"#{urlencode(chosen)}"


def _line(suite: SuiteRecord, system: SystemRecord, *, several: bool) -> Line:
    pairs = suite.pairs_of(system.name)
    outcomes = Counter(pair.outcome for pair in pairs)
    counts = counted(outcomes)
    if len(pairs) != len(system.papers):
        counts += f"; {len(pairs):,} of {len(system.papers):,} papers judged"
    found = {system.outcome, *outcomes}
    outcome = next((o for o in WORST_FIRST if o in found), "not judged")
    numbers = [pair.numbers() for pair in pairs]
    return Line(
        system=system,
        suite=suite,
        outcome=outcome,
        key=system_key(suite.name, system.name, several=several),
        counts=counts,
        cells=tuple(_cell(suite, system, numbers, name, several=several) for name in COLUMNS),
        href=filter_link(suite.name, system.name, several=several),
    )


def _cell(
    suite: SuiteRecord,
    system: SystemRecord,
    numbers: Sequence[Numbers],
    name: str,
    *,
    several: bool,
) -> Cell:
    least = next((t.least for t in suite.thresholds.mean if t.name == name), None)
    named = CATALOGUE[name]
    mean = mean_of(numbers, Threshold(name, least or 0.0))
    missed = {m.name for m in system.verdict.missed}
    corrected = next((each for each in system.corrected if each.name == name), None)
    if corrected is not None and corrected.missed:
        missed.add(name)
    value = mean.value
    lost = name.removeprefix("facet.") if name.startswith("facet.") else _LOST.get(name, "")
    difference = None if system.comparison is None else system.comparison.difference(name)
    missing = 0.0 if value is None else named.gap(value, named.best)
    decided = next((m for m in system.means if m.name == name), None)
    return Cell(
        name=name,
        text=mean_shown(name, value, least),
        shade=0 if not missing else max(1, round(missing * _STEPS)),
        held="" if least is None else _held(named, value, least),
        coverage=""
        if mean.n_scored == mean.n_papers
        else f"{mean.n_scored:,} of {mean.n_papers:,} papers",
        fails=name in missed,
        waived=decided is not None and not decided.passes and name not in missed,
        change="" if difference is None else signed(difference.change),
        href=filter_link(suite.name, system.name, lost, several=several) if lost else "",
        corrected="" if corrected is None else corrected_value(corrected),
    )


def _held(named: Named, value: float | None, least: float) -> str:
    signs = (">", "\u2264") if named.lower_is_better else ("<", "\u2265")
    return f"{signs[named.meets(value, least)]} {least:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverLine:
    """One waiver, with what is wrong with it; empty where nothing is."""

    use: WaiverUse
    fault: str


def waiver_lines(record: RunRecord) -> Iterator[WaiverLine]:
    """Every waiver of the run, the ones to mend first."""
    uses = [use for suite in record.suites for use in suite.waivers]
    lines = [WaiverLine(use=use, fault=use.fault) for use in uses]
    yield from sorted(lines, key=lambda line: not line.fault)


_HOME: Final = "summeval_pytest.reports"
_SCRIPTS: Final = ("texts.js", "detail.js", "panel.js", "listing.js", "start.js")
"""In this order they are one script."""


def page_text(record: RunRecord) -> str:
    """The report of a run: HTML without any reference to the outside; a pure function of it."""
    style, script = _resource("page.css"), "\n".join(map(_resource, _SCRIPTS))
    rows = rows_of(record)
    usage = record.header.usage
    papers = _Papers(record, rows)
    return _template().render(
        record=record,
        trust=trust_of_run(record),
        mark=f"{MARK[0].upper()}{MARK[1:]}",
        judges=tuple(judges_of(record)),
        relations=[
            (relation_text(verdict), verdict.state, broken_texts(verdict))
            for suite in record.suites
            for verdict in suite.relations
        ],
        gaps=[gap for suite in record.suites for gap in suite.uncompared],
        style=style,
        script=script,
        policy=_policy(style, script),
        counts=counted(Counter(row.pair.outcome for row in rows)),
        columns=COLUMNS,
        lines=tuple(lines_of(record)),
        difference_lines=difference_lines,
        pair_link=pair_link,
        waivers=tuple(waiver_lines(record)),
        rows=rows,
        systems=list(dict.fromkeys(sorted(row.system for row in rows))),
        index=block([_entry(row, papers) for row in rows]),
        paper_blocks=papers.blocks(),
        pair_blocks=(block(pair_block(row.pair, papers.passages(row))) for row in rows),
        calls=tuple(calls_lines(usage, {})) if usage else (),
        signatures=sorted({s for row in rows for s in row.pair.signatures}),
    )


class _Papers:
    """The papers of a page, each once, by number."""

    def __init__(self, record: RunRecord, rows: Sequence[Row]) -> None:
        self._pairs: dict[tuple[str, str], list[PairRecord]] = {}
        for row in rows:
            self._pairs.setdefault((row.suite.name, row.pair.paper), []).append(row.pair)
        self._numbers = {key: number for number, key in enumerate(self._pairs)}
        known = {(s.name, paper.id): paper for s in record.suites for paper in s.papers}
        self._papers = {key: known.get(key) for key in self._pairs}
        self._passages = {
            key: tuple(map(Passages, paper.references if paper else ()))
            for key, paper in self._papers.items()
        }

    def number(self, row: Row) -> int:
        """The number of a row's paper."""
        return self._numbers[row.suite.name, row.pair.paper]

    def passages(self, row: Row) -> Sequence[Passages]:
        """The references of a row's paper."""
        return self._passages[row.suite.name, row.pair.paper]

    def blocks(self) -> Iterator[str]:
        """Each paper's block, in order of the numbers; null for one that was never read."""
        for key, paper in self._papers.items():
            yield block(None if paper is None else paper_block(paper, self._pairs[key]))


def _entry(row: Row, papers: _Papers) -> tuple[object, ...]:
    """What the list's filters know of a row; listing.js names the places."""
    searched = f"{row.pair.paper}\n{row.title}".lower()
    return (
        row.key,
        row.system,
        row.pair.outcome,
        row.lost,
        papers.number(row),
        searched,
        row.title,
    )


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalize,
    )
    return environment.from_string(_resource("page.html"))


def _finalize(value: Any) -> Any:
    """Whatever the template prints is visible and no longer than a quotation; markup is ours."""
    return visible(cut(value)) if type(value) is str else value


def _resource(name: str) -> str:
    return (files(_HOME) / "templates" / name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """A content security policy under which nothing but our own style and script can act."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
