"""What a released set says of one pair, row by row, and the label that this makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from summeval_pytest.suite.indexed import evidence_label, stands_in
from summeval_pytest.suite.marking import Item, Marking, label_object
from summeval_pytest.suite.role_labels import RoleLabel, role_line
from summeval_pytest.text import normalise, sentence_texts, split_sentences, tokens

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from summeval_pytest.errors import Place
    from summeval_pytest.suite.fields import Fields
    from summeval_pytest.suite.importing.released import ReleasedSet
    from summeval_pytest.suite.labels import EvidenceLabel


class _Sentence(NamedTuple):
    """A sentence as the set has it; its label is None where nobody knows."""

    text: str
    faithful: bool | None
    evidence: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class PairDraft:
    """One pair as it grows."""

    paper: str
    system: str
    place: Place
    summary: str = ""
    sentences: list[_Sentence] = field(default_factory=list)
    facts: list[tuple[str, bool]] = field(default_factory=list)
    roles: list[RoleLabel] = field(default_factory=list)
    overall: float | None = None

    @property
    def text(self) -> str:
        """The summary; of sentences, each is a paragraph, so that none is lost in another."""
        return self.summary or "\n\n".join(sentence.text for sentence in self.sentences)

    def read(self, fields: Fields, spec: ReleasedSet) -> None:
        """Take in one row.

        Raises:
            SuiteError: For a label that is none.
        """
        if spec.summary:
            self.summary = fields.text(spec.summary)
        if spec.sentence:
            self.sentences.append(_sentence(fields, spec))
        if spec.holds:
            self.facts = list(_facts(fields, spec))
        if spec.roles:
            roles = fields.items(spec.roles, "the roles of sentences")
            self.roles = [role for role in roles if isinstance(role, RoleLabel)]
        if spec.counted:
            self.overall = round(sum(holds for _, holds in self.facts) / len(self.facts), 4)
        if spec.overall and fields.values.get(spec.overall) is not None:
            self.overall = fields.number(spec.overall)


def _sentence(fields: Fields, spec: ReleasedSet) -> _Sentence:
    text = " ".join(fields.text(spec.sentence).split())
    known = fields.values.get(spec.faithful) is not None
    evidence = fields.values.get(spec.evidence) if spec.evidence else None
    return _Sentence(
        text=text,
        faithful=fields.flag(spec.faithful) if known else None,
        evidence=tuple(map(str, evidence)) if isinstance(evidence, list) else (),
    )


def _facts(fields: Fields, spec: ReleasedSet) -> Iterator[tuple[str, bool]]:
    facts = fields.items(spec.facts, "a list of texts")
    labels = fields.items(spec.holds, "a list of 0 and 1")
    if len(labels) != len(facts):
        raise fields.fault(
            spec.holds,
            f"{spec.holds!r} of {fields.owner} has {len(labels)} labels for {len(facts)} facts;"
            " name a complete file of the set",
        )
    for fact, label in zip(facts, labels, strict=True):
        if label not in (0, 1):
            raise fields.wrong(spec.holds, label, "0 or 1 for each fact")
        yield fields.visible(spec.facts, fact).strip(), bool(label)


def label_of(
    pair: PairDraft, spec: ReleasedSet, source: tuple[str, ...], notes: Counter[str]
) -> dict[str, object]:
    """The label line of a pair, empty where nothing is known; what is left out is counted."""
    markings = list(_overall(pair))
    if spec.sentence:
        markings += _of_sentences(pair, source, notes)
    markings += _of_facts(pair, notes)
    roles = list(_of_roles(pair, notes))
    if not markings and not roles:
        return {}
    about: dict[str, object] = {"paper": pair.paper, "system": pair.system}
    label = label_object(markings) if markings else about
    return {**label, "roles": roles} if roles else label


def _overall(pair: PairDraft) -> Iterator[Marking]:
    if pair.overall is not None:
        item = Item(paper=pair.paper, system=pair.system, kind="overall")
        yield Marking(item=item, value=pair.overall, place=pair.place)


def _of_sentences(
    pair: PairDraft, source: tuple[str, ...], notes: Counter[str]
) -> Iterator[Marking]:
    """A label a sentence as our rules cut them; of an unfaithful one, only where it is whole."""
    cuts = _cuts(pair)
    for number, sentence in enumerate(pair.sentences):
        indices = [index for index, line in enumerate(cuts) if line == number]
        if sentence.faithful is None:
            notes["sentences without a label"] += 1
        elif not indices:
            notes["sentences left out, of which nothing is visible"] += 1
        elif not sentence.faithful and len(indices) > 1:
            notes["unfaithful sentences left out, as nobody says which part of them is wrong"] += 1
        else:
            whole = len(indices) == 1
            evidence = tuple(_evidence(sentence, source, notes)) if whole else ()
            for index in indices:
                item = Item(paper=pair.paper, system=pair.system, kind="sentence", index=index)
                yield Marking(
                    item=item, value=sentence.faithful, evidence=evidence, place=pair.place
                )


def _cuts(pair: PairDraft) -> list[int]:
    """For each sentence that our rules cut of the summary, the number of the set's sentence."""
    text = normalise(pair.text)
    visible = [number for number, each in enumerate(pair.sentences) if normalise(each.text)]
    breaks = [len(text) if at < 0 else at for at in _breaks(text)]
    if len(breaks) != len(visible):
        return []  # a text that normalises into other paragraphs than it was made of
    return [
        visible[sum(sentence.start >= at for at in breaks)] for sentence in split_sentences(text)
    ]


def _breaks(text: str) -> Iterator[int]:
    """Where each paragraph ends."""
    at = -1
    while (at := text.find("\n\n", at + 1)) >= 0:
        yield at
    yield -1


def _evidence(
    sentence: _Sentence, source: tuple[str, ...], notes: Counter[str]
) -> Iterator[EvidenceLabel]:
    indices: dict[int, None] = {}
    for text in sentence.evidence:
        found = stands_in(text, source)
        indices.update(dict.fromkeys(found))
        if not found:
            notes["evidence texts left out, which stand nowhere in the source"] += 1
    for index in indices:
        yield evidence_label(source, index)


def _of_roles(pair: PairDraft, notes: Counter[str]) -> Iterator[dict[str, object]]:
    """A role a sentence; of two that are word for word the same, the first."""
    cuts = set(sentence_texts(normalise(pair.text))) if pair.roles else set()
    seen: set[str] = set()
    for role in pair.roles:
        text = normalise(role.text)
        if text in seen or not tokens(text):
            notes["sentences left out, empty or there twice"] += 1
            continue
        seen.add(text)
        notes["sentences with a facet"] += bool(role.facets)
        notes["of these, sentences that our rules cut otherwise"] += (
            bool(role.facets) and text not in cuts
        )
        yield role_line(role)


def _of_facts(pair: PairDraft, notes: Counter[str]) -> Iterator[Marking]:
    said: dict[str, set[bool]] = {}
    for text, holds in pair.facts:
        said.setdefault(text, set()).add(holds)
    for text, values in said.items():
        if len(values) > 1:
            notes["facts left out, labelled twice and differently"] += 1
            continue
        item = Item(paper=pair.paper, system=pair.system, kind="reference fact", text=text)
        yield Marking(item=item, value=values.pop(), place=pair.place)
