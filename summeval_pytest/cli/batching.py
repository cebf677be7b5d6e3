"""`summeval batch`: what is unanswered goes out as a file, and replies come back as one.

The files are those of OpenAI's Batch API. Questions that depend on replies come up in the next
round: export and import until nothing is open, then run pytest over the store.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import check_writable, desk_of, gated_tasks, write_text
from summeval_pytest.errors import JudgeError, NoReplyError, OptionError, Place, SuiteError
from summeval_pytest.models import Dialect, Endpoint, body, read_body
from summeval_pytest.store import Cache, Row, is_key
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from summeval_pytest.evaluation import Memory, Missing
    from summeval_pytest.models import ChatReply

URL: Final = "/v1/chat/completions"
SHOWN: Final = 20
"""How many of many failed lines are shown."""
_GOOD: Final = 200
_ANYBODY: Final = Endpoint(name="batch", base_url="http://localhost")


def export(chosen: argparse.Namespace) -> list[str]:
    """Writes the requests of the next round."""
    check_writable(chosen.out, "--out")
    desk = desk_of(chosen)
    suite, tasks = gated_tasks(chosen, desk)
    survey, _ = desk.survey(chosen.judge, [suite], tasks, imagine=False)
    missing = _of_one_endpoint(sorted(survey.missing.values(), key=lambda m: m.key), chosen.only)
    if not missing:
        return [f"nothing is open: all {len(survey.found):,} replies are stored; run pytest"]
    memory = desk.memory()
    try:
        lines = [_request_line(m, memory) for m in missing]
    finally:
        memory.close()
    write_text(chosen.out, "--out", "".join(f"{line}\n" for line in lines))
    models = sorted({m.request.model for m in missing})
    again = [m.flaw for m in missing if m.flaw]
    told = (
        f"{chosen.out}: {len(missing):,} requests for {', '.join(models)};"
        f" {len(survey.found):,} replies are stored"
    )
    if again:
        told += f"; {len(again):,} are asked again, as what was replied is unusable ({again[0]})"
    return [told, "next: have them answered, then 'summeval batch import RESPONSES'"]


def _of_one_endpoint(missing: list[Missing], only: str | None) -> list[Missing]:
    """The requests to one endpoint, as a file goes to one.

    Raises:
        OptionError: if there are several, and none of them was chosen.
    """
    names = sorted({m.endpoint.name for m in missing})
    if only is None and len(names) > 1:
        raise OptionError(
            f"the open requests go to {len(names)} endpoints, {', '.join(names)}; a batch file goes"
            " to one: choose with --only NAME"
        )
    return [m for m in missing if only in {None, m.endpoint.name}]


def _request_line(missing: Missing, memory: Memory) -> str:
    """One request as the endpoint understands it, as far as that is known from other calls."""
    known = memory.dialect(missing.endpoint.name, missing.request.model)
    asked = body(missing.request, known or Dialect())
    return json.dumps(
        {"custom_id": missing.key, "method": "POST", "url": URL, "body": asked},
        ensure_ascii=True,
        sort_keys=True,
    )


def import_(chosen: argparse.Namespace) -> list[str]:
    """Stores the replies of a file; lines without a usable reply are told and not stored.

    Raises:
        JudgeError: if there are lines, and none of them has a usable reply.
    """
    stored = 0
    failed: list[str] = []
    with Cache(desk_of(chosen).directory) as cache:
        for number, line in enumerate(_lines(chosen.file), start=1):
            if not line.strip():
                continue
            try:
                answer = _read_line(line)
            except (NoReplyError, ValueError) as error:
                failed.append(f"{chosen.file}:{number}: {one_line(str(error))}")
                continue
            row = Row(key=answer.key, topic="from a batch", reply=answer.reply.as_json())
            cache.put(row)
            stored += 1
        directory = cache.directory
    told = [f"{directory}: {stored:,} replies stored, {len(failed):,} lines without one"]
    told += failed[:SHOWN]
    if len(failed) > SHOWN:
        told.append(f"and {len(failed) - SHOWN:,} more")
    if failed and not stored:
        raise JudgeError("\n".join(told))
    return [*told, "next: 'summeval batch export' again, until nothing is open"]


@dataclass(frozen=True, slots=True)
class _Answer:
    key: str
    reply: ChatReply


def _read_line(line: str) -> _Answer:
    """The reply that one line holds; what looks like a key is neither stored nor shown.

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
    key = values.get("custom_id")
    if not isinstance(key, str) or not is_key(key):
        raise ValueError("custom_id is none that 'summeval batch export' wrote")
    response = values.get("response")
    if values.get("error") or not isinstance(response, dict):
        raise ValueError(f"{key[:8]} has no response: {values.get('error')!r}")
    if response.get("status_code") != _GOOD:
        raise ValueError(f"{key[:8]} has status {response.get('status_code')!r}")
    return _Answer(key, read_body(json.dumps(response.get("body"))))


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, ValueError) as error:
        raise SuiteError(
            Place(str(file)), f"the file cannot be read ({error}); name the responses file"
        ) from None
