from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from summeval_pytest.questions import DUTIES
from summeval_pytest.suite.values import ComposedSpec
from tests.suite.conftest import Golden

GPT = '[judges.gpt]\nendpoint = "openai"\nmodel = "gpt"\n'


def test_a_table_of_judges_alone_is_a_composed_judge(golden: Golden) -> None:
    """A part that is left out is the embedded judge's; a judge may be defined further down.

    All of several judges have to support a sentence, unless the table says that any will do.
    """
    golden.add(
        '[judges.gate]\nfacets = "gpt"\nx_owner = "Ada"\n'
        '[judges.all]\nfacts = "gate"\nsentences = "gpt"\n'
        '[judges.two]\nsentences = ["gpt", "offline"]\n'
        f'[judges.mild]\nsentences = ["gpt", "offline"]\nrule = "any"\n{GPT}'
    )
    judges = golden.load().judges
    both = ("gpt", "offline")
    assert list(judges) == ["gate", "all", "two", "mild", "gpt"]
    assert judges["gate"] == ComposedSpec(name="gate", facets=("gpt",))
    assert judges["all"] == ComposedSpec(name="all", facts=("gate",), sentences=("gpt",))
    assert judges["two"] == ComposedSpec(name="two", sentences=both, rule="all")
    assert judges["mild"] == ComposedSpec(name="mild", sentences=both, rule="any")
    # the facts that one judge lists are what it was tuned to check
    requested = [judges["all"].asks(duty) for duty in DUTIES]
    assert requested == [("offline",), ("gate",), ("gate",), ("gpt",)]


def test_what_is_ambiguous_or_empty_is_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """`facets` and `sentences` of a model say how it reads; the same word must not mean both."""
    tables = [
        '[judges.gate]\nfacets = "gtp"\n',
        '[judges.gate]\nfacts = "team.judges:Strict"\n',  # a suite must not run code
        '[judges.gate]\nfacets = "whole"\n',
        '[judges.gate]\nendpoint = "openai"\nmodel = "m"\nfacets = "gpt"\n',
        '[judges.gate]\nvotes = 3\nsentences = "offline"\n',
        '[judges.gate]\nendpoint = "openai"\nmodel = "m"\nfacts = 1\n',
        "[judges.gate]\nfacts = 1\n",
        '[judges.gate]\nfacets = ["gpt", "offline"]\nrule = "majority"\n',
        '[judges.gate]\nfirst = "gpt"\nthen = "gtp"\nunsure = [0.3, 0.7]\n',
        '[judges.gate]\nfirst = "gpt"\nthen = "gate"\nunsure = [0.3, 0.7]\n',
        '[judges.gate]\nfirst = "gpt"\nthen = "offline"\nunsure = [0.7, 0.3]\n',
        '[judges.gate]\nfirst = "gpt"\nthen = "offline"\nunsure = [0.3]\n',
        '[judges.gate]\nfirst = "gpt"\nunsure = [0.3, 0.7]\n',
        "[judges.gate]\n",
        '[judges.gate]\nsentences = "gate"\n',
        '[judges.gate]\nfacts = "a"\n[judges.a]\nfacets = "b"\n[judges.b]\nsentences = "a"\n',
        "[judges.gate]\nsentences = []\n",
        '[judges.gate]\nsentences = ["gpt", "gpt"]\n',
        '[judges.gate]\nsentences = ["gpt", "gtp"]\n',
        '[judges.gate]\nsentences = ["gpt", "label"]\n',
        '[judges.gate]\nsentences = ["gpt", "gate"]\n',
        '[judges.gate]\nsentences = ["gpt", "a"]\n[judges.a]\nfacets = "gpt"\n',
        '[judges.gate]\nsentences = ["gpt", "offline"]\nrule = "most"\n',
        '[judges.gate]\nsentences = "gpt"\nrule = "all"\n',
        '[judges.gate]\nrule = "all"\n',
    ]
    golden.add("# more")
    changes = [("# more\n", table + GPT) for table in tables]
    assert list(golden.mistakes("summeval.toml", changes).values()) == snapshot
