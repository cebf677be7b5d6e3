"""Released files whose rows are smaller than a summary: sentences of abstracts, pairs of facts.

Each function makes, of the rows of a file, rows that have a summary each, at the place of the first
row that they are made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.suite.fields import Fields
from summeval_pytest.suite.role_labels import RoleLabel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from summeval_pytest.questions import Facet

AUTHORS: Final = "authors"
"""The system of abstracts that have no other summary: whoever wrote them."""

OF_SENTENCES: Final = ("doc_id", "sentence", "sentence_index", "bmrc")
OF_MATCHES: Final = (
    "paper_id", "system", "prediction_id", "reference_fact", "predicted_fact", "label",
)  # fmt: skip
"""The keys of a released row, by which a file of another set is known."""

_ROLES: Final[dict[object, tuple[Facet, ...]]] = {
    "B": ("background",),
    "M": ("method",),
    "R": ("result",),
    "C": ("conclusion",),
    None: (),
}
_ENDS: Final = ".?!"
_SENTENCE, _FACET = "sentence", "bmrc"


def abstracts(rows: Iterable[Fields]) -> Iterator[Fields]:
    """A row an abstract: its sentences as a running text, and the facets of each.

    Raises:
        SuiteError: For a sentence that is no text, a place that is no number, and another role.
    """
    return _abstracts(rows, _ROLES)


def abstracts_without_conclusions(rows: Iterable[Fields]) -> Iterator[Fields]:
    """The same of a set that labels conclusions as results: either is right for such a sentence."""
    return _abstracts(rows, {**_ROLES, "R": ("result", "conclusion")})


def _abstracts(
    rows: Iterable[Fields], meaning: dict[object, tuple[Facet, ...]]
) -> Iterator[Fields]:
    for (paper,), own in _gathered(rows, ("doc_id",)):
        in_order = sorted(own, key=lambda fields: fields.whole("sentence_index", least=0))
        roles = [_role(fields, meaning) for fields in in_order]
        yield _row(
            own,
            paper_id=paper,
            system=AUTHORS,
            abstract="".join(map(_with_space, roles)).rstrip(),
            roles=roles,
        )


def _with_space(role: RoleLabel) -> str:
    """A sentence and what parts it from the next: an empty line where it ends without a mark.

    So a sentence that the release has cut short is not run together with the one behind it.
    """
    return role.text + (" " if role.text[-1] in _ENDS else "\n\n")


def _role(fields: Fields, meaning: dict[object, tuple[Facet, ...]]) -> RoleLabel:
    expected = "B, M, R, C or null"
    role = fields.value(_FACET, expected)
    if role is not None and (not isinstance(role, str) or role not in meaning):
        raise fields.wrong(_FACET, role, expected)
    return RoleLabel(text=" ".join(fields.text(_SENTENCE).split()), facets=meaning[role])


def matches(rows: Iterable[Fields]) -> Iterator[Fields]:
    """A row a predicted fact, which is the summary: the reference's facts that it was held against.

    The reference are all facts of the paper that stand in the file, as its answers to questions;
    a pair on which the raters are of two minds (null) is left out.

    Raises:
        SuiteError: For a fact that is no question with its answer.
    """
    gathered = list(_gathered(rows, ("paper_id", "system", "prediction_id")))
    stated: dict[str, dict[str, None]] = {}
    for (paper, *_), own in gathered:
        stated.setdefault(paper, {}).update(dict.fromkeys(map(_reference_fact, own)))
    for (paper, system, part), own in gathered:
        told = [
            (_reference_fact(fields), label)
            for fields in own
            if (label := fields.value("label", "0, 1 or null")) is not None
        ]
        if told:
            yield _row(
                own,
                paper_id=paper,
                system=system,
                part=part,
                reference="\n\n".join(stated[paper]),
                reference_facts=list(stated[paper]),
                summary=_answer(own[0], "predicted_fact"),
                facts=[fact for fact, _ in told],
                labels=[label for _, label in told],
            )


def _reference_fact(fields: Fields) -> str:
    return _answer(fields, "reference_fact")


def _answer(fields: Fields, key: str) -> str:
    expected = "an object with 'question' and 'answer'"
    fact = fields.inside(key, fields.value(key, expected), f"{key!r} of {fields.owner}", expected)
    return " ".join(fact.text("answer").split())


def _gathered(
    rows: Iterable[Fields], keys: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], list[Fields]]]:
    """The rows that have the same texts under these keys, in the order of the first of each."""
    found: dict[tuple[str, ...], list[Fields]] = {}
    for fields in rows:
        found.setdefault(tuple(fields.text(key) for key in keys), []).append(fields)
    yield from found.items()


def _row(own: Sequence[Fields], **values: object) -> Fields:
    """A row made of others, at the place of the first."""
    return Fields(values=values, owner="this line", where=own[0].where)
