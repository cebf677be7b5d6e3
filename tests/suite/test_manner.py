from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.questions import SentenceManner

if TYPE_CHECKING:
    from tests.suite.conftest import Golden


def add(golden: Golden, *lines: str) -> None:
    """Writes a judge with these lines into the suite file."""
    table = "\n".join(("[judges.gpt]", 'endpoint = "openai"', 'model = "gpt-x"', *lines))
    golden.spoil("summeval.toml", "[thresholds]\n", f"{table}\n\n[thresholds]\n")


@pytest.mark.parametrize(
    ("lines", "manner"),
    [
        ([], SentenceManner()),
        (['sentences = "quotes"', "strict = false"], SentenceManner()),
        (['sentences = "label"', "factual = true"], SentenceManner(mode="label", factual=True)),
        (
            ['sentences = "label-and-sentences"', "strict = true"],
            SentenceManner(mode="label-and-sentences", strict=True),
        ),
        (["strict = true"], SentenceManner(strict=True)),
    ],
    ids=["none", "usual", "label", "both", "strict"],
)
def test_a_judge_says_how_it_is_asked_about_sentences(
    golden: Golden, lines: list[str], manner: SentenceManner
) -> None:
    """What is not written is as it has always been."""
    add(golden, *lines)
    assert golden.load().judges["gpt"].manner == manner


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            ['sentences = "labels"'],
            (
                "'sentences' of judge 'gpt' is 'labels';"
                " write one of 'quotes', 'label', 'label-and-sentences'"
            ),
        ),
        (["sentences = true"], "'sentences' of judge 'gpt' is true; write a text"),
        (['strict = "yes"'], "'strict' of judge 'gpt' is 'yes'; write true or false"),
        (["factual = 1"], "'factual' of judge 'gpt' is 1; write true or false"),
        (
            ['sentences = "label"', "strict = true"],
            (
                "judge 'gpt' is strict about evidence, and sentences = 'label' asks for none;"
                " write 'quotes' or 'label-and-sentences', or delete 'strict'"
            ),
        ),
        (["sentence = 1"], "unknown key 'sentence' in judge 'gpt'; did you mean 'sentences'?"),
    ],
    ids=["mode", "no text", "strict", "factual", "strict label", "misspelt"],
)
def test_a_manner_that_cannot_be_is_refused_at_its_line(
    golden: Golden, lines: list[str], told: str
) -> None:
    """Before anything is asked, and paid for."""
    add(golden, *lines)
    place, _, message = golden.mistake().partition(": ")
    assert message == told
    assert place.startswith("golden/summeval.toml:")
