from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.label import (
    Answer,
    LabelBook,
    LabelQuestion,
    Session,
    Terminal,
    questions_of,
    read_answer,
    rubric_of,
)
from summeval_pytest.suite.marking import Item, read_label_file
from tests.label_suite import loaded

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.cli.label import What
    from summeval_pytest.questions import Facet
    from summeval_pytest.suite.marking import ItemKind
    from summeval_pytest.suite.suite import Suite

HUGE = "9" * 5_000  # Python reads no integer of so many digits
KEYS = "- where the reference has none (? help, t texts, b back, s skip, q quit)>"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """The suite of moss."""
    return loaded(tmp_path)


def held(suite: Suite, file: Path, typed: str, *what: What) -> str:
    """What a session about one pair prints, in which this is typed."""
    questions = list(questions_of(suite, "moss-01", "long", what))
    out = io.StringIO()
    Session(questions, LabelBook(suite, file, "anna"), Terminal(io.StringIO(typed), out, 80)).run()
    return out.getvalue()


def facets(suite: Suite, file: Path) -> dict[Facet, int | None]:
    """The facets that the annotator's file has."""
    return dict(read_label_file(file, suite)["moss-01", "long"].facets or {})


def test_session_shows_what_is_needed_and_takes_the_answer(suite: Suite, tmp_path: Path) -> None:
    """The whole of it, as the annotator sees it: the summary once, no system's name."""
    assert held(suite, tmp_path / "a.jsonl", "2\n1\n", "facets").splitlines() == [
        "",
        "=== summary",
        "Roofs get hot in July. Moss cooled them by 9 K. Grow it.",
        "",
        "--- 1 of 3: how well does the summary cover the reference's background?",
        "Roofs get hot.",
        f"rating 1 to 3, {KEYS} 2",
        "",
        "--- 2 of 3: how well does the summary cover the reference's result?",
        "Moss cooled the roof by 7 K.",
        f"rating 1 to 4, {KEYS} 1",
        "",
        "--- 3 of 3: how well does the summary cover the reference's conclusion?",
        "Moss is worth growing.",
        f"rating 1 to 3, {KEYS} ",
    ]
    assert facets(suite, tmp_path / "a.jsonl") == {"background": 2, "result": 1}


def test_sentence_is_shown_with_its_numbered_source(suite: Suite, tmp_path: Path) -> None:
    """Evidence is typed as these numbers, from 1; the source stays, the sentence changes."""
    out = held(suite, tmp_path / "a.jsonl", "y 1\nq\n", "sentences")
    source = [
        "=== source",
        "[1] Roofs get hot in July.",
        "[2] Moss is said to cool them.",
        "[3] Under moss the roof was 7 K cooler.",
    ]
    shown = out.splitlines()
    start = shown.index(source[0])
    assert shown[start : start + 4] == source
    assert shown.count(source[0]) == 1
    assert "--- 2 of 3: is this sentence faithful to the source?" in shown


def test_every_answer_is_in_the_file_before_the_next_question(suite: Suite, tmp_path: Path) -> None:
    """A terminal that is closed loses nothing."""
    file = tmp_path / "a.jsonl"
    questions = list(questions_of(suite, "moss-01", "long", ("facets",)))
    seen: list[dict[Facet, int | None]] = []

    class Watching(Terminal):
        """Looks into the file whenever a line is asked for."""

        def ask(self, prompt: str) -> str | None:
            """The next line."""
            seen.append(facets(suite, file) if file.exists() else {})
            return super().ask(prompt)

    terminal = Watching(io.StringIO("1\n-\n3\n"), io.StringIO(), 80)
    Session(questions, LabelBook(suite, file, "anna"), terminal).run()
    assert seen == [{}, {"background": 1}, {"background": 1, "result": None}]
    assert facets(suite, file) == {"background": 1, "result": None, "conclusion": 3}


def test_second_session_goes_on_where_the_first_stopped(suite: Suite, tmp_path: Path) -> None:
    """And what was skipped is asked again."""
    file = tmp_path / "a.jsonl"
    held(suite, file, "1\ns\n", "facets")
    out = held(suite, file, "4\n", "facets")
    assert "reference's background" not in out
    assert facets(suite, file) == {"background": 1, "result": 4}
    assert held(suite, file, "2\n", "facets").count("---") == 1
    assert held(suite, file, "", "facets") == ""


def test_back_shows_the_answer_and_takes_another(suite: Suite, tmp_path: Path) -> None:
    """A slip is seen one item too late."""
    out = held(suite, tmp_path / "a.jsonl", "1\nb\n3\nb\nb\nb\nq\n", "facets")
    assert "(your answer so far: 1)" in out
    assert "this is the first item" in out
    assert facets(suite, tmp_path / "a.jsonl") == {"background": 3}


def test_help_is_the_rubric_of_the_item_and_texts_are_shown_again(
    suite: Suite, tmp_path: Path
) -> None:
    """Without losing one's place."""
    out = held(suite, tmp_path / "a.jsonl", "?\nt\n2\n", "facets")
    assert rubric_of("background") in out
    assert out.count("=== summary") == 2
    assert facets(suite, tmp_path / "a.jsonl") == {"background": 2}


def test_what_is_no_answer_is_said_and_asked_again(suite: Suite, tmp_path: Path) -> None:
    """Nothing is guessed."""
    out = held(suite, tmp_path / "a.jsonl", "4\n\n2\n", "facets")
    assert out.count("type a whole number from 1 to 3, or -") == 2
    assert facets(suite, tmp_path / "a.jsonl") == {"background": 2}


def question(kind: ItemKind, n_source: int = 20) -> LabelQuestion:
    """A question of a kind."""
    item = Item(paper="p", system="s", kind=kind)
    return LabelQuestion(item=item, summary="x", against=("x",) * n_source)


@pytest.mark.parametrize(
    ("kind", "typed", "answer"),
    [
        ("method", "4", Answer(value=4)),
        ("method", "-", Answer(value=None)),
        ("method", "0", "type a whole number from 1 to 4, or -"),
        ("method", "\u0663", "type a whole number from 1 to 4, or -"),
        ("conclusion", "4", "type a whole number from 1 to 3, or -"),
        ("reference fact", "Y", Answer(value=True)),
        ("candidate fact", "no", Answer(value=False)),
        ("candidate fact", "3", "type y or n"),
        ("sentence", "y", Answer(value=True)),
        ("sentence", "y 3 7, 3", Answer(value=True, evidence=(2, 6))),
        ("sentence", "n", Answer(value=False)),
        ("sentence", "n 12 number", Answer(value=False, evidence=(11,), error="number")),
        ("sentence", "n entity swap", Answer(value=False, error="entity swap")),
        ("sentence", "3", "type y or n first"),
        ("sentence", "y 21", "the source has no sentence 21; they are 1 to 20"),
        ("sentence", "y 0", "the source has no sentence 0; they are 1 to 20"),
        ("sentence", f"y {HUGE}", f"the source has no sentence {HUGE}; they are 1 to 20"),
        ("method", HUGE, "type a whole number from 1 to 4, or -"),
        (
            "sentence",
            "y 3 number",
            "'number' is no number of a source sentence; an error goes with n",
        ),
    ],
)
def test_answers_are_read_strictly(kind: ItemKind, typed: str, answer: Answer | str) -> None:
    """One line an item, so that a script can type it, too."""
    assert read_answer(question(kind), typed) == answer


def test_texts_are_made_safe() -> None:
    """A summary may hold what a terminal obeys; it is shown, and nothing is obeyed."""
    out = io.StringIO()
    Terminal(io.StringIO(), out, 40).say("red \x1b[31m\u202e\n::error::x")
    assert out.getvalue() == "red \\x1b[31m\\u202e\n\\x3a:error::x\n"


def test_long_texts_are_wrapped_between_words() -> None:
    """A terminal breaks them anywhere."""
    out = io.StringIO()
    Terminal(io.StringIO(), out, 10).say("moss grows on stone\n\nand dies")
    assert out.getvalue() == "moss grows\non stone\n\nand dies\n"


def test_bytes_that_are_no_text_are_no_answer(suite: Suite, tmp_path: Path) -> None:
    """A slip on the keyboard ends no session."""
    stdin = io.TextIOWrapper(io.BytesIO(b"\xff\n2\n"), encoding="utf-8")
    questions = list(questions_of(suite, "moss-01", "long", ("facets",)))
    out = io.StringIO()
    book = LabelBook(suite, tmp_path / "a.jsonl", "anna")
    Session(questions[:1], book, Terminal(stdin, out, 80)).run()
    assert "type a whole number" in out.getvalue()
