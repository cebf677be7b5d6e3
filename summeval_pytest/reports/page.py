"""The page of a run: HTML that needs nothing from outside, made by a Jinja template."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from summeval_pytest.metrics.score import (
    CATALOGUE,
    METRICS,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
)
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.reports import judge_section
from summeval_pytest.reports.page_pair import (
    Passages,
    block,
    cut,
    pair_block,
    paper_block,
    visible,
)
from summeval_pytest.reports.pair import (
    broken_texts,
    corrected_value,
    missed_numbers,
    relation_text,
    shift_warnings,
    short_of,
    shown,
)
from summeval_pytest.reports.run import calls_lines
from summeval_pytest.reports.template import resource, template
from summeval_pytest.verdict.decide import mean_of
from summeval_pytest.verdict.thresholds import Threshold, named_agreement
from summeval_pytest.verdict.trust import confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.record.record import (
        Difference,
        Outcome,
        PairRecord,
        RunRecord,
        SuiteRecord,
        SystemRecord,
    )
    from summeval_pytest.run.pair_numbers import Numbers


COLUMNS: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "eva", "faithfulness")
"""The numbers of the heatmap."""
WORST_FIRST: Final[tuple[Outcome, ...]] = ("error", "failed", "passed")
"""Outcomes of pairs."""
_LOST: Final = {"eva": "facts", "faithfulness": "sentences"}
"""What a filter of the list calls the points that a metric loses."""
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
    """One pair of the list; ``system`` is what a link names its system by."""

    pair: PairRecord
    suite: str
    system: str
    title: str

    @property
    def of(self) -> tuple[str, str]:
        """Its suite and its paper."""
        return self.suite, self.pair.paper

    @property
    def key(self) -> str:
        """What a deep link names it by."""
        return f"{self.system}/{visible(self.pair.paper)}"

    @property
    def href(self) -> str:
        """The deep link, within the page."""
        return pair_link(self.system, self.pair.paper)

    @property
    def lost(self) -> list[str]:
        """What it lost points on: facets, "facts" and "sentences"."""
        found: list[str] = []
        for score in self.pair.scores:
            match score:
                case FacetScore():
                    found += [r.facet for r in score.ratings if r.rating < SCALES[r.facet]]
                case EvaScore() if score.value < 1:
                    found.append("facts")
                case FaithfulnessScore() if not score.is_faithful or score.conflicts:
                    found.append("sentences")
                case _:
                    pass
        return found


def page_text(record: RunRecord) -> str:
    """The report of a run: HTML without any reference to the outside; a pure function of it."""
    style, script = resource("page.css"), "\n".join(map(resource, _SCRIPTS))
    rows = listed_pairs(record)
    pairs: dict[tuple[str, str], list[PairRecord]] = {}
    for row in rows:
        pairs.setdefault(row.of, []).append(row.pair)
    numbers = {of: number for number, of in enumerate(pairs)}
    papers = {(suite.name, paper.id): paper for suite in record.suites for paper in suite.papers}
    references = {
        of: [Passages(text, n) for n, text in enumerate(papers[of].references, start=1)]
        for of in pairs
        if of in papers
    }
    uses = [use for suite in record.suites for use in suite.waivers]
    relations = [verdict for suite in record.suites for verdict in suite.relations]
    words = confusions, missed_numbers, named_agreement, short_of, shown, worst_disagreements
    ours = cut, mean_shown, pair_link, shift_warnings, signed, whisker
    return template("page.html", finalize, judge_section, *words, *ours).render(
        record=record,
        judge_trust=judge_section.trust_of_run(record),
        mark=f"{judge_section.MARK[0].upper()}{judge_section.MARK[1:]}",
        relations=[(relation_text(each), each.state, broken_texts(each)) for each in relations],
        gaps=[gap for suite in record.suites for gap in suite.uncompared],
        style=style,
        script=script,
        policy=policy(style, script),
        counts=_counted(Counter(row.pair.outcome for row in rows)),
        columns=COLUMNS,
        scales=SCALES,
        metrics=METRICS,
        lines=list(_lines(record)),
        waivers=sorted(uses, key=lambda use: not use.fault),
        rows=rows,
        systems=list(dict.fromkeys(sorted(row.system for row in rows))),
        # What the list's filters know of a row; listing.js names the places.
        index=block(
            [
                (
                    row.key,
                    row.system,
                    row.pair.outcome,
                    row.lost,
                    numbers[row.of],
                    f"{row.pair.paper}\n{row.title}".lower(),
                    row.title,
                )
                for row in rows
            ]
        ),
        paper_blocks=[
            block(paper_block(papers[of], pairs[of]) if of in papers else None) for of in pairs
        ],
        pair_blocks=(block(pair_block(row.pair, references.get(row.of, ()))) for row in rows),
        calls=tuple(calls_lines(record.header.usage, {})) if record.header.usage else (),
        signatures=sorted({s for row in rows for s in row.pair.signatures}),
    )


def listed_pairs(record: RunRecord) -> list[ListedPair]:
    """Every judged pair, errors first, then the failed ones, by how far they fall short."""

    def badness(row: ListedPair) -> tuple[int, float]:
        verdict = row.pair.verdict
        gaps = (CATALOGUE[short.name].gap(short.value, short.least) for short in verdict.shortfalls)
        return WORST_FIRST.index(row.pair.outcome), -(len(verdict.lacking) + sum(gaps))

    titles = {(suite.name, p.id): p.title for suite in record.suites for p in suite.papers}
    several = len(record.suites) > 1
    rows = [
        ListedPair(
            pair=pair,
            suite=suite.name,
            system=system_key(suite.name, pair.system, several=several),
            title=cut(titles.get((suite.name, pair.paper), "").strip() or pair.paper, _TITLE),
        )
        for suite in record.suites
        for pair in suite.pairs
    ]
    return sorted(rows, key=badness)


def system_key(suite: str, system: str, *, several: bool) -> str:
    """What a link names a system by; the suite is named, too, where there are several."""
    return visible(f"{suite}/{system}" if several else system)


def pair_link(system: str, paper: str) -> str:
    """The deep link to a pair, within the page; ``system`` as `system_key` gives it."""
    return f"#pair={quote(f'{system}/{visible(paper)}')}"


def _lines(record: RunRecord) -> Iterator[dict[str, object]]:
    several = len(record.suites) > 1
    for suite in record.suites:
        for system in suite.systems:
            pairs = suite.pairs_of(system.name)
            outcomes = Counter(pair.outcome for pair in pairs)
            counts = _counted(outcomes)
            if len(pairs) != len(system.papers):
                counts += f"; {len(pairs):,} of {len(system.papers):,} papers judged"
            found = {system.outcome, *outcomes}
            key = system_key(suite.name, system.name, several=several)
            numbers = [pair.numbers() for pair in pairs]
            yield {
                "system": system,
                "suite": suite,
                "outcome": next((o for o in WORST_FIRST if o in found), "not judged"),
                "key": key,
                "counts": counts,
                "cells": [_cell(suite, system, numbers, name, key) for name in COLUMNS],
                "href": _filter_link(key),
            }


def _counted(outcomes: Mapping[Outcome, int]) -> str:
    """Outcomes in words, the worst first: "1 error, 2 failed, 9 passed"."""
    told = [f"{outcomes[name]:,} {name}" for name in WORST_FIRST if outcomes.get(name)]
    return ", ".join(told) or "none judged"


def _filter_link(system: str, lost: str = "") -> str:
    return f"#{urlencode({'system': system} | ({'lost': lost} if lost else {}))}"


def _cell(
    suite: SuiteRecord, system: SystemRecord, numbers: Sequence[Numbers], name: str, key: str
) -> dict[str, object]:
    named = CATALOGUE[name]
    least = next((t.least for t in suite.thresholds.mean if t.name == name), None)
    mean = mean_of(numbers, Threshold(name, least or 0.0))
    corrected = next((each for each in system.corrected if each.name == name), None)
    decided = next((m for m in system.means if m.name == name), None)
    is_missed = decided in system.verdict.missed
    fails = is_missed or (corrected is not None and bool(corrected.missed))
    lost = name.removeprefix("facet.") if name.startswith("facet.") else _LOST.get(name, "")
    difference = system.comparison and system.comparison.difference(name)
    missing = 0.0 if mean.value is None else named.gap(mean.value, named.best)
    is_whole = mean.n_scored == mean.n_papers
    signs = (">", "\u2264") if named.lower_is_better else ("<", "\u2265")
    return {
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
