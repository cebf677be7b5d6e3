"""What the embedded judge takes for a conflict, and what it must not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from summeval_pytest.judges.offline.copies import find_conflict
from summeval_pytest.judges.offline.facets import contradiction
from summeval_pytest.judges.offline.support import support_sentences
from summeval_pytest.questions import FacetPair, SentenceCheck

RAIN = "Rain fell on the last day."
PIER = "The old pier was painted by 14 volunteers in the warmer months."


@pytest.mark.parametrize(
    ("claim", "evidence", "message"),
    [
        # A telling word changed in a copy; leaving out and rewording contradict nothing.
        (PIER.replace("14", "19"), PIER, "number: '19' instead of '14'"),
        (PIER.replace("14 ", ""), PIER, None),
        (PIER.replace("old", "grand"), PIER, None),
        (PIER, PIER, None),
        ("In the colder months gulls nested on the old pier.", PIER, None),
        # Numbers that stand side by side are told in the order of what stands before them.
        (
            "Kiln temperature fell from 810 to 640 degrees.",
            "Kiln temperature went from 640 to 810 degrees.",
            "swap: '810' and '640' have changed places",
        ),
        (
            "Dropout rose from 11.6% to 7.3%.",
            "Dropout was 11.6% in spring and 7.3% in autumn.",
            "change: 'rose' instead of 'from 11.6% to 7.3%'",
        ),
        # Numbers without unit may be where it falls, unless the evidence says it rose between them.
        ("Noise fell from 50 to 90 Hz.", "Noise was measured from 50 to 90 Hz.", None),
        (
            "Noise in the harbour fell from 50 to 90.",
            "From spring on, noise rose from 50 to 90.",
            "direction: 'fell' instead of 'rose'",
        ),
        # The evidence says so itself; other words decide; a lower rank is better.
        ("Rain fell from 3.1% to 4.2%.", "Rain (see below) fell from 3.1% to 4.2%.", None),
        ("Sites with a drop in rain went from 3.1% to 4.2%.", "Sites were counted.", None),
        ("The share with a drop in rain rose from 3% to 4%.", "Sites were counted.", None),
        ("Moss fell from 9% to 3% as lichen spread from 2% to 5%.", "Sites were counted.", None),
        ("The pier's rank rose from 9.5 to 3.5.", "Ranks were counted.", None),
        (
            "Yield with the slot was 3.4 kg, below the 3.6 kg with the minimum length.",
            "Yield was lower with the slot than with the minimum length (3.4 against 3.6 kg).",
            None,
        ),
    ],
)
def test_changed_words_and_numbers_are_seen(claim: str, evidence: str, message: str | None) -> None:
    """Overlap rewards contradictions; both sentences stand beside the reason."""
    result = find_conflict(claim, [evidence])
    assert (str(result) if result else None) == message


DERIVED = """\
Wound infection occurred in 20% of patients before the new dressing and in 15% after it.
+ Wound infection fell by 25%.
- Wound infection fell by 25.4%.
- Wound infection fell by 25 percentage points.
- Wound infection fell by 45%.
The share of nests with chicks rose from 40% to 50% once the ferrets had left.
+ The share of nests with chicks rose by 25%.
Unemployment was 8.0% in the north and 6.0% in the south.
+ In the south unemployment was 25% lower.
The share of pupils who read daily slid from 12.4% to 9.3%.
+ Daily reading dropped by 25.0%.
The hazard ratio for death with the statin was 0.75 (95% CI 0.61 to 0.92).
+ The statin cut the hazard of death by 25%.
- The statin cut the hazard of death by 39%.
- The statin cut the hazard of death by 26%.
Smoking was associated with relapse (odds ratio 1.40, 95% CI 1.12 to 1.78).
+ Smokers had 40% higher odds of relapse.
The relative risk of a fall was 0.68 with balance training.
+ Balance training lowered the risk of a fall by 32%.
Crashes at roundabouts had an adjusted incidence rate ratio [IRR] of 0.62.
+ At roundabouts there were 38% fewer crashes.
For geysers, the rate ratio of eruptions in wet years was 1.25 (p = 0.01).
+ Geysers erupted 25% more often in wet years.
The classifier reached an accuracy of 0.874 on unseen speakers.
+ On unseen speakers its error rate was 0.126.
- Its error on unseen speakers was 13.6%.
- On unseen speakers it was 12.6% slower.
- On unseen speakers its error rate was 0.226.
Of the satellite images, 91.2% were classified correctly.
+ Of the satellite images, 8.8% were misclassified.
- Of the satellite images, 9.8% were misclassified.
- Of the satellite images, 8.8% showed clouds.
Survival of oak seedlings was 64% on burnt plots.
+ Mortality of oak seedlings was 36% on burnt plots.
- Mortality of oak seedlings was 46% on burnt plots.
The two readers agreed on 92% of the slides.
+ The two readers disagreed on 8% of the slides.
- The two readers disagreed on 18% of the slides.
The filter had a specificity of 97.5%.
+ The filter had a false alarm rate of 2.5%.
Mortality was lower with early surgery (HR 0.81; 95% CI 0.70 to 0.94).
+ Early surgery brought a 19% reduction in mortality.
- Early surgery brought a 30% reduction in mortality.
Of the participants 58% were men.
+ Women made up 42% of the participants.
- Women made up 48% of the participants.
Prices of rice went from 200 to 250 euros a tonne.
+ Prices of rice increased by 25%.
Data were collected between 3 June 2014 and 30 May 2019.
+ In 2016 data were collected.
- In 2012 data were collected.
Lichen went from 32% of the rocks in 2010 to 24% in 2020.
+ Lichen on the rocks declined by 25%.
- Lichen on the rocks declined to 25%.
Fitters were hired between January 2015 and December 2018.
+ In 2017 fitters were hired.
+ Fitters were hired in 2016 as well.
- In 2019 fitters were hired.
- The hiring of fitters stopped in 2017.
Of the old lamps 37% were broken.
+ Of the old lamps 63% were not broken.
- Of the old lamps 63% were broken.
- Of the old lamps 67% were not broken.
The trial ran from 2018 to 2021 in nine clinics.
+ In 2020 the trial was running.
- In 2022 the trial was running.
- The trial began in 2019.
- The trial was closed in 2020.
- The trial had been running since 2019.
Tide gauges recorded sea level between 1993 and 2015.
+ The gauges recorded sea level in 2004.
- The gauges recorded sea level in 1989.
Catches of cod were logged 1998\u20132012 in two ports.
- Cod catches were first logged in 2005.
Kestrels were ringed from March 2006 until the end of 2010.
+ Kestrels were ringed throughout 2008.
- Kestrels were ringed in 2011.
"""
"""Sources, each with claims that follow from its numbers (+), and with claims that do not (-)."""


def claims(sign: str) -> Iterator[tuple[str, SentenceCheck]]:
    """Each claim of this sign, with what the judge says of it."""
    source = ""
    for line in DERIVED.splitlines():
        if line[0] not in "+-":
            source = line
        elif line[0] == sign:
            yield line[2:], support_sentences((line[2:],), (source, RAIN))[0]


def test_what_follows_from_the_numbers_of_a_source_is_no_conflict() -> None:
    """A relative change, what a ratio or a share leaves, a year within a span: each is true."""
    assert [claim for claim, check in claims("+") if check.undecided] == []


def test_what_does_not_follow_from_the_numbers_is_told() -> None:
    """The wrong base, bound, complement or year: contradicted, or at least not found."""
    silent = [c for c, check in claims("-") if not (check.conflict or check.missing)]
    assert silent == []


LINES = (
    "In winter, of all departures on the north line, 7.3% were buses that came late.",
    "A strike cost 11.6% of the departures.",
    "On the south line 9.8% of them were late.",
    "The hazard ratio of rust on coated hulls was 0.75 (95% CI 0.61 to 0.92).",
    "Crews with a lamp saw 6.2 of the 14 seals and those without it 4.6 (difference 1.6).",
)


@pytest.mark.parametrize(
    ("claim", "message", "place"),
    [
        # Not a number next to which a word happens to stand, nor one that the claim states as well.
        (
            "Late buses made up 5.3% of all departures on the north line in winter.",
            "number: '5.3%' instead of '7.3%'",
            0,
        ),
        (
            "On the south line 9.8% were late, on the north line in winter 2.3%.",
            "number: '2.3%' instead of '7.3%'",
            0,
        ),
        # The level of an interval stands for another level only.
        (
            "The hazard ratio of rust was 0.75 (85% CI 0.61 to 0.92).",
            "number: '85%' instead of '95%'",
            3,
        ),
        # Digits that are exchanged by chance do not outweigh the words beside a number.
        (
            "On average 6.1 seals were seen by crews with a lamp, compared with 4.6 without it.",
            "number: '6.1' instead of '6.2'",
            4,
        ),
    ],
)
def test_the_nearest_number_is_shown_with_its_sentence(
    claim: str, message: str, place: int
) -> None:
    """A reader sees what the source says in its place."""
    (result,) = support_sentences((claim,), LINES)
    assert result.reason == message
    assert result.evidence[0] == place


def test_a_number_that_the_summary_states_anywhere_is_contradicted_by_none() -> None:
    """A summary may state it in another sentence; another quantity is no contradiction."""

    def is_contradicted(reference: str, summary: str) -> bool:
        pair = FacetPair(facet="result", reference=reference, candidate=summary)
        return contradiction(pair, reference, summary) is not None

    bridge = "The old bridge at the mill carried 84 trucks a day in the spring."
    wrong = bridge.replace("84", "48")
    assert is_contradicted(bridge, wrong)
    assert not is_contradicted(bridge, f"{wrong} In all 84 trucks came a day.")
    assert not is_contradicted("It weighed 7 kg.", "It weighed 7.5 m.")
