"""A checker of facts and sentences: a small ONNX model on this machine.

A model reads a source and a claim. One that classifies the pair has a label for support, or one
score: the claim's support is the softmax of that label, or the sigmoid of the score. One that
classifies tokens, as LettuceDetect does, has a label for supported tokens: the claim's support is
that of its least supported token, and the words below the threshold are named. Texts are cleared of
the model's own marks: a summary must not end the source.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
from pydantic import Field, Strict

from summeval_pytest.errors import OptionError
from summeval_pytest.questions import (
    OFFLINE,
    Answer,
    CheckFacts,
    CheckSentences,
    Duty,
    FactCheck,
    FactChecks,
    Question,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.run.judge_inputs import JudgeInputs
from summeval_pytest.study.onnx_model import OnnxModel, most_tokens
from summeval_pytest.suite.entries import Given, Number, Text, Whole, expecting
from summeval_pytest.suite.values import SOURCE_MARK, JudgeKeys
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.words import closest_sentences

CLAIM_MARK: Final = "{claim}"
"""Where a checker's prompt takes the claim, if both are one text."""
VERSION: Final = "1"
"""Goes up when a source is cut, or evidence chosen, in another way."""
MARKS: Final = 8
"""Tokens left for the marks around a part and a claim."""
_DIGITS: Final = 4
"""Further digits of a probability differ from processor to processor."""
ONLY_CHECKS: Final = "a checker checks facts and sentences, and was asked something else"
NO_SOURCE: Final = "there is nothing that it could follow from"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalChecker(JudgeKeys):
    """A small model on this machine that checks facts and sentences.

    Attributes:
        model: The model: a folder beside the suite, or a model's name.
        supported: The name or index of the class that means "supported"; None: the one that the
            model's class names suggest.
        threshold: A claim is supported from this probability, 0 to 1.
        window: The maximum length of an input in tokens; None: 512, or the model's maximum if that
            is smaller.
        prompt: How the model reads a source. With ``{claim}``, it reads both as one text, else as a
            pair.
        facets: The judge that rates facets.
        facts: The judge that lists facts and relations.
    """

    model: Text
    supported: Given[
        Annotated[Text | Annotated[int, Strict()], expecting("a label of the model, or its number")]
    ] = None
    threshold: Annotated[Number, Field(ge=0, le=1)] = 0.5
    window: Given[Whole] = None
    prompt: Annotated[
        Text,
        Field(pattern=r"^[^{}]*\{source\}[^{}]*(\{claim\}[^{}]*)?$"),
        expecting('a text with "{source}", and then "{claim}" if both are one text'),
    ] = SOURCE_MARK
    facets: Text = OFFLINE
    facts: Text = OFFLINE

    def asks(self, duty: Duty) -> tuple[str, ...]:
        """Who answers the questions of a kind."""
        return ({"facets": self.facets, "listing": self.facts}.get(duty, self.name),)

    def judge(self, given: JudgeInputs) -> Checker:
        """The checker with the model of the suite's folder."""
        return local_checker(replace(self, model=given.folder("model")))


class Support(NamedTuple):
    """The probability that a claim follows from a text.

    A model that labels tokens gives that of each token of the claim, with where it begins and ends.
    """

    value: float
    tokens: tuple[tuple[int, int, float], ...] | None = None

    def within(self, start: int, end: int) -> Support:
        """That of a piece of the claim: of its least supported token; 0 if none is read."""
        if self.tokens is None:
            return self
        own = tuple(
            (first - start, last - start, value)
            for first, last, value in self.tokens
            if first < end and start < last
        )
        return Support(min((value for *_, value in own), default=0.0), own)


class _Chunk(NamedTuple):
    """A part of a source, and the place of the sentence that each of its lines is of."""

    text: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checker:
    """Answers `CheckFacts` and `CheckSentences` by a model that reads a source and a claim.

    Supported is what the model gives at least the ``threshold``. Facts are checked against their
    premises in order, as a source; earlier facts of a chain change nothing. A model that labels
    tokens reads sentences together, as LettuceDetect was trained, as many as fill a quarter of what
    it reads. A claim that fills more than half of that stays unanswered. It computes in a thread of
    its own, so that others can be asked meanwhile.
    """

    reader: OnnxReader
    threshold: float = 0.5
    in_flight: int = 1
    _thread: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, "summeval-checker"), init=False
    )

    @property
    def signature(self) -> str:
        """The model, how it is read, and what its probability has to be."""
        return f"checker-{VERSION} {self.reader.signature} threshold={self.threshold:g}"

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked."""
        loop = asyncio.get_running_loop()
        return tuple(
            [await loop.run_in_executor(self._thread, self.compute, each) for each in questions]
        )

    def compute(self, question: Question) -> Answer:
        """The answer to one question."""
        match question:
            case CheckFacts(facts=facts, premises=premises):
                checks = self._checked([fact.text for fact in facts], premises, together=False)
                return FactChecks(tuple(map(_of_fact, checks)))
            case CheckSentences(sentences=sentences, source=source):
                together = self.reader.labels_tokens
                return SentenceChecks(tuple(self._checked(sentences, source, together=together)))
            case _:
                return Unanswered(ONLY_CHECKS)

    def _checked(
        self, claims: Sequence[str], source: Sequence[str], *, together: bool
    ) -> Iterator[SentenceCheck | Unanswered]:
        if not source:
            supported = self.threshold <= 0
            none = SentenceCheck(reason=NO_SOURCE, supported=supported, evidence=(), support=0.0)
            yield from (none for _ in claims)
            return
        window, lengths = self.reader.window, self.reader.count(source)
        sizes = self.reader.count(claims)
        for first, last in _groups(sizes, window // 4 if together else -1):
            size = sum(sizes[first:last])
            if size > window // 2:
                yield Unanswered(
                    f"it fills more than half of the {window:,} tokens that the checker reads at"
                    " once"
                )
                continue
            parts = [*parts_of(source, lengths, window - MARKS - max(size, window // 4))]
            group = " ".join(claims[first:last])
            of_group = [self.reader.support(part.text, group) for part in parts]
            start = 0
            for claim in claims[first:last]:
                of_claim = [each.within(start, start + len(claim)) for each in of_group]
                start += len(claim) + 1
                yield self._judged(claim, of_claim, parts, source)

    def _judged(
        self, claim: str, by_part: Sequence[Support], parts: Sequence[_Chunk], source: Sequence[str]
    ) -> SentenceCheck:
        """The check of a claim by its support in each part of the source."""
        supports = [round(each.value, _DIGITS) for each in by_part]
        support = max(supports)
        place = supports.index(support)
        spans = unsupported_spans(claim, by_part[place].tokens or (), self.threshold)
        reason = f"unsupported: {', '.join(map(repr, spans))}; " if spans else ""
        reason += f"the checker gives it {support:.2f}, and {self.threshold:g} is needed"
        best = parts[place].places
        if len(parts) > 1:
            reason += f"; best of {len(parts)} parts: sentences {best[0] + 1} to {best[-1] + 1}"
        evidence, supported = closest_sentences(claim, best, source), support >= self.threshold
        return SentenceCheck(reason=reason, supported=supported, evidence=evidence, support=support)


def _of_fact(check: SentenceCheck | Unanswered) -> FactCheck | Unanswered:
    """The check of a fact: no premise carries what does not follow."""
    if isinstance(check, Unanswered):
        return check
    premises = check.evidence if check.supported else ()
    return FactCheck(
        reason=check.reason, entailed=check.supported, premises=premises, support=check.support
    )


def _groups(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Where each run of neighbours begins and ends that has at most so many tokens, or is one."""
    first = 0
    for end in range(1, len(sizes) + 1):
        if end == len(sizes) or sum(sizes[first : end + 1]) > most:
            yield first, end
            first = end


def unsupported_spans(
    claim: str, tokens: Sequence[tuple[int, int, float]], threshold: float
) -> list[str]:
    """The runs of whole words in which a token has less support than the threshold, in order."""
    weak = [(start, end) for start, end, value in tokens if round(value, _DIGITS) < threshold]

    def is_weak(word: re.Match[str]) -> bool:
        return any(start < word.end() and word.start() < end for start, end in weak)

    runs = [[*run] for weak_run, run in groupby(re.finditer(r"\S+", claim), is_weak) if weak_run]
    return [claim[run[0].start() : run[-1].end()] for run in runs]


def parts_of(source: Sequence[str], lengths: Sequence[int], room: int) -> Iterator[_Chunk]:
    """The parts of a source that have at most ``room`` tokens each, in order.

    ``lengths`` are the tokens of its sentences. One that is longer than a part is cut into pieces.
    """
    pieces: list[tuple[int, str, int]] = []
    for place, (text, length) in enumerate(zip(source, lengths, strict=True)):
        n_pieces = max(1, -(-length // room))
        step = max(1, -(-len(text) // n_pieces))
        pieces += [
            (place, text[start : start + step], -(-length // n_pieces))
            for start in range(0, max(1, len(text)), step)
        ]
    start = end = 0
    while end < len(pieces):
        used = sum(length for *_, length in pieces[start:end])
        while end < len(pieces) and (start == end or used + pieces[end][2] <= room):
            used += pieces[end][2]
            end += 1
        own = pieces[start:end]
        yield _Chunk(" ".join(text for _, text, _ in own), tuple(place for place, *_ in own))
        start = _next_start(start, end, [length for *_, length in pieces], room)


def _next_start(start: int, end: int, lengths: Sequence[int], room: int) -> int:
    """Where the part after ``start`` to ``end`` begins, so that it holds what follows, too."""
    if end == len(lengths):
        return end
    again, left = 0, room - lengths[end]
    first = end
    while first - 1 > start and again + lengths[first - 1] <= left:
        again += lengths[first - 1]
        if first < end and again > room // 4:
            break
        first -= 1
    return first


WINDOW: Final = 512
"""Tokens read at once unless the suite says otherwise: what most checkers were trained on."""
_LEAST_WINDOW: Final = 48
_SUPPORTED: Final = frozenset(
    "entailment entailed entails supported supports support consistent faithful factual".split()
)
"""Labels that mean support, lower-cased."""
_KINDS: Final = ("ForSequenceClassification", "ForTokenClassification")


@lru_cache(maxsize=4)
def local_checker(spec: LocalChecker) -> Checker:
    """The checker of these keys; its model is loaded when it is asked first.

    Raises:
        OptionError: for a package or a model that is not there, and for a model that no support can
            be read from.
    """
    model = OnnxModel(spec.model, option=f"[judges.{spec.name}] model")
    return Checker(reader=OnnxReader(spec, model), threshold=spec.threshold)


def _labels(config: Mapping[str, Any], what: str) -> dict[int, str]:
    """The labels of a model by their numbers; one label means that it gives a score."""
    names = config.get("architectures")
    name = str(names[0]) if isinstance(names, list) and names else "model without architecture"
    if not name.endswith(_KINDS):
        raise OptionError(
            f"{what}: this model is a {one_line(name, 60)!r}, which gives no labels; name one for"
            " sequence classification or token classification"
        )
    named = config.get("id2label")
    if not isinstance(named, dict):  # transformers writes none where they are two without names
        return {0: "LABEL_0", 1: "LABEL_1"}
    return {place: str(named.get(str(place), "")) for place in range(len(named))}


def _output(spec: LocalChecker, labels: Mapping[int, str], what: str) -> int | None:
    """The number of the label that means support; None for a score."""
    wanted = spec.supported
    if len(labels) == 1 and wanted is None:
        return None
    if len(labels) == 1:
        raise OptionError(
            f"{what}: this model has no labels, and supported = {wanted!r} names one; delete it"
        )
    places, mistake = [], f"supported = {wanted!r} is none of its labels"
    for place, name in labels.items():
        if wanted in {place, name} or (wanted is None and name.strip().lower() in _SUPPORTED):
            places.append(place)
    if len(places) == 1:
        return places[0]
    if wanted is None:
        mistake = "which of its labels means support is not known"
    known = ", ".join(f"{place} = {one_line(name, 40)!r}" for place, name in labels.items())
    raise OptionError(
        f"{what}: {mistake}; write supported = NUMBER under [judges.{spec.name}], of"
        f" {one_line(known)}"
    )


def _window(spec: LocalChecker, config: Mapping[str, Any], what: str) -> int:
    """How many tokens are read at once: no more than the model has places for."""
    most = most_tokens(config) or max(WINDOW, spec.window or 0)
    window = min(WINDOW, most) if spec.window is None else spec.window
    if not _LEAST_WINDOW <= window <= most:
        raise OptionError(
            f"{what}: window = {window}, and this model reads {_LEAST_WINDOW} to {most} tokens at"
            " once; write another number"
        )
    return window


class OnnxReader:
    """An ONNX model that reads one source and one claim at a time.

    All that can move its numbers is in its ``signature``. Where it ``labels_tokens``, it supports
    each token, so that sentences can be read together.
    """

    def __init__(self, spec: LocalChecker, model: OnnxModel) -> None:
        self._model = model
        self._labels = _labels(model.config, model.what)
        self._output = _output(spec, self._labels, model.what)
        self._most = _window(spec, model.config, model.what)
        self._prompt = spec.prompt
        self.labels_tokens = str(model.config["architectures"][0]).endswith(_KINDS[1])
        supported = "score" if self._output is None else self._output
        self.signature = f"{model.signature} window={self._most} supported={supported}"
        if spec.prompt != SOURCE_MARK:
            self.signature += f" prompt={spec.prompt!r}"

    @cached_property
    def window(self) -> int:
        """How many tokens of a text and a claim it reads at once; the prompt takes the others."""
        prompt = self._prompt.replace(SOURCE_MARK, "").replace(CLAIM_MARK, "")
        window = self._most - self._model.count(prompt)
        if window < _LEAST_WINDOW:
            raise OptionError(
                f"{self._model.what}: its prompt leaves {window} of {self._most} tokens, and"
                f" {_LEAST_WINDOW} are needed; shorten the prompt, or write a longer window"
            )
        return window

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, without the marks around it."""
        return [self._model.count(self._model.plain(text)) for text in texts]

    def support(self, text: str, claim: str) -> Support:
        """The probability that the claim follows from the text."""
        text, claim = self._model.plain(text), self._model.plain(claim)
        before, is_joined, after = (
            part.replace(SOURCE_MARK, text) for part in self._prompt.partition(CLAIM_MARK)
        )
        start = len(before) if is_joined else 0
        one, other = (before + claim + after, None) if is_joined else (before, claim)
        cut = "left" if is_joined else "right"  # never the claim
        tokens, logits = self._model.run(one, other, most=self._most, cut=cut)
        n_labels = len(self._labels)
        if logits.shape != (*([len(tokens.ids)] if self.labels_tokens else []), n_labels):
            raise OptionError(
                f"{self._model.what}: this model gives an output of {logits.shape}, and it has"
                f" {n_labels} labels; export it for its own task"
            )
        if self._output is None:
            supports = (1 + np.tanh(logits[..., 0] / 2)) / 2  # the sigmoid, without an overflow
        else:
            odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
            supports = (odds / odds.sum(axis=-1, keepdims=True))[..., self._output]
        if not self.labels_tokens:
            return Support(float(supports))
        places = zip(tokens.sequence_ids, tokens.offsets, supports, strict=True)
        read = tuple(
            (*place, float(value))
            for sequence, place, value in places
            if sequence == (0 if is_joined else 1)
        )
        return Support(0.0, read).within(start, start + len(claim))
