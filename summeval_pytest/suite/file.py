"""The suite file: systems, endpoints, judges, thresholds, variants and waivers.

Each reader raises a SuiteError, with file and line, at the first mistake in what it reads.
"""

from __future__ import annotations

import os.path
from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, Final, Literal, Protocol, runtime_checkable

from pydantic import Field

from summeval_pytest.errors import Place, SuiteError, SummevalError, foreign_code, searched
from summeval_pytest.questions import OFFLINE
from summeval_pytest.suite.addresses import BUILT_IN_ENDPOINTS, EndpointSpec
from summeval_pytest.suite.entries import (
    FileEntry,
    Given,
    Names,
    Text,
    expecting,
    keys_of,
)
from summeval_pytest.suite.lines import (
    ALL_PAPERS,
    OWN_KEYS,
    RESERVED_SYSTEMS,
    Keys,
    TextFile,
    TomlText,
    brief,
    check_name,
    finite,
)
from summeval_pytest.suite.rows import COLUMNS, read_text, table_kind
from summeval_pytest.suite.values import (
    PROMPTS,
    SOURCE_MARK,
    AnyJudge,
    AskedSpec,
    CascadeSpec,
    CompareTable,
    ComposedSpec,
    DecisionSpec,
    JudgeKeys,
    JudgeSpec,
    Roster,
    Setting,
    SystemSpec,
    UsedSpec,
    Waiver,
)
from summeval_pytest.text.printing import raised

EvaRecall = Literal["both", "matched"]
References = Literal["best", "mean"]


@runtime_checkable
class MetricVariant(Protocol):
    """Another way to measure a metric: the class that ``use`` of its table names."""

    @classmethod
    def read(cls, table: FileEntry, file: TextFile) -> MetricVariant:
        """The variant that a table asks for, which has ``use`` and its own keys."""

    def load(self) -> object:
        """Load what it needs of this machine; an OptionError where that is missing."""

    def recipe(self, judge: Any) -> Mapping[str, str]:
        """Its part of the signature of the numbers that this judge gives."""

    def measure(self, *texts: str, **given: Any) -> Generator[Any, Any, Any]:
        """The dialogue of one pair, with the metric's own arguments."""


OwnOption = tuple[str, str | int | float | bool]
"""An option of a custom metric: its name and its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOptions:
    """The table ``[metrics.NAME]``: the options of a custom metric."""

    metric: str
    values: tuple[OwnOption, ...]
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """The form of all metrics.

    Attributes:
        eva: How eva is measured; None: as usual.
        references: What counts of several references of a paper, for facet and eva.
    """

    eva: MetricVariant | None = None
    eva_recall: EvaRecall = "both"
    references: References = "best"
    own: tuple[OwnOptions, ...] = ()

    def options_of(self, metric: str) -> tuple[OwnOption, ...]:
        """The options of a custom metric; none where the suite has no table of it."""
        return next((each.values for each in self.own if each.metric == metric), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteKeys:
    """The top of a suite file; its tables have readers.

    Attributes:
        papers: The file of papers.
        labels: The file of labels by people. They add the test `judge`.
        eva_recall: Which recall to measure. `"both"`: `eva.recall` and `eva.recall_entailed`
            (whether the reference's facts follow from the summary). `"matched"`: only
            `eva.recall`.
        references: Which score counts if a paper has several references, for facet and eva.
        default_systems: The systems that are gated if no option names one.
        must_pass: Papers on which each system also has to meet the thresholds of means, paper by
            paper. No waiver can excuse them.
        columns: A table from our column names to those of your data files.
        metrics: Tables, options of [custom metrics](../how-to/metric.md), and the
            [variant of EVA-Score](#eva-score-as-printed).
        systems: Tables, [below](#systems).
        endpoints: Tables, [below](#endpoints).
        judges: Tables, [below](#judges).
        thresholds: Tables, [below](#thresholds).
        slices: A table from names to columns of the papers, as in `field = "x_field"`. Each value
            of the column is a [slice](../how-to/thresholds.md#slices) of papers with its own means.
        compare: A table, [below](#compare).
        waivers: Tables, [below](#waivers).
    """

    papers: Text
    labels: Given[Text] = None
    eva_recall: EvaRecall = "both"
    references: References = "best"
    default_systems: Given[Annotated[Names, Field(min_length=1)]] = None
    must_pass: Given[Names] = None
    columns: Any = None
    metrics: Any = None
    systems: Any = None
    endpoints: Any = None
    judges: Any = None
    thresholds: Any = None
    slices: Any = None
    compare: Any = None
    waivers: Any = None


def read_variants(keys: SuiteKeys, toml: TomlText) -> Variants:
    """The variants that a suite file asks for, and the options of custom metrics."""
    tables = dict(tables_of(toml, "metrics"))
    table = tables.pop("eva", None)
    return Variants(
        eva=None if table is None else _variant(table, toml.file),
        eva_recall=keys.eva_recall,
        references=keys.references,
        own=tuple(_own_options(toml, *each) for each in tables.items()),
    )


OURS: Final = f"{__name__.partition('.')[0]}."
"""How the names of this package's modules begin."""


def _variant(table: FileEntry, file: TextFile) -> MetricVariant:
    """The variant of a metric; a suite chooses no code but this package's own."""
    name: str = table.value("use", Text)
    module, _, kind = name.partition(":")
    try:
        found = getattr(import_module(module), kind, None) if module.startswith(OURS) else None
    except ImportError as error:
        raise table.key_fault("use", f"names {brief(name)}: {error}; mend the name") from error
    if not (isinstance(found, type) and issubclass(found, MetricVariant)) or found is MetricVariant:
        what = f"names {brief(name)}, which is no class of {OURS[:-1]} that measures a metric"
        raise table.key_fault("use", f"{what}; mend the name")
    return found.read(table, file)


_FILE: Final = "_file"
"""The end of a key that names a file of the suite; the metric gets the file's text."""


def _own_options(toml: TomlText, metric: str, table: FileEntry) -> OwnOptions:
    """The options of a custom metric, a file's text in place of its name."""
    options: dict[str, Any] = {}
    for key, value in table.values.items():
        if key.endswith(_FILE) and not key.startswith(OWN_KEYS):
            options[key.removesuffix(_FILE)] = read_text(existing_file(table, key, toml.file))
        elif not key.startswith(OWN_KEYS):
            if not isinstance(value, str | bool | int) and finite(value) is None:
                raise table.wrong(key, value, "a text, a number, true or false")
            options[key] = value
    return OwnOptions(metric=metric, values=tuple(sorted(options.items())), place=table.place)


def model_folder(name: str, place: Place, file: TextFile) -> str:
    """The absolute folder of a model beside the suite; else the name, for this machine to find."""
    folder = file.beside(name, place).path
    if os.path.isdir(folder):  # noqa: PTH112 - Path raises for a name that is too long
        return str(folder.absolute())
    if not file.may_leave and os.path.isdir(os.path.expanduser(name)):  # noqa: PTH111, PTH112
        raise file.leaving(name, place)
    return name


def tables_of(
    toml: TomlText, key: str, reserved: Collection[str] = ()
) -> Iterator[tuple[str, FileEntry]]:
    """The sub-tables of a table, by name, each with the lines of its own keys."""
    kind = key.removesuffix("s")
    for name, table in _table(toml, key).values.items():
        owner, where = f"{kind} {name!r}", partial(toml.place, key, name)
        check_name(name, kind, where(), reserved)
        if not isinstance(table, dict):
            raise SuiteError(where(), f"{owner} is {brief(table)}; write a table, [{key}.{name}]")
        for inner, value in table.items():
            if isinstance(value, dict) and not inner.startswith(OWN_KEYS):
                what = f"{owner} holds a table {inner!r}; a name with a dot must be quoted"
                raise SuiteError(where(inner), f'{what}, [{key}."{name}.{inner}"]')
        yield name, FileEntry(values=table, owner=owner, where=where)


def _table(toml: TomlText, key: str) -> FileEntry:
    value = toml.values.get(key, {})
    if not isinstance(value, dict):
        raise SuiteError(toml.place(key), f"{key!r} is {brief(value)}; write a table, [{key}]")
    return FileEntry(values=value, owner=f"[{key}]", where=partial(toml.place, key))


def existing_file(entry: FileEntry, key: str, suite: TextFile) -> TextFile:
    """The file that a key names; it exists, and its path is relative to the suite's folder."""
    name: str = entry.value(key, Text)
    if Path(name).is_absolute() or PureWindowsPath(name).is_absolute():
        raise entry.wrong(key, name, "a path relative to the suite file's folder")
    file = suite.beside(name, entry.where(key))
    if not os.path.isfile(file.path):  # noqa: PTH113 - Path raises for a name that is too long
        what = f"names {brief(name)}, which is no file"
        raise entry.key_fault(key, f"{what}; create it or mend the path")
    return file


def read_columns(toml: TomlText, files: Iterable[TextFile]) -> Mapping[str, str]:
    """The keys whose columns have other names in the tables among these files."""
    columns = _table(toml, "columns")
    for name in columns.values:
        if name not in COLUMNS and not name.startswith(OWN_KEYS):
            raise columns.unknown(name, COLUMNS)
    if columns.values and not any(map(table_kind, files)):
        what = "'columns' names columns, and the suite has no table, such as papers.csv; delete it"
        raise columns.fault("", what)
    return {name: columns.value(name, Text) for name in columns.values}


def read_systems(
    toml: TomlText, endpoints: Collection[str]
) -> tuple[Mapping[str, FileEntry], Mapping[str, SystemSpec]]:
    """The tables of the systems, and the systems, in file order; none if all are models to ask."""
    tables = dict(tables_of(toml, "systems", RESERVED_SYSTEMS))
    return tables, {name: _system(toml.file, name, tables[name], endpoints) for name in tables}


def _system(suite: TextFile, name: str, table: FileEntry, endpoints: Collection[str]) -> SystemSpec:
    spec = table.read(SystemSpec, name=name, place=table.place)
    if (spec.summaries is None) == (spec.endpoint is None):
        both = "both 'summaries' and" if spec.endpoint else "neither 'summaries' nor"
        raise table.fault("", f"{table.owner} has {both} 'endpoint'; write exactly one of them")
    if spec.summaries is not None:
        for key in table.values:
            if key not in ("summaries", "skip") and not key.startswith(OWN_KEYS):
                raise table.key_fault(key, "goes with 'endpoint', not 'summaries'; delete it")
        return spec
    _check_model(spec, table, endpoints)
    if spec.model is None:
        raise table.missing("model")
    return replace(spec, prompt=_prompt(suite, table, spec.prompt))


def _prompt(suite: TextFile, table: FileEntry, name: str) -> str:
    """The name of a built-in prompt, or the text of the file that the key names."""
    if name in PROMPTS:
        return name
    text = read_text(existing_file(table, "prompt", suite))
    if SOURCE_MARK not in text:
        what = f"is {brief(name)}, a file without {SOURCE_MARK}, where the paper belongs"
        raise table.key_fault("prompt", f"{what}; add it")
    return text


def _check_model(
    spec: SystemSpec | AskedSpec, table: FileEntry, endpoints: Collection[str]
) -> None:
    """Refuse an unknown endpoint and an incomplete price."""
    known = {*endpoints, *BUILT_IN_ENDPOINTS}
    what = f"{table.owner} names the unknown endpoint"
    table.check_known("endpoint", str(spec.endpoint), known, what)
    needed = ("input_price", "output_price")
    first = next(filter(table.has, (*needed, "cached_input_price")), "")
    if missing := [key for key in needed if first and not table.has(key)]:
        what = f"{table.owner} has {first!r} and no {missing[0]!r}"
        raise table.fault(first, f"{what}; write both, in dollars per million tokens")


def read_endpoints(toml: TomlText) -> Mapping[str, EndpointSpec]:
    """The endpoints as written; the built-in ones are here only where the suite changes them."""
    endpoints = {}
    for name, table in tables_of(toml, "endpoints"):
        endpoints[name] = table.read(EndpointSpec, name=name)
        if endpoints[name].base_url is None and name not in BUILT_IN_ENDPOINTS:
            raise table.missing("base_url")
    return endpoints


DUTY_KEYS: Final = ("facets", "facts", "sentences")
"""The kinds of questions that a composed judge leaves to others."""
_ASKED: Final[Mapping[type, tuple[str, ...]]] = {
    ComposedSpec: DUTY_KEYS,
    CascadeSpec: ("first", "then"),
    DecisionSpec: ("facts",),
}
"""By kind of judge, the keys that name other judges."""


def read_judges(toml: TomlText, endpoints: Collection[str]) -> Mapping[str, AnyJudge]:
    """The judges in file order. A composed judge asks judges that exist, and never itself.

    The keys of a table tell its kind: ``use`` names a class with other keys, and ``kind`` the route
    of a decision model; ``first`` begins a cascade; nothing but `DUTY_KEYS` composes a judge of
    others; anything else is a model at an endpoint.
    """
    tables = dict(tables_of(toml, "judges", (OFFLINE,)))
    judges = {name: _judge(toml, name, table, endpoints) for name, table in tables.items()}
    asks: dict[str, set[str]] = {name: set() for name in judges}
    for name, judge in judges.items():
        for key in _ASKED.get(type(judge), ()):
            other = getattr(judge, key)
            others = (other,) if isinstance(other, str) else other
            for each in others:
                _check_asked(tables[name], key, each, judges)
                if len(others) > 1 and isinstance(judges.get(each), ComposedSpec):
                    what = f"names the composed judge {each!r} beside others"
                    raise tables[name].key_fault(key, f"{what}; name the judge that it asks")
            asks[name].update(others)
    try:
        TopologicalSorter(asks).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        what = f"judge {circle[0]!r} asks itself: {' -> '.join(circle)}"
        raise tables[circle[0]].fault("", f"{what}; let one of them ask another") from None
    return judges


def _check_asked(table: FileEntry, key: str, other: str, judges: Mapping[str, AnyJudge]) -> None:
    """Refuse a judge that cannot answer the questions of a kind."""
    what = f"{key!r} of {table.owner} names the unknown judge"
    table.check_known(key, other, {OFFLINE, *judges}, what)


def _judge(toml: TomlText, name: str, table: FileEntry, endpoints: Collection[str]) -> AnyJudge:
    keys = {key for key in table.values if not key.startswith(OWN_KEYS)}
    if "use" in keys:
        return UsedSpec(
            name=name,
            use=table.value("use", _Class),
            values={key: table.values[key] for key in keys - {"use"}},
            table=table,
            file=toml.file,
            endpoints=endpoints,
        )
    if keys and keys <= {*DUTY_KEYS, "rule"}:
        composed = table.read(ComposedSpec, name=name)
        _check_rule(composed, table)
        return composed
    if "first" in keys:
        return table.read(CascadeSpec, name=name)
    if "kind" in keys:
        decision = table.read(DecisionSpec, name=name)
        _check_model(decision, table, endpoints)
        return decision
    for key in sorted(keys & {*DUTY_KEYS}):
        what = "goes with a judge that asks other judges, and this one asks a model"
        remedy = "delete it, or write a table of its own"
        raise table.key_fault(key, f"{what}; {remedy}")
    model = table.read(JudgeSpec, name=name)
    _check_model(model, table, endpoints)
    return model


def _check_rule(composed: ComposedSpec, table: FileEntry) -> None:
    """Refuse a rule without several judges, and a majority of two."""
    sizes = {size for key in DUTY_KEYS if (size := len(getattr(composed, key))) > 1}
    if table.has("rule") and not sizes:
        what = "goes with several judges; name them in 'facets', 'facts' or 'sentences'"
        raise table.key_fault("rule", what)
    if composed.rule == "majority" and min(sizes) < _LEAST_MAJORITY:
        raise table.key_fault("rule", 'is "majority", which needs 3 judges or more; name another')


_LEAST_MAJORITY: Final = 3
_Class = Annotated[
    Text,
    Field(pattern=r"^[^\W\d][\w.]*:[^\W\d]\w*$"),
    expecting("a class, package.module:Class"),
]


def used_keys(spec: UsedSpec) -> JudgeKeys:
    """The keys of a judge's class, which is loaded now.

    Raises:
        SuiteError: For a class that cannot be loaded or has no keys, and as for any table.
    """
    module, _, name = spec.use.partition(":")

    def none(error: BaseException) -> SuiteError:
        why = f"{raised(error)}{searched(error)}"
        return spec.table.key_fault("use", f"cannot be loaded: {why}; mend it")

    with foreign_code(none):
        kind = getattr(import_module(module), name)
        is_keys = isinstance(kind, type) and issubclass(kind, JudgeKeys)
        known = keys_of(kind) if is_keys else ()
    if not known or not callable(getattr(kind, "judge", None)):
        what = f"is {spec.use!r}, which is no dataclass of JudgeKeys with a method judge()"
        raise spec.table.key_fault("use", f"{what}; name another class")

    def broken(error: BaseException) -> SuiteError:
        return spec.table.key_fault("use", f"refuses its keys: {raised(error)}; mend them")

    with foreign_code(broken, SummevalError):
        keys: JudgeKeys = spec.table.read(kind, also=("use",), name=spec.name)
    if isinstance(keys, JudgeSpec):
        _check_model(keys, spec.table, spec.endpoints)
    return keys


SLICE: Final = "slice"
"""The table of the thresholds of slices."""
SCOPES: Final = ("mean", "judge")
"""The tables of thresholds that are not about each pair."""
Settings = tuple[Setting, ...]


def read_thresholds(toml: TomlText) -> tuple[Mapping[str, Settings], Mapping[str, Settings]]:
    """The thresholds in file order: by the prefix of their names, and those of slices by slice.

    The prefix of thresholds for pairs is empty. Nested tables are flattened to dotted names.
    """
    depths = {**dict.fromkeys(SCOPES, 1), SLICE: 2}
    groups = _settings(toml, "threshold", ("thresholds",), toml.values.get("thresholds"), depths)
    by_prefix = {"": groups.get((), ()), **{f"{s}.": groups.get((s,), ()) for s in SCOPES}}
    return by_prefix, {path[1]: own for path, own in groups.items() if len(path) == depths[SLICE]}


def read_slice_fields(toml: TomlText) -> Mapping[str, str]:
    """By the name of a field, the column of the papers that it is in."""
    fields = _table(toml, "slices")
    for name, column in fields.values.items():
        check_name(name, "slice", fields.where(name))
        if "=" in name:
            raise fields.key_fault(name, "has '=' in its name; choose another name")
        if not fields.value(name, Text).startswith(OWN_KEYS):
            raise fields.wrong(name, column, f"a column of your own, {OWN_KEYS}NAME")
    return {name: str(column) for name, column in fields.values.items()}


def _settings(
    toml: TomlText, kind: str, table: Keys, values: object, depths: Mapping[str, int]
) -> Mapping[Keys, Settings]:
    """The numbers of a table, by the keys of the inner table that they are grouped by.

    ``depths`` has the number of these keys, by the first; other tables make dotted names.
    """
    groups: defaultdict[Keys, dict[str, Setting]] = defaultdict(dict)
    for path, value in _leaves({} if values is None else values):
        depth = depths.get("".join(path[:1]), 0)
        name, place, number = ".".join(path[depth:]), toml.place(*table, *path), finite(value)
        if not name:
            what = ".".join((*table, *path))
            raise SuiteError(place, f"{what!r} is {brief(value)}; write a table, [{what}]")
        if number is None:
            what = f"the {kind} {name!r} is {brief(value)}"
            raise SuiteError(place, f"{what}; write a finite number")
        group = groups[path[:depth]]
        if first := group.get(name):
            what = f"the {kind} {name!r} stands on line {first.place.line}, too"
            raise SuiteError(place, f"{what}; delete one")
        group[name] = Setting(name=name, value=number, place=place)
    return {keys: tuple(group.values()) for keys, group in groups.items()}


def read_compare(toml: TomlText) -> CompareTable:
    """The margins and the share of papers that comparisons go by."""
    entry, kinds = _table(toml, "compare"), {"no_worse": "margin", "drop": "drop"}
    settings = {
        key: _settings(toml, kind, ("compare", key), entry.values.get(key), {}).get((), ())
        for key, kind in kinds.items()
    }
    return entry.read(CompareTable, also=tuple(kinds), **settings)


def _leaves(value: object, path: Keys = ()) -> Iterator[tuple[Keys, object]]:
    """The values in nested tables that are not tables, with the keys that lead to them."""
    if not isinstance(value, dict):
        yield path, value
        return
    for key, inner in value.items():
        if not key.startswith(OWN_KEYS):
            yield from _leaves(inner, (*path, key))


def read_waivers(
    toml: TomlText, roster: Roster, must_pass: Collection[str] = ()
) -> tuple[Waiver, ...]:
    """The waivers in file order, no two of the same number, and none of a paper that must pass.

    Whether a finding is a number that a threshold can hold is checked by `verdict.thresholds`.
    """
    waivers: dict[tuple[str, str, str], Waiver] = {}
    for name, table in tables_of(toml, "waivers"):
        waiver = table.read(Waiver, name=name, place=table.place)
        roster.check(table, None if waiver.paper == ALL_PAPERS else waiver.paper, waiver.system)
        if waiver.paper in must_pass:
            what = f"waiver {name!r} is of paper {waiver.paper!r}, which 'must_pass' names"
            raise table.fault("paper", f"{what}; delete one of the two")
        of = (waiver.paper, waiver.system, waiver.finding)
        if first := waivers.get(of):
            what = f"waiver {name!r} waives what waiver {first.name!r}"
            raise table.fault("finding", f"{what} on line {first.place.line} waives; delete one")
        waivers[of] = waiver
    return tuple(waivers.values())
