"""Writes the tables of the reference pages from the tables of the code.

`python -m tools.documentation.reference` replaces what stands between the marks of each page.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final, get_args

from cyclopts import Argument

import summeval_pytest
from summeval_pytest import errors, questions
from summeval_pytest.cli.app import COMMANDS, make_app
from summeval_pytest.endpoints import limits
from summeval_pytest.endpoints.chat import Effort
from summeval_pytest.endpoints.endpoint import Endpoint, EndpointSpec
from summeval_pytest.metrics import eva, facet, facts, faithfulness, number, own
from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS
from summeval_pytest.metrics.number import UNRECORDED
from summeval_pytest.options import TABLE
from summeval_pytest.run import golden
from summeval_pytest.store.cassette import Row
from summeval_pytest.study import recorded_judge
from summeval_pytest.study.eva.printed_eva import PrintedEva
from summeval_pytest.study.llm_readings import LlmReadings
from summeval_pytest.study.local_checker import LocalChecker
from summeval_pytest.suite import file, labels, values
from summeval_pytest.suite import rows as rows_of
from summeval_pytest.suite.entries import keys_of
from summeval_pytest.verdict import differences, means, pair, policy, run, thresholds, trust
from summeval_pytest.verdict.policy import AGREEMENTS

PAGES: Final = Path(__file__).parents[2] / "docs/pages/reference"
BLOCK: Final = re.compile(r"(<!-- written from the code: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _table(*header: str, rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        cells = [str(cell).replace("|", "\\|") for cell in row]
        yield f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """A docstring's text in one line of Markdown."""
    return " ".join(text.split()).replace("``", "`")


def _attributes(*classes: type) -> dict[str, str]:
    """What the docstrings say of each attribute; the first class that says something counts."""
    texts: dict[str, str] = {}
    for each in classes:
        _, _, message = inspect.cleandoc(each.__doc__ or "").partition("Attributes:\n")
        for name, text in re.findall(r"^    (\w+): (.*(?:\n {5,}.*)*)", message, re.MULTILINE):
            texts.setdefault(name, _plain(text))
    return texts


def _defaults(*classes: Any) -> dict[str, object]:
    defaults: dict[str, object] = {}
    for each in (f for one in reversed(classes) for f in fields(one)):
        defaults[each.name] = each.default if each.default is not None else defaults.get(each.name)
    return defaults


def _default(value: object) -> str:
    """A default as a suite writes it; empty where there is none."""
    if value is MISSING or value is None or value == ():
        return ""
    if isinstance(value, tuple):
        (value,) = value
    if isinstance(value, bool | float | int):
        return f"`{str(value).lower() if isinstance(value, bool) else format(value, 'g')}`"
    return f'`"{value}"`'


_CHOICES: Final[Mapping[str, Iterable[str]]] = {
    "prompt": values.PROMPTS,
    "reasoning_effort": get_args(Effort),
    "eva_recall": get_args(file.EvaRecall),
    "references": get_args(file.References),
}


def _keys(
    names: Iterable[str],
    *classes: Any,
    renamed: Mapping[str, str] | None = None,
    said: Mapping[str, str] | None = None,
    choices: Mapping[str, Iterable[str]] = _CHOICES,
) -> Iterator[str]:
    """A table of the keys of a suite's table; a KeyError where nobody says what one means."""
    message, defaults = _attributes(*classes), _defaults(*classes)
    rows = []
    for key in names:
        field = (renamed or {}).get(key, key)
        text = (said or {}).get(key) or message[field]
        text = text.replace("None", "if omitted")
        if key in choices and f'"{next(iter(choices[key]))}"' not in text:
            named = ", ".join(f'`"{choice}"`' for choice in choices[key])
            text = f"{text.rstrip('.:')}: {named}."
        rows.append((f"`{key}`", text, _default(defaults.get(field))))
    return _table("key", "meaning", "default", rows=rows)


def suite_keys() -> Iterator[str]:
    """The top of a suite file."""
    top = [key for key in keys_of(file.SuiteKeys) if key not in _TABLES]
    yield from _keys((*top, *_TABLES), file.SuiteKeys)


_TABLES: Final = (
    "columns",
    "metrics",
    "systems",
    "endpoints",
    "judges",
    "thresholds",
    "compare",
    "waivers",
)


def _own(kind: Any) -> list[str]:
    """The keys of a table."""
    keys = [key for key in keys_of(kind) if key not in {"name", "place"}]
    shared = [field.name for base in kind.__bases__ if is_dataclass(base) for field in fields(base)]
    return sorted(keys, key=lambda key: key in shared)


_ASKS: Final = "The judge of {}: a judge of the suite, `offline`, or a list of these."
_DUTIES: Final = {key: _ASKS.format(key) for key in file.DUTY_KEYS}
_DUTIES["facts"] += " The first one lists them."
_PROMPT: Final = "A named prompt, or a file with `{source}` in place of the paper."
_SYSTEM, _JUDGE, _DECIDES = values.SystemSpec, values.JudgeSpec, values.DecisionSpec
_OF_MODELS: Final = [
    key for key in _own(_JUDGE) if key in keys_of(_SYSTEM) and key not in {"endpoint", "model"}
]
"""The keys of every table that names a model; they have a table of their own."""


def _but_models(kind: Any) -> list[str]:
    return [key for key in _own(kind) if key not in _OF_MODELS]


_OF_TABLES: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    "systems": partial(_keys, _but_models(_SYSTEM), _SYSTEM, said={"prompt": _PROMPT}),
    "endpoints": partial(_keys, _own(file.EndpointKeys), EndpointSpec, Endpoint),
    "models": partial(_keys, _OF_MODELS, *_JUDGE.__mro__[:3]),
    "model-judges": partial(_keys, _but_models(_JUDGE), _JUDGE),
    "decision-judges": partial(_keys, _but_models(_DECIDES), _DECIDES),
    "checkers": partial(
        _keys,
        _own(LocalChecker),
        LocalChecker,
        choices={},
    ),
    "recorded-judges": partial(
        _keys, _own(recorded_judge.RecordedJudge), recorded_judge.RecordedJudge
    ),
    "readings": partial(
        _keys, [key for key in _own(LlmReadings) if key not in keys_of(_JUDGE)], LlmReadings
    ),
    "composed-judges": partial(
        _keys, _own(values.ComposedSpec), values.ComposedSpec, said=_DUTIES, choices={}
    ),
    "cascades": partial(_keys, _own(values.CascadeSpec), values.CascadeSpec),
    "compare": partial(_keys, keys_of(values.CompareTable), values.CompareTable),
    "printed-eva": partial(_keys, keys_of(PrintedEva), PrintedEva),
    "waivers": partial(_keys, _own(values.Waiver), values.Waiver),
}
"""By its block, what the keys of a table of the suite mean."""


def numbers() -> Iterator[str]:
    """The numbers that thresholds name."""
    rows = [
        (
            f"`{named.name}`" + (", **at most**" if named.lower_is_better else ""),
            named.meaning,
            named.range.removeprefix("from ").replace(" up", " or more"),
        )
        for named in CATALOGUE.values()
        if named.metric in METRICS
    ]
    yield from _table("number", "what it is", "range", rows=rows)


def floors() -> Iterator[str]:
    """The figures of agreement that floors name; the figures of one facet share a row."""
    rows = [
        (f"`{name}`", f.meaning, f.range.removeprefix("from "))
        for name, f in AGREEMENTS.items()
        if "." not in name
    ]
    parts = [
        ("`facet_kappa.FACET`", "quadratic kappa of this facet's ratings", "-1 to 1"),
        ("`facet_exact.FACET`", "share of this facet's ratings that are as labelled", "0 to 1"),
        (
            "`unfaithful_recall.KIND`",
            "`unfaithful_recall` on the sentences that the labels give this kind of error",
            "0 to 1",
        ),
    ]
    yield from _table("figure", "what it is", "range", rows=[*rows, *parts])


def options() -> Iterator[str]:
    """The options of pytest, each with a heading, which a search finds first."""
    for option in TABLE.values():
        value = f"={option.metavar}" if option.metavar else ""
        message = _as_code(option.help[0].upper() + option.help[1:])
        yield from (f"## {option.flag}{value}", "", f"{message}.", "")


def _as_code(text: str) -> str:
    """A help text as Markdown: names of options and variables as code."""
    name = r"(?:--?[a-z][\w-]*|[A-Z]+(?:_[A-Z]+)+)"
    return re.sub(rf"(?<![\w`])({name}(?:=[\w./:=-]*\w)?)(?![\w`])", r"`\1`", text)


_PLACES: Final = {
    "SUITE": "the suite, a folder or its file",
    "FILE": "the responses, as the Batch API returns them",
    "SHELL": "the shell",
}
"""The arguments whose names say what they are."""


def _option(argument: Argument) -> tuple[str, str, str]:
    """The names of one option, what it does, and its default."""
    names = [n for n in argument.names if not n.startswith(("--no-", "--empty-"))]
    hint = str(argument.hint)
    kinds = {"Path": "FILE", "int": "N", "float": "X", "str": "NAME", "Literal": "NAME"}
    word = next((word for kind, word in kinds.items() if kind in hint), "")
    many = "..." * hint.startswith("tuple")
    value = f" {word}{many}" if names[0].startswith("-") and word else ""
    message = _plain(argument.parameter.help or _PLACES[names[0]])
    if choices := argument.get_choices():
        message += f": {', '.join(f'`{each}`' for each in choices)}"
    default = argument.field_info.default
    is_said = default not in {None, False, (), inspect.Parameter.empty}
    needed = "**needed**" if argument.required else f"`{default}`" if is_said else ""
    return f"`{', '.join(names)}{value}`", _as_code(message), needed


def commands() -> Iterator[str]:
    """The commands, each with its own arguments, and the names of its options that pytest has."""
    app, flags = make_app(), {option.flag for option in TABLE.values()}
    for command, _, message in COMMANDS:
        each = app
        for word in command.split():
            each = each[word]
        yield from (f"## summeval {command}", "")
        yield from (f"{_as_code(message[0].upper() + message[1:])}.", "")
        arguments = [a for a in each.assemble_argument_collection(parse_docstring=True) if a.show]
        shared = [a for a in arguments if flags & {*a.names}]
        own = [_option(a) for a in arguments if a not in shared]
        yield from (*_table("argument", "meaning", "default", rows=own), "")
        if shared:
            names = ", ".join(f"`{a.name}`" for a in shared)
            yield from (f"And [options of pytest](options.md): {names}.", "")


_MODULES: Final = (
    run, number, facet, facts, eva, faithfulness, own, pair, means, policy,
    differences, trust, thresholds, golden, limits,
    questions, errors, values, labels,
)  # fmt: skip
"""Where the values of a run record are."""
_NAMES: Final = {
    name: value
    for module in _MODULES
    for name, value in vars(module).items()
    if "pydantic" not in getattr(value, "__module__", "")
}
_WORDS: Final = {
    "str": "text",
    "MetricName": "text",
    "Text": "text",
    "int": "whole number",
    "float": "number",
    "Number": "number",
    "bool": "true or false",
    "None": "null",
    "Any": "any value",
    "Dispute": "list [text, text]",
    "q.Dispute": "list [text, text]",
}
_LISTS: Final = {"PairList": "PairResult"}
_DECIDED: Final = {each.__name__ for each in (pair, means, policy, trust, thresholds)}
"""The modules of the values that each command computes again."""


def _is_listed(value: Any) -> bool:
    """Whether the page has the keys of a value: it is read, and not computed again."""
    return value.__module__ not in _DECIDED and value not in _COMPARED


_COMPARED: Final = (
    differences.Comparison, differences.Difference, differences.Flip, differences.SliceChange,
    values.Waiver,
)  # fmt: skip
"""Other values that each command computes again, or that the suite file has."""


def _json(node: ast.expr) -> str:
    """What an annotation is in JSON, in words."""
    match node:
        case ast.BinOp(left=left, right=right):
            return f"{_json(left)} or {_json(right)}"
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=parts)):
            return _generic(name, parts)
        case ast.Subscript(value=ast.Name(id=name), slice=part):
            return _generic(name, [part])
        case _:
            name = ast.unparse(node)
            return _WORDS.get(name) or _named(name)


def _generic(name: str, parts: list[ast.expr]) -> str:
    if name == "Mapping":
        return "object"
    if name == "Annotated":
        return _json(parts[0])
    if name == "Given":
        return f"{_json(parts[0])} or null"
    if name == "Literal":
        return ", ".join(f"`{ast.literal_eval(each)}`" for each in parts)
    is_list = name != "tuple" or ast.unparse(parts[-1]) == "..."
    words = [_json(each) for each in (parts[:1] if is_list else parts)]
    return f"list of {words[0]}" if is_list else f"list [{', '.join(words)}]"


def _named(name: str) -> str:
    name = name.rpartition(".")[2]
    if name in _LISTS:
        return f"list of {_named(_LISTS[name])}"
    value = _NAMES[name]
    if is_dataclass(value):
        return f"[{name}](#{name.lower()})" if _is_listed(value) else f"`{name}`"
    parts = get_args(value)
    named = (_named(each.__name__) if isinstance(each, type) else f"`{each}`" for each in parts)
    return ", ".join(named)


def _kept(value: Any) -> list[Field[Any]]:
    return [each for each in fields(value) if each.metadata != UNRECORDED]


def _with_parts(value: Any, classes: dict[str, Any]) -> dict[str, Any]:
    """A class and those of its fields, each after the one that holds it."""
    classes.setdefault(value.__name__, value)
    for field in _kept(value):
        for name in re.findall(r"\w+", str(field.type)):
            named = _NAMES.get(_LISTS.get(name, name))
            parts: tuple[Any, ...] = (named, *get_args(named))
            for part in parts:
                if is_dataclass(part) and isinstance(part, type) and part.__name__ not in classes:
                    _with_parts(part, classes)
    return classes


def run_record() -> Iterator[str]:
    """The values of a run record, as their JSON has them."""
    for name, each in _with_parts(run.RunRecord, {}).items():
        if not _is_listed(each):
            continue
        text, _, _ = inspect.cleandoc(each.__doc__).partition("Attributes:\n")
        yield from (f"### {name}", "")
        for paragraph in text.partition("Raises:")[0].strip().split("\n\n"):
            yield from (_plain(paragraph).replace("None", "null"), "")
        about = {key: text.replace("None", "null") for key, text in _attributes(each).items()}
        keys = [
            (_json(ast.parse(str(f.type), mode="eval").body), about.get(f.name, ""), f"`{f.name}`")
            for f in _kept(each)
        ]
        # Keys of one type that say nothing else share a line.
        for (kind, meaning), group in groupby(keys, key=lambda key: key[:2]):
            names = [key[2] for key in group]
            yield f"- {', '.join(names)}: {kind}{f'. {meaning}' if meaning else ''}"
        yield ""


def data_files() -> Iterator[str]:
    """The keys of the lines of papers, summaries and labels."""
    lines = {
        "papers": rows_of.PAPER_COLUMNS,
        "summaries": rows_of.SUMMARY_COLUMNS,
        "labels": _own(labels.Label),
        "records": _own(recorded_judge.Recorded),
        "cassette": [f.name for f in fields(Row)],
    }
    rows = [(f"`{name}`", ", ".join(f"`{key}`" for key in keys)) for name, keys in lines.items()]
    yield from _table("a line of", "its keys", rows=rows)


_CLASSES: Final = {name for name in summeval_pytest.__all__ if not name.isupper()}


def public_names() -> Iterator[str]:
    """The names of the package, each with the first sentence of its docstring."""
    docs = {name: inspect.getdoc(getattr(summeval_pytest, name)) for name in sorted(_CLASSES)}
    message = {name: _plain((doc or "").split("\n\n")[0]) for name, doc in docs.items()}
    message["ENDLESS"] = "The upper end of the range of a count, which is unbounded."
    rows = [(f"`{name}`", message[name]) for name in summeval_pytest.__all__]
    yield from _table("name", "what it is", rows=rows)


_WRITERS: Final = (
    suite_keys, numbers, floors, options, commands, run_record, data_files, public_names,
)  # fmt: skip
BLOCKS: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    **_OF_TABLES,
    **{function.__name__.replace("_", "-"): function for function in _WRITERS},
}


def written(text: str) -> str:
    """A page whose blocks are as the code has them."""

    def block(match: re.Match[str]) -> str:
        lines = "\n".join(BLOCKS[match[2]]()).strip()
        return f"{match[1]}\n{lines}\n\n{match[3]}"

    return BLOCK.sub(block, text)


def main() -> None:
    """Writes every page anew."""
    for page in sorted(PAGES.glob("*.md")):
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
