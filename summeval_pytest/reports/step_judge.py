"""The judge on GitHub's page: its agreement with the golden labels, and what it gets wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.markdown import cell, code, fitting, head, row, section
from summeval_pytest.reports.relations import broken_texts, relation_text
from summeval_pytest.reports.trust import (
    described,
    evidence_of,
    interval_of,
    trust_of,
    value_of,
    verdict_of,
)
from summeval_pytest.verdict.disagreements import confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.verdict import (
        Agreement,
        RelationVerdict,
        RunRecord,
        SuiteRecord,
        Trust,
    )
    from summeval_pytest.verdict.disagreements import Confusion, Disagreement

_QUOTE: Final = 240
_PHRASE: Final = 600
_BROKEN: Final = 3
"""Papers on which a relation is broken that are shown."""


def judge_section(record: RunRecord) -> Iterator[str]:
    """The section: a table of figures a suite, with matrices and cases where a floor is missed."""
    measured = [(suite, suite.trust) for suite in record.suites if suite.trust is not None]
    title = "The judge against the golden labels"
    yield from section(title, measured, _suite, room=60_000)
    tried = [verdict for suite in record.suites for verdict in suite.relations]
    yield from section("The judge on edited texts", tried, _relation, room=20_000)


def _relation(verdict: RelationVerdict) -> str:
    text = code(relation_text(verdict), _PHRASE)
    lines = [f"- **{text}**" if verdict.state in {"fails", "unanswered"} else f"- {text}"]
    lines += [f"  - {code(line, _QUOTE)}" for line in broken_texts(verdict)[:_BROKEN]]
    return "\n".join(lines)


def _suite(each: tuple[SuiteRecord, Trust]) -> str:
    suite, trust = each
    lines = [f"{code(suite.name)}: {code(trust_of(suite), _PHRASE)}"]
    if trust.agreements:
        columns = ("agreement", "value", "95 % interval", "items", "papers", "floor")
        figures = list(fitting(trust.agreements, _figure, room=10_000))
        lines += ["", head(columns), *figures]
        if len(figures) < len(trust.agreements):
            lines += ["", f"{len(trust.agreements) - len(figures):,} more figures."]
    if trust.is_untrusted:
        for confusion in confusions(suite.golden):
            lines += ["", *_matrix(confusion)]
        worst = worst_disagreements(suite.golden)
        lines += ["", "Worst disagreements:", ""] if worst else []
        lines += map(_worst, worst)
    return "\n".join([*lines, ""])


def _figure(agreement: Agreement) -> str:
    value = value_of(agreement)
    floors = ", ".join(
        f"{'' if floor.bound == 'point' else 'lower bound '}at least {floor.least:g}"
        for floor in agreement.floors
    )
    return row(
        (
            cell(agreement.name),
            f"**{value}**" if agreement.missed else value,
            interval_of(agreement),
            f"{agreement.n_items:,}",
            f"{agreement.n_papers:,}",
            f"**missed: {floors}**" if agreement.missed else floors,
        )
    )


def _matrix(confusion: Confusion) -> Iterator[str]:
    yield head((f"{confusion.of}: label, judge in columns", *confusion.categories))
    for name, counts in zip(confusion.categories, confusion.table, strict=True):
        yield row((name, *(f"{count:,}" for count in counts)))


def _worst(each: Disagreement) -> str:
    answer = each.answer
    label, said = (verdict_of(answer, value) for value in (answer.label, answer.answer))
    lines = [f"- {code(described(each))}: label **{label}**, judge **{said}**"]
    lines += [
        f"  - {whose}: {code(text, _QUOTE)}" for whose, text in evidence_of(answer) if text.strip()
    ]
    return "\n".join(lines)
