from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.errors import OptionError, Place
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.questions import CheckFacts, Fact, FactList
from summeval_pytest.run import measure as encoding
from summeval_pytest.run.measure import metric_flow, recipe_of
from summeval_pytest.run.session import Session
from summeval_pytest.suite.file import EvaVariant, Variants
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.suite.values import Pair, Paper, Section
from tests.label_suite import write_suite
from tests.local_models import LetterEncoder

if TYPE_CHECKING:
    from pathlib import Path

HERE = Place("suite")
FACTS = ("Ferns died on sand.", "Tab: a cat, a tub.")
ANAGRAM = "But a bat, a act."


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every model that is read; each is an encoder by letters."""
    names: list[str] = []

    def load(name: str | None) -> LetterEncoder | None:
        names.extend([name] if name else [])
        return LetterEncoder() if name else None

    monkeypatch.setattr(encoding, "encoder_of", load)
    return names


def variant(encoder: str | None) -> Variants:
    """Each fact is checked with the one most similar to it."""
    return Variants(eva=EvaVariant(recall="matched", premises=1, encoder=encoder))


def premises(encoder: str | None) -> tuple[str, ...]:
    """What the one fact of a summary is checked with."""
    paper = Paper(
        id="sand",
        source=(Section(text="Moss."),),
        references=(" ".join(FACTS),),
        reference_facts=tuple(Fact(text=text, sentence=n) for n, text in enumerate(FACTS)),
        place=HERE,
    )
    pair = Pair(paper=paper, system="plain", summary=ANAGRAM, place=HERE)
    flow = metric_flow("eva", pair, variant(encoder))
    next(flow)
    (asked,) = flow.send((FactList((Fact(text=ANAGRAM, sentence=0),)),))
    assert isinstance(asked, CheckFacts)
    return tuple(asked.premises)


def test_the_encoder_of_the_suite_finds_the_premises(loaded: list[str]) -> None:
    """An anagram shares every letter and no word, so TF-IDF takes the first fact instead."""
    assert premises(None) == (FACTS[0],)
    assert loaded == []
    assert premises("moss/tiny") == (FACTS[1],)
    assert set(loaded) == {"moss/tiny"}


@pytest.mark.usefixtures("loaded")
def test_the_recipe_of_eva_names_the_encoder() -> None:
    """Similarities of different encoders share no threshold, and their numbers are not compared."""
    judge = OfflineJudge()
    with_model = recipe_of("eva", judge=judge, suite="0", variants=variant("moss/tiny"))
    without = recipe_of("eva", judge=judge, suite="0", variants=variant(None))
    assert dict(with_model.recipe)["similarity"] == "letters 1"
    assert with_model.differing(without) == ("similarity",)
    facet = recipe_of("facet", judge=judge, suite="0", variants=variant("moss/tiny"))
    assert facet == recipe_of("facet", judge=judge, suite="0")


def test_an_encoder_that_is_not_there_stops_a_run_at_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before a judge is made, which would be asked in vain; of several suites it says which."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    folder = write_suite(tmp_path / "moss")
    toml = folder / "summeval.toml"
    text = 'eva_premises = 3\nencoder = "moss/gone"\ndefault_systems = ["long"]\n'
    toml.write_text(text + toml.read_text("utf-8"), encoding="utf-8")
    message = (
        "encoder: the package 'sentence_transformers' is not installed; install it with:"
        " pip install 'summeval-pytest[embeddings]'"
    )
    with pytest.raises(OptionError) as caught:
        Session(environ={}).judge("offline", [load_suite(folder)])
    assert str(caught.value) == f"{toml.as_posix()}: {message}"
    assert main(["plan", str(folder)]) == 4
    assert message in capsys.readouterr().err
