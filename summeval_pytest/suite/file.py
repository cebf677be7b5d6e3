"""The suite file: what it names, read and checked key by key."""

from __future__ import annotations

import datetime as dt
import os.path
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from summeval_pytest.endpoints.endpoint import BUILT_IN_ENDPOINTS, EndpointSpec, Price
from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.questions import RUBRICS, SENTENCE_MODES, SentenceManner
from summeval_pytest.suite.lines import (
    ALL_PAPERS,
    MOST,
    OWN_KEYS,
    RESERVED_SYSTEMS,
    Fields,
    brief,
    check_name,
    closest,
    finite,
    is_whole,
    named_file,
)
from summeval_pytest.suite.toml import read_toml
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
    from pathlib import Path

    from summeval_pytest.questions import SentenceMode
    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.toml import TomlText
    from summeval_pytest.suite.values import Roster


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


MANNER_KEYS: Final = ("sentences", "strict", "factual")


def read_manner(fields: Fields) -> SentenceManner:
    """How the judge of this table is asked; as usual where it does not say.

    Raises:
        SuiteError: For another word than one of the modes, for what is no truth value, and for a
            judge that is strict about evidence which it is not asked for.
    """
    manner = SentenceManner(
        mode=_mode(fields),
        strict=fields.has("strict") and fields.flag("strict"),
        factual=fields.has("factual") and fields.flag("factual"),
    )
    if manner.strict and manner.mode == "label":
        raise fields.fault(
            "strict",
            f"{fields.owner} is strict about evidence, and sentences = 'label' asks for none;"
            " write 'quotes' or 'label-and-sentences', or delete 'strict'",
        )
    return manner


def _mode(fields: Fields) -> SentenceMode:
    if not fields.has("sentences"):
        return SENTENCE_MODES[0]
    name = fields.text("sentences")
    mode = next((mode for mode in SENTENCE_MODES if mode == name), None)
    if mode is None:
        raise fields.wrong("sentences", name, f"one of {', '.join(map(repr, SENTENCE_MODES))}")
    return mode


MOST_VOTES: Final = 999_999
_RESERVED_JUDGES: Final = frozenset({"offline"})
_JUDGE_KEYS: Final = (
    "endpoint", "model", "votes", "batched", "rubric", "examples", "pinned", *PRICE_KEYS,
    *MANNER_KEYS,
)  # fmt: skip


def read_judges(
    toml: TomlText, endpoints: Collection[str]
) -> Mapping[str, JudgeSpec | RecordedSpec]:
    """The judges in file order.

    Raises:
        SuiteError: At the first mistake in ``[judges]``.
    """
    judges: dict[str, JudgeSpec | RecordedSpec] = {}
    for name, fields in tables_of(toml, "judges", "judge", _RESERVED_JUDGES):
        if fields.has("recorded"):
            judges[name] = _recorded(toml, name, fields)
            continue
        fields.only(_JUDGE_KEYS)
        judges[name] = JudgeSpec(
            name=name,
            endpoint=endpoint_of(fields, endpoints),
            model=fields.text("model"),
            votes=fields.whole("votes", least=1, most=MOST_VOTES) if fields.has("votes") else 1,
            batched=fields.flag("batched") if fields.has("batched") else True,
            rubric=fields.choice("rubric", RUBRICS),
            examples=fields.has("examples") and fields.flag("examples"),
            pinned=fields.flag("pinned") if fields.has("pinned") else None,
            price=price_of(fields),
            manner=read_manner(fields),
        )
    return MappingProxyType(judges)


def _recorded(toml: TomlText, name: str, fields: Fields) -> RecordedSpec:
    fields.only(("recorded", "segments"))
    if "recorded" not in toml.values:
        raise fields.fault(
            "recorded",
            f"{fields.owner} is recorded, and the suite names no file of records; add"
            ' recorded = "recorded.jsonl" at its top',
        )
    return RecordedSpec(name=name, by=fields.text("recorded"), segments_by=fields.text("segments"))


THRESHOLDS: Final = "thresholds"
_SUB_TABLES: Final = ("mean", "corrected", "judge", "metamorphic")


class Thresholds(NamedTuple):
    """The thresholds of pairs, means, corrected means, the judge's agreement, and relations."""

    pairs: tuple[Setting, ...] = ()
    mean: tuple[Setting, ...] = ()
    corrected: tuple[Setting, ...] = ()
    judge: tuple[Setting, ...] = ()
    metamorphic: tuple[Setting, ...] = ()


def read_thresholds(toml: TomlText) -> Thresholds:
    """All thresholds in file order; nested tables are flattened to dotted names.

    Raises:
        SuiteError: For a value that is no finite number, and for a name that stands twice.
    """
    values = _table(toml, (THRESHOLDS,), toml.values.get(THRESHOLDS, {}))
    own = {key: value for key, value in values.items() if key not in _SUB_TABLES}
    mean, corrected, judge, metamorphic = (
        _settings(toml, (THRESHOLDS, name), _table(toml, (THRESHOLDS, name), values.get(name, {})))
        for name in _SUB_TABLES
    )
    return Thresholds(_settings(toml, (THRESHOLDS,), own), mean, corrected, judge, metamorphic)


def _table(toml: TomlText, path: tuple[str, ...], value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise SuiteError(
            toml.place(*path),
            f"{'.'.join(path)!r} is {brief(value)}; write a table, [{'.'.join(path)}]",
        )
    return value


def _settings(
    toml: TomlText, path: tuple[str, ...], values: Mapping[str, object]
) -> tuple[Setting, ...]:
    found: dict[str, Setting] = {}
    for setting in _flat(toml, path, "", values):
        if first := found.get(setting.name):
            raise SuiteError(
                setting.place,
                f"the threshold {setting.name!r} stands on line {first.place.line}, too;"
                " delete one",
            )
        found[setting.name] = setting
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
EVA_RECALLS: Final[tuple[EvaRecall, ...]] = ("both", "matched")
"""Whether EVA-Score also checks the reference's facts against the summary, or only matches them."""
EvaChains = Literal["parent", "adjacent"]
EVA_CHAINS: Final[tuple[EvaChains, ...]] = ("parent", "adjacent")
"""Whether a fact refines the one that the judge names, or the one before it (the paper)."""
EvaValidation = Literal["together", "chain"]
EVA_VALIDATIONS: Final[tuple[EvaValidation, ...]] = ("together", "chain")
"""Whether facts are checked at once, or chain by chain with earlier verdicts (the paper)."""
References = Literal["best", "mean"]
REFERENCES: Final[tuple[References, ...]] = ("best", "mean")
"""What counts of several references of a paper."""
ALL_PREMISES: Final = "all"
RELATIONS_THRESHOLD: Final = 0.65
"""What ``eva_relations = true`` stands for (EVA-Score, section 3.3): not portable from one encoder
to another (metrics.md EV7)."""

VARIANT_KEYS: Final = (
    "eva_recall",
    "eva_chains",
    "eva_validation",
    "eva_premises",
    "eva_relations",
    "encoder",
    "references",
)
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
            recall=fields.choice("eva_recall", EVA_RECALLS),
            chains=fields.choice("eva_chains", EVA_CHAINS),
            validation=fields.choice("eva_validation", EVA_VALIDATIONS),
            premises=_premises(fields),
            relations=_relations(fields),
            encoder=_encoder(fields, file),
        ),
        references=fields.choice("references", REFERENCES),
    )


def _premises(fields: Fields) -> int | None:
    value = fields.values.get("eva_premises", ALL_PREMISES)
    if value == ALL_PREMISES:
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


SUITE_NAME: Final = "summeval.toml"
CASSETTE_NAME: Final = "cassette.jsonl"
BASELINES_NAME: Final = "baselines"
_SUFFIX: Final = f".{SUITE_NAME}"
_KEYS: Final = (
    "papers",
    "labels",
    "recorded",
    *VARIANT_KEYS,
    "calibrate",
    "default_systems",
    "systems",
    "endpoints",
    "judges",
    "thresholds",
    "waivers",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFile:
    """A suite file's contents; every file that it names exists, none has been read.

    ``summaries`` has the systems whose summaries are recorded; ``cassette`` is where recorded
    replies lie, or would: ``cassette.jsonl``, or ``NAME.cassette.jsonl`` of a named suite;
    ``baselines`` is the folder of saved runs, named likewise.
    """

    toml: TomlText
    papers: TextFile
    labels: TextFile | None
    recorded: TextFile | None
    systems: Mapping[str, SystemSpec]
    summaries: Mapping[str, TextFile]
    default_systems: tuple[str, ...]
    endpoints: Mapping[str, EndpointSpec]
    judges: Mapping[str, JudgeSpec | RecordedSpec]
    thresholds: Thresholds
    variants: Variants
    calibrate: bool
    cassette: TextFile
    baselines: TextFile


def is_suite_name(name: str) -> bool:
    """Whether a file of this name is a suite: ``summeval.toml`` or ``NAME.summeval.toml``."""
    return name == SUITE_NAME or (name.endswith(_SUFFIX) and name != _SUFFIX)


def find_suite_file(path: Path, shown: str | None = None) -> Path | None:
    """The suite file that a file or a folder is or holds; None where there is none.

    ``shown`` is how the user named it, for messages.

    Raises:
        SuiteError: For a folder with more than one.
    """
    if path.is_file():
        return path if is_suite_name(path.name) else None
    if not path.is_dir():
        return None
    found = sorted(entry for entry in path.iterdir() if is_suite_name(entry.name))
    if len(found) > 1:
        names = " and ".join(repr(entry.name) for entry in found)
        raise SuiteError(
            Place(shown or path.as_posix()), f"this folder holds {names}; name one of the files"
        )
    return found[0] if found else None


def suite_name(path: Path) -> str:
    """The name of a suite: NAME of ``NAME.summeval.toml``, else that of its folder."""
    return (
        path.name.removesuffix(_SUFFIX) if path.name != SUITE_NAME else path.resolve().parent.name
    )


def read_suite_file(file: TextFile) -> SuiteFile:
    """The contents of a suite file.

    Raises:
        SuiteError: At the first mistake, with its line.
    """
    toml = read_toml(file)
    fields = Fields(values=toml.values, owner="the suite", where=toml.place)
    fields.only(_KEYS)
    endpoints = read_endpoints(toml)
    systems = read_systems(toml, endpoints)
    return SuiteFile(
        toml=toml,
        papers=_named_file(fields, "papers", file),
        labels=_named_file(fields, "labels", file) if fields.has("labels") else None,
        recorded=_named_file(fields, "recorded", file) if fields.has("recorded") else None,
        systems=systems,
        summaries={
            spec.name: _named_file(
                fields_of(toml, "systems", spec.name, "system"), "summaries", file
            )
            for spec in systems.values()
            if spec.summaries is not None
        },
        default_systems=_default_systems(fields, systems),
        endpoints=endpoints,
        judges=read_judges(toml, endpoints),
        thresholds=read_thresholds(toml),
        variants=read_variants(fields, file),
        calibrate=_calibrate(fields),
        cassette=file.beside(f"{file.path.name.removesuffix(SUITE_NAME)}{CASSETTE_NAME}"),
        baselines=file.beside(f"{file.path.name.removesuffix(SUITE_NAME)}{BASELINES_NAME}"),
    )


def _calibrate(fields: Fields) -> bool:
    """Whether ratings are calibrated by the suite's labels, which have to be there for it."""
    calibrate = fields.has("calibrate") and fields.flag("calibrate")
    if calibrate and not fields.has("labels"):
        raise fields.fault(
            "calibrate",
            "'calibrate' needs labels to learn from; name them as labels = \"labels.jsonl\", or"
            " remove 'calibrate'",
        )
    return calibrate


def _named_file(fields: Fields, key: str, suite: TextFile) -> TextFile:
    file = named_file(fields, key, suite)
    if not os.path.isfile(file.path):  # noqa: PTH113 - Path raises for a name that is too long
        raise fields.fault(
            key,
            f"{key!r} of {fields.owner} names {brief(fields.text(key))}, which is no"
            " file; create it or mend the path",
        )
    return file


def _default_systems(fields: Fields, systems: Mapping[str, SystemSpec]) -> tuple[str, ...]:
    if not fields.has("default_systems"):
        return tuple(systems)
    names = fields.texts("default_systems")
    for name in names:
        if name not in systems:
            raise fields.fault(
                "default_systems",
                f"'default_systems' names the unknown system {brief(name)};"
                f" {closest(name, systems)}",
            )
    return names


_WAIVERS_KEYS: Final = ("paper", "system", "finding", "least", "most", "owner", "reason", "expires")


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
    fields.only(_WAIVERS_KEYS)
    is_mean = fields.values.get("paper") == ALL_PAPERS
    paper = fields.text("paper") if is_mean else roster.paper(fields)
    return Waiver(
        name=name,
        paper=paper,
        system=roster.system(fields, paper),
        finding=fields.text("finding"),
        least=fields.number("least") if fields.has("least") else None,
        most=fields.number("most") if fields.has("most") else None,
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
