"""How much of what systems write is unsupported: of sentences, and of summaries (FareBio, fig. 2).

By a judge, and by the labels where people looked at sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.verdict.study.columns import Giver  # noqa: TC001
from summeval_pytest.verdict.study.estimates import Mean, rate_of
from summeval_pytest.verdict.study.standing import over

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.verdict.study.pairs import StudiedPair


@dataclass(frozen=True, slots=True, kw_only=True)
class HallucinationRate:
    """How much of one system's writing is unsupported, 0 to 1, lower is better.

    Attributes:
        giver: Whether a judge says so, or people.
        by: The judge by name; empty for people.
        system: The system.
        n_sentences: Sentences with a verdict.
        n_unanswered: Sentences that the judge was asked about and gave none on.
        sentences: Unsupported sentences / sentences with a verdict, over all papers.
        summaries: Summaries with an unsupported sentence / summaries of which that is known.
    """

    giver: Giver
    by: str
    system: str
    n_sentences: int
    n_unanswered: int
    sentences: Mean
    summaries: Mean


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """Supported and answered sentences of one pair, those asked about, and the whole summary."""

    supported: int
    answered: int
    asked: int
    is_faithful: bool | None


def hallucination_rates(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[HallucinationRate, ...]:
    """The rates of every system by each judge, and by the labels where they have any sentence."""
    by_label = any(_verdicts(p, "label", "").answered for of in by_system.values() for p in of)
    givers: list[tuple[Giver, str]] = [("judge", judge) for judge in judges]
    if by_label:
        givers.append(("label", ""))
    return tuple(
        _rate(giver, by, system, pairs, n_papers)
        for giver, by in givers
        for system, pairs in by_system.items()
    )


def _rate(
    giver: Giver, by: str, system: str, pairs: Sequence[StudiedPair], n_papers: int
) -> HallucinationRate:
    found = [(pair.group, _verdicts(pair, giver, by)) for pair in pairs]
    return HallucinationRate(
        giver=giver,
        by=by,
        system=system,
        n_sentences=sum(each.answered for _, each in found),
        n_unanswered=sum(each.asked - each.answered for _, each in found),
        sentences=rate_of(
            [(group, each.answered - each.supported, each.answered) for group, each in found],
            n_of=n_papers,
        ),
        summaries=over(n_papers, [(group, _as_share(each.is_faithful)) for group, each in found]),
    )


def _as_share(is_faithful: bool | None) -> float | None:
    return None if is_faithful is None else float(not is_faithful)


def _verdicts(pair: StudiedPair, giver: Giver, by: str) -> _Verdicts:
    if giver == "judge":
        judged = pair.judged.get(by)
        if judged is None:
            return _Verdicts(0, 0, 0, None)
        asked = judged.n_sentences
        return _Verdicts(judged.n_supported, judged.n_answered, asked, judged.is_faithful)
    label = pair.label
    if label is None:
        return _Verdicts(0, 0, 0, None)
    return _Verdicts(label.n_faithful, label.n_labelled, label.n_labelled, label.is_faithful)
