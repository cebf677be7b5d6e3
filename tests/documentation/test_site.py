"""The documentation's site, built by the extra `docs`, and looked at in headless Chromium."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.chromium import IS_THERE, resize, window
from tests.processes import run_command, serving
from tools.documentation.site import copy_pages

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "pages"
if find_spec("zensical") is None:
    pytest.skip("the extra docs is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copy(DOCS / "mkdocs.yml", folder)
    shutil.copytree(PAGES, folder / "pages")
    build = (sys.executable, "-m", "zensical", "build", "--strict", "-f")
    assert run_command(*build, folder / "mkdocs.yml").stderr == "No issues found\n"
    copy_pages(folder / "pages", folder / "site")
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


def test_llms_txt_names_each_page_once(site: Path) -> None:
    """A coding agent reads this list and no menu: a page that it leaves out is not read."""
    links = re.findall(r"^- \[.+\]\((.+)\): ", (site / "llms.txt").read_text("utf-8"), re.MULTILINE)
    pages = [page.relative_to(PAGES).as_posix() for page in PAGES.rglob("*.md")]
    assert sorted(links) == sorted(pages)
    assert all((site / link).is_file() for link in links)


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    """A reader without a network sees all of it, and nobody is told who reads."""
    loaded = {url for page in site.rglob("*.html") for url in Links(page).loaded}
    for style in site.rglob("*.css"):
        loaded |= set(re.findall(r"(?:url\(|@import )['\"]?([^'\")]+)", style.read_text("utf-8")))
    assert loaded
    assert not [url for url in loaded if urlsplit(url).netloc]


@pytest.fixture(scope="module")
def browser(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """A window, and the address of the site; nothing else was asked for in the end."""
    if not IS_THERE:
        pytest.skip("chromium, chromedriver or selenium is not installed")
    profile = tmp_path_factory.mktemp("profile")
    with (
        serving(SimpleHTTPRequestHandler, directory=str(site)) as origin,
        window(profile, "--hide-scrollbars") as driver,
    ):
        address = f"{origin}/"
        yield driver, address
        assert driver.get_log("browser") == []
        log = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
        asked = {
            event["params"]["request"]["url"]
            for event in log
            if event["method"] == "Network.requestWillBeSent"
            and event["params"]["documentURL"].startswith(address)
        }
        assert asked
        assert not [url for url in asked if not url.startswith((address, "data:", "blob:"))]


FIRST_FOUND = """
const roots = [...document.querySelectorAll("*")].map((e) => e.shadowRoot).filter((root) => root);
return roots.flatMap((root) => [...root.querySelectorAll("a")])[0]?.href;
"""


def test_search_finds_an_option_without_a_network(browser: tuple[Any, str]) -> None:
    """What is looked up most is an option by its name."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.support.wait import WebDriverWait

    driver, address = browser
    resize(driver, 1300, 1000)
    driver.get(f"{address}index.html")
    wait = WebDriverWait(driver, 20)
    wait.until(lambda _: driver.find_element("css selector", ".md-search__button")).click()
    ActionChains(driver).send_keys("--summ-budget").perform()
    wait.until(lambda _: "/reference/options.html" in (driver.execute_script(FIRST_FOUND) or ""))


WIDTHS = """
const [urls, done] = arguments;
const frames = urls.map((url) => Object.assign(document.createElement("iframe"), {src: url}));
const loaded = (frame) => new Promise((resolve) => {
  frame.style.cssText = "width: 400px; height: 900px; border: 0";
  frame.onload = () => resolve(frame.contentDocument.documentElement.scrollWidth);
});
const widths = Promise.all(frames.map(loaded));
document.body.append(...frames);
widths.then(done);
"""


def test_pages_fit_into_a_narrow_window(browser: tuple[Any, str], site: Path) -> None:
    """A telephone is 400 pixels wide; tables and code scroll by themselves."""
    driver, address = browser
    pages = [page.relative_to(site).as_posix() for page in sorted(site.rglob("*.html"))]
    driver.get(f"{address}404.html")
    widths = driver.execute_async_script(WIDTHS, [address + page for page in pages])
    assert {page: width for page, width in zip(pages, widths, strict=True) if width > 400} == {}
