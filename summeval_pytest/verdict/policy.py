"""What a release has to meet.

A policy is required and a record is measured: neither knows the other, and `verdict.decide` alone
brings them together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from summeval_pytest.verdict.floors import Floors  # noqa: TC001 - run records read it
from summeval_pytest.verdict.rules import DEFAULT_RULES, Rule
from summeval_pytest.verdict.thresholds import Thresholds  # noqa: TC001 - run records read it
from summeval_pytest.verdict.waivers import Waivers


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What one suite requires of a release.

    Attributes:
        floors: A table for each judge with its own floors, and one for all other judges.
        waivers: The waivers, and the day on which they are checked.
        rules: The drops against a baseline that fail.
    """

    thresholds: Thresholds
    floors: tuple[Floors, ...] = ()
    waivers: Waivers = field(default_factory=Waivers)
    rules: tuple[Rule, ...] = DEFAULT_RULES
