from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.embeddings import BertScorer, PairScore, load_bertscore
from tests.embeddings.conftest import Words

if TYPE_CHECKING:
    from pathlib import Path

    from tests.embeddings.conftest import Bar, Torch

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
        bar.seen.append((bar.is_shown, bar.level))
        made.append(Words(torch, model_type=model_type, num_layers=num_layers, device=device))
        return made[-1]

    stand_in = ModuleType("bert_score")
    monkeypatch.setattr(stand_in, "BERTScorer", load, raising=False)
    monkeypatch.setitem(sys.modules, "bert_score", stand_in)
    monkeypatch.setitem(sys.modules, "bert_score.utils", SimpleNamespace(model2layers=TUNED))
    assert not hub
    return made


def refusal(name: Path | str, layers: int | None = None) -> str:
    """Why a model is refused."""
    with pytest.raises(OptionError) as caught:
        load_bertscore(str(name), layers=layers, option="--bertscore")
    return str(caught.value)


def test_a_score_keeps_its_sides_and_six_digits(words: Words) -> None:
    """Worked example: one of the summary's three words is one of the reference's two."""
    (score,) = BertScorer(words, "words 1").score([("a b", "a c d")])
    assert score == PairScore(precision=0.333333, recall=0.5, f1=0.4)


@pytest.mark.parametrize("pair", [("", "a"), ("a", ""), ("", ""), (" ", "a")])
def test_an_empty_text_scores_zero_and_is_not_asked_about(
    words: Words, pair: tuple[str, str]
) -> None:
    """The package says 0, too, but fails over it with transformers 5."""
    assert BertScorer(words, "words 1").score([pair]) == (PairScore(precision=0, recall=0, f1=0),)
    assert words.asked == []


def test_one_thread_scores_and_the_others_come_back(words: Words, torch: Torch) -> None:
    """A machine's cores must not show in the last digits."""
    BertScorer(words, "words 1").score([("a", "a")])
    assert (words.threads, torch.threads) == ([1], 4)


def test_what_is_no_number_is_refused(words: Words) -> None:
    """The package would make an F1 of 0 of it, and nobody would see that the weights are broken."""
    with pytest.raises(OptionError) as caught:
        BertScorer(words, "words 1").score([("a", "nan")])
    message = "the model of 'words 1' gives no numbers; choose another model"
    assert str(caught.value) == message


def test_texts_that_are_cut_are_counted(words: Words) -> None:
    """Worked example: six words and two marks are the eight tokens it reads."""
    scorer = BertScorer(words, "words 1")
    assert scorer.count_cut(["a b c d e f", "a b c d e f g", "a"]) == 1
    assert scorer.count_cut([]) == 0


def test_a_tokenizer_that_knows_no_end_is_given_one(words: Words) -> None:
    """Transformers says 10^30 then, over which a fast tokenizer fails."""
    words._tokenizer.model_max_length = 10**30
    scorer = BertScorer(words, "words 1")
    assert scorer.count_cut(["a " * 510, "a " * 511]) == 1


def test_a_model_is_loaded_with_all_its_layers(model: Path, package: list[Words], bar: Bar) -> None:
    """The signature tells what can move the number, and no bar is seen."""
    signature = load_bertscore(str(model), layers=None, option="--bertscore").signature
    (made,) = package
    assert (made.model_type, made.num_layers, made.device) == (str(model), 4, "cpu")
    assert bar.seen == [(False, 40)]
    first, second, content, *settings = signature.split(", ")
    assert (first, second) == ("bert-score 0.3.13", "transformers 5.23.0")
    assert settings == ["layers 4", "no idf"]
    (model / "model.safetensors").write_bytes(b"")
    other = load_bertscore(str(model), layers=3, option="--bertscore").signature
    assert content not in other
    assert "layers 3" in other


@pytest.mark.parametrize(("name", "layers"), [("tuned", 2), ("plain", 4), ("too-deep", 4)])
def test_layers_are_those_that_the_package_has_tuned_for_the_name(
    model: Path, package: list[Words], name: str, layers: int
) -> None:
    """A folder that is only called so, with fewer layers, keeps all it has."""
    load_bertscore(str(model.rename(model.parent / name)), layers=None, option="--bertscore")
    assert package[0].num_layers == layers


@pytest.mark.usefixtures("package")
def test_more_layers_than_there_are_are_refused(model: Path) -> None:
    """The package would say so with an assertion."""
    message = "--bertscore-layers=5: the model has 4 layers; choose 1 to 4"
    assert refusal(model, layers=5) == message


@pytest.mark.usefixtures("package")
def test_a_model_that_does_not_say_its_layers_needs_them(model: Path) -> None:
    """Somebody has to choose."""
    (model / "config.json").write_text("{}", "utf-8")
    assert refusal(model).endswith(
        "its config.json does not say how many layers it has; add --bertscore-layers=N"
    )
    load_bertscore(str(model), layers=7, option="--bertscore")


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("text", ["[]", "{", None])
def test_a_config_that_is_none_is_refused(model: Path, text: str | None) -> None:
    """A folder for sentence-transformers may keep it elsewhere."""
    (model / "modules.json").write_text("[]", "utf-8")
    config = model / "config.json"
    if text is None:
        config.unlink()
    else:
        config.write_text(text, "utf-8")
    assert f"{config} is no JSON object; name the folder of a model" in refusal(model)


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
    load_bertscore(str(link), layers=None, option="--bertscore")
    assert package[0].num_layers == 4


@pytest.mark.usefixtures("package")
def test_a_model_that_cannot_be_read_is_the_users_to_mend(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the package says, in one line."""

    def load(**_settings: object) -> Words:
        raise ValueError("Unrecognized\nmodel")

    monkeypatch.setattr(sys.modules["bert_score"], "BERTScorer", load)
    assert refusal(model) == (
        f"--bertscore={model}: bert-score cannot read this model, ValueError: Unrecognized model;"
        " name another folder"
    )


def test_without_the_extra_it_is_named(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is heavy, so nobody has it who has not asked for it."""
    monkeypatch.setitem(sys.modules, "bert_score", None)
    assert refusal(model) == (
        "--bertscore: the package 'bert_score' is not installed; install it with:"
        " pip install 'summeval-pytest[bertscore]'"
    )
