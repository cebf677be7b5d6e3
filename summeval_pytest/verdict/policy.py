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
        floors: A table for each judge that has its own, and the one of every judge.
        waivers: What may fall short, and the day on which waivers are checked.
        rules: Which drops against a baseline fail.
    """

    thresholds: Thresholds
    floors: tuple[Floors, ...] = ()
    waivers: Waivers = field(default_factory=Waivers)
    rules: tuple[Rule, ...] = DEFAULT_RULES
