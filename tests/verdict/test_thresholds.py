from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import OptionError, Place, SuiteError
from summeval_pytest.metrics.score import CATALOGUE, METRICS
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


def on_command_line(*options: str) -> str:
    """The message for an option."""
    with pytest.raises(OptionError) as caught:
        read_thresholds([], [], options=options)
    return str(caught.value)


def test_thresholds_stand_in_the_order_of_the_metrics_and_options_in_their_place() -> None:
    """One number may have a threshold for pairs, for its mean, and two for its corrected mean."""
    thresholds = read_thresholds(
        [setting("faithfulness", 0.9), setting("facet.conclusion", 2), setting("facet", 0.55)],
        [setting("eva", 0.4), setting("facet", 0.65)],
        corrected=[
            setting("faithfulness", 0.9),
            setting("facet.result.lower", 2),
            setting("facet.lower", 0.4),
            setting("facet", 0.7),
        ],
        options=["facet=0.7", "mean.eva.recall=0.2", "corrected.facet.lower = 0.5"],
    )
    assert thresholds == Thresholds(
        pair=(
            Threshold("facet", 0.7),
            Threshold("facet.conclusion", 2),
            Threshold("faithfulness", 0.9),
        ),
        mean=(Threshold("facet", 0.65), Threshold("eva", 0.4), Threshold("eva.recall", 0.2)),
        corrected=(
            Threshold("facet", 0.7, "point"),
            Threshold("facet", 0.5, "lower"),
            Threshold("facet.result", 2, "lower"),
            Threshold("faithfulness", 0.9, "point"),
        ),
    )
    assert thresholds.metrics == METRICS
    assert thresholds.only(["eva"]).names == ("mean.eva", "mean.eva.recall")


RANGE = "write a value in that range, or remove it"


@pytest.mark.parametrize(
    ("scope", "name", "value", "told"),
    [
        ("", "facet", 0.2, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("", "eva.recall", -0.1, "eva.recall (matched facts) ranges from 0 to 1"),
        ("", "eva", nan, "eva (EVA-Score, F1 over facts) ranges from 0 to 1"),
        ("mean", "facet", inf, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("corrected", "facet", 0.2, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("corrected", "facet.lower", 60, "facet (Facet-aware Metric) ranges from 0.25 to 1"),
        ("corrected", "facet.background", 4, "facet.background (rating of the background) ranges"),
        ("corrected", "faithfulness.lower", -1, "faithfulness (supported sentences) ranges"),
        ("", "facet.results", 2, "did you mean 'facet.result'?"),
        ("mean", "facet.results", 2, "did you mean 'facet.result'?"),
        ("corrected", "eva", 0.5, ", which no label corrects; "),
        ("corrected", "eva.recall_entailed.lower", 0.5, ", which no label corrects; "),
        ("corrected", "faithfulness.support", 0.5, ", which no label corrects; "),
    ],
)
def test_a_threshold_that_can_never_decide_is_refused_where_it_is_written(
    scope: str, name: str, value: float, told: str
) -> None:
    """FM is never under 0.25: that would look like a gate and be none, as nan and inf would.

    Its name may be known, so that "unknown" alone would send the user to look for a misprint.
    """
    written = {each: [setting(name, value)] if scope == each else [] for each in ("", "mean")}
    with pytest.raises(SuiteError) as caught:
        read_thresholds(
            written[""],
            written["mean"],
            corrected=[setting(name, value)] if scope == "corrected" else [],
        )
    prefix = "corrected." if scope == "corrected" else ""
    fault = f"threshold {prefix}{name} = {value:g} can never decide: {told}"
    if "ranges" not in told:
        separator = "" if told.startswith(",") else "; "
        fault = f"unknown threshold {prefix + name!r}{separator}{told}"
    in_file = str(caught.value)
    assert in_file.startswith(f"{FILE}:14: {fault}")
    assert in_file.endswith(RANGE) is ("ranges" in told)
    option = f"{scope}.{name}={value:g}".removeprefix(".")
    message = in_file.removeprefix(f"{FILE}:14: ")
    assert on_command_line(option) == f"--summ-min={option}: {message}"


@pytest.mark.parametrize("option", ["facet", "facet=", "facet=high", "facet=0,6", ""])
def test_an_option_without_a_number_shows_how_to_write_one(option: str) -> None:
    """A value that is not read must not become a default."""
    assert on_command_line(option) == (
        f"--summ-min={option!r} is no METRIC=VALUE; write --summ-min facet=0.6"
    )


@pytest.mark.parametrize("scope", ["pair", "mean"])
def test_a_threshold_on_support_is_refused_under_a_model_with_one_vote(scope: str) -> None:
    """Support is a share of votes; of one vote there is none, which is known beforehand."""

    def held(name: str) -> Thresholds:
        return Thresholds(**{"pair": (), "mean": (), scope: (Threshold(name, 0.5),)})

    with pytest.raises(OptionError) as caught:
        check_supported(held("faithfulness.support"), "gpt", 1, FILE)
    assert str(caught.value) == (
        f"{FILE} has a threshold for faithfulness.support, and judge 'gpt' with one vote says of a"
        " sentence only yes or no; use --summ-judge=offline or --summ-votes=3, hold faithfulness in"
        " its place, or remove the threshold"
    )
    for n_votes in (None, 3):
        check_supported(held("faithfulness.support"), "gpt", n_votes, FILE)
    check_supported(held("faithfulness"), "gpt", 1, FILE)


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
        Threshold("facet_exact", 0.4, "lower"),
        Threshold("facet_exact", 0.5, "point"),
        Threshold("facet_exact.method", 0.3, "lower"),
        Threshold("unfaithful_recall.entity swap", 0.2, "lower"),
    )
    assert found.floors[-1].title == "unfaithful_recall.entity swap.lower"
    assert found.only(["facet"]).floors == found.floors[:-1]


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


@pytest.mark.parametrize(
    ("value", "changes", "expected"),
    [
        (0.5, {}, "in use"),
        (0.5, {"least": 0.5}, "in use"),
        (0.499999, {"least": 0.5}, "exceeded"),
        (0.0, {"least": 0.0}, "in use"),
        (None, {}, "in use"),
        (None, {"least": 0.0}, "exceeded"),
        (0.5, {"expires": YESTERDAY}, "expired"),
        (0.5, {"expires": TODAY}, "in use"),
        (0.5, {"expires": "2026-12-31"}, "expired"),
    ],
)
def test_a_waiver_covers_down_to_its_bound_and_on_its_last_day(
    value: float | None, changes: dict[str, object], expected: WaiverState
) -> None:
    """The bound itself is covered; what cannot be counted is under every bound, also under 0."""
    held = waiver(**changes)  # type: ignore[arg-type]  # changes no finding
    waivers = Waivers(waivers=(held,), today=TODAY)
    (use,) = waivers.use("moss-01", "careful", missed={"facet": value}, measured=("facet",))
    assert (use.waiver, use.state) == (held, expected)


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


FORMS = (
    " is no rule; write facet:0.02 for a drop, facet:p0.05 for a significant one, or"
    " facet:0.02:p0.05 for both"
)
NO_LEVEL = "no level of significance; write p0.05, a number between 0 and 1"
NO_DROP = "is no drop that {} could exceed; write a number from 0 to under {}"
UNCLEAR = ("facet", "facet:0.02:0.03", "facet:p.05:p.1", "facet:p.1:2:3")


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        *(([text], FORMS) for text in UNCLEAR),
        (
            ["facet:0.02", "facet.results:p0.05"],
            ": unknown metric 'facet.results'; did you mean 'facet.result'?",
        ),
        ([""], ": unknown metric ''; known: eva, eva.precision, "),
        *(
            ([f"{name}:{drop}"], f": {drop!r} {NO_DROP.format(name, widest)}")
            for name, widest, drops in (
                ("facet", "0.75", ("0.75", "-0.01", "", "2%")),
                ("facet.background", "2", ("2",)),
                ("facet.result", "3", ("3",)),
                ("eva", "1", ("1", "nan", "inf")),
            )
            for drop in drops
        ),
        *(
            ([before + level], f": {level!r} is {NO_LEVEL}")
            for before in ("", "eva:", "eva:0.1:")
            for level in ("p0", "p1", "p5", "p-0.1", "pnan", "p", "p5%", "p 0.05 .")
        ),
    ],
)
def test_a_rule_that_could_never_decide_is_refused(texts: list[str], told: str) -> None:
    """It says nothing, contradicts itself, or names a drop or level that is none.

    FM ranges from 0.25 to 1, a rating from 1 to its scale: a larger drop never decides. At a level
    of 0 nothing is significant, at 1 everything that dropped; p5 is meant as p0.05.
    """
    assert rule_refused(*texts).startswith(f"--fail={texts[-1]!r}{told}")


def test_only_the_numbers_with_a_level_are_tested_where_there_is_one() -> None:
    """Each number more makes Holm's correction stricter for the others."""
    rules = [
        Rule(name="eva", drop=0.02),
        Rule(name="eva.recall", level=0.1),
        Rule(name="facet", drop=0.1, level=0.01),
    ]
    assert levels(rules) == {"eva.recall": 0.1, "facet": 0.01}
