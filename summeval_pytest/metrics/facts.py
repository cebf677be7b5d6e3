"""The facts of reference and summary, each stated once (EVA-Score, section 3.2).

Both texts are asked about at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from summeval_pytest import questions as q
from summeval_pytest.metrics import flow
from summeval_pytest.metrics.number import SPARSE
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import known_tokens

Facts = tuple[q.Fact, ...]
Check = q.FactCheck | q.Unanswered


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFact:
    """One fact and whether it holds; None if the judge gave no usable answer.

    Attributes:
        evidence: The texts on the other side that support it.
        undecided: Whether the judge met a conflict that it cannot decide.
        unusable: Whether the judge listed it with a number that its sentence does not state.
    """

    fact: q.Fact
    holds: bool | None
    reason: str
    evidence: tuple[str, ...] = ()
    support: float | None = None
    undecided: bool = field(default=False, metadata=SPARSE)
    unusable: bool = field(default=False, metadata=SPARSE)
    disputes: tuple[q.Dispute, ...] = field(default=(), metadata=SPARSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What one text states.

    ``facts`` are a parent before its children; ``unusable`` is what the judge listed with a number
    that the text does not state there. ``n_listed`` counts listed or reviewed facts with their
    repetitions.
    """

    sentences: tuple[str, ...]
    facts: Facts
    unusable: Facts
    n_listed: int


def read_both(
    reference: str, summary: str, frozen: Facts | None
) -> flow.Dialogue[tuple[Stated, ...]]:
    """What the reference states, then what the summary does.

    Reviewed facts of the reference (``frozen``) stay as they are, so that no question about the
    reference can move a score.
    """
    return flow.side_by_side(read(reference, frozen), read(summary))


def read(text: str, frozen: Facts | None = None) -> flow.Dialogue[Stated]:
    """What one text states; nothing is asked where its facts are given."""
    sentences, listed = sentence_texts(text), q.FactList(frozen or ())
    if frozen is None:
        (listed,) = yield from flow.ask(q.FactList, q.ListFacts(sentences))
        for facts in (listed.facts, listed.unusable):
            _check_sound(facts, len(sentences))
    return Stated(
        sentences=sentences,
        facts=stated_once(listed.facts),
        unusable=stated_once(listed.unusable),
        n_listed=len(listed.facts),
    )


def _check_sound(facts: Facts, n_sentences: int) -> None:
    """Refuse a fact that names no sentence of its text, or does not stand after its parent."""
    for place, fact in enumerate(facts):
        what = f"fact {fact.text!r}"
        if not 0 <= fact.sentence < n_sentences:
            raise flow.NoScoreError(f"{what} names sentence {fact.sentence + 1} of {n_sentences}")
        if fact.parent is not None and not 0 <= fact.parent < place:
            raise flow.NoScoreError(
                f"{what} refines fact {fact.parent + 1}, which is not before it"
            )


def stated_once(facts: Facts) -> Facts:
    """The facts without repetitions, so that saying a thing twice raises no precision.

    Two facts are one where their words are the same in the same order; what refined the second
    refines the first. A fact without a word is none.
    """
    kept: list[q.Fact] = []
    places: dict[tuple[str, ...], int] = {}
    place_of: list[int | None] = []
    for fact in facts:
        words = known_tokens(fact.text)
        if words and words not in places:
            places[words] = len(kept)
            parent = None if fact.parent is None else place_of[fact.parent]
            kept.append(fact if parent == fact.parent else replace(fact, parent=parent))
        place_of.append(places.get(words))
    return tuple(kept)
