"""Raw thresholds: the numbers under ``[thresholds]``, each with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.fields import OWN_KEYS, brief, finite
from summeval_pytest.suite.values import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from summeval_pytest.suite.toml_text import TomlText

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
