"""The suite file: what it names, read and checked key by key."""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.fields import Fields, brief
from summeval_pytest.suite.judge_specs import read_judges
from summeval_pytest.suite.lines import named_file
from summeval_pytest.suite.names import closest
from summeval_pytest.suite.specs import fields_of, read_endpoints, read_systems
from summeval_pytest.suite.thresholds import Thresholds, read_thresholds
from summeval_pytest.suite.toml_text import read_toml
from summeval_pytest.suite.variants import VARIANT_KEYS, Variants, read_variants

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.toml_text import TomlText
    from summeval_pytest.suite.values import (
        EndpointSpec,
        JudgeSpec,
        RecordedSpec,
        SystemSpec,
    )

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
