from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.verdict.floors import Floors, floors_of, read_floors
from summeval_pytest.verdict.thresholds import Threshold
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, write_labelled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RANGE = "write a value in that range, or remove it"
LABELS: tuple[Mapping[str, object], ...] = (GOOD_OF_KILN, BAD_OF_KILN)
SENTENCES_ONLY = {"paper": "kiln", "system": "bad", "sentences": [{"index": 0, "faithful": True}]}


def floors(folder: Path, *lines: str, judge: str = "rule") -> Floors:
    """The floors that these lines set for a judge, in a suite with labels of every kind."""
    suite = write_labelled(folder, *LABELS, floors="\n".join(lines))
    return floors_of(read_floors(suite, judge), judge)


def floor_refused(
    folder: Path,
    *lines: str,
    labels: tuple[Mapping[str, object], ...] = LABELS,
    judge: str = "rule",
) -> str:
    """The message for these lines, the last of which is the mistake, without its place."""
    suite = write_labelled(folder, *labels, floors="\n".join(lines))
    written = (folder / "summeval.toml").read_text(encoding="utf-8").splitlines()
    with pytest.raises(SuiteError) as caught:
        read_floors(suite, judge)
    place = Place(f"{folder.name}/summeval.toml", written.index(lines[-1]) + 1)
    assert caught.value.place == place
    return str(caught.value).removeprefix(f"{place}: ")


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


def test_a_table_of_a_judge_that_there_is_not_is_refused(tmp_path: Path) -> None:
    """A misspelt name would leave the judge without any floor, and the run none the wiser."""
    lines = ("[thresholds.judge.ofline]", "facet_kappa = 0.9")
    assert floor_refused(tmp_path, *lines) == (
        "agreement floor 'ofline.facet_kappa' is for the unknown judge 'ofline'; did you mean"
        " 'offline'?; or define it as [judges.ofline]"
    )


@pytest.mark.parametrize("value", ["1.01", "-1.5", "40"])
def test_a_floor_out_of_range_is_refused(tmp_path: Path, value: str) -> None:
    """No judge could ever meet it, or none could miss it; a percentage is the likeliest slip."""
    assert floor_refused(tmp_path, "fact_f1 = 0.2", f"facet_kappa = {value}") == (
        f"agreement floor facet_kappa = {value} can never decide: facet_kappa (mean of the four"
        f" facets' quadratic kappas) ranges from -1 to 1; {RANGE}"
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("facet_kapa", "facet_kappa"),
        ("facet_kappa.results", "facet_kappa.result"),
        ('"evidence_recal.lower"', "evidence_recall"),
        ("unfaithful_recal.number", "unfaithful_recall"),
    ],
)
def test_an_unknown_figure_names_the_one_probably_meant(
    tmp_path: Path, written: str, meant: str
) -> None:
    """A floor under a misspelt name would hold nobody and nobody would know."""
    name = written.strip('"')
    assert floor_refused(tmp_path, "fact_f1 = 0.2", f"{written} = 0.4") == (
        f"unknown agreement floor {name!r}; did you mean {meant!r}?"
    )


@pytest.mark.parametrize(
    ("name", "part", "labels"),
    [
        ("facet_kappa", "facets", SENTENCES_ONLY),
        ("facet_spearman", "overall", SENTENCES_ONLY),
        ("facet_exact.method", "facets", SENTENCES_ONLY),
        ("fact_f1", "facts", SENTENCES_ONLY),
        ("unfaithful_precision", "unfaithful sentences", {**SENTENCES_ONLY, "sentences": None}),
        ("evidence_recall", "evidence", {**SENTENCES_ONLY, "sentences": None}),
    ],
)
def test_a_floor_that_no_label_can_hold_is_refused(
    tmp_path: Path, name: str, part: str, labels: dict[str, object]
) -> None:
    """It would be missed for ever, by every judge, and the remedy is a label."""
    kept = {key: value for key, value in labels.items() if value is not None}
    label = {"overall": 1, **kept} if "sentences" not in kept else kept
    remedy = f'label {part} in the file that labels = "..." names, or remove the floor'
    never = f"agreement floor {name!r} can never be checked: "
    message = floor_refused(tmp_path / "a", f"{name} = 0.4", labels=(label,))
    assert message == f"{never}no label has {part!r}; {remedy}"
    message = floor_refused(tmp_path / "b", f"{name} = 0.4", labels=())
    assert message == f"{never}the suite has no labels; {remedy}"


def test_a_kind_of_error_that_no_label_names_is_refused(tmp_path: Path) -> None:
    """The kinds are the suite's own words, so a slip in them is the likeliest mistake."""
    assert floor_refused(tmp_path, '"unfaithful_recall.entity-swap" = 0.4') == (
        "agreement floor 'unfaithful_recall.entity-swap' can never be checked: no labelled sentence"
        " has the error 'entity-swap'; did you mean 'entity swap'?"
    )
