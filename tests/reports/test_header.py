from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from summeval_pytest.reports.run import cassette_lines, header_line, uncalibrated_lines
from summeval_pytest.store.cassette import Row, read_cassette, write_cassette

if TYPE_CHECKING:
    from pathlib import Path


def test_the_header_says_who_judges_what() -> None:
    """A log that is read a year later has to tell what was gated, and by which judge."""
    line = header_line(
        judge="offline-3",
        store="not needed",
        record="new",
        suites=[("golden", "77be02a1c3d4", ("careful", "terse"))],
    )
    assert line == (
        "summeval: judge offline-3, store not needed, record new,"
        " suite golden 77be02a1c3d4 (careful, terse)"
    )


def test_every_suite_is_named() -> None:
    """Two suites may be among the arguments."""
    suites = [("golden", "77be02a1c3d4", ("careful",)), ("zinc", "0a1b2c3d4e5f", ("llama3",))]
    line = header_line(judge="gpt", store=".summ", record="none", suites=suites)
    assert line.endswith("suite golden 77be02a1c3d4 (careful), zinc 0a1b2c3d4e5f (llama3)")


def test_the_header_is_one_safe_line() -> None:
    """A judge's signature is other people's text, and a runner obeys what begins a line."""
    line = header_line(
        judge="a\x1b[31m\n::error::b ##[group] \u202ec",
        store="none",
        record="new",
        suites=[("zinc\n", "77be02a1c3d4", ["careful"])],
    )
    assert line == (
        r"summeval: judge a\x1b[31m ::error::b #\x23[group] \u202ec, store none, record new,"
        " suite zinc 77be02a1c3d4 (careful)"
    )


def test_the_header_is_bounded() -> None:
    """A hundred systems must not push the first test off the screen."""
    systems = [f"system-{number}" for number in range(100)]
    line = header_line(
        judge="offline-3", store="none", record="new", suites=[("golden", "77be02a1c3d4", systems)]
    )
    assert len(line) == 500
    assert line.endswith("\u2026")
    assert "system-0, system-1, " in line


def test_each_cassette_is_named_with_its_hash(tmp_path: Path) -> None:
    """Whoever edits a recorded reply changes every number behind it, and the hash shows it."""
    file = tmp_path / "cassette.jsonl"
    write_cassette(file, [Row(key="0" * 64, topic="facets", reply={"text": "{}"})])
    cassette = read_cassette(file, "golden/cassette\x1b[31m.jsonl")
    (line,) = cassette_lines([cassette])
    assert line == (
        r"summeval: cassette golden/cassette\x1b[31m.jsonl, 1 reply,"
        f" sha256 {hashlib.sha256(file.read_bytes()).hexdigest()}"
    )


def test_a_run_without_a_cassette_has_no_line_about_one() -> None:
    """What is not there needs no line."""
    assert list(cassette_lines(())) == []


def test_suites_without_labels_are_named_at_the_top() -> None:
    """Nobody knows how well their judge judges, and a green run does not show it."""
    assert list(uncalibrated_lines(["golden"])) == [
        "summeval: judge not calibrated: golden has no labels; see 'summeval agree'"
    ]
    assert list(uncalibrated_lines(["golden", "zinc"])) == [
        "summeval: judge not calibrated: golden, zinc have no labels; see 'summeval agree'"
    ]


def test_suites_that_all_have_labels_have_no_line_about_them() -> None:
    """What is in order needs no line."""
    assert list(uncalibrated_lines(())) == []


def test_the_line_about_labels_is_one_safe_and_bounded_line() -> None:
    """A suite's name is other people's text."""
    (line,) = uncalibrated_lines(["a\n::error::b ##[group]\x1b[31m", *["zinc"] * 200])
    assert line.startswith(
        r"summeval: judge not calibrated: a ::error::b #\x23[group]\x1b[31m, zinc, zinc"
    )
    assert 490 < len(line) <= 500
