"""What a judge is, finding one by name, and judges that are made of others or of records."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, Protocol, runtime_checkable

from summeval_pytest import questions as q
from summeval_pytest.errors import OptionError, foreign_code
from summeval_pytest.text.printing import one_line, raised


@runtime_checkable
class Judge(Protocol):
    """A judge, which answers questions: the embedded judge, an LLM, recorded answers.

    Your own judge is one class with these three members.
    """

    @property
    def signature(self) -> str:
        """Everything that can change this judge's answers, in one short string."""

    @property
    def in_flight(self) -> int:
        """How many pairs are worth having open at once: 1 for a judge that computes."""

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked.

        Answer `Unanswered` with a reason to a question that cannot be answered. Raise only if no
        question can be answered.
        """


Part = Literal["chain", "relations"]
"""What only variants ask: with earlier verdicts, and for relations."""


@runtime_checkable
class Prompting(Protocol):
    """A judge whose signature does not cover what only variants ask; a team's own need not be one.

    Any other judge's signature has to state whatever can change any of its answers.
    """

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """A few hex digits that change with every prompt of these parts."""


@runtime_checkable
class Counting(Protocol):
    """A judge that counts what its replies were like; a team's own need not."""

    def counts(self) -> Mapping[str, float]:
        """Counts by name, which add up over processes."""


def is_local(name: str) -> bool:
    """Whether a name is that of a judge in this process, and not of a model at an endpoint.

    A colon divides a module from its class, and a model from its tag (``mistral:Q4_K_M``,
    ``code:latest``). A module with a dot is meant in any case: texts are not sent away because its
    name is misspelt. One without a dot is meant if Python finds it, and if what follows the colon
    begins with a capital letter, as a class does.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        return name == q.OFFLINE
    if not attribute.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        return False
    return "." in module or (attribute[0].isupper() and _is_module(module))


def _is_module(name: str) -> bool:
    try:
        spec = find_spec(name)
    except ValueError:  # it is loaded, and nobody knows from where
        return True
    return spec is not None and spec.origin is not None  # a folder alone has no origin


def find_judge(name: str) -> Judge:
    """The judge of this name, in this process.

    That is ``offline``, or ``package.module:attribute`` for a team's own judge: an object with the
    members of `Judge`, or a class or function that makes one without arguments.

    Raises:
        OptionError: if there is no such judge.
    """
    if name == q.OFFLINE:
        from summeval_pytest.judges.offline import OfflineJudge

        return OfflineJudge()
    module_name, _, attribute = name.partition(":")

    def none(error: BaseException) -> OptionError:
        is_plain = isinstance(error, (ImportError, AttributeError))
        return OptionError(
            f"no judge {name!r}: {one_line(str(error)) if is_plain else raised(error)}; name it"
            f' package.module:Class, or define a model of this name as [judges."{name}"] in the'
            " suite"
        )

    with foreign_code(none):
        made = getattr(import_module(module_name), attribute)
        judge = made if isinstance(made, Judge) and not isinstance(made, type) else made()
        is_whole = isinstance(judge, Judge) and isinstance(judge.signature, str)
        is_whole = is_whole and isinstance(judge.in_flight, int) and judge.in_flight > 0
    if not is_whole:
        raise OptionError(
            f"{name!r} is no judge: it needs a signature, in_flight (1 or more) and answer()"
        )
    return judge


@dataclass(frozen=True, slots=True)
class ComposedJudge:
    """Hands each question to the judge whose duty it is.

    ``parts`` has a judge for every duty; none of them is composed itself.
    """

    parts: Mapping[q.Duty, Judge]

    @property
    def signature(self) -> str:
        """Which judge answers what; who lists facts is named where another judge checks them."""
        return signature_for(self, q.DUTIES)

    @property
    def in_flight(self) -> int:
        """As many as any of its judges can take."""
        return max(judge.in_flight for judge in self.parts.values())

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """What tells the questions of these parts from any other's; empty if none is prompted."""
        of_part = {"chain": self.parts["facts"], "relations": self.parts["listing"]}
        judges = ((part, of_part[part]) for part in parts)
        return "+".join(j.prompts_for((part,)) for part, j in judges if isinstance(j, Prompting))

    def counts(self) -> Mapping[str, float]:
        """The counts of its judges, added up."""
        total: Counter[str] = Counter()
        judges: dict[int, Judge] = {}
        for part in self.parts.values():
            members = part.judges if isinstance(part, Panel) else (part,)
            judges.update((id(judge), judge) for judge in members)
        for judge in judges.values():
            if isinstance(judge, Counting):
                total.update(judge.counts())
        return total

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked; all judges are asked at once."""
        places: defaultdict[q.Duty, list[int]] = defaultdict(list)
        for place, question in enumerate(questions):
            places[q.duty_of(question)].append(place)
        parts = await asyncio.gather(
            *(
                self.parts[duty].answer(tuple([questions[place] for place in own]))
                for duty, own in places.items()
            )
        )
        answers: dict[int, q.Answer] = {}
        for own, part in zip(places.values(), parts, strict=True):
            answers.update(zip(own, part, strict=True))
        return tuple([answers[place] for place in range(len(questions))])


@dataclass(frozen=True, slots=True)
class Panel:
    """Several judges that answer the same questions about sentences.

    By the rule ``all`` a sentence is supported if every judge supports it: one that does not
    decides, and its evidence is shown. By ``any`` it is supported if one judge supports it. A
    sentence that no answer decides, and that some judge did not answer, is unanswered. Of those
    with the panel's verdict, any that sees a conflict is believed, whatever their order.
    """

    judges: tuple[Judge, ...]
    rule: q.PanelRule

    @property
    def signature(self) -> str:
        """The rule, and who is asked."""
        return f"{self.rule}({', '.join(judge.signature for judge in self.judges)})"

    @property
    def in_flight(self) -> int:
        """As many as any of its judges can take."""
        return max(judge.in_flight for judge in self.judges)

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked; all judges are asked at once."""
        answers = await asyncio.gather(*(judge.answer(questions) for judge in self.judges))
        return tuple(map(self._answer, questions, zip(*answers, strict=True)))

    def _answer(self, question: q.Question, answers: tuple[q.Answer, ...]) -> q.Answer:
        assert isinstance(question, q.CheckSentences), "a panel is asked about sentences only"
        columns: list[tuple[q.SentenceCheck | q.Unanswered, ...]] = []
        for each in answers:
            none = q.Unanswered("no checks of sentences came")
            lost = (each if isinstance(each, q.Unanswered) else none,) * len(question.sentences)
            columns.append(each.checks if isinstance(each, q.SentenceChecks) else lost)
        return q.SentenceChecks(tuple(map(self._check, zip(*columns, strict=True))))

    def _check(
        self, checks: tuple[q.SentenceCheck | q.Unanswered, ...]
    ) -> q.SentenceCheck | q.Unanswered:
        decisive = self.rule == "any"
        answered = [check for check in checks if isinstance(check, q.SentenceCheck)]
        deciding = [check for check in answered if check.supported == decisive]
        if not deciding and len(answered) < len(checks):
            return next(check for check in checks if isinstance(check, q.Unanswered))
        alike = deciding or answered
        supports = [check.support for check in alike if check.support is not None]
        weigh = max if decisive else min
        return replace(
            alike[0],
            support=weigh(supports) if len(supports) == len(alike) else None,
            undecided=any(check.undecided for check in alike),
            conflict=any(check.conflict for check in alike),
        )


def signature_for(judge: Judge, duties: Sequence[q.Duty]) -> str:
    """All that can change a judge's answers to these kinds of questions."""
    if not isinstance(judge, ComposedJudge):
        return judge.signature
    parts = judge.parts
    by_signature: defaultdict[str, list[q.Duty]] = defaultdict(list)
    for duty in duties:
        if duty != "listing" or parts[duty] is not parts["facts"]:
            by_signature[parts[duty].signature].append(duty)
    if len(by_signature) == 1:
        return next(iter(by_signature))
    return " ".join(f"{'+'.join(own)}=({name})" for name, own in by_signature.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedJudge:
    """Answers `SegmentFacets` and `RateFacets` from records; anything else stays unanswered.

    ``signature`` says whose records they are, with a hash of them. Segments are by normalised text,
    ratings by the pair of facets that the metric asks about. It looks up and does not wait, so one
    pair at a time is enough.
    """

    signature: str
    segments: Mapping[str, q.FacetSegments]
    ratings: Mapping[q.FacetPair, q.FacetRating]
    in_flight: int = 1

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked."""
        return tuple(map(self._answer, questions))

    def _answer(self, question: q.Question) -> q.Answer:
        match question:
            case q.SegmentFacets(text):
                unknown = q.Unanswered("no facets of this text are recorded")
                return self.segments.get(text, unknown)
            case q.RateFacets(pairs):
                none = q.Unanswered("no rating of this facet is recorded")
                return q.FacetRatings(tuple(self.ratings.get(pair, none) for pair in pairs))
            case _:
                return q.Unanswered("a recorded judge rates facets, and was asked something else")
