"""Small words that turn, shift or end what a clause says: "too many", "gave way", "the same as"."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from summeval_pytest.judges.offline.english.adjectives import AMOUNT, SPEED, WORTH
from summeval_pytest.judges.offline.english.polarity import SIGN

NOT_BASE: Final = frozenset("a an one half two three four five ten".split())
WIDE: Final = frozenset("without none neither nor nothing".split())
"""Negators of what is listed behind them, of which no single word is denied."""
EFFECTS: Final = frozenset({"effect", "influenc", "impact"})
OPENING: Final = 2
"""A negation among so many first words sets a thing against another, and denies no verb."""
AFTER_NAME: Final = frozenset({"the", "of", "than", ""})
"""Not behind a comparative that names a thing ("the wider outlet")."""
GOING: Final = frozenset(
    "went go goes going gone move moved moves pushed push pushes brought bring brings drove drive"
    " drives driven build built builds sent turned scaled broke break breaks came".split()
)
LOSING: Final = frozenset("lost lose loses losing".split())
PREVENTING: Final = frozenset(
    "prevent prevents prevented preventing stop stops stopped bar barred keep keeps kept".split()
)
TRANSPARENT: Final = frozenset("able seem appear seen need likely shown sign evidence".split())
"""What is denied stands behind these."""
SUPPOSING: Final = frozenset("should would may might".split())
"""Behind these a denial finds nothing."""
WHOLE: Final = frozenset(
    "in as for with on at across under between among throughout after before by from when".split()
) | {""}
"""What may follow a "same" that describes no thing."""
HEDGES: Final = frozenset("slightly barely merely marginally".split())
SCANT: Final = frozenset("little scant minimal negligible".split())
GIVING: Final = frozenset("gave give gives given giving".split())
EXCESS: Final = MappingProxyType({"many": 1, "much": 1, "few": -1, "little": -1})
LASTING: Final = frozenset("time times took take takes taking duration latency delay".split())
"""Of these, more is slower."""
STATING: Final = frozenset({AMOUNT, WORTH, SPEED, SIGN})
"""Scales by which a difference is stated."""
WAYS: Final = {"up": 1, "down": -1}
FAR: Final = 999
"""Farther than any sentence is long."""
NEAR: Final = 4
"""Words after a negation among which a direction is denied."""
SCOPE: Final = 8
"""Words after a negation among which a finding is denied."""
