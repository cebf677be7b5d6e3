from __future__ import annotations

import pytest

from summeval_pytest.judges.llm.replies import FreeDraft, UnreadableError
from summeval_pytest.judges.llm.sentences import FreeSheet
from summeval_pytest.questions import SentenceCheck

SOURCE = (
    "Zinc was given to 40 mice (two cages).",
    "The mice slept\nmuch longer after it (p < 0.05).",
    "Rats did not sleep any longer.",
    *(f"Filler sentence number {n} says nothing." for n in range(40)),
    "All of the animals lived to the end.",
)
SENTENCES = ("Mice slept.", "Rats slept in all of the cages that we had bought.")


def sheet(*, with_quotes: bool = True, strict: bool = False) -> FreeSheet:
    """The sentences against the source, asked in one of the two ways."""
    return FreeSheet(sentences=SENTENCES, source=SOURCE, with_quotes=with_quotes, strict=strict)


def read(reply: str, *, with_quotes: bool = True, strict: bool = False) -> SentenceCheck:
    """What a reply about the first sentence says."""
    found = sheet(with_quotes=with_quotes, strict=strict).read(reply, (1,))[1]
    assert isinstance(found, SentenceCheck)
    return found


@pytest.mark.parametrize("with_quotes", [True, False])
def test_the_source_comes_first_the_sentence_second_and_the_question_last(
    with_quotes: bool,
) -> None:
    """FareBio's order; requests about one paper begin alike, so endpoints can reuse the source."""
    draft = sheet(with_quotes=with_quotes).draft((2,))
    lines = draft.user.split("\n")
    assert isinstance(draft, FreeDraft)
    assert draft.schema is None
    assert lines[0].startswith("<<<source ")
    assert lines[1:3] == [SOURCE[0], "The mice slept much longer after it (p < 0.05)."]
    assert lines[47].startswith("<<<sentence ")
    assert lines[48] == SENTENCES[1]
    assert SENTENCES[0] not in lines
    assert lines[-1].startswith("Does the source support the sentence? Reply with yes or no")
    assert ("parentheses" in lines[-1]) is with_quotes
    assert draft.user.split("<<<sentence ")[0] == sheet().draft((1,)).user.split("<<<sentence ")[0]


def test_the_two_ways_are_told_apart_by_instructions_and_topic() -> None:
    """One's replies must not answer the other (metrics.md FB7)."""
    label, both = sheet(with_quotes=False), sheet()
    assert (label.topic, both.topic) == (
        "sentence labels 'Mice slept.'",
        "sentence quotes 'Mice slept.'",
    )
    assert label.draft((1,)).system.startswith("# Sentence labels\n")
    assert both.draft((1,)).system.startswith("# Sentence quotes\n")


def test_a_yes_and_its_sentences() -> None:
    """Worked example: the second quotation holds parentheses, the third has another number."""
    reply = (
        "Yes (Rats did not sleep any longer.) (The mice slept much longer after it (p < 0.05).)"
        " (Zinc was given to 50 mice (two cages).)"
    )
    assert read(reply) == SentenceCheck(
        reason=reply, supported=True, evidence=(2, 1), n_ungrounded=1
    )


@pytest.mark.parametrize(
    ("quoted", "evidence", "n_ungrounded"),
    [
        ("Zinc was given ... Rats did not sleep", (0, 1, 2), 0),
        ("Zinc was given \u2026 number 0 says nothing", (0, 1, 2, 3), 0),
        ("Zinc was given [...] lived to the end", (0, 43), 0),
        ("Zinc was ... lived to the end", (), 1),
        ("Rats did not sleep ... Zinc was given", (), 1),
        ("Rats did sleep any longer than before.", (), 1),
        ("All of the animals lived. Zinc was given ... Rats did not sleep", (43, 0, 1, 2), 0),
    ],
    ids=["one between", "two between", "forty between", "short anchor", "order", "negation", "two"],
)
def test_an_ellipsis_is_expanded_over_a_few_sentences_only(
    quoted: str, evidence: tuple[int, ...], n_ungrounded: int
) -> None:
    """Over forty sentences it would make most of the paper evidence (metrics.md 1.2, stage C)."""
    found = read(f"Yes ({quoted})")
    assert (found.evidence, found.n_ungrounded) == (evidence, n_ungrounded)


def test_a_quotation_of_the_summary_is_counted_as_copied() -> None:
    """The judge then proves a sentence by itself or by its neighbour (FareBio, Table 5)."""
    found = read("Yes (Rats slept in all of the cages) (the moon is made of zinc)")
    assert found.supported
    assert (found.evidence, found.n_ungrounded, found.n_copied) == ((), 2, 1)


def test_a_yes_without_evidence_stays_a_yes_unless_the_judge_is_strict() -> None:
    """The metric counts it (metrics.md 1.2, edges); a strict judge has to show what it rests on."""
    assert read("Yes") == SentenceCheck(reason="Yes", supported=True)
    assert read("Yes", strict=True) == SentenceCheck(
        reason="Yes (called supported without evidence, which a strict judge may not)",
        supported=False,
    )
    assert read("Yes (Rats did not sleep)", strict=True).supported


def test_a_no_with_evidence_stays_a_no() -> None:
    """What the source says instead does not turn a verdict."""
    found = read("No (Rats did not sleep any longer.)")
    assert (found.supported, found.evidence) == (False, (2,))


def test_where_only_a_label_is_asked_for_nothing_else_is_read() -> None:
    """What a model adds unasked would be there for some sentences and not for others."""
    found = read("Yes (Rats did not sleep) (no such words)", with_quotes=False)
    assert (found.supported, found.evidence, found.n_ungrounded) == (True, (), 0)


def test_thoughts_are_no_part_of_a_reply() -> None:
    """A model that thinks aloud says yes and no before it decides."""
    found = read("<think>Yes? (Rats did not sleep) No.</think>\nNo.")
    assert found == SentenceCheck(reason="No.", supported=False)


def test_a_reply_without_a_verdict_is_not_read() -> None:
    """It is asked again, and says why."""
    with pytest.raises(UnreadableError) as caught:
        read("The mice (Zinc was given to 40 mice) slept.")
    assert str(caught.value) == "the reply begins 'the mice slept.', with neither yes nor no"
