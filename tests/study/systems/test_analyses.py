from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.study import tables
from summeval_pytest.study.systems.analyses import (
    associations,
    facet_means,
    facet_proportions,
    fact_stages,
    hallucination_rates,
    judge_heats,
    profiles,
    ranked,
    spreads,
    standings,
)
from summeval_pytest.study.systems.studied import STAGES, Cut, Given, StudiedText
from summeval_pytest.study.systems.texts import NUMBERS
from summeval_pytest.study.tables import Row
from tests.study.systems.study_pairs import JUDGE, pair, scored, sentences, studied, text


def test_equal_means_share_a_rank() -> None:
    """Worked example of the docstring, with one that has no value and one that rounding moved.

    A longer summary is no better one: length has no rank.
    """
    found = ranked({"a": 3.0, "b": 5.0, "c": 5.0 + 1e-12, "d": 1.0, "e": None})
    assert found == {"b": 1, "c": 1, "a": 3, "d": 4}
    both = [pair("a", name, numbers={"words": 9.0}) for name in ("one", "other")]
    (words,) = standings(studied(*both, judges=()))
    assert [(place["rank"], place["mean"].value) for place in words["places"]] == [(None, 9.0)] * 2


def test_the_distribution_is_reported_by_its_quantiles() -> None:
    """Worked example: of two papers with 0 and 1 a resample has 0, .5 or 1, .5 half the time.

    Equal values have no width; one paper has no distribution, as its resamples would look certain.
    """
    pairs = [scored(str(n), facet=float(n)) for n in range(2)]
    facet, eva, faithfulness = spreads(studied(*pairs, n_papers=3))
    assert facet["quantiles"][::2] == [0.0, 0.5, 1.0]
    assert (facet["n"], facet["n_of"]) == (2, 3)
    assert (eva["quantiles"], eva["n"]) == ([], 0)
    assert faithfulness["column"].name == "faithfulness"
    equal = next(spreads(studied(*(scored(str(n), facet=0.3) for n in range(4)))))
    assert set(equal["quantiles"]) == {0.3}
    alone = next(spreads(studied(scored("a", facet=0.3))))
    assert (alone["quantiles"], alone["n"]) == ([], 1)


def test_proportions_are_shares_of_all_words_together() -> None:
    """Worked example: 10 of 20 words and 0 of 80 are .1 of all, and not .25.

    A reviewed cut has no segment to count; a writer whom nobody has cut is said to have none.
    """
    words: dict[Facet, int] = {"background": 10, "method": 10}
    pairs = [
        pair("a", cuts={"GPT": Cut(words=words, extents=("whole", "parts"))}),
        pair("b", cuts={"GPT": Cut(words={"background": 0, "method": 80})}),
        pair("c"),
        pair("a", "bad"),
    ]
    references, found, bad = facet_proportions(studied(*pairs, n_papers=3))
    assert (references["system"], bad["system"]) == (None, "bad")
    assert (found["by"], found["system"]) == ("GPT", "good")
    assert (found["shares"]["background"].value, found["shares"]["method"].value) == (0.1, 0.9)
    assert found["shares"]["result"].value == 0.0
    assert (found["shares"]["method"].n, found["shares"]["method"].n_of) == (2, 3)
    assert found["extents"] == {"whole": 1, "parts": 1, "absent": 0}
    assert bad["shares"]["method"].value is None


def test_ratings_of_people_judges_and_records_are_shares_of_their_scales() -> None:
    """Worked example: 3 of 4 by the judge; a facet that the reference lacks counts for no paper."""
    rated = {
        name: Given(values={"facet.method": rating})
        for name, rating in (("judge", 3.0), ("label", 2.0), ("GPT", 1.0))
    }
    one = pair(
        "a",
        judged=rated["judge"],
        label=rated["label"],
        given={("record", "GPT"): rated["GPT"], ("record", "x"): Given(values={"overall": 1})},
    )
    found = list(facet_means(studied(one, n_papers=2)))
    assert [(each["giver"], each["by"], each["means"]["method"].value) for each in found] == [
        ("judge", JUDGE, 0.75),
        ("label", "", 0.5),
        ("record", "GPT", 0.25),
    ]
    assert all(each["means"]["result"].n == 0 for each in found)
    assert set(found[0]["means"]) == set(FACETS)
    assert list(facet_means(replace(studied(pair("a")), judges=()))) == []


def test_sentences_and_summaries_are_counted_apart() -> None:
    """Worked example: 1 of 6 sentences is unsupported, and so is 1 of 2 summaries.

    A sentence without an answer is neither right nor wrong: the summary is unknown.
    """
    pairs = [pair("a", judged=sentences(3, 4)), pair("b", judged=sentences(2, 2))]
    (found,) = hallucination_rates(studied(*pairs, n_papers=3))
    assert (found["n_sentences"], found["n_unanswered"]) == (6, 0)
    assert found["sentences"].value == round(1 / 6, 9)
    assert (found["summaries"].value, found["summaries"].n, found["summaries"].n_of) == (0.5, 2, 3)
    (found,) = hallucination_rates(studied(pair("a", judged=sentences(2, 2, 3))))
    assert (found["n_unanswered"], found["sentences"].value) == (1, 0.0)
    assert (found["summaries"].value, found["summaries"].n) == (None, 0)


def heat_of(
    papers: list[dict[str, dict[str, float]]], families: tuple[dict[str, str], dict[str, str]]
) -> Row:
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
        for place, table in enumerate(papers)
    ]
    of = studied(*pairs, judges=tuple(families[0]), n_papers=len(papers))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "RESAMPLES", 20)
        _, facet = judge_heats(replace(of, families=families))
    return facet


SQUARE = ({"A": "a", "B": "b"}, {"sa": "a", "sb": "b"})


@settings(max_examples=10)
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
    assert heat["preference"].value == pytest.approx(bias, abs=1e-6)


def test_only_papers_without_a_gap_count() -> None:
    """An easy paper that one judge left out would speak for the other.

    Worked example without gaps: both judges find B's system better by .2, judge B is milder by .1,
    and each adds .05 to its own. With the means of rows and columns taken out, all cells are
    +-.025, so b is .05.
    """
    heat = heat_of([{"A": {"sa": 0.55, "sb": 0.70}, "B": {"sa": 0.60, "sb": 0.85}}] * 2, SQUARE)
    assert heat["preference"].value == pytest.approx(0.05)
    assert [(cell["judge"], cell["system"], cell["is_own"]) for cell in heat["cells"]] == [
        ("A", "sa", True), ("A", "sb", False), ("B", "sa", False), ("B", "sb", True),
    ]  # fmt: skip
    whole = {"A": {"sa": 0.6, "sb": 0.5}, "B": {"sa": 0.5, "sb": 0.6}}
    torn = {"A": {"sa": 1.0}, "B": {"sa": 0.0, "sb": 0.0}}
    heat = heat_of([whole, torn, whole], SQUARE)
    assert (heat["preference"].value, heat["preference"].n, heat["preference"].n_of) == (0.1, 2, 3)
    missing = next(cell for cell in heat["cells"] if (cell["judge"], cell["system"]) == ("A", "sb"))
    assert (missing["mean"].value, missing["mean"].n, missing["mean"].n_of) == (0.5, 2, 3)


@pytest.mark.usefixtures("few_resamples")
def test_each_kind_is_compared_with_the_other_kinds_only() -> None:
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
    rows = associations(studied(*pairs))
    assert all(row["low"] <= row["spearman"] <= row["high"] for row in rows)
    assert all(row["p_value"] <= row["p_adjusted"] for row in rows)
    assert {(row["first"], row["second"]): row["spearman"] for row in rows} == {
        ("novelty 1", "FKGL"): -1.0,
        ("novelty 1", "hallucination, wise"): 1.0,
        ("novelty 1", "hallucination, labels"): -1.0,
        ("novelty 2", "FKGL"): -1.0,
        ("novelty 2", "hallucination, wise"): 1.0,
        ("novelty 2", "hallucination, labels"): -1.0,
        ("FKGL", "hallucination, wise"): -1.0,
        ("FKGL", "hallucination, labels"): 1.0,
    }


REFERENCE = dict(zip(STAGES, (4, 9, 8, 5, 0, 0), strict=True))


def counted(paper: str, system: str, sentences: int, facts: int, kept: int = 0) -> StudiedText:
    """A pair whose summary has so many sentences, facts and relations."""
    counts = (sentences, facts + 1, facts, facts // 2, 2 * kept, kept)
    stages = dict(zip(STAGES, counts, strict=True))
    return pair(paper, system, judged=Given(facts=(REFERENCE, stages)))


def test_facts_a_sentence_are_those_of_all_papers_together() -> None:
    """Worked example: 2 sentences with 8 facts and 1 with 1 have 3 a sentence, and not 2.5.

    A system whose summaries were all refused is said to have none.
    """
    pairs = [counted("a", "good", 2, 8, kept=1), counted("b", "good", 1, 1), pair("c")]
    _, found, bad = fact_stages(studied(*pairs, pair("a", "bad"), n_papers=3))
    names = ("sentences", "facts", "chains", "listed", "relations", "kept", "a sentence")
    assert [found[name].value for name in names] == [1.5, 4.5, 2.0, 5.5, 1, 0.5, 3.0]
    assert (found["facts"].n, found["facts"].n_of) == (2, 3)
    assert (bad["facts"].value, bad["facts"].n, bad["facts"].n_of) == (None, 0, 3)
    # Two systems on one paper of two have one reference between them.
    both = [counted("a", name, 2, 8) for name in ("good", "bad")]
    references, *_ = fact_stages(studied(*both, n_papers=2))
    facts = references["facts"]
    assert (references["system"], facts.value, facts.n, facts.n_of) == (None, 8.0, 1, 2)
    assert references["a sentence"].value == 2.0


def test_numbers_per_100_words_are_those_of_all_texts_together() -> None:
    """Worked example: 1 in 10 words and 1 in 90 are 2 in 100; the mean of rates would be 5.6."""
    texts = [
        text("a", None, {"numbers": 1, "per 100 words": 10, "counted words": 10}),
        text("b", None, {"numbers": 1, "per 100 words": 1.1, "counted words": 90}),
        text("c", None, {}),
    ]
    (found,) = profiles(replace(studied(n_papers=3), references=texts), NUMBERS)
    assert found["system"] is None
    assert found["means"]["per 100 words"].value == 2.0
    assert found["means"]["numbers"].value == 1.0
    assert {(mean.n, mean.n_of) for mean in found["means"].values()} == {(2, 3)}
