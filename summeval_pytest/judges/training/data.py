"""The labelled sets, read where they lie."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Record = dict[str, Any]


def data_folder(description: str | None) -> Path:
    """The folder of sets that the command line names."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="folder of labelled sets"
    )
    folder: Path = parser.parse_args().data
    return folder


def records(folder: Path, name: str) -> Iterator[Record]:
    """The records of one file of JSON lines, such as ``csabstruct/dev.jsonl``."""
    with (folder / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
