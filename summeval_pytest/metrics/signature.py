"""The signature of a number: its recipe as one string.

    facet|empty:1|judge:offline-8|norm:5|references:best|split:5|suite:77be02a1c3d4|v:4|weights:.1,.3,.3,.3

Everything that can move the number is in it and nothing else: no date, host or worker count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, unquote

from summeval_pytest.metrics.facet import EMPTY_RATING, WEIGHTS
from summeval_pytest.metrics.faithfulness import MIN_CHARACTERS
from summeval_pytest.metrics.flow import MAX_UNANSWERED
from summeval_pytest.metrics.number import MetricName
from summeval_pytest.metrics.own import Metric, Options
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.text.reading import NORMALISER
from summeval_pytest.text.sentences import SPLITTER

_SAFE: Final = " ,./()+="
_LONGEST_OPTION: Final = 40


@dataclass(frozen=True, slots=True)
class Signature:
    """A metric's name and the recipe of its numbers, keys in order of their names."""

    metric: str
    recipe: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return _written(self)

    def differing(self, other: Signature) -> tuple[str, ...]:
        """The keys in which two recipes differ; empty where their numbers can be compared."""
        mine = dict(self.recipe) | {"metric": self.metric}
        others = dict(other.recipe) | {"metric": other.metric}
        return tuple(key for key in sorted(mine | others) if mine.get(key) != others.get(key))


@lru_cache(maxsize=64)
def _written(signature: Signature) -> str:
    """The text of a signature, cached: all pairs of a suite have the same three."""
    parts = (f"{quote(key, safe='')}:{quote(value, safe=_SAFE)}" for key, value in signature.recipe)
    return "|".join([quote(signature.metric, safe=_SAFE), *parts])


def weights_text(weights: Mapping[Facet, float]) -> str:
    """Weights of facets as a recipe has them, in reading order; only their ratios matter."""
    total = sum(weights.values())
    return ",".join(f"{weights[facet] / total:g}".lstrip("0") or "0" for facet in FACETS)


_SETTINGS: Final[Mapping[MetricName, Mapping[str, str]]] = MappingProxyType(
    {
        "facet": {
            "v": "4",
            "weights": weights_text(WEIGHTS),
            "empty": str(EMPTY_RATING),
            "references": "best",
        },
        "eva": {
            "v": "4",
            "recall": "matched",
            "premises": "all",
            "references": "best",
            "unanswered": f"{MAX_UNANSWERED:g}",
        },
        "faithfulness": {
            "v": "4",
            "min_chars": str(MIN_CHARACTERS),
            "unanswered": f"{MAX_UNANSWERED:g}",
        },
    }
)


def signature_of(
    metric: MetricName, *, judge: str, suite: str, variant: Mapping[str, str] = MappingProxyType({})
) -> Signature:
    """The recipe of a metric's numbers under one judge on the papers of one suite.

    ``judge`` is the judge's own signature, ``suite`` the fingerprint of its papers. What of the
    metric is not the default, its ``variant``, stands in place of the default's keys or beside.
    """
    parts = {"judge": judge, "norm": NORMALISER, "split": SPLITTER, "suite": suite}
    return Signature(metric, tuple(sorted({**parts, **_SETTINGS[metric], **variant}.items())))


def custom_signature(name: MetricName, metric: Metric, options: Options, suite: str) -> Signature:
    """The recipe of a custom metric's numbers: no judge, and hashes in place of long options."""
    recipe = {"norm": NORMALISER, "split": SPLITTER, "suite": suite, "v": metric.version}
    for key, value in options:
        text = str(value)
        if len(text) > _LONGEST_OPTION:
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            text = f"sha256-{digest[:12]}"
        recipe[f"option.{key}"] = text
    return Signature(name, tuple(sorted(recipe.items())))


def read_signature(text: str) -> Signature:
    """The signature that a string states.

    Raises:
        ValueError: if it is not one.
    """
    metric, *parts = text.split("|")
    recipe = []
    for part in parts:
        key, colon, value = part.partition(":")
        if not colon:
            raise ValueError(f"{part!r} in signature {text!r} has no value; it reads key:value")
        recipe.append((unquote(key), unquote(value)))
    return Signature(unquote(metric), tuple(recipe))
