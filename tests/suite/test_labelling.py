from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.label import LabelBook, pairs_to_label, questions_of
from summeval_pytest.errors import OptionError
from summeval_pytest.suite.suite import load_suite
from tests.label_suite import loaded, mistake, write_lines, write_suite

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.cli.label import LabelQuestion, What

LABEL = {
    "paper": "moss-01",
    "system": "long",
    "facts": {
        "reference": [{"text": "The roof was 7 K cooler.", "covered": False}],
        "candidate": [{"text": "The roof was 9 K cooler.", "supported": False}],
    },
}


def asked(folder: Path, paper: str, system: str, what: What) -> list[LabelQuestion]:
    """What is asked about a pair of the suite of moss."""
    return list(questions_of(loaded(folder, LABEL), paper, system, (what,)))


def test_every_recorded_pair_is_labelled_once(tmp_path: Path) -> None:
    """What a model is asked for is another text tomorrow, and what is skipped is not there."""
    pairs = pairs_to_label(loaded(tmp_path), seed=0, share=1.0, annotator="anna")
    assert sorted(pairs) == [("moss-01", "long"), ("moss-01", "short"), ("moss-02", "long")]


def many(folder: Path) -> Path:
    """A suite of forty papers and one system."""
    folder.mkdir()
    (folder / "summeval.toml").write_text(
        'papers = "p.jsonl"\n[systems.s]\nsummaries = "s.jsonl"\n', encoding="utf-8"
    )
    ids = [f"p{number}" for number in range(40)]
    write_lines(folder / "p.jsonl", *({"id": i, "source": "A.", "reference": "A."} for i in ids))
    write_lines(folder / "s.jsonl", *({"paper": i, "summary": "A."} for i in ids))
    return folder


def test_order_is_the_annotators_own_and_stays_theirs(tmp_path: Path) -> None:
    """Whoever goes on tomorrow goes on where they were; whoever else labels tires elsewhere."""
    suite = load_suite(many(tmp_path / "many"))
    anna, again, ben = (
        pairs_to_label(suite, seed=0, share=1.0, annotator=name) for name in ("anna", "anna", "ben")
    )
    assert anna == again != ben
    assert sorted(anna) == sorted(ben)


def test_share_is_the_same_for_everyone_and_another_for_another_seed(tmp_path: Path) -> None:
    """Agreement needs items that both have labelled; .33 of 40, rounded up, is 14."""
    suite = load_suite(many(tmp_path / "many"))
    anna, ben, other = (
        set(pairs_to_label(suite, seed=seed, share=0.33, annotator=name))
        for name, seed in (("anna", 0), ("ben", 0), ("anna", 1))
    )
    assert anna == ben != other
    assert len(anna) == len(other) == 14


def test_facets_are_held_against_what_is_frozen(tmp_path: Path) -> None:
    """A facet that the reference does not have is not asked about."""
    questions = asked(tmp_path, "moss-01", "long", "facets")
    assert [(q.item.kind, q.against) for q in questions] == [
        ("background", ("Roofs get hot.",)),
        ("result", ("Moss cooled the roof by 7 K.",)),
        ("conclusion", ("Moss is worth growing.",)),
    ]


def test_facets_of_a_reference_that_is_not_frozen_are_all_asked_about(tmp_path: Path) -> None:
    """The annotator sees the whole of it, and says what it does not have."""
    questions = asked(tmp_path, "moss-02", "long", "facets")
    assert [q.item.kind for q in questions] == ["background", "method", "result", "conclusion"]
    assert {q.against for q in questions} == {("Moss died.",)}


def test_sentences_are_held_against_the_sources(tmp_path: Path) -> None:
    """Each is asked about with all that could carry it."""
    questions = asked(tmp_path, "moss-01", "long", "sentences")
    assert [(q.item.index, q.asked) for q in questions] == [
        (0, "Roofs get hot in July."),
        (1, "Moss cooled them by 9 K."),
        (2, "Grow it."),
    ]
    assert {len(q.against) for q in questions} == {3}


def test_facts_are_those_frozen_and_those_labelled(tmp_path: Path) -> None:
    """Their values are not shown: a second annotator labels the same facts blind."""
    questions = asked(tmp_path, "moss-01", "long", "facts")
    assert [(q.item.kind, q.asked) for q in questions] == [
        ("reference fact", "Moss cooled the roof."),
        ("reference fact", "The roof was 7 K cooler."),
        ("candidate fact", "The roof was 9 K cooler."),
    ]
    assert asked(tmp_path / "again", "moss-02", "long", "facts") == []


def test_book_writes_answers_as_labels_of_the_annotator(tmp_path: Path) -> None:
    """Worked example: a sentence with evidence, and a facet that was answered again."""
    suite = loaded(tmp_path)
    book = LabelBook(suite, tmp_path / "anna.jsonl", "anna")
    facet = next(questions_of(suite, "moss-01", "long", ("facets",)))
    *_, sentence = questions_of(suite, "moss-01", "long", ("sentences",))
    book.put(facet, 1)
    book.put(sentence, False, evidence=(2,), error="invented-detail")
    assert json.loads(book.put(facet, 3)) == {
        "paper": "moss-01",
        "system": "long",
        "facets": {"background": 3},
        "sentences": [
            {
                "index": 2,
                "faithful": False,
                "evidence": [{"index": 2, "starts": "Under moss the roof was"}],
                "error": "invented-detail",
            }
        ],
        "labelled_by": "anna",
    }
    marking = book.get(facet.item)
    assert marking is not None
    assert marking.value == 3


def test_book_goes_on_and_keeps_what_is_not_its_own(tmp_path: Path) -> None:
    """Notes that somebody has written into the file are theirs."""
    suite = load_suite(write_suite(tmp_path / "moss"))
    kept = {"basis": "blind", "provenance": "2026", "x_note": {"seen": 1}}
    line = {"paper": "moss-02", "system": "long", "overall": 0.5, "labelled_by": "anna"}
    file = write_lines(tmp_path / "anna.jsonl", line | kept)
    book = LabelBook(suite, file, "anna")
    question = next(questions_of(suite, "moss-02", "long", ("facets",)))
    assert json.loads(book.put(question, None)) == {
        **line,
        "facets": {"background": None},
        **kept,
    }


def test_book_keeps_roles_that_nobody_is_asked_for(tmp_path: Path) -> None:
    """Also those of a pair of which nothing else is said."""
    suite = load_suite(write_suite(tmp_path / "moss"))
    roles = [{"text": "It died.", "facet": "result"}]
    about = {"paper": "moss-02", "system": "long", "labelled_by": "anna"}
    other = {"paper": "moss-01", "system": "long", "overall": 0.5, "labelled_by": "anna"}
    file = write_lines(tmp_path / "anna.jsonl", about | {"roles": roles}, other)
    book = LabelBook(suite, file, "anna")
    question = next(questions_of(suite, "moss-01", "long", ("facets",)))
    lines = [json.loads(line) for line in book.put(question, None).splitlines()]
    assert lines == [
        {**about, "roles": roles},
        {**other, "facets": {question.item.kind: None}},
    ]
    question = next(questions_of(suite, "moss-02", "long", ("facets",)))
    both = [json.loads(line) for line in book.put(question, None).splitlines()]
    assert [line["roles"] for line in both if "roles" in line] == [roles]
    assert len(both) == 2


@pytest.mark.parametrize(("by", "shown"), [("ben", "'ben'"), (None, "'nobody'")])
def test_book_of_somebody_else_is_refused(tmp_path: Path, by: str | None, shown: str) -> None:
    """Two people's labels in one file are nobody's."""
    line = {"paper": "moss-02", "system": "long", "overall": 0.5}
    file = write_lines(tmp_path / "b.jsonl", line | ({"labelled_by": by} if by else {}))
    with pytest.raises(OptionError) as caught:
        LabelBook(loaded(tmp_path), file, "anna")
    assert str(caught.value) == (
        f"--out={file}: line 1 is labelled by {shown}, not by 'anna'; name another file, or the"
        " same --annotator"
    )


def test_book_that_is_no_label_file_is_refused(tmp_path: Path) -> None:
    """It would be overwritten."""
    file = write_lines(tmp_path / "b.jsonl", {"id": "moss-01"})
    suite = loaded(tmp_path)
    assert "unknown key 'id' in this label" in mistake(lambda: LabelBook(suite, file, "anna"))


def test_empty_file_is_a_book_without_answers(tmp_path: Path) -> None:
    """As a temporary file is made before it is named to a command."""
    file = tmp_path / "b.jsonl"
    file.touch()
    suite = loaded(tmp_path)
    question = next(questions_of(suite, "moss-01", "long", ("facets",)))
    assert LabelBook(suite, file, "anna").get(question.item) is None
