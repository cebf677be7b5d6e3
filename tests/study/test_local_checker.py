from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.questions import CheckFacts, CheckSentences, Fact, FactCheck, FactChecks
from summeval_pytest.study import local_checker as module
from summeval_pytest.study.agreement.coefficients import roc_auc
from summeval_pytest.study.local_checker import TransformersReader, local_checker
from summeval_pytest.suite.values import CheckerSpec
from tests.asked_suite import PRICES, desk_for, evaluated, loaded, tasks_of, write_suite
from tests.local_models import make_classifier, make_writer, torch_here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from summeval_pytest.study.local_checker import Checker

NLI = ("contradiction", "entailment", "neutral")
PAIRS = [
    ("moss grew on nine kilns", "moss grew"),
    ("it rained", "zinc helped nobody. at all"),
    ("zinc " * 40, "no"),
]

WRITE = "write supported = NUMBER under [judges.mini]"
UNNAMED = "0 = 'LABEL_0', 1 = 'LABEL_1'"
OTHERS = "0 = '\\\\x1b[31mentailment', 1 = 'supported', 2 = 'Entailment'"
NO_HEAD = (
    "which gives neither labels nor a score; name one for sequence classification, or a T5 that"
    " writes 1 or 0"
)

pytestmark = pytest.mark.filterwarnings("default")  # what heavy packages deprecate is not ours


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
    """A cross-encoder of three labels with random weights."""
    return make_classifier(tmp_path_factory.mktemp("models") / "nli", NLI)


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A T5 with random weights."""
    return make_writer(tmp_path_factory.mktemp("models") / "t5")


def spec_of(folder: Path, **keys: Any) -> CheckerSpec:  # keys of a table, of any type
    """A table of a suite."""
    return CheckerSpec(name="mini", folder=str(folder), **keys)


def checker_of(folder: Path, **keys: Any) -> Checker:
    """The checker of a table."""
    return local_checker(spec_of(folder, **keys))


def supports(checker: Checker, pairs: list[tuple[str, str]] | None = None) -> list[float]:
    """What its reader gives to pairs of texts and claims."""
    return checker.reader.support(PAIRS if pairs is None else pairs)


def refusal(doing: Callable[[], object]) -> str:
    """What the user is told."""
    with pytest.raises(OptionError) as caught:
        doing()
    return str(caught.value)


@pytest.mark.parametrize(
    ("labels", "supported", "support"),
    [
        (NLI, None, exp(2) / (exp(1) + exp(2) + exp(0))),
        (("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), None, exp(1) / (exp(1) + exp(2) + exp(0))),
        (("not_entailment", "entailment"), None, exp(2) / (exp(1) + exp(2))),
        (("0", "1"), 1, exp(2) / (exp(1) + exp(2))),  # MiniCheck
        (("0", "1"), "0", exp(1) / (exp(1) + exp(2))),
        (("LABEL_0", "LABEL_1"), 0, exp(1) / (exp(1) + exp(2))),
        (("score",), None, 1 / (1 + exp(-1))),
    ],
)
def test_support_is_the_output_that_the_configuration_or_the_suite_names(
    tmp_path: Path, labels: tuple[str, ...], supported: str | int | None, support: float
) -> None:
    """Worked example: logits of 1, 2 and 0, whatever the texts."""
    bias = (1.0, 2.0, 0.0)[: len(labels)]
    folder = make_classifier(tmp_path / "tiny", labels, bias=bias)
    found = supports(checker_of(folder, supported=supported))
    assert found == pytest.approx([support] * 3, abs=1e-6)


@pytest.mark.parametrize(
    ("labels", "supported", "message"),
    [
        (
            ("LABEL_0", "LABEL_1"),
            None,
            f"which of its labels means support is not known; {WRITE}, of {UNNAMED}",
        ),
        (
            ("0", "1"),
            2,
            f"supported = 2 is none of its labels; {WRITE}, of 0 = '0', 1 = '1'",
        ),
        (
            ("\x1b[31mentailment", "supported", "Entailment"),  # somebody else's words
            None,
            f"which of its labels means support is not known; {WRITE}, of {OTHERS}",
        ),
    ],
)
def test_what_means_support_is_asked_for_and_never_guessed(
    tmp_path: Path, labels: tuple[str, ...], supported: int | None, message: str
) -> None:
    """The wrong one of two labels would turn every verdict round."""
    folder = make_classifier(tmp_path / "tiny", labels)
    mistake = refusal(lambda: checker_of(folder, supported=supported))
    assert mistake == f"[judges.mini] checker={folder}: {message}"


def test_a_classifier_is_read_as_transformers_reads_it(nli: Path) -> None:
    """Oracle: each pair alone through the model; a batch may only move the last bits."""
    torch, transformers = torch_here()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(nli))
    model = transformers.AutoModelForSequenceClassification.from_pretrained(str(nli)).eval()
    expected, joined = [], []
    with torch.no_grad():
        for text, claim in PAIRS:
            pair = tokenizer(text, claim, truncation=True, max_length=64, return_tensors="pt")
            one = tokenizer(
                f"{text}[SEP]{claim}", truncation=True, max_length=64, return_tensors="pt"
            )
            expected.append(float(model(**pair).logits.softmax(-1)[0, 1]))
            joined.append(float(model(**one).logits.softmax(-1)[0, 1]))
    assert supports(checker_of(nli)) == pytest.approx(expected, abs=1e-5)
    assert supports(checker_of(nli, joined=True)) == pytest.approx(joined, abs=1e-5)
    assert len({round(number, 4) for number in [*expected, *joined]}) == 6


def test_a_model_that_writes_supports_by_its_first_token(writer: Path) -> None:
    """Oracle: MiniCheck's own recipe, the softmax over the first tokens of 0 and of 1."""
    torch, transformers = torch_here()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(writer))
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(str(writer)).eval()
    expected = []
    with torch.no_grad():
        for text, claim in PAIRS:
            inputs = tokenizer(f"predict: {text}</s>{claim}", return_tensors="pt")
            begun = torch.zeros((1, 1), dtype=torch.long)
            logits = model(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                decoder_input_ids=begun,
            ).logits[0, 0]
            digits = tokenizer.convert_tokens_to_ids(["0", "1"])
            expected.append(float(logits[digits].softmax(-1)[1]))
    checker = checker_of(writer, window=512)
    assert supports(checker) == pytest.approx(expected, abs=1e-5)
    assert len({round(number, 4) for number in expected}) == 3
    assert " window=512 supported=score threshold=" in checker.signature


def test_a_summary_cannot_write_the_models_marks(nli: Path, writer: Path) -> None:
    """A claim that ends the source and begins another would be checked against itself."""
    for folder, mark in ((nli, "[SEP]"), (writer, "</s>")):
        checker = checker_of(folder)
        plain, forged = supports(checker, [("moss", "zinc a b"), ("moss", f"zinc{mark}a{mark}b")])
        assert forged == pytest.approx(plain, abs=1e-6)
        assert checker.reader.count([f"a{mark}b", "a b", ""]) == [2, 2, 0]


def test_the_signature_holds_all_that_moves_a_number(nli: Path, tmp_path: Path) -> None:
    """The model by its content, wherever it lies; the package; and every key but the name."""
    one = checker_of(nli)
    assert one.signature.startswith("checker-1 model=")
    assert one.signature.endswith(" window=64 supported=1 threshold=0.5")
    (tmp_path / "copy").symlink_to(nli)
    assert checker_of(tmp_path / "copy").signature == one.signature
    changed: list[dict[str, Any]] = [
        {"threshold": 0.6}, {"window": 48}, {"joined": True}, {"supported": 0},
    ]  # fmt: skip
    message = {checker_of(nli, **keys).signature for keys in changed}
    other = make_classifier(tmp_path / "other", (*NLI[:2], "unknown"))
    assert len(message | {one.signature, checker_of(other).signature}) == 6
    assert checker_of(nli, facets="gpt").signature == one.signature


def test_an_answer_is_the_same_in_another_process(nli: Path) -> None:
    """Support to four digits: a verdict must not depend on who computed it."""
    code = f"""
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.questions import CheckFacts, CheckSentences, Fact, FactCheck, FactChecks
from summeval_pytest.study.local_checker import local_checker
from summeval_pytest.study.agreement.coefficients import roc_auc
from summeval_pytest.suite.values import CheckerSpec
checker = local_checker(CheckerSpec(name="mini", folder={str(nli)!r}))
print(checker.compute(CheckSentences(("moss grew", "zinc helped"), ("moss.",) * 40)))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    asked = CheckSentences(("moss grew", "zinc helped"), ("moss.",) * 40)
    assert done.stdout.strip() == str(checker_of(nli).compute(asked))


def test_nothing_heavy_is_imported_before_it_is_asked(nli: Path) -> None:
    """A controller that only plans, and a user who chose another judge, wait for nothing."""
    code = f"""
import sys
from summeval_pytest.study.local_checker import local_checker
from summeval_pytest.study.agreement.coefficients import roc_auc
from summeval_pytest.suite.values import CheckerSpec
print(local_checker(CheckerSpec(name="mini", folder={str(nli)!r})).signature)
assert not {{"torch", "transformers", "huggingface_hub"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def fake_model(folder: Path, **config: object) -> Path:
    """The folder of a model whose weights nobody reads."""
    folder.mkdir()
    message = {
        "architectures": ["BertForSequenceClassification"],
        "id2label": {"0": "entailment", "1": "x"},
    }
    (folder / "config.json").write_text(json.dumps(message | config), "utf-8")
    (folder / "vocab.txt").write_text("moss\n", "utf-8")
    return folder


def copied(model: Path, folder: Path) -> Path:
    """A copy of a model."""
    return Path(shutil.copytree(model, folder))


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra, as far as anybody asks for it."""
    monkeypatch.setattr(module, "find_spec", lambda name: name)
    monkeypatch.setattr(module, "version", lambda _: "5.23.0")


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(
    ("config", "keys", "message"),
    [
        (
            {"architectures": ["BertModel"]},
            {},
            f"this model is a 'BertModel', {NO_HEAD}",
        ),
        (
            {"architectures": None, "id2label": {"0": "score"}},
            {},
            f"this model is a 'model without architecture', {NO_HEAD}",
        ),
        (
            {"id2label": {"0": "score"}},
            {"supported": 0},
            "this model has no labels, and supported = 0 names one; delete it",
        ),
        (
            {"max_position_embeddings": 256},
            {"window": 512},
            "window = 512, and this model reads 48 to 256 tokens at once; write another number",
        ),
        (
            {"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1},
            {"window": 513},
            "window = 513, and this model reads 48 to 512 tokens at once; write another number",
        ),
        (
            {},
            {"window": 47},
            "window = 47, and this model reads 48 to 512 tokens at once; write another number",
        ),
    ],
)
def test_a_model_that_cannot_check_is_refused(
    tmp_path: Path, config: dict[str, object], keys: dict[str, Any], message: str
) -> None:
    """Before anything is judged; no weights are read for it."""
    folder = fake_model(tmp_path / "tiny", **config)
    mistake = refusal(lambda: checker_of(folder, **keys))
    assert mistake == f"[judges.mini] checker={folder}: {message}"


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize(
    ("config", "window", "read"),
    [
        ({"max_position_embeddings": 512}, None, 512),
        ({"max_position_embeddings": 8192}, None, 512),
        ({"max_position_embeddings": 8192}, 4096, 4096),
        ({"max_position_embeddings": 512, "relative_attention": True}, 2048, 2048),
        ({"architectures": ["T5ForConditionalGeneration"]}, 2048, 2048),
        ({"max_position_embeddings": 130, "model_type": "roberta", "pad_token_id": 1}, None, 128),
    ],
)
def test_the_window_is_what_the_suite_says_and_the_model_has(
    tmp_path: Path, config: dict[str, object], window: int | None, read: int
) -> None:
    """Checkers were trained on some 500 tokens; a longer window is the user's word."""
    folder = fake_model(tmp_path / "tiny", **config)
    assert checker_of(folder, window=window).reader.window == read


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_a_missing_extra_is_reported_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    """The packages are heavy, so nobody has them who has not asked for them."""
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == package else name)
    assert refusal(lambda: checker_of(fake_model(tmp_path / "tiny"))) == (
        f"[judges.mini] checker: the package {package!r} is not installed; install it with:"
        " pip install 'summeval-pytest[local]'"
    )


def test_a_head_without_weights_is_refused(nli: Path, tmp_path: Path) -> None:
    """Transformers makes one up at random: that would be a judge that throws dice."""
    torch, transformers = torch_here()
    folder = copied(nli, tmp_path / "headless")
    config = transformers.AutoConfig.from_pretrained(str(nli))
    torch.manual_seed(2)
    transformers.BertModel(config).save_pretrained(folder)
    (folder / "config.json").write_bytes((nli / "config.json").read_bytes())
    message = refusal(lambda: supports(checker_of(folder)))
    assert "its weights lack 'classifier.bias', which would be made up at random" in message


def test_weights_that_are_broken_and_devices_that_are_not_there_are_usage_errors(
    nli: Path, tmp_path: Path
) -> None:
    """A download that broke off; a suite that was written beside a graphics card."""
    torch, _ = torch_here()
    folder = copied(nli, tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(b"\0" * 40)
    message = refusal(lambda: supports(checker_of(folder)))
    assert message.startswith("[judges.mini] checker=")
    assert "transformers cannot read this model, Safetensor" in message
    message = refusal(lambda: checker_of(nli, device="nowhere"))
    assert "there is no device 'nowhere' (" in message
    assert message.endswith("write device = 'auto' or 'cpu'")
    auto = checker_of(nli, device="auto").signature
    is_plain = not torch.cuda.is_available() and not torch.backends.mps.is_available()
    assert ("device=" in auto) != is_plain


def test_numbers_that_are_none_are_a_usage_error(tmp_path: Path) -> None:
    """Broken weights may load all the same."""
    folder = make_classifier(tmp_path / "tiny", NLI, bias=(float("nan"), 0.0, 0.0))
    message = refusal(lambda: supports(checker_of(folder)))
    assert message.endswith("this model gives no numbers; name another")


def test_a_suite_is_judged_by_a_checker_and_a_model(nli: Path, tmp_path: Path) -> None:
    """Sentences and facts are the checker's, facets another's; a survey does not wait for it."""
    url = "http://127.0.0.1:9/v1"
    gate = '[judges.gate]\nfacets = "rule"\nsentences = "mini"\n'
    tail = f'[judges.mini]\nchecker = "models"\n{gate}'
    folder = write_suite(tmp_path / "kilns", url, judge=PRICES, tail=tail)
    copied(nli, folder / "models")
    suite = loaded(folder)
    assert suite.judges["mini"] == spec_of(folder / "models")
    tasks, session = tasks_of(suite), desk_for(tmp_path / "store", suite)
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
    assert isinstance(reader, TransformersReader)
    assert "_loaded" not in vars(reader)


def test_a_model_that_learned_nothing_agrees_with_nobody(shared_data: Path, tmp_path: Path) -> None:
    """Facts that people matched (InfoLossQA): random weights tell them apart as a coin does.

    The embedded judge's AUC is .88 on this set; that of these models is .42 to .54.
    """
    lines = (shared_data / "infolossqa/match_dev.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["label"] is not None]
    asked = [(row["reference_fact"]["answer"], row["predicted_fact"]["answer"]) for row in rows]
    short = [place for place, (fact, _) in enumerate(asked) if len(fact) < 200][:300]
    labels = [bool(rows[place]["label"]) for place in short]
    found = []
    for seed in range(1, 5):
        checker = checker_of(make_classifier(tmp_path / str(seed), NLI, limit=512, seed=seed))
        checks = [
            check
            for fact, premise in (asked[place] for place in short)
            for check in facts_checked(checker, fact, premise)
        ]
        found.append(roc_auc(labels, [check.support or 0.0 for check in checks]) or 0.0)
    assert sum(found) / 4 == pytest.approx(0.5, abs=0.06)
    assert all(0.4 < auc < 0.6 for auc in found)


def facts_checked(checker: Checker, fact: str, premise: str) -> list[FactCheck]:
    """Whether a fact follows from another one."""
    answer = checker.compute(CheckFacts((Fact(text=fact, sentence=0),), (premise,)))
    assert isinstance(answer, FactChecks)
    return [check for check in answer.checks if isinstance(check, FactCheck)]
