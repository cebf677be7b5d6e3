from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.errors import Place
from summeval_pytest.suite.marking import Item, Marking, label_lines, label_text, read_label_file
from tests.label_suite import loaded, mistake, write_lines

if TYPE_CHECKING:
    from pathlib import Path


def rated(paper: str, system: str, rating: int, annotator: str = "") -> Marking:
    """A rating of a result."""
    item = Item(paper=paper, system=system, kind="result")
    return Marking(item=item, value=rating, annotator=annotator, place=Place("x"))


def test_lines_come_in_the_suites_order_whoever_labelled_first(tmp_path: Path) -> None:
    """A file in version control changes where a label does."""
    suite = loaded(tmp_path)
    markings = [
        rated("moss-02", "long", 1, "ben"),
        rated("moss-01", "short", 2, "anna"),
        rated("moss-01", "long", 3),
    ]
    lines = label_lines(suite, markings, {"basis": "a test"})
    assert [(x["paper"], x["system"], x.get("labelled_by"), x["basis"]) for x in lines] == [
        ("moss-01", "long", None, "a test"),
        ("moss-01", "short", "anna", "a test"),
        ("moss-02", "long", "ben", "a test"),
    ]


def test_text_is_what_the_suites_reader_accepts(tmp_path: Path) -> None:
    """The second look that no importer can forget; the place is the file to be."""
    suite = loaded(tmp_path)
    text = label_text(suite, label_lines(suite, [rated("moss-01", "long", 4)], {}), "out.jsonl")
    file = tmp_path / "labels.jsonl"
    file.write_text(text, encoding="utf-8")
    assert read_label_file(file, suite)["moss-01", "long"].facets == {"result": 4}
    wrong = label_lines(suite, [rated("moss-01", "long", 5)], {})
    assert mistake(lambda: label_text(suite, wrong, "out.jsonl")) == (
        "out.jsonl:1: 'result' of 'facets' of this label is 5;"
        " write a whole number from 1 to 4, or null where the reference has none"
    )


def test_file_beside_the_suite_is_held_against_it(tmp_path: Path) -> None:
    """A second annotator's file is not named in the suite, and is read as strictly."""
    suite = loaded(tmp_path)
    file = write_lines(tmp_path / "b.jsonl", {"paper": "moss-03", "system": "long", "overall": 1})
    assert mistake(lambda: read_label_file(file, suite, "b.jsonl")) == (
        "b.jsonl:1: this label is for the unknown paper 'moss-03'; did you mean 'moss-02'?"
    )
