"""The documentation's site, built by the extra `docs`, and looked at in headless Chromium."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parents[2] / "docs"
if find_spec("zensical") is None:
    pytest.skip("the extra docs is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copy(DOCS / "mkdocs.yml", folder)
    shutil.copytree(DOCS / "pages", folder / "pages")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "-f", str(folder / "mkdocs.yml")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "No issues found\n"), done.stderr
    return folder / "site"


class Links(HTMLParser):
    """What a page is asked for by name, what it links to, and what it loads."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.linked: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what one element says."""
        given = {name: value for name, value in attrs if value}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.linked.add(given["href"])
        else:
            self.loaded |= {given[name] for name in ("href", "src") if name in given}


def _dead(site: Path) -> Iterator[tuple[str, str]]:
    """Each link of a page that leads nowhere."""
    found = {page: Links(page) for page in site.rglob("*.html")}
    for page, links in found.items():
        for link in links.linked | links.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                is_dead = not (parts.scheme in {"http", "https"} and "." in parts.netloc)
            else:
                beside = site if link.startswith("/") else page.parent
                target = (beside / unquote(parts.path).lstrip("/")).resolve()
                target = page if not parts.path else target
                target = target / "index.html" if target.is_dir() else target
                is_html = target.suffix == ".html" and target in found
                names = found[target].names if is_html else set()
                is_dead = not target.is_file() or bool(
                    parts.fragment and unquote(parts.fragment) not in names
                )
            if is_dead:
                yield page.name, link


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    """Titles have other anchors here than at GitHub, which the test of the README looks at."""
    assert len(list(site.rglob("*.html"))) > 9
    assert list(_dead(site)) == []


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    """A reader without a network sees all of it, and nobody is told who reads."""
    loaded = {url for page in site.rglob("*.html") for url in Links(page).loaded}
    for style in site.rglob("*.css"):
        loaded |= set(re.findall(r"(?:url\(|@import )['\"]?([^'\")]+)", style.read_text("utf-8")))
    assert loaded
    assert not [url for url in loaded if urlsplit(url).netloc]
