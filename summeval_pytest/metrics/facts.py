"""Facts of reference and summary: listed once, chained, and related.

The stages of EVA-Score before anything is checked: atomic facts (paper, section 3.2), chains, and
relations of the whole text with their filter by similarity (3.3), by TF-IDF or by the vectors of an
encoder. Both texts are asked about at once; only adjacent chains wait for the facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from summeval_pytest import questions as q
from summeval_pytest.metrics import flow
from summeval_pytest.metrics.number import SPARSE
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import content_words, known_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Facts = tuple[q.Fact, ...]
Check = q.FactCheck | q.Unanswered
Vectors: TypeAlias = "NDArray[np.float64]"
Encoder: TypeAlias = "Callable[[Sequence[str]], Vectors]"
"""From texts to one vector each, the rows of the array; any length but 0 can be compared."""
TFIDF: Final = "tfidf-1"
"""The similarity that needs no model, and its version (see `tf_idf`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFact:
    """One fact and whether it holds; None if the judge gave no usable answer.

    Attributes:
        evidence: The texts on the other side that support it.
        undecided: Whether the judge met a conflict that it cannot decide.
    """

    fact: q.Fact
    holds: bool | None
    reason: str
    evidence: tuple[str, ...] = ()
    support: float | None = None
    undecided: bool = field(default=False, metadata=SPARSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCounts:
    """How much one text states, before and after each stage of EVA-Score.

    Of the ``n_listed`` (or reviewed) facts, ``n_facts`` differ. They make ``n_chains`` chains; a
    fact that no other refines is one of its own. ``n_kept_relations`` of the relations across
    sentences are near no fact: with ``n_facts`` they make N_c or N_r, with ``n_chains`` the
    paper's count of chains (EVA-Score, Table 4).
    """

    n_sentences: int
    n_listed: int
    n_facts: int
    n_chains: int
    n_relations: int = 0
    n_kept_relations: int = 0


BothCounts = tuple[StageCounts, StageCounts]
"""The counts of a reference and of a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """The form of each stage.

    Attributes:
        chains: Whether a fact's parent is the one that its lister names, or the fact before it
            where that one is entailed by it (the paper; the summary's facts only, EV5, EV10).
        validation: Whether all facts are checked in one question, or chain by chain from the root
            on, each with the verdicts on those before it (the paper).
        premises: With how many of the reference's facts, the most similar ones, each fact of the
            summary is checked, one question for each; None for all of them in one question. The
            paper has 3, its code 5.
        relations: Relations across sentences count, too, unless their statement is as similar as
            this to a fact of its text; above 0 to 1, None for no relations. The paper has 0.65.
        similarity: The name of what measures similarity; give another with another encoder.
    """

    chains: Literal["parent", "adjacent"] = "parent"
    validation: Literal["together", "chain"] = "together"
    premises: int | None = None
    relations: float | None = None
    similarity: str = TFIDF

    def recipe(self) -> Mapping[str, str]:
        """The stages' part of a signature: what is not the default."""
        recipe = {
            name: f"{value:g}" if isinstance(value, float) else str(value)
            for name in ("chains", "validation", "premises", "relations")
            if (value := getattr(self, name)) != getattr(DEFAULT_STAGES, name)
        }
        if {"premises", "relations"} & recipe.keys():
            recipe["similarity"] = self.similarity
        return MappingProxyType(recipe)


DEFAULT_STAGES: Final = Stages()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What one text states.

    ``facts`` are a parent before its children, then the relations that were kept; ``unusable`` is
    what the judge listed with a number that the text does not state there.
    """

    sentences: tuple[str, ...]
    facts: Facts
    counts: StageCounts
    unusable: Facts


def read_both(
    reference: str, summary: str, *, frozen: Facts | None, stages: Stages, encode: Encoder | None
) -> flow.Dialogue[tuple[Stated, ...]]:
    """The facts of the reference, then those of the summary.

    Reviewed facts of the reference (``frozen``) stay as they are, relations included, so that no
    question about the reference can move a score.
    """
    return flow.side_by_side(
        _read(reference, replace(stages, chains="parent"), encode, frozen),
        _read(summary, stages, encode),
    )


def _read(
    text: str, stages: Stages, encode: Encoder | None, frozen: Facts | None = None
) -> flow.Dialogue[Stated]:
    sentences = sentence_texts(text)
    listed, related = q.FactList(frozen or ()), q.RelationList(())
    if frozen is None:
        questions: list[q.Question] = [q.ListFacts(sentences)]
        if stages.relations is not None and len(sentences) > 1:  # one sentence relates nothing
            questions.append(q.ListRelations(text))
        first, *others = yield from flow.ask_any(*questions)
        listed = flow.of_kind(q.FactList, questions[0], first)
        for facts in (listed.facts, listed.unusable):
            _check_sound(facts, len(sentences))
        if others:
            related = flow.of_kind(q.RelationList, questions[1], others[0])
    facts = stated_once(listed.facts)
    if stages.chains == "adjacent":
        facts = yield from adjacent_chains(facts)
    kept: tuple[str, ...] = ()
    if stages.relations is not None:
        statements = tuple(relation.statement for relation in related.relations)
        kept = new_statements(statements, facts, stages.relations, encode)
    stated = stated_once((*facts, *_placed(kept, sentences, encode))) if kept else facts
    lost = tuple(relation.statement for relation in related.unusable)
    unusable = (*listed.unusable, *_placed(lost, sentences, encode))
    return Stated(
        sentences=sentences,
        facts=stated,
        counts=StageCounts(
            n_sentences=len(sentences),
            n_listed=len(listed.facts),
            n_facts=len(facts),
            n_chains=sum(fact.parent is None for fact in facts),
            n_relations=len(related.relations),
            n_kept_relations=len(stated) - len(facts),
        ),
        unusable=stated_once(unusable),
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


def adjacent_chains(facts: Facts) -> flow.Dialogue[Facts]:
    """The facts with the parents that the paper's rule gives them; others are left out.

    One question for each two neighbours, all at once. An unanswered question ends a chain, as a no
    does: a chain decides what a fact is compared with, and never whether it counts.
    """
    roots = tuple(replace(fact, parent=None) for fact in facts)
    questions = [
        q.CheckFacts((one,), (other.text,), every_premise=False) for one, other in pairwise(roots)
    ]
    if not questions:
        return roots
    answers = yield from flow.ask_any(*questions)
    links = [*chain.from_iterable(map(checks_of, questions, answers))]
    flow.limit_unanswered("pairs of neighbouring facts", links, len(links))
    return (
        roots[0],
        *(
            replace(fact, parent=place) if isinstance(link, q.FactCheck) and link.entailed else fact
            for place, (link, fact) in enumerate(zip(links, roots[1:], strict=True))
        ),
    )


def checks_of(question: q.CheckFacts, answer: q.Answer) -> tuple[Check, ...]:
    """One check for each fact asked about; none is answered where the question is not."""
    if isinstance(answer, q.Unanswered):
        return (answer,) * len(question.facts)
    checks = flow.of_kind(q.FactChecks, question, answer).checks
    flow.expect_count("fact checks", len(checks), len(question.facts))
    return checks


def ancestors(facts: Sequence[q.Fact], place: int) -> tuple[int, ...]:
    """The places of all facts that one refines, from the root of its chain on."""
    places: list[int] = []
    parent = facts[place].parent
    while parent is not None:  # no recursion: a chain may be long
        places.append(parent)
        parent = facts[parent].parent
    return tuple(reversed(places))


def new_statements(
    statements: tuple[str, ...], facts: Facts, threshold: float, encode: Encoder | None = None
) -> tuple[str, ...]:
    """The statements that no fact comes as near as the threshold to, in order (paper, 3.3)."""
    near = cosines(statements, [fact.text for fact in facts], encode)
    return tuple(
        statement
        for statement, row in zip(statements, near, strict=True)
        if not len(row) or row.max() < threshold
    )


def _placed(
    statements: tuple[str, ...], sentences: tuple[str, ...], encode: Encoder | None
) -> Facts:
    """Statements as facts, each at the sentence most similar to it, for a reader to look at."""
    if not statements:
        return ()
    places = most_similar(statements, sentences, 1, encode)
    return tuple(
        q.Fact(text=text, sentence=place) for text, (place,) in zip(statements, places, strict=True)
    )


class TextEncoder(Protocol):
    """Turns short texts into vectors whose dot product is their cosine."""

    @property
    def signature(self) -> str:
        """Everything that can move the number: packages, settings and the model's content."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text, in their order, each of length 1; a text's row depends on it alone."""


_DIGITS: Final = 12
"""The order of similar texts must be the same on every machine, and a copy's cosine be 1."""


def cosines(texts: Sequence[str], among: Sequence[str], encode: Encoder | None = None) -> Vectors:
    """The cosines of ``texts``, a row each, with the texts ``among``, a column each.

    ``encode`` makes the vectors; None for TF-IDF over ``among``. Similarities of different encoders
    share no threshold. Cosines are -1 to 1, from 0 with TF-IDF; 1 for the same text; 0 for a vector
    of zeros.
    """
    import numpy as np  # which no help text needs

    if not texts or not among:
        return np.zeros((len(texts), len(among)))
    vectors = tf_idf(texts, among) if encode is None else encode([*texts, *among])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    rounded: Vectors = np.round(units[: len(texts)] @ units[len(texts) :].T, _DIGITS)
    return np.clip(rounded, -1.0, 1.0)


def tf_idf(texts: Sequence[str], among: Sequence[str]) -> Vectors:
    """The vectors of ``texts`` and then of ``among``, with the idf of ``among``.

    tf-idf of word w in text t = count of w in t * (ln((1 + n) / (1 + df(w))) + 1)

    n texts are searched, df(w) of them contain w. Words are stems of content words. A word in no
    searched text has df = 0, so that a text about something else is far from all of them. The
    smoothed idf is scikit-learn's. EVA-Score's paper filters relations by BERT's cosine, its code
    by TF-IDF's.
    """
    import numpy as np

    bags = [Counter(content_words(text)) for text in (*texts, *among)]
    columns = {word: place for place, word in enumerate(dict.fromkeys(w for b in bags for w in b))}
    counts = np.zeros((len(bags), len(columns)))
    for row, bag in enumerate(bags):
        for word, count in bag.items():
            counts[row, columns[word]] = count
    n_texts = (counts[len(texts) :] > 0).sum(axis=0)
    weighted: Vectors = counts * (np.log((1 + len(among)) / (1 + n_texts)) + 1)
    return weighted


def most_similar(
    texts: Sequence[str], among: Sequence[str], most: int, encode: Encoder | None = None
) -> tuple[tuple[int, ...], ...]:
    """For each text the places of the most similar ones, the best first, ties in order."""
    order = (-cosines(texts, among, encode)).argsort(axis=1, kind="stable")[:, :most]
    return tuple(tuple(int(place) for place in row) for row in order)
