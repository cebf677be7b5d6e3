from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest

from summeval_pytest import questions as q
from summeval_pytest.errors import OptionError, searched
from summeval_pytest.judges.composed import ComposedJudge, Panel, signature_for
from summeval_pytest.judges.judge import Counting, Judge, find_judge, is_local
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.study.baselines import CountFacts, RateSummary
from summeval_pytest.study.eva.relations import ListRelations

TEAM = """
class Strict:
    signature = "strict-7"
    in_flight = 4

    async def answer(self, questions):
        return ()

def make():
    return Strict()

ready = Strict()
number = 3

def broken():
    return "no judge"

def needy(key):
    return Strict()

def poor():
    raise OSError("no licence file")
"""


@pytest.fixture(autouse=True)
def _team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An importable module with a team's own judge in three forms."""
    (tmp_path / "team_judges.py").write_text(TEAM, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "team_judges", raising=False)


@pytest.mark.parametrize("attribute", ["Strict", "make", "ready"])
def test_own_judge_is_a_class_a_function_or_an_object(attribute: str) -> None:
    """Whichever a team has at hand will do; the default needs no key and no network."""
    judge = find_judge(f"team_judges:{attribute}")
    assert (judge.signature, judge.in_flight) == ("strict-7", 4)
    assert find_judge(q.OFFLINE) == OfflineJudge()


@pytest.mark.parametrize(
    ("names", "local"),
    [
        ("offline team_judges:Strict no_such_package.judges:Own no_such_package.judges:make", True),
        ("ofline gpt-4o panel llama3.1 mistral:latest qwen2.5:7b gpt-oss:20b", False),
        ("mistral:Q4_K_M code:latest random:text folder:Q8_0 no_such_module:Own", False),
        ("org/model:Q4_K_M team_judges: :Own team_judges:make", False),
        # a judge's module may be slow to import, and a script's has no specification
        ("this:Zen script:Judge", True),
    ],
)
def test_a_judge_in_this_process_is_reported_by_its_name(
    names: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, local: bool
) -> None:
    """A model's tag follows a colon as well, and Python has a module called ``code``."""
    (tmp_path / "folder").mkdir()
    monkeypatch.setitem(sys.modules, "script", ModuleType("script"))
    assert [is_local(name) for name in names.split()] == [local] * len(names.split())
    assert not is_local("")
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("team_judges:Missing", "module 'team_judges' has no attribute 'Missing'"),
        ("team_judges:", "module 'team_judges' has no attribute ''"),
        ("team_judges:number", "TypeError: 'int' object is not callable"),
        ("team_judges:needy", "TypeError: needy() missing 1 required positional argument: 'key'"),
        ("team_judges:poor", "OSError: no licence file"),
        (
            "no_such_package.judges:Own",
            f"No module named 'no_such_package'{searched(ModuleNotFoundError())}",
        ),
        (":Own", "ValueError: Empty module name"),
    ],
)
def test_judge_that_cannot_be_made_is_a_usage_error(name: str, message: str) -> None:
    """It is the user's to mend, and a crash of pytest would not say so; so of another object."""
    with pytest.raises(OptionError) as caught:
        find_judge(name)
    assert str(caught.value) == (
        f"no judge {name!r}: {message}; name it package.module:Class, or define a model of this"
        f' name as [judges."{name}"] in the suite'
    )
    with pytest.raises(OptionError) as caught:
        find_judge("team_judges:broken")
    assert str(caught.value) == (
        "'team_judges:broken' is no judge: it needs a signature, in_flight (1 or more) and answer()"
    )


@dataclass(eq=False)
class Named:
    """A judge that answers with its name, and keeps what it was asked."""

    signature: str
    in_flight: int = 1
    received: list[tuple[q.Question, ...]] = field(default_factory=list)

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """Its name and the number of the question."""
        self.received.append(questions)
        return tuple(q.Unanswered(f"{self.signature} {n}") for n, _ in enumerate(questions))


class Prompted(Named):
    """One that counts its replies."""

    def counts(self) -> Mapping[str, float]:
        """One more for each time it was asked."""
        return {"n_replies": len(self.received)}


EACH: tuple[q.Question, ...] = (
    q.CheckSentences((), ()),
    q.SegmentFacets(""),
    q.CheckFacts((), ()),
    q.ListFacts(()),
    q.RateFacets(()),
    CountFacts("", ""),
    RateSummary("", ""),
    ListRelations(""),
)
"""One question of each kind."""


def test_each_question_goes_to_its_judge_and_answers_keep_their_order() -> None:
    """An answer in another place would be another question's."""
    a, b, c = Named("a", 2), Named("b", 9), Named("c")
    judge = ComposedJudge({"facets": a, "listing": b, "facts": b, "sentences": c})
    assert isinstance(judge, Judge)
    answers = asyncio.run(judge.answer(EACH))
    order = ("c 0", "a 0", "b 0", "b 0", "a 1", "b 1", "a 2", "b 2")
    assert answers == tuple(map(q.Unanswered, order))
    assert len(a.received) == len(c.received) == 1
    assert asyncio.run(judge.answer(())) == ()
    assert judge.in_flight == 9


def test_the_signature_says_who_answers_what() -> None:
    """A number's recipe holds who gave it, and nobody else: it compares with that judge's own."""
    a, b, c, d = (Named(name) for name in "abcd")
    judge = ComposedJudge({"facets": a, "listing": b, "facts": b, "sentences": c})
    assert judge.signature == "facets=(a) facts=(b) sentences=(c)"
    assert signature_for(judge, ("facets",)) == "a"
    assert signature_for(judge, ("listing", "facts")) == "b"
    apart = ComposedJudge({"facets": a, "listing": d, "facts": b, "sentences": c})
    assert apart.signature == "facets=(a) listing=(d) facts=(b) sentences=(c)"
    assert signature_for(apart, ("listing", "facts")) == "listing=(d) facts=(b)"
    both = ComposedJudge({"facets": a, "listing": a, "facts": b, "sentences": b})
    assert both.signature == "facets+listing=(a) facts+sentences=(b)"
    assert signature_for(a, q.DUTIES) == "a"


@pytest.mark.parametrize(("rule", "support"), [("all", 0.1), ("any", 0.4)])
def test_a_conflict_of_one_judge_is_not_lost(rule: Literal["all", "any"], support: float) -> None:
    """A gate on conflicts would pass where the judge that sees none is named first."""
    mild = q.SentenceCheck(reason="mild", supported=False, support=0.4)
    seen = replace(mild, reason="seen", support=0.1, conflict=True, undecided=True)
    for checks in permutations((mild, seen)):
        check = Panel((), rule)._item(checks)
        assert check == replace(seen, reason=checks[0].reason, support=support)
    unsaid = Panel((), rule)._item((mild, replace(seen, support=None)))
    assert isinstance(unsaid, q.SentenceCheck)
    assert unsaid.support is None


def test_a_judge_that_fails_a_whole_question_is_silent_about_each_sentence() -> None:
    """The other judge may still decide, if it has seen the conflict: then nothing is open."""
    no, yes = (q.SentenceCheck(reason="", supported=supported) for supported in (False, True))
    broken, panel, worst = q.Unanswered("broken"), Panel((), "all"), replace(no, conflict=True)
    given = q.SentenceChecks((no, yes, worst))
    answer = panel._answer(q.CheckSentences(("a", "b", "c"), ()), (broken, given))
    assert answer == q.SentenceChecks((broken, broken, worst))
    strange = panel._answer(q.CheckSentences(("a",), ()), (q.FacetSegments(),))
    assert strange == q.SentenceChecks((q.Unanswered("an answer to others came"),))


def test_all_judges_of_a_panel_are_asked_and_each_counts_once() -> None:
    """One of them may rate facets, too; a judge without counts is left out of them."""
    a, b = Prompted("a"), Prompted("b", 7)
    panel = Panel((a, b), "all")
    assert panel.in_flight == 7
    judge = ComposedJudge({"facets": a, "listing": Named("n"), "facts": a, "sentences": panel})
    assert isinstance(judge, Counting)
    answers = asyncio.run(judge.answer((q.CheckSentences(("s",), ()), q.SegmentFacets(""))))
    assert answers == (q.SentenceChecks((q.Unanswered("a 0"),)), q.Unanswered("a 0"))
    assert judge.counts() == {"n_replies": 2 + 1}
    assert judge.signature == "facets+facts=(a) listing=(n) sentences=(all(a, b))"
