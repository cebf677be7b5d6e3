"""`summeval batch`: requests and replies as batch files in OpenAI's format."""

from __future__ import annotations

import json
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    GATED,
    METRICS_OPTION,
    check_writable,
    metrics_in,
    session_of,
    shortened,
    with_options,
    write_text,
)
from summeval_pytest.endpoints.chat import ChatReply, read_body
from summeval_pytest.endpoints.decisions import read_decision
from summeval_pytest.endpoints.dialect import Dialect, body
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.exchange import Memory
from summeval_pytest.errors import JudgeError, NoReplyError, OptionError, Place, SuiteError
from summeval_pytest.options import Options
from summeval_pytest.record.gated_suite import gated_suite
from summeval_pytest.run.plan import Missing
from summeval_pytest.store.cassette import Row, is_key
from summeval_pytest.store.store import open_store
from summeval_pytest.text.printing import one_line

FAILURES_SHOWN: Final = 20
"""How many of many failed lines are shown."""
_GOOD: Final = 200
_ANYBODY: Final = Endpoint(name="batch", base_url="http://localhost")


@with_options(*GATED)
def export_requests(
    suite: Path,
    /,
    *,
    out: Annotated[Path, Parameter(help="the requests, in OpenAI's format")],
    only: Annotated[str | None, Parameter(help="only the requests to this endpoint")] = None,
    purpose: Annotated[Literal["run", "judge", "agree"], Parameter(name="--for")] = "run",
    metrics: Annotated[tuple[str, ...], METRICS_OPTION] = (),
    options: Options,
) -> list[str]:
    """Writes the requests of the next round.

    Args:
        purpose: the requests of a run, of its labelled pairs (judge), or of 'summeval agree'
    """
    check_writable(out, "--out")
    session = session_of(options)
    run, judge = gated_suite(suite, session), session.terms.judge_name
    loaded, tasks = run.suite, run.tasks
    if purpose == "agree":
        columns = import_module("summeval_pytest.study.agreement.columns")
        tasks = tuple(columns.agreement_tasks(loaded, metrics_in(metrics)))
    elif metrics:
        raise OptionError("--metrics goes with --for agree; a run asks what its thresholds need")
    elif purpose == "judge":
        tasks = tuple(run.labelled)
    survey, _ = session.survey(judge, [loaded], tasks, imagine=False)
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
        lines = [_request_line(m, memory) for m in missing]
    write_text(out, "--out", "".join(f"{line}\n" for line in lines))
    models = sorted({m.request.model for m in missing})
    line = f"{out}: {len(missing):,} requests for {', '.join(models)}; {n_stored}"
    if n_again := sum(m.is_unusable for m in missing):
        line += f"; {n_again:,} are asked again, as what was replied is unusable"
    return [line, "next: have them answered, then 'summeval batch import RESPONSES'"]


def _request_line(missing: Missing, memory: Memory) -> str:
    """One request as the endpoint understands it, as far as that is known from other calls."""
    dialect = memory.dialect(missing.endpoint.name, missing.request.model) or Dialect()
    line = {"custom_id": missing.key, "method": "POST", "url": f"/v1/{missing.request.route}"}
    return json.dumps(line | {"body": body(missing.request, dialect)}, sort_keys=True)


@with_options("store")
def import_replies(file: Path, /, *, options: Options) -> list[str]:
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
    place = session_of(options).terms.place
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
    body = response.get("body")
    read = read_decision if isinstance(body, dict) and "answers" in body else read_body
    return key, read(json.dumps(body))
