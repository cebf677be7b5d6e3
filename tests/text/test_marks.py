from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.marks import claims, content


@pytest.mark.parametrize(
    "marked",
    [
        # Between the braces stands what claims nothing.
        "{2. }Ice fell.",
        "{(b) }Ice fell by 3 cm.",
        "{[3] }Ice fell.",
        "{ii. }Ice fell.",
        "{4 - }Ice fell.",
        "{7 | }Ice | 3 cm",
        "{Finding 3: }Ice fell.",
        "{Step 2. }Ice fell.",
        "{Results: }before cycling",
        "{Background \u2014 }Ice fell.",
        "{S3. }Ice fell.",
        "{Q: }Did it fall?",
        "{2/7 }Ice fell.",
        "Patients: 312 fell.",
        "S. aureus fell.",
        "Two results:{ 1.} Ice fell.",
        "Ice fell {(1)} in 2 lakes and {(2)} in 3 seas.",
        "It has {(a)} ice, {(b)} sea and {(c)} snow.",
        "Ice is thin.{3}",
        "Ice fell in 2019.{1}",
        "Ice fell by 3 %.{12}",
        "It fell (by 0.4).{5}",
        "It fell to 5 mg/L.{5,6}",
        "Ice is thin.{[4]}",
        "It fell to 34.{[4, 9]}",
        "Ice fell{ [4]} and rose{ [4\u20139]}.",
        "Ice is thin.{\u00b9\u00b2}",
        "Ice is thin.{^3}",
        "Ice fell{ (Berg et al., 2014)}.",
        "Ice fell{ (see Berg and Moss, 2014a; Ash 2015)}.",
        "Berg et al.{ (2014)} saw ice.",
        "Ice fell. {(Word count: 17)}",
        "{Word count: 120 words}",
        "{[120 words]}",
        "Ice fell. {Words: 17/20}",
        "{(Exactly 17 words.)}",
        "{Total words: 17}",
        "{This summary is 17 words long.}",
        "Ice fell. {Let me know if you want more detail!}",
        "{[End of summary]}",
        "{Keywords: ice, ponds}",
        "Ice is thin.{[^4]}",
        "Ice is thin.{\u301014\u2020source\u3011}",
        "Ice is thin.{\\[4\\]}",
        "Ice is thin.{[[4]]}",
        "Ice is thin.{^4^}",
        "Ice is thin.{$^4$}",
        "Ice is thin.{[b]}",
        "Ice is thin.{ [@moss2019; @ash2020]}",
        "Ice is thin{ [doc4]}.",
        "Ice is thin.{ [cite: 4, 5]}",
        "Ice is thin.{ (pp. 4-5)}",
        "Ice is thin{ (see Fig. 2A, Table 1)}.",
        "Ice is thin.{ :contentReference[oaicite:0]}",
        # Numbers that claim something stay.
        "Ice was 34.5",
        "The 95% CI was [4, 9] and the IQR [3, 5].",
        "Group 2: 3 of 9 died.",
        "It rose to 10\u2075 m\u00b2 and R\u00b2 to .9.",
        "It fell (n = 3) in 2019 (by 4).",
        "See Fig. 2",
        "It was version v.3",
        "We read 14 of 30 words.",
        "We learned 48 words.",
        "Ice fell (group 2) by 3 cm.",
        "p53 and 5 of 12",
    ],
)
def test_what_claims_nothing_is_blank_and_the_rest_stays(marked: str) -> None:
    """A list's "3." or a citation's is found in no source, and is wrong in no summary."""
    sentence = marked.replace("{", "").replace("}", "")
    expected = ""
    for part in marked.split("{"):
        blank, _, rest = part.rpartition("}")
        expected += " " * len(blank) + rest
    assert content(sentence) == expected


@given(st.text() | st.text("12.3) (ab[]Word count:\u00b9 A"))
def test_content_keeps_every_place(sentence: str) -> None:
    """Who finds a number in the content finds it in the sentence."""
    kept = content(sentence)
    assert len(kept) == len(sentence)
    assert all(new in {old, " "} for new, old in zip(kept, sentence, strict=True))


def test_a_piece_of_marks_alone_claims_nothing() -> None:
    """A word count would be an unsupported sentence."""
    assert not claims("(Word count: 17)")
    assert claims("Ice fell.")
    assert claims("...")
