"""Texts whose sentences have a role: from people, from authors' headings, from GPT-4's segments.

The sets do not label the same things, so a sentence has the states that its label *allows*. Where
a set has no conclusion, its results may be either; a sentence of another kind may be anything.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal

from summeval_pytest.judges.offline.roles import STATES, pieces_of
from summeval_pytest.questions import FACETS
from summeval_pytest.text.reading import normalise
from tools.fitting.data import Record, records

States = frozenset[int]
SetName = Literal[
    "csabstruct", "nicta_piboso", "pubmedqa_roles", "infolossqa", "references", "summaries"
]
LABELLED: Final[dict[SetName, str]] = {
    "csabstruct": "csabstruct/dev.jsonl",
    "nicta_piboso": "nicta_piboso/dev.jsonl",
    "pubmedqa_roles": "pubmedqa_roles/dev.jsonl",
    "infolossqa": "infolossqa/roles_dev.jsonl",
}
SEGMENTED: Final = "scholarsum/pubmed.json"
"""References and summaries with the segments that GPT-4 took from them."""
WITHOUT_CONCLUSION: Final = frozenset({"csabstruct", "nicta_piboso"})
_ANY: Final = frozenset(range(len(STATES)))
_BACKGROUND: Final = frozenset({0, 1})
_LETTERS: Final = "BMRC"
_SYSTEMS: Final = (
    "gpt35_fm", "llama2_70b", "longt5", "longt5_block", "bigbird_pegasus", "bigbird_pegasus_block",
)  # fmt: skip
_SHARED: Final = 0.5
"""A sentence is of a segment that holds so much of its word pairs."""
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class RoleText:
    """One text of a set; texts of one paper (``group``) stay on one side of a fold."""

    name: SetName
    group: str
    sentences: tuple[str, ...]
    allowed: tuple[States, ...]  # by each sentence's label
    facets: tuple[int | None, ...]  # the column that each is labelled with, if any
    certainty: tuple[float, ...]  # how sure of each the annotators were, up to 1

    def only(self, kept: Iterable[int]) -> RoleText:
        """The text with these of its sentences, in this order."""
        rows = list(kept)
        return replace(
            self,
            sentences=tuple(self.sentences[row] for row in rows),
            allowed=tuple(self.allowed[row] for row in rows),
            facets=tuple(self.facets[row] for row in rows),
            certainty=tuple(self.certainty[row] for row in rows),
        )


def labelled_texts(folder: Path, name: SetName) -> Iterator[RoleText]:
    """The abstracts of one set."""
    abstracts: dict[str, list[Record]] = {}
    for record in records(folder, LABELLED[name]):
        abstracts.setdefault(record["doc_id"], []).append(record)
    for key, found in abstracts.items():
        lines = sorted(found, key=lambda record: int(record["sentence_index"]))
        yield RoleText(
            name=name,
            group=f"{name} {key}",
            sentences=tuple(line["sentence"] for line in lines),
            allowed=tuple(_allowed(name, line) for line in lines),
            facets=tuple(_LETTERS.index(line["bmrc"]) if line["bmrc"] else None for line in lines),
            certainty=tuple(line.get("annotator_confidence", 1.0) for line in lines),
        )


def _allowed(name: SetName, line: Record) -> States:
    if line["bmrc"] is None:
        return _ANY
    if line["bmrc"] == "B" and name == "nicta_piboso":
        return _BACKGROUND
    if line["bmrc"] == "R" and name in WITHOUT_CONCLUSION:
        return frozenset({STATES.index("result"), STATES.index("conclusion")})
    return frozenset({STATES.index(line["role"])})


def segmented_texts(folder: Path) -> Iterator[RoleText]:
    """References and summaries, each sentence with the facet whose segment holds most of it."""
    papers: dict[str, str] = {}
    for number, record in enumerate(records(folder, SEGMENTED)):
        reference = normalise(record["human"])
        group = papers.setdefault(reference, f"scholarsum {number}")
        yield from _segmented("references", group, reference, record["ground_aspect"])
        for system in _SYSTEMS:
            text = normalise(record[system])
            yield from _segmented("summaries", group, text, record[f"{system}_aspect"])


def _segmented(name: SetName, group: str, text: str, recorded: str) -> Iterator[RoleText]:
    said = json.loads(recorded)
    segments = [_word_pairs(_flat(said.get(facet) or "")) for facet in FACETS]
    sentences = pieces_of(text)
    facets = [_facet_of(_word_pairs(sentence), segments) for sentence in sentences]
    if sentences:
        yield RoleText(
            name=name,
            group=group,
            sentences=sentences,
            allowed=tuple(_states_of(facet) for facet in facets),
            facets=tuple(facets),
            certainty=(1.0,) * len(sentences),
        )


def _flat(segment: str | list[str]) -> str:
    return segment if isinstance(segment, str) else " ".join(map(str, segment))


def _word_pairs(text: str) -> set[tuple[str, str]]:
    words = _WORD.findall(normalise(text).lower())
    return set(pairwise(words))


def _facet_of(pairs: set[tuple[str, str]], segments: list[set[tuple[str, str]]]) -> int | None:
    shares = [len(pairs & segment) / max(1, len(pairs)) for segment in segments]
    return shares.index(max(shares)) if max(shares) >= _SHARED else None


def _states_of(facet: int | None) -> States:
    if facet is None:
        return _ANY
    return _BACKGROUND if facet == 0 else frozenset({facet + 1})


def role_texts(folder: Path) -> list[RoleText]:
    """Every text of every set."""
    texts = [text for name in LABELLED for text in labelled_texts(folder, name)]
    return [*texts, *segmented_texts(folder)]


def cut_text(text: RoleText, chance: random.Random) -> RoleText:
    """A text as summaries are: broken off, without a facet, with gaps, or in another order."""
    n = len(text.sentences)
    kind = chance.random()
    if kind < 0.4:
        first = 0 if kind < 0.2 else chance.randrange(n - 1)
        return text.only(range(first, chance.randrange(first + 1, n + 1)))
    if kind < 0.7:
        left_out = chance.choice(sorted(set(text.facets), key=str))
        return text.only(row for row in range(n) if text.facets[row] != left_out)
    if kind < 0.9:
        return text.only(row for row in range(n) if chance.random() < 0.5)
    rows = list(range(n))
    swapped = chance.randrange(n - 1)
    rows[swapped : swapped + 2] = rows[swapped + 1], rows[swapped]
    return text.only(rows)


def cut_texts(texts: Iterable[RoleText], chance: random.Random, *, copies: int) -> list[RoleText]:
    """So many cut copies of every text of three sentences or more; empty ones are left out."""
    long_enough = [text for text in texts if len(text.sentences) > 2]
    cut = [cut_text(text, chance) for text in long_enough for _ in range(copies)]
    return [text for text in cut if text.sentences]
