"""Request features that an endpoint supports, found out by trial.

OpenAI's own models take a strict JSON schema; other servers take ``json_object``, with a schema
beside it (llama-cpp-python) or without, or neither; reasoning models call ``max_tokens`` by another
name and take no temperature. Nothing announces this, so a dialect is tried from the top and adapted
to what the endpoint refuses.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from summeval_pytest.endpoints.chat import CHAT, ROOM, ChatRequest, Schema, Trouble
from summeval_pytest.endpoints.decisions import sent_body

Level = Literal["json_schema", "object_schema", "json_object", "text"]
"""How the form of a reply is asked for, best first; a server that does not know the schema of
``object_schema`` may ignore it, so that the prompt has it, too."""
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
INSTRUCTION: Final = (
    "Reply with one JSON object that follows this JSON schema, and with nothing before or after it:"
)
_REFUSALS: Final = frozenset({400, 422})
_BREAKDOWNS: Final = frozenset({500, 501})
"""Statuses with which some servers answer a schema that they cannot follow."""
_OF_LEVELS: Final = frozenset({"response_format", "json_schema", "json_object"})
_OF_BREAKDOWNS: Final = _OF_LEVELS | {"schema", "grammar"}
_OF_LENGTH: Final = frozenset({
    "max_tokens", "max_completion_tokens", "max_new_tokens", "maxoutputtokens", "context",
})  # fmt: skip
"""Words with which OpenAI, TGI, Gemini and vLLM refuse the room of a reply."""
_OF_OTHERS: Final = _OF_LEVELS | {"temperature", "seed", "reasoning_effort"}
"""Words of refusals that may repeat the whole request."""
_OF_SYSTEM: Final = re.compile(
    r"(?i)\b(system|developer)['\"]? (role|message|prompt|instruction)"
    r"|roles must alternate|only user and assistant roles"
)
"""How templates of Gemma and Mistral, and Google, refuse a system's message."""
_NUMBER: Final = re.compile(r"(?<![\w.-])(?:\d{1,3}(?:,\d{3})+|\d{1,10})(?![\w-]|\.\d)", re.ASCII)
LEAST_ROOM: Final = ROOM // 8
"""Tokens that answers usually have room in, so that one long prompt does not have all cut off."""
_FEWEST: Final = 256
"""Tokens of the shortest limit on replies; lower numbers are something else."""


@dataclass(frozen=True, slots=True, kw_only=True, config={"extra": "forbid", "strict": True})
class Dialect:
    """What one model at one endpoint understands: temperature, seed, messages of a system.

    ``thinks`` says that it was seen to think before it answers.

    Without ``system``, the text of such a message stands before the user's. The level is None while
    no schema was asked for with success; ``most_tokens``, the longest reply that may be asked for,
    while nobody refused one.
    """

    level: Level | None = None
    length_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    seed: bool = True
    system: bool = True
    most_tokens: Annotated[int, Field(gt=0)] | None = None
    thinks: bool = False

    def as_text(self) -> str:
        """The dialect as JSON; `read_dialect` is the way back."""
        return json.dumps(asdict(self), sort_keys=True)


def read_dialect(text: str) -> Dialect | None:
    """The dialect that `Dialect.as_text` wrote, now or before it had a field; None elsewhere."""
    with suppress(ValidationError):
        return TypeAdapter(Dialect).validate_json(text)
    return None


def without_system(dialect: Dialect, trouble: Trouble) -> Dialect | None:
    """The dialect without a system message, where a refusal is about one; None elsewhere."""
    is_refused = trouble.status in _REFUSALS | _BREAKDOWNS and not trouble.is_too_long
    is_named = _OF_SYSTEM.search(trouble.what) or trouble.words >= {"jinja", "system", "role"}
    if is_refused and dialect.system and is_named:
        return replace(dialect, system=False)
    return None


def next_trial(dialect: Dialect, trouble: Trouble, *, has_schema: bool) -> Dialect | None:
    """What to try after a refusal; None if the refusal has nothing to do with the dialect.

    A refusal that names a field costs that field. One that names the form of the reply, or nothing
    in particular, costs the level. Each field is given up once, so that this ends.
    """
    if (without_role := without_system(dialect, trouble)) is not None:
        return without_role
    lower = None
    if has_schema and dialect.level not in {None, LEVELS[-1]}:
        lower = replace(dialect, level=LEVELS[LEVELS.index(dialect.level) + 1])
    if trouble.status in _BREAKDOWNS:
        return lower if trouble.words & _OF_BREAKDOWNS else None
    if trouble.status not in _REFUSALS or trouble.is_too_long:
        return None
    without = {
        "max_tokens": replace(dialect, length_field="max_completion_tokens"),
        "temperature": replace(dialect, temperature=False),
        "seed": replace(dialect, seed=False),
    }
    if trouble.param in without:
        fields = [trouble.param]
    elif lower is not None and trouble.words & _OF_LEVELS:
        return lower
    else:
        fields = [field for field in without if field in trouble.words]
    if not fields and "reasoning_effort" in trouble.what + trouble.param:  # the suite chose it
        return None
    return next((without[field] for field in fields if without[field] != dialect), lower)


def room(request: ChatRequest, dialect: Dialect) -> int:
    """Tokens that a reply may have: as many as are wanted, and no more than the endpoint takes.

    Only reasoning models call the room ``max_completion_tokens``.
    """
    most = request.most_tokens
    if not (dialect.thinks or dialect.length_field == "max_completion_tokens"):
        most = min(request.first_room or most, most)
    return min(most, dialect.most_tokens or most)


def allowed_room(trouble: Trouble, request: ChatRequest, sent: int) -> int | None:
    """The longest reply that a refusal of ``sent`` tokens allows; None if it is of something else.

    A refusal names the longest reply, or a context and beside it the length of the prompt, and then
    an eighth of what is left goes to longer prompts. One that names no number is an error.
    """
    message = trouble.what.lower()
    words = set(re.findall(r"\w+", message))
    is_of_length = bool(words & _OF_LENGTH) and not words & _OF_OTHERS
    is_of_length = is_of_length and (not trouble.param or trouble.param in _OF_LENGTH)
    if trouble.status not in _REFUSALS or not (is_of_length or trouble.is_too_long):
        return None
    need = min(request.max_tokens, sent)
    numbers = {int(number.replace(",", "")) for number in _NUMBER.findall(message)}
    # what was asked for, alone and with the prompt, is neither the limit nor the prompt
    limits = {n for n in numbers - {sent, trouble.status} if n - sent not in numbers}
    most, prompt = [*sorted(limits, reverse=True), 0, 0][:2]
    if most < _FEWEST:
        return None
    most -= "exclusive" in words
    less = most if prompt <= 1 else max((most - prompt) * 7 // 8, need)
    return less if less < sent else None


def _messages(request: ChatRequest, dialect: Dialect) -> list[dict[str, str]]:
    """The messages of a request, without a system's where the model takes none."""
    # UTF-8 cannot carry half a character: a question mark goes in its place.
    messages: list[dict[str, str]] = [
        {"role": m.role, "content": m.content.encode("utf-8", "replace").decode("utf-8")}
        for m in request.messages
    ]
    if not dialect.system and [m["role"] for m in messages[:2]] == ["system", "user"]:
        before, first, *others = messages
        content = f"{before['content']}\n\n{first['content']}"
        messages = [{"role": "user", "content": content}, *others]
    return messages


def _form(level: Level, schema: Schema) -> dict[str, object]:
    """The form of a reply as a field of the body."""
    shape = json.loads(schema.text)
    if level == "json_schema":
        named = {"name": schema.name, "strict": True, "schema": shape}
        return {"type": level, "json_schema": named}
    of_object: dict[str, object] = {"type": "json_object"}
    return of_object | {"schema": shape} if level == "object_schema" else of_object


def body(request: ChatRequest, dialect: Dialect) -> dict[str, object]:
    """A request's body as JSON values, in an endpoint's dialect.

    Where the endpoint takes no strict schema, the schema stands at the end of the last message. A
    request of another route than chat has one form.
    """
    if request.route != CHAT:
        return sent_body(request)
    messages = _messages(request, dialect)
    values: dict[str, object] = {"model": request.model}
    if request.schema is not None:
        level = dialect.level or LEVELS[0]
        if level != LEVELS[0] and messages:
            messages[-1]["content"] += f"\n\n{INSTRUCTION}\n{request.schema.text}"
        if level != LEVELS[-1]:
            values["response_format"] = _form(level, request.schema)
    values["messages"] = messages
    values[dialect.length_field] = room(request, dialect)
    if request.reasoning_effort is not None:
        values["reasoning_effort"] = request.reasoning_effort
    if dialect.temperature:
        values["temperature"] = request.temperature
    if dialect.seed:
        values["seed"] = request.seed
    return values
