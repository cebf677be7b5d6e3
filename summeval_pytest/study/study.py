"""`summeval study`: a suite's systems as the tables and figures of the three papers have them."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Final

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    ASKING,
    ENDPOINTS,
    JsonFile,
    check_writable,
    find_own_judges,
    make_folder,
    names_in,
    opened,
    with_options,
    write_figures,
)
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.options import Options
from summeval_pytest.reports.terminal import calls_lines, model_lines
from summeval_pytest.run.golden import check_sentences
from summeval_pytest.study.baselines import check_baselines
from summeval_pytest.study.systems.analyses import ANALYSES
from summeval_pytest.study.systems.studied import Material, StudiedJudge
from summeval_pytest.study.systems.texts import text_numbers
from summeval_pytest.study.tables import Row, named, table_lines
from summeval_pytest.suite.lines import TextFile, text_lines
from summeval_pytest.suite.values import AskedSpec
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.text.reading import NORMALISER
from summeval_pytest.text.sentences import SPLITTER

WIDTH: Final = 80
"""Where there is no terminal."""
_LEAST: Final = 60
_NOVEL: Final = frozenset({"novelty", "associations"})


@with_options("allow_outside", *ENDPOINTS, *ASKING)
def study(
    suite: Path,
    /,
    *,
    judge: tuple[str, ...] = (),
    system: Annotated[tuple[str, ...], Parameter(name=["--system", "--model"])] = (),
    only: Annotated[
        tuple[str, ...],
        Parameter(
            help="these analyses (repeat, or commas; default: all); without a judge:"
            f" {', '.join(n for n, each in ANALYSES.items() if not each.needs_judge)}; with one:"
            f" {', '.join(n for n, each in ANALYSES.items() if each.needs_judge)}"
        ),
    ] = (),
    family: tuple[str, ...] = (),
    familiar: Path | None = None,
    json_file: JsonFile = None,
    figures: Path | None = None,
    options: Options,
) -> list[str]:
    """The tables, also written as JSON and drawn as figures where these are asked for.

    Args:
        judge: the judge (repeat, or commas; default: offline); several make a heat map
        system: these systems (repeat, or commas; default: all of the suite)
        family: NAME=FAMILY: the model family of a judge or system (repeat; default: the first
            letters of its model's name, as gpt of gpt-6-luna)
        familiar: familiar words for Dale-Chall, one per line
        figures: draw SVG and PNG files into this folder
    """
    check_baselines("study")
    chosen = names_in(only, "--only", ANALYSES, "no analysis")
    analyses = [name for name in ANALYSES if not chosen or name in chosen]
    words = None if familiar is None else read_familiar(familiar)
    if json_file is not None:
        check_writable(json_file, "--json")
    if figures is not None and find_spec("matplotlib") is None:
        raise OptionError(
            f"--figures={figures}: figures are drawn by matplotlib, which is not installed;"
            " pip install 'summeval-pytest[report]'"
        )
    if figures is not None:
        make_folder(figures, "--figures")
    loaded, session = opened(suite, options)
    check_sentences(loaded)
    loaded, systems = session.systems(
        loaded, names_in(system, "--system") or loaded.systems, "--system"
    )
    names = names_in(judge, "--judge") or ["offline"]
    judges = names if any(ANALYSES[name].needs_judge for name in analyses) else []
    find_own_judges(*names)
    families = families_of(
        {
            name: spec.model if isinstance(spec, AskedSpec) else name
            for name in judges
            for spec in [session.judge_spec(name, [loaded])]
        },
        {name: loaded.systems[name].model or name for name in systems},
        family,
    )
    for name in judges:
        session.judge(name, [loaded])  # one that cannot be is refused before anybody is asked
    read = partial(
        text_numbers,
        familiar=words,
        overlap="systems" in analyses,
        novel=not _NOVEL.isdisjoint(analyses),
    )
    try:
        material = Material(loaded, systems, session, read)
        studied = [material.add_judge(name, families[0][name]) for name in judges]
    finally:
        session.replies.forget_run()
    of = material.studied(judges, families)
    rows = {
        each.key: list(each.rows(of)) if name in analyses else [] for name, each in ANALYSES.items()
    }
    result: Row = {
        "suite": loaded.shown,
        "fingerprint": loaded.fingerprint,
        "n_papers": len(loaded.paper_ids),
        "judges": [each.judge for each in studied],
        "systems": [
            {"name": name, "family": families[1][name], "n_papers": len(loaded.paper_ids_of(name))}
            for name in systems
        ],
        "analyses": analyses,
        "reading": f"norm:{NORMALISER}|split:{SPLITTER}",
        **rows,
    }
    if json_file is not None:
        write_figures(json_file, "--json", result)
    lines = [*_lines(result), *_calls(studied)]
    if figures is not None:
        lines += ["", *_draw(rows, figures)]
    return lines


def _lines(result: Row) -> Iterator[str]:
    """All tables that have rows, in the width of the terminal, and above them who was studied."""
    is_terminal = sys.stdout.isatty()
    width = max(_LEAST, shutil.get_terminal_size((WIDTH, 24)).columns if is_terminal else WIDTH)
    is_coloured = is_terminal and not os.environ.get("NO_COLOR")
    head = f"{result['suite']}: {result['n_papers']:,} papers, suite {result['fingerprint']}"
    yield one_line(head, width)
    for judge in result["judges"]:
        line = f"judge {judge['name']} (family {judge['family']}): {judge['signature']}"
        yield one_line(line, 300)
    systems = (
        f"{named(system['name'])} ({system['n_papers']:,}, {named(system['family'])})"
        for system in result["systems"]
    )
    yield from map(safe, wrap(f"systems (papers, family): {', '.join(systems)}", width))
    yield from wrap(
        "Intervals: 95 %, papers resampled. Under a number, n of N says that it covers n of N"
        " papers; papers without a value are never counted as 0.",
        width,
    )
    for each in ANALYSES.values():
        for table in each.tables(result[each.key]) if result[each.key] else ():
            if table.rows:
                yield ""
                yield from table_lines(table, width, is_coloured=is_coloured)


_STEM = re.compile(r"[^\W\d_]+")


def stem_of(name: str) -> str:
    """The first run of letters of a model's name, behind a vendor's, in lower case.

    >>> stem_of("openai/GPT-4o-2024-08-06"), stem_of("llama2_70b"), stem_of("7")
    ('gpt', 'llama', '7')
    """
    last = name.rsplit("/", 1)[-1]
    match = _STEM.search(last)
    return (match.group() if match else last).lower()


def families_of(
    judges: Mapping[str, str], systems: Mapping[str, str], named: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The family of each judge, and that of each system, both given with the model behind a name.

    The user says ``NAME=FAMILY``; where a judge and a system have one name, it is said of both.

    Raises:
        OptionError: for a text without a family, and for a name that nobody has.
    """
    families = tuple({name: stem_of(of[name]) for name in of} for of in (judges, systems))
    for text in named:
        name, _, family = text.rpartition("=")
        if not name or not family:
            raise OptionError(f"--family={text}: no family; write NAME=FAMILY, as gpt35=openai")
        if not any(name in of for of in families):
            raise OptionError(
                f"--family={text}: no judge or system {name!r} is studied;"
                f" {nearest(name, {*judges, *systems})}"
            )
        for of in families:
            if name in of:
                of[name] = family.lower()
    return families[0], families[1]


def read_familiar(file: Path) -> frozenset[str]:
    """The familiar words of a file, one a line, in lower case.

    Raises:
        UsageError: for a file that cannot be read, and for one without a word.
    """
    lines = text_lines(TextFile(file, file.as_posix()))
    words = frozenset(word for line in lines if (word := line.strip().lower()))
    if not words:
        raise OptionError(f"--familiar={file}: holds no word; write the familiar words, one a line")
    return words


def _calls(material: Sequence[StudiedJudge]) -> Iterator[str]:
    """What was asked of models, and what is odd about those that replied."""
    for each in material:
        if each.calls:
            yield ""
            yield one_line(f"judge {each.judge['name']}", WIDTH)
            yield from calls_lines(each.calls, each.counts)
    yield from model_lines(dict.fromkeys(model for each in material for model in each.models))


def _draw(rows: Mapping[str, list[Row]], folder: Path) -> list[str]:
    from summeval_pytest.study.systems.figures import draw

    try:
        files = draw(rows, folder)
    except OSError as error:
        raise OptionError(
            f"--figures={folder}: cannot be written, {error.strerror}; name another folder"
        ) from None
    return [f"figures in {folder}: {', '.join(files)}"] if files else ["no figure to draw"]
