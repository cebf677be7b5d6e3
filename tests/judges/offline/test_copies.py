"""Contradictions in near copies: what the rules see on texts of our own, and what they must not.

`copies.jsonl` has 31 invented papers of many fields. Each has a source paragraph, near copies with
one planted error (a negation, a direction, exchanged partners), and faithful paraphrases. An
assistant wrote them on 2026-11-28, most before it wrote the rules. The rules and their limits were
chosen in view of the part "chosen". Of the part "held" only the counts were looked at, several
times. The part "later" was written when the rules stood, and was run once before they were kept.
"""

from __future__ import annotations

from collections import Counter

import pytest

from summeval_pytest.judges.offline.clauses import LONGEST, read
from summeval_pytest.judges.offline.conflicts import Conflict
from summeval_pytest.judges.offline.copies import find_conflict
from summeval_pytest.judges.offline.support import support_sentences
from summeval_pytest.suite.labels import cut
from tests.judges.offline.test_figures import rows_of

KINDS = ("negation", "direction", "exchange", "faithful")


def test_it_sees_planted_errors_and_condemns_few_paraphrases() -> None:
    """Version 6 saw 20 of 41, 11 of 31 and 9 of 29 errors of the first 16 papers."""
    n_texts: Counter[tuple[str, str]] = Counter()
    n_seen: Counter[tuple[str, str]] = Counter()
    for row in rows_of("copies.jsonl"):
        for kind in KINDS:
            for claim in row[kind]:
                (check,) = support_sentences((claim,), cut(row["source"]))
                n_texts[row["part"], kind] += 1
                n_seen[row["part"], kind] += check.undecided
    assert {key: (n_seen[key], n_texts[key]) for key in n_texts} == {
        ("chosen", "negation"): (51, 51),
        ("chosen", "direction"): (43, 46),
        ("chosen", "exchange"): (41, 46),
        ("chosen", "faithful"): (0, 130),
        ("held", "negation"): (21, 21),
        ("held", "direction"): (16, 16),
        ("held", "exchange"): (13, 14),
        ("held", "faithful"): (0, 48),
        ("later", "negation"): (10, 13),
        ("later", "direction"): (15, 15),
        ("later", "exchange"): (11, 12),
        ("later", "faithful"): (0, 32),
    }


@pytest.mark.parametrize(
    ("claim", "sentence", "message"),
    [
        # Negations are compared by what they deny, wherever another one stands.
        (
            "The varnish peeled in the sun.",
            "The varnish did not peel in the sun.",
            "negation: 'peeled' instead of 'not peel'",
        ),
        (
            "The varnish didn't peel in the sun.",
            "The varnish peeled in the sun without turning yellow.",
            "negation: \"didn't peel\" instead of 'peeled'",
        ),
        (
            "Shade delayed ripening and rot.",
            "Shade delayed ripening but not rot.",
            "negation: 'rot' instead of 'not rot'",
        ),
        (
            "Rot was 18% under nets, and 47% without nets.",
            "Rot: 18% under nets, 47% without.",
            None,
        ),
        (
            "Pruning improved the yield of old vines.",
            "Pruning failed to improve the yield of old vines.",
            "negation: 'improved' instead of 'failed to improve'",
        ),
        ("Whether shade delays rot is not known.", "It is unknown whether shade delays rot.", None),
        ("The pumps never failed to start.", "The pumps started.", None),
        # A turned word is seen where the numbers and most other words agree.
        (
            "Ripening came 6 days later under nets of straw.",
            "Ripening was 6 days earlier under nets than under foil.",
            "direction: 'later' instead of 'earlier'",
        ),
        ("Foil warmed the soil less than straw.", "Straw warmed the soil more than foil.", None),
        ("More vines survived the frost.", "Fewer vines died in the frost.", None),
        ("The ice did not shrink in May.", "The ice grew in May.", None),
        # Partners: of numbers, of opposites, of a comparison.
        (
            "Rust was found on 7 of 40 coated nails and on 19 of 40 bare nails.",
            "Of 40 bare nails 19 had rust, and of 40 coated nails 7 had rust.",
            None,
        ),
        (
            "Rust was found on 19 of 40 bare nails and on 7 of 40 coated nails.",
            "Rust was found on 19 of 40 coated nails and on 7 of 40 bare nails.",
            "swap: '19' and '7' have changed places",
        ),
        (
            "Bare nails rusted faster than coated nails.",
            "Coated nails rusted faster than bare nails.",
            "swap: 'Bare' and 'coated' have changed places",
        ),
        (
            "Rents rose by the harbour and fell by the station.",
            "Rents rose by the station and fell by the harbour.",
            "swap: 'harbour' and 'station' have changed places",
        ),
    ],
)
def test_a_single_difference_contradicts(claim: str, sentence: str, message: str | None) -> None:
    """Two differences may undo each other; the reason is made of words as written."""
    conflict = find_conflict(claim, [sentence])
    assert (str(conflict) if conflict else None) == message


def test_the_sentence_with_most_of_the_words_is_the_one_that_counts() -> None:
    """Another sentence may say the opposite of something else."""
    first, second = "Rents rose by the harbour.", "Rents fell by the station."
    assert find_conflict("By the harbour rents rose.", [first, second]) is None
    assert find_conflict("By the station rents rose.", [first, second]) == Conflict(
        kind="direction", says="rose", instead="fell", sentence=second
    )


@pytest.mark.parametrize(
    "item", ["rose in may and fell in june", "30.5 and 12.5", "not", "word than"]
)
def test_of_a_huge_sentence_the_first_words_are_read(item: str) -> None:
    """Texts are hostile: words and numbers are counted before they are compared."""
    text = f"{item} " * 3000
    assert len(read(text).words) <= LONGEST
    assert find_conflict(text, [f"{text}not."]) is None


def test_a_heading_contradicts_nothing() -> None:
    """A slide's "Results: before cycling" has two words; its label is not one of a near copy."""
    source = ["The results after cycling were stored, and before cycling all bars were read out."]
    assert find_conflict("Results: after cycling", source) is None
    assert find_conflict("Results: before cycling", ["Results were taken after cycling."]) is None
