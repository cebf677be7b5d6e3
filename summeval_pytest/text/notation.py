"""What a text in another notation says: JSON, HTML, XML, LaTeX, and unusual numbers.

No word and no figure is lost on the way. LaTeX goes through `pylatexenc`, and stays as it was
written where that would drop or change something.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from html import unescape
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.lists import lists_of, one_of
from summeval_pytest.text.marks import is_label

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

_WORDS: Final = lists_of("layout")
_MOST_CHARACTERS: Final = 100_000
"""A longer text is read without its formulas."""
_ATTRIBUTES: Final = (
    r"""(?:\s[a-zA-Z:-]{1,20}=(?:"[^"<>\n]{0,200}"|'[^'<>\n]{0,200}'|[^\s<>"']{1,99})){0,6}"""
)
_BREAK = re.compile(
    r"(?i)<n>|(?<=\S)<q>(?=\S)|<br\s{0,20}/?>"
    rf"|</?(?:{one_of('layout', 'blocks')}){_ATTRIBUTES}\s?>"
)
_TAG = re.compile(rf"(?i)</?(?:[a-z]{{1,10}}:)?({one_of('layout', 'tags')}){_ATTRIBUTES}>")
_ANY_TAG = re.compile(rf"</?([A-Za-z][\w:.-]{{0,40}}){_ATTRIBUTES}\s?/?>")
_XML = re.compile(r"<\?xml[^<>\n]{0,200}\?>|<!\[CDATA\[|\]\]>|<!--[^<>]{0,400}-->")
_JSON = re.compile(
    r"```(?:json5?)?\s{0,20}([\[{][^`]*[\]}])\s{0,20}```|\A\s*(?s:([\[{\"].*[\]}\"]))\s*\Z"
)
"""What may be JSON: a block of code, or all of a text."""
_LATEX = re.compile(r"\\(?:begin\{|(?:sub)*section\b|item\b)")
"""With one of these a text is LaTeX as a whole; without, its formulas are."""
_MOST_LATEX: Final = 30_000
_MOST_FORMULAS: Final = 2000
_FORMULA = re.compile(
    r"\$(?=[^$\n]{0,200}[\\^_=<>\u2264\u2265\u00b1]|[A-Za-z][A-Za-z0-9]{0,9}\$|[-+\u2212\d.,\\%]{1,20}\$)"
    r"(?![^$\n]{0,200}(?<![\\{A-Za-z])[A-Za-z]{2,20}\s[A-Za-z]{2})"
    r"(?![\s$])[^$\n]{0,200}(?<![\s\\])\$(?!\d)~?"
    r"|\\[(\[](?=[^\n]{0,200}(?:\\[A-Za-z]|[\^_]))[^\n]{1,200}?\\[)\]]"
)
_STYLED = re.compile(r"\\(?:text(?:bf|it|tt|sf|rm|sc)?|emph|mbox|mathrm|underline)\{([^{}$]*)\}")
_SPACING = re.compile(
    r"\\(?:no)?(?:indent|centering|(?:small|med|big)skip|newpage|clearpage|par)(?![A-Za-z])\s*"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_HIDDEN = re.compile(
    r"\\(?:begin|end|cite[a-z]*|ref|label)\*?(?:\[[^\]]*\])?\{[^{}]*\}|\\[A-Za-z]+"
)
"""What LaTeX does not show: commands, and what names a place."""
_ALIASES: Final = (("lt", "<"), ("gt", ">"), ("textless", "<"), ("textgreater", ">"))
_SAID = re.compile(r"[^\W\d_]{2,}|\d+")
"""The words and figures that LaTeX has to keep."""
_HEADED = re.compile(r"(?m)^ ?\xa7(?:\.\xa7)*(.*)$")
"""A heading as `pylatexenc` shows it."""
_PLAIN = re.compile(r"(?<!\\)[%$]|(?<=\w)&(?=\w)")
"""What is no command, whatever LaTeX makes of it."""
_INDEX = re.compile(r"(?<=[A-Za-z])_(?=[A-Za-z0-9])")
_ABOUT = re.compile(r"(?<=[\s(])~(?=\d)")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[\u2007\u2009\u202f]\d{3})+(?!\d)")
_POINT = re.compile(r"(?<![\w.\u00b7])(\d{1,3})\u00b7(\d{1,4})(?![\w\u00b7^\u2070-\u207f]|\s?=)")
_NO_ZERO = re.compile(
    r"\.(?=\d)(?:(?<=[=<>\u2264\u2265\u00b1+\u2212~\u2248(\[\u2013]\.)"
    r"|(?<=[=<>\u2264\u2265\u00b1~\u2248]\s\.)|(?<=\b(?:of|is|to|by|at|vs)\s\.)|(?<=\bwas\s\.))"
)
"""The point of a decimal that has no zero before it."""
_APART = re.compile(
    r"(?<![\d.,] )(?<![\d.,])(\d{1,3}) (?:(\.) (?=\d)|(,) (?=\d{3}(?!\d| [,.] \d| , (?:and|or))))"
)
"""A number whose point is apart: "38 . 5", "2 , 400"."""
_TORN = re.compile(r"(?<![\d.,])(?:0 \. \d|\d{1,3} \. \d{1,3} [%)])")
_DECIMAL = re.compile(r"\d\.\d")
"""A tokeniser that tears one number tears all."""
_ESCAPED_BREAK = re.compile(r"(?<!:)(?:\\r)?\\n(?![a-z])")
"""A line's end as a program writes it, and no command of LaTeX."""
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{2,5}|#x[\da-fA-F]{2,5});")


def without_json(text: str) -> str:
    r"""The text with what a value of JSON says in its place, each text behind its keys.

    Line ends that a program wrote in one line ("\n") are line ends.
    """
    text = _JSON.sub(_texts_of, text)
    is_one_line = "\n" not in text and "\\n" in text
    return _ESCAPED_BREAK.sub("\n", text) if is_one_line else text


def _texts_of(match: re.Match[str]) -> str:
    """The texts in a value of JSON, or what stands there where it is none."""
    try:
        value = json.loads(
            match[1] or match[2],
            strict=False,
            object_pairs_hook=tuple,
            parse_float=str,
            parse_int=str,
        )
    except (ValueError, RecursionError):
        return match[0]
    return "\n\n".join(_leaves(value, ()))


def _leaves(value: object, path: tuple[str, ...]) -> Iterator[str]:
    """The texts in a value of JSON, in order, each behind the keys that say of what it is."""
    if isinstance(value, tuple):
        for key, each in value:
            yield from _leaves(each, (*path, key))
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, path)
            path = tuple(key for key in path if not _is_label(key))  # it holds until the next one
    elif value is not None and (" " in str(value) or _WORDS["keys"].isdisjoint(path)):
        told = [key for key in path if not _WORDS["texts"].issuperset(key.lower().split("_"))]
        names = [key for key in told if not _is_label(key)] or told[-1:]
        name = " ".join(names).replace("_", " ")
        yield f"{name[:1].upper()}{name[1:]}: {value}" if name else str(value)


def _is_label(key: str) -> bool:
    """Whether a key is the name of a section, as "key_findings"."""
    return is_label(f"{key.replace('_', ' ')}.")


def _shown_tag(tag: re.Match[str]) -> str:
    """What a tag that stands within a text shows: a power, or that a cell of a table ends."""
    name = tag[1].lower()
    if name in {"td", "th"}:
        return " "
    return "^" if name == "sup" and tag[0][1] != "/" else ""


def without_tags(text: str) -> str:
    """The text without tags, those that are not known too if they are closed; a script is shown."""
    text = _XML.sub("", _TAG.sub(_shown_tag, _BREAK.sub("\n\n", text)))
    closed = frozenset(re.findall(r"</([A-Za-z][\w:.-]{0,40})>", text)) - {"script", "style"}

    def shown(tag: re.Match[str]) -> str:
        start, end = tag.span()
        is_inner = text[start - 1 : start].strip() and text[end : end + 1].strip()
        return tag[0] if tag[1] not in closed else "" if is_inner else "\n\n"

    text = _ANY_TAG.sub(shown, text) if closed else text
    return _ENTITY.sub(lambda entity: unescape(entity[0]), text)


@cache
def _latex() -> LatexNodes2Text:
    from pylatexenc import latex2text  # loaded for the first formula

    latex2text.logger.setLevel("ERROR")  # it warns of each formula that lacks an argument
    return latex2text.LatexNodes2Text(math_mode="text")


@lru_cache(maxsize=4096)
def _shown_latex(written: str) -> str:
    """What LaTeX shows, or what was written if a command is unknown or a word would be lost."""
    plain = _SPACING.sub("", written.replace("\\dfrac", "\\frac").replace("\\tfrac", "\\frac"))
    for command, sign in _ALIASES:
        plain = re.sub(rf"\\{command}(?![A-Za-z])", sign, plain)
    latex, commands = _latex(), set(_COMMAND.findall(plain)) - {"begin", "end"}
    for command in sorted(commands):
        if not latex.latex_context.get_macro_spec(command):  # shown by its name: "5 \mum"
            plain = re.sub(rf"\\{command}(?![A-Za-z\[{{])", command, plain)
    left = set(_COMMAND.findall(plain)) - {"begin", "end"}
    if left & _WORDS["unshown"] or not all(map(latex.latex_context.get_macro_spec, left)):
        return written
    try:
        shown = str(latex.latex_to_text(plain)).replace("<cit.>", "").replace("<ref>", "")
    except (IndexError, KeyError, RecursionError):
        return written
    kept = _SAID.findall(_HIDDEN.sub(" ", plain).lower())
    said = _SAID.findall(shown.lower())
    figures = [sorted(filter(str.isdigit, each)) for each in (kept, said)]
    is_whole = set(kept) <= set(said) and figures[0] == figures[1] and "%s" not in shown
    return _HEADED.sub(r"\1\n", shown) if is_whole else written


def without_latex(text: str) -> str:
    """The text with what its formulas show, and its commands where it is LaTeX as a whole."""
    if len(text) > _MOST_CHARACTERS or not ("\\" in text or "$" in text):
        return text
    text = _FORMULA.sub(_shown_formula, text, _MOST_FORMULAS)
    text = _STYLED.sub(r"\1", text) if "\\" in text else text
    if len(text) >= _MOST_LATEX or not _LATEX.search(text):
        return text
    return _shown_latex(_escaped(_ABOUT.sub("\u2248", text), "%$&"))


def _shown_formula(formula: re.Match[str]) -> str:
    """What a formula shows; an index stands at its letter, as a paper has it: "kcat", "CO2"."""
    return _INDEX.sub("", _shown_latex(_escaped(formula[0], "%")))


def _escaped(text: str, signs: str) -> str:
    """LaTeX in which these signs stand for themselves, unless they are commands."""
    return _PLAIN.sub(lambda sign: f"\\{sign[0]}" if sign[0] in signs else sign[0], text)


def with_usual_numbers(text: str) -> str:
    """The text with "2,400" for thin spaces in a number, "0.57" for a middle dot or no zero."""
    if not text.isascii():
        text = _THOUSANDS.sub(lambda number: re.sub(r"\s", ",", number[0]), text)
        text = _POINT.sub(r"\1.\2", text)
    if " . " in text and _TORN.search(text) and not _DECIMAL.search(text):
        text = _APART.sub(lambda m: "".join(filter(None, m.groups())), text)
    return _NO_ZERO.sub("0.", text)
