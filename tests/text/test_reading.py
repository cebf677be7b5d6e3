from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summeval_pytest.text.reading import normalise, read
from summeval_pytest.text.sentences import sentence_texts
from tests.text_forms import FORMS

SAID = (
    "Shaded ponds kept 3.2 cm of water, against 1.1 cm in the open (95% CI 0.4 to 1.9).",
    "The pH fell from 7.9 to 7.1 in 40 of 58 ponds, e.g. in those near the mill.",
    "mRNA of two stress genes doubled, as Fig. 2 of the paper shows, in well-fed newts.",
    "No pond dried up before 12 June 2019.",
    "Ponds thus need shade, but three dry years say nothing of wet ones.",
)
MARKS = """
    ** * _ ` # ## > - + 1. 2) (3) a) | |---| --- === ``` [x](http://y.z) ![x](y) \\* $x*y$ &lt; <b>
    </b> <sup> <br> \u2022 \u2713 \u2192 1\ufe0f\u20e3 Summary: Results:
    Ice fell. 2.1 thin.3 80.4 [4] co-
""".split()
SPACES = ("\n", "\n\n", " ", " ", "\t", "\u00ad", "\u200b", "\u00a0", "\r\n", "")
texts = (
    st.lists(st.sampled_from([*MARKS, *SPACES]), max_size=16).map("".join)
    | st.text(max_size=30)
    | st.text("*_`[]()#-+|>\n 1a.\\$", max_size=30)
)


@pytest.mark.parametrize("form", FORMS)
def test_a_summary_is_the_same_sentences_in_every_form(form: str) -> None:
    """Models answer in Markdown every day; a judge's number must not depend on it."""
    assert sentence_texts(normalise(FORMS[form](SAID))) == SAID


@pytest.mark.parametrize(
    "mark",
    "-|+|*|\u2022|\u25cf|\u25aa|\u25e6|\u2023|\u2013|\u2014|\u2713|\u2192|\u2705|o|- [x]".split(
        "|"
    ),
)
@pytest.mark.parametrize("end", [".", ""])
def test_a_line_behind_a_bullet_is_a_piece(mark: str, end: str) -> None:
    """One wrong item must not condemn the others, nor hide among them."""
    items = [f"{sentence.rstrip('.')}{end}" for sentence in SAID]
    assert normalise("\n".join(f"{mark} {item}" for item in items)).split("\n\n") == items


@pytest.mark.parametrize(
    ("written", "pieces"),
    [
        # numbers of items go, if nobody could take them for words or figures
        ("1) Ice fell\n2) Seas rose", "Ice fell|Seas rose"),
        ("**1.** Ice fell.\n**2.** Seas rose.", "Ice fell.|Seas rose."),
        ("**1. Ice fell.**\n**2. Seas rose.**", "Ice fell.|Seas rose."),
        ("1\ufe0f\u20e3 Ice fell\n2\ufe0f\u20e3 Seas rose", "Ice fell|Seas rose"),
        ("(1) Ice fell\n(2) Seas rose", "Ice fell|Seas rose"),
        ("a) Ice fell\nb) Seas rose", "Ice fell|Seas rose"),
        ("I. Ice fell.\nII. Seas rose.\nIV. Fish died.", "Ice fell.|Seas rose.|Fish died."),
        ("1 - Ice fell\n2 - Seas rose", "1 - Ice fell|2 - Seas rose"),
        ("Finding 1: Ice fell\nFinding 2: Seas rose", "Finding 1: Ice fell|Finding 2: Seas rose"),
        ("We saw:\n- ice\n  and snow\n  - wet\n- rain", "We saw:|ice and snow|wet|rain"),
        ("1. **Ice:** it fell\n   at night\n2. **Seas:** rose", "Ice: it fell at night|Seas: rose"),
        ("**Ice:** it fell\n**Seas**: they rose", "Ice: it fell|Seas: they rose"),
        ("\u2022 Ice fell. \u2022 Seas rose.", "Ice fell.|Seas rose."),
        ("1. **Ice**\n  - it fell by day\n  - it rose by night\n2. **Seas**\n  - they rose",
         "Ice|it fell by day|it rose by night|Seas|they rose"),
        # a list that has lost its lines
        ("- Ice fell by half - Seas rose in May", "Ice fell by half|Seas rose in May"),
        ("Facts: 1. Ice fell by half 2. Seas rose", "Facts: 1. Ice fell by half 2. Seas rose"),
        ("Ice is: (1) thin in May (2) gone in June", "Ice is: (1) thin in May (2) gone in June"),
        ("We saw: a) Ice fell by a half b) Seas rose a lot",
         "We saw: a) Ice fell by a half|Seas rose a lot"),
        ("- Ice - Sea fell by 5 - 6 mm", "Ice - Sea fell by 5 - 6 mm"),
        ("Aims: Does ice fall by day Results: It fell",
         "Aims: Does ice fall by day|Results: It fell"),
        ("| lake | ice | |---|---| | Ash | 3 cm | | Elm | 4 cm |",
         "lake | ice|Ash | 3 cm|Elm | 4 cm"),
        ("ice fell<q>seas rose .", "ice fell|seas rose ."),
        ("Ice fell.\\n\\n- Seas rose.\\n- $\\nu$ is 3.", "Ice fell.|Seas rose.|\u03bd is 3."),
        ("[00:10] Ice fell\n[00:35] Seas rose", "Ice fell|Seas rose"),
        # and what is none
        ("- It fell by 5 - 10 kg in a year\n- No", "It fell by 5 - 10 kg in a year|No"),
        ("- Age was 45 (35 - 55) years in it", "Age was 45 (35 - 55) years in it"),
        ("The Mann - Whitney test, the Kruskal - Wallis test and the Shapiro - Wilk test",) * 2,
        ("1. Most are shown in Table 2. The mean was 45.\n2. None.",
         "Most are shown in Table 2. The mean was 45.|None."),
        ("1. Zinc lowered the risk in phase 2. The rats died",
         "Zinc lowered the risk in phase 2. The rats died"),
        ("Kept at 25 \u25e6C for 2 h, the \u2022OH went",) * 2,
        ("Asked were: (1) BMI of 30 or more, (2) HbA1c above 7%, and (3) T2D",) * 2,
        ("between 2010 and 2015 , 120 died . it fell by 3 . 5 %",
         "between 2010 and 2015 , 120 died . it fell by 3.5 %"),
        ("50 , 100 , and 200 mg , or 0 . 5 mg", "50 , 100 , and 200 mg , or 0.5 mg"),
        ("p = 0.05 . 3 mice died at 3 . 5 %", "p = 0.05 . 3 mice died at 3 . 5 %"),
        ("Let $x \\notin A$ be, in C:\\new", "Let x \u2209 A be, in C:\\new"),
        ("[1:10] dilutions\n[1:20] dilutions", "[1:10] dilutions [1:20] dilutions"),
        # lines without marks
        ("growth rose by half\nwhen they were fed with zinc each day\nwhich was more\nthan it was",
         "growth rose by half when they were fed with zinc each day which was more than it was"),
        ("ice fell\nseas rose\nfish died of it in May\ntoads came back in May\nall went\nit fell",
         "ice fell|seas rose|fish died of it in May|toads came back in May|all went|it fell"),
        ("Ice fell\nSeas rose in spring\nFish died", "Ice fell|Seas rose in spring|Fish died"),
        ("Ice of the\nNorth fell and of\nAsh too", "Ice of the North fell and of Ash too"),
        ("Ice fell (Ash et al.\n2014), cf.\nFig. 2.", "Ice fell (Ash et al. 2014), cf. Fig. 2."),
        # what only looks like a mark
        ("a share of\n> 5 mg", "a share of > 5 mg"),
        ("warmer by\n+ 3 \u00b0C", "warmer by + 3 \u00b0C"),
        ("the year\n2019. It rained", "the year 2019. It rained"),
        ("a count of\n12. It rained", "a count of 12. It rained"),
        ("Ash held\n12. Elm had by now\n3. It froze", "Ash held 12. Elm had by now 3. It froze"),
        ("By law\n(1) and then rule\n(2). It froze", "By law (1) and then rule (2). It froze"),
        ("Newts (p\n< 0.05) and\n> 3 toads", "Newts (p < 0.05) and > 3 toads"),
        ("The ponds\n1. Ash\n2. Elm", "The ponds|Ash|Elm"),
        ("Ash\n\n    indented by\n    a PDF", "Ash|indented by a PDF"),
        ("5*3*2, a_b_c, x * y * z, 2**3", "5*3*2, a_b_c, x * y * z, 2**3"),
        ("<5 died, p <b and c> d", "<5 died, p <b and c> d"),
        ("$40\\%$ of $a*b*c$ and $_i$ or $_j$", "40% of $a*b*c$ and _i or _j"),
        ("A 95 % CI of [4](sic) held", "A 95 % CI of [4](sic) held"),
        # headings, tables, fences, quotes
        ("# Ice of lakes\nIt fell.\n\nSnow\n====\nIt rose.", "Ice of lakes|It fell.|Snow|It rose."),
        ("## Key findings\n\n**Results**\n- Ice fell.\n\nAims:\nIt did.", "Ice fell.|It did."),
        ("| lake | ice |\n|:--|--:|\n| Ash | 3 cm |", "lake | ice|Ash | 3 cm"),
        ("lake | ice\n--- | ---\nAsh | 3 cm", "lake | ice|Ash | 3 cm"),
        ("Results\n\nIce fell.\n\nHere it is:\n\nA fact", "Ice fell.|A fact"),
        ("## What we found\n\nWHY IT MATTERS\nIce fell for ten years.", "Ice fell for ten years."),
        ("## No ice\n\nOf Ash\nIt fell by over half.", "No ice|Of Ash|It fell by over half."),
        ("| No. | Finding |\n|---|---|\n| 1 | Ice fell. |", "1 | Ice fell."),
        ("``thin'' ice, `old' ice and `new`", "``thin'' ice, `old' ice and new"),
        ("```markdown\n- Ice fell.\n```", "Ice fell."),
        ("> Ice fell in\n> the north.", "Ice fell in the north."),
        ("Ice\n\n---\n\nSea", "Ice|Sea"),
        # marks within a line
        ("***Ice*** and `b.c` and [d](https://e.f/g_h_i)", "Ice and b.c and d"),
        ("It fell.[4](#r4) It rose.", "It fell.[4] It rose."),
        ("10<sup>5</sup> of CO<sub>2</sub>, <b>p</b> &lt; .05", "10^5 of CO2, p < 0.05"),
        ("<ul><li>Ice fell</li><li>Seas rose</li></ul>", "Ice fell|Seas rose"),
        # what claims nothing
        ("Here is a summary of the paper:\n\nIce fell.", "Ice fell."),
        ("Sure! Here's a short summary:\nIce fell.", "Ice fell."),
        ("Ice fell.\n\n(Word count: 17)", "Ice fell."),
        ("[120 words]", ""),
        ("Absolutely! Here's the short summary you asked for:\n\nIce fell.", "Ice fell."),
        ("Of course! Below is the summary.\n\nIce fell.", "Ice fell."),
        ("Sure! Ice fell.\n\nLet me know if you need more.", "Ice fell."),
        ("Final answer:\nIce fell.\n\n---\n**Word Count: 17/20**", "Ice fell."),
        ("## Plain-language summary\n\nIce fell.\n\n**Keywords:** ice", "Ice fell."),
        ("It fell. [source](https://a.b/c) It rose.", "It fell. [source] It rose."),
        ("It fell.\n\nThis summary is based solely on the text provided.", "It fell."),
        ("**Why it matters**\nIt fell.\n\nWant me to make a table of it?", "It fell."),
        ("It fell [1].\n\nSources:\n[1] https://a.b/c\n[2] Berg (2014)", "It fell [1]."),
        ("It fell.\n\nSources\n\nIce has two sources.", "It fell.|Sources|Ice has two sources."),
        # leftovers of PDF
        ("the co-\noperation of \ufb01sh", "the cooperation of fish"),
        ("pre-\nand post-war, well-\nfed, IL-\n6", "pre- and post-war, well-fed, IL-6"),
        ("oth-\ners saw out-\ncomes", "others saw outcomes"),
        ("tem\u00ad\nperature, tempera-\nture", "temperature, temperature"),
        ("By 8.1 All rose.2 It fell 3.3 All.4", "By 8.[1] All rose.2 It fell 3.[3] All.4"),
    ],
)  # fmt: skip
def test_pieces_are_read_without_their_marks(written: str, pieces: str) -> None:
    """What a reader takes for layout is no word of the text, and what only looks so is."""
    assert normalise(written).split("\n\n") == re.split(r"(?<! )\|", pieces)


@given(texts)
@example("**1. a**")
@example("&amp;lt;b>")
@example("- - a\n\n> - b")
@example("Ash 1. co-\na) b\nb) co-\nc) d")
def test_what_is_read_reads_itself(text: str) -> None:
    """Importers normalise and metrics normalise again; both must see the same sentences."""
    once = normalise(text)
    assert normalise(once) == once


@given(texts)
@example("\ufb01sh **co-\noperate** \u00ad here")
def test_places_lie_in_the_text_as_written(text: str) -> None:
    """The page marks a sentence in the text as written, so every place must exist, in order."""
    reading = read(text)
    places = reading.places()
    assert len(places) == len(reading.text) + 1
    assert list(places) == sorted(places)
    assert all(0 <= place <= len(text) for place in places)


@pytest.mark.parametrize("form", FORMS)
def test_a_word_is_found_where_it_is_written(form: str) -> None:
    """Behind a bullet, in bold or in a table: the mark on the page stands at the word."""
    reading = read(FORMS[form](SAID))
    places = reading.places()
    for word in re.finditer(r"\w+", reading.text):
        start = places[word.start()]
        assert reading.written[start : start + len(word[0])] == word[0]


@pytest.mark.parametrize(
    "hostile",
    ["*a", "**", "_a", "[a](", "![", "`", "a\n- ", "> ", "| a ", "a-\n", "1. ", "\\*", "&amp;",
     "| |---", "- A ", "W 50: x\n", "\u2022 ", "- ", "# ",
     "a:** ", "=", "$a"],
)  # fmt: skip
def test_marks_without_end_hang_no_run(hostile: str) -> None:
    """Of 25,000 characters: were the time to grow with their square, this would take minutes."""
    many = hostile * (25_000 // len(hostile))
    assert normalise(f"ponds{many}dry\n\n{many}dry").startswith("ponds")
