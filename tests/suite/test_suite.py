from __future__ import annotations

from functools import partial

from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import Place
from summeval_pytest.suite.values import SystemSpec
from tests.label_suite import mistake
from tests.suite.conftest import Golden


def test_suite_answers_by_name_and_keeps_file_order(golden: Golden) -> None:
    """What the plugin collects comes in the order of the files; all systems without a default."""
    suite = golden.load()
    assert (suite.name, suite.shown) == ("golden", "golden/summeval.toml")
    assert suite.path == golden.path / "summeval.toml"
    assert tuple(suite.systems) == ("careful", "terse")
    assert suite.default_systems == ("careful",)
    assert suite.paper_ids == suite.paper_ids_of("careful") == ("zinc-01", "zinc-02")
    assert suite.paper_ids_of("terse") == ("zinc-01",)
    assert suite.place_of("terse") == Place("golden/summeval.toml", 9)
    pair = suite.pair("zinc-01", "careful")
    assert (pair.paper.id, pair.system, pair.summary) == ("zinc-01", "careful", "Zinc did.")
    assert pair.place == Place("golden/systems/careful.jsonl", 2)
    golden.spoil("summeval.toml", 'default_systems = ["careful"]\n', "")
    assert golden.load().default_systems == ("careful", "terse")


def test_suite_with_a_name_of_its_own_keeps_it(golden: Golden) -> None:
    """Several suites can live in one folder, each with its own cassette, which need not exist."""
    assert golden.load().cassette.shown == "golden/cassette.jsonl"
    (golden.path / "summeval.toml").rename(golden.path / "long.summeval.toml")
    suite = golden.load()
    assert (suite.name, suite.shown) == ("long", "golden/long.summeval.toml")
    assert suite.cassette.shown == "golden/long.cassette.jsonl"
    assert suite.cassette.path == golden.path / "long.cassette.jsonl"
    assert not suite.cassette.path.exists()


def test_pairs_that_do_not_exist_are_refused(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """A wrong name never ends in an empty pair; a model is asked about what it does not skip."""
    llama = 'endpoint = "ollama"\nmodel = "llama3"\n'
    golden.spoil(
        "summeval.toml",
        "[thresholds]\n",
        f'[systems.llama3]\n{llama}[systems.half]\n{llama}skip = ["zinc-01"]\n[thresholds]\n',
    )
    suite = golden.load()
    assert suite.paper_ids_of("llama3") == ("zinc-01", "zinc-02")
    assert suite.paper_ids_of("half") == ("zinc-02",)
    pairs = [
        ("zinc-3", "careful"),
        ("zinc-01", "ters"),
        ("zinc-02", "terse"),
        ("zinc-01", "llama3"),
    ]
    assert [mistake(partial(suite.pair, *pair)) for pair in pairs] == snapshot


def test_system_of_the_command_line_joins_those_of_the_suite(golden: Golden) -> None:
    """It is gated over the same papers, and the suite that was loaded stays as it is."""
    suite = golden.load()
    place = Place("--summ-model=nemo")
    spec = SystemSpec(name="nemo", endpoint="ollama", model="nemo", place=place)
    wider = suite.with_system(spec)
    assert (tuple(wider.systems), tuple(suite.systems)) == (
        ("careful", "terse", "nemo"),
        ("careful", "terse"),
    )
    assert (wider.systems["nemo"], wider.place_of("nemo")) == (spec, place)
    assert wider.paper_ids_of("nemo") == ("zinc-01", "zinc-02")
    assert wider.fingerprint == suite.fingerprint
    assert wider.pair("zinc-01", "careful") == suite.pair("zinc-01", "careful")
