from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.conflict import Conflict
from summeval_pytest.judges.offline.conflicts import find_conflict
from summeval_pytest.judges.offline.number_conflicts import missing_number, replaced_number
from summeval_pytest.judges.offline.reading import read


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
    ],
)
def test_rounded_converted_or_spelled_number_is_not_missing(claim: str, evidence: str) -> None:
    """The same quantity may be written in many ways."""
    assert missing(claim, evidence) is None


@pytest.mark.parametrize(
    ("claim", "evidence", "message"),
    [
        ("The dose was 2 g.", "The dose was 2 mg.", "number: '2 g' against '2 mg'"),
        (
            "The yield was 12.34%.",
            "The yield was 12.3%.",
            "number: '12.34 %' against '12.3 %'",
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


def test_round_number_has_to_stand_in_the_evidence_itself() -> None:
    """A "12" elsewhere in a paper is chance, a "1,204" is not."""
    everywhere = read("We tagged 12 geese and 1,204 ducks.").quantities
    evidence = [read("Swans were tagged.")]

    assert missing_number(read("Of swans, 12 were tagged."), evidence, everywhere)
    assert missing_number(read("Of swans, 1,204 were tagged."), evidence, everywhere) is None


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
