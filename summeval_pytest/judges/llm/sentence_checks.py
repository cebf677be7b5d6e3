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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from summeval_pytest import questions as q
from summeval_pytest.judges.llm import prompts, replies
from summeval_pytest.judges.llm.asking import Poll

SENTENCES_PER_REQUEST: Final = 15


class _Evidence(replies.Values):
    id: replies.Whole
    quote: replies.Line


class _SentenceEntry(replies.Entry):
    reason: replies.Line
    evidence: list[_Evidence]
    label: Literal["supported", "unsupported"]
    error: Literal["none", q.SentenceError] = "none"


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
    question: q.CheckSentences, examples: tuple[str, ...] = ()
) -> prompts.PromptBatch[q.SentenceCheck]:
    """Asks whether a source supports sentences; evidence is looked up there.

    Examples stand before the source.
    """
    sentences, source = question.sentences, question.source

    def check_of(entry: _SentenceEntry) -> q.SentenceCheck:
        given = [Quote(one.id - 1, one.quote) for one in entry.evidence]
        is_supported = entry.label == "supported"
        named = None if entry.error == "none" else entry.error
        return checked(is_supported, given, entry.reason, question, "" if is_supported else named)

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


def checked(
    is_supported: bool,
    given: Sequence[Quote],
    reason: str,
    question: q.CheckSentences,
    error: q.SentenceError | Literal[""] | None = None,
) -> q.SentenceCheck:
    """A check whose quotations are looked up in the source."""
    evidence, n_ungrounded, n_copied = look_up(given, question.source, question.sentences)
    return q.SentenceCheck(
        reason=reason,
        supported=is_supported,
        evidence=evidence,
        n_ungrounded=n_ungrounded,
        n_copied=n_copied,
        error=error,
    )


async def check_sentences(
    question: q.CheckSentences, batch: prompts.PromptBatch[q.SentenceCheck], poll: Poll
) -> q.SentenceChecks:
    """Whether the source supports each sentence; an empty one supports none."""
    if not question.source:
        nothing = q.SentenceCheck(reason="there is no source", supported=False)
        return q.SentenceChecks((nothing,) * len(question.sentences))
    checks = await poll.outcomes(batch, lambda one: one.supported)
    answered = [check for check in checks if isinstance(check, q.SentenceCheck)]
    poll.counts.n_ungrounded_quotes += sum(check.n_ungrounded for check in answered)
    return q.SentenceChecks(checks)


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
        places = find_quote(quote, source)
        sentences.update(dict.fromkeys(places))
        if not places:
            n_ungrounded += 1
            n_copied += bool(find_quote(Quote(NOWHERE, quote.text), summary))
    return tuple(sentences), n_ungrounded, n_copied


def find_quote(quote: Quote, source: Sequence[str]) -> tuple[int, ...]:
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
