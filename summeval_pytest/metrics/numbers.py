r"""How many numbers a text states: references state more of them than language models do.

A number is a run of digits, with what follows a decimal point: ``\d+(\.\d+)?``. So "p < 0.05" has
one, "10-20" two, "1,000" two, "IL-6" one, and "three" none; placeholders such as ``@xmath12`` are
left out. Of the definitions tried (with and without words, digits in names, thousands as one, whole
tokens) this is the only one that gives all six figures that ScholarSum has for FM, figure 4b
(metrics.md, section 2). `text.find_quantities`, which the embedded judge reads, is another: IL-6 is
no six there, and "three" is a number.
"""

from __future__ import annotations

import re

from summeval_pytest.text import normalise
from summeval_pytest.text.placeholders import without_placeholders

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def count_numbers(text: str) -> int:
    """How many numbers the text states, 0 or more."""
    return len(_NUMBER.findall(_plain(text)))


def numbers_per_100_words(text: str) -> float | None:
    """How many numbers the text states for 100 words; None where it has no word.

    Words are what stands between spaces. For many texts the figure of FM is that of the sums, which
    is that of the texts joined by a space: long texts count for more than in the mean of the texts'
    own rates.
    """
    n_words = len(_plain(text).split())
    return 100 * count_numbers(text) / n_words if n_words else None


def _plain(text: str) -> str:
    return without_placeholders(normalise(text))
