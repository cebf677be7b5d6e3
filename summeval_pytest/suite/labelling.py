"""What a person is asked about a suite: which pairs in which order, which items, and the answers.

Pairs come in an order of each annotator's own; the items of a pair stay together, so that its
summary is read once: facets, sentences, facts. No system is named.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from summeval_pytest.errors import OptionError, Place
from summeval_pytest.questions import FACETS
from summeval_pytest.suite.fields import OWN_KEYS
from summeval_pytest.suite.indexed import cut, evidence_label, source_sentences
from summeval_pytest.suite.jsonl import read_lines
from summeval_pytest.suite.label_file import label_lines, read_label_file
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.marking import Item, ItemKind, Marking, markings_of
from summeval_pytest.suite.writing import json_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair

What = Literal["facets", "sentences", "facts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelQuestion:
    """One item, and the texts that an annotator needs to label it.

    Attributes:
        item: The item.
        summary: The summary of the pair.
        asked: The text in question: a sentence or a fact; empty for a facet.
        against: What it is held against: the reference, its facet, or the source's sentences.
    """

    item: Item
    summary: str
    asked: str = ""
    against: tuple[str, ...]


def pairs_to_label(
    suite: Suite, *, seed: int, share: float, annotator: str
) -> list[tuple[str, str]]:
    """Pairs (paper, system) with a recorded summary, in the annotator's own order.

    Which pairs a ``share`` (0 to 1, rounded up) holds, depends on the seed alone: annotators who
    label a share of a suite label the same one.
    """
    pairs = [
        (paper, system)
        for system, spec in suite.systems.items()
        if spec.endpoint is None
        for paper in suite.paper_ids_of(system)
    ]
    random.Random(f"share {seed}").shuffle(pairs)
    pairs = pairs[: math.ceil(share * len(pairs))]
    random.Random(f"order {seed} {annotator}").shuffle(pairs)
    return pairs


def questions_of(
    suite: Suite, paper: str, system: str, what: Sequence[What]
) -> Iterator[LabelQuestion]:
    """The questions about one pair: facets of the reference, sentences in order, facts.

    Facts are those of the reference that the suite has frozen, and those that its labels name.
    """
    pair = suite.pair(paper, system)
    if "facets" in what:
        yield from _facets(pair)
    if "sentences" in what:
        source = source_sentences(pair.paper)
        for index, sentence in enumerate(cut(pair.summary)):
            yield LabelQuestion(
                item=_item(pair, "sentence", index=index),
                summary=pair.summary,
                asked=sentence,
                against=source,
            )
    if "facts" in what:
        yield from _facts(suite, pair)


def _item(pair: Pair, kind: ItemKind, *, index: int = 0, text: str = "") -> Item:
    return Item(paper=pair.paper.id, system=pair.system, kind=kind, index=index, text=text)


def _facets(pair: Pair) -> Iterator[LabelQuestion]:
    """The facets that the reference has: where they are not frozen, all of them are asked about."""
    frozen = pair.paper.reference_facets
    for facet in FACETS:
        against = pair.paper.references if frozen is None else (frozen.segment(facet),)
        if any(against):
            yield LabelQuestion(item=_item(pair, facet), summary=pair.summary, against=against)


def _facts(suite: Suite, pair: Pair) -> Iterator[LabelQuestion]:
    label = suite.labels.get((pair.paper.id, pair.system))
    labelled = label.facts if label is not None else None
    of_reference = [fact.text for fact in pair.paper.reference_facts or ()]
    of_reference += [fact.text for fact in labelled.reference] if labelled else []
    of_summary = [fact.text for fact in labelled.candidate] if labelled else []
    for text in dict.fromkeys(of_reference):
        item = _item(pair, "reference fact", text=text)
        yield LabelQuestion(item=item, summary=pair.summary, asked=text, against=(pair.summary,))
    for text in dict.fromkeys(of_summary):
        item = _item(pair, "candidate fact", text=text)
        references = pair.paper.references
        yield LabelQuestion(item=item, summary=pair.summary, asked=text, against=references)


class LabelBook:
    """One annotator's label file, written as a whole after every answer.

    What the file holds beside this annotator's answers, as keys of the owner's own (``x_``), roles
    of sentences and a provenance, is kept.
    """

    def __init__(self, suite: Suite, file: Path, annotator: str) -> None:
        """Open the file, which may not be there yet.

        Raises:
            SuiteError: For a file that is no label file of the suite.
            OptionError: For a file of somebody else's labels.
        """
        self._suite = suite
        self._annotator = annotator
        self._markings: dict[Item, Marking] = {}
        self._kept: dict[tuple[str, str], dict[str, object]] = {}
        self.file = file
        if file.exists() and file.stat().st_size:
            self._read(file)

    def _read(self, file: Path) -> None:
        labels = read_label_file(file, self._suite)
        for pair, label in labels.items():
            if label.labelled_by != self._annotator:
                raise OptionError(
                    f"--out={file}: line {label.place.line} is labelled by"
                    f" {label.labelled_by or 'nobody'!r}, not by {self._annotator!r}; name another"
                    " file, or the same --annotator"
                )
            self._markings.update({m.item: m for m in markings_of(label)})
            self._kept[pair] = {}
        for line in read_lines(TextFile(file, file.as_posix())):
            pair = (str(line.values["paper"]), str(line.values["system"]))
            self._kept[pair] = {
                key: value
                for key, value in line.values.items()
                if key.startswith(OWN_KEYS) or key in {"basis", "provenance", "roles"}
            }

    def get(self, item: Item) -> Marking | None:
        """What the annotator has said of an item."""
        return self._markings.get(item)

    def put(
        self,
        question: LabelQuestion,
        value: float | bool | None,
        *,
        evidence: Sequence[int] = (),
        error: str | None = None,
    ) -> str:
        """Take in an answer, in place of an earlier one; the text that the file has to have now.

        ``evidence`` are indices of the sentences that the question was held against.
        """
        self._markings[question.item] = Marking(
            item=question.item,
            value=value,
            evidence=tuple(evidence_label(question.against, index) for index in evidence),
            error=error,
            annotator=self._annotator,
            place=Place(self.file.as_posix()),
        )
        lines = label_lines(self._suite, self._markings.values(), {})
        marked = {(str(line["paper"]), str(line["system"])): line for line in lines}
        of_roles: dict[tuple[str, str], dict[str, object]] = {
            (paper, system): {"paper": paper, "system": system, "labelled_by": self._annotator}
            for (paper, system), kept in self._kept.items()
            if "roles" in kept
        }
        return json_lines(
            {**line, **self._kept.get(pair, {})} for pair, line in (of_roles | marked).items()
        )
