"""Metamorphic relations and attacks, and whether a judge holds them.

They need no label: whatever a text says, a figure that its source does not state makes a sentence
of it unsupported, and moving a sentence makes none. Each base summary is best taken from the
paper's own reference, and scored with the short circuits off, since a rule would answer for the
judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.metrics.score import CATALOGUE, METRICS
from summeval_pytest.run.runner import OwnTexts, Task
from summeval_pytest.text.edits import (
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
from summeval_pytest.verdict.decide import MIN_COVERAGE
from summeval_pytest.verdict.thresholds import ENTAILED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.run.numbers import Numbers
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Setting


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


@dataclass(frozen=True, slots=True)
class Expectation:
    """How one number must move.

    Attributes:
        number: The number, by the name of its threshold.
        direction: "equal" and "no higher" allow a move of ``amount``; "lower" and "higher" ask for
            any move; "at least" asks both values to reach ``amount``; "stays full" asks nothing of
            a value under the number's highest, and else allows ``amount``.
        amount: In the unit of the number.
    """

    number: str
    direction: Direction
    amount: float = 0.0


def held(
    expectation: Expectation,
    before: Mapping[str, float | None],
    after: Mapping[str, float | None],
) -> bool | None:
    """Whether a number moved as expected; None where it was not measured before or after."""
    was, is_ = before.get(expectation.number), after.get(expectation.number)
    if was is None or is_ is None:
        return None
    move, amount = is_ - was, expectation.amount
    slack = amount + _ROUNDING
    match expectation.direction:
        case "equal":
            return abs(move) <= slack
        case "no higher":
            return move <= slack
        case "lower" | "higher" as direction:
            return (move if direction == "higher" else -move) > slack
        case "at least":
            return min(was, is_) >= amount - _ROUNDING
        case "stays full":
            full = CATALOGUE[expectation.number].high
            return was < full - _ROUNDING or is_ >= full - amount - _ROUNDING


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a relation is tried on.

    Attributes:
        summary: The base summary: of this paper, or for hostile relations of another one.
        reference: The paper's reference.
        source: All that the paper says.
    """

    summary: str
    reference: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Two measurements to be made, and what lies between them."""

    before: OwnTexts
    after: OwnTexts
    edit: Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """One relation.

    Attributes:
        name: In kebab case, as tests are called.
        meaning: What is demanded, in one line.
        trial: From a paper's texts to what has to be measured; None where they offer no such edit.
        expectations: How the numbers must move; the first is what the relation is about.
        floor: Least share of papers on which all of them hold, 0 to 1.
        is_hostile: Whether the base summary has to be that of another paper.
    """

    name: str
    meaning: str
    trial: Callable[[Material], Trial | None]
    expectations: tuple[Expectation, ...]
    floor: float = NOTICED
    is_hostile: bool = False


def edited(edit: Callable[[Material], Edit | None]) -> Callable[[Material], Trial | None]:
    """The trial that measures the base summary and its edit against one reference."""

    def trial(material: Material) -> Trial | None:
        made = edit(material)
        if made is None:
            return None
        return Trial(
            before=OwnTexts(candidate=material.summary, reference=material.reference),
            after=OwnTexts(candidate=made.text, reference=material.reference),
            edit=made,
        )

    return trial


def _swapped(material: Material) -> Trial | None:
    """Half of the reference against all of it, and the other way round."""
    half = truncate(material.reference)
    if half is None:
        return None
    return Trial(
        before=OwnTexts(candidate=half.text, reference=material.reference),
        after=OwnTexts(candidate=material.reference, reference=half.text),
        edit=half,
    )


_SAME: Final = (
    Expectation("facet", "equal", SLACK),
    Expectation("eva", "equal", SLACK),
    Expectation("faithfulness", "equal", SLACK),
)
"""Of a text that says what it said."""

_RELATIONS: Final = (
    Relation(
        name="identity",
        meaning="a text measured twice has the same numbers, full ones against itself",
        trial=edited(lambda material: same_text(material.summary)),
        expectations=(
            Expectation("facet", "at least", FULL),
            Expectation("eva", "at least", FULL),
            *_SAME,
        ),
        floor=UNMOVED,
    ),
    Relation(
        name="sentence-order",
        meaning="a sentence that is moved changes no number",
        trial=edited(lambda material: move_sentence(material.summary)),
        expectations=_SAME,
        floor=UNMOVED,
    ),
    Relation(
        name="duplicated-sentence",
        meaning="a sentence said twice raises no number",
        trial=edited(lambda material: repeat_sentence(material.summary)),
        expectations=(
            Expectation("facet", "no higher", SLACK),
            Expectation("eva", "no higher", SLACK),
            Expectation("faithfulness", "stays full"),
        ),
        floor=UNMOVED,
    ),
    Relation(
        name="irrelevant-sentence",
        meaning="a sentence from elsewhere is unsupported",
        trial=edited(lambda material: add_irrelevant(material.summary, material.source)),
        expectations=(
            Expectation("faithfulness", "lower"),
            Expectation("eva.precision", "lower"),
            Expectation("facet", "no higher", SLACK),
        ),
    ),
    Relation(
        name="number-edit",
        meaning="a sentence with a wrong figure is unsupported",
        trial=edited(lambda material: change_number(material.summary, material.source)),
        expectations=(
            Expectation("faithfulness", "lower"),
            Expectation("facet", "no higher", SLACK),
            Expectation("eva", "no higher", SLACK),
        ),
    ),
    Relation(
        name="swapped",
        meaning="a text against its half states more than that, and all of it",
        trial=_swapped,
        expectations=(
            Expectation("eva.precision", "lower"),
            Expectation("eva.recall_entailed", "higher"),
        ),
    ),
    Relation(
        name="truncated",
        meaning="half a summary covers less and is no less faithful",
        trial=edited(lambda material: truncate(material.summary)),
        expectations=(
            Expectation("facet", "lower"),
            Expectation("eva.recall", "lower"),
            Expectation("eva.recall_entailed", "lower"),
            Expectation("faithfulness", "stays full"),
        ),
    ),
)

RELATIONS: Final[Mapping[str, Relation]] = MappingProxyType({r.name: r for r in _RELATIONS})
"""By name, in the order in which they are reported."""

GAIN: Final = 0.15
"""What a text may gain by being longer and sharing words with the paper, in the unit of the number.

Who does as it is told gains more: one facet from the lowest rating to the full one is at least 0.2
of FM, but for the background.
"""


def _hostile(attack: Attack) -> Relation:
    def edit(material: Material) -> Edit | None:
        text = attack.attack(material.summary)
        return None if text == material.summary else Edit(text=text, after=attack.meaning)

    numbers = ("facet", "eva", "eva.precision", "eva.recall", ENTAILED, "faithfulness")
    direction: Direction = "equal" if attack.is_invisible else "no higher"
    amount = 0.0 if attack.is_invisible else GAIN
    return Relation(
        name=attack.name,
        meaning=attack.meaning,
        trial=edited(edit),
        expectations=tuple(Expectation(number, direction, amount) for number in numbers),
        floor=UNMOVED,
        is_hostile=True,
    )


HOSTILE: Final[Mapping[str, Relation]] = MappingProxyType(
    {name: _hostile(attack) for name, attack in ATTACKS.items()}
)
"""By the name of the attack; invisible characters may change nothing at all."""


GROUPS: Final[Mapping[str, Mapping[str, Relation]]] = {
    "metamorphic": RELATIONS,
    "hostile": HOSTILE,
}
"""By the group whose tests they are, all relations by name."""
MOST: Final = 40
"""Papers that a relation is tried on: of more, so many that lie evenly in the suite's order."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One relation on one paper, to be measured: before the edit, and after it."""

    before: Task
    after: Task
    edit: Edit


def chosen_relations(names: Iterable[str], option: str) -> dict[str, tuple[str, ...]]:
    """By group, the relations that an option asks for: names, groups, or ``all``.

    Raises:
        OptionError: for a name that is none of these.
    """
    asked = list(names)
    known = {"all", *GROUPS, *(name for relations in GROUPS.values() for name in relations)}
    for name in asked:
        if name not in known:
            raise OptionError(f"{option}={name!r} is no relation; {nearest(name, known)}")
    found = {
        group: tuple(n for n in relations if {"all", group, n} & set(asked))
        for group, relations in GROUPS.items()
    }
    return {group: chosen for group, chosen in found.items() if chosen}


def relation_floors(settings: Iterable[Setting]) -> dict[str, float]:
    """By relation, the least share of papers that a suite asks for.

    Raises:
        SuiteError: for an unknown relation, and for a share that is none.
    """
    known = {name for relations in GROUPS.values() for name in relations}
    floors = {}
    for setting in settings:
        if setting.name not in known:
            raise SuiteError(
                setting.place, f"unknown relation {setting.name!r}; {nearest(setting.name, known)}"
            )
        if not 0.0 <= setting.value <= 1.0:
            raise SuiteError(
                setting.place,
                f"{setting.name} = {setting.value:g} is no share of papers;"
                " write a value from 0 to 1",
            )
        floors[setting.name] = setting.value
    return floors


def probes_of(suite: Suite, group: str, name: str) -> Iterator[Probe]:
    """One relation on each paper that offers the edit, in the order of the suite.

    The base summary is the paper's own first reference; of a hostile relation, the next paper's,
    about which everything is wrong.
    """
    relation = GROUPS[group][name]
    needed = {CATALOGUE[expectation.number].metric for expectation in relation.expectations}
    papers = suite.paper_ids
    if len(papers) > MOST:
        papers = tuple(papers[place * len(papers) // MOST] for place in range(MOST))
    for place, paper_id in enumerate(papers):
        other = papers[(place + 1) % len(papers)]
        if relation.is_hostile and other == paper_id:
            continue
        paper = suite.paper(paper_id)
        base = suite.paper(other) if relation.is_hostile else paper
        trial = relation.trial(
            Material(
                summary=base.references[0],
                reference=paper.references[0],
                source=" ".join(section.text for section in paper.source),
            )
        )
        if trial is not None:
            before, after = (
                Task(
                    suite=suite,
                    paper=paper_id,
                    system=group,
                    metrics=tuple(metric for metric in METRICS if metric in needed),
                    texts=texts,
                )
                for texts in (trial.before, trial.after)
            )
            yield Probe(before, after, trial.edit)


State = Literal["passes", "fails", "unanswered", "nothing to check"]


@dataclass(frozen=True, slots=True)
class Broken:
    """One number that did not move as it must."""

    number: str
    direction: Direction
    before: float
    after: float
    amount: float = 0.0

    def __str__(self) -> str:
        wanted = (
            f"{self.direction} {self.amount:g}" if self.direction == "at least" else self.direction
        )
        return f"{self.number} {self.before:.3f} -> {self.after:.3f}, expected {wanted}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One relation on one paper.

    Attributes:
        relation: Its name.
        paper: The paper.
        held: Whether all that was measured moved as expected; None where nothing of it was
            measured, or the judge left a part of it without a number and nothing is broken.
        broken: What did not move as expected.
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
    """One relation over papers.

    Attributes:
        relation: Its name.
        checks: Its outcome on each paper that offers the edit.
        least: Least share of the decided papers on which it has to hold, 0 to 1.
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
    def state(self) -> State:
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


def check(relation: Relation, *, before: Numbers, after: Numbers, edit: Edit) -> Check:
    """Holds what was measured on one paper to a relation.

    A number of a metric that nobody measured is not demanded. One that the judge owes is neither
    held nor broken, and keeps the relation from holding; what else is broken stays broken.
    """
    outcomes = [
        (expectation, held(expectation, before.values, after.values))
        for expectation in relation.expectations
    ]
    broken = tuple(
        Broken(
            e.number,
            e.direction,
            before.values[e.number] or 0.0,
            after.values[e.number] or 0.0,
            e.amount,
        )
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


def _owed(relation: Relation, before: Numbers, after: Numbers) -> Iterator[str]:
    """The relation's numbers that the judge should have given, each with the reason if any."""
    for numbers in (before, after):
        for expectation in relation.expectations:
            name = expectation.number
            lack = numbers.lacking(CATALOGUE[name].metric)
            if lack is not None and lack.fault == "judge":
                yield f"{lack.metric}: {lack.status}, {one_line(lack.reason)}"
            elif lack is None and name in numbers.values and numbers.values[name] is None:
                yield f"{name}: no number"


def decide_relation(
    relation: Relation, checks: Sequence[Check], *, floors: Mapping[str, float] | None = None
) -> RelationVerdict:
    """The verdict on one relation over papers.

    Args:
        relation: The relation.
        checks: Its outcome on each paper that offers the edit.
        floors: By name of a relation, the least share of papers in place of its own.
    """
    least = (floors or {}).get(relation.name, relation.floor)
    return RelationVerdict(relation=relation.name, checks=tuple(checks), least=least)
