"""What reports share: numbers, differences and changes in words, rows of tables, and templates.

A rounded number never looks as if it met a threshold that it misses. What a template prints is
escaped, and a name that it does not know is an error.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate
from textwrap import wrap
from types import ModuleType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from summeval_pytest.metrics.catalogue import CATALOGUE, catalogue_of
from summeval_pytest.metrics.number import Finding, NumberSpec
from summeval_pytest.questions import Dispute
from summeval_pytest.text.excerpts import sayings_in, sentence_with
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.differences import Claim, Comparison, Difference, PairChange
from summeval_pytest.verdict.means import (
    MIN_SLICE,
    SliceVerdict,
    SystemMean,
    mean_of,
    worst_slice,
)
from summeval_pytest.verdict.run import (
    WORST_FIRST,
    Covered,
    Outcome,
    PairRow,
    SuiteRecord,
    SystemResult,
)
from summeval_pytest.verdict.thresholds import Threshold, WaiverUse

if TYPE_CHECKING:
    from jinja2 import Template


_WIDTH: Final = 80
_DIGITS: Final = 3
_DOUBLE: Final = 17
"""Digits that tell any two doubles apart."""
QUOTE: Final = 2000
"""The longest quotation, in characters; papers may hold paragraphs of a megabyte."""
_CLAIM_QUOTE: Final = 400
_CLAIMS: Final = 5
"""How many facts or sentences of one kind are listed for a paper."""
_BESIDE: Final = 12
"""So many characters are shown behind what is in dispute."""
_FLIPS: Final = 12
"""How many flipped facets are listed."""
_NAME: Final = 20
"""The room for a name in the table of a comparison; a longer one has a line of its own."""
INCONCLUSIVE: Final = "INCONCLUSIVE"
"""A comparison that these papers cannot decide. It fails the test."""
LEGEND: Final = (
    "p drop: how often chance alone makes such a drop (permutation test, Holm).",
    "worst: the upper bound of the loss (95 % confidence, one-sided).",
)


def render(named: NumberSpec, value: float | None, least: float | None = None) -> str:
    """Write a number as text: a whole rating or count as it is, else three digits; a dash for None.

    It gets more digits if three would look as if it met the threshold ``least`` that it misses.
    """
    if value is None:
        return "-"
    if named.is_whole and value == int(value):
        return f"{value:.0f}"
    return beside(value, () if least is None else (least,), meets=named.meets)


def beside(
    value: float,
    bounds: Collection[float],
    digits: int = _DIGITS,
    *,
    meets: Callable[[float, float], bool] = operator.ge,
) -> str:
    """A number with enough digits, ``digits`` at least, that its text meets the same bounds."""
    while digits < _DOUBLE and any(
        meets(round(value, digits), bound) != meets(value, bound) for bound in bounds
    ):
        digits += 1
    return f"{value:.{digits}f}"


def standing(named: NumberSpec, value: float | None, least: float) -> str:
    """A number and its threshold: ``facet 0.425 < 0.750``, ``shouts 2 > 1 allowed``."""
    return f"{named.name} {render(named, value, least)} {against(named, value, least)}"


def against(named: NumberSpec, value: float | None, least: float) -> str:
    """The threshold of a number with the sign between them: ``< 0.750``."""
    bound, is_met = render(named, least, least), named.meets(value, least)
    if named.lower_is_better:
        return f"{'<=' if is_met else '>'} {bound} allowed"
    return f"{'>=' if is_met else '<'} {bound}"


def excerpts(
    finding: Finding, width: int, *, n_sources: int | None = None
) -> Iterator[tuple[str, str]]:
    """Both texts of a finding and its source sentences, quoted on one line, each with a label.

    A fact that is cut out of a sentence stands below it.
    """
    for label, text in (("reference", finding.reference), ("summary", finding.summary)):
        is_cut = finding.sentence and (label == "reference") == (finding.number == "eva.recall")
        if text is not None:
            yield label, quoted(finding.sentence if is_cut else text, width)
            if is_cut:
                yield "the fact", quoted(text, width)
    for place, text in finding.evidence[:n_sources]:
        yield f"source [{place + 1}]", quoted(text, width)


def disputed(
    disputes: Sequence[Dispute], claim: str, evidence: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """What is wrong in a claim, and what the evidence has in its place, as these texts write them.

    The page's script finds both as `page.marked_runs` does.

    >>> disputed([("118 g/l", "118 mg/l")], "CRP was 118 vs. 124 g/L.", ["CRP was 118 mg/L."])
    (('118',), ('118 mg/L',))
    """
    says, instead = ([each[side] for each in disputes if each[side]] for side in (0, 1))
    there = [written[0] for text in evidence for written in sayings_in(text, instead)]
    return (tuple(each[0] for each in sayings_in(claim, says)), tuple(there)) if says else ()


def doubtful_sentence(finding: Finding) -> str:
    """The first sentence with a figure or word in dispute, or else the words of the summary."""
    says = [says for says, _ in finding.disputes]
    return sentence_with(finding.sentence or finding.summary, says)


def doubtful_part(finding: Finding, width: int) -> str:
    """What of this sentence a line of ``width`` characters shows: the words in dispute, if any."""
    text = " ".join(doubtful_sentence(finding).split())
    found = sayings_in(text, [says for says, _ in finding.disputes])
    end = next((match.end() for match in found), 0)
    start = text.find(" ", end + _BESIDE - width) + 1 if end + _BESIDE > width else 0
    return f"\u2026{text[start:]}" if start else text


def first_clauses(reason: str, width: int) -> str:
    """As many clauses of a reason as a line has room for, the first one cut if it has to be."""
    clauses = reason.split("; ")
    lengths = accumulate(len(clause) + 2 for clause in clauses)
    n_fitting = sum(length - 2 <= width for length in lengths)
    return one_line("; ".join(clauses[: max(1, n_fitting)]), width)


def quoted(text: str, width: int) -> str:
    """The text on one line, in quotation marks."""
    return f'"{one_line(text, width)}"' if text.strip() else "(nothing)"


def labelled(label: str, text: str) -> Iterator[str]:
    """A text under its label, in lines that fit a terminal."""
    yield from _hung(f"   {label:<12} ", text)


def _hung(label: str, text: str) -> Iterator[str]:
    lines = wrap(text, _WIDTH - len(label), break_on_hyphens=False) or [""]
    for number, line in enumerate(lines):
        yield safe(f"{' ' * len(label) if number else label}{line}")


def change_lines(change: PairChange) -> Iterator[str]:
    """What changed on one paper, a block of lines."""
    moved = "; ".join(moved_numbers(change)) or "the same numbers"
    first = one_line(f"against {change.baseline}: {moved}", 200)
    yield from map(safe, wrap(first, _WIDTH, subsequent_indent="  "))
    for facet in change.facets:
        old, new = ("absent" if r is None else str(r) for r in (facet.old, facet.new))
        yield f"  facet {facet.facet}: {old} -> {new}"
        for when, text in (("before", facet.before), ("now   ", facet.after)):
            quote = one_line(f'"{text}"' if text else "(nothing)", _CLAIM_QUOTE)
            yield from _hung(f"    {when} ", quote)
        yield from _hung("    reason ", one_line(facet.reason, _CLAIM_QUOTE))
    for what, is_bad, claims in claims_of(change):
        for claim in claims[:_CLAIMS]:
            yield f"  {what}:"
            yield from _hung("    ", one_line(f'"{claim.text}"', _CLAIM_QUOTE))
            if is_bad and claim.reason:
                yield from _hung("    reason ", one_line(claim.reason, _CLAIM_QUOTE))
        if len(claims) > _CLAIMS:
            yield f"  {what}: {len(claims) - _CLAIMS} more"


def moved_numbers(change: PairChange) -> list[str]:
    """The numbers that changed, each with its old and new value."""
    moved = ((name, old, new) for name, old, new in change.numbers if old != new)
    catalogue = catalogue_of(change.custom)
    return [
        f"{name} {render(catalogue[name], old)} -> {render(catalogue[name], new)}"
        for name, old, new in moved
    ]


def losses_of(change: PairChange) -> list[str]:
    """What got worse on one paper, a phrase each: facets, facts, sentences, else its numbers."""
    fallen = [f for f in change.facets if f.old and f.new and f.new < f.old]
    losses = [f"{each.facet} {each.old} -> {each.new}" for each in fallen]
    for claims, one, several in (
        (change.unsupported, "new unsupported sentence", "new unsupported sentences"),
        (change.lost, "fact lost", "facts lost"),
        (change.invented, "new fact not in the reference", "new facts not in the reference"),
    ):
        if claims:
            losses.append(f"{len(claims)} {one if len(claims) == 1 else several}")
    return losses or moved_numbers(change)


def claims_of(change: PairChange) -> Iterator[tuple[str, bool, tuple[Claim, ...]]]:
    """The facts and sentences that changed: what they are, whether that is bad, and all of them."""
    yield "new unsupported sentence", True, change.unsupported
    yield "new fact that is not in the reference", True, change.invented
    yield "fact of the reference lost", True, change.lost
    yield "unsupported sentence gone", False, change.mended
    yield "fact of the reference regained", False, change.regained


def broken_rules(comparison: Comparison | None) -> list[str]:
    """Why a comparison fails, a phrase each; nothing where it does not, or there is none."""
    if comparison is None:
        return []
    broken = [rule for difference in comparison.broken for rule in difference.broken]
    unclear = [rule for difference in comparison.inconclusive for rule in difference.inconclusive]
    slices = map(str, comparison.broken_slices)
    open_rules = (f"{INCONCLUSIVE}: {rule}" for rule in unclear)
    return [*comparison.mismatches, *broken, *slices, *open_rules]


def slice_lines(system: SystemResult) -> Iterator[str]:
    """The thresholds that slices miss, the slice with the worst mean, and slices too small."""
    for each in system.slices:
        for mean in each.missed:
            yield missed_slice(each, mean)
    if worst := worst_slice(system.slices):
        each, name, value, of_all = worst
        yield (
            f"worst slice of {system.name}: {each.name}, {name} {render(CATALOGUE[name], value)} on"
            f" {each.n_papers:,} papers ({render(CATALOGUE[name], of_all)} on all)"
        )
    if small := [f"{each.name} ({each.n_papers})" for each in system.slices if each.is_small]:
        yield f"slices with fewer than {MIN_SLICE} papers decide nothing: {', '.join(small)}"


def missed_slice(each: SliceVerdict, mean: SystemMean) -> str:
    """A mean of a slice that misses its threshold."""
    papers = f"{mean.n_scored:,} of {mean.n_papers:,} papers"
    return f"slice {each.name}: mean {standing(mean.named, mean.compared, mean.least)} ({papers})"


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """A table of the differences, then the facets that flipped, the worst first."""
    whose = one_line(comparison.against)
    differences, flips = comparison.differences, comparison.flips
    if comparison.mismatches:
        yield f"{whose}: not compared"
        yield from (f"  {one_line(mismatch, 400)}" for mismatch in comparison.mismatches)
        return
    if not differences:
        yield f"{whose}: no number that both have"
        return
    yield from _table(whose, comparison)
    notes = [("undecided: ", phrase) for _, phrase in comparison.undecided]
    for difference in comparison.inconclusive:
        notes += [(f"{INCONCLUSIVE}: ", phrase) for phrase in difference.inconclusive]
    notes += [("slice: ", str(each)) for each in comparison.broken_slices]
    for label, note in (*notes, *(("note: ", each) for each in comparison.notes)):
        yield from _hung(label, one_line(note, _CLAIM_QUOTE))
    if flips:
        yield f"facets rated lower, worst first ({len(flips)}):"
    yield from (f"  {one_line(f.paper)}: {f.facet} {f.old} -> {f.new}" for f in flips[:_FLIPS])
    if len(flips) > _FLIPS:
        yield f"  {len(flips) - _FLIPS} more: summeval compare"


def _table(whose: str, comparison: Comparison) -> Iterator[str]:
    differences = comparison.differences
    n_papers = max(difference.n_papers for difference in differences)
    yield f"{whose}, {n_papers} {'paper' if n_papers == 1 else 'papers'}"
    columns = f"{'old':>6}{'new':>7}{'change':>8}  {'95 % interval':<16}{'p drop':>7}{'worst':>7}"
    yield " " * _NAME + columns
    for d in differences:
        if len(name := d.name) > _NAME:
            yield name
            name = ""
        means = f"{d.old:>6.3f} {d.new:>6.3f} {d.change:>+7.3f}"
        interval = "" if d.low is None or d.high is None else f"[{d.low:+.3f}, {d.high:+.3f}]"
        row = f"{name:<{_NAME}}{means}  {interval:<16}"
        p = "" if d.p is None else f"{d.p:.4f}"
        mark = (
            "FAILS"
            if d in comparison.broken
            else INCONCLUSIVE
            if d in comparison.inconclusive
            else ""
        )
        yield f"{row}{p:>7}{ruled_out_text(d):>7}  {mark}".rstrip()
    for d in differences:
        if d.n_papers < n_papers:
            yield f"{d.name} is on {d.n_papers:,} of them only"
    if any(d.p is not None for d in differences):
        yield from LEGEND


def ruled_out_text(difference: Difference) -> str:
    """The smallest drop that the papers rule out; "any" where they rule out every drop."""
    drop = difference.ruled_out
    return "-" if drop is None else "any" if drop <= 0 else f"{drop:.3f}"


def waiver_line(use: WaiverUse) -> str:
    """A waiver and its state, on one line."""
    waiver = use.waiver
    way = "down" if waiver.most is None else "up"
    least = "" if waiver.bound is None else f" {way} to {waiver.bound:g}"
    return one_line(
        f"waiver {waiver.name} ({use.state}): {waiver.system} on {waiver.paper},"
        f" {waiver.finding}{least}, until {waiver.expires}, owner {waiver.owner}: {waiver.reason}"
    )


def signature_lines(signatures: Iterable[str]) -> list[str]:
    """The recipes of numbers, each once."""
    return [safe(f"signature  {signature}") for signature in dict.fromkeys(signatures)]


class ShownMean(NamedTuple):
    """One mean of a system over its judged pairs.

    ``value`` is the mean, or the value that misses the threshold ``least``: that of all papers at
    their worst. ``state`` is empty where it passes, and where nothing was decided. ``coverage``
    says how many papers it covers, and is empty where that is all that should have the number.
    ``change`` is against the baseline.
    """

    named: NumberSpec
    value: float | None
    least: float | None
    state: Literal["", "failed", "waived", "undecided"]
    coverage: str
    change: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRow:
    """A gated system with its judged pairs."""

    suite: SuiteRecord
    system: SystemResult
    rows: Sequence[PairRow]

    @property
    def outcomes(self) -> Counter[Outcome]:
        """How many of its pairs ended how."""
        return Counter(row.outcome for row in self.rows)

    @property
    def outcome(self) -> Covered:
        """The worst of its pairs and of its item over all papers."""
        outcomes = {self.system.outcome, *self.outcomes}
        return next((outcome for outcome in WORST_FIRST if outcome in outcomes), "not judged")

    @property
    def shown(self) -> Covered | Literal["partial"]:
        """The outcome; "partial" for one that passes and was not tested in full."""
        outcome, system = self.outcome, self.system
        is_short = len(self.rows) < len(system.papers)
        is_partial = is_short or self.suite.lacks_means(system) or not system.is_compared
        return "partial" if outcome == "passed" and is_partial else outcome

    def mean(self, name: str) -> ShownMean:
        """One of its means, whether it has a threshold or not."""
        system, thresholds = self.system, self.suite.policy.thresholds
        least = next((t.least for t in thresholds.mean if t.name == name), None)
        decided = next((mean for mean in system.verdict.means if mean.name == name), None)
        difference = system.comparison and system.comparison.difference(name)
        state: Literal["", "failed", "waived", "undecided"] = ""
        if decided in system.verdict.missed:
            state = "failed"
        elif decided is not None and not decided.passes:
            state = "undecided" if decided.is_open else "waived"
        limit = Threshold(name, least or 0.0, custom=self.suite.own_numbers)
        mean = decided or mean_of([row.numbers for row in self.rows], limit)
        is_whole = mean.n_scored == mean.n_papers
        return ShownMean(
            named=mean.named,
            value=mean.compared if state == "failed" else mean.value,
            least=least if decided is None else decided.least,
            state=state,
            coverage="" if is_whole else f"{mean.n_scored:,} of {mean.n_papers:,}",
            change=difference.change if difference else None,
        )


FOLDER: Final = "reports/templates"


def resource(name: str, folder: str = FOLDER) -> str:
    """The text of one of the files beside the templates."""
    return (files("summeval_pytest") / folder / name).read_text("utf-8")


@cache
def template(
    name: str,
    finalize: Callable[[object], object],
    *words: ModuleType | Callable[..., object],
    folder: str = FOLDER,
) -> Template:
    """One template by the name of its file; its includes are in `FOLDER`.

    ``finalize`` makes a value safe, before it is escaped for HTML unless it is markup. ``words``
    are the functions, and modules of functions, that the template calls.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(resource),  # of what templates share
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=finalize,
    )
    named = {word.__name__.rpartition(".")[2]: word for word in words}
    environment.globals |= named
    environment.filters |= named
    return environment.from_string(resource(name, folder))
