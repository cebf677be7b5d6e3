from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.signature import signature_of
from summeval_pytest.record.regression import Baseline, find_baseline
from tests.verdict.records import SIGNATURES, baseline, eva, faithful, pair, run, suite

if TYPE_CHECKING:
    from summeval_pytest.record.record import PairRecord, RunRecord


def one(paper: str, name: str) -> PairRecord:
    """A pair of a system."""
    return pair(paper, eva(0.5), system=name)


BOTH = (one("moss-01", "careful"), one("moss-02", "careful"), one("moss-01", "terse"))


def found(
    record: RunRecord, system: str, *, wanted: str | None = None, of: str = "golden"
) -> Baseline:
    """The baseline of one system of a suite."""
    return find_baseline(
        record, "v1.3", suite=of, system=system, wanted=wanted, option="--summ-compare"
    )


def refused(
    record: RunRecord, system: str, *, wanted: str | None = None, of: str = "golden"
) -> str:
    """The message where there is no baseline."""
    with pytest.raises(OptionError) as caught:
        found(record, system, wanted=wanted, of=of)
    return str(caught.value)


def test_a_system_is_compared_with_the_one_of_its_name() -> None:
    """Two releases of one system, whichever stands first in the saved run."""
    record = run(suite(*BOTH))
    for name, pairs in (("careful", BOTH[:2]), ("terse", BOTH[2:])):
        held = found(record, name)
        assert (held.run, held.system) == ("v1.3", name)
        assert dict(held.pairs) == {pair.paper: pair for pair in pairs}


def test_a_system_of_a_new_name_is_compared_with_the_only_one() -> None:
    """A model under test has the name of its release, which nobody has saved before."""
    assert found(run(suite(*BOTH[:2])), "llama3").system == "careful"


@pytest.mark.parametrize("system", ["careful", "terse", "llama3"])
def test_the_system_asked_for_comes_before_the_one_of_the_same_name(system: str) -> None:
    """Who names one means that one."""
    assert found(run(suite(*BOTH)), system, wanted="terse").system == "terse"


def test_a_new_name_among_several_systems_is_refused_with_what_to_type() -> None:
    """Any choice would be a guess, and a comparison with the wrong one looks like any other."""
    assert refused(run(suite(*BOTH)), "llama3") == (
        "--summ-compare: 'v1.3' has no system 'llama3'; known: careful, terse; name one of them,"
        " v1.3:SYSTEM"
    )


@pytest.mark.parametrize("pairs", [BOTH, BOTH[:2]], ids=["of several", "of one"])
def test_a_system_asked_for_that_is_not_there_is_refused(pairs: tuple[PairRecord, ...]) -> None:
    """Also where there is only one: it is not the one that was named."""
    assert refused(run(suite(*pairs)), "careful", wanted="carefull") == (
        "--summ-compare: 'v1.3' has no system 'carefull'; did you mean 'careful'?; name one of"
        " them, v1.3:SYSTEM"
    )


def test_a_saved_run_without_a_system_is_refused() -> None:
    """It holds nothing to compare with."""
    assert refused(run(suite()), "careful") == (
        "--summ-compare: 'v1.3' has no system 'careful'; none is defined; name one of them,"
        " v1.3:SYSTEM"
    )


def test_the_suite_of_the_same_name_is_meant() -> None:
    """A run over two suites has pairs of the same papers and systems in both."""
    other = pair("moss-01", eva(0.9))
    record = run(suite(*BOTH, name="golden"), suite(other, name="bronze"))
    assert dict(found(record, "careful", of="bronze").pairs) == {"moss-01": other}
    assert len(found(record, "careful", of="golden").pairs) == 2


def test_the_only_suite_is_meant_whatever_its_name() -> None:
    """A suite that was renamed is the same one; another one's signatures differ."""
    assert len(found(run(suite(*BOTH)), "careful", of="bronze").pairs) == 2


def test_an_unknown_suite_among_several_is_refused() -> None:
    """The run that was saved was another one."""
    record = run(suite(*BOTH, name="golden"), suite(*BOTH, name="bronze"))
    assert refused(record, "careful", of="golde") == (
        "--summ-compare: 'v1.3' has no suite 'golde'; did you mean 'golden'?; compare with a run"
        " of this suite"
    )
    assert refused(run(), "careful").startswith(
        "--summ-compare: 'v1.3' has no suite 'golden'; none is defined; "
    )


def test_a_baseline_is_told_by_its_run_and_system() -> None:
    """Two systems of one run are two baselines."""
    assert found(run(suite(*BOTH)), "terse").told == "v1.3 (terse)"


def test_a_baseline_has_the_recipe_of_each_metric_of_any_pair() -> None:
    """A pair that broke down early has none, and the first may be that one."""
    broken = pair("moss-01", signatures=())
    held = baseline(broken, pair("moss-02", eva(0.5)), pair("moss-03", eva(0.5), faithful(0.5)))
    assert dict(held.signatures()) == {"eva": SIGNATURES[1:2], "faithfulness": SIGNATURES[2:]}
    assert dict(baseline(broken).signatures()) == {}


def test_every_recipe_of_a_metric_is_told() -> None:
    """A run has one; a record that was put together by hand must not pass by its first pair."""
    other = signature_of("eva", judge="fair-2", suite="77be02a1c3d4")
    held = baseline(pair("moss-01", eva(0.5)), pair("moss-02", eva(0.5), signatures=(other,)))
    assert held.signatures()["eva"] == (SIGNATURES[1], other)
