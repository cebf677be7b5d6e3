"""One line at the top of a run: who judges, what is remembered, what is gated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from summeval_pytest.store import Cassette


def header_line(
    *, judge: str, store: str, record: str, suites: Sequence[tuple[str, str, Sequence[str]]]
) -> str:
    """The line.

    Args:
        judge: The judge's signature.
        store: Where answers are remembered.
        record: The record mode.
        suites: Name, fingerprint and gated systems of each suite.
    """
    gated = ", ".join(
        f"{name} {fingerprint} ({', '.join(systems)})" for name, fingerprint, systems in suites
    )
    return one_line(f"summeval: judge {judge}, store {store}, record {record}, suite {gated}", 500)


def uncalibrated_lines(suites: Sequence[str]) -> Iterator[str]:
    """One line where suites have no labels, so that nobody knows how well the judge judges."""
    if suites:
        yield one_line(
            f"summeval: judge not calibrated: {', '.join(suites)}"
            f" {'has' if len(suites) == 1 else 'have'} no labels; see 'summeval agree'",
            500,
        )


def unheld_lines(suites: Sequence[tuple[str, Sequence[str]]], judge: str) -> Iterator[str]:
    """A line a suite with thresholds that the judge can measure nothing for."""
    for shown, names in suites:
        if names:
            yield one_line(
                f"summeval: judge {judge} rates facets only; not held in {shown}:"
                f" {', '.join(names)}",
                500,
            )


def cassette_lines(cassettes: Iterable[Cassette]) -> Iterator[str]:
    """One line a cassette: whoever edits a recorded reply changes its hash."""
    for cassette in cassettes:
        yield one_line(
            f"summeval: cassette {cassette.shown}, {len(cassette.rows):,}"
            f" {'reply' if len(cassette.rows) == 1 else 'replies'}, sha256 {cassette.sha256}",
            500,
        )
