"""One judge over all pairs that are studied, each reduced to its numbers as soon as it is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from summeval_pytest.cli.study_texts import cut_of
from summeval_pytest.cli.terms import running
from summeval_pytest.evaluation import Summariser, Watch, models_seen, recipe_of, tasks_of
from summeval_pytest.judges import Counting
from summeval_pytest.metrics import METRICS, EvaScore, FacetScore, FaithfulnessScore
from summeval_pytest.text import normalise
from summeval_pytest.verdict.study import Cut, Effort, Judged
from summeval_pytest.verdict.study.columns import RESCALED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.cli.study_texts import Named
    from summeval_pytest.evaluation import Desk, Evaluation, ModelSeen
    from summeval_pytest.suite import Pair, Suite


@dataclass(slots=True, kw_only=True)
class JudgeFound:
    """What one judge makes of a suite.

    Attributes:
        name: The judge as the user named it.
        signature: Its signature.
        recipes: By metric, the recipe of its numbers.
        pairs: By system and paper.
        cuts: By writer (None for the reference) and paper, how it cut the text.
        models: The models that replied.
        calls: What was asked and remembered, by name; empty where no endpoint was in it.
        counts: The judge's own counts of its replies, as far as it has any.
    """

    name: str
    signature: str
    recipes: Mapping[str, str]
    pairs: dict[Named, Judged] = field(default_factory=dict)
    cuts: dict[tuple[str | None, str], Cut] = field(default_factory=dict)
    models: tuple[ModelSeen, ...] = ()
    calls: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)


def judge_pairs(name: str, suite: Suite, systems: Sequence[str], desk: Desk) -> JudgeFound:
    """Has one judge judge every pair of the systems.

    Raises:
        UsageError: for a judge that cannot be asked, and for a file that has changed.
        JudgeError: if the judge breaks its contract.
        NoReplyError: if a system's endpoint gave no summary.
    """
    desk.add_cassette(suite)
    watch = Watch()
    judging = desk.judge(name, [suite], watch.lines(lambda: desk.exchange))
    judge = watch.over(judging)
    found = JudgeFound(
        name=name,
        signature=judge.signature,
        recipes={
            metric: str(
                recipe_of(metric, judge=judging, suite=suite.fingerprint, variants=suite.variants)
            )
            for metric in METRICS
        },
    )
    is_alone = judge.in_flight == 1
    with running(judge, desk, watch.pairs(Summariser(desk.sender).pair)) as runner:
        began = perf_counter()
        for evaluation in runner.evaluations(tasks_of(suite, systems, METRICS)):
            seconds = perf_counter() - began if is_alone else None
            found.pairs[evaluation.system, evaluation.paper] = _judged(evaluation, watch, seconds)
            _note_segments(found, evaluation.pair, watch)
            began = perf_counter()
    if desk.is_asking:
        found.models = models_seen(desk.exchange.ledger.models)
        found.calls = desk.exchange.ledger.totals.as_json()
    if isinstance(judging, Counting):
        found.counts = judging.counts()
    return found


def _judged(evaluation: Evaluation, watch: Watch, seconds: float | None) -> Judged:
    values = evaluation.numbers().values
    eva, score = evaluation.score("eva"), evaluation.score("faithfulness")
    sentences = score.sentences if isinstance(score, FaithfulnessScore) else ()
    taken = watch.taken.get((evaluation.system, evaluation.paper))
    facet = evaluation.score("facet")
    rescaled = facet.rescaled if isinstance(facet, FacetScore) else None
    return Judged(
        values={n: v for n, v in (*values.items(), (RESCALED, rescaled)) if v is not None},
        n_supported=sum(sentence.supported is True for sentence in sentences),
        n_answered=sum(sentence.supported is not None for sentence in sentences),
        n_sentences=len(sentences),
        facts=eva.counts if isinstance(eva, EvaScore) else None,
        effort=Effort(seconds=seconds)
        if taken is None
        else Effort(
            n_questions=taken.n_questions,
            n_calls=taken.n_calls,
            prompt_tokens=taken.prompt_tokens,
            completion_tokens=taken.completion_tokens,
            seconds=seconds,
        ),
    )


def _note_segments(found: JudgeFound, pair: Pair, watch: Watch) -> None:
    """How the judge cut the texts of a pair; the reference's frozen facets are taken as its own."""
    paper = pair.paper
    for writer, text in ((pair.system, pair.summary), (None, paper.references[0])):
        reviewed = paper.reference_facets if writer is None else None
        plain = normalise(text)
        segments = reviewed or watch.segments(plain)
        if segments is not None:
            found.cuts[writer, paper.id] = cut_of(segments, plain if reviewed is None else None)
