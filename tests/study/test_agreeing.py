from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.errors import OptionError
from summeval_pytest.options import Options
from summeval_pytest.questions import FACETS
from summeval_pytest.study import tables as study_tables
from summeval_pytest.study.agree import Tables, agree
from summeval_pytest.study.baselines import BaselineName
from summeval_pytest.suite.suite import load_suite
from tests import label_suite
from tests.processes import clean_environment, run_command
from tests.study.moss_suite import GREW, READER, SAND, labels_of, moss, write_suite

pytestmark = pytest.mark.usefixtures("few_resamples")

ROOT = Path(__file__).parents[2]


def correlated(lines: list[str]) -> list[str]:
    """The lines from the table of correlations on."""
    return lines[next(n for n, line in enumerate(lines) if "Pearson" in line) :]


def by_column(figures: dict[str, Any], level: str = "pooled") -> dict[str, Any]:
    """What the JSON file has of each column at a level."""
    return {row["column"]: row for row in figures["levels"][level]}


Agreed = tuple[Path, list[str], Any]


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> Agreed:
    """A suite, what is printed of it and what the JSON file has: asked once."""
    folder = moss(tmp_path_factory.mktemp("agreed") / "moss")
    file = folder.with_suffix(".json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_tables, "RESAMPLES", 20)
        page = Tables(html=folder.with_suffix(".html"))
        lines = agree(folder, options=Options(judge=READER), json_file=file, tables=page)
    return folder, lines, json.loads(file.read_text(encoding="utf-8"))


def test_agreement_is_printed_and_written(agreed: Agreed) -> None:
    """Worked example.

    FM is a quarter of the digit: 1, 3, 2, 4 against 1, 2, 3, 4 makes r = rho = 0.8, and tau 1 on
    each of two papers; both papers give 0.8 and one of them twice gives 1. Ratings: two of four
    are equal; quadratic weights, 2 observed of 40 / 4 expected, make kappa 0.8. Faithfulness:
    0, 1, 0, 1 and 1, for the torn page has a digit all the same.
    """
    folder, lines, figures = agreed
    fingerprint = load_suite(folder).fingerprint
    assert lines[0].endswith(f": 6 labelled pairs, judge {READER}, suite {fingerprint}")
    assert lines[1] == "Agreement with the human overall score; 95 % intervals over papers."
    assert lines[3].startswith("Decisions compared with people's")
    below = correlated(lines)
    assert below[0].split() == ["pairs", "Pearson", "Spearman", "Kendall", "per", "paper"]
    rows = {line.split("  ")[0]: line.split("  ", 1)[-1].strip() for line in below}
    assert rows["FM"] == "4   0.800 [ .80,1.00]   0.800 [ .80,1.00]   1.000 [1.00,1.00]"
    start = next(n for n, line in enumerate(lines) if line.split() == list(FACETS))
    items, exact, *_, quadratic = (line.split() for line in lines[start + 1 : start + 6])
    assert items == ["items", "0", "0", "4", "0"]
    assert exact[:4] == ["exact", "-", "-", "0.500"]
    assert lines[start + 3].split()[:6] == ["exact,", "always", "pass", "-", "-", "0.250"]
    assert quadratic[:5] == ["quadratic", "kappa", "-", "-", "0.800"]
    assert figures["pairs"] == 6
    pooled, papers = (by_column(figures, level) for level in ("pooled", "paper"))
    assert pooled["FM"]["pearson"] == pytest.approx([0.8, 0.8, 1.0])
    assert papers["FM"]["kendall"] == [1.0, 1.0, 1.0]
    assert figures["items"]["result"]["quadratic kappa"][0] == pytest.approx(0.8)
    assert figures["items"]["method"]["exact"] == [None, None, None]
    # Every summary states the one facet, so its presence agrees with nothing; 0 would be a lie.
    (presence,) = [line.split() for line in below if line.startswith("facet presence")]
    assert presence == ["facet", "presence", "4", "-", "-", "-"]
    assert pooled["facet presence"]["pearson"] == [None, None, None]
    # The torn page has no FM, no pair has an EVA-Score, and the baselines have all.
    assert {name: row["n"] for name, row in pooled.items()} == {
        "FM": 4, "faithfulness": 5, "ROUGE-1": 5, "ROUGE-2": 5, "ROUGE-L": 5,
        "ROUGE-1 recall": 5, "facet presence": 4, "length": 5,
    }  # fmt: skip


def test_labels_without_any_overall_score_still_have_items_to_agree_on(tmp_path: Path) -> None:
    """Sentences alone: one is called wrong and both are labelled so."""
    labels = labels_of(sentences=[{"index": 0, "faithful": False}])
    folder = write_suite(tmp_path / "moss", SAND, GREW, labels)
    file = tmp_path / "figures.json"
    lines = agree(folder, options=Options(judge=READER), json_file=file)
    assert (
        lines[3] == "no label has an overall score or all four facets: no human column to go with"
    )
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert figures["items"]["sentence"]["recall of wrong"] == [0.5, 0.5, 0.5]
    assert figures["items"]["fact"] == {
        "items": 0,
        **dict.fromkeys(figures["items"]["sentence"].keys() - {"items"}, [None] * 3),
    }
    assert by_column(figures)["ROUGE-1"]["pearson"] == [None] * 3


def test_every_option_adds_its_table_and_changes_no_figure(agreed: Agreed, tmp_path: Path) -> None:
    """Worked example; who reads the JSON need not know which options were given.

    Systems' means are .2, .3 by people and 1.5, 3.5 quarters by FM: in order. Two systems are in
    some order always, so p is 1: nothing is claimed of them. Every summary of a rated pair has four
    words, so that their length explains nothing. One facet explains what it can of four labels.
    """
    folder, plain, bare = agreed
    file = tmp_path / "figures.json"
    wanted = Tables(level="all", matrix="pearson", fit_weights=True, given="length")
    lines = agree(folder, options=Options(judge=READER), json_file=file, tables=wanted)
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert figures.pop("given")["length"][0]["partial"][0] == pytest.approx(0.8)
    assert bare == figures | {"given": {}}
    assert set(bare) == {
        "pairs", "levels", "decisions", "items", "roles", "recorded", "systems", "matrices",
        "weights", "given",
    }  # fmt: skip
    at = lines.index("Mean over papers of the agreement within each.")
    assert lines[at + 1].split() == ["papers", "Pearson", "Spearman", "Kendall"]
    assert lines[at + 2].split()[:2] == ["FM", "2"]
    assert lines[at + 2].count("1.000 [1.00,1.00]") == 3
    at = lines.index("Of the systems' means over papers, one point a system.")
    assert lines[at + 2].split()[:3] == ["FM", "2", "1.000"]
    assert any(line.split() == ["FM", "1.0000", "1.0000", "1.0000"] for line in lines[at:])
    assert any("Kendall per paper" in line for line in plain)
    assert not any("Kendall per paper" in line for line in lines)
    at = lines.index("Pearson of every two columns. Over all pairs.")
    assert lines[at + 1].split() == [str(n) for n in range(1, 10)]
    assert lines[at + 2].split()[:4] == ["1", "human", "1.00", ".80"]
    assert lines[at + 3].split()[:4] == ["2", "FM", ".80", "1.00"]
    title = "Partial Pearson correlation with the human overall score, given 'length'"
    row = next(line for line in lines[lines.index(title) :] if line.startswith("FM "))
    assert row.split()[1] == "0.800"
    # Shares 1/4, 2/4, 3/4, 1 against .1, .2, .3, .4: (.15^2 + .3^2 + .45^2 + .6^2) / 4 = .16875
    assert lines[-4:] == [
        "facet weights      background  method  result  conclusion",
        "fitted to 4 pairs       0.000   0.000   1.000       0.000",
        "FM, section 4.2         0.100   0.300   0.300       0.300",
        "mean squared error of the fitted ones: 0.16875",
    ]
    pooled, paper, system = (by_column(bare, n)["FM"] for n in ("pooled", "paper", "system"))
    assert system["p"] == {"pearson": 1.0, "spearman": 1.0, "kendall": 1.0}
    assert (pooled["n"], paper["n"], system["n"]) == (4, 2, 2)
    matrices = bare["matrices"]
    place = matrices["columns"].index("FM")
    assert matrices["columns"][0] == "human"
    assert matrices["pooled"]["pearson"][0][place] == pytest.approx(pooled["pearson"][0])
    assert matrices["system"]["kendall"][place][0] == system["kendall"][0]
    assert bare["systems"]["bold"]["FM"] == pytest.approx((0.75 + 1) / 2)
    assert bare["weights"]["result"] == 1.0
    with pytest.raises(OptionError) as caught:
        agree(folder, options=Options(judge=READER), tables=Tables(given="lenght"))
    assert str(caught.value) == "--given=lenght: there is no such column; did you mean 'length'?"


def test_json_and_page_are_the_same_bytes_whatever_the_hash_seed(
    agreed: Agreed, tmp_path: Path
) -> None:
    """Two runs that differ in a digit cannot be told from a judge that changed.

    Another process orders its sets differently; twenty resamples are enough to move every interval.
    """
    folder, lines, _ = agreed
    program = (
        "import sys; from summeval_pytest.study import tables; tables.RESAMPLES = 20;"
        "from summeval_pytest.cli.app import main; sys.exit(main(sys.argv[1:]))"
    )
    files = {end: tmp_path / f"there{end}" for end in (".json", ".html")}
    command = ("agree", folder, "--judge", READER, "--json", files[".json"])
    env = clean_environment(PYTHONHASHSEED="20241", PYTHONPATH=str(ROOT))
    there = run_command(
        sys.executable, "-c", program, *command, "--html", files[".html"], cwd=tmp_path, env=env
    )
    assert there.stdout.splitlines() == lines
    for end, file in files.items():
        assert file.read_bytes() == folder.with_suffix(end).read_bytes()
    page = files[".html"].read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    for text in (
        READER, "<code>reader-1</code>", "<caption><bdi>FM</bdi></caption>",
        "FM: no number for 2 of 6 pairs, first: the page is torn",
    ):  # fmt: skip
        assert text in page


def test_baselines_are_asked_for_where_they_are_wanted(agreed: Agreed) -> None:
    """The embedded judge rates a summary as a whole, and counts no facts by a prompt."""
    path, plain, _ = agreed
    both: tuple[BaselineName, ...] = ("direct", "one-prompt")
    lines = agree(path, options=Options(judge="offline"), tables=Tables(baseline=both))
    assert [line.split()[:3] for line in correlated(lines) if line.startswith("direct")] == [
        ["direct", "rating", "5"]
    ]
    message = "EVA, one prompt: no number for 6 of 6 pairs, first: the embedded judge follows no"
    assert any(line.startswith(message) for line in lines)
    assert not [line for line in plain if "direct" in line or "one prompt" in line]


def test_two_files_are_compared_and_the_figures_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Worked example: one facet of two the same, a pair that only the first has labelled."""
    monkeypatch.chdir(tmp_path)
    label_suite.write_suite(Path("moss"))
    pair = {"paper": "moss-01", "system": "long"}
    first = [
        {**pair, "facets": {"method": 4, "result": 2}},
        {"paper": "moss-02", "system": "long", "overall": 1},
    ]
    label_suite.write_lines(Path("a.jsonl"), *first)
    label_suite.write_lines(Path("b.jsonl"), {**pair, "facets": {"method": 4, "result": 3}})
    assert main(["agree", "moss", "--compare", "a.jsonl", "b.jsonl", "--json", "f.json"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "a.jsonl: 2 pairs labelled",
        "b.jsonl: 1 pairs labelled, 1 of them by both",
    ]
    figures = json.loads(Path("f.json").read_text(encoding="utf-8"))
    assert set(figures) == {"pairs", "items", "evidence", "overall", "absent_to_one"}
    assert figures["items"]["result"]["quadratic kappa"][0] is None


TAKEN = "--compare prints no other table; leave out"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            ([f"--papers={text}"], f"'{text}' are no numbers of papers from 2 to 9999")
            for text in ("1", "ten", "10,", "10;20", "99999")  # one paper has no interval
        ),
        *(
            (["--compare", "a.jsonl", "b.jsonl", option], f"{TAKEN} {option.partition('=')[0]}\n")
            for option in ("--summary", "--fit-weights", "--level=all", "--html=page.html")
        ),
        (["--html=/"], "--html=/: cannot be written, it is a folder"),
        (["--json=/"], "--json=/: cannot be written, it is a folder"),
        (["--of=labelled"], "--of=labelled goes with --evidence; add it or leave this out"),
    ],
)
def test_options_that_cannot_be_are_refused_before_a_judge_is_asked(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They would be in vain: no judge is asked, and paid, and no other table is printed."""
    assert main(["agree", "no-such-suite", *arguments]) == 4
    assert message in capsys.readouterr().err
