"""A run without the texts of its papers, summaries and replies, to hand on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar

from summeval_pytest.errors import Place
from summeval_pytest.metrics.number import Finding, NumberSpec
from summeval_pytest.metrics.own import Problem
from summeval_pytest.verdict.differences import Comparison
from summeval_pytest.verdict.run import PaperRecord, RunVerdict, SuiteRecord
from summeval_pytest.verdict.thresholds import Threshold, WaiverUse

LEFT_OUT: Final = "[left out]"
_KEPT: Final = frozenset({
    "baseline", "coverages", "digest", "error", "facet", "floors_of", "group", "id", "judge",
    "kind", "labels", "left_out", "metric", "name", "number", "numbers", "outcome", "paper",
    "papers", "rated", "removed", "signatures", "slice", "status", "summaries", "system", "title",
    "verdict",
})  # fmt: skip
"""The fields whose words stay: ids, names of numbers, kinds, outcomes, recipes, digests."""
_HARMLESS: Final = (Place, NumberSpec, Threshold, WaiverUse)
T = TypeVar("T")


def redacted(run: RunVerdict) -> RunVerdict:
    """The run with ids, numbers, outcomes, places and kinds of findings, and without any text.

    Whatever is not known to be harmless is left out: a reason, an error or a note may quote. The
    words of a suite's waivers and the names of files stay.
    """
    return replace(run, suites=tuple(map(_suite, run.suites)))


def _suite(suite: SuiteRecord) -> SuiteRecord:
    return replace(
        suite.with_pairs(_without_texts),
        papers=tuple(_paper(paper) for paper in suite.papers),
        systems=_without_texts(suite.systems),
        golden=_without_texts(suite.golden),
        golden_fault=_without_texts(suite.golden_fault),
        trust=_without_texts(suite.trust),
    )


def _paper(paper: PaperRecord) -> PaperRecord:
    return replace(_without_texts(paper), title="", source=())


def _without_texts(value: T) -> T:
    return _plain(value, is_kept=False)  # type: ignore[no-any-return]  # of the same type


def _plain(value: Any, *, is_kept: bool) -> Any:
    match value:
        case str():
            return value if is_kept or not value else LEFT_OUT
        case tuple():
            return tuple([_plain(each, is_kept=is_kept) for each in value])
        case Mapping():
            return {key: _plain(each, is_kept=is_kept) for key, each in value.items()}
        case _ if is_dataclass(value) and not isinstance(value, _HARMLESS):
            return _fields(value)
        case _:
            return value


def _fields(value: Any) -> Any:
    is_own = isinstance(value, Problem) or (isinstance(value, Finding) and value.kind == "own")
    kept = _KEPT - {"title", "verdict"} if is_own else _KEPT  # a custom metric may quote in these
    contents = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Comparison):  # the names of numbers decide
        open_rules = tuple((name, LEFT_OUT) for name, _ in value.undecided)
        kept, contents["undecided"] = kept | {"undecided"}, open_rules
    return replace(value, **{n: _plain(each, is_kept=n in kept) for n, each in contents.items()})
