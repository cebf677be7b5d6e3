from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import OptionError, Place
from summeval_pytest.study.label_tables import (
    by_annotator,
    markings_of_row,
    read_csv,
    read_names,
    settled,
    stands_in,
)
from summeval_pytest.suite.entries import FileEntry
from summeval_pytest.suite.labels import EvidenceLabel, Item, Marking
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.suite import Suite
from tests.label_suite import loaded, mistake

PAIR: dict[str, object] = {"paper": "moss-01", "system": "long"}
HUGE = "9" * 5000


def table(folder: Path, text: str, *names: str) -> list[FileEntry]:
    """The rows of a table with this content."""
    file = folder / "labels.csv"
    file.write_text(text, encoding="utf-8")
    return read_csv(TextFile(file, "labels.csv"), read_names(names))


def test_cells_are_fields_and_empty_ones_are_not_there(tmp_path: Path) -> None:
    """Worked example: a quoted comma and line break, which moves the lines below.

    Columns are renamed, left out and carried along: nobody has to edit another program's table.
    """
    rows = table(
        tmp_path,
        'paper,system,method,x_note\nmoss-01, long ,3,"so, so\nindeed"\n,,,\nmoss-01,short,,\n',
    )
    assert [(row.values, row.place.line) for row in rows] == [
        ({**PAIR, "method": "3", "x_note": "so, so\nindeed"}, 2),
        ({**PAIR, "system": "short"}, 5),
    ]
    names = ("doc=paper", "id=-", "why=x_why", "FM=overall")
    (row,) = table(tmp_path, "doc,system,id,why,FM\np,s,17,short,0.5\n", *names)
    assert row.values == {"paper": "p", "system": "s", "x_why": "short", "overall": "0.5"}


def test_mistakes_in_a_table_are_reported_with_their_lines(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """An editor can jump to it; a file that is not there is the user's mistake, too."""
    tables = [
        "paper,system\n",
        "paper,sytem,overall\np,s,1\n",
        "paper,overall\np,1\n",
    ]
    messages = [mistake(partial(table, tmp_path, text)) for text in tables]
    none = TextFile(tmp_path / "none.csv", "none.csv")
    messages.append(mistake(lambda: read_csv(none, {})))
    for options in ("rater", "=paper", "rater=anotator", "a=paper a=system", "pape=paper"):
        with pytest.raises(OptionError) as caught:  # a slip would leave a column out in silence
            table(tmp_path, "paper,system,overall\np,s,1\n", *options.split())
        messages.append(str(caught.value))
    assert messages == snapshot


SENTENCE: dict[str, object] = {**PAIR, "sentence": "1", "faithful": "no"}
FACT = {**PAIR, "side": "reference", "text": "Moss cooled the roof.", "holds": "yes"}


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """The suite of moss."""
    return loaded(tmp_path)


def markings(suite: Suite, row: Mapping[str, object]) -> list[Marking]:
    """What a row of the fourth line says."""
    return markings_of_row(suite, FileEntry.at(Place("labels.csv", 4), row, "this row"))


WRITER = {**SENTENCE, "system": "writer", "sentence": "9"}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            PAIR | {"background": "3", "method": "null", "result": "4.0", "overall": "0.75"},
            [("background", 0, 3), ("method", 0, None), ("result", 0, 4), ("overall", 0, 0.75)],
        ),
        (FACT, [("reference fact", FACT["text"], True)]),
        (
            FACT | {"side": "candidate", "holds": "0"},
            [("candidate fact", FACT["text"], False)],
        ),
        *(
            (SENTENCE | {"sentence": which}, [("sentence", 1, False)])
            for which in ("1", "Moss cooled them by 9 K.", " cooled them")
        ),
        *(
            (SENTENCE | {"faithful": word}, [("sentence", 1, value)])
            for value, words in {
                True: ("Yes", "TRUE", "1", "supported"),
                False: ("no", "Not faithful", "0"),
            }.items()
            for word in words
        ),
        # words cannot be looked up in a summary that is yet to be asked for
        (WRITER, [("sentence", 9, False)]),
        (PAIR, []),
        ({**PAIR, "sentence": "0"}, []),
    ],
)
def test_a_row_says_what_it_says_of_each_item(
    suite: Suite, row: dict[str, object], said: list[tuple[object, ...]]
) -> None:
    """Worked examples; spreadsheets and projects write what they like, and cut as they like."""
    items = [(m.item.kind, m.item.text or m.item.index, m.value) for m in markings(suite, row)]
    assert items == said


def test_evidence_is_indices_or_words(suite: Suite) -> None:
    """Written as the suite writes it: with the first words, so that another splitter finds it."""
    starts = {2: "Under moss the roof was", 0: "Roofs get hot in July."}
    for evidence, indices in (
        ("2;0", (2, 0)), ("2, 0", (2, 0)), ("2 0 2", (2, 0)), ("get hot", (0,)),
    ):  # fmt: skip
        more = {"evidence": evidence, "error": "number", "x_sure": "no", "annotator": "anna"}
        (marking,) = markings(suite, SENTENCE | more)
        assert marking.evidence == tuple(EvidenceLabel(index=i, starts=starts[i]) for i in indices)
        assert (marking.error, marking.own) == ("number", (("x_sure", "no"),))
        assert marking.annotator == "anna"


def test_mistakes_in_rows_are_reported_with_their_places(
    suite: Suite, snapshot: SnapshotAssertion
) -> None:
    """Each message says what, where and what to do."""
    sentence: dict[str, list[object]] = {
        "sentence": [HUGE, "3", "Rain fell.", "o"],
        "faithful": ["maybe"],
        "evidence": [HUGE, "0;3", "Rain fell."],
    }
    pair: dict[str, list[object]] = {
        "paper": ["moos-01"],
        "system": ["lang"],
        "conclusion": ["4"],
        "method": ["2.5", "٣"],
        "overall": ["1e999", "-inf", "nan"],
        "faithful": ["yes"],
        "holds": ["yes"],
    }
    rows: list[dict[str, object]] = [
        {"system": "long"},
        {"paper": "moss-02", "system": "short"},
        *({**PAIR, key: value} for key, values in pair.items() for value in values),
        *({**SENTENCE, key: value} for key, values in sentence.items() for value in values),
        {**PAIR, "sentence": "0", "evidence": "1"},
        {**SENTENCE, "faithful": "yes", "error": "number"},
        {**FACT, "side": "left"},
        {**PAIR, "text": "Moss.", "holds": "yes"},
        {**WRITER, "sentence": "It grew."},
    ]
    assert [mistake(partial(markings, suite, row)) for row in rows] == snapshot


def said(
    annotator: str,
    value: float | bool | None,
    *evidence: int,
    error: str | None = None,
    index: int = 0,
    line: int = 1,
) -> Marking:
    """What an annotator says of a sentence."""
    return Marking(
        item=Item(paper="moss-01", system="long", kind="sentence", index=index),
        value=value,
        evidence=tuple(EvidenceLabel(index=each) for each in evidence),
        error=error,
        annotator=annotator,
        place=Place("labels.csv", line),
    )


@pytest.mark.parametrize(
    ("markings", "value", "evidence", "error"),
    [
        # two of three say no; both of them name 4, one of them 5
        ([said("anna", False, 4, error="number"), said("ben", True, 1),
          said("cleo", False, 4, 5, error="number")], False, [4], "number"),
        # leaving out what neither majority names would lose what both found
        ([said("anna", True, 1), said("ben", True, 2)], True, [1, 2], None),
        # a label has one kind of error, and neither name is more right
        ([said("anna", False, error="number"), said("ben", False, error="unit")], False, [], None),
    ],
    ids=["two of three", "evidence", "error"],
)  # fmt: skip
def test_majority_takes_the_value_and_what_goes_with_it(
    markings: list[Marking], value: bool, evidence: list[int], error: str | None
) -> None:
    """Worked examples; all annotators are named."""
    (marking,) = settled(by_annotator(markings))
    assert (marking.value, marking.error) == (value, error)
    assert [label.index for label in marking.evidence] == evidence
    assert marking.annotator.split("\n") == [marking.annotator for marking in markings]


def test_what_nobody_can_settle_is_refused(snapshot: SnapshotAssertion) -> None:
    """A tie, and an annotator who says two things; both sides are named."""
    first = said("anna", True)
    twice = [said("anna", False, line=9), said("anna", True, 4, line=9)]
    messages = [mistake(partial(by_annotator, [first, second])) for second in twice]
    tie = by_annotator([first, said("ben", False, line=7)])
    assert [*messages, mistake(lambda: settled(tie))] == snapshot


def test_text_stands_in_sentences() -> None:
    """A marked span is rarely a whole sentence, and another splitter's sentence may hold two."""
    sentences = ("Moss grew. Indeed it did", "Moss grew.", "Rain fell.")
    places = {
        "Moss grew.": (1,),  # the same beats a part of another
        " Moss  grew. ": (1,),
        "grew. on": (),
        "Moss": (0, 1),
        "It is said: Moss grew.": (1,),  # a sentence within the text
        " ": (),
    }
    assert {text: stands_in(text, sentences) for text in places} == places
