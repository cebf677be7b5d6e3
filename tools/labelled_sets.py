"""Makes a suite of one of the labelled sets that lie beside the checkout.

    python -m tools.labelled_sets realsumm_scu DATA/realsumm_scu/dev.jsonl --out /tmp/realsumm

`SETS` says which key of a set is what in a suite. The keys are those of the JSON lines into which
this project's development data was converted; the README beside each set says from which
repository, under which licence, and who labelled it. A row is one sentence (``faithful``), one
summary with facts (``facts``, ``holds``), one summary with a score (``overall``), or one abstract
with ``roles``. Where the rows of a file are smaller than a summary, `abstracts` or `matches` makes
rows that have a summary each.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from summeval_pytest.desk.new_suite import check_new, suite_files, write_new
from summeval_pytest.questions import FACETS
from summeval_pytest.study.label_tables import stands_in
from summeval_pytest.suite.labels import cut, evidence_label
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts, split_sentences
from summeval_pytest.text.words import tokens

Reshape = Callable[[Iterable["Row"]], Iterator["Row"]]


Row: TypeAlias = dict[str, Any]
AUTHORS: Final = "authors"
"""The system of abstracts that have no other summary: whoever wrote them."""
_ROLES: Final[Mapping[str | None, list[str]]] = {
    **{facet[0].upper(): [facet] for facet in FACETS},
    None: [],
}


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """How a data set maps onto a suite: keys, which are empty where the set has no such thing."""

    message: str  # what the labels are, and by whom, as the suite file says it
    _: KW_ONLY
    source: str = ""
    reference: str = ""
    system: tuple[str, ...] = ("system",)  # several are joined by "-"
    summary: str = ""  # empty where it is made of its sentences
    part: str = ""  # tells several summaries of one system apart; they are numbered
    sentence: str = ""  # one sentence of the summary
    faithful: str = ""  # its label: true, false, or null where nobody knows
    evidence: str = ""  # the source sentences that decide it, as texts
    facts: str = ""  # of the reference
    holds: str = ""  # their labels, 1 where the summary has the fact
    overall: str = ""  # a score of the whole summary
    frozen: str = ""  # the reference's facts where these are more than the labelled ones
    roles: str = ""  # of the summary's sentences: a text and its facets
    reshape: Reshape | None = None  # makes rows of the file's that are smaller than a summary
    counted: bool = False  # whether the share of the facts that a summary has is its score

    @property
    def words(self) -> str:
        """What the labels are, with what a counted score is."""
        return f"{self.message}{'; overall is the share of them that is there' * self.counted}"


def abstracts(
    rows: Iterable[Row], meaning: Mapping[str | None, list[str]] = _ROLES
) -> Iterator[Row]:
    """A row an abstract: its sentences as a running text, and the facets of each."""
    by_paper: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_paper[str(row["doc_id"])].append(row)
    for paper, own in by_paper.items():
        in_order = sorted(own, key=lambda row: int(row["sentence_index"]))
        roles = [(" ".join(row["sentence"].split()), meaning[row["bmrc"]]) for row in in_order]
        # So a sentence that the release has cut short is not run together with the one behind it.
        parted = (text + (" " if text[-1] in ".?!" else "\n\n") for text, _ in roles)
        abstract = "".join(parted).rstrip()
        yield {"paper_id": paper, "system": AUTHORS, "abstract": abstract, "roles": roles}


_without_conclusions = partial(abstracts, meaning={**_ROLES, "R": ["result", "conclusion"]})
"""The same of a set that labels conclusions as results: either is right for such a sentence."""


def matches(rows: Iterable[Row]) -> Iterator[Row]:
    """A row a predicted fact, which is the summary: the reference's facts that it is compared with.

    The reference are all facts of the paper that stand in the file, as its answers to questions;
    a pair on which the raters are of two minds (null) is left out.
    """
    gathered: defaultdict[tuple[str, str, str], list[Row]] = defaultdict(list)
    stated: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        gathered[row["paper_id"], row["system"], row["prediction_id"]].append(row)
    for (paper, *_), own in gathered.items():
        stated[paper] |= {_answer(row, "reference_fact"): None for row in own}
    for (paper, system, part), own in gathered.items():
        labelled = [row for row in own if row["label"] is not None]
        if labelled:
            yield {
                "paper_id": paper,
                "system": system,
                "part": part,
                "reference": "\n\n".join(stated[paper]),
                "reference_facts": list(stated[paper]),
                "summary": _answer(own[0], "predicted_fact"),
                "facts": [_answer(row, "reference_fact") for row in labelled],
                "labels": [row["label"] for row in labelled],
            }


def _answer(row: Row, key: str) -> str:
    return " ".join(row[key]["answer"].split())


_of_sentences = partial(
    LabelledSet, source="source", part="summary_id", sentence="sentence", faithful="label"
)
_of_facts = partial(
    LabelledSet, reference="reference", summary="summary", facts="acus", holds="acu_labels"
)
_of_roles = partial(
    LabelledSet, reference="abstract", summary="abstract", roles="roles", reshape=abstracts
)
_scored = partial(LabelledSet, source="source", reference="reference", summary="summary")
_counted = partial(_of_facts, counted=True)
SETS: Final[Mapping[str, LabelledSet]] = {
    "csabstruct": _of_roles(
        "sentence roles by crowd workers, conclusions among the results (CSAbstruct)",
        reshape=_without_conclusions,
    ),
    "healthver": _of_sentences("claims about health, supported by a passage or not (HealthVer)"),
    "infolossqa": _of_sentences("answers about an abstract, by two raters (InfoLossQA)"),
    "infolossqa_facts": _counted("gold facts, recalled or not, by two raters (InfoLossQA)"),
    "infolossqa_lost": _of_facts("facts that a plain-language version lost (InfoLossQA)"),
    "infolossqa_match": LabelledSet(
        "facts of a reference held against one other, by two raters (InfoLossQA)",
        reference="reference",
        summary="summary",
        part="part",
        facts="facts",
        holds="labels",
        frozen="reference_facts",
        reshape=matches,
    ),
    "infolossqa_roles": _of_roles("sentence roles by the authors' headings (InfoLossQA)"),
    "longeval_pubmed": _scored(
        "overall is the share of faithful units, mean of three annotators (LongEval, PubMed)",
        overall="human_faithfulness",
    ),
    "longsciverify": _scored(
        "overall is the share of faithful votes on three sentences (LongSciVerify)",
        overall="human_faithfulness",
    ),
    "mslr": _scored(
        "overall is the mean rating of population, intervention and outcome over 2 (MSLR)",
        overall="human_overall",
        source="",
    ),
    "nicta_piboso": _of_roles(
        "sentence roles by annotators, conclusions among the results (NICTA-PIBOSO)",
        reshape=_without_conclusions,
    ),
    "nli4ct": _of_sentences(
        "statements about clinical trials by experts (NLI4CT)", evidence="evidence"
    ),
    "pubmedqa_roles": _of_roles("sentence roles by the authors' headings (PubMedQA)"),
    "pyrxsum_scu": _counted("content units, present by majority of workers (PyrXSum)"),
    "qags": _of_sentences("sentences, supported by majority of three workers (QAGS)"),
    "realsumm_scu": _counted("content units, present by majority of workers (REALSumm)"),
    "rose_acu": LabelledSet(
        "overall is the share of content units present, by workers (RoSE)",
        reference="reference",
        system=("system", "subset"),
        summary="summary",
        facts="acus",
        overall="acu_recall",
    ),
    "storysumm": _of_sentences("sentences, consistent with the story by merged labels (StorySumm)"),
    "summedits_scitldr": _of_sentences(
        "edited summaries, consistent or not by annotators (SummEdits, SciTLDR)",
        reference="seed_summary",
    ),
    "wice": _of_sentences("claims of Wikipedia, by crowd workers (WiCE)", evidence="evidence"),
    "zeroshot_faceval": _of_sentences("sentences, consistent by both of two experts (Ramprasad)"),
}
"""The sets that map onto a suite, by name; mslr's pairwise part has no place in one."""


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
            about = {"labelled_by": spec.words, "provenance": provenance}
            labels.append({"paper": paper_id, "system": system, **label, **about})
    about_suite = [f"Imported from {provenance}: {spec.words}."]
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


def main() -> None:
    """Makes the suite, and says what it holds."""
    parser = argparse.ArgumentParser(prog="python -m tools.labelled_sets")
    parser.add_argument("name", choices=SETS)
    parser.add_argument("file", type=Path, help="a file of the set, as JSON lines")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the new suite")
    chosen = parser.parse_args()
    report = import_set(chosen.name, chosen.file, chosen.out)
    n_papers, n_systems, n_pairs = report["papers"], len(report["systems"]), report["pairs"]
    labelled = f"{report['labels']} pairs have human labels: {SETS[chosen.name].words}"
    counts = f"{n_papers} papers, {n_systems} systems, {n_pairs} pairs"
    lines = (f"{chosen.out}: {counts}", labelled, *report["notes"])
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
