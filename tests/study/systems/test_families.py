from __future__ import annotations

import pytest

from summeval_pytest.study.study import families_of, stem_of


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("gpt-4o-2024-08-06", "gpt"), ("gpt35_fm", "gpt"), ("openai/GPT-4o", "gpt"),
        ("llama2_70b", "llama"), ("Qwen2.5-7B-Instruct", "qwen"), ("70b", "b"), ("42", "42"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_stem_is_the_first_run_of_letters(name: str, stem: str) -> None:
    """Versions and sizes of a model are one family."""
    assert stem_of(name) == stem


def test_what_the_user_says_counts_for_judge_and_system() -> None:
    """A model may judge and be judged under one name, which may hold an equals sign."""
    judges, systems = families_of(
        {"gpt": "gpt-4o"}, {"gpt": "gpt-4o", "mine": "tuned-1"}, ["mine=GPT", "gpt=gpt"]
    )
    assert judges == {"gpt": "gpt"}
    assert systems == {"gpt": "gpt", "mine": "gpt"}
    assert families_of({}, {"a=b": "a=b"}, ["a=b=c"])[1] == {"a=b": "c"}
