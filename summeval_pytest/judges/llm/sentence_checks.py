"""Sentences checked against a source, with quotations as evidence that are looked up there."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest import questions as q
from summeval_pytest.endpoints.chat import without_thoughts
from summeval_pytest.judges.llm import prompts, quotes, replies
from summeval_pytest.judges.llm.examples import NO_EXAMPLES, Examples
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from summeval_pytest.judges.llm.asking import Poll


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

    def check(is_supported: bool, given: list[quotes.Quote], reason: str) -> q.SentenceCheck:
        evidence = quotes.look_up(given, source, sentences)
        if manner.strict and is_supported and not evidence.sentences:
            is_supported, reason = False, f"{reason} ({NO_EVIDENCE})"
        return q.SentenceCheck(
            reason=reason,
            supported=is_supported,
            evidence=evidence.sentences,
            n_ungrounded=evidence.n_ungrounded,
            n_copied=evidence.n_copied,
        )

    if manner.mode != "quotes":
        return _free_batch(question, manner.mode, check)

    def check_of(entry: _SentenceEntry) -> q.SentenceCheck:
        given = [quotes.Quote(one.id - 1, one.quote) for one in entry.evidence]
        return check(entry.label == "supported", given, entry.reason)

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
    check: Callable[[bool, list[quotes.Quote], str], q.SentenceCheck],
) -> prompts.PromptBatch[q.SentenceCheck]:
    """Asks about one sentence a request, for a reply in free text."""
    sentences, source = question.sentences, question.source
    with_quotes = mode == "label-and-sentences"
    kind: prompts.Kind = "sentence_quotes" if with_quotes else "sentence_labels"

    def read(text: str, ids: prompts.Ids) -> replies.Read[q.SentenceCheck]:
        reply = without_thoughts(str(replies.as_line(text))).strip()[:_READ]
        said, groups = quotes.parted(reply)
        is_supported = quotes.read_verdict(said)
        given = quotes.quotations(groups if with_quotes else [], source)
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
