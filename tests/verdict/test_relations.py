from __future__ import annotations

import re

import pytest
from hypothesis import strategies as st

from summeval_pytest.metrics.score import CATALOGUE
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.verdict.relations import RELATIONS, Expectation, Material, Texts, held

SUMMARY = (
    "Moss is a common plant of bogs. We grew moss with lime or with clay for 12 weeks. Growth rose"
    " by 31% in lime and 12% in clay. Survival did not differ. Only one bog was studied."
)
MATERIAL = Material(summary=SUMMARY, reference=SUMMARY, source=SUMMARY)
ORDER = """
    identity sentence-order duplicated-sentence irrelevant-sentence number-edit swapped truncated
"""
shares = st.floats(0, 1)


def moved(direction: str, before: float, after: float, amount: float = 0.0) -> bool | None:
    """Whether facet moved so."""
    expectation = Expectation("facet", direction, amount)  # type: ignore[arg-type]  # from a table
    return held(expectation, {"facet": before}, {"facet": after})


@pytest.mark.parametrize(
    ("direction", "amount", "holds", "breaks"),
    [
        ("equal", 0.05, [(0.5, 0.5), (0.5, 0.55), (0.5, 0.45)], [(0.5, 0.56), (0.5, 0.44)]),
        ("equal", 0.0, [(0.3, 0.1 + 0.2)], [(0.3, 0.301)]),
        ("no higher", 0.0, [(0.5, 0.5), (0.5, 0.1)], [(0.5, 0.51)]),
        ("no higher", 0.05, [(0.5, 0.55)], [(0.5, 0.56)]),
        ("no lower", 0.05, [(0.5, 0.45), (0.5, 0.9)], [(0.5, 0.44)]),
        ("lower", 0.0, [(0.5, 0.49)], [(0.5, 0.5), (0.5, 0.6), (0.3, 0.1 + 0.2)]),
        ("higher", 0.0, [(0.5, 0.51)], [(0.5, 0.5), (0.5, 0.4)]),
        ("at least", 0.95, [(0.95, 1.0)], [(0.94, 1.0), (1.0, 0.94)]),
        ("stays full", 0.0, [(1.0, 1.0), (0.9, 0.2)], [(1.0, 0.9)]),
        ("stays full", 0.05, [(1.0, 0.95)], [(1.0, 0.94)]),
    ],
)
def test_a_number_moves_as_expected_or_does_not(
    direction: str,
    amount: float,
    holds: list[tuple[float, float]],
    breaks: list[tuple[float, float]],
) -> None:
    """Worked examples, before and after; what floats lose by adding is no move."""
    assert [moved(direction, *pair, amount) for pair in holds] == [True] * len(holds)
    assert [moved(direction, *pair, amount) for pair in breaks] == [False] * len(breaks)


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {"facet": 1.0}), ({"facet": 1.0}, {}), ({"facet": None}, {"facet": 1.0})],
)
def test_what_was_not_measured_is_neither_held_nor_broken(
    before: dict[str, float | None], after: dict[str, float | None]
) -> None:
    """A metric that is switched off says nothing about the judge."""
    assert held(Expectation("facet", "equal"), before, after) is None


def test_an_expectation_of_an_unknown_number_is_refused() -> None:
    """It would never be measured, and so never be broken."""
    with pytest.raises(KeyError, match=re.escape("faithful")):
        Expectation("faithful", "lower")


def test_the_catalogue_has_its_order_and_its_names() -> None:
    """Tests are called by them, and reports list them so."""
    assert list(RELATIONS) == ORDER.split()
    assert all(name == relation.name for name, relation in RELATIONS.items())


def test_swapped_measures_the_half_against_the_whole_and_the_whole_against_the_half() -> None:
    """Worked example: of five sentences two are half."""
    half = " ".join(sentence.text for sentence in split_sentences(SUMMARY)[:2])
    trial = RELATIONS["swapped"].trial(MATERIAL)
    assert trial is not None
    assert trial.before == Texts(candidate=half, reference=SUMMARY)
    assert trial.after == Texts(candidate=SUMMARY, reference=half)


@pytest.mark.parametrize("relation", RELATIONS.values(), ids=lambda relation: relation.name)
def test_a_perfect_judge_breaks_no_relation(relation: object) -> None:
    """The numbers that a flawless judge gives, worked out by hand for five sentences and facts.

    One of five sentences false: faithfulness 4/5, precision 4/5, recall 4/5, F1 4/5. One added:
    5/6; F1 = 2 * 5/6 / (5/6 + 1) = 10/11. Half: recall 2/5, F1 = 2 * 2/5 / (1 + 2/5) = 4/7.
    """
    full = dict.fromkeys(CATALOGUE, 1.0)
    half = full | {"eva": 4 / 7, "eva.recall": 0.4, "eva.recall_entailed": 0.4, "facet": 0.5}
    after = {
        "irrelevant-sentence": full
        | {"faithfulness": 5 / 6, "eva.precision": 5 / 6, "eva": 10 / 11},
        "number-edit": full
        | dict.fromkeys(("faithfulness", "eva", "eva.precision", "eva.recall"), 0.8),
        "truncated": half,
    }
    for each in RELATIONS.values():
        if each is not relation:
            continue
        before, then = full, after.get(each.name, full)
        if each.name == "swapped":
            before, then = half, full | {"eva.precision": 0.4}
        assert [held(e, before, then) for e in each.expectations] == [True] * len(each.expectations)
        blind = [held(e, before, before) for e in each.expectations]
        assert all(blind) is (each.name in ("identity", "sentence-order", "duplicated-sentence"))
