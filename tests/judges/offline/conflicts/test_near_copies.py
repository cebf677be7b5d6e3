from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.conflicts.near_copies import copied_but_changed
from summeval_pytest.judges.offline.readings.reading import read

SOURCE = "The old pier was painted by 14 volunteers in the warmer months."


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("The old pier was painted by 19 volunteers in the warmer months.", "number"),
        ("The old pier was painted by 14 volunteers in the colder months.", "direction"),
        ("The old pier was not painted by 14 volunteers in the warmer months.", "negation"),
        ("The old pier was painted by volunteers in the warmer months.", None),
        ("The grand pier was painted by 14 volunteers in the warmer months.", None),
        (SOURCE, None),
    ],
)
def test_one_telling_word_changed_in_a_copy_is_seen(claim: str, kind: str | None) -> None:
    """Leaving out and rewording contradict nothing."""
    found = copied_but_changed(read(claim), [read(SOURCE)])

    assert (found.kind if found else None) == kind


def test_other_sentence_is_no_copy() -> None:
    """What shares few words is compared clause by clause, not word by word."""
    claim = read("In the colder months gulls nested on the old pier in great numbers.")

    assert copied_but_changed(claim, [read(SOURCE)]) is None


def test_both_texts_are_shown() -> None:
    """The reader compares the two sentences."""
    found = copied_but_changed(
        read("The old pier was painted by 19 volunteers in the warmer months."), [read(SOURCE)]
    )

    assert str(found) == (
        "number: 'The old pier was painted by 19 volunteers in the warmer months.' against"
        " 'The old pier was painted by 14 volunteers in the warmer months.'"
    )
