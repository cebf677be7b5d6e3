from __future__ import annotations

import json
from pathlib import Path

import pytest

from summeval_pytest.analysis.annotators import (
    AnnotatorAgreement,
    EvidenceAgreement,
    KindAgreement,
    OverallAgreement,
)
from summeval_pytest.cli.agree import agreement_lines, annotators_json, in_short
from summeval_pytest.cli.app import main
from tests.label_suite import write_lines, write_suite

ROOT = Path(__file__).parents[2]
FOUND = AnnotatorAgreement(
    n_pairs=(36, 12, 12),
    kinds=(
        KindAgreement(
            kind="result",
            n_items=12,
            exact=0.75,
            kappa=0.5,
            quadratic=0.625,
            n_absent=1,
            n_only=(24, 0),
        ),
        KindAgreement(kind="sentence", n_items=70, exact=1.0, kappa=None, n_only=(0, 2)),
        KindAgreement(kind="candidate fact", n_items=0, exact=None, kappa=None, n_only=(0, 2)),
    ),
    evidence=EvidenceAgreement(n_sentences=60, f1=0.8125),
    overall=OverallAgreement(n_pairs=10, difference=0.0625, n_only=(1, 0)),
)


def test_every_figure_stands_beside_what_it_stands_on() -> None:
    """A kappa of twelve items is another thing than one of a thousand."""
    assert list(agreement_lines(FOUND, "a.jsonl", "b\x1b.jsonl")) == [
        "a.jsonl: 36 pairs labelled",
        "b\\x1b.jsonl: 12 pairs labelled, 12 of them by both",
        "",
        "                   items   exact   kappa  quadratic  only 1st  only 2nd",
        "result                12   0.750   0.500      0.625        24         0",
        "sentence              70   1.000       -          -         0         2",
        "  evidence F1         60   0.812",
        "candidate fact         0       -       -          -         0         2",
        "overall               10                                    1         0",
        "overall scores differ by 0.062 on average",
        "facets that one rates and the other calls absent, in no figure: 1",
    ]


def test_json_has_every_figure_undefined_ones_as_null() -> None:
    """A script reads it."""
    figures = annotators_json(FOUND)
    assert figures["pairs"] == {"first": 36, "second": 12, "both": 12}
    assert figures["evidence"] == {"sentences": 60, "f1": 0.8125}
    assert figures["overall"] == {
        "pairs": 10,
        "mean_absolute_difference": 0.0625,
        "only_first": 1,
        "only_second": 0,
    }
    kinds = figures["kinds"]
    assert isinstance(kinds, dict)
    assert kinds["result"] == {
        "items": 12,
        "exact": 0.75,
        "kappa": 0.5,
        "quadratic_kappa": 0.625,
        "absent_to_one": 1,
        "only_first": 24,
        "only_second": 0,
    }
    assert kinds["sentence"]["kappa"] is None


def test_short_form_names_only_what_both_have() -> None:
    """It stands in a message; the kappa is the quadratic one where there is one."""
    assert in_short(FOUND) == (
        "result 0.750 exact, kappa 0.625 (n 12); sentence 1.000 exact, kappa - (n 70)"
    )
    empty = AnnotatorAgreement(
        n_pairs=(1, 1, 0),
        kinds=(),
        evidence=EvidenceAgreement(n_sentences=0, f1=None),
        overall=OverallAgreement(n_pairs=0, difference=None),
    )
    assert in_short(empty) == "no item that both have labelled"


def test_two_files_are_compared_and_the_figures_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worked example: one facet of two the same, a pair that only the first has labelled."""
    monkeypatch.chdir(tmp_path)
    write_suite(Path("moss"))
    pair = {"paper": "moss-01", "system": "long"}
    first = [
        {**pair, "facets": {"method": 4, "result": 2}},
        {"paper": "moss-02", "system": "long", "overall": 1},
    ]
    write_lines(Path("a.jsonl"), *first)
    write_lines(Path("b.jsonl"), {**pair, "facets": {"method": 4, "result": 3}})
    assert main(["agree", "moss", "--compare", "a.jsonl", "b.jsonl", "--json", "f.json"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a.jsonl: 2 pairs labelled",
        "b.jsonl: 1 pairs labelled, 1 of them by both",
        "",
        "                   items   exact   kappa  quadratic  only 1st  only 2nd",
        "method                 1   1.000       -          -         0         0",
        "result                 1   0.000   0.000      0.000         0         0",
        "overall                0                                    1         0",
    ]
    figures = json.loads(Path("f.json").read_text(encoding="utf-8"))
    assert figures["pairs"] == {"first": 2, "second": 1, "both": 1}


def test_bundled_labels_agree_with_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    """A partial second file is compared in the same way."""
    golden = ROOT / "golden"
    labels = str(golden / "labels.jsonl")
    assert main(["agree", str(golden), "--compare", labels, labels]) == 0
    rows = capsys.readouterr().out.splitlines()[4:]
    assert rows
    assert all(" 1.000 " in row for row in rows if not row.startswith(("overall", "  ev")))


@pytest.mark.parametrize("option", ["--summary", "--fit-weights", "--level=all"])
def test_options_of_the_tables_are_refused(capsys: pytest.CaptureFixture[str], option: str) -> None:
    """They would be in vain: no judge is asked, and no other table is printed."""
    assert main(["agree", "moss", "--compare", "a.jsonl", "b.jsonl", option]) == 4
    name = option.partition("=")[0]
    assert capsys.readouterr().err == (
        f"summeval: error: --compare prints no other table; leave out {name}\n"
    )
