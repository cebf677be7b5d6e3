from __future__ import annotations

from summeval_pytest.judges.training.conflicts import change_unit, is_flagged, planted, shares

SOURCE = (
    "We watched gulls on the old pier for 14 weeks.",
    "Gull counts rose by 31% after the lamps were dimmed.",
    "The ferry was painted in spring.",
)


def test_each_kind_of_error_is_planted_and_seen() -> None:
    """One edit of each kind that the sentences offer a place for, each of them a conflict."""
    cases = [case for sentence in SOURCE[:2] for case in planted(sentence, SOURCE)]

    assert {kind for kind, _, _ in cases} == {"number", "negation", "direction", "unit"}
    found = shares(cases)
    assert all(found[kind][0] == found[kind][1] for kind in ("number", "direction", "unit")), found


def test_faithful_sentence_is_not_flagged() -> None:
    """A share of flags means something only beside the false alarms."""
    assert not is_flagged("After lamps were dimmed, gull counts were 31% higher.", SOURCE)
    assert not is_flagged(SOURCE[0], SOURCE)


def test_unit_is_changed_once() -> None:
    """One error a sentence, so that it is known which one is seen."""
    assert change_unit("for 14 weeks and 3 weeks") == "for 14 months and 3 weeks"
    assert change_unit("no unit") is None
