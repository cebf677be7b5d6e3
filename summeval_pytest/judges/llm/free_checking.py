"""Sentences checked one a request, with replies in free text: the two ways of FareBio.

The source comes first, the sentence second, the question last, and no schema shapes the reply; the
source is shown without numbers, so that supporting sentences are copied and not counted (FareBio,
section 4 and appendix H; metrics.md 1.2, stage B).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.free_reading import groups_of, own_words, quotations, read_verdict
from summeval_pytest.judges.llm.instructions import instructions
from summeval_pytest.judges.llm.json_reading import without_thoughts, words
from summeval_pytest.judges.llm.material import block, shown
from summeval_pytest.judges.llm.quotes import LookedUp, look_up
from summeval_pytest.judges.llm.sentence_checking import check_of
from summeval_pytest.judges.llm.sheet import FreeDraft, Read, apart
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.questions import SentenceCheck

_SHOWN: Final = 300
_LABEL: Final = "Does the source support the sentence? Reply with yes or no, one word."
_QUOTES: Final = (
    "Does the source support the sentence? Reply with yes or no, and after it, each in parentheses,"
    " the sentences of the source that support it, copied exactly."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeSheet:
    """Sentences to check one by one, and the source to check them against.

    Attributes:
        sentences: All sentences asked about: what is copied from them is no evidence.
        source: The source's sentences.
        with_quotes: Whether supporting sentences are asked for, beside yes or no.
        strict: Whether a yes without evidence in the source is a no.
    """

    sentences: tuple[str, ...]
    source: tuple[str, ...]
    with_quotes: bool
    strict: bool = False

    @property
    def topic(self) -> str:
        """The kind, and how the first sentence begins."""
        kind = "sentence quotes" if self.with_quotes else "sentence labels"
        return f"{kind} {one_line(self.sentences[0], 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each sentence by itself."""
        return apart(self.sentences)

    def draft(self, ids: Sequence[int]) -> FreeDraft:
        """The source, the one sentence, and the question."""
        (id_,) = ids
        blocks = [
            block("source", map(shown, self.source)),
            block("sentence", [shown(self.sentences[id_ - 1])]),
            _QUOTES if self.with_quotes else _LABEL,
        ]
        kind = "sentence_quotes" if self.with_quotes else "sentence_labels"
        return FreeDraft(system=instructions(kind), user="\n\n".join(blocks))

    def read(self, text: str, ids: Sequence[int]) -> Read[SentenceCheck]:
        """The verdict of a reply, its quotations looked up in the source."""
        (id_,) = ids
        reply = without_thoughts(words(text, "the reply"))
        supported = read_verdict(own_words(reply))
        found = LookedUp((), 0)
        if self.with_quotes:
            quotes = quotations(groups_of(reply), self.source)
            found = look_up(quotes, self.source, self.sentences)
        reason = one_line(reply, _SHOWN)
        return {id_: check_of(found, reason, supported=supported, strict=self.strict)}
