"""`summeval cassette` and `summeval batch`: recorded replies and batch files.

Where a reply that a run needs is missing or unusable, a JudgeError says so and nothing is written:
what depends on it would seem unused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    METRICS_OPTION,
    Asking,
    Endpoints,
    Gated,
    StoreOption,
    check_writable,
    gated_of,
    metrics_in,
    session_of,
    shortened,
    suite_of,
    write_text,
)
from summeval_pytest.endpoints.chat import ROOM, ChatReply, read_body
from summeval_pytest.endpoints.dialect import Dialect, body
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.exchange import Memory, Record
from summeval_pytest.errors import JudgeError, NoReplyError, OptionError, Place, SuiteError
from summeval_pytest.run.golden import golden_tasks
from summeval_pytest.run.plan import Missing, Survey
from summeval_pytest.store.cassette import Cassette, Row, is_key, read_cassette, write_cassette
from summeval_pytest.store.store import open_store
from summeval_pytest.suite.suite import Suite
from summeval_pytest.text.printing import one_line

SHOWN: Final = 5
"""How many of many missing or unused replies are named."""


def export(suite: Path, /, *, gated: Gated = Gated()) -> list[str]:
    """Writes every remembered reply that a run of these options uses into the suite's cassette.

    What the cassette holds beyond them, for other judges and systems, stays in it.
    """
    loaded, survey, signature = _surveyed(suite, gated, "new")
    if not survey.stored:
        return [f"nothing to record: judge {one_line(signature)} needs no replies here"]
    file = loaded.cassette
    old = read_cassette(file.path, file.shown).rows if file.path.is_file() else {}
    rows = {**old, **survey.stored}
    sha256 = write_cassette(file.path, rows.values())
    line = (
        f"{file.shown}: {len(rows):,} replies, {len(rows) - len(old):,} of them new;"
        f" {len(survey.stored):,} are used by judge {one_line(signature)}"
    )
    return [line, f"sha256 {sha256}"]


def import_(suite: Path, /, *, gated: Gated = Gated()) -> list[str]:
    """Copies the replies of a suite's cassette into the local store."""
    cassette = _cassette(suite_of(suite, allow_outside=gated.allow_outside))
    n_new = 0
    place = session_of(gated.endpoints).replies.place
    with closing(open_store(place)) as store:
        for row in cassette.rows.values():
            n_new += store.get(row.key) is None
            store.put(row)
    return [f"{place}: {len(cassette.rows):,} replies from {cassette.shown}, {n_new:,} new"]


def prune(suite: Path, /, *, gated: Gated = Gated()) -> list[str]:
    """Removes from the cassette what a run of these options does not use."""
    loaded, survey, _ = _surveyed(suite, gated, "none")
    cassette = _cassette(loaded)
    if unused := cassette.unused(survey.stored):
        used = cassette.rows.keys() & survey.stored.keys()
        write_cassette(loaded.cassette.path, [cassette.rows[key] for key in used])
    line = f"{cassette.shown}: {len(unused):,} of {len(cassette.rows):,} replies removed"
    return [line, *_named(unused)]


def verify(suite: Path, /, *, gated: Gated = Gated()) -> list[str]:
    """Checks that a run of these options can be replayed, and says what it does not use."""
    loaded, survey, signature = _surveyed(suite, gated, "none")
    cassette = _cassette(loaded)
    unused = cassette.unused(survey.stored)
    line = (
        f"{cassette.shown}: {len(cassette.rows):,} replies, {len(survey.stored):,} used by judge"
        f" {one_line(signature)}, {len(unused):,} unused"
    )
    return [line, f"sha256 {cassette.sha256}", *_named(unused)]


def _surveyed(suite: Path, gated: Gated, record: Record) -> tuple[Suite, Survey, str]:
    """The suite, the replies that a run finds, and the judge's signature."""
    session = session_of(gated.endpoints, Asking(record=record))
    run = gated_of(suite, gated, session)
    loaded = run.suite
    if record == "none":
        _cassette(loaded)
    survey, signature = session.survey(gated.judge, [loaded], run.tasks, imagine=False)
    if cut := _list("recorded and cut off", list(survey.cut_off.values())):
        raise JudgeError(f"{loaded.shown}: {cut}; set max_tokens higher under [judges.NAME]")
    missing = survey.missing.values()
    absent = _list("not recorded", [m for m in missing if not m.flaw])
    flawed = _list("recorded and unusable", [m for m in missing if m.flaw])
    if missing:
        raise JudgeError(
            f"{loaded.shown}: {'; '.join(filter(None, (absent, flawed)))}; ask for them with"
            f" 'pytest {loaded.shown} --summ-judge={gated.judge} --summ-record=new', then export"
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
    named = [
        f"{one_line(m.request.topic, 60)} of system {m.system} ({m.key[:8]}"
        f"{f': {one_line(m.flaw, 120)}' if m.flaw else ''})"
        for m in missing
    ]
    listed = "; ".join(shortened(named, SHOWN))
    return f"{len(missing):,} replies are {what}: {listed}" if missing else ""


def _named(unused: Sequence[Row]) -> list[str]:
    names = [f"{row.key[:8]} {one_line(row.topic, 60)}" for row in unused]
    return [f"  {line}" for line in shortened(names, SHOWN)]


URL: Final = "/v1/chat/completions"
FAILURES_SHOWN: Final = 20
"""How many of many failed lines are shown."""
_GOOD: Final = 200
_ANYBODY: Final = Endpoint(name="batch", base_url="http://localhost")


def export_requests(
    suite: Path,
    /,
    *,
    out: Annotated[Path, Parameter(help="the requests, in OpenAI's format")],
    only: Annotated[str | None, Parameter(help="only the requests to this endpoint")] = None,
    purpose: Annotated[Literal["run", "judge", "agree"], Parameter(name="--for")] = "run",
    metrics: Annotated[tuple[str, ...], METRICS_OPTION] = (),
    gated: Gated = Gated(),
) -> list[str]:
    """Writes the requests of the next round.

    Args:
        purpose: the requests of a run, of its labelled pairs (judge), or of 'summeval agree'
    """
    check_writable(out, "--out", "batch")
    session = session_of(gated.endpoints)
    run = gated_of(suite, gated, session)
    loaded, tasks = run.suite, run.tasks
    if purpose == "agree":
        columns = import_module("summeval_pytest.study.agreement.columns")
        tasks = tuple(columns.agreement_tasks(loaded, metrics_in(metrics)))
    elif metrics:
        raise OptionError("--metrics goes with --for agree; a run asks what its thresholds need")
    elif purpose == "judge":
        tasks = tuple(golden_tasks(loaded))
    survey, _ = session.survey(gated.judge, [loaded], tasks, imagine=False)
    endpoints = sorted({m.endpoint.name for m in survey.missing.values()})
    if only is None and len(endpoints) > 1:
        what = f"the open requests go to {len(endpoints)} endpoints, {', '.join(endpoints)}"
        raise OptionError(f"{what}; a batch file goes to one: choose with --only NAME")
    missing = [m for _, m in sorted(survey.missing.items()) if only in {None, m.endpoint.name}]
    n_stored = f"{len(survey.stored):,} replies are stored"
    if not missing:
        then = "run pytest" if purpose != "agree" else "run summeval agree"
        return [f"nothing is open: all {n_stored}; {then}"]
    with closing(session.replies.memory()) as memory:
        lines = [_request_line(m, memory, survey.thoughts) for m in missing]
    write_text(out, "--out", "".join(f"{line}\n" for line in lines))
    models = sorted({m.request.model for m in missing})
    line = f"{out}: {len(missing):,} requests for {', '.join(models)}; {n_stored}"
    if again := [m.flaw for m in missing if m.flaw]:
        line += f"; {len(again):,} are asked again, as what was replied is unusable ({again[0]})"
    return [line, "next: have them answered, then 'summeval batch import RESPONSES'"]


def _request_line(
    missing: Missing, memory: Memory, thoughts: Mapping[tuple[str, str], float]
) -> str:
    """One request as the endpoint understands it, as far as that is known from other calls.

    It has room for twice what the model thought in the mean, as `Survey.thoughts` has it.
    """
    request, place = missing.request, (missing.endpoint.name, missing.request.model)
    if request.room == ROOM:
        needed = request.max_tokens + 2 * round(thoughts.get(place, 0.0))
        request = replace(request, room=max(request.most_tokens, needed))
    dialect = memory.dialect(*place) or Dialect()
    line = {"custom_id": missing.key, "method": "POST", "url": URL}
    return json.dumps(line | {"body": body(request, dialect)}, sort_keys=True)


def import_replies(file: Path, /, *, store: StoreOption = None) -> list[str]:
    """Stores the replies of a file; names each line without a usable reply, and leaves it out.

    Raises:
        SuiteError: if two lines have different replies to one request; nothing is stored.
        JudgeError: if there are lines, and none of them has a usable reply.
    """
    try:
        texts = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, ValueError) as error:
        what = f"the file cannot be read ({error}); name the responses file"
        raise SuiteError(Place(str(file)), what) from None
    lines_of: dict[str, tuple[int, ChatReply]] = {}
    failed: list[str] = []
    place = session_of(Endpoints(store=store)).replies.place
    with closing(open_store(place)) as replies:
        for number, text in enumerate(texts, start=1):
            if not text.strip():
                continue
            try:
                key, reply = _read_line(text)
            except (NoReplyError, ValueError) as error:
                failed.append(f"{file}:{number}: {one_line(str(error))}")
                continue
            first, known = lines_of.setdefault(key, (number, reply))
            if reply != known:
                what = f"{key[:8]} has another reply on line {first}; keep one of the two"
                raise SuiteError(Place(str(file), number), what)
        for key, (_, reply) in lines_of.items():
            replies.put(Row(key=key, topic="from a batch", reply=reply.as_json()))
    lines = [f"{place}: {len(lines_of):,} replies stored, {len(failed):,} lines without one"]
    lines += shortened(failed, FAILURES_SHOWN)
    if failed and not lines_of:
        raise JudgeError("\n".join(lines))
    return [*lines, "next: 'summeval batch export' again, until nothing is open"]


def _read_line(line: str) -> tuple[str, ChatReply]:
    """The key and the reply of one line; what looks like a key is neither stored nor shown.

    Raises:
        NoReplyError: if its body is no reply.
        ValueError: if it holds none, and why.
    """
    try:
        values = json.loads(_ANYBODY.redacted(line))
    except RecursionError:
        raise ValueError("the line is nested too deeply") from None
    if not isinstance(values, dict):
        raise ValueError("the line is no JSON object")  # noqa: TRY004 - a text's fault, no type's
    key, response = values.get("custom_id"), values.get("response")
    if not isinstance(key, str) or not is_key(key):
        raise ValueError("custom_id is none that 'summeval batch export' wrote")
    if values.get("error") or not isinstance(response, dict):
        raise ValueError(f"{key[:8]} has no response: {values.get('error')!r}")
    if response.get("status_code") != _GOOD:
        raise ValueError(f"{key[:8]} has status {response.get('status_code')!r}")
    return key, read_body(json.dumps(response.get("body")))
