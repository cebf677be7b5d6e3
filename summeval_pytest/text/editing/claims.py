"""How a sentence claims something: what it leans on, asks, hedges, denies or compares."""

from __future__ import annotations

import re

_LEANS = re.compile(
    r"\W*(?:(?:this|that|these|those|it|its|they|their|them|he|she|his|her|such|both|each"
    r"|neither|the (?:latter|former|other|others|same|two|three)|here|there|then|thus|hence|so"
    r"|therefore|however|moreover|furthermore|further|also|additionally|in addition|in contrast"
    r"|by contrast|conversely|instead|nevertheless|nonetheless|consequently|accordingly"
    r"|finally|similarly|likewise|second|secondly|third|thirdly|next|overall|together|but|and"
    r"|or|yet|as a result|as expected|for (?:example|instance)|on the other hand)\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\W*[^\W\d_][\w/&-]*(?: [\w/&-]+){0,3}\s?:")
_ASKS = re.compile(
    r"\b(?:whether|if|hypothesi[sz]\w*|aim\w*|objectives?|purpose|predict(?:ed)? that)\b",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"\b(?:may|might|could|should|would|can|cannot|expect\w*|hoped?|believ\w*|thought|assum\w*|suggest\w*|propos\w*"
    r"|promot\w*|likely|possibl[ey]|perhaps|potential\w*|usual\w*|often|sometimes"
    r"|(?:is|are) needed|warranted|required|previous\w*|earlier stud\w+|future|limitations?)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:no|not|cannot|neither|nor|never|none|nothing|without|hardly|scarcely|barely"
    r"|un(?:changed|affected|altered|related)|fail\w*|lack\w*|absen\w+|no one|few|little)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:than|vs|versus|whereas|against|respectively|ratio|odds|risk|median|mean"
    r"|average|fell|r[io]se|rais\w+|gain\w*|increas\w+|decreas\w+|reduc\w+|improv\w+"
    r"|declin\w+|drop\w*|lower(?:s|ed)?|higher|differ(?:s|ed)?|found|showed|occurred|developed|detected"
    r"|reached|achieved|retained|kept|yielded|correlat\w+|associat\w+)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:()\[\]]")


def leans(sentence: str) -> bool:
    """Whether a sentence opens with what only the one before it explains."""
    return bool(_LEANS.match(sentence))


def is_labelled(sentence: str) -> bool:
    """Whether a sentence opens with a label, under which the next ones may stand, too."""
    return bool(_LABEL.match(sentence))


def asks(sentence: str) -> bool:
    """Whether a sentence says what was asked ("whether X helps"), so that its opposite is true."""
    return bool(_ASKS.search(sentence)) or sentence.rstrip().endswith("?")


def hedges(sentence: str) -> bool:
    """Whether a sentence says what may or should be, or what others do, and not what was found."""
    return bool(_HEDGES.search(sentence))


def denies(sentence: str) -> bool:
    """Whether a sentence, or a part of one, holds a word of denial."""
    return bool(_DENIES.search(sentence))


def compares(sentence: str) -> bool:
    """Whether a sentence has a word by which findings are reported."""
    return bool(_COMPARES.search(sentence))


def clause_at(sentence: str, place: int) -> str:
    """What stands around a place between commas, semicolons and brackets."""
    return _CLAUSE.split(sentence[:place])[-1] + _CLAUSE.split(sentence[place:])[0]
