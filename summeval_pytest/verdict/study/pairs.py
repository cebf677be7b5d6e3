"""What a study knows of a text, and of a pair: plain numbers, the texts themselves left behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from summeval_pytest.questions import Facet  # noqa: TC001 - JSON readers read the annotations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.metrics import EvaCounts
    from summeval_pytest.metrics.grounding import Held


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How somebody cut one text into facets.

    Attributes:
        words: The words of each facet.
        held: How the text contains each segment; none where segments were reviewed, which need not
            be verbatim.
    """

    words: Mapping[Facet, int]
    held: tuple[Held, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedText:
    """One text of a paper, a system's summary or the reference.

    Attributes:
        paper: The paper's id.
        group: What is resampled: papers with the same reference are one.
        system: Who wrote it; None for the reference.
        numbers: What the text alone gives, by the names of `TEXT_NUMBERS`; what a text does not
            have, as readability without words, is absent.
        cuts: By who cut it into facets, what came of it.
    """

    paper: str
    group: str
    system: str | None
    numbers: Mapping[str, float]
    cuts: Mapping[str, Cut] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What one pair took of a judge.

    What two pairs need, as the facets of their reference, counts for the first of them.

    Attributes:
        n_questions: Questions that the judge answered.
        n_calls: Replies of an endpoint, asked for or remembered; 0 for a judge that computes.
        prompt_tokens: Tokens of those calls, as far as the endpoint counted them.
        completion_tokens: Tokens of the replies.
        seconds: How long it took; None where several pairs were open at once.
    """

    n_questions: int = 0
    n_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What one judge made of one pair.

    Attributes:
        values: The numbers that it scored, by the names of thresholds; the others are absent.
        n_supported: Sentences that it calls supported.
        n_answered: Sentences that it gave a verdict on.
        n_sentences: Sentences that it was asked about.
        facts: How many facts the texts had, stage by stage; None where nothing was asked.
        effort: What it took.
    """

    values: Mapping[str, float]
    n_supported: int = 0
    n_answered: int = 0
    n_sentences: int = 0
    facts: EvaCounts | None = None
    effort: Effort = Effort()

    @property
    def is_faithful(self) -> bool | None:
        """Whether every sentence is supported; None where that is not known."""
        if self.n_supported < self.n_answered:
            return False
        return None if not self.n_sentences or self.n_answered < self.n_sentences else True


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """What people found in one pair; what they did not look at is empty or None.

    Attributes:
        overall: The overall score.
        facets: Ratings as shares of their scales, 1/3 or 1/4 to 1; facets that the reference lacks
            are absent.
        n_faithful: Labelled sentences that are faithful.
        n_labelled: Labelled sentences.
        n_sentences: Sentences of the summary.
    """

    overall: float | None = None
    facets: Mapping[Facet, float] = field(default_factory=lambda: MappingProxyType({}))
    n_faithful: int = 0
    n_labelled: int = 0
    n_sentences: int = 0

    @property
    def is_faithful(self) -> bool | None:
        """Whether every sentence is labelled faithful; None where too few are labelled."""
        if self.n_faithful < self.n_labelled:
            return False
        return None if not self.n_labelled or self.n_labelled < self.n_sentences else True


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedNumbers:
    """What another judge's record says of one pair.

    Attributes:
        overall: Its score, in its own unit.
        facets: Its ratings as shares of their scales.
    """

    overall: float | None = None
    facets: Mapping[Facet, float] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedPair:
    """One system's summary of one paper, measured.

    Attributes:
        paper: The paper's id.
        group: What is resampled: papers with the same reference are one.
        system: The system's name.
        text: The summary.
        judged: By judge.
        label: What people found; None where nobody looked.
        recorded: By whose record.
    """

    paper: str
    group: str
    system: str
    text: StudiedText
    judged: Mapping[str, Judged] = field(default_factory=lambda: MappingProxyType({}))
    label: Labelled | None = None
    recorded: Mapping[str, RecordedNumbers] = field(default_factory=lambda: MappingProxyType({}))
