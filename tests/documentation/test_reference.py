from __future__ import annotations

from pathlib import Path

import pytest

from tools.documentation.reference import BLOCK, BLOCKS, PAGES, written

REFERENCE = sorted(PAGES.glob("*.md"))


@pytest.mark.parametrize("page", REFERENCE, ids=lambda page: page.stem)
def test_reference_pages_are_as_the_code_has_it(page: Path) -> None:
    """A table that is written by hand goes stale; `python -m tools.documentation.reference`."""
    text = page.read_text(encoding="utf-8")
    assert text == written(text)


def test_every_table_stands_on_a_page() -> None:
    """A mark that is mistyped would leave its table as it is."""
    texts = [page.read_text(encoding="utf-8") for page in REFERENCE]
    assert sorted(found[1] for text in texts for found in BLOCK.findall(text)) == sorted(BLOCKS)
