"""The labelled sets beside the checkout: which key of theirs is what in a suite.

The keys are those of the JSON lines into which this project's development data was converted; the
README beside each set says from which repository, under which licence, and who labelled it. A row
is one sentence (``faithful``), one summary with facts (``facts``, ``holds``), one summary with a
score (``overall``), or one abstract with ``roles``. Where the rows of a file are smaller than a
summary, `abstracts` or `matches` makes rows that have a summary each.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from summeval_pytest.questions import FACETS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Reshape = Callable[[Iterable["Row"]], Iterator["Row"]]

Row: TypeAlias = dict[str, Any]
AUTHORS: Final = "authors"
"""The system of abstracts that have no other summary: whoever wrote them."""
_ROLES: Final[Mapping[str | None, list[str]]] = {
    **{facet[0].upper(): [facet] for facet in FACETS},
    None: [],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """How a data set maps onto a suite: keys, which are empty where the set has no such thing."""

    message: str  # what the labels are, and by whom, as the suite file says it
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


def abstracts_without_conclusions(rows: Iterable[Row]) -> Iterator[Row]:
    """The same of a set that labels conclusions as results: either is right for such a sentence."""
    return abstracts(rows, {**_ROLES, "R": ["result", "conclusion"]})


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


def _sentences(message: str, *, reference: str = "", evidence: str = "") -> LabelledSet:
    return LabelledSet(
        message=message,
        source="source",
        reference=reference,
        part="summary_id",
        sentence="sentence",
        faithful="label",
        evidence=evidence,
    )


def _facts(message: str, *, counted: bool = True) -> LabelledSet:
    return LabelledSet(
        message=f"{message}; overall is the share of them that is there" if counted else message,
        reference="reference",
        summary="summary",
        facts="acus",
        holds="acu_labels",
        counted=counted,
    )


def _roles(message: str, reshape: Reshape = abstracts) -> LabelledSet:
    return LabelledSet(
        message=message, reference="abstract", summary="abstract", roles="roles", reshape=reshape
    )


def _scores(message: str, overall: str, source: str = "source") -> LabelledSet:
    return LabelledSet(
        message=message, source=source, reference="reference", summary="summary", overall=overall
    )


SETS: Final[Mapping[str, LabelledSet]] = {
    "csabstruct": _roles(
        "sentence roles by crowd workers, conclusions among the results (CSAbstruct)",
        abstracts_without_conclusions,
    ),
    "healthver": _sentences("claims about health, supported by a passage or not (HealthVer)"),
    "infolossqa": _sentences("answers about an abstract, by two raters (InfoLossQA)"),
    "infolossqa_facts": _facts("gold facts, recalled or not, by two raters (InfoLossQA)"),
    "infolossqa_lost": _facts(
        "facts that a plain-language version lost (InfoLossQA)", counted=False
    ),
    "infolossqa_match": LabelledSet(
        message="facts of a reference held against one other, by two raters (InfoLossQA)",
        reference="reference",
        summary="summary",
        part="part",
        facts="facts",
        holds="labels",
        frozen="reference_facts",
        reshape=matches,
    ),
    "infolossqa_roles": _roles("sentence roles by the authors' headings (InfoLossQA)"),
    "longeval_pubmed": _scores(
        "overall is the share of faithful units, mean of three annotators (LongEval, PubMed)",
        "human_faithfulness",
    ),
    "longsciverify": _scores(
        "overall is the share of faithful votes on three sentences (LongSciVerify)",
        "human_faithfulness",
    ),
    "mslr": _scores(
        "overall is the mean rating of population, intervention and outcome over 2 (MSLR)",
        "human_overall",
        source="",
    ),
    "nicta_piboso": _roles(
        "sentence roles by annotators, conclusions among the results (NICTA-PIBOSO)",
        abstracts_without_conclusions,
    ),
    "nli4ct": _sentences(
        "statements about clinical trials by experts (NLI4CT)", evidence="evidence"
    ),
    "pubmedqa_roles": _roles("sentence roles by the authors' headings (PubMedQA)"),
    "pyrxsum_scu": _facts("content units, present by majority of workers (PyrXSum)"),
    "qags": _sentences("sentences, supported by majority of three workers (QAGS)"),
    "realsumm_scu": _facts("content units, present by majority of workers (REALSumm)"),
    "rose_acu": LabelledSet(
        message="overall is the share of content units present, by workers (RoSE)",
        reference="reference",
        system=("system", "subset"),
        summary="summary",
        facts="acus",
        overall="acu_recall",
    ),
    "storysumm": _sentences("sentences, consistent with the story by merged labels (StorySumm)"),
    "summedits_scitldr": _sentences(
        "edited summaries, consistent or not by annotators (SummEdits, SciTLDR)",
        reference="seed_summary",
    ),
    "wice": _sentences("claims of Wikipedia, by crowd workers (WiCE)", evidence="evidence"),
    "zeroshot_faceval": _sentences("sentences, consistent by both of two experts (Ramprasad)"),
}
"""The sets that map onto a suite, by name; mslr's pairwise part has no place in one."""
