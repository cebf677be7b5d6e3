from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.analysis import agreement
from summeval_pytest.cli.app import main
from tests.asked_suite import by_rule, write_suite
from tests.scripted_server import ScriptedServer

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_asking_all_again_leaves_nothing_but_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of two commands asks everything, and removes what only it needed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(agreement, "RESAMPLES", 10)
    head = 'labels = "labels.jsonl"'
    command = ["agree", "kilns", "--judge", "rule", "--store", "store", "--record", "all"]
    with ScriptedServer(by_rule) as server:
        folder = tmp_path / "kilns"
        folder.mkdir()
        (folder / "labels.jsonl").write_text(
            '{"paper": "kiln", "system": "good", "overall": 0.5}\n'
            '{"paper": "moss", "system": "good", "overall": 0.75}\n',
            encoding="utf-8",
        )
        write_suite(folder, server.url, head=head)
        counts = []
        for _ in range(2):
            assert main(command) == 0
            counts.append(server.n_requests)
    assert counts[1] == 2 * counts[0] > 0
    assert "2 labelled pairs, judge rule" in capsys.readouterr().out
    assert not [entry.name for entry in (tmp_path / "store").rglob("runs/*") if entry.is_dir()]
