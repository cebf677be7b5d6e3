from __future__ import annotations

import numpy as np
import pytest

from summeval_pytest.judges.offline.facets import segment
from summeval_pytest.judges.offline.roles import cut_at_labels, label_evidence, pieces_of
from summeval_pytest.questions import FACETS, FacetSegments

HEDGES = (
    "Hedges shelter birds, but their use is poorly understood.",
    "We counted nests in 40 hedges using field glasses.",
    "Nests were significantly more frequent in tall hedges (p = 0.01).",
    "These findings suggest that farmers should let hedges grow.",
)


def of_each(text: str) -> tuple[str, ...]:
    """The segments in the order of FACETS."""
    segments = segment(text)
    return tuple(segments.segment(facet) for facet in FACETS)


def test_well_formed_abstract_is_read_facet_by_facet() -> None:
    """Cues, tense, numbers and place agree, so each sentence goes where a reader puts it."""
    assert of_each(" ".join(HEDGES)) == HEDGES


def test_lower_cased_and_tokenised_abstract_is_read_the_same() -> None:
    """Benchmarks release abstracts in that form; cues must not hang on capitals."""
    tokenised = [
        sentence.lower().replace(",", " ,").replace("(", "( ").replace(")", " )")[:-1] + " ."
        for sentence in HEDGES
    ]

    assert of_each(" ".join(tokenised)) == tuple(tokenised)


def test_labels_decide_against_cues_and_place() -> None:
    """An author's own label outweighs every guess: here the results come first."""
    text = (
        "Results: Looms may wear out. Background: We timed 12 looms. Methods: p < 0.01 was found."
    )

    assert of_each(text) == (
        "Background: We timed 12 looms.",
        "Methods: p < 0.01 was found.",
        "Results: Looms may wear out.",
        "",
    )


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (
            "The loom was slow.methods : we timed 12 looms.",
            ("The loom was slow.", "methods : we timed 12 looms."),
        ),
        ("it was slow.resultsthe new loom won.", ("it was slow.", "resultsthe new loom won.")),
        ("It was slow.electronic supplementary material is online.", ("It was slow.",)),
        ("The methods: weaving and knitting.", ("The methods: weaving and knitting.",)),
        ("resulting from weaving", ("resulting from weaving",)),
    ],
)
def test_sentences_are_cut_before_a_label_inside_them(text: str, pieces: tuple[str, ...]) -> None:
    """Released abstracts lost the line break before a label, so no full stop splits there."""
    assert cut_at_labels(text) == pieces


def test_glued_labels_open_their_facets() -> None:
    """A label that lost its colon and space is still a label."""
    glued = (
        "backgroundlooms wear out.",
        "methodswe timed 12 looms.",
        "resultsnew looms won.",
        "conclusionsbuy new looms.",
    )

    assert of_each("".join(glued)) == glued


def test_label_before_a_skipped_facet_holds_for_one_sentence() -> None:
    """Between "Background:" and "Conclusion:" stand a method and a result without a label."""
    text = (
        "Background: Looms wear out. We timed 12 looms using a clock. New looms were significantly"
        " faster. Conclusion: Buy new looms."
    )

    assert of_each(text) == (
        "Background: Looms wear out.",
        "We timed 12 looms using a clock.",
        "New looms were significantly faster.",
        "Conclusion: Buy new looms.",
    )
    assert (label_evidence(pieces_of(text)).max(axis=1) > 0).tolist() == [True, False, False, True]


def test_generated_summary_without_findings_has_empty_facets() -> None:
    """A facet that a summary does not state must stay empty, for it is rated 1."""
    assert segment("This article discusses how rope bridges are built.") == FacetSegments(
        background="This article discusses how rope bridges are built."
    )


def test_last_sentence_is_no_conclusion_by_its_place_alone() -> None:
    """A summary that breaks off after its results has none."""
    text = "We weighed 30 kites using a scale. The red kites were 4 g heavier. They had 12 ribs."

    assert not segment(text).conclusion


@pytest.mark.parametrize("text", ["", "...", " \n ", "\u2603 \u2603", "the of and"])
def test_text_without_content_has_four_empty_segments(text: str) -> None:
    """No facet can be stated without a word that says something."""
    assert segment(text) == FacetSegments()


def test_repeated_sentence_is_segmented_once() -> None:
    """A looping system must not push its other sentences out of place."""
    assert of_each(" ".join([*HEDGES[:2], *[HEDGES[2]] * 50, HEDGES[3]])) == HEDGES


def test_facet_without_a_sentence_shares_those_it_is_likely_for() -> None:
    """Worked: the method is nobody's best, and .5 is likely enough for it where .1 is not."""
    table = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.1, 0.8, 0.1]])
    rows = dict(zip(HEDGES[::2], table, strict=False))

    segments = segment(" ".join(rows), lambda sentences: np.array([rows[s] for s in sentences]))

    assert (segments.background, segments.method) == (HEDGES[0], HEDGES[0])
    assert (segments.result, segments.conclusion) == (HEDGES[2], "")


def test_one_more_sentence_hides_no_facet() -> None:
    """Its place makes the last sentence a conclusion; what follows must not take that away."""
    whole = " ".join(HEDGES)

    for more in ("The 12 plots were mown twice.", "Hedges were planted in 1994."):
        assert segment(f"{whole} {more}").conclusion
        assert segment(f"{more} {whole}").conclusion
