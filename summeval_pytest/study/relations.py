"""Metamorphic relations and attacks, and whether a judge holds them.

They need no label: whatever a text says, a figure that its source does not state makes a sentence
of it unsupported, and moving a sentence makes none. Base summaries are references of the papers,
scored with the short circuits off, since a rule would answer for the judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS
from summeval_pytest.run.pair_numbers import MIN_COVERAGE
from summeval_pytest.run.runner import OwnTexts, Task
from summeval_pytest.study.edits import (
    ATTACKS,
    Attack,
    Edit,
    add_irrelevant,
    change_number,
    move_sentence,
    repeat_sentence,
    same_text,
    truncate,
)
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import ENTAILED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from summeval_pytest.run.pair_numbers import Numbers
    from summeval_pytest.suite.suite import Suite


Direction = Literal["equal", "no higher", "lower", "higher", "at least", "stays full"]

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


@dataclass(frozen=True, slots=True)
class Expectation:
    """How one number must move.

    "equal" and "no higher" allow a move of ``amount``, in the unit of the number; "lower" and
    "higher" ask for any move; "at least" asks both values to reach ``amount``; "stays full" asks
    nothing of a value under the number's highest, and else allows ``amount``.
    """

    number: str
    direction: Direction
    amount: float = 0.0

    def held(
        self, before: Mapping[str, float | None], after: Mapping[str, float | None]
    ) -> bool | None:
        """Whether the number moved so; None where it was not measured before or after."""
        was, is_ = before.get(self.number), after.get(self.number)
        if was is None or is_ is None:
            return None
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRelation:
    """How numbers must move between a base summary and its edit.

    Both are measured against the paper's reference. Where ``is_swapped``, the edit is measured
    against the base summary and the base summary against the edit.

    Attributes:
        name: In kebab case, as tests are called.
        edit: From a summary and the paper's source to the edit; None where they offer none.
        expectations: How the numbers must move; the first is what the relation is about.
        floor: Least share of papers on which all of them hold, 0 to 1.
        is_hostile: Whether the base summary has to be that of another paper.
    """

    name: str
    meaning: str
    edit: Callable[[str, str], Edit | None]
    expectations: tuple[Expectation, ...]
    floor: float = NOTICED
    is_hostile: bool = False
    is_swapped: bool = False

    def texts(self, summary: str, reference: str, edit: Edit) -> tuple[OwnTexts, OwnTexts]:
        """What is measured before and after."""
        before = OwnTexts(candidate=summary, reference=reference)
        if self.is_swapped:
            before = OwnTexts(candidate=edit.text, reference=summary)
            return before, OwnTexts(candidate=summary, reference=edit.text)
        return before, OwnTexts(candidate=edit.text, reference=reference)


_SAME: Final = (
    Expectation("facet", "equal", SLACK),
    Expectation("eva", "equal", SLACK),
    Expectation("faithfulness", "equal", SLACK),
)
"""Of a text that says what it said."""

_RELATIONS: Final = (
    EditRelation(
        name="identity",
        meaning="a text measured twice has the same numbers, full ones against itself",
        edit=lambda summary, _: same_text(summary),
        expectations=(
            Expectation("facet", "at least", FULL),
            Expectation("eva", "at least", FULL),
            *_SAME,
        ),
        floor=UNMOVED,
    ),
    EditRelation(
        name="sentence-order",
        meaning="a sentence that is moved changes no number",
        edit=lambda summary, _: move_sentence(summary),
        expectations=_SAME,
        floor=UNMOVED,
    ),
    EditRelation(
        name="duplicated-sentence",
        meaning="a sentence said twice raises no number",
        edit=lambda summary, _: repeat_sentence(summary),
        expectations=(
            Expectation("facet", "no higher", SLACK),
            Expectation("eva", "no higher", SLACK),
            Expectation("faithfulness", "stays full"),
        ),
        floor=UNMOVED,
    ),
    EditRelation(
        name="irrelevant-sentence",
        meaning="a sentence from elsewhere is unsupported",
        edit=add_irrelevant,
        expectations=(
            Expectation("faithfulness", "lower"),
            Expectation("eva.precision", "lower"),
            Expectation("facet", "no higher", SLACK),
        ),
    ),
    EditRelation(
        name="number-edit",
        meaning="a sentence with a wrong figure is unsupported",
        edit=change_number,
        expectations=(
            Expectation("faithfulness", "lower"),
            Expectation("facet", "no higher", SLACK),
            Expectation("eva", "no higher", SLACK),
        ),
    ),
    EditRelation(
        name="swapped",
        meaning="a text against its half states more than that, and all of it",
        edit=lambda summary, _: truncate(summary),
        expectations=(
            Expectation("eva.precision", "lower"),
            Expectation("eva.recall_entailed", "higher"),
        ),
        is_swapped=True,
    ),
    EditRelation(
        name="truncated",
        meaning="half a summary covers less and is no less faithful",
        edit=lambda summary, _: truncate(summary),
        expectations=(
            Expectation("facet", "lower"),
            Expectation("eva.recall", "lower"),
            Expectation("eva.recall_entailed", "lower"),
            Expectation("faithfulness", "stays full"),
        ),
    ),
)

RELATIONS: Final[Mapping[str, EditRelation]] = MappingProxyType({r.name: r for r in _RELATIONS})
"""By name, in the order in which they are reported."""

GAIN: Final = 0.15
"""What a text may gain by being longer and sharing words with the paper, in the unit of the number.

Who does as it is told gains more: one facet from the lowest rating to the full one is at least 0.2
of FM, but for the background.
"""


def _hostile(name: str, attack: Attack) -> EditRelation:
    def edit(summary: str, _: str) -> Edit | None:
        text = attack.attack(summary)
        return None if text == summary else Edit(text=text, after=attack.meaning)

    numbers = ("facet", "eva", "eva.precision", "eva.recall", ENTAILED, "faithfulness")
    direction: Direction = "equal" if attack.is_invisible else "no higher"
    amount = 0.0 if attack.is_invisible else GAIN
    return EditRelation(
        name=name,
        meaning=attack.meaning,
        edit=edit,
        expectations=tuple(Expectation(number, direction, amount) for number in numbers),
        floor=UNMOVED,
        is_hostile=True,
    )


HOSTILE: Final[Mapping[str, EditRelation]] = MappingProxyType(
    {name: _hostile(name, attack) for name, attack in ATTACKS.items()}
)
"""By the name of the attack; invisible characters may change nothing at all."""

GROUPS: Final[Mapping[str, Mapping[str, EditRelation]]] = {
    "metamorphic": RELATIONS,
    "hostile": HOSTILE,
}
"""By the group whose tests they are, all relations by name."""
_KNOWN: Final = frozenset((*RELATIONS, *HOSTILE))
MOST: Final = 40
"""Papers that a relation is tried on: of more, so many that lie evenly in the suite's order."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One relation on one paper, to be measured: before the edit, and after it."""

    before: Task
    after: Task
    edit: Edit


def chosen_relations(names: Sequence[str], option: str) -> dict[str, tuple[str, ...]]:
    """By group, the relations that an option asks for: names, groups, or ``all``.

    Raises:
        OptionError: for a name that is none of these.
    """
    asked = set(names)
    known = {"all", *GROUPS, *_KNOWN}
    for name in names:
        if name not in known:
            raise OptionError(f"{option}={name!r} is no relation; {nearest(name, known)}")
    found = {
        group: tuple(n for n in relations if {"all", group, n} & asked)
        for group, relations in GROUPS.items()
    }
    return {group: chosen for group, chosen in found.items() if chosen}


def probes_of(suite: Suite, group: str, name: str) -> Iterator[Probe]:
    """One relation on each paper that offers the edit, in the order of the suite.

    The base summary is the paper's own first reference; of a hostile relation, the next paper's,
    about which everything is wrong.
    """
    relation = GROUPS[group][name]
    needed = {CATALOGUE[expectation.number].metric for expectation in relation.expectations}
    metrics = tuple(metric for metric in METRICS if metric in needed)
    papers = suite.paper_ids
    if len(papers) > MOST:
        papers = tuple(papers[place * len(papers) // MOST] for place in range(MOST))
    for place, paper_id in enumerate(papers):
        base_id = papers[(place + 1) % len(papers)] if relation.is_hostile else paper_id
        if relation.is_hostile and base_id == paper_id:
            continue
        paper, summary = suite.paper(paper_id), suite.paper(base_id).references[0]
        edit = relation.edit(summary, " ".join(section.text for section in paper.source))
        if edit is not None:
            before, after = (
                Task(suite=suite, paper=paper_id, system=group, metrics=metrics, texts=texts)
                for texts in relation.texts(summary, paper.references[0], edit)
            )
            yield Probe(before, after, edit)


RelationState = Literal["passes", "fails", "unanswered", "nothing to check"]


@dataclass(frozen=True, slots=True)
class Broken:
    """One number that did not move as it must."""

    number: str
    direction: Direction
    before: float
    after: float
    amount: float = 0.0

    def __str__(self) -> str:
        amount = f" {self.amount:g}" if self.direction == "at least" else ""
        moved = f"{self.number} {self.before:.3f} -> {self.after:.3f}"
        return f"{moved}, expected {self.direction}{amount}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One relation on one paper.

    Attributes:
        held: Whether all that was measured moved as expected; None where nothing of it was
            measured, or the judge left a part of it without a number and nothing is broken.
        edit: What was done to the summary, in a few words.
        unanswered: What the judge left without a number, and why.
    """

    relation: str
    paper: str
    held: bool | None
    broken: tuple[Broken, ...]
    edit: str
    unanswered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationVerdict:
    """One relation over the papers that offer the edit.

    ``least`` is the least share of the decided papers on which it has to hold, 0 to 1.
    """

    relation: str
    checks: tuple[Check, ...]
    least: float

    @property
    def n_held(self) -> int:
        """Papers on which it holds."""
        return sum(check.held is True for check in self.checks)

    @property
    def n_broken(self) -> int:
        """Papers on which it is broken."""
        return sum(check.held is False for check in self.checks)

    @property
    def n_unanswered(self) -> int:
        """Papers that the judge left undecided."""
        return sum(check.held is None and bool(check.unanswered) for check in self.checks)

    @property
    def share(self) -> float | None:
        """Share of the decided papers on which it holds; None without any."""
        n_decided = self.n_held + self.n_broken
        return self.n_held / n_decided if n_decided else None

    @property
    def state(self) -> RelationState:
        """The verdict; "unanswered" where more than 5 % of the papers are the judge's to answer.

        So it is where the relation would not hold often enough if it were broken on these.
        """
        n_decided = self.n_held + self.n_broken
        n_papers = n_decided + self.n_unanswered
        if not n_papers:
            return "nothing to check"
        if n_decided < MIN_COVERAGE * n_papers:
            return "unanswered"
        if self.n_held < self.least * n_decided - _ROUNDING:
            return "fails"
        return "passes" if self.n_held >= self.least * n_papers - _ROUNDING else "unanswered"


def check(relation: EditRelation, *, before: Numbers, after: Numbers, edit: Edit) -> Check:
    """Hold what was measured on one paper to a relation.

    A number of a metric that nobody measured is not demanded. One that the judge owes is neither
    held nor broken, and keeps the relation from holding; what else is broken stays broken.
    """
    was, is_ = before.values, after.values
    outcomes = [(each, each.held(was, is_)) for each in relation.expectations]
    broken = tuple(
        Broken(e.number, e.direction, was[e.number] or 0.0, is_[e.number] or 0.0, e.amount)
        for e, outcome in outcomes
        if outcome is False
    )
    owed = tuple(dict.fromkeys(_owed(relation, before, after)))
    is_held = None if owed or all(outcome is None for _, outcome in outcomes) else True
    return Check(
        relation=relation.name,
        paper=before.paper,
        held=False if broken else is_held,
        broken=broken,
        edit=edit.told,
        unanswered=owed,
    )


def _owed(relation: EditRelation, before: Numbers, after: Numbers) -> Iterator[str]:
    """The relation's numbers that the judge should have given, each with the reason if any."""
    for numbers in (before, after):
        for expectation in relation.expectations:
            name = expectation.number
            lack = numbers.why_unscored(CATALOGUE[name].metric)
            if lack is not None and lack.fault == "judge":
                yield f"{lack.metric}: {lack.status}, {one_line(lack.reason)}"
            elif lack is None and name in numbers.values and numbers.values[name] is None:
                yield f"{name}: no number"


def relation_text(verdict: RelationVerdict) -> str:
    """One relation over papers, in one clause."""
    n_decided = verdict.n_held + verdict.n_broken
    if not n_decided:
        return f"{verdict.relation}: no paper offers the edit"
    text = f"{verdict.relation}: holds on {verdict.n_held} of {n_decided} papers"
    if verdict.n_unanswered:
        text += f", {verdict.n_unanswered} unanswered"
    return f"{text}, at least {verdict.least:.0%} wanted" if verdict.state == "fails" else text


def relation_lines(verdict: RelationVerdict, meaning: str) -> Iterator[str]:
    """How often a judge keeps a relation, and the papers on which it breaks it."""
    yield one_line(relation_text(verdict))
    broken = sorted((c for c in verdict.checks if c.held is False), key=lambda c: c.paper)
    if broken:
        yield f"  wanted: {meaning}"
    for check in broken[:_BROKEN]:
        yield f"  {one_line(f'{check.paper}: {check.edit}' if check.edit else check.paper, 200)}"
        yield from (f"    {one_line(str(each))}" for each in check.broken)
    if len(broken) > _BROKEN:
        yield f"  and {len(broken) - _BROKEN} more papers"
