from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import split_sentences

# Each entry is one paragraph, given as the sentences it should be cut into.
RUNNING = [
    # abbreviations
    ["Moss et al. grew the cultures in the dark.", "They kept 12 of them."],
    ["We followed the plan of Moss et al.", "Sleep was poor."],
    ["Moss et al. (2019) disagree.", "We do not."],
    ["Uptake rose, as Fig. 2 shows.", "It fell again after 4 h."],
    ["Growth was slow (see Figs. 3 and 4).", "No colony survived."],
    ["Some metals, e.g. zinc, bind here.", "Others, i.e. lead, do not."],
    ["Yields were low vs. controls.", "Costs were high."],
    ["We ran 3 vs. 4 cores.", "Four won."],
    ["12 vs. 10 mice died.", "The rest lived."],
    ["Costs rose by approx. 4 %.", "Eq. 3 explains it."],
    ["The sample, ca. 5 g, was dried.", "It cracked."],
    ["Two species (Daphnia spp.) were counted.", "One was new."],
    ["We saw Daphnia sp. in the pond.", "None lived in the river."],
    ["See no. 7 of the list.", "It holds pp. 5 to 7.", "Is p. 9 missing?"],
    ["We asked twice and the answer was no.", "Then we stopped."],
    ["The kit came from Acme Inc. in June.", "It came late."],
    ["The kit came from Acme Inc.", "The delay was long."],
    ["It was given i.v. at 9 a.m.", "The ward was calm."],
    ["In the U.S. Midwest yields fell.", "Rain was scarce."],
    ["Rain fell in the U.S.", "The maize recovered."],
    # initials and letters
    ["Dr. A. B. Quill ran the trial.", "Prof. Reed blinded it."],
    ["The samples came from J. Quill.", "The rest came from a bank."],
    ["E. coli grew.", "S. aureus did not."],
    ["Rats lack vitamin C.", "Guinea pigs do not make it."],
    ["Half carried hepatitis B.", "None had hepatitis C."],
    # decimals, versions, addresses
    ["The dose was 2.5 mg.", "Nobody fell ill."],
    ["Sensitivity was .87.", "Specificity was .91."],
    ["The code runs on v2.1.3 of the tool.", "It needs 4.0 GB."],
    ["Code: https://example.org/a.b/c.", "Data: on request."],
    ["It ended in 1999.", "2000 began well."],
    ["The pH was 7.", "At 8 it rose."],
    ["We read 14 papers.", "11 were old."],
    # p values
    ["The gain was small (p = .05).", "The loss was not."],
    ["The gain was small, p = .05.", "The loss was not."],
    ["Survival rose (p < 0.05).", "24 % were lost."],
    # units at the end of a sentence
    ["Mean latency was 5 ms.", "The queue never grew."],
    ["The pause took 30 sec.", "Nobody waited."],
    ["The oven was held at 65 C.", "The samples cracked."],
    ["The film cracked at 5 K.", "A second film held."],
    ["We lost 3 g.", "Then we weighed again."],
    ["It took 3 h.", "The second took 5 min.", "The third failed."],
    ["It stayed at 4 \u00b0C.", "We then froze it."],
    # brackets and quotes
    ["It worked (it really did. We checked.) and then it stopped.", "Nobody knows why."],
    ["It worked.", "(It really did.)", "Nobody knows why."],
    ["The probe was heated (to 80 C. or more) twice.", "It broke."],
    ["It held [12, 13].", "[14] disagrees."],
    ["The bracket ( was never closed.", "The text went on."],
    ['One reader wrote "no change."', "Another saw growth."],
    ["He asked 'why?'", "Nobody knew."],
    ["\u201cIt works.\u201d", "We doubt it."],
    # citation marks behind the stop
    ["Ponds dried up.3", "We counted them again.4,5"],
    ["Ponds dried up in 2018.1", "Newts left in 2019.2"],
    ["Ponds dried up.[4]", "Newts left.[5, 6]", "Toads stayed."],
    ["Ponds dried up.\u00b9\u00b2", "Newts left.\u00b3"],
    ["Ponds dried up. [4]", "Newts left."],
    ["Ponds dried up.[^1]", "Newts left.\u30101\u2020source\u3011", "Toads stayed.^2^"],
    ["Ponds dried up. [@moss2019]", "Newts left. [doc2] [doc3]", "Toads stayed. (p. 3)"],
    ["Ponds dried up. [Moss 2019]", "Newts left. [cite: 1, 2]", "Toads stayed. (Fig. 2)"],
    ["The tool, version 2.0 Beta, of Fig. 2.1 Ash is free.", "Qwen 2.5 Coder won."],
    # a small letter at the start
    ["Ponds dried up.", "pKa fell by .2."],
    ["Ponds dried up.", "siRNA had no effect.", "cAMP doubled.", "p21 rose."],
    ["Ponds dried up.", "n = 40 stayed wet.", "\u03b2-catenin rose."],
    ["Ponds dried up.", "\u03b2 cells died.", "\u03b415N rose.", "p-values fell.", "n was 9."],
    ["Ponds dried up.", "van der Moss left.", "de Ash stayed.", "numpy ran.", "ggplot2 did not."],
    [
        "We used ver. 2.1 of it.",
        "Gen. Moss left.",
        "Ponds dried up as before.",
        "de facto it rained.",
    ],
    # abbreviations at the end
    ["The loss was n.s.", "Weight differed."],
    ["The dose was given i.p.", "Newts slept."],
    ["It rained across the U.K.", "Ponds filled again."],
    ["All nets were of mesh size L.", "Some tore."],
    ["The pond of the U.S. Geological Survey dried up.", "It was small."],
    ["We met at 9 a.m. Monday.", "She left at 5 p.m.", "He stayed."],
    ["J. Moss and E. Ash read No. 5 of approx. 9 lists.", "One was lost."],
    # other ends
    ["Was the effect real?", "We think so!", "Tests agree."],
    ["Loss was stable ...", "We stopped."],
    ["Aims. We asked who sleeps.", "Methods. A survey."],
    ["n = 40.", "Forty slept."],
    ["A text that just stops"],
]
RELEASED = [  # tokenised or lower-cased, as benchmarks are released
    ["the cells died ( p < 0.05 ) .", "the controls lived ."],
    ["growth was slow , p < 0.05 .", "the cells died ."],
    ["we saw no change in mice .", "rats differed ."],
    ["we saw no change in mice.", "rats differed."],
    ["moss et al . grew them in the dark .", "they died ."],
    ["as shown in fig . 2 , uptake rose .", "it fell later ."],
    ["growth ( fig. 3 ) was slow .", "it stopped at 5 h ."],
    ["we kept it at 37 c .", "the rest froze ."],
    ["some metals , e.g. , zinc , bind .", "others do not ."],
    ["the rest , 12 vs. 10 mice , died .", "some lived ."],
    ["the mean was 0 . 5 mg .", "we stopped ."],
    ["the field @xmath0 is weak .", "@xmath1 vanishes ."],
    ["we study the x - ray spectrum of a disc .", "it is soft ."],
    ["is it so ?", "we doubt it !", "others do not ."],
    ["the latency was 5 ms.", "the queue never grew."],
    ["the latency was 5 ms .", "the queue never grew ."],
    ["the pause took 30 sec .", "nobody waited ."],
    ["the odds ratio was 1.4 ( 95 % ci 1.1 to 1.8 ) .", "it held in men ."],
    ["12 of 20 ( 60 % ) recovered .", "8 did not ."],
    ["we thank dr . ash .", "she left ."],
    ["results. thirty mice lived.", "conclusion. diet matters."],
    ["we used 5 mg / kg .", "the mice ate ."],
]


# Pieces that the rules look for, in any order.
MARKS = "( ) . ! ? [ ] \" ' .. \u2026 \u201d 1 12 0.5 .05 et al fig e.g ms A B The zinc \u03b2"
SPACES = (" ", " ", "\n", "\n\n", "\t", "\u00a0", "\u2028")
PIECES = st.sampled_from([*MARKS.split(), *SPACES])
texts = st.lists(PIECES, max_size=25).map("".join) | st.text()


def cut(text: str) -> list[str]:
    """The sentences of a text, without their places."""
    return [sentence.text for sentence in split_sentences(text)]


def test_text_is_cut_where_a_reader_would() -> None:
    """A wrong cut makes half a sentence unsupported, and a missed one hides a wrong half."""
    paragraphs = [*RUNNING, *RELEASED]
    assert [cut(" ".join(sentences)) for sentences in paragraphs] == paragraphs


def test_lines_are_cut_as_running_text() -> None:
    """A file with one sentence a line must not be glued by normalising."""
    paragraphs = [*RUNNING, *RELEASED]
    assert [cut("\n".join(sentences)) for sentences in paragraphs] == paragraphs
    ended = [each for each in paragraphs if all(sentence[-1] in ".!?" for sentence in each)]
    read = [[normalise(sentence) for sentence in sentences] for sentences in ended]
    assert [cut(normalise("\n".join(sentences))) for sentences in ended] == read


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("- Dry it first\n- Then freeze it.\n- Wait", "- Dry it first|- Then freeze it.|- Wait"),
        ("1. We dried it.\n2. We froze it.", "1. We dried it.|2. We froze it."),
        ("1) We dried it. It shrank.\n2) It froze.", "1) We dried it.|It shrank.|2) It froze."),
        ("10 . we dried it .\n11 . we froze it .", "10 . we dried it .|11 . we froze it ."),
        ("Two facts: 1. Ponds dried. 2. Newts left.", "Two facts: 1. Ponds dried.|2. Newts left."),
        ("It rained (in May). (2) It froze.", "It rained (in May).|(2) It froze."),
        ("It rained. (Word count: 2)", "It rained. (Word count: 2)"),
        ("It rained.[1]It froze.", "It rained.[1]|It froze."),
        ("Aims\n\nWe asked who sleeps.", "Aims|We asked who sleeps."),
        ("  Methods:\n   a survey", "Methods:|a survey"),
        # Lists in abstracts are short; "2019. The year" is a heading.
        ("2019. The year was dry.", "2019.|The year was dry."),
        # A bracket that is never meant to close must not swallow a page.
        ("(" + "It was so. " * 20 + ") end.", "(" + "It was so. " * 20 + ") end."),
        ("(" + "It was so. " * 40, "(It was so.|" + "It was so.|" * 38 + "It was so."),
        *((text, "") for text in ("", " ", "\n \n", "\u2028")),
    ],
)
def test_a_line_ends_a_sentence_and_a_list_number_does_not(text: str, sentences: str) -> None:
    """An item's number alone is no sentence that a source could support, nor is white space."""
    assert cut(text) == [sentence for sentence in sentences.split("|") if sentence]


CLAUSES = [f"{pond} had {n} newts in the spring of its first wet year and none of them in the next"
           for n, pond in enumerate(("Ash", "Birch", "Elm", "Fir"), 2)]  # fmt: skip


@pytest.mark.parametrize("link", [" | ", " // ", " \u2192 ", " - ", " \u2013 ", "; ", ".", ". "])
def test_a_chain_that_is_too_long_for_a_sentence_is_cut(link: str) -> None:
    """As one sentence it is wrong as a whole, and no five sentences of a source support it."""
    pieces = cut(link.join(CLAUSES))
    assert [piece.rstrip(" |/\u2192-\u2013;.") for piece in pieces] == CLAUSES


@pytest.mark.parametrize(
    "sentence",
    [
        "; ".join(CLAUSES[:3]),
        " - ".join(clause.replace("Ash", "ash").lower() for clause in CLAUSES),
        f"{CLAUSES[0]} ({'; '.join(f'Berg, {year}' for year in range(1990, 2012))}) {CLAUSES[1]}",
        "We ran torch.Tensor and pandas.DataFrame on it",
        f"We ran torch.optim.Adam for {CLAUSES[0]} and wrote to anna.Berg@uni.org of {CLAUSES[1]}",
        f"The newer one \u2013 SGLT2 inhibitors, as {CLAUSES[0]} \u2013 had what {CLAUSES[1]} had",
        f"The variant with c.388 T \u2192 C in exon four of it was what {CLAUSES[0]} in that year",
        "Smith J.A and Berg P.A in the U.S.A read it",
        "They are: ash; birch; elm; fir " + "and more " * 30,
    ],
)
def test_a_long_sentence_is_one(sentence: str) -> None:
    """A few semicolons, dashes between small letters, brackets and lists of names part nothing."""
    assert cut(sentence) == [sentence.strip()]


@given(texts)
@example("a.\u00a0B")
@example("1. a\n2. b")
@example(". . .")
def test_sentences_stand_where_they_say_and_nothing_lies_between(text: str) -> None:
    """No word of a summary may escape the check, and none is checked twice."""
    end = 0
    for sentence in split_sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.text == sentence.text.strip() != ""
        assert not text[end : sentence.start].strip()
        end = sentence.end
    assert not text[end:].strip()


@given(st.lists(st.sampled_from(RUNNING), min_size=1, max_size=5))
def test_paragraphs_are_cut_one_by_one(paragraphs: list[list[str]]) -> None:
    """What a paragraph's sentences are does not depend on the paragraphs around it."""
    text = "\n\n".join(" ".join(paragraph) for paragraph in paragraphs)
    assert cut(text) == [sentence for paragraph in paragraphs for sentence in paragraph]


@pytest.mark.parametrize("hostile", ["(", ". ", "a.)", "[(", "1 ", "a; ", "B - ", ".A"])
def test_a_degenerate_summary_hangs_no_run(hostile: str) -> None:
    """Of 50,000 characters: were the time to grow with their square, it would be a minute."""
    text = hostile * (50_000 // len(hostile)) + "x. Y"
    assert "".join("".join(cut(text)).split()) == "".join(text.split())
