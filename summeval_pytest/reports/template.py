"""Jinja templates of the reports: what they print is escaped, and a missing name is an error."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from jinja2 import Template

FOLDER: Final = "reports/templates"


def resource(name: str, folder: str = FOLDER) -> str:
    """The text of one of the files beside the templates."""
    return (files("summeval_pytest") / folder / name).read_text("utf-8")


@cache
def template(
    name: str,
    finalize: Callable[[object], object],
    *words: ModuleType | Callable[..., object],
    folder: str = FOLDER,
) -> Template:
    """One template by the name of its file; its includes are in `FOLDER`.

    ``finalize`` makes a value safe, before it is escaped for HTML unless it is markup. ``words``
    are the functions, and modules of functions, that the template calls.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(resource),  # of what templates share
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=finalize,
    )
    named = {word.__name__.rpartition(".")[2]: word for word in words}
    environment.globals |= named
    environment.filters |= named
    return environment.from_string(resource(name, folder))
