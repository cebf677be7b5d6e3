from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest import questions as q
from summeval_pytest.study.local_checker import (
    NO_SOURCE,
    ONLY_CHECKS,
    Checker,
    Support,
    parts_of,
    unsupported_spans,
)
from tests.local_models import WordReader

SOURCE = (
    "Nine kilns cracked in May.",
    "Moss kept six roofs cool.",
    "Zinc helped nobody at all.",
    "Ropes held in every storm.",
)


class Threaded(WordReader):
    """A reader that keeps the names of its threads."""

    threads: ClassVar[list[str]] = []

    def support(self, text: str, claim: str) -> Support:
        """By shared words."""
        self.threads.append(threading.current_thread().name)
        return super().support(text, claim)


class Spanned(WordReader):
    """A reader that supports the words of a claim that a text has."""

    def support(self, text: str, claim: str) -> Support:
        """1 or 0 for each word."""
        super().support(text, claim)
        known = text.lower().split()
        words = re.finditer(r"\S+", claim)
        tokens = ((*word.span(), float(word[0].lower() in known)) for word in words)
        return Support(0.0, tuple(tokens)).within(0, len(claim))


def sentences(checker: Checker, *claims: str) -> list[q.SentenceCheck | q.Unanswered]:
    """What the checker says of sentences."""
    answer = checker.compute(q.CheckSentences(claims, SOURCE))
    assert isinstance(answer, q.SentenceChecks)
    return list(answer.checks)


def facts(checker: Checker, *claims: str) -> list[q.FactCheck | q.Unanswered]:
    """What the checker says of facts."""
    asked = tuple(q.Fact(text=claim, sentence=0) for claim in claims)
    answer = checker.compute(q.CheckFacts(asked, SOURCE))
    assert isinstance(answer, q.FactChecks)
    return list(answer.checks)


def test_support_is_the_models_and_the_threshold_decides() -> None:
    """Worked example: 3 of 4 words of the claim stand in the source."""
    for threshold, supported in ((0.5, True), (0.75, True), (0.76, False)):
        reader = WordReader()
        checker = Checker(reader=reader, threshold=threshold)
        (check,) = sentences(checker, "Moss kept kilns warm")
        assert check == q.SentenceCheck(
            reason=f"the checker gives it 0.75, and {threshold:g} is needed",
            supported=supported,
            evidence=(1, 0),  # moss and kept, then kilns
            support=0.75,
        )
        (fact,) = facts(checker, "Moss kept kilns warm")
        assert fact == q.FactCheck(
            reason=check.reason,
            entailed=supported,
            premises=(1, 0) if supported else (),  # no premise carries what does not follow
            support=0.75,
        )
        # what two premises say together follows from neither of them alone
        assert reader.asked == [(" ".join(SOURCE), "Moss kept kilns warm")] * 2


def test_the_best_part_of_a_long_source_counts_and_is_the_evidence() -> None:
    """Worked example: 48 tokens, less 8 for marks and a quarter for a claim, leave room for 28.

    Of 40 sentences of 5 words each part has five; the next one begins with the last of them, which
    fills less than a quarter: 1 to 5, 5 to 9, and so on.
    """
    source = tuple(f"Kiln number {n} cracked again." for n in range(40))
    reader = WordReader(window=48)
    answer = Checker(reader=reader).compute(
        q.CheckSentences(("Kiln number 6 cracked again.",), source)
    )
    assert isinstance(answer, q.SentenceChecks)
    (check,) = answer.checks
    assert isinstance(check, q.SentenceCheck)
    assert [text.split()[2] for text, _ in reader.asked[:3]] == ["0", "4", "8"]
    assert check.support == 1.0
    assert check.evidence == (6,)
    assert check.reason.endswith(f"; best of {len(reader.asked)} parts: sentences 5 to 9")


@given(
    st.lists(st.integers(0, 60).map(lambda n: "w " * n), min_size=1, max_size=30),
    st.integers(16, 60),
)
def test_every_sentence_is_read_whole_with_its_neighbour_where_both_fit(
    source: Sequence[str], room: int
) -> None:
    """Nothing of a source is skipped, no part is too long, and none is read twice for nothing."""
    lengths = [len(text.split()) for text in source]
    parts = list(parts_of(source, lengths, room))
    read = {place for part in parts for place in part.places}
    assert read == set(range(len(source)))
    assert all(len(part.text.split()) <= room + len(part.places) for part in parts)
    assert all(one.places[-1] <= other.places[-1] for one, other in pairwise(parts))
    for first, second in enumerate(range(1, len(source))):
        if lengths[first] + lengths[second] <= room:
            assert any({first, second} <= set(part.places) for part in parts)


def test_a_claim_that_the_model_cannot_read_whole_is_unanswered() -> None:
    """Half of it may be supported, and nobody read the rest; others of the summary are answered.

    A source without sentences is no reason to ask a model.
    """
    long, short = sentences(Checker(reader=WordReader(window=64)), "moss " * 33, "Zinc helped")
    assert long == q.Unanswered(
        "it fills more than half of the 64 tokens that the checker reads at once"
    )
    assert isinstance(short, q.SentenceCheck)
    assert short.supported
    answer = Checker(reader=WordReader()).compute(q.CheckSentences(("Moss.",), ()))
    nothing = q.SentenceCheck(reason=NO_SOURCE, supported=False, support=0.0)
    assert answer == q.SentenceChecks((nothing,))


def test_neighbouring_words_of_which_a_part_is_unsupported_are_one_span() -> None:
    """A model marks pieces of words; a reader reads words."""

    def spans(*tokens: tuple[int, int, float]) -> list[str]:
        return unsupported_spans("Moss kept  cool.", tokens, 0.5)

    assert spans((0, 4, 0.9), (5, 8, 0.2), (8, 10, 0.9), (11, 17, 0.4)) == ["kept  cool."]
    assert spans((0, 4, 0.49996), (5, 8, 0.5), (11, 17, 0.1)) == ["cool."]  # four digits count
    assert spans((0, 2, 0.1), (11, 17, 0.1)) == ["Moss", "cool."]
    assert spans((4, 5, 0.1)) == spans() == []  # a space


def test_a_model_of_tokens_reads_sentences_together_and_facts_alone() -> None:
    """Worked example: a quarter of 48 tokens takes three sentences of four words.

    Each keeps its own support, span and place. A fact names its subject and needs no neighbour.
    """
    reader = Spanned(window=48, labels_tokens=True)
    checker = Checker(reader=reader)
    claims = (
        "Moss kept nine roofs",
        "Zinc helped nobody at",
        "Ropes held every storm.",
        "Moss kept",
    )
    found = sentences(checker, *claims)
    text = " ".join(SOURCE)
    assert reader.asked == [(text, " ".join(claims[:3])), (text, claims[3])]
    assert [check.support for check in found if isinstance(check, q.SentenceCheck)] == [1, 1, 1, 1]
    (check, other) = sentences(checker, "Moss kept ten warm roofs", "ten kilns")
    assert check.reason.startswith("unsupported: 'ten warm'; the checker gives it 0.00, and ")
    assert other.reason.startswith("unsupported: 'ten'; ")
    reader.asked.clear()
    facts(checker, "Moss kept", "Zinc helped", "w " * 25)
    assert [claim for _, claim in reader.asked] == ["Moss kept", "Zinc helped"]


def test_it_checks_and_does_nothing_else() -> None:
    """Facets and lists of facts are other judges'; its thread leaves the loop free."""
    reader = Threaded()
    checker = Checker(reader=reader, threshold=0.25)
    answers = asyncio.run(
        checker.answer((q.ListFacts(("Moss.",)), q.CheckSentences(("a",), ("b",))))
    )
    assert answers[0] == q.Unanswered(ONLY_CHECKS)
    assert isinstance(answers[1], q.SentenceChecks)
    assert reader.threads == ["summeval-checker_0"]
    assert checker.signature == "checker-1 words 1 threshold=0.25"
    assert checker.in_flight == 1
