"""A suite of papers that nobody wrote, whose run needs an exact number of requests.

Each pair needs four, two of them after the first: facets and facts of the summary in one, the
ratings, the checks of its facts, and the checks of its sentences. For that the reference's facets
and facts are given, recall is matched, each summary has five sentences and no sentence of its
source, and no two papers have a sentence in common.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Final

REQUESTS_A_PAIR: Final = 4
SUITE: Final = "summeval.toml"
JUDGE: Final = "scripted"

_SENTENCES: Final = 5
_FACETS: Final = ("background", "method", "result", "conclusion")
_WORDS: Final = (
    "zinc copper serum wound graft suture trial cohort placebo capsule ward clinic nurse surgeon"
    " infection healing incision closure fever nausea marker protein enzyme sample dose interval"
    " median range group arm week month change decline growth response relapse recovery outcome"
).split()
_TOML: Final = """\
papers = "papers.jsonl"
eva_recall = "matched"

[systems.made]
summaries = "made.jsonl"

[endpoints.loopback]
base_url = "{url}"
{limits}

[judges.{judge}]
endpoint = "loopback"
model = "scripted"

[thresholds]
facet = 0.3
eva = 0.05
faithfulness = 0.5
"""


def make_suite(folder: Path, url: str, *, n_pairs: int, n_source: int, limits: str = "") -> None:
    """Write the suite into a new folder that pytest takes for a project of its own.

    ``n_pairs`` papers have one summary each, and ``n_source`` sentences of about 90 characters;
    ``limits`` are more keys of the endpoint.
    """
    folder.mkdir(parents=True)
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    toml = _TOML.format(url=url, judge=JUDGE, limits=limits)
    (folder / SUITE).write_text(toml, encoding="utf-8")
    summaries = (
        {"paper": f"paper-{number}", "summary": " ".join(_text(number, "Overall,"))}
        for number in range(n_pairs)
    )
    papers = (_paper(number, n_source) for number in range(n_pairs))
    for name, lines in (("papers.jsonl", papers), ("made.jsonl", summaries)):
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")


def _paper(number: int, n_source: int) -> dict[str, object]:
    reference = _text(number, "Briefly,")
    return {
        "id": f"paper-{number}",
        "title": f"A trial of no. {number}",
        "source": " ".join(_text(number, "There", n_source)),
        "reference": " ".join(reference),
        "reference_facets": dict(zip(_FACETS, reference, strict=False)),
        "reference_facts": reference,
    }


def _text(number: int, opening: str, n_sentences: int = _SENTENCES) -> list[str]:
    """Sentences that no other paper and no other opening has."""
    chance = random.Random(f"{number} {opening}")
    return [
        f"{opening} the {' '.join(chance.choices(_WORDS, k=10))} of trial {number} was {place}."
        for place in range(n_sentences)
    ]
