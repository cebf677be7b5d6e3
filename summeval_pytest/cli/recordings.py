"""`summeval cassette`: recorded replies.

Where a reply that a run needs is missing or unusable, a JudgeError says so and nothing is written:
what depends on it would seem unused.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from summeval_pytest.cli.parameters import GATED, session_of, shortened, with_options
from summeval_pytest.errors import JudgeError, Place, SuiteError
from summeval_pytest.options import TABLE, Options
from summeval_pytest.record.gated_suite import gated_suite
from summeval_pytest.run.plan import Missing, Survey
from summeval_pytest.run.session import ASKED
from summeval_pytest.store.cassette import Cassette, Row, read_cassette, write_cassette
from summeval_pytest.store.store import open_store
from summeval_pytest.suite.suite import Suite, load_suite
from summeval_pytest.text.printing import one_line

SHOWN: Final = 5
"""How many of many missing or unused replies are named."""


@with_options(*GATED)
def export(suite: Path, /, *, options: Options) -> list[str]:
    """Writes every remembered reply that a run of these options uses into the suite's cassette.

    Options that are not given are those of the last run, unless it contradicts the given ones. What
    the cassette holds beyond them, for other judges and systems, stays in it.
    """
    options, notes = _as_last_run(suite, options)
    loaded, survey, signature = _surveyed(suite, options)
    if not survey.stored:
        none = f"nothing to record: judge {one_line(signature)} needs no replies here"
        return [f"{none}; name an LLM judge with --judge, or a model with --model", *notes]
    file = loaded.cassette
    old = read_cassette(file.path, file.shown).rows if file.path.is_file() else {}
    rows = {**old, **survey.stored}
    sha256 = write_cassette(file.path, rows.values())
    line = (
        f"{file.shown}: {len(rows):,} replies, {len(rows) - len(old):,} of them new;"
        f" {len(survey.stored):,} are used by judge {one_line(signature)}"
    )
    return [line, f"sha256 {sha256}", *notes]


def _as_last_run(suite: Path, options: Options) -> tuple[Options, list[str]]:
    """The options, with those of the last run that fit them, and a line that says so."""
    loaded = load_suite(suite, allow_outside=options.allow_outside)
    last = session_of(options).last_run(loaded)
    named = [name for name in ASKED if name != "allow_endpoints" and getattr(options, name)]
    if any(last.get(name) != getattr(options, name) for name in named):
        return options, []
    added = {name: value for name, value in last.items() if not getattr(options, name)}
    flags = [
        f"{TABLE[name].short_flag}={','.join(value) if isinstance(value, tuple) else value}"
        for name, value in added.items()
    ]
    notes = [one_line(f"as in the last run: {' '.join(flags)}", 400)] if flags else []
    return replace(options, **added), notes


@with_options("store", "allow_outside")
def import_(suite: Path, /, *, options: Options) -> list[str]:
    """Copies the replies of a suite's cassette into the local store."""
    cassette = _cassette(load_suite(suite, allow_outside=options.allow_outside))
    n_new = 0
    place = session_of(options).terms.place
    with closing(open_store(place)) as store:
        for row in cassette.rows.values():
            n_new += store.get(row.key) is None
            store.put(row)
    return [f"{place}: {len(cassette.rows):,} replies from {cassette.shown}, {n_new:,} new"]


def _surveyed(suite: Path, options: Options) -> tuple[Suite, Survey, str]:
    """The suite, the replies that a run finds, and the judge's signature."""
    session = session_of(options)
    run, judge = gated_suite(suite, session), session.terms.judge_name
    loaded = run.suite
    survey, signature = session.survey(judge, [loaded], run.tasks, imagine=False)
    if cut := _list("recorded and cut off", list(survey.cut_off.values())):
        raise JudgeError(f"{loaded.shown}: {cut}; set max_tokens higher under [judges.NAME]")
    missing = survey.missing.values()
    absent = _list("not recorded", [m for m in missing if not m.is_unusable])
    flawed = _list("recorded and unusable", [m for m in missing if m.is_unusable])
    if missing:
        model = f" --summ-model={','.join(options.model)}" if options.model else ""
        known = f"; --model chooses from {', '.join(loaded.systems)}" if loaded.systems else ""
        raise JudgeError(
            f"{loaded.shown}: {'; '.join(filter(None, (absent, flawed)))}; ask for them with"
            f" 'pytest {loaded.shown} --summ-judge={judge}{model} --summ-record=new', then export"
            f"{one_line(known, 400)}"
        )
    return loaded, survey, signature


def _cassette(suite: Suite) -> Cassette:
    file = suite.cassette
    if not file.path.is_file():
        what = "there is no cassette; make one with 'summeval cassette export' after a run"
        raise SuiteError(Place(file.shown), what)
    return read_cassette(file.path, file.shown)


def _list(what: str, missing: list[Missing]) -> str:
    """How many replies are missing, with the first few by name; empty for none."""
    named = [f"{one_line(m.request.topic, 60)} of system {m.system} ({m.key[:8]})" for m in missing]
    listed = "; ".join(shortened(named, SHOWN))
    return f"{len(missing):,} replies are {what}: {listed}" if missing else ""


def _named(unused: Sequence[Row]) -> list[str]:
    names = [f"{row.key[:8]} {one_line(row.topic, 60)}" for row in unused]
    return [f"  {line}" for line in shortened(names, SHOWN)]
