"""Score summaries from Python: `score` for one, `evaluate` for a table of them.

Both measure as a gated run does, through the same runner, judges and store. No threshold applies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final, TypeVar

from summeval_pytest.errors import Place, SummevalError, UsageError, nearest
from summeval_pytest.judges.judge import Judge
from summeval_pytest.metrics.catalogue import (
    METRICS,
    Score,
    catalogue_of,
    custom_metric,
    custom_numbers,
    known_metrics,
    measured_metrics,
)
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.metrics.number import Finding, MetricName, NumberSpec, Unscored
from summeval_pytest.metrics.own import NO_TEXT, OwnScore, Text, lack_of
from summeval_pytest.options import IN_FLIGHT
from summeval_pytest.run.measure import Evaluation, source_of
from summeval_pytest.run.progress import paced
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.run.session import Session, session_here
from summeval_pytest.suite.rows import usual_columns
from summeval_pytest.suite.suite import suite_of_pairs
from summeval_pytest.suite.values import Pair, Paper, Section, pair_of, read_output, section_of
from summeval_pytest.text.printing import HALF, one_line
from summeval_pytest.verdict.means import MeanScore, mean_scores

Source = str | Sequence[str | Mapping[str, str] | Section]
"""A text, or its sections: texts, or ``{"heading", "text"}`` as in a suite."""


_NEEDS: Final[Mapping[MetricName, tuple[Text, ...]]] = {
    "facet": ("reference",),
    "eva": ("reference",),
    "faithfulness": ("source",),
}
T = TypeVar("T")
_COLUMNS: Final = ("summary", "reference", "source", "paper", "system")
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """One measured summary.

    `facet`, `eva` and `faithfulness` are `Unscored` for an empty summary, a refusal, or a judge
    that gave no answer. `numbers` and `findings` are always there.

    Attributes:
        evaluation: Every score with its evidence and its signature.
    """

    evaluation: Evaluation

    @property
    def paper(self) -> str:
        """The paper's id; the row's number where it has none, and empty for one summary."""
        return self.evaluation.paper

    @property
    def system(self) -> str:
        """The system's name; empty where none was given."""
        return self.evaluation.system

    @property
    def facet(self) -> FacetScore | Unscored:
        """The Facet-aware Metric, or why there is none."""
        return self._of("facet")  # type: ignore[return-value]  # by its name

    @property
    def eva(self) -> EvaScore | Unscored:
        """EVA-Score, or why there is none."""
        return self._of("eva")  # type: ignore[return-value]  # by its name

    @property
    def faithfulness(self) -> FaithfulnessScore | Unscored:
        """Sentence faithfulness, or why there is none."""
        return self._of("faithfulness")  # type: ignore[return-value]  # by its name

    def own(self, metric: str) -> OwnScore | Unscored:
        """A custom metric's score, or why there is none."""
        return self._of(metric)  # type: ignore[return-value]  # by its name

    def _of(self, metric: MetricName) -> Score | Unscored:
        try:
            return self.evaluation.score(metric)
        except KeyError:
            raise UsageError(
                f"{metric} was not measured; name it in metrics, or leave metrics out"
            ) from None

    @property
    def numbers(self) -> Mapping[str, float | None]:
        """Every number by its threshold's name; None for a metric that failed to give one."""
        failed: dict[str, float | None] = dict.fromkeys(each.metric for each in self._unscored)
        return {**self.evaluation.numbers().values, **failed}

    @property
    def _unscored(self) -> list[Unscored]:
        """The metrics without a score, but for those that lack a text to measure by."""
        return [each for each in self.evaluation.numbers().unscored if not each.lacks_text]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that is wrong by the three metrics, the worst first, after unscored metrics.

        A metric that lacks a text to measure by is left out.
        """
        unscored = (
            Finding(
                kind="unscored",
                number=each.metric,
                title=each.metric,
                verdict="unscored",
                reason=each.reason,
                reference=None,
                summary="",
                evidence=(),
                severity=1.0,
            )
            for each in self._unscored
        )
        return *unscored, *self._wrong

    @property
    def _wrong(self) -> tuple[Finding, ...]:
        """What is wrong by the three metrics.

        Sentences count from 1, as in reports: those of a ``title``, and those of the source in
        ``evidence``.
        """
        return tuple(
            replace(finding, evidence=tuple((place + 1, text) for place, text in finding.evidence))
            for finding in self.evaluation.findings()
            if finding.kind != "own"
        )

    @property
    def signatures(self) -> tuple[str, ...]:
        """The recipe of each score."""
        return tuple(map(str, self.evaluation.signatures))

    def __repr__(self) -> str:
        texts = []
        for score in self.evaluation.scores:
            if isinstance(score, Unscored):
                texts.append(f"no {score.metric} ({one_line(score.reason, _SHOWN)})")
            else:
                value = "-" if score.value is None else f"{score.value:.3f}"
                texts.append(f"{score.metric} {value}")
        return f"<{self.evaluation.name}: {', '.join(texts)}; {len(self.findings)} findings>"

    def _repr_html_(self) -> str:
        from summeval_pytest.reports.page import scored_html

        return scored_html(self.evaluation, self._wrong)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """The measured summaries of a table, in the order of its rows."""

    rows: tuple[Scored, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in the order of their first rows."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @property
    def means(self) -> tuple[MeanScore, ...]:
        """The means of every number of each system, with 95 % intervals over papers."""
        return tuple(
            mean for system in self.systems for mean in self._means(system, self._catalogue)
        )

    @property
    def _catalogue(self) -> Mapping[str, NumberSpec]:
        scores = (score for row in self.rows for score in row.evaluation.scores)
        return catalogue_of(custom_numbers({score.metric for score in scores}))

    def _means(self, system: str, names: Iterable[str]) -> Iterator[MeanScore]:
        papers = [r.evaluation.numbers() for r in self.rows if r.system == system]
        catalogue = self._catalogue
        return mean_scores(system, papers, [catalogue[name] for name in names])

    @property
    def signatures(self) -> tuple[str, ...]:
        """The recipe of each metric."""
        return tuple(dict.fromkeys(text for row in self.rows for text in row.signatures))

    def records(self) -> list[dict[str, object]]:
        """A row a summary: paper, system, every number, and why a metric has none."""
        records: list[dict[str, object]] = []
        for row in self.rows:
            known = row.evaluation.numbers()
            records.append(
                {
                    "paper": row.paper,
                    "system": row.system,
                    **{
                        name: known.values[name] for name in known.catalogue if name in known.values
                    },
                    **{f"{each.metric}.unscored": each.reason for each in known.unscored},
                }
            )
        return records

    def to_pandas(self) -> Any:
        """The records as a DataFrame; needs pandas."""
        return import_module("pandas").DataFrame(self.records())

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, row: int) -> Scored:
        return self.rows[row]

    def __iter__(self) -> Iterator[Scored]:
        return iter(self.rows)

    def __repr__(self) -> str:
        n_systems = len(self.systems)
        lines = [f"{len(self.rows)} summaries of {n_systems} system{'s' * (n_systems != 1)}"]
        for system in self.systems:
            means = self._means(system, measured_metrics(self._catalogue))
            lines.append(f"{one_line(system, _SHOWN) or 'all'}: {', '.join(map(str, means))}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from summeval_pytest.reports.page import means_html

        return means_html((mean.system, *mean.cells) for mean in self.means)


def score(  # noqa: PLR0913 - by keyword, each an option of its own
    *,
    summary: str,
    reference: str | Sequence[str] | None = None,
    source: Source | None = None,
    judge: str | Judge = "offline",
    metrics: Iterable[MetricName] | None = None,
    store: str | None = None,
    endpoint: str | None = None,
    votes: int | None = None,
    budget: float | None = None,
) -> Scored:
    """Score one summary.

    Args:
        summary: The summary; a model's thoughts in it are left out.
        reference: The reference, or several: the best one counts. FM and EVA-Score need it.
        source: The paper as a text, or its sections. Faithfulness needs it.
        judge: A judge, or its name as for ``--summ-judge``.
        metrics: Which metrics; None: all that there are texts for.
        store: As ``--summ-store``.
        endpoint: As ``--summ-endpoint``.
        votes: As ``--summ-votes``.
        budget: As ``--summ-budget``, in dollars.

    Raises:
        UsageError: for a missing or wrong text, or a judge that cannot be made.
    """
    row = {"summary": summary, "reference": reference, "source": source}
    session = session_here(store=store, endpoint=endpoint, votes=votes, budget=budget)
    (scored,) = _measured([_pair(row, Place("score"), "")], session, judge, metrics)
    return scored


def evaluate(  # noqa: PLR0913 - by keyword, each an option of its own
    rows: object,
    *,
    judge: str | Judge = "offline",
    metrics: Iterable[MetricName] | None = None,
    columns: Mapping[str, str] | None = None,
    progress: bool = True,
    store: str | None = None,
    endpoint: str | None = None,
    votes: int | None = None,
    budget: float | None = None,
    in_flight: int = IN_FLIGHT,
) -> Evaluated:
    """Score a table of summaries, many at once.

    Args:
        rows: Dicts, a DataFrame of pandas or polars, a pyarrow table, or a Hugging Face dataset.
            The columns are summary, reference and source, and optionally paper and system. No two
            rows have the same paper and system.
        judge: As in `score`.
        metrics: Which metrics; None: all that a row has the texts for.
        columns: Your names for our columns, as ``{"summary": "prediction"}``.
        progress: Whether stderr shows the progress.
        store: As ``--summ-store``.
        endpoint: As ``--summ-endpoint``.
        votes: As ``--summ-votes``.
        budget: As ``--summ-budget``, in dollars.
        in_flight: Requests open at once.

    Raises:
        UsageError: for a row that cannot be measured, or a judge that cannot be made.
    """
    session = session_here(
        store=store, endpoint=endpoint, votes=votes, budget=budget, in_flight=in_flight
    )
    pairs = list(_pairs(rows, columns or {}))
    is_guess = len(pairs) > 1 and "summary" not in (columns or {})
    if is_guess and all(pair.paper.has_text(pair.summary) for pair in pairs):
        raise UsageError(
            "each summary is its reference or its source; name the model's column with"
            " columns={'summary': YOURS}, or 'summary' there if that is meant"
        )
    scored = _measured(pairs, session, judge, metrics)
    return Evaluated(tuple(paced(scored, len(pairs), "summaries") if progress else scored))


def _measured(
    pairs: Sequence[Pair],
    session: Session,
    judge: str | Judge,
    metrics: Iterable[MetricName] | None,
) -> Iterator[Scored]:
    """The pairs in their order, each measured, with `Unscored` for metrics without their texts."""
    wanted = None if metrics is None else _metrics(metrics)
    suite = suite_of_pairs(pairs, "evaluate")
    answering = session.judge(judge, [suite]) if isinstance(judge, str) else judge
    tasks, unmeasured = [], []
    for pair in pairs:
        lacks = {m: lack for m in wanted or METRICS if (lack := _lack(pair, m)) is not None}
        if wanted is not None and lacks:
            metric, lack = next(iter(lacks.items()))
            text = lack.status.removeprefix("skipped_no_")
            raise UsageError(
                f"{pair.place}: {metric} needs a {text}; give one, or leave {metric} out of metrics"
            )
        if len(lacks) == len(METRICS):
            raise UsageError(
                f"{pair.place}: there is nothing to measure the summary by; give a reference, a"
                " source or both"
            )
        measured = tuple(metric for metric in wanted or METRICS if metric not in lacks)
        tasks.append(Task(suite=suite, paper=pair.paper.id, system=pair.system, metrics=measured))
        unmeasured.append(tuple(lacks.values()))
    runner = Runner(answering, finish=session.replies.finish)
    try:
        runner.plan(tasks)
        for task, others in zip(tasks, unmeasured, strict=True):
            evaluation = _evaluated(runner, task)
            yield Scored(replace(evaluation, scores=(*evaluation.scores, *others)))
    finally:
        runner.close()
        session.replies.forget_run()


def _metrics(wanted: Iterable[str]) -> tuple[MetricName, ...]:
    names = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    known = known_metrics(names)
    for name in names:
        if name not in known:
            shown = one_line(repr(name), _SHOWN)
            raise UsageError(f"metrics: there is no {shown}; {nearest(str(name), known)}")
    return measured_metrics(names)


def _lack(pair: Pair, metric: MetricName) -> Unscored | None:
    """Why a metric cannot be measured on a pair; None where it can."""
    needs = _NEEDS[metric] if metric in METRICS else custom_metric(metric).needs
    text = lack_of(needs, pair.paper.references, pair.paper.source)
    if text is None:
        return None
    return Unscored(metric=metric, status=NO_TEXT[text], reason=f"no {text} was given")


def _evaluated(runner: Runner, task: Task) -> Evaluation:
    """The evaluation of a pair; without any score where the judge broke down."""
    try:
        return runner.evaluation(task)
    except UsageError:
        raise
    except SummevalError as error:
        pair = task.suite.pair(task.paper, task.system)
        scores = (Unscored(metric=m, status="unanswered", reason=str(error)) for m in task.metrics)
        return Evaluation(
            pair=pair, scores=tuple(scores), signatures=(), source=source_of(pair.paper)
        )


def _pairs(rows: object, columns: Mapping[str, str]) -> Iterator[Pair]:
    """The pair of each row; rows of one paper share its texts, and each is of another system."""
    names = list(getattr(rows, "column_names", getattr(rows, "columns", ())))
    for name in (columns.get(name, name) for name in _COLUMNS):
        if names.count(name) > 1:  # of which a row would have the last
            raise UsageError(f"rows: two columns are {name!r}; delete one")
    of_papers: dict[str, Pair] = {}
    of_pairs: dict[tuple[str, str], Place] = {}
    for number, row in enumerate(_dicts(rows), start=1):
        place = Place(f"row {number}")
        pair = _pair(_renamed(row, columns, place), place, f"row-{number}")
        paper, first = pair.paper, of_papers.setdefault(pair.paper.id, pair)
        if (first.paper.source, first.paper.references) != (paper.source, paper.references):
            raise UsageError(
                f"{place}: paper {paper.id!r} has other texts than in {first.place}; give it"
                " another id, or the same reference and source"
            )
        before = of_pairs.setdefault((paper.id, pair.system), place)
        if before is not place:
            raise UsageError(
                f"{place}: {pair.system!r} on {paper.id!r} stands in {before}, too; leave one out,"
                " or name another system"
            )
        yield replace(pair, paper=first.paper)
    if not of_pairs:
        raise UsageError("there is no row to evaluate")


def _renamed(
    row: Mapping[str, object], columns: Mapping[str, str], place: Place
) -> dict[str, object]:
    """A row by our names of its columns."""
    for name, column in columns.items():
        if name not in _COLUMNS:
            raise UsageError(f"columns: there is no {name!r}; {nearest(name, _COLUMNS)}")
        if column not in row:
            raise UsageError(f"{place}: there is no column {column!r}; {nearest(column, row)}")
    if "summary" not in columns and "summary" not in row:
        names: dict[str, str] = {}
        for name in ("summary", "reference", "source"):
            if name not in row and (columns_of := usual_columns(name, row)):
                names[name] = columns_of[0]
        meant = f"; give columns={names}" if names else "; give columns={'summary': YOURS}"
        has = one_line(", ".join(map(repr, row)), _SHOWN) or "none"
        raise UsageError(f"{place}: there is no column 'summary', it has {has}{meant}")
    return {name: row.get(columns.get(name, name)) for name in _COLUMNS}


def _dicts(rows: object) -> Iterator[Mapping[str, object]]:
    """The rows of a table of any kind, as dicts."""
    if isinstance(rows, Mapping):
        parts = ", ".join(map(repr, rows))
        raise UsageError(
            f"rows is a {type(rows).__name__} of {one_line(parts, _SHOWN)}; give one of its parts,"
            " or a list of dicts"
        )
    is_dataset = type(rows).__module__.partition(".")[0] == "datasets"
    table = rows if is_dataset else _listed(rows)  # a Hugging Face dataset reads row by row
    if not isinstance(table, Iterable) or isinstance(table, str):
        raise UsageError(
            f"rows is {one_line(repr(rows), _SHOWN)}; give a list of dicts, a DataFrame, a table or"
            " a dataset"
        )
    for number, row in enumerate(table, start=1):
        if not isinstance(row, Mapping):
            shown = one_line(repr(row), _SHOWN)
            raise UsageError(f"row {number} is {shown}; give a dict with the key summary")
        yield row


def _listed(rows: Any) -> object:
    """A table as a list of dicts, by the method that its package has for it."""
    if hasattr(rows, "to_dicts"):  # polars
        return rows.to_dicts()
    if hasattr(rows, "to_pylist"):  # pyarrow
        return rows.to_pylist()
    return rows.to_dict("records") if hasattr(rows, "to_dict") else rows  # pandas


def _pair(row: Mapping[str, object], place: Place, default: str) -> Pair:
    """The pair of a row; a UsageError where the summary is no text."""
    known = {name: value for name, value in row.items() if not _is_missing(value)}
    output = read_output(row.get("summary"))
    if output is None:
        shown = one_line(repr(row.get("summary")), _SHOWN)
        raise UsageError(f"{place}: the summary is {shown}; give a text, '' for none")
    form = "section of a source; give a text or {'heading', 'text'}"
    sections = _parts(known.get("source", ()), place, section_of, form)
    form = "reference; give a text or a list of texts"
    texts = _parts(
        known.get("reference", ()),
        place,
        lambda text: text if isinstance(text, str) else None,
        form,
    )
    paper = Paper(
        id=str(known.get("paper", default)),
        source=tuple(section for section in sections if section.text.strip()),
        references=tuple(filter(str.strip, texts)),
        place=place,
    )
    system = str(known.get("system", ""))
    named = [("paper", paper.id), ("system", system), *(("reference", text) for text in texts)]
    named += [("source", f"{section.heading} {section.text}") for section in sections]
    for name, text in named:
        if half := HALF.search(text):
            what = f"the {name} holds {half[0]!r}, half a surrogate pair"
            raise UsageError(f"{place}: {what}; write the whole character")
    return pair_of(paper, system, output, place)


def _is_missing(value: object) -> bool:
    """Whether a table has nothing there: None, NaN or `pandas.NA`."""
    if isinstance(value, Iterable):
        return False
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - NaN
    except TypeError:  # nothing that pandas.NA is compared to is true or false
        return True


def _parts(value: Any, place: Place, read: Callable[[object], T | None], form: str) -> list[T]:
    """The parts of a cell, as read; a UsageError for one that is of another form."""
    if hasattr(value, "tolist"):  # an array, of which one without a dimension has no items
        value = value.tolist()
    is_list = isinstance(value, Iterable) and not isinstance(value, str | Mapping)
    parts = []
    for part in value if is_list else [value]:
        if (known := read(part)) is None:
            raise UsageError(f"{place}: {one_line(repr(part), _SHOWN)} is no {form}")
        parts.append(known)
    return parts
