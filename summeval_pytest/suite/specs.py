"""The tables of a suite file that name systems and endpoints."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.models import Price
from summeval_pytest.suite.fields import OWN_KEYS, Fields, brief
from summeval_pytest.suite.lines import named_file
from summeval_pytest.suite.names import RESERVED_SYSTEMS, check_name, closest
from summeval_pytest.suite.values import (
    BUILT_IN_ENDPOINTS,
    PROMPTS,
    SOURCE_MARK,
    EndpointSpec,
    SystemSpec,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from summeval_pytest.suite.toml_text import TomlText

PRICE_KEYS: Final = ("input_price", "output_price", "cached_input_price")
_ASKED_KEYS: Final = (
    "model", "prompt", "max_tokens", "context_tokens", "temperature", *PRICE_KEYS,
)  # fmt: skip
"""The keys of a system that go with an endpoint only."""
_ENDPOINT_KEYS: Final = (
    "base_url", "api_key_env", "max_in_flight", "requests_per_minute", "tokens_per_minute",
    "timeout_seconds", "attempt_seconds", "max_reply_mib",
)  # fmt: skip
_SYSTEM_KEYS: Final = ("summaries", "endpoint", "skip", *_ASKED_KEYS)
_HOTTEST: Final = 2.0
_DEAREST: Final = 100_000.0
_LONGEST_CALL: Final = 86_400.0
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def read_systems(toml: TomlText, endpoints: Collection[str]) -> Mapping[str, SystemSpec]:
    """The systems in file order, at least one.

    Raises:
        SuiteError: At the first mistake in ``[systems]``.
    """
    tables = tables_of(toml, "systems", "system", RESERVED_SYSTEMS)
    systems = {name: _system(toml, name, fields, endpoints) for name, fields in tables}
    if not systems:
        raise SuiteError(
            toml.place("systems") if "systems" in toml.values else toml.file.at(0),
            "the suite has no system ('systems' is empty); add a table [systems.NAME] with"
            " 'summaries'",
        )
    return MappingProxyType(systems)


def _system(toml: TomlText, name: str, fields: Fields, endpoints: Collection[str]) -> SystemSpec:
    fields.only(_SYSTEM_KEYS)
    if fields.has("summaries") == fields.has("endpoint"):
        both = (
            "both 'summaries' and 'endpoint'"
            if fields.has("endpoint")
            else "neither 'summaries' nor 'endpoint'"
        )
        raise fields.fault("", f"{fields.owner} has {both}; write exactly one of them")
    skip = fields.texts("skip") if fields.values.get("skip", []) != [] else ()
    place = toml.place("systems", name)
    if fields.has("endpoint"):
        return SystemSpec(
            name=name,
            endpoint=endpoint_of(fields, endpoints),
            model=fields.text("model"),
            prompt=_prompt(toml, fields),
            max_tokens=fields.whole("max_tokens", least=1) if fields.has("max_tokens") else 1024,
            context_tokens=_whole_if_any(fields, "context_tokens"),
            temperature=_bounded(fields, "temperature", 0.0, _HOTTEST, default=0.0),
            price=price_of(fields),
            skip=skip,
            place=place,
        )
    for key in _ASKED_KEYS:
        if fields.has(key):
            raise fields.fault(
                key, f"{key!r} of {fields.owner} goes with 'endpoint', not 'summaries'; delete it"
            )
    return SystemSpec(name=name, summaries=fields.text("summaries"), skip=skip, place=place)


def _prompt(toml: TomlText, fields: Fields) -> str:
    """A named prompt as its name, a file as its text."""
    if not fields.has("prompt"):
        return PROMPTS[0]
    name = fields.text("prompt")
    if name in PROMPTS:
        return name
    file = named_file(fields, "prompt", toml.file)
    try:
        text = file.path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        raise fields.fault(
            "prompt",
            f"'prompt' of {fields.owner} is {brief(name)}, neither {' nor '.join(PROMPTS)} nor a"
            " text file beside the suite; write one of them",
        ) from None
    if SOURCE_MARK not in text:
        raise fields.fault(
            "prompt",
            f"the prompt {brief(name)} of {fields.owner} never says {SOURCE_MARK}, where the paper"
            " belongs; add it",
        )
    return text


def price_of(fields: Fields) -> Price | None:
    """Dollars per million tokens, of the prompt and of the reply; None where neither is there.

    Raises:
        SuiteError: For one price without the other, and for one that is no price.
    """
    given = [key for key in PRICE_KEYS if fields.has(key)]
    if not given:
        return None
    for key in PRICE_KEYS[:2]:
        if not fields.has(key):
            raise fields.fault(
                given[0],
                f"{fields.owner} has {given[0]!r} and no {key!r}; write both, in dollars per"
                " million tokens",
            )
    prices = [_bounded(fields, key, 0.0, _DEAREST) for key in PRICE_KEYS[:2]]
    cached = PRICE_KEYS[2]
    return Price(
        input=prices[0],
        output=prices[1],
        cached_input=_bounded(fields, cached, 0.0, _DEAREST) if fields.has(cached) else None,
    )


def _bounded(
    fields: Fields, key: str, low: float, high: float, *, default: float | None = None
) -> float:
    if default is not None and not fields.has(key):
        return default
    number = fields.number(key)
    if not low <= number <= high:
        raise fields.wrong(key, fields.values[key], f"a number from {low:g} to {high:g}")
    return number


def _whole_if_any(fields: Fields, key: str) -> int | None:
    return fields.whole(key, least=1) if fields.has(key) else None


def _seconds_if_any(fields: Fields, key: str) -> float | None:
    return _bounded(fields, key, 0.1, _LONGEST_CALL) if fields.has(key) else None


def read_endpoints(toml: TomlText) -> Mapping[str, EndpointSpec]:
    """The endpoints as written; the built-in ones are here only where the suite changes them.

    Raises:
        SuiteError: At the first mistake in ``[endpoints]``.
    """
    endpoints = {}
    for name, fields in tables_of(toml, "endpoints", "endpoint", ()):
        fields.only(_ENDPOINT_KEYS)
        url = None
        if fields.has("base_url") or name not in BUILT_IN_ENDPOINTS:
            url = fields.text("base_url")
            if not url.startswith(("http://", "https://")):
                raise fields.wrong("base_url", url, "a URL that starts with http:// or https://")
        endpoints[name] = EndpointSpec(
            name=name,
            base_url=url,
            api_key_env=_variable(fields, "api_key_env"),
            max_in_flight=_whole_if_any(fields, "max_in_flight"),
            requests_per_minute=_whole_if_any(fields, "requests_per_minute"),
            tokens_per_minute=_whole_if_any(fields, "tokens_per_minute"),
            timeout_seconds=_seconds_if_any(fields, "timeout_seconds"),
            attempt_seconds=_seconds_if_any(fields, "attempt_seconds"),
            max_reply_mib=_whole_if_any(fields, "max_reply_mib"),
        )
    return MappingProxyType(endpoints)


def _variable(fields: Fields, key: str) -> str | None:
    """The name of an environment variable; a key in its place would be in the repository."""
    if not fields.has(key):
        return None
    name = fields.text(key)
    if not _VARIABLE.match(name):
        raise fields.fault(
            key,
            f"{key!r} of {fields.owner} is no name of an environment variable; write the name, and"
            " keep the key itself out of every file",
        )
    return name


def endpoint_of(fields: Fields, endpoints: Collection[str]) -> str:
    """The endpoint that a table names.

    Raises:
        SuiteError: If there is none of that name.
    """
    name = fields.text("endpoint")
    known = {*endpoints, *BUILT_IN_ENDPOINTS}
    if name not in known:
        raise fields.fault(
            "endpoint",
            f"{fields.owner} names the unknown endpoint {brief(name)}; {closest(name, known)}",
        )
    return name


def tables_of(
    toml: TomlText, key: str, kind: str, reserved: Collection[str] = ()
) -> Iterator[tuple[str, Fields]]:
    """The sub-tables of a table, by name, each with the lines of its own keys.

    Raises:
        SuiteError: For what is no table of tables, and for a name that cannot be one.
    """
    tables = toml.values.get(key, {})
    if not isinstance(tables, dict):
        raise SuiteError(toml.place(key), f"{key!r} is {brief(tables)}; write tables, [{key}.NAME]")
    for name, table in tables.items():
        if name.startswith(OWN_KEYS):
            continue
        place = toml.place(key, name)
        check_name(name, kind, place, reserved)
        if not isinstance(table, dict):
            raise SuiteError(
                place, f"{kind} {name!r} is {brief(table)}; write a table, [{key}.{name}]"
            )
        for inner, value in table.items():
            if isinstance(value, dict) and not inner.startswith(OWN_KEYS):
                raise SuiteError(
                    toml.place(key, name, inner),
                    f"{kind} {name!r} holds a table {inner!r}; a name with a dot must be quoted,"
                    f' [{key}."{name}.{inner}"]',
                )
        yield name, fields_of(toml, key, name, kind)


def fields_of(toml: TomlText, key: str, name: str, kind: str) -> Fields:
    """The keys of the table ``[key.name]``, each with its line."""
    tables = toml.values[key]
    assert isinstance(tables, dict)
    return Fields(
        values=tables[name],
        owner=f"{kind} {name!r}",
        where=lambda inner: toml.place(key, name, *([inner] if inner else [])),
    )
