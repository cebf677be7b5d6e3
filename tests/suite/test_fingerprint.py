from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import Place
from summeval_pytest.questions import FacetSegments, Fact
from summeval_pytest.suite.lines import Line
from summeval_pytest.suite.papers import canonical_text, fingerprint_of, read_paper
from summeval_pytest.suite.values import Paper, Section

if TYPE_CHECKING:
    from random import Random

    from tests.suite.conftest import Golden

HERE = Place("papers.jsonl", 1)

texts = st.text(st.characters(codec="utf-8"), max_size=20).map(lambda text: f"z{text}")
ids = st.text("abc-0123456789", min_size=1, max_size=8)
sections = st.builds(Section, heading=st.just("") | texts, text=texts)
segments = st.builds(FacetSegments, background=texts, result=st.just("") | texts)


@st.composite
def fact_lists(draw: st.DrawFn) -> tuple[Fact, ...]:
    """Facts whose parents stand before them."""
    return tuple(
        Fact(
            text=draw(texts),
            sentence=draw(st.integers(0, 9)),
            parent=draw(st.none() | st.integers(0, index - 1)) if index else None,
        )
        for index in range(draw(st.integers(1, 4)))
    )


papers = st.builds(
    Paper,
    id=ids,
    source=st.lists(sections, min_size=1, max_size=3).map(tuple),
    references=st.tuples(texts),
    reference_facets=st.none() | segments,
    reference_facts=st.none() | fact_lists(),
    place=st.just(HERE),
)


def read(text: str) -> Paper:
    """The paper of one line of JSON."""
    return read_paper(Line(values=json.loads(text), place=HERE))


@given(papers)
def test_canonical_text_gives_the_paper_back(paper: Paper) -> None:
    """Nothing that can move a score is lost in it, so nothing can change unseen."""
    assert read(canonical_text(paper)) == paper


@settings(deadline=None)  # making papers is slow on a busy machine
@given(papers, st.randoms(use_true_random=False), texts)
def test_fingerprint_does_not_see_key_order_titles_or_own_keys(
    paper: Paper, random: Random, note: str
) -> None:
    """What cannot move a score does not move the fingerprint."""
    values = list(json.loads(canonical_text(paper)).items())
    values += [("title", note), ("x_note", [note])]
    random.shuffle(values)

    noted = read(json.dumps(dict(values), ensure_ascii=random.random() < 0.5, indent=None))

    assert noted.title == note
    assert canonical_text(noted) == canonical_text(paper)


@given(st.lists(papers, min_size=1, max_size=3, unique_by=lambda paper: paper.id))
def test_fingerprint_does_not_see_the_order_of_papers(several: list[Paper]) -> None:
    """Sorting a file leaves every recorded number comparable."""
    assert fingerprint_of(several) == fingerprint_of(several[::-1])


@given(papers, papers)
def test_different_papers_have_different_canonical_texts(one: Paper, other: Paper) -> None:
    """The text tells apart all that a judge could tell apart."""
    assert (canonical_text(one) == canonical_text(other)) == (one == other)


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "zinc-09"},
        {"source": (Section(text="Zinc was not given."),)},
        {"source": (Section(heading="Methods", text="Zinc was given."),)},
        {"references": ("Zinc helps.", "It does.")},
        {"reference_facets": FacetSegments(result="Zinc helps.")},
        {"reference_facts": (Fact(text="Zinc helps.", sentence=0),)},
    ],
)
def test_fingerprint_moves_with_all_that_can_move_a_score(changes: dict[str, object]) -> None:
    """Scores over other papers are not compared by mistake."""
    paper = Paper(
        id="zinc-01",
        source=(Section(text="Zinc was given."),),
        references=("Zinc helps.",),
        place=HERE,
    )
    other = dataclasses.replace(paper, **changes)  # type: ignore[arg-type]  # one change a case

    assert canonical_text(other) != canonical_text(paper)


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


def test_fingerprint_does_not_see_thresholds_systems_or_line_order(golden: Golden) -> None:
    """A gate can be tightened without losing the comparison with the last run."""
    before = golden.load().fingerprint
    lines = (golden.path / "papers.jsonl").read_text(encoding="utf-8").splitlines()
    golden.write("papers.jsonl", "\n".join(reversed(lines)) + "\n\n")
    golden.write(
        "summeval.toml",
        'papers = "papers.jsonl"\n[systems.a]\nsummaries = "systems/careful.jsonl"\n'
        "[thresholds]\nfacet = 0.9\n",
    )

    assert golden.load().fingerprint == before


@given(papers)
def test_one_text_source_and_one_section_have_one_fingerprint(paper: Paper) -> None:
    """Two spellings of the same paper are the same paper."""
    plain = dataclasses.replace(paper, source=(Section(text=paper.source[0].text),))
    values = json.loads(canonical_text(plain))
    values["source"], values["reference"] = plain.source[0].text, plain.references[0]

    assert fingerprint_of([read(json.dumps(values))]) == fingerprint_of([plain])
