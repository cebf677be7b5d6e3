"""`summeval label`: asks a person for labels of a suite's summaries, one question a screen."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from summeval_pytest.cli.parameters import (
    AllowOutside,
    check_writable,
    names_in,
    suite_of,
    write_text,
)
from summeval_pytest.errors import OptionError, Place, nearest
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.run.measure import source_of
from summeval_pytest.suite.labels import (
    FactLabels,
    Item,
    ItemKind,
    Marking,
    cut,
    evidence_label,
    markings_of,
)
from summeval_pytest.suite.lines import TextFile, read_lines
from summeval_pytest.suite.places import json_lines
from summeval_pytest.suite.suite import Suite, label_lines, read_label_file
from summeval_pytest.text.printing import safe

WHAT: Final = {
    "facets": FACETS,
    "sentences": ("sentence",),
    "facts": ("reference fact", "candidate fact"),
}
_THREE: Final = """\
How well does the summary cover this facet of the reference? 1 to 3, - where the reference has none
3 generally consistent; 2 relevant, but a part is missing; 1 contradicts it, or nothing relevant"""
_FOUR: Final = """\
How well does the summary cover this facet of the reference? 1 to 4, - where the reference has none
4 at most minor details are missing; 3 a part of the key information is missing; 2 all of it is;
1 contradicts it (one reversed key statement, as a main number, is enough), or nothing relevant"""
_RUBRICS: Final = {
    **dict.fromkeys(("background", "conclusion"), _THREE),
    **dict.fromkeys(("method", "result"), _FOUR),
    "sentence": """\
Does everything that the sentence says follow from the source? y or n
After y, the source sentences that carry it, best first: y 3 7
After n, what the source says instead, and the kind of error (number, unit, direction, negation,
entity-swap, causal-claim, invented-detail, overgeneral-claim or your own): n 12 number""",
    "reference fact": "Does the summary state all of this fact, in any words, correctly? y or n",
    "candidate fact": "Does this fact follow from the reference, whether or not it is true? y or n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An item, the texts to read for it with their titles, and the source's sentences."""

    item: Item
    texts: tuple[tuple[str, str], ...]
    source: tuple[str, ...]


class LabelFile:
    """One annotator's label file. Everything in it that is no label of an item is kept."""

    def __init__(self, suite: Suite, file: Path, annotator: str) -> None:
        self._suite, self._file = suite, file
        self.markings: dict[Item, Marking] = {}
        self._others: dict[tuple[str, str], dict[str, object]] = {}
        if not file.exists() or not file.stat().st_size:
            return
        lines = read_lines(TextFile(file, file.as_posix()))
        for label, (_, line) in zip(read_label_file(file, suite).values(), lines, strict=True):
            if label.labelled_by != annotator:
                by = label.labelled_by or "nobody"
                raise OptionError(f"{label.place} is labelled by {by!r}; name another --out")
            self.markings |= {marking.item: marking for marking in markings_of(label)}
            others = {k: v for k, v in line.items() if k not in {*WHAT, "overall"}}
            self._others[label.paper, label.system] = others

    def write(self) -> None:
        """Writes all labels, in the order of the suite's papers and systems."""
        lines = label_lines(self._suite, self.markings.values(), {})
        marked = {(str(line["paper"]), str(line["system"])): line for line in lines}
        for pair in marked.keys() & self._others.keys():  # old lines keep what they say
            for digest in ("summary_digest", "paper_digest"):
                marked[pair].pop(digest, None)
        pairs = marked | self._others
        text = json_lines(marked.get(pair, {}) | self._others.get(pair, {}) for pair in pairs)
        write_text(self._file, "--out", text)


def label(
    suite: Path,
    /,
    *,
    out: Path,
    annotator: str,
    what: tuple[str, ...] = (),
    only: tuple[str, ...] = (),
    share: float = 1.0,
    allow_outside: AllowOutside = False,
) -> list[str]:
    """Asks until everything is labelled or the annotator quits.

    Args:
        out: the annotator's label file; an existing one is continued
        annotator: the annotator's name, which also sets the order of pairs
        what: label only these (repeat, or commas; default: facets,sentences,facts)
        only: SYSTEM/PAPER: label only these pairs (repeat); a system or a paper alone means all its
            pairs
        share: a share of the pairs, above 0 and at most 1; every annotator gets the same

    Raises:
        UsageError: for a mistake in the suite or a label file, and for options that do not fit.
        KeyboardInterrupt: for Ctrl-C; what was answered is in the file.
    """
    if not annotator:
        raise OptionError("--annotator is needed to label; write a name")
    if not 0 < share <= 1:
        raise OptionError(f"--share={share}: write a share above 0 and at most 1")
    names = names_in(what, "--what", WHAT, "no kind of item") or list(WHAT)
    check_writable(out, "--out")
    loaded = suite_of(suite, allow_outside=allow_outside)
    kinds = {kind for name in names for kind in WHAT[name]}
    pairs = _pairs(loaded, annotator, share, only)
    every = (q for pair in pairs for q in questions_of(loaded, *pair))
    questions = [question for question in every if question.item.kind in kinds]
    if not questions:
        raise OptionError(f"no pair has any {' or '.join(names)} to label; choose another --what")
    labels = LabelFile(loaded, out, annotator)
    _ask([q for q in questions if q.item not in labels.markings], labels, annotator)
    n_done = sum(question.item in labels.markings for question in questions)
    return [f"{out}: {n_done} of {len(questions)} items labelled"]


def _pairs(
    suite: Suite, annotator: str, share: float, only: Sequence[str]
) -> list[tuple[str, str]]:
    """Pairs (paper, system) with a recorded summary, in the annotator's own order."""
    recorded = [name for name, spec in suite.systems.items() if spec.endpoint is None]
    pairs = [(paper, system) for system in recorded for paper in suite.paper_ids_of(system)]
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


def questions_of(suite: Suite, paper: str, system: str) -> Iterator[Question]:
    """Questions about the reference's facets, the summary's sentences, and known facts."""
    pair, label = suite.pair(paper, system), suite.labels.get((paper, system))
    source = source_of(pair.paper)
    summary, reference = ("summary", pair.summary), ("reference", "\n".join(pair.paper.references))

    def ask(kind: ItemKind, *texts: tuple[str, str], index: int = 0, text: str = "") -> Question:
        item = Item(paper=paper, system=system, kind=kind, index=index, text=text)
        return Question(item=item, texts=texts, source=source)

    frozen = pair.paper.reference_facets
    for facet in FACETS:
        if text := reference[1] if frozen is None else frozen.segment(facet):
            yield ask(facet, (f"reference: {facet}", text), summary)
    numbered = ("source", "\n".join(f"[{n}] {text}" for n, text in enumerate(source, start=1)))
    for index, text in enumerate(cut(pair.summary)):
        yield ask("sentence", numbered, summary, ("sentence", text), index=index)
    labelled = (label and label.facts) or FactLabels()
    stated = [fact.text for fact in pair.paper.reference_facts or ()]
    for text in dict.fromkeys([*stated, *(fact.text for fact in labelled.reference)]):
        yield ask("reference fact", summary, ("fact", text), text=text)
    for fact in labelled.candidate:
        yield ask("candidate fact", reference, ("fact", fact.text), text=fact.text)


def _ask(questions: Sequence[Question], labels: LabelFile, annotator: str) -> None:
    """Asks one question a screen, and saves each answer before the next question."""
    from rich.console import Console

    console, place, fault = Console(markup=False, highlight=False, emoji=False), 0, ""
    while place < len(questions):
        question = questions[place]
        console.clear()
        for title, text in question.texts:
            console.rule(title, align="left")
            console.print(safe(text))
        console.print(f"{_RUBRICS[question.item.kind]}\n{safe(fault)}")
        try:
            keys = f"{place + 1}/{len(questions)}, s skip, u undo, q quit"
            typed = console.input(f"{keys}> ").strip()
            if typed == "q":
                return
            if typed == "u":
                place = max(place - 1, 0)
                labels.markings.pop(questions[place].item, None)
            elif typed != "s":
                labels.markings[question.item] = read_answer(question, typed, annotator)
            place += 0 if typed == "u" else 1
            labels.write()
            fault = ""
        except EOFError:
            return
        except ValueError as error:  # no answer, or bytes that are no text
            fault = str(error)


def read_answer(question: Question, typed: str, annotator: str) -> Marking:
    """Reads the typed answer; a `ValueError` says what is wrong with it."""
    kind = question.item.kind
    about = Marking(item=question.item, value=None, annotator=annotator, place=Place("terminal"))
    if kind in FACETS:
        if typed not in {"-", *map(str, range(1, SCALES[kind] + 1))}:
            raise ValueError(f"type a whole number from 1 to {SCALES[kind]}, or -")
        return about if typed == "-" else replace(about, value=int(typed))
    flag, *words = typed.replace(",", " ").split() or [""]
    numbers = dict.fromkeys(int(word) for word in words if word.isdecimal())
    error = " ".join(word for word in words if not word.isdecimal())
    if flag not in {"y", "n"} or (words and kind != "sentence") or (error and flag == "y"):
        raise ValueError("type y or n" + (", as shown above" if kind == "sentence" else ""))
    if not all(0 < number <= len(question.source) for number in numbers):
        raise ValueError(f"the source's sentences are numbered 1 to {len(question.source)}")
    evidence = tuple(evidence_label(question.source, number - 1) for number in numbers)
    return replace(about, value=flag == "y", evidence=evidence, error=error or None)
