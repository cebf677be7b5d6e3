"""One figure of a text made wrong: never by rounding, never one that the source states."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.editing.edits import Change, Edit, change_one
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.quantities import Quantity, find_quantities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_STEPS: Final = (2, 3, -3, -2, 4, -4, 5, -5, 6, -6, 7, -7)
"""What is added to the first digit, in this order: at least a quarter up or a fifth down."""
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*"
_NUM: Final = r"[-\u2212]?\d+(?:[.,]\d+)*\s?%?"
_TO: Final = r"\s?(?:-|\u2013|,|to|and)\s?"

_LABELLED = re.compile(
    r"\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|equations?|refs?|sections?|chapters?|types?|phases?"
    r"|grades?|stages?|class|levels?|groups?|arms?|cohorts?|models?|versions?|nos?|nr|study"
    r"|experiments?|trials?|cases?|scenarios?|steps?|parts?|layers?|days?|weeks?|months?|years?"
    r"|visits?|clusters?|chromosomes?|lines?|items?|questions?|factors?|per|rules?|releases?"
    rf"|sites?|alpha|numbers?|power of|{_MONTH}"
    r"|p(?:[ -]?values?)?\s*(?:of|was|were|[<>=\u2264\u2265]+))"
    r"\.?\s*\Z",
    re.IGNORECASE,
)
"""Before a number that is a label, a date, a base ("per 100") or a level of significance."""
_NAMED = re.compile(r"(?<=\w )[A-Z][\w-]*\s\Z")
"""Before a number that belongs to a name: "Rule 30"."""
_JOINED_BEFORE = re.compile(r"(?:\[|\u00b1|\+/-|\+-|\d\s?of\s|\d\s?[x\u00d7]\s?|[:/^_]|\d,)\s?\Z")
_JOINED_AFTER = re.compile(
    r"[^\W\d_]|\(|-[^\W\d_]|-\[|\s?[:/]\s?\d|,\d|\s?[x\u00d7]\s?\d|\s?\u00b1|\s?\+/-"
    r"|\s?%?\s*(?:CIs?|CrI|confidence|credible|intervals?|power)\b"
    rf"|\s{_MONTH}\b",
    re.IGNORECASE,
)
_NO_UNIT = re.compile(
    r"\s?[:/]\s?\d|,\d|-?[A-Z]\b"
    r"|\s?%?\s*(?:CIs?|CrI|confidence|credible|intervals?|power)\b"
)
"""After what looks like a figure with a unit and is none: "2D", "95% CI"."""
_CODE = re.compile(r"0\d")
_INTERVAL = re.compile(
    rf"(?:\bCIs?|\bCrI|\bIQR|\bintervals?|\brange)\b[^;()\[\]\d]{{0,12}}{_NUM}{_TO}{_NUM}"
    rf"|[(\[]\s*{_NUM}(?:\s?[^\W\d_]+)?{_TO}{_NUM}"
    rf"|(?<!from )(?<![\d.,])(?<!from [-\u2212]){_NUM}\s?(?:-|\u2013|to)\s?{_NUM}"
    rf"|\bbetween\s{_NUM}\sand\s{_NUM}",
    re.IGNORECASE,
)
"""Bounds, of which neither is a finding by itself."""
_FINDING = re.compile(
    r"\b(?:than|vs|versus|whereas|against|respectively|ratio|odds|risk|median|mean"
    r"|average|fell|r[io]se|rais\w+|gain\w*|increas\w+|decreas\w+|reduc\w+|improv\w+"
    r"|declin\w+|drop\w*|lower(?:s|ed)?|higher|differ(?:s|ed)?|found|showed|occurred|developed|detected"
    r"|reached|achieved|retained|kept|yielded|correlat\w+|associat\w+)\b",
    re.IGNORECASE,
)
"""A word by which findings are reported."""
_SET = re.compile(r"\b(?:at|from|to|between|until|before|after|within)\s\Z", re.IGNORECASE)
"""Before what was set by the authors, or belongs to another figure."""
_TOTAL = re.compile(r"\s?(?:of|out of)(?: the)?\s(?=\d)")
_FIRST_DIGIT = re.compile(r"[1-9]")
_UNIT_TOLD = re.compile(r"\s?%|\s?-?\s?[^\W\d_][^\s,;:()\[\]]*")
_YEARS: Final = range(1800, 2101)
_YEAR_DIGITS: Final = 4
_MAX_SHARE: Final = 100.0


def change_number(text: str, source: str) -> Edit | None:
    """The text with one figure changed by a fifth or more, to one that neither text states.

    Unit, format and decimals stay; a percentage stays at or under 100. Years, labels, levels of
    significance, bounds of intervals and numbers in words are left alone. Of several figures one
    that the source states is taken, if there is any; then one of a finding; then one with a unit.

    Args:
        text: The text to edit.
        source: All that the paper says, against which the new figure has to be false.
    """
    stated = find_quantities(normalise(source))
    known = (*stated, *find_quantities(normalise(text)))

    def changes_of(sentence: str) -> Iterator[Change]:
        bounds = [match.span() for match in _INTERVAL.finditer(sentence)]
        for figure in find_quantities(sentence):
            if _is_figure(sentence, figure, bounds):
                yield from _changed(sentence, figure, stated=stated, known=known)

    return change_one(text, changes_of)


def _is_figure(sentence: str, number: Quantity, bounds: Sequence[tuple[int, int]]) -> bool:
    """Whether a number measures or counts something, and stands for itself."""
    digits = sentence[number.start : number.end]
    if not digits[-1].isdigit() or _CODE.match(digits):
        return False
    before, after = sentence[: number.start], sentence[number.end :]
    if any(start <= number.start < end for start, end in bounds):
        return False
    is_year = len(digits) == _YEAR_DIGITS and digits.isdigit() and int(digits) in _YEARS
    if not number.unit and (is_year or _NAMED.search(before) or _JOINED_AFTER.match(after)):
        return False
    is_joined = _JOINED_BEFORE.search(before) or _NO_UNIT.match(after)
    return not (is_joined or _LABELLED.search(before) or _is_item(before, digits, after))


def _is_item(before: str, digits: str, after: str) -> bool:
    """Whether a number counts the items of a list: "(1)" or "1)"."""
    is_closed = digits.isdigit() and after.startswith(")")
    return is_closed and (before.endswith("(") or before.count("(") <= before.count(")"))


def _changed(
    sentence: str, figure: Quantity, *, stated: Sequence[Quantity], known: Sequence[Quantity]
) -> Iterator[Change]:
    """The sentence with this figure made wrong, if it can be."""
    rank = (
        not any(figure.agrees_with(other) for other in stated),
        not _FINDING.search(sentence),
        bool(_SET.search(sentence[: figure.start])),
        not figure.dimension,
    )
    unit = _UNIT_TOLD.match(sentence, figure.end) if figure.unit else None
    told = unit.group().rstrip(".") if unit else ""
    for new in _other_digits(sentence[figure.start : figure.end]):
        changed = sentence[: figure.start] + new + sentence[figure.end :]
        number = next((q for q in find_quantities(changed) if q.start == figure.start), None)
        if number is not None and _is_wrong(changed, number, figure, known):
            before = sentence[figure.start : figure.end] + told
            yield Change(new=changed, before=before, after=new + told, rank=rank)
            return


def _other_digits(digits: str) -> Iterator[str]:
    """The same number with another first digit."""
    first = _FIRST_DIGIT.search(digits)
    if first is None:
        return
    for step in _STEPS:
        digit = int(first.group()) + step
        if 1 <= digit <= 9:  # noqa: PLR2004  # a digit that is not 0
            yield digits[: first.start()] + str(digit) + digits[first.end() :]


def _is_wrong(sentence: str, number: Quantity, old: Quantity, known: Sequence[Quantity]) -> bool:
    """Whether a number is possible where it stands, and stated nowhere."""
    if (number.unit, number.decimals) != (old.unit, old.decimals):
        return False
    if number.unit == "%" and abs(number.value) > _MAX_SHARE >= abs(old.value):
        return False
    total = _TOTAL.match(sentence, number.end)
    if total and number.value > find_quantities(sentence[total.end() :])[0].value:
        return False
    return not any(number.agrees_with(q) or _rounds(q, number) for q in known)


def _rounds(rounded: Quantity, number: Quantity) -> bool:
    """Whether a number is a figure of the same kind, rounded; a bare 1 is not 0.54 rounded."""
    is_alike = rounded.dimension == number.dimension and (rounded.dimension or rounded.decimals)
    return bool(is_alike) and rounded.agrees_with(number)
