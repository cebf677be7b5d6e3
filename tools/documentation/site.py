"""Builds the site, with the Markdown of each page beside it: `llms.txt` links to that.

`python -m tools.documentation.site` writes `docs/site`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def copy_pages(pages: Path, site: Path) -> None:
    """Copies the Markdown of all pages into the built site, which has only their HTML."""
    for page in pages.rglob("*.md"):
        shutil.copy(page, site / page.relative_to(pages))


def main() -> None:
    """Builds the site of this repository."""
    build = (sys.executable, "-m", "zensical", "build", "--strict", "-f", str(DOCS / "mkdocs.yml"))
    subprocess.run(build, check=True)
    copy_pages(DOCS / "pages", DOCS / "site")


if __name__ == "__main__":
    main()
