from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.study.embeddings import BertScorer, PairScore, load_bertscore
from tests.study.embeddings.conftest import Words

if TYPE_CHECKING:
    from pathlib import Path

    from tests.study.embeddings.conftest import Bar, Torch

TUNED = {"moss/tuned": 3, "tuned": 2, "too-deep": 9}


@pytest.fixture
def words(torch: Torch) -> Words:
    """The package's scorer."""
    return Words(torch)


@pytest.fixture
def package(
    torch: Torch, bar: Bar, hub: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> list[Words]:
    """The package; every scorer that it has made."""
    made: list[Words] = []

    def load(*, model_type: str, num_layers: int, device: str) -> Words:
        if model_type.endswith("odd"):
            raise ValueError("Unrecognized\nmodel")
        bar.seen.append((bar.is_shown, bar.level))
        made.append(Words(torch, model_type=model_type, num_layers=num_layers, device=device))
        return made[-1]

    stand_in = ModuleType("bert_score")
    monkeypatch.setattr(stand_in, "BERTScorer", load, raising=False)
    monkeypatch.setitem(sys.modules, "bert_score", stand_in)
    monkeypatch.setitem(sys.modules, "bert_score.utils", SimpleNamespace(model2layers=TUNED))
    assert not hub
    return made


def signature(name: Path | str) -> str:
    """The recipe of a model that is loaded."""
    return load_bertscore(str(name), option="--bertscore").signature


def refusal(name: Path | str) -> str:
    """Why a model is refused."""
    with pytest.raises(OptionError) as caught:
        signature(name)
    return str(caught.value)


def test_a_score_keeps_its_sides_and_six_digits(words: Words, torch: Torch) -> None:
    """Worked example: one of the summary's three words is one of the reference's two.

    An empty text scores 0 and is not asked about: the package fails over it with transformers 5.
    """
    pairs = [("a b", "a c d"), ("", "a"), ("a", ""), ("", ""), (" ", "a")]
    nothing = PairScore(precision=0, recall=0, f1=0)
    score = PairScore(precision=0.333333, recall=0.5, f1=0.4)
    assert BertScorer(words, "words 1").score(pairs) == (score, *[nothing] * 4)
    assert words.asked == [["a c d"]]
    assert (words.threads, torch.threads) == ([1], 4)


def test_what_is_no_number_is_refused(words: Words) -> None:
    """The package would make an F1 of 0 of it, and nobody would see that the weights are broken."""
    with pytest.raises(OptionError) as caught:
        BertScorer(words, "words 1").score([("a", "nan")])
    message = "the model of 'words 1' gives no numbers; choose another model"
    assert str(caught.value) == message


def test_texts_that_are_cut_are_counted(words: Words) -> None:
    """Worked example: six words and two marks are the eight tokens it reads.

    Transformers says 10^30 of a tokenizer that knows no end, over which a fast one fails.
    """
    scorer = BertScorer(words, "words 1")
    assert scorer.count_cut(["a b c d e f", "a b c d e f g", "a"]) == 1
    assert scorer.count_cut([]) == 0
    words._tokenizer.model_max_length = 10**30
    assert BertScorer(words, "words 1").count_cut(["a " * 510, "a " * 511]) == 1


def test_a_model_is_loaded_with_all_its_layers(model: Path, package: list[Words], bar: Bar) -> None:
    """The signature tells what can move the number, and no bar is seen."""
    first, second, content, *settings = signature(model).split(", ")
    (made,) = package
    assert (made.model_type, made.num_layers, made.device) == (str(model), 4, "cpu")
    assert bar.seen == [(False, 40)]
    assert (first, second) == ("bert-score 0.3.13", "transformers 5.23.0")
    assert settings == ["layers 4", "no idf"]
    (model / "model.safetensors").write_bytes(b"")
    assert content not in signature(model)


@pytest.mark.parametrize(("name", "layers"), [("tuned", 2), ("plain", 4), ("too-deep", 4)])
def test_layers_are_those_that_the_package_has_tuned_for_the_name(
    model: Path, package: list[Words], name: str, layers: int
) -> None:
    """A folder that is only called so, with fewer layers, keeps all it has."""
    signature(model.rename(model.parent / name))
    assert package[0].num_layers == layers


@pytest.mark.usefixtures("package")
def test_a_model_that_does_not_say_its_layers_is_refused(model: Path) -> None:
    """The package would stop with an assertion."""
    (model / "config.json").write_text("{}", "utf-8")
    assert refusal(model).endswith(
        "its config.json does not say how many layers it has; name another model"
    )


@pytest.mark.usefixtures("package")
def test_a_model_that_cannot_be_read_is_the_users_to_mend(model: Path) -> None:
    """A config that is none, or lies elsewhere; else what the package says, in one line."""
    (model / "modules.json").write_text("[]", "utf-8")
    config = model / "config.json"
    good = config.read_text("utf-8")
    for text in ("[]", "{"):
        config.write_text(text, "utf-8")
        assert f"{model} holds no config.json with a JSON object; name" in refusal(model)
    config.unlink()
    assert f"{model} holds no config.json with a JSON object; name" in refusal(model)
    config.write_text(good, "utf-8")
    odd = model.rename(model.parent / "odd")
    assert refusal(odd) == (
        f"--bertscore={odd}: bert-score cannot read this model, ValueError: Unrecognized model;"
        " name another folder"
    )


def test_a_path_that_the_package_takes_for_a_t5_is_refused(
    model: Path, package: list[Words], tmp_path: Path
) -> None:
    """It reads the kind of a model off its path, and would load another model's weights."""
    link = tmp_path / "mt5-copy"
    link.symlink_to(model)
    assert refusal(link) == (
        f"--bertscore={link}: bert-score takes every model with 't5' in its path for a T5, and"
        f" this one, {link}, is a 'bert'; move it or name a link to it elsewhere"
    )
    (model / "config.json").write_text('{"model_type": "mt5", "num_layers": 4}', "utf-8")
    signature(link)
    assert package[0].num_layers == 4
