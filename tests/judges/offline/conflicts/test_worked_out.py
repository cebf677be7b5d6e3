from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.conflicts.number_conflicts import missing_number
from summeval_pytest.judges.offline.conflicts.worked_out import is_near
from summeval_pytest.judges.offline.readings.reading import read


@pytest.mark.parametrize(
    ("claim", "evidence", "is_missing"),
    [
        (
            "The pier was watched for 14 months.",
            "Watches ran from March 2021 to April 2022.",
            False,
        ),
        ("The pier was watched for 30 months.", "Watches ran from March 2021 to April 2022.", True),
        ("The pier sank over ten years.", "The pier sank over a decade.", False),
        ("The pier sank over six years.", "The pier sank over a decade.", True),
        ("Of the piers, 30% sank.", "Of the piers, 70% stayed.", False),
    ],
)
def test_number_that_follows_from_others_is_not_missing(
    claim: str, evidence: str, is_missing: bool
) -> None:
    """March 2021 to April 2022 are 13 or 14 months; a decade is ten years; 100 - 70 = 30."""
    reading = read(evidence)

    assert bool(missing_number(read(claim), [reading], reading.quantities)) is is_missing


def test_nearness_is_a_share_of_the_larger_number() -> None:
    """98 is within 2% of 100, 97 is not."""
    assert is_near(98, 100, 0.02)
    assert not is_near(97, 100, 0.02)
