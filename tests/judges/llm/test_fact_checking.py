from __future__ import annotations

import json

import pytest

from summeval_pytest.judges.llm.facets_and_facts import FactSheet
from summeval_pytest.questions import Fact, FactCheck, Settled

PREMISES = ("Zinc was\ngiven.", "40 mice had it.")


def chain(*parents: int | None) -> tuple[Fact, ...]:
    """Facts with these parents."""
    return tuple(
        Fact(text=f"Fact {place + 1}.", sentence=0, parent=parent)
        for place, parent in enumerate(parents)
    )


def lines_of(sheet: FactSheet, *ids: int) -> list[str]:
    """The lines of a request that are neither empty nor end a block, marks without their hash."""
    lines = [line for line in sheet.draft(ids).user.split("\n") if line]
    lines = [line for line in lines if not line.endswith(">>>")]
    return [line.rpartition(" ")[0] if line.startswith("<<<") else line for line in lines]


def test_a_request_shows_all_premises_and_then_the_facts_asked_about() -> None:
    """Premises first: two requests of a question begin alike, which providers charge less for."""
    sheet = FactSheet(chain(None, 0, 1, None), PREMISES)
    assert lines_of(sheet, 1, 2, 3) == [
        "<<<premises",
        "[1] Zinc was given.",
        "[2] 40 mice had it.",
        "<<<facts",
        "[1] Fact 1.",
        "[2] (refines [1]) Fact 2.",
        "[3] (refines [2]) Fact 3.",
        "Check facts: 1-3. For each entailed fact name all premises that carry it.",
    ]
    first, second = sheet.draft((1, 2, 3)).user, sheet.draft((4,)).user
    start = first.index("<<<facts")
    assert first[:start] == second[:start]


def test_a_fact_refined_elsewhere_is_shown_and_not_asked_about() -> None:
    """Asked again alone, a fact is still judged by what it adds."""
    sheet = FactSheet(chain(None, 0, 1, None), PREMISES, every_premise=False)
    assert lines_of(sheet, 3, 4)[3:] == [
        "<<<context",
        "[2] Fact 2.",
        "<<<facts",
        "[3] (refines [2]) Fact 3.",
        "[4] Fact 4.",
        "Check facts: 3-4. For each entailed fact name enough premises.",
    ]


def test_chains_are_one_unit_from_the_root_on() -> None:
    """Facts 1, 2, 4 and 5 hang together, by way of each other; 3 and 6 are another chain."""
    sheet = FactSheet(chain(None, 0, None, 1, 0, 2), PREMISES)
    assert sheet.units == ((1, 2, 4, 5), (3, 6))


def test_a_parent_that_does_not_stand_before_is_none() -> None:
    """Lists from elsewhere may be unsound, and a chain that bites its tail has no root."""
    sheet = FactSheet(chain(1, 1, 7, -1), PREMISES)
    assert sheet.units == ((1,), (2,), (3,), (4,))
    assert "refines" not in sheet.draft((1, 2, 3, 4)).user


def test_more_facts_share_a_request_where_enough_premises_do() -> None:
    """Metrics.md 3.2: 15 with all premises named, 25 else."""
    facts = chain(None)
    assert FactSheet(facts, PREMISES).size == 15
    assert FactSheet(facts, PREMISES, every_premise=False).size == 25


def test_the_schema_asks_for_the_reason_before_the_label() -> None:
    """A label written before its reason is a label without one."""
    schema = FactSheet(chain(None), PREMISES).draft((1,)).schema
    entry = json.loads(schema.text)["properties"]["checks"]["items"]
    assert schema.name == "fact_checks"
    assert list(entry["properties"]) == entry["required"] == ["id", "reason", "premises", "label"]
    assert entry["properties"]["label"]["enum"] == ["entailed", "not_entailed"]
    assert entry["additionalProperties"] is False


def test_premises_are_counted_from_1_in_replies_and_from_0_in_answers() -> None:
    """Each once, in the order named; a fact that is not entailed may name what contradicts it."""
    sheet = FactSheet(chain(None, None), PREMISES)
    text = json.dumps({"checks": [
        {"id": 1, "reason": "both", "premises": [2, 1, 2], "label": "entailed"},
        {"id": 2, "reason": "40 and not 50", "premises": [2], "label": "not_entailed"},
    ]})  # fmt: skip
    assert sheet.read(text, (1, 2)) == {
        1: FactCheck(reason="both", entailed=True, premises=(1, 0)),
        2: FactCheck(reason="40 and not 50", entailed=False, premises=(1,)),
    }


EARLIER = (
    Settled(text="Zinc was\ngiven.", holds=True),
    Settled(text="Rats had it.", holds=False),
    Settled(text="At dawn.", holds=None),
)


def test_a_chain_shows_the_verdicts_before_between_premises_and_facts() -> None:
    """From the root on, without numbers that a reply could mistake for premises."""
    sheet = FactSheet(chain(None, None), PREMISES, earlier=EARLIER)
    assert lines_of(sheet, 1, 2) == [
        "<<<premises",
        "[1] Zinc was given.",
        "[2] 40 mice had it.",
        "<<<earlier",
        "entailed: Zinc was given.",
        "not_entailed: Rats had it.",
        "undecided: At dawn.",
        "<<<facts",
        "[1] Fact 1.",
        "[2] Fact 2.",
        "Check facts: 1-2. For each entailed fact name all premises that carry it.",
    ]
    assert sheet.draft((1,)).system.startswith("# Fact checks in chain\n")


def test_without_verdicts_before_a_request_is_what_it_was() -> None:
    """Every stored reply stays the reply to the same request."""
    plain, bare = FactSheet(chain(None, 0), PREMISES), FactSheet(chain(None, 0), PREMISES, True, ())
    assert plain.draft((1, 2)) == bare.draft((1, 2))
    assert plain.draft((1,)).system.startswith("# Fact checks\n")
    assert "earlier" not in plain.draft((1, 2)).user


@pytest.mark.parametrize(
    ("fact", "premise"),
    [
        ("Lysosomal hydrolase was raised in serum.", "Lactate dehydrogenase was raised in serum."),
        ("MPP causes the death of neurons.", "MPP is linked to the death of neurons."),
    ],
    ids=["another enzyme", "cause"],
)
@pytest.mark.parametrize("earlier", [(), EARLIER], ids=["together", "chain"])
def test_similar_is_not_the_same(fact: str, premise: str, earlier: tuple[Settled, ...]) -> None:
    """Pairs like those that the paper's Table 9 lets pass (metrics.md EV14): the rules name them.

    The judge that follows them says no and names the premise, which is then no match.
    """
    sheet = FactSheet((Fact(text=fact, sentence=0),), (premise,), earlier=earlier)
    draft = sheet.draft((1,))
    rules = " ".join(draft.system.split())
    assert 'one substance is not its relative, "linked to" is not "causes"' in rules
    assert fact in draft.user
    assert premise in draft.user
    entry = {"id": 1, "reason": "another thing", "premises": [1], "label": "not_entailed"}
    assert sheet.read(json.dumps({"checks": [entry]}), (1,)) == {
        1: FactCheck(reason="another thing", entailed=False, premises=(0,))
    }
