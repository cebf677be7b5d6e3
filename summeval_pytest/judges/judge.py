"""The judge protocol, and resolving a judge of one's own by name."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal, Protocol, runtime_checkable

from summeval_pytest.errors import OptionError
from summeval_pytest.questions import OFFLINE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.questions import Answer, Question


@runtime_checkable
class Judge(Protocol):
    """Whoever answers questions: the embedded judge, an LLM, other people's recorded answers.

    A team's own judge is one class with these three members.
    """

    @property
    def signature(self) -> str:
        """All that can change this judge's answers, in one short string."""
        ...

    @property
    def in_flight(self) -> int:
        """How many pairs are worth having open at once: 1 for a judge that computes."""
        ...

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked.

        A question that cannot be answered is `Unanswered` with a reason; raising is for what no
        question could survive.
        """
        ...


Part = Literal["chain", "relations", "counts"]
"""What only variants ask: with earlier verdicts, for relations, for counts of facts."""


@runtime_checkable
class Prompting(Protocol):
    """A judge whose signature does not cover what only variants ask; one of one's own need not be.

    Without this, a judge's signature has to state whatever can change any of its answers.
    """

    def prompts_for(self, parts: tuple[Part, ...]) -> str:
        """A few hex digits that change with every prompt of these parts."""
        ...


@runtime_checkable
class Counting(Protocol):
    """A judge that counts what its replies were like; a judge of one's own need not."""

    def counts(self) -> Mapping[str, float]:
        """Counts by name, which add up over processes."""
        ...


_NO_JUDGE: Final = (
    ImportError, AttributeError, LookupError, OSError, RuntimeError, SyntaxError, TypeError,
    ValueError,
)  # fmt: skip
"""What importing and making somebody's judge may raise."""


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
        found = find_spec(name)
    except ValueError:  # it is loaded, and nobody knows from where
        return True
    return found is not None and found.origin is not None  # a folder alone has no origin


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
    try:
        found = getattr(import_module(module_name), attribute)
        judge = found if isinstance(found, Judge) and not isinstance(found, type) else found()
    except _NO_JUDGE as error:
        is_plain = isinstance(error, (ImportError, AttributeError))
        told = str(error) if is_plain else f"{type(error).__name__}: {error}"
        raise OptionError(
            f"no judge {name!r}: {told}; name it package.module:Class, or define a model of this"
            f' name as [judges."{name}"] in the suite'
        ) from error
    if not isinstance(judge, Judge):
        raise OptionError(f"{name!r} is no judge: it needs signature, in_flight and answer()")
    return judge
