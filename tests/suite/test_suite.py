from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.suite.values import SystemSpec

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from tests.suite.conftest import Golden


def test_suite_answers_by_name_and_keeps_file_order(golden: Golden) -> None:
    """What the plugin collects comes in the order of the files."""
    suite = golden.load()

    assert (suite.name, suite.shown) == ("golden", "golden/summeval.toml")
    assert suite.path == golden.path / "summeval.toml"
    assert tuple(suite.systems) == ("careful", "terse")
    assert suite.default_systems == ("careful",)
    assert suite.paper_ids == ("zinc-01", "zinc-02")
    assert suite.paper_ids_of("careful") == ("zinc-01", "zinc-02")
    assert suite.paper_ids_of("terse") == ("zinc-01",)
    assert suite.place_of("terse") == Place("golden/summeval.toml", 9)


def test_pair_joins_paper_and_summary(golden: Golden) -> None:
    """Its place is the line of the summary, wherever the paper stands."""
    pair = golden.load().pair("zinc-01", "careful")

    assert (pair.paper.id, pair.system, pair.summary) == ("zinc-01", "careful", "Zinc did.")
    assert str(pair.place) == "golden/systems/careful.jsonl:2"


def test_all_systems_are_gated_where_no_default_is_named(golden: Golden) -> None:
    """An absent key leaves nothing out."""
    golden.spoil("summeval.toml", 'default_systems = ["careful"]\n', "")

    assert golden.load().default_systems == ("careful", "terse")


def test_suite_with_a_name_of_its_own_keeps_it(golden: Golden) -> None:
    """Several suites can live in one folder when each is named."""
    file = golden.path / "summeval.toml"
    file.rename(golden.path / "long.summeval.toml")
    suite = golden.load()

    assert (suite.name, suite.shown) == ("long", "golden/long.summeval.toml")


def test_places_are_relative_to_the_current_folder_by_default(
    golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message can be clicked from where the user stands."""
    monkeypatch.chdir(golden.path.parent)
    assert load_suite(golden.path).shown == "golden/summeval.toml"

    monkeypatch.chdir(golden.path)
    suite = load_suite(golden.path / "summeval.toml")
    assert (suite.name, suite.shown) == ("golden", "summeval.toml")
    assert suite.paper("zinc-01").place.path == "papers.jsonl"

    monkeypatch.chdir(golden.path / "systems")
    assert load_suite(golden.path).shown == (golden.path / "summeval.toml").as_posix()


@pytest.mark.parametrize(
    ("paper", "system"), [("zinc-3", "careful"), ("zinc-01", "ters"), ("zinc-02", "terse")]
)
def test_pair_that_does_not_exist_is_refused(
    golden: Golden, paper: str, system: str, snapshot: SnapshotAssertion
) -> None:
    """A wrong name never ends in an empty pair."""
    suite = golden.load()
    with pytest.raises(SuiteError) as caught:
        suite.pair(paper, system)
    assert str(caught.value) == snapshot


def test_system_with_an_endpoint_has_papers_and_no_recorded_summaries(
    golden: Golden, snapshot: SnapshotAssertion
) -> None:
    """Its model is asked about every paper that it does not skip, and a file holds none of it."""
    golden.spoil(
        "summeval.toml",
        "[thresholds]\n",
        '[systems.llama3]\nendpoint = "ollama"\nmodel = "llama3"\n'
        '[systems.half]\nendpoint = "ollama"\nmodel = "llama3"\nskip = ["zinc-01"]\n\n'
        "[thresholds]\n",
    )
    suite = golden.load()

    assert suite.paper_ids_of("llama3") == ("zinc-01", "zinc-02")
    assert suite.paper_ids_of("half") == ("zinc-02",)
    with pytest.raises(SuiteError) as caught:
        suite.pair("zinc-01", "llama3")
    assert str(caught.value) == snapshot


def test_system_of_the_command_line_joins_those_of_the_suite(golden: Golden) -> None:
    """It is gated over the same papers, and the suite that was loaded stays as it is."""
    suite = golden.load()
    place = Place("--summ-model=nemo")
    spec = SystemSpec(name="nemo", endpoint="ollama", model="nemo", place=place)
    wider = suite.with_system(spec)

    assert tuple(wider.systems) == ("careful", "terse", "nemo")
    assert (wider.systems["nemo"], wider.place_of("nemo")) == (spec, place)
    assert wider.paper_ids_of("nemo") == ("zinc-01", "zinc-02")
    assert wider.fingerprint == suite.fingerprint
    assert wider.pair("zinc-01", "careful") == suite.pair("zinc-01", "careful")
    assert tuple(suite.systems) == ("careful", "terse")


@pytest.mark.parametrize(
    ("name", "cassette"),
    [
        ("summeval.toml", "cassette.jsonl"),
        ("long.summeval.toml", "long.cassette.jsonl"),
    ],
)
def test_cassette_lies_beside_the_suite_under_its_name(
    golden: Golden, name: str, cassette: str
) -> None:
    """Suites that share a folder do not share a cassette; it need not be there."""
    (golden.path / "summeval.toml").rename(golden.path / name)
    file = golden.load().cassette

    assert (file.path, file.shown) == (golden.path / cassette, f"golden/{cassette}")
    assert not file.path.exists()
