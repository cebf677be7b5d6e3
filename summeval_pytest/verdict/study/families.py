"""Which judge and which system are of one family: by the stem of the model's name, or by word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_STEM = re.compile(r"[^\W\d_]+")


def stem_of(name: str) -> str:
    """The first run of letters of a model's name, behind a vendor's, in lower case.

    >>> stem_of("openai/GPT-4o-2024-08-06"), stem_of("llama2_70b"), stem_of("7")
    ('gpt', 'llama', '7')
    """
    last = name.rsplit("/", 1)[-1]
    found = _STEM.search(last)
    return (found.group() if found else last).lower()


def families_of(
    judges: Mapping[str, str], systems: Mapping[str, str], told: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The family of each judge, and that of each system.

    Args:
        judges: By name, the model that judges, or the name again.
        systems: By name, the model behind it, or the name again.
        told: What the user says, ``NAME=FAMILY`` each; where a judge and a system have one name,
            it is said of both.

    Raises:
        OptionError: for a text that says nothing, for a name that nobody has, and for two families
            of one name.
    """
    families = tuple({name: stem_of(of[name]) for name in of} for of in (judges, systems))
    told_of: dict[str, str] = {}
    for text in told:
        name, _, family = text.rpartition("=")
        if not name or not family:
            raise OptionError(f"--family={text}: no family; write NAME=FAMILY, as gpt35=openai")
        if not any(name in of for of in families):
            raise OptionError(
                f"--family={text}: no judge or system {name!r} is studied;"
                f" {nearest(name, {*judges, *systems})}"
            )
        if family.lower() != told_of.setdefault(name, family.lower()):
            raise OptionError(
                f"--family={text}: {name!r} is of family {told_of[name]!r} already; leave one out"
            )
        for of in families:
            if name in of:
                of[name] = family.lower()
    return families[0], families[1]
