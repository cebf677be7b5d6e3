"""`summeval diff`: what a pull request changes of the measuring stick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from summeval_pytest.cli.parameters import AllowOutside, suite_of
from summeval_pytest.record.stick import stick_changes
from summeval_pytest.suite.revision import suite_at
from summeval_pytest.text.printing import one_line


def diff(
    base: Annotated[str, Parameter(name="BASE", help="a git revision, or a folder as ./FOLDER")],
    suite: Path = Path(),
    /,
    *,
    allow_outside: AllowOutside = False,
) -> list[str]:
    """Lists the changes since BASE, first those that can turn a red release green."""
    now = suite_of(suite, allow_outside=allow_outside)
    with suite_at(base, now.path, "BASE") as before:
        if before is None:
            return [one_line(f"{now.shown}: {base} has no such suite")]
        changes = stick_changes(before, now)
    if not changes:
        return [one_line(f"{now.shown}: nothing changed since {base}")]
    n_loose = sum(change.loosens for change in changes)
    counted = f"{len(changes)} changes since {base}, {n_loose} loosen the gate"
    return [
        one_line(f"{now.shown}: {counted}"),
        *(
            f"  {'loosens: ' if change.loosens else ''}{one_line(str(change), 200)}"
            for change in changes
        ),
    ]
