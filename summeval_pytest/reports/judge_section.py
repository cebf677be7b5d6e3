"""Trust in the judge as text, shared by all reports.

No figure is printed so that it seems to reach a floor that it misses.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from summeval_pytest.questions import OFFLINE
from summeval_pytest.reports.wording import beside
from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
from summeval_pytest.text.printing import one_line, safe_lines
from summeval_pytest.verdict.policy import RECALL, named_agreement
from summeval_pytest.verdict.run import RunVerdict, SuiteRecord
from summeval_pytest.verdict.thresholds import Bound, Threshold
from summeval_pytest.verdict.trust import (
    Agreement,
    Disagreement,
    JudgeAgreement,
    MoreLabels,
    confusions,
    worst_disagreements,
)

UNCALIBRATED: Final = "agreement with people unknown, the suite has no labels"
UNMEASURED: Final = "agreement with labels not measured in this run"
UNTRUSTED: Final = "UNTRUSTED"
UNDEFINED: Final = "undefined"
MARK: Final = "The judge is untrusted. Do not rely on these verdicts."
"""The mark beside the verdicts of a judge that misses a floor."""
_NAME: Final = 80
_LINE: Final = 200
_QUOTE: Final = 400
_WHOSE: Final = {
    "sentence": ("summary", "source"),
    "reference fact": ("fact", "summary"),
    "candidate fact": ("fact", "reference"),
}
"""Which text an answer is about, and which text it is compared with; facets are left out."""
_MOST: Final = 6
"""Missed floors that one clause names; tables have them all."""
_MANY: Final = 1000
"""A larger number of labels is no use: the estimate will have moved by then."""


def trust_phrase(trust: JudgeAgreement | None, *, has_labels: bool | None) -> str:
    """What is known of a judge, in one clause."""
    if trust is None:
        return UNCALIBRATED if has_labels is False else UNMEASURED
    if trust.fault:
        fault = trust.fault.removeprefix("agreement with the labels was not measured: ")
        return f"agreement with labels not measured: {one_line(fault)}"
    left_out = f", {trust.n_left_out} facets left out that it does not find in the reference"
    labels = f"({trust.n_pairs} labelled pairs, {trust.n_papers} papers"
    labels += f"{left_out if trust.n_left_out else ''}){_false_passes(trust)}"
    for figure in trust.untested:
        labels += f"; {one_line(figure.name, _NAME)} is not defined: {figure.unvaried}"
    if not trust.n_floors:
        other = f" for it, only for {one_line(trust.floors_of)}" if trust.floors_of else ""
        state = "can be tested" if trust.untested else f"is set{other}"
        return f"agreement measured, no floor {state} {labels}"
    if trust.is_untrusted:
        return f"{missed_floors(trust)} {labels}"
    if trust.undecided:
        return f"{one_line(trust.undecided)} {labels}"
    whose = f" for {one_line(trust.floors_of)}" if trust.floors_of else ""
    many = f"all {trust.n_floors} agreement floors"
    return f"meets {'the agreement floor' if trust.n_floors == 1 else many}{whose} {labels}"


def _false_passes(trust: JudgeAgreement) -> str:
    """The share of unfaithful sentences that the judge accepts; empty where it is unknown."""
    recall = next((each for each in trust.agreements if each.name == RECALL), None)
    if recall is None or recall.value is None or recall.low is None or recall.high is None:
        return ""
    low, high = 1 - recall.high, 1 - recall.low
    return f"; it accepts {1 - recall.value:.0%} of unfaithful sentences [{low:.0%}, {high:.0%}]"


FIGURES_STOPPED: Final = (10, 12)
OTHERS_STOPPED: Final = (5, 48)
"""Of the summaries of ``tests/one_error`` with an error in a number or unit, and with another one:
how many the thresholds stop that `summeval init` writes for the embedded judge, and of how many."""


def blind_lines(judge: str) -> Iterator[str]:
    """What the embedded judge overlooks, in figures; nothing for any other judge."""
    if judge != OFFLINE:
        return
    (n, of), (n_others, of_others) = FIGURES_STOPPED, OTHERS_STOPPED
    yield from safe_lines(
        f"judge {OFFLINE} is a smoke test and cannot decide about a release: of {of + of_others}"
        f" unseen summaries with one error, its default thresholds stop {n + n_others}"
        f" ({n} of {of} in a number or unit, {n_others} of {of_others} others)"
    )


def judge_lines(
    trust: JudgeAgreement | None, golden: Sequence[GoldenPair], *, has_labels: bool, of: str = ""
) -> Iterator[str]:
    """The judge at the end of a run, and what an untrusted one gets wrong; ``of`` is its suite."""
    yield from trust_lines(trust_phrase(trust, has_labels=has_labels), of, open_floors(trust))
    if trust is not None and trust.is_untrusted:
        yield from untrusted_lines(trust, golden)


def trust_lines(phrase: str, of: str = "", still_open: Sequence[str] = ()) -> Iterator[str]:
    """The judge's line at the end of a run, with the first of the floors ``still_open``."""
    more = "; see 'summeval agree'" if phrase == UNMEASURED else ""
    yield from safe_lines(f"judge{of}: {phrase}{more}")
    for line in still_open[:1]:
        yield from safe_lines(f"  {line}", indent=4)
    if n_others := len(still_open) - len(still_open[:1]):
        floors = "floor is" if n_others == 1 else "floors are"
        line = f"{n_others} more {floors} too close to call (the run record lists them)."
        yield from safe_lines(f"  {line}", indent=4)


def trust_of(suite: SuiteRecord) -> str:
    """What is known of the judge of one suite's run, in one clause."""
    return trust_phrase(suite.trust, has_labels=bool(suite.labels))


def trust_of_run(record: RunVerdict) -> str:
    """What is known of the judge of a run; with several suites, each with its name."""
    if len(record.suites) == 1:
        return trust_of(record.suites[0])
    return "; ".join(f"{suite.name}: {trust_of(suite)}" for suite in record.suites)


def missed_floors(trust: JudgeAgreement) -> str:
    """The floors that an untrusted judge misses, six at most."""
    missed = [short_of_floor(agreement, floor) for agreement, floor in trust.missed]
    more = f"; {len(missed) - _MOST:,} more" if len(missed) > _MOST else ""
    return f"{UNTRUSTED}: {'; '.join(missed[:_MOST])}{more}"


def short_of_floor(agreement: Agreement, floor: Threshold) -> str:
    """A figure and the floor that it misses."""
    value = floor.compared(agreement.value, agreement.low)
    text = UNDEFINED if value is None else beside(value, (floor.least,), 2)
    return f"{one_line(floor.title, _NAME)} {text} < {floor.least:g}"


def value_of(agreement: Agreement, digits: int = 3) -> str:
    """A figure as text, which never looks as if it reached a floor that it misses."""
    if agreement.value is None:
        return UNDEFINED
    return beside(agreement.value, _least(agreement, "point"), digits)


def interval_of(agreement: Agreement) -> str:
    """Its interval as text; empty where it has none."""
    if agreement.low is None or agreement.high is None:
        return ""
    return f"{beside(agreement.low, _least(agreement, 'lower'), 2)} to {agreement.high:.2f}"


def _least(agreement: Agreement, bound: Bound) -> tuple[float, ...]:
    return tuple(floor.least for floor in agreement.floors if floor.bound == bound)


def describe_trust(trust: JudgeAgreement) -> str:
    """Why a judge is not trusted: the missed floors on one line, then every figure."""
    lines = [missed_floors(trust), f"judge {one_line(trust.judge)}", ""]
    return "\n".join([*lines, *agreement_lines(trust.agreements)])


def agreement_lines(agreements: Iterable[Agreement]) -> Iterator[str]:
    """The figures as a table: value, interval over papers, items, papers, floor."""
    rows = [(one_line(figure.name, _NAME), figure) for figure in agreements]
    width = max([len("agreement"), *(len(name) for name, _ in rows)]) + 1
    counts = f"{'items':>7}{'papers':>7}"
    yield f"{'agreement':<{width}}{'value':>6}  {'95 % interval':<14}{counts}  floor"
    for name, figure in rows:
        floors = ", ".join(
            f"{'' if floor.bound == 'point' else 'lower bound '}at least {floor.least:g}"
            f"{', missed' if floor in figure.missed else ''}"
            for floor in figure.floors
        )
        value = f"{name:<{width}}{value_of(figure, 2):>6}  {interval_of(figure):<14}"
        yield f"{value}{figure.n_items:>7,}{figure.n_papers:>7,}  {floors}".rstrip()
        yield from (f"  {sentence}" for sentence in deciding(figure))


def deciding(agreement: Agreement) -> Iterator[str]:
    """How many labels would decide each floor that is too close to call."""
    yield from (f"Floor {more.least:g} is too close. {_needed(more)}" for more in agreement.more)


def _needed(more: MoreLabels) -> str:
    if more.n_pairs is None and more.n_papers:
        return "It has no interval, so label pairs of more papers."
    if more.n_pairs is None:
        return "It equals the value, so more labels cannot decide."
    if more.n_pairs > _MANY:
        return f"Label more than {_MANY:,} more pairs to be sure."
    pairs = "pair" if more.n_pairs == 1 else "pairs"
    papers = "paper" if more.n_papers == 1 else "papers"
    return f"Label about {more.n_pairs:,} more {pairs} ({more.n_papers:,} {papers}) to be sure."


def open_floors(trust: JudgeAgreement | None) -> list[str]:
    """The figures with such floors, those that need the fewest labels first."""
    agreements = trust.agreements if trust is not None else ()
    close = [(each, more) for each in agreements for more in each.more]
    close.sort(key=lambda of: math.inf if of[1].n_pairs is None else of[1].n_pairs)
    return [
        f"{one_line(each.name, _NAME)} {value_of(each, 2)} is too close to its floor"
        f" {more.least:g}. {_needed(more)}"
        for each, more in close
    ]


def untrusted_lines(trust: JudgeAgreement, golden: Sequence[GoldenPair]) -> Iterator[str]:
    """What an untrusted judge gets wrong: missed floors, confusion matrices, the worst cases."""
    yield from safe_lines(f"{UNTRUSTED}: {MARK}")
    for agreement, floor in trust.missed:
        meaning = named_agreement(floor.name).meaning
        yield f"  {one_line(f'{short_of_floor(agreement, floor)} ({meaning})', _LINE)}"
    for confusion in confusions(golden):
        first = max(len("label"), *map(len, confusion.categories)) + 2
        wide = max(6, *(len(name) + 2 for name in confusion.categories))
        yield f"{confusion.of}: label in rows, judge in columns"
        yield " " * (first + 2) + "".join(f"{name:>{wide}}" for name in confusion.categories)
        for name, row in zip(confusion.categories, confusion.table, strict=True):
            yield f"  {name:<{first}}{''.join(f'{count:>{wide},}' for count in row)}"
    if worst := worst_disagreements(golden):
        yield f"worst disagreements ({len(worst)}):"
    for number, each in enumerate(worst, start=1):
        label, given = (verdict_of(each.answer, v) for v in (each.answer.label, each.answer.answer))
        yield one_line(f"{number}. {described(each)}: label {label}, judge {given}", _LINE)
        yield from evidence_lines(each.answer, 10)


def evidence_lines(answer: GoldenAnswer, width: int, when: str = "") -> Iterator[str]:
    """Both texts of an answer and its reason, ``width`` characters for their labels.

    ``when`` says which of two answers gives the reason.
    """
    for whose, text in evidence_of(answer):
        if text.strip():
            label = f"{whose}{when}" if whose == "reason" else whose
            yield from safe_lines(f"   {label:<{width}}{one_line(text, _QUOTE)}", indent=width + 3)


def described(each: Disagreement) -> str:
    """What a disagreement is about: the pair, the facet, sentence or fact, the kind of error."""
    answer = each.answer
    facts = {"reference fact": "fact of the reference", "candidate fact": "fact of the summary"}
    is_sentence = answer.kind == "sentence"
    what = f"sentence {answer.index + 1}" if is_sentence else facts.get(answer.kind, answer.kind)
    error = f" ({answer.error})" if answer.error else ""
    return f"{each.system} on {each.paper}, {what}{error}"


def evidence_of(answer: GoldenAnswer) -> tuple[tuple[str, str], ...]:
    """Both texts of an answer and its reason, each with whose text it is."""
    one, other = _WHOSE.get(answer.kind, ("summary", "reference"))
    return (one, answer.text), (other, answer.against), ("reason", answer.reason)


def verdict_of(answer: GoldenAnswer, value: float | None) -> str:
    """A label, or a judge's answer, in words."""
    if value is None:
        return "none"
    if answer.kind == "sentence":
        return "faithful" if value else "unfaithful"
    if answer.kind in _WHOSE:
        return "holds" if value else "does not hold"
    return f"{value:.3f}" if answer.kind == "overall" else f"{value:g}"
