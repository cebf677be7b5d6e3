"""From the name a user gives to the judge that answers."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Final

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.judge import Judge

OFFLINE: Final = "offline"
"""The embedded judge's name, and the default."""

_NO_JUDGE: Final = (
    ImportError, AttributeError, LookupError, OSError, RuntimeError, SyntaxError, TypeError,
    ValueError,
)  # fmt: skip
"""What importing and making somebody's judge may raise."""


def is_local(name: str) -> bool:
    """Whether a name is that of a judge in this process, and not of a model at an endpoint.

    A colon parts a module from its judge, and a model from its tag (``mistral:latest``): what is
    before it is a module if it has a dot, if what is after it begins with a capital letter, or if
    there is a module of that name.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        return name == OFFLINE
    if not attribute.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        return False
    return "." in module or attribute[0].isupper() or _is_module(module)


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # it is loaded, and nobody knows from where
        return True


def find_judge(name: str) -> Judge:
    """The judge of this name, in this process.

    Args:
        name: ``offline``, or ``package.module:attribute`` for a team's own judge: an object with
            the members of `Judge`, or a class or function that makes one without arguments.

    Raises:
        OptionError: if there is no such judge.
    """
    if name == OFFLINE:
        from summeval_pytest.judges.offline import OfflineJudge

        return OfflineJudge()
    return _imported(name)


def _imported(name: str) -> Judge:
    module_name, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module_name), attribute)
        judge = found if isinstance(found, Judge) and not isinstance(found, type) else found()
    except _NO_JUDGE as error:
        is_plain = isinstance(error, (ImportError, AttributeError))
        told = str(error) if is_plain else f"{type(error).__name__}: {error}"
        raise OptionError(f"no judge {name!r}: {told}; name it package.module:Class") from error
    if not isinstance(judge, Judge):
        raise OptionError(f"{name!r} is no judge: it needs signature, in_flight and answer()")
    return judge
