"""EVA-Score with the stages of its paper, each chosen by a key of ``[metrics.eva]``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from summeval_pytest import questions as q
from summeval_pytest.judges.composed import ComposedJudge
from summeval_pytest.judges.judge import Judge
from summeval_pytest.judges.llm.llm_judge import SAMPLE, LlmJudge, digits_of, requests_of
from summeval_pytest.metrics import eva, flow
from summeval_pytest.metrics.facts import Facts, Stated, read, stated_once
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.study.embeddings import SentenceEncoder, load_encoder
from summeval_pytest.study.eva import relations as related
from summeval_pytest.study.eva.fact_chains import CheckInChain, adjacent_chains, validate
from summeval_pytest.study.eva.similarity import TFIDF, Encoder, most_similar
from summeval_pytest.suite.entries import FileEntry, Given, Number, Text, Whole
from summeval_pytest.suite.file import model_folder
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.text.sentences import sentence_texts

encoder_of = lru_cache(maxsize=4)(partial(load_encoder, option="encoder"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedText(Stated):
    """What one text states; its facts end with the ``n_kept`` of its relations near no fact."""

    n_relations: int
    n_kept: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedEva:
    """EVA-Score with any of the stages that its paper has and ours has not.

    Attributes:
        chains: Which fact a fact of the summary refines. `"parent"`: the one that the judge names.
            `"adjacent"`: the fact before it, if that fact follows from this one, as in the paper.
        validation: How the judge checks facts. `"together"`: all in one question. `"chain"`: chain
            by chain with its earlier verdicts in view, as in the paper.
        premises: Check each fact of the summary alone, against this number of the most similar
            facts of the reference; None: against all. The paper has 3, its code 5.
        relations: Relations across sentences count as facts, unless a fact is at least this
            similar, above 0 to 1; None: they do not count. The paper has 0.65.
        encoder: The local model that finds similar facts: a folder beside the suite, or a model's
            name; None: TF-IDF.
    """

    chains: Literal["parent", "adjacent"] = "parent"
    validation: Literal["together", "chain"] = "together"
    premises: Given[Whole] = None
    relations: Given[Annotated[Number, Field(gt=0, le=1)]] = None
    encoder: Given[Text] = None

    @classmethod
    def read(cls, table: FileEntry, file: TextFile) -> PrintedEva:
        """The variant that a table asks for; an encoder may stand beside the file."""
        own = table.read(cls, also=("use",))
        if own.encoder is None:
            return own
        if own.premises is None and own.relations is None:
            what = "finds similar facts, and nothing asks for them"
            remedy = "add premises = 3 or relations = 0.65, or delete it"
            raise table.key_fault("encoder", f"{what}; {remedy}")
        return replace(own, encoder=model_folder(own.encoder, table.where("encoder"), file))

    def load(self) -> SentenceEncoder | None:
        """The encoder, which has to be on this machine; None for TF-IDF."""
        return None if self.encoder is None else encoder_of(self.encoder)

    @property
    def _encode(self) -> Encoder | None:
        return None if (encoder := self.load()) is None else encoder.encode

    def recipe(self, judge: Judge) -> Mapping[str, str]:
        """Its part of a signature: what is not the default, and who finds similar facts.

        Prompts that only it needs have a hash of their own, ``prompts``. A new one of them then
        leaves all other numbers comparable.
        """
        recipe = {
            name: f"{value:g}" if isinstance(value, float) else str(value)
            for name in ("chains", "validation", "premises", "relations")
            if (value := getattr(self, name)) != getattr(_DEFAULT, name)
        }
        if {"premises", "relations"} & recipe.keys():
            encoder = self.load()
            recipe["similarity"] = TFIDF if encoder is None else encoder.signature
        parts: list[Part] = ["chain"] if self.validation == "chain" else []
        parts += ["relations"] if self.relations is not None else []
        if parts and (prompts := _prompts(judge, tuple(parts))):
            recipe["prompts"] = prompts
        return recipe

    def measure(self, *texts: str, **given: Any) -> flow.Dialogue[eva.EvaScore | Unscored]:
        """The dialogue of `eva.measure`, with the same arguments."""
        return eva.measure(*texts, **given, reads=self.read_both, validates=self.validate)

    def read_both(
        self, reference: str, summary: str, frozen: Facts | None = None
    ) -> flow.Dialogue[tuple[Stated, ...]]:
        """What the reference states, then what the summary does; chains are the summary's alone.

        Reviewed facts of the reference stay as they are, relations included.
        """
        return flow.side_by_side(self._read(reference, frozen), self._read(summary, chained=True))

    def _read(
        self, text: str, frozen: Facts | None = None, *, chained: bool = False
    ) -> flow.Dialogue[Stated]:
        sentences, listing = sentence_texts(text), list[flow.Dialogue[Any]]([read(text, frozen)])
        if self.relations is not None and frozen is None and len(sentences) > 1:
            # one sentence relates nothing
            listing.append(flow.ask(q.FactList, related.ListRelations(text)))
        stated, *found = yield from flow.side_by_side(*listing)
        facts, unusable, n_relations = stated.facts, stated.unusable, 0
        if chained and self.chains == "adjacent":
            facts = yield from adjacent_chains(facts)
        n_facts = len(facts)
        for (each,) in found:
            encode = self._encode
            statements = tuple(fact.text for fact in each.facts)
            kept = related.new_statements(statements, facts, self.relations or 1.0, encode)
            facts = stated_once((*facts, *related.placed(kept, sentences, encode)))
            lost = tuple(fact.text for fact in each.unusable)
            unusable = stated_once((*unusable, *related.placed(lost, sentences, encode)))
            n_relations = len(statements)
        return RelatedText(
            sentences=sentences,
            facts=facts,
            unusable=unusable,
            n_listed=stated.n_listed,
            n_relations=n_relations,
            n_kept=len(facts) - n_facts,
        )

    def validate(self, facts: Facts, premises: tuple[str, ...]) -> flow.Dialogue[q.FactChecks]:
        """One check for each fact, in order; its premises are places among all premises."""
        if self.premises is None and self.validation == "together":
            return eva.check_together(facts, premises)
        chosen = None
        if self.premises is not None:
            texts = [fact.text for fact in facts]
            chosen = most_similar(texts, premises, self.premises, self._encode)
        return validate(facts, premises, chosen, in_chains=self.validation == "chain")


_DEFAULT: Final = PrintedEva()


Part = Literal["chain", "relations"]
"""What only this variant asks."""


def _prompts(judge: Judge, parts: tuple[Part, ...]) -> str:
    """What tells a judge's questions of these parts from any other's; empty if no model is asked.

    Any other judge's signature has to state whatever can change any of its answers.
    """
    if isinstance(judge, ComposedJudge):
        of_part = {"chain": judge.parts["facts"], "relations": judge.parts["listing"]}
        return "+".join(filter(None, (_prompts(of_part[part], (part,)) for part in parts)))
    return part_hash(parts) if isinstance(judge, LlmJudge) else ""


@cache
def part_hash(parts: tuple[Part, ...]) -> str:
    """Hex digits that tell this version's questions of some parts from any other's."""
    earlier = tuple(("One.", holds) for holds in (True, False, None))
    two = (q.Fact(text="One of two.", sentence=0), q.Fact(text="Two of two.", sentence=0))
    chains = [CheckInChain(two, SAMPLE, every, earlier=earlier).batch() for every in (True, False)]
    one = related.Relation(
        head="One", relation="is not", tail="Two", statement="One is not Two.", sentence=0
    )
    at_once = related.relation_batch(SAMPLE)
    steps = (
        related.entity_batch(SAMPLE),
        related.triple_batch(SAMPLE, ("One", "Two")),
        related.statement_batch((one, one)),
    )
    requests: dict[Part, list[object]] = {
        "chain": requests_of(*chains),
        "relations": [*requests_of(at_once, *steps), at_once.size],
    }
    return digits_of({part: requests[part] for part in sorted(parts)})
