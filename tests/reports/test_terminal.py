from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import permutations
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.endpoints.endpoint import Price
from summeval_pytest.endpoints.limits import Ledger, ModelSeen, Totals
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.reports import terminal
from summeval_pytest.reports.ci import step_summary
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.run.plan import PlannedCalls
from summeval_pytest.store.cassette import Row, read_cassette, write_cassette
from summeval_pytest.verdict.changes import Drift, measure_drift
from summeval_pytest.verdict.differences import Comparison, Difference, FacetChange
from summeval_pytest.verdict.run import Outcome, PairRow, SuiteRecord
from tests.judges.llm.by_rule import RuleSender
from tests.reports import records
from tests.reports.records import (
    CHANGE,
    COMPARISON,
    FACET,
    HOSTILE,
    SENTENCE,
    changed,
    difference,
    everything,
    failing,
    harmless,
    moss_scores,
    pair,
    passing,
    record,
    suite,
    system,
)
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import measured


def tally(*pairs: tuple[Outcome, Mapping[str, float]], n_papers: int = 0) -> terminal.SystemTally:
    """What a run has seen of one system."""
    rows = [row_of(outcome, values) for outcome, values in pairs]
    return terminal.SystemTally(rows=rows, n_papers=n_papers)


def row_of(
    outcome: Outcome, values: Mapping[str, float], note: str = "", wrong: Mapping[str, int] = {}
) -> PairRow:
    """A pair with these numbers."""
    return replace(
        pair().row(pair),
        outcome=outcome,
        numbers=Numbers(paper="moss", system="careful", values=values, unscored=()),
        note=note,
        wrong=wrong,
    )


ALL = {"facet": 0.6, "eva": 0.5, "faithfulness": 1.0}
TABLES = {
    "two means": {"careful": tally(("passed", ALL), ("failed", {"facet": 0.9, "eva": 0.0}))},
    "a part of the papers": {"careful": tally(("passed", {"facet": 0.6}), n_papers=3)},
    "a pair without a score": {
        "careful": tally(("passed", {"facet": 0.6}), ("error", {})),
        "broken": tally(("error", {})),
    },
    "nothing measured": {"broken": tally(("error", {}))},
    "names": {
        name: tally(("passed", {"eva": 0.5})) for name in ("b\x1b[31mred", "a" * 60, "c ##[group]")
    },
}


@pytest.mark.parametrize("name", TABLES)
def test_a_system_is_a_line_with_outcomes_and_means(snapshot: SnapshotAssertion, name: str) -> None:
    """By name; a mean says how many it covers, a 0 counts, and no score is a dash."""
    assert list(terminal.summary_lines(TABLES[name])) == snapshot


def test_notes_and_wrong_pieces_stand_with_their_system(snapshot: SnapshotAssertion) -> None:
    """A hundred notes that differ in a number would hide the table; one and a count do not."""
    wrong = {"facet": 2, "fact": 500, "sentence": 0, "undecided": 1}
    rows = [
        row_of("failed", {"eva": 0.5}, f"source cut from {size}", wrong)
        for size in ("9,000\x1b[31m", "8,000")
    ]
    one_each = {"facet": 1, "fact": 1, "sentence": 1}
    seen = terminal.SystemTally(rows=rows)
    single = terminal.SystemTally(rows=[row_of("failed", {"eva": 0.5}, "", one_each)])
    assert list(terminal.summary_lines({"nemo": seen, "one": single})) == snapshot


def test_the_order_of_the_pairs_does_not_matter() -> None:
    """Law: under xdist they end in another order every time."""
    # The mean is 1.582 / 4 = 0.3955, between two printed values, and a sum of floats in file order
    # falls now on this side and now on that.
    printed = {
        tuple(terminal.summary_lines({"careful": tally(*[("passed", {"eva": v}) for v in values])}))
        for values in permutations([0.03, 0.541, 0.228, 0.783])
    }
    assert len(printed) == 1


def moved(name: str, change: float = -0.1, *broken: str, **values: object) -> Difference:
    """A change of one number over 12 papers."""
    return changed(
        difference(name, *broken), **{"change": change, "p": 0.5, "ruled_out": 0.0654, **values}
    )


def compare(*differences: Difference, **values: object) -> Comparison:
    """A comparison with a saved run."""
    plain = Comparison(baseline="v1.3", system="careful", differences=differences)
    return changed(plain, **values)


def test_a_run_is_reported_suite_by_suite_and_then_its_end(snapshot: SnapshotAssertion) -> None:
    """Judges, comparisons, waivers and the worst findings of a run with two suites."""
    assert list(terminal.run_lines(everything(), n_worst=2)) == snapshot


def test_the_header_says_who_judges_what(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    """A log that is read a year later has to tell what was gated, by which judge and replies."""
    suites = [("golden", "77be02a1c3d4", ("careful", "terse")), ("zinc\n", "0a1b2c3d4e5f", ["x"])]
    line = terminal.header_line(
        judge="a\x1b[31m\n::error::b ##[group] \u202ec",
        replies="none, --summ-record=new",
        suites=suites,
    )
    labels = [
        *terminal.unlabelled_lines(["golden"]),
        *terminal.unlabelled_lines(["golden", "zinc"]),
    ]
    assert [line, *labels, *terminal.unlabelled_lines(())] == snapshot
    file = tmp_path / "cassette.jsonl"
    write_cassette(file, [Row(key="0" * 64, topic="facets", reply={"text": "{}"})])
    (line,) = terminal.cassette_lines([read_cassette(file, "golden/cassette\x1b[31m.jsonl")])
    assert line == (
        r"summeval: cassette golden/cassette\x1b[31m.jsonl, 1 reply,"
        f" sha256 {hashlib.sha256(file.read_bytes()).hexdigest()}"
    )


def ending(actual: SuiteRecord, n_worst: int = 0) -> list[str]:
    """The lines of a run over one suite."""
    return list(terminal.ending_lines(records.run(actual), n_worst=n_worst))


def compared(comparison: Comparison) -> list[str]:
    """The lines of a run of one system that was compared."""
    gated = system("llama3", papers=("zinc-01",), means=(), comparison=comparison)
    return ending(suite(passing(system="llama3"), systems=(gated,)))


LONG = "faithfulness rose by 0.167 only because summaries became shorter: 20 to 18 words, and 2.0"
ENDINGS = {
    "broken rules": compare(
        moved("facet"),
        moved("facet.result", -0.1, "it drops"),
        moved("eva", -0.1, "it drops", ruled_out=None),
        moved("eva.recall", p=None),
    ),
    "no drop": compare(moved("eva", 0.1, ruled_out=-0.02)),
    "one paper": compare(moved("eva", ruled_out=None, n_papers=1)),
    "inconclusive": compare(moved("facet", inconclusive=("cannot decide",)), moved("eva")),
    "broken and inconclusive": compare(
        moved("facet", inconclusive=("cannot decide",)), moved("eva", -0.1, "it drops")
    ),
    "a rule about a facet": compare(moved("facet", p=None), moved("facet.result")),
    "undecided": compare(moved("facet"), undecided=(("facet", LONG),)),
    "not comparable": compare(mismatches=(LONG, "more")),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_comparison_tells_what_fails_and_is_seen(snapshot: SnapshotAssertion, name: str) -> None:
    """The power is told of what was tested; lines are wrapped at 80 columns."""
    lines = compared(ENDINGS[name])
    assert max(map(len, lines)) <= 80
    assert lines == snapshot


def test_gaps_are_reported_at_the_end_and_what_was_asked_where_somebody_was() -> None:
    """A selection of tests may leave a comparison out; without it no green is one against v1.3."""
    gated = system("careful", papers=("zinc-01",), means=(), baseline="v1.3", outcome="passed")
    assert ending(suite(passing(), systems=(gated,))) == [
        "golden/summeval.toml: careful was not compared with v1.3"
    ]
    assert ending(suite(passing(), systems=(replace(gated, baseline=""),))) == []
    # the embedded judge costs nothing, and has no line
    made = record(passing(), systems=(system("careful", papers=("zinc-01",)),))
    requests = replace(made, header=replace(made.header, usage=asdict(Totals())))
    asked = "replies: 0 asked, 0 remembered (0 from a cassette), 0 failed"
    assert [*terminal.run_lines(requests)] == [*terminal.run_lines(made), asked]


@pytest.mark.parametrize("n_worst", [1, 3, 9])
def test_the_worst_findings_of_all_stand_first(snapshot: SnapshotAssertion, n_worst: int) -> None:
    """As many as were asked for; ties stand in the order of the pairs, each on two lines of 80."""
    second, mild = replace(SENTENCE, severity=0.9), replace(SENTENCE, severity=0.2)
    actual = suite(
        failing("moss-1", findings=(replace(second, reason="why " * 1000), mild)),
        failing("moss-2", findings=(replace(SENTENCE, severity=1.0), second)),
        pair("moss-3", findings=(SENTENCE,)),
        systems=(system(papers=("moss-1", "moss-2", "moss-3")),),
    )
    assert ending(actual, n_worst=n_worst) == snapshot
    assert ending(actual) == []


def test_passed_pairs_with_a_conflict_or_an_unsupported_sentence_are_listed() -> None:
    """Ten at most, the worst first; facets that only lost a point are no reason to read a pair.

    Nor is a fact that differs from the reference, where the source was asked about its sentence.
    """
    passed = replace(passing(), scores=moss_scores())
    # Of a long facet, the sentence with the error is shown.
    grew = "Moss was wet, at pH 6.41. Dry moss grew 41 mm."
    clash = replace(FACET, conflict=True, summary=grew, disputes=(("41", "14"),))
    fact = replace(clash, kind="fact")
    findings = [(SENTENCE,), (FACET,), (clash, SENTENCE), (), (fact,)]
    pairs = [replace(passed, paper=f"moss-{n}", findings=of) for n, of in enumerate(findings)]
    lines = list(terminal.run_lines(record(*pairs)))
    first = lines.index("passed, but read these (2 pairs; --summ-html=FILE shows them whole):")
    assert lines[first + 1 : first + 7] == [
        "  careful on moss-2: conflict in facet result",
        '    "Dry moss grew 41 mm."',
        f"    {clash.reason}",
        "  careful on moss-0: unsupported sentence 2",
        '    "Dry moss grew twice as fast."',
        f"    {SENTENCE.reason}",
    ]
    shown = "`conflict in facet result`, `Dry moss grew 41 mm.`: "
    assert f"- `careful` on `moss-2`: {shown}`{clash.reason}`\n- " in step_summary(record(*pairs))
    unread = replace(passed, scores=passed.scores[:2], findings=(fact,))
    assert unread.alarms == (fact,)
    many = [replace(passed, paper=f"moss-{n:02}", findings=(SENTENCE,)) for n in range(12)]
    lines = list(terminal.run_lines(record(*many)))
    assert "  2 more: --summ-html=FILE writes a page of all" in lines
    assert not any("moss-10" in line for line in lines)
    assert "passed, but read" not in "\n".join(terminal.run_lines(record(failing())))


def test_the_papers_that_got_worse_are_listed_also_where_the_comparison_passes() -> None:
    """By how much all metrics lost; of a paper that only moved, its numbers are shown."""
    facet = FacetChange(facet="result", old=4, new=2, reference="", before="", after="", reason="")
    changes = {
        "moss-1": replace(CHANGE, loss=0.1),
        "moss-2": replace(CHANGE, loss=0.4, facets=(facet,), lost=(), unsupported=(), invented=()),
        "moss-3": replace(CHANGE, loss=-0.2),
        "moss-4": replace(CHANGE, loss=0.2, facets=(), lost=(), unsupported=(), invented=()),
    }
    pairs = [replace(passing(name), change=change) for name, change in changes.items()]
    gated = system("careful", papers=tuple(changes), means=(), comparison=replace(COMPARISON))
    lines = ending(suite(*pairs, systems=(gated,)))
    first = lines.index("  papers that got worse (3 of 4), the worst first:")
    assert lines[first + 1 : first + 4] == [
        "    moss-2: result 4 -> 2",
        "    moss-4: facet 0.900 -> 0.500",
        "    moss-1: result 4 -> 2; 1 new unsupported sentence; 1 fact lost; 1 new fact…",
    ]


JUDGED = dict.fromkeys(LlmJudge(RuleSender(), model="m-1", endpoint="here").counts(), 0.0)
CALLS = {
    "dollars": Totals(
        n_asked=1200, n_cached=30, n_recorded=4, n_failed=5, prompt_tokens=10**6, cost=12.345
    ),
    "a part has a price": Totals(n_asked=10, n_unpriced=4, completion_tokens=2, cost=1.5),
    "no price": Totals(n_asked=10, n_unpriced=10, prompt_tokens=5),
    "nothing asked": Totals(n_cached=3),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_tell_tokens_and_dollars(snapshot: SnapshotAssertion, name: str) -> None:
    """Remembered replies cost nothing; the cost of a part is not told as the whole."""
    assert list(terminal.calls_lines(asdict(CALLS[name]), {})) == snapshot


def test_faults_and_votes_of_the_judge_are_reported(snapshot: SnapshotAssertion) -> None:
    """Of every count that a judge makes; 45.5 of 60 votes that agree are 75.8 %."""
    faulty = dict(zip(JUDGED, range(1200, 1200 + len(JUDGED)), strict=True))
    judge = {**faulty, "n_voted": 60.0, "n_agreeing": 45.5}
    assert list(terminal.calls_lines(asdict(Ledger().totals), judge)) == snapshot
    assert len(list(terminal.calls_lines(asdict(Ledger().totals), JUDGED))) == 1


ALIAS = ModelSeen(
    endpoint="openai",
    asked="gpt-4o",
    returned="gpt-4o-2024-08-06",
    fingerprint="fp_a",
    n_replies=120,
)
PINNED = replace(ALIAS, asked="gpt-4o-2024-08-06", n_replies=3)
LATER = replace(ALIAS, fingerprint="fp_b", n_replies=7)
SWAPPED = replace(PINNED, returned="gpt-4o-2024-11-20", is_other=True, n_replies=1)
SILENT = ModelSeen(endpoint="here", asked="rule-1", returned="", fingerprint="", n_replies=1)


def test_models_that_changed_are_reported(snapshot: SnapshotAssertion) -> None:
    """A swapped model is a warning, another configuration a note, an alias that stays nothing."""
    moved = replace(ALIAS, returned="gpt-4o-2024-11-20", fingerprint="")
    assert list(terminal.model_lines((ALIAS, PINNED))) == []
    assert not list(terminal.changed_model_lines((ALIAS, PINNED), (replace(ALIAS, n_replies=1),)))
    assert [
        list(terminal.model_lines((SWAPPED,))),
        list(terminal.model_lines((LATER, ALIAS))),
        list(terminal.model_lines((ALIAS, moved))),
        list(terminal.changed_model_lines((ALIAS,), (LATER,))),
        list(terminal.changed_model_lines((ALIAS,), (moved,))),
        list(terminal.models_seen((PINNED, SILENT, ALIAS))),
    ] == snapshot
    bad = ModelSeen(
        endpoint=HOSTILE, asked=HOSTILE, returned=f"{HOSTILE}2", fingerprint=HOSTILE, is_other=True
    )
    other = replace(bad, fingerprint=f"{HOSTILE}3")
    lines = [
        *terminal.model_lines((bad, other)),
        *terminal.models_seen((bad,)),
        *terminal.changed_model_lines([bad], [other]),
    ]
    assert len(harmless(lines)) > 3


CERTAIN = PlannedCalls(
    system="good",
    metric="facet",
    n_calls=4,
    n_certain=4,
    prompt_tokens=4000,
    completion_tokens=40,
    cost=1.5,
    n_unpriced=0,
)
GUESSED = replace(CERTAIN, system="evil\x1b[31m\n" + "x" * 50, n_calls=1200, n_certain=2, cost=20.0)
UNPRICED = replace(CERTAIN, cost=None, n_unpriced=4)
PLANS = {
    "certain": (CERTAIN, replace(CERTAIN, cost=0.0)),
    "guessed": (CERTAIN, GUESSED),
    "no price": (UNPRICED,),
    "free": (replace(CERTAIN, cost=0.0),),
    "free, and no price": (UNPRICED, replace(CERTAIN, cost=0.0)),
    "listed": (
        replace(CERTAIN, listed=frozenset({("gpt\x1b[2J at a (list 1)", Price(2.5, 10.0))})),
    ),
    "some prices": (UNPRICED, CERTAIN, replace(CERTAIN, n_unpriced=3)),
    "full store": (),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_a_table_with_a_total(snapshot: SnapshotAssertion, name: str) -> None:
    """A tilde is at what is not certain, a plus at a sum of some prices."""
    lines = list(terminal.plan_lines(PLANS[name], judge="gpt\x1b[2J\n::error::", n_stored=1234))
    assert harmless(lines) == snapshot


def drift(
    old: tuple[int, ...], new: tuple[int, ...], kind: str = "result", label: int = 4
) -> Drift:
    """Answers of one kind to the same label, a paper each."""
    runs = [
        measured(
            *(
                golden(answered(kind, label, answer), paper=f"moss-{i:02}")  # type: ignore[arg-type]  # kinds
                for i, answer in enumerate(answers)
            )
        )
        for answers in (old, new)
    ]
    return measure_drift(*runs)


@pytest.mark.usefixtures("few_resamples")
def test_the_sentence_says_what_flipped_which_way_and_for_sure(
    snapshot: SnapshotAssertion,
) -> None:
    """A reader of one line knows whether to go on."""
    assert [
        terminal.drift_sentence(drift((4, 3), (4, 3))),
        terminal.drift_sentence(drift((4, 3), (4, 4))),
        terminal.drift_sentence(drift((4,) * 8, (3,) * 8)),
        terminal.drift_sentence(drift((3,) * 16, (4,) * 16)),
        terminal.drift_sentence(drift((0,) * 8, (1,) * 8, "sentence", 0)),
        terminal.drift_sentence(measure_drift(measured(labels="0a"), measured(labels="0b"))),
    ] == snapshot


@pytest.mark.usefixtures("few_resamples")
def test_the_table_has_a_line_for_each_kind(snapshot: SnapshotAssertion) -> None:
    """Nothing that flipped leaves no p value to read."""
    same = replace(drift((4, 4), (4, 4)), n_only_old=1200, n_only_new=1)
    assert [
        list(terminal.golden_lines("moss", drift((4,) * 8, (3,) * 7 + (4,)), n_answers=0)),
        list(terminal.golden_lines("moss", same, n_answers=0)),
    ] == snapshot


@pytest.mark.usefixtures("few_resamples")
def test_flips_have_the_texts_of_the_side_that_has_them(
    snapshot: SnapshotAssertion,
) -> None:
    """The judge was right and gave no texts; now it is wrong, and says why."""
    old = golden(answered("sentence", 0, 0, index=2, error="number"))
    (answer,) = old.answers
    message = replace(answer, answer=1.0, text="40 mice slept.", against="14 slept.", reason="so")
    then, now = measured(old), measured(replace(old, answers=(message,)), judge="fair-2")
    assert [
        list(terminal.flip_lines(measure_drift(then, now).flips, n_shown=10)),
        list(terminal.flip_lines(measure_drift(now, then).flips, n_shown=10)),
        list(terminal.flip_lines(drift((4,) * 3, (1,) * 3).flips, n_shown=2)),
        list(terminal.drift_lines(then, now)),
    ] == snapshot
    assert (
        list(terminal.drift_lines(now, suite())) == list(terminal.drift_lines(suite(), now)) == []
    )
    bad = golden(answered("sentence", 0, 0, error=HOSTILE), paper=HOSTILE, system=HOSTILE)
    worse = replace(message, error=HOSTILE, index=0, text=HOSTILE, against=HOSTILE, reason=HOSTILE)
    runs = measured(bad), measured(replace(bad, answers=(worse,)), judge=HOSTILE)
    flips = measure_drift(*runs).flips
    assert len(harmless([*terminal.flip_lines(flips, n_shown=1), *terminal.drift_lines(*runs)])) > 6
