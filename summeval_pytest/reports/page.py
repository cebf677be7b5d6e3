"""The page of a run: HTML that needs nothing from outside, made by a Jinja template."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
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
from summeval_pytest.verdict.trust import confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jinja2 import Template

    from summeval_pytest.metrics.score import Named
    from summeval_pytest.record.record import (
        Difference,
        Outcome,
        PairRecord,
        RunRecord,
        SuiteRecord,
        SystemRecord,
    )
    from summeval_pytest.run.numbers import Numbers


COLUMNS: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "eva", "faithfulness")
"""The numbers of the heatmap."""
_LOST: Final = {"eva": "facts", "faithfulness": "sentences"}
"""What a filter of the list calls the points that a metric loses."""
_STEPS: Final = 8
"""Shades between nothing missing and everything."""
_MIDDLE: Final = 50.0
_REACH: Final = 48.0
"""From the middle of a drawing to where its longest interval ends, in per cent of its width."""
_HOME: Final = "summeval_pytest.reports"
_SCRIPTS: Final = ("texts.js", "detail.js", "panel.js", "listing.js", "start.js")
"""In this order they are one script."""


def page_text(record: RunRecord) -> str:
    """The report of a run: HTML without any reference to the outside; a pure function of it."""
    style, script = _resource("page.css"), "\n".join(map(_resource, _SCRIPTS))
    rows = rows_of(record)
    usage = record.header.usage
    pairs: dict[tuple[str, str], list[PairRecord]] = {}
    for row in rows:
        pairs.setdefault(row.of, []).append(row.pair)
    numbers = {of: number for number, of in enumerate(pairs)}
    papers = {(suite.name, paper.id): paper for suite in record.suites for paper in suite.papers}
    references = {
        of: tuple(map(Passages, papers[of].references if of in papers else ())) for of in pairs
    }
    uses = [use for suite in record.suites for use in suite.waivers]
    return _template().render(
        record=record,
        trust=trust_of_run(record),
        mark=f"{MARK[0].upper()}{MARK[1:]}",
        relations=[
            (relation_text(verdict), verdict.state, broken_texts(verdict))
            for suite in record.suites
            for verdict in suite.relations
        ],
        gaps=[gap for suite in record.suites for gap in suite.uncompared],
        style=style,
        script=script,
        policy=_policy(style, script),
        counts=_counted(Counter(row.pair.outcome for row in rows)),
        columns=COLUMNS,
        lines=list(_lines(record)),
        pair_link=pair_link,
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
        pair_blocks=(block(pair_block(row.pair, references[row.of])) for row in rows),
        calls=tuple(calls_lines(usage, {})) if usage else (),
        signatures=sorted({s for row in rows for s in row.pair.signatures}),
    )


def _lines(record: RunRecord) -> Iterator[dict[str, object]]:
    """The heatmap, a line a system, in the order of the suites."""
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
    """A link within the page that filters its list."""
    return f"#{urlencode({'system': system} | ({'lost': lost} if lost else {}))}"


def _cell(
    suite: SuiteRecord, system: SystemRecord, numbers: Sequence[Numbers], name: str, key: str
) -> dict[str, object]:
    """One mean of one system, with its threshold, its change and the pairs that lost points."""
    least = next((t.least for t in suite.thresholds.mean if t.name == name), None)
    named = CATALOGUE[name]
    mean = mean_of(numbers, Threshold(name, least or 0.0))
    missed = {m.name for m in system.verdict.missed}
    corrected = next((each for each in system.corrected if each.name == name), None)
    if corrected is not None and corrected.missed:
        missed.add(name)
    value = mean.value
    lost = name.removeprefix("facet.") if name.startswith("facet.") else _LOST.get(name, "")
    difference = system.comparison and system.comparison.difference(name)
    missing = 0.0 if value is None else named.gap(value, named.best)
    decided = next((m for m in system.means if m.name == name), None)
    is_whole = mean.n_scored == mean.n_papers
    return {
        "text": mean_shown(name, value, least),
        "shade": 0 if not missing else max(1, round(missing * _STEPS)),
        "held": "" if least is None else _held(named, value, least),
        "coverage": "" if is_whole else f"{mean.n_scored:,} of {mean.n_papers:,} papers",
        "fails": name in missed,
        "waived": decided is not None and not decided.passes and name not in missed,
        "change": signed(difference.change) if difference else "",
        "href": _filter_link(key, lost) if lost else "",
        "corrected": "" if corrected is None else corrected_value(corrected),
    }


def _held(named: Named, value: float | None, least: float) -> str:
    signs = (">", "\u2264") if named.lower_is_better else ("<", "\u2265")
    return f"{signs[named.meets(value, least)]} {least:g}"


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


_WORDS: Final = {
    function.__name__: function
    for function in (
        confusions,
        described,
        evidence_of,
        interval_of,
        mean_shown,
        named_agreement,
        signed,
        trust_of,
        value_of,
        verdict_of,
        whisker,
        worst_disagreements,
    )
}
"""What the template calls by name."""


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
    environment.globals |= _WORDS
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
