from __future__ import annotations

from dataclasses import fields, replace

import pytest

from summeval_pytest.analysis.study import (
    ANALYSES,
    OF_TEXTS,
    Analysis,
    Material,
    StudiedJudge,
    StudiedSystem,
    Study,
    study_of,
)
from tests.analysis.study.studied import JUDGE, pair, sentences, text

NUMBERS = {"words": 9.0, "numbers": 1.0, "counted words": 9.0, "novelty 1": 0.5, "FKGL": 8.0}
MATERIAL = Material(
    pairs=[
        pair(
            paper,
            "good",
            numbers=NUMBERS,
            words={"GPT": {"method": 3}},
            judged=replace(sentences(2, 3), values={"facet": 0.5, "faithfulness": 2 / 3}),
        )
        for paper in ("a", "b")
    ],
    references=[text("a", None, NUMBERS), text("b", None, NUMBERS)],
    written={None: ["Bricks crack."], "good": ["Bricks sing."]},
    sources=["Bricks crack in kilns."],
)
EMPTY = Study(
    suite="kilns",
    fingerprint="0" * 12,
    n_papers=2,
    judges=(StudiedJudge(name=JUDGE, signature="wise-1", family="wise"),),
    systems=(StudiedSystem(name="good", family="good", n_papers=2),),
    analyses=(),
)
FIELDS = {
    "systems": "standings", "judges": "heats", "spread": "spreads", "effort": "efforts",
}  # fmt: skip


@pytest.mark.parametrize("analysis", ANALYSES)
def test_what_is_asked_for_is_there_and_nothing_else(analysis: Analysis) -> None:
    """Fifteen analyses of a large suite take a while, and one was wanted."""
    found, seconds = study_of(replace(EMPTY, analyses=(analysis,)), MATERIAL)
    told = {each.name for each in fields(Study) if getattr(found, each.name) == ()}
    wanted = FIELDS.get(analysis, analysis)
    lacking = {each.name for each in fields(Study) if each.default == ()} - told
    # One system has no other to be apart from.
    assert lacking == (set() if analysis == "effects" else {wanted})
    assert len(seconds) == len(found.efforts)


def test_analyses_of_texts_are_analyses() -> None:
    """The command asks no judge for these."""
    assert set(ANALYSES) > OF_TEXTS
