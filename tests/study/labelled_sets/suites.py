"""A suite made of a labelled set: its papers, systems and labels, by the set's key table."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from summeval_pytest.study.label_tables import stands_in
from summeval_pytest.suite.marking import cut, evidence_label
from summeval_pytest.suite.places import check_new, suite_files, write_new
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import sentence_texts, split_sentences
from summeval_pytest.text.words import tokens
from tests.study.labelled_sets.sets import SETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.study.labelled_sets.sets import LabelledSet, Row

_UNFIT_SYSTEM = re.compile(r"[^A-Za-z0-9._-]+")
_UNFIT_PAPER = re.compile(r"[\s\[\]|]+")
_GATES: Final = {
    "": "facet = 0.55\nfaithfulness = 0.80",
    "source": "eva = 0.30",
    "reference": "faithfulness = 0.80",
}
"""What still means something where the source, or the reference, is stood in for."""


def import_set(name: str, file: Path, out: Path) -> Row:
    """Makes a suite in the folder ``out`` from one file of a set, and counts what it holds.

    The same file gives the same bytes. Where the set has no reference, or no source, the other
    stands there, and the suite gates only what does not need it. The ``notes`` say what was left
    out.
    """
    check_new(out)
    spec, provenance = SETS[name], f"{name}, {file.name}"
    missing = "" if spec.source and spec.reference else "reference" if spec.source else "source"
    notes = Counter[str]()
    papers: dict[tuple[str, str, str], Row] = {}
    pairs: dict[tuple[str, str], list[Row]] = {}
    parts: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    rows = map(json.loads, filter(str.strip, file.read_text(encoding="utf-8").splitlines()))
    for row in rows if spec.reshape is None else spec.reshape(rows):
        paper = _paper(row, spec, papers, notes)
        paper |= {"provenance": provenance, **({"x_stood_in_for": missing} if missing else {})}
        raw = "-".join(str(row[key]) for key in spec.system)
        system = _UNFIT_SYSTEM.sub("-", raw).strip("-.") or "system"
        if spec.part:  # several summaries of one paper are numbered
            known = parts[paper["id"], system]
            number = known.setdefault(str(row[spec.part]), len(known))
            system += f"-{number + 1:02}" if number else ""
        pairs.setdefault((paper["id"], system), []).append(row)
    summaries: dict[str, list[Row]] = {}
    labels = []
    sources = {paper["id"]: paper["source"] for paper in papers.values()}
    for (paper_id, system), own in pairs.items():
        summary = own[0][spec.summary] if spec.summary else "\n\n".join(_sentences(own, spec))
        summaries.setdefault(system, []).append({"paper": paper_id, "summary": summary})
        if label := _label(spec, own, summary, sources[paper_id], notes):
            about = {"labelled_by": spec.message, "provenance": provenance}
            labels.append({"paper": paper_id, "system": system, **label, **about})
    about_suite = [f"Imported from {provenance}: {spec.message}."]
    if missing:
        other = "source" if missing == "reference" else "reference"
        lacks = f"{name} has no {missing} of its papers"
        about_suite.append(f"{lacks}: the {other} stands in for it.")
    files = {"papers": list(papers.values()), "labels": labels}
    thresholds = ("[thresholds]", _GATES[missing])
    write_new(out, suite_files(about_suite, files, summaries, thresholds=thresholds))
    return {
        "papers": len(papers),
        "systems": list(summaries),
        "pairs": len(pairs),
        "labels": len(labels),
        "notes": [f"{note}: {count}" for note, count in notes.items()],
    }


def _paper(
    row: Row, spec: LabelledSet, papers: dict[tuple[str, str, str], Row], notes: Counter[str]
) -> Row:
    """The row's paper; other texts under the same id are another paper."""
    texts = [str(row[key]) for key in (spec.source, spec.reference) if key]
    raw = _UNFIT_PAPER.sub("-", str(row["paper_id"]))
    key = (raw, texts[0], texts[-1])
    if key not in papers:
        n_before = sum(raw == other for other, *_ in papers)
        if n_before:
            notes["papers numbered, since their id has other texts, too"] += 1
        name = f"{raw}-{n_before + 1}" if n_before else raw
        papers[key] = {"id": name, "source": texts[0], "reference": texts[-1]}
        frozen = row[spec.frozen or spec.facts] if spec.frozen or spec.facts else []
        if facts := [fact.strip() for fact in dict.fromkeys(frozen) if fact.strip()]:
            papers[key]["reference_facts"] = facts
    return papers[key]


def _sentences(rows: Sequence[Row], spec: LabelledSet) -> list[str]:
    """The sentences of a summary; each is a paragraph, so that none is lost in another."""
    return [" ".join(row[spec.sentence].split()) for row in rows]


def _label(
    spec: LabelledSet, rows: Sequence[Row], summary: str, source: str, notes: Counter[str]
) -> Row:
    """The label of a pair; what is left out is counted."""
    row, facts = rows[0], dict[str, set[bool]]()
    label: Row = {}
    for text, holds in zip(row[spec.facts], row[spec.holds], strict=True) if spec.holds else ():
        facts.setdefault(text.strip(), set()).add(bool(holds))
    if spec.counted:
        label["overall"] = round(sum(map(bool, row[spec.holds])) / len(row[spec.holds]), 4)
    if spec.overall and row[spec.overall] is not None:
        label["overall"] = row[spec.overall]
    if spec.sentence and (sentences := list(_judged(spec, rows, summary, source, notes))):
        label["sentences"] = sorted(sentences, key=lambda each: int(each["index"]))
    kept = {text: said.pop() for text, said in facts.items() if len(said) == 1}
    if len(kept) < len(facts):
        notes["facts left out, labelled twice and differently"] += len(facts) - len(kept)
    if kept:
        label["facts"] = {"reference": [{"text": t, "covered": h} for t, h in kept.items()]}
    if spec.roles and (roles := list(_roles(row[spec.roles], summary, notes))):
        label["roles"] = roles
    return label


def _judged(
    spec: LabelledSet, rows: Sequence[Row], summary: str, source: str, notes: Counter[str]
) -> Iterator[Row]:
    """A label a sentence as our rules cut them; an unfaithful one has to be whole."""
    sentences = _sentences(rows, spec)
    cuts, source_sentences = _cuts(summary, sentences), cut(source)
    for number, row in enumerate(rows):
        indices = [index for index, of in enumerate(cuts) if of == number]
        if row[spec.faithful] is None:
            notes["sentences without a label"] += 1
        elif not indices:
            notes["sentences left out, of which nothing is visible"] += 1
        elif not row[spec.faithful] and len(indices) > 1:
            notes["unfaithful sentences left out, as nobody says which part of them is wrong"] += 1
        else:
            texts = row.get(spec.evidence) or [] if len(indices) == 1 else []
            evidence = _evidence(texts, source_sentences, notes)
            for index in indices:
                label = {"index": index, "faithful": row[spec.faithful]}
                yield label | ({"evidence": evidence} if evidence else {})


def _evidence(texts: Sequence[str], source: tuple[str, ...], notes: Counter[str]) -> list[Row]:
    indices: dict[int, None] = {}
    for text in texts:
        places = stands_in(text, source)
        indices.update(dict.fromkeys(places))
        if not places:
            notes["evidence texts left out, which stand nowhere in the source"] += 1
    labels = (evidence_label(source, index) for index in indices)
    return [{"index": each.index, "starts": each.starts} for each in labels]


def _cuts(summary: str, sentences: Sequence[str]) -> list[int]:
    """For each sentence that our rules cut of the summary, the number of the set's sentence."""
    text = normalise(summary)
    visible = [number for number, each in enumerate(sentences) if normalise(each)]
    breaks = [match.start() for match in re.finditer(r"(?=\n\n)", text)] + [len(text)]
    if len(breaks) != len(visible):
        return []  # a text that normalises into other paragraphs than it was made of
    return [
        visible[sum(sentence.start >= at for at in breaks)] for sentence in split_sentences(text)
    ]


def _roles(roles: Sequence[Any], summary: str, notes: Counter[str]) -> Iterator[Row]:
    """A role a sentence; of two that are word for word the same, the first."""
    cuts, seen = set(sentence_texts(normalise(summary))), set[str]()
    for text, facets in roles:
        plain = normalise(text)
        if plain in seen or not tokens(plain):
            notes["sentences left out, empty or there twice"] += 1
            continue
        seen.add(plain)
        notes["sentences with a facet"] += bool(facets)
        is_cut = bool(facets) and plain not in cuts
        notes["of these, sentences that our rules cut otherwise"] += is_cut
        yield {"text": text, "facet": facets if len(facets) > 1 else (*facets, None)[0]}
