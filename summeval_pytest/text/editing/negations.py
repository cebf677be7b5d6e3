"""One sentence of a text denied, or a denial taken back: "did not differ" and "differed"."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.editing.claims import asks, denies, hedges
from summeval_pytest.text.editing.edits import Change, Edit, change_one
from summeval_pytest.text.editing.verbs import past, third_person

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DID_NOT = re.compile(
    r"\b(?<!and )(?<!or )(?P<aux>did|does|do)(?: not|n['\u2019]t) "
    r"(?P<adverb>(?!(?:app|supp|re|rep|imp|multip|comp)ly )[a-z]+ly )?"
    r"(?P<verb>[a-z]+)\b"
)
_BE_NOT = re.compile(
    r"\b(?P<aux>is|are|was|were|has|have|had|can|could|should|will|would)(?: ?not|n['\u2019]t) "
    r"(?!only\b|yet\b|necessarily\b|always\b|all\b)(?=[a-z])"
)
_NO_NOUN = re.compile(
    r"\b(?P<verb>had|has|have|showed|shows|found|detected|observed|saw|there (?:was|were|is|are))"
    r" no (?P<adjectives>(?:[a-z-]+ ){0,2}?)"
    r"(?P<noun>effect|difference|association|change|benefit|improvement|correlation|relation"
    r"|relationship|influence|impact|interaction|advantage|loss|increase|decrease)(?P<s>s?)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:any|either|neither|nor|until|unless|at all|instead)\b"
    r"|\bbut (?:rather|by|to|in|on|at|for|from|as|with|because)\b"
)
"""What only a denial can be followed by, or what stands in place of what is denied."""
_AUXILIARY = re.compile(
    r"\b(?P<aux>is|are|was|were|(?:has|have|had)(?= been\b)|can|will) (?P<next>[a-z][\w-]*)"
)
_PAST: Final = frozenset({"was", "were", "had"})
"""What was found is told in the past; what is common knowledge is not."""
_THERE_IS = re.compile(r"\b(?P<be>there (?:was|is)) an? (?=[a-z])", re.IGNORECASE)
_SUBORDINATE: Final = frozenset("as than what how if there which that who where when".split())
"""Before an auxiliary that is not the main clause's."""
_PARTIAL: Final = frozenset(
    """
    all both each every always almost nearly about also then thus therefore hence still often
    usually mainly mostly largely partly only more most less at as approximately generally
    typically further likely expected needed required
    """.split()
)
"""Words that a denial would leave half true, or ask for another word order."""

_TRANSITIVE: Final = """
    accelerate achieve activate affect alter boost cause change contain decrease delay double
    enhance exceed explain extend gain halve impair improve increase induce inhibit keep lengthen
    lift lose lower match maintain need outperform predict prevent produce protect raise reach
    reduce restore retain reveal shorten show slow suppress surpass tolerate trigger worsen
    strengthen weaken
    """.split()
_INTRANSITIVE: Final = """
    correlate decline decrease differ drop emerge fall grow improve increase lead occur persist
    respond result rise shrink vary
    """.split()
_OBJECT = re.compile(
    r"\s+(?:(?:the|an?|its|their|our|this|these|those|both|all|each|mean|median|total)\b"
    r"|\d|[A-Z][\w-]*[A-Z\d]|[A-Z][a-z]+\b)"
)
_AFTER_INTRANSITIVE = re.compile(
    r"\s+(?:from|by|to|with|in|at|after|between|among|during|over|when|significantly|markedly"
    r"|relative)\b"
)
_LAST_WORD = re.compile(r"([\w'\u2019%)-]+)\s\Z")
_NO_SUBJECT: Final = frozenset(
    """
    a an the its their our this these those of with without by to in on at for from as than more
    most less be been being is are was were has have had and or not no any each both all that
    which who
    """.split()
)
"""Before what is a participle or an adjective and no verb of a clause."""


def _forms() -> dict[str, tuple[str, str, re.Pattern[str]]]:
    """By finite form: its auxiliary, its base, and what may follow it."""
    forms: dict[str, tuple[str, str, re.Pattern[str]]] = {}
    for bases, follows in ((_INTRANSITIVE, _AFTER_INTRANSITIVE), (_TRANSITIVE, _OBJECT)):
        for base in bases:
            known = forms.get(past(base))
            pattern = re.compile(f"{known[2].pattern}|{follows.pattern}") if known else follows
            forms[past(base)] = ("did", base, pattern)
            forms[third_person(base)] = ("does", base, pattern)
    return forms


_FORMS: Final[Mapping[str, tuple[str, str, re.Pattern[str]]]] = MappingProxyType(_forms())
_BASES: Final = frozenset(base for _, base, _ in _FORMS.values())
_WORD = re.compile(r"[a-z]+")


def negate(text: str) -> Edit | None:
    """The text with one of its claims denied, or one of its denials made a claim.

    A denial that is taken back is preferred to a claim that is denied, and what was found to what
    may be or is recommended. Nothing is denied that the text only asks.
    """
    return change_one(text, _changes_of)


def _changes_of(sentence: str) -> Iterator[Change]:
    is_asked, is_hedged = asks(sentence), hedges(sentence)
    if not is_asked:
        for kind, start, end, new in _ways(sentence):
            yield Change(
                new=sentence[:start] + new + sentence[end:],
                before=sentence[start:end].strip(),
                after=new.strip(),
                rank=(is_hedged, kind),
            )


def _ways(sentence: str) -> Iterator[tuple[int, int, int, str]]:
    """What may be changed: how good a change it is, from where to where, and to what."""
    yield from _affirmed(sentence)
    if not denies(sentence):
        yield from _verbs_denied(sentence)
        yield from _auxiliaries_denied(sentence)


def _affirmed(sentence: str) -> Iterator[tuple[int, int, int, str]]:
    for match in _DID_NOT.finditer(sentence):
        if not _OPEN.search(sentence, match.end()) and not _goes_on(sentence, match.end()):
            aux, verb = match["aux"], match["verb"]
            form = past(verb) if aux == "did" else third_person(verb) if aux == "does" else verb
            yield 0, match.start(), match.end(), (match["adverb"] or "") + form
    for match in _BE_NOT.finditer(sentence):
        if not _OPEN.search(sentence, match.end()):
            yield 0, match.start(), match.end(), f"{match['aux']} "
    for match in _NO_NOUN.finditer(sentence):
        if not _OPEN.search(sentence, match.end()):
            what = f"{match['adjectives']}{match['noun']}{match['s']}"
            article = "" if match["s"] else "an " if what[0].lower() in "aeiou" else "a "
            yield 1, match.start(), match.end(), f"{match['verb']} {article}{what}"


def _goes_on(sentence: str, end: int) -> bool:
    """Whether a second verb hangs on the same "did not": "did not rise or fall"."""
    following = re.search(r"\b(?:or|and) ([a-z]+)", sentence[end:])
    return following is not None and following.group(1) in _BASES


def _verbs_denied(sentence: str) -> Iterator[tuple[int, int, int, str]]:
    for match in _WORD.finditer(sentence):
        form = _FORMS.get(match.group())
        subject = _LAST_WORD.search(sentence[: match.start()])
        if form is None or subject is None or not form[2].match(sentence, match.end()):
            continue
        word = subject.group(1).lower()
        if word not in _NO_SUBJECT and not word.endswith("ly"):
            yield 2, match.start(), match.end(), f"{form[0]} not {form[1]}"


def _auxiliaries_denied(sentence: str) -> Iterator[tuple[int, int, int, str]]:
    for match in _AUXILIARY.finditer(sentence):
        subject = _LAST_WORD.search(sentence[: match.start()])
        word = subject.group(1).lower() if subject else ""
        if word and word not in _SUBORDINATE and match["next"] not in _PARTIAL:
            new = "cannot" if match["aux"] == "can" else f"{match['aux']} not"
            yield 3 + (match["aux"] not in _PAST), *match.span("aux"), new
    for match in _THERE_IS.finditer(sentence):
        yield 3, *match.span(), f"{match['be']} no "
