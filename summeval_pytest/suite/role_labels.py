"""Sentence roles in a label: which facet each sentence of a summary states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from summeval_pytest.suite.fields import Fields

_EXPECTED: Final = "a list of {'text', 'facet'}"
_FACET: Final = f"one of {', '.join(FACETS)}, a list of those that are right, or null for none"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLabel:
    """One sentence of the summary, word for word, and what counts as the facet that it states.

    Several facets are right where the labels do not tell them apart, as a set without conclusions
    has them among the results; none is where the sentence states no facet.
    """

    text: str
    facets: tuple[Facet, ...]


def read_roles(fields: Fields) -> tuple[RoleLabel, ...]:
    """The roles of a label, in its order.

    Raises:
        SuiteError: For a sentence that stands there twice, and for an unknown facet.
    """
    labels: dict[str, RoleLabel] = {}
    for number, item in enumerate(fields.items("roles", _EXPECTED), start=1):
        owner = f"role {number} of {fields.owner}"
        inner = fields.inside("roles", item, owner, "an object with 'text' and 'facet'")
        inner.only(("text", "facet"))
        label = RoleLabel(text=inner.text("text"), facets=_facets(inner))
        stated = normalise(label.text)
        if stated in labels:
            raise inner.fault("text", f"{owner} stands there twice, {label.text!r}; delete one")
        labels[stated] = label
    return tuple(labels.values())


def _facets(fields: Fields) -> tuple[Facet, ...]:
    """The facets that are right, in reading order."""
    value = fields.value("facet", _FACET)
    if value is None:
        return ()
    named = value if isinstance(value, list) else [value]
    known = [facet for facet in FACETS if facet in named]
    if not named or len(known) != len(named):
        raise fields.wrong("facet", value, _FACET)
    return tuple(known)
