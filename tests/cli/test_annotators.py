from __future__ import annotations

from summeval_pytest.cli.annotators import agreement_json, agreement_lines, in_short
from summeval_pytest.verdict.annotators import (
    AnnotatorAgreement,
    EvidenceAgreement,
    KindAgreement,
    OverallAgreement,
)

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
    figures = agreement_json(FOUND)
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
