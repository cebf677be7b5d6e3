from __future__ import annotations

from dataclasses import fields, replace

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.study.systems.all_analyses import (
    ANALYSES,
    OF_TEXTS,
    Analysis,
    StudiedJudge,
    StudiedSystem,
    Study,
    families_of,
    stem_of,
    study_of,
)
from summeval_pytest.study.systems.studied import Cut
from tests.study.systems.study_pairs import JUDGE, pair, sentences, studied, text

NUMBERS = {"words": 9.0, "numbers": 1.0, "counted words": 9.0, "novelty 1": 0.5, "FKGL": 8.0}
JUDGED = replace(sentences(2, 3), values={"facet": 0.5, "faithfulness": 2 / 3})
STUDIED = replace(
    studied(
        *(
            pair(paper, numbers=NUMBERS, cuts={"GPT": Cut(words={"method": 3})}, judged=JUDGED)
            for paper in "ab"
        ),
        n_papers=2,
    ),
    references=[text(paper, None, NUMBERS) for paper in "ab"],
    written={None: ["Bricks crack."], "good": ["Bricks sing."]},
    sources=["Bricks crack in kilns."],
    families=({JUDGE: "wise"}, {"good": "good"}),
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
    found = study_of(replace(EMPTY, analyses=(analysis,)), STUDIED)
    filled = {e.name for e in fields(Study) if e.default == () and getattr(found, e.name) != ()}
    # One system has no other to be apart from.
    assert filled == (set() if analysis == "effects" else {FIELDS.get(analysis, analysis)})
    assert set(ANALYSES) > OF_TEXTS


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("gpt-4o-2024-08-06", "gpt"), ("gpt35_fm", "gpt"), ("openai/GPT-4o", "gpt"),
        ("llama2_70b", "llama"), ("Qwen2.5-7B-Instruct", "qwen"), ("70b", "b"), ("42", "42"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_stem_is_the_first_run_of_letters(name: str, stem: str) -> None:
    """Versions and sizes of a model are one family."""
    assert stem_of(name) == stem


def test_what_the_user_says_counts_for_judge_and_system() -> None:
    """A model may judge and be judged under one name, which may hold an equals sign."""
    judges, systems = families_of(
        {"gpt": "gpt-4o"}, {"gpt": "gpt-4o", "mine": "tuned-1"}, ["mine=GPT", "gpt=gpt"]
    )
    assert judges == {"gpt": "gpt"}
    assert systems == {"gpt": "gpt", "mine": "gpt"}
    assert families_of({}, {"a=b": "a=b"}, ["a=b=c"])[1] == {"a=b": "c"}


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("gpt", "--family=gpt: no family; write NAME=FAMILY, as gpt35=openai"),
        ("gpt=", "--family=gpt=: no family; write NAME=FAMILY"),
        ("gpt=x,gpt=y", "--family=gpt=y: 'gpt' is of family 'x' already; leave one out"),
        ("gtp=x", "--family=gtp=x: no judge or system 'gtp' is studied; did you mean 'gpt'?"),
    ],
)
def test_a_family_of_nobody_is_refused(told: str, message: str) -> None:
    """Otherwise a slip of the pen would be no self-preference."""
    with pytest.raises(OptionError) as raised:
        families_of({"gpt": "gpt-4o"}, {}, told.split(","))
    assert message in str(raised.value)
