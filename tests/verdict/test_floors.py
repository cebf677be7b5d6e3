from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.verdict.policy import Floors, floors_of, read_floors
from summeval_pytest.verdict.thresholds import Threshold
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, write_labelled

LABELS: tuple[Mapping[str, object], ...] = (GOOD_OF_KILN, BAD_OF_KILN)


def floors(folder: Path, *lines: str, judge: str = "rule") -> Floors:
    """The floors that these lines set for a judge, in a suite with labels of every kind."""
    suite = write_labelled(folder, *LABELS, floors="\n".join(lines))
    return floors_of(read_floors(suite, judge), judge)


def test_a_floor_may_be_on_the_lower_bound_and_on_the_figure(tmp_path: Path) -> None:
    """Few labels leave a wide interval; the suite says which of the two it means."""
    result = floors(
        tmp_path,
        "facet_exact = 0.5",
        '"facet_exact.lower" = 0.4',
        '"facet_exact.method.lower" = 0.3',
        '"unfaithful_recall.entity swap.lower" = 0.2',
    )
    assert result.floors == (
        Threshold("facet_exact", 0.4, "lower"),
        Threshold("facet_exact", 0.5, "point"),
        Threshold("facet_exact.method", 0.3, "lower"),
        Threshold("unfaithful_recall.entity swap", 0.2, "lower"),
    )
    assert result.floors[-1].title == "unfaithful_recall.entity swap.lower"
    assert result.only(["facet"]).floors == result.floors[:-1]


def test_a_judge_with_a_table_of_its_own_is_compared_with_that_one(tmp_path: Path) -> None:
    """What a large model can reach is no floor for the embedded judge."""
    lines = (
        "facet_kappa = 0.6",
        "fact_f1 = 0.7",
        "[thresholds.judge.offline]",
        "facet_kappa = 0.2",
        '[thresholds.judge."my.judges:Strict"]',
        "facet_kappa.result = 0.9",
    )
    common = (Threshold("facet_kappa", 0.6, "point"), Threshold("fact_f1", 0.7, "point"))
    assert floors(tmp_path / "a", *lines) == Floors(floors=common)
    for judge, name, least in (
        ("offline", "facet_kappa", 0.2),
        ("my.judges:Strict", "facet_kappa.result", 0.9),
    ):
        own = Floors(floors=(Threshold(name, least, "point"),), judge=judge)
        assert floors(tmp_path / name, *lines, judge=judge) == own
    # a judge without any may be a misspelt one, so that it is shown for whom the floors are
    assert floors(tmp_path / "b", *lines[2:4]) == Floors(judge="offline")


SENTENCE = {"paper": "kiln", "system": "bad", "sentences": [{"index": 0, "faithful": True}]}
OVERALL = {"paper": "kiln", "system": "bad", "overall": 1}


def test_a_floor_that_cannot_be_checked_is_refused(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """It would be missed or met by every judge, or hold nobody; a label or an edit mends it."""
    mistakes: list[tuple[tuple[Mapping[str, object], ...], tuple[str, ...]]] = [
        (LABELS, (
            "[thresholds.judge.ofline]\nfacet_kappa = 0.9", "facet_kappa = 1.01",
            "facet_kappa = -1.5", "facet_kappa = 40", "facet_kapa = 0.4",
            "facet_kappa.results = 0.4", '"evidence_recal.lower" = 0.4',
            "unfaithful_recal.number = 0.4", '"unfaithful_recall.entity-swap" = 0.4',
        )),
        ((SENTENCE,), (
            "facet_kappa = 0.4", "facet_spearman = 0.4", "facet_exact.method = 0.4",
            "fact_f1 = 0.4",
        )),
        ((OVERALL,), ("unfaithful_precision = 0.4", "evidence_recall = 0.4")),
        ((), ("facet_kappa = 0.4", "evidence_recall = 0.4")),
    ]  # fmt: skip
    messages: list[str] = []
    for labels, lines in mistakes:
        for line in lines:
            folder = tmp_path / str(len(messages))
            suite = write_labelled(folder, *labels, floors=line)
            n_lines = (folder / "summeval.toml").read_text(encoding="utf-8").rstrip().count("\n")
            with pytest.raises(SuiteError) as caught:
                read_floors(suite, "rule")
            assert caught.value.place == Place(f"{folder.name}/summeval.toml", n_lines + 1)
            messages.append(str(caught.value).partition(": ")[2])
    assert messages == snapshot
