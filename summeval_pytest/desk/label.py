"""`summeval label`: asks a person for labels of a suite's summaries, in a terminal or on a page."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.parameters import check_writable, names_in, with_options, write_text
from summeval_pytest.desk.label_page import csv_name, label_page
from summeval_pytest.desk.label_questions import (
    ASKED,
    ERRORS,
    NOT_ASKED,
    RUBRICS,
    WHAT,
    WHY,
    Question,
    pairs_to_label,
    questions_of,
)
from summeval_pytest.desk.new_suite import json_lines
from summeval_pytest.errors import OptionError, Place
from summeval_pytest.options import Options
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.labels import Item, ItemKind, Marking, evidence_label, markings_of
from summeval_pytest.suite.lines import TextFile, read_lines
from summeval_pytest.suite.suite import Suite, label_lines, load_suite, read_label_file
from summeval_pytest.text.printing import safe, safe_lines

if TYPE_CHECKING:
    from rich.console import Console

_SENTENCE: Final = f"""\
After y, the source sentences that carry it, best first: y 3 7
After n, what the source says instead, and the kind of error: n 12 number
({", ".join(ERRORS)} or your own)"""


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


@with_options("allow_outside")
def label(
    suite: Path,
    /,
    *,
    annotator: str,
    out: Path | None = None,
    html: Path | None = None,
    what: tuple[str, ...] = (),
    only: tuple[str, ...] = (),
    share: float = 1.0,
    options: Options,
) -> list[str]:
    """Asks until everything is labelled or the annotator quits, or writes a page that asks.

    Args:
        annotator: the annotator's name, which also sets the order of pairs
        out: the annotator's label file, needed without --html; an existing one is continued
        html: instead, write a page that asks in a browser and saves a table for `summeval import`
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
    file = html or out
    if file is None or (html and out):
        raise OptionError("write either --out FILE, to label here, or --html FILE, for a page")
    check_writable(file, "--html" if html else "--out")
    loaded = load_suite(suite, allow_outside=options.allow_outside)
    kinds = {kind for name in names for kind in WHAT[name]}
    pairs = pairs_to_label(loaded, annotator, share, only)
    every = (q for pair in pairs for q in questions_of(loaded, *pair))
    questions = [question for question in every if question.item.kind in kinds]
    if not questions:
        raise OptionError(f"no pair has any {' or '.join(names)} to label; choose another --what")
    if html:
        write_text(html, "--html", label_page(loaded, questions, names, annotator))
        table, labels_file = csv_name(annotator), Path(loaded.shown).with_name("labels.jsonl")
        return [
            f"{html}: a page for {annotator}, who saves {table} there",
            f"next: summeval import csv {table} --suite {suite} --out {labels_file}",
        ]
    labels = LabelFile(loaded, file, annotator)
    _ask([q for q in questions if q.item not in labels.markings], labels, annotator, names)
    n_done = sum(question.item in labels.markings for question in questions)
    return [f"{file}: {n_done} of {len(questions)} items labelled"]


def _ask(
    questions: Sequence[Question], labels: LabelFile, annotator: str, names: Collection[str]
) -> None:
    """Asks one question a screen, and saves each answer before the next question."""
    from rich.console import Console

    console, place, fault = Console(markup=False, highlight=False, emoji=False), 0, ""
    _begin(console, names if questions else ())
    while place < len(questions):
        question = questions[place]
        console.clear()
        for title, text in _texts_of(question):
            console.rule(title, align="left")
            console.print(safe(text))
        console.print(f"{rubric_of(question.item.kind)}\n{safe(fault)}")
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


def _begin(console: Console, names: Collection[str]) -> None:
    """Says what is asked; whoever types reads it before the first question clears the screen."""
    for line in introduction(names) if names else ():
        console.print(line)
    with suppress(EOFError):
        if names and sys.stdin.isatty():
            console.input("Press Enter to begin. ")


def introduction(names: Collection[str]) -> list[str]:
    """What is asked of these kinds of items, what is not asked, and why, in lines."""
    asked, not_asked = ([f"- {each}" for each in of] for of in (map(ASKED.get, names), NOT_ASKED))
    parts = ("You are asked:", *asked, "You are not asked:", *not_asked, WHY)
    indents = (2 * part.startswith("-") for part in parts)
    lines = (safe_lines(part, indent=n) for part, n in zip(parts, indents, strict=True))
    return [*chain.from_iterable(lines), ""]


def _texts_of(question: Question) -> Sequence[tuple[str, str]]:
    """The texts of a screen with their titles, in the order of reading."""
    if question.item.kind in FACETS:
        return question.about, question.beside
    if question.item.kind != "sentence":
        return question.beside, question.about
    numbered = "\n".join(f"[{n}] {text}" for n, text in enumerate(question.source, start=1))
    return ("source", numbered), question.beside, question.about


def rubric_of(kind: ItemKind) -> str:
    """What the terminal asks, and what can be typed."""
    asked, answers = RUBRICS[kind]
    if kind in FACETS:
        return "\n".join([asked, *map(" ".join, answers.items())])
    asked = f"{asked} {' or '.join(answers)}"
    return f"{asked}\n{_SENTENCE}" if kind == "sentence" else asked


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
