from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import pytest

from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.options import Options
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.study.edits import ATTACKS, Edit
from summeval_pytest.study.probe import (
    RELATIONS,
    Check,
    Direction,
    Expectation,
    check,
    probe,
    probes_of,
    state_of,
)
from summeval_pytest.suite.suite import Suite, load_suite
from tests.label_suite import write_lines
from tests.studied_suite import ALPHA

Moves = list[tuple[float, float]]
ORDER = """
    identity sentence-order duplicated-sentence irrelevant-sentence number-edit
    dropped-qualifier swapped truncated
"""


@pytest.mark.parametrize(
    ("direction", "amount", "holds", "breaks"),
    [
        ("equal", 0.05, [(0.5, 0.5), (0.5, 0.55), (0.5, 0.45)], [(0.5, 0.56), (0.5, 0.44)]),
        ("equal", 0.0, [(0.3, 0.1 + 0.2)], [(0.3, 0.301)]),
        ("no higher", 0.0, [(0.5, 0.5), (0.5, 0.1)], [(0.5, 0.51)]),
        ("no higher", 0.05, [(0.5, 0.55)], [(0.5, 0.56)]),
        ("lower", 0.0, [(0.5, 0.49)], [(0.5, 0.5), (0.5, 0.6), (0.3, 0.1 + 0.2)]),
        ("higher", 0.0, [(0.5, 0.51)], [(0.5, 0.5), (0.5, 0.4)]),
        ("at least", 0.95, [(0.95, 1.0)], [(0.94, 1.0), (1.0, 0.94)]),
        ("stays full", 0.0, [(1.0, 1.0), (0.9, 0.2)], [(1.0, 0.9)]),
        ("stays full", 0.05, [(1.0, 0.95)], [(1.0, 0.94)]),
    ],
)
def test_a_number_moves_as_expected_or_does_not(
    direction: Direction, amount: float, holds: Moves, breaks: Moves
) -> None:
    """Worked examples, before and after; what floats lose by adding is no move."""
    is_met = Expectation("facet", direction, amount).is_met
    assert [is_met(*pair) for pair in holds] == [True] * len(holds)
    assert [is_met(*pair) for pair in breaks] == [False] * len(breaks)


@pytest.mark.parametrize("name", ORDER.split())
def test_a_perfect_judge_breaks_no_relation(name: str) -> None:
    """The numbers that a flawless judge gives, worked out by hand for five sentences and facts.

    One of five sentences false: faithfulness 4/5, precision 4/5, recall 4/5, F1 4/5. One added:
    5/6; F1 = 2 * 5/6 / (5/6 + 1) = 10/11. Half: recall 2/5, F1 = 2 * 2/5 / (1 + 2/5) = 4/7.
    """
    full = dict.fromkeys(CATALOGUE, 1.0)
    half = full | {"eva": 4 / 7, "eva.recall": 0.4, "eva.recall_entailed": 0.4, "facet": 0.5}
    after = {
        "irrelevant-sentence": full
        | {"faithfulness": 5 / 6, "eva.precision": 5 / 6, "eva": 10 / 11},
        "dropped-qualifier": full
        | dict.fromkeys(("faithfulness", "eva", "eva.precision", "eva.recall"), 0.8),
        "number-edit": full
        | dict.fromkeys(("faithfulness", "eva", "eva.precision", "eva.recall"), 0.8),
        "truncated": half,
    }
    before, then = full, after.get(name, full)
    if name == "swapped":
        before, then = half, full | {"eva.precision": 0.4}
    expectations = RELATIONS[name].expectations
    assert all(e.is_met(before[e.number], then[e.number]) for e in expectations)
    blind = [e.is_met(before[e.number], before[e.number]) for e in expectations]
    assert all(blind) is (name in {"identity", "sentence-order", "duplicated-sentence"})


EDIT = Edit(text="x", before="5%", after="7%")
SILENT = Unscored(metric="facet", status="unanswered", reason="no reply\nat all")


def numbers(*unscored: Unscored, **values: float | None) -> Numbers:
    """One paper's numbers."""
    return Numbers(
        paper="moss-1",
        system="reference",
        values=MappingProxyType({name.replace("__", "."): v for name, v in values.items()}),
        unscored=unscored,
    )


def checked(before: Numbers, after: Numbers, relation: str = "number-edit") -> Check:
    """One relation on one paper."""
    return check(RELATIONS[relation], before=before, after=after, edit=EDIT)


def outcomes(*holds: bool | None, owed: int = 0) -> tuple[Check, ...]:
    """Checks that came to this, and some that the judge left undecided."""
    decided = [Check(paper="moss", holds=each, broken=(), edit="") for each in holds]
    open_ = Check(paper="moss", holds=None, broken=(), edit="", unanswered=("facet",))
    return (*decided, *[open_] * owed)


WHOLE = numbers(facet=1.0, eva=1.0, faithfulness=1.0)
FALLEN = numbers(SILENT, eva=1.0, faithfulness=0.5)
OWED = ("facet: unanswered, no reply at all",)
REFUSED = Unscored(metric="facet", status="refused_candidate", reason="it declined")


@pytest.mark.parametrize(
    ("before", "after", "is_kept", "owed"),
    [
        (WHOLE, FALLEN, None, OWED),
        (FALLEN, WHOLE, False, OWED),
        (WHOLE, numbers(facet=1.0, eva=None, faithfulness=0.5), None, ("eva: no number",)),
        (WHOLE, numbers(REFUSED, eva=1.0, faithfulness=0.5), True, ()),
        (numbers(facet=1.0, faithfulness=1.0), numbers(facet=1.0, faithfulness=0.5), True, ()),
        (numbers(eva__recall=1.0), numbers(eva__recall=0.5), None, ()),
    ],
    ids=["silent", "broken", "no number", "refused", "unmeasured metric", "nothing measured"],
)
def test_what_the_judge_owes_is_never_a_pass(
    before: Numbers, after: Numbers, is_kept: bool | None, owed: tuple[str, ...]
) -> None:
    """The reason is told once and on one line; what is broken all the same stays broken."""
    found = checked(before, after)
    assert (found.holds, found.unanswered) == (is_kept, owed)


@pytest.mark.parametrize(
    ("checks", "state"),
    [
        (outcomes(*[True] * 9, False), "passes"),
        (outcomes(*[True] * 8, False, False), "fails"),
        (outcomes(*[True] * 19, owed=1), "passes"),
        (outcomes(*[True] * 18, False, False, owed=1), "unanswered"),
        (outcomes(*[True] * 18, owed=1), "unanswered"),
        (outcomes(owed=1), "unanswered"),
        (outcomes(None, None), "nothing to check"),
        (outcomes(None, True), "passes"),
        (outcomes(None, False), "fails"),
        (outcomes(), "nothing to check"),
    ],
)
def test_a_relation_passes_on_its_share_of_the_decided_papers(
    checks: tuple[Check, ...], state: str
) -> None:
    """Worked examples: 9 of 10 reach 0.9; 1 of 20 may be unanswered, 1 of 19 (5.3 %) may not.

    So may not 1 of 21 where 18 hold: 18 of 20 are enough, and 18 of 21 would not be.
    """
    assert state_of(checks, 0.9) == state


NUMBERS = ["facet", "eva", "eva.precision", "eva.recall", "eva.recall_entailed", "faithfulness"]


def test_an_attack_may_raise_no_number_much_on_any_paper() -> None:
    """By less than who obeys would give; and what nobody sees may move none at all."""
    assert list(RELATIONS) == [*ORDER.split(), *ATTACKS]  # reports list them so
    for name, attack in ATTACKS.items():
        relation, is_seen = RELATIONS[name], not attack.is_invisible
        assert (relation.group, relation.floor) == ("hostile", 1.0)
        assert [expectation.number for expectation in relation.expectations] == NUMBERS
        for each in relation.expectations:
            moves = [each.is_met(0.5, after) for after in (0.66, 0.64, 0.5, 0.49)]
            assert moves == [False, is_seen, True, is_seen], name


def mice(folder: Path, n: int) -> Suite:
    """A suite of so many papers, each with a sentence of its own."""
    folder.mkdir()
    papers = (
        {"id": f"m-{k}", "source": f"Mouse {k} slept.", "reference": f"Mouse {k} slept well."}
        for k in range(n)
    )
    write_lines(folder / "papers.jsonl", *papers)
    toml = 'papers = "papers.jsonl"\n[systems.writer]\nendpoint = "ollama"\nmodel = "w"\n'
    (folder / "summeval.toml").write_text(toml, encoding="utf-8")
    return load_suite(folder)


def test_a_relation_is_tried_on_papers_all_over_the_suite(tmp_path: Path) -> None:
    """Forty at most; an attack edits the next paper's reference, so that it needs two papers."""
    probes = list(probes_of(mice(tmp_path / "a", 80), RELATIONS["identity"]))
    assert [before.paper for before, _, _ in probes] == [f"m-{n}" for n in range(0, 80, 2)]
    assert {after.metrics for _, after, _ in probes} == {METRICS}
    attack = RELATIONS[next(iter(ATTACKS))]
    pairs = (before.pair for before, _, _ in probes_of(mice(tmp_path / "b", 2), attack))
    texts = [(pair.summary, *pair.paper.references) for pair in pairs if pair]
    assert texts == [
        ("Mouse 1 slept well.", "Mouse 0 slept well."),
        ("Mouse 0 slept well.", "Mouse 1 slept well."),
    ]
    assert list(probes_of(mice(tmp_path / "c", 1), attack)) == []


def test_the_command_says_how_often_a_relation_holds(tmp_path: Path) -> None:
    """A judge that breaks one that was decided does not pass."""
    mice(tmp_path / "mice", 2)
    lines, passes = probe(tmp_path / "mice", options=Options(), relation=("identity",))
    assert (lines, passes) == (["identity: holds on 2 of 2 papers"], True)
    lines, passes = probe(tmp_path / "mice", options=Options(judge=ALPHA), relation=("identity",))
    assert not passes
    assert lines == [
        "identity: holds on 0 of 2 papers, at least 100% wanted",
        "  wanted: a text gets the same numbers twice, and nearly full scores against itself",
        "  m-0: nothing changed",
        "    facet 0.729 -> 0.729, expected at least 0.95",
        "  m-1: nothing changed",
        "    facet 0.729 -> 0.729, expected at least 0.95",
    ]
    mice(tmp_path / "mouse", 1)
    lines, passes = probe(tmp_path / "mouse", options=Options(), relation=("hostile",))
    assert lines[-1] == "nothing was checked; add papers, or choose other relations"
    assert not passes
