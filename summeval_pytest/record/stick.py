"""The measuring stick: what a suite requires, and what changed in it since a base.

A pull request that lowers a threshold or deletes a paper turns a red release green. Such changes
loosen the stick.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final, Literal

from summeval_pytest.endpoints.endpoint import BUILT_IN_ENDPOINTS
from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.metrics.catalogue import catalogue_of, custom_numbers
from summeval_pytest.questions import OFFLINE
from summeval_pytest.store.cassette import read_cassette
from summeval_pytest.suite.suite import Suite, paper_digest
from summeval_pytest.suite.values import CheckerSpec
from summeval_pytest.verdict.policy import Floors, floors_of, read_floors, suite_rules

Kind = Literal["requires", "permits", "content", "replaces", "reply", "other", "absent"]
_REPLACING: Final = ("judge ", "options of ", *(f"endpoint {e}" for e in BUILT_IN_ENDPOINTS))
"""How the names begin of what, if added, stands in for a model, an address or a default."""
_LFS: Final = b"version https://git-lfs.github.com/spec/v1\noid sha256:"
_NOWHERE: Final = Place("")
_ANY_TEXT: Final = ("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that a suite says.

    Attributes:
        kind: What it does: ``requires`` something, ``permits`` an exception, is ``content`` that
            systems are measured on, ``replaces`` what its name meant before (a model, code, a
            default), is a recorded ``reply``, or anything else. A reply may be added or removed,
            and not changed.
        text: What it says, for messages and to find changes.
        size: How much is required or permitted; None where any change counts.
    """

    kind: Kind
    text: str
    size: float | None = None


_ABSENT: Final = Mark("absent", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class StickChange:
    """One change of a suite since a base; an empty text says that it is not there.

    Attributes:
        loosens: Whether it can turn a red release green.
    """

    name: str
    before: str
    now: str
    loosens: bool

    def __str__(self) -> str:
        """The change in words."""
        if not self.before:
            return f"{self.name} added: {self.now}"
        if not self.now:
            return f"{self.name} removed: {self.before}"
        return f"{self.name} changed: {self.before} -> {self.now}"


def stick_changes(
    before: Suite, now: Suite, *, models: Collection[str] = ()
) -> tuple[StickChange, ...]:
    """What changed since a base, what loosens the stick first.

    ``models`` are the systems that the run names: one that the suite did not have was a live model,
    which a table of its name replaces, as recorded summaries do.
    """
    judges = sorted({"", *(each.judge for suite in (before, now) for each in _floors(suite))})
    old, new = dict(_marks(before, judges)), dict(_marks(now, judges))
    for name, system in now.systems.items():
        was, mark = before.systems.get(name), f"system {name}"
        is_live = name in models if was is None else was.endpoint is not None
        if is_live and (was is None or was.endpoint != system.endpoint):
            new[mark] = replace(new[mark], kind="replaces")
    marks = {name: (old.get(name, _ABSENT), new.get(name, _ABSENT)) for name in (*old, *new)}
    changes = [
        StickChange(name=name, before=was.text, now=now.text, loosens=_loosens(was, now))
        for name, (was, now) in marks.items()
        if was != now and {was.kind, now.kind} != {"reply", "absent"}
    ]
    return tuple(sorted(changes, key=lambda change: not change.loosens))


def _loosens(was: Mark, now: Mark) -> bool:
    if "permits" in {was.kind, now.kind}:
        was, now = now, was
    if "other" in {was.kind, now.kind} or was.kind == "absent":
        return now.kind == "replaces"
    return was.size is None or now.size is None or now.size < was.size


def _marks(suite: Suite, judges: Sequence[str]) -> Iterator[tuple[str, Mark]]:
    """Everything that a suite says, by name, with what each of these judges has to reach."""
    yield from _thresholds(suite)
    for judge in judges:
        for floor in floors_of(_floors(suite), judge).floors:
            name = f"floor of {f'judge {judge}' if judge else 'the judge'} {floor.title}"
            yield name, Mark("requires", f"{floor.least:g}", floor.least)
    for rule in suite_rules(suite.compare):
        # a margin and a significant drop are no sizes of one thing: either way, a change may loosen
        size = None if rule.margin is None else -rule.margin
        text = "no significant drop" if rule.margin is None else f"{rule.margin:g}"
        yield f"margin of {rule.name}", Mark("requires", text, size)
    yield "stick", Mark("requires", suite.stick, float(suite.stick == "fail"))
    share = suite.compare.share
    yield "share of papers in common", Mark("requires", f"{share:g}", share)
    for waiver in suite.waivers:
        bound = "" if waiver.bound is None else f", bound {waiver.bound:g}"
        name = f"waiver of {waiver.finding} for {waiver.system} on {waiver.paper}"
        yield name, Mark("permits", f"until {waiver.expires}{bound}")
    for name, system in suite.systems.items():
        asked = f"{system.model or name} at {system.endpoint}" if system.endpoint else "recorded"
        yield f"system {name}", Mark("other", asked)
        yield from ((f"skip of {p} for {name}", Mark("permits", "skipped")) for p in system.skip)
    yield from _contents(suite)


def _thresholds(suite: Suite) -> Iterator[tuple[str, Mark]]:
    """The thresholds of all scopes."""
    scopes = {f"threshold {scope}": own for scope, own in suite.thresholds.items()}
    del scopes["threshold judge."]  # floors go by the judge
    scopes |= {f"threshold of slice {name} ": own for name, own in suite.slice_thresholds.items()}
    for scope, settings in scopes.items():
        for each in settings:
            number = catalogue_of(custom_numbers([each.name])).get(each.name)
            size = number.oriented(each.value) if number else each.value
            yield f"{scope}{each.name}", Mark("requires", f"{each.value:g}", size)


def _floors(suite: Suite) -> tuple[Floors, ...]:
    return read_floors(suite, OFFLINE)


def _contents(suite: Suite) -> Iterator[tuple[str, Mark]]:
    """What systems and judges are measured on and by, and what replies are recorded."""
    yield from ((f"paper that must pass {p}", Mark("content", "listed")) for p in suite.must_pass)
    yield from ((f"gated system {s}", Mark("content", "gated")) for s in suite.default_systems)
    yield "references", Mark("content", suite.variants.references)
    # a folder of a model is absolute, and the base lies elsewhere
    here = str(suite.path.parent.absolute())
    for name, value in _values(suite).items():
        kind: Kind = "replaces" if name.startswith(_REPLACING) else "content"
        yield name, Mark(kind, _digest(repr(value).replace(here, "").encode(*_ANY_TEXT)))
    for file in sorted(suite.baselines.path.glob("*.json")):
        if file.is_file():
            yield f"baseline {file.stem}", Mark("content", _digest(file.read_bytes()))
    if suite.cassette.path.is_file():
        yield "cassette", Mark("other", _digest(suite.cassette.path.read_bytes()))
        with suppress(SuiteError):  # a pointer of git-lfs has no rows, and a broken one says so
            for row in read_cassette(suite.cassette.path, suite.cassette.shown).rows.values():
                reply = _digest(repr(row.reply).encode(*_ANY_TEXT))
                yield f"recorded reply {row.key}", Mark("reply", reply)


def _values(suite: Suite) -> dict[str, object]:
    """What a suite holds, by name, of which any change counts."""
    eva = suite.variants.eva
    judges = suite.judges.values()
    models = [j.folder for j in judges if isinstance(j, CheckerSpec)] + [eva.encoder or ""]
    return {
        **{f"model {_inside(suite, m)}": _files(Path(m)) for m in models if Path(m).is_absolute()},
        **{f"paper {name}": paper_digest(suite.paper(name)) for name in suite.paper_ids},
        **{f"slice {name}": papers for name, papers in suite.slices.items()},
        **{
            f"label of {system} on {paper}": replace(label, place=_NOWHERE)
            for (paper, system), label in suite.labels.items()
        },
        **{
            f"record by {each.by} of {each.system or 'the reference'} on {each.paper}": each
            for each in suite.recorded
        },
        **{f"judge {name}": judge for name, judge in suite.judges.items()},
        **{f"endpoint {name}": endpoint for name, endpoint in suite.endpoints.items()},
        **{f"eva_{field.name}": getattr(eva, field.name) for field in fields(eva)},
        **{f"options of {table.metric}": table.values for table in suite.variants.own},
    }


def _files(folder: Path) -> list[tuple[str, str]]:
    """The files of a model's folder, each with a digest."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [(f.relative_to(folder).as_posix(), _file_digest(f)) for f in files]


def _file_digest(file: Path) -> str:
    """The sha256 of a file's content, also if the base has git-lfs's pointer to it only."""
    with file.open("rb") as handle:
        start = handle.read(len(_LFS))
        if start == _LFS:
            return handle.read(12).decode(errors="replace")
        handle.seek(0)
        return hashlib.file_digest(handle, "sha256").hexdigest()[:12]


def _inside(suite: Suite, folder: str) -> str:
    here, path = suite.path.parent.absolute(), Path(folder)
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
