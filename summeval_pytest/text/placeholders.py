"""Placeholders that data sets leave where a formula or a citation stood: no words, no numbers."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(r"@x[^\W_]+")


def without_placeholders(text: str) -> str:
    """The text with a space for each mark such as ``@xmath12`` or ``@xcite``.

    The arXiv and PubMed sets of long documents have them. Their digits count the formulas of a file and state nothing.
    """
    return _PLACEHOLDER.sub(" ", text)
