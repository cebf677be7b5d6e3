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
from typing import Any

from summeval_pytest import questions as q
from summeval_pytest.endpoints.chat import ChatReply, ChatRequest
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.judges.llm.prompts import PromptBatch
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import content_words

Body = Mapping[str, Any]
Json = dict[str, Any]
Blocks = Mapping[str, str]
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


def answer_by_rule(body: Body) -> str:
    """The reply to a chat completion's body, whose first message names the kind of question."""
    contents = {message["role"]: message["content"] for message in body["messages"]}
    kind, user = _kind(contents["system"]), contents["user"]
    named = {match["name"]: match["content"] for match in _BLOCK.finditer(user)}
    blocks = {name: text for name, text in named.items() if not name.startswith("example ")}
    if kind in {"sentence_labels", "sentence_quotes"}:
        source = blocks["source"].split("\n")
        carrying = [text for text in source if _share(blocks["sentence"], text) >= _HALF]
        quotes = "".join(f" ({text})" for text in carrying if kind == "sentence_quotes")
        return f"Yes.{quotes}" if carrying else "No."
    if kind in _WHOLE:
        return json.dumps(_WHOLE[kind](blocks), ensure_ascii=False)
    key, block, rule = _EACH[kind]
    lines = _lines(blocks[block])
    entries = [{"id": n} | rule(n, lines, blocks) for n in _items_of(user)]
    return json.dumps({key: entries}, ensure_ascii=False)


def kind_of(request: ChatRequest) -> str:
    """Which kind of question a request asks, by the heading of its instructions."""
    return _kind(request.messages[0].content)


def _kind(system: str) -> str:
    return system.split("\n", 1)[0].removeprefix("# ").replace(" ", "_").lower()


def _items_of(user: str) -> list[int]:
    """The numbers of the items asked about, from the line that ends a request."""
    numbers: list[int] = []
    for run in _WORK.findall(_BLOCK.sub("", user))[0].split(", "):
        first, _, last = run.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers


def _lines(content: str) -> dict[int, str]:
    """The numbered lines of a block."""
    result = (_LINE.fullmatch(line) for line in content.split("\n"))
    return {int(match[1]): match[2] for match in result if match}


def _share(claim: str, premise: str, *, needs_numbers: bool = True) -> float:
    """Share of a claim's content words that a premise has; 0 where a number is not there."""
    words, there = content_words(claim), set(content_words(premise))
    if needs_numbers and any(word[0].isdigit() and word not in there for word in words):
        return 0.0
    return sum(word in there for word in words) / max(1, len(words))


Lines = Mapping[int, str]


def _facets(number: int, lines: Lines, _: Blocks) -> Json:
    if number == 1 and len(lines) > 2:
        return {"facets": ["background"]}
    if number == len(lines) and len(lines) > 1:
        return {"facets": ["conclusion"]}
    return {"facets": ["method" if _DONE.search(lines[number]) else "result"]}


def _facts(number: int, lines: Lines, _: Blocks) -> Json:
    pieces = [piece.strip(" .") for piece in _CLAUSE.split(lines[number])]
    kept = [piece for piece in pieces if content_words(piece)]
    return {"facts": [{"text": f"{p}.", "refines": min(n, 1)} for n, p in enumerate(kept)]}


def _entities(number: int, lines: Lines, _: Blocks) -> Json:
    long = dict.fromkeys(w.strip(".,") for w in lines[number].split() if len(w) > len("long"))
    return {"entities": [{"name": word, "type": "miscellaneous"} for word in long]}


def _triples(number: int, lines: Lines, blocks: Blocks) -> Json:
    """The last sentence is related to the first, where there is another and both name something."""
    first, last = (_entities(n, lines, blocks)["entities"] for n in (1, number))
    if number != len(lines) or number == 1 or not first or not last:
        return {"relations": []}
    head, tail = first[0]["name"], last[-1]["name"]
    return {"relations": [{"with": 1, "head": head, "relation": "is told of with", "tail": tail}]}


def _relations(number: int, lines: Lines, blocks: Blocks) -> Json:
    triples = _triples(number, lines, blocks)["relations"]
    stated = [t | _message(t["head"], t["tail"]) for t in triples]
    return _entities(number, lines, blocks) | {"relations": stated}


def _message(head: str, tail: str) -> Json:
    return {"statement": f"{head} and {tail} are told of together."}


def _statement(number: int, lines: Lines, _: Blocks) -> Json:
    head, _relation, tail = lines[number].split(" | ")
    return _message(head, tail)


def _fact_check(number: int, facts: Lines, blocks: Blocks) -> Json:
    premises = _lines(blocks["premises"])
    carrying = [n for n, text in premises.items() if _share(facts[number], text) >= _HALF]
    label = "entailed" if carrying else "not_entailed"
    return {"reason": "words", "premises": carrying, "label": label}


def _sentence_check(number: int, sentences: Lines, blocks: Blocks) -> Json:
    source = _lines(blocks["source"])
    shares = {n: _share(sentences[number], text) for n, text in source.items()}
    best = max(shares, key=lambda n: shares[n])
    holds = shares[best] >= _HALF
    evidence = [{"id": best, "quote": source[best]}] if holds else []
    label = "supported" if holds else "unsupported"
    return {"reason": "words", "evidence": evidence, "label": label}


def _factual_check(number: int, sentences: Lines, _: Blocks) -> Json:
    is_true = "world" in sentences[number].lower()
    return {"reason": "known", "label": "true" if is_true else "not_true"}


_EACH: Mapping[str, tuple[str, str, Callable[[int, Lines, Blocks], Json]]] = {
    "facets": ("sentences", "text", _facets),
    "facts": ("sentences", "text", _facts),
    "fact_checks": ("checks", "facts", _fact_check),
    "fact_checks_in_chain": ("checks", "facts", _fact_check),
    "sentence_checks": ("checks", "sentences", _sentence_check),
    "factual_checks": ("checks", "sentences", _factual_check),
    "relations": ("sentences", "text", _relations),
    "triples": ("sentences", "text", _triples),
    "entities": ("paragraphs", "paragraphs", _entities),
    "statements": ("statements", "relations", _statement),
}


def _rating(reference: str, summary: str, scale: int) -> Json:
    share = _share(reference, summary, needs_numbers=False)
    rating = 1 + int(share * (scale - 1) + _HALF)
    return {"reason": f"{share:.0%} of the words", "coverage": round(100 * share), "rating": rating}


def _rated(blocks: Blocks) -> Json:
    keys = [name.partition(" ")[0] for name in blocks if name.endswith(" reference")]
    scales = {
        key: q.SCALES[next(facet for facet in q.SCALES if key.startswith(facet))] for key in keys
    }
    said = {k: blocks.get(f"{k} summary", blocks.get("summary", "")) for k in keys}
    return {k: _rating(blocks[f"{k} reference"], said[k], scales[k]) for k in keys}


def _rated_as_a_whole(blocks: Blocks) -> Json:
    rated = _rating(blocks["reference"], blocks["summary"], 4)
    return {"reason": rated["reason"], "rating": rated["rating"]}


def _counted(blocks: Blocks) -> Json:
    reference, summary = (set(content_words(blocks[name])) for name in ("reference", "summary"))
    return {
        "reason": "words",
        "reference": len(reference),
        "candidate": len(summary),
        "matched": len(reference & summary),
    }


def _copied(blocks: Blocks) -> Json:
    lines = dict(enumerate(sentence_texts(blocks["text"]), start=1))
    said = {n: _facets(n, lines, blocks)["facets"] for n in lines}
    return {f: " ".join(lines[n] for n in lines if said[n] == [f]) for f in q.FACETS}


_WHOLE: Mapping[str, Callable[[Blocks], Json]] = {
    "facet_segments": _copied,
    "facet_ratings": _rated,
    "fact_counts": _counted,
    "summary_rating": _rated_as_a_whole,
}
Hook = Callable[[ChatRequest, str], "ChatReply | str"]
"""From a request and the text that answers it to what is replied instead; it may raise."""


def as_it_is(_: ChatRequest, text: str) -> ChatReply | str:
    """The answer by rule, unchanged."""
    return text


@dataclass(slots=True)
class RuleSender:
    """A sender by rule that remembers its replies, as an exchange does.

    Attributes:
        hook: What becomes of each reply.
        sent: The requests in order; one equal to an earlier one is not sent again.
    """

    hook: Hook = as_it_is
    sent: list[ChatRequest] = field(default_factory=list)
    _replies: dict[str, ChatReply] = field(default_factory=dict)

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply by rule."""
        identity = request.identity("rule")
        key = json.dumps(identity, sort_keys=True)
        if key not in self._replies:
            self.sent.append(request)
            reply = self.hook(request, answer_by_rule(identity))
            if isinstance(reply, str):
                reply = ChatReply(text=reply, model=request.model)
            self._replies[key] = reply
        return self._replies[key]

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]]) -> str:
        """Advice that a test can tell from the reason."""
        assert said
        return "ask again"


def judge_of(hook: Hook = as_it_is, **settings: Any) -> LlmJudge:
    """An LLM judge with a model by rule behind it."""
    return LlmJudge(RuleSender(hook), model="m-1", endpoint="rule", **settings)


def sent_by(judge: LlmJudge) -> list[ChatRequest]:
    """The requests that a judge has sent, equal ones once."""
    assert isinstance(judge.sender, RuleSender)
    return judge.sender.sent


def kinds_sent(judge: LlmJudge) -> Counter[str]:
    """How many requests of each kind were sent."""
    return Counter(map(kind_of, sent_by(judge)))


def ask(judge: LlmJudge, *questions: q.Question) -> tuple[q.Answer, ...]:
    """The judge's answers."""
    return asyncio.run(judge.answer(questions))


SOURCE = ("We fired forty bricks.", "Slow firing gave bricks of 31 MPa.", "Fuel was dear.")
CLAIMS = q.CheckSentences(
    ("Forty bricks were fired.", "The world is round.", "Winter came."), SOURCE
)


def checks_of(judge: LlmJudge) -> tuple[q.SentenceCheck | q.Unanswered, ...]:
    """What a judge answers to the question above."""
    (answer,) = ask(judge, CLAIMS)
    assert isinstance(answer, q.SentenceChecks)
    return answer.checks


def request_in_words(batch: PromptBatch[Any]) -> str:
    """What a request about a batch's last two items shows, with its schema."""
    ids = tuple(unit[-1] for unit in batch.units)[-2:]
    schema = batch.schema(ids)
    heading = batch.system.partition("\n")[0]
    requested = f"{batch.topic}; {batch.units}; {batch.size} at most; {ids}: {heading}"
    sent = "" if schema is None else f"{schema.name}: {schema.text}"
    return "\n".join((requested, batch.message(ids), sent))
