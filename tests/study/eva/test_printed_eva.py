"""EVA-Score as its paper prints it: its keys, its signature, and what it comes to."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest import questions as q
from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.judges.llm import asking, prompts
from summeval_pytest.judges.llm.prompts import instructions
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.metrics import eva
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facts import Stated
from summeval_pytest.run.measure import metric_flow, metric_signature
from summeval_pytest.run.session import Session
from summeval_pytest.study.eva import fact_chains, printed_eva
from summeval_pytest.study.eva.fact_chains import CheckInChain
from summeval_pytest.study.eva.printed_eva import Part, PrintedEva, part_hash
from summeval_pytest.study.eva.relations import ListRelations
from summeval_pytest.study.systems.studied import stage_counts
from summeval_pytest.suite.file import Variants
from summeval_pytest.suite.suite import Suite, load_suite
from tests.label_suite import mistake, write_suite
from tests.local_models import LetterEncoder
from tests.metrics.table_judge import Table, facts
from tests.run.test_measure import pair, paper

REFERENCE = "Zinc was given to mice. The mice slept longer."
SUMMARY = "Zinc was given. Mice slept. Mice slept."
REFERENCE_SENTENCES = ("Zinc was given to mice.", "The mice slept longer.")
SUMMARY_SENTENCES = ("Zinc was given.", "Mice slept.", "Mice slept.")
ACROSS = "Zinc made mice sleep."
RELATED = PrintedEva(relations=0.65)
USE = "summeval_pytest.study.eva.printed_eva:PrintedEva"


# The table of a suite


def suite_with(folder: Path, *lines: str, use: str = USE) -> Suite:
    """The suite with these lines in its table ``[metrics.eva]``."""
    toml = (folder if folder.exists() else write_suite(folder)) / "summeval.toml"
    own = toml.read_text("utf-8").partition("\n[metrics.eva]")[0].rstrip()
    table = ["[metrics.eva]", f'use = "{use}"', *lines]
    toml.write_text("\n".join([own, *table]), encoding="utf-8")
    return load_suite(folder, "moss")


@pytest.mark.parametrize(
    ("lines", "variant"),
    [
        ("", PrintedEva()),
        ('chains = "adjacent"', PrintedEva(chains="adjacent")),
        ('validation = "chain"', PrintedEva(validation="chain")),
        ("premises = 3", PrintedEva(premises=3)),
        ('chains = "parent"\nvalidation = "together"', PrintedEva()),
        ("relations = 0.65", RELATED),
        ("relations = 1", PrintedEva(relations=1.0)),
        (f'premises = 3\nencoder = "{"x" * 5000}"', PrintedEva(premises=3, encoder="x" * 5000)),
    ],
)  # fmt: skip
def test_a_variant_is_chosen_in_the_suite(tmp_path: Path, lines: str, variant: PrintedEva) -> None:
    """What is the default may be written out; a name too long for the disk is no folder."""
    assert suite_with(tmp_path / "moss", lines).variants == Variants(eva=variant)


def test_mistakes_in_its_table_have_their_lines(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """Each message says what, where and what to do; another package's code is never loaded."""
    lines = [
        'chains = "both"', "chains = true", 'validation = "chains"', "premises = 0",
        "premises = -3", "premises = 3.0", "premises = true", 'premises = "3"', "relations = 0",
        "relations = 1.01", "relations = nan", 'relations = "yes"', 'encoder = "moss/tiny"',
        "recall = 1", "eva_chains = 1",
    ]  # fmt: skip
    folder = tmp_path / "moss"
    ours = "summeval_pytest"
    uses = [
        "", "antigravity:Class", f"{ours}.errors:Class", USE.replace("Eva", "Eve"), ours,
        f"{ours}.:x", f"{ours}.suite.entries:FileEntry", f"{ours}.suite.file:MetricVariant",
        f"{ours}.cli.app:main",
    ]  # fmt: skip
    messages: dict[str, str] = {}
    for line, use in [*((line, USE) for line in lines), *(("", use) for use in uses)]:
        with pytest.raises(SuiteError) as caught:
            suite_with(folder, line, use=use)
        messages[line or use] = str(caught.value)
    assert "antigravity" not in sys.modules
    toml = folder / "summeval.toml"
    toml.write_text(toml.read_text("utf-8").partition("use =")[0], encoding="utf-8")
    messages["nothing"] = mistake(lambda: load_suite(folder, "moss"))
    assert messages == snapshot


def encoder(suite: Suite) -> str | None:
    """The encoder that a suite names."""
    assert isinstance(suite.variants.eva, PrintedEva)
    return suite.variants.eva.encoder


def test_a_folder_beside_the_suite_file_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A suite that is moved finds its own model; another name is for Hugging Face's cache."""
    model = write_suite(tmp_path / "moss") / "models" / "tiny"
    model.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    suite = suite_with(tmp_path / "moss", "premises = 3", 'encoder = "models/tiny"')
    assert encoder(suite) == str(model)
    suite = suite_with(tmp_path / "fern", "relations = 0.65", 'encoder = "moss/tiny"')
    assert encoder(suite) == "moss/tiny"


@pytest.mark.parametrize("name", ["../tiny", "{}/tiny", "~/tiny", "tiny"])
def test_a_folder_elsewhere_is_not_loaded_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A suite may not choose what of this machine is read as a model."""
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    line = f'encoder = "{name.format(tmp_path)}"'
    message = mistake(lambda: suite_with(tmp_path / "moss", "premises = 3", line))
    assert message.startswith("moss/summeval.toml:16: ")
    assert "leads out of the suite's folder" in message
    assert encoder(load_suite(tmp_path / "moss", allow_outside=True))


def test_an_encoder_that_is_not_there_stops_a_run_at_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a judge is made, which would be asked in vain; of several suites it says which."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    suite = suite_with(tmp_path / "moss", "premises = 3", 'encoder = "moss/gone"')
    message = (
        "encoder: the package 'huggingface_hub' is not installed; install it with:"
        " pip install 'summeval-pytest[onnx]'"
    )
    with pytest.raises(OptionError) as caught:
        Session({}).judge("offline", [suite])
    assert str(caught.value) == f"moss/summeval.toml: {message}"


# What a signature says of it

OFFLINE = OfflineJudge()


@pytest.mark.parametrize(
    ("variant", "recipe"),
    [
        (PrintedEva(), {}),  # numbers of the core's EVA-Score, which compare with its
        (PrintedEva(chains="adjacent"), {"chains": "adjacent"}),
        (PrintedEva(validation="chain"), {"validation": "chain"}),
        (PrintedEva(premises=3), {"premises": "3", "similarity": "tfidf-1"}),
        (PrintedEva(relations=0.65), {"relations": "0.65", "similarity": "tfidf-1"}),
        (PrintedEva(relations=1.0, encoder="m"), {"relations": "1", "similarity": "letters 1"}),
        (PrintedEva(encoder="m"), {}),
    ],
)
def test_what_is_not_the_default_is_reported(
    variant: PrintedEva, recipe: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the encoder only where something is measured with it."""
    monkeypatch.setattr(printed_eva, "encoder_of", lambda _: LetterEncoder())
    assert variant.recipe(OFFLINE) == recipe


def test_its_requests_are_what_they_were() -> None:
    """Cassettes and baselines of others stand on these digits, in whatever order the parts are."""
    assert (part_hash(("chain",)), part_hash(("relations",))) == ("3d6659a9", "1b6b5795")
    assert part_hash(("chain", "relations")) == part_hash(("relations", "chain")) == "338d8a75"


FOLDER = "summeval_pytest.study.eva"
KINDS = ("relations", "entities", "triples", "statements")


@pytest.mark.parametrize(
    ("module", "name", "value", "parts"),
    [
        *((prompts, "_prompt", kind, ["relations"]) for kind in KINDS),
        (prompts, "_prompt", "fact_checks_in_chain", ["chain"]),
        (prompts, "SENTENCES_PER_REQUEST", 11, ["relations"]),
        (fact_chains, "DECISIONS", {True: "yes", False: "no", None: "?"}, ["chain"]),
        (asking, "TOKENS", 500, ["chain", "relations"]),
        (prompts, "_DIGITS", 12, ["chain", "relations"]),
    ],
)
def test_whatever_shapes_a_request_changes_the_hash_of_its_part(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, value: object, parts: list[str]
) -> None:
    """Prompts, sizes, marks and words for verdicts move the numbers."""

    def hashes() -> list[str]:
        instructions.cache_clear()
        part_hash.cache_clear()
        return [part_hash((part,)) for part in get_args(Part)]

    old, read = hashes(), prompts._prompt
    if name == "_prompt":
        kind = f"{FOLDER}/{value}"
        value = lambda each: read(each) + "." * (each == kind)  # noqa: E731 - in one place
    monkeypatch.setattr(module, name, value)
    new = hashes()
    monkeypatch.undo()
    assert hashes() == old
    each = zip(get_args(Part), old, new, strict=True)
    assert [part for part, before, now in each if before != now] == parts


# What both texts state


def read(
    judge: Table, variant: PrintedEva = RELATED, frozen: tuple[q.Fact, ...] | None = None
) -> tuple[Stated, ...]:
    """What both texts state, as this judge has it."""
    return judge.drive(variant.read_both(REFERENCE, SUMMARY, frozen))


def counts(stated: Stated) -> list[int]:
    """How many sentences, listed facts, facts, chains, relations and kept relations it has."""
    return [*stage_counts(stated).values()]


def texts(stated: Stated) -> list[str]:
    """The words of the facts."""
    return [fact.text for fact in stated.facts]


def test_facts_and_relations_of_both_texts_are_asked_for_at_once() -> None:
    """A wait more for each stage would be the paper's ten minutes again; each side is counted."""
    judge = Table(
        facts={"Zinc was given to mice.": ("Zinc was given.", "Mice got it.")},
        relations={REFERENCE: ("Sleep came of zinc.", "Sleep came of zinc.")},
    )
    of_reference, _ = read(judge)
    facts_of_both = q.ListFacts(REFERENCE_SENTENCES), q.ListFacts(SUMMARY_SENTENCES)
    relations = ListRelations(REFERENCE), ListRelations(SUMMARY)
    assert judge.rounds == [(facts_of_both[0], relations[0], facts_of_both[1], relations[1])]
    assert counts(of_reference) == [2, 3, 3, 3, 2, 1]
    assert texts(of_reference)[-1] == "Sleep came of zinc."


def test_a_relation_that_no_fact_comes_near_is_a_fact_of_its_own() -> None:
    """Worked example: it refines nothing, stands last, and counts in N_c (paper, 3.3; EV3).

    Of the summary's three facts two differ, each a chain; of its two relations one says what a fact
    says.
    """
    _, of_summary = read(Table(relations={SUMMARY: ("Mice slept.", ACROSS)}))
    assert of_summary.facts == (
        q.Fact(text="Zinc was given.", sentence=0),
        q.Fact(text="Mice slept.", sentence=1),
        q.Fact(text=ACROSS, sentence=0),  # zinc stands in one sentence alone, mice in two
    )
    assert counts(of_summary) == [3, 3, 2, 2, 2, 1]


def test_the_encoder_of_the_suite_finds_the_premises(monkeypatch: pytest.MonkeyPatch) -> None:
    """An anagram shares every letter and no word, so TF-IDF takes the first fact instead."""
    monkeypatch.setattr(printed_eva, "encoder_of", lambda _: LetterEncoder())
    stated, anagram = ("Ferns died on sand.", "Tab: a cat, a tub."), "But a bat, a act."
    sand = pair(anagram, paper(" ".join(stated), facts=facts(*stated)))
    recipes = []
    for encoder, premise in ((None, stated[0]), ("moss/tiny", stated[1])):
        own = PrintedEva(premises=1, encoder=encoder)
        one = Variants(eva=own, eva_recall="matched")
        flow = metric_flow("eva", sand, one)
        next(flow)
        assert flow.send((q.FactList(facts(anagram)),)) == (
            q.CheckFacts(facts(anagram), (premise,), reference=" ".join(stated)),
        )
        recipes.append(metric_signature("eva", judge=OFFLINE, suite="moss", variants=one))
        usual = metric_signature("facet", judge=OFFLINE, suite="moss")
        assert metric_signature("facet", judge=OFFLINE, suite="moss", variants=one) == usual
    assert dict(recipes[1].recipe)["similarity"] == "letters 1"
    assert recipes[0].differing(recipes[1]) == ("similarity",)


# The whole, in all forms
SUMMARY_TEXT = "Zinc was given to some mice. The rats slept. Moss grew."
WRITTEN = "Zinc was given to mice. Mice slept longer. Moss grew."
PAPER = PrintedEva(chains="adjacent", validation="chain", premises=3, relations=0.65)


def table() -> Table:
    """The first sentence of the summary is two facts, a general and a special one.

    Of four facts three are carried by two of the three reference facts; a relation of the summary
    follows from the reference's second fact, one of the reference from nothing.
    """
    return Table(
        facts={"Zinc was given to some mice.": ("Zinc was given.", "Zinc was given to some mice.")},
        carries={
            "Zinc was given.": ("Zinc was given to some mice.", "Zinc was given to mice."),
            "Zinc was given to some mice.": ("Zinc was given to mice.",),
            "Sleep came after zinc.": ("Mice slept longer.",),
        },
        relations={
            SUMMARY_TEXT: ("Sleep came after zinc.", "Moss grew."),
            WRITTEN: ("The dose decided the hours.",),
        },
    )


def measured(judge: Table, variant: PrintedEva) -> EvaScore:
    """The score of one summary."""
    score = judge.drive(variant.measure(WRITTEN, SUMMARY_TEXT, entailed_recall=False))
    assert isinstance(score, EvaScore)
    return score


def test_the_paper_as_it_stands_worked_example() -> None:
    """All stages in the paper's form, and the default, which counts facts alone.

    N_c = 4 facts + 1 relation, of which 4 hold: P = 4/5. N_r = 3 facts + 1 relation, of which 3
    are matched: R = 3/4. F1 = 2 * 4/5 * 3/4 / (31/20) = 24/31. By default P = 3/4, R = 2/3.
    """
    judge = table()
    score = measured(judge, PAPER)
    assert (score.precision, score.recall, score.matched) == (0.8, 0.75, frozenset({0, 1, 2}))
    assert score.value == pytest.approx(24 / 31)
    assert [*map(counts, score.stated)] == [[3, 3, 3, 3, 1, 1], [3, 4, 4, 3, 2, 1]]
    listing, linking, roots, additions = judge.rounds
    assert (len(listing), len(linking)) == (4, 3)
    assert len(roots) == 3 * 4  # four chains of one root each, the relation is one of them
    assert len(additions) == 3
    settled = (("Zinc was given.", True),)
    assert {each.earlier for each in additions if isinstance(each, CheckInChain)} == {settled}
    default = measured(table(), PrintedEva())
    assert (default.precision, default.recall) == pytest.approx((3 / 4, 2 / 3))
    assert [*map(counts, default.stated)] == [[3, 3, 3, 3, 0, 0], [3, 4, 4, 4, 0, 0]]
    assert default == table().drive(eva.measure(WRITTEN, SUMMARY_TEXT, entailed_recall=False))
