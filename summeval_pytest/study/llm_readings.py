"""The papers' own ways to ask an LLM judge: FM's readings of facets, FareBio's free replies.

A suite names them by ``use``. Anything else is asked as the core's LLM judge asks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache
from typing import Final, Literal

from summeval_pytest import questions as q
from summeval_pytest.judges.llm import prompts, replies
from summeval_pytest.judges.llm.asking import Poll
from summeval_pytest.judges.llm.facet_ratings import LEAST_COVERAGE, Style, labels_batch
from summeval_pytest.judges.llm.fact_requests import check_facts, list_facts
from summeval_pytest.judges.llm.llm_judge import CHECKED, SAMPLE, LlmJudge, hash_of
from summeval_pytest.judges.llm.prompts import NO_EXAMPLES, Examples
from summeval_pytest.judges.llm.sentence_checks import (
    ELLIPSIS,
    NOWHERE,
    SENTENCES_PER_REQUEST,
    Quote,
    checked,
    find_quote,
    words_of,
)
from summeval_pytest.run.judge_inputs import JudgeInputs
from summeval_pytest.suite.entries import Flag
from summeval_pytest.suite.values import JudgeSpec
from summeval_pytest.text.output import read_text
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.sentences import sentence_texts, split_sentences

Rubric = Literal["paper", "release"]
FacetReading = Literal["whole", "free", "sentences", "facts"]
SentenceMode = Literal["quotes", "label", "label-and-sentences"]
PROMPTS: Final = "summeval_pytest.study"
"""Where the prompt files of these ways are."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmReadings(JudgeSpec):
    """A model that judges in a way of the papers.

    Attributes:
        rubric: The words that explain a facet's ratings to the model. `"paper"`: those of the FM
            paper. `"release"`: those of its released prompts, for `free` and `sentences`.
        facets: What the judge compares with a facet of the reference. `"whole"`: the whole summary.
            `"free"`: the words that it copies from the summary for this facet. `"sentences"`: the
            sentences that state this facet. `"facts"`: the whole summary, fact by fact.
        sentences: What the judge is asked about a sentence (FareBio, Table 9). `"quotes"`: a label
            with quotations. `"label"`: yes or no, one sentence per request.
            `"label-and-sentences"`: the same, and the supporting sentences.
        strict: Whether a sentence counts as unsupported if the judge calls it supported but names
            no evidence. Not with `sentences = "label"`.
        factual: Whether the judge is also asked if an unsupported sentence is true in general.
    """

    rubric: Rubric = "paper"
    facets: FacetReading = "whole"
    sentences: SentenceMode = "quotes"
    strict: Flag = False
    factual: Flag = False

    def judge(self, given: JudgeInputs) -> ReadingJudge:
        """The judge of these keys, which asks the model as any LLM judge does."""
        if self.strict and self.sentences == "label":
            what = "goes with evidence, and sentences = 'label' asks for none"
            raise given.fault("strict", f"{what}; delete one of the two")
        return given.llm(self, ReadingJudge, keys=self)


def in_reading(style: Style, facets: FacetReading, rubric: Rubric) -> Style:
    """The style for a reading; ``facets`` and whole summaries have one rubric."""
    style = replace(style, facets=facets, rubric="" if rubric == "paper" else rubric)
    if facets == "whole":
        return style
    name = "facet_ratings_release" if rubric == "release" else "facet_ratings"
    return replace(style, main=f"{PROMPTS}/{name}")


@dataclass(eq=False)
class ReadingJudge(LlmJudge):
    """An LLM judge that asks about facets or sentences in a way of the papers."""

    _: KW_ONLY
    keys: LlmReadings

    def __post_init__(self) -> None:
        super().__post_init__()
        self.style = in_reading(self.style, self.keys.facets, self.keys.rubric)
        if self.keys.sentences != "quotes":  # free text has no examples
            self.labelled = NO_EXAMPLES

    @property
    def ways(self) -> str:
        """How it is asked about sentences; empty for the usual way."""
        return ways_of(self.keys.sentences, strict=self.keys.strict, factual=self.keys.factual)

    async def answer_one(self, question: q.Question, poll: Poll) -> q.Answer:
        """The answer to one question; an `IncompleteError` holds it where an item has no reply."""
        reading = self.keys.facets
        match question:
            case q.SegmentFacets(text) if reading == "free":
                question = q.SegmentFacets(text)  # a summary is cut as a reference is
            case q.SegmentFacets(text, is_summary) if text.strip() and (
                reading == "sentences" or (reading == "facts" and not is_summary)
            ):
                return await facets_of_sentences(text, poll)
            case q.RateFacets() if reading == "facts":
                return await rate_by_facts(question, poll, self.decided)
        answer = await super().answer_one(question, poll)
        if self.keys.factual and isinstance(question, q.CheckSentences):
            answer = await _with_factual(question, answer, poll)
        return answer

    def sentence_batch(self, question: q.CheckSentences) -> prompts.PromptBatch[q.SentenceCheck]:
        """How the model is asked about sentences."""
        batch = super().sentence_batch(question)
        if self.keys.sentences != "quotes":
            batch = free_batch(question, self.keys.sentences)
        return strictly(batch) if self.keys.strict else batch


@cache
def ways_of(mode: SentenceMode, *, strict: bool, factual: bool) -> str:
    """How a judge is asked about sentences, as its signature goes on; empty for the usual way.

    Labels under one prompt say nothing of another's, so each has digits of its own (FB7).
    """
    text = ""
    if mode != "quotes":
        text = f" sentences={mode}/{hash_of(free_batch(CHECKED, mode), ids=(1,))}"
    text += " strict=yes" if strict else ""
    if factual:
        batch = factual_batch(SAMPLE, (1, 2))
        text += f" factual={hash_of(batch, more=(batch.size,))}"
    return text


async def facets_of_sentences(text: str, poll: Poll) -> q.FacetSegments:
    """The sentences of a text that state each facet, which may share them."""
    sentences = sentence_texts(text)
    labels = await poll.all_of(labels_batch(sentences))
    own: dict[q.Facet, list[str]] = {facet: [] for facet in q.FACETS}
    for sentence, label in zip(sentences, labels, strict=True):
        for facet in set(label.facets):
            own[facet].append(sentence)
    return q.FacetSegments(**{facet: " ".join(stated) for facet, stated in own.items()})


async def rate_by_facts(
    question: q.RateFacets, poll: Poll, decided: Examples = NO_EXAMPLES
) -> q.FacetRatings:
    """A rating of each pair that follows from checked facts.

    ``decided`` are facts that people checked, as examples.
    """
    sentences = sentence_texts(question.reference)
    facts = question.reference_facts or (await list_facts(sentences, poll)).facts
    # What EVA-Score asks for its recall, so that one reply serves both.
    recall = q.CheckFacts(
        facts,
        sentence_texts(question.summary),
        every_premise=False,
        reference=question.reference,
    )
    checks = (await check_facts(recall, poll, decided)).checks
    ratings_by_facts = []
    for pair in question.pairs:
        stated = zip((sentences[fact.sentence] for fact in facts), checks, strict=True)
        own = [c for text, c in stated if text in pair.reference or pair.reference in text]
        ratings_by_facts.append(rating_by_facts(pair.facet, own))
    return q.FacetRatings(tuple(ratings_by_facts))


def rating_by_facts(
    facet: q.Facet, checks: Sequence[q.FactCheck | q.Unanswered]
) -> q.FacetRating | q.Unanswered:
    """The rating of a facet whose facts were checked in a summary.

    coverage = 100 * max(0, facts that hold - facts that the summary contradicts) / facts

    A fact that does not hold and names premises is contradicted by them. The rating is the highest
    whose least coverage is reached, and 2 below. It is 1 where more are contradicted than hold.
    """
    lost = [check for check in checks if isinstance(check, q.Unanswered)]
    known = [check for check in checks if not isinstance(check, q.Unanswered)]
    if lost or not known:
        return lost[0] if lost else q.Unanswered("the reference states no fact of it")
    n_holding = sum(check.entailed for check in known)
    n_against = sum(bool(check.premises) and not check.entailed for check in known)
    coverage = max(0, 100 * (n_holding - n_against) // len(known))
    n_reached = sum(coverage >= least for least in LEAST_COVERAGE[q.SCALES[facet]])
    rating = 2 + n_reached if n_holding >= n_against else 1
    reason = f"{n_holding} of {len(known)} facts hold, {n_against} are contradicted"
    return q.FacetRating(facet=facet, reason=reason, rating=rating, coverage=coverage)


class _FactualEntry(replies.Entry):
    reason: replies.Line
    label: Literal["true", "not_true"]


def factual_batch(sentences: tuple[str, ...], ids: tuple[int, ...]) -> prompts.PromptBatch[bool]:
    """Asks whether some sentences (numbers from 1) are true by general knowledge.

    The request shows the others, too, since "it" and "they" are nothing by themselves.
    """
    return prompts.entries_batch(
        f"{PROMPTS}/factual_checks",
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


async def _with_factual(question: q.CheckSentences, answer: q.Answer, poll: Poll) -> q.Answer:
    """The checks with whether the unsupported sentences are true all the same."""
    assert isinstance(answer, q.SentenceChecks)
    open_ = {
        id_: check
        for id_, check in enumerate(answer.checks, start=1)
        if isinstance(check, q.SentenceCheck) and not check.supported
    }
    if not open_ or not question.source:
        return answer
    checks = list(answer.checks)
    facts = await poll.outcomes(factual_batch(question.sentences, tuple(open_)), bool)
    for id_, is_true in zip(open_, facts, strict=True):
        if not isinstance(is_true, q.Unanswered):
            checks[id_ - 1] = replace(open_[id_], factual=is_true)
    return q.SentenceChecks(tuple(checks))


def strictly(batch: prompts.PromptBatch[q.SentenceCheck]) -> prompts.PromptBatch[q.SentenceCheck]:
    """A batch in which a sentence without evidence is unsupported, whatever its label."""

    def read(text: str, ids: prompts.Ids) -> replies.Read[q.SentenceCheck]:
        return {id_: strict(item) for id_, item in batch.read(text, ids).items()}

    def strict(
        item: q.SentenceCheck | replies.UnreadableError,
    ) -> q.SentenceCheck | replies.UnreadableError:
        if isinstance(item, replies.UnreadableError) or not item.supported or item.evidence:
            return item
        unsupported = replace(item, supported=False, reason=f"{item.reason} ({NO_EVIDENCE})")
        return unsupported if item.error is None else replace(unsupported, error="invented")

    return replace(batch, read=read)


def free_batch(
    question: q.CheckSentences, mode: SentenceMode
) -> prompts.PromptBatch[q.SentenceCheck]:
    """Asks about one sentence a request, for a reply in free text."""
    sentences, source = question.sentences, question.source
    with_quotes = mode == "label-and-sentences"
    kind = f"{PROMPTS}/sentence_{'quotes' if with_quotes else 'labels'}"

    def read(text: str, ids: prompts.Ids) -> replies.Read[q.SentenceCheck]:
        reply = str(replies.as_line(read_text(text).text)).strip()[:_READ]
        said, groups = parted(reply)
        is_supported = read_verdict(said)
        given = quotations(groups if with_quotes else [], source)
        return dict.fromkeys(ids, checked(is_supported, given, one_line(reply, _REASON), question))

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
_PARTLY = re.compile(r"part|half")
_AFFIRMATION = re.compile(
    r"\bsupports? (?:(?:the|this) (?:sentence|claim|statement)|it)\b"
    r"|\b(?:sentence|claim|statement|it) is (?:\w+ )?supported\b"
)
_NOTHING = re.compile(r"\b(?:no|none|nothing|nowhere|neither|nor|only|hardly|fails? to|lacks?)\b")
"""What takes an affirmation back, as in "nothing in the source supports it"."""
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

    Yes at its start is a yes, and a hedged one is a no; no, a hedge or a denial at its start is a
    no.

    Raises:
        UnreadableError: if it begins with none of them, or with both yes and no to choose from, and
            if it says one and then the other.
    """
    said = said.casefold()
    lead = _LEAD.match(said)
    text = said[lead.end() :] if lead else said
    if not _BOTH.match(text):
        if _HEDGE.match(text) or _DENIAL.match(text):
            return False
        if match := re.match(r"(yes|no)\b", text):
            rest = text[match.end() :]
            is_hedged = _HEDGE.search(" ".join(text.split()[:_OPENING_WORDS])) is not None
            denial = _DENIAL.search(rest)
            if match[1] == "no":
                is_affirmed = _AFFIRMATION.search(rest) and not _NOTHING.search(rest)
                is_two_sided = is_affirmed and not (is_hedged or denial)
            else:
                is_two_sided = denial and not (is_hedged or _PARTLY.search(denial[0]))
            if not is_two_sided:
                return match[1] == "yes" and not (is_hedged or denial)
            fault = f"the reply says {match[1]}, and then the opposite: {one_line(said, 60)!r}"
            raise replies.UnreadableError("contradictory", fault)
    fault = f"the reply begins {one_line(said, 40)!r}, with neither yes nor no"
    raise replies.UnreadableError("no_verdict", fault)


def quotations(groups: Iterable[str], source: Sequence[str]) -> list[Quote]:
    """The quotations in the parentheses of a reply.

    One pair of parentheses may hold several: in quotation marks, or as sentences or between
    semicolons, where it does not stand in the source as a whole.
    """

    def is_there(text: str) -> bool:
        return bool(find_quote(Quote(NOWHERE, text), source))

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
