"""What fits share: labelled sets, weights with their recipe, and the logistic regression.

    python -m tools.fitting.NAME --data ../shared/data

NAME is the model that is fitted: ``roles``, ``ratings``, ``presence``, ``support``, ``evidence`` or
``rarity``. No text of the sets goes into what is written.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import summeval_pytest.judges.offline.learned as reader
from summeval_pytest.judges.offline.support import SourceIndex
from summeval_pytest.study.agreement.coefficients import roc_auc_estimate
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts

Floats = NDArray[np.float64]


Record = dict[str, Any]
WEIGHTS: Final = Path(reader.__file__).parent / "weights"
N_FOLDS: Final = 5


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


@cache
def source_index(source: str, *, by_line: bool = False) -> SourceIndex:
    """The index of a source, made once; cut by line, or by our own rules."""
    cut = source.split("\n") if by_line else sentence_texts(normalise(source))
    return SourceIndex(tuple(cut))


def save(
    name: str, arrays: Mapping[str, NDArray[np.generic]], *, recipe: Mapping[str, Any]
) -> None:
    """Writes ``weights/NAME.npz`` and ``weights/NAME.json``; the same arrays give the same bytes.

    The recipe has ``data`` (the sets by name), ``method`` and ``scores`` (what was measured on
    papers that the fit had not seen); the ``command`` is added.
    """
    plain: dict[str, Any] = {key: np.asarray(array) for key, array in arrays.items()}
    np.savez_compressed(WEIGHTS / f"{name}.npz", **plain)
    command = f"python -m tools.fitting.{name} --data ../shared/data"
    whole = {"command": command, **recipe}
    text = json.dumps(whole, indent=2, ensure_ascii=False, sort_keys=True)
    (WEIGHTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def fit_logistic(
    features: Floats,
    labels: Floats,
    *,
    weights: Floats,
    ridge: float,
    starts: Floats | None = None,
) -> tuple[Floats, Floats]:
    """The slopes w and the intercepts b of the chance of 1 in each row.

        chance = 1 / (1 + exp(-(features @ w + starts @ b))),  no w below 0

    They minimise ``sum(weights * log loss) + ridge * |w|^2``. Labels are 0 to 1, a share where
    several people labelled a row; ``starts`` (rows, intercepts) is 1 where an intercept is the
    row's, one of all by default.
    """
    n = features.shape[1]
    rows = np.hstack([features, np.ones((len(features), 1)) if starts is None else starts])

    def loss(values: Floats) -> tuple[float, Floats]:
        logits, kept = rows @ values, np.where(np.arange(len(values)) < n, values, 0.0)
        lost = weights @ (np.logaddexp(0.0, logits) - labels * logits)
        slope = rows.T @ (weights * (chance(logits) - labels))
        return float(lost + ridge * kept @ kept), slope + 2 * ridge * kept

    bounds = [(0.0, None)] * n + [(None, None)] * (rows.shape[1] - n)
    found = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds).x
    return found[:n], found[n:]


def chance(logit: Floats) -> Floats:
    """The chances, 0 to 1, of which these are the logits."""
    found: Floats = 1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0)))
    return found


def folds(papers: Sequence[str]) -> NDArray[np.intp]:
    """A fold for each row, the same for all rows of a paper; papers are dealt out in order."""
    order = {paper: number for number, paper in enumerate(dict.fromkeys(papers))}
    return np.array([order[paper] % N_FOLDS for paper in papers])


def auc(labels: Floats, numbers: Floats) -> float:
    """The AUC of numbers against labels of 1 and 0; NaN where there is one kind only."""
    right = (labels == 1).tolist()
    every = ["all"] * len(right)
    area = roc_auc_estimate(every, right, numbers.tolist(), n_resamples=1, seed=0).value
    return float("nan") if area is None else area
