"""The judge protocol, and finding a team's own judge by name."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from summeval_pytest.errors import OptionError, foreign_code
from summeval_pytest.questions import OFFLINE
from summeval_pytest.text.printing import one_line, raised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.questions import Answer, Question


@runtime_checkable
class Judge(Protocol):
    """A judge, which answers questions: the embedded judge, an LLM, recorded answers.

    Your own judge is one class with these three members.
    """

    @property
    def signature(self) -> str:
        """Everything that can change this judge's answers, in one short string."""
        ...

    @property
    def in_flight(self) -> int:
        """How many pairs are worth having open at once: 1 for a judge that computes."""
        ...

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked.

        Answer `Unanswered` with a reason to a question that cannot be answered. Raise only if no
        question can be answered.
        """
        ...


Part = Literal["chain", "relations"]
"""What only variants ask: with earlier verdicts, and for relations."""


@runtime_checkable
class Prompting(Protocol):
    """A judge whose signature does not cover what only variants ask; a team's own need not be one.

    Any other judge's signature has to state whatever can change any of its answers.
    """

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """A few hex digits that change with every prompt of these parts."""
        ...


@runtime_checkable
class Counting(Protocol):
    """A judge that counts what its replies were like; a team's own need not."""

    def counts(self) -> Mapping[str, float]:
        """Counts by name, which add up over processes."""
        ...


def is_local(name: str) -> bool:
    """Whether a name is that of a judge in this process, and not of a model at an endpoint.

    A colon divides a module from its class, and a model from its tag (``mistral:Q4_K_M``,
    ``code:latest``). A module with a dot is meant in any case: texts are not sent away because its
    name is misspelt. One without a dot is meant if Python finds it, and if what follows the colon
    begins with a capital letter, as a class does.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        return name == OFFLINE
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
    if name == OFFLINE:
        from summeval_pytest.judges.offline.embedded import OfflineJudge

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
