"""A sentence as the embedded judge reads it: stems, quantities, clauses with what they claim.

Everything but the text is computed when it is first asked for, since most sentences are only
counted and few are compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.english.spoken_words import tells, tokens_of
from summeval_pytest.judges.offline.readings.clauses import clauses_of
from summeval_pytest.judges.offline.readings.figures import figures
from summeval_pytest.judges.offline.readings.lazy import lazy
from summeval_pytest.text import content_words, find_quantities

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.readings.clause import Clause
    from summeval_pytest.judges.offline.readings.figures import Placed

MOST: Final = 60
"""Of a text that has more numbers or clauses in one sentence only so many are compared: it is a
table, or keeps the judge busy."""
_CLAUSE_END = re.compile(
    r"[;:]|,(?!\d)|\s[-\u2013\u2014]\s|\b(?:whereas|while|but|although|though|however|yet|and|because)\b",
    re.IGNORECASE,
)


@dataclass(eq=False)
class Reading:
    """All that is read off one sentence, once.

    Attributes:
        text: The sentence.
    """

    text: str

    @lazy
    def words(self) -> tuple[str, ...]:
        """The stems of its content words, in order."""
        return tuple(content_words(self.text))

    @lazy
    def marked(self) -> tuple[str, ...]:
        """Its words, numbers and breaks in order, in lower case."""
        return tokens_of(self.text)

    @lazy
    def tokens(self) -> tuple[str, ...]:
        """Its words and numbers in order, in lower case."""
        return tuple([word for word in self.marked if word[0].isalnum() or word == "%"])

    @lazy
    def token_set(self) -> frozenset[str]:
        """Its different words and numbers."""
        return frozenset(self.tokens)

    @lazy
    def tells(self) -> bool:
        """Whether it denies or states a finding, or points anywhere; else it can only be found."""
        return tells(self.token_set)

    @lazy
    def clauses(self) -> tuple[Clause, ...]:
        """Its first `MOST` clauses in order, with their directions and denials."""
        return clauses_of(self.text, self.marked)[:MOST]

    @lazy
    def stems(self) -> frozenset[str]:
        """The informative stems of its clauses."""
        return frozenset([word for clause in self.clauses for word in clause.stems])

    @lazy
    def quantities(self) -> tuple[Placed, ...]:
        """Its first `MOST` numbers in order, with the words they stand by."""
        found = find_quantities(self.text)[:MOST]
        if not found:
            return ()
        cuts = [0, *[match.start() for match in _CLAUSE_END.finditer(self.text)], len(self.text)]
        return figures(self.text, found, [(a, b) for a, b in pairwise(cuts) if b > a])


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """What one sentence says, as far as the embedded judge can tell."""
    return Reading(text)
