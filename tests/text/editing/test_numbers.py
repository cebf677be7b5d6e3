from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.edits import change_number
from summeval_pytest.text.quantities import find_quantities
from summeval_pytest.text.sentences import split_sentences

COMPARED = "It was 11.9% in one and 31.9% in the other, 41.9% in all."
PLAIN = "We saw 48 mice. At 21 C uptake rose by 17 points."


def changed(text: str, source: str | None = None) -> str | None:
    """What is told of the edit; the text is its own source where none is given."""
    edit = change_number(text, text if source is None else source)
    return edit.told if edit else None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SSI occurred in 11.9% of patients.", '"11.9%" -> "31.9%"'),
        ("Retreat was 412 m.", '"412 m" -> "612 m"'),
        ("Yield was 92% of its start.", '"92%" -> "62%"'),
        ("A dose of 1,000 mg was given.", '"1,000 mg" -> "3,000 mg"'),
        ("The coefficient was 0.57.", '"0.57" -> "0.77"'),
        ("Gain was 2.1 x 10^28 units.", '"2.1 x 10^28" -> "4.1 x 10^28"'),
        ("It changed by -4.1 points.", '"-4.1" -> "-6.1"'),
        ("Of all mice, 5 of 6 died.", '"5" -> "2"'),
        ("Rats got 5-mg doses.", '"5-mg" -> "7-mg"'),
        ("We enrolled 312 adults.", '"312" -> "512"'),
    ],
)
def test_the_first_digit_is_changed_and_the_rest_stays(text: str, told: str) -> None:
    """Worked examples: +2, else +3, -3 and so on; 5 of 6 becomes neither 7 nor 8 of 6."""
    assert changed(text) == told


@pytest.mark.parametrize(
    "text",
    """
    It was built in 2015.
    Fig. 2 and Table 3 show it.
    COVID-19 spread.
    Patients with type 2 diabetes slept.
    Slopes differed (p < 0.05).
    The P value was 0.03.
    The ratio was above one (95% CI 0.33 to 0.96).
    It ranged (95% interval 0.08 to 0.14).
    Adults aged 18-80 took part.
    The ratio held (0.33-0.96).
    Three of nine mice slept.
    Groups were formed 1:1.
    It was (1) cheap and (2) fast.
    It was 1) cheap.
    As shown before [14].
    A 3D model and 5G links were used.
    The 3rd run failed.
    fructose 1-phosphate accumulated.
    Rule 30 was applied.
    On 12 March it rained.
    It fell per 100 shifts.
    It stayed at 100%.
    No number at all.
    """.split("\n"),
)
def test_years_labels_levels_and_bounds_are_no_figures(text: str) -> None:
    """What names a thing or bounds another figure would make no sentence clearly false."""
    assert changed(text) is None


@pytest.mark.parametrize(
    ("text", "source", "told"),
    [
        # Only a sentence that was supported can stop being so.
        ("We saw 14.2 units. We saw 37 ponds.", "There were 37 ponds.", '"37" -> "57"'),
        # A figure of a comparison, with a unit, comes before a temperature and a count.
        (PLAIN, PLAIN, '"17" -> "37"'),
        (f"{PLAIN} Wear rose by 25 mm.", f"{PLAIN} It was 25 mm.", '"25 mm" -> "45 mm"'),
        # After 31.9 and 41.9 comes 51.9; 50 and 60 min (3600 s) are both stated.
        ("It was 11.9% in one.", COMPARED, '"11.9%" -> "51.9%"'),
        ("It took 30 min.", "It took 30 min, not 50 min or 3600 s.", '"30 min" -> "10 min"'),
    ],
)
def test_a_stated_finding_is_preferred_and_becomes_one_that_is_stated_nowhere(
    text: str, source: str, told: str
) -> None:
    """Worked examples of which figure is changed, and to what."""
    assert changed(text, source) == told


@given(
    st.lists(st.integers(0, 99999), min_size=1, max_size=4),
    st.sampled_from(["{}% of mice", "{} mg of zinc", "0.{} points", "1.{} days more than", "{}"]),
    st.lists(st.integers(0, 999), max_size=6),
)
def test_a_changed_figure_is_wrong_beyond_rounding(
    values: list[int], form: str, stated: list[int]
) -> None:
    """At least a fifth away, in the same form, a possible share, and not in the source."""
    text = " ".join(f"We lost {form.format(value)} there." for value in values)
    source = f"{text} {'; '.join(map(str, stated))}"
    edit = change_number(text, source)
    if edit is None:
        return
    assert edit.sentence is not None
    old, new = (
        find_quantities(split_sentences(each)[edit.sentence].text)[0] for each in (text, edit.text)
    )
    assert (old.unit, old.decimals) == (new.unit, new.decimals)
    assert not 0.8 < abs(new.value / old.value) < 1.25
    assert new.unit != "%" or new.value <= 100 or old.value > 100
    assert not any(new.agrees_with(number) for number in find_quantities(source))
