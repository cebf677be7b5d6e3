"""`summeval study`: a suite's systems as the tables and figures of the three papers have them."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.study_judging import judge_pairs
from summeval_pytest.cli.study_texts import read_texts
from summeval_pytest.cli.terms import check_writable, desk_of, names_in, suite_of, write_figures
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.evaluation import Desk, check_sentences
from summeval_pytest.reports import calls_lines, model_lines
from summeval_pytest.reports.study import study_lines
from summeval_pytest.text import NORMALISER, SPLITTER, one_line
from summeval_pytest.verdict.study import (
    ANALYSES,
    OF_TEXTS,
    Material,
    StudiedJudge,
    StudiedSystem,
    Study,
    families_of,
    study_of,
    text_numbers,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from summeval_pytest.cli.study_judging import JudgeFound
    from summeval_pytest.cli.study_texts import Texts
    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict.study import Analysis, StudiedPair, StudiedText

WIDTH: Final = 80
"""Where there is no terminal."""
_LEAST: Final = 60
_NOVEL: Final[frozenset[Analysis]] = frozenset({"novelty", "associations"})


def study(chosen: argparse.Namespace) -> list[str]:
    """The tables, also written as JSON and drawn as figures where these are asked for.

    Raises:
        UsageError: for a mistake in the suite or an option, and for a judge or a system that
            cannot be asked.
        JudgeError: if a judge breaks its contract.
        NoReplyError: if a system's endpoint gave no summary.
    """
    analyses = _analyses(chosen.only)
    familiar = None if chosen.familiar is None else read_familiar(chosen.familiar)
    if chosen.json is not None:
        check_writable(chosen.json, "--json")
    if chosen.figures is not None:
        _check_figures(chosen.figures)
    desk = desk_of(chosen)
    suite = suite_of(chosen)
    check_sentences(suite)
    suite, systems = desk.systems(
        suite, names_in(chosen.system, "--system") or suite.systems, "--system"
    )
    names = names_in(chosen.judge, "--judge") or ["offline"]
    judges = [] if OF_TEXTS.issuperset(analyses) else names
    families = families_of(
        {name: suite.judges[name].model if name in suite.judges else name for name in judges},
        {name: suite.systems[name].model or name for name in systems},
        chosen.family,
    )
    desk.add_cassette(suite)
    for name in judges:
        desk.judge(name, [suite])  # one that cannot be is told before anybody is asked
    try:
        texts = read_texts(
            suite,
            systems,
            desk,
            partial(
                text_numbers,
                familiar=familiar,
                overlap="systems" in analyses,
                novel=not _NOVEL.isdisjoint(analyses),
            ),
        )
        found = [judge_pairs(name, suite, systems, Desk(desk.terms)) for name in judges]
    finally:
        desk.forget_run()
    empty = _empty(suite, systems, found, families, analyses)
    told, seconds = study_of(empty, _material(texts, found))
    if chosen.json is not None:
        write_figures(chosen.json, "--json", told)
    lines = list(study_lines(told, seconds, width=_width(), colour=_is_coloured()))
    lines += _calls(found)
    if chosen.figures is not None:
        lines += ["", *_draw(told, chosen.figures)]
    return lines


def _empty(
    suite: Suite,
    systems: Sequence[str],
    found: Sequence[JudgeFound],
    families: tuple[Mapping[str, str], Mapping[str, str]],
    analyses: tuple[Analysis, ...],
) -> Study:
    """Who is studied, and what is asked for."""
    of_judge, of_system = families
    return Study(
        suite=suite.shown,
        fingerprint=suite.fingerprint,
        n_papers=len(suite.paper_ids),
        judges=tuple(
            StudiedJudge(
                name=each.name,
                signature=each.signature,
                family=of_judge[each.name],
                recipes=each.recipes,
            )
            for each in found
        ),
        systems=tuple(
            StudiedSystem(name=name, family=of_system[name], n_papers=len(suite.paper_ids_of(name)))
            for name in systems
        ),
        analyses=analyses,
        reading=f"norm:{NORMALISER}|split:{SPLITTER}",
    )


def _analyses(only: Sequence[str]) -> tuple[Analysis, ...]:
    asked = names_in(only, "--only")
    for name in asked:
        if name not in ANALYSES:
            raise OptionError(f"--only={name}: no analysis; {nearest(name, ANALYSES)}")
    return tuple(name for name in ANALYSES if not asked or name in asked)


def read_familiar(file: Path) -> frozenset[str]:
    """The familiar words of a file, one a line, in lower case.

    Raises:
        OptionError: for a file that cannot be read, and for one without a word.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        fault = getattr(error, "strerror", None) or "it is not UTF-8"
        raise OptionError(
            f"--familiar={file}: cannot be read, {fault}; name a file of words, one a line"
        ) from None
    words = frozenset(word for line in text.splitlines() if (word := line.strip().lower()))
    if not words:
        raise OptionError(f"--familiar={file}: holds no word; write the familiar words, one a line")
    return words


def _check_figures(folder: Path) -> None:
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise OptionError(
            f"--figures={folder}: figures are drawn by matplotlib, which is not installed;"
            " pip install 'summeval-pytest[report]'"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(
            f"--figures={folder}: no folder can be made there, {error.strerror}; name another"
        ) from None


def _material(texts: Texts, found: Sequence[JudgeFound]) -> Material:
    """The pairs with what each judge makes of them, in an order that no file gives."""
    order = {system: place for place, system in enumerate(texts.written)}
    pairs = sorted(texts.pairs.values(), key=lambda pair: (order[pair.system], pair.paper))
    references = sorted(texts.references.values(), key=lambda text: text.paper)
    return Material(
        pairs=[_judged(pair, found) for pair in pairs],
        references=[_cut(text, found) for text in references],
        written=texts.written,
        sources=texts.sources,
    )


def _judged(pair: StudiedPair, found: Sequence[JudgeFound]) -> StudiedPair:
    of = pair.system, pair.paper
    judged = {each.name: each.pairs[of] for each in found}
    return replace(pair, judged=judged, text=_cut(pair.text, found))


def _cut(text: StudiedText, found: Sequence[JudgeFound]) -> StudiedText:
    """The text with the facets that each judge has cut it into, beside those of records."""
    cuts = dict(text.cuts)
    for each in found:
        own = each.cuts.get((text.system, text.paper))
        if own is not None:
            cuts[f"judge {each.name}"] = own
    return replace(text, cuts=cuts)


def _calls(found: Sequence[JudgeFound]) -> Iterator[str]:
    """What was asked of models, and what is odd about those that replied."""
    for each in found:
        if each.calls:
            yield ""
            yield one_line(f"judge {each.name}", WIDTH)
            yield from calls_lines(each.calls, each.counts)
    yield from model_lines(dict.fromkeys(model for each in found for model in each.models))


def _draw(told: Study, folder: Path) -> list[str]:
    from summeval_pytest.reports.study.figures import draw

    try:
        files = draw(told, folder)
    except OSError as error:
        raise OptionError(
            f"--figures={folder}: cannot be written, {error.strerror}; name another folder"
        ) from None
    return [f"figures in {folder}: {', '.join(files)}"] if files else ["no figure to draw"]


def _width() -> int:
    """The terminal's width, within what is readable; 80 where there is none."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(_LEAST, shutil.get_terminal_size((WIDTH, 24)).columns)


def _is_coloured() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
