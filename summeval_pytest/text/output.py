"""What a model's output holds beside a summary: thoughts, a refusal, a placeholder.

Models and servers mark thoughts in many ways, and a text about such marks ("between <think> and
</think> tags") is a summary like any other. So a mark counts only where a model writes it: at the
start of a line or after the end of a sentence, and not in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from summeval_pytest.text.lists import lists_of, one_of
from summeval_pytest.text.words import STOP_WORDS, stem

_THOUGHTS: Final = (
    r"(?:seed:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflections?|scratchpad|analysis"
    r"|(?:inner_)?monologue|chain_of_thought)"
)
_ANSWERS: Final = r"(?:(?:final_)?(?:answer|response|output|summary)|solution)"
_LEFT, _RIGHT = r"(?:<\|?|&lt;|\u25c1)", r"(?:\|?>|&gt;|\u25b7)"
_FINAL: Final = r"<\|channel\|>\s{0,9}final(?:[^<]|<\|constrain\|>){0,80}<\|message\|>"
_MARK: Final = re.compile(
    rf"""(?ix)
    (?P<open>{_LEFT}(?:begin_of_|start_)?{_THOUGHTS}(?:\ [^<>]{{0,80}})?{_RIGHT}
      |(?-i:\[(?:think|THINK)\])
      |(?:<\|start\|>\s{{0,9}}assistant)?<\|channel\|?>\s{{0,9}}(?:analysis|commentary|thought)
        [^<\n]{{0,80}}(?:<\|message\|>)?
      |\Aanalysis(?-i:(?=[A-Z])) | \AThinking\.\.\.(?=\n))
  | (?P<close>{_LEFT}(?:/|end_(?:of_)?){_THOUGHTS}{_RIGHT}|\[/think(?:ing)?\]
      |<channel\|> | \.\.\.done\ thinking\.)
  | (?P<answer>(?<!details>)(?<!details>\n){_LEFT}(?:begin_of_|start_)?{_ANSWERS}{_RIGHT}
      |(?:<\|start\|>\s{{0,9}}assistant)?{_FINAL} | (?-i:assistantfinal(?=[A-Z\W])))
  | (?P<end>{_LEFT}(?:/|end_(?:of_)?){_ANSWERS}{_RIGHT} | <\|(?:return|end)\|>)"""
)
"""Tags of Qwen, DeepSeek, Magistral, Kimi, Seed, Command, OpenThinker, and of prompts that ask for
them; channels of gpt-oss, with their marks or what is left of them; Ollama's command line."""
_PARTS: Final = ("<", "&lt;", "\u25c1", "[", "...", "analy", "tantf")
"""Each mark has one of these: most texts have none, and their look-up takes long."""
_QUOTES: Final = tuple("`'\"(\u2018\u201c\u00ab")
_STARTS: Final = tuple("\n.!?:;\u2026)]}*_\u201d\u2019")
"""What a mark may stand behind, with or without blanks: the end of a line or of a sentence."""
_MENTION: Final = re.compile(
    r"[`'\")\u2019\u201d\u00bb,;]|\.(?!\.)|[ \t]+(?:(?:tags?|tokens?|blocks?|mark(?:er)?s?"
    r"|delimiters?|sections?|spans?|mode|symbols?|and|or|is|are|was|were)\b|(?P<small>[a-z]))"
)
"""What stands behind a mark that a sentence speaks of; a small letter, unless the mark is first."""


class Output(NamedTuple):
    """A model's output without its thoughts, and whether it had any."""

    text: str
    had_thoughts: bool = False


def _is_real(text: str, mark: re.Match[str], after: int, *, awaited: bool) -> bool:
    """Whether a mark is one, and not spoken of; an ``awaited`` one may stand behind any word.

    ``after`` is the end of the last real one.
    """
    before = text[max(after, mark.start() - 40) : mark.start()]
    line = before.rstrip(" \t")
    is_first = not line or line.endswith("\n")
    goes_on = _MENTION.match(text, mark.end())
    is_spoken_of = goes_on is not None and not (goes_on["small"] and (is_first or awaited))
    is_behind = is_first or awaited or line.endswith(_STARTS)
    is_behind = is_behind or (mark.lastgroup == "close" and line == before)
    return is_behind and not is_spoken_of and not before.endswith(_QUOTES)


def _marks(text: str) -> Iterator[tuple[str, int, int]]:
    """The marks in a text that part thoughts and answer, each with its kind, start and end."""
    state, after, spoken = "", 0, -1
    for mark in _MARK.finditer(text) if any(map(text.lower().__contains__, _PARTS)) else ():
        kind, is_open = str(mark.lastgroup), state == "open"
        if is_open and mark[0].lower() == "<|end|>":
            kind = "close"
        awaited = (state, kind) in {("open", "close"), ("answer", "end")}
        awaited = awaited or (is_open and mark[0].startswith(("<|", "assistant")))
        is_real = _is_real(text, mark, after, awaited=awaited)
        if kind == "close" and not is_open and spoken >= 0:  # if this line speaks of the start, too
            is_real = is_real and "\n" in text[spoken : mark.start()]
        if not is_real:
            spoken = mark.end() if kind == "open" and not is_open else -1
        elif (state, kind) != ("open", "open") and (kind != "end" or state == "answer"):
            state, after = kind, mark.end()
            yield kind, mark.start(), after


def read_text(text: str) -> Output:
    """The output that a text holds.

    Thoughts that never end go to the text's end; those that only end began at its start. What
    stands before the first thoughts is a preamble, unless it is longer than what is left.
    """
    kept: list[str] = []
    start, previous, had_thoughts = 0, "", False
    for kind, end, following in _marks(text):
        piece = text[start:end]
        if kind in {"open", "end"}:
            kept.append(piece)
        else:
            if kind == "answer" or previous != "open":  # all that came before is thought
                piece, kept = "".join((*kept, piece)), []
            had_thoughts = had_thoughts or bool(piece.strip())
        start, previous = (len(text) if kind == "end" else following), kind
    if not previous:
        return Output(text)
    if previous == "open":
        had_thoughts = True
    else:
        kept.append(text[start:])
    kept = [piece.strip() for piece in kept]
    if len(kept) > 1 and 0 < len(kept[0]) <= sum(map(len, kept[1:])):
        kept, had_thoughts = kept[1:], True
    return Output("\n\n".join(filter(None, kept)), had_thoughts)


_LISTS: Final = lists_of("refusals")
_DO, _BE, _OPENINGS = (one_of("refusals", name) for name in ("do", "be", "openings"))
_REFUSAL: Final = re.compile(
    rf"""(?sx)\A\W*(?:(?:summary|abstract|answer|response|output|assistant)\W*:\W*)?
    (?: (?:null|nil|nan|undefined|xxx+|n\W?\ ?/?\ ?a)\W*\Z | (?:\d{{3}}\W+)?(?:{_OPENINGS})(?!\w)
    | (?<=[\[{{<(])(?:\w+\ )?(?:summary|abstract|output)(?:\ \w+){{0,3}}\W*\Z
    | [\w.]{{3,}}(?:error|exception|timeout)(?:[:(]|\Z) | error"[^\w.]*:  # a program's message
      # it apologises
    | (?:i|we)(?:(?:'(?:m|re)|\ am|\ are)\ (?:\w+\ )?(?:sorry|afraid)|\ (?:\w+ly\ )?apologi[sz]e)
        (?:\W*\Z|\s?[^\s\w]|\ (?:but|that|the|i|for\ (?:the|any|this))\b)
    | sorry\W{{1,4}}(?:but\ )?(?:i|we|this|that|the|there|no|it|your?|something)\b
      # it speaks of itself, or says at once, after a clause or after a remark what it does not do
    | (?:(as)|i(?:'m|\ am)(?:\ only|\ just)?)\ an?\ (?:ai|artificial\ intelligence|(?:large\ )?
        language|(?:\w+\ )?assistant)(?:\ (?:language|model|assistant|system)){{0,2}}(?(1),?\ i)\b
    | your\ (?:\w+\ )?(?:account|input|key|message|prompt|query|request)\ (?:is|was|has|could)\b
    | (?:(?:hello|hi|thank|you|(?:this|that|it|there)\ (?:is|appears|seems|looks)
        |the\ (?:text|document|file|content|input|request))\w*\b[^.!?]*[.!?]\ )?
      (?:[^.!?]*(?:[,;:\u2013\u2014]|\ -|\b(?:but|so|and|that|means|hence|unfortunately))\ ?
        |(?:as|because|due|given|since|under|without)\b[^.!?]*\ )?i(?:
        (?:\ (?:ca|do|wo|have)n't|'m\ not|'d\ rather)\b  # no summary contracts its verbs
      | (?:\ (?:can\ ?not|cant|(?:could|did)n't|(?:could|will|do|did)\ not)(?:\ be\ able\ to)?
          |(?:'m|\ am|\ was)\ (?:unable|not\ able)\ to|\ have\ no(?:thing\ to)?|\ must)
        ,?\ (?:\w+ly,?\ |in\ good\ (?:conscience|faith),?\ )?(?:{_DO})\b
      | (?:'d|\ would|\ will|\ have)?\ (?:prefer|rather|choose|chosen)\ not\b
      | (?:'m|\ am)\ (?:not\ |un)(?:\w+ly\ )?(?:{_BE})\b )
      # it asks for the text
    | .*\b(?:please|(?:could|can|if)\ you)\ (?:\w+\ )?(?:provide|share|upload|paste|send|attach)
        (?:\ \w+){{1,2}}\ (?:text|paper|document|article|file|abstract)\b )"""
)
_OPENING: Final = 160
"""In so many characters a refusal says that it is one."""
_FOREIGN: Final = tuple(phrase.replace("_", " ") for phrase in _LISTS["languages"])
_FAULT_STEMS, _TASK_STEMS = (
    _LISTS[name].union(map(stem, _LISTS[name])) for name in ("fault", "task")
)
"""Words that say that a task went wrong, and others that belong to a task, with their stems."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_END: Final = re.compile(r"[.!?]+(?=\s|\Z)|\n")
_QUOTED: Final = re.compile(  # two words or more
    r"[\"\u201c\u2018'](?<=[\w, ][\s(].)(?=\S*[\w,]\s)(?:[^\"\u201d\u2019']|['\u2019](?=\w))*"
)
_CITED: Final = tuple("\"'\u2018\u2019\u201c\u201d")
_MOST_WORDS: Final = 80


def is_refusal(text: str) -> bool:
    """Whether a text is a model's refusal, or a placeholder, and no summary.

    So it is where it has fewer than 80 words and begins in one of two ways. The system speaks of
    itself, in any of a few languages: an apology, a reason why it cannot, a request for the text.
    Or it speaks of its task alone: "The paper was not found." What it quotes is somebody else's.
    """
    if text.startswith(_CITED) and not text.endswith(_CITED):
        return False
    if len(text.split(None, _MOST_WORDS)) >= _MOST_WORDS or len(text) > _MOST_WORDS * 100:
        return False
    text = _QUOTED.sub("quotation", text).replace("\u2019", "'").lower()
    opening = text[:_OPENING]
    is_foreign = "the " not in opening and any(phrase in opening for phrase in _FOREIGN)
    return is_foreign or bool(_REFUSAL.match(opening)) or _is_about_task(text)


@lru_cache(maxsize=65536)
def _kind(word: str) -> str:
    """Whether a word says that a task went wrong, belongs to a task, or does neither."""
    same = {word} if word.endswith("s") else {word, stem(word)}
    if same & _FAULT_STEMS and word not in STOP_WORDS - _LISTS["fault"]:
        return "fault"
    return "task" if same & _TASK_STEMS or word in STOP_WORDS else "other"


def _is_about_task(text: str) -> bool:
    """Whether a text says that its task went wrong before anything else, and hardly more."""
    sentences = (
        [_kind(word) for word in _WORD.findall(sentence)]
        for sentence in _SENTENCE_END.split(text.replace("n/a", "none"))
    )
    first = next((kinds for kinds in sentences if set(kinds) - {"task"}), [])
    is_told = "fault" in first and "other" not in first
    return is_told and 4 * (kinds := sum(sentences, first)).count("other") <= len(kinds)
