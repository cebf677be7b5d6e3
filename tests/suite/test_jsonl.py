from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import TextFile, read_json, read_lines

if TYPE_CHECKING:
    from pathlib import Path

    from tests.suite.conftest import Golden

HERE = Place("papers.jsonl", 3)


def refused(text: str) -> str:
    """The message for a text that is no strict JSON."""
    with pytest.raises(SuiteError) as caught:
        read_json(text, HERE)
    return str(caught.value)


def test_bad_json_is_refused_with_line_and_column(golden: Golden) -> None:
    """The mistake can be found in an editor."""
    golden.spoil("papers.jsonl", '"zinc-02",', '"zinc-02"')

    assert golden.mistake() == (
        "golden/papers.jsonl:2: no JSON at column 18: Expecting ',' delimiter; mend the line"
    )


@pytest.mark.parametrize("text", ["[1, 2]", "3", "null", '"zinc"'])
def test_json_line_that_is_no_object_is_refused(golden: Golden, text: str) -> None:
    """Every line has keys."""
    golden.write("papers.jsonl", f"{text}\n")

    assert golden.mistake() == (
        "golden/papers.jsonl:1: this line is no JSON object; write one {...} a line"
    )


@pytest.mark.parametrize("blank", ["\n", "  \t\n", "\n\n"])
def test_blank_line_in_the_middle_is_refused(golden: Golden, blank: str) -> None:
    """A gap is more likely a lost line than an intention."""
    golden.spoil("papers.jsonl", "\n{", f"\n{blank}{{")

    assert golden.mistake() == ("golden/papers.jsonl:2: this line is blank ('\\n'); delete it")


def test_blank_lines_at_the_end_are_fine(golden: Golden) -> None:
    """Editors leave them, and nothing can be lost there."""
    golden.write("papers.jsonl", (golden.path / "papers.jsonl").read_bytes() + b"\n \n\n")

    assert golden.load().paper_ids == ("zinc-01", "zinc-02")


def test_missing_line_end_at_the_end_is_fine(golden: Golden) -> None:
    """The last line counts with and without its line end."""
    golden.write("papers.jsonl", (golden.path / "papers.jsonl").read_bytes().rstrip())

    assert golden.load().paper("zinc-02").references == ("Nothing helps.",)


def test_key_that_stands_twice_in_one_object_is_refused(golden: Golden) -> None:
    """Python would keep the last one and say nothing."""
    golden.spoil("papers.jsonl", '"id": "zinc-02"', '"id": "zinc-03", "id": "zinc-02"')

    assert golden.mistake() == (
        "golden/papers.jsonl:2: the key 'id' stands twice in one object; delete one"
    )


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_refused(golden: Golden, name: str) -> None:
    """A label of NaN would poison every mean."""
    golden.spoil("labels.jsonl", "0.5", name)

    assert golden.mistake() == (
        f"golden/labels.jsonl:1: {name!r} is no JSON number; write a finite number, or leave it out"
    )


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
@pytest.mark.parametrize("key", ["overall", "x_note"])
def test_number_beyond_floats_is_refused(golden: Golden, number: str, key: str) -> None:
    """Infinity does not get in by another spelling, or out of a note that is carried along."""
    golden.spoil("labels.jsonl", '"overall": 0.5', f'"x_a": 0.5, "{key}": {number}')

    assert golden.mistake() == (
        f"golden/labels.jsonl:1: the number '{number}' is too large to be read; write a smaller one"
    )


def test_integer_beyond_floats_is_no_finite_number(golden: Golden) -> None:
    """Such a number is an error of the suite, not a crash."""
    golden.spoil("labels.jsonl", "0.5", "9" * 400)

    assert golden.mistake() == (
        "golden/labels.jsonl:1: 'overall' of this label is a very large integer;"
        " write a finite number"
    )


@pytest.mark.parametrize(
    "bomb",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        *("[" * depth + "]" * depth for depth in (65, 900, 1000)),
        '{"a":' * 65 + "1" + "}" * 65,
    ],
)
def test_nesting_bomb_is_refused(bomb: str) -> None:
    """A hostile line cannot end the process, nor whoever walks over what it holds."""
    assert refused(bomb) == "papers.jsonl:3: this line is nested too deeply to be read; mend it"
    assert read_json("[" * 64 + "]" * 64, HERE)


@pytest.mark.parametrize("content", ["hunter2-s3cret", '{"k": hunter2', '"hunter2"', "[" * 9999])
@pytest.mark.parametrize("name", ["papers", "systems/careful", "labels", "recorded"])
def test_what_is_no_json_is_not_shown(golden: Golden, name: str, content: str) -> None:
    """The file may be another than the suite's author should see, as one with a password."""
    golden.write(f"{name}.jsonl", content)

    told = golden.mistake()
    assert told.startswith(f"golden/{name}.jsonl:1: ")
    assert "hunter2" not in told
    assert "[[" not in told


def test_integer_with_thousands_of_digits_is_refused() -> None:
    """Python itself refuses to convert it."""
    assert refused('{"id": ' + "9" * 5000 + "}") == (
        "papers.jsonl:3: this line holds a number with too many digits; shorten the number"
    )


def test_half_a_surrogate_pair_is_refused() -> None:
    """Such a text could be neither hashed nor printed."""
    assert refused(r'{"id": "\ud83d"}') == (
        r"papers.jsonl:3: a text holds '\ud83d', half a surrogate pair;"
        " write the whole character"
    )
    assert read_json(r'"\ud83d\ude00"', HERE) == "\N{GRINNING FACE}"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


@given(json_values, st.booleans())
def test_strict_reading_agrees_with_json_on_what_json_writes(value: object, plain: bool) -> None:
    """Strictness refuses, it never changes."""
    assert read_json(json.dumps(value, ensure_ascii=plain), HERE) == value


@given(st.text())
def test_any_text_is_json_or_a_suite_error(text: str) -> None:
    """No other exception comes out of a line."""
    with contextlib.suppress(SuiteError):
        read_json(text, HERE)


def test_unreadable_file_is_a_suite_error(tmp_path: Path) -> None:
    """A folder in place of a file is the user's mistake, not a crash."""
    with pytest.raises(SuiteError) as caught:
        list(read_lines(TextFile(tmp_path, "golden/papers.jsonl")))

    assert str(caught.value) == (
        "golden/papers.jsonl: 'golden/papers.jsonl' cannot be read (Is a directory);"
        " make it readable"
    )
