from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.suite.values import SystemSpec

if TYPE_CHECKING:
    from tests.suite.conftest import Golden

LLAMA = '[systems.llama3]\nendpoint = "ollama"\nmodel = "llama3"\n'
"""A model under test, which comes before the suite's thresholds."""


def add(golden: Golden, table: str) -> None:
    """Writes one more table into the suite file."""
    golden.spoil("summeval.toml", "[thresholds]\n", f"{table}\n[thresholds]\n")


@pytest.mark.parametrize("number", ["nan", "inf", "100001", "-0.5", "true", '"1"'])
@pytest.mark.parametrize("key", ["input_price", "output_price", "cached_input_price"])
def test_price_that_is_none_is_refused(golden: Golden, key: str, number: str) -> None:
    """A budget that is held against it would never be over."""
    prices = {"input_price": "1", "output_price": "2", key: number}
    add(golden, LLAMA + "".join(f"{name} = {value}\n" for name, value in prices.items()))
    told = golden.mistake()
    assert f"'{key}' of system 'llama3' is " in told
    assert "number" in told


def test_free_model_has_a_price(golden: Golden) -> None:
    """0 is a price, and no word of it is none."""
    add(golden, f"{LLAMA}input_price = 0\noutput_price = 0.0\n")
    price = golden.load().systems["llama3"].price
    assert price is not None
    assert (price.input, price.output, price.cached_input) == (0, 0, None)


@pytest.mark.parametrize(
    "name", ["sk-marker-0a1b2c", "MY KEY", "1KEY", "$KEY", "K\\u00c9Y", "A\\n"]
)
def test_key_in_place_of_its_variable_is_not_shown(golden: Golden, name: str) -> None:
    """The message goes into logs; the file has to be mended anyway."""
    add(golden, f'[endpoints.openai]\napi_key_env = "{name}"\n')
    told = golden.mistake()
    assert "'api_key_env' of endpoint 'openai' is no name of an environment variable" in told
    assert name not in told


def test_model_may_skip_papers(golden: Golden) -> None:
    """It is asked for the others, though it has a summary of none yet."""
    add(golden, f'{LLAMA}skip = ["zinc-01"]\n')
    suite = golden.load()
    assert suite.paper_ids_of("llama3") == ("zinc-02",)
    assert suite.place_of("llama3") == suite.systems["llama3"].place


def test_system_of_the_command_line_is_added_to_a_copy(golden: Golden) -> None:
    """The suite that others hold stays as it was read."""
    suite = golden.load()
    spec = SystemSpec(
        name="llama3", endpoint="ollama", model="llama3", place=Place("--summ-model=llama3")
    )
    more = suite.with_system(spec)
    assert list(more.systems) == [*suite.systems, "llama3"]
    assert more.systems["llama3"] == spec
    assert "llama3" not in suite.systems
    assert more.paper_ids_of("llama3") == suite.paper_ids
    assert more.fingerprint == suite.fingerprint
    assert more.pair("zinc-01", "careful") == suite.pair("zinc-01", "careful")


@pytest.mark.parametrize(
    ("suite", "cassette"),
    [
        ("summeval.toml", "cassette.jsonl"),
        ("short.summeval.toml", "short.cassette.jsonl"),
    ],
)
def test_suite_has_a_cassette_beside_it(golden: Golden, suite: str, cassette: str) -> None:
    """Suites of one folder have one each; it need not be there yet."""
    (golden.path / "summeval.toml").rename(golden.path / suite)
    file = golden.load().cassette
    assert (file.path, file.shown) == (golden.path / cassette, f"golden/{cassette}")
    assert not file.path.exists()


@pytest.mark.parametrize(("written", "recall"), [("both", "both"), ("matched", "matched")])
def test_recall_is_chosen_in_the_suite(golden: Golden, written: str, recall: str) -> None:
    """Without a word it is both."""
    assert golden.load().variants.eva.recall == "both"
    golden.spoil("summeval.toml", "default_systems", f'eva_recall = "{written}"\ndefault_systems')
    assert golden.load().variants.eva.recall == recall


@pytest.mark.parametrize("content", [None, b"\xff {source}"])
def test_prompt_that_is_no_text_is_refused(golden: Golden, content: bytes | None) -> None:
    """A folder, or bytes that are no UTF-8."""
    if content is None:
        (golden.path / "short").mkdir()
    else:
        golden.write("short", content)
    add(golden, f'{LLAMA}prompt = "short"\n')
    assert "'prompt' of system 'llama3' is 'short', neither abstract nor plain" in golden.mistake()


def test_prompt_is_relative_to_the_suite(golden: Golden) -> None:
    """As every other file is: another machine has no such folder."""
    golden.write("short.txt", "{source}")
    add(golden, f'{LLAMA}prompt = "{(golden.path / "short.txt").as_posix()}"\n')
    assert "a path relative to the suite file's folder" in golden.mistake()
