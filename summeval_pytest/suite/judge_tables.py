"""The judges of a suite file: models, checkers, records, and judges composed of others.

What a table holds tells its kind: ``recorded`` names records, ``checker`` a model of this machine;
nothing but `DUTY_KEYS` composes a judge of others; anything else is a model at an endpoint.
"""

from __future__ import annotations

import re
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import (
    FACET_READINGS,
    OFFLINE,
    RUBRICS,
    SENTENCE_MODES,
    SentenceManner,
)
from summeval_pytest.suite.file import (
    PRICE_KEYS,
    check_endpoint,
    model_folder,
    read_price,
    tables_of,
)
from summeval_pytest.suite.lines import OWN_KEYS, Fields, is_whole, number_in, one_of
from summeval_pytest.suite.values import CheckerSpec, ComposedSpec, JudgeSpec, RecordedSpec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from summeval_pytest.suite.lines import Readers, TextFile
    from summeval_pytest.suite.toml import TomlText
    from summeval_pytest.suite.values import AnyJudge


_MODEL: Final[Readers] = {
    "endpoint": Fields.text,
    "model": Fields.text,
    "votes": lambda fields, key: fields.whole(key, 1, 999_999),
    "batched": Fields.flag,
    "rubric": one_of(RUBRICS),
    "examples": Fields.flag,
    "facets": one_of(FACET_READINGS),
    "pinned": Fields.flag,
}


def _mode(fields: Fields, key: str) -> str:
    name = fields.text(key)
    if name not in SENTENCE_MODES:
        raise fields.wrong(key, name, f"one of {', '.join(map(repr, SENTENCE_MODES))}")
    return name


_MANNER: Final[Readers] = {"sentences": _mode, "strict": Fields.flag, "factual": Fields.flag}
_WAYS: Final = {"facets": FACET_READINGS, "facts": (), "sentences": SENTENCE_MODES}
"""By key of a composed judge, what the same key of a model may say; no judge can be meant."""
DUTY_KEYS: Final = tuple(_WAYS)
"""What a composed judge leaves to others."""


def read_judges(toml: TomlText, endpoints: Collection[str]) -> Mapping[str, AnyJudge]:
    """The judges in file order; whom a composed one asks is there, and never itself."""
    tables = dict(tables_of(toml, "judges", "judge", (OFFLINE,)))
    judges: dict[str, AnyJudge] = {}
    for name, fields in tables.items():
        keys = [key for key in fields.values if not key.startswith(OWN_KEYS)]
        if "recorded" in keys:
            judges[name] = _recorded(toml, name, fields)
        elif "checker" in keys:
            judges[name] = _checker(toml.file, name, fields)
        elif keys and set(keys) <= _WAYS.keys():
            judges[name] = _composed(name, fields, tables)
        else:
            _check_names_no_judge(fields, keys, tables)
            judges[name] = _model(name, fields, endpoints)
    for name, fields in tables.items():
        _check_asked(name, fields, judges)
    _check_no_circle(toml, judges)
    return judges


def _model(name: str, fields: Fields, endpoints: Collection[str]) -> JudgeSpec:
    fields.only((*_MODEL, *_MANNER, *PRICE_KEYS))
    check_endpoint(fields, endpoints)
    given = {"name": name, "price": read_price(fields), "manner": _manner(fields)}
    return fields.part(_MODEL).read(JudgeSpec, _MODEL, given=given)


def _check_names_no_judge(fields: Fields, keys: list[str], judges: Collection[str]) -> None:
    """Refuse a model that asks other judges, since the same keys say how it reads."""
    for key, ways in _WAYS.items():
        value = fields.values.get(key)
        is_judge = isinstance(value, str) and value not in ways and value in {OFFLINE, *judges}
        if is_judge or (key == "facts" and key in keys):
            other = next(other for other in keys if other not in _WAYS)
            raise fields.fault(
                key,
                f"{key!r} of {fields.owner} names a judge to ask, and {other!r} makes it a model of"
                " its own; write two tables, one of them with no key but"
                f" {', '.join(map(repr, DUTY_KEYS))}",
            )


def _manner(fields: Fields) -> SentenceManner:
    """How the judge is asked about sentences; being strict about evidence needs evidence."""
    manner = fields.part(_MANNER).read(SentenceManner, _MANNER, renamed={"sentences": "mode"})
    if manner.strict and manner.mode == "label":
        raise fields.fault(
            "strict",
            f"{fields.owner} is strict about evidence, and sentences = 'label' asks for none;"
            " write 'quotes' or 'label-and-sentences', or delete 'strict'",
        )
    return manner


def _recorded(toml: TomlText, name: str, fields: Fields) -> RecordedSpec:
    fields.only(("recorded", "segments"))
    if "recorded" not in toml.values:
        raise fields.fault(
            "recorded",
            f"{fields.owner} is recorded, and the suite names no file of records; add"
            ' recorded = "recorded.jsonl" at its top',
        )
    return RecordedSpec(name=name, by=fields.text("recorded"), segments_by=fields.text("segments"))


def _composed(name: str, fields: Fields, judges: Collection[str]) -> ComposedSpec:
    for key, ways in _WAYS.items():
        if fields.values.get(key) in ways:
            way = fields.text(key)
            also = f", and rename the judge {way!r}" if way in judges else ""
            raise fields.fault(
                key,
                f"{key!r} of {fields.owner} is {way!r}, a way in which a model is asked, and there"
                " is no model; add 'endpoint' and 'model', or name the judge to ask, as in"
                f" {key} = {OFFLINE!r}{also}",
            )
    readers: Readers = dict.fromkeys(_WAYS, Fields.text)
    return fields.read(ComposedSpec, readers, given={"name": name})


def _label(fields: Fields, key: str) -> str | int:
    value = fields.values[key]
    return value if is_whole(value) else fields.text(key)


def _device(fields: Fields, key: str) -> str:
    name = fields.text(key)
    if not re.fullmatch(r"[a-z]+(:\d{1,3})?", name):
        raise fields.wrong(key, name, '"cpu", "auto" or a device of torch such as "cuda:0"')
    return name


_CHECKER: Final[Readers] = {
    "checker": Fields.text,
    "supported": _label,
    "threshold": number_in(0, 1),
    "window": Fields.whole,
    "joined": Fields.flag,
    "device": _device,
    "facets": Fields.text,
    "facts": Fields.text,
}


def _checker(file: TextFile, name: str, fields: Fields) -> CheckerSpec:
    spec = fields.read(CheckerSpec, _CHECKER, {"checker": "folder"}, {"name": name})
    return replace(spec, folder=model_folder(fields, "checker", file))


def _check_asked(name: str, fields: Fields, judges: Mapping[str, AnyJudge]) -> None:
    """Refuse a judge that asks nobody, or records for what they do not hold."""
    for key, asked in _asked(judges[name]):
        what = f"{key!r} of {fields.owner} names the unknown judge"
        fields.check_known(key, asked, {OFFLINE, *judges}, what)
        if isinstance(judges.get(asked), RecordedSpec) and key != "facets":
            raise fields.fault(
                key,
                f"{key!r} of {fields.owner} names {asked!r}, whose records hold facets and nothing"
                " else; name another judge",
            )


def _asked(judge: AnyJudge) -> Iterator[tuple[str, str]]:
    """By key, whom a judge asks."""
    if isinstance(judge, ComposedSpec | CheckerSpec):
        yield from ((key, getattr(judge, key)) for key in DUTY_KEYS if hasattr(judge, key))


def _check_no_circle(toml: TomlText, judges: Mapping[str, AnyJudge]) -> None:
    asked = {name: {whom for _, whom in _asked(judge)} for name, judge in judges.items()}
    try:
        TopologicalSorter(asked).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        raise SuiteError(
            toml.place("judges", circle[0]),
            f"judge {circle[0]!r} asks itself: {' -> '.join(circle)}; name another judge in one of"
            " these tables",
        ) from None
