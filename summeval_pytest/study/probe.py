"""`summeval probe`: try a judge with edited texts whose effect is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from summeval_pytest.cli.parameters import JUDGING, names_in, opened, with_options
from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS
from summeval_pytest.options import Options
from summeval_pytest.run.pair_numbers import MIN_COVERAGE, Numbers
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.study.edits import (
    ATTACKS,
    Attack,
    Edit,
    add_irrelevant,
    change_number,
    drop_qualifier,
    move_sentence,
    repeat_sentence,
    truncate,
)
from summeval_pytest.study.recorded_judge import RecordedJudge
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import Pair, Paper
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.reading import normalise

Probe = tuple[Task, Task, Edit]
"""What is measured before an edit and after it, and the edit."""

Direction = Literal["equal", "no higher", "lower", "higher", "at least", "stays full"]
Group = Literal["metamorphic", "hostile"]

SLACK: Final = 0.05
"""What a number may move although it should not: one fact of twenty.

One sentence of up to nineteen is more, and so is one point of a method, a result or a conclusion.
"""
UNMOVED: Final = 1.0
"""Least share of papers on which a number that must not move does not."""
NOTICED: Final = 0.9
"""Least share of papers on which what was changed is noticed."""
FULL: Final = 0.95
"""What a text has to reach that is measured against itself."""
_ROUNDING: Final = 1e-9
_BROKEN: Final = 10
"""So many papers with a broken relation are shown."""


class Expectation(NamedTuple):
    """How one number must move.

    "equal" and "no higher" allow a move of ``amount``, in the unit of the number; "lower" and
    "higher" ask for any move; "at least" asks both values to reach ``amount``; "stays full" asks
    nothing of a value under the number's highest, and else allows ``amount``.
    """

    number: str
    direction: Direction
    amount: float = 0.0

    def is_met(self, was: float, is_: float) -> bool:
        """Whether the number moved so."""
        move, slack = is_ - was, self.amount + _ROUNDING
        full = CATALOGUE[self.number].high
        return {
            "equal": abs(move) <= slack,
            "no higher": move <= slack,
            "lower": -move > slack,
            "higher": move > slack,
            "at least": min(was, is_) >= self.amount - _ROUNDING,
            "stays full": was < full - _ROUNDING or is_ >= full - slack,
        }[self.direction]

    def broken(self, was: float, is_: float) -> str:
        """What is wrong with such a move, in a few words."""
        amount = f" {self.amount:g}" if self.direction == "at least" else ""
        return f"{self.number} {was:.3f} -> {is_:.3f}, expected {self.direction}{amount}"


class EditRelation(NamedTuple):
    """How numbers must move between a base summary and its edit.

    Both are measured against the paper's reference. Where ``is_swapped``, the edit is measured
    against the base summary and the base summary against the edit. Of the "hostile" group the base
    summary is that of another paper.

    Attributes:
        edit: From a summary and the paper's source to the edit; None where they offer none.
        expectations: How the numbers must move; the first is what the relation is about.
        floor: Least share of papers on which all of them hold, 0 to 1.
    """

    meaning: str
    edit: Callable[[str, str], Edit | None]
    expectations: tuple[Expectation, ...]
    floor: float = NOTICED
    group: Group = "metamorphic"
    is_swapped: bool = False


def _expected(text: str) -> tuple[Expectation, ...]:
    """Expectations of a text: ``facet no higher 0.05, eva.precision lower``."""
    expectations = []
    for part in text.split(","):
        number, *direction = part.split()
        amount = float(direction.pop()) if direction[-1][0].isdigit() else 0.0
        expectations.append(Expectation(number, " ".join(direction), amount))  # type: ignore[arg-type]
    return tuple(expectations)


_SAME: Final = f"facet equal {SLACK}, eva equal {SLACK}, faithfulness equal {SLACK}"
"""Of a text that says what it said."""
_RELATIONS: Final = {
    "identity": EditRelation(
        "a text gets the same numbers twice, and nearly full scores against itself",
        lambda summary, _: Edit(text=normalise(summary)),
        _expected(f"facet at least {FULL}, eva at least {FULL}, {_SAME}"),
        UNMOVED,
    ),
    "sentence-order": EditRelation(
        "a sentence that is moved changes no number",
        lambda summary, _: move_sentence(summary),
        _expected(_SAME),
        UNMOVED,
    ),
    "duplicated-sentence": EditRelation(
        "a sentence said twice raises no number",
        lambda summary, _: repeat_sentence(summary),
        _expected(f"facet no higher {SLACK}, eva no higher {SLACK}, faithfulness stays full"),
        UNMOVED,
    ),
    "irrelevant-sentence": EditRelation(
        "a sentence from elsewhere is unsupported",
        add_irrelevant,
        _expected(f"faithfulness lower, eva.precision lower, facet no higher {SLACK}"),
    ),
    "number-edit": EditRelation(
        "a sentence with a wrong figure is unsupported",
        change_number,
        _expected(f"faithfulness lower, facet no higher {SLACK}, eva no higher {SLACK}"),
    ),
    "dropped-qualifier": EditRelation(
        "a sentence that claims more than the source is unsupported",
        drop_qualifier,
        _expected(f"faithfulness lower, facet no higher {SLACK}, eva no higher {SLACK}"),
    ),
    "swapped": EditRelation(
        "a text against its half states more than that, and all of it",
        lambda summary, _: truncate(summary),
        _expected("eva.precision lower, eva.recall_entailed higher"),
        is_swapped=True,
    ),
    "truncated": EditRelation(
        "half a summary covers less and is no less faithful",
        lambda summary, _: truncate(summary),
        _expected(
            "facet lower, eva.recall lower, eva.recall_entailed lower, faithfulness stays full"
        ),
    ),
}

GAIN: Final = 0.15
"""What a text may gain by being longer and sharing words with the paper, in the unit of the number.

A judge that obeys the injected instruction gains more: one facet from the lowest rating to the full
one is at least 0.2 of FM, but for the background.
"""
_NUMBERS: Final = (
    "facet", "eva", "eva.precision", "eva.recall", "eva.recall_entailed", "faithfulness",
)  # fmt: skip


def _hostile(attack: Attack) -> EditRelation:
    """The relation of an attack; invisible characters may change nothing at all."""

    def edit(summary: str, _: str) -> Edit | None:
        text = attack.attack(summary)
        return None if text == summary else Edit(text=text, after=attack.meaning)

    move = "equal" if attack.is_invisible else f"no higher {GAIN}"
    expected = _expected(", ".join(f"{number} {move}" for number in _NUMBERS))
    return EditRelation(attack.meaning, edit, expected, UNMOVED, "hostile")


RELATIONS: Final[Mapping[str, EditRelation]] = MappingProxyType(
    {**_RELATIONS, **{name: _hostile(attack) for name, attack in ATTACKS.items()}}
)
"""By name, in the order in which they are reported."""
MOST: Final = 40
"""Papers that a relation is tried on: of more, so many that lie evenly in the suite's order."""


def probes_of(suite: Suite, relation: EditRelation) -> Iterator[Probe]:
    """One relation on each paper that offers the edit, in the order of the suite.

    The base summary is the paper's own first reference; of a hostile relation, the next paper's,
    about which everything is wrong.
    """
    is_hostile = relation.group == "hostile"
    needed = {CATALOGUE[expectation.number].metric for expectation in relation.expectations}
    metrics = tuple(metric for metric in METRICS if metric in needed)
    papers = suite.paper_ids
    if len(papers) > MOST:
        papers = tuple(papers[place * len(papers) // MOST] for place in range(MOST))
    for place, paper_id in enumerate(papers):
        base_id = papers[(place + 1) % len(papers)] if is_hostile else paper_id
        if is_hostile and base_id == paper_id:
            continue
        paper, summary = suite.paper(paper_id), suite.paper(base_id).references[0]
        edit = relation.edit(summary, " ".join(section.text for section in paper.source))
        if edit is not None:
            reference = paper.references[0]
            sides = [(summary, reference), (edit.text, reference)]
            if relation.is_swapped:
                sides = [(edit.text, summary), (summary, edit.text)]
            before, after = (
                Task(
                    suite=suite,
                    paper=paper_id,
                    system=relation.group,
                    metrics=metrics,
                    pair=probed_pair(paper, relation.group, candidate, against),
                )
                for candidate, against in sides
            )
            yield before, after, edit


def probed_pair(paper: Paper, group: str, summary: str, reference: str) -> Pair:
    """A summary of a paper, to be measured against one reference.

    Reviewed facets and facts belong to the paper's references, not to another one.
    """
    if reference not in paper.references:
        paper = replace(paper, reference_facets=None, reference_facts=None)
    paper = replace(paper, references=(reference,))
    return Pair(paper=paper, system=group, summary=summary, place=paper.place)


class Check(NamedTuple):
    """One relation on one paper.

    It holds where all that was measured moved as expected; None where nothing of it was measured,
    or the judge left a part of it without a number and nothing is broken. ``broken`` are the
    numbers that did not move as they must, in words; ``unanswered`` is what the judge left without
    a number, and why.
    """

    paper: str
    holds: bool | None
    broken: tuple[str, ...] = ()
    edit: str = ""
    unanswered: tuple[str, ...] = ()


def check(relation: EditRelation, *, before: Numbers, after: Numbers, edit: Edit) -> Check:
    """Compare what was measured on one paper with what a relation expects.

    A number of a metric that nobody measured is not demanded. One that the judge owes is neither
    kept nor broken, and keeps the relation from holding; what else is broken stays broken.
    """
    broken, n_measured, owed = [], 0, dict[str, None]()
    for each in relation.expectations:
        was, is_ = before.values.get(each.number), after.values.get(each.number)
        if was is not None and is_ is not None:
            n_measured += 1
            broken += [] if each.is_met(was, is_) else [each.broken(was, is_)]
        for numbers in (before, after):
            lack = numbers.why_unscored(CATALOGUE[each.number].metric)
            if lack is not None and lack.fault == "judge":
                owed[f"{lack.metric}: {lack.status}, {one_line(lack.reason)}"] = None
            elif lack is None and numbers.values.get(each.number, 0.0) is None:
                owed[f"{each.number}: no number"] = None
    holds = False if broken else None if owed or not n_measured else True
    return Check(before.paper, holds, tuple(broken), edit.words, tuple(owed))


RelationState = Literal["passes", "fails", "unanswered", "nothing to check"]


def state_of(checks: Sequence[Check], floor: float) -> RelationState:
    """The verdict on a relation that has to hold on a share of the decided papers.

    "unanswered" where more than 5 % of the papers are the judge's to answer, or the relation would
    not hold often enough if it were broken on these.
    """
    n_kept = sum(check.holds is True for check in checks)
    n_decided = sum(check.holds is not None for check in checks)
    n_papers = n_decided + sum(c.holds is None and bool(c.unanswered) for c in checks)
    if not n_papers:
        return "nothing to check"
    if n_decided < MIN_COVERAGE * n_papers:
        return "unanswered"
    if n_kept < floor * n_decided - _ROUNDING:
        return "fails"
    return "passes" if n_kept >= floor * n_papers - _ROUNDING else "unanswered"


def relation_lines(name: str, relation: EditRelation, checks: Sequence[Check]) -> Iterator[str]:
    """How often a judge keeps a relation, and the papers on which it breaks it."""
    broken = sorted(check for check in checks if check.holds is False)
    n_kept = sum(check.holds is True for check in checks)
    text = f"{name}: no paper offers the edit"
    if n_kept or broken:
        text = f"{name}: holds on {n_kept} of {n_kept + len(broken)} papers"
        if n_unanswered := sum(c.holds is None and bool(c.unanswered) for c in checks):
            text += f", {n_unanswered} unanswered"
        if state_of(checks, relation.floor) == "fails":
            text += f", at least {relation.floor:.0%} wanted"
    yield one_line(text)
    if broken:
        yield f"  wanted: {relation.meaning}"
    for each in broken[:_BROKEN]:
        yield f"  {one_line(f'{each.paper}: {each.edit}', 200)}"
        yield from (f"    {one_line(number)}" for number in each.broken)
    if len(broken) > _BROKEN:
        yield f"  and {len(broken) - _BROKEN} more papers"


@with_options(*JUDGING)
def probe(
    suite: Path,
    /,
    *,
    relation: tuple[str, ...] = (),
    options: Options,
) -> tuple[list[str], bool]:
    """The relations that the judge keeps and breaks, and whether it keeps all that were decided.

    It keeps none where no paper offers an edit.

    Args:
        relation: only these relations, or a group: metamorphic, hostile (repeat, or commas)
    """
    known = {"metamorphic", "hostile", *RELATIONS}
    names = names_in(relation, "--relation", known, "no relation")
    chosen = {
        name: each for name, each in RELATIONS.items() if not names or {each.group, name} & {*names}
    }
    loaded, session = opened(suite, options)
    judge = session.terms.judge_name
    if isinstance(session.judge_spec(judge, [loaded]), RecordedJudge):
        raise OptionError(
            f"probe edits texts, and judge {judge!r} knows recorded ones only; name another judge"
        )
    lines, states = list[str](), set[RelationState]()
    with closing(Runner(session.judge(judge, [loaded]), finish=session.replies.finish)) as runner:
        for name, each in chosen.items():
            probes = list(probes_of(loaded, each))
            numbers = runner.numbers([task for *sides, _ in probes for task in sides])
            checks = [
                check(each, before=before, after=after, edit=edit)
                for before, after, (*_, edit) in zip(
                    numbers[::2], numbers[1::2], probes, strict=True
                )
            ]
            lines += relation_lines(name, each, checks)
            states.add(state_of(checks, each.floor))
    session.replies.forget_run()
    if states == {"nothing to check"}:
        lines.append("nothing was checked; add papers, or choose other relations")
    return lines, "passes" in states and states <= {"passes", "nothing to check"}
