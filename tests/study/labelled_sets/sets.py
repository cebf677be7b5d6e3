"""The labelled sets beside the checkout: which key of theirs is what in a suite.

The keys are those of the JSON lines into which this project's development data was converted; the
README beside each set says from which repository, under which licence, and who labelled it. A row
is one sentence (``faithful``), one summary with facts (``facts``, ``holds``), one summary with a
score (``overall``), or one abstract with ``roles``. Where the rows of a file are smaller than a
summary, `abstracts` or `matches` makes rows that have a summary each, at the place of the first row
that they are made of.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from summeval_pytest.questions import FACETS
from summeval_pytest.suite.entries import FileEntry, Index, Text
from summeval_pytest.suite.labels import RoleLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.questions import Facet

    Reshape = Callable[[Iterable[FileEntry]], Iterator[FileEntry]]

AUTHORS: Final = "authors"
"""The system of abstracts that have no other summary: whoever wrote them."""
_ROLES: Final[dict[object, tuple[Facet, ...]]] = {
    **{facet[0].upper(): (facet,) for facet in FACETS},
    None: (),
}
_ENDS: Final = ".?!"
_SENTENCE, _FACET = "sentence", "bmrc"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """How a data set maps onto a suite: keys, which are empty where the set has no such thing."""

    message: str  # what the labels are, and by whom, as the suite file says it
    paper: str = "paper_id"  # papers of one id with other texts are numbered
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
    roles: str = ""  # of the summary's sentences
    reshape: Reshape | None = None  # makes rows of the file's that are smaller than a summary
    counted: bool = False  # whether the share of the facts that a summary has is its score


def abstracts(
    rows: Iterable[FileEntry], meaning: Mapping[object, tuple[Facet, ...]] = _ROLES
) -> Iterator[FileEntry]:
    """A row an abstract: its sentences as a running text, and the facets of each.

    Raises:
        SuiteError: For a sentence that is no text, a place that is no number, and another role.
    """
    for (paper,), own in _gathered(rows, ("doc_id",)):
        in_order = sorted(own, key=lambda fields: int(fields.value("sentence_index", Index)))
        roles = [_role(fields, meaning) for fields in in_order]
        abstract = "".join(map(_with_space, roles)).rstrip()
        yield _row(own, paper_id=paper, system=AUTHORS, abstract=abstract, roles=roles)


def abstracts_without_conclusions(rows: Iterable[FileEntry]) -> Iterator[FileEntry]:
    """The same of a set that labels conclusions as results: either is right for such a sentence."""
    return abstracts(rows, {**_ROLES, "R": ("result", "conclusion")})


def _with_space(role: RoleLabel) -> str:
    """A sentence and what parts it from the next: an empty line where it ends without a mark.

    So a sentence that the release has cut short is not run together with the one behind it.
    """
    return role.text + (" " if role.text[-1] in _ENDS else "\n\n")


def _role(fields: FileEntry, meaning: Mapping[object, tuple[Facet, ...]]) -> RoleLabel:
    expected = "B, M, R, C or null"
    role = fields.values.get(_FACET, "")
    if role is not None and (not isinstance(role, str) or role not in meaning):
        raise fields.wrong(_FACET, role, expected)
    return RoleLabel(
        text=" ".join(str(fields.value(_SENTENCE, Text)).split()), facets=meaning[role]
    )


def matches(rows: Iterable[FileEntry]) -> Iterator[FileEntry]:
    """A row a predicted fact, which is the summary: the reference's facts that it was held against.

    The reference are all facts of the paper that stand in the file, as its answers to questions;
    a pair on which the raters are of two minds (null) is left out.

    Raises:
        SuiteError: For a fact that is no question with its answer.
    """
    gathered = list(_gathered(rows, ("paper_id", "system", "prediction_id")))
    stated: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for (paper, *_), own in gathered:
        stated[paper] |= {_answer(fields, "reference_fact"): None for fields in own}
    for (paper, system, part), own in gathered:
        labels = [fields.value("label", Any) for fields in own]
        message = [(f, label) for f, label in zip(own, labels, strict=True) if label is not None]
        if message:
            yield _row(
                own,
                paper_id=paper,
                system=system,
                part=part,
                reference="\n\n".join(stated[paper]),
                reference_facts=list(stated[paper]),
                summary=_answer(own[0], "predicted_fact"),
                facts=[_answer(fields, "reference_fact") for fields, _ in message],
                labels=[label for _, label in message],
            )


def _answer(fields: FileEntry, key: str) -> str:
    fact: _Fact = fields.value(key, _Fact)
    return " ".join(fact.answer.split())


@dataclass(slots=True)
class _Fact:
    question: Any
    answer: Text


def _gathered(
    rows: Iterable[FileEntry], keys: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], list[FileEntry]]]:
    """The rows that have the same texts under these keys, in the order of the first of each."""
    found: dict[tuple[str, ...], list[FileEntry]] = {}
    for fields in rows:
        found.setdefault(tuple(str(fields.value(key, Text)) for key in keys), []).append(fields)
    yield from found.items()


def _row(own: Sequence[FileEntry], **values: object) -> FileEntry:
    """A row made of others, at the place of the first."""
    return FileEntry.at(own[0].place, values)


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
