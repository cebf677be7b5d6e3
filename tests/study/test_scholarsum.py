from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, SCALES, Facet, FacetSegments
from summeval_pytest.study.recorded_judge import Recorded, records_of
from summeval_pytest.study.scholarsum import import_scholarsum
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.text.printing import one_line
from tests.label_suite import write_lines

RECORDED: dict[str, tuple[float, str, tuple[int, ...], str]] = {
    "FM(GPT-4)": (0.7, "fm_gpt4_fm", (3, 2, 3, 2), "fm_gpt4_fm_list"),
    "FM(GPT-4, variant)": (0.6, "fm_gpt4_wo", (3, 1, 3, 2), "fm_gpt4_list_wo"),
    "FM(GPT-3.5)": (0.5, "fm_gpt35_fm", (3, 1, 2, 2), "fm_gpt35_fm_list"),
    "FM(Llama)": (0.725, "fm_llama", (), ""),
    "GPT-4 direct": (0.25, "gpt4", (), ""),
    "Llama direct": (0.75, "fm_llama_base", (), ""),
    "G-Eval": (0.8, "fm_geval", (), ""),
    "BERTScore": (0.84, "fm_bert", (), ""),
    "ROUGE-1 (recorded)": (0.46, "fm_newrouge1", (), ""),
    "ROUGE-2 (recorded)": (0.18, "fm_newrouge2", (), ""),
    "ROUGE-L (recorded)": (0.27, "fm_newrougel", (), ""),
    "QuestEval": (0.24, "fm_questeval", (), ""),
    "ACU": (0.11, "fm_acu3", (), ""),
    "DELTA": (0.95, "fm_delta", (), ""),
}
"""GPT-3.5's score and ratings by each judge, and the columns (after ``gpt35_``) that hold them."""

PUBMED: dict[str, object] = {
    "article": "<s> zinc was  given .</s><pad>",
    "human": "zinc helps .",
    "ground_aspect": '{"background": "", "method": ["zinc", "given ."], "result": "zinc helps ."}',
    "gpt35_fm": "Zinc did.",
    "gpt35_fm_aspect": '{"background": null, "result": "Zinc did.<n>"}',
    "gpt35_fm_human": 0.65,
    "gpt35_fm_human_list": [1 / 3, 0.5, 0.75, 0.0],
    **{f"gpt35_{column}": overall for overall, column, *_ in RECORDED.values()},
    **{
        f"gpt35_{column}": [r / SCALES[f] for r, f in zip(ratings, FACETS, strict=True)]
        for _, _, ratings, column in RECORDED.values()
        if ratings
    },
    "llama2_70b": "Abstract:  Zinc\u200b did it.",
    "llama2_70b_human": 1.0,
    "llama2_70b_human_list": [1, 1, 1, 1],
}
RATINGS = {"background": 1, "method": 2, "result": 3, "conclusion": None}


def arxiv() -> dict[str, object]:
    """The same line in the spellings of the other half, and a system without ratings."""
    line = {
        key.replace("gpt35_fm", "gpt35", 1).replace("ground_aspect", "human_aspect"): value
        for key, value in PUBMED.items()
    }
    return {**line, "bartbase": "Zinc."}


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by its name."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def refused(file: Path, out: Path) -> str:
    """The message for a release that cannot be imported; nothing was written."""
    before = contents(out) if out.is_dir() else None
    with pytest.raises(SuiteError) as caught:
        import_scholarsum(file, out)
    assert (contents(out) if out.is_dir() else None) == before
    return str(caught.value)


def test_pubmed_spelling_becomes_a_suite(tmp_path: Path) -> None:
    """Worked example of every column."""
    out = tmp_path / "out"
    lines = import_scholarsum(write_lines(tmp_path / "pubmed.json", PUBMED), out)
    suite = load_suite(tmp_path / "out", "out")
    pair = suite.pair("pubmed-001", "gpt35_fm")
    label = suite.labels["pubmed-001", "gpt35_fm"]

    assert lines == [
        f"{out}: 1 papers, 2 systems, 2 pairs",
        "2 pairs have human labels; 1 facets were left out by the annotators",
        "recorded judges: gpt4-recorded, gpt4-variant-recorded, gpt35-recorded",
        f"next: pytest {out}",
    ]
    assert [section.text for section in pair.paper.source] == ["zinc was given ."]
    assert (pair.paper.references, pair.summary) == (("zinc helps .",), "Zinc did.")
    assert suite.pair("pubmed-001", "llama2_70b").summary == "Zinc did it."
    # ratings: 1/3 of 3, 0.5 of 4, 0.75 of 4, and 0: the reference has no conclusion
    assert (label.facets, label.overall) == (RATINGS, 0.65)
    assert (label.labelled_by, label.basis) == ("ScholarSum annotators", "ScholarSum release")


@pytest.mark.parametrize(
    ("line", "stem", "system"),
    [(PUBMED, "pubmed", "gpt35_fm"), (arxiv(), "arxiv", "gpt35")],
)
def test_both_spellings_give_the_same_records(
    tmp_path: Path, line: dict[str, object], stem: str, system: str
) -> None:
    """An alias table is worth as much as the columns it finds."""
    import_scholarsum(write_lines(tmp_path / f"{stem}.json", line), tmp_path / "out")
    segments_by = "GPT-4 segments"
    reference, *others, segments = records_of(load_suite(tmp_path / "out"))

    assert reference == Recorded(
        paper=f"{stem}-001",
        system=None,
        by=segments_by,
        segments=FacetSegments(method="zinc given .", result="zinc helps ."),
    )
    assert others == [
        Recorded(
            paper=f"{stem}-001",
            system=system,
            by=by,
            overall=overall,
            facets=dict(zip(FACETS, ratings, strict=True)) if ratings else None,
        )
        for by, (overall, _, ratings, _) in RECORDED.items()
    ]
    assert (segments.system, segments.by) == (system, segments_by)
    assert segments.segments == FacetSegments(result="Zinc did.")
    if stem == "arxiv":  # a system without ratings can still be gated
        suite = load_suite(tmp_path / "out")
        assert suite.paper_ids_of("bartbase") == ("arxiv-001",)
        assert [system for _, system in suite.labels] == ["gpt35", "llama2_70b"]
        assert suite.labels["arxiv-001", "gpt35"].facets == RATINGS


def test_two_imports_give_the_same_bytes(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """A suite under version control does not change by being made again; a user reads its file."""
    lines = (PUBMED, {**PUBMED, "llama2_70b": " <s></s>"})
    file = write_lines(tmp_path / "pubmed.json", *lines)
    import_scholarsum(file, tmp_path / "one")
    import_scholarsum(file, tmp_path / "two")
    written = contents(tmp_path / "one")
    assert written == contents(tmp_path / "two")
    named = {"labels.jsonl", "papers.jsonl", "recorded.jsonl", "summeval.toml"}
    assert set(written) == named | {f"systems/{s}.jsonl" for s in ("gpt35_fm", "llama2_70b")}
    assert not any(b"\r" in text for text in written.values())
    assert written["summeval.toml"].decode() == snapshot


def test_what_cannot_be_taken_is_left_out_with_a_note(tmp_path: Path) -> None:
    """GPT-4's own JSON is not the release's fault, and a 0 is no rating on any scale."""
    line = {
        **PUBMED,
        "gpt35_fm_aspect": '{"aim": "zinc"}',
        "gpt35_fm_gpt4_fm_list": [1.0, 0, 0.75, 0],
        "llama2_70b": " <s></s>",
    }
    file = write_lines(tmp_path / "pubmed.json", line, PUBMED)
    lines = import_scholarsum(file, tmp_path / "out")
    suite = load_suite(tmp_path / "out")
    records = {(r.paper, r.system, r.by): r for r in records_of(suite)}

    assert lines[3:-1] == [
        "pubmed-001: FM(GPT-4) rated no method, conclusion of 'gpt35_fm'",
        one_line(
            f"pubmed-001: GPT-4 segments of 'gpt35_fm' left out: {file.as_posix()}:1:"
            " 'aim' in 'gpt35_fm_aspect' is 'zinc'; write a text for a facet"
        ),
        "pubmed-001: the summary of 'llama2_70b' is empty; listed under skip",
    ]
    rated = records["pubmed-001", "gpt35_fm", "FM(GPT-4)"]
    assert rated.facets == {"background": 3, "result": 3}
    assert suite.paper_ids_of("llama2_70b") == ("pubmed-002",)


def without(*keys: str) -> dict[str, object]:
    """The release above without some keys."""
    return {key: value for key, value in PUBMED.items() if key not in keys}


def test_files_that_are_not_the_release_are_refused(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """The missing key is named, and no file is written."""
    ratings = "gpt35_fm_human_list"
    wrong: list[list[dict[str, object]]] = [
        [without("article")],
        [PUBMED, without("human")],
        [without("gpt35_fm", "llama2_70b")],
        [PUBMED, without("llama2_70b")],
        [{**PUBMED, "human": "<pad>"}],
        [{**PUBMED, "article": 3}],
        [{**PUBMED, ratings: [1.0, 0.6, 1.0, 1.0]}],
        [{**PUBMED, ratings: [1.0]}],
        [{**PUBMED, "gpt35_fm_geval": "high"}],
    ]
    file = tmp_path / "pubmed.json"
    text = [refused(write_lines(file, *lines), tmp_path / "out") for lines in wrong]
    assert [message.removeprefix(file.as_posix()) for message in text] == snapshot
    empty = "'pubmed.json' is empty; name a file of the release"
    assert refused(write_lines(file), tmp_path / "out") == f"{file.as_posix()}: {empty}"


def test_a_folder_that_holds_a_part_of_a_suite_is_refused(tmp_path: Path) -> None:
    """Reviewed work is never overwritten."""
    file, out = write_lines(tmp_path / "pubmed.json", PUBMED), tmp_path / "out"
    import_scholarsum(file, out)
    (out / "summeval.toml").unlink()
    assert refused(file, out) == (
        f"{out.as_posix()}/papers.jsonl: 'papers.jsonl' exists already, so nothing was written;"
        " move it, or name another folder"
    )
    assert refused(file, file) == f"{file.as_posix()}: 'pubmed.json' is no folder; name another"


def overall(ratings: Mapping[Facet, int | None], mask: Mapping[Facet, int | None]) -> float:
    """FM, section 3.2: sum(w * rating / scale) / sum(w) over the facets that the human rated."""
    weights = dict(zip(FACETS, (0.1, 0.3, 0.3, 0.3), strict=True))
    rated = [facet for facet in FACETS if mask[facet] is not None]
    total = sum(weights[facet] * (ratings[facet] or 0) / SCALES[facet] for facet in rated)
    return total / sum(weights[facet] for facet in rated)


def test_release_has_300_labelled_pairs(tmp_path: Path, release_file: Path) -> None:
    """Oracle: the release at 061b34c6, 50 papers by 6 systems, all rated.

    300 of 300 overalls of GPT-4 and of the annotators follow from ratings, masked by the latter.
    """
    lines = import_scholarsum(release_file, tmp_path / "pubmed")
    suite = load_suite(tmp_path / "pubmed")
    assert lines[0].endswith(": 50 papers, 6 systems, 300 pairs")
    assert lines[1].startswith("300 pairs have human labels;")
    assert lines[-1] == lines[3]  # no note, only what is next
    assert all(len(suite.paper_ids_of(system)) == 50 for system in suite.systems)
    human = {pair: label.facets or {} for pair, label in suite.labels.items()}
    gpt4 = [record for record in records_of(suite) if record.by == "FM(GPT-4)"]
    assert len(gpt4) == len(human) == 300
    for pair, label in suite.labels.items():
        assert overall(human[pair], human[pair]) == pytest.approx(label.overall, abs=1e-9)
    for record in gpt4:
        assert record.system is not None
        assert record.facets is not None
        mask = human[record.paper, record.system]
        assert overall(record.facets, mask) == pytest.approx(record.overall, abs=1e-9)
