from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from rich.cells import cell_len

from summeval_pytest.study.systems.analyses import ANALYSES
from tests.cli.conftest import Shell
from tests.studied_suite import ALPHA, BETA, FAMILIES, PAPERS, write_studied

pytestmark = pytest.mark.usefixtures("few_resamples")

HOSTILE: Final = {"alpha": "$\\frac{1$%&<i>:red:x", "beta": "b" * 150}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test in a folder of its own; a judge of one's own changes where modules are found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))


Study = Callable[..., tuple[Any, str]]


@pytest.fixture
def study(shell: Shell) -> Study:
    """What makes a study of a suite: its JSON, and what is printed."""

    def studied(suite: Path | str, *arguments: str) -> tuple[Any, str]:
        lines = shell.lines("study", suite, "--json", "study.json", *arguments)
        found = json.loads(Path("study.json").read_text(encoding="utf-8"))
        return found, "\n".join(lines)

    return studied


def standing(found: Any, giver: str, name: str, by: str = "") -> Any:
    """The places of one column."""
    column = {"giver": giver, "by": by, "name": name}
    (places,) = [each["places"] for each in found["standings"] if each["column"] == column]
    return places


def test_every_analysis_is_reported_and_written(study: Study) -> None:
    """Worked example, by one judge: FM is 1 for its own and (2/3 + 3 * 3/4) / 4 for the other."""
    found, text = study(write_studied(Path("suite")), "--judge", ALPHA)
    assert found["analyses"] == list(ANALYSES)
    assert [(s["name"], s["n_papers"]) for s in found["systems"]] == [("one", 4), ("two", 4)]
    (judge,) = found["judges"]
    assert judge["recipes"]["facet"].startswith("facet|empty:1|judge:alpha-1|")
    assert f"|suite:{found['fingerprint']}|" in judge["recipes"]["eva"]
    assert found["reading"] == "norm:5|split:5"
    one, two = standing(found, "judge", "facet", ALPHA)
    assert (one["mean"]["value"], one["rank"]) == (1.0, 1)
    # Background has weight .1 and scale 3, result .3 and 4: (.1 * 2/3 + .3 * 3/4) / .4.
    assert two["mean"]["value"] == pytest.approx((0.1 * 2 / 3 + 0.3 * 3 / 4) / 0.4)
    assert [place["mean"]["value"] for place in standing(found, "label", "overall")] == [0.625] * 2
    assert {each["a sentence"]["value"] for each in found["facts"]} == {2.0}
    # A reference is one sentence, a summary two, each with a fact and what refines it.
    assert [(each["system"], each["chains"]["value"]) for each in found["facts"]] == [
        (None, 1.0), ("one", 2.0), ("two", 2.0),
    ]  # fmt: skip
    assert [each["sentences"]["value"] for each in found["hallucination"]] == [0, 0.125, 0.5, 0.5]
    for title in (
        "Systems: mean over papers (rank)", "Facet ratings", "Hallucination", "Judges by systems",
        "Bootstrap distribution", "Facet proportions", "Facts a text", "Numbers a",
        "Lengths", "Novelty: ", "Readability", "Novelty, readability", "Word popularity",
    ):  # fmt: skip
        assert f"\n{title}" in text, title
    # 80 columns where there is no terminal, no white space at the ends
    assert max(map(cell_len, text.splitlines())) <= 80
    assert not [line for line in text.splitlines() if line != line.rstrip()]
    other, _ = study(write_studied(Path("other"), papers=PAPERS[::-1]), "--judge", ALPHA)
    assert other == found | {"suite": "other/summeval.toml"}  # whatever the order of papers


def test_two_judges_make_a_heat_map_and_show_what_they_like(study: Study) -> None:
    """Worked example: each gives FM 1 to its own and .729 to the other, so it likes it by .271."""
    judges = ["--judge", ALPHA, "--judge", BETA]
    found, text = study(write_studied(Path("suite")), *judges, *FAMILIES, "--only=judges")
    (heat,) = [heat for heat in found["heats"] if heat["metric"] == "facet"]
    assert [cell["is_own"] for cell in heat["cells"]] == [True, False, False, True]
    gain = pytest.approx(1 - (0.1 * 2 / 3 + 0.3 * 3 / 4) / 0.4)
    assert heat["preference"] == {"value": gain, "low": gain, "high": gain, "n": 4, "n_of": 4}
    assert "self-preference +0.271 [.27, .27] on 4 of 4 papers" in " ".join(text.split())


def test_texts_alone_ask_no_judge_and_load_no_matplotlib(
    monkeypatch: pytest.MonkeyPatch, study: Study
) -> None:
    """Lengths and numbers of a large suite cost nothing; matplotlib takes a second to load."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    suite = write_studied(Path("suite"))
    found, text = study(suite, "--only=numbers,lengths,novelty,readability,popularity")
    assert found["judges"] == []
    assert len(found["lengths"]) == len(found["popularity"]) == 3
    assert found["lengths"][1]["means"]["words"]["value"] == 13.0
    assert "judge" not in text


def test_hostile_names_are_text(
    study: Study, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name can neither colour nor move the terminal, nor break a table, a figure or a file.

    Without matplotlib the extra is named before a judge is asked.
    """
    by = "[red]re\x1b[31md[/red] :smile: \n::error::"
    suite = write_studied(Path("suite"), names=HOSTILE, by=by)
    only = "--only=systems,ratings,hallucination,proportions"
    found, text = study(suite, "--judge", ALPHA, "--figures", "drawn", only)
    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if line.startswith("::")]
    assert "[red]re\\x1b" in text
    assert HOSTILE["alpha"] in text
    assert ":red:" in text
    assert HOSTILE["beta"] not in text.split("systems (papers", maxsplit=1)[0]
    assert [system["name"] for system in found["systems"]] == list(HOSTILE.values())
    assert not [file for file in Path("drawn").iterdir() if b"<i>" in file.read_bytes()]
    monkeypatch.setattr("summeval_pytest.study.study.find_spec", lambda _: None)
    message = shell.error(4, "study", suite, "--figures", "other")
    assert "pip install 'summeval-pytest[report]'" in message
    assert not Path("other").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only=nmbers"], "--only=nmbers: no analysis; did you mean 'numbers'?"),
        (["--only=,"], "--only=,: names nothing; write a name, or leave it out"),
        (["--judge="], "--judge=: names nothing; write a name, or leave it out"),
        (["--system="], "--system=: names nothing; write a name, or leave it out"),
        (["--judge=ofline"], "no judge 'ofline'; did you mean 'offline'?"),
        (["--family=one="], "--family=one=: no family; write NAME=FAMILY, as gpt35=openai"),
        (["--family=tow=x"], "--family=tow=x: no judge or system 'tow' is studied; did you mean"),
        (["--familiar=none.txt"], "none.txt: 'none.txt' cannot be read (No such file"),
        (["--familiar=empty.txt"], "--familiar=empty.txt: holds no word; write the familiar"),
        (["--json=none/x.json"], "--json=none/x.json: cannot be written, its folder is not there"),
        (["--figures=empty.txt"], "--figures=empty.txt: no folder can be made there"),
    ],
)
def test_what_cannot_be_is_reported_before_anybody_is_asked(
    arguments: Sequence[str], message: str, shell: Shell
) -> None:
    """In the words of the option that was typed."""
    suite = write_studied(Path("suite"))
    Path("empty.txt").write_text("\n \n", encoding="utf-8")
    assert message in shell.error(4, "study", suite, *arguments)


def test_familiar_words_give_dale_chall(study: Study) -> None:
    """Read in any case, one a line, with or without a byte order mark."""
    Path("words.txt").write_text("\ufeffThe\nteam\n\nLOOK\n", encoding="utf-8")
    suite = write_studied(Path("suite"))
    found, text = study(suite, "--only=readability", "--familiar=words.txt")
    assert all(each["means"]["Dale-Chall"]["n"] == 4 for each in found["readability"])
    assert "needs --familiar" not in text
    assert "Dale-Chall needs --familiar FILE" in study(suite, "--only=readability")[1]


def test_scholarsum_gives_the_figures_of_the_paper(
    release_file: Path, shell: Shell, study: Study
) -> None:
    """Oracle: metrics.md section 2, FM figures 4a, 4b and 9, recomputed there from the release."""
    shell.lines("import", "scholarsum", release_file, "--out", "pubmed")
    judge = "tests.studied_suite:Mute"  # who judges is of no matter here
    found, _ = study("pubmed", "--judge", judge, "--only=ratings,proportions,numbers")

    ratings = {each["system"]: each["means"] for each in found["ratings"] if not each["by"]}
    facets = ("background", "method", "result", "conclusion")
    llama = [round(ratings["llama2_70b"][facet]["value"], 2) for facet in facets]
    assert llama == [0.81, 0.82, 0.67, 0.79]
    shares = {
        each["system"]: [round(each["shares"][facet]["value"], 2) for facet in facets]
        for each in found["proportions"]
        if each["by"] == "GPT-4 segments"
    }
    assert shares[None] == [0.27, 0.27, 0.29, 0.17]
    assert shares["gpt35_fm"] == [0.39, 0.24, 0.23, 0.13]
    kept = [each["extents"] for each in found["proportions"] if each["by"] == "GPT-4 segments"]
    assert kept[0] == {"absent": 5, "parts": 29, "whole": 153}
    assert [sum(each[way] for each in kept[1:]) for way in kept[0]] == [15, 84, 905]
    numbers = {
        each["system"]: [round(mean["value"], 1) for mean in each["means"].values()]
        for each in found["numbers"]
    }
    message = {"n": [6.6, 3.2], "gpt35_fm": [1.8, 1.3], "longt5": [9.6, 4.7]}
    assert [numbers[None], numbers["gpt35_fm"], numbers["longt5"]] == list(message.values())
