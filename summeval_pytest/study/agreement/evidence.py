"""What a judge names as evidence, and BM25, beside what labels name (`agree --evidence`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean, median
from typing import Final, NamedTuple

import numpy as np

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.run.golden import (
    EvidenceCount,
    count_evidence,
    group_of,
    label_task,
    labelled_sentences,
    places_of,
)
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.run.runner import Task
from summeval_pytest.run.session import Session
from summeval_pytest.stats.agreement import shares
from summeval_pytest.study.agreement.item_agreement import estimate_of
from summeval_pytest.study.baselines import novel_bigrams, top_sentences
from summeval_pytest.study.tables import Cells, Row, number, table_lines, table_of
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.suite import Suite
from summeval_pytest.text.printing import one_line

SEED: Final = 20246
TOP: Final = 3
"""BM25 names one sentence, two, and so many (FareBio, Table 3)."""
_NAMED, _LABELLED, _BOTH, _HITS, _INSTANCES = range(5)
"""The columns of counts: source sentences named, labelled and both; instances with at least one
labelled sentence named, and all instances."""
_FIGURES: Final = {
    "precision": lambda counts: shares(counts[:, _BOTH], counts[:, _NAMED]),
    "recall": lambda counts: shares(counts[:, _BOTH], counts[:, _LABELLED]),
    "f1": lambda counts: shares(2 * counts[:, _BOTH], counts[:, _NAMED] + counts[:, _LABELLED]),
    # Annotators stop at the first sentence that suffices, so finding one of theirs may be all that
    # can be asked (metrics.md FB4).
    "any_hit": lambda counts: shares(counts[:, _HITS], counts[:, _INSTANCES]),
    # How much a judge points at (metrics.md FB2).
    "named_per_sentence": lambda counts: shares(counts[:, _NAMED], counts[:, _INSTANCES]),
}


class EvidenceCase(NamedTuple):
    """One sentence that labels give evidence for.

    Attributes:
        group: Papers with the same reference are resampled as one group.
        labelled: The places of its labelled evidence among the source's sentences, at least one.
        named: The places that the judge named; None where it gave no answer.
    """

    group: str
    sentence: str
    source: tuple[str, ...]
    labelled: tuple[int, ...]
    named: tuple[int, ...] | None


def evidence_tasks(suite: Suite, *, every: bool = False) -> dict[Task, Label]:
    """The tasks of pairs with such a sentence, in the order of the labels.

    Sentences that labels do not call faithful count where ``every`` is set.
    """
    return {
        label_task(suite, label, ("faithfulness",)): label
        for label in suite.labels.values()
        if any(s.evidence and (s.faithful or every) for s in label.sentences or ())
    }


def evidence_cases(
    label: Label, evaluation: Evaluation, *, every: bool = False
) -> Iterator[EvidenceCase]:
    """The cases of one labelled pair; none where its summary could not be judged."""
    for each, text, judged in labelled_sentences(label, evaluation):
        places = places_of(each.evidence, evaluation.source) if each.faithful or every else ()
        if places:
            yield EvidenceCase(
                group=group_of(evaluation.pair.paper),
                sentence=text,
                source=evaluation.source,
                labelled=places,
                named=judged.evidence if judged.supported is not None else None,
            )


def supporting_figures(cases: Sequence[EvidenceCase]) -> Iterator[Row]:
    """The judge and BM25, on all sentences and on the more and the less abstractive ones.

    A sentence is more abstractive where its share of novel bigrams is above the median. A part
    without a sentence is left out.
    """
    rows = [
        (
            case,
            top_sentences(case.sentence, case.source, TOP),
            novel_bigrams(case.sentence, case.source),
        )
        for case in cases
    ]
    middle = median(novel for *_, novel in rows) if rows else 0.0
    for part, few in {
        "all": rows,
        "high": [row for row in rows if row[2] > middle],
        "low": [row for row in rows if row[2] <= middle],
    }.items():
        if few:
            yield figures_of("judge", part, [(case, case.named) for case, *_ in few])
            for k in range(1, TOP + 1):
                yield figures_of(f"BM25 top-{k}", part, [(case, top[:k]) for case, top, _ in few])


def figures_of(
    by: str, part: str, named: Sequence[tuple[EvidenceCase, tuple[int, ...] | None]]
) -> Row:
    """How well ``by`` (the judge, or ``BM25 top-1`` and so on) finds the evidence of sentences.

    There are ``n_instances`` sentences of ``n_papers`` papers with labelled evidence that it had an
    answer for. Precision, recall and F1 are micro: of all named, of all labelled source sentences.
    ``macro`` are means over instances, each of which counts the same; None without any.
    """
    answered = [
        (case.group, count_evidence(case.labelled, evidence))
        for case, evidence in named
        if evidence is not None
    ]
    rows = {group: row for row, group in enumerate(sorted({group for group, _ in answered}))}
    counts = np.zeros((len(rows), 5), dtype=np.int64)
    for group, one in answered:
        counts[rows[group]] += (one.named, one.labelled, one.both, int(one.both > 0), 1)
    each = [_shares(count) for _, count in answered]
    macro = {name: mean(one[name] for one in each) for name in (each[0] if each else ())}
    return {
        "by": by,
        "part": part,
        "n_instances": len(answered),
        "n_papers": len(counts),
        "n_unanswered": len(named) - len(answered),
        **{key: estimate_of(counts, figure, SEED) for key, figure in _FIGURES.items()},
        "macro": macro or None,
    }


def _shares(count: EvidenceCount) -> dict[str, float]:
    """Precision, recall and F1 of one sentence; 0 where there is nothing to take a share of."""
    wholes = {
        "precision": count.named,
        "recall": count.labelled,
        "f1": (count.named + count.labelled) / 2,
    }
    return {name: count.both / (whole or 1) for name, whole in wholes.items()}


def evidence_report(suite: Suite, judge_name: str, session: Session, *, every: bool) -> Row:
    """What the judge names as evidence, and BM25, beside what labels name.

    With ``every``, sentences count, too, which labels do not call faithful. The ``errors`` are
    FareBio's, table 5: over ``n_sentences`` that it answered, faithful or not, it named
    ``n_ungrounded`` sentences or quotations that the source does not hold, of which ``n_copied``
    stand in the summary instead, and called ``n_unsupported_yes`` supported without any evidence.

    Raises:
        SuiteError: for labels without evidence.
    """
    tasks = evidence_tasks(suite, every=every)
    if not tasks:
        raise SuiteError(
            Place(suite.shown),
            f"no label has a {'' if every else 'faithful '}sentence with 'evidence' to be found;"
            " add"
            ' {"index", "faithful", "evidence"} to the \'sentences\' of labels',
        )
    judge = session.judge(judge_name, [suite])
    try:
        scores = list(session.evaluate(judge, list(tasks)))
    finally:
        session.replies.forget_run()
    cases = [
        case
        for label, evaluation in zip(tasks.values(), scores, strict=True)
        for case in evidence_cases(label, evaluation, every=every)
    ]
    of = [s for each in scores for s in each.scores if isinstance(s, FaithfulnessScore)]
    errors = {
        "n_sentences": sum(s.supported is not None for score in of for s in score.sentences),
        "n_ungrounded": sum(score.n_ungrounded for score in of),
        "n_copied": sum(score.n_copied for score in of),
        "n_unsupported_yes": sum(score.n_unsupported_yes for score in of),
    }
    return {
        "suite": suite.shown,
        "fingerprint": suite.fingerprint,
        "judge": judge.signature,
        "n_pairs": len(tasks),
        "figures": list(supporting_figures(cases)),
        "errors": errors,
        "every": every,
    }


_PARTS: Final = {
    "all": "all sentences",
    "high": "more abstractive",
    "low": "less abstractive",
}
_WIDTH: Final = 120


def evidence_lines(report: Row, judge: str) -> Iterator[str]:
    """The report as lines, with a table for each part of the sentences."""
    yield one_line(f"{report['suite']}: {report['n_pairs']} labelled pairs with evidence", 200)
    yield one_line(f"judge {judge}: {report['judge']}", 300)
    which = "labelled faithful or not" if report["every"] else "labelled faithful"
    yield f"Source sentences named as evidence beside labelled ones, for sentences {which};"
    yield "95 % intervals over papers. named: source sentences named for each of them."
    yield ""
    for part, title in _PARTS.items():
        cells: Cells = {
            f"{title:<16}": "by",
            "sents": "n_instances",
            "named": lambda row: number(row["named_per_sentence"].value, 2),
            "precision": "precision",
            "recall": "recall",
            "F1": "f1",
            "any hit": "any_hit",
            "macro F1": lambda row: number(row["macro"] and row["macro"]["f1"]),
        }
        if rows := [row for row in report["figures"] if row["part"] == part]:
            yield from table_lines(table_of("", rows, cells), _WIDTH)
            yield ""
    unanswered = next((f["n_unanswered"] for f in report["figures"] if f["by"] == "judge"), 0)
    if unanswered:
        yield f"the judge gave no answer on {unanswered:,} of these sentences; they are left out"
    errors = report["errors"]
    yield (
        f"judge's evidence on {errors['n_sentences']:,} sentences, faithful or not:"
        f" {errors['n_ungrounded']:,} not in the source ({errors['n_copied']:,} of them copied from"
        f" the summary), {errors['n_unsupported_yes']:,} called supported without any"
    )
    yield "more abstractive: a larger share of novel bigrams than the median sentence; the place of"
    yield "a sentence that stands in the source word for word is found by a rule and not asked"
