"""The page of `summeval label --html` in headless Chromium, filled in as an expert would."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from summeval_pytest.desk.label_page import label_page
from summeval_pytest.desk.label_questions import WHAT, pairs_to_label, questions_of
from summeval_pytest.suite.suite import load_suite
from tests.browser.test_page_in_browser import Browser, axe, browser, check_access, keys, opened
from tests.cli.conftest import Shell, shell
from tests.label_suite import write_hostile_suite
from tests.processes import clean_environment, run_command
from tests.waiting import wait_until

__all__ = ["axe", "browser", "opened", "shell"]


def hostile_page(folder: Path, annotator: str) -> str:
    """The page of a suite whose texts attack it.

    The browser keeps answers under the annotator's name: tests with other names share none.
    """
    suite = load_suite(write_hostile_suite(folder / "hostile"))
    pairs = pairs_to_label(suite, annotator, 1.0, ())
    questions = [question for pair in pairs for question in questions_of(suite, *pair)]
    return label_page(suite, questions, list(WHAT), annotator)


def heading(browser: Browser) -> str:
    """The heading of what is open, which has the focus once something was answered."""
    return browser.texts("#question h2")[0]


@pytest.mark.usefixtures("few_resamples")
def test_an_expert_fills_in_the_labels_of_a_suite(
    browser: Browser, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the page to a run with its labels: by keyboard and mouse, with a break in between."""
    monkeypatch.chdir(tmp_path)
    suite = write_hostile_suite(Path("hostile"))
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    shell.lines("label", suite, "--html=page.html", "--annotator=anna")
    page = Path("page.html").read_text(encoding="utf-8")
    browser.open_text(page)
    assert browser.texts("#count") == ["0 of 7 answered"]

    browser.press("-")  # background
    assert heading(browser) == "Question 2 of 7"
    assert browser.run("return document.activeElement.localName") == "h2"
    browser.find(".choices button[value='3']").click()  # result
    browser.press("y")  # the first sentence, whose evidence is chosen by keyboard
    assert heading(browser) == "Question 3 of 7"
    browser.run("document.querySelector('.source button').focus()")
    browser.press(keys.ARROW_DOWN, keys.SPACE)
    browser.press(keys.ARROW_UP, keys.SPACE)
    assert not browser.all("#own")

    def has_answers() -> bool:
        browser.open_text(page)  # a browser under load writes its storage late
        return browser.texts("#count") == ["3 of 7 answered"]

    wait_until(has_answers)  # the next day
    assert heading(browser) == "Question 4 of 7"
    assert not browser.find("#help").get_attribute("open")
    browser.find(".choices button[value='n']").click()  # the second sentence
    browser.find(".kinds button[name='number']").click()
    browser.find(".source li:last-child button").click()
    browser.find(".kinds button[name='number']").click()  # changes their mind
    browser.find("#own").send_keys('=x_1, "odd"', keys.ENTER)
    browser.press("s")  # the third sentence
    assert browser.texts("#count") == ["4 of 7 answered, 1 skipped"]
    browser.press("y", "n")  # the facts
    assert heading(browser) == "This is the end"
    browser.press("u")
    assert browser.texts("[aria-pressed=true]") == ["n no"]
    browser.find("#save").click()
    wait_until(Path("labels-anna.csv").is_file)
    check_labels(shell, suite)
    Path("labels.jsonl").replace(suite / "labels.jsonl")
    ran = run_command(sys.executable, "-m", "pytest", suite, env=clean_environment())
    assert "(1 labelled pairs, 1 papers)" in ran.stdout


def check_labels(shell: Shell, suite: Path) -> None:
    """Imports the table, and looks at what it says and what became of it."""
    with Path("labels-anna.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row if cell]
    assert not [cell for cell in cells if not cell[0].isalnum()]
    command = ("import", "csv", "labels-anna.csv", "--suite", suite, "--out", "labels.jsonl")
    assert shell.lines(*command)[0] == (
        "labels.jsonl: labels of 1 pair: 2 facet ratings, 2 sentences, 2 facts"
    )
    lines = Path("labels.jsonl").read_text(encoding="utf-8").splitlines()
    (zebra,) = map(json.loads, lines)
    assert zebra["facets"] == {"background": None, "result": 3}
    first, second = zebra["sentences"]
    assert [each["index"] for each in first["evidence"]] == [1, 0]
    assert (first["faithful"], second["faithful"]) == (True, False)
    assert [each["index"] for each in second["evidence"]] == [1]
    assert second["error"] == '1, "odd"'
    assert [fact["covered"] for fact in zebra["facts"]["reference"]] == [True]
    assert [fact["supported"] for fact in zebra["facts"]["candidate"]] == [False]


def test_hostile_text_is_shown_and_does_nothing(browser: Browser, tmp_path: Path) -> None:
    """Whoever writes a paper or a summary writes into an expert's browser."""
    browser.open_text(hostile_page(tmp_path, "ben"))
    shown = ""
    for place in range(7):
        browser.run("go(arguments[0])", place)
        shown += browser.run("return document.getElementById('question').textContent")
        assert not browser.all("#question :is(img, script, a, i)")
        assert len(browser.all("#question b")) in {0, 8}  # the kinds of error
    for text in ("<img src=x", "</script><script>", "=cmd|' /C calc'!A0", r"\u202egnp\u202c"):
        assert text in shown
    assert browser.run("return window.ran") is None


def test_answers_that_cannot_be_kept_are_announced(browser: Browser, tmp_path: Path) -> None:
    """Some browsers keep nothing for a file; the table can be saved all the same."""
    browser.open_text(hostile_page(tmp_path, "cleo"))
    assert not browser.all("#unkept")
    browser.run("Storage.prototype.setItem = () => { throw new Error('full'); }")
    browser.press("1")
    assert browser.texts("#unkept") == [
        "This browser cannot keep your answers. Save them before you close this page."
    ]
    assert browser.texts("#count") == ["1 of 7 answered"]
    browser.run("document.getElementById('unkept').hidden = true")  # else the browser asks


def test_nobody_is_shut_out_of_labelling(axe: str, browser: Browser, tmp_path: Path) -> None:
    """Experts who read by ear or by keyboard label, too; texts fit a telephone."""
    browser.open_text(hostile_page(tmp_path, "dora"))
    for place in (0, 2, 5, 7):
        browser.run("go(arguments[0]); document.getElementById('help').open = true", place)
        if place == 2:
            browser.run("choose('n'); toggle(questions[place], 1)")
        check_access(axe, browser)
