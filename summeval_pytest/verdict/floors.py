"""Floors: the least agreement with golden labels that a judge has to have before it may decide."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import SuiteError, nearest
from summeval_pytest.judges import OFFLINE
from summeval_pytest.questions import FACETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.suite import Label, Setting, Suite

Bound = Literal["point", "lower"]
LOWER: Final = ".lower"
"""Behind a name: the lower bound of its interval is held, not the figure itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAgreement:
    """One figure of agreement: its range, higher is better for all of them, and what it is."""

    name: str
    low: float
    high: float
    meaning: str


SPEARMAN: Final = "facet_spearman"
"""The one figure that is of scores, not of counts."""


def _named() -> dict[str, NamedAgreement]:
    def named(name: str, meaning: str, low: float = 0.0) -> NamedAgreement:
        return NamedAgreement(name=name, low=low, high=1.0, meaning=meaning)

    figures = [
        named("facet_kappa", "mean of the four facets' quadratic kappas", -1.0),
        *(
            named(f"facet_kappa.{facet}", f"quadratic kappa of the {facet}'s ratings", -1.0)
            for facet in FACETS
        ),
        named("facet_exact", "facets rated as labelled"),
        *(named(f"facet_exact.{facet}", f"{facet}s rated as labelled") for facet in FACETS),
        named(SPEARMAN, "Spearman's rho of FM and the labelled overall score", -1.0),
        named("unfaithful_precision", "sentences called unsupported that are labelled so"),
        named("unfaithful_recall", "sentences labelled unfaithful that are called unsupported"),
        named("fact_f1", "F1 on the facts that hold"),
        named("fact_kappa", "kappa of the facts' verdicts", -1.0),
        named("evidence_precision", "named source sentences that are labelled as evidence"),
        named("evidence_recall", "labelled evidence sentences that are named"),
        named("evidence_f1", "F1 of evidence precision and recall"),
    ]
    return {figure.name: figure for figure in figures}


AGREEMENTS: Final[Mapping[str, NamedAgreement]] = MappingProxyType(_named())
"""By the names that ``[thresholds.judge]`` uses, in the order in which they are shown."""

FOLLOWING: Final = frozenset({"evidence_f1"})
"""Figures that follow from others: shown only where a floor is set on them."""
RECALL: Final = "unfaithful_recall"
OF_ERROR: Final = f"{RECALL}."
"""Before a kind of error, as the labels name it: the recall on the sentences that have it."""


def is_agreement(name: str) -> bool:
    """Whether there may be a figure of this name."""
    return name in AGREEMENTS or (name.startswith(OF_ERROR) and name != RECALL + LOWER)


def named_agreement(name: str) -> NamedAgreement:
    """What one figure is.

    Raises:
        KeyError: where there is none of that name.
    """
    if name.startswith(OF_ERROR):
        meaning = f"sentences labelled {name.removeprefix(OF_ERROR)!r} that are called unsupported"
        return NamedAgreement(name=name, low=0.0, high=1.0, meaning=meaning)
    return AGREEMENTS[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """The least value that one figure of agreement, or its lower bound, may have; equal holds."""

    name: str
    least: float
    bound: Bound = "point"

    @property
    def title(self) -> str:
        """Its name as a suite writes it."""
        return self.name + (LOWER if self.bound == "lower" else "")

    @property
    def limit(self) -> str:
        """Its value, for messages."""
        return f"{self.least:g}"

    def is_met_by(self, held: float | None) -> bool:
        """Whether what is held against it is enough; an undefined figure never is."""
        return held is not None and held >= self.least


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """What one judge is held to.

    Attributes:
        floors: In the order of the figures, those on kinds of errors last.
        judge: The judge whose own table they are; empty where they are those of every judge.
    """

    floors: tuple[Floor, ...] = ()
    judge: str = ""

    def of_facets(self) -> Floors:
        """Those on ratings of facets and on FM."""
        held = tuple(floor for floor in self.floors if floor.name.startswith("facet"))
        return Floors(floors=held, judge=self.judge)


def floors_of(suite: Suite, judge: str) -> Floors:
    """The floors that a suite sets for a judge: those of its own table, else those of all.

    Every floor of the suite is checked, whoever judges.

    Raises:
        SuiteError: for an unknown name, a value out of the figure's range, a floor that no label
            has something for, and a table of a judge that there is not.
    """
    tables: dict[str, list[Floor]] = {"": []}
    for setting in suite.judge_thresholds:
        whose, name = _split(setting)
        _check_judge(suite, setting, whose, judge)
        _check_labelled(suite, setting, name)
        tables.setdefault(whose, []).append(_floor(setting, name))
    own = judge if judge in tables else ""
    order = {name: place for place, name in enumerate(AGREEMENTS)}
    last = len(order)
    held = sorted(tables[own], key=lambda f: (order.get(f.name, last), f.name, f.bound))
    return Floors(floors=tuple(held), judge=own)


def _check_judge(suite: Suite, setting: Setting, whose: str, judge: str) -> None:
    """Refuses floors for a judge that nobody can name: they would hold nobody."""
    known = {OFFLINE, judge, *suite.judges, *suite.recorded_judges}
    if whose and whose not in known and ":" not in whose:
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name!r} is for the unknown judge {whose!r};"
            f" {nearest(whose, known)}; or define it as [judges.{whose}]",
        )


def _split(setting: Setting) -> tuple[str, str]:
    """Whose floor a setting is, and its name; what stands before a known name is a judge's.

    Raises:
        SuiteError: where it has no known name.
    """
    words = setting.name.split(".")
    for place in range(len(words)):
        name = ".".join(words[place:])
        if is_agreement(name.removesuffix(LOWER)):
            return ".".join(words[:place]), name
    raise SuiteError(
        setting.place,
        f"unknown agreement floor {setting.name!r}; {nearest(setting.name, AGREEMENTS)}",
    )


def _check_labelled(suite: Suite, setting: Setting, name: str) -> None:
    needed = _needed(name)
    if not any(has_part(label, needed) for label in suite.labels.values()):
        missing = "the suite has no labels" if not suite.labels else f"no label has {needed!r}"
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name!r} can never be held: {missing};"
            f' label {needed} in the file that labels = "..." names, or remove the floor',
        )
    figure = name.removesuffix(LOWER)
    error = figure.removeprefix(OF_ERROR)
    errors = {s.error for label in suite.labels.values() for s in label.sentences or () if s.error}
    if figure.startswith(OF_ERROR) and error not in errors:
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name!r} can never be held: no labelled sentence has the"
            f" error {error!r}; {nearest(error, errors)}",
        )


def _needed(name: str) -> str:
    """The part of a label that a figure needs."""
    if name.startswith("facet_spearman"):
        return "overall"
    parts = {"facet": "facets", "unfaithful": "unfaithful sentences", "fact": "facts"}
    return parts.get(name.partition("_")[0], "evidence")


def has_part(label: Label, part: str) -> bool:
    """Whether a label has something in one of its parts.

    ``overall`` is there, too, where all four facets are rated; ``evidence`` where any sentence has.
    """
    match part:
        case "overall":
            return label.overall is not None or set(label.facets or ()) == set(FACETS)
        case "evidence":
            return any(s.evidence and s.faithful for s in label.sentences or ())
        case "unfaithful sentences":
            return any(not sentence.faithful for sentence in label.sentences or ())
        case "facets":
            return any(rating is not None for rating in (label.facets or {}).values())
        case _:
            return getattr(label, part) is not None


def _floor(setting: Setting, name: str) -> Floor:
    known = named_agreement(name.removesuffix(LOWER))
    if not known.low <= setting.value <= known.high:
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name} = {setting.value:g} can never decide: {known.name}"
            f" ({known.meaning}) ranges from {known.low:g} to {known.high:g};"
            " write a value in that range, or remove it",
        )
    bound: Bound = "lower" if name.endswith(LOWER) else "point"
    return Floor(name=known.name, least=setting.value, bound=bound)
