"""What every fit reads and writes: labelled sets, and weights with their recipe.

    python -m tests.fitting.NAME --data ../shared/data

NAME is the model that is fitted: ``roles``, ``ratings``, ``presence``, ``support``, ``evidence`` or
``rarity``. No text of the sets goes into what is written.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import summeval_pytest.judges.offline.lexicon as reader
from summeval_pytest.judges.offline.support import SourceIndex
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

Record = dict[str, Any]
WEIGHTS: Final = Path(reader.__file__).parent / "weights"


def data_folder(description: str | None) -> Path:
    """The folder of sets that the command line names."""
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=shape)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    folder: Path = parser.parse_args().data
    return folder


def records(folder: Path, name: str) -> Iterator[Record]:
    """The records of one file of JSON lines, such as ``csabstruct/dev.jsonl``."""
    with (folder / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


class Sources:
    """The indices of the sources of a set, each made once; cut by line, or by our own rules."""

    def __init__(self, *, by_line: bool = False) -> None:
        self._by_line = by_line
        self._known: dict[str, SourceIndex] = {}

    def index(self, source: str) -> SourceIndex:
        """The index of a source."""
        if source not in self._known:
            cut = source.split("\n") if self._by_line else sentence_texts(normalise(source))
            self._known[source] = SourceIndex(tuple(cut))
        return self._known[source]


def save(
    name: str, arrays: Mapping[str, NDArray[np.generic]], *, recipe: Mapping[str, Any]
) -> None:
    """Writes ``weights/NAME.npz`` and ``weights/NAME.json``; the same arrays give the same bytes.

    The recipe has ``data`` (the sets by name), ``method`` and ``scores`` (what was measured on
    papers that the fit had not seen); the ``command`` is added.
    """
    plain: dict[str, Any] = {key: np.asarray(array) for key, array in arrays.items()}
    np.savez_compressed(WEIGHTS / f"{name}.npz", **plain)
    command = f"python -m tests.fitting.{name} --data ../shared/data"
    whole = {"command": command, **recipe}
    text = json.dumps(whole, indent=2, ensure_ascii=False, sort_keys=True)
    (WEIGHTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
