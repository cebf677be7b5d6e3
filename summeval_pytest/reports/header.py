"""One line at the top of a run: who judges, what is remembered, what is gated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence


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
