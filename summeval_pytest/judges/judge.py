"""What a judge is, and finding one by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Final, Protocol, runtime_checkable

from summeval_pytest import questions as q
from summeval_pytest.errors import OptionError, foreign_code, searched
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
        why = one_line(str(error)) if is_plain else raised(error)
        return OptionError(
            f"no judge {name!r}: {why}{searched(error)}; name it package.module:Class, or define a"
            f' model of this name as [judges."{name}"] in the suite'
        )

    with foreign_code(none):
        made = getattr(import_module(module_name), attribute)
        judge = made if isinstance(made, Judge) and not isinstance(made, type) else made()
        is_whole = is_judge(judge)
    if not is_whole:
        raise OptionError(f"{name!r} is no judge: {NEEDED}")
    return judge


NEEDED: Final = "it needs a signature, in_flight (1 or more) and answer()"
"""What is wrong with what `is_judge` refuses."""


def is_judge(made: object) -> bool:
    """Whether somebody's object has all that a judge needs; it may raise what the object raises."""
    values: tuple[object, ...] = (made.signature, made.in_flight) if isinstance(made, Judge) else ()
    match values:
        case str(signature), int(in_flight):
            return bool(signature) and in_flight > 0
        case _:
            return False
