from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics.score import CATALOGUE
from summeval_pytest.record.changes import pair_change
from summeval_pytest.record.record import (
    Claim,
    Comparison,
    Difference,
    FacetChange,
    Flip,
    PairChange,
)
from summeval_pytest.record.regression import compare
from summeval_pytest.reports.pair import change_lines, comparison_lines, detectable_text
from tests.verdict.records import (
    SIGNATURES,
    baseline,
    eva,
    marks,
    pair,
    rated,
    supported,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

HOSTILE = "::error::x\n::add-mask::y\x1b[31m ##[group]\u202e"
LEGEND = [
    "p drop: paired permutation test over papers, Holm-adjusted. seen: the smallest",
    "true drop that this many papers show with 80 % power; smaller ones may hide.",
]


def harmless(lines: Iterable[str]) -> list[str]:
    """The lines, which command no terminal and no runner."""
    found = list(lines)
    for line in found:
        assert line.isprintable()
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
    return found


def difference(name: str = "facet", *broken: str, p: float | None = 0.0017) -> Difference:
    """A difference of one number, 0.987 to 0.534 over 12 papers."""
    return Difference(
        name=name,
        n_papers=12,
        old=0.987,
        new=0.534,
        change=-0.453,
        low=-0.526,
        high=-0.376,
        p=p,
        deviation=0.133,
        detectable=0.16,
        broken=broken,
    )


def told(*differences: Difference, flips: tuple[Flip, ...] = ()) -> list[str]:
    """The lines of a comparison."""
    found = Comparison(baseline="v1.3", system="careful", differences=differences, flips=flips)
    return list(comparison_lines(found))


def test_a_comparison_is_a_table_with_a_line_for_each_number() -> None:
    """Old and new mean, change, interval, p value, and what the suite could have seen."""
    heading, columns, facet, recall, *legend = told(
        difference(), difference("eva.recall_entailed", p=None)
    )
    assert heading == "against v1.3 (careful), 12 papers"
    assert columns.split() == "old new change 95 % interval p drop seen".split()
    assert facet.split() == [
        *("facet", "0.987", "0.534", "-0.453", "[-0.526,", "-0.376]", "0.0017", "0.160"),
    ]
    assert recall.split() == [
        *("eva.recall_entailed", "0.987", "0.534", "-0.453", "[-0.526,", "-0.376]"),
    ]
    assert legend == LEGEND


def test_the_cells_stand_under_their_headings() -> None:
    """A column that slips is read as the next one."""
    _, columns, facet, recall, *_ = told(difference(), difference("eva.recall_entailed"))
    for heading, cell in (("old", "0.987"), ("new", "0.534"), ("change", "-0.453")):
        end = columns.index(heading) + len(heading)
        assert facet[:end].endswith(cell)
        assert recall[:end].endswith(cell)
    assert columns.index("95 % interval") == facet.index("[-0.526") == recall.index("[-0.526")
    assert len(columns) == len(facet) == len(recall)


def test_a_number_that_breaks_a_rule_is_marked() -> None:
    """The eye finds it in the last column, without colour."""
    lines = told(difference(), difference("eva", "eva drops"), difference("faithfulness"))
    assert [line.split()[0] for line in lines if line.endswith(" FAILS")] == ["eva"]


def test_a_rise_has_its_sign() -> None:
    """Also an unchanged number, so that no minus can be overlooked."""
    rise = Difference(name="eva", n_papers=2, old=0.5, new=0.75, change=0.25, low=0.0, high=0.5)
    assert told(rise)[2].split() == ["eva", "0.500", "0.750", "+0.250", "[+0.000,", "+0.500]"]


def test_an_interval_that_is_undefined_is_left_empty() -> None:
    """And so is the explanation of p values that nobody sees."""
    bare = Difference(name="eva", n_papers=1, old=0.5, new=0.5, change=0)
    assert told(bare) == [
        "against v1.3 (careful), 1 paper",
        told(difference())[1],
        "eva                  0.500  0.500  +0.000",
    ]


@pytest.mark.parametrize(
    ("deviation", "detectable", "expected"),
    [(0.1, 0.0654, "0.065"), (0.1, None, "none"), (0.0, None, "-"), (None, None, "none")],
)
def test_what_a_suite_can_see_is_a_drop_or_nothing_or_unknown(
    deviation: float | None, detectable: float | None, expected: str
) -> None:
    """With too few papers no drop can be seen, least of all with one, which has no deviation.

    Where nothing varies nobody can say.
    """
    found = Difference(
        name="eva",
        n_papers=4,
        old=0.5,
        new=0.5,
        change=0,
        p=1.0,
        deviation=deviation,
        detectable=detectable,
    )
    assert detectable_text(found) == expected
    assert told(found)[2].split()[-1] == expected


def test_the_papers_of_the_heading_are_those_of_the_widest_number() -> None:
    """A facet that some references lack is compared on fewer."""
    few = Difference(name="facet.background", n_papers=3, old=1, new=1, change=0)
    assert told(few, difference())[0].endswith(", 12 papers")


def test_a_number_that_stands_on_fewer_papers_says_on_how_many() -> None:
    """The heading would else be read for it."""
    few = replace(difference("facet.background"), n_papers=3)
    lines = told(few, difference("facet"), replace(few, name="eva", broken=("it drops",)))
    assert lines[5:7] == ["facet.background is on 3 of them only", "eva is on 3 of them only"]


def test_runs_that_cannot_be_compared_say_why_and_show_no_number() -> None:
    """Every reason, a line each."""
    found = Comparison(
        baseline="v1.3", system="careful", mismatches=("judge differs", "v1.3 lacks")
    )
    assert list(comparison_lines(found)) == [
        "against v1.3 (careful): not compared",
        "  judge differs",
        "  v1.3 lacks",
    ]


def test_a_comparison_of_nothing_says_so() -> None:
    """An empty table would look like no change."""
    assert told() == ["against v1.3 (careful): no number that both have"]


def flips(n_flips: int) -> tuple[Flip, ...]:
    """Results that are rated lower."""
    return tuple(Flip(paper=f"moss-{n:02}", facet="result", old=4, new=1) for n in range(n_flips))


def test_flipped_facets_are_listed_under_the_table() -> None:
    """In the order given, which is the worst first."""
    assert told(difference(), flips=flips(2))[-3:] == [
        "facets rated lower, worst first (2):",
        "  moss-00: result 4 -> 1",
        "  moss-01: result 4 -> 1",
    ]
    assert told(difference())[-1] == LEGEND[-1]


@pytest.mark.parametrize(("n_flips", "more"), [(12, None), (13, "  1 more: summeval compare")])
def test_after_twelve_flips_the_rest_are_counted(n_flips: int, more: str | None) -> None:
    """A run that lost everything must not bury its table."""
    lines = told(difference(), flips=flips(n_flips))
    listed = lines[lines.index(f"facets rated lower, worst first ({n_flips}):") + 1 :]
    assert len([line for line in listed if "->" in line]) == 12
    assert listed[12:] == ([] if more is None else [more])


def test_a_rise_by_brevity_is_noted_under_the_table() -> None:
    """Wrapped, as it is a long sentence."""
    warning = "faithfulness rose by 0.167 only because " + "summaries became shorter " * 3
    found = Comparison(
        baseline="v1.3", system="careful", differences=(difference(),), brevity=(warning,)
    )
    lines = list(comparison_lines(found))[-2:]
    assert lines[0].startswith("note: faithfulness rose by 0.167 only because summaries")
    assert lines[1].startswith("      ")
    assert " ".join(" ".join(lines).split()) == f"note: {warning.strip()}"


def test_hostile_text_in_a_comparison_is_shown_and_not_obeyed() -> None:
    """A record may come from anybody: the names of its papers, systems and recipes, too."""
    compared = Comparison(
        baseline=HOSTILE,
        system=HOSTILE,
        differences=(difference(),),
        flips=(Flip(paper=HOSTILE, facet="result", old=4, new=1),),
        brevity=(HOSTILE,),
    )
    refused = Comparison(baseline=HOSTILE, system=HOSTILE, mismatches=(HOSTILE,))
    lines = harmless((*comparison_lines(compared), *comparison_lines(refused)))
    assert len([line for line in lines if r"y\x1b[31m" in line]) >= 5


@pytest.mark.parametrize("broken", [(), ("it drops",)], ids=["passing", "failing"])
def test_no_line_of_a_table_is_over_80_columns(broken: tuple[str, ...]) -> None:
    """Worked example: every number, each with a drop of its whole scale over 2,000 papers.

    Of the count, which has no end, that is a rise from 0 to 9.

    The columns take 19 + 7 + 7 + 8 + 2 + 16 + 7 + 7 = 73, and the mark of a failure 7 more.
    """
    wide = [
        Difference(
            name=name,
            n_papers=2000,
            old=min(named.best, 9.0),
            new=min(named.worst, 9.0),
            change=min(named.worst, 9.0) - min(named.best, 9.0),
            low=named.low - min(named.high, 9.0),
            high=min(named.high, 9.0) - named.low,
            p=0.0001,
            deviation=1.0,
            detectable=2.999,
            broken=broken,
        )
        for name, named in CATALOGUE.items()
    ]
    lines = told(*wide, flips=flips(13))
    assert max(map(len, lines)) <= 80
    rows = [line.removesuffix("  FAILS") for line in lines[1 : 2 + len(wide)]]
    assert {len(row) for row in rows} == {73}
    assert len([line for line in lines if line.endswith("  FAILS")]) == len(broken) * len(wide)
    assert all(len(row.split()) == 8 for row in rows[1:])


@pytest.mark.parametrize("n_papers", [12, 2000])
@pytest.mark.parametrize("broken", [(), ("it drops",)], ids=["passing", "failing"])
def test_a_number_on_fewer_papers_says_so_in_80_columns(
    n_papers: int, broken: tuple[str, ...]
) -> None:
    """Both marks at once: a failing number that one paper lacks."""
    full = replace(difference(), n_papers=n_papers)
    few = replace(difference("eva.recall_entailed", *broken), n_papers=n_papers - 1)
    lines = told(full, few)
    assert lines[4] == f"eva.recall_entailed is on {n_papers - 1:,} of them only"
    assert max(map(len, lines)) <= 80


CHANGE = PairChange(
    paper="moss-01",
    system="terse",
    baseline="v1.3 (careful)",
    numbers=(("facet", 1.0, 0.35), ("eva", 0.5, 0.5), ("faithfulness", 0.25, 0.5)),
    facets=(
        FacetChange(
            facet="result",
            old=4,
            new=1,
            reference="Mice slept two hours longer.",
            before="They slept two hours longer.",
            after="",
            reason="the summary does not state it",
        ),
    ),
    lost=(Claim(text="Mice slept.", reason="no fact says so"),),
    regained=(Claim(text="Water did nothing.", reason="a fact says so"),),
    unsupported=(Claim(text="Cats sang.", reason="no evidence"), Claim(text="Dogs sang.")),
    mended=(Claim(text="Owls sang.", reason="no evidence"),),
    invented=(Claim(text="Ferns grew.", reason="0 % of its words"),),
)


def test_a_changed_paper_is_told_from_its_numbers_to_its_facts() -> None:
    """Numbers that did not move are left out; what is gone needs no reason."""
    assert list(change_lines(CHANGE)) == [
        "against v1.3 (careful): facet 1.000 -> 0.350; faithfulness 0.250 -> 0.500",
        "  facet result: 4 -> 1",
        '    before "They slept two hours longer."',
        "    now    (nothing)",
        "    reason the summary does not state it",
        "  new unsupported sentence:",
        '    "Cats sang."',
        "    reason no evidence",
        "  new unsupported sentence:",
        '    "Dogs sang."',
        "  new fact that does not follow from the reference:",
        '    "Ferns grew."',
        "    reason 0 % of its words",
        "  fact of the reference lost:",
        '    "Mice slept."',
        "    reason no fact says so",
        "  unsupported sentence gone:",
        '    "Owls sang."',
        "  fact of the reference regained:",
        '    "Water did nothing."',
    ]


def test_a_paper_on_which_nothing_moved_says_so() -> None:
    """Its facts may have changed all the same."""
    same = PairChange(paper="m", system="s", baseline="v1.3", numbers=(("eva", 0.5, 0.5),))
    assert list(change_lines(same)) == ["against v1.3: the same numbers"]


@pytest.mark.parametrize(
    ("old", "new", "shown"), [(None, 2, "absent -> 2"), (3, None, "3 -> absent")]
)
def test_a_facet_that_one_reading_lacks_is_absent(
    old: int | None, new: int | None, shown: str
) -> None:
    """A rating of 0 would be one that no scale has."""
    change = FacetChange(
        facet="background", old=old, new=new, reference="", before="", after="", reason=""
    )
    found = PairChange(paper="m", system="s", baseline="v1.3", facets=(change,))
    assert list(change_lines(found))[1:] == [
        f"  facet background: {shown}",
        "    before (nothing)",
        "    now    (nothing)",
        "    reason ",
    ]


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("unsupported", "new unsupported sentence"),
        ("invented", "new fact that does not follow from the reference"),
        ("lost", "fact of the reference lost"),
        ("mended", "unsupported sentence gone"),
        ("regained", "fact of the reference regained"),
    ],
)
def test_after_five_of_a_kind_the_rest_are_counted(kind: str, what: str) -> None:
    """A summary of another paper loses every fact there is."""
    for n_claims, more in ((5, []), (7, [f"  {what}: 2 more"])):
        claims = tuple(Claim(text=f"{n}.") for n in range(n_claims))
        found = PairChange(
            paper="m",
            system="s",
            baseline="v",
            **{kind: claims},  # type: ignore[arg-type]  # the names of its claims
        )
        lines = list(change_lines(found))
        assert lines.count(f"  {what}:") == 5
        assert [line for line in lines if line.endswith(" more")] == more
        assert '    "4."' in lines


texts = st.text(alphabet=st.sampled_from(":# [x-\x1b\n\u202e\ud800e,")) | st.just(HOSTILE)
claims = st.builds(Claim, text=texts, reason=texts).map(lambda claim: (claim,))


@given(texts, claims, claims, claims)
def test_hostile_text_in_a_change_is_shown_and_not_obeyed(
    text: str,
    lost: tuple[Claim, ...],
    unsupported: tuple[Claim, ...],
    invented: tuple[Claim, ...],
) -> None:
    """Law: whatever papers, summaries and judges say, also where a line is broken in it."""
    facet = FacetChange(
        facet="result", old=4, new=1, reference=text, before=text, after=text * 40, reason=text * 9
    )
    found = PairChange(
        paper=text,
        system=text,
        baseline=text,
        facets=(facet,),
        lost=lost,
        mended=lost,
        regained=lost,
        unsupported=unsupported,
        invented=invented,
    )
    harmless(change_lines(found))


def test_a_text_that_would_command_at_the_start_of_a_line_is_broken_harmlessly() -> None:
    """Worked example: after 68 characters a long sentence is broken just before its command."""
    for n_before in range(40, 80):
        claim = Claim(text="x" * n_before + " ::error::owned", reason="y" * n_before + " ::debug::")
        lines = harmless(
            change_lines(PairChange(paper="m", system="s", baseline="v", lost=(claim,)))
        )
        assert "error::owned" in "".join(lines)


def test_the_name_of_a_baseline_commands_nothing_where_a_line_is_broken_in_it() -> None:
    """Worked example: "against v1.3/" and 45 letters leave no room for the rest on the first line.

    Numbers that moved come after it, so that the line is broken wherever the name lets it.
    """
    numbers = (("facet", 1.0, 0.35), ("faithfulness", 0.25, 0.5))
    for n_letters in range(30, 80):
        name = "v1.3/" + "x" * n_letters + " ::error::owned"
        found = PairChange(paper="m", system="s", baseline=name, numbers=numbers)
        lines = harmless(change_lines(found))
        assert "error::owned" in "".join(lines)
        assert all(len(line) <= 80 + len(r"\x3a") - len(":") for line in lines)


def test_long_texts_are_wrapped_and_cut() -> None:
    """A paragraph of 100,000 characters is no use there; 80 columns hold the labels, too."""
    long = "word " * 20_000
    facet = FacetChange(
        facet="result", old=4, new=1, reference=long, before=long, after=long, reason=long
    )
    claim = (Claim(text=long, reason=long),)
    found = PairChange(
        paper="m",
        system="s",
        baseline="v1.3 (careful)",
        numbers=tuple((name, 0.9, 0.1) for name in ("facet", "eva", "faithfulness")),
        facets=(facet,),
        lost=claim,
        unsupported=claim,
    )
    lines = list(change_lines(found))
    assert max(map(len, lines)) <= 80
    assert len(lines) < 60
    assert sum(line.endswith("\u2026") for line in lines) == 5 + 2


def test_what_compare_finds_can_be_told() -> None:
    """From scores to text: two papers, of which one lost its result and a sentence's support."""
    kept, lost = (
        replace(
            score,
            sentences=tuple(replace(s, support=0.5) for s in score.sentences),
            conflicts=0,
        )
        for score in (supported({"Mice slept.": True}), supported({"Mice slept.": False}))
    )
    old = [pair(f"moss-{n}", rated(), eva(0.5), kept) for n in "12"]
    new = [
        pair("moss-1", rated(marks(result=1)), eva(0.5), lost),
        old[1],
    ]
    found = compare([p.numbers() for p in new], baseline(*old), signatures=SIGNATURES)
    lines = list(comparison_lines(found))
    assert lines[0] == "against v1.3 (careful), 2 papers"
    assert [line.split()[0] for line in lines[2 : 2 + len(CATALOGUE)]] == list(CATALOGUE)
    assert lines[-1] == "  moss-1: result 4 -> 1"
    changed, same = (
        list(change_lines(pair_change(one, other, baseline="v1.3")))
        for one, other in zip(old, new, strict=True)
    )
    assert changed[:2] == [
        "against v1.3: facet 1.000 -> 0.775; faithfulness 1.000 -> 0.000",
        "  facet result: 4 -> 1",
    ]
    assert changed[-3:] == [
        "  new unsupported sentence:",
        '    "Mice slept."',
        "    reason so the judge says",
    ]
    assert same == ["against v1.3: the same numbers"]
