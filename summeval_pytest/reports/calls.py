"""What a run asked, remembered and paid, and how usable the replies were, in a few lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def calls_lines(calls: Mapping[str, float], judge: Mapping[str, float]) -> Iterator[str]:
    """The lines.

    Args:
        calls: The counts of `summeval_pytest.evaluation.Totals`, of all processes together.
        judge: The judge's own counts, as far as it has any.
    """
    calls = Counter(calls)
    remembered = calls["n_cached"] + calls["n_recorded"]
    line = (
        f"replies: {calls['n_asked']:,.0f} asked, {remembered:,.0f} remembered"
        f" ({calls['n_recorded']:,.0f} from a cassette), {calls['n_failed']:,.0f} failed"
    )
    if calls["n_asked"]:
        line += (
            f"; {calls['prompt_tokens']:,.0f} + {calls['completion_tokens']:,.0f} tokens,"
            f" {_dollars(calls)}"
        )
    yield line
    told = (
        ("n_reasked", "items asked again"),
        ("n_unanswered", "items unanswered"),
        ("n_ungrounded_quotes", "quotations not in the source"),
        ("n_dropped_facts", "facts with a number that their sentence lacks"),
    )
    found = [f"{judge[name]:,.0f} {what}" for name, what in told if judge.get(name)]
    if found:
        yield f"judge: {', '.join(found)}"
    if judge.get("n_voted"):
        share = judge["n_agreeing"] / judge["n_voted"]
        yield f"votes: {share:.1%} agree with the outcome, over {judge['n_voted']:,.0f} items"


def usage_line(shown: str, *, n_used: int, n_replies: int) -> str:
    """How much of a cassette a run has used; the rest is for other runs, or out of date."""
    line = f"cassette {shown}: {n_used:,} of {n_replies:,} replies used"
    return one_line(line if n_used == n_replies else f"{line}; see 'summeval cassette verify'")


def _dollars(calls: Mapping[str, float]) -> str:
    if calls["n_unpriced"] == calls["n_asked"]:
        return "no price known"
    more = f" and {calls['n_unpriced']:,.0f} replies without a price" if calls["n_unpriced"] else ""
    return f"{calls['cost']:.2f} dollars{more}"
