"""An endpoint: its address, key and limits, what is redacted, what tokens cost, who replied."""

from __future__ import annotations

import ipaddress
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit, urlunsplit

from summeval_pytest.endpoints.chat import Usage
from summeval_pytest.errors import OptionError
from summeval_pytest.text.printing import one_line

HIDDEN: Final = "[key]"
"""What stands in every text where a key stood."""

PLACEHOLDERS: Final = frozenset({
    "anything", "dummy", "empty", "lm-studio", "no-key", "no-key-required", "none", "not-needed",
    "ollama", "placeholder", "whatever",
})  # fmt: skip
"""What people write for a key where none is asked for; words that a reply may hold as well."""

_ATTEMPT_SECONDS: Final = 300.0
_SHORTEST: Final = 6
_USUAL_PORTS: Final = {"http": 80, "https": 443}
_KEY_LIKE: Final = (
    r"(?<![A-Za-z0-9])sk-(?:(?=[\w*-]*\d)[\w*-]{8,}|[\w*-]{20,})",
    r"\b(?:Bearer|Basic)\s+(?:(?=[\w.~+/*-]*\d)[\w.~+/*-]{6,}|[\w.~+/*-]{20,})=*",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible address, and how it may be asked.

    Attributes:
        name: What tells it from others in keys of a store and in messages: a name of the suite, or
            the address as `shown`.
        base_url: The address up to the version, such as "http://localhost:11434/v1".
        api_key: Its key; empty where it wants none.
        max_in_flight: The maximum number of requests at once; None: the run's limit.
        requests_per_minute: The maximum number of requests per minute; None: no limit.
        tokens_per_minute: The same for the tokens of prompts and replies; None: no limit.
        timeout_seconds: How long one call may take, with all attempts and waits.
        attempt_seconds: How long the first attempt of a call may take; None: 300 s, and on this
            machine, where no packet is lost, as long as the call.

    Raises:
        OptionError: for no address, a broken key, and a key on plain http.
    """

    name: str
    base_url: str = field(repr=False)
    api_key: str = field(default="", repr=False)
    max_in_flight: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout_seconds: float = 600.0
    attempt_seconds: float | None = None

    def __post_init__(self) -> None:
        if _read_url(self.base_url) is None:
            # nobody hides a password in this part of a broken address
            part = one_line(self.base_url.rpartition("@")[2].partition("?")[0])
            raise self._wrong(
                f"base_url {part!r} is no address of a server; write it like"
                " 'http://localhost:11434/v1'"
            )
        if not _is_plain(self.api_key):
            raise self._wrong(
                "its API key has a blank, a line break or a letter that no key has; look where it"
                " comes from"
            )
        if self.api_key and not self.is_private:
            raise self._wrong(
                f"its API key would go to {self.shown} over plain http, for anyone on the way to"
                " read; use https, or unset the key's variable where none is wanted"
            )

    def _wrong(self, what: str) -> OptionError:
        return OptionError(f"endpoint {one_line(self.redacted(self.name))!r}: {what}")

    @property
    def _url(self) -> SplitResult:
        return urlsplit(self.base_url)

    @property
    def shown(self) -> str:
        """The address as it may be shown: without user, password and query."""
        url = self._url
        host = url.netloc.rpartition("@")[2]
        return one_line(self.redacted(f"{url.scheme}://{host}{url.path.rstrip('/')}"))

    @property
    def address(self) -> str:
        """The address to ask at, without its `query`; never show it."""
        return urlunsplit((*self._url[:3], "", ""))

    @property
    def query(self) -> dict[str, str]:
        """What every request carries after its path; never show it."""
        return dict(parse_qsl(self._url.query, keep_blank_values=True))

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine, where no proxy is between."""
        host = self._url.hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    @property
    def first_seconds(self) -> float:
        """How long the first attempt of a call may take."""
        usual = self.timeout_seconds if self.is_loopback else _ATTEMPT_SECONDS
        return min(self.attempt_seconds or usual, self.timeout_seconds)

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read what is sent: by https, or on this machine."""
        return self._url.scheme == "https" or self.is_loopback

    @property
    def origin(self) -> str:
        """Whom a key would be given to: scheme, host, and the port where it is no usual one."""
        url = self._url
        host = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname
        port = "" if url.port in {None, _USUAL_PORTS[url.scheme]} else f":{url.port}"
        return f"{url.scheme}://{host}{port}"

    def redacted(self, text: str) -> str:
        """The text with ``[key]`` for every secret of this endpoint, and for what looks like one.

        It is found as it is, in JSON and in a URL.
        A key that is known to be a placeholder, or is too short to keep anything, stays.
        """
        return _pattern(self.api_key, self.base_url).sub(HIDDEN, text)


@lru_cache(maxsize=64)
def _pattern(api_key: str, base_url: str) -> re.Pattern[str]:
    """Finds a key and the secrets of an address, in every way that they may be spelt."""
    secrets, url = [api_key], _read_url(base_url)
    if url is not None:
        secrets += [url.password or "", *dict(parse_qsl(url.query)).values()]
    spelled: set[str] = set()
    for secret in secrets:
        if len(secret) >= _SHORTEST and secret.lower() not in PLACEHOLDERS:
            quoted = json.dumps(secret)[1:-1]
            spelled |= {secret, quoted, quoted.replace("/", r"\/"), quote(secret, safe="")}
    known = [re.escape(text) for text in sorted(spelled, key=len, reverse=True)]
    return re.compile("|".join([*known, *_KEY_LIKE]), re.ASCII)


def _read_url(text: str) -> SplitResult | None:
    """The parts of an http address; None for anything else, and for what can be read two ways."""
    with suppress(ValueError):
        url = urlsplit(text)
        is_address = url.scheme in _USUAL_PORTS and bool(url.hostname) and url.port != 0
        if is_address and url.netloc.count("@") <= 1 and "\\" not in text and _is_plain(text):
            return url
    return None


def _is_plain(text: str) -> bool:
    """Whether all characters can stand in a header: ASCII, and no blanks."""
    return all("!" <= character <= "~" for character in text)


OPENAI: Final = "openai"
LONG: Final = 32_000
"""Tokens. No provider asks more for a shorter prompt; some ask more only for a much longer one, so
that a budget rather counts too much."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in dollars per million tokens of prompt and reply.

    ``cached_input`` is for what the endpoint had in its own cache; None if that costs as much.
    ``source`` says where a price comes from that nobody wrote into the suite, and ``long`` what
    calls with prompts of `LONG` tokens and more cost, if that is more.
    """

    input: float
    output: float
    cached_input: float | None = None
    source: str = field(default="", compare=False)
    long: Price | None = None

    def of(self, n_prompt: int) -> Price:
        """The price of a call by the tokens of its prompt."""
        return self if self.long is None or n_prompt < LONG else self.long

    def cost(self, usage: Usage) -> float:
        """What a reply cost, in dollars."""
        price = self.of(usage.prompt_tokens)
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        for_cached = price.input if price.cached_input is None else price.cached_input
        dollars = (usage.prompt_tokens - cached) * price.input + cached * for_cached
        return (dollars + usage.completion_tokens * price.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint, what must be set before anything is sent to it, and who may reply.

    ``missing`` is empty where nothing is. Replaying needs no key, so a missing one is an error when
    the first request is to be sent, and not before; ``hint`` is what else to say then. ``pinned``
    says whether replies have to come from the very model asked for; None where its name decides.
    """

    endpoint: Endpoint
    missing: str = ""
    hint: str = ""
    pinned: bool | None = False


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
_PART: Final = re.compile(r"[^\W\d_]+|\d+")
_OF_NO_MODEL: Final = frozenset({"latest", "preview"})
"""Words of names that stand for whichever version there is."""
_SIZES: Final = frozenset("nano tiny mini small lite flash large pro max ultra".split())
"""Words of names that tell a model from its larger or smaller sibling."""


def is_other_model(asked: str, returned: str, *, pinned: bool | None = None) -> bool:
    """Whether a reply comes from another model than the one that was asked for.

    Names are one but for case, a provider or folder before them, and ``.gguf``; an empty one is
    never another. ``pinned`` says whether the suite holds the model to its name. Where it is None,
    a name with a date, a digest or a numbered tag is held to, unless a server names a file instead,
    and any name to its family: ``gpt-6-terra`` is none of the versions of ``gpt-6-luna``.
    """
    one, other = (
        "/" + name.casefold().replace("\\", "/").removesuffix(".gguf") for name in (asked, returned)
    )
    if not returned or one.endswith(other) or other.endswith(one):
        return False
    if pinned is not None:
        return pinned
    is_exact = bool(_DATE.search(asked) or _TAG.search(asked))
    return (is_exact or _are_siblings(one, other)) and not _FILE.search(returned)


def _are_siblings(one: str, other: str) -> bool:
    """Whether names are of two models of one family: a word or a number differs in its place.

    A name with more words than another may be what that one stands for, so it tells nothing but
    where one of these is a size, as in ``gpt-4o-mini``. A name without a version is an alias.
    """
    names = (_DATE.sub("", name.rpartition("/")[2]) for name in (one, other))
    first, second = ([p for p in _PART.findall(n) if p not in _OF_NO_MODEL] for n in names)
    if len(first) == len(second):
        return first[:1] == second[:1] and first != second
    short, long = sorted(([p for p in n if p not in _SIZES] for n in (first, second)), key=len)
    is_version = short == long[: len(short)] and any(map(str.isdigit, short[:2]))
    return is_version and not _SIZES.isdisjoint({*first} ^ {*second})
