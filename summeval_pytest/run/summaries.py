"""Summaries by a model under test.

The request is a template with the paper in it. A paper that is longer than the model's context
loses its middle, and the pair says so. The reply is the system's: one that is empty, declined,
filtered or cut off is no summary, and fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Final

from summeval_pytest.endpoints.chat import ROOM, ChatReply, ChatRequest, Message
from summeval_pytest.endpoints.client import Sender, send_roomy
from summeval_pytest.errors import REFUSALS, NoReplyError, OptionError, UsageError, nearest
from summeval_pytest.store.cassette import request_key
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import (
    ASKED,
    NO_SUMMARY,
    PROMPTS,
    SOURCE_MARK,
    Flaw,
    Pair,
    Paper,
    SystemSpec,
)
from summeval_pytest.text.output import read_text
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.sentences import split_sentences

CHARACTERS_PER_TOKEN: Final = 3
"""English text has about four to a token; three leave room for numbers and formulas."""
GAP: Final = "\n\n[...]\n\n"
_MARKS: Final = re.compile(r"\{(source|title)\}")
TOKENS: Final = 1024
"""What a summary takes at most, without thoughts."""


def summary_request(paper: Paper, spec: SystemSpec, server: str = "") -> tuple[ChatRequest, str]:
    """The request for one summary at this address, and a note where the paper had to be cut."""
    assert spec.model is not None, "recorded summaries are read, and nobody is asked for them"
    template = _template(spec.prompt)
    source = "\n\n".join(
        f"{section.heading}\n{section.text}" if section.heading else section.text
        for section in paper.source
    )
    room = _room(spec, template, paper)
    kept = source if room is None else cut_middle(source, room)
    note = ""
    if kept != source:
        note = (
            f"source cut from {len(source):,} to {len(kept):,} characters: the model's context is"
            f" {spec.context_tokens:,} tokens"
        )
    texts = {"source": kept, "title": paper.title or "(none)"}
    is_usual = not spec.max_tokens and spec.reasoning_effort in {None, "none"}
    request = ChatRequest(
        model=spec.model,
        messages=(Message("user", _MARKS.sub(lambda mark: texts[mark[1]], template)),),
        max_tokens=spec.max_tokens or TOKENS,
        room=None if spec.max_tokens else ROOM,
        first_room=TOKENS if is_usual else None,
        reasoning_effort=spec.reasoning_effort,
        temperature=spec.temperature,
        server=server,
        topic=f"summary of {paper.id}",
    )
    return request, note


def asked_digest(spec: SystemSpec, endpoint: str, papers: Iterable[Paper]) -> str:
    """A digest of all that can change the summaries of a model at this endpoint.

    The papers have a fingerprint of their own, but for their titles, which a template may name.
    """
    template = _template(spec.prompt)
    titles = [[paper.id, paper.title] for paper in papers] if "{title}" in template else []
    identity = {
        "endpoint": endpoint,
        "model": spec.model,
        "template": template,
        "titles": titles,
        "context_tokens": spec.context_tokens,
        "max_tokens": spec.max_tokens,
        "reasoning_effort": spec.reasoning_effort,
        "temperature": spec.temperature,
    }
    return f"{ASKED}{request_key(identity)[:12]}"


def _template(prompt: str) -> str:
    """A named template, or the text that the suite read from its own file."""
    if prompt not in PROMPTS:
        return prompt
    return (files("summeval_pytest.run") / "prompts" / f"{prompt}.txt").read_text("utf-8")


def _room(spec: SystemSpec, template: str, paper: Paper) -> int | None:
    """How many characters of source fit; None where the suite does not state a context.

    Raises:
        UsageError: where the context leaves no room for a paper.
    """
    if spec.context_tokens is None:
        return None
    kept = spec.max_tokens or TOKENS
    tokens = spec.context_tokens - kept
    room = tokens * CHARACTERS_PER_TOKEN - len(template) - len(paper.title)
    room //= max(1, template.count(SOURCE_MARK))
    if room < len(GAP) + CHARACTERS_PER_TOKEN:
        raise UsageError(
            f"{spec.place}: context_tokens = {spec.context_tokens} of system {spec.name!r} leaves"
            f" no room for a paper beside max_tokens = {kept}; write more, or less"
        )
    return room


def cut_middle(text: str, room: int) -> str:
    """The beginning and the end of a text, whole sentences where they fit, in ``room`` characters.

    A text that fits is returned as it is.
    """
    if len(text) <= room:
        return text
    half = (room - len(GAP)) // 2
    sentences = split_sentences(text)
    head = max((s.end for s in sentences if s.end <= half), default=half)
    last = len(text) - half
    tail = min((s.start for s in sentences if s.start >= last), default=last)
    return text[:head] + GAP + text[tail:]


def flaw_of(reply: ChatReply, spec: SystemSpec) -> Flaw | None:
    """Why a reply is no summary, by what its endpoint says; None for a summary."""
    match reply.finish:
        case "length":
            at = f" at max_tokens = {spec.max_tokens}" if spec.max_tokens else ""
            repeats = "repeats itself and " if reply.is_looping else ""
            message = f"the summary {repeats}was cut off{at}"
            if reply.is_spent:
                message = f"{reply.spending}; set max_tokens higher under [systems.{spec.name}]"
            return Flaw("degenerate_candidate", message)
        case "content_filter":
            return Flaw("refused_candidate", "the endpoint's filter withheld the summary")
        case "refusal":
            return Flaw("refused_candidate", f"the model refused: {one_line(reply.text, 120)}")
        case "stop":
            text, had_thoughts = read_text(reply.text)
            return NO_SUMMARY if had_thoughts and not text else None


async def summarise(
    suite: Suite, paper: Paper, spec: SystemSpec, sender: Sender, server: str
) -> Pair:
    """A paper with the summary of a model under test at this address, which is asked now.

    Raises:
        UsageError: for a fault that every paper would meet, such as a refused key.
        NoReplyError: for any other reply that is missing.
    """
    request, note = summary_request(paper, spec, server)
    try:
        _, reply = await send_roomy(sender, request)
    except NoReplyError as error:
        if error.fault in REFUSALS:
            raise OptionError(_remedy(suite, spec, error)) from error
        message = f"system {spec.name!r} has no summary of paper {paper.id!r}: {error}"
        raise NoReplyError(error.fault, message) from error
    return Pair(
        paper=paper,
        system=spec.name,
        summary=read_text(reply.text).text,
        place=spec.place,
        flaw=flaw_of(reply, spec),
        note=note,
    )


def _remedy(suite: Suite, spec: SystemSpec, error: NoReplyError) -> str:
    """A fault that every paper of a system meets, and what to type next."""
    meant = nearest(spec.name, set(suite.systems) - {spec.name})
    hint = ""
    if spec.place.path.startswith("--") and meant.startswith("did you mean"):
        meant = meant.replace("mean '", "mean '--summ-model=")
        hint = f"{suite.shown} has no system {spec.name!r}; {meant} As a model it was asked: "
    pull = f"'ollama pull {spec.model}'"
    remedies = {
        "unreachable": (
            f"Ollama starts with 'ollama serve' and {pull}; --summ-endpoint=URL points elsewhere"
        ),
        "unknown_model": f"Ollama fetches a model with {pull}",
    }
    remedy = remedies.get(error.fault, "--summ-endpoint=URL points elsewhere")
    return f"{hint}system {spec.name!r} asks model {spec.model!r}: {error}; {remedy}"
