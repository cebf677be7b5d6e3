"""The tables of a suite file that name systems, endpoints and judges."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.fields import OWN_KEYS, Fields, brief
from summeval_pytest.suite.names import RESERVED_SYSTEMS, check_name, closest
from summeval_pytest.suite.values import (
    BUILT_IN_ENDPOINTS,
    EndpointSpec,
    JudgeSpec,
    SystemSpec,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from summeval_pytest.suite.toml_text import TomlText

_RESERVED_JUDGES: Final = frozenset({"offline"})
_SYSTEM_KEYS: Final = ("summaries", "endpoint", "model", "prompt", "skip")


def read_systems(toml: TomlText, endpoints: Collection[str]) -> Mapping[str, SystemSpec]:
    """The systems in file order, at least one.

    Raises:
        SuiteError: At the first mistake in ``[systems]``.
    """
    tables = _tables(toml, "systems", "system", RESERVED_SYSTEMS)
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
    spec = SystemSpec(
        name=name,
        summaries=fields.text_if_any("summaries"),
        endpoint=_endpoint(fields, endpoints) if fields.has("endpoint") else None,
        model=fields.text("model") if fields.has("endpoint") else None,
        prompt=fields.text_if_any("prompt"),
        skip=fields.texts("skip") if fields.values.get("skip", []) != [] else (),
        place=toml.place("systems", name),
    )
    for key in ("model", "prompt"):
        if spec.summaries is not None and fields.has(key):
            raise fields.fault(
                key, f"{key!r} of {fields.owner} goes with 'endpoint', not 'summaries'; delete it"
            )
    return spec


def read_endpoints(toml: TomlText) -> Mapping[str, EndpointSpec]:
    """The endpoints as written; the built-in ones are here only where the suite changes them.

    Raises:
        SuiteError: At the first mistake in ``[endpoints]``.
    """
    endpoints = {}
    for name, fields in _tables(toml, "endpoints", "endpoint", ()):
        fields.only(("base_url", "max_in_flight"))
        url = None
        if fields.has("base_url") or name not in BUILT_IN_ENDPOINTS:
            url = fields.text("base_url")
            if not url.startswith(("http://", "https://")):
                raise fields.wrong("base_url", url, "a URL that starts with http:// or https://")
        limit = fields.whole("max_in_flight", least=1) if fields.has("max_in_flight") else None
        endpoints[name] = EndpointSpec(name=name, base_url=url, max_in_flight=limit)
    return MappingProxyType(endpoints)


def read_judges(toml: TomlText, endpoints: Collection[str]) -> Mapping[str, JudgeSpec]:
    """The judges in file order.

    Raises:
        SuiteError: At the first mistake in ``[judges]``.
    """
    judges = {}
    for name, fields in _tables(toml, "judges", "judge", _RESERVED_JUDGES):
        fields.only(("endpoint", "model", "votes"))
        judges[name] = JudgeSpec(
            name=name,
            endpoint=_endpoint(fields, endpoints),
            model=fields.text("model"),
            votes=fields.whole("votes", least=1) if fields.has("votes") else 1,
        )
    return MappingProxyType(judges)


def _endpoint(fields: Fields, endpoints: Collection[str]) -> str:
    name = fields.text("endpoint")
    known = {*endpoints, *BUILT_IN_ENDPOINTS}
    if name not in known:
        raise fields.fault(
            "endpoint",
            f"{fields.owner} names the unknown endpoint {brief(name)}; {closest(name, known)}",
        )
    return name


def _tables(
    toml: TomlText, key: str, kind: str, reserved: Collection[str]
) -> Iterator[tuple[str, Fields]]:
    """The sub-tables of a table, by name, each with the lines of its own keys."""
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
