"""What `summeval label` asks about the summaries of a suite, in a terminal and on a page.

Neither shows a system's name, or asks for anything but what the texts on the screen say.
"""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.questions import FACETS
from summeval_pytest.run.measure import source_of
from summeval_pytest.suite.labels import FactLabels, Item, ItemKind, cut, digest_of
from summeval_pytest.suite.suite import Suite, texts_digest

WHAT: Final = {
    "facets": FACETS,
    "sentences": ("sentence",),
    "facts": ("reference fact", "candidate fact"),
}
ASKED: Final = {
    "facets": "how well the summary covers each facet of the reference, the paper's own abstract:"
    " background, method, result and conclusion",
    "sentences": "whether each sentence of the summary follows from the source, the paper's text,"
    " and which source sentences show it",
    "facts": "whether a text states a given fact",
}
NOT_ASKED: Final = (
    "which system wrote the summary: its name could sway you",
    "whether something is true: only the texts on the screen count, not what you know",
    "style, length or an overall score: people use such scales too differently",
    "new facts: you only check facts that are listed already, because writing them takes hours",
)
WHY: Final = (
    "Your answers test the automatic judge of summaries. If it disagrees with people too often,"
    " its verdicts do not count."
)
_NONE: Final = {"-": "the reference does not state this facet"}
_THREE: Final = {
    "3": "generally consistent",
    "2": "relevant, but a part is missing",
    "1": "contradicts it, or says nothing relevant",
} | _NONE
_FOUR: Final = {
    "4": "at most minor details are missing",
    "3": "a part of the key information is missing",
    "2": "all of the key information is missing",
    "1": "contradicts it (one reversed key statement or main number is enough), or says nothing"
    " relevant",
} | _NONE
_CLAIM: Final = {"y": "yes", "n": "no"}
_COVERS: Final = "How well does the summary cover the {} of the reference ({})?"
RUBRICS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "background": (_COVERS.format("background", "why the work was done"), _THREE),
    "method": (_COVERS.format("method", "what was done"), _FOUR),
    "result": (_COVERS.format("result", "what was found"), _FOUR),
    "conclusion": (_COVERS.format("conclusion", "what follows from it"), _THREE),
    "sentence": ("Does everything that the sentence says follow from the source?", _CLAIM),
    "reference fact": ("Does the summary state all of this fact, and correctly?", _CLAIM),
    "candidate fact": ("Does this fact follow from the reference, true or not?", _CLAIM),
}
"""By kind of item, the question, and what each answer means."""
ERRORS: Final = {
    "number": "a figure is wrong",
    "unit": "a unit is wrong",
    "direction": "more for less, or the reverse",
    "negation": 'a "not" is added or lost',
    "entity-swap": "another group, substance or place",
    "causal-claim": "a cause where the source has a link",
    "invented-detail": "the source does not mention it",
    "overgeneral-claim": "the source claims less",
}
"""Kinds of error of a sentence; annotators may write others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An item with what is read to label it, texts with their titles.

    Attributes:
        key: A q and 12 hex digits, a digest of the item and its texts. It names no system.
        about: A facet of the reference, a sentence of the summary or a fact.
        beside: The text that it is compared with, or stands in: the summary or the reference.
        source: The sentences of the source.
    """

    item: Item
    key: str
    about: tuple[str, str]
    beside: tuple[str, str]
    source: tuple[str, ...]


def pairs_to_label(
    suite: Suite, annotator: str, share: float, only: Sequence[str]
) -> list[tuple[str, str]]:
    """Pairs (paper, system) with a recorded summary, in the annotator's own order."""
    pairs = _recorded_pairs(suite)
    random.Random("share 0").shuffle(pairs)
    pairs = pairs[: math.ceil(share * len(pairs))]
    random.Random(f"order 0 {annotator}").shuffle(pairs)
    names = {pair: {f"{pair[1]}/{pair[0]}", *pair} for pair in pairs}
    known = set().union(*names.values())
    for name in only:
        if name not in known:
            near = nearest(name, known)
            near = near if near.startswith("did") else "write SYSTEM/PAPER, a system or a paper"
            raise OptionError(f"--only={name}: no such pair to label; {near}")
    return [pair for pair in pairs if not only or names[pair].intersection(only)]


def _recorded_pairs(suite: Suite) -> list[tuple[str, str]]:
    recorded = [name for name, spec in suite.systems.items() if spec.endpoint is None]
    return [(paper, system) for system in recorded for paper in suite.paper_ids_of(system)]


def questions_of(suite: Suite, paper: str, system: str) -> Iterator[Question]:
    """Questions about the reference's facets, the summary's sentences, and known facts."""
    pair, label = suite.pair(paper, system), suite.labels.get((paper, system))
    source = source_of(pair.paper)
    summary, reference = ("summary", pair.summary), ("reference", "\n".join(pair.paper.references))
    digests = texts_digest(pair.paper), digest_of(pair.summary)

    def ask(
        kind: ItemKind, about: tuple[str, str], beside: tuple[str, str], index: int = 0
    ) -> Question:
        text = about[1] if kind in WHAT["facts"] else ""
        item = Item(paper=paper, system=system, kind=kind, index=index, text=text)
        identity = json.dumps([*digests, kind, index, about[1]]).encode()
        key = f"q{sha256(identity).hexdigest()[:12]}"  # no spreadsheet takes it for a number
        return Question(item=item, key=key, about=about, beside=beside, source=source)

    frozen = pair.paper.reference_facets
    for facet in FACETS:
        if text := reference[1] if frozen is None else frozen.segment(facet):
            yield ask(facet, (f"reference: {facet}", text), summary)
    for index, text in enumerate(cut(pair.summary)):
        yield ask("sentence", ("sentence", text), summary, index)
    labelled = (label and label.facts) or FactLabels()
    stated = [fact.text for fact in pair.paper.reference_facts or ()]
    for text in dict.fromkeys([*stated, *(fact.text for fact in labelled.reference)]):
        yield ask("reference fact", ("fact", text), summary)
    for fact in labelled.candidate:
        yield ask("candidate fact", ("fact", fact.text), reference)


def items_by_key(suite: Suite) -> Mapping[str, Collection[Item]]:
    """Every item that could be asked, by the key of its question.

    Systems that have the same summary of a paper share its keys.
    """
    items: defaultdict[str, list[Item]] = defaultdict(list)
    for pair in _recorded_pairs(suite):
        for question in questions_of(suite, *pair):
            items[question.key].append(question.item)
    return items
