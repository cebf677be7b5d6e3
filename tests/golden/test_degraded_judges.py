"""The bundled suite as an instrument: a judge that has been spoilt on purpose is not trusted."""

from __future__ import annotations

from contextlib import closing
from functools import cache

import pytest

from summeval_pytest.judges.judge import Judge
from summeval_pytest.run.golden import golden_answers, golden_tasks
from summeval_pytest.run.runner import Runner
from summeval_pytest.verdict.policy import floors_of, read_floors
from summeval_pytest.verdict.trust import JudgeAgreement, measure_trust
from tests.golden import oracle

ORACLE = "an LLM judge"
OFFLINE = "offline"
pytestmark = pytest.mark.usefixtures("few_resamples")
ALL = {"facet_kappa", "unfaithful_recall", "unfaithful_precision"}


@cache
def measured(judge: type[Judge], kept_as: str) -> JudgeAgreement:
    """What the golden labels say of a judge, held to the floors of a name."""
    suite = oracle.golden()
    floors = floors_of(read_floors(suite, kept_as), kept_as)
    with closing(Runner(judge())) as runner:
        answers = golden_answers(runner, golden_tasks(suite))
        return measure_trust(answers, floors, judge=kept_as, labels="")


def missed(judge: type[Judge], kept_as: str) -> set[str]:
    """The names of the figures under their floors."""
    return {agreement.name for agreement, _ in measured(judge, kept_as).missed}


def test_a_judge_that_says_what_the_labels_say_is_trusted() -> None:
    """The floors can be met, and every figure of perfect agreement is 1."""
    trust = measured(oracle.Oracle, ORACLE)
    assert trust.outcome == "passed"
    assert trust.n_floors >= 12
    assert [agreement.value for agreement in trust.agreements] == pytest.approx(
        [1.0] * len(trust.agreements)
    )


@pytest.mark.parametrize(
    ("judge", "kept_as", "floor"),
    [
        # right in everything else, each is found out by the figure that its one fault moves
        (oracle.Shuffled, ORACLE, ALL),
        (oracle.AlwaysContent, ORACLE, ALL),
        # the embedded judge's own floors are low, and stand just under what it reaches
        (oracle.OfflineContent, OFFLINE, ALL),
        (oracle.OfflineNumberBlind, OFFLINE, {"unfaithful_recall.number"}),
    ],
)
def test_a_spoilt_judge_is_untrusted(judge: type[Judge], kept_as: str, floor: set[str]) -> None:
    """A floor that no spoilt judge misses would hold nobody to anything."""
    assert floor <= missed(judge, kept_as)


def test_an_oracle_blind_to_numbers_is_found_out_by_nothing_else() -> None:
    """Its recall over all errors is still 210 of 243: without a floor on the kind it would pass."""
    assert missed(oracle.IgnoresNumbers, ORACLE) == {"unfaithful_recall.number"}


def test_the_embedded_judge_misses_the_floors_of_others() -> None:
    """It is no match for a judge that reads; that it holds its own is the gate of golden."""
    assert len(missed(oracle.Remembering, ORACLE)) >= 8
