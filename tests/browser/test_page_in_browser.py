"""The page in headless Chromium, clicked through as a reviewer would."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from summeval_pytest import score
from summeval_pytest.reports import page
from summeval_pytest.reports.page import means_html
from summeval_pytest.study.agreement.agreement_page import agreement_page
from summeval_pytest.verdict.run import RunVerdict
from tests.chromium import IS_THERE, resize, window
from tests.reports.records import (
    HOLDS,
    MARKUP,
    MISSED,
    REFERENCE,
    SUMMARY,
    agreement,
    golden,
    hostile_run,
    measured,
    moss_run,
    moss_suite,
    page_text,
    right_pair,
    small_run,
    trust,
    wrong_pair,
)
from tests.study.agreement.agreements import small_agreement

if not IS_THERE:
    pytest.skip("chromium, chromedriver or selenium is not installed", allow_module_level=True)
webdriver: Any = pytest.importorskip("selenium.webdriver")
keys: Any = pytest.importorskip("selenium.webdriver.common.keys").Keys

CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const rgb = (colour, under) => {
  canvas.fillStyle = `rgb(${under})`; canvas.fillRect(0, 0, 1, 1);
  canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const behind = (e) => {
  const under = e.parentElement ? behind(e.parentElement) : [255, 255, 255];
  return rgb(getComputedStyle(e).backgroundColor, under);
};
const light = (c) => c.map((v) => v / 255)
  .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const found = [];
for (const e of document.querySelectorAll("body *")) {
  const said = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  if (!said || !e.checkVisibility() || e.closest("script")) continue;
  const under = behind(e);
  const [a, b] = [light(rgb(getComputedStyle(e).color, under)), light(under)];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) found.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)}`);
}
return found;
"""
"""The elements whose text has less contrast than WCAG 2.2, 1.4.3 (level AA) asks for."""


class Browser:
    """One window, and what a test does in it."""

    def __init__(self, driver: Any, folder: Path) -> None:
        self.driver = driver
        self.folder = folder

    def open(self, record: RunVerdict, fragment: str = "") -> None:
        """Opens the page of a run, like a file from a CI run's artefacts."""
        self.open_text(page_text(record), fragment)

    def open_text(self, text: str, fragment: str = "") -> None:
        """Opens a page."""
        file = self.folder / "report.html"
        file.write_text(text, encoding="utf-8")
        self.driver.get("about:blank")
        self.driver.get(file.as_uri() + fragment)
        self.settle()

    def settle(self) -> None:
        """Lets the page hear of what was done: a changed address is an event of its own."""
        self.run(
            "const frame = () => new Promise((done) =>"
            " requestAnimationFrame(() => setTimeout(done)));"
            " return frame().then(frame);"
        )

    def run(self, code: str, *arguments: object) -> Any:
        """What some script in the page returns."""
        return self.driver.execute_script(code, *arguments)

    def find(self, selector: str) -> Any:
        """The first element that a selector names."""
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        """The visible elements that a selector names, once the page has heard of what was done."""
        self.settle()
        actual = self.driver.find_elements("css selector", selector)
        return [element for element in actual if element.is_displayed()]

    def texts(self, selector: str) -> list[str]:
        """Their texts, white space collapsed."""
        return [" ".join(element.text.split()) for element in self.all(selector)]

    def press(self, *pressed: str) -> None:
        """Types into whatever has the focus."""
        webdriver.ActionChains(self.driver).send_keys(*pressed).perform()
        self.settle()

    def hover(self, element: Any) -> None:
        """Moves the pointer onto an element; pages hear of it with their next frame."""
        webdriver.ActionChains(self.driver).move_to_element(element).perform()
        self.settle()

    def panel(self) -> str:
        """What the panel says."""
        return " ".join(self.find(".panel").text.split())

    def focused(self) -> str:
        """The id or address of what has the focus."""
        return str(
            self.run("const e = document.activeElement; return e.id || e.hash || e.className")
        )

    @contextmanager
    def media(self, **features: str) -> Iterator[None]:
        """Another medium or other preferences for a while."""
        media = features.pop("media", "")
        named = [{"name": n.replace("_", "-"), "value": v} for n, v in features.items()]
        settings = {"media": media, "features": named}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", settings)
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    @contextmanager
    def width(self, pixels: int) -> Iterator[None]:
        """Another width of the window for a while."""
        resize(self.driver, pixels, 900)
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One Chromium for all tests of this file."""
    folder = tmp_path_factory.mktemp("browser")
    with window(folder / "profile", "--window-size=1600,1000") as driver:
        driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
        yield Browser(driver, folder)


@pytest.fixture
def browser(opened: Browser) -> Iterator[Browser]:
    """The window; whatever a test does, nothing is asked of a network and no error is logged."""
    opened.driver.get_log("performance")
    yield opened
    assert opened.driver.get_log("browser") == []
    events = [
        json.loads(entry["message"])["message"] for entry in opened.driver.get_log("performance")
    ]
    requests = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
        and event["params"]["documentURL"].startswith("file:")
    }
    assert requests
    assert all(url.startswith(("file:", "data:")) for url in requests)


def test_the_worst_pair_is_open_with_its_worst_finding(browser: Browser) -> None:
    """A reviewer sees what is wrong without a click."""
    browser.open(moss_run(moss_suite(right_pair(), wrong_pair())))
    assert browser.texts("#detail h3") == ["✗ failed On moss-01"]
    assert browser.texts("#detail .shortfalls li") == [
        "facet 0.500 < 0.600",
        "facet.conclusion 1 < 2",
    ]
    assert browser.panel().startswith("✗ sentence 2: unsupported, support 0.25 of 1")
    assert "[3] Wet moss grew twice as fast as dry moss." in browser.panel()
    assert browser.run("return scrollY") == 0  # the verdict is what the eye meets first


def test_filters_narrow_the_list_and_the_address(browser: Browser) -> None:
    """A filtered list can be sent to a colleague; from a bad mean to its pairs is one click."""
    browser.open(small_run())

    def shown() -> list[str]:
        return [str(link.get_attribute("hash")) for link in browser.all("#list a")]

    assert len(shown()) == 4
    browser.find("select[name=system] option:nth-child(2)").click()
    assert shown() == ["#pair=careful/moss-02", "#pair=careful/moss-01"]
    assert browser.find("#count").text == "2 of 4 pairs shown, the worst first."
    browser.find("select[name=verdict] option:nth-child(4)").click()
    assert shown() == ["#pair=careful/moss-01"]
    assert browser.run("return location.hash") == "#system=careful&verdict=passed"
    browser.run("location.hash = '#lost=conclusion'")
    assert shown() == ["#pair=careless/moss-01"]
    browser.run("location.hash = '#lost=method'")
    assert shown() == []
    browser.run("location.hash = '#search='")
    browser.find("input[type=search]").send_keys("ON MOSS-02")
    assert shown() == ["#pair=careless/moss-02", "#pair=careful/moss-02"]
    browser.find(".heat div:nth-child(4) a").click()
    assert browser.run("return location.hash") == "#system=careless&lost=result"
    assert browser.texts("#list .who") == ["careless · moss-01 · ▼ 0.400 worse"]


def test_both_texts_are_marked_and_what_changed_is_reported(browser: Browser) -> None:
    """Colour is never the only sign: a label, an underline of its own, and a cross."""
    browser.open(small_run(), "#pair=careless/moss-01")
    marked = browser.run(
        """return [...document.querySelectorAll('.side:first-child .run[data-label]')].map((run) =>
        [run.dataset.label, run.textContent, getComputedStyle(run).borderBottomStyle,
         getComputedStyle(run).backgroundColor])"""
    )
    assert [each[:3] for each in marked] == [
        ["background", "Moss needs rain.", "solid"],
        ["method", "We watered stones.", "dashed"],
        ["result", "Wet moss grew twice as fast.", "dotted"],
        ["conclusion", "Rain feeds moss.", "double"],
    ]
    assert len({each[3] for each in marked}) == 4
    assert browser.texts(".side:last-child .text .sign.bad") == ["✗"]
    (wrong,) = browser.all(".run.sentence-bad")
    assert wrong.text == "Dry moss grew twice as fast."
    assert "wavy" in wrong.value_of_css_property("text-decoration")
    line = " ".join(browser.find(".changes").text.split())
    assert line.startswith("Since v1/careful facet 0.900 -> 0.500 result 4 → 2 Moss grew.")
    # "Moss grew." is cut out of this sentence.
    lost = "Fact of the reference lost (1) ✗ Wet moss grew twice as fast. Moss grew."
    assert lost in line
    assert "Unsupported sentence gone (1) ✓ Moss grew." in line


def test_pointing_at_words_says_why_and_at_pieces_shows_words(
    browser: Browser,
) -> None:
    """Both ways, so that neither list nor text has to be searched."""
    browser.open(small_run(), "#pair=careless/moss-01")
    browser.hover(browser.find(".run.sentence-bad"))
    line = browser.panel()
    assert "✗ sentence 2: unsupported, support 0.25 of 1" in line
    assert "[3] Wet moss grew twice as fast as dry moss." in line
    assert browser.texts(".pieces.sentence .piece.lit") == [
        "✗ Dry moss grew twice as fast. unsupported, support 0.25 of 1"
    ]
    browser.hover(browser.find(".pieces.expected .piece.bad"))
    line = "✗ facts in sentence 3 of the reference: 1 of 2 facts missing Wet moss grew twice as"
    assert browser.panel().startswith(f"{line} fast. ✗ fact 2 of the reference: missing")
    assert browser.texts(".panel > div > .why > blockquote > span") == ["Wet moss grew", "fast."]
    assert "In the summary Dry moss grew twice as fast." in browser.panel()
    assert browser.texts(".side:first-child .run.lit") == ["Wet moss grew twice as fast."]
    assert browser.texts(".side:last-child .run.lit-there") == ["Dry moss grew twice as fast."]


def test_a_pair_leads_to_the_other_systems_on_its_paper_and_back(browser: Browser) -> None:
    """Whether all systems fail on a paper says whose fault it is; a pair has its own address."""
    browser.open(small_run(), "#pairs")
    browser.find("#list a[href='#pair=careless/moss-01']").click()
    assert browser.texts("#detail .others span:has(a)") == ["✓ passed careful"]
    browser.find("#detail .others a").send_keys(keys.ENTER)
    assert browser.texts("#detail .others span:has(a)") == ["✗ failed careless"]
    assert browser.run("return decodeURIComponent(location.hash)") == "#pair=careful/moss-01"
    for _ in range(2):
        browser.driver.back()
    assert not browser.all("#detail")
    browser.open(moss_run(moss_suite(wrong_pair())), "#pair=careless/moss-01")
    assert browser.texts("#detail h3") != []
    assert not browser.all("#detail .others")


def test_a_click_holds_the_panel_until_escape(browser: Browser) -> None:
    """On the way to the panel the pointer crosses other pieces."""
    browser.open(small_run(), "#pair=careless/moss-01")
    piece = browser.find(".pieces.stated .piece.bad")
    piece.click()
    assert piece.get_attribute("aria-pressed") == "true"
    browser.hover(browser.find(".run.facet.method"))
    assert browser.panel().startswith("✗ facts in sentence 2 of the summary: not in the reference")
    browser.press(keys.ESCAPE)
    assert piece.get_attribute("aria-pressed") == "false"
    browser.hover(browser.find(".run.facet.background"))
    assert browser.panel().startswith("✗ background: rated 1 of 3")
    assert browser.all("#detail")


COVERED = """const panel = document.querySelector(".panel").getBoundingClientRect();
    const text = arguments[0].getBoundingClientRect();
    const inside = panel.top >= 0 && panel.bottom <= innerHeight && panel.left >= 0
      && panel.right <= innerWidth && panel.height > 40;
    const apart = panel.bottom <= text.top || panel.top >= text.bottom
      || panel.right <= text.left || panel.left >= text.right;
    return [inside, apart]"""


@pytest.mark.parametrize("pixels", [400, 1600])  # below the texts, and beside them
def test_the_panel_never_hides_what_it_explains(browser: Browser, pixels: int) -> None:
    """Neither under the pointer nor under the focus, nor when the page is scrolled on."""
    with browser.width(pixels):
        browser.open(small_run(), "#pair=careless/moss-01")
        for piece in (*browser.all(".run")[::9], *browser.all("button.piece")[::9]):
            browser.run("arguments[0].scrollIntoView({block: 'center'})", piece)
            for act in (browser.hover, lambda it: browser.run("arguments[0].focus()", it)):
                act(piece)
                assert browser.run(COVERED, piece) == [True, True]
        for block in ("start", "end"):
            browser.run("arguments[0].scrollIntoView({block: arguments[1]})", piece, block)
            browser.settle()
            assert browser.run(COVERED, piece) == [True, True]


def test_escape_and_a_button_put_away_the_panel_on_a_telephone(browser: Browser) -> None:
    """It lies over the page there, and is not there before it was asked for."""
    with browser.width(400):
        browser.open(small_run(), "#pair=careless/moss-01")
        assert not browser.all(".panel")
        piece = browser.find(".pieces.stated .piece.bad")
        piece.click()
        assert browser.panel().startswith(
            "✕ ✗ facts in sentence 2 of the summary: not in the reference"
        )
        browser.press(keys.ESCAPE)
        assert not browser.all(".panel")
        piece.click()
        browser.find(".panel button").click()
        assert not browser.all(".panel")
        assert browser.focused().startswith("piece")
        browser.press(keys.ESCAPE)
        assert not browser.all("#detail")


def test_the_page_can_be_used_by_keyboard_alone(browser: Browser) -> None:
    """From the search to a reason and back, with the focus where the eyes are."""
    browser.open(small_run())
    browser.press("/")
    assert browser.run("return document.activeElement.name") == "search"
    browser.press("jk")
    assert browser.find("input[type=search]").get_attribute("value") == "jk"
    assert browser.find("#count").text.startswith("0 of 4 pairs")
    browser.press(keys.ESCAPE)  # which empties a search field, too
    browser.press("j")
    assert browser.focused() == "#pair=careless/moss-02"
    browser.press("j", "k", "j", keys.ARROW_DOWN)
    assert browser.focused() == "#pair=careless/moss-01"
    outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    browser.press(keys.ENTER)
    assert browser.focused() == "detail"
    for _ in range(5):  # three buttons, a link to another system, the first facet
        browser.press(keys.TAB)
    assert browser.focused().startswith("piece")
    first = browser.panel()
    browser.press(keys.ARROW_DOWN)
    assert browser.panel() != first
    browser.press("j")
    assert browser.run("return location.hash") == "#pair=careful/moss-01"
    browser.press("k", keys.ESCAPE)
    assert browser.focused() == "#pair=careless/moss-01"
    assert not browser.all("#detail")


EDGES = """return [...document.querySelectorAll(arguments[0])].map((e) =>
    e.getBoundingClientRect()).flatMap(({left, right}) => [left, right])"""
"""Where elements begin and end, from the left of the window."""


def test_nothing_runs_out_of_the_window(browser: Browser) -> None:
    """Every number of a system is in sight; on a telephone, wide tables scroll by themselves."""
    browser.open(small_run(), "#pair=careless/moss-01")
    for pixels in (400, 1000, 1024, 1600):
        with browser.width(pixels):
            browser.settle()
            assert browser.run("return document.documentElement.scrollWidth") <= pixels
            edges = browser.run(EDGES, ".heat > div, .heat b")
            assert len(edges) == 2 * 7 * 2 * 2
            assert 0 <= min(edges) < max(edges) <= pixels
            assert bool(browser.all("#list")) == (pixels >= 1000 + 24)
            places = browser.run(
                "return [...document.querySelectorAll('.text')].map((text) => text.offsetLeft)"
            )
            assert (places[0] == places[1]) == (pixels < 1024)


def untrusted_run() -> RunVerdict:
    """A run whose judge misses a floor, with figures of long names."""
    names = [f"unfaithful_recall.{kind}" for kind in ("overgeneral-claim", "invented-detail")]
    actual = trust(MISSED, HOLDS, *(agreement(name, 0.25, n_items=1_102) for name in names))
    return moss_run(measured(moss_suite(right_pair(), wrong_pair()), actual, golden()))


def test_an_untrusted_judge_has_grey_badges_and_numbers_that_line_up(browser: Browser) -> None:
    """Neither green nor red counts; the judge's own badge is as red as ever."""
    browser.open(untrusted_run(), "#pair=careless/moss-01")

    def colours(selector: str) -> set[str]:
        return {badge.value_of_css_property("color") for badge in browser.all(selector)}

    assert len(browser.all(".matrix")) == 3
    assert len(browser.all("#systems .badge")) == 2
    shown = "#systems .badge, .top .badge, #baseline .badge, #list .badge, #detail .badge"
    assert len(colours(shown)) == 1
    assert not colours("#systems .badge") & colours("#judge .badge")
    for column in (".figures tbody td:nth-child(2)", ".figures tbody td:nth-child(5)"):
        edges = browser.run(
            """return [...document.querySelectorAll(arguments[0])].map((cell) => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return Math.round(range.getBoundingClientRect().right); })""",
            column,
        )
        assert (len(edges), len(set(edges))) == (4, 1)
    browser.open(small_run(), "#pair=careless/moss-01")
    assert len(colours("#list .badge")) == 3
    for theme in ("light", "dark"):
        with browser.media(prefers_color_scheme=theme):
            assert browser.run(CONTRAST) == []


def test_on_paper_the_failing_pairs_are_opened_and_controls_are_gone(browser: Browser) -> None:
    """A print goes to people who have no page to click on."""
    browser.open(small_run())
    with browser.media(media="print"):
        browser.run("dispatchEvent(new Event('beforeprint'))")
        assert len(browser.all(".printed")) == 3
        line = " ".join(browser.all(".printed")[2].text.split())
        assert "sentence 2: unsupported, support 0.25 of 1" in line
        assert "[3] Wet moss grew twice as fast as dry moss." in line
        assert not browser.all("#filters, nav, #detail, #list")
        browser.run("dispatchEvent(new Event('afterprint'))")
    browser.open(small_run(), "#pair=careful/moss-01")
    with browser.media(media="print"):
        browser.run("dispatchEvent(new Event('beforeprint'))")
        assert browser.texts(".printed h3") == ["✓ passed On moss-01"]


def test_hostile_text_is_shown_and_does_nothing(browser: Browser) -> None:
    """Whoever writes a paper or a summary writes into a reviewer's browser."""
    browser.open(hostile_run())
    kinds = "return [...document.body.querySelectorAll('#detail *')].map((e) => e.tagName)"
    for number in range(2):
        browser.run("location.hash = rows[arguments[0]].link.hash", number)
        assert not {"IMG", "SCRIPT", "A"} & set(browser.run(kinds))
    shown = browser.run("return document.querySelectorAll('.text')[1].textContent")
    assert "</script><script>window.ran = 1</script>" in shown
    assert r"\u202egnp.exe\u200b" in shown
    assert "{{ 7 * 7 }}" in shown
    browser.find("input[type=search]").send_keys("<img src=x")
    assert len(browser.all("#list a")) == 2
    assert browser.run("return window.ran") is None
    assert browser.driver.title.startswith("? untrusted: </script>")
    assert MARKUP not in browser.driver.title


@pytest.fixture
def long_run(monkeypatch: pytest.MonkeyPatch) -> RunVerdict:
    """Five pairs fail and two pass, on a page that has two rows in a batch."""
    monkeypatch.setattr(page, "WHOLE_RUN", 6)
    monkeypatch.setattr(page, "MOST_WRITTEN", 2)
    fail = (wrong_pair(f"moss-{n}") for n in range(5))
    return moss_run(moss_suite(*fail, right_pair("fern 1/2"), right_pair("moss-0")))


ROWS = """return rows.map(({item, link}) => [item, ...item.querySelectorAll("*")].map((e) =>
    [e.tagName, e.id, e.className, decodeURIComponent(e.hash ?? "")])
    .concat(link.textContent.replaceAll(/\\s/g, "")))"""
"""Every row: its elements and its text, in which white space between blocks is none."""


def test_a_long_list_is_turned_by_keys_and_buttons(
    browser: Browser, long_run: RunVerdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten thousand rows at once would stall the page; none may be out of reach."""
    browser.open(long_run)
    made = browser.run(ROWS)
    browser.press("j", "j", "j")
    assert browser.focused() == "#pair=careless/moss-2"
    assert browser.texts(".turn") == ["↑ 2 before", "↓ 3 more"]
    assert len(browser.all("#list li")) == 4
    browser.press("k")
    assert browser.focused() == "#pair=careless/moss-1"
    browser.find(".turn:last-child button").send_keys(keys.ENTER)
    assert browser.focused() == "#pair=careless/moss-2"
    browser.run("location.hash = '#verdict=passed'")
    assert browser.texts("#list .who") == ["careful · fern 1/2", "careful · moss-0"]
    assert browser.find("#count").text == "2 of 7 pairs shown, the worst first."
    assert not browser.all(".turn")
    # a row that the script makes is like one of the page: two writers must not drift apart
    monkeypatch.setattr(page, "WHOLE_RUN", 7)
    browser.open(long_run)
    assert made == browser.run(ROWS)


def test_a_pair_without_texts_says_how_to_see_them(browser: Browser, long_run: RunVerdict) -> None:
    """An empty pair would look like one that was not measured."""
    browser.open(long_run, "#pair=careful/fern%201/2")
    assert browser.texts("#list a[aria-current] .who") == ["careful · fern 1/2"]
    assert browser.texts("#detail h3") == ["✓ passed On fern 1/2"]
    (line,) = browser.texts("#detail .pair > .hint")
    assert line.startswith("Beyond 6 pairs, this page leaves out the texts of pairs that pass, and")
    assert "--summ-from=RUN" in line
    assert browser.texts("#detail .numbers") == ["M4 facet 1.000 faithfulness 1.000"]
    assert not browser.all(".panel, .sides")
    browser.press("k")
    assert browser.run("return location.hash") == "#pair=careless/moss-4"
    assert "facet 0.500 < 0.600" in browser.texts("#detail .misses")[0]
    browser.press(keys.ESCAPE)
    assert browser.focused() == "#pair=careless/moss-4"
    browser.run("location.hash = rows[1].link.hash")
    assert browser.all(".panel, .sides")
    with browser.media(media="print"):
        browser.run("dispatchEvent(new Event('beforeprint'))")
        assert len(browser.all(".printed .sides")) == 1


def scored_text() -> str:
    """A notebook with the HTML of a scored summary and of a table of means."""
    scored = score(summary=SUMMARY, reference=REFERENCE, source=REFERENCE)
    row = ("careful", "facet", "0.993", "0.98 to 1.00", "30")
    return f"<!doctype html><title>notebook</title>{scored._repr_html_()}{means_html([row])}"


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core; whoever asks for it is skipped where it is not."""
    pytest.importorskip("selenium_axe_python", reason="axe-core is not installed")
    return (files("selenium_axe_python") / "axe-core" / "axe.min.js").read_text("utf-8")


PAGES: dict[str, Callable[[], str]] = {
    "untrusted": lambda: page_text(untrusted_run()),
    "agree": lambda: agreement_page(small_agreement(), "gpt-4|prompt:1a2b"),
    "notebook": scored_text,
}


def check_access(axe: str, browser: Browser, part: str = "body") -> None:
    """What is shown can be read and used by everybody, in both themes, on a telephone, too."""
    # Elements are one in both themes, so axe looks once; contrast is WCAG 2.2, 1.4.3 (4.5 to 1).
    for theme, pixels in product(("dark", "light"), (400, 1280)):
        with browser.media(prefers_color_scheme=theme), browser.width(pixels):
            browser.settle()
            assert browser.run(CONTRAST) == []
            assert browser.run("return document.documentElement.scrollWidth") <= pixels
    browser.run(axe)
    actual = browser.run(
        "return axe.run(arguments[0], {rules: {'color-contrast': {enabled: false}}})", part
    )
    wrong = {rule["id"]: [node["html"] for node in rule["nodes"]] for rule in actual["violations"]}
    assert wrong == {}
    assert len(actual["passes"]) > 5


@pytest.mark.parametrize("kind", PAGES)
def test_nobody_is_shut_out(axe: str, browser: Browser, kind: str) -> None:
    """Who reads by ear or by keyboard gates releases, too: axe-core knows 90 ways to lose them."""
    browser.open_text(PAGES[kind](), "#pair=careless/moss-01")
    browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    check_access(axe, browser, ".summeval" if kind == "notebook" else "body")
