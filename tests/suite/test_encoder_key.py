from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite.suite import load_suite
from tests.label_suite import mistake, write_suite

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.suite.suite import Suite

WANTS_IT = "eva_premises = 3"


def suite_with(folder: Path, *lines: str) -> Suite:
    """The suite with these lines at its top."""
    written = folder if folder.exists() else write_suite(folder)
    toml = written / "summeval.toml"
    toml.write_text("\n".join([*lines, toml.read_text("utf-8")]), encoding="utf-8")
    return load_suite(written)


def test_a_folder_beside_the_suite_file_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its papers are: a suite that is moved or run from elsewhere finds its own model."""
    model = write_suite(tmp_path / "moss") / "models" / "tiny"
    model.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    suite = suite_with(tmp_path / "moss", WANTS_IT, 'encoder = "models/tiny"')
    assert suite.variants.eva.encoder == str(model)


def test_another_name_is_left_to_the_machine(tmp_path: Path) -> None:
    """A model's name in Hugging Face's cache is the same everywhere; reading looks nowhere."""
    suite = suite_with(tmp_path / "moss", "eva_relations = true", 'encoder = "moss/tiny"')
    assert suite.variants.eva.encoder == "moss/tiny"


@pytest.mark.parametrize("name", ["../tiny", "{}/tiny", "~/tiny", "tiny"])
def test_a_folder_elsewhere_is_not_loaded_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A suite may not choose what of this machine is read as a model."""
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    encoder = f'encoder = "{name.format(tmp_path)}"'
    message = mistake(lambda: suite_with(tmp_path / "moss", WANTS_IT, encoder))
    assert "summeval.toml:2: " in message
    assert "leads out of the suite's folder" in message
    assert load_suite(tmp_path / "moss", allow_outside=True).variants.eva.encoder


def test_without_the_key_there_is_none(tmp_path: Path) -> None:
    """TF-IDF needs no model."""
    assert suite_with(tmp_path / "moss", WANTS_IT).variants.eva.encoder is None


def test_an_encoder_that_nothing_asks_is_refused(tmp_path: Path) -> None:
    """The user thinks that it does something."""
    message = mistake(lambda: suite_with(tmp_path / "moss", 'encoder = "moss/tiny"'))
    assert message.endswith(
        "summeval.toml:1: 'encoder' of the suite finds similar facts, and nothing asks for them;"
        " add eva_premises = 3 or eva_relations = true, or delete it"
    )


@pytest.mark.parametrize("value", ["true", '""', "3"])
def test_an_encoder_is_a_name(tmp_path: Path, value: str) -> None:
    """With the line."""
    message = mistake(lambda: suite_with(tmp_path / "moss", WANTS_IT, f"encoder = {value}"))
    assert "summeval.toml:2: 'encoder' of the suite is " in message
