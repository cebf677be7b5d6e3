from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import Place
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.labels import EvidenceLabel, FactLabel, FactLabels, Label, SentenceLabel
from summeval_pytest.suite.marking import Item, ItemKind, Marking, label_object, markings_of
from tests.label_suite import mistake

HERE = Place("labels.jsonl", 3)


def item(kind: ItemKind, index: int = 0, text: str = "") -> Item:
    """An item of one pair."""
    return Item(paper="moss-01", system="long", kind=kind, index=index, text=text)


def marking(of: Item, value: float | bool | None, own: tuple[str, str] | None = None) -> Marking:
    """A marking without evidence."""
    return Marking(item=of, value=value, own=(own,) if own else (), place=HERE)


def test_markings_of_a_pair_make_one_label_line() -> None:
    """Worked example: every kind, out of order; facets and sentences come out in reading order."""
    made = label_object(
        [
            replace(marking(item("sentence", 1), False, ("x_sure", "no")), error="number"),
            marking(item("result"), 2, ("x_note", "late")),
            replace(
                marking(item("sentence"), True),
                evidence=(EvidenceLabel(index=3, starts="Moss"), EvidenceLabel(index=1)),
            ),
            marking(item("background"), None),
            marking(item("candidate fact", text="Moss cools."), True),
            marking(item("overall"), 0.5),
        ]
    )
    assert json.dumps(made) == json.dumps(
        {
            "paper": "moss-01",
            "system": "long",
            "facets": {"background": None, "result": 2},
            "overall": 0.5,
            "sentences": [
                {
                    "index": 0,
                    "faithful": True,
                    "evidence": [{"index": 3, "starts": "Moss"}, {"index": 1}],
                },
                {"index": 1, "faithful": False, "error": "number", "x_sure": "no"},
            ],
            "facts": {"candidate": [{"text": "Moss cools.", "supported": True}]},
            "x_note": "late",
        }
    )


def test_own_key_with_two_values_is_refused() -> None:
    """One of them would be lost, and nobody would know which."""
    two = [
        marking(item("result"), 2, ("x_note", "late")),
        marking(item("overall"), 1, ("x_note", "early")),
    ]
    assert mistake(lambda: label_object(two)) == (
        "labels.jsonl:3: 'x_note' of paper 'moss-01' and system 'long' is 'early', and 'late' at"
        " labels.jsonl:3; keep one"
    )


FACT_LABELS = st.lists(
    st.builds(FactLabel, text=st.text(min_size=1), holds=st.booleans()),
    max_size=3,
    unique_by=lambda fact: fact.text,
).map(tuple)
SENTENCES = st.lists(
    st.builds(
        SentenceLabel,
        index=st.integers(0, 9),
        faithful=st.booleans(),
        evidence=st.lists(st.builds(EvidenceLabel, index=st.integers(0, 9)), max_size=2).map(tuple),
        factual=st.none() | st.booleans(),
    ),
    max_size=4,
    unique_by=lambda sentence: sentence.index,
).map(tuple)


RATINGS = st.fixed_dictionaries(
    {}, optional={facet: st.none() | st.integers(1, SCALES[facet]) for facet in FACETS}
)


@given(
    st.builds(
        Label,
        paper=st.just("moss-01"),
        system=st.just("long"),
        facets=RATINGS,
        overall=st.none() | st.floats(0, 1),
        sentences=SENTENCES,
        facts=st.builds(FactLabels, reference=FACT_LABELS, candidate=FACT_LABELS),
        place=st.just(HERE),
    )
)
def test_nothing_is_lost_between_a_label_and_its_line(label: Label) -> None:
    """A resumed session writes the whole file again from the labels that it has read."""
    found = list(markings_of(label))
    assert len(found) == len({marking.item for marking in found})
    if not found:
        return
    made = json.loads(json.dumps(label_object(reversed(found))))
    assert made.get("facets", {}) == label.facets
    assert made.get("overall") == label.overall
    indices = sorted(s.index for s in label.sentences or ())
    assert [s["index"] for s in made.get("sentences", [])] == indices
    factual = {s.index: s.factual for s in label.sentences or ()}
    assert {s["index"]: s.get("factual") for s in made.get("sentences", [])} == factual
    assert label.facts is not None
    facts = made.get("facts", {})
    assert {f["text"]: f["covered"] for f in facts.get("reference", [])} == {
        fact.text: fact.holds for fact in label.facts.reference
    }
    assert len(facts.get("candidate", [])) == len(label.facts.candidate)


def test_item_is_told_with_its_pair() -> None:
    """A message that names an item has to be found again in the file."""
    told = [
        item("sentence", 2).told,
        item("candidate fact", text="Moss cools.").told,
        item("result").told,
    ]
    pair = "of paper 'moss-01' and system 'long'"
    assert told == [
        f"sentence 3 {pair}",
        f"candidate fact 'Moss cools.' {pair}",
        f"'result' {pair}",
    ]
