from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.metrics.number import NumberSpec
from summeval_pytest.metrics.own import OwnScore
from summeval_pytest.record.record_file import PART, RecordFile, as_json, from_json, read_record
from summeval_pytest.run.golden import EvidenceCount, GoldenAnswer
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.means import Slice
from summeval_pytest.verdict.policy import Floors
from summeval_pytest.verdict.run import PairResult, PaperRecord, RunRecord
from summeval_pytest.verdict.thresholds import Threshold, Thresholds, Waivers, read_thresholds
from tests.record.papers import paper
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import (
    baseline,
    carried,
    marks,
    on_day,
    pair,
    rated,
    record_text,
    run,
    suite,
    supported,
    system,
    unscored,
    waiver,
)

OPTION: Final = "--summ-compare=v1.3"
REMEDY: Final = "name a file that --summ-run-record or --summ-save has written"


MOSS, ZINC, FERN = (
    pair(name, supported({"It grew.": True, "It sang.": False}), summary=f"{name}:\n\u2028 grew.")
    for name in ("moss-01", "zinc-01", "fern-01")
)
FULL = pair(
    "moss-01",
    replace(rated(marks(result=1)), removed=("method",)),
    replace(carried({"Moss grew.": True}), matched=frozenset({10, 9, 2})),
    unscored("faithfulness"),
)
GATED = replace(system("careful", "moss-01", "zinc-01", "fern-01"), summaries="0a1b2c")
LIMITS = Thresholds(
    pair=(Threshold("facet", 0.5),),
    mean=(Threshold("eva", 0.5),),
)


def whole() -> RunRecord:
    """A decided run with something in every list, over two suites."""
    stored = suite(FULL, ZINC, FERN, systems=(GATED,), thresholds=LIMITS, waivers=on_day(waiver()))
    floors = (Floors(floors=(Threshold("facet_exact", 0.5, "point"),), judge="fair"),)
    stored = replace(
        stored,
        policy=replace(stored.policy, floors=floors),
        labels="c3d477be02a1",
        golden=(golden(answered("result", 4, 1), answered("overall", 0.9, None)),),
        papers=(paper("moss-01"), paper("zinc-01")),
    )
    other = replace(suite(MOSS, systems=(system("careful", "moss-01"),)), shown="b/summeval.toml")
    record = run(stored, other)
    against = {(stored.shown, "careful"): baseline(FULL, ZINC, FERN)}
    return replace(decide(record, baselines=against), shard=(1, 2))


def saved(folder: Path, content: str | bytes) -> Path:
    """A file with this content."""
    file = folder / "run.jsonl"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def lines_of() -> list[str]:
    """The lines of a small record, without the end."""
    return record_text(run(suite(MOSS, ZINC, systems=(GATED,)))).split("\n")[:-2]


def sealed(lines: Iterable[str]) -> str:
    """A file of these lines, with an end that fits."""
    text = "".join(f"{line}\n" for line in lines)
    return f"{text}{json.dumps({'end': {'sha256': sha256(text.encode()).hexdigest()}})}\n"


def refused(file: Path) -> str:
    """The message for a file that holds no record, on one line and not for ever."""
    with pytest.raises(OptionError) as caught:
        read_record(file, OPTION)
    assert caught.value.__cause__ is None
    message = str(caught.value)
    assert message.startswith(f"{OPTION}: {file} ")
    assert message.endswith(f"; {REMEDY}")
    assert message.isprintable()
    assert len(message) < 500 + len(str(file))
    return message.removeprefix(f"{OPTION}: {file} ").removesuffix(f"; {REMEDY}")


def test_a_record_that_is_written_and_read_is_the_same(tmp_path: Path) -> None:
    """Byte by byte, with its pairs in their order, and as often as it is written again."""
    text = record_text(whole())
    actual = read_record(saved(tmp_path, text), OPTION)
    assert record_text(actual) == text
    assert record_text(decide(actual)) == text
    assert [[pair.paper for pair in each.pairs] for each in actual.suites] == [
        ["moss-01", "zinc-01", "fern-01"],
        ["moss-01"],
    ]
    assert actual.suites[1].pairs[0].summary == MOSS.summary
    assert not any(each.is_cut for each in actual.suites)


def test_a_line_of_a_pair_has_its_numbers_for_whoever_counts_lines() -> None:
    """With why a number is not there; a difference of two files is a line of what differs."""
    lines = record_text(run(suite(FULL, ZINC, systems=(GATED,)))).split("\n")
    numbers = json.loads(lines[1])["numbers"]
    assert (numbers["facet.result"], numbers["eva"]) == (1, 1.0)
    assert (numbers["faithfulness"], numbers["facet.coverage"]) == (
        "refused_candidate",
        "not_given",
    )
    other = replace(ZINC, summary="Zinc\nhelped.")
    changed = record_text(run(suite(FULL, other, systems=(GATED,)))).split("\n")
    assert [n for n, pair in enumerate(zip(lines, changed, strict=True)) if pair[0] != pair[1]] == [
        2, 3
    ]  # fmt: skip


def test_a_record_checked_out_on_windows_is_the_same(tmp_path: Path) -> None:
    """A baseline is committed, so git and editors may put marks and line ends into it."""
    text = record_text(whole())
    for changed in ("\ufeff" + text.replace("\n", "\r\n"), text.removesuffix("\n")):
        assert record_text(read_record(saved(tmp_path, changed), OPTION)) == text


def test_a_record_keeps_no_day_and_decides_as_on_its_own(tmp_path: Path) -> None:
    """A replay of tomorrow is equal to the byte, and a report of an old run does not change."""
    waivers = on_day(waiver(expires="2027-01-14"), replace(waiver("eva"), name="other"))
    record = decide(run(suite(FULL, systems=(GATED,), thresholds=LIMITS, waivers=waivers)))
    assert [use.state for use in record.suites[0].waivers] == ["expired", "not judged"]
    text = record_text(record)
    assert "2027-01-15" not in text
    assert record_text(decide(read_record(saved(tmp_path, text), OPTION))) == text


def test_a_file_that_was_cut_anywhere_says_so(tmp_path: Path) -> None:
    """Law: at each byte. A whole line counts, half a line does not; the first has to be there."""
    full = record_text(run(suite(MOSS, ZINC, systems=(GATED,)))).encode()
    lines = full.splitlines(keepends=True)
    for n_bytes in [0, 7, *range(len(lines[0]) - 3, len(full) - 1, 31)]:
        file = saved(tmp_path, full[:n_bytes])
        if n_bytes < len(lines[0]) - 1:
            assert refused(file).startswith("is no run record: ")
            continue
        cut = read_record(file, OPTION)
        n_pairs = sum(full[:n_bytes].count(line.rstrip()) for line in lines[1:3])
        assert cut.suites[0].missing == f"not complete: {n_pairs} of 3 pairs, the run was cut"
        # and it does not become a whole one where it is written again
        again = read_record(saved(tmp_path, record_text(decide(cut))), OPTION)
        assert again.suites[0].missing == cut.suites[0].missing


def test_a_record_that_was_edited_is_refused_by_its_hash(tmp_path: Path) -> None:
    """Law: whatever line is gone or moved, and where each is as a run could have written it."""
    text = record_text(whole())
    lines = text.split("\n")
    edited = [text.replace('"rating": 1', '"rating": 2'), text.replace('"label": 4', '"label": 3')]
    for n in range(1, len(lines) - 2):
        edited.append("\n".join([*lines[:n], *lines[n + 1 :]]))
        edited.append("\n".join([*lines[:n], *lines[n : n + 2][::-1], *lines[n + 2 :]]))
    for each in edited:
        fault = refused(saved(tmp_path, each))
        assert "edited after it was written; judge again" in fault or "behind the end" in fault


def line(**items: object) -> str:
    """A line of the suite."""
    return as_json({"suite": "golden/summeval.toml", **items})


def test_a_line_that_no_run_has_written_is_refused(tmp_path: Path) -> None:
    """An end that fits changes nothing."""
    for each, fault in (
        ('{"colour": 1}', "colour: unknown key"),
        (line(), "it holds nothing"),
        (as_json({"suite": "x", "pair": MOSS}), "the run has no suite 'x'"),
        ("moss", "the whole: Invalid JSON"),
        ("", "the whole: Invalid JSON"),
        (line(pair={}), "pair."),
    ):
        message = refused(saved(tmp_path, sealed([*lines_of(), each])))
        assert message.startswith(f"is no run record: line 4: {fault}")


@pytest.mark.parametrize("added", ["moss", line(paper=paper("moss-01"))])
@pytest.mark.parametrize("end", ["\n", ""])
def test_a_line_behind_the_end_is_refused(tmp_path: Path, added: str, end: str) -> None:
    """The hash knows nothing of it."""
    file = saved(tmp_path, f"{sealed(lines_of())}{added}{end}")
    assert refused(file) == "is no run record: line 5: it stands behind the end"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "is no run record: "),
        ("no", "is no run record: "),
        ("\x1b[31m::error::", "is no run record: "),
        ('{"run": "\\ud800"}', "is no run record: line 1: "),
        ('{"run": null}', "is no run record: line 1: it does not begin a run"),
        ("[7]", "is no run record: line 1: the whole: Input should be an object"),
        ("{}", "is no run record: line 1: it does not begin a run"),
        ('{"schema": 1}', "is no run record: line 1: it has schema 1, this version reads 4"),
        (
            '{"run": {"schema": 3, "moss": 1}}',
            "is no run record: line 1: it has schema 3, ",
        ),
        ('{"run": {"schema": "\\u001b[31m"}}', "is no run record: line 1: it has schema "),
        (b"\xff\xfe", "is no run record: line 1: 'utf-8' codec can't decode byte 0xff"),
        (b'{"run": "\xff"}', "is no run record: line 1: "),
        (b"[" * 100_000, "is no run record: line 1: "),
        (b'{"run":' + b"[" * 100_000, "is no run record: line 1: "),
        (b"9" * 5_000, "is no run record: "),
    ],
)
def test_what_is_no_record_is_said(tmp_path: Path, content: str | bytes, fault: str) -> None:
    """Any file may be named, a hostile one, too; neither depth nor length is a traceback."""
    assert refused(saved(tmp_path, content)).startswith(fault)
    (tmp_path / "run.jsonl").unlink()
    assert refused(tmp_path / "run.jsonl").startswith(
        "cannot be read as a run record, No such file"
    )


@settings(deadline=None, max_examples=50)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["run", "begun", "schema", "suites"]) | st.text(max_size=3),
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


# A run that goes on


def test_pairs_stand_in_the_order_of_the_suite_however_they_came(tmp_path: Path) -> None:
    """Of a pair that ran twice the later counts; a paper is stored once."""
    stored = suite(systems=(GATED, replace(GATED, name="plain")))
    spool = RecordFile.begin(run(stored), tmp_path / "run.jsonl")
    plain = replace(MOSS, system="plain")
    added: list[tuple[PairResult, PaperRecord | None]] = [
        (FERN, None),
        (plain, paper("moss-01")),
        (replace(MOSS, summary="the first try"), paper("moss-01")),
        (MOSS, paper("moss-01")),
    ]
    for each, of in added:
        spool.add(stored.shown, each, of)
    assert spool.has_pair(stored.shown, "careful", "fern-01")
    assert not spool.has_pair(stored.shown, "careful", "zinc-01")
    filled = spool.filled(stored, ("zinc-01", "moss-01"))
    assert [*filled.pairs] == [MOSS, FERN, plain]
    assert [*filled.papers] == [paper("moss-01")]
    text = (tmp_path / f"run.jsonl{PART}").read_text(encoding="utf-8")
    assert text.count('"paper": {') == 1
    assert [row.paper for row in filled.rows] == ["moss-01", "fern-01", "moss-01"]
    assert (tmp_path / f"run.jsonl{PART}").exists()
    spool.close()
    assert not [*tmp_path.iterdir()]
    assert filled.pairs[0] == MOSS, "an open file is there as long as somebody reads it"


def test_a_spool_never_writes_through_a_link(tmp_path: Path) -> None:
    """A pull request may bring one, and the file behind it is not the run's."""
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    (tmp_path / f"run.jsonl{PART}").symlink_to(tmp_path / "precious")
    spool = RecordFile.begin(run(suite()), tmp_path / "run.jsonl")
    spool.close()
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "mine"


def test_a_record_can_come_through_a_pipe() -> None:
    """`zcat run.jsonl.gz | summeval report /dev/stdin`: it can be read once only."""
    ends = os.pipe()
    os.write(ends[1], b"one\ntwo\n")
    os.close(ends[1])
    lines = RecordFile(os.fdopen(ends[0], "rb"))
    assert [line for _, line in lines.all()] == [b"one\n", b"two\n"]
    assert lines.at(4) == b"two\n"


def shouting(low: float, high: float, *, lower_is_better: bool) -> RunRecord:
    """A run with a threshold on a custom metric of this range, which its pair has as 2."""
    counted = NumberSpec(
        name="shouts",
        metric="shouts",
        meaning="marks",
        low=low,
        high=high,
        lower_is_better=lower_is_better,
    )
    score = OwnScore(metric="shouts", numbers={"shouts": 2.0})
    limits = Thresholds(pair=(Threshold("shouts", 1.0),), mean=(Threshold("shouts", 1.0),))
    stored = suite(pair("moss-01", score), thresholds=limits)
    return run(replace(stored, own_numbers=(counted,)))


def test_two_records_with_metrics_of_one_name_know_nothing_of_each_other(tmp_path: Path) -> None:
    """One team's metric is a count of faults, and another team's a grade."""
    faults = shouting(0.0, 9.0, lower_is_better=True)
    grades = shouting(-4.0, 4.0, lower_is_better=False)
    files = [tmp_path / name for name in ("faults.json", "grades.json")]
    for file, record in zip(files, (faults, grades), strict=True):
        file.write_text(record_text(record), encoding="utf-8")
    first, second = (read_record(file, OPTION) for file in files)
    for record, expected in ((first, "failed"), (second, "passed"), (first, "failed")):
        (decided,) = decide(record).suites
        (judged,), (gated,) = decided.pairs, decided.systems
        assert (judged.outcome, gated.outcome) == (expected, expected)
    assert record_text(first) == record_text(faults)


def test_reading_a_record_leaves_what_the_process_knows(tmp_path: Path) -> None:
    """A hostile record could name numbers for the suite that is gated beside it."""
    record = shouting(0, 9, lower_is_better=True)
    read_record(saved(tmp_path, record_text(record)), OPTION)
    assert "shouts" not in CATALOGUE
    with pytest.raises(OptionError, match="unknown threshold 'shouts'"):
        read_thresholds({}, options=["shouts=1"])


@pytest.mark.parametrize(("most", "state"), [(3.0, "in use"), (1.5, "exceeded")])
def test_waivers_and_slices_of_a_record_know_its_numbers(
    tmp_path: Path, most: float, state: str
) -> None:
    """Fewer faults are better, whoever reads the record, and whatever bounds them."""
    record = shouting(0.0, 9.0, lower_is_better=True).suites[0]
    (first,), papers = record.pairs, ("moss-01", "zinc-01", "fern-01", "kiln-01", "reed-01")
    part = Slice(name="field=wet", papers=papers, thresholds=(Threshold("shouts", 1.0),))
    stored = replace(
        record,
        pairs=tuple(replace(first, paper=name) for name in papers),
        systems=(system("careful", *papers),),
        policy=replace(
            record.policy, waivers=Waivers(waivers=(waiver("shouts", most=most),)), slices=(part,)
        ),
    )
    (decided,) = decide(read_record(saved(tmp_path, record_text(run(stored))), OPTION)).suites
    assert [use.state for use in decided.waivers] == [state]
    assert [mean.name for mean in decided.systems[0].slices[0].missed] == ["shouts"]


RECORD = RunRecord(
    header=run().header, judge=run().judge, suites=(suite(pair("moss-01", rated())),)
)
WRITABLE = st.text(st.characters(codec="utf-8"), max_size=4)
"""What a UTF-8 file can hold, control and private characters among it."""


@cache
def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type, read off its annotations, so that a new field is tested unasked."""
    simple: dict[Any, st.SearchStrategy[Any]] = {
        str: WRITABLE,
        int: st.integers(-(2**70), 2**70),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
        NoneType: st.none(),
    }
    if isinstance(hint, type) and is_dataclass(hint):
        return st.deferred(lambda: built(hint))
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    return simple[hint] if hint in simple else holding(hint)


def built(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a dataclass."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{f.name: values_of(hints[f.name]) for f in fields(kind)})


def holding(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type that holds others."""
    origin = get_origin(hint)
    inner = [values_of(part) for part in get_args(hint) if part is not Ellipsis]
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


# No deadline where a record is read: the first reading imports and builds the reader.
@given(values_of(RunRecord))
@example(RECORD)
@settings(max_examples=10, deadline=None)
def test_every_value_that_is_written_and_read_is_the_same(record: RunRecord) -> None:
    """Law: over every type that a record can hold, and once more byte by byte."""
    text = as_json(record)
    result = from_json(RunRecord, text)
    assert result == record
    assert as_json(result) == text


def test_halves_of_surrogate_pairs_become_a_sign_that_stays() -> None:
    """No UTF-8 file can hold them; a record that is read and saved again is the same."""
    text = as_json(paper("moss-01", references=("a\ud800b", "\udfff", "\U0001f33f")))
    text.encode()
    result = from_json(PaperRecord, text)
    assert result.references == ("a\ufffdb", "\ufffd", "\U0001f33f")
    assert as_json(result) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_does_not_have_is_neither_written_nor_read(value: float) -> None:
    """No other reader could read the file; a score of NaN is a bug and no result."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json(FacetScore(value=value))
    with pytest.raises(ValueError, match="finite number"):
        from_json(FaithfulnessScore, f'{{"value": {json.dumps(value)}, "sentences": []}}')


SCORE = ("suites", 0, "pairs", 0, "scores", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        # a key that is dropped in silence was there for a reason
        (("colour",), 1, "colour: unknown key"),
        (("header", "host"), 1, "header.host: unknown key"),
        ((*SCORE[:4], "verdict", "moss"), 1, "suites.0.pairs.0.verdict.moss: unknown key"),
        # the numbers of one metric must never be taken for another's
        *(
            ((*SCORE, "metric"), metric, "suites.0.pairs.0.scores.0.")
            for metric in ("eva", "faithfulness", "rouge", None)
        ),
        # what somebody has edited by hand must be seen
        (("judge",), "fair-1", "judge: Input should be an object"),
        (("suites",), {}, "suites: Input should be a valid array"),
        (("header", "environment"), {"python": 3.11}, "header.environment.python: Input should be"),
        (("header", "usage"), {"replies": "12"}, "header.usage.replies: Input should be a valid"),
    ],
)
def test_what_no_run_has_written_is_refused_with_its_place(
    path: tuple[str | int, ...], value: object, message: str
) -> None:
    """A record is never bent into shape."""
    values: Any = json.loads(as_json(RECORD))
    inner = values
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(ValueError, match=": ") as caught:
        from_json(RunRecord, json.dumps(values))
    assert type(caught.value) is ValueError
    assert str(caught.value).startswith(message)


def test_a_golden_answer_is_written_without_what_it_does_not_say() -> None:
    """Worked example: thousands agree with their label, and 50 bytes of each are enough."""
    agrees = GoldenAnswer(kind="sentence", label=1.0, answer=1.0)
    assert as_json(replace(agrees, support=0.9)).endswith('"label": 1.0, "support": 0.9}')
    assert as_json(agrees) == '{"answer": 1.0, "kind": "sentence", "label": 1.0}'
    unanswered = replace(agrees, index=3, answer=None, reason="no reply")
    assert as_json(unanswered) == (
        '{"answer": null, "index": 3, "kind": "sentence", "label": 1.0, "reason": "no reply"}'
    )
    evidence = EvidenceCount(named=2, labelled=1, both=1)
    full = replace(agrees, error="number", evidence=evidence, text="Mice slept.", against="Mice.")
    assert set(json.loads(as_json(full))) == {
        "answer", "kind", "label", "error", "evidence", "text", "against"
    }  # fmt: skip
