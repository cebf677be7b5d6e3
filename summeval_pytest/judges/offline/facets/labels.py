"""The labels of structured abstracts ("Methods:"), wherever a text has kept them.

Released abstracts have often lost the line break before a label ("in mice.methods : we gave") or
all that followed it ("resultsthe wounds healed"); sentences are cut there too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.text import content_words, split_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

HEADINGS: Final[Mapping[Facet, str]] = MappingProxyType(
    {
        "background": r"(?:background|introduction|context|motivation|importance|rationale"
        r"|hypothesis"
        r"|problem|purpose|aims?|(?:study )?objectives?|(?:backgrounds?|introduction)(?: and |/)"
        r"(?:aims?|objectives?|purpose))",
        "method": r"(?:(?:study )?design(?: and methods?)?|settings?|participants"
        r"|interventions?|data sources?"
        r"|study selection|(?:main )?outcome measures?|approach|(?:materials?|patients?"
        r"|subjects?|setting"
        r"|case)(?:,? and |/|, )methods?|methods?(?:(?: and |/)materials?)?|methodology"
        r"|experimental(?: design)?"
        r"|case (?:reports?|presentation|description))",
        "result": r"(?:(?:main |key )?(?:results?|findings)|observations|data synthesis"
        r"|measurements and main"
        r" results|results? and discussions?)",
        "conclusion": r"(?:conclusions?|discussions?|interpretation|significance|implications?"
        r"|limitations?"
        r"|discussions? and conclusions?|conclusions? and (?:relevance|outlook))",
    }
)
"""Labels with which structured abstracts open a facet; a full stop or colon follows."""

GLUED_HEADINGS: Final[Mapping[Facet, str]] = MappingProxyType(
    {
        "background": r"(?:background(?!s\b)|introduction(?!s\b)|objectives?(?!s?\b"
        r"|ly\b))(?=[^\W\d_])",
        "method": r"(?:materials and )?methods(?=[^\W\d_])",
        "result": r"results(?=[^\W\d_])",
        "conclusion": r"conclusions?(?!s?\b)(?=[^\W\d_])",
    }
)
"""Labels that lost what followed them: "methodswe examined". No English word begins so."""

BOILERPLATE: Final = r"electronic supplementary material"
"""What a publisher appends to an abstract; no facet."""

LABEL_WEIGHT: Final = 16.0
"""More than the words, place and order of one sentence can outweigh, as log-odds."""

_OPENING_LENGTH: Final = 32
"""Characters that hold a few words."""

_LABELS: Final = tuple(
    re.compile(rf"\A\W*(?:{HEADINGS[facet]}\s*[.:\]]|{GLUED_HEADINGS[facet]})", re.IGNORECASE)
    for facet in FACETS
)
_OPENING: Final = "|".join(
    [
        *(rf"{HEADINGS[facet]}\s*:" for facet in FACETS),
        *(GLUED_HEADINGS[facet] for facet in FACETS),
        BOILERPLATE,
    ]
)
_INSIDE = re.compile(rf"(?<=[\w)\]%][.?!])\s*(?={_OPENING})", re.IGNORECASE)
_BOILERPLATE = re.compile(BOILERPLATE, re.IGNORECASE)


def cut_at_labels(sentence: str) -> tuple[str, ...]:
    """A sentence cut before every label inside it; a publisher's note is left out."""
    return tuple(piece for piece in _INSIDE.split(sentence) if not _BOILERPLATE.match(piece))


@lru_cache(maxsize=256)
def pieces_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, cut before every label, each once; none is without content."""
    pieces: dict[str, None] = {}
    for sentence in split_sentences(text):
        pieces.update((piece, None) for piece in cut_at_labels(sentence.text) if _says(piece))
    return tuple(pieces)


def _says(piece: str) -> bool:
    """Whether a piece has content; most show it in their first words."""
    opening = piece[:_OPENING_LENGTH].rpartition(" ")[0]
    return bool(content_words(opening) or content_words(piece))


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
