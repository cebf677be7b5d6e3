"""From the name a user gives to the judge that answers."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.judges.judge import Judge

if TYPE_CHECKING:
    from collections.abc import Collection

OFFLINE: Final = "offline"
"""The embedded judge's name, and the default."""

_NO_JUDGE: Final = (
    ImportError, AttributeError, LookupError, OSError, RuntimeError, SyntaxError, TypeError,
    ValueError,
)  # fmt: skip
"""What importing and making somebody's judge may raise."""


def find_judge(name: str, defined: Collection[str] = ()) -> Judge:
    """The judge of this name.

    Args:
        name: ``offline``, or ``package.module:attribute`` for a team's own judge: an object with
            the members of `Judge`, or a class or function that makes one without arguments.
        defined: Names of judges that the suite defines and this version cannot reach yet.

    Raises:
        OptionError: if there is no such judge.
    """
    if name == OFFLINE:
        from summeval_pytest.judges.offline import OfflineJudge

        return OfflineJudge()
    if ":" in name:
        return _imported(name)
    if name in defined:
        raise OptionError(
            f"judge {name!r} asks an endpoint, which this version cannot do yet; "
            f"use {OFFLINE!r}, or name your own judge as package.module:Class"
        )
    raise OptionError(
        f"no judge {name!r}: {nearest(name, [OFFLINE, *defined])}"
        " (name your own judge as package.module:Class)"
    )


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
