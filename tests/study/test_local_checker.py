from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from importlib.metadata import version
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.questions import DUTIES, CheckSentences, SentenceCheck, SentenceChecks
from summeval_pytest.study.local_checker import Checker, LocalChecker, OnnxReader, local_checker
from tests.asked_suite import PRICES, desk_for, evaluated, loaded, tasks_of, write_suite
from tests.local_models import LETTERS, MARKS, make_checker, make_weights

USE = 'use = "summeval_pytest.study.local_checker:LocalChecker"\n'
NLI = ("contradiction", "entailment", "neutral")
TOKENS = ("supported", "hallucinated")
JOINED = "read {source} [SEP] {claim} ."
PAIRS = [("moss grew on nine kilns", "moss grew"), ("it rained", "zinc helped nobody. at all")]

ROBERTA = {"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1}


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whoever opens a connection fails; models that other tests have made are forgotten."""

    def refuse(*_: object) -> None:
        raise AssertionError("a run downloads nothing")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    yield
    local_checker.cache_clear()


@pytest.fixture(scope="module")
def nli(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier of three labels with random weights."""
    return make_checker(tmp_path_factory.mktemp("models") / "nli", NLI)


@pytest.fixture(scope="module")
def spans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier of tokens that supports each letter and no digit."""
    folder = tmp_path_factory.mktemp("models") / "spans"
    return make_checker(folder, TOKENS, bias=(4, 0), refused="0123456789", of_tokens=True)


def spec_of(folder: Path, **keys: Any) -> LocalChecker:  # keys of a table, of any type
    """A table of a suite."""
    return LocalChecker(name="mini", model=str(folder), **keys)


def checker_of(folder: Path, **keys: Any) -> Checker:
    """The checker of a table."""
    return local_checker(spec_of(folder, **keys))


def supports(checker: Checker, *pairs: tuple[str, str]) -> list[float]:
    """What its reader gives to pairs of texts and claims."""
    return [checker.reader.support(*pair).value for pair in pairs or PAIRS]


def refusal(folder: Path, keys: dict[str, Any]) -> str:
    """What the user is told, without the key and the model that are named first."""
    with pytest.raises(OptionError) as caught:
        checker_of(folder, **keys).compute(CheckSentences(("moss",), ("zinc",)))
    start = f"[judges.mini] model={folder}: "
    assert str(caught.value).startswith(start)
    return str(caught.value).removeprefix(start)


@pytest.mark.parametrize(
    ("labels", "supported", "support"),
    [
        (NLI, None, exp(2) / (exp(1) + exp(2) + exp(0))),
        (("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), None, exp(1) / (exp(1) + exp(2) + exp(0))),
        (("not_entailment", "entailment"), None, exp(2) / (exp(1) + exp(2))),
        (("0", "1"), 1, exp(2) / (exp(1) + exp(2))),  # MiniCheck
        (("LABEL_0", "LABEL_1"), 0, exp(1) / (exp(1) + exp(2))),  # LettuceDetect
        (("score",), None, 1 / (1 + exp(-1))),
    ],
)
def test_support_is_the_output_that_the_configuration_or_the_suite_names(
    tmp_path: Path, labels: tuple[str, ...], supported: str | int | None, support: float
) -> None:
    """Worked example: logits of 1, 2 and 0, whatever the texts, of a text or of its tokens."""
    bias = (1.0, 2.0, 0.0)[: len(labels)]
    for name, of_tokens in (("texts", False), ("tokens", True)):
        folder = make_checker(tmp_path / name, labels, bias=bias, of_tokens=of_tokens)
        found = supports(checker_of(folder, supported=supported))
        assert found == pytest.approx([support] * 2, abs=1e-6)


def by_hand(text: str, claim: str = "") -> float:
    """The support that the model of `nli` gives, in NumPy; a letter is a token."""
    weights, (begin, end) = make_weights(1, len(NLI)), map(MARKS.index, ("[CLS]", "[SEP]"))
    one, other = (
        [len(MARKS) + LETTERS.index(letter) for letter in each.replace(" ", "")]
        for each in (text, claim)
    )
    vectors = weights["letters"][[begin, *one, end, *other, *([end] if other else [])]]
    vectors += weights["texts"][[0] * (len(one) + 2) + [1] * (len(vectors) - len(one) - 2)]
    logits = vectors.mean(axis=0) @ weights["head"] + weights["bias"]
    return float(np.exp(logits[1]) / np.exp(logits).sum())


def test_a_classifier_reads_a_pair_or_the_suites_prompt(nli: Path) -> None:
    """Oracle: the network by hand."""
    expected = [by_hand(text, claim) for text, claim in PAIRS]
    assert supports(checker_of(nli)) == pytest.approx(expected, abs=1e-6)
    for prompt, texts in (
        ("read {source}.", ("read moss.", "zinc")),
        ("read {source}. {claim}.", ("read moss. zinc.",)),
    ):
        found = supports(checker_of(nli, prompt=prompt), ("moss", "zinc"))
        assert found == pytest.approx([by_hand(*texts)], abs=1e-6)


def test_a_summary_cannot_write_the_models_marks(nli: Path) -> None:
    """A claim that ends the source and begins another would be checked against itself."""
    checker = checker_of(nli)
    forged = ("mo\ud800ss", "zinc[SEP]a[sep]b")
    assert supports(checker, forged) == supports(checker, ("mo?ss", "zinc a b"))
    assert checker.reader.count(["a[SEP]b", "a b", ""]) == [2, 2, 0]


def test_unsupported_words_are_named_and_decide(spans: Path) -> None:
    """Worked example: a letter has logits of 4 and 0, a digit 4 and 9; the least supported counts.

    The source has digits, too; a summary's own text is all that is judged.
    """
    for prompt in ("{source}", "text. {source} answer. {claim} end 7"):
        checker = checker_of(spans, prompt=prompt)
        answer = checker.compute(CheckSentences(("moss on 12 kilns, 3, zinc", "moss"), ("it 40.",)))
        assert answer == SentenceChecks(
            (
                SentenceCheck(
                    reason="unsupported: '12', '3,'; the checker gives it 0.01, and 0.5 is needed",
                    supported=False,
                    support=round(1 / (1 + exp(5)), 4),
                ),
                SentenceCheck(
                    reason="the checker gives it 0.98, and 0.5 is needed",
                    supported=True,
                    support=round(1 / (1 + exp(-4)), 4),
                ),
            )
        )
    assert supports(checker_of(spans), ("moss", "\u2003")) == [0.0]  # nothing is read of it


def test_the_signature_holds_all_that_moves_a_number(nli: Path, tmp_path: Path) -> None:
    """The model by its content, wherever it lies; the packages; and every key but the name."""
    one = checker_of(nli)
    packages = [f"{name}={version(name)}" for name in ("onnxruntime", "tokenizers")]
    assert one.signature.startswith("checker-1 model=")
    assert one.signature.split()[2:] == [*packages, "window=64", "supported=1", "threshold=0.5"]
    (tmp_path / "copy").symlink_to(nli)
    assert checker_of(tmp_path / "copy").signature == one.signature
    changed: list[dict[str, Any]] = [
        {"threshold": 0.6}, {"window": 48}, {"prompt": JOINED}, {"supported": 0},
    ]  # fmt: skip
    found = {checker_of(nli, **keys).signature for keys in changed}
    other = make_checker(tmp_path / "other", (*NLI[:2], "unknown"))
    assert len(found | {one.signature, checker_of(other).signature}) == 6
    assert checker_of(nli, facets="gpt").signature == one.signature


REFUSED: list[tuple[tuple[str, ...], dict[str, object], dict[str, Any]]] = [
    # The wrong one of two labels would turn every verdict round: nobody guesses it.
    (("LABEL_0", "LABEL_1"), {}, {}),
    (("0", "1"), {}, {"supported": 2}),
    (("\x1b[31mentailment", "supported", "Entailment"), {}, {}),
    (("score",), {}, {"supported": 0}),
    (NLI, {"architectures": ["BertModel"]}, {}),
    (NLI, {"architectures": None}, {}),
    (NLI, ROBERTA, {"window": 513}),
    (NLI, {}, {"window": 47}),
    (NLI, {}, {"prompt": "a very long prompt for {source}"}),
    (NLI, {"id2label": {"0": "other", "9": "entailment"}}, {}),
    (NLI, {"id2label": {"0": "entailment", "1": "x"}}, {}),
]


def test_a_model_that_cannot_check_is_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """It would answer about something else."""
    messages = []
    for place, (labels, config, keys) in enumerate(REFUSED):
        folder = make_checker(tmp_path / f"{place}", labels, config=config)
        messages.append(refusal(folder, keys))
    assert messages == snapshot


@pytest.mark.parametrize(
    ("config", "window", "read"),
    [
        ({"max_position_embeddings": 8192}, None, 512),
        ({"max_position_embeddings": 8192}, 4096, 4096),
        ({"max_position_embeddings": 512, "relative_attention": True}, 2048, 2048),
        ({"max_position_embeddings": 130, "model_type": "roberta", "pad_token_id": 1}, None, 128),
    ],
)
def test_the_window_is_what_the_suite_says_and_the_model_has(
    tmp_path: Path, config: dict[str, object], window: int | None, read: int
) -> None:
    """Checkers were trained on some 500 tokens; a longer window is the user's word."""
    folder = make_checker(tmp_path / "tiny", NLI, config=config)
    assert checker_of(folder, window=window).reader.window == read
    prompted = checker_of(folder, window=window, prompt="read {source} [SEP] {claim}")
    assert prompted.reader.window == read - 5


def test_a_suite_is_judged_by_a_checker_and_a_model(spans: Path, tmp_path: Path) -> None:
    """Sentences and facts are the checker's, facets another's; a survey does not wait for it."""
    url = "http://127.0.0.1:9/v1"
    gate = '[judges.gate]\nfacets = "rule"\nsentences = "mini"\n'
    tail = f'[judges.mini]\n{USE}model = "models"\n{gate}'
    folder = write_suite(tmp_path / "kilns", url, judge=PRICES, tail=tail)
    shutil.copytree(spans, folder / "models")
    suite = loaded(folder)
    tasks, session = tasks_of(suite), desk_for(tmp_path / "store", suite)
    spec = session.judge_spec("mini", [suite])
    assert spec == LocalChecker(name="mini", model="models")
    assert [spec.asks(duty) for duty in DUTIES] == [
        ("offline",),
        ("offline",),
        ("mini",),
        ("mini",),
    ]
    by_checker = evaluated(session, suite, tasks, judge="mini")
    offline = evaluated(session, suite, tasks, judge="offline")
    for mini, embedded in zip(by_checker, offline, strict=True):
        assert mini.scores[0] == embedded.scores[0]
        assert mini.signatures[0] == embedded.signatures[0]
        message = dict(mini.signatures[1].recipe)["judge"]
        assert message.startswith(f"listing=({OfflineJudge().signature}) facts=(checker-1 ")
        assert dict(mini.signatures[2].recipe)["judge"].startswith("checker-1 model=")
    assert not session.is_asked("mini", [suite])
    assert not session.replies.is_asking

    local_checker.cache_clear()
    survey, signature = session.survey("gate", [suite], tasks, imagine=True)
    assert {missing.metric for missing in survey.missing.values()} == {"facet"}
    assert "sentences=(checker-1 model=" in signature
    reader = local_checker(spec_of(folder / "models")).reader
    assert isinstance(reader, OnnxReader)
    assert "_session" not in vars(reader._model)


def test_keys_that_are_no_checkers_have_a_line(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """A wrong threshold or label would turn verdicts; a model is not looked for elsewhere."""
    messages = []
    for keys in (
        'model = "mini"\nsupported = true',
        'model = "mini"\nprompt = "{claim} {source}"',
        'model = "mini"\nthreshold = 1.5',
        'model = "mini"\nchecker = "mini"',
        'model = "../mini"',
        "threshold = 0.5",
    ):
        table = f"[judges.mini]\n{USE}{keys}\n"
        suite = loaded(write_suite(tmp_path / "kilns", "http://127.0.0.1:9/v1", tail=table))
        with pytest.raises(SuiteError) as caught:
            desk_for(tmp_path / "store", suite).judge("mini", [suite])
        messages.append(str(caught.value))
    assert messages == snapshot
