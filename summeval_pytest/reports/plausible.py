"""Whether a run record that can be read makes sense: it may come from a stranger, or an editor."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import (
    CATALOGUE,
    FacetScore,
    FaithfulnessScore,
    Unscored,
    read_signature,
)
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.verdict import named_agreement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from summeval_pytest.evaluation import GoldenAnswer, GoldenPair
    from summeval_pytest.metrics import Score
    from summeval_pytest.verdict import (
        Agreement,
        PairRecord,
        RunRecord,
        SuiteRecord,
        SystemRecord,
        Trust,
    )

_MOST_SENTENCES: Final = 10**6
"""No source has more; what adds up counts of evidence must not run over."""


def implausible(record: RunRecord) -> str:
    """The first thing that no run could have written, in words; empty where there is none."""
    return next(_faults(record), "")


def _faults(record: RunRecord) -> Iterator[str]:
    if not record.suites:
        yield "it holds no suite"
    for suite in record.suites:
        yield from _suite_faults(suite)


def _suite_faults(suite: SuiteRecord) -> Iterator[str]:
    papers = {system.name: set(system.papers) for system in suite.systems}
    if not papers:
        yield f"suite {suite.name!r} has no system"
    for (system, paper), count in Counter((p.system, p.paper) for p in suite.pairs).items():
        if paper not in papers.get(system, ()):
            yield f"{system!r} on {paper!r} is no pair of suite {suite.name!r}"
        if count > 1:
            yield f"{system!r} on {paper!r} is in it {count} times"
    for gated in suite.systems:
        yield from _mean_faults(gated)
    for pair in suite.pairs:
        yield from _pair_faults(pair)
    yield from (f"suite {suite.name!r}: {fault}" for fault in _judge_faults(suite))
    yield from (f"unknown number {name!r}" for name in _named(suite) if name not in CATALOGUE)


def _named(suite: SuiteRecord) -> Iterator[str]:
    """Every name of a number in what was decided."""
    yield from (threshold.name for threshold in suite.thresholds.pair)
    yield from (threshold.name for threshold in suite.thresholds.mean)
    yield from (use.waiver.finding for use in suite.waivers)
    for system in suite.systems:
        yield from (mean.name for mean in system.means)
        if system.comparison is not None:
            yield from (difference.name for difference in system.comparison.differences)
    for pair in suite.pairs:
        yield from (short.name for short in pair.verdict.shortfalls)
        yield from (short.name for short in pair.verdict.waived)


def _mean_faults(system: SystemRecord) -> Iterator[str]:
    for mean in system.means:
        if not mean.n_scored <= mean.n_papers <= len(system.papers):
            yield f"mean {mean.name} of {system.name!r} is over more papers than it has"


def _pair_faults(pair: PairRecord) -> Iterator[str]:
    whose = f"{pair.system!r} on {pair.paper!r}"
    if not pair.scores:
        yield f"{whose} has no score, and no reason for none"
    for score in pair.scores:
        if not isinstance(score, Unscored):
            yield from (f"{whose}: {fault}" for fault in _score_faults(score))
    for text in pair.signatures:
        try:
            read_signature(text)
        except ValueError as error:
            yield f"{whose}: {error}"


def _score_faults(score: Score) -> Iterator[str]:
    if isinstance(score, FaithfulnessScore):
        n_found = sum(sentence.number_conflict for sentence in score.sentences)
        if score.conflicts not in {None, n_found}:
            yield f"{score.conflicts} conflicts are counted, and {n_found} sentences have one"
    else:
        for each in score.by_reference:
            yield from _score_faults(each)
    for rated in score.ratings if isinstance(score, FacetScore) else ():
        if not 1 <= rated.rating <= SCALES[rated.facet]:
            yield f"{rated.facet} is rated {rated.rating} of {SCALES[rated.facet]}"
    for name, value in score.values().items():
        named = CATALOGUE[name]
        if value is not None and not named.low <= value <= named.high:
            yield f"{name} = {value:g} is out of its range, {named.low:g} to {named.high:g}"


def _judge_faults(suite: SuiteRecord) -> Iterator[str]:
    """What is odd about the judge's trust and the golden answers that it comes from."""
    trust, golden = suite.trust, suite.golden
    if trust is not None and not suite.has_labels:
        yield "its judge is measured, and it has no labels"
    if trust is not None and not trust.fault:
        yield from _count_faults(trust, golden)
        yield from _twice(f"agreement {found.name!r}" for found in trust.agreements)
        for found in trust.agreements:
            yield from _agreement_faults(found, trust)
    elif golden or (trust is not None and trust.agreements):
        yield "its judge is not measured, and it has figures or golden answers"
    yield from _twice(map(_whose, golden))
    for pair in golden:
        yield from (f"{_whose(pair)}: {fault}" for fault in _golden_faults(pair))


def _whose(pair: GoldenPair) -> str:
    return f"golden answers on {pair.system!r} on {pair.paper!r}"


def _twice(names: Iterable[str]) -> Iterator[str]:
    yield from (f"{name}: {n} times" for name, n in Counter(names).items() if n > 1)


def _count_faults(trust: Trust, golden: tuple[GoldenPair, ...]) -> Iterator[str]:
    lacking = sum(answer.answer is None for pair in golden for answer in pair.answers)
    n_groups = len({pair.group for pair in golden})
    for what, stated, found in (
        ("labelled pairs", trust.n_pairs, len(golden)),
        ("labelled papers", trust.n_papers, n_groups),
        ("unanswered labels", trust.n_unanswered, lacking),
    ):
        if stated != found:
            yield f"its judge is measured on {stated} {what}, and {found} are in it"
    if not golden:
        yield "its judge is measured, and there is no golden answer in it"


def _golden_faults(pair: GoldenPair) -> Iterator[str]:
    yield from _twice(f"{answer.kind} {answer.index}" for answer in pair.answers)
    for answer in pair.answers:
        if answer.index < 0:
            yield f"{answer.kind} {answer.index} is none"
        yield from _overall_faults(answer) if answer.kind == "overall" else _item_faults(answer)
        yield from _sentence_faults(answer)


def _overall_faults(answer: GoldenAnswer) -> Iterator[str]:
    """The answer is FM; labels have any unit."""
    named, value = CATALOGUE["facet"], answer.answer
    if value is not None and not named.low <= value <= named.high:
        yield f"overall is answered {value:g} of {named.low:g} to {named.high:g}"


def _item_faults(answer: GoldenAnswer) -> Iterator[str]:
    scale = range(1, SCALES[answer.kind] + 1) if answer.kind in FACETS else range(2)
    for what, value in (("labelled", answer.label), ("answered", answer.answer)):
        if value is not None and value not in scale:
            yield f"{answer.kind} is {what} {value:g} of {scale[0]} to {scale[-1]}"


def _sentence_faults(answer: GoldenAnswer) -> Iterator[str]:
    """Errors are of unfaithful sentences, evidence is of faithful ones."""
    is_sentence, found = answer.kind == "sentence", answer.evidence
    if answer.error and not (is_sentence and answer.label == 0):
        yield f"{answer.kind} with the error {answer.error!r} is no unfaithful sentence"
    if found is not None:
        told = f"{found.both} of {found.named} named and {found.labelled} labelled"
        if not is_sentence or not 0 <= found.both <= min(found.named, found.labelled):
            yield f"{answer.kind} has evidence {told}"
        if max(found.named, found.labelled) > _MOST_SENTENCES:
            yield f"{answer.kind} has evidence {told}, more than a source has sentences"


def _agreement_faults(found: Agreement, trust: Trust) -> Iterator[str]:
    try:
        named = named_agreement(found.name)
    except KeyError:
        yield f"unknown agreement {found.name!r}"
        return
    least = (floor.least for floor in found.floors)
    for value in (found.value, found.low, found.high, *least):
        if value is not None and not named.low <= value <= named.high:
            yield f"{found.name} = {value:g} is out of its range, {named.low:g} to {named.high:g}"
    yield from (
        f"floor {floor.name!r} is set on {found.name!r}"
        for floor in found.floors
        if floor.name != found.name
    )
    if found.n_items < 0 or not 0 <= found.n_papers <= trust.n_papers:
        yield f"{found.name} stands on {found.n_items} items of {found.n_papers} papers"
