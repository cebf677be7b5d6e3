from __future__ import annotations

from pkgutil import resolve_name

import pytest

from summeval_pytest.cli.app import DONE_BY
from summeval_pytest.cli.arguments import COMMANDS, parser


def test_every_command_that_is_offered_is_done() -> None:
    """One that stands in a single table could be asked for and not done, or the reverse."""
    assert {command.split()[0] for command in DONE_BY} == {name for name, _, _ in COMMANDS}


@pytest.mark.parametrize("command", DONE_BY)
def test_who_does_a_command_is_there(command: str) -> None:
    """A name in a table is looked up when it is wanted, which no type checker sees."""
    assert callable(resolve_name(f"summeval_pytest.cli.{DONE_BY[command]}"))


def test_help_offers_the_commands_in_order() -> None:
    """What a user reads first is the table that a maintainer adds a line to."""
    offered = parser().format_help().split("COMMAND\n")[-1]
    lines = [line.split()[0] for line in offered.splitlines() if line[:5].count(" ") == 4]
    assert lines == [name for name, _, _ in COMMANDS]
