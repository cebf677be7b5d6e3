from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite.toml import KeyLine, key_lines

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from tests.suite.conftest import Golden


def test_lines_of_keys_and_headers_are_found_past_values_that_span_lines() -> None:
    """Keys in strings, comments and arrays are no keys."""
    text = (
        'papers = "a.jsonl"  # papers = "b.jsonl"\n'
        "\n"
        'x_note = """\n'
        "[systems.fake]\n"
        'labels = \\""" still inside"""\n'
        "x_list = [ # ]\n"
        "  \"]\", [1, 2], '#',\n"
        "]\n"
        "[ systems . 'llama.3' ]\n"
        "  skip = [\n"
        '    "a",\n'
        "  ]\n"
        "x_raw = '''\n"
        "[thresholds]\n"
        "'''\n"
        "[[x_tables]]\n"
        '"facet.conclusion" = {a = 1, b = "}"}\n'
        "eva . recall = 0.5\n"
    )
    assert tomllib.loads(text)["x_tables"][0]["eva"] == {"recall": 0.5}

    assert list(key_lines(text)) == [
        KeyLine((), ("papers",), 1),
        KeyLine((), ("x_note",), 3),
        KeyLine((), ("x_list",), 6),
        KeyLine(("systems", "llama.3"), (), 9),
        KeyLine(("systems", "llama.3"), ("skip",), 10),
        KeyLine(("systems", "llama.3"), ("x_raw",), 13),
        KeyLine(("x_tables",), (), 16),
        KeyLine(("x_tables",), ("facet.conclusion",), 17),
        KeyLine(("x_tables",), ("eva", "recall"), 18),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("facet = 0.55", "facet = "),
        ("facet_kappa = 0.40", "facet_kappa = ["),
        ('skip = ["zinc-02"]', 'skip = ["zinc-02"]\nskip = []'),
        ('"facet.conclusion" = 2', "facet.conclusion = 2"),
        ('facet = 0.55\n"facet.conclusion" = 2', "facet.conclusion = 2\nfacet = 0.55"),
        ('"facet.conclusion" = 2', "[thresholds.facet]\nconclusion = 2"),
        ("facet = 0.55", "facet = " + "9" * 5000),
    ],
)
def test_toml_mistake_is_reported_at_its_line(
    golden: Golden, old: str, new: str, snapshot: SnapshotAssertion
) -> None:
    """What tomllib says keeps its line and gains a remedy."""
    golden.spoil("summeval.toml", old, new)
    assert golden.mistake() == snapshot


@pytest.mark.parametrize("depth", [65, 490, 100_000])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x_a = ", ""),
        ("x_a = {a = ", "}"),
        ("x_a", " = 1"),
        ('"facet"', " = 1"),
        ("[x_a", "]"),
    ],
    ids=["list", "tables", "key", "threshold", "header"],
)
def test_nesting_bomb_in_toml_is_refused_at_its_line(
    golden: Golden, before: str, after: str, depth: int, snapshot: SnapshotAssertion
) -> None:
    """A hostile suite file cannot end the process, however it nests."""
    if after == "}":
        bomb = before * depth + after * depth
    else:
        bomb = before + ("[" * depth if not after else ".a" * depth) + after
    golden.spoil("summeval.toml", "facet = 0.55", bomb)

    assert golden.mistake() == snapshot


def test_dots_and_brackets_together_are_refused_at_their_table(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """Each alone stays below the bound."""
    bomb = f"x_a = {'{a.a.a = ' * 40}1{'}' * 40}"
    golden.spoil("summeval.toml", "facet = 0.55", bomb)

    assert golden.mistake() == snapshot
