"""What the golden labels say of the judge, as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.trust import (
    UNTRUSTED,
    described,
    evidence_of,
    interval_of,
    trust_of,
    value_of,
    verdict_of,
)
from summeval_pytest.verdict import named_agreement
from summeval_pytest.verdict.disagreements import Confusion, confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.verdict import Agreement, RunRecord, SuiteRecord, Trust
    from summeval_pytest.verdict.disagreements import Disagreement


_STANDING: Final = {"passed": "measured", "failed": "untrusted", "error": "not measured"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureLine:
    """One figure of agreement in words; a narrow page breaks its name between the parts."""

    name: tuple[str, ...]
    meaning: str
    value: str
    interval: str
    n_items: str
    n_papers: str
    floor: str
    fails: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DisagreementLine:
    """One disagreement: whose it is, what label and judge say, the texts by name."""

    of: str
    label: str
    answer: str
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSection:
    """The judge on one suite's labels; ``standing`` is its outcome in words."""

    suite: str
    phrase: str
    outcome: str
    standing: str
    figures: tuple[FigureLine, ...]
    confusions: tuple[Confusion, ...]
    worst: tuple[DisagreementLine, ...]


def judges_of(record: RunRecord) -> Iterator[JudgeSection]:
    """One section for each suite that the judge was measured on."""
    for suite in record.suites:
        if suite.trust is not None:
            yield _section(suite, suite.trust)


def _section(suite: SuiteRecord, trust: Trust) -> JudgeSection:
    return JudgeSection(
        suite=suite.name,
        phrase=trust_of(suite).removeprefix(f"{UNTRUSTED}: "),
        outcome="untrusted" if trust.is_untrusted else trust.outcome,
        standing=_STANDING[trust.outcome],
        figures=tuple(map(_figure, trust.agreements)),
        confusions=confusions(suite.golden),
        worst=tuple(map(_worst, worst_disagreements(suite.golden))),
    )


def _figure(agreement: Agreement) -> FigureLine:
    whole, dot, part = agreement.name.partition(".")
    bounds = {"point": "", "lower": "lower bound "}
    return FigureLine(
        name=tuple(filter(None, (whole + dot, part))),
        meaning=named_agreement(agreement.name).meaning,
        value=value_of(agreement),
        interval=interval_of(agreement),
        n_items=f"{agreement.n_items:,}",
        n_papers=f"{agreement.n_papers:,}",
        floor=", ".join(f"{bounds[f.bound]}\u2265 {f.least:g}" for f in agreement.floors),
        fails=bool(agreement.missed),
    )


def _worst(each: Disagreement) -> DisagreementLine:
    answer = each.answer
    return DisagreementLine(
        of=described(each),
        label=verdict_of(answer, answer.label),
        answer=verdict_of(answer, answer.answer),
        texts=tuple((whose, text) for whose, text in evidence_of(answer) if text.strip()),
    )
