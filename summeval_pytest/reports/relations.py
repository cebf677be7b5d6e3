"""Metamorphic relations and attacks in words: on how many papers they hold, and where not."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import one_line, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.verdict import Check, RelationVerdict

_WIDTH: Final = 80
_MOST: Final = 10
"""Broken papers that are listed."""


def relation_text(verdict: RelationVerdict) -> str:
    """One relation over papers, in one clause."""
    n_decided = verdict.n_held + verdict.n_broken
    if not n_decided:
        return f"{verdict.relation}: no paper offers the edit"
    told = f"{verdict.relation}: holds on {verdict.n_held} of {n_decided} papers"
    if verdict.n_unanswered:
        told += f", {verdict.n_unanswered} unanswered"
    return f"{told}, at least {verdict.least:.0%} wanted" if verdict.state == "fails" else told


def describe_relation(verdict: RelationVerdict, meaning: str) -> str:
    """Why a judge fails a relation. The first line says how often; then where, worst first."""
    broken = sorted((c for c in verdict.checks if c.held is False), key=lambda c: c.paper)
    lines = [relation_text(verdict), f"wanted: {meaning}", ""]
    for check in broken[:_MOST]:
        lines += _check(check)
    if len(broken) > _MOST:
        lines.append(f"and {len(broken) - _MOST} more")
    return "\n".join(map(safe, lines))


def broken_texts(verdict: RelationVerdict) -> list[str]:
    """The papers on which a relation is broken, with what was done and what did not move."""
    return [
        f"{check.paper}: {check.edit}: {'; '.join(map(str, check.broken))}"
        for check in verdict.checks
        if check.held is False
    ]


def _check(check: Check) -> Iterator[str]:
    yield one_line(f"{check.paper}: {check.edit}" if check.edit else check.paper, 200)
    for broken in check.broken:
        yield from wrap(f"  {broken}", _WIDTH, subsequent_indent="    ")


def relation_lines(relations: Sequence[RelationVerdict]) -> Iterator[str]:
    """The relations of a run that fail, a line each, and how many hold."""
    failing = [verdict for verdict in relations if verdict.state == "fails"]
    held = sum(verdict.state == "passes" for verdict in relations)
    if relations:
        yield f"relations: {held} of {len(relations)} hold"
    yield from (f"  {one_line(relation_text(verdict))}" for verdict in failing)
