"""One summary in the forms in which models write it; what it says is the same in all of them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Final


def _lines(mark: str) -> Callable[[Sequence[str]], str]:
    """Each sentence on a line of its own, behind a mark in which `{n}` is its number."""
    return lambda sentences: "\n".join(
        mark.format(n=n) + sentence for n, sentence in enumerate(sentences, 1)
    )


def _sections(sentences: Sequence[str]) -> str:
    """Headings of Markdown, and bullets below them."""
    names = ("## Summary", "### Background", "### Methods", "**Results**", "Conclusions:")
    n = -(-len(sentences) // len(names))
    parts = (sentences[at * n : (at + 1) * n] for at in range(len(names)))
    bullets = ("".join(f"* {sentence}\n" for sentence in part) for part in parts)
    return "\n".join(f"{name}\n{part}" for name, part in zip(names, bullets, strict=True))


def _table(sentences: Sequence[str]) -> str:
    return "| Findings |\n|:---|\n" + "".join(f"| {sentence} |\n" for sentence in sentences)


FORMS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = {
    "prose": " ".join,
    "numbered": _lines("{n}. "),
    "bullets": _lines("- "),
    "dots": _lines("\u2022 "),
    "dashes in one line": lambda sentences: "- " + " - ".join(sentences),
    "numbers in one line": lambda sentences: " ".join(
        f"{n}) {sentence}" for n, sentence in enumerate(sentences, 1)
    ),
    "written line ends": lambda sentences: "\\n".join(f"- {sentence}" for sentence in sentences),
    "bold": lambda sentences: " ".join(f"**{sentence}**" for sentence in sentences),
    "sections": _sections,
    "table": _table,
    "wrapped": lambda sentences: textwrap.fill(" ".join(sentences), 72),
}
"""By name, how a summary of some sentences is written."""
