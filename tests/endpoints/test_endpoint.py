from __future__ import annotations

import math

import pytest

from summeval_pytest.endpoints.endpoint import Endpoint, is_exact, is_other_model
from summeval_pytest.errors import OptionError


def at(url: str) -> Endpoint:
    """An endpoint of an address."""
    return Endpoint(name="ollama", base_url=url)


def mistake(**values: object) -> str:
    """The message that an endpoint with these values ends with."""
    sound: dict[str, object] = {"name": "ollama", "base_url": "http://localhost:11434/v1"}
    with pytest.raises(OptionError) as caught:
        Endpoint(**(sound | values))  # type: ignore[arg-type]  # wrong on purpose
    return str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("https://tess:pw@gateway.example/v1?sig=1#part", "https://gateway.example/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://tess@127.0.0.1", "http://127.0.0.1"),
    ],
)
def test_an_address_is_shown_without_user_and_query(url: str, shown: str) -> None:
    """It stands in reports and in keys of the store."""
    assert at(url).shown == shown


@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [
        ("localhost", True),
        ("LOCALHOST", True),
        ("models.localhost", True),
        ("127.0.0.1", True),
        ("127.3.2.1", True),
        ("[::1]", True),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
    ],
)
def test_loopback_is_this_machine(host: str, *, is_loopback: bool) -> None:
    """A proxy must not be asked for it, and must be asked for all else."""
    assert at(f"http://{host}:8000/v1").is_loopback is is_loopback


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434/v1",
        "ftp://localhost/v1",
        "http:///v1",
        "http://localhost:eleven/v1",
        "http://localhost:0/v1",
        "http://[::1/v1",
        "http://local host/v1",
        "http://localhost/v1\nx-evil: 1",
        "http://lokalhöst/v1",
    ],
)
def test_an_address_that_is_none_is_said_so(url: str) -> None:
    """A wrong address would fail every test of a run, one by one."""
    message = mistake(base_url=url)
    assert message.startswith("endpoint 'ollama': base_url ")
    assert message.endswith("is no address of a server; write it like 'http://localhost:11434/v1'")
    assert "\n" not in message


def test_a_broken_address_is_told_without_its_password() -> None:
    """Mistakes are printed, too."""
    message = mistake(base_url="htp://tess:hunter2@gateway.example/v1?sig=q0w9e8")
    assert "'gateway.example/v1' is no address" in message


@pytest.mark.parametrize("key", ["sk-abc\n", " sk-abc", "sk abc", "ключ", "sk-\x00abc"])
def test_a_key_that_fits_in_no_header_is_said_so_and_not_shown(key: str) -> None:
    """A line break at its end, from a file, would otherwise fail deep in a library, key and all."""
    message = mistake(api_key=key)
    assert message == (
        "endpoint 'ollama': its API key has a blank, a line break or a letter that no key has;"
        " look where it comes from"
    )


@pytest.mark.parametrize("name", ["", "my sk-test-0123456789abcdef", "tess:hunter2secret@x"])
def test_a_name_without_letters_or_with_a_secret_is_refused(name: str) -> None:
    """Names are parts of keys and of messages."""
    message = mistake(
        name=name,
        base_url="https://tess:hunter2secret@x.example/v1",
        api_key="sk-test-0123456789abcdef",
    )
    assert message == (
        "an endpoint at https://x.example/v1 needs a name without its key or password in it;"
        " call it by its address"
    )


@pytest.mark.parametrize("key", ["max_in_flight", "requests_per_minute", "tokens_per_minute"])
def test_a_limit_below_one_is_refused(key: str) -> None:
    """Nothing would ever be sent."""
    assert mistake(**{key: 0}) == f"endpoint 'ollama': {key} is 0; it has to be 1 or more"


@pytest.mark.parametrize("key", ["timeout_seconds", "attempt_seconds"])
@pytest.mark.parametrize("seconds", [0.0, -1.0, math.inf, math.nan])
def test_a_time_has_to_be_above_zero_and_finite(key: str, seconds: float) -> None:
    """A call without an end would keep a run for ever."""
    message = f"endpoint 'ollama': {key} is {seconds!r}; it has to be above 0"
    assert mistake(**{key: seconds}) == message


NAMES = (
    "gpt-4o-2024-08-06",
    "gpt-4-0613",
    "gpt-3.5-turbo-1106",
    "claude-3-5-sonnet-20241022",
    "claude-3-5-sonnet@20240620",
    "mistral-large-2407",
    "ft:gpt-4o-2024-08-06:org::9abc",
    "llama3:8b-instruct-q4_0",
    "llama3@sha256:365c0bd3c000",
)
LOOSE = (
    "gpt-4o",
    "llama3",
    "llama3:latest",
    "meta-llama/llama-3-8b-instruct:free",
    "qwen2.5-72b-instruct",
    "llama3-8b-8192",  # a context, no day: there is no 81st month
    "mixtral-8x7b-32768",
    "rule-1",
    "gpt-4-9999",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_date_a_digest_or_a_numbered_tag_makes_a_name_exact(name: str) -> None:
    """Whoever writes one means these weights, and another model in their place is a swap."""
    assert is_exact(name)
    assert is_other_model(name, "gpt-4o-2024-11-20")


@pytest.mark.parametrize("name", LOOSE)
def test_an_alias_may_come_back_as_what_it_stands_for(name: str) -> None:
    """Endpoints resolve aliases, and say so in the reply."""
    assert not is_exact(name)
    assert not is_other_model(name, "gpt-4o-2024-08-06")


@pytest.mark.parametrize("name", [*NAMES, *LOOSE])
@pytest.mark.parametrize("pinned", [None, True, False])
def test_a_model_that_comes_back_as_itself_is_no_other(name: str, pinned: bool | None) -> None:
    """Whatever its case, its folder or provider, and its file's ending."""
    for returned in (name, name.upper(), f"openai/{name}", f"/models/{name}.gguf", ""):
        assert not is_other_model(name, returned, pinned=pinned)
    assert not is_other_model(f"openai/{name}", name, pinned=pinned)


def test_the_suite_decides_where_it_says_so() -> None:
    """A deployment's own name may be held to, and a dated one let go."""
    assert is_other_model("judge-prod", "gpt-4o", pinned=True)
    assert not is_other_model("gpt-4o-2024-08-06", "gpt-4o", pinned=False)
    assert is_other_model("gpt-4o-2024-08-06", "gpt-4o")


@pytest.mark.parametrize(
    "file", ["/models/q4.gguf", "C:\\models\\q4.gguf", "./q4", "~/q4", "q4.gguf", "w.safetensors"]
)
def test_a_file_is_no_name_to_hold_a_model_to(file: str) -> None:
    """llama.cpp names the file it has loaded; only a suite that pins the name itself objects."""
    assert not is_other_model("llama3:8b", file)
    assert is_other_model("llama3:8b", file, pinned=True)
