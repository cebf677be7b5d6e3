"""Where a model is served, how hard it may be asked, and what of all this may never be shown."""

from __future__ import annotations

import ipaddress
import json
import math
import re
from base64 import b64encode, urlsafe_b64encode
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit, urlunsplit

from summeval_pytest.errors import OptionError
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN: Final = "[key]"
"""What stands in every text where a key stood."""

PLACEHOLDERS: Final = frozenset({
    "anything", "dummy", "empty", "lm-studio", "no-key", "no-key-required", "none", "not-needed",
    "ollama", "placeholder", "whatever",
})  # fmt: skip
"""What people write for a key where none is asked for; words that a reply may hold as well."""

_SHORTEST: Final = 6
_WRAPPED: Final = r"(?>[ \t]*\r?\n(?:E )?[ \t]*)?"
"""What wrapping puts between two characters, and pytest before the lines of an error."""
_USUAL_PORTS: Final = MappingProxyType({"http": 80, "https": 443})
_KEY_LIKE: Final = (
    r"(?<![A-Za-z0-9])sk-(?:(?=[\w*-]*\d)[\w*-]{8,}|[\w*-]{20,})",
    r"\b(?:Bearer|Basic)\s+(?:(?=[\w.~+/*-]*\d)[\w.~+/*-]{6,}|[\w.~+/*-]{20,})=*",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible address.

    Attributes:
        name: What tells it from others in keys of a store and in messages: a name of the suite, or
            the address as `shown`.
        base_url: Its address up to the version, such as "http://localhost:11434/v1".
        api_key: Its key; empty where it wants none.
        max_in_flight: At most so many requests at once, 1 or more; None for the run's limit.
        requests_per_minute: At most so many, 1 or more; None for any number.
        tokens_per_minute: At most so many, of prompts and replies, 1 or more; None for any number.
        timeout_seconds: How long one call may take, all its attempts and waits together.
        attempt_seconds: How long one attempt may take.
        max_reply_mib: How large the body of a response may be, as it comes and decoded, in MiB, 1
            or more.

    Raises:
        OptionError: if one of them is none.
    """

    name: str
    base_url: str = field(repr=False)
    api_key: str = field(default="", repr=False)
    max_in_flight: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout_seconds: float = 600.0
    attempt_seconds: float = 300.0
    max_reply_mib: int = 32

    def __post_init__(self) -> None:
        url = _read_url(self.base_url)
        if url is None:
            raise OptionError(
                f"{self._called}: base_url {_without_secrets(self.base_url)!r} is no address of a"
                " server; write it like 'http://localhost:11434/v1'"
            )
        if not all("!" <= character <= "~" for character in self.api_key):
            raise OptionError(
                f"{self._called}: its API key has a blank, a line break or a letter that no key"
                " has; look where it comes from"
            )
        if not self.name or self.redacted(self.name) != self.name:
            raise OptionError(
                f"an endpoint at {self.shown} needs a name without its key or password in it;"
                " call it by its address"
            )
        if self.api_key and not self.is_private:
            raise OptionError(
                f"{self._called}: its API key would go to {self.shown} over plain http, for anyone"
                " on the way to read; use https, or unset the key's variable where none is wanted"
            )
        self._check_numbers()

    def _check_numbers(self) -> None:
        for key in ("max_in_flight", "requests_per_minute", "tokens_per_minute", "max_reply_mib"):
            limit: int | None = getattr(self, key)
            if limit is not None and limit < 1:
                raise OptionError(f"{self._called}: {key} is {limit!r}; it has to be 1 or more")
        for key in ("timeout_seconds", "attempt_seconds"):
            seconds: float = getattr(self, key)
            if not (math.isfinite(seconds) and seconds > 0):
                raise OptionError(f"{self._called}: {key} is {seconds!r}; it has to be above 0")

    @property
    def _called(self) -> str:
        return f"endpoint {one_line(self.redacted(self.name))!r}"

    @property
    def shown(self) -> str:
        """The address as it may be shown: without user, password and query."""
        url = urlsplit(self.base_url)
        host = url.netloc.rpartition("@")[2]
        return one_line(self.redacted(f"{url.scheme}://{host}{url.path.rstrip('/')}"))

    @property
    def address(self) -> str:
        """The address to ask at, without its `query`; never show it."""
        url = urlsplit(self.base_url)
        return urlunsplit((url.scheme, url.netloc, url.path, "", ""))

    @property
    def query(self) -> dict[str, str]:
        """What every request carries after its path; never show it."""
        return dict(parse_qsl(urlsplit(self.base_url).query, keep_blank_values=True))

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine, where no proxy is between."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read what is sent: by https, or on this machine."""
        return urlsplit(self.base_url).scheme == "https" or self.is_loopback

    @property
    def origin(self) -> str:
        """Whom a key would be given to: scheme, host, and the port where it is no usual one."""
        url = urlsplit(self.base_url)
        host = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname
        port = "" if url.port in {None, _USUAL_PORTS[url.scheme]} else f":{url.port}"
        return f"{url.scheme}://{host}{port}"

    def redacted(self, text: str) -> str:
        """The text with ``[key]`` for every secret of this endpoint, and for what looks like one.

        It is found in JSON, in a URL, in base64, and where lines were wrapped in the middle of it.
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
            spelled.update(_in_base64(secret.encode()))
    known = [_WRAPPED.join(map(re.escape, text)) for text in sorted(spelled, key=len, reverse=True)]
    return re.compile("|".join([*known, *_KEY_LIKE]), re.ASCII)


def _in_base64(secret: bytes) -> Iterator[str]:
    """What base64 makes of a secret, whatever stands before and after it."""
    for n_before in range(3):
        shifted = bytes(n_before) + secret
        own = slice(-(-n_before * 8 // 6), len(shifted) * 8 // 6)  # digits of no other byte
        yield b64encode(shifted).decode()[own]
        yield urlsafe_b64encode(shifted).decode()[own]


def _read_url(text: str) -> SplitResult | None:
    """The parts of an http address; None for anything else."""
    try:
        url = urlsplit(text)
        sound = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
        sound = sound and url.netloc.count("@") <= 1 and "\\" not in text  # read one way by all
    except ValueError:
        return None
    return url if sound and all("!" <= character <= "~" for character in text) else None


def _without_secrets(address: str) -> str:
    """The part of a broken address in which nobody hides a password."""
    return one_line(address.rpartition("@")[2].partition("?")[0])
