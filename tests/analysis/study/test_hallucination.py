from __future__ import annotations

from summeval_pytest.analysis.columns import Labelled
from summeval_pytest.analysis.effects import hallucination_rates
from tests.analysis.study.studied import JUDGE, pair, sentences


def test_sentences_and_summaries_are_counted_apart() -> None:
    """Worked example: 1 of 6 sentences is unsupported, and so is 1 of 2 summaries."""
    pairs = [
        pair("a", "good", judged=sentences(3, 4)),
        pair("b", "good", judged=sentences(2, 2)),
    ]
    (found,) = hallucination_rates({"good": pairs}, [JUDGE], 3)
    assert (found.n_sentences, found.n_unanswered) == (6, 0)
    assert found.sentences.value == round(1 / 6, 9)
    assert (found.summaries.value, found.summaries.n, found.summaries.n_of) == (0.5, 2, 3)


def test_a_sentence_without_an_answer_is_neither_right_nor_wrong() -> None:
    """The summary is unknown, and the sentence is said to be unanswered."""
    (found,) = hallucination_rates(
        {"good": [pair("a", "good", judged=sentences(2, 2, 3))]}, [JUDGE], 1
    )
    assert found.n_unanswered == 1
    assert found.sentences.value == 0.0
    assert (found.summaries.value, found.summaries.n) == (None, 0)


def test_labels_have_rows_of_their_own_where_somebody_looked() -> None:
    """A system without any verdict stands there with none."""
    label = Labelled(n_faithful=1, n_labelled=2, n_sentences=2)
    by_system = {"good": [pair("a", "good", label=label)], "bad": [pair("a", "bad")]}
    found = hallucination_rates(by_system, [], 1)
    assert [(each.giver, each.system, each.sentences.value) for each in found] == [
        ("label", "good", 0.5),
        ("label", "bad", None),
    ]
    assert hallucination_rates({"bad": [pair("a", "bad")]}, [], 1) == ()
