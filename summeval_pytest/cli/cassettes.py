"""`summeval cassette`: the recorded replies of a suite, for runs that may ask nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import desk_of, gated_tasks, suite_of
from summeval_pytest.errors import JudgeError, Place, SuiteError
from summeval_pytest.store import Cache, read_cassette, write_cassette
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from summeval_pytest.evaluation import Missing, Survey
    from summeval_pytest.store import Cassette, Row
    from summeval_pytest.suite import Suite

SHOWN: Final = 5
"""How many of many missing or unused replies are named."""


def export(chosen: argparse.Namespace) -> list[str]:
    """Writes every remembered reply that a run of these options uses into the suite's cassette.

    What the cassette holds beyond them, for other judges and systems, stays in it.

    Raises:
        JudgeError: if a reply is missing or unusable; nothing is written then.
    """
    desk = desk_of(chosen, record="new")
    suite, tasks = gated_tasks(chosen, desk)
    survey, signature = desk.survey(chosen.judge, [suite], tasks, imagine=False)
    _complain(survey, suite, chosen.judge)
    if not survey.found:
        return [f"nothing to record: judge {one_line(signature)} needs no replies here"]
    kept = _cassette(suite)
    rows: dict[str, Row] = {} if kept is None else dict(kept.rows)
    n_before = len(rows)
    rows.update(survey.found)
    sha256 = write_cassette(suite.cassette.path, rows.values())
    told = (
        f"{suite.cassette.shown}: {len(rows):,} replies, {len(rows) - n_before:,} of them new;"
        f" {len(survey.found):,} are used by judge {one_line(signature)}"
    )
    return [told, f"sha256 {sha256}"]


def import_(chosen: argparse.Namespace) -> list[str]:
    """Puts the replies of a suite's cassette into the local store."""
    cassette = _needed(suite_of(chosen))
    n_new = 0
    with Cache(desk_of(chosen).directory) as cache:
        for row in cassette.rows.values():
            n_new += cache.get(row.key) is None
            cache.put(row)
        directory = cache.directory
    return [f"{directory}: {len(cassette.rows):,} replies from {cassette.shown}, {n_new:,} new"]


def prune(chosen: argparse.Namespace) -> list[str]:
    """Removes from the cassette what a run of these options does not use.

    Raises:
        JudgeError: if a reply is missing or unusable, since what depends on it would seem unused.
    """
    desk = desk_of(chosen, record="none")
    suite, tasks = gated_tasks(chosen, desk)
    cassette = _needed(suite)
    survey, _ = desk.survey(chosen.judge, [suite], tasks, imagine=False)
    _complain(survey, suite, chosen.judge)
    unused = cassette.unused(survey.found)
    used = [row for key, row in cassette.rows.items() if key in survey.found]
    if unused:
        write_cassette(suite.cassette.path, used)
    return [
        f"{cassette.shown}: {len(unused):,} of {len(cassette.rows):,} replies removed",
        *_named(unused),
    ]


def verify(chosen: argparse.Namespace) -> list[str]:
    """Checks that a run of these options can be replayed, and says what it does not use.

    Raises:
        SuiteError: if a line is no reply, or out of order.
        JudgeError: if a reply is missing or unusable.
    """
    desk = desk_of(chosen, record="none")
    suite, tasks = gated_tasks(chosen, desk)
    cassette = _needed(suite)
    survey, signature = desk.survey(chosen.judge, [suite], tasks, imagine=False)
    _complain(survey, suite, chosen.judge)
    unused = cassette.unused(survey.found)
    told = (
        f"{cassette.shown}: {len(cassette.rows):,} replies, {len(survey.found):,} used by judge"
        f" {one_line(signature)}, {len(unused):,} unused"
    )
    return [told, f"sha256 {cassette.sha256}", *_named(unused)]


def _cassette(suite: Suite) -> Cassette | None:
    file = suite.cassette
    return read_cassette(file.path, file.shown) if file.path.is_file() else None


def _needed(suite: Suite) -> Cassette:
    cassette = _cassette(suite)
    if cassette is None:
        raise SuiteError(
            Place(suite.cassette.shown),
            "there is no cassette; make one with 'summeval cassette export' after a run",
        )
    return cassette


def _complain(survey: Survey, suite: Suite, judge: str) -> None:
    """Raises: JudgeError: if a reply is missing or unusable."""
    found = survey.missing.values()
    told = [
        _list(f"{len(some):,} replies are {what}", some)
        for some, what in (
            ([m for m in found if not m.flaw], "not recorded"),
            ([m for m in found if m.flaw], "recorded and unusable"),
        )
        if some
    ]
    if told:
        raise JudgeError(
            f"{suite.shown}: {'; '.join(told)}; ask for them with 'pytest {suite.shown}"
            f" --summ-judge={judge} --summ-record=new', then export"
        )


def _list(told: str, missing: list[Missing]) -> str:
    named = "; ".join(
        f"{one_line(m.request.topic, 60)} of system {m.system} ({m.key[:8]}"
        f"{f': {one_line(m.flaw, 120)}' if m.flaw else ''})"
        for m in missing[:SHOWN]
    )
    more = f" and {len(missing) - SHOWN:,} more" if len(missing) > SHOWN else ""
    return f"{told}: {named}{more}"


def _named(rows: Iterable[Row]) -> Iterator[str]:
    unused = list(rows)
    for row in unused[:SHOWN]:
        yield f"  {row.key[:8]} {one_line(row.topic, 60)}"
    if len(unused) > SHOWN:
        yield f"  and {len(unused) - SHOWN:,} more"
