from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.run.roles import Roles
from summeval_pytest.suite.values import JudgeSpec
from tests.asked_suite import PRICES, loaded, write_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from summeval_pytest.endpoints.chat import ChatReply, ChatRequest
    from summeval_pytest.endpoints.client import Sender
    from summeval_pytest.endpoints.endpoint import Address, Price
    from summeval_pytest.suite.suite import Suite

URL = "http://127.0.0.1:9/v1"


class Connections:
    """Connects to nobody, and keeps who was to be connected."""

    def __init__(self) -> None:
        self.made: list[tuple[Address, Price | None]] = []

    def line(self, address: Address, price: Price | None) -> Sender:
        """A sender that nobody uses."""
        self.made.append((address, price))
        return Deaf()


class Deaf:
    """Sends nothing."""

    async def send(self, request: ChatRequest) -> ChatReply:
        """Nothing."""
        raise AssertionError(request)

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        """Nothing."""
        raise AssertionError(said, why)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite with a judge."""
    return loaded(write_suite(tmp_path / "kilns", URL, judge=f"votes = 3\n{PRICES}"))


@pytest.fixture
def other(tmp_path: Path) -> Suite:
    """A suite that says the same of its judge and another thing of its endpoint."""
    url = "http://127.0.0.1:10/v1"
    return loaded(write_suite(tmp_path / "roofs", url, judge=f"votes = 3\n{PRICES}"))


def refusal(doing: Callable[[], object]) -> str:
    """What the user is told."""
    with pytest.raises(OptionError) as caught:
        doing()
    return str(caught.value)


def test_judge_of_a_suite_is_as_it_says(suite: Suite) -> None:
    """Model, endpoint, price and votes."""
    roles, lines = Roles(environ={}, endpoint="openai"), Connections()
    spec = roles.judge_spec("rule", [suite])
    judge = roles.judge(spec, [suite], lines)
    assert spec == suite.judges["rule"]
    assert judge.signature.startswith("rule-1 at=here temp=0 prompt=")
    assert judge.signature.endswith(" votes=3 calls=batched")
    ((address, price),) = lines.made
    assert address.endpoint.base_url == URL
    assert price is spec.price
    assert price is not None
    assert (price.input, price.output) == (1000.0, 2000.0)


def test_votes_of_the_command_line_go_before_the_suites(suite: Suite) -> None:
    """A suite's number is its default."""
    roles = Roles(environ={}, votes=1, in_flight=7)
    judge = roles.judge(suite.judges["rule"], [suite], Connections())
    assert " votes=1 " in judge.signature
    assert judge.in_flight == 7


def test_judge_may_ask_item_by_item(tmp_path: Path) -> None:
    """As the papers did; its numbers are not those of a judge that asks in batches."""
    suite = loaded(write_suite(tmp_path / "kilns", URL, judge="batched = false"))
    judge = Roles(environ={}).judge(suite.judges["rule"], [suite], Connections())
    assert judge.signature.endswith(" calls=single")


@pytest.mark.parametrize(
    ("written", "pinned"), [("", None), ("pinned = true", True), ("pinned = false", False)]
)
def test_judge_is_held_to_its_name_as_the_suite_says(
    tmp_path: Path, written: str, pinned: bool | None
) -> None:
    """A model under test is not: its swap is a change of the system, which the gate judges."""
    suite = loaded(write_suite(tmp_path / "kilns", URL, judge=written))
    roles, lines = Roles(environ={}), Connections()
    roles.judge(suite.judges["rule"], [suite], lines)
    roles.sender(suite, suite.systems["writer"], lines)
    assert [address.pinned for address, _ in lines.made] == [pinned, False]


@pytest.mark.parametrize(
    ("endpoint", "environ", "place"),
    [
        (None, {}, "openai"),
        (None, {"OPENAI_BASE_URL": "http://gate/v1"}, "openai"),
        ("http://typed/v1", {"OPENAI_BASE_URL": "http://gate/v1"}, "http://typed/v1"),
    ],
)
def test_judge_that_no_suite_defines_is_a_model(
    suite: Suite, endpoint: str | None, environ: dict[str, str], place: str
) -> None:
    """Its name is the endpoint's name for it."""
    roles = Roles(environ=environ, endpoint=endpoint)
    expected = JudgeSpec(name="gpt-9", endpoint=place, model="gpt-9")
    assert roles.judge_spec("gpt-9", [suite]) == expected


@pytest.mark.parametrize("name", ["ofline", "offlin", "offline2"])
def test_misspelt_offline_is_no_model(name: str) -> None:
    """Nobody would want to pay for it."""
    told = refusal(lambda: Roles(environ={}).judge_spec(name, []))
    assert told == f"no judge {name!r}; did you mean 'offline'?"


def test_suites_that_agree_on_a_judge_share_it(suite: Suite, other: Suite) -> None:
    """The same words in two files are one judge."""
    assert Roles(environ={}).judge_spec("rule", [suite, other]) == suite.judges["rule"]


def test_suites_that_disagree_on_a_judge_are_refused(tmp_path: Path, suite: Suite) -> None:
    """One run has one judge, and nobody could say which."""
    other = loaded(write_suite(tmp_path / "roofs", URL, judge="votes = 5"))
    assert refusal(lambda: Roles(environ={}).judge_spec("rule", [suite, other])) == (
        "two suites of this run define judge 'rule' differently; gate them one by one, or rename"
        " one of the two"
    )


def test_suites_that_disagree_on_an_endpoint_are_refused(suite: Suite, other: Suite) -> None:
    """The judge would be at two places."""
    roles = Roles(environ={})
    told = refusal(lambda: roles.judge(suite.judges["rule"], [suite, other], Connections()))
    assert told.startswith("two suites of this run define endpoint 'here' differently; ")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("rul", " (a judge of the suite? did you mean 'rule'?)"),
        ("gpt-9", ""),
        ("rule", ""),
    ],
)
def test_name_like_a_judge_of_the_suite_is_hinted_at(suite: Suite, name: str, hint: str) -> None:
    """It is said where the model cannot be asked, as it may be meant as it is written."""
    roles, lines = Roles(environ={}), Connections()
    roles.judge(roles.judge_spec(name, [suite]), [suite], lines)
    ((address, _),) = lines.made
    assert address.hint == hint


@pytest.mark.parametrize(
    ("endpoint", "environ", "place"),
    [
        (None, {}, "ollama"),
        (None, {"OPENAI_BASE_URL": "http://gate/v1"}, "openai"),
        ("here", {}, "here"),
    ],
)
def test_system_that_no_suite_defines_is_a_model(
    endpoint: str | None, environ: dict[str, str], place: str
) -> None:
    """Without a word on where it is it is on this machine."""
    spec = Roles(environ=environ, endpoint=endpoint).system_spec("llama3")
    assert (spec.name, spec.model, spec.endpoint) == ("llama3", "llama3", place)
    assert str(spec.place) == "--summ-model=llama3"
    assert spec.price is None


def test_model_under_test_is_asked_where_its_suite_says(suite: Suite, other: Suite) -> None:
    """Two suites may have an endpoint of one name at two places."""
    roles, lines = Roles(environ={}), Connections()
    for one in (suite, other):
        roles.sender(one, one.systems["writer"], lines)
    urls = [address.endpoint.base_url for address, _ in lines.made]
    assert urls == [URL, "http://127.0.0.1:10/v1"]


def test_recorded_system_has_no_sender(suite: Suite) -> None:
    """Nobody is asked for what stands in a file."""
    with pytest.raises(AssertionError, match="recorded summaries are asked of nobody"):
        Roles(environ={}).sender(suite, suite.systems["good"], Connections())


def test_judge_rates_by_the_rubric_that_its_suite_names(tmp_path: Path) -> None:
    """The words of a scale move ratings, so they stand in the signature."""
    written = 'rubric = "release"\nexamples = true'
    suite = loaded(write_suite(tmp_path / "kilns", URL, judge=written))
    judge = Roles(environ={}).judge(suite.judges["rule"], [suite], Connections())
    assert judge.signature.endswith(" rubric=release examples=7")
