"""Who can be named: the papers and systems of a suite, and the pairs that there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.suite.fields import brief
from summeval_pytest.suite.names import closest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from summeval_pytest.suite.fields import Fields
    from summeval_pytest.suite.values import SystemSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The papers and systems that other lines may name."""

    papers: Collection[str]
    systems: Mapping[str, SystemSpec]

    def paper(self, fields: Fields) -> str:
        """The paper that these fields name under ``paper``."""
        name = fields.text("paper")
        if name not in self.papers:
            raise fields.fault(
                "paper",
                f"{fields.owner} is for the unknown paper {brief(name)};"
                f" {closest(name, self.papers)}",
            )
        return name

    def system(self, fields: Fields, paper: str) -> str:
        """The system that these fields name under ``system``; it must not skip the paper."""
        name = fields.text("system")
        if name not in self.systems:
            raise fields.fault(
                "system",
                f"{fields.owner} is for the unknown system {brief(name)};"
                f" {closest(name, self.systems)}",
            )
        if paper in self.systems[name].skip:
            raise fields.fault(
                "system",
                f"{fields.owner} is for paper {paper!r}, which system {name!r} lists under"
                " 'skip'; delete one of the two",
            )
        return name
