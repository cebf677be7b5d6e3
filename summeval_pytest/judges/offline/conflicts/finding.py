"""What sentences that share their words still disagree in: numbers, order, direction, negation.

Overlap rewards contradictions ("increased" and "decreased" differ in one word), so a conflict
found here vetoes a match however many words agree. No conflict found proves nothing: a
contradiction without a number, a negation or a direction word is not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.judges.offline.conflicts.clause_conflicts import opposite_clause
from summeval_pytest.judges.offline.conflicts.comparisons import opposite_comparison, opposite_ratio
from summeval_pytest.judges.offline.conflicts.near_copies import copied_but_changed
from summeval_pytest.judges.offline.conflicts.number_conflicts import swapped_numbers
from summeval_pytest.judges.offline.conflicts.reversals import reversed_change, reversed_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.offline.conflicts.conflict import Conflict
    from summeval_pytest.judges.offline.readings.reading import Reading


def find_conflict(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """The first contradiction of a claim and the sentences closest to it; None if none is seen.

    A number that the evidence lacks is no contradiction: see `missing_number`.
    What stands in the evidence as one of its sentences is no contradiction, whatever it says.
    """
    if claim in evidence:
        return None
    for look in (
        swapped_numbers,
        reversed_change,
        reversed_order,
        opposite_clause,
        opposite_comparison,
        opposite_ratio,
        copied_but_changed,
    ):
        conflict = look(claim, evidence)
        if conflict is not None:
            return conflict
    return None
