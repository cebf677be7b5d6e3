from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import Place
from summeval_pytest.questions import FacetSegments
from summeval_pytest.run.golden import places_of
from summeval_pytest.run.measure import source_of
from summeval_pytest.suite.labels import (
    EvidenceLabel,
    FactLabel,
    FactLabels,
    Item,
    ItemKind,
    Label,
    Marking,
    RoleLabel,
    SentenceLabel,
    evidence_label,
    label_object,
    markings_of,
)
from summeval_pytest.suite.suite import Suite, texts_digest
from summeval_pytest.suite.values import Paper, Section
from tests.label_suite import loaded
from tests.suite.conftest import Golden

GREW = "Growth rose by 24 %."
PAIR: dict[str, object] = {"paper": "zinc-01", "system": "careful"}


EVIDENCE = (EvidenceLabel(index=3, starts="We"), EvidenceLabel(index=1))
LINE: dict[str, object] = {
    **PAIR,
    "facets": {"background": 3, "method": None, "conclusion": 2},
    "overall": 1.0,
    "sentences": [
        {"index": 0, "faithful": True, "evidence": [{"index": 3, "starts": "We"}, {"index": 1}]},
        {"index": 1, "faithful": False, "error": "number", "x_sure": "no"},
        {"index": 2, "faithful": False, "factual": True},
    ],
    "facts": {
        "reference": [{"text": "Zinc helps.", "covered": True}],
        "candidate": [{"text": "Zinc harms.", "supported": False}],
    },
    "x_note": "late",
}
LABEL = Label(
    paper="zinc-01",
    system="careful",
    facets={"background": 3, "method": None, "conclusion": 2},
    overall=1.0,
    sentences=(
        SentenceLabel(index=0, faithful=True, evidence=EVIDENCE),
        SentenceLabel(index=1, faithful=False, error="number"),
        SentenceLabel(index=2, faithful=False, factual=True),
    ),
    facts=FactLabels(
        reference=(FactLabel(text="Zinc helps.", holds=True),),
        candidate=(FactLabel(text="Zinc harms.", holds=False),),
    ),
    place=Place("golden/labels.jsonl", 1),
)
"""What the line says; the project's own keys say nothing to us."""


def test_label_is_read_whole(golden: Golden) -> None:
    """Every part that design.md names arrives as a value; several facets of a role may be right."""
    roles = [
        {"text": "Zinc is a metal.", "facet": "background"},
        {"text": GREW, "facet": ["conclusion", "result"]},
        {"text": "We thank the mice.", "facet": None},
    ]
    origin = {"labelled_by": "two nurses", "basis": "full text", "provenance": "made by hand"}
    golden.lines("labels.jsonl", {**LINE, "roles": roles, **origin})
    suite = golden.load()
    found = (
        RoleLabel(text="Zinc is a metal.", facets=("background",)),
        RoleLabel(text=GREW, facets=("result", "conclusion")),
        RoleLabel(text="We thank the mice.", facets=()),
    )
    assert suite.has_labels
    assert dict(suite.labels) == {
        ("zinc-01", "careful"): replace(
            LABEL,
            roles=found,
            labelled_by="two nurses",
            basis="full text",
            provenance="made by hand",
        )
    }


def test_suite_without_labels_has_none_of_them(golden: Golden) -> None:
    """Then there is no judge item, and nothing is None."""
    golden.spoil("summeval.toml", 'labels = "labels.jsonl"\n', "")
    suite = golden.load()
    assert (suite.has_labels, len(suite.labels)) == (False, 0)


FAITHFUL: dict[str, object] = {"index": 0, "faithful": True}
UNFAITHFUL: dict[str, object] = {"index": 0, "faithful": False}
FACT = {"text": "a", "supported": True}
ROLE = {"text": GREW, "facet": "result"}


def test_mistakes_in_labels_have_a_remedy(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """A label that is misread would make a judge trusted, or not."""
    parts: dict[str, list[object]] = {
        "overall": [True, -1e308],
        "facets": [
            {}, {"background": 4}, {"method": 0}, {"result": 2.0}, {"conclusion": True},
            {"methods": 2},
        ],
        "sentences": [
            [], [{"index": 0}], [{"index": 0, "faithful": 1}], [FAITHFUL] * 2,
            [{**FAITHFUL, "evidence": ["r2"]}], [{**FAITHFUL, "error": "unit"}],
            [{**UNFAITHFUL, "error": " "}], [{**UNFAITHFUL, "error": 3}],
            [{**FAITHFUL, "factual": True}], [{**UNFAITHFUL, "factual": "yes"}],
            [{**UNFAITHFUL, "index": -1}],
        ],
        "facts": [
            {}, {"reference": [FACT]}, {"reference": [{"text": "a"}]}, {"referenc": [FACT]},
            {"reference": [{"text": "a", "covered": True}] * 2},
            {"candidate": [FACT, {**FACT, "text": "b"}, {**FACT, "supported": False}]},
        ],
        "roles": [
            [], ["x"], [{"text": GREW}], [{**ROLE, "facet": "results"}],
            [{**ROLE, "facet": ["result", "outcome"]}], [{**ROLE, "facet": []}],
            [ROLE, {"text": f" {GREW}", "facet": "method"}], [{**ROLE, "index": 0}],
        ],
    }  # fmt: skip
    said: dict[str, object] = {**PAIR, "overall": 1}
    lines = [
        *({**PAIR, part: value} for part, values in parts.items() for value in values),
        PAIR,
        *({**said, key: value} for key, value in (
            ("paper", "zinc-3"), ("system", "carefull"), ("facet", {}), ("provenance", ["a"]),
            ("basis", ""),
        )),
        {**said, "paper": "zinc-02", "system": "terse"},
    ]  # fmt: skip
    assert golden.mistakes("labels.jsonl", [*lines, [said, said], ""]) == snapshot


def marking(
    kind: ItemKind,
    value: float | bool | None,
    index: int = 0,
    text: str = "",
    own: tuple[tuple[str, str], ...] = (),
) -> Marking:
    """A marking of one pair without evidence."""
    item = Item(paper="zinc-01", system="careful", kind=kind, index=index, text=text)
    return Marking(item=item, value=value, own=own, place=LABEL.place)


def test_markings_of_a_pair_make_one_label_line() -> None:
    """Worked example: every kind, out of order; facets and sentences come out in reading order."""
    made = label_object(
        [
            replace(marking("sentence", False, 1, own=(("x_sure", "no"),)), error="number"),
            marking("conclusion", 2, own=(("x_note", "late"),)),
            replace(marking("sentence", True), evidence=EVIDENCE),
            replace(marking("sentence", False, 2), factual=True),
            marking("method", None),
            marking("candidate fact", False, text="Zinc harms."),
            marking("reference fact", True, text="Zinc helps."),
            marking("background", 3),
            marking("overall", 1.0),
        ]
    )
    assert json.dumps(made) == json.dumps(LINE)


def test_nothing_is_lost_between_a_label_and_its_line() -> None:
    """A resumed session writes the whole file again from the labels that it has read."""
    markings = list(markings_of(LABEL))
    assert len(markings) == len({marking.item for marking in markings}) == 9
    text = json.dumps(LINE).replace(', "x_sure": "no"', "").replace(', "x_note": "late"', "")
    assert json.dumps(label_object(reversed(markings))) == text


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """The suite of moss."""
    return loaded(tmp_path)


def test_evidence_is_found_again_by_its_first_words(suite: Suite) -> None:
    """The judge item looks evidence up by these words; sources of any length have to do."""
    source = source_of(suite.paper("moss-01"))
    for index in range(len(source)):
        label = evidence_label(source, index)
        assert places_of([label], source) == (index,)
        assert places_of([label], ("An earlier sentence.", *source)) == (index + 1,)
    assert evidence_label(source, 0).starts == "Roofs get hot in July."
    assert evidence_label(source, 1).starts == "Moss is said to cool"


def test_the_digest_of_a_paper_is_of_its_texts() -> None:
    """People read references and source; what is cut of them later makes no label another one."""
    paper = Paper(
        id="moss", source=(Section(text="Moss."),), references=("Moss grew.",), place=Place("p", 1)
    )
    cut = replace(paper, title="On moss", reference_facets=FacetSegments(result="Moss grew."))
    assert texts_digest(cut) == texts_digest(paper)
    assert texts_digest(replace(paper, references=("Moss died.",))) != texts_digest(paper)
    assert texts_digest(replace(paper, source=(Section(text="Fern."),))) != texts_digest(paper)
