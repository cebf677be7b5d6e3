from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summeval_pytest.judges.offline.conflicts.conflict import Conflict
from summeval_pytest.judges.offline.conflicts.finding import find_conflict
from summeval_pytest.judges.offline.conflicts.number_conflicts import (
    missing_number,
    replaced_number,
)
from summeval_pytest.judges.offline.readings.reading import read


def conflict(claim: str, *evidence: str) -> str | None:
    """The kind of the first conflict, if there is one."""
    found = find_conflict(read(claim), [read(sentence) for sentence in evidence])
    return found.kind if found else None


def missing(claim: str, *evidence: str) -> Conflict | None:
    """A number of the claim that the evidence, which is the whole text, does not state."""
    readings = [read(sentence) for sentence in evidence]
    return missing_number(read(claim), readings, [q for r in readings for q in r.quantities])


def replaced(claim: str, *evidence: str) -> Conflict | None:
    """A number of the claim in the place of one of the evidence's."""
    return replaced_number(read(claim), [read(sentence) for sentence in evidence])


@pytest.mark.parametrize(
    ("claim", "evidence", "kind"),
    [
        ("Battery life fell after coating.", "Battery life rose after coating.", "direction"),
        ("Paint fell.", "Paint rose.", "direction"),
        ("The varnish is poisonous.", "The varnish is not poisonous.", "negation"),
        ("Foxes were not shy of lamps.", "Foxes were shy of lamps.", "negation"),
        ("Foxes weren't shy of lamps.", "Foxes were shy of lamps.", "negation"),
        (
            "The coating shortened charging time.",
            "The coating prolonged charging time.",
            "direction",
        ),
        (
            "Nesting success did not differ between island and coast.",
            "Nesting success was significantly higher on the island than on the coast.",
            "negation",
        ),
        (
            "Nesting success was significantly higher on the island than on the coast.",
            "Nesting success did not differ between island and coast.",
            "negation",
        ),
        (
            "Oak plots held 14 species and pine plots held 9 species.",
            "Oak plots held 9 species and pine plots held 14 species.",
            "swap",
        ),
        (
            "Gulls were seen on 12 days before the storm and 31 days after it.",
            "Gulls were seen on 31 days before the storm and 12 days after it.",
            "swap",
        ),
        (
            "Seedlings were watered with brine and then dusted with lime powder.",
            "Seedlings were dusted with lime powder and then watered with brine.",
            "order",
        ),
    ],
)
def test_opposite_claims_conflict_however_many_words_they_share(
    claim: str, evidence: str, kind: str
) -> None:
    """Overlap alone would reward these contradictions."""
    assert conflict(claim, evidence) == kind


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Battery life fell after coating.", "Battery life was cut by coating."),
        ("Battery life fell after coating.", "Sales of lamps rose in spring."),
        (
            "The kiln firing lasted more than 40 hours.",
            "The kiln firing lasted less than a week.",
        ),
        ("Charging time was no longer an issue.", "Charging time was shorter, so no issue."),
        (
            "Nesting success was similar on island and coast.",
            "Nesting success did not differ between island and coast.",
        ),
        (
            "Nesting success was significantly higher on the island than on the coast.",
            "Egg weight did not differ between years.",
        ),
        (
            "Pine plots held 9 species and oak plots held 14 species.",
            "Oak plots held 14 species and pine plots held 9 species.",
        ),
        (
            "Pine plots held 14 species and oak plots held 14 species.",
            "Oak plots held 14 species and pine plots held 14 species.",
        ),
        (
            "Gulls were seen on 31 days before the storm.",
            "Gulls were seen on 31 days that preceded the storm and 12 days that followed it.",
        ),
        (
            "Seedlings were watered with brine and then dusted with lime powder.",
            "Seedlings got brine water, followed by dusting with lime powder.",
        ),
    ],
)
def test_agreeing_or_unrelated_claims_do_not_conflict(claim: str, evidence: str) -> None:
    """A veto that fires on paraphrase, idiom or another topic would fail faithful summaries."""
    assert conflict(claim, evidence) is None


@pytest.mark.parametrize(
    ("claim", "evidence", "kind"),
    [
        # a finding where nothing was found, and the reverse
        (
            "Ferries with larger crews also differed in noise.",
            "Ferries with larger crews could not be told apart in noise.",
            None,  # the claim shares no stem of a finding with the denial
        ),
        (
            "The varnish significantly reduced cracks in oak doors.",
            "The varnish had no detectable effect on cracks in oak doors (p = 0.41).",
            "negation",
        ),
        (
            "Noise on ferries was unrelated to the size of the crew.",
            "Noise on ferries rose with the size of the crew.",
            "negation",
        ),
        (
            "Looms in mills gained speed after oiling.",
            "Speed of looms in mills was no higher after oiling.",
            "negation",
        ),
        (
            "Harbour pilots changed course in fog.",
            "Harbour pilots seldom slept, and in fog they did not change course.",
            "negation",
        ),
        # numbers tell the direction
        (
            "Kiln temperature fell from 810 to 640 degrees.",
            "Kiln temperature went from 640 to 810 degrees.",
            "direction",
        ),
        (
            "Thefts were more frequent in lit streets than in dark streets.",
            "Thefts numbered 14 in lit streets and 31 in dark streets.",
            "direction",
        ),
        (
            "Oiling was associated with more breakdowns (hazard ratio 0.62).",
            "For oiling and breakdowns the hazard ratio was 0.62.",
            "direction",
        ),
        # opposites
        ("The harbour board accepted the wider pier.", "The harbour board rejected the wider pier.",
         "direction"),
        ("All ferries carried a spare anchor.", "None of the ferries carried a spare anchor.",
         "negation"),
        ("The glue made the hull joint stable.", "The glue made the hull joint unstable.",
         "direction"),
        # a swapped comparison, by "than" or by a verb
        ("Wooden piers outlasted steel piers.", "Steel piers lasted longer than wooden piers.",
         "direction"),
        ("Barges were louder than ferries in fog.", "Ferries were louder than barges in fog.",
         "direction"),
        # degrees and states of the same adjective
        ("Gulls were scarce at the old pier.", "Gulls were most abundant at the old pier.",
         "direction"),
        ("Crews were calmer after the drill.", "Crews were more anxious after the drill.",
         "direction"),
        # how two things go together
        ("More fog meant more accidents.", "More fog meant fewer accidents.", "direction"),
        ("Hull wear grows with speed.", "Hull wear falls with speed.", "direction"),
        # too much and too little
        ("The fares were overestimated by the board.", "The board's fares were too low.",
         "direction"),
        # little, unable, prevented
        ("Lamps had little effect on theft.", "Theft fell markedly with lamps.", "negation"),
        ("Sailors were not able to share the cabin.", "The cabin could be shared by sailors.",
         "negation"),
        # before and after
        ("Crews were harsher after lunch.", "Crews were harsher before lunch.", "direction"),
        # a copy with one word changed
        (
            "A survey of the pier was not done by divers in spring.",
            "A survey of the pier was done by divers in spring.",
            "negation",
        ),
        (
            "The pier was inspected by 14 divers in the first spring.",
            "The pier was inspected by 19 divers in the first spring.",
            "number",
        ),
    ],
)  # fmt: skip
def test_what_contradicts_is_seen_by_class_of_english(
    claim: str, evidence: str, kind: str | None
) -> None:
    """The rules know directions, denials and opposites, and no topic."""
    assert conflict(claim, evidence) == kind


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Repairs were finished sooner.", "The time to finish repairs fell."),
        ("Fog cut traffic in half.", "Fog reduced traffic by more than a third."),
        ("Lamps did not alter theft.", "Theft was similar with lamps and without."),
        (
            "Thefts were rarer in lit streets than in dark streets.",
            "Thefts were more frequent in dark streets than in lit streets.",
        ),
        (
            "Noise rose on ferries but not on barges.",
            "Noise rose on ferries, whereas on barges it did not change.",
        ),
        (
            "We asked whether lamps reduce theft in parks.",
            "In parks lamps did not reduce theft.",
        ),
        ("Crews were more lenient after lunch.", "Crews were harsher before lunch."),
        ("Steel piers broke sooner than wooden piers.", "Wooden piers outlasted steel piers."),
        ("Trails gave no biased counts of gulls.", "Counts of gulls on trails were far higher."),
        ("Smooth hulls should not be used in ice.", "Smooth hulls were used in ice."),
        ("With the wider pier, ferries docked.", "The narrower pier stopped ferries sooner."),
    ],
)
def test_paraphrase_with_other_signs_is_no_conflict(claim: str, evidence: str) -> None:
    """What is quicker takes less time: a word of direction is about what it modifies."""
    assert conflict(claim, evidence) is None


def test_closest_clause_decides() -> None:
    """A sentence may report a rise and a fall; only the one about the same thing counts."""
    evidence = "Wool prices rose in March, whereas linen prices fell."

    assert conflict("Linen prices fell.", evidence) is None
    assert conflict("Linen prices rose.", evidence) == "direction"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The dose was 2 g.", "The dose was 2,000 mg."),
        ("The yield was 12.3%.", "The yield was 12.34%."),
        ("The race took 90 min.", "The race took 1.5 h."),
        ("Two looms were compared.", "The looms were compared."),
        ("Twelve looms were compared.", "We compared 12 looms."),
        ("The profit fell by 1.4 points.", "The profit changed by -1.4 points."),
        ("The race took almost six minutes.", "The race took 5.7 min."),
        ("Nearly two-thirds of the oars broke.", "Of the oars, 63.5% broke."),
        ("Oars broke in one in five races.", "Oars broke in 20% of races."),
        ("Of oars, 23 in 100 broke.", "Of oars, 22.8% broke."),
        ("Repairs took from 9 to 6 days.", "Repairs took 9 days at first and 6 days later."),
        ("Tides were read for twelve months.", "Tides were read for a year."),
        ("The crew rowed 2,400 miles.", "The crew rowed 2,384 miles."),
        ("The barge made 14 trips per week.", "The barge made 2 trips per day."),
    ],
)
def test_rounded_converted_or_spelled_number_is_not_missing(claim: str, evidence: str) -> None:
    """The same quantity may be written in many ways."""
    assert missing(claim, evidence) is None


@pytest.mark.parametrize(
    ("claim", "evidence", "message"),
    [
        ("The dose was 2 g.", "The dose was 2 mg.", "unit: '2 g' against '2 mg'"),
        (
            "The yield was 12.34%.",
            "The yield was 12.3%.",
            "number: '12.34 %' against '12.3 %'",
        ),
        (
            "The crew rested for 14 months.",
            "The crew rested for 14 weeks.",
            "unit: '14 months' against '14 weeks'",
        ),
        (
            "The crew rowed 12 to 14 miles.",
            "The crew rowed 12 to 14 km.",
            "unit: '12 miles' against '12 km'",
        ),
        (
            "Gulls made 3.4 passes per hour.",
            "Gulls made 3.4 passes per night.",
            "unit: '3.4' against '3.4'",
        ),
        (
            "The ferry has 75 seats.",
            "The ferry is old.",
            "number: '75' is nowhere in the evidence",
        ),
    ],
)
def test_number_that_the_text_lacks_is_named(claim: str, evidence: str, message: str) -> None:
    """The reader sees both numbers side by side; digits may be left out, not made up."""
    assert str(missing(claim, evidence)) == message


def test_number_that_stands_for_something_else_does_not_carry_a_claim() -> None:
    """People "aged 65" are not carried by 65 geese elsewhere, where the place holds a 75."""
    sentence = "The walk drew people aged 75 years from the village."
    geese = "We tagged 65 geese."
    everywhere = [*read(sentence).quantities, *read(geese).quantities]
    claim = read("The walk drew people aged 65 years from the village.")

    found = missing_number(claim, [read(sentence)], everywhere)

    assert found is not None
    assert (found.says, found.instead) == ("65 years", "75 years")
    assert missing_number(read("In all, 65 geese wore tags."), [read(sentence)], everywhere) is None


def test_number_in_the_place_of_another_is_replaced() -> None:
    """Same words next to it, same dimension, and neither number on the other side."""
    assert replaced("The bridge carried 48 trucks.", "The bridge carried 84 trucks.") == Conflict(
        kind="number", says="48", instead="84"
    )


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The bridge carried 48 trucks and 84 cars.", "The bridge carried 84 trucks."),
        ("The bridge is 48 m long.", "The bridge carried 84 trucks."),
        ("The tunnel took 48 weeks.", "The bridge carried 84 trucks."),
        ("Trucks weighed 7.5 t.", "Trucks crossed in 30 min."),
    ],
)
def test_number_that_a_summary_adds_replaces_none(claim: str, evidence: str) -> None:
    """A summary may know more of the paper than its reference says."""
    assert replaced(claim, evidence) is None


def test_table_of_numbers_has_no_neighbours_to_exchange() -> None:
    """Past 12 numbers in a sentence, what stands next to one tells nothing."""
    row = " ".join(f"{place} plots held {2 * place + 1} oaks," for place in range(11, 400))

    assert conflict(row, " ".join(reversed(row.split()))) != "swap"


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_are_compared_without_fault(one: str, other: str) -> None:
    """A summary may hold anything; what cannot be read contradicts nothing."""
    claim, evidence = read(one), [read(other)]

    find_conflict(claim, evidence)
    missing_number(claim, evidence, evidence[0].quantities)
    replaced_number(claim, evidence)


@example("noise noise faster , noise fell".split())
@given(
    st.lists(
        st.sampled_from(
            "noise ferries rose fell not no than more in lit dark streets , . 14 31 % days from to"
            " was were did differ p = 0.4 and but slower faster per hour".split()
        ),
        max_size=25,
    )
)
def test_no_sentence_contradicts_itself(words: list[str]) -> None:
    """What the source says word for word is supported, however it is worded."""
    reading = read(" ".join(words))

    assert find_conflict(reading, [reading]) is None
    assert missing_number(reading, [reading], reading.quantities) is None
