from __future__ import annotations

from dataclasses import replace

from summeval_pytest.endpoints.spending import ModelSeen
from summeval_pytest.reports.run import changed_model_lines, model_lines, models_told
from tests.reports.test_comparison import HOSTILE, harmless

ALIAS = ModelSeen(
    endpoint="openai", asked="gpt-4o", returned="gpt-4o-2024-08-06", fingerprint="fp_a",
    n_replies=120,
)  # fmt: skip
PINNED = ModelSeen(
    endpoint="openai", asked="gpt-4o-2024-08-06", returned="gpt-4o-2024-08-06", fingerprint="fp_a",
    n_replies=3,
)  # fmt: skip


def test_nothing_is_said_of_models_that_reply_as_themselves() -> None:
    """Nor of an alias that has come back as one model all the time."""
    assert list(model_lines(())) == []
    assert list(model_lines((ALIAS, PINNED))) == []


def test_a_swapped_model_is_a_warning() -> None:
    """With both names, and how many of the replies it was."""
    swapped = replace(PINNED, returned="gpt-4o-2024-11-20", is_other=True, n_replies=1)
    assert " ".join(model_lines((swapped,))) == (
        "warning: the pinned model 'gpt-4o-2024-08-06' at openai replied as"
        "   'gpt-4o-2024-11-20' (1 reply); in CI that is an error"
    )


def test_several_configurations_of_a_model_are_a_note() -> None:
    """Half of a run may be from a cassette, and of other weights than the other half."""
    later = replace(ALIAS, fingerprint="fp_b", n_replies=7)
    assert list(model_lines((later, ALIAS))) == [
        "note: replies of 'gpt-4o' at openai are of several fingerprints: fp_a (120),",
        "  fp_b (7)",
    ]
    moved = replace(later, returned="gpt-4o-2024-11-20")
    assert list(model_lines((ALIAS, moved))) == [
        "note: replies of 'gpt-4o' at openai are of several models: gpt-4o-2024-08-06",
        "  (120), gpt-4o-2024-11-20 (7)",
    ]


def test_another_name_or_fingerprint_than_before_is_a_note() -> None:
    """Of models that both runs asked; counts are no change."""
    same = replace(ALIAS, n_replies=1)
    assert not list(changed_model_lines((ALIAS, PINNED), (same,)))
    assert list(changed_model_lines((ALIAS,), (replace(ALIAS, fingerprint="fp_b"),))) == [
        "note: 'gpt-4o' at openai had fingerprint fp_a then, has fp_b now"
    ]
    moved = replace(ALIAS, returned="gpt-4o-2024-11-20", fingerprint="")
    assert list(changed_model_lines((ALIAS,), (moved,))) == [
        "note: 'gpt-4o' at openai replied as gpt-4o-2024-08-06 then, as gpt-4o-2024-11-20",
        "  now",
    ]


def test_every_model_is_told_on_a_line() -> None:
    """As it was asked for, as it replied, and how often."""
    silent = ModelSeen(endpoint="here", asked="rule-1", returned="", fingerprint="", n_replies=1)
    assert list(models_told((PINNED, silent, ALIAS))) == [
        "'rule-1' at here as no name: 1 reply",
        "'gpt-4o' at openai as gpt-4o-2024-08-06, fingerprint fp_a: 120 replies",
        "'gpt-4o-2024-08-06' at openai, fingerprint fp_a: 3 replies",
    ]


def test_names_from_an_endpoint_command_nobody() -> None:
    """They come from outside, as summaries do."""
    bad = ModelSeen(
        endpoint=HOSTILE, asked=HOSTILE, returned=f"{HOSTILE}2", fingerprint=HOSTILE, is_other=True
    )
    other = replace(bad, fingerprint=f"{HOSTILE}3")
    lines = [*model_lines((bad, other)), *models_told((bad,)), *changed_model_lines([bad], [other])]
    assert len(harmless(lines)) > 3
