"""Three metrics that need no judge: length, readability and novelty, by the way of one's own.

They are given by entry points as anybody's metrics are, and are an example of how to write one.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.own import Metric
from summeval_pytest.metrics.score import ENDLESS, Named, Problem
from summeval_pytest.metrics.texts import novelty, readability

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from summeval_pytest.metrics.own import MetricTexts

_MOST: Final = 3
"""How many sentences are told, the worst first."""
_EASIEST: Final = -20.0
"""Below the grade of any text: a sentence of one word of one syllable has -3.4."""
_HARDEST: Final = 40.0
"""From this grade on a sentence is as bad as can be; twenty-five long words in a row have it."""


class LengthMetric(Metric):
    """How long a summary is, each number at most."""

    numbers = (
        Named(name="length", metric="length", meaning="words of the summary",
              high=ENDLESS, lower_is_better=True),
        Named(name="length.sentences", metric="length", meaning="sentences of the summary",
              high=ENDLESS, lower_is_better=True),
    )  # fmt: skip

    def measure(self, texts: MetricTexts) -> Mapping[str, float | None]:
        """Words, which white space parts, and sentences."""
        return {"length": len(texts.summary.split()), "length.sentences": len(texts.sentences)}

    def problems(self, texts: MetricTexts) -> Iterator[Problem]:
        """The longest sentences."""
        counts = [len(sentence.split()) for sentence in texts.sentences]
        longest = sorted(range(len(counts)), key=lambda place: (-counts[place], place))
        for place in longest[:_MOST]:
            yield Problem(
                number="length",
                title=f"sentence {place + 1}",
                verdict=f"{counts[place]} of {sum(counts)} words",
                summary=texts.sentences[place],
                severity=counts[place] / sum(counts),
            )


class ReadabilityMetric(Metric):
    """How hard a summary is to read, each number at most (FareBio, figure 3b).

    Args:
        familiar: The words that a reader of the fourth grade knows, for Dale-Chall; none are
            shipped, because the formula's list is not ours to copy. In a suite,
            ``familiar_file = "words.txt"``.

    Raises:
        ValueError: for a list without a word.
    """

    numbers = (
        Named(name="readability", metric="readability", meaning="Flesch-Kincaid grade level",
              low=_EASIEST, high=ENDLESS, lower_is_better=True),
        Named(name="readability.coleman_liau", metric="readability", meaning="Coleman-Liau index",
              low=_EASIEST, high=ENDLESS, lower_is_better=True),
        Named(name="readability.dale_chall", metric="readability", meaning="Dale-Chall score",
              high=ENDLESS, lower_is_better=True),
    )  # fmt: skip

    def __init__(self, familiar: str | None = None) -> None:
        self._familiar = None if familiar is None else frozenset(familiar.lower().split())
        if self._familiar is not None and not self._familiar:
            raise ValueError("the list of familiar words is empty")

    @property
    def left_out(self) -> Mapping[str, str]:
        """Dale-Chall, where no list was given."""
        remedy = 'write familiar_file = "words.txt" under [metrics.readability]'
        given = self._familiar is not None
        return MappingProxyType({} if given else {"readability.dale_chall": remedy})

    def measure(self, texts: MetricTexts) -> Mapping[str, float | None]:
        """The grades; None of a summary without a word."""
        found = readability(texts.summary, familiar=self._familiar)
        numbers = {
            "readability": None if found is None else found.fkgl,
            "readability.coleman_liau": None if found is None else found.coleman_liau,
        }
        if self._familiar is not None:
            numbers["readability.dale_chall"] = None if found is None else found.dale_chall
        return numbers

    def problems(self, texts: MetricTexts) -> Iterator[Problem]:
        """The sentences that have the highest grade by themselves."""
        graded = [(readability(sentence), place) for place, sentence in enumerate(texts.sentences)]
        hardest = sorted((-found.fkgl, place) for found, place in graded if found is not None)
        for grade, place in hardest[:_MOST]:
            yield Problem(
                number="readability",
                title=f"sentence {place + 1}",
                verdict=f"grade {-grade:.1f} by itself",
                summary=texts.sentences[place],
                severity=min(max(-grade / _HARDEST, 0.0), 1.0),
            )


class NoveltyMetric(Metric):
    """The share of a summary's n-grams that are not in the paper: 0 copied, 1 all its own.

    Each number is held to a least value, by which summaries that copy fail. ``novelty`` counts runs
    of two words, ``novelty.1``, ``.3`` and ``.4`` runs of so many (metrics.texts).
    """

    needs = ("source",)
    numbers = (
        Named(name="novelty", metric="novelty", meaning="2-grams that are not in the paper"),
        *(
            Named(name=f"novelty.{n}", metric="novelty",
                  meaning=f"{n}-grams that are not in the paper")
            for n in (1, 3, 4)
        ),
    )  # fmt: skip

    def measure(self, texts: MetricTexts) -> Mapping[str, float | None]:
        """The shares; None of a summary without an n-gram."""
        source = "\n".join(texts.source)
        named = {"novelty": 2, "novelty.1": 1, "novelty.3": 3, "novelty.4": 4}
        return {name: novelty(texts.summary, source, n) for name, n in named.items()}

    def problems(self, texts: MetricTexts) -> Iterator[Problem]:
        """The sentences that copy most."""
        source = "\n".join(texts.source)
        shares = [(novelty(each, source, 2), place) for place, each in enumerate(texts.sentences)]
        for share, place in sorted((s, place) for s, place in shares if s is not None)[:_MOST]:
            yield Problem(
                number="novelty",
                title=f"sentence {place + 1}",
                verdict=f"{1 - share:.0%} of its 2-grams stand in the paper",
                summary=texts.sentences[place],
                severity=1 - share,
            )
