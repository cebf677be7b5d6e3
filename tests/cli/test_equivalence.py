from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.cli.command import main
from summeval_pytest.verdict import equal_scores
from tests.asked_suite import KEY, by_rule, text_by_rule, write_suite
from tests.scripted_server import Answer, ScriptedServer, Seen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RECORDED: Final = ("--model", "good,bad")


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals have tests of their own."""
    monkeypatch.setattr(equal_scores, "RESAMPLES", 10)


class Bench:
    """A suite whose judge is a model at a scripted server, and the command over it."""

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.folder = folder
        self.server = server
        write_suite(folder / "kilns", server.url, systems=("good", "bad"))

    def run(self, *arguments: str, judge: str = "rule") -> int:
        """One run of the command."""
        store = str(self.folder / "store")
        return main(["equivalence", "kilns", "--judge", judge, "--store", store, *arguments])


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A folder with the suite; its models answer by rule, so every way gives one answer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer(by_rule) as server:
        yield Bench(tmp_path, server)


def test_a_judge_without_noise_is_equivalent_and_replays_to_the_byte(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was asked once is never asked again, and the cassette alone gives the same report."""
    assert bench.run(*RECORDED, "--json", "first.json", "--export") == 0
    *lines, exported = capsys.readouterr().out.splitlines()
    n_asked = bench.server.n_requests
    replies = f"kilns/cassette.jsonl: {n_asked} replies, sha256 "
    assert exported.startswith(replies)

    assert bench.run(*RECORDED, "--json", "second.json", "--record", "none") == 0
    assert capsys.readouterr().out.splitlines() == lines
    assert bench.server.n_requests == n_asked
    first, second = (bench.folder / name for name in ("first.json", "second.json"))
    assert first.read_bytes() == second.read_bytes()

    assert lines[0] == "kilns/summeval.toml: 4 pairs of 2 papers, judge rule"
    assert lines[1].startswith("alone: rule-1 at=here temp=0")
    assert lines[1].endswith(" votes=1 calls=single")
    assert lines[2] == lines[1].replace("alone:", "again:") + " first_vote=1"
    assert lines[3] == lines[1].replace("alone:", "together:").replace("single", "batched")
    for start in ("rating ", "fact ", "sentence ", "facet ", "eva ", "faithfulness "):
        assert any(line.startswith(start) for line in lines), start
    assert "equivalent: asked together, items are answered as they are alone" in lines
    figures = json.loads(first.read_text(encoding="utf-8"))
    assert figures["is_equivalent"] is True
    assert {each["standing"] for each in figures["found"]["criteria"]} <= {"met", "moot"}


def test_every_item_is_asked_alone_twice(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """The second answer must come from the model and not from the store; seeds tell them apart."""
    assert bench.run(*RECORDED, "--json", "all.json") == 0
    capsys.readouterr()
    counts = json.loads((bench.folder / "all.json").read_text(encoding="utf-8"))["found"]["items"]
    n_items = sum(count["n_items"] for count in counts)
    second = [seen for seen in bench.server.seen if seen.body.get("seed") == 1]
    assert len(second) == n_items > 20
    assert not [seen for seen in bench.server.seen if seen.body.get("seed") not in {0, 1}]


def lenient(seen: Seen) -> Answer:
    """Answers by rule, and finds every sentence supported where several are asked about."""
    text = text_by_rule(dict(seen.body))
    if "Check sentences: 1-" in seen.texts[-1]:
        checks = json.loads(text)["checks"]
        text = json.dumps({"checks": [{**check, "label": "supported"} for check in checks]})
    return Answer(text)


def test_a_judge_that_is_lenient_with_many_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, and the last lines say by which bounds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer(lenient) as server:
        bench = Bench(tmp_path, server)
        assert bench.run(*RECORDED) == 1
    told = capsys.readouterr().out
    end = " ".join(told[told.index("not equivalent: ") :].split())
    assert "sentence: another answer" in end
    assert "faithfulness: mean difference p" in end
    assert "fact:" not in end


def test_a_replay_that_lacks_replies_is_no_agreement(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is recorded: nothing is equivalent."""
    assert bench.run(*RECORDED, "--record", "none", "--export") == 1
    told = " ".join(capsys.readouterr().out.split())
    assert told.endswith("nothing to export: judge rule has given none")
    assert "sentence: answered 0.000, wanted >= 0.950" in told
    assert "unanswered, for instance: no recorded answer for question" in told
    assert bench.server.n_requests == 0


def test_a_sample_has_all_systems(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of four pairs: one of each system."""
    assert bench.run(*RECORDED, "--pairs", "2", "--json", "two.json") == 0
    assert capsys.readouterr().out.startswith("kilns/summeval.toml: 2 pairs of ")
    criteria = json.loads((bench.folder / "two.json").read_text(encoding="utf-8"))["found"]
    order = [each for each in criteria["criteria"] if each["name"] == "order of systems"]
    assert {each["n"] for each in order} == {2}


def test_systems_that_are_models_are_asked_for_their_summaries_once(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where everything is asked anew: all ways are about the same text, and so is a replay."""
    assert bench.run("--model", "writer", "--record", "all", "--export") == 0
    *lines, _ = capsys.readouterr().out.splitlines()
    assert Counter(seen.model for seen in bench.server.seen)["writer-7b"] == 2
    assert not [each for each in (bench.folder / "store").rglob("runs/*") if each.is_dir()]
    assert bench.run("--model", "writer", "--record", "none") == 0
    assert capsys.readouterr().out.splitlines() == lines


def test_the_embedded_judge_has_nothing_to_compare(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """It computes each answer by itself: a usage error that says so."""
    assert bench.run(judge="offline") == 4
    told = capsys.readouterr().err
    assert "judge 'offline' computes each answer by itself, so there is no request" in told
    assert "name a model or a judge of your own with --judge" in told


def test_a_recorded_judge_has_nothing_to_compare(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its answers were given before, in whatever way."""
    suite = bench.folder / "kilns"
    row = {
        "paper": "kiln",
        "system": "good",
        "by": "GPT",
        "facets": {"result": 4},
        "segments": {"result": "The slow draught gave bricks of 31 MPa."},
    }
    (suite / "recorded.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    head = 'recorded = "recorded.jsonl"'
    tail = '[judges.old]\nrecorded = "GPT"\nsegments = "GPT"\n'
    write_suite(suite, bench.server.url, head=head, tail=tail)
    assert bench.run(judge="old") == 4
    assert "judge 'old' repeats what is recorded, so there is no" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--json", "none/a.json"), "--json=none/a.json: cannot be written"),
        (("--model", "all-papers"), "all-papers"),
    ],
    ids=["json", "system"],
)
def test_mistakes_are_told_before_anybody_is_asked(
    bench: Bench, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    """A call would be paid for in vain."""
    assert bench.run(*arguments) == 4
    assert message in capsys.readouterr().err
    assert bench.server.n_requests == 0


OWN: Final = """\
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.questions import CheckSentences, SentenceCheck, SentenceChecks
from summeval_pytest.questions import FacetRatings, RateFacets


class Fair(OfflineJudge):
    signature = "fair-1"

    def compute(self, question):
        if isinstance(question, RateFacets):
            alone = [RateFacets((pair,)) for pair in question.pairs]
            rated = [super(Fair, self).compute(one) for one in alone]
            return FacetRatings(tuple(rating for answer in rated for rating in answer.ratings))
        if not isinstance(question, CheckSentences):
            return super().compute(question)
        alone = [CheckSentences((text,), question.source) for text in question.sentences]
        found = [super(Fair, self).compute(one) for one in alone]
        return SentenceChecks(tuple(check for answer in found for check in answer.checks))


class Tired(OfflineJudge):
    signature = "tired-1"

    async def answer(self, questions):
        found = await super().answer(questions)
        return tuple(map(self._tired, questions, found))

    def _tired(self, question, answer):
        if not isinstance(question, CheckSentences) or len(question.sentences) == 1:
            return answer
        no = SentenceCheck(reason="too many", supported=False)
        return SentenceChecks((no,) * len(question.sentences))


class Broken(OfflineJudge):
    signature = "broken-1"
    in_flight = 2

    async def answer(self, questions):
        raise ConnectionError("the line is dead")
"""


def test_a_judge_of_ones_own_is_asked_item_by_item_and_all_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It needs no notion of requests; it is found in this folder as for other commands."""
    (bench.folder / "owned.py").write_text(OWN, encoding="utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert bench.run(*RECORDED, "--export", judge="owned:Fair") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == [
        "alone: fair-1 calls=single",
        "again: fair-1 calls=single",
        "together: fair-1",
    ]
    assert lines[-1] == "nothing to export: judge owned:Fair needs no replies"
    assert bench.run(*RECORDED, judge="owned:Tired") == 1
    assert "sentence: another answer" in " ".join(capsys.readouterr().out.split())
    assert bench.server.n_requests == 0


def test_a_judge_that_breaks_down_is_told_as_the_judges_fault(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no verdict on batching: nothing is printed but the fault."""
    (bench.folder / "dead.py").write_text(OWN, encoding="utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert bench.run(*RECORDED, judge="dead:Broken") == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "broke down: ConnectionError: the line is dead" in printed.err
