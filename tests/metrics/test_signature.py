from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summeval_pytest.metrics.facet import WEIGHTS
from summeval_pytest.metrics.score import METRICS, MetricName
from summeval_pytest.metrics.signature import Signature, read_signature, signature_of, weights_text
from summeval_pytest.questions import FACETS

AWKWARD = st.text(alphabet=st.sampled_from("|:%,.=/ \n\t\u00e9a1")) | st.text()


recipes = st.dictionaries(AWKWARD, AWKWARD, max_size=5).map(lambda d: tuple(sorted(d.items())))


signatures = st.builds(Signature, AWKWARD, recipes)


def facet_signature(judge: str = "offline-3", suite: str = "77be02a1c3d4") -> Signature:
    """A signature of the facet metric."""
    return signature_of("facet", judge=judge, suite=suite)


def test_signature_reads_as_the_module_shows_it() -> None:
    """The example is what users learn the form from."""
    text = str(facet_signature())
    assert text == (
        "facet|empty:1|judge:offline-3|norm:1|references:best|split:2|suite:77be02a1c3d4|v:3"
        "|weights:.1,.3,.3,.3"
    )
    shown = import_module("summeval_pytest.metrics.signature").__doc__
    assert text in (shown or "")


@pytest.mark.parametrize(
    ("metric", "keys"),
    [
        ("facet", "empty judge norm references split suite v weights"),
        ("eva", "judge norm premises recall references split suite unanswered v"),
        ("faithfulness", "judge min_chars norm split suite unanswered v"),
    ],
)
def test_recipe_names_all_that_can_move_the_number(metric: MetricName, keys: str) -> None:
    """A key that is missing lets two numbers be compared that should not be."""
    signature = signature_of(metric, judge="a", suite="b")
    assert signature.metric == metric
    assert [key for key, _ in signature.recipe] == keys.split()


def test_a_variant_stands_in_place_of_the_default_or_beside_it() -> None:
    """A comparison that is refused names the very key."""
    plain = signature_of("eva", judge="a", suite="b")
    other = signature_of("eva", judge="a", suite="b", variant={"premises": "3", "chains": "c"})
    assert plain.differing(other) == ("chains", "premises")
    assert dict(other.recipe)["premises"] == "3"
    assert [key for key, _ in other.recipe] == sorted(key for key, _ in other.recipe)


@pytest.mark.parametrize(
    ("changed", "keys"),
    [
        ({}, ()),
        ({"judge": "gpt"}, ("judge",)),
        ({"suite": "0" * 12}, ("suite",)),
        ({"judge": "gpt", "suite": "0" * 12}, ("judge", "suite")),
    ],
)
def test_differing_names_the_keys(changed: dict[str, str], keys: tuple[str, ...]) -> None:
    """A refused comparison says why it was refused."""
    assert facet_signature().differing(facet_signature(**changed)) == keys
    assert facet_signature(**changed).differing(facet_signature()) == keys


@pytest.mark.parametrize("metric", METRICS)
def test_our_own_signatures_round_trip(metric: MetricName) -> None:
    """A baseline stores the string, and the next release reads it."""
    signature = signature_of(metric, judge="gpt|temp:0 (5 votes)", suite="77be02a1c3d4")
    assert read_signature(str(signature)) == signature


@given(signatures)
@example(Signature("a|b", (("c:d", "e|f:g"),)))
@example(Signature("", (("", ""),)))
@example(Signature("%7C", (("%3A", "%"),)))
def test_every_signature_round_trips(signature: Signature) -> None:
    """A judge's name may hold any character; sacreBLEU splits at a colon that a value may hold."""
    assert read_signature(str(signature)) == signature


@given(signatures, signatures)
def test_two_signatures_that_differ_read_differently(one: Signature, other: Signature) -> None:
    """Two recipes with one string could not be told apart."""
    assert (str(one) == str(other)) == (one == other)


def test_part_without_a_value_is_refused() -> None:
    """A cut line of a file is no signature."""
    with pytest.raises(ValueError, match="has no value") as error:
        read_signature("facet|judge:offline-3|weig")
    assert str(error.value) == (
        "'weig' in signature 'facet|judge:offline-3|weig' has no value; it reads key:value"
    )


def weighed(*weights: float) -> str:
    """The recipe of these weights, in reading order."""
    return weights_text(dict(zip(FACETS, weights, strict=True)))


def test_weights_read_as_shares_of_their_sum() -> None:
    """Worked example: 1, 3, 3, 3 are .1, .3, .3, .3 of 10; thirds are cut to six digits."""
    assert weights_text(WEIGHTS) == weighed(1, 3, 3, 3) == ".1,.3,.3,.3"
    assert weighed(1, 1, 1, 1) == ".25,.25,.25,.25"
    assert weighed(0, 1, 1, 1) == "0,.333333,.333333,.333333"
    assert weighed(0, 0, 2, 0) == "0,0,1,0"


@given(st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any), st.integers(1, 1000))
def test_only_the_ratios_of_weights_are_in_the_recipe(weights: list[int], times: int) -> None:
    """Law: FM divides by their sum, so a multiple of them gives the same number."""
    text = weighed(*weights)
    assert weighed(*(weight * times for weight in weights)) == text
    shares = [float(share) for share in text.split(",")]
    assert shares == pytest.approx([weight / sum(weights) for weight in weights], abs=1e-6)
