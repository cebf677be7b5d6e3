"""The suite file: systems, endpoints, thresholds, variants and waivers.

Each reader raises a SuiteError, with file and line, at the first mistake in what it reads.
"""

from __future__ import annotations

import datetime as dt
import os.path
import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

from summeval_pytest.endpoints.endpoint import BUILT_IN_ENDPOINTS, EndpointSpec, Price
from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.lines import (
    ALL_PAPERS,
    MOST,
    OWN_KEYS,
    RESERVED_SYSTEMS,
    Fields,
    brief,
    check_name,
    finite,
    is_whole,
    number_in,
    one_of,
)
from summeval_pytest.suite.rows import COLUMNS, is_table, read_text
from summeval_pytest.suite.values import (
    PROMPTS,
    SOURCE_MARK,
    Setting,
    SystemSpec,
    Waiver,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from summeval_pytest.errors import Place
    from summeval_pytest.suite.lines import Readers, TextFile
    from summeval_pytest.suite.toml import TomlText
    from summeval_pytest.suite.values import Roster


def tables_of(
    toml: TomlText, key: str, kind: str, reserved: Collection[str] = ()
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
        yield (
            name,
            Fields(
                values=table,
                owner=f"{kind} {name!r}",
                where=lambda inner, name=name: toml.place(key, name, inner),  # type: ignore[misc]
            ),
        )


def existing_file(fields: Fields, key: str, suite: TextFile) -> TextFile:
    """The file that a key names: relative, in the suite's folder, and there."""
    file = _named_file(fields, key, suite)
    if not os.path.isfile(file.path):  # noqa: PTH113 - Path raises for a name that is too long
        raise fields.fault(
            key,
            f"{key!r} of {fields.owner} names {brief(fields.text(key))}, which is no"
            " file; create it or mend the path",
        )
    return file


def _named_file(fields: Fields, key: str, suite: TextFile) -> TextFile:
    name = fields.text(key)
    if Path(name).is_absolute() or PureWindowsPath(name).is_absolute():
        raise fields.wrong(key, name, "a path relative to the suite file's folder")
    return suite.beside(name, fields.where(key))


def read_columns(toml: TomlText, files: Iterable[TextFile]) -> Mapping[str, str]:
    """The keys whose columns are called otherwise in the tables among these files."""
    key = "columns"
    names = _table(toml, key)
    fields = Fields(values=names, owner=f"[{key}]", where=partial(toml.place, key))
    fields.only(COLUMNS)
    if names and not any(map(is_table, files)):
        raise SuiteError(
            toml.place(key),
            f"{key!r} names columns, and the suite has no table, such as papers.csv; delete it",
        )
    return {name: fields.text(name) for name in names}


PRICE_KEYS: Final = ("input_price", "output_price", "cached_input_price")
"""What a model's tokens cost; the keys of a system and of a judge."""
_ASKED: Final[Readers] = {
    "endpoint": Fields.text,
    "max_tokens": Fields.whole,
    "context_tokens": Fields.whole,
    "temperature": number_in(0, 2),
}
"""The keys of a system that go with an endpoint only, but for those of `_MORE`."""

_MORE: Final = ("model", "prompt", *PRICE_KEYS)


def read_systems(
    toml: TomlText, tables: Mapping[str, Fields], endpoints: Collection[str]
) -> Mapping[str, SystemSpec]:
    """The systems of these tables in file order, at least one."""
    if not tables:
        raise SuiteError(
            toml.place("systems"),
            "the suite has no system ('systems' is empty); add a table [systems.NAME] with"
            " 'summaries'",
        )
    return {name: _system(toml.file, name, fields, endpoints) for name, fields in tables.items()}


def system_tables(toml: TomlText) -> Mapping[str, Fields]:
    """The tables of the systems by name."""
    return dict(tables_of(toml, "systems", "system", RESERVED_SYSTEMS))


def _system(suite: TextFile, name: str, fields: Fields, endpoints: Collection[str]) -> SystemSpec:
    asked = (*_ASKED, *_MORE)
    fields.only(("summaries", "skip", *asked))
    if fields.has("summaries") == fields.has("endpoint"):
        both = "both 'summaries' and" if fields.has("endpoint") else "neither 'summaries' nor"
        raise fields.fault("", f"{fields.owner} has {both} 'endpoint'; write exactly one of them")
    skip = fields.texts("skip") if fields.values.get("skip", []) != [] else ()
    if fields.has("summaries"):
        for key in filter(fields.has, asked):
            raise fields.fault(
                key, f"{key!r} of {fields.owner} goes with 'endpoint', not 'summaries'; delete it"
            )
        return SystemSpec(
            name=name, summaries=fields.text("summaries"), skip=skip, place=fields.place
        )
    check_endpoint(fields, endpoints)
    given = {
        "name": name,
        "model": fields.text("model"),
        "prompt": _prompt(suite, fields),
        "price": read_price(fields),
        "skip": skip,
        "place": fields.place,
    }
    return fields.part(_ASKED).read(SystemSpec, _ASKED, given=given)


def _prompt(suite: TextFile, fields: Fields) -> str:
    """A named prompt as its name, a file as its text."""
    name = fields.if_any("prompt", Fields.text) or PROMPTS[0]
    if name in PROMPTS:
        return name
    file = _named_file(fields, "prompt", suite)
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


def read_price(fields: Fields) -> Price | None:
    """Dollars per million tokens, of the prompt and of the reply; None where neither is there."""
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
    prices = {key.removesuffix("_price"): fields.number(key, 0, 100_000) for key in given}
    return Price(**prices)


def check_endpoint(fields: Fields, endpoints: Collection[str]) -> None:
    """Refuse a table whose endpoint nobody defines."""
    known = {*endpoints, *BUILT_IN_ENDPOINTS}
    name = fields.text("endpoint")
    fields.check_known("endpoint", name, known, f"{fields.owner} names the unknown endpoint")


def read_default_systems(top: Fields, systems: Mapping[str, SystemSpec]) -> tuple[str, ...]:
    """The systems that are gated where none is asked for: all, unless the suite names some."""
    key = "default_systems"
    names = top.if_any(key, Fields.texts)
    for name in names or ():
        top.check_known(key, name, systems, f"{key!r} names the unknown system")
    return names or tuple(systems)


def _url(fields: Fields, key: str) -> str:
    url = fields.text(key)
    if not url.startswith(("http://", "https://")):
        raise fields.wrong(key, url, "a URL that starts with http:// or https://")
    return url


def _variable(fields: Fields, key: str) -> str:
    variable = fields.text(key)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
        raise fields.fault(  # without the value, which may be the key
            key,
            f"{key!r} of {fields.owner} is no name of an environment variable; write the"
            " name, and keep the key itself out of every file",
        )
    return variable


_ENDPOINT: Final[Readers] = {
    "base_url": _url,
    "api_key_env": _variable,
    "max_in_flight": Fields.whole,
    "requests_per_minute": Fields.whole,
    "tokens_per_minute": Fields.whole,
    "timeout_seconds": number_in(0.1, 86_400),
    "attempt_seconds": number_in(0.1, 86_400),
    "max_reply_mib": Fields.whole,
}


def read_endpoints(toml: TomlText) -> Mapping[str, EndpointSpec]:
    """The endpoints as written; the built-in ones are here only where the suite changes them."""
    endpoints = {}
    for name, fields in tables_of(toml, "endpoints", "endpoint"):
        endpoints[name] = fields.read(EndpointSpec, _ENDPOINT, given={"name": name})
        if name not in BUILT_IN_ENDPOINTS:
            fields.text("base_url")
    return endpoints


SCOPES: Final = ("mean", "corrected", "judge")
"""The tables of thresholds that do not hold each pair."""


def read_thresholds(toml: TomlText) -> Mapping[str, tuple[Setting, ...]]:
    """The thresholds of each scope in file order, those of pairs under the empty name.

    Nested tables are flattened to dotted names.
    """
    found: dict[str, dict[str, Setting]] = {scope: {} for scope in ("", *SCOPES)}
    for scope, settings in found.items():
        path = ("thresholds", scope) if scope else ("thresholds",)
        for setting in _flat(toml, path, _table(toml, *path), left_out=() if scope else SCOPES):
            first = settings.setdefault(setting.name, setting)
            if first is not setting:
                raise SuiteError(
                    setting.place,
                    f"the threshold {setting.name!r} stands on line {first.place.line}, too;"
                    " delete one",
                )
    return {scope: tuple(settings.values()) for scope, settings in found.items()}


def _table(toml: TomlText, *path: str) -> Mapping[str, object]:
    value: object = toml.values
    for key in path:
        assert isinstance(value, dict)
        value = value.get(key, {})
    if not isinstance(value, dict):
        name = ".".join(path)
        raise SuiteError(toml.place(*path), f"{name!r} is {brief(value)}; write a table, [{name}]")
    return value


def _flat(
    toml: TomlText,
    path: tuple[str, ...],
    values: Mapping[str, object],
    prefix: str = "",
    left_out: Collection[str] = (),
) -> Iterator[Setting]:
    for key, value in values.items():
        name, place = prefix + key, toml.place(*path, key)
        if key.startswith(OWN_KEYS) or key in left_out:
            continue
        if isinstance(value, dict):
            yield from _flat(toml, (*path, key), value, f"{name}.")
            continue
        number = finite(value)
        if number is None:
            raise SuiteError(
                place, f"the threshold {name!r} is {brief(value)}; write a finite number"
            )
        yield Setting(name=name, value=number, place=place)


EvaRecall = Literal["both", "matched"]
EvaChains = Literal["parent", "adjacent"]
EvaValidation = Literal["together", "chain"]
References = Literal["best", "mean"]
RELATIONS_THRESHOLD: Final = 0.65
"""What ``eva_relations = true`` stands for (EVA-Score, section 3.3): not portable from one encoder
to another (metrics.md EV7)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaVariant:
    """The form of EVA-Score.

    Attributes:
        recall: Whether the reference's facts are also checked against the summary, or only matched.
        chains: Whether a fact refines the one that the judge names, or the one before it (the
            paper).
        validation: Whether facts are checked at once, or chain by chain with earlier verdicts (the
            paper).
        premises: With how many facts of the reference each is checked, one by one; None for all.
        relations: Relations across sentences count unless a fact is as similar as this, above 0
            to 1; None for none.
        encoder: The model of this machine that tells which facts are similar: the folder, absolute,
            where it stands beside the suite file, else as the suite names it; None for TF-IDF.
    """

    recall: EvaRecall = "both"
    chains: EvaChains = "parent"
    validation: EvaValidation = "together"
    premises: int | None = None
    relations: float | None = None
    encoder: str | None = None


OwnOption = tuple[str, str | int | float | bool]
"""What a metric of one's own is told, by a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOptions:
    """The table ``[metrics.NAME]``: what a metric of one's own is made with, by name."""

    metric: str
    values: tuple[OwnOption, ...]
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """The form of all metrics.

    Attributes:
        references: What counts of several references of a paper, for facet and eva.
    """

    eva: EvaVariant = EvaVariant()
    references: References = "best"
    own: tuple[OwnOptions, ...] = ()

    def options_of(self, metric: str) -> tuple[OwnOption, ...]:
        """The options of a metric of one's own; none where the suite has no table of it."""
        return next((each.values for each in self.own if each.metric == metric), ())


def _premises(fields: Fields, key: str) -> int | None:
    value = fields.values[key]
    if value == "all":
        return None
    if not is_whole(value) or not 1 <= value <= MOST:
        raise fields.wrong(key, value, '"all" or a whole number of at least 1')
    return value


def _relations(fields: Fields, key: str) -> float | None:
    value = fields.values[key]
    if isinstance(value, bool):
        return RELATIONS_THRESHOLD if value else None
    threshold = finite(value)
    if threshold is None or not 0 < threshold <= 1:
        raise fields.wrong(key, value, "true, false or a number above 0 and up to 1")
    return threshold


_EVA: Final[Readers] = {
    "eva_recall": one_of(get_args(EvaRecall)),
    "eva_chains": one_of(get_args(EvaChains)),
    "eva_validation": one_of(get_args(EvaValidation)),
    "eva_premises": _premises,
    "eva_relations": _relations,
    "encoder": Fields.text,
}
_REFERENCES: Final[Readers] = {"references": one_of(get_args(References))}
VARIANT_KEYS: Final = (*_EVA, *_REFERENCES)
"""The keys at the top of a suite file that `read_variants` reads."""


def read_variants(top: Fields, file: TextFile) -> Variants:
    """What the top of a suite file asks for; an encoder's folder is looked for beside the file."""
    renamed = {key: key.removeprefix("eva_") for key in _EVA}
    eva = top.part(_EVA).read(EvaVariant, _EVA, renamed=renamed)
    if eva.encoder is not None:
        eva = replace(eva, encoder=_encoder(top, file, eva))
    return top.part(_REFERENCES).read(Variants, _REFERENCES, given={"eva": eva})


_FILE: Final = "_file"
"""How a key ends that names a file of the suite; the metric gets its text."""


def read_own_options(toml: TomlText) -> tuple[OwnOptions, ...]:
    """The options of metrics of one's own, in file order."""
    return tuple(
        OwnOptions(
            metric=name,
            values=tuple(
                sorted(
                    _own_option(toml, fields, key)
                    for key in fields.values
                    if not key.startswith(OWN_KEYS)
                )
            ),
            place=fields.place,
        )
        for name, fields in tables_of(toml, "metrics", "metric")
    )


def _own_option(toml: TomlText, fields: Fields, key: str) -> OwnOption:
    """An option by its name, a file's text in place of its name."""
    if key.endswith(_FILE):
        return key.removesuffix(_FILE), read_text(existing_file(fields, key, toml.file))
    value = fields.values[key]
    if not isinstance(value, str | bool | int) and finite(value) is None:
        raise fields.wrong(key, value, "a text, a number, true or false")
    return key, cast("str | int | float | bool", value)


def _encoder(fields: Fields, file: TextFile, eva: EvaVariant) -> str:
    """A folder beside the suite file travels with it; any other name is this machine's to know."""
    if eva.premises is None and eva.relations is None:
        raise fields.fault(
            "encoder",
            f"'encoder' of {fields.owner} finds similar facts, and nothing asks for them; add"
            " eva_premises = 3 or eva_relations = true, or delete it",
        )
    return model_folder(fields, "encoder", file)


def model_folder(fields: Fields, key: str, file: TextFile) -> str:
    """The model that a key names: a folder beside the suite, absolute, else the name as it is."""
    name, place = fields.text(key), fields.where(key)
    folder = file.beside(name, place).path
    if os.path.isdir(folder):  # noqa: PTH112 - Path raises for a name that is too long
        return str(folder.absolute())
    if not file.may_leave and os.path.isdir(os.path.expanduser(name)):  # noqa: PTH111, PTH112
        raise file.leaving(name, place)
    return name


def read_waivers(toml: TomlText, roster: Roster) -> tuple[Waiver, ...]:
    """The waivers in file order, no two of the same number.

    Whether a finding is a number that a threshold can hold is checked by `verdict.thresholds`.
    """
    found: dict[tuple[str, str, str], Waiver] = {}
    for name, fields in tables_of(toml, "waivers", "waiver"):
        fields.only(("paper", "system", *_WAIVER))
        is_mean = fields.values.get("paper") == ALL_PAPERS
        paper = fields.text("paper") if is_mean else roster.paper(fields)
        system = roster.system(fields, paper)
        given = {"name": name, "paper": paper, "system": system, "place": fields.place}
        waiver = fields.part(_WAIVER).read(Waiver, _WAIVER, given=given)
        of = (paper, system, waiver.finding)
        if first := found.get(of):
            raise fields.fault(
                "finding",
                f"waiver {name!r} waives what waiver {first.name!r} on line {first.place.line}"
                " waives; delete one",
            )
        found[of] = waiver
    return tuple(found.values())


def _day(fields: Fields, key: str) -> str:
    """The last day of a waiver; TOML has dates, and a text that reads as one will do."""
    expected = "a day, expires = 2027-01-31"
    value = day = fields.value(key, expected)
    if isinstance(value, str):
        try:
            day = dt.date.fromisoformat(value)
        except ValueError:
            raise fields.wrong(key, value, expected) from None
    if not isinstance(day, dt.date) or isinstance(day, dt.datetime):
        raise fields.wrong(key, value, expected)
    return day.isoformat()


_WAIVER: Final[Readers] = {
    "finding": Fields.text,
    "least": Fields.number,
    "most": Fields.number,
    "owner": Fields.text,
    "reason": Fields.text,
    "expires": _day,
}
