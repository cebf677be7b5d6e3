"""Custom metrics: code of an installed package that counts something in the texts of a pair.

A package gives one by an entry point of the group ``summeval.metrics``. Thresholds, reports,
comparisons and records treat its numbers as those of the three metrics. No judge is asked.
"""

from __future__ import annotations

import math
from collections.abc import (
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from summeval_pytest.errors import foreign_code
from summeval_pytest.metrics.flow import Dialogue, NoScoreError, check_usable, ends_unscored
from summeval_pytest.metrics.number import SPARSE, Finding, MetricName, NumberSpec, Status, Unscored
from summeval_pytest.text.printing import one_line, raised
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts

Text = Literal["reference", "source"]
Option = str | int | float | bool
"""A value in a table ``[metrics.NAME]``; for a key ``x_file``, ``x`` is the text of the file."""
NO_TEXT: Final[Mapping[Text, Status]] = MappingProxyType(
    {"reference": "skipped_no_reference", "source": "skipped_no_source"}
)
"""The status of a pair without a text that a metric needs."""
Options = tuple[tuple[str, Option], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTexts:
    """The texts of one pair, normalised: no special tokens, plain white space.

    Attributes:
        references: The paper's references; at least one if the metric needs them.
        source: The paper, one text a section.
    """

    summary: str
    references: tuple[str, ...]
    source: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the summary."""
        return sentence_texts(self.summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A part of the summary that explains a custom metric's value.

    Attributes:
        number: The number; reports show it where any number of its metric misses a threshold.
        title: The piece, for a heading: "sentence 3".
        verdict: What is wrong with it, in words.
        reason: Why, if there is more to say.
        summary: The summary's words.
        severity: 0 to 1; 1 is the worst and comes first.
    """

    number: str
    title: str
    verdict: str
    reason: str = ""
    summary: str = ""
    severity: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnScore:
    """The score of a custom metric.

    Attributes:
        numbers: The value of each number by its name; None if the summary has nothing to count. A
            number that does not apply is missing.
        left_out: The numbers that the metric's options leave out.
    """

    metric: MetricName
    numbers: Mapping[str, float | None]
    problems: tuple[Problem, ...] = ()
    left_out: tuple[str, ...] = field(default=(), metadata=SPARSE)

    @property
    def value(self) -> float | None:
        """The number with the metric's own name."""
        return self.numbers[self.metric]

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name."""
        return self.numbers

    def applies(self, name: str) -> bool:
        """Whether a number without a value could have one: the metric's options leave it out."""
        return name in self.left_out

    def unanswered(self) -> Mapping[str, int]:
        """Always empty: no judge is asked."""
        return {}

    def findings(self, source: Sequence[str]) -> Iterator[Finding]:  # noqa: ARG002 - see above
        """The problems that the metric names."""
        for problem in self.problems:
            yield Finding(
                kind="own",
                number=problem.number,
                title=one_line(f"{problem.number}, {problem.title}"),
                verdict=one_line(problem.verdict),
                reason=problem.reason,
                reference=None,
                summary=problem.summary,
                evidence=(),
                severity=problem.severity,
            )


class Metric:
    """A custom metric; the keyword arguments of its class are its options in a suite.

    Attributes:
        version: Part of its signature: change it with every change of what the metric counts.
        needs: The texts without which it measures nothing.
        numbers: The numbers for thresholds. The first has the metric's name, others
            ``metric.part``.
    """

    version: ClassVar[str] = "1"
    needs: ClassVar[tuple[Text, ...]] = ()
    numbers: ClassVar[tuple[NumberSpec, ...]]

    @property
    def left_out(self) -> Mapping[str, str]:
        """Numbers that these options leave out, each with what to do to get it."""
        return MappingProxyType({})

    def measure(self, texts: MetricTexts) -> Mapping[str, float | None]:
        """The numbers of a pair, by name.

        None means that the summary has nothing to count, and misses every threshold. A number that
        is left out does not apply, and meets every threshold. An exception is an error of the test
        and no failure of the system.
        """
        raise NotImplementedError

    def problems(self, texts: MetricTexts) -> Iterable[Problem]:  # noqa: ARG002 - for subclasses
        """The pieces of the summary that explain its numbers."""
        return ()


def lack_of(
    needs: Iterable[Text], references: Collection[object], source: Collection[object]
) -> Text | None:
    """The first missing text of those that a metric needs; None where it has all."""
    there = {"reference": bool(references), "source": bool(source)}
    return next((text for text in needs if not there[text]), None)


def custom_flow(
    name: MetricName, metric: Metric, summary: str, references: Sequence[str], source: Sequence[str]
) -> Dialogue[OwnScore | Unscored]:
    """The dialogue of a custom metric, which asks nothing.

    It ends unscored, by the system's fault, where the summary is empty or a refusal.
    """

    def broken(error: BaseException) -> NoScoreError:
        return NoScoreError(f"metric {name!r} broke down: {raised(error)}")

    @ends_unscored(name)
    def measure() -> Dialogue[OwnScore]:
        yield from ()
        texts = MetricTexts(
            summary=normalise(summary),
            references=tuple(map(normalise, references)),
            source=tuple(map(normalise, source)),
        )
        check_usable(texts.summary)
        if (lack := lack_of(metric.needs, references, source)) is not None:
            raise NoScoreError(f"the paper has no {lack}", NO_TEXT[lack])
        with foreign_code(broken):
            numbers = _checked(metric, metric.measure(texts))
            problems = tuple(metric.problems(texts))
            _check_problems(metric, problems)
            left_out = tuple(sorted(metric.left_out))
        return OwnScore(metric=name, numbers=numbers, problems=problems, left_out=left_out)

    return measure()


def _checked(metric: Metric, numbers: Mapping[str, float | None]) -> dict[str, float | None]:
    """The numbers in order, each of them declared, finite and in its range."""
    known = [named.name for named in metric.numbers]
    if known[0] not in numbers or set(numbers) - set(known):
        raise ValueError(f"it gave {sorted(numbers)}; it has to give {known[0]!r}, of {known}")
    checked: dict[str, float | None] = {}
    for named in metric.numbers:
        value: object = numbers.get(name := named.name)
        if value is not None:
            if isinstance(value, bool) or not isinstance(value, Real):
                raise TypeError(f"{name} is {value!r}; give a float or None")
            value = float(value)
            if not (math.isfinite(value) and named.low <= value <= named.high):
                raise ValueError(f"{name} is {value}, and ranges {named.range}")
        if name in numbers:
            checked[name] = value
    return checked


def _check_problems(metric: Metric, problems: Iterable[Problem]) -> None:
    for problem in problems:
        if problem.number not in {named.name for named in metric.numbers}:
            raise ValueError(f"a problem is of the unknown number {problem.number!r}")
        if not 0.0 <= problem.severity <= 1.0:
            raise ValueError(f"a problem's severity is {problem.severity}; it ranges from 0 to 1")
