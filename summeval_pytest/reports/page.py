"""The page of a run, and a notebook's tables: HTML without anything from outside, by templates."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode

from summeval_pytest.metrics.catalogue import (
    CATALOGUE,
    METRICS,
    Score,
    catalogue_of,
    measured_metrics,
)
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.number import CustomNumbers, Finding, Unscored
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.reports import judge_section, wording
from summeval_pytest.reports.cases import headline, pair_case, system_case
from summeval_pytest.reports.page_pair import (
    Passages,
    Span,
    block,
    cited,
    cut,
    pair_block,
    paper_block,
    visible,
)
from summeval_pytest.reports.terminal import calls_lines
from summeval_pytest.reports.wording import disputed, resource, template
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.text.excerpts import standing_alone
from summeval_pytest.verdict.choice import curves_of
from summeval_pytest.verdict.differences import Difference
from summeval_pytest.verdict.policy import named_agreement
from summeval_pytest.verdict.run import WORST_FIRST, Outcome, PairRow, PaperRecord, RunVerdict
from summeval_pytest.verdict.trust import confusions, worst_disagreements

COLUMNS: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "eva", "faithfulness")
"""The numbers of the heatmap."""
WHOLE_RUN: Final = 2_000
"""The page of a run with at most so many pairs has the texts of all of them."""
MOST_WRITTEN: Final = 150
"""Of a longer run, so many pairs are rows of the markup, and so many failing ones have texts."""
WHOLE_PAPERS: Final = 200
"""With more papers, the page has only the source sentences that a verdict names."""
_LOST: Final = {
    **{f"facet.{facet}": facet for facet in FACETS},
    "eva": "facts",
    "faithfulness": "sentences",
}
"""What a filter of the list calls the points that a number loses."""
_LOSSES: Final = tuple(_LOST.values())
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
    """One pair of the list.

    ``of`` is the number of its suite and its paper. ``system`` names its system in links. ``trend``
    is its change against the baseline.
    """

    row: PairRow
    of: tuple[int, str]
    system: str
    title: str
    misses: tuple[str, ...]
    waived: str
    trend: str

    @property
    def paper(self) -> str:
        """The id of its paper."""
        return self.row.paper

    @property
    def outcome(self) -> Outcome:
        """Its outcome."""
        return self.row.outcome

    @property
    def place(self) -> tuple[object, ...]:
        """Its place in the list, the worst first."""
        return WORST_FIRST.index(self.outcome), *self.row.badness

    @property
    def lost(self) -> list[int]:
        """What it lost points on, by the places in `_LOSSES`."""
        values = [(self.row.numbers.values.get(name), CATALOGUE[name].best) for name in _LOST]
        return [n for n, (value, best) in enumerate(values) if value not in (None, best)]

    @property
    def href(self) -> str:
        """The deep link, within the page."""
        return pair_link(self.system, self.paper)

    @property
    def ratings(self) -> dict[str, str]:
        """The rating of each facet that has one."""
        ratings = ((facet, self.row.numbers.values.get(f"facet.{facet}")) for facet in SCALES)
        return {facet: f"{rating:g}" for facet, rating in ratings if rating}

    @property
    def values(self) -> dict[str, str]:
        """The value of each scored metric."""
        values, catalogue = self.row.numbers.values, self.row.numbers.catalogue
        return {
            name: wording.render(catalogue[name], values[name]) for name in measured_metrics(values)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLine:
    """One gated system with its judged pairs; ``key`` is what a link names it by."""

    gated: wording.SystemRow
    key: str
    rows: Sequence[ListedPair]

    @property
    def href(self) -> str:
        """The link to its pairs."""
        return f"#{urlencode({'system': self.key})}"

    @property
    def worst(self) -> ListedPair | None:
        """Its worst pair; None where all pass."""
        worst = min(self.rows, key=lambda row: row.place, default=None)
        return worst if worst and worst.outcome != "passed" else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The numbers of its heatmap."""
        own = {named.metric for named in self.gated.suite.own_numbers}
        return (*COLUMNS, *measured_metrics(own))


def page_pieces(record: RunVerdict, _: object = None) -> Iterator[str]:
    """The report of a run: HTML without any reference to the outside; a pure function of it.

    Of a run that is longer than `WHOLE_RUN`, only the worst pairs have their texts in it.
    """
    style, script = resource("page.css"), "\n".join(map(resource, _SCRIPTS))
    papers = {(n, each.id): each for n, suite in enumerate(record.suites) for each in suite.papers}
    lines = list(_lines(record, papers))
    rows = sorted((row for line in lines for row in line.rows), key=lambda row: row.place)
    failing = [row for row in rows if row.outcome != "passed"]
    is_whole = len(rows) <= WHOLE_RUN
    with_texts = rows if is_whole else failing[:MOST_WRITTEN]
    written = rows if is_whole else rows[:MOST_WRITTEN]
    titles = {row.of: row.title for row in rows}
    own = (named.metric for suite in record.suites for named in suite.own_numbers)
    metrics = measured_metrics({*METRICS, *own})
    numbers = {of: number for number, of in enumerate(titles)}
    systems = sorted({row.system for row in rows})
    uses = [use for suite in record.suites for use in suite.waivers]
    words = judge_section, wording, confusions, named_agreement, worst_disagreements
    functions = counted, cut, mean_cell, pair_link, system_case, whisker

    def references(of: tuple[int, str]) -> list[Passages]:
        texts = papers[of].references if of in papers else ()
        return [Passages(text, n) for n, text in enumerate(texts, start=1)]

    def paper(of: tuple[int, str]) -> dict[str, object] | None:
        if of not in papers:
            return None
        if len(papers) <= WHOLE_PAPERS:
            return paper_block(papers[of])
        named = {index for row in with_texts if row.of == of for index in cited(row.row.read())}
        return paper_block(papers[of], named)

    def entry(place: int, row: ListedPair) -> Sequence[object]:
        """The data of a row. The script makes the rows that the page leaves out."""
        known: list[object] = [systems.index(row.system), numbers[row.of], row.outcome]
        known += [row.row.has_alarms, row.lost]
        if place < len(written):
            return known
        ratings = [row.ratings.get(facet, "") for facet in SCALES]
        values = [row.values.get(metric, "") for metric in metrics]
        return [*known, ratings, values, row.misses, row.waived, row.trend]

    return template("page.html", finalize, *words, *functions).generate(
        record=record,
        judge_trust=judge_section.trust_of_run(record),
        curves=[(suite, curves) for suite in record.suites if (curves := curves_of(suite))],
        gaps=[gap for suite in record.suites for gap in record.untested(suite)],
        style=style,
        script=script,
        policy=policy(style, script),
        counts=counted(Counter(row.outcome for row in rows)),
        losses=_LOSSES,
        scales=SCALES,
        lines=lines,
        waivers=sorted(uses, key=lambda use: not use.fault),
        rows=rows,
        written=written,
        with_texts=with_texts,
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
                "n_with_texts": len(with_texts),
            }
        ),
        entries=(block(entry(place, row)) for place, row in enumerate(rows)),
        paper_blocks=(
            (numbers[of], block(paper(of))) for of in dict.fromkeys(row.of for row in with_texts)
        ),
        pair_blocks=(block(pair_block(row.row.read(), references(row.of))) for row in with_texts),
        calls=tuple(calls_lines(record.header.usage, {})) if record.header.usage else (),
        signatures=sorted(
            {text for suite in record.suites for row in suite.rows for text in row.signatures}
        ),
    )


def _lines(
    record: RunVerdict, papers: Mapping[tuple[int, str], PaperRecord]
) -> Iterator[SystemLine]:
    """Every gated system with its judged pairs, in the order of the suites."""
    several = len(record.suites) > 1
    for number, suite in enumerate(record.suites):
        for system in suite.systems:
            key = visible(f"{suite.name}/{system.name}" if several else system.name)
            rows = suite.pairs_of(system.name).rows
            listed = []
            for row in rows:
                pair = row.read()
                case, alarms = pair_case(pair), tuple(map(_with_reason, pair.alarms[:3]))
                worst = [_with_reason(f) for f in pair.explanation[:1] if f.conflict]
                of, loss = (number, pair.paper), row.loss
                title = papers[of].title.strip() if of in papers else ""
                trend = f"\u25bc {loss:.3f} worse" if loss > 0 else f"\u25b2 {-loss:.3f} better"
                listed.append(
                    ListedPair(
                        row=row,
                        of=of,
                        system=key,
                        title=cut(title or pair.paper, _TITLE),
                        misses=tuple(
                            cut(each, _TITLE) for each in (*case.phrases, *worst) or alarms
                        ),
                        waived="; ".join(case.waived),
                        trend=trend if loss else "",
                    )
                )
            gated = wording.SystemRow(suite=suite, system=system, rows=rows)
            yield SystemLine(gated=gated, key=key, rows=listed)


def _with_reason(finding: Finding) -> str:
    return f"{headline(finding)}: {finding.reason}" if finding.reason else headline(finding)


def pair_link(system: str, paper: str) -> str:
    """The deep link to a pair, within the page; ``system`` is the key of its system."""
    return f"#pair={quote(f'{system}/{visible(paper)}')}"


def counted(outcomes: Mapping[Outcome, int]) -> str:
    """Outcomes in words, the worst first: "1 error, 2 failed, 9 passed"."""
    words = [f"{outcomes[name]:,} {name}" for name in WORST_FIRST if outcomes.get(name)]
    return ", ".join(words) or "none judged"


def mean_cell(line: SystemLine, name: str) -> dict[str, object]:
    """A cell of the heatmap."""
    lost, mean = _LOST.get(name, ""), line.gated.mean(name)
    named, value, least = mean.named, mean.value, mean.least
    is_judged = name.partition(".")[0] in METRICS  # no best value is known of a custom metric
    missing = named.gap(value, named.best) if is_judged and value is not None else 0.0
    compared = named.best if value is None else value
    return {
        "name": name.removeprefix("facet."),
        "scale": int(named.high) if name.startswith("facet.") else 0,
        "text": wording.render(named, value, least),
        "shade": 0 if not missing else max(1, round(missing * _STEPS)),
        "bound": "" if least is None else wording.against(named, compared, least),
        "state": mean.state,
        "coverage": mean.coverage and f"{mean.coverage} papers",
        "change": mean.change,
        "href": lost and f"{line.href}&{urlencode({'lost': lost})}",
    }


def whisker(difference: Difference, beside: Sequence[Difference]) -> list[float]:
    """Where change, low and high are drawn, in per cent of the width of the drawing.

    All numbers are shares of their range, on one scale for all intervals.
    """

    def shares(d: Difference) -> list[float]:
        size = d.named.high - d.named.low
        return [(d.change if v is None else v) / size for v in (d.change, d.low, d.high)]

    reach = max(abs(share) for d in beside for share in shares(d)) or 1.0
    return [round(_MIDDLE + _REACH * share / reach, 2) for share in shares(difference)]


def finalize(value: object) -> object:
    """What is neither a number nor markup is visible and no longer than a quotation."""
    is_safe = isinstance(value, int | float) or hasattr(value, "__html__")
    return value if is_safe else visible(cut(str(value)))


def policy(style: str, script: str) -> str:
    """A content security policy under which nothing but our own style and script can act."""
    hashes = (hashlib.sha256(text.encode()).digest() for text in (style, script))
    of_style, of_script = (f"'sha256-{base64.b64encode(each).decode()}'" for each in hashes)
    return (
        f"default-src 'none'; style-src {of_style}; script-src {of_script if script else _NONE};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


MOST: Final = 12
"""How many findings are listed."""


def scored_html(evaluation: Evaluation, findings: Sequence[Finding]) -> str:
    """The reference beside the summary, coloured by facet, its scores, and what is wrong."""
    pair = evaluation.pair
    ratings = [
        rated
        for score in evaluation.scores
        if isinstance(score, FacetScore)
        for rated in score.ratings
    ]
    sides = [("summary", pair.summary, {r.facet: r.candidate for r in ratings})]
    stated = {rated.facet: rated.reference for rated in ratings}
    sides += [("reference", text, stated) for text in pair.paper.references]
    listed = list(dict.fromkeys(map(_listed, findings)))
    return template("scored.html", finalize).render(
        style=resource("scored.css"),
        of=evaluation.name,
        scores=[(score.metric, _value(score, evaluation.custom)) for score in evaluation.scores],
        ratings=[(r.facet, r.rating) for r in ratings],
        sides=[(name, list(_runs(text, passages))) for name, text, passages in sides],
        findings=listed[:MOST],
        n_more=max(0, len(listed) - MOST),
    )


def means_html(rows: Iterable[tuple[str, ...]]) -> str:
    """Means as a table: system, number, mean, interval and papers."""
    return template("means.html", finalize).render(style=resource("scored.css"), rows=list(rows))


def _listed(finding: Finding) -> tuple[object, ...]:
    """A finding's title, verdict and text in runs; of a conflict also whose text it contradicts."""
    text, against, whose = finding.summary, finding.reference or "", "reference"
    if finding.number == "eva.recall":
        text, against, whose = against, text, "summary"
    elif finding.kind == "sentence" and finding.evidence:
        (_, against), whose = finding.evidence[0], "source"
    text = finding.sentence or text
    figures, partners = disputed(finding.disputes, text, [against]) or ((), ())
    there = tuple(marked_runs(against, partners)) if partners else ()
    return finding.title, finding.verdict, tuple(marked_runs(text, figures)), whose, there


def marked_runs(text: str, figures: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is one of the figures, the first ones."""
    pattern = "|".join(map(standing_alone, figures)) or "(?!)"
    pieces = re.split(f"({pattern})", text, maxsplit=len(figures), flags=re.IGNORECASE)
    return ((piece, place % 2 == 1) for place, piece in enumerate(pieces))


def _value(score: Score | Unscored, custom: CustomNumbers) -> str:
    if isinstance(score, Unscored):
        return f"not scored: {score.reason}"
    return wording.render(catalogue_of(custom)[score.metric], score.value)


def _runs(text: str, passages: Mapping[Facet, str]) -> Iterator[tuple[str, str]]:
    """A text in pieces, each with the facet that it states; of two facets the first counts."""
    searched = Passages(text)
    marked = visible(searched.text).encode("utf-16-le")
    places = searched.of_facets(passages).items()
    spans: list[tuple[Span, Facet]] = [(span, facet) for facet, of in places for span in of]
    after = 0
    for (_, start, end), facet in sorted(spans):
        if start >= after:
            yield marked[2 * after : 2 * start].decode("utf-16-le"), ""
            yield marked[2 * start : 2 * end].decode("utf-16-le"), facet
            after = end
    yield marked[2 * after :].decode("utf-16-le"), ""
