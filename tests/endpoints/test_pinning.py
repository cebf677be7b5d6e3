from __future__ import annotations

import pytest

from summeval_pytest.endpoints.endpoint import is_exact, is_other_model

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


def test_another_model_of_the_same_provider_is_another() -> None:
    """Only a whole name behind a slash is the same."""
    assert is_other_model("gpt-4o-2024-08-06", "openai/gpt-4o-2024-11-20")
    assert is_other_model("gpt-4o-2024-08-06", "my-gpt-4o-2024-08-06")
