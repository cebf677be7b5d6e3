"""A model by rule: reads the LLM judge's own requests and answers them by shared words.

`answer_by_rule` takes the body that an endpoint receives, so it can stand behind a real server;
`RuleSender` stands where a client would. Both are deterministic.

    sentences: the first is background, the last conclusion, doing makes a method, else result
    facts:     the clauses of a sentence; the later ones refine the first
    a check:   holds where half of its content words and all its numbers stand in one premise
    a rating:  the share of the reference's content words, on the facet's scale
    relations: the first long word of the first sentence is told of with the last one of the last
    counts:    every content word is a fact
    the world: what says "world" is true beyond the source
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from summeval_pytest.endpoints.chat import ChatReply, ChatRequest
from summeval_pytest.judges.llm.judge import LlmJudge
from summeval_pytest.questions import SCALES
from summeval_pytest.text.words import content_words

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer, Question

Body = Mapping[str, object]
Json = dict[str, object]

_BLOCK = re.compile(
    r"^<<<(?P<name>[\w ]+) (?P<mark>[0-9a-f]+)\n(?P<content>.*?)\n(?P=name) (?P=mark)>>>$",
    re.DOTALL | re.MULTILINE,
)
_LINE = re.compile(r"\[(\d+)\] (?:\(refines \[\d+\]\) )?(.*)")
_WORK = re.compile(
    r"^(?:Work on|Check) (?:sentences|facts|paragraphs|relations): ([\d, -]+)\.", re.MULTILINE
)
_CLAUSE = re.compile(r"\s*(?:;|,)\s+(?:and\s+)?|\s+(?:and|whereas|while|but)\s+")
_DONE = re.compile(r"\b(?:we|randomi[sz]ed|planted|fired|counted|were given|measured)\b", re.I)
_HALF = 0.5
_LONG = 4


def answer_by_rule(body: Body) -> str:
    """The reply to a request of the LLM judge.

    Args:
        body: A chat completion's body: its ``messages``, the first of which names the kind of
            question in its heading. Where the answer's schema goes does not matter.

    Raises:
        ValueError: if the request is none of ours.
    """
    system, user = _contents(body)
    kind = system.split("\n", 1)[0]
    blocks = {match["name"]: match["content"] for match in _BLOCK.finditer(user)}
    if kind in _FREE:
        return _free(blocks, with_quotes=_FREE[kind])
    if kind not in _RULES:
        raise ValueError(f"no rule for {kind!r}")
    return json.dumps(_RULES[kind](blocks, _asked(user)), ensure_ascii=False)


def kind_of(request: ChatRequest) -> str:
    """Which kind of question a request asks, by the heading of its instructions."""
    heading = request.messages[0].content.split("\n", 1)[0]
    return heading.removeprefix("# ").replace(" ", "_").lower()


def _contents(body: Body) -> tuple[str, str]:
    """The system's message, and the user's."""
    messages = body["messages"]
    assert isinstance(messages, list)
    contents = {message["role"]: message["content"] for message in messages}
    return contents["system"], contents["user"]


def _asked(user: str) -> list[int]:
    """The numbers of the items asked about, from the line that ends a request."""
    work = _WORK.findall(_BLOCK.sub("", user))
    numbers: list[int] = []
    for run in work[0].split(", ") if work else []:
        first, _, last = run.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers


def _lines(content: str) -> dict[int, str]:
    """The numbered lines of a block."""
    found = (_LINE.fullmatch(line) for line in content.split("\n"))
    return {int(match[1]): match[2] for match in found if match}


def _share(claim: str, premise: str) -> float:
    """Share of a claim's content words that a premise has; 0 where a number is not there."""
    words, there = content_words(claim), set(content_words(premise))
    if not words or any(word[0].isdigit() and word not in there for word in words):
        return 0.0
    return sum(word in there for word in words) / len(words)


def _facets(number: int, n_sentences: int, sentence: str) -> list[str]:
    if number == 1 and n_sentences > 2:
        return ["background"]
    if number == n_sentences and n_sentences > 1:
        return ["conclusion"]
    return ["method"] if _DONE.search(sentence) else ["result"]


def _facts(sentence: str) -> list[Json]:
    pieces = [piece.strip(" .") for piece in _CLAUSE.split(sentence)]
    kept = [piece for piece in pieces if content_words(piece)]
    return [{"text": f"{p}.", "refines": min(place, 1)} for place, p in enumerate(kept)]


def _extracted(blocks: Mapping[str, str], asked: list[int], *keys: str) -> Json:
    lines = _lines(blocks["text"])
    entries = []
    for number in asked:
        made: Json = {
            "id": number,
            "facets": _facets(number, len(lines), lines[number]),
            "facts": _facts(lines[number]),
        }
        entries.append({key: made[key] for key in ("id", *keys)})
    return {"sentences": entries}


def _entities(text: str) -> list[Json]:
    long = dict.fromkeys(word.strip(".,") for word in text.split() if len(word) > _LONG)
    return [{"name": word, "type": "miscellaneous"} for word in long]


def _relations(number: int, lines: Mapping[int, str]) -> list[Json]:
    """The last sentence is related to the first, where there is another and both name something."""
    first, last = _entities(lines[1]), _entities(lines[number])
    if number != len(lines) or number == 1 or not first or not last:
        return []
    head, tail = first[0]["name"], last[-1]["name"]
    statement = f"{head} and {tail} are told of together."
    triple = {"with": 1, "head": head, "relation": "is told of with", "tail": tail}
    return [{**triple, "statement": statement}]


def _related(blocks: Mapping[str, str], asked: list[int]) -> Json:
    lines = _lines(blocks["text"])
    entries: list[Json] = [
        {"id": n, "entities": _entities(lines[n]), "relations": _relations(n, lines)} for n in asked
    ]
    return {"sentences": entries}


def _triples(blocks: Mapping[str, str], asked: list[int]) -> Json:
    lines = _lines(blocks["text"])
    entries = []
    for number in asked:
        found = _relations(number, lines)
        bare = [{key: one[key] for key in one if key != "statement"} for one in found]
        entries.append({"id": number, "relations": bare})
    return {"sentences": entries}


def _named(blocks: Mapping[str, str], asked: list[int]) -> Json:
    lines = _lines(blocks["paragraphs"])
    return {"paragraphs": [{"id": n, "entities": _entities(lines[n])} for n in asked]}


def _statements(blocks: Mapping[str, str], asked: list[int]) -> Json:
    lines = _lines(blocks["relations"])
    entries = []
    for number in asked:
        head, _, tail = lines[number].split(" | ")
        entries.append({"id": number, "statement": f"{head} and {tail} are told of together."})
    return {"statements": entries}


def _counted(blocks: Mapping[str, str], asked: list[int]) -> Json:
    """Each different content word is a fact."""
    del asked
    reference, summary = (set(content_words(blocks[name])) for name in ("reference", "summary"))
    return {
        "reason": "words",
        "reference": len(reference),
        "candidate": len(summary),
        "matched": len(reference & summary),
    }


def _rated(blocks: Mapping[str, str], asked: list[int]) -> Json:
    del asked
    rated: Json = {}
    for name, reference in blocks.items():
        key, _, side = name.partition(" ")
        if side == "reference":
            words, there = content_words(reference), set(content_words(blocks[f"{key} summary"]))
            share = sum(word in there for word in words) / max(1, len(words))
            scale = next(scale for facet, scale in SCALES.items() if key.startswith(facet))
            reason = f"{share:.0%} of the words"
            rated[key] = {"reason": reason, "rating": 1 + int(share * (scale - 1) + _HALF)}
    return rated


def _fact_checks(blocks: Mapping[str, str], asked: list[int]) -> Json:
    facts, premises = _lines(blocks["facts"]), _lines(blocks["premises"])
    checks = []
    for number in asked:
        carrying = [n for n, text in premises.items() if _share(facts[number], text) >= _HALF]
        label = "entailed" if carrying else "not_entailed"
        checks.append({"id": number, "reason": "words", "premises": carrying, "label": label})
    return {"checks": checks}


def _sentence_checks(blocks: Mapping[str, str], asked: list[int]) -> Json:
    sentences, source = _lines(blocks["sentences"]), _lines(blocks["source"])
    checks = []
    for number in asked:
        shares = {n: _share(sentences[number], text) for n, text in source.items()}
        best = max(shares, key=lambda n: shares[n])
        holds = shares[best] >= _HALF
        evidence = [{"id": best, "quote": source[best]}] if holds else []
        label = "supported" if holds else "unsupported"
        checks.append({"id": number, "reason": "words", "evidence": evidence, "label": label})
    return {"checks": checks}


def _factual_checks(blocks: Mapping[str, str], asked: list[int]) -> Json:
    lines = _lines(blocks["sentences"])
    labels = {n: "true" if "world" in lines[n].lower() else "not_true" for n in asked}
    return {"checks": [{"id": n, "reason": "known", "label": label} for n, label in labels.items()]}


def _free(blocks: Mapping[str, str], *, with_quotes: bool) -> str:
    sentence, source = blocks["sentence"], blocks["source"].split("\n")
    carrying = [text for text in source if _share(sentence, text) >= _HALF]
    quotes = "".join(f" ({text})" for text in carrying) if with_quotes else ""
    return f"Yes.{quotes}" if carrying else "No."


_FREE: Mapping[str, bool] = {"# Sentence labels": False, "# Sentence quotes": True}


def _summary_rated(blocks: Mapping[str, str], asked: list[int]) -> Json:
    del asked
    words, there = content_words(blocks["reference"]), set(content_words(blocks["summary"]))
    share = sum(word in there for word in words) / max(1, len(words))
    return {"reason": f"{share:.0%} of the words", "rating": 1 + int(share * 3 + _HALF)}


_RULES: Mapping[str, Callable[[Mapping[str, str], list[int]], Json]] = {
    "# Facets and facts": lambda blocks, asked: _extracted(blocks, asked, "facets", "facts"),
    "# Facets": lambda blocks, asked: _extracted(blocks, asked, "facets"),
    "# Facts": lambda blocks, asked: _extracted(blocks, asked, "facts"),
    "# Facet ratings": _rated,
    "# Fact checks": _fact_checks,
    "# Sentence checks": _sentence_checks,
    "# Factual checks": _factual_checks,
    "# Fact checks in chain": _fact_checks,
    "# Relations": _related,
    "# Entities": _named,
    "# Triples": _triples,
    "# Statements": _statements,
    "# Fact counts": _counted,
    "# Summary rating": _summary_rated,
}


def body_of(request: ChatRequest) -> Body:
    """The body that a client would send."""
    return {
        "model": request.model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        "max_tokens": request.max_tokens,
    }


Hook = Callable[[ChatRequest, str], "ChatReply | str"]
"""From a request and the text that answers it to what is replied instead; it may raise."""


def as_it_is(request: ChatRequest, text: str) -> ChatReply | str:
    """The answer by rule, unchanged."""
    del request
    return text


@dataclass(slots=True)
class RuleSender:
    """A sender by rule that remembers its replies, as an exchange does.

    Attributes:
        hook: What becomes of each reply.
        sent: The requests in order; one equal to an earlier one is not sent again.
        asked: All requests in order.
    """

    hook: Hook = as_it_is
    sent: list[ChatRequest] = field(default_factory=list)
    asked: list[ChatRequest] = field(default_factory=list)
    _replies: dict[str, ChatReply] = field(default_factory=dict)

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply by rule."""
        self.asked.append(request)
        key = json.dumps(request.identity("rule"), sort_keys=True)
        if key not in self._replies:
            self.sent.append(request)
            reply = self.hook(request, answer_by_rule(body_of(request)))
            if isinstance(reply, str):
                reply = ChatReply(text=reply, model=request.model)
            self._replies[key] = reply
        return self._replies[key]

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        """Advice that a test can tell from the reason."""
        assert said, why
        return "ask again"


def judge_of(hook: Hook = as_it_is, **settings: Any) -> LlmJudge:
    """An LLM judge with a model by rule behind it."""
    return LlmJudge(RuleSender(hook), model="m-1", endpoint="rule", **settings)


def sent_by(judge: LlmJudge) -> list[ChatRequest]:
    """The requests that a judge has sent, equal ones once."""
    sender = judge._poll.sender
    assert isinstance(sender, RuleSender)
    return sender.sent


def kinds_sent(judge: LlmJudge) -> Counter[str]:
    """How many requests of each kind were sent."""
    return Counter(map(kind_of, sent_by(judge)))


def ask(judge: LlmJudge, *questions: Question) -> tuple[Answer, ...]:
    """The judge's answers."""
    return asyncio.run(judge.answer(questions))
