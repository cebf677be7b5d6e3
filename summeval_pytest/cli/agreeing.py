"""`summeval agree`: every metric and baseline beside the human labels of a suite."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.model_columns import (
    NO_MODELS,
    LocalModels,
    extra_columns,
    models_of,
    recipes_of,
    told_of_models,
)
from summeval_pytest.cli.retrieving import as_counts, evidence_table, retrieved_evidence
from summeval_pytest.cli.terms import check_writable, desk_of
from summeval_pytest.errors import OptionError, Place, SuiteError
from summeval_pytest.evaluation import Runner, Summariser, Task
from summeval_pytest.metrics import (
    METRICS,
    EvaScore,
    FacetScore,
    Unscored,
)
from summeval_pytest.metrics.lexical import facet_presence, length, rouge
from summeval_pytest.questions import FACETS
from summeval_pytest.suite import load_suite
from summeval_pytest.text import normalise, one_line
from summeval_pytest.verdict.agreement import (
    ColumnAgreement,
    Estimate,
    FacetAgreement,
    LabelledPair,
    column_agreement,
    facet_agreement,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from summeval_pytest.evaluation import Desk, Evaluation
    from summeval_pytest.metrics import Score
    from summeval_pytest.questions import Facet
    from summeval_pytest.suite import Label, Suite

LEADING: Final = (
    "FM", "EVA", "EVA precision", "EVA recall", "EVA recall (entailed)", "faithfulness",
    "ROUGE-1", "ROUGE-2", "ROUGE-L", "facet presence", "length",
)  # fmt: skip
"""The columns that we compute, in the order shown; recorded ones follow by name.

A recorded one of the same name is marked, so that neither hides the other."""
_NAME: Final = 26


def run_agree(chosen: argparse.Namespace) -> list[str]:
    """The table of agreement for the options of the command."""
    return agree(
        chosen.suite,
        judge_name=chosen.judge,
        desk=desk_of(chosen),
        json_file=chosen.json,
        models=models_of(chosen),
    )


def agree(
    path: Path,
    *,
    judge_name: str,
    desk: Desk,
    json_file: Path | None,
    models: LocalModels = NO_MODELS,
) -> list[str]:
    """The table of agreement, also written as JSON where a file is named.

    Args:
        path: The suite.
        judge_name: Who judges.
        desk: On which terms models are asked.
        json_file: Where the figures are written, too.
        models: Models of this machine that fill further columns.

    Raises:
        UsageError: for a mistake in the suite, a suite without labels, or an unknown judge.
        JudgeError: if the judge breaks its contract.
    """
    if json_file is not None:
        check_writable(json_file, "--json")
    suite = load_suite(path)
    desk.add_cassette(suite)
    measured = labelled_evaluations(suite, judge_name, desk)
    pairs = _pairs(suite, measured, models)
    found = {column for pair in pairs for column in pair.columns}
    leading = (*LEADING, *models.columns)
    columns = [c for c in leading if c in found] + sorted(found - set(leading))
    metrics = {column: column_agreement(pairs, column) for column in columns}
    facets = {facet: facet_agreement(pairs, facet) for facet in FACETS}
    texts = [(label, evaluation.pair) for label, evaluation in measured]
    evidence = retrieved_evidence(texts, models.encoder) if models.encoder is not None else {}
    if json_file is not None:
        extra = recipes_of(models) | as_counts(evidence)
        _write(json_file, as_json(len(pairs), metrics, facets) | extra)
    return [
        *_table(suite, judge_name, len(pairs), metrics, facets),
        *evidence_table(evidence),
        *told_of_models([pair for _, pair in texts], models),
    ]


def _write(file: Path, figures: Mapping[str, object]) -> None:
    text = json.dumps(figures, indent=2, ensure_ascii=False) + "\n"
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unwritable(file, str(error.strerror)) from None


def _unwritable(file: Path, fault: str) -> OptionError:
    return OptionError(f"--json={file}: cannot be written, {fault}; name another file")


def labelled_pairs(
    suite: Suite, judge_name: str, desk: Desk, models: LocalModels = NO_MODELS
) -> list[LabelledPair]:
    """Every pair with a human overall score, measured by the judge and by the baselines."""
    return _pairs(suite, labelled_evaluations(suite, judge_name, desk), models)


def labelled_evaluations(
    suite: Suite, judge_name: str, desk: Desk
) -> list[tuple[Label, Evaluation]]:
    """Every label with a human overall score, and what the judge says of its pair.

    Raises:
        SuiteError: if no label has one.
    """
    labels = [label for label in suite.labels.values() if label.overall is not None]
    if not labels:
        raise SuiteError(
            Place(suite.shown),
            "no label has an 'overall' score to agree with; add labels.jsonl and name it as"
            ' labels = "labels.jsonl"',
        )
    find_pair = Summariser(desk.sender).pair
    runner = Runner(desk.judge(judge_name, [suite]), find_pair=find_pair, finish=desk.finish)
    tasks = [
        Task(suite=suite, paper=label.paper, system=label.system, metrics=METRICS)
        for label in labels
    ]
    runner.plan(tasks)
    try:
        return [(label, runner.evaluation(task)) for label, task in zip(labels, tasks, strict=True)]
    finally:
        runner.close()
        desk.forget_run()


def _pairs(
    suite: Suite, measured: Sequence[tuple[Label, Evaluation]], models: LocalModels
) -> list[LabelledPair]:
    ours = {*LEADING, *models.columns}
    recorded: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for line in suite.recorded():
        if line.system is not None and line.overall is not None:
            shown = f"{line.by} (recorded)" if line.by in ours else line.by
            recorded[line.paper, line.system][shown] = line.overall
    more = extra_columns([evaluation.pair for _, evaluation in measured], models)
    return [
        _labelled(label, evaluation, {**recorded[label.paper, label.system], **columns})
        for (label, evaluation), columns in zip(measured, more, strict=True)
    ]


def _labelled(label: Label, evaluation: Evaluation, others: Mapping[str, float]) -> LabelledPair:
    pair = evaluation.pair
    columns = dict(others)
    columns["length"] = length(pair.summary)
    by_reference = [rouge(reference, pair.summary) for reference in pair.paper.references]
    columns.update({name: max(scores[name] for scores in by_reference) for name in by_reference[0]})
    ratings: dict[Facet, tuple[int, int]] = {}
    for score in evaluation.scores:
        if isinstance(score, Unscored):
            continue
        columns.update(_columns(score))
        if isinstance(score, FacetScore):
            for rated in score.ratings:
                human = (label.facets or {}).get(rated.facet)
                if human is not None:
                    ratings[rated.facet] = (human, rated.rating)
    assert label.overall is not None, "only labels with an overall score are asked for"
    return LabelledPair(
        paper=label.paper,
        group=normalise(pair.paper.references[0]),
        human=label.overall,
        columns=columns,
        ratings=ratings,
    )


def _columns(score: Score) -> Mapping[str, float]:
    """The columns that a score fills; what it does not have is left out."""
    found: dict[str, float | None]
    match score:
        case FacetScore():
            found = {
                "FM": score.value,
                "facet presence": facet_presence(score),
            }
        case EvaScore():
            found = {
                "EVA": score.value,
                "EVA precision": score.precision,
                "EVA recall": score.recall,
                "EVA recall (entailed)": score.recall_entailed,
            }
        case _:
            found = {"faithfulness": score.value}
    return {name: value for name, value in found.items() if value is not None}


def as_json(
    n_pairs: int,
    metrics: Mapping[str, ColumnAgreement],
    facets: Mapping[Facet, FacetAgreement],
) -> dict[str, object]:
    """The figures as plain JSON values; an undefined one is null."""
    return {
        "pairs": n_pairs,
        "metrics": {
            name: {
                "pearson": _triple(found.pearson),
                "spearman": _triple(found.spearman),
                "kendall": _triple(found.kendall),
                "pairs": found.n_pairs,
            }
            for name, found in metrics.items()
        },
        "facets": {
            facet: {"exact": found.exact, "kappa": found.kappa, "pairs": found.n_pairs}
            for facet, found in facets.items()
        },
    }


def _triple(estimate: Estimate) -> list[float | None]:
    return [estimate.value, estimate.low, estimate.high]


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"{'-':>6}{'':14}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:>6.3f}{'':14}"
    return f"{estimate.value:>6.3f} [{estimate.low:>5.2f},{estimate.high:>5.2f}]"


def _table(
    suite: Suite,
    judge_name: str,
    n_pairs: int,
    metrics: Mapping[str, ColumnAgreement],
    facets: Mapping[Facet, FacetAgreement],
) -> Iterator[str]:
    yield f"{suite.shown}: {n_pairs} labelled pairs, judge {judge_name}, suite {suite.fingerprint}"
    yield "Agreement with the human overall score; 95 % intervals over papers."
    yield ""
    titles = (f"{title:<21}" for title in ("Pearson", "Spearman", "Kendall per paper"))
    yield f"{'':<{_NAME}}{'pairs':>5}  {''.join(titles)}".rstrip()
    for name, found in metrics.items():
        cells = " ".join(map(_cell, (found.pearson, found.spearman, found.kendall)))
        yield f"{one_line(name, _NAME - 1):<{_NAME}}{found.n_pairs:>5}  {cells}".rstrip()
    yield ""
    yield f"{'facet ratings':<{_NAME}}{'pairs':>5}   exact  quadratic kappa"
    for facet, agreement in facets.items():
        exact = "-" if agreement.exact is None else f"{agreement.exact:.3f}"
        kappa = "-" if agreement.kappa is None else f"{agreement.kappa:.3f}"
        yield f"{facet:<{_NAME}}{agreement.n_pairs:>5}  {exact:>6} {kappa:>16}"
