from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite.lines import closest

if TYPE_CHECKING:
    from tests.suite.conftest import Golden

UNFIT = [
    ("a b", "white space (' ')"),
    ("a\u00a0b", r"white space ('\xa0')"),
    ("a\u2028", r"white space ('\u2028')"),
    ("a\u0000b", r"a control character ('\x00')"),
    ("a\u200bb", r"a control character ('\u200b')"),
    ("p1[b]", "'['"),
    ("b]", "']'"),
    ("a|b", "'|'"),
    ("a::b", "'::'"),
    (":b", "':' at an end"),
    ("b:", "':' at an end"),
]


@pytest.mark.parametrize(("name", "unfit"), UNFIT)
def test_paper_id_that_no_node_id_can_hold_is_refused(
    golden: Golden, name: str, unfit: str
) -> None:
    """Such a paper could be neither selected nor run again by pytest."""
    golden.lines("papers.jsonl", {"id": name, "source": "a", "reference": "b"})

    assert golden.mistake() == (
        f"golden/papers.jsonl:1: paper {name!r} has {unfit} in its name, which no pytest node id"
        " can hold; use letters, digits, '-', '_' and '.'"
    )


@pytest.mark.parametrize(("name", "unfit"), UNFIT[4:])
def test_system_name_that_no_node_id_can_hold_is_refused(
    golden: Golden, name: str, unfit: str
) -> None:
    """The same rule holds for the other half of a node id."""
    golden.spoil("summeval.toml", "[systems.terse]", f'[systems."{name}"]')

    assert golden.mistake() == (
        f"golden/summeval.toml:9: system {name!r} has {unfit} in its name, which no pytest node id"
        " can hold; use letters, digits, '-', '_' and '.'"
    )


@pytest.mark.parametrize("name", ["judge", "metamorphic"])
def test_reserved_system_name_is_refused(golden: Golden, name: str) -> None:
    """These items of a suite are no systems."""
    golden.spoil("summeval.toml", "[systems.terse]", f"[systems.{name}]")

    assert golden.mistake() == (
        f"golden/summeval.toml:9: system {name!r} has a reserved name; choose another"
    )


def test_reserved_paper_id_is_refused(golden: Golden) -> None:
    """The item of the means has this name."""
    golden.spoil("papers.jsonl", "zinc-02", "all-papers")

    assert golden.mistake() == (
        "golden/papers.jsonl:2: paper 'all-papers' has a reserved name; choose another"
    )


def test_overlong_name_is_refused(golden: Golden) -> None:
    """A node id is also a file name in some reports."""
    golden.spoil("papers.jsonl", "zinc-02", "z" * 201)

    assert golden.mistake() == (
        "golden/papers.jsonl:2: paper 'zzzzzzzzzzzzzzzzzzzz'... has a name of 201 characters;"
        " use at most 200"
    )


def test_name_with_a_slash_or_an_accent_is_fine(golden: Golden) -> None:
    """DOIs are names of papers."""
    golden.lines(
        "papers.jsonl",
        {"id": "10.1000/zinc:1", "source": "a", "reference": "b"},
        {"id": "na\u00efve", "source": "a", "reference": "b"},
    )
    golden.write("summeval.toml", 'papers = "papers.jsonl"\n[systems.a]\nsummaries = "a.jsonl"\n')
    golden.lines(
        "a.jsonl", *({"paper": name, "summary": "c"} for name in ("na\u00efve", "10.1000/zinc:1"))
    )

    assert golden.load().paper_ids == ("10.1000/zinc:1", "na\u00efve")


def test_long_list_of_known_names_is_cut() -> None:
    """A suite of 10,000 papers does not fill the screen with their names."""
    assert closest("x", ["b", "a"]) == "known: a, b"
    assert closest("x", [f"p{number:02}" for number in range(20)]) == (
        "known: p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11 and 8 more"
    )
    assert closest("p-07", [f"p{number:02}" for number in range(20)]) == "did you mean 'p07'?"
