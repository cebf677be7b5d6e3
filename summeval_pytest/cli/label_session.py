"""A session with an annotator: one item after another shown, asked about, and saved at once."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TextIO

from summeval_pytest.cli.rubric import rubric_of
from summeval_pytest.cli.terms import write_text
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.importing import shown
from summeval_pytest.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.suite import LabelBook, LabelQuestion

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
