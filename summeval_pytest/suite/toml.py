"""A TOML file as values, together with the line of every key (tomllib knows no lines)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import TextFile, brief, decode_line
from summeval_pytest.text.strict_json import DEEPEST, TOO_DEEP, is_deep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Path_ = tuple[str, ...]


_PART: Final = r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'"""
_KEY: Final = re.compile(rf"(?:{_PART})(?:[ \t]*\.[ \t]*(?:{_PART}))*")
_ONE_PART: Final = re.compile(_PART)
_HEADER: Final = re.compile(r"\[\[?[ \t]*")
_BLANK: Final = re.compile(r"(?:\s|#[^\n]*)+")
_PIECE: Final = re.compile(  # of a value: a string, a comment, a bracket, a line end, the rest
    r'"""(?:\\.|[^\\])*?"""(?:"{1,2})?'
    r"|'''.*?'''(?:'{1,2})?"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}\n]|[^\"'#\[\]{}\n]+",
    re.DOTALL,
)
_POSITION: Final = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONG_KEY: Final = re.compile(rf"(?<![\w.-])(?:(?:{_PART})[ \t]*\.[ \t]*){{{DEEPEST},}}")
_ENDLESS_NUMBER: Final = re.compile(r"[0-9_]{4000}")


class KeyLine(NamedTuple):
    """A key as written (several parts where dotted), the table it stands under, and its line."""

    table: Path_
    key: Path_
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlText:
    """The values of a TOML file, and the place of each of them."""

    file: TextFile
    values: dict[str, object]
    lines: Mapping[Path_, int]

    def place(self, *path: str) -> Place:
        """The place of a key, or of the nearest thing around it that has a line."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.file.at(self.lines[path[:length]])
        return self.file.at(0)


def read_toml(file: TextFile) -> TomlText:
    """A TOML file, read strictly."""
    try:
        raw = file.path.read_bytes()
    except OSError as error:
        raise file.unreadable(error) from None
    lines = enumerate(raw.split(b"\n"), start=1)
    text = "\n".join(decode_line(line, file.at(number)) for number, line in lines)
    if line := _too_deep(text):
        raise SuiteError(file.at(line), TOO_DEEP)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _no_toml(file, text, str(error)) from None
    except ValueError:  # int() refuses thousands of digits
        endless = _ENDLESS_NUMBER.search(text)
        line = text.count("\n", 0, endless.start()) + 1 if endless else 0
        raise SuiteError(
            file.at(line), "a number has too many digits ('999...'); shorten the number"
        ) from None
    toml = TomlText(file=file, values=values, lines=_lines_of_paths(text))
    for key, value in values.items():  # what many dots and many brackets make together
        if is_deep([value]):
            raise SuiteError(toml.place(key), TOO_DEEP)
    return toml


def _too_deep(text: str) -> int:
    """The first line with more brackets or dotted names in each other than can be read, or 0."""
    if long := _LONG_KEY.search(text):
        return text.count("\n", 0, long.start()) + 1
    depth = 0
    for piece in _PIECE.finditer(text):
        depth += (piece[0] in "[{") - (piece[0] in "]}")
        if depth > DEEPEST:
            return text.count("\n", 0, piece.start()) + 1
    return 0


def _no_toml(file: TextFile, text: str, message: str) -> SuiteError:
    position = _POSITION.search(message)
    lines = text.rstrip().split("\n")
    line = int(position[1]) if position and position[1] else len(lines)
    what = _POSITION.sub("", message)
    if what == "Cannot overwrite a value":
        return SuiteError(file.at(line), f"{what}: {_clash(lines[:line])}")
    column = f" at column {position[2]}" if position and position[2] else ""
    return SuiteError(
        file.at(line), f"no TOML{column}: {what}, in {brief(lines[line - 1])}; mend it"
    )


def _clash(lines: list[str]) -> str:
    """What to do about the last key of these lines, which meets an earlier value."""
    *earlier, last = key_lines("\n".join(lines))
    path = last.table + last.key
    first = next((entry.line for entry in earlier if entry.table + entry.key == path), 0)
    rivals = (entry for entry in (last, *earlier) if entry.table == last.table)
    dotted = next((e.key for e in rivals if len(e.key) > 1 and e.key[:1] == last.key[:1]), None)
    if dotted and not first:
        name = ".".join(dotted)
        return (
            f"{dotted[0]!r} has a value of its own, so a key with a dot must be quoted;"
            f' write "{name}" = ... instead of {name} = ...'
        )
    seen = f" on line {first}" if first else ""
    return f"{'.'.join(path)!r} already has a value{seen}; delete one of the two"


def _lines_of_paths(text: str) -> dict[Path_, int]:
    lines: dict[Path_, int] = {}
    for table, key, line in key_lines(text):
        path = table + key
        for length in range(1, len(path) + 1):
            lines.setdefault(path[:length], line)
        if not key:
            lines[path] = line
    return lines


def key_lines(text: str) -> Iterator[KeyLine]:
    """Every table header (with an empty key) and every key of a TOML text, in order.

    The text has to be TOML up to its last key; what follows a mistake is not looked at. Keys of
    inline tables are left out: their line is that of the table.
    """
    table: Path_ = ()
    position, line, counted = 0, 1, 0
    while True:
        if blank := _BLANK.match(text, position):
            position = blank.end()
        header = _HEADER.match(text, position)
        key = _KEY.match(text, header.end() if header else position)
        if not key:
            return
        line += text.count("\n", counted, key.start())
        counted = key.start()
        parts = tuple(_plain(part[0]) for part in _ONE_PART.finditer(key[0]))
        table = parts if header else table
        yield KeyLine(table, () if header else parts, line)
        position = _end_of_line(text, key.end(), header=bool(header))


def _plain(part: str) -> str:
    if part[0] not in "\"'":
        return part
    value: str = tomllib.loads(f"key = {part}")["key"]
    return value


def _end_of_line(text: str, position: int, *, header: bool) -> int:
    """Where the value that starts here ends, past strings and brackets that span lines."""
    depth = 0
    while piece := _PIECE.match(text, position):
        position = piece.end()
        if piece[0] in ("[", "{"):
            depth += 1
        elif piece[0] in ("]", "}"):
            depth -= 1
        elif piece[0] == "\n" and (header or depth == 0):
            break
    return position
