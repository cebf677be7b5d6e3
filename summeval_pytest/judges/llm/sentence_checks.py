"""Sentences checked against a source, with quotations as evidence that are looked up there.

A quotation is accepted in the sentence that it names, if its words stand there in a row, or nine in
ten of them in order with the same numbers, signs and negations. Else it is looked for in the whole
source by the same rule. Else it is ungrounded.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from summeval_pytest import questions as q
from summeval_pytest.judges.llm import prompts, replies
from summeval_pytest.judges.llm.asking import Poll
from summeval_pytest.judges.llm.prompts import NO_EXAMPLES, Examples
from summeval_pytest.text.output import read_text
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.sentences import split_sentences

SENTENCES_PER_REQUEST: Final = 15
NO_EVIDENCE: Final = "called supported without evidence, which a strict judge may not"
_REASON: Final = 300
"""Characters of a free reply that are its reason."""
_READ: Final = 20_000
"""Characters of a free reply that are read; one word and quotations take fewer."""
_LABEL: Final = "Does the source support the sentence? Reply with yes or no, one word."
_QUOTES: Final = (
    "Does the source support the sentence? Reply with yes or no, and after it, each in parentheses,"
    " the sentences of the source that support it, copied exactly."
)


class _Evidence(replies.Values):
    id: replies.Whole
    quote: replies.Line


class _SentenceEntry(replies.Entry):
    reason: replies.Line
    evidence: list[_Evidence]
    label: Literal["supported", "unsupported"]
    error: Literal["none", q.SentenceError] = "none"


class _FactualEntry(replies.Entry):
    reason: replies.Line
    label: Literal["true", "not_true"]


def sentence_example(question: q.CheckSentences, labels: Mapping[int, tuple[bool, str]]) -> str:
    """Sentences that people labelled, as a message shows them.

    ``labels`` are by number, from 1: whether people call the sentence faithful, and the kind of
    error that they name, which may be empty. People gave no quotations, so it shows none.
    """
    checks = [
        {"id": id_}
        | ({"reason": error} if error else {})
        | {"label": "supported" if is_faithful else "unsupported"}
        for id_, (is_faithful, error) in labels.items()
    ]
    answer = json.dumps({"checks": checks}, ensure_ascii=False)
    blocks = (
        prompts.block("example source", prompts.numbered(question.source)),
        prompts.block("example sentences", prompts.numbered(question.sentences)),
        prompts.block("example labels", [prompts.inert(answer)]),
    )
    return "\n\n".join(blocks)


def sentence_batch(
    question: q.CheckSentences, manner: q.SentenceManner, examples: tuple[str, ...] = ()
) -> prompts.PromptBatch[q.SentenceCheck]:
    """Asks whether a source supports sentences; evidence is looked up there.

    A strict manner makes a sentence without evidence unsupported, whatever its label. Examples
    stand before the source. A manner that asks for free text has none.
    """
    sentences, source = question.sentences, question.source

    def check(
        is_supported: bool,
        given: list[Quote],
        reason: str,
        error: q.SentenceError | Literal[""] | None = None,
    ) -> q.SentenceCheck:
        evidence, n_ungrounded, n_copied = look_up(given, source, sentences)
        if manner.strict and is_supported and not evidence:
            is_supported, reason = False, f"{reason} ({NO_EVIDENCE})"
            error = None if error is None else "invented"
        return q.SentenceCheck(
            reason=reason,
            supported=is_supported,
            evidence=evidence,
            n_ungrounded=n_ungrounded,
            n_copied=n_copied,
            error=error,
        )

    if manner.mode != "quotes":
        return _free_batch(question, manner.mode, check)

    def check_of(entry: _SentenceEntry) -> q.SentenceCheck:
        given = [Quote(one.id - 1, one.quote) for one in entry.evidence]
        is_supported = entry.label == "supported"
        named = None if entry.error == "none" else entry.error
        return check(is_supported, given, entry.reason, "" if is_supported else named)

    return prompts.entries_batch(
        "sentence_checks",
        "checks",
        _SentenceEntry,
        check_of,
        texts=sentences,
        parts=lambda ids: [
            *examples,
            prompts.block("source", prompts.numbered(source)),
            prompts.block("sentences", prompts.numbered(sentences, ids)),
            f"Check sentences: {prompts.span(ids)}.",
        ],
        size=SENTENCES_PER_REQUEST,
        prompt=("sentence_checks", "sentence_examples") if examples else (),
    )


def _free_batch(
    question: q.CheckSentences,
    mode: q.SentenceMode,
    check: Callable[[bool, list[Quote], str], q.SentenceCheck],
) -> prompts.PromptBatch[q.SentenceCheck]:
    """Asks about one sentence a request, for a reply in free text."""
    sentences, source = question.sentences, question.source
    with_quotes = mode == "label-and-sentences"
    kind: prompts.Kind = "sentence_quotes" if with_quotes else "sentence_labels"

    def read(text: str, ids: prompts.Ids) -> replies.Read[q.SentenceCheck]:
        reply = str(replies.as_line(read_text(text).text)).strip()[:_READ]
        said, groups = parted(reply)
        is_supported = read_verdict(said)
        given = quotations(groups if with_quotes else [], source)
        return dict.fromkeys(ids, check(is_supported, given, one_line(reply, _REASON)))

    return prompts.PromptBatch(
        topic=prompts.about(kind, sentences),
        units=prompts.apart(sentences),
        size=1,
        system=prompts.instructions(kind),
        parts=lambda ids: [
            prompts.block("source", map(prompts.inert, source)),
            prompts.block("sentence", [prompts.inert(sentences[id_ - 1]) for id_ in ids]),
            _QUOTES if with_quotes else _LABEL,
        ],
        schema=lambda _: None,
        read=read,
    )


def factual_batch(sentences: tuple[str, ...], ids: tuple[int, ...]) -> prompts.PromptBatch[bool]:
    """Asks whether some sentences (numbers from 1) are true by general knowledge.

    The request shows the others, too, since "it" and "they" are nothing by themselves.
    """
    return prompts.entries_batch(
        "factual_checks",
        "checks",
        _FactualEntry,
        lambda entry: entry.label == "true",
        texts=[sentences[id_ - 1] for id_ in ids],
        parts=lambda ids: [
            prompts.block("sentences", prompts.numbered(sentences)),
            f"Check sentences: {prompts.span(ids)}.",
        ],
        size=SENTENCES_PER_REQUEST,
        units=tuple((id_,) for id_ in ids),
    )


async def check_sentences(
    question: q.CheckSentences,
    manner: q.SentenceManner,
    poll: Poll,
    labelled: Examples = NO_EXAMPLES,
) -> q.SentenceChecks:
    """Whether the source supports each sentence; an empty one supports none.

    A factual manner asks, too, whether the unsupported ones are true all the same.
    """
    if not question.source:
        nothing = q.SentenceCheck(reason="there is no source", supported=False)
        return q.SentenceChecks((nothing,) * len(question.sentences))
    examples = labelled.choose(" ".join(question.source))
    batch = sentence_batch(question, manner, examples)
    outcomes = await poll.outcomes(batch, lambda one: one.supported)
    checks = dict(enumerate(outcomes, start=1))
    answered = {id_: one for id_, one in checks.items() if isinstance(one, q.SentenceCheck)}
    poll.counts.n_ungrounded_quotes += sum(check.n_ungrounded for check in answered.values())
    unsupported = tuple(id_ for id_, check in answered.items() if not check.supported)
    if manner.factual and unsupported:
        facts = await poll.outcomes(factual_batch(question.sentences, unsupported), bool)
        for id_, is_true in zip(unsupported, facts, strict=True):
            if not isinstance(is_true, q.Unanswered):
                checks[id_] = replace(answered[id_], factual=is_true)
    return q.SentenceChecks(tuple(checks.values()))


LEAST_SHARE: Final = 0.9
"""Share of a quotation's words that have to stand in a sentence in order."""
LEAST_WORDS: Final = 3
"""What is shorter stands anywhere, and is accepted only in the sentence that it names."""
MOST_WORDS: Final = 200
"""What is longer has to stand somewhere as it is: comparing takes time with the square."""
MOST_BEYOND: Final = 1000
"""Characters that a quotation may have more than its whole source, for marks around its words."""
WIDEST_GAP: Final = 3
"""An ellipsis stands for so many sentences at most; over a wider gap only its ends are evidence."""

ELLIPSIS = re.compile(r"\s*(?:[\[(]\s*)?(?:\.\s?\.\s?\.+|\u2026)(?:\s*[\])])?\s*")
"""Words left out: three dots or their sign, in brackets or not."""
_WORD = re.compile(
    r"(?:(?<![\w.)%])[-\u2212\u2013])?(?:\d+(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|[^\W\d_]+(?:['\u2019][^\W\d_]+)?\d*|[%<>=\u2264\u2265\u00b1]"
)
_NEGATIONS: Final = frozenset(
    """
    no not non nor none never neither nothing nobody nowhere cannot without lack lacks lacked
    lacking absent absence unable fail fails failed hardly
    """.split()
)


_LONGEST_WORD: Final = 1000

NOWHERE: Final = -1
"""In place of a sentence's number, for a quotation that names none."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a judge says stand in a sentence of the source, which it names from 0."""

    sentence: int
    text: str


_End = tuple[int, int]
"""Where quoted words stand: a sentence, and before which of its words they end."""


def words_of(text: str) -> tuple[str, ...]:
    """The words, numbers and comparisons of a text, alike however they are typed."""
    if not text.isascii():
        # Word by word, which changes nothing: a long run of accents takes time with its square.
        text = " ".join(
            word if len(word) > _LONGEST_WORD else unicodedata.normalize("NFKC", word)
            for word in text.split(" ")
        )
    words = _WORD.findall(text)
    return tuple([word.casefold() if word.isalpha() else _plain(word) for word in words])


@lru_cache(maxsize=8192)
def _inert_words(sentence: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The words of a sentence as a request shows it, in order and each once."""
    words = words_of(prompts.inert(sentence))
    return words, frozenset(words)


def _plain(word: str) -> str:
    """A word with more in it than letters."""
    word = word.replace("\u2019", "'").replace("\u2212", "-").replace("\u2013", "-")
    if not word[-1].isdigit() or word[0].isalpha():
        return word.casefold()
    number = word.replace(",", "")
    return re.sub(r"\A(-?)\.", r"\g<1>0.", number)


def look_up(
    quotes: Sequence[Quote], source: Sequence[str], summary: Sequence[str] = ()
) -> tuple[tuple[int, ...], int, int]:
    """The sentences that hold these quotations, in the order quoted, each once.

    Then how many quotations no sentence of the source holds, and how many of these were copied from
    the sentences asked about, the ``summary`` (FareBio, Table 5).
    """
    sentences: dict[int, None] = {}
    n_ungrounded = n_copied = 0
    for quote in quotes:
        places = _find(quote, source)
        sentences.update(dict.fromkeys(places))
        if not places:
            n_ungrounded += 1
            n_copied += bool(_find(Quote(NOWHERE, quote.text), summary))
    return tuple(sentences), n_ungrounded, n_copied


def _find(quote: Quote, source: Sequence[str]) -> tuple[int, ...]:
    """The sentences that hold one quotation; none where it is ungrounded."""
    if len(quote.text) > MOST_BEYOND + sum(map(len, source)):
        return ()
    whole = _search(words_of(quote.text), quote.sentence, source)
    if whole is not None:
        return whole[:1]
    anchors = [words_of(piece) for piece in ELLIPSIS.split(quote.text) if piece]
    if len(anchors) < 2 or any(len(anchor) < LEAST_WORDS for anchor in anchors):  # noqa: PLR2004
        return ()
    first = _search(anchors[0], quote.sentence, source)
    return () if first is None else _follow(first, anchors[1:], source)


def _follow(
    last: _End, anchors: Sequence[tuple[str, ...]], source: Sequence[str]
) -> tuple[int, ...]:
    """The sentences from one anchor to the next; none where an anchor does not follow."""
    places = [last[0]]
    for anchor in anchors:
        rest = (
            _stands(anchor, source[place], place, last[1] if place == last[0] else 0)
            for place in range(last[0], len(source))
        )
        following = next(filter(None, rest), None)
        if following is None:
            return ()
        between = range(last[0] + 1, following[0])
        places += [*(between if len(between) <= WIDEST_GAP else ()), following[0]]
        last = following
    return tuple(dict.fromkeys(places))


def _search(quoted: tuple[str, ...], named: int, source: Sequence[str]) -> _End | None:
    """Where words stand: in the sentence named, else in the nearest other one."""
    if quoted and 0 <= named < len(source) and (there := _stands(quoted, source[named], named)):
        return there
    if len(quoted) < LEAST_WORDS:
        return None
    places = sorted(range(len(source)), key=lambda place: abs(place - named))
    return next(filter(None, (_stands(quoted, source[place], place) for place in places)), None)


def _stands(quoted: tuple[str, ...], text: str, place: int, begin: int = 0) -> _End | None:
    """Where a sentence holds quoted words, from one of its words on."""
    least = LEAST_SHARE * len(quoted)
    sentence, words = _inert_words(text)
    if sum(map(words.__contains__, quoted)) < least:  # of most sentences: a fast look
        return None
    for start in range(begin, len(sentence) - len(quoted) + 1):
        if sentence[start : start + len(quoted)] == quoted:
            return place, start + len(quoted)
    rest = sentence[begin:]
    if len(quoted) > MOST_WORDS or sum((Counter(quoted) & Counter(rest)).values()) < least:
        return None
    matched = _in_order(quoted, rest)
    if len(matched) < least:
        return None
    upto = rest[: matched[-1] + 1]
    start = len(upto) - 1 - _in_order(quoted[::-1], upto[::-1])[-1]
    exact = [  # numbers, comparisons and negations
        [w for w in words if not w[0].isalpha() or w in _NEGATIONS or w.endswith("n't")]
        for words in (upto[start:], quoted)
    ]
    return (place, begin + len(upto)) if exact[0] == exact[1] else None


def _in_order(quoted: tuple[str, ...], sentence: tuple[str, ...]) -> list[int]:
    """Places in a sentence of the most words that both have in the same order."""
    longest = [[0] * (len(sentence) + 1) for _ in range(len(quoted) + 1)]
    for i in reversed(range(len(quoted))):
        for j in reversed(range(len(sentence))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if quoted[i] == sentence[j]
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    places, i, j = [], 0, 0
    while i < len(quoted) and j < len(sentence):
        if quoted[i] == sentence[j]:
            places.append(j)
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return places


LEAST_QUOTED_WORDS: Final = 2
"""What has fewer words between parentheses is no quotation: "(p < 0.05)", "(1)"."""
_VERDICT_WORDS: Final = 3
_OPENING_WORDS: Final = 6
"""Where a yes is weakened by a word that may also stand in a sentence about the matter."""
_ASCII: Final = str.maketrans("\uff08\uff09", "()")
_LEAD = re.compile(
    r"[\W_]*(?:(?:my |the |final )*(?:answer|label|verdict|decision|judge?ment)(?: is)?\b[\W_]*)?"
)
_BOTH = re.compile(r"(?:yes\s*(?:/|or\b)\s*no|no\s*(?:/|or\b)\s*yes)\b")
_HEDGE = re.compile(
    r"\b(?:but|except|although|though|however|partial|partially|partly|in part|half|somewhat"
    r"|mostly|largely|mainly|roughly|perhaps|possibly|probably|likely|maybe|unclear|mixed|and no"
    r"|to (?:some|a certain) (?:degree|extent)"
    r"|not (?:fully|entirely|completely|wholly|exactly|quite|directly|explicitly))\b"
)
_DENIAL = re.compile(
    r"\bunsupported\b|\bno (?:direct |explicit |clear )?(?:support|mention)\b"
    r"|(?:\b(?:not|never|cannot|partially|partly|only in part|half)|n['\u2019]t)[\s-]+"
    r"(?:\w+\s+){0,3}?(?:support(?:ed|s)?\b|stated?\b|mention(?:ed)?\b|"
    r"(?:found|given|backed|confirmed) (?:\w+ )?(?:in|by) the (?:source|text|paper|article))"
)
_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201c\u201d]*\u201d')
_MARKS: Final = '"\u201c\u201d'


def parted(reply: str) -> tuple[str, list[str]]:
    """What a reply says itself, and what stands between its outermost parentheses.

    Its own words have no quotation of more than three. The last parenthesis need not be closed; a
    closing one that nothing opened is left alone.

    >>> parted("Yes (It fell (p < 0.05).) (It rose.)")
    ('Yes', ['It fell (p < 0.05).', 'It rose.'])
    """
    text = reply.translate(_ASCII)
    outside: list[str] = []
    groups: list[str] = []
    depth = start = 0
    for place, character in enumerate(text):
        before = depth
        depth = max(0, depth + (character == "(") - (character == ")"))
        if bool(before) != bool(depth):
            (groups if before else outside).append(text[start:place])
            start = place + 1
    (groups if depth else outside).append(text[start:])

    def kept(quoted: re.Match[str]) -> str:
        return quoted.group() if len(quoted.group().split()) <= _VERDICT_WORDS else " "

    return " ".join(_QUOTED.sub(kept, " ".join(outside)).split()), groups


def read_verdict(said: str) -> bool:
    """Whether a reply calls the sentence supported.

    Yes at its start is a yes, unless the same words hedge it or deny it; no, a hedge or a denial at
    its start is a no.

    Raises:
        UnreadableError: if it begins with none of them, or with both yes and no to choose from.
    """
    said = said.casefold()
    lead = _LEAD.match(said)
    text = said[lead.end() :] if lead else said
    if not _BOTH.match(text):
        if re.match(r"no\b", text) or _HEDGE.match(text) or _DENIAL.match(text):
            return False
        if re.match(r"yes\b", text):
            opening = " ".join(text.split()[:_OPENING_WORDS])
            return not (_HEDGE.search(opening) or _DENIAL.search(text))
    fault = f"the reply begins {one_line(said, 40)!r}, with neither yes nor no"
    raise replies.UnreadableError("no_verdict", fault)


def quotations(groups: Iterable[str], source: Sequence[str]) -> list[Quote]:
    """The quotations in the parentheses of a reply.

    One pair of parentheses may hold several: in quotation marks, or as sentences or between
    semicolons, where it does not stand in the source as a whole.
    """

    def is_there(text: str) -> bool:
        return bool(_find(Quote(NOWHERE, text), source))

    quotes: list[Quote] = []
    for group in groups:
        marked = [piece.strip(_MARKS) for piece in _QUOTED.findall(group)]
        is_marked = marked and not words_of(_QUOTED.sub(" ", group))
        for piece in marked if is_marked else [group]:
            # No sentence ends at an ellipsis: both of its ends belong together.
            sentences = [s.text for s in split_sentences(ELLIPSIS.sub(" \u2026 ", piece))]
            for text in [piece] if is_there(piece) else sentences:
                parts = [text] if is_there(text) else text.split(";")
                quotes += [
                    Quote(NOWHERE, part)
                    for part in parts
                    if sum(word[0].isalpha() for word in words_of(part)) >= LEAST_QUOTED_WORDS
                ]
    return quotes
