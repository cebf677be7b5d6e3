"""A small suite without labels, for tests that bring some: two papers, two systems.

The source of ``moss-01`` has three sentences in two sections, the summary by ``long`` three, the
summary by ``short`` one. ``moss-02`` has a reference that is not frozen; ``short`` skips it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.suite import Suite, load_suite

TOML: Final = """\
papers = "papers.jsonl"
{labels}
[systems.long]
summaries = "long.jsonl"

[systems.short]
summaries = "short.jsonl"
skip = ["moss-02"]

[systems.writer]
endpoint = "ollama"
model = "writer-7b"
"""

SOURCE: Final = [
    {"heading": "Introduction", "text": "Roofs get hot in July. Moss is said to cool them."},
    {"heading": "Results", "text": "Under moss the roof was 7 K cooler."},
]
FACETS: Final = {
    "background": "Roofs get hot.",
    "method": None,
    "result": "Moss cooled the roof by 7 K.",
    "conclusion": "Moss is worth growing.",
}
LONG: Final = "Roofs get hot in July. Moss cooled them by 9 K. Grow it."


def write_lines(file: Path, *objects: object) -> Path:
    """Writes JSON lines."""
    file.write_text("".join(json.dumps(o) + "\n" for o in objects), encoding="utf-8")
    return file


def write_suite(folder: Path, *labels: object) -> Path:
    """The suite's folder; with a label file where labels are given."""
    folder.mkdir(parents=True)
    named = 'labels = "labels.jsonl"\n' if labels else ""
    (folder / "summeval.toml").write_text(TOML.format(labels=named), encoding="utf-8")
    write_lines(
        folder / "papers.jsonl",
        {
            "id": "moss-01",
            "source": SOURCE,
            "reference": "Roofs get hot. Moss cooled the roof by 7 K. Moss is worth growing.",
            "reference_facets": FACETS,
            "reference_facts": ["Moss cooled the roof.", "The roof was 7 K cooler."],
        },
        {"id": "moss-02", "source": "Moss died on sand.", "reference": "Moss died."},
    )
    write_lines(
        folder / "long.jsonl",
        {"paper": "moss-01", "summary": LONG},
        {"paper": "moss-02", "summary": "It died."},
    )
    write_lines(folder / "short.jsonl", {"paper": "moss-01", "summary": "Moss cools."})
    if labels:
        write_lines(folder / "labels.jsonl", *labels)
    return folder


def loaded(folder: Path, *labels: object) -> Suite:
    """The suite, written and loaded."""
    return load_suite(write_suite(folder / "moss", *labels), "moss")


def mistake(call: Callable[[], object]) -> str:
    """The message of the mistake that a call ends with."""
    try:
        call()
    except SuiteError as error:
        return str(error)
    raise AssertionError("no mistake was found")


HOSTILE_FACT: Final = (
    '=HYPERLINK("http://x")\n<b>moss</b>, \u202egnp\u202c \U0001f469\u200d\U0001f52c'
)
_HOSTILE_TOML: Final = """\
papers = "papers.jsonl"
labels = "labels.jsonl"

[systems.Zebra-9]
summaries = "first.jsonl"

[systems.Okapi-7]
summaries = "second.jsonl"

[thresholds]
"faithfulness.conflicts" = 9  # at most

[thresholds.judge]
evidence_recall = 0.01
"""


def write_hostile_suite(folder: Path) -> Path:
    """The folder of a suite whose texts attack pages and spreadsheets; both systems say the same.

    Seven items: two facets, three sentences, a fact of the reference, and one of the summary; only
    the first system's label has the facts.
    """
    folder.mkdir(parents=True)
    (folder / "summeval.toml").write_text(_HOSTILE_TOML, encoding="utf-8")
    paper = '=1+1,"q"'
    source = "Roofs get hot. </script><script>window.ran = 1</script> Moss \u202ecools\u202c them."
    facets = dict.fromkeys(("method", "conclusion")) | {
        "background": "<img src=x onerror=window.ran=1> gets hot.",
        "result": "+7 K, {{ 7 * 7 }} \U0001f44d\U0001f3fd.",
    }
    write_lines(
        folder / "papers.jsonl",
        {
            "id": paper,
            "title": "<b>On 'moss'</b>",
            "source": source,
            "reference": "<img src=x onerror=window.ran=1> gets hot. +7 K, {{ 7 * 7 }}.",
            "reference_facets": facets,
        },
    )
    summary = "=cmd|' /C calc'!A0 gets hot. Moss <i>cools</i> roofs, \"it\"\nsays. @SUM(A1) is 7 K."
    for name in ("first", "second"):
        write_lines(folder / f"{name}.jsonl", {"paper": paper, "summary": summary})
    facts = {
        "reference": [{"text": HOSTILE_FACT, "covered": True}],
        "candidate": [{"text": "@SUM(A1) is\t7 K", "supported": True}],
    }
    label = {"paper": paper, "system": "Zebra-9", "facts": facts}
    write_lines(folder / "labels.jsonl", label)
    return folder
