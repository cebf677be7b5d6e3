from __future__ import annotations

import re

import pytest

from summeval_pytest.text.reading import normalise, read


def pieces(text: str) -> list[str]:
    """The pieces that a row of a table writes in one line, parted by bars."""
    return re.split(r"(?<! )\|", text)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"title": "Ice", "summary": "It fell.\\nSeas rose."}', "Title: Ice|It fell.|Seas rose."),
        ('See:\n```json\n[{"id": 1, "text": "It fell."}, {"n": 4.0}]\n```', "See:|It fell.|N: 4.0"),
        ('"It fell by 5\\u00b0."', "It fell by 5\u00b0."),
        ('{"It fell": 5', '{"It fell": 5'),
        (r"It fell by $3.2 \times 10^{4}$~m ($p < .05$), $\gamma$ by $28\%$.",
         "It fell by 3.2 \u00d7 10^4 m (p < 0.05), \u03b3 by 28%."),
        (
            "\\section{Findings}\\emph{It} fell 5% \\cite{a}.\n\\begin{itemize}\\item A\\item B",
            "It fell 5% .|A|B",
        ),
        (r"$k_{\text{cat}}$ of $C282S$: $0.73\ \mu\text{M}$", "kcat of C282S: 0.73 \u03bcM"),
        ("It costs $5 to $6, US$7 in all.", "It costs $5 to $6, US$7 in all."),
        (r"It fell \(95% CI \[4.1, 5.9\]\).", "It fell (95% CI [4.1, 5.9])."),
        ('<?xml version="1.0"?><aim n="1"><![CDATA[It fell.]]></aim><p>p<.05 held.</p>',
         "It fell.|p<0.05 held."),
        ("CO\u2082, 25\u1d57\u02b0 of \uff11, well\u2011fed", "CO2, 25th of 1, well-fed"),
        ("10\u00b2\u2078", "10\u00b2\u2078"),
        ("2\u202f400, 0\u00b757, r = .4, a p of .05", "2,400, 0.57, r = 0.4, a p of 0.05"),
        ("3\u00b710^4 in 2019\u00a0312 times", "3\u00b710^4 in 2019 312 times"),
    ],
)  # fmt: skip
def test_a_text_is_read_for_what_it_says(written: str, expected: str) -> None:
    """A model may answer in JSON, XML or LaTeX; the numbers of a summary are the same."""
    assert normalise(written).split("\n\n") == pieces(expected)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"summary": "It fell.", "key_findings": ["Rose."]}', "It fell.|Key findings: Rose."),
        ('{"arms": {"zinc": "12 of 50", "none": 3}}', "Arms zinc: 12 of 50|Arms none: 3"),
        (r"See \textbf{it}: \emph{E. coli} cost $12 and $30.", "See it: E. coli cost $12 and $30."),
        (r"\item R&D fell ~30% \SI{5}{\kg}.", "\\item R&D fell \u224830% \\SI{5}{\\kg}."),
        (r"\item R&D fell ~30% \texttt{at} $5.", "R&D fell \u224830% at $5."),
        (r"\item It \href{x}{fell} \verb+5 mg+.", r"\item It \href{x}{fell} \verb+5 mg+."),
        (r"$\dfrac{3}{4}$ of $3\frac{1}{2}$ at $p \lt .05$", r"3/4 of $3\frac{1}{2}$ at p < 0.05"),
        ("We paid $12 (n = 5) or $15 (US$).", "We paid $12 (n = 5) or $15 (US$)."),
        ('<div class="a" id="b">It&thinsp;fell</div>', "It fell"),
        ('{"results": ["It fell.", "It rose."], "n": "No."}', "Results: It fell.|It rose.|N: No."),
        ("5<jats:sup>3</jats:sup> of H<inf>2</inf>O", "5^3 of H2O"),
        ("day 3\u00a0120 died, 2\u00b73 = 6", "day 3 120 died, 2\u00b73 = 6"),
        ("AI-generated text can fool 92% of them.", "AI-generated text can fool 92% of them."),
        ("Ice fell.\n\nReferences\n\nAll rose (2019).", "Ice fell.|References|All rose (2019)."),
    ],
)  # fmt: skip
def test_no_claim_is_lost_on_the_way(written: str, expected: str) -> None:
    """What cannot be read without a loss stays as it was written: a false claim must be seen."""
    assert normalise(written).split("\n\n") == pieces(expected)


@pytest.mark.parametrize("part", ["$a$", "$$a$$", "$^{", "\\item [[[", "```{", "</x:y>", "<a b=c>"])
def test_hostile_notation_raises_nothing(part: str) -> None:
    """A text may be all marks; commands that lack an argument are no reason to end a run."""
    text = part * 500
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    "written",
    [
        '{"results": ["It fell in May.", "It rose in June."], "limits": {"sites": "Only two."}}',
        r"\section{Results} It \emph{fell} in $10^{5}$ of $\gamma$. \item It rose in June.",
        '<p class="a">It fell in CO<sub>2</sub>.</p>\n<p>It rose in June.</p>',
    ],
)
def test_a_sentence_is_marked_where_it_is_written(written: str) -> None:
    """The page shows a text as it came; a key of JSON that stands once may be read twice."""
    reading = read(written)
    places = reading.places()
    sentence = reading.text.index("It rose in June.")
    assert written[places[sentence] :].startswith("It rose in June.")
    assert written[: places[reading.text.index("fell") + 4]].endswith("fell")
