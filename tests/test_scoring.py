"""The library call, by the embedded judge, on texts of the bundled suite and on others."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from summeval_pytest import evaluate, score
from summeval_pytest.errors import NoReplyError, UsageError
from summeval_pytest.judges.judge import find_judge
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import Answer, Question
from summeval_pytest.run.runner import Runner, tasks_of
from summeval_pytest.scoring import Scored
from summeval_pytest.stats.intervals import mean_interval
from summeval_pytest.suite.suite import Suite, load_suite

GOLDEN = Path(__file__).parents[1] / "golden"
REFERENCE = "Limpets were counted. The count fell by 40 percent. Warm winters harm limpets."
SUMMARY = "The count of limpets fell by 40 percent."


class Broken:
    """A judge whose endpoint is gone."""

    signature = "broken-1"
    in_flight = 2

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Gives none."""
        raise NoReplyError("unreachable", f"nobody is there to answer {len(questions)} questions")


@pytest.fixture(scope="module")
def golden() -> Suite:
    """The bundled suite."""
    return load_suite(GOLDEN)


def rows_of(suite: Suite, systems: Sequence[str], n_papers: int) -> list[dict[str, Any]]:
    """The first papers of a suite, as a table would hold them."""
    return [
        {
            "paper": paper,
            "system": system,
            "summary": suite.pair(paper, system).summary,
            "reference": suite.paper(paper).references[0],
            "source": [
                {"heading": section.heading, "text": section.text}
                for section in suite.paper(paper).source
            ],
        }
        for paper in suite.paper_ids[:n_papers]
        for system in systems
    ]


def test_a_table_has_the_numbers_of_a_gated_run(golden: Suite, tmp_path: Path) -> None:
    """Otherwise a notebook and the release gate would tell two stories; recipes are equal, too."""
    rows = rows_of(golden, ["careful"], 8)
    keys = {"p.jsonl": ("id", "reference", "source"), "s.jsonl": ("paper", "summary")}
    for name, kept in keys.items():
        lines = ({key: (row | {"id": row["paper"]})[key] for key in kept} for row in rows)
        (tmp_path / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "summeval.toml").write_text(
        'papers = "p.jsonl"\n[systems.careful]\nsummaries = "s.jsonl"\n'
    )
    runner = Runner(find_judge("offline"))
    try:
        tasks = tasks_of(load_suite(tmp_path), ["careful"], METRICS)
        gated = [runner.evaluation(task) for task in tasks]
    finally:
        runner.close()
    scored = evaluate(rows, progress=False)
    assert [row.evaluation.scores for row in scored] == [each.scores for each in gated]
    assert [row.evaluation.signatures for row in scored] == [each.signatures for each in gated]


def test_one_summary_has_every_metric_with_its_evidence() -> None:
    """What a reader wants next is the facet, the finding and the recipe."""
    scored = score(summary=SUMMARY, reference=REFERENCE, source=REFERENCE)
    assert isinstance(scored.facet, FacetScore)
    assert scored.facet.result is not None
    assert "40 percent" in scored.facet.result.candidate
    assert scored.facet.value == scored.numbers["facet"]
    assert any("Warm winters" in (finding.reference or "") for finding in scored.findings)
    assert [text.partition("|")[0] for text in scored.signatures] == list(METRICS)
    assert repr(scored) == (
        f"<summary: facet {scored.facet.value:.3f}, eva {scored.numbers['eva']:.3f}, faithfulness"
        f" 1.000; {len(scored.findings)} findings>"
    )
    # sentences count from one, as in every report; a wrong figure is in the source's second one
    (finding,) = score(
        summary=f"{SUMMARY} The count fell by 30 percent.", source=REFERENCE
    ).findings
    assert finding.title == "sentence 2"
    assert finding.evidence == ((2, "The count fell by 40 percent."),)


def test_what_is_not_measured_says_why() -> None:
    """A missing reference is no zero."""
    for given, measured, message in (
        ({"source": REFERENCE}, ["faithfulness"], "no reference was given"),
        ({"reference": [REFERENCE, SUMMARY]}, ["facet", "eva"], "no source was given"),
    ):
        scored = score(summary=SUMMARY, **given)
        scores = {each.metric: each for each in scored.evaluation.scores}
        assert [name for name in METRICS if not isinstance(scores[name], Unscored)] == measured
        missing = [each.reason for each in scores.values() if isinstance(each, Unscored)]
        assert set(missing) == {message}
        assert message in repr(scored)


def test_metrics_can_be_chosen() -> None:
    """What nobody asked for costs nothing, and is not taken for a score."""
    # A notebook's cells run in an event loop, which is no obstacle.

    async def cell() -> Scored:
        return score(summary=SUMMARY, reference=REFERENCE, source=REFERENCE, metrics=["eva"])

    scored = asyncio.run(cell())
    assert set(scored.numbers) == {"eva", "eva.precision", "eva.recall", "eva.recall_entailed"}
    with pytest.raises(UsageError, match="facet was not measured; name it in metrics"):
        _ = scored.facet


def test_a_judge_that_breaks_down_leaves_rows_unscored() -> None:
    """The other rows of an hour's run are worth keeping, and none of these is a zero."""
    rows = [{"summary": SUMMARY, "reference": REFERENCE, "paper": name} for name in "ab"]
    scored = evaluate(rows, judge=Broken(), metrics=("facet",), progress=False)
    reasons = [row.facet.reason for row in scored if isinstance(row.facet, Unscored)]
    assert len(reasons) == 2
    assert all("nobody is there" in reason for reason in reasons)
    (mean,) = scored.means  # not left out, so that no check of all means passes
    assert (mean.name, mean.value, mean.n_scored, mean.n_papers) == ("facet", None, 0, 2)
    assert repr(scored) == "2 summaries of 1 system\nall: facet unknown n=0/2"


def test_what_has_no_score_passes_no_assertion() -> None:
    """`assert not found.findings` and `assert found.facet` are what people write."""
    for scored in (
        score(summary="", reference=REFERENCE),
        score(summary=SUMMARY, reference=REFERENCE, judge=Broken()),
    ):
        assert not scored.facet
        assert scored.numbers["facet"] is None
        first = scored.findings[0]
        assert (first.title, first.verdict) == ("facet", "unscored")
        assert isinstance(scored.facet, Unscored)
        assert first.reason == scored.facet.reason
    assert not score(summary=REFERENCE, source=REFERENCE).findings


def test_means_are_over_papers_with_intervals(golden: Suite) -> None:
    """Of each system apart; a single paper has no interval, which would say nothing."""
    scored = evaluate(rows_of(golden, ["careful", "terse"], 6), metrics=["eva"], progress=False)
    means = {(mean.system, mean.name): mean for mean in scored.means}
    careful, terse = (means[system, "eva"] for system in ("careful", "terse"))
    values = [row.numbers["eva"] for row in scored if row.system == "careful"]
    assert None not in (careful.value, careful.low, careful.high, terse.value)
    assert careful.value == pytest.approx(sum(filter(None, values)) / 6)
    assert (careful.low or 1) < (careful.value or 0) < (careful.high or 0)
    assert (careful.value or 0) > (terse.value or 1)
    assert str(careful).endswith("n=6/6")
    alone = evaluate(rows_of(golden, ["careful"], 1), metrics=["eva"], progress=False).means[0]
    assert (alone.low, alone.high) == (None, None)


def test_an_empty_summary_counts_as_the_worst_of_a_number(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Worked example: of three rows one is written; FM has .25 for each of the others, shares 0."""
    # A system that leaves its hard papers empty would otherwise have the best means. Progress is on
    # stderr, for an LLM judge takes its time; whoever wants silence says so.
    monkeypatch.setattr("summeval_pytest.run.progress.LOG_SECONDS", 0.0)
    row = {"summary": SUMMARY, "reference": REFERENCE, "source": REFERENCE}
    scored = evaluate([row, row | {"summary": ""}, row | {"summary": "   "}])
    assert "summeval: 3/3 summaries, " in capsys.readouterr().err
    means = {mean.name: mean for mean in scored.means}
    written = {name: value or 0.0 for name, value in scored[0].numbers.items()}
    assert means["facet"].value == pytest.approx((written["facet"] + 0.25 + 0.25) / 3)
    assert means["eva"].value == pytest.approx(written["eva"] / 3)
    bounds = mean_interval([0.0, 0.0, written["eva"]], high=1.0)
    assert (means["eva"].low, means["eva"].high) == (bounds.low, bounds.high)
    assert means["faithfulness"].value == pytest.approx(1 / 3)
    assert {(mean.n_scored, mean.n_papers) for mean in scored.means} == {(1, 3)}
    conflicts = means["faithfulness.conflicts"]  # a count, which has no worst value
    assert (conflicts.value, conflicts.low, conflicts.high) == (None, None, None)
    assert str(conflicts) == "faithfulness.conflicts unknown n=1/3"
    nothing = evaluate([row | {"summary": ""}], progress=False)  # it would be missing in a table
    means_of = {mean.name: mean.value for mean in nothing.means}
    assert means_of == {"facet": 0.25, "eva": 0.0, "faithfulness": 0.0}
    assert capsys.readouterr().err == ""


def test_tables_of_other_packages_are_read_row_by_row(golden: Suite) -> None:
    """Without any of them being needed; a missing cell is no text."""
    rows = rows_of(golden, ["careful"], 2)
    rows[1]["source"] = None
    wanted = evaluate(rows, progress=False).records()
    assert evaluate(pa.Table.from_pylist(rows), progress=False).records() == wanted
    assert evaluate(iter(rows), progress=False).records() == wanted
    assert wanted[1]["faithfulness.unscored"] == "no source was given"


@pytest.mark.parametrize("dtype", ["object", "string", "string[pyarrow]"])
def test_a_dataframe_goes_in_and_comes_out(golden: Suite, dtype: str) -> None:
    """An empty cell is NaN or `pandas.NA`, and columns have other names."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows_of(golden, ["careful"], 3)).rename(columns={"summary": "prediction"})
    frame["reference"] = frame["reference"].astype(dtype)
    frame.loc[0, "reference"] = None
    scored = evaluate(frame, columns={"summary": "prediction"}, progress=False)
    back = scored.to_pandas()
    assert list(back["paper"]) == list(frame["paper"])
    assert back["facet"].isna().tolist() == [True, False, False]
    assert back.loc[0, "eva.unscored"] == "no reference was given"


def test_two_columns_of_one_name_are_refused() -> None:
    """A row of pandas or pyarrow has the last of them, and says nothing."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[REFERENCE, "Old.", "New."]], columns=["reference", "b", "b"])
    for rows in (frame, pa.table([[REFERENCE], ["Old."], ["New."]], ["reference", "b", "b"])):
        with pytest.raises(UsageError, match=r"^rows: two columns are 'b'; delete one$"):
            evaluate(rows, columns={"summary": "b"}, progress=False)


def test_references_are_not_taken_for_the_summaries() -> None:
    """In many data sets `summary` is what people wrote, and every number would be the highest."""
    row = {"summary": f" {REFERENCE}", "reference": [SUMMARY, REFERENCE], "made": SUMMARY[:9]}
    rows = [row | {"source": source} for source in (SUMMARY, REFERENCE)]
    with pytest.raises(UsageError, match="each summary is its reference or its source; name"):
        evaluate(rows, progress=False)
    for name in ("made", "summary"):
        assert len(evaluate(rows, columns={"summary": name}, progress=False)) == len(rows)
    assert len(evaluate([row], progress=False)) == 1, "code makes tables of one row"


def objects(texts: Sequence[str]) -> Any:
    """An array of Python's strings, as pandas reads a list column of a Parquet file."""
    return np.array(texts, dtype=object)


@pytest.mark.parametrize("cell", [np.array, objects, tuple, pa.array])
def test_an_array_in_a_cell_is_a_list_of_texts(cell: Callable[[list[str]], Any]) -> None:
    """Worked example: the second of two references is the summary itself, so FM is 1."""
    texts = [REFERENCE, SUMMARY]
    given = {"summary": SUMMARY, "reference": cell(texts), "source": cell(texts)}
    (row,) = evaluate([given], progress=False)
    assert row.evaluation.pair.paper.references == (REFERENCE, SUMMARY)
    assert [section.text for section in row.evaluation.pair.paper.source] == texts
    assert row.numbers["facet"] == 1.0
    (alone,) = evaluate([{"summary": SUMMARY, "reference": np.array(SUMMARY)}], progress=False)
    assert alone.evaluation.pair.paper.references == (SUMMARY,)


class NoTruth:
    """As `pandas.NA`: it compares to itself, and is neither true nor false."""

    def __ne__(self, other: object) -> Any:
        return self

    __hash__ = None  # type: ignore[assignment]  # it compares to nothing

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    def __repr__(self) -> str:
        return "<NA>"


@pytest.mark.parametrize("cell", [None, float("nan"), np.float64("nan"), NoTruth(), np.array([])])
def test_a_missing_cell_is_no_text(cell: object) -> None:
    """Of a summary it is a mistake: nobody knows whether the system wrote one."""
    whole = {"summary": SUMMARY, "reference": REFERENCE, "source": REFERENCE}
    (row,) = evaluate([whole | {"reference": cell}], progress=False)
    assert set(row.numbers) == set(evaluate([whole], metrics=["faithfulness"])[0].numbers)
    (row,) = evaluate([whole | {"source": cell}], progress=False)
    assert row.faithfulness == Unscored(
        metric="faithfulness", status="skipped_no_source", reason="no source was given"
    )
    with pytest.raises(UsageError) as caught:
        evaluate([whole | {"summary": cell}], progress=False)
    assert str(caught.value) == f"row 1: the summary is {cell!r}; give a text, '' for none"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"summary": None}, "row 1: the summary is None; give a text, '' for none"),
        (
            {"text": "A b.", "output": "A b."},
            "has 'text', 'output'; give columns={'summary': 'output', 'source': 'text'}",
        ),
        ({"summary": "A b."}, "row 1: there is nothing to measure the summary by; give a"),
        ({"summary": "A b.", "source": 3}, "row 1: 3 is no section of a source; give a text or"),
        ({"summary": "A b.", "source": {"txt": "a"}}, "{'txt': 'a'} is no section of a source"),
        ({"summary": "A b.", "reference": [1]}, "row 1: 1 is no reference; give a text or a list"),
        ("A b.", "row 1 is 'A b.'; give a dict with the key summary"),
    ],
)
def test_a_row_that_cannot_be_measured_is_named(row: Any, message: str) -> None:
    """Before anything is asked of a judge."""
    with pytest.raises(UsageError) as caught:
        evaluate([row], progress=False)
    assert message in str(caught.value)


GIVEN = {"summary": SUMMARY, "reference": REFERENCE}


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([], {}, "there is no row to evaluate"),
        ("x.csv", {}, "rows is 'x.csv'; give a list of dicts, a DataFrame, a table or a dataset"),
        ({"train": []}, {}, "rows is a dict of 'train'; give one of its parts"),
        ([GIVEN], {"metrics": ["facets"]}, "metrics: there is no 'facets'; did you mean 'facet'?"),
        ([GIVEN], {"metrics": ["faithfulness"]}, "row 1: faithfulness needs a source; give one"),
        ([GIVEN], {"columns": {"summary": "sumary"}}, "row 1: there is no column 'sumary'; did"),
        ([GIVEN], {"columns": {"sumary": "x"}}, "columns: there is no 'sumary'; did you mean"),
        (
            [GIVEN | {"paper": "a"}, GIVEN | {"paper": "a"}],
            {},
            "row 2: '' on 'a' stands in row 1, too; leave one out, or name another system",
        ),
        (
            [GIVEN | {"paper": "a", "system": "x"}, {**GIVEN, "paper": "a", "reference": "B."}],
            {},
            "row 2: paper 'a' has other texts than in row 1; give it another id",
        ),
    ],
)
def test_a_mistake_in_a_table_is_named(rows: Any, options: Mapping[str, Any], message: str) -> None:
    """With the row, and what to do."""
    with pytest.raises(UsageError) as caught:
        evaluate(rows, progress=False, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"source": "a \ud835 b"}, "source"),
        ({"source": [{"heading": "\ud835", "text": "b"}]}, "source"),
        ({"reference": ["a", "b \udc00"]}, "reference"),
        ({"paper": "p\ud835"}, "paper"),
        ({"system": "s\ud835"}, "system"),
    ],
)
def test_half_a_character_is_named(given: Mapping[str, Any], name: str) -> None:
    """No file and no hash can hold it; in a model's summary it is read as an unknown character."""
    row = {"summary": SUMMARY, "reference": REFERENCE, **given}
    with pytest.raises(
        UsageError, match=rf"^row 2: the {name} holds '\\ud[\w]+', half a surrogate"
    ):
        evaluate([{"summary": SUMMARY, "reference": REFERENCE}, row], progress=False)
    assert "\ud835" not in score(summary=f"{SUMMARY} \ud835", source=REFERENCE)._repr_html_()


@pytest.mark.parametrize(
    "output",
    [
        f"<think>Which?</think>{SUMMARY}",
        f"Which?\n</think>\n{SUMMARY}",
        [{"type": "thinking", "thinking": "Which?"}, {"type": "text", "text": SUMMARY}],
    ],
)
def test_thoughts_in_a_summary_are_not_scored(output: Any) -> None:
    """A table of outputs is scored as the endpoint's replies are."""
    scored = score(summary=output, source=REFERENCE)
    assert scored.numbers == score(summary=SUMMARY, source=REFERENCE).numbers
    assert scored.evaluation.pair.note == "the model's thoughts were left out of its summary"


def test_a_notebook_shows_texts_by_facet_and_none_of_their_markup() -> None:
    """Texts of papers and models are hostile until proven otherwise."""
    hostile = f"<script>alert(1)</script> & \u202e {SUMMARY}"
    html = score(summary=hostile, reference=REFERENCE)._repr_html_()
    assert "<script" not in html
    assert "script&gt;alert(1)&lt;/script&gt; &amp; \\u202e The count of limpets" in html
    assert '<mark class="method" title="method">Limpets were counted.</mark>' in html
    table = evaluate([{"summary": SUMMARY, "source": SUMMARY, "system": "<b>"}], progress=False)
    assert "<td>&lt;b&gt;</td><td>faithfulness</td><td>1.000</td>" in table._repr_html_()


def test_a_notebook_marks_a_wrong_figure_and_what_the_source_says() -> None:
    """Two long sentences that differ in a digit look alike."""
    text = "In the lakes of the north we counted 41 loons & 12 <grebes> in the spring of 2019."
    html = score(summary=text, source=text.replace("41", "31"))._repr_html_()
    assert 'counted <mark class="figure">41</mark> loons &amp; 12 &lt;grebes&gt; in' in html
    assert (
        'the source says “In the lakes of the north we counted <mark class="figure">31</mark>'
        in html
    )


def examples(page: str) -> list[str]:
    """The Python code of a page."""
    text = (Path(__file__).parents[1] / page).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("summary", ["", "Limpets were counted."])
@pytest.mark.parametrize("page", ["README.md", "docs/pages/how-to/python.md"])
def test_the_first_example_of_a_page_runs_on_any_summary(page: str, summary: str) -> None:
    """An empty summary has no score, and a reference may state no result: no reason to die."""
    frame = [{"summary": summary, "reference": summary or REFERENCE, "source": REFERENCE}]
    names = {"summary": summary, "abstract": "Limpets were counted.", "paper": REFERENCE}
    exec(examples(page)[0], names | {"frame": frame})  # noqa: S102 - it is ours


def adapter(package: str) -> dict[str, Any]:
    """The names that the example for a package defines, as the documentation has it."""
    pytest.importorskip(package)
    imported = re.compile(rf"^(import|from) {package}\b", re.MULTILINE)
    (block,) = filter(imported.search, examples("docs/pages/how-to/python.md"))
    names: dict[str, Any] = {}
    exec(block, names)  # noqa: S102 - it is ours
    return names


def test_the_adapter_for_hugging_face_evaluate_is_a_metric_of_it() -> None:
    """Tried where that package is there, as are the other two."""
    metric = adapter("evaluate")["Faithfulness"]()
    scored = metric.compute(
        predictions=[SUMMARY, "It rose by 3 percent.", "", SUMMARY], references=[REFERENCE] * 4
    )
    assert (scored["faithfulness"], scored["faithfulness.n_scored"]) == (0.5, 3)


def test_the_adapter_for_inspect_ai_is_a_scorer_of_it() -> None:
    """It reads the state that a solver leaves."""
    state = SimpleNamespace(output=SimpleNamespace(completion=SUMMARY), input_text=REFERENCE)
    scorer = adapter("inspect_ai")["faithfulness"]()
    assert asyncio.run(scorer(state, None)).value == 1.0
    state.output.completion = ""
    assert asyncio.run(scorer(state, None)).value == 0.0


def test_the_adapter_for_deepeval_is_a_metric_of_it() -> None:
    """It says itself whether it passes."""
    metric = adapter("deepeval")["Faithfulness"]()
    assert metric.measure(SimpleNamespace(input=REFERENCE, actual_output=SUMMARY)) == 1.0
    assert metric.is_successful()
    assert metric.measure(SimpleNamespace(input=REFERENCE, actual_output="")) == 0.0
