"""Placeholders that data sets leave where a formula or a citation stood: no words, no numbers."""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(r"(?:[^\S\n]*@x[^\W_]+)+[^\S\n]*")


def without_placeholders(text: str) -> str:
    """The text with one space for every run of marks such as ``@xmath12`` or ``@xcite``.

    The arXiv and PubMed sets of long documents have them. Their digits number the formulas of a
    text and state nothing.
    """
    return _PLACEHOLDER.sub(" ", text)
