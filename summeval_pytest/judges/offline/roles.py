"""Probabilities of the facets of each sentence, from its heading, words and place.

A chain of states is learned from labelled abstracts; a label such as "Methods:" decides. Released
abstracts have often lost the line break before a label ("in mice.methods : we gave") or all that
followed it ("resultsthe wounds healed"); sentences are cut there too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import mul
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.judges.offline.learned import learned
from summeval_pytest.questions import FACETS
from summeval_pytest.text.lists import lines_of
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import count_content

Roles = Callable[[tuple[str, ...]], NDArray[np.float64]]


_PATTERNS: Final = [line.split(": ", 1) for line in lines_of("headings")]
HEADINGS: Final = tuple(
    "(?:" + "|".join(pattern for name, pattern in _PATTERNS if name == facet) + ")"
    for facet in FACETS
)
"""For each facet the labels with which structured abstracts open it."""

GLUED_HEADINGS: Final = (
    r"(?:background(?!s\b)|introduction(?!s\b)|objectives?(?!s?\b|ly\b))(?=[^\W\d_])",
    r"(?:materials and )?methods(?=[^\W\d_])",
    r"results(?=[^\W\d_])",
    r"conclusions?(?!s?\b)(?=[^\W\d_])",
)
"""Labels that lost what followed them: "methodswe examined". No English word begins so."""

BOILERPLATE: Final = r"electronic supplementary material"
"""What a publisher appends to an abstract; no facet."""

LABEL_WEIGHT: Final = 16.0
"""More than the words, place and order of one sentence can outweigh, as log-odds."""

_LABELS: Final = tuple(
    re.compile(rf"\A\W*(?:{heading}\s*[.:\]]|{glued})", re.IGNORECASE)
    for heading, glued in zip(HEADINGS, GLUED_HEADINGS, strict=True)
)
_OPENING: Final = "|".join(
    [*(rf"{heading}\s*:" for heading in HEADINGS), *GLUED_HEADINGS, BOILERPLATE]
)
_INSIDE = re.compile(rf"(?<=[\w)\]%][.?!])\s*(?={_OPENING})", re.IGNORECASE)
_BOILERPLATE = re.compile(BOILERPLATE, re.IGNORECASE)


def cut_at_labels(sentence: str) -> tuple[str, ...]:
    """A sentence cut before every label inside it; a publisher's note is left out."""
    return tuple(piece for piece in _INSIDE.split(sentence) if not _BOILERPLATE.match(piece))


@lru_cache(maxsize=256)
def pieces_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, cut before every label, each once; none is without content."""
    pieces = (piece for sentence in sentence_texts(text) for piece in cut_at_labels(sentence))
    return tuple(dict.fromkeys(filter(count_content, pieces)))


@lru_cache(maxsize=1024)
def label_of(sentence: str) -> int | None:
    """The facet (column) whose label opens this sentence."""
    return next((column for column, label in enumerate(_LABELS) if label.match(sentence)), None)


def label_evidence(sentences: Sequence[str]) -> NDArray[np.float64]:
    """The weight of the label under which each sentence stands, if any does.

    A label holds up to the next one. Where that one skips a facet ("Background: ... Conclusion:
    ..."), the skipped facet stands between them without a label: then it holds for one sentence.
    """
    evidence = np.zeros((len(sentences), len(FACETS)))
    opened = [(row, label_of(sentence)) for row, sentence in enumerate(sentences)]
    labelled = [(row, column) for row, column in opened if column is not None]
    ends = [*labelled[1:], (len(sentences), len(FACETS))]
    for (row, column), (end, following) in zip(labelled, ends, strict=False):
        stop = end if following <= column + 1 else row + 1
        evidence[row:stop, column] = LABEL_WEIGHT
    return evidence


OWN: Final = 1 << 17
"""Places for what a sentence says itself."""
BESIDE: Final = 1 << 14
"""Places for the words of the sentence before, and as many for those of the one after."""
N_WORD_ROWS: Final = OWN + 2 * BESIDE
N_PLACE_ROWS: Final = 92
"""Rows for where a sentence stands: `place_rows` says which."""

_WORD = re.compile(r"[a-z]+|\d+|[%=<>?:\u00b1]")
_NUMBERS = re.compile(r"\d+")
_NUMBER: Final = "0"
_MASK: Final = OWN - 1
"""What is left by `OWN`, which is a power of 2: faster than a remainder."""
_LONG: Final = 6
"""A word of so many letters has an ending worth reading."""


def words_of(sentence: str) -> list[str]:
    """The lower-cased words and signs of a sentence; every number is "0"."""
    return _WORD.findall(_NUMBERS.sub(_NUMBER, sentence.lower()))


@lru_cache(maxsize=1 << 15)
def name_of(word: str) -> tuple[int, int, int, int, bytes]:
    """The places of one lower-cased word, and how a pair of it and another is hashed.

    Its own place and that of its ending below `OWN`, its place below `BESIDE`, the crc32 that a
    pair goes on from, and what one goes on with.
    """
    plain = word.encode()
    own, code = _place_of("u" + word), crc32(plain)
    ending = _place_of("s" + word[-3:]) if len(word) >= _LONG else own
    return own, ending, code % BESIDE, code, b" " + plain


def _place_of(name: str) -> int:
    return crc32(name.encode()) % OWN


def own_and_beside(sentence: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The places of a sentence's own names below `OWN`, and of its words below `BESIDE`.

    Its neighbours see the latter. Each place stands once, in order.
    """
    words = words_of(sentence)
    line = map(name_of, ("^", *words, "$"))
    owns, endings, besides, opens, follows = zip(*line, strict=True)
    # crc32 goes on where it stopped: this is crc32 of "one next".
    pairs = [crc32(next_, one) & _MASK for one, next_ in zip(opens, follows[1:], strict=False)]
    own = {*owns, *endings, *pairs}
    own.update([_place_of("f" + " ".join(words[:length])) for length in (1, 2, 3)])
    own.add(_place_of(f"l{min(10, len(owns) // 5)}"))
    own.add(_place_of(f"d{min(4, words.count(_NUMBER))}"))
    return tuple(sorted(own)), tuple(sorted(set(besides[:-1])))


def place_rows(n_sentences: int) -> list[tuple[int, ...]]:
    """For each sentence of a text of so many, the rows of where it stands.

    Tenth of the text, how many sentences stand before and after it (4 and more are one), tenth of
    the text by the length of the text, and that length.
    """
    last, size = n_sentences - 1, 21 + 11 * min(4, n_sentences // 4)
    tenths = [10 * index // max(1, last) for index in range(n_sentences)]
    length = 76 + min(n_sentences, 15)
    return [
        (tenth, 11 + min(index, 4), 16 + min(last - index, 4), size + tenth, length)
        for index, tenth in enumerate(tenths)
    ]


STATES: Final = ("background", "objective", "method", "result", "conclusion")
"""What a sentence may be; an objective counts as background."""
FACET_OF: Final = (0, 0, 1, 2, 3)
"""The facet (column) of each state."""
_FIRST_STATES: Final = [FACET_OF.index(column) for column in range(len(FACETS))]
STEP: Final = 1 / 128
"""The weight that 1 stands for in the tables."""
_DIGITS: Final = 9
"""Posteriors are rounded to so many digits: exponentials may differ in the last bit."""


@dataclass(frozen=True, slots=True, eq=False)
class RoleModel:
    """The weights of the chain, in steps of `STEP`.

    Attributes:
        words: Shape (names, states).
        places: Shape (places, states).
        order: Shape (states + 2, states): from each state to each; then, as the last two rows, what
            speaks for a state at the first and at the last sentence.
    """

    words: NDArray[np.int8]
    places: NDArray[np.int16]
    order: NDArray[np.int16]

    def evidence(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """What speaks for each state, (sentences, states), a label such as "Methods:" included."""
        words = np.array([_words(self, sentence) for sentence in sentences])
        said = words[:, 0] + _places(self, len(sentences))
        said[1:] += words[:-1, 1]
        said[:-1] += words[1:, 2]
        said[0] += self.order[-2]
        said[-1] += self.order[-1]
        labels: NDArray[np.float64] = label_evidence(sentences)[:, FACET_OF]
        return said * STEP + labels

    def posteriors(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """The posterior of each facet, (sentences, 4); every row sums to 1."""
        if not sentences:
            return np.zeros((0, len(FACETS)))
        order = self.order[:-2].astype(np.float64) * STEP
        states = chain_posteriors(self.evidence(sentences), order)
        facets: NDArray[np.float64] = np.add.reduceat(states, _FIRST_STATES, axis=1)
        return facets.round(_DIGITS)


@lru_cache(maxsize=4096)
def _words(model: RoleModel, sentence: str) -> NDArray[np.int64]:
    """What a sentence's words say of it, of the sentence after it and of the one before it.

    Shape (3, states). Whole steps add up to the same in any order, so a sentence is read once
    wherever it stands.
    """
    own, beside = own_and_beside(sentence)
    before, after = ([start + place for place in beside] for start in (OWN, OWN + BESIDE))
    starts = (0, len(own), len(own) + len(beside))
    rows = model.words.take([*own, *before, *after], axis=0)
    return np.add.reduceat(rows, starts, axis=0, dtype=np.int64)


@lru_cache(maxsize=64)
def _places(model: RoleModel, n_sentences: int) -> NDArray[np.int64]:
    """What its place says of each sentence of a text of so many, (sentences, states)."""
    rows = np.array(place_rows(n_sentences))
    return np.asarray(model.places[rows].sum(axis=1, dtype=np.int64))


def chain_posteriors(
    evidence: NDArray[np.float64], order: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The posterior of each state at each place, by the forward and backward sums.

    ``evidence`` speaks for each state, (places, states), and ``order`` for a state (column) after
    another (row), both as log-odds. Every row of the posterior, of the shape of the evidence, sums
    to 1. A few states are added up faster as plain numbers than as small arrays.
    """
    odds = np.exp(evidence - evidence.max(axis=1)[:, None]).tolist()
    to, back = np.exp(order.T).tolist(), np.exp(order).tolist()
    forward = [odds[0]]
    for said in odds[1:]:
        before = forward[-1]
        forward.append(
            _shares([sum(map(mul, before, ways)) * one for ways, one in zip(to, said, strict=True)])
        )
    backward = [[1.0] * len(odds[0])]
    for said in odds[:0:-1]:
        coming = list(map(mul, said, backward[-1]))
        backward.append(_shares([sum(map(mul, coming, ways)) for ways in back]))
    both = np.array(forward) * np.array(backward[::-1])
    posteriors: NDArray[np.float64] = both / both.sum(axis=1)[:, None]
    return posteriors


def _shares(amounts: list[float]) -> list[float]:
    whole = sum(amounts)
    return [amount / whole for amount in amounts]


@cache
def _model() -> RoleModel:
    arrays = learned("roles")
    return RoleModel(
        words=arrays["words"].astype(np.int8),
        places=arrays["places"].astype(np.int16),
        order=arrays["order"].astype(np.int16),
    )


@lru_cache(maxsize=256)
def roles_of(sentences: tuple[str, ...]) -> NDArray[np.float64]:
    """The posterior of each facet for each sentence of one text, in order.

    Shape (sentences, 4), columns as in `FACETS`; every row sums to 1. A label that opens a sentence
    ("Methods:") decides it and those that stand under it. The array is read-only, for who asks
    again gets the same one.
    """
    posteriors = _model().posteriors(sentences)
    posteriors.setflags(write=False)
    return posteriors
