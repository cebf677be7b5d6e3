from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError, Place, SuiteError
from summeval_pytest.suite.values import Setting
from summeval_pytest.verdict.thresholds import (
    CORRECTABLE,
    Threshold,
    Thresholds,
    check_supported,
    read_thresholds,
    thresholds_of,
)
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, write_labelled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE = "golden/summeval.toml"
KNOWN = (
    "eva, eva.precision, eva.recall, eva.recall_entailed, facet, facet.background,"
    " facet.conclusion, facet.method, facet.result, faithfulness,"
    " faithfulness.conflicts, faithfulness.support"
)


def setting(name: str, value: float, line: int = 14) -> Setting:
    """A threshold as a suite states it."""
    return Setting(name=name, value=value, place=Place(FILE, line))


def in_suite(name: str, value: float) -> str:
    """The message for a suite's threshold; the same for pairs and for means."""
    messages = []
    for pair, mean in ([setting(name, value)], []), ([], [setting(name, value)]):
        with pytest.raises(SuiteError) as caught:
            read_thresholds(pair, mean)
        assert caught.value.place == Place(FILE, 14)
        messages.append(str(caught.value))
    first, second = messages
    assert first == second
    return first


def on_command_line(*options: str) -> str:
    """The message for an option."""
    with pytest.raises(OptionError) as caught:
        read_thresholds([], [], options=options)
    return str(caught.value)


def test_thresholds_of_a_suite_are_taken_as_they_stand() -> None:
    """For pairs and means apart, in the order of the metrics and not of the file."""
    thresholds = read_thresholds(
        [setting("faithfulness", 0.9), setting("facet.conclusion", 2), setting("facet", 0.55)],
        [setting("eva", 0.4), setting("facet", 0.65)],
    )
    assert thresholds == Thresholds(
        pair=(
            Threshold("facet", 0.55),
            Threshold("facet.conclusion", 2),
            Threshold("faithfulness", 0.9),
        ),
        mean=(Threshold("facet", 0.65), Threshold("eva", 0.4)),
    )


def test_only_metrics_with_a_threshold_are_needed() -> None:
    """Measuring the others would cost and decide nothing; one for a mean counts as well."""
    thresholds = read_thresholds([setting("faithfulness", 0.9)], [setting("facet.result", 2)])
    assert thresholds.metrics == ("facet", "faithfulness")
    assert Thresholds(pair=(), mean=()).metrics == ()


def test_an_option_takes_the_place_of_the_suites_threshold() -> None:
    """The command line stands over the suite file, for pairs and for means apart."""
    thresholds = read_thresholds(
        [setting("facet", 0.55), setting("eva", 0.3)],
        [setting("facet", 0.65)],
        options=["facet=0.7"],
    )
    assert thresholds.pair == (Threshold("facet", 0.7), Threshold("eva", 0.3))
    assert thresholds.mean == (Threshold("facet", 0.65),)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("facet", 0.25),
        ("facet", 1.0),
        ("facet.background", 3),
        ("facet.method", 4),
        ("facet.result", 1),
        ("eva", 0.0),
        ("faithfulness", 1.0),
    ],
)
def test_the_ends_of_a_range_belong_to_it(name: str, value: float) -> None:
    """Everything right is a threshold that a perfect system can meet."""
    read = read_thresholds([setting(name, value)], [], options=[f"mean.{name}={value}"])
    assert read == Thresholds(pair=(Threshold(name, value),), mean=(Threshold(name, value),))


def test_an_unknown_name_in_a_suite_names_the_one_probably_meant() -> None:
    """A threshold under a misspelt name would gate nothing and nobody would know."""
    assert in_suite("facet.conclusions", 2) == (
        f"{FILE}:14: unknown threshold 'facet.conclusions'; did you mean 'facet.conclusion'?"
    )


RANGE = "write a value in that range, or remove it"


def test_a_threshold_that_nothing_can_miss_is_refused() -> None:
    """FM is never under 0.25, so this would look like a gate and be none."""
    assert in_suite("facet", 0.2) == (
        f"{FILE}:14: threshold facet = 0.2 can never decide: facet (Facet-aware Metric) ranges"
        f" from 0.25 to 1; {RANGE}"
    )


@pytest.mark.parametrize("option", ["facet", "facet=", "facet=high", "facet=0,6", ""])
def test_an_option_without_a_number_shows_how_to_write_one(option: str) -> None:
    """A value that is not read must not become a default."""
    assert on_command_line(option) == (
        f"--summ-min={option!r} is no METRIC=VALUE; write --summ-min facet=0.6"
    )


@pytest.mark.parametrize(
    ("option", "value", "number"),
    [
        ("eva.recall=-0.1", "eva.recall = -0.1", "eva.recall (matched facts) ranges from 0"),
        ("eva=nan", "eva = nan", "eva (EVA-Score, F1 over facts) ranges from 0"),
        ("mean.facet=inf", "facet = inf", "facet (Facet-aware Metric) ranges from 0.25"),
    ],
)
def test_a_value_out_of_range_in_an_option_is_told(option: str, value: str, number: str) -> None:
    """Python reads nan and inf as numbers; a gate that holds them never opens or never closes."""
    assert on_command_line(option) == (
        f"--summ-min={option}: threshold {value} can never decide: {number} to 1; {RANGE}"
    )


@pytest.mark.parametrize(
    "thresholds",
    [
        Thresholds(pair=(Threshold("faithfulness.support", 0.5),), mean=()),
        Thresholds(pair=(), mean=(Threshold("faithfulness.support", 0.5),)),
    ],
    ids=["of pairs", "of means"],
)
def test_a_threshold_on_support_is_refused_under_a_model_with_one_vote(
    thresholds: Thresholds,
) -> None:
    """Support is a share of votes; of one vote there is none, which is known beforehand."""
    with pytest.raises(OptionError) as caught:
        check_supported(thresholds, "gpt", 1, FILE)
    assert str(caught.value) == (
        f"{FILE} has a threshold for faithfulness.support, and judge 'gpt' with one vote says of a"
        " sentence only yes or no; use --summ-judge=offline or --summ-votes=3, hold faithfulness in"
        " its place, or remove the threshold"
    )
    for n_votes in (None, 3):
        check_supported(thresholds, "gpt", n_votes, FILE)
    rate = Thresholds(pair=(Threshold("faithfulness", 0.5),), mean=())
    check_supported(rate, "gpt", 1, FILE)


def corrected(*settings: Setting, options: tuple[str, ...] = ()) -> tuple[Threshold, ...]:
    """The thresholds on corrected means."""
    return read_thresholds([], [], corrected=settings, options=options).corrected


@pytest.mark.parametrize("name", CORRECTABLE)
def test_every_correctable_mean_can_have_a_threshold(name: str) -> None:
    """In the suite or on the command line; on the mean, or on its lower bound."""
    point, lower = (
        Threshold(name=name, least=1, bound="point"),
        Threshold(name=name, least=1, bound="lower"),
    )
    for title, floor in ((name, point), (f"{name}.lower", lower)):
        assert corrected(setting(title, 1)) == (floor,)
        assert corrected(options=(f"corrected.{title}=1",)) == (floor,)
        assert floor.title == title


def test_thresholds_on_corrected_means_stand_apart_and_in_order() -> None:
    """One number may have a threshold for pairs, for its mean, and two for its corrected mean."""
    found = read_thresholds(
        [setting("facet", 0.5)],
        [setting("facet", 0.6)],
        corrected=[
            setting("faithfulness", 0.9),
            setting("facet.result.lower", 2),
            setting("facet.lower", 0.4),
            setting("facet", 0.7),
        ],
    )
    assert found.pair == (Threshold("facet", 0.5),)
    assert found.mean == (Threshold("facet", 0.6),)
    assert found.corrected == (
        Threshold(name="facet", least=0.7, bound="point"),
        Threshold(name="facet", least=0.4, bound="lower"),
        Threshold(name="facet.result", least=2, bound="lower"),
        Threshold(name="faithfulness", least=0.9, bound="point"),
    )


def test_an_option_takes_the_place_of_the_same_corrected_threshold_alone() -> None:
    """Not of the one on the lower bound, and not of the one on the raw mean."""
    options = ("corrected.facet=0.8", "corrected.faithfulness.lower = 0.5")
    found = read_thresholds(
        [],
        [setting("facet", 0.6)],
        corrected=[setting("facet", 0.7), setting("facet.lower", 0.4)],
        options=options,
    )
    assert found.mean == (Threshold("facet", 0.6),)
    assert [(floor.title, floor.least) for floor in found.corrected] == [
        ("facet", 0.8),
        ("facet.lower", 0.4),
        ("faithfulness.lower", 0.5),
    ]


def wrong(name: str, value: float = 0.5) -> tuple[str, str]:
    """The message for a corrected threshold, in a suite and on the command line."""
    with pytest.raises(SuiteError) as caught:
        corrected(setting(name, value, 21))
    return str(caught.value), on_command_line(f"corrected.{name}={value:g}")


CORRECTED = "facet, facet.background, facet.conclusion, facet.method, facet.result, faithfulness"


@pytest.mark.parametrize("name", ["eva", "eva.precision", "eva.recall", "eva.recall_entailed"])
def test_a_corrected_threshold_on_eva_says_that_no_label_corrects_it(name: str) -> None:
    """Its name is known, so that "unknown" alone would send the user to look for a misprint."""
    for given in (name, f"{name}.lower"):
        in_file, option = wrong(given)
        fault = f"unknown threshold 'corrected.{given}', which no label corrects; "
        assert in_file.startswith(f"{FILE}:21: {fault}")
        assert option.startswith(f"--summ-min=corrected.{given}=0.5: {fault}")


@pytest.mark.parametrize(
    ("name", "value", "ranges"),
    [
        ("facet", 0.2, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("facet.lower", 60, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("facet.background", 4, "facet.background (rating of the background) ranges from 1 to 3"),
        ("faithfulness.lower", -1, "faithfulness (supported sentences) ranges from 0 to 1"),
    ],
)
def test_a_corrected_threshold_is_held_to_its_numbers_range(
    name: str, value: float, ranges: str
) -> None:
    """Named as it was written, with what may be behind and before it."""
    in_file, option = wrong(name, value)
    fault = f"threshold corrected.{name} = {value:g} can never decide: {ranges}; {RANGE}"
    assert in_file == f"{FILE}:21: {fault}"
    assert option == f"--summ-min=corrected.{name}={value:g}: {fault}"


FACTS = {"reference": [{"text": "Bricks crack often.", "covered": False}]}
LABELLED: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "all": (GOOD_OF_KILN, BAD_OF_KILN),
    "overall": ({"paper": "kiln", "system": "good", "overall": 0.5},),
    "some": ({"paper": "kiln", "system": "good", "facets": {"result": 2}},),
    "sentences": (
        {"paper": "kiln", "system": "bad", "sentences": [{"index": 0, "faithful": True}]},
    ),
    "facts": ({"paper": "kiln", "system": "bad", "facts": FACTS},),
    "none": (),
}


@pytest.mark.parametrize(
    ("labels", "name", "part"),
    [
        ("sentences", "facet", "overall"),
        ("facts", "facet.result.lower", "facets"),
        ("overall", "faithfulness", "sentences"),
        ("none", "faithfulness.lower", "sentences"),
        ("none", "facet", "overall"),
        ("overall", "facet.result", "facets"),
        ("some", "facet", "overall"),
    ],
)
def test_a_corrected_threshold_without_labels_to_correct_by_is_refused(
    tmp_path: Path, labels: str, name: str, part: str
) -> None:
    """It could never be decided; the part of a label that it needs is told before any question."""
    suite = write_labelled(tmp_path / "golden", *LABELLED[labels])
    with pytest.raises(OptionError) as caught:
        thresholds_of(suite, options=[f"corrected.{name}=1"])
    assert str(caught.value) == (
        f"{suite.shown} has a threshold for corrected.{name} and no label with {part!r} to correct"
        ' it by; label some in the file that labels = "..." names, or remove the threshold'
    )


def test_overall_scores_on_another_scale_do_not_correct_fm(tmp_path: Path) -> None:
    """Taken from FM, a 5 of 5 would make any system perfect; the label's line is named."""
    label = {"paper": "kiln", "system": "good", "overall": 5.0}
    suite = write_labelled(tmp_path / "golden", label)
    with pytest.raises(SuiteError, match=r"labels\.jsonl:1: 'overall' is 5 and corrected\.facet"):
        thresholds_of(suite, options=["corrected.facet=0.9"])
