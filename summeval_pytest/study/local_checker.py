"""A checker from the folder of a model that transformers reads; nothing is downloaded.

A classifier reads a text and a claim as a pair, or ``joined`` by the mark of an end, as MiniCheck's
classifiers do; its support is the softmax of one label, or the sigmoid of its only score. A model
that writes reads ``predict: TEXT</s>CLAIM``, and its support is the probability of beginning with
the token of 1 against that of 0 (MiniCheck, arXiv 2404.10774). Texts are cleared of the model's own
marks: a summary must not end the source. No code of a model's folder is ever run.

What is wrong with a user's model or package is an `OptionError` that names the judge.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar

from summeval_pytest.errors import OptionError
from summeval_pytest.questions import (
    CheckFacts,
    CheckSentences,
    FactCheck,
    FactChecks,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.study.embeddings import find_model, needed_for, read_config, reading
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from summeval_pytest.questions import Answer, Question
    from summeval_pytest.study.embeddings import ModelFolder
    from summeval_pytest.suite.values import CheckerSpec


CheckT = TypeVar("CheckT")
VERSION: Final = "1"
"""Goes up when a source is cut, or evidence chosen, in another way."""
MARKS: Final = 8
"""Tokens left for the marks around a part and a claim."""
MOST_EVIDENCE: Final = 3
_DIGITS: Final = 4
"""Further digits of a probability differ from processor to processor."""
ONLY_CHECKS: Final = "a checker checks facts and sentences, and was asked something else"
NO_SOURCE: Final = "there is nothing that it could follow from"


class ClaimReader(Protocol):
    """A model that reads a text and a claim."""

    @property
    def signature(self) -> str:
        """All that can move its numbers, on one line."""

    @property
    def window(self) -> int:
        """How many tokens it reads at once."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has."""

    def support(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each (text, claim) the probability that the claim follows from the text."""


class _Chunk(NamedTuple):
    """A part of a source, and the place of the sentence that each of its lines is of."""

    text: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checker:
    """Answers `CheckFacts` and `CheckSentences` by a model that reads no prompt.

    Supported is what the model gives at least the ``threshold``. Facts are checked against their
    premises in order, as a source; earlier facts of a chain change nothing. A claim that fills more
    than half of what the model reads stays unanswered. It computes in a thread of its own, so that
    others can be asked meanwhile.
    """

    reader: ClaimReader
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
                return FactChecks(tuple(self._checked([f.text for f in facts], premises, _fact)))
            case CheckSentences(sentences=sentences, source=source):
                return SentenceChecks(tuple(self._checked(sentences, source, _sentence)))
            case _:
                return Unanswered(ONLY_CHECKS)

    def _checked(
        self, claims: Sequence[str], source: Sequence[str], make: Callable[..., CheckT]
    ) -> Iterator[CheckT | Unanswered]:
        """What becomes of each claim; all claims share the model's batches."""
        if not source:
            yield from (make(NO_SOURCE, self.threshold <= 0, (), 0.0) for _ in claims)
            return
        window, lengths = self.reader.window, self.reader.count(source)
        read: list[tuple[str, Sequence[_Chunk]]] = []
        for claim, size in zip(claims, self.reader.count(claims), strict=True):
            room = window - MARKS - max(size, window // 4)
            read.append((claim, () if size > window // 2 else [*parts_of(source, lengths, room)]))
        pairs = [(part.text, claim) for claim, parts in read for part in parts]
        numbers = iter(self.reader.support(pairs))
        for claim, parts in read:
            if not parts:
                yield Unanswered(
                    f"it fills more than half of the {window:,} tokens that the checker reads at"
                    " once"
                )
                continue
            supports = [round(next(numbers), _DIGITS) for _ in parts]
            support = max(supports)
            best = parts[supports.index(support)]
            reason = f"the checker gives it {support:.2f}, and {self.threshold:g} is needed"
            if len(parts) > 1:
                first, last = best.places[0] + 1, best.places[-1] + 1
                reason += f"; best of {len(parts)} parts: sentences {first} to {last}"
            evidence = evidence_of(claim, best.places, source)
            yield make(reason, support >= self.threshold, evidence, support)


def _fact(reason: str, entailed: bool, evidence: tuple[int, ...], support: float) -> FactCheck:
    premises = evidence if entailed else ()
    return FactCheck(reason=reason, entailed=entailed, premises=premises, support=support)


def _sentence(
    reason: str, supported: bool, evidence: tuple[int, ...], support: float
) -> SentenceCheck:
    return SentenceCheck(reason=reason, supported=supported, evidence=evidence, support=support)


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


def evidence_of(claim: str, places: Sequence[int], source: Sequence[str]) -> tuple[int, ...]:
    """Of the sentences at these places those that share most words with a claim, the best first.

    Each one adds words that those before it lack; empty where none shares any.
    """
    wanted = set(content_words(claim))
    left = {place: set(content_words(source[place])) for place in places}
    evidence: list[int] = []
    while left and len(evidence) < MOST_EVIDENCE:
        best = max(left, key=lambda place: len(wanted & left[place]))
        if not wanted & left[best]:
            break
        wanted -= left.pop(best)
        evidence.append(best)
    return tuple(evidence)


WINDOW: Final = 512
"""Tokens read at once unless the suite says otherwise: what most checkers were trained on."""
_LEAST_WINDOW: Final = 48
_BATCH: Final = 16
_SUPPORTED: Final = frozenset(
    "entailment entailed entails supported supports support consistent faithful factual".split()
)
"""Labels that mean support, lower-cased."""
_WRITING: Final = "ForConditionalGeneration"
_FROM_PADDING: Final = frozenset({"roberta", "xlm-roberta", "camembert"})
"""Models whose positions begin behind the padding's."""


@lru_cache(maxsize=4)
def local_checker(spec: CheckerSpec) -> Checker:
    """The checker of a suite's table; its weights are read when it is asked first.

    Raises:
        OptionError: for a package, a model or a device that is not there, and for a model that no
            support can be read from.
    """
    option = f"[judges.{spec.name}] checker"
    with needed_for(option, "local"):
        for package in ("torch", "transformers"):
            if find_spec(package) is None:
                raise ModuleNotFoundError(name=package)
    folder = find_model(spec.folder, option=option, extra="local")
    reader = TransformersReader(spec, folder, read_config(folder, option))
    return Checker(reader=reader, threshold=spec.threshold)


def _architecture(config: Mapping[str, object]) -> str:
    names = config.get("architectures")
    return str(names[0]) if isinstance(names, list) and names else "model without architecture"


def _output(spec: CheckerSpec, config: Mapping[str, object], what: str) -> int | None:
    """The place of the label that means support; None for a score, and for a model that writes."""
    architecture, wanted = _architecture(config), spec.supported
    is_writing = architecture.endswith(_WRITING)
    named = config.get("id2label")  # transformers writes none where they are two without names
    labels = {0: "LABEL_0", 1: "LABEL_1"}
    if isinstance(named, dict):
        labels = {int(place): str(n) for place, n in named.items() if str(place).isdecimal()}
    has_labels = not is_writing and len(labels) != 1
    if not has_labels and wanted is not None:
        raise OptionError(
            f"{what}: this model has no labels, and supported = {wanted!r} names one; delete it"
        )
    if not is_writing and not architecture.endswith("ForSequenceClassification"):
        raise OptionError(
            f"{what}: this model is a {one_line(architecture, 60)!r}, which gives neither labels"
            " nor a score; name one for sequence classification, or a T5 that writes 1 or 0"
        )
    if not has_labels:
        return None
    if wanted is None:
        places = [place for place, name in labels.items() if name.strip().lower() in _SUPPORTED]
    else:
        places = [place for place, name in labels.items() if wanted in {place, name}]
    if len(places) == 1:
        return places[0]
    known = ", ".join(f"{place} = {one_line(name, 40)!r}" for place, name in sorted(labels.items()))
    mistake = (
        "which of its labels means support is not known"
        if wanted is None
        else f"supported = {wanted!r} is none of its labels"
    )
    raise OptionError(
        f"{what}: {mistake}; write supported = NUMBER under [judges.{spec.name}], of {known}"
    )


def _window(spec: CheckerSpec, config: Mapping[str, object], what: str) -> int:
    """How many tokens are read at once: no more than the model has places for."""
    most = config.get("max_position_embeddings")
    is_writing = _architecture(config).endswith(_WRITING)
    if not isinstance(most, int) or is_writing or config.get("relative_attention"):
        most = max(WINDOW, spec.window or 0)
    padding = config.get("pad_token_id")
    if config.get("model_type") in _FROM_PADDING and isinstance(padding, int):
        most -= padding + 1
    window = min(WINDOW, most) if spec.window is None else spec.window
    if not _LEAST_WINDOW <= window <= most:
        raise OptionError(
            f"{what}: window = {window}, and this model reads {_LEAST_WINDOW} to {most} tokens at"
            " once; write another number"
        )
    return window


def _device(name: str, what: str) -> str:
    """The device of this name; with ``auto`` the one that torch says is there."""
    if name == "cpu":
        return name
    import torch

    if name == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.zeros(1, device=name)
    except (AssertionError, NotImplementedError, RuntimeError) as error:
        message = one_line(str(error).split("\n")[0], 120)
        raise OptionError(
            f"{what}: there is no device {name!r} ({message}); write device = 'auto' or 'cpu'"
        ) from None
    return name


class TransformersReader:
    """A `ClaimReader` by transformers; float32, in batches of like lengths."""

    def __init__(
        self, spec: CheckerSpec, folder: ModelFolder, config: Mapping[str, object]
    ) -> None:
        self._option = f"[judges.{spec.name}] checker"
        self._what = f"{self._option}={folder.name}"
        self._folder = folder
        self._output = output = _output(spec, config, self._what)
        self._is_writing = _architecture(config).endswith(_WRITING)
        self._is_joined = spec.joined or self._is_writing
        self._device = _device(spec.device, self._what)
        self.window = _window(spec, config, self._what)
        settings = ["joined=yes"] if spec.joined else []
        settings += [f"device={self._device}"] if self._device != "cpu" else []
        self.signature = " ".join(
            (
                f"model={folder.fingerprint} transformers={version('transformers')}",
                f"window={self.window} supported={'score' if output is None else output}",
                *settings,
            )
        )

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:  # the packages have no types here
        """The tokenizer and the model."""
        with needed_for(self._option, "local"):
            import torch
            import transformers
        make = (
            transformers.AutoModelForSeq2SeqLM
            if self._is_writing
            else transformers.AutoModelForSequenceClassification
        )
        own = {"local_files_only": True, "trust_remote_code": False}
        path = str(self._folder.path)
        with reading("transformers", self._folder.name, self._option):
            tokenizer = transformers.AutoTokenizer.from_pretrained(path, **own)
            model, report = make.from_pretrained(
                path, **own, dtype=torch.float32, output_loading_info=True
            )
        if missing := sorted(report["missing_keys"]):
            raise OptionError(
                f"{self._what}: its weights lack {missing[0]!r}, which would be made up at random;"
                " name the folder of a model that was trained to check claims"
            )
        return tokenizer, model.to(self._device).eval()

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, without the marks around it."""
        if not texts:
            return []
        tokenizer, _ = self._loaded
        plain = [self._plain(text) for text in texts]
        token_ids = tokenizer(plain, add_special_tokens=False, verbose=False)["input_ids"]
        return [len(ids) for ids in token_ids]

    def support(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each (text, claim) the probability that the claim follows from the text."""
        import torch

        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]))
        supports = [0.0] * len(pairs)
        for start in range(0, len(pairs), _BATCH):
            some = order[start : start + _BATCH]
            with torch.inference_mode():
                numbers = self._read([pairs[place] for place in some])
            for place, number in zip(some, numbers, strict=True):
                if not isfinite(number):
                    raise OptionError(f"{self._what}: this model gives no numbers; name another")
                supports[place] = number
        return supports

    def _plain(self, text: str) -> str:
        """The text without anything that the tokenizer would take for a mark of its own."""
        tokenizer, _ = self._loaded
        for mark in tokenizer.all_special_tokens:
            text = text.replace(mark, " ")
        return text

    def _read(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        tokenizer, model = self._loaded
        texts = [self._plain(text) for text, _ in pairs]
        claims = [self._plain(claim) for _, claim in pairs]
        arguments: tuple[list[str], ...] = (texts, claims)
        if self._is_joined:
            end = tokenizer.eos_token or tokenizer.sep_token
            start = "predict: " if self._is_writing else ""
            arguments = ([f"{start}{t}{end}{c}" for t, c in zip(texts, claims, strict=True)],)
        inputs = tokenizer(
            *arguments, truncation=True, max_length=self.window, padding=True, return_tensors="pt"
        ).to(self._device)
        if self._is_writing:
            return self._of_writing(tokenizer, model, inputs)
        logits = model(**inputs).logits
        if self._output is None:
            return list(map(float, logits[:, 0].sigmoid()))
        return list(map(float, logits.softmax(dim=-1)[:, self._output]))

    def _of_writing(self, tokenizer: Any, model: Any, inputs: Any) -> list[float]:
        """The probability that the first token is that of 1, of the two that may begin a reply."""
        import torch

        no, yes = (tokenizer(digit, add_special_tokens=False)["input_ids"][0] for digit in "01")
        if no == yes:
            raise OptionError(f"{self._what}: this model cannot tell 0 from 1; name another")
        first = model.config.decoder_start_token_id
        begun = torch.full((len(inputs["input_ids"]), 1), first, device=self._device)
        logits = model(**inputs, decoder_input_ids=begun).logits[:, 0, [no, yes]]
        return list(map(float, logits.softmax(dim=-1)[:, 1]))
