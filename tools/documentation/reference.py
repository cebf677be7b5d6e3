"""Writes the tables of the reference pages from the tables of the code.

`python -m tools.documentation.reference` replaces what stands between the marks of each page.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

from cyclopts import Argument

import summeval_pytest
from summeval_pytest.cli.app import COMMANDS, make_app
from summeval_pytest.endpoints.chat import Effort
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS
from summeval_pytest.options import TABLE
from summeval_pytest.store.cassette import Row
from summeval_pytest.study import recorded_judge
from summeval_pytest.study.eva.printed_eva import PrintedEva
from summeval_pytest.study.llm_readings import LlmReadings
from summeval_pytest.study.local_checker import LocalChecker
from summeval_pytest.suite import file, labels, values
from summeval_pytest.suite import rows as rows_of
from summeval_pytest.suite.addresses import EndpointSpec
from summeval_pytest.suite.entries import keys_of
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
    """A list of the keys of a suite's table; a KeyError where nobody says what one means."""
    message, defaults = _attributes(*classes), _defaults(*classes)
    for key in names:
        field = (renamed or {}).get(key, key)
        text = (said or {}).get(key) or message[field]
        text = text.replace("None", "if omitted")
        if key in choices and f'"{next(iter(choices[key]))}"' not in text:
            named = ", ".join(f'`"{choice}"`' for choice in choices[key])
            text = f"{text.rstrip('.:')}: {named}."
        default = _default(defaults.get(field))
        yield f"- `{key}`{f' (default {default})' if default else ''}: {text}"


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
    "endpoints": partial(_keys, _own(EndpointSpec), EndpointSpec, Endpoint),
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
    for named in CATALOGUE.values():
        if named.metric in METRICS:
            reach = named.range.removeprefix("from ").replace(" up", " or more")
            most = "; its threshold is a **maximum**" if named.lower_is_better else ""
            yield f"- `{named.name}` ({reach}{most}): {named.meaning}"


def floors() -> Iterator[str]:
    """The figures of agreement that floors name; the figures of the facets share a line."""
    for name, figure in AGREEMENTS.items():
        if "." not in name:
            yield f"- `{name}` ({figure.range.removeprefix('from ')}): {figure.meaning}"
    yield "- `facet_kappa.FACET`, `facet_exact.FACET`: the same for one facet, such as `result`"
    yield "- `unfaithful_recall.KIND`: the same for the sentences labelled as this kind of error"


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


_SUITE: Final = "SUITE"
"""The argument that the page explains once, at its top."""
_PLACES: Final = {
    "FILE": "the responses, as the Batch API returns them",
    "SHELL": "the shell",
}
"""The arguments whose names say what they are."""


def _option(argument: Argument) -> str:
    """The names of one option, its default, and what it does."""
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
    needed = " (needed)" if argument.required else f" (default `{default}`)" if is_said else ""
    return f"- `{', '.join(names)}{value}`{needed}: {_as_code(message)}"


def commands() -> Iterator[str]:
    """The commands, each with its own arguments, and the names of its options that pytest has."""
    app, flags = make_app(), {option.flag for option in TABLE.values()}
    for command, _, message in COMMANDS:
        each = app
        for word in command.split():
            each = each[word]
        yield from (f"## summeval {command}", "")
        yield f"{_as_code(message[0].upper() + message[1:])}."
        arguments = [a for a in each.assemble_argument_collection(parse_docstring=True) if a.show]
        shared = [a for a in arguments if flags & {*a.names}]
        if any(a.names[0] == _SUITE for a in arguments):
            yield f"Type `summeval {command} {_SUITE}`."
        yield ""
        own = [a for a in arguments if a not in shared and a.names[0] != _SUITE]
        yield from map(_option, own)
        if shared:
            yield f"- As in [pytest](options.md): {', '.join(f'`{a.name}`' for a in shared)}"
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
    suite_keys, numbers, floors, options, commands, data_files, public_names,
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
