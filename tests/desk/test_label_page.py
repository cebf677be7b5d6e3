from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from summeval_pytest.desk.label_questions import RUBRICS
from summeval_pytest.questions import FACETS
from tests.cli.conftest import Shell
from tests.label_suite import HOSTILE_FACT, write_hostile_suite, write_suite

COLUMNS = ("item", "annotator", *FACETS, "faithful", "evidence", "error", "holds")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder."""
    monkeypatch.chdir(tmp_path)


def page(shell: Shell, suite: Path, *options: str, annotator: str = "anna") -> dict[str, Any]:
    """The data of the page that a command writes."""
    lines = shell.lines("label", suite, "--html=page.html", f"--annotator={annotator}", *options)
    saved = f"labels-{annotator}.csv"
    assert lines == [
        f"page.html: a page for {annotator}, who saves {saved} there",
        f"next: summeval import csv {saved} --suite {suite} --out {suite}/labels.jsonl",
    ]
    text = Path("page.html").read_text(encoding="utf-8")
    start = text.index('<script type="application/json" id="data">')
    block = text[text.index(">", start) + 1 : text.index("</script>", start)]
    data: dict[str, Any] = json.loads(block)
    return data


def rows(data: Mapping[str, Any], rating: str = "2") -> Iterator[dict[str, str]]:
    """The rows of somebody who answers all: no, or this rating, and evidence."""
    for question in data["questions"]:
        row = {"item": question["key"], "annotator": data["annotator"]}
        if question["kind"] == "sentence":
            evidence = "1;0" if len(data["sources"][question["source"]]) > 1 else "0"
            yield row | {"faithful": "no", "evidence": evidence, "error": "number"}
        elif question["kind"].endswith("fact"):
            yield row | {"holds": "no"}
        else:
            yield row | {question["kind"]: rating}


def imported(
    shell: Shell, suite: Path, table: list[dict[str, str]], out: str
) -> list[dict[str, Any]]:
    """The labels that an import of these rows writes."""
    with Path("in.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(table)
    shell.lines("import", "csv", "in.csv", "--suite", suite, "--out", out)
    return [json.loads(line) for line in Path(out).read_text(encoding="utf-8").splitlines()]


def test_a_table_of_the_page_becomes_the_labels_of_its_items(shell: Shell) -> None:
    """Worked example: texts that attack pages and spreadsheets come back unchanged.

    Two systems that say the same are asked about once, and the first has the labels: copies of one
    summary would make a judge look better tested than it is.
    """
    suite = write_hostile_suite(Path("hostile"))
    data = page(shell, suite)
    assert len(data["questions"]) == 7
    (zebra,) = imported(shell, suite, list(rows(data)), "out.jsonl")
    assert (zebra["system"], zebra["facets"]) == ("Zebra-9", {"background": 2, "result": 2})
    starts = ["</script><script>window.ran = 1</script> Moss cools", "Roofs get hot."]
    assert zebra["sentences"][2] == {
        "index": 2,
        "faithful": False,
        "evidence": [{"index": 1, "starts": starts[0]}, {"index": 0, "starts": starts[1]}],
        "error": "number",
    }
    assert zebra["facts"] == {
        "reference": [{"text": HOSTILE_FACT, "covered": False}],
        "candidate": [{"text": "@SUM(A1) is\t7 K", "supported": False}],
    }
    assert len(zebra["summary_digest"]) == len(zebra["paper_digest"]) == 12


def test_the_page_names_no_system_and_holds_no_markup_of_others(shell: Shell) -> None:
    """A name would sway people, and a text could act in their browser."""
    data = page(shell, write_hostile_suite(Path("hostile")))
    text = Path("page.html").read_text(encoding="utf-8")
    assert not any(name in text for name in ("Zebra", "Okapi", "first.jsonl"))
    assert "<img" not in text
    assert text.count("<script") == 2
    assert "default-src &#39;none&#39;" in text
    assert "\u202e" not in text
    assert r"\u202egnp\u202c" in " ".join(data["texts"])
    assert data["rubrics"].keys() == RUBRICS.keys()


def test_a_table_for_other_texts_is_refused(shell: Shell) -> None:
    """What people said of an old text would count as the judge's error on the new one."""
    suite = write_suite(Path("moss"))
    table = list(rows(page(shell, suite, "--only=short/moss-01", "--what=facets")))
    key = table[0]["item"]
    Path("in.csv").write_text(f"item,annotator,background\n{key},anna,2\n", encoding="utf-8")
    command = ("import", "csv", "in.csv", "--suite", suite, "--out", "out.jsonl")
    for name, old, new in (("short", "cools", "heats"), ("papers", "in July", "in June")):
        file = suite / f"{name}.jsonl"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(old, new), encoding="utf-8")
        assert shell.error(4, *command) == (
            f"in.csv:2: this row is about item {key!r}, which is of no text of"
            " moss/summeval.toml: the paper or its summary has changed, or the page is of another"
            " suite; delete the row, or make a new page"
        )
        file.write_text(text, encoding="utf-8")
    assert shell.lines(*command)[0] == "out.jsonl: labels of 1 pair: 1 facet rating"


def test_two_annotators_are_compared(shell: Shell) -> None:
    """Each has the same questions in another order; who answers otherwise disagrees."""
    suite = write_suite(Path("moss"))
    orders = set()
    for name, rating in (("anna", "2"), ("ben", "2"), ("cleo", "3"), ("dan", "3")):
        data = page(shell, suite, annotator=name)
        orders.add(tuple(question["key"] for question in data["questions"]))
        imported(shell, suite, list(rows(data, rating)), f"{name}.jsonl")
    assert len(orders) > 1
    assert len({frozenset(order) for order in orders}) == 1
    for other, exact in (("ben", "1.000"), ("dan", "0.000")):
        lines = shell.lines("agree", suite, "--compare", "anna.jsonl", f"{other}.jsonl")
        figures = {line.split()[0]: line for line in reversed(lines) if line.strip()}
        assert figures["items"].split()[1:] == ["3", "1", "3", "3"]
        assert f" {exact} " in figures["exact"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--annotator=anna",), "write either --out FILE, to label here, or --html FILE, for a"),
        (("--annotator=anna", "--html=a.html", "--out=a.jsonl"), "write either --out FILE, to"),
        (("--annotator==1+1", "--html=a.html"), "--annotator='=1+1': begin the name with a"),
        (("--annotator=a\nb", "--html=a.html"), "--annotator='a\\nb': begin the name with a"),
        (("--annotator=a", "--html=no/a.html"), "--html=no/a.html: cannot be written, its folder"),
    ],
)
def test_options_that_do_not_fit_are_usage_errors(
    shell: Shell, options: tuple[str, ...], message: str
) -> None:
    """A spreadsheet would run a name that begins like a formula."""
    suite = write_suite(Path("moss"))
    assert shell.error(4, "label", suite, *options).startswith(message)
    assert not Path("a.html").exists()
