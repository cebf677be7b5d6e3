"""The suite file: systems, endpoints, judges, thresholds, variants and waivers."""

from __future__ import annotations

import datetime as dt
import os.path
import re
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

from summeval_pytest.endpoints.endpoint import BUILT_IN_ENDPOINTS, EndpointSpec, Price
from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import RUBRICS, SENTENCE_MODES, SentenceManner
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
)
from summeval_pytest.suite.values import (
    PROMPTS,
    SOURCE_MARK,
    JudgeSpec,
    RecordedSpec,
    Setting,
    SystemSpec,
    Waiver,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.toml import TomlText
    from summeval_pytest.suite.values import Roster


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
        yield name, _fields_of(toml, key, name, kind)


def _fields_of(toml: TomlText, key: str, name: str, kind: str) -> Fields:
    tables = toml.values[key]
    assert isinstance(tables, dict)
    return Fields(
        values=tables[name],
        owner=f"{kind} {name!r}",
        where=lambda inner: toml.place(key, name, *([inner] if inner else [])),
    )


def existing_file(fields: Fields, key: str, suite: TextFile) -> TextFile:
    """The file that a key names, which has to be there.

    Raises:
        SuiteError: For a path that is absolute, leads out of the suite's folder, or to no file.
    """
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


_PRICE_KEYS: Final = ("input_price", "output_price", "cached_input_price")
_ASKED_KEYS: Final = (
    "model", "prompt", "max_tokens", "context_tokens", "temperature", *_PRICE_KEYS,
)  # fmt: skip
"""The keys of a system that go with an endpoint only."""


def read_systems(toml: TomlText, endpoints: Collection[str]) -> Mapping[str, SystemSpec]:
    """The systems in file order, at least one.

    Raises:
        SuiteError: At the first mistake in ``[systems]``.
    """
    tables = tables_of(toml, "systems", "system", RESERVED_SYSTEMS)
    systems = {name: _system(toml, name, fields, endpoints) for name, fields in tables}
    if not systems:
        raise SuiteError(
            toml.place("systems"),
            "the suite has no system ('systems' is empty); add a table [systems.NAME] with"
            " 'summaries'",
        )
    return systems


def _system(toml: TomlText, name: str, fields: Fields, endpoints: Collection[str]) -> SystemSpec:
    fields.only(("summaries", "endpoint", "skip", *_ASKED_KEYS))
    if fields.has("summaries") == fields.has("endpoint"):
        both = "both 'summaries' and" if fields.has("endpoint") else "neither 'summaries' nor"
        raise fields.fault("", f"{fields.owner} has {both} 'endpoint'; write exactly one of them")
    skip = fields.texts("skip") if fields.values.get("skip", []) != [] else ()
    place = toml.place("systems", name)
    if fields.has("endpoint"):
        return SystemSpec(
            name=name,
            endpoint=_endpoint(fields, endpoints),
            model=fields.text("model"),
            prompt=_prompt(toml, fields),
            max_tokens=fields.count_if_any("max_tokens") or 1024,
            context_tokens=fields.count_if_any("context_tokens"),
            temperature=fields.number_if_any("temperature", 0, 2) or 0.0,
            price=_price(fields),
            skip=skip,
            place=place,
        )
    for key in filter(fields.has, _ASKED_KEYS):
        raise fields.fault(
            key, f"{key!r} of {fields.owner} goes with 'endpoint', not 'summaries'; delete it"
        )
    return SystemSpec(name=name, summaries=fields.text("summaries"), skip=skip, place=place)


def _prompt(toml: TomlText, fields: Fields) -> str:
    """A named prompt as its name, a file as its text."""
    name = fields.text_if_any("prompt") or PROMPTS[0]
    if name in PROMPTS:
        return name
    file = _named_file(fields, "prompt", toml.file)
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


def _price(fields: Fields) -> Price | None:
    """Dollars per million tokens, of the prompt and of the reply; None where neither is there."""
    given = [key for key in _PRICE_KEYS if fields.has(key)]
    if not given:
        return None
    for key in _PRICE_KEYS[:2]:
        if not fields.has(key):
            raise fields.fault(
                given[0],
                f"{fields.owner} has {given[0]!r} and no {key!r}; write both, in dollars per"
                " million tokens",
            )
    prices = {key.removesuffix("_price"): fields.number(key, 0, 100_000) for key in given}
    return Price(**prices)


def _endpoint(fields: Fields, endpoints: Collection[str]) -> str:
    name = fields.text("endpoint")
    known = {*endpoints, *BUILT_IN_ENDPOINTS}
    fields.check_known("endpoint", name, known, f"{fields.owner} names the unknown endpoint")
    return name


def read_default_systems(fields: Fields, systems: Mapping[str, SystemSpec]) -> tuple[str, ...]:
    """The systems that are gated where none is asked for: all, unless the suite names some.

    Raises:
        SuiteError: For an unknown system.
    """
    if not fields.has("default_systems"):
        return tuple(systems)
    names = fields.texts("default_systems")
    for name in names:
        fields.check_known(
            "default_systems", name, systems, "'default_systems' names the unknown system"
        )
    return names


def read_endpoints(toml: TomlText) -> Mapping[str, EndpointSpec]:
    """The endpoints as written; the built-in ones are here only where the suite changes them.

    Raises:
        SuiteError: At the first mistake in ``[endpoints]``.
    """
    endpoints = {}
    for name, fields in tables_of(toml, "endpoints", "endpoint"):
        fields.only(
            ("base_url", "api_key_env", "max_in_flight", "requests_per_minute",
             "tokens_per_minute", "timeout_seconds", "attempt_seconds", "max_reply_mib")
        )  # fmt: skip
        url = None
        if fields.has("base_url") or name not in BUILT_IN_ENDPOINTS:
            url = fields.text("base_url")
            if not url.startswith(("http://", "https://")):
                raise fields.wrong("base_url", url, "a URL that starts with http:// or https://")
        variable = fields.text_if_any("api_key_env")
        if variable and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
            raise fields.fault(  # without the value, which may be the key
                "api_key_env",
                f"'api_key_env' of {fields.owner} is no name of an environment variable; write the"
                " name, and keep the key itself out of every file",
            )
        endpoints[name] = EndpointSpec(
            name=name,
            base_url=url,
            api_key_env=variable,
            max_in_flight=fields.count_if_any("max_in_flight"),
            requests_per_minute=fields.count_if_any("requests_per_minute"),
            tokens_per_minute=fields.count_if_any("tokens_per_minute"),
            timeout_seconds=fields.number_if_any("timeout_seconds", 0.1, 86_400),
            attempt_seconds=fields.number_if_any("attempt_seconds", 0.1, 86_400),
            max_reply_mib=fields.count_if_any("max_reply_mib"),
        )
    return endpoints


def read_judges(
    toml: TomlText, endpoints: Collection[str]
) -> Mapping[str, JudgeSpec | RecordedSpec]:
    """The judges in file order.

    Raises:
        SuiteError: At the first mistake in ``[judges]``.
    """
    judges: dict[str, JudgeSpec | RecordedSpec] = {}
    for name, fields in tables_of(toml, "judges", "judge", ("offline",)):
        judges[name] = (
            _recorded(toml, name, fields)
            if fields.has("recorded")
            else _judge(name, fields, endpoints)
        )
    return judges


def _judge(name: str, fields: Fields, endpoints: Collection[str]) -> JudgeSpec:
    fields.only(
        ("endpoint", "model", "votes", "batched", "rubric", "examples", "pinned", *_PRICE_KEYS,
         "sentences", "strict", "factual")
    )  # fmt: skip
    return JudgeSpec(
        name=name,
        endpoint=_endpoint(fields, endpoints),
        model=fields.text("model"),
        votes=fields.whole("votes", least=1, most=999_999) if fields.has("votes") else 1,
        batched=fields.flag("batched", default=True),
        rubric=fields.choice("rubric", RUBRICS),
        examples=fields.flag("examples", default=False),
        pinned=fields.flag("pinned") if fields.has("pinned") else None,
        price=_price(fields),
        manner=_manner(fields),
    )


def _manner(fields: Fields) -> SentenceManner:
    """How the judge is asked about sentences; being strict about evidence needs evidence."""
    name = fields.text_if_any("sentences") or SENTENCE_MODES[0]
    mode = next((mode for mode in SENTENCE_MODES if mode == name), None)
    if mode is None:
        raise fields.wrong("sentences", name, f"one of {', '.join(map(repr, SENTENCE_MODES))}")
    strict = fields.flag("strict", default=False)
    if strict and mode == "label":
        raise fields.fault(
            "strict",
            f"{fields.owner} is strict about evidence, and sentences = 'label' asks for none;"
            " write 'quotes' or 'label-and-sentences', or delete 'strict'",
        )
    return SentenceManner(mode=mode, strict=strict, factual=fields.flag("factual", default=False))


def _recorded(toml: TomlText, name: str, fields: Fields) -> RecordedSpec:
    fields.only(("recorded", "segments"))
    if "recorded" not in toml.values:
        raise fields.fault(
            "recorded",
            f"{fields.owner} is recorded, and the suite names no file of records; add"
            ' recorded = "recorded.jsonl" at its top',
        )
    return RecordedSpec(name=name, by=fields.text("recorded"), segments_by=fields.text("segments"))


class Thresholds(NamedTuple):
    """The thresholds of pairs, means, corrected means, the judge's agreement, and relations."""

    pairs: tuple[Setting, ...]
    mean: tuple[Setting, ...]
    corrected: tuple[Setting, ...]
    judge: tuple[Setting, ...]
    metamorphic: tuple[Setting, ...]


def read_thresholds(toml: TomlText) -> Thresholds:
    """All thresholds in file order; nested tables are flattened to dotted names.

    Raises:
        SuiteError: For a value that is no finite number, and for a name that stands twice.
    """
    inner = Thresholds._fields[1:]
    values = _table(toml, "thresholds")
    own = {key: value for key, value in values.items() if key not in inner}
    tables = {name: _table(toml, "thresholds", name) for name in inner}
    return Thresholds(
        _settings(toml, ("thresholds",), own),
        *(_settings(toml, ("thresholds", name), table) for name, table in tables.items()),
    )


def _table(toml: TomlText, *path: str) -> Mapping[str, object]:
    value: object = toml.values
    for key in path:
        assert isinstance(value, dict)
        value = value.get(key, {})
    if not isinstance(value, dict):
        name = ".".join(path)
        raise SuiteError(toml.place(*path), f"{name!r} is {brief(value)}; write a table, [{name}]")
    return value


def _settings(
    toml: TomlText, path: tuple[str, ...], values: Mapping[str, object]
) -> tuple[Setting, ...]:
    found: dict[str, Setting] = {}
    for setting in _flat(toml, path, "", values):
        first = found.setdefault(setting.name, setting)
        if first is not setting:
            raise SuiteError(
                setting.place,
                f"the threshold {setting.name!r} stands on line {first.place.line}, too;"
                " delete one",
            )
    return tuple(found.values())


def _flat(
    toml: TomlText, path: tuple[str, ...], prefix: str, values: Mapping[str, object]
) -> Iterator[Setting]:
    for key, value in values.items():
        if key.startswith(OWN_KEYS):
            continue
        name, place = prefix + key, toml.place(*path, key)
        if isinstance(value, dict):
            yield from _flat(toml, (*path, key), f"{name}.", value)
            continue
        number = finite(value)
        if number is None:
            raise SuiteError(
                place, f"the threshold {name!r} is {brief(value)}; write a finite number"
            )
        yield Setting(name=name, value=number, place=place)


EvaRecall = Literal["both", "matched"]
"""Whether EVA-Score also checks the reference's facts against the summary, or only matches them."""
EvaChains = Literal["parent", "adjacent"]
"""Whether a fact refines the one that the judge names, or the one before it (the paper)."""
EvaValidation = Literal["together", "chain"]
"""Whether facts are checked at once, or chain by chain with earlier verdicts (the paper)."""
References = Literal["best", "mean"]
"""What counts of several references of a paper."""
RELATIONS_THRESHOLD: Final = 0.65
"""What ``eva_relations = true`` stands for (EVA-Score, section 3.3): not portable from one encoder
to another (metrics.md EV7)."""

VARIANT_KEYS: Final = (
    "eva_recall", "eva_chains", "eva_validation", "eva_premises", "eva_relations", "encoder",
    "references",
)  # fmt: skip
"""The keys of a suite file that are read here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaVariant:
    """The form of EVA-Score.

    Attributes:
        recall: Whether the reference's facts are checked against the summary, too.
        chains: What makes a chain of the summary's facts.
        validation: Whether facts are checked together or chain by chain.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """The form of all metrics; ``references`` is for those that have some, facet and eva."""

    eva: EvaVariant = EvaVariant()
    references: References = "best"


def read_variants(fields: Fields, file: TextFile) -> Variants:
    """What the top of a suite file asks for.

    Args:
        fields: The top of the file.
        file: The suite file, beside which folders are looked for.

    Raises:
        SuiteError: for a value that no variant has.
    """
    return Variants(
        eva=EvaVariant(
            recall=fields.choice("eva_recall", get_args(EvaRecall)),
            chains=fields.choice("eva_chains", get_args(EvaChains)),
            validation=fields.choice("eva_validation", get_args(EvaValidation)),
            premises=_premises(fields),
            relations=_relations(fields),
            encoder=_encoder(fields, file),
        ),
        references=fields.choice("references", get_args(References)),
    )


def _premises(fields: Fields) -> int | None:
    value = fields.values.get("eva_premises", "all")
    if value == "all":
        return None
    if not is_whole(value) or not 1 <= value <= MOST:
        raise fields.wrong("eva_premises", value, '"all" or a whole number of at least 1')
    return value


def _relations(fields: Fields) -> float | None:
    value = fields.values.get("eva_relations", False)
    if isinstance(value, bool):
        return RELATIONS_THRESHOLD if value else None
    threshold = finite(value)
    if threshold is None or not 0 < threshold <= 1:
        raise fields.wrong("eva_relations", value, "true, false or a number above 0 and up to 1")
    return threshold


def _encoder(fields: Fields, file: TextFile) -> str | None:
    """A folder beside the suite file travels with it; any other name is this machine's to know."""
    if not fields.has("encoder"):
        return None
    name = fields.text("encoder")
    if _premises(fields) is None and _relations(fields) is None:
        raise fields.fault(
            "encoder",
            f"'encoder' of {fields.owner} finds similar facts, and nothing asks for them; add"
            " eva_premises = 3 or eva_relations = true, or delete it",
        )
    folder = file.beside(name, fields.where("encoder")).path
    if os.path.isdir(folder):  # noqa: PTH112 - Path raises for a name that is too long
        return str(folder.absolute())
    if not file.may_leave and os.path.isdir(os.path.expanduser(name)):  # noqa: PTH111, PTH112
        raise file.leaving(name, fields.where("encoder"))
    return name


def read_waivers(toml: TomlText, roster: Roster) -> tuple[Waiver, ...]:
    """The waivers in file order.

    Whether their findings are numbers that a threshold can hold is the verdict's business.

    Raises:
        SuiteError: At the first mistake in ``[waivers]``; for two waivers of the same number, too.
    """
    found: dict[tuple[str, str, str], Waiver] = {}
    for name, fields in tables_of(toml, "waivers", "waiver"):
        waiver = _waiver(toml, name, fields, roster)
        of = (waiver.paper, waiver.system, waiver.finding)
        if first := found.get(of):
            raise fields.fault(
                "finding",
                f"waiver {name!r} waives what waiver {first.name!r} on line {first.place.line}"
                " waives; delete one",
            )
        found[of] = waiver
    return tuple(found.values())


def _waiver(toml: TomlText, name: str, fields: Fields, roster: Roster) -> Waiver:
    fields.only(("paper", "system", "finding", "least", "most", "owner", "reason", "expires"))
    is_mean = fields.values.get("paper") == ALL_PAPERS
    paper = fields.text("paper") if is_mean else roster.paper(fields)
    return Waiver(
        name=name,
        paper=paper,
        system=roster.system(fields, paper),
        finding=fields.text("finding"),
        least=fields.number_if_any("least"),
        most=fields.number_if_any("most"),
        owner=fields.text("owner"),
        reason=fields.text("reason"),
        expires=_day(fields),
        place=toml.place("waivers", name),
    )


def _day(fields: Fields) -> str:
    """The last day of a waiver; TOML has dates, and a text that reads as one will do."""
    expected = "a day, expires = 2027-01-31"
    value = fields.value("expires", expected)
    if isinstance(value, str):
        try:
            value = dt.date.fromisoformat(value)
        except ValueError:
            raise fields.fault(
                "expires", f"'expires' of {fields.owner} is {brief(value)}; write {expected}"
            ) from None
    if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
        raise fields.wrong("expires", value, expected)
    return value.isoformat()
