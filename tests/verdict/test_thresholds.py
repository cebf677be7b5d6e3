from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import OptionError, Place, SuiteError
from summeval_pytest.metrics.score import CATALOGUE
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Setting, Waiver
from summeval_pytest.verdict.thresholds import (
    Floors,
    Rule,
    Threshold,
    Thresholds,
    Waivers,
    WaiverState,
    WaiverUse,
    check_supported,
    check_waivers,
    floors_of,
    levels,
    read_rules,
    read_thresholds,
    thresholds_of,
)
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, write_labelled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


FILE = "golden/summeval.toml"


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


def test_an_option_takes_the_place_of_the_suites_threshold() -> None:
    """The command line stands over the suite file, for pairs and for means apart."""
    thresholds = read_thresholds(
        [setting("facet", 0.55), setting("eva", 0.3)],
        [setting("facet", 0.65)],
        options=["facet=0.7"],
    )
    assert thresholds.pair == (Threshold("facet", 0.7), Threshold("eva", 0.3))
    assert thresholds.mean == (Threshold("facet", 0.65),)


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


def wrong(name: str, value: float = 0.5) -> tuple[str, str]:
    """The message for a corrected threshold, in a suite and on the command line."""
    with pytest.raises(SuiteError) as caught:
        corrected(setting(name, value, 21))
    return str(caught.value), on_command_line(f"corrected.{name}={value:g}")


@pytest.mark.parametrize(
    "name", ["eva", "eva.precision", "eva.recall_entailed", "faithfulness.support"]
)
def test_a_corrected_threshold_on_eva_says_that_no_label_corrects_it(name: str) -> None:
    """Its name is known, so that "unknown" alone would send the user to look for a misprint."""
    for named in (name, f"{name}.lower"):
        in_file, option = wrong(named)
        fault = f"unknown threshold 'corrected.{named}', which no label corrects; "
        assert in_file.startswith(f"{FILE}:21: {fault}")
        assert option.startswith(f"--summ-min=corrected.{named}=0.5: {fault}")


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


LABELS: tuple[Mapping[str, object], ...] = (GOOD_OF_KILN, BAD_OF_KILN)
SENTENCES_ONLY = {
    "paper": "kiln",
    "system": "bad",
    "sentences": [{"index": 0, "faithful": True}],
}


def floors(folder: Path, *lines: str, judge: str = "rule") -> Floors:
    """The floors that these lines set for a judge, in a suite with labels of every kind."""
    return floors_of(write_labelled(folder, *LABELS, floors="\n".join(lines)), judge)


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
        floors_of(suite, judge)
    place = Place(f"{folder.name}/summeval.toml", written.index(lines[-1]) + 1)
    assert caught.value.place == place
    return str(caught.value).removeprefix(f"{place}: ")


def test_a_floor_may_be_on_the_lower_bound_and_on_the_figure(tmp_path: Path) -> None:
    """Few labels leave a wide interval; the suite says which of the two it means."""
    found = floors(
        tmp_path,
        "facet_exact = 0.5",
        '"facet_exact.lower" = 0.4',
        '"facet_exact.method.lower" = 0.3',
        '"unfaithful_recall.entity swap.lower" = 0.2',
    )
    assert found.floors == (
        Threshold(name="facet_exact", least=0.4, bound="lower"),
        Threshold(name="facet_exact", least=0.5, bound="point"),
        Threshold(name="facet_exact.method", least=0.3, bound="lower"),
        Threshold(name="unfaithful_recall.entity swap", least=0.2, bound="lower"),
    )
    assert [floor.title for floor in found.floors] == [
        "facet_exact.lower",
        "facet_exact",
        "facet_exact.method.lower",
        "unfaithful_recall.entity swap.lower",
    ]


def test_a_judge_with_a_table_of_its_own_is_held_to_that_one(tmp_path: Path) -> None:
    """What a large model can reach is no floor for the embedded judge."""
    lines = (
        "facet_kappa = 0.6",
        "fact_f1 = 0.7",
        "[thresholds.judge.offline]",
        "facet_kappa = 0.2",
        '[thresholds.judge."my.judges:Strict"]',
        "facet_kappa.result = 0.9",
    )
    common = (
        Threshold(name="facet_kappa", least=0.6, bound="point"),
        Threshold(name="fact_f1", least=0.7, bound="point"),
    )
    assert floors(tmp_path / "a", *lines) == Floors(floors=common)
    assert floors(tmp_path / "b", *lines, judge="offline") == Floors(
        floors=(Threshold(name="facet_kappa", least=0.2, bound="point"),), judge="offline"
    )
    assert floors(tmp_path / "c", *lines, judge="my.judges:Strict") == Floors(
        floors=(Threshold(name="facet_kappa.result", least=0.9, bound="point"),),
        judge="my.judges:Strict",
    )


def test_a_table_of_a_judge_that_there_is_not_is_refused(tmp_path: Path) -> None:
    """A misspelt name would leave the judge without any floor, and the run none the wiser."""
    lines = ("[thresholds.judge.ofline]", "facet_kappa = 0.9")
    assert floor_refused(tmp_path, *lines) == (
        "agreement floor 'ofline.facet_kappa' is for the unknown judge 'ofline'; did you mean"
        " 'offline'?; or define it as [judges.ofline]"
    )


@pytest.mark.parametrize(("value", "shown"), [("1.01", "1.01"), ("-1.5", "-1.5"), ("40", "40")])
def test_a_floor_out_of_range_is_refused(tmp_path: Path, value: str, shown: str) -> None:
    """No judge could ever meet it, or none could miss it; a percentage is the likeliest slip."""
    assert floor_refused(tmp_path, "fact_f1 = 0.2", f"facet_kappa = {value}") == (
        f"agreement floor facet_kappa = {shown} can never decide: facet_kappa (mean of the four"
        f" facets' quadratic kappas) ranges from -1 to 1; {RANGE}"
    )


@pytest.mark.parametrize(
    ("written", "name", "meant"),
    [
        ("facet_kapa", "facet_kapa", "facet_kappa"),
        ("facet_kappa.results", "facet_kappa.results", "facet_kappa.result"),
        ('"evidence_recal.lower"', "evidence_recal.lower", "evidence_recall"),
        ("unfaithful_recal.number", "unfaithful_recal.number", "unfaithful_recall"),
    ],
)
def test_an_unknown_figure_names_the_one_probably_meant(
    tmp_path: Path, written: str, name: str, meant: str
) -> None:
    """A floor under a misspelt name would hold nobody and nobody would know."""
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
    never = f"agreement floor {name!r} can never be held: "
    told = floor_refused(tmp_path / "a", f"{name} = 0.4", labels=(label,))
    assert told == f"{never}no label has {part!r}; {remedy}"
    told = floor_refused(tmp_path / "b", f"{name} = 0.4", labels=())
    assert told == f"{never}the suite has no labels; {remedy}"


def test_a_kind_of_error_that_no_label_names_is_refused(tmp_path: Path) -> None:
    """The kinds are the suite's own words, so a slip in them is the likeliest mistake."""
    assert floor_refused(tmp_path, '"unfaithful_recall.entity-swap" = 0.4') == (
        "agreement floor 'unfaithful_recall.entity-swap' can never be held: no labelled sentence"
        " has the error 'entity-swap'; did you mean 'entity swap'?"
    )


TODAY = "2027-01-15"
TOMORROW, YESTERDAY = "2027-01-16", "2027-01-14"


def waiver(finding: str = "facet", **changes: object) -> Waiver:
    """A waiver of one number, until tomorrow."""
    values = {"paper": "moss-01", "system": "careful", "expires": TOMORROW, **changes}
    return Waiver(
        name="wet-moss",
        finding=finding,
        owner="ines",
        reason="the reference is being mended",
        **{"place": Place(FILE, 30), **values},  # type: ignore[arg-type]  # the tests name its fields
    )


def state(
    held: Waiver,
    missed: dict[str, float | None] | None = None,
    measured: tuple[str, ...] = ("facet",),
) -> WaiverState:
    """What becomes of one waiver today."""
    waivers = Waivers(waivers=(held,), today=TODAY)
    (use,) = waivers.use(held.paper, held.system, missed=missed or {}, measured=measured)
    assert use.waiver is held
    return use.state


@pytest.mark.parametrize(
    ("value", "least", "expected"),
    [
        (0.5, None, "in use"),
        (0.5, 0.5, "in use"),
        (0.499999, 0.5, "exceeded"),
        (0.6, 0.5, "in use"),
        (0.0, 0.0, "in use"),
        (None, None, "in use"),
        (None, 0.0, "exceeded"),
    ],
)
def test_a_waiver_covers_down_to_its_bound(
    value: float | None, least: float | None, expected: WaiverState
) -> None:
    """The bound itself is covered; what cannot be counted is under every bound, also under 0."""
    assert state(waiver(least=least), {"facet": value}) == expected


def test_only_the_waivers_of_the_pair_are_used_and_in_file_order() -> None:
    """Others are another test's, and reports list them as the suite does."""
    mine = [waiver("faithfulness"), waiver("eva"), waiver("facet")]
    others = [
        waiver(paper="moss-02"),
        waiver(system="terse"),
        waiver(paper=ALL_PAPERS),
        waiver(paper="careful", system="moss-01"),
    ]
    waivers = Waivers(waivers=(*others[:2], *mine, *others[2:]), today=TODAY)
    uses = waivers.use("moss-01", "careful", missed={"eva": 0.1}, measured=("facet", "eva"))
    assert [(use.waiver.finding, use.state) for use in uses] == [
        ("faithfulness", "not judged"),
        ("eva", "in use"),
        ("facet", "not needed"),
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from(["facet", "eva"]), st.sampled_from([TODAY, YESTERDAY])),
        max_size=4,
    ),
    st.dictionaries(st.sampled_from(["facet", "eva"]), st.none() | st.floats(0, 1)),
)
def test_only_a_waiver_in_use_covers_and_only_what_is_missed(
    held: list[tuple[str, str]], missed: dict[str, float | None]
) -> None:
    """Law: every waiver of the pair has one state, and "in use" means missed and not expired."""
    waivers = Waivers(
        waivers=tuple(waiver(name, expires=expires) for name, expires in held), today=TODAY
    )
    uses = waivers.use("moss-01", "careful", missed=missed, measured=("facet", "eva"))
    assert [use.waiver for use in uses] == list(waivers.waivers)
    for use in uses:
        covers = use.waiver.finding in missed and use.waiver.expires == TODAY
        assert (use.state == "in use") is covers
        assert bool(use.fault) is not covers


TOLD = f"{FILE}:30: waiver 'wet-moss' of facet (owner 'ines')"


FAULTS: dict[WaiverState, str] = {
    "expired": f"{TOLD} expired on {TOMORROW}; mend, renew or delete it",
    "not needed": f"{TOLD} is no longer needed; delete it",
    "exceeded": f"{TOLD} allows no less than 0.52",
    "in use": "",
    "not judged": "",
}


@pytest.mark.parametrize(("of", "expected"), FAULTS.items())
def test_a_waiver_that_fails_its_test_says_what_to_do(of: WaiverState, expected: str) -> None:
    """Where it stands, whom to ask, and what to do with it."""
    assert WaiverUse(waiver=waiver(least=0.52), state=of).fault == expected


PAIR = (Threshold("facet", 0.55), Threshold("facet.result", 3), Threshold("eva", 0.3))
MEAN = (Threshold("facet", 0.65), Threshold("eva.recall", 0.4))
LIMITS = Thresholds(pair=PAIR, mean=MEAN)


def waiver_refused(*waivers: Waiver, limits: Thresholds = LIMITS) -> str:
    """The message for waivers of which one is wrong."""
    with pytest.raises(SuiteError) as caught:
        check_waivers(waivers, limits)
    assert caught.value.place == waivers[-1].place
    return str(caught.value)


def test_a_waiver_of_what_no_threshold_holds_is_refused() -> None:
    """It could never be needed; the nearest number that is held may be meant."""
    assert waiver_refused(waiver("eva.recall")) == (
        f"{FILE}:30: waiver 'wet-moss' is of 'eva.recall', which [thresholds] does not hold;"
        " known: eva, facet, facet.result"
    )
    assert waiver_refused(waiver("facet.method")) == (
        f"{FILE}:30: waiver 'wet-moss' is of 'facet.method', which [thresholds] does not hold;"
        " did you mean 'facet.result'?"
    )


@pytest.mark.parametrize(
    ("finding", "paper", "least", "bounds"),
    [
        ("facet", "moss-01", "1.1", "0.25 to 1"),
        ("facet", "moss-01", "0.2", "0.25 to 1"),
        ("facet", ALL_PAPERS, "0.2", "0.25 to 1"),
        ("facet.result", "moss-01", "0", "1 to 4"),
        ("eva", "moss-01", "-0.1", "0 to 1"),
    ],
)
def test_a_bound_off_the_numbers_range_is_refused(
    finding: str, paper: str, least: str, bounds: str
) -> None:
    """It bounds nothing, or everything."""
    assert waiver_refused(waiver(finding, paper=paper, least=float(least))) == (
        f"{FILE}:30: waiver 'wet-moss' allows {finding} = {least}; write a value from {bounds}"
    )


@pytest.mark.parametrize(
    ("finding", "wrong", "right"),
    [("facet", "most", "least"), ("faithfulness.conflicts", "least", "most")],
)
def test_a_waiver_is_bounded_on_the_side_on_which_its_number_gets_worse(
    finding: str, wrong: str, right: str
) -> None:
    """A bound on the other side would allow everything."""
    thresholds = Thresholds(pair=(Threshold(finding, 0.5),), mean=())
    check_waivers([waiver(finding, **{right: 1.0})], thresholds)
    with pytest.raises(SuiteError) as caught:
        check_waivers([waiver(finding, **{wrong: 1.0})], thresholds)
    assert str(caught.value) == (
        f"{FILE}:30: waiver 'wet-moss' bounds {finding} by {wrong!r}, and it gets worse the other"
        f" way; write {right!r}"
    )


def rule_refused(*texts: str) -> str:
    """The message for rules of which one is none."""
    with pytest.raises(OptionError) as caught:
        read_rules(texts, option="--fail")
    return str(caught.value)


def named(name: str, *, drop: float | None = None, level: float | None = None) -> Rule:
    """A rule as it is read where somebody wrote the name of its number."""
    return Rule(name=name, drop=drop, level=level, is_named=True)


@given(
    st.sampled_from(sorted(CATALOGUE)),
    st.none() | st.floats(0, 0.74),
    st.none() | st.floats(1e-300, 0.999),
)
def test_every_number_can_be_held_to_every_drop_and_level(
    name: str, drop: float | None, level: float | None
) -> None:
    """Law: a rule that is written down is read back as it was."""
    parts = [
        name,
        *([] if drop is None else [str(drop)]),
        *([] if level is None else [f"p{level}"]),
    ]
    if len(parts) == 1:
        assert "is no rule" in rule_refused(name)
    else:
        assert read_rules([":".join(parts)]) == (named(name, drop=drop, level=level),)


@pytest.mark.parametrize("text", ["facet", "facet:0.02:0.03", "facet:p0.05:p0.01", "facet:p.1:2:3"])
def test_a_rule_without_a_part_or_with_two_of_a_kind_is_refused(text: str) -> None:
    """It says nothing, or contradicts itself; the message shows the three forms."""
    assert rule_refused(text) == (
        f"--fail={text!r} is no rule; write facet:0.02 for a drop, facet:p0.05 for a significant"
        " one, or facet:0.02:p0.05 for both"
    )


def test_an_unknown_number_is_refused_with_the_one_probably_meant() -> None:
    """A misspelt rule that never decides would be a green for nothing."""
    assert rule_refused("facet:0.02", "facet.results:p0.05") == (
        "--fail='facet.results:p0.05': unknown metric 'facet.results'; did you mean 'facet.result'?"
    )
    assert rule_refused("").startswith("--fail='': unknown metric ''; known: eva, eva.precision, ")


@pytest.mark.parametrize(
    ("name", "drop", "widest"),
    [
        ("facet", "0.75", "0.75"),
        ("facet", "-0.01", "0.75"),
        ("facet", "", "0.75"),
        ("facet", "2%", "0.75"),
        ("facet.background", "2", "2"),
        ("facet.result", "3", "3"),
        ("eva", "1", "1"),
        ("eva", "nan", "1"),
        ("eva", "inf", "1"),
    ],
)
def test_a_drop_that_no_number_could_exceed_is_refused(name: str, drop: str, widest: str) -> None:
    """FM ranges from 0.25 to 1, a rating from 1 to its scale: a larger drop never decides."""
    assert rule_refused(f"{name}:{drop}") == (
        f"--fail='{name}:{drop}': {drop!r} is no drop that {name} could exceed; write a number"
        f" from 0 to under {widest}"
    )


@pytest.mark.parametrize("level", ["p0", "p1", "p5", "p-0.1", "pnan", "p", "p5%", "p 0.05 ."])
@pytest.mark.parametrize("name", ["", "eva:", "eva:0.1:"])
def test_a_level_that_is_none_is_refused(name: str, level: str) -> None:
    """At 0 nothing is significant, at 1 everything that dropped; p5 is meant as p0.05."""
    assert rule_refused(f"{name}{level}") == (
        f"--fail='{name}{level}': {level!r} is no level of significance; write p0.05, a number"
        " between 0 and 1"
    )


def test_only_the_numbers_with_a_level_are_tested_where_there_is_one() -> None:
    """Each number more makes Holm's correction stricter for the others."""
    rules = [
        Rule(name="eva", drop=0.02),
        Rule(name="eva.recall", level=0.1),
        Rule(name="facet", drop=0.1, level=0.01),
    ]
    assert levels(rules) == {"eva.recall": 0.1, "facet": 0.01}


@pytest.mark.parametrize(
    ("expires", "expected"),
    [(YESTERDAY, "expired"), (TODAY, "in use"), (TOMORROW, "in use"), ("2026-12-31", "expired")],
)
def test_a_waiver_holds_on_its_last_day_and_no_longer(expires: str, expected: WaiverState) -> None:
    """The day that was written is the last one on which the team may rely on it."""
    assert state(waiver(expires=expires), {"facet": 0.5}) == expected
