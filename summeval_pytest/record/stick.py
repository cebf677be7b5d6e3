"""The measuring stick: what a suite requires, and what changed in it since a base.

A pull request that lowers a threshold or deletes a paper turns a red release green. Such changes
loosen the stick.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import Place
from summeval_pytest.metrics.catalogue import catalogue_of
from summeval_pytest.metrics.own import custom_numbers
from summeval_pytest.suite.suite import paper_digest
from summeval_pytest.verdict.policy import suite_rules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Setting

Kind = Literal["requires", "permits", "content", "other"]
_NOWHERE: Final = Place("")


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that a suite says.

    Attributes:
        kind: What it does: ``requires`` something, ``permits`` an exception, is ``content`` that
            systems are measured on, or anything else.
        text: What it says, for messages and to find changes.
        size: How much is required or permitted; None where any change counts.
    """

    kind: Kind
    text: str
    size: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StickChange:
    """One change of a suite since a base; an empty text says that it is not there.

    Attributes:
        loosens: Whether it can turn a red release green.
    """

    name: str
    before: str
    now: str
    loosens: bool

    def __str__(self) -> str:
        """The change in words."""
        if not self.before:
            return f"{self.name} added: {self.now}"
        if not self.now:
            return f"{self.name} removed: {self.before}"
        return f"{self.name} changed: {self.before} -> {self.now}"


def stick_changes(before: Suite, now: Suite) -> tuple[StickChange, ...]:
    """What changed since a base, what loosens the stick first."""
    old, new = dict(_marks(before)), dict(_marks(now))
    changes = [
        StickChange(
            name=name,
            before=was.text if was else "",
            now=is_now.text if is_now else "",
            loosens=_loosens(was, is_now),
        )
        for name in dict.fromkeys((*old, *new))
        if (was := old.get(name)) != (is_now := new.get(name))
    ]
    return tuple(sorted(changes, key=lambda change: not change.loosens))


def _loosens(was: Mark | None, is_now: Mark | None) -> bool:
    kind = (was or is_now or Mark("other", "")).kind
    if kind == "permits":
        was, is_now = is_now, was
    if kind == "other" or was is None:
        return False
    if is_now is None or was.size is None or is_now.size is None:
        return True
    return is_now.size < was.size


def _marks(suite: Suite) -> Iterator[tuple[str, Mark]]:
    """Everything that a suite says, by name."""
    yield from _thresholds(suite)
    for rule in suite_rules(suite.compare):
        if rule.margin is not None:
            yield f"margin of {rule.name}", Mark("permits", f"{rule.margin:g}", rule.margin)
    share = suite.compare.share
    yield "share of papers in common", Mark("requires", f"{share:g}", share)
    for waiver in suite.waivers:
        bound = "" if waiver.bound is None else f", bound {waiver.bound:g}"
        name = f"waiver of {waiver.finding} for {waiver.system} on {waiver.paper}"
        yield name, Mark("permits", f"until {waiver.expires}{bound}")
    for name, system in suite.systems.items():
        yield from ((f"skip of {p} for {name}", Mark("permits", "skipped")) for p in system.skip)
    yield from _contents(suite)


def _thresholds(suite: Suite) -> Iterator[tuple[str, Mark]]:
    """The thresholds of all scopes, and the floors of the judge."""
    scopes: dict[str, tuple[Setting, ...]] = {
        "threshold ": suite.thresholds,
        "threshold mean.": suite.mean_thresholds,
        "threshold corrected.": suite.corrected_thresholds,
        "floor of the judge ": suite.judge_thresholds,
        **{f"threshold of slice {name} ": own for name, own in suite.slice_thresholds.items()},
    }
    for scope, settings in scopes.items():
        for each in settings:
            number = catalogue_of(custom_numbers([each.name])).get(each.name)
            size = number.oriented(each.value) if number else each.value
            yield f"{scope}{each.name}", Mark("requires", f"{each.value:g}", size)


def _contents(suite: Suite) -> Iterator[tuple[str, Mark]]:
    """What systems and the judge are measured on, and what replies are recorded."""
    yield from ((f"paper that must pass {p}", Mark("content", "listed")) for p in suite.must_pass)
    yield from ((f"gated system {s}", Mark("content", "gated")) for s in suite.default_systems)
    for paper in map(suite.paper, suite.paper_ids):
        yield f"paper {paper.id}", Mark("content", paper_digest(paper))
    for name, papers in suite.slices.items():
        yield f"slice {name}", Mark("content", f"{len(papers):,} papers, {_digest(papers)}")
    for (paper_id, system), label in suite.labels.items():
        said = replace(label, place=_NOWHERE)
        yield f"label of {system} on {paper_id}", Mark("content", _digest(said))
    for name, judge in {**suite.judges, **suite.recorded_judges}.items():
        yield f"judge {name}", Mark("other", _digest(judge))
    folder = suite.baselines.path
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        yield f"baseline {file.stem}", Mark("content", _sha(file))
    if suite.cassette.path.is_file():
        yield "cassette", Mark("other", _sha(suite.cassette.path))


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _sha(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]
