"""A scored summary, and a table of means, as HTML for a notebook, without a script."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.catalogue import catalogue_of
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.reports.page import finalize
from summeval_pytest.reports.page_pair import (
    Passages,
    Span,
    disputed,
    standing_alone,
    visible,
    whole_sentences,
)
from summeval_pytest.reports.template import resource, template
from summeval_pytest.reports.wording import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.metrics.finding import Finding
    from summeval_pytest.metrics.number import CustomNumbers
    from summeval_pytest.metrics.score import Score
    from summeval_pytest.run.measure import Evaluation


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
    whole = whole_sentences(
        evaluation.scores,
        Passages(pair.summary),
        [Passages(text) for text in pair.paper.references],
    )
    listed = list(dict.fromkeys(_listed(finding, whole) for finding in findings))
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


def _listed(finding: Finding, whole: Mapping[tuple[str, str], str]) -> tuple[object, ...]:
    """A finding's title, verdict and text in runs; of a conflict also whose text it contradicts."""
    text, against, whose = finding.summary, finding.reference or "", "reference"
    if finding.number == "eva.recall":
        text, against, whose = against, text, "summary"
    elif finding.kind == "sentence" and finding.evidence:
        (_, against), whose = finding.evidence[0], "source"
    text = whole.get((finding.number, text), text)
    figures, partners = disputed(finding.reason, text, [against]) or ((), ())
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
    return render(catalogue_of(custom)[score.metric], score.value)


def _runs(text: str, passages: dict[Facet, str]) -> Iterator[tuple[str, str]]:
    """A text in pieces, each with the facet that it states; of two facets the first counts."""
    searched = Passages(text)
    marked = visible(searched.text).encode("utf-16-le")
    spans: list[tuple[Span, Facet]] = [
        (span, facet)
        for facet in FACETS
        for span in (searched.find(passages[facet]) if passages.get(facet) else ())
    ]
    after = 0
    for (_, start, end), facet in sorted(spans):
        if start >= after:
            yield marked[2 * after : 2 * start].decode("utf-16-le"), ""
            yield marked[2 * start : 2 * end].decode("utf-16-le"), facet
            after = end
    yield marked[2 * after :].decode("utf-16-le"), ""
