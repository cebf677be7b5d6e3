"""Writes the JSON schema of a suite file from the models that read one.

Editors complete and check a suite file with it. pytest checks more, such as names and files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from math import isfinite
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

import summeval_pytest
from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS
from summeval_pytest.metrics.number import NumberSpec
from summeval_pytest.study.eva.printed_eva import PrintedEva
from summeval_pytest.suite import file, values
from summeval_pytest.suite.addresses import EndpointSpec
from summeval_pytest.suite.file import SCOPES, SLICE
from summeval_pytest.suite.lines import OWN_KEYS
from summeval_pytest.suite.rows import COLUMNS
from summeval_pytest.verdict.policy import AGREEMENTS, OF_ERROR
from summeval_pytest.verdict.thresholds import LOWER
from tools.documentation.reference import BLOCKS

SCHEMA: Final = Path(summeval_pytest.__file__).parent / "summeval.schema.json"
_DRAFT: Final = "http://json-schema.org/draft-07/schema#"
_GIVEN: Final = frozenset({"name", "place"})
"""Fields that are no keys of a table."""
_KEY: Final = re.compile(r"- `([^`]+)`(?: \(default [^)]*\))?: (.*)$")
_OWN: Final = {f"^{OWN_KEYS}": True}
Json = dict[str, Any]


def _told(block: str) -> dict[str, str]:
    """What the reference page says of each key of a block."""
    found = (_KEY.match(line) for line in BLOCKS[block]())
    links = re.compile(r"\[([^\]]+)\]\([^)]+\)")
    return {key[1]: links.sub(r"\1", key[2]) for key in found if key}


def _plain(schema: Any) -> Any:
    """A schema without titles and without null, which a TOML file cannot say."""
    match schema:
        case {"anyOf": [only, {"type": "null"}], **more}:
            return _plain({**more, **only})
        case {**keys}:
            kept = {key: value for key, value in keys.items() if key != "title"}
            return {k: _plain(v) for k, v in kept.items() if (k, v) != ("default", None)}
        case [*items]:
            return [_plain(each) for each in items if each != {"type": "null"}]
        case _:
            return schema


def _object(properties: Json, required: Collection[str] = ()) -> Json:
    shape = {"type": "object", "properties": properties, "patternProperties": _OWN}
    needed = {"required": sorted(required)} if required else {}
    return {**shape, "additionalProperties": False, **needed}


def _table(kind: Any, block: str, **given: Json) -> Json:
    """The schema of a table that a model reads, each key with what the reference says of it."""
    schema, told = TypeAdapter(kind).json_schema(), _told("models") | _told(block)
    properties = {}
    for key, own in schema["properties"].items():
        if key not in _GIVEN:
            said = {"description": told[key]} if key in told else {}
            properties[key] = {**given.get(key, _plain(own)), **said}
    return _object(properties, {*schema.get("required", ())} - _GIVEN)


def _tables(inner: Json) -> Json:
    return {"type": "object", "patternProperties": _OWN, "additionalProperties": inner}


_EITHER: Final = ["number", "object"]
_DEEP: Final[Json] = {"type": _EITHER, "additionalProperties": {"type": _EITHER}}
"""A number, or tables in tables: a name with a dot that is not in quotes."""


def _number(named: NumberSpec) -> Json:
    limits = {"minimum": named.low, "maximum": named.high}
    finite = {key: value for key, value in limits.items() if isfinite(value)}
    return {**_DEEP, **finite, "description": named.meaning}


def _named(name: str) -> Json:
    return {"$ref": f"#/definitions/{name}"}


def _definitions() -> Json:
    """The numbers and figures, which stand in several tables of thresholds."""
    ours = {n.name: _number(n) for n in CATALOGUE.values() if n.metric in METRICS}
    return ours | {name: _number(figure) for name, figure in AGREEMENTS.items()}


def _thresholds() -> Json:
    """Tables of numbers. Ours are known by name; a custom metric's are any others."""
    ours = {n.name: _named(n.name) for n in CATALOGUE.values() if n.metric in METRICS}
    known = "|".join(map(re.escape, METRICS))
    names = {"anyOf": [{"enum": sorted(ours)}, {"not": {"pattern": rf"^({known})\."}}]}

    def numbers(more: Json) -> Json:
        shape = {"type": "object", "properties": {**ours, **more}, "propertyNames": names}
        return {**shape, "patternProperties": _OWN, "additionalProperties": _DEEP}

    floors = {name + end: _named(name) for name in AGREEMENTS for end in ("", LOWER)}
    mean, judge = SCOPES
    of_kind = {"^" + re.escape(OF_ERROR): {"type": "number", "minimum": 0, "maximum": 1}}
    one = _object(floors) | {"patternProperties": {**_OWN, **of_kind}}
    agreement = one | {"additionalProperties": one}  # a table of one judge's own
    sliced = _tables(numbers({}))
    return numbers({mean: numbers({}), judge: agreement, SLICE: sliced})


def suite_schema() -> Json:
    """The JSON schema (draft 7) of a suite file."""
    judges = [
        _table(values.JudgeSpec, "model-judges"),
        {"type": "object", "properties": {"use": {"type": "string"}}, "required": ["use"]},
        _table(values.ComposedSpec, "composed-judges"),
        _table(values.DecisionSpec, "decision-judges"),
        _table(values.CascadeSpec, "cascades"),
    ]
    margins = _tables({**_DEEP, "minimum": 0})
    text = {"type": "string"}
    printed = _table(PrintedEva, "printed-eva")
    printed["properties"]["use"] = {"const": f"{PrintedEva.__module__}:{PrintedEva.__name__}"}
    given = {
        "columns": _object(dict.fromkeys(COLUMNS, text)),
        "metrics": {
            **_tables({"type": "object"}),
            "properties": {"eva": {**printed, "required": ["use"]}},
        },
        "systems": _tables(_table(values.SystemSpec, "systems")),
        "endpoints": _tables(_table(EndpointSpec, "endpoints")),
        "judges": _tables({"anyOf": judges}),
        "thresholds": _thresholds(),
        "slices": _tables({"type": "string", "pattern": f"^{OWN_KEYS}"}),
        "compare": _table(values.CompareTable, "compare", no_worse=margins, drop=margins),
        "waivers": _tables(_table(values.Waiver, "waivers")),
    }
    top = _table(file.SuiteKeys, "suite-keys", **given)
    head = {"$schema": _DRAFT, "title": "A suite of summeval_pytest"}
    return {**head, **top, "definitions": _definitions()}


def schema_text() -> str:
    """The text of the schema's file."""
    return json.dumps(suite_schema(), indent=1) + "\n"


def main() -> None:
    """Writes the schema anew."""
    SCHEMA.write_text(schema_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
