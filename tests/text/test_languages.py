from __future__ import annotations

import json
from pathlib import Path

import pytest

from summeval_pytest.text.languages import is_english

FOREIGN = [
    (line["language"], text)
    for line in map(
        json.loads,
        Path(__file__).with_name("languages.jsonl").read_text(encoding="utf-8").splitlines(),
    )
    for text in line["texts"]
]


@pytest.mark.parametrize(("language", "text"), FOREIGN)
def test_texts_in_other_languages_are_not_english(language: str, text: str) -> None:
    """Abstracts, lists, headlines, formulas and genes, in seven languages."""
    assert not is_english(text), language


@pytest.mark.parametrize(
    "text",
    [
        *("", "3.5", "...", "p < .001", "$x^2 + y^2 = z^2$", "\u03b1 = \u03b2 + \u03b3"),
        "Zinc cuts colds by 3 days.",
        "Vitamin D: no effect on fractures",
        "BRCA1, TP53 and PTEN mutations predict relapse.",
        "BRCA1 TP53 PTEN KRAS EGFR ALK ROS1 MET RET BRAF NTRK1 HER2 CDKN2A RB1 NF1",
        "We prove $\\|f\\|_{L^2} \\le C \\|\\nabla f\\|_{L^2}$ and $\\lambda_1 \\ge \\pi^2$.",
        "Let $X$ be a set; $\\forall x \\in X$, $\\exists y$ s.t. $f(x)=y$.",
        "- Pond ice thinner\n- Newt counts down\n- Crossings dangerous\n- Oxygen stable",
        "Schr\u00f6dinger operators, Poincar\u00e9 inequality, It\u00f4 integrals",
        "M\u00e9decins Sans Fronti\u00e8res treats cholera in C\u00f4te d'Ivoire.",
        "El Ni\u00f1o and La Ni\u00f1a drive floods in S\u00e3o Paulo and Rio de Janeiro.",
        "De novo mutations cause epilepsy (van der Berg et al., de la Cruz et al.).",
        "IL-6, TNF-\u03b1, IL-1\u03b2, CRP: all lower after tocilizumab, 8 mg/kg q4w",
        "Effects w/ and w/o dropout differ; y = wx + b with w from 0 to 1.",
        "We translate 'der Hund' to 'the dog' with 41 BLEU.",
        "The word \u6c34 means water. It is read as shui in Mandarin and as mizu in Japanese.",
    ],
)
def test_names_formulas_and_lists_are_english(text: str) -> None:
    """They have few function words, and a judge that refuses them is of no use."""
    assert is_english(text)


def test_a_text_is_read_up_to_a_quarter_in_another_language() -> None:
    """A quotation is no harm, half a summary is."""
    english = "Ponds warmed by 2 degrees in ten years. Most of the newts have left the valley. "
    german = "Die Molche sind nicht mehr da. "
    assert is_english(english * 2 + german)
    assert not is_english(english + german * 2)


def test_a_long_text_is_read_by_its_beginning() -> None:
    """A megabyte takes no longer than a page."""
    english, german = "Ponds warmed by 2 degrees. ", "Die Molche sind nicht mehr da. "
    assert is_english(english * 1000 + german * 40_000)
    assert not is_english(german * 1000 + english * 40_000)
