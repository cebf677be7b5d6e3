"""A session with an annotator: one item after another shown, asked about, and saved at once."""

from __future__ import annotations

import argparse
import math
import random
import re
import shutil
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TextIO

from summeval_pytest.cli.options import add_suite, check_writable, suite_of, write_text
from summeval_pytest.errors import OptionError, Place, nearest
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.lines import OWN_KEYS, TextFile, read_lines
from summeval_pytest.suite.marking import (
    Item,
    ItemKind,
    Marking,
    cut,
    evidence_label,
    label_lines,
    markings_of,
    read_label_file,
    source_sentences,
)
from summeval_pytest.suite.places import json_lines
from summeval_pytest.suite.tables import shown
from summeval_pytest.text.printing import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair


_THREE: Final = """\
3  generally consistent with what the reference says there
2  relevant, but part of what the reference says there is missing
1  contradicts it, says nothing relevant, or is absent
-  the reference itself has no such facet"""
_FOUR: Final = """\
4  covers it; at most minor details are missing
3  part of the key information is missing
2  none of the key information
1  contradicts it, says nothing relevant, or is absent
-  the reference itself has no such facet
Key is what the core message needs: the numbers of the main finding, the direction of an effect.
One reversed key statement makes the facet a 1."""
_SENTENCE: Final = """\
y  everything that the sentence says follows from the source
n  something in it does not
After y: the numbers of the source sentences that carry it, best first, as y 3 7
After n: what the source says instead, if anything, and the kind of error: n 12 number
Kinds that the bundled suite names: number, unit, direction, negation, entity-swap, causal-claim,
invented-detail, overgeneral-claim"""
_REFERENCE_FACT: Final = """\
y  the summary states this fact, in whatever words, and correctly
n  it does not, or only part of it"""
_CANDIDATE_FACT: Final = """\
y  the fact follows from the reference
n  it does not, whether or not it is true"""

_RUBRICS: Final[Mapping[str, str]] = {
    "background": _THREE,
    "method": _FOUR,
    "result": _FOUR,
    "conclusion": _THREE,
    "sentence": _SENTENCE,
    "reference fact": _REFERENCE_FACT,
    "candidate fact": _CANDIDATE_FACT,
}


def rubric_of(kind: ItemKind) -> str:
    """The rubric of a kind of item (FM, section 3.2 for the facets), several lines."""
    return _RUBRICS[kind]


_KEYS: Final = "? help, t texts, b back, s skip, q quit"
_ABSENT: Final = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an annotator typed, read."""

    value: float | bool | None
    evidence: tuple[int, ...] = ()
    error: str | None = None


class Terminal:
    """Where the annotator reads and types; any pair of text streams, as a script's."""

    def __init__(self, stdin: TextIO, stdout: TextIO, width: int) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._width = width

    def say(self, text: str = "") -> None:
        """Prints a text that may be anyone's: made safe, paragraph by paragraph."""
        for line in safe(text).split("\n"):
            wrapped = textwrap.wrap(line, self._width, break_on_hyphens=False) or [""]
            self._stdout.write("\n".join(wrapped) + "\n")

    def ask(self, prompt: str) -> str | None:
        """One line typed, without white space around it; None at the end of the input."""
        self._stdout.write(f"{prompt}> ")
        self._stdout.flush()
        try:
            line = self._stdin.readline()
        except UnicodeDecodeError:
            line = "\ufffd\n"  # no answer, and not the end
        if not self._stdin.isatty():
            self._stdout.write(safe(line.rstrip("\n")) + "\n")
        return line.strip() if line else None


class Session:
    """Asks about what has no answer yet, until all have one or the annotator quits."""

    def __init__(
        self, questions: Sequence[LabelQuestion], book: LabelBook, terminal: Terminal
    ) -> None:
        self._questions = questions
        self._book = book
        self._terminal = terminal
        self._seen: set[tuple[str, ...]] = set()

    @property
    def n_left(self) -> int:
        """How many items have no answer."""
        return sum(self._book.get(question.item) is None for question in self._questions)

    def run(self) -> None:
        """Asks; every answer is in the file before the next question.

        Raises:
            OptionError: if the file cannot be written.
        """
        position = self._next(0)
        while position < len(self._questions):
            question = self._questions[position]
            self._show(position)
            typed = self._terminal.ask(_prompt(question))
            match None if typed is None else typed.lower():
                case None | "q":
                    return
                case "?":
                    self._terminal.say(rubric_of(question.item.kind))
                case "t":
                    self._seen.clear()
                case "b":
                    position = self._back(position)
                case "s":
                    position = self._next(position + 1)
                case _:
                    position = self._take(position, typed or "")

    def _next(self, start: int) -> int:
        """The first item from ``start`` on that has no answer; beyond the last where all have."""
        for position in range(start, len(self._questions)):
            if self._book.get(self._questions[position].item) is None:
                return position
        return len(self._questions)

    def _back(self, position: int) -> int:
        if position == 0:
            self._terminal.say("this is the first item")
        return max(position - 1, 0)

    def _take(self, position: int, typed: str) -> int:
        """Saves an answer and goes on; stays where it is none."""
        question = self._questions[position]
        answer = read_answer(question, typed)
        if isinstance(answer, str):
            self._terminal.say(answer)
            return position
        text = self._book.put(question, answer.value, evidence=answer.evidence, error=answer.error)
        write_text(self._book.file, "--out", text)
        return self._next(position + 1)

    def _show(self, position: int) -> None:
        """Shows an item; the texts it stands in only where they are not those shown last."""
        question = self._questions[position]
        say = self._terminal.say
        texts: dict[str, tuple[str, ...]] = {"summary": (question.summary,)}
        if question.item.kind == "sentence":
            texts["source"] = tuple(
                f"[{i}] {text}" for i, text in enumerate(question.against, start=1)
            )
        elif question.item.kind == "candidate fact":
            texts["reference"] = question.against
        for name, text in texts.items():
            if (name, *text) not in self._seen:
                say(f"\n=== {name}\n" + "\n".join(text))
        self._seen = {(name, *text) for name, text in texts.items()}
        say(f"\n--- {position + 1} of {len(self._questions)}: {_title(question)}")
        say(question.asked or "\n".join(question.against))
        if said := self._book.get(question.item):
            say(f"(your answer so far: {shown(said.value)})")


def _title(question: LabelQuestion) -> str:
    """What stands over the text in question."""
    match question.item.kind:
        case "sentence":
            return "is this sentence faithful to the source?"
        case "reference fact":
            return "does the summary state this fact?"
        case "candidate fact":
            return "does this fact follow from the reference?"
        case facet:
            return f"how well does the summary cover the reference's {facet}?"


def _prompt(question: LabelQuestion) -> str:
    kind = question.item.kind
    if kind == "sentence":
        return f"y or n, and source sentences, as 'y 3 7' or 'n 12 number' ({_KEYS})"
    if kind in FACETS:
        return f"rating 1 to {SCALES[kind]}, {_ABSENT} where the reference has none ({_KEYS})"
    return f"y or n ({_KEYS})"


def read_answer(question: LabelQuestion, typed: str) -> Answer | str:
    """The answer that was typed, or what is wrong with it, in words."""
    kind = question.item.kind
    if kind == "sentence":
        return _of_sentence(typed, len(question.against))
    if kind in FACETS:
        return _of_facet(typed, SCALES[kind])
    flag = _flag(typed)
    return "type y or n" if flag is None else Answer(value=flag)


def _flag(word: str) -> bool | None:
    return {"y": True, "yes": True, "n": False, "no": False}.get(word.lower())


def _of_facet(typed: str, most: int) -> Answer | str:
    if typed == _ABSENT:
        return Answer(value=None)
    if typed not in map(str, range(1, most + 1)):
        return f"type a whole number from 1 to {most}, or {_ABSENT}"
    return Answer(value=int(typed))


def _of_sentence(typed: str, n_source: int) -> Answer | str:
    first, *words = re.split(r"[\s,;]+", typed)
    faithful = _flag(first)
    if faithful is None:
        return "type y or n first"
    numbers = {str(place + 1): place for place in range(n_source)}
    evidence = []
    while words and words[0].isascii() and words[0].isdecimal():
        number = words.pop(0)
        if number not in numbers:
            return f"the source has no sentence {number}; they are 1 to {n_source}"
        evidence.append(numbers[number])
    if faithful and words:
        return f"{words[0]!r} is no number of a source sentence; an error goes with n"
    return Answer(
        value=faithful,
        evidence=tuple(dict.fromkeys(evidence)),
        error=" ".join(words) or None,
    )


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


WHAT: Final = ("facets", "sentences", "facts")
_WIDEST: Final = 100


def add_labelling(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval label`."""
    add_suite(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the annotator's label file; goes on where it is"
    )
    parser.add_argument("--annotator", metavar="NAME", help="who labels; also decides the order")
    parser.add_argument(
        "--what",
        default=",".join(WHAT),
        metavar="KIND,...",
        help=f"what is asked about (default: {','.join(WHAT)})",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="SYSTEM/PAPER",
        help="these pairs only; a system or a paper alone stands for all of its pairs",
    )
    parser.add_argument(
        "--share",
        type=_share,
        default=1.0,
        metavar="SHARE",
        help="of the pairs, this share, the same for every annotator (default: 1)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="draws another share and order"
    )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share above 0 and at most 1")
    return share


def label(chosen: argparse.Namespace) -> list[str]:
    """Asks for labels until all are there or the annotator quits.

    Raises:
        UsageError: for a mistake in the suite or a label file, and for options that do not fit.
        KeyboardInterrupt: for Ctrl-C; what was answered is in the file.
    """
    for option in ("out", "annotator"):
        if not getattr(chosen, option):
            raise OptionError(f"--{option} is needed to label")
    check_writable(chosen.out, "--out")
    return _ask(chosen, suite_of(chosen))


def _ask(chosen: argparse.Namespace, suite: Suite) -> list[str]:

    pairs = pairs_to_label(suite, seed=chosen.seed, share=chosen.share, annotator=chosen.annotator)
    pairs = _only(pairs, chosen.only)
    what = _what(chosen.what)
    questions = [question for pair in pairs for question in questions_of(suite, *pair, what)]
    if not questions:
        raise OptionError(
            f"nothing of {suite.shown} is to be labelled: no recorded summary has any of"
            f" {', '.join(what)}; choose another --what or --only"
        )
    book = LabelBook(suite, chosen.out, chosen.annotator)
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    session = Session(questions, book, Terminal(sys.stdin, sys.stdout, width))
    session.run()
    n_left = session.n_left
    done = f"{chosen.out}: {len(questions) - n_left} of {len(questions)} items labelled"
    if not n_left:
        return [done]
    return [done, f"{n_left} are left; the same command goes on with them"]


def _what(text: str) -> tuple[What, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in WHAT:
            raise OptionError(f"--what={text}: there is no {name!r}; {nearest(name, WHAT)}")
    if not names:
        raise OptionError(f"--what={text}: names nothing; known: {', '.join(WHAT)}")
    return tuple(name for name in WHAT if name in names)


def _only(pairs: Sequence[tuple[str, str]], wanted: Sequence[str]) -> list[tuple[str, str]]:
    if not wanted:
        return list(pairs)
    kept: dict[tuple[str, str], None] = {}
    for entry in wanted:
        found = [pair for pair in pairs if entry in {f"{pair[1]}/{pair[0]}", *pair}]
        if not found:
            near = _near(entry, {f"{system}/{paper}" for paper, system in pairs})
            raise OptionError(f"--only={entry}: no such pair is to be labelled; {near}")
        kept.update(dict.fromkeys(found))
    return [pair for pair in pairs if pair in kept]


def _near(entry: str, known: set[str]) -> str:
    clause = nearest(entry, known)
    return clause if clause.startswith("did") else "write SYSTEM/PAPER, a system or a paper"
