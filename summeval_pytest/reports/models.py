"""Which models replied in a run, as far as a reader has to know: swaps, aliases, configurations."""

from __future__ import annotations

from collections import defaultdict
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import one_line, safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from summeval_pytest.evaluation import ModelSeen

_WIDTH: Final = 80


def model_lines(models: Iterable[ModelSeen]) -> Iterator[str]:
    """What is odd about the models that replied in one run; nothing where nothing is.

    A pinned model that replied as another one is a warning. Replies of several models, or of
    several configurations of one, are a note: some may be from a cassette, and older.
    """
    found = tuple(sorted(models))
    for model in found:
        if model.is_other:
            yield from _wrapped(
                f"warning: the pinned model {_at(model)} replied as {model.returned!r}"
                f" ({_replies(model.n_replies)}); in CI that is an error"
            )
    for alike in _by_request(found).values():
        told = _several(alike)
        if told:
            yield from _wrapped(f"note: replies of {_at(alike[0])} are of several {told}")


def _several(alike: tuple[ModelSeen, ...]) -> str:
    """What differs between replies to the same requests; empty where nothing does."""
    names: defaultdict[str, int] = defaultdict(int)
    prints: defaultdict[str, int] = defaultdict(int)
    for model in alike:
        names[model.returned] += model.n_replies
        prints[model.fingerprint] += model.n_replies
    for kind, counts in (("models", names), ("fingerprints", prints)):
        if len(counts) > 1:
            return f"{kind}: " + ", ".join(
                f"{name or 'none'} ({n:,})" for name, n in counts.items()
            )
    return ""


def changed_model_lines(old: Iterable[ModelSeen], new: Iterable[ModelSeen]) -> Iterator[str]:
    """A note for each model of both runs that replied under another name or fingerprint.

    That is no error: the same weights on other machines have another fingerprint.
    """
    before, now = _by_request(old), _by_request(new)
    for of in sorted(before.keys() & now.keys()):
        told = _changed(before[of], now[of])
        if told:
            yield from _wrapped(f"note: {_at(now[of][0])} {told}")


def _changed(before: tuple[ModelSeen, ...], now: tuple[ModelSeen, ...]) -> str:
    names = [_told(model.returned for model in models) for models in (before, now)]
    if names[0] != names[1]:
        return f"replied as {names[0]} then, as {names[1]} now"
    prints = [_told(model.fingerprint for model in models) for models in (before, now)]
    if prints[0] != prints[1]:
        return f"had fingerprint {prints[0]} then, has {prints[1]} now"
    return ""


def _told(names: Iterable[str]) -> str:
    return ", ".join(sorted({name or "none" for name in names}))


def models_told(models: Iterable[ModelSeen]) -> Iterator[str]:
    """Every model that replied in a run, a line each."""
    for model in sorted(models):
        fingerprint = f", fingerprint {model.fingerprint}" if model.fingerprint else ""
        name = "" if model.returned == model.asked else f" as {model.returned or 'no name'}"
        yield one_line(f"{_at(model)}{name}{fingerprint}: {_replies(model.n_replies)}", 200)


def _by_request(models: Iterable[ModelSeen]) -> Mapping[tuple[str, str], tuple[ModelSeen, ...]]:
    """The models by endpoint and by the name that was asked for."""
    found: dict[tuple[str, str], tuple[ModelSeen, ...]] = {}
    for model in sorted(models):
        of = model.endpoint, model.asked
        found[of] = (*found.get(of, ()), model)
    return found


def _at(model: ModelSeen) -> str:
    return f"{model.asked!r} at {model.endpoint}"


def _replies(count: int) -> str:
    return f"{count:,} {'reply' if count == 1 else 'replies'}"


def _wrapped(text: str) -> Iterator[str]:
    lines = wrap(one_line(text, 400), _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    yield from map(safe, lines)
