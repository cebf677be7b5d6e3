from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.questions import DUTIES
from summeval_pytest.suite.values import CheckerSpec, ComposedSpec

if TYPE_CHECKING:
    from tests.suite.conftest import Golden

GPT = '[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\n'


def add(golden: Golden, tables: str) -> None:
    """Write more tables into the suite file."""
    golden.spoil("summeval.toml", "[thresholds]\n", f"{tables}\n[thresholds]\n")


def test_a_table_of_judges_alone_is_a_composed_judge(golden: Golden) -> None:
    """A part that is left out is the embedded judge's; a judge may be defined further down."""
    add(
        golden,
        '[judges.gate]\nfacets = "gpt"\nx_owner = "Ada"\n'
        f'[judges.all]\nfacts = "gate"\nsentences = "gpt"\n{GPT}',
    )
    judges = golden.load().judges
    assert list(judges) == ["gate", "all", "gpt"]
    assert judges["gate"] == ComposedSpec(name="gate", facets="gpt")
    assert judges["all"] == ComposedSpec(name="all", facts="gate", sentences="gpt")
    assert judges["all"] != judges["gate"]


def test_who_lists_facts_is_who_checks_them() -> None:
    """The facts that one judge lists are what it was tuned to check."""
    spec = ComposedSpec(name="gate", facets="one", facts="two", sentences="three")
    asked = [spec.asks(duty) for duty in DUTIES]
    assert asked == ["one", "two", "two", "three"]


def test_a_checker_is_a_folder_beside_the_suite(golden: Golden) -> None:
    """It checks facts and sentences itself; who lists facts and rates facets can be named."""
    (golden.path / "models" / "mini").mkdir(parents=True)
    add(
        golden,
        '[judges.mini]\nchecker = "models/mini"\nfacets = "gpt"\n'
        '[judges.big]\nchecker = "owner/name"\nsupported = 1\nthreshold = 0.7\nwindow = 2048\n'
        f'joined = true\ndevice = "cuda:1"\nfacts = "gpt"\n{GPT}',
    )
    judges = golden.load().judges
    mini, big = judges["mini"], judges["big"]
    folder = str((golden.path / "models" / "mini").absolute())
    assert mini == CheckerSpec(name="mini", folder=folder, facets="gpt")
    assert big == CheckerSpec(
        name="big",
        folder="owner/name",  # this machine's to know
        supported=1,
        threshold=0.7,
        window=2048,
        joined=True,
        device="cuda:1",
        facts="gpt",
    )
    assert isinstance(big, CheckerSpec)
    assert [big.asks(duty) for duty in DUTIES] == ["offline", "gpt", "big", "big"]


A_MODEL = (
    "makes it a model of its own; write two tables, one of them with no key but 'facets', 'facts',"
    " 'sentences'"
)
A_WAY = (
    "a way in which a model is asked, and there is no model; add 'endpoint' and 'model', or name"
    " the judge to ask, as in"
)


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        (
            '[judges.gate]\nfacets = "gtp"\n',
            "14: 'facets' of judge 'gate' names the unknown judge 'gtp'; did you mean 'gpt'?",
        ),
        (
            '[judges.gate]\nfacts = "team.judges:Strict"\n',  # a suite must not run code
            (
                "14: 'facts' of judge 'gate' names the unknown judge 'team.judges:Strict'; known:"
                " gate, gpt, offline"
            ),
        ),
        (
            '[judges.gate]\nfacets = "whole"\n',
            f"14: 'facets' of judge 'gate' is 'whole', {A_WAY} facets = 'offline'",
        ),
        (
            '[judges.gate]\nsentences = "label"\n[judges.label]\nfacts = "gpt"\n',
            (
                f"14: 'sentences' of judge 'gate' is 'label', {A_WAY} sentences = 'offline', and"
                " rename the judge 'label'"
            ),
        ),
        (
            '[judges.gate]\nendpoint = "openai"\nmodel = "m"\nfacets = "gpt"\n',
            f"16: 'facets' of judge 'gate' names a judge to ask, and 'endpoint' {A_MODEL}",
        ),
        (
            '[judges.gate]\nvotes = 3\nsentences = "offline"\n',
            f"15: 'sentences' of judge 'gate' names a judge to ask, and 'votes' {A_MODEL}",
        ),
        (
            '[judges.gate]\nendpoint = "openai"\nmodel = "m"\nfacts = 1\n',
            f"16: 'facts' of judge 'gate' names a judge to ask, and 'endpoint' {A_MODEL}",
        ),
        ("[judges.gate]\nfacts = 1\n", "14: 'facts' of judge 'gate' is 1; write a text"),
        (
            '[judges.gate]\nfacets = ["gpt"]\n',
            "14: 'facets' of judge 'gate' is a list of 1; write a text",
        ),
        (
            "[judges.gate]\n",
            "13: judge 'gate' has no 'endpoint'; add the key with a text",
        ),
        (
            '[judges.gate]\nsentences = "gate"\n',
            "13: judge 'gate' asks itself: gate -> gate; name another judge in one of these tables",
        ),
        (
            '[judges.gate]\nfacts = "a"\n[judges.a]\nfacets = "b"\n[judges.b]\nsentences = "a"\n',
            "15: judge 'a' asks itself: a -> b -> a; name another judge in one of these tables",
        ),
        (
            '[judges.gate]\nchecker = "mini"\nfacts = "gate"\n',
            "13: judge 'gate' asks itself: gate -> gate; name another judge in one of these tables",
        ),
        (
            '[judges.gate]\nchecker = "mini"\nfacets = "whole"\n',
            (
                "15: 'facets' of judge 'gate' names the unknown judge 'whole'; known: gate, gpt,"
                " offline"
            ),
        ),
        (
            '[judges.gate]\nchecker = "mini"\nsupported = true\n',
            "15: 'supported' of judge 'gate' is true; write a label of the model, or its number",
        ),
        (
            '[judges.gate]\nchecker = "mini"\ndevice = "CUDA 0"\n',
            (
                "15: 'device' of judge 'gate' is 'CUDA 0'; write \"cpu\", \"auto\" or a device"
                ' of torch such as "cuda:0"'
            ),
        ),
        (
            '[judges.gate]\nchecker = "mini"\nthreshold = 1.5\n',
            "15: 'threshold' of judge 'gate' is 1.5; write a number from 0 to 1",
        ),
        (
            '[judges.gate]\nchecker = "../mini"\n',
            (
                "14: '../mini' leads out of the suite's folder, as a path or by a link; move it in,"
                " or add --summ-allow-outside if you trust the suite"
            ),
        ),
        (
            '[judges.gate]\nfacts = "r"\n[judges.r]\nrecorded = "GPT-4"\nsegments = "GPT-4"\n',
            (
                "14: 'facts' of judge 'gate' names 'r', whose records hold facets and nothing else;"
                " name another judge"
            ),
        ),
    ],
)
def test_what_is_ambiguous_or_asks_nobody_is_refused(
    golden: Golden, tables: str, told: str
) -> None:
    """`facets` and `sentences` of a model say how it reads; the same word must not mean both."""
    add(golden, tables + GPT)
    assert golden.mistake() == f"golden/summeval.toml:{told}"
