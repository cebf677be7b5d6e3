from __future__ import annotations

import pytest
from hypothesis import strategies as st

from summeval_pytest.metrics.baselines import (
    facet_presence,
    length,
    novel_bigrams,
    rouge,
    rouge_1_recall,
)
from summeval_pytest.metrics.score import FacetScore, RatedFacet
from summeval_pytest.questions import FACETS

REFERENCE = "The old pump fills the north pond at night."


SUMMARY = "The new pump fills the pond."


words = st.lists(st.sampled_from("the pond pump fills north a dry of".split()), max_size=8)


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """ROUGE's library takes a second to load, which no single test should be charged with."""
    rouge(REFERENCE, SUMMARY)


def test_rouge_worked_example() -> None:
    """The definitions of Lin (2004), counted by hand."""
    # reference 9 words, summary 6 words
    # ROUGE-1: the x 2, pump, fills, pond = 5; P = 5/6, R = 5/9; F = 10/15
    # ROUGE-2: "pump fills", "fills the" = 2 of 5 and 8; F = 4/13
    # ROUGE-L: the, pump, fills, the, pond = 5; F = 10/15
    scores = rouge(REFERENCE, SUMMARY)
    assert scores["ROUGE-1"] == pytest.approx(2 / 3)
    assert scores["ROUGE-2"] == pytest.approx(4 / 13)
    assert scores["ROUGE-L"] == pytest.approx(2 / 3)


def test_recall_counts_the_reference_alone() -> None:
    """Worked example: 5 of the 9 words of the reference; what is said beyond it costs nothing."""
    assert rouge_1_recall(REFERENCE, SUMMARY) == pytest.approx(5 / 9)
    assert rouge_1_recall(REFERENCE, f"{SUMMARY} Frogs sing there.") == pytest.approx(5 / 9)


@pytest.mark.parametrize(
    "text",
    [
        "Pumped-up ponds, filling (p<0.05); don't  re-fill\u00a0them.",
        "\u0130stanbul's \u03a3\u0391\u03a3 na\u00efve  \tstudies\n\n2.5%",
        "",
    ],
)
def test_words_are_stemmed_as_the_package_stems_whole_texts(text: str) -> None:
    """Oracle: rouge-score's own tokenizer; a stem that is remembered must be the same stem."""
    from rouge_score.rouge_scorer import RougeScorer

    own = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    target = f"{text} ponds of studies by Istanbul"
    found = rouge(target, text)
    assert list(found.values()) == [each.fmeasure for each in own.score(target, text).values()]


def test_rouge_l_respects_the_order_and_rouge_1_does_not() -> None:
    """The one difference between the two."""
    # longest common subsequence of "a b c d" and "d c b a" is one word: F = 1/4
    scores = rouge("alpha beta gamma delta", "delta gamma beta alpha")
    assert (scores["ROUGE-1"], scores["ROUGE-2"]) == (1.0, 0.0)
    assert scores["ROUGE-L"] == pytest.approx(1 / 4)


@pytest.mark.parametrize(("reference", "summary"), [("", SUMMARY), (REFERENCE, "<pad>"), ("", "")])
def test_rouge_of_an_empty_text_is_zero(reference: str, summary: str) -> None:
    """A baseline has a number for every pair, or it could not stand beside a metric."""
    assert rouge(reference, summary) == {"ROUGE-1": 0.0, "ROUGE-2": 0.0, "ROUGE-L": 0.0}


@pytest.mark.parametrize(
    ("summary", "n_words"), [(SUMMARY, 6.0), (f"<s>{SUMMARY}</s>", 6.0), ("", 0.0), ("<pad>", 0.0)]
)
def test_length_counts_the_words_of_the_normalised_summary(summary: str, n_words: float) -> None:
    """Special tokens are no talking."""
    assert length(summary) == n_words


def presence(*stated: bool) -> float:
    """The baseline for a reference with all four facets, of which the summary states these."""
    return facet_presence(
        FacetScore(
            value=0.5,
            ratings=tuple(
                RatedFacet(
                    facet=facet,
                    rating=1,
                    reason="",
                    reference="a",
                    candidate="b" if is_stated else "",
                )
                for facet, is_stated in zip(FACETS, stated, strict=False)
            ),
        )
    )


def test_facet_presence_is_the_share_of_facets_stated_at_all() -> None:
    """However badly they are rated: 3 of 4 facets, 1 of 2, none of 4."""
    assert presence(True, True, False, True) == 0.75
    assert presence(True, False) == 0.5
    assert presence(False, False, False, False) == 0.0


@pytest.mark.parametrize(
    ("sentence", "share"),
    [
        ("The pump fills the north pond.", 0.0),
        ("A pump fills the pond.", 2 / 4),
        ("Whales sing at sea.", 1.0),
        ("Pump.", 0.0),
        ("", 0.0),
    ],
    ids=["copied", "half", "new", "one word", "empty"],
)
def test_novel_bigrams_are_word_pairs_that_the_source_lacks(sentence: str, share: float) -> None:
    """Worked example: of "a pump", "pump fills", "fills the", "the pond" the second and third."""
    source = ("The pump fills the north pond.", "Nobody drains it.")
    assert novel_bigrams(sentence, source) == share


def test_a_pair_of_words_does_not_cross_from_sentence_to_sentence() -> None:
    """So "pond nobody" is no pair of the source."""
    source = ("The pump fills the pond.", "Nobody drains it.")
    assert novel_bigrams("pond nobody", source) == 1.0
