"""An attribute that is computed when it is first read, and then is a plain one.

`functools.cached_property` takes a lock on every first read in Python 3.11, which costs more here
than most of what is computed; an embedded judge answers in one thread, and computing twice what
never changes would do no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - reads as the decorator it is, like property
    """A method whose value is kept as the instance's attribute of the method's name.

    It is set, and not written to ``__dict__``, so that the instance needs none: attributes then lie
    in the object itself, are read faster, and give the garbage collector nothing to look at.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: object, owner: type) -> T:
        """The value, computed and kept; later reads find it without coming here."""
        value = self._compute(instance)
        setattr(instance, self._name, value)
        return value
