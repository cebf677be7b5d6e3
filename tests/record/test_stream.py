from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.record.record import Judged, PaperRecord, RunRecord, as_json, from_json
from summeval_pytest.record.stored import LineFile
from summeval_pytest.record.stream import PART, Spool, read_record, record_pieces
from tests.reports.records import untrusted
from tests.verdict.records import HERE, pair, record_text, run, suite, system

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.record.record import PairRecord

MOSS, ZINC, FERN = (
    pair(paper, summary=f"On {paper}:\n{paper} \u2028 grew.")
    for paper in ("moss-01", "zinc-01", "fern-01")
)
GATED = replace(system("careful", "moss-01", "zinc-01", "fern-01"), outcome="failed")


def paper(of: PairRecord, *cited: int) -> PaperRecord:
    """The paper of a pair, with the source sentences that the pair cites."""
    return PaperRecord(
        id=of.paper,
        title="",
        place=HERE,
        references=("It grew.",),
        n_sentences=9,
        cited=tuple((index, f"Sentence {index}.") for index in cited),
    )


def whole() -> RunRecord:
    """A run with something in every list of a suite."""
    papers = tuple(map(paper, (MOSS, ZINC, FERN)))
    held = untrusted(suite(MOSS, ZINC, FERN, systems=(GATED,)))
    return run(
        replace(held, papers=papers), replace(suite(MOSS), name="b", shown="b/summeval.toml")
    )


def stream(record: RunRecord, folder: Path) -> Path:
    """The record as a stream."""
    file = folder / "run.jsonl"
    file.write_text("".join(record_pieces(record, file.name)), encoding="utf-8", newline="")
    return file


def test_a_stream_holds_what_the_one_value_holds(tmp_path: Path) -> None:
    """Whoever reads one form can write the other, byte by byte, and back again."""
    record = from_json(RunRecord, as_json(whole()))
    file = stream(record, tmp_path)
    text = file.read_text(encoding="utf-8")
    found = read_record(file, "RUN")
    assert as_json(found) == as_json(record)
    assert record_text(found) == record_text(record)
    assert "".join(record_pieces(found, "run.jsonl")) == text
    assert [each.pairs_of("careful")[-1].paper for each in found.suites] == ["fern-01", "moss-01"]
    assert found.suites[0].by_paper("careful")["zinc-01"] == ZINC
    assert [as_json(each) for each in found.suites[0].pairs] == [
        json.dumps(json.loads(line)["pair"], sort_keys=True, ensure_ascii=False)
        for line in text.split("\n")
        if line.startswith('{"pair"') and '"suite": "b/' not in line
    ]


def test_a_stream_that_was_cut_anywhere_says_so(tmp_path: Path) -> None:
    """Law: at each byte. A whole line counts, half a line does not; a heading has to be there."""
    full = stream(run(suite(MOSS, ZINC, systems=(GATED,))), tmp_path).read_bytes()
    lines = full.splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    for n_bytes in [0, 7, *range(len(lines[0]) - 3, len(full) - 1, 31)]:
        cut.write_bytes(full[:n_bytes])
        if n_bytes < len(lines[0]) - 1:
            with pytest.raises(OptionError, match="is no run record"):
                read_record(cut, "RUN")
            continue
        (held,) = read_record(cut, "RUN").suites
        n_pairs = sum(full[:n_bytes].count(line.rstrip()) for line in lines[1:3])
        assert len(held.pairs) == n_pairs
        assert held.gaps == (f"not complete: {n_pairs} of 3 pairs, the run was cut",)
        assert not held.is_complete


def test_a_cut_stream_is_still_one_when_it_is_written_again(tmp_path: Path) -> None:
    """A record that lost its closing line must not become a whole one by `rescore`."""
    file = stream(run(suite(MOSS, systems=(GATED,))), tmp_path)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:2]), encoding="utf-8")
    cut = read_record(file, "RUN")
    for name in ("again.jsonl", "again.json"):
        again = tmp_path / name
        again.write_text("".join(record_pieces(cut, name)), encoding="utf-8")
        assert read_record(again, "RUN").suites[0].is_cut


@pytest.mark.parametrize(
    ("place", "line", "told"),
    [
        (2, '{"begun": 1}', "line 3: begun: "),
        (2, '{"pair": {}, "suite": "x"}', "line 3: pair."),
        (2, '{"colour": 1}', "line 3: colour: unknown key"),
        (2, "moss", "line 3: "),
        (2, "", "line 3: "),
        (2, as_json({"pair": MOSS, "suite": "x"}), "line 3: no suite 'x' has begun"),
        (-1, as_json({"pair": MOSS, "suite": "x"}), "line 5: it is of another run"),
        (0, '{"ended": null}', "is no run record: "),
    ],
)
def test_a_line_that_does_not_belong_is_named(
    tmp_path: Path, place: int, line: str, told: str
) -> None:
    """A file that somebody has put together by hand is no record of a run."""
    file = stream(run(suite(MOSS, systems=(GATED,))), tmp_path)
    lines = file.read_text(encoding="utf-8").rstrip("\n").split("\n")
    lines.insert(place if place >= 0 else len(lines), line)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(OptionError) as caught:
        read_record(file, "RUN")
    assert told in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_stream_of_another_schema_is_refused_by_name(tmp_path: Path) -> None:
    """As the one value is."""
    file = tmp_path / "run.jsonl"
    file.write_text('{"begun": {"schema": 2}}\n', encoding="utf-8")
    with pytest.raises(OptionError, match="has schema 2, this version reads 1"):
        read_record(file, "RUN")


def test_pairs_stand_in_the_order_of_the_suite_however_they_came(tmp_path: Path) -> None:
    """Of a pair that ran twice the later counts; a paper has what any system cites."""
    held = suite(systems=(GATED, replace(GATED, name="plain")))
    spool = Spool(run(held), tmp_path / "run.jsonl")
    plain = replace(MOSS, system="plain")
    for each, kept in (
        (FERN, None),
        (plain, paper(plain, 4, 1)),
        (replace(MOSS, summary="the first try"), paper(MOSS, 8)),
        (MOSS, paper(MOSS, 1, 2)),
    ):
        spool.add(Judged(suite=held.shown, pair=each, paper=kept))
    filled = spool.filled(held, ("zinc-01", "moss-01"))
    assert [*filled.pairs] == [MOSS, FERN, plain]
    assert [*filled.papers] == [paper(MOSS, 1, 2, 4)]
    assert [outline.paper for outline in filled.outlines] == ["moss-01", "fern-01", "moss-01"]
    assert [*read_record(tmp_path / f"run.jsonl{PART}", "RUN").suites[0].pairs] == [*filled.pairs]
    spool.close()
    assert not [*tmp_path.iterdir()]
    assert filled.pairs[0] == MOSS, "an open file is there as long as somebody reads it"


def test_a_spool_never_writes_through_a_link(tmp_path: Path) -> None:
    """A pull request may bring one, and the file behind it is not the run's."""
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    (tmp_path / f"run.jsonl{PART}").symlink_to(tmp_path / "precious")
    spool = Spool(run(suite()), tmp_path / "run.jsonl")
    spool.close()
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "mine"


def test_a_record_can_come_through_a_pipe() -> None:
    """`zcat run.jsonl.gz | summeval report /dev/stdin`: it can be read once only."""
    ends = os.pipe()
    os.write(ends[1], b"one\ntwo\n")
    os.close(ends[1])
    lines = LineFile(os.fdopen(ends[0], "rb"))
    assert [line for _, line in lines.all()] == [b"one\n", b"two\n"]
    assert lines.at(4) == b"two\n"
