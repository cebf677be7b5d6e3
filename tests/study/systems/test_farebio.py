from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.stats.paired import power_of_drop
from summeval_pytest.study.systems.farebio import (
    Effect,
    JudgeHeat,
    associations,
    cohen_d,
    effects,
    hallucination_rates,
    judge_heats,
    p_value_of,
)
from summeval_pytest.study.systems.studied import Given
from tests.study.systems.study_pairs import pair, scored, sentences, studied

NOVEL = (0.1, 0.4, 0.35, 0.8, 0.7, 0.2)
GRADES = (12.0, 11.0, 11.5, 8.0, 9.5, 10.0)


def test_sentences_and_summaries_are_counted_apart() -> None:
    """Worked example: 1 of 6 sentences is unsupported, and so is 1 of 2 summaries."""
    pairs = [pair("a", judged=sentences(3, 4)), pair("b", judged=sentences(2, 2))]
    (found,) = hallucination_rates(studied(*pairs, n_papers=3))
    assert (found.n_sentences, found.n_unanswered) == (6, 0)
    assert found.sentences.value == round(1 / 6, 9)
    assert (found.summaries.value, found.summaries.n, found.summaries.n_of) == (0.5, 2, 3)


def test_a_sentence_without_an_answer_is_neither_right_nor_wrong() -> None:
    """The summary is unknown, and the sentence is said to be unanswered."""
    (found,) = hallucination_rates(studied(pair("a", judged=sentences(2, 2, 3))))
    assert (found.n_unanswered, found.sentences.value) == (1, 0.0)
    assert (found.summaries.value, found.summaries.n) == (None, 0)


def test_labels_have_rows_of_their_own_where_somebody_looked() -> None:
    """A system without a verdict stands there with none; no sentence of people is unanswered."""
    labelled = studied(pair("a", label=sentences(1, 2, 3)), pair("a", "bad"), judges=())
    found = hallucination_rates(labelled)
    assert [(each.giver, each.system, each.sentences.value) for each in found] == [
        ("label", "good", 0.5),
        ("label", "bad", None),
    ]
    assert found[0].n_unanswered == 0
    assert hallucination_rates(studied(pair("a", "bad"), judges=())) == ()


def heat_of(
    tables: list[dict[str, dict[str, float]]], families: tuple[dict[str, str], dict[str, str]]
) -> JudgeHeat:
    """The heat of FM; a table a paper, by judge and system."""
    pairs = [
        pair(
            str(place),
            system,
            given={
                ("judge", judge): Given(values={"facet": row[system]} if system in row else {})
                for judge, row in table.items()
            },
        )
        for system in families[1]
        for place, table in enumerate(tables)
    ]
    of = studied(*pairs, judges=tuple(families[0]), n_papers=len(tables))
    _, facet = judge_heats(replace(of, families=families))
    return facet


SQUARE = ({"A": "a", "B": "b"}, {"sa": "a", "sb": "b"})


def test_the_diagonal_minus_the_rest() -> None:
    """Worked example, two judges with a system each.

    Both judges find B's system better by .2, judge B is milder by .1, and each adds .05 to its own:
    A gives .55 and .70, B gives .60 and .85. Without the levels the own cells are .55 and .85, the
    others .70 and .60: the difference is .05. With the means of rows and columns taken out, all
    cells are +-.025, so it is .05, too, and b is .05.
    """
    heat = heat_of([{"A": {"sa": 0.55, "sb": 0.70}, "B": {"sa": 0.60, "sb": 0.85}}] * 2, SQUARE)
    assert heat.difference == pytest.approx(0.05)
    assert heat.preference.value == pytest.approx(0.05)
    assert [(cell.judge, cell.system, cell.is_own) for cell in heat.cells] == [
        ("A", "sa", True), ("A", "sb", False), ("B", "sa", False), ("B", "sb", True),
    ]  # fmt: skip


def test_a_good_system_is_no_self_preference() -> None:
    """Worked example: only A has a system, the best of all, and both judges say so.

    With nothing taken out, .9 against the mean of .9 and four times .5, the difference is .32;
    nobody prefers anything.
    """
    families = ({"A": "a", "B": "b"}, {"sa": "a", "x": "x", "y": "y"})
    row = {"sa": 0.9, "x": 0.5, "y": 0.5}
    heat = heat_of([{"A": row, "B": row}] * 2, families)
    assert heat.difference == pytest.approx(0.32)
    assert heat.preference.value == 0.0


@settings(deadline=None, max_examples=40)
@given(
    levels=st.lists(st.floats(-1, 1), min_size=5, max_size=5),
    bias=st.floats(-1, 1),
    own=st.sampled_from([(0, 1), (0, 2), (1, 1), (2, 0)]),
)
def test_a_bias_is_found_whatever_the_levels(
    levels: list[float], bias: float, own: tuple[int, int]
) -> None:
    """Law: judge's level + system's level + b for own gives b, in tables that are not square, too.

    Two judges and three systems; ``own`` says of which family the first two systems are.
    """
    judges, systems = {"A": "f0", "B": "f1"}, {"x": f"f{own[0]}", "y": f"f{own[1]}", "z": "none"}
    table = {
        judge: {
            system: levels[row] + levels[2 + column] + bias * (judges[judge] == systems[system])
            for column, system in enumerate(systems)
        }
        for row, judge in enumerate(judges)
    }
    heat = heat_of([table, table], (judges, systems))
    assert heat.preference.value == pytest.approx(bias, abs=1e-6)


def test_only_papers_without_a_gap_count() -> None:
    """An easy paper that one judge left out would speak for the other."""
    whole = {"A": {"sa": 0.6, "sb": 0.5}, "B": {"sa": 0.5, "sb": 0.6}}
    torn = {"A": {"sa": 1.0}, "B": {"sa": 0.0, "sb": 0.0}}
    heat = heat_of([whole, torn, whole], SQUARE)
    assert (heat.preference.value, heat.preference.n, heat.preference.n_of) == (0.1, 2, 3)
    missing = next(cell for cell in heat.cells if (cell.judge, cell.system) == ("A", "sb"))
    assert (missing.mean.value, missing.mean.n, missing.mean.n_of) == (0.5, 2, 3)


@pytest.mark.parametrize(
    "families",
    [
        ({"A": "a"}, {"sa": "a", "sb": "b"}),  # one judge
        ({"A": "a", "B": "a"}, {"sa": "a", "sb": "a"}),  # all of one family
        ({"A": "a", "B": "b"}, {"sa": "x", "sb": "y"}),  # none of any
        ({"A": "a", "B": "a"}, {"sa": "a", "sb": "b"}),  # judges that own the same
        ({}, {}),  # analyses of texts alone
    ],
)
def test_where_nothing_can_be_told_apart_nothing_is_told(
    families: tuple[dict[str, str], dict[str, str]],
) -> None:
    """A preference of 0 would be a finding."""
    row = {"sa": 0.6, "sb": 0.5}
    heat = heat_of([dict.fromkeys(families[0], row)] * 2, families)
    assert heat.preference.value is None


def effect_of(**scores: list[float | None]) -> Effect:
    """The first effect in FM; a system a keyword, a paper a place; None is unscored."""
    pairs = [
        scored(str(n), system, **({} if value is None else {"facet": value}))
        for system, values in scores.items()
        for n, value in enumerate(values)
    ]
    return effects(studied(*pairs, n_papers=len(next(iter(scores.values())))))[0]


def test_cohens_d_is_the_difference_in_pooled_deviations() -> None:
    """Worked example: means 4 and 2, variances 4 and 4, so d = 2 / 2."""
    assert cohen_d([2, 4, 6], [0, 2, 4]) == 1.0
    assert cohen_d([1, 1], [0, 0]) is None
    assert cohen_d([1], [0]) is None


def test_two_systems_are_compared_on_the_papers_that_both_have() -> None:
    """Worked example: of four papers three are shared, with differences .1, .3 and .2."""
    facet = effect_of(a=[0.5, 0.8, 0.6, 0.9], b=[0.4, 0.5, 0.4, None])
    assert (facet.column.name, facet.first, facet.second) == ("facet", "a", "b")
    assert (facet.difference.value, facet.difference.n, facet.difference.n_of) == (0.2, 3, 4)
    assert facet.power == pytest.approx(power_of_drop(0.2, 0.1, 3), abs=1e-6)


def test_what_does_not_vary_has_no_effect_and_does_not_vanish() -> None:
    """Equal scores have neither a deviation nor anything to find; unshared ones are said to be."""
    equal = effect_of(a=[0.5, 0.5], b=[0.5, 0.5])
    assert equal.difference.value == 0.0
    assert (equal.cohen_d, equal.power, equal.detectable) == (None, None, None)
    unshared = effect_of(a=[0.5, None], b=[None, 0.5])
    assert (unshared.difference.value, unshared.difference.n, unshared.cohen_d) == (None, 0, None)
    assert effects(studied(scored("0", "a", facet=0.5))) == ()


def test_coefficients_and_p_values_are_those_of_scipy() -> None:
    """Oracle: scipy.stats.spearmanr of SciPy 1.17, as the published tables were made."""
    pairs = [
        pair(str(n), numbers={"novelty 1": novel, "FKGL": grade})
        for n, (novel, grade) in enumerate(zip(NOVEL, GRADES, strict=True))
    ]
    (found,) = associations(studied(*pairs))
    wanted = stats.spearmanr(NOVEL, GRADES)
    assert (found.first, found.second, found.n_pairs) == ("novelty 1", "FKGL", 6)
    assert found.spearman == pytest.approx(wanted.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(wanted.pvalue, abs=1e-9)
    assert found.p_adjusted == found.p_value  # the only one of its table
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= wanted.statistic <= found.high <= 1


def test_each_kind_is_held_to_the_other_kinds_only() -> None:
    """Novelty of one n against another says nothing; hallucination is of judges and of labels."""
    pairs = [
        pair(
            str(n),
            numbers={"novelty 1": 0.1 * n, "novelty 2": 0.2 * n, "FKGL": 9.0 - n},
            judged=Given(values={"faithfulness": 1 - 0.1 * n}),
            label=sentences(n, 4),
        )
        for n in range(4)
    ]
    found = {(e.first, e.second): e.spearman for e in associations(studied(*pairs))}
    assert found == {
        ("novelty 1", "FKGL"): -1.0,
        ("novelty 1", "hallucination, wise"): 1.0,
        ("novelty 1", "hallucination, labels"): -1.0,
        ("novelty 2", "FKGL"): -1.0,
        ("novelty 2", "hallucination, wise"): 1.0,
        ("novelty 2", "hallucination, labels"): -1.0,
        ("FKGL", "hallucination, wise"): -1.0,
        ("FKGL", "hallucination, labels"): 1.0,
    }


@pytest.mark.parametrize(
    ("papers", "novel", "expected"),
    [
        ("0123", (0.5, 0.5, 0.5, 0.5), (None, None, None)),  # no association, which is not one of 0
        ("aaaa", (0.0, 0.1, 0.2, 0.3), (1.0, None, 0.0)),  # one paper: systems vary, papers do not
    ],
)
def test_what_does_not_vary_has_no_coefficient_or_no_interval(
    papers: str, novel: tuple[float, ...], expected: tuple[float | None, ...]
) -> None:
    """Coefficient, lower bound, p value."""
    pairs = [
        pair(paper, str(n), numbers={"novelty 1": novel[n], "FKGL": float(n)})
        for n, paper in enumerate(papers)
    ]
    (found,) = associations(studied(*pairs))
    assert (found.spearman, found.low, found.p_value) == expected
    assert found.n_pairs == 4


def test_two_rows_have_no_p_value() -> None:
    """Two points always lie on a line."""
    assert p_value_of(1.0, 2) is None
    assert p_value_of(-1.0, 3) == 0.0
    assert p_value_of(0.5, 10) == pytest.approx(0.14111, abs=1e-5)  # t = 1.633, 8 degrees
