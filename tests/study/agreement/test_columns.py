from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from summeval_pytest.errors import SuiteError
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.questions import FACETS, FacetSegments
from summeval_pytest.study.agreement.columns import (
    LabelledPair,
    RoleAnswer,
    facet_with,
    labelled_pair,
    labelled_pairs,
    role_answers,
    segment_controls,
)
from summeval_pytest.study.recorded_judge import Recorded
from summeval_pytest.suite.labels import RoleLabel
from summeval_pytest.suite.suite import load_suite
from tests.run.test_golden import SUMMARY, evaluation
from tests.run.test_golden import label as golden_label
from tests.study.agreement.agreements import label
from tests.study.moss_suite import DEAD, GREW, SAND, labels_of, session, write_suite


def record(**segments: str) -> Recorded:
    """Recorded segments of a summary."""
    return Recorded(paper="moss", system="plain", by="Ann", segments=FacetSegments(**segments))


def test_segments_are_weighed_over_the_facets_that_people_rated() -> None:
    """Worked example: background and result are rated, result is stated in nine characters.

    Weights .1 and .3: presence .3 / .4 and length .3 * log(10) / .4; the method counts for nothing.
    Without ratings the recorded reference tells the facets; without either, nothing is said.
    """
    segments = record(method="By hand.", result="It grew 9")
    found = segment_controls(label(background=3, method=None, result=2), segments)
    assert found == pytest.approx({"presence (Ann)": 0.75, "length (Ann)": 0.75 * math.log(10)})
    reference = FacetSegments(method="By machine.", conclusion="Buy it.")
    found = segment_controls(label(), segments, reference)
    assert found == pytest.approx({"presence (Ann)": 0.5, "length (Ann)": math.log(9) / 2})
    assert segment_controls(label(), segments) == {}
    assert segment_controls(label(result=None), segments, FacetSegments()) == {}
    bare = Recorded(paper="moss", system="plain", by="Ann", overall=0.5)
    assert segment_controls(label(result=2), bare) == {}


def rated(pair: LabelledPair) -> dict[str, tuple[float, float | None]]:
    """The facets that people rated, with the judge's ratings."""
    answers = pair.golden.answers if pair.golden is not None else ()
    return {a.kind: (a.label, a.answer) for a in answers if a.kind in FACETS}


def test_each_number_and_record_has_a_column_of_its_own() -> None:
    """What was not measured has no column; a recorded column of our name is marked.

    The best of several references counts. An unrated facet has nothing to agree with.
    """
    whole = EvaScore(value=0.4, precision=0.3, recall=0.5, recall_entailed=0.6)
    columns = {"EVA": 0.4, "EVA precision": 0.3, "EVA recall": 0.5, "EVA recall (entailed)": 0.6}
    bare = replace(whole, precision=None, recall_entailed=None)
    for score, expected in ((whole, columns), (bare, {"EVA": 0.4, "EVA recall": 0.5})):
        found = labelled_pair(golden_label(overall=0.5), evaluation(score)).columns
        assert {name: value for name, value in found.items() if "EVA" in name} == expected
    named = [Recorded(paper="zinc", system="careful", by=by, overall=9) for by in ("FM", "ROUGE-1")]
    found = labelled_pair(golden_label(overall=0.5), evaluation(), named).columns
    assert found["FM (recorded)"] == found["ROUGE-1 (recorded)"] == 9
    assert "FM" not in found
    assert found["ROUGE-1"] <= 1
    pair = labelled_pair(golden_label(facets={"result": None}), evaluation(reference=SUMMARY))
    assert [pair.columns[name] for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")] == [1.0] * 3
    assert rated(pair) == {}


def test_a_label_of_a_sentence_that_is_not_there_is_refused_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    """It would be judged, paid for, and agree with nothing."""
    labels = labels_of(sentences=[{"index": 7, "faithful": True}])
    suite = load_suite(write_suite(tmp_path / "moss", SAND, GREW, labels))
    with pytest.raises(SuiteError, match="is about sentence 7, and the summary has 1"):
        labelled_pairs(suite, DEAD, session())


def test_roles_are_compared_with_the_segments_and_must_be_of_the_summary() -> None:
    """What states no facet is nobody's; a sentence that is not there would be wrong for ever."""
    roles = (
        RoleLabel(text="Zinc  was given.", facets=("method",)),
        RoleLabel(text="Growth fell.", facets=("result", "conclusion")),
        RoleLabel(text="Ok.", facets=()),
    )
    of = evaluation(
        extras={"facet": FacetSegments(method="Zinc was given.", conclusion="Growth fell.")}
    )
    assert role_answers(golden_label(roles=roles), of) == (
        RoleAnswer(right=("method",), answer="method"),
        RoleAnswer(right=("result", "conclusion"), answer="conclusion"),
    )
    assert role_answers(golden_label(roles=roles), evaluation()) == ()
    with pytest.raises(SuiteError) as caught:
        role_answers(golden_label(roles=(RoleLabel(text="Growth rose.", facets=("result",)),)), of)
    assert str(caught.value) == (
        "golden/labels.jsonl:7: a role of system 'careful' on paper 'zinc' is of the sentence"
        " 'Growth rose.', which the summary does not have; copy it word for word"
    )


def test_a_sentence_belongs_to_the_facet_that_holds_it() -> None:
    """Word for word, or most of it where it was cut; of two facets the first, and of none none."""
    segments = FacetSegments(
        background="Moss cools roofs.", result="They stayed 4.5  degrees cooler. Moss cools roofs."
    )
    sentences = ("Moss cools roofs .", "They stayed 4.5 degrees cooler.", "We planted six.", "...")
    facets = [facet_with(sentence, segments) for sentence in sentences]
    assert facets == ["background", "result", None, None]
    cut = "Moss cools roofs ... they stayed 4.5 degrees cooler ... bees came"
    assert facet_with(cut, replace(segments, result=segments.result[:32])) == "result"
