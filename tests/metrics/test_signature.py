from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summeval_pytest.metrics import signature
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.facet import WEIGHTS
from summeval_pytest.metrics.number import MetricName
from summeval_pytest.metrics.signature import Signature, read_signature, signature_of, weights_text
from summeval_pytest.questions import FACETS

AWKWARD = st.text("|:%,.=/ \n\t\u00e9a1", max_size=9) | st.text(max_size=9)
recipes = st.dictionaries(AWKWARD, AWKWARD, max_size=3).map(lambda d: tuple(sorted(d.items())))
signatures = st.builds(Signature, AWKWARD, recipes)
TEXTS: dict[MetricName, str] = {
    "facet": "empty:1|judge:offline-8|norm:5|references:best|split:5|suite:77be|v:4"
    "|weights:.1,.3,.3,.3",
    "eva": "judge:offline-8|norm:5|premises:all|recall:matched|references:best|split:5|suite:77be"
    "|unanswered:0.05|v:4",
    "faithfulness": "judge:offline-8|min_chars:5|norm:5|split:5|suite:77be|unanswered:0.05|v:4",
}


@pytest.mark.parametrize("metric", METRICS)
def test_a_signature_names_all_that_can_move_the_number(metric: MetricName) -> None:
    """Byte by byte: baselines store it. The module shows the first, from which users learn."""
    text = f"{metric}|{TEXTS[metric]}"
    assert str(signature_of(metric, judge="offline-8", suite="77be")) == text
    display = (signature.__doc__ or "").replace("77be02a1c3d4", "77be")
    assert metric != "facet" or text in display


@pytest.mark.parametrize(
    ("judge", "suite", "variant", "keys"),
    [
        ("a", "b", {}, ()),
        ("gpt", "b", {}, ("judge",)),
        ("gpt", "c", {}, ("judge", "suite")),
        # a variant stands in place of the default or beside it
        ("a", "b", {"premises": "3", "chains": "c"}, ("chains", "premises")),
    ],
)
def test_differing_names_the_keys(
    judge: str, suite: str, variant: dict[str, str], keys: tuple[str, ...]
) -> None:
    """A refused comparison says why it was refused, whichever is asked."""
    plain = signature_of("eva", judge="a", suite="b")
    other = signature_of("eva", judge=judge, suite=suite, variant=variant)
    assert plain.differing(other) == other.differing(plain) == keys
    assert variant.items() <= dict(other.recipe).items()
    assert list(other.recipe) == sorted(other.recipe)
    assert "metric" in other.differing(signature_of("facet", judge=judge, suite=suite))


@given(signatures)
@example(Signature("a|b", (("c:d", "e|f:g"),)))
@example(Signature("", (("", ""),)))
@example(Signature("%7C", (("%3A", "%"),)))
def test_every_signature_round_trips_in_one_line_of_ascii(one: Signature) -> None:
    """A judge's name may hold any character; sacreBLEU splits at a colon that a value may hold."""
    text = str(one)
    assert read_signature(text) == one
    assert text.isascii()
    assert text.isprintable()


def test_part_without_a_value_is_refused() -> None:
    """A cut line of a file is no signature."""
    with pytest.raises(ValueError, match="has no value") as error:
        read_signature("facet|judge:offline-8|weig")
    assert str(error.value) == (
        "'weig' in signature 'facet|judge:offline-8|weig' has no value; it reads key:value"
    )


@given(st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any), st.integers(1, 1000))
@example([1, 3, 3, 3], 1)
def test_only_the_ratios_of_weights_are_in_the_recipe(weights: list[int], times: int) -> None:
    """Law: FM divides by their sum, so a multiple of them gives the same number."""
    text = weights_text(dict(zip(FACETS, weights, strict=True)))
    more = [weight * times for weight in weights]
    assert weights_text(dict(zip(FACETS, more, strict=True))) == text
    shares = [float(share) for share in text.split(",")]
    assert shares == pytest.approx([weight / sum(weights) for weight in weights], abs=1e-6)
    assert weights_text(WEIGHTS) == ".1,.3,.3,.3"
