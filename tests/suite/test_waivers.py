from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.suite.values import Waiver

if TYPE_CHECKING:
    from tests.suite.conftest import Golden

FILE = "golden/summeval.toml"
HEADER = 23
"""The line of the first waiver: the sound suite has 21 lines, and an empty one follows."""
KEYS = {
    "paper": '"zinc-01"',
    "system": '"careful"',
    "finding": '"facet"',
    "owner": '"ines"',
    "reason": '"the reference is being mended"',
    "expires": "2027-01-31",
}
"""A sound waiver, key by key, with each value as TOML; ``paper`` stands on line 24."""
EXPECTED_DAY = "a day, expires = 2027-01-31"


def table(name: str = "moss", /, **changes: str | None) -> str:
    """A waiver's table with some of its keys changed, added, or (None) left out."""
    keys = {key: value for key, value in {**KEYS, **changes}.items() if value is not None}
    return f"[waivers.{name}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


def waive(golden: Golden, *tables: str) -> None:
    """Adds tables at the end of the suite file."""
    file = golden.path / "summeval.toml"
    golden.write("summeval.toml", "\n".join([file.read_text(encoding="utf-8"), *tables]))


def mistake(golden: Golden, **changes: str | None) -> str:
    """The message for one waiver that is changed so."""
    waive(golden, table(**changes))
    return golden.mistake()


def test_a_suite_without_waivers_has_none(golden: Golden) -> None:
    """Most suites have nothing to waive."""
    assert golden.load().waivers == ()


def test_a_waiver_is_read_with_its_line(golden: Golden) -> None:
    """Worked example of every key; the bound may be left out."""
    waive(golden, table(least="0.5"), table("two", system='"terse"'))
    first, second = golden.load().waivers
    assert first == Waiver(
        name="moss",
        paper="zinc-01",
        system="careful",
        finding="facet",
        least=0.5,
        owner="ines",
        reason="the reference is being mended",
        expires="2027-01-31",
        place=Place(FILE, HEADER),
    )
    assert (second.name, second.system, second.least) == ("two", "terse", None)
    assert second.place == Place(FILE, HEADER + 9)


def test_a_waiver_is_told_with_its_line_its_number_and_its_owner(golden: Golden) -> None:
    """Whoever reads that it has expired has to know whom to ask."""
    waive(golden, table())
    (waiver,) = golden.load().waivers
    assert waiver.told == f"{FILE}:{HEADER}: waiver 'moss' of facet (owner 'ines')"


def test_waivers_stand_in_file_order(golden: Golden) -> None:
    """A report lists them as the file does."""
    names = ["zeta", "alpha", "mu"]
    findings = ["facet", "eva", "faithfulness"]
    waive(
        golden,
        *(
            table(name, finding=f'"{finding}"')
            for name, finding in zip(names, findings, strict=True)
        ),
    )
    assert [waiver.name for waiver in golden.load().waivers] == names


def test_waivers_may_stand_before_the_thresholds(golden: Golden) -> None:
    """Their lines are those of the file, wherever in it they stand."""
    golden.spoil("summeval.toml", "[thresholds]\n", table() + "\n[thresholds]\n")
    (waiver,) = golden.load().waivers
    assert waiver.place == Place(FILE, 13)


@pytest.mark.parametrize(
    "day", ["2027-01-31", '"2027-01-31"', '"20270131"', '"2027-W04-7"'], ids=str
)
def test_the_last_day_may_be_a_date_or_a_text_that_reads_as_one(golden: Golden, day: str) -> None:
    """TOML has dates, and quotation marks around one are no mistake worth a red run.

    31 January 2027 is the Sunday of the fourth ISO week.
    """
    waive(golden, table(expires=day))
    assert golden.load().waivers[0].expires == "2027-01-31"


@pytest.mark.parametrize("day", ["2027-01-31T12:00:00", "2027-01-31 12:00:00Z", "12:00:00"])
def test_a_time_of_day_is_no_last_day(golden: Golden, day: str) -> None:
    """Nobody knows in whose time zone the run would be."""
    told = mistake(golden, expires=day)
    assert told.startswith(f"{FILE}:{HEADER + 6}: 'expires' of waiver 'moss' is ")
    assert told.endswith(f"; write {EXPECTED_DAY}")


@pytest.mark.parametrize(
    ("day", "shown"),
    [
        ('"31.1.2027"', "'31.1.2027'"),
        ('"2027-02-29"', "'2027-02-29'"),
        ('"2027-01-31T12:00"', "'2027-01-31T12:00'"),
        ('" 2027-01-31"', "' 2027-01-31'"),
        ('"never"', "'never'"),
        ('""', "''"),
        ("20270131", "20270131"),
        ("true", "true"),
        ("[2027-01-31]", "a list of 1"),
    ],
)
def test_what_is_no_day_is_refused(golden: Golden, day: str, shown: str) -> None:
    """A waiver without an end is a lower threshold that nobody has decided on."""
    assert mistake(golden, expires=day) == (
        f"{FILE}:{HEADER + 6}: 'expires' of waiver 'moss' is {shown}; write {EXPECTED_DAY}"
    )


@pytest.mark.parametrize("key", KEYS)
def test_every_key_but_the_bound_is_needed(golden: Golden, key: str) -> None:
    """A waiver that says not what, who, why or until when cannot be held to anything."""
    expected = EXPECTED_DAY if key == "expires" else "a text"
    assert mistake(golden, **{key: None}) == (
        f"{FILE}:{HEADER}: waiver 'moss' has no {key!r}; add the key with {expected}"
    )


TEXTS = [key for key in KEYS if key != "expires"]
LINES = {key: HEADER + place for place, key in enumerate([*KEYS, "least"], start=1)}


@pytest.mark.parametrize("key", TEXTS)
@pytest.mark.parametrize(("value", "shown"), [("7", "7"), ("true", "true"), ("1.5", "1.5")])
def test_a_key_that_is_no_text_is_refused_at_its_line(
    golden: Golden, key: str, value: str, shown: str
) -> None:
    """What was written, where, and what to write."""
    assert mistake(golden, **{key: value}) == (
        f"{FILE}:{LINES[key]}: {key!r} of waiver 'moss' is {shown}; write a text"
    )


@pytest.mark.parametrize("key", TEXTS)
def test_a_list_in_place_of_a_text_is_refused(golden: Golden, key: str) -> None:
    """A waiver is of one number of one pair; several need several."""
    assert mistake(golden, **{key: '["facet", "eva"]'}) == (
        f"{FILE}:{LINES[key]}: {key!r} of waiver 'moss' is a list of 2; write a text"
    )


@pytest.mark.parametrize("key", TEXTS)
def test_a_text_without_a_visible_character_is_refused(golden: Golden, key: str) -> None:
    """A blank owner is none."""
    assert mistake(golden, **{key: '" \\u200b"'}).startswith(
        f"{FILE}:{LINES[key]}: {key!r} of waiver 'moss' is empty ("
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ('"0.5"', "'0.5'"),
        ("true", "true"),
        ("nan", "nan"),
        ("-inf", "-inf"),
        ("9" * 400, "a very large integer"),
    ],
)
def test_a_bound_that_is_no_finite_number_is_refused(
    golden: Golden, value: str, shown: str
) -> None:
    """A bound of NaN would hold nothing."""
    assert mistake(golden, least=value) == (
        f"{FILE}:{LINES['least']}: 'least' of waiver 'moss' is {shown}; write a finite number"
    )


@pytest.mark.parametrize("bound", [0, 1, 2])
def test_a_whole_bound_is_a_number_like_any_other(golden: Golden, bound: int) -> None:
    """Ratings are whole numbers, and a bound of 0 is no missing one."""
    waive(golden, table(least=str(bound)))
    least = golden.load().waivers[0].least
    assert (least, type(least)) == (float(bound), float)


def test_an_unknown_key_is_refused_with_the_one_probably_meant(golden: Golden) -> None:
    """A misspelt bound would be no bound."""
    assert mistake(golden, leats="0.5") == (
        f"{FILE}:{LINES['least']}: unknown key 'leats' in waiver 'moss'; did you mean 'least'?"
    )


def test_keys_of_ones_own_are_left_alone(golden: Golden) -> None:
    """A link to an issue stands best beside the reason."""
    waive(golden, table(x_issue='"https://example.org/7"'), "[waivers.x_notes]\nwhatever = 1\n")
    assert [waiver.name for waiver in golden.load().waivers] == ["moss"]


def test_an_unknown_paper_is_refused(golden: Golden) -> None:
    """A waiver of a paper that has gone has to go, too."""
    assert mistake(golden, paper='"zinc-1"') == (
        f"{FILE}:{LINES['paper']}: waiver 'moss' is for the unknown paper 'zinc-1';"
        " did you mean 'zinc-01'?"
    )


def test_an_unknown_system_is_refused(golden: Golden) -> None:
    """So has one of a system that has gone."""
    assert mistake(golden, system='"llama3"') == (
        f"{FILE}:{LINES['system']}: waiver 'moss' is for the unknown system 'llama3';"
        " known: careful, terse"
    )


def test_a_paper_that_its_system_skips_is_refused(golden: Golden) -> None:
    """The pair is never judged, so its waiver would never be needed."""
    assert mistake(golden, paper='"zinc-02"', system='"terse"') == (
        f"{FILE}:{LINES['system']}: waiver 'moss' is for paper 'zinc-02', which system 'terse'"
        " lists under 'skip'; delete one of the two"
    )


def test_the_mean_of_a_system_can_be_waived(golden: Golden) -> None:
    """Its item is called all-papers, and so is the paper of its waiver."""
    waive(golden, table(paper='"all-papers"', system='"terse"'))
    (waiver,) = golden.load().waivers
    assert (waiver.paper, waiver.system) == ("all-papers", "terse")


def test_the_mean_of_an_unknown_system_is_refused(golden: Golden) -> None:
    """No paper is looked up then, but the system is."""
    assert mistake(golden, paper='"all-papers"', system='"carefull"').endswith(
        "waiver 'moss' is for the unknown system 'carefull'; did you mean 'careful'?"
    )


@pytest.mark.parametrize("paper", ['"zinc-01"', '"all-papers"'])
def test_two_waivers_of_the_same_number_are_refused(golden: Golden, paper: str) -> None:
    """Which of them holds, nobody could tell; the later one is blamed, at its finding."""
    waive(golden, table(paper=paper), table("fern", paper=paper, owner='"somebody else"'))
    assert golden.mistake() == (
        f"{FILE}:{HEADER + 8 + 3}: waiver 'fern' waives what waiver 'moss' on line {HEADER} waives;"
        " delete one"
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("paper", '"zinc-02"'),
        ("paper", '"all-papers"'),
        ("system", '"terse"'),
        ("finding", '"eva"'),
    ],
)
def test_waivers_that_differ_in_what_they_are_of_stand_together(
    golden: Golden, key: str, value: str
) -> None:
    """Paper, system and number make a waiver; any of them may differ."""
    waive(golden, table(), table("fern", **{key: value}))
    assert [waiver.name for waiver in golden.load().waivers] == ["moss", "fern"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[waivers]]\n", f"{FILE}:{HEADER}: 'waivers' is a list of 1; write tables,"),
        ("[waivers]\nmoss = 1\n", f"{FILE}:{HEADER + 1}: waiver 'moss' is 1; write a table,"),
        ('[waivers."a b"]\n', f"{FILE}:{HEADER}: waiver 'a b' has white space (' ') in its name,"),
        (
            "[waivers.moss.fern]\n",
            (
                f"{FILE}:{HEADER}: waiver 'moss' holds a table 'fern'; a name with a dot must be"
                " quoted,"
            ),
        ),
    ],
    ids=["list", "number", "name", "dot"],
)
def test_what_is_no_table_of_a_waiver_is_refused(golden: Golden, text: str, told: str) -> None:
    """Each waiver is a table with a name, by which reports speak of it."""
    waive(golden, text)
    assert golden.mistake().startswith(told)


def test_a_misspelt_table_is_refused(golden: Golden) -> None:
    """Waivers that nobody reads would look as if they held."""
    waive(golden, table().replace("waivers", "waiver"))
    assert golden.mistake() == (
        f"{FILE}:{HEADER}: unknown key 'waiver' in the suite; did you mean 'waivers'?"
    )


def test_waivers_do_not_move_the_fingerprint(golden: Golden) -> None:
    """They decide on numbers and never change one, so two runs stay comparable."""
    before = golden.load().fingerprint
    waive(golden, table())
    assert golden.load().fingerprint == before
