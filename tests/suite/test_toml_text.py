from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite.toml import KeyLine, key_lines

if TYPE_CHECKING:
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
    ("old", "new", "message"),
    [
        (
            "facet = 0.55",
            "facet = ",
            "14: no TOML at column 9: Invalid value, in 'facet = '; mend it",
        ),
        (
            "facet_kappa = 0.40",
            "facet_kappa = [",
            "21: no TOML: Invalid value, in 'facet_kappa = ['; mend it",
        ),
        (
            'skip = ["zinc-02"]',
            'skip = ["zinc-02"]\nskip = []',
            (
                "12: Cannot overwrite a value: 'systems.terse.skip' already has a value on line 11;"
                " delete one of the two"
            ),
        ),
        (
            '"facet.conclusion" = 2',
            "facet.conclusion = 2",
            (
                "15: Cannot overwrite a value: 'facet' has a value of its own, so a key with a dot"
                ' must be quoted; write "facet.conclusion" = ... instead of facet.conclusion = ...'
            ),
        ),
        (
            'facet = 0.55\n"facet.conclusion" = 2',
            "facet.conclusion = 2\nfacet = 0.55",
            (
                "15: Cannot overwrite a value: 'facet' has a value of its own, so a key with a dot"
                ' must be quoted; write "facet.conclusion" = ... instead of facet.conclusion = ...'
            ),
        ),
        (
            '"facet.conclusion" = 2',
            "[thresholds.facet]\nconclusion = 2",
            (
                "15: Cannot overwrite a value: 'thresholds.facet' already has a value on line 14;"
                " delete one of the two"
            ),
        ),
        (
            "facet = 0.55",
            "facet = " + "9" * 5000,
            "14: a number has too many digits ('999...'); shorten the number",
        ),
    ],
)
def test_toml_mistake_is_reported_at_its_line(
    golden: Golden, old: str, new: str, message: str
) -> None:
    """What tomllib says keeps its line and gains a remedy."""
    golden.spoil("summeval.toml", old, new)

    assert golden.mistake() == f"golden/summeval.toml:{message}"


@pytest.mark.parametrize("depth", [65, 300, 490, 1000, 100_000])
@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("x_a = ", "", 14),
        ("x_a = {a = ", "}", 14),
        ("x_a", " = 1", 14),
        ('"facet"', " = 1", 14),
        ("[x_a", "]", 14),
    ],
    ids=["list", "tables", "key", "threshold", "header"],
)
def test_nesting_bomb_in_toml_is_refused_at_its_line(
    golden: Golden, before: str, after: str, line: int, depth: int
) -> None:
    """A hostile suite file cannot end the process, however it nests."""
    if after == "}":
        bomb = before * depth + after * depth
    else:
        bomb = before + ("[" * depth if not after else ".a" * depth) + after
    golden.spoil("summeval.toml", "facet = 0.55", bomb)

    assert golden.mistake() == (
        f"golden/summeval.toml:{line}: this line is nested too deeply to be read; mend it"
    )


def test_dots_and_brackets_together_are_refused_at_their_table(golden: Golden) -> None:
    """Each alone stays below the bound."""
    bomb = f"x_a = {'{a.a.a = ' * 40}1{'}' * 40}"
    golden.spoil("summeval.toml", "facet = 0.55", bomb)

    assert golden.mistake() == (
        "golden/summeval.toml:13: this line is nested too deeply to be read; mend it"
    )
