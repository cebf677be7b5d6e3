"""How a judge of a suite is asked about sentences: three keys of its table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.manner import SENTENCE_MODES, SentenceManner

if TYPE_CHECKING:
    from summeval_pytest.manner import SentenceMode
    from summeval_pytest.suite.fields import Fields

MANNER_KEYS: Final = ("sentences", "strict", "factual")


def read_manner(fields: Fields) -> SentenceManner:
    """How the judge of this table is asked; as usual where it does not say.

    Raises:
        SuiteError: For another word than one of the modes, for what is no truth value, and for a
            judge that is strict about evidence which it is not asked for.
    """
    manner = SentenceManner(
        mode=_mode(fields),
        strict=fields.has("strict") and fields.flag("strict"),
        factual=fields.has("factual") and fields.flag("factual"),
    )
    if manner.strict and manner.mode == "label":
        raise fields.fault(
            "strict",
            f"{fields.owner} is strict about evidence, and sentences = 'label' asks for none;"
            " write 'quotes' or 'label-and-sentences', or delete 'strict'",
        )
    return manner


def _mode(fields: Fields) -> SentenceMode:
    if not fields.has("sentences"):
        return SENTENCE_MODES[0]
    name = fields.text("sentences")
    mode = next((mode for mode in SENTENCE_MODES if mode == name), None)
    if mode is None:
        raise fields.wrong("sentences", name, f"one of {', '.join(map(repr, SENTENCE_MODES))}")
    return mode
