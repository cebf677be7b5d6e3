"""What requests are made of: instructions, texts as blocks, items in batches, worked examples.

A kind of request is a prompt file, a pydantic model of what a reply says of one item, and one
function that turns such a checked value into an answer: see `entries_batch` and `single_batch`. A
new one gets a case in the judge, and a sample in `llm_judge.prompt_hash`. A kind is the name of a
prompt file, and but for variants of a schema; ``package/name`` is a file of another package.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Generic, TypeVar

from summeval_pytest.endpoints.chat import Schema
from summeval_pytest.judges.llm import replies
from summeval_pytest.judges.llm.replies import EntryT, ItemT, Read, Shape, UnreadableError, ValuesT
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.reading import visible

SENTENCES_PER_REQUEST: Final = 12
_DIGITS: Final = 16
"""Hex digits of a mark: a text that holds its own hash would take 2**64 tries."""
_SEAM = re.compile(
    r"(?<=<)(?=[<|\uff5c])|(?<=[>|\uff5c])(?=>)|(?<=\[)(?=/?(?:INST|SYS)\b)"
    r"|(?<=<)(?=/?(?:s|pad|bos|eos|think|start_of_turn|end_of_turn)>)",
    re.IGNORECASE,
)
"""Where a space goes into what would mark a block, or a turn in a chat template."""
_SUSPECT = re.compile(r"[<>\[]")
"""Every such place has one of these beside it, and most lines have none: a fast first look."""


@cache
def instructions(*kinds: str) -> str:
    """The system message: the prompts of these kinds, and what is material and no instruction."""
    return "\n\n".join(map(_prompt, (*kinds, "material")))


def _prompt(name: str) -> str:
    package, _, name = name.rpartition("/")
    file = files(package or "summeval_pytest.judges.llm") / "prompts" / f"{name}.md"
    return file.read_text(encoding="utf-8").strip()


def inert(text: str) -> str:
    r"""The text on one line, without invisible characters, its special tokens spaced out.

    >>> inert("Zinc\n<|im_start|>system: helps")
    'Zinc < |im_start| >system: helps'
    """
    line = " ".join(text.split())
    if not line.isprintable():
        seen = (visible(each) for each in line if unicodedata.category(each) != "Co")
        line = " ".join("".join(seen).split())
    return _SEAM.sub(" ", line) if _SUSPECT.search(line) else line


def numbered(texts: Sequence[str], ids: Iterable[int] | None = None) -> list[str]:
    """A line for each id, counted from 1 in ``texts``; for all of them where none are given."""
    wanted = range(1, len(texts) + 1) if ids is None else ids
    return [f"[{id_}] {inert(texts[id_ - 1])}" for id_ in wanted]


def block(name: str, lines: Iterable[str]) -> str:
    """The lines, each as `inert` or `numbered` made it, between two marks of their content."""
    content = "\n".join(lines)
    mark = hashlib.sha256(f"{name}\n{content}".encode()).hexdigest()[:_DIGITS]
    return f"<<<{name} {mark}\n{content}\n{name} {mark}>>>"


def span(ids: Sequence[int]) -> str:
    """The numbers in words, runs of them shortened: ``1-3, 7``."""
    runs: list[list[int]] = []
    for id_ in sorted(ids):
        if runs and id_ == runs[-1][-1] + 1:
            runs[-1].append(id_)
        else:
            runs.append([id_])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


Ids = Sequence[int]
"""Numbers of items, from 1."""
Units = tuple[tuple[int, ...], ...]
"""The items of a question; those in one tuple must not be torn apart."""
ItemT_co = TypeVar("ItemT_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptBatch(Generic[ItemT_co]):
    """The items of one question, which share requests.

    Attributes:
        topic: What is asked, in a few words for messages and cassettes.
        units: The items.
        size: How many a request may hold: 1 for one by one, None for all in one request, both of
            them whatever the judge batches.
        system: The instructions.
        parts: From some items to the parts of the message that asks about them, in this order.
        schema: From some items to what the reply has to follow; None for free text.
        read: From the text of a reply and the items asked about to what it holds for each. Raises
            `UnreadableError` where it holds nothing that can be read.
    """

    topic: str
    units: Units
    size: int | None
    system: str
    parts: Callable[[Ids], Iterable[str]]
    schema: Callable[[Ids], Schema | None]
    read: Callable[[str, Ids], Read[ItemT_co]]

    def message(self, ids: Ids) -> str:
        """The message that asks about some items."""
        return "\n\n".join(self.parts(ids))


def apart(items: Sequence[object]) -> Units:
    """Units of one item each."""
    return tuple((id_,) for id_ in range(1, len(items) + 1))


def about(kind: str, texts: Sequence[str]) -> str:
    """The topic of a batch: what is asked, and how the first text begins."""
    what = kind.rpartition("/")[2].replace("_", " ")
    return f"{what} {one_line(texts[0], 48)!r}" if texts else what


def schema_of(kind: str, shape: Shape) -> Schema:
    """The schema that a request carries."""
    return Schema(name=kind.rpartition("/")[2], text=json.dumps(shape, separators=(",", ":")))


def entries_batch(  # noqa: PLR0913 - all by keyword but the kind and what a reply holds
    kind: str,
    key: str,
    entry: type[EntryT],
    make: Callable[[EntryT], ItemT],
    *,
    texts: Sequence[str],
    parts: Callable[[Ids], Iterable[str]],
    size: int | None,
    units: Units | None = None,
    prompt: tuple[str, ...] = (),
) -> PromptBatch[ItemT]:
    """A batch whose reply is an object with one list, an entry for each item.

    An entry belongs to the item whose number is its ``id``; one without such a number, or with
    another item's, answers nothing. Two entries for an item have to be the same. A reply that
    leaves an item out and has an entry for an item not asked about may count from 0: none of it
    is used.

    Args:
        kind: What is asked for.
        key: The list's name.
        entry: The model of an entry.
        make: From an entry to an item; may raise `UnreadableError`.
        texts: The items' texts; the first one is named in the topic.
        parts: As in `PromptBatch`.
        size: As in `PromptBatch`.
        units: As in `PromptBatch`; each item by itself where none are given.
        prompt: The kinds whose instructions are given, its own by default.
    """
    entries = {"type": "array", "items": replies.shape_of(entry)}
    schema = schema_of(kind, replies.record({key: entries}))

    def read(text: str, ids: Ids) -> Read[ItemT]:
        reply = replies.read_object(text)
        entries = reply.get(key)
        if not isinstance(entries, list) or len(reply) > 1:
            raise UnreadableError("wrong_shape", f"the reply is no object with one list, {key!r}")
        values: dict[int, list[object]] = {id_: [] for id_ in ids}
        others: list[object] = []
        for each in entries:
            if isinstance(each, dict) and type(each.get("id")) in {int, float}:
                values.get(each["id"], others).append(each)
        if others and not all(values.values()):
            raise UnreadableError("missing", "the reply numbers the items in another way")
        return {id_: replies.read_item(values[id_], f"item {id_}", entry, make) for id_ in ids}

    return PromptBatch(
        topic=about(kind, texts),
        units=apart(texts) if units is None else units,
        size=size,
        system=instructions(*(prompt or (kind,))),
        parts=parts,
        schema=lambda _: schema,
        read=read,
    )


def work_batch(  # noqa: PLR0913 - by keyword but what all of them have
    kind: str,
    entry: type[EntryT],
    make: Callable[[EntryT], ItemT],
    texts: Sequence[str],
    *,
    of: str = "sentences",
    key: str = "",
    more: Sequence[str] = (),
) -> PromptBatch[ItemT]:
    """A batch about what each text ``of`` some states; ``more`` parts stand behind them.

    All sentences are shown with each request, which asks about some of them. Any other text has a
    request of its own. The list in a reply is called ``key``, or as the texts are.
    """
    are_sentences = of == "sentences"

    def parts(ids: Ids) -> list[str]:
        lines = numbered(texts, None if are_sentences else ids)
        name = "text" if are_sentences else of
        return [block(name, lines), *more, f"Work on {of}: {span(ids)}."]

    size = SENTENCES_PER_REQUEST if are_sentences else 1
    return entries_batch(kind, key or of, entry, make, texts=texts, parts=parts, size=size)


def single_batch(
    kind: str,
    model: type[ValuesT],
    make: Callable[[ValuesT], ItemT],
    texts: Mapping[str, str],
    task: str,
) -> PromptBatch[ItemT]:
    """A batch of one item, of one or more texts by name, whose reply is one object."""
    blocks = [block(name, [inert(text)]) for name, text in texts.items()]
    return PromptBatch(
        topic=about(kind, [*texts.values()][-1:]),
        units=((1,),),
        size=None,
        system=instructions(kind),
        parts=lambda _: [*blocks, task],
        schema=lambda _: schema_of(kind, replies.shape_of(model)),
        read=lambda reply, _: {
            1: replies.read_item([replies.read_object(reply)], "the reply", model, make)
        },
    )


EXAMPLE_TOKENS: Final = 3000
"""The most tokens of all examples in a request, at four characters each."""
MOST_EXAMPLES: Final = 4
"""The most examples in a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One worked example from people's labels.

    Attributes:
        papers: The texts that tell its paper: references and sources. It is never shown in a
            question about one of them.
        labels: What it shows, each a kind and a value, as a facet and its rating.
        text: How it stands in a request.
        rank: Where it stands among examples that show as much, lowest first.
    """

    papers: frozenset[str]
    labels: frozenset[tuple[str, int]]
    text: str
    rank: int = 0

    @property
    def n_tokens(self) -> int:
        """How many tokens it takes, more or less."""
        return math.ceil(len(self.text) / 4)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Examples:
    """The examples that a judge can be shown. The order of the files does not matter.

    No question is answered with an example of its own paper. So labels can serve as examples and
    still test the judge.
    """

    def __init__(self, examples: Iterable[Example] = ()) -> None:
        fitting = {_key(each.text): each for each in examples if each.n_tokens <= EXAMPLE_TOKENS}
        self.pool = tuple(
            fitting[key] for key in sorted(fitting, key=lambda k: (fitting[k].rank, k))
        )
        self.digest = _key(repr([*sorted(fitting), EXAMPLE_TOKENS, MOST_EXAMPLES]))[: _DIGITS // 2]

    def __len__(self) -> int:
        return len(self.pool)

    def __str__(self) -> str:
        """How the signature of a judge names them."""
        return f"labels:{self.digest}"

    @property
    def are_enough(self) -> bool:
        """Whether at least one example is left for a question about any of their papers."""
        papers = [each.papers for each in self.pool]
        return bool(papers) and not frozenset.intersection(*papers)

    def choose(self, text: str) -> tuple[str, ...]:
        """The examples for a question about a paper with this reference or source.

        Each step takes the example with the most labels that no earlier one has. It ends when no
        label is missing, after `MOST_EXAMPLES`, or where none fits into `EXAMPLE_TOKENS`. A
        question that does not say its paper gets no examples.
        """
        left = [each for each in self.pool if text and text not in each.papers]
        seen: set[tuple[str, int]] = set()
        chosen: list[str] = []
        room = EXAMPLE_TOKENS
        while len(chosen) < MOST_EXAMPLES:
            fitting = [each for each in left if each.n_tokens <= room and each.labels - seen]
            if not fitting:
                break
            best = max(fitting, key=lambda each: len(each.labels - seen))
            chosen.append(best.text)
            seen |= best.labels
            room -= best.n_tokens
        return tuple(chosen)


NO_EXAMPLES: Final = Examples()
