"""A file of labels beside a suite: read as the suite reads its own, checked before it is there."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from summeval_pytest.suite.labels import read_labels
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.marking import label_object
from summeval_pytest.suite.roster import Roster
from summeval_pytest.suite.writing import json_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.marking import Marking
    from summeval_pytest.suite.suite import Suite


def roster_of(suite: Suite) -> Roster:
    """Who can be named in a suite's files."""
    return Roster(papers=suite.paper_ids, systems=suite.systems)


def read_label_file(
    file: Path, suite: Suite, shown: str | None = None
) -> Mapping[tuple[str, str], Label]:
    """The labels of a file, whether or not the suite names it, by paper and system.

    Raises:
        SuiteError: At the first mistake, with file and line, and for a file without any label.
    """
    return read_labels(TextFile(file, shown or file.as_posix()), roster_of(suite))


def label_lines(
    suite: Suite, markings: Iterable[Marking], about: Mapping[str, object]
) -> list[dict[str, object]]:
    """The label lines of these markings, one a pair: papers, then systems, in the suite's order.

    ``about`` goes to the end of each line; without ``labelled_by`` the annotators are named.
    """
    pairs: dict[tuple[str, str], list[Marking]] = {}
    for marking in markings:
        pairs.setdefault((marking.item.paper, marking.item.system), []).append(marking)
    order = {(p, s): (i, j) for i, p in enumerate(suite.paper_ids)
             for j, s in enumerate(suite.systems)}  # fmt: skip
    lines = []
    for pair in sorted(pairs, key=lambda pair: order[pair]):
        names = {name: None for marking in pairs[pair] for name in marking.annotator.split("\n")}
        by = ", ".join(filter(None, names))
        named = {"labelled_by": by} if by else {}
        lines.append({**label_object(pairs[pair]), **named, **about})
    return lines


def label_text(suite: Suite, lines: Iterable[Mapping[str, object]], shown: str) -> str:
    """The text of a label file, which the suite's own reader has accepted.

    Raises:
        SuiteError: At the first line that it refuses; the place is that of the file to be.
    """
    text = json_lines(lines)
    with TemporaryDirectory(prefix="summeval-") as folder:
        file = Path(folder) / "labels.jsonl"
        file.write_bytes(text.encode())
        read_label_file(file, suite, shown)
    return text
