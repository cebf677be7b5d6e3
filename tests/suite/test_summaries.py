from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.suite.conftest import Golden


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"paper": "zinc-01"}, "this summary has no 'summary'; add the key with a text"),
        ({"summary": "a"}, "this summary has no 'paper'; add the key with a text"),
        (
            {"paper": "zinc-01", "summary": " "},
            (
                "'summary' of this summary is empty (' '); write what the system returned, or '-'"
                " where that was nothing: that fails"
            ),
        ),
        (
            {"paper": "zinc-01", "summary": ["a"]},
            "'summary' of this summary is a list of 1; write a text",
        ),
        (
            {"paper": "zinc-1", "summary": "a"},
            "this summary is for the unknown paper 'zinc-1'; did you mean 'zinc-01'?",
        ),
        (
            {"paper": "iron", "summary": "a"},
            "this summary is for the unknown paper 'iron'; known: zinc-01, zinc-02",
        ),
        (
            {"paper": "zinc-01", "summary": "a", "sumary": "b"},
            "unknown key 'sumary' in this summary; did you mean 'summary'?",
        ),
        (
            {"paper": "zinc-01", "summary": "a", "provenance": ""},
            "'provenance' of this summary is empty (''); write a text",
        ),
        (
            {"paper": "zinc-01", "summary": "a", "provenance": None},
            "'provenance' of this summary is null; write a text",
        ),
        (
            {"paper": "zinc-02", "summary": "a"},
            (
                "system 'terse' has a summary for paper 'zinc-02', which it lists under 'skip';"
                " delete one of the two"
            ),
        ),
    ],
)
def test_mistake_in_a_summary_is_reported(
    golden: Golden, line: dict[str, object], message: str
) -> None:
    """Each message says what, where and what to do."""
    golden.lines("systems/terse.jsonl", line)

    assert golden.mistake() == f"golden/systems/terse.jsonl:1: {message}"


def test_provenance_of_a_summary_moves_no_score(golden: Golden) -> None:
    """It says who wrote it, and no judge sees it."""
    before = golden.load().pair("zinc-01", "terse")
    golden.lines(
        "systems/terse.jsonl",
        {"provenance": "made by hand", "paper": "zinc-01", "summary": "It did."},
    )

    assert golden.load().pair("zinc-01", "terse") == before


def test_second_summary_of_a_pair_is_refused(golden: Golden) -> None:
    """Which of them the system wrote cannot be guessed."""
    line = {"paper": "zinc-01", "summary": "a", "x_seed": 1}
    golden.lines("systems/terse.jsonl", line, line)

    assert golden.mistake() == (
        "golden/systems/terse.jsonl:2: system 'terse' has a summary for paper 'zinc-01'"
        " on line 1, too; delete one"
    )


def test_pair_without_a_summary_is_refused(golden: Golden) -> None:
    """A missing summary is never a pass."""
    golden.lines("systems/careful.jsonl", {"paper": "zinc-01", "summary": "a"})

    assert golden.mistake() == (
        "golden/summeval.toml:6: system 'careful' has no summary for paper 'zinc-02';"
        " add it to systems/careful.jsonl or list the paper under 'skip'"
    )


def test_several_pairs_without_a_summary_are_one_message(golden: Golden) -> None:
    """The first paper is named, the others are counted."""
    golden.lines(
        "papers.jsonl",
        *({"id": f"zinc-{n:02}", "source": "a", "reference": "b"} for n in range(1, 6)),
    )
    golden.lines("systems/careful.jsonl", {"paper": "zinc-04", "summary": "a"})

    assert golden.mistake() == (
        "golden/summeval.toml:6: system 'careful' has no summary for paper 'zinc-01' and 3 more;"
        " add them to systems/careful.jsonl or list the papers under 'skip'"
    )
