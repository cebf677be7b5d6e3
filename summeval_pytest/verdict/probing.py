"""What has to be measured so that a relation can be held: two tasks a paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.evaluation import OwnTexts, Task
from summeval_pytest.metrics import CATALOGUE, METRICS
from summeval_pytest.verdict.hostile import HOSTILE
from summeval_pytest.verdict.relations import RELATIONS, Material, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.suite import Setting, Suite
    from summeval_pytest.text.editing import Edit
    from summeval_pytest.verdict.relations import Texts

METAMORPHIC: Final = "metamorphic"
HOSTILE_GROUP: Final = "hostile"
GROUPS: Final[Mapping[str, Mapping[str, Relation]]] = {
    METAMORPHIC: RELATIONS,
    HOSTILE_GROUP: HOSTILE,
}
"""By the group whose tests they are, all relations by name."""
EVERY: Final = "all"
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
    known = {name for relations in GROUPS.values() for name in relations}
    for name in asked:
        if name not in {EVERY, *GROUPS, *known}:
            raise OptionError(
                f"{option}={name!r} is no relation; {nearest(name, [EVERY, *GROUPS, *known])}"
            )
    found = {
        group: tuple(n for n in relations if {EVERY, group, n} & set(asked))
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

    Raises:
        SuiteError: where a file has changed since loading.
    """
    relation = GROUPS[group][name]
    papers = _spread(suite.paper_ids)
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
                _task(suite, paper_id, group, relation, texts)
                for texts in (trial.before, trial.after)
            )
            yield Probe(before, after, trial.edit)


def _spread(papers: Sequence[str]) -> tuple[str, ...]:
    if len(papers) <= MOST:
        return tuple(papers)
    return tuple(papers[place * len(papers) // MOST] for place in range(MOST))


def _task(suite: Suite, paper: str, group: str, relation: Relation, texts: Texts) -> Task:
    needed = {CATALOGUE[expectation.number].metric for expectation in relation.expectations}
    return Task(
        suite=suite,
        paper=paper,
        system=group,
        metrics=tuple(metric for metric in METRICS if metric in needed),
        texts=OwnTexts(candidate=texts.candidate, reference=texts.reference),
    )
