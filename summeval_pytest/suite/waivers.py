"""Waivers as written: which number of which pair may fall short, until when, and who says so."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from summeval_pytest.suite.fields import brief
from summeval_pytest.suite.names import ALL_PAPERS
from summeval_pytest.suite.specs import tables_of
from summeval_pytest.suite.values import Waiver

if TYPE_CHECKING:
    from summeval_pytest.suite.fields import Fields
    from summeval_pytest.suite.roster import Roster
    from summeval_pytest.suite.toml_text import TomlText

_KEYS: Final = ("paper", "system", "finding", "least", "most", "owner", "reason", "expires")


def read_waivers(toml: TomlText, roster: Roster) -> tuple[Waiver, ...]:
    """The waivers in file order.

    Whether their findings are numbers that a threshold can hold is the verdict's business.

    Raises:
        SuiteError: At the first mistake in ``[waivers]``; for two waivers of the same number, too.
    """
    found: dict[tuple[str, str, str], Waiver] = {}
    for name, fields in tables_of(toml, "waivers", "waiver"):
        waiver = _waiver(toml, name, fields, roster)
        of = (waiver.paper, waiver.system, waiver.finding)
        if first := found.get(of):
            raise fields.fault(
                "finding",
                f"waiver {name!r} waives what waiver {first.name!r} on line {first.place.line}"
                " waives; delete one",
            )
        found[of] = waiver
    return tuple(found.values())


def _waiver(toml: TomlText, name: str, fields: Fields, roster: Roster) -> Waiver:
    fields.only(_KEYS)
    is_mean = fields.values.get("paper") == ALL_PAPERS
    paper = fields.text("paper") if is_mean else roster.paper(fields)
    return Waiver(
        name=name,
        paper=paper,
        system=roster.system(fields, paper),
        finding=fields.text("finding"),
        least=fields.number("least") if fields.has("least") else None,
        most=fields.number("most") if fields.has("most") else None,
        owner=fields.text("owner"),
        reason=fields.text("reason"),
        expires=_day(fields),
        place=toml.place("waivers", name),
    )


def _day(fields: Fields) -> str:
    """The last day of a waiver; TOML has dates, and a text that reads as one will do."""
    expected = "a day, expires = 2027-01-31"
    value = fields.value("expires", expected)
    if isinstance(value, str):
        try:
            value = dt.date.fromisoformat(value)
        except ValueError:
            raise fields.fault(
                "expires", f"'expires' of {fields.owner} is {brief(value)}; write {expected}"
            ) from None
    if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
        raise fields.wrong("expires", value, expected)
    return value.isoformat()
