from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from summeval_pytest.reports.pair import weak_lines
from summeval_pytest.verdict.decide import PairVerdict, Shortfall
from tests.verdict.records import believed, pair

if TYPE_CHECKING:
    from summeval_pytest.record.record import PairRecord


def missing(name: str, *support: float | None, least: float = 0.6) -> PairRecord:
    """A pair that misses this threshold, with sentences believed so far."""
    verdict = PairVerdict(shortfalls=(Shortfall(name=name, value=0.5, least=least),))
    return replace(pair("moss-1", believed(*support)), verdict=verdict)


def test_supported_sentences_under_the_threshold_are_shown_weakest_first() -> None:
    """They are no findings, and the mean is low because of them; digits tell .5999 from .6."""
    assert list(weak_lines(missing("faithfulness.support", 0.9, 0.59999, 0.25, 0.6))) == [
        "",
        "supported, though by less than 0.600 of 1:",
        '   sentence 3, 0.250: "Mice 2."',
        '   sentence 2, 0.59999: "Mice 1."',
    ]


def test_no_more_than_five_are_shown() -> None:
    """A long summary must not hide its findings under what is no finding."""
    lines = list(weak_lines(missing("faithfulness.support", *[0.5] * 8)))
    assert len(lines) == 2 + 5 + 1
    assert lines[-1] == "   and 3 more"


def test_other_numbers_show_none() -> None:
    """The rate is missed by unsupported sentences, which are findings."""
    assert not list(weak_lines(missing("faithfulness", 0.5)))
    assert not list(weak_lines(missing("faithfulness.support", 0.9)))


def test_unsupported_sentences_are_left_to_their_findings() -> None:
    """Nothing is told twice."""
    record = missing("faithfulness.support", 0.5)
    score = believed(0.5)
    denied = replace(score, sentences=tuple(replace(s, supported=False) for s in score.sentences))
    assert not list(weak_lines(replace(record, scores=(denied,))))
