"""Released data sets with human labels: which key of theirs is what in a suite.

The keys are those of the JSON lines into which this project's development data was converted; the
README beside each set says from which repository, under which licence, and who labelled it. A row
is one sentence (``faithful``), one summary with facts (``facts``, ``holds``), one summary with a
score (``overall``), or one abstract with ``roles``.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.suite.importing.reshaping import (
    OF_MATCHES,
    OF_SENTENCES,
    abstracts,
    abstracts_without_conclusions,
    matches,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from summeval_pytest.suite.fields import Fields

    Reshape = Callable[[Iterable[Fields]], Iterator[Fields]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedSet:
    """How a data set maps onto a suite; a key is empty where the set has no such thing.

    Attributes:
        told: What the labels are, and by whom, as the suite file says it.
        paper: The key of the paper's id; papers of one id with other texts are numbered.
        source: The key of the paper's text.
        reference: The key of the reference abstract.
        system: The keys of the system's name, joined by ``-``.
        summary: The key of the summary; empty where it is made of its sentences.
        part: The key that tells several summaries of one system apart; they are numbered.
        sentence: The key of one sentence of the summary.
        faithful: The key of its label: true, false, or null where nobody knows.
        evidence: The key of the source sentences that decide it, as texts.
        facts: The key of the reference's facts.
        holds: The key of their labels, 1 where the summary has the fact.
        overall: The key of a score of the whole summary.
        frozen: The key of the reference's facts where these are more than the labelled ones.
        roles: The key of the roles of the summary's sentences.
        reshape: What makes rows of the file's, where those are smaller than a summary.
        needs: The keys of the file's rows, then.
        counted: Whether the share of the facts that a summary has is its score.
    """

    told: str
    paper: str = "paper_id"
    source: str = ""
    reference: str = ""
    system: tuple[str, ...] = ("system",)
    summary: str = ""
    part: str = ""
    sentence: str = ""
    faithful: str = ""
    evidence: str = ""
    facts: str = ""
    holds: str = ""
    overall: str = ""
    frozen: str = ""
    roles: str = ""
    reshape: Reshape | None = None
    needs: tuple[str, ...] = ()
    counted: bool = False


def _sentences(told: str, *, reference: str = "", evidence: str = "") -> ReleasedSet:
    return ReleasedSet(
        told=told,
        source="source",
        reference=reference,
        part="summary_id",
        sentence="sentence",
        faithful="label",
        evidence=evidence,
    )


def _facts(told: str, *, counted: bool = True) -> ReleasedSet:
    return ReleasedSet(
        told=f"{told}; overall is the share of them that is there" if counted else told,
        reference="reference",
        summary="summary",
        facts="acus",
        holds="acu_labels",
        counted=counted,
    )


def _roles(told: str, reshape: Reshape = abstracts) -> ReleasedSet:
    return ReleasedSet(
        told=told,
        reference="abstract",
        summary="abstract",
        roles="roles",
        reshape=reshape,
        needs=OF_SENTENCES,
    )


def _scores(told: str, overall: str, source: str = "source") -> ReleasedSet:
    return ReleasedSet(
        told=told, source=source, reference="reference", summary="summary", overall=overall
    )


RELEASED: Final[Mapping[str, ReleasedSet]] = MappingProxyType(
    {
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
        "infolossqa_match": ReleasedSet(
            told="facts of a reference held against one other, by two raters (InfoLossQA)",
            reference="reference",
            summary="summary",
            part="part",
            facts="facts",
            holds="labels",
            frozen="reference_facts",
            reshape=matches,
            needs=OF_MATCHES,
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
        "rose_acu": ReleasedSet(
            told="overall is the share of content units present, by workers (RoSE)",
            reference="reference",
            system=("system", "subset"),
            summary="summary",
            facts="acus",
            overall="acu_recall",
        ),
        "storysumm": _sentences(
            "sentences, consistent with the story by merged labels (StorySumm)"
        ),
        "summedits_scitldr": _sentences(
            "edited summaries, consistent or not by annotators (SummEdits, SciTLDR)",
            reference="seed_summary",
        ),
        "wice": _sentences("claims of Wikipedia, by crowd workers (WiCE)", evidence="evidence"),
        "zeroshot_faceval": _sentences("sentences, consistent by both of two experts (Ramprasad)"),
    }
)
"""The sets that map onto a suite, by name; mslr's pairwise part has no place in one."""
