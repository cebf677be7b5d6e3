"""The same summary as models and people write it gets the same numbers."""

from __future__ import annotations

from functools import cache
from typing import Final

import pytest

from summeval_pytest import Unscored, score
from summeval_pytest.suite.labels import cut
from tests.golden.oracle import golden
from tests.text_forms import FORMS

EVERY: Final = 4
"""One paper in four is enough."""


@cache
def numbers(form: str) -> dict[str, dict[str, float | None]]:
    """By paper, the numbers of the summary by `careful` in one form."""
    found: dict[str, dict[str, float | None]] = {}
    papers = sorted({paper for paper, _ in golden().labels})[::EVERY]
    for pair in (golden().pair(paper, "careful") for paper in papers):
        scored = score(
            summary=FORMS[form](cut(pair.summary)),
            reference=pair.paper.references[0],
            source="\n\n".join(section.text for section in pair.paper.source),
        )
        found[pair.paper.id] = {}
        for each in (scored.facet, scored.eva, scored.faithfulness):
            assert not isinstance(each, Unscored), each.reason
            found[pair.paper.id] |= each.values()
    return found


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"prose"}))
def test_a_summary_has_one_score_in_every_form(form: str) -> None:
    """Bullets, bold and tables are no content."""
    assert len(numbers("prose")) == 8
    for paper, values in numbers(form).items():
        assert values == pytest.approx(numbers("prose")[paper], abs=0.01)
