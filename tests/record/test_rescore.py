from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import JudgeError, OptionError
from summeval_pytest.metrics.score import FacetScore
from summeval_pytest.metrics.signature import read_signature
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.record.record import (
    Comparison,
    Difference,
    PairChange,
    PairRecord,
    PaperRecord,
    RunRecord,
    SuiteRecord,
    SystemRecord,
)
from summeval_pytest.record.rescore import read_weights, rescore
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import Shortfall, decide, decide_means
from summeval_pytest.verdict.thresholds import Threshold, Thresholds, Waivers, WaiverUse
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import (
    HERE,
    SIGNATURES,
    SILENT,
    believed,
    eva,
    faithful,
    marks,
    pair,
    rated,
    run,
    suite,
    supported,
    system,
    unscored,
)

if TYPE_CHECKING:
    from summeval_pytest.metrics.score import Score, Unscored
    from summeval_pytest.record.record import Covered
    from summeval_pytest.run.golden import GoldenPair


TODAY = "2027-01-15"
BOTH = Thresholds(pair=(Threshold("faithfulness", 0.5),), mean=(Threshold("faithfulness", 0.6),))
EACH = replace(BOTH, mean=())


def faithfulness(*values: float) -> list[PairRecord]:
    """Pairs of one system on papers 0, 1 and so on."""
    return [pair(f"moss-{n}", faithful(value)) for n, value in enumerate(values)]


def paper(name: str, *references: str) -> PaperRecord:
    """A paper with these references."""
    return PaperRecord(
        id=name, title="", place=HERE, references=references, n_sentences=0, cited=()
    )


def again(
    held: SuiteRecord, *options: str, weights: str | None = None, today: str = TODAY
) -> SuiteRecord:
    """The suite as it is decided again."""
    chosen = None if weights is None else read_weights(weights)
    (found,) = rescore(run(held), options=options, weights=chosen, today=today).suites
    return found


def outcomes(held: SuiteRecord) -> list[Covered]:
    """The outcome of each pair."""
    return [pair.outcome for pair in held.pairs]


def test_a_threshold_of_a_pair_is_decided_again() -> None:
    """Worked example: at 0.5 pass 0.5 and 0.75, at 0.6 only the latter, at 0.2 all."""
    held = suite(*faithfulness(0.25, 0.5, 0.75), thresholds=EACH)
    assert outcomes(again(held)) == ["failed", "passed", "passed"]
    stricter = again(held, "faithfulness=0.6")
    assert outcomes(stricter) == ["failed", "failed", "passed"]
    assert stricter.pairs[1].verdict.shortfalls == (
        Shortfall(name="faithfulness", value=0.5, least=0.6),
    )
    assert outcomes(again(held, "faithfulness=0.2")) == ["passed"] * 3


def test_thresholds_that_nobody_names_stay_and_all_are_remembered() -> None:
    """The record says what it was decided by, in the order of the catalogue."""
    held = suite(pair("moss-0", eva(0.5), faithful(0.5)), thresholds=BOTH)
    found = again(held, "eva.recall=0.1", "mean.faithfulness=0.3", "eva=0.6", "eva=0.4")
    assert found.thresholds == Thresholds(
        pair=(
            Threshold("eva", 0.4),
            Threshold("eva.recall", 0.1),
            Threshold("faithfulness", 0.5),
        ),
        mean=(Threshold("faithfulness", 0.3),),
    )


def test_a_system_of_which_not_every_paper_was_judged_has_no_means() -> None:
    """A mean over some papers is another number; the pairs are decided all the same."""
    (whole,) = again(suite(*faithfulness(0.75), thresholds=BOTH)).systems
    some = replace(whole, papers=("moss-0", "moss-1"), waivers=(waiver(paper=ALL_PAPERS),))
    found = again(suite(*faithfulness(0.75), systems=(some,), thresholds=BOTH))
    assert found.systems == (replace(some, outcome="not judged", means=(), waivers=()),)
    assert outcomes(found) == ["passed"]


def test_what_the_judge_left_unscored_stays_an_error() -> None:
    """No threshold makes a verdict of it, and its fault is still told."""
    broken = replace(pair("moss-0", unscored("faithfulness", SILENT, "cut")), fault="cut off")
    held = suite(replace(broken, outcome="error"), thresholds=BOTH)
    for options in ((), ("faithfulness=0", "mean.faithfulness=0")):
        found = again(held, *options)
        assert found.pairs == (replace(broken, outcome="error"),)
        (judged,) = found.systems
        assert (judged.outcome, judged.means) == ("error", ())
        assert judged.fault == (
            "system 'careful' has no means: 1 of 1 papers are unscored, first 'moss-0':"
            " faithfulness: unanswered, cut"
        )


def test_nothing_but_verdicts_changes() -> None:
    """The scores, findings and texts are what was paid for."""
    record = run(suite(*faithfulness(0.25, 0.75), thresholds=BOTH))
    found = rescore(record, options=["faithfulness=0.9"])
    (old,), (new,) = record.suites, found.suites
    decided = {name: getattr(new, name) for name in ("thresholds", "systems", "pairs", "waivers")}
    assert found == replace(record, suites=(replace(old, **decided),))
    for one, other in zip(old.pairs, new.pairs, strict=True):
        assert other == replace(one, outcome=other.outcome, verdict=other.verdict)


def test_what_the_system_left_unscored_fails_whatever_the_threshold() -> None:
    """A refusal is the system's; no threshold makes a pass of it, and no error."""
    held = suite(pair("moss-0", unscored("faithfulness")), thresholds=EACH)
    assert outcomes(again(held, "faithfulness=0")) == ["failed"]


def comparison(*broken: str) -> Comparison:
    """A comparison that breaks these rules."""
    difference = Difference(name="eva", n_papers=1, old=1, new=0, change=-1, broken=broken)
    return Comparison(baseline="v1.3", system="careful", differences=(difference,))


@pytest.mark.parametrize("broken", [(), ("eva drops",)])
def test_a_comparison_still_counts_under_other_thresholds(broken: tuple[str, ...]) -> None:
    """Thresholds move no number, so what was a drop is one; without means there is still that."""
    old = system("careful", "moss-0", comparison=comparison(*broken))
    for thresholds in (BOTH, EACH):
        held = suite(*faithfulness(0.75), systems=(old,), thresholds=thresholds)
        (found,) = again(held, "faithfulness=0.9").systems
        assert found.outcome == ("failed" if broken else "passed")
        assert found.comparison == old.comparison
        # also where not every paper is in the run; numbers of other weights are not compared
        some = replace(held, systems=(replace(old, papers=("moss-0", "moss-1")),))
        (found,) = again(some).systems
        assert found.outcome == ("failed" if broken else "not judged")
        changed = replace(held, pairs=(replace(held.pairs[0], change=CHANGE),))
        assert again(changed).pairs[0].change == CHANGE
        other = again(changed, weights=UNIFORM)
        assert (other.systems[0].comparison, other.pairs[0].change) == (None, None)


CHANGE = PairChange(paper="moss-0", system="careful", baseline="v1.3")
FM = Thresholds(pair=(Threshold("facet", 0.5),), mean=(Threshold("facet", 0.5),))
UNIFORM = "background=1,method=1,result=1,conclusion=1"


def test_other_weights_give_another_fm() -> None:
    """Worked example: background 3/3, method 2/4, result 1/4, conclusion 2/3.

    With .1, .3, .3, .3 it is 0.1 + 0.15 + 0.075 + 0.2 = 0.525, and with equal weights
    (1 + 0.5 + 0.25 + 0.6667) / 4 = 0.6042. With 1, 4, 4, 1 it is
    (1 + 4 * 0.5 + 4 * 0.25 + 0.6667) / 10 = 0.4667.
    """
    held = suite(pair("moss-0", rated(marks(method=2, result=1, conclusion=2))), thresholds=FM)

    def rescored(weights: str | None) -> tuple[float, str, str]:
        found = again(held, weights=weights)
        (score,) = found.pairs[0].scores
        assert isinstance(score, FacetScore)
        assert found.systems[0].means[0].value == score.value
        return round(score.value, 4), found.pairs[0].outcome, found.systems[0].outcome

    assert rescored(None) == (0.525, "passed", "passed")
    assert rescored(UNIFORM) == (0.6042, "passed", "passed")
    assert rescored("background=1,method=4,result=4,conclusion=1") == (0.4667, "failed", "failed")
    # A number of other weights must never be compared with the suite's own.
    held = suite(pair("moss-0", rated(), eva(0.5), faithful(0.5)), thresholds=FM)
    facet, *others = again(held, weights=UNIFORM).pairs[0].signatures
    assert others == list(held.pairs[0].signatures[1:])
    assert dict(read_signature(facet).recipe)["weights"] == ".25,.25,.25,.25"
    assert read_signature(facet).differing(SIGNATURES[0]) == ("weights",)


def test_weights_are_refused_where_a_paper_has_several_references() -> None:
    """Another may be the best by these; of a mean, another the lowest, whose ratings are kept.

    Thresholds move no number, so they may change.
    """
    one, two = (paper(f"moss-{n}", *["Mice slept."] * n) for n in (1, 2))
    pairs = [pair(each.id, rated()) for each in (one, two)]
    held = replace(suite(*pairs, thresholds=FM), papers=(one, two))
    with pytest.raises(OptionError) as caught:
        again(held, weights=UNIFORM)
    assert str(caught.value) == (
        "--weights: paper 'moss-2' of golden/summeval.toml has several references, and what the run"
        " keeps of them was chosen by its own weights; leave the weights as they are"
    )
    assert outcomes(again(held, "facet=0.6")) == ["passed", "passed"]
    alone = replace(held, papers=(one,))
    assert outcomes(again(alone, weights=UNIFORM)) == ["passed", "passed"]


def waiver(finding: str = "faithfulness", *, paper: str = "moss-0", name: str = "wet") -> WaiverUse:
    """A waiver that a run has listed."""
    return WaiverUse(
        waiver=Waiver(
            name=name,
            paper=paper,
            system="careful",
            finding=finding,
            owner="ines",
            reason="the reference is being mended",
            expires=TODAY,
            place=HERE,
        ),
        state="in use",
    )


def test_waivers_are_held_to_the_new_thresholds() -> None:
    """What is reached under a lower one needs no waiver, and then it has to go."""
    held = suite(*faithfulness(0.25), thresholds=EACH, waivers=(waiver(),))
    found = again(held, "faithfulness=0.2")
    assert ([use.state for use in found.waivers], outcomes(found)) == (["not needed"], ["failed"])
    # and to the day of the new decision
    for today, state, outcome in ((TODAY, "in use", "passed"), ("2027-01-16", "expired", "failed")):
        found = again(held, today=today)
        assert ([use.state for use in found.waivers], outcomes(found)) == ([state], [outcome])
    # a waiver of means is decided with them
    means = replace(BOTH, pair=())
    held = suite(*faithfulness(0.25), thresholds=means, waivers=(waiver(paper=ALL_PAPERS),))
    (whole,) = again(held).systems
    assert (whole.outcome, [use.state for use in whole.waivers]) == ("passed", ["in use"])


UNASKED = suite(
    pair("moss-0", replace(eva(0.5), recall_entailed=None)),
    pair("moss-1", unscored("eva")),
    thresholds=Thresholds(pair=(Threshold("eva", 0.1),), mean=()),
)
BELIEVED = suite(pair("moss-0", believed(1.0)), pair("moss-1", believed(None)), thresholds=EACH)
UNMEASURED = " did not measure {}; run it with that threshold, answers that are stored cost nothing"
UNSUPPORTED = (
    " lacks faithfulness.support for 1 of 2 pairs, first 'careful' on 'moss-1': its judge did not"
    " say of every sentence how far it is supported; run it again: use --summ-judge=offline or"
    " --summ-votes=3, hold faithfulness in its place, or remove the threshold"
)


@pytest.mark.parametrize(
    ("held", "options", "told"),
    [
        (suite(*faithfulness(0.5)), ["eva=0.1"], UNMEASURED.format("eva")),
        (
            suite(*faithfulness(0.5)),
            ["mean.facet.result=2", "eva=0.1"],
            UNMEASURED.format("facet, eva"),
        ),
        # EVA was measured, and this part of it only where a suite asks; no pair could miss it
        (UNASKED, ["eva.recall_entailed=0.1"], UNMEASURED.format("eva.recall_entailed")),
        (UNASKED, ["mean.eva.recall_entailed=0.1"], UNMEASURED.format("eva.recall_entailed")),
        # a rule's own support is no judge's, and other answers are needed
        (BELIEVED, ["faithfulness.support=0.1"], UNSUPPORTED),
        (BELIEVED, ["mean.faithfulness.support=0.1"], UNSUPPORTED),
    ],
)
def test_a_threshold_on_what_the_run_did_not_measure_is_refused(
    held: SuiteRecord, options: list[str], told: str
) -> None:
    """It could not be decided without a call, and deciding nothing would look like a pass."""
    with pytest.raises(OptionError) as caught:
        again(held, *options)
    assert str(caught.value) == f"--min: the run of golden/summeval.toml{told}"
    assert outcomes(again(UNASKED, "eva.recall=0.1")) == ["passed", "failed"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UNIFORM, [0.25, 0.25, 0.25, 0.25]),
        ("background=.1,method=.3,result=.3,conclusion=.3", [0.1, 0.3, 0.3, 0.3]),
        ("conclusion=3, result=0.5,method = 4 ,background=.5", [0.0625, 0.5, 0.0625, 0.375]),
        ("background=3e-9,method=1e-9,result=2e-9,conclusion=2e-9", [0.375, 0.125, 0.25, 0.25]),
    ],
)
def test_weights_are_read_in_any_order_and_scaled_to_add_up_to_1(
    text: str, expected: list[float]
) -> None:
    """Only their ratios matter. Worked example: 0.5 + 4 + 0.5 + 3 = 8, and 4 / 8 = 0.5."""
    weights = read_weights(text)
    assert [weights[facet] for facet in FACETS] == pytest.approx(expected, rel=1e-15)


WANTED = f"write --weights {UNIFORM}"
WEIGHTLESS = " leaves some facets without any weight"


@pytest.mark.parametrize(
    "part",
    ["results=1", "result", "result=", "result=x", "result=0", "result=-0.0", "result=-1",
     "result=nan", "result=inf", ""],
)  # fmt: skip
def test_a_weight_that_is_none_is_refused(part: str) -> None:
    """The message quotes the part that is wrong and shows all four.

    A weight of 0 is none: of a reference that states that facet alone there would be no FM.
    """
    text = f"background=1,method=1,{part},conclusion=1"
    with pytest.raises(OptionError) as caught:
        read_weights(text)
    assert str(caught.value) == f"--weights={text!r}: {part!r} is no weight; {WANTED}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{UNIFORM},result=1", ": 'result=1' is no weight"),
        ("background=1,method=1,result=1", " does not weigh all four facets"),
        ("background=1e10,method=1,result=1e-320,conclusion=1", WEIGHTLESS),
        (UNIFORM.replace("=1", "=1e308"), WEIGHTLESS),
    ],
)
def test_weights_without_one_of_every_facet_are_refused(text: str, told: str) -> None:
    """Of a reference that states only the facet without a weight there would be no FM."""
    with pytest.raises(OptionError) as caught:
        read_weights(text)
    assert str(caught.value) == f"--weights={text!r}{told}; {WANTED}"


shares = st.integers(0, 20).map(lambda twentieths: twentieths / 20)
lacking = st.sampled_from(["refused_candidate", SILENT])
least = st.none() | shares


@st.composite
def judged(draw: st.DrawFn) -> tuple[Score | Unscored, ...]:
    """Three metrics of a pair, of which the last two may have no score."""
    facet = rated({facet: draw(st.integers(1, SCALES[facet])) for facet in FACETS})
    facts = draw(shares.map(eva) | lacking.map(lambda status: unscored("eva", status)))
    sentences = shares.map(faithful) | lacking.map(lambda s: unscored("faithfulness", s))
    return facet, facts, draw(sentences)


@st.composite
def thresholds(draw: st.DrawFn) -> tuple[Threshold, ...]:
    """Thresholds on some of four numbers."""
    chosen = {name: draw(least) for name in ("eva", "eva.recall", "faithfulness")}
    chosen = {"facet.result": draw(st.none() | st.integers(1, 4).map(float))} | chosen
    return tuple(Threshold(name, value) for name, value in chosen.items() if value is not None)


@st.composite
def recorded(draw: st.DrawFn, *, waived: bool = True) -> tuple[RunRecord, str]:
    """A run of one system over a few papers, decided as pytest decides it, and its day."""
    limits = Thresholds(pair=draw(thresholds()), mean=draw(thresholds()))
    names = [name for name in ("moss-0", "moss-1", ALL_PAPERS) if waived and draw(st.booleans())]
    finding = st.sampled_from(["eva", "faithfulness"])
    waivers = Waivers(
        waivers=tuple(waiver(draw(finding), paper=name, name=name).waiver for name in names),
        today=draw(st.sampled_from([TODAY, "2027-01-16"])),
    )
    scores = draw(st.lists(judged(), min_size=1, max_size=4))
    pairs = [_decided(f"moss-{n}", each, limits, waivers) for n, each in enumerate(scores)]
    papers = [pair.paper for pair in pairs] + ["moss-9"] * draw(st.booleans())
    whole = _totalled(system("careful", *papers), pairs, limits, waivers)
    uses = {use.waiver.name: use for pair in pairs for use in pair.verdict.waivers}
    uses |= {use.waiver.name: use for use in whole.waivers}
    listed = [uses.get(w.name, WaiverUse(waiver=w, state="not judged")) for w in waivers.waivers]
    held = suite(*pairs, systems=(whole,), thresholds=limits, waivers=tuple(listed))
    return run(held), waivers.today


def _decided(
    paper: str, scores: tuple[Score | Unscored, ...], limits: Thresholds, waivers: Waivers
) -> PairRecord:
    one = pair(paper, *scores)
    try:
        verdict = decide(one.numbers(), limits.pair, waivers)
    except JudgeError as error:
        return replace(one, outcome="error", fault=str(error))
    return replace(one, outcome="passed" if verdict.passes else "failed", verdict=verdict)


def _totalled(
    old: SystemRecord, pairs: list[PairRecord], limits: Thresholds, waivers: Waivers
) -> SystemRecord:
    if not limits.mean or len(pairs) < len(old.papers):
        return old
    try:
        found = decide_means(old.name, [p.numbers() for p in pairs], limits.mean, waivers)
    except JudgeError as error:
        return replace(old, outcome="error", fault=str(error))
    outcome: Covered = "passed" if found.passes else "failed"
    return replace(old, outcome=outcome, means=found.means, waivers=found.waivers)


@settings(deadline=None)
@given(recorded())
def test_the_recorded_thresholds_change_nothing(judged_run: tuple[RunRecord, str]) -> None:
    """Law: on the same day, with the same thresholds, the decision is the same in everything."""
    record, today = judged_run
    assert rescore(record, today=today) == record


def labelled(*labels: int) -> tuple[GoldenPair, ...]:
    """Results that the judge rates 4 and people as given, each on a paper of its own."""
    return tuple(
        golden(
            answered("result", label, 4),
            answered("overall", label / 4, 1.0),
            paper=f"fern-{n}",
            group=f"fern-{n}",
        )
        for n, label in enumerate(labels)
    )


CORRECTED = Thresholds(
    pair=(Threshold("facet", 0.25),),
    mean=(),
    corrected=(Threshold(name="facet", least=0.7, bound="point"),),
)


def result(n: int, rating: int) -> PairRecord:
    """A pair of which only the result is rated."""
    return pair(f"moss-{n}", rated({"result": rating}))


def held_to(
    *labels: int, limits: Thresholds = CORRECTED, is_calibrated: bool = False
) -> SuiteRecord:
    """Two pairs with FM 1 and 0.5, in a run that has labels."""
    return replace(
        suite(result(0, 4), result(1, 2), thresholds=limits),
        has_labels=True,
        golden=labelled(*labels),
        is_calibrated=is_calibrated,
    )


def test_a_corrected_mean_is_decided_again() -> None:
    """Worked example: 0.75 and labels 0, 0.25 and 0.5 under the judge's 1 make 0.75 - 0.25 = 0.5.

    It is under 0.7 and reaches 0.5; its lower bound does not.
    """
    held = held_to(4, 3, 2)
    (found,) = again(held).systems
    facet, by_result = found.corrected
    assert found.outcome == "failed"
    assert (facet.name, facet.raw, facet.value, facet.n_golden) == ("facet", 0.75, 0.5, 3)
    assert (facet.floors, by_result.name) == (CORRECTED.corrected, "facet.result")
    (found,) = again(held, "corrected.facet=0.5").systems
    assert (found.outcome, found.means) == ("passed", ())
    lower = again(held, "corrected.facet=0.5", "corrected.facet.lower=0.5")
    assert lower.systems[0].outcome == "failed"
    # what labels do not tell is an error and no pass
    (untold,) = again(replace(held, golden=labelled(4)), "corrected.facet.lower=0.25").systems
    assert untold.outcome == "error"
    assert "facet" in untold.fault
    assert lower.thresholds.corrected == (
        Threshold(name="facet", least=0.5, bound="point"),
        Threshold(name="facet", least=0.5, bound="lower"),
    )
    assert again(lower) == lower


def test_corrected_means_of_other_weights_are_corrected_by_those_weights() -> None:
    """Worked example: the judge rates method 4 and result 4, people 2 and 4, on every paper.

    With weights of 1 and 3, people's FM is (1 * 0.5 + 3 * 1) / 4 = 0.875; with the suite's own it
    is 0.75, so that the error taken out is 0.25 where 0.125 is right.
    """
    said = (
        answered("method", 2, 4),
        answered("result", 4, 4),
        answered("overall", 0.75, 1.0),
    )
    held = replace(
        suite(*(pair(f"moss-{n}", rated({"method": 4, "result": 4})) for n in range(2))),
        thresholds=CORRECTED,
        golden=tuple(golden(*said, paper=f"fern-{n}") for n in range(2)),
    )
    weights = "background=1,method=1,result=3,conclusion=1"
    assert again(held, weights=weights).systems[0].corrected[0].value == pytest.approx(0.875)


def test_corrected_means_of_a_run_without_golden_answers_stay_as_they_were() -> None:
    """Deselecting the judge's own test leaves the run's means as they are; so must its record."""
    (whole,) = again(held_to(4, 4, 4)).systems
    assert whole.outcome == "passed"
    held = replace(held_to(4, 4, 4), systems=(whole,), golden=())
    assert again(held).systems == (whole,)


def test_what_silence_decides_is_decided_the_same_from_a_record() -> None:
    """Worked example: 24 of 25 are answered: at .97 an error, at .96 a pass, pair and mean."""
    said: dict[str, bool | None] = {f"s{n}": True for n in range(24)}
    held = suite(pair("moss-0", supported(said | {"odd": None})), thresholds=BOTH)
    strict = again(held, "faithfulness=0.97", "mean.faithfulness=0.97")
    assert outcomes(strict) == ["error"]
    assert strict.pairs[0].fault.endswith("if what the judge left unanswered were wrong")
    assert strict.systems[0].outcome == "error"
    assert "mean faithfulness 1.000 meets 0.97" in strict.systems[0].fault
    lenient = again(strict, "faithfulness=0.96", "mean.faithfulness=0.96")
    assert (outcomes(lenient), lenient.pairs[0].fault) == (["passed"], "")
    assert (lenient.systems[0].outcome, lenient.systems[0].fault) == ("passed", "")


def test_a_comparison_that_silence_decides_stays_the_judges_fault() -> None:
    """A record of an error must not turn green when it is read."""
    comparison = Comparison(baseline="v1", system="careful", undecided=("facet drops by 0.1",))
    pairs = faithfulness(0.75)
    held = suite(
        *pairs, systems=(system("careful", "moss-0", comparison=comparison),), thresholds=BOTH
    )
    (found,) = again(held).systems
    assert found.outcome == "error"
    assert found.fault == "against v1 (careful), undecided: facet drops by 0.1"
    assert found.comparison == comparison


@settings(deadline=None)
@given(recorded(waived=False), st.sampled_from(["eva", "eva.recall", "faithfulness"]), shares)
def test_a_higher_threshold_lets_nothing_pass_that_failed(
    judged_run: tuple[RunRecord, str], name: str, by: float
) -> None:
    """Law: neither a pair nor a mean; and what the judge left open stays open.

    Without waivers: one that was not needed fails its pair, and under a higher threshold it may be.
    """
    record, _ = judged_run
    options = []
    (old,) = record.suites
    for prefix, held in (("", old.thresholds.pair), ("mean.", old.thresholds.mean)):
        options += [f"{prefix}{t.name}={min(1, t.least + by)}" for t in held if t.name == name]
    (new,) = rescore(record, options=options).suites
    before = outcomes(old) + [system.outcome for system in old.systems]
    after = outcomes(new) + [system.outcome for system in new.systems]
    for was, now in zip(before, after, strict=True):
        assert now in ({"passed", "failed"} if was == "passed" else {was})
