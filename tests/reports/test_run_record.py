from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import OptionError, Place
from summeval_pytest.metrics.score import (
    CheckedFact,
    EvaCounts,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    StageCounts,
    Unscored,
)
from summeval_pytest.questions import Fact
from summeval_pytest.record.record import (
    Comparison,
    Header,
    Judged,
    Measured,
    PairRecord,
    PaperRecord,
    Part,
    RunRecord,
    SuiteRecord,
    SystemRecord,
    Totalled,
    as_json,
    from_json,
    read_record,
    record_text,
)
from summeval_pytest.run.golden import EvidenceCount, GoldenAnswer
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import PairVerdict, Shortfall, SystemMean
from summeval_pytest.verdict.thresholds import Threshold, Thresholds, WaiverUse
from tests.reports.trust_records import (
    UNMEASURED,
    agreement,
    golden,
    measured,
    trust,
    untrusted,
)
from tests.verdict.records import eva, faithful, pair

if TYPE_CHECKING:
    from pathlib import Path

OPTION = "--summ-compare=v1.3"
REMEDY = "name a file that --summ-run-record or --summ-save has written"
HERE = Place("golden/summeval.toml", 3)

PAIR = PairRecord(
    paper="moss-01",
    system="careful",
    outcome="failed",
    summary="Moss grew \u2013 fast.",
    place=HERE,
    scores=(
        FacetScore(
            value=0.5,
            ratings=(
                RatedFacet(
                    facet="result", rating=2, reason="half", reference="Moss grew.", candidate=""
                ),
            ),
            removed=("method",),
        ),
        EvaScore(
            value=0.5,
            precision=None,
            recall=0.5,
            recall_entailed=0.25,
            reference=(
                CheckedFact(fact=Fact(text="Moss grew.", sentence=0), holds=None, reason=""),
            ),
            matched=frozenset({10, 9, 2}),
        ),
        FaithfulnessScore(
            value=1.0,
            sentences=(JudgedSentence(index=0, text="Moss grew.", supported=True, reason=""),),
        ),
        Unscored(metric="eva", status="refused_candidate", reason="refused"),
    ),
    signatures=("facet|judge:fair-1|v:1",),
    verdict=PairVerdict(shortfalls=(Shortfall(name="facet", value=0.5, least=0.55),)),
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
RECORD = RunRecord(
    header=Header(
        environment={"python": "3.11.9", "numpy": "2.1"}, usage={"replies": 12.0, "dollars": 0.5}
    ),
    judge="fair-1",
    suites=(
        SuiteRecord(
            has_labels=False,
            name="golden",
            shown="golden/summeval.toml",
            fingerprint="77be02a1c3d4",
            thresholds=Thresholds(pair=(Threshold("facet", 0.55),), mean=()),
            systems=(
                SystemRecord(
                    name="careful",
                    place=HERE,
                    papers=("moss-01",),
                    means=(
                        SystemMean(name="facet", value=None, least=0.5, n_scored=0, n_papers=1),
                    ),
                    comparison=Comparison(baseline="v1.3", system="careful"),
                ),
            ),
            papers=(
                PaperRecord(
                    id="moss-01",
                    title="",
                    place=HERE,
                    references=("Moss grew.",),
                    n_sentences=9,
                    cited=((4, "Wet moss grew."),),
                ),
            ),
            pairs=(PAIR,),
            waivers=(WAIVER,),
        ),
    ),
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
@settings(max_examples=60, deadline=None)
def test_a_record_that_is_written_and_read_is_the_same(record: RunRecord) -> None:
    """Law: over every type that a record can hold, and once more byte by byte."""
    text = as_json(record)
    found = from_json(RunRecord, text)
    assert found == record
    assert as_json(found) == text
    assert as_json(from_json(RunRecord, record_text(record))) == text


PARTS: dict[type[object], st.SearchStrategy[object]] = {
    kind: values_of(kind, WRITABLE) for kind in (PairRecord, SystemRecord, PaperRecord, Part)
}


@pytest.mark.parametrize("kind", PARTS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_each_part_of_a_record_that_is_written_and_read_is_the_same(
    kind: type[object], data: st.DataObject
) -> None:
    """Law: xdist workers send parts, and a part alone is drawn in more detail than a whole run."""
    value = data.draw(PARTS[kind])
    found = from_json(kind, as_json(value))
    assert found == value
    assert as_json(found) == as_json(value)


@given(values_of(PaperRecord, ANY_TEXT))
@settings(max_examples=60, deadline=None)
def test_halves_of_surrogate_pairs_become_a_sign_that_stays(paper: PaperRecord) -> None:
    """Law: no UTF-8 file can hold them; a record that is read and saved again is the same."""
    text = as_json(paper)
    text.encode()
    found = from_json(PaperRecord, text)
    assert found == whole(paper)
    assert as_json(found) == text


def test_half_a_surrogate_pair_is_one_sign_and_a_whole_pair_is_left() -> None:
    """Worked example: each half becomes U+FFFD; what Python joins was a character all along."""
    halves = replace(PAIR, summary="a\ud83d b\ude00 \ud83d\ude00 \U0001f600")
    found = from_json(PairRecord, as_json(halves))
    assert found.summary == "a\ufffd b\ufffd \ufffd\ufffd \U0001f600"


@pytest.mark.parametrize(
    "value",
    [
        *PAIR.scores,
        FacetScore(value=1.0, identical=True),
        EvaScore(value=1.0, precision=1.0, recall=1.0, recall_entailed=None, identical=True),
        FaithfulnessScore(value=1.0, sentences=()),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_each_kind_of_score_is_read_as_itself(value: object) -> None:
    """Some have the same keys in part, and the wrong kind would have the wrong numbers."""
    assert isinstance(value, FacetScore | EvaScore | FaithfulnessScore | Unscored)
    (found,) = from_json(PairRecord, as_json(replace(PAIR, scores=(value,)))).scores
    assert found == value
    assert type(found) is type(value)


def test_each_kind_of_part_is_read_as_itself() -> None:
    """A worker's lines hold pairs, systems and the judge in any order."""
    for part in (
        Part(Judged(suite="golden", pair=PAIR, paper=RECORD.suites[0].papers[0])),
        Part(Judged(suite="golden", pair=PAIR)),
        Part(Totalled(suite="golden", system=RECORD.suites[0].systems[0])),
        Part(Measured(suite="golden", trust=trust(), golden=golden())),
        Part(Measured(suite="golden", trust=UNMEASURED)),
    ):
        found = from_json(Part, as_json(part))
        assert found == part
        assert type(found.value) is type(part.value)


def test_values_are_written_as_json_knows_them() -> None:
    """Worked example: keys sorted at every depth, sets in order, no letter escaped."""
    assert as_json(PAIR.place) == '{"line": 3, "path": "golden/summeval.toml"}'
    text = as_json(PAIR)
    assert '"matched": [2, 9, 10]' in text
    assert '"precision": null, "recall": 0.5, "recall_entailed": 0.25' in text
    assert '"summary": "Moss grew \u2013 fast."' in text
    assert text.startswith('{"change": null, "fault": "", "findings": [], "note": "", ')
    assert "\n" not in text


def test_mappings_are_written_in_order_whatever_their_type() -> None:
    """Versions are put in as they are found."""
    environment = MappingProxyType({"numpy": "2.1", "attrs": "25"})
    header = Header(environment=environment, usage={})
    assert '"environment": {"attrs": "25", "numpy": "2.1"}' in as_json(header)
    assert from_json(Header, as_json(header)) == header


def test_the_file_of_a_record_is_lines_that_a_diff_can_show() -> None:
    """A baseline is kept in the repository; a changed rating should be a changed line."""
    text = record_text(RECORD)
    lines = text.split("\n")
    assert lines[0].startswith('{"header": {"cassettes": [')
    assert lines[-2:] == ["]}", ""]
    assert '"judge": "fair-1",' in lines
    assert '"schema": 1,' in lines
    assert sum(line.startswith('{"change": ') for line in lines) == len(RECORD.suites[0].pairs)
    other = replace(RECORD, judge="fair-2")
    assert len(set(lines) ^ set(record_text(other).split("\n"))) == 2


def test_a_pair_that_changed_is_one_line_of_a_diff() -> None:
    """Of three pairs, one is rated otherwise; the others' lines stay, byte by byte."""
    (suite,) = RECORD.suites
    pairs = tuple(replace(PAIR, paper=paper) for paper in ("fern-01", "moss-01", "zinc-01"))
    other = (pairs[0], replace(pairs[1], summary="Moss\ngrew."), pairs[2])
    before, after = (
        record_text(replace(RECORD, suites=(replace(suite, pairs=of),))).split("\n")
        for of in (pairs, other)
    )
    assert len(before) == len(after)
    assert [old for old, new in zip(before, after, strict=True) if old != new] == [
        f"{as_json(pairs[1])},"
    ]
    for line in (as_json(suite.systems[0]), as_json(suite.papers[0]), as_json(WAIVER)):
        assert line in before


def test_every_object_of_a_file_has_its_keys_in_order() -> None:
    """The order of fields in the code is nobody's business."""

    def in_order(pairs: list[tuple[str, object]]) -> dict[str, object]:
        names = [name for name, _ in pairs]
        assert names == sorted(names)
        return dict(pairs)

    values = json.loads(record_text(RECORD), object_pairs_hook=in_order)
    assert set(values) == {"schema", "header", "judge", "suites"}


def test_the_same_run_gives_the_same_bytes() -> None:
    """Whatever order sets and mappings were filled in."""
    one, other = (
        Part(
            Judged(
                suite="golden",
                pair=replace(
                    PAIR,
                    scores=(
                        EvaScore(
                            value=1.0,
                            precision=1.0,
                            recall=1.0,
                            recall_entailed=None,
                            matched=frozenset(matched),
                        ),
                    ),
                ),
            )
        )
        for matched in ((2, 10), (10, 2))
    )
    assert as_json(one) == as_json(other)
    environment = dict(reversed([*RECORD.header.environment.items()]))
    shuffled = replace(RECORD, header=replace(RECORD.header, environment=environment))
    assert list(environment) != list(RECORD.header.environment)
    assert record_text(shuffled) == record_text(RECORD)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_does_not_have_is_never_written(value: float) -> None:
    """No other reader could read the file; a score of NaN is a bug and no result."""
    with pytest.raises(ValueError, match=r"not JSON compliant"):
        as_json(replace(PAIR, scores=(FacetScore(value=value),)))


def test_what_has_no_place_in_a_record_is_never_written() -> None:
    """A text made of an object's address would differ from run to run."""
    with pytest.raises(TypeError, match=r"<object object at .*> has no place in a run record"):
        as_json(replace(PAIR, summary=object()))  # type: ignore[arg-type]  # the very thing that must not work
    with pytest.raises(TypeError, match=r"<class .*PairRecord'> has no place in a run record"):
        as_json(PairRecord)


def spoilt(*path: str | int, value: object) -> str:
    """The record's text with another value at one place; the last key may be new."""
    values = json.loads(as_json(RECORD))
    inner = values
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(values)


def fault(text: str) -> str:
    """Why a text is no record."""
    with pytest.raises(ValueError, match=": ") as caught:
        from_json(RunRecord, text)
    assert type(caught.value) is ValueError
    return str(caught.value)


UNKNOWN = "unknown key"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("colour",), "colour"),
        (("header", "host"), "header.host"),
        (("suites", 0, "moss"), "suites.0.moss"),
        (("suites", 0, "pairs", 0, "verdict", "moss"), "suites.0.pairs.0.verdict.moss"),
        (("suites", 0, "systems", 0, "place", "column"), "suites.0.systems.0.place.column"),
        (("suites", 0, "waivers", 0, "waiver", "x_own"), "suites.0.waivers.0.waiver.x_own"),
    ],
)
def test_an_unknown_key_is_refused_with_its_place(path: tuple[str | int, ...], place: str) -> None:
    """A key that is dropped in silence was there for a reason."""
    assert fault(spoilt(*path, value=1)) == f"{place}: {UNKNOWN}"


@pytest.mark.parametrize("place", range(len(PAIR.scores)))
def test_an_unknown_key_of_a_score_is_refused_with_its_place(place: int) -> None:
    """Scores are told apart by what they hold, and none of them holds this."""
    told = fault(spoilt("suites", 0, "pairs", 0, "scores", place, "moss", value=1))
    assert told.startswith(f"suites.0.pairs.0.scores.{place}.")


@pytest.mark.parametrize("metric", ["eva", "faithfulness", "rouge", None])
def test_a_score_under_the_name_of_another_metric_is_refused(metric: str | None) -> None:
    """The numbers of one metric must never be taken for another's."""
    path = ("suites", 0, "pairs", 0, "scores", 0)
    assert fault(spoilt(*path, "metric", value=metric)).startswith("suites.0.pairs.0.scores.0.")


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("judge",), 1, "judge: Input should be a valid string"),
        (("judge",), None, "judge: Input should be a valid string"),
        (("suites",), {}, "suites: Input should be a valid array"),
        (("suites", 0), [], "suites.0: Input should be an object"),
        (("header", "usage", "replies"), "12", "header.usage.replies: Input should be a valid"),
        (("header", "environment", "python"), 3.11, "header.environment.python: Input should be"),
        (("header", "created"), 0, "header.created: Input should be a valid string"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_place(
    path: tuple[str | int, ...], value: object, told: str
) -> None:
    """A record is never bent into shape: what somebody has edited by hand must be seen."""
    assert fault(spoilt(*path, value=value)).startswith(told)


LINE = ("suites", 0, "systems", 0, "place", "line")
LEAST = ("suites", 0, "systems", 0, "means", 0, "least")


@pytest.mark.parametrize("value", ["1", True, False, 1.5, None, [1]])
def test_a_whole_number_is_nothing_else(value: object) -> None:
    """Text, true and fractions look like numbers to a lenient reader."""
    assert fault(spoilt(*LINE, value=value)).startswith(
        "suites.0.systems.0.place.line: Input should be a valid integer"
    )


@pytest.mark.parametrize("value", ["0.5", True, None, [0.5]])
def test_a_number_is_nothing_else(value: object) -> None:
    """So do they where a fraction may stand."""
    assert fault(spoilt(*LEAST, value=value)).startswith(
        "suites.0.systems.0.means.0.least: Input should be a valid number"
    )


def test_a_whole_number_will_do_where_a_fraction_may_stand() -> None:
    """JSON has one kind of number, and other tools write 1.0 as 1."""
    found = from_json(RunRecord, spoilt(*LEAST, value=1))
    least = found.suites[0].systems[0].means[0].least
    assert (least, type(least)) == (1.0, float)


@pytest.mark.parametrize("value", [0, 1, "true", None])
def test_a_truth_is_nothing_else(value: object) -> None:
    """1 is no true."""
    text = as_json(PAIR.scores[0]).replace(
        '"identical": false', f'"identical": {json.dumps(value)}'
    )
    with pytest.raises(ValueError, match=r"^identical: Input should be a valid boolean"):
        from_json(FacetScore, text)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("suites", 0, "pairs", 0, "outcome"), "not judged"),
        (("suites", 0, "systems", 0, "outcome"), "green"),
        (("suites", 0, "waivers", 0, "state"), "IN USE"),
        (("schema",), 2),
        (("schema",), "1"),
        (("schema",), None),
    ],
)
def test_a_word_that_is_none_of_those_known_is_refused(
    path: tuple[str | int, ...], value: object
) -> None:
    """An outcome that no report knows would be shown as none."""
    place = ".".join(map(str, path))
    assert fault(spoilt(*path, value=value)).startswith(f"{place}: Input should be ")


@pytest.mark.parametrize(
    "path", [("judge",), ("suites", 0, "pairs", 0, "summary"), ("header", "usage")]
)
def test_a_key_that_is_missing_is_named(path: tuple[str | int, ...]) -> None:
    """There is no default for what was measured."""
    values = json.loads(as_json(RECORD))
    inner = values
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    assert fault(json.dumps(values)) == f"{'.'.join(map(str, path))}: Field required"


@pytest.mark.parametrize("text", ["", "{", "no", "[1,]", "{}{}", '{"a": 1,}', "\ufeff{}"])
def test_what_is_no_json_is_refused_as_a_whole(text: str) -> None:
    """There is no place in it to point at."""
    assert fault(text).startswith("the whole: Invalid JSON: ")


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


def test_a_record_is_read_from_its_file(tmp_path: Path) -> None:
    """Law of the whole way: values, text, bytes, and back."""
    assert read_record(saved(tmp_path, record_text(RECORD)), OPTION) == RECORD


def test_a_record_may_be_laid_out_otherwise(tmp_path: Path) -> None:
    """An editor may have reformatted it; its values are the same."""
    text = json.dumps(json.loads(record_text(RECORD)), indent=4, ensure_ascii=True)
    assert read_record(saved(tmp_path, text.replace("\n", "\r\n")), OPTION) == RECORD


def test_a_record_checked_out_on_windows_is_the_same(tmp_path: Path) -> None:
    """A baseline is committed, so git and editors may put marks and line ends into it."""
    text = "\ufeff" + record_text(RECORD).replace("\n", "\r\n")
    assert read_record(saved(tmp_path, text), OPTION) == RECORD


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    """The likeliest slip is a name."""
    assert refused(tmp_path / "no.json") == (
        f"cannot be read as a run record, No such file or directory; {REMEDY}"
    )


def test_a_folder_is_said(tmp_path: Path) -> None:
    """The next likeliest is the folder of the runs."""
    assert refused(tmp_path) == f"cannot be read as a run record, Is a directory; {REMEDY}"


@pytest.mark.parametrize("content", [b"\xff{}", "{}".encode("utf-16"), b'"\xed\xa0\x80"'])
def test_bytes_that_are_not_utf_8_are_said(tmp_path: Path, content: bytes) -> None:
    """Another encoding, or half a surrogate pair in bytes."""
    assert refused(saved(tmp_path, content)) == (
        f"cannot be read as a run record, it is not UTF-8; {REMEDY}"
    )


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
    ids=[
        "empty",
        "word",
        "hostile",
        "cut",
        "half pair",
        "null",
        "number",
        "list",
        "none",
        "bare",
    ],
)
def test_a_text_that_is_no_record_is_said(tmp_path: Path, text: str, told: str) -> None:
    """Any file may be named, a summary or a hostile one among them."""
    message = refused(saved(tmp_path, text))
    assert message.startswith(f"is no run record: {told}")
    assert message.endswith(f"; {REMEDY}")


@pytest.mark.parametrize("opening", ["[", '{"schema":', '{"suites":['])
def test_a_deeply_nested_text_is_no_record(tmp_path: Path, opening: str) -> None:
    """It must not end in the interpreter's own recursion."""
    message = refused(saved(tmp_path, opening * 200_000))
    assert message.startswith("is no run record: the whole: Invalid JSON: ")


@pytest.mark.parametrize("number", ["9" * 5_000, "-" + "9" * 5_000, "9" * 1_000_000])
def test_a_number_of_thousands_of_digits_is_no_record(tmp_path: Path, number: str) -> None:
    """Python itself refuses to read it."""
    for text in (number, f'{{"schema": {number}}}', spoilt(*LINE, value=1).replace("1", number)):
        assert refused(saved(tmp_path, text)).startswith("is no run record: ")


def test_a_huge_whole_number_is_read_as_it_is() -> None:
    """Nothing is rounded on the way."""
    place = Place("golden/summeval.toml", 10**400)
    assert from_json(Place, as_json(place)) == place


@pytest.mark.parametrize("schema", [0, 2, -1, 10**9])
def test_another_schema_version_is_said_before_anything_else(tmp_path: Path, schema: int) -> None:
    """The list of what differs would not help; a newer record may differ in everything."""
    for text in (spoilt("schema", value=schema), f'{{"schema": {schema}, "moss": 1}}'):
        assert refused(saved(tmp_path, text)) == (
            f"has schema {schema}, this version reads 1;"
            " make the record again, or use the version that wrote it"
        )


@pytest.mark.parametrize("schema", ["1", "2", None, [2], 2.5])
def test_a_schema_that_is_no_version_is_said_as_any_other_mistake(
    tmp_path: Path, schema: object
) -> None:
    """It is no version that anything has written."""
    assert refused(saved(tmp_path, spoilt("schema", value=schema))).startswith(
        "is no run record: schema: Input should be 1; "
    )


def test_a_hostile_key_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    """A record comes from another branch, and the message names its keys."""
    key = "\x1b[31m\n::error::##[group]" + "z" * 1_000_000
    message = refused(saved(tmp_path, spoilt(key, value=1)))
    assert message.startswith(r"is no run record: \x1b[31m ::error::#\x23[group]zzz")
    assert message.endswith(f"\u2026; {REMEDY}")


@settings(deadline=None)
@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_any_bytes_are_a_record_or_a_mistake_of_the_user(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """Law: never a traceback."""
    folder = tmp_path_factory.mktemp("record")
    refused(saved(folder, content))


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


def test_a_record_tells_the_same_after_it_was_read(tmp_path: Path) -> None:
    """Reports are made from either."""
    found = read_record(saved(tmp_path, record_text(RECORD)), OPTION)
    assert (found.outcome, found.is_complete) == (RECORD.outcome, RECORD.is_complete)
    (pair,) = found.suites[0].pairs
    assert pair.numbers() == PAIR.numbers()
    assert pair.told == PAIR.told


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_refused(number: str) -> None:
    """NaN is under no threshold: a pair that holds it would pass every one."""
    text = as_json(faithful(0.5)).replace("0.5", number)
    with pytest.raises(ValueError, match="value: "):
        from_json(FaithfulnessScore, text)


def test_a_fault_in_a_score_is_told_of_that_score() -> None:
    """Not of the first kind of score that it also is not."""
    record = replace(RECORD, suites=(replace(RECORD.suites[0], pairs=(pair("a", eva(0.5)),)),))
    text = as_json(record).replace('"recall": 0.5', '"recall": "half"')
    with pytest.raises(ValueError, match=r"^suites\.0\.pairs\.0\.scores\.0\.EvaScore\.recall: "):
        from_json(RunRecord, text)


def test_a_record_keeps_what_the_labels_say_of_the_judge(tmp_path: Path) -> None:
    """A judge's drift is seen in its golden answers, a release after they were given."""
    for suite in (untrusted(RECORD.suites[0]), measured(RECORD.suites[0], UNMEASURED)):
        record = replace(RECORD, suites=(suite,))
        found = read_record(saved(tmp_path, record_text(record)), OPTION)
        assert found == record
        assert found.outcome == record.outcome


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


def test_what_only_some_judges_say_of_a_sentence_is_written_where_they_do() -> None:
    """Records of before stay as they are, to the byte."""
    usual = JudgedSentence(index=0, text="It rose.", supported=False, reason="no")
    assert "factual" not in as_json(usual)
    told = replace(usual, factual=False)
    assert json.loads(as_json(told))["factual"] is False
    score = FaithfulnessScore(value=0.0, sentences=(usual, told))
    assert "n_copied" not in as_json(score)
    for each in (score, replace(score, n_copied=2)):
        assert from_json(FaithfulnessScore, as_json(each)) == each
    assert json.loads(as_json(replace(score, n_copied=2)))["n_copied"] == 2


def test_each_golden_pair_is_a_line_of_its_own() -> None:
    """An answer that flipped is one changed line of a diff."""
    text = record_text(replace(RECORD, suites=(untrusted(RECORD.suites[0]),)))
    (first, second) = golden()
    lines = text.split("\n")
    assert f"{as_json(first)}," in lines
    assert as_json(second) in lines


def test_a_record_of_before_judges_were_measured_is_read(tmp_path: Path) -> None:
    """A saved baseline must not become unreadable by what a newer version measures."""
    values = json.loads(record_text(RECORD))
    for name in ("has_labels", "trust", "golden"):
        del values["suites"][0][name]
    found = read_record(saved(tmp_path, json.dumps(values)), OPTION)
    (held,) = RECORD.suites
    assert found == replace(RECORD, suites=(replace(held, has_labels=None),))
    assert found.suites[0].trust is None


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("kind",), "mood", "kind"),
        (("answer",), "4", "answer: Input should be a valid number"),
        (("label",), None, "label: Input should be a valid number"),
        (("evidence",), {"named": 1, "labelled": 1}, "evidence.both: Field required"),
        (("mood",), 1, f"mood: {UNKNOWN}"),
    ],
)
def test_a_golden_answer_is_read_as_strictly_as_a_score(
    path: tuple[str], value: object, told: str
) -> None:
    """Fields may be left out, and what is there is still what was written."""
    text = json.dumps({"kind": "sentence", "label": 1.0, "answer": 1.0, path[0]: value})
    with pytest.raises(ValueError, match=": ") as caught:
        from_json(GoldenAnswer, text)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize("name", ["kind", "label", "answer"])
def test_a_golden_answer_needs_its_label_and_an_answer(name: str) -> None:
    """None is an answer that the judge did not give; a key that is not there is a lost one."""
    values = {"kind": "sentence", "label": 1.0, "answer": 1.0}
    del values[name]
    with pytest.raises(ValueError, match=f"^{name}: Field required"):
        from_json(GoldenAnswer, json.dumps(values))


@pytest.mark.parametrize(
    ("suite", "fault"),
    [
        (
            replace(RECORD.suites[0], thresholds=Thresholds(pair=(Threshold("z", 0.5),), mean=())),
            "unknown number 'z'",
        ),
        (
            measured(RECORD.suites[0], trust(agreement("mood", 0.5))),
            "unknown agreement 'mood'",
        ),
    ],
)
def test_a_record_with_a_number_that_this_version_lacks_is_refused(
    tmp_path: Path, suite: SuiteRecord, fault: str
) -> None:
    """Another version may have written it under the same schema."""
    file = saved(tmp_path, record_text(replace(RECORD, suites=(suite,))))
    assert refused(file) == f"is no run record: {fault}; {REMEDY}"


def test_a_record_has_references_only_where_they_are_averaged() -> None:
    """Every record of before reads the same, and is written the same, byte by byte."""
    lone, other = FacetScore(value=0.5), FacetScore(value=1.0, identical=True)
    assert "by_reference" not in as_json(PAIR)
    averaged_ = replace(lone, value=0.75, by_reference=(lone, other))
    text = as_json(replace(PAIR, scores=(averaged_,)))
    assert '"by_reference": [{' in text
    (found,) = from_json(PairRecord, text).scores
    assert found == averaged_
    assert isinstance(found, FacetScore)
    assert found.values()["facet"] == 0.75


def test_a_record_has_no_counts_of_stages() -> None:
    """They tell of one run how its facts came about; a baseline has no use for them."""
    side = StageCounts(n_sentences=1, n_listed=1, n_facts=1, n_chains=1)
    score = PAIR.scores[1]
    assert isinstance(score, EvaScore)
    counted = replace(score, counts=EvaCounts(reference=side, candidate=side))
    text = as_json(replace(PAIR, scores=(counted,)))
    assert text == as_json(replace(PAIR, scores=(score,)))
    assert "n_chains" not in text
