"""Judges measured by hand: figures with floors, golden answers, and suites that have them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.run.golden import EvidenceCount, GoldenAnswer, GoldenPair
from summeval_pytest.verdict.thresholds import Floor
from summeval_pytest.verdict.trust import Agreement, Trust

if TYPE_CHECKING:
    from summeval_pytest.record.record import SuiteRecord
    from summeval_pytest.verdict.thresholds import Bound

ASKED: Final = "Mice slept."
HELD: Final = "Mice with zinc slept two hours longer."
REASON: Final = "the words agree"


def floor(least: float = 0.9, name: str = "facet_kappa", bound: Bound = "point") -> Floor:
    """The least that a judge has to reach."""
    return Floor(name=name, least=least, bound=bound)


def agreement(
    name: str = "facet_kappa", value: float | None = 0.344, *floors: Floor, **values: object
) -> Agreement:
    """One figure on two papers."""
    plain = Agreement(
        name=name, value=value, low=0.28, high=0.41, n_items=3, n_papers=2, floors=floors
    )
    return replace(plain, **values)  # type: ignore[arg-type]  # the tests name its fields


MISSED: Final = agreement("facet_kappa", 0.344, floor())
HOLDS: Final = agreement("facet_exact", 0.35, floor(0.25, "facet_exact"))


def golden(text: str = "") -> tuple[GoldenPair, ...]:
    """Two labelled pairs: the judge takes an invented result for a good one, and misses a fact.

    Args:
        text: Every text in them that somebody else wrote; each has its own where it is empty.
    """
    asked, held, reason = text or ASKED, text or HELD, text or REASON
    error = text or "number"
    return (
        GoldenPair(
            paper=text or "zinc-01",
            system=text or "careless",
            group="0a",
            answers=(
                GoldenAnswer(
                    kind="result", label=1, answer=4, text=asked, against=held, reason=reason
                ),
                GoldenAnswer(kind="overall", label=0.4, answer=0.9),
                GoldenAnswer(
                    kind="sentence",
                    index=1,
                    label=0.0,
                    answer=1.0,
                    error=error,
                    text=asked,
                    against=held,
                    reason=reason,
                ),
            ),
        ),
        GoldenPair(
            paper=f"{text}b" if text else "ward-02",
            system=text or "terse",
            group="0b",
            answers=(
                GoldenAnswer(kind="result", label=4, answer=4),
                GoldenAnswer(
                    kind="sentence",
                    label=1.0,
                    answer=1.0,
                    evidence=EvidenceCount(named=2, labelled=2, both=1),
                ),
                GoldenAnswer(
                    kind="reference fact", label=1.0, answer=0.0, text=asked, reason=reason
                ),
            ),
        ),
    )


def trust(*agreements: Agreement, **values: object) -> Trust:
    """The judge of the two pairs; it misses its floor unless other figures are given."""
    plain = Trust(
        judge="fair-1",
        labels="c3d477be02a1",
        agreements=agreements or (MISSED, HOLDS),
        n_pairs=2,
        n_papers=2,
    )
    return replace(plain, **values)  # type: ignore[arg-type]  # the tests name its fields


TRUSTED: Final = trust(HOLDS)
UNMEASURED: Final = trust(agreements=(), n_pairs=0, n_papers=0, labels="", fault="it timed out")


def measured(suite: SuiteRecord, trust: Trust, golden: tuple[GoldenPair, ...] = ()) -> SuiteRecord:
    """A suite with labels, and what they say of the judge."""
    return replace(suite, has_labels=True, trust=trust, golden=golden)


def untrusted(suite: SuiteRecord, text: str = "") -> SuiteRecord:
    """A suite whose judge misses its floors; with ``text``, others' texts in it are that.

    The name of a kind of error is theirs, too, and a judge may be held to a floor on it.
    """
    name = f"unfaithful_recall.{text or 'number'}"
    found = agreement(name, 0.0, floor(0.5, name), low=None, high=None, n_items=1, n_papers=1)
    return measured(
        suite, trust(MISSED, HOLDS, found, judge=text or "fair-1", floors_of=text), golden(text)
    )
