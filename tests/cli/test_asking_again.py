from __future__ import annotations

from pathlib import Path

from tests.asked_suite import write_suite
from tests.cli.conftest import Shell
from tests.scripted_server import ScriptedServer


def test_asking_again_leaves_only_replies(
    tmp_path: Path, server: ScriptedServer, shell: Shell
) -> None:
    """Each of two commands asks everything, and removes what only it needed."""
    folder = write_suite(tmp_path / "kilns", server.url, head='labels = "labels.jsonl"')
    (folder / "labels.jsonl").write_text(
        '{"paper": "kiln", "system": "good", "overall": 0.5}\n'
        '{"paper": "moss", "system": "good", "overall": 0.75}\n',
        encoding="utf-8",
    )
    counts, message = [], list[str]()
    for _ in range(2):
        message += shell.lines("agree", "kilns", "--judge", "rule", "--record", "all")
        counts.append(server.n_requests)
    assert counts[1] == 2 * counts[0] > 0
    assert "2 labelled pairs, judge rule" in "\n".join(message)
    assert not [entry.name for entry in (tmp_path / "store").rglob("runs/*") if entry.is_dir()]
