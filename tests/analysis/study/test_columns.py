from __future__ import annotations

from summeval_pytest.analysis.columns import (
    Column,
    Labelled,
    RecordedNumbers,
    columns_of,
    leading_columns,
)
from tests.analysis.study.studied import JUDGE, pair


def test_columns_of_one_name_do_not_hide_each_other() -> None:
    """A suite may record a number called ``facet``, or ``ROUGE-1``."""
    one = pair(
        "kiln",
        "good",
        numbers={"ROUGE-1": 0.25, "words": 12},
        scores={JUDGE: {"facet": 0.5}},
        recorded={"facet": RecordedNumbers(overall=3.0), "ROUGE-1": RecordedNumbers(overall=40.0)},
    )
    found = {(column.giver, column.by, column.name): column.of(one) for column in _known([one])}
    assert found == {
        ("judge", JUDGE, "facet"): 0.5,
        ("text", "", "ROUGE-1"): 0.25,
        ("text", "", "words"): 12,
        ("record", "ROUGE-1", "overall"): 40.0,
        ("record", "facet", "overall"): 3.0,
    }


def _known(pairs: list[object]) -> list[Column]:
    return [each for each in columns_of(pairs, [JUDGE]) if each.of(pairs[0]) is not None]  # type: ignore[arg-type]


def test_a_judge_that_scored_nothing_is_there_all_the_same() -> None:
    """What is unscored is said, and a metric that vanishes says nothing."""
    found = columns_of([pair("kiln", "good")], [JUDGE])
    assert [column.name for column in found] == ["facet", "eva", "faithfulness"]


def test_labels_give_the_overall_score_and_the_share_of_faithful_sentences() -> None:
    """Worked example: 1 of 2 labelled sentences; an unlabelled pair has neither."""
    labelled = pair("kiln", "good", label=Labelled(overall=0.7, n_faithful=1, n_labelled=2))
    columns = [Column(giver="label", name=name) for name in ("overall", "faithfulness")]
    assert [column.of(labelled) for column in columns] == [0.7, 0.5]
    assert [column.of(pair("kiln", "good")) for column in columns] == [None, None]
    assert columns[1].of(pair("kiln", "good", label=Labelled(overall=0.1))) is None


def test_leading_columns_are_the_metrics_and_the_overall_score() -> None:
    """A facet's rating is part of FM, and would be told twice."""
    one = pair(
        "kiln",
        "good",
        numbers={"words": 9},
        scores={JUDGE: {"facet": 0.5, "facet.method": 2.0}},
        label=Labelled(overall=0.7),
    )
    found = leading_columns({"good": [one]}, [JUDGE])
    assert [(column.giver, column.name) for column in found] == [
        ("judge", "facet"),
        ("judge", "eva"),
        ("judge", "faithfulness"),
        ("label", "overall"),
    ]


def test_more_words_are_not_better() -> None:
    """Length has no rank; overlap with the reference does."""
    assert not Column(giver="text", name="words").is_ranked
    assert Column(giver="text", name="ROUGE-2").is_ranked
    assert Column(giver="label", name="overall").is_ranked


def test_mean_support_is_a_column_only_of_a_judge_that_gives_it() -> None:
    """Where a rule answered every sentence it is there, and says nothing of the judge."""
    copied = pair(
        "kiln", "good", scores={JUDGE: {"faithfulness": 1.0, "faithfulness.support": 1.0}}
    )
    judged = pair("moss", "good", scores={JUDGE: {"faithfulness": 1.0}})
    names = [column.name for column in columns_of([copied, judged], [JUDGE])]
    assert names == ["facet", "eva", "faithfulness"]
    assert [c.name for c in columns_of([copied], [JUDGE])] == [*names, "faithfulness.support"]
