"""The HTML report as one text: template, style, script and data in a file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from summeval_pytest.reports.calls import calls_lines
from summeval_pytest.reports.page.baseline import difference_lines
from summeval_pytest.reports.page.block import block
from summeval_pytest.reports.page.judge import judges_of
from summeval_pytest.reports.page.overview import (
    COLUMNS,
    counted,
    lines_of,
    waiver_lines,
)
from summeval_pytest.reports.page.pair_block import pair_block, paper_block
from summeval_pytest.reports.page.passages import Passages
from summeval_pytest.reports.page.rows import pair_link, rows_of
from summeval_pytest.reports.page.visible import cut, visible
from summeval_pytest.reports.relations import broken_texts, relation_text
from summeval_pytest.reports.trust import MARK, trust_of_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jinja2 import Template

    from summeval_pytest.reports.page.rows import Row
    from summeval_pytest.verdict import PairRecord, RunRecord

_HOME: Final = "summeval_pytest.reports.page"
_SCRIPTS: Final = ("texts.js", "detail.js", "panel.js", "listing.js", "start.js")
"""In this order they are one script."""


def page_text(record: RunRecord) -> str:
    """The report of a run: HTML without any reference to the outside; a pure function of it."""
    style, script = _resource("page.css"), "\n".join(map(_resource, _SCRIPTS))
    rows = rows_of(record)
    usage = record.header.usage
    papers = _Papers(record, rows)
    return _template().render(
        record=record,
        trust=trust_of_run(record),
        mark=f"{MARK[0].upper()}{MARK[1:]}",
        judges=tuple(judges_of(record)),
        relations=[
            (relation_text(verdict), verdict.state, broken_texts(verdict))
            for suite in record.suites
            for verdict in suite.relations
        ],
        gaps=[gap for suite in record.suites for gap in suite.uncompared],
        style=style,
        script=script,
        policy=_policy(style, script),
        counts=counted(Counter(row.pair.outcome for row in rows)),
        columns=COLUMNS,
        lines=tuple(lines_of(record)),
        difference_lines=difference_lines,
        pair_link=pair_link,
        waivers=tuple(waiver_lines(record)),
        rows=rows,
        systems=list(dict.fromkeys(sorted(row.system for row in rows))),
        index=block([_entry(row, papers) for row in rows]),
        paper_blocks=papers.blocks(),
        pair_blocks=(block(pair_block(row.pair, papers.passages(row))) for row in rows),
        calls=tuple(calls_lines(usage, {})) if usage else (),
        signatures=sorted({s for row in rows for s in row.pair.signatures}),
    )


class _Papers:
    """The papers of a page, each once, by number."""

    def __init__(self, record: RunRecord, rows: Sequence[Row]) -> None:
        self._pairs: dict[tuple[str, str], list[PairRecord]] = {}
        for row in rows:
            self._pairs.setdefault((row.suite.name, row.pair.paper), []).append(row.pair)
        self._numbers = {key: number for number, key in enumerate(self._pairs)}
        known = {(s.name, paper.id): paper for s in record.suites for paper in s.papers}
        self._papers = {key: known.get(key) for key in self._pairs}
        self._passages = {
            key: tuple(map(Passages, paper.references if paper else ()))
            for key, paper in self._papers.items()
        }

    def number(self, row: Row) -> int:
        """The number of a row's paper."""
        return self._numbers[row.suite.name, row.pair.paper]

    def passages(self, row: Row) -> Sequence[Passages]:
        """The references of a row's paper."""
        return self._passages[row.suite.name, row.pair.paper]

    def blocks(self) -> Iterator[str]:
        """Each paper's block, in order of the numbers; null for one that was never read."""
        for key, paper in self._papers.items():
            yield block(None if paper is None else paper_block(paper, self._pairs[key]))


def _entry(row: Row, papers: _Papers) -> tuple[object, ...]:
    """What the list's filters know of a row; listing.js names the places."""
    searched = f"{row.pair.paper}\n{row.title}".lower()
    return (
        row.key,
        row.system,
        row.pair.outcome,
        row.lost,
        papers.number(row),
        searched,
        row.title,
    )


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalize,
    )
    return environment.from_string(_resource("page.html"))


def _finalize(value: Any) -> Any:
    """Whatever the template prints is visible and no longer than a quotation; markup is ours."""
    return visible(cut(value)) if type(value) is str else value


def _resource(name: str) -> str:
    return (files(_HOME) / name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """A content security policy under which nothing but our own style and script can act."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
