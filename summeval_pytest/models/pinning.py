"""Whether a model that was asked for by an exact name is the one that replied.

Endpoints resolve aliases (``gpt-4o`` comes back as ``gpt-4o-2024-08-06``), put a provider before a
name, or say which file they have loaded. So a name is held to what comes back only where it is
exact: it carries a date, a digest or a tag with a number, or its suite says so.
"""

from __future__ import annotations

import re
from typing import Final

_DATE: Final = re.compile(
    r"""(?<!\d)(?:
        20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])    # gpt-4o-2024-08-06
      | 20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])      # claude-3-5-sonnet-20241022
      | (?<=-)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])      # gpt-4-0613
      | (?<=-)2\d(?:0[1-9]|1[0-2])                          # mistral-large-2407
    )(?!\d)""",
    re.VERBOSE,
)
_TAG: Final = re.compile(r":[^:/]*\d[^:/]*\Z")
"""``llama3:8b-instruct-q4_0`` and ``@sha256:...``; ``:latest`` and ``:free`` name no version."""
_FILE: Final = re.compile(r"\A(?:[/~.\\]|[A-Za-z]:[\\/])|\.(?:gguf|safetensors|bin)\Z")
_SUFFIX: Final = ".gguf"


def is_exact(model: str) -> bool:
    """Whether a name carries a date, a digest, or a tag with a number, and so means one model."""
    return bool(_DATE.search(model) or _TAG.search(model))


def is_other_model(asked: str, returned: str, *, pinned: bool | None = None) -> bool:
    """Whether a reply comes from another model than the exact one that was asked for.

    Args:
        asked: The name in the request.
        returned: The name in the reply; an empty one is no word, and never another model.
        pinned: Whether the suite holds the model to its name; None where the name itself decides,
            and where a file that a server has loaded is no name to hold it to.
    """
    if not returned or _is_same(asked, returned):
        return False
    if pinned is None:
        return is_exact(asked) and not _FILE.search(returned)
    return pinned


def _is_same(asked: str, returned: str) -> bool:
    """Whether two names are one, but for case, a provider or folder before it, and ``.gguf``."""
    one, other = (
        name.casefold().replace("\\", "/").removesuffix(_SUFFIX) for name in (asked, returned)
    )
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")
