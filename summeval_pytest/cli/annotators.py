"""`summeval agree --compare`: how two annotators agree, as lines and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import check_writable, suite_of, write_text
from summeval_pytest.suite import read_label_file
from summeval_pytest.text import one_line
from summeval_pytest.verdict.annotators import annotator_agreement

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from summeval_pytest.verdict.annotators import AnnotatorAgreement, KindAgreement

_NAME: Final = 18


def compare_annotators(chosen: argparse.Namespace) -> list[str]:
    """The agreement of two label files, also written as JSON where a file is named.

    Raises:
        UsageError: for a mistake in the suite or a label file.
    """
    if chosen.json is not None:
        check_writable(chosen.json, "--json")
    suite = suite_of(chosen)
    first, second = chosen.compare
    found = annotator_agreement(read_label_file(first, suite), read_label_file(second, suite))
    if chosen.json is not None:
        write_text(chosen.json, "--json", json.dumps(agreement_json(found), indent=2) + "\n")
    return list(agreement_lines(found, first.as_posix(), second.as_posix()))


def agreement_lines(found: AnnotatorAgreement, first: str, second: str) -> Iterator[str]:
    """A table, a row a kind; figures that are undefined are ``-``."""
    n_first, n_second, n_both = found.n_pairs
    yield f"{one_line(first)}: {n_first} pairs labelled"
    yield f"{one_line(second)}: {n_second} pairs labelled, {n_both} of them by both"
    yield ""
    columns = f"{'items':>6}{'exact':>8}{'kappa':>8}{'quadratic':>11}"
    yield f"{'':<{_NAME}}{columns}{'only 1st':>10}{'only 2nd':>10}"
    for kind in found.kinds:
        yield _row(kind)
        if kind.kind == "sentence" and found.evidence.n_sentences:
            f1 = f"{found.evidence.n_sentences:>6}{_figure(found.evidence.f1):>8}"
            yield f"{'  evidence F1':<{_NAME}}{f1}"
    overall = found.overall
    if overall.n_pairs or any(overall.n_only):
        only = f"{overall.n_only[0]:>10}{overall.n_only[1]:>10}"
        yield f"{'overall':<{_NAME}}{overall.n_pairs:>6}{'':27}{only}"
    if overall.difference is not None:
        yield f"overall scores differ by {overall.difference:.3f} on average"
    if n_absent := sum(kind.n_absent for kind in found.kinds):
        yield f"facets that one rates and the other calls absent, in no figure: {n_absent}"


def _row(kind: KindAgreement) -> str:
    figures = f"{_figure(kind.exact):>8}{_figure(kind.kappa):>8}{_figure(kind.quadratic):>11}"
    return f"{kind.kind:<{_NAME}}{kind.n_items:>6}{figures}{kind.n_only[0]:>10}{kind.n_only[1]:>10}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def in_short(found: AnnotatorAgreement) -> str:
    """The agreement in one line, for a message: exact agreement and the kappa that fits."""
    parts = [
        f"{kind.kind} {_figure(kind.exact)} exact, kappa"
        f" {_figure(kind.kappa if kind.quadratic is None else kind.quadratic)} (n {kind.n_items})"
        for kind in found.kinds
        if kind.n_items
    ]
    return "; ".join(parts) or "no item that both have labelled"


def agreement_json(found: AnnotatorAgreement) -> dict[str, object]:
    """The figures as plain JSON values; an undefined one is null."""
    return {
        "pairs": dict(zip(("first", "second", "both"), found.n_pairs, strict=True)),
        "kinds": {
            kind.kind: {
                "items": kind.n_items,
                "exact": kind.exact,
                "kappa": kind.kappa,
                "quadratic_kappa": kind.quadratic,
                "absent_to_one": kind.n_absent,
                "only_first": kind.n_only[0],
                "only_second": kind.n_only[1],
            }
            for kind in found.kinds
        },
        "evidence": {"sentences": found.evidence.n_sentences, "f1": found.evidence.f1},
        "overall": {
            "pairs": found.overall.n_pairs,
            "mean_absolute_difference": found.overall.difference,
            "only_first": found.overall.n_only[0],
            "only_second": found.overall.n_only[1],
        },
    }
