from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import product
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import OptionError, Place
from summeval_pytest.metrics.score import (
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    Unscored,
)
from summeval_pytest.metrics.signature import read_signature
from summeval_pytest.record.record import (
    Comparison,
    Header,
    PaperRecord,
    RunRecord,
    SystemRecord,
    as_json,
    broken_down,
    from_json,
    judged,
)
from summeval_pytest.record.stream import read_record
from summeval_pytest.run.golden import EvidenceCount, GoldenAnswer
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.suite.values import Pair, Paper, Section, Waiver
from summeval_pytest.verdict.decide import PairVerdict, Shortfall, SystemMean
from summeval_pytest.verdict.findings import findings_of
from summeval_pytest.verdict.thresholds import Threshold, Thresholds, WaiverUse
from tests.reports.records import TRUSTED, UNMEASURED, measured, untrusted
from tests.verdict.records import (
    HERE,
    carried,
    eva,
    marks,
    pair,
    rated,
    record_text,
    run,
    suite,
    supported,
    system,
)

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.metrics.score import Score
    from summeval_pytest.record.record import Covered, Outcome, PairRecord, SuiteRecord


SUITE = "golden/summeval.toml"
SOURCE = (
    "Moss was grown on stone.",
    "Rain fell on half of the stones.",
    "Wet moss grew twice as fast.",
    "Nobody was surprised.",
    "Ferns were left out.",
)
BOTH = (pair("moss-01"), pair("zinc-01"))
GATED = SystemRecord(name="careful", place=HERE, papers=("moss-01", "zinc-01"), outcome="passed")


def gated(*pairs: PairRecord, outcome: Covered = "passed") -> SuiteRecord:
    """A suite of one system and two papers."""
    return suite(*pairs, systems=(replace(GATED, outcome=outcome),))


def test_a_pair_tells_what_explains_its_failure() -> None:
    """The record keeps every finding, so that other thresholds can be tried later."""
    lost = findings_of((rated(marks(result=1, method=1)), eva(0.5)), SOURCE)
    low = PairVerdict(shortfalls=(Shortfall(name="facet.method", value=1, least=2),))
    judged = replace(BOTH[0], outcome="failed", findings=lost, verdict=low)
    assert len(lost) > 1
    assert [found.number for found in judged.told] == ["facet.method"]


@pytest.mark.parametrize(
    "pairs",
    [(), BOTH[:1], BOTH[1:], (BOTH[0], pair("zinc-01", outcome="error"))],
    ids=["none", "the first", "the second", "one in error"],
)
def test_a_suite_that_was_judged_in_part_is_not_complete(pairs: tuple[PairRecord, ...]) -> None:
    """A selection, or a judge that broke down, must never pass for a whole run."""
    assert not gated(*pairs).is_complete
    assert gated(*BOTH).is_complete


RANK: tuple[Covered, ...] = ("not judged", "passed", "failed", "error")
"""From what counts least to what counts most."""


@pytest.mark.parametrize(
    ("first", "second", "means"),
    [*product(["passed", "failed", "error"], ["passed", "failed", "error"], RANK)],
)
def test_the_worst_outcome_of_a_run_is_its_outcome(
    first: Outcome, second: Outcome, means: Covered
) -> None:
    """An error is worse than a failure: nobody knows what the pair would have been."""
    worst = max(first, second, means, key=RANK.index)
    pairs = (pair("moss-01", outcome=first), pair("zinc-01", outcome=second))
    assert run(gated(*pairs, outcome=means)).outcome == worst
    apart = (gated(pairs[0], outcome=means), suite(pairs[1]))
    assert run(*apart).outcome == run(*apart[::-1]).outcome == worst


@pytest.mark.parametrize("outcome", ["passed", "failed", "error"])
def test_a_run_of_an_untrusted_judge_is_untrusted_whatever_it_says(outcome: Outcome) -> None:
    """Neither its green nor its red counts, and an error of one pair is none of the judge's."""
    held = untrusted(gated(pair("moss-01", outcome=outcome), pair("zinc-01")))
    assert held.is_untrusted
    assert run(held).is_untrusted
    trusted, unmeasured = (measured(gated(*BOTH), trust) for trust in (TRUSTED, UNMEASURED))
    assert [run(*suites).outcome for suites in ((held,), (trusted, held), (unmeasured, held))] == [
        "untrusted"
    ] * 3


def test_a_judge_that_was_not_measured_is_an_error_of_the_run() -> None:
    """Its verdicts may be right, and nobody knows; that is no pass, and no failure of a system."""
    held = measured(gated(*BOTH), UNMEASURED)
    assert not held.is_untrusted
    assert run(held).outcomes == {"passed", "error"}
    assert run(held).outcome == "error"
    assert run(measured(suite(), UNMEASURED)).outcome == "error"


PAPER = Paper(
    id="moss-01",
    title="Moss and rain",
    source=(Section(text=" ".join(SOURCE)),),
    references=("Moss grew.", "Rain makes moss grow."),
    place=Place("golden/papers.jsonl", 7),
)
WRITTEN = Pair(
    paper=PAPER,
    system="careful",
    summary="Moss grew. Ferns died.",
    place=Place("golden/systems/careful.jsonl", 2),
    note="source cut",
)
RATED = RatedFacet(
    facet="result", rating=1, reason="", reference="Wet moss grew fast.", candidate=""
)
LOST = FacetScore(value=0.25, ratings=(RATED,))
PASSED = PairVerdict(shortfalls=())
FAILED = PairVerdict(shortfalls=(Shortfall(name="facet", value=0.25, least=0.55),))


def sentence(index: int, *evidence: int, supported: bool | None = True) -> JudgedSentence:
    """A judged sentence of the summary."""
    return JudgedSentence(
        index=index, text="Ferns died.", supported=supported, reason="", evidence=evidence
    )


def evaluation(*scores: Score | Unscored) -> Evaluation:
    """The pair with these scores."""
    return Evaluation(
        pair=WRITTEN,
        scores=scores,
        signatures=(
            read_signature("facet|judge:fair-1|v:1"),
            read_signature("faithfulness|judge:fair-1|v:1"),
        ),
        source=SOURCE,
    )


def cited(*scores: Score | Unscored) -> dict[int, str]:
    """The source sentences that are kept of the paper."""
    paper = judged(SUITE, evaluation(*scores), PASSED).paper
    assert paper is not None
    assert list(paper.cited) == sorted(paper.cited)
    return dict(paper.cited)


def test_all_that_was_measured_and_decided_is_kept() -> None:
    """Worked example: every report is made of this and of nothing else."""
    measured = evaluation(LOST)
    kept = judged(SUITE, measured, FAILED)
    assert kept.suite == SUITE
    pair = kept.pair
    assert (pair.paper, pair.system, pair.summary) == ("moss-01", "careful", WRITTEN.summary)
    assert (pair.outcome, pair.fault, pair.note) == ("failed", "", "source cut")
    assert pair.place == Place("golden/systems/careful.jsonl", 2)
    assert pair.scores == (LOST,)
    assert pair.signatures == ("facet|judge:fair-1|v:1", "faithfulness|judge:fair-1|v:1")
    assert pair.findings == findings_of((LOST,), SOURCE)
    assert (pair.verdict, pair.change) == (FAILED, None)
    assert pair.numbers() == measured.numbers()
    assert kept.paper == PaperRecord(
        id="moss-01",
        title="Moss and rain",
        place=Place("golden/papers.jsonl", 7),
        references=("Moss grew.", "Rain makes moss grow."),
        n_sentences=5,
        cited=((2, SOURCE[2]),),
    )


def test_a_pair_without_a_verdict_is_an_error_with_its_fault() -> None:
    """What the other metrics found is kept; an error is no failure and never a pass."""
    lack = Unscored(metric="faithfulness", status="unanswered", reason="the reply was cut off")
    pair = judged(SUITE, evaluation(LOST, lack), None, fault="the reply was cut off").pair
    assert (pair.outcome, pair.fault) == ("error", "the reply was cut off")
    assert pair.verdict == PairVerdict(shortfalls=())
    assert pair.scores == (LOST, lack)
    assert [finding.number for finding in pair.findings] == ["facet.result"]
    assert pair.told == ()


def test_a_pair_that_broke_down_has_every_metric_unanswered() -> None:
    """Nothing of it is known but why; unanswered is no refusal of the system's."""
    kept = broken_down(
        suite=SUITE, paper="moss-01", system="careful", metrics=("facet", "eva"), place=HERE,
        fault="the endpoint is down",
    )  # fmt: skip
    assert (kept.paper, kept.pair.outcome, kept.pair.fault) == (
        None,
        "error",
        "the endpoint is down",
    )
    assert [(s.metric, s.status) for s in kept.pair.scores if isinstance(s, Unscored)] == [
        ("facet", "unanswered"), ("eva", "unanswered"),
    ]  # fmt: skip


def test_the_source_sentences_that_anything_points_at_are_kept() -> None:
    """Worked example: one by a finding, others as evidence for and against sentences.

    Those that support a sentence are evidence too; sentence 3 of the source is nobody's.
    """
    score = FaithfulnessScore(
        value=0.5, sentences=(sentence(0, 4, 0), sentence(1, 1, 4, supported=False))
    )
    assert cited(LOST, score) == {place: SOURCE[place] for place in (0, 1, 2, 4)}
    assert cited(LOST) == {2: SOURCE[2]}
    assert cited(score) == {place: SOURCE[place] for place in (0, 1, 4)}


OPTION = "--summ-compare=v1.3"
REMEDY = "name a file that --summ-run-record or --summ-save has written"
PAIR = replace(
    pair(
        "moss-01",
        FacetScore(value=0.5, ratings=(RATED,), removed=("method",)),
        replace(carried({"Moss grew.": True}), matched=frozenset({10, 9, 2})),
        supported({"Moss grew.": True}),
        Unscored(metric="eva", status="refused_candidate", reason="refused"),
        summary="Moss grew \u2013 fast.",
        outcome="failed",
    ),
    verdict=FAILED,
)
WAIVER = WaiverUse(
    waiver=Waiver(
        name="moss",
        paper="moss-01",
        system="careful",
        finding="facet",
        least=0.5,
        owner="ines",
        reason="new",
        expires="2027-01-31",
        place=HERE,
    ),
    state="in use",
)
KEPT = PaperRecord(
    id="moss-01",
    title="",
    place=HERE,
    references=("Moss grew.",),
    n_sentences=9,
    cited=((4, "Wet moss grew."),),
)
HELD = replace(
    suite(
        PAIR,
        systems=(
            replace(
                system("careful", "moss-01"),
                means=(SystemMean(name="facet", value=None, least=0.5, n_scored=0, n_papers=1),),
                comparison=Comparison(baseline="v1.3", system="careful"),
            ),
        ),
        thresholds=Thresholds(pair=(Threshold("facet", 0.55),), mean=()),
        waivers=(WAIVER,),
    ),
    papers=(KEPT,),
)
RECORD = replace(
    run(HELD),
    header=Header(environment={"python": "3.11.9"}, usage={"replies": 12.0, "dollars": 0.5}),
)
"""One of every kind of score, so that each place in a file can be spoilt."""
WRITABLE = st.text(st.characters(codec="utf-8"), max_size=4)
"""What a UTF-8 file can hold, control and private characters among it."""
ANY_TEXT = st.text(st.characters(), max_size=4)
"""Half surrogate pairs, too."""


@cache
def values_of(hint: Any, text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Values of a type, read off its annotations, so that a new field is tested unasked.

    A type may hold itself, as scores over several references do.
    """
    simple: dict[Any, st.SearchStrategy[Any]] = {
        str: text,
        int: st.integers(-(2**70), 2**70),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
        NoneType: st.none(),
    }
    if isinstance(hint, type) and is_dataclass(hint):
        return st.deferred(lambda: built(hint, text))
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    return simple[hint] if hint in simple else holding(hint, text)


def built(kind: Any, text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Values of a dataclass."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{f.name: values_of(hints[f.name], text) for f in fields(kind)})


def holding(hint: Any, text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Values of a type that holds others."""
    origin = get_origin(hint)
    inner = [values_of(part, text) for part in get_args(hint) if part is not Ellipsis]
    of_any_length = {
        tuple: st.lists(inner[0], max_size=2).map(tuple),
        frozenset: st.frozensets(inner[0], max_size=3),
        Mapping: st.dictionaries(WRITABLE, inner[-1], max_size=2),
    }
    if origin in {Union, UnionType}:
        return st.one_of(*inner)
    if origin is tuple and Ellipsis not in get_args(hint):
        return st.tuples(*inner)
    return of_any_length[origin]


def whole(value: object) -> object:
    """The value with U+FFFD for each half of a surrogate pair in its texts."""
    if isinstance(value, str):
        return "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: whole(getattr(value, f.name)) for f in fields(value)})
    if isinstance(value, tuple):
        return tuple(map(whole, value))
    if isinstance(value, dict):
        return {name: whole(inner) for name, inner in value.items()}
    return value


# No deadline where a record is read: the first reading imports and builds the reader.
@given(values_of(RunRecord, WRITABLE))
@example(RECORD)
@settings(max_examples=20, deadline=None)
def test_a_record_that_is_written_and_read_is_the_same(record: RunRecord) -> None:
    """Law: over every type that a record can hold, and once more byte by byte."""
    text = as_json(record)
    found = from_json(RunRecord, text)
    assert found == record
    assert as_json(found) == text
    assert as_json(from_json(RunRecord, record_text(record))) == text


@given(values_of(PaperRecord, ANY_TEXT))
@settings(max_examples=20, deadline=None)
def test_halves_of_surrogate_pairs_become_a_sign_that_stays(paper: PaperRecord) -> None:
    """Law: no UTF-8 file can hold them; a record that is read and saved again is the same."""
    text = as_json(paper)
    text.encode()
    found = from_json(PaperRecord, text)
    assert found == whole(paper)
    assert as_json(found) == text


def test_a_pair_that_changed_is_one_line_of_a_diff() -> None:
    """Of three pairs, one is rated otherwise; the others' lines stay, byte by byte."""
    pairs = tuple(replace(PAIR, paper=paper) for paper in ("fern-01", "moss-01", "zinc-01"))
    other = (pairs[0], replace(pairs[1], summary="Moss\ngrew."), pairs[2])
    before, after = (
        record_text(replace(RECORD, suites=(replace(HELD, pairs=of),))).split("\n")
        for of in (pairs, other)
    )
    assert len(before) == len(after)
    assert [old for old, new in zip(before, after, strict=True) if old != new] == [
        f"{as_json(pairs[1])},"
    ]
    for line in (as_json(HELD.systems[0]), as_json(KEPT), as_json(WAIVER)):
        assert line in before


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_does_not_have_is_never_written(value: float) -> None:
    """No other reader could read the file; a score of NaN is a bug and no result."""
    with pytest.raises(ValueError, match=r"not JSON compliant"):
        as_json(replace(PAIR, scores=(FacetScore(value=value),)))


def spoilt(*path: str | int, value: object) -> str:
    """The record's text with another value at one place; the last key may be new."""
    values = json.loads(as_json(RECORD))
    inner = values
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(values)


SCORE = ("suites", 0, "pairs", 0, "scores", 0)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        # a key that is dropped in silence was there for a reason
        (("colour",), 1, "colour: unknown key"),
        (("header", "host"), 1, "header.host: unknown key"),
        (("suites", 0, "moss"), 1, "suites.0.moss: unknown key"),
        ((*SCORE[:4], "verdict", "moss"), 1, "suites.0.pairs.0.verdict.moss: unknown key"),
        (
            ("suites", 0, "systems", 0, "place", "column"),
            1,
            "suites.0.systems.0.place.column: unknown key",
        ),
        (
            ("suites", 0, "waivers", 0, "waiver", "x_own"),
            1,
            "suites.0.waivers.0.waiver.x_own: unknown key",
        ),
        # the numbers of one metric must never be taken for another's
        *(
            ((*SCORE, "metric"), metric, "suites.0.pairs.0.scores.0.")
            for metric in ("eva", "faithfulness", "rouge", None)
        ),
        # what somebody has edited by hand must be seen
        (("judge",), 1, "judge: Input should be a valid string"),
        (("judge",), None, "judge: Input should be a valid string"),
        (("suites",), {}, "suites: Input should be a valid array"),
        (("suites", 0), [], "suites.0: Input should be an object"),
        (("header", "usage", "replies"), "12", "header.usage.replies: Input should be a valid"),
        (("header", "environment", "python"), 3.11, "header.environment.python: Input should be"),
        (("header", "created"), 0, "header.created: Input should be a valid string"),
    ],
)
def test_what_no_run_has_written_is_refused_with_its_place(
    path: tuple[str | int, ...], value: object, told: str
) -> None:
    """A record is never bent into shape."""
    with pytest.raises(ValueError, match=": ") as caught:
        from_json(RunRecord, spoilt(*path, value=value))
    assert type(caught.value) is ValueError
    assert str(caught.value).startswith(told)


def saved(folder: Path, content: str | bytes) -> Path:
    """A file with this content."""
    file = folder / "run.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def refused(file: Path) -> str:
    """The message for a file that holds no record, on one line and not for ever."""
    with pytest.raises(OptionError) as caught:
        read_record(file, OPTION)
    assert caught.value.__cause__ is None
    message = str(caught.value)
    assert message.startswith(f"{OPTION}: {file} ")
    assert message.isprintable()
    assert len(message) < 500 + len(str(file))
    return message.removeprefix(f"{OPTION}: {file} ")


def test_a_record_checked_out_on_windows_is_the_same(tmp_path: Path) -> None:
    """A baseline is committed, so git and editors may put marks and line ends into it."""
    text = "\ufeff" + record_text(RECORD).replace("\n", "\r\n")
    assert read_record(saved(tmp_path, text), OPTION) == RECORD


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the whole: Invalid JSON: "),
        ("no", "the whole: Invalid JSON: "),
        ("\x1b[31m::error::", "the whole: Invalid JSON: "),
        (record_text(RECORD)[:-9], "the whole: Invalid JSON: "),
        ('{"schema": 1, "judge": "\\ud800"}', "the whole: Invalid JSON: "),
        ("null", "the whole: Input should be an object"),
        ("7", "the whole: Input should be an object"),
        ('[{"schema": 2}]', "the whole: Input should be an object"),
        ("{}", "header: Field required"),
        ('{"schema": 1}', "header: Field required"),
    ],
    ids=["empty", "word", "hostile", "cut", "half", "null", "number", "list", "none", "bare"],
)
def test_a_text_that_is_no_record_is_said(tmp_path: Path, text: str, told: str) -> None:
    """Any file may be named, a summary or a hostile one among them."""
    message = refused(saved(tmp_path, text))
    assert message.startswith(f"is no run record: {told}")
    assert message.endswith(f"; {REMEDY}")


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("thresholds", "pair", 0, "name"), "rouge", "unknown number 'rouge'"),
        (("waivers", 0, "waiver", "finding"), "moss", "unknown number 'moss'"),
        (("systems", 0, "means", 0, "name"), "facet.moss", "unknown number 'facet.moss'"),
        (("pairs", 0, "verdict", "shortfalls", 0, "name"), "", "unknown number ''"),
        (
            ("trust",),
            {
                "judge": "fair-1",
                "labels": "0a",
                "agreements": [{"name": "moss", "value": 1.0, "n_items": 1, "n_papers": 1}],
            },
            "unknown agreement 'moss'",
        ),
    ],
)
def test_a_record_of_a_number_that_this_version_does_not_have_is_refused(
    tmp_path: Path, path: tuple[str | int, ...], value: object, told: str
) -> None:
    """It would be decided by what nobody measures."""
    message = refused(saved(tmp_path, spoilt("suites", 0, *path, value=value)))
    assert message == f"is no run record: {told}; {REMEDY}"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe", "cannot be read as a run record, it is not UTF-8"),
        (b"[" * 100_000, "is no run record: the whole: Invalid JSON: "),
        (b"9" * 5_000, "is no run record: the whole: "),
    ],
)
def test_bytes_that_are_hard_to_read_are_refused(tmp_path: Path, content: bytes, told: str) -> None:
    """Neither depth nor length is a traceback."""
    message = refused(saved(tmp_path, content))
    assert message.startswith(told)
    assert message.endswith(f"; {REMEDY}")


@pytest.mark.parametrize("schema", [0, 2, -1, 10**9])
def test_another_schema_version_is_said_before_anything_else(tmp_path: Path, schema: int) -> None:
    """The list of what differs would not help; a newer record may differ in everything."""
    for text in (spoilt("schema", value=schema), f'{{"schema": {schema}, "moss": 1}}'):
        assert refused(saved(tmp_path, text)) == (
            f"has schema {schema}, this version reads 1;"
            " make the record again, or use the version that wrote it"
        )


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["schema", "header", "judge", "suites"]) | st.text(max_size=3),
                inner,
                max_size=4,
            )
        ),
        max_leaves=8,
    )
)
def test_any_json_is_a_record_or_a_mistake_of_the_user(
    tmp_path_factory: pytest.TempPathFactory, values: object
) -> None:
    """Law: never a traceback, NaN and half surrogate pairs among the values."""
    folder = tmp_path_factory.mktemp("record")
    refused(saved(folder, json.dumps(values)))


def test_a_golden_answer_is_written_without_what_it_does_not_say() -> None:
    """Worked example: thousands agree with their label, and 50 bytes of each are enough."""
    agrees = GoldenAnswer(kind="sentence", label=1.0, answer=1.0)
    assert as_json(agrees) == '{"answer": 1.0, "kind": "sentence", "label": 1.0}'
    lacking = replace(agrees, index=3, answer=None, reason="no reply")
    assert as_json(lacking) == (
        '{"answer": null, "index": 3, "kind": "sentence", "label": 1.0, "reason": "no reply"}'
    )
    full = replace(
        agrees,
        error="number",
        evidence=EvidenceCount(named=2, labelled=1, both=1),
        text="Mice slept.",
        against="Mice.",
    )
    assert set(json.loads(as_json(full))) == {
        "answer", "kind", "label", "error", "evidence", "text", "against"
    }  # fmt: skip
    for answer in (agrees, lacking, full):
        assert from_json(GoldenAnswer, as_json(answer)) == answer


def test_a_record_of_before_judges_were_measured_is_read(tmp_path: Path) -> None:
    """A saved baseline must not become unreadable by what a newer version measures."""
    values = json.loads(record_text(RECORD))
    for name in ("has_labels", "trust", "golden"):
        del values["suites"][0][name]
    found = read_record(saved(tmp_path, json.dumps(values)), OPTION)
    assert found == replace(RECORD, suites=(replace(HELD, has_labels=None),))
    assert found.suites[0].trust is None
