"""The GitHub step summary of a run, made by a Jinja template.

Everything that papers, systems and judges have written stands in code spans. Each section has room
of its own and is cut at whole rows, so that a thousand findings hide neither cost nor waivers.
"""

from __future__ import annotations

import re
from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING, Final, TypeVar

from summeval_pytest.metrics.score import CATALOGUE, METRICS, Unscored
from summeval_pytest.reports.github import failing_pairs
from summeval_pytest.reports.pair import (
    against,
    broken_rules,
    broken_texts,
    corrected_value,
    detectable_text,
    missed_numbers,
    relation_text,
    shown,
)
from summeval_pytest.reports.run import calls_lines
from summeval_pytest.reports.template import template
from summeval_pytest.reports.trust import (
    MARK,
    described,
    evidence_of,
    interval_of,
    trust_of,
    trust_of_run,
    value_of,
    verdict_of,
)
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.decide import SystemMean
from summeval_pytest.verdict.trust import confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from summeval_pytest.record.record import (
        Covered,
        PairRecord,
        RunRecord,
        SuiteRecord,
        SystemRecord,
    )


STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable that names the file to which a step's summary is appended."""
NOTHING: Final = "(nothing)"
_PHRASE: Final = 300
_TICKS: Final = re.compile("`+")
_FAULTS: Final[dict[Covered, str]] = {
    "failed": "\u274c failed",
    "error": "\u26a0\ufe0f unscored",
}
T = TypeVar("T")


def step_summary(record: RunRecord) -> str:
    """The page; at most some 300,000 bytes of UTF-8, where GitHub accepts a mebibyte."""
    failing = failing_pairs(record)
    systems = [(suite, system) for suite in record.suites for system in suite.systems]
    named = {mean.name for _, system in systems for mean in system.means}
    names = [name for name in CATALOGUE if name in named or name in METRICS]
    header = record.header

    def system_cells(suite: SuiteRecord, system: SystemRecord) -> Iterator[Markdown]:
        pairs = suite.pairs_of(system.name)
        counts = Counter(pair.outcome for pair in pairs)
        whose = f"{cell(suite.name)}: " if len(record.suites) > 1 else ""
        yield Markdown(f"{whose}{cell(system.name)}")
        verdict = told({system.outcome, *counts})
        untrusted = ", untrusted" if suite.is_untrusted else ""
        is_part = len(pairs) < len(system.papers)
        part = f", {len(pairs):,} of {len(system.papers):,} judged" if is_part else ""
        yield Markdown(f"{verdict}{untrusted}{part}")
        yield from (n(counts[outcome]) for outcome in ("passed", "failed", "error"))
        yield from (_mean(name, system, pairs) for name in names)

    page = template(
        "step_summary.md",
        _finalize,
        str,
        broken_rules,
        broken_texts,
        cell,
        code,
        confusions,
        described,
        detectable_text,
        evidence_of,
        fitting,
        head,
        interval_of,
        missing,
        n,
        relation_text,
        section,
        told,
        trust_of,
        value_of,
        verdict_of,
        worst_disagreements,
    )
    return page.render(
        record=record,
        mark=f"{MARK[0].upper()}{MARK[1:]}",
        measured=[suite for suite in record.suites if suite.trust is not None],
        relations=[verdict for suite in record.suites for verdict in suite.relations],
        systems=systems,
        names=names,
        system_cells=system_cells,
        comparisons=[system for _, system in systems if system.comparison is not None],
        failed=[pair for pair in failing if pair.outcome != "error"],
        unscored=[pair for pair in failing if pair.outcome == "error"],
        waivers=[use for suite in record.suites for use in suite.waivers],
        trust=trust_of_run(record),
        calls=list(calls_lines(header.usage, {})) if header.usage else (),
        versions=", ".join(f"{name} {at}" for name, at in sorted(header.environment.items())),
        n_numbers=len(CATALOGUE),
    )


class Markdown(str):
    """Text that is Markdown already, by the protocol of Jinja."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def _finalize(value: object) -> object:
    """What is neither a number nor Markdown is shown as a code span; what is absent is nothing."""
    from jinja2 import Undefined

    is_ours = isinstance(value, int | Undefined) or hasattr(value, "__html__")
    return value if is_ours else code(value)


def code(text: object, width: int = 240) -> Markdown:
    r"""The text as a code span of one line, at most ``width`` characters of it.

    Its fence is longer than any run of backticks inside. Not for tables, see `cell`.

    >>> print(code("a `b` [c](d)"))
    `` a `b` [c](d) ``
    """
    line = one_line(str(text), width)
    longest = max(map(len, _TICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    inner = f" {line} " if longest else line
    return Markdown(f"{fence}{inner}{fence}" if line else NOTHING)


def cell(text: object, width: int = 80) -> Markdown:
    r"""The text as a code span for a table, where a pipe would end the cell.

    >>> print(cell("a|b"))
    `a\|b`
    """
    return Markdown(str(code(text, width)).replace("|", r"\|"))


def n(value: float | None, how: str = ",") -> Markdown:
    """A number; nothing for None."""
    return Markdown("" if value is None else format(value, how))


def fitting(items: Iterable[T], shown: Callable[[T], str], room: int) -> list[str]:
    """As many of the items as fit into ``room`` bytes of UTF-8, each shown as a whole.

    Args:
        items: The items, the most important first.
        shown: Makes the Markdown of one.
        room: Bytes for all of them, each with a line break.
    """
    found = []
    for item in items:
        text = shown(item).removesuffix("\n")
        room -= len(text.encode()) + 1
        if room < 0:
            break
        found.append(text)
    return found


def head(names: Sequence[str], n_words: int = 1) -> Markdown:
    """The head of a table; all columns but the first ``n_words`` are numbers."""
    rules = ["---" if place < n_words else "---:" for place in range(len(names))]
    rows = (f"| {' | '.join(cells)} |" for cells in (names, rules))
    return Markdown("\n".join(rows))


def section(
    title: str,
    items: Sequence[T],
    shown: Callable[[T], str],
    room: int,
    table: str = "",
) -> Markdown:
    """A heading and the items that fit, then how many more there are; nothing without items.

    Args:
        title: The heading, in our own words.
        items: The items, the most important first.
        shown: Makes the Markdown of one.
        room: Bytes for all of them, as for `fitting`.
        table: The head of a table of which each item is a row; empty for none.
    """
    lines = ["", f"## {title}", "", *([table] if table else ())]
    found = fitting(items, shown, room)
    lines += found
    if len(found) < len(items):
        lines += ["", f"{len(items) - len(found):,} more; the other reports have them all."]
    return Markdown("".join(f"{line}\n" for line in lines) if items else "")


def missing(pair: PairRecord, as_code: Callable[[str, int], Markdown]) -> Markdown:
    """Everything that fails a pair."""
    phrases = list(missed_numbers(pair.verdict))[: len(CATALOGUE)]
    return Markdown(", ".join(as_code(each, _PHRASE) for each in phrases) or NOTHING)


def told(outcomes: Collection[Covered]) -> Markdown:
    """Outcomes in words: what the systems and what the judge did wrong, else whether all passed."""
    faults = [words for outcome, words in _FAULTS.items() if outcome in outcomes]
    passed = "\u2705 passed" if "passed" in outcomes else "not judged"
    return Markdown(", ".join(faults) or passed)


def _mean(name: str, system: SystemRecord, pairs: Sequence[PairRecord]) -> Markdown:
    """A mean with its threshold where it has one, and its change against the baseline."""
    held = next((mean for mean in system.means if mean.name == name), None)
    mean = held or _measured(name, pairs)
    text = shown(name, mean.value, mean.least if held else None)
    if held and mean.value is not None and not CATALOGUE[name].meets(mean.held, mean.least):
        text = f"**{shown(name, mean.held, mean.least)}** {against(name, mean.held, mean.least)}"
    if mean.n_scored < mean.n_papers:
        text += f" ({mean.n_scored:,} of {mean.n_papers:,})"
    change = system.comparison and system.comparison.difference(name)
    corrected = next((each for each in system.corrected if each.name == name), None)
    if change:
        text += f" ({change.change:+.3f})"
    text += f"; corrected {corrected_value(corrected)}" if corrected else ""
    return Markdown(text)


def _measured(name: str, pairs: Sequence[PairRecord]) -> SystemMean:
    """The mean over the judged pairs of a number that has no threshold of its own."""
    named = CATALOGUE[name]
    scores = [score for pair in pairs for score in pair.scores if score.metric == named.metric]
    found = [None if isinstance(score, Unscored) else score.values().get(name) for score in scores]
    values = [value for value in found if value is not None]
    return SystemMean(
        name=name,
        value=fmean(values) if values else None,
        least=named.worst,
        n_scored=len(values),
        n_papers=len(scores),
    )
