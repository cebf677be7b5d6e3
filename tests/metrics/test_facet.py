from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics import facet
from summeval_pytest.metrics.facet import (
    WEIGHTS,
    calibrated,
    count_held,
    coverage,
    facet_aware_metric,
    facets_of,
    ground,
    is_held,
)
from summeval_pytest.metrics.score import LOWEST, FacetScore, Unscored
from summeval_pytest.questions import (
    FACETS,
    SCALES,
    FacetPair,
    FacetRating,
    FacetRatings,
    FacetSegments,
    RateFacets,
    SegmentFacets,
    Unanswered,
)
from summeval_pytest.suite.scholarsum import import_scholarsum
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from summeval_pytest.metrics.facet import Held
    from summeval_pytest.metrics.flow import Flow
    from summeval_pytest.questions import Answer, Facet

REFERENCE = (
    "Enzymes need zinc. We fed zinc to 40 mice for a week. Growth rose by 24 %."
    " Zinc may help stunted mice."
)


SUMMARY = "Zinc serves enzymes. Mice ate zinc, and some lead, for a week. They grew. It may help."


OF_REFERENCE = FacetSegments(
    background="Enzymes need zinc.",
    method="We fed zinc to 40 mice for a week.",
    result="Growth rose by 24 %.",
    conclusion="Zinc may help stunted mice.",
)


OF_SUMMARY = FacetSegments(
    background="Zinc serves enzymes.",
    method="Mice ate zinc, and some lead, for a week.",
    result="They grew.",
    conclusion="It may help.",
)


ratings_of_some_facets = st.fixed_dictionaries(
    {}, optional={facet: st.integers(1, SCALES[facet]) for facet in FACETS}
).filter(bool)


def rated(**ratings: int) -> FacetRatings:
    """A judge's ratings, in reading order."""
    return FacetRatings(
        tuple(
            FacetRating(facet=facet, reason=f"its {facet}", rating=ratings[facet])
            for facet in FACETS
            if facet in ratings
        )
    )


def asked(questions: tuple[object, ...]) -> list[tuple[Facet, str, str]]:
    """The pairs of the one question that asks for ratings."""
    (question,) = questions
    assert isinstance(question, RateFacets)
    return [(pair.facet, pair.reference, pair.candidate) for pair in question.pairs]


def ended(flow: Flow[FacetScore], *answers: Answer) -> FacetScore | Unscored:
    """What the conversation ends in after these answers; before its first question without any."""
    with pytest.raises(StopIteration) as stop:
        flow.send(answers) if answers else next(flow)
    score: FacetScore | Unscored = stop.value.value
    return score


def rate(ratings: FacetRatings) -> FacetScore | Unscored:
    """The score of the summary where all four facets are stated and rated like this."""
    flow = facet.measure(REFERENCE, SUMMARY)
    next(flow)
    flow.send((OF_REFERENCE, OF_SUMMARY))
    return ended(flow, ratings)


# The arithmetic
def test_weighted_mean_worked_example() -> None:
    """FM, section 3.2: each rating is a share of its own scale."""
    # .1 * 3/3 + .3 * 4/4 + .3 * 3/4 + .3 * 2/3 = .1 + .3 + .225 + .2 = .825
    value = facet_aware_metric({"background": 3, "method": 4, "result": 3, "conclusion": 2})
    assert value == pytest.approx(0.825)


def test_eq_1_as_printed_could_not_exceed_a_quarter() -> None:
    """Eq. 1 divides by 4 although its weights add up to 1; Table 2 shows 0.57 to 0.88."""
    best = {facet: SCALES[facet] for facet in FACETS}
    ratings: dict[Facet, int] = {"background": 3, "method": 4, "result": 3, "conclusion": 2}

    def eq1_literal(ratings: Mapping[Facet, int]) -> float:
        return sum(WEIGHTS[f] * ratings[f] / SCALES[f] for f in FACETS) / 4

    assert eq1_literal(best) == pytest.approx(0.25)
    assert eq1_literal(ratings) == pytest.approx(0.825 / 4)
    assert facet_aware_metric(best) == 1.0


def test_a_removed_facet_takes_its_weight_along() -> None:
    """All 112 released rows with a removed facet are renormalised (metrics.md FM1)."""
    # without the conclusion: (.1 * 2/3 + .3 * 4/4 + .3 * 2/4) / .7 = .51667 / .7
    value = facet_aware_metric({"background": 2, "method": 4, "result": 2})
    assert value == pytest.approx((0.1 * 2 / 3 + 0.3 + 0.15) / 0.7)
    # removal as a zero would have given .517, which no system deserves for its paper
    assert value == pytest.approx(0.738095238)


def test_floor_with_all_four_facets() -> None:
    """The floor is not 0: .1/3 + .3/4 + .3/4 + .3/3 = .28333."""
    value = facet_aware_metric(dict.fromkeys(FACETS, 1))
    assert value == pytest.approx(0.1 / 3 + 0.3 / 4 + 0.3 / 4 + 0.3 / 3)
    assert value == pytest.approx(0.28333, abs=1e-5)


def test_no_facet_has_no_value() -> None:
    """Nothing to cover is no zero."""
    assert facet_aware_metric({}) is None


def test_weights_can_be_chosen() -> None:
    """FM fitted its weights to one data set; another team may have its own."""
    # (1 * 4/4 + 3 * 1/4) / (1 + 3) = 1.75 / 4
    weights: dict[Facet, float] = {"background": 0, "method": 1, "result": 3, "conclusion": 0}
    assert facet_aware_metric({"method": 4, "result": 1}, weights) == 0.4375


@given(ratings_of_some_facets)
def test_fm_stays_within_its_bounds(ratings: dict[Facet, int]) -> None:
    """A threshold of 1.0 must be reachable, and no rounding may pass it."""
    value = facet_aware_metric(ratings)
    assert value is not None
    assert LOWEST <= value <= 1.0


@given(ratings_of_some_facets, st.sampled_from(FACETS))
def test_fm_rises_with_each_rating(ratings: dict[Facet, int], facet: Facet) -> None:
    """A better facet never makes a worse summary."""
    lower = facet_aware_metric(ratings | {facet: 1})
    higher = facet_aware_metric(ratings | {facet: 2})
    assert lower is not None
    assert higher is not None
    assert lower < higher


# The conversation
def test_both_texts_are_segmented_then_their_facets_rated() -> None:
    """The paper's protocol: extract the facets of each text, then align them."""
    flow = facet.measure(REFERENCE, SUMMARY)
    assert next(flow) == (SegmentFacets(REFERENCE), SegmentFacets(SUMMARY))
    assert flow.send((OF_REFERENCE, OF_SUMMARY)) == (
        RateFacets(
            tuple(
                FacetPair(
                    facet=f, reference=OF_REFERENCE.segment(f), candidate=OF_SUMMARY.segment(f)
                )
                for f in FACETS
            ),
            REFERENCE,
            SUMMARY,
        ),
    )
    score = ended(flow, rated(background=3, method=4, result=3, conclusion=2))
    assert isinstance(score, FacetScore)
    assert score.value == pytest.approx(0.825)
    assert [rating.rating for rating in score.ratings] == [3, 4, 3, 2]
    assert [rating.reason for rating in score.ratings] == [f"its {f}" for f in FACETS]
    assert not any(rating.by_rule for rating in score.ratings)
    assert (score.removed, score.ungrounded, score.coverage) == ((), (), 1.0)
    assert not score.identical


def test_a_facet_that_the_summary_has_word_for_word_is_not_absent() -> None:
    """A judge that reads it as another facet must not cost the summary a 1 by rule."""
    summary = f"{OF_REFERENCE.conclusion} {OF_SUMMARY.method}"
    flow = facet.measure(REFERENCE, summary, reference_facets=OF_REFERENCE)
    next(flow)

    (asked,) = flow.send((FacetSegments(method=summary),))

    assert isinstance(asked, RateFacets)
    assert [(p.facet, p.candidate) for p in asked.pairs] == [
        ("method", summary),
        ("conclusion", OF_REFERENCE.conclusion),
    ]


def test_texts_are_normalised_before_they_are_asked_about() -> None:
    """Special tokens and labels would tell the judge which system it reads."""
    flow = facet.measure(f"Abstract: {REFERENCE}", f"<s> {SUMMARY}</s><pad>")
    assert next(flow) == (SegmentFacets(REFERENCE), SegmentFacets(SUMMARY))


def test_reviewed_facets_are_not_asked_for_again() -> None:
    """A frozen reference cannot move a score."""
    flow = facet.measure(REFERENCE, SUMMARY, reference_facets=OF_REFERENCE)
    assert next(flow) == (SegmentFacets(SUMMARY),)
    assert [pair[1] for pair in asked(flow.send((OF_SUMMARY,)))] == [
        OF_REFERENCE.segment(f) for f in FACETS
    ]


def test_removed_conclusion_is_not_rated() -> None:
    """A reference without a conclusion asks for none, whatever the summary adds."""
    flow = facet.measure(REFERENCE, SUMMARY)
    next(flow)
    pairs = asked(flow.send((replace(OF_REFERENCE, conclusion=""), OF_SUMMARY)))
    assert [pair[0] for pair in pairs] == ["background", "method", "result"]
    score = ended(flow, rated(background=2, method=4, result=2))
    assert isinstance(score, FacetScore)
    assert score.value == pytest.approx((0.1 * 2 / 3 + 0.3 + 0.15) / 0.7)
    assert score.removed == ("conclusion",)
    assert "facet.conclusion" not in score.values()


def test_empty_method_is_one_by_rule_and_never_sent_to_the_judge() -> None:
    """The judge would see an empty text; the paper's rule needs none (metrics.md FM4, FM6)."""
    flow = facet.measure(REFERENCE, SUMMARY)
    next(flow)
    pairs = asked(flow.send((OF_REFERENCE, replace(OF_SUMMARY, method=""))))
    assert [pair[0] for pair in pairs] == ["background", "result", "conclusion"]
    score = ended(flow, rated(background=3, result=4, conclusion=3))
    assert isinstance(score, FacetScore)
    # .1 + .3 * 1/4 + .3 + .3 = .775
    assert score.value == pytest.approx(0.775)
    method = score.ratings[1]
    assert (method.facet, method.rating, method.by_rule) == ("method", 1, True)
    assert (method.reference, method.candidate) == (OF_REFERENCE.method, "")
    assert method.reason == "the summary does not state it"


def test_summary_that_states_no_facet_has_the_floor_without_a_rating_asked() -> None:
    """Four empty facets are four ones by rule."""
    flow = facet.measure(REFERENCE, SUMMARY)
    next(flow)
    score = ended(flow, OF_REFERENCE, FacetSegments())
    assert isinstance(score, FacetScore)
    assert score.value == pytest.approx(0.28333, abs=1e-5)
    assert all(rating.by_rule for rating in score.ratings)
    assert score.coverage == 0.0


def test_reference_without_any_facet_leaves_the_pair_unscored() -> None:
    """With nothing to cover, neither 0 nor 1 would be true."""
    flow = facet.measure(REFERENCE, SUMMARY)
    next(flow)
    assert ended(flow, FacetSegments(), OF_SUMMARY) == Unscored(
        metric="facet",
        status="skipped_no_reference",
        reason="the reference states none of the four facets",
    )


# Segments are held to the text
def test_invented_segment_is_dropped_and_named() -> None:
    """A segment that is not in the summary must not be rated as if it were (FM, stage A)."""
    flow = facet.measure(REFERENCE, SUMMARY)
    next(flow)
    invented = "Lead kills mice."
    pairs = asked(flow.send((OF_REFERENCE, replace(OF_SUMMARY, conclusion=invented))))
    assert [pair[0] for pair in pairs] == ["background", "method", "result"]
    score = ended(flow, rated(background=3, method=4, result=4))
    assert isinstance(score, FacetScore)
    assert score.ungrounded == (invented,)
    assert (score.ratings[3].rating, score.ratings[3].by_rule) == (1, True)
    # .1 + .3 + .3 + .3 * 1/3 = .8
    assert score.value == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("segment", "kept", "dropped"),
    [
        # sentence by sentence: two that are not neighbours, and one made up between them
        ("Zinc serves enzymes. They grew.", "Zinc serves enzymes. They grew.", ()),
        ("They grew. Lead did not. It may help.", "They grew. It may help.", ("Lead did not.",)),
        # at ellipses of every spelling
        ("Mice ate zinc ... for a week.", "Mice ate zinc for a week.", ()),
        ("Mice ate zinc\u2026 for a week.", "Mice ate zinc for a week.", ()),
        ("Mice ate zinc [...] for a week.", "Mice ate zinc for a week.", ()),
        ("Mice ate tin ... for a week.", "for a week.", ("Mice ate tin",)),
        # case, punctuation and line breaks do not count, words do
        ("MICE ate zinc (and\nsome lead)", "MICE ate zinc (and\nsome lead)", ()),
        ("Mice ate zin", "", ("Mice ate zin",)),
        ("ice ate zinc", "", ("ice ate zinc",)),
        # nothing but marks is an empty segment, not an invented one
        ("...", "", ()),
        (" - ", "", ()),
    ],
)  # fmt: skip
def test_segment_is_kept_as_far_as_the_text_has_it(
    segment: str, kept: str, dropped: tuple[str, ...]
) -> None:
    """86 % of released segments are verbatim, and 11 % sentence by sentence."""
    frozen = FacetSegments(method="We fed zinc to 40 mice for a week.")
    flow = facet.measure(REFERENCE, SUMMARY, reference_facets=frozen)
    next(flow)
    answers = (FacetSegments(method=segment),)
    if kept:
        assert asked(flow.send(answers)) == [("method", frozen.method, kept)]
        score = ended(flow, rated(method=4))
    else:
        score = ended(flow, *answers)
    assert isinstance(score, FacetScore)
    assert score.ungrounded == dropped
    assert score.ratings[0].by_rule == (not kept)


def test_coverage_is_the_share_of_the_summary_in_its_segments() -> None:
    """A judge that segments little of a summary has not read it."""
    frozen = FacetSegments(result="x")
    flow = facet.measure("Zinc helps.", "In May, it fell. Then it sinks!", reference_facets=frozen)
    next(flow)
    # "In May it fell" has 11 of the 22 letters
    score = ended(flow, FacetSegments(background="In May, it fell."))
    assert isinstance(score, FacetScore)
    assert score.coverage == 0.5


# What is not scored
@pytest.mark.parametrize("summary", ["", " \n", "<s></s>", "<pad><pad><pad>", "Abstract:", "...-!"])
def test_empty_summary_is_the_systems_fault_and_asks_nothing(summary: str) -> None:
    """A summary of special tokens only is empty, and no judge is to be paid for it."""
    score = ended(facet.measure(REFERENCE, summary))
    assert score == Unscored(
        metric="facet", status="degenerate_candidate", reason="the summary is empty"
    )


def test_refusal_is_the_systems_fault_and_asks_nothing() -> None:
    """An apology has no facets."""
    score = ended(facet.measure(REFERENCE, "I'm sorry, but I cannot summarise this."))
    assert score == Unscored(
        metric="facet", status="refused_candidate", reason="the system refused"
    )


def test_identical_texts_score_one_and_ask_nothing() -> None:
    """Identical is maximal, whatever the judge would say (deepeval#565)."""
    score = ended(facet.measure(REFERENCE, f"<s>{REFERENCE.replace('. ', '.  ')}</s>"))
    assert score == FacetScore(value=1.0, identical=True)


def test_identical_texts_are_asked_about_without_the_short_circuit() -> None:
    """Only so can a judge be measured on them."""
    flow = facet.measure(REFERENCE, REFERENCE, short_circuit=False)
    assert next(flow) == (SegmentFacets(REFERENCE), SegmentFacets(REFERENCE))
    assert len(asked(flow.send((OF_REFERENCE, OF_REFERENCE)))) == 4
    score = ended(flow, rated(background=3, method=4, result=4, conclusion=3))
    assert isinstance(score, FacetScore)
    assert score.value == 1.0
    assert not score.identical


GOOD = rated(background=3, method=4, result=4, conclusion=3)


EXTRA = FacetRating(facet="result", reason="", rating=4)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (FacetRatings(GOOD.ratings[:3]), "the judge returned 3 ratings for 4 asked about"),
        (FacetRatings(()), "the judge returned 0 ratings for 4 asked about"),
        (FacetRatings((*GOOD.ratings, EXTRA)), "the judge returned 5 ratings for 4 asked about"),
        (
            FacetRatings((*GOOD.ratings[:1], *GOOD.ratings[2:], GOOD.ratings[1])),
            "asked to rate method, the judge rated result",
        ),
        (
            FacetRatings((*GOOD.ratings[:3], EXTRA)),
            "asked to rate conclusion, the judge rated result",
        ),
        (
            rated(background=4, method=4, result=4, conclusion=3),
            "background: rating 4 is off its scale 1 to 3",
        ),
        (
            rated(background=3, method=0, result=4, conclusion=3),
            "method: rating 0 is off its scale 1 to 4",
        ),
        (
            rated(background=3, method=4, result=5, conclusion=3),
            "result: rating 5 is off its scale 1 to 4",
        ),
        (
            rated(background=3, method=4, result=4, conclusion=-1),
            "conclusion: rating -1 is off its scale 1 to 3",
        ),
        (
            FacetRatings((*GOOD.ratings[:2], Unanswered("cut off"), GOOD.ratings[3])),
            "result: cut off",
        ),
    ],
)
def test_ratings_that_do_not_fit_the_question_leave_the_pair_unscored(
    ratings: FacetRatings, reason: str
) -> None:
    """A missing rating that shrank the denominator would raise the score (deepeval#3346)."""
    assert rate(ratings) == Unscored(metric="facet", status="unanswered", reason=reason)


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ((OF_REFERENCE,), "the judge gave 1 answers to 2 questions"),
        ((OF_REFERENCE, OF_SUMMARY, OF_SUMMARY), "the judge gave 3 answers to 2 questions"),
        ((OF_REFERENCE, Unanswered("no JSON")), "no JSON"),
        ((Unanswered("refused"), OF_SUMMARY), "refused"),
        ((OF_REFERENCE, GOOD), "SegmentFacets was answered with FacetRatings"),
    ],
)
def test_missing_segments_leave_the_pair_unscored(answers: tuple[Answer, ...], reason: str) -> None:
    """An empty facet is a rating of 1; a judge that did not answer must not cause it."""
    flow = facet.measure(REFERENCE, SUMMARY)
    next(flow)
    score = ended(flow, *answers)
    assert score == Unscored(metric="facet", status="unanswered", reason=reason)
    assert isinstance(score, Unscored)
    assert score.fault == "judge"


def scored(**ratings: int) -> FacetScore:
    """What the conversation comes to with these ratings."""
    score = rate(rated(**ratings))
    assert isinstance(score, FacetScore)
    return score


GENEROUS: Mapping[Facet, tuple[float, ...]] = {
    "method": (1.0, 2.0, 2.5, 3.0),
    "conclusion": (1.0, 1.5, 2.25),
}
"""What people rate where a generous judge rates 1, 2 and so on; it is fair on the others."""


def test_fm_is_made_anew_of_calibrated_ratings() -> None:
    """Worked example: 3, 4, 2, 3 become 3, 3, 2 and 2.25.

    FM falls from 0.1 + 0.3 + 0.3 * 2 / 4 + 0.3 = 0.85 to
    0.1 * 3 / 3 + 0.3 * 3 / 4 + 0.3 * 2 / 4 + 0.3 * 2.25 / 3 = 0.7.
    """
    score = scored(background=3, method=4, result=2, conclusion=3)
    found = calibrated(score, GENEROUS)
    assert (score.value, found.value) == (0.85, 0.7)
    assert [each.value for each in found.ratings] == [3, 3.0, 2, 2.25]
    assert [each.calibrated for each in found.ratings] == [None, 3.0, None, 2.25]


def test_what_the_judge_said_stays_beside_its_calibrated_rating() -> None:
    """Its reason is a reason for 4, and evidence is no matter of scale."""
    score = scored(background=3, method=4, result=2, conclusion=3)
    found = calibrated(score, GENEROUS)
    bare = tuple(replace(each, calibrated=None) for each in found.ratings)
    assert replace(found, value=score.value, ratings=bare) == score


def test_a_summary_that_is_its_reference_is_left_alone() -> None:
    """Nobody rated it, so there is no rating that a judge could be too generous with."""
    copy = FacetScore(value=1.0, identical=True)
    assert calibrated(copy, GENEROUS) is copy


TEXT = "Moss cools roofs. We planted six roofs with moss. They stayed 4.5 degrees cooler."


def test_a_segment_is_held_whole_in_parts_or_not_at_all() -> None:
    """Case and punctuation are no words; a sentence that the text lacks is dropped by itself."""
    found = ground(
        FacetSegments(
            background="moss cools roofs",
            method="We planted six roofs with moss. Bees came.",
            conclusion="Plant moss.",
        ),
        TEXT,
    )
    assert found.held == {"background": "whole", "method": "parts", "conclusion": "absent"}
    assert found.segments == FacetSegments(
        background="moss cools roofs", method="We planted six roofs with moss."
    )
    assert found.dropped == ("Bees came.", "Plant moss.")


def test_a_sentence_belongs_to_the_facet_that_holds_it() -> None:
    """Word for word, whatever the spaces; of two facets the first, and of none nothing."""
    segments = FacetSegments(
        background="Moss cools roofs.", result="They stayed 4.5  degrees cooler. Moss cools roofs."
    )
    sentences = ("Moss cools roofs .", "They stayed 4.5 degrees cooler.", "We planted six.", "...")
    assert list(facets_of(sentences, segments)) == ["background", "result", None, None]


def test_a_text_holds_words_and_not_pieces_of_words() -> None:
    """A short sentence would be found anywhere."""
    assert is_held("six roofs", TEXT)
    assert not is_held("x roofs", TEXT)
    assert not is_held("--", TEXT)


@given(st.lists(st.sampled_from(TEXT.split(". ")), max_size=4), st.sampled_from(FACETS))
def test_pieces_of_a_text_are_never_dropped(pieces: list[str], facet: str) -> None:
    """Law: whatever sentences of the text a segment is made of, nothing of it is invented."""
    segment = ". ".join(pieces)
    found = ground(FacetSegments(**{facet: segment}), TEXT)
    assert found.dropped == ()
    assert (facet in found.held) == bool(pieces)
    assert 0 <= coverage(found.segments, TEXT) <= 1


def test_released_segments_are_as_verbatim_as_they_are(tmp_path: Path, release_file: Path) -> None:
    """Oracle: GPT-4's segments of the PubMed half.

    Over both halves metrics.md 1.1 has 86 % (summaries) and 91 % (references) whole, 11 and 6 % in
    parts; this half alone has 90 and 82 %, 9 and 16 %.
    """
    import_scholarsum(release_file, tmp_path / "out")
    suite = load_suite(tmp_path / "out")
    references: list[Held] = []
    summaries: list[Held] = []
    for record in suite.recorded:
        if record.segments is None:
            continue
        if record.system is None:
            text = suite.paper(record.paper).references[0]
            references.extend(ground(record.segments, normalise(text)).held.values())
        else:
            text = suite.pair(record.paper, record.system).summary
            summaries.extend(ground(record.segments, normalise(text)).held.values())
    assert count_held(summaries) == {"whole": 903, "parts": 86, "absent": 15}
    assert count_held(references) == {"whole": 153, "parts": 29, "absent": 5}
