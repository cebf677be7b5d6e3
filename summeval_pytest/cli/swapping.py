"""`summeval swap`: what another judge in the place of today's would change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from summeval_pytest.cli.terms import (
    check_writable,
    desk_of,
    names_in,
    running,
    suite_of,
    write_figures,
)
from summeval_pytest.errors import JudgeError
from summeval_pytest.evaluation import (
    Desk,
    Task,
    check_sentences,
    golden_pair,
    labels_fingerprint,
    models_seen,
)
from summeval_pytest.metrics import METRICS, FaithfulnessScore
from summeval_pytest.reports import (
    figure_table,
    item_table,
    model_lines,
    order_lines,
    score_table,
    threshold_block,
    threshold_table,
    trust_phrase,
)
from summeval_pytest.text import normalise, one_line
from summeval_pytest.verdict import Trust, changed_figures, floors_of, shared_answers, thresholds_of
from summeval_pytest.verdict.measuring import measure_trust
from summeval_pytest.verdict.ranking import system_orders
from summeval_pytest.verdict.swapping import TwiceJudged, item_agreements, score_agreements
from summeval_pytest.verdict.translating import translate

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.evaluation import Evaluation, GoldenPair, ModelSeen
    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict import FigureChange
    from summeval_pytest.verdict.ranking import SystemOrder
    from summeval_pytest.verdict.swapping import ItemAgreement, ScoreAgreement
    from summeval_pytest.verdict.translating import Translated

Named = tuple[str, str]
"""A system and a paper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePair:
    """What one judge makes of one pair."""

    group: str
    values: Mapping[str, float]
    sentences: Mapping[int, bool]


@dataclass(slots=True, kw_only=True)
class OneJudge:
    """What one judge makes of a suite.

    Attributes:
        name: The judge as the user named it.
        signature: Its signature.
        pairs: By system and paper.
        golden: The labelled pairs.
        models: The models that replied.
    """

    name: str
    signature: str
    pairs: dict[Named, OnePair] = field(default_factory=dict)
    golden: list[GoldenPair] = field(default_factory=list)
    models: tuple[ModelSeen, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap:
    """One judge in the place of another: everything that is told of it."""

    suite: str
    fingerprint: str
    old: str
    new: str
    n_pairs: int
    n_papers: int
    scores: tuple[ScoreAgreement, ...]
    items: tuple[ItemAgreement, ...]
    orders: tuple[SystemOrder, ...]
    labels: tuple[FigureChange, ...]
    trust: tuple[Trust, ...]
    thresholds: tuple[Translated, ...]


def swap(chosen: argparse.Namespace) -> list[str]:
    """The tables, also written as JSON where a file is named.

    Raises:
        UsageError: for a mistake in the suite or its labels, and for a judge or a system that
            cannot be asked.
        JudgeError: if a judge breaks its contract.
    """
    if chosen.json is not None:
        check_writable(chosen.json, "--json")
    desk = desk_of(chosen)
    suite, tasks, gated = _tasks(chosen, desk)
    names = (chosen.old_judge, chosen.new_judge)
    for name in names:
        desk.judge(name, [suite])  # one that cannot be is told before anybody is asked
    try:
        old, new = (_judged(name, suite, tasks, Desk(desk.terms)) for name in names)
    finally:
        desk.forget_run()
    found = _swap(suite, old, new, gated)
    if chosen.json is not None:
        write_figures(chosen.json, "--json", found)
    return list(_told(found, old, new))


def _tasks(chosen: argparse.Namespace, desk: Desk) -> tuple[Suite, dict[Named, Task], list[Named]]:
    """The suite, every pair that is judged, and those of the systems that are compared."""
    suite = suite_of(chosen)
    thresholds_of(suite)
    suite, systems = desk.systems(
        suite, names_in(chosen.model, "--model") or suite.systems, "--model"
    )
    check_sentences(suite)
    gated = [(system, paper) for system in systems for paper in suite.paper_ids_of(system)]
    labelled = list(suite.labels)
    tasks = {
        (system, paper): Task(
            suite=suite,
            paper=paper,
            system=system,
            metrics=METRICS,
            facts=label.facts if (label := suite.labels.get((paper, system))) else None,
        )
        for system, paper in dict.fromkeys((*gated, *((s, p) for p, s in labelled)))
    }
    return suite, tasks, gated


def _judged(name: str, suite: Suite, tasks: Mapping[Named, Task], desk: Desk) -> OneJudge:
    """Has one judge judge every pair; systems that have to be asked are asked by the first."""
    desk.add_cassette(suite)
    judge = desk.judge(name, [suite])
    found = OneJudge(name=name, signature=judge.signature)
    with running(judge, desk) as runner:
        for of, evaluation in zip(tasks, runner.evaluations(list(tasks.values())), strict=True):
            found.pairs[of] = _one_pair(evaluation)
            label = suite.labels.get((evaluation.paper, evaluation.system))
            if label is not None:
                found.golden.append(golden_pair(label, evaluation))
    if desk.is_asking:
        found.models = models_seen(desk.exchange.ledger.models)
    return found


def _one_pair(evaluation: Evaluation) -> OnePair:
    values = evaluation.numbers().values
    score = evaluation.score("faithfulness")
    sentences = score.sentences if isinstance(score, FaithfulnessScore) else ()
    return OnePair(
        group=normalise(evaluation.pair.paper.references[0]),
        values={name: value for name, value in values.items() if value is not None},
        sentences={s.index: s.supported for s in sentences if s.supported is not None},
    )


def _swap(suite: Suite, old: OneJudge, new: OneJudge, gated: Sequence[Named]) -> Swap:
    pairs = [_twice(of, old.pairs[of], new.pairs[of]) for of in gated]
    before, now, _ = shared_answers(old.golden, new.golden)
    return Swap(
        suite=suite.shown,
        fingerprint=suite.fingerprint,
        old=old.signature,
        new=new.signature,
        n_pairs=len(pairs),
        n_papers=len({pair.group for pair in pairs}),
        scores=score_agreements(pairs),
        items=item_agreements(pairs),
        orders=system_orders(pairs),
        labels=changed_figures(before, now),
        trust=tuple(_trust(suite, judge) for judge in (old, new)) if suite.has_labels else (),
        thresholds=translate(pairs, thresholds_of(suite)),
    )


def _twice(of: Named, old: OnePair, new: OnePair) -> TwiceJudged:
    system, paper = of
    both = sorted(old.sentences.keys() & new.sentences.keys())
    return TwiceJudged(
        paper=paper,
        system=system,
        group=old.group,
        old=old.values,
        new=new.values,
        sentences=tuple((old.sentences[place], new.sentences[place]) for place in both),
    )


def _trust(suite: Suite, judge: OneJudge) -> Trust:
    """What the labels say of one of the judges alone; a judge that leaves many out has no figures.

    These stand on all that it answered, the table of changes on what both did.
    """
    labels = labels_fingerprint(suite)
    try:
        held_to = floors_of(suite, judge.name)
        return measure_trust(judge.golden, held_to, judge=judge.signature, labels=labels)
    except JudgeError as error:
        return Trust(judge=judge.signature, labels=labels, fault=str(error))


def _told(found: Swap, old: OneJudge, new: OneJudge) -> Iterator[str]:
    yield one_line(f"{found.suite}: {found.n_pairs} pairs of {found.n_papers} papers", 200)
    for title, judge in (("from", old), ("to  ", new)):
        yield one_line(f"{title}  {judge.name}: {judge.signature}", 300)
    yield "Both judges on the same pairs; 95 % intervals over papers."
    yield ""
    yield from score_table(found.scores)
    yield ""
    yield from item_table(found.items)
    yield ""
    yield from order_lines(found.orders)
    if found.labels:
        yield ""
        yield from figure_table(found.labels, ("from", "to"))
        for title, trust in zip(("from", "to"), found.trust, strict=True):
            yield one_line(f"{title}: {trust_phrase(trust, has_labels=True)}", 300)
    yield ""
    if found.thresholds:
        yield from threshold_table(found.thresholds)
        yield "Floors of agreement and thresholds of corrected means are on the labels' scale,"
        yield "and stay."
        yield ""
        yield from threshold_block(found.thresholds, new.name)
    else:
        yield "the suite has no threshold to translate"
    yield from model_lines((*old.models, *new.models))
