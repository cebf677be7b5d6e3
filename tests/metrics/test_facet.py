from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest import questions as q
from summeval_pytest.metrics import facet
from summeval_pytest.metrics.facet import FacetScore, coverage, facet_aware_metric, ground
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.text.excerpts import is_verbatim
from tests.metrics.table_judge import ended

REFERENCE = (
    "Enzymes need zinc. We fed zinc to 40 mice for a week. Growth rose by 24 %."
    " Zinc may help stunted mice."
)
SUMMARY = "Zinc serves enzymes. Mice ate zinc, and some lead, for a week. They grew. It may help."
OF_REFERENCE = q.FacetSegments(
    background="Enzymes need zinc.",
    method="We fed zinc to 40 mice for a week.",
    result="Growth rose by 24 %.",
    conclusion="Zinc may help stunted mice.",
)
OF_SUMMARY = q.FacetSegments(
    background="Zinc serves enzymes.",
    method="Mice ate zinc, and some lead, for a week.",
    result="They grew.",
    conclusion="It may help.",
)


def rated(**ratings: int) -> q.FacetRatings:
    """A judge's ratings, in reading order."""
    return q.FacetRatings(
        tuple(
            q.FacetRating(facet=facet, reason=f"its {facet}", rating=ratings[facet])
            for facet in q.FACETS
            if facet in ratings
        )
    )


def rate(
    ratings: q.FacetRatings | q.Unanswered,
    reference: q.FacetSegments = OF_REFERENCE,
    candidate: q.FacetSegments = OF_SUMMARY,
) -> FacetScore | Unscored:
    """The score of the summary with these segments and ratings."""
    flow = facet.measure(REFERENCE, SUMMARY)
    return ended(flow, (reference, candidate), (ratings,))


def scored(
    reference: q.FacetSegments = OF_REFERENCE,
    candidate: q.FacetSegments = OF_SUMMARY,
    **ratings: int,
) -> FacetScore:
    """The same, where there is a score."""
    score = rate(rated(**ratings), reference, candidate)
    assert isinstance(score, FacetScore)
    return score


# The arithmetic
@pytest.mark.parametrize(
    ("ratings", "value"),
    [
        # .1 * 3/3 + .3 * 4/4 + .3 * 3/4 + .3 * 2/3 = .1 + .3 + .225 + .2 = .825
        ({"background": 3, "method": 4, "result": 3, "conclusion": 2}, 0.825),
        # a removed facet takes its weight along: (.1 * 2/3 + .3 * 4/4 + .3 * 2/4) / .7
        ({"background": 2, "method": 4, "result": 2}, 0.738095238095),
        # the floor of four facets is not 0: .1/3 + .3/4 + .3/4 + .3/3
        (dict.fromkeys(q.FACETS, 1), 0.283333333333),
        ({}, None),  # nothing to cover is no zero
    ],
)
def test_fm_worked_examples(ratings: dict[q.Facet, int], value: float | None) -> None:
    """FM, section 3.2: all 112 released rows with a removed facet are renormalised (FM1)."""
    assert facet_aware_metric(ratings) == value


def test_weights_can_be_chosen() -> None:
    """FM fitted its weights to one data set; another team may have its own."""
    # (1 * 4/4 + 3 * 1/4) / (1 + 3) = 1.75 / 4
    weights: dict[q.Facet, float] = {"background": 0, "method": 1, "result": 3, "conclusion": 0}
    assert facet_aware_metric({"method": 4, "result": 1}, weights) == 0.4375


# The conversation
def test_both_texts_are_segmented_then_their_facets_rated() -> None:
    """The paper's protocol: extract the facets of each text, then align them."""
    flow = facet.measure(REFERENCE, SUMMARY)
    assert next(flow) == (q.SegmentFacets(REFERENCE), q.SegmentFacets(SUMMARY, is_summary=True))
    pairs = tuple(
        q.FacetPair(facet=f, reference=OF_REFERENCE.segment(f), candidate=OF_SUMMARY.segment(f))
        for f in q.FACETS
    )
    assert flow.send((OF_REFERENCE, OF_SUMMARY)) == (q.RateFacets(pairs, REFERENCE, SUMMARY),)
    score = scored(background=3, method=4, result=3, conclusion=2)
    assert score.value == pytest.approx(0.825)
    assert [(r.rating, r.reason) for r in score.ratings] == [
        (rating, f"its {f}") for rating, f in zip((3, 4, 3, 2), q.FACETS, strict=True)
    ]
    assert not any(rating.by_rule for rating in score.ratings)
    assert (score.removed, score.ungrounded, score.coverage) == ((), (), 1.0)
    assert not score.identical
    # a copy is asked about without the short circuit, so that a judge can be measured on it
    flow = facet.measure(REFERENCE, REFERENCE, short_circuit=False)
    assert next(flow) == (q.SegmentFacets(REFERENCE), q.SegmentFacets(REFERENCE, is_summary=True))


def test_reviewed_facets_are_not_asked_for_again() -> None:
    """A frozen reference cannot move a score, nor need it be verbatim."""
    reviewed = q.FacetSegments(method="Mice had zinc, 40 of them.")
    flow = facet.measure(REFERENCE, SUMMARY, reference_facets=reviewed)
    assert next(flow) == (q.SegmentFacets(SUMMARY, is_summary=True),)
    (question,) = flow.send((OF_SUMMARY,))
    assert isinstance(question, q.RateFacets)
    assert [(p.facet, p.reference) for p in question.pairs] == [("method", reviewed.method)]


def test_a_facet_that_the_summary_has_word_for_word_is_not_absent() -> None:
    """A judge that reads it as another facet must not cost the summary a 1 by rule."""
    summary = f"{OF_REFERENCE.conclusion} {OF_SUMMARY.method}"
    for judged, conclusion in (
        ("", OF_REFERENCE.conclusion),
        (OF_SUMMARY.method, OF_SUMMARY.method),  # what the judge gives stays
    ):
        flow = facet.measure(REFERENCE, summary, reference_facets=OF_REFERENCE)
        next(flow)
        (question,) = flow.send((q.FacetSegments(method=summary, conclusion=judged),))
        assert isinstance(question, q.RateFacets)
        assert [(p.facet, p.candidate) for p in question.pairs] == [
            ("method", summary),
            ("conclusion", conclusion),
        ]


def test_removed_conclusion_is_not_rated() -> None:
    """A reference without a conclusion asks for none."""
    score = scored(replace(OF_REFERENCE, conclusion=""), background=2, method=4, result=2)
    assert score.value == pytest.approx((0.1 * 2 / 3 + 0.3 + 0.15) / 0.7)
    assert score.removed == ("conclusion",)
    assert "facet.conclusion" not in score.values()


@pytest.mark.parametrize(("method", "ungrounded"), [("", ()), ("Lead kills.", ("Lead kills.",))])
def test_empty_or_invented_method_is_one_by_rule_and_never_sent_to_the_judge(
    method: str, ungrounded: tuple[str, ...]
) -> None:
    """The judge would see an empty text, or rate what the summary does not say (FM4, FM6)."""
    candidate = replace(OF_SUMMARY, method=method)
    score = scored(candidate=candidate, background=3, result=4, conclusion=3)
    assert score.value == pytest.approx(0.775)  # .1 + .3 * 1/4 + .3 + .3
    answer = score.ratings[1]
    assert (answer.facet, answer.rating, answer.by_rule) == ("method", 1, True)
    assert (answer.reference, answer.candidate) == (OF_REFERENCE.method, "")
    assert (answer.reason, score.ungrounded) == ("the summary does not state it", ungrounded)


def test_a_text_without_any_facet_ends_the_conversation() -> None:
    """Four empty facets are four ones by rule; with nothing to cover, no number would be true."""
    score = ended(facet.measure(REFERENCE, SUMMARY), (OF_REFERENCE, q.FacetSegments()))
    assert isinstance(score, FacetScore)
    assert score.value == pytest.approx(0.28333, abs=1e-5)
    assert all(rating.by_rule for rating in score.ratings)
    assert score.coverage == 0.0
    score = ended(facet.measure(REFERENCE, SUMMARY), (q.FacetSegments(), OF_SUMMARY))
    reason = "the reference states none of the four facets"
    assert score == Unscored(metric="facet", status="skipped_no_reference", reason=reason)


def test_facets_that_the_reference_does_not_have_are_the_judges_fault() -> None:
    """A weak model answers something else for every facet; that is no reference without facets.

    The mean over several references would leave such a one out, and the pair would pass.
    """
    elsewhere = q.FacetSegments(**dict.fromkeys(q.FACETS, "The text is written in blocks."))
    for segments, named in (
        (elsewhere, "background, method, result, conclusion"),
        (replace(OF_REFERENCE, conclusion="Eat tin."), "conclusion"),
    ):
        score = ended(facet.measure(REFERENCE, SUMMARY), (segments, OF_SUMMARY))
        reason = f"{named}: the judge copied words that the reference does not have"
        assert score == Unscored(metric="facet", status="unanswered", reason=reason)


GOOD = rated(background=3, method=4, result=4, conclusion=3)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (q.FacetRatings(GOOD.ratings[:3]), "the judge returned 3 ratings for 4 asked about"),
        (
            q.FacetRatings((*GOOD.ratings[:1], *GOOD.ratings[2:], GOOD.ratings[1])),
            "asked to rate method, the judge rated result",
        ),
        (
            q.FacetRatings((*GOOD.ratings[:2], q.Unanswered("cut off"), GOOD.ratings[3])),
            "result: cut off",
        ),
        (q.Unanswered("timed out after 60 seconds"), "timed out after 60 seconds"),
    ],
)
def test_ratings_that_do_not_fit_the_question_leave_the_pair_unscored(
    ratings: q.FacetRatings | q.Unanswered, reason: str
) -> None:
    """A missing rating that shrank the denominator would raise the score (deepeval#3346)."""
    assert rate(ratings) == Unscored(metric="facet", status="unanswered", reason=reason)


# Segments are held to the text
TEXT = "Moss cools roofs. We planted six roofs with moss. They stayed 4.5 degrees cooler."


@pytest.mark.parametrize(
    ("segment", "kept", "dropped"),
    [
        # sentence by sentence: two that are not neighbours, and one made up between them
        ("Zinc serves enzymes. They grew.", "Zinc serves enzymes. They grew.", ()),
        ("They grew. Lead fell. It may help.", "They grew. It may help.", ("Lead fell.",)),
        # at ellipses of every spelling
        ("Mice ate zinc ... for a week.", "Mice ate zinc for a week.", ()),
        ("Mice ate zinc\u2026 for a week.", "Mice ate zinc for a week.", ()),
        ("Mice ate zinc [...] for a week.", "Mice ate zinc for a week.", ()),
        ("Mice ate tin ... for a week.", "for a week.", ("Mice ate tin",)),
        # case, punctuation and line breaks do not count, words do
        ("MICE ate zinc (and\nsome lead)", "MICE ate zinc (and\nsome lead)", ()),
        ("Mice ate zin", "", ("Mice ate zin",)),
        ("ice ate zinc", "", ("ice ate zinc",)),
        # most of a sentence, as the text has it; a sentence with little of it is invented
        ("Mice ate zinc (and some lead) too.", "Mice ate zinc, and some lead", ()),
        ("Zinc @xmath3 serves enzymes", "Zinc @xmath3 serves enzymes", ()),
        # nothing but marks is an empty segment, not an invented one
        ("...", "", ()),
        (" - ", "", ()),
    ],
)
def test_segment_is_kept_as_far_as_the_text_has_it(
    segment: str, kept: str, dropped: tuple[str, ...]
) -> None:
    """86 % of released segments are verbatim, and 11 % sentence by sentence."""
    segments = q.FacetSegments(method=segment)
    assert ground(segments, SUMMARY) == (q.FacetSegments(method=kept), dropped)


def test_coverage_is_the_share_of_the_summary_in_its_segments() -> None:
    """A judge that segments little of a summary has not read it."""
    # "In May it fell" has 11 of the 22 letters
    text = "In May, it fell. Then it sinks!"
    assert coverage(q.FacetSegments(background="In May, it fell."), text) == 0.5
    assert coverage(q.FacetSegments(method=text, result=text), text) == 1.0
    # a text holds words and not pieces of words: a short sentence would be found anywhere
    assert [is_verbatim(words, TEXT) for words in ("six roofs", "x roofs", "--")] == [
        True,
        False,
        False,
    ]


@given(st.lists(st.sampled_from(TEXT.split(". ")), max_size=4), st.sampled_from(q.FACETS))
def test_pieces_of_a_text_are_never_dropped(pieces: list[str], facet: str) -> None:
    """Law: whatever sentences of the text a segment is made of, nothing of it is invented."""
    segments, dropped = ground(q.FacetSegments(**{facet: ". ".join(pieces)}), TEXT)
    assert dropped == ()
    assert 0 <= coverage(segments, TEXT) <= 1


def test_recorded_segments_stay_as_they_were_rated() -> None:
    """A release's ratings are of its own segments; what the text does not hold is told."""
    text = "We fed zinc to mice. Mice grew ( p < 0.01 )."
    given = {"method": "Zinc was fed to mice.", "result": "Mice grew (p<0.01). They sang."}
    segments, dropped = ground(q.FacetSegments(**given), text)
    assert (segments.method, segments.result) == ("", "Mice grew (p<0.01).")
    recorded, missing = ground(q.FacetSegments(**given, recorded_by="GPT-4"), text)
    assert (recorded.method, recorded.result) == tuple(given.values())
    assert missing == dropped == ("Zinc was fed to mice.", "They sang.")


def test_evidence_of_a_conflict_is_of_the_sentence_in_dispute() -> None:
    """The source sentence closest to the whole facet may speak of something else."""
    source = ("Ponds lost 3 cm of water in May and 5 cm in June.", "Newts fell in Ash.")
    clash = facet.RatedFacet(
        facet="result",
        rating=3,
        reason="direction",
        reference="Ponds lost 3 cm of water in May and 5 cm in June. Newts fell in Ash.",
        candidate="Ponds lost 3 cm of water. In Ash, newts rose.",
        disputes=(("rose", "fell"),),
    )
    (lost,) = FacetScore(value=0.5, ratings=(replace(clash, disputes=()),)).findings(source)
    (disputed,) = FacetScore(value=0.5, ratings=(clash,)).findings(source)
    assert [lost.evidence, disputed.evidence] == [((0, source[0]),), ((1, source[1]),)]
