"""A run record as text and as a file: JSON with sorted keys, the same bytes for the same run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from summeval_pytest.errors import OptionError
from summeval_pytest.evaluation import GoldenAnswer
from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.text import one_line
from summeval_pytest.verdict import RunRecord, named_agreement

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from dataclasses import Field
    from pathlib import Path

    from pydantic import RootModel, ValidationError

    from summeval_pytest.verdict import SuiteRecord

T = TypeVar("T")
SCHEMA: Final = 1
_HALF: Final = re.compile("[\ud800-\udfff]")
_INSTEAD: Final = "\ufffd"


def _plain(value: object) -> object:
    """What `json` does not know, as what it does."""
    if isinstance(value, GoldenAnswer):  # thousands of them have a label, an answer, no more
        short = {field.name: (getattr(value, field.name), field.default) for field in fields(value)}
        return {name: said for name, (said, default) in short.items() if said != default}
    if is_dataclass(value) and not isinstance(value, type):
        told = {field: getattr(value, field.name) for field in fields(value)}
        return {field.name: said for field, said in told.items() if _is_recorded(field, said)}
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} has no place in a run record")


def _is_recorded(field: Field[Any], said: object) -> bool:
    """Whether a record has a field with this value; its metadata may say that it needs not."""
    match field.metadata.get("recorded"):
        case "never":
            return False
        case "where set":
            return bool(said != field.default)
        case _:
            return True


def as_json(value: object) -> str:
    """A record, or a part of one, as JSON text.

    Half a surrogate pair, which no UTF-8 file can hold, becomes U+FFFD.
    """
    text = json.dumps(value, default=_plain, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return _HALF.sub(_INSTEAD, text)


@cache
def _reader(kind: Any) -> type[RootModel[Any]]:
    """Who reads values of one type, strictly; no number is infinite or none."""
    from pydantic import ConfigDict, RootModel

    class Reader(RootModel[kind]):
        model_config = ConfigDict(strict=True, allow_inf_nan=False)

    return Reader


def from_json(kind: type[T], text: str) -> T:
    """What `as_json` has written, every value of the type that its field says.

    Raises:
        ValueError: for anything else, with the place of the first fault in it.
    """
    from pydantic import ValidationError

    try:
        value: T = _reader(cast("Hashable", kind)).model_validate_json(text, extra="forbid").root
    except ValidationError as error:
        raise ValueError(_first_fault(error)) from None
    return value


def _first_fault(error: ValidationError) -> str:
    """The first fault that is not only that of another kind of score."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    others = [f["loc"][:-1] for f in faults if f["loc"][-1:] == ("metric",)]
    told = (f for f in faults if not any(f["loc"][: len(o)] == o for o in others))
    first = next(told, faults[0])
    place = ".".join(map(str, first["loc"])) or "the whole"
    is_unknown = first["type"] == "unexpected_keyword_argument"
    return f"{place}: {'unknown key' if is_unknown else first['msg']}"


def record_text(record: RunRecord) -> str:
    """A run record as the text of its file, keys sorted: a pair, paper or system is one line.

    So that a difference between two files names the pairs that differ.
    """
    suites = ",\n".join(map(_suite_text, record.suites))
    return (
        f'{{"header": {as_json(record.header)},\n"judge": {as_json(record.judge)},\n'
        f'"schema": {SCHEMA},\n"suites": [\n{suites}\n]}}\n'
    )


def _suite_text(suite: SuiteRecord) -> str:
    names = sorted(field.name for field in fields(suite))
    return "{" + ",\n".join(f'"{name}": {_by_line(getattr(suite, name))}' for name in names) + "}"


def _by_line(value: object) -> str:
    """A value as JSON; each item of a list on a line of its own."""
    if not isinstance(value, tuple) or not value:
        return as_json(value)
    return "[\n" + ",\n".join(map(as_json, value)) + "\n]"


def read_record(file: Path, option: str) -> RunRecord:
    """The run record that a file holds.

    Args:
        file: The file.
        option: What named it, for messages.

    Raises:
        OptionError: for a file that is not there or holds no run record, and for one of another
            schema version.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        fault = getattr(error, "strerror", None) or "it is not UTF-8"
        raise OptionError(
            f"{option}: {file} cannot be read as a run record, {fault};"
            " name a file that --summ-run-record or --summ-save has written"
        ) from None
    try:
        record = from_json(RunRecord, text)
        for suite in record.suites:
            _check_names(suite)
    except ValueError as error:
        _check_schema(text, file, option)
        raise OptionError(
            f"{option}: {file} is no run record: {one_line(str(error))};"
            " name a file that --summ-run-record or --summ-save has written"
        ) from None
    return record


def _check_names(suite: SuiteRecord) -> None:
    """Refuse a record that names a number which this version does not have.

    Raises:
        ValueError: for the first such name.
    """
    for name in _numbers(suite):
        if name not in CATALOGUE:
            raise ValueError(f"unknown number {name!r}")
    for found in suite.trust.agreements if suite.trust is not None else ():
        try:
            named_agreement(found.name)
        except KeyError:
            raise ValueError(f"unknown agreement {found.name!r}") from None


def _numbers(suite: SuiteRecord) -> Iterator[str]:
    """The name of every number in what was decided."""
    yield from (threshold.name for threshold in suite.thresholds.pair)
    yield from (threshold.name for threshold in suite.thresholds.mean)
    yield from (use.waiver.finding for use in suite.waivers)
    for system in suite.systems:
        yield from (mean.name for mean in system.means)
        if system.comparison is not None:
            yield from (difference.name for difference in system.comparison.differences)
    for pair in suite.pairs:
        yield from (short.name for short in pair.verdict.shortfalls)
        yield from (short.name for short in pair.verdict.waived)


def _check_schema(text: str, file: Path, option: str) -> None:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return
    schema = found.get("schema") if isinstance(found, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise OptionError(
            f"{option}: {file} has schema {one_line(str(schema), 20)}, this version reads {SCHEMA};"
            " make the record again, or use the version that wrote it"
        )
