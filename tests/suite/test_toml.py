from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite.lines import key_lines

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
        ((), ("papers",), 1),
        ((), ("x_note",), 3),
        ((), ("x_list",), 6),
        (("systems", "llama.3"), (), 9),
        (("systems", "llama.3"), ("skip",), 10),
        (("systems", "llama.3"), ("x_raw",), 13),
        (("x_tables",), (), 16),
        (("x_tables",), ("facet.conclusion",), 17),
        (("x_tables",), ("eva", "recall"), 18),
    ]


def test_a_table_stands_where_its_own_header_is(golden: Golden) -> None:
    """A table within it may have been written before."""
    golden.spoil(
        "summeval.toml", "[thresholds]\n", "[endpoints.a.x_b]\n[endpoints.a]\n[thresholds]\n"
    )
    assert golden.mistake() == (
        "golden/summeval.toml:14: endpoint 'a' has no 'base_url'; add the key with a text"
    )


def test_mistakes_in_toml_are_told_at_their_lines(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """What tomllib says keeps its line and gains a remedy; many dots and brackets are refused."""
    conclusion = '"facet.conclusion" = 2'
    changes = [
        ("facet = 0.55", "facet = "),
        ("facet_kappa = 0.40", "facet_kappa = ["),
        ('skip = ["zinc-02"]', 'skip = ["zinc-02"]\nskip = []'),
        (conclusion, "facet.conclusion = 2"),
        (f"facet = 0.55\n{conclusion}", "facet.conclusion = 2\nfacet = 0.55"),
        (conclusion, "[thresholds.facet]\nconclusion = 2"),
        ("facet = 0.55", "facet = " + "9" * 5000),
        ("facet = 0.55", f"x_a = {'{a.a.a = ' * 40}1{'}' * 40}"),
    ]
    messages = golden.mistakes("summeval.toml", changes).values()
    assert [message.replace("9" * 50, "9...") for message in messages] == snapshot


@pytest.mark.parametrize("depth", [65, 490, 100_000])
def test_nesting_bombs_in_toml_are_refused_at_their_line(golden: Golden, depth: int) -> None:
    """A hostile suite file cannot end the process, however it nests."""
    dots, lists = ".a" * depth, "[" * depth
    tables = f"{'x_a = {a = ' * depth}{'}' * depth}"
    bombs = [f"x_a = {lists}", tables, f"x_a{dots} = 1", f'"facet"{dots} = 1', f"[x_a{dots}]"]
    messages = golden.mistakes("summeval.toml", [("facet = 0.55", bomb) for bomb in bombs]).values()
    assert set(messages) == {
        "golden/summeval.toml:14: this line is nested too deeply to be read; mend it"
    }
