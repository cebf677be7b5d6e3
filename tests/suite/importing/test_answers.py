from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.suite.labels import EvidenceLabel
from summeval_pytest.suite.tables import AnswerReader, Row, read_markings
from tests.label_suite import loaded, mistake

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from summeval_pytest.suite.marking import Marking

PAIR = {"paper": "moss-01", "system": "long"}
HUGE = "9" * 5_000  # Python reads no integer of so many digits
SENTENCE = {**PAIR, "sentence": "1", "faithful": "no"}
FACT = {**PAIR, "side": "reference", "text": "Moss cooled the roof.", "holds": "yes"}


@pytest.fixture
def reader(tmp_path: Path) -> AnswerReader:
    """A reader of the suite of moss."""
    return AnswerReader(loaded(tmp_path))


def row(values: Mapping[str, object]) -> Row:
    """A row of the fourth line."""
    return Row(values=values, owner="this row", place=Place("labels.csv", 4))


def read(reader: AnswerReader, values: Mapping[str, object]) -> list[tuple[object, ...]]:
    """What a row says: kind, index or text, and value of each marking."""
    return [
        (m.item.kind, m.item.text or m.item.index, m.value) for m in reader.markings(row(values))
    ]


def only(reader: AnswerReader, values: Mapping[str, object]) -> Marking:
    """The one marking of a row."""
    (marking,) = reader.markings(row(values))
    return marking


def test_row_about_a_pair_may_say_several_things(reader: AnswerReader) -> None:
    """Worked example: three facets, of which the reference lacks one, and an overall score."""
    values = {"background": "3", "method": "null", "result": 4.0, "overall": "0.75"}
    assert read(reader, PAIR | values) == [
        ("background", 0, 3),
        ("method", 0, None),
        ("result", 0, 4),
        ("overall", 0, 0.75),
    ]


def test_row_may_be_about_one_facet(reader: AnswerReader) -> None:
    """A task a facet is how Label Studio projects are often cut."""
    assert read(reader, PAIR | {"facet": "Result", "rating": 2}) == [("result", 0, 2)]


@pytest.mark.parametrize("sentence", ["1", 1, "Moss cooled them by 9 K.", " cooled them"])
def test_sentence_is_named_by_index_or_words(reader: AnswerReader, sentence: object) -> None:
    """Whoever made the tasks may have cut the summary in their own way."""
    assert read(reader, SENTENCE | {"sentence": sentence}) == [("sentence", 1, False)]


@pytest.mark.parametrize(
    "evidence", ["2;0", "2, 0", "2 0", ["2", 0], ["[2] Under moss", "Roofs get hot"], [2, 0, "2"]]
)
def test_evidence_is_indices_or_words(reader: AnswerReader, evidence: object) -> None:
    """Written as the suite writes it: with the first words, so that another splitter finds it."""
    marking = only(reader, SENTENCE | {"evidence": evidence, "error": "number"})
    assert marking.evidence == (
        EvidenceLabel(index=2, starts="Under moss the roof was"),
        EvidenceLabel(index=0, starts="Roofs get hot in July."),
    )
    assert marking.error == "number"


def test_fact_holds_or_not_on_its_side(reader: AnswerReader) -> None:
    """A reference's fact is covered by the summary, a summary's supported by the reference."""
    assert read(reader, FACT) == [("reference fact", "Moss cooled the roof.", True)]
    assert read(reader, FACT | {"side": "candidate", "holds": False}) == [
        ("candidate fact", "Moss cooled the roof.", False)
    ]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *((word, True) for word in ("Yes", "TRUE", "1", "supported", True, 1)),
        *((word, False) for word in ("no", "Not faithful", "0", False, 0)),
    ],
)
def test_yes_and_no_have_many_words(reader: AnswerReader, word: object, value: bool) -> None:
    """Spreadsheets and projects write what they like."""
    assert only(reader, SENTENCE | {"faithful": word}).value is value


def test_own_columns_and_the_annotator_go_with_the_marking(reader: AnswerReader) -> None:
    """What is not ours to read is carried along."""
    marking = only(reader, SENTENCE | {"x_sure": "no", "annotator": "anna"})
    assert (marking.own, marking.annotator) == ((("x_sure", "no"),), "anna")


def test_rows_without_an_answer_are_counted(tmp_path: Path) -> None:
    """A table that is half done is no mistake; what it leaves open is said."""
    rows = [row(PAIR), row({**PAIR, "sentence": "0"}), row(SENTENCE)]
    markings, n_silent = read_markings(loaded(tmp_path), rows)
    assert (len(markings), n_silent) == (1, 2)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"system": "long"}, "this row has no 'paper'; add the key with a text"),
        (
            {**PAIR, "paper": "moos-01"},
            "this row is for the unknown paper 'moos-01'; did you mean 'moss-01'?",
        ),
        (
            {**PAIR, "system": "lang"},
            "this row is for the unknown system 'lang'; did you mean 'long'?",
        ),
        (
            {"paper": "moss-02", "system": "short"},
            (
                "this row is for paper 'moss-02', which system 'short' lists under 'skip';"
                " delete one of the two"
            ),
        ),
        (
            {**PAIR, "conclusion": "4"},
            (
                "'conclusion' of this row is '4'; write a whole number from 1 to 3, or 'null'"
                " where the reference has none"
            ),
        ),
        (
            {**PAIR, "method": "2.5"},
            (
                "'method' of this row is '2.5'; write a whole number from 1 to 4, or 'null'"
                " where the reference has none"
            ),
        ),
        (
            {**PAIR, "method": "\u0663"},
            (
                "'method' of this row is '\u0663'; write a whole number from 1 to 4, or 'null'"
                " where the reference has none"
            ),
        ),
        *(
            ({**PAIR, "overall": huge}, f"'overall' of this row is {huge!r}; write a finite number")
            for huge in ("1e999", "-inf")
        ),
        (
            {**SENTENCE, "sentence": HUGE},
            (
                f"the sentence of this row, {HUGE!r:.60}..., stands nowhere in the summary;"
                " write its index, from 0"
            ),
        ),
        *(
            (
                {**SENTENCE, "evidence": huge},
                (
                    f"'evidence' of this row, {huge!r:.60}..., stands nowhere in the source;"
                    " write indices of source sentences, from 0, as '3;7'"
                ),
            )
            for huge in (HUGE, f"[{HUGE}] Rain fell.")
        ),
        ({**PAIR, "overall": "nan"}, "'overall' of this row is 'nan'; write a finite number"),
        (
            {**PAIR, "rating": "3"},
            "this row has 'rating' and no 'facet'; add it, or delete 'rating'",
        ),
        (
            {**PAIR, "facet": "results", "rating": "3"},
            "'facet' of this row is 'results'; did you mean 'result'?",
        ),
        ({**SENTENCE, "faithful": "maybe"}, "'faithful' of this row is 'maybe'; write yes or no"),
        (
            {**PAIR, "faithful": "yes"},
            "this row has 'faithful' and no 'sentence'; add it, or delete 'faithful'",
        ),
        (
            {**PAIR, "sentence": "0", "evidence": "1"},
            "this row has 'evidence' and no 'faithful'; add it, or delete 'evidence'",
        ),
        (
            {**SENTENCE, "sentence": "3"},
            ("this row is about sentence 3, and the summary has 3, counted from 0; mend the index"),
        ),
        (
            {**SENTENCE, "sentence": "Rain fell."},
            (
                "the sentence of this row, 'Rain fell.', stands nowhere in the summary;"
                " write its index, from 0"
            ),
        ),
        (
            {**SENTENCE, "sentence": "o"},
            (
                "the sentence of this row, 'o', stands in 3 sentences of the summary;"
                " write its index, from 0"
            ),
        ),
        (
            {**SENTENCE, "faithful": "yes", "error": "number"},
            ("this row is faithful and names an error, 'number'; delete one of the two"),
        ),
        (
            {**SENTENCE, "evidence": "0;3"},
            (
                "'evidence' of this row names source sentence 3, and the source has 3, counted"
                " from 0; mend the index"
            ),
        ),
        (
            {**SENTENCE, "evidence": "Rain fell."},
            (
                "'evidence' of this row, 'Rain fell.', stands nowhere in the source;"
                " write indices of source sentences, from 0, as '3;7'"
            ),
        ),
        (
            {**FACT, "side": "left"},
            "'side' of this row is 'left'; write reference or candidate",
        ),
        (
            {**PAIR, "text": "Moss.", "holds": "yes"},
            "this row has 'text' and no 'side'; add it, or delete 'text'",
        ),
        (
            {**PAIR, "holds": "yes"},
            "this row has 'holds' and no 'text'; add it, or delete 'holds'",
        ),
    ],
)
def test_mistake_in_a_row_is_told_with_its_place(
    reader: AnswerReader, values: dict[str, object], message: str
) -> None:
    """Each message says what, where and what to do."""
    assert mistake(lambda: reader.markings(row(values))) == f"labels.csv:4: {message}"


def test_sentence_of_a_summary_yet_to_be_asked_for_goes_by_its_index(
    reader: AnswerReader,
) -> None:
    """A model's summary is not asked for to check a label; words cannot be looked up in it."""
    values = {**SENTENCE, "system": "writer", "sentence": "9"}
    assert read(reader, values) == [("sentence", 9, False)]
    assert mistake(lambda: reader.markings(row({**values, "sentence": "It grew."}))).endswith(
        "stands nowhere in the summary; write its index, from 0"
    )
