from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import Place
from summeval_pytest.questions import FacetSegments, Fact
from summeval_pytest.suite.entries import FileEntry
from summeval_pytest.suite.suite import canonical_text, load_suite, read_paper
from summeval_pytest.suite.values import NO_SUMMARY, Paper, Section, read_output
from summeval_pytest.text.output import Output
from tests.suite.conftest import Golden


def test_paper_is_read_whole(golden: Golden) -> None:
    """Sections, facets and facts become the questions' own values."""
    golden.lines(
        "papers.jsonl",
        {
            "id": "zinc-01",
            "title": "Zinc",
            "source": [{"heading": "Methods", "text": "We gave zinc."}, {"text": "It helped."}],
            "reference": ["Zinc helps."],
            "reference_facets": {"result": "Zinc helps.", "method": None},
            "reference_facts": [
                "Zinc helps.",
                {"text": "Zinc helps adults.", "sentence": 1, "parent": 0, "x_id": 7},
                {"text": "Zinc is safe.", "parent": None},
            ],
            "x_doi": "10.1000/1",
        },
        {"id": "zinc-02", "source": "None.", "reference": ["One.", "Two."]},
    )
    suite = golden.load()
    paper = suite.paper("zinc-01")
    assert (paper.id, paper.title, paper.references) == ("zinc-01", "Zinc", ("Zinc helps.",))
    assert paper.source == (
        Section(heading="Methods", text="We gave zinc."),
        Section(text="It helped."),
    )
    assert paper.reference_facets == FacetSegments(result="Zinc helps.")
    assert paper.reference_facts == (
        Fact(text="Zinc helps.", sentence=0),
        Fact(text="Zinc helps adults.", sentence=1, parent=0),
        Fact(text="Zinc is safe.", sentence=0),
    )
    assert str(paper.place) == "golden/papers.jsonl:1"
    assert suite.paper("zinc-02").references == ("One.", "Two.")
    assert suite.paper("zinc-02").reference_facts is None


def test_mistakes_in_papers_have_a_remedy(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """Both lines of a paper that stands twice are named; an empty suite would pass everything."""
    paper: dict[str, object] = {"id": "zinc-01", "source": "Zinc was given.", "reference": "Z."}
    wrong: dict[str, list[object]] = {
        "id": [7, ""],
        "source": [
            1.5, [], " \n\t", "\u200b", ["a"], [{"text": "a"}, {"heading": "B", "text": ""}],
            [{"header": "B", "text": "a"}],
        ],
        "reference": [[], [""], [None]],
        "refrence": ["Zinc."], "": ["Zinc."],
        "title": [["a"]],
        "reference_facets": ["Zinc.", {"results": "Zinc."}, {"result": ""}, {"result": None}],
        "reference_facts": [
            {}, [3], [{"text": "a", "sentence": -1}], [{"text": "a", "parent": 0}],
            ["a", "b", {"text": "c", "parent": 2}],
        ],
    }  # fmt: skip
    lines: list[object] = [
        *({k: v for k, v in paper.items() if k != key} for key in paper),
        *({**paper, key: value} for key, values in wrong.items() for value in values),
        {**paper, "reference": ["a", "b"], "reference_facts": ["c"]},
        [paper, paper],
    ]
    assert golden.mistakes("papers.jsonl", [*lines, "\n"]) == snapshot


def test_mistakes_in_summaries_have_a_remedy(golden: Golden, snapshot: SnapshotAssertion) -> None:
    """A missing summary is never a pass; which of two the system wrote cannot be guessed."""
    line: dict[str, object] = {"paper": "zinc-01", "summary": "a"}
    wrong: list[tuple[str, object]] = [
        ("summary", " "), ("summary", ["a"]), ("paper", "zinc-1"), ("paper", "iron"),
        ("sumary", "b"), ("provenance", ""), ("provenance", None), ("paper", "zinc-02"),
    ]  # fmt: skip
    lines = [{"paper": "zinc-01"}, {"summary": "a"}, *({**line, k: v} for k, v in wrong)]
    noted = {**line, "x_seed": 1}
    assert golden.mistakes("systems/terse.jsonl", [*lines, [noted, noted]]) == snapshot
    assert golden.mistakes("systems/careful.jsonl", [line]) == snapshot(name="missing")
    papers = [{"id": f"zinc-{n:02}", "source": "a", "reference": "b"} for n in range(1, 6)]
    golden.lines("papers.jsonl", *papers)
    assert golden.mistakes("systems/careful.jsonl", [line]) == snapshot(name="missing several")


def test_recorded_outputs_lose_their_thoughts_and_say_so(golden: Golden) -> None:
    """They were judged as the summary; an output of thoughts alone is the system's fault."""
    parts = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Zinc helps."}]
    outputs = [parts, "Hm.\n</think>\nZinc helps.", "Zinc helps.", "<think>Hm.", parts[:1]]
    papers = [{"id": f"p{n}", "source": "a", "reference": "b"} for n in range(len(outputs))]
    golden.lines("papers.jsonl", *papers)
    golden.lines(
        "s.jsonl", *({"paper": f"p{n}", "summary": output} for n, output in enumerate(outputs))
    )
    golden.write("summeval.toml", 'papers = "papers.jsonl"\n[systems.a]\nsummaries = "s.jsonl"\n')
    suite = load_suite(golden.path)
    pairs = [suite.pair(paper, "a") for paper in suite.paper_ids]
    assert [pair.summary for pair in pairs] == ["Zinc helps."] * 3 + [""] * 2
    assert [pair.flaw for pair in pairs] == [None] * 3 + [NO_SUMMARY] * 2
    note = "the model's thoughts were left out of its summary"
    assert [pair.note for pair in pairs] == [note, note, "", note, note]


def test_a_summary_that_is_its_whole_paper_is_noted(golden: Golden) -> None:
    """A wrong column of a table passes every check of faithfulness."""
    source = [{"text": "Zinc helps."}, {"text": "So does rest."}]
    golden.lines("papers.jsonl", {"id": "p", "source": source, "reference": "Zinc helps."})
    for summary, note in (
        ("Zinc helps.  So does\nrest.", "the summary is the whole paper, word for word"),
        ("Zinc helps.", ""),
    ):
        golden.lines("s.jsonl", {"paper": "p", "summary": summary})
        toml = 'papers = "papers.jsonl"\n[systems.a]\nsummaries = "s.jsonl"\n'
        golden.write("summeval.toml", toml)
        assert load_suite(golden.path).pair("p", "a").note == note


def test_parts_of_content_are_read_without_those_that_are_thoughts() -> None:
    """As Mistral, Anthropic and OpenAI send them; a picture is no text."""
    text = {"type": "text", "text": "Ponds warmed."}
    thoughts: list[object] = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "a"}]},
        {"type": "reasoning", "text": "b"},
        {"type": "redacted_thinking", "data": "c"},
    ]
    for part in thoughts:
        assert read_output([part, text]) == Output("Ponds warmed.", had_thoughts=True)
    assert read_output([text, text]) == Output("Ponds warmed.Ponds warmed.")
    assert read_output(thoughts) == Output("", had_thoughts=True)
    wrong: list[object] = [None, 7, {}, ["a"], [{"type": "image"}], [{"type": "text", "text": 1}]]
    assert list(map(read_output, wrong)) == [None] * len(wrong)


HERE = Place("papers.jsonl", 1)


def read(text: str) -> Paper:
    """The paper of one line of JSON."""
    return read_paper(FileEntry.at(HERE, json.loads(text), "this paper"))


def test_canonical_text_gives_the_paper_back() -> None:
    """Nothing that can move a score is lost in it, so different papers have different texts.

    What cannot move a score does not move the fingerprint: titles, own keys, order, escapes.
    """
    facts = (Fact(text="\u03b2 fell.", sentence=0), Fact(text="It fell.", sentence=2, parent=0))
    plain = Paper(
        id="zinc-03",
        source=(Section(heading="Aim", text='"\u03b2"\n'), Section(heading="", text="\u2028a")),
        references=("One.", "\U0001f600"),
        reference_facets=None,
        reference_facts=None,
        place=HERE,
    )
    segments = FacetSegments(background="One.", result="")
    reviewed = replace(
        plain, references=("One.",), reference_facets=segments, reference_facts=facts
    )
    for paper in (plain, reviewed):
        text = canonical_text(paper)
        assert read(text) == paper
        values = {"title": "\u03b2", "x_note": [1]} | json.loads(text)
        for escaped in (True, False):
            noted = read(json.dumps(dict(reversed(values.items())), ensure_ascii=escaped, indent=1))
            assert noted.title == "\u03b2"
            assert canonical_text(noted) == text


def test_fingerprint_is_the_hash_that_the_docstring_states(golden: Golden) -> None:
    """Worked example: SHA-256 over the SHA-256 of each canonical text, in order of id."""
    suite = golden.load()
    canonical = [
        '{"id":"zinc-01","reference":["Zinc helps."],"source":[{"text":"Zinc was given."}]}',
        '{"id":"zinc-02","reference":["Nothing helps."],"source":[{"text":"None was given."}]}',
    ]
    assert [canonical_text(suite.paper(paper)) for paper in suite.paper_ids] == canonical
    digests = b"".join(hashlib.sha256(text.encode()).digest() for text in canonical)
    assert suite.fingerprint == hashlib.sha256(digests).hexdigest()[:12]
