"""Failing pairs as Markdown: what each misses and what is wrong in it, or a row for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.reports.failure import missed_numbers
from summeval_pytest.reports.markdown import NOTHING, cell, code, row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from summeval_pytest.verdict import Claim, Finding, PairRecord

_FINDINGS: Final = 3
_CLAIMS: Final = 3
_QUOTE: Final = 500
_PHRASE: Final = 300


def findings_of_pair(pair: PairRecord) -> str:
    """A failing pair: what it misses, and the worst of what is wrong, with both texts."""
    lines = [f"### {code(pair.system)} on {code(pair.paper)}", ""]
    lines.append(f"{code(str(pair.place))} misses {_missing(pair, code)}")
    lines.append("")
    if pair.note:
        lines += [code(pair.note, _PHRASE), ""]
    if pair.verdict.lacking:
        lines.append(f"- summary {code(pair.summary, _QUOTE)}")
    for finding in pair.told[:_FINDINGS]:
        lines += _finding(finding)
    if len(pair.told) > _FINDINGS:
        lines.append(f"- {len(pair.told) - _FINDINGS:,} more")
    if pair.change is not None:
        told = ("new and unsupported", pair.change.unsupported), ("lost", pair.change.lost)
        for what, claims in told:
            lines += _claims(f"{what} since {code(pair.change.baseline)}", claims)
    return "\n".join(lines)


def _finding(finding: Finding) -> Iterator[str]:
    yield f"- **{code(finding.title)}** {code(finding.verdict)}"
    if finding.reference is not None:
        yield f"  - reference {code(finding.reference, _QUOTE)}"
    yield f"  - summary {code(finding.summary, _QUOTE)}"
    for index, sentence in finding.evidence[:1]:
        yield f"  - source, sentence {index + 1}, {code(sentence, _QUOTE)}"
    yield f"  - reason {code(finding.reason, _PHRASE)}"


def _claims(what: str, claims: Sequence[Claim]) -> Iterator[str]:
    for claim in claims[:_CLAIMS]:
        yield f"- {what}: {code(claim.text, _PHRASE)}"
    if len(claims) > _CLAIMS:
        yield f"- {what}: {len(claims) - _CLAIMS:,} more"


def _missing(pair: PairRecord, as_code: Callable[[str, int], str]) -> str:
    phrases = list(missed_numbers(pair.verdict))
    told = ", ".join(as_code(phrase, _PHRASE) for phrase in phrases[: len(CATALOGUE)])
    return told or NOTHING


def missed_row(pair: PairRecord) -> str:
    """A failing pair as a row: what it misses."""
    return row((*_pair_cells(pair), _missing(pair, cell)))


def unscored_row(pair: PairRecord) -> str:
    """An unscored pair as a row: what the judge did wrong."""
    return row((*_pair_cells(pair), cell(pair.fault, _PHRASE)))


def _pair_cells(pair: PairRecord) -> tuple[str, str]:
    return f"{cell(pair.system)} on {cell(pair.paper)}", cell(str(pair.place))
