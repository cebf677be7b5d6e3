"""The tables of slices and comparisons, and papers that must pass."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.verdict.means import slices_of
from summeval_pytest.verdict.thresholds import thresholds_of
from tests.suite.conftest import Golden
from tests.suite.test_file import waiver_table

SLICES = '[slices]\nfield = "x_field"\nyear = "x_year"\n'
CS = [{"x_field": "cs", "x_year": 2024}] * 5


def with_fields(golden: Golden, *fields: Mapping[str, object]) -> tuple[str, ...]:
    """Adds columns to the papers, and papers until there are as many; returns their names."""
    file = golden.path / "papers.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    added = [f"moss-{place}" for place in range(len(rows), len(fields))]
    rows += [rows[0] | {"id": name} for name in added]
    for system in (golden.path / "systems").iterdir():
        more = (json.dumps({"paper": name, "summary": "Moss grew."}) for name in added)
        system.write_text("\n".join([system.read_text().rstrip("\n"), *more]))
    full = [row | of for row, of in zip(rows, [*fields, *[{}] * len(rows)], strict=False)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in full))
    return tuple(str(row["id"]) for row in rows)


def extend(golden: Golden, text: str, top: str = "") -> None:
    """Adds keys at the top of the suite, and tables at its end."""
    file = golden.path / "summeval.toml"
    file.write_text(f"{top}\n{file.read_text()}\n{text}\n")


def test_papers_are_cut_by_their_own_columns(golden: Golden) -> None:
    """A paper without a value is in no slice; the columns change no fingerprint."""
    with_fields(golden, *[{}] * 6)
    before = load_suite(golden.path).fingerprint
    names = with_fields(golden, *CS, {"x_field": "bio"})
    extend(golden, f'{SLICES}[thresholds.slice."field=cs"]\nfacet = 0.5\n')
    suite = load_suite(golden.path)
    assert suite.slices == {
        "field=bio": (names[5],), "field=cs": names[:5], "year=2024": names[:5],
    }  # fmt: skip
    assert suite.fingerprint == before
    limits = {each.name: each.thresholds for each in slices_of(suite, thresholds_of(suite))}
    assert [each.least for each in limits["field=cs"]] == [0.5]
    assert limits["field=bio"] == ()


@pytest.mark.parametrize("value", ["cs ", " ", "c\u200bs", "c  s", "c\u00a0s", "cafe\u0301"])
def test_values_that_look_alike_make_no_slices(golden: Golden, value: str) -> None:
    """A paper whose value has one more space would leave the slice that has the threshold."""
    with_fields(golden, *CS, {"x_field": value})
    extend(golden, SLICES)
    with pytest.raises(SuiteError, match=r"'x_field' of this paper .* with single spaces"):
        load_suite(golden.path)


def test_what_could_not_decide_is_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """Each message says what, where and what to do."""
    with_fields(golden, *CS, {"x_field": "bio"})
    extend(golden, "# more")
    of_slice = f"{SLICES}[thresholds.slice"
    tables = [
        '[slices]\nfield = "field"',
        '[slices]\n"f=c" = "x_field"', '[slices]\nage = "x_age"', '[slices]\nx_field = "x_field"',
        f'{of_slice}."field=c"]\nfacet = 0.5', f'{of_slice}."field=cs"]\nfacets = 0.5',
        f'{of_slice}."field=bio"]\nfacet = 0.5',
        f'{of_slice}."field=cs"]\nfacet = 2', f"{of_slice}]\nfacet = 2", "[compare]\nshare = 0",
        "[compare]\nno_worst = {}", "[compare]\nno_worse = 0.1",
        '[compare.no_worse]\nfacet = "0.1"',
    ]  # fmt: skip
    text = (golden.path / "summeval.toml").read_text(encoding="utf-8")
    messages = []
    for table in tables:
        golden.write("summeval.toml", text.replace("# more", table))
        with pytest.raises(SuiteError) as caught:
            slices_of(suite := golden.load(), thresholds_of(suite))
        messages.append(str(caught.value))
    assert messages == snapshot


def test_a_paper_that_must_pass_has_no_waiver(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """A name that no paper has would protect nothing."""
    extend(golden, waiver_table("wet"), top='must_pass = ["zinc-03"]')
    changes = [("zinc-03", name) for name in ("nobody", "zinc-01", "zinc-02")]
    assert list(golden.mistakes("summeval.toml", changes).values()) == snapshot
