"""`summeval label`: a person's labels asked for in the terminal."""

from __future__ import annotations

import argparse
import math
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import add_suite, check_writable, suite_of
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.suite import (
    LabelBook,
    pairs_to_label,
    questions_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.suite import Suite, What

WHAT: Final = ("facets", "sentences", "facts")
_WIDEST: Final = 100


def add_labelling(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval label`."""
    add_suite(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the annotator's label file; goes on where it is"
    )
    parser.add_argument("--annotator", metavar="NAME", help="who labels; also decides the order")
    parser.add_argument(
        "--what",
        default=",".join(WHAT),
        metavar="KIND,...",
        help=f"what is asked about (default: {','.join(WHAT)})",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="SYSTEM/PAPER",
        help="these pairs only; a system or a paper alone stands for all of its pairs",
    )
    parser.add_argument(
        "--share",
        type=_share,
        default=1.0,
        metavar="SHARE",
        help="of the pairs, this share, the same for every annotator (default: 1)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="draws another share and order"
    )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share above 0 and at most 1")
    return share


def label(chosen: argparse.Namespace) -> list[str]:
    """Asks for labels until all are there or the annotator quits.

    Raises:
        UsageError: for a mistake in the suite or a label file, and for options that do not fit.
        KeyboardInterrupt: for Ctrl-C; what was answered is in the file.
    """
    for option in ("out", "annotator"):
        if not getattr(chosen, option):
            raise OptionError(f"--{option} is needed to label")
    check_writable(chosen.out, "--out")
    return _ask(chosen, suite_of(chosen))


def _ask(chosen: argparse.Namespace, suite: Suite) -> list[str]:
    from summeval_pytest.cli.label_session import Session, Terminal

    pairs = pairs_to_label(suite, seed=chosen.seed, share=chosen.share, annotator=chosen.annotator)
    pairs = _only(pairs, chosen.only)
    what = _what(chosen.what)
    questions = [question for pair in pairs for question in questions_of(suite, *pair, what)]
    if not questions:
        raise OptionError(
            f"nothing of {suite.shown} is to be labelled: no recorded summary has any of"
            f" {', '.join(what)}; choose another --what or --only"
        )
    book = LabelBook(suite, chosen.out, chosen.annotator)
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    session = Session(questions, book, Terminal(sys.stdin, sys.stdout, width))
    session.run()
    n_left = session.n_left
    done = f"{chosen.out}: {len(questions) - n_left} of {len(questions)} items labelled"
    if not n_left:
        return [done]
    return [done, f"{n_left} are left; the same command goes on with them"]


def _what(text: str) -> tuple[What, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in WHAT:
            raise OptionError(f"--what={text}: there is no {name!r}; {nearest(name, WHAT)}")
    if not names:
        raise OptionError(f"--what={text}: names nothing; known: {', '.join(WHAT)}")
    return tuple(name for name in WHAT if name in names)


def _only(pairs: Sequence[tuple[str, str]], wanted: Sequence[str]) -> list[tuple[str, str]]:
    if not wanted:
        return list(pairs)
    kept: dict[tuple[str, str], None] = {}
    for entry in wanted:
        found = [pair for pair in pairs if entry in {f"{pair[1]}/{pair[0]}", *pair}]
        if not found:
            near = _near(entry, {f"{system}/{paper}" for paper, system in pairs})
            raise OptionError(f"--only={entry}: no such pair is to be labelled; {near}")
        kept.update(dict.fromkeys(found))
    return [pair for pair in pairs if pair in kept]


def _near(entry: str, known: set[str]) -> str:
    clause = nearest(entry, known)
    return clause if clause.startswith("did") else "write SYSTEM/PAPER, a system or a paper"
