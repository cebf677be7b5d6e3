"""The labelled sentences that have evidence in the source, beside what the judge named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.evaluation.answering import places_of
from summeval_pytest.evaluation.golden import check_indices, group_of
from summeval_pytest.evaluation.task import Task
from summeval_pytest.metrics import FaithfulnessScore, Unscored
from summeval_pytest.suite.indexed import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.evaluation.measuring import Evaluation
    from summeval_pytest.suite import Label, Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCase:
    """One sentence that labels give evidence for.

    Attributes:
        group: What is resampled: papers with the same reference have the same.
        sentence: The sentence of the summary.
        source: The source's sentences.
        labelled: Where its labelled evidence stands among them, at least one.
        named: Where the judge's stands; None where it gave no answer.
    """

    group: str
    sentence: str
    source: tuple[str, ...]
    labelled: tuple[int, ...]
    named: tuple[int, ...] | None


def evidence_tasks(suite: Suite, *, every: bool = False) -> dict[Task, Label]:
    """The pairs with such a sentence, in the order of the labels, and what is asked about them.

    Args:
        suite: The suite.
        every: Whether sentences count that labels do not call faithful.
    """
    return {
        Task(
            suite=suite,
            paper=label.paper,
            system=label.system,
            metrics=("faithfulness",),
            is_golden=True,
        ): label
        for label in suite.labels.values()
        if any(s.evidence and (s.faithful or every) for s in label.sentences or ())
    }


def evidence_cases(
    label: Label, evaluation: Evaluation, *, every: bool = False
) -> Iterator[EvidenceCase]:
    """The cases of one labelled pair; none where the system wrote nothing that could be judged.

    A fragment that is no sentence is left out, and so is evidence that the source does not have.
    Sentences that labels do not call faithful count where ``every`` is set.

    Raises:
        SuiteError: for a label of a sentence that the summary does not have.
    """
    texts = cut(evaluation.pair.summary)
    check_indices(label, len(texts))
    score = evaluation.score("faithfulness")
    if isinstance(score, Unscored) and score.fault == "system":
        return
    judged = {s.index: s for s in score.sentences} if isinstance(score, FaithfulnessScore) else None
    for each in label.sentences or ():
        places = places_of(each.evidence, evaluation.source) if each.faithful or every else ()
        if not places or (judged is not None and each.index not in judged):
            continue
        found = judged[each.index] if judged is not None else None
        yield EvidenceCase(
            group=group_of(evaluation.pair.paper),
            sentence=texts[each.index],
            source=evaluation.source,
            labelled=places,
            named=found.evidence if found is not None and found.supported is not None else None,
        )
