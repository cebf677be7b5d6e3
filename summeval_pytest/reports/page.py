"""The page of a run: HTML that needs nothing from outside, made by a Jinja template."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from summeval_pytest.metrics.score import (
    CATALOGUE,
    METRICS,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    measured_metrics,
)
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.reports import judge_section
from summeval_pytest.reports.cases import missed_means, missed_numbers, standing_of
from summeval_pytest.reports.page_pair import (
    Passages,
    block,
    cut,
    pair_block,
    paper_block,
    visible,
)
from summeval_pytest.reports.run import calls_lines
from summeval_pytest.reports.template import resource, template
from summeval_pytest.reports.wording import (
    corrected_value,
    shown,
)
from summeval_pytest.verdict.floors import named_agreement
from summeval_pytest.verdict.means import mean_of
from summeval_pytest.verdict.thresholds import Threshold
from summeval_pytest.verdict.trust import confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.run.pair_numbers import Numbers
    from summeval_pytest.verdict.differences import Difference
    from summeval_pytest.verdict.pair import PairVerdict
    from summeval_pytest.verdict.run import (
        Outcome,
        PairResult,
        PaperRecord,
        RunVerdict,
        SuiteRecord,
        SystemResult,
    )

    _Papers = Mapping[tuple[int, str], tuple[str, Callable[[], PaperRecord]]]


COLUMNS: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "eva", "faithfulness")
"""The numbers of the heatmap."""
WORST_FIRST: Final[tuple[Outcome, ...]] = ("error", "failed", "passed")
"""Outcomes of pairs."""
WHOLE_RUN: Final = 2_000
"""The most pairs of a run whose page holds every pair with its texts."""
MOST_TOLD: Final = 150
"""Of more pairs, so many are rows of the page's markup, and have their texts where they fail."""
_LOST: Final = {"eva": "facts", "faithfulness": "sentences"}
"""What a filter of the list calls the points that a metric loses."""
_LOSSES: Final = (*FACETS, *_LOST.values())
"""What a pair can lose points on."""
_STEPS: Final = 8
"""Shades between nothing missing and everything."""
_MIDDLE: Final = 50.0
_REACH: Final = 48.0
"""From the middle of a drawing to where its longest interval ends, in per cent of its width."""
_TITLE: Final = 240
_SCRIPTS: Final = ("texts.js", "detail.js", "panel.js", "listing.js", "start.js")
"""In this order they are one script."""
_NONE: Final = "'none'"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPair:
    """One pair of the list, without its texts; ``system`` is what a link names its system by.

    ``read`` reads the pair, ``of`` is the number of its suite, and its paper. ``lost`` is what it
    lost points on: facets, "facts" and "sentences". ``gap`` is how far it falls short, ``trend``
    its change against the baseline, in words.
    """

    read: Callable[[], PairResult]
    of: tuple[int, str]
    system: str
    title: str
    outcome: Outcome
    numbers: Numbers
    lost: tuple[str, ...]
    gap: float
    misses: tuple[str, ...]
    waived: str
    trend: str

    @property
    def paper(self) -> str:
        """The id of its paper."""
        return self.of[1]

    @property
    def href(self) -> str:
        """The deep link, within the page."""
        return pair_link(self.system, self.paper)

    @property
    def ratings(self) -> dict[str, str]:
        """The rating of each facet that has one."""
        found = ((facet, self.numbers.values.get(f"facet.{facet}")) for facet in SCALES)
        return {facet: f"{rating:g}" for facet, rating in found if rating}

    @property
    def values(self) -> dict[str, str]:
        """The value of each scored metric."""
        held = self.numbers.values
        return {metric: shown(metric, held[metric]) for metric in measured_metrics(held)}


def page_pieces(record: RunVerdict) -> Iterator[str]:
    """The report of a run: HTML without any reference to the outside; a pure function of it.

    Of a run that is longer than `WHOLE_RUN`, only the worst pairs have their texts in it.
    """
    style, script = resource("page.css"), "\n".join(map(resource, _SCRIPTS))
    papers = _papers(record)
    pairs = list(_listed_pairs(record, papers))
    rows = sorted(pairs, key=_worst_first)
    failing = [row for row in rows if row.outcome != "passed"]
    is_whole = len(rows) <= WHOLE_RUN
    told = rows if is_whole else failing[:MOST_TOLD]
    written = rows if is_whole else rows[:MOST_TOLD]
    titles = {row.of: row.title for row in rows}
    own = (named.metric for suite in record.suites for named in suite.own_numbers)
    metrics = measured_metrics({*METRICS, *own})
    numbers = {of: number for number, of in enumerate(titles)}
    systems = sorted({row.system for row in rows})
    uses = [use for suite in record.suites for use in suite.waivers]
    words = confusions, named_agreement, shown, worst_disagreements
    ours = cut, mean_shown, pair_link, signed, whisker

    def references(of: tuple[int, str]) -> list[Passages]:
        texts = papers[of][1]().references if of in papers else ()
        return [Passages(text, n) for n, text in enumerate(texts, start=1)]

    def entry(place: int, row: ListedPair) -> Sequence[object]:
        """What the script knows of a row, which it has to make where the page has not."""
        lost = map(_LOSSES.index, row.lost)
        known: list[object] = [systems.index(row.system), numbers[row.of], row.outcome, [*lost]]
        if place < len(written):
            return known
        ratings = [row.ratings.get(facet, "") for facet in SCALES]
        values = [row.values.get(metric, "") for metric in metrics]
        return [*known, ratings, values, row.misses, row.waived, row.trend]

    return template("page.html", finalize, judge_section, *words, *ours).generate(
        record=record,
        judge_trust=judge_section.trust_of_run(record),
        mark=f"{judge_section.MARK[0].upper()}{judge_section.MARK[1:]}",
        gaps=[gap for suite in record.suites for gap in suite.uncompared],
        style=style,
        script=script,
        policy=policy(style, script),
        counts=_counted(Counter(row.outcome for row in rows)),
        losses=_LOSSES,
        scales=SCALES,
        lines=list(_lines(record, pairs)),
        waivers=sorted(uses, key=lambda use: not use.fault),
        rows=rows,
        written=written,
        told=told,
        n_failing=len(failing),
        whole_run=WHOLE_RUN,
        systems=systems,
        index=block(
            {
                "systems": systems,
                "papers": [(paper, title) for (_, paper), title in titles.items()],
                "losses": _LOSSES,
                "scales": dict(SCALES),
                "metrics": metrics,
                "n_told": len(told),
            }
        ),
        entries=(block(entry(place, row)) for place, row in enumerate(rows)),
        paper_blocks=(
            (numbers[of], block(paper_block(papers[of][1]()) if of in papers else None))
            for of in dict.fromkeys(row.of for row in told)
        ),
        pair_blocks=(block(pair_block(row.read(), references(row.of))) for row in told),
        calls=tuple(calls_lines(record.header.usage, {})) if record.header.usage else (),
        signatures=sorted(
            {s for suite in record.suites for each in suite.outlines for s in each.signatures}
        ),
    )


def _papers(record: RunVerdict) -> _Papers:
    """By the suite's number and id, the title of each paper and who reads it."""
    return {
        (number, paper.id): (paper.title, partial(suite.papers.__getitem__, place))
        for number, suite in enumerate(record.suites)
        for place, paper in enumerate(suite.papers)
    }


def _listed_pairs(record: RunVerdict, papers: _Papers) -> Iterator[ListedPair]:
    """Every judged pair, in the order of the suites."""
    several = len(record.suites) > 1
    for number, suite in enumerate(record.suites):
        for place, pair in enumerate(suite.pairs):
            of = number, pair.paper
            title, _ = papers.get(of, ("", None))
            yield ListedPair(
                read=partial(suite.pairs.__getitem__, place),
                of=of,
                system=system_key(suite.name, pair.system, several=several),
                title=cut(title.strip() or pair.paper, _TITLE),
                outcome=pair.outcome,
                numbers=pair.numbers(),
                lost=tuple(_lost(pair)),
                gap=_gap(pair.verdict),
                misses=tuple(cut(text, _TITLE) for text in _misses(pair)),
                waived="; ".join(map(standing_of, pair.verdict.waived)),
                trend=_trend(round(pair.change.loss, 3) if pair.change else 0),
            )


def _lost(pair: PairResult) -> Iterator[str]:
    for score in pair.scores:
        match score:
            case FacetScore():
                yield from (r.facet for r in score.ratings if r.rating < SCALES[r.facet])
            case EvaScore() if score.value < 1:
                yield "facts"
            case FaithfulnessScore() if not score.is_faithful or score.conflicts:
                yield "sentences"
            case _:
                pass


def _gap(verdict: PairVerdict) -> float:
    """How far a pair falls short of its thresholds in all; a metric without a score counts 1."""
    gaps = (CATALOGUE[short.name].gap(short.value, short.least) for short in verdict.shortfalls)
    return len(verdict.unscored) + sum(gaps)


def _worst_first(row: ListedPair) -> tuple[int, float]:
    return WORST_FIRST.index(row.outcome), -row.gap


def _misses(pair: PairResult) -> Iterator[str]:
    if pair.outcome == "error":
        yield "; ".join(pair.verdict.undecided) or "unscored"
    yield from missed_numbers(pair.verdict)


def _trend(loss: float) -> str:
    if not loss:
        return ""
    return f"\u25bc {loss:.3f} worse" if loss > 0 else f"\u25b2 {-loss:.3f} better"


def system_key(suite: str, system: str, *, several: bool) -> str:
    """What a link names a system by; the suite is named, too, where there are several."""
    return visible(f"{suite}/{system}" if several else system)


def pair_link(system: str, paper: str) -> str:
    """The deep link to a pair, within the page; ``system`` as `system_key` gives it."""
    return f"#pair={quote(f'{system}/{visible(paper)}')}"


def _lines(record: RunVerdict, pairs: Iterable[ListedPair]) -> Iterator[dict[str, object]]:
    several = len(record.suites) > 1
    by_system: dict[tuple[int, str], list[ListedPair]] = {}
    for pair in pairs:
        by_system.setdefault((pair.of[0], pair.numbers.system), []).append(pair)
    for number, suite in enumerate(record.suites):
        own = measured_metrics({named.metric for named in suite.own_numbers})
        columns = (*COLUMNS, *own)
        for system in suite.systems:
            judged = by_system.get((number, system.name), [])
            outcomes = Counter(pair.outcome for pair in judged)
            counts = _counted(outcomes)
            worst = min(judged, key=_worst_first, default=None)
            if len(judged) != len(system.papers):
                counts += f"; {len(judged):,} of {len(system.papers):,} papers judged"
            found = {system.outcome, *outcomes}
            key = system_key(suite.name, system.name, several=several)
            numbers = [pair.numbers for pair in judged]
            yield {
                "system": system,
                "suite": suite,
                "outcome": next((o for o in WORST_FIRST if o in found), "not judged"),
                "key": key,
                "counts": counts,
                "why": list(missed_means(system)),
                "worst": worst if worst and worst.outcome != "passed" else None,
                "n_alike": outcomes[worst.outcome] if worst else 0,
                "cells": [_cell(suite, system, numbers, name, key) for name in columns],
                "href": _filter_link(key),
            }


def _counted(outcomes: Mapping[Outcome, int]) -> str:
    """Outcomes in words, the worst first: "1 error, 2 failed, 9 passed"."""
    told = [f"{outcomes[name]:,} {name}" for name in WORST_FIRST if outcomes.get(name)]
    return ", ".join(told) or "none judged"


def _filter_link(system: str, lost: str = "") -> str:
    return f"#{urlencode({'system': system} | ({'lost': lost} if lost else {}))}"


def _cell(
    suite: SuiteRecord, system: SystemResult, numbers: Sequence[Numbers], name: str, key: str
) -> dict[str, object]:
    named = CATALOGUE[name]
    least = next((t.least for t in suite.policy.thresholds.mean if t.name == name), None)
    mean = mean_of(numbers, Threshold(name, least or 0.0))
    corrected = next((each for each in system.corrected if each.name == name), None)
    decided = next((m for m in system.means if m.name == name), None)
    is_missed = decided in system.verdict.missed
    fails = is_missed or (corrected is not None and bool(corrected.missed))
    lost = name.removeprefix("facet.") if name.startswith("facet.") else _LOST.get(name, "")
    difference = system.comparison and system.comparison.difference(name)
    is_judged = name.partition(".")[0] in METRICS  # no best is known of one's own
    missing = named.gap(mean.value, named.best) if is_judged and mean.value is not None else 0.0
    is_whole = mean.n_scored == mean.n_papers
    signs = (">", "\u2264") if named.lower_is_better else ("<", "\u2265")
    return {
        "name": name.removeprefix("facet."),
        "scale": int(named.high) if name.startswith("facet.") else 0,
        "text": mean_shown(name, mean.value, least),
        "shade": 0 if not missing else max(1, round(missing * _STEPS)),
        "held": "" if least is None else f"{signs[named.meets(mean.value, least)]} {least:g}",
        "coverage": "" if is_whole else f"{mean.n_scored:,} of {mean.n_papers:,} papers",
        "fails": fails,
        "waived": decided is not None and not decided.passes and not fails,
        "change": signed(difference.change) if difference else "",
        "href": _filter_link(key, lost) if lost else "",
        "corrected": "" if corrected is None else corrected_value(corrected),
    }


def signed(value: float) -> str:
    """A change with its sign, three digits, a true minus."""
    text = f"{value:+.3f}".replace("-", "\u2212")
    return "0.000" if text[1:] == "0.000" else text


def mean_shown(name: str, value: float | None, least: float | None = None) -> str:
    """A mean: of ratings to two digits, and never so that it looks equal to what it misses."""
    if value is None:
        return "\u2013"
    is_rating = CATALOGUE[name].is_whole
    return f"{value:.2f}" if is_rating and least is None else shown(name, value, least)


def whisker(difference: Difference, beside: Sequence[Difference]) -> list[float]:
    """Where change, low and high are drawn, in per cent of the width of the drawing.

    All numbers are shares of their range, on one scale that holds every interval.
    """

    def shares(d: Difference) -> list[float]:
        size = CATALOGUE[d.name].high - CATALOGUE[d.name].low
        return [(d.change if v is None else v) / size for v in (d.change, d.low, d.high)]

    reach = max(abs(share) for d in beside for share in shares(d)) or 1.0
    return [round(_MIDDLE + _REACH * share / reach, 2) for share in shares(difference)]


def finalize(value: object) -> object:
    """What is neither a number nor markup is visible and no longer than a quotation."""
    is_ours = isinstance(value, int | float) or hasattr(value, "__html__")
    return value if is_ours else visible(cut(str(value)))


def policy(style: str, script: str) -> str:
    """A content security policy under which nothing but our own style and script can act."""
    hashes = (hashlib.sha256(text.encode()).digest() for text in (style, script))
    of_style, of_script = (f"'sha256-{base64.b64encode(each).decode()}'" for each in hashes)
    return (
        f"default-src 'none'; style-src {of_style}; script-src {of_script if script else _NONE};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
