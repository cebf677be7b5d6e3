"""`summeval study`: a suite's systems as the tables and figures of the three papers have them."""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    ASKING,
    NO_ENDPOINTS,
    AllowOutside,
    Asking,
    Endpoints,
    JsonFile,
    check_writable,
    find_own_judges,
    make_folder,
    names_in,
    session_of,
    suite_of,
    write_figures,
)
from summeval_pytest.errors import OptionError
from summeval_pytest.reports.terminal import calls_lines, model_lines
from summeval_pytest.run.golden import check_sentences
from summeval_pytest.study.baselines import check_baselines
from summeval_pytest.study.systems.all_analyses import (
    ANALYSES,
    OF_TEXTS,
    StudiedSystem,
    Study,
    families_of,
    study_of,
)
from summeval_pytest.study.systems.study_material import Material
from summeval_pytest.study.systems.study_tables import study_lines
from summeval_pytest.study.systems.text_profiles import text_numbers
from summeval_pytest.suite.values import JudgeSpec
from summeval_pytest.text.normalise import NORMALISER
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.sentences import SPLITTER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.study.systems.all_analyses import Analysis
    from summeval_pytest.study.systems.study_material import JudgeFound


WIDTH: Final = 80
"""Where there is no terminal."""
_LEAST: Final = 60
_NOVEL: Final[frozenset[Analysis]] = frozenset({"novelty", "associations"})


def study(
    suite: Path,
    /,
    *,
    judge: Annotated[
        tuple[str, ...],
        Parameter(help="who judges (repeat, or commas; default: offline); several make a heat map"),
    ] = (),
    system: Annotated[
        tuple[str, ...],
        Parameter(
            name=["--system", "--model"],
            help="these systems (repeat, or commas; default: all of the suite)",
        ),
    ] = (),
    only: Annotated[
        tuple[str, ...],
        Parameter(
            help="these analyses (repeat, or commas; default: all), without asking a judge:"
            f" {', '.join(sorted(OF_TEXTS))}; with one:"
            f" {', '.join(name for name in ANALYSES if name not in OF_TEXTS)}"
        ),
    ] = (),
    family: Annotated[
        tuple[str, ...],
        Parameter(
            help="NAME=FAMILY of a judge or system (repeat; default: the first letters of its"
            " model's name)"
        ),
    ] = (),
    familiar: Annotated[
        Path | None, Parameter(help="familiar words for Dale-Chall, one a line")
    ] = None,
    json_file: JsonFile = None,
    figures: Annotated[
        Path | None, Parameter(help="draw SVG and PNG files into this folder")
    ] = None,
    allow_outside: AllowOutside = False,
    endpoints: Endpoints = NO_ENDPOINTS,
    asking: Asking = ASKING,
) -> list[str]:
    """The tables, also written as JSON and drawn as figures where these are asked for.

    Raises:
        UsageError: for a mistake in the suite or an option, and for a judge or a system that
            cannot be asked.
        JudgeError: if a judge breaks its contract.
        NoReplyError: if a system's endpoint gave no summary.
    """
    check_baselines("study")
    analyses = _analyses(only)
    words = None if familiar is None else read_familiar(familiar)
    if json_file is not None:
        check_writable(json_file, "--json")
    if figures is not None:
        _check_figures(figures)
    session = session_of(endpoints, asking)
    loaded = suite_of(suite, allow_outside=allow_outside)
    check_sentences(loaded)
    loaded, systems = session.systems(
        loaded, names_in(system, "--system") or loaded.systems, "--system"
    )
    names = names_in(judge, "--judge") or ["offline"]
    judges = [] if OF_TEXTS.issuperset(analyses) else names
    find_own_judges(*names)
    families = families_of(
        {
            name: spec.model if isinstance(spec := loaded.judges.get(name), JudgeSpec) else name
            for name in judges
        },
        {name: loaded.systems[name].model or name for name in systems},
        family,
    )
    session.add_cassette(loaded)
    for name in judges:
        session.judge(name, [loaded])  # one that cannot be is told before anybody is asked
    material = Material(loaded, systems, session)
    try:
        material.read_texts(
            partial(
                text_numbers,
                familiar=words,
                overlap="systems" in analyses,
                novel=not _NOVEL.isdisjoint(analyses),
            )
        )
        found = [material.add_judge(name, families[0][name]) for name in judges]
    finally:
        session.forget_run()
    empty = Study(
        suite=loaded.shown,
        fingerprint=loaded.fingerprint,
        n_papers=len(loaded.paper_ids),
        judges=tuple(each.judge for each in found),
        systems=tuple(
            StudiedSystem(
                name=name, family=families[1][name], n_papers=len(loaded.paper_ids_of(name))
            )
            for name in systems
        ),
        analyses=analyses,
        reading=f"norm:{NORMALISER}|split:{SPLITTER}",
    )
    told = study_of(empty, material.studied(judges, families))
    if json_file is not None:
        write_figures(json_file, "--json", told)
    is_terminal = sys.stdout.isatty()
    columns = shutil.get_terminal_size((WIDTH, 24)).columns if is_terminal else WIDTH
    is_coloured = is_terminal and not os.environ.get("NO_COLOR")
    lines = [*study_lines(told, max(_LEAST, columns), is_coloured=is_coloured), *_calls(found)]
    if figures is not None:
        lines += ["", *_draw(told, figures)]
    return lines


def _analyses(only: Sequence[str]) -> tuple[Analysis, ...]:
    asked = names_in(only, "--only", ANALYSES, "no analysis")
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
    make_folder(folder, "--figures")


def _calls(found: Sequence[JudgeFound]) -> Iterator[str]:
    """What was asked of models, and what is odd about those that replied."""
    for each in found:
        if each.calls:
            yield ""
            yield one_line(f"judge {each.judge.name}", WIDTH)
            yield from calls_lines(each.calls, each.counts)
    yield from model_lines(dict.fromkeys(model for each in found for model in each.models))


def _draw(told: Study, folder: Path) -> list[str]:
    from summeval_pytest.study.systems.figures import draw

    try:
        files = draw(told, folder)
    except OSError as error:
        raise OptionError(
            f"--figures={folder}: cannot be written, {error.strerror}; name another folder"
        ) from None
    return [f"figures in {folder}: {', '.join(files)}"] if files else ["no figure to draw"]
