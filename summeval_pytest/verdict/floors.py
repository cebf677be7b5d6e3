"""Floors: the agreement with golden labels that a judge needs for its verdicts to count."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - run records read it
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError, nearest
from summeval_pytest.metrics.number import MetricName, Named
from summeval_pytest.questions import FACETS, OFFLINE
from summeval_pytest.verdict.thresholds import LOWER, Bound, Threshold, check_range, has_part

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.verdict.thresholds import Mistake

SPEARMAN: Final = "facet_spearman"
"""The one figure of scores; all others are figures of counts."""
FOLLOWING: Final = frozenset({"evidence_f1"})
"""Figures that follow from others: shown only where a floor is set on them."""
RECALL: Final = "unfaithful_recall"
OF_ERROR: Final = f"{RECALL}."
"""Before a kind of error, as the labels name it: the recall on the sentences that have it."""


def _figure(name: str, meaning: str, low: float = 0.0) -> Named:
    metrics: dict[str, MetricName] = {"facet": "facet", "fact": "eva"}
    metric = metrics.get(name.partition("_")[0], "faithfulness")
    return Named(name=name, metric=metric, low=low, high=1.0, meaning=meaning)


_FIGURES: Final = (
    _figure("facet_kappa", "mean of the four facets' quadratic kappas", -1.0),
    *(_figure(f"facet_kappa.{f}", f"quadratic kappa of the {f}'s ratings", -1.0) for f in FACETS),
    _figure("facet_exact", "share of facets rated as labelled"),
    *(_figure(f"facet_exact.{facet}", f"share of {facet}s rated as labelled") for facet in FACETS),
    _figure(SPEARMAN, "Spearman's rho of FM and the labelled overall score", -1.0),
    _figure("unfaithful_precision", "share labelled unfaithful, of sentences called unsupported"),
    _figure(RECALL, "share called unsupported, of sentences labelled unfaithful"),
    _figure("fact_f1", "F1 on the facts that hold"),
    _figure("fact_kappa", "kappa of the facts' verdicts", -1.0),
    _figure("evidence_precision", "share labelled as evidence, of source sentences named"),
    _figure("evidence_recall", "share named, of source sentences labelled as evidence"),
    _figure("evidence_f1", "F1 of evidence precision and recall"),
)
AGREEMENTS: Final[Mapping[str, Named]] = MappingProxyType({f.name: f for f in _FIGURES})
"""By the names that ``[thresholds.judge]`` uses, in the order in which they are shown."""


def named_agreement(name: str) -> Named:
    """What one figure is; a KeyError where there is none of that name."""
    if name.startswith(OF_ERROR):
        error = name.removeprefix(OF_ERROR)
        return _figure(name, f"share called unsupported, of sentences labelled {error!r}")
    return AGREEMENTS[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """The floors of one judge, in the order of the figures; floors on kinds of errors come last.

    Attributes:
        judge: The judge that the floors are for; empty for every judge.
    """

    floors: tuple[Threshold, ...] = ()
    judge: str = ""

    def only(self, metrics: Collection[MetricName]) -> Floors:
        """The floors on answers to questions of these metrics."""
        floors = tuple(f for f in self.floors if named_agreement(f.name).metric in metrics)
        return Floors(floors=floors, judge=self.judge)


def floors_of(tables: Iterable[Floors], judge: str) -> Floors:
    """The floors of one judge among tables: its own, else those of every judge."""
    by_judge = {table.judge: table for table in tables}
    return by_judge.get(judge) or by_judge.get("") or Floors()


def read_floors(suite: Suite, judge: str) -> tuple[Floors, ...]:
    """Every table of floors that a suite sets, each floor checked; ``judge`` judges the run.

    Raises:
        SuiteError: for an unknown name, a value out of the figure's range, a floor that no label
            has something for, and a table of a judge that there is not.
    """
    known = {OFFLINE, judge, *suite.judges}
    tables: dict[str, list[Threshold]] = {"": []}
    for setting in suite.thresholds.get("judge.", ()):
        mistake = partial(SuiteError, setting.place)
        whose, given = _split(setting.name, mistake)
        what = f"agreement floor {setting.name!r}"
        if whose and whose not in known and ":" not in whose:
            raise mistake(
                f"{what} is for the unknown judge {whose!r}; {nearest(whose, known)}; or define it"
                f" as [judges.{whose}]"
            )
        figure = named_agreement(given.removesuffix(LOWER))
        if missing := _missing_labels(suite, figure.name):
            raise mistake(f"{what} can never be checked: {missing}")
        check_range(f"agreement floor {setting.name}", setting.value, figure, mistake)
        bound: Bound = "lower" if given.endswith(LOWER) else "point"
        tables.setdefault(whose, []).append(Threshold(figure.name, setting.value, bound))
    order = {name: place for place, name in enumerate(AGREEMENTS)}

    def place(floor: Threshold) -> tuple[int, str, str]:
        return order.get(floor.name, len(order)), floor.name, floor.bound or ""

    return tuple(
        Floors(floors=tuple(sorted(floors, key=place)), judge=whose)
        for whose, floors in tables.items()
        if floors
    )


def _split(name: str, mistake: Mistake) -> tuple[str, str]:
    """The judge of a floor and the floor's own name, as in ``offline.facet_kappa.lower``."""
    words = name.split(".")
    for place in range(len(words)):
        given = ".".join(words[place:])
        figure = given.removesuffix(LOWER)
        if figure in AGREEMENTS or (figure.startswith(OF_ERROR) and figure != RECALL + LOWER):
            return ".".join(words[:place]), given
    raise mistake(f"unknown agreement floor {name!r}; {nearest(name, AGREEMENTS)}")


def _missing_labels(suite: Suite, figure: str) -> str:
    """Why no label can measure a figure, and the remedy; empty where one can."""
    parts = {"facet": "facets", "unfaithful": "unfaithful sentences", "fact": "facts"}
    needed = parts.get(figure.partition("_")[0], "evidence")
    if figure == SPEARMAN:
        needed = "overall"
    if not any(has_part(label, needed) for label in suite.labels.values()):
        missing = "the suite has no labels" if not suite.labels else f"no label has {needed!r}"
        return (
            f'{missing}; label {needed} in the file that labels = "..." names, or remove the floor'
        )
    error = figure.removeprefix(OF_ERROR)
    errors = {s.error for label in suite.labels.values() for s in label.sentences or () if s.error}
    if not figure.startswith(OF_ERROR) or error in errors:
        return ""
    return f"no labelled sentence has the error {error!r}; {nearest(error, errors)}"
